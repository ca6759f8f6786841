"""Values interpolated between scores: against polynomials, and against solves of every score."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import perfect_yatzy
import pytest
from perfect_yatzy import load_rules
from perfect_yatzy.game.dice import Floats, Ints
from perfect_yatzy.game.scorecard import EMPTY_STATE
from perfect_yatzy.kernels.jit import jit
from perfect_yatzy.kernels.simd import views
from perfect_yatzy.kernels.solve import fill_between, misses_of
from perfect_yatzy.model.objectives import ReachableUtility
from perfect_yatzy.strategy.opponents import Opponent, WinUtility
from perfect_yatzy.strategy.turn_evaluator import ScoreEvaluator
from perfect_yatzy.tablebase.backward_induction import solve_objective

ERROR, TOLERANCE = 2e-6, WinUtility.tolerance  # that are stated


@jit
def filled_and_misses(arguments, first, spacing):
    values = views(arguments)
    found = misses_of(values, first, spacing)
    fill_between(values, first, spacing)
    return found


@pytest.mark.parametrize("spacing", [1, 2, 4])
def test_polynomials_of_degree_five_are_interpolated_exactly(spacing: int) -> None:
    x = np.arange(80) / 40 - 1
    expected = 3 * x**5 - x**4 + 2 * x**3 - x + 0.25
    values, end = expected.astype(np.float32), 5 + 15 * spacing
    known = np.isin(np.arange(80), np.arange(5, end + 1, spacing))
    values[~known] = 9.0
    misses, changes = filled_and_misses(values, 5, spacing)
    np.testing.assert_allclose(values[5 : end + 1], expected[5 : end + 1], atol=1e-6)
    assert (values[:5] == 9).all()
    assert (values[end + 1 :] == 9).all()
    inner = 5 + spacing * np.arange(5, 11)
    assert misses < 6e-12
    assert changes == pytest.approx(np.square(expected[inner + spacing] - expected[inner - spacing]).sum(), rel=1e-3)
    values[5 + 7 * spacing] += 1.0  # seen by itself, by its two neighbours, and by one at the distance 3
    expected_misses = 1 + 2 * (150 / 256) ** 2 + (25 / 256) ** 2
    assert filled_and_misses(values, 5, spacing)[0] == pytest.approx(expected_misses, rel=1e-5)


def smooth(made: Ints) -> Floats:
    return np.asarray(1 / (1 + np.exp((150 - made) / 25)))


def test_smooth_utilities_are_interpolated_and_others_are_not() -> None:
    rules = load_rules("crag")

    def solved(utility: object, tolerance: float, threads: int = 2) -> npt.NDArray[np.float32]:
        return solve_objective(ReachableUtility(rules, utility, tolerance=tolerance), threads=threads)  # type: ignore[arg-type]

    exact, found = solved(smooth, 0.0), solved(smooth, TOLERANCE)
    assert not np.array_equal(exact, found)
    assert found[-1 - 32] == pytest.approx(exact[-1 - 32], abs=ERROR)
    assert np.sqrt(np.mean(np.square(found - exact))) < ERROR
    assert np.array_equal(found, solved(smooth, TOLERANCE, threads=1))
    assert np.array_equal(found, solved(smooth, TOLERANCE, threads=3))
    for rough in (lambda made: (made >= 150) * 1.0, lambda made: made % 2 * 1.0):
        assert np.array_equal(solved(rough, 0.0), solved(rough, TOLERANCE))


@pytest.mark.slow
@pytest.mark.parametrize("others", [1, 3])
@pytest.mark.parametrize("game", ["yatzy", "yahtzee"])
def test_chances_to_win_a_whole_game(game: str, others: int) -> None:
    strategy = perfect_yatzy.open_strategy(game)
    rivals = perfect_yatzy.distribution(strategy)
    winning = WinUtility([Opponent(np.array(rivals.scores), np.array(rivals.chances), True)] * others, "half")
    turns = []
    for tolerance in (0.0, winning.tolerance):
        objective = ReachableUtility(strategy.rules, winning, tolerance=tolerance)
        evaluator = ScoreEvaluator(objective, solve_objective(objective), strategy.evaluator)
        options = [evaluator.hold_values(EMPTY_STATE, rerolls) for rerolls in (1, 2)]
        turns.append([np.array([evaluator.value(EMPTY_STATE)]), evaluator.category_values(EMPTY_STATE), *options])
    for exact, found in zip(*turns, strict=True):
        np.testing.assert_allclose(found, exact, rtol=0, atol=ERROR)
