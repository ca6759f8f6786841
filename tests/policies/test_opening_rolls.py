"""The opening rolls in lines: every roll once, with the hold of perfect play."""

from __future__ import annotations

from itertools import combinations_with_replacement

import perfect_yatzy
import pytest
from perfect_yatzy.policies.opening_rolls import OpeningEntry, groups_of, opening_lines, shortened, which_groups
from perfect_yatzy.strategy.strategy import Strategy
from support.games import CHANCE, face, small
from support.seeds import FULL


@pytest.mark.parametrize(
    "key", ["yatzy", "yahtzee", "kniffel", "yatzy-forced", pytest.param("yatzy-saved", marks=FULL)]
)
def test_every_roll_is_in_one_line_with_its_best_hold(key: str) -> None:
    """The oracle is the ranking of one position, in NumPy; the lines come from the batch kernel."""
    strategy = perfect_yatzy.open_strategy(key)
    lines = opening_lines(strategy)
    rolls = [roll for line in lines for entry in line.entries for roll in entry.rolls]
    assert sorted(rolls) == [*combinations_with_replacement(range(1, 7), 5)]
    assert sum(line.chance for line in lines) == pytest.approx(1)
    for line in lines:
        values = []
        for entry in line.entries:
            for roll in entry.rolls:
                best = strategy.holds("", roll)[0]
                values.append(best.value)
                assert (best.category, best.category or best.dice) == (entry.category, best.category or entry.hold)
                assert not line.pattern or groups_of(roll) == line.pattern
        assert (line.lowest, line.highest) == pytest.approx((min(values), max(values)))


def test_the_lines_of_yatzy(yatzy: Strategy) -> None:
    lines = opening_lines(yatzy)
    assert 10 <= len(lines) <= 30
    of_two_pairs = [line for line in lines if line.pattern == (2, 2, 1)]
    assert [(line.kept, line.which, line.roll_count) for line in of_two_pairs] == [
        ((2,), "highest", 54),
        ((2, 2), "", 4),
        ((1,), "", 2),
    ]
    assert [line.majority for line in of_two_pairs] == [True, False, False]
    assert {entry.hold for entry in of_two_pairs[1].entries} == {(5, 5, 6, 6)}
    run = next(line for line in lines if line.kept == (1, 1, 1, 1))
    assert run.is_run
    assert run.entries[0].rolls == ((2, 2, 3, 4, 5), (2, 3, 3, 4, 5))


def test_a_forced_order_is_one_line(forced: Strategy) -> None:
    (line,) = opening_lines(forced)
    assert (line.faces, line.roll_count, line.pattern) == ((1,), 252, ())


def test_one_roll_a_turn_has_no_opening() -> None:
    rules = small(face(1), CHANCE, rolls=1)
    assert opening_lines(perfect_yatzy.open_strategy(rules)) == ()


@pytest.mark.parametrize(
    ("roll", "hold", "which"),
    [
        ((2, 2, 5, 5, 6), (5, 5), "highest"),
        ((2, 2, 5, 5, 6), (2, 2), "other"),
        ((2, 2, 5, 5, 6), (2, 2, 5, 5), ""),
        ((2, 2, 3, 3, 5, 5), (3, 3, 5, 5), "highest"),
        ((2, 2, 3, 3, 5, 5), (2, 2, 5, 5), "other"),
        ((3, 3, 3, 4, 4), (3, 3, 3), ""),
        ((3, 3, 3, 4, 4), (3, 3), ""),
        ((1, 1, 1, 4, 4, 4), (4, 4, 4), "highest"),
    ],
)
def test_which_of_several_groups_is_held(roll: tuple[int, ...], hold: tuple[int, ...], which: str) -> None:
    assert which_groups(roll, hold) == which


def test_rolls_are_shortened_only_if_none_is_missing() -> None:
    rolls = [roll for roll in combinations_with_replacement(range(1, 7), 5) if groups_of(roll) == (3, 1, 1)]
    twos = tuple(roll for roll in rolls if roll.count(2) == 3)
    sixes = tuple(roll for roll in rolls if roll.count(6) == 3)[1:]
    entry = OpeningEntry((), "x", (*twos, *sixes))
    assert shortened(entry, (3, 1, 1), 6) == (((2, 2, 2), 2), *((roll, 0) for roll in sixes))
    pairs = OpeningEntry((), "x", ((1, 1, 2, 2, 3),))
    assert shortened(pairs, (2, 2, 1), 6) == (((1, 1, 2, 2, 3), 0),)
    full_house = OpeningEntry((), "x", ((1, 1, 1, 1, 1),))
    assert shortened(full_house, (5,), 6) == (((1, 1, 1, 1, 1), 0),)  # not "11111" and no other dice
