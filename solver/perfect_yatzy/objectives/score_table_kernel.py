"""Tables of scores as the kernels read and write them: a state has a range of scores, one value each.

===================  ===============================================  ==============================================
kind                 the values of a card                             a block, and its ``start``
===================  ===============================================  ==============================================
:class:`ScoreTable`  for each number of saved rolls and each lane     one lane of upper sums and as many consecutive
                     a range of scores x, one value for each x        x as a vector has lanes;
                                                                      :func:`score_block` of the lane and the first x
===================  ===============================================  ==============================================

The kinds whose values depend on the state alone are those of :mod:`perfect_yatzy.core.value_tables`.
"""

from __future__ import annotations

from typing import NamedTuple

from ..core.dice import Floats, Ints
from ..core.jit import jit
from ..core.simd import load_as, load_spaced, store, width
from ..core.state_space import LANES
from ..core.table_slices import TableSlice
from ..core.value_tables import (
    state_number,
    state_place,
    states_after,
    value_after,
    values_of,
    write_values,
)
from .score_places import ScoreOffsets

SCORE_LANES = 2 * LANES  # lanes of a vector of float32


SCORE_BITS = 40  # a score block packs its lane of upper sums and its first x into one integer
SCORE_ORIGIN = 1 << (SCORE_BITS - 1)  # x may be negative


class ScoreTable(NamedTuple):
    """Values that depend on the state and a score x (:class:`.score_places.ScoreOffsets`)."""

    values: Floats
    origin: Ints
    low: Ints
    high: Ints
    # x from one lane of a vector to the next; the scores between are interpolated (:mod:`.score_turn_kernel`)
    spacing: int


@jit
def placed_scores(part, offsets, apart=1):
    """Return a slice of a table as a ScoreTable, with the places of its values.

    The lanes of a block are `apart`.
    """
    return ScoreTable(values_of(part), offsets.origin, offsets.low, offsets.high, apart)


@jit
def score_block(lane, x):
    """Return the start of the block of a lane of upper sums whose first score is x."""
    return (lane << SCORE_BITS) + x + SCORE_ORIGIN


@jit
def score_block_lane(start):
    """Return the lane of upper sums of a score block."""
    return start >> SCORE_BITS


@jit
def score_block_x(start):
    """Return the first score of a score block."""
    return (start & (2 * SCORE_ORIGIN - 1)) - SCORE_ORIGIN


@jit
def state_after_score(layout, block, successor):
    """Return the number of the state after `successor` of a block of scores."""
    lane = score_block_lane(block.start)
    return state_number(layout, block.row, successor.row, lane, successor.saved, successor.shift)


@states_after.of(ScoreTable)
def _range_of_scores(table, layout, block, successor, temp):
    state = state_after_score(layout, block, successor)
    return table.origin[state], table.low[state], table.high[state]


@value_after.of(ScoreTable)
def _score_value_after(table, layout, block, states, points, temp):
    origin, low, high = states
    # Beyond the range of scores lies one vector of known values on either side.
    x = min(max(score_block_x(block.start) + int(points), low - width(temp)), high + 1)
    if table.spacing == 1:
        return load_as(table.values, origin + x, temp)
    return load_spaced(table.values, origin + x, table.spacing, temp)


@write_values.of(ScoreTable)
def _write_scores(table, layout, block, saved, values, temp):
    state = state_place(layout, block.row, saved, score_block_lane(block.start))
    x = score_block_x(block.start)
    store(temp, 0, values)
    for lane in range(min(width(temp), table.high[state] + 1 - x)):
        table.values[table.origin[state] + x + lane * table.spacing] = temp[lane]


class StoredScores(NamedTuple):
    """Argument of a kernel: a slice of a table of scores, and the places of its values."""

    table: TableSlice
    offsets: ScoreOffsets


@jit
def value_at(table, state, x):
    """Return the value of a state at score x. Beyond its range of scores it is the known value."""
    return table.values[
        table.origin[state] + min(max(x, table.low[state] - 1), table.high[state] + 1)
    ]
