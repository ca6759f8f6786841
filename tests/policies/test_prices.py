"""Price sheets against their definition in fractions, and the fit of their prices."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from perfect_yatzy import RuleSet, State, load_rules
from perfect_yatzy.game.rules import Bonus
from perfect_yatzy.model.state_space import state_space
from perfect_yatzy.policies import sheet_search, worst_decisions
from perfect_yatzy.policies.evaluation import policy_mean, policy_values
from perfect_yatzy.policies.strategy_sheet import PriceSheet, pars, terms_of
from perfect_yatzy.policies.worst_decisions import TurnSample, inclusion_chances, visited_states
from perfect_yatzy.strategy.turn_evaluator import GreedyPolicy
from perfect_yatzy.tablebase.backward_induction import solve_values
from support.games import CHANCE, PAIR, classic_rule_sets, face, joker_game, saved_rolls_game, small
from support.naive import Naive
from support.naive_objectives import mean_score
from support.naive_policies import GreedyChoice, NaivePolicy
from support.refusals import refused
from support.seeds import FULL
from support.sheets import defined_value


def mean_in_fractions(sheet: PriceSheet) -> Fraction:
    """Mean of greedy play on a sheet, whose numbers are the decimals as printed."""
    rules, reader = sheet.rules, Naive(sheet.rules.canonical())

    def guess(filled: int, upper: int, saved: int, flag: bool) -> Fraction:
        joker_paid = flag and rules.tracked_index >= 0
        return defined_value(sheet, reader, filled, upper, saved, joker_paid, lambda number: Fraction(str(number)))

    return mean_score(NaivePolicy(rules.canonical(), GreedyChoice(rules.canonical(), guess)).distribution())


GAMES = {
    "free": small(face(5), face(6), PAIR, CHANCE, bonus=Bonus(22, 7)),  # par is 10 and 12
    "forced": small(face(5), face(6), PAIR, CHANCE, bonus=Bonus(22, 7), order="forced"),
    "joker": joker_game("free"),
    "saved": saved_rolls_game("free", True),
}


@pytest.mark.parametrize(
    ("name", "sampled"),
    [
        ("free", False), ("forced", False), ("joker", True),
        *(pytest.param(*case, marks=FULL) for case in (("joker", False), ("free", True), ("forced", True))),
    ],
)  # fmt: skip
def test_the_stated_mean_is_that_of_greedy_play(name: str, sampled: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = GAMES[name]
    monkeypatch.setattr(sheet_search, "VISITED_GAMES", 500)
    monkeypatch.setattr(sheet_search, "EXACT_ROUNDS", 2)
    if sampled:
        monkeypatch.setattr(sheet_search, "TINY_SECONDS", 0.0)
    values = solve_values(rules)
    fit = sheet_search.fit_prices(rules, values, threads=1)
    assert fit.interval == 0
    assert fit.sheet.rounded(0.1) == fit.sheet
    assert abs(fit.mean - float(mean_in_fractions(fit.sheet))) < 1e-9
    assert fit.mean <= values[-1] + 1e-9
    visits = visited_states(rules, values, 500, 1)
    start = sheet_search.least_squares(sheet_search.every_number(rules), visits, values[visits.places])
    assert fit.mean > policy_mean(GreedyPolicy(rules, start.values())) - 0.02  # rounding may cost a little
    assert abs(sum(fit.sheet.prices) - fit.mean) <= 0.05 * len(rules.categories) + 1e-9


def test_the_fit_does_not_depend_on_threads_and_reports_its_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sheet_search, "VISITED_GAMES", 300)
    monkeypatch.setattr(sheet_search, "TINY_SECONDS", 0.0)
    rules, steps = GAMES["free"], list[tuple[int, int]]()
    values = solve_values(rules)
    one = sheet_search.fit_prices(rules, values, threads=1, progress=lambda *step: steps.append(step))
    assert one == sheet_search.fit_prices(rules, values, threads=3)
    assert steps == [(i, 4) for i in range(5)]


def test_a_mean_that_is_simulated_has_an_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = dict.fromkeys(("TINY_SECONDS", "JUDGED_SECONDS", "STATED_SECONDS"), 0.0)
    played = {"VISITED_GAMES": 500, "JUDGED_GAMES": 500, "LAST_GAMES": 20_000}
    for name, value in (seconds | played).items():
        monkeypatch.setattr(sheet_search, name, value)
    rules = GAMES["saved"]
    fit = sheet_search.fit_prices(rules, solve_values(rules))
    assert 0 < fit.interval < 0.5
    assert abs(fit.mean - policy_mean(GreedyPolicy(rules, fit.sheet.values()))) < 2 * fit.interval


def test_numbers_of_a_large_sheet_are_tied() -> None:
    rules = load_rules("maxi-unsaved")
    form = sheet_search.upper_prices_on_a_line(rules)
    sheet = form.sheet(np.arange(19.0))
    assert sheet.n_numbers == 19
    assert sheet.prices[:7] == (1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 2.0)
    np.testing.assert_allclose(form.numbers(sheet), np.arange(19.0), atol=1e-9)
    assert sheet_search.every_number(rules).sheet(np.arange(23.0) ** 2).n_numbers == 23


def test_least_squares_finds_the_sheet_that_made_the_values() -> None:
    rules, terms = GAMES["joker"], {"lost": -2.0, "secured": 3.0, "par_point": 0.5, "joker_turn": 0.3}
    sheet = PriceSheet(rules, [1.0, 2.5, 4.0, 7.0], terms)
    visits = visited_states(rules, solve_values(rules), 2000, 1)
    found = sheet_search.least_squares(sheet_search.every_number(rules), visits, sheet.values()[visits.places])
    np.testing.assert_allclose(found.values()[visits.places], sheet.values()[visits.places], atol=1e-6)


@pytest.mark.parametrize("name", [*GAMES])
def test_visits_are_counted_at_every_turn(name: str) -> None:
    rules = GAMES[name]
    space, visits = state_space(rules), visited_states(rules, solve_values(rules), 400, 3)
    for k in range(len(rules.categories)):
        assert visits.counts[space.filled[visits.rows] == k].sum() == 400
    for row in np.unique(visits.rows).tolist():
        first, size = space.layout.offsets[row], space.layout.lane_count[space.layout.lane_sets[row]]
        places = visits.places[visits.rows == row]
        assert (places >= first).all()
        assert (places < first + size * (space.most_saved[space.filled[row]] + 1)).all()


@pytest.mark.parametrize("name", [*GAMES])
def test_a_sample_of_all_cards_gives_the_values_of_the_policy_itself(name: str) -> None:
    """One turn and then as before is the policy itself: the values of the states that were met, summed over turns."""
    rules = GAMES[name]
    sheet = PriceSheet(rules, [2.0 + c for c in range(len(rules.categories))], dict.fromkeys(terms_of(rules), 0.7))
    visits, own = visited_states(rules, sheet.values(), 300, 1), policy_values(GreedyPolicy(rules, sheet.values()))
    expected = own[visits.places] @ visits.counts / visits.games
    sample = TurnSample(visits, 10_000, own, seed=1, threads=2)
    assert sample.cards == len(np.unique(visits.rows))
    assert abs(sample.mean(sheet) - expected) < 1e-9
    if name == "free":  # a small sample is right on average
        means = [TurnSample(visits, 2, own, seed, 1).mean(sheet) for seed in range(300)]
        assert abs(np.mean(means) - expected) < 4 * np.std(means) / np.sqrt(len(means)) + 1e-9


@given(st.lists(st.integers(1, 1000), min_size=1, max_size=40), st.integers(1, 45), st.integers(0, 99))
def test_sampling_in_proportion_to_counts(counts: list[int], number: int, seed: int) -> None:
    chances = inclusion_chances(np.array(counts, dtype=np.float64), number)
    assert abs(chances.sum() - min(number, len(counts))) < 1e-9
    assert ((chances > 0) & (chances <= 1)).all()
    inner = chances < 1
    ratios = chances[inner] / np.array(counts)[inner]
    assert len(ratios) == 0 or ratios.max() - ratios.min() < 1e-9
    taken = worst_decisions.systematic_sample(chances, np.random.default_rng(seed))
    assert abs(taken.sum() - chances.sum()) < 1 + 1e-9
    assert taken[~inner].all()


def test_descent_finds_the_minimum_of_a_quadratic_function() -> None:
    """Powell's method ends after n sweeps in n dimensions; the axes of this one are far from the directions."""
    centre, turn = np.array([1.0, -2.0, 0.5]), np.array([[1.0, 0.9, 0.3], [0.0, 1.0, 0.8], [0.0, 0.0, 1.0]])
    point, value = sheet_search.descend(
        lambda point: float(((turn @ (point - centre)) ** 2).sum()), np.zeros(3), np.full(3, 0.5), 40
    )
    assert value < 1e-6
    np.testing.assert_allclose(point, centre, atol=1e-2)
    start = np.array([3.0])  # it never ends above its start
    assert sheet_search.descend(lambda point: -abs(float(point[0])) % 1.7, start, np.array([1.0]), 5)[1] <= -3.0 % 1.7
    assert sheet_search.descend(lambda point: 1.0, start, np.array([1.0]), 5)[1] == 1.0


TERMS = {"lost": -3.5, "secured": 4.25, "par_point": 1.5, "saved_roll": 2.25, "joker_turn": 0.5}


def sheet_of(rules: RuleSet) -> PriceSheet:
    """A sheet with a different price for each box."""
    prices = [3 + 0.25 * c * c for c in range(len(rules.categories))]
    return PriceSheet(rules, prices, {name: TERMS[name] for name in terms_of(rules)})


@given(classic_rule_sets().filter(lambda rules: not (rules.joker and rules.joker.mode != "none")))
@example(saved_rolls_game("free", False))
@example(saved_rolls_game("forced", False))
@example(saved_rolls_game("free", True))
@example(saved_rolls_game("forced", True))
@example(joker_game("free"))
@example(joker_game("forced", bonus=0))
@example(small(face(1), face(6), PAIR, CHANCE))
def test_values_are_those_of_the_definition(rules: RuleSet) -> None:
    """Random games without joker modes, whose boxes can hold more than their patterns pay: see the game with jokers."""
    sheet, oracle, space = sheet_of(rules), Naive(rules.canonical()), state_space(rules)
    values, paying = sheet.values(), rules.tracked_index >= 0
    assert len(values) == space.size
    for filled, upper, saved, flag in oracle.states():
        state = State(filled, upper, saved, flag and paying)
        expected = defined_value(sheet, oracle, filled, upper, saved, flag and paying)
        assert abs(values[space.index(state)] - float(expected)) < 1e-9


def test_values_from_a_card_on_are_those_of_the_whole_game() -> None:
    rules = saved_rolls_game("free", True)
    sheet, start = sheet_of(rules), State(filled=0b0010, upper=12, saved=1)
    space, values, whole = state_space(rules, start), sheet.values(start), sheet.values()
    for state in (start, State(0b0110, 12, 3), State(0b0011, 16, 0), State(0b1111, 16, 0)):
        assert values[space.index(state)] == whole[state_space(rules).index(state)]


def test_par_and_the_numbers_that_matter() -> None:
    assert pars(load_rules("yatzy")) == (3, 6, 9, 12, 15, 18, *[0] * 9)  # three of each face
    assert pars(load_rules("yatzy-forced"))[:6] == (2, 4, 6, 8, 10, 12)
    assert pars(load_rules("maxi"))[:6] == (4, 8, 12, 16, 20, 24)
    assert set(pars(load_rules("yacht"))) == {0}
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
def test_sheets_that_do_not_fit_are_refused(prices: tuple[float, ...], terms: dict[str, float], message: str) -> None:
    refused(message, PriceSheet, load_rules("yacht"), prices, terms)
