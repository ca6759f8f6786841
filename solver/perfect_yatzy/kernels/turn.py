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
from ..model.turn_model import TurnModel
from .jit import jit
from .lattice import maxima, means
from .simd import add, aligned, load, load_as, maximum, multiply, peek, poke, shifted, splat, store, views

# Stop values overwrite the buffer or raise it, both with the extras of the first roll, too.
FRESH, AGAIN, FIRST_FRESH = 0, 1, 2
TIE = 1e-9  # values closer than this are equal; the arithmetic is good to about 1e-12
LOWEST = -1e30  # below every value, and still a number when points are added to it


class MeanTable(NamedTuple):
    """Values in points to come, as the table of means holds them: lanes are upper sums."""

    values: Floats


class Scratch(NamedTuple):
    """A thread's own memory: the buffer of holds, a second one for first rolls, small change."""

    buffer: Floats
    first: Floats
    kept: Floats
    lanes: Floats


def make_scratch(dice: Lattice, model: TurnModel, dtype: npt.DTypeLike = np.float64) -> Scratch:
    """Scratch for one thread, for vectors of `dtype`."""
    return Scratch(*(aligned(size, dtype) for size in (dice.n_holds, dice.n_holds, model.jokers, 1)))


@jit
def choices_of(model, row):
    """Bitmask of the categories a turn from this card may fill."""
    still_open = ~peek(model.masks, row) & ((1 << model.categories) - 1)
    return still_open & -still_open if model.forced else still_open


@jit
def child_lanes(values, model, row, child, block, saved, shift, spare):
    """Values of a child card for a block of its parent's lanes, the upper sum raised by `shift`."""
    own, theirs = peek(model.sets, row), peek(model.sets, child)
    start = peek(model.offsets, child) + saved * peek(model.lane_count, theirs)
    if own == theirs:
        return load_as(values, start + block, spare)
    for lane in range(LANES):
        upper = peek(model.lane_upper, own * model.lane_width + block + lane) + shift
        poke(spare, lane, peek(values, start + peek(model.lane_of, theirs * model.upper_width + upper)))
    return load(spare, 0)


def child_value(children: object, model: TurnModel, row: int, child: int, block: int, saved: int, shift: int,
                points: float, spare: Floats) -> object:  # fmt: skip
    """Worth of arriving at a child card with `points` made, for a block of lanes: where objectives differ."""
    raise NotImplementedError("only within a kernel")


@overload(child_value, inline="never")
def _child_value(children, model, row, child, block, saved, shift, points, spare):
    if children.instance_class is not MeanTable:
        return None

    def mean(children, model, row, child, block, saved, shift, points, spare):
        to_come = child_lanes(children.values, model, row, child, block, saved, shift, spare)
        return add(to_come, splat(spare, points))

    return mean


@jit
def backup_stop_values(children, model, row, choices, block, saved, stage, target, scratch):
    """Raise each roll's entry in `target` to the best category for it (`stage`: see FRESH)."""
    nothing = splat(target, LOWEST)
    for c in range(model.categories):
        if choices >> c & 1 and not model.exactly:
            crossed_out = peek(model.outcome_start, c)
            child = row + peek(model.step, crossed_out)
            shift = peek(model.shift, crossed_out)
            crossed = child_value(children, model, row, child, block, saved, shift, 0.0, scratch.lanes)
            nothing = maximum(nothing, crossed)
    for roll in range(model.first_roll, model.first_roll + model.rolls):
        store(target, roll, nothing if stage & AGAIN == 0 else maximum(nothing, load(target, roll)))
    for c in range(model.categories):
        extra = peek(model.first_bonus, c) if stage & FIRST_FRESH else 0.0
        if choices >> c & 1:
            begin = peek(model.outcome_start, c)
            for outcome in range(begin + (0 if model.exactly else 1), peek(model.outcome_start, c + 1)):
                child, shift = row + peek(model.step, outcome), peek(model.shift, outcome)
                points = peek(model.points, outcome) + (extra if outcome > begin else 0.0)
                worth = child_value(children, model, row, child, block, saved, shift, points, scratch.lanes)
                for i in range(peek(model.roll_start, outcome), peek(model.roll_start, outcome + 1)):
                    roll = peek(model.outcome_rolls, i)
                    store(target, roll, maximum(worth, load(target, roll)))


@jit
def joker_choices(model, row, choices, j):
    """Bitmask of the categories that may take the j-th joker roll."""
    box = peek(model.joker_box, j)
    legal = choices
    if model.must_match:
        legal = box & choices if box & ~peek(model.masks, row) else choices & ~model.upper_bits
        if legal == 0:
            legal = choices
    return legal


@jit
def joker_value(children, model, row, choices, block, saved, j, stage, spare):
    """Best category for the j-th joker roll under the joker rule."""
    box_open = peek(model.joker_box, j) & ~peek(model.masks, row) != 0
    legal = joker_choices(model, row, choices, j)
    bonus = model.joker_bonus if row >= model.cards else 0.0
    best = splat(spare, LOWEST)
    for c in range(model.categories):
        if legal >> c & 1:
            at = c * model.jokers + j
            points = peek(model.joker_plain, at) if box_open else peek(model.joker_full, at)
            extra = peek(model.first_bonus, c) if stage & FIRST_FRESH and points > 0 else 0.0
            child = row + peek(model.step, peek(model.outcome_start, c))
            shift = points if peek(model.moves, c) else 0
            worth = child_value(children, model, row, child, block, saved, shift, points + bonus + extra, spare)
            best = maximum(best, worth)
    return best


@jit
def backup_all_stop_values(children, model, row, choices, block, saved, stage, target, scratch):
    """:func:`backup_stop_values` with the joker rule: joker rolls are kept aside and get their own value after."""
    jokers = model.jokers if peek(model.masks, row) & model.joker_bit else 0
    for j in range(jokers):
        roll = peek(model.joker_rolls, j)
        store(scratch.kept, j, splat(target, LOWEST) if stage & AGAIN == 0 else load(target, roll))
    backup_stop_values(children, model, row, choices, block, saved, stage, target, scratch)
    for j in range(jokers):
        roll = peek(model.joker_rolls, j)
        worth = joker_value(children, model, row, choices, block, saved, j, stage, scratch.lanes)
        store(target, roll, maximum(worth, load(scratch.kept, j)))


@jit
def mean_of_first_roll(model, buffer):
    """Sum of weight x value over all full rolls of a buffer."""
    # Four running sums: a single one would wait for each addition to end before the next.
    a, b, c, d = splat(buffer, 0.0), splat(buffer, 0.0), splat(buffer, 0.0), splat(buffer, 0.0)
    at, whole = model.first_roll, model.rolls & ~3
    for roll in range(0, whole, 4):
        a = add(a, multiply(splat(buffer, peek(model.weights, roll)), load(buffer, at)))
        b = add(b, multiply(splat(buffer, peek(model.weights, roll + 1)), load(buffer, at + 1)))
        c = add(c, multiply(splat(buffer, peek(model.weights, roll + 2)), load(buffer, at + 2)))
        d = add(d, multiply(splat(buffer, peek(model.weights, roll + 3)), load(buffer, at + 3)))
        at += 4
    for roll in range(whole, model.rolls):
        a = add(a, multiply(splat(buffer, peek(model.weights, roll)), load(buffer, at)))
        at += 1
    return add(add(a, b), add(c, d))


def write_values(
    target: object, model: TurnModel, row: int, block: int, saved: int, values: object, spare: Floats
) -> None:
    """Write the values of a block of a card's lanes to their places in the layer."""
    raise NotImplementedError("only within a kernel")


@overload(write_values)
def _write_values(target, model, row, block, saved, values, spare):
    if target.instance_class is not MeanTable:
        return None

    def mean(target, model, row, block, saved, values, spare):
        store(spare, 0, values)
        lanes = peek(model.lane_count, peek(model.sets, row))
        start = peek(model.offsets, row) + saved * lanes + block
        for lane in range(min(LANES, lanes - block)):
            poke(target.values, start + lane, peek(spare, lane))

    return mean


@jit
def solve_block(children, target, model, dice, row, choices, block, most_saved, scratch):
    """The turn of one card for one block of lanes, for every number of saved rolls."""
    for rerolls in range(model.rolls_per_turn + most_saved):
        saved, kept = rerolls if model.saved_rolls else 0, rerolls - model.rolls_per_turn + 1
        buffer, again = scratch.buffer, AGAIN if rerolls > 0 else FRESH
        if rerolls > 0:
            means(buffer, dice)
        if model.has_first_bonus and kept >= 0:
            # The chain goes on without these extras: they are for the first roll of this turn only.
            for hold in range(model.first_roll + model.rolls):
                store(scratch.first, hold, load(buffer, hold))
            backup_all_stop_values(
                children, model, row, choices, block, saved, FIRST_FRESH | again, scratch.first, scratch
            )
            if rerolls > 0:
                maxima(scratch.first, dice)
        if rerolls == 0 or model.saved_rolls:
            backup_all_stop_values(children, model, row, choices, block, saved, again, buffer, scratch)
        if rerolls > 0:
            maxima(buffer, dice)
        if kept >= 0:
            first = scratch.first if model.has_first_bonus else buffer
            write_values(target, model, row, block, kept, mean_of_first_roll(model, first), scratch.lanes)


@jit
def solve_rows(rows, below, layer, model, dice, most_saved, scratch):
    """Values of all states of the given rows, from the values of their children.

    Parameters
    ----------
    rows : (n,) int64
        Rows of one layer.
    below, layer : TableSlice
        The layer of the children, and the one these rows belong to, whose entries are written.
    model : TurnModel
        From :func:`perfect_yatzy.model.turn_model.turn_model`.
    dice : FiveDice, SixDice or IndexedLattice
    most_saved : int
        Rolls that may have been saved in this layer: one sweep over the rerolls left serves them all.
    scratch : Scratch
        This thread's.
    """
    seen, steps, own = views(model), views(dice), views(scratch)
    children = MeanTable(shifted(views(below).values, below.start))
    target = MeanTable(shifted(views(layer).values, layer.start))
    for row in rows:
        choices = choices_of(seen, row)
        for block in range(0, peek(seen.lane_count, peek(seen.sets, row)), LANES):
            solve_block(children, target, seen, steps, row, choices, block, most_saved, own)
