"""Legal actions and what follows from them, against the oracle; nothing is solved."""

import doctest
import random
import re
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from perfect_yatzy import Scorecard, State, TurnPosition, legal_actions, load_rules, parse_card, start_turn
from perfect_yatzy.game import legal_actions as module
from perfect_yatzy.game.legal_actions import action_number, numbered_action
from perfect_yatzy.game.rules import Bonus, RuleSet
from support import games
from support.naive import Naive
from support.need import need
from support.refusals import refused


@settings(max_examples=25, suppress_health_check=list(HealthCheck))
@given(games.rule_sets(), st.integers(0, 2**32))
@example(games.joker_game("forced", first_roll_bonus=(("run", 3),)), 1)
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
            left, taken, position, bare = position.rolls_left, action, position.apply(action), bare.apply(action)
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
        assert (end.over, end.to_roll, end.rolls_left, end.dice, end.legal_actions()) == (True, 0, 0, (), [])
        assert end.turn == len(rules.categories)


@pytest.mark.parametrize("key", ["yahtzee", "yatzy-saved", "generala"])
def test_the_environment_has_the_same_legal_actions(key: str) -> None:
    need("gymnasium")
    from perfect_yatzy.rl import YatzyEnv

    env, generator = YatzyEnv(key), np.random.default_rng(3)
    _, info = env.reset(seed=4)
    over = False
    while not over:
        position = start_turn(env.rules, env.card, np.repeat(np.arange(1, 7), env.counts), env.rolls_left)
        numbers = [action_number(env.rules, action) for action in position.legal_actions()]
        assert np.flatnonzero(info["action_mask"]).tolist() == numbers
        _, _, over, _, info = env.step(generator.choice(numbers))


def test_cards_states_texts_and_the_example_of_the_module() -> None:
    rules = load_rules("yahtzee")
    five = start_turn(rules, "yahtzee=50 aces=3", "66666", 0)
    assert five.categories() == {"sixes": (30, 100)}
    assert five.apply("sixes").card == Scorecard(rules, {0: 3, 11: 50, 5: 30}, 0, 100)
    assert start_turn(rules, State(1 | 1 << 11, 3, 0, True), "66666", 0).categories() == {"sixes": (30, 100)}
    assert legal_actions(rules, "", "12345", 0)[-1] == "chance"
    assert len(legal_actions(rules, {"aces": 3}, [1, 2, 3, 4, 5])) == 31 + 12
    assert parse_card("yahtzee", "aces=3") == parse_card(rules, {"aces": 3}) == Scorecard(rules, {0: 3})
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
        found = np.array([start_turn(rules, dice=generator).apply("none").roll(generator).dice for _ in range(500)])
        assert found.shape == (500, 6)
        assert np.abs(np.bincount(found.ravel())[1:] - 500).max() < 5 * np.sqrt(3000 * 5 / 36)


YATZY = load_rules("yatzy")


@pytest.mark.parametrize(("call", "message"), [
    (lambda start: start.apply((6, 6)), "6 6 is not within 3 3 4 5 6"),
    (lambda start: start.apply("34").apply("chance"), "there are no dice to score yet"),
    (lambda start: start.apply("34").apply("3"), "there are no dice to hold yet"),
    (lambda start: start.apply("34").roll("12356"), "you held 3 4, which is not within 1 2 3 5 6"),
    (lambda start: start.apply("34").roll("12"), "'1 2' is 2 dice; yatzy has 5"),
    (lambda start: start.apply("34").roll(5), "rolled is 5; must be dice, or a random number generator"),
    (lambda start: start.apply("34").roll("abc"), "rolled is 'abc'; must be dice"),
    (lambda start: start.roll("12345"), "no dice are to be rolled now"),
    (lambda start: start.apply("33456"), "an action holds fewer than 5 dice"),
    (lambda start: start.apply("royal"), "unknown category 'royal'"),
    (lambda start: start_turn(YATZY, "ones=3", "33456").apply("ones"), "ones is filled already"),
    (lambda start: start_turn(YATZY, "", "33456", 0).apply("33"), "no reroll is left: take a category"),
    (lambda start: start_turn(YATZY, "", "33456", 3), "3 rolls left; it must be 0 to 2"),
    (lambda start: start_turn(YATZY, State(1, 7)), "the filled upper boxes cannot sum to 7"),
    (lambda start: start_turn(YATZY, State(0, 0, 1)), "1 saved rolls are impossible under yatzy: none exist"),
    (lambda start: start_turn(YATZY, State(YATZY.full_mask, 63)), "the game is over"),
    (lambda start: start_turn(YATZY, "ones=9"), "ones cannot hold 9"),
    (lambda start: legal_actions(YATZY, "", "3345"), "is 4 dice; yatzy has 5"),
])  # fmt: skip
def test_what_is_not_legal_is_refused_in_a_line(call: Callable[[TurnPosition], object], message: str) -> None:
    refused(re.escape(message), call, start_turn(YATZY, "", "33456"))
