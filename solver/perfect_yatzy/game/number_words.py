"""Small numbers in words."""

from __future__ import annotations

from .._messages import N_, _

NUMBER_WORDS = (
    N_("no"), N_("one"), N_("two"), N_("three"), N_("four"), N_("five"), N_("six"), N_("seven"), N_("eight"),
    N_("nine"), N_("ten"), N_("eleven"), N_("twelve"),
)  # fmt: skip


def number_word(number: int) -> str:
    """A small number as a word, others as digits."""
    return _(NUMBER_WORDS[number]) if 0 <= number < len(NUMBER_WORDS) else str(number)  # marked elsewhere
