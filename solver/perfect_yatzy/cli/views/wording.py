"""Small pieces of text that several views share: numbers, chances, losses, sizes, names, lines and columns."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from textwrap import wrap

from ..._messages import _, ngettext, number_text, significant_text
from ...errors import alternatives as alternatives
from ...game.rule_words import number_word as number_word
from ...game.rules import RuleSet

WIDTH = 78  # columns of a line, fewer in a narrower terminal


def points_text(points: float) -> str:
    """Points with two decimals, without a minus sign before zero."""
    return number_text(points, 2)


def grouped(number: float) -> str:
    """A whole number with signs between thousands: ``100,000``."""
    return number_text(number, grouped=True)


def decimal_text(value: float, digits: int = 6) -> str:
    """A number with only the decimals it needs, at most `digits` significant ones: ``0.1``, ``95``."""
    return significant_text(value, digits)


def size_text(size: float) -> str:
    """A number of bytes with three digits and a unit."""
    for unit in ("B", "kB", "MB"):
        if size < 1000:
            return f"{decimal_text(size, 3)} {unit}"
        size /= 1000
    return f"{decimal_text(size, 3)} GB"


def loss_text(loss: float, is_best: bool) -> str:
    """A loss with two decimals; ``<0.01`` for a small loss, ``0.00 tie`` for another option as good as the best."""
    if loss == 0.0:
        return number_text(0, 2) if is_best else _("{loss} tie", loss=number_text(0, 2))
    return f"<{number_text(0.01, 2)}" if loss < 0.005 else number_text(loss, 2)


def chance_text(chance: float) -> str:
    """Per cent with two decimals, small chances with four; 100 % and 0 % only for certain and impossible."""
    if 0 < chance < 0.00005:
        return f"{number_text(100 * chance, 4)} %" if chance >= 5e-7 else f"<{number_text(0.0001, 4)} %"
    if 0.99995 < chance < 1 - 1e-12:
        return f">{number_text(99.99, 2)} %"
    return f"{number_text(100 * chance, 2)} %"


def rerolls_left_text(number: int) -> str:
    """How many rerolls are left: ``two rerolls left``."""
    return ngettext("{count} reroll left", "{count} rerolls left", number, count=number_word(number))


def category_name(rules: RuleSet, category: str) -> str:
    """Name of a category from its id."""
    return rules.categories[rules.index_of[category]].name


def names_width(rules: RuleSet) -> int:
    """Length of the longest name of a category."""
    return max(len(category.name) for category in rules.categories)


def line_width() -> int:
    """Columns of a line: at most 78, and no more than a terminal has."""
    if not sys.stdout.isatty():
        return WIDTH
    from shutil import get_terminal_size

    return min(WIDTH, get_terminal_size().columns)


def wrapped(text: str) -> str:
    """Text in lines of :func:`line_width`; a path that is longer stays whole."""
    return "\n".join(wrap(text, line_width(), subsequent_indent="  ", break_long_words=False, break_on_hyphens=False))


def columns(rows: Sequence[Sequence[str]], *layout: str, indent: str = "  ") -> list[str]:
    """Rows of cells as lines, the columns two spaces apart.

    `layout` has the alignment of each column, ``<`` or ``>``, and its width; default: that of its longest cell.
    """
    longest = [max(map(len, column)) for column in zip(*rows, strict=True)]
    forms = [form if form[1:] else f"{form}{width}" for form, width in zip(layout, longest, strict=True)]
    return [(indent + "  ".join(map(format, row, forms))).rstrip() for row in rows]
