"""The vector environment: the same games as single environments step by step, at a multiple of their speed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from perfect_yatzy import RuleSet, Strategy
from support.games import joker_game, rule_sets
from support.need import need
from support.refusals import refused
from support.seeds import FULL, examples

gymnasium = need("gymnasium")

from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers import TimeLimit
from perfect_yatzy.rl import YatzyEnv, YatzyVectorEnv

ID = "perfect-yatzy/Yatzy-v0"
MODES = [*AutoresetMode]


def assert_same(one: Any, other: Any, path: str) -> None:
    """The same keys, types, shapes and bits."""
    if isinstance(one, dict):
        assert one.keys() == other.keys(), path
        for key in one:
            assert_same(one[key], other[key], f"{path} {key}")
    elif isinstance(one, tuple):
        for i, (a, b) in enumerate(zip(one, other, strict=True)):
            assert_same(a, b, f"{path} {i}")
    elif isinstance(one, np.ndarray):
        assert (one.dtype, one.shape) == (other.dtype, other.shape), path
        if one.dtype == object:
            for i, (a, b) in enumerate(zip(one, other, strict=True)):
                assert_same(a, b, f"{path} {i}")
        else:
            np.testing.assert_array_equal(one, other, path)
    else:
        assert one == other, path


def compare(rules: str | RuleSet, mode: AutoresetMode, steps: int, **options: Any) -> dict[str, int]:
    """Step single environments and the vector environment alike; how often something happened."""
    number, limit, options = 4, 75, {"render_mode": "ansi"} | options
    single = SyncVectorEnv([lambda: TimeLimit(YatzyEnv(rules, **options), limit)] * number, autoreset_mode=mode)
    many = YatzyVectorEnv(number, rules, max_episode_steps=limit, autoreset_mode=mode, **options)
    assert single.observation_space == many.observation_space
    assert single.single_observation_space == many.single_observation_space
    assert single.action_space == many.action_space
    assert single.metadata == many.metadata
    random, seen = np.random.default_rng(5), {"terminated": 0, "truncated": 0, "illegal": 0}
    result: Any = many.reset(seed=11)
    assert_same(single.reset(seed=11), result, "reset")
    for step in range(steps):
        # Now and then any number; else a legal action. Game 0 takes illegal actions until it is truncated.
        actions = random.integers(-2, many.n_actions + 2, number)
        mask = result[-1]["action_mask"]
        for i in np.flatnonzero((random.random(number) < 0.9) & (np.arange(number) > 0) & mask.any(axis=1)):
            actions[i] = random.choice(np.flatnonzero(mask[i]))
        actions[0] = -1
        result = many.step(actions)
        assert_same(single.step(actions), result, f"step {step}")
        np.testing.assert_array_equal(many.action_masks(), result[-1]["action_mask"] == 1)
        observation, _, terminated, truncated, info = result
        assert many.observation_space.contains(observation)
        seen["terminated"] += terminated.sum()
        seen["truncated"] += truncated.sum()
        seen["illegal"] += info.get("illegal", np.zeros(1)).sum()
        over = terminated | truncated
        if mode is AutoresetMode.DISABLED and over.any():
            with pytest.raises(gymnasium.error.ResetNeeded, match="reset"):
                many.step(actions)
            expected = single.reset(options={"reset_mask": over.copy()})
            result = many.reset(options={"reset_mask": over})
            assert_same(expected[0], result[0], f"reset after step {step}")
            for name, entries in expected[1].items():
                np.testing.assert_array_equal(entries[over], result[1][name][over], name)
    assert many.render() == tuple(env.render() for env in single.envs)
    return seen


GAMES = ["yatzy", "yatzy-forced", "maxi", "yahtzee", "generala"]


@pytest.mark.parametrize(
    ("rules", "mode"),
    [
        pytest.param(
            rules, mode, id=f"{rules} {mode.value}", marks=[] if rules == "yatzy" or mode is MODES[2] else FULL
        )
        for rules in GAMES
        for mode in MODES
    ],
)
def test_the_games_are_those_of_single_environments(rules: str, mode: AutoresetMode) -> None:
    seen = compare(rules, mode, 170)
    assert min(seen.values()) > 0, seen


@pytest.mark.parametrize("joker_mode", ["none", "free", "forced"])
def test_jokers_score_as_in_single_environments(joker_mode: str) -> None:
    """A game in which one roll in nine is a joker."""
    seen = compare(joker_game(joker_mode, order="free"), AutoresetMode.SAME_STEP, 400, observation="one-hot")
    assert seen["terminated"] > 50


@given(rule_sets(), st.sampled_from(MODES))
@examples(8, 40)
def test_random_rules_give_the_games_of_single_environments(rules: RuleSet, mode: AutoresetMode) -> None:
    compare(rules, mode, 60)


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.value)
def test_oracle_values_and_regret_are_those_of_single_environments(mode: AutoresetMode) -> None:
    """Single environments ask the strategy position by position; the vector environment in one batch."""
    number, key = 3, "generala"
    single = SyncVectorEnv([lambda: YatzyEnv(key, oracle=True)] * number, autoreset_mode=mode)
    many = YatzyVectorEnv(number, key, oracle=True, autoreset_mode=mode)
    expected, found = single.reset(seed=4)[1], many.reset(seed=4)[1]
    random = np.random.default_rng(1)
    for _ in range(45):
        np.testing.assert_allclose(expected["action_values"], found["action_values"], atol=1e-9)
        assert np.array_equal(np.isfinite(found["action_values"]), found["action_mask"] == 1)
        actions = np.array([random.choice(np.flatnonzero(row)) if row.any() else 0 for row in found["action_mask"]])
        one, other = single.step(actions), many.step(actions)
        expected, found = one[4], other[4]
        assert expected.keys() == found.keys()
        for name in ("regret", "_regret"):
            np.testing.assert_allclose(expected.get(name, 0), found.get(name, 0), atol=1e-9)
        if "final_info" in expected:
            np.testing.assert_allclose(expected["final_info"]["regret"], found["final_info"]["regret"], atol=1e-9)
        over = other[2]
        if mode is AutoresetMode.DISABLED and over.any():
            single.reset(options={"reset_mask": over.copy()})
            expected = found = many.reset(options={"reset_mask": over})[1]


def test_optimal_play_reaches_the_value_of_the_game(yatzy: Strategy) -> None:
    """1,000 games that follow the batch answers: the mean return lies within four standard errors."""
    envs = YatzyVectorEnv(1_000)
    observed, info = envs.reset(seed=9)
    total, over = np.zeros(envs.num_envs), np.zeros(envs.num_envs, dtype=bool)
    while not over.all():  # games that are over go on with the next one, which does not count
        playing = info["action_mask"].any(axis=1)
        filled = (observed["filled"] << np.arange(15)).sum(axis=1)
        dice = np.array([np.repeat(np.arange(1, 7), counts) for counts in observed["counts"][playing]])
        upper, rolls_left = observed["upper"][:, 0], observed["rolls_left"][:, 0]
        actions = np.zeros(envs.num_envs, dtype=np.int64)
        actions[playing] = yatzy.best(filled[playing], upper[playing], dice, rolls_left[playing]).action
        observed, rewards, terminated, _, info = envs.step(actions)
        total += np.where(over, 0.0, rewards)
        over |= terminated
    assert abs(total.mean() - yatzy.value()) < 4 * total.std() / np.sqrt(len(total))


def test_the_registered_vector_environment() -> None:
    envs = gymnasium.make_vec(ID, num_envs=2, rules="yahtzee")
    assert isinstance(envs, YatzyVectorEnv)
    assert envs.max_episode_steps == 1_000
    assert envs.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    assert envs.describe(envs.action("33")) == (3, 3)
    seen = []
    for seed in ([5, None], 5, None):
        envs.reset(seed=seed)
        seen.append(envs.render()[0])
    assert seen[0] == seen[1] != seen[2]
    envs.close()


def test_results_are_not_overwritten_by_later_steps() -> None:
    envs = YatzyVectorEnv(2)
    observed, info = envs.reset(seed=1)
    rewards = envs.step([210, 211])[1]
    results = [observed["counts"], info["action_mask"], info["score"], rewards]
    kept = [result.copy() for result in results]
    envs.step([0, 1])
    for result, before in zip(results, kept, strict=True):
        assert np.array_equal(result, before)


def test_wrong_arguments_are_errors_with_a_sentence() -> None:
    refused("num_envs is 0; must be at least 1", YatzyVectorEnv, 0)
    with pytest.raises(ValueError, match="Never"):
        YatzyVectorEnv(2, autoreset_mode="Never")
    envs = YatzyVectorEnv(2)
    assert not envs.action_masks().any()
    with pytest.raises(gymnasium.error.ResetNeeded):
        envs.step([0, 0])
    for seeds in ([1], [1, 2, 3]):
        refused("seeds for 2 environments", envs.reset, seed=seeds)
    for mask in (np.ones(2), np.ones(3, dtype=bool), np.zeros(2, dtype=bool), "all"):
        refused(r"reset_mask is .*; must be a bool array", envs.reset, options={"reset_mask": mask})
    envs.reset(seed=1)
    for actions in ([0], [0, 0, 0], [0.0, 1.0], ["a", "b"], 0, [True, False]):
        refused(r"actions is .*; must be 2 whole numbers", envs.step, actions)
