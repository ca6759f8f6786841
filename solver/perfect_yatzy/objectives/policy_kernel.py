"""The greedy policy of a table for one turn: the outcome or hold that each roll takes.

The backup of :mod:`perfect_yatzy.core.turn` with a *tag* for each option, a second vector that goes with the option
chosen::

    W(r) = max over options i of value(i)           T(r) = tag(first i with value(i) as good as W(r))

With the number of the outcome or hold as tag the tags are the policy (:func:`policy_block`). With a
second quantity as tag they are that quantity under the policy (:mod:`.policy_evaluation_kernel`).

Values that differ by no more than ``ties[0] + ties[1] * |best|`` are equal. Of equal options the
policy takes the hold with more dice, then with higher faces, and the first category of the sheet.

For goals and utilities the first of the options with the highest mean is taken, one decision at a
time::

    E = {i : value(i) as good as the best value}          options: to stop, or one of the holds
    F = {i in E : mean(i) as good as the best mean in E}
    the first option of F

The mean of an option is the expected points to come if everything after it maximises the mean. It
does not depend on the score x, so one backup of the turn for the mean serves all blocks of scores
of a card (:mod:`.score_table_kernel`). The values of all holds are kept, and only the decisions of the
games or positions at hand are made: blocks of scores have few of them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike

from ..core.dice import Floats, Ints, Lattice
from ..core.jit import jit
from ..core.lattice import copy_vectors, fill, kernel_lattice, means
from ..core.legal import outcome_number, plain_way, scoring_of_roll
from ..core.simd import (
    aligned,
    choose,
    load,
    maximum,
    minimum,
    reaches,
    shifted,
    splat,
    store,
    width,
)
from ..core.state_space import LANES
from ..core.turn import LOWEST
from ..core.turn_model import TurnModel
from ..core.value_tables import child_value, mean_after, state_number, successor
from .holds_kernel import HoldValues, hold_value, hold_values
from .score_table_kernel import SCORE_LANES, score_block, value_at

Ties = tuple[float, float]  # absolute and relative difference of equal values


class PolicyScratch(NamedTuple):
    """Working memory of one thread, in vectors. A stage is a number of rerolls left."""

    buffer: Floats  # (holds,): values by multiset of dice
    # (holds,): a quantity after the first roll of a turn, if it has bonus points
    first_buffer: Floats
    outcome_value: Floats  # (outcomes,)
    # (outcomes,): :func:`stop_action` of the outcome, or a quantity under perfect play
    outcome_tag: Floats
    hold_tag: Floats  # (holds,): that quantity by multiset of dice
    stop_tag: Floats  # (holds,): that of the best category for each full roll
    # (holds,): the same for the first roll of a turn, if it has bonus points
    first_stop_tag: Floats
    best_hold: Floats  # (holds,): the best hold within each multiset, -1 to end the turn
    unwanted_tag: Floats  # (holds,): of categories of which only the values are wanted
    outcome_quantity: Floats  # (outcomes,): a quantity under any policy
    outcome_chance: Floats  # (outcomes,), or (stages * outcomes,) if the rules save rolls
    stop_value: Floats  # (rolls,): value of the best category
    stop_limit: Floats  # (rolls,): the lowest value that equals it
    # (stages * holds,): the policy, for full rolls: number of the hold, or :func:`stop_action`
    action: Floats
    # the same for the first roll of a turn, if it has bonus points, by saved rolls and multiset
    first_action: Floats
    first_value: Floats  # (rolls,): value of the best category then
    hold_chance: Floats  # (holds,): chance of each multiset
    roll_chance: Floats  # (stages * rolls,): chance of each roll
    best_within: Floats  # (holds,): best value of a hold within each multiset
    temp: Floats  # (1,)


class PolicyJob(NamedTuple):
    """Arguments of a kernel that follows the greedy policy of a table."""

    model: TurnModel
    lattice: Any  # FiveDice, SixDice or DiceModel
    ties: Ties
    scratch: PolicyScratch  # used by no other thread during the call


def policy_scratch(
    dice: Lattice, model: TurnModel, most_saved: int, dtype: DTypeLike = np.float64
) -> PolicyScratch:
    """Return scratch memory for one thread, for vectors of `dtype`."""
    outcomes = model.turn_outcomes.size
    stages = model.rolls_per_turn + most_saved
    sizes = dict.fromkeys(PolicyScratch._fields, dice.n_holds)
    sizes |= dict.fromkeys(("outcome_value", "outcome_tag", "outcome_quantity"), outcomes)
    sizes |= dict.fromkeys(("stop_value", "stop_limit", "first_value"), dice.n_rolls)
    sizes |= {"action": stages * dice.n_holds, "first_action": (most_saved + 1) * dice.n_holds}
    sizes |= {"roll_chance": stages * dice.n_rolls, "temp": 1}
    sizes["outcome_chance"] = outcomes * (stages if model.saves_rolls else 1)
    scratch = PolicyScratch(**{name: aligned(size, dtype) for name, size in sizes.items()})
    lanes = len(scratch.temp)  # which is one vector
    scratch.outcome_tag[:] = np.repeat(stop_action.py_func(np.arange(outcomes)), lanes)
    return scratch


def policy_job(
    dice: Lattice, model: TurnModel, ties: Ties, most_saved: int = 0, dtype: DTypeLike = np.float64
) -> PolicyJob:
    """Return a job with new scratch memory of `dtype`.

    It is for turns that begin with up to `most_saved` saved rolls.
    """
    return PolicyJob(
        model, kernel_lattice(dice), ties, policy_scratch(dice, model, most_saved, dtype)
    )


@jit
def stage_actions(job, rerolls, is_first):
    """Return the actions with so many rerolls left, or of first rolls, by multiset of dice."""
    dice = job.model.dice
    size = (dice.first_roll + dice.roll_count) * width(job.scratch.action)  # entries of one stage
    if is_first:
        saved_before = rerolls - (job.model.rolls_per_turn - 1)
        # begins at the entry saved_before * size
        return shifted(job.scratch.first_action, -saved_before * size)
    return shifted(job.scratch.action, -rerolls * size)


@jit
def stop_action(outcome):
    """Return the action that ends a turn with an outcome, a negative number.

    It also returns the outcome of such an action.
    """
    return -1 - outcome


@jit
def lowest_equal(best, ties):
    """Return the lowest value that equals `best`, of a vector or a number."""
    return best - (ties[0] + ties[1] * maximum(best, -best))


@jit
def outcome_values(children, job, block, saved):
    """Write the value of every outcome that the turn of this card may have to ``outcome_value``.

    `saved` rolls are left at its end.
    """
    outcomes = job.model.turn_outcomes
    scratch = job.scratch
    for i in range(outcomes.size):
        if block.choices >> outcomes.category[i] & 1:
            end = successor(outcomes, i, block.row, saved)
            points = outcomes.total[i]
            value = child_value(children, job.model.layout, block, end, points, scratch.temp)
            store(scratch.outcome_value, i, value)


@jit
def best_stop(job, block, roll, is_first):
    """Return the categories that may take a roll, the way they score it, and the best value.

    What the outcomes are worth is in the scratch.
    """
    values = job.scratch.outcome_value
    allowed, way = scoring_of_roll(job.model, block.row, block.choices, roll, is_first)
    best = splat(values, LOWEST)
    for c in range(job.model.category_count):
        if allowed >> c & 1:
            best = maximum(best, load(values, outcome_number(job.model, way, c, roll)))
    return allowed, way, best


@jit
def choose_stop(job, block, roll, is_first, values, tags):
    """Do what :func:`choose_stops` does for one roll."""
    allowed, way, best = best_stop(job, block, roll, is_first)
    limit = lowest_equal(best, job.ties)
    tag = splat(values, -1.0)
    # From the last category on, so that the first of equal ones is the last to write.
    for c in range(job.model.category_count - 1, -1, -1):
        if allowed >> c & 1:
            i = outcome_number(job.model, way, c, roll)
            tag = choose(
                load(job.scratch.outcome_value, i), limit, load(job.scratch.outcome_tag, i), tag
            )
    store(values, roll, best)
    store(tags, job.model.dice.first_roll + roll, tag)


@jit
def turn_outcome_of(job, way, c, category_outcome):
    """Return the number in TurnOutcomes of an outcome with a number in CategoryOutcomes.

    It is one of category `c`, which scores the rolls that earn it in one way.
    """
    outcomes = job.model.outcomes
    roll = outcomes.rolls[outcomes.roll_start[category_outcome]] - job.model.dice.first_roll
    return outcome_number(job.model, way, c, roll)


@jit
def choose_plain_stops(job, block, way, values, tags):
    """Do what :func:`choose_stops` does, with all rolls scored in one way."""
    # One category after the other, because most score most rolls alike.
    model = job.model
    outcomes = job.model.outcomes
    scratch = job.scratch
    dice = model.dice
    limits = scratch.stop_limit
    fill(values, 0, dice.roll_count, splat(values, LOWEST))
    fill(tags, dice.first_roll, dice.roll_count, splat(values, -1.0))
    for c in range(model.category_count):  # the best value of each roll
        if block.choices >> c & 1:
            # All rolls that are paid alike earn one outcome of the category.
            for earned in range(outcomes.start[c], outcomes.start[c + 1]):
                begin, end = outcomes.roll_start[earned], outcomes.roll_start[earned + 1]
                if begin < end:
                    value = load(scratch.outcome_value, turn_outcome_of(job, way, c, earned))
                    for i in range(begin, end):
                        roll = outcomes.rolls[i] - dice.first_roll
                        store(values, roll, maximum(load(values, roll), value))
    # the lowest limit of all rolls: an outcome below it is the best for none
    lowest = splat(values, -LOWEST)
    for roll in range(dice.roll_count):
        limit = lowest_equal(load(values, roll), job.ties)
        store(limits, roll, limit)
        lowest = minimum(lowest, limit)
    # From the last category on, so that the first that equals the best is the last to write.
    for c in range(model.category_count - 1, -1, -1):
        if block.choices >> c & 1:
            for earned in range(outcomes.start[c], outcomes.start[c + 1]):
                begin, end = outcomes.roll_start[earned], outcomes.roll_start[earned + 1]
                if begin < end:
                    outcome = turn_outcome_of(job, way, c, earned)
                    value = load(scratch.outcome_value, outcome)
                    tag = load(scratch.outcome_tag, outcome)
                    if reaches(value, lowest):
                        for i in range(begin, end):
                            here = outcomes.rolls[i]  # lattice index of a roll
                            limit = load(limits, here - dice.first_roll)
                            store(tags, here, choose(value, limit, tag, load(tags, here)))


@jit
def choose_stops(job, block, is_first, values, tags):
    """Choose the best category for each roll.

    Its value goes to `values`, by roll, and its tag to `tags`, by multiset of dice.
    """
    model = job.model
    first_roll = job.model.dice.first_roll
    if model.legal.strict:
        for roll in range(model.dice.roll_count):
            choose_stop(job, block, roll, is_first, values, tags)
        return
    choose_plain_stops(job, block, plain_way(model, block.row, is_first), values, tags)
    if model.layout.masks[block.row] & model.jokers.bit:
        for i in range(model.jokers.size):
            choose_stop(job, block, model.jokers.rolls[i] - first_roll, is_first, values, tags)


@jit
def has_first_rolls(model, rerolls):
    """Return whether turns with bonus points for first rolls begin with so many rerolls left."""
    return model.has_first_roll_bonus and rerolls >= model.rolls_per_turn - 1


@jit
def choose_stage_stops(children, job, block, rerolls):
    """Write the best category of each roll with so many rerolls left to the actions of this stage.

    The stage without rerolls comes first: only it writes the stop values, and others copy its
    actions. If rolls are saved, the rerolls that are left are the rolls saved, and each stage
    chooses anew.
    """
    model = job.model
    scratch = job.scratch
    dice = job.model.dice
    actions = stage_actions(job, rerolls, False)
    if rerolls == 0 or model.saves_rolls:
        outcome_values(children, job, block, rerolls)
        choose_stops(job, block, False, scratch.stop_value, actions)
    else:
        copy_vectors(scratch.action, dice.first_roll, actions, dice.first_roll, dice.roll_count)
    if has_first_rolls(model, rerolls):
        choose_stops(job, block, True, scratch.first_value, stage_actions(job, rerolls, True))


@jit
def choose_holds(job, best_within, stop_values, actions):
    """Replace the actions by the best hold where it is better.

    The actions so far end the turn for `stop_values`.
    """
    # `best_within` has the values of the holds, and afterwards the best value within every
    # multiset; `actions` has the hold with that value. Of equal holds the last one of the lattice
    # is chosen: that with the most dice, then with the highest faces. As straight-line code this
    # pass would take seconds to compile.
    dice = job.model.dice
    none = splat(best_within, -1.0)
    copy_vectors(stop_values, 0, best_within, dice.first_roll, dice.roll_count)
    store(actions, 0, splat(best_within, 0.0))  # the empty hold
    for hold in range(1, dice.first_roll + dice.roll_count):
        own_value = load(best_within, hold)
        best = own_value
        chosen = none
        first, end = dice.predecessor_start[hold], dice.predecessor_start[hold + 1]
        for i in range(first, end):
            best = maximum(best, load(best_within, dice.predecessors[i]))
        limit = lowest_equal(best, job.ties)
        for i in range(first, end):
            smaller = dice.predecessors[i]
            chosen = maximum(
                choose(load(best_within, smaller), limit, load(actions, smaller), none), chosen
            )
        # or the stop
        itself = splat(best_within, float(hold)) if hold < dice.first_roll else load(actions, hold)
        store(actions, hold, choose(own_value, limit, itself, chosen))
        store(best_within, hold, best)


@jit
def policy_block(children, job, block, most_saved):
    """Write the policy of one block to ``action`` and ``first_action`` of the scratch."""
    model = job.model
    scratch = job.scratch
    dice = job.model.dice
    for rerolls in range(model.rolls_per_turn + most_saved):
        if rerolls > 0:
            means(scratch.buffer, job.lattice)
        choose_stage_stops(children, job, block, rerolls)
        if rerolls == 0:
            copy_vectors(scratch.stop_value, 0, scratch.buffer, dice.first_roll, dice.roll_count)
        else:
            if has_first_rolls(model, rerolls):
                copy_vectors(scratch.buffer, 0, scratch.best_within, 0, dice.first_roll)
                choose_holds(
                    job, scratch.best_within, scratch.first_value, stage_actions(job, rerolls, True)
                )
            choose_holds(
                job, scratch.buffer, scratch.stop_value, stage_actions(job, rerolls, False)
            )


class ScorePolicyJob(NamedTuple):
    """Arguments of a kernel that follows the policy of a table of goals or of a utility."""

    model: TurnModel
    lattice: Any  # FiveDice, SixDice or DiceModel
    value_ties: Ties
    mean_ties: Ties
    scores: HoldValues  # of the objective, float32
    means: HoldValues  # of the mean, float64
    option_values: Floats  # (options,): of one decision: the categories, then to stop and the holds
    option_means: Floats


class TurnStart(NamedTuple):
    """The start of a turn: row, lane of upper sums, and score x.

    `choices` is the bitmask of the categories the turn may fill.
    """

    row: int
    lane: int
    x: int
    choices: int


def score_policy(
    dice: Lattice, model: TurnModel, lattice: Any, ties: tuple[Ties, Ties], most_saved: int
) -> ScorePolicyJob:
    """Return the policy with new working memory for one thread.

    `lattice` is FiveDice, SixDice or DiceModel. `ties` are those of the values, and those of the
    means.
    """
    rerolls = model.rolls_per_turn - 1 + most_saved
    scores, means = (hold_values(dice, model, rerolls, dtype) for dtype in (np.float32, np.float64))
    options = model.category_count + int(np.diff(model.dice.hold_start).max())
    return ScorePolicyJob(
        model, lattice, *ties, scores, means, np.zeros(options), np.zeros(options)
    )


def score_blocks(ranges: tuple[Ints, Ints], lane: Ints, x: Ints) -> tuple[Ints, Ints]:
    """Return the start of the block of scores of many states and x, and the lane of x within.

    `ranges` are the first and last scores of the states. All scores below a range share one block,
    whose values are known, and so do all above it.
    """
    low, high = ranges
    clipped = np.clip(x, low - 1, high + 1)
    inside = (clipped >= low) & (clipped <= high)
    lane_in_block = np.where(inside, (clipped - low) % SCORE_LANES, 0)
    first = np.where(clipped < low, low - SCORE_LANES, clipped - lane_in_block)
    return score_block.py_func(lane, first), lane_in_block


@jit
def preferred(job, first, end):
    """Return which of the entries `first` to ``end - 1`` of the memory of options to take.

    Of the options with the highest value it is the first with the highest mean (of F in the
    docstring of the module).
    """
    values = job.option_values
    averages = job.option_means
    best, best_mean = LOWEST, LOWEST
    for i in range(first, end):
        best = max(best, values[i])
    limit = lowest_equal(best, job.value_ties)
    for i in range(first, end):
        if values[i] >= limit:
            best_mean = max(best_mean, averages[i])
    mean_limit = lowest_equal(best_mean, job.mean_ties)
    chosen = first
    for i in range(end - 1, first - 1, -1):  # backwards, so that the first one remains
        if values[i] >= limit and averages[i] >= mean_limit:
            chosen = i
    return chosen


@jit
def category_means(values, job, turn, roll, saved, is_first, target):
    """Write the means of all categories for a roll to `target`, LOWEST where not allowed.

    Returns the categories that may take the roll, and how they score it.
    """
    model = job.model
    allowed, way = scoring_of_roll(model, turn.row, turn.choices, roll, is_first)
    for c in range(model.category_count):
        target[c] = LOWEST
        if allowed >> c & 1:
            i = outcome_number(model, way, c, roll)
            target[c] = mean_after(values, model, turn.row, turn.lane, saved, i)
    return allowed, way


@jit
def preferred_stop(scores, mean_table, job, turn, roll, saved, is_first):
    """Return the outcome of the best category for a roll, its value and its mean.

    Those of all categories are written to the memory of options.
    """
    model = job.model
    outcomes = job.model.turn_outcomes
    layout = job.model.layout
    allowed, way = category_means(
        mean_table.values, job, turn, roll, saved, is_first, job.option_means
    )
    for c in range(model.category_count):
        job.option_values[c] = LOWEST
        if allowed >> c & 1:
            i = outcome_number(model, way, c, roll)
            child = turn.row + outcomes.step[i]
            state = state_number(layout, turn.row, child, turn.lane, saved, outcomes.shift[i])
            job.option_values[c] = float(value_at(scores, state, turn.x + int(outcomes.total[i])))
    c = preferred(job, 0, model.category_count)
    return outcome_number(model, way, c, roll), job.option_values[c], job.option_means[c]


@jit
def decision(scores, mean_table, job, turn, score_lane, roll, rerolls, is_first):
    """Return what to do with a roll: the hold, or -1 to stop.

    The outcome of the best category and the value of the decision follow.
    """
    model = job.model
    dice = job.model.dice
    saved = rerolls if model.saves_rolls else 0
    outcome, value, average = preferred_stop(scores, mean_table, job, turn, roll, saved, is_first)
    hold = -1
    if rerolls > 0:
        # In the memory of options the categories come first. Then comes option `stop`, the hold of
        # all dice, with which the holds of the roll begin, and after it the other holds.
        stop = model.category_count
        first = dice.hold_start[roll]
        options = dice.hold_start[roll + 1] - first
        job.option_values[stop], job.option_means[stop] = value, average
        for i in range(1, options):
            held = dice.holds[first + i]
            job.option_values[stop + i] = hold_value(job.scores, dice, rerolls, held, score_lane)
            job.option_means[stop + i] = hold_value(
                job.means, dice, rerolls, held, turn.lane % LANES
            )
        chosen = preferred(job, stop, stop + options)
        if chosen > stop:
            hold = int(dice.holds[first + chosen - stop])
            value = job.option_values[chosen]
    return hold, outcome, value
