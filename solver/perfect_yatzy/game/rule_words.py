"""Small numbers, and words of `yatzy rules show` about orders and jokers, in the current language."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce

from .._messages import N_, _

ORDERS = {
    "free": N_("in any order"),
    "forced": N_("in the listed order"),
    "reversed": N_("from the last to the first"),
    "upper-first": N_("the upper ones (*) before the others"),
}


NUMBER_WORDS = (
    N_("no"), N_("one"), N_("two"), N_("three"), N_("four"), N_("five"), N_("six"), N_("seven"), N_("eight"),
    N_("nine"), N_("ten"), N_("eleven"), N_("twelve"),
)  # fmt: skip


def number_word(number: int) -> str:
    """A small number as a word, others as digits."""
    return _(NUMBER_WORDS[number]) if 0 <= number < len(NUMBER_WORDS) else str(number)  # marked elsewhere


def order_text(order: str) -> str:
    """An order of the boxes: ``from the last to the first``."""
    return _(ORDERS[order])  # marked elsewhere


def either(texts: Iterable[str]) -> str:
    """Alternatives: ``a or b or c``."""
    return reduce(lambda first, last: _("{first} or {last}").format(first=first, last=last), texts)


def joker_sentences(
    name: str, bonus: int, mode: str, *, needs_points: bool, paid_anyway: bool, while_open: bool
) -> list[str]:
    """What a joker rule does."""
    found = []
    if bonus:
        texts = {
            (False, False): N_("A further {category} pays {points} bonus points"),
            (True, False): N_("A further {category} pays {points} bonus points, even if its box holds 0"),
            (False, True): N_("A further {category} pays {points} bonus points while the matching upper box is open"),
            (True, True): N_(
                "A further {category} pays {points} bonus points while the matching upper box is open, "
                "even if its box holds 0"
            ),
        }
        found.append(texts[paid_anyway, while_open])
    if mode != "none":
        modes = {
            ("free", False): N_("A further {category} is a free joker"),
            ("free", True): N_("A further {category} is a free joker if its box holds points"),
            ("forced", False): N_("A further {category} is a forced joker"),
            ("forced", True): N_("A further {category} is a forced joker if its box holds points"),
            ("maximum", False): N_("A further {category} lets any open box pay the most it can"),
            ("maximum", True): N_(
                "A further {category} lets any open box pay the most it can if its box holds points"
            ),
        }
        found.append(modes[mode, needs_points])
    found = found or [N_("A further {category} is an ordinary roll")]
    return [_(text).format(category=name, points=bonus) for text in found]  # marked elsewhere
