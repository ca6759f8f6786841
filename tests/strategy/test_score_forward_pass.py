"""Exact distributions of the play for goals and utilities, against the oracle in fractions and identities."""

from __future__ import annotations

import numpy as np
import perfect_yatzy
import pytest
from perfect_yatzy import StateError, Strategy, maximise, reach
from perfect_yatzy.strategy.distribution import distribution, stored_distribution
from perfect_yatzy.strategy.simulation import simulate

LATE = "ones=3 twos=6 threes=9 fours=12 fives=15 sixes=18 one-pair=10 two-pairs=18 chance=22 yatzy=0"
LATER = LATE + " full-house=28"


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


def test_a_stored_distribution_is_that_of_the_mean_only(forced: Strategy) -> None:
    mean = stored_distribution(forced, forced.start)
    found = stored_distribution(reach("yatzy-forced", 260), forced.start)
    assert found.at_least(260) > 1.1 * mean.at_least(260)
    assert np.array_equal(stored_distribution(forced, forced.start).chances, mean.chances)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("key", "goal", "rel", "games"), [("maxi-forced", 400, 1e-4, 50_000), ("yatzy", 280, 1.3e-5, 200_000)]
)
def test_whole_games(key: str, goal: int, rel: float, games: int) -> None:
    """Twenty boxes in forced order, with up to 38 saved rolls; and Yatzy."""
    strategy = reach(key, goal)
    found = distribution(strategy)
    assert found.at_least(goal) == pytest.approx(strategy.value(), rel=rel)
    assert found.at_least(goal) > distribution(perfect_yatzy.open_strategy(key)).at_least(goal)
    assert found.chances.sum() == pytest.approx(1, abs=1e-12)
    played = simulate(strategy, games, seed=2)
    assert abs(played.mean - found.mean) < 3.5 * played.standard_error
    assert abs(played.final_scores.std() - found.standard_deviation) < 0.02 * found.standard_deviation
