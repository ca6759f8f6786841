"""Points of all rolls at once, and the highest score, against slow implementations."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from itertools import combinations_with_replacement, product
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from perfect_yatzy.game.dice import lattice, sub_multisets
from perfect_yatzy.game.maximum import maximum_score
from perfect_yatzy.game.notation import dice_of
from perfect_yatzy.game.patterns import Pattern, group_choices
from perfect_yatzy.game.rule_loader import builtin_ids, load_rules
from perfect_yatzy.game.rules import Category, Joker, RuleSet
from perfect_yatzy.game.scoring import full_points, points_table
from support import games, reference
from support.naive import Naive
from support.seeds import seeds


def assert_points_are_those_of_each_roll(rules: RuleSet) -> None:
    grid, oracle = lattice(rules.dice, rules.faces), Naive(rules.canonical())
    rolls = [dice_of(counts) for counts in grid.counts[grid.first_roll :].tolist()]
    expected = [[oracle.points(c, roll) for roll in rolls] for c in range(len(rules.categories))]
    assert points_table(rules).tolist() == expected


# A rule set for each list of boxes: variants differ in the order, in jokers or in rolls.
SHEETS = {
    (*(box.patterns for box in rules.categories), rules.dice): rules.key for rules in map(load_rules, builtin_ids())
}


@pytest.mark.parametrize("name", [key for key in SHEETS.values() if load_rules(key).dice < 7])
def test_points_of_all_rolls_are_those_of_the_oracle(name: str) -> None:
    assert_points_are_those_of_each_roll(load_rules(name))


@given(st.data())
def test_points_of_random_patterns_against_the_oracle(data: st.DataObject) -> None:
    """All rolls at once and the implementation in the tests agree; also in full, for jokers."""
    dice, faces = data.draw(st.integers(1, 4)), data.draw(st.integers(2, 6))
    pattern = data.draw(games.patterns(dice, faces))
    rules = games.small(Category("box", "Box", (pattern,)), dice=dice, faces=faces)
    oracle, grid = Naive(rules.canonical()), lattice(dice, faces)
    rolls = [dice_of(counts) for counts in grid.counts[grid.first_roll :].tolist()]
    paid = points_table(rules)[0].tolist()
    assert paid == [oracle.points(0, roll) for roll in rolls]
    joker = replace(rules, joker=Joker("box", 0, "free"))
    assert full_points(joker)[0].tolist() == [oracle.points(0, roll, True) for roll in rolls]
    assert max(paid) <= pattern.most(dice, faces)


def partitions(most: int, largest: int) -> list[tuple[int, ...]]:
    """All groups, sizes descending, that need at most `most` dice."""
    return [()] + [(s, *rest) for s in range(1, min(most, largest) + 1) for rest in partitions(most - s, s)]


@pytest.mark.parametrize("distinct", [True, False])
def test_groups_against_every_assignment_of_faces(distinct: bool) -> None:
    """Every choice of groups for up to five dice with four faces, six with three, and every roll."""
    for dice in range(1, 7):
        faces = range(4 if dice < 6 else 3)
        rolls = [tuple(map(roll.count, faces)) for roll in combinations_with_replacement(faces, dice)]
        for groups in partitions(dice, dice)[1:]:
            paid = Pattern("groups", groups=groups, distinct=distinct).paid(np.array(rolls)).tolist()
            assert paid == [reference.group_points(groups, distinct, roll) or 0 for roll in rolls], groups


@given(st.lists(st.integers(1, 5), min_size=1, max_size=5), st.lists(st.integers(0, 6), min_size=5, max_size=5))
def test_groups_of_many_dice_against_every_assignment(sizes: list[int], counts: list[int]) -> None:
    groups = tuple(sorted(sizes, reverse=True))
    for distinct in (True, False):
        (paid,) = Pattern("groups", groups=groups, distinct=distinct).paid(np.array([counts]))
        assert paid == (reference.group_points(groups, distinct, tuple(counts)) or 0)


def test_few_choices_of_groups_for_twelve_dice() -> None:
    """The number of steps for one face is bounded, whatever the groups."""
    assert max(len(group_choices(groups, 12)) for groups in partitions(12, 12)) == 36
    with pytest.raises(TypeError, match="unknown kind of pattern: 'run'"):
        Pattern("run")


@given(games.classic_rule_sets())
def test_the_highest_score_against_a_search_over_all_cards(rules: RuleSet) -> None:
    """With further mechanics it is an upper bound, which tests/tablebase/test_backward_induction.py compares."""
    assert maximum_score(rules) == reference.maximum_score(rules)


@pytest.mark.parametrize("seed", seeds(5, 12))
def test_the_highest_score_of_jokers_with_many_kinds_of_boxes(seed: int) -> None:
    """Five boxes of every kind, upper and lower, with a forced joker in free order: the search with three phases."""
    draw = random.Random(seed)
    kinds = [
        Pattern("face", face=1), Pattern("face", face=2), Pattern("face", face=3), Pattern("any"),
        Pattern("groups", groups=(2,), score="fixed", points=7), Pattern("groups", groups=(3,), plus=draw.randint(0, 9)),
        Pattern("contains", contains=(1, 2), score="fixed", points=draw.randint(1, 20)),
    ]  # fmt: skip
    chosen = draw.sample(kinds, 5)
    uppers = [pattern.kind == "face" or draw.random() < 0.3 for pattern in chosen]
    boxes = [Category(f"b{i}", f"B{i}", (chosen[i],), upper=upper) for i, upper in enumerate(uppers)]
    joker = Joker(draw.choice(boxes).id, draw.choice([0, 4, 30]), "forced")
    rules = games.small(*boxes, dice=3, faces=3, joker=joker)
    assert maximum_score(rules) == reference.maximum_score(rules)


@pytest.mark.parametrize("mode", ["none", "free", "forced"])
@pytest.mark.parametrize("rest", [{}, {"order": "forced"}, {"first_roll_bonus": (("run", 3),)}])
def test_the_highest_score_with_jokers_against_the_oracle(mode: str, rest: dict[str, object]) -> None:
    rules = games.joker_game(mode, **rest)
    turned = replace(rules, categories=(*rules.categories[::-1], games.face(2)))  # every upper box behind the joker's
    for each in (rules, turned):
        assert maximum_score(each) == Naive(each.canonical()).max_score()


@pytest.mark.parametrize(("dice", "faces"), [(1, 2), (2, 6), (3, 4), (5, 6), (6, 6), (4, 3)])
def test_lattice_against_brute_force(dice: int, faces: int) -> None:
    grid = lattice(dice, faces)
    assert grid.n_holds == comb(dice + faces, faces)
    assert grid.n_rolls == comb(dice + faces - 1, dice)
    assert np.array_equal(grid.rank(grid.counts), np.arange(grid.n_holds))
    for hold in range(grid.first_roll):
        for face in range(faces):
            more = grid.counts[hold].copy()
            more[face] += 1
            assert np.array_equal(grid.counts[grid.successors[hold, face]], more)
    for hold in range(grid.n_holds):
        below = grid.predecessors[grid.predecessor_start[hold] : grid.predecessor_start[hold + 1]]
        assert len(below) == np.count_nonzero(grid.counts[hold])
        assert (grid.counts[below].sum(axis=1) == grid.counts[hold].sum() - 1).all()
        assert (grid.counts[below] <= grid.counts[hold]).all()
    rolled = Counter(tuple(sorted(roll)) for roll in product(range(1, faces + 1), repeat=dice))
    for counts, weight in zip(grid.counts[grid.first_roll :], grid.weights, strict=True):
        roll = tuple(np.repeat(np.arange(1, faces + 1), counts).tolist())
        assert weight == pytest.approx(rolled[roll] / faces**dice, rel=1e-15)


def test_sub_multisets_are_complete_and_distinct() -> None:
    counts = np.array([0, 2, 0, 1, 2, 0])
    found = sub_multisets(counts)
    assert len(found) == len({tuple(row) for row in found.tolist()}) == 3 * 2 * 3
    assert (found <= counts).all()
    assert np.array_equal(found[-1], counts)
