"""Chances of one turn without a score sheet: how likely is each category if the turn is played for it alone?

    P(roll, left) = max over holds of E[P(new roll, left - 1)]
    P(roll, 0) = 1 if the roll scores in the category, else 0

and the same with the points of the category in place of P for the expected points. No table is needed, so it works
for every rule set, also for those that are too large to solve.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from ..errors import StateError, _, span
from ..game.dice import sub_multisets
from ..game.notation import check_dice, counts_of, dice_of
from ..game.rules import RuleSet
from ..game.scoring import points_table
from .turn_evaluator import Passes, passes


@dataclass(frozen=True)
class CategoryOdds:
    """What one category can yield within a turn."""

    category: str  # id of the category
    chance: float  # probability (a Fraction if exact) of scoring in it if the turn maximises that probability
    # Dice to hold to maximise the probability; None before the first roll
    hold: tuple[int, ...] | None
    # Expected points in it if the turn maximises these; in general a different way to play
    expected_points: float
    # Dice to hold to maximise the expected points; None before the first roll
    expected_points_hold: tuple[int, ...] | None = None


def category_odds(
    rules: RuleSet, dice: Sequence[int] | None = None, rolls_left: int | None = None, *, exact: bool = False
) -> list[CategoryOdds]:
    """Chance and expected points of every category, in the order of the sheet; fractions if `exact`."""
    rerolls = rules.rolls_per_turn - 1 if rolls_left is None else rolls_left
    max_rerolls = rules.rolls_per_turn - 1
    max_rerolls *= len(rules.categories) if rules.saved_rolls else 1  # the last turn with all rerolls saved
    if not 0 <= rerolls <= max_rerolls:
        text = _("{count} rolls left; under {rules} there can be {possible}")
        raise StateError(text.format(count=rerolls, rules=rules.key, possible=span(0, max_rerolls)))
    roll = None if dice is None else check_dice(rules, dice)
    turn, found = passes(rules.dice, rules.faces), []
    # In arrays of fractions, the passes are exact.
    number: Any = np.frompyfunc(Fraction, 1, 1) if exact else np.float64
    for category, points in zip(rules.categories, number(points_table(rules)), strict=True):
        chance, hold = _best(rules, turn, number(np.array(points > 0, dtype=np.int64)), roll, rerolls)
        expected_points, points_hold = _best(rules, turn, points, roll, rerolls)
        found.append(CategoryOdds(category.id, chance, hold, expected_points, points_hold))
    return found


def _best(
    rules: RuleSet, turn: Passes, final_values: Any, roll: tuple[int, ...] | None, rerolls: int
) -> tuple[Any, tuple[int, ...] | None]:
    """Largest expected value of the final roll, and the hold that begins it; None before the first roll."""
    grid, roll_values, hold_values, exact = turn.dice, final_values, None, final_values.dtype == object
    for _reroll in range(rerolls):
        hold_values = turn.holds_from_rolls(roll_values)
        roll_values = turn.best_within(hold_values)
    if roll is None:
        if not exact:
            return float(grid.weights @ roll_values), None
        ways = rules.faces**rules.dice
        return Fraction((np.round(grid.weights * ways).astype(np.int64) * roll_values).sum(), ways), None
    counts = counts_of(rules, roll)
    value = np.asarray(roll_values[grid.rank(counts) - grid.first_roll]).item()
    if hold_values is None:
        return value, roll
    holds = sub_multisets(np.array(counts, dtype=np.int64))[::-1]
    values = hold_values[grid.rank(holds)]
    # Of equal holds the one with the most dice, so that no die is rerolled without need.
    best = holds[values >= values.max() - (0 if exact else 1e-12)]
    return value, dice_of(best[np.argmax(best.sum(axis=1))].tolist())
