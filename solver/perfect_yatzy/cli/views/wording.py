"""Small pieces of text that several views share: numbers, chances, losses, names of categories, wrapped lines."""

from __future__ import annotations

from textwrap import wrap

from ...errors import alternatives as alternatives
from ...game.number_words import number_word as number_word
from ...game.number_words import plural as plural
from ...game.rules import RuleSet

WIDTH = 78  # columns of a line


def points_text(points: float) -> str:
    """Points with two decimals, without a minus sign before zero."""
    return f"{round(points, 2) + 0.0:.2f}"


def loss_text(loss: float, is_best: bool) -> str:
    """A loss with two decimals; ``<0.01`` for a small loss, ``0.00 tie`` for another option as good as the best."""
    if loss == 0.0:
        return "0.00" if is_best else "0.00 tie"
    return "<0.01" if loss < 0.005 else f"{loss:.2f}"


def chance_text(chance: float) -> str:
    """Per cent with two decimals, small chances with four; 100 % and 0 % only for certain and impossible."""
    if 0 < chance < 0.00005:
        return f"{100 * chance:.4f} %" if chance >= 5e-7 else "<0.0001 %"
    if 0.99995 < chance < 1 - 1e-12:
        return ">99.99 %"
    return f"{100 * chance:.2f} %"


def category_name(rules: RuleSet, category: str) -> str:
    """Name of a category from its id."""
    return rules.categories[rules.index_of[category]].name


def wrapped(text: str) -> str:
    """Text in lines of at most 78 columns."""
    return "\n".join(wrap(text, WIDTH, subsequent_indent="  "))
