"""The environment of several players: PettingZoo's own tests, the rewards, what each player sees."""

from typing import Any

import numpy as np
import pytest
from support.need import need
from support.refusals import refused

gymnasium, pettingzoo = need("gymnasium"), need("pettingzoo")

from perfect_yatzy.rl import YatzyEnv, yatzy_v0
from pettingzoo.test import api_test, seed_test

# PettingZoo warns about every environment whose observation is a dict with a mask, except its own.
DICT_OBSERVATION = pytest.mark.filterwarnings(
    "ignore:Observation space for each agent probably should be gymnasium.spaces.box",
    "ignore:Observation is not a NumPy array",
    "ignore:Action mask numpy array is all zeros",
)


@DICT_OBSERVATION
@pytest.mark.parametrize(("rules", "players"), [("yatzy", 2), ("yatzy", 3), ("maxi", 2), ("yahtzee", 4)])
def test_the_environment_passes_the_tests_of_pettingzoo(rules: str, players: int) -> None:
    api_test(yatzy_v0.env(rules=rules, players=players), num_cycles=200)
    api_test(yatzy_v0.raw_env(rules=rules, players=players), num_cycles=200)
    seed_test(lambda: yatzy_v0.env(rules=rules, players=players), num_cycles=200)


def play(env: Any, seed: int | None, random_seed: int = 1) -> tuple[dict[str, float], dict[str, int]]:
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
    for given, win, margin in (
        ((200, 150, 100), (1, -1, -1), (50, -50, -100)),
        ((200, 200, 100), (0, 0, -1), (0, 0, -100)),
        ((90, 90, 90), (0, 0, 0), (0, 0, 0)),
    ):
        env.reset(seed=1)
        for game, score in zip(env._games.values(), given, strict=True):
            game.score = score
        for reward, expected in (("win", win), ("margin", margin)):
            env.reward = reward
            assert tuple(env._final_rewards().values()) == expected


def test_each_player_has_the_dice_of_a_single_environment() -> None:
    """Player i of seed s meets the dice of the environment with seed s + i, in the first game and the next."""
    env = yatzy_v0.raw_env(rules="yatzy-saved", players=3)
    alone = [YatzyEnv("yatzy-saved") for _ in range(3)]
    random = np.random.default_rng(3)
    for seed in (17, None):
        env.reset(seed=seed)
        seen = [one.reset(seed=None if seed is None else seed + i)[0] for i, one in enumerate(alone)]
        for agent in env.agent_iter():
            observation, _, terminated, _, info = env.last()
            at = env.possible_agents.index(agent)
            if terminated:
                assert info["score"] == alone[at].step_score
                env.step(None)
                continue
            entries = dict(zip(env.entries, observation["observation"].tolist(), strict=True))
            assert [entries[f"counts_{face}"] for face in range(1, 7)] == seen[at]["counts"].tolist()
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


def test_wrong_arguments_are_errors_with_a_sentence() -> None:
    for players in (1, 65):
        refused(f"players is {players}; must be from 2 to 64", yatzy_v0.env, players=players)
    refused("reward is 'points'; must be one of 'win', 'margin'", yatzy_v0.env, reward="points")
