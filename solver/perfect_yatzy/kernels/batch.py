"""Best actions of many positions.

A position is a state, a roll, and the rerolls left. Positions of the same block (:mod:`.value_tables`) share one
backup of the turn (:mod:`.turn`), from 0 rerolls left up to the most that one of them needs.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from typing import Any, NamedTuple

from ..game.dice import Floats, Ints
from ..model.state_space import LANES
from ..model.turn_model import TurnModel
from .jit import jit
from .lattice import maxima, means
from .simd import peek, poke, shifted, views
from .table_slices import TableSlice
from .turn import (
    LOWEST,
    OVERWRITE,
    RAISE,
    TIE,
    Scratch,
    backup_all_stop_values,
    choices_of,
    joker_choices,
    mean_block,
)
from .value_tables import MeanTable


class PositionBatch(NamedTuple):
    """Positions sorted by row and block, ``(n,)`` int64 each.

    Attributes
    ----------
    rows, lanes
        Row and lane of the state.
    rolls
        Number of the roll; 0 is the first one of the lattice.
    rerolls
        Rerolls left.
    is_first_roll
        1 if no die has been rerolled in this turn.
    """

    rows: Ints
    lanes: Ints
    rolls: Ints
    rerolls: Ints
    is_first_roll: Ints


class ActionBatch(NamedTuple):
    """Best actions, ``(n,)`` each: lattice index of the hold or -1; category or -1 (int64); value (float64)."""

    hold: Ints
    category: Ints
    value: Floats


class BatchJob(NamedTuple):
    """Arguments of :func:`find_best_actions`.

    Attributes
    ----------
    model : TurnModel
    lattice : FiveDice, SixDice or IndexedLattice
    table : TableSlice
        Table of means.
    positions : PositionBatch
    actions : ActionBatch
        Written.
    scratch : Scratch
        Used by no other thread during the call.
    """

    model: TurnModel
    lattice: Any
    table: TableSlice
    positions: PositionBatch
    actions: ActionBatch
    scratch: Scratch


@jit
def best_category(values, model, row, lane, roll, saved, is_first_roll):
    """Best category, and its value, for one roll of one state; of equal ones the first on the sheet."""
    layout, outcomes, jokers = model.layout, model.outcomes, model.jokers
    lane_set, joker = peek(layout.lane_sets, row), peek(jokers.number, roll)
    choices = choices_of(model, row)
    in_full, joker_bonus = False, 0.0
    if joker >= 0 and peek(layout.masks, row) & jokers.bit:
        in_full = peek(jokers.box, joker) & ~peek(layout.masks, row) == 0
        choices = joker_choices(model, row, choices, joker)
        joker_bonus = jokers.bonus if row >= model.card_count else 0.0
    best, best_value = -1, LOWEST
    for c in range(model.category_count):
        if choices >> c & 1:
            points = peek(outcomes.roll_points, c * model.dice.roll_count + roll)
            if in_full:
                points = peek(jokers.full_points, c * jokers.size + joker)
            # All outcomes of a category that pay lead to the same row.
            zero = peek(outcomes.start, c)
            paying = points > 0 and zero + 1 < peek(outcomes.start, c + 1)
            child = row + peek(outcomes.step, zero + (1 if paying else 0))
            child_set = peek(layout.lane_sets, child)
            upper = peek(layout.lane_upper, lane_set * layout.lane_width + lane)
            upper += points if peek(outcomes.counts_to_upper, c) else 0
            first = peek(layout.offsets, child) + saved * peek(layout.lane_count, child_set)
            child_lane = peek(layout.lane_of, child_set * layout.upper_width + upper)
            value = peek(values, first + child_lane) + points + joker_bonus
            if is_first_roll and points > 0:
                value += peek(outcomes.first_roll_bonus, c)
            if value > best_value + TIE:
                best, best_value = c, value
    return best, best_value


@jit
def best_action(values, job, i):
    """Best action of position i; the buffer holds the value of every hold that rerolls at least one die."""
    model, positions, buffer = job.model, job.positions, job.scratch.buffer
    row, lane, roll = peek(positions.rows, i), peek(positions.lanes, i), peek(positions.rolls, i)
    rerolls, is_first_roll = peek(positions.rerolls, i), peek(positions.is_first_roll, i)
    saved = rerolls if model.saves_rolls else 0
    category, value = best_category(values, model, row, lane, roll, saved, is_first_roll)
    best_hold = -1
    if rerolls > 0:
        # The list opens with the hold of all dice, which is to stop and score.
        for k in range(peek(model.dice.hold_start, roll) + 1, peek(model.dice.hold_start, roll + 1)):
            hold = peek(model.dice.holds, k)
            hold_value = peek(buffer, hold * LANES + lane % LANES)
            if hold_value > value + TIE:
                best_hold, category, value = hold, -1, hold_value
    poke(job.actions.hold, i, best_hold)
    poke(job.actions.category, i, category)
    poke(job.actions.value, i, value)


@jit
def find_best_actions(start, stop, arguments):
    """Best action and its value for positions `start` to `stop - 1`.

    Parameters
    ----------
    start, stop : int
    arguments : BatchJob
    """
    job = views(arguments)
    model, positions, scratch = job.model, job.positions, job.scratch
    values, buffer = shifted(job.table.values, job.table.start), scratch.buffer
    begin = start
    while begin < stop:
        row, block_number = peek(positions.rows, begin), peek(positions.lanes, begin) // LANES
        end, most = begin, 0
        while end < stop and peek(positions.rows, end) == row and peek(positions.lanes, end) // LANES == block_number:
            most = max(most, peek(positions.rerolls, end))
            end += 1
        block = mean_block(model, row, block_number * LANES)
        for rerolls in range(most + 1):
            if rerolls > 0:
                means(buffer, job.lattice)
            for i in range(begin, end):
                if peek(positions.rerolls, i) == rerolls:
                    best_action(values, job, i)
            if rerolls < most:
                saved, mode = rerolls if model.saves_rolls else 0, OVERWRITE if rerolls == 0 else RAISE
                if rerolls == 0 or model.saves_rolls:
                    backup_all_stop_values(MeanTable(values), model, block, saved, mode, buffer, scratch)
                if rerolls > 0:
                    maxima(buffer, job.lattice)
        begin = end
