"""Turns of single states: the kernel against one exact turn in fractions, for arbitrary values of the children."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest
from perfect_yatzy import RuleSet, State, load_rules
from perfect_yatzy.approximation import multipliers
from perfect_yatzy.approximation.lane_turns import LaneTurns, States, same_cards
from perfect_yatzy.approximation.relaxation import Budget, relax
from perfect_yatzy.approximation.rollout import simulate_values
from perfect_yatzy.game.patterns import Pattern
from perfect_yatzy.game.rules import Category
from perfect_yatzy.game.scorecard import EMPTY_STATE
from perfect_yatzy.game.upper_sums import upper_sums
from perfect_yatzy.model import card_masks
from perfect_yatzy.model.state_space import state_space
from perfect_yatzy.model.turn_slots import allowed_boxes, turn_slots
from perfect_yatzy.strategy.fitted_values import NOT_ALLOWED, FittedValues, first_guess
from perfect_yatzy.tablebase.backward_induction import solve_values
from support.games import joker_game, saved_rolls_game
from support.mechanics import random_rules
from support.naive import Card, Naive
from support.seeds import FULL, seeds


class OneTurn(Naive):
    """One turn in fractions; what follows is worth a number drawn for the card."""

    def value(self, filled: int, upper: int, saved: int = 0, flag: bool = False) -> Fraction:
        return drawn(filled, upper, saved, flag)

    def turn(self, filled: int, upper: int, saved: int, flag: bool) -> Fraction:
        return Naive.value(self, filled, upper, saved, flag)


def drawn(filled: int, upper: int, saved: int, flag: bool) -> Fraction:
    """A number for each card, and one that each saved roll adds: more of them are never worse."""
    digest = hashlib.sha256(f"{filled} {upper} {flag}".encode()).digest()
    return Fraction(int.from_bytes(digest[:2], "big"), 3277) + Fraction(saved * digest[2], 100)


@dataclass
class CardValues:
    """Values for the kernel: those of a function of the card after the turn."""

    rules: RuleSet
    value: Callable[[int, int, int, bool], Fraction | float]

    def child_values(
        self, filled: np.ndarray, upper: np.ndarray, tracked: np.ndarray, saved: tuple[int, ...] = (0,)
    ) -> np.ndarray:
        slots, required = turn_slots(self.rules), np.array([bool(box.requires) for box in self.rules.categories])
        unmet = (required[slots.slot_category] & slots.slot_pays) & (tracked[:, None] == 0)
        allowed = allowed_boxes(self.rules, filled)[:, slots.slot_category] & ~unmet
        found = np.full((len(saved), *allowed.shape), NOT_ALLOWED)
        for i, slot in zip(*np.nonzero(allowed), strict=True):
            box, total = (
                int(slots.slot_category[slot]),
                upper_sums(self.rules).cap(upper[[i]] + slots.slot_shift[slot]),
            )
            paid = bool(tracked[i] or (slots.slot_pays[slot] and box == self.rules.tracked_index))
            for stage, rolls in enumerate(saved):
                found[stage, i, slot] = self.value(number(filled[i]) | 1 << box, int(total[0]), rolls, paid)
        return found


def number(mask: Any) -> int:
    """A bitmask of one word or two as an integer."""
    return sum(int(word) << 64 * i for i, word in enumerate(np.atleast_1d(mask)))


def check_turns(rules: RuleSet, cards: list[Card] | None = None) -> None:
    """The kernel's value of a turn from up to 20 states with each number of filled boxes, to 1e-9."""
    oracle, found = OneTurn(rules.canonical()), dict[int, list[Card]]()
    turns = LaneTurns(CardValues(rules, drawn), threads=1)  # type: ignore[arg-type]
    for card in cards or sorted(oracle.states()):
        if card[0] != rules.full_mask:
            found.setdefault(card[0].bit_count(), []).append(card)
    for states in found.values():
        part = states[:: -(-len(states) // 20)]
        filled, *others = zip(*part, strict=True)
        fields = (np.array(field, dtype=np.int64) for field in others)
        values = turns.backups(States(card_masks.card_masks(rules, filled), *fields))
        assert values == pytest.approx([float(oracle.turn(*state)) for state in part], abs=1e-9)


def check_wide_turns(rules: RuleSet) -> None:
    """The same with more boxes than a word has bits in front of those of a small game, all but two of them filled."""
    fillers = [Category(f"more-{i}", f"More {i}", (Pattern("any", low=i % 4, factor=1 + i),)) for i in range(66)]
    filled = (1 << 66) - 1 & ~(1 << 3 | 1 << 64)
    cards = [(filled | card[0] << 66, *card[1:]) for card in sorted(OneTurn(rules.canonical()).states())]
    check_turns(replace(rules, categories=(*fillers, *rules.categories)), cards)


TURNS = {f"joker {mode}": joker_game(mode, first_roll_bonus=(("run", 3),)) for mode in ("none", "forced")}
TURNS["joker free"] = joker_game("free", first_roll_bonus=(("run", 3),), saved_rolls=True)
TURNS |= {f"saved rolls {order}": saved_rolls_game(order, saved_rolls=True) for order in ("free", "forced")}


EITHER = pytest.mark.parametrize("check", [check_turns, check_wide_turns], ids=["one word", "more boxes than bits"])


@EITHER
@pytest.mark.parametrize("name", TURNS)
def test_a_turn_with_jokers_first_roll_bonus_and_saved_rolls(name: str, check: Callable[[RuleSet], None]) -> None:
    check(TURNS[name])


@EITHER
@pytest.mark.parametrize("seed", seeds(4, 44))
def test_a_turn_with_every_mechanic_combined_at_random(seed: int, check: Callable[[RuleSet], None]) -> None:
    check(random_rules(seed))


def games(turns: LaneTurns, number: int, exploration: float = 0.0) -> list[np.ndarray]:
    """Everything that happens in some games, a turn after the other."""
    states, found = same_cards(turns.rules, EMPTY_STATE, number), []
    for turn in range(len(turns.rules.categories)):
        played = turns.play(states, np.arange(number), 7, turn, exploration)
        states = played.states
        found += [played.category, played.points, played.bonus_points, played.expected, played.reached]
        found += [states.filled, states.upper, states.saved, states.tracked]
    return found


@pytest.mark.parametrize("key", ["yahtzee", "yatzy-saved"])
def test_games_are_the_same_for_any_number_of_threads_and_of_games(key: str) -> None:
    values = first_guess(load_rules(key), np.arange(20.0)[: len(load_rules(key).categories)])
    one, two, fewer = (games(LaneTurns(values, threads), n, 0.2) for threads, n in ((1, 1200), (2, 1200), (2, 1030)))
    for a, b, c in zip(one, two, fewer, strict=True):
        assert np.array_equal(a, b)
        assert np.allclose(a[:1030], c)


@pytest.mark.parametrize(
    "rules",
    [
        *(joker_game(mode, saved_rolls=mode == "free") for mode in ("none", "free", "forced")),
        *map(random_rules, range(3)),
        *(pytest.param(random_rules(seed), marks=FULL) for seed in range(3, 8)),
    ],
)
def test_masks_of_two_words_give_the_same_bits(rules: RuleSet, monkeypatch: pytest.MonkeyPatch) -> None:
    """Games of the same dice, and the bound, by the code for large sheets; exploring games draw their boxes, too."""

    def played(rules: RuleSet) -> tuple[list[np.ndarray], float]:
        values = first_guess(rules, np.arange(9.0)[: len(rules.categories)])
        return games(LaneTurns(values, 1), 200, 0.3), relax(rules, Budget(1e7), threads=1).bound

    (found, bound), wide = played(rules), replace(rules, id="wide")
    monkeypatch.setattr(card_masks, "ONE_WORD", 0)
    monkeypatch.setattr(multipliers, "SLOPE_UNIT", 1.0)
    again, same_bound = played(wide)  # another id: nothing of the first rules is used
    assert same_bound == bound
    for a, b in zip(found, again, strict=True):
        assert b.dtype != np.uint64 or b.shape == (200, 2)
        assert np.array_equal(a, b if b.ndim == 1 else [number(mask) for mask in b])


def test_what_a_turn_reaches_is_what_it_was_worth_on_average() -> None:
    """With jokers, saved rolls and a first-roll bonus: the mean of reached - expected is zero."""
    rules = joker_game("forced", first_roll_bonus=(("run", 3),), saved_rolls=True)
    turns = LaneTurns(first_guess(rules, np.array([2.0, 5.0, 1.0, 4.0])), 2)
    number, states = 40_000, same_cards(rules, EMPTY_STATE, 40_000)
    for turn in range(len(rules.categories)):
        played = turns.play(states, np.arange(number), 3, turn)
        luck = played.reached - played.expected
        assert abs(luck.mean()) < 4.5 * luck.std() / np.sqrt(number)
        states = played.states


@pytest.mark.parametrize("mode", ["none", "free", "forced"])
def test_scores_of_games_played_on_the_exact_values_have_the_exact_mean(mode: str) -> None:
    """Luck removed, every game has the exact value: the values of the function are its own backups."""
    rules = joker_game(mode, saved_rolls=mode == "free")
    found = simulate_values(exact_function(rules), games=600, seed=5)
    assert found.final_scores - found.luck == pytest.approx(np.full(600, solve_values(rules)[-1]), abs=1e-8)
    parts = found.category_points.sum(axis=1) + found.bonus_points + found.upper_bonus
    assert parts == pytest.approx(found.final_scores)


def exact_function(rules: RuleSet) -> FittedValues:
    """The exact table in place of a fitted function."""
    space, table = state_space(rules), solve_values(rules)

    @cache
    def value(*card: Any) -> float:
        try:
            return float(table[space.index(State(*card))])
        except Exception:  # a stage that no game of this card reaches
            return 0.0

    class Exact(FittedValues):
        def child_values(self, *fields: Any) -> np.ndarray:
            return CardValues(rules, value).child_values(*fields)

    start = first_guess(rules, np.zeros(len(rules.categories)))
    return Exact(rules, start.prices, start.coefficients, None, start.relaxed_values)
