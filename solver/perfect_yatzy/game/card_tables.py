"""Score sheets copied from a spreadsheet or a document, as the text of a card.

A table has a row for each box, or a row of names above a row of points. Its cells are separated by
tabs, commas, semicolons or bars, perhaps in quotes. A cell without points is an open box::

    Ones    3            Ones;Twos;Sixes         | Ones  | 3  |
    Twos                 3;;24                   | Twos  |    |
    Sixes   24                                   | Sixes | 24 |
"""

from __future__ import annotations

import re

CELL_ENDS = re.compile(r"[\t,;|]")
CELL_MARGINS = " \xa0\"'"
POINTS = re.compile(r"[0-9]+|[xX-]")
# A cell with a box and its points, in one of the forms of a card.
HAS_POINTS = re.compile(r"=|:\s*+[0-9xX-]|\s(?:[0-9]++|[xX-])\Z")
RULE = set("|:- \t")  # a line of these is below the names of a table in Markdown


def with_entries(text: str) -> str:
    """Return the text of a card with ``name=points`` in place of the rows of a table.

    Any other text is returned unchanged.
    """
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) < 2:
        return text
    if len(lines) > 2 and "--" in lines[1] and RULE.issuperset(lines[1]):
        del lines[:2]
    if len(lines) == 2:
        names, points = map(_cells, lines)
        is_row = len(names) == len(points) > 1 and all(map(_is_name, names))
        if is_row and all(not cell or POINTS.fullmatch(cell) for cell in points):
            return "; ".join(map(_entry, names, points))
    return ";".join(map(_with_entry, lines))


def _cells(line: str) -> list[str]:
    """Return the cells of a row, without the bars at its ends."""
    inner = line.strip(" ").removeprefix("|").removesuffix("|")
    return [cell.strip(CELL_MARGINS) for cell in CELL_ENDS.split(inner)]


def _is_name(cell: str) -> bool:
    """Return whether a cell can be the name of a box."""
    return bool(cell) and not POINTS.fullmatch(cell) and not HAS_POINTS.search(cell)


def _entry(name: str, points: str) -> str:
    """Return a box and its points as a card has them, and nothing for an open box."""
    return f"{name}={points}" if points else ""


def _with_entry(line: str) -> str:
    """Return a line as a name and its points, if it is a row of a table."""
    name, *rest = _cells(line)
    if not rest or not _is_name(name):
        return line
    if not any(rest):
        return ""
    if not all(map(POINTS.fullmatch, rest)):
        return line
    return f"{_entry(name, rest[0])}{''.join(f',{points}' for points in rest[1:])}"
