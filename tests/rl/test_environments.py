"""The environments of one player, of many and of several: legal actions, rewards and regret;
other projects' checks.
"""

import subprocess
import sys
from copy import deepcopy
from itertools import combinations, combinations_with_replacement
from typing import Any

import numpy as np
import perfect_yatzy
import pytest
from hypothesis import given
from hypothesis import strategies as st
from perfect_yatzy import RuleSet, Strategy
from perfect_yatzy.game.notation import dice_of
from support.games import joker_game, rule_sets
from support.need import need
from support.refusals import refused
from support.seeds import examples, ring_2

gymnasium, pettingzoo = need("gymnasium"), need("pettingzoo")

from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers import TimeLimit
from perfect_yatzy.rl import YatzyEnv, YatzyVectorEnv, yatzy_v0
from pettingzoo.test import api_test, seed_test

ID = "perfect-yatzy/Yatzy-v0"


@pytest.mark.parametrize(
    "key", ["yatzy", "yahtzee", "generala", "yatzy-forced", "yatzy-saved", "maxi", "cheerio"]
)
def test_the_environment_passes_the_checks_of_gymnasium_without_a_warning(key: str) -> None:
    check_env(gymnasium.make(ID, rules=key).unwrapped)


def test_an_id_with_the_package_in_front_needs_no_import() -> None:
    program = f"""
import sys, gymnasium
env = gymnasium.make("perfect_yatzy.rl:{ID}", rules="yahtzee")
env.reset(seed=1)
print(env.unwrapped.rules.key, env.spec.max_episode_steps, "numba" in sys.modules)
"""
    out = subprocess.run(
        [sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, check=True
    )
    assert out.stdout.split() == ["yahtzee", "1000", "False"]


def test_an_episode_is_truncated_after_its_limit() -> None:
    for env, limit in ((gymnasium.make(ID), 1_000), (gymnasium.make(ID, max_episode_steps=9), 9)):
        env.reset(seed=1)
        for step in range(1, limit + 1):
            _, _, terminated, truncated, _ = env.step(0 if step < 3 else 224 if step == 3 else 0)
            assert not terminated
            assert truncated == (step == limit)


def test_the_dice_are_those_of_a_simulation(forced: Strategy) -> None:
    """Episode g of seed s is game g of the simulation with seed s: the same play gives the same
    scores.
    """
    games = perfect_yatzy.simulate(forced, 4, seed=21)
    env = YatzyEnv("yatzy-forced")
    for game in range(4):
        env.reset(seed=21 if game == 0 else None)
        over = False
        while not over:
            position = perfect_yatzy.start_turn(
                env.rules, env.card, dice_of(env.counts.tolist()), env.rolls_left
            )
            _, _, over, _, info = env.step(env.action(forced.best_action(position)))
        assert info["score"] == games.final_scores[game]
        assert list(env.card.points.values()) == games.category_points[game].tolist()


def test_dice_follow_the_seed_and_a_generator_that_replaces_it() -> None:
    env = YatzyEnv()
    rolls = [env.reset(seed=seed)[0]["counts"].tolist() for seed in (3, 3, 3 + 2**63, None)]
    assert rolls[0] == rolls[1] == rolls[2] != rolls[3]
    copies = [deepcopy(env), deepcopy(env)]
    assert [copy.step(0)[0]["counts"].tolist() for copy in copies] == [
        env.step(0)[0]["counts"].tolist()
    ] * 2
    first = [YatzyEnv().reset()[0]["counts"].tolist() for _ in range(20)]
    assert len({*map(tuple, first)}) > 1  # no seed: other dice each time
    replaced = []
    for _ in range(2):
        env.np_random = np.random.default_rng(8)
        replaced.append([env.reset()[0]["counts"].tolist() for _ in range(5)])
    assert replaced[0] == replaced[1]
    assert len({*map(tuple, replaced[0])}) > 1


@pytest.mark.parametrize(
    "key", ["yatzy", "yahtzee", "generala", "maxi-forced", ring_2("yatzy-saved")]
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
    faces, dice, boxes = (
        range(1, env.rules.faces + 1),
        env.rules.dice,
        [c.id for c in env.rules.categories],
    )
    holds = {held for size in range(dice) for held in combinations_with_replacement(faces, size)}
    meanings = [env.describe(number) for number in range(env.n_actions)]
    assert meanings[: len(holds)] == sorted(holds, key=lambda hold: (len(hold), hold))
    assert meanings[len(holds) :] == boxes
    assert [env.action(meaning) for meaning in meanings] == [*range(env.n_actions)]
    _, info = env.reset(seed=4)
    table = dice_of(env.counts.tolist())
    legal = {meanings[number] for number in np.flatnonzero(info["action_mask"])}
    assert legal == {held for size in range(dice) for held in combinations(table, size)} | set(
        boxes
    )
    observed = env.step(np.int64(env.action([table[3], table[1]])))[0]
    assert all(observed["counts"][face - 1] >= [table[3], table[1]].count(face) for face in table)
    for wrong in (env.n_actions, -1):
        refused(f"action is {wrong}; must be 0 to", env.describe, wrong)
    for held, message in (
        ([1] * dice, "fewer than"),
        ([7], "no action holds"),
        ([0], "no action holds"),
    ):
        refused(message, env.action, held)
    refused("unknown category", env.action, "nothing")


def test_rendering_follows_the_conventions_of_gymnasium(capsys: pytest.CaptureFixture[str]) -> None:
    """A mode for a person prints, `ansi` returns text, none warns, an unknown one is refused."""
    env = gymnasium.make(ID, render_mode="human")
    env.reset(seed=1)
    env.step(0)
    printed = capsys.readouterr().out.splitlines()
    assert [
        line.endswith(f"{left} rerolls left") for line, left in zip(printed, (2, 1), strict=True)
    ] == [True, True]
    assert env.render() is None
    silent = YatzyEnv()
    silent.reset(seed=1)
    with pytest.warns(UserWarning, match="render needs a mode"):
        assert silent.render() is None
    refused(
        "render_mode is 'rgb_array'; must be one of None, 'ansi', 'human'",
        YatzyEnv,
        render_mode="rgb_array",
    )


def test_the_specification_states_the_optimum() -> None:
    # published
    assert gymnasium.make(ID).spec.reward_threshold == pytest.approx(248.4399893779, abs=1e-9)
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
    """The same game in both forms, in the single and the vector environment; the checks of
    Gymnasium.
    """
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
    refused(
        "observation is 'image'; must be one of 'dict', 'float', 'one-hot'",
        YatzyEnv,
        observation="image",
    )


def test_the_regret_of_an_action_is_its_loss_in_value_and_minus_the_reward_regret(
    forced: Strategy,
) -> None:
    """Its return is the final score without the luck, less the optimum; equal in both
    environments.
    """
    env, oracle = YatzyEnv("yatzy-forced", reward="regret"), YatzyEnv("yatzy-forced", oracle=True)
    many = gymnasium.make_vec(ID, num_envs=1, rules="yatzy-forced", reward="regret")
    env.reset(seed=4)
    many.reset(seed=4)
    info, over, lost = oracle.reset(seed=4)[1], False, 0.0
    while not over:
        action = oracle.action_space.sample(mask=info["action_mask"])
        regret = info["action_values"].max() - info["action_values"][action]
        _, reward, over, _, _ = env.step(action)
        _, _, _, _, info = oracle.step(action)
        assert info["regret"] == pytest.approx(regret)
        assert reward == -info["regret"]
        assert many.step(np.array([action]))[1][0] == pytest.approx(reward)
        lost += regret
    assert lost > 5
    refused("reward is 'score'; must be one of 'points', 'regret'", YatzyEnv, reward="score")


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


def compare(
    rules: str | RuleSet, mode: AutoresetMode, steps: int, **options: Any
) -> dict[str, int]:
    """Step single environments and the vector environment alike; how often something happened."""
    number, limit, options = 4, 75, {"render_mode": "ansi"} | options
    single = SyncVectorEnv(
        [lambda: TimeLimit(YatzyEnv(rules, **options), limit)] * number, autoreset_mode=mode
    )
    many = YatzyVectorEnv(number, rules, max_episode_steps=limit, autoreset_mode=mode, **options)
    assert single.observation_space == many.observation_space
    assert single.single_observation_space == many.single_observation_space
    assert single.action_space == many.action_space
    assert single.metadata == many.metadata
    random, seen = np.random.default_rng(5), {"terminated": 0, "truncated": 0, "illegal": 0}
    result: Any = many.reset(seed=11)
    assert_same(single.reset(seed=11), result, "reset")
    for step in range(steps):
        # Now and then any number; else a legal action. Game 0 takes illegal actions until it is
        # truncated.
        actions = random.integers(-2, many.n_actions + 2, number)
        mask = result[-1]["action_mask"]
        for i in np.flatnonzero(
            (random.random(number) < 0.9) & (np.arange(number) > 0) & mask.any(axis=1)
        ):
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
        (pytest.param if rules == "yatzy" or mode is MODES[2] else ring_2)(
            rules, mode, id=f"{rules} {mode.value}"
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
    seen = compare(
        joker_game(joker_mode, order="free"), AutoresetMode.SAME_STEP, 400, observation="one-hot"
    )
    assert seen["terminated"] > 50


@given(rule_sets(), st.sampled_from(MODES))
@examples(4, 40)
def test_random_rules_give_the_games_of_single_environments(
    rules: RuleSet, mode: AutoresetMode
) -> None:
    compare(rules, mode, 60)


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.value)
def test_oracle_values_and_regret_are_those_of_single_environments(mode: AutoresetMode) -> None:
    """Single environments ask the strategy position by position; the vector environment in one
    batch.
    """
    number, key = 3, "generala"
    single = SyncVectorEnv([lambda: YatzyEnv(key, oracle=True)] * number, autoreset_mode=mode)
    many = YatzyVectorEnv(number, key, oracle=True, autoreset_mode=mode)
    expected, found = single.reset(seed=4)[1], many.reset(seed=4)[1]
    random = np.random.default_rng(1)
    for _ in range(45):
        np.testing.assert_allclose(expected["action_values"], found["action_values"], atol=1e-9)
        assert np.array_equal(np.isfinite(found["action_values"]), found["action_mask"] == 1)
        actions = np.array(
            [random.choice(np.flatnonzero(row)) if row.any() else 0 for row in found["action_mask"]]
        )
        one, other = single.step(actions), many.step(actions)
        expected, found = one[4], other[4]
        assert expected.keys() == found.keys()
        for name in ("regret", "_regret"):
            np.testing.assert_allclose(expected.get(name, 0), found.get(name, 0), atol=1e-9)
        if "final_info" in expected:
            np.testing.assert_allclose(
                expected["final_info"]["regret"], found["final_info"]["regret"], atol=1e-9
            )
        over = other[2]
        if mode is AutoresetMode.DISABLED and over.any():
            single.reset(options={"reset_mask": over.copy()})
            expected = found = many.reset(options={"reset_mask": over})[1]


def test_the_registered_vector_environment_whose_results_are_not_overwritten() -> None:
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
    for players in (1, 65):
        refused(f"players is {players}; must be from 2 to 64", yatzy_v0.env, players=players)
    refused("reward is 'points'; must be one of 'win', 'margin'", yatzy_v0.env, reward="points")


# PettingZoo warns about every environment whose observation is a dict with a mask, except its own.
DICT_OBSERVATION = pytest.mark.filterwarnings(
    "ignore:Observation space for each agent probably should be gymnasium.spaces.box",
    "ignore:Observation is not a NumPy array",
    "ignore:Action mask numpy array is all zeros",
)


@DICT_OBSERVATION
@pytest.mark.parametrize(
    ("rules", "players"), [("yatzy", 2), ring_2("yatzy", 3), ring_2("maxi", 2), ("yahtzee", 4)]
)
def test_the_environment_passes_the_tests_of_pettingzoo(rules: str, players: int) -> None:
    api_test(yatzy_v0.env(rules=rules, players=players), num_cycles=200)
    api_test(yatzy_v0.raw_env(rules=rules, players=players), num_cycles=200)
    seed_test(lambda: yatzy_v0.env(rules=rules, players=players), num_cycles=200)


def play(
    env: Any, seed: int | None, random_seed: int = 1
) -> tuple[dict[str, float], dict[str, int]]:
    """A game of random legal actions: total reward and final score of each player."""
    random = np.random.default_rng(random_seed)
    env.reset(seed=seed)
    rewards, scores = dict.fromkeys(env.agents, 0.0), {}
    for agent in env.agent_iter():
        observation, reward, terminated, _, info = env.last()
        rewards[agent] += reward
        scores[agent] = info["score"]
        assert env.observation_space(agent).contains(observation)
        assert np.array_equal(observation["action_mask"], info["action_mask"])
        env.step(None if terminated else random.choice(np.flatnonzero(observation["action_mask"])))
    return rewards, scores


def test_the_rewards_are_those_of_the_final_scores() -> None:
    wins, margins = yatzy_v0.env(rules="generala"), yatzy_v0.env(rules="generala", reward="margin")
    seen = set()
    for seed in range(12):
        won, scores = play(wins, seed, seed)
        assert play(margins, seed, seed)[1] == scores
        difference = scores["player_0"] - scores["player_1"]
        assert won == {"player_0": np.sign(difference), "player_1": -np.sign(difference)}
        assert play(margins, seed, seed)[0] == {"player_0": difference, "player_1": -difference}
        seen.add(int(np.sign(difference)))
    assert {-1, 1} <= seen


def test_three_players_and_ties() -> None:
    env = yatzy_v0.raw_env(players=3)
    for points, win, margin in (
        ((200, 150, 100), (1, -1, -1), (50, -50, -100)),
        ((200, 200, 100), (0, 0, -1), (0, 0, -100)),
        ((90, 90, 90), (0, 0, 0), (0, 0, 0)),
    ):
        env.reset(seed=1)
        for game, score in zip(env._games.values(), points, strict=True):
            game.score = score
        for reward, expected in (("win", win), ("margin", margin)):
            env.reward = reward
            assert tuple(env._final_rewards().values()) == expected


def test_each_player_has_the_dice_of_a_single_environment() -> None:
    """Player i of seed s meets the dice of the environment with seed s + i, in the first game
    and the next.
    """
    env = yatzy_v0.raw_env(rules="yatzy-saved", players=3)
    alone = [YatzyEnv("yatzy-saved") for _ in range(3)]
    random = np.random.default_rng(3)
    for seed in (17, None):
        env.reset(seed=seed)
        seen = [
            one.reset(seed=None if seed is None else seed + i)[0] for i, one in enumerate(alone)
        ]
        for agent in env.agent_iter():
            observation, _, terminated, _, info = env.last()
            at = env.possible_agents.index(agent)
            if terminated:
                assert info["score"] == alone[at].step_score
                env.step(None)
                continue
            entries = dict(zip(env.entries, observation["observation"].tolist(), strict=True))
            assert [entries[f"counts_{face}"] for face in range(1, 7)] == seen[at][
                "counts"
            ].tolist()
            assert entries["rolls_left"] == seen[at]["rolls_left"][0]
            filled = [entries[f"0.filled.{category.id}"] for category in env.rules.categories]
            assert filled == seen[at]["filled"].tolist()
            assert entries["0.upper"] == seen[at]["upper"][0]
            action = random.choice(np.flatnonzero(observation["action_mask"]))
            assert np.array_equal(observation["action_mask"], alone[at].action_masks())
            seen[at], _, _, _, single_info = alone[at].step(action)
            alone[at].step_score = single_info["score"]  # type: ignore[attr-defined]
            env.step(action)


def test_players_see_all_cards_and_only_their_own_dice() -> None:
    env = yatzy_v0.raw_env(players=3)
    env.reset(seed=2)
    first = dict(zip(env.entries, env.observe("player_0")["observation"].tolist(), strict=True))
    assert sum(first[f"counts_{face}"] for face in range(1, 7)) == 5
    assert first["rolls_left"] == 2
    env.step(env.action("chance"))
    assert env.agent_selection == "player_1"
    score = env.infos["player_0"]["score"]
    assert score >= 5
    for agent, position in (("player_0", 0), ("player_1", 2), ("player_2", 1)):
        observed = env.observe(agent)
        entries = dict(zip(env.entries, observed["observation"].tolist(), strict=True))
        assert entries[f"{position}.filled.chance"] == 1
        assert entries[f"{position}.score"] == score
        assert sum(entries[f"{other}.filled.chance"] for other in range(3)) == 1
        own_turn = agent == "player_1"
        assert bool(sum(entries[f"counts_{face}"] for face in range(1, 7))) == own_turn
        assert bool(observed["action_mask"].any()) == own_turn


def test_an_illegal_action() -> None:
    raw = yatzy_v0.raw_env()
    raw.reset(seed=1)
    illegal = int(np.flatnonzero(raw.observe("player_0")["action_mask"] == 0)[0])
    for wrong in (illegal, -1, raw.n_actions):
        refused("of player_0 is not legal now", raw.step, wrong)
    wrapped = yatzy_v0.env()
    wrapped.reset(seed=1)
    wrapped.step(illegal)
    assert wrapped.terminations == {"player_0": True, "player_1": True}
    assert wrapped.rewards == {"player_0": -1.0, "player_1": 0}


def test_rendering_and_names(capsys: pytest.CaptureFixture[str]) -> None:
    env = yatzy_v0.env(render_mode="ansi")
    env.reset(seed=1)
    assert [text.split(":")[0] for text in env.render().splitlines()] == ["player_0", "player_1"]
    raw = env.unwrapped
    assert raw.describe(raw.action([6, 6])) == (6, 6)
    assert raw.describe(raw.action("yatzy")) == "yatzy"
    assert str(env) == "yatzy_v0"
    silent = yatzy_v0.env()
    silent.reset(seed=1)
    with pytest.warns(UserWarning, match="render needs a mode"):
        assert silent.render() is None
    loud = yatzy_v0.env(render_mode="human")
    loud.reset(seed=1)
    assert capsys.readouterr().out.startswith("player_0: ")
    refused("render_mode is 'rgb'", yatzy_v0.env, render_mode="rgb")
