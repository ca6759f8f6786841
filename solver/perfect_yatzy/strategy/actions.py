"""The actions for the dice on the table, best first: every hold, every category.

    value(category) = points + bonus points + V(card with the category filled)
    value(hold)     = E[ best value after rerolling the other dice ]        loss = best value - value

Actions of equal value are ranked by their mean: the expected points still to come if everything after the action
maximises the mean. This matters for goals and utilities; for the mean itself both values are the same.

The functions here trust their arguments; :class:`perfect_yatzy.strategy.strategy.Strategy` checks them first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from html import escape
from typing import Any, Generic, TypeVar

import numpy as np

from ..game.dice import sub_multisets
from ..game.notation import counts_of, dice_of, glyphs, spaced
from ..game.rules import RuleSet
from ..game.scorecard import State
from ..game.scoring import scoring_options
from .turn_evaluator import TurnEvaluator


@dataclass(frozen=True)
class Hold:
    """One way to hold some of the dice. Holding all of them means: stop and score.

    Attributes
    ----------
    dice : tuple of int
        Dice held, ascending.
    value : float
        Expected points still to come under perfect play, the upper bonus included, the points on the card not. From
        a :class:`perfect_yatzy.strategy.score_strategy.ScoreStrategy`: the chance of the goal (0 to 1), or the
        expected utility of the final score.
    loss : float
        The best hold's value minus this one's, in the same unit; 0.0 for the best and its ties.
    mean : float
        Expected points still to come if the mean is maximised after this hold; breaks ties of `value`.
    category : str or None
        For the hold of all dice: the id of the category to score now.
    """

    dice: tuple[int, ...]
    value: float
    loss: float
    mean: float
    category: str | None = None

    @property
    def label(self) -> str:
        """The hold in a few words."""
        if self.category:
            return f"score {self.category}"
        return f"hold {spaced(self.dice)} {glyphs(self.dice)}" if self.dice else "reroll all"


@dataclass(frozen=True)
class Choice:
    """One category for the dice on the table.

    Attributes
    ----------
    category : str
        Id of the category.
    points : int
        Points its box receives.
    value : float
        Expected points still to come, these points and the upper bonus included. From a
        :class:`perfect_yatzy.strategy.score_strategy.ScoreStrategy`: a chance or an expected utility, as for
        :class:`Hold`.
    loss : float
        The best category's value minus this one's, in the same unit; 0.0 for the best and its ties.
    mean : float
        Expected points still to come if the mean is maximised after this choice, these points included; breaks ties
        of `value`.
    bonus_points : int
        Joker or first-roll bonus paid now, included in `value`.
    """

    category: str
    points: int
    value: float
    loss: float
    mean: float
    bonus_points: int = 0

    @property
    def label(self) -> str:
        """The choice in a few words."""
        return f"{self.category} for {self.points + self.bonus_points}"


Action = TypeVar("Action", Hold, Choice)
Option = TypeVar("Option")


class Ranking(list[Action], Generic[Action]):
    """A list of actions, best first, which a notebook shows as a table."""

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{escape(entry.label)}</td><td>{entry.value:.4f}</td><td>{entry.loss:.4f}</td></tr>"
            for entry in self
        )
        return f"<table><tr><th>action</th><th>value</th><th>loss</th></tr>{rows}</table>"


def rank_categories(
    evaluator: TurnEvaluator, state: State, dice: tuple[int, ...], rolls_left: int
) -> Ranking[Choice]:
    """Every category that may take the dice, best first; of equal ones the first of the sheet comes first.

    Parameters
    ----------
    evaluator
        Evaluates turns from the position.
    state
        A checked state, not the end of the game.
    dice
        Checked dice, ascending.
    rolls_left
        Rerolls given up by scoring now.
    """
    rules, means = evaluator.rules, evaluator.means
    saved = rolls_left if rules.saved_rolls else 0
    first = rolls_left == max_rerolls(rules, state.saved)
    allowed = scoring_options(rules, state.filled, state.joker_paid, counts_of(rules, dice), first)
    entries = []
    for c, (points, bonus_points) in allowed.items():
        value = float(evaluator.child_value(state, c, np.array(points), bonus_points, saved))
        mean = value
        if means is not evaluator:
            mean = float(means.child_value(state, c, np.array(points), bonus_points, saved))
        entries.append((value, mean, (c, points, bonus_points)))
    return Ranking(
        Choice(rules.categories[c].id, points, value, loss, mean, bonus_points)
        for value, loss, mean, (c, points, bonus_points) in ranked(evaluator, entries, lambda choice: choice)
    )


def rank_holds(
    evaluator: TurnEvaluator, state: State, dice: tuple[int, ...], rolls_left: int, best: Choice
) -> Ranking[Hold]:
    """Every different hold, best first; of equal ones the one with more dice, then higher faces, comes first.

    Parameters
    ----------
    evaluator, state, dice
        As for :func:`rank_categories`.
    rolls_left
        Rerolls still to come, at least 1.
    best
        The best category for the dice: the hold of all dice scores it.
    """
    held = sub_multisets(np.array(counts_of(evaluator.rules, dice), dtype=np.int64))
    places = evaluator.dice.rank(held)
    values = evaluator.hold_values(state, rolls_left)[places]
    means = values.copy()
    if evaluator.means is not evaluator:
        means = evaluator.means.hold_values(state, rolls_left)[places]
    values[-1], means[-1] = best.value, best.mean  # sub_multisets ends with all dice
    entries = zip(values.tolist(), means.tolist(), map(dice_of, held.tolist()), strict=True)
    return Ranking(
        Hold(hold, value, loss, mean, best.category if len(hold) == len(dice) else None)
        for value, loss, mean, hold in ranked(evaluator, entries, lambda hold: (-len(hold), tuple(-f for f in hold)))
    )


def max_rerolls(rules: RuleSet, saved: int) -> int:
    """Rerolls after the first roll of a turn that begins with `saved` saved rolls."""
    return rules.rolls_per_turn - 1 + saved


def ranked(
    evaluator: TurnEvaluator, entries: Iterable[tuple[float, float, Option]], key: Callable[[Option], Any]
) -> list[tuple[float, float, float, Option]]:
    """Options in order of preference; those of equal value by their mean, those of equal mean by `key`.

    Parameters
    ----------
    evaluator
        Says which values are equal, and which means.
    entries
        Options as ``(value, mean, option)``.

    Returns
    -------
    list of (value, loss, mean, option)
    """
    remaining = sorted(entries, key=lambda entry: -entry[0])
    best, found = remaining[0][0], list[tuple[float, float, float, Option]]()
    while remaining:
        lowest = evaluator.lowest_equal(remaining[0][0])
        equal = [entry for entry in remaining if entry[0] >= lowest]
        remaining = remaining[len(equal) :]
        if evaluator.means is evaluator:
            equal.sort(key=lambda entry: key(entry[2]))
        else:
            by_mean = [(mean, mean, (value, option)) for value, mean, option in equal]
            order = ranked(evaluator.means, by_mean, lambda pair: key(pair[1]))
            equal = [(value, mean, option) for mean, _, _, (value, option) in order]
        for value, mean, option in equal:
            loss = 0.0 if value >= evaluator.lowest_equal(best) else best - value
            found.append((value, loss, mean, option))
    return found
