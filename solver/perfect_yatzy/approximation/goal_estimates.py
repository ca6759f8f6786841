"""Estimates of the chances of goals, for games whose table of all goals is too large.

For every state the mean m of the points X still to come under play for the mean, and two spreads,
from play that maximises an exponential utility of rate a (liking of risk) and of rate -a (aversion
to it)::

    upside^2   = 2 (log E exp(a X) - a m) / a^2
    downside^2 = 2 (log E exp(-a X) + a m) / a^2

If X were normal and did not depend on the play, both were its standard deviation. The upside is
larger, because play may seek risk. The chance of n more points is estimated as that of a normal
distribution in two pieces::

    P(n) = Phi(-z)      z = (n - 1/2 - m) / (upside if n - 1/2 > m else downside)

The goals of the last layers are exact (:class:`LateGoals`): the table of all goals begins with the
full cards, so they are its beginning. The estimates serve the states before; the spreads are
stored, in points.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from ..core.checked_values import Table
from ..core.dice import Floats, Ints
from ..core.objectives import ExponentialUtility, Goals, Values
from ..core.rules import RuleSet
from ..tablebase.estimates import SolveCost, rule_set_stats

LATE_GOALS_BYTES = 1_000_000_000  # most bytes of the exact goals of the last layers
ESTIMATE_OPTIONS = " --what goals --approximate"  # of `yatzy solve`
CHUNK = 1 << 20  # entries converted at a time
LEAST_SPREAD = 1e-6  # points: where nothing is left to chance
LEAST_CHANCE = 2e-38  # of what is possible: the smallest normal float32
ROOT_HALF = 0.5**0.5


class Upside(ExponentialUtility):
    """The spread of the points to come if play likes risk, float32; `means` and `rate` are only
    to solve it.
    """

    name = "upside"
    sign = 1
    rounds = False
    solve_options = ESTIMATE_OPTIONS
    store = np.dtype(np.float32)  # they are points again

    def __init__(self, rules: RuleSet, means: Table | None = None, rate: float = 1.0) -> None:
        super().__init__(rules, self.sign * rate)
        self.means = means

    def solve_cost(self) -> SolveCost:
        """Cost of a solve: that of the means, in another type."""
        means = rule_set_stats(self.rules)
        size = means.values * self.store.itemsize
        return SolveCost(
            values=means.values, bytes=size, memory=means.memory, seconds=means.seconds
        )

    def as_stored(self, values: Values, start: int) -> Values:
        """Spreads from expected utilities, `(n,)`; the first one is entry `start` of the table."""
        assert self.means is not None
        found = np.empty(len(values), dtype=self.store)
        for first in range(0, len(values), CHUNK):
            part = values[first : first + CHUNK]
            means = np.asarray(
                self.means[start + first : start + first + len(part)], dtype=np.float64
            )
            square = 2 * (np.log(np.abs(part)) - self.rate * means) / self.rate**2
            found[first : first + len(part)] = np.sqrt(
                np.maximum(square, 0.0)
            )  # rounding may make it negative
        return found

    def start_value(self, last_layer: Values) -> float | None:
        """Spread of the whole game, in points."""
        return float(self.as_stored(last_layer[-1:], self.size - 1)[0])


class Downside(Upside):
    """The spread of the points to come if play avoids risk."""

    name = "downside"
    sign = -1


class LateGoals(Goals):
    """All goals of so many layers before the full cards, as many as LATE_GOALS_BYTES hold by
    default.
    """

    name = "lategoals"
    solve_options = ESTIMATE_OPTIONS

    def __init__(self, rules: RuleSet, layers: int | None = None) -> None:
        super().__init__(rules)
        self.layers = (
            len(rules.categories) if layers is None else layers
        )  # layer_sizes() needs it: of all, at first
        if layers is None:
            # Bytes of the full cards alone, then with the layer before them, and so on.
            sizes = np.cumsum(
                [self.compute.itemsize * entries for _, entries in self.layer_sizes()[::-1]]
            )
            fitting = int(np.searchsorted(sizes, LATE_GOALS_BYTES, side="right"))
            self.layers = max(1, fitting - 1)  # without the full cards

    @property
    def first_layer(self) -> int:
        """Number of filled categories of the last layer that is solved."""
        return len(self.rules.categories) - self.layers

    @cached_property
    def states(self) -> int:
        """Number of states in these layers; they are the first ones of the table of means."""
        return int(self.space.layer_slice(self.first_layer).stop)


class EstimatedGoals(Goals):
    """The goals of a game without a table: which numbers of points are still open in each state."""

    @cached_property
    def most(self) -> Ints:
        """Most points still possible for each row, without the upper bonus, `(rows,)` int64."""
        return self.row_lengths()

    @cached_property
    def bonus(self) -> Ints:
        """Highest upper bonus still possible for each lane, `(lane sets, lane_width)` int64."""
        return np.ascontiguousarray(self.lane_bonuses())

    @cached_property
    def _in_order(self) -> tuple[Ints, Ints]:
        """The rows in the order of the table, and the place of the first state of each."""
        space = self.space
        rows = np.concatenate(space.layers[::-1][: space.categories - space.first_layer + 1])
        return rows, space.layout.offsets[rows]

    def lowest(self, states: Ints) -> Ints:
        """First x of the range of states (places in the table of means): minus the points still
        possible.
        """
        layout = self.space.layout
        rows, starts = self._in_order
        row = rows[np.searchsorted(starts, states, side="right") - 1]  # of each state
        lane_set = layout.lane_sets[row]
        lane = (states - layout.offsets[row]) % layout.lane_count[lane_set]
        return np.asarray(-(self.most[row] + self.bonus[lane_set, lane]))


def estimated_chances(needed: Floats, mean: Floats, upside: Floats, downside: Floats) -> Floats:
    """Estimated chances of `needed` more points or more, for arrays of one shape; see the
    module.
    """
    from math import erfc

    above = needed - 0.5 - mean
    z = above / np.maximum(np.where(above > 0, upside, downside), LEAST_SPREAD)
    chances = [max(0.5 * erfc(v), LEAST_CHANCE) for v in (z * ROOT_HALF).ravel().tolist()]
    return np.array(chances, dtype=np.float64).reshape(needed.shape)
