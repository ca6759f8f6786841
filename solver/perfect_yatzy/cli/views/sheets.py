"""Strategy tables people print: rows and columns first, then Markdown, CSV, JSON, HTML or Parquet.

opening      best hold for each of the first rolls, with two rerolls left and with one
scoring      best category for each final roll of the first turn
categories   what each category is worth: as the only one left, and what crossing it out first costs
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from typing import Any

from ..._version import ANSWER_SCHEMA
from ...errors import MissingPackage, StateError
from ...game.notation import dice_of, spaced
from ...game.scorecard import State
from ...game.translations import ENGLISH
from ...strategy.actions import Hold
from ...strategy.strategy import Strategy

Cell = str | int | float
NAMES = ("category", "second best")  # columns that hold names of categories


@dataclass(frozen=True)
class Sheet:
    """A strategy table: column names with the decimals they are shown with (0 for text), and rows."""

    title: str
    note: str
    columns: tuple[tuple[str, int], ...]
    rows: list[tuple[Cell, ...]]
    language: str = ENGLISH  # of the categories' names

    @property
    def names(self) -> list[str]:
        """Column names."""
        return [name for name, _ in self.columns]

    def shown(self) -> list[list[str]]:
        """Cells as text, numbers with their decimals."""

        def text(cell: Cell, digits: int) -> str:
            return f"{cell:.{digits}f}" if isinstance(cell, float) else str(cell)

        decimals = [digits for _, digits in self.columns]
        return [[text(cell, d) for cell, d in zip(row, decimals, strict=True)] for row in self.rows]


def _hold_cell(hold: Hold, dice: tuple[int, ...], strategy: Strategy) -> str:
    if hold.category:
        return f"take {strategy.rules.categories[strategy.rules.index_of[hold.category]].name}"
    return spaced(hold.dice) or "nothing"


def _rolls(strategy: Strategy) -> list[tuple[int, ...]]:
    grid = strategy.evaluator.dice
    return [dice_of(counts) for counts in grid.counts[grid.first_roll :].tolist()]


def opening(strategy: Strategy) -> Sheet:
    """Best hold for every roll of the first turn, by rerolls left."""
    rules = strategy.rules
    lefts = range(rules.rolls_per_turn - 1, 0, -1)
    if not lefts:
        raise StateError(f"{rules.key} has one roll a turn: there is nothing to hold")
    columns: list[tuple[str, int]] = [("dice", 0)]
    for left in lefts:
        columns += [
            (f"hold, {left} left", 0),
            (f"expected, {left} left", 2),
            (f"second best loses, {left} left", 2),
        ]
    rows: list[tuple[Cell, ...]] = []
    for dice in _rolls(strategy):
        row: list[Cell] = [spaced(dice)]
        for left in lefts:
            ranked = strategy.holds(State(), dice, left)
            second = ranked[1].loss if len(ranked) > 1 else 0.0
            row += [_hold_cell(ranked[0], dice, strategy), ranked[0].value, second]
        rows.append(tuple(row))
    return Sheet(
        f"{rules.name}: opening holds",
        "Empty card. Best dice to hold with so many rerolls left, the expected final score, and what the "
        "second best hold loses.",
        tuple(columns),
        rows,
        rules.language,
    )


def scoring(strategy: Strategy) -> Sheet:
    """Best category for every final roll of the first turn."""
    rules = strategy.rules
    names = {c.id: c.name for c in rules.categories}
    rows: list[tuple[Cell, ...]] = []
    for dice in _rolls(strategy):
        ranked = strategy.categories(State(), dice)
        best = ranked[0]
        second: tuple[Cell, Cell] = (names[ranked[1].category], ranked[1].loss) if len(ranked) > 1 else ("", 0.0)
        rows.append((spaced(dice), names[best.category], best.points, best.value, *second))
    return Sheet(
        f"{rules.name}: first category",
        "Empty card, no reroll left. Best category, its points, the expected final score, and what the second "
        "best category loses.",
        (("dice", 0), ("category", 0), ("points", 0), ("expected", 2), ("second best", 0), ("loses", 2)),
        rows,
        rules.language,
    )


def categories(strategy: Strategy) -> Sheet:
    """What each category is worth alone, and what it costs to cross it out at once."""
    rules = strategy.rules
    if rules.order == "forced":
        raise StateError(f"{rules.key} has a fixed order: there is no choice of category to tabulate")
    start = strategy.value(State())
    rows: list[tuple[Cell, ...]] = []
    for c, category in enumerate(rules.categories):
        alone = State(filled=rules.full_mask & ~(1 << c))
        without = strategy.value(State(filled=1 << c))
        rows.append((category.name, strategy.value(alone), without, start - without))
    return Sheet(
        f"{rules.name}: what a category is worth",
        "Alone: expected points when it is the only open category (no upper bonus in sight). Crossed out first: "
        "expected final score after putting 0 there in the first turn, and what that turn cost.",
        (("category", 0), ("alone", 2), ("crossed out first", 2), ("costs", 2)),
        rows,
        rules.language,
    )


SHEETS: dict[str, Callable[[Strategy], Sheet]] = {
    "opening": opening,
    "scoring": scoring,
    "categories": categories,
}


def markdown(sheet: Sheet) -> str:
    """A Markdown document with one table, columns aligned in the source too."""
    body = sheet.shown()
    widths = [max(len(name), *(len(row[i]) for row in body)) for i, name in enumerate(sheet.names)]
    right = [digits > 0 or isinstance(sheet.rows[0][i], int) for i, (_, digits) in enumerate(sheet.columns)]

    def line(cells: list[str]) -> str:
        padded = (c.rjust(w) if r else c.ljust(w) for c, w, r in zip(cells, widths, right, strict=True))
        return "| " + " | ".join(padded) + " |"

    rule = "|" + "|".join("-" * (w + 1) + (":" if r else "-") for w, r in zip(widths, right, strict=True)) + "|"
    return "\n".join([f"# {sheet.title}", "", sheet.note, "", line(sheet.names), rule, *map(line, body), ""])


def comma_separated(sheet: Sheet) -> str:
    """CSV with full precision and a header line."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(sheet.names)
    writer.writerows([[f"{cell:.10f}" if isinstance(cell, float) else cell for cell in row] for row in sheet.rows])
    return out.getvalue()


def as_json(sheet: Sheet) -> str:
    """One object: title, note, columns, rows as objects."""
    rows: list[dict[str, Any]] = [dict(zip(sheet.names, row, strict=True)) for row in sheet.rows]
    about = {"schema": ANSWER_SCHEMA, "title": sheet.title, "note": sheet.note, "rows": rows}
    return json.dumps(about, indent=1, ensure_ascii=False) + "\n"


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


def html(sheet: Sheet) -> str:
    """A page of its own with a style for the screen, light or dark, and one for print."""
    marked = [(isinstance(cell, int | float), c) for cell, c in zip(sheet.rows[0], sheet.names, strict=True)]
    spoken = f' lang="{sheet.language}"' if sheet.language != ENGLISH else ""

    def line(tag: str, cells: list[str]) -> str:
        opening = f'{tag} scope="col"' if tag == "th" else tag
        marks = (' class="n"' if r else spoken if tag == "td" and c in NAMES else "" for r, c in marked)
        inner = (f"<{opening}{mark}>{escape(cell)}</{tag}>" for cell, mark in zip(cells, marks, strict=True))
        return f"<tr>{''.join(inner)}</tr>"

    rows = "\n".join(line("td", row) for row in sheet.shown())
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(sheet.title)}</title>\n<style>{STYLE}</style></head>\n<body>\n"
        f"<h1>{escape(sheet.title)}</h1>\n<p>{escape(sheet.note)}</p>\n"
        f"<table>\n<thead>{line('th', sheet.names)}</thead>\n<tbody>\n{rows}\n</tbody></table>\n</body></html>\n"
    )


def parquet(sheet: Sheet) -> bytes:
    """Apache Parquet bytes; needs pyarrow (the extra `data`)."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        raise MissingPackage("Parquet", "pyarrow") from error
    columns = {name: [row[i] for row in sheet.rows] for i, name in enumerate(sheet.names)}
    sink = io.BytesIO()
    pq.write_table(pa.table(columns), sink)
    return sink.getvalue()


FORMATS: dict[str, Callable[[Sheet], str | bytes]] = {
    "md": markdown,
    "csv": comma_separated,
    "json": as_json,
    "html": html,
    "parquet": parquet,
}
