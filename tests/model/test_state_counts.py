"""Sizes of state spaces without enumerating the cards, against the enumeration."""

from __future__ import annotations

import pytest
from hypothesis import given
from perfect_yatzy import RulesError, RuleSet
from perfect_yatzy.game.rule_loader import builtin_ids, load_rules
from perfect_yatzy.model.estimates import count_states
from perfect_yatzy.model.state_space import LANES, StateSpace
from support import games
from support.refusals import refused

TOO_LARGE = {"giant", "triple-yahtzee", "yamb"}


def assert_counts_are_those_of_the_enumeration(rules: RuleSet) -> None:
    space, counts = StateSpace(rules), count_states(rules)
    slices = map(space.layer_slice, range(space.categories + 1))
    assert counts.values == tuple(part.stop - part.start for part in slices)
    assert counts.states == space.reachable()
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
        assert refused(f"^{name} has .* can be solved$", make, load_rules(name), error=RulesError).code == "too-large"


@given(games.rule_sets())
def test_counts_of_random_rules(rules: RuleSet) -> None:
    assert_counts_are_those_of_the_enumeration(rules)
