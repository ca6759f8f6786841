"""Price sheets as value functions, against their definition in fractions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from perfect_yatzy import RuleSet, State, StateError, load_rules
from perfect_yatzy.game.rules import Bonus
from perfect_yatzy.model.state_space import state_space
from perfect_yatzy.policies.price_sheet import PriceSheet, pars, terms_of
from support.games import CHANCE, PAIR, classic_rule_sets, face, joker_game, saved_rolls_game, small
from support.naive import Naive
from support.sheets import defined_value

TERMS = {"lost": -3.5, "secured": 4.25, "par_point": 1.5, "saved_roll": 2.25, "joker_turn": 0.5}


def sheet_of(rules: RuleSet) -> PriceSheet:
    """A sheet with a different price for each box."""
    prices = [3 + 0.25 * c * c for c in range(len(rules.categories))]
    return PriceSheet(rules, prices, {name: TERMS[name] for name in terms_of(rules)})


def check_values(rules: RuleSet) -> None:
    sheet, oracle, space = sheet_of(rules), Naive(rules.canonical()), state_space(rules)
    values = sheet.values()
    assert len(values) == space.size
    paying = rules.tracked_index >= 0
    for filled, upper, saved, flag in oracle.states():
        state = State(filled, upper, saved, flag and paying)
        expected = defined_value(sheet, oracle, filled, upper, saved, flag and paying)
        assert abs(values[space.index(state)] - float(expected)) < 1e-9


@pytest.mark.parametrize(
    "rules",
    [
        *(saved_rolls_game(order, saved) for order in ("free", "forced") for saved in (False, True)),
        joker_game("free"),
        joker_game("forced", bonus=0),
        small(face(1), face(6), PAIR, CHANCE),
    ],
    ids=["free", "free saved", "forced", "forced saved", "free joker", "forced joker", "no bonus"],
)
def test_values_are_those_of_the_definition(rules: RuleSet) -> None:
    check_values(rules)


@given(classic_rule_sets().filter(lambda rules: not (rules.joker and rules.joker.mode != "none")))
def test_values_of_random_games(rules: RuleSet) -> None:
    """Without joker modes, whose boxes can hold more than their patterns pay: see the game with jokers."""
    check_values(rules)


def test_values_from_a_card_on_are_those_of_the_whole_game() -> None:
    rules = saved_rolls_game("free", True)
    sheet, start = sheet_of(rules), State(filled=0b0010, upper=12, saved=1)
    space, values, whole = state_space(rules, start), sheet.values(start), sheet.values()
    for state in (start, State(0b0110, 12, 3), State(0b0011, 16, 0), State(0b1111, 16, 0)):
        assert values[space.index(state)] == whole[state_space(rules).index(state)]


def test_par_of_yatzy_is_three_of_each_face() -> None:
    assert pars(load_rules("yatzy")) == (3, 6, 9, 12, 15, 18, *[0] * 9)
    assert pars(load_rules("yatzy-forced"))[:6] == (2, 4, 6, 8, 10, 12)
    assert pars(load_rules("maxi"))[:6] == (4, 8, 12, 16, 20, 24)
    assert set(pars(load_rules("yacht"))) == {0}


def test_a_sheet_counts_the_numbers_that_matter() -> None:
    expected = {"yatzy": 18, "yahtzee": 17, "yatzy-forced": 3, "yacht": 12}
    assert {key: sheet_of(load_rules(key)).n_numbers for key in expected} == expected


@given(st.floats(-99, 99), st.sampled_from([0.1, 0.5, 1.0]))
def test_rounded_numbers_are_the_nearest_that_are_printed(number: float, step: float) -> None:
    rules = small(face(5), face(6), bonus=Bonus(16, 7))
    rounded = PriceSheet(rules, (number, -number), {"lost": number, "secured": 2 * number}).rounded(step)
    assert abs(rounded.prices[0] - number) <= step / 2 + 1e-9
    assert rounded.terms["lost"] == rounded.prices[0] == -rounded.prices[1]
    assert float(f"{rounded.terms['secured']:.1f}") == rounded.terms["secured"]
    assert round(rounded.prices[0] / step, 6) % 1 == 0


@pytest.mark.parametrize(
    ("prices", "terms", "message"),
    [
        ((1.0,), {}, "1 prices; yacht has 12 categories"),
        ((1.0,) * 11 + (float("nan"),), {}, "yacht is NaN|yacht is nan"),
        ((1.0,) * 11 + ("2",), {}, "yacht is '2'; must be a number"),
        ((1.0,) * 12, {"lost": 1.0}, "yacht has no use for lost"),
        ((1.0,) * 12, {"saved_roll": 1.0}, "yacht has no use for saved_roll"),
    ],
)
def test_sheets_that_do_not_fit_the_rules_are_rejected(
    prices: tuple[float, ...], terms: dict[str, float], message: str
) -> None:
    with pytest.raises(StateError, match=message):
        PriceSheet(load_rules("yacht"), prices, terms)
