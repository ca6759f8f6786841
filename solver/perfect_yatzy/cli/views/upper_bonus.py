"""The upper bonus of a card as text, for each column and with the next step that is within reach."""

from __future__ import annotations

from collections.abc import Sequence

from ...game.rules import RuleSet
from ...game.upper_sums import upper_sums


def upper_bonus_labels(rules: RuleSet) -> list[str]:
    """What the upper bonus of each column is called."""
    names = [f", {column.name}" for column in rules.columns] or [""]
    return [f"Upper bonus of {bonus.points}{name}" for bonus, name in zip(rules.bonuses, names, strict=False)]


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
        next_step = next((least for least, _ in bonus.steps if least > total), None)
        has = f", {paid} points secured" if paid else ""
        if next_step is None:
            lines.append(f"{label}: secured ({total} of {bonus.threshold})")
        elif total + more < next_step:
            lines.append(f"{label}: out of reach ({total} of {next_step}){has}")
        else:
            lines.append(f"{label}: {total} of {next_step}, {next_step - total} more needed{has}")
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
