"""Where the ranges of scores are: as written down state by state."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from perfect_yatzy import RuleSet, load_rules
from perfect_yatzy.game.scorecard import EMPTY_STATE, State
from perfect_yatzy.model.objectives import Goals, ScoreObjective, Utility
from perfect_yatzy.model.score_places import ScoreOffsets
from support import games


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
