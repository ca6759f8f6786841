"""One player's game in progress: the card, the dice on the table, the legal actions. No table is needed.

The dice are those of :mod:`perfect_yatzy.game.dice`, a function of seed, game, turn and roll: the same actions
give the same game, and game g of ``perfect_yatzy.simulate(..., seed=s)`` meets the dice of game g of seed s here.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from ..errors import StateError, shown, whole_number
from ..game import legal_actions as numbers
from ..game.dice import Dice, dice_of_game
from ..game.legal_actions import start_turn
from ..game.rules import RuleSet
from ..game.scorecard import Scorecard
from ..game.scoring import upper_sums
from ..strategy.opening import open_strategy
from ..strategy.strategy import Strategy

Observation = dict[str, npt.NDArray[Any]]

SEED_MASK = (1 << 63) - 1  # the seeds of simulations
RENDER_MODES = ("ansi", "human")


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


class NumberedActions:
    """Actions of the rules of a game by number, and perfect play."""

    rules: RuleSet

    @cached_property
    def n_holds(self) -> int:
        """How many actions hold dice."""
        return numbers.hold_count(self.rules)

    @cached_property
    def n_actions(self) -> int:
        """How many actions there are."""
        return numbers.action_count(self.rules)

    def describe(self, action: int) -> numbers.Action:
        """Meaning of an action: the dice it holds, ascending, or the id of the category it scores."""
        return numbers.numbered_action(self.rules, action)

    def action(self, meaning: numbers.ActionText) -> int:
        """Number of the action that holds these dice (not all, in any order) or scores the category of that name."""
        return numbers.action_number(self.rules, meaning)

    @cached_property
    def _oracle(self) -> Strategy:
        """Perfect play, solved on first use."""
        return open_strategy(self.rules)


class SoloGame(NumberedActions):
    """The game of one player."""

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules
        self.start(0, 0)

    def start(self, seed: int, game: int) -> None:
        """Begin a game with an empty card and no dice on the table; the dice depend on `seed` and `game`."""
        self._seed, self._game = seed & SEED_MASK, game
        self.position, self.score = start_turn(self.rules, Scorecard(self.rules)), 0

    @property
    def card(self) -> Scorecard:
        """The card at the start of the turn."""
        assert isinstance(self.position.card, Scorecard)
        return self.position.card

    @property
    def rolls_left(self) -> int:
        """Rerolls left; 0 if there are no dice on the table."""
        return self.position.rolls_left if self.position.dice else 0

    def roll(self) -> None:
        """Roll the dice that are not held, at the start of a turn all of them."""
        rules, position, state = self.rules, self.position, self.position.state
        turn, rolls = state.filled.bit_count(), rules.rolls_per_turn - 1 + state.saved - position.rolls_left
        number = rules.dice - len(position.dice)
        rolled = dice_of_game(self._seed, self._game, turn, rolls, number, rules.faces)
        self.position = replace(position, dice=tuple(sorted(position.dice + rolled)))

    def legal(self, action: Any) -> bool:
        """Whether an action is legal now."""
        number = whole_number(action, "action")
        return 0 <= number < self.n_actions and bool(self.position.action_mask()[number])

    def play(self, action: int) -> int:
        """Take a legal action, roll the dice that are not held, and return the points made.

        The points include the upper bonus when it is reached. After a category no dice are on the table.
        """
        before = self.score
        self.position = self.position.apply(self.describe(action))
        if action < self.n_holds:
            self.roll()
        else:
            self.score = self.card.score
        return self.score - before

    def __str__(self) -> str:
        return line(self.card, self.position.dice, self.rolls_left)


def line(card: Scorecard, dice: Dice, rolls_left: int) -> str:
    """The card and the dice in one line."""
    return f"{card} | {dice}, {rolls_left} rerolls left"


Form = Literal["dict", "float", "one-hot"]
Reward = Literal["points", "regret"]  # the points made, or minus what the action loses against the best one


def check_choice(name: str, value: object, choices: tuple[Any, ...]) -> None:
    """Raise StateError unless an argument is one of its choices."""
    if value not in choices:
        raise StateError(f"{name} is {shown(value)}; must be one of {', '.join(map(repr, choices))}")


class Encoding:
    """The observations of a rule set in one form."""

    def __init__(self, rules: RuleSet, form: Form) -> None:
        check_choice("observation", form, get_args(Form))
        self.form, self.bounds = form, observation_bounds(rules)

    @property
    def space(self) -> spaces.Space[Any]:
        """The space of one observation."""
        if self.form == "dict":
            return spaces.Dict({name: spaces.Box(0, high, (n,), np.int64) for name, (n, high) in self.bounds.items()})
        if self.form == "float":
            return spaces.Box(0, 1, (sum(n for n, _ in self.bounds.values()),), np.float32)
        entries = (n if high == 1 else n * (high + 1) for n, high in self.bounds.values())
        return spaces.Box(0, 1, (sum(entries),), np.int8)

    def __call__(self, observation: Observation) -> Any:
        """One observation, or a batch of them: arrays ``(..., n)`` by name as one vector ``(..., entries)``."""
        if self.form == "dict":
            return observation
        parts = []
        for name, (_, high) in self.bounds.items():
            array = observation[name]
            if self.form == "float":
                parts.append((array / high).astype(np.float32))
            elif high == 1:
                parts.append(array.astype(np.int8))
            else:
                hot = array[..., None] == np.arange(high + 1)
                parts.append(hot.reshape(*array.shape[:-1], -1).astype(np.int8))
        return np.concatenate(parts, axis=-1)
