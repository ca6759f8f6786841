"""Strategy tables for print, which become Markdown, CSV, JSON, HTML or Parquet."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from ..._version import ANSWER_SCHEMA
from ...core.rules import leaves_choice
from ...core.state import State
from ...errors import StateError
from ...game.notation import dice_of, spaced
from ...service.answers import approximate_fields
from ...strategy.actions import Hold
from ...strategy.metadata import arrow_table, check_pyarrow, metadata
from ...strategy.strategy import Strategy
from ...words import N_, _, current_language, number_text
from .wording import category_name, html_page

Cell = str | int | float
CATEGORY_COLUMNS = ("category", "second best")  # columns with names of categories


@dataclass(frozen=True)
class TableColumn:
    """A column of a strategy table."""

    english: str  # its name, a message
    digits: int = 0  # decimals, of numbers that are not whole
    left: int = 0  # rerolls, where the name has their number

    @property
    def name(self) -> str:
        """The name for readers, in the current language."""
        return _(self.english, count=self.left)  # marked elsewhere

    @property
    def field(self) -> str:
        """The name for programs (CSV, JSON, Parquet), without spaces, such as ``hold_2_left``."""
        return re.sub(r"\W+", "_", self.english.format(count=self.left))


@dataclass(frozen=True)
class StrategyTable:
    """A strategy table."""

    title: str
    note: str  # a sentence that explains the columns
    columns: list[TableColumn]
    rows: Sequence[tuple[Cell, ...]]
    language: str  # of the names of categories
    metadata: dict[str, str]  # what identifies the table, for Parquet
    # the field of answers with the certificate, or nothing if the strategy is exact
    approximate: dict[str, Any]

    @property
    def notes(self) -> list[str]:
        """Paragraphs above the table."""
        if not self.approximate:
            return [self.note]
        certificate = self.approximate["approximate"]["text"]
        return [self.note, _("Approximate: {text}", text=certificate)]

    def cell_texts(self) -> list[list[str]]:
        """Return cells as text, numbers with the decimals of their column."""

        def text(cell: Cell, column: TableColumn) -> str:
            return number_text(cell, column.digits) if isinstance(cell, float) else str(cell)

        return [[text(*pair) for pair in zip(row, self.columns, strict=True)] for row in self.rows]


def _about(strategy: Strategy, what: str) -> dict[str, Any]:
    """Return the fields of a table that say which strategy it is of."""
    return {
        "language": strategy.rules.language,
        "metadata": metadata(strategy.rules, strategy.policy, table=what),
        "approximate": approximate_fields(strategy),
    }


def hold_cell(hold: Hold, strategy: Strategy) -> str:
    """Return a hold as text: its dice, ``nothing``, or the category to take."""
    if hold.category:
        return _("take {category}", category=category_name(strategy.rules, hold.category))
    return spaced(hold.dice) or _("nothing")


def _first_turn_rolls(strategy: Strategy) -> list[tuple[int, ...]]:
    grid = strategy.evaluator.dice
    return [dice_of(counts) for counts in grid.counts[grid.first_roll :].tolist()]


def opening(strategy: Strategy) -> StrategyTable:
    """Tabulate the best hold for every roll of the first turn, and every number of rerolls left."""
    rules = strategy.rules
    rolls_left_values = range(rules.rolls_per_turn - 1, 0, -1)
    if not rolls_left_values:
        raise StateError(
            _("{rules} has one roll a turn, so there is no hold to tabulate", rules=rules.key)
        )
    columns = [TableColumn(N_("dice"))]
    for left in rolls_left_values:
        columns += [
            TableColumn(N_("hold, {count} left"), left=left),
            TableColumn(N_("expected, {count} left"), 2, left),
            TableColumn(N_("second best loses, {count} left"), 2, left),
        ]
    rows = []
    for dice in _first_turn_rolls(strategy):
        row: list[Cell] = [spaced(dice)]
        for left in rolls_left_values:
            ranked = strategy.holds(State(), dice, left)
            row += [
                hold_cell(ranked[0], strategy),
                ranked[0].value,
                ranked[1].loss if len(ranked) > 1 else 0.0,
            ]
        rows.append(tuple(row))
    note = _(
        "Empty card. For each number of rerolls left: the best dice to hold, the expected final score, and what "
        "the second best hold loses."
    )
    title = _("{game}: opening holds", game=rules.name)
    return StrategyTable(title, note, columns, rows, **_about(strategy, "opening"))


def scoring(strategy: Strategy) -> StrategyTable:
    """Tabulate the best category for every final roll of the first turn."""
    names = {category.id: category.name for category in strategy.rules.categories}

    def row(dice: tuple[int, ...]) -> tuple[Cell, ...]:
        best, *others = strategy.categories(State(), dice)
        second = (names[others[0].category], others[0].loss) if others else ("", 0.0)
        return spaced(dice), names[best.category], best.points, best.value, *second

    note = _(
        "Empty card, no reroll left. Best category, its points, the expected final score, and what the second "
        "best category loses."
    )
    columns = [
        TableColumn(N_("dice")),
        TableColumn(N_("category")),
        TableColumn(N_("points")),
        TableColumn(N_("expected"), 2),
        TableColumn(N_("second best")),
        TableColumn(N_("loses"), 2),
    ]
    rows = [*map(row, _first_turn_rolls(strategy))]
    title = _("{game}: first category", game=strategy.rules.name)
    return StrategyTable(title, note, columns, rows, **_about(strategy, "scoring"))


def categories(strategy: Strategy) -> StrategyTable:
    """Tabulate the value of each category alone, and the cost of crossing it out first."""
    rules = strategy.rules
    if not leaves_choice(rules):
        text = _("{rules} has a fixed order, so there is no choice of category to tabulate")
        raise StateError(text.format(rules=rules.key))
    start = strategy.value(State())
    rows = []
    for i, category in enumerate(rules.categories):
        alone = strategy.value(State(rules.full_mask & ~(1 << i)))
        without = strategy.value(State(1 << i))
        rows.append((category.name, alone, without, start - without))
    note = _(
        "Alone: expected points when it is the only open category, without the upper bonus. Crossed out first: "
        "expected final score after a 0 there in the first turn, and what that turn costs."
    )
    numbers = N_("alone"), N_("crossed out first"), N_("costs")
    columns = [TableColumn(N_("category")), *(TableColumn(number, 2) for number in numbers)]
    title = _("{game}: value of each category", game=rules.name)
    return StrategyTable(title, note, columns, rows, **_about(strategy, "categories"))


def markdown(table: StrategyTable) -> str:
    """Return a Markdown document with one table, whose columns are aligned in the source too."""
    names = [column.name for column in table.columns]
    body = table.cell_texts()
    widths = [max(map(len, cells)) for cells in zip(names, *body, strict=True)]
    at_right = [isinstance(cell, int | float) for cell in table.rows[0]]
    forms = [
        f"{'>' if right else '<'}{width}" for right, width in zip(at_right, widths, strict=True)
    ]

    def row(cells: list[str]) -> str:
        padded = [format(cell, form) for cell, form in zip(cells, forms, strict=True)]
        return f"| {' | '.join(padded)} |"

    dashes = [
        "-" * width + ("-:" if right else "--")
        for right, width in zip(at_right, widths, strict=True)
    ]
    notes = "".join(f"{note}\n\n" for note in table.notes)
    return f"# {table.title}\n\n{notes}" + "\n".join(
        [row(names), f"|{'|'.join(dashes)}|", *map(row, body), ""]
    )


def comma_separated(table: StrategyTable) -> str:
    """Return CSV with full precision and a header line."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(column.field for column in table.columns)
    writer.writerows(
        [
            [f"{cell:.10f}" if isinstance(cell, float) else cell for cell in row]
            for row in table.rows
        ]
    )
    return out.getvalue()


def as_json(table: StrategyTable) -> str:
    """Return one JSON object with title, note and rows.

    Each row is an object with the column names as fields.
    """
    fields = [column.field for column in table.columns]
    rows: list[dict[str, Any]] = [dict(zip(fields, row, strict=True)) for row in table.rows]
    content = (
        {"schema": ANSWER_SCHEMA, "title": table.title, "note": table.note}
        | table.approximate
        | {"rows": rows}
    )
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def html(table: StrategyTable) -> str:
    """Return a self-contained page with styles for the screen, light and dark, and for print."""
    language = current_language()
    is_number = [isinstance(cell, int | float) for cell in table.rows[0]]
    is_foreign = [
        table.language != language and column.english in CATEGORY_COLUMNS
        for column in table.columns
    ]

    def line(tag: str, texts: list[str]) -> str:
        cells = ""
        for text, number, foreign in zip(texts, is_number, is_foreign, strict=True):
            scope = ' scope="col"' if tag == "th" else ""
            language_mark = f' lang="{table.language}"' if foreign and tag == "td" else ""
            mark = ' class="n"' if number else language_mark  # numbers have no language
            cells += f"<{tag}{scope}{mark}>{escape(text)}</{tag}>"
        return f"<tr>{cells}</tr>"

    heads = line("th", [column.name for column in table.columns])
    rows = "\n".join(line("td", row) for row in table.cell_texts())
    notes = "".join(f"<p>{escape(note)}</p>\n" for note in table.notes)
    content = f"<table>\n<thead>{heads}</thead>\n<tbody>\n{rows}\n</tbody></table>"
    body = f"<body>\n<h1>{escape(table.title)}</h1>\n{notes}{content}\n</body>"
    return html_page(language, table.title, ["table"], body)


def parquet(table: StrategyTable) -> bytes:
    """Return the bytes of a Parquet file. Raises MissingPackage without pyarrow (extra `data`)."""
    check_pyarrow("Parquet")
    import pyarrow.parquet

    columns = {
        column.field: [row[i] for row in table.rows] for i, column in enumerate(table.columns)
    }
    buffer = io.BytesIO()
    pyarrow.parquet.write_table(arrow_table(columns, table.metadata), buffer)
    return buffer.getvalue()


FORMATS: dict[str, Callable[[StrategyTable], str | bytes]] = {
    "md": markdown,
    "csv": comma_separated,
    "json": as_json,
    "html": html,
    "parquet": parquet,
}
STRATEGY_TABLES = {table.__name__: table for table in (opening, scoring, categories)}
