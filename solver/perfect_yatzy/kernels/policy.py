"""The greedy policy of a table for one turn: which outcome or hold each roll takes, and what follows from it.

The backup of :mod:`.turn` with a *tag* for each option, a second vector that goes with the option chosen::

    W(r) = max over options i of value(i)           T(r) = tag(first i with value(i) as good as W(r))

With the number of the outcome or hold as tag the tags are the policy (:func:`policy_block`). With a second quantity
as tag they are that quantity under the policy (:mod:`.policy_evaluation`).

Values that differ by no more than ``ties[0] + ties[1] * |best|`` are equal. Of equal options the policy takes the
hold with more dice, then with higher faces, and the first category of the sheet.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from typing import Any, NamedTuple

import numpy.typing as npt

from ..game.dice import Floats, Lattice
from ..model.turn_model import TurnModel, TurnOutcomes
from .jit import jit
from .lattice import best_holds, means
from .legal import plain_way, scoring_of_roll
from .simd import (
    add,
    aligned,
    choose,
    load,
    maximum,
    minimum,
    multiply,
    peek,
    poke,
    reaches,
    splat,
    store,
    uniform,
    width,
)
from .turn import LOWEST
from .value_tables import Successor, child_value


class PolicyScratch(NamedTuple):
    """Working memory of one thread, in vectors.

    Attributes
    ----------
    buffer : (holds,)
        Values by multiset of dice.
    outcome_value, outcome_tag : (outcomes,)
    outcome_chance : (outcomes,) or (rolls a turn * outcomes,)
        The latter if the rules save rolls: by rerolls left.
    hold_tag : (holds,)
        Tags of the holds, if they are not their numbers.
    stop_value : (rolls,)
        Value of the best category.
    stop, hold : (stages * rolls,)
        Policy by rerolls left and roll: number of the outcome; number of the hold, or -1 to stop.
    first_value, first_stop, first_hold
        As the three before for the first roll of a turn, if it has bonus points; by saved rolls and roll.
    hold_chance : (holds,)
        Chance of each multiset; other kernels use it as a second ``hold_tag``.
    roll_chance : (stages * rolls,)
        Chance of each roll with each number of rerolls left.
    best_within : (holds,)
        Best value of a hold within each multiset.
    best_hold : (holds,)
        Number of that hold, or -1 at a roll to stop.
    temp : (1,)
    """

    buffer: Floats
    outcome_value: Floats
    outcome_tag: Floats
    outcome_chance: Floats
    hold_tag: Floats
    stop_value: Floats
    stop: Floats
    hold: Floats
    first_value: Floats
    first_stop: Floats
    first_hold: Floats
    hold_chance: Floats
    roll_chance: Floats
    best_within: Floats
    best_hold: Floats
    temp: Floats


class PolicyJob(NamedTuple):
    """Arguments of a kernel that follows the greedy policy of a table.

    Attributes
    ----------
    model : TurnModel
    outcomes : TurnOutcomes
    lattice : FiveDice, SixDice or IndexedLattice
    ties : (float, float)
        Absolute and relative difference of equal values.
    scratch : PolicyScratch
        Used by no other thread during the call.
    """

    model: TurnModel
    outcomes: TurnOutcomes
    lattice: Any
    ties: tuple[float, float]
    scratch: PolicyScratch


def policy_scratch(
    dice: Lattice, model: TurnModel, outcomes: TurnOutcomes, most_saved: int, dtype: npt.DTypeLike
) -> PolicyScratch:
    """Scratch for one thread, for vectors of `dtype`."""
    stages, first_stages = (model.rolls_per_turn + most_saved) * dice.n_rolls, (most_saved + 1) * dice.n_rolls
    sizes = {
        "buffer": dice.n_holds,
        "outcome_value": outcomes.size,
        "outcome_tag": outcomes.size,
        "outcome_chance": outcomes.size * (model.rolls_per_turn + most_saved if model.saves_rolls else 1),
        "hold_tag": dice.n_holds,
        "stop_value": dice.n_rolls,
        "stop": stages,
        "hold": stages,
        "first_value": dice.n_rolls,
        "first_stop": first_stages,
        "first_hold": first_stages,
        "hold_chance": dice.n_holds,
        "roll_chance": stages,
        "best_within": dice.n_holds,
        "best_hold": dice.n_holds,
        "temp": 1,
    }
    scratch = PolicyScratch(**{name: aligned(size, dtype) for name, size in sizes.items()})
    lanes = len(scratch.temp)
    for outcome in range(outcomes.size):
        scratch.outcome_tag[outcome * lanes : (outcome + 1) * lanes] = outcome
    return scratch


@jit
def lowest_equal(best, ties, like):
    """The lowest value that equals `best`; `like` is a view of the vector's type."""
    minus_one = splat(like, -1.0)
    size = maximum(best, multiply(best, minus_one))
    tolerance = add(splat(like, ties[0]), multiply(splat(like, ties[1]), size))
    return add(best, multiply(tolerance, minus_one))


@jit
def outcome_values(children, job, block, saved):
    """Value of every outcome the turn of this card may have."""
    outcomes, scratch = job.outcomes, job.scratch
    for i in range(outcomes.size):
        if block.choices >> peek(outcomes.category, i) & 1:
            child, shift = block.row + peek(outcomes.step, i), peek(outcomes.shift, i)
            successor, points = Successor(child, saved, shift), peek(outcomes.total, i)
            value = child_value(children, job.model.layout, block, successor, points, scratch.temp)
            store(scratch.outcome_value, i, value)


@jit
def choose_stop(job, block, roll, is_first, values, tags, first_tag):
    """:func:`choose_stops` for one roll."""
    model, outcomes, scratch = job.model, job.outcomes, job.scratch
    roll_count = model.dice.roll_count
    allowed, scored = scoring_of_roll(model, block.row, block.choices, roll, is_first)
    first = scored * model.category_count * roll_count + roll
    best = splat(values, LOWEST)
    for c in range(model.category_count):
        if allowed >> c & 1:
            best = maximum(best, load(scratch.outcome_value, peek(outcomes.number, first + c * roll_count)))
    limit, tag = lowest_equal(best, job.ties, values), splat(values, -1.0)
    for c in range(model.category_count - 1, -1, -1):
        if allowed >> c & 1:
            i = peek(outcomes.number, first + c * roll_count)
            tag = choose(load(scratch.outcome_value, i), limit, load(scratch.outcome_tag, i), tag)
    store(values, roll, best)
    store(tags, first_tag + roll, tag)


@jit
def raise_stops(job, first_number, c, points, values):
    """Raise the value of each roll that a category pays so many points for (a number of ``CategoryOutcomes``)."""
    of_category, dice = job.model.outcomes, job.model.dice
    first, end = peek(of_category.roll_start, points), peek(of_category.roll_start, points + 1)
    if first < end:
        number = first_number + c * dice.roll_count + peek(of_category.rolls, first) - dice.first_roll
        value = load(job.scratch.outcome_value, peek(job.outcomes.number, number))
        for i in range(first, end):
            roll = peek(of_category.rolls, i) - dice.first_roll
            store(values, roll, maximum(load(values, roll), value))


@jit
def choose_stops(job, block, is_first, values, tags, first_tag):
    """Best category for each roll: its value to `values`, its tag to `tags` from entry `first_tag` on."""
    model, of_category, scratch = job.model, job.model.outcomes, job.scratch
    dice, limits = model.dice, scratch.best_hold
    if model.legal.strict:
        for roll in range(dice.roll_count):
            choose_stop(job, block, roll, is_first, values, tags, first_tag)
        return
    # One category after the other, because most score most rolls alike. Jokers, which differ, are done again.
    first_number = plain_way(model, block.row, is_first) * model.category_count * dice.roll_count
    for roll in range(dice.roll_count):
        store(values, roll, splat(values, LOWEST))
        store(tags, first_tag + roll, splat(values, -1.0))
    for c in range(model.category_count):
        if block.choices >> c & 1:
            for points in range(peek(of_category.start, c), peek(of_category.start, c + 1)):
                raise_stops(job, first_number, c, points, values)
    lowest = splat(values, -LOWEST)
    for roll in range(dice.roll_count):
        limit = lowest_equal(load(values, roll), job.ties, values)
        store(limits, roll, limit)
        lowest = minimum(lowest, limit)
    for c in range(model.category_count - 1, -1, -1):
        if block.choices >> c & 1:
            for points in range(peek(of_category.start, c), peek(of_category.start, c + 1)):
                first, end = peek(of_category.roll_start, points), peek(of_category.roll_start, points + 1)
                if first < end:
                    number = first_number + c * dice.roll_count + peek(of_category.rolls, first) - dice.first_roll
                    outcome = peek(job.outcomes.number, number)
                    value, tag = load(scratch.outcome_value, outcome), load(scratch.outcome_tag, outcome)
                    if reaches(value, lowest):
                        for i in range(first, end):
                            roll = peek(of_category.rolls, i) - dice.first_roll
                            before = load(tags, first_tag + roll)
                            store(tags, first_tag + roll, choose(value, load(limits, roll), tag, before))
    if peek(model.layout.masks, block.row) & model.jokers.bit:
        for i in range(model.jokers.size):
            roll = peek(model.jokers.rolls, i) - dice.first_roll
            choose_stop(job, block, roll, is_first, values, tags, first_tag)


@jit
def choose_holds(job, stop_values, update_buffer):
    """Best option of each roll: to stop for `stop_values`, or one of the holds in the buffer.

    Leaves the number of the best hold within each multiset in ``scratch.best_hold``; that of a roll is -1 if it is
    best to stop. With `update_buffer` the best value within each multiset replaces its entry in the buffer.
    """
    dice, scratch = job.model.dice, job.scratch
    best_within = scratch.buffer
    if not update_buffer:
        best_within = scratch.best_within
        for hold in range(dice.first_roll):
            store(best_within, hold, load(scratch.buffer, hold))
    for roll in range(dice.roll_count):
        store(best_within, dice.first_roll + roll, load(stop_values, roll))
    absolute, relative = splat(stop_values, job.ties[0]), splat(stop_values, job.ties[1])
    best_holds(best_within, scratch.best_hold, dice, absolute, relative)


@jit
def copy_numbers(job, numbers, first_number):
    """Copy the numbers that :func:`choose_holds` left for the rolls to `numbers`, from entry `first_number` on."""
    dice, best_hold = job.model.dice, job.scratch.best_hold
    for roll in range(dice.roll_count):
        store(numbers, first_number + roll, load(best_hold, dice.first_roll + roll))


@jit
def copy_tags(job, stop_tags, tags):
    """The tag of the option that :func:`choose_holds` chose for each roll, to the entry of the roll in `tags`.

    It is the roll's entry of `stop_tags` or the entry of ``scratch.hold_tag`` of the hold. `tags` has an entry for
    every multiset and may be ``scratch.hold_tag`` itself.
    """
    dice, scratch = job.model.dice, job.scratch
    for roll in range(dice.roll_count):
        place = dice.first_roll + roll
        if uniform(load(scratch.best_hold, place)):
            held = int(peek(scratch.best_hold, place * width(tags)))
            store(tags, place, load(scratch.hold_tag, held) if held >= 0 else load(stop_tags, roll))
        else:
            for lane in range(width(tags)):
                held = int(peek(scratch.best_hold, place * width(tags) + lane))
                tag = peek(stop_tags, roll * width(tags) + lane)
                if held >= 0:
                    tag = peek(scratch.hold_tag, held * width(tags) + lane)
                poke(tags, place * width(tags) + lane, tag)


@jit
def policy_block(children, job, block, most_saved):
    """The policy of one block, into ``stop`` and ``hold`` of the scratch, and those of the first roll."""
    model, scratch = job.model, job.scratch
    roll_count, first_roll, minus_one = model.dice.roll_count, model.dice.first_roll, splat(scratch.temp, -1.0)
    for rerolls in range(model.rolls_per_turn + most_saved):
        first = rerolls * roll_count
        if rerolls > 0:
            means(scratch.buffer, job.lattice)
        if rerolls == 0 or model.saves_rolls:
            outcome_values(children, job, block, rerolls)
            choose_stops(job, block, False, scratch.stop_value, scratch.stop, first)
        else:
            for roll in range(roll_count):
                store(scratch.stop, first + roll, load(scratch.stop, roll))
        saved_before = rerolls - model.rolls_per_turn + 1
        if model.has_first_roll_bonus and saved_before >= 0:
            first_entry = saved_before * roll_count
            choose_stops(job, block, True, scratch.first_value, scratch.first_stop, first_entry)
            if rerolls > 0:
                choose_holds(job, scratch.first_value, False)
                copy_numbers(job, scratch.first_hold, first_entry)
            else:
                for roll in range(roll_count):
                    store(scratch.first_hold, first_entry + roll, minus_one)
        if rerolls > 0:
            choose_holds(job, scratch.stop_value, True)
            copy_numbers(job, scratch.hold, first)
        else:
            for roll in range(roll_count):
                store(scratch.hold, first + roll, minus_one)
                store(scratch.buffer, first_roll + roll, load(scratch.stop_value, roll))
