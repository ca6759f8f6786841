"""The solver against the oracle in fractions, for every state of a small game."""

from __future__ import annotations

import numpy as np
from perfect_yatzy import RuleSet, State
from perfect_yatzy.model.state_space import StateSpace, state_space
from perfect_yatzy.strategy.turn_evaluator import TurnEvaluator
from perfect_yatzy.tablebase.backward_induction import solve_values

from support.naive import Naive


def check_against_oracle(rules: RuleSet) -> None:
    """Every reachable state of a small game to 1e-9, and the NumPy turn on the way."""
    oracle, space, values = Naive(rules.canonical()), state_space(rules), solve_values(rules)
    evaluator = TurnEvaluator(rules, values)
    seen = 0
    for filled, upper, saved, flag in oracle.states():
        state = State(filled, upper, saved, flag)
        found = values[space.index(state)]
        expected = oracle.value(filled, upper, saved, flag)
        tolerance = 1e-9 * max(1, expected / 100)
        assert abs(found - expected) < tolerance
        if filled != rules.full_mask:
            assert abs(evaluator.turn_value(state) - found) < tolerance
        seen += 1
    assert seen >= len(rules.categories) + 1


def reachable(space: StateSpace) -> int:
    """Number of states a game can reach, before upper sums are merged into lanes."""
    sums = np.array([len(sums) for sums in space.sums])
    saved = zip(space.layers, space.most_saved.tolist(), strict=True)
    return sum(int(sums[space.layout.lane_sets[rows]].sum()) * (most + 1) for rows, most in saved)
