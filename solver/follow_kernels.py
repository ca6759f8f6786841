"""A turn played by the policy of a table: which way each roll goes on, and what comes of it.

The worths are those of :mod:`solver.kernels`; here each choice carries a *tag* along, another vector that goes with
the option taken. With the number of the hold or payout as tag the tags are the policy; with a second quantity as
tag (the square of what is still to come) they are that quantity under the policy. Of options that are equal, which
``ties`` says (:class:`solver.evaluate.TurnEvaluator`), the one met first is taken: more dice held, then higher
faces; the first category of the sheet.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from typing import NamedTuple

import numpy.typing as npt

from ._jit import jit
from .dice import Floats, Ints, Lattice
from .kernels import (
    LOWEST,
    Means,
    aligned,
    arrival,
    child_lanes,
    choices_of,
    deliver,
    joker_choices,
    maxima,
    mean_of_first_roll,
    means,
)
from .payouts import IN_FULL, ON_FIRST_ROLL, WITH_BONUS, Payouts
from .score_kernels import state_of
from .states import LANES
from .turn import Plan
from .vectors import (
    add,
    choose,
    load,
    load_at,
    maximum,
    multiply,
    peek,
    poke,
    shifted,
    splat,
    store,
    store_at,
    views,
    width,
)


class Support(NamedTuple):
    """Where the distribution of each state begins and ends (int64), and its sum (float64)."""

    low: Ints
    high: Ints
    mass: Floats


class FollowScratch(NamedTuple):
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


def follow_scratch(dice: Lattice, plan: Plan, pay: Payouts, most_saved: int, dtype: npt.DTypeLike) -> FollowScratch:
    """Scratch for one thread."""
    stages = (plan.rolls_per_turn + most_saved) * dice.rolls
    firsts = (most_saved + 1) * dice.rolls
    holds, ends = dice.holds, pay.ends
    sizes = (
        holds,
        ends,
        ends,
        holds,
        dice.rolls,
        stages,
        stages,
        dice.rolls,
        firsts,
        firsts,
        holds,
        ends,
        holds,
        dice.rolls,
        1,
    )
    scratch = FollowScratch(*(aligned(size, dtype) for size in sizes))
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
def worth_of_payouts(children, plan, pay, row, choices, block, saved, own):
    """Worth of every payout this card may end its turn with."""
    for p in range(pay.ends):
        if choices >> peek(pay.category, p) & 1:
            child, shift = row + peek(pay.step, p), peek(pay.shift, p)
            worth = arrival(children, plan, row, child, block, saved, shift, peek(pay.total, p), own.lanes)
            store(own.worth, p, worth)


@jit
def choose_stops(plan, pay, row, choices, way, ties, own, values, tags, base):
    """Best category for each roll: its worth to `values`, its tag to `tags` from entry `base` on."""
    extra_joker = peek(plan.masks, row) & plan.joker_bit != 0
    for roll in range(plan.rolls):
        legal, how, j = choices, way, peek(plan.joker_of, roll)
        if extra_joker and j >= 0:
            legal = joker_choices(plan, row, choices, j)
            how += 0 if peek(plan.joker_box, j) & ~peek(plan.masks, row) else IN_FULL
            how += WITH_BONUS if row >= plan.cards else 0
        at = how * plan.categories * plan.rolls + roll
        best = splat(values, LOWEST)
        for c in range(plan.categories):
            if legal >> c & 1:
                best = maximum(best, load(own.worth, peek(pay.of, at + c * plan.rolls)))
        limit, tag = lowest_equal(best, ties, values), splat(values, -1.0)
        for c in range(plan.categories - 1, -1, -1):
            if legal >> c & 1:
                p = peek(pay.of, at + c * plan.rolls)
                tag = choose(load(own.worth, p), limit, load(own.tag, p), tag)
        store(values, roll, best)
        store(tags, base + roll, tag)


@jit
def choose_holds(plan, dice, ties, own, values, stopping, tags, base, carry_on, by_number):
    """Best hold of each roll against stopping for `values`.

    The tag of the best hold (its number, or what ``own.hold_tag`` says) goes to `tags` from entry `base` on, where
    stopping is best the entry of `stopping`; with `carry_on` the worth of the roll is left in the buffer.
    """
    for hold in range(plan.first_roll):
        store(own.within, hold, load(own.buffer, hold))
    for roll in range(plan.rolls):
        store(own.within, plan.first_roll + roll, load(values, roll))
    maxima(own.within, dice)
    for roll in range(plan.rolls):
        best = load(own.within, plan.first_roll + roll)
        limit, tag = lowest_equal(best, ties, values), splat(values, -1.0)
        for k in range(peek(plan.within_start, roll + 1) - 1, peek(plan.within_start, roll), -1):
            held = peek(plan.within, k)
            # Making the number costs less than loading a vector of it: the buffers outgrow the first cache.
            mine = splat(values, float(held)) if by_number else load(own.hold_tag, held)
            tag = choose(load(own.buffer, held), limit, mine, tag)
        store(tags, base + roll, choose(load(values, roll), limit, load(stopping, roll), tag))
        if carry_on:
            store(own.buffer, plan.first_roll + roll, best)


@jit
def follow_block(children, plan, pay, dice, row, block, most_saved, ties, own):
    """The policy of one card for one block of lanes, into ``own.stop, own.hold`` and those of the first roll."""
    choices = choices_of(plan, row)
    for rerolls in range(plan.rolls_per_turn + most_saved):
        base = rerolls * plan.rolls
        if rerolls > 0:
            means(own.buffer, dice)
        if rerolls == 0 or plan.saved_rolls:
            worth_of_payouts(children, plan, pay, row, choices, block, rerolls, own)
            choose_stops(plan, pay, row, choices, 0, ties, own, own.stop_value, own.stop, base)
        else:
            for roll in range(plan.rolls):
                store(own.stop, base + roll, load(own.stop, roll))
        kept = rerolls - plan.rolls_per_turn + 1
        if plan.has_first_bonus and kept >= 0:
            at = kept * plan.rolls
            choose_stops(plan, pay, row, choices, ON_FIRST_ROLL, ties, own, own.first_value, own.first_stop, at)
            if rerolls > 0:
                choose_holds(plan, dice, ties, own, own.first_value, own.nothing, own.first_hold, at, False, True)
            else:
                for roll in range(plan.rolls):
                    store(own.first_hold, at + roll, splat(own.node, -1.0))
        if rerolls > 0:
            choose_holds(plan, dice, ties, own, own.stop_value, own.nothing, own.hold, base, True, True)
        else:
            for roll in range(plan.rolls):
                store(own.hold, base + roll, splat(own.node, -1.0))
                store(own.buffer, plan.first_roll + roll, load(own.stop_value, roll))


@jit
def chances(plan, walk, kept, own, pay):
    """Chance of every payout under the policy of :func:`follow_block`, for a turn begun with `kept` saved rolls."""
    lanes, zero = width(own.node), splat(own.node, 0.0)
    for hold in range(walk.holds):
        store(own.node, hold, zero)
    for p in range(pay.ends):
        store(own.chance, p, zero)
    for roll in range(plan.rolls):
        store(own.node, plan.first_roll + roll, splat(own.node, peek(plan.weights, roll)))
    most = plan.rolls_per_turn - 1 + kept
    for rerolls in range(most, -1, -1):
        first = plan.has_first_bonus and rerolls == most
        stop, hold = own.first_stop if first else own.stop, own.first_hold if first else own.hold
        base = (kept if first else rerolls) * plan.rolls
        for roll in range(plan.rolls):
            for lane in range(lanes):
                at = (plan.first_roll + roll) * lanes + lane
                mass = peek(own.node, at)
                if mass > 0.0:
                    poke(own.node, at, 0.0)
                    held = int(peek(hold, (base + roll) * lanes + lane))
                    if held >= 0:
                        poke(own.node, held * lanes + lane, peek(own.node, held * lanes + lane) + mass)
                    else:
                        at = int(peek(stop, (base + roll) * lanes + lane)) * lanes + lane
                        poke(own.chance, at, peek(own.chance, at) + mass)
        if rerolls > 0:
            scatter(walk, own.node)


@jit
def scatter(walk, node):
    """Reroll: what lies on each hold goes on to full rolls, a die at a time (the transpose of the means)."""
    share, zero = splat(node, 1.0 / walk.faces), splat(node, 0.0)
    for hold in range(walk.lower):
        part = multiply(load(node, hold), share)
        store(node, hold, zero)
        for face in range(walk.faces):
            onto = peek(walk.successors, hold * walk.faces + face)
            store(node, onto, add(load(node, onto), part))


@jit
def chance_rows(rows, states, chance, table, plan, pay, dice, walk, ties, scratch):
    """Chances of all payouts for all states of the given rows.

    Parameters
    ----------
    states : int
        Number of the first state of the layer.
    chance : (states of the layer * payouts,) float64
        Written: payout by payout, state by state.
    table : Window
        Of the means.
    """
    seen, ends, steps, ways, own = views(plan), views(pay), views(dice), views(walk), views(scratch)
    children, out = Means(shifted(views(table).values, table.start)), views(Means(chance)).values
    number = ends.ends
    for row in rows:
        lanes = peek(seen.lane_count, peek(seen.sets, row))
        for block in range(0, lanes, LANES):
            follow_block(children, seen, ends, steps, row, block, 0, ties, own)
            chances(seen, ways, 0, own, ends)
            for lane in range(min(LANES, lanes - block)):
                at = (peek(seen.offsets, row) + block + lane - states) * number
                for p in range(number):
                    poke(out, at + p, peek(own.chance, p * LANES + lane))


@jit
def pull_rows(rows, states, chance, occurs, parents, layer, slabs, plan, pay, found):
    """Distribution of the points made for all states of the given rows, from those of their parents.

    Parameters
    ----------
    states, chance : int and (states * payouts,) float64
        Of the parents' layer, from :func:`chance_rows`.
    occurs : (rows,) int64
        Whether a row occurs at all.
    parents, layer : Window
        Chances of having made x points, in slabs; those of `layer` are written.
    slabs : Slabs
    found : Support
        Of every state; written for those of the layer.
    """
    seen, ends, places = views(plan), views(pay), views(slabs)
    chances_of, exists, known = views(Means(chance)).values, views(Means(occurs)).values, views(found)
    source = shifted(views(parents).values, parents.start)
    target = shifted(views(layer).values, layer.start)
    for row in rows:
        for p in range(ends.ends):
            parent = row - peek(ends.step, p)
            if parent < 0 or not peek(exists, parent):
                continue
            if choices_of(seen, parent) >> peek(ends.category, p) & 1:
                for lane in range(peek(seen.lane_count, peek(seen.sets, parent))):
                    state = peek(seen.offsets, parent) + lane
                    chance_of_it = peek(chances_of, (state - states) * ends.ends + p)
                    if chance_of_it > 0.0:
                        child = state_of(seen, parent, row, lane, 0, peek(ends.shift, p))
                        here = peek(places.origin, state)
                        there = peek(places.origin, child) + int(peek(ends.total, p))
                        share = splat(source, chance_of_it)
                        for x in range(peek(known.low, state), peek(known.high, state) + 1, LANES):
                            moved = multiply(share, load_at(source, here + x))
                            store_at(target, there + x, add(load_at(target, there + x), moved))
        for lane in range(peek(seen.lane_count, peek(seen.sets, row))):
            support_of(target, places, peek(seen.offsets, row) + lane, known)


@jit
def support_of(target, places, state, known):
    """Note where a state's distribution begins and ends, and its sum."""
    low, high, mass = 0, -1, 0.0
    for x in range(peek(places.high, state) + 1):
        chance_of_it = peek(target, peek(places.origin, state) + x)
        if chance_of_it > 0.0:
            low, high = x if high < 0 else low, x
            mass += chance_of_it
    poke(known.low, state, low)
    poke(known.high, state, high)
    poke(known.mass, state, mass)


@jit
def followed_block(children, followed, target, plan, pay, dice, row, block, most_saved, squares, ties, own):
    """A quantity under the policy, for one block of lanes and every number of saved rolls.

    The tag of a payout is ``Q(child) + squares * (points + V(child) - V(card))^2``, and Q(card) its mean over a turn:
    with squares = 1 the variance of what is to come, with 0 the mean of Q over the ends of the game.
    """
    choices, minus = choices_of(plan, row), splat(own.tag, -1.0)
    centre = child_lanes(children.values, plan, row, row, block, 0, 0, own.lanes)
    for rerolls in range(plan.rolls_per_turn + most_saved):
        if rerolls > 0:
            means(own.buffer, dice)
            means(own.hold_tag, dice)
        if rerolls == 0 or plan.saved_rolls:
            worth_of_payouts(children, plan, pay, row, choices, block, rerolls, own)
            for p in range(pay.ends):
                if choices >> peek(pay.category, p) & 1:
                    child, shift = row + peek(pay.step, p), peek(pay.shift, p)
                    later = child_lanes(followed.values, plan, row, child, block, rerolls, shift, own.lanes)
                    off = add(load(own.worth, p), multiply(minus, centre))
                    store(own.tag, p, add(later, multiply(splat(own.tag, squares), multiply(off, off))))
            choose_stops(plan, pay, row, choices, 0, ties, own, own.stop_value, own.stop, 0)
        kept, result = rerolls - plan.rolls_per_turn + 1, own.hold_tag
        if plan.has_first_bonus and kept >= 0:
            result = own.node
            choose_stops(plan, pay, row, choices, ON_FIRST_ROLL, ties, own, own.first_value, own.first_stop, 0)
            if rerolls > 0:
                choose_holds(
                    plan, dice, ties, own, own.first_value, own.first_stop, result, plan.first_roll, False, False
                )
            else:
                for roll in range(plan.rolls):
                    store(result, plan.first_roll + roll, load(own.first_stop, roll))
        if rerolls > 0:
            choose_holds(plan, dice, ties, own, own.stop_value, own.stop, own.hold_tag, plan.first_roll, True, False)
        else:
            for roll in range(plan.rolls):
                store(own.buffer, plan.first_roll + roll, load(own.stop_value, roll))
                store(own.hold_tag, plan.first_roll + roll, load(own.stop, roll))
        if kept >= 0:
            value = child_lanes(children.values, plan, row, row, block, kept, 0, own.lanes)
            off = add(value, multiply(minus, centre))
            excess = multiply(splat(own.tag, -squares), multiply(off, off))
            deliver(target, plan, row, block, kept, add(mean_of_first_roll(plan, result), excess), own.lanes)


@jit
def followed_rows(rows, below, layer, table, plan, pay, dice, most_saved, squares, ties, scratch):
    """Followed quantities of all states of the given rows, from those of their children and the table of means."""
    seen, ends, steps, own = views(plan), views(pay), views(dice), views(scratch)
    children = Means(shifted(views(table).values, table.start))
    followed = Means(shifted(views(below).values, below.start))
    target = Means(shifted(views(layer).values, layer.start))
    for row in rows:
        for block in range(0, peek(seen.lane_count, peek(seen.sets, row)), LANES):
            followed_block(children, followed, target, seen, ends, steps, row, block, most_saved, squares, ties, own)
