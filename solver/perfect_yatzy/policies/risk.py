"""Play that avoids risk, or seeks it: an exponential utility of the final score.

    safe   maximise  E[ -exp(-s / tolerance) ]         bold   maximise  E[ exp(s / tolerance) ]

s is the final score, and the *risk tolerance* is a number of points: 10 % of the expected final score of perfect play
(25 in Yatzy). For a normal distribution of scores the safe player is indifferent
between a score that is certain and a mean that is higher by variance / (2 tolerance); the bold player gives up as
much for risk. A constant tolerance is what makes the value of a card independent of the points on it
(J. W. Pratt, "Risk aversion in the small and in the large", Econometrica 32, 1964).
"""

from __future__ import annotations

from math import copysign

import numpy as np

from ..game.dice import Floats, Ints
from ..game.rules import RuleSet
from ..game.scorecard import State
from ..model.checked_values import Table
from ..model.objectives import ExponentialUtility
from ..strategy.strategy import Strategy
from ..strategy.turn_evaluator import TurnEvaluator
from ..tablebase.memory import check_memory

TOLERANCE = 0.10  # risk tolerance as a share of the expected final score
STYLES = {"safe": -1.0, "bold": 1.0}  # sign of the rate


class RiskEvaluator(TurnEvaluator):
    """Evaluates turns by an exponential utility of the points to come. Of equal options the mean decides."""

    ties = (0.0, 1e-11)

    def __init__(self, rules: RuleSet, values: Table, rate: float, means: TurnEvaluator) -> None:
        super().__init__(rules, values)
        self.rate, self._means = rate, means

    def child_value(self, state: State, category: int, points: Ints, bonus_points: Ints | int, saved: int) -> Floats:
        """Value of filling `category` with each of `points`: that of the child, times the utility of the points."""
        to_come = self.values[self.child_index(state, category, points, saved)]
        return np.asarray(np.exp(self.rate * (points + bonus_points)) * to_come, dtype=np.float64)


def risk_rate(strategy: Strategy, style: str) -> float:
    """The rate of the utility of a style for a rule set, per point."""
    return copysign(1 / max(1.0, TOLERANCE * float(strategy.table[-1])), STYLES[style])


def risk_evaluator(strategy: Strategy, style: str, *, threads: int | None = None) -> RiskEvaluator:
    """Solve a game for a style, in memory: as long as the solve of the mean takes."""
    from ..tablebase.backward_induction import solve_objective

    rules = strategy.rules
    objective = ExponentialUtility(rules, risk_rate(strategy, style))
    check_memory(rules, objective.solve_cost().with_table())
    return RiskEvaluator(rules, solve_objective(objective, threads=threads), objective.rate, strategy.evaluator)
