"""The turn of :mod:`perfect_yatzy.kernels.turn` where lanes are points: goals and utilities.

Arriving at a child with p points more is a load p entries further on in the child's slab, clamped to the vectors
of known values that frame it. All else is the same turn.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from typing import NamedTuple

from numba.extending import overload

from ..game.dice import Floats, Ints
from .jit import jit
from .simd import load_at, peek, poke, shifted, splat, store, store_at, views, width
from .turn import child_value, choices_of, solve_block, write_values

LANE_BITS = 40  # a block is named by its lane of upper sums and its first x in one integer
MIDDLE = 1 << (LANE_BITS - 1)


class ScoreTable(NamedTuple):
    """Values of slabs of points, with the places of the slabs
    (:class:`perfect_yatzy.model.objectives.ScoreOffsets`)."""

    values: Floats
    origin: Ints
    low: Ints
    high: Ints


@jit
def state_of(model, row, child, lane, saved, shift):
    """Number of the child state of a lane of a row, the upper sum raised by `shift`."""
    own, theirs = peek(model.sets, row), peek(model.sets, child)
    upper = peek(model.lane_upper, own * model.lane_width + lane) + shift
    place = peek(model.lane_of, theirs * model.upper_width + upper)
    return peek(model.offsets, child) + saved * peek(model.lane_count, theirs) + place


@overload(child_value)
def _child_value(children, model, row, child, block, saved, shift, points, spare):
    if children.instance_class is not ScoreTable:
        return None

    def score(children, model, row, child, block, saved, shift, points, spare):
        state = state_of(model, row, child, block >> LANE_BITS, saved, int(shift))
        x = (block & (2 * MIDDLE - 1)) - MIDDLE + int(points)
        x = min(max(x, peek(children.low, state) - width(spare)), peek(children.high, state) + 1)
        return load_at(children.values, peek(children.origin, state) + x)

    return score


@overload(write_values)
def _write_values(target, model, row, block, saved, values, spare):
    if target.instance_class is not ScoreTable:
        return None

    def score(target, model, row, block, saved, values, spare):
        state = state_of(model, row, row, block >> LANE_BITS, saved, 0)
        x = (block & (2 * MIDDLE - 1)) - MIDDLE
        store(spare, 0, values)
        for lane in range(min(width(spare), peek(target.high, state) + 1 - x)):
            poke(target.values, peek(target.origin, state) + x + lane, peek(spare, lane))

    return score


@jit
def frame(target, model, row, lane, saved, framed):
    """Write the known values around a slab: impossible before it, certain behind it."""
    if framed:
        state = state_of(model, row, row, lane, saved, 0)
        origin = peek(target.origin, state)
        at = origin + peek(target.low, state) - width(target.values)
        store_at(target.values, at, splat(target.values, 0.0))
        store_at(target.values, origin + peek(target.high, state) + 1, splat(target.values, 1.0))


@jit
def solve_score_rows(rows, below, layer, slabs, framed, model, dice, most_saved, scratch):
    """Slabs of all states of the given rows, from the slabs of their children.

    Parameters
    ----------
    slabs : ScoreOffsets
    framed : bool
        Whether slabs are framed on both sides by known values.
    rows, below, layer, plan, dice, most_saved, scratch
        As for :func:`perfect_yatzy.kernels.turn.solve_rows`.
    """
    seen, steps, own, places = views(model), views(dice), views(scratch), views(slabs)
    children = ScoreTable(shifted(views(below).values, below.start), places.origin, places.low, places.high)
    target = ScoreTable(shifted(views(layer).values, layer.start), places.origin, places.low, places.high)
    for row in rows:
        choices = choices_of(seen, row)
        for lane in range(peek(seen.lane_count, peek(seen.sets, row))):
            state = peek(seen.offsets, row) + lane
            for saved in range(most_saved + 1):
                frame(target, seen, row, lane, saved, framed)
            for x in range(peek(places.low, state), peek(places.high, state) + 1, width(own.buffer)):
                block = (lane << LANE_BITS) + x + MIDDLE
                solve_block(children, target, seen, steps, row, choices, block, most_saved, own)
