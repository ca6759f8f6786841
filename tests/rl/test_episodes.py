"""Episodes of a policy as a Minari data set: the games of a simulation, read back by Minari."""

from pathlib import Path

import numpy as np
import perfect_yatzy
import pytest
from perfect_yatzy.strategy.strategy import Strategy
from support.need import need
from support.refusals import refused

minari = need("minari", "pip install 'minari[create]'")

from perfect_yatzy.rl.episodes import record_episodes


@pytest.mark.full
@pytest.mark.filterwarnings("ignore")  # Minari warns about what a data set does not state
def test_episodes_are_simulated_games(forced: Strategy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rewards sum to the final scores, every action is the best one, and the same call gives the same arrays."""
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    for name in ("yatzy/one-v0", "yatzy/two-v0"):
        record_episodes(name, forced, "yatzy-forced", 5, seed=3)
    found, again = (list(minari.load_dataset(name).iterate_episodes()) for name in ("yatzy/one-v0", "yatzy/two-v0"))
    games = perfect_yatzy.simulate(forced, 5, seed=3)
    assert [int(episode.rewards.sum()) for episode in found] == games.final_scores.tolist()
    for episode, other in zip(found, again, strict=True):
        assert np.array_equal(episode.actions, other.actions)
        seen = episode.observations
        n, counts = len(episode.actions), seen["counts"]
        dice = np.array([np.repeat(np.arange(1, 7), row) for row in counts[:n]])
        filled = seen["filled"][:n] @ (1 << np.arange(15))
        best = forced.best(filled, seen["upper"][:n, 0], dice, seen["rolls_left"][:n, 0])
        assert np.array_equal(best.action, episode.actions)
    refused("episodes is 0; must be at least 1", record_episodes, "yatzy/none-v0", forced, "yatzy-forced", 0)
