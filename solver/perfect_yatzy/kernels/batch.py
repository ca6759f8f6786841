"""Best actions of many positions and, where wanted, the values of all their options.

A position is a state, a roll, and the rerolls left. Positions of the same block (:mod:`.value_tables`) share one
backup of the turn (:mod:`.turn`), from 0 rerolls left up to the most that one of them needs. Goals and utilities have
ties broken by the mean (:mod:`.score_policy`).

An option is an action by its number: the holds that reroll at least one die, in the order of the lattice, then the
categories in the order of the sheet.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba.extending import overload

from ..game.dice import Floats, Ints
from ..model.state_space import LANES
from ..model.turn_model import TurnModel, TurnOutcomes
from .goal_estimates import score_table
from .jit import jit
from .lattice import maxima, means
from .legal import choices_of, scoring_of_roll
from .score_policy import ScorePolicyJob, TurnStart, backup_holds, decision, preferred_stop
from .simd import peek, poke, shifted, views, width
from .table_slices import TableSlice
from .turn import LOWEST, OVERWRITE, RAISE, TIE, Scratch, backup_all_stop_values, mean_block
from .value_tables import Block, MeanTable, score_block_x, state_number


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


class OptionValues(NamedTuple):
    """Values of all options of consecutive positions.

    Attributes
    ----------
    values : (n * columns,) float64
        Written: the value of each option, -inf where it is not legal.
    columns : int
        Number of options; 0 if their values are not wanted.
    first : int
        The position that the first row belongs to.
    """

    values: Floats
    columns: int
    first: int


class BatchJob(NamedTuple):
    """Arguments of :func:`find_best_actions`.

    Attributes
    ----------
    model : TurnModel
    outcomes : TurnOutcomes
    lattice : FiveDice, SixDice or IndexedLattice
    table : TableSlice
        Table of means.
    positions : PositionBatch
    actions : ActionBatch
        Written.
    options : OptionValues
        Written.
    scratch : Scratch
        Used by no other thread during the call.
    """

    model: TurnModel
    outcomes: TurnOutcomes
    lattice: Any
    table: TableSlice
    positions: PositionBatch
    actions: ActionBatch
    options: OptionValues
    scratch: Scratch


@jit
def category_value(values, job, row, lane, outcome, saved):
    """Points of an outcome, plus the value of the card that follows."""
    model, outcomes = job.model, job.outcomes
    child = row + peek(outcomes.step, outcome)
    state = state_number(model.layout, row, child, lane, saved, peek(outcomes.shift, outcome))
    return peek(values, state) + peek(outcomes.total, outcome)


@jit
def clear_options(options, i):
    """Every option of position i as not legal; returns the place of the first."""
    first = (i - options.first) * options.columns
    for k in range(options.columns):
        poke(options.values, first + k, -np.inf)
    return first


@jit
def best_action(values, job, i):
    """Best action of position i; the buffer holds the value of every hold that rerolls at least one die."""
    model, outcomes, positions, buffer = job.model, job.outcomes, job.positions, job.scratch.buffer
    row, lane, roll = peek(positions.rows, i), peek(positions.lanes, i), peek(positions.rolls, i)
    rerolls, is_first_roll = peek(positions.rerolls, i), peek(positions.is_first_roll, i) != 0
    saved = rerolls if model.saves_rolls else 0
    wanted, option = job.options.columns > 0, clear_options(job.options, i)
    allowed, way = scoring_of_roll(model, row, choices_of(model, row), roll, is_first_roll)
    first = way * model.category_count * model.dice.roll_count + roll
    category, value = -1, LOWEST
    for c in range(model.category_count):
        if allowed >> c & 1:
            outcome = peek(outcomes.number, first + c * model.dice.roll_count)
            stop_value = category_value(values, job, row, lane, outcome, saved)
            if stop_value > value + TIE:
                category, value = c, stop_value
            if wanted:
                poke(job.options.values, option + model.dice.first_roll + c, stop_value)
    best_hold = -1
    if rerolls > 0:
        # The list opens with the hold of all dice, which is to stop and score.
        for k in range(peek(model.dice.hold_start, roll) + 1, peek(model.dice.hold_start, roll + 1)):
            hold = peek(model.dice.holds, k)
            hold_value = peek(buffer, hold * LANES + lane % LANES)
            if hold_value > value + TIE:
                best_hold, category, value = hold, -1, hold_value
            if wanted:
                poke(job.options.values, option + hold, hold_value)
    poke(job.actions.hold, i, best_hold)
    poke(job.actions.category, i, category)
    poke(job.actions.value, i, value)


def answer_position(values: Floats, job: Any, i: int) -> None:
    """Answer position i of a job; the buffer holds the value of every hold that rerolls at least one die.

    A job implements it with ``numba.extending.overload``.
    """
    raise NotImplementedError("only within a kernel")


@overload(answer_position)
def _best_action_of_position(values, job, i):
    if job.instance_class is not BatchJob:
        return None

    def find_best_action(values, job, i):
        best_action(values, job, i)

    return find_best_action


@jit
def answer_positions(start, stop, job, positions):
    """Answer the positions `start` to `stop - 1`; those of one block share a backup of the turn.

    Parameters
    ----------
    start, stop : int
    job
        Views of the arguments of a kernel, with ``model``, ``lattice``, ``table`` and ``scratch``.
    positions
        Views of ``rows``, ``lanes`` and ``rerolls``, sorted by row and block.
    """
    model, scratch = job.model, job.scratch
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
                    answer_position(values, job, i)
            if rerolls < most:
                saved, mode = rerolls if model.saves_rolls else 0, OVERWRITE if rerolls == 0 else RAISE
                if rerolls == 0 or model.saves_rolls:
                    backup_all_stop_values(MeanTable(values), model, block, saved, mode, buffer, scratch)
                if rerolls > 0:
                    maxima(buffer, job.lattice)
        begin = end


@jit
def find_best_actions(start, stop, arguments):
    """Best action and its value for positions `start` to `stop - 1`.

    Parameters
    ----------
    start, stop : int
    arguments : BatchJob
    """
    job = views(arguments)
    answer_positions(start, stop, job, job.positions)


class ScoreBatchJob(NamedTuple):
    """Arguments of :func:`find_best_score_actions`.

    Attributes
    ----------
    policy : ScorePolicyJob
        Its working memory is used by no other thread during the call.
    scores : StoredScores or EstimatedScores
        Table of goals or of a utility.
    means : TableSlice
        Table of means.
    positions : PositionBatch
        Sorted by row, group of upper sums (``lane // LANES``) and block of scores.
    blocks, block_lanes : (n,) int64
        Start of the block of scores of each position, and the lane of its score within.
    actions : ActionBatch
        Written.
    options : OptionValues
        Written.
    """

    policy: ScorePolicyJob
    scores: Any
    means: TableSlice
    positions: PositionBatch
    blocks: Ints
    block_lanes: Ints
    actions: ActionBatch
    options: OptionValues


@jit
def write_score_options(scores, mean_table, job, turn, score_lane, i):
    """Values of all options of position i, for goals and utilities."""
    policy, model, dice, positions = job.policy, job.policy.model, job.policy.model.dice, job.positions
    roll, rerolls, is_first = peek(positions.rolls, i), peek(positions.rerolls, i), peek(positions.is_first_roll, i)
    option, saved = clear_options(job.options, i), rerolls if model.saves_rolls else 0
    preferred_stop(scores, mean_table, policy, turn, roll, saved, is_first != 0)
    allowed, _ = scoring_of_roll(model, turn.row, turn.choices, roll, is_first != 0)
    for c in range(model.category_count):
        if allowed >> c & 1:
            poke(job.options.values, option + dice.first_roll + c, peek(policy.option_values, c))
    if rerolls > 0:
        stage = (rerolls - 1) * (dice.first_roll + dice.roll_count)
        for k in range(peek(dice.hold_start, roll) + 1, peek(dice.hold_start, roll + 1)):
            hold = peek(dice.holds, k)
            place = (stage + hold) * width(policy.scores.values) + score_lane
            poke(job.options.values, option + hold, float(peek(policy.scores.values, place)))


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
    scores = score_table(job.scores)
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
                if job.options.columns > 0:
                    write_score_options(scores, mean_table, job, turn, score_lane, i)
                i += 1
