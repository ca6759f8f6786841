"""Where the values of a table of scores are.

All ranges of scores of a row (:mod:`.scores`) have a length that depends on the row, and on the
lane through the bonus still possible. So the places of rows follow from a few numbers for each row;
those of states, 24 bytes each, are computed for the rows that need them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ..core.dice import Ints
from ..core.state_space import RowPlaces, StateSpace

ROWS_AT_A_TIME = 1 << 12  # so that the memory of temporary arrays is small


class ScoreOffsets(NamedTuple):
    """Where the values of each state are, one int64 for each.

    The states are in the order of the table of means.
    """

    # (states,): index of x = 0 in the whole table, which may be outside the range of the state
    origin: Ints
    low: Ints  # (states,): first and last x of the range
    high: Ints


def new_offsets(
    states: int, new_array: Callable[[int, np.dtype[np.int64]], Ints] = np.empty
) -> ScoreOffsets:
    """Return the offsets of so many states, which are written later."""
    return ScoreOffsets(*(new_array(states, np.dtype(np.int64)) for _ in ScoreOffsets._fields))


class Ranges(NamedTuple):
    """Which ranges of scores the rows and lanes have."""

    lengths: Ints  # of the range of each row, (rows,)
    bonuses: Ints  # what each lane adds, (lane sets, lane_width)
    least: Ints | None = None  # what is added to the first and last x, (lane sets, lane_width)


class ScorePlaces(RowPlaces):
    """The places of rows and of states in a table of scores."""

    def __init__(
        self,
        space: StateSpace,
        first_layer: int,
        ranges: Ranges,
        # Gives the first and last x of ranges from their lengths.
        score_range: Callable[[Ints], tuple[Ints, Ints]],
        frame: tuple[int, int],  # entries before and after each range
    ) -> None:
        self._space = space
        self._first_layer = first_layer
        self._lengths, self._bonuses, least = ranges
        self._score_range = score_range
        self._before, self._after = frame
        self._least = np.zeros_like(ranges.bonuses) if least is None else least
        self._place_rows(self._entries_of_rows())

    def _entries_of_rows(self) -> Ints:
        """Return how many entries each row has, ``(rows,)``."""
        space = self._space
        layout = space.layout
        low, high = self._score_range(np.zeros(1, dtype=np.int64))  # of a range of length 0
        shortest = int(high[0] - low[0]) + 1 + self._before + self._after
        is_lane = np.arange(layout.lane_width) < layout.lane_count[:, None]  # not padding
        bonuses_of_row = (self._bonuses * is_lane).sum(axis=1)[layout.lane_sets]
        entries: Ints = (
            layout.lane_count[layout.lane_sets] * (self._lengths + shortest) + bonuses_of_row
        )
        entries *= space.most_saved[space.filled] + 1  # for each number of saved rolls
        return entries

    def _place_rows(self, entries: Ints) -> None:
        """Set where each row and layer of the table is, from the number of entries of each row."""
        space = self._space
        self.starts = np.zeros(len(entries), dtype=np.int64)
        self.layers = space.layers
        self.layer_ends = np.zeros(space.categories + 2, dtype=np.int64)
        for filled in range(space.categories, self._first_layer - 1, -1):
            rows = space.layers[filled]
            ends = self.layer_ends[filled + 1] + np.cumsum(entries[rows])
            self.starts[rows] = ends - entries[rows]
            self.layer_ends[filled] = ends[-1]
        self.size = int(self.layer_ends[self._first_layer])  # number of entries of the table

    @cached_property
    def offsets(self) -> ScoreOffsets:
        """Where the values of all states are."""
        states = self._space.layer_slice(self._first_layer).stop
        offsets = new_offsets(states)
        for filled in range(self._space.categories, self._first_layer - 1, -1):
            self.fill(offsets, filled, 0, len(self.layers[filled]))
        return offsets

    def fill(self, offsets: ScoreOffsets, filled: int, first: int, end: int) -> None:
        """Write where the values of the states of some rows are.

        The rows are ``space.layers[filled][first:end]``.
        """
        space = self._space
        layout = self._space.layout
        for begin in range(first, end, ROWS_AT_A_TIME):
            rows = space.layers[filled][begin : min(begin + ROWS_AT_A_TIME, end)]
            states = space.rows_slice(filled, begin, begin + len(rows))
            states_of_row = layout.lane_count[layout.lane_sets[rows]] * (
                space.most_saved[filled] + 1
            )
            # row, lane and lane set of each state
            row = np.repeat(rows, states_of_row)
            lane, _ = space.lanes_and_saved(row, np.arange(states.start, states.stop))
            lane_set = layout.lane_sets[row]
            bounds = self._score_range(self._lengths[row] + self._bonuses[lane_set, lane])
            least = self._least[lane_set, lane]
            low, high = bounds[0] + least, bounds[1] + least
            ends = self.starts[rows[0]] + np.cumsum(high - low + 1 + self._before + self._after)
            offsets.low[states] = low
            offsets.high[states] = high
            # x = 0 is `high` entries before that of `high`.
            offsets.origin[states] = ends - self._after - 1 - high
