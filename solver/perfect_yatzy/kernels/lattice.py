"""The lattice of multisets of dice as kernels walk it: means over rerolls, maxima within a roll."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import types
from numba.extending import overload

from ..game.dice import Floats, Ints, Lattice
from .jit import jit
from .simd import add, load, maximum, multiply, peek, splat, store
from .unrolled import UNROLLED, FiveDice, SixDice, emit_maxima, emit_means, unrolled_pass


class IndexedLattice(NamedTuple):
    """A lattice as index arrays (int64): any dice, at the price of an index load per operation."""

    successors: Ints
    predecessor_start: Ints
    predecessors: Ints
    faces: int
    lower: int
    holds: int


def kernel_lattice(dice: Lattice, unrolled: bool = True) -> FiveDice | SixDice | IndexedLattice:
    """What a kernel takes as its lattice: straight-line code where there is some, else index arrays."""
    for kind, size in UNROLLED.items():
        if unrolled and size == (dice.dice, dice.faces):
            return kind(dice.n_holds)  # type: ignore[no-any-return]
    return IndexedLattice(
        np.ascontiguousarray(dice.successors.ravel()),
        dice.predecessor_start,
        dice.predecessors,
        dice.faces,
        dice.first_roll,
        dice.n_holds,
    )


def means(buffer: Floats, dice: object) -> None:
    """Values of all holds from the values of all rolls (a pass up the lattice)."""
    raise NotImplementedError("only within a kernel")


def maxima(buffer: Floats, dice: object) -> None:
    """Best value within every multiset (a pass down the lattice)."""
    raise NotImplementedError("only within a kernel")


@jit
def _indexed_means(buffer, dice):
    share = splat(buffer, 1.0 / dice.faces)
    hold = dice.lower - 1
    while hold >= 0:
        at = hold * dice.faces
        total = add(load(buffer, peek(dice.successors, at)), load(buffer, peek(dice.successors, at + 1)))
        for face in range(2, dice.faces - 1, 2):
            one = load(buffer, peek(dice.successors, at + face))
            total = add(total, add(one, load(buffer, peek(dice.successors, at + face + 1))))
        if dice.faces % 2:
            total = add(total, load(buffer, peek(dice.successors, at + dice.faces - 1)))
        store(buffer, hold, multiply(total, share))
        hold -= 1


@jit
def _indexed_maxima(buffer, dice):
    for hold in range(1, dice.holds):
        best = load(buffer, hold)
        for i in range(peek(dice.predecessor_start, hold), peek(dice.predecessor_start, hold + 1)):
            best = maximum(best, load(buffer, peek(dice.predecessors, i)))
        store(buffer, hold, best)


_PASSES = {
    kind: (unrolled_pass("means", emit_means, kind), unrolled_pass("maxima", emit_maxima, kind)) for kind in UNROLLED
}


@overload(means)
def _means(buffer, dice):
    if isinstance(dice, types.BaseNamedTuple) and dice.instance_class in _PASSES:
        run = _PASSES[dice.instance_class][0]
        return lambda buffer, dice: run(buffer)
    return lambda buffer, dice: _indexed_means(buffer, dice)


@overload(maxima)
def _maxima(buffer, dice):
    if isinstance(dice, types.BaseNamedTuple) and dice.instance_class in _PASSES:
        run = _PASSES[dice.instance_class][1]
        return lambda buffer, dice: run(buffer)
    return lambda buffer, dice: _indexed_maxima(buffer, dice)
