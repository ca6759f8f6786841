"""Hold rules as a policy for the kernels: the first rule that fits chooses the dice to hold, a table the category.

For a block of a card, with the numbers of rerolls left from 1 on::

    hold(roll) = the dice named by the first rule i that applies to the card and the rerolls left, and fits the roll
               = all dice rolled, if there is none
    category   = greedy for the values of a table (prices)

Only par depends on the lane. So the holds are found once for upper sums below par and once for the others, rule by
rule from the last to the first, each overwriting the rolls that it fits.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba.extending import overload

from ..model.hold_rule_arrays import ABOVE, BELOW, NO_FIT, HoldRuleArrays
from ..model.state_space import LANES
from .actions import choose_actions
from .jit import jit
from .policy import choose_stops, outcome_values
from .simd import load, peek, poke, shifted, splat, store
from .table_slices import TableSlice
from .value_tables import MeanTable


class HoldRuleActions(NamedTuple):
    """The policy argument of the kernels.

    Attributes
    ----------
    rules : HoldRuleArrays
    prices : TableSlice
        Values of the children, for which the category is greedy.
    chosen : (2 * rolls,) int32
        Working memory, used by no other thread during the call: the hold of each roll below par, and from par on.
    """

    rules: HoldRuleArrays
    prices: TableSlice
    chosen: npt.NDArray[np.int32]


@jit
def count_bits(mask):
    """Number of bits that are set."""
    count = 0
    while mask:
        mask &= mask - 1
        count += 1
    return count


@jit
def open_faces(rules, model, choices):
    """Bitmask of the faces whose upper category the turn may fill."""
    faces = 0
    for c in range(model.category_count):
        if choices >> c & 1:
            faces |= peek(rules.face_bit, c)
    return faces


@jit
def rules_of_card(rules, model, row, choices):
    """Bitmask of the rules whose conditions on the categories and turns left hold on a card."""
    turns = model.category_count - count_bits(peek(model.layout.masks, row))
    found = 0
    for i in range(rules.size):
        fits = peek(rules.all_open, i) & ~choices == 0 and peek(rules.none_open, i) & choices == 0
        fits = fits and peek(rules.least_turns, i) <= turns <= peek(rules.most_turns, i)
        for j in range(peek(rules.any_start, i), peek(rules.any_start, i + 1)):
            fits = fits and peek(rules.any_open, j) & choices != 0
        if fits:
            found |= 1 << i
    return found


@jit
def may_decide(rules, i, on_card, rerolls, other_side):
    """Whether rule i of a card (:func:`rules_of_card`) may decide; `other_side`: the side of par not to consider."""
    return on_card >> i & 1 and peek(rules.rerolls, i) >> rerolls & 1 and peek(rules.par, i) & other_side == 0


@jit
def choose_by_rules(policy, roll_count, on_card, faces, rerolls, other_side, first):
    """The hold of each roll into ``chosen`` from entry `first` on."""
    rules, chosen = policy.rules, policy.chosen
    for roll in range(roll_count):
        poke(chosen, first + roll, np.int32(0))
    for i in range(rules.size - 1, -1, -1):
        if may_decide(rules, i, on_card, rerolls, other_side):
            line = peek(rules.start, i) + faces * peek(rules.per_mask, i)
            for roll in range(roll_count):
                hold, before = peek(rules.holds, line + roll), peek(chosen, first + roll)
                poke(chosen, first + roll, before if hold == NO_FIT else hold)


@jit
def write_holds(policy, roll_count, on_card, faces, rerolls, first_lane, below, above, hold, like):
    """Write the hold of each roll to `hold`, from its first entry on.

    `below` and `above` say whether the block has upper sums below par, and from par on; `first_lane` is the place of
    its first lane in ``above_par``.
    """
    chosen = policy.chosen
    if below:
        choose_by_rules(policy, roll_count, on_card, faces, rerolls, ABOVE, 0)
    if above:
        choose_by_rules(policy, roll_count, on_card, faces, rerolls, BELOW, roll_count)
    for roll in range(roll_count):
        low, high = peek(chosen, roll), peek(chosen, roll_count + roll)
        if not above or (below and low == high):
            store(hold, roll, splat(like, float(low)))
        elif not below:
            store(hold, roll, splat(like, float(high)))
        else:
            for lane in range(LANES):
                poke(
                    hold, roll * LANES + lane, float(high if peek(policy.rules.above_par, first_lane + lane) else low)
                )


@overload(choose_actions, inline="never")
def _rule_actions(policy, job, block, most_saved):
    if policy.instance_class is not HoldRuleActions:
        return None

    def choose_by_hold_rules(policy, job, block, most_saved):
        model, scratch, rules = job.model, job.scratch, policy.rules
        layout, roll_count, temp = model.layout, model.dice.roll_count, scratch.temp
        prices = MeanTable(shifted(policy.prices.values, policy.prices.start))
        on_card = rules_of_card(rules, model, block.row, block.choices)
        faces = open_faces(rules, model, block.choices)
        first_lane = peek(layout.lane_sets, block.row) * layout.lane_width + block.start
        sides = 0
        for lane in range(LANES):
            sides += int(peek(rules.above_par, first_lane + lane))
        below, above = sides < LANES, sides > 0
        for rerolls in range(model.rolls_per_turn + most_saved):
            first, is_first = rerolls * roll_count, rerolls - model.rolls_per_turn + 1
            if rerolls == 0 or model.saves_rolls:
                outcome_values(prices, job, block, rerolls)
                choose_stops(job, block, False, scratch.stop_value, scratch.stop, first)
            else:
                for roll in range(roll_count):
                    store(scratch.stop, first + roll, load(scratch.stop, roll))
            hold = shifted(scratch.hold, -first * LANES)
            if rerolls > 0:
                write_holds(policy, roll_count, on_card, faces, rerolls, first_lane, below, above, hold, temp)
            else:
                for roll in range(roll_count):
                    store(hold, roll, splat(temp, -1.0))
            if model.has_first_roll_bonus and is_first >= 0:
                choose_stops(job, block, True, scratch.first_value, scratch.first_stop, is_first * roll_count)
                for roll in range(roll_count):
                    store(scratch.first_hold, is_first * roll_count + roll, load(hold, roll))

    return choose_by_hold_rules
