"""The largest loss of a single decision of a policy, on every card: what it gives away where it is most wrong.

The losses are those of :mod:`.losses`: of a hold against the best hold, of the end of a turn against going on, and of
a category against the best one, if everything after the decision is perfect.
"""

from __future__ import annotations

from ..model.state_space import LANES
from .actions import choose_actions
from .jit import jit
from .losses import perfect_holds
from .policy import choose_stops, stage_actions
from .simd import load, maximum, store, views
from .turn import mean_block
from .value_tables import lanes_of, mean_table


@jit
def taken_value(job, rerolls, is_first, roll, lane):
    """Value of what a policy does with a roll: of a hold, or of the best category if it ends the turn."""
    dice, scratch = job.policy.model.dice, job.policy.scratch
    stop, hold, first = stage_actions(job.policy, rerolls, is_first)
    if rerolls == 0:
        return scratch.outcome_value[int(stop[(first + roll) * LANES + lane]) * LANES + lane]
    held = int(hold[(first + roll) * LANES + lane])
    if held < 0:
        return scratch.stop_value[roll * LANES + lane]
    return job.memory.values[((rerolls - 1) * (dice.first_roll + dice.roll_count) + held) * LANES + lane]


@jit
def worst_rows(rows, arguments, policy, perfect, losses, places):
    """Loss and ``lane * rolls + roll`` of the worst decision of each row, by rerolls left (0: of a category)."""
    job, followed, table = views(arguments), views(policy), mean_table(views(perfect))
    found, where = views(losses), views(places)
    model, scratch = job.policy.model, job.policy.scratch
    dice, stages = model.dice, model.rolls_per_turn
    holds = dice.first_roll + dice.roll_count
    for n, row in enumerate(rows):
        for stage in range(stages):
            found[n * stages + stage] = 0.0
            where[n * stages + stage] = 0
        lane_count = lanes_of(model.layout, row)
        for first_lane in range(0, lane_count, LANES):
            block, lanes = mean_block(model, row, first_lane), min(LANES, lane_count - first_lane)
            choose_actions(followed, job.policy, block, 0)
            perfect_holds(table, job, block)
            for rerolls in range(stages):
                is_first = model.has_first_roll_bonus and rerolls == stages - 1
                if is_first:
                    choose_stops(job.policy, block, True, scratch.stop_value, scratch.best_within, 0)
                for roll in range(dice.roll_count):
                    best = load(scratch.stop_value, roll)
                    if rerolls > 0:
                        best = maximum(best, load(job.memory.values, rerolls * holds + dice.first_roll + roll))
                    store(scratch.temp, 0, best)
                    for lane in range(lanes):
                        loss = scratch.temp[lane] - taken_value(job, rerolls, is_first, roll, lane)
                        if loss > found[n * stages + rerolls]:
                            found[n * stages + rerolls] = loss
                            where[n * stages + rerolls] = (first_lane + lane) * dice.roll_count + roll


@jit
def perfect_turns(rows, lanes, arguments, perfect, stops, values):
    """Values of the best category for each roll and of all holds under perfect play, without saved rolls."""
    job, table, ends, found = views(arguments), mean_table(views(perfect)), views(stops), views(values)
    model, scratch = job.policy.model, job.policy.scratch
    rolls, size = model.dice.roll_count, (model.rolls_per_turn - 1) * (model.dice.first_roll + model.dice.roll_count)
    for n in range(len(rows)):
        lane = lanes[n] % LANES
        perfect_holds(table, job, mean_block(model, rows[n], lanes[n] - lane))
        for roll in range(rolls):
            ends[n * rolls + roll] = scratch.stop_value[roll * LANES + lane]
        for i in range(size):
            found[n * size + i] = job.memory.values[i * LANES + lane]
