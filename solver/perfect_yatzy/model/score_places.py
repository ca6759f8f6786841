"""Where the ranges of scores of a table are (:mod:`.objectives`).

All ranges of a row have a length that depends on the row, and on the lane through the bonus still possible. So the
places of rows follow from a few numbers for each row; those of states, 24 bytes each, are computed for the rows
that need them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ..game.dice import Ints
from .state_space import StateSpace

ROWS_AT_A_TIME = 1 << 12  # so that the memory of temporary arrays is small


class ScoreOffsets(NamedTuple):
    """Where the values of each state are: one int64 per state, in the order of the table of means."""

    origin: Ints  # (states,): index of x = 0 in the whole table, which may be outside the range of the state
    low: Ints  # (states,): first and last x of the range
    high: Ints


class ScorePlaces:
    """The places of rows and of states in a table of scores."""

    def __init__(
        self,
        space: StateSpace,
        first_layer: int,
        lengths: Ints,  # of the range of each row, (rows,)
        bonuses: Ints,  # what each lane adds, (lane sets, lane_width)
        score_range: Callable[[Ints], tuple[Ints, Ints]],  # first and last x of ranges from their lengths
        before: int,  # entries around each range
        after: int,
        least: Ints | None = None,  # what is added to the first and last x, (lane sets, lane_width)
    ) -> None:
        self._space, self._first_layer, self._lengths, self._bonuses = space, first_layer, lengths, bonuses
        self._score_range, self._before, self._after = score_range, before, after
        self._least = np.zeros_like(bonuses) if least is None else least
        low, high = score_range(np.zeros(1, dtype=np.int64))
        shortest = int(high[0] - low[0]) + 1 + before + after
        layout = space.layout
        is_lane = np.arange(layout.lane_width) < layout.lane_count[:, None]
        more = (bonuses * is_lane).sum(axis=1)[layout.lane_sets]
        entries = layout.lane_count[layout.lane_sets] * (lengths + shortest) + more
        entries *= space.most_saved[space.filled] + 1
        self._starts = np.zeros(len(entries), dtype=np.int64)
        self._layer_ends = np.zeros(space.categories + 2, dtype=np.int64)
        for filled in range(space.categories, first_layer - 1, -1):
            rows, start = space.layers[filled], self._layer_ends[filled + 1]
            ends = start + np.cumsum(entries[rows])
            self._starts[rows], self._layer_ends[filled] = ends - entries[rows], ends[-1]
        self.size = int(self._layer_ends[first_layer])  # number of entries of the table

    def row_starts(self, filled: int) -> Ints:
        """First entry of each row of ``space.layers[filled]``, and the entry after the last, `(rows + 1,)` int64."""
        return np.append(self._starts[self._space.layers[filled]], self._layer_ends[filled])

    def rows_slice(self, filled: int, first: int, end: int) -> slice:
        """The entries of the rows ``space.layers[filled][first:end]``."""
        rows = self._space.layers[filled]
        bounds = (self._starts[rows[i]] if i < len(rows) else self._layer_ends[filled] for i in (first, end))
        return slice(*map(int, bounds))

    @cached_property
    def offsets(self) -> ScoreOffsets:
        """Where the values of all states are."""
        states = int(self._space.layer_slice(self._first_layer).stop)
        offsets = ScoreOffsets(*(np.empty(states, dtype=np.int64) for _ in ScoreOffsets._fields))
        for filled in range(self._space.categories, self._first_layer - 1, -1):
            self.fill(offsets, filled, 0, len(self._space.layers[filled]))
        return offsets

    def fill(self, offsets: ScoreOffsets, filled: int, first: int, end: int) -> None:
        """Write where the values of the states of the rows ``space.layers[filled][first:end]`` are."""
        space, layout = self._space, self._space.layout
        for begin in range(first, end, ROWS_AT_A_TIME):
            rows = space.layers[filled][begin : min(begin + ROWS_AT_A_TIME, end)]
            states = space.rows_slice(filled, begin, begin + len(rows))
            copies = layout.lane_count[layout.lane_sets[rows]] * (space.most_saved[filled] + 1)
            row = np.repeat(rows, copies)
            lane, _ = space.lanes_and_saved(row, np.arange(states.start, states.stop))
            low, high = self._bounds(row, lane)
            ends = self._starts[rows[0]] + np.cumsum(high - low + 1 + self._before + self._after)
            offsets.low[states], offsets.high[states] = low, high
            offsets.origin[states] = ends - self._after - 1 - high

    def _bounds(self, rows: Ints, lanes: Ints) -> tuple[Ints, Ints]:
        """First and last x of states, by their rows and lanes."""
        sets = self._space.layout.lane_sets[rows]
        low, high = self._score_range(self._lengths[rows] + self._bonuses[sets, lanes])
        return low + self._least[sets, lanes], high + self._least[sets, lanes]
