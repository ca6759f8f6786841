"""Passes over the lattice of holds that policies need beside those of a solve (:mod:`perfect_yatzy.core.lattice`).

On a buffer with a vector for every multiset, full rolls last::

    spread   P(h) = P(h) + sum over dice d in h of P(h - d) / faces  chances from all holds up to full rolls
"""

from __future__ import annotations

from llvmlite import ir

from ..core.dice import Lattice
from ..core.jit import by_kind, jit
from ..core.lattice import UNROLLED, Get, Put, emit_fence, families, unrolled_pass
from ..core.simd import load, splat, store, width


@by_kind(1)
def spread(chances, lattice):
    """Roll the other dice of all holds.

    The chance of every full roll comes from those of all smaller multisets, which become 0.
    """


@jit
def copy_lane(source, first, count, lane, target, row):
    """Copy one lane of `count` vectors of a view to a row of `count` entries.

    The vectors begin with number `first`.
    """
    for i in range(count):
        target[row * count + i] = source[(first + i) * width(source) + lane]


@spread.of()
def _indexed_spread(chances, lattice):
    share, zero = splat(chances, 1.0 / lattice.faces), splat(chances, 0.0)
    for hold in range(1, lattice.first_roll + lattice.roll_count):
        first = lattice.predecessor_start[hold]
        total = load(chances, lattice.predecessors[first])
        for i in range(first + 1, lattice.predecessor_start[hold + 1]):
            total += load(chances, lattice.predecessors[i])
        total *= share
        if hold < lattice.first_roll:
            total = load(chances, hold) + total
        store(chances, hold, total)
    for hold in range(lattice.first_roll):
        store(chances, hold, zero)


def emit_spread(
    builder: ir.IRBuilder, get: Get, put: Put, dice: Lattice, native: ir.VectorType
) -> None:
    """Emit :func:`spread`: the chance of every full roll from those of all holds."""
    share = ir.Constant(native, [1.0 / dice.faces] * native.count)
    zero = ir.Constant(native, [0.0] * native.count)
    for family in families(dice, range(1, dice.n_holds)):
        for hold in family:
            smaller = dice.predecessors[
                dice.predecessor_start[hold] : dice.predecessor_start[hold + 1]
            ].tolist()
            total = get(smaller[0])
            for i in smaller[1:]:
                total = builder.fadd(total, get(i))
            total = builder.fmul(total, share)
            if hold < dice.first_roll:
                total = builder.fadd(get(hold), total)
            put(hold, total)
        emit_fence(builder)
    for hold in range(dice.first_roll):
        put(hold, zero)


for _kind in UNROLLED:
    spread.of(_kind)(unrolled_pass("spread", emit_spread, _kind))
