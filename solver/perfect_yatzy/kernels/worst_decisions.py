"""The largest loss of a single decision of a policy, on every card: what it gives away where it is most wrong.

The losses are those of :mod:`.losses`: of a hold against the best hold, of the end of a turn against going on, and of
a category against the best one, if everything after the decision is perfect.
"""

from __future__ import annotations

from ..model.state_space import LANES
from .actions import choose_actions
from .jit import jit
from .policy import choose_stops, outcome_values, stage_actions
from .score_policy import backup_holds
from .simd import load, maximum, store, view, views
from .turn import mean_block
from .value_tables import lanes_of, mean_table


@jit
def perfect_holds(table, job, block):
    """Values of all holds and of the outcomes under perfect play, and the best category for each roll."""
    # Full rolls with n + 1 rerolls left hold the best value with n, so the memory has one stage more than rerolls.
    backup_holds(table, job.policy, block, job.policy.model.rolls_per_turn, job.memory)
    outcome_values(table, job.policy, block, 0)
    choose_stops(job.policy, block, False, job.policy.scratch.stop_value, job.policy.scratch.best_within, 0)


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
    """The worst decision of each row with each number of rerolls left; 0 rerolls left: the choice of the category.

    `arguments`: a LossJob; `policy`: see :mod:`.actions`; `perfect`: a slice of the table of perfect play. Writes
    `losses`, ``(n * stages,)``, and `places`: ``lane * rolls + roll`` of the first decision that loses so much.
    """
    job, followed, table = views(arguments), views(policy), mean_table(views(perfect))
    found, where = view(losses), view(places)
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
    """What each option of some turns is worth under perfect play.

    `rows`, `lanes`: states without saved rolls; `arguments`: a LossJob. Writes `stops`, ``(n * rolls,)``, the value
    of the best category for each roll without a bonus for the first roll; and `values`,
    ``(n * (stages - 1) * holds,)``, that of each hold with 1, 2, ... rerolls left, where entries of full rolls are
    the best with one reroll less.
    """
    job, table, ends, found = views(arguments), mean_table(views(perfect)), view(stops), view(values)
    model, scratch = job.policy.model, job.policy.scratch
    rolls, size = model.dice.roll_count, (model.rolls_per_turn - 1) * (model.dice.first_roll + model.dice.roll_count)
    for n in range(len(rows)):
        lane = lanes[n] % LANES
        perfect_holds(table, job, mean_block(model, rows[n], lanes[n] - lane))
        for roll in range(rolls):
            ends[n * rolls + roll] = scratch.stop_value[roll * LANES + lane]
        for i in range(size):
            found[n * size + i] = job.memory.values[i * LANES + lane]
