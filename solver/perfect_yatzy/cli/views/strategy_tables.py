"""Strategy tables for print: rows and columns first, then Markdown, CSV, JSON, HTML or Parquet.

opening      best hold for each roll of the first turn, for every number of rerolls left
scoring      best category for each final roll of the first turn
categories   value of each category: as the only open one, and the cost of crossing it out first
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from html import escape
from typing import Any

from ..._messages import _, current_language, number_text
from ..._version import ANSWER_SCHEMA
from ...errors import StateError
from ...game.box_order import leaves_choice
from ...game.notation import dice_of, spaced
from ...game.scorecard import State
from ...game.translations import ENGLISH
from ...service.answers import approximate_fields
from ...strategy.actions import Hold
from ...strategy.arrow import arrow_table, check_pyarrow
from ...strategy.metadata import metadata
from ...strategy.strategy import Strategy

Cell = str | int | float
CATEGORY_COLUMNS = ("category", "second best")  # columns with names of categories


@dataclass(frozen=True)
class StrategyTable:
    """A strategy table.

    Attributes
    ----------
    title, note : str
        Heading, and a sentence that explains the columns.
    columns : tuple of (str, int)
        English name and number of decimals of each column; 0 for text and whole numbers.
    names : tuple of str
        Names of the columns for readers, in the current language.
    rows : list of tuple
        Cells in the order of the columns.
    language : str
        Language of the names of categories.
    metadata : dict of str to str
        What identifies the table (:func:`perfect_yatzy.strategy.metadata.metadata`), for Parquet.
    approximate : dict
        The field ``approximate`` of answers with the certificate's main figures; empty if the strategy is exact.
    """

    title: str
    note: str
    columns: tuple[tuple[str, int], ...]
    names: tuple[str, ...]
    rows: list[tuple[Cell, ...]]
    language: str = ENGLISH
    metadata: dict[str, str] = field(default_factory=dict)
    approximate: dict[str, Any] = field(default_factory=dict)

    @property
    def notes(self) -> list[str]:
        """Paragraphs above the table."""
        certificates = [_("Approximate: {text}").format(text=found["text"]) for found in self.approximate.values()]
        return [self.note, *certificates]

    @property
    def field_names(self) -> list[str]:
        """Column names for programs (CSV, JSON, Parquet), without spaces, such as ``hold_2_left``."""
        return [re.sub(r"\W+", "_", name) for name, _digits in self.columns]

    def cell_texts(self) -> list[list[str]]:
        """Cells as text, numbers with the decimals of their column."""

        def text(cell: Cell, digits: int) -> str:
            return number_text(cell, digits) if isinstance(cell, float) else str(cell)

        decimals = [digits for _name, digits in self.columns]
        return [[text(cell, d) for cell, d in zip(row, decimals, strict=True)] for row in self.rows]


def hold_cell(hold: Hold, strategy: Strategy) -> str:
    """A hold as text: its dice, ``nothing``, or the category to take."""
    if hold.category:
        name = strategy.rules.categories[strategy.rules.index_of[hold.category]].name
        return _("take {category}").format(category=name)
    return spaced(hold.dice) or _("nothing")


def first_turn_rolls(strategy: Strategy) -> list[tuple[int, ...]]:
    """All rolls of a turn, each as sorted dice."""
    grid = strategy.evaluator.dice
    return [dice_of(counts) for counts in grid.counts[grid.first_roll :].tolist()]


def opening(strategy: Strategy) -> StrategyTable:
    """Best hold for every roll of the first turn, for every number of rerolls left.

    Raises
    ------
    StateError
        If a turn has one roll only.
    """
    rules = strategy.rules
    rolls_left_values = range(rules.rolls_per_turn - 1, 0, -1)
    if not rolls_left_values:
        raise StateError(_("{rules} has one roll a turn, so there is no hold to tabulate").format(rules=rules.key))
    columns: list[tuple[str, int]] = [("dice", 0)]
    names = [_("dice")]
    for rolls_left in rolls_left_values:
        columns += [
            (f"hold, {rolls_left} left", 0),
            (f"expected, {rolls_left} left", 2),
            (f"second best loses, {rolls_left} left", 2),
        ]
        heads = _("hold, {count} left"), _("expected, {count} left"), _("second best loses, {count} left")
        names += [head.format(count=rolls_left) for head in heads]
    rows: list[tuple[Cell, ...]] = []
    for dice in first_turn_rolls(strategy):
        row: list[Cell] = [spaced(dice)]
        for rolls_left in rolls_left_values:
            ranked = strategy.holds(State(), dice, rolls_left)
            second = ranked[1].loss if len(ranked) > 1 else 0.0
            row += [hold_cell(ranked[0], strategy), ranked[0].value, second]
        rows.append(tuple(row))
    return StrategyTable(
        _("{game}: opening holds").format(game=rules.name),
        _(
            "Empty card. For each number of rerolls left: the best dice to hold, the expected final score, and what "
            "the second best hold loses."
        ),
        tuple(columns),
        tuple(names),
        rows,
        rules.language,
        metadata(rules, strategy.policy, table="opening"),
        approximate_fields(strategy),
    )


def scoring(strategy: Strategy) -> StrategyTable:
    """Best category for every final roll of the first turn."""
    rules = strategy.rules
    names = {c.id: c.name for c in rules.categories}
    rows: list[tuple[Cell, ...]] = []
    for dice in first_turn_rolls(strategy):
        ranked = strategy.categories(State(), dice)
        best = ranked[0]
        second: tuple[Cell, Cell] = (names[ranked[1].category], ranked[1].loss) if len(ranked) > 1 else ("", 0.0)
        rows.append((spaced(dice), names[best.category], best.points, best.value, *second))
    return StrategyTable(
        _("{game}: first category").format(game=rules.name),
        _(
            "Empty card, no reroll left. Best category, its points, the expected final score, and what the second "
            "best category loses."
        ),
        (("dice", 0), ("category", 0), ("points", 0), ("expected", 2), ("second best", 0), ("loses", 2)),
        (_("dice"), _("category"), _("points"), _("expected"), _("second best"), _("loses")),
        rows,
        rules.language,
        metadata(rules, strategy.policy, table="scoring"),
        approximate_fields(strategy),
    )


def categories(strategy: Strategy) -> StrategyTable:
    """Value of each category as the only open one, and the cost of crossing it out in the first turn.

    Raises
    ------
    StateError
        If the categories are filled in a fixed order.
    """
    rules = strategy.rules
    if not leaves_choice(rules):
        raise StateError(
            _("{rules} has a fixed order, so there is no choice of category to tabulate").format(rules=rules.key)
        )
    start = strategy.value(State())
    rows: list[tuple[Cell, ...]] = []
    for c, category in enumerate(rules.categories):
        alone = State(filled=rules.full_mask & ~(1 << c))
        without = strategy.value(State(filled=1 << c))
        rows.append((category.name, strategy.value(alone), without, start - without))
    return StrategyTable(
        _("{game}: value of each category").format(game=rules.name),
        _(
            "Alone: expected points when it is the only open category, without the upper bonus. Crossed out first: "
            "expected final score after a 0 there in the first turn, and what that turn costs."
        ),
        (("category", 0), ("alone", 2), ("crossed out first", 2), ("costs", 2)),
        (_("category"), _("alone"), _("crossed out first"), _("costs")),
        rows,
        rules.language,
        metadata(rules, strategy.policy, table="categories"),
        approximate_fields(strategy),
    )


STRATEGY_TABLES: dict[str, Callable[[Strategy], StrategyTable]] = {
    "opening": opening,
    "scoring": scoring,
    "categories": categories,
}


def markdown(table: StrategyTable) -> str:
    """A Markdown document with one table, columns aligned in the source too."""
    body = table.cell_texts()
    widths = [max(len(name), *(len(row[i]) for row in body)) for i, name in enumerate(table.names)]
    right = [digits > 0 or isinstance(table.rows[0][i], int) for i, (_name, digits) in enumerate(table.columns)]

    def line(cells: list[str]) -> str:
        padded = (c.rjust(w) if r else c.ljust(w) for c, w, r in zip(cells, widths, right, strict=True))
        return "| " + " | ".join(padded) + " |"

    rule = "|" + "|".join("-" * (w + 1) + (":" if r else "-") for w, r in zip(widths, right, strict=True)) + "|"
    notes = [line for note in table.notes for line in (note, "")]
    return "\n".join([f"# {table.title}", "", *notes, line(list(table.names)), rule, *map(line, body), ""])


def comma_separated(table: StrategyTable) -> str:
    """CSV with full precision and a header line."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(table.field_names)
    writer.writerows([[f"{cell:.10f}" if isinstance(cell, float) else cell for cell in row] for row in table.rows])
    return out.getvalue()


def as_json(table: StrategyTable) -> str:
    """One object with title, note and rows; each row is an object with the column names as fields."""
    rows: list[dict[str, Any]] = [dict(zip(table.field_names, row, strict=True)) for row in table.rows]
    content = {"schema": ANSWER_SCHEMA, "title": table.title, "note": table.note} | table.approximate | {"rows": rows}
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


STYLE = """
body { font: 15px/1.4 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem;
  color: #1a1a1a; background: #fff; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .2rem .8rem; text-align: left; border-bottom: 1px solid #ddd; }
th { position: sticky; top: 0; background: #fff; border-bottom: 2px solid #444; vertical-align: bottom; }
td { white-space: nowrap; }
.n { text-align: right; }
@media (max-width: 40rem) { body { font-size: 12px; padding: 0 .3rem; } th, td { padding: .15rem .3rem; } }
@media (prefers-color-scheme: dark) { body, th { color: #eee; background: #161616; } td { border-color: #333; } }
@media print {
  body { margin: 0; max-width: none; font-size: 8pt; color: #000; background: #fff; }
  th { position: static; color: #000; background: #fff; } thead { display: table-header-group; }
  th, td { padding: 0 .4rem; line-height: 1.25; } tr { break-inside: avoid; } @page { margin: 12mm; }
}
"""


def html(table: StrategyTable) -> str:
    """A self-contained page with styles for the screen, light and dark, and for print."""
    columns = [
        (isinstance(cell, int | float), name)
        for cell, (name, _digits) in zip(table.rows[0], table.columns, strict=True)
    ]
    language = current_language()
    language_mark = f' lang="{table.language}"' if table.language != language else ""

    def line(tag: str, cells: list[str]) -> str:
        start_tag = f'{tag} scope="col"' if tag == "th" else tag
        marks = (
            ' class="n"' if is_number else language_mark if tag == "td" and name in CATEGORY_COLUMNS else ""
            for is_number, name in columns
        )
        inner = (f"<{start_tag}{mark}>{escape(cell)}</{tag}>" for cell, mark in zip(cells, marks, strict=True))
        return f"<tr>{''.join(inner)}</tr>"

    heads = line("th", list(table.names))
    rows = "\n".join(line("td", row) for row in table.cell_texts())
    notes = "".join(f"<p>{escape(note)}</p>\n" for note in table.notes)
    return (
        f'<!doctype html>\n<html lang="{language}"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(table.title)}</title>\n<style>{STYLE}</style></head>\n<body>\n"
        f"<h1>{escape(table.title)}</h1>\n{notes}"
        f"<table>\n<thead>{heads}</thead>\n<tbody>\n{rows}\n</tbody></table>\n</body></html>\n"
    )


def parquet(table: StrategyTable) -> bytes:
    """The bytes of a Parquet file.

    Raises
    ------
    MissingPackage
        Without pyarrow (extra `data`).
    """
    check_pyarrow("Parquet")
    import pyarrow.parquet

    columns = {name: [row[i] for row in table.rows] for i, name in enumerate(table.field_names)}
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
