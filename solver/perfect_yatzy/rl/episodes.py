"""Episodes of a policy as a Minari data set: whole games, for offline reinforcement learning and
imitation.

``pip install 'minari[create]'`` installs the format. The games are those of
:func:`perfect_yatzy.simulate` with the same seed.
"""

from __future__ import annotations

from typing import Any, cast

import gymnasium
import numpy as np

from .._version import __version__
from ..errors import MissingPackage, positive_number
from ..strategy.played_games import Actor, Player, asked
from . import ID
from .single import Form, YatzyEnv

try:
    from minari import DataCollector, MinariDataset
except ImportError as error:
    raise MissingPackage("perfect_yatzy.rl.episodes", "minari[create]") from error


def record_episodes(
    dataset_id: str,
    policy: Player | Actor,
    rules: str = "yatzy",
    episodes: int = 1_000,
    seed: int = 1,
    *,
    observation: Form = "dict",
) -> MinariDataset:
    """Play games with a policy and store them as a Minari data set.

    Parameters
    ----------
    dataset_id
        Name of the data set, such as ``"yatzy/perfect-v0"``.
    policy
        Anything with ``act(position)``, or a function of a position;
        :func:`perfect_yatzy.open_policy` has some.
    rules
        A built-in id with switches, or a TOML file.
    episodes
        Number of games, at least 1.
    seed
        Seed of the dice.
    observation
        As for :class:`YatzyEnv`.

    Returns
    -------
    minari.MinariDataset
        Stored in the folder of Minari, in the Arrow format. Observations, actions and rewards are
        those of
        :class:`YatzyEnv`; ``minari.load_dataset(dataset_id)`` opens it.

    Raises
    ------
    StateError
        If `episodes` is less than 1, or the policy takes an action that is not legal.
    """
    positive_number(episodes, "episodes")
    player: Any = getattr(policy, "act", policy)
    env = gymnasium.make(ID, rules=rules, observation=observation)
    game, collector = cast(YatzyEnv, env.unwrapped), DataCollector(env, data_format="arrow")
    for episode in range(episodes):
        # Without a seed the environment goes on to the next game; Minari would draw one.
        collector.reset(seed=None if episode else seed, options={"minari_autoseed": False})
        over = False
        while not over:
            action = asked(player, game.position)
            game.position.apply(action)  # StateError for an action that is not legal
            _, _, over, _, _ = collector.step(np.int64(game.action(action)))
    games = f"Games of {game.rules.key} (fingerprint {game.rules.fingerprint}), seed {seed}"
    dice = "every game is that of perfect_yatzy.simulate with this policy and seed"
    text = f"{games}; {dice}. perfect-yatzy {__version__}, CC0 1.0."
    return collector.create_dataset(
        dataset_id, eval_env=env, algorithm_name=type(policy).__name__, description=text
    )
