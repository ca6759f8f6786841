"""Small pieces of text that several views share: numbers, chances, losses, names of categories, wrapped lines."""

from __future__ import annotations

from textwrap import wrap

from ..._messages import _, ngettext, number_text, significant_text
from ...errors import alternatives as alternatives
from ...game.number_words import number_word as number_word
from ...game.rules import RuleSet

WIDTH = 78  # columns of a line


def points_text(points: float) -> str:
    """Points with two decimals, without a minus sign before zero."""
    return number_text(points, 2)


def decimal_text(value: float, digits: int = 6) -> str:
    """A number with only the decimals it needs, at most `digits` significant ones: ``0.1``, ``95``."""
    return significant_text(value, digits)


def loss_text(loss: float, is_best: bool) -> str:
    """A loss with two decimals; ``<0.01`` for a small loss, ``0.00 tie`` for another option as good as the best."""
    if loss == 0.0:
        return number_text(0, 2) if is_best else _("{loss} tie").format(loss=number_text(0, 2))
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
    return ngettext("{count} reroll left", "{count} rerolls left", number).format(count=number_word(number))


def category_name(rules: RuleSet, category: str) -> str:
    """Name of a category from its id."""
    return rules.categories[rules.index_of[category]].name


def wrapped(text: str) -> str:
    """Text in lines of at most 78 columns."""
    return "\n".join(wrap(text, WIDTH, subsequent_indent="  "))
