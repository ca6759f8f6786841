"""The quantities that tables are stored of: one entry each, which the command, estimates, shards
and workers read.

A new one is a subclass in :mod:`perfect_yatzy.objectives`, a function that makes it and an entry here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from ..words import N_

if TYPE_CHECKING:
    from ..core.checked_values import Table
    from ..core.objectives import Objective
    from ..core.rules import RuleSet

    OpenMeans = Callable[[RuleSet], Table]  # opens the table of means of a game


def _mean(rules: RuleSet, means: OpenMeans) -> Objective:
    from ..core.objectives import Objective

    return Objective(rules)


def _goals(rules: RuleSet, means: OpenMeans) -> Objective:
    from ..objectives.scores import Goals

    return Goals(rules)


def _variance(rules: RuleSet, means: OpenMeans) -> Objective:
    from ..objectives.policy_quantities import Variance

    return Variance(rules, means(rules))


def _bonus_chance(rules: RuleSet, means: OpenMeans) -> Objective:
    from ..objectives.policy_quantities import BonusChance

    return BonusChance(rules, means(rules))


def _bonus_points(rules: RuleSet, means: OpenMeans) -> Objective:
    from ..objectives.policy_quantities import BonusPoints

    return BonusPoints(rules, means(rules))


class Quantity(NamedTuple):
    """What is stored for each state of a game."""

    name: str  # of the table, and of the choice of `yatzy solve --what`
    objective: Callable[[RuleSet, OpenMeans], Objective]  # of a whole game
    needs_means: bool  # whether it depends on the table of means
    estimate: str  # title of the estimate of a solve
    result: str = ""  # about the value at the start; empty if a table has no single one
    is_square: bool = False  # whether people are told the square root


QUANTITIES = {
    quantity.name: quantity
    for quantity in (
        Quantity(
            "mean",
            _mean,
            False,
            N_("Expected scores of {rules}: an estimate, nothing is solved"),
            N_("Expected score of {rules} under perfect play: {value}"),
        ),
        Quantity(
            "goals",
            _goals,
            False,
            N_("Chances of all goals of {rules}: an estimate, nothing is solved"),
        ),
        Quantity(
            "variance",
            _variance,
            True,
            N_("Variances of the final score of {rules}: an estimate, nothing is solved"),
            N_("Standard deviation of {rules} under perfect play: {value}"),
            is_square=True,
        ),
        Quantity(
            "bonus",
            _bonus_chance,
            True,
            N_("Chances of the upper bonus of {rules}: an estimate, nothing is solved"),
            N_("Chance of the upper bonus of {rules} under perfect play: {value}"),
        ),
        Quantity(
            "bonuses",
            _bonus_points,
            True,
            N_("Points of the upper bonus of {rules}: an estimate, nothing is solved"),
            N_("Points of the upper bonus of {rules} under perfect play: {value}"),
        ),
    )
}
