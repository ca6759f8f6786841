"""Play hold rules in the kernels: the first rule that fits chooses the hold, a table the category.

For a block of a card, with the numbers of rerolls left from 1 on::

    hold(roll) = the dice named by the first rule i that applies to the card and the rerolls left, and fits the roll
               = all dice rolled, if there is none
    category   = greedy for the values of a table (prices)

Only conditions on the upper sum depend on the lane. So the holds are found once for each run of
lanes in which the same rules apply, rule by rule from the last to the first, each overwriting the
rolls that it fits.

The gain of a rule that decides some situations of a list is, to first order (policy gradient;
Sutton et al., "Policy gradient methods for reinforcement learning with function approximation",
NIPS 1999, theorem 1)::

    sum over states s, rerolls n, rolls r that it would decide of  P(s) P(r, n | s) (K(hold of the rule) - W(r, n))

with the chances P and the values K of holds and W of rolls of the list. A rule inserted before rule
j decides what it fits and what rule j or a later one has decided so far. So the sum is kept apart
by the deciding rule.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..core.dice import Floats
from ..core.jit import jit
from ..core.lattice import means
from ..core.legal import count_bits
from ..core.simd import splat, store, views
from ..core.state_space import LANES
from ..core.table_slices import TableSlice
from ..core.turn import mean_block
from ..core.value_tables import mean_table, state_place
from ..objectives.policy_evaluation_kernel import evaluate_block, follow_actions, outcome_quantities
from ..objectives.policy_kernel import choose_stage_stops, has_first_rolls, stage_actions
from ..objectives.propagation_kernel import choose_actions, turn_chances
from ..objectives.spread_kernel import copy_lane
from .hold_rule_arrays import ROLL_ALL, STOP, HoldRuleArrays


class HoldRuleActions(NamedTuple):
    """The policy argument of the kernels."""

    rules: HoldRuleArrays
    prices: TableSlice  # values of the children, for which the category is greedy
    chosen: npt.NDArray[np.int32]  # (rolls,), working memory: the rule that decides each roll


class CardRules(NamedTuple):
    """What matters of a card, whatever the roll and the rerolls left."""

    applying: int  # bitmask of the rules whose conditions on the categories and turns left hold
    usable: int  # bitmask of the categories in which dice may be of use
    # where the entries of `of_use` for this card begin, in the second half if rolls of the joker's
    # kind are jokers
    first_use: int
    faces: int  # bitmask of the faces whose upper category the turn may fill


@jit
def applies_to_card(rules, i, choices, turns, paid):
    """Return whether the conditions of rule i on categories and turns left hold.

    `paid` says whether the tracked box holds points.
    """
    if (
        rules.all_open[i] & ~choices
        or rules.none_open[i] & choices
        or (rules.scored[i] and not paid)
    ):
        return False
    for j in range(rules.any_start[i], rules.any_start[i + 1]):
        if not rules.any_open[j] & choices:
            return False
    return rules.least_turns[i] <= turns <= rules.most_turns[i]


@jit
def card_rules(rules, model, block):
    """Return the :class:`CardRules` of the card of a block."""
    choices = block.choices
    filled = model.layout.masks[block.row]
    paid = block.row >= model.card_count
    turns_left = model.category_count - count_bits(filled)
    faces, applying = 0, 0  # bitmasks
    for c in range(model.category_count):
        if choices >> c & 1:
            faces |= rules.face_bit[c]
    for i in range(rules.size):
        if applies_to_card(rules, i, choices, turns_left, paid):
            applying |= 1 << i
    usable = (choices | rules.bonus_box) if paid else choices
    are_jokers = filled & rules.joker_box and (paid or not rules.joker_scored)
    return CardRules(applying, usable, rules.start[rules.size] if are_jokers else 0, faces)


@jit
def deciding_rules(rules, roll_count, card, applying, rerolls, target, first):
    """Write the first rule that fits each roll to `target`, from entry `first` on.

    `applying` are the rules of the card that apply to the upper sum, too. The number of rules is
    written if none fits.
    """
    for roll in range(roll_count):
        target[first + roll] = rules.size
    for rule in range(rules.size - 1, -1, -1):  # an earlier rule overwrites a later one
        if applying >> rule & 1 and rules.rerolls[rule] >> rerolls & 1:
            line = card.first_use + rules.start[rule] + card.faces * rules.per_mask[rule]
            for roll in range(roll_count):
                if rules.of_use[line + roll] & card.usable:
                    target[first + roll] = rule


@jit
def write_holds(policy, dice, card, rerolls, first_lane, actions):
    """Write the hold of each roll to `actions`, which end the turn so far.

    Where a rule stops they are kept.
    """
    rules = policy.rules
    chosen = policy.chosen
    begin = 0  # where a run of lanes begins in which the same rules apply
    while begin < LANES:
        applying = card.applying & rules.on_upper[first_lane + begin]
        end = begin + 1
        while end < LANES and card.applying & rules.on_upper[first_lane + end] == applying:
            end += 1
        deciding_rules(rules, dice.roll_count, card, applying, rerolls, chosen, 0)
        for roll in range(dice.roll_count):
            i = chosen[roll]
            hold = ROLL_ALL
            if i < rules.size:
                hold = rules.holds[rules.start[i] + card.faces * rules.per_mask[i] + roll]
            if hold >= 0 and end - begin == LANES:
                store(actions, dice.first_roll + roll, splat(actions, float(hold)))
            elif hold >= 0:
                for lane in range(begin, end):
                    actions[(dice.first_roll + roll) * LANES + lane] = float(hold)
        begin = end


@choose_actions.of(HoldRuleActions)
def _rule_actions(policy, job, block, most_saved):
    model = job.model
    layout = job.model.layout
    card = card_rules(policy.rules, job.model, block)
    first_lane = layout.lane_sets[block.row] * layout.lane_width + block.start
    for rerolls in range(model.rolls_per_turn + most_saved):
        choose_stage_stops(mean_table(policy.prices), job, block, rerolls)
        if rerolls > 0:
            write_holds(
                policy, model.dice, card, rerolls, first_lane, stage_actions(job, rerolls, False)
            )
            if has_first_rolls(model, rerolls):
                write_holds(
                    policy, model.dice, card, rerolls, first_lane, stage_actions(job, rerolls, True)
                )


class SampledTurns(NamedTuple):
    """Turns of n states under a list of hold rules.

    `stages` counts the numbers of rerolls left, 0 included.
    """

    outcome_chance: Floats  # (n * outcomes,)
    # (n * stages * rolls,): chance of each roll with each number of rerolls left
    roll_chance: Floats
    roll_value: Floats  # (n * stages * rolls,): value of this roll
    # (n * stages * holds,): value of each hold with each number of rerolls left, not written for 0
    hold_value: Floats
    # (n * stages * rolls,): the rule that decides, or the number of rules if none does; not written
    # for 0 rerolls left
    decided_by: npt.NDArray[np.int16]


@jit
def sample_turns(rows, lanes, arguments, policy, samples):
    """Write the turns of sampled states under a list of hold rules.

    They go to `samples`, a :class:`SampledTurns`.
    """
    job, followed, result = views(arguments), views(policy), views(samples)
    model, scratch, buffer = job.policy.model, job.policy.scratch, job.policy.scratch.buffer
    dice, size, stages = model.dice, model.turn_outcomes.size, model.rolls_per_turn
    holds = dice.first_roll + dice.roll_count
    roll_count = dice.roll_count
    for n in range(len(rows)):
        lane = lanes[n] % LANES
        block = mean_block(model, rows[n], lanes[n] - lane)
        turn_chances(followed, job.policy, block)
        copy_lane(scratch.outcome_chance, 0, size, lane, result.outcome_chance, n)
        copy_lane(scratch.roll_chance, 0, stages * roll_count, lane, result.roll_chance, n)
        zero = splat(scratch.temp, 0.0)
        outcome_quantities(mean_table(job.below), job, block, 0, zero, scratch.outcome_quantity)
        card = card_rules(followed.rules, model, block)
        place = model.layout.lane_sets[block.row] * model.layout.lane_width + lanes[n]
        applying = card.applying & followed.rules.on_upper[place]
        for rerolls in range(stages):
            stage = n * stages + rerolls
            if rerolls > 0:
                means(buffer, job.policy.lattice)
                copy_lane(buffer, 0, holds, lane, result.hold_value, stage)
                first = stage * roll_count
                deciding_rules(
                    followed.rules, roll_count, card, applying, rerolls, result.decided_by, first
                )
            is_first = model.has_first_roll_bonus and rerolls == stages - 1
            follow_actions(job.policy, rerolls, is_first, buffer)
            copy_lane(buffer, dice.first_roll, roll_count, lane, result.roll_value, stage)


@jit
def turn_values(rows, lanes, arguments, policy, values):
    """Write the values of sampled states if their turn is played by a policy.

    The rest of the game has given values.
    """
    job, followed, result = views(arguments), views(policy), views(values)
    layout = job.policy.model.layout
    table, target = mean_table(job.below), mean_table(job.target)
    for n in range(len(rows)):
        block = mean_block(job.policy.model, rows[n], lanes[n] - lanes[n] % LANES)
        evaluate_block(followed, table, table, target, job, block)
        result[n] = target.values[state_place(layout, rows[n], 0, lanes[n])]


@jit
def rule_gains(holds, of_use, per_mask, faces, usable, first_use, weights, samples, sizes, gains):
    """Write the gain of a pattern and its action, without conditions.

    It is by state, rerolls left and deciding rule, and for each state it is weighted. `holds`,
    `of_use` and `per_mask` are those of a HoldRuleArrays of this rule alone. `faces`, `usable` and
    `first_use` are those of the CardRules of each state. `samples` are the SampledTurns of the
    states under the list so far. `sizes` are the numbers of stages, rolls, holds, and deciding rules,
    none included.
    """
    named, useful, source, result = views(holds), views(of_use), views(samples), views(gains)
    stages, roll_count, hold_count, columns = sizes
    for n in range(len(weights)):  # state by state
        line = faces[n] * per_mask
        for rerolls in range(1, stages):
            stage = n * stages + rerolls
            for roll in range(roll_count):
                if useful[first_use[n] + line + roll] & usable[n]:
                    hold = named[line + roll]
                    here = stage * roll_count + roll
                    # To stop is worth what the roll is with no rerolls left.
                    stopped = source.roll_value[n * stages * roll_count + roll]
                    value = (
                        stopped if hold == STOP else source.hold_value[stage * hold_count + hold]
                    )
                    gain = weights[n] * source.roll_chance[here] * (value - source.roll_value[here])
                    result[stage * columns + source.decided_by[here]] += gain
