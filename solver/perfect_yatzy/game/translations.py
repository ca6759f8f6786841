"""Names of categories and games in other languages, read from ``names/*.toml``.

Names of every language are understood, as long as they mean one category of the rules; ``--lang`` chooses the
language that is shown. Ids and short codes do not depend on the language.
"""

from __future__ import annotations

import tomllib
from dataclasses import replace
from functools import cache
from typing import Any

from .._messages import _
from ..errors import RulesError
from .resources import toml_names, toml_text
from .rules import Category, RuleSet
from .sheet_boxes import endings

ENGLISH = "en"


@cache
def languages() -> dict[str, str]:
    """Code of every language and the name it has for itself, English first."""
    return {ENGLISH: "English"} | {code: _read(code)["language"] for code in toml_names("names")}


def category_names(rules: RuleSet, language: str) -> dict[str, list[str]]:
    """Names of the categories of a rule set in one language.

    Parameters
    ----------
    language
        A code of :func:`languages`, in any case.

    Returns
    -------
    dict
        Category id -> names, the one that is shown first. Categories without a name in that language are left out;
        the dict is empty for English, whose names are in the rule set.

    Raises
    ------
    RulesError
        If the language is unknown.
    """
    language = language.lower()
    if language not in languages():
        raise RulesError(
            _("unknown language {language!r}; known languages: {languages}").format(
                language=language, languages=", ".join(languages())
            )
        )
    if language == ENGLISH:
        return {}
    data = _read(language)
    names = data["categories"] | data.get("dice", {}).get(str(rules.dice), {})
    return {
        category.id: [name + endings(rules, category)[1] for name in names[category.row or category.id]]
        for category in rules.categories
        if (category.row or category.id) in names
    }


def localized(rules: RuleSet, language: str) -> RuleSet:
    """The same rules with the names and summaries of a language; the names they had become aliases.

    Raises
    ------
    RulesError
        If the language is unknown.
    """
    names = category_names(rules, language)
    language = language.lower()
    if language == ENGLISH:
        return rules
    categories = tuple(
        _renamed(category, names[category.id]) if category.id in names else category for category in rules.categories
    )
    name = _read(language)["rules"].get(rules.id, rules.name)
    switches = tuple(replace(each, summary=_(each.summary, language)) for each in rules.switches)  # marked elsewhere
    summary = _(rules.summary, language) if rules.summary else ""  # marked elsewhere
    return replace(rules, categories=categories, name=name, language=language, summary=summary, switches=switches)


def category_label(rules: RuleSet, category: int) -> str:
    """What messages call a category: its id, or its name if the names are not English."""
    box = rules.categories[category]
    return box.id if rules.language == ENGLISH else box.name


def foreign_names(rules: RuleSet) -> list[tuple[str, str]]:
    """Pairs of a name and a category id, for all languages but English."""
    return [
        (name, category)
        for language in languages()
        for category, names in category_names(rules, language).items()
        for name in names
    ]


def _renamed(category: Category, names: list[str]) -> Category:
    return replace(category, name=names[0], aliases=(*names[1:], *category.aliases, category.name))


@cache
def _read(language: str) -> dict[str, Any]:
    return tomllib.loads(toml_text("names", language))
