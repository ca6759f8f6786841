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
from ..model.turn_model import TurnModel
from .jit import jit
from .lattice import best_holds, copy_vectors, fill, kernel_lattice, means
from .legal import outcome_number, plain_way, scoring_of_roll
from .simd import aligned, choose, load, maximum, minimum, reaches, shifted, splat, store, width
from .turn import LOWEST
from .value_tables import child_value, successor


class PolicyScratch(NamedTuple):
    """Working memory of one thread, in vectors; a stage is a number of rerolls left."""

    buffer: Floats  # (holds,): values by multiset of dice
    first_buffer: Floats  # (holds,): the same for the first roll of a turn, if it has bonus points
    outcome_value: Floats  # (outcomes,)
    outcome_tag: Floats  # (outcomes,): :func:`stop_action` of the outcome, or a quantity under perfect play
    hold_tag: Floats  # (holds,): that quantity by multiset of dice
    outcome_quantity: Floats  # (outcomes,): a quantity under any policy
    outcome_chance: Floats  # (outcomes,), or (stages * outcomes,) if the rules save rolls
    stop_value: Floats  # (rolls,): value of the best category
    stop_limit: Floats  # (rolls,): the lowest value that equals it
    action: Floats  # (stages * holds,): the policy, for full rolls: number of the hold, or :func:`stop_action`
    first_action: Floats  # the same for the first roll of a turn, if it has bonus points, by saved rolls and multiset
    first_value: Floats  # (rolls,): value of the best category then
    hold_chance: Floats  # (holds,): chance of each multiset
    roll_chance: Floats  # (stages * rolls,): chance of each roll
    best_within: Floats  # (holds,): best value of a hold within each multiset
    temp: Floats  # (1,)


class PolicyJob(NamedTuple):
    """Arguments of a kernel that follows the greedy policy of a table."""

    model: TurnModel
    lattice: Any  # FiveDice, SixDice or DiceModel
    ties: tuple[float, float]  # absolute and relative difference of equal values
    scratch: PolicyScratch  # used by no other thread during the call


def policy_scratch(
    dice: Lattice, model: TurnModel, most_saved: int, dtype: npt.DTypeLike = np.float64
) -> PolicyScratch:
    """Scratch for one thread, for vectors of `dtype`."""
    outcomes, stages = model.turn_outcomes.size, model.rolls_per_turn + most_saved
    sizes = dict.fromkeys(PolicyScratch._fields, dice.n_holds) | {"temp": 1}
    sizes |= dict.fromkeys(("outcome_value", "outcome_tag", "outcome_quantity"), outcomes)
    sizes |= dict.fromkeys(("stop_value", "stop_limit", "first_value"), dice.n_rolls)
    sizes |= {"action": stages * dice.n_holds, "first_action": (most_saved + 1) * dice.n_holds}
    sizes["roll_chance"] = stages * dice.n_rolls
    sizes["outcome_chance"] = outcomes * (stages if model.saves_rolls else 1)
    scratch = PolicyScratch(**{name: aligned(size, dtype) for name, size in sizes.items()})
    scratch.outcome_tag[:] = np.repeat(-1 - np.arange(outcomes), len(scratch.temp))
    return scratch


def policy_job(
    dice: Lattice, model: TurnModel, ties: tuple[float, float], most_saved: int = 0, dtype: npt.DTypeLike = np.float64
) -> PolicyJob:
    """A job with new scratch of `dtype` for turns that begin with up to `most_saved` saved rolls."""
    return PolicyJob(model, kernel_lattice(dice), ties, policy_scratch(dice, model, most_saved, dtype))


@jit
def stage_actions(job, rerolls, is_first):
    """The actions with so many rerolls left, or of first rolls, by multiset of dice."""
    dice, saved_before = job.model.dice, rerolls - job.model.rolls_per_turn + 1
    size = (dice.first_roll + dice.roll_count) * width(job.scratch.action)
    if is_first:
        return shifted(job.scratch.first_action, -saved_before * size)
    return shifted(job.scratch.action, -rerolls * size)


@jit
def stop_action(outcome):
    """The action that ends a turn with an outcome; also the outcome of such an action, which is negative."""
    return -1 - outcome


@jit
def lowest_equal(best, ties):
    """The lowest value that equals `best`."""
    return best - (ties[0] + ties[1] * maximum(best, -best))


@jit
def outcome_values(children, job, block, saved):
    """Value of every outcome the turn of this card may have."""
    outcomes, scratch = job.model.turn_outcomes, job.scratch
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
            best = maximum(best, load(values, outcome_number(job.model, way, c, roll)))
    return allowed, way, best


@jit
def choose_stop(job, block, roll, is_first, values, tags):
    """:func:`choose_stops` for one roll."""
    allowed, way, best = best_stop(job, block, roll, is_first)
    limit, tag = lowest_equal(best, job.ties), splat(values, -1.0)
    for c in range(job.model.category_count - 1, -1, -1):
        if allowed >> c & 1:
            i = outcome_number(job.model, way, c, roll)
            tag = choose(load(job.scratch.outcome_value, i), limit, load(job.scratch.outcome_tag, i), tag)
    store(values, roll, best)
    store(tags, job.model.dice.first_roll + roll, tag)


@jit
def outcome_of_points(job, way, c, points):
    """Outcome of a category for the rolls that it pays so many points for (a number of ``CategoryOutcomes``)."""
    of_category = job.model.outcomes
    roll = of_category.rolls[of_category.roll_start[points]] - job.model.dice.first_roll
    return outcome_number(job.model, way, c, roll)


@jit
def choose_stops(job, block, is_first, values, tags):
    """Best category for each roll: its value to `values`, its tag to `tags`, by multiset of dice."""
    model, of_category, scratch = job.model, job.model.outcomes, job.scratch
    dice, limits = model.dice, scratch.stop_limit
    if model.legal.strict:
        for roll in range(dice.roll_count):
            choose_stop(job, block, roll, is_first, values, tags)
        return
    # One category after the other, because most score most rolls alike. Jokers, which differ, are done again.
    way = plain_way(model, block.row, is_first)
    fill(values, 0, dice.roll_count, splat(values, LOWEST))
    fill(tags, dice.first_roll, dice.roll_count, splat(values, -1.0))
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
                            roll = of_category.rolls[i]
                            limit = load(limits, roll - dice.first_roll)
                            store(tags, roll, choose(value, limit, tag, load(tags, roll)))
    if model.layout.masks[block.row] & model.jokers.bit:
        for i in range(model.jokers.size):
            choose_stop(job, block, model.jokers.rolls[i] - dice.first_roll, is_first, values, tags)


@jit
def choose_stage_stops(children, job, block, rerolls):
    """Best category for each roll with so many rerolls left; whether first rolls with so many have bonus points."""
    model, scratch, dice, actions = job.model, job.scratch, job.model.dice, stage_actions(job, rerolls, False)
    if rerolls == 0 or model.saves_rolls:
        outcome_values(children, job, block, rerolls)
        choose_stops(job, block, False, scratch.stop_value, actions)
    else:
        copy_vectors(scratch.action, dice.first_roll, actions, dice.first_roll, dice.roll_count)
    is_first = model.has_first_roll_bonus and rerolls >= model.rolls_per_turn - 1
    if is_first:
        choose_stops(job, block, True, scratch.first_value, stage_actions(job, rerolls, True))
    return is_first


@jit
def choose_holds(job, best_within, stop_values, actions):
    """Best option of each roll, to `actions`, which has what ends the turn for `stop_values`."""
    dice = job.model.dice
    copy_vectors(stop_values, 0, best_within, dice.first_roll, dice.roll_count)
    absolute, relative = splat(stop_values, job.ties[0]), splat(stop_values, job.ties[1])
    best_holds(best_within, actions, dice, absolute, relative)


@jit
def policy_block(children, job, block, most_saved):
    """The policy of one block, into ``action`` and ``first_action`` of the scratch."""
    model, scratch, dice = job.model, job.scratch, job.model.dice
    for rerolls in range(model.rolls_per_turn + most_saved):
        if rerolls > 0:
            means(scratch.buffer, job.lattice)
        is_first = choose_stage_stops(children, job, block, rerolls)
        if rerolls == 0:
            copy_vectors(scratch.stop_value, 0, scratch.buffer, dice.first_roll, dice.roll_count)
        else:
            if is_first:
                copy_vectors(scratch.buffer, 0, scratch.best_within, 0, dice.first_roll)
                choose_holds(job, scratch.best_within, scratch.first_value, stage_actions(job, rerolls, True))
            choose_holds(job, scratch.buffer, scratch.stop_value, stage_actions(job, rerolls, False))
