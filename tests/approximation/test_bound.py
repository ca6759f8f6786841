"""The bound of the relaxed game: never below the exact value, equal to it if every box is exact."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from perfect_yatzy import RuleSet, distribution, load_rules
from support.games import rule_sets, saved_rolls_game
from support.mechanics import MECHANICS, random_rules
from support.naive import Naive
from support.need import need
from support.players import in_memory
from support.seeds import examples, ring_2, seeds

need("perfect_yatzy.approximation.relaxation")
from perfect_yatzy.approximation.relaxation import Budget, relax, rounding_error, solve_relaxed, upper_bound, visits
from perfect_yatzy.game.rules import chains
from perfect_yatzy.model.relaxed_game import RelaxedGame, required_exact
from perfect_yatzy.model.state_space import state_space
from perfect_yatzy.tablebase.backward_induction import solve_values


def bound_of(rules: RuleSet, exact: tuple[int, ...], column: int, prices: np.ndarray) -> float:
    game = RelaxedGame(rules, exact, prices, column)
    return upper_bound(game, solve_relaxed(game, threads=1))


def is_exact(rules: RuleSet) -> bool:
    """Whether a relaxed game with every box exact relaxes nothing of these rules."""
    return rules.joker is None and rules.crossing_out == "free" and len(rules.bonuses) <= 1


@pytest.mark.parametrize("name", ["yatzy", "yahtzee-plain", "yacht"])
def test_with_all_boxes_exact_the_bound_is_the_value(name: str) -> None:
    rules = load_rules(name)
    known = {"yatzy": 248.4399893779, "yahtzee-plain": 245.8707745141}
    value = known.get(name) or float(solve_values(rules)[-1])
    n = len(rules.categories)
    game = RelaxedGame(rules, range(n), np.random.default_rng(1).normal(5, 3, n), 0 if rules.bonus else -1)
    values = solve_relaxed(game)
    assert upper_bound(game, values) == pytest.approx(value, abs=1e-9)
    assert rounding_error(game, values) < 5e-10


@examples(12, 60)
@given(rules=rule_sets(), data=st.data())
def test_the_bound_is_never_below_the_exact_value(rules: RuleSet, data: st.DataObject) -> None:
    """Random prices and exact boxes; with more exact boxes the bound does not rise."""
    exact_value = Naive(rules.canonical()).value(0, 0)
    (needed, column), n = required_exact(rules), len(rules.categories)
    prices = np.array(data.draw(st.lists(st.floats(-5, 20), min_size=n, max_size=n)))
    free = [chain for chain in chains(rules) if not set(chain) <= set(needed)]
    more = data.draw(st.lists(st.sampled_from(free), unique=True)) if free else []
    boxes = needed, (*needed, *(c for chain in more for c in chain)), tuple(range(n))
    coarse, fine, everything = (bound_of(rules, exact, column, prices) for exact in boxes)
    assert all(Fraction(found) >= exact_value for found in (coarse, fine, everything))
    assert everything <= fine + 1e-9 <= coarse + 2e-9
    if is_exact(rules):
        assert everything == pytest.approx(float(exact_value), abs=1e-9)


def check_bounds(rules: RuleSet) -> None:
    """Any budget, and all boxes exact with random prices: never below the oracle.

    Little work: no upper sum, coarse upper sums, few exact boxes, rows without values of their own.
    """
    exact_value = Naive(rules.canonical()).value(0, 0)
    for work in (0.0, 5e3, 5e4, 5e5, 5e6, 5e10):
        assert Fraction(relax(rules, Budget(work), threads=1).bound) >= exact_value
    n = len(rules.categories)
    prices = np.random.default_rng(n).normal(4, 3, n)
    for column in range(-1, len(rules.bonuses)):
        slopes = np.random.default_rng(n).uniform(0, 2, len(rules.bonuses))
        game = RelaxedGame(rules, range(n), prices, column, slopes)
        found = upper_bound(game, solve_relaxed(game, threads=1))
        assert Fraction(found) >= exact_value
        if is_exact(rules) and len(rules.bonuses) == column + 1:
            assert found == pytest.approx(float(exact_value), abs=1e-9)


@pytest.mark.parametrize("seed", [0, *(ring_2(seed) for seed in range(1, 4))])
@pytest.mark.parametrize("mechanic", MECHANICS)
def test_each_mechanic_alone(mechanic: str, seed: int) -> None:
    check_bounds(random_rules(seed, (mechanic,)))


@pytest.mark.parametrize("seed", seeds(1, 39))
def test_mechanics_combined(seed: int) -> None:
    check_bounds(random_rules(seed))


@pytest.mark.full
@pytest.mark.parametrize(("name", "boxes", "value", "most"), [
    ("yatzy", 0, 248.4399893779, 274.87),
    ("yatzy", 3, 248.4399893779, 258.93),
    ("yahtzee-plain", 5, 245.8707745141, 248.58),
])  # fmt: skip
def test_bounds_of_known_games(name: str, boxes: int, value: float, most: float) -> None:
    """Not above the bounds of an independent program with as many exact boxes beside the upper ones."""
    found = relax(load_rules(name), Budget(boxes=boxes))
    assert value < found.bound <= most
    assert len(found.game.exact) == 6 + boxes


@pytest.mark.full
def test_rows_without_values_of_their_own() -> None:
    """Too little work for all rows of Yatzy: the bound holds, and more work lowers it."""
    bounds = [relax(load_rules("yatzy"), Budget(work)).bound for work in (2.5e9, 7.5e9)]
    assert 248.4399893779 < bounds[1] < bounds[0]


def test_visits_are_those_of_the_best_play() -> None:
    """A bonus replaced by a line of slope 1: play as in the game whose upper boxes pay twice as much, without a bonus."""
    rules = saved_rolls_game("free", False)
    double = [replace(box, patterns=(replace(box.patterns[0], factor=2),)) for box in rules.categories]
    twice = [more if more.upper else box for more, box in zip(double, rules.categories, strict=True)]
    known = distribution(in_memory(replace(rules, bonus=None, categories=tuple(twice)))).categories
    game = RelaxedGame(rules, range(4), np.zeros(4), -1, np.ones(1))
    uses, upper = visits(game, solve_relaxed(game, threads=1), threads=1)
    assert upper == pytest.approx([(known[0].mean + known[1].mean) / 2], abs=1e-9)
    for axis in (0, 1):  # each turn fills a box, and each box is filled once
        assert uses.sum(axis=axis) == pytest.approx(np.ones(4), abs=1e-9)


@pytest.mark.full
def test_every_state_has_a_bound() -> None:
    """W and the prices bound the value of each state, not only of the empty card."""
    rules = load_rules("yahtzee-plain")
    space, values, found = state_space(rules), solve_values(rules), relax(rules, Budget(boxes=3))
    rows = space.state_rows()
    lanes, saved = space.lanes_and_saved(rows, np.arange(space.size))
    filled = space.layout.masks[rows]
    upper = space.layout.lane_upper[space.layout.lane_sets[rows], lanes]
    places = found.game.index(filled, upper, saved, np.zeros_like(saved))
    assert (found.game.offset(filled, upper) + found.values[places] >= values - 1e-9).all()
