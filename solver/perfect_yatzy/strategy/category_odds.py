"""One turn without a score sheet: how likely is each category, if one plays for it alone?

    P(roll, left) = max over holds of mean over rerolls of P(new roll, left - 1),   P(roll, 0) = does it qualify?

No table is needed, and it works for any rule set, also those too large to be solved.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..errors import StateError, span
from ..game.dice import Floats, sub_multisets
from ..game.notation import check_dice, counts_of, dice_of
from ..game.points import points_table
from ..game.rules import RuleSet
from .turn_evaluator import Passes, passes


@dataclass(frozen=True)
class Odds:
    """What one category can hope for within a turn.

    Attributes
    ----------
    category : str
        Its id.
    chance : float
        Probability of scoring in it under the play that is best for that.
    hold : tuple of int or None
        Dice to hold for the best chance; None before the first roll.
    points : float
        Expected points under the play that is best for the points: another play, where more points cost chance.
    points_hold : tuple of int or None
        Dice to hold for the most points.
    """

    category: str
    chance: float
    hold: tuple[int, ...] | None
    points: float
    points_hold: tuple[int, ...] | None = None


def odds(rules: RuleSet, dice: Sequence[int] | None = None, rolls_left: int | None = None) -> list[Odds]:
    """Chance and expected points of every category, in the order of the sheet.

    Parameters
    ----------
    dice
        The dice on the table; None: before the first roll.
    rolls_left
        Rerolls still to come; default: all of a turn's. No more than a turn can have, saved rolls included.

    Raises
    ------
    StateError
        If the dice or `rolls_left` cannot occur.
    """
    left = rules.rolls_per_turn - 1 if rolls_left is None else rolls_left
    most = rules.rolls_per_turn - 1
    most *= len(rules.categories) if rules.saved_rolls else 1  # all of them saved, and the last turn's own
    if not 0 <= left <= most:
        raise StateError(f"{left} rolls left; under {rules.key} there can be {span(0, most)}")
    roll = None if dice is None else check_dice(rules, dice)
    turn, found = passes(rules.dice, rules.faces), []
    for category, paid in zip(rules.categories, points_table(rules).astype(np.float64), strict=True):
        chance, hold = _best(rules, turn, (paid > 0).astype(np.float64), roll, left)
        points, points_hold = _best(rules, turn, paid, roll, left)
        found.append(Odds(category.id, chance, hold, points, points_hold))
    return found


def _best(
    rules: RuleSet, turn: Passes, goal: Floats, roll: tuple[int, ...] | None, left: int
) -> tuple[float, tuple[int, ...] | None]:
    """Expected `goal` of the final roll under the best play for it, and the first hold of that play."""
    grid, rolls = turn.dice, goal
    holds = None
    for _ in range(left):
        holds = turn.holds_from_rolls(rolls)
        rolls = turn.best_within(holds)
    if roll is None:
        return float(grid.weights @ rolls), None
    counts = counts_of(rules, roll)
    kept = sub_multisets(np.array(counts, dtype=np.int64))[::-1]
    value = float(rolls[grid.rank(counts) - grid.first_roll])
    if holds is None:
        return value, roll
    worth = holds[grid.rank(kept)]
    # Of holds that are as good the one with most dice: nobody rerolls what need not be.
    good = kept[worth >= worth.max() - 1e-12]
    return value, dice_of(good[np.argmax(good.sum(axis=1))].tolist())
