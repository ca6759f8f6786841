"""A SIMD vector as a numba type: eight float64 side by side, loaded, added, compared and stored as one value.

Beside it the view: an array's bare address as a value, from which vectors are loaded. numba turns plain loops over
lanes into guarded, wrap-around-checked code. With these as values of their own a kernel reads like the formula and
compiles to one instruction per operation; a machine with narrower registers gets the same operations split by
LLVM, with the same results.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic, models, register_model

from .states import LANES

DOUBLES = ir.VectorType(ir.DoubleType(), LANES)
ALIGNMENT = 8 * LANES


class VectorType(types.Type):
    """numba's name for LANES float64 in a register."""

    def __init__(self) -> None:
        super().__init__("Lanes")


vector = VectorType()


@register_model(VectorType)
class _VectorModel(models.PrimitiveModel):
    def __init__(self, manager: Any, frontend_type: Any) -> None:
        super().__init__(manager, frontend_type, DOUBLES)


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
    members = [ViewType(t.dtype) if isinstance(t, types.Array) else t for t in arrays]

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        parts = []
        for i, member in enumerate(signature.args[0]):
            part = builder.extract_value(args[0], i)
            is_array = isinstance(member, types.Array)
            parts.append(context.make_array(member)(context, builder, part).data if is_array else part)
        return context.make_tuple(builder, signature.return_type, parts)

    return types.NamedTuple(members, arrays.instance_class)(arrays), codegen


def _vector_at(builder: Any, view: Any, index: Any) -> Any:
    return builder.bitcast(builder.gep(view, [index], inbounds=True), DOUBLES.as_pointer())


def emit_maximum(builder: Any, a: Any, b: Any) -> Any:
    """``a if a > b else b`` lane by lane: one instruction on x86, and no rule about NaN to obey."""
    return builder.select(builder.fcmp_ordered(">", a, b), a, b)


@intrinsic
def load(typingctx: Any, view: Any, index: Any) -> Any:
    """Lanes ``view[index : index + LANES]`` of float64."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.load(_vector_at(builder, *args), align=8)

    return vector(view, types.intp), codegen


@intrinsic
def store(typingctx: Any, view: Any, index: Any, value: Any) -> Any:
    """Write lanes to ``view[index : index + LANES]``."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        builder.store(args[2], _vector_at(builder, *args[:2]), align=8)
        return context.get_dummy_value()

    return types.void(view, types.intp, value), codegen


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
def splat(typingctx: Any, value: Any) -> Any:
    """The same number in every lane."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        empty = ir.Constant(DOUBLES, ir.Undefined)
        one = builder.insert_element(empty, args[0], ir.Constant(ir.IntType(32), 0))
        return builder.shuffle_vector(one, one, ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES))

    return vector(types.float64), codegen


@intrinsic
def add(typingctx: Any, a: Any, b: Any) -> Any:
    """Lane by lane sum."""
    return vector(a, b), lambda context, builder, signature, args: builder.fadd(*args)


@intrinsic
def multiply(typingctx: Any, a: Any, b: Any) -> Any:
    """Lane by lane product."""
    return vector(a, b), lambda context, builder, signature, args: builder.fmul(*args)


@intrinsic
def maximum(typingctx: Any, a: Any, b: Any) -> Any:
    """Lane by lane maximum."""
    return vector(a, b), lambda context, builder, signature, args: emit_maximum(builder, *args)
