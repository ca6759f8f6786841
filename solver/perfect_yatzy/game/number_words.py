"""Small numbers in words."""

from __future__ import annotations

NUMBER_WORDS = (
    "no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
)  # fmt: skip


def number_word(number: int) -> str:
    """A small number as a word, others as digits."""
    return NUMBER_WORDS[number] if 0 <= number < len(NUMBER_WORDS) else str(number)


def plural(number: int, singular: str, plural_form: str | None = None) -> str:
    """A number and its noun: ``one die``, ``two dice``."""
    return f"{number_word(number)} {singular if number == 1 else plural_form or singular + 's'}"
