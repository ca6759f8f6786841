"""Play a game of several players as a PettingZoo environment. Each has a card, and they take turns.

Like the classic games of PettingZoo, the module is the environment:

>>> from perfect_yatzy.rl import yatzy_v0
>>> env = yatzy_v0.env(players=3)
>>> env.reset(seed=1)
>>> for agent in env.agent_iter():
...     observation, reward, terminated, truncated, info = env.last()
...     mask = observation["action_mask"]
...     env.step(None if terminated or truncated else env.action_space(agent).sample(mask))
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
from gymnasium import logger, spaces
from gymnasium.utils import seeding

from ..core.rules import RuleSet
from ..errors import MissingPackage, StateError, shown, whole_number
from ..game.limits import MAX_PLAYERS
from ..game.maximum_score import maximum_score
from ..game.notation import counts_of
from ..game.rule_loader import load_rules
from .single import RENDER_MODES, NumberedActions, SoloGame, check_choice, observation_bounds

try:
    from pettingzoo import AECEnv
    from pettingzoo.utils import wrappers
except ImportError as error:
    raise MissingPackage("perfect_yatzy.rl.yatzy_v0", "pettingzoo", extra="rl") from error

Reward = Literal["win", "margin"]


def env(**options: Any) -> AECEnv:
    """Return the environment with the usual wrappers of PettingZoo's classic games.

    An illegal action ends the game with a reward of -1 for the player who took it and 0 for the
    others. Actions outside the action space, and calls in a wrong order, are errors.

    `**options` are those of :class:`raw_env`.
    """
    wrapped = wrappers.TerminateIllegalWrapper(raw_env(**options), illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(wrapped))


class raw_env(NumberedActions, AECEnv):  # type: ignore[misc]
    """A game of several players, without wrappers.

    Attributes
    ----------
    rules : RuleSet
    n_actions, n_holds : int
        As for :class:`perfect_yatzy.rl.YatzyEnv`.
    entries : tuple of str
        What each entry of an observation is: ``counts_1`` to ``counts_6``, ``rolls_left``, then for
        each card, that of the player first and then those of the others in the order of their
        turns, ``0.filled.ones`` and so on, ``0.upper``, ``0.joker_paid``, ``0.saved`` and
        ``0.score``.

    Notes
    -----
    **Actions** are those of :class:`perfect_yatzy.rl.YatzyEnv`.

    **Observations** are a dict of ``observation``, an int64 array with the entries named in `entries`, and
    ``action_mask`` (n_actions,) int8, 1 for each legal action. The player whose turn it is sees the dice; for the
    others these entries and the mask are 0. ``saved`` are the rolls saved before the turn.

    **Info** of each player contains ``action_mask`` and ``score``, the points on the card with the upper bonus if it
    is reached.

    **Dice** depend on the seed, the player, the number of the game since the seed was given, the turn and the roll:
    after ``reset(seed=s)`` player i meets the dice of a :class:`YatzyEnv` after ``reset(seed=s + i)``.
    """

    metadata = {  # noqa: RUF012 (the name and type are PettingZoo's)
        "name": "yatzy_v0",
        "render_modes": list(RENDER_MODES),
        "render_fps": 4,
        "is_parallelizable": False,
    }

    def __init__(
        self,
        rules: str | Path | RuleSet = "yatzy",
        players: int = 2,
        reward: Reward = "win",
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        if not 2 <= whole_number(players, "players") <= MAX_PLAYERS:
            raise StateError(f"players is {players}; must be from 2 to {MAX_PLAYERS}")
        check_choice("reward", reward, get_args(Reward))
        check_choice("render_mode", render_mode, (None, *RENDER_MODES))
        self.rules = load_rules(rules)
        self.reward = reward
        self.render_mode = render_mode
        self.possible_agents = [f"player_{i}" for i in range(players)]
        self.agents: list[str] = []
        self._games = {agent: SoloGame(self.rules) for agent in self.possible_agents}
        bounds = self._entry_bounds()
        self.entries = tuple(bounds)
        high = np.array([*bounds.values()], dtype=np.int64)
        self.action_spaces = {
            agent: spaces.Discrete(self.n_actions) for agent in self.possible_agents
        }
        self.observation_spaces = {}
        for agent in self.possible_agents:
            seen = spaces.Box(np.zeros_like(high), high, dtype=np.int64)
            mask = spaces.Box(0, 1, (self.n_actions,), np.int8)
            self.observation_spaces[agent] = spaces.Dict({"observation": seen, "action_mask": mask})
        self._seed: int | None = None
        self._game = -1  # number of the game since the seed was given

    def _entry_bounds(self) -> dict[str, int]:
        """Return the name and the largest value of each entry of an observation."""
        rules = self.rules
        highest = {name: most for name, (_count, most) in observation_bounds(rules).items()}
        entries = {f"counts_{face}": rules.dice for face in range(1, rules.faces + 1)}
        entries["rolls_left"] = highest["rolls_left"]
        card = {f"filled.{category.id}": 1 for category in rules.categories}
        card |= {"upper": highest["upper"], "joker_paid": 1}
        card |= {"saved": highest["rolls_left"], "score": maximum_score(rules)}
        for i in range(len(self.possible_agents)):
            entries |= {f"{i}.{name}": most for name, most in card.items()}
        return entries

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of the observations of a player."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of the actions of a player."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a new game with the first roll on the table.

        Without a seed it is the next one of the seed given before.
        """
        if seed is not None:
            self._seed = whole_number(seed, "seed")
            self._game = 0
        else:
            if self._seed is None:
                self._seed = seeding.np_random()[1]  # a random one
            self._game += 1
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._skip_agent_selection = None
        for i, game in enumerate(self._games.values()):
            game.start(self._seed + i, self._game)
        self.agent_selection = self.agents[0]
        self._games[self.agent_selection].roll()
        self._inform()

    def step(self, action: int | None) -> None:
        """Hold dice and reroll the others, or score a category, which ends the turn."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        game = self._games[agent]
        if not game.legal(action):
            raise StateError(f"action {shown(action)} of {agent} is not legal now")
        assert action is not None
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        game.play(int(action))
        if not game.position.dice:  # the turn has ended
            self.agent_selection = self.agents[(self.agents.index(agent) + 1) % len(self.agents)]
            following = self._games[self.agent_selection]
            if following.position.over:  # all cards are full
                self.rewards = self._final_rewards()
                self.terminations = dict.fromkeys(self.agents, True)
            else:
                following.roll()
        self._accumulate_rewards()
        self._inform()

    def _final_rewards(self) -> dict[str, float]:
        """Return the reward of each player, by the margin over the best of the others."""
        scores = {agent: self._games[agent].score for agent in self.agents}
        rewards = {}
        for agent, score in scores.items():
            margin = score - max(other for name, other in scores.items() if name != agent)
            rewards[agent] = float(np.sign(margin) if self.reward == "win" else margin)
        return rewards

    def _inform(self) -> None:
        """Set the info of each player, and print the cards for a person."""
        if self.render_mode == "human":
            print(self._lines())
        self.infos = {}
        for agent in self.agents:
            game = self._games[agent]
            mask = game.position.action_mask()
            self.infos[agent] = {"action_mask": mask, "score": game.score}

    def observe(self, agent: str) -> dict[str, Any]:
        """Return what a player sees."""
        own = self._games[agent]
        seat = self.possible_agents.index(agent)
        entries = [*counts_of(self.rules, own.position.dice), own.rolls_left]
        # This player's card comes first.
        for name in self.possible_agents[seat:] + self.possible_agents[:seat]:
            game = self._games[name]
            state = game.position.state
            entries += [state.filled >> c & 1 for c in range(len(self.rules.categories))]
            entries += [state.upper, int(state.joker_paid), state.saved, game.score]
        return {
            "observation": np.array(entries, dtype=np.int64),
            "action_mask": own.position.action_mask(),
        }

    def render(self) -> str | None:
        """Return a line for each player: the card, and the dice on the table.

        It is None without the mode ``"ansi"``.
        """
        if self.render_mode is None:
            logger.warn('render needs a mode: yatzy_v0.env(render_mode="ansi")')
        return self._lines() if self.render_mode == "ansi" else None

    def _lines(self) -> str:
        return "\n".join(f"{agent}: {game}" for agent, game in self._games.items())

    def close(self) -> None:
        """Do nothing, because nothing is to be released. PettingZoo requires it beside `render`."""
