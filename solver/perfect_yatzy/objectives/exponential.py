"""Exponential utility: aversion to risk, or liking of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.dice import Ints
from ..core.objectives import DENSE, Misses, Objective, final_bonus
from ..core.rules import RuleSet
from ..core.state import EMPTY_STATE, State
from ..core.table_slices import Values

if TYPE_CHECKING:
    from ..core.turn import SolveJob


class ExponentialUtility(Objective):
    """The expectation of ``sign(rate) exp(rate * points to come)``.

    A rate below 0 is aversion to risk, one above 0 liking of it.
    """

    name = "exponential"
    store = Objective.compute  # float32 does not hold exponentials of large scores
    rows_per_task = 4

    def __init__(self, rules: RuleSet, rate: float, start: State = EMPTY_STATE) -> None:
        super().__init__(rules, start)
        self.rate = float(rate)

    def parameters(self) -> dict[str, Any]:
        """Return the rate, on which the values depend."""
        return super().parameters() | {"rate": self.rate}

    def solve_rows(
        self, job: SolveJob, rows: Ints, spacing: int = 1, offsets: object = None
    ) -> Misses:
        """Write the values of rows of a layer."""
        from .exponential_kernel import solve_exponential_rows

        solve_exponential_rows(rows, job, self.rate)
        return DENSE

    def full_cards(self) -> Values:
        """Return the utility of the upper bonus, which is all that a full card has to come."""
        return np.asarray(np.sign(self.rate) * np.exp(self.rate * final_bonus(self.space)))
