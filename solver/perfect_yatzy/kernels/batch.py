"""Best actions of many positions.

A position is a state, a roll, and the rerolls left. Positions of the same block (:mod:`.value_tables`) share one
backup of the turn (:mod:`.turn`), from 0 rerolls left up to the most that one of them needs. Goals and utilities have
ties broken by the mean (:mod:`.score_policy`).
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from typing import Any, NamedTuple

from ..game.dice import Floats, Ints
from ..model.objectives import ScoreOffsets
from ..model.state_space import LANES
from ..model.turn_model import TurnModel
from .jit import jit
from .lattice import maxima, means
from .score_policy import ScorePolicyJob, TurnStart, backup_holds, decision
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
from .value_tables import Block, MeanTable, ScoreTable, score_block_x


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
    in_full, joker_bonus, filled = False, 0.0, peek(layout.masks, row)
    if joker >= 0 and filled & jokers.bit:
        in_full = peek(jokers.box, joker) & ~filled == 0
        choices = joker_choices(model, filled, choices, joker)
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


class ScoreBatchJob(NamedTuple):
    """Arguments of :func:`find_best_score_actions`.

    Attributes
    ----------
    policy : ScorePolicyJob
        Its working memory is used by no other thread during the call.
    scores : TableSlice
        Table of goals or of a utility.
    offsets : ScoreOffsets
    means : TableSlice
        Table of means.
    positions : PositionBatch
        Sorted by row, group of upper sums (``lane // LANES``) and block of scores.
    blocks, block_lanes : (n,) int64
        Start of the block of scores of each position, and the lane of its score within.
    actions : ActionBatch
        Written.
    """

    policy: ScorePolicyJob
    scores: TableSlice
    offsets: ScoreOffsets
    means: TableSlice
    positions: PositionBatch
    blocks: Ints
    block_lanes: Ints
    actions: ActionBatch


@jit
def find_best_score_actions(start, stop, arguments):
    """Best action and its value for positions `start` to `stop - 1`, by a table of goals or of a utility.

    Parameters
    ----------
    start, stop : int
    arguments : ScoreBatchJob
    """
    job = views(arguments)
    policy, model, positions, actions = job.policy, job.policy.model, job.positions, job.actions
    mean_table = MeanTable(shifted(job.means.values, job.means.start))
    scores = ScoreTable(
        shifted(job.scores.values, job.scores.start), job.offsets.origin, job.offsets.low, job.offsets.high
    )
    i = start
    while i < stop:
        row, group, end, most = peek(positions.rows, i), peek(positions.lanes, i) // LANES, i, 0
        while end < stop and peek(positions.rows, end) == row and peek(positions.lanes, end) // LANES == group:
            most = max(most, peek(positions.rerolls, end))
            end += 1
        mean = mean_block(model, row, group * LANES)
        backup_holds(mean_table, policy, mean, most, policy.means)
        while i < end:
            first = peek(job.blocks, i)
            backup_holds(scores, policy, Block(row, first, mean.choices), most, policy.scores)
            while i < end and peek(job.blocks, i) == first:
                score_lane = peek(job.block_lanes, i)
                turn = TurnStart(row, peek(positions.lanes, i), score_block_x(first) + score_lane, mean.choices)
                rerolls, is_first = peek(positions.rerolls, i), peek(positions.is_first_roll, i) != 0
                roll = peek(positions.rolls, i)
                hold, outcome, value = decision(scores, mean_table, policy, turn, score_lane, roll, rerolls, is_first)
                poke(actions.hold, i, hold)
                poke(actions.category, i, peek(policy.outcomes.category, outcome) if hold < 0 else -1)
                poke(actions.value, i, value)
                i += 1
