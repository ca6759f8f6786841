"""What players call the boxes and the games in their own language: data in ``names/*.toml``, nothing else.

A name is understood in every language as long as it means one box of the sheet; ``--lang`` chooses which are
shown. Ids and short codes are the same everywhere.
"""

from __future__ import annotations

import tomllib
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import Any

from ..errors import RulesError
from .rules import Category, RuleSet

ENGLISH = "en"


@cache
def languages() -> dict[str, str]:
    """Code and own name of every language, English first."""
    codes = sorted(entry.name.removesuffix(".toml") for entry in _folder().iterdir() if entry.name[-5:] == ".toml")
    return {ENGLISH: "English"} | {code: _read(code)["language"] for code in codes}


def category_names(rules: RuleSet, language: str) -> dict[str, list[str]]:
    """Names of the categories of a rule set in one language, the usual one first; none for English.

    Raises
    ------
    RulesError
        If the language is unknown.
    """
    language = language.lower()
    if language not in languages():
        raise RulesError(f"unknown language {language!r}; there are {', '.join(languages())}")
    if language == ENGLISH:
        return {}
    data = _read(language)
    found = data["categories"] | data.get("dice", {}).get(str(rules.dice), {})
    return {category.id: found[category.id] for category in rules.categories if category.id in found}


def localized(rules: RuleSet, language: str) -> RuleSet:
    """The same rules under the names of a language; the former names are still understood."""
    names = category_names(rules, language)
    if not names:
        return rules
    language = language.lower()
    categories = tuple(
        _renamed(category, names[category.id]) if category.id in names else category for category in rules.categories
    )
    name = _read(language)["rules"].get(rules.id, rules.name)
    return replace(rules, categories=categories, name=name, language=language)


def _renamed(category: Category, names: list[str]) -> Category:
    return replace(category, name=names[0], aliases=(*names[1:], *category.aliases, category.name))


def foreign_names(rules: RuleSet) -> list[tuple[str, str]]:
    """Pairs of a name and the id of its category, in every language."""
    return [
        (name, category)
        for language in languages()
        for category, names in category_names(rules, language).items()
        for name in names
    ]


def _folder() -> Any:
    return files(__package__).joinpath("names")


@cache
def _read(language: str) -> dict[str, Any]:
    return tomllib.loads(_folder().joinpath(f"{language}.toml").read_text(encoding="utf-8"))


def category_label(rules: RuleSet, category: int) -> str:
    """What messages call a category: its id, its name where another language is spoken."""
    found = rules.categories[category]
    return found.id if rules.language == ENGLISH else found.name
