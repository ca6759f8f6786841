"""The Bellman backup of one turn, for a vector of states of one card at a time.

For a card with the dice r on the table and n rerolls left::

    stop(r, n) = max over open categories c of  points(c, r) + V(child card, saved rolls n)
    W(r, 0)    = stop(r, 0)
    K(h, n)    = mean over the faces f of K(h + f, n),  K(r, n) = W(r, n - 1) for full rolls r
    W(r, n)    = max(stop(r, n), max over holds h within r of K(h, n))
    V(card)    = sum over first rolls r of P(r) W(r, N)

with N rerolls in a turn (plus the saved rolls), and the value of a full card given. Without saved
rolls stop(r, n) does not depend on n. Other objectives replace "points + V" by
:func:`.value_tables.child_value`. One buffer, with a vector for every multiset of dice, is
rewritten in place by passes of means, which compute K from W of full rolls, and of maxima
(:mod:`.lattice`).

Saved rolls change stop(r, n) in every pass. Then most outcomes need not be offered to each roll
that earns them: they go to the smallest holds that are sure of them
(:mod:`perfect_yatzy.core.turn_model`), and the maximum over the holds, which is taken anyway,
carries them to the rolls.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .dice import Floats, Lattice
from .jit import jit
from .lattice import copy_vectors, maxima, means
from .legal import choices_of, outcome_number, scoring_of_roll
from .simd import aligned, load, maximum, splat, store, views
from .state_space import LANES
from .table_slices import TableSlice
from .turn_model import TurnModel
from .value_tables import (
    Block,
    child_value,
    lanes_of,
    mean_table,
    points_are_added,
    states_after,
    successor,
    value_after,
    write_values,
)

# What backup_stop_values does to the target, as a sum.
OVERWRITE, RAISE = 0, 1  # replace the entry of each roll, or keep it where it is larger
FIRST_ROLL = 2  # add the bonus points of the first roll
# raise the holds that earn an outcome; a pass of maxima over the target carries them to the rolls
WITHIN = 4
TIE = 1e-10  # points; values closer than this are equal; the error of the arithmetic is about 1e-12
LOWEST = -1e30  # below every value, and still finite when points are added


class Scratch(NamedTuple):
    """Working memory of one thread, in vectors."""

    buffer: Floats  # (holds,): values by multiset of dice
    first_roll_buffer: Floats  # the same with the bonus points of the first roll
    joker_values: Floats  # (jokers,): earlier values of the joker rolls
    temp: Floats  # (1,)
    # The sum of the weights of all rolls in float32, else 1; divides the mean of the first roll, so
    # that no chance exceeds 1
    weight_sum: float


class SolveJob(NamedTuple):
    """Arguments of a kernel that solves rows of one layer."""

    model: TurnModel
    # FiveDice, SixDice or DiceModel: from :func:`perfect_yatzy.core.lattice.kernel_lattice`
    lattice: Any
    below: TableSlice  # values of the children
    target: TableSlice  # written: values of the rows to solve
    # before the turn; one sweep over the rerolls left serves all numbers of saved rolls
    most_saved: int
    scratch: Scratch  # used by no other thread during the call


def make_scratch(dice: Lattice, model: TurnModel, dtype: npt.DTypeLike = np.float64) -> Scratch:
    """Return scratch memory for one thread, for vectors of `dtype`."""
    sizes = dice.n_holds, dice.n_holds, model.jokers.size, 1
    buffer, first_rolls, joker_values, temp = (aligned(size, dtype) for size in sizes)
    return Scratch(buffer, first_rolls, joker_values, temp, weight_sum(dice, dtype))


def weight_sum(dice: Lattice, dtype: npt.DTypeLike) -> float:
    """Return the sum of the weights of all rolls as :func:`mean_of_first_roll` adds them."""
    if np.dtype(dtype) != np.float32:
        return 1.0  # it misses 1 by less than the last digit of a value
    weights = dice.weights.astype(np.float32)
    in_fours = len(weights) & ~3  # rolls in complete groups of four
    sums = np.cumsum(weights[:in_fours].reshape(-1, 4), axis=0, dtype=np.float32)
    a, b, c, d = sums[-1] if in_fours else np.zeros(4, np.float32)
    a = np.cumsum([a, *weights[in_fours:]], dtype=np.float32)[-1]
    return float((a + b) + (c + d))


@jit
def mean_block(model, row, lane):
    """Return the block of a mean table that begins at a lane of a row."""
    return Block(row, lane, choices_of(model, row))


@partial(jit, inline=True)
def offer_crossing_out(children, model, block, saved, categories, paying, mode, target, temp):
    """Offer to every roll to score nothing in some categories. If crossing out is strict, only
    rolls without points are offered it.
    """
    outcomes = model.outcomes
    dice = model.dice
    legal = model.legal
    crossed_out = splat(target, LOWEST)
    for c in range(model.category_count):
        if categories >> c & 1:
            zero = outcomes.start[c]
            after = successor(outcomes, zero, block.row, saved)
            value = child_value(children, model.layout, block, after, outcomes.points[zero], temp)
            crossed_out = maximum(crossed_out, value)
    if mode & WITHIN:
        store(target, 0, maximum(crossed_out, load(target, 0)))
    else:
        for roll in range(dice.first_roll, dice.first_roll + dice.roll_count):
            offered = crossed_out
            if legal.strict and legal.scoring[roll - dice.first_roll] & paying:
                offered = splat(target, LOWEST)  # the roll scores somewhere
            if mode & RAISE:
                offered = maximum(offered, load(target, roll))
            store(target, roll, offered)


@jit
def backup_stop_values(children, model, block, saved, mode, target, scratch):
    """Write the best category for each roll by its dice. It goes to the entry of the roll or, in
    the mode WITHIN, of holds that are sure of it.
    """
    outcomes = model.outcomes
    legal = model.legal
    layout = model.layout
    temp = scratch.temp
    # Bitmasks of the categories that cannot pay, because they require points of another box, and
    # that can.
    unmet = 0 if block.row >= model.card_count else block.choices & legal.requiring
    paying = block.choices & ~unmet
    # If more points may be worth less, a roll must not be crossed out where it scores.
    crossed_out_apart = model.monotone or legal.strict
    crossed_out = block.choices if crossed_out_apart else unmet
    offer_crossing_out(children, model, block, saved, crossed_out, paying, mode, target, temp)
    starts = outcomes.hold_start if mode & WITHIN else outcomes.roll_start
    places = outcomes.holds if mode & WITHIN else outcomes.rolls
    for c in range(model.category_count):
        if paying >> c & 1:
            bonus = outcomes.first_roll_bonus[c] if mode & FIRST_ROLL else 0.0
            zero, end = outcomes.start[c], outcomes.start[c + 1]
            outcome = zero + 1 if crossed_out_apart else zero  # the first one pays nothing
            while outcome < end:  # in runs of outcomes that lead to the same states
                step, shift = outcomes.step[outcome], outcomes.shift[outcome]
                after = successor(outcomes, outcome, block.row, saved)
                states = states_after(children, layout, block, after, temp)
                while (
                    outcome < end
                    and outcomes.step[outcome] == step
                    and outcomes.shift[outcome] == shift
                ):
                    points = outcomes.points[outcome] + (bonus if outcome > zero else 0.0)
                    value = value_after(children, layout, block, states, points, temp)
                    for i in range(starts[outcome], starts[outcome + 1]):
                        place = places[i]
                        store(target, place, maximum(value, load(target, place)))
                    outcome += 1


@jit
def joker_value(children, model, block, saved, joker, mode, temp):
    """Return the value of the best category for a joker roll."""
    outcomes = model.turn_outcomes
    best = splat(temp, LOWEST)
    roll = model.jokers.rolls[joker] - model.dice.first_roll
    allowed, way = scoring_of_roll(model, block.row, block.choices, roll, mode & FIRST_ROLL)
    for c in range(model.category_count):
        if allowed >> c & 1:
            i = outcome_number(model, way, c, roll)
            end = successor(outcomes, i, block.row, saved)
            best = maximum(
                best, child_value(children, model.layout, block, end, outcomes.total[i], temp)
            )
    return best


@jit
def backup_all_stop_values(children, model, block, saved, mode, target, scratch):
    """Write the best category for each roll, with the joker rule. With RAISE a pass of maxima over
    `target` must follow.
    """
    jokers = model.jokers
    # none before its box is filled
    count = jokers.size if model.layout.masks[block.row] & jokers.bit else 0
    if mode & RAISE and count == 0 and model.nested and points_are_added(children):
        mode |= WITHIN  # fewer entries to write: that pass carries them to the rolls
    # backup_stop_values scores jokers as any roll: what they had before is kept, and raised by the
    # joker rule below.
    for joker in range(count):
        roll = jokers.rolls[joker]
        before = load(target, roll) if mode & RAISE else splat(target, LOWEST)
        store(scratch.joker_values, joker, before)
    backup_stop_values(children, model, block, saved, mode, target, scratch)
    for joker in range(count):
        value = joker_value(children, model, block, saved, joker, mode, scratch.temp)
        store(target, jokers.rolls[joker], maximum(value, load(scratch.joker_values, joker)))


@jit
def mean_of_first_roll(dice, buffer):
    """Return the sum of weight times value over all rolls."""
    # Four running sums: a single one would wait for each addition to end before the next.
    a, b, c, d = splat(buffer, 0.0), splat(buffer, 0.0), splat(buffer, 0.0), splat(buffer, 0.0)
    entry = dice.first_roll
    in_fours = dice.roll_count & ~3  # rolls in complete groups of four
    for roll in range(0, in_fours, 4):
        a += dice.weights[roll] * load(buffer, entry)
        b += dice.weights[roll + 1] * load(buffer, entry + 1)
        c += dice.weights[roll + 2] * load(buffer, entry + 2)
        d += dice.weights[roll + 3] * load(buffer, entry + 3)
        entry += 4
    for roll in range(in_fours, dice.roll_count):
        a += dice.weights[roll] * load(buffer, entry)
        entry += 1
    return a + b + (c + d)


@jit
def solve_turn(children, target, job, block):
    """Solve the turn of one card for one block, for every number of saved rolls.

    `job` holds views.
    """
    model, lattice, scratch = job.model, job.lattice, job.scratch
    buffer, first_rolls = scratch.buffer, scratch.first_roll_buffer
    for rerolls in range(model.rolls_per_turn + job.most_saved):
        saved = rerolls if model.saves_rolls else 0
        # a turn with so many saved rolls begins here
        saved_before = rerolls - model.rolls_per_turn + 1
        mode = RAISE if rerolls > 0 else OVERWRITE
        if rerolls > 0:
            means(buffer, lattice)  # of the holds, from the values of the rolls
        if model.has_first_roll_bonus and saved_before >= 0:
            # In a copy: turns that begin with more rolls pass through here later, without this
            # bonus.
            copy_vectors(buffer, 0, first_rolls, 0, model.dice.first_roll + model.dice.roll_count)
            backup_all_stop_values(
                children, model, block, saved, FIRST_ROLL | mode, first_rolls, scratch
            )
            if rerolls > 0:
                maxima(first_rolls, lattice)
        # else the rolls keep what they are worth with one reroll less
        if rerolls == 0 or model.saves_rolls:
            backup_all_stop_values(children, model, block, saved, mode, buffer, scratch)
        if rerolls > 0:
            maxima(buffer, lattice)
        if saved_before >= 0:
            values = first_rolls if model.has_first_roll_bonus else buffer
            best = mean_of_first_roll(model.dice, values) / scratch.weight_sum
            write_values(target, model.layout, block, saved_before, best, scratch.temp)


@jit
def solve_lanes(rows, children, target, job):
    """Solve all states of some rows, with lanes of upper sums in a vector."""
    for row in rows:
        for lane in range(0, lanes_of(job.model.layout, row), LANES):
            solve_turn(children, target, job, mean_block(job.model, row, lane))


@jit
def solve_rows(rows, arguments):
    """Solve all states of the given rows, by a SolveJob with tables of float64."""
    job = views(arguments)
    solve_lanes(rows, mean_table(job.below), mean_table(job.target), job)
