"""Policy evaluation: a quantity under the policy of a table, layer by layer."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from ..model.state_space import LANES
from ..model.turn_model import ON_FIRST_ROLL
from .jit import jit
from .lattice import means
from .policy import choose_holds, choose_stops, worth_of_payouts
from .simd import (
    add,
    load,
    multiply,
    peek,
    shifted,
    splat,
    store,
    views,
)
from .turn import MeanTable, child_lanes, choices_of, mean_of_first_roll, write_values


@jit
def evaluate_policy_block(children, followed, target, model, pay, dice, row, block, most_saved, squares, ties, own):
    """A quantity under the policy, for one block of lanes and every number of saved rolls.

    The tag of a payout is ``Q(child) + squares * (points + V(child) - V(card))^2``, and Q(card) its mean over a turn:
    with squares = 1 the variance of what is to come, with 0 the mean of Q over the ends of the game.
    """
    choices, minus = choices_of(model, row), splat(own.tag, -1.0)
    centre = child_lanes(children.values, model, row, row, block, 0, 0, own.lanes)
    for rerolls in range(model.rolls_per_turn + most_saved):
        if rerolls > 0:
            means(own.buffer, dice)
            means(own.hold_tag, dice)
        if rerolls == 0 or model.saved_rolls:
            worth_of_payouts(children, model, pay, row, choices, block, rerolls, own)
            for p in range(pay.ends):
                if choices >> peek(pay.category, p) & 1:
                    child, shift = row + peek(pay.step, p), peek(pay.shift, p)
                    later = child_lanes(followed.values, model, row, child, block, rerolls, shift, own.lanes)
                    off = add(load(own.worth, p), multiply(minus, centre))
                    store(own.tag, p, add(later, multiply(splat(own.tag, squares), multiply(off, off))))
            choose_stops(model, pay, row, choices, 0, ties, own, own.stop_value, own.stop, 0)
        kept, result = rerolls - model.rolls_per_turn + 1, own.hold_tag
        if model.has_first_bonus and kept >= 0:
            result = own.node
            choose_stops(model, pay, row, choices, ON_FIRST_ROLL, ties, own, own.first_value, own.first_stop, 0)
            if rerolls > 0:
                choose_holds(
                    model, dice, ties, own, own.first_value, own.first_stop, result, model.first_roll, False, False
                )
            else:
                for roll in range(model.rolls):
                    store(result, model.first_roll + roll, load(own.first_stop, roll))
        if rerolls > 0:
            choose_holds(
                model, dice, ties, own, own.stop_value, own.stop, own.hold_tag, model.first_roll, True, False
            )
        else:
            for roll in range(model.rolls):
                store(own.buffer, model.first_roll + roll, load(own.stop_value, roll))
                store(own.hold_tag, model.first_roll + roll, load(own.stop, roll))
        if kept >= 0:
            value = child_lanes(children.values, model, row, row, block, kept, 0, own.lanes)
            off = add(value, multiply(minus, centre))
            excess = multiply(splat(own.tag, -squares), multiply(off, off))
            write_values(target, model, row, block, kept, add(mean_of_first_roll(model, result), excess), own.lanes)


@jit
def evaluate_policy_rows(rows, below, layer, table, model, pay, dice, most_saved, squares, ties, scratch):
    """Followed quantities of all states of the given rows, from those of their children and the table of means."""
    seen, ends, steps, own = views(model), views(pay), views(dice), views(scratch)
    children = MeanTable(shifted(views(table).values, table.start))
    followed = MeanTable(shifted(views(below).values, below.start))
    target = MeanTable(shifted(views(layer).values, layer.start))
    for row in rows:
        for block in range(0, peek(seen.lane_count, peek(seen.sets, row)), LANES):
            evaluate_policy_block(
                children, followed, target, seen, ends, steps, row, block, most_saved, squares, ties, own
            )
