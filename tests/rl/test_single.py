"""The Gymnasium environment: legal actions, rewards, and regret against the oracle."""

from __future__ import annotations

import subprocess
import sys
from copy import deepcopy
from itertools import combinations, combinations_with_replacement

import numpy as np
import perfect_yatzy
import pytest
from perfect_yatzy.game.notation import dice_of
from perfect_yatzy.strategy.strategy import Strategy
from support.need import need
from support.refusals import refused
from support.seeds import FULL

gymnasium = need("gymnasium")

from gymnasium.utils.env_checker import check_env
from perfect_yatzy.rl import YatzyEnv

ID = "perfect-yatzy/Yatzy-v0"


@pytest.mark.parametrize("key", ["yatzy", "yahtzee", "generala", "yatzy-forced", "yatzy-saved", "maxi", "cheerio"])
def test_the_environment_passes_the_checks_of_gymnasium_without_a_warning(key: str) -> None:
    check_env(gymnasium.make(ID, rules=key).unwrapped)


def test_an_id_with_the_package_in_front_needs_no_import() -> None:
    program = f"""
import sys, gymnasium
env = gymnasium.make("perfect_yatzy.rl:{ID}", rules="yahtzee")
env.reset(seed=1)
print(env.unwrapped.rules.key, env.spec.max_episode_steps, "numba" in sys.modules)
"""
    out = subprocess.run([sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, check=True)
    assert out.stdout.split() == ["yahtzee", "1000", "False"]


def test_an_episode_is_truncated_after_its_limit() -> None:
    for env, limit in ((gymnasium.make(ID), 1_000), (gymnasium.make(ID, max_episode_steps=9), 9)):
        env.reset(seed=1)
        for step in range(1, limit + 1):
            _, _, terminated, truncated, _ = env.step(0 if step < 3 else 224 if step == 3 else 0)
            assert not terminated
            assert truncated == (step == limit)


def test_the_dice_are_those_of_a_simulation(forced: Strategy) -> None:
    """Episode g of seed s is game g of the simulation with seed s: the same play gives the same scores."""
    games = perfect_yatzy.simulate(forced, 4, seed=21)
    env = YatzyEnv("yatzy-forced")
    for game in range(4):
        env.reset(seed=21 if game == 0 else None)
        over = False
        while not over:
            dice, left = dice_of(env.counts.tolist()), env.rolls_left
            best = forced.holds(env.card, dice, left)[0] if left else None
            taken = best is None or best.category
            action = forced.categories(env.card, dice, left)[0].category if taken else best.dice
            _, _, over, _, info = env.step(env.action(action))
        assert info["score"] == games.final_scores[game]
        assert list(env.card.points.values()) == games.category_points[game].tolist()


def test_dice_follow_the_seed_and_a_generator_that_replaces_it() -> None:
    env = YatzyEnv()
    rolls = [env.reset(seed=seed)[0]["counts"].tolist() for seed in (3, 3, 3 + 2**63, None)]
    assert rolls[0] == rolls[1] == rolls[2] != rolls[3]
    copies = [deepcopy(env), deepcopy(env)]
    assert [copy.step(0)[0]["counts"].tolist() for copy in copies] == [env.step(0)[0]["counts"].tolist()] * 2
    first = [YatzyEnv().reset()[0]["counts"].tolist() for _ in range(20)]
    assert len({*map(tuple, first)}) > 1  # no seed: other dice each time
    replaced = []
    for _ in range(2):
        env.np_random = np.random.default_rng(8)
        replaced.append([env.reset()[0]["counts"].tolist() for _ in range(5)])
    assert replaced[0] == replaced[1]
    assert len({*map(tuple, replaced[0])}) > 1


@pytest.mark.parametrize(
    "key", ["yatzy", "yahtzee", "generala", "maxi-forced", pytest.param("yatzy-saved", marks=FULL)]
)
def test_the_return_is_the_final_score_and_optimal_play_has_no_regret(key: str) -> None:
    env = YatzyEnv(key, oracle=True)
    _, info = env.reset(seed=3)
    assert np.isfinite(info["action_values"]).tolist() == info["action_mask"].astype(bool).tolist()
    rewards, over = [], False
    while not over:
        observed, reward, over, _, info = env.step(np.int64(np.argmax(info["action_values"])))
        assert env.observation_space.contains(observed)
        assert info["regret"] == 0.0
        rewards.append(reward)
    assert sum(rewards) == info["score"]
    assert info["action_mask"].sum() == 0
    assert len(rewards) <= 200
    assert abs(sum(rewards) - perfect_yatzy.open_strategy(key).value()) < 250


def test_the_regret_of_random_play_is_the_loss_in_value(yatzy: Strategy) -> None:
    env = YatzyEnv("yatzy", oracle=True)
    info, over, regrets = env.reset(seed=1)[1], False, []
    while not over:
        action = env.action_space.sample(mask=info["action_mask"])
        regrets.append(info["action_values"].max() - info["action_values"][action])
        _, _, over, _, info = env.step(action)
        assert info["regret"] == pytest.approx(regrets[-1])
    assert sum(regrets) > 20


@pytest.mark.parametrize("number", [None, -1, -225, 225, 10**6])
def test_an_illegal_action_changes_nothing(number: int | None) -> None:
    env = gymnasium.make(ID, render_mode="ansi").unwrapped
    observed, info = env.reset(seed=2)
    assert env.n_actions == 225
    illegal = int(np.flatnonzero(info["action_mask"] == 0)[0]) if number is None else number
    after, reward, over, _, info = env.step(np.int64(illegal))
    assert (reward, over, info["illegal"]) == (-1.0, False, True)
    assert all(np.array_equal(observed[name], after[name]) for name in observed)
    assert env.action_masks().dtype == bool
    assert np.array_equal(env.action_masks(), info["action_mask"] == 1)
    assert env.render().endswith("rerolls left")
    for wrong in (1.5, "3", None, True):
        refused(r"action is .*; must be a whole number", env.step, wrong)


def test_a_step_before_or_after_a_game_is_an_error() -> None:
    env = YatzyEnv("generala")
    assert not env.action_masks().any()
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
        refused(f"action is {wrong}; must be 0 to", env.describe, wrong)
    for held, message in (([1] * dice, "fewer than"), ([7], "no action holds"), ([0], "no action holds")):
        refused(message, env.action, held)
    refused("unknown category", env.action, "nothing")


def test_rendering_follows_the_conventions_of_gymnasium(capsys: pytest.CaptureFixture[str]) -> None:
    """A mode for a person prints, `ansi` returns text, none warns, an unknown one is refused."""
    env = gymnasium.make(ID, render_mode="human")
    env.reset(seed=1)
    env.step(0)
    printed = capsys.readouterr().out.splitlines()
    assert [line.endswith(f"{left} rerolls left") for line, left in zip(printed, (2, 1), strict=True)] == [True, True]
    assert env.render() is None
    silent = YatzyEnv()
    silent.reset(seed=1)
    with pytest.warns(UserWarning, match="render needs a mode"):
        assert silent.render() is None
    refused("render_mode is 'rgb_array'; must be one of None, 'ansi', 'human'", YatzyEnv, render_mode="rgb_array")


def test_the_specification_states_the_optimum() -> None:
    env = gymnasium.make(ID)
    assert env.spec is not None
    assert env.spec.reward_threshold == pytest.approx(248.4399893779, abs=1e-9)  # published
    assert YatzyEnv("yatzy-forced").optimum == perfect_yatzy.open_strategy("yatzy-forced").value()


def numbers_of(env: YatzyEnv, vector: np.ndarray, form: str) -> list[int]:  # type: ignore[type-arg]
    """The entries of a vector as the numbers of the dict, read back by hand."""
    rules, left = env.rules, 2
    bounds = [1] * len(rules.categories) + [63] + [rules.dice] * rules.faces + [left, 1]
    if form == "float":
        return [round(float(x) * bound) for x, bound in zip(vector, bounds, strict=True)]
    found, at = [], 0
    for bound in bounds:
        part = vector[at : at + (1 if bound == 1 else bound + 1)]
        found.append(int(part[0]) if bound == 1 else int(np.flatnonzero(part == 1).item()))
        at += len(part)
    assert at == len(vector)
    return found


@pytest.mark.parametrize("form", ["float", "one-hot"])
def test_a_vector_has_the_numbers_of_the_observation(form: str) -> None:
    """The same game in both forms, in the single and the vector environment; the checks of Gymnasium."""
    vector_env = gymnasium.make(ID, observation=form)
    check_env(gymnasium.make(ID, observation=form).unwrapped)
    many = gymnasium.make_vec(ID, num_envs=2, observation=form)
    plain = YatzyEnv()
    first, info = plain.reset(seed=3)
    vector, _ = vector_env.reset(seed=3)
    rows, _ = many.reset(seed=3)
    assert many.single_observation_space == vector_env.observation_space
    draw = np.random.default_rng(1)
    for _ in range(44):
        assert numbers_of(plain, vector, form) == np.concatenate([*first.values()]).tolist()
        assert np.array_equal(rows[0], vector)
        assert vector_env.observation_space.contains(vector)
        action = draw.choice(np.flatnonzero(info["action_mask"]))
        first, _, over, _, info = plain.step(action)
        vector = vector_env.step(action)[0]
        rows = many.step(np.array([action, 210]))[0]
        if over:
            break
    refused("observation is 'image'; must be one of 'dict', 'float', 'one-hot'", YatzyEnv, observation="image")


def test_the_reward_regret_is_minus_what_an_action_loses(forced: Strategy) -> None:
    """Its return is the final score without the luck, less the optimum; equal in both environments."""
    env, oracle = YatzyEnv("yatzy-forced", reward="regret"), YatzyEnv("yatzy-forced", oracle=True)
    many = gymnasium.make_vec(ID, num_envs=1, rules="yatzy-forced", reward="regret")
    env.reset(seed=4)
    _, info = oracle.reset(seed=4)
    many.reset(seed=4)
    draw, over = np.random.default_rng(2), False
    while not over:
        action = draw.choice(np.flatnonzero(info["action_mask"]))
        _, reward, over, _, _ = env.step(action)
        _, _, _, _, info = oracle.step(action)
        assert reward == -info["regret"]
        assert many.step(np.array([action]))[1][0] == pytest.approx(reward)
    refused("reward is 'score'; must be one of 'points', 'regret'", YatzyEnv, reward="score")
