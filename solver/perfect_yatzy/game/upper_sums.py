"""The upper sums of a card as one number, also if each column of the sheet has a bonus of its own.

One sum a column, each capped at the last threshold of its bonus, as digits of a mixed-radix number::

    upper = sum of column 0 + width 0 * (sum of column 1 + width 1 * (...))

Without columns that is the capped sum itself. A digit has room for the points of one more box beyond the threshold,
so that points can be added before the sum is capped.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import accumulate

from .points import possible_points
from .rules import RuleSet


class UpperSums:
    """Reads and writes the upper sums of a rule set.

    Parameters
    ----------
    rules

    Attributes
    ----------
    thresholds : tuple of int
        The last threshold of each bonus; ``(0,)`` without a bonus.
    widths : tuple of int
        Number of values of each digit.
    weights : tuple of int
        What one point counts in each digit.
    size : int
        Product of the widths.
    """

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules
        self.thresholds = tuple(bonus.threshold for bonus in rules.bonuses) or (0,)
        most = [0] * len(self.thresholds)
        for category, points in zip(rules.categories, possible_points(rules), strict=True):
            if category.upper and rules.bonus:
                most[category.column] = max(most[category.column], *points)
        self.widths = tuple(threshold + points + 1 for threshold, points in zip(self.thresholds, most, strict=True))
        *self.weights, self.size = accumulate((1, *self.widths), lambda a, b: a * b)

    def split(self, upper: int) -> tuple[int, ...]:
        """The sum of each column."""
        return tuple(upper // weight % width for weight, width in zip(self.weights, self.widths, strict=True))

    def join(self, sums: tuple[int, ...]) -> int:
        """One number for the sums of the columns, which it caps."""
        capped = map(min, sums, self.thresholds)
        return sum(weight * total for weight, total in zip(self.weights, capped, strict=True))

    def shift(self, category: int, points: int) -> int:
        """What points in a category add to the number, before it is capped."""
        box = self.rules.categories[category]
        return points * self.weights[box.column] if box.upper and self.rules.bonus else 0

    def add(self, upper: int, category: int, points: int) -> int:
        """The number after a category was filled with points, capped."""
        return self.join(self.split(upper + self.shift(category, points)))

    def bonus(self, upper: int) -> int:
        """Points of all upper bonuses for a number."""
        return sum(bonus.paid(total) for bonus, total in zip(self.rules.bonuses, self.split(upper), strict=False))


@lru_cache(maxsize=32)
def upper_sums(rules: RuleSet) -> UpperSums:
    """The upper sums of a rule set; built once per process."""
    return UpperSums(rules)
