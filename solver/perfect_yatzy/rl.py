"""A Gymnasium environment (extra `rl`): the game of one player, optionally with optimal action values and regret.

Importing this module registers ``perfect-yatzy/Yatzy-v0`` with Gymnasium:

>>> import gymnasium, perfect_yatzy.rl                              # doctest: +SKIP
>>> env = gymnasium.make("perfect-yatzy/Yatzy-v0", rules="yahtzee", oracle=True)     # doctest: +SKIP
>>> observation, info = env.reset(seed=1)                           # doctest: +SKIP
>>> observation, reward, terminated, truncated, info = env.step(env.unwrapped.action((3, 3)))  # doctest: +SKIP

The keyword arguments of ``gymnasium.make`` are those of :class:`YatzyEnv`, which describes actions and observations.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from .errors import MissingPackage, StateError, whole_number
from .game.dice import Ints, lattice
from .game.notation import counts_of, dice_of, find_category, spaced
from .game.rule_loader import load_rules
from .game.rules import RuleSet
from .game.scorecard import Scorecard
from .game.scoring import scoring_options
from .strategy.opponents import final_score
from .strategy.strategy import Strategy, open_strategy

try:
    import gymnasium
    from gymnasium import spaces
    from gymnasium.error import ResetNeeded
except ImportError as error:
    raise MissingPackage("perfect_yatzy.rl", "gymnasium", extra="rl") from error

Observation = dict[str, npt.NDArray[Any]]


class YatzyEnv(gymnasium.Env[Observation, np.int64]):
    """The game of one player; an episode is a whole game.

    Parameters
    ----------
    rules
        A built-in id with switches, a TOML file, or a rule set.
    oracle
        Whether `info` contains ``action_values`` and, after a step, ``regret``. Solves the rules on first use.
    illegal_reward
        Reward of an illegal action.
    render_mode
        ``"ansi"`` or None.

    Attributes
    ----------
    action_space : gymnasium.spaces.Discrete
    observation_space : gymnasium.spaces.Dict
    n_actions, n_holds : int
        Number of actions, and how many of them hold dice; the other actions score a category.
    card : Scorecard
        The current scorecard.
    counts : (faces,) int64
        Number of dice on the table that show each face.
    rolls_left : int
        Rerolls left in this turn.

    Notes
    -----
    **Actions** are numbers. The first `n_holds` hold some dice and reroll the others: every multiset of fewer dice
    than the game has, by size and then by faces; 0 rerolls all dice, 1 holds one die that shows 1. The others score a
    category, in the order of the sheet. Yatzy has 210 holds and 15 categories: 210 scores ones and 224 scores Yatzy.
    :meth:`describe` and :meth:`action` convert between numbers and meanings (with an environment of
    ``gymnasium.make``: ``env.unwrapped.describe``). An illegal action, in the action space or not, changes nothing,
    is rewarded with `illegal_reward` and sets ``info["illegal"]``.

    **Observations** are a dict of int64 arrays: ``filled`` (categories,), 1 for each filled category; ``upper`` (1,),
    the upper sum, at most the bonus threshold; ``counts`` (faces,), the number of dice that show each face;
    ``rolls_left`` (1,); ``joker_paid`` (1,), whether the joker's category holds points.

    **Rewards** are the points of each scoring action, with the upper bonus when the upper sum reaches the threshold.
    The return of a game is its final score, so the largest expected return is the value of the game.

    **Info** contains ``action_mask`` (n_actions,) int8, 1 for each legal action, and ``score``, the points on the
    card with the upper bonus if it is reached. With `oracle` also ``action_values`` (n_actions,) float64, the
    expected points still to come under optimal play after each action, -inf for illegal ones; and after a step
    ``regret``, the value of the best action less that of the action taken, in points.
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
        self._lattice = lattice(self.rules.dice, self.rules.faces)
        self.n_holds, size = self._lattice.first_roll, len(self.rules.categories)
        rerolls = self.rules.rolls_per_turn - 1
        max_rerolls = rerolls * (size + 1 if self.rules.saved_rolls else 1)
        self.n_actions = self.n_holds + size
        self.action_space = spaces.Discrete(self.n_actions)
        self.observation_space = spaces.Dict(  # type: ignore[assignment]
            {
                "filled": spaces.Box(0, 1, (size,), np.int64),
                "upper": spaces.Box(0, max(1, self.rules.threshold), (1,), np.int64),
                "counts": spaces.Box(0, self.rules.dice, (self.rules.faces,), np.int64),
                "rolls_left": spaces.Box(0, max(1, max_rerolls), (1,), np.int64),
                "joker_paid": spaces.Box(0, 1, (1,), np.int64),
            }
        )
        self._strategy: Strategy | None = None
        self._playing = False  # between a reset and the end of the game
        self._new_game()

    def _new_game(self) -> None:
        self.card = Scorecard(self.rules)
        self.counts: Ints = np.zeros(self.rules.faces, dtype=np.int64)
        self.rolls_left = self.rules.rolls_per_turn - 1

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start a new game with the first roll on the table.

        Parameters
        ----------
        seed
            Seed of the dice, as in :meth:`gymnasium.Env.reset`.
        options
            Not used.
        """
        super().reset(seed=seed)
        self._new_game()
        self._playing = True
        self._roll(self.counts)
        return self._observation(), self._info()

    def step(self, action: np.int64) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Hold dice and reroll the others, or score a category and roll for the next turn.

        Raises
        ------
        gymnasium.error.ResetNeeded
            Before the first reset, and after the end of a game.
        StateError
            If the action is not a whole number.
        """
        if not self._playing:
            raise ResetNeeded("no game in progress: call reset() before the first step and after each game")
        number = whole_number(action, "action")
        if not (0 <= number < self.n_actions and self.action_mask()[number]):
            return self._observation(), self.illegal_reward, False, False, self._info() | {"illegal": True}
        regret = {}
        if self.oracle:
            values = self.action_values()
            regret = {"regret": float(values.max() - values[number])}
        reward = 0.0
        if number < self.n_holds:
            self.rolls_left -= 1
            self._roll(self._lattice.counts[number])
        else:
            reward = self._score(number - self.n_holds)
        self._playing = self.card.state.filled != self.rules.full_mask
        return self._observation(), reward, not self._playing, False, self._info() | regret

    def describe(self, action: int) -> tuple[int, ...] | str:
        """Meaning of an action: the dice it holds, ascending, or the id of the category it scores.

        Raises
        ------
        StateError
            If `action` is not a whole number from 0 to n_actions - 1.
        """
        number = whole_number(action, "action")
        if not 0 <= number < self.n_actions:
            raise StateError(f"action is {number}; must be 0 to {self.n_actions - 1}")
        if number < self.n_holds:
            return dice_of(self._lattice.counts[number].tolist())
        return self.rules.categories[number - self.n_holds].id

    def action(self, meaning: Sequence[int] | str) -> int:
        """Number of the action that holds these dice (faces, in any order) or scores the category of that name.

        Raises
        ------
        StateError
            If there is no such action. All dice cannot be held; score a category instead.
        """
        if isinstance(meaning, str):
            return self.n_holds + find_category(self.rules, meaning)
        held = sorted(whole_number(face, "a die") for face in meaning)
        if len(held) >= self.rules.dice or not all(1 <= face <= self.rules.faces for face in held):
            raise StateError(
                f"no action holds {spaced(held)!r}; hold fewer than {self.rules.dice} dice "
                f"with faces from 1 to {self.rules.faces}"
            )
        return int(self._lattice.rank(np.array(counts_of(self.rules, held))))

    def _roll(self, held: Ints) -> None:
        """Roll all dice but `held`, the number of dice of each face."""
        n_rolled = self.rules.dice - int(held.sum())
        rolled = self.np_random.integers(0, self.rules.faces, n_rolled)
        self.counts = held + np.bincount(rolled, minlength=self.rules.faces)

    def _score(self, category: int) -> float:
        """Fill a category, roll for the next turn if there is one, and return the points."""
        rules, before = self.rules, final_score(self.card)
        points, bonus_points = self._options()[category]
        saved = self.rolls_left if rules.saved_rolls else 0
        self.card = self.card.filled_with(category, points, bonus_points, saved)
        self.rolls_left = rules.rolls_per_turn - 1 + saved
        if self.card.state.filled != rules.full_mask:
            self._roll(np.zeros(rules.faces, dtype=np.int64))
        return float(final_score(self.card) - before)

    def _options(self) -> dict[int, tuple[int, int]]:
        """Legal categories, each with its points and bonus points for the dice on the table."""
        state, counts = self.card.state, self.counts.tolist()
        first = self.rolls_left == self.rules.rolls_per_turn - 1 + self.card.saved
        return scoring_options(self.rules, state.filled, state.joker_paid, counts, first)

    def action_mask(self) -> npt.NDArray[np.int8]:
        """``(n_actions,)`` int8: 1 for every legal action, 0 for the others."""
        mask = np.zeros(self.n_actions, dtype=np.int8)
        if self._playing:
            if self.rolls_left:
                mask[: self.n_holds] = (self._lattice.counts[: self.n_holds] <= self.counts).all(axis=1)
            mask[[self.n_holds + c for c in self._options()]] = 1
        return mask

    def action_values(self) -> npt.NDArray[np.float64]:
        """``(n_actions,)`` float64: expected points still to come under optimal play after each action.

        -inf for illegal actions. Solves the rules on first use.
        """
        values = np.full(self.n_actions, -np.inf)
        if not self._playing:
            return values
        if self._strategy is None:
            self._strategy = open_strategy(self.rules)
        dice = dice_of(self.counts.tolist())
        if self.rolls_left:
            for hold in self._strategy.holds(self.card, dice, self.rolls_left):
                if hold.category is None:
                    values[self.action(hold.dice)] = hold.value
        for choice in self._strategy.categories(self.card, dice, self.rolls_left):
            values[self.action(choice.category)] = choice.value
        return values

    def _observation(self) -> Observation:
        state = self.card.state
        return {
            "filled": np.array([state.filled >> c & 1 for c in range(len(self.rules.categories))]),
            "upper": np.array([state.upper]),
            "counts": self.counts.copy(),
            "rolls_left": np.array([self.rolls_left]),
            "joker_paid": np.array([int(state.joker_paid)]),
        }

    def _info(self) -> dict[str, Any]:
        info: dict[str, Any] = {"action_mask": self.action_mask(), "score": final_score(self.card)}
        return info | {"action_values": self.action_values()} if self.oracle else info

    def render(self) -> str:
        """The card and the dice in one line."""
        return f"{self.card} | {dice_of(self.counts.tolist())}, {self.rolls_left} rerolls left"


gymnasium.register("perfect-yatzy/Yatzy-v0", entry_point="perfect_yatzy.rl:YatzyEnv")
