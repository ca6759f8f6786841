"""A Gymnasium environment (extra `rl`): one player's game, with the oracle's values and regret on request.

>>> import gymnasium, perfect_yatzy.rl                                     # doctest: +SKIP
>>> env = gymnasium.make("perfect-yatzy/Yatzy-v0", oracle=True)     # doctest: +SKIP

What its actions and observations are, :class:`YatzyEnv` says.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.error import ResetNeeded

from .errors import StateError, whole_number
from .game.dice import Ints, lattice
from .game.notation import counts_of, dice_of, find_category, spaced
from .game.rule_loader import load_rules
from .game.rules import RuleSet
from .game.scorecard import Scorecard
from .game.scoring import scoring_options
from .strategy.opponents import final_score
from .strategy.strategy import Strategy, open_strategy

Observation = dict[str, npt.NDArray[Any]]


class YatzyEnv(gymnasium.Env[Observation, np.int64]):
    """One player's game.

    An action is a number. First come the holds that reroll something, every multiset of fewer dice than the game
    has, by their number and then by their faces: 0 rerolls all, 1 holds one die that shows 1. Then come the
    categories in the order of the sheet. Yatzy has 210 holds and 15 categories, so 210 takes the ones and 224
    Yatzy. :meth:`describe` says what a number means, :meth:`action` which number means it (of an environment of
    ``gymnasium.make``: ``env.unwrapped.describe``).

    ``info["action_mask"]`` has 1 for every legal action; an illegal number, in the action space or not, changes
    nothing and is rewarded with `illegal_reward`. The reward is the points made, the upper bonus at the end of the
    game, so that the best mean return is the value of the game. ``info["score"]`` is what is on the card.

    Parameters
    ----------
    rules
        A built-in id with switches, a TOML file, or a rule set.
    oracle
        Whether `info` carries ``action_values`` (float64, -inf where illegal: points still to come under best play
        after it) and, after a step, ``regret`` (points the action gave away). Solves the rules on first use.
    illegal_reward
        Reward of an illegal action.

    Notes
    -----
    Observations (int64): ``filled`` (categories,) 0 or 1; ``upper`` (1,) upper sum, capped at the bonus; ``counts``
    (faces,) dice showing each face; ``rolls_left`` (1,); ``joker_paid`` (1,) whether the joker's box holds points.
    """

    metadata = {"render_modes": ["ansi"]}  # noqa: RUF012 (the name and type are Gymnasium's)

    def __init__(
        self,
        rules: str | Path | RuleSet = "yatzy",
        oracle: bool = False,
        illegal_reward: float = -1.0,
        render_mode: str | None = None,
    ) -> None:
        self.rules, self.oracle, self.illegal_reward = load_rules(rules), oracle, illegal_reward
        self.render_mode = render_mode
        self.grid = lattice(self.rules.dice, self.rules.faces)
        self.holds, size = self.grid.first_roll, len(self.rules.categories)
        most = (
            self.rules.rolls_per_turn - 1 + (size * (self.rules.rolls_per_turn - 1) if self.rules.saved_rolls else 0)
        )
        self.actions = self.holds + size
        self.action_space = spaces.Discrete(self.actions)
        self.observation_space = spaces.Dict(  # type: ignore[assignment]
            {
                "filled": spaces.Box(0, 1, (size,), np.int64),
                "upper": spaces.Box(0, max(1, self.rules.threshold), (1,), np.int64),
                "counts": spaces.Box(0, self.rules.dice, (self.rules.faces,), np.int64),
                "rolls_left": spaces.Box(0, max(1, most), (1,), np.int64),
                "joker_paid": spaces.Box(0, 1, (1,), np.int64),
            }
        )
        self._strategy: Strategy | None = None
        self._playing = False  # between a reset and the end of the game
        self._new_game()

    def _new_game(self) -> None:
        self.card = Scorecard(self.rules)
        self.counts: Ints = np.zeros(self.rules.faces, dtype=np.int64)
        self.left = self.rules.rolls_per_turn - 1

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """A new game, the first dice on the table."""
        super().reset(seed=seed)
        self._new_game()
        self._playing = True
        self._roll(self.counts)
        return self._observed(), self._info()

    def step(self, action: np.int64) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Hold dice and reroll the rest, or take a category and roll for the next turn.

        Raises
        ------
        gymnasium.error.ResetNeeded
            Before the first reset, and after the end of a game.
        StateError
            If the action is no whole number.
        """
        if not self._playing:
            raise ResetNeeded("there is no game to play on: call reset() before the first step and after each game")
        number = whole_number(action, "action")
        if not (0 <= number < self.actions and self.action_mask()[number]):
            return self._observed(), self.illegal_reward, False, False, self._info() | {"illegal": True}
        regret = {}
        if self.oracle:
            values = self.action_values()
            regret = {"regret": float(values.max() - values[number])}
        reward = 0.0
        if number < self.holds:
            self.left -= 1
            self._roll(self.grid.counts[number])
        else:
            reward = self._take(number - self.holds)
        self._playing = self.card.state.filled != self.rules.full_mask
        return self._observed(), reward, not self._playing, False, self._info() | regret

    def describe(self, action: int) -> tuple[int, ...] | str:
        """What an action means: the dice it holds, ascending, or the id of the category it takes.

        Raises
        ------
        StateError
            If it is no number of an action.
        """
        number = whole_number(action, "action")
        if not 0 <= number < self.actions:
            raise StateError(f"action is {number}; must be 0 to {self.actions - 1}")
        if number < self.holds:
            return dice_of(self.grid.counts[number].tolist())
        return self.rules.categories[number - self.holds].id

    def action(self, meaning: Sequence[int] | str) -> int:
        """Number of the action that holds these dice (faces, in any order), or takes the category of that name.

        Raises
        ------
        StateError
            If there is none: all dice are held by taking a category.
        """
        if isinstance(meaning, str):
            return self.holds + find_category(self.rules, meaning)
        held = sorted(whole_number(face, "a die") for face in meaning)
        if len(held) >= self.rules.dice or not all(1 <= face <= self.rules.faces for face in held):
            raise StateError(
                f"no action holds {spaced(held)!r}; it must be less than {self.rules.dice} dice "
                f"with faces from 1 to {self.rules.faces}"
            )
        return int(self.grid.rank(np.array(counts_of(self.rules, held))))

    def _roll(self, held: Ints) -> None:
        rest = self.rules.dice - int(held.sum())
        rolled = self.np_random.integers(0, self.rules.faces, rest)
        self.counts = held + np.bincount(rolled, minlength=self.rules.faces)

    def _take(self, category: int) -> float:
        rules, before = self.rules, final_score(self.card)
        points, bonus_points = self._options()[category]
        saved = self.left if rules.saved_rolls else 0
        self.card = self.card.filled_with(category, points, bonus_points, saved)
        self.left = rules.rolls_per_turn - 1 + saved
        if self.card.state.filled != rules.full_mask:
            self._roll(np.zeros(rules.faces, dtype=np.int64))
        return float(final_score(self.card) - before)

    def _options(self) -> dict[int, tuple[int, int]]:
        state, counts = self.card.state, self.counts.tolist()
        first = self.left == self.rules.rolls_per_turn - 1 + self.card.saved
        return scoring_options(self.rules, state.filled, state.joker_paid, counts, first)

    def action_mask(self) -> npt.NDArray[np.int8]:
        """1 for every legal action."""
        mask = np.zeros(self.actions, dtype=np.int8)
        if self._playing:
            if self.left:
                mask[: self.holds] = (self.grid.counts[: self.holds] <= self.counts).all(axis=1)
            mask[[self.holds + c for c in self._options()]] = 1
        return mask

    def action_values(self) -> npt.NDArray[np.float64]:
        """Points still to come under best play after each action, -inf where it is illegal."""
        values = np.full(self.actions, -np.inf)
        if not self._playing:
            return values
        if self._strategy is None:
            self._strategy = open_strategy(self.rules)
        dice = dice_of(self.counts.tolist())
        if self.left:
            for hold in self._strategy.holds(self.card, dice, self.left):
                if hold.category is None:
                    values[self.action(hold.dice)] = hold.value
        for choice in self._strategy.categories(self.card, dice, self.left):
            values[self.action(choice.category)] = choice.value
        return values

    def _observed(self) -> Observation:
        state = self.card.state
        return {
            "filled": np.array([state.filled >> c & 1 for c in range(len(self.rules.categories))]),
            "upper": np.array([state.upper]),
            "counts": self.counts.copy(),
            "rolls_left": np.array([self.left]),
            "joker_paid": np.array([int(state.joker_paid)]),
        }

    def _info(self) -> dict[str, Any]:
        info: dict[str, Any] = {"action_mask": self.action_mask(), "score": final_score(self.card)}
        return info | {"action_values": self.action_values()} if self.oracle else info

    def render(self) -> str:
        """The card and the dice in a line."""
        return f"{self.card} | {dice_of(self.counts.tolist())}, {self.left} rerolls left"


gymnasium.register("perfect-yatzy/Yatzy-v0", entry_point="perfect_yatzy.rl:YatzyEnv")
