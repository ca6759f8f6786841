"""The upper bonus of a card as text, for each column and with the next step that is within reach."""

from __future__ import annotations

from collections.abc import Sequence

from ...game.rules import RuleSet
from ...game.upper_sums import upper_sums


def upper_bonus_labels(rules: RuleSet) -> list[str]:
    """What the upper bonus of each column is called; without points if it has several steps."""
    names = [f", {column.name}" for column in rules.columns] or [""]
    points = ["" if bonus.lower_steps else f" of {bonus.points}" for bonus in rules.bonuses]
    return [f"Upper bonus{of}{name}" for of, name in zip(points, names, strict=False)]


def upper_bonus_lines(rules: RuleSet, filled: int, sums: Sequence[int]) -> list[str]:
    """One line for each bonus: secured, out of reach, or what is missing.

    Parameters
    ----------
    filled
        Bitmask of filled categories.
    sums
        Sum of the upper boxes of each column.
    """
    lines, to_come = [], upper_sums(rules).to_come(filled)
    for label, bonus, total, more in zip(upper_bonus_labels(rules), rules.bonuses, sums, to_come, strict=False):
        paid = bonus.paid(total)
        next_step, points = next((step for step in bonus.steps if step[0] > total), (0, 0))
        has = f", {paid} points secured" if paid else ""
        of = f"{total} of {next_step or bonus.threshold}"
        if bonus.lower_steps:
            of += f" for {points or bonus.points} points"
        if not next_step:
            lines.append(f"{label}: secured ({of})")
        elif total + more < next_step:
            lines.append(f"{label}: out of reach ({of}){has}")
        else:
            lines.append(f"{label}: {of}, {next_step - total} more needed{has}")
    return lines


def upper_bonus_cells(rules: RuleSet, filled: int, sums: Sequence[int]) -> list[str]:
    """For each bonus its points, or while it is undecided the upper sum: ``16 of 63``."""
    cells, to_come = [], upper_sums(rules).to_come(filled)
    for bonus, total, more in zip(rules.bonuses, sums, to_come, strict=False):
        paid = bonus.paid(total)
        if total >= bonus.threshold or (not more and paid):
            cells.append(f"+{paid}")
        else:
            cells.append(f"{total} of {bonus.threshold}" if more else "0")
    return cells
