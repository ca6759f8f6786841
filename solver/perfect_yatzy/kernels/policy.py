"""The greedy policy of a table for one turn: which outcome or hold each roll takes, and what follows from it.

The backup of :mod:`.turn` with a *tag* for each option, a second vector that goes with the option chosen::

    W(r) = max over options i of value(i)           T(r) = tag(first i with value(i) as good as W(r))

With the number of the outcome or hold as tag the tags are the policy (:func:`policy_block`). With a second quantity
as tag they are that quantity under the policy (:mod:`.policy_evaluation`).

Values that differ by no more than ``ties[0] + ties[1] * |best|`` are equal. Of equal options the policy takes the
hold with more dice, then with higher faces, and the first category of the sheet.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..game.dice import Floats, Lattice
from ..model.turn_model import TurnModel, TurnOutcomes
from .jit import jit
from .lattice import best_holds, copy_vectors, fill, kernel_lattice, means
from .legal import outcome_number, plain_way, scoring_of_roll
from .simd import aligned, choose, load, maximum, minimum, reaches, splat, store
from .turn import LOWEST
from .value_tables import child_value, successor


class PolicyScratch(NamedTuple):
    """Working memory of one thread, in vectors; a stage is a number of rerolls left."""

    buffer: Floats  # (holds,): values by multiset of dice
    first_buffer: Floats  # (holds,): the same for the first roll of a turn, if it has bonus points
    outcome_value: Floats  # (outcomes,)
    outcome_tag: Floats  # (outcomes,): the number of the outcome, or a quantity under perfect play
    hold_tag: Floats  # (holds,): that quantity by multiset of dice
    outcome_quantity: Floats  # (outcomes,): a quantity under any policy
    outcome_chance: Floats  # (outcomes,), or (stages * outcomes,) if the rules save rolls
    stop_value: Floats  # (rolls,): value of the best category
    stop_limit: Floats  # (rolls,): the lowest value that equals it
    stop: Floats  # (stages * rolls,): the policy: number of the outcome
    hold: Floats  # (stages * rolls,): number of the hold, or -1 to stop
    first_value: Floats  # the last value and the policy for the first roll of a turn, if it has bonus points; ...
    first_stop: Floats  # ... by saved rolls and roll
    first_hold: Floats
    hold_chance: Floats  # (holds,): chance of each multiset
    roll_chance: Floats  # (stages * rolls,): chance of each roll
    best_within: Floats  # (holds,): best value of a hold within each multiset
    best_hold: Floats  # (holds,): number of that hold, or -1 at a roll to stop
    temp: Floats  # (1,)


class PolicyJob(NamedTuple):
    """Arguments of a kernel that follows the greedy policy of a table."""

    model: TurnModel
    outcomes: TurnOutcomes
    lattice: Any  # FiveDice, SixDice or DiceModel
    ties: tuple[float, float]  # absolute and relative difference of equal values
    scratch: PolicyScratch  # used by no other thread during the call


def policy_scratch(
    dice: Lattice, model: TurnModel, outcomes: TurnOutcomes, most_saved: int, dtype: npt.DTypeLike = np.float64
) -> PolicyScratch:
    """Scratch for one thread, for vectors of `dtype`."""
    stages = model.rolls_per_turn + most_saved
    sizes = dict.fromkeys(PolicyScratch._fields, dice.n_holds) | {"temp": 1}
    sizes |= dict.fromkeys(("outcome_value", "outcome_tag", "outcome_quantity"), outcomes.size)
    sizes |= dict.fromkeys(("stop_value", "stop_limit", "first_value"), dice.n_rolls)
    sizes |= dict.fromkeys(("stop", "hold", "roll_chance"), stages * dice.n_rolls)
    sizes |= dict.fromkeys(("first_stop", "first_hold"), (most_saved + 1) * dice.n_rolls)
    sizes["outcome_chance"] = outcomes.size * (stages if model.saves_rolls else 1)
    scratch = PolicyScratch(**{name: aligned(size, dtype) for name, size in sizes.items()})
    scratch.outcome_tag[:] = np.repeat(np.arange(outcomes.size), len(scratch.temp))
    return scratch


def policy_job(
    dice: Lattice, model: TurnModel, outcomes: TurnOutcomes, ties: tuple[float, float], most_saved: int = 0,
    dtype: npt.DTypeLike = np.float64,
) -> PolicyJob:  # fmt: skip
    """A job with new scratch of `dtype` for turns that begin with up to `most_saved` saved rolls."""
    scratch = policy_scratch(dice, model, outcomes, most_saved, dtype)
    return PolicyJob(model, outcomes, kernel_lattice(dice), ties, scratch)


@jit
def stage_actions(job, rerolls, is_first):
    """``stop`` and ``hold`` with so many rerolls left, or of first rolls, and their entry of roll 0."""
    scratch, roll_count = job.scratch, job.model.dice.roll_count
    if is_first:
        return scratch.first_stop, scratch.first_hold, (rerolls - job.model.rolls_per_turn + 1) * roll_count
    return scratch.stop, scratch.hold, rerolls * roll_count


@jit
def lowest_equal(best, ties):
    """The lowest value that equals `best`."""
    return best - (ties[0] + ties[1] * maximum(best, -best))


@jit
def outcome_values(children, job, block, saved):
    """Value of every outcome the turn of this card may have."""
    outcomes, scratch = job.outcomes, job.scratch
    for i in range(outcomes.size):
        if block.choices >> outcomes.category[i] & 1:
            end, points = successor(outcomes, i, block.row, saved), outcomes.total[i]
            value = child_value(children, job.model.layout, block, end, points, scratch.temp)
            store(scratch.outcome_value, i, value)


@jit
def best_stop(job, block, roll, is_first):
    """Categories that may take a roll, the way they score it, and the value of the best, by the outcomes' values."""
    values = job.scratch.outcome_value
    allowed, way = scoring_of_roll(job.model, block.row, block.choices, roll, is_first)
    best = splat(values, LOWEST)
    for c in range(job.model.category_count):
        if allowed >> c & 1:
            best = maximum(best, load(values, outcome_number(job.model, job.outcomes, way, c, roll)))
    return allowed, way, best


@jit
def choose_stop(job, block, roll, is_first, values, tags, first):
    """:func:`choose_stops` for one roll."""
    allowed, way, best = best_stop(job, block, roll, is_first)
    limit, tag = lowest_equal(best, job.ties), splat(values, -1.0)
    for c in range(job.model.category_count - 1, -1, -1):
        if allowed >> c & 1:
            i = outcome_number(job.model, job.outcomes, way, c, roll)
            tag = choose(load(job.scratch.outcome_value, i), limit, load(job.scratch.outcome_tag, i), tag)
    store(values, roll, best)
    store(tags, first + roll, tag)


@jit
def outcome_of_points(job, way, c, points):
    """Outcome of a category for the rolls that it pays so many points for (a number of ``CategoryOutcomes``)."""
    of_category = job.model.outcomes
    roll = of_category.rolls[of_category.roll_start[points]] - job.model.dice.first_roll
    return outcome_number(job.model, job.outcomes, way, c, roll)


@jit
def choose_stops(job, block, is_first, values, tags, first):
    """Best category for each roll: its value to `values`, its tag to `tags` from entry `first` on."""
    model, of_category, scratch = job.model, job.model.outcomes, job.scratch
    dice, limits = model.dice, scratch.stop_limit
    if model.legal.strict:
        for roll in range(dice.roll_count):
            choose_stop(job, block, roll, is_first, values, tags, first)
        return
    # One category after the other, because most score most rolls alike. Jokers, which differ, are done again.
    way = plain_way(model, block.row, is_first)
    fill(values, 0, dice.roll_count, splat(values, LOWEST))
    fill(tags, first, dice.roll_count, splat(values, -1.0))
    for c in range(model.category_count):
        if block.choices >> c & 1:
            for points in range(of_category.start[c], of_category.start[c + 1]):
                begin, end = of_category.roll_start[points], of_category.roll_start[points + 1]
                if begin < end:
                    value = load(scratch.outcome_value, outcome_of_points(job, way, c, points))
                    for i in range(begin, end):
                        roll = of_category.rolls[i] - dice.first_roll
                        store(values, roll, maximum(load(values, roll), value))
    lowest = splat(values, -LOWEST)
    for roll in range(dice.roll_count):
        limit = lowest_equal(load(values, roll), job.ties)
        store(limits, roll, limit)
        lowest = minimum(lowest, limit)
    for c in range(model.category_count - 1, -1, -1):
        if block.choices >> c & 1:
            for points in range(of_category.start[c], of_category.start[c + 1]):
                begin, end = of_category.roll_start[points], of_category.roll_start[points + 1]
                if begin < end:
                    outcome = outcome_of_points(job, way, c, points)
                    value, tag = load(scratch.outcome_value, outcome), load(scratch.outcome_tag, outcome)
                    if reaches(value, lowest):
                        for i in range(begin, end):
                            roll = of_category.rolls[i] - dice.first_roll
                            before = load(tags, first + roll)
                            store(tags, first + roll, choose(value, load(limits, roll), tag, before))
    if model.layout.masks[block.row] & model.jokers.bit:
        for i in range(model.jokers.size):
            choose_stop(job, block, model.jokers.rolls[i] - dice.first_roll, is_first, values, tags, first)


@jit
def choose_stage_stops(children, job, block, rerolls):
    """Best category for each roll with so many rerolls left; whether first rolls with so many have bonus points."""
    model, scratch, roll_count = job.model, job.scratch, job.model.dice.roll_count
    if rerolls == 0 or model.saves_rolls:
        outcome_values(children, job, block, rerolls)
        choose_stops(job, block, False, scratch.stop_value, scratch.stop, rerolls * roll_count)
    else:
        copy_vectors(scratch.stop, 0, scratch.stop, rerolls * roll_count, roll_count)
    saved_before = rerolls - model.rolls_per_turn + 1
    is_first = model.has_first_roll_bonus and saved_before >= 0
    if is_first:
        choose_stops(job, block, True, scratch.first_value, scratch.first_stop, saved_before * roll_count)
    return is_first


@jit
def choose_holds(job, best_within, stop_values):
    """Best option of each roll, to stop for `stop_values` or a hold: its number, or -1, to ``best_hold``."""
    dice = job.model.dice
    copy_vectors(stop_values, 0, best_within, dice.first_roll, dice.roll_count)
    absolute, relative = splat(stop_values, job.ties[0]), splat(stop_values, job.ties[1])
    best_holds(best_within, job.scratch.best_hold, dice, absolute, relative)


@jit
def policy_block(children, job, block, most_saved):
    """The policy of one block, into ``stop`` and ``hold`` of the scratch, and those of the first roll."""
    model, scratch, dice = job.model, job.scratch, job.model.dice
    for rerolls in range(model.rolls_per_turn + most_saved):
        if rerolls > 0:
            means(scratch.buffer, job.lattice)
        is_first = choose_stage_stops(children, job, block, rerolls)
        _, hold, first = stage_actions(job, rerolls, False)
        _, first_hold, first_first = stage_actions(job, rerolls, True)
        if rerolls == 0:
            fill(hold, first, dice.roll_count, splat(scratch.temp, -1.0))
            copy_vectors(scratch.stop_value, 0, scratch.buffer, dice.first_roll, dice.roll_count)
            if is_first:
                fill(first_hold, first_first, dice.roll_count, splat(scratch.temp, -1.0))
        else:
            if is_first:
                copy_vectors(scratch.buffer, 0, scratch.best_within, 0, dice.first_roll)
                choose_holds(job, scratch.best_within, scratch.first_value)
                copy_vectors(scratch.best_hold, dice.first_roll, first_hold, first_first, dice.roll_count)
            choose_holds(job, scratch.buffer, scratch.stop_value)
            copy_vectors(scratch.best_hold, dice.first_roll, hold, first, dice.roll_count)
