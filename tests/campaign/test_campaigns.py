"""Every campaign: a small one in the quick tests, the full one (minutes) among the slow ones.

The environment variable CAMPAIGN_SEED chooses the cases of the full ones.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from perfect_yatzy.model.checked_values import CheckedValues
from support.campaigns import CAMPAIGNS, run_campaign
from support.need import need

SEED = int(os.environ.get("CAMPAIGN_SEED", "1"))
NEEDS = {
    "requests from the OpenAPI document": "schemathesis",
    "bodies of the largest size, running server": "fastapi",
}


@pytest.mark.parametrize(
    ("seed", "small"),
    [pytest.param(1, True, id="small"), pytest.param(SEED, False, id="full", marks=pytest.mark.slow)],
)
@pytest.mark.parametrize("name", CAMPAIGNS)
def test_campaign(name: str, seed: int, small: bool, tmp_path: Path, store: Path) -> None:
    if name in NEEDS:
        need(NEEDS[name])
    tally = run_campaign(name, tmp_path, store, seed, small)
    assert tally.cases
    assert not tally.failures, "\n".join(tally.failures[:5])


def test_a_campaign_finds_what_is_not_checked(tmp_path: Path, store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the hashes of blocks, flipped values are answered."""
    monkeypatch.setattr(CheckedValues, "_check", lambda table, blocks: None)
    tally = run_campaign("single flipped bits, table hashed by blocks", tmp_path, store, 1, small=True)
    assert len(tally.failures) > tally.cases // 4
