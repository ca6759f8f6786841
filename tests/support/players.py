"""Players who are not perfect, as strategies: they play each turn as if wrong values were true."""

from __future__ import annotations

import numpy as np
from perfect_yatzy.strategy.strategy import Strategy
from perfect_yatzy.strategy.turn_evaluator import TurnEvaluator


def wrong_by(strategy: Strategy, points: float, seed: int = 1) -> Strategy:
    """A player who misjudges every card by a normally distributed number of points."""
    generator = np.random.default_rng(seed)
    values = np.asarray(strategy.values, dtype=np.float64)
    return with_values(strategy, values + generator.normal(0, points, values.shape))


def with_values(strategy: Strategy, values: np.ndarray) -> Strategy:
    """A player who takes these values for true."""
    return Strategy(strategy.rules, None, TurnEvaluator(strategy.rules, values))
