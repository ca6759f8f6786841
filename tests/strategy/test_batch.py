"""Batches: values of all options and regrets, against the oracle and single questions."""

from __future__ import annotations

from typing import Any

import numpy as np
import perfect_yatzy
import pytest
from hypothesis import example, given
from perfect_yatzy import BatchOptions, RuleSet, State, Strategy, maximise, open_strategy, reach
from perfect_yatzy.game.action_numbers import action_count, action_number, hold_count, numbered_action
from perfect_yatzy.strategy import batch
from perfect_yatzy.strategy.verify import random_states
from support import games
from support.naive import Naive
from support.players import in_memory
from support.refusals import refused
from support.seeds import FULL, examples

LATE = "ones=3 twos=6 threes=9 fours=12 fives=15 sixes=18 one-pair=10"


def columns(states: list[State]) -> dict[str, Any]:
    return {name: [getattr(s, name) for s in states] for name in ("filled", "upper", "saved", "joker_paid")}


def asked(strategy: Strategy, number: int, seed: int) -> dict[str, Any]:
    """Random positions as arguments of a batch."""
    random, rules = np.random.default_rng(seed), strategy.rules
    states = [*random_states(strategy.space, number, seed)]
    left = [random.integers(rules.rolls_per_turn + state.saved) for state in states]
    return columns(states) | {"dice": random.integers(1, rules.faces + 1, (number, rules.dice)), "rolls_left": left}


def ranked(strategy: Strategy, card: Any, dice: Any, left: int) -> np.ndarray:
    """The values of all actions by single questions; minus infinity for what is not legal."""
    found = np.full(action_count(strategy.rules), -np.inf)
    for choice in strategy.categories(card, dice, left):
        found[action_number(strategy.rules, choice.category)] = choice.value
    for hold in strategy.holds(card, dice, left) if left else ():
        if hold.category is None:
            found[action_number(strategy.rules, hold.dice)] = hold.value
    return found


@examples(6, 25)
@given(games.rule_sets())
@example(games.joker_game("forced", first_roll_bonus=(("run", 3),)))
@example(games.joker_game("free", saved_rolls=True))
@example(games.joker_game("none", order="forced"))
@example(games.saved_rolls_game("free", True))
def test_options_and_single_questions_have_the_values_of_the_oracle(rules: RuleSet) -> None:
    """Every hold, every category, and nothing that the rules forbid."""
    oracle, strategy = Naive(rules.canonical()), in_memory(rules)
    rolls = oracle.rolls()
    positions, expected = [], []
    states = sorted(state for state in oracle.states() if state[0] != oracle.full_mask)
    for i, (filled, upper, saved, flag) in enumerate(states[:: 1 + len(states) // 20]):
        most = rules.rolls_per_turn - 1 + saved
        for left in range(most + 1):
            dice = rolls[(7 * i + left) % len(rolls)][0]
            values = np.full(action_count(rules), -np.inf)
            for box, value in oracle.stops(filled, upper, flag, dice, left, left == most).items():
                values[hold_count(rules) + box] = float(value)
            for held in oracle.holds_of(dice) if left else ():
                if len(held) < rules.dice:
                    values[action_number(rules, held)] = float(oracle.hold_value(filled, upper, flag, held, left))
            positions.append((filled, upper, dice, left, saved, flag))
            expected.append(values)
            single = ranked(strategy, State(filled, upper, saved, flag and rules.tracked_index >= 0), dice, left)
            np.testing.assert_allclose(single, values, rtol=0, atol=1e-9)
    columns = [list(column) for column in zip(*positions, strict=True)]
    found = strategy.options(*columns)
    np.testing.assert_allclose(found.values, expected, rtol=0, atol=1e-9)
    np.testing.assert_allclose(found.value, found.values.max(axis=1), atol=1e-8)
    assert np.array_equal(found.action, strategy.best(*columns).action)
    assert (found.legal[:, hold_count(rules) :].sum(axis=1) > 0).all()


@pytest.mark.parametrize(
    "key",
    ["yatzy", "yahtzee", "yahtzee-free-joker", "generala", "maxi-forced", "goal", "utility",
     pytest.param("yatzy-saved", marks=FULL)],
)  # fmt: skip
def test_options_and_regrets_are_those_of_single_questions(key: str) -> None:
    if key in ("goal", "utility"):  # cards with points that play from LATE on can have made
        strategy = reach("yatzy", 240, LATE) if key == "goal" else maximise("yatzy", np.sqrt, LATE)
        cards = [LATE, LATE + " chance=20", LATE + " chance=0 yatzy=0 full-house=28"]
        dice, points = [[3, 3, 4, 5, 6], [1] * 5, [6, 6, 6, 5, 5]], {"points": [73, 93, 101]}
        given = columns([strategy.state(card) for card in cards]) | {"dice": dice, "rolls_left": [2, 1, 0]}
    else:
        strategy, points = open_strategy(key), {}
        cards, given = [*random_states(strategy.space, 40, 5)], asked(strategy, 40, seed=5)
    rules = strategy.rules
    found, best = strategy.options(**given, **points), strategy.best(**given, **points)
    for name in ("held", "category", "value", "action"):
        assert np.array_equal(getattr(found, name), getattr(best, name))
    assert not strategy.regrets(**given, actions=best, **points).any()
    for i, card in enumerate(cards):
        roll, left = sorted(np.asarray(given["dice"])[i].tolist()), int(given["rolls_left"][i])
        expected = ranked(strategy, card, roll, left)
        np.testing.assert_allclose(found.values[i], expected, rtol=2e-6 if points else 0, atol=1e-9)
        legal = np.flatnonzero(expected > -np.inf)
        one = {name: [np.asarray(column)[i]] * len(legal) for name, column in (given | points).items()}
        losses = strategy.regrets(**one, actions=legal)
        np.testing.assert_allclose(losses, expected.max() - expected[legal], atol=2e-5 if points else 1e-8)
        for action, loss in zip(legal.tolist()[::5], losses[::5].tolist(), strict=True):
            single = strategy.regret(card, roll, numbered_action(rules, action), left)
            assert single == pytest.approx(loss, abs=2e-6 if points else 1e-9)


def test_options_and_regrets_do_not_depend_on_threads_or_order(yatzy: Strategy) -> None:
    """To the bit; more positions than one slice."""
    given = {name: np.asarray(column) for name, column in asked(yatzy, 5_000, 4).items()}
    back = {name: column[::-1] for name, column in given.items()}
    one, other = yatzy.options(**given, threads=1), yatzy.options(**back, threads=3)
    assert np.array_equal(one.values, other.values[::-1])
    assert np.array_equal(one.action, other.action[::-1])
    random = np.random.default_rng(1)
    taken = np.array([random.choice(np.flatnonzero(row)) for row in one.legal])
    losses = yatzy.regrets(**given, actions=taken, threads=1)
    assert np.array_equal(losses, yatzy.regrets(**back, actions=taken[::-1], threads=2)[::-1])
    expected = one.values.max(axis=1) - one.values[np.arange(5_000), taken]
    assert np.array_equal(losses, np.where(expected <= 1e-9, 0.0, expected))


def test_actions_are_numbers_dice_or_names(yatzy: Strategy) -> None:
    given = [0, 1, 0], [0, 3, 0], [[3, 3, 4, 5, 6], [2, 2, 5, 5, 5], [1, 2, 3, 4, 6]], [2, 0, 1]
    named = yatzy.regrets(*given, actions=["33", "full-house", ()])
    numbers = [action_number(yatzy.rules, action) for action in ([3, 3], "full-house", "none")]
    assert yatzy.regrets(*given, actions=numbers).tolist() == named.tolist()
    assert named[:2].tolist() == [0.0, 0.0]
    assert named[2] == pytest.approx(yatzy.regret("", "12346", "none", 1), abs=1e-9)
    assert named[2] > 0.5
    assert yatzy.options(*given).hold_values.shape == (3, 210)
    assert yatzy.options(*given).category_values[1, 12] == yatzy.best(*given).value[1]


@pytest.mark.parametrize("key", ["yatzy", "maxi", "generala", "yatzy-forced"])
def test_numbers_of_actions_and_their_meanings(key: str) -> None:
    rules = perfect_yatzy.load_rules(key)
    actions = [numbered_action(rules, number) for number in range(action_count(rules))]
    assert [action_number(rules, action) for action in actions] == [*range(action_count(rules))]
    holds = actions[: hold_count(rules)]
    assert holds == sorted(holds, key=lambda hold: (len(hold), hold))
    assert actions[hold_count(rules) :] == [category.id for category in rules.categories]


def test_values_that_do_not_fit_are_refused(yatzy: Strategy, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is computed; regrets need no such memory."""
    monkeypatch.setattr(batch, "available_memory", lambda: 3_000)
    position = [0, 0], [0, 0], [[3, 3, 4, 5, 6]] * 2, [2, 0]
    assert refused("values of 225 options in 2 positions take", yatzy.options, *position).code == "too-large"
    assert yatzy.regrets(*position, actions=["33", "chance"]).shape == (2,)


def test_no_positions_give_no_answers(yatzy: Strategy) -> None:
    nothing = np.empty((0, 5), dtype=np.int64)
    found = yatzy.options(0, 0, nothing, 0)
    assert isinstance(found, BatchOptions)
    assert found.values.shape == (0, 225)
    assert len(yatzy.regrets(0, 0, nothing, 0, actions=np.empty(0, dtype=np.int64))) == 0
