"""Soft policies, the levels of the package and computer players: against an oracle, their
evaluation and rankings.
"""

import math
import tomllib
from fractions import Fraction
from math import inf
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import perfect_yatzy
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from perfect_yatzy import RuleSet, Strategy, evaluate, load_rules, open_strategy
from perfect_yatzy.core.backward_induction import solve_objective
from perfect_yatzy.errors import RulesError
from perfect_yatzy.game.notation import parse_card
from perfect_yatzy.game.rule_loader import builtin_ids
from perfect_yatzy.game.scorecard import Scorecard
from perfect_yatzy.objectives.policy_quantities import Variance
from perfect_yatzy.policies import computer_players, levels
from perfect_yatzy.policies.computer_players import (
    WinningPlayer,
    parse_kind,
    risk_evaluator,
    risk_rate,
)
from perfect_yatzy.policies.evaluation import policy_mean, policy_values
from perfect_yatzy.policies.levels import (
    LEVELS,
    SoftPolicy,
    calibrate,
    shipped_levels,
    simulated_loss,
    soft_loss,
)
from perfect_yatzy.policies.named import computer_player
from perfect_yatzy.service.budget import SolveBudget, SolveLimit
from perfect_yatzy.service.queries import QueryService
from perfect_yatzy.settings import Settings
from perfect_yatzy.strategy.distribution import opponent
from perfect_yatzy.strategy.score_distribution import WinUtility, finished
from perfect_yatzy.strategy.score_strategy import utility_strategy
from perfect_yatzy.two_players.versus import versus
from support import games
from support.naive_objectives import NaiveUtility, assert_chances, mean_score, score_variance
from support.naive_policies import NaiveSoft
from support.refusals import refused
from support.seeds import examples, full_example, in_rings, ring_2

# Calibrated when it is used, as its table takes minutes and 3 GB; too large for a table.
NOT_SHIPPED = {"maxi", "giant", "triple-yahtzee", "yamb", "kniffel", "kismet", "balut"}


@examples(0, 8)
@given(games.rule_sets(), st.sampled_from([0.0, 0.05, 0.3, 2.0, inf]))
@example(games.JOKER, 0.3)
@example(games.joker_game("free", order="forced"), inf)
@example(games.SAVED, 0.5)
@full_example(games.saved_rolls_game("free", True), 0.5)
@full_example(games.random_rules(1, boxes=4), 0.0)
def test_the_evaluation_agrees_with_the_oracle(rules: RuleSet, temperature: float) -> None:
    policy = SoftPolicy(open_strategy(rules), temperature)
    oracle = NaiveSoft(rules.canonical(), policy.sharpness)
    exact = oracle.distribution(0, 0)
    mean, deviation = mean_score(exact), score_variance(exact) ** 0.5
    found, values = evaluate(policy), policy_values(policy)
    if not rules.saved_rolls:
        # At temperature 0 losses of 1e-9 points matter, so that rounding changes the chances of
        # equal options.
        assert_chances(found.distribution, exact, max(1e-12, 1e-16 * policy.sharpness))
        assert found.losses.total == pytest.approx(soft_loss(policy).points_lost, abs=1e-9)
        assert np.array_equal(
            evaluate(policy, threads=1).distribution.chances, found.distribution.chances
        )
    assert found.mean == pytest.approx(mean, abs=1e-7)
    assert values[-1] == pytest.approx(mean, abs=1e-7)
    assert soft_loss(policy).points_lost == pytest.approx(
        float(oracle.value(0, 0)) - mean, abs=1e-7
    )
    assert found.standard_deviation == pytest.approx(deviation, abs=1e-5)
    variance = solve_objective(Variance(rules, values, policy.start, policy))[-1]
    assert variance == pytest.approx(deviation**2, abs=1e-5 * (1 + deviation))


@pytest.mark.parametrize(
    "rules",
    [
        games.JOKER,
        games.saved_rolls_game("free", True),
        ring_2(load_rules("yatzy-forced")),
    ],
    ids=["joker", "saved", "yatzy"],
)
def test_simulated_games_agree_with_the_evaluation(rules: RuleSet) -> None:
    """The points lost that are counted, and those that the scores show."""
    policy, number = SoftPolicy(open_strategy(rules), 0.8), in_rings(10_000, 40_000)
    exact, played = evaluate(policy), simulated_loss(policy, number, seed=3)
    assert abs(played.points_lost - exact.loss) < 4 * played.error
    assert played.error < exact.standard_deviation / number**0.5  # less noise than the scores
    assert simulated_loss(policy, number, seed=3, threads=1) == played


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


@pytest.mark.parametrize("steps", [1, 2])
def test_a_calibration_that_ends_early_returns_a_policy_with_its_own_loss(
    monkeypatch: pytest.MonkeyPatch, forced: Strategy, steps: int
) -> None:
    monkeypatch.setattr(levels, "MAX_STEPS", steps)
    for wanted in (0.2, 3.0, 20.0):
        policy, found = calibrate(forced, wanted, exact=True)
        assert found.points_lost == soft_loss(policy).points_lost


def test_levels_and_kinds_are_named_and_a_game_without_decisions_has_them() -> None:
    found = levels.calibrated_level(open_strategy(games.small(games.CHANCE, rolls=1)), LEVELS[0])
    assert (found.temperature, found.points_lost) == (inf, 0.0)
    assert [level.number for level in LEVELS] == list(range(1, 9))
    assert (
        levels.parse_level("Novice")
        == levels.parse_level(2)
        == levels.parse_level(" 2 ")
        == LEVELS[1]
    )
    refused("'9' is not a level; the levels: 1 beginner, 2 novice", levels.parse_level, "9")
    names = {
        5: "5: level 5",
        "Level 2": "2: level 2",
        "expert": "7: level 7",
        8: "8: perfect",
        "Bold": "bold: bold",
    }
    for text, name in names.items():
        kind = parse_kind(text)
        assert f"{kind.key}: {kind.label}" == name
        assert parse_kind(kind.key) == kind
    for wrong in ("9", "", "0", "levels", "winner"):
        refused("is not a computer player; use a level from 1", parse_kind, wrong)


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
def test_levels_lose_what_they_state(
    forced: Strategy, yatzy: Strategy, level: levels.SkillLevel
) -> None:
    """Exactly for the forced order, in simulated games for the free one."""
    for strategy in (forced, yatzy):
        assert not levels.needs_calibration(strategy.rules, level)
        found = levels.calibrated_level(strategy, level)
        assert found.points_lost == pytest.approx(level.share * strategy.value(), rel=0.01)
        policy = SoftPolicy(strategy, found.temperature)
        if strategy is forced:
            assert soft_loss(policy).points_lost == pytest.approx(found.points_lost, abs=1e-3)
        else:
            played = simulated_loss(policy, in_rings(400, 2000), seed=5)
            assert abs(played.points_lost - found.points_lost) < 4 * played.error + 1e-9


@pytest.mark.slow
def test_levels_of_yatzy_exactly_and_of_rule_sets_with_six_dice_or_saved_rolls(
    yatzy: Strategy,
) -> None:
    for entry in shipped_levels()[yatzy.rules.fingerprint]:
        found = soft_loss(SoftPolicy(yatzy, entry.temperature))
        assert found.points_lost == pytest.approx(entry.points_lost, abs=1e-4)
    for name in ("yatzy-saved", "family-yatzy", "maxi-unsaved"):
        strategy = open_strategy(name)
        for entry in shipped_levels()[strategy.rules.fingerprint]:
            played = simulated_loss(SoftPolicy(strategy, entry.temperature), 4000, seed=5)
            assert (
                abs(played.points_lost - entry.points_lost)
                < 4 * (played.error**2 + entry.error**2) ** 0.5
            )


@pytest.mark.full
def test_the_distribution_from_a_card(forced: Strategy) -> None:
    policy = SoftPolicy(forced, 0.7, "ones=3 twos=6 threes=9")
    assert evaluate(policy).mean == pytest.approx(policy_mean(policy), abs=1e-9)
    small = SoftPolicy(open_strategy(games.joker_game("none")), 0.7, "face-1=2 run=5")
    chances = NaiveSoft(small.rules.canonical(), policy.sharpness).distribution(0b101, 2)
    assert_chances(evaluate(small).distribution, chances)


HALF = "ones=3 twos=6 threes=9 fours=12 fives=15 sixes=18 one-pair=10 chance=20"


def test_a_level_draws_as_its_policy_says(yatzy: Strategy) -> None:
    player = computer_player(yatzy, 3)
    ranking = yatzy.holds("ones=3", "33456", 2)
    chances = player.exact_policy.chances(np.array([hold.loss for hold in ranking]))  # type: ignore[attr-defined]
    rng = np.random.default_rng(1)
    found = [player.choose("ones=3", "33456", 2, rng) for _ in range(in_rings(300, 800))]
    for hold, chance in zip(ranking, chances, strict=True):
        if hold.category is None:
            share = found.count(hold.dice) / len(found)
            assert abs(share - chance) < 4 * math.sqrt(chance / len(found)) + 1e-3
    assert player.choose("ones=3", "33456", 2, 7) == player.choose("ones=3", (3, 3, 4, 5, 6), 2, 7)
    assert isinstance(player.choose("", "12345", 0), str)


def test_the_mean_plays_the_best_option(yatzy: Strategy) -> None:
    for name in ("mean", "perfect"):
        player = computer_player(yatzy, name)
        assert player.choose("", "33456", 2) == yatzy.holds("", "33456", 2)[0].dice
        assert player.choose(HALF, "22555", 1) == "full-house"
    for arguments, message in (
        (("", "33456", 3), "3 rolls left; it must be 0 to 2"),
        (("", "334", 0), "dice"),
        ((" ".join(f"{c.id}=0" for c in yatzy.rules.categories), "33456", 0), "the game is over"),
    ):
        refused(message, player.choose, *arguments)


def plays_to_win(
    player: computer_players.ComputerPlayer, card: Scorecard, others: list[Any]
) -> bool:
    return player.evaluator(card, others) is not player.strategy.evaluator


def test_who_plays_to_win_maximises_the_chance(yatzy: Strategy) -> None:
    player, card, other = (
        computer_player(yatzy, "win"),
        parse_card(yatzy.rules, HALF),
        parse_card(yatzy.rules, HALF),
    )
    for others, opponents in (
        ([240], [finished(240)]),
        ([240, other], [finished(240), opponent(Settings(), yatzy, other)]),
    ):
        assert plays_to_win(player, card, others)
        best = utility_strategy(Settings(), WinUtility(opponents, "half"), card, yatzy.evaluator)
        assert player.evaluator(card, others).value(card.state) == best.value(card)  # a tie is half
        for dice in ("33456", "11226", "55566"):
            expected = best.holds(card, dice, 2)[0]
            assert player.choose(card, dice, 2, others=others) == (
                expected.category or expected.dice
            )
    # is a final score
    full = parse_card(yatzy.rules, " ".join(f"{c.id}=0" for c in yatzy.rules.categories))
    assert player.choose(card, "33456", 2, others=[full]) == player.choose(
        card, "33456", 2, others=[0]
    )
    early = Scorecard(yatzy.rules)
    assert not plays_to_win(player, card, [])
    assert not plays_to_win(player, early, [early])
    assert player.choose("", "33456", 2, others=[""]) == yatzy.holds("", "33456", 2)[0].dice
    saved = computer_player(
        perfect_yatzy.open_strategy(games.saved_rolls_game("free", True)), "win"
    )
    empty = Scorecard(saved.rules)
    assert [plays_to_win(saved, empty, others) for others in (["empty"] * 2, ["empty"], [20])] == [
        False,
        True,
        True,
    ]


def test_who_plays_to_win_against_one_player_takes_that_one_to_do_the_same(yatzy: Strategy) -> None:
    """Exactly, as soon as the rest of the game is solved at once; before, against the mean."""
    player, card, other = (
        computer_player(yatzy, "win"),
        parse_card(yatzy.rules, HALF),
        parse_card(yatzy.rules, HALF),
    )
    found = player.evaluator(card, [other]).value(card.state)
    assert found == pytest.approx(versus(yatzy.rules, cards=(card, other)).first, abs=1e-7)
    winning = WinUtility([opponent(Settings(), yatzy, other)], "half")
    assert found < utility_strategy(Settings(), winning, card, yatzy.evaluator).value(card)
    early = parse_card(yatzy.rules, "ones=3")
    assert player.evaluator(early, [early]) is yatzy.evaluator


def test_a_player_keeps_the_latest_solves(
    forced: Strategy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("perfect_yatzy.policies.computer_players.MAX_SOLVED", 2)
    player = computer_player(forced, "win")
    assert isinstance(player, WinningPlayer)

    def made(*names: str) -> list[str]:
        found: list[str] = []
        for name in names:
            player._cached(name, lambda name=name: (found.append(name), forced.evaluator)[1])  # type: ignore[misc]
        return found

    assert [made("a", "b"), made("a", "c"), made("a", "c"), made("b")] == [
        ["a", "b"],
        ["c"],
        [],
        ["b"],
    ]


@examples(4, 8)
@given(games.rule_sets(), st.sampled_from(["safe", "bold"]))
def test_risk_agrees_with_the_oracle(rules: RuleSet, style: str) -> None:
    """The exponential utility against the fraction oracle for any utility of the final score."""
    strategy = perfect_yatzy.open_strategy(rules)
    rate, found = risk_rate(strategy, style), risk_evaluator(strategy, style)
    oracle = NaiveUtility(
        rules.canonical(), lambda s: Fraction(math.copysign(math.exp(rate * s), rate))
    )
    exact = float(oracle.expected_utility(0, 0, 0, False, 0))
    assert float(found.values[-1]) == pytest.approx(exact, rel=1e-9)
    assert found.turn_value(found.space.start) == pytest.approx(exact, rel=1e-9)


def test_a_style_that_does_not_fit_in_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    refuse = Mock(side_effect=RulesError("too large"))
    monkeypatch.setattr("perfect_yatzy.policies.computer_players.check_memory", refuse)
    refused("too large", computer_player, "cheerio", "bold", error=RulesError)


def test_the_service_announces_and_refuses_what_a_player_needs() -> None:
    rules, said = load_rules("cheerio"), list[str]()
    perfect_yatzy.open_strategy(rules)
    budgets = (SolveBudget(instant_seconds=0), SolveBudget(mean=SolveLimit(seconds=0)))
    rich, poor = (
        QueryService(announce=lambda rules, line="": said.append(line), budget=b) for b in budgets
    )
    assert rich.computer_player(rules, "bold").choose("", "33456", 2) is not None
    assert len(said) == 1
    assert "solving cheerio for the bold computer player" in said[0]
    text = r"the safe computer player solves cheerio in memory, .*; choose a level"
    refused(text, poor.computer_player, rules, "safe", error=RulesError)
    assert poor.computer_player(rules, "3").kind.key == "3"
