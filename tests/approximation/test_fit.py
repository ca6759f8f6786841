"""The fitted value function, on games whose values are known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from perfect_yatzy import StateError, load_rules
from perfect_yatzy.approximation.bound import solve_relaxed
from perfect_yatzy.approximation.fit import fit_values
from perfect_yatzy.approximation.lane_turns import States
from perfect_yatzy.approximation.multipliers import optimal_prices
from perfect_yatzy.approximation.relaxation import Budget, relax
from perfect_yatzy.approximation.rollout import simulate_values
from perfect_yatzy.game.patterns import Pattern
from perfect_yatzy.game.rules import Category, RuleSet
from perfect_yatzy.game.upper_sums import upper_sums
from perfect_yatzy.model.relaxed_game import RelaxedGame
from perfect_yatzy.model.turn_slots import feature_count, turn_slots
from perfect_yatzy.strategy.fitted_values import NOT_ALLOWED, FittedValues, first_guess
from perfect_yatzy.tablebase.backward_induction import solve_values
from support.games import CHANCE, PAIR, joker_game, saved_rolls_game, small
from support.mechanics import random_rules

RUN = Category("run", "Run", (Pattern("contains", contains=(1, 2), score="fixed", points=9),))


def relaxed_start(rules: RuleSet) -> FittedValues:
    """The values of the relaxed game that remembers the upper sum and nothing else."""
    prices = optimal_prices(rules).prices
    upper = [c for c, box in enumerate(rules.categories) if box.upper and rules.bonus]
    game = RelaxedGame(rules, upper, prices, 0 if rules.bonus else -1)
    return first_guess(rules, prices, game, solve_relaxed(game, threads=1))


def drawn_coefficients(rules: RuleSet) -> FittedValues:
    """A value function with coefficients drawn at random."""
    draw, n = np.random.default_rng(3), len(rules.categories)
    return FittedValues(
        rules, draw.normal(size=n), draw.normal(size=(n + 1, feature_count(rules))), None, np.empty(0)
    )


def test_a_game_whose_features_are_exact_gets_its_exact_value() -> None:
    """Without a bonus, one, two or all of three open boxes are told apart by the features: nothing is approximate."""
    rules = small(PAIR, CHANCE, RUN, rolls=2)
    values, record = fit_values(first_guess(rules, np.zeros(3)), games=400, rounds=2, ridge=1e-9, seed=1, threads=1)
    exact = solve_values(rules)
    assert values.values(0, 0, 0, 0)[0] == pytest.approx(exact[-1], abs=1e-5)
    assert max(record["errors"]) < 1e-5
    found = simulate_values(values, games=200, seed=2)
    assert found.mean == pytest.approx(exact[-1], abs=1e-5)


def test_the_fit_does_not_depend_on_the_number_of_threads() -> None:
    rules = joker_game("free", saved_rolls=True)
    start = first_guess(rules, np.array([1.0, 2.0, 1.0, 3.0]))
    one, two = (fit_values(start, games=600, rounds=2, seed=4, threads=threads)[0] for threads in (1, 2))
    assert np.array_equal(one.coefficients, two.coefficients)


@pytest.mark.parametrize(
    "rules", [saved_rolls_game("free", True), joker_game("forced"), *map(random_rules, range(12))]
)
def test_the_children_of_a_state_have_the_values_of_the_function(rules: RuleSet) -> None:
    values, slots = drawn_coefficients(rules), turn_slots(rules)
    filled, flag = np.array([0]), np.array([int(rules.tracked_index >= 0)])
    found = values.child_values(filled, np.array([0]), flag, (0, 2))
    checked = 0
    for slot, box in enumerate(slots.slot_category.tolist()):
        shift, pays = slots.slot_shift[slot], bool(slots.slot_pays[slot])
        paid = int(flag[0] or (pays and box == rules.tracked_index))
        upper = upper_sums(rules).cap(np.array([shift]))
        for stage, saved in enumerate((0, 2)):
            if found[stage, 0, slot] != NOT_ALLOWED:
                expected = values.values(1 << box, upper, saved, paid)[0]
                assert found[stage, 0, slot] == pytest.approx(expected, abs=1e-9)
                checked += 1
    assert checked


@pytest.mark.parametrize(
    "rules", [saved_rolls_game("free", True), joker_game("forced"), *map(random_rules, range(4))]
)
def test_no_value_exceeds_the_bound_of_the_relaxed_game(rules: RuleSet) -> None:
    """Whatever the coefficients; and the children are bounded as the cards themselves are."""
    relaxed, drawn = relax(rules, Budget(work=5e10, memory=1 << 22, boxes=0)), drawn_coefficients(rules)
    start = first_guess(rules, relaxed.game.prices, relaxed.game, relaxed.values)
    nothing, rolls = np.array([0]), (0, rules.rolls_per_turn - 1) if rules.saved_rolls else (0,)
    most, lower = start.child_values(nothing, nothing, nothing, rolls), False
    for sign in (30, -30):
        values = replace(start, coefficients=sign * drawn.coefficients)
        assert values.values(0, 0, 0, 0) <= start.values(0, 0, 0, 0)
        children = values.child_values(nothing, nothing, nothing, rolls)
        assert (children <= most + 1e-9).all()
        lower |= bool((children < most - 1e-9).any())
    assert lower


def test_weighted_sums_of_features_and_the_value_of_a_full_card() -> None:
    rules = joker_game("free", saved_rolls=True)
    values, draw = drawn_coefficients(rules), np.random.default_rng(5)
    states = States(draw.integers(0, 16, 9), draw.integers(0, 8, 9), draw.integers(0, 5, 9), draw.integers(0, 2, 9))
    fields = states.filled, states.upper, states.saved, states.tracked
    weights = draw.normal(size=9)
    assert values.feature_sums(weights, *fields) == pytest.approx(weights @ values.features(*fields)[1])
    rules = saved_rolls_game("free", False)
    assert drawn_coefficients(rules).values(rules.full_mask, [0, 15, 16], 0, 0).tolist() == [0.0, 0.0, 7.0]


def test_a_fitted_game_is_played_nearly_perfectly_and_never_better() -> None:
    """Two thousand games of a small game with a bonus: within 1 % of perfect play, and not significantly above it."""
    rules = saved_rolls_game("free", False)
    exact = float(solve_values(rules)[-1])
    values, _ = fit_values(relaxed_start(rules), games=500, rounds=3, seed=6)
    found = simulate_values(values, games=4000, seed=7)
    assert exact * 0.99 < found.mean < exact + 2 * (found.interval99[1] - found.mean)
    assert found.standard_error < found.standard_deviation / np.sqrt(4000) / 3


@pytest.mark.slow
@pytest.mark.parametrize(
    ("key", "exact"), [("yatzy", 248.4399893779), ("yahtzee-plain", 245.8707745141), ("maxi-unsaved", 394.5575068204)]
)
def test_strategies_of_solvable_games_lose_less_than_the_documented_share(key: str, exact: float) -> None:
    values, _ = fit_values(relaxed_start(load_rules(key)), seed=1)
    found = simulate_values(values, half_width=0.05, seed=2)
    assert exact * (1 - 0.0015) < found.mean < exact + (found.interval99[1] - found.mean)


def test_simulations_need_a_number_of_games_or_a_width() -> None:
    values = first_guess(small(PAIR, CHANCE), np.zeros(2))
    for games, message in ((None, "number of games"), (0, "positive")):
        with pytest.raises(StateError, match=message):
            simulate_values(values, games=games)
    assert len(simulate_values(values, games=3).luck) == 3
