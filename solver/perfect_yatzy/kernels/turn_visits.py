"""Where the best turn of a state ends: the chances of all outcomes, by the transpose of the backup.

The turn of :mod:`.turn` is computed once more, and what each of its passes read is kept. Then the chance of each roll
moves the other way::

    first roll        chance of the state * P(roll)
    transposed maxima a multiset passes its chance to the first multiset with one die less that has its value
    transposed means  a hold passes a share of its chance to each multiset with one die more
    last stop         a roll passes its chance to the first outcome that has its value

A maximum copies one of its operands, so that "has its value" compares equal bits. For turns without saved rolls and
without bonuses of the first roll. The policy of :mod:`.policy` breaks ties as people expect; this one is many times
faster with many dice, because it does not list the holds of each roll.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..game.dice import Floats, Lattice
from ..model.state_space import LANES
from ..model.turn_model import TurnModel
from .jit import jit
from .lattice import IndexedLattice, maxima, means
from .simd import add, aligned, choose, load, multiply, peek, poke, reaches, shifted, splat, store, views
from .table_slices import TableSlice
from .turn import LOWEST, OVERWRITE, Scratch, backup_stop_values, make_scratch, mean_block
from .value_tables import MeanTable, Successor, child_value

LEAST = 1e-12  # smaller chances are left out


class VisitScratch(NamedTuple):
    """Working memory of one thread, in vectors.

    Attributes
    ----------
    turn : Scratch
    before, after : (rerolls * holds,)
        Values of all multisets before and after each pass of maxima.
    stop : (rolls,)
        Value of each roll if the turn ends.
    node : (holds,)
        Chance of each multiset.
    ends : (outcomes,)
        Chance of each outcome.
    """

    turn: Scratch
    before: Floats
    after: Floats
    stop: Floats
    node: Floats
    ends: Floats


class VisitJob(NamedTuple):
    """Arguments of :func:`visit_rows`.

    Attributes
    ----------
    model : TurnModel
    lattice : IndexedLattice
    values : TableSlice
        Values of the children, float64.
    chance : (size,) float64
        Chance of each state, by the place of its value.
    target : (outcomes * states,) float64
        Written: chance that play visits a state and its turn ends with an outcome; outcome by outcome.
    first_state, states : int
        Place of the first state of the rows, and how many places there are from it to the last.
    scratch : VisitScratch
        Used by no other thread during the call.
    """

    model: TurnModel
    lattice: IndexedLattice
    values: TableSlice
    chance: Floats
    target: Floats
    first_state: int
    states: int
    scratch: VisitScratch


def visit_scratch(dice: Lattice, model: TurnModel) -> VisitScratch:
    """Scratch for one thread."""
    stages = (model.rolls_per_turn - 1) * dice.n_holds
    sizes = (stages, stages, dice.n_rolls, dice.n_holds, len(model.outcomes.points))
    return VisitScratch(make_scratch(dice, model), *(aligned(size, np.float64) for size in sizes))


@jit
def copy_vectors(source, target, first, count):
    """Copy `count` vectors to the entries of `target` from the first one on."""
    for i in range(count):
        store(target, first + i, load(source, i))


@jit
def turn_values(children, job, block):
    """The turn of a block, with all values before and after each choice of a hold kept in the scratch."""
    model, lattice, scratch = job.model, job.lattice, job.scratch
    buffer = scratch.turn.buffer
    backup_stop_values(children, model, block, 0, OVERWRITE, buffer, scratch.turn)
    copy_vectors(shifted(buffer, -model.dice.first_roll * LANES), scratch.stop, 0, model.dice.roll_count)
    for reroll in range(model.rolls_per_turn - 1):
        means(buffer, lattice)
        copy_vectors(buffer, scratch.before, reroll * lattice.holds, lattice.holds)
        maxima(buffer, lattice)
        copy_vectors(buffer, scratch.after, reroll * lattice.holds, lattice.holds)


@jit
def put_dice_aside(lattice, node, before, after):
    """Move the chance of each multiset to its best hold."""
    zero, least, minus_one = splat(node, 0.0), splat(node, LEAST), splat(node, -1.0)
    for hold in range(lattice.holds - 1, 0, -1):
        chance = load(node, hold)
        if not reaches(chance, least):
            continue
        best = load(after, hold)
        stays = choose(load(before, hold), best, chance, zero)
        rest = add(chance, multiply(minus_one, stays))
        store(node, hold, stays)
        i, end = peek(lattice.predecessor_start, hold), peek(lattice.predecessor_start, hold + 1)
        while i < end and reaches(rest, least):
            smaller = peek(lattice.predecessors, i)
            moves = choose(load(after, smaller), best, rest, zero)
            store(node, smaller, add(load(node, smaller), moves))
            rest = add(rest, multiply(minus_one, moves))
            i += 1


@jit
def reroll_dice(lattice, node):
    """Move the chances of all holds to full rolls, one die at a time."""
    share, zero, least = splat(node, 1.0 / lattice.faces), splat(node, 0.0), splat(node, LEAST)
    for hold in range(lattice.first_roll):
        chance = load(node, hold)
        if reaches(chance, least):
            part = multiply(chance, share)
            for face in range(lattice.faces):
                larger = peek(lattice.successors, hold * lattice.faces + face)
                store(node, larger, add(load(node, larger), part))
        store(node, hold, zero)


@jit
def end_turns(children, job, block):
    """Move the chances of all rolls to the outcomes that end their turns."""
    model, scratch, outcomes = job.model, job.scratch, job.model.outcomes
    node, stop, ends, first_roll = scratch.node, scratch.stop, scratch.ends, job.model.dice.first_roll
    zero, minus_one = splat(node, 0.0), splat(node, -1.0)
    temp = scratch.turn.temp
    crossed_out = splat(node, LOWEST)
    for i in range(peek(outcomes.start, model.category_count)):
        store(ends, i, zero)
    for c in range(model.category_count):
        if block.choices >> c & 1:
            for i in range(peek(outcomes.start, c), peek(outcomes.start, c + 1)):
                child, shift = block.row + peek(outcomes.step, i), peek(outcomes.shift, i)
                successor, points = Successor(child, 0, shift), peek(outcomes.points, i)
                value = child_value(children, model.layout, block, successor, points, temp)
                total = zero
                for j in range(peek(outcomes.roll_start, i), peek(outcomes.roll_start, i + 1)):
                    roll = peek(outcomes.rolls, j)
                    chance = load(node, roll)
                    moves = choose(value, load(stop, roll - first_roll), chance, zero)
                    store(node, roll, add(chance, multiply(minus_one, moves)))
                    total = add(total, moves)
                store(ends, i, add(load(ends, i), total))
    # What is left ends in the outcome that any roll may have: that of the best category.
    rest = zero
    for roll in range(model.dice.roll_count):
        rest = add(rest, load(node, first_roll + roll))
        store(node, first_roll + roll, zero)
    for attempt in range(2):
        for c in range(model.category_count):
            if block.choices >> c & 1:
                i = peek(outcomes.start, c)
                child, shift = block.row + peek(outcomes.step, i), peek(outcomes.shift, i)
                successor, points = Successor(child, 0, shift), peek(outcomes.points, i)
                value = child_value(children, model.layout, block, successor, points, temp)
                if attempt == 0:
                    crossed_out = choose(value, crossed_out, value, crossed_out)
                else:
                    moves = choose(value, crossed_out, rest, zero)
                    store(ends, i, add(load(ends, i), moves))
                    rest = add(rest, multiply(minus_one, moves))


@jit
def visit_block(children, job, block, lanes):
    """Chances of all outcomes of a block of `lanes` states, into ``ends`` of the scratch."""
    model, scratch, lattice = job.model, job.scratch, job.lattice
    dice, temp, node = model.dice, scratch.turn.temp, scratch.node
    first = peek(model.layout.offsets, block.row) + block.start
    for lane in range(LANES):
        poke(temp, lane, peek(job.chance, first + lane) if lane < lanes else 0.0)
    here, zero = load(temp, 0), splat(node, 0.0)
    turn_values(children, job, block)
    for hold in range(lattice.first_roll):
        store(node, hold, zero)
    for roll in range(dice.roll_count):
        store(node, dice.first_roll + roll, multiply(splat(node, peek(dice.weights, roll)), here))
    for reroll in range(model.rolls_per_turn - 2, -1, -1):
        by = -reroll * lattice.holds * LANES
        put_dice_aside(lattice, node, shifted(scratch.before, by), shifted(scratch.after, by))
        reroll_dice(lattice, node)
    end_turns(children, job, block)


@jit
def visit_rows(rows, arguments):
    """Chances of all outcomes of all states of the given rows.

    Parameters
    ----------
    rows : (n,) int64
        Rows of one layer.
    arguments : VisitJob
    """
    job = views(arguments)
    children = MeanTable(shifted(job.values.values, job.values.start))
    layout = job.model.layout
    outcomes = peek(job.model.outcomes.start, job.model.category_count)
    for row in rows:
        count = peek(layout.lane_count, peek(layout.lane_sets, row))
        for start in range(0, count, LANES):
            lanes = min(LANES, count - start)
            visit_block(children, job, mean_block(job.model, row, start), lanes)
            first = peek(layout.offsets, row) + start - job.first_state
            for i in range(outcomes):
                for lane in range(lanes):
                    poke(job.target, i * job.states + first + lane, peek(job.scratch.ends, i * LANES + lane))
