"""The upper bonus of a card as text, for each column and with the next step that is within reach."""

from __future__ import annotations

from collections.abc import Sequence

from ..._messages import _
from ...game.rules import RuleSet
from ...game.upper_sums import upper_sums


def upper_bonus_labels(rules: RuleSet, short: bool = False) -> list[str]:
    """What the upper bonus of each column is called; without points if it has several steps."""
    names = [f", {column.name}" for column in rules.columns] or [""]
    text = _("Upper bonus {points}") if short else _("Upper bonus of {points}")
    labels = [_("Upper bonus") if bonus.lower_steps else text.format(points=bonus.points) for bonus in rules.bonuses]
    return [label + name for label, name in zip(labels, names, strict=False)]


def upper_bonus_lines(rules: RuleSet, filled: int, sums: Sequence[int]) -> list[str]:
    """One line for each bonus: secured, out of reach, or what is missing.

    `filled` is a bitmask of categories, `sums` has the sum of the upper boxes of each column.
    """
    lines, to_come = [], upper_sums(rules).to_come(filled)
    for label, bonus, total, more in zip(upper_bonus_labels(rules), rules.bonuses, sums, to_come, strict=False):
        paid = bonus.paid(total)
        next_step, points = next((step for step in bonus.steps if step[0] > total), (0, 0))
        has = ", " + _("{points} points secured", points=paid) if paid else ""
        template = _("{sum} of {threshold} for {points} points") if bonus.lower_steps else _("{sum} of {threshold}")
        of = template.format(sum=total, threshold=next_step or bonus.threshold, points=points or bonus.points)
        if not next_step:
            lines.append(_("{bonus}: secured ({sums})", bonus=label, sums=of))
        elif total + more < next_step:
            lines.append(_("{bonus}: out of reach ({sums})", bonus=label, sums=of) + has)
        else:
            missing = next_step - total
            lines.append(_("{bonus}: {sums}, {missing} more needed", bonus=label, sums=of, missing=missing) + has)
    return lines


def upper_bonus_cells(rules: RuleSet, filled: int, sums: Sequence[int]) -> list[str]:
    """For each bonus its points, or while it is undecided the upper sum: ``16 of 63``."""
    cells, to_come = [], upper_sums(rules).to_come(filled)
    for bonus, total, more in zip(rules.bonuses, sums, to_come, strict=False):
        paid = bonus.paid(total)
        if total >= bonus.threshold or (not more and paid):
            cells.append(f"+{paid}")
        else:
            cells.append(_("{sum} of {threshold}", sum=total, threshold=bonus.threshold) if more else "0")
    return cells
