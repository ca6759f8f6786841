"""The smallest holds that are sure of an outcome stand for all rolls that earn it."""

from __future__ import annotations

import numpy as np
import perfect_yatzy
import pytest
from perfect_yatzy.game.dice import lattice, sub_multisets
from perfect_yatzy.game.scoring import points_table
from perfect_yatzy.model.turn_model import earning_holds, turn_model


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


def test_where_every_roll_differs_the_rolls_are_listed() -> None:
    rules = perfect_yatzy.load_rules("yatzy")
    dice, outcomes = lattice(rules.dice, rules.faces), turn_model(rules).outcomes
    found = earning_holds(dice, outcomes.start, outcomes.roll_start, outcomes.rolls)
    assert np.array_equal(found[0], outcomes.hold_start)
    chance = rules.index_of["chance"]
    first, end = outcomes.start[chance], outcomes.start[chance + 1]
    holds = outcomes.holds[outcomes.hold_start[first] : outcomes.hold_start[end]]
    assert np.array_equal(np.sort(holds), np.arange(dice.first_roll, dice.n_holds))
