"""The lattice, points of all rolls, the highest score and legal actions against slow
implementations; nothing is solved.
"""

import doctest
import random
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from math import comb

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from perfect_yatzy import (
    Scorecard,
    State,
    TurnPosition,
    legal_actions,
    load_rules,
    parse_card,
    start_turn,
)
from perfect_yatzy.core.dice import lattice, sub_multisets
from perfect_yatzy.core.patterns import Pattern, group_choices
from perfect_yatzy.core.rules import Bonus, Category, Joker, RuleSet
from perfect_yatzy.core.scoring import full_points, points_table, roll_points
from perfect_yatzy.game import legal_actions as module
from perfect_yatzy.game.legal_actions import action_number, numbered_action
from perfect_yatzy.game.maximum_score import is_highest_score_exact, maximum_score
from perfect_yatzy.game.notation import dice_of
from perfect_yatzy.game.rule_loader import builtin_ids
from support import games, reference
from support.naive import Naive
from support.need import need
from support.refusals import refused
from support.seeds import ring_2, seeds

# A rule set for each list of boxes: variants differ in the order, in jokers or in rolls.
BUILT_IN = [load_rules(key) for key in builtin_ids()]
SHEETS = {
    (*(box.patterns for box in rules.categories), rules.dice): rules.key for rules in BUILT_IN
}


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
    return [()] + [
        (s, *rest) for s in range(1, min(most, largest) + 1) for rest in partitions(most - s, s)
    ]


@pytest.mark.parametrize("distinct", [True, False])
@pytest.mark.parametrize("dice", [*range(1, 6), ring_2(6)])
def test_groups_against_every_assignment_of_faces(dice: int, distinct: bool) -> None:
    """Every choice of groups for up to five dice with four faces, six with three, and every
    roll.
    """
    faces = 4 if dice < 6 else 3
    oracle = Naive(games.small(games.CHANCE, dice=dice, faces=faces).canonical())
    rolls = [roll for roll, _ in oracle.rolls()]
    counts = np.array([[roll.count(face) for face in range(1, faces + 1)] for roll in rolls])
    for groups in partitions(dice, dice)[1:]:
        paid = Pattern("groups", groups=groups, distinct=distinct).paid(counts).tolist()
        pattern = {"pattern": "groups", "groups": groups, "distinct": distinct}
        assert paid == [oracle.matched(pattern, roll) or 0 for roll in rolls], groups


@given(
    st.lists(st.integers(1, 5), min_size=1, max_size=4),
    st.lists(st.integers(1, 5), min_size=12, max_size=12),
)
def test_groups_of_many_dice_against_every_assignment(sizes: list[int], dice: list[int]) -> None:
    oracle, groups = (
        Naive(games.small(games.CHANCE, faces=5).canonical()),
        tuple(sorted(sizes, reverse=True)),
    )
    counts = np.array([[dice.count(face) for face in range(1, 6)]])
    for distinct in (True, False):
        pattern = {"pattern": "groups", "groups": groups, "distinct": distinct}
        expected = oracle.matched(pattern, tuple(dice)) or 0
        assert Pattern("groups", groups=groups, distinct=distinct).paid(counts).tolist() == [
            expected
        ]


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
    """With further mechanics it is an upper bound, which tests/core/test_backward_induction.py
    compares.
    """
    assert maximum_score(rules) == reference.maximum_score(rules)


@pytest.mark.parametrize("seed", seeds(5, 12))
def test_the_highest_score_of_jokers_with_many_kinds_of_boxes(seed: int) -> None:
    """Five boxes of every kind, upper and lower, with a forced joker in free order: the search
    with three phases.
    """
    draw = random.Random(seed)
    kinds = [
        Pattern("face", face=1),
        Pattern("face", face=2),
        Pattern("face", face=3),
        Pattern("any"),
        Pattern("groups", groups=(2,), score="fixed", points=7),
        Pattern("groups", groups=(3,), plus=draw.randint(0, 9)),
        Pattern("contains", contains=(1, 2), score="fixed", points=draw.randint(1, 20)),
    ]
    chosen = draw.sample(kinds, 5)
    uppers = [pattern.kind == "face" or draw.random() < 0.3 for pattern in chosen]
    boxes = [
        Category(f"b{i}", f"B{i}", (chosen[i],), upper=upper) for i, upper in enumerate(uppers)
    ]
    joker = Joker(draw.choice(boxes).id, draw.choice([0, 4, 30]), "forced")
    rules = games.small(*boxes, dice=3, faces=3, joker=joker)
    assert maximum_score(rules) == reference.maximum_score(rules)


@pytest.mark.parametrize("mode", ["none", "free", "forced"])
@pytest.mark.parametrize("rest", [{}, {"order": "forced"}, {"first_roll_bonus": (("run", 3),)}])
def test_the_highest_score_with_jokers_against_the_oracle(
    mode: str, rest: dict[str, object]
) -> None:
    rules = games.joker_game(mode, **rest)
    # every upper box behind the joker's
    turned = replace(rules, categories=(*rules.categories[::-1], games.face(2)))
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


# rules -> dice -> what each category pays; the values of other games are those of other programs,
# to ten digits
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
    ("key", "dice", "paid"),
    [(key, *example) for key, examples in EXAMPLES.items() for example in examples.items()],
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
        "yatzy": 374,
        "yatzy+bonus-35": 374 - 15,
        "yatzy-online-5": 404,
        "yatzy-online-6": 691,
        "yatzy-online-6+full-house-five-dice": 685,
        "yatzy-online-5+first-roll-points": 404 + 25 + 50 + 100,
        "yacht-51": 325,
        "maxi-unsaved": 649,
        "maxi-unsaved+full-straight-30": 658,
        "yahtzee-plain": 375,
        "yahtzee-plain+no-upper-bonus": 375 - 35,
        "family-yatzy": 530,
        "kniffel": 975,  # twelve further Kniffels
        "kniffel+free-striking": 975,
        "kniffel+no-upper-bonus": 975 - 35,
        "kniffel+no-extra": 375,
        "kniffel+bonus-100": 1575,
        "yahtzee": 1575,
        "yahtzee-free-joker": 1575,
        "yacht": 297,
        "cheerio": 258,
        "balut": 812,
        "giant": 2799,
        "giant+six-rolls": 2799,
        "giant-forced": 2799,
        "yahtzee-no-joker": 1480,  # another Yahtzee pays its 100 also in a box it fills with 0
        "crag": 244,  # https://en.wikipedia.org/wiki/Crag_(dice_game)
        "triple-yahtzee": 2250,  # http://www.primidi.com/games_related_to_yahtzee/triple_yahtzee
    }
    assert {key: maximum_score(load_rules(key)) for key in known} == known
    assert all(is_highest_score_exact(load_rules(key)) for key in known)


@pytest.mark.parametrize(
    "edition",
    [
        "",
        "championship",
        *(
            ring_2(switch.id)
            for switch in load_rules("kniffel").switches
            if switch.excludes and switch.id != "championship"
        ),
    ],
)
def test_the_highest_score_of_kniffel_against_a_search_over_all_cards(edition: str) -> None:
    rules = load_rules(f"kniffel+{edition}".rstrip("+"))
    assert is_highest_score_exact(rules)
    assert maximum_score(rules) == reference.maximum_score(rules)


@pytest.mark.full
@pytest.mark.parametrize("requires", ["filled", "points"])
@pytest.mark.parametrize("bonus_requires", ["filled", "points"])
@pytest.mark.parametrize("bonus_while", ["always", "matching-box-open"])
@pytest.mark.parametrize("mode", ["none", "free", "forced", "maximum"])
@pytest.mark.parametrize("crossing_out", ["free", "only-if-nothing-scores"])
def test_the_highest_score_with_conditions_of_jokers_against_the_oracle(
    mode: str, requires: str, bonus_requires: str, bonus_while: str, crossing_out: str
) -> None:
    """Exact where it says so, else an upper bound."""
    rules = games.joker_game(mode, crossing_out=crossing_out)
    conditions = {
        "requires": requires,
        "bonus_requires": bonus_requires,
        "bonus_while": bonus_while,
    }
    first_box = replace(rules, categories=(*rules.categories[::-1], games.face(2)))
    for each in (
        rules,
        first_box,
        replace(rules, order="forced"),
        replace(first_box, order="forced"),
    ):
        conditional = replace(each, joker=replace(each.joker, **conditions))
        most, found = Naive(conditional.canonical()).max_score(), maximum_score(conditional)
        assert found == most if is_highest_score_exact(conditional) else found >= most


def test_switches_orders_columns_and_rows_of_built_in_sheets() -> None:
    for key, points in (("generala", 5), ("generala+first-roll-10", 10)):
        assert dict(load_rules(key).first_roll_bonus) == dict.fromkeys(
            ("straight", "full-house", "poker"), points
        )
    assert load_rules("giant-forced").categories == load_rules("giant").categories
    double = load_rules("generala+double")
    assert [c.id for c in double.categories][-2:] == ["generala", "double-generala"]
    assert double.categories[-1].requires == "generala"
    yamb, triple, balut = map(load_rules, ("yamb", "triple-yahtzee", "balut"))
    assert [(column.id, column.order) for column in yamb.columns] == [
        ("down", "forced"),
        ("free", "free"),
        ("up", "reversed"),
        ("announced", "free"),
    ]
    assert len(yamb.categories) == 48
    assert [bonus.steps for bonus in triple.bonuses] == [((63, 35),), ((126, 70),), ((189, 105),)]
    assert len(triple.categories) == 39
    assert [c.row for c in balut.categories].count("straight") == 4
    assert len(balut.categories) == 28
    assert [yamb.bonuses[0].paid(total) for total in (59, 60, 69, 70, 79, 80, 105)] == [
        0,
        30,
        30,
        40,
        40,
        50,
        50,
    ]
    assert dict(yamb.first_roll_bonus) == {f"straight.{column.id}": 20 for column in yamb.columns}
    kismet = load_rules("kismet")
    assert [kismet.bonus.paid(total) for total in (62, 63, 70, 71, 77, 78, 105)] == [
        0,
        35,
        35,
        55,
        55,
        75,
        75,
    ]


@settings(max_examples=25, suppress_health_check=list(HealthCheck))
@given(games.rule_sets(), st.integers(0, 2**32))
@example(games.JOKER, 1)
@example(games.joker_game("free", saved_rolls=True), 2)
@example(games.joker_game("none", order="forced"), 3)
@example(games.joker_game("forced", order="forced", saved_rolls=True), 4)
def test_random_games_follow_the_oracle(rules: RuleSet, seed: int) -> None:
    """A card with its points and its bare state, side by side."""
    oracle, generator = Naive(rules.canonical()), random.Random(seed)
    position, bare = start_turn(rules), start_turn(rules, State())
    card, saved = (0, 0, False), 0
    while not position.over:
        assert (position.to_roll, position.legal_actions()) == (rules.dice, [])
        assert position.turn == card[0].bit_count() + 1
        position = position.roll(generator)
        bare = bare.roll(position.dice)
        first = True
        while True:
            allowed = oracle.scores(card[0], card[2], position.dice)
            extra = rules.first_roll_bonus[0][1] if first and rules.first_roll_bonus else 0
            first_box = rules.index_of[rules.first_roll_bonus[0][0]] if extra else -1
            assert {rules.index_of[c]: paid for c, paid in position.categories().items()} == {
                box: (points, bonus_points + (extra if box == first_box and points else 0))
                for box, (points, bonus_points) in allowed.items()
            }
            holds = {held for held in oracle.holds_of(position.dice) if len(held) < rules.dice}
            assert set(position.holds()) == (holds if position.rolls_left else set())
            actions = position.legal_actions()
            assert actions == bare.legal_actions()
            numbers = [action_number(rules, action) for action in actions]
            assert numbers == sorted(set(numbers))
            assert [numbered_action(rules, number) for number in numbers] == actions
            action = generator.choice(actions)
            left, taken, position, bare = (
                position.rolls_left,
                action,
                position.apply(action),
                bare.apply(action),
            )
            if isinstance(taken, str):
                break
            assert (position.dice, position.rolls_left) == (taken, left - 1)
            position = position.roll(generator)
            bare, first = bare.roll(position.dice), False
        box = rules.index_of[taken]
        card = oracle.after(*card, box, allowed[box][0])
        saved = left if rules.saved_rolls else 0
        paying = rules.tracked_index >= 0
        expected = State(card[0], card[1], saved, card[2] and paying)
        assert position.state == bare.card == expected
        if not position.over:
            assert position.rolls_left == rules.rolls_per_turn - 1 + saved
            assert start_turn(rules, position.card) == position
    for end in (position, bare):
        assert (end.over, end.to_roll, end.rolls_left, end.dice, end.legal_actions()) == (
            True,
            0,
            0,
            (),
            [],
        )
        assert end.turn == len(rules.categories)


@pytest.mark.parametrize("key", ["yahtzee", "yatzy-saved", "generala"])
def test_the_environment_has_the_same_legal_actions(key: str) -> None:
    need("gymnasium")
    from perfect_yatzy.rl import YatzyEnv

    env, generator = YatzyEnv(key), np.random.default_rng(3)
    _, info = env.reset(seed=4)
    over = False
    while not over:
        position = start_turn(
            env.rules, env.card, np.repeat(np.arange(1, 7), env.counts), env.rolls_left
        )
        numbers = [action_number(env.rules, action) for action in position.legal_actions()]
        assert np.flatnonzero(info["action_mask"]).tolist() == numbers
        _, _, over, _, info = env.step(generator.choice(numbers))


def test_cards_states_texts_and_the_example_of_the_module() -> None:
    rules = load_rules("yahtzee")
    five = start_turn(rules, "yahtzee=50 aces=3", "66666", 0)
    assert five.categories() == {"sixes": (30, 100)}
    assert five.apply("sixes").card == Scorecard(rules, {0: 3, 11: 50, 5: 30}, 0, 100)
    assert start_turn(rules, State(1 | 1 << 11, 3, 0, True), "66666", 0).categories() == {
        "sixes": (30, 100)
    }
    assert legal_actions(rules, "", "12345", 0)[-1] == "chance"
    assert len(legal_actions(rules, {"aces": 3}, [1, 2, 3, 4, 5])) == 31 + 12
    assert (
        parse_card("yahtzee", "aces=3")
        == parse_card(rules, {"aces": 3})
        == Scorecard(rules, {0: 3})
    )
    assert (action_number("yahtzee", "none"), action_number("yahtzee", "chance")) == (0, 210 + 12)
    assert numbered_action("yahtzee", 210) == "aces"
    assert doctest.testmod(module).failed == 0


def test_games_too_large_to_solve_and_both_kinds_of_generators() -> None:
    """Thirty boxes: no state space is built."""
    faces = [games.face(f) for f in range(1, 7)]
    boxes = [games.Category(f"any-{i}", f"Any {i}", (games.Pattern("any"),)) for i in range(24)]
    position = start_turn(games.small(*faces, *boxes, dice=5, bonus=Bonus(63, 50)), dice="12345")
    assert len(position.legal_actions()) == 31 + 30
    assert position.apply("any-7").state.filled == 1 << 13
    rules = load_rules("maxi")
    for generator in (random.Random(2), np.random.default_rng(2)):
        found = np.array(
            [
                start_turn(rules, dice=generator).apply("none").roll(generator).dice
                for _ in range(500)
            ]
        )
        assert found.shape == (500, 6)
        assert np.abs(np.bincount(found.ravel())[1:] - 500).max() < 5 * np.sqrt(3000 * 5 / 36)


YATZY = load_rules("yatzy")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda start: start.apply((6, 6)), "6 6 is not within 3 3 4 5 6"),
        (lambda start: start.apply("34").apply("chance"), "there are no dice to score yet"),
        (lambda start: start.apply("34").apply("3"), "there are no dice to hold yet"),
        (
            lambda start: start.apply("34").roll("12356"),
            "you held 3 4, which is not within 1 2 3 5 6",
        ),
        (lambda start: start.apply("34").roll("12"), "'1 2' is 2 dice; yatzy has 5"),
        (
            lambda start: start.apply("34").roll(5),
            "rolled is 5; must be dice, or a random number generator",
        ),
        (lambda start: start.apply("34").roll("abc"), "rolled is 'abc'; must be dice"),
        (lambda start: start.roll("12345"), "no dice are to be rolled now"),
        (lambda start: start.apply("33456"), "an action holds fewer than 5 dice"),
        (lambda start: start.apply("royal"), "unknown category 'royal'"),
        (
            lambda start: start_turn(YATZY, "ones=3", "33456").apply("ones"),
            "ones is filled already",
        ),
        (
            lambda start: start_turn(YATZY, "", "33456", 0).apply("33"),
            "no reroll is left: take a category",
        ),
        (lambda start: start_turn(YATZY, "", "33456", 3), "3 rolls left; it must be 0 to 2"),
        (lambda start: start_turn(YATZY, State(1, 7)), "the filled upper boxes cannot sum to 7"),
        (
            lambda start: start_turn(YATZY, State(0, 0, 1)),
            "saved rolls: 1 is impossible under yatzy; none exist",
        ),
        (lambda start: start_turn(YATZY, State(YATZY.full_mask, 63)), "the game is over"),
        (lambda start: start_turn(YATZY, "ones=9"), "ones cannot hold 9"),
        (lambda start: legal_actions(YATZY, "", "3345"), "is 4 dice; yatzy has 5"),
    ],
)
def test_what_is_not_legal_is_refused_in_a_line(
    call: Callable[[TurnPosition], object], message: str
) -> None:
    refused(re.escape(message), call, start_turn(YATZY, "", "33456"))
