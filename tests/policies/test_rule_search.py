"""The search of hold rules: its estimates against exact values, and what it finds in small games."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from perfect_yatzy import RuleSet, State, evaluate, load_rules, open_strategy
from perfect_yatzy.game.rules import Bonus
from perfect_yatzy.policies.evaluation import policy_mean
from perfect_yatzy.policies.hold_policy import HoldRulePolicy
from perfect_yatzy.policies.hold_rules import hold_rule, parse_hold_rule, parse_hold_rules
from perfect_yatzy.policies.price_sheet import PriceSheet, terms_of
from perfect_yatzy.policies.rule_search import Sample, Search, best_places, learn_holds
from perfect_yatzy.policies.rule_vocabulary import candidate_conditions, candidate_patterns, rule_cost
from perfect_yatzy.policies.worst_decisions import worst_decisions
from support import games
from support.naive import Dice, Naive
from support.naive_hold_rules import held_dice
from support.naive_policies import GreedyChoice
from support.sheets import value_of, worst_hold

GAME = games.small(
    games.face(1), games.face(2), games.face(3), games.PAIR, games.CHANCE, dice=3, faces=3, bonus=Bonus(10, 8)
)
PRICES = PriceSheet(GAME, (1.5, 3.0, 4.5, 4.0, 6.0), {"lost": -1.0, "secured": 6.0, "par_point": 0.5})


def test_the_estimate_for_the_last_reroll_is_exact_within_a_turn() -> None:
    # A rule for the last reroll changes no chance of a roll, so the first-order gain is the gain in the turn's value.
    search = Search(PRICES, seed=1)
    holds = parse_hold_rules(GAME, ["pair: keep", "single of open if rolls left 2: keep", "dice of 3: keep"])
    sample = Sample(search.policy(holds), search.candidate(holds).values, (1, 0), games=40)
    for text in ("single of open: keep", "dice of 2-3: keep", "pays pair: stop", "single lowest: keep", "any: stop"):
        rule = parse_hold_rule(GAME, text)
        last = parse_hold_rule(GAME, text.replace(":", " if rolls left 1:"))
        factor = sample.factors(last.conditions)[0]
        gains = (factor @ sample.gains(rule))[None]
        for place in range(len(holds) + 1):
            longer = (*holds[:place], last, *holds[place:])
            assert gains[0, place:].sum() == pytest.approx(sample.gain_of_list(longer), abs=1e-12)


def test_states_are_sampled_as_often_as_play_meets_them() -> None:
    search = Search(PRICES, seed=5)
    sample = Sample(search.policy(()), search.candidate(()).values, (5, 0), games=50)
    filled = search.space.filled[sample.rows]
    for turn in range(len(GAME.categories)):
        assert sample.weights[filled == turn].sum() == pytest.approx(1)
    chances = sample.turns.roll_chance.reshape(len(filled), GAME.rolls_per_turn, -1)
    assert chances[:, -1].sum(axis=1) == pytest.approx(np.ones(len(filled)))


def test_the_best_place_is_the_last_of_equal_ones() -> None:
    places, gain = best_places(np.array([[-1.0, 2.0, 0.0, 3.0, -9.0], [0.0, 0.0, 5.0, 0.0, 0.0]]))
    assert places.tolist() == [1, 2]
    assert gain.tolist() == [-4.0, 5.0]


def test_a_learned_list_is_short_exact_and_the_same_each_time() -> None:
    found = learn_holds(PRICES, 4, seed=3, sizes=(1, 2))
    assert found == learn_holds(PRICES, 4, seed=3, sizes=(1, 2), threads=1)
    assert 1 <= len(found.holds) <= 4
    played = evaluate(HoldRulePolicy(found.holds, PRICES))
    assert found.mean == pytest.approx(played.mean, abs=1e-9)
    assert found.mean > policy_mean(HoldRulePolicy((), PRICES))
    assert found.mean < played.perfect_mean
    for i, worth in enumerate(found.worth):
        without = (*found.holds[:i], *found.holds[i + 1 :])
        assert worth == pytest.approx(found.mean - policy_mean(HoldRulePolicy(without, PRICES)), abs=1e-9)
    assert set(found.shorter) <= {1, 2}
    for size, shorter in found.shorter.items():
        assert len(shorter.holds) == size
        assert shorter.mean == pytest.approx(policy_mean(HoldRulePolicy(shorter.holds, PRICES)), abs=1e-9)


@pytest.mark.parametrize(
    "game", [GAME, games.joker_game("forced"), games.joker_game("none")], ids=["free", "forced joker", "no joker"]
)
def test_the_worst_decisions_are_those_of_the_oracle(game: RuleSet) -> None:
    """Every card, roll and number of rerolls left, in fractions."""
    holds = parse_hold_rules(
        game, ["pair of 2-3 if rolls left 1: keep", "single of open: keep", "any if below par: stop"]
    )
    prices = PriceSheet(game, [1.5 + i for i in range(len(game.categories))], dict.fromkeys(terms_of(game), 0.5))
    policy, table = HoldRulePolicy(holds, prices), open_strategy(game).table
    found = worst_decisions(policy, table)
    oracle = Naive(game.canonical())
    layout = policy.space.layout
    greedy = GreedyChoice(game.canonical(), lambda *card: Fraction(value_of(prices, State(*card))))
    hold = category = 0.0

    def lost(card: tuple[int, int, bool], dice: Dice, left: int) -> float:
        stops = oracle.stops(*card, dice, left, False)
        held = held_dice(game, list(holds), State(*card[:2], 0, card[2]), dice, left)
        taken = max(stops.values()) if held is None else oracle.hold_value(*card, held, left)
        return float(oracle.best(*card, dice, left, False) - taken)

    for row, losses in zip(found.rows.tolist(), found.losses, strict=True):
        mask, lanes = int(layout.masks[row]), layout.lane_upper[layout.lane_sets[row]]
        paid, worst = row >= policy.space.cards, [0.0] * game.rolls_per_turn
        for upper in lanes[: int(layout.lane_count[layout.lane_sets[row]])].tolist():
            for dice, _ in oracle.rolls():
                stops = oracle.stops(mask, upper, paid, dice, 0, False)
                box = greedy(mask, upper, 0, paid, dice, 0, False)
                worst[0] = max(worst[0], float(max(stops.values()) - stops[box]))
                for left in range(1, game.rolls_per_turn):
                    worst[left] = max(worst[left], lost((mask, upper, paid), dice, left))
        assert losses.tolist() == pytest.approx(worst, abs=1e-9)
        hold, category = max(hold, *worst[1:]), max(category, worst[0])
    assert (found.hold, found.losses[:, 0].max()) == (pytest.approx(hold), pytest.approx(category))
    state, dice, left, loss = worst_hold(found)
    assert loss == pytest.approx(hold)
    assert lost((state.filled, state.upper, state.joker_paid), dice, left) == pytest.approx(loss)


@pytest.mark.parametrize("name", ["yatzy", "yahtzee", "yatzy-forced", "maxi", "giant-forced", "generala", "cheerio"])
def test_every_candidate_is_a_rule_of_the_rule_set(name: str) -> None:
    rules = load_rules(name)
    for pattern, action in candidate_patterns(rules):
        rule = hold_rule(rules, pattern, (), action)
        assert parse_hold_rule(rules, str(rule)) == rule
        assert rule_cost(rule) < 0.2
    conditions = candidate_conditions(rules)
    assert len(conditions) == len(set(conditions))
    anything = parse_hold_rule(rules, "any: stop").pattern
    for condition in conditions:
        assert hold_rule(rules, anything, [condition], "stop").conditions == (condition,)
