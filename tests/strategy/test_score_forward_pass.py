"""Exact distributions of the play for goals and utilities, against the oracle in fractions and identities."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import perfect_yatzy
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from perfect_yatzy.errors import StateError
from perfect_yatzy.game.rules import RuleSet
from perfect_yatzy.strategy.distribution import distribution, stored_distribution
from perfect_yatzy.strategy.score_distribution import ScoreDistribution
from perfect_yatzy.strategy.score_strategy import ScoreStrategy, maximise, reach
from perfect_yatzy.strategy.simulation import simulate
from perfect_yatzy.strategy.strategy import Strategy
from support import games
from support.naive_objectives import NaiveTieBreak, assert_chances
from support.seeds import examples

LATE = "ones=3 twos=6 threes=9 fours=12 fives=15 sixes=18 one-pair=10 two-pairs=18 chance=22 yatzy=0"
LATER = LATE + " full-house=28"


def assert_agree(rules: RuleSet, found: ScoreDistribution, utility: Callable[[int], int]) -> None:
    oracle = NaiveTieBreak(rules.canonical(), lambda score: Fraction(utility(score)), Fraction(4, 1_000_000))
    assert_chances(found, oracle.distribution())


def check_goal(rules: RuleSet, goal: int) -> None:
    strategy = reach(rules, goal)
    found = distribution(strategy)
    assert_agree(rules, found, lambda score: int(score >= goal))
    assert found.at_least(goal) == pytest.approx(strategy.value(), rel=1e-4)


def check_utility(rules: RuleSet, step: int, period: int) -> None:
    utilities = [score // 3 * step % period for score in range(300)]
    strategy = maximise(rules, utilities)
    found = distribution(strategy)
    assert_agree(rules, found, lambda score: utilities[score])
    if not rules.first_roll_bonus:  # whose points the value, unlike the play, can avoid
        assert np.array(utilities)[found.scores] @ found.chances == pytest.approx(strategy.value(), rel=1e-4)


@examples(2, 8)
@given(games.rule_sets(), st.integers(1, 30))
@example(games.joker_game("forced", first_roll_bonus=(("run", 3),)), 20)
@example(games.joker_game("free", order="forced"), 14)
@example(games.saved_rolls_game("forced", True), 12)
def test_play_for_a_goal_agrees_with_the_oracle(rules: RuleSet, goal: int) -> None:
    check_goal(rules, goal)


@examples(2, 8)
@given(games.rule_sets(), st.integers(1, 6), st.integers(2, 9))
@example(games.joker_game("none", first_roll_bonus=(("run", 3),)), 5, 7)
def test_play_for_a_utility_that_rises_and_falls_agrees(rules: RuleSet, step: int, period: int) -> None:
    check_utility(rules, step, period)


@pytest.mark.slow
def test_saved_rolls_in_any_order_agree_with_the_oracle() -> None:
    """A minute of fractions."""
    check_goal(games.saved_rolls_game("free", True), 25)
    check_utility(games.saved_rolls_game("free", True), 5, 7)


@pytest.mark.parametrize(("card", "goal"), [(LATE, 180), (LATE, 200), (LATER, 180), (LATER, 230)])
def test_late_in_a_game_the_chance_of_the_goal_is_the_value(card: str, goal: int) -> None:
    """Also where the table begins at an earlier card than the games."""
    strategy = reach("yatzy", goal, LATE)
    found = distribution(strategy, card)
    assert found.at_least(goal) == pytest.approx(strategy.value(card), rel=strategy.evaluator.objective.error)
    assert found.chances.sum() == pytest.approx(1, abs=1e-12)
    boxes = sum(result.mean for result in found.categories)
    assert strategy.check(card).points + boxes + 50 * found.upper_bonus_chance == pytest.approx(found.mean, abs=1e-9)
    assert np.array_equal(distribution(reach("yatzy", goal, card), card).chances, found.chances)


def test_the_expected_utility_is_the_value() -> None:
    for utility in (np.sqrt, lambda scores: -((scores - 200.0) ** 2)):
        strategy = maximise("yatzy", utility, LATE)
        found = distribution(strategy)
        assert utility(found.scores) @ found.chances == pytest.approx(strategy.value(), rel=1e-5)


def test_games_of_other_points_on_the_card() -> None:
    """Ten points more on the card are the same as a goal lower by ten."""
    low, high = reach("yatzy", 190, LATE), reach("yatzy", 200, LATE)
    points = low.check(low.start).points
    moved = distribution(high, points=points + 10)
    assert moved.scores[0] == distribution(low).scores[0] + 10
    assert np.array_equal(moved.chances, distribution(low).chances)
    with pytest.raises(StateError, match="cannot have been made"):
        distribution(maximise("yatzy", np.sqrt, LATE), points=points + 1)


def test_a_certain_or_unreachable_goal_is_played_for_the_mean(forced: Strategy) -> None:
    mean = distribution(forced)
    for goal in (0, 9_999):
        found = distribution(reach("yatzy-forced", goal))
        assert np.array_equal(found.scores, mean.scores)
        assert found.chances == pytest.approx(mean.chances, abs=1e-14)
        assert found.upper_bonus_chance == pytest.approx(mean.upper_bonus_chance, abs=1e-12)


def test_games_of_a_whole_sheet(forced: Strategy) -> None:
    """The chance of the goal, simulated games, any number of threads, reports of progress."""
    strategy, reports = reach("yatzy-forced", 220), []
    found = distribution(strategy, progress=lambda done, total: reports.append((done, total)), threads=1)
    assert found.at_least(220) == pytest.approx(strategy.value(), rel=1.3e-5)
    assert found.mean < distribution(forced).mean
    assert np.array_equal(distribution(strategy, threads=3).chances, found.chances)
    assert reports == sorted(reports)
    assert reports[-1][0] <= reports[-1][1]
    played = simulate(strategy, 50_000, seed=2)
    assert abs(played.mean - found.mean) < 3.5 * played.standard_error
    for percent in (10, 50, 90):
        assert abs((played.final_scores <= found.percentile(percent)).mean() - percent / 100) < 0.02


@pytest.mark.slow
def test_saved_rolls_of_a_whole_sheet() -> None:
    """Twenty boxes in forced order: up to 38 saved rolls. Games of the oracle are the quick ones."""
    strategy = reach("maxi-forced", 400)
    found = distribution(strategy)
    assert found.at_least(400) == pytest.approx(strategy.value(), rel=1e-4)
    assert found.at_least(400) > distribution(perfect_yatzy.open_strategy("maxi-forced")).at_least(400)
    assert found.chances.sum() == pytest.approx(1, abs=1e-12)
    played = simulate(strategy, 50_000, seed=2)
    assert abs(played.mean - found.mean) < 3.5 * played.standard_error


def test_a_stored_distribution_is_that_of_the_mean_only(forced: Strategy) -> None:
    mean = stored_distribution(forced, forced.start)
    found = stored_distribution(reach("yatzy-forced", 260), forced.start)
    assert found.at_least(260) > 1.1 * mean.at_least(260)
    assert np.array_equal(stored_distribution(forced, forced.start).chances, mean.chances)


@pytest.mark.slow
def test_a_whole_game_of_yatzy() -> None:
    strategy: ScoreStrategy = reach("yatzy", 280)
    found = distribution(strategy)
    assert found.at_least(280) == pytest.approx(strategy.value(), rel=1.3e-5)
    played = simulate(strategy, 200_000, seed=2)
    assert abs(played.mean - found.mean) < 3.5 * played.standard_error
    assert abs(played.final_scores.std() - found.standard_deviation) < 0.02 * found.standard_deviation
