"""SIMD vectors and array views as numba types.

A *vector* is eight float64 (or sixteen float32) in one register, a single value to numba. A *view*
is the address of a contiguous array without its reference count. With these types a kernel reads
like the formula and compiles to one instruction per operation. For narrower registers LLVM splits
each operation; the results are the same.

=====================  ==========================================================================
``views``              arrays to views
``view[i]``            read and write one entry
``load, store``        read and write the i-th vector; ``add_to`` adds to it
``load_at, store_at``  the same with the vector that starts at an entry, as ``add_at``
``shifted``            a view with another origin, for a part of a larger array
``splat``              a number in every lane
``+  -  *  /``         lane by lane, of two vectors or of a vector and a number
``maximum``            lane by lane, as ``minimum`` and ``choose``; ``where`` chooses by a bitmask
``equal_lanes``        the lanes in which two vectors hold the same number, as a bitmask; ``at_least`` likewise
``uniform, reaches``   whether all lanes hold the same number; whether any is at least that of another vector
=====================  ==========================================================================

Under ``NUMBA_BOUNDSCHECK=1`` (read at import, part of the key of the kernel cache) a view also
carries its bounds, and every access outside of them raises IndexError. A vector may read and write
any entry of its array, padding included. Without the flag a view is a bare address and nothing is
checked.
"""

from __future__ import annotations

import hashlib
import operator
from typing import Any

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba import config, types
from numba.core import cgutils
from numba.core.errors import TypingError
from numba.core.typing.templates import AbstractTemplate, infer_global
from numba.extending import intrinsic, lower_builtin, models, register_model

from .state_space import LANES

BOUNDS_CHECKED = bool(config.BOUNDSCHECK)
ALIGNMENT = 8 * LANES  # bytes of a vector of any kind
DOUBLES = ir.VectorType(ir.DoubleType(), LANES)
SINGLES = ir.VectorType(ir.FloatType(), 2 * LANES)
WORD, LANE_NUMBER = ir.IntType(64), ir.IntType(32)
ENTRY_ALIGNMENT = 4  # bytes: a vector may start at any entry


class VectorType(types.Type):
    """numba's name for a register full of floating-point numbers."""

    def __init__(self, dtype: Any, native: ir.VectorType) -> None:
        self.dtype = dtype
        self.native = native
        super().__init__(f"Lanes({dtype})")


VECTORS = {
    types.float64: VectorType(types.float64, DOUBLES),
    types.float32: VectorType(types.float32, SINGLES),
}


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
        super().__init__(
            manager, frontend_type, manager.lookup(frontend_type.dtype).get_data_type().as_pointer()
        )


class _CheckedModel(models.StructModel):
    """A view as an address with the first index and the index after the last."""

    def __init__(self, manager: Any, frontend_type: Any) -> None:
        members = [
            ("data", types.CPointer(frontend_type.dtype)),
            ("first", types.intp),
            ("end", types.intp),
        ]
        super().__init__(manager, frontend_type, members)


register_model(ViewType)(_CheckedModel if BOUNDS_CHECKED else _AddressModel)


def emit_address(
    context: Any, builder: Any, view_type: Any, view: Any, index: Any, count: int = 1
) -> Any:
    """Emit the address of ``view[index]``, of which `count` entries will be used. The bounds are
    checked if views have them.
    """
    if not BOUNDS_CHECKED:
        return builder.gep(view, [index], inbounds=True)
    parts = cgutils.create_struct_proxy(view_type)(context, builder, value=view)
    last = builder.add(index, ir.Constant(WORD, count - 1))
    outside = builder.or_(
        builder.icmp_signed("<", index, parts.first), builder.icmp_signed(">=", last, parts.end)
    )
    with cgutils.if_unlikely(builder, outside):
        context.call_conv.return_user_exc(builder, IndexError, ("view index out of range",))
    return builder.gep(parts.data, [index])


def view_type(value: Any) -> Any:
    """Return the type of a value with all its arrays replaced by views."""
    if isinstance(value, types.Array):
        if value.layout != "C":
            raise TypingError("a view needs a contiguous array")
        return ViewType(value.dtype)
    if isinstance(value, types.BaseNamedTuple):
        return types.NamedTuple([view_type(member) for member in value], value.instance_class)
    return value


def emit_views(context: Any, builder: Any, value_type: Any, value: Any) -> Any:
    """Emit a value with all its arrays replaced by views."""
    if isinstance(value_type, types.Array):
        parts = context.make_array(value_type)(context, builder, value)
        if not BOUNDS_CHECKED:
            return parts.data
        view = cgutils.create_struct_proxy(ViewType(value_type.dtype))(context, builder)
        view.data = parts.data
        view.first = ir.Constant(WORD, 0)
        view.end = parts.nitems
        return view._getvalue()
    if isinstance(value_type, types.BaseNamedTuple):
        members = [
            emit_views(context, builder, member, builder.extract_value(value, i))
            for i, member in enumerate(value_type)
        ]
        return context.make_tuple(builder, view_type(value_type), members)
    return value


class StoredType(types.Type):
    """numba's name for the address of a job of views in memory, for Python a whole number."""

    def __init__(self, job: Any) -> None:
        self.job = job
        super().__init__(f"Stored({hashlib.sha256(str(job).encode()).hexdigest()})")


register_model(StoredType)(models.OpaqueModel)


@intrinsic
def views(typingctx: Any, arrays: Any) -> Any:
    """Return an array as its view, or a named tuple with a view of each array within, at any depth.

    The views of a stored job are read from memory.
    """
    if isinstance(arrays, StoredType):

        def read(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            native = context.get_value_type(arrays.job)
            return builder.load(builder.bitcast(args[0], native.as_pointer()), align=8)

        return arrays.job(arrays), read
    # Valid as long as the caller holds the arrays. Entry points take arrays and helpers take views:
    # a helper that touches an array counts references, atomically and in each thread, which made
    # the solver eight times slower.
    if not isinstance(arrays, types.Array | types.BaseNamedTuple):
        raise TypingError("views takes an array or a named tuple")

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return emit_views(context, builder, signature.args[0], args[0])

    return view_type(arrays)(arrays), codegen


def emit_maximum(builder: Any, a: Any, b: Any) -> Any:
    """Emit ``a if a > b else b``, lane by lane. Without a rule for NaN it is one instruction."""
    return builder.select(builder.fcmp_ordered(">", a, b), a, b)


def _vector_address(
    context: Any,
    builder: Any,
    signature: Any,
    args: Any,
    native: ir.VectorType,
    counts_vectors: bool = False,
) -> Any:
    """Emit the address of a vector of a view. `args` has the index of its first entry, or the
    number of the vector if `counts_vectors`.
    """
    view, index, *_ = args
    if counts_vectors:
        index = builder.mul(index, ir.Constant(WORD, native.count), flags=["nsw"])
    address = emit_address(context, builder, signature.args[0], view, index, native.count)
    return builder.bitcast(address, native.as_pointer())


def _reads(counts_vectors: bool) -> Any:
    """Return an intrinsic of a view and an index whose result is a vector."""

    @intrinsic
    def function(typingctx: Any, view: Any, index: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            address = _vector_address(
                context, builder, signature, args, signature.return_type.native, counts_vectors
            )
            return builder.load(address, align=ENTRY_ALIGNMENT)

        return VECTORS[view.dtype](view, types.intp), codegen

    return function


def _writes(counts_vectors: bool, adds: bool = False) -> Any:
    """Return an intrinsic of a view, an index, and the vector to write there or to add."""

    @intrinsic
    def function(typingctx: Any, view: Any, index: Any, value: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            vector = args[2]
            address = _vector_address(
                context, builder, signature, args, vector.type, counts_vectors
            )
            if adds:
                vector = builder.fadd(builder.load(address, align=ENTRY_ALIGNMENT), vector)
            builder.store(vector, address, align=ENTRY_ALIGNMENT)
            return context.get_dummy_value()

        return types.void(view, types.intp, value), codegen

    return function


load, load_at = _reads(counts_vectors=True), _reads(counts_vectors=False)
store, store_at = _writes(counts_vectors=True), _writes(counts_vectors=False)
add_to, add_at = _writes(counts_vectors=True, adds=True), _writes(counts_vectors=False, adds=True)


def _conversion(view: Any, like: Any) -> tuple[VectorType, Any]:
    """Return the type of the converted vectors of a view, and a function that emits one. A vector
    is converted to the arithmetic of the view `like`, from its stored entries.
    """
    result = VECTORS[like.dtype]
    if view.dtype == types.float64 and like.dtype == types.float32:
        raise TypingError("a vector of float64 does not fit the arithmetic of float32")

    def converted(builder: Any, stored: Any) -> Any:
        return stored if view.dtype == like.dtype else builder.fpext(stored, result.native)

    return result, converted


@intrinsic
def load_as(typingctx: Any, view: Any, start: Any, like: Any) -> Any:
    """Read the vector that starts at ``view[start]``, in the arithmetic of the view `like`."""
    result, converted = _conversion(view, like)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        stored = ir.VectorType(context.get_value_type(view.dtype), result.native.count)
        address = _vector_address(context, builder, signature, args, stored)
        return converted(builder, builder.load(address, align=ENTRY_ALIGNMENT))

    return result(view, types.intp, like), codegen


@intrinsic
def load_spaced(typingctx: Any, view: Any, start: Any, spacing: Any, like: Any) -> Any:
    """Read ``view[start + i * spacing]`` into lane i, in the arithmetic of the view `like`."""
    result, converted = _conversion(view, like)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        values, index, spacing, _ = args
        stored = ir.VectorType(context.get_value_type(view.dtype), result.native.count)
        vector = ir.Constant(stored, ir.Undefined)
        for lane in range(stored.count):
            entry = builder.load(emit_address(context, builder, signature.args[0], values, index))
            vector = builder.insert_element(vector, entry, ir.Constant(LANE_NUMBER, lane))
            index = builder.add(index, spacing)
        return converted(builder, vector)

    return result(view, types.intp, types.intp, like), codegen


@intrinsic
def load_through(
    typingctx: Any,
    view: Any,
    first: Any,
    indices: Any,
    shift: Any,
    keys: Any,
    start: Any,
    like: Any,
) -> Any:
    """Read ``view[first + indices[shift + keys[start + i]]]`` into lane i, in the type of `like`."""
    # By way of memory it takes three times as long, and a gather instruction is no faster on common
    # processors.
    result, converted = _conversion(view, like)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        values, first, indices, shift, keys, start, _ = args
        stored = ir.VectorType(context.get_value_type(view.dtype), result.native.count)
        vector = ir.Constant(stored, ir.Undefined)

        def entry(position: int, array: Any, index: Any) -> Any:
            """Emit an entry of the view that is the argument at this position."""
            return builder.load(
                emit_address(context, builder, signature.args[position], array, index)
            )

        for lane in range(stored.count):
            key = entry(4, keys, builder.add(start, ir.Constant(WORD, lane)))
            index = entry(2, indices, builder.add(shift, key))
            value = entry(0, values, builder.add(first, index))
            vector = builder.insert_element(vector, value, ir.Constant(LANE_NUMBER, lane))
        return converted(builder, vector)

    return result(view, types.intp, indices, types.intp, keys, types.intp, like), codegen


@intrinsic
def width(typingctx: Any, view: Any) -> Any:
    """Return the number of lanes of a vector of this view, a constant of the compiled code."""
    lanes = VECTORS[view.dtype].native.count
    return types.intp(view), lambda context, builder, signature, args: ir.Constant(WORD, lanes)


@intrinsic
def shifted(typingctx: Any, view: Any, by: Any) -> Any:
    """Return the view whose index `by` is index 0 of this one. A slice of a larger array is so read
    with the indices of the whole.
    """

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        values, distance = args
        if not BOUNDS_CHECKED:
            return builder.gep(values, [builder.neg(distance)])
        parts = cgutils.create_struct_proxy(signature.args[0])(context, builder, value=values)
        parts.data = builder.gep(parts.data, [builder.neg(distance)])
        parts.first = builder.add(parts.first, distance)
        parts.end = builder.add(parts.end, distance)
        return parts._getvalue()

    return view(view, types.intp), codegen


def _emit_first_everywhere(builder: Any, vector: Any) -> Any:
    """Emit a vector with the number of the first lane in all lanes."""
    count = vector.type.count
    return builder.shuffle_vector(
        vector, vector, ir.Constant(ir.VectorType(LANE_NUMBER, count), [0] * count)
    )


def _emit_splat(builder: Any, native: ir.VectorType, number: Any) -> Any:
    if native is SINGLES:
        number = builder.fptrunc(number, ir.FloatType())
    one = builder.insert_element(
        ir.Constant(native, ir.Undefined), number, ir.Constant(LANE_NUMBER, 0)
    )
    return _emit_first_everywhere(builder, one)


@intrinsic
def splat(typingctx: Any, view: Any, value: Any) -> Any:
    """Return a vector of the type of this view with the same number in every lane."""
    result = VECTORS[view.dtype]
    return result(view, types.float64), lambda context, builder, signature, args: _emit_splat(
        builder, result.native, args[1]
    )


@infer_global(operator.getitem)
@infer_global(operator.setitem)
class _Entry(AbstractTemplate):
    """``view[i]`` and ``view[i] = value``."""

    def generic(self, args: Any, kws: Any) -> Any:
        view, index, *value = args
        if not isinstance(view, ViewType) or not isinstance(index, types.Integer):
            return None
        return types.void(view, types.intp, view.dtype) if value else view.dtype(view, types.intp)


@lower_builtin(operator.getitem, ViewType, types.Integer)
def _read_entry(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    return builder.load(emit_address(context, builder, signature.args[0], *args))


@lower_builtin(operator.setitem, ViewType, types.Integer, types.Any)
def _write_entry(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    builder.store(args[2], emit_address(context, builder, signature.args[0], *args[:2]))
    return context.get_dummy_value()


class _LaneByLane(AbstractTemplate):
    """``-a``, ``a + b`` and its like, of vectors of one kind or of a vector and a number."""

    def generic(self, args: Any, kws: Any) -> Any:
        vectors = {arg for arg in args if isinstance(arg, VectorType)}
        if len(vectors) != 1 or not all(
            isinstance(arg, (VectorType, types.Number)) for arg in args
        ):
            return None
        (vector,) = vectors
        return vector(*(vector if arg is vector else types.float64 for arg in args))


def _define(name: str, *operators: Any) -> None:
    """Define operators by an instruction of the IR builder."""

    def lower(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        native = signature.return_type.native
        given = zip(args, signature.args, strict=True)
        vectors = [
            v if isinstance(t, VectorType) else _emit_splat(builder, native, v) for v, t in given
        ]
        return getattr(builder, name)(*vectors)

    for function in operators:
        infer_global(function)(_LaneByLane)
        for kinds in (
            (VectorType,),
            (VectorType,) * 2,
            (VectorType, types.Float),
            (types.Float, VectorType),
        ):
            lower_builtin(function, *kinds)(lower)


_define("fadd", operator.add, operator.iadd)
_define("fsub", operator.sub, operator.isub)
_define("fmul", operator.mul, operator.imul)
_define("fdiv", operator.truediv, operator.itruediv)
_define("fneg", operator.neg)


def _mask(builder: Any, compare: str, a: Any, b: Any) -> Any:
    """Emit the lanes in which a comparison holds, as a bitmask of int64."""
    bits = builder.fcmp_ordered(compare, a, b)
    return builder.zext(builder.bitcast(bits, ir.IntType(a.type.count)), WORD)


def _of_two(emit: Any, result: Any = None) -> Any:
    """Return an intrinsic of two vectors, by what it emits for them. Without a `result` the
    intrinsic returns such a vector.
    """

    @intrinsic
    def function(typingctx: Any, a: Any, b: Any) -> Any:
        return (result or a)(a, b), lambda context, builder, signature, args: emit(builder, *args)

    return function


maximum = _of_two(emit_maximum)
minimum = _of_two(lambda builder, a, b: builder.select(builder.fcmp_ordered("<", a, b), a, b))
at_least = _of_two(lambda builder, a, b: _mask(builder, ">=", a, b), types.int64)
equal_lanes = _of_two(lambda builder, a, b: _mask(builder, "==", a, b), types.int64)
reaches = _of_two(
    lambda builder, a, b: builder.icmp_unsigned(
        "!=", _mask(builder, ">=", a, b), ir.Constant(WORD, 0)
    ),
    types.boolean,
)


@intrinsic
def first_lane(typingctx: Any, lanes: Any) -> Any:
    """Return the first lane of a bitmask, which must have one."""
    is_not_zero = ir.Constant(ir.IntType(1), 1)  # promised to LLVM
    return types.int64(types.int64), lambda context, builder, signature, args: builder.cttz(
        args[0], is_not_zero
    )


@intrinsic
def choose(typingctx: Any, a: Any, b: Any, chosen: Any, other: Any) -> Any:
    """Return `chosen` in the lanes where ``a >= b``, and `other` in all others."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        a, b, chosen, other = args
        return builder.select(builder.fcmp_ordered(">=", a, b), chosen, other)

    return chosen(a, b, chosen, other), codegen


@intrinsic
def uniform(typingctx: Any, vector: Any) -> Any:
    """Return whether all lanes hold the same number."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        (numbers,) = args
        equal = _mask(builder, "==", numbers, _emit_first_everywhere(builder, numbers))
        return builder.icmp_unsigned("==", equal, ir.Constant(WORD, (1 << vector.native.count) - 1))

    return types.boolean(vector), codegen


@intrinsic
def where(typingctx: Any, lanes: Any, a: Any, b: Any) -> Any:
    """Return `a` in the lanes of a bitmask, and `b` in all others."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        mask, inside, outside = args
        count = inside.type.count
        bits = builder.bitcast(
            builder.trunc(mask, ir.IntType(count)), ir.VectorType(ir.IntType(1), count)
        )
        return builder.select(bits, inside, outside)

    return a(types.int64, a, b), codegen


def aligned(vectors: int, dtype: npt.DTypeLike = np.float64) -> npt.NDArray[Any]:
    """Return a zeroed array of `vectors` vectors, aligned to ALIGNMENT bytes."""
    lanes = ALIGNMENT // np.dtype(dtype).itemsize
    raw = np.zeros((vectors + 1) * lanes, dtype=dtype)
    start = -raw.ctypes.data % ALIGNMENT // raw.itemsize  # entries up to the next aligned address
    return raw[start : start + vectors * lanes]
