"""Strategies made in memory: perfect ones, and players who play each turn as if wrong values were true."""

import numpy as np
from perfect_yatzy import RuleSet, Simulation, Strategy
from perfect_yatzy.strategy.turn_evaluator import TurnEvaluator
from perfect_yatzy.tablebase.backward_induction import solve_values


def in_memory(rules: RuleSet) -> Strategy:
    """Perfect play of a game that is solved and not stored."""
    return Strategy(rules, None, TurnEvaluator(rules, solve_values(rules)))


def wrong_by(strategy: Strategy, points: float, seed: int = 1) -> Strategy:
    """A player who misjudges every card by a normally distributed number of points."""
    values = np.asarray(strategy.values, dtype=np.float64)
    return with_values(strategy, values + np.random.default_rng(seed).normal(0, points, values.shape))


def with_values(strategy: Strategy, values: np.ndarray) -> Strategy:
    """A player who takes these values for true."""
    return Strategy(strategy.rules, None, TurnEvaluator(strategy.rules, values))


def same_games(one: Simulation, other: Simulation) -> bool:
    return all(np.array_equal(getattr(one, n), getattr(other, n)) for n in ("final_scores", "category_points"))
