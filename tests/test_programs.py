"""For programs: the Gymnasium environment against its oracle, results as tables."""

from __future__ import annotations

import numpy as np
import pytest

import solver
from solver.advice import Strategy
from solver.frames import columns, to_arrow, to_pandas, to_polars

gymnasium = pytest.importorskip("gymnasium", reason="the extra rl is not installed")

from solver.rl import YatzyEnv  # noqa: E402


@pytest.mark.parametrize("key", ["yatzy", "yahtzee", "generala", "yatzy-forced", "yatzy-saved"])
@pytest.mark.filterwarnings("ignore")
def test_gymnasium_finds_the_environment_in_order(key: str) -> None:
    from gymnasium.utils.env_checker import check_env

    check_env(YatzyEnv(key), skip_render_check=True)


@pytest.mark.parametrize("key", ["yatzy", "yahtzee", "generala", "yatzy-saved"])
def test_the_return_is_the_score_and_the_oracle_has_no_regret(key: str) -> None:
    env = YatzyEnv(key, oracle=True)
    _, info = env.reset(seed=3)
    value = solver.open_strategy(key).value()
    assert np.isfinite(info["action_values"]).tolist() == info["action_mask"].astype(bool).tolist()
    total, over, steps = 0.0, False, 0
    while not over:
        observed, reward, over, _, info = env.step(np.int64(np.argmax(info["action_values"])))
        assert env.observation_space.contains(observed)
        assert info["regret"] == 0.0
        total, steps = total + reward, steps + 1
    assert total == info["score"]
    assert info["action_mask"].sum() == 0
    assert steps <= 200
    assert abs(total - value) < 250


def test_random_play_regrets_what_it_loses(yatzy: Strategy) -> None:
    env = YatzyEnv("yatzy", oracle=True)
    _, info = env.reset(seed=1)
    regrets = []
    over = False
    while not over:
        action = env.action_space.sample(mask=info["action_mask"])
        expected = info["action_values"].max() - info["action_values"][action]
        _, _, over, _, info = env.step(action)
        assert info["regret"] == pytest.approx(expected)
        regrets.append(expected)
    assert sum(regrets) > 20


def test_an_illegal_action_changes_nothing() -> None:
    env = gymnasium.make("perfect-yatzy/Yatzy-v0").unwrapped
    observed, info = env.reset(seed=2)
    illegal = int(np.flatnonzero(info["action_mask"] == 0)[0])
    after, reward, over, _, info = env.step(np.int64(illegal))
    assert (reward, over, info["illegal"]) == (-1.0, False, True)
    assert all(np.array_equal(observed[name], after[name]) for name in observed)
    assert env.render().endswith("rerolls left")


def test_results_as_tables(yatzy: Strategy) -> None:
    holds = yatzy.holds("", "33456")
    played, found = (
        solver.simulate(yatzy, 50),
        solver.distribution(yatzy, yatzy.state("ones=3 twos=6 sixes=24 chance=20")),
    )
    makers = {"pyarrow": to_arrow, "pandas": to_pandas, "polars": to_polars}
    for module, make in makers.items():
        try:
            __import__(module)
        except ImportError:
            continue
        assert len(make(holds)) == len(holds)
        assert len(make(played, yatzy.rules)) == 50
        assert len(make(found)) == len(found.scores)
    assert list(columns(played, yatzy.rules))[:3] == ["total", "bonus", "ones"]
    assert columns(holds)["dice"][0] == [3, 3]
    assert list(columns(played))[2] == "box_0"
