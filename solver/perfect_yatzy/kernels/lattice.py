"""The passes over the lattice of multisets of dice (:mod:`perfect_yatzy.game.dice`).

On a buffer with a vector for every multiset, full rolls last::

    means    K(h) = mean over the faces f of K(h + f)                from full rolls up to the empty hold
    maxima   M(h) = max(K(h), max over dice d in h of M(h - d))      the best hold within every multiset
    spread   P(h) = P(h) + sum over dice d in h of P(h - d) / faces  chances from all holds up to full rolls

All overwrite the buffer. Five and six six-sided dice have straight-line code (:mod:`.unrolled`), all others index
arrays; the results are the same to the bit. :func:`best_holds` are the maxima with the hold that has each of them.
"""

from __future__ import annotations

from ..game.dice import Lattice
from ..model.turn_model import DiceModel, dice_model
from .jit import by_kind, jit
from .simd import choose, load, maximum, splat, store
from .unrolled import UNROLLED, FiveDice, SixDice, emit_maxima, emit_means, emit_spread, unrolled_pass


def kernel_lattice(dice: Lattice, unrolled: bool = True) -> FiveDice | SixDice | DiceModel:
    """The argument of a kernel that selects its passes: straight-line code if there is any, else index arrays."""
    for kind, size in UNROLLED.items():
        if unrolled and size == (dice.dice, dice.faces):
            return kind(dice.n_holds)  # type: ignore[no-any-return]
    return dice_model(dice.dice, dice.faces)


@by_kind(1)
def means(buffer, lattice):
    """Values of all holds from the values of all rolls."""


@by_kind(1)
def maxima(buffer, lattice):
    """Best value within every multiset."""


@by_kind(1)
def spread(chances, lattice):
    """Roll the other dice: chance of every full roll from those of all smaller multisets, which become 0."""


@jit
def copy_vectors(source, first, target, target_first, count):
    """Copy `count` vectors of a view from the first one on to another."""
    for i in range(count):
        store(target, target_first + i, load(source, first + i))


@jit
def fill(target, first, count, vector):
    """Write a vector to `count` entries of a view from the first one on."""
    for i in range(first, first + count):
        store(target, i, vector)


@spread.of()
def _indexed_spread(chances, lattice):
    share, zero = splat(chances, 1.0 / lattice.faces), splat(chances, 0.0)
    for hold in range(1, lattice.first_roll + lattice.roll_count):
        first = lattice.predecessor_start[hold]
        total = load(chances, lattice.predecessors[first])
        for i in range(first + 1, lattice.predecessor_start[hold + 1]):
            total += load(chances, lattice.predecessors[i])
        total *= share
        store(chances, hold, total if hold >= lattice.first_roll else load(chances, hold) + total)
    for hold in range(lattice.first_roll):
        store(chances, hold, zero)


@jit
def best_holds(buffer, choices, dice, absolute, relative):
    """:func:`maxima`, and to `choices` the best hold within every multiset; -1 where it is a full roll itself."""
    # Values that differ by no more than `absolute + relative * |best|` are equal. Of equal holds the last one of the
    # lattice is chosen: that with the most dice, then with the highest faces. Equality is decided wherever two holds
    # meet on their way up the lattice, so a chain of values can join those at its ends; the tolerance is far above
    # rounding errors and far below any other difference. As straight-line code this pass takes seconds to compile.
    none = splat(buffer, -1.0)
    store(choices, 0, splat(buffer, 0.0))
    for hold in range(1, dice.first_roll + dice.roll_count):
        own = load(buffer, hold)
        best, chosen = own, none
        first, end = dice.predecessor_start[hold], dice.predecessor_start[hold + 1]
        for i in range(first, end):
            best = maximum(best, load(buffer, dice.predecessors[i]))
        tolerance = absolute + relative * maximum(best, -best)
        limit = best - tolerance
        for i in range(first, end):
            smaller = dice.predecessors[i]
            chosen = maximum(choose(load(buffer, smaller), limit, load(choices, smaller), none), chosen)
        itself = splat(buffer, float(hold)) if hold < dice.first_roll else none
        store(choices, hold, choose(own, limit, itself, chosen))
        store(buffer, hold, best)


@means.of()
def _indexed_means(buffer, lattice):
    faces, successors, share = lattice.faces, lattice.successors, splat(buffer, 1.0 / lattice.faces)
    hold = lattice.first_roll - 1
    while hold >= 0:
        first = hold * faces
        total = load(buffer, successors[first]) + load(buffer, successors[first + 1])
        for face in range(2, faces - 1, 2):
            one = load(buffer, successors[first + face])
            total += one + load(buffer, successors[first + face + 1])
        if faces % 2:
            total += load(buffer, successors[first + faces - 1])
        store(buffer, hold, total * share)
        hold -= 1


@maxima.of()
def _indexed_maxima(buffer, lattice):
    for hold in range(1, lattice.first_roll + lattice.roll_count):
        best = load(buffer, hold)
        for i in range(lattice.predecessor_start[hold], lattice.predecessor_start[hold + 1]):
            best = maximum(best, load(buffer, lattice.predecessors[i]))
        store(buffer, hold, best)


for _kind in UNROLLED:
    means.of(_kind)(unrolled_pass("means", emit_means, _kind))
    maxima.of(_kind)(unrolled_pass("maxima", emit_maxima, _kind))
    spread.of(_kind)(unrolled_pass("spread", emit_spread, _kind))
