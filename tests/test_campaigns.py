"""Every campaign: a small one in ring 2, the full one (minutes) in ring 3."""

import os
from pathlib import Path

import pytest
from perfect_yatzy.cli import COMMANDS
from perfect_yatzy.tablebase.work_identity import WorkIdentity
from support.need import need
from support.seeds import SEED_VARIABLE, ring_3

from benchmarks.campaign import strangers, texts
from benchmarks.campaign.campaigns import CAMPAIGNS, run_campaign
from benchmarks.campaign.tally import Tally, cpu_limit

SEED = int(os.environ.get(SEED_VARIABLE, "0"))
NEED = {
    "requests from the OpenAPI document": "schemathesis",
    "bodies of the largest size, running server": "fastapi",
    "strangers: homes, folders, disks and files of all kinds": "fastapi",
    "taps in four tabs of the page": "playwright",
}
pytestmark = pytest.mark.full


@pytest.mark.parametrize("small", [pytest.param(True, id="small"), ring_3(False, id="full")])
@pytest.mark.parametrize("name", CAMPAIGNS)
def test_campaign(name: str, small: bool, tmp_path: Path, store: Path) -> None:
    if name in NEED:
        need(NEED[name])
    tally = run_campaign(name, tmp_path, store, SEED, small)
    assert tally.cases
    assert not tally.failures, "\n".join(tally.failures[:5])


def test_a_campaign_finds_an_error_of_python(
    tmp_path: Path, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(texts, "parse_dice", lambda rules, text: int(text))
    tally = run_campaign("card, dice, names, opponents", tmp_path, store, 1, small=True)
    assert len(tally.failures) > tally.cases // 10
    assert all("ValueError" in failure for failure in tally.failures)


def test_strangers_ask_every_command() -> None:
    """A new command is added to the campaign."""
    assert {question.split()[0] for question in strangers.QUESTIONS} >= {*COMMANDS}
    assert len(set(strangers.QUESTIONS)) == len(strangers.QUESTIONS) < 100


def test_strangers_allow_one_line_a_fault() -> None:
    """A file that cannot be read beside kernels that cannot be written: two faults, two lines."""
    kernels = "yatzy: cannot write compiled kernels to /k: Permission denied"
    file, table = "yatzy: cannot read a.json: Is a directory", "yatzy: cannot save /t: No space"
    assert strangers.repeated_refusals([kernels, "expected score 248.44", file]) == []
    assert strangers.repeated_refusals([file, kernels, table]) == [table]
    assert strangers.repeated_refusals([kernels, kernels]) == [kernels]


@pytest.mark.slow
def test_a_campaign_finds_work_of_others_that_is_resumed(
    tmp_path: Path, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(WorkIdentity, "fits", lambda self, fields: True)
    monkeypatch.setattr(WorkIdentity, "fields", lambda self: {})
    name = "resumed solves whose files were swapped, deleted, cut or flipped"
    tally = run_campaign(name, tmp_path, store, 1, small=True)
    assert any("other values" in failure for failure in tally.failures)


def test_calls_that_take_too_long_or_say_nothing_are_failures() -> None:
    def hangs() -> None:
        with cpu_limit(0.05):
            while True:
                pass

    def says_nothing() -> None:
        raise ValueError

    tally = Tally("test")
    assert tally.run("a", lambda: 7) == 7
    for call in (hangs, says_nothing, lambda: int("x")):
        tally.run("b", call, *([ValueError] if call is not hangs else []))
    tally.expect("c", True)
    assert tally.cases == 4
    assert [failure[:2] for failure in tally.failures] == ["b:", "b:"]
    assert "more than 0.05 s of processor time" in tally.failures[0]
    assert "the message is empty" in tally.failures[1]
