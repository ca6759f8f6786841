"""Best actions of many positions and, where wanted, the values of all their options.

A position is a state, a roll, and the rerolls left. Positions of the same block (:mod:`.value_tables`) share one
backup of the turn (:mod:`.turn`), from 0 rerolls left up to the most that one of them needs. Goals and utilities have
ties broken by the mean (:mod:`.score_policy`).

An option is an action by its number: the holds that reroll at least one die, in the order of the lattice, then the
categories in the order of the sheet.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..game.dice import Floats, Ints
from ..model.state_space import LANES
from ..model.turn_model import TurnModel, TurnOutcomes
from .jit import jit
from .legal import choices_of, outcome_number, scoring_of_roll
from .score_policy import HoldValues, ScorePolicyJob, TurnStart, backup_holds, decision, hold_value, preferred_stop
from .simd import views
from .table_slices import TableSlice
from .turn import LOWEST, TIE, mean_block
from .value_tables import Block, mean_after, mean_table, score_block_x, score_table


class PositionBatch(NamedTuple):
    """Positions sorted by row and block, ``(n,)`` int64 each."""

    rows: Ints  # of the states
    lanes: Ints
    rolls: Ints  # number of the roll; 0 is the first one of the lattice
    rerolls: Ints  # rerolls left
    is_first_roll: Ints  # 1 if no die has been rerolled in this turn


class ActionBatch(NamedTuple):
    """Best actions, ``(n,)`` each: lattice index of the hold or -1; category or -1 (int64); value (float64)."""

    hold: Ints
    category: Ints
    value: Floats


class OptionValues(NamedTuple):
    """Values of all options of consecutive positions."""

    values: Floats  # (n * columns,): written: the value of each option, -inf where it is not legal
    columns: int  # number of options; 0 if their values are not wanted
    first: int  # the position that the first row belongs to


class BatchJob(NamedTuple):
    """Arguments of :func:`find_best_actions`."""

    model: TurnModel
    outcomes: TurnOutcomes
    lattice: Any  # FiveDice, SixDice or DiceModel
    table: TableSlice  # table of means
    positions: PositionBatch
    actions: ActionBatch  # written
    options: OptionValues  # written
    memory: HoldValues  # used by no other thread during the call


@jit
def clear_options(options, i):
    """Every option of position i as not legal; returns the place of the first."""
    first = (i - options.first) * options.columns
    for k in range(options.columns):
        options.values[first + k] = -np.inf
    return first


@jit
def best_action(values, job, i):
    """Best action of position i, after a backup of the holds of its block."""
    model, dice, positions, wanted = job.model, job.model.dice, job.positions, job.options.columns > 0
    row, lane, roll, rerolls = positions.rows[i], positions.lanes[i], positions.rolls[i], positions.rerolls[i]
    saved, option = rerolls if model.saves_rolls else 0, clear_options(job.options, i)
    allowed, way = scoring_of_roll(model, row, choices_of(model, row), roll, positions.is_first_roll[i] != 0)
    best_hold, category, value = -1, -1, LOWEST
    for c in range(model.category_count):
        if allowed >> c & 1:
            outcome = outcome_number(model, job.outcomes, way, c, roll)
            stop_value = mean_after(values, model.layout, row, lane, saved, job.outcomes, outcome)
            if stop_value > value + TIE:
                category, value = c, stop_value
            if wanted:
                job.options.values[option + dice.first_roll + c] = stop_value
    if rerolls > 0:
        # The list opens with the hold of all dice, which is to stop and score.
        for k in range(dice.hold_start[roll] + 1, dice.hold_start[roll + 1]):
            hold = dice.holds[k]
            value_of_hold = hold_value(job.memory, dice, rerolls, hold, lane % LANES)
            if value_of_hold > value + TIE:
                best_hold, category, value = hold, -1, value_of_hold
            if wanted:
                job.options.values[option + hold] = value_of_hold
    job.actions.hold[i], job.actions.category[i], job.actions.value[i] = best_hold, category, value


@jit
def same_card(positions, begin, stop):
    """End of the positions from `begin` on that share a card and a block of upper sums, and their most rerolls."""
    row, group, end, most = positions.rows[begin], positions.lanes[begin] // LANES, begin, 0
    while end < stop and positions.rows[end] == row and positions.lanes[end] // LANES == group:
        most = max(most, positions.rerolls[end])
        end += 1
    return end, most


@jit
def find_best_actions(start, stop, arguments):
    """Best actions of the positions `start` to `stop - 1`; those of one block share a backup of the turn."""
    job = views(arguments)
    positions, table, begin = job.positions, mean_table(job.table), start
    while begin < stop:
        end, most = same_card(positions, begin, stop)
        block = mean_block(job.model, positions.rows[begin], positions.lanes[begin] // LANES * LANES)
        backup_holds(table, job, block, most, job.memory)
        for i in range(begin, end):
            best_action(table.values, job, i)
        begin = end


class ScoreBatchJob(NamedTuple):
    """Arguments of :func:`find_best_score_actions`."""

    policy: ScorePolicyJob  # its working memory is used by no other thread during the call
    scores: Any  # StoredScores or EstimatedScores: table of goals or of a utility
    means: TableSlice  # table of means
    positions: PositionBatch  # sorted by row, group of upper sums (``lane // LANES``) and block of scores
    blocks: Ints  # (n,): start of the block of scores of each position
    block_lanes: Ints  # (n,): lane of its score within
    actions: ActionBatch  # written
    options: OptionValues  # written


@jit
def write_score_options(scores, means_of_states, job, turn, score_lane, i):
    """Values of all options of position i, for goals and utilities."""
    policy, model, dice, positions = job.policy, job.policy.model, job.policy.model.dice, job.positions
    roll, rerolls, is_first = positions.rolls[i], positions.rerolls[i], positions.is_first_roll[i] != 0
    option, saved = clear_options(job.options, i), rerolls if model.saves_rolls else 0
    preferred_stop(scores, means_of_states, policy, turn, roll, saved, is_first)
    allowed, _ = scoring_of_roll(model, turn.row, turn.choices, roll, is_first)
    for c in range(model.category_count):
        if allowed >> c & 1:
            job.options.values[option + dice.first_roll + c] = policy.option_values[c]
    if rerolls > 0:
        for k in range(dice.hold_start[roll] + 1, dice.hold_start[roll + 1]):
            value = hold_value(policy.scores, dice, rerolls, dice.holds[k], score_lane)
            job.options.values[option + dice.holds[k]] = value


@jit
def find_best_score_actions(start, stop, arguments):
    """The same by a table of goals or of a utility; a card and block of upper sums share a backup of the means."""
    job = views(arguments)
    policy, positions, actions = job.policy, job.positions, job.actions
    scores, means_of_states, i = score_table(job.scores), mean_table(job.means), start
    while i < stop:
        end, most = same_card(positions, i, stop)
        mean = mean_block(policy.model, positions.rows[i], positions.lanes[i] // LANES * LANES)
        backup_holds(means_of_states, policy, mean, most, policy.means)
        while i < end:
            first = job.blocks[i]
            backup_holds(scores, policy, Block(mean.row, first, mean.choices), most, policy.scores)
            while i < end and job.blocks[i] == first:
                lane = job.block_lanes[i]
                turn = TurnStart(mean.row, positions.lanes[i], score_block_x(first) + lane, mean.choices)
                roll, rerolls, is_first = positions.rolls[i], positions.rerolls[i], positions.is_first_roll[i] != 0
                hold, outcome, value = decision(scores, means_of_states, policy, turn, lane, roll, rerolls, is_first)
                category = policy.outcomes.category[outcome] if hold < 0 else -1
                actions.hold[i], actions.category[i], actions.value[i] = hold, category, value
                if job.options.columns > 0:
                    write_score_options(scores, means_of_states, job, turn, lane, i)
                i += 1
