"""Which categories may take a roll, and how they score it: one function for every kernel.

A turn may fill the open categories whose order allows it. A joker restricts them further, and changes what they pay;
a category that requires another box pays only if that box holds points; and under some rules a box may be crossed out
only by a roll that scores in none. The categories are bitmasks, the way to score is a sum of IN_FULL and its like
(:mod:`perfect_yatzy.model.turn_model`), by which :class:`perfect_yatzy.model.turn_model.TurnOutcomes` numbers what
each category pays for each roll. The reference is :func:`perfect_yatzy.game.scoring.scoring_options`.
"""

from __future__ import annotations

from ..model.turn_model import IN_FULL, ON_FIRST_ROLL, UNMET, WITH_BONUS
from .jit import jit
from .masks import mask_at


@jit
def next_categories(model, filled):
    """Bitmask of the categories that may be filled next, from the bitmask of those filled."""
    found = ~filled & ((1 << model.category_count) - 1)
    for c in range(model.category_count):
        if model.legal.prerequisites[c] & ~filled:
            found &= ~(1 << c)
    return found


@jit
def may_follow(model, filled, category):
    """Whether one category may be filled next."""
    return not filled >> category & 1 and not (model.legal.prerequisites[category] & ~filled)


@jit
def choices_of(model, row):
    """Bitmask of the categories a turn from the card of a row may fill."""
    return next_categories(model, model.layout.masks[row])


@jit
def plain_way(model, row, is_first):
    """The way in which all rolls but jokers are scored on the card of a row, if crossing out is not strict."""
    way = ON_FIRST_ROLL if is_first else 0
    return way + UNMET if model.legal.requiring and row < model.card_count else way


@jit
def scoring_of_roll(model, row, choices, roll, is_first):
    """The same as :func:`scoring_on_card`, for the card of a row."""
    return scoring_on_card(model, model.layout.masks[row], row >= model.card_count, choices, roll, is_first)


@jit
def scoring_on_card(model, filled, tracked_pays, choices, roll, is_first):
    """Bitmask of the categories of `choices` that may take a roll, and the way they score it."""
    jokers, legal, joker = model.jokers, model.legal, model.jokers.number[roll]
    allowed, way = choices, ON_FIRST_ROLL if is_first else 0
    if mask_at(legal.requiring, 0) and not tracked_pays:
        way += UNMET
    if joker >= 0 and filled & mask_at(jokers.bit, 0):
        box = mask_at(jokers.box, joker)
        box_open = bool(box & ~filled)
        if (tracked_pays or not jokers.bonus_requires_points) and (box_open or not jokers.bonus_requires_open):
            way += WITH_BONUS
        if tracked_pays or not jokers.requires_points:
            way += IN_FULL if jokers.always_in_full or not box_open else 0
            if jokers.must_match:
                allowed = box & choices if box_open else choices & ~mask_at(model.upper_bits, 0)
                allowed = allowed if allowed else choices
    if legal.strict:
        scoring = allowed & mask_at(legal.scoring, way * model.dice.roll_count + roll)
        allowed = scoring if scoring else allowed
    return allowed, way


@jit
def outcome_number(model, way, category, roll):
    """Outcome of a category for a roll in one way to score it."""
    return model.number[(way * model.category_count + category) * model.dice.roll_count + roll]


@jit
def nth_bit(mask, number):
    """Position of the set bit that follows `number` others."""
    for _ in range(number):
        mask &= mask - 1
    return count_bits((mask & -mask) - 1)


@jit
def count_bits(mask):
    """Number of bits that are set."""
    count = 0
    while mask:
        mask &= mask - 1
        count += 1
    return count
