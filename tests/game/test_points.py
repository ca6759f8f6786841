"""The lattice, points of all rolls and the highest score against slow implementations; rolls as the sources have them."""

import random
from collections import Counter
from dataclasses import replace
from itertools import product
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from perfect_yatzy.game.dice import lattice, sub_multisets
from perfect_yatzy.game.notation import dice_of
from perfect_yatzy.game.patterns import Pattern, group_choices
from perfect_yatzy.game.rule_loader import builtin_ids, load_rules
from perfect_yatzy.game.rules import Category, Joker, RuleSet
from perfect_yatzy.game.scoring import full_points, maximum_score, points_table, roll_points
from support import games, reference
from support.naive import Naive
from support.seeds import seeds

# A rule set for each list of boxes: variants differ in the order, in jokers or in rolls.
BUILT_IN = [load_rules(key) for key in builtin_ids()]
SHEETS = {(*(box.patterns for box in rules.categories), rules.dice): rules.key for rules in BUILT_IN}


@pytest.mark.parametrize("name", [key for key in SHEETS.values() if load_rules(key).dice < 7])
def test_points_of_all_rolls_are_those_of_the_oracle(name: str) -> None:
    rules = load_rules(name)
    grid, oracle = lattice(rules.dice, rules.faces), Naive(rules.canonical())
    rolls = [dice_of(counts) for counts in grid.counts[grid.first_roll :].tolist()]
    expected = [[oracle.points(c, roll) for roll in rolls] for c in range(len(rules.categories))]
    assert points_table(rules).tolist() == expected


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
@pytest.mark.parametrize("dice", range(1, 7))
def test_groups_against_every_assignment_of_faces(dice: int, distinct: bool) -> None:
    """Every choice of groups for up to five dice with four faces, six with three, and every roll."""
    faces = 4 if dice < 6 else 3
    oracle = Naive(games.small(games.CHANCE, dice=dice, faces=faces).canonical())
    rolls = [roll for roll, _ in oracle.rolls()]
    counts = np.array([[roll.count(face) for face in range(1, faces + 1)] for roll in rolls])
    for groups in partitions(dice, dice)[1:]:
        paid = Pattern("groups", groups=groups, distinct=distinct).paid(counts).tolist()
        pattern = {"pattern": "groups", "groups": groups, "distinct": distinct}
        assert paid == [oracle.matched(pattern, roll) or 0 for roll in rolls], groups


@given(st.lists(st.integers(1, 5), min_size=1, max_size=4), st.lists(st.integers(1, 5), min_size=12, max_size=12))
def test_groups_of_many_dice_against_every_assignment(sizes: list[int], dice: list[int]) -> None:
    oracle, groups = Naive(games.small(games.CHANCE, faces=5).canonical()), tuple(sorted(sizes, reverse=True))
    counts = np.array([[dice.count(face) for face in range(1, 6)]])
    for distinct in (True, False):
        pattern = {"pattern": "groups", "groups": groups, "distinct": distinct}
        expected = oracle.matched(pattern, tuple(dice)) or 0
        assert Pattern("groups", groups=groups, distinct=distinct).paid(counts).tolist() == [expected]


def test_few_choices_of_groups_and_all_sub_multisets() -> None:
    """The number of steps for one face is bounded, whatever the groups."""
    assert max(len(group_choices(groups, 12)) for groups in partitions(12, 12)) == 36
    with pytest.raises(TypeError, match="unknown kind of pattern: 'run'"):
        Pattern("run")
    counts = np.array([0, 2, 0, 1, 2, 0])
    found = sub_multisets(counts)
    assert len(found) == len({tuple(row) for row in found.tolist()}) == 3 * 2 * 3
    assert (found <= counts).all()
    assert np.array_equal(found[-1], counts)


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


# rules -> dice -> what each category pays; the values of other games are those of other programs, to ten digits
EXAMPLES = {
    "maxi": {
        "642651": "ones=1 twos=2 fours=4 fives=5 sixes=12 one-pair=12 chance=24",
        "213355": "ones=1 twos=2 threes=6 fives=10 one-pair=10 two-pairs=16 chance=19",
        "225566": "twos=4 fives=10 sixes=12 one-pair=12 two-pairs=22 three-pairs=26 chance=26",
        "453554": "threes=3 fours=8 fives=15 one-pair=10 two-pairs=18 three-of-a-kind=15 full-house=23 chance=26",
        "242252": "twos=8 fours=4 fives=5 one-pair=4 three-of-a-kind=6 four-of-a-kind=8 chance=17",
        "332333": "twos=2 threes=15 one-pair=6 three-of-a-kind=9 four-of-a-kind=12 five-of-a-kind=15 chance=17",
        "344666": "threes=3 fours=8 sixes=18 one-pair=12 two-pairs=20 three-of-a-kind=18 full-house=26 chance=29",
        "222555": "twos=6 fives=15 one-pair=10 two-pairs=14 three-of-a-kind=15 full-house=19 castle=21 chance=21",
        "336666": "threes=6 sixes=24 one-pair=12 two-pairs=18 three-of-a-kind=18 four-of-a-kind=24 full-house=24 tower=30"
        " chance=30",
        "666666": "sixes=36 one-pair=12 three-of-a-kind=18 four-of-a-kind=24 five-of-a-kind=30 chance=36 yatzy=100",
    },
    "kismet": {
        "11664": "aces=2 fours=4 sixes=12 two-pair-same-color=18 yarborough=18",
        "11566": "aces=2 fives=5 sixes=12 two-pair-same-color=19 yarborough=19",
        "22233": "deuces=6 treys=6 three-of-a-kind=12 full-house=27 yarborough=12",
        "22255": "deuces=6 fives=10 two-pair-same-color=16 three-of-a-kind=16 flush=35 full-house=31"
        " full-house-same-color=36 yarborough=16",
        "25555": "deuces=2 fives=20 two-pair-same-color=22 three-of-a-kind=22 flush=35 four-of-a-kind=47 yarborough=22",
        "33331": "aces=1 treys=12 two-pair-same-color=13 three-of-a-kind=13 four-of-a-kind=38 yarborough=13",
        "23456": "deuces=2 treys=3 fours=4 fives=5 sixes=6 straight=30 yarborough=20",
        "44444": "fours=20 two-pair-same-color=20 three-of-a-kind=20 flush=35 full-house=35 full-house-same-color=40"
        " four-of-a-kind=45 yarborough=20 kismet=70",
    },
    "yamb": {  # the column "free"
        "11123": "ones=3 twos=2 threes=3 max=8 min=22",
        "66666": "sixes=30 max=30 poker=64 yamb=80",
        "66665": "fives=5 sixes=24 max=29 min=1 poker=64",
        "44455": "fours=12 fives=10 max=22 min=8 full-house=52",
        "12345": "ones=1 twos=2 threes=3 fours=4 fives=5 max=15 min=15 straight=46",
    },
    "triple-yahtzee": {  # the column "triple"
        "55522": "twos=12 fives=45 three-of-a-kind=57 full-house=75 chance=57",
        "66666": "sixes=90 three-of-a-kind=90 four-of-a-kind=90 yahtzee=150 chance=90",
    },
    "generala": {"13456": "ones=1 threes=3 fours=4 fives=5 sixes=6"},
    "generala+straight-with-ace": {"13456": "ones=1 threes=3 fours=4 fives=5 sixes=6 straight=20"},
    "generala+generala-60": {"22222": "twos=10 poker=40 generala=60"},
}


@pytest.mark.parametrize(
    ("key", "dice", "paid"), [(key, *example) for key, examples in EXAMPLES.items() for example in examples.items()]
)
def test_rolls_pay_what_the_sources_say(key: str, dice: str, paid: str) -> None:
    """All categories that pay, and no other; of several boxes of a row one."""
    rules = load_rules(key)
    counts = [dice.count(str(face)) for face in range(1, rules.faces + 1)]
    column = {"yamb": 1, "triple-yahtzee": 2}.get(key, 0)
    paid_by = zip(rules.categories, roll_points(rules, counts), strict=True)
    found = {c.row or c.id: points for c, points in paid_by if c.column == column and not c.copy}
    assert " ".join(f"{name}={points}" for name, points in found.items() if points) == paid


def test_highest_scores() -> None:
    known = {
        "yatzy": 374, "yatzy+bonus-35": 374 - 15, "yatzy-online-5": 404, "yatzy-online-6": 685,
        "yatzy-online-6+full-house-all-dice": 691, "maxi-unsaved": 649, "maxi-unsaved+full-straight-30": 658,
        "yahtzee-plain": 375, "yahtzee-plain+no-upper-bonus": 375 - 35, "family-yatzy": 530, "yahtzee": 1575,
        "yahtzee-free-joker": 1575, "yacht": 297, "cheerio": 258, "balut": 812, "giant": 2799, "giant+six-rolls": 2799,
        "giant-forced": 2799,
        "yahtzee-no-joker": 1480,  # another Yahtzee pays its 100 also in a box it fills with 0
        "crag": 244,  # https://en.wikipedia.org/wiki/Crag_(dice_game)
        "triple-yahtzee": 2250,  # http://www.primidi.com/games_related_to_yahtzee/triple_yahtzee
    }  # fmt: skip
    assert {key: maximum_score(load_rules(key)) for key in known} == known


def test_switches_orders_columns_and_rows_of_built_in_sheets() -> None:
    for key, points in (("generala", 5), ("generala+first-roll-10", 10)):
        assert dict(load_rules(key).first_roll_bonus) == dict.fromkeys(("straight", "full-house", "poker"), points)
    assert load_rules("giant-forced").categories == load_rules("giant").categories
    double = load_rules("generala+double")
    assert [c.id for c in double.categories][-2:] == ["generala", "double-generala"]
    assert double.categories[-1].requires == "generala"
    yamb, triple, balut = map(load_rules, ("yamb", "triple-yahtzee", "balut"))
    assert [(column.id, column.order) for column in yamb.columns] == [
        ("down", "forced"), ("free", "free"), ("up", "reversed"), ("announced", "free"),
    ]  # fmt: skip
    assert len(yamb.categories) == 48
    assert [bonus.steps for bonus in triple.bonuses] == [((63, 35),), ((126, 70),), ((189, 105),)]
    assert len(triple.categories) == 39
    assert [c.row for c in balut.categories].count("straight") == 4
    assert len(balut.categories) == 28
    assert [yamb.bonuses[0].paid(total) for total in (59, 60, 69, 70, 79, 80, 105)] == [0, 30, 30, 40, 40, 50, 50]
    assert dict(yamb.first_roll_bonus) == {f"straight.{column.id}": 20 for column in yamb.columns}
    kismet = load_rules("kismet")
    assert [kismet.bonus.paid(total) for total in (62, 63, 70, 71, 77, 78, 105)] == [0, 35, 35, 55, 55, 75, 75]
