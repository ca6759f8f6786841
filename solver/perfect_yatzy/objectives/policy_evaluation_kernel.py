"""Policy evaluation: a quantity of the rest of the game under a policy.

For the state s with mean V(s) under the policy, and the child s' and points p that its turn ends
with::

    Q(s) = E[ Q(s') + a p + w (p + V(s') - V(s))^2 ],        Q(full card) given

=====  =====  ==================  =========================================================================
a      w      Q(full card)        Q
=====  =====  ==================  =========================================================================
1      0      upper bonus         the mean V of the points to come
0      1      0                   their variance, by the law of total variance
0      0      any                 the mean of a quantity of the final card, such as the chance of the bonus
=====  =====  ==================  =========================================================================

For the greedy policy of the means themselves (perfect play) Q goes with the best option as a tag.
For any other policy (:mod:`.propagation_kernel`) the turn is followed backwards through the actions it
chooses, or its ends are weighed by their chances. One sweep serves all numbers of saved rolls, with
squares around V without saved rolls.

:func:`distribute_rows` has the distributions of the points y still to come, for an outcome o with
p(o) points that leads to the child s'; one pass has those from every card on, where that of
:mod:`.propagation_kernel` has that of one::

    P(y | s) = sum over o of P(o | s) P(y - p(o) | s')
"""

from __future__ import annotations

from typing import NamedTuple

from ..core.dice import Floats, Ints
from ..core.jit import by_kind, jit
from ..core.lattice import copy_vectors, fill, means
from ..core.simd import add_at, load, load_at, splat, store, uniform, views, where, width
from ..core.state_space import LANES
from ..core.table_slices import TableSlice
from ..core.turn import mean_block, mean_of_first_roll
from ..core.value_tables import (
    MeanTable,
    child_value,
    lanes_of,
    mean_table,
    state_number,
    state_place,
    successor,
    table_lanes,
    write_values,
)
from .policy_kernel import (
    PolicyJob,
    choose_holds,
    choose_stops,
    outcome_values,
    stage_actions,
    stop_action,
)
from .propagation_kernel import choose_actions, next_action, turn_chances
from .score_table_kernel import ScoreTable


class EvaluationJob(NamedTuple):
    """Arguments of the kernel that evaluates a policy on rows of one layer."""

    policy: PolicyJob
    means: TableSlice  # V of the rows and of their children, float64; without use if w = 0
    below: TableSlice  # Q of the children
    target: TableSlice  # written: Q of the rows
    most_saved: int  # most rolls that may have been saved before the turn
    points_weight: float  # a
    square_weight: float  # w


@jit
def centre_of(means_of_states, job, block):
    """Return V of a block without saved rolls, around which squares are taken.

    It is 0 if there are no squares.
    """
    layout = job.policy.model.layout
    temp = job.policy.scratch.temp
    if job.square_weight == 0.0:
        return splat(temp, 0.0)
    return table_lanes(means_of_states.values, layout, block, block.row, 0, 0, temp)


@by_kind()
def quantity_after(quantities, job, block, i, saved):
    """Return ``Q(s') + a p`` of outcome i.

    For scores as lanes it is the value of s' at the score with p.
    """


@quantity_after.of(MeanTable)
def _quantity_of_state(quantities, job, block, i, saved):
    outcomes = job.policy.model.turn_outcomes
    layout = job.policy.model.layout
    temp = job.policy.scratch.temp
    child = block.row + outcomes.step[i]
    after = table_lanes(quantities.values, layout, block, child, saved, outcomes.shift[i], temp)
    return after + job.points_weight * outcomes.total[i]


@quantity_after.of(ScoreTable)
def _value_of_scores(quantities, job, block, i, saved):
    outcomes = job.policy.model.turn_outcomes
    layout = job.policy.model.layout
    temp = job.policy.scratch.temp
    return child_value(
        quantities, layout, block, successor(outcomes, i, block.row, saved), outcomes.total[i], temp
    )


@jit
def outcome_quantities(quantities, job, block, saved, centre, result):
    """Write ``Q(s') + a p + w (p + V(s') - centre)^2`` of every outcome to `result`.

    `outcome_value` of the scratch has p + V(s').
    """
    outcomes = job.policy.model.turn_outcomes
    scratch = job.policy.scratch
    for i in range(outcomes.size):
        if block.choices >> outcomes.category[i] & 1:
            value = quantity_after(quantities, job, block, i, saved)
            if job.square_weight != 0.0:
                deviation = load(scratch.outcome_value, i) - centre
                value += job.square_weight * (deviation * deviation)
            store(result, i, value)


@jit
def write_quantity(means_of_states, target, job, block, saved_before, centre, value):
    """Write Q of a block from `value`, which has the squares around `centre`.

    The squared difference of the centres is subtracted.
    """
    layout = job.policy.model.layout
    temp = job.policy.scratch.temp
    if saved_before > 0 and job.square_weight != 0.0:
        difference = (
            table_lanes(means_of_states.values, layout, block, block.row, saved_before, 0, temp)
            - centre
        )
        value += -job.square_weight * (difference * difference)
    write_values(target, layout, block, saved_before, value, temp)


@jit
def follow_actions(policy, rerolls, is_first, result):
    """Write Q of every roll, from that of its action, to the full rolls of `result`.

    `policy` is a PolicyJob. The turn has `rerolls` rerolls left.
    """
    scratch = policy.scratch
    dice = policy.model.dice
    actions = stage_actions(policy, rerolls, is_first)
    all_lanes = (1 << width(actions)) - 1
    for here in range(dice.first_roll, dice.first_roll + dice.roll_count):
        value = splat(result, 0.0)
        left = all_lanes
        while left:
            action, same = next_action(actions, here, left)
            if action >= 0:
                value = where(same, load(scratch.buffer, action), value)
            else:
                value = where(same, load(scratch.outcome_quantity, stop_action(action)), value)
            left &= ~same
        store(result, here, value)


@by_kind()
def evaluate_block(policy, means_of_states, quantities, target, job, block):
    """Write Q of one block for every number of saved rolls. `job` holds views."""


@evaluate_block.of()
def _follow_policy(policy, means_of_states, quantities, target, job, block):
    model = job.policy.model
    scratch = job.policy.scratch
    choose_actions(policy, job.policy, block, job.most_saved)
    centre = centre_of(means_of_states, job, block)
    for rerolls in range(model.rolls_per_turn + job.most_saved):
        if rerolls > 0:
            means(scratch.buffer, job.policy.lattice)
        if rerolls == 0 or model.saves_rolls:
            if job.square_weight != 0.0:
                outcome_values(means_of_states, job.policy, block, rerolls)
            outcome_quantities(quantities, job, block, rerolls, centre, scratch.outcome_quantity)
        # turns with so many begin here, if it is not negative
        saved_before = rerolls - model.rolls_per_turn + 1
        first_rolls = scratch.buffer
        if model.has_first_roll_bonus and saved_before >= 0:
            first_rolls = scratch.first_buffer
            follow_actions(job.policy, rerolls, True, first_rolls)
        follow_actions(job.policy, rerolls, False, scratch.buffer)
        if saved_before >= 0:
            value = mean_of_first_roll(model.dice, first_rolls)
            write_quantity(means_of_states, target, job, block, saved_before, centre, value)


class PerfectPlay(NamedTuple):
    """The greedy policy of the means in an EvaluationJob."""

    unused: int = 0  # numba takes no empty tuple


@jit
def choose_tags(greedy, rerolls, best_within, stop_values, stop_tags, tags):
    """Write the tag of the best option of each roll to `tags`, and its value to `best_within`.

    `greedy` is a PolicyJob, whose ``best_hold`` is written. `best_within` has the values of the
    holds of fewer than all dice before. `tags` may be ``hold_tag``.
    """
    dice = greedy.model.dice
    hold_tag = greedy.scratch.hold_tag
    best_hold = greedy.scratch.best_hold
    if rerolls == 0:  # the turn ends
        copy_vectors(stop_values, 0, best_within, dice.first_roll, dice.roll_count)
        copy_vectors(stop_tags, dice.first_roll, tags, dice.first_roll, dice.roll_count)
        return
    fill(best_hold, dice.first_roll, dice.roll_count, splat(hold_tag, -1.0))
    choose_holds(greedy, best_within, stop_values, best_hold)
    take_tags(dice, best_hold, hold_tag, stop_tags, tags)


@jit
def take_tags(dice, best_hold, hold_tag, stop_tags, tags):
    """Write the tag of the hold of each roll to `tags`, or of its stop where the hold is -1.

    `tags` may be `hold_tag`.
    """
    lanes = width(hold_tag)
    for here in range(dice.first_roll, dice.first_roll + dice.roll_count):
        if uniform(load(best_hold, here)):  # one hold in all lanes, or none
            held = int(best_hold[here * lanes])
            tag = load(hold_tag, held) if held >= 0 else load(stop_tags, here)
            store(tags, here, tag)
        else:
            for lane in range(lanes):
                place = here * lanes + lane
                held = int(best_hold[place])
                tags[place] = hold_tag[held * lanes + lane] if held >= 0 else stop_tags[place]


@evaluate_block.of(PerfectPlay)
def _evaluate_perfect_play(policy, means_of_states, quantities, target, job, block):
    greedy = job.policy
    model = job.policy.model
    dice = job.policy.model.dice
    scratch = job.policy.scratch
    centre = centre_of(means_of_states, job, block)
    for rerolls in range(model.rolls_per_turn + job.most_saved):
        if rerolls > 0:
            means(scratch.buffer, greedy.lattice)
            means(scratch.hold_tag, greedy.lattice)
        if rerolls == 0 or model.saves_rolls:
            outcome_values(means_of_states, greedy, block, rerolls)
            outcome_quantities(quantities, job, block, rerolls, centre, scratch.outcome_tag)
            choose_stops(greedy, block, False, scratch.stop_value, scratch.stop_tag)
        saved_before = rerolls - model.rolls_per_turn + 1  # as in _follow_policy
        first_rolls = scratch.hold_tag
        if model.has_first_roll_bonus and saved_before >= 0:
            first_rolls = scratch.first_buffer
            stops = scratch.first_value
            tags = scratch.first_stop_tag
            choose_stops(greedy, block, True, stops, tags)
            copy_vectors(scratch.buffer, 0, scratch.best_within, 0, dice.first_roll)
            choose_tags(greedy, rerolls, scratch.best_within, stops, tags, first_rolls)
        choose_tags(
            greedy, rerolls, scratch.buffer, scratch.stop_value, scratch.stop_tag, scratch.hold_tag
        )
        if saved_before >= 0:
            value = mean_of_first_roll(dice, first_rolls)
            write_quantity(means_of_states, target, job, block, saved_before, centre, value)


@jit
def evaluate_rows(rows, arguments, policy):
    """Write Q of all states of the given rows, from that of their children.

    `arguments` is an EvaluationJob, and `policy` what :func:`evaluate_block` follows.
    """
    job = views(arguments)
    followed = views(policy)
    means_of_states = mean_table(job.means)
    quantities = mean_table(job.below)
    target = mean_table(job.target)
    for row in rows:
        for lane in range(0, lanes_of(job.policy.model.layout, row), LANES):
            block = mean_block(job.policy.model, row, lane)
            evaluate_block(followed, means_of_states, quantities, target, job, block)


class ToCome(NamedTuple):
    """Distributions of the points to come from every state of a layer on."""

    first_state: int  # number of the first state of the layer
    # (states + 1,): where the chances of 0, 1, 2 ... points begin; LANES zeros follow the last one.
    start: Ints
    chances: Floats  # (n,)
    # (states * width,): expected points of each category and the chance that it is crossed out, in
    # turn; chance of an upper bonus
    results: Floats
    width: int


@jit
def add_outcome(job, outcome, chance, state, child, below, target):
    """Add an outcome that the turn from a state has with a chance to the distribution of the state.

    `child` is the number of the state that follows.
    """
    outcomes = job.model.turn_outcomes
    here, there = state - target.first_state, child - below.first_state  # places in their layers
    begin, end = below.start[there], below.start[there + 1] - LANES
    # from an entry of the child to that of the state
    by = target.start[here] + int(outcomes.total[outcome]) - begin
    for entry in range(begin, end, LANES):
        add_at(target.chances, entry + by, chance * load_at(below.chances, entry))
    first, child_first = here * target.width, there * target.width
    for i in range(target.width):
        target.results[first + i] += chance * below.results[child_first + i]
    points = outcomes.points[outcome]
    # two entries for each category: its points, and whether it is crossed out
    place = first + 2 * outcomes.category[outcome]
    target.results[place] += chance * points
    if points == 0:
        target.results[place + 1] += chance


@jit
def distribute_rows(rows, arguments, policy, children, layer):
    """Write the distributions of the points to come from all states of the given rows on.

    `arguments` is a PolicyJob. `layer` has zeros before.
    """
    job = views(arguments)
    followed = views(policy)
    below = views(children)
    target = views(layer)
    layout = job.model.layout
    outcomes = job.model.turn_outcomes
    for row in rows:
        lane_count = lanes_of(layout, row)
        for first_lane in range(0, lane_count, LANES):
            turn_chances(followed, job, mean_block(job.model, row, first_lane))
            for i in range(outcomes.size):
                for lane in range(min(LANES, lane_count - first_lane)):
                    chance = job.scratch.outcome_chance[i * LANES + lane]
                    if chance > 0.0:
                        state = state_place(layout, row, 0, first_lane + lane)
                        child = row + outcomes.step[i]
                        shift = outcomes.shift[i]
                        after = state_number(layout, row, child, first_lane + lane, 0, shift)
                        add_outcome(job, i, chance, state, after, below, target)
