"""The Gymnasium environment: legal actions, rewards, and regret against the oracle."""

from __future__ import annotations

from itertools import combinations, combinations_with_replacement

import numpy as np
import perfect_yatzy
import pytest
from perfect_yatzy.errors import StateError
from perfect_yatzy.game.notation import dice_of
from perfect_yatzy.strategy.strategy import Strategy
from support.need import need

gymnasium = need("gymnasium")

from perfect_yatzy.rl import YatzyEnv


@pytest.mark.parametrize("key", ["yatzy", "yahtzee", "generala", "yatzy-forced", "yatzy-saved"])
@pytest.mark.filterwarnings("ignore")
def test_the_environment_passes_the_checks_of_gymnasium(key: str) -> None:
    from gymnasium.utils.env_checker import check_env

    check_env(YatzyEnv(key), skip_render_check=True)


@pytest.mark.parametrize("key", ["yatzy", "yahtzee", "generala", "yatzy-saved"])
def test_the_return_is_the_final_score_and_optimal_play_has_no_regret(key: str) -> None:
    env = YatzyEnv(key, oracle=True)
    _, info = env.reset(seed=3)
    value = perfect_yatzy.open_strategy(key).value()
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


def test_the_regret_of_random_play_is_the_loss_in_value(yatzy: Strategy) -> None:
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


@pytest.mark.parametrize("number", [None, -1, -225, 225, 10**6])
def test_an_illegal_action_changes_nothing(number: int | None) -> None:
    env = gymnasium.make("perfect-yatzy/Yatzy-v0").unwrapped
    observed, info = env.reset(seed=2)
    assert env.n_actions == 225
    illegal = int(np.flatnonzero(info["action_mask"] == 0)[0]) if number is None else number
    after, reward, over, _, info = env.step(np.int64(illegal))
    assert (reward, over, info["illegal"]) == (-1.0, False, True)
    assert all(np.array_equal(observed[name], after[name]) for name in observed)
    assert env.render().endswith("rerolls left")


@pytest.mark.parametrize("wrong", [1.5, "3", None, True])
def test_an_action_is_a_whole_number(wrong: object) -> None:
    env = YatzyEnv("yatzy")
    env.reset(seed=2)
    with pytest.raises(StateError, match=r"action is .*; must be a whole number"):
        env.step(wrong)  # type: ignore[arg-type]


def test_a_step_before_or_after_a_game_is_an_error() -> None:
    env = YatzyEnv("generala")
    assert not env.action_mask().any()
    with pytest.raises(gymnasium.error.ResetNeeded, match="reset"):
        env.step(np.int64(0))
    _, info = env.reset(seed=1)
    for turn in range(1, 11):
        _, _, over, _, info = env.step(np.flatnonzero(info["action_mask"])[-1])
        assert over == (turn == 10)
    with pytest.raises(gymnasium.error.ResetNeeded, match="reset"):
        env.step(np.int64(0))
    assert env.reset(seed=1)[1]["action_mask"].any()


@pytest.mark.parametrize("key", ["yatzy", "maxi-unsaved", "generala"])
def test_numbers_of_actions_and_their_meanings(key: str) -> None:
    """Every multiset of fewer dice once, then the sheet; holding keeps these dice on the table."""
    env = YatzyEnv(key)
    faces, dice, boxes = range(1, env.rules.faces + 1), env.rules.dice, [c.id for c in env.rules.categories]
    holds = {held for size in range(dice) for held in combinations_with_replacement(faces, size)}
    meanings = [env.describe(number) for number in range(env.n_actions)]
    assert set(meanings[: len(holds)]) == holds
    assert meanings[len(holds) :] == boxes
    assert [env.action(meaning) for meaning in meanings] == [*range(env.n_actions)]
    _, info = env.reset(seed=4)
    table = dice_of(env.counts.tolist())
    legal = {meanings[number] for number in np.flatnonzero(info["action_mask"])}
    assert legal == {held for size in range(dice) for held in combinations(table, size)} | set(boxes)
    observed = env.step(np.int64(env.action([table[3], table[1]])))[0]
    assert all(observed["counts"][face - 1] >= [table[3], table[1]].count(face) for face in table)
    for wrong in (env.n_actions, -1):
        with pytest.raises(StateError, match=f"action is {wrong}; must be 0 to"):
            env.describe(wrong)
    for held in ([1] * dice, [7], [0]):
        with pytest.raises(StateError, match="no action holds"):
            env.action(held)
    with pytest.raises(StateError, match="unknown category"):
        env.action("nothing")
