"""Every mechanic of the rule model, alone and combined, against the oracle in fractions: all states of small games."""

from __future__ import annotations

from dataclasses import replace

import pytest
from perfect_yatzy.game.maximum import maximum_score
from perfect_yatzy.game.rules import RuleSet
from perfect_yatzy.model.estimates import count_states
from perfect_yatzy.model.state_space import StateSpace
from support.games import CHANCE, joker_game
from support.mechanics import MECHANICS, random_rules
from support.naive import Naive
from support.oracle import check_against_oracle
from support.seeds import in_rings, seeds


def check(rules: RuleSet) -> None:
    check_against_oracle(rules)
    space, counts = StateSpace(rules), count_states(rules)
    slices = map(space.layer_slice, range(space.categories + 1))
    assert counts.values == tuple(part.stop - part.start for part in slices)
    assert counts.states == space.reachable()
    assert counts.rows == len(space.layout.masks)
    assert maximum_score(rules) >= Naive(rules.canonical()).max_score()


@pytest.mark.parametrize("mechanic", MECHANICS)
def test_each_mechanic_alone(mechanic: str) -> None:
    for seed in range(in_rings(3, 6)):
        check(random_rules(seed, (mechanic,)))


REST = joker_game("free").categories
JOKERS = {
    "forced": joker_game("forced"),
    "free": joker_game("free"),
    "none": joker_game("none"),
    "without a bonus": joker_game("forced", bonus=0),
    "saved rolls": joker_game("forced", saved_rolls=True, first_roll_bonus=(("run", 3),)),
    "order": joker_game("free", order="forced", saved_rolls=True, first_roll_bonus=(("face-3", 3),)),
    # A joker may cross out the box that another one requires.
    "required box": replace(joker_game("free", bonus=0), categories=(*REST, replace(CHANCE, requires="face-1"))),
}


@pytest.mark.parametrize("rules", JOKERS.values(), ids=JOKERS)
def test_jokers(rules: RuleSet) -> None:
    check(rules)


@pytest.mark.parametrize("seed", seeds(8, 52))
def test_mechanics_combined(seed: int) -> None:
    check(random_rules(seed))


@pytest.mark.slow
def test_a_thousand_combinations() -> None:
    for seed in range(60, 1_000):
        check(random_rules(seed))
