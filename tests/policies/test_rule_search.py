"""The search of hold rules: its estimates against exact values, and what it finds in small games."""

from __future__ import annotations

import numpy as np
import pytest
from perfect_yatzy.game.rule_loader import load_rules
from perfect_yatzy.game.rules import Bonus
from perfect_yatzy.policies.evaluation import evaluate, policy_mean
from perfect_yatzy.policies.hold_policy import HoldRulePolicy
from perfect_yatzy.policies.hold_rules import hold_rule, parse_hold_rule, parse_hold_rules
from perfect_yatzy.policies.price_sheet import PriceSheet
from perfect_yatzy.policies.rule_search import Sample, Search, best_places, learn_holds
from perfect_yatzy.policies.rule_vocabulary import candidate_conditions, candidate_patterns, rule_cost
from support import games

GAME = games.small(
    games.face(1), games.face(2), games.face(3), games.PAIR, games.CHANCE, dice=3, faces=3, bonus=Bonus(10, 8)
)
PRICES = PriceSheet(GAME, (1.5, 3.0, 4.5, 4.0, 6.0), -1.0, 6.0, 0.5)


def test_the_estimate_for_the_last_reroll_is_exact_within_a_turn() -> None:
    # A rule for the last reroll changes no chance of a roll, so the first-order gain is the gain in the turn's value.
    search = Search(PRICES, seed=1)
    holds = parse_hold_rules(GAME, ["pair: keep", "single of open if rolls left 2: keep", "dice of 3: keep"])
    sample = Sample(search, holds, search.values(holds), games=40)
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
    sample = Sample(search, (), search.values(()), games=50)
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
    assert found.means == tuple(policy_mean(HoldRulePolicy(found.shorter[n], PRICES)) for n in found.sizes)


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
