"""The passes over the lattice of multisets of dice (:mod:`perfect_yatzy.core.dice`).

On a buffer with a vector for every multiset, full rolls last::

    means    K(h) = mean over the faces f of K(h + f)                from full rolls up to the empty hold
    maxima   M(h) = max(K(h), max over dice d in h of M(h - d))      the best hold within every multiset

Both overwrite the buffer. For five dice a pass is 210 means of six or 1,260 maxima, always between
the same entries. So five and six six-sided dice have straight-line code, generated as LLVM IR with
constant addresses: no index is loaded, no loop counted, and a solve is 1.7 times faster than with
the index arrays that serve all other dice. The results are the same to the bit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from .dice import Lattice, lattice
from .jit import by_kind, jit
from .simd import ALIGNMENT, VECTORS, emit_address, emit_maximum, load, maximum, splat, store
from .turn_model import DiceModel, dice_model


class FiveDice(NamedTuple):
    """Selects the unrolled passes of five six-sided dice. ``holds`` is the number of multisets."""

    holds: int


class SixDice(NamedTuple):
    """Selects the unrolled passes of six six-sided dice. ``holds`` is the number of multisets."""

    holds: int


UNROLLED: dict[type, tuple[int, int]] = {FiveDice: (5, 6), SixDice: (6, 6)}  # dice, faces
Get = Callable[[int], Any]  # a vector of the buffer, by multiset
Put = Callable[[int, Any], Any]
Emit = Callable[[ir.IRBuilder, Get, Put, Lattice, ir.VectorType], None]


def kernel_lattice(dice: Lattice, unrolled: bool = True) -> FiveDice | SixDice | DiceModel:
    """Return the dice as an argument whose type selects the passes of a kernel.

    They are straight-line code if there is any and it is `unrolled`, else passes over index arrays.
    """
    for kind, size in UNROLLED.items():
        if unrolled and size == (dice.dice, dice.faces):
            return kind(dice.n_holds)  # type: ignore[no-any-return]
    return dice_model(dice.dice, dice.faces)


@by_kind(1)
def means(buffer, lattice):
    """Replace the values of all holds by those that follow from the values of all rolls."""


@by_kind(1)
def maxima(buffer, lattice):
    """Replace each value by the best one within its multiset."""


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


@means.of()
def _indexed_means(buffer, lattice):
    faces = lattice.faces
    successors = lattice.successors
    share = splat(buffer, 1.0 / lattice.faces)
    hold = lattice.first_roll - 1
    while hold >= 0:
        first = hold * faces
        # Pairs of faces are added to the total one after another: for six faces the tree of
        # emit_means.
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


def emit_means(
    builder: ir.IRBuilder, get: Get, put: Put, dice: Lattice, native: ir.VectorType
) -> None:
    """Emit ``K(hold) = mean over faces of K(hold + face)`` for every hold. The values of the holds
    come from those with one die more.
    """
    share = ir.Constant(native, [1.0 / dice.faces] * native.count)
    for family in families(dice, range(dice.first_roll - 1, -1, -1)):
        for hold in family:
            # A balanced tree, the same in every evaluation of the project, so that all agree to the
            # bit.
            terms = [get(int(i)) for i in dice.successors[hold]]  # by face
            while len(terms) > 1:
                pairs = [builder.fadd(a, b) for a, b in zip(terms[::2], terms[1::2], strict=False)]
                left_over = terms[2 * len(pairs) :]
                terms = pairs + left_over
            put(hold, builder.fmul(terms[0], share))
        emit_fence(builder)


def emit_maxima(
    builder: ir.IRBuilder, get: Get, put: Put, dice: Lattice, native: ir.VectorType
) -> None:
    """Emit ``M(dice) = max(K(dice), M(dice - one die))``, the best hold within every multiset."""
    for family in families(dice, range(1, dice.n_holds)):
        for hold in family:
            best = get(hold)
            for i in dice.predecessors[
                dice.predecessor_start[hold] : dice.predecessor_start[hold + 1]
            ]:
                best = emit_maximum(builder, best, get(int(i)))
            put(hold, best)
        emit_fence(builder)


def families(dice: Lattice, holds: range) -> Iterator[list[int]]:
    """Return the holds in the given order, cut where more than the two highest dice change. The
    holds of a family share many neighbours.
    """

    def rest(hold: int) -> tuple[int, list[int]]:
        sorted_dice = np.repeat(np.arange(dice.faces), dice.counts[hold]).tolist()
        return len(sorted_dice), sorted_dice[:-2]

    return (list(family) for _, family in groupby(holds, key=rest))


def emit_fence(builder: ir.IRBuilder) -> None:
    """Forbid LLVM to keep loaded values beyond this point."""
    # Without it loads are hoisted far ahead and registers spilled: a sixth slower, and half as long
    # again to compile.
    builder.asm(ir.FunctionType(ir.VoidType(), []), "", "~{memory}", [], side_effect=True)


def _function(
    module: ir.Module, name: str, emit: Emit, dice: Lattice, native: ir.VectorType
) -> ir.Function:
    """Return the function of a module that runs a pass over the buffer at an address. It is emitted
    when it is first needed.
    """
    symbol = f"{name}_{dice.dice}d{dice.faces}_{native.count}"
    if symbol in module.globals:
        return module.globals[symbol]
    function = ir.Function(module, ir.FunctionType(ir.VoidType(), [native.as_pointer()]), symbol)
    function.linkage = "internal"
    function.attributes.add("noinline")  # compiled once however many calls a kernel makes
    builder = ir.IRBuilder(function.append_basic_block())

    def address(i: int) -> Any:
        return builder.gep(function.args[0], [ir.Constant(ir.IntType(64), i)], inbounds=True)

    def get(i: int) -> Any:
        return builder.load(address(i), align=ALIGNMENT)

    def put(i: int, value: Any) -> Any:
        return builder.store(value, address(i), align=ALIGNMENT)

    emit(builder, get, put, dice, native)
    builder.ret_void()
    return function


def unrolled_pass(name: str, emit: Emit, kind: type) -> Any:
    """Return a pass over a buffer, aligned to ALIGNMENT bytes, for one kind of lattice."""
    dice = lattice(*UNROLLED[kind])

    @intrinsic
    def run(typingctx: Any, buffer: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            native = VECTORS[signature.args[0].dtype].native
            function = _function(builder.module, name, emit, dice, native)
            zero = ir.Constant(ir.IntType(64), 0)
            address = emit_address(
                context, builder, signature.args[0], args[0], zero, dice.n_holds * native.count
            )
            builder.call(function, [builder.bitcast(address, native.as_pointer())])
            return context.get_dummy_value()

        return types.void(buffer), codegen

    return lambda buffer, lattice: run(buffer)


for _kind in UNROLLED:
    means.of(_kind)(unrolled_pass("means", emit_means, _kind))
    maxima.of(_kind)(unrolled_pass("maxima", emit_maxima, _kind))
