"""One player's game in progress: the card, the dice on the table, the legal actions. No table is needed.

The dice are those of :mod:`perfect_yatzy.game.dice_stream`, a function of seed, game, turn and roll: the same actions
give the same game, and game g of ``perfect_yatzy.simulate(..., seed=s)`` meets the dice of game g of seed s here.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import whole_number
from ..game.action_numbers import action_count, hold_count, holds_within, numbered_action
from ..game.dice import Dice
from ..game.dice_stream import dice_of_game
from ..game.legal_actions import TurnPosition, start_turn
from ..game.rules import RuleSet
from ..game.scorecard import Scorecard
from ..game.upper_sums import upper_sums

Mask = npt.NDArray[np.int8]
Observation = dict[str, npt.NDArray[Any]]

SEED_MASK = (1 << 63) - 1  # the seeds of simulations


def observation_bounds(rules: RuleSet) -> dict[str, tuple[int, int]]:
    """Size of each array of an observation, and its largest entry; the smallest is 0."""
    turns = len(rules.categories) if rules.saved_rolls else 0
    return {
        "filled": (len(rules.categories), 1),
        "upper": (1, max(1, upper_sums(rules).largest)),
        "counts": (rules.faces, rules.dice),
        "rolls_left": (1, max(1, (rules.rolls_per_turn - 1) * (turns + 1))),
        "joker_paid": (1, 1),
    }


class SoloGame:
    """The game of one player.

    Attributes
    ----------
    rules : RuleSet
    n_holds, n_actions : int
        How many actions hold dice, and how many there are (:mod:`perfect_yatzy.game.action_numbers`).
    position : TurnPosition
        The card at the start of the turn, the dice on the table and the rerolls left.
    score : int
        Points on the card, with the upper bonus if it is reached.
    """

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules
        self.n_holds, self.n_actions = hold_count(rules), action_count(rules)
        self.start(0, 0)

    def start(self, seed: int, game: int) -> None:
        """Begin a game with an empty card and no dice on the table; the dice depend on `seed` and `game`."""
        self._seed, self._game = seed & SEED_MASK, game
        self._set(start_turn(self.rules, Scorecard(self.rules)))
        self.score = 0

    def _set(self, position: TurnPosition) -> None:
        self.position, self._state = position, position.state
        self._categories = [self.rules.index_of[category] for category in position.categories()]

    @property
    def card(self) -> Scorecard:
        """The card at the start of the turn."""
        assert isinstance(self.position.card, Scorecard)
        return self.position.card

    @property
    def over(self) -> bool:
        """Whether every category is filled."""
        return self._state.filled == self.rules.full_mask

    @property
    def rolls_left(self) -> int:
        """Rerolls left; 0 if there are no dice on the table."""
        return self.position.rolls_left if self.position.dice else 0

    def roll(self) -> None:
        """Roll the dice that are not held, at the start of a turn all of them."""
        rules, position, state = self.rules, self.position, self._state
        turn, rolls = state.filled.bit_count(), rules.rolls_per_turn - 1 + state.saved - position.rolls_left
        number = rules.dice - len(position.dice)
        rolled = dice_of_game(self._seed, self._game, turn, rolls, number, rules.faces)
        self._set(replace(position, dice=tuple(sorted(position.dice + rolled))))

    def mask(self) -> Mask:
        """``(n_actions,)`` int8: 1 for every legal action, 0 for the others."""
        return self.position.action_mask()

    def legal(self, action: Any) -> bool:
        """Whether an action is legal now."""
        number = whole_number(action, "action")
        if 0 <= number < self.n_holds:
            return self.rolls_left > 0 and bool(holds_within(self.rules, self.position.dice)[number])
        return number - self.n_holds in self._categories

    def play(self, action: int) -> int:
        """Take a legal action, roll the dice that are not held, and return the points made.

        The points include the upper bonus when it is reached. After a category no dice are on the table.
        """
        before = self.score
        self._set(self.position.apply(numbered_action(self.rules, action)))
        if action < self.n_holds:
            self.roll()
        else:
            self.score = self.card.score
        return self.score - before

    def observation(self) -> Observation:
        """The arrays of :func:`observation_bounds`, int64 each."""
        return self.position.observation()

    def __str__(self) -> str:
        return line(self.card, self.position.dice, self.rolls_left)


def line(card: Scorecard, dice: Dice, rolls_left: int) -> str:
    """The card and the dice in one line."""
    return f"{card} | {dice}, {rolls_left} rerolls left"
