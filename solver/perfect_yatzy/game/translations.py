"""The boxes of rows with several boxes, and the names of boxes, columns and games in other
languages.

A row may be used several times, and a sheet may have several columns. Each box is a category of its
own. Its id, name and short code are those of the row with an ending::

    times = 4         fours-1, fours-2, ...     Fours (1), Fours (2), ...
    [[columns]]       ones.down, ones.free      Ones (Down), Ones (Free)
    both              fours-2.down              Fours (2) (Down)

Other languages are read from ``names/*.toml``. Names of every language are understood, as long as
they mean one category of the rules, also those on Dutch and French sheets (``sheet_names/*.toml``);
``--lang`` chooses the language that is shown. Ids and short codes do not depend on it. For Chinese
there are names, but no catalogue of sentences.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from ..core.rules import Category, Column, RuleSet
from ..errors import RulesError, SolverError
from ..words import ENGLISH, LANGUAGES, _

GAME = Path(__file__).parent  # with the TOML files of the package: rule sets and names


def id_ending(copy: int | None, column: Column | None) -> str:
    """Return what the id of a box has after the id of its row.

    `copy` is None for the only box of its row and column.
    """
    return ("" if copy is None else f"-{copy + 1}") + (f".{column.id}" if column else "")


def name_ending(copy: int | None, column: Column | None) -> str:
    """Return what the name of a box has after the name of its row."""
    return ("" if copy is None else f" ({copy + 1})") + (f" ({column.name})" if column else "")


def boxes_of(
    rows: Sequence[tuple[Category, int]], columns: Sequence[Column]
) -> tuple[Category, ...]:
    """Return the boxes of a sheet, column by column, from its rows.

    Each row comes with the number of its boxes in a column.
    """
    boxes = []
    for number, column in enumerate(columns or [None]):
        for row, times in rows:
            copies = range(times) if times > 1 else [None]
            boxes += [_box(row, copy, number, column) for copy in copies]
    return tuple(boxes)


def _box(row: Category, copy: int | None, number: int, column: Column | None) -> Category:
    """Return a box of a row.

    `copy` is None for the only box of its row and column, and `column` if there are no columns.
    """
    ending = id_ending(copy, column)
    if not ending:
        return row
    return replace(
        row,
        id=row.id + ending,
        name=row.name + name_ending(copy, column),
        code=row.code + ending if row.code else "",
        aliases=tuple(alias + ending for alias in row.aliases),
        patterns=tuple(pattern.times(column.factor if column else 1) for pattern in row.patterns),
        requires=row.requires + id_ending(None, column) if row.requires else "",
        row=row.id,
        column=number,
        copy=copy or 0,
    )


def _column(rules: RuleSet, category: Category) -> Column | None:
    return rules.columns[category.column] if rules.columns else None


def endings(rules: RuleSet, category: Category) -> tuple[str, str]:
    """Return what the id and the name of a box have after those of its row.

    Both are empty for a row with one box.
    """
    if not category.row:
        return "", ""
    column = _column(rules, category)
    copy = None if category.id == category.row + id_ending(None, column) else category.copy
    return id_ending(copy, column), name_ending(copy, column)


def row_of(rules: RuleSet, category: Category) -> Category:
    """Return the row of a box, as it is in a rule file."""
    in_id, in_name = endings(rules, category)
    if not in_id:
        return category
    column = _column(rules, category)
    requires = category.requires
    if column:
        requires = requires.removesuffix(id_ending(None, column))
    return replace(
        category,
        id=category.row,
        name=category.name.removesuffix(in_name),
        code=category.code.removesuffix(in_id),
        aliases=tuple(alias.removesuffix(in_id) for alias in category.aliases),
        patterns=tuple(
            pattern.divided(column.factor if column else 1) for pattern in category.patterns
        ),
        requires=requires,
        row="",
        column=0,
        copy=0,
    )


def row_names(rules: RuleSet, category: Category) -> Iterator[str]:
    """Yield what people call a box if it is not said which of its row is meant.

    A row with one box has no such names.
    """
    column = _column(rules, category)
    for name in (category.id, category.name, category.code, *category.aliases):
        for ending in endings(rules, category):  # of its id, and of its name
            if not ending or not name.endswith(ending):
                continue
            row = name.removesuffix(ending)
            yield row
            if column:
                yield row + id_ending(None, column)


def toml_names(folder: str) -> list[str]:
    """Return the names of the TOML files in a folder of this package, without ending,
    alphabetically.
    """
    if not os.path.isdir(GAME):
        raise SolverError(f"perfect-yatzy does not run from an archive; unpack {GAME.parents[1]}")
    return sorted(path.stem for path in (GAME / folder).glob("*.toml"))


def toml_text(folder: str, name: str, package: Path = GAME) -> str:
    """Return the text of a TOML file in a folder of a package."""
    return (package / folder / f"{name}.toml").read_text(encoding="utf-8")


@cache
def languages() -> dict[str, str]:
    """Return the code of every language with a catalogue and its own name, English first."""
    known = [code for code in toml_names("names") if code in LANGUAGES]
    return {ENGLISH: "English"} | {code: _read(code)["language"] for code in known}


def category_names(rules: RuleSet, language: str) -> dict[str, list[str]]:
    """Return the names of the categories of a rule set in one language, by id.

    The code may be in any case. It is one of :func:`languages`, or that of a language that has
    names of boxes but no catalogue, such as ``zh``.
    """
    language = language.lower()
    if language == ENGLISH:
        return {}
    if language not in toml_names("names"):
        known = ", ".join([ENGLISH, *toml_names("names")])
        message = _("unknown language {language!r}; known languages: {languages}")
        raise RulesError(message.format(language=language, languages=known))
    return _names_of_boxes(rules, _read(language))


def _names_of_boxes(rules: RuleSet, data: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return the names of boxes as :func:`category_names`, from the values of a file of names."""
    names_of_row = data["categories"] | data.get("dice", {}).get(str(rules.dice), {})
    shown = replace(rules, columns=_columns(rules, data))
    names = {}
    for box in rules.categories:
        row = box.row or box.id
        if row in names_of_row:
            _in_id, in_name = endings(shown, box)
            names[box.id] = [name + in_name for name in names_of_row[row]]
    return names


def localized(rules: RuleSet, language: str) -> RuleSet:
    """Return the same rules with the names and summaries of a language.

    The names they had become aliases.
    """
    names = category_names(rules, language)
    language = language.lower()
    if language == ENGLISH:
        return rules
    shown = replace(rules, columns=_columns(rules, _read(language)))
    new_names = [
        names.get(box.id) or [row_of(rules, box).name + endings(shown, box)[1]]
        for box in rules.categories
    ]
    published = rules.published
    if published:
        source = _(published.source, language)  # marked elsewhere
        published = replace(published, source=source)
    return replace(
        shown,
        name=_read(language)["rules"].get(rules.id, rules.name),
        language=language,
        summary=_(rules.summary, language) if rules.summary else "",  # marked elsewhere
        switches=tuple(
            replace(switch, summary=_(switch.summary, language))  # marked elsewhere
            for switch in rules.switches
        ),
        published=published,
        categories=tuple(map(_renamed, rules.categories, new_names)),
    )


def foreign_names(rules: RuleSet) -> list[tuple[str, str]]:
    """Return pairs of a name and a category id, for all languages but English.

    Languages whose names are only understood are included.
    """
    of_languages = [category_names(rules, language) for language in (ENGLISH, *toml_names("names"))]
    of_sheets = [
        _names_of_boxes(rules, tomllib.loads(toml_text("sheet_names", language)))
        for language in toml_names("sheet_names")
    ]
    return [
        (name, category)
        for names_of in (*of_languages, *of_sheets)
        for category, names in names_of.items()
        for name in names
    ]


def foreign_game_names() -> list[tuple[str, str]]:
    """Return pairs of a name and the id of a rule set, for all languages but English."""
    return [
        (name, rules)
        for language in toml_names("names")
        for rules, name in _read(language).get("rules", {}).items()
    ]


def _columns(rules: RuleSet, data: Mapping[str, Any]) -> tuple[Column, ...]:
    """Return the columns of the sheet with the names of a language.

    A column that a rule file names itself keeps its name.
    """
    names = data.get("columns", {})
    return tuple(
        replace(column, name=names.get(column.id, column.name))
        if column.name.lower() == column.id
        else column
        for column in rules.columns
    )


def _renamed(category: Category, names: list[str]) -> Category:
    """Return a category with the first of some names. Its old name and the others become aliases."""
    if names[0] == category.name:
        return category
    return replace(category, name=names[0], aliases=(*names[1:], *category.aliases, category.name))


@cache
def _read(language: str) -> dict[str, Any]:
    return tomllib.loads(toml_text("names", language))
