"""The two passes over the lattice of multisets of dice (:mod:`perfect_yatzy.game.dice`).

On a buffer with a vector for every multiset, full rolls last::

    means    K(h) = mean over the faces f of K(h + f)                from full rolls up to the empty hold
    maxima   M(h) = max(K(h), max over dice d in h of M(h - d))      the best hold within every multiset

Both overwrite the buffer. Five and six six-sided dice have straight-line code (:mod:`.unrolled`), all others index
arrays; the results are the same to the bit.
"""

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
    """A lattice as index arrays, for any dice: each operation loads an index.

    Attributes
    ----------
    successors : (first_roll * faces,) int64
        Index after adding a die, for every multiset that is not a full roll.
    predecessor_start, predecessors : (holds + 1,) and (pairs,) int64
        Indices after taking one die away.
    faces : int
    first_roll : int
        Index of the first full roll.
    holds : int
        Number of multisets.
    """

    successors: Ints
    predecessor_start: Ints
    predecessors: Ints
    faces: int
    first_roll: int
    holds: int


def kernel_lattice(dice: Lattice, unrolled: bool = True) -> FiveDice | SixDice | IndexedLattice:
    """The argument of a kernel that selects its passes: straight-line code if there is any, else index arrays."""
    for kind, size in UNROLLED.items():
        if unrolled and size == (dice.dice, dice.faces):
            return kind(dice.n_holds)  # type: ignore[no-any-return]
    return indexed_lattice(dice)


def indexed_lattice(dice: Lattice) -> IndexedLattice:
    """The index arrays of a lattice."""
    return IndexedLattice(
        np.ascontiguousarray(dice.successors.ravel()),
        dice.predecessor_start,
        dice.predecessors,
        dice.faces,
        dice.first_roll,
        dice.n_holds,
    )


def means(buffer: Floats, lattice: object) -> None:
    """Values of all holds from the values of all rolls."""
    raise NotImplementedError("only within a kernel")


def maxima(buffer: Floats, lattice: object) -> None:
    """Best value within every multiset."""
    raise NotImplementedError("only within a kernel")


@jit
def _indexed_means(buffer, lattice):
    faces, successors, share = lattice.faces, lattice.successors, splat(buffer, 1.0 / lattice.faces)
    hold = lattice.first_roll - 1
    while hold >= 0:
        first = hold * faces
        total = add(load(buffer, peek(successors, first)), load(buffer, peek(successors, first + 1)))
        for face in range(2, faces - 1, 2):
            one = load(buffer, peek(successors, first + face))
            total = add(total, add(one, load(buffer, peek(successors, first + face + 1))))
        if faces % 2:
            total = add(total, load(buffer, peek(successors, first + faces - 1)))
        store(buffer, hold, multiply(total, share))
        hold -= 1


@jit
def _indexed_maxima(buffer, lattice):
    for hold in range(1, lattice.holds):
        best = load(buffer, hold)
        for i in range(peek(lattice.predecessor_start, hold), peek(lattice.predecessor_start, hold + 1)):
            best = maximum(best, load(buffer, peek(lattice.predecessors, i)))
        store(buffer, hold, best)


_PASSES = {
    kind: (unrolled_pass("means", emit_means, kind), unrolled_pass("maxima", emit_maxima, kind)) for kind in UNROLLED
}


@overload(means)
def _means(buffer, lattice):
    if isinstance(lattice, types.BaseNamedTuple) and lattice.instance_class in _PASSES:
        run = _PASSES[lattice.instance_class][0]
        return lambda buffer, lattice: run(buffer)
    return lambda buffer, lattice: _indexed_means(buffer, lattice)


@overload(maxima)
def _maxima(buffer, lattice):
    if isinstance(lattice, types.BaseNamedTuple) and lattice.instance_class in _PASSES:
        run = _PASSES[lattice.instance_class][1]
        return lambda buffer, lattice: run(buffer)
    return lambda buffer, lattice: _indexed_maxima(buffer, lattice)
