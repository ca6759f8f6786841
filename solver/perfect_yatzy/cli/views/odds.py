"""The answer of `yatzy odds` as text: the chance of each category in one turn."""

from __future__ import annotations

from fractions import Fraction

from ..._messages import _, number_text
from ...game.notation import glyphs, spaced
from ...game.rules import RuleSet
from ...strategy.category_odds import CategoryOdds
from .wording import category_name, chance_text, columns, names_width, rerolls_left_text


def odds_lines(
    rules: RuleSet, dice: tuple[int, ...] | None, rolls_left: int, entries: list[CategoryOdds]
) -> list[str]:
    """Lines for `yatzy odds`. Without dice, before the first roll, there is nothing to hold."""
    roll = f"{spaced(dice)} ({glyphs(dice)})" if dice else _("Before the first roll")
    alone = _("{game}, one turn played for each category alone", game=rules.name)
    lines = [f"{roll}, {rerolls_left_text(rolls_left)}", alone]
    lines += [_("Each hold is the best one for the number to its left"), ""] if dice else [""]
    nothing = _("nothing")

    def hold_cell(hold: tuple[int, ...] | None) -> str:
        return "" if hold is None else spaced(hold) or nothing

    rows = [[_("category"), _("chance"), _("hold"), _("points"), _("hold")]]
    for entry in entries:
        chance, points = chance_text(entry.chance), number_text(entry.expected_points, 2)
        if isinstance(entry.chance, Fraction):
            chance, points = str(entry.chance), str(entry.expected_points)
        holds = hold_cell(entry.hold), hold_cell(entry.expected_points_hold)
        rows.append([category_name(rules, entry.category), chance, holds[0], points, holds[1]])
    hold_form = f"<{max(2 * rules.dice - 1, len(nothing))}"
    widths = [max(least, *(len(row[i]) for row in rows)) for i, least in ((1, 9), (3, 7))]
    layout = [f"<{names_width(rules)}", f">{widths[0]}", hold_form, f">{widths[1]}", hold_form]
    shown = range(5) if dice else (0, 1, 3)
    return lines + columns([[row[i] for i in shown] for row in rows], *(layout[i] for i in shown))
