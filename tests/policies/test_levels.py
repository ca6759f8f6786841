"""Soft policies against an oracle, their simulation against their evaluation, and the levels of the package."""

from __future__ import annotations

import tomllib
from math import inf
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from perfect_yatzy import RuleSet, Strategy, evaluate, load_rules, open_strategy
from perfect_yatzy.game.rule_loader import builtin_ids
from perfect_yatzy.model.objectives import Variance
from perfect_yatzy.policies import levels
from perfect_yatzy.policies.evaluation import policy_mean, policy_values
from perfect_yatzy.policies.levels import (
    LEVELS,
    Level,
    SoftPolicy,
    calibrate,
    calibrated_level,
    shipped_levels,
    simulated_loss,
    soft_loss,
)
from perfect_yatzy.strategy.rollout import Rollout
from perfect_yatzy.tablebase.backward_induction import solve_objective
from support import games
from support.naive_objectives import mean_score, score_variance
from support.naive_policies import NaiveSoft
from support.refusals import refused
from support.seeds import FULL, examples, full_example

# Calibrated when it is used, as its table takes minutes and 3 GB; too large for a table.
NOT_SHIPPED = {"maxi", "giant", "triple-yahtzee", "yamb", "kniffel", "kismet", "balut"}


JOKER = games.joker_game("forced", first_roll_bonus=(("run", 3),))


@examples(0, 8)
@given(games.rule_sets(), st.sampled_from([0.0, 0.05, 0.3, 2.0, inf]))
@example(JOKER, 0.3)
@example(games.joker_game("free", order="forced"), inf)
@example(games.SAVED, 0.5)
@full_example(games.saved_rolls_game("free", True), 0.5)
def test_the_evaluation_agrees_with_the_oracle(rules: RuleSet, temperature: float) -> None:
    policy = SoftPolicy(open_strategy(rules), temperature)
    oracle = NaiveSoft(rules.canonical(), policy.sharpness)
    exact = oracle.distribution(0, 0)
    mean, deviation = mean_score(exact), score_variance(exact) ** 0.5
    found, values = evaluate(policy), policy_values(policy)
    assert found.mean == pytest.approx(mean, abs=1e-7)
    assert values[-1] == pytest.approx(mean, abs=1e-7)
    assert soft_loss(policy).points_lost == pytest.approx(float(oracle.value(0, 0)) - mean, abs=1e-7)
    assert found.standard_deviation == pytest.approx(deviation, abs=1e-5)
    variance = solve_objective(Variance(rules, values, policy.start, policy))[-1]
    assert variance == pytest.approx(deviation**2, abs=1e-5 * (1 + deviation))


@pytest.mark.parametrize(
    "rules",
    [JOKER, games.saved_rolls_game("free", True), pytest.param(load_rules("yatzy-forced"), marks=FULL)],
    ids=["joker", "saved", "yatzy"],
)
def test_simulated_games_agree_with_the_evaluation(rules: RuleSet) -> None:
    """The points lost that are counted, and those that the scores show."""
    policy, number = SoftPolicy(open_strategy(rules), 0.8), 40_000
    exact, played = evaluate(policy), simulated_loss(policy, number, seed=3)
    assert abs(played.points_lost - exact.loss) < 4 * played.error
    assert played.error < exact.standard_deviation / number**0.5  # less noise than the scores
    assert simulated_loss(policy, number, seed=3, threads=1) == played
    made, _, bonus = Rollout(policy, policy.start, 2).play(number, 0, 3)
    assert abs((made + bonus).mean() - exact.mean) < 4 * exact.standard_deviation / number**0.5
    assert (made + bonus).std() == pytest.approx(exact.standard_deviation, rel=0.03)


def test_chances_fall_with_the_loss(forced: Strategy) -> None:
    policy = SoftPolicy(forced, 0.5)
    found = policy.chances(np.array([0.0, 0.0, 0.1, 1.0, 4.0, 90.0]))
    assert found.sum() == pytest.approx(1)
    assert found[0] == found[1] > found[2] > found[3] > found[4] == found[5] == 0
    assert found[2] / found[0] == pytest.approx(np.exp(-0.1 / 0.5), abs=0.01)
    assert SoftPolicy(forced, 0.0).chances(np.array([0.0, 1e-3])).tolist() == [1.0, 0.0]
    assert SoftPolicy(forced, inf).chances(np.array([0.0, 30.0])).tolist() == [0.5, 0.5]
    for wrong in (-1.0, float("nan"), "1"):
        refused("temperature is", SoftPolicy, forced, wrong)


def test_a_policy_is_calibrated_to_the_points_it_loses(forced: Strategy) -> None:
    for wanted in (0.2, 3.0, 20.0):
        for exact in (True, False):
            policy, found = calibrate(forced, wanted, exact=exact)
            assert found.points_lost == pytest.approx(wanted, rel=0.005)
            assert soft_loss(policy).points_lost == pytest.approx(wanted, rel=0.02)
    assert calibrate(forced, 0)[0].temperature == 0
    random_play, most = calibrate(forced, 10_000)
    assert random_play.temperature == inf
    assert most.points_lost == soft_loss(SoftPolicy(forced, inf)).points_lost
    for wrong in (-1, inf, "x"):
        refused("points_lost is", calibrate, forced, wrong)


def test_a_game_without_decisions_has_levels() -> None:
    found = calibrated_level(open_strategy(games.small(games.CHANCE, rolls=1)), LEVELS[0])
    assert (found.temperature, found.points_lost) == (inf, 0.0)


def test_levels_are_named() -> None:
    assert [level.number for level in LEVELS] == list(range(1, 9))
    assert levels.parse_level("Novice") == levels.parse_level(2) == levels.parse_level(" 2 ") == LEVELS[1]
    refused("'9' is not a level; the levels: 1 beginner, 2 novice", levels.parse_level, "9")


def test_the_package_has_the_levels_of_all_rule_sets_with_their_losses() -> None:
    """Within 5 % of what the level states; the errors of the simulated ones included."""
    raw = tomllib.loads((Path(levels.__file__).parent / "levels.toml").read_text())
    assert set(builtin_ids()) - set(raw) <= NOT_SHIPPED
    for name, entry in raw.items():
        found = shipped_levels()[load_rules(name).fingerprint]
        assert [known.level for known in found] == list(LEVELS[:-1]), name
        temperatures = [known.temperature for known in found]
        assert temperatures == sorted(temperatures, reverse=True)
        for known in found:
            stated = known.level.share * entry["value"]
            assert abs(known.points_lost - stated) + 3 * known.error < 0.05 * stated, (name, known)


@pytest.mark.parametrize("level", LEVELS, ids=lambda level: str(level.name))
def test_levels_lose_what_they_state(forced: Strategy, yatzy: Strategy, level: Level) -> None:
    """Exactly for the forced order, in simulated games for the free one."""
    for strategy in (forced, yatzy):
        assert not levels.needs_calibration(strategy.rules, level)
        found = calibrated_level(strategy, level)
        assert found.points_lost == pytest.approx(level.share * strategy.value(), rel=0.01)
        policy = SoftPolicy(strategy, found.temperature)
        if strategy is forced:
            assert soft_loss(policy).points_lost == pytest.approx(found.points_lost, abs=1e-3)
        else:
            played = simulated_loss(policy, 2000, seed=5)
            assert abs(played.points_lost - found.points_lost) < 4 * played.error + 1e-9


@pytest.mark.slow
def test_levels_of_yatzy_exactly(yatzy: Strategy) -> None:
    for entry in shipped_levels()[yatzy.rules.fingerprint]:
        found = soft_loss(SoftPolicy(yatzy, entry.temperature))
        assert found.points_lost == pytest.approx(entry.points_lost, abs=1e-4)


@pytest.mark.slow
def test_levels_of_the_rule_sets_with_six_dice_or_saved_rolls() -> None:
    for name in ("yatzy-saved", "family-yatzy", "maxi-unsaved"):
        strategy = open_strategy(name)
        for entry in shipped_levels()[strategy.rules.fingerprint]:
            played = simulated_loss(SoftPolicy(strategy, entry.temperature), 4000, seed=5)
            assert abs(played.points_lost - entry.points_lost) < 4 * (played.error**2 + entry.error**2) ** 0.5


@pytest.mark.full
@pytest.mark.parametrize("rules", [JOKER, load_rules("yatzy-forced")], ids=["joker", "yatzy"])
def test_the_distribution_of_a_soft_policy(rules: RuleSet) -> None:
    """The forward pass against the backward one, which the oracle has checked; the losses add up."""
    policy = SoftPolicy(open_strategy(rules), 0.7)
    backward, found = soft_loss(policy), evaluate(policy)
    assert found.distribution.chances.sum() == pytest.approx(1)
    assert found.perfect_mean - found.mean == pytest.approx(backward.points_lost, abs=1e-9)
    assert found.losses.total == pytest.approx(backward.points_lost, abs=1e-9)
    assert found.losses.holds.shape == (len(rules.categories), rules.rolls_per_turn - 1)
    assert found.losses.holds.min() >= 0
    assert np.array_equal(evaluate(policy, threads=1).distribution.chances, found.distribution.chances)


@pytest.mark.full
def test_the_distribution_from_a_card(forced: Strategy) -> None:
    policy = SoftPolicy(forced, 0.7, "ones=3 twos=6 threes=9")
    assert evaluate(policy).mean == pytest.approx(policy_mean(policy), abs=1e-9)
    small = SoftPolicy(open_strategy(games.joker_game("none")), 0.7, "face-1=2 run=5")
    chances = NaiveSoft(small.rules.canonical(), policy.sharpness).distribution(0b101, 2)
    found = evaluate(small).distribution
    for score, chance in zip(found.scores.tolist(), found.chances, strict=True):
        assert chance == pytest.approx(chances.get(score, 0.0), abs=1e-12)
