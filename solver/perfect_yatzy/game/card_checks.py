"""Whether a scorecard is possible under its rules, and what is wrong with it in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from ..core.rules import RuleSet, category_label
from ..core.scoring import first_roll_points, possible_points
from ..core.state import skipped_box
from ..errors import StateError, whole_number
from ..words import _
from .scorecard import Scorecard


def check_card(card: Scorecard) -> Scorecard:
    """Return a card, with Python's integers in place of NumPy's, if it is possible under its rules.

    Its saved rolls are not checked here but by :class:`.StateSpace`. Raises StateError with the
    first problem.
    """
    for problem in _card_problems(card):
        raise StateError(problem, code="invalid-card")
    numbers = (*card.points, *card.points.values(), card.saved, card.bonus_points)
    if all(type(number) is int for number in numbers):
        return card
    points = {int(c): int(points) for c, points in card.points.items()}
    saved = whole_number(card.saved, "saved")
    return Scorecard(card.rules, points, saved, int(card.bonus_points))


def _card_problems(card: Scorecard) -> Iterator[str]:
    """Yield a sentence for each problem of a card."""
    rules = card.rules
    possible = possible_points(rules)
    most = len(rules.categories) - 1
    for c, points in card.points.items():
        if type(c) is int and 0 <= c <= most and type(points) is int and points in possible[c]:
            continue
        if not 0 <= whole_number(c, "a category") <= most:
            yield _(
                "there is no category {number}; {rules} has 0 to {most}",
                number=c,
                rules=rules.key,
                most=most,
            )
        label = category_label(rules, c)
        if whole_number(points, label) not in possible[c]:
            yield _(
                "{category} cannot hold {points}; it can hold {possible}",
                category=label,
                points=points,
                possible=summarized(possible[c]),
            )
    bonus_points = whole_number(card.bonus_points, "bonus_points")
    sums = possible_bonus_points(card) if bonus_points else (0,)
    if bonus_points not in sums:
        text = _("the bonus points cannot be {count}: this card cannot have any")
        if len(sums) > 1:
            text = _("the bonus points cannot be {count}: this card can have {possible}")
        yield text.format(count=bonus_points, possible=summarized(sums))
    skipped = skipped_box(rules, card.state.filled)  # -1: none
    if skipped >= 0:
        label = category_label(rules, skipped)
        yield _(
            "{rules} fills in order: {category} must come first", rules=rules.key, category=label
        )
    for c, required in required_boxes(rules):
        if card.points.get(c) and not card.points.get(required):
            names = {
                "category": category_label(rules, c),
                "required": category_label(rules, required),
            }
            yield _("{category} cannot hold points: {required} holds none", **names)


@lru_cache(maxsize=32)
def required_boxes(rules: RuleSet) -> tuple[tuple[int, int], ...]:
    """Return the positions of each category that requires another box, and of that box."""
    return tuple(
        (c, rules.index_of[category.requires])
        for c, category in enumerate(rules.categories)
        if category.requires
    )


def possible_bonus_points(card: Scorecard) -> tuple[int, ...]:
    """Return the sums that joker and first-roll bonuses of the filled boxes can have, ascending.

    The order of the turns and their dice are left open.
    """
    rules = card.rules
    payments = [extra for c, extra in enumerate(first_roll_points(rules)) if card.points.get(c)]
    joker = rules.joker
    held = card.points.get(rules.joker_index)
    if joker and held is not None and (held > 0 or joker.bonus_requires == "filled"):
        payments += [joker.bonus] * (len(card.points) - 1)  # in each turn but that of its box
    return _sums(tuple(sorted(points for points in payments if points)))


@lru_cache(maxsize=1 << 8)
def _sums(numbers: tuple[int, ...]) -> tuple[int, ...]:
    """Return the sums of any of some positive numbers, ascending. 0 is that of none."""
    is_sum = 1  # bit n: whether n is a sum
    for number in numbers:
        is_sum |= is_sum << number
    bits = reversed(f"{is_sum:b}")  # from bit 0 on
    return tuple(total for total, bit in enumerate(bits) if bit == "1")


def summarized(values: Sequence[int]) -> str:
    """Return ascending numbers from 0 as text.

    At most eight are listed. More of them are a range with its step or, without one step, the first
    four and the last.
    """
    if len(values) <= 8:
        return ", ".join(map(str, values))
    step = values[2] - values[1]
    if list(values[1:]) == list(range(values[1], values[-1] + 1, step)):
        text = (
            _("0 or {low} to {high} in steps of {step}") if step > 1 else _("0 or {low} to {high}")
        )
        return text.format(low=values[1], high=values[-1], step=step)
    return _("{values}, ... up to {high}", values=", ".join(map(str, values[:4])), high=values[-1])
