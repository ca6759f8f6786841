"""The range of scores of each state of a utility: narrow, and every score that a game can reach lies within."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from perfect_yatzy import RuleSet, load_rules
from perfect_yatzy.game.dice import Floats, Ints
from perfect_yatzy.game.scorecard import EMPTY_STATE, State
from perfect_yatzy.model.objectives import Goals, ReachableUtility, ScoreObjective, Utility
from perfect_yatzy.model.score_places import ScoreOffsets
from perfect_yatzy.model.turn_model import turn_outcomes
from perfect_yatzy.tablebase.backward_induction import solve_objective
from support import games
from support.mechanics import random_rules

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
    return State(int(space.layout.masks[row]), upper, 0, row >= space.cards and space.has_tracked_rows)


@pytest.mark.parametrize("rules", GAMES, ids=lambda rules: rules.key)
@pytest.mark.parametrize("utility", [rising, dented])
@pytest.mark.parametrize("late", [False, True])
def test_the_values_are_those_of_all_scores_to_the_bit(rules: RuleSet, utility: object, late: bool) -> None:
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


@pytest.mark.parametrize("rules", GAMES, ids=lambda rules: rules.key)
def test_every_outcome_of_a_turn_leads_into_the_range_of_its_child(rules: RuleSet) -> None:
    objective, outcomes = ReachableUtility(rules, rising), turn_outcomes(rules)
    space, (low, high) = objective.space, objective.score_offsets[1:]
    layout = space.layout
    for rows in space.layers[:-1]:
        for row in rows.tolist():
            for i in range(outcomes.size):
                category, child = int(outcomes.category[i]), row + int(outcomes.step[i])
                if layout.masks[row] >> category & 1 or not space._occurs[child]:
                    continue
                if layout.masks[child] != layout.masks[row] | 1 << category:
                    continue
                first, last = (int(layout.offsets[r]) for r in (row, child))
                for lane in range(int(layout.lane_count[layout.lane_sets[row]])):
                    upper = layout.lane_upper[layout.lane_sets[row], lane] + outcomes.shift[i]
                    after = last + int(layout.lane_of[layout.lane_sets[child], upper])
                    points = int(outcomes.total[i])
                    assert low[after] <= low[first + lane] + points
                    if points == int(outcomes.points[i]) or rules.joker is None:  # bonus points may be unpaid
                        assert high[first + lane] + points <= high[after]


@pytest.mark.parametrize("rules", [*GAMES, load_rules("yatzy")], ids=lambda rules: rules.key)
def test_the_sizes_of_the_layers_are_those_of_the_table(rules: RuleSet) -> None:
    objective = ReachableUtility(rules, rising)
    layers = range(objective.first_layer, objective.space.categories + 1)
    slices = [(objective.space.layer_slice(k), objective.layer_slice(k)) for k in layers]
    assert objective.layer_sizes() == [tuple(each.stop - each.start for each in pair) for pair in slices]


def test_known_upper_sums_save_a_third_of_yatzys_scores() -> None:
    rules = load_rules("yatzy")
    offsets = (kind(rules, rising).score_offsets for kind in (ReachableUtility, Utility))
    assert [int((each.high - each.low + 1).sum()) for each in offsets] == [106_637_056, 158_254_848]


def objectives(rules: RuleSet, start: State = EMPTY_STATE) -> list[ScoreObjective]:
    return [Goals(rules, start), Utility(rules, lambda total: total * 1.0, start)]


def check(objective: ScoreObjective) -> None:
    space, layout, offsets = objective.space, objective.space.layout, objective.score_offsets
    lengths, bonuses = objective.row_lengths(), objective.lane_bonuses()
    place = state = 0
    for filled in range(space.categories, objective.first_layer - 1, -1):
        layer_start, starts = place, objective.row_starts(filled)
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
            assert objective.rows_slice(filled, position, position + 1) == slice(row_start, place)
        assert objective.layer_slice(filled) == slice(layer_start, place)
        assert starts[-1] == place
    assert (len(offsets.low), objective.size) == (state, place)


@settings(max_examples=40)
@given(rules=games.rule_sets())
def test_ranges_lie_one_after_the_other(rules: RuleSet) -> None:
    for objective in objectives(rules):
        check(objective)


def test_the_rest_of_a_game() -> None:
    rules = load_rules("yahtzee")
    for objective in objectives(rules, State(filled=rules.full_mask & ~0b1000100101, upper=20)):
        check(objective)


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
