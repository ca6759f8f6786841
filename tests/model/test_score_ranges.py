"""The range of scores of each state of a utility: narrow, and every score that a game can reach lies within."""

from __future__ import annotations

import numpy as np
import pytest
from perfect_yatzy import RuleSet, load_rules
from perfect_yatzy.game.dice import Floats, Ints
from perfect_yatzy.game.scorecard import EMPTY_STATE, State
from perfect_yatzy.model.objectives import ReachableUtility, Utility
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
