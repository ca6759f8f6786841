"""Strategies made in memory: perfect ones beside the oracle, players who take wrong values for
true, approximate ones.
"""

from pathlib import Path
from typing import Any

import numpy as np
import perfect_yatzy
from perfect_yatzy import ApproximateStrategy, RuleSet, Simulation, State, Strategy
from perfect_yatzy.core.state_space import state_space
from perfect_yatzy.strategy.turn_evaluator import TurnEvaluator
from perfect_yatzy.tablebase.in_memory import solve_values

from support.naive import Naive


def in_memory(rules: RuleSet) -> Strategy:
    """Perfect play of a game that is solved and not stored."""
    return Strategy(rules, None, TurnEvaluator(rules, solve_values(rules)))


def wrong_by(strategy: Strategy, points: float) -> Strategy:
    """A player who misjudges every card by a normally distributed number of points."""
    values = np.asarray(strategy.values, dtype=np.float64)
    return with_values(strategy, values + np.random.default_rng(1).normal(0, points, values.shape))


def with_values(strategy: Strategy, values: np.ndarray) -> Strategy:
    """A player who takes these values for true."""
    return Strategy(strategy.rules, None, TurnEvaluator(strategy.rules, values))


def same_games(one: Simulation, other: Simulation) -> bool:
    return all(
        np.array_equal(getattr(one, n), getattr(other, n))
        for n in ("final_scores", "category_points")
    )


def check_against_oracle(rules: RuleSet) -> None:
    """Every reachable state of a small game to 1e-9, and the NumPy turn on the way."""
    oracle, space, values = Naive(rules.canonical()), state_space(rules), solve_values(rules)
    evaluator = TurnEvaluator(rules, values)
    seen = 0
    for filled, upper, saved, flag in oracle.states():
        state = State(filled, upper, saved, flag)
        found = values[space.index(state)]
        expected = oracle.value(filled, upper, saved, flag)
        tolerance = 1e-9 * max(1, expected / 100)
        assert abs(found - expected) < tolerance
        if filled != rules.full_mask:
            assert abs(evaluator.turn_value(state) - found) < tolerance
        seen += 1
    assert seen >= len(rules.categories) + 1


def solution_bits(found: ApproximateStrategy) -> str:
    """Fit, mean and bound, exactly."""
    function, known = found.evaluator.function, found.certificate
    arrays = [
        array.tobytes().hex()
        for array in (function.prices, function.coefficients, function.relaxed_values)
    ]
    numbers = known.mean, *known.interval99, known.plain_mean, known.start_value, known.upper_bound
    return " ".join([*arrays, *(float(number).hex() for number in numbers)])


def solved_anew(
    rules: str | RuleSet, folder: Path, threads: int | None, **settings: Any
) -> ApproximateStrategy:
    """An approximate solution that no earlier one helped."""
    return perfect_yatzy.approximate(rules, folder, threads=threads, force=True, **settings)
