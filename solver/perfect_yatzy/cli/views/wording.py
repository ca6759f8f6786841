"""Text that several views share.

It is of numbers, names, lines and columns, the card, and the prompt for a decision.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from html import escape
from math import floor, log10
from pathlib import Path
from typing import Any

from ...core.rules import RuleSet
from ...core.scoring import upper_sums
from ...errors import StateError
from ...words import (
    MYRIADS,
    N_,
    _,
    current_language,
    ngettext,
    number_text,
    significant_text,
)
from ...words import number_word as number_word
from ..text_width import columns_of, wrap

WIDTH = 78  # columns of a line, fewer in a narrower terminal
# What a player may enter, in English and in the chosen language. The first word is the name of the
# command.
COMMANDS = {
    "help": N_("help, h"),
    "card": N_("card"),
    "undo": N_("undo, u"),
    "quit": N_("quit, q, exit"),
    "advice": N_("advice"),
    "advice win": N_("advice win"),
    "advice mean": N_("advice mean"),
    "none": N_("none, nothing, reroll"),
    "hold": N_("hold, keep, take, score"),
    "yes": N_("yes, y"),
    "no": N_("no, n"),
}
HOLD_HELP = N_("""\
  33            hold these dice and reroll the rest
  none          reroll all dice
""")
CATEGORY_HELP = N_("""\
  full house    take this category (id, name, code or a prefix)
""")
QUIT_HELP = N_("  quit          show the solution and quit")
MAX_NAMED_BOXES = 4  # filled categories that are named; more are counted


def grouped(number: float) -> str:
    """Return a whole number with signs between thousands, such as ``100,000``."""
    return number_text(number, grouped=True)


def size_text(size: float) -> str:
    """Return a number of bytes with three digits and a unit."""
    for unit in ("B", "kB", "MB"):
        if size < 1000:
            return f"{significant_text(size, 3)} {unit}"
        size /= 1000
    return f"{significant_text(size, 3)} GB"


def loss_text(loss: float, is_best: bool, decimals: int = 2) -> str:
    """Return a loss with two decimals.

    It is ``<0.01`` for a small loss, and ``0.00 tie`` for another option as good as the best.
    """
    if loss == 0.0:
        nothing = number_text(0, decimals)
        return nothing if is_best else _("{loss} tie", loss=nothing)
    least: float = 10.0**-decimals
    if loss < least / 2:
        return f"<{number_text(least, decimals)}"
    return number_text(loss, decimals)


def rounded_down(value: float, decimals: int) -> float:
    """Return a value without the decimals that are not shown, to be said after "at least"."""
    unit: float = 10.0**decimals
    # It is rounded first, because 0.29 * 100 is 28.999999999999996.
    return floor(round(value * unit, 6)) / unit


def rounded_up(value: float, decimals: int) -> float:
    """Return a value rounded up to the decimals that are shown, to be said after "at most"."""
    return -rounded_down(-value, decimals)


def chance_decimals(best: float) -> int:
    """Return how many decimals show, in per cent, in what chances differ from the best of them."""
    return 4 if 0 < best < 0.001 else 2


def chance_text(chance: float, best: float | None = None) -> str:
    """Return a chance in per cent with two decimals, or those of the best of several chances.

    Small chances have four decimals, and tiny ones are written as ``1 in 277 trillion``. Only what
    is certain or impossible is 100 % or 0 %.
    """
    if 0 < chance < 5e-7:  # with four decimals it would be 0.0000 %
        return _("1 in {number}", number=large_number_text(1 / chance))
    if 0.99995 < chance < 1 - 1e-12:  # with two decimals it would be 100.00 %
        return f">{number_text(99.99, 2)} %"
    hidden_by_two = 0 < chance < 0.00005  # with two decimals it would be 0.00 %
    decimals = 4 if hidden_by_two else chance_decimals(chance if best is None else best)
    return f"{number_text(100 * chance, decimals)} %"


def large_number_text(number: float) -> str:
    """Return a number of at least a million with three digits and a word: ``277 trillion``."""
    exponent = floor(log10(number) + 1e-12)
    shown = round(number, 2 - exponent)  # may have one digit more, as 999.6 million has
    exponent = floor(log10(shown) + 1e-12)
    if exponent >= 18:
        return f"{significant_text(shown / 10.0**exponent, 3)} × 10^{exponent}"
    myriads = MYRIADS.get(current_language())
    if myriads:  # languages whose words are for powers of ten thousand
        power = exponent - exponent % 4
        return significant_text(shown / 10.0**power, 4) + myriads[power]
    power = exponent - exponent % 3
    text = significant_text(shown / 10.0**power, 3)
    count = 1 if text == "1" else 2  # of the word
    words = {
        6: ngettext("{number} million", "{number} million", count, number=text),
        9: ngettext("{number} billion", "{number} billion", count, number=text),
        12: ngettext("{number} trillion", "{number} trillion", count, number=text),
        15: ngettext("{number} quadrillion", "{number} quadrillion", count, number=text),
    }
    return words[power]


def lower_bound_text(chance: float) -> str:
    """Return a chance as :func:`chance_text`, for a sentence with "at least".

    It is rounded down to the decimals shown.
    """
    return chance_text(rounded_down(chance, 2 + chance_decimals(chance)))


def rerolls_left_text(number: int) -> str:
    """Return how many rerolls are left, such as ``two rerolls left``."""
    if number == 0:
        return _("no rerolls left")
    return ngettext("one reroll left", "{count} rerolls left", number, count=number_word(number))


def category_name(rules: RuleSet, category: str) -> str:
    """Return the name of a category from its id."""
    return rules.categories[rules.index_of[category]].name


def names_width(rules: RuleSet) -> int:
    """Return the columns of the longest name of a category."""
    return max(columns_of(category.name) for category in rules.categories)


def line_width() -> int:
    """Return the columns of a line, at most 78 and no more than a terminal has."""
    if not sys.stdout.isatty():
        return WIDTH
    from shutil import get_terminal_size

    return min(WIDTH, get_terminal_size().columns)


def wrapped(text: str) -> str:
    """Return text in lines of :func:`line_width`. A path that is longer stays whole."""
    return "\n".join(
        wrap(
            text,
            line_width(),
            subsequent_indent="  ",
            break_long_words=False,
            break_on_hyphens=False,
        )
    )


def card_line(rules: RuleSet, answer: dict[str, Any]) -> str:
    """Return the scorecard of an answer in one line."""
    card = answer["card"]
    if not card:
        return _("{game}, empty card", game=rules.name)
    n_open = len(rules.categories) - len(card)
    if n_open == 0:
        filled = _("all {count} categories filled", count=len(card))
    elif len(card) <= MAX_NAMED_BOXES:
        named = (f"{category_name(rules, name)} {points}" for name, points in card.items())
        filled = ", ".join(named)
    else:
        counts = {"filled": number_word(len(card)), "open": number_word(n_open)}
        filled = ngettext(
            "{filled} categories filled, one open",
            "{filled} categories filled, {open} open",
            n_open,
            **counts,
        )
    return _(
        "{game}, {points} points: {filled}",
        game=rules.name,
        points=answer["card_total"],
        filled=filled,
    )


def approximate_lines(answer: dict[str, Any]) -> list[str]:
    """Return an empty line and the certificate if an answer is that of an approximate strategy."""
    approximate = answer.get("approximate")
    if not approximate:
        return []
    return ["", *wrapped(_("Approximate: {text}", text=approximate["text"])).splitlines()]


def html_page(language: str, title: str, styles: Sequence[str], body: str) -> str:
    """Return a page with a title and the styles of these names.

    `body` is the whole element, with its tags.
    """
    sheets = (Path(__file__).parent.parent / "styles" / f"{name}.css" for name in styles)
    style = "".join("\n" + sheet.read_text(encoding="utf-8") for sheet in sheets)
    return (
        f'<!doctype html>\n<html lang="{language}"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{style}</style></head>\n{body}</html>\n"
    )


def upper_bonus_labels(rules: RuleSet, short: bool = False) -> list[str]:
    """Return what the upper bonus of each column is called.

    A bonus with several steps has no points in its name.
    """
    endings = [f", {column.name}" for column in rules.columns] or [""]  # none for a single column
    text = _("Upper bonus {points}") if short else _("Upper bonus of {points}")
    labels = [
        _("Upper bonus") if bonus.lower_steps else text.format(points=bonus.points)
        for bonus in rules.bonuses
    ]
    return [label + ending for label, ending in zip(labels, endings, strict=False)]


def upper_bonus_lines(rules: RuleSet, filled: int, sums: Sequence[int]) -> list[str]:
    """Return one line for each bonus: secured, out of reach, or what is missing.

    `sums` are the upper sums of the columns.
    """
    lines = []
    to_come = upper_sums(rules).to_come(filled)  # the most that each sum can still gain
    for label, bonus, total, more in zip(
        upper_bonus_labels(rules), rules.bonuses, sums, to_come, strict=False
    ):
        next_step = bonus.next_step(total)  # None if all steps are reached
        threshold, points = next_step or bonus.steps[-1]
        template = (
            _("{sum} of {threshold} for {points} points")
            if bonus.lower_steps
            else _("{sum} of {threshold}")
        )
        progress = template.format(sum=total, threshold=threshold, points=points)
        paid = bonus.paid(total)  # by the steps before
        secured = f", {_('{points} points secured', points=paid)}" if paid else ""
        missing = threshold - total
        if next_step is None:
            lines.append(_("{bonus}: secured ({sums})", bonus=label, sums=progress))
        elif more < missing:
            lines.append(_("{bonus}: out of reach ({sums})", bonus=label, sums=progress) + secured)
        else:
            needed = _(
                "{bonus}: {sums}, {missing} more needed",
                bonus=label,
                sums=progress,
                missing=missing,
            )
            lines.append(needed + secured)
    return lines


def upper_bonus_cells(rules: RuleSet, filled: int, sums: Sequence[int]) -> list[str]:
    """Return the points earned for each bonus.

    While upper boxes are open, the sum and the next step follow, as in ``+35, 70 of 71``.
    """
    cells = []
    to_come = upper_sums(rules).to_come(filled)  # the most that each sum can still gain
    for bonus, total, more in zip(rules.bonuses, sums, to_come, strict=False):
        paid = bonus.paid(total)
        parts = [f"+{paid}"] if paid else []
        next_step = bonus.next_step(total)
        if more and next_step:
            threshold, _points = next_step
            parts.append(_("{sum} of {threshold}", sum=total, threshold=threshold))
        cells.append(", ".join(parts) or "0")
    return cells


def decision_question(rolls_left: int) -> str:
    """Return the prompt for a decision."""
    return (
        _("Hold which dice, or take which category? (help)")
        if rolls_left
        else _("Take which category? (help)")
    )


def words_for(command: str) -> set[str]:
    """Return every word that a player may enter for a command of COMMANDS."""
    return {*COMMANDS[command].split(", "), *_(COMMANDS[command]).split(", ")}  # marked elsewhere


def command_of(text: str) -> str:
    """Return the name of the command that a player enters, or the text in lower case."""
    word = " ".join(text.lower().split())
    return next((command for command in COMMANDS if word in words_for(command)), word)


def decision_of(text: str) -> str:
    """Return a decision without the verb before it: ``full house`` for ``take full house``.

    Raises StateError for a verb alone.
    """
    if command_of(text) == "hold":
        raise StateError(_("name the dice to hold, such as 33, or the category to take"))
    verbs = "|".join(map(re.escape, words_for("hold")))
    text = re.sub(rf"^({verbs})\s+(?=\S)", "", text, flags=re.IGNORECASE)
    return "none" if command_of(text) == "none" else text
