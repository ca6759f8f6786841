"""Find the chances of all outcomes of the best turn of a state, by the transpose of the backup.

The turn of :mod:`..core.turn` is computed once more, and what each of its passes read is kept. Then
the chance of each roll moves the other way::

    first roll        chance of the state * P(roll)
    transposed maxima a multiset passes its chance to the first multiset with one die less that has its value
    transposed means  a hold passes a share of its chance to each multiset with one die more
    last stop         a roll passes its chance to the first outcome that has its value

A maximum copies one of its operands, so that "has its value" compares equal bits. This works for
turns without saved rolls and without bonuses of the first roll. With many dice it is many times
faster than :mod:`..objectives.policy_kernel`, which lists holds.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..core.dice import Floats, Lattice
from ..core.jit import jit
from ..core.lattice import copy_vectors, fill, maxima, means
from ..core.simd import (
    add_to,
    aligned,
    choose,
    load,
    maximum,
    reaches,
    shifted,
    splat,
    store,
    views,
)
from ..core.state_space import LANES
from ..core.table_slices import TableSlice
from ..core.turn import LOWEST, OVERWRITE, Scratch, backup_stop_values, make_scratch, mean_block
from ..core.turn_model import TurnModel
from ..core.value_tables import child_value, lanes_of, mean_table, state_place, successor

LEAST = 1e-12  # smaller chances are left out


class VisitScratch(NamedTuple):
    """Working memory of one thread, in vectors."""

    turn: Scratch
    before: Floats  # (rerolls * holds,): values of all multisets before each pass of maxima
    after: Floats  # (rerolls * holds,): the same after it
    stop: Floats  # (rolls,): value of each roll if the turn ends
    node: Floats  # (holds,): chance of each multiset
    ends: Floats  # (outcomes,): chance of each outcome


class VisitJob(NamedTuple):
    """Arguments of :func:`visit_row`."""

    model: TurnModel
    values: TableSlice  # values of the children, float64
    chance: Floats  # (size,): chance of each state, by the place of its value
    # (outcomes * lanes,), written: chance that play visits a state and its turn ends with an outcome
    target: Floats
    scratch: VisitScratch  # used by no other thread during the call


def visit_scratch(dice: Lattice, model: TurnModel) -> VisitScratch:
    """Return scratch for one thread."""
    stages = (model.rolls_per_turn - 1) * dice.n_holds
    sizes = (stages, stages, dice.n_rolls, dice.n_holds, len(model.outcomes.points))
    return VisitScratch(make_scratch(dice, model), *(aligned(size, np.float64) for size in sizes))


@jit
def turn_values(children, job, block):
    """Compute the turn of a block.

    All values before and after each choice of a hold are kept in the scratch.
    """
    model, scratch, buffer, dice = job.model, job.scratch, job.scratch.turn.buffer, job.model.dice
    holds = dice.first_roll + dice.roll_count
    backup_stop_values(children, model, block, 0, OVERWRITE, buffer, scratch.turn)
    copy_vectors(buffer, dice.first_roll, scratch.stop, 0, dice.roll_count)
    for reroll in range(model.rolls_per_turn - 1):
        means(buffer, dice)
        copy_vectors(buffer, 0, scratch.before, reroll * holds, holds)
        maxima(buffer, dice)
        copy_vectors(buffer, 0, scratch.after, reroll * holds, holds)


@jit
def put_dice_aside(dice, node, before, after):
    """Move the chance of each multiset to its best hold, die by die.

    `before` and `after` are the values before and after the maxima.
    """
    zero, least = splat(node, 0.0), splat(node, LEAST)
    for hold in range(dice.first_roll + dice.roll_count - 1, 0, -1):
        chance = load(node, hold)
        if not reaches(chance, least):
            continue
        best = load(after, hold)
        # The chance stays in the lanes in which it is the best hold itself.
        stays = choose(load(before, hold), best, chance, zero)
        rest = chance - stays
        store(node, hold, stays)
        i, end = dice.predecessor_start[hold], dice.predecessor_start[hold + 1]
        while i < end and reaches(rest, least):
            smaller = dice.predecessors[i]
            moves = choose(load(after, smaller), best, rest, zero)
            add_to(node, smaller, moves)
            rest -= moves
            i += 1


@jit
def reroll_dice(dice, node):
    """Move the chances of all holds to full rolls, one die at a time."""
    share, zero, least = splat(node, 1.0 / dice.faces), splat(node, 0.0), splat(node, LEAST)
    for hold in range(dice.first_roll):
        chance = load(node, hold)
        if reaches(chance, least):
            part = chance * share
            for face in range(dice.faces):
                add_to(node, dice.successors[hold * dice.faces + face], part)
        store(node, hold, zero)


@jit
def value_of_outcome(children, job, block, i):
    """Return the value of an outcome of a turn."""
    outcomes = job.model.outcomes
    end = successor(job.model.outcomes, i, block.row, 0)
    return child_value(
        children, job.model.layout, block, end, outcomes.points[i], job.scratch.turn.temp
    )


@jit
def end_turns(children, job, block):
    """Move the chances of all rolls to the outcomes that end their turns."""
    model, scratch, outcomes = job.model, job.scratch, job.model.outcomes
    node = scratch.node
    stop = scratch.stop
    ends = scratch.ends
    first_roll = job.model.dice.first_roll
    zero, best_lowest = splat(node, 0.0), splat(node, LOWEST)
    fill(ends, 0, outcomes.start[model.category_count], zero)
    for c in range(model.category_count):
        if block.choices >> c & 1:
            # Any roll may end in the first outcome. It crosses the category out; in the class of a
            # relaxed game it has the lowest gain of any roll.
            lowest_outcome = outcomes.start[c]
            for i in range(lowest_outcome, outcomes.start[c + 1]):
                value = value_of_outcome(children, job, block, i)
                total = zero
                # These are the rolls whose best value it is, where at least means equal. Later
                # outcomes no longer find their chance.
                for j in range(outcomes.roll_start[i], outcomes.roll_start[i + 1]):
                    roll = outcomes.rolls[j]
                    chance = load(node, roll)
                    moves = choose(value, load(stop, roll - first_roll), chance, zero)
                    store(node, roll, chance - moves)
                    total += moves
                add_to(ends, i, total)
                if i == lowest_outcome:
                    best_lowest = maximum(value, best_lowest)
    # What is left ends in the first outcome of the best category.
    rest = zero
    for roll in range(model.dice.roll_count):
        rest += load(node, first_roll + roll)
        store(node, first_roll + roll, zero)
    for c in range(model.category_count):
        if block.choices >> c & 1:
            value = value_of_outcome(children, job, block, outcomes.start[c])
            moves = choose(value, best_lowest, rest, zero)
            add_to(ends, outcomes.start[c], moves)
            rest -= moves


@jit
def visit_block(children, job, block, lanes):
    """Write the chances of all outcomes of a block of `lanes` states to ``ends`` of the scratch."""
    model, scratch = job.model, job.scratch
    dice, temp, node = model.dice, scratch.turn.temp, scratch.node
    first = state_place(model.layout, block.row, 0, block.start)
    for lane in range(LANES):
        temp[lane] = job.chance[first + lane] if lane < lanes else 0.0
    chances = load(temp, 0)  # the chances of the states
    turn_values(children, job, block)
    fill(node, 0, dice.first_roll, splat(node, 0.0))
    for roll in range(dice.roll_count):
        store(node, dice.first_roll + roll, dice.weights[roll] * chances)
    for reroll in range(model.rolls_per_turn - 2, -1, -1):
        by = -reroll * (dice.first_roll + dice.roll_count) * LANES
        put_dice_aside(dice, node, shifted(scratch.before, by), shifted(scratch.after, by))
        reroll_dice(dice, node)
    end_turns(children, job, block)


@jit
def visit_row(row, arguments):
    """Write the chances of all outcomes of all states of a row."""
    job = views(arguments)
    children = mean_table(job.values)
    count = lanes_of(job.model.layout, row)
    for start in range(0, count, LANES):
        lanes = min(LANES, count - start)
        visit_block(children, job, mean_block(job.model, row, start), lanes)
        for i in range(job.model.outcomes.start[job.model.category_count]):
            for lane in range(lanes):
                job.target[i * count + start + lane] = job.scratch.ends[i * LANES + lane]
