"""Estimated chances of goals as a table (:mod:`.value_tables`), and the choice between it and stored scores.

An :class:`EstimateTable` has the blocks of a :class:`perfect_yatzy.kernels.value_tables.ScoreTable`: one lane of
upper sums and consecutive x. It is only read; the chances are computed from the mean and the spreads of a state
(:mod:`perfect_yatzy.model.goal_estimates`).

All children of a turn are in one layer. So a turn reads either stored scores or estimates, and a kernel takes the one
or the other as its argument `scores`: a :class:`StoredScores` or an :class:`EstimatedScores`.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from math import erfc
from typing import NamedTuple

from numba.extending import overload

from ..game.dice import Floats, Ints
from ..model.goal_estimates import LEAST_CHANCE, LEAST_SPREAD, ROOT_HALF
from ..model.score_places import ScoreOffsets
from ..model.state_space import StateLayout
from .jit import jit
from .simd import load, peek, poke, shifted, width
from .table_slices import TableSlice
from .value_tables import ScoreTable, score_block_lane, score_block_x, state_number, states_after, value_after


class StoredScores(NamedTuple):
    """Argument of a kernel: a slice of a table of scores, and the places of its values."""

    table: TableSlice
    offsets: ScoreOffsets


class EstimatedScores(NamedTuple):
    """Argument of a kernel: slices of the means and of both spreads, in points, and the ranges of scores.

    Attributes
    ----------
    most : (rows,) int64
    bonus : (lane sets * lane_width,) int64
        As in :class:`perfect_yatzy.model.goal_estimates.EstimatedGoals`.
    """

    means: TableSlice
    upside: TableSlice
    downside: TableSlice
    most: Ints
    bonus: Ints


class EstimateTable(NamedTuple):
    """Chances of goals, computed from the means and spreads of the states when they are read."""

    means: Floats
    upside: Floats
    downside: Floats
    most: Ints
    bonus: Ints


def score_table(scores: object) -> object:
    """The table within a kernel, from its argument `scores`."""
    raise NotImplementedError("only within a kernel")


@overload(score_table)
def _stored_table(scores):
    if scores.instance_class is not StoredScores:
        return None

    def stored_table(scores):
        table, offsets = scores.table, scores.offsets
        return ScoreTable(shifted(table.values, table.start), offsets.origin, offsets.low, offsets.high)

    return stored_table


@overload(score_table)
def _estimate_table(scores):
    if scores.instance_class is not EstimatedScores:
        return None

    def estimate_table(scores):
        return EstimateTable(
            shifted(scores.means.values, scores.means.start),
            shifted(scores.upside.values, scores.upside.start),
            shifted(scores.downside.values, scores.downside.start),
            scores.most,
            scores.bonus,
        )

    return estimate_table


def value_at(table: object, layout: StateLayout, row: int, state: int, x: int) -> float:
    """Value of a state of a row at score x; beyond its range of scores the known value."""
    raise NotImplementedError("only within a kernel")


@overload(value_at)
def _stored_value_at(table, layout, row, state, x):
    if table.instance_class is not ScoreTable:
        return None

    def stored_value_at(table, layout, row, state, x):
        x = min(max(x, peek(table.low, state) - 1), peek(table.high, state) + 1)
        return peek(table.values, peek(table.origin, state) + x)

    return stored_value_at


@jit
def lowest_x(table, layout, row, state):
    """First x of the range of a state: minus the points still possible."""
    lane_set = peek(layout.lane_sets, row)
    lane = (state - peek(layout.offsets, row)) % peek(layout.lane_count, lane_set)
    return -(peek(table.most, row) + peek(table.bonus, lane_set * layout.lane_width + lane))


@jit
def estimated_chance(x, lowest, mean, upside, downside):
    """Chance of -x more points; `upside` and `downside` are at least LEAST_SPREAD."""
    if x >= 0:
        return 1.0
    if x < lowest:
        return 0.0
    above = -x - 0.5 - mean
    z = above / (upside if above > 0 else downside)
    return max(0.5 * erfc(z * ROOT_HALF), LEAST_CHANCE)


@overload(value_at)
def _estimate_at(table, layout, row, state, x):
    if table.instance_class is not EstimateTable:
        return None

    def estimate_at(table, layout, row, state, x):
        upside, downside = float(peek(table.upside, state)), float(peek(table.downside, state))
        lowest = lowest_x(table, layout, row, state)
        mean = float(peek(table.means, state))
        return estimated_chance(x, lowest, mean, max(upside, LEAST_SPREAD), max(downside, LEAST_SPREAD))

    return estimate_at


@overload(states_after)
def _states_after_estimates(table, layout, block, successor, temp):
    if table.instance_class is not EstimateTable:
        return None

    def state_of_estimates(table, layout, block, successor, temp):
        lane = score_block_lane(block.start)
        state = state_number(layout, block.row, successor.row, lane, successor.saved, successor.shift)
        return state, lowest_x(table, layout, successor.row, state)

    return state_of_estimates


@overload(value_after)
def _estimated_value_after(table, layout, block, states, points, temp):
    if table.instance_class is not EstimateTable:
        return None

    def estimated_value_after(table, layout, block, states, points, temp):
        state, lowest = states
        x = score_block_x(block.start) + int(points)
        mean = float(peek(table.means, state))
        upside = max(float(peek(table.upside, state)), LEAST_SPREAD)
        downside = max(float(peek(table.downside, state)), LEAST_SPREAD)
        for i in range(width(temp)):
            poke(temp, i, estimated_chance(x + i, lowest, mean, upside, downside))
        return load(temp, 0)

    return estimated_value_after
