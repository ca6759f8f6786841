"""Tables of values as the kernels read and write them: one turn for every objective.

The Bellman backup (:mod:`.turn`) and the policy (:mod:`.policy`) compute with vectors and do not know what a lane of
a vector is. They work on one :class:`Block` at a time: the values of one card that a vector holds. What a block is
depends on the kind of table, which is the type of its named tuple and so known at compile time:

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

A kind of table implements three functions with ``numba.extending.overload``:

``states_after(table, layout, block, successor, temp) -> anything``
    What the values of the states after `successor` have in common for all numbers of points: the states that follow
    those of the block if the card is ``successor.row`` and the upper sum rises by ``successor.shift``. The table
    holds at least the layer of that card. `temp` is a view of one vector of working memory, whose dtype is that of
    the arithmetic. Must not write to the table.
``value_after(table, layout, block, states, points, temp) -> vector``
    The values of the block if its turn makes `points` and leads to `states`, the result of ``states_after``. A lane
    that stands for no state may return any number.
``write_values(table, layout, block, saved, values, temp)``
    Write the vector `values` to the entries of the block for `saved` saved rolls, and nothing to lanes that stand for
    no state.

A new objective needs new kernels only if it needs a new kind of table. Then: write the named tuple and its three
overloads in this module; an entry point that loops over rows and blocks and calls
:func:`perfect_yatzy.kernels.turn.solve_block` (as :mod:`.score_turn` does); and choose that entry point in
:class:`perfect_yatzy.tablebase.row_solver.RowSolver`. An objective with an existing kind of table is a subclass of
:class:`perfect_yatzy.model.objectives.Objective` alone.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
# numba infers the types of a kernel; annotations would state them a second time.
from __future__ import annotations

from math import exp
from typing import NamedTuple

from numba.extending import overload

from ..game.dice import Floats, Ints
from ..model.state_space import LANES, StateLayout
from .jit import jit
from .simd import add, load_as, load_through, multiply, peek, poke, splat, store, width

SCORE_BITS = 40  # a score block packs its lane of upper sums and its first x into one integer
SCORE_ORIGIN = 1 << (SCORE_BITS - 1)  # x may be negative


class Block(NamedTuple):
    """The values of one card that a vector holds; ``choices``: bitmask of the categories the turn may fill."""

    row: int
    start: int
    choices: int


class Successor(NamedTuple):
    """The end of a turn, apart from the points: row of the child card, rolls saved, increase of the upper sum."""

    row: int
    saved: int
    shift: int


class MeanTable(NamedTuple):
    """Values that depend on the state alone, such as the expected points to come."""

    values: Floats


class ExponentialTable(NamedTuple):
    """Expected exponentials ``E[exp(rate * points to come)]`` with the sign of the rate, placed as a MeanTable."""

    values: Floats
    rate: float


class ScoreTable(NamedTuple):
    """Values that depend on the state and a score x; the places of
    :class:`perfect_yatzy.model.score_places.ScoreOffsets`."""

    values: Floats
    origin: Ints
    low: Ints
    high: Ints


def states_after(table: object, layout: StateLayout, block: Block, successor: Successor, temp: Floats) -> object:
    """The states after a turn (see the module)."""
    raise NotImplementedError("only within a kernel")


def value_after(
    table: object, layout: StateLayout, block: Block, states: object, points: float, temp: Floats
) -> object:
    """Values of a block if its turn makes `points` (see the module)."""
    raise NotImplementedError("only within a kernel")


def points_are_added(table: object) -> bool:
    """Whether the values are sums of points: one point more is then worth more than any error of the arithmetic."""
    raise NotImplementedError("only within a kernel")


def write_values(table: object, layout: StateLayout, block: Block, saved: int, values: object, temp: Floats) -> None:
    """Write the values of a block (see the module)."""
    raise NotImplementedError("only within a kernel")


@jit
def child_value(table, layout, block, successor, points, temp):
    """Values of a block if its turn makes `points` and leads to `successor`."""
    return value_after(table, layout, block, states_after(table, layout, block, successor, temp), points, temp)


@jit
def table_lanes(values, layout, block, child, saved, shift, temp):
    """Entries of a mean table for a block of lanes, at card `child` with the upper sum raised by `shift`."""
    lane_set, child_set = peek(layout.lane_sets, block.row), peek(layout.lane_sets, child)
    first = peek(layout.offsets, child) + saved * peek(layout.lane_count, child_set)
    if lane_set == child_set:
        return load_as(values, first + block.start, temp)
    upper, lanes = lane_set * layout.lane_width + block.start, child_set * layout.upper_width + shift
    return load_through(values, first, layout.lane_of, lanes, layout.lane_upper, upper, temp)


@overload(points_are_added)
def _points_are_added(table):
    if table.instance_class is MeanTable:
        return lambda table: True
    return lambda table: False


@overload(states_after)
def _states_after_means(table, layout, block, successor, temp):
    if table.instance_class not in (MeanTable, ExponentialTable):
        return None

    def values_of_states(table, layout, block, successor, temp):
        return table_lanes(table.values, layout, block, successor.row, successor.saved, successor.shift, temp)

    return values_of_states


@overload(value_after)
def _mean_value_after(table, layout, block, states, points, temp):
    if table.instance_class is not MeanTable:
        return None
    return lambda table, layout, block, states, points, temp: add(states, splat(temp, points))


@overload(value_after)
def _exponential_value_after(table, layout, block, states, points, temp):
    if table.instance_class is not ExponentialTable:
        return None

    def exponential_value_after(table, layout, block, states, points, temp):
        return multiply(states, splat(temp, exp(table.rate * points)))

    return exponential_value_after


@overload(write_values)
def _write_means(table, layout, block, saved, values, temp):
    if table.instance_class is not MeanTable:
        return None

    def write_means(table, layout, block, saved, values, temp):
        store(temp, 0, values)
        lanes = peek(layout.lane_count, peek(layout.lane_sets, block.row))
        first = peek(layout.offsets, block.row) + saved * lanes + block.start
        for lane in range(min(LANES, lanes - block.start)):
            poke(table.values, first + lane, peek(temp, lane))

    return write_means


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
def state_number(layout, row, child, lane, saved, shift):
    """Number of the state of card `child` that follows a lane of a row, the upper sum raised by `shift`."""
    lane_set, child_set = peek(layout.lane_sets, row), peek(layout.lane_sets, child)
    upper = peek(layout.lane_upper, lane_set * layout.lane_width + lane) + shift
    child_lane = peek(layout.lane_of, child_set * layout.upper_width + upper)
    return peek(layout.offsets, child) + saved * peek(layout.lane_count, child_set) + child_lane


@overload(states_after)
def _states_after_scores(table, layout, block, successor, temp):
    if table.instance_class is not ScoreTable:
        return None

    def range_of_scores(table, layout, block, successor, temp):
        lane = score_block_lane(block.start)
        state = state_number(layout, block.row, successor.row, lane, successor.saved, successor.shift)
        return peek(table.origin, state), peek(table.low, state), peek(table.high, state)

    return range_of_scores


@overload(value_after)
def _score_value_after(table, layout, block, states, points, temp):
    if table.instance_class is not ScoreTable:
        return None

    def score_value_after(table, layout, block, states, points, temp):
        origin, low, high = states
        # Beyond the range of scores lies one vector of known values on either side.
        x = min(max(score_block_x(block.start) + int(points), low - width(temp)), high + 1)
        return load_as(table.values, origin + x, temp)

    return score_value_after


@overload(write_values)
def _write_scores(table, layout, block, saved, values, temp):
    if table.instance_class is not ScoreTable:
        return None

    def write_scores(table, layout, block, saved, values, temp):
        state = state_number(layout, block.row, block.row, score_block_lane(block.start), saved, 0)
        x = score_block_x(block.start)
        store(temp, 0, values)
        for lane in range(min(width(temp), peek(table.high, state) + 1 - x)):
            poke(table.values, peek(table.origin, state) + x + lane, peek(temp, lane))

    return write_scores
