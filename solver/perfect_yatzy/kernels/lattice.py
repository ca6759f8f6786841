"""The passes over the lattice of multisets of dice (:mod:`perfect_yatzy.game.dice`).

On a buffer with a vector for every multiset, full rolls last::

    means    K(h) = mean over the faces f of K(h + f)                from full rolls up to the empty hold
    maxima   M(h) = max(K(h), max over dice d in h of M(h - d))      the best hold within every multiset
    spread   P(h) = P(h) + sum over dice d in h of P(h - d) / faces  chances from all holds up to full rolls

All overwrite the buffer. Five and six six-sided dice have straight-line code (:mod:`.unrolled`), all others index
arrays; the results are the same to the bit. :func:`best_holds` are the maxima with the hold that has each of them.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import types
from numba.extending import overload

from ..game.dice import Floats, Ints, Lattice
from .jit import jit
from .simd import add, choose, load, maximum, multiply, peek, splat, store
from .unrolled import (
    UNROLLED,
    FiveDice,
    SixDice,
    emit_maxima,
    emit_means,
    emit_spread,
    unrolled_pass,
)


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


def spread(chances: Floats, lattice: object) -> None:
    """Roll the other dice: chance of every full roll from those of all smaller multisets, which become 0.

    What the full rolls hold before makes no difference.
    """
    raise NotImplementedError("only within a kernel")


@jit
def _indexed_spread(chances, lattice):
    share, zero = splat(chances, 1.0 / lattice.faces), splat(chances, 0.0)
    for hold in range(1, lattice.holds):
        first = peek(lattice.predecessor_start, hold)
        total = load(chances, peek(lattice.predecessors, first))
        for i in range(first + 1, peek(lattice.predecessor_start, hold + 1)):
            total = add(total, load(chances, peek(lattice.predecessors, i)))
        total = multiply(total, share)
        store(chances, hold, total if hold >= lattice.first_roll else add(load(chances, hold), total))
    for hold in range(lattice.first_roll):
        store(chances, hold, zero)


@jit
def best_holds(buffer, choices, dice, absolute, relative):
    """:func:`maxima`, and to `choices` the best hold within every multiset; -1 where it is a full roll itself.

    Values that differ by no more than ``absolute + relative * |best|`` (vectors) are equal. Of equal holds the last
    one of the lattice is chosen: that with the most dice, then with the highest faces. What is equal is decided
    wherever two holds meet on their way up the lattice, so a chain of values can join those at its ends; the
    tolerance is far above rounding errors and far below any other difference. `dice` is a ``DiceModel``: as
    straight-line code this pass takes seconds to compile.
    """
    none, sign = splat(buffer, -1.0), splat(buffer, -1.0)
    store(choices, 0, splat(buffer, 0.0))
    for hold in range(1, dice.first_roll + dice.roll_count):
        own = load(buffer, hold)
        best, chosen = own, none
        first, end = peek(dice.predecessor_start, hold), peek(dice.predecessor_start, hold + 1)
        for i in range(first, end):
            best = maximum(best, load(buffer, peek(dice.predecessors, i)))
        tolerance = add(absolute, multiply(relative, maximum(best, multiply(best, sign))))
        limit = add(best, multiply(tolerance, sign))
        for i in range(first, end):
            smaller = peek(dice.predecessors, i)
            chosen = maximum(choose(load(buffer, smaller), limit, load(choices, smaller), none), chosen)
        itself = splat(buffer, float(hold)) if hold < dice.first_roll else none
        store(choices, hold, choose(own, limit, itself, chosen))
        store(buffer, hold, best)


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
    kind: (
        unrolled_pass("means", emit_means, kind),
        unrolled_pass("maxima", emit_maxima, kind),
        unrolled_pass("spread", emit_spread, kind),
    )
    for kind in UNROLLED
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


@overload(spread)
def _spread(chances, lattice):
    if isinstance(lattice, types.BaseNamedTuple) and lattice.instance_class in _PASSES:
        run = _PASSES[lattice.instance_class][2]
        return lambda chances, lattice: run(chances)
    return lambda chances, lattice: _indexed_spread(chances, lattice)
