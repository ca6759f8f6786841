"""What rolls pay: points tables, what a box can hold, and what a card may do with one roll or with
all of them.

:data:`perfect_yatzy.core.patterns.KINDS` says what a pattern pays. `counts[f - 1]` is the number of dice that show
face f. The upper sums of a card are one number, also if each column of the sheet has a bonus of its own: one sum a
column, each capped at the last threshold of its bonus, as digits of a mixed-radix number::

    upper = sum of column 0 + width 0 * (sum of column 1 + width 1 * (...))

A digit has room for the points of one more box beyond the threshold, so that points can be added
before the sum is capped.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, lru_cache
from itertools import accumulate
from typing import TypeVar

import numpy as np

from .dice import Ints, lattice
from .rules import RuleSet, prerequisites

Counts = Sequence[int]
Number = TypeVar("Number", int, Ints)


@lru_cache(maxsize=8)
def points_table(rules: RuleSet) -> Ints:
    """Return the points of every category for every roll, without joker rules. The shape is
    ``(categories, n_rolls)``, the type int64.
    """
    grid = lattice(rules.dice, rules.faces)
    counts = grid.counts[grid.first_roll :]
    paid = {
        pattern: pattern.paid(counts)
        for category in rules.categories
        for pattern in category.patterns
    }
    return np.array(
        [np.max([paid[p] for p in c.patterns], axis=0) for c in rules.categories], dtype=np.int64
    )


@lru_cache(maxsize=8)
def full_points(rules: RuleSet) -> Ints:
    """Return the points of every category for every roll as a joker. The shape is ``(categories,
    n_rolls)``, the type int64.
    """
    plain = points_table(rules)
    joker = rules.joker
    if joker is None or joker.mode == "none":
        return plain
    if joker.mode == "maximum":
        return np.broadcast_to(plain.max(axis=1, keepdims=True), plain.shape)
    fixed = [max(category.full_points, default=0) for category in rules.categories]
    return np.maximum(plain, np.array(fixed, dtype=np.int64)[:, None])


@lru_cache(maxsize=8)
def possible_points(rules: RuleSet) -> tuple[tuple[int, ...], ...]:
    """Return for each category the points its box can hold, ascending. 0 is always one of them,
    because any box can be crossed out.
    """
    joker_pays_in_full = rules.joker is not None and rules.joker.mode != "none"
    possible = []
    for category, paid in zip(rules.categories, points_table(rules).tolist(), strict=True):
        as_joker = category.full_points if joker_pays_in_full else ()
        possible.append(tuple(sorted({0, *paid, *as_joker})))
    return tuple(possible)


@lru_cache(maxsize=32)
def first_roll_points(rules: RuleSet) -> tuple[int, ...]:
    """Return the bonus points of each category if it scores on the first roll of a turn."""
    extra = dict(rules.first_roll_bonus)
    return tuple(extra.get(category.id, 0) for category in rules.categories)


def roll_points(rules: RuleSet, counts: Counts, as_joker: bool = False) -> tuple[int, ...]:
    """Return the points of every category for one roll, without joker rules or as a joker."""
    return _known_roll_points(rules, tuple(counts), as_joker)


@lru_cache(maxsize=1 << 12)
def _known_roll_points(rules: RuleSet, counts: tuple[int, ...], as_joker: bool) -> tuple[int, ...]:
    """Compute :func:`roll_points`, and remember the answer."""
    grid = lattice(rules.dice, rules.faces)
    table = full_points(rules) if as_joker else points_table(rules)
    return tuple(table[:, grid.rank(counts) - grid.first_roll].tolist())


def is_joker(rules: RuleSet, counts: Counts) -> bool:
    """Return whether this roll scores in the joker's category, and is a joker once that is filled."""
    return rules.joker is not None and roll_points(rules, counts)[rules.joker_index] > 0


def matching_upper_boxes(rules: RuleSet, counts: Counts) -> int:
    """Return the bitmask of the upper boxes, one or several, of the face that all dice show."""
    return sum(
        1 << position
        for position, category in enumerate(rules.categories)
        if category.face and counts[category.face - 1] == sum(counts)
    )


def open_categories(rules: RuleSet, filled: int) -> list[int]:
    """Return the positions of the categories the next turn may fill. These are the open ones whose
    turn it is in the order of their column.
    """
    needed = prerequisites(rules)
    return [
        c for c in range(len(rules.categories)) if not filled >> c & 1 and not needed[c] & ~filled
    ]


def scoring_options(
    rules: RuleSet, filled: int, joker_paid: bool, counts: Counts, first_roll: bool = False
) -> dict[int, tuple[int, int]]:
    """Return what each category that can take a roll pays, by its position: the points in the box,
    and the bonus points of the joker and of the first roll.

    `joker_paid` says whether the tracked box holds points, `counts` how many dice show each face.
    `first_roll` says whether the roll is the first of its turn, whose bonus is paid only if the box
    gets points.
    """
    allowed = open_categories(rules, filled)
    categories = rules.categories
    joker = rules.joker
    as_joker = False
    bonus_points = 0
    if joker and filled >> rules.joker_index & 1 and is_joker(rules, counts):
        open_matching = matching_upper_boxes(rules, counts) & ~filled
        if (joker.bonus_requires == "filled" or joker_paid) and (
            joker.bonus_while == "always" or open_matching
        ):
            bonus_points = joker.bonus
        if joker.requires == "filled" or joker_paid:
            as_joker = joker.mode == "maximum" or not open_matching
            # to the matching upper box if it is open, else to a lower one, else to any
            if joker.mode == "forced":
                matched = [c for c in allowed if open_matching >> c & 1]
                lower = [c for c in allowed if not categories[c].upper]
                allowed = (matched if open_matching else lower) or allowed
    all_points = roll_points(rules, counts, as_joker)
    points = {}
    for c in allowed:
        is_unmet = categories[c].requires and not joker_paid
        points[c] = 0 if is_unmet else all_points[c]
    # crossing out is allowed only where no box scores
    if rules.crossing_out == "only-if-nothing-scores":
        points = {c: paid for c, paid in points.items() if paid} or points
    extra = first_roll_points(rules) if first_roll else [0] * len(categories)
    return {c: (paid, bonus_points + (extra[c] if paid else 0)) for c, paid in points.items()}


class UpperSums:
    """Reads and writes the upper sums of a rule set."""

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules
        self._possible = possible_points(rules)
        # The categories that count towards a bonus.
        self.counting = tuple(
            c for c, category in enumerate(rules.categories) if category.upper and rules.bonus
        )
        self.column_of = {c: rules.categories[c].column for c in self.counting}
        # By column: the last threshold of its bonus (0 without one), and the most points of a box.
        self.thresholds = tuple(bonus.threshold for bonus in rules.bonuses) or (0,)
        most = [0] * len(self.thresholds)
        for c in self.counting:
            column = rules.categories[c].column
            most[column] = max(most[column], *self._possible[c])
        # By column: number of values of its digit, and what one point counts there. `size`: how
        # many numbers exist.
        self.widths = tuple(
            threshold + points + 1 for threshold, points in zip(self.thresholds, most, strict=True)
        )
        *self.weights, self.size = accumulate(
            (1, *self.widths), lambda weight, width: weight * width
        )

    def split(self, upper: Number) -> tuple[Number, ...]:
        """Return the sum of each column, of one number or of an array of numbers."""
        if len(self.weights) == 1:
            return (upper,)
        *before_last, (last_weight, _width) = zip(self.weights, self.widths, strict=True)
        sums: list[Number] = [upper // weight % width for weight, width in before_last]
        # The last digit is all that is left, even if it is too large for one: then the number is
        # not valid.
        return (*sums, upper // last_weight)

    def join(self, sums: tuple[int, ...]) -> int:
        """Return one number for the sums of the columns, each of which is capped."""
        capped = map(min, sums, self.thresholds)
        return sum(weight * total for weight, total in zip(self.weights, capped, strict=True))

    def capped(self, upper: int) -> int:
        """Return a number with its sums capped."""
        if len(self.thresholds) == 1:  # one comparison: each question asks for it
            return min(upper, self.thresholds[0])
        return self.join(self.split(upper))

    def cap(self, upper: Ints) -> Ints:
        """Return the numbers of an int64 array with their sums capped."""
        digits = zip(self.weights, self.split(upper), self.thresholds, strict=True)
        return np.asarray(
            sum(weight * np.minimum(total, threshold) for weight, total, threshold in digits)
        )

    def shift(self, category: int, points: int) -> int:
        """Return what points in a category add to the number, before it is capped."""
        box = self.rules.categories[category]
        return points * self.weights[box.column] if box.upper and self.rules.bonus else 0

    def add(self, upper: int, category: int, points: int) -> int:
        """Return the number after a category was filled with points, capped."""
        return self.capped(upper + self.shift(category, points))

    def bonus(self, upper: int) -> int:
        """Return the points of all upper bonuses for a number."""
        # there may be no bonus, but always a sum
        sums = zip(self.rules.bonuses, self.split(upper), strict=False)
        return sum(bonus.paid(total) for bonus, total in sums)

    def bonuses(self, upper: Ints, filled: int = -1) -> Ints:
        """Return the most that all upper bonuses can pay in the end, for an int64 array of numbers.
        They are numbers of the card with the boxes `filled`, a bitmask; -1 is a full one.
        """
        most = np.zeros_like(upper)
        columns = zip(
            self.paid, self.split(upper), self.to_come(filled), self.thresholds, strict=False
        )
        for paid_by_sum, sums, to_come, threshold in columns:  # no column without a bonus
            most += paid_by_sum[np.minimum(sums + to_come, threshold)]
        return most

    @cached_property
    def paid(self) -> list[Ints]:
        """Points of each bonus by the sum of its column, up to the threshold."""
        return [
            np.array([b.paid(total) for total in range(b.threshold + 1)], np.int64)
            for b in self.rules.bonuses
        ]

    @cached_property
    def category_weights(self) -> Ints:
        """``(categories,)`` int64: what one point in each category adds to the number."""
        return np.array(
            [self.shift(c, 1) for c in range(len(self.rules.categories))], dtype=np.int64
        )

    @property
    def largest(self) -> int:
        """The largest capped number."""
        return self.join(self.thresholds)

    @property
    def most_bonus(self) -> int:
        """Points of all upper bonuses together."""
        return sum(bonus.points for bonus in self.rules.bonuses)

    def to_come(self, filled: Number) -> tuple[Number, ...]:
        """Return the most that the open boxes of each column can still add to its sum. `filled` is
        one bitmask or an array of bitmasks.
        """
        most: list[Number] = [filled * 0] * len(self.thresholds)
        for c in self.counting:
            column = self.rules.categories[c].column
            most[column] = most[column] + (~filled >> c & 1) * max(self._possible[c])
        return tuple(most)


upper_sums = lru_cache(maxsize=32)(UpperSums)
