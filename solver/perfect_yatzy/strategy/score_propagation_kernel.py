"""Propagate chances forward under the policy of a goal or a utility.

Here the actions depend on the points made. This is the propagation of
:mod:`..objectives.propagation_kernel`, but each x has its own decisions: the ends of turns have the
chances P(e | s, x) in place of P(e | s). The lanes of a vector are neighbouring x of one state, and each lane
takes what :mod:`.policy` would: of the options as good as the best value the first one with the
best mean. One pass from the last option to the first finds it: an option that is as good as the
best mean after it replaces the choice. The means do not depend on x: they are computed once for a
group of upper sums, and so is the turn for the mean, which is played where the goal is certain or
out of reach. An end of a turn is number ``saved rolls * outcomes + outcome``. A call writes to a
buffer of its own; the caller adds the buffers in order.
"""

from __future__ import annotations

from typing import NamedTuple

from ..core.dice import Floats, Ints
from ..core.jit import jit
from ..core.lattice import copy_vectors, maxima, means
from ..core.legal import outcome_number
from ..core.simd import add_at, add_to, choose, load, load_at, maximum, reaches, splat, store, views
from ..core.state_space import LANES
from ..core.table_slices import TableSlice
from ..core.turn import LOWEST, mean_block
from ..core.value_tables import Block, mean_table, state_number, state_place, values_of
from ..objectives.holds_kernel import HoldValues, backup_holds, hold_place
from ..objectives.policy_kernel import (
    PolicyJob,
    best_stop,
    lowest_equal,
    outcome_values,
    policy_block,
    stage_actions,
    stop_action,
)
from ..objectives.propagation_kernel import outcome_chances
from ..objectives.score_places import ScoreOffsets
from ..objectives.score_table_kernel import placed_scores, score_block

SMALLEST = 5e-324  # the smallest positive float64


class Support(NamedTuple):
    """The first and the last score that occur at each state, and the chance of the state."""

    low: Ints  # (states,): first score
    high: Ints  # (states,): last score, less than the first one if none occurs
    mass: Floats  # (states,): chance of the state


class ScorePassScratch(NamedTuple):
    """Working memory of one thread in addition to that of the policy.

    It is in vectors unless stated otherwise.
    """

    means: HoldValues  # means of the holds, in lanes of upper sums
    end_mean: Floats  # (ends,): mean after each end of a turn, in lanes of upper sums
    best_stop: Floats  # (rolls,): value of the best category
    stop_mean: Floats  # (rolls,): mean of the chosen category
    # (outcomes,): chance of each outcome over all games; the lanes are added up in the end
    outcome_sum: Floats
    mass: Floats  # (longest range of scores + padding,): chances of the scores of one state
    # (ends,): place of the score 0 of the child after each end, moved by the points of the end
    entries: Ints


class ScorePassJob(NamedTuple):
    """Arguments of the kernel that moves the chances of one layer to the next."""

    policy: PolicyJob  # with the ties of the objective
    # with the ties of the mean, and the turn for the mean: actions, and chances of its ends
    mean_policy: PolicyJob
    scratch: ScorePassScratch
    # places of the chances P(s, x), where x is the number of points made since the start
    offsets: ScoreOffsets
    parents: TableSlice  # P of the layer
    support: Support  # of all states
    scores: TableSlice  # values of the children for the objective, float32
    places: ScoreOffsets  # places of the values
    x_start: int  # the x of these values at the start
    # whether it is certain beyond the range of a state that the goal is reached, or is not
    known_ends: bool
    means: TableSlice  # means of the children
    most_saved: int  # most saved rolls of a state of the layer


@jit
def stage_count(job, saved_before):
    """Return how many numbers of rolls may stay saved after a turn.

    The turn begins with `saved_before` saved rolls.
    """
    model = job.policy.model
    return model.rolls_per_turn + saved_before if model.saves_rolls else 1


@jit
def mean_turn(means_of_states, job, block):
    """Compute everything about the mean in one block of upper sums.

    This is the policy, and the means after all ends and of holds.
    """
    policy, scratch = job.mean_policy, job.scratch
    policy_block(means_of_states, policy, block, job.most_saved)
    size = policy.model.turn_outcomes.size
    for saved in range(stage_count(job, job.most_saved)):
        outcome_values(means_of_states, policy, block, saved)
        copy_vectors(policy.scratch.outcome_value, 0, scratch.end_mean, saved * size, size)
    backup_holds(
        means_of_states,
        policy,
        block,
        policy.model.rolls_per_turn - 1 + job.most_saved,
        scratch.means,
    )


@jit
def choose_score_stops(job, block, lane, saved, is_first, actions):
    """Write the category for each roll to `actions`.

    Its value and mean, and the best value, go to the scratch.
    """
    model, scratch, own = job.policy.model, job.policy.scratch, job.scratch
    first_end = saved * model.turn_outcomes.size
    below_all = splat(actions, 2 * LOWEST)
    for roll in range(model.dice.roll_count):
        allowed, way, best = best_stop(job.policy, block, roll, is_first)
        limit = lowest_equal(best, job.policy.ties)
        mean_limit = splat(actions, LOWEST)  # the least mean that is as good as the best one so far
        # These are of the choice so far.
        taken = splat(actions, -1.0)
        value = best
        mean = mean_limit
        # From the last category on, so that of equal ones the first is taken.
        for c in range(model.category_count - 1, -1, -1):
            if allowed >> c & 1:
                i = outcome_number(model, way, c, roll)
                option = load(scratch.outcome_value, i)
                if reaches(option, limit):
                    average = own.end_mean[(first_end + i) * LANES + lane]  # for all scores alike
                    # This is below all others in the lanes in which this category is not as good as
                    # the best.
                    option_mean = choose(option, limit, splat(actions, average), below_all)
                    stop = splat(actions, float(stop_action(i)))
                    taken = choose(option_mean, mean_limit, stop, taken)
                    value = choose(option_mean, mean_limit, option, value)
                    mean = choose(option_mean, mean_limit, option_mean, mean)
                    lowest = splat(actions, lowest_equal(average, job.mean_policy.ties))
                    mean_limit = maximum(mean_limit, choose(option, limit, lowest, below_all))
        store(own.best_stop, roll, best)
        store(own.stop_mean, roll, mean)
        store(scratch.stop_value, roll, value)
        store(actions, model.dice.first_roll + roll, taken)


@jit
def choose_score_holds(job, lane, rerolls, actions):
    """Write the best hold for each roll, if it beats stopping, to `actions`.

    The value of each roll goes to the buffer.
    """
    dice, scratch, own = job.policy.model.dice, job.policy.scratch, job.scratch
    buffer = scratch.buffer
    best_within = scratch.best_within
    below_all = splat(actions, 2 * LOWEST)
    # The steps are those of choose_score_stops, with the holds of a roll and then to stop as
    # options.
    copy_vectors(buffer, 0, best_within, 0, dice.first_roll)
    copy_vectors(scratch.stop_value, 0, best_within, dice.first_roll, dice.roll_count)
    maxima(best_within, job.policy.lattice)
    for roll in range(dice.roll_count):
        best = load(best_within, dice.first_roll + roll)
        limit = lowest_equal(best, job.policy.ties)
        mean_limit, taken = splat(actions, LOWEST), splat(actions, -1.0)
        # The holds of the roll but that of all dice.
        for i in range(dice.hold_start[roll + 1] - 1, dice.hold_start[roll], -1):
            held = dice.holds[i]
            option = load(buffer, held)
            if reaches(option, limit):
                average = own.means.values[hold_place(dice, rerolls, held) * LANES + lane]
                option_mean = choose(option, limit, splat(actions, average), below_all)
                taken = choose(option_mean, mean_limit, splat(actions, float(held)), taken)
                lowest = splat(actions, lowest_equal(average, job.mean_policy.ties))
                mean_limit = maximum(mean_limit, choose(option, limit, lowest, below_all))
        stop_mean = choose(
            load(scratch.stop_value, roll), limit, load(own.stop_mean, roll), below_all
        )
        stop = load(actions, dice.first_roll + roll)
        store(actions, dice.first_roll + roll, choose(stop_mean, mean_limit, stop, taken))
        # Of equal categories one may be taken that is not quite the best. The values of the holds are
        # for the best.
        store(buffer, dice.first_roll + roll, maximum(best, load(own.best_stop, roll)))


@jit
def score_turn_chances(children, job, block, lane, saved_before):
    """Write the chance of each end for a block of scores to ``outcome_chance``.

    :func:`mean_turn` of its group comes before it.
    """
    model, scratch, own = job.policy.model, job.policy.scratch, job.scratch
    first_roll, roll_count = model.dice.first_roll, model.dice.roll_count
    most = model.rolls_per_turn - 1 + saved_before
    for rerolls in range(most + 1):
        is_first = model.has_first_roll_bonus and rerolls == most
        has_new_values = rerolls == 0 or model.saves_rolls  # values of the outcomes
        actions = stage_actions(job.policy, rerolls, is_first)
        if rerolls > 0:
            means(scratch.buffer, job.policy.lattice)
        if has_new_values:
            outcome_values(children, job.policy, block, rerolls)
        if has_new_values or is_first:
            saved = rerolls if model.saves_rolls else 0
            choose_score_stops(job, block, lane, saved, is_first, actions)
        else:
            copy_vectors(scratch.action, first_roll, actions, first_roll, roll_count)
        if rerolls > 0:
            choose_score_holds(job, lane, rerolls, actions)
        else:
            copy_vectors(own.best_stop, 0, scratch.buffer, first_roll, roll_count)
    outcome_chances(job.policy, saved_before)


@jit
def find_entries(job, row, lane, saved_before, choices, relocation):
    """Write ``entries`` for one state.

    `relocation` leads from the places of the children of an outcome to the buffer.
    """
    outcomes, layout = job.policy.model.turn_outcomes, job.policy.model.layout
    for saved in range(stage_count(job, saved_before)):
        for i in range(outcomes.size):
            if choices >> outcomes.category[i] & 1:
                state = state_number(
                    layout, row, row + outcomes.step[i], lane, saved, outcomes.shift[i]
                )
                entry = job.offsets.origin[state] + int(outcomes.total[i]) + relocation[i]
                job.scratch.entries[saved * outcomes.size + i] = entry


@jit
def push(job, choices, saved_before, x, mass, target):
    """Add the chances `mass` of a block of scores from x on to the children, by ``outcome_chance``."""
    outcomes, own, scratch = job.policy.model.turn_outcomes, job.scratch, job.policy.scratch
    for saved in range(stage_count(job, saved_before)):
        for i in range(outcomes.size):
            if choices >> outcomes.category[i] & 1:
                chance = load(scratch.outcome_chance, saved * outcomes.size + i)
                if reaches(chance, splat(target, SMALLEST)):
                    share = mass * chance
                    there = own.entries[saved * outcomes.size + i] + x
                    add_at(target, there, share)
                    add_to(own.outcome_sum, i, share)


@jit
def push_span(children, job, block, lane, saved_before, target, first, last, settled):
    """Push the chances of the scores `first` to `last`.

    `settled` says that ``outcome_chance`` is right for all of them. Otherwise it is computed for
    each block of scores.
    """
    if last < first:
        return
    own = job.scratch
    source = values_of(job.parents)
    origin = job.offsets.origin[state_place(job.policy.model.layout, block.row, saved_before, lane)]
    for x in range(first, last + 1):
        own.mass[x - first] = source[origin + x]
    for x in range(last + 1, last + 1 + LANES):  # the rest of the last vector
        own.mass[x - first] = 0.0
    for x in range(first, last + 1, LANES):
        mass = load_at(own.mass, x - first)
        if reaches(mass, splat(target, SMALLEST)):
            if not settled:
                start = score_block(lane, x + job.x_start)
                score_turn_chances(
                    children,
                    job,
                    Block(block.row, start, block.choices),
                    lane % LANES,
                    saved_before,
                )
            push(job, block.choices, saved_before, x, mass, target)


@jit
def push_state(children, job, block, lane, saved_before, target):
    """Push the chances of all scores of one state."""
    chances = job.policy.scratch.outcome_chance
    mean_chances = job.mean_policy.scratch.outcome_chance
    state = state_place(job.policy.model.layout, block.row, saved_before, lane)
    low, high = job.support.low[state], job.support.high[state]
    first, last = low, high  # the scores with decisions of their own
    if job.known_ends:
        first = max(low, job.places.low[state] - job.x_start)
        last = min(high, job.places.high[state] - job.x_start)
    if low < first or last < high:
        # Below `first` and above `last` nothing can change the goal: play is that for the mean.
        for end in range(stage_count(job, saved_before) * job.policy.model.turn_outcomes.size):
            store(chances, end, splat(target, mean_chances[end * LANES + lane % LANES]))
        push_span(
            children,
            job,
            block,
            lane,
            saved_before,
            target,
            low,
            min(high, first - 1),
            settled=True,
        )
        push_span(
            children,
            job,
            block,
            lane,
            saved_before,
            target,
            max(low, first, last + 1),
            high,
            settled=True,
        )
    push_span(children, job, block, lane, saved_before, target, first, last, settled=False)


@jit
def push_lanes(row, first_lane, end_lane, arguments, relocation, target):
    """Move the chances of some states of a row to their children."""
    job, moved, buffer = views(arguments), views(relocation), views(target)
    layout = job.policy.model.layout
    children = placed_scores(job.scores, job.places)
    for first in range(first_lane, end_lane, LANES):
        block = mean_block(job.policy.model, row, first)
        # All states of the block share the turn for the mean, and those with equal saved rolls share
        # its chances.
        has_mean_turn = False
        for saved in range(job.most_saved + 1):
            state = state_place(layout, row, saved, 0)
            has_mean_chances = False
            for lane in range(first, min(first + LANES, end_lane)):
                if job.support.high[state + lane] >= 0:
                    if not has_mean_turn:
                        mean_turn(mean_table(job.means), job, block)
                        has_mean_turn = True
                    if not has_mean_chances:
                        outcome_chances(job.mean_policy, saved)
                        has_mean_chances = True
                    find_entries(job, row, lane, saved, block.choices, moved)
                    push_state(children, job, block, lane, saved, buffer)


@jit
def write_support(rows, layout_arrays, score_offsets, layer, most_saved, written):
    """Write the :class:`Support` of all states of the given rows of a layer.

    The states have up to `most_saved` saved rolls.
    """
    layout, offsets, support = views(layout_arrays), views(score_offsets), views(written)
    values = values_of(views(layer))
    for row in rows:
        for state in range(
            state_place(layout, row, 0, 0), state_place(layout, row, most_saved + 1, 0)
        ):
            low = 0
            high = -1  # no score occurs
            mass = 0.0
            for x in range(offsets.high[state] + 1):
                chance = values[offsets.origin[state] + x]
                if chance > 0.0:
                    if high < 0:  # the first one
                        low = x
                    high = x
                    mass += chance
            support.low[state], support.high[state], support.mass[state] = low, high, mass
