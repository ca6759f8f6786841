"""Lanes: the upper sums of a card, those that lead to the same rest of the game in one.

Cards with the same upper boxes filled share a *lane set*. Chains (:mod:`perfect_yatzy.game.rules`) number them:
a lane set is a mixed-radix number, with the upper boxes filled in each chain as digits. Without columns there is one
sum s of the upper boxes, at most the last threshold T. Two sums are equal for the rest of the game if no step of the
bonus lies between them, whatever the open boxes still add::

    s and s - 1 share a lane   if no threshold is in  s ... s + most points of the open upper boxes

With one step all sums from which the bonus is out of reach are one lane, and every other sum is a lane of its own.
With columns there is one sum for each, and a lane for every combination of their lanes that can occur.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from ..game.dice import Ints
from ..game.rules import RuleSet, chains
from ..game.scorecard import EMPTY_STATE, State
from ..game.scoring import possible_points, upper_sums


def upper_chains(rules: RuleSet, counting: Collection[int] | None = None) -> list[tuple[int, ...]]:
    """The boxes of each chain that count towards a bonus, in the order they are filled; without empty chains."""
    counting = upper_sums(rules).counting if counting is None else counting
    found = (tuple(c for c in chain if c in counting) for chain in chains(rules))
    return [boxes for boxes in found if boxes]


class LaneSets:
    """The lane sets of a game, or of the rest of it from a state on; `counting`: only some of the boxes count."""

    def __init__(self, rules: RuleSet, start: State = EMPTY_STATE, counting: Collection[int] | None = None) -> None:
        self.rules, self.start = rules, start
        self.uppers, self._steps = upper_sums(rules), _steps(rules)
        self.chains = upper_chains(rules, counting)
        # What filling a category adds to the number of the lane set.
        self.weight_of = np.zeros(len(rules.categories), dtype=np.int64)
        weight = 1
        for boxes in self.chains:
            self.weight_of[list(boxes)] = weight
            weight *= len(boxes) + 1
        self.size = weight
        self._points = [np.array(points, dtype=np.int64) for points in possible_points(rules)]
        self.sums: list[Ints] = []  # every upper sum that can occur, ascending, by lane set
        self.lane_upper: list[Ints] = []  # the largest upper sum of each lane, by lane set
        self._lanes: list[Ints] = []  # lane of each sum
        for lane_set in range(self.size):
            self.sums.append(self._sums(lane_set))
            lanes, upper = self._merged(lane_set)
            self._lanes.append(lanes)
            self.lane_upper.append(upper)
        self.count = np.array([len(upper) for upper in self.lane_upper], dtype=np.int64)

    def filled(self, lane_set: int) -> int:
        """Bitmask of the upper boxes that are filled in a lane set."""
        mask = 0
        for boxes in self.chains:
            lane_set, digit = divmod(lane_set, len(boxes) + 1)
            mask |= sum(1 << c for c in boxes[:digit])
        return mask

    def of_card(self, filled: int) -> int:
        """Number of the lane set of a card."""
        return sum(int(self.weight_of[c]) for c in self.uppers.counting if filled >> c & 1)

    def _last_filled(self, lane_set: int) -> tuple[int, int] | None:
        """A box filled since the start, and the lane set before it; no box (-1) at the start, None if impossible."""
        before, rest, weight = self.start.filled, lane_set, 1
        last = -1, lane_set
        for boxes in self.chains:
            rest, digit = divmod(rest, len(boxes) + 1)
            first = sum(before >> c & 1 for c in boxes)
            if digit < first:
                return None
            if digit > first:
                last = boxes[digit - 1], lane_set - weight
            weight *= len(boxes) + 1
        return last

    def _sums(self, lane_set: int) -> Ints:
        """The sums that can occur, from those before one of the boxes was filled."""
        if (last := self._last_filled(lane_set)) is None:
            return np.empty(0, dtype=np.int64)
        box, previous = last
        if box < 0:
            return self.uppers.cap(np.array([self.start.upper], dtype=np.int64))
        added = self._points[box] * self.uppers.shift(box, 1)
        sums = np.sort(self.uppers.cap(np.add.outer(self.sums[previous], added).ravel()))
        distinct: Ints = sums[np.append(True, sums[1:] != sums[:-1])]  # np.unique would import numpy.ma, at a cost
        return distinct

    def points_made(self, extra: Ints, width: int) -> tuple[Ints, Ints]:
        """Fewest and most points since the start in boxes that count to a bonus, with `extra`, by set and lane."""
        shape = self.size, width
        least, most = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
        by_sum: list[tuple[Ints, Ints]] = []
        for lane_set, (sums, lanes) in enumerate(zip(self.sums, self._lanes, strict=True)):
            low, high = np.zeros_like(sums), np.zeros_like(sums)
            last = self._last_filled(lane_set)
            if last and last[0] >= 0:
                box, previous = last
                points, before = self._points[box], by_sum[previous]
                reached = self.uppers.cap(np.add.outer(self.sums[previous], points * self.uppers.shift(box, 1)))
                places = np.searchsorted(sums, reached)
                low += np.iinfo(np.int64).max
                np.minimum.at(low, places, np.add.outer(before[0], points))
                np.maximum.at(high, places, np.add.outer(before[1], points + extra[box]))
            by_sum.append((low, high))
            if last:
                least[lane_set, : self.count[lane_set]] = np.iinfo(np.int64).max
                np.minimum.at(least[lane_set], lanes, low)
                np.maximum.at(most[lane_set], lanes, high)
        return least, most

    def _merged(self, lane_set: int) -> tuple[Ints, Ints]:
        """Lane of each sum, and the largest sum of each lane."""
        sums, filled = self.sums[lane_set], self.filled(lane_set)
        key = np.zeros_like(sums)
        to_come = self.uppers.to_come(filled)
        parts = zip(self.uppers.split(sums), self._steps, to_come, self.uppers.weights, strict=True)
        for total, steps, more, weight in parts:
            # `steps[s]` counts the steps up to s; a lane begins where one of them is within reach.
            reach = np.minimum(np.arange(len(steps)) + more, len(steps) - 1)
            begins = steps[reach] > np.concatenate([[0], steps[:-1]])
            begins[0] = False
            key += np.cumsum(begins)[total] * weight
        _, lanes = np.unique(key, return_inverse=True)
        upper = np.zeros(int(lanes.max(initial=-1)) + 1, dtype=np.int64)
        np.maximum.at(upper, lanes, sums)
        return lanes, upper

    def arrays(self, multiple: int) -> tuple[Ints, Ints, Ints]:
        """Lanes of a StateLayout: count, ``lane_upper``, ``lane_of``; sums beyond a threshold have its lane."""
        width = -(-int(self.count.max()) // multiple) * multiple
        lane_upper = np.zeros((self.size, width), dtype=np.int64)
        lane_of = np.full((self.size, self.uppers.size), -1, dtype=np.int64)
        for lane_set, (sums, lanes, upper) in enumerate(zip(self.sums, self._lanes, self.lane_upper, strict=True)):
            if len(upper):
                lane_upper[lane_set] = upper[np.minimum(np.arange(width), len(upper) - 1)]
                lane_of[lane_set, sums] = lanes
        return self.count, lane_upper, np.ascontiguousarray(lane_of[:, self.uppers.cap(np.arange(self.uppers.size))])


def _steps(rules: RuleSet) -> list[Ints]:
    """For each column the number of thresholds up to each sum."""
    thresholds = [[least for least, _ in bonus.steps] for bonus in rules.bonuses] or [[]]
    return [np.cumsum(np.bincount(np.array(found, dtype=np.int64), minlength=1)) for found in thresholds]
