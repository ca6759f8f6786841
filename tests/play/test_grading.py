"""Many recorded games at once: the same figures as the review of each, and the same games accepted."""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import copy, deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import perfect_yatzy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from perfect_yatzy import RuleSet, Strategy, rate
from perfect_yatzy.game.rule_loader import load_rules, rules_to_json
from perfect_yatzy.play.grading import GameColumns, GradedGames, grade_games
from perfect_yatzy.play.record import Game, read_game
from perfect_yatzy.play.review import review
from perfect_yatzy.play.simulated_records import simulated_records
from perfect_yatzy.strategy.turn_evaluator import TurnEvaluator
from perfect_yatzy.tablebase.backward_induction import solve_values
from support.games import CHANCE, PAIR, rule_sets, saved_rolls_game, small
from support.human import human, replay
from support.players import wrong_by
from support.refusals import refused
from support.seeds import FULL

# Each box twice: of equal categories the first is taken, also where crossing out is restricted.
TWINS = small(
    *(replace(box, id=f"{box.id}-{i}") for box in (PAIR, CHANCE) for i in (1, 2)),
    faces=3, rolls=2, crossing_out="only-if-nothing-scores",
)  # fmt: skip


def graded(strategy: Strategy, games: list[Game], threads: int = 1) -> GradedGames:
    columns = GameColumns(strategy.rules)
    for number, game in enumerate(games):
        assert columns.add(number, json.loads(json.dumps(game.to_json())))
    return grade_games(strategy, columns, threads)


def check_against_reviews(strategy: Strategy, games: list[Game]) -> None:
    """Every loss, every roll's luck and every result, against single queries."""
    found = graded(strategy, games)
    losses = found.hold_loss.copy()
    ends = np.append(found.turn_of_roll[1:] != found.turn_of_roll[:-1], True)
    losses[ends] += found.category_loss
    for number, game in enumerate(games):
        expected, own = review(strategy, game), found.card_of_roll == number
        assert found.start == expected.start
        assert found.results[number] == pytest.approx(expected.result, abs=1e-9)
        assert found.finished[number] == expected.finished
        assert losses[own] == pytest.approx([decision.loss for decision in expected.decisions], abs=1e-9)
        assert found.luck[own] == pytest.approx([roll.luck for roll in expected.roll_luck], abs=1e-9)
        best = [strategy.categories(*last)[0].category for last in last_rolls(game)]
        taken = found.card_of_turn == number
        no_loss = found.category_loss[taken] == 0
        ids = [category.id for category in game.rules.categories]
        assert [ids[c] for c in found.category[taken]] == [turn.category for turn in game.turns]
        for c, name, tied in zip(found.best_category[taken], best, no_loss, strict=True):
            assert ids[c] == name or tied


def last_rolls(game: Game) -> list[tuple[Any, Any, int]]:
    rolls = game.rules.rolls_per_turn
    return [
        (card, turn.dice_history[-1], rolls + card.saved - len(turn.dice_history)) for card, turn in game.cards(0)
    ]


MANY = {"yatzy": 150, "yahtzee": 150, "generala": 100, "yatzy-saved": 100, "maxi-forced": 10, "maxi": 3}


@pytest.mark.parametrize(
    ("key", "games", "first"),
    [
        ("yatzy", 5, 0), ("yahtzee", 5, 0), ("yahtzee-free-joker", 4, 0), ("generala", 4, 0), ("yatzy-forced", 4, 0),
        pytest.param("yatzy-saved", 4, 0, marks=FULL),
        *(pytest.param(key, games, 100, marks=pytest.mark.slow) for key, games in MANY.items()),
    ],
)  # fmt: skip
def test_values_are_those_of_the_reviews(key: str, games: int, first: int) -> None:
    strategy = perfect_yatzy.open_strategy(key)
    numbers = range(first, first + games)
    check_against_reviews(strategy, [human(strategy, i) if i % 4 else replay(strategy, 3, i) for i in numbers])


@given(rules=rule_sets(), seed=st.integers(0, 10**6))
@settings(max_examples=25)
def test_values_are_those_of_the_reviews_under_random_rules(rules: RuleSet, seed: int) -> None:
    strategy = Strategy(rules, None, TurnEvaluator(rules, solve_values(rules)))
    check_against_reviews(strategy, [human(strategy, seed + i) for i in range(3)])


def test_several_players_unfinished_games_and_threads(yatzy: Strategy) -> None:
    games = [human(yatzy, seed) for seed in range(4)]
    turns = tuple(turn for pair in zip(games[0].turns, games[1].turns, strict=True) for turn in pair)
    turns = tuple(replace(turn, player=i % 2) for i, turn in enumerate(turns))
    together = Game(yatzy.rules, ("Ann", "Bo"), turns[:-1])
    found, apart = graded(yatzy, [together]), graded(yatzy, games[:2])
    assert found.finished.tolist() == [True, False]
    n = len(found.luck)
    assert n < len(apart.luck)
    assert np.array_equal(found.luck, apart.luck[:n])
    assert np.array_equal(found.hold_loss, apart.hold_loss[:n])
    many = [human(yatzy, seed) for seed in range(30)]
    one, two = (graded(yatzy, many, threads) for threads in (1, 2))
    assert all(np.array_equal(a, b) for a, b in zip(vars(one).values(), vars(two).values(), strict=True))


def test_no_games_are_no_error_and_other_rules_are_refused(yatzy: Strategy, forced: Strategy) -> None:
    found = grade_games(yatzy, GameColumns(yatzy.rules))
    assert len(found.results) == len(found.luck) == 0
    refused("played by yatzy, but the strategy is for yatzy-forced", grade_games, forced, GameColumns(yatzy.rules))


def damaged(raw: dict[str, Any], draw: Any) -> dict[str, Any]:
    """A record with one change: often still correct, sometimes only almost."""
    raw = deepcopy(raw)
    turn, other = draw(st.sampled_from(raw["turns"])), draw(st.sampled_from(raw["turns"]))
    what = draw(st.sampled_from(["rolls", "holds", "category", "points", "player", "bonus_points", "swap"]))
    if what in ("rolls", "holds") and turn[what]:
        dice = draw(st.sampled_from(turn[what]))
        action = draw(st.sampled_from(["shuffle", "change", "shorten", "lengthen"]))
        if action == "shuffle":
            dice[:] = draw(st.permutations(dice))
        elif dice and action == "change":
            dice[draw(st.integers(0, len(dice) - 1))] = draw(st.integers(0, 7))
        elif dice and action == "shorten":
            dice.pop()
        else:
            dice.append(draw(st.integers(0, 7)))
    elif what == "category":
        turn["category"] = draw(st.sampled_from([other["category"], "sevens"]))
    elif what in ("points", "player", "bonus_points"):
        turn[what] = draw(st.integers(-1, 60))
    else:
        turn["rolls"], other["rolls"] = other["rolls"], turn["rolls"]
    return raw


@pytest.mark.parametrize(
    "rules",
    ["yatzy", "yahtzee", saved_rolls_game("free", True), pytest.param("yatzy-saved", marks=FULL)],
    ids=lambda rules: getattr(rules, "key", rules),
)
def test_what_is_taken_is_what_read_game_takes(rules: str | RuleSet) -> None:
    """Directly, or after read_game has read it in another form; and a card without fault is a correct one."""
    strategy = perfect_yatzy.open_strategy(rules)
    games = [human(strategy, seed).to_json() for seed in range(3)]

    @given(data=st.data())
    @settings(max_examples=80)
    def check(data: st.DataObject) -> None:
        raw = damaged(data.draw(st.sampled_from(games)), data.draw)
        try:
            correct = read_game(deepcopy(raw))
        except ValueError:
            correct = None
        columns = GameColumns(strategy.rules)
        taken = columns.add(0, raw)
        if taken:
            assert (grade_games(strategy, columns).faults[0] < 0) == (correct is not None)
        elif correct is not None:
            assert columns.add_game(0, correct)
            assert grade_games(strategy, columns).faults.tolist() == [-1]

    check()


WRONG = [None, True, False, 0, 1, 1.0, -1, 10**30, "", "x", "3", [], [1], [[]], {}, {"a": 1}]


def changed(value: Any) -> Iterator[Any]:
    """A JSON value with one part replaced by a value of each type or left out: each field, the first two of a list."""
    yield from WRONG
    if isinstance(value, dict | list):
        for place in [*value] if isinstance(value, dict) else range(min(2, len(value))):
            left_out = copy(value)
            del left_out[place]
            yield left_out
            for part in changed(value[place]):
                other = copy(value)
                other[place] = part
                yield other


def test_rate_and_read_game_take_the_same_records(yatzy: Strategy, tmp_path: Path) -> None:
    """Every field of a record with values of every type: refused by both, with one reason, or by neither."""
    jokers = [
        {"player": 0, "rolls": [[1, 5, 5, 5, 5], [5] * 5], "holds": [[5] * 4], "category": "yahtzee", "points": 50},
        {"player": 0, "rolls": [[4] * 5], "holds": [], "category": "fours", "points": 20},
    ]
    paid = {"bonus_points": 100}
    own = rules_to_json(replace(load_rules("yahtzee"), rolls_per_turn=2))
    assert isinstance(own, dict)
    bases: list[dict[str, Any]] = [
        {"schema": 2, "rules": "yahtzee", "players": ["Ann"], "turns": [jokers[0], jokers[1] | paid], "date": "2026"},
        {"schema": 1, "rules": "yahtzee", "players": ["Ann"], "turns": [jokers[0], jokers[1] | {"beside": 100}]},
        {"schema": 2, "rules": own, "players": ["Ann", "Bo"], "turns": [turn | {"player": 1} for turn in jokers]},
    ]
    bases[2]["turns"][1] |= paid
    records = [*bases, bases[2] | {"rules": json.dumps(own)}]
    for base in bases:
        rest = {name: value for name, value in base.items() if name != "rules"}
        records += [{"rules": base["rules"]} | other for other in changed(rest) if isinstance(other, dict)]
    records += [bases[0] | {"rules": other} for other in WRONG] + WRONG
    lines = [*dict.fromkeys(json.dumps(record) for record in records)]
    path = tmp_path / "games.jsonl"
    path.write_text("\n".join(lines))
    expected = {}
    for number, line in enumerate(lines, start=1):
        try:
            read_game(json.loads(line))
        except ValueError as error:
            expected[number] = str(error)
    found = {int(s.place.rpartition(":")[2]): s.reason for s in rate(path).skipped if s.fault == "wrong"}
    assert len(lines) > 1000
    assert found == expected


SIMULATED = {
    "yatzy": "yatzy", "yahtzee": "yahtzee", "yatzy-forced": "yatzy-forced", "saved rolls": saved_rolls_game("free", True),
    "equal boxes": TWINS, "equal boxes, crossed out freely": replace(TWINS, crossing_out="free"),
}  # fmt: skip


@pytest.mark.parametrize(
    "rules", [*SIMULATED.values(), pytest.param("yatzy-saved", marks=FULL)], ids=[*SIMULATED, "yatzy-saved"]
)
def test_simulated_records_are_the_games_of_single_queries(rules: str | RuleSet) -> None:
    strategy = perfect_yatzy.open_strategy(rules)
    lines = [*simulated_records(strategy, 6, seed=3, threads=2)]
    assert lines == [json.dumps(replay(strategy, 3, game).to_json()) for game in range(6)]


@pytest.mark.parametrize("is_for_goal", [False, pytest.param(True, marks=FULL)], ids=["mean", "goal"])
def test_simulated_records_of_goals_and_other_players(forced: Strategy, is_for_goal: bool) -> None:
    """The decisions written down lead to the results of the simulation."""
    player = perfect_yatzy.reach("yatzy-forced", 180) if is_for_goal else wrong_by(forced, 3.0)
    games = [read_game(json.loads(line)) for line in simulated_records(player, 30, seed=4, player="Bo")]
    simulated = perfect_yatzy.simulate(player, 30, seed=4)
    assert graded(forced, games).results.tolist() == simulated.final_scores.tolist()
    assert games[0].players == ("Bo",)
