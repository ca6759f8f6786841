"""Tables of values as the kernels read and write them: one turn for every objective.

The Bellman backup (:mod:`.turn`) and the policies of later packages work on one :class:`Block` at a
time: the values of one card that a vector holds. What a block is depends on the kind of table, the
type of its named tuple. A :class:`MeanTable` has one value for each number of saved rolls and each
lane of upper sums; a block is ``LANES`` neighbouring lanes, and its ``start`` the first of them.

An objective whose points count in another way needs a named tuple with :func:`states_after` and
:func:`value_after`, and a kernel that its `solve_rows` calls (:mod:`.objectives`). If its values lie
where those of a mean do, :func:`states_after_means` is its `states_after`, and its target stays a
mean table; else it needs :func:`write_values`. :mod:`perfect_yatzy.objectives` has two examples.
"""

from __future__ import annotations

from typing import NamedTuple

from .dice import Floats
from .jit import by_kind, jit
from .simd import load_as, load_through, shifted, store
from .state_space import LANES


class Block(NamedTuple):
    """The values of one card that a vector holds, and the categories the turn may fill."""

    row: int
    start: int
    choices: int


class Successor(NamedTuple):
    """The end of a turn, apart from the points. It has the row of the child card, the rolls saved,
    and the increase of the upper sum.
    """

    row: int
    saved: int
    shift: int


class MeanTable(NamedTuple):
    """Values that depend on the state alone, such as the expected points to come."""

    values: Floats


@by_kind()
def states_after(table, layout, block, successor, temp):
    """Return what the values of the states after `successor` have in common for all points. `temp`
    is memory of one vector.
    """


@by_kind()
def value_after(table, layout, block, states, points, temp):
    """Return the values of a block if its turn makes `points` and leads to `states`. The points
    include bonuses. Unused lanes may hold any value.
    """


@by_kind()
def write_values(table, layout, block, saved, values, temp):
    """Write the vector `values` to the states of the block with `saved` saved rolls. Nothing is
    written to other lanes.
    """


@by_kind()
def points_are_added(table):
    """Return whether one point more is worth more than any error of the arithmetic.

    False, the default, is always right.
    """


points_are_added.of(MeanTable)(lambda table: True)
points_are_added.of()(lambda table: False)


@jit
def successor(outcomes, i, row, saved):
    """Return the end of a turn from a row with outcome i."""
    return Successor(row + outcomes.step[i], saved, outcomes.shift[i])


@jit
def child_value(table, layout, block, successor, points, temp):
    """Return the values of a block if its turn makes `points` and leads to `successor`."""
    return value_after(
        table, layout, block, states_after(table, layout, block, successor, temp), points, temp
    )


@jit
def values_of(part):
    """Return the values of a slice of a table, by their places in the whole table. A slice is one
    of :mod:`.table_slices`.
    """
    return shifted(part.values, part.start)


@jit
def mean_table(part):
    """Return a slice of a table as a MeanTable."""
    return MeanTable(values_of(part))


@jit
def lanes_of(layout, row):
    """Return the number of lanes of a row."""
    return layout.lane_count[layout.lane_sets[row]]


@jit
def state_place(layout, row, saved, lane):
    """Place of a state in a table of means."""
    return layout.offsets[row] + saved * lanes_of(layout, row) + lane


@jit
def lane_after(layout, row, child, lane, shift):
    """Return the lane of card `child` after a lane of a row, the upper sum raised by `shift`."""
    upper = layout.lane_upper[layout.lane_sets[row] * layout.lane_width + lane] + shift
    return layout.lane_of[layout.lane_sets[child] * layout.upper_width + upper]


@jit
def state_number(layout, row, child, lane, saved, shift):
    """Return the number of the state of card `child` after a lane of a row, by :func:`lane_after`."""
    return state_place(layout, child, saved, lane_after(layout, row, child, lane, shift))


@jit
def mean_after(values, model, row, lane, saved, i):
    """Return the points that outcome i makes plus the mean of the state that follows."""
    outcomes = model.turn_outcomes
    state = state_number(model.layout, row, row + outcomes.step[i], lane, saved, outcomes.shift[i])
    return values[state] + outcomes.total[i]


@jit
def table_lanes(values, layout, block, child, saved, shift, temp):
    """Return the entries of a block of lanes at card `child`, the upper sum raised by `shift`."""
    lane_set, child_set = layout.lane_sets[block.row], layout.lane_sets[child]
    first = state_place(layout, child, saved, 0)
    if lane_set == child_set:
        return load_as(values, first + block.start, temp)
    # The upper sums of the block; their lanes on the child, from the sum `shift` on.
    uppers = lane_set * layout.lane_width + block.start
    lanes = child_set * layout.upper_width + shift
    return load_through(values, first, layout.lane_of, lanes, layout.lane_upper, uppers, temp)


@states_after.of(MeanTable)
def states_after_means(table, layout, block, end, temp):
    """Return the entries of the states after `end`, if they lie where those of a mean do."""
    return table_lanes(table.values, layout, block, end.row, end.saved, end.shift, temp)


value_after.of(MeanTable)(lambda table, layout, block, states, points, temp: states + points)


@write_values.of(MeanTable)
def _write_means(table, layout, block, saved, values, temp):
    store(temp, 0, values)
    first = state_place(layout, block.row, saved, block.start)
    for lane in range(min(LANES, lanes_of(layout, block.row) - block.start)):
        table.values[first + lane] = temp[lane]
