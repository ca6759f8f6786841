"""Lanes: the upper sums of a card, those that lead to the same rest of the game in one.

Cards with the same upper boxes filled share a *lane set*. Chains (:mod:`perfect_yatzy.core.rules`)
number them: a lane set is a mixed-radix number, with the upper boxes filled in each chain as
digits. Without columns there is one sum s of the upper boxes, at most the last threshold T. Two
sums are equal for the rest of the game if no step of the bonus lies between them, whatever the open
boxes still add::

    s and s - 1 share a lane   if no threshold is in  s ... s + most points of the open upper boxes

With one step all sums from which the bonus is out of reach are one lane, and every other sum is a
lane of its own. With columns there is one sum for each, and a lane for every combination of their
lanes that can occur.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple, TypeVar

import numpy as np

from .dice import Ints
from .rules import RuleSet, chains
from .scoring import possible_points, upper_sums
from .state import EMPTY_STATE, State

Count = TypeVar("Count", int, Ints)


def ceil_div(count: Count, size: int) -> Count:
    """Return how many parts of `size` things hold `count` of them. The last need not be full."""
    return -(-count // size)


def upper_chains(rules: RuleSet, counting: Collection[int] | None = None) -> list[tuple[int, ...]]:
    """Return the boxes of each chain that count towards a bonus, in the order they are filled.
    Chains without any are left out. `counting` are the boxes that count, if not all do.
    """
    counting = upper_sums(rules).counting if counting is None else counting
    boxes_of_chains = (tuple(c for c in chain if c in counting) for chain in chains(rules))
    return [boxes for boxes in boxes_of_chains if boxes]


class LaneArrays(NamedTuple):
    """The lanes of a StateLayout, whose fields these are."""

    lane_count: Ints  # (lane sets,)
    lane_upper: Ints  # (lane sets, lane_width)
    lane_of: Ints  # (lane sets, upper sums)


class LaneSets:
    """The lane sets of a game, or of the rest of it from a state on. `counting` are the boxes that
    count, if not all do.
    """

    def __init__(
        self, rules: RuleSet, start: State = EMPTY_STATE, counting: Collection[int] | None = None
    ) -> None:
        self.rules = rules
        self.start = start
        self.uppers = upper_sums(rules)
        self.chains = upper_chains(rules, counting)
        # What filling a category adds to the number of the lane set.
        self.weight_of = np.zeros(len(rules.categories), dtype=np.int64)
        weight = 1
        for boxes in self.chains:
            self.weight_of[list(boxes)] = weight
            weight *= len(boxes) + 1
        self.size = weight
        self._start_set = self.of_card(start.filled)
        self._points = [np.array(points, dtype=np.int64) for points in possible_points(rules)]
        self.sums: list[Ints] = []  # every upper sum that can occur, ascending, by lane set
        for lane_set in range(self.size):
            self.sums.append(self._sums(lane_set))
        # By lane set the lane of each sum, and the largest upper sum of each lane.
        self._lanes, self.lane_upper = self._merged()
        self.count = np.array([len(upper) for upper in self.lane_upper], dtype=np.int64)

    def _filled_boxes(self, lane_set: int) -> list[tuple[int, ...]]:
        """Return the boxes of each chain that are filled in a lane set, in their order."""
        filled = []
        digits = lane_set  # the digits of this chain and those after it
        for boxes in self.chains:
            digits, digit = divmod(digits, len(boxes) + 1)
            filled.append(boxes[:digit])
        return filled

    def filled(self, lane_set: int) -> int:
        """Return the bitmask of the upper boxes that are filled in a lane set."""
        return sum(1 << c for boxes in self._filled_boxes(lane_set) for c in boxes)

    def of_card(self, filled: int) -> int:
        """Return the number of the lane set of a card."""
        return sum(int(self.weight_of[c]) for c in self.uppers.counting if filled >> c & 1)

    def _last_filled(self, lane_set: int) -> int | None:
        """Return a box that may have been filled last since the start. It is None if no game fills
        boxes to this lane set.
        """
        possible = []  # the last box of each chain with boxes filled since the start
        for boxes, filled in zip(self.chains, self._filled_boxes(lane_set), strict=True):
            at_start = sum(self.start.filled >> c & 1 for c in boxes)
            if len(filled) < at_start:
                return None
            if len(filled) > at_start:
                possible.append(filled[-1])
        return possible[-1] if possible else None

    def _sums_after(self, box: int, lane_set: int) -> Ints:
        """Return the sums with a box of a lane set, ``(sums before it was filled, its points)``."""
        before = self.sums[lane_set - self.weight_of[box]]
        column = self.rules.categories[box].column
        weight, width = self.uppers.weights[column], self.uppers.widths[column]
        total = before // weight % width  # of the column of the box, which alone grows
        after = np.minimum(np.add.outer(total, self._points[box]), self.uppers.thresholds[column])
        return np.asarray(before[:, None] + (after - total[:, None]) * weight)

    def _sums(self, lane_set: int) -> Ints:
        """Return the sums that can occur, from those before one of the boxes was filled."""
        if lane_set == self._start_set:
            return self.uppers.cap(np.array([self.start.upper], dtype=np.int64))
        box = self._last_filled(lane_set)
        if box is None:
            return np.empty(0, dtype=np.int64)
        sums = np.sort(self._sums_after(box, lane_set).ravel())
        # np.unique would import numpy.ma, which takes time.
        distinct: Ints = sums[np.append(True, sums[1:] != sums[:-1])]
        return distinct

    def points_made(self, extra: Ints, width: int) -> tuple[Ints, Ints]:
        """Return the fewest and the most points since the start in boxes that count to a bonus.
        They are given by lane set and lane. The most include `extra` of each box.
        """
        least = np.zeros((self.size, width), dtype=np.int64)
        most = np.zeros_like(least)
        unset = np.iinfo(np.int64).max  # more than any points, before a minimum is taken
        by_sum: list[tuple[Ints, Ints]] = []  # fewest and most points with each sum, by lane set
        for lane_set, (sums, lanes) in enumerate(zip(self.sums, self._lanes, strict=True)):
            low, high = np.zeros_like(sums), np.zeros_like(sums)
            box = self._last_filled(lane_set)
            if box is not None:
                places = np.searchsorted(sums, self._sums_after(box, lane_set))
                low_before, high_before = by_sum[lane_set - self.weight_of[box]]
                low[:] = unset
                np.minimum.at(low, places, np.add.outer(low_before, self._points[box]))
                np.maximum.at(
                    high, places, np.add.outer(high_before, self._points[box] + extra[box])
                )
            by_sum.append((low, high))
            least[lane_set, : self.count[lane_set]] = unset  # the padding stays 0
            np.minimum.at(least[lane_set], lanes, low)
            np.maximum.at(most[lane_set], lanes, high)
        return least, most

    def _merged(self) -> tuple[list[Ints], list[Ints]]:
        """Return by lane set the lane of each sum, and the largest sum of each lane."""
        lengths = [*map(len, self.sums)]
        set_of_sum = np.repeat(range(self.size), lengths)
        all_sums = np.concatenate(self.sums)
        # Python integers, because a sheet may have more boxes than a word has bits
        filled = np.array([*map(self.filled, range(self.size))], dtype=object)
        # the lanes of all columns as one number, which grows with the sum
        keys = np.zeros_like(all_sums)
        columns = zip(
            self.uppers.split(all_sums),
            self.uppers.to_come(filled),
            self.uppers.weights,
            _thresholds(self.rules),
            strict=True,
        )
        for totals, to_come, weight, thresholds in columns:
            more = to_come.astype(np.int64)
            threshold_before = 0
            for threshold in thresholds:
                # Each sum above `before` and up to the threshold begins a lane.
                before = np.maximum(threshold_before, threshold - more - 1)
                begun = np.minimum(totals, threshold) - before[set_of_sum]
                keys += np.maximum(begun, 0) * weight
                threshold_before = threshold
        lanes_by_set: list[Ints] = []
        largest_by_set: list[Ints] = []
        keys_by_set = np.split(keys, np.cumsum(lengths)[:-1])
        for sums, keys_of_sums in zip(self.sums, keys_by_set, strict=True):
            _, lanes = np.unique(keys_of_sums, return_inverse=True)
            largest = np.zeros(int(lanes.max(initial=-1)) + 1, dtype=np.int64)
            np.maximum.at(largest, lanes, sums)
            lanes_by_set.append(lanes)
            largest_by_set.append(largest)
        return lanes_by_set, largest_by_set

    def arrays(self, multiple: int) -> LaneArrays:
        """Return the lanes of a StateLayout. Sums beyond a threshold have its lane."""
        width = ceil_div(int(self.count.max()), multiple) * multiple
        lane_upper = np.zeros((self.size, width), dtype=np.int64)
        lane_of = np.full((self.size, self.uppers.size), -1, dtype=np.int64)
        for lane_set, (sums, lanes, upper) in enumerate(
            zip(self.sums, self._lanes, self.lane_upper, strict=True)
        ):
            if len(upper):
                lane_upper[lane_set] = upper[-1]  # the padding
                lane_upper[lane_set, : len(upper)] = upper
                lane_of[lane_set, sums] = lanes
        capped = self.uppers.cap(np.arange(self.uppers.size))
        return LaneArrays(self.count, lane_upper, np.ascontiguousarray(lane_of[:, capped]))


def _thresholds(rules: RuleSet) -> list[list[int]]:
    """Return the thresholds of each column, ascending."""
    return [[threshold for threshold, _ in bonus.steps] for bonus in rules.bonuses] or [[]]
