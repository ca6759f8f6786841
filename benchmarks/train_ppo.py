"""Train an agent by reinforcement learning: MaskablePPO of sb3-contrib on the vector environment;
not run by CI.

    pip install sb3-contrib
    python -m benchmarks.train_ppo --steps 3000000 --output agent.npz

One game of Yatzy is an episode, the reward its points over 10, the observation one-hot, no
discount. The agent is a network with two hidden layers; its weights go to a file that `python -m
benchmarks.agents --agent agent.npz` measures in 10,000 games, without PyTorch.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np
import torch
from gymnasium.vector import AutoresetMode
from perfect_yatzy.rl import YatzyVectorEnv
from sb3_contrib import MaskablePPO
from stable_baselines3.common.vec_env import VecEnv

SCALE = 10.0  # points of a reward of 1
HIDDEN = 128


class Games(VecEnv):  # type: ignore[misc]
    """The vector environment in the form of stable-baselines3."""

    def __init__(self, number: int, seed: int) -> None:
        self.games = YatzyVectorEnv(
            number, observation="one-hot", autoreset_mode=AutoresetMode.SAME_STEP
        )
        super().__init__(
            number, self.games.single_observation_space, self.games.single_action_space
        )
        self.first = seed
        self.finals: list[int] = []

    def reset(self) -> Any:
        observed, self.info = self.games.reset(seed=self.first)
        return observed

    def step_async(self, actions: Any) -> None:
        self.actions = actions

    def step_wait(self) -> Any:
        observed, rewards, over, _, info = self.games.step(self.actions)
        notes: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for i in np.flatnonzero(over).tolist():
            notes[i] = {"terminal_observation": info["final_obs"][i], "TimeLimit.truncated": False}
            self.finals.append(int(info["final_info"]["score"][i]))
        self.info = info
        return observed, (rewards / SCALE).astype(np.float32), over, notes

    def env_method(
        self, method_name: str, *args: Any, indices: Any = None, **options: Any
    ) -> list[Any]:
        assert method_name == "action_masks"
        return list(self.info["action_mask"].view(np.bool_))

    def has_attr(self, attr_name: str) -> bool:
        return attr_name == "action_masks"

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        return [getattr(self.games, attr_name, None)] * self.num_envs

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        raise NotImplementedError

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        return [False] * self.num_envs

    def close(self) -> None:
        """Nothing to release."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--steps", type=int, default=3_000_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--output", default="agent.npz")
    given = parser.parse_args()
    games = Games(256, given.seed)
    model = MaskablePPO(
        "MlpPolicy",
        games,
        n_steps=64,
        batch_size=2048,
        n_epochs=4,
        gamma=1.0,
        gae_lambda=0.95,
        ent_coef=0.01,
        learning_rate=lambda left: 1e-3 * left,
        seed=given.seed,
        policy_kwargs={"net_arch": [HIDDEN, HIDDEN], "activation_fn": torch.nn.ReLU},
    )
    begin, cpu = time.perf_counter(), time.process_time()

    def report(local: dict[str, Any], _: object) -> bool:
        if model.num_timesteps % (given.steps // 20) < games.num_envs:
            print(
                f"{model.num_timesteps} steps, {len(games.finals)} games, mean of the last 1,000: ",
                end="",
            )
            print(
                f"{np.mean(games.finals[-1_000:] or [0]):.1f}; {time.perf_counter() - begin:.0f} s",
                flush=True,
            )
        return True

    model.learn(given.steps, callback=report)
    weights = {
        name: tensor.numpy()
        for name, tensor in model.policy.state_dict().items()
        if "value" not in name
    }
    np.savez_compressed(
        given.output, steps=given.steps, seed=given.seed, cpu=time.process_time() - cpu, **weights
    )


if __name__ == "__main__":
    main()
