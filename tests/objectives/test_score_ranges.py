"""Ranges of scores, sizes of state spaces and holds that earn an outcome, against enumeration;
interpolated values.
"""

import numpy as np
import numpy.typing as npt
import perfect_yatzy
import pytest
from hypothesis import given, settings
from perfect_yatzy import RulesError, RuleSet, load_rules
from perfect_yatzy.core.backward_induction import solve_objective
from perfect_yatzy.core.dice import Floats, Ints, lattice, sub_multisets
from perfect_yatzy.core.jit import jit
from perfect_yatzy.core.scoring import points_table
from perfect_yatzy.core.simd import views
from perfect_yatzy.core.state import EMPTY_STATE, State
from perfect_yatzy.core.state_space import LANES, StateSpace
from perfect_yatzy.core.turn_model import turn_model
from perfect_yatzy.game.rule_loader import builtin_ids
from perfect_yatzy.objectives.score_places import ScoreOffsets
from perfect_yatzy.objectives.score_turn_kernel import fill_between, misses_of
from perfect_yatzy.objectives.scores import Goals, ReachableUtility, ScoreObjective, Utility
from perfect_yatzy.strategy.score_distribution import Opponent, WinUtility
from perfect_yatzy.strategy.turn_evaluator import ScoreEvaluator
from perfect_yatzy.tablebase.state_counts import count_states
from support import games
from support.mechanics import random_rules
from support.refusals import refused

GAMES = [
    games.saved_rolls_game("free", True),
    games.saved_rolls_game("forced", False),
    games.joker_game("forced"),
    games.joker_game("free", first_roll_bonus=(("run", 3), ("face-3", 2))),
    *(random_rules(seed) for seed in range(12)),
    load_rules("crag"),
]


def rising(total: Ints) -> Floats:
    return np.sqrt(total.astype(np.float64))


def dented(total: Ints) -> Floats:
    return (total % 7).astype(np.float64)


def later_start(rules: RuleSet) -> State:
    """A state with a box filled whose lane of upper sums is not the first one."""
    space = Utility(rules, rising).space
    row = int(space.layers[min(1, space.categories)][-1])
    lane = int(space.layout.lane_count[space.layout.lane_sets[row]]) - 1
    upper = int(space.layout.lane_upper[space.layout.lane_sets[row], lane])
    return State(
        int(space.layout.masks[row]), upper, 0, row >= space.cards and space.has_tracked_rows
    )


@pytest.mark.parametrize("rules", GAMES, ids=lambda rules: rules.key)
@pytest.mark.parametrize("utility", [rising, dented])
@pytest.mark.parametrize("late", [False, True])
def test_the_values_are_those_of_all_scores_to_the_bit(
    rules: RuleSet, utility: object, late: bool
) -> None:
    start = later_start(rules) if late else EMPTY_STATE
    narrow, wide = (kind(rules, utility, start) for kind in (ReachableUtility, Utility))  # type: ignore[arg-type]
    values, expected = solve_objective(narrow), solve_objective(wide)
    offsets, places = narrow.score_offsets, wide.score_offsets
    assert narrow.size <= wide.size
    for state in range(narrow.space.size):
        low, high = int(offsets.low[state]), int(offsets.high[state])
        assert places.low[state] <= low <= high <= places.high[state]
        x = np.arange(low, high + 1)
        assert np.array_equal(values[offsets.origin[state] + x], expected[places.origin[state] + x])


@pytest.mark.parametrize("rules", [*GAMES, load_rules("yatzy")], ids=lambda rules: rules.key)
def test_the_sizes_of_the_layers_are_those_of_the_table(rules: RuleSet) -> None:
    objective = ReachableUtility(rules, rising)
    layers = range(objective.first_layer, objective.space.categories + 1)
    slices = [(objective.space.layer_slice(k), objective.layer_slice(k)) for k in layers]
    assert objective.layer_sizes() == [
        tuple(each.stop - each.start for each in pair) for pair in slices
    ]


def objectives(rules: RuleSet, start: State = EMPTY_STATE) -> list[ScoreObjective]:
    return [Goals(rules, start), Utility(rules, lambda total: total * 1.0, start)]


@pytest.mark.parametrize("rules", [*GAMES, load_rules("yatzy")], ids=lambda rules: rules.key)
def test_no_layer_of_a_table_is_larger_than_estimated(rules: RuleSet) -> None:
    for objective in objectives(rules):
        for filled, (_states, most_entries) in enumerate(objective.layer_sizes()):
            entries = objective.layer_slice(filled)
            assert entries.stop - entries.start <= most_entries


def check(objective: ScoreObjective) -> None:
    space, layout, offsets = objective.space, objective.space.layout, objective.score_offsets
    lengths, bonuses = objective.row_lengths(), objective.lane_bonuses()
    place = state = 0
    for filled in range(space.categories, objective.first_layer - 1, -1):
        layer_start, starts = place, objective.places.row_starts(filled)
        for position, row in enumerate(space.layers[filled].tolist()):
            assert starts[position] == place
            lane_set, row_start = layout.lane_sets[row], place
            for _ in range(int(space.most_saved[filled]) + 1):
                for lane in range(int(layout.lane_count[lane_set])):
                    length = int(lengths[row] + bonuses[lane_set, lane])
                    low, high = (-length, -1) if isinstance(objective, Goals) else (0, length)
                    place += objective.before
                    assert (offsets.low[state], offsets.high[state]) == (low, high)
                    assert offsets.origin[state] + low == place
                    place += high - low + 1 + objective.after
                    state += 1
            assert objective.places.rows_slice(filled, position, position + 1) == slice(
                row_start, place
            )
        assert objective.layer_slice(filled) == slice(layer_start, place)
        assert starts[-1] == place
    assert (len(offsets.low), objective.size) == (state, place)


@settings(max_examples=40)
@given(rules=games.rule_sets())
def test_ranges_lie_one_after_the_other(rules: RuleSet) -> None:
    for objective in objectives(rules):
        check(objective)


def test_the_rest_of_a_game_and_known_upper_sums() -> None:
    rules = load_rules("yahtzee")
    for objective in objectives(rules, State(filled=rules.full_mask & ~0b1000100101, upper=20)):
        check(objective)
    rules = load_rules("yatzy")
    offsets = (kind(rules, rising).score_offsets for kind in (ReachableUtility, Utility))
    assert [int((each.high - each.low + 1).sum()) for each in offsets] == [106_637_056, 158_254_848]


@pytest.mark.parametrize("kind", [0, 1], ids=["goals", "utility"])
def test_some_rows_are_placed_alone(kind: int) -> None:
    objective = objectives(load_rules("crag"))[kind]
    whole = objective.score_offsets
    found = ScoreOffsets(*(np.full(len(whole.low), -(1 << 40)) for _ in ScoreOffsets._fields))
    objective.places.fill(found, 5, 100, 317)
    states = objective.space.rows_slice(5, 100, 317)
    for some, all_ in zip(found, whole, strict=True):
        assert np.array_equal(some[states], all_[states])
        assert (np.delete(some, np.r_[states]) == -(1 << 40)).all()


TOO_LARGE = {"giant", "triple-yahtzee", "yamb"}


def assert_counts_are_those_of_the_enumeration(rules: RuleSet) -> None:
    space, counts = StateSpace(rules), count_states(rules)
    slices = map(space.layer_slice, range(space.categories + 1))
    assert counts.values == tuple(part.stop - part.start for part in slices)
    sums = np.array([len(sums) for sums in space.lanes.sums])  # before they are merged into lanes
    saved = zip(space.layers, space.most_saved.tolist(), strict=True)
    states = sum(int(sums[space.layout.lane_sets[rows]].sum()) * (most + 1) for rows, most in saved)
    assert counts.states == states
    assert counts.rows == len(space.layout.masks)
    assert counts.most_saved == tuple(space.most_saved.tolist())
    lanes = [space.layout.lane_count[space.layout.lane_sets[rows]] for rows in space.layers]
    assert counts.vectors == tuple(int((-(-count // LANES)).sum()) for count in lanes)


@pytest.mark.parametrize("name", sorted(set(builtin_ids()) - TOO_LARGE))
def test_counts_of_the_built_in_rules(name: str) -> None:
    assert_counts_are_those_of_the_enumeration(load_rules(name))


@pytest.mark.parametrize("name", sorted(TOO_LARGE))
def test_rules_that_are_too_large_are_neither_counted_nor_enumerated(name: str) -> None:
    for make in (StateSpace, count_states):
        assert (
            refused(f"^{name} has .* can be solved$", make, load_rules(name), error=RulesError).code
            == "too-large"
        )


@given(games.rule_sets())
def test_counts_of_random_rules(rules: RuleSet) -> None:
    assert_counts_are_those_of_the_enumeration(rules)


@pytest.mark.parametrize("key", ["yatzy", "yahtzee", "maxi", "balut", "crag", "kismet"])
def test_the_best_hold_within_a_roll_has_the_outcome_of_the_roll(key: str) -> None:
    rules = perfect_yatzy.load_rules(key)
    dice, outcomes = lattice(rules.dice, rules.faces), turn_model(rules).outcomes
    points = points_table(rules)
    listed = np.repeat(np.arange(len(outcomes.points)), np.diff(outcomes.hold_start))
    category = np.searchsorted(outcomes.start, listed, side="right") - 1
    paid = np.zeros((dice.n_holds, len(rules.categories)))
    np.maximum.at(paid, (outcomes.holds, category), outcomes.points[listed])
    for roll in range(0, dice.n_rolls, 7):
        within = dice.rank(sub_multisets(dice.counts[dice.first_roll + roll]))
        assert paid[within].max(axis=0).tolist() == points[:, roll].tolist()


def test_one_hold_stands_for_the_rolls_of_an_upper_box_and_of_a_pair() -> None:
    rules = perfect_yatzy.load_rules("yatzy")
    dice, outcomes = lattice(rules.dice, rules.faces), turn_model(rules).outcomes
    holds = np.split(outcomes.holds, outcomes.hold_start[1:-1])
    first = outcomes.start[rules.index_of["fours"]]
    found = [dice.counts[holds[first + n]].tolist() for n in range(6)]
    assert found == [[], *([[0, 0, 0, n, 0, 0]] for n in range(1, 6))]
    pair = outcomes.start[rules.index_of["one-pair"]]
    assert [dice.counts[holds[pair + n]][0][n - 1] for n in range(1, 7)] == [2] * 6


ERROR, TOLERANCE = 2e-6, WinUtility.tolerance  # that are stated


@jit
def filled_and_misses(arguments, first, spacing):
    values = views(arguments)
    found = misses_of(values, first, spacing)
    fill_between(values, first, spacing)
    return found


@pytest.mark.parametrize("spacing", [1, 2, 4])
def test_polynomials_of_degree_five_are_interpolated_exactly(spacing: int) -> None:
    x = np.arange(80) / 40 - 1
    expected = 3 * x**5 - x**4 + 2 * x**3 - x + 0.25
    values, end = expected.astype(np.float32), 5 + 15 * spacing
    known = np.isin(np.arange(80), np.arange(5, end + 1, spacing))
    values[~known] = 9.0
    misses, changes = filled_and_misses(values, 5, spacing)
    np.testing.assert_allclose(values[5 : end + 1], expected[5 : end + 1], atol=1e-6)
    assert (values[:5] == 9).all()
    assert (values[end + 1 :] == 9).all()
    inner = 5 + spacing * np.arange(5, 11)
    assert misses < 6e-12
    assert changes == pytest.approx(
        np.square(expected[inner + spacing] - expected[inner - spacing]).sum(), rel=1e-3
    )
    values[5 + 7 * spacing] += (
        1.0  # seen by itself, by its two neighbours, and by one at the distance 3
    )
    expected_misses = 1 + 2 * (150 / 256) ** 2 + (25 / 256) ** 2
    assert filled_and_misses(values, 5, spacing)[0] == pytest.approx(expected_misses, rel=1e-5)


def smooth(made: Ints) -> Floats:
    return np.asarray(1 / (1 + np.exp((150 - made) / 25)))


def test_smooth_utilities_are_interpolated_and_others_are_not() -> None:
    rules = load_rules("crag")

    def solved(utility: object, tolerance: float, threads: int = 2) -> npt.NDArray[np.float32]:
        return solve_objective(
            ReachableUtility(rules, utility, tolerance=tolerance), threads=threads
        )  # type: ignore[arg-type]

    exact, found = solved(smooth, 0.0), solved(smooth, TOLERANCE)
    assert not np.array_equal(exact, found)
    assert found[-1 - 32] == pytest.approx(exact[-1 - 32], abs=ERROR)
    assert np.sqrt(np.mean(np.square(found - exact))) < ERROR
    assert np.array_equal(found, solved(smooth, TOLERANCE, threads=1))
    assert np.array_equal(found, solved(smooth, TOLERANCE, threads=3))
    for rough in (lambda made: (made >= 150) * 1.0, lambda made: made % 2 * 1.0):
        assert np.array_equal(solved(rough, 0.0), solved(rough, TOLERANCE))


@pytest.mark.slow
@pytest.mark.parametrize("others", [1, 3])
@pytest.mark.parametrize("game", ["yatzy", "yahtzee"])
def test_chances_to_win_a_whole_game(game: str, others: int) -> None:
    strategy = perfect_yatzy.open_strategy(game)
    rivals = perfect_yatzy.distribution(strategy)
    winning = WinUtility(
        [Opponent(np.array(rivals.scores), np.array(rivals.chances), True)] * others, "half"
    )
    turns = []
    for tolerance in (0.0, winning.tolerance):
        objective = ReachableUtility(strategy.rules, winning, tolerance=tolerance)
        evaluator = ScoreEvaluator(objective, solve_objective(objective), strategy.evaluator)
        options = [evaluator.hold_values(EMPTY_STATE, rerolls) for rerolls in (1, 2)]
        turns.append(
            [
                np.array([evaluator.value(EMPTY_STATE)]),
                evaluator.category_values(EMPTY_STATE),
                *options,
            ]
        )
    for exact, found in zip(*turns, strict=True):
        np.testing.assert_allclose(found, exact, rtol=0, atol=ERROR)
