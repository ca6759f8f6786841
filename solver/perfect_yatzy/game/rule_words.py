"""Small numbers, and words of `yatzy rules show` about orders, in the current language."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce

from ..errors import N_, _

ORDERS = {
    "free": N_("in any order"),
    "forced": N_("in the listed order"),
    "reversed": N_("from the last to the first"),
    "upper-first": N_("the upper ones (*) before the others"),
}

NUMBER_WORDS = (
    "0",
    "1",
    N_("two"),
    N_("three"),
    N_("four"),
    N_("five"),
    N_("six"),
    N_("seven"),
    N_("eight"),
    N_("nine"),
    N_("ten"),
    N_("eleven"),
    N_("twelve"),
)


def number_word(number: int) -> str:
    """A number from two to twelve as a word, others as digits.

    The words for none and one depend on what is counted ("ett kast", "en tärning"): they are
    part of the message, which is one of :func:`~perfect_yatzy.errors.ngettext`.
    """
    if 2 <= number < len(NUMBER_WORDS):
        return _(NUMBER_WORDS[number])  # marked elsewhere
    return str(number)


def order_text(order: str) -> str:
    """An order of the boxes: ``from the last to the first``."""
    return _(ORDERS[order])  # marked elsewhere


def either(texts: Iterable[str]) -> str:
    """Alternatives: ``a or b or c``."""
    return reduce(lambda first, last: _("{first} or {last}").format(first=first, last=last), texts)
