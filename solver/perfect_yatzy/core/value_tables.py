"""Tables of values as the kernels read and write them: one turn for every objective.

The Bellman backup (:mod:`.turn`) and the policy (:mod:`.policy`) work on one :class:`Block` at a
time: the values of one card that a vector holds. What a block is depends on the kind of table, the
type of its named tuple:

===================  ===============================================  ==============================================
kind                 the values of a card                             a block, and its ``start``
===================  ===============================================  ==============================================
:class:`MeanTable`   one for each number of saved rolls and each      ``LANES`` neighbouring lanes of upper sums;
                     lane of upper sums                               the first lane
:class:`ScoreTable`  for each number of saved rolls and each lane     one lane of upper sums and as many consecutive
                     a range of scores x, one value for each x        x as a vector has lanes;
                                                                      :func:`score_block` of the lane and the first x
===================  ===============================================  ==============================================

An :class:`ExponentialTable` has the blocks of a :class:`MeanTable`, but points multiply its values.

An objective whose points count in another way needs a named tuple with :func:`states_after` and
:func:`value_after`, and an entry point in :mod:`.turn`, which the objective names. If its values
lie where those of a mean do, it is named beside MeanTable at `states_after`, and its target stays a
mean table; else it needs :func:`write_values`.
"""

from __future__ import annotations

from math import exp
from typing import NamedTuple

from .dice import Floats, Ints
from .jit import by_kind, jit
from .simd import load_as, load_spaced, load_through, shifted, store, width
from .state_space import LANES, ScoreOffsets
from .table_slices import TableSlice

SCORE_BITS = 40  # a score block packs its lane of upper sums and its first x into one integer
SCORE_ORIGIN = 1 << (SCORE_BITS - 1)  # x may be negative


class Block(NamedTuple):
    """The values of one card that a vector holds; ``choices``: bitmask of the categories the
    turn may fill.
    """

    row: int
    start: int
    choices: int


class Successor(NamedTuple):
    """The end of a turn, apart from the points: row of the child card, rolls saved, increase of
    the upper sum.
    """

    row: int
    saved: int
    shift: int


class MeanTable(NamedTuple):
    """Values that depend on the state alone, such as the expected points to come."""

    values: Floats


class ExponentialTable(NamedTuple):
    """Expected exponentials ``E[exp(rate * points to come)]`` with the sign of the rate, placed
    as a MeanTable.
    """

    values: Floats
    rate: float


class ScoreTable(NamedTuple):
    """Values that depend on the state and a score x
    (:class:`perfect_yatzy.core.state_space.ScoreOffsets`).
    """

    values: Floats
    origin: Ints
    low: Ints
    high: Ints
    # x from one lane of a vector to the next; the scores between are interpolated (:mod:`.turn`)
    spacing: int


@by_kind()
def states_after(table, layout, block, successor, temp):
    """What the values of the states after `successor` have in common for all points; `temp`: one
    vector.
    """


@by_kind()
def value_after(table, layout, block, states, points, temp):
    """Values of a block if its turn makes `points`, bonuses included, and leads to `states`; any
    in unused lanes.
    """


@by_kind()
def write_values(table, layout, block, saved, values, temp):
    """Write the vector `values` to the states of the block with `saved` saved rolls, and nothing
    to other lanes.
    """


@by_kind()
def points_are_added(table):
    """Whether one point more is worth more than any error of the arithmetic; False, the default,
    is always right.
    """


points_are_added.of(MeanTable)(lambda table: True)
points_are_added.of()(lambda table: False)


@jit
def successor(outcomes, i, row, saved):
    """The end of a turn from a row with outcome i."""
    return Successor(row + outcomes.step[i], saved, outcomes.shift[i])


@jit
def child_value(table, layout, block, successor, points, temp):
    """Values of a block if its turn makes `points` and leads to `successor`."""
    return value_after(
        table, layout, block, states_after(table, layout, block, successor, temp), points, temp
    )


@jit
def values_of(part):
    """The values of a slice of a table (:mod:`.table_slices`), by their places in the whole
    table.
    """
    return shifted(part.values, part.start)


@jit
def mean_table(part):
    """A slice of a table as a MeanTable."""
    return MeanTable(values_of(part))


@jit
def placed_scores(part, offsets, apart=1):
    """A slice of a table as a ScoreTable, with the places of its values; the lanes of a block
    are `apart`.
    """
    return ScoreTable(values_of(part), offsets.origin, offsets.low, offsets.high, apart)


@jit
def lanes_of(layout, row):
    """Number of lanes of a row."""
    return layout.lane_count[layout.lane_sets[row]]


@jit
def state_place(layout, row, saved, lane):
    """Place of a state in a table of means."""
    return layout.offsets[row] + saved * lanes_of(layout, row) + lane


@jit
def lane_after(layout, row, child, lane, shift):
    """Lane of card `child` that follows a lane of a row, the upper sum raised by `shift`."""
    upper = layout.lane_upper[layout.lane_sets[row] * layout.lane_width + lane] + shift
    return layout.lane_of[layout.lane_sets[child] * layout.upper_width + upper]


@jit
def state_number(layout, row, child, lane, saved, shift):
    """Number of the state of card `child` that follows a lane of a row, the upper sum raised by
    `shift`.
    """
    return state_place(layout, child, saved, lane_after(layout, row, child, lane, shift))


@jit
def mean_after(values, model, row, lane, saved, i):
    """Points made by outcome i of the turn of one state plus the mean of the state that follows."""
    outcomes = model.turn_outcomes
    state = state_number(model.layout, row, row + outcomes.step[i], lane, saved, outcomes.shift[i])
    return values[state] + outcomes.total[i]


@jit
def table_lanes(values, layout, block, child, saved, shift, temp):
    """Entries of a mean table for a block of lanes, at card `child` with the upper sum raised by
    `shift`.
    """
    lane_set, child_set = layout.lane_sets[block.row], layout.lane_sets[child]
    first = state_place(layout, child, saved, 0)
    if lane_set == child_set:
        return load_as(values, first + block.start, temp)
    # The upper sums of the block; their lanes on the child, from the sum `shift` on.
    uppers, lanes = (
        lane_set * layout.lane_width + block.start,
        child_set * layout.upper_width + shift,
    )
    return load_through(values, first, layout.lane_of, lanes, layout.lane_upper, uppers, temp)


@states_after.of(MeanTable, ExponentialTable)
def _states_after_means(table, layout, block, end, temp):
    return table_lanes(table.values, layout, block, end.row, end.saved, end.shift, temp)


value_after.of(MeanTable)(lambda table, layout, block, states, points, temp: states + points)
value_after.of(ExponentialTable)(
    lambda table, layout, block, states, points, temp: states * exp(table.rate * points)
)


@write_values.of(MeanTable)
def _write_means(table, layout, block, saved, values, temp):
    store(temp, 0, values)
    first = state_place(layout, block.row, saved, block.start)
    for lane in range(min(LANES, lanes_of(layout, block.row) - block.start)):
        table.values[first + lane] = temp[lane]


@jit
def score_block(lane, x):
    """Start of the block of a lane of upper sums whose first score is x."""
    return (lane << SCORE_BITS) + x + SCORE_ORIGIN


@jit
def score_block_lane(start):
    """Lane of upper sums of a score block."""
    return start >> SCORE_BITS


@jit
def score_block_x(start):
    """First score of a score block."""
    return (start & (2 * SCORE_ORIGIN - 1)) - SCORE_ORIGIN


@jit
def state_after_score(layout, block, successor):
    """Number of the state after `successor` of a block of scores."""
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
    state, x = (
        state_place(layout, block.row, saved, score_block_lane(block.start)),
        score_block_x(block.start),
    )
    store(temp, 0, values)
    for lane in range(min(width(temp), table.high[state] + 1 - x)):
        table.values[table.origin[state] + x + lane * table.spacing] = temp[lane]


class StoredScores(NamedTuple):
    """Argument of a kernel: a slice of a table of scores, and the places of its values."""

    table: TableSlice
    offsets: ScoreOffsets


@jit
def value_at(table, state, x):
    """Value of a state at score x; beyond its range of scores the known value."""
    return table.values[
        table.origin[state] + min(max(x, table.low[state] - 1), table.high[state] + 1)
    ]
