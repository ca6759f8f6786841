"""Names of categories, columns and games in other languages, read from ``names/*.toml``.

Names of every language are understood, as long as they mean one category of the rules; ``--lang`` chooses the
language that is shown. Ids and short codes do not depend on the language.
"""

from __future__ import annotations

import tomllib
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from ..errors import RulesError, _
from .rules import Category, Column, RuleSet
from .sheet_boxes import endings, row_of

ENGLISH = "en"
GAME = Path(__file__).parent  # with the TOML files of the package: rule sets and names


def toml_names(folder: str) -> list[str]:
    """Names of the TOML files in a folder of this package, without ending, alphabetically."""
    return sorted(path.stem for path in (GAME / folder).glob("*.toml"))


def toml_text(folder: str, name: str, package: Path = GAME) -> str:
    """Text of a TOML file in a folder of a package."""
    return (package / folder / f"{name}.toml").read_text(encoding="utf-8")


@cache
def languages() -> dict[str, str]:
    """Code of every language and the name it has for itself, English first."""
    return {ENGLISH: "English"} | {code: _read(code)["language"] for code in toml_names("names")}


def category_names(rules: RuleSet, language: str) -> dict[str, list[str]]:
    """Names of the categories of a rule set in one language, a code of :func:`languages` in any case."""
    language = language.lower()
    if language == ENGLISH:
        return {}
    if language not in toml_names("names"):
        known = ", ".join(languages())
        message = _("unknown language {language!r}; known languages: {languages}")
        raise RulesError(message.format(language=language, languages=known))
    data = _read(language)
    names = data["categories"] | data.get("dice", {}).get(str(rules.dice), {})
    shown = replace(rules, columns=_columns(rules, language))
    return {
        category.id: [name + endings(shown, category)[1] for name in names[category.row or category.id]]
        for category in rules.categories
        if (category.row or category.id) in names
    }


def localized(rules: RuleSet, language: str) -> RuleSet:
    """The same rules with the names and summaries of a language; the names they had become aliases."""
    names = category_names(rules, language)
    language = language.lower()
    if language == ENGLISH:
        return rules
    shown = replace(rules, columns=_columns(rules, language))
    new_names = [names.get(box.id) or [row_of(rules, box).name + endings(shown, box)[1]] for box in rules.categories]
    published = rules.published
    return replace(
        shown,
        name=_read(language)["rules"].get(rules.id, rules.name),
        language=language,
        summary=_(rules.summary, language) if rules.summary else "",  # marked elsewhere
        switches=tuple(
            replace(each, summary=_(each.summary, language))  # marked elsewhere
            for each in rules.switches
        ),
        published=published and replace(published, source=_(published.source, language)),  # marked elsewhere
        categories=tuple(map(_renamed, rules.categories, new_names)),
    )


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


def _columns(rules: RuleSet, language: str) -> tuple[Column, ...]:
    """The columns of the sheet with the names of a language; one that a rule file names itself keeps its name."""
    names = _read(language).get("columns", {})
    return tuple(
        replace(column, name=names.get(column.id, column.name)) if column.name.lower() == column.id else column
        for column in rules.columns
    )


def _renamed(category: Category, names: list[str]) -> Category:
    if names[0] == category.name:
        return category
    return replace(category, name=names[0], aliases=(*names[1:], *category.aliases, category.name))


@cache
def _read(language: str) -> dict[str, Any]:
    return tomllib.loads(toml_text("names", language))
