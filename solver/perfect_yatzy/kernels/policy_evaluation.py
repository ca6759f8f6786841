"""Policy evaluation: a quantity of the rest of the game under a policy.

For the state s with mean V(s) under the policy, and the child s' and points p that its turn ends with::

    Q(s) = E[ Q(s') + a p + w (p + V(s') - V(s))^2 ],        Q(full card) given

=====  =====  ==================  =========================================================================
a      w      Q(full card)        Q
=====  =====  ==================  =========================================================================
1      0      upper bonus         the mean V of the points to come
0      1      0                   their variance (law of total variance: the variances of the conditional
                                  mean of each turn, added up)
0      0      any                 the mean of a quantity of the final card, such as the chance of the bonus
=====  =====  ==================  =========================================================================

For the greedy policy of the means themselves (perfect play) Q goes with the best option as a tag. For any other
policy (:mod:`.actions`) the turn is followed backwards through the actions it chooses.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from typing import NamedTuple

from ..model.state_space import LANES
from .actions import choose_actions
from .jit import jit
from .lattice import means
from .policy import PolicyJob, choose_holds, choose_stops, copy_tags, outcome_values
from .simd import add, load, multiply, peek, poke, shifted, splat, store, uniform, views
from .table_slices import TableSlice
from .turn import mean_block, mean_of_first_roll
from .value_tables import MeanTable, table_lanes, write_values


class EvaluationJob(NamedTuple):
    """Arguments of the kernel that evaluates a policy on rows of one layer.

    Attributes
    ----------
    policy : PolicyJob
    means : TableSlice
        V of the rows and of their children, float64; without use if w = 0 and the policy is given.
    below, target : TableSlice
        Q of the children; written: Q of the rows.
    most_saved : int
        Most rolls that may have been saved before the turn.
    points_weight, square_weight : float
        a and w.
    """

    policy: PolicyJob
    means: TableSlice
    below: TableSlice
    target: TableSlice
    most_saved: int
    points_weight: float
    square_weight: float


@jit
def squared(vector):
    """Lane by lane square."""
    return multiply(vector, vector)


@jit
def outcome_quantities(mean_table, quantities, job, block, saved, centre, result):
    """``Q(s') + a p + w (p + V(s') - centre)^2`` of every outcome, into `result`."""
    outcomes, scratch = job.policy.outcomes, job.policy.scratch
    weight, minus_one = splat(scratch.temp, job.square_weight), splat(scratch.temp, -1.0)
    outcome_values(mean_table, job.policy, block, saved)
    for i in range(outcomes.size):
        if block.choices >> peek(outcomes.category, i) & 1:
            child, shift = block.row + peek(outcomes.step, i), peek(outcomes.shift, i)
            later = table_lanes(quantities.values, job.policy.model.layout, block, child, saved, shift, scratch.temp)
            difference = add(load(scratch.outcome_value, i), multiply(minus_one, centre))
            points = splat(scratch.temp, job.points_weight * peek(outcomes.total, i))
            store(result, i, add(add(later, points), multiply(weight, squared(difference))))


@jit
def write_quantity(mean_table, target, job, block, saved_before, centre, value):
    """Write Q of a block: `value`, with the squares around `centre`, less the squared difference of the centres."""
    layout, temp = job.policy.model.layout, job.policy.scratch.temp
    if saved_before > 0 and job.square_weight != 0.0:
        own_centre = table_lanes(mean_table.values, layout, block, block.row, saved_before, 0, temp)
        difference = add(own_centre, multiply(splat(temp, -1.0), centre))
        value = add(value, multiply(splat(temp, -job.square_weight), squared(difference)))
    write_values(target, layout, block, saved_before, value, temp)


@jit
def evaluate_policy_block(mean_table, quantities, target, job, block):
    """Q of one block for every number of saved rolls; `job` holds views.

    One sweep serves all numbers of saved rolls: squares are taken around V without saved rolls, and the difference
    of the centres is subtracted at the end.
    """
    policy, model, scratch = job.policy, job.policy.model, job.policy.scratch
    dice, temp = model.dice, scratch.temp
    centre = table_lanes(mean_table.values, model.layout, block, block.row, 0, 0, temp)
    for rerolls in range(model.rolls_per_turn + job.most_saved):
        if rerolls > 0:
            means(scratch.buffer, policy.lattice)
            means(scratch.hold_tag, policy.lattice)
        if rerolls == 0 or model.saves_rolls:
            outcome_quantities(mean_table, quantities, job, block, rerolls, centre, scratch.outcome_tag)
            choose_stops(policy, block, False, scratch.stop_value, scratch.stop, 0)
        saved_before, result = rerolls - model.rolls_per_turn + 1, scratch.hold_tag
        if model.has_first_roll_bonus and saved_before >= 0:
            result = scratch.hold_chance
            choose_stops(policy, block, True, scratch.first_value, scratch.first_stop, 0)
            if rerolls > 0:
                choose_holds(policy, scratch.first_value, False)
                copy_tags(policy, scratch.first_stop, result)
            else:
                for roll in range(dice.roll_count):
                    store(result, dice.first_roll + roll, load(scratch.first_stop, roll))
        if rerolls > 0:
            choose_holds(policy, scratch.stop_value, True)
            copy_tags(policy, scratch.stop, scratch.hold_tag)
        else:
            for roll in range(dice.roll_count):
                store(scratch.buffer, dice.first_roll + roll, load(scratch.stop_value, roll))
                store(scratch.hold_tag, dice.first_roll + roll, load(scratch.stop, roll))
        if saved_before >= 0:
            write_quantity(mean_table, target, job, block, saved_before, centre, mean_of_first_roll(dice, result))


@jit
def evaluate_policy_rows(rows, arguments):
    """Q of all states of the given rows, from Q of their children and the table of means.

    Parameters
    ----------
    rows : (n,) int64
        Rows of one layer.
    arguments : EvaluationJob
    """
    job = views(arguments)
    mean_table = MeanTable(shifted(job.means.values, job.means.start))
    quantities = MeanTable(shifted(job.below.values, job.below.start))
    target = MeanTable(shifted(job.target.values, job.target.start))
    layout = job.policy.model.layout
    for row in rows:
        for lane in range(0, peek(layout.lane_count, peek(layout.lane_sets, row)), LANES):
            evaluate_policy_block(mean_table, quantities, target, job, mean_block(job.policy.model, row, lane))


@jit
def follow_actions(job, rerolls, is_first, result):
    """Q of every roll with a number of rerolls left, from that of its action, into the full rolls of `result`.

    ``buffer`` holds Q of every hold, ``outcome_chance`` that of every outcome.
    """
    scratch, dice = job.policy.scratch, job.policy.model.dice
    buffer, ended = scratch.buffer, scratch.outcome_chance
    stop = scratch.first_stop if is_first else scratch.stop
    hold = scratch.first_hold if is_first else scratch.hold
    first = rerolls * dice.roll_count
    if is_first:
        first = (rerolls - job.policy.model.rolls_per_turn + 1) * dice.roll_count
    for roll in range(dice.roll_count):
        place, target = first + roll, dice.first_roll + roll
        held, outcome = int(peek(hold, place * LANES)), int(peek(stop, place * LANES))
        if uniform(load(hold, place)) and held >= 0:
            store(result, target, load(buffer, held))
        elif uniform(load(hold, place)) and uniform(load(stop, place)):
            store(result, target, load(ended, outcome))
        else:
            for lane in range(LANES):
                held, outcome = int(peek(hold, place * LANES + lane)), int(peek(stop, place * LANES + lane))
                value = peek(buffer, held * LANES + lane) if held >= 0 else peek(ended, outcome * LANES + lane)
                poke(result, target * LANES + lane, value)


@jit
def evaluate_actions_block(policy, mean_table, quantities, target, job, block):
    """Q of one block for every number of saved rolls, under any policy; `job` holds views."""
    model, scratch = job.policy.model, job.policy.scratch
    choose_actions(policy, job.policy, block, job.most_saved)
    centre = splat(scratch.temp, 0.0)
    if job.square_weight != 0.0:
        centre = table_lanes(mean_table.values, model.layout, block, block.row, 0, 0, scratch.temp)
    for rerolls in range(model.rolls_per_turn + job.most_saved):
        if rerolls > 0:
            means(scratch.buffer, job.policy.lattice)
        if rerolls == 0 or model.saves_rolls:
            outcome_quantities(mean_table, quantities, job, block, rerolls, centre, scratch.outcome_chance)
        saved_before, result = rerolls - model.rolls_per_turn + 1, scratch.buffer
        if model.has_first_roll_bonus and saved_before >= 0:
            result = scratch.hold_chance
            follow_actions(job, rerolls, True, result)
        follow_actions(job, rerolls, False, scratch.buffer)
        if saved_before >= 0:
            value = mean_of_first_roll(model.dice, result)
            write_quantity(mean_table, target, job, block, saved_before, centre, value)


@jit
def evaluate_actions_rows(rows, arguments, policy):
    """:func:`evaluate_policy_rows` for any policy; Q of a random policy is not computed.

    Parameters
    ----------
    rows : (n,) int64
        Rows of one layer.
    arguments : EvaluationJob
    policy
        See :mod:`.actions`.
    """
    job, followed = views(arguments), views(policy)
    mean_table = MeanTable(shifted(job.means.values, job.means.start))
    quantities = MeanTable(shifted(job.below.values, job.below.start))
    target = MeanTable(shifted(job.target.values, job.target.start))
    layout = job.policy.model.layout
    for row in rows:
        for lane in range(0, peek(layout.lane_count, peek(layout.lane_sets, row)), LANES):
            evaluate_actions_block(
                followed, mean_table, quantities, target, job, mean_block(job.policy.model, row, lane)
            )
