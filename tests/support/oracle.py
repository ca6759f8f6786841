"""The solver against the oracle in fractions, for every state of a small game."""

from perfect_yatzy import RuleSet, State
from perfect_yatzy.model.state_space import state_space
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
