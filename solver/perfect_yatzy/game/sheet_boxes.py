"""Rows of a sheet that are several boxes: a row used several times, and a sheet with several columns.

Each box is a category of its own. Its id, name and short code are those of the row with an ending::

    times = 4         fours-1, fours-2, ...     Fours (1), Fours (2), ...
    [[columns]]       ones.down, ones.free      Ones (Down), Ones (Free)
    both              fours-2.down              Fours (2) (Down)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from .rules import Category, Column, RuleSet


def id_ending(copy: int | None, column: Column | None) -> str:
    """What the id of a box has after the id of its row; `copy` is None for the only one of its row and column."""
    return ("" if copy is None else f"-{copy + 1}") + (f".{column.id}" if column else "")


def name_ending(copy: int | None, column: Column | None) -> str:
    """What the name of a box has after the name of its row."""
    return ("" if copy is None else f" ({copy + 1})") + (f" ({column.name})" if column else "")


def boxes_of(rows: Sequence[tuple[Category, int]], columns: Sequence[Column]) -> tuple[Category, ...]:
    """The boxes of a sheet, column by column, from its rows, each with the number of its boxes in a column."""
    return tuple(
        _box(row, copy if times > 1 else None, number, column)
        for number, column in enumerate([*columns] or [None])
        for row, times in rows
        for copy in range(times)
    )


def _box(row: Category, copy: int | None, number: int, column: Column | None) -> Category:
    ending = id_ending(copy, column)
    if not ending:
        return row
    return replace(
        row,
        id=row.id + ending,
        name=row.name + name_ending(copy, column),
        code=row.code and row.code + ending,
        aliases=tuple(alias + ending for alias in row.aliases),
        patterns=tuple(pattern.times(column.factor if column else 1) for pattern in row.patterns),
        requires=row.requires and row.requires + id_ending(None, column),
        row=row.id,
        column=number,
        copy=copy or 0,
    )


def _column(rules: RuleSet, category: Category) -> Column | None:
    return rules.columns[category.column] if rules.columns else None


def endings(rules: RuleSet, category: Category) -> tuple[str, str]:
    """What the id and the name of a box have after those of its row; empty for a row with one box."""
    if not category.row:
        return "", ""
    column = _column(rules, category)
    copy = None if category.id == category.row + id_ending(None, column) else category.copy
    return id_ending(copy, column), name_ending(copy, column)


def row_of(rules: RuleSet, category: Category) -> Category:
    """The row of a box, as it is in a rule file."""
    in_id, in_name = endings(rules, category)
    if not in_id:
        return category
    column = _column(rules, category)
    return replace(
        category,
        id=category.row,
        name=category.name.removesuffix(in_name),
        code=category.code.removesuffix(in_id),
        aliases=tuple(alias.removesuffix(in_id) for alias in category.aliases),
        patterns=tuple(pattern.divided(column.factor if column else 1) for pattern in category.patterns),
        requires=category.requires.removesuffix(id_ending(None, column)) if column else category.requires,
        row="",
        column=0,
        copy=0,
    )


def row_names(rules: RuleSet, category: Category) -> Iterator[str]:
    """What people call a box if it is not said which of its row is meant; nothing for a row with one box."""
    column = _column(rules, category)
    for name in (category.id, category.name, category.code, *category.aliases):
        for ending in endings(rules, category):
            if not ending or not name.endswith(ending):
                continue
            row = name.removesuffix(ending)
            yield row
            if column:
                yield row + id_ending(None, column)
