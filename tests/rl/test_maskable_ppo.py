"""A learner of another project, sb3-contrib's MaskablePPO, trains on the environment as it is.

PyTorch is too large for the test environment. To run this test: ``pip install sb3-contrib``.
"""

import numpy as np
import pytest

pytest.importorskip(
    "sb3_contrib", reason="sb3-contrib is not installed (pip install sb3-contrib; it needs PyTorch)"
)

import gymnasium
from sb3_contrib import MaskablePPO


@pytest.mark.parametrize("rules", ["yatzy", "maxi"])
def test_maskable_ppo_learns_from_the_masks_of_the_environment(rules: str) -> None:
    env = gymnasium.make("perfect_yatzy.rl:perfect-yatzy/Yatzy-v0", rules=rules)
    model = MaskablePPO("MultiInputPolicy", env, n_steps=64, batch_size=64, n_epochs=2, seed=1)
    model.learn(256)
    assert model.num_timesteps == 256
    observation, info = env.reset(seed=1)
    steps, over = 0, False
    while not over:
        action, _ = model.predict(observation, action_masks=env.unwrapped.action_masks())
        assert info["action_mask"][action] == 1
        observation, _, over, truncated, info = env.step(action)
        assert "illegal" not in info
        assert not truncated
        steps += 1
    assert steps <= 60
    assert np.isfinite(info["score"])
