"""The likelihood of recorded decisions under a player's own prices, in compiled code.

To the player, a turn that fills box c and leads to the card s is worth::

    points + V*(s) - delta_c + rho B*(s)

V* are the expected points to come under perfect play, B* the part of them that is the upper bonus.
The turn runs backwards for these values as that of :mod:`perfect_yatzy.core.turn` does. Each value
goes with its derivatives, which by the envelope theorem are those of the choices the player would
make later in the turn: minus the chance that each box is filled, and the mean of B*.

A *row* has the value, the derivative by rho, and one for each box that may be filled, in whole
vectors. A decision takes one of its rows with chances in proportion to exp(value / temperature).
"""

from __future__ import annotations

from functools import partial
from math import exp, log
from typing import NamedTuple

import numpy as np

from ..core.dice import Floats, Ints
from ..core.jit import jit
from ..core.lanes import ceil_div
from ..core.legal import choices_of, outcome_number, scoring_of_roll
from ..core.simd import add_to, aligned, load, splat, store, views
from ..core.state_space import LANES
from ..core.table_slices import TableSlice
from ..core.turn import LOWEST
from ..core.turn_model import TurnModel
from ..core.value_tables import state_number, values_of

# Columns of a row. The column 0 is the value.
BONUS = 1
FIRST_BOX = 2
STOP = -1  # to stop, in place of a hold


class TurnColumns(NamedTuple):
    """Recorded turns of one layer of cards, int64. Dice are numbers of the lattice."""

    rows: Ints  # (turns,): the state before each turn
    lanes: Ints
    saved: Ints
    first_roll: Ints  # (turns + 1,): a turn has the rolls from here to the entry that follows
    categories: Ints  # (turns,): the category to look at, of the recorded or of other decisions
    rolls: Ints  # (rolls,)
    holds: Ints  # (rolls,): the hold to look at, or STOP


class Findings(NamedTuple):
    """The arrays that the kernel writes."""

    # (1 + n + n * n,): the log-likelihood, its n derivatives, and the Fisher information, to which
    # the decisions are added
    sums: Floats
    best_categories: Ints  # (turns,): what the player thinks is best
    best_holds: Ints  # (rolls,)
    # (turns,): what the decisions lose against those that the player thinks are best
    lost: Floats


class PriceScratch(NamedTuple):
    """Working memory of a thread."""

    values: Floats  # rows of all holds and full rolls
    ends: Floats  # (2 * outcomes,): value and B* of each outcome of the turn
    options: Floats  # rows of the options of one decision
    chances: Floats  # of the options
    mean: Floats  # of the rows of the options
    products: Floats  # mean of the products of two columns of these rows
    names: Ints  # hold or category of each option
    best: Ints  # (holds,): best hold within each hold
    stops: Ints  # (rolls,): best outcome of each roll
    parameter_of: Ints  # (columns,): parameter of each column of a row
    column_of: Ints  # (categories,): column of each box


class PriceJob(NamedTuple):
    """Arguments of :func:`weigh_turns`."""

    model: TurnModel
    means: TableSlice  # V*
    bonuses: TableSlice  # B*
    parameters: Floats  # delta of each box, rho, log temperature of holds and of categories
    turns: TurnColumns
    findings: Findings
    scratch: PriceScratch
    stride: int  # vectors from one row to the next


def row_vectors(model: TurnModel) -> int:
    """Return how many vectors a row has."""
    return int(ceil_div(FIRST_BOX + model.category_count, LANES))


def price_scratch(model: TurnModel) -> PriceScratch:
    """Return working memory for one thread."""
    dice = model.dice
    vectors = row_vectors(model)
    holds = dice.first_roll + dice.roll_count
    columns = vectors * LANES
    options = max(model.category_count, int(np.diff(dice.hold_start).max()))
    return PriceScratch(
        values=aligned(holds * vectors),
        ends=np.zeros(2 * model.turn_outcomes.size),
        options=aligned(options * vectors),
        chances=np.zeros(options),
        mean=aligned(vectors),
        products=aligned(columns * vectors),
        names=np.zeros(options, dtype=np.int64),
        best=np.zeros(holds, dtype=np.int64),
        stops=np.zeros(dice.roll_count, dtype=np.int64),
        parameter_of=np.zeros(columns, dtype=np.int64),
        column_of=np.zeros(model.category_count, dtype=np.int64),
    )


@jit
def number_columns(job, choices):
    """Note which parameter each column of a row belongs to, and return the number of columns."""
    job.scratch.parameter_of[BONUS] = job.model.category_count
    count = FIRST_BOX
    for c in range(job.model.category_count):
        if choices >> c & 1:
            job.scratch.parameter_of[count] = c
            job.scratch.column_of[c] = count
            count += 1
    return count


@jit
def end_values(job, means, bonuses, turn, choices, saved):
    """Write the player's value of every outcome of the turn, and next to it the outcome's B*."""
    model = job.model
    outcomes = model.turn_outcomes
    row = job.turns.rows[turn]
    lane = job.turns.lanes[turn]
    price_of_bonus = job.parameters[model.category_count]
    for i in range(outcomes.size):
        box = outcomes.category[i]
        if choices >> box & 1:
            child = row + outcomes.step[i]
            state = state_number(model.layout, row, child, lane, saved, outcomes.shift[i])
            bonus = float(bonuses[state])
            opinion = price_of_bonus * bonus - job.parameters[box]
            job.scratch.ends[2 * i] = outcomes.total[i] + float(means[state]) + opinion
            job.scratch.ends[2 * i + 1] = bonus


@partial(jit, inline=True)
def write_end(job, target, place, outcome, vectors):
    """Write the row of an outcome."""
    scratch, first = job.scratch, place * job.stride
    for v in range(vectors):
        store(target, first + v, splat(target, 0.0))
    target[first * LANES] = scratch.ends[2 * outcome]
    target[first * LANES + BONUS] = scratch.ends[2 * outcome + 1]
    column = scratch.column_of[job.model.turn_outcomes.category[outcome]]
    target[first * LANES + column] = -1.0


@partial(jit, inline=True)
def copy_row(job, source, place, target, target_place, vectors):
    """Copy a row."""
    for v in range(vectors):
        store(target, target_place * job.stride + v, load(source, place * job.stride + v))


@partial(jit, inline=True)
def value_at(job, rows, place):
    """Return the value of a row."""
    return rows[place * job.stride * LANES]


@jit
def mean_holds(job, vectors):
    """Write the rows of all holds of fewer dice, from those of the full rolls."""
    dice, values, stride = job.model.dice, job.scratch.values, job.stride
    share = 1.0 / dice.faces
    for hold in range(dice.first_roll - 1, -1, -1):
        first = hold * dice.faces
        for v in range(vectors):
            total = splat(values, 0.0)
            for face in range(dice.faces):
                total += load(values, dice.successors[first + face] * stride + v)
            store(values, hold * stride + v, total * share)


@jit
def best_holds(job):
    """Find the best hold of fewer dice within each hold and roll."""
    dice, values, best = job.model.dice, job.scratch.values, job.scratch.best
    for hold in range(dice.first_roll + dice.roll_count):
        highest = hold if hold < dice.first_roll else -1  # -1: none so far
        for i in range(dice.predecessor_start[hold], dice.predecessor_start[hold + 1]):
            other = best[dice.predecessors[i]]
            if highest < 0 or value_at(job, values, other) > value_at(job, values, highest):
                highest = other
        best[hold] = highest


@jit
def best_stops(job, row, choices):
    """Find the best outcome of each roll if the turn stops with it after a reroll."""
    model, ends = job.model, job.scratch.ends
    for roll in range(model.dice.roll_count):
        allowed, way = scoring_of_roll(model, row, choices, roll, False)
        best, value = -1, LOWEST
        for c in range(model.category_count):
            if allowed >> c & 1:
                i = outcome_number(model, way, c, roll)
                if ends[2 * i] > value:
                    best, value = i, ends[2 * i]
        job.scratch.stops[roll] = best


@jit
def roll_values(job, rerolls, vectors):
    """Write the rows of all rolls with a number of rerolls left, of the best hold or stop."""
    dice, scratch, values = job.model.dice, job.scratch, job.scratch.values
    if rerolls > 0:
        best_holds(job)
    for roll in range(dice.roll_count):
        place = dice.first_roll + roll
        hold = scratch.best[place]
        stop = scratch.stops[roll]
        value_of_stop = scratch.ends[2 * stop]
        if rerolls > 0 and value_at(job, values, hold) > value_of_stop:
            copy_row(job, values, hold, values, place, vectors)
        else:
            write_end(job, values, place, stop, vectors)


@jit
def category_options(job, row, choices, roll, is_first, vectors):
    """Write the categories as options of a decision, and return how many there are."""
    allowed, way = scoring_of_roll(job.model, row, choices, roll, is_first)
    count = 0
    for c in range(job.model.category_count):
        if allowed >> c & 1:
            outcome = outcome_number(job.model, way, c, roll)
            write_end(job, job.scratch.options, count, outcome, vectors)
            job.scratch.names[count] = c
            count += 1
    return count


@jit
def hold_options(job, roll, stop, vectors):
    """Write the holds as options, after the one to stop, and return how many there are.

    To stop is the category option `stop`.
    """
    dice, scratch = job.model.dice, job.scratch
    copy_row(job, scratch.options, stop, scratch.options, 0, vectors)
    scratch.names[0] = STOP
    count = 1
    for i in range(dice.hold_start[roll] + 1, dice.hold_start[roll + 1]):
        copy_row(job, scratch.values, dice.holds[i], scratch.options, count, vectors)
        scratch.names[count] = dice.holds[i]
        count += 1
    return count


@jit
def best_option(job, count):
    """Return the option of the highest value."""
    best, options = 0, job.scratch.options
    for k in range(1, count):
        if value_at(job, options, k) > value_at(job, options, best):
            best = k
    return best


@jit
def weigh(job, count, taken, log_temperature, columns, vectors):
    """Add one decision to the sums.

    `log_temperature` is the place of this parameter, that of holds or that of categories. Return the
    best option, and what the option with the name `taken` loses.
    """
    scratch, sums, stride = job.scratch, job.findings.sums, job.stride
    options, chances, mean, products = (
        scratch.options,
        scratch.chances,
        scratch.mean,
        scratch.products,
    )
    best = best_option(job, count)
    highest = value_at(job, options, best)
    sharpness = exp(-job.parameters[log_temperature])
    scratch.parameter_of[0] = log_temperature
    chosen, total = 0, 0.0
    for k in range(count):
        if scratch.names[k] == taken:
            chosen = k
        # From here on the first column has minus the derivative by the log temperature.
        options[k * stride * LANES] -= highest
        chances[k] = exp(value_at(job, options, k) * sharpness)
        total += chances[k]
    lost = -value_at(job, options, chosen)
    sums[0] -= lost * sharpness + log(total)
    for v in range(vectors):
        average = splat(mean, 0.0)
        for k in range(count):
            average += load(options, k * stride + v) * (chances[k] / total)
        store(mean, v, average)
    for place in range(columns * vectors):
        store(products, place, splat(products, 0.0))
    for k in range(count):
        share = chances[k] / total
        for v in range(vectors):
            store(options, k * stride + v, load(options, k * stride + v) - load(mean, v))
        for column in range(columns):
            weight = share * options[k * stride * LANES + column]
            for v in range(vectors):
                add_to(products, column * vectors + v, load(options, k * stride + v) * weight)
    size = job.model.category_count + 3  # the number of parameters
    for column in range(columns):
        sign = sharpness if column else -sharpness
        parameter = scratch.parameter_of[column]
        sums[1 + parameter] += sign * options[chosen * stride * LANES + column]
        for other in range(columns):
            both = sign * (sharpness if other else -sharpness)
            place = 1 + size + parameter * size + scratch.parameter_of[other]
            sums[place] += both * products[column * vectors * LANES + other]
    return best, lost


@jit
def weigh_turns(start, stop, arguments):
    """Add the decisions of the turns `start` to `stop - 1`. `arguments` is a PriceJob."""
    job = views(arguments)
    model, turns, findings, scratch = job.model, job.turns, job.findings, job.scratch
    means, bonuses = values_of(job.means), values_of(job.bonuses)
    noise_of_holds = model.category_count + 1  # places of these parameters
    noise_of_categories = noise_of_holds + 1
    for turn in range(start, stop):
        row, first, last = turns.rows[turn], turns.first_roll[turn], turns.first_roll[turn + 1] - 1
        choices = choices_of(model, row)
        most_rerolls = model.rolls_per_turn - 1 + turns.saved[turn]
        columns = number_columns(job, choices)
        vectors = (columns + LANES - 1) // LANES
        findings.lost[turn] = 0.0
        for rerolls in range(most_rerolls + 1):
            if rerolls > 0:
                mean_holds(job, vectors)
            if rerolls == 0 or model.saves_rolls:
                saved = rerolls if model.saves_rolls else 0
                end_values(job, means, bonuses, turn, choices, saved)
                best_stops(job, row, choices)
            i = first + most_rerolls - rerolls  # the roll with so many rerolls left
            if i <= last:
                roll = turns.rolls[i] - model.dice.first_roll
                count = category_options(job, row, choices, roll, i == first, vectors)
                stop_option = best_option(job, count)
                taken = turns.categories[turn]
                if i == last:
                    best, lost = weigh(job, count, taken, noise_of_categories, columns, vectors)
                    findings.best_categories[turn] = scratch.names[best]
                    findings.lost[turn] += lost
                if rerolls > 0:
                    if i == last:  # `weigh` has overwritten the rows of the categories
                        category_options(job, row, choices, roll, i == first, vectors)
                    count = hold_options(job, roll, stop_option, vectors)
                    best, lost = weigh(job, count, turns.holds[i], noise_of_holds, columns, vectors)
                    findings.best_holds[i] = scratch.names[best]
                    findings.lost[turn] += lost
            if rerolls < most_rerolls:
                roll_values(job, rerolls, vectors)
