"""Stored games of two players: every position against fractions, resumed, damaged, and asked by all entrances."""

from __future__ import annotations

import json
from contextlib import suppress
from fractions import Fraction
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import perfect_yatzy
import pytest
from perfect_yatzy import RuleSet, State, TableError, ValueFunction, computer_player, versus
from perfect_yatzy.game.rules import Bonus
from perfect_yatzy.model.objectives import FRAME
from perfect_yatzy.service.budget import SolveBudget
from perfect_yatzy.strategy import two_player_table, two_players
from perfect_yatzy.strategy.turn_evaluator import TurnEvaluator
from perfect_yatzy.strategy.two_player_table import stored_game
from perfect_yatzy.strategy.two_players import LeadEvaluator, TwoPlayerGame
from perfect_yatzy.tablebase.backward_induction import solve_values
from perfect_yatzy.tablebase.store import leftovers
from support import games
from support.command import Run, printed
from support.mechanics import random_rules
from support.naive_objectives import NaiveDuel
from support.refusals import load_text, refused
from support.seeds import FULL

ERROR = 2e-5  # that the README states
FORCED = "yatzy-forced"
PAIRS = 40


def files(folder: Path) -> dict[str, bytes]:
    return {f"{path.parent.name}/{path.name}": path.read_bytes() for path in sorted(folder.glob("*.shards/*"))}


def points_made(oracle: NaiveDuel) -> dict[tuple[int, int, bool], set[int]]:
    """Some sums of points by card (filled, upper, flag), without bonuses."""
    found = {(0, 0, False): {0}}
    for filled in range(oracle.full_mask.bit_count()):
        for card in [card for card in found if card[0].bit_count() == filled]:
            for dice, _chance in oracle.rolls():
                for box, (points, _bonus) in oracle.scores(card[0], card[2], dice).items():
                    found.setdefault(oracle.after(*card, box, points), set()).update(n + points for n in found[card])
    return found


@pytest.mark.parametrize(
    "rules",
    [
        games.small(games.face(1), games.face(2), games.PAIR, faces=2, rolls=2, bonus=Bonus(3, 4)),
        *(random_rules(seed, boxes=2) for seed in (0, 1)),
        *(pytest.param(random_rules(seed, boxes=2), marks=FULL) for seed in range(2, 10)),
    ],
    ids=lambda rules: rules.key,
)
@pytest.mark.parametrize("ties", ["loss", "half", "win"])
def test_every_position_of_a_stored_game_against_fractions(rules: RuleSet, ties: str, tmp_path: Path) -> None:
    """The start of each turn, and the best of its options; `ties` is what a tie counts for the one who moves first."""
    share = {"loss": Fraction(0), "half": Fraction(1, 2), "win": Fraction(1)}[ties]
    assert versus(rules, ties=ties, tables=tmp_path, store=True) == versus(rules, ties=ties)
    oracle = NaiveDuel(rules.canonical(), (0, 0, 0, False), 1 - share)
    cards, boxes, made = list(oracle.states()), len(rules.categories), points_made(oracle)
    means, asked = TurnEvaluator(rules, solve_values(rules)), 0
    pairs = [
        (mine, theirs, behind)
        for mine, theirs in product(cards, repeat=2)
        if mine[0].bit_count() < boxes and (behind := theirs[0].bit_count() - mine[0].bit_count()) in (0, 1)
    ]
    for mine, theirs, behind in Random(27).sample(pairs, min(len(pairs), PAIRS)):
        states = State(*mine), State(*theirs)
        own = share if behind == 0 else 1 - share  # the second player moves if the other has filled a box more
        totals = [made[filled, upper, flag] for filled, upper, _saved, flag in (mine, theirs)]
        for lead in {a - b for a, b in product(*(sorted(each)[:: len(each) // 2 or 1] for each in totals))}:
            rest = TwoPlayerGame(rules, states, lead, float(own))
            table = stored_game(rest, tmp_path)
            assert table
            evaluator = LeadEvaluator(rest, means, *table.turn_values(rest)).at(lead)
            exact = oracle.against(theirs).chance(mine, lead)
            assert abs(evaluator.value(states[0]) - exact) < ERROR
            assert abs(evaluator.turn_value(states[0]) - exact) < ERROR
            asked += 1
    assert asked >= boxes


def test_every_stored_chance_is_near_the_solved_one_and_certain_only_if_that_is(tmp_path: Path) -> None:
    game = TwoPlayerGame(perfect_yatzy.load_rules(FORCED))
    versus(FORCED, tables=tmp_path, store=True)
    table, tiny = stored_game(game, tmp_path), 0
    assert table
    for begin, layer in zip(table.begins, game.solve(), strict=True):
        solved = layer.values[:-FRAME]
        stored = table.values[begin : begin + len(solved)] / 65535
        assert np.abs(stored - solved).max() < ERROR
        assert np.array_equal(stored > 0, solved > 0)
        assert np.array_equal(stored < 1, solved < 1)
        tiny += int(((solved > 0) & (solved < 7e-6)).sum())
    assert tiny > 100


def test_a_stored_game_has_the_same_bits_however_it_was_solved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On one and three threads, and resumed after it was killed; unfinished files are leftovers."""
    rules = games.seven_boxes()
    chances = [versus(rules, threads=n, tables=tmp_path / str(n), store=True) for n in (1, 3)]
    assert chances[0] == chances[1] == versus(rules)
    one, three = files(tmp_path / "1"), files(tmp_path / "3")
    assert len(one) == 3 * 15  # one shard for each layer of the games in which a tie is a loss, a half and a win
    assert one == three

    def killed(done: int, total: int) -> None:
        if done > total / 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(two_players, "CHECKPOINT_SECONDS", 0.0)
    with pytest.raises(KeyboardInterrupt):
        versus(rules, tables=tmp_path, store=True, progress=killed)
    assert [path.suffixes for path in leftovers(tmp_path)] == [[".part", ".shards"]]
    resumed = list[float]()
    report = lambda done, total: resumed.append(done / total)  # noqa: E731
    assert versus(rules, tables=tmp_path, store=True, progress=report) == chances[0]
    assert resumed == sorted(resumed)
    assert resumed[0] > 0.45
    assert resumed[-1] == 1
    assert files(tmp_path) == one
    assert not leftovers(tmp_path)
    assert versus(rules, tables=tmp_path, store=True, progress=lambda *_: pytest.fail("solved again")) == chances[0]
    monkeypatch.setattr(two_player_table, "SHARD", 20_001)
    versus(rules, tables=tmp_path / "many", store=True)
    assert len(files(tmp_path / "many")) > 60
    rest = TwoPlayerGame(rules, (State(1), State(1)))
    tables = [stored_game(rest, tmp_path / name) for name in ("1", "many")]
    found = [table.turn_values(rest) for table in tables if table]
    assert found[0][1].tobytes() == found[1][1].tobytes()


def test_a_damaged_stored_game_is_an_error_and_never_an_answer(tmp_path: Path) -> None:
    """A flipped bit in each file, and a file that is cut or gone."""
    versus(FORCED, tables=tmp_path, store=True)
    (sidecar,), shards = tmp_path.glob("*-versus-*.json"), sorted(tmp_path.glob("*-versus-*.shards/*"))
    rest = TwoPlayerGame(perfect_yatzy.load_rules(FORCED))

    def ask() -> list[bytes]:
        found = stored_game(rest, tmp_path)
        assert found
        offsets, values = found.turn_values(rest)
        return [part.tobytes() for part in (*offsets, values)]

    right, random = ask(), np.random.default_rng(27)
    for path in (sidecar, *shards[-2:]):
        intact = path.read_bytes()
        for bit in range(8):
            content = bytearray(intact)
            content[int(random.integers(len(content)))] ^= 1 << bit
            path.write_bytes(content)
            with suppress(TableError):
                assert ask() == right
        path.write_bytes(intact[: len(intact) // 2])
        refused("rebuild it with: yatzy versus yatzy-forced --store", ask, error=TableError)
        path.write_bytes(intact)
    shards[-2].unlink()
    refused("missing", ask, error=TableError)
    versus(FORCED, tables=tmp_path, store=True)  # solves it again
    assert ask() == right
    mean = ValueFunction(FORCED, lambda states: 0.0 * states.upper)
    refused("only a whole game that both play to win", versus, FORCED, mean, store=True)
    refused("only a whole game that both play to win", versus, FORCED, cards=("ones=3", "ones=3"), store=True)


@pytest.mark.full
def test_all_entrances_answer_from_a_stored_game(run: Run, tmp_path: Path) -> None:
    """Command and computer player, whoever moves, as from a solve: that is what happens without the option."""
    rules = load_text(tmp_path, f'extends = "{FORCED}"\n')
    box, folders = rules.categories[0].id, (tmp_path / "stored", tmp_path / "other")

    def answers(tables: Path) -> tuple[list[float], list[Any]]:
        """Chances, and what is said beside them."""
        chances, others = list[float](), list[Any]()
        for query, *dice in (("expect",), ("hold", "33456"), ("score", "33456")):
            for theirs in ("empty", f"{box}=0"):
                asked = "--rules", str(rules.origin), "--versus", theirs, "--tables", str(tables), "--json"
                answer = json.loads(printed(run, query, *dice, *asked))
                chances.append(answer["chance"])
                others.append(
                    (answer["aim"], answer.get("best", {}).get("hold"), answer.get("best", {}).get("category"))
                )
        computer = computer_player(rules, "win", tables)
        return chances, [*others, *(computer.choose("", "33456", 2, others=[card]) for card in ("", f"{box}=0"))]

    store = "versus", str(rules.origin), "--store", "--tables", str(folders[0])
    assert "on the disk" in printed(run, *store, "--estimate")
    (chances, others), shown = answers(folders[1]), printed(run, *store, "--yes", "--json")
    assert json.loads(shown)["first"] == [[versus(rules).first]]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TwoPlayerGame, "solve", lambda *_: pytest.fail("solved again"))
        patch.setattr(SolveBudget, "announces", lambda *_: True)  # what takes longer is left out
        found = answers(folders[0])
    assert found == (pytest.approx(chances, abs=ERROR), others)
