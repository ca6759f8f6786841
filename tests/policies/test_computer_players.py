"""Computer players: their kinds, their decisions against the rankings they come from, winning, risk."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import perfect_yatzy
import pytest
from hypothesis import given
from hypothesis import strategies as st
from perfect_yatzy.errors import RulesError
from perfect_yatzy.game.notation import parse_card
from perfect_yatzy.game.rule_loader import load_rules
from perfect_yatzy.game.rules import RuleSet
from perfect_yatzy.game.scorecard import Scorecard
from perfect_yatzy.game.scoring import scoring_options
from perfect_yatzy.play.record import Game, Turn, card_after
from perfect_yatzy.play.review import review
from perfect_yatzy.policies.computer_players import (
    ComputerPlayer,
    RiskEvaluator,
    WinningPlayer,
    parse_kind,
    risk_evaluator,
    risk_rate,
)
from perfect_yatzy.policies.levels import LEVELS
from perfect_yatzy.policies.named import computer_player
from perfect_yatzy.service.budget import SolveBudget, SolveLimit
from perfect_yatzy.service.queries import QueryService
from perfect_yatzy.strategy.opponents import WinUtility, finished, opponent
from perfect_yatzy.strategy.score_strategy import utility_strategy
from perfect_yatzy.strategy.strategy import Strategy
from perfect_yatzy.strategy.versus import versus
from support import games
from support.naive_objectives import NaiveUtility
from support.refusals import refused
from support.seeds import examples

HALF = "ones=3 twos=6 threes=9 fours=12 fives=15 sixes=18 one-pair=10 chance=20"


def played(player: ComputerPlayer, seed: int) -> Game:
    """A whole game of a computer player."""
    rules, rng = player.rules, np.random.default_rng(seed)
    card, turns = Scorecard(rules), []
    for _ in rules.categories:
        history, holds, left = [], [()], rules.rolls_per_turn - 1 + card.saved
        while True:
            new = rng.integers(1, rules.faces + 1, rules.dice - len(holds[-1])).tolist()
            history.append(tuple(sorted((*holds[-1], *new))))
            decision = player.choose(card, history[-1], left, rng)
            if isinstance(decision, str):
                break
            holds.append(decision)
            left -= 1
        counts = [history[-1].count(face + 1) for face in range(rules.faces)]
        paid = scoring_options(rules, card.state.filled, card.state.joker_paid, counts, len(history) == 1)
        turns.append(Turn(0, tuple(history), tuple(holds[1:]), decision, *paid[rules.index_of[decision]]))
        card = card_after(card, turns[-1])
    return Game(rules, ("Computer",), tuple(turns))


def test_kinds_have_names() -> None:
    names = {
        5: "5: level 5",
        "Level 2": "2: level 2",
        "expert": "7: level 7",
        "mean": "8: perfect",
        "Bold": "bold: bold",
    }
    for text, name in names.items():
        kind = parse_kind(text)
        assert f"{kind.key}: {kind.label}" == name
        assert parse_kind(kind.key) == kind
    for wrong in ("9", "", "0", "levels", "winner"):
        refused("is not a computer player; use a level from 1", parse_kind, wrong)


def test_a_level_draws_as_its_policy_says(yatzy: Strategy) -> None:
    player = computer_player(yatzy, 3)
    ranking = yatzy.holds("ones=3", "33456", 2)
    chances = player.exact_policy.chances(np.array([hold.loss for hold in ranking]))  # type: ignore[attr-defined]
    rng = np.random.default_rng(1)
    found = [player.choose("ones=3", "33456", 2, rng) for _ in range(800)]
    for hold, chance in zip(ranking, chances, strict=True):
        if hold.category is None:
            share = found.count(hold.dice) / len(found)
            assert abs(share - chance) < 4 * math.sqrt(chance / len(found)) + 1e-3
    assert player.choose("ones=3", "33456", 2, 7) == player.choose("ones=3", (3, 3, 4, 5, 6), 2, 7)
    assert isinstance(player.choose("", "12345", 0), str)


def test_reviews_of_computer_players_agree_with_their_levels(forced: Strategy) -> None:
    """Recorded games of a level give away what it states; perfect play gives away nothing."""
    level = computer_player(forced, 2)
    lost = [review(forced, played(level, seed), 0).points_lost for seed in range(30)]
    stated = LEVELS[1].share * forced.value()
    assert abs(np.mean(lost) - stated) < 4 * np.std(lost) / math.sqrt(len(lost))
    assert review(forced, played(computer_player(forced, "perfect"), 1), 0).points_lost == 0


def test_the_mean_plays_the_best_option(yatzy: Strategy) -> None:
    player = computer_player(yatzy, "mean")
    assert player.choose("", "33456", 2) == yatzy.holds("", "33456", 2)[0].dice
    assert player.choose(HALF, "22555", 1) == "full-house"
    for arguments, message in (
        (("", "33456", 3), "3 rolls left; it must be 0 to 2"),
        (("", "334", 0), "dice"),
        ((" ".join(f"{c.id}=0" for c in yatzy.rules.categories), "33456", 0), "the game is over"),
    ):
        refused(message, player.choose, *arguments)


def plays_to_win(player: ComputerPlayer, card: Scorecard, others: list[Any]) -> bool:
    return player.evaluator(card, others) is not player.strategy.evaluator


def test_who_plays_to_win_maximises_the_chance(yatzy: Strategy) -> None:
    player, card, other = computer_player(yatzy, "win"), parse_card(yatzy.rules, HALF), parse_card(yatzy.rules, HALF)
    assert isinstance(player, WinningPlayer)
    for others, opponents in (([240], [finished(240)]), ([240, other], [finished(240), opponent(yatzy, other)])):
        assert plays_to_win(player, card, others)
        best = utility_strategy(yatzy.rules, WinUtility(opponents, "half"), card, yatzy.evaluator)
        assert player.evaluator(card, others).value(card.state) == best.value(card)  # a tie is half
        for dice in ("33456", "11226", "55566"):
            expected = best.holds(card, dice, 2)[0]
            assert player.choose(card, dice, 2, others=others) == (expected.category or expected.dice)
    full = parse_card(yatzy.rules, " ".join(f"{c.id}=0" for c in yatzy.rules.categories))  # is a final score
    assert player.choose(card, "33456", 2, others=[full]) == player.choose(card, "33456", 2, others=[0])
    early = Scorecard(yatzy.rules)
    assert not plays_to_win(player, card, [])
    assert not plays_to_win(player, early, [early])
    assert player.choose("", "33456", 2, others=[""]) == yatzy.holds("", "33456", 2)[0].dice
    saved = computer_player(perfect_yatzy.open_strategy(games.saved_rolls_game("free", True)), "win")
    empty = Scorecard(saved.rules)
    assert [plays_to_win(saved, empty, others) for others in (["empty"] * 2, ["empty"], [20])] == [False, True, True]


def test_who_plays_to_win_against_one_player_takes_that_one_to_do_the_same(yatzy: Strategy) -> None:
    """Exactly, as soon as the rest of the game is solved at once; before, against the mean."""
    player, card, other = computer_player(yatzy, "win"), parse_card(yatzy.rules, HALF), parse_card(yatzy.rules, HALF)
    found = player.evaluator(card, [other]).value(card.state)
    assert found == pytest.approx(versus(yatzy.rules, cards=(card, other)).first, abs=1e-7)
    assert found < utility_strategy(
        yatzy.rules, WinUtility([opponent(yatzy, other)], "half"), card, yatzy.evaluator
    ).value(card)
    early = parse_card(yatzy.rules, "ones=3")
    assert player.evaluator(early, [early]) is yatzy.evaluator


def test_a_player_keeps_the_latest_solves(forced: Strategy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("perfect_yatzy.policies.computer_players.MAX_SOLVED", 2)
    player = computer_player(forced, "win")
    assert isinstance(player, WinningPlayer)

    def made(*names: str) -> list[str]:
        found: list[str] = []
        for name in names:
            player._cached(name, lambda name=name: (found.append(name), forced.evaluator)[1])  # type: ignore[misc]
        return found

    assert [made("a", "b"), made("a", "c"), made("a", "c"), made("b")] == [["a", "b"], ["c"], [], ["b"]]


@examples(4, 8)
@given(games.rule_sets(), st.sampled_from(["safe", "bold"]))
def test_risk_agrees_with_the_oracle(rules: RuleSet, style: str) -> None:
    """The exponential utility against the fraction oracle for any utility of the final score."""
    strategy = perfect_yatzy.open_strategy(rules)
    rate, found = risk_rate(strategy, style), risk_evaluator(strategy, style)
    oracle = NaiveUtility(rules.canonical(), lambda s: Fraction(math.copysign(math.exp(rate * s), rate)))
    exact = float(oracle.expected_utility(0, 0, 0, False, 0))
    assert float(found.values[-1]) == pytest.approx(exact, rel=1e-9)
    assert found.turn_value(found.space.start) == pytest.approx(exact, rel=1e-9)


def test_risk_agrees_with_the_solver_of_utilities() -> None:
    """Points on the card do not change what a risk is worth; bold play has the larger spread."""
    strategy = perfect_yatzy.open_strategy("cheerio")
    spread = {}
    for style in ("safe", "bold"):
        found = risk_evaluator(strategy, style)
        assert isinstance(found, RiskEvaluator)
        rate = found.rate
        best = perfect_yatzy.maximise("cheerio", lambda s, rate=rate: math.copysign(1, rate) * np.exp(rate * s))
        assert float(found.values[-1]) == pytest.approx(best.value(), rel=1e-4)
        certain = math.log(abs(float(found.values[-1]))) / rate
        assert certain < strategy.value() if style == "safe" else certain > strategy.value()
        spread[style] = perfect_yatzy.simulate(best, 20_000, seed=2).standard_deviation
    assert spread["bold"] > 1.1 * spread["safe"]


def test_a_style_that_does_not_fit_in_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(rules: RuleSet, cost: object) -> None:
        raise RulesError("too large")

    monkeypatch.setattr("perfect_yatzy.policies.computer_players.check_memory", refuse)
    refused("too large", computer_player, "cheerio", "bold", error=RulesError)


def test_the_service_announces_and_refuses_what_a_player_needs() -> None:
    rules, said = load_rules("cheerio"), list[str]()
    perfect_yatzy.open_strategy(rules)
    budgets = (SolveBudget(instant_seconds=0), SolveBudget(mean=SolveLimit(seconds=0)))
    rich, poor = (QueryService(announce=lambda rules, line="": said.append(line), budget=b) for b in budgets)
    assert rich.computer_player(rules, "bold").choose("", "33456", 2) is not None
    assert len(said) == 1
    assert "solving cheerio for the bold computer player" in said[0]
    with pytest.raises(RulesError, match=r"the safe computer player solves cheerio in memory, .*; choose a level"):
        poor.computer_player(rules, "safe")
    assert poor.computer_player(rules, "3").kind.key == "3"
