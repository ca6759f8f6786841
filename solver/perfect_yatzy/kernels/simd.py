"""A SIMD vector as a numba type: eight float64 (or sixteen float32) side by side, one value to numba.

Beside it the view: an array's bare address as a value, from which vectors are loaded. numba turns plain loops over
lanes into guarded, wrap-around-checked code. With these as values of their own a kernel reads like the formula and
compiles to one instruction per operation; a machine with narrower registers gets the same operations split by
LLVM, with the same results.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba import types
from numba.core.errors import TypingError
from numba.extending import intrinsic, models, register_model

from ..model.state_space import LANES

ALIGNMENT = 8 * LANES  # bytes of a vector of any kind
DOUBLES = ir.VectorType(ir.DoubleType(), LANES)
SINGLES = ir.VectorType(ir.FloatType(), 2 * LANES)


class VectorType(types.Type):
    """numba's name for a register full of floating-point numbers."""

    def __init__(self, dtype: Any, native: ir.VectorType) -> None:
        self.dtype, self.native = dtype, native
        super().__init__(f"Lanes({dtype})")


VECTORS = {types.float64: VectorType(types.float64, DOUBLES), types.float32: VectorType(types.float32, SINGLES)}


@register_model(VectorType)
class _VectorModel(models.PrimitiveModel):
    def __init__(self, manager: Any, frontend_type: Any) -> None:
        super().__init__(manager, frontend_type, frontend_type.native)


class ViewType(types.Type):
    """numba's name for the bare address of a contiguous array: no reference count, no bounds, no wrap-around."""

    def __init__(self, dtype: Any) -> None:
        self.dtype = dtype
        super().__init__(f"View({dtype})")


@register_model(ViewType)
class _ViewModel(models.PrimitiveModel):
    def __init__(self, manager: Any, frontend_type: Any) -> None:
        super().__init__(manager, frontend_type, manager.lookup(frontend_type.dtype).get_data_type().as_pointer())


@intrinsic
def views(typingctx: Any, arrays: Any) -> Any:
    """A named tuple with each array replaced by its view, valid as long as the caller holds the arrays.

    Every helper that touches an array of a tuple would count a reference up and down, atomically and in each
    thread: it made the solver eight times slower. So entry points take arrays and helpers take views.
    """
    if any(isinstance(t, types.Array) and t.layout != "C" for t in arrays):
        raise TypingError("a view needs contiguous arrays")
    members = [ViewType(t.dtype) if isinstance(t, types.Array) else t for t in arrays]

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        parts = []
        for i, member in enumerate(signature.args[0]):
            part = builder.extract_value(args[0], i)
            is_array = isinstance(member, types.Array)
            parts.append(context.make_array(member)(context, builder, part).data if is_array else part)
        return context.make_tuple(builder, signature.return_type, parts)

    return types.NamedTuple(members, arrays.instance_class)(arrays), codegen


def emit_maximum(builder: Any, a: Any, b: Any) -> Any:
    """``a if a > b else b`` lane by lane: one instruction on x86, and no rule about NaN to obey."""
    return builder.select(builder.fcmp_ordered(">", a, b), a, b)


def _emit_load(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    native = signature.return_type.native
    return builder.load(builder.bitcast(builder.gep(args[0], [args[1]], inbounds=True), native.as_pointer()), align=4)


def _emit_store(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    place = builder.gep(args[0], [args[1]], inbounds=True)
    builder.store(args[2], builder.bitcast(place, args[2].type.as_pointer()), align=4)
    return context.get_dummy_value()


def _scaled(emit: Any) -> Any:
    """The same with an index that counts vectors."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        lanes = ir.Constant(ir.IntType(64), VECTORS[signature.args[0].dtype].native.count)
        return emit(context, builder, signature, [args[0], builder.mul(args[1], lanes, flags=["nsw"]), *args[2:]])

    return codegen


@intrinsic
def load(typingctx: Any, view: Any, index: Any) -> Any:
    """The `index`-th vector of a view."""
    return VECTORS[view.dtype](view, types.intp), _scaled(_emit_load)


@intrinsic
def load_at(typingctx: Any, view: Any, start: Any) -> Any:
    """A vector of the entries from ``view[start]`` on."""
    return VECTORS[view.dtype](view, types.intp), _emit_load


@intrinsic
def load_as(typingctx: Any, view: Any, start: Any, like: Any) -> Any:
    """A vector of the entries from ``view[start]`` on, in the arithmetic of the view `like`."""
    result = VECTORS[like.dtype]
    if view.dtype == types.float64 and like.dtype == types.float32:
        raise TypingError("a vector of float64 does not fit the arithmetic of float32")

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        stored = ir.VectorType(context.get_value_type(view.dtype), result.native.count)
        place = builder.gep(args[0], [args[1]], inbounds=True)
        values = builder.load(builder.bitcast(place, stored.as_pointer()), align=4)
        return values if view.dtype == like.dtype else builder.fpext(values, result.native)

    return result(view, types.intp, like), codegen


@intrinsic
def store(typingctx: Any, view: Any, index: Any, value: Any) -> Any:
    """Write the `index`-th vector of a view."""
    return types.void(view, types.intp, value), _scaled(_emit_store)


@intrinsic
def store_at(typingctx: Any, view: Any, start: Any, value: Any) -> Any:
    """Write a vector to the entries from ``view[start]`` on."""
    return types.void(view, types.intp, value), _emit_store


@intrinsic
def width(typingctx: Any, view: Any) -> Any:
    """Lanes of a vector of this view's type, a constant of the compiled code."""
    lanes = VECTORS[view.dtype].native.count
    return types.intp(view), lambda context, builder, signature, args: ir.Constant(ir.IntType(64), lanes)


@intrinsic
def peek(typingctx: Any, view: Any, index: Any) -> Any:
    """``view[index]``."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.load(builder.gep(args[0], [args[1]], inbounds=True))

    return view.dtype(view, types.intp), codegen


@intrinsic
def poke(typingctx: Any, view: Any, index: Any, value: Any) -> Any:
    """``view[index] = value``."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        builder.store(args[2], builder.gep(args[0], [args[1]], inbounds=True))
        return context.get_dummy_value()

    return types.void(view, types.intp, view.dtype), codegen


@intrinsic
def shifted(typingctx: Any, view: Any, by: Any) -> Any:
    """The view whose index `by` is this one's index 0: a window into a larger array that is not all there."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.gep(args[0], [builder.neg(args[1])])

    return view(view, types.intp), codegen


@intrinsic
def splat(typingctx: Any, view: Any, value: Any) -> Any:
    """The same number in every lane of a vector of this view's type."""
    result = VECTORS[view.dtype]

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        native, number = result.native, args[1]
        if native is SINGLES:
            number = builder.fptrunc(number, ir.FloatType())
        one = builder.insert_element(ir.Constant(native, ir.Undefined), number, ir.Constant(ir.IntType(32), 0))
        everywhere = ir.Constant(ir.VectorType(ir.IntType(32), native.count), [0] * native.count)
        return builder.shuffle_vector(one, one, everywhere)

    return result(view, types.float64), codegen


@intrinsic
def add(typingctx: Any, a: Any, b: Any) -> Any:
    """Lane by lane sum."""
    return a(a, b), lambda context, builder, signature, args: builder.fadd(*args)


@intrinsic
def multiply(typingctx: Any, a: Any, b: Any) -> Any:
    """Lane by lane product."""
    return a(a, b), lambda context, builder, signature, args: builder.fmul(*args)


@intrinsic
def maximum(typingctx: Any, a: Any, b: Any) -> Any:
    """Lane by lane maximum."""
    return a(a, b), lambda context, builder, signature, args: emit_maximum(builder, *args)


@intrinsic
def choose(typingctx: Any, a: Any, b: Any, where: Any, elsewhere: Any) -> Any:
    """Lane by lane: `where` if ``a >= b``, else `elsewhere`."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.select(builder.fcmp_ordered(">=", args[0], args[1]), args[2], args[3])

    return where(a, b, where, elsewhere), codegen


def aligned(vectors: int, dtype: npt.DTypeLike = np.float64) -> npt.NDArray[Any]:
    """A zeroed array of so many vectors that starts where a vector may."""
    lanes = ALIGNMENT // np.dtype(dtype).itemsize
    raw = np.zeros((vectors + 1) * lanes, dtype=dtype)
    start = -raw.ctypes.data % ALIGNMENT // raw.itemsize
    return raw[start : start + vectors * lanes]
