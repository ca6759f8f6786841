"""Hold a question about the dice on the table, and the form of its answer, whoever computes it."""

from __future__ import annotations

from typing import NamedTuple

from ..core.dice import Dice
from ..core.rules import RuleSet
from ..core.scoring import scoring_options
from ..core.state import State
from ..game.notation import counts_of
from .turn_evaluator import TurnEvaluator


class Turn(NamedTuple):
    """A question about the dice on the table, checked."""

    evaluator: TurnEvaluator
    state: State  # at the start of the turn
    dice: Dice
    rolls_left: int

    @property
    def is_first_roll(self) -> bool:
        """Whether no die has been rerolled in this turn."""
        return self.rolls_left == max_rerolls(self.evaluator.rules, self.state.saved)

    def categories(self) -> dict[int, tuple[int, int]]:
        """Return the categories that may take the dice, as :func:`.scoring_options` gives them."""
        rules = self.evaluator.rules
        state = self.state
        counts = counts_of(rules, self.dice)
        return scoring_options(rules, state.filled, state.joker_paid, counts, self.is_first_roll)


class RankedActions(NamedTuple):
    """The answer to a question about a turn: actions by number, best first.

    The numbers are those of :mod:`perfect_yatzy.game.legal_actions`, and ALL_DICE.
    """

    numbers: list[int]
    values: list[float]
    means: list[float]  # the same list as `values` where the mean is maximised
    category: int  # the best category for the dice

    def regret(self, evaluator: TurnEvaluator, number: int) -> float | None:
        """Return what an action loses against the best one.

        It is None if the action is not among these.
        """
        if number not in self.numbers:
            return None
        best = max(self.values)
        value = self.values[self.numbers.index(number)]
        return 0.0 if value >= evaluator.lowest_equal(best) else best - value


def max_rerolls(rules: RuleSet, saved: int) -> int:
    """Return the rerolls after the first roll of a turn that begins with `saved` saved rolls."""
    return rules.rolls_per_turn - 1 + saved
