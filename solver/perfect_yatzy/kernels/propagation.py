"""Chances pushed forward through turns and layers: the distribution of the final score."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from typing import NamedTuple

from ..game.dice import Floats, Ints
from ..model.state_space import LANES
from .jit import jit
from .policy import policy_block
from .score_turn import state_of
from .simd import (
    add,
    load,
    load_at,
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
from .turn import MeanTable, choices_of


class Support(NamedTuple):
    """Where the distribution of each state begins and ends (int64), and its sum (float64)."""

    low: Ints
    high: Ints
    mass: Floats


@jit
def chances(model, walk, kept, own, pay):
    """Chance of every payout under the policy of :func:`policy_block`, for a turn begun with `kept` saved rolls."""
    lanes, zero = width(own.node), splat(own.node, 0.0)
    for hold in range(walk.holds):
        store(own.node, hold, zero)
    for p in range(pay.ends):
        store(own.chance, p, zero)
    for roll in range(model.rolls):
        store(own.node, model.first_roll + roll, splat(own.node, peek(model.weights, roll)))
    most = model.rolls_per_turn - 1 + kept
    for rerolls in range(most, -1, -1):
        first = model.has_first_bonus and rerolls == most
        stop, hold = own.first_stop if first else own.stop, own.first_hold if first else own.hold
        base = (kept if first else rerolls) * model.rolls
        for roll in range(model.rolls):
            for lane in range(lanes):
                at = (model.first_roll + roll) * lanes + lane
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
def chance_rows(rows, states, chance, table, model, pay, dice, walk, ties, scratch):
    """Chances of all payouts for all states of the given rows.

    Parameters
    ----------
    states : int
        Number of the first state of the layer.
    chance : (states of the layer * payouts,) float64
        Written: payout by payout, state by state.
    table : TableSlice
        Of the means.
    """
    seen, ends, steps, ways, own = views(model), views(pay), views(dice), views(walk), views(scratch)
    children, out = MeanTable(shifted(views(table).values, table.start)), views(MeanTable(chance)).values
    number = ends.ends
    for row in rows:
        lanes = peek(seen.lane_count, peek(seen.sets, row))
        for block in range(0, lanes, LANES):
            policy_block(children, seen, ends, steps, row, block, 0, ties, own)
            chances(seen, ways, 0, own, ends)
            for lane in range(min(LANES, lanes - block)):
                at = (peek(seen.offsets, row) + block + lane - states) * number
                for p in range(number):
                    poke(out, at + p, peek(own.chance, p * LANES + lane))


@jit
def pull_rows(rows, states, chance, occurs, parents, layer, slabs, model, pay, found):
    """Distribution of the points made for all states of the given rows, from those of their parents.

    Parameters
    ----------
    states, chance : int and (states * payouts,) float64
        Of the parents' layer, from :func:`chance_rows`.
    occurs : (rows,) int64
        Whether a row occurs at all.
    parents, layer : TableSlice
        Chances of having made x points, in slabs; those of `layer` are written.
    slabs : ScoreOffsets
    found : Support
        Of every state; written for those of the layer.
    """
    seen, ends, places = views(model), views(pay), views(slabs)
    chances_of, exists, known = views(MeanTable(chance)).values, views(MeanTable(occurs)).values, views(found)
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
