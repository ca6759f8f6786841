"""Every jitted function: a turn, backwards, for eight upper sums of one card at a time.

    stop(roll)  = max over categories of points + value of the child card
    K(hold)     = mean over the faces of W(hold + face)          values of full rolls come in, holds go out
    W(roll)     = max(stop if it may depend on the rolls left, best K within the roll)
    V(card)     = sum over first rolls of weight x W(roll)

One buffer holds a vector of lanes for every multiset of dice and is rewritten in place: full rolls hold stop
values, a pass of means fills the smaller holds, a pass of maxima turns the whole into the best within.
Arrays in, caller's arrays out; a row's values are written by the call that owns the row, so threads may
share everything else. Helpers take views (:mod:`perfect_yatzy.kernels.simd`), entry points arrays.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
# numba infers the types of a kernel, and mypy would have to be told them a second time.
from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba.extending import overload

from ..game.dice import Floats, Lattice
from ..model.state_space import LANES
from ..model.turn_model import Plan
from .jit import jit
from .lattice import maxima, means
from .simd import add, aligned, load, load_as, maximum, multiply, peek, poke, shifted, splat, store, views

# Stop values overwrite the buffer or raise it, both with the extras of the first roll, too.
FRESH, AGAIN, FIRST_FRESH = 0, 1, 2
TIE = 1e-9  # values closer than this are equal; the arithmetic is good to about 1e-12
LOWEST = -1e30  # below every value, and still a number when points are added to it


class Means(NamedTuple):
    """Values in points to come, as the table of means holds them: lanes are upper sums."""

    values: Floats


class Scratch(NamedTuple):
    """A thread's own memory: the buffer of holds, a second one for first rolls, small change."""

    buffer: Floats
    first: Floats
    kept: Floats
    lanes: Floats


def make_scratch(dice: Lattice, plan: Plan, dtype: npt.DTypeLike = np.float64) -> Scratch:
    """Scratch for one thread, for vectors of `dtype`."""
    return Scratch(*(aligned(size, dtype) for size in (dice.holds, dice.holds, plan.jokers, 1)))


@jit
def choices_of(plan, row):
    """Bitmask of the categories a turn from this card may fill."""
    still_open = ~peek(plan.masks, row) & ((1 << plan.categories) - 1)
    return still_open & -still_open if plan.forced else still_open


@jit
def child_lanes(values, plan, row, child, block, saved, shift, spare):
    """Values of a child card for a block of its parent's lanes, the upper sum raised by `shift`."""
    own, theirs = peek(plan.sets, row), peek(plan.sets, child)
    start = peek(plan.offsets, child) + saved * peek(plan.lane_count, theirs)
    if own == theirs:
        return load_as(values, start + block, spare)
    for lane in range(LANES):
        upper = peek(plan.lane_upper, own * plan.lane_width + block + lane) + shift
        poke(spare, lane, peek(values, start + peek(plan.lane_of, theirs * plan.upper_width + upper)))
    return load(spare, 0)


def arrival(children: object, plan: Plan, row: int, child: int, block: int, saved: int, shift: int, points: float,
            spare: Floats) -> object:  # fmt: skip
    """Worth of arriving at a child card with `points` made, for a block of lanes: where objectives differ."""
    raise NotImplementedError("only within a kernel")


@overload(arrival, inline="never")
def _arrival(children, plan, row, child, block, saved, shift, points, spare):
    if children.instance_class is not Means:
        return None

    def mean(children, plan, row, child, block, saved, shift, points, spare):
        to_come = child_lanes(children.values, plan, row, child, block, saved, shift, spare)
        return add(to_come, splat(spare, points))

    return mean


@jit
def raise_stops(children, plan, row, choices, block, saved, stage, target, scratch):
    """Raise each roll's entry in `target` to the best category for it (`stage`: see FRESH)."""
    nothing = splat(target, LOWEST)
    for c in range(plan.categories):
        if choices >> c & 1 and not plan.exactly:
            crossed_out = peek(plan.outcome_start, c)
            child = row + peek(plan.step, crossed_out)
            shift = peek(plan.shift, crossed_out)
            crossed = arrival(children, plan, row, child, block, saved, shift, 0.0, scratch.lanes)
            nothing = maximum(nothing, crossed)
    for roll in range(plan.first_roll, plan.first_roll + plan.rolls):
        store(target, roll, nothing if stage & AGAIN == 0 else maximum(nothing, load(target, roll)))
    for c in range(plan.categories):
        extra = peek(plan.first_bonus, c) if stage & FIRST_FRESH else 0.0
        if choices >> c & 1:
            begin = peek(plan.outcome_start, c)
            for outcome in range(begin + (0 if plan.exactly else 1), peek(plan.outcome_start, c + 1)):
                child, shift = row + peek(plan.step, outcome), peek(plan.shift, outcome)
                points = peek(plan.points, outcome) + (extra if outcome > begin else 0.0)
                worth = arrival(children, plan, row, child, block, saved, shift, points, scratch.lanes)
                for i in range(peek(plan.roll_start, outcome), peek(plan.roll_start, outcome + 1)):
                    roll = peek(plan.outcome_rolls, i)
                    store(target, roll, maximum(worth, load(target, roll)))


@jit
def joker_choices(plan, row, choices, j):
    """Bitmask of the categories that may take the j-th joker roll."""
    box = peek(plan.joker_box, j)
    legal = choices
    if plan.must_match:
        legal = box & choices if box & ~peek(plan.masks, row) else choices & ~plan.upper_bits
        if legal == 0:
            legal = choices
    return legal


@jit
def joker_value(children, plan, row, choices, block, saved, j, stage, spare):
    """Best category for the j-th joker roll under the joker rule."""
    box_open = peek(plan.joker_box, j) & ~peek(plan.masks, row) != 0
    legal = joker_choices(plan, row, choices, j)
    bonus = plan.joker_bonus if row >= plan.cards else 0.0
    best = splat(spare, LOWEST)
    for c in range(plan.categories):
        if legal >> c & 1:
            at = c * plan.jokers + j
            points = peek(plan.joker_plain, at) if box_open else peek(plan.joker_full, at)
            extra = peek(plan.first_bonus, c) if stage & FIRST_FRESH and points > 0 else 0.0
            child = row + peek(plan.step, peek(plan.outcome_start, c))
            shift = points if peek(plan.moves, c) else 0
            worth = arrival(children, plan, row, child, block, saved, shift, points + bonus + extra, spare)
            best = maximum(best, worth)
    return best


@jit
def raise_all_stops(children, plan, row, choices, block, saved, stage, target, scratch):
    """:func:`raise_stops` with the joker rule: joker rolls are kept aside and get their own value after."""
    jokers = plan.jokers if peek(plan.masks, row) & plan.joker_bit else 0
    for j in range(jokers):
        roll = peek(plan.joker_rolls, j)
        store(scratch.kept, j, splat(target, LOWEST) if stage & AGAIN == 0 else load(target, roll))
    raise_stops(children, plan, row, choices, block, saved, stage, target, scratch)
    for j in range(jokers):
        roll = peek(plan.joker_rolls, j)
        worth = joker_value(children, plan, row, choices, block, saved, j, stage, scratch.lanes)
        store(target, roll, maximum(worth, load(scratch.kept, j)))


@jit
def mean_of_first_roll(plan, buffer):
    """Sum of weight x value over all full rolls of a buffer."""
    # Four running sums: a single one would wait for each addition to end before the next.
    a, b, c, d = splat(buffer, 0.0), splat(buffer, 0.0), splat(buffer, 0.0), splat(buffer, 0.0)
    at, whole = plan.first_roll, plan.rolls & ~3
    for roll in range(0, whole, 4):
        a = add(a, multiply(splat(buffer, peek(plan.weights, roll)), load(buffer, at)))
        b = add(b, multiply(splat(buffer, peek(plan.weights, roll + 1)), load(buffer, at + 1)))
        c = add(c, multiply(splat(buffer, peek(plan.weights, roll + 2)), load(buffer, at + 2)))
        d = add(d, multiply(splat(buffer, peek(plan.weights, roll + 3)), load(buffer, at + 3)))
        at += 4
    for roll in range(whole, plan.rolls):
        a = add(a, multiply(splat(buffer, peek(plan.weights, roll)), load(buffer, at)))
        at += 1
    return add(add(a, b), add(c, d))


def deliver(target: object, plan: Plan, row: int, block: int, saved: int, values: object, spare: Floats) -> None:
    """Write the values of a block of a card's lanes to their places in the layer."""
    raise NotImplementedError("only within a kernel")


@overload(deliver)
def _deliver(target, plan, row, block, saved, values, spare):
    if target.instance_class is not Means:
        return None

    def mean(target, plan, row, block, saved, values, spare):
        store(spare, 0, values)
        lanes = peek(plan.lane_count, peek(plan.sets, row))
        start = peek(plan.offsets, row) + saved * lanes + block
        for lane in range(min(LANES, lanes - block)):
            poke(target.values, start + lane, peek(spare, lane))

    return mean


@jit
def solve_block(children, target, plan, dice, row, choices, block, most_saved, scratch):
    """The turn of one card for one block of lanes, for every number of saved rolls."""
    for rerolls in range(plan.rolls_per_turn + most_saved):
        saved, kept = rerolls if plan.saved_rolls else 0, rerolls - plan.rolls_per_turn + 1
        buffer, again = scratch.buffer, AGAIN if rerolls > 0 else FRESH
        if rerolls > 0:
            means(buffer, dice)
        if plan.has_first_bonus and kept >= 0:
            # The chain goes on without these extras: they are for the first roll of this turn only.
            for hold in range(plan.first_roll + plan.rolls):
                store(scratch.first, hold, load(buffer, hold))
            raise_all_stops(children, plan, row, choices, block, saved, FIRST_FRESH | again, scratch.first, scratch)
            if rerolls > 0:
                maxima(scratch.first, dice)
        if rerolls == 0 or plan.saved_rolls:
            raise_all_stops(children, plan, row, choices, block, saved, again, buffer, scratch)
        if rerolls > 0:
            maxima(buffer, dice)
        if kept >= 0:
            first = scratch.first if plan.has_first_bonus else buffer
            deliver(target, plan, row, block, kept, mean_of_first_roll(plan, first), scratch.lanes)


@jit
def solve_rows(rows, below, layer, plan, dice, most_saved, scratch):
    """Values of all states of the given rows, from the values of their children.

    Parameters
    ----------
    rows : (n,) int64
        Rows of one layer.
    below, layer : Window
        The layer of the children, and the one these rows belong to, whose entries are written.
    plan : Plan
        From :func:`perfect_yatzy.model.turn_model.plan`.
    dice : FiveDice, SixDice or IndexedLattice
    most_saved : int
        Rolls that may have been saved in this layer: one sweep over the rerolls left serves them all.
    scratch : Scratch
        This thread's.
    """
    seen, steps, own = views(plan), views(dice), views(scratch)
    children = Means(shifted(views(below).values, below.start))
    target = Means(shifted(views(layer).values, layer.start))
    for row in rows:
        choices = choices_of(seen, row)
        for block in range(0, peek(seen.lane_count, peek(seen.sets, row)), LANES):
            solve_block(children, target, seen, steps, row, choices, block, most_saved, own)
