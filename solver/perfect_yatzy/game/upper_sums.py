"""The upper sums of a card as one number, also if each column of the sheet has a bonus of its own.

One sum a column, each capped at the last threshold of its bonus, as digits of a mixed-radix number::

    upper = sum of column 0 + width 0 * (sum of column 1 + width 1 * (...))

Without columns that is the capped sum itself. A digit has room for the points of one more box beyond the threshold,
so that points can be added before the sum is capped.
"""

from __future__ import annotations

from functools import cached_property, lru_cache
from itertools import accumulate
from typing import TypeVar

import numpy as np

from .dice import Ints
from .rules import RuleSet
from .scoring import possible_points

Number = TypeVar("Number", int, Ints)


class UpperSums:
    """Reads and writes the upper sums of a rule set."""

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules
        # By column: the last threshold of the bonus; number of values of its digit, and what one point counts there.
        self.thresholds = tuple(bonus.threshold for bonus in rules.bonuses) or (0,)
        most = [0] * len(self.thresholds)
        # The categories that count towards a bonus.
        self.counting = tuple(c for c, category in enumerate(rules.categories) if category.upper and rules.bonus)
        self._possible = possible_points(rules)
        for c in self.counting:
            column = rules.categories[c].column
            most[column] = max(most[column], *self._possible[c])
        self.widths = tuple(threshold + points + 1 for threshold, points in zip(self.thresholds, most, strict=True))
        *self.weights, self.size = accumulate((1, *self.widths), lambda a, b: a * b)

    def split(self, upper: Number) -> tuple[Number, ...]:
        """The sum of each column; of one number, or of an array of them."""
        *others, last = zip(self.weights, self.widths, strict=True)
        return (*(upper // weight % width for weight, width in others), upper // last[0])

    def join(self, sums: tuple[int, ...]) -> int:
        """One number for the sums of the columns, which it caps."""
        capped = map(min, sums, self.thresholds)
        return sum(weight * total for weight, total in zip(self.weights, capped, strict=True))

    def cap(self, upper: Ints) -> Ints:
        """Numbers whose sums are capped, of an int64 array."""
        capped = np.zeros_like(upper)
        for weight, total, threshold in zip(self.weights, self.split(upper), self.thresholds, strict=True):
            capped += weight * np.minimum(total, threshold)
        return capped

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

    def bonuses(self, upper: Ints, filled: int = -1) -> Ints:
        """The most that all upper bonuses pay in the end, for an int64 array of numbers of a card (default: full)."""
        best = np.zeros_like(upper)
        reach = zip(self._paid, self.split(upper), self.to_come(filled), self.thresholds, strict=False)
        for points, total, more, threshold in reach:
            best += points[np.minimum(total + more, threshold)]
        return best

    @cached_property
    def _paid(self) -> list[Ints]:
        """Points of each bonus by the sum of its column, up to the threshold."""
        return [np.array([b.paid(total) for total in range(b.threshold + 1)], np.int64) for b in self.rules.bonuses]

    @cached_property
    def category_weights(self) -> Ints:
        """``(categories,)`` int64: what one point in each category adds to the number."""
        return np.array([self.shift(c, 1) for c in range(len(self.rules.categories))], dtype=np.int64)

    @property
    def largest(self) -> int:
        """The largest capped number."""
        return self.join(self.thresholds)

    @property
    def most_bonus(self) -> int:
        """Points of all upper bonuses together."""
        return sum(bonus.points for bonus in self.rules.bonuses)

    def to_come(self, filled: int) -> tuple[int, ...]:
        """The most that the open boxes of each column can still add to its sum."""
        most = [0] * len(self.thresholds)
        for c in self.counting:
            if not filled >> c & 1:
                most[self.rules.categories[c].column] += max(self._possible[c])
        return tuple(most)


@lru_cache(maxsize=32)
def upper_sums(rules: RuleSet) -> UpperSums:
    """The upper sums of a rule set; built once per process."""
    return UpperSums(rules)
