"""Play the game of one player as a Gymnasium environment: the card, the dice, the legal actions.

A :class:`SoloGame` needs no table. Its dice are those of :mod:`perfect_yatzy.core.dice`. So the same
actions give the same game, and game g of ``perfect_yatzy.simulate(..., seed=s)`` meets the dice of
game g of seed s here.
"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any, Literal, get_args

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.error import ResetNeeded

from ..approximation.opening import open_strategy
from ..core.dice import Dice, Floats, Ints
from ..core.rules import RuleSet
from ..core.scoring import upper_sums
from ..errors import StateError, shown, whole_number
from ..game import legal_actions as numbers
from ..game.legal_actions import TurnPosition, start_turn
from ..game.notation import counts_of
from ..game.random_dice import dice_of_game
from ..game.rule_loader import load_rules
from ..game.scorecard import Scorecard
from ..strategy.strategy import Strategy

Observation = dict[str, npt.NDArray[Any]]

SEED_MASK = (1 << 63) - 1  # the seeds of simulations
RENDER_MODES = ("ansi", "human")
Form = Literal["dict", "float", "one-hot"]
# A reward is the points made, or minus what the action loses against the best one.
Reward = Literal["points", "regret"]


def observation_bounds(rules: RuleSet) -> dict[str, tuple[int, int]]:
    """Return the size of each array of an observation, and its largest entry. The smallest is 0."""
    # All rerolls of these turns may come to one turn.
    saving_turns = len(rules.categories) if rules.saved_rolls else 0
    return {
        "filled": (len(rules.categories), 1),
        "upper": (1, max(1, upper_sums(rules).largest)),
        "counts": (rules.faces, rules.dice),
        "rolls_left": (1, max(1, (rules.rolls_per_turn - 1) * (saving_turns + 1))),
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
        """Return the meaning of an action.

        It is the dice it holds, ascending, or the id of the category it scores.
        """
        return numbers.numbered_action(self.rules, action)

    def action(self, meaning: numbers.ActionText) -> int:
        """Return the number of the action that holds these dice or scores this category.

        The dice are fewer than all, in any order. The category is given by its name.
        """
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
        """Begin a game with an empty card and no dice on the table.

        The dice depend on `seed` and `game`.
        """
        self._seed = seed & SEED_MASK
        self._game = game
        self.position = start_turn(self.rules, Scorecard(self.rules))
        self.score = 0

    @property
    def card(self) -> Scorecard:
        """The card at the start of the turn."""
        assert isinstance(self.position.card, Scorecard)
        return self.position.card

    @property
    def rolls_left(self) -> int:
        """Rerolls left, 0 if there are no dice on the table."""
        return self.position.rolls_left if self.position.dice else 0

    def roll(self) -> None:
        """Roll the dice that are not held, at the start of a turn all of them."""
        rules = self.rules
        position = self.position
        state = position.state
        turn = state.filled.bit_count()
        # number of the roll in the turn, from 0
        roll = rules.rolls_per_turn - 1 + state.saved - position.rolls_left
        rolled = dice_of_game(
            self._seed, self._game, turn, roll, rules.dice - len(position.dice), rules.faces
        )
        self.position = position.roll(rolled)

    def legal(self, action: Any) -> bool:
        """Return whether an action is legal now."""
        number = whole_number(action, "action")
        return 0 <= number < self.n_actions and self.position.is_legal(number)

    def play(self, action: int) -> int:
        """Take a legal action and, after a hold, roll the other dice.

        Returns the points made, also those of the upper bonus.
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
    """Return the card and the dice in one line."""
    return f"{card} | {dice}, {rolls_left} rerolls left"


def check_choice(name: str, value: object, choices: tuple[Any, ...]) -> None:
    """Raise StateError unless an argument is one of its choices."""
    if value not in choices:
        raise StateError(
            f"{name} is {shown(value)}; must be one of {', '.join(map(repr, choices))}"
        )


class Encoding:
    """The observations of a rule set in one form."""

    def __init__(self, rules: RuleSet, form: Form) -> None:
        check_choice("observation", form, get_args(Form))
        self.form = form
        self.bounds = observation_bounds(rules)

    @property
    def space(self) -> spaces.Space[Any]:
        """The space of one observation."""
        if self.form == "dict":
            return spaces.Dict(
                {
                    name: spaces.Box(0, highest, (count,), np.int64)
                    for name, (count, highest) in self.bounds.items()
                }
            )
        if self.form == "float":
            entries = sum(count for count, _highest in self.bounds.values())
            return spaces.Box(0, 1, (entries,), np.float32)
        # There is an entry for each value that a number may have, while one that is 0 or 1 is its own
        # entry.
        entries = 0
        for count, highest in self.bounds.values():
            entries += count if highest == 1 else count * (highest + 1)
        return spaces.Box(0, 1, (entries,), np.int8)

    def __call__(self, observation: Observation) -> Any:
        """Return one observation, or a batch of them, in the form.

        Arrays ``(..., n)`` by name become one vector ``(..., entries)``.
        """
        if self.form == "dict":
            return observation
        parts = []
        for name, (_count, highest) in self.bounds.items():
            array = observation[name]
            if self.form == "float":
                parts.append((array / highest).astype(np.float32))
            elif highest == 1:
                parts.append(array.astype(np.int8))
            else:  # an entry for each number from 0 to `highest`
                is_number = array[..., None] == np.arange(highest + 1)
                parts.append(is_number.reshape(*array.shape[:-1], -1).astype(np.int8))
        return np.concatenate(parts, axis=-1)


class YatzyEnv(NumberedActions, gymnasium.Env[Any, np.int64]):
    """The game of one player, where an episode is a whole game.

    Parameters
    ----------
    rules
        A built-in id with switches, a TOML file, or a rule set.
    oracle
        Whether `info` contains ``action_values`` and, after a step, ``regret``. The rules are solved
        on first use.
    illegal_reward
        Reward of an illegal action.
    render_mode
        ``"ansi"``, ``"human"``, which prints a line after every step, or None.
    observation
        ``"dict"``, ``"float"`` or ``"one-hot"`` (:class:`Encoding`).
    reward
        ``"points"``, or ``"regret"``: minus what the action loses against the best one, for which
        the rules are solved on first use.

    Attributes
    ----------
    action_space : gymnasium.spaces.Discrete
    observation_space : gymnasium.spaces.Dict or Box
    rules : RuleSet
    n_actions, n_holds : int
        Number of actions, and how many of them hold dice; the other actions score a category.

    Notes
    -----
    **Actions** are numbers. The first `n_holds` hold some dice and reroll the others: every multiset of fewer dice
    than the game has, by size and then by faces; 0 rerolls all dice, 1 holds one die that shows 1. The others score a
    category, in the order of the sheet. Yatzy has 210 holds and 15 categories: 210 scores ones and 224 scores Yatzy.
    :meth:`describe` and :meth:`action` convert between numbers and meanings (with an environment of
    ``gymnasium.make``: ``env.unwrapped.describe``). An illegal action, in the action space or not, changes nothing,
    is rewarded with `illegal_reward` and sets ``info["illegal"]``.

    **Observations** are those of :meth:`perfect_yatzy.TurnPosition.observation`, or a vector of their numbers.

    **Rewards** are the points of each scoring action, with the upper bonus when the upper sum reaches the threshold.
    The return of a game is its final score, so the largest expected return is the value of the game, :attr:`optimum`;
    for Yatzy it is the ``reward_threshold`` of the specification. With the reward ``"regret"`` there is no luck in
    the return, and its largest expectation is 0.

    **Info** contains ``action_mask`` (n_actions,) int8, 1 for each legal action, and ``score``, the points on the
    card with the upper bonus if it is reached. With `oracle` also ``action_values`` (n_actions,) float64, the
    expected points still to come under optimal play after each action, -inf for illegal ones; and after a step
    ``regret``, the value of the best action less that of the action taken, in points.

    **Episodes** end when the card is full, after at most one legal action for each roll of the game: 45 in Yatzy, 15
    turns of three rolls, and never more than 600. ``gymnasium.make`` truncates after 1,000 actions, legal or not;
    ``max_episode_steps=N`` changes that.

    **Dice** depend on the seed, the number of the episode since then, the turn and the roll. They are the dice of
    ``perfect_yatzy.simulate``: after ``reset(seed=s)`` the first episode is game 0 of the simulation with seed s,
    and each further ``reset()`` goes on to the next game. A seed is taken modulo 2**63.
    """

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": 4}  # noqa: RUF012 (the name and type are Gymnasium's)

    def __init__(  # noqa: PLR0913 - the published parameters
        self,
        rules: str | Path | RuleSet = "yatzy",
        oracle: bool = False,
        illegal_reward: float = -1.0,
        render_mode: str | None = None,
        observation: Form = "dict",
        reward: Reward = "points",
    ) -> None:
        check_choice("render_mode", render_mode, (None, *RENDER_MODES))
        check_choice("reward", reward, get_args(Reward))
        self.rules = load_rules(rules)
        self.oracle = oracle
        self.illegal_reward = illegal_reward
        self.render_mode = render_mode
        self.reward = reward
        self._encode = Encoding(self.rules, observation)
        self._game = SoloGame(self.rules)
        self._episode = -1  # number of the episode since the seed was given
        # The position whose action values were asked for last, and these values. A step asks for those
        # before and after it.
        self._valued: TurnPosition | None = None
        self._values: Floats = np.empty(0)
        self._playing = False  # is true between a reset and the end of the game
        self.action_space = spaces.Discrete(self.n_actions)
        self.observation_space = self._encode.space

    @property
    def position(self) -> TurnPosition:
        """The card, the dice and the rerolls left, which a policy acts on."""
        return self._game.position

    @property
    def optimum(self) -> float:
        """The largest expected final score. The rules are solved on first use."""
        return self._oracle.value()

    @property
    def card(self) -> Scorecard:
        """The current scorecard."""
        return self._game.card

    @property
    def counts(self) -> Ints:
        """``(faces,)`` int64: number of dice on the table that show each face."""
        return np.array(counts_of(self.rules, self._game.position.dice))

    @property
    def rolls_left(self) -> int:
        """Rerolls left in this turn."""
        return self._game.rolls_left

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Start a new game with the first roll on the table.

        Without a seed it is the next one of the seed given before.
        """
        super().reset(seed=seed)
        self._episode = 0 if seed is not None else self._episode + 1
        if self.np_random_seed >= 0:
            self._game.start(self.np_random_seed, self._episode)
        else:  # the generator was replaced
            self._game.start(int(self.np_random.integers(1 << 63)), 0)
        self._game.roll()
        self._playing = True
        return self._observed(), self._info()

    def _observed(self) -> Any:
        """Return what is observed now. It is printed, too, for a person."""
        if self.render_mode == "human":
            print(self._game)
        return self._encode(self.position.observation())

    def step(self, action: np.int64) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Hold dice and reroll the others, or score a category and roll for the next turn.

        Raises
        ------
        gymnasium.error.ResetNeeded
            Before the first reset, and after the end of a game.
        StateError
            If the action is not a whole number.
        """
        if not self._playing:
            raise ResetNeeded(
                "no game in progress: call reset() before the first step and after each game"
            )
        game = self._game
        if not game.legal(action):
            return (
                self._observed(),
                self.illegal_reward,
                False,
                False,
                self._info() | {"illegal": True},
            )
        step_info = {}
        if self.oracle or self.reward == "regret":
            values = self.action_values()
            step_info["regret"] = float(values.max() - values[action])
        reward: float = game.play(int(action))
        self._playing = not game.position.over
        if self._playing and not game.position.dice:
            game.roll()
        if self.reward == "regret":
            reward = -step_info["regret"]
        return self._observed(), float(reward), not self._playing, False, self._info() | step_info

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return which actions are legal, ``(n_actions,)`` bool.

        The name is that of sb3-contrib's MaskablePPO.
        """
        return self.position.action_mask().view(np.bool_)

    def action_values(self) -> Floats:
        """Return the expected points still to come under optimal play after each action.

        The array is ``(n_actions,)`` float64, -inf for illegal actions. The rules are solved on first
        use.
        """
        if not self._playing:
            return np.full(self.n_actions, -np.inf)
        if self._valued is not self.position:
            self._valued = self.position
            self._values = self._oracle.action_values(self.position)
        return self._values.copy()

    def _info(self) -> dict[str, Any]:
        """Return the info of the position, without that of a step."""
        info: dict[str, Any] = {
            "action_mask": self.position.action_mask(),
            "score": self._game.score,
        }
        if self.oracle:
            info["action_values"] = self.action_values()
        return info

    def render(self) -> str | None:
        """Return the card and the dice in one line. It is None without the mode ``"ansi"``."""
        if self.render_mode is None:
            gymnasium.logger.warn('render needs a mode: gymnasium.make(..., render_mode="ansi")')
        return str(self._game) if self.render_mode == "ansi" else None
