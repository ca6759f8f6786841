"""Positions worth a thought: out of perfect games, the same for everybody on the same day.

A position's difficulty is what the second best choice loses: the less, the harder it is to see.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from ..game.dice import Dice
from ..game.scorecard import Scorecard
from ..strategy.actions import Choice, Hold
from ..strategy.strategy import Strategy
from .record import card_after
from .replay import play_turn
from .review import actions

# The second best hold of a perfect game loses 0.36, 0.89 and 1.70 points at the quartiles (solver.review).
DIFFICULTIES = {"easy": (1.7, 1e9), "medium": (0.4, 1.7), "hard": (0.05, 0.4)}
TRIES = 1000


@dataclass(frozen=True)
class Puzzle:
    """A card, dice on the table, and rerolls left; 0 asks for a category."""

    card: Scorecard
    dice: Dice
    rolls_left: int

    def options(self, strategy: Strategy) -> list[Hold | Choice]:
        """Everything one could do, best first."""
        return actions(strategy, self.card, self.dice, self.rolls_left)

    def gap(self, strategy: Strategy) -> float:
        """What the second best loses; 0 where there is no second."""
        found = self.options(strategy)
        return found[1].loss if len(found) > 1 else 0.0


def find_puzzle(strategy: Strategy, seed: int, difficulty: str = "medium") -> Puzzle:
    """A position of the wanted difficulty; the same one for the same seed.

    Raises
    ------
    ValueError
        If there is none, as in a game whose choices all lose more or less than that.
    """
    low, high = DIFFICULTIES[difficulty]
    chance, rules = random.Random(seed), strategy.rules
    for game in range(TRIES):
        card = Scorecard(rules)
        stop = chance.randrange(len(rules.categories))
        for turn in range(stop):
            card = card_after(card, play_turn(strategy, card, seed, game, turn))
        played = play_turn(strategy, card, seed, game, stop)
        number = chance.randrange(len(played.dice_history))
        left = strategy.most_rerolls(card.state) - number
        found = Puzzle(card, played.dice_history[number], left)
        if low <= found.gap(strategy) < high:
            return found
    raise ValueError(f"{rules.key} has no {difficulty} position within reach")
