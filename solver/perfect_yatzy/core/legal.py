"""Which categories may take a roll, and how they score it: one function for every kernel.

A turn may fill the open categories whose order allows it. A joker restricts them further, and
changes what they pay; a category that requires another box pays only if that box holds points; and
under some rules a box may be crossed out only by a roll that scores in none. The categories are
bitmasks, the way to score is a sum of IN_FULL and its like (:mod:`perfect_yatzy.core.turn_model`),
by which :class:`perfect_yatzy.core.turn_model.TurnOutcomes` numbers what each category pays for
each roll. The reference is :func:`perfect_yatzy.core.scoring.scoring_options`.

A kernel is compiled for bitmasks of int64 or of 128 bits, by the dtype of the arrays
(:mod:`perfect_yatzy.core.state_space`). Those of 128 bits, for a sheet of more boxes than a word
has bits, have the operators that are needed here: ``& ~ -`` and truth, and ``>>`` with an int64 as
result.
"""

from __future__ import annotations

import operator
from typing import Any

from llvmlite import ir
from numba import types
from numba.core.typing.templates import AbstractTemplate, infer_global
from numba.extending import intrinsic, lower_builtin, models, register_model

from .jit import jit
from .simd import WORD, ViewType, emit_address
from .turn_model import IN_FULL, ON_FIRST_ROLL, UNMET, WITH_BONUS


class WideType(types.Type):
    """numba's name for a mask of 128 bits."""

    def __init__(self) -> None:
        super().__init__("WideMask")


WIDE = WideType()
NATIVE = ir.IntType(128)


@register_model(WideType)
class _WideModel(models.PrimitiveModel):
    def __init__(self, manager: Any, frontend_type: Any) -> None:
        super().__init__(manager, frontend_type, NATIVE)


@intrinsic
def mask_at(typingctx: Any, masks: Any, number: Any) -> Any:
    """Return the mask with this number of a view of masks."""
    # a model of narrow masks has an integer in place of a single one
    if not isinstance(masks, ViewType):
        return masks(masks, types.intp), lambda context, builder, signature, args: args[0]
    is_wide = masks.dtype == types.uint64
    result, native, words = (WIDE, NATIVE, 2) if is_wide else (types.int64, WORD, 1)

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
        return emit(
            builder, *(arg if arg.type == NATIVE else builder.sext(arg, NATIVE) for arg in args)
        )

    infer_global(function)(type("_Template", (_OfMasks,), {"result": result}))
    for kinds in ((WideType,), (WideType, WideType), (WideType, types.Integer)):
        lower_builtin(function, *kinds)(lower)


_define(operator.and_, lambda builder, a, b: builder.and_(a, b))
_define(operator.iand, lambda builder, a, b: builder.and_(a, b))
_define(operator.sub, lambda builder, a, b: builder.sub(a, b))
_define(operator.invert, lambda builder, a: builder.not_(a))
_define(operator.neg, lambda builder, a: builder.neg(a))
_define(operator.rshift, lambda builder, a, b: builder.trunc(builder.lshr(a, b), WORD), types.int64)
_define(
    bool, lambda builder, a: builder.icmp_unsigned("!=", a, ir.Constant(NATIVE, 0)), types.boolean
)


@jit
def next_categories(model, filled):
    """Return the bitmask of the categories that may be filled next, from that of those filled."""
    categories = ~filled & ((1 << model.category_count) - 1)
    for c in range(model.category_count):
        if model.legal.prerequisites[c] & ~filled:
            categories &= ~(1 << c)
    return categories


@jit
def may_follow(model, filled, category):
    """Return whether one category may be filled next."""
    return not filled >> category & 1 and not (model.legal.prerequisites[category] & ~filled)


@jit
def choices_of(model, row):
    """Return the bitmask of the categories a turn from the card of a row may fill."""
    return next_categories(model, model.layout.masks[row])


@jit
def plain_way(model, row, is_first):
    """Return the way in which rolls other than jokers are scored if crossing out is not strict."""
    way = ON_FIRST_ROLL if is_first else 0
    return way + UNMET if model.legal.requiring and row < model.card_count else way


@jit
def scoring_of_roll(model, row, choices, roll, is_first):
    """Compute :func:`scoring_on_card` for the card of a row."""
    return scoring_on_card(
        model, model.layout.masks[row], row >= model.card_count, choices, roll, is_first
    )


@jit
def scoring_on_card(model, filled, tracked_pays, choices, roll, is_first):
    """Return the bitmask of the `choices` that may take a roll, and the way they score it."""
    jokers = model.jokers
    legal = model.legal
    allowed = choices
    joker = jokers.number[roll]
    way = ON_FIRST_ROLL if is_first else 0
    if mask_at(legal.requiring, 0) and not tracked_pays:
        way += UNMET
    if joker >= 0 and filled & mask_at(jokers.bit, 0):
        box = mask_at(jokers.box, joker)  # the matching upper box
        box_open = bool(box & ~filled)
        if (tracked_pays or not jokers.bonus_requires_points) and (
            box_open or not jokers.bonus_requires_open
        ):
            way += WITH_BONUS
        if tracked_pays or not jokers.requires_points:
            way += IN_FULL if jokers.always_in_full or not box_open else 0
            if jokers.must_match:
                matching = box & choices if box_open else choices & ~mask_at(model.upper_bits, 0)
                allowed = matching if matching else choices
    if legal.strict:
        scoring = allowed & mask_at(legal.scoring, way * model.dice.roll_count + roll)
        allowed = scoring if scoring else allowed
    return allowed, way


@jit
def outcome_number(model, way, category, roll):
    """Return the outcome of a category for a roll in one way to score it."""
    return model.number[(way * model.category_count + category) * model.dice.roll_count + roll]


@jit
def nth_bit(mask, number):
    """Return the position of the set bit that follows `number` others."""
    for _ in range(number):
        mask &= mask - 1
    return count_bits((mask & -mask) - 1)  # the zeros below the lowest set bit that is left


@jit
def count_bits(mask):
    """Return the number of bits that are set."""
    count = 0
    while mask:
        mask &= mask - 1
        count += 1
    return count
