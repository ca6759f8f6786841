"""The two passes over the lattice of holds as straight-line code, for the dice most games use.

For five dice a pass is 210 means of six or 1,260 maxima, always between the same entries of one buffer. This module
generates them as LLVM IR with constant addresses, so that no index is loaded and no loop counted. A solve is 1.7
times faster than with the index arrays of :mod:`perfect_yatzy.kernels.lattice`, which serve all other dice, and gives
the same bits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from ..game.dice import Lattice, lattice
from .simd import ALIGNMENT, VECTORS, emit_address, emit_maximum


class FiveDice(NamedTuple):
    """Selects the unrolled passes of five six-sided dice; ``holds`` is their number of multisets."""

    holds: int


class SixDice(NamedTuple):
    """Selects the unrolled passes of six six-sided dice; ``holds`` is their number of multisets."""

    holds: int


UNROLLED: dict[type, tuple[int, int]] = {FiveDice: (5, 6), SixDice: (6, 6)}

Get = Callable[[int], Any]
Put = Callable[[int, Any], Any]
Emit = Callable[[ir.IRBuilder, Get, Put, Lattice, ir.VectorType], None]


def emit_means(builder: ir.IRBuilder, get: Get, put: Put, dice: Lattice, native: ir.VectorType) -> None:
    """Value of every hold from those with one die more: ``K(hold) = mean over faces of K(hold + face)``."""
    share = ir.Constant(native, [1.0 / dice.faces] * native.count)
    for family in families(dice, range(dice.first_roll - 1, -1, -1)):
        for hold in family:
            # A balanced tree, the same in every evaluation of the project, so that all agree to the bit.
            terms = [get(int(i)) for i in dice.successors[hold]]
            while len(terms) > 1:
                pairs = [builder.fadd(a, b) for a, b in zip(terms[::2], terms[1::2], strict=False)]
                terms = pairs + terms[len(terms) & ~1 :]
            put(hold, builder.fmul(terms[0], share))
        emit_fence(builder)


def emit_maxima(builder: ir.IRBuilder, get: Get, put: Put, dice: Lattice, native: ir.VectorType) -> None:
    """Best hold within every multiset: ``M(dice) = max(K(dice), M(dice - one die))``."""
    for family in families(dice, range(1, dice.n_holds)):
        for hold in family:
            best = get(hold)
            for i in dice.predecessors[dice.predecessor_start[hold] : dice.predecessor_start[hold + 1]]:
                best = emit_maximum(builder, best, get(int(i)))
            put(hold, best)
        emit_fence(builder)


def emit_spread(builder: ir.IRBuilder, get: Get, put: Put, dice: Lattice, native: ir.VectorType) -> None:
    """Chance of every full roll from those of all holds (:func:`perfect_yatzy.kernels.lattice.spread`)."""
    share, zero = (ir.Constant(native, [number] * native.count) for number in (1.0 / dice.faces, 0.0))
    for family in families(dice, range(1, dice.n_holds)):
        for hold in family:
            smaller = dice.predecessors[dice.predecessor_start[hold] : dice.predecessor_start[hold + 1]].tolist()
            total = get(smaller[0])
            for i in smaller[1:]:
                total = builder.fadd(total, get(i))
            total = builder.fmul(total, share)
            put(hold, total if hold >= dice.first_roll else builder.fadd(get(hold), total))
        emit_fence(builder)
    for hold in range(dice.first_roll):
        put(hold, zero)


def families(dice: Lattice, holds: range) -> Iterator[list[int]]:
    """Holds in the given order, cut where more than the two highest dice change: a family shares many neighbours."""

    def rest(hold: int) -> tuple[int, list[int]]:
        sorted_dice = np.repeat(np.arange(dice.faces), dice.counts[hold]).tolist()
        return len(sorted_dice), sorted_dice[:-2]

    return (list(family) for _, family in groupby(holds, key=rest))


def emit_fence(builder: ir.IRBuilder) -> None:
    """Forbid LLVM to keep loaded values beyond this point.

    Without it loads are hoisted far ahead and the registers spilled again (259 times in one pass of means, to an
    unaligned stack); with it the passes measure a sixth faster and compile in two thirds of the time.
    """
    builder.asm(ir.FunctionType(ir.VoidType(), []), "", "~{memory}", [], side_effect=True)


def _function(module: ir.Module, name: str, emit: Emit, dice: Lattice, native: ir.VectorType) -> ir.Function:
    name = f"{name}_{dice.dice}d{dice.faces}_{native.count}"
    if name in module.globals:
        return module.globals[name]
    function = ir.Function(module, ir.FunctionType(ir.VoidType(), [native.as_pointer()]), name)
    function.linkage = "internal"
    function.attributes.add("noinline")  # compiled once however many calls a kernel makes
    builder = ir.IRBuilder(function.append_basic_block())

    def address(i: int) -> Any:
        return builder.gep(function.args[0], [ir.Constant(ir.IntType(64), i)], inbounds=True)

    emit(
        builder,
        lambda i: builder.load(address(i), align=ALIGNMENT),
        lambda i, value: builder.store(value, address(i), align=ALIGNMENT),
        dice,
        native,
    )
    builder.ret_void()
    return function


def unrolled_pass(name: str, emit: Emit, kind: type) -> Any:
    """A pass over a buffer for one kind of lattice; the buffer must be aligned to ALIGNMENT bytes."""
    dice = lattice(*UNROLLED[kind])

    @intrinsic
    def run(typingctx: Any, buffer: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            native = VECTORS[signature.args[0].dtype].native
            function = _function(builder.module, name, emit, dice, native)
            zero = ir.Constant(ir.IntType(64), 0)
            address = emit_address(context, builder, signature.args[0], args[0], zero, dice.n_holds * native.count)
            builder.call(function, [builder.bitcast(address, native.as_pointer())])
            return context.get_dummy_value()

        return types.void(buffer), codegen

    return lambda buffer, lattice: run(buffer)
