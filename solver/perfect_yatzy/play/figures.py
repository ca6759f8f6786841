"""What recorded games add up to: points lost by kind of decision, by turn and by category, luck, results."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..game.dice import Floats, Ints
from ..game.rules import RuleSet
from .grading import GradedGames
from .review import GRADES, TIE_TOLERANCE

LIMITS = (TIE_TOLERANCE, *(limit for limit, _ in GRADES))  # of inaccuracies, mistakes and blunders
GRADE_NAMES = (*(name for _, name in GRADES), "blunder")


def decision_kinds(rules: RuleSet) -> tuple[str, ...]:
    """The kinds of decisions: ``hold_1`` after the first roll of a turn, and so on; ``category`` without rolls left.

    To stop early is one decision, as in a review, and belongs to its roll. With saved rolls the last hold is that
    after roll ``rolls_per_turn`` or a later one.
    """
    holds = rules.rolls_per_turn - (0 if rules.saved_rolls else 1)
    return *(f"hold_{number}" for number in range(1, holds + 1)), "category"


@dataclass(frozen=True)
class Figures:
    """Sums over each of n games of one player, ``(n, ...)`` arrays; points unless stated otherwise."""

    # (n,): Final score, and sum of the luck of all rolls
    results: Ints
    luck: Floats
    # (n, kinds): Points lost, and number of decisions, by :func:`decision_kinds`
    lost: Floats
    decisions: Ints
    errors: Ints  # (n, 3): Number of inaccuracies, mistakes and blunders (:func:`.review.grade`)
    lost_by_turn: Floats  # (n, turns): Points lost in each turn
    category_points: Ints  # (n, categories): Points of each box
    # (n, categories): Points lost, against the best category for the same dice, by turns that took this category, and
    # by those that should have taken it
    lost_by_taking: Floats
    lost_by_leaving: Floats

    def of(self, games: npt.NDArray[Any]) -> Figures:
        """The figures of some of the games."""
        return Figures(*(column[games] for column in vars(self).values()))


def figures_of(rules: RuleSet, graded: GradedGames) -> Figures:
    """Sum up valued games."""
    games, kinds = len(graded.results), len(decision_kinds(rules))

    def totals(card: Ints, column: Ints | int, columns: int, weights: Floats | Ints | None = None) -> Any:
        """Sums of `weights`, or counts, by card and column."""
        found = np.bincount(card * columns + column, weights, games * columns)
        return found.reshape(games, columns)

    turn, boxes = graded.card_of_turn, len(rules.categories)
    card, number = graded.card_of_roll, graded.turn_number
    kind = np.where(graded.can_reroll, np.minimum(graded.number_of_roll, kinds - 1), kinds) - 1
    loss = graded.hold_loss.copy()
    loss[graded.last_rolls] += graded.category_loss
    grades = np.searchsorted(LIMITS, loss, side="right") - 1
    wrong, missed = grades >= 0, graded.category_loss > 0
    return Figures(
        results=graded.results,
        luck=totals(card, 0, 1, graded.luck)[:, 0],
        lost=totals(card, kind, kinds, loss),
        decisions=totals(card, kind, kinds),
        errors=totals(card[wrong], grades[wrong], len(LIMITS)),
        lost_by_turn=totals(card, number[graded.turn_of_roll], boxes, loss),
        category_points=totals(turn, graded.category, boxes, graded.points).astype(np.int64),
        lost_by_taking=totals(turn, graded.category, boxes, graded.category_loss),
        lost_by_leaving=totals(turn[missed], graded.best_category[missed], boxes, graded.category_loss[missed]),
    )
