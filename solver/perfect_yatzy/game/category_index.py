"""The names that a category is known by, and the search among them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from unicodedata import combining, normalize

from .limits import closest
from .rules import Category, RuleSet
from .sheet_boxes import row_names
from .translations import foreign_names

LETTERS = str.maketrans({"ø": "o", "æ": "ae", "œ": "oe", "ß": "ss", "đ": "d", "ð": "d", "ł": "l", "þ": "th"})
NUMBERS = {"1": "one", "2": "two", "3": "three", "4": "four", "5": "five", "6": "six"}


class CategoryIndex:
    """The names of all categories of a rule set, normalized, with the position of the category of each."""

    def __init__(self, rules: RuleSet) -> None:
        own = {
            normalized(name): position
            for position, category in reversed([*enumerate(rules.categories)])
            for name in (category.id, category.name, category.code, *category.aliases)
            if name
        }
        rows = {
            (normalized(name), position)
            for position, category in enumerate(rules.categories)
            for name in row_names(rules, category)
        }
        self.own = [*own.items(), *sorted((name, position) for name, position in rows if name not in own)]
        self.foreign = [(normalized(name), rules.index_of[c]) for name, c in foreign_names(rules)]
        self.simple = [(simplified(name), c) for name, c in (*self.own, *self.foreign)]
        self.first_copy = [
            next(i for i, other in enumerate(rules.categories) if _same_row(category, other) or i == position)
            for position, category in enumerate(rules.categories)
        ]

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

    def starting(self, text: str) -> set[int]:
        """Positions of all categories with a name that begins like this."""
        word = normalized(text)
        return _starting(self.own, word) if word else set()

    def similar(self, text: str) -> set[int]:
        """The categories with this word in a name, else that with the most similar one; of a row the first box."""
        word, simple = normalized(text), simplified(normalized(text))
        known = [*self.own, *self.foreign, *self.simple]
        with_word = {self.first_copy[c] for name, c in known if word in name.split("-")}
        if with_word:  # "straight" may be either of two
            return with_word
        names = [*dict(known)]
        found = closest(simple, names, 0.7) or closest(word, names, 0.7)
        return {self.first_copy[c] for name, c in known if name == found}


@lru_cache(maxsize=32)
def category_index(rules: RuleSet) -> CategoryIndex:
    """The names of a rule set, built once."""
    return CategoryIndex(rules)


def normalized(name: str) -> str:
    """A name in lower case, with hyphens for blanks, underscores, dots and parentheses."""
    return re.sub(r"[\s_\-(.]+", "-", name.replace(")", " ").strip().lower())


def simplified(name: str) -> str:
    """A normalized name without accents, and with words for the digits that are words of it."""
    letters = "".join(symbol for symbol in normalize("NFKD", name) if not combining(symbol)).translate(LETTERS)
    return "-".join(NUMBERS.get(word, word) for word in letters.split("-"))


def _equal(names: Iterable[tuple[str, int]], word: str) -> set[int]:
    return {position for name, position in names if name == word}


def _starting(names: Iterable[tuple[str, int]], word: str) -> set[int]:
    return {position for name, position in names if name.startswith(word)}


def _same_row(a: Category, b: Category) -> bool:
    """Whether two boxes are alike: of one row, in one column."""
    return bool(a.row) and (a.row, a.column) == (b.row, b.column)
