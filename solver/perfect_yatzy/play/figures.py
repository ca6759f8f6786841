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
    """The kinds of decisions: ``hold_1`` after the first roll of a turn, and so on; ``category``.

    With saved rolls the last hold is that after roll ``rolls_per_turn`` or a later one.
    """
    holds = rules.rolls_per_turn - (0 if rules.saved_rolls else 1)
    return *(f"hold_{number}" for number in range(1, holds + 1)), "category"


@dataclass(frozen=True)
class Figures:
    """Sums over each of n games of one player, ``(n, ...)`` arrays; points unless stated otherwise.

    Attributes
    ----------
    results, luck : (n,)
        Final score, and sum of the luck of all rolls.
    lost, decisions : (n, kinds)
        Points lost, and number of decisions, by :func:`decision_kinds`.
    errors : (n, 3)
        Number of inaccuracies, mistakes and blunders (:func:`.review.grade`).
    lost_by_turn : (n, turns)
        Points lost in each turn.
    category_points : (n, categories)
        Points of each box.
    lost_by_taking, lost_by_leaving : (n, categories)
        Points lost by category decisions that took this category, and by those that should have taken it.
    """

    results: Ints
    luck: Floats
    lost: Floats
    decisions: Ints
    errors: Ints
    lost_by_turn: Floats
    category_points: Ints
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
    choice = graded.can_reroll
    card, loss = graded.card_of_roll[choice], graded.hold_loss[choice]
    kind = np.minimum(graded.number_of_roll[choice], kinds - 1) - 1
    ends = np.full(len(turn), kinds - 1)
    all_cards, all_kinds = np.concatenate([card, turn]), np.concatenate([kind, ends])
    all_losses = np.concatenate([loss, graded.category_loss])
    grades = np.searchsorted(LIMITS, all_losses, side="right") - 1
    wrong, missed = grades >= 0, graded.category_loss > 0
    number = graded.turn_number
    lost_by_turn = totals(card, number[graded.turn_of_roll[choice]], boxes, loss)
    return Figures(
        results=graded.results,
        luck=totals(graded.card_of_roll, 0, 1, graded.luck)[:, 0],
        lost=totals(all_cards, all_kinds, kinds, all_losses),
        decisions=totals(all_cards, all_kinds, kinds),
        errors=totals(all_cards[wrong], grades[wrong], len(LIMITS)),
        lost_by_turn=lost_by_turn + totals(turn, number, boxes, graded.category_loss),
        category_points=totals(turn, graded.category, boxes, graded.points).astype(np.int64),
        lost_by_taking=totals(turn, graded.category, boxes, graded.category_loss),
        lost_by_leaving=totals(turn[missed], graded.best_category[missed], boxes, graded.category_loss[missed]),
    )
