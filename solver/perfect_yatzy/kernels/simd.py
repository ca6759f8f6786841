"""SIMD vectors and array views as numba types.

A *vector* is eight float64 (or sixteen float32) in one register, a single value to numba. A *view* is the address of
a contiguous array without its reference count. numba turns loops over lanes into guarded, wrap-around-checked code;
with these types a kernel reads like the formula and compiles to one instruction per operation. On a machine with
narrower registers LLVM splits each operation; the results are the same.

=====================  ==========================================================================
``views, view``        arrays to views
``peek, poke``         read and write one entry
``load, store``        read and write the i-th vector
``load_at, store_at``  read and write the vector that starts at an entry
``shifted``            a view with another origin, for a part of a larger array
``splat``              a number in every lane
``add, multiply``      lane by lane, as ``divide``, ``maximum``, ``minimum`` and ``choose``
``uniform``            whether all lanes hold the same number
``equal_lanes``        the lanes in which two vectors hold the same number, as a bitmask; ``at_least`` likewise
``where``              one vector or another, by a bitmask
``reaches``            whether any lane is at least as large as that of another vector
=====================  ==========================================================================

Under ``NUMBA_BOUNDSCHECK=1`` (read at import, part of the key of the kernel cache) a view also carries its bounds,
and every access outside of them raises IndexError. A vector may read and write any entry of its array, padding
included. Without the flag a view is a bare address and nothing is checked.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba import config, types
from numba.core import cgutils
from numba.core.errors import TypingError
from numba.extending import intrinsic, models, register_model

from ..model.state_space import LANES

BOUNDS_CHECKED = bool(config.BOUNDSCHECK)

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
    """numba's name for a view of a contiguous array of `dtype`."""

    def __init__(self, dtype: Any) -> None:
        self.dtype = dtype
        super().__init__(f"View({dtype}, checked={BOUNDS_CHECKED})")


class _AddressModel(models.PrimitiveModel):
    """A view as a bare address."""

    def __init__(self, manager: Any, frontend_type: Any) -> None:
        super().__init__(manager, frontend_type, manager.lookup(frontend_type.dtype).get_data_type().as_pointer())


class _CheckedModel(models.StructModel):
    """A view as an address with the first index and the index after the last."""

    def __init__(self, manager: Any, frontend_type: Any) -> None:
        members = [("data", types.CPointer(frontend_type.dtype)), ("first", types.intp), ("end", types.intp)]
        super().__init__(manager, frontend_type, members)


register_model(ViewType)(_CheckedModel if BOUNDS_CHECKED else _AddressModel)


def _emit_view(context: Any, builder: Any, array_type: Any, array: Any) -> Any:
    """The view of an array value."""
    parts = context.make_array(array_type)(context, builder, array)
    if not BOUNDS_CHECKED:
        return parts.data
    view = cgutils.create_struct_proxy(ViewType(array_type.dtype))(context, builder)
    view.data, view.first, view.end = parts.data, ir.Constant(ir.IntType(64), 0), parts.nitems
    return view._getvalue()


def emit_address(context: Any, builder: Any, view_type: Any, view: Any, index: Any, count: int = 1) -> Any:
    """Address of ``view[index]``, of which `count` entries will be used; checked if views have bounds."""
    if not BOUNDS_CHECKED:
        return builder.gep(view, [index], inbounds=True)
    parts = cgutils.create_struct_proxy(view_type)(context, builder, value=view)
    last = builder.add(index, ir.Constant(ir.IntType(64), count - 1))
    outside = builder.or_(builder.icmp_signed("<", index, parts.first), builder.icmp_signed(">=", last, parts.end))
    with cgutils.if_unlikely(builder, outside):
        context.call_conv.return_user_exc(builder, IndexError, ("view index out of range",))
    return builder.gep(parts.data, [index])


def _view_type(value: Any) -> Any:
    """Type of a value with all its arrays replaced by views."""
    if isinstance(value, types.Array):
        if value.layout != "C":
            raise TypingError("a view needs a contiguous array")
        return ViewType(value.dtype)
    if isinstance(value, types.BaseNamedTuple):
        return types.NamedTuple([_view_type(member) for member in value], value.instance_class)
    return value


def _emit_views(context: Any, builder: Any, value_type: Any, value: Any) -> Any:
    if isinstance(value_type, types.Array):
        return _emit_view(context, builder, value_type, value)
    if isinstance(value_type, types.BaseNamedTuple):
        members = [
            _emit_views(context, builder, member, builder.extract_value(value, i))
            for i, member in enumerate(value_type)
        ]
        return context.make_tuple(builder, _view_type(value_type), members)
    return value


@intrinsic
def views(typingctx: Any, arrays: Any) -> Any:
    """A named tuple with each array replaced by its view, also in the named tuples within.

    Valid as long as the caller holds the arrays. Entry points take arrays and helpers take views: a helper that
    touches an array counts a reference up and down, atomically and in each thread, which made the solver eight
    times slower.
    """
    if not isinstance(arrays, types.BaseNamedTuple):
        raise TypingError("views takes a named tuple; use view for a single array")

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _emit_views(context, builder, signature.args[0], args[0])

    return _view_type(arrays)(arrays), codegen


@intrinsic
def view(typingctx: Any, array: Any) -> Any:
    """The view of one array, valid as long as the caller holds the array."""
    if not isinstance(array, types.Array):
        raise TypingError("view takes an array; use views for a named tuple")

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _emit_view(context, builder, signature.args[0], args[0])

    return _view_type(array)(array), codegen


def emit_maximum(builder: Any, a: Any, b: Any) -> Any:
    """``a if a > b else b`` lane by lane: one instruction on x86, because NaN needs no special rule."""
    return builder.select(builder.fcmp_ordered(">", a, b), a, b)


def _emit_load(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    native = signature.return_type.native
    address = emit_address(context, builder, signature.args[0], args[0], args[1], native.count)
    return builder.load(builder.bitcast(address, native.as_pointer()), align=4)


def _emit_store(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    native = args[2].type
    address = emit_address(context, builder, signature.args[0], args[0], args[1], native.count)
    builder.store(args[2], builder.bitcast(address, native.as_pointer()), align=4)
    return context.get_dummy_value()


def _scaled(emit: Any) -> Any:
    """The same with an index that counts vectors."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        lanes = ir.Constant(ir.IntType(64), VECTORS[signature.args[0].dtype].native.count)
        return emit(context, builder, signature, [args[0], builder.mul(args[1], lanes, flags=["nsw"]), *args[2:]])

    return codegen


@intrinsic
def load(typingctx: Any, view: Any, index: Any) -> Any:
    """Read the `index`-th vector of a view."""
    return VECTORS[view.dtype](view, types.intp), _scaled(_emit_load)


@intrinsic
def load_at(typingctx: Any, view: Any, start: Any) -> Any:
    """Read the vector that starts at ``view[start]``."""
    return VECTORS[view.dtype](view, types.intp), _emit_load


@intrinsic
def load_as(typingctx: Any, view: Any, start: Any, like: Any) -> Any:
    """Read the vector that starts at ``view[start]``, converted to the arithmetic of the view `like`."""
    result = VECTORS[like.dtype]
    if view.dtype == types.float64 and like.dtype == types.float32:
        raise TypingError("a vector of float64 does not fit the arithmetic of float32")

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        stored = ir.VectorType(context.get_value_type(view.dtype), result.native.count)
        address = emit_address(context, builder, signature.args[0], args[0], args[1], stored.count)
        values = builder.load(builder.bitcast(address, stored.as_pointer()), align=4)
        return values if view.dtype == like.dtype else builder.fpext(values, result.native)

    return result(view, types.intp, like), codegen


@intrinsic
def load_through(
    typingctx: Any, view: Any, first: Any, indices: Any, shift: Any, keys: Any, start: Any, like: Any
) -> Any:
    """A vector with ``view[first + indices[shift + keys[start + i]]]`` in lane i, as :func:`load_as` converts it.

    Each lane is loaded by itself and inserted into the register. By way of memory, eight small stores and one large
    load, it takes three times as long, and a gather instruction is no faster on common processors.
    """
    result = VECTORS[like.dtype]
    if view.dtype == types.float64 and like.dtype == types.float32:
        raise TypingError("a vector of float64 does not fit the arithmetic of float32")

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        values, first, indices, shift, keys, start, _ = args
        stored = ir.VectorType(context.get_value_type(view.dtype), result.native.count)
        found = ir.Constant(stored, ir.Undefined)

        def entry(position: int, array: Any, index: Any) -> Any:
            return builder.load(emit_address(context, builder, signature.args[position], array, index))

        for lane in range(stored.count):
            key = entry(4, keys, builder.add(start, ir.Constant(ir.IntType(64), lane)))
            index = entry(2, indices, builder.add(shift, key))
            value = entry(0, values, builder.add(first, index))
            found = builder.insert_element(found, value, ir.Constant(ir.IntType(32), lane))
        return found if view.dtype == like.dtype else builder.fpext(found, result.native)

    return result(view, types.intp, indices, types.intp, keys, types.intp, like), codegen


@intrinsic
def store(typingctx: Any, view: Any, index: Any, value: Any) -> Any:
    """Write the `index`-th vector of a view."""
    return types.void(view, types.intp, value), _scaled(_emit_store)


@intrinsic
def store_at(typingctx: Any, view: Any, start: Any, value: Any) -> Any:
    """Write the vector that starts at ``view[start]``."""
    return types.void(view, types.intp, value), _emit_store


@intrinsic
def width(typingctx: Any, view: Any) -> Any:
    """Number of lanes of a vector of this view's type, a constant of the compiled code."""
    lanes = VECTORS[view.dtype].native.count
    return types.intp(view), lambda context, builder, signature, args: ir.Constant(ir.IntType(64), lanes)


@intrinsic
def peek(typingctx: Any, view: Any, index: Any) -> Any:
    """``view[index]``."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.load(emit_address(context, builder, signature.args[0], args[0], args[1]))

    return view.dtype(view, types.intp), codegen


@intrinsic
def poke(typingctx: Any, view: Any, index: Any, value: Any) -> Any:
    """``view[index] = value``."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        builder.store(args[2], emit_address(context, builder, signature.args[0], args[0], args[1]))
        return context.get_dummy_value()

    return types.void(view, types.intp, view.dtype), codegen


@intrinsic
def shifted(typingctx: Any, view: Any, by: Any) -> Any:
    """The view whose index `by` is this one's index 0: a slice of a larger array, with the indices of the whole."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        if not BOUNDS_CHECKED:
            return builder.gep(args[0], [builder.neg(args[1])])
        parts = cgutils.create_struct_proxy(signature.args[0])(context, builder, value=args[0])
        parts.data = builder.gep(parts.data, [builder.neg(args[1])])
        parts.first, parts.end = builder.add(parts.first, args[1]), builder.add(parts.end, args[1])
        return parts._getvalue()

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
def divide(typingctx: Any, a: Any, b: Any) -> Any:
    """Lane by lane quotient."""
    return a(a, b), lambda context, builder, signature, args: builder.fdiv(*args)


@intrinsic
def maximum(typingctx: Any, a: Any, b: Any) -> Any:
    """Lane by lane maximum."""
    return a(a, b), lambda context, builder, signature, args: emit_maximum(builder, *args)


@intrinsic
def minimum(typingctx: Any, a: Any, b: Any) -> Any:
    """Lane by lane minimum."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.select(builder.fcmp_ordered("<", args[0], args[1]), args[0], args[1])

    return a(a, b), codegen


@intrinsic
def choose(typingctx: Any, a: Any, b: Any, where: Any, elsewhere: Any) -> Any:
    """Lane by lane: `where` if ``a >= b``, else `elsewhere`."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.select(builder.fcmp_ordered(">=", args[0], args[1]), args[2], args[3])

    return where(a, b, where, elsewhere), codegen


@intrinsic
def uniform(typingctx: Any, vector: Any) -> Any:
    """Whether all lanes hold the same number."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        count = signature.args[0].native.count
        everywhere = ir.Constant(ir.VectorType(ir.IntType(32), count), [0] * count)
        first = builder.shuffle_vector(args[0], args[0], everywhere)
        equal = builder.bitcast(builder.fcmp_ordered("==", args[0], first), ir.IntType(count))
        return builder.icmp_unsigned("==", equal, ir.Constant(ir.IntType(count), (1 << count) - 1))

    return types.boolean(vector), codegen


@intrinsic
def at_least(typingctx: Any, a: Any, b: Any) -> Any:
    """Bitmask of the lanes in which ``a >= b``."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        lanes = builder.bitcast(builder.fcmp_ordered(">=", *args), ir.IntType(signature.args[0].native.count))
        return builder.zext(lanes, ir.IntType(64))

    return types.int64(a, b), codegen


@intrinsic
def equal_lanes(typingctx: Any, a: Any, b: Any) -> Any:
    """Bitmask of the lanes that hold the same number in both vectors."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        lanes = builder.bitcast(builder.fcmp_ordered("==", *args), ir.IntType(signature.args[0].native.count))
        return builder.zext(lanes, ir.IntType(64))

    return types.int64(a, b), codegen


@intrinsic
def where(typingctx: Any, lanes: Any, a: Any, b: Any) -> Any:
    """`a` in the lanes of a bitmask, `b` in all others."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        count = signature.args[1].native.count
        mask = builder.trunc(args[0], ir.IntType(count))
        return builder.select(builder.bitcast(mask, ir.VectorType(ir.IntType(1), count)), args[1], args[2])

    return a(types.int64, a, b), codegen


@intrinsic
def reaches(typingctx: Any, a: Any, b: Any) -> Any:
    """Whether ``a >= b`` in any lane."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        mask = ir.IntType(signature.args[0].native.count)
        lanes = builder.bitcast(builder.fcmp_ordered(">=", args[0], args[1]), mask)
        return builder.icmp_unsigned("!=", lanes, ir.Constant(mask, 0))

    return types.boolean(a, b), codegen


def aligned(vectors: int, dtype: npt.DTypeLike = np.float64) -> npt.NDArray[Any]:
    """A zeroed array of `vectors` vectors, aligned to ALIGNMENT bytes."""
    lanes = ALIGNMENT // np.dtype(dtype).itemsize
    raw = np.zeros((vectors + 1) * lanes, dtype=dtype)
    start = -raw.ctypes.data % ALIGNMENT // raw.itemsize
    return raw[start : start + vectors * lanes]
