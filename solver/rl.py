"""A Gymnasium environment (extra `rl`): one player's game, with the oracle's values and regret on request.

>>> import gymnasium, solver.rl                                     # doctest: +SKIP
>>> env = gymnasium.make("perfect-yatzy/Yatzy-v0", oracle=True)     # doctest: +SKIP

An action is a number: first the holds that reroll something, in the order of the lattice, then the categories.
``info["action_mask"]`` says which are legal; an illegal one changes nothing and costs `illegal_reward`. The reward
is the points made, the upper bonus at the end of the game, so that the best mean return is the value of the game.
"""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from .advice import Strategy, open_strategy
from .dice import Ints, lattice
from .notation import Scorecard, counts_of, dice_of
from .opponents import final_score
from .rulefile import load_rules
from .scoring import options

Observation = dict[str, npt.NDArray[Any]]


class YatzyEnv(gymnasium.Env[Observation, np.int64]):
    """One game.

    Parameters
    ----------
    rules
        A built-in id with switches, or a TOML file.
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
        self, rules: str = "yatzy", oracle: bool = False, illegal_reward: float = -1.0, render_mode: str | None = None
    ) -> None:
        self.rules, self.oracle, self.illegal_reward = load_rules(rules), oracle, illegal_reward
        self.render_mode = render_mode
        self.grid = lattice(self.rules.dice, self.rules.faces)
        self.holds, size = self.grid.first_roll, len(self.rules.categories)
        most = self.rules.rolls - 1 + (size * (self.rules.rolls - 1) if self.rules.saved_rolls else 0)
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
        self._new_game()

    def _new_game(self) -> None:
        self.card = Scorecard(self.rules)
        self.counts: Ints = np.zeros(self.rules.faces, dtype=np.int64)
        self.left = self.rules.rolls - 1

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """A new game, the first dice on the table."""
        super().reset(seed=seed)
        self._new_game()
        self._roll(self.counts)
        return self._observed(), self._info()

    def step(self, action: np.int64) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Hold dice and reroll the rest, or take a category and roll for the next turn."""
        number = int(action)
        if not self.action_mask()[number]:
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
        over = self.card.state.filled == self.rules.full
        return self._observed(), reward, over, False, self._info() | regret

    def _roll(self, held: Ints) -> None:
        rest = self.rules.dice - int(held.sum())
        rolled = self.np_random.integers(0, self.rules.faces, rest)
        self.counts = held + np.bincount(rolled, minlength=self.rules.faces)

    def _take(self, category: int) -> float:
        rules, before = self.rules, final_score(self.card)
        points, beside = self._options()[category]
        saved = self.left if rules.saved_rolls else 0
        self.card = Scorecard(rules, self.card.points | {category: points}, saved, self.card.extra + beside)
        self.left = rules.rolls - 1 + saved
        if self.card.state.filled != rules.full:
            self._roll(np.zeros(rules.faces, dtype=np.int64))
        return float(final_score(self.card) - before)

    def _options(self) -> dict[int, tuple[int, int]]:
        state, counts = self.card.state, self.counts.tolist()
        first = self.left == self.rules.rolls - 1 + self.card.saved
        extra = dict(self.rules.first_roll_bonus) if first else {}
        return {
            c: (points, beside + (extra.get(self.rules.categories[c].id, 0) if points else 0))
            for c, (points, beside) in options(self.rules, state.filled, state.joker_paid, counts).items()
        }

    def action_mask(self) -> npt.NDArray[np.int8]:
        """1 for every legal action."""
        mask = np.zeros(self.actions, dtype=np.int8)
        if self.card.state.filled != self.rules.full:
            if self.left:
                mask[: self.holds] = (self.grid.counts[: self.holds] <= self.counts).all(axis=1)
            mask[[self.holds + c for c in self._options()]] = 1
        return mask

    def action_values(self) -> npt.NDArray[np.float64]:
        """Points still to come under best play after each action, -inf where it is illegal."""
        values = np.full(self.actions, -np.inf)
        if self.card.state.filled == self.rules.full:
            return values
        if self._strategy is None:
            self._strategy = open_strategy(self.rules)
        dice = dice_of(self.counts.tolist())
        if self.left:
            for hold in self._strategy.holds(self.card, dice, self.left):
                if hold.category is None:
                    values[int(self.grid.rank(np.array(counts_of(self.rules, hold.dice))))] = hold.value
        for choice in self._strategy.categories(self.card, dice, self.left):
            values[self.holds + self.rules.index_of[choice.category]] = choice.value
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


gymnasium.register("perfect-yatzy/Yatzy-v0", entry_point="solver.rl:YatzyEnv")
