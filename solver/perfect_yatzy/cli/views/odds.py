"""The answer of `yatzy odds` as text: the chance of each category in one turn."""

from __future__ import annotations

from ..._messages import _, number_text
from ...game.notation import glyphs, spaced
from ...game.rules import RuleSet
from ...strategy.category_odds import CategoryOdds
from .wording import category_name, chance_text, rerolls_left_text


def odds_lines(
    rules: RuleSet, dice: tuple[int, ...] | None, rolls_left: int, entries: list[CategoryOdds]
) -> list[str]:
    """Lines for `yatzy odds`.

    Parameters
    ----------
    dice
        The roll; None before the first roll, when there is nothing to hold yet.
    entries
        The categories, as :func:`perfect_yatzy.strategy.category_odds.category_odds` returns them.
    """
    roll = f"{spaced(dice)} ({glyphs(dice)})" if dice else _("Before the first roll")
    alone = _("{game}, one turn played for each category alone").format(game=rules.name)
    lines = [f"{roll}, {rerolls_left_text(rolls_left)}", alone]
    lines += [_("Each hold is the best one for the number to its left"), ""] if dice else [""]
    nothing, hold_word = _("nothing"), _("hold")
    category, chance_word, points = _("category"), _("chance"), _("points")
    width = max(len(c.name) for c in rules.categories)
    hold_width = max(2 * rules.dice - 1, len(nothing))

    def hold_cell(hold: tuple[int, ...] | None) -> str:
        return "" if hold is None else f"  {spaced(hold) or nothing:<{hold_width}}"

    hold_head = f"  {hold_word:<{hold_width}}" if dice else ""
    lines.append(f"  {category:<{width}}  {chance_word:>9}{hold_head}  {points:>7}{hold_head}".rstrip())
    for entry in entries:
        name, chance = category_name(rules, entry.category), chance_text(entry.chance)
        row = f"  {name:<{width}}  {chance:>9}{hold_cell(entry.hold)}"
        lines.append(
            f"{row}  {number_text(entry.expected_points, 2):>7}{hold_cell(entry.expected_points_hold)}".rstrip()
        )
    return lines
