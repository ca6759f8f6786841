"""Simulations and evaluations on a cluster are those of this process, to the bit."""

import json
import sys
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np
import perfect_yatzy
import pytest
from perfect_yatzy import Cluster, Simulation, SolverError, Strategy, evaluate
from perfect_yatzy.policies.evaluation import sample
from perfect_yatzy.policies.named import Setting, named_policy
from perfect_yatzy.policies.user_code import ProcessPlayer
from support.cluster_tasks import EngineHere
from support.command import Run
from support.need import need
from support.refusals import refused

need("distributed")


from perfect_yatzy.cluster.tasks import evaluate_on, sample_on

CARD = "ones=3 twos=6 threes=9 fours=12 fives=15 one-pair=10 two-pairs=18 chance=22 small-straight=15 yatzy=0"
BOT = """
import json, sys
for line in sys.stdin:
    hold, dice = (lambda request: (request["query"] == "hold", request["dice"]))(json.loads(line))
    print(json.dumps({"hold": [max(dice)]} if hold else {"category": sys.argv[1]}), flush=True)
"""
ARRAYS = attrgetter("scores", "game_losses", "losses.holds", "losses.categories")
pytestmark = pytest.mark.full


def program(folder: Path, strategy: Strategy, games: int, card: str, box: str) -> tuple[str, Any]:
    """A command that keeps the highest die and takes one box, and its games in this process."""
    (folder / "bot.py").write_text(BOT)
    command = f"{sys.executable} {folder / 'bot.py'} {box}"
    with ProcessPlayer(command) as player:
        return command, sample(player, strategy, games, 5, card)


def same(first: Simulation, second: Simulation) -> bool:
    """Whether two simulations have the same games in the same types."""
    parts = ("final_scores", "category_points", "upper_bonus")
    pairs = [(getattr(first, name), getattr(second, name)) for name in parts]
    heads = [(s.rules.fingerprint, s.policy, s.seed, s.points_before) for s in (first, second)]
    return heads[0] == heads[1] and all(a.dtype == b.dtype and np.array_equal(a, b) for a, b in pairs)


def test_games_for_the_mean(cluster: Cluster, yatzy: Strategy) -> None:
    reports: list[tuple[int, int]] = []
    played = cluster.simulate(yatzy, 5_003, seed=7, progress=lambda *report: reports.append(report))
    assert same(played, perfect_yatzy.simulate(yatzy, 5_003, seed=7))
    assert reports[-1] == (5_003, 5_003)
    from_card = cluster.simulate(yatzy, 10, 3, "ones=3 chance=22", points=99)
    assert same(from_card, perfect_yatzy.simulate(yatzy, 10, 3, "ones=3 chance=22", points=99))


def test_games_for_a_goal(cluster: Cluster) -> None:
    strategy = perfect_yatzy.reach("yatzy", 200, CARD)
    assert same(cluster.simulate(strategy, 1_000), perfect_yatzy.simulate(strategy, 1_000))


def test_impossible_simulations(cluster: Cluster, yatzy: Strategy) -> None:
    utility = perfect_yatzy.maximise("yatzy", lambda total: total * 1.0, CARD)
    for strategy, games, seed, message in (
        (utility, 10, 0, "not in a table that workers can open"),
        (yatzy, 0, 0, "games is 0"),
        (yatzy, 1, -1, "seed is -1"),
    ):
        refused(message, cluster.simulate, strategy, games, seed=seed)


def test_policies(cluster: Cluster, yatzy: Strategy, tmp_path: Path) -> None:
    np.save(tmp_path / "guess.npy", np.zeros(len(yatzy.table)))
    names = ["most-points", "perfect", str(tmp_path / "guess.npy")]
    card = perfect_yatzy.parse_card(yatzy.rules, CARD)
    for name, there in zip(names, cluster.evaluate(names, "yatzy", CARD), strict=True):
        here = evaluate(named_policy(name, Setting(yatzy.rules, card)).policy, points=card.total)
        assert (there.mean, there.standard_deviation) == (here.mean, here.standard_deviation)
        assert np.array_equal(there.distribution.chances, here.distribution.chances)
    titles = {number: title for number, title, _ in evaluate_on(cluster.engine, names, yatzy.rules, CARD)}
    assert titles[2] == names[2]
    refused("policy is 'worst'", cluster.evaluate, ["worst"], "yatzy", CARD, error=SolverError)


def test_a_program(cluster: Cluster, yatzy: Strategy, tmp_path: Path) -> None:
    card = CARD.replace("chance=22 ", "") + " sixes=24 full-house=0"
    card += " three-of-a-kind=12 four-of-a-kind=16 large-straight=0"
    command, here = program(tmp_path, yatzy, 30, card, "chance")
    there = sample_on(cluster.engine, command, yatzy, 30, 5, card)
    assert all(map(np.array_equal, ARRAYS(here), ARRAYS(there)))
    assert here.perfect_mean == there.perfect_mean


def test_the_command(run: Run, tmp_path: Path) -> None:
    """One run of each command on workers; everything it writes is what it writes without them."""
    words = ("simulate", "yatzy", "--games", "300", "--card", CARD, "--output")
    here = run(*words, str(tmp_path / "here.csv"))
    there = run(*words, str(tmp_path / "there.csv"), "--workers", "1")
    assert there.returncode == 0, there.stderr
    assert there.stdout == here.stdout
    assert (tmp_path / "there.csv").read_bytes() == (tmp_path / "here.csv").read_bytes()
    assert "one worker" in there.stderr
    words = ("evaluate", "most-points", "perfect", "--card", CARD, "--json")
    here, there = run(*words), run(*words, "--workers", "1")
    assert there.stdout == here.stdout
    titles = [json.loads(line)["title"] for line in there.stdout.splitlines()]
    assert titles == ["The most points in each turn", "Perfect play"]


@pytest.mark.parametrize("games", [1, 7, 8])
def test_the_games_of_a_program_are_as_many_as_asked_for(forced: Strategy, tmp_path: Path, games: int) -> None:
    """Also where they cannot be divided evenly; each game once, with the dice of its number."""
    late = " ".join(f"{box.id}=0" for box in forced.rules.categories[:-1])
    command, here = program(tmp_path, forced, games, late, forced.rules.categories[-1].id)
    reports: list[tuple[int, int]] = []
    there = sample_on(EngineHere(), command, forced, games, 5, late, progress=lambda *step: reports.append(step))  # type: ignore[arg-type]
    assert all(map(np.array_equal, ARRAYS(here), ARRAYS(there)))
    assert reports[-1] == (games, games)


def test_titles_name_the_files_as_given(forced: Strategy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers get the whole path; what they find belongs to the policy that was asked for."""
    np.save(tmp_path / "guess.npy", np.random.default_rng(1).uniform(0, 50, len(forced.table)))
    monkeypatch.chdir(tmp_path)
    names = ["guess.npy", "perfect", str(tmp_path / "guess.npy")]
    found = {number: (title, each.mean) for number, title, each in evaluate_on(EngineHere(), names, forced.rules)}  # type: ignore[arg-type]
    assert [found[number][0] for number in range(3)] == ["guess.npy", "Perfect play", names[2]]
    assert found[0][1] == found[2][1] < found[1][1] == pytest.approx(forced.value())
