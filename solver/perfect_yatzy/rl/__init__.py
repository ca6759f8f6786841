"""Environments for reinforcement learning: one player, many games at once, several players.

They need the extra `rl`.

Importing this package registers ``perfect-yatzy/Yatzy-v0`` with Gymnasium. An id with the package
in front imports it:

>>> import gymnasium
>>> env = gymnasium.make("perfect_yatzy.rl:perfect-yatzy/Yatzy-v0", rules="yahtzee")
>>> observation, info = env.reset(seed=1)
>>> observation, reward, terminated, truncated, info = env.step(env.unwrapped.action([6, 6]))  # hold two sixes

=======================  ========================================================================================
:class:`YatzyEnv`        ``gymnasium.make(ID)``: the game of one player, and what actions and observations are
:class:`YatzyVectorEnv`  ``gymnasium.make_vec(ID, num_envs=N)``: N games, stepped by compiled code
:mod:`.yatzy_v0`         ``yatzy_v0.env(players=2)``: several players in turns, for PettingZoo
=======================  ========================================================================================

The keyword arguments of ``make`` and ``make_vec`` are those of the classes. With ``oracle=True``
the two for one player give the optimal value of every action and the regret of the action taken.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import MissingPackage

try:
    import gymnasium
except ImportError as error:
    raise MissingPackage("perfect_yatzy.rl", "gymnasium", extra="rl") from error

from .single import YatzyEnv as YatzyEnv

if TYPE_CHECKING:
    from .vector import YatzyVectorEnv as YatzyVectorEnv

ID = "perfect-yatzy/Yatzy-v0"
# The optimum of the default rules, Yatzy. For other rules it is `optimum` of the environment.
OPTIMUM = 248.4399893778553
MAX_EPISODE_STEPS = 1_000  # the longest game that rules can have takes 600 legal actions

gymnasium.register(
    ID,
    entry_point="perfect_yatzy.rl.single:YatzyEnv",
    vector_entry_point="perfect_yatzy.rl.vector:YatzyVectorEnv",
    max_episode_steps=MAX_EPISODE_STEPS,
    reward_threshold=OPTIMUM,
)


def __getattr__(name: str) -> Any:
    """Import the vector environment, which loads numba, only where it is used."""
    if name == "YatzyVectorEnv":
        from .vector import YatzyVectorEnv

        return YatzyVectorEnv
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
