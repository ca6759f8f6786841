"""List the ends of the turns of a policy, and what it loses against perfect play, and where.

The value a policy gives away is the sum over its decisions of what each loses if everything after
it is perfect (Kakade and Langford, "Approximately optimal approximate reinforcement learning", ICML
2002, lemma 6.1)::

    V(start) - V_policy(start) = sum over states s, rolls r, rerolls n of
                                 P(s) P(r, n | s) (W(r, n) - Q(r, n, action))

with W and Q of perfect play and the chances P of the policy. Ending a turn has two losses: that of
ending it at all, which counts as a hold, and that of the category against the best one.
"""

from __future__ import annotations

from typing import NamedTuple

from ..core.dice import Floats
from ..core.jit import by_kind, jit
from ..core.lattice import fill
from ..core.simd import add_to, load, maximum, splat, store, views, where
from ..core.state_space import LANES
from ..core.table_slices import TableSlice
from ..core.turn import mean_block
from ..core.value_tables import lanes_of, mean_table, state_place
from ..objectives.holds_kernel import HoldValues, backup_holds, hold_place, hold_value
from ..objectives.policy_kernel import (
    PolicyJob,
    choose_stops,
    outcome_values,
    stage_actions,
    stop_action,
)
from ..objectives.propagation_kernel import (
    begin_turn,
    chances_of_turn,
    choose_actions,
    is_played,
    list_ends,
    most_ends,
    next_action,
)
from ..objectives.spread_kernel import copy_lane


class LossJob(NamedTuple):
    """Arguments of the kernel that compares a policy with perfect play."""

    policy: PolicyJob
    memory: HoldValues  # has room for as many rerolls as a turn has rolls
    block_losses: Floats  # (kinds,) vectors, the losses of one block
    # number of kinds of decisions: holds by rerolls left, then the choices of each category
    kinds: int


@jit
def best_value(job, rerolls, roll):
    """Return the value of a roll with a number of rerolls left under perfect play."""
    dice = job.policy.model.dice
    value = load(job.memory.values, hold_place(dice, rerolls + 1, dice.first_roll + roll))
    return maximum(load(job.policy.scratch.stop_value, roll), value)


@jit
def add_losses(job, rerolls, is_first):
    """Add the losses of all decisions with a number of rerolls left to ``block_losses``."""
    model, scratch, losses = job.policy.model, job.policy.scratch, job.block_losses
    dice = model.dice
    actions = stage_actions(job.policy, rerolls, is_first)
    all_lanes = (1 << LANES) - 1
    zero = splat(losses, 0.0)
    # Without rerolls no hold is possible, and there is no such kind.
    hold_kind, first_category_kind = rerolls - 1, model.rolls_per_turn - 1
    for roll in range(dice.roll_count):
        chance = load(scratch.roll_chance, rerolls * dice.roll_count + roll)
        best = best_value(job, rerolls, roll)
        best_stop = load(scratch.stop_value, roll)
        left = all_lanes
        while left:  # one step for all lanes with the same action
            action, same = next_action(actions, dice.first_roll + roll, left)
            part = chance if same == all_lanes else where(same, chance, zero)
            if action >= 0:
                held = load(job.memory.values, hold_place(dice, rerolls, action))
                add_to(losses, hold_kind, part * (best - held))
            else:
                if rerolls > 0:
                    add_to(losses, hold_kind, part * (best - best_stop))
                outcome = stop_action(action)
                kind = first_category_kind + model.turn_outcomes.category[outcome]
                taken = load(scratch.outcome_value, outcome)
                add_to(losses, kind, part * (best_stop - taken))
            left &= ~same


@by_kind()
def turn_losses(policy, perfect, job, block):
    """Add the losses of a turn to ``block_losses``.

    They are by holds with 1, 2, ... rerolls left, then by category.
    """


@jit
def perfect_stops(job, block, is_first):
    """Write the value of the best category for each roll under perfect play to ``stop_value``.

    :func:`perfect_holds` comes before it.
    """
    scratch = job.policy.scratch
    choose_stops(job.policy, block, is_first, scratch.stop_value, scratch.unwanted_tag)


@jit
def perfect_holds(table, job, block):
    """Compute the values of all holds and of the outcomes under perfect play."""
    # Full rolls with n + 1 rerolls left hold the best value with n, so the memory has one stage
    # more than rerolls.
    backup_holds(table, job.policy, block, job.policy.model.rolls_per_turn, job.memory)
    outcome_values(table, job.policy, block, 0)


@turn_losses.of()
def _losses_of_actions(policy, perfect, job, block):
    model = job.policy.model
    most = job.policy.model.rolls_per_turn - 1
    perfect_holds(perfect, job, block)
    for rerolls in range(most + 1):
        is_first = model.has_first_roll_bonus and rerolls == most
        if rerolls == 0 or is_first:
            perfect_stops(job, block, is_first)
        add_losses(job, rerolls, is_first)


class NoLosses(NamedTuple):
    """What stands for the values of perfect play where losses are not wanted."""

    unused: int = 0  # numba takes no empty tuple


@by_kind()
def count_losses(perfect, policy, job, block, lanes, masses, first, losses):
    """Add what the turns of the first lanes of a block lose to `losses`.

    Lane i has chance ``masses[first + i]``.
    """


count_losses.of(NoLosses)(lambda perfect, policy, job, block, lanes, masses, first, losses: None)


@count_losses.of(TableSlice)
def _count_losses(perfect, policy, job, block, lanes, masses, first, losses):
    fill(job.block_losses, 0, job.kinds, splat(job.block_losses, 0.0))
    turn_losses(policy, mean_table(perfect), job, block)
    for kind in range(job.kinds):
        for lane in range(lanes):
            losses[kind] += masses[first + lane] * job.block_losses[kind * LANES + lane]


@jit
def list_rows(rows, arguments, policy, most_saved, perfect_values, loss_array, lists):
    """List the ends of the turns of the given rows while there is room.

    Returns the number of rows done and of entries in use.
    """
    job, followed, perfect = views(arguments), views(policy), views(perfect_values)
    target = views(lists)
    losses = views(loss_array)
    layout = job.policy.model.layout
    used = 0  # entries
    room = len(lists.end)  # entries
    for done, row in enumerate(rows):
        if used + most_ends(job.policy, row, most_saved, target) > room:
            return done, used
        lane_count = lanes_of(layout, row)
        for first_lane in range(0, lane_count, LANES):
            block = mean_block(job.policy.model, row, first_lane)
            lanes = min(LANES, lane_count - first_lane)
            has_begun = False
            for saved in range(most_saved + 1):
                if is_played(target, layout, block, saved, lanes):
                    if not has_begun:  # once for all numbers of saved rolls
                        begin_turn(followed, job.policy, block, most_saved)
                        has_begun = True
                    chances_of_turn(followed, job.policy, block, saved)
                    first_state = state_place(layout, row, saved, first_lane) - target.first_state
                    count_losses(
                        perfect, followed, job, block, lanes, target.mass, first_state, losses
                    )
                    used = list_ends(job.policy, block, lanes, saved, used, target)
    return len(rows), used


@jit
def taken_value(job, rerolls, is_first, roll, lane):
    """Return the value of what a policy does with a roll.

    It is that of a hold, or of the best category if the policy ends the turn.
    """
    dice, scratch = job.policy.model.dice, job.policy.scratch
    action = int(
        stage_actions(job.policy, rerolls, is_first)[(dice.first_roll + roll) * LANES + lane]
    )
    if action >= 0:
        return hold_value(job.memory, dice, rerolls, action, lane)
    if rerolls > 0:
        return scratch.stop_value[roll * LANES + lane]
    return scratch.outcome_value[stop_action(action) * LANES + lane]


@jit
def note_worst(job, block, lanes, rerolls, is_first, entry, losses, places):
    """Note the worst decision in the first lanes of a block, if it loses more than the one noted.

    It is noted in ``losses[entry]`` and ``places[entry]``.
    """
    scratch, roll_count = job.policy.scratch, job.policy.model.dice.roll_count
    for roll in range(roll_count):
        best = best_value(job, rerolls, roll) if rerolls > 0 else load(scratch.stop_value, roll)
        store(scratch.temp, 0, best)
        for lane in range(lanes):
            loss = scratch.temp[lane] - taken_value(job, rerolls, is_first, roll, lane)
            if loss > losses[entry]:
                losses[entry] = loss
                places[entry] = (block.start + lane) * roll_count + roll


@jit
def worst_rows(rows, arguments, policy, perfect, losses, places):
    """Write the worst decision of each row by rerolls left, where 0 is that of a category.

    Its loss goes to `losses`, and ``lane * rolls + roll`` to `places`, which are
    ``(rows, rolls_per_turn)``.
    """
    job = views(arguments)
    followed = views(policy)
    table = mean_table(views(perfect))
    worst_losses = views(losses)
    worst_places = views(places)
    model = job.policy.model
    stages = model.rolls_per_turn
    for n, row in enumerate(rows):
        first_entry = n * stages
        lane_count = lanes_of(model.layout, row)
        for entry in range(first_entry, first_entry + stages):
            worst_losses[entry] = 0.0
            worst_places[entry] = 0
        for first_lane in range(0, lane_count, LANES):
            block = mean_block(model, row, first_lane)
            lanes = min(LANES, lane_count - first_lane)
            choose_actions(followed, job.policy, block, 0)
            perfect_holds(table, job, block)
            for rerolls in range(stages):
                is_first = model.has_first_roll_bonus and rerolls == stages - 1
                if rerolls == 0 or is_first:
                    perfect_stops(job, block, is_first)
                entry = first_entry + rerolls
                note_worst(job, block, lanes, rerolls, is_first, entry, worst_losses, worst_places)


@jit
def perfect_turns(rows, lanes, arguments, perfect, stops, values):
    """Write the values of one turn of each row and lane under perfect play.

    That of the best category for each roll goes to `stops`, ``(rows, rolls)``. Those of the holds
    with 1, 2, ... rerolls left go to `values`, ``(rows, rerolls * holds)``. The turns have no
    saved rolls.
    """
    job = views(arguments)
    table = mean_table(views(perfect))
    stop_values = views(stops)
    hold_values = views(values)
    model, scratch = job.policy.model, job.policy.scratch
    rolls = model.dice.roll_count
    size = hold_place(model.dice, model.rolls_per_turn, 0)  # behind those of all rerolls of a turn
    for n in range(len(rows)):
        lane = lanes[n] % LANES
        block = mean_block(model, rows[n], lanes[n] - lane)
        perfect_holds(table, job, block)
        perfect_stops(job, block, is_first=False)
        copy_lane(scratch.stop_value, 0, rolls, lane, stop_values, n)
        copy_lane(job.memory.values, 0, size, lane, hold_values, n)
