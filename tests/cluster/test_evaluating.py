"""How evaluations are shared out to workers, without a cluster: an engine that runs the tasks here, in any order."""

from __future__ import annotations

import sys
from operator import attrgetter
from pathlib import Path

import numpy as np
import pytest
from perfect_yatzy.cluster.evaluating import evaluate_on, sample_on
from perfect_yatzy.policies.process import ProcessPlayer
from perfect_yatzy.policies.sampling import sample
from perfect_yatzy.strategy.strategy import Strategy
from support.engine_here import EngineHere

BOT = """
import json, sys
for line in sys.stdin:
    hold, dice = (lambda request: (request["query"] == "hold", request["dice"]))(json.loads(line))
    print(json.dumps({"hold": [max(dice)]} if hold else {"category": sys.argv[1]}), flush=True)
"""


@pytest.mark.parametrize("games", [1, 7, 8])
def test_the_games_of_a_program_are_as_many_as_asked_for(forced: Strategy, tmp_path: Path, games: int) -> None:
    """Also where they cannot be divided evenly; each game once, with the dice of its number."""
    late = " ".join(f"{box.id}=0" for box in forced.rules.categories[:-1])
    (tmp_path / "bot.py").write_text(BOT)
    command = f"{sys.executable} {tmp_path / 'bot.py'} {forced.rules.categories[-1].id}"
    with ProcessPlayer(command) as player:
        here = sample(player, forced, games, 5, late)
    reports: list[tuple[int, int]] = []
    there = sample_on(EngineHere(), command, forced, games, 5, late, progress=lambda *step: reports.append(step))  # type: ignore[arg-type]
    arrays = attrgetter("scores", "game_losses", "losses.holds", "losses.categories")
    assert all(map(np.array_equal, arrays(here), arrays(there)))
    assert reports[-1] == (games, games)


def test_titles_name_the_files_as_they_were_given(
    forced: Strategy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Workers get the whole path; what they find belongs to the policy that was asked for."""
    np.save(tmp_path / "guess.npy", np.random.default_rng(1).uniform(0, 50, len(forced.table)))
    monkeypatch.chdir(tmp_path)
    names = ["guess.npy", "perfect", str(tmp_path / "guess.npy")]
    found = {number: (title, each.mean) for number, title, each in evaluate_on(EngineHere(), names, forced.rules)}  # type: ignore[arg-type]
    assert [found[number][0] for number in range(3)] == ["guess.npy", "Perfect play", names[2]]
    assert found[0][1] == found[2][1] < found[1][1] == pytest.approx(forced.value())
