"""The quantities that tables are stored of: one entry each, which the command, estimates, shards
and workers read.

A new one is a subclass in :mod:`.objectives` and an entry here.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import N_

if TYPE_CHECKING:
    from ..core.checked_values import Table
    from ..core.objectives import Objective
    from ..core.rules import RuleSet


class Quantity(NamedTuple):
    """What is stored for each state of a game."""

    name: str  # of the table, and of the choice of `yatzy solve --what`
    kind: str  # class of :mod:`.objectives`
    needs_means: bool
    estimate: str  # title of the estimate of a solve
    result: str = ""  # about the value at the start; empty if a table has no single one
    is_square: bool = False  # whether people are told the square root

    def objective(self, rules: RuleSet, means: Callable[[RuleSet], Table]) -> Objective:
        """The objective of a whole game; `means` opens the table of means where it depends on
        them.
        """
        kind: Any = getattr(import_module(".objectives", __package__), self.kind)
        objective: Objective = kind(rules, means(rules)) if self.needs_means else kind(rules)
        return objective


QUANTITIES = {
    quantity.name: quantity
    for quantity in (
        Quantity(
            "mean",
            "Objective",
            False,
            N_("Expected scores of {rules}: an estimate, nothing is solved"),
            N_("Expected score of {rules} under perfect play: {value}"),
        ),
        Quantity(
            "goals",
            "Goals",
            False,
            N_("Chances of all goals of {rules}: an estimate, nothing is solved"),
        ),
        Quantity(
            "variance",
            "Variance",
            True,
            N_("Variances of the final score of {rules}: an estimate, nothing is solved"),
            N_("Standard deviation of {rules} under perfect play: {value}"),
            is_square=True,
        ),
        Quantity(
            "bonus",
            "BonusChance",
            True,
            N_("Chances of the upper bonus of {rules}: an estimate, nothing is solved"),
            N_("Chance of the upper bonus of {rules} under perfect play: {value}"),
        ),
    )
}
