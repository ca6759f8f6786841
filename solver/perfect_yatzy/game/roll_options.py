"""What a card may do with every roll at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..core.dice import Ints, lattice
from ..core.rules import RuleSet
from ..core.scoring import first_roll_points, open_categories, points_table, scoring_options


@dataclass(frozen=True)
class RollOptions:
    """What a card may do with every roll at once."""

    allowed: npt.NDArray[np.bool_]  # (categories, rolls) bool
    # (categories, rolls) int64: points in the box; of categories that are not allowed any number
    points: Ints
    bonus_points: Ints  # (categories, rolls) int64: joker and first-roll bonuses


def roll_options(
    rules: RuleSet, filled: int, joker_paid: bool, first_roll: bool = False
) -> RollOptions:
    """Compute :func:`perfect_yatzy.core.scoring.scoring_options` for all rolls of a lattice."""
    points = points_table(rules).copy()
    allowed = np.zeros(points.shape, dtype=bool)
    allowed[open_categories(rules, filled)] = True
    if not joker_paid:
        points[[bool(category.requires) for category in rules.categories]] = 0
    if rules.crossing_out == "only-if-nothing-scores":
        scores = allowed & (points > 0)
        allowed &= scores | ~scores.any(axis=0)
    bonus_points = np.zeros_like(points)
    if first_roll:
        extra = np.array(first_roll_points(rules), dtype=np.int64)
        bonus_points = np.where(points > 0, extra[:, None], 0)
    if rules.joker and filled >> rules.joker_index & 1:  # the rolls that are jokers, one by one
        grid = lattice(rules.dice, rules.faces)
        for roll in np.flatnonzero(points_table(rules)[rules.joker_index] > 0).tolist():
            counts = grid.counts[grid.first_roll + roll].tolist()
            allowed[:, roll] = False
            for c, paid in scoring_options(rules, filled, joker_paid, counts, first_roll).items():
                allowed[c, roll] = True
                points[c, roll], bonus_points[c, roll] = paid
    return RollOptions(allowed, points, bonus_points)
