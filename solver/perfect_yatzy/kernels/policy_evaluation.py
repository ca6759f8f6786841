"""Policy evaluation: a second quantity of the rest of the game under the greedy policy of the means.

For the state s with value V(s), and the child s' and points p that a turn under the policy ends with::

    Q(s) = E[ Q(s') + w (p + V(s') - V(s))^2 ],        Q(full card) given

w = 1 and Q = 0 at the end give the variance of the points to come (law of total variance: the variance of the
conditional mean of each turn, added up). w = 0 gives the mean of any Q of the final card, such as the chance of the
upper bonus.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from typing import NamedTuple

from ..model.state_space import LANES
from .jit import jit
from .lattice import means
from .policy import PolicyJob, choose_holds, choose_stops, outcome_values
from .simd import add, load, multiply, peek, shifted, splat, store, views
from .table_slices import TableSlice
from .turn import mean_block, mean_of_first_roll
from .value_tables import MeanTable, table_lanes, write_values


class EvaluationJob(NamedTuple):
    """Arguments of the kernel that evaluates a policy on rows of one layer.

    Attributes
    ----------
    policy : PolicyJob
    means : TableSlice
        V of the rows and of their children, float64.
    below, target : TableSlice
        Q of the children; written: Q of the rows.
    most_saved : int
        Most rolls that may have been saved before the turn.
    square_weight : float
        w.
    """

    policy: PolicyJob
    means: TableSlice
    below: TableSlice
    target: TableSlice
    most_saved: int
    square_weight: float


@jit
def squared(vector):
    """Lane by lane square."""
    return multiply(vector, vector)


@jit
def outcome_quantities(mean_table, quantities, job, block, saved, centre):
    """Tag every outcome with ``Q(s') + w (p + V(s') - centre)^2``."""
    outcomes, scratch = job.policy.outcomes, job.policy.scratch
    weight, minus_one = splat(scratch.temp, job.square_weight), splat(scratch.temp, -1.0)
    outcome_values(mean_table, job.policy, block, saved)
    for i in range(outcomes.size):
        if block.choices >> peek(outcomes.category, i) & 1:
            child, shift = block.row + peek(outcomes.step, i), peek(outcomes.shift, i)
            later = table_lanes(quantities.values, job.policy.model.layout, block, child, saved, shift, scratch.temp)
            difference = add(load(scratch.outcome_value, i), multiply(minus_one, centre))
            store(scratch.outcome_tag, i, add(later, multiply(weight, squared(difference))))


@jit
def evaluate_policy_block(mean_table, quantities, target, job, block):
    """Q of one block for every number of saved rolls; `job` holds views.

    One sweep serves all numbers of saved rolls: squares are taken around V without saved rolls, and the difference
    of the centres is subtracted at the end.
    """
    policy, model, scratch = job.policy, job.policy.model, job.policy.scratch
    dice, temp, minus_one = model.dice, scratch.temp, splat(scratch.temp, -1.0)
    centre = table_lanes(mean_table.values, model.layout, block, block.row, 0, 0, temp)
    for rerolls in range(model.rolls_per_turn + job.most_saved):
        if rerolls > 0:
            means(scratch.buffer, policy.lattice)
            means(scratch.hold_tag, policy.lattice)
        if rerolls == 0 or model.saves_rolls:
            outcome_quantities(mean_table, quantities, job, block, rerolls, centre)
            choose_stops(policy, block, False, scratch.stop_value, scratch.stop, 0)
        saved_before, result = rerolls - model.rolls_per_turn + 1, scratch.hold_tag
        if model.has_first_roll_bonus and saved_before >= 0:
            result = scratch.hold_chance
            choose_stops(policy, block, True, scratch.first_value, scratch.first_stop, 0)
            if rerolls > 0:
                choose_holds(policy, scratch.first_value, scratch.first_stop, result, dice.first_roll, False, False)
            else:
                for roll in range(dice.roll_count):
                    store(result, dice.first_roll + roll, load(scratch.first_stop, roll))
        if rerolls > 0:
            choose_holds(policy, scratch.stop_value, scratch.stop, scratch.hold_tag, dice.first_roll, True, False)
        else:
            for roll in range(dice.roll_count):
                store(scratch.buffer, dice.first_roll + roll, load(scratch.stop_value, roll))
                store(scratch.hold_tag, dice.first_roll + roll, load(scratch.stop, roll))
        if saved_before >= 0:
            value = table_lanes(mean_table.values, model.layout, block, block.row, saved_before, 0, temp)
            difference = add(value, multiply(minus_one, centre))
            excess = multiply(splat(temp, -job.square_weight), squared(difference))
            write_values(
                target, model.layout, block, saved_before, add(mean_of_first_roll(dice, result), excess), temp
            )


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
