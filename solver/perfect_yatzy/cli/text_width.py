"""The width, padding and wrapping of text in the columns of a terminal.

The characters of East Asian scripts are two columns wide.
"""

from __future__ import annotations

import re
import textwrap
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any

import click

WIDE = "WF"  # the classes of unicodedata.east_asian_width that take two columns
# This stands for the second column of a character while a text is wrapped. It is a letter, so that
# no line breaks before it, and no text has it.
SECOND_COLUMN = "\u115f"
# Japanese breaks after any character, but not before these (or after an opening bracket).
NOT_FIRST = "、。，．・：；？！）」』】〕》〉ー々ぁぃぅぇぉっゃゅょァィゥェォッャュョ…"
OPENING = "（「『【〔《〈"
COLUMNS = re.compile(r"\S {2,}\S")
KANA_OR_KANJI = "\u3001-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uff01-\uff60"
BREAK = re.compile(
    f"(?<=[{KANA_OR_KANJI}]{SECOND_COLUMN})(?<![{OPENING}]{SECOND_COLUMN})(?![{NOT_FIRST})\\],.:;?!])"
    f"|(?<=[^\\s{SECOND_COLUMN}({OPENING}])(?=[{KANA_OR_KANJI}])(?![{NOT_FIRST}])"
)


def columns_of(text: str) -> int:
    """Return how many columns a text takes in a terminal."""
    if text.isascii():
        return len(text)
    return sum(map(_columns_of_character, text))


def _columns_of_character(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in WIDE else 1


def left(text: str, columns: int) -> str:
    """Return a text with blanks after it up to a number of columns."""
    return text + " " * (columns - columns_of(text))


def right(text: str, columns: int) -> str:
    """Return a text with blanks before it up to a number of columns."""
    return " " * (columns - columns_of(text)) + text


def columns(rows: Sequence[Sequence[str]], *layout: str, indent: str = "  ") -> list[str]:
    """Return rows of cells as lines.

    `layout` has ``<`` or ``>`` for each column, perhaps with a width. Without a width a column is
    as wide as its longest cell.
    """
    longest = [max(map(columns_of, column)) for column in zip(*rows, strict=True)]
    widths = [int(form[1:] or width) for form, width in zip(layout, longest, strict=True)]
    sides = [right if form[0] == ">" else left for form in layout]
    lines = []
    for row in rows:
        cells = (pad(cell, width) for pad, cell, width in zip(sides, row, widths, strict=True))
        lines.append((indent + "  ".join(cells)).rstrip())
    return lines


def squeezed(lines: Sequence[str], gap: int) -> list[str]:
    """Return the lines of a table with at most `gap` blanks between columns and before the first.

    A line without columns stays.
    """
    rows = {  # the lines with columns, by their number
        number: _with_second_columns(line)
        for number, line in enumerate(lines)
        if COLUMNS.search(line)
    }
    longest = max(map(len, rows.values()), default=0)
    padded = [row.ljust(longest) for row in rows.values()]
    kept_places = list[int]()
    blanks = 0  # places up to this one that are blank in all rows
    for place, characters in enumerate(zip(*padded, strict=True)):
        blanks = blanks + 1 if {*characters} == {" "} else 0
        if blanks <= gap:
            kept_places.append(place)
    result = [*lines]
    for number, row in zip(rows, padded, strict=True):
        text = "".join(row[place] for place in kept_places)
        result[number] = text.rstrip().replace(SECOND_COLUMN, "")
    return result


def shortened(text: str, most: int) -> str:
    """Return the beginning of a text that fits into `most` columns.

    It ends with an ellipsis if the text is longer.
    """
    if columns_of(text) <= most:
        return text
    while columns_of(text) >= most:
        text = text[:-1]
    return f"{text}…"


def wrap(text: str, width: int, **options: Any) -> list[str]:
    """Return lines of at most `width` columns, as :func:`textwrap.wrap` with the same options."""
    wrapper = _Wrapper(width, **options)
    return [line.replace(SECOND_COLUMN, "") for line in wrapper.wrap(_with_second_columns(text))]


def _with_second_columns(text: str) -> str:
    """Return a text that has as many characters as columns."""
    if text.isascii():
        return text
    return "".join(character + SECOND_COLUMN * (columns_of(character) - 1) for character in text)


class _Wrapper(textwrap.TextWrapper):
    """Breaks lines of kana and kanji between characters, and all others at blanks and hyphens."""

    def _split(self, text: str) -> list[str]:
        return [part for chunk in super()._split(text) for part in BREAK.split(chunk) if part]


class HelpFormatter(click.HelpFormatter):
    """The help of a command as click writes it, also in scripts with wide characters."""

    def write_text(self, text: str) -> None:
        """Write paragraphs, of which those that begin with ``\\b`` are not wrapped."""
        if columns_of(text) == len(text):
            super().write_text(text)
            return
        indent = " " * self.current_indent
        parts = []
        for paragraph in text.split("\n\n"):
            if paragraph.startswith("\b"):
                parts += ["\n".join(indent + line for line in paragraph.split("\n")[1:])]
            else:
                options = {"initial_indent": indent, "subsequent_indent": indent}
                parts += ["\n".join(wrap(paragraph, self.width, **options))]
        self.write("\n\n".join(parts) + "\n")

    def write_dl(
        self, rows: Iterable[tuple[str, str]], col_max: int = 30, col_spacing: int = 2
    ) -> None:
        """Write terms and what they mean in two columns."""
        rows = list(rows)
        if all(columns_of(text) == len(text) for row in rows for text in row):
            super().write_dl(rows, col_max, col_spacing)
            return
        indent = " " * self.current_indent
        widest = min(max(columns_of(term) for term, _meaning in rows), col_max)
        second_indent = " " * (self.current_indent + widest + col_spacing)
        for term, meaning in rows:
            lines = wrap(meaning, max(self.width - len(second_indent), 10))
            if columns_of(term) > widest:
                lines.insert(0, "")  # the meaning begins below a long term
            first, *others = lines or [""]
            self.write((indent + left(term, widest + col_spacing) + first).rstrip() + "\n")
            for line in others:
                self.write(f"{second_indent}{line}\n")
