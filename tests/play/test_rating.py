"""Ratings of many games: known losses are covered, figures are those of the reviews, wrong games
stop nothing.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from copy import copy, deepcopy
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import perfect_yatzy
import pytest
from hypothesis import given
from hypothesis import strategies as st
from perfect_yatzy import Rating, Ratings, RulesError, RuleSet, Strategy, ValueFunction, rate
from perfect_yatzy.core.rules import Bonus
from perfect_yatzy.game.rule_loader import load_rules, rules_from_json, rules_to_json
from perfect_yatzy.play.rating import GRADE_NAMES, decision_kinds
from perfect_yatzy.play.record import Game, dated, read_game, simulated_records, write_games
from perfect_yatzy.play.review import GameColumns, GradedGames, grade_games, review
from perfect_yatzy.policies.evaluation import policy_mean
from perfect_yatzy.policies.levels import SoftPolicy, calibrated_level, parse_level
from perfect_yatzy.strategy.confidence import (
    difference_of,
    mean_of,
    ratio_of,
    slope_of,
    t_distribution,
    t_quantile,
)
from support.games import CHANCE, PAIR, face, joker_game, rule_sets, saved_rolls_game, small
from support.human import human, replay
from support.naive import Dice, Naive
from support.naive_objectives import mean_score
from support.naive_policies import NaivePolicy
from support.players import in_memory, with_values, wrong_by
from support.refusals import refused
from support.seeds import examples, in_rings, ring_2, ring_3


def write(path: Path, lines: Iterable[object]) -> Path:
    """A file with a line for each of these texts or JSON values."""
    path.write_text(
        "".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines)
    )
    return path


def rating_of(
    player: Strategy | SoftPolicy, strategy: Strategy, games: int, seed: int, folder: Path
) -> Rating:
    """The rating of simulated games of a player, through a file."""
    path = write(folder / f"{seed}.jsonl", simulated_records(player, games, seed))
    found = rate(path, strategies=lambda rules: strategy)
    assert found.skipped == ()
    return found.ratings[0]


def exact_mean(rules: RuleSet, player: Strategy) -> Fraction:
    """Mean result of a player in fractions: the oracle's dice and scoring, the decisions of
    single queries.
    """

    def choose(
        filled: int, upper: int, saved: int, flag: bool, dice: Dice, left: int, first: bool
    ) -> int | Dice:
        # those are among the rolls left
        saved = max(0, left - rules.rolls_per_turn + 1) if rules.saved_rolls else 0
        state = perfect_yatzy.State(filled, upper, saved, flag)
        held = player.holds(state, dice, left)[0] if left else None
        if held and not held.category:
            return held.dice
        return rules.index_of[player.categories(state, dice, left)[0].category]

    return mean_score(NaivePolicy(rules.canonical(), choose).distribution())  # type: ignore[no-any-return]


SMALL = [
    ring_2(small(face(5), face(6), PAIR, CHANCE, bonus=Bonus(16, 7)), id="plain"),
    ring_2(saved_rolls_game("free", True), id="saved rolls"),
    pytest.param(joker_game("forced"), id="jokers"),
]


@pytest.mark.parametrize("rules", SMALL)
def test_the_interval_covers_the_exact_loss_on_small_games(rules: RuleSet, tmp_path: Path) -> None:
    """In 95 % of the samples, for a player whose loss is known in fractions."""
    strategy = in_memory(rules)
    player = wrong_by(strategy, 1.0)
    loss = float(Naive(rules.canonical()).value(0, 0) - exact_mean(rules, player))
    assert loss > 0.1
    covered = 0
    for seed in range(20):
        found = rating_of(player, strategy, 250, seed, tmp_path)
        assert found.result_without_luck.value == pytest.approx(
            found.start - found.points_lost.value
        )
        covered += found.points_lost.low <= loss <= found.points_lost.high
    assert covered >= 17


@pytest.mark.full
def test_the_interval_covers_known_losses_in_yatzy(yatzy: Strategy, tmp_path: Path) -> None:
    """One who misjudges every card, one who takes the most points, and two who err at random: 6
    and 10 points a game.
    """
    greedy = with_values(yatzy, np.zeros(len(yatzy.values)))
    players: list[tuple[Strategy | SoftPolicy, float]] = [
        (player, yatzy.value() - policy_mean(ValueFunction(yatzy.rules, np.asarray(player.values))))
        for player in (wrong_by(yatzy, 2.0), greedy)
    ]
    assert 5 < players[0][1] < 7
    assert players[1][1] > 20
    levels = [calibrated_level(yatzy, parse_level(number)) for number in (5, 4)]
    assert [level.error for level in levels] == [0, 0]
    players += [(SoftPolicy(yatzy, level.temperature), level.points_lost) for level in levels]
    for (player, loss), narrower in zip(players, (10, 1, 15, 10), strict=True):
        found = rating_of(player, yatzy, 1000, 1, tmp_path)
        assert found.points_lost.low <= loss <= found.points_lost.high
        assert found.narrower > narrower
        assert found.result.half_width / found.result_without_luck.half_width == pytest.approx(
            found.narrower
        )


def test_perfect_play_loses_nothing(yatzy: Strategy, tmp_path: Path) -> None:
    found = rating_of(yatzy, yatzy, 50, 2, tmp_path)
    assert not found.figures.lost.any()
    assert not found.figures.errors.any()
    assert found.narrower is None
    assert re.fullmatch(
        r"<Rating .*, yatzy: 50 games, 0\.00 ± 0\.00 points lost a game>", repr(found)
    )
    assert repr(Ratings((found,), (), {})) == f"<Ratings: {found!r}; 0 games left out>"
    assert found.result_without_luck.value == pytest.approx(248.43998937785)


@pytest.mark.parametrize("key", ["yatzy", "yahtzee", ring_2("maxi-forced"), ring_2("yatzy-saved")])
def test_figures_are_the_sums_of_the_reviews(key: str) -> None:
    strategy = perfect_yatzy.open_strategy(key)
    games = [human(strategy, seed) for seed in range(in_rings(3, 6))]
    (found,) = rate(games).ratings
    figures = found.figures
    for number, game in enumerate(games):
        expected = review(strategy, game)
        assert figures.results[number] == expected.result
        assert figures.luck[number] == pytest.approx(expected.luck, abs=1e-9)
        assert figures.lost[number].sum() == pytest.approx(expected.points_lost, abs=1e-9)
        lost = [
            sum(d.loss for d in expected.decisions if d.turn == t + 1)
            for t in range(len(game.turns))
        ]
        assert figures.lost_by_turn[number] == pytest.approx(lost, abs=1e-9)
        points = {
            box.id: p
            for box, p in zip(found.rules.categories, figures.category_points[number], strict=True)
        }
        assert points == {turn.category: turn.points for turn in game.turns}
        last = [d for d in expected.decisions if d.rolls_left == 0]
        assert figures.decisions[number].tolist()[-1] == len(last)
        assert figures.decisions[number].sum() == len(expected.decisions)
        assert figures.lost[number, -1] == pytest.approx(sum(d.loss for d in last), abs=1e-9)
        assert figures.errors[number].tolist() == [expected.counts()[name] for name in GRADE_NAMES]
        assert figures.lost_by_taking[number].sum() >= figures.lost[number, -1] - 1e-9
    assert figures.lost_by_taking.sum(axis=1) == pytest.approx(figures.lost_by_leaving.sum(axis=1))
    assert decision_kinds(perfect_yatzy.load_rules("yatzy-saved")) == (
        "hold_1",
        "hold_2",
        "hold_3",
        "category",
    )
    assert (figures.decisions[:, -1] < len(games[0].turns)).any()  # somebody stops early
    assert found.start + figures.luck - found.lost_by_game == pytest.approx(
        figures.results, abs=1e-9
    )
    assert sum(found.kind_lost(i)[0].value for i in range(len(found.kinds))) == pytest.approx(
        found.points_lost.value
    )


@pytest.fixture
def mixed(yatzy: Strategy, tmp_path: Path) -> Path:
    """A file with games of two players and two rule sets, and everything that cannot be rated."""
    path = tmp_path / "games.jsonl"
    games, forced = (
        [human(yatzy, seed) for seed in range(4)],
        perfect_yatzy.open_strategy("yatzy-forced"),
    )
    write_games(path, [*games, human(forced, 1), replace(games[0], players=("Bo",))])
    wrong = games[1].to_json()
    wrong["turns"][0]["points"] += 1
    results = {"schema": 2, "rules": "yatzy", "players": ["Ann", "Cy"], "final_scores": [201, 250]}
    boxes = games[2].to_json()
    boxes["turns"] = [
        {name: turn[name] for name in ("player", "category", "points")} for turn in boxes["turns"]
    ]
    unfinished = Game(yatzy.rules, ("Ann",), games[3].turns[:9]).to_json()
    unknown = games[3].to_json() | {"rules": "yatzi"}
    more = (wrong, games[0].to_json(), results, boxes, unfinished, unknown, "{")
    return write(path, [*path.read_text().splitlines(), *more])


def test_what_cannot_be_rated_is_listed_and_stops_nothing(mixed: Path, yatzy: Strategy) -> None:
    found = rate(mixed)
    assert [(r.player, r.rules.key, r.games) for r in found.ratings] == [
        ("Ann", "yatzy", 4),
        ("Bo", "yatzy", 1),
        ("Ann", "yatzy-forced", 1),
    ]
    assert [(s.place.rpartition(":")[2], s.fault) for s in found.skipped] == [
        ("7", "wrong"),
        ("8", "duplicate"),
        ("9", "results"),
        ("10", "results"),
        ("11", "unfinished"),
        ("12", "wrong"),
        ("13", "wrong"),
    ]
    reasons = [s.reason for s in found.skipped]
    assert reasons[0].startswith("turn 1: ")
    assert reasons[1] == f"the same game as {mixed}:1"
    assert reasons[5].startswith("unknown rules 'yatzi'")
    third = review(yatzy, read_game(json.loads(mixed.read_text().splitlines()[2]))).result
    assert found.of("ann", "yatzy").other_results.tolist() == [201, third]
    assert {key: results.tolist() for key, results in found.results_only.items()} == {
        ("yatzy", "Cy"): [250]
    }
    refused(r"more than one rating of 'ann'; the ratings: Ann \(yatzy\), Bo", found.of, "ann")
    refused("no rating of 'Dan'", found.of, "Dan")


def test_rules_that_cannot_be_solved_are_a_reason(mixed: Path, yatzy: Strategy) -> None:
    def only_yatzy(rules: RuleSet) -> Strategy:
        if rules.key != "yatzy":
            raise RulesError("too large")
        return yatzy

    found = rate(mixed, strategies=only_yatzy)
    skipped = [(s.place.rpartition(":")[2], s.reason) for s in found.skipped if s.fault == "rules"]
    assert skipped == [("5", "too large")]
    assert [r.player for r in found.ratings] == ["Ann", "Bo"]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (
            {"final_scores": [201]},
            "final_scores is [201]; must be a list with one number for each player",
        ),
        (
            {"final_scores": [201, 1.5]},
            "final_scores has 1.5; must be whole numbers from 0 to 99,999",
        ),
        (
            {"players": ["Ann\n", "Bo"]},
            "'Ann\\n' is not a valid player name: it contains characters that",
        ),
        (
            {"turns": [{"category": "ones", "points": 7}]},
            "ones cannot hold 7; it can hold 0, 1, 2, 3, 4, 5",
        ),
        (
            {"turns": [{"category": "ones", "points": 2}]},
            "it is unfinished, and its dice and holds are not recorded",
        ),
        ({"turns": [{"category": "ones", "points": 2}] * 2}, "turn 2: ones is filled already"),
        (
            {"turns": [{"category": "ones", "points": "2"}]},
            "turn 1: points is '2'; must be a whole number",
        ),
        ({"turns": [{"category": "sevens", "points": 2}]}, "turn 1: unknown category 'sevens'"),
        (
            {"turns": [{"player": 2, "category": "ones", "points": 2}]},
            "turn 1: player is 2; there are 2",
        ),
        ({"turns": [3]}, "turn 1: a turn is a JSON object"),
        ({"turns": 3}, "turns is 3; must be a list"),
        ({"schema": 5}, "the schema is 5, not 1 or 2"),
    ],
)
def test_wrong_results_are_listed_with_the_reason(
    change: dict[str, Any], reason: str, tmp_path: Path
) -> None:
    raw = {
        "schema": 2,
        "rules": "yatzy",
        "players": ["Ann", "Bo"],
        "final_scores": [201, 250],
    } | change
    (skipped,) = rate(write(tmp_path / "games.jsonl", [raw])).skipped
    assert (skipped.fault, skipped.reason[: len(reason)]) == ("wrong", reason)


def test_files_that_are_no_records_are_errors(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    for text, message in (
        ("", "contains no games"),
        ("id = 1\n", "is not a record of games"),
        ("\xff", "is not"),
    ):
        path.write_text(text, encoding="latin-1")
        refused(message, rate, path)
    refused("cannot read", rate, tmp_path / "none.jsonl")
    refused("confidence is 95", lambda: rate(path, confidence=95))


def test_one_wrong_player_leaves_the_whole_game_out(yatzy: Strategy, tmp_path: Path) -> None:
    raw, path = in_turns(human(yatzy, 1), human(yatzy, 2)).to_json(), tmp_path / "games.jsonl"
    assert [r.player for r in rate(write(path, [raw])).ratings] == ["Ann", "Bo"]
    raw["turns"][-1]["points"] += 1
    found = rate(write(path, [raw]))
    assert found.ratings == ()
    assert [(s.fault, s.reason.partition(":")[0]) for s in found.skipped] == [("wrong", "turn 30")]


def test_chunks_give_the_same_ratings(
    yatzy: Strategy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "games.jsonl", simulated_records(wrong_by(yatzy, 2.0), 60, 1))
    whole = rate(path).ratings[0]
    monkeypatch.setattr("perfect_yatzy.play.rating_input.CHUNK", 7)
    parts = rate([path], threads=1).ratings[0]
    assert whole.places == parts.places
    figures = zip(vars(whole.figures).values(), vars(parts.figures).values(), strict=True)
    assert all(np.array_equal(a, b) for a, b in figures)


def test_games_are_ordered_by_their_dates_if_all_have_one(yatzy: Strategy) -> None:
    days = ["2026-03-01", "2026-01-05T10:00:00+01:00", "2026-02-01"]
    games = [
        Game(yatzy.rules, ("Ann",), human(yatzy, i).turns, {"date": day})
        for i, day in enumerate(days)
    ]
    (found,) = rate(games).ratings
    assert (found.dates, found.places) == (
        (days[1], days[2], days[0]),
        ("game 2", "game 3", "game 1"),
    )
    assert found.figures.results.tolist() == [review(yatzy, games[i]).result for i in (1, 2, 0)]
    (block,) = found.blocks(5)
    assert (block.first_date, block.last_date) == (days[1], days[0])
    games[1] = Game(yatzy.rules, ("Ann",), games[1].turns, {"date": "yesterday"})
    (found,) = rate(games).ratings
    assert (found.dates, found.places) == ((None, None, None), ("game 1", "game 2", "game 3"))
    assert dated(games[0]).extra["date"] > "2026"


def test_blocks_and_trend(yatzy: Strategy, tmp_path: Path) -> None:
    lines = [
        *simulated_records(wrong_by(yatzy, 4.0), 40, 1),
        *simulated_records(wrong_by(yatzy, 1.0), 40, 2),
    ]
    (found,) = rate(write(tmp_path / "games.jsonl", lines)).ratings
    parts = found.blocks()
    assert [(part.first, part.last) for part in parts] == [
        (1 + 8 * i, 8 + 8 * i) for i in range(10)
    ]
    assert [(part.first, part.last) for part in found.blocks(30)] == [(1, 30), (31, 80)]
    assert [(part.first, part.last) for part in found.blocks(500)] == [(1, 80)]
    assert parts[0].points_lost.value == pytest.approx(found.lost_by_game[:8].mean())
    assert found.trend.high < 0
    refused("size is 0", found.blocks, 0)


def test_players_are_compared_without_luck(yatzy: Strategy, tmp_path: Path) -> None:
    perfect = in_memory(rules := small(face(6), PAIR, CHANCE))
    better, worse = wrong_by(perfect, 0.5), wrong_by(perfect, 3.0)
    exact = float(exact_mean(rules, better) - exact_mean(rules, worse))
    ratings = [
        rating_of(player, perfect, 300, seed, tmp_path)
        for seed, player in ((1, better), (2, worse))
    ]
    found, back = ratings[0].versus(ratings[1]), ratings[1].versus(ratings[0])
    assert found.advantage.low <= exact <= found.advantage.high
    assert found.advantage.chance < 1e-6
    assert back.advantage.value == -found.advantage.value
    assert found.advantage.half_width < found.results.half_width / 4
    assert found.results.low <= exact <= found.results.high
    refused(
        "mean played small, Ann played yatzy", ratings[0].versus, rate(human(yatzy, 1)).ratings[0]
    )


# Percentage points of Student's t, as printed in every table: degrees of freedom -> 95 % and 99 %
# two-sided.
PUBLISHED = {
    1: (12.706, 63.657),
    2: (4.303, 9.925),
    3: (3.182, 5.841),
    5: (2.571, 4.032),
    10: (2.228, 3.169),
    30: (2.042, 2.750),
    60: (2.000, 2.660),
    120: (1.980, 2.617),
    10**6: (1.960, 2.576),
}


@pytest.mark.parametrize("freedom", PUBLISHED)
def test_quantiles_are_those_of_the_tables(freedom: int) -> None:
    assert (t_quantile(0.975, freedom), t_quantile(0.995, freedom)) == pytest.approx(
        PUBLISHED[freedom], abs=6e-4
    )
    for t in (0.0, 0.3, 2.0, 40.0):
        assert t_distribution(t, freedom) + t_distribution(-t, freedom) == pytest.approx(
            1, abs=1e-12
        )
    for t in (0.1, 1.0, 5.0, 300.0):  # one and two degrees of freedom are elementary
        assert t_distribution(t, 1) == pytest.approx(0.5 + np.arctan(t) / np.pi, abs=1e-12)
        assert t_distribution(t, 2) == pytest.approx(0.5 + t / (2 * np.sqrt(2 + t * t)), abs=1e-12)


def covers(found: Sequence[Any], truth: float, confidence: float = 0.95) -> bool:
    """Whether intervals cover the truth as often as they say."""
    share = np.mean([each.low <= truth <= each.high for each in found])
    return bool(share == pytest.approx(confidence, abs=0.015))


def test_intervals_cover_as_often_as_they_say() -> None:
    generator = np.random.default_rng(1)
    for size, confidence in ((5, 0.95), (40, 0.9)):
        assert covers(
            [mean_of(generator.normal(3, 2, size), confidence) for _ in range(2000)], 3, confidence
        )
    # Losses are never negative and most of them are small.
    assert covers([mean_of(generator.exponential(5, 200)) for _ in range(2000)], 5)
    counts = generator.integers(30, 45, (2000, 100))
    assert covers([ratio_of(generator.poisson(0.2 * row), row) for row in counts], 0.2)
    generator = np.random.default_rng(3)
    assert covers(
        [slope_of(generator.normal(0, 1, 20) + 0.1 * np.arange(20)) for _ in range(2000)], 0.1
    )
    exact = slope_of(3.0 - 0.5 * np.arange(10))
    assert (exact.value, exact.half_width) == (pytest.approx(-0.5), pytest.approx(0, abs=1e-9))


def test_a_difference_of_unequal_variances() -> None:
    """Welch's formula written out, and how often the interval covers the truth."""
    first = [
        27.5,
        21.0,
        19.0,
        23.6,
        17.0,
        17.9,
        16.9,
        20.1,
        21.9,
        22.6,
        23.1,
        19.6,
        19.0,
        21.7,
        21.4,
    ]
    second = [
        27.1,
        22.0,
        20.8,
        23.4,
        23.4,
        23.5,
        25.8,
        22.0,
        24.8,
        20.2,
        21.9,
        22.1,
        22.9,
        30.5,
        24.4,
    ]
    found = difference_of(first, second)
    a, b = np.var(first, ddof=1) / 15, np.var(second, ddof=1) / 15
    freedom = (a + b) ** 2 / (a**2 / 14 + b**2 / 14)
    assert found.value == pytest.approx(np.mean(first) - np.mean(second))
    assert found.high - found.value == pytest.approx(t_quantile(0.975, freedom) * np.sqrt(a + b))
    assert found.chance == pytest.approx(2 * t_distribution(found.value / np.sqrt(a + b), freedom))
    generator = np.random.default_rng(2)
    both = [
        difference_of(generator.normal(0, 1, 12), generator.normal(0, 5, 30)) for _ in range(1000)
    ]
    assert covers(both, 0)
    assert np.mean([d.chance < 0.1 for d in both]) == pytest.approx(0.1, abs=0.02)


def test_small_and_constant_samples() -> None:
    assert vars(mean_of([4.0])) == {"value": 4.0, "low": None, "high": None, "size": 1}
    assert mean_of([4.0]).half_width is None
    assert vars(mean_of([4.0, 4.0])) == {"value": 4.0, "low": 4.0, "high": 4.0, "size": 2}
    assert ratio_of([0.0, 0.0], [0, 0]) is None
    assert difference_of([1.0], [2.0, 3.0]).low is None
    assert difference_of([1.0, 1.0], [1.0, 1.0]).chance == 1
    assert difference_of([1.0, 1.0], [2.0, 2.0]).chance == 0
    assert slope_of([1.0, 2.0]) is None
    refused("confidence is 1", mean_of, [1.0, 2.0], 1)


# Each box twice: of equal categories the first is taken, also where crossing out is restricted.
TWINS = small(
    *(replace(box, id=f"{box.id}-{i}") for box in (PAIR, CHANCE) for i in (1, 2)),
    faces=3,
    rolls=2,
    crossing_out="only-if-nothing-scores",
)


def graded(strategy: Strategy, games: list[Game], threads: int = 1) -> GradedGames:
    columns = GameColumns(strategy.rules)
    for number, game in enumerate(games):
        assert columns.add(number, json.loads(json.dumps(game.to_json())))
    return grade_games(strategy, columns, threads)


def in_turns(*games: Game) -> Game:
    """One game in which the players of these games play in turns."""
    rounds = zip(*(game.turns for game in games), strict=True)
    turns = tuple(replace(turn, player=i) for turns in rounds for i, turn in enumerate(turns))
    return Game(games[0].rules, ("Ann", "Bo", "Cy")[: len(games)], turns)


def test_several_players_unfinished_games_threads_and_no_games(
    yatzy: Strategy, forced: Strategy
) -> None:
    games = [human(yatzy, seed) for seed in range(in_rings(8, 30))]
    together = in_turns(*games[:2])
    found, apart = (
        graded(yatzy, [replace(together, turns=together.turns[:-1])]),
        graded(yatzy, games[:2]),
    )
    assert found.finished.tolist() == [True, False]
    n = len(found.luck)
    assert n < len(apart.luck)
    assert np.array_equal(found.luck, apart.luck[:n])
    assert np.array_equal(found.hold_loss, apart.hold_loss[:n])
    one, two = (graded(yatzy, games, threads) for threads in (1, 2))
    pairs = {name: (column, vars(two)[name]) for name, column in vars(one).items()}
    played = zip(*pairs.pop("played"), strict=True)  # columns of several lengths
    assert all(np.array_equal(a, b) for a, b in [*pairs.values(), *played])
    assert len(graded(yatzy, []).luck) == 0
    refused(
        "played by yatzy, but the strategy is for yatzy-forced",
        grade_games,
        forced,
        GameColumns(yatzy.rules),
    )


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
        assert losses[own] == pytest.approx(
            [decision.loss for decision in expected.decisions], abs=1e-9
        )
        assert found.luck[own] == pytest.approx(
            [roll.luck for roll in expected.roll_luck], abs=1e-9
        )
        most = game.rules.rolls_per_turn - 1
        ends = [
            (card, turn.dice_history[-1], most + card.saved - len(turn.holds))
            for card, turn in game.cards(0)
        ]
        best = [strategy.categories(*end)[0].category for end in ends]
        taken = found.card_of_turn == number
        no_loss = found.category_loss[taken] == 0
        ids = [category.id for category in game.rules.categories]
        assert [ids[c] for c in found.category[taken]] == [turn.category for turn in game.turns]
        for c, name, tied in zip(found.best_category[taken], best, no_loss, strict=True):
            assert ids[c] == name or tied


MANY = {
    "yatzy": 150,
    "yahtzee": 150,
    "generala": 100,
    "yatzy-saved": 100,
    "maxi-forced": 10,
    "maxi": 3,
}


@pytest.mark.parametrize(
    ("key", "games", "first"),
    [
        ("yatzy", 3, 0),
        ("yahtzee", 3, 0),
        ("generala", 4, 0),
        ("yatzy-forced", 4, 0),
        ring_2("yahtzee-free-joker", 4, 0),
        ring_2("yatzy-saved", 4, 0),
        *(ring_3(key, games, 100) for key, games in MANY.items()),
    ],
)
def test_values_are_those_of_the_reviews(key: str, games: int, first: int) -> None:
    strategy = perfect_yatzy.open_strategy(key)
    numbers = range(first, first + games)
    check_against_reviews(
        strategy, [human(strategy, i) if i % 4 else replay(strategy, 3, i) for i in numbers]
    )


@given(rules=rule_sets(), seed=st.integers(0, 10**6))
@examples(4, 50)
def test_values_are_those_of_the_reviews_under_random_rules(rules: RuleSet, seed: int) -> None:
    strategy = in_memory(rules)
    check_against_reviews(strategy, [human(strategy, seed + i) for i in range(3)])


def damaged(raw: dict[str, Any], random: Random) -> dict[str, Any]:
    """A record with one change: often still correct, sometimes only almost."""
    raw = deepcopy(raw)
    turn, other = random.choice(raw["turns"]), random.choice(raw["turns"])
    what = random.choice(["rolls", "holds", "category", "points", "player", "bonus_points", "swap"])
    if what in ("rolls", "holds") and turn[what]:
        dice, action = (
            random.choice(turn[what]),
            random.choice(["shuffle", "change", "shorten", "lengthen"]),
        )
        if action == "shuffle":
            random.shuffle(dice)
        elif dice and action == "change":
            dice[random.randrange(len(dice))] = random.randrange(8)
        elif dice and action == "shorten":
            dice.pop()
        else:
            dice.append(random.randrange(8))
    elif what == "category":
        turn["category"] = random.choice([other["category"], "sevens"])
    elif what in ("points", "player", "bonus_points"):
        turn[what] = random.randrange(-1, 61)
    else:
        turn["rolls"], other["rolls"] = other["rolls"], turn["rolls"]
    return raw


WRONG = [None, True, False, 0, 1, 1.0, -1, 10**30, "", "x", "3", [], [1], [[]], {}, {"a": 1}]


def changed(value: Any) -> Iterator[Any]:
    """A JSON value with one part replaced by a value of each type or left out: each field, the
    first two of a list.
    """
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


def assert_taken_alike(records: Iterable[object], path: Path) -> None:
    """A record is refused by `rate` and by `read_game`, with one reason, or by neither."""
    lines, expected = [*dict.fromkeys(json.dumps(record) for record in records)], {}
    read_rules = cache(lambda text: rules_from_json(json.loads(text)))
    with pytest.MonkeyPatch.context() as patch:  # the same rules are read once
        patch.setattr(
            "perfect_yatzy.play.record.rules_from_json", lambda raw: read_rules(json.dumps(raw))
        )
        for number, line in enumerate(lines, start=1):
            try:
                read_game(json.loads(line))
            except ValueError as error:
                expected[number] = str(error)
    skipped = rate(write(path, lines)).skipped
    assert {
        int(s.place.rpartition(":")[2]): s.reason for s in skipped if s.fault == "wrong"
    } == expected
    assert 0.1 < len(expected) / len(lines) < 0.99


@pytest.mark.parametrize(
    "rules",
    [
        "yatzy",
        "yahtzee",
        saved_rolls_game("free", True),
        ring_2("yatzy-saved"),
    ],
    ids=lambda rules: getattr(rules, "key", rules),
)
def test_almost_correct_games_are_taken_as_read_game_takes_them(
    rules: str | RuleSet, tmp_path: Path
) -> None:
    strategy, random = perfect_yatzy.open_strategy(rules), Random(1)
    games = [human(strategy, seed).to_json() for seed in range(3)]
    assert_taken_alike(
        [damaged(random.choice(games), random) for _ in range(in_rings(150, 300))],
        tmp_path / "games.jsonl",
    )


def test_rate_and_read_game_take_the_same_records(yatzy: Strategy, tmp_path: Path) -> None:
    """Every field of a record with values of every type."""
    jokers = [
        {
            "player": 0,
            "rolls": [[1, 5, 5, 5, 5], [5] * 5],
            "holds": [[5] * 4],
            "category": "yahtzee",
            "points": 50,
        },
        {"player": 0, "rolls": [[4] * 5], "holds": [], "category": "fours", "points": 20},
    ]
    paid = {"bonus_points": 100}
    own = rules_to_json(replace(load_rules("yahtzee"), rolls_per_turn=2))
    bases: list[dict[str, Any]] = [
        {
            "schema": 2,
            "rules": "yahtzee",
            "players": ["Ann"],
            "turns": [jokers[0], jokers[1] | paid],
            "date": "2026",
        },
        {
            "schema": 1,
            "rules": "yahtzee",
            "players": ["Ann"],
            "turns": [jokers[0], jokers[1] | {"beside": 100}],
        },
        {
            "schema": 2,
            "rules": own,
            "players": ["Ann", "Bo"],
            "turns": [turn | {"player": 1} for turn in jokers],
        },
    ]
    bases[2]["turns"][1] |= paid
    records = [*bases, bases[2] | {"rules": json.dumps(own)}]
    for base in bases:
        rest = {name: value for name, value in base.items() if name != "rules"}
        records += [
            {"rules": base["rules"]} | other for other in changed(rest) if isinstance(other, dict)
        ]
    records += [bases[0] | {"rules": other} for other in WRONG] + WRONG
    assert len(records) > 1000
    assert_taken_alike(records, tmp_path / "games.jsonl")


SIMULATED = {
    "yatzy": "yatzy",
    "yahtzee": "yahtzee",
    "yatzy-forced": "yatzy-forced",
    "saved rolls": saved_rolls_game("free", True),
    "equal boxes": TWINS,
    "equal boxes, crossed out freely": replace(TWINS, crossing_out="free"),
}


@pytest.mark.parametrize(
    "rules", [*SIMULATED.values(), ring_2("yatzy-saved")], ids=[*SIMULATED, "yatzy-saved"]
)
def test_simulated_records_are_the_games_of_single_queries(rules: str | RuleSet) -> None:
    strategy = perfect_yatzy.open_strategy(rules)
    lines = [*simulated_records(strategy, 6, seed=3, threads=2)]
    assert lines == [json.dumps(replay(strategy, 3, game).to_json()) for game in range(6)]


@pytest.mark.parametrize("is_for_goal", [False, ring_2(True)], ids=["mean", "goal"])
def test_simulated_records_of_goals_and_other_players(forced: Strategy, is_for_goal: bool) -> None:
    """The decisions written down lead to the results of the simulation."""
    player = perfect_yatzy.reach("yatzy-forced", 180) if is_for_goal else wrong_by(forced, 3.0)
    games = [
        read_game(json.loads(line)) for line in simulated_records(player, 30, seed=4, player="Bo")
    ]
    simulated = perfect_yatzy.simulate(player, 30, seed=4)
    assert graded(forced, games).results.tolist() == simulated.final_scores.tolist()
    assert games[0].players == ("Bo",)
