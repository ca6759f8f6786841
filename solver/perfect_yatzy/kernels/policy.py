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
from .lattice import maxima, means
from .legal import scoring_of_roll
from .simd import add, aligned, choose, load, maximum, multiply, peek, splat, store
from .turn import LOWEST
from .value_tables import Successor, child_value


class PolicyScratch(NamedTuple):
    """Working memory of one thread, in vectors.

    Attributes
    ----------
    buffer : (holds,)
        Values by multiset of dice.
    outcome_value, outcome_tag, outcome_chance : (outcomes,)
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
    no_tag : (rolls,)
        -1, the tag of stopping.
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
    no_tag: Floats
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
        "outcome_chance": outcomes.size,
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
        "no_tag": dice.n_rolls,
        "temp": 1,
    }
    scratch = PolicyScratch(**{name: aligned(size, dtype) for name, size in sizes.items()})
    lanes = len(scratch.temp)
    scratch.no_tag[:] = -1
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
def choose_stops(job, block, is_first, values, tags, first_tag):
    """Best category for each roll: its value to `values`, its tag to `tags` from entry `first_tag` on."""
    model, outcomes, scratch = job.model, job.outcomes, job.scratch
    roll_count = model.dice.roll_count
    for roll in range(roll_count):
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
def choose_holds(job, stop_values, stop_tags, tags, first_tag, update_buffer, by_number):
    """Best option of each roll: to stop for `stop_values`, or one of the holds in the buffer.

    The tag of the best option goes to `tags` from entry `first_tag` on: the roll's entry of `stop_tags`, or the
    number of the hold (`by_number`), or its entry of ``scratch.hold_tag``. With `update_buffer` the value of each
    roll replaces its entry in the buffer.
    """
    dice, scratch = job.model.dice, job.scratch
    buffer, best_within = scratch.buffer, scratch.best_within
    for hold in range(dice.first_roll):
        store(best_within, hold, load(buffer, hold))
    for roll in range(dice.roll_count):
        store(best_within, dice.first_roll + roll, load(stop_values, roll))
    maxima(best_within, job.lattice)
    for roll in range(dice.roll_count):
        best = load(best_within, dice.first_roll + roll)
        limit, tag = lowest_equal(best, job.ties, stop_values), splat(stop_values, -1.0)
        for i in range(peek(dice.hold_start, roll + 1) - 1, peek(dice.hold_start, roll), -1):
            hold = peek(dice.holds, i)
            # Making a vector of the number is faster than loading one: the buffers exceed the first-level cache.
            hold_tag = splat(stop_values, float(hold)) if by_number else load(scratch.hold_tag, hold)
            tag = choose(load(buffer, hold), limit, hold_tag, tag)
        store(tags, first_tag + roll, choose(load(stop_values, roll), limit, load(stop_tags, roll), tag))
        if update_buffer:
            store(buffer, dice.first_roll + roll, best)


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
                choose_holds(job, scratch.first_value, scratch.no_tag, scratch.first_hold, first_entry, False, True)
            else:
                for roll in range(roll_count):
                    store(scratch.first_hold, first_entry + roll, minus_one)
        if rerolls > 0:
            choose_holds(job, scratch.stop_value, scratch.no_tag, scratch.hold, first, True, True)
        else:
            for roll in range(roll_count):
                store(scratch.hold, first + roll, minus_one)
                store(scratch.buffer, first_roll + roll, load(scratch.stop_value, roll))
