"""The names that a category is known by, and the search among them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from unicodedata import combining, normalize

from .limits import closest
from .rules import RuleSet
from .translations import foreign_names

LETTERS = str.maketrans({"ø": "o", "æ": "ae", "œ": "oe", "ß": "ss", "đ": "d", "ð": "d", "ł": "l", "þ": "th"})
NUMBERS = {"1": "one", "2": "two", "3": "three", "4": "four", "5": "five", "6": "six"}


class CategoryIndex:
    """The names of all categories of a rule set.

    Parameters
    ----------
    rules
        Its names come before those of other languages.

    Attributes
    ----------
    own, foreign : list of (str, int)
        Normalized names and positions of their categories.
    simple : list of (str, int)
        All of them in the form of :func:`simplified`.
    """

    def __init__(self, rules: RuleSet) -> None:
        own = {
            normalized(name): position
            for position, category in reversed([*enumerate(rules.categories)])
            for name in (category.id, category.name, category.code, *category.aliases)
            if name
        }
        self.own = [*own.items()]
        self.foreign = [(normalized(name), rules.index_of[c]) for name, c in foreign_names(rules)]
        self.simple = [(simplified(name), c) for name, c in (*self.own, *self.foreign)]

    def find(self, text: str) -> set[int]:
        """Positions of the categories that a name or the beginning of one can mean; empty if there are none."""
        word, simple = normalized(text), simplified(normalized(text))
        if not word:
            return set()
        return (
            _equal(self.own, word)
            or _equal(self.foreign, word)
            or _equal(self.simple, simple)
            or _starting(self.own, word)
            or _starting(self.foreign, word)
            or _starting(self.simple, simple)
        )

    def similar(self, text: str) -> set[int]:
        """Positions of the categories with a similar name: those with this word in it, else the most similar one."""
        word, simple = normalized(text), simplified(normalized(text))
        known = dict(self.simple) | dict(self.foreign) | dict(self.own)
        with_word = {c for name, c in known.items() if word in name.split("-")}  # "straight" may be either of two
        if with_word:
            return with_word
        found = closest(simple, [*known], 0.7) or closest(word, [*known], 0.7)
        return {known[found]} if found else set()


@lru_cache(maxsize=32)
def category_index(rules: RuleSet) -> CategoryIndex:
    """The names of a rule set, built once."""
    return CategoryIndex(rules)


def normalized(name: str) -> str:
    """A name in lower case, with hyphens for blanks and underscores."""
    return re.sub(r"[\s_\-]+", "-", name.strip().lower())


def simplified(name: str) -> str:
    """A normalized name without accents, and with words for the digits that are words of it."""
    letters = "".join(symbol for symbol in normalize("NFKD", name) if not combining(symbol)).translate(LETTERS)
    return "-".join(NUMBERS.get(word, word) for word in letters.split("-"))


def _equal(names: Iterable[tuple[str, int]], word: str) -> set[int]:
    return {position for name, position in names if name == word}


def _starting(names: Iterable[tuple[str, int]], word: str) -> set[int]:
    return {position for name, position in names if name.startswith(word)}
