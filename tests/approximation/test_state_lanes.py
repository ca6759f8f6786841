"""Turns of single states: the kernel against one exact turn in fractions, for arbitrary values of the children."""

from __future__ import annotations

import hashlib
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from perfect_yatzy.approximation.lane_turns import LaneTurns, States, empty_cards
from perfect_yatzy.game.rule_loader import load_rules
from perfect_yatzy.game.rules import RuleSet
from perfect_yatzy.game.scorecard import State
from perfect_yatzy.game.upper_sums import upper_sums
from perfect_yatzy.model.state_space import state_space
from perfect_yatzy.model.turn_slots import allowed_boxes, turn_slots
from perfect_yatzy.strategy.fitted_values import NOT_ALLOWED, FittedValues, first_guess
from perfect_yatzy.tablebase.backward_induction import solve_values
from support.games import joker_game, rule_sets, saved_rolls_game
from support.mechanics import random_rules
from support.naive import Naive
from support.seeds import examples, seeds


class OneTurn(Naive):
    """One turn in fractions; what follows is worth a number drawn for the card."""

    def __init__(self, rules: RuleSet) -> None:
        self.tracked = rules.tracked_index >= 0
        super().__init__(rules.canonical())

    def value(self, filled: int, upper: int, saved: int = 0, flag: bool = False) -> Fraction:
        return drawn(filled, upper, saved, flag and self.tracked)

    def turn(self, filled: int, upper: int, saved: int, flag: bool) -> Fraction:
        return Naive.value(self, filled, upper, saved, flag)


def drawn(filled: int, upper: int, saved: int, flag: bool) -> Fraction:
    """A number for each card, and one that each saved roll adds: more of them are never worse."""
    digest = hashlib.sha256(f"{filled} {upper} {flag}".encode()).digest()
    return Fraction(int.from_bytes(digest[:2], "big"), 3277) + Fraction(saved * digest[2], 100)


class DrawnValues:
    """The same numbers for the kernel."""

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules

    def child_values(
        self, filled: np.ndarray, upper: np.ndarray, tracked: np.ndarray, saved: tuple[int, ...] = (0,)
    ) -> np.ndarray:
        slots, found = turn_slots(self.rules), []
        allowed = allowed_boxes(self.rules, filled)
        unmet = np.array([bool(box.requires) for box in self.rules.categories])
        for rolls in saved:
            values = np.full((len(filled), slots.slot_count), NOT_ALLOWED)
            for i, (card, total, flag) in enumerate(
                zip(filled.tolist(), upper.tolist(), tracked.tolist(), strict=True)
            ):
                for slot in range(slots.slot_count):
                    box, pays = int(slots.slot_category[slot]), bool(slots.slot_pays[slot])
                    if allowed[i, box] and not (unmet[box] and pays and not flag):
                        after = upper_sums(self.rules).cap(np.array([total]) + slots.slot_shift[slot])[0]
                        paid = bool(flag) or (pays and box == self.rules.tracked_index)
                        values[i, slot] = float(drawn(card | 1 << box, int(after), rolls, paid))
            found.append(values)
        return np.array(found)


def check_turns(rules: RuleSet) -> None:
    """The kernel's value of a turn from up to 20 states with each number of filled boxes, to 1e-9."""
    oracle, found = OneTurn(rules), dict[int, list[tuple[int, int, int, bool]]]()
    turns = LaneTurns(DrawnValues(rules), threads=1)  # type: ignore[arg-type]
    for filled, upper, saved, flag in sorted(Naive(rules.canonical()).states()):
        if filled != rules.full_mask:
            found.setdefault(filled.bit_count(), []).append((filled, upper, saved, flag and oracle.tracked))
    for states in found.values():
        part = states[:: -(-len(states) // 20)]
        values = turns.backups(States(*np.array(part, dtype=np.int64).T.copy()))
        assert values == pytest.approx([float(oracle.turn(*state)) for state in part], abs=1e-9)


@examples(4, 15)
@given(rule_sets())
def test_a_turn_of_a_random_game_equals_the_turn_in_fractions(rules: RuleSet) -> None:
    check_turns(rules)


@pytest.mark.parametrize("seed", seeds(4, 26))
def test_a_turn_with_every_mechanic_combined_at_random(seed: int) -> None:
    check_turns(random_rules(seed))


@pytest.mark.parametrize("mode", ["none", "free", "forced"])
def test_a_turn_with_jokers_and_first_roll_bonus(mode: str) -> None:
    check_turns(joker_game(mode, first_roll_bonus=(("run", 3),), saved_rolls=mode == "free"))


@pytest.mark.parametrize("order", ["free", "forced"])
def test_a_turn_with_saved_rolls(order: str) -> None:
    check_turns(saved_rolls_game(order, saved_rolls=True))


def games(turns: LaneTurns, number: int, exploration: float = 0.0) -> list[np.ndarray]:
    """Everything that happens in some games, a turn after the other."""
    states, found = empty_cards(number), []
    for turn in range(len(turns.rules.categories)):
        played = turns.play(states, np.arange(number), 7, turn, exploration)
        states = played.states
        found += [played.category, played.points, played.bonus_points, played.expected, played.reached]
        found += [states.filled, states.upper, states.saved, states.tracked]
    return found


@pytest.mark.parametrize("key", ["yahtzee", "yatzy-saved"])
def test_games_are_the_same_for_any_number_of_threads_and_of_games(key: str) -> None:
    values = first_guess(load_rules(key), np.arange(20.0)[: len(load_rules(key).categories)])
    one, two = games(LaneTurns(values, 1), 1200, 0.2), games(LaneTurns(values, 2), 1200, 0.2)
    for a, b in zip(one, two, strict=True):
        assert np.array_equal(a, b)
    for a, b in zip(one, games(LaneTurns(values, 2), 1030, 0.2), strict=True):
        assert np.allclose(a[:1030], b)


def test_what_a_turn_reaches_is_what_it_was_worth_on_average() -> None:
    """With jokers, saved rolls and a first-roll bonus: the mean of reached - expected is zero."""
    rules = joker_game("forced", first_roll_bonus=(("run", 3),), saved_rolls=True)
    turns = LaneTurns(first_guess(rules, np.array([2.0, 5.0, 1.0, 4.0])), 2)
    number, states = 40_000, empty_cards(40_000)
    for turn in range(len(rules.categories)):
        played = turns.play(states, np.arange(number), 3, turn)
        luck = played.reached - played.expected
        assert abs(luck.mean()) < 4.5 * luck.std() / np.sqrt(number)
        states = played.states


@pytest.mark.parametrize("mode", ["none", "free", "forced"])
def test_scores_of_games_played_on_the_exact_values_have_the_exact_mean(mode: str) -> None:
    """Luck removed, every game has the exact value: the values of the function are its own backups."""
    from perfect_yatzy.approximation.rollout import simulate_values

    rules = joker_game(mode, saved_rolls=mode == "free")
    values = solve_values(rules)
    found = simulate_values(exact_function(rules), games=600, seed=5)
    assert found.final_scores - found.luck == pytest.approx(np.full(600, values[-1]), abs=1e-8)
    assert found.category_points.sum(axis=1) + found.bonus_points + found.upper_bonus == pytest.approx(
        found.final_scores
    )


def exact_function(rules: RuleSet) -> FittedValues:
    """The exact table in place of a fitted function."""
    space, table = state_space(rules), solve_values(rules)

    class Exact(FittedValues):
        def child_values(self, filled, upper, tracked, saved=(0,)):  # type: ignore[no-untyped-def]
            slots = turn_slots(rules)
            found = np.full((len(saved), len(filled), slots.slot_count), NOT_ALLOWED)
            allowed = allowed_boxes(rules, filled)
            known: dict[State, float] = {}
            for stage, rolls in enumerate(saved):
                for i, slot in zip(*np.nonzero(allowed[:, slots.slot_category]), strict=True):
                    box, total = int(slots.slot_category[slot]), upper[i : i + 1] + slots.slot_shift[slot]
                    paid = bool(tracked[i] or (slots.slot_pays[slot] and box == rules.tracked_index))
                    card = State(int(filled[i]) | 1 << box, int(upper_sums(rules).cap(total)[0]), rolls, paid)
                    if card not in known:
                        try:
                            known[card] = float(table[space.index(card)])
                        except Exception:  # a stage that no game of this card reaches
                            known[card] = 0.0
                    found[stage, i, slot] = known[card]
            return found

    start = first_guess(rules, np.zeros(len(rules.categories)))
    return Exact(rules, start.prices, start.coefficients, None, start.relaxed_values)
