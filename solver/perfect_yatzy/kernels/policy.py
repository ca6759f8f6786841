"""A turn played by the policy of a table: which way each roll goes on, and what comes of it.

The worths are those of :mod:`perfect_yatzy.kernels.turn`; here each choice carries a *tag* along, another vector
that goes with
the option taken. With the number of the hold or payout as tag the tags are the policy; with a second quantity as
tag (the square of what is still to come) they are that quantity under the policy. Of options that are equal, which
``ties`` says (:class:`perfect_yatzy.strategy.turn_evaluator.TurnEvaluator`), the one met first is taken: more dice
held, then higher
faces; the first category of the sheet.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from typing import NamedTuple

import numpy.typing as npt

from ..game.dice import Floats, Lattice
from ..model.turn_model import IN_FULL, ON_FIRST_ROLL, WITH_BONUS, TurnModel, TurnOutcomes
from .jit import jit
from .lattice import maxima, means
from .simd import (
    add,
    aligned,
    choose,
    load,
    maximum,
    multiply,
    peek,
    splat,
    store,
)
from .turn import LOWEST, child_value, choices_of, joker_choices


class PolicyScratch(NamedTuple):
    """A thread's own memory, in vectors.

    ``buffer``: worths of holds; ``worth, tag``: by payout; ``hold_tag``: by hold, if not its number;
    ``stop_value``: by roll; ``stop, hold``: policy by rerolls left and roll; ``first_value, first_stop, first_hold``:
    the same for the first roll of a turn where that pays extra, by saved rolls; ``node, chance``: by hold, by payout;
    ``within``: best hold within a multiset; ``nothing``: the tag of not holding, by roll.
    """

    buffer: Floats
    worth: Floats
    tag: Floats
    hold_tag: Floats
    stop_value: Floats
    stop: Floats
    hold: Floats
    first_value: Floats
    first_stop: Floats
    first_hold: Floats
    node: Floats
    chance: Floats
    within: Floats
    nothing: Floats
    lanes: Floats


def policy_scratch(
    dice: Lattice, model: TurnModel, pay: TurnOutcomes, most_saved: int, dtype: npt.DTypeLike
) -> PolicyScratch:
    """Scratch for one thread."""
    stages = (model.rolls_per_turn + most_saved) * dice.n_rolls
    firsts = (most_saved + 1) * dice.n_rolls
    holds, ends = dice.n_holds, pay.ends
    sizes = (
        holds,
        ends,
        ends,
        holds,
        dice.n_rolls,
        stages,
        stages,
        dice.n_rolls,
        firsts,
        firsts,
        holds,
        ends,
        holds,
        dice.n_rolls,
        1,
    )
    scratch = PolicyScratch(*(aligned(size, dtype) for size in sizes))
    lanes = len(scratch.lanes)
    scratch.nothing[:] = -1
    for payout in range(ends):
        scratch.tag[payout * lanes : (payout + 1) * lanes] = payout
    return scratch


@jit
def lowest_equal(best, ties, spare):
    """The least that is as good as `best`, which is so itself."""
    minus = multiply(best, splat(spare, -1.0))
    off = add(splat(spare, ties[0]), multiply(splat(spare, ties[1]), maximum(best, minus)))
    return add(best, multiply(off, splat(spare, -1.0)))


@jit
def worth_of_payouts(children, model, pay, row, choices, block, saved, own):
    """Worth of every payout this card may end its turn with."""
    for p in range(pay.ends):
        if choices >> peek(pay.category, p) & 1:
            child, shift = row + peek(pay.step, p), peek(pay.shift, p)
            worth = child_value(children, model, row, child, block, saved, shift, peek(pay.total, p), own.lanes)
            store(own.worth, p, worth)


@jit
def choose_stops(model, pay, row, choices, way, ties, own, values, tags, base):
    """Best category for each roll: its worth to `values`, its tag to `tags` from entry `base` on."""
    extra_joker = peek(model.masks, row) & model.joker_bit != 0
    for roll in range(model.rolls):
        legal, how, j = choices, way, peek(model.joker_of, roll)
        if extra_joker and j >= 0:
            legal = joker_choices(model, row, choices, j)
            how += 0 if peek(model.joker_box, j) & ~peek(model.masks, row) else IN_FULL
            how += WITH_BONUS if row >= model.cards else 0
        at = how * model.categories * model.rolls + roll
        best = splat(values, LOWEST)
        for c in range(model.categories):
            if legal >> c & 1:
                best = maximum(best, load(own.worth, peek(pay.of, at + c * model.rolls)))
        limit, tag = lowest_equal(best, ties, values), splat(values, -1.0)
        for c in range(model.categories - 1, -1, -1):
            if legal >> c & 1:
                p = peek(pay.of, at + c * model.rolls)
                tag = choose(load(own.worth, p), limit, load(own.tag, p), tag)
        store(values, roll, best)
        store(tags, base + roll, tag)


@jit
def choose_holds(model, dice, ties, own, values, stopping, tags, base, carry_on, by_number):
    """Best hold of each roll against stopping for `values`.

    The tag of the best hold (its number, or what ``own.hold_tag`` says) goes to `tags` from entry `base` on, where
    stopping is best the entry of `stopping`; with `carry_on` the worth of the roll is left in the buffer.
    """
    for hold in range(model.first_roll):
        store(own.within, hold, load(own.buffer, hold))
    for roll in range(model.rolls):
        store(own.within, model.first_roll + roll, load(values, roll))
    maxima(own.within, dice)
    for roll in range(model.rolls):
        best = load(own.within, model.first_roll + roll)
        limit, tag = lowest_equal(best, ties, values), splat(values, -1.0)
        for k in range(peek(model.within_start, roll + 1) - 1, peek(model.within_start, roll), -1):
            held = peek(model.within, k)
            # Making the number costs less than loading a vector of it: the buffers outgrow the first cache.
            mine = splat(values, float(held)) if by_number else load(own.hold_tag, held)
            tag = choose(load(own.buffer, held), limit, mine, tag)
        store(tags, base + roll, choose(load(values, roll), limit, load(stopping, roll), tag))
        if carry_on:
            store(own.buffer, model.first_roll + roll, best)


@jit
def policy_block(children, model, pay, dice, row, block, most_saved, ties, own):
    """The policy of one card for one block of lanes, into ``own.stop, own.hold`` and those of the first roll."""
    choices = choices_of(model, row)
    for rerolls in range(model.rolls_per_turn + most_saved):
        base = rerolls * model.rolls
        if rerolls > 0:
            means(own.buffer, dice)
        if rerolls == 0 or model.saved_rolls:
            worth_of_payouts(children, model, pay, row, choices, block, rerolls, own)
            choose_stops(model, pay, row, choices, 0, ties, own, own.stop_value, own.stop, base)
        else:
            for roll in range(model.rolls):
                store(own.stop, base + roll, load(own.stop, roll))
        kept = rerolls - model.rolls_per_turn + 1
        if model.has_first_bonus and kept >= 0:
            at = kept * model.rolls
            choose_stops(model, pay, row, choices, ON_FIRST_ROLL, ties, own, own.first_value, own.first_stop, at)
            if rerolls > 0:
                choose_holds(model, dice, ties, own, own.first_value, own.nothing, own.first_hold, at, False, True)
            else:
                for roll in range(model.rolls):
                    store(own.first_hold, at + roll, splat(own.node, -1.0))
        if rerolls > 0:
            choose_holds(model, dice, ties, own, own.stop_value, own.nothing, own.hold, base, True, True)
        else:
            for roll in range(model.rolls):
                store(own.hold, base + roll, splat(own.node, -1.0))
                store(own.buffer, model.first_roll + roll, load(own.stop_value, roll))
