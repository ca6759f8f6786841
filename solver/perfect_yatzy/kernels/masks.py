"""Bitmasks of categories as the kernels read them: int64, or 128 bits for a sheet of more boxes than a word has bits.

A kernel is compiled for one of the two, by the dtype of the arrays (:mod:`perfect_yatzy.model.state_space`). Masks of
128 bits have the operators that :mod:`.legal` needs: ``& ~ -`` and truth, and ``>>`` with an int64 as result.
"""

from __future__ import annotations

import operator
from typing import Any

from llvmlite import ir
from numba import types
from numba.core.typing.templates import AbstractTemplate, infer_global
from numba.extending import intrinsic, lower_builtin, models, register_model

from .simd import WORD, ViewType, emit_address


class WideType(types.Type):
    """numba's name for a mask of 128 bits."""

    def __init__(self) -> None:
        super().__init__("WideMask")


WIDE, NATIVE = WideType(), ir.IntType(128)


@register_model(WideType)
class _WideModel(models.PrimitiveModel):
    def __init__(self, manager: Any, frontend_type: Any) -> None:
        super().__init__(manager, frontend_type, NATIVE)


@intrinsic
def mask_at(typingctx: Any, masks: Any, number: Any) -> Any:
    """The mask with this number of a view of masks; an integer is a single mask itself."""
    if not isinstance(masks, ViewType):
        return masks(masks, types.intp), lambda context, builder, signature, args: args[0]
    result, native, words = (WIDE, NATIVE, 2) if masks.dtype == types.uint64 else (types.int64, WORD, 1)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        first = builder.mul(args[1], ir.Constant(WORD, words))
        address = emit_address(context, builder, signature.args[0], args[0], first, words)
        return builder.load(builder.bitcast(address, native.as_pointer()), align=8)

    return result(masks, types.intp), codegen


class _OfMasks(AbstractTemplate):
    """``~a``, ``a & b`` and its like, of masks or of a mask and a number."""

    result: Any

    def generic(self, args: Any, kws: Any) -> Any:
        if WIDE not in args or not all(isinstance(arg, WideType | types.Integer) for arg in args):
            return None
        return self.result(*(arg if arg == WIDE else types.int64 for arg in args))


def _define(function: Any, emit: Any, result: Any = WIDE) -> None:
    """Define an operator by what it emits for operands of 128 bits."""

    def lower(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return emit(builder, *(arg if arg.type == NATIVE else builder.sext(arg, NATIVE) for arg in args))

    infer_global(function)(type("_Template", (_OfMasks,), {"result": result}))
    for kinds in ((WideType,), (WideType, WideType), (WideType, types.Integer)):
        lower_builtin(function, *kinds)(lower)


_define(operator.and_, lambda builder, a, b: builder.and_(a, b))
_define(operator.iand, lambda builder, a, b: builder.and_(a, b))
_define(operator.sub, lambda builder, a, b: builder.sub(a, b))
_define(operator.invert, lambda builder, a: builder.not_(a))
_define(operator.neg, lambda builder, a: builder.neg(a))
_define(operator.rshift, lambda builder, a, b: builder.trunc(builder.lshr(a, b), WORD), types.int64)
_define(bool, lambda builder, a: builder.icmp_unsigned("!=", a, ir.Constant(NATIVE, 0)), types.boolean)
