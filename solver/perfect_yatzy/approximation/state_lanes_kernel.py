"""Play one turn of eight different states at a time, from the values of their children.

It is for games without a table.

The backup of :mod:`..core.turn` has the upper sums of one card in the lanes of a vector. Here each
lane is a state of its own, with its own open boxes::

    block b = states 8b, ..., 8b + 7
    child values[b, n, slot] = a vector: value of each state after the turn, if it ends with n rerolls left

for the slots of :class:`perfect_yatzy.strategy.turn_slots.TurnSlots`. A slot that a state
cannot reach holds a number below NOT_REACHED, so one maximum serves all lanes. A joker restricts
the boxes by state: its rolls are decided lane by lane.

:func:`play_states` also plays the turn, one game a lane. Of equal options it takes the end of the turn,
then the hold with the fewest dice, and of equal categories the first of the sheet.
:func:`solve_positive` solves the equations of the fit with the same bits on every machine, while LAPACK
adds in an order that depends on the processor.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..core.dice import Floats, Ints, Lattice
from ..core.jit import jit
from ..core.lattice import copy_vectors, maxima, means
from ..core.legal import count_bits, mask_at, nth_bit, outcome_number, scoring_on_card
from ..core.simd import aligned, choose, load, maximum, shifted, splat, store, views
from ..core.state_space import LANES
from ..core.turn import LOWEST, mean_of_first_roll
from ..strategy.rollout_kernel import DIE_BITS, completed_roll, random_word
from ..strategy.turn_slots import TurnSlots

NOT_REACHED = -1e29  # values below this are those of slots that a state cannot reach
EXPLORATION_ROLL = 254  # the counter of the random word that decides whether a turn explores
NOT_FOUND = -1
PANEL = 8  # rows that are eliminated together, while each row above is in the first-level cache


class LaneTable(NamedTuple):
    """Child values of blocks of states, by block, rerolls left, slot and lane.

    Without saved rolls there is one stage of rerolls left.
    """

    values: Floats  # (blocks * stages * slots * LANES,)
    slots: int
    stages: int


class LaneStates(NamedTuple):
    """States at the start of a turn, ``(8 * blocks,)`` each.

    They are int64, and masks (:mod:`..core.legal`).
    """

    filled: Ints  # bitmask of filled categories
    choices: Ints  # bitmask of those that the turn may fill
    saved: Ints  # rolls saved
    tracked: Ints  # 1 if the tracked box holds points


class TurnResults(NamedTuple):
    """What a turn leads to, ``(8 * blocks,)`` each, as the kernels write it."""

    expected: Floats  # expected points to come before the turn, if the child values are right
    reached: Floats  # points made in the turn and the child value that follows
    outcome: Ints  # number of the outcome
    rerolls: Ints  # rerolls left at the end of the turn


class LaneScratch(NamedTuple):
    """Working memory of one thread, in vectors."""

    # (stages * holds,): the best value within each multiset, by rerolls left from 1 on
    holds: Floats
    # (stages * rolls,): value of the best category, by rerolls left, with one stage without saved rolls
    stops: Floats
    first_stops: Floats  # (rolls,): the same for the first roll of a turn, if it has bonus points
    outcomes: Floats  # (outcomes,): value of each outcome
    temp: Floats  # (1,)


class LaneJob(NamedTuple):
    """Arguments of the kernels on states."""

    model: TurnSlots
    lattice: Any  # FiveDice, SixDice or DiceModel
    states: LaneStates
    turns: TurnResults  # written
    most_saved: int  # most rolls saved before the turn
    scratch: LaneScratch  # used by no other thread during the call


class LaneGames(NamedTuple):
    """The games of the states, for :func:`play_states`."""

    numbers: Ints  # (8 * blocks,): number of each game
    seed: int  # the dice depend on seed and turn
    turn: int
    # (8 * blocks,): chance that a turn of the game ends with a category drawn at random
    exploration: Floats


def lane_scratch(dice: Lattice, model: TurnSlots, most_saved: int) -> LaneScratch:
    """Return scratch for one thread."""
    stages = model.rolls_per_turn + most_saved
    stops = dice.n_rolls * (stages if model.saves_rolls else 1)
    return LaneScratch(
        holds=aligned(max(1, stages - 1) * dice.n_holds),
        stops=aligned(stops),
        first_stops=aligned(dice.n_rolls),
        outcomes=aligned(model.outcome_count),
        temp=aligned(1),
    )


@jit
def slot_number(children, block, saved, slot):
    """Return the number of the vector with the child values of a slot."""
    return (block * children.stages + saved) * children.slots + slot


@jit
def outcome_value(children, model, block, lane, saved, outcome):
    """Return the value of an outcome for one lane."""
    vector = slot_number(children, block, saved, model.slot[outcome])
    return children.values[vector * LANES + lane] + model.total[outcome]


@jit
def scoring_of_lane(job, block, lane, roll, is_first):
    """Return the categories that may take a roll in one lane, and the way they score it.

    The categories are a bitmask, and the first roll of the lattice is 0.
    """
    states = job.states
    state = block * LANES + lane
    filled, choices = mask_at(states.filled, state), mask_at(states.choices, state)
    return scoring_on_card(job.model, filled, states.tracked[state] != 0, choices, roll, is_first)


@jit
def best_stop(children, job, block, lane, saved, roll, is_first):
    """Return the number of the outcome in the best category of one lane for a roll, and its value."""
    allowed, way = scoring_of_lane(job, block, lane, roll, is_first)
    best, best_outcome = LOWEST, NOT_FOUND
    for c in range(job.model.category_count):
        if allowed >> c & 1:
            outcome = outcome_number(job.model, way, c, roll)
            value = outcome_value(children, job.model, block, lane, saved, outcome)
            if value > best:
                best, best_outcome = value, outcome
    return best_outcome, best


@jit
def backup_stops(children, job, block, saved, is_first, target):
    """Write the value of the best category for each roll into the entries of `target`."""
    model, scratch = job.model, job.scratch
    for outcome in range(model.outcome_count):
        to_come = load(children.values, slot_number(children, block, saved, model.slot[outcome]))
        store(scratch.outcomes, outcome, to_come + model.total[outcome])
    crossed_out = splat(target, LOWEST)
    for c in range(model.category_count):
        if model.legal.strict or model.zero_everywhere[c]:
            crossed_out = maximum(crossed_out, load(scratch.outcomes, model.zero_outcome[c]))
    start = model.first_start if is_first else model.roll_start
    outcomes = model.first_outcomes if is_first else model.roll_outcomes
    lowest, threshold = splat(target, LOWEST), splat(target, NOT_REACHED)
    for roll in range(model.dice.roll_count):
        best = lowest if model.legal.strict else crossed_out
        for i in range(start[roll], start[roll + 1]):
            best = maximum(best, load(scratch.outcomes, outcomes[i]))
        if model.legal.strict:  # only a roll that scores nowhere may cross out
            best = choose(best, threshold, best, crossed_out)
        store(target, roll, best)
    # Some rolls are decided lane by lane: all of them where an open box may not pay, else the jokers.
    for lane in range(LANES):
        state = block * LANES + lane
        filled = mask_at(job.states.filled, state)
        has_unpaid = bool(mask_at(model.unpaid, 0) & ~filled) and not job.states.tracked[state]
        has_jokers = bool(filled & mask_at(model.jokers.bit, 0))
        joker_count = model.jokers.size if has_jokers else 0
        for i in range(model.dice.roll_count if has_unpaid else joker_count):
            roll = i if has_unpaid else model.jokers.rolls[i] - model.dice.first_roll
            _, value = best_stop(children, job, block, lane, saved, roll, is_first)
            target[roll * LANES + lane] = value


@jit
def stage_of(job, rerolls):
    """Return the part of ``holds`` for 1, 2, ... rerolls left, as a view by multiset."""
    dice = job.model.dice
    return shifted(job.scratch.holds, -(rerolls - 1) * (dice.first_roll + dice.roll_count) * LANES)


@jit
def backup_block(children, job, block):
    """Compute the turns of one block. Fills the scratch and writes ``expected``."""
    model, scratch, dice = job.model, job.scratch, job.model.dice
    first_roll, roll_count, first_stops = dice.first_roll, dice.roll_count, scratch.first_stops
    for rerolls in range(model.rolls_per_turn + job.most_saved):
        stage = stage_of(job, max(rerolls, 1))  # is the same without rerolls and with one
        saved = rerolls if model.saves_rolls else 0
        stops = shifted(scratch.stops, -saved * roll_count * LANES)
        if rerolls == 0 or model.saves_rolls:
            backup_stops(children, job, block, saved, False, stops)
        if rerolls > 1:
            copy_vectors(stage_of(job, rerolls - 1), first_roll, stage, first_roll, roll_count)
        if rerolls > 0:
            means(stage, job.lattice)
        if rerolls != 1 or model.saves_rolls:  # otherwise the rolls of the stage hold them already
            copy_vectors(stops, 0, stage, first_roll, roll_count)
        if rerolls > 0:
            maxima(stage, job.lattice)
        # Turns that begin with so many saved rolls begin here, if it is not negative.
        saved_before = rerolls - model.rolls_per_turn + 1
        if saved_before >= 0:
            value = mean_of_first_roll(dice, stage)
            # Turns that begin with more rolls pass `stage` without it.
            if model.has_first_roll_bonus:
                backup_stops(children, job, block, saved, True, first_stops)
                value = splat(stage, 0.0)
                for roll in range(roll_count):
                    value += dice.weights[roll] * maximum(
                        load(first_stops, roll), load(stage, first_roll + roll)
                    )
            store(scratch.temp, 0, value)
            for lane in range(LANES):
                if job.states.saved[block * LANES + lane] == saved_before:
                    job.turns.expected[block * LANES + lane] = scratch.temp[lane]


@jit
def best_hold(dice, stage, lane, roll):
    """Return the best hold of one lane within a full roll, and its value.

    It rerolls at least one die.
    """
    # `stage` has the best value within each multiset. The hold is one that has it, while no smaller
    # one within it does.
    hold, best = roll, LOWEST
    for i in range(dice.predecessor_start[roll], dice.predecessor_start[roll + 1]):
        smaller = dice.predecessors[i]
        value = stage[smaller * LANES + lane]
        if value > best:
            hold, best = smaller, value
    i = dice.predecessor_start[hold]
    while i < dice.predecessor_start[hold + 1]:
        smaller = dice.predecessors[i]
        if stage[smaller * LANES + lane] == best:
            hold = smaller  # the search goes on from there
            i = dice.predecessor_start[hold]
        else:
            i += 1
    return hold, best


@jit
def play_lane(children, job, games, block, lane):
    """Play the turn of one game, greedily on the values in the scratch."""
    model = job.model
    dice = job.model.dice
    state = block * LANES + lane
    game = games.numbers[state]
    most = model.rolls_per_turn - 1 + job.states.saved[state]
    held = 0
    rerolls = most
    while True:
        rolled = completed_roll(
            dice, held, random_word(games.seed, game, games.turn, most - rerolls)
        )
        roll = rolled - dice.first_roll
        saved = rerolls if model.saves_rolls else 0
        outcome, value = best_stop(children, job, block, lane, saved, roll, rerolls == most)
        if rerolls == 0:
            break
        hold, hold_value = best_hold(dice, stage_of(job, rerolls), lane, rolled)
        if hold_value <= value:
            break
        held = hold
        rerolls = rerolls - 1
    whether = float(random_word(games.seed, game, games.turn, EXPLORATION_ROLL))
    # If the turn explores, the last roll ends in another category.
    if whether < games.exploration[state] * float(1 << DIE_BITS):
        word = random_word(games.seed, game, games.turn, EXPLORATION_ROLL + 1)
        allowed, way = scoring_of_lane(job, block, lane, roll, rerolls == most)
        category = nth_bit(allowed, int(word % np.uint64(count_bits(allowed))))
        outcome = outcome_number(model, way, category, roll)
        value = outcome_value(children, model, block, lane, saved, outcome)
    job.turns.reached[state] = value
    job.turns.outcome[state] = outcome
    job.turns.rerolls[state] = rerolls


@jit
def backup_states(begin, end, arguments, table):
    """Write the values of the states of the blocks `begin` to ``end - 1``.

    They are those of one exact turn on the child values.
    """
    job, children = views(arguments), views(table)
    for block in range(begin, end):
        backup_block(children, job, block)


@jit
def play_states(begin, end, arguments, table, played):
    """Play one turn of the games in the blocks `begin` to ``end - 1``, greedily."""
    job, children, games = views(arguments), views(table), views(played)
    for block in range(begin, end):
        backup_block(children, job, block)
        for lane in range(LANES):
            play_lane(children, job, games, block, lane)


@jit
def eliminate(matrix: Floats, right: Floats, k: int, i: int) -> None:
    """Subtract the finished row k from row i, from the diagonal on."""
    # Entry (i, k) is read above the diagonal, because the matrix is symmetric.
    factor = matrix[k, i] / matrix[k, k]
    above, row = matrix[k, i:], matrix[i, i:]
    for j in range(len(row)):
        row[j] -= factor * above[j]
    right[i] -= factor * right[k]


@jit
def solve_positive(matrix: Floats, right: Floats, least: float) -> None:
    """Solve a symmetric positive definite system in place, into `right`.

    No eigenvalue is below `least`.
    """
    n = len(right)
    for begin in range(0, n, PANEL):
        end = min(n, begin + PANEL)
        for k in range(begin):  # the rows above are finished
            for i in range(begin, end):
                eliminate(matrix, right, k, i)
        for k in range(begin, end):  # each row is finished when its turn comes
            matrix[k, k] = max(matrix[k, k], least)
            for i in range(k + 1, end):
                eliminate(matrix, right, k, i)
    for i in range(n - 1, -1, -1):  # back substitution
        rest = right[i]  # without the unknowns that are solved
        for j in range(i + 1, n):
            rest -= matrix[i, j] * right[j]
        right[i] = rest / matrix[i, i]
