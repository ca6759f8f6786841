"""Forward propagation of chances: the distribution of the points made under a policy.

For the state s, the points x made so far, and an end e of a turn (an outcome, and the rolls that
stay saved) with p(e) points that leads to the child s'::

    P(e | s)      chance of the end under the policy, from the dice                   (outcome_chances, list_ends)
    P(s', x + p(e)) += P(s, x) P(e | s)        over all parents s and ends e                        (pull_rows)

Play reaches a small part of the states, few ends of their turns and few x: only these are kept. A
layer has a list of ends for each state, and the x that occur::

    ends of layer k, support of layer k  ->  support of layer k + 1: the first and the last x     (support_rows)
                                             P(s', x) between them, one range after the other        (pull_rows)

Each thread owns rows of children and pulls from their parents, so that no two threads write to the
same entry.

A *policy* is a named tuple that implements :func:`choose_actions`, so that every kernel serves all.
One that draws its actions at random, as :class:`perfect_yatzy.policies.soft_policy_kernel.SoftTurns`
does, implements :func:`begin_turn` and :func:`chances_of_turn` instead, and what follows single
actions: :func:`perfect_yatzy.strategy.losses_kernel.turn_losses`,
:func:`.policy_evaluation_kernel.evaluate_block`, :func:`perfect_yatzy.strategy.rollout_kernel.player_of`.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..core.dice import Floats, Ints
from ..core.jit import by_kind, jit
from ..core.lattice import fill
from ..core.legal import may_follow, outcome_number, scoring_of_roll
from ..core.simd import (
    add_at,
    add_to,
    at_least,
    equal_lanes,
    first_lane,
    load,
    load_at,
    splat,
    store,
    views,
    where,
    width,
)
from ..core.state_space import LANES
from ..core.table_slices import TableSlice
from ..core.turn import mean_block
from ..core.turn_model import TurnModel
from ..core.value_tables import lanes_of, mean_table, state_number, state_place
from .policy_kernel import policy_block, stage_actions, stop_action
from .spread_kernel import spread

LEAST = 1e-300  # chances of a turn below this, if there are any, are 0
NOWHERE = np.int64(1 << 62)  # the first x of a state that play never reaches


class LayerScores(NamedTuple):
    """P(s, x) of one layer: for each state the x that occur, one range after the other."""

    first_state: int  # number of the first state of the layer
    most_saved: int  # most saved rolls of a state
    low: Ints  # (states,): first x that occurs at each state
    high: Ints  # (states,): the last one; ``high < low`` if play never reaches the state
    mass: Floats  # (states + LANES,): chance of each state, and zeros
    origin: Ints  # (states,): index of x = 0, which may be outside the range
    chances: Floats  # (n,): with LANES zeros after each range


class EndModel(NamedTuple):
    """What every end of a turn leads to.

    The number of an end is ``outcome * stages + saved rolls``.
    """

    shift: Ints  # (ends,): increase of the upper sum
    points: Ints
    saved: Ints  # rolls that stay saved
    stages: int  # most rolls that stay saved, and one; 1 if the rules save none
    # (groups,): every different pair of a change of the row and the category that makes it
    step: Ints
    category: Ints
    # group g has the outcomes ``outcomes[outcome_start[g]:outcome_start[g + 1]]``
    outcome_start: Ints
    outcomes: Ints
    groups: int


class TurnEnds(NamedTuple):
    """Chances of the ends of all turns of a layer.

    They are ordered by block of LANES states, group of ends, and end.
    """

    # The blocks of a row: of its first LANES lanes without saved rolls, with one, and so on; then
    # of the next lanes.
    block_start: Ints  # (rows,): number of the first block of each row
    start: Ints  # (blocks * groups + 1,): where the ends of each group of each block begin
    # (n,): number of the end times LANES, plus the lane of the state within the block
    end: npt.NDArray[np.int32]
    chance: Floats  # (n,)


class TurnEndsOfStates(NamedTuple):
    """A player who follows a policy: the ends of its turns, by state."""

    start: Ints  # (states + 1,)
    child: Ints  # (n,): place of the child in its layer
    points: Ints
    chance: Floats


class EndLists(NamedTuple):
    """Where a thread lists the ends of the turns of some rows."""

    model: EndModel
    first_state: int  # number of the first state of the layer
    most_saved: int  # most saved rolls of a state
    # (states + LANES,): chance of each state of the layer; where it is 0, the turn has no ends
    mass: Floats
    block_start: Ints  # (rows,)
    # written: how many ends each group of a block has; nothing for blocks that play does not reach
    group_size: Ints
    end: npt.NDArray[np.int32]  # written from the first entry on, as in :class:`TurnEnds`
    chance: Floats
    # (outcomes,) vectors: added to: chance of each outcome over all games, lane by lane
    outcome_sum: Floats


class PropagationJob(NamedTuple):
    """Arguments of the kernels that move chances from one layer to the next."""

    model: TurnModel
    occurs: Ints  # (rows,): 1 where a row occurs at all
    end_model: EndModel
    ends: TurnEnds  # of the parents
    parents: LayerScores
    target: LayerScores  # of the rows; written


@jit
def next_action(actions, here, left):
    """Return the action of the first of the lanes `left`, and which of them share it.

    `left` is a bitmask of lanes at multiset `here`.
    """
    action = actions[here * width(actions) + first_lane(left)]
    return int(action), equal_lanes(load(actions, here), splat(actions, action)) & left


@jit
def begin_chances(job, most):
    """Write the chances with which a turn with so many rerolls begins.

    They are those of its first roll, and 0 of all outcomes.
    """
    # If the rules save rolls, the outcomes of turns that end with no reroll left come first, then
    # with one, ...
    model = job.model
    dice = job.model.dice
    hold_chance = job.scratch.hold_chance
    stages = most + 1 if model.saves_rolls else 1
    zero = splat(hold_chance, 0.0)
    fill(hold_chance, 0, dice.first_roll, zero)
    fill(job.scratch.outcome_chance, 0, model.turn_outcomes.size * stages, zero)
    for roll in range(dice.roll_count):
        store(hold_chance, dice.first_roll + roll, splat(hold_chance, dice.weights[roll]))


@jit
def outcome_chances(job, saved_before):
    """Write ``outcome_chance`` and ``roll_chance`` of a turn begun with saved rolls.

    The policy is in the scratch.
    """
    model = job.model
    dice = job.model.dice
    scratch = job.scratch
    hold_chance = job.scratch.hold_chance
    zero = splat(hold_chance, 0.0)
    all_lanes = (1 << width(scratch.action)) - 1
    most = model.rolls_per_turn - 1 + saved_before
    begin_chances(job, most)
    for rerolls in range(most, -1, -1):
        first_outcome = rerolls * model.turn_outcomes.size if model.saves_rolls else 0
        actions = stage_actions(job, rerolls, model.has_first_roll_bonus and rerolls == most)
        for roll in range(dice.roll_count):
            chance = load(hold_chance, dice.first_roll + roll)
            left = all_lanes
            store(scratch.roll_chance, rerolls * dice.roll_count + roll, chance)
            while left:  # one step for all lanes with the action of the first one that is left
                action, same = next_action(actions, dice.first_roll + roll, left)
                part = chance if same == all_lanes else where(same, chance, zero)
                if action >= 0:
                    add_to(hold_chance, action, part)
                else:
                    add_to(scratch.outcome_chance, first_outcome + stop_action(action), part)
                left &= ~same
        if rerolls > 0:
            spread(hold_chance, job.lattice)  # from then on the chances of the next rolls


@jit
def list_lanes(target, end, chances, place, lanes, used):
    """List an end in some lanes (a bitmask), with the chances of vector number `place`.

    `used` entries are in use before. Returns how many are in use afterwards.
    """
    while lanes:
        lane = first_lane(lanes)
        target.end[used] = end * LANES + lane
        target.chance[used] = chances[place * LANES + lane]
        used += 1
        lanes &= lanes - 1  # without the first one
    return used


@jit
def block_number(target, block, saved_before):
    """Return the number of a block of states with saved rolls, in the order of :class:`TurnEnds`."""
    blocks_before = block.start // LANES * (target.most_saved + 1) + saved_before
    return target.block_start[block.row] + blocks_before


@jit
def list_group(job, group, stages, masses, used, target):
    """List the ends of a group in the lanes whose chance in `masses` is not 0.

    From 0 to ``stages - 1`` rolls may stay saved. `used` entries are in use before. Returns how
    many are in use afterwards.
    """
    end_model = target.model
    chances = job.scratch.outcome_chance
    least = splat(chances, LEAST)
    played = ~equal_lanes(masses, splat(chances, 0.0))
    for i in range(end_model.outcome_start[group], end_model.outcome_start[group + 1]):
        outcome = end_model.outcomes[i]
        for saved in range(stages):
            place = saved * job.model.turn_outcomes.size + outcome
            chance = load(chances, place)
            listed = at_least(chance, least) & played
            if listed:
                add_to(target.outcome_sum, outcome, masses * chance)
                end = outcome * end_model.stages + saved
                used = list_lanes(target, end, chances, place, listed, used)
    return used


@jit
def list_ends(job, block, lanes, saved_before, used, target):
    """List the ends of turns, with the chances in ``outcome_chance``.

    The turns begin in the first `lanes` lanes of a block with saved rolls. How many ends each group
    has is written to ``group_size``, and the chances of outcomes are added to ``outcome_sum``.
    `used` entries are in use before. Returns how many are in use afterwards.
    """
    end_model = target.model
    first_state = state_place(job.model.layout, block.row, saved_before, block.start)
    masses = load_at(target.mass, first_state - target.first_state)
    masses = where((1 << lanes) - 1, masses, splat(job.scratch.outcome_chance, 0.0))
    # rolls that may stay saved, and one
    stages = job.model.rolls_per_turn + saved_before if end_model.stages > 1 else 1
    first_size = block_number(target, block, saved_before) * end_model.groups
    for group in range(end_model.groups):
        before = used
        if block.choices >> end_model.category[group] & 1:
            used = list_group(job, group, stages, masses, used, target)
        target.group_size[first_size + group] = used - before
    return used


@jit
def is_played(target, layout, block, saved, lanes):
    """Return whether play reaches one of the first `lanes` lanes of a block."""
    first = state_place(layout, block.row, saved, block.start) - target.first_state
    total = 0.0
    for lane in range(lanes):
        total += target.mass[first + lane]
    return total > 0.0


@jit
def most_ends(job, row, most_saved, target):
    """Return a bound of the ends of all turns of a row."""
    layout = job.model.layout
    states = 0
    first = state_place(layout, row, 0, 0) - target.first_state
    for place in range(first, first + (most_saved + 1) * lanes_of(layout, row)):
        if target.mass[place] > 0.0:
            states += 1
    return states * job.model.turn_outcomes.size * target.model.stages


@jit
def follows(job, row, group):
    """Return whether some turn leads to a row by a group of ends."""
    parent = row - job.end_model.step[group]
    if parent < 0 or not job.occurs[parent]:
        return False
    return may_follow(job.model, job.model.layout.masks[parent], job.end_model.category[group])


class SupportOfLayer(NamedTuple):
    """Ends of turns are visited for the first and last x of the children, and their chances."""


class ChancesOfLayer(NamedTuple):
    """Ends of turns are visited for the distribution of the points made."""


@by_kind()
def take_end(purpose, parents, target, parent, child, points, chance):
    """Use the end of a turn from a parent to a child, given by their places in their layers."""


@take_end.of(SupportOfLayer)
def _extend_support(purpose, parents, target, parent, child, points, chance):
    target.low[child] = min(parents.low[parent] + points, target.low[child])
    target.high[child] = max(parents.high[parent] + points, target.high[child])
    target.mass[child] += parents.mass[parent] * chance


@take_end.of(ChancesOfLayer)
def _move_chances(purpose, parents, target, parent, child, points, chance):
    origin = parents.origin[parent]
    by = target.origin[child] + points - origin  # from an entry of the parent to that of the child
    for entry in range(origin + parents.low[parent], origin + parents.high[parent] + 1, LANES):
        add_at(target.chances, entry + by, chance * load_at(parents.chances, entry))


@partial(jit, inline=True)
def take_ends(purpose, job, row, group, number, first_lane, saved_before):
    """Take the ends of a group in block `number` which lead to a row.

    They are the ends of a parent with saved rolls.
    """
    layout = job.model.layout
    ends = job.ends
    model = job.end_model
    parents = job.parents
    target = job.target
    parent = row - model.step[group]
    first = state_place(layout, parent, saved_before, first_lane) - parents.first_state
    list_of_ends = number * model.groups + group
    for i in range(ends.start[list_of_ends], ends.start[list_of_ends + 1]):
        end, lane = ends.end[i] // LANES, ends.end[i] % LANES
        child = state_number(
            layout, parent, row, first_lane + lane, model.saved[end], model.shift[end]
        )
        place = child - target.first_state
        take_end(purpose, parents, target, first + lane, place, model.points[end], ends.chance[i])


@jit
def visit_parents(purpose, rows, job):
    """Take all ends of turns that lead to some rows."""
    model = job.end_model
    for row in rows:
        for group in range(model.groups):
            if follows(job, row, group):
                parent = row - model.step[group]
                number = job.ends.block_start[parent]
                for first_lane in range(0, lanes_of(job.model.layout, parent), LANES):
                    for saved_before in range(job.parents.most_saved + 1):
                        take_ends(purpose, job, row, group, number, first_lane, saved_before)
                        number += 1


@jit
def support_rows(rows, arguments):
    """Write the lowest and highest x that occur at each state of the given rows, and its chance."""
    job = views(arguments)
    layout = job.model.layout
    target = job.target
    for row in rows:
        first = state_place(layout, row, 0, 0) - target.first_state
        for place in range(first, first + (target.most_saved + 1) * lanes_of(layout, row)):
            target.low[place] = NOWHERE
            target.high[place] = -1
            target.mass[place] = 0.0
    visit_parents(SupportOfLayer(), rows, job)


@jit
def pull_rows(rows, arguments):
    """Write the distribution of the points made for all states of the given rows.

    ``target.chances`` are zeros before.
    """
    visit_parents(ChancesOfLayer(), rows, views(arguments))


class GivenActions(NamedTuple):
    """Actions of one card.

    They are in the order of the number of rerolls left, the roll, and the lane of upper sums.
    """

    category: npt.NDArray[np.int16]  # the category if the turn ends
    hold: npt.NDArray[np.int16]  # lattice index of the dice to hold, or -1 to end the turn
    lanes: int  # lanes of the card


@by_kind()
def choose_actions(policy, job, block, most_saved):
    """Write the actions of one block to ``action`` and ``first_action`` of a PolicyJob.

    See :mod:`.policy_kernel`.
    """


@by_kind()
def begin_turn(policy, job, block, most_saved):
    """Prepare what the turns of a block have in common, whatever number of rolls was saved before."""


@by_kind()
def chances_of_turn(policy, job, block, saved_before):
    """Write the chance of each outcome of a turn that began with `saved_before` saved rolls.

    It follows a call of begin_turn.
    """


choose_actions.of(TableSlice)(
    lambda policy, job, block, most: policy_block(mean_table(policy), job, block, most)
)


@jit
def write_given_actions(policy, job, block, rerolls, is_first):
    """Write the actions with a number of rerolls left to the scratch."""
    dice = job.model.dice
    actions = stage_actions(job, rerolls, is_first)
    for roll in range(dice.roll_count):
        _, way = scoring_of_roll(job.model, block.row, block.choices, roll, is_first)
        for lane in range(LANES):
            # unused lanes take those of the last one
            given_lane = min(block.start + lane, policy.lanes - 1)
            given = (rerolls * dice.roll_count + roll) * policy.lanes + given_lane
            outcome = outcome_number(job.model, way, int(policy.category[given]), roll)
            hold = int(policy.hold[given])
            action = hold if hold >= 0 else stop_action(outcome)
            actions[(dice.first_roll + roll) * LANES + lane] = float(action)


@choose_actions.of(GivenActions)
def _given_actions(policy, job, block, most_saved):
    for rerolls in range(job.model.rolls_per_turn):
        write_given_actions(policy, job, block, rerolls, False)
    if job.model.has_first_roll_bonus:
        write_given_actions(policy, job, block, job.model.rolls_per_turn - 1, True)


begin_turn.of()(
    lambda policy, job, block, most_saved: choose_actions(policy, job, block, most_saved)
)
chances_of_turn.of()(lambda policy, job, block, saved_before: outcome_chances(job, saved_before))


@jit
def turn_chances(policy, job, block):
    """Write the chance of each outcome of a turn to ``outcome_chance``.

    The turn begins without saved rolls.
    """
    begin_turn(policy, job, block, 0)
    chances_of_turn(policy, job, block, 0)


@jit
def action_in(arguments, policy, row, lane, roll, rerolls, is_first):
    """Return what a policy does with one roll, by a PolicyJob.

    It is the number of the hold, or :func:`.policy_kernel.stop_action`. `is_first` says whether the
    roll is the first of a turn, and first rolls have bonus points.
    """
    job = views(arguments)
    lane_in_block = lane % LANES
    block = mean_block(arguments.model, row, lane - lane_in_block)
    # for a turn to have so many rerolls left
    least_saved = max(0, rerolls - job.model.rolls_per_turn + 1)
    choose_actions(views(policy), job, block, least_saved)
    place = job.model.dice.first_roll + roll
    return int(stage_actions(job, rerolls, is_first)[place * LANES + lane_in_block])
