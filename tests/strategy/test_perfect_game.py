"""Yacht Dice of "51 Worldwide Games": the fraction that others have published, and the chance of the
highest score, by a program of its own.
"""

import json
from fractions import Fraction
from itertools import combinations_with_replacement, product

import numpy as np
import pytest
from perfect_yatzy import load_rules, open_strategy
from perfect_yatzy.service.queries import QueryService
from support.command import ROOT

# A Japanese page has computed this fraction with 96 GB of memory.
PUBLISHED = Fraction(
    "13016843164781134911577847485373669410583272579736395462208071768435842671487294870976987471456569489783095557501482"
    "949120609571264927/67875823134619594730407653673318155404265238604384965333372979438895032016829720226590246561116620"
    "399665156181673853449412452286464"
)
PUBLISHED_CHANCE = 3.610891364602e-15  # of 325 points
FACES = range(1, 7)


def best_in(roll: tuple[int, ...]) -> list[bool]:
    """For each box whether a roll scores the most that the box can hold."""
    distinct = len({*roll})
    upper = [roll == (face,) * 5 for face in FACES]
    six_sixes = roll == (6,) * 5  # 30 points in Choice, Four of a Kind, and Full House
    small = any({*range(low, low + 4)} <= {*roll} for low in (1, 2, 3))
    large = any({*range(low, low + 5)} <= {*roll} for low in (1, 2))
    return [*upper, six_sixes, six_sixes, six_sixes, small, large, distinct == 1]


def chance_of_a_perfect_game() -> float:
    """By sets of open boxes: after each turn one box fewer, filled with its most points."""
    rolls = [*combinations_with_replacement(FACES, 5)]
    holds = [held for size in range(6) for held in combinations_with_replacement(FACES, size)]
    place = {roll: number for number, roll in enumerate(rolls)}
    after = np.zeros((len(holds), len(rolls)))  # chance of each roll after a hold
    for number, held in enumerate(holds):
        rest = 5 - len(held)
        for thrown in product(FACES, repeat=rest):
            after[number, place[tuple(sorted(held + thrown))]] += 6.0**-rest
    within = np.array(
        [
            [all(roll.count(face) >= held.count(face) for face in FACES) for held in holds]
            for roll in rolls
        ]
    )
    fits = np.array([best_in(roll) for roll in rolls])
    chance = {0: 1.0}
    for filled in range(1, 1 << 12):  # its subsets come before it
        later = np.array(
            [chance[filled & ~(1 << box)] if filled >> box & 1 else 0 for box in range(12)]
        )
        of_roll = (fits * later).max(axis=1)
        for _reroll in range(2):
            of_roll = np.where(within, after @ of_roll, 0).max(axis=1)
        chance[filled] = float(after[0] @ of_roll)
    return chance[(1 << 12) - 1]


def test_yacht_dice_has_the_published_fraction() -> None:
    """The proof of `yatzy solve --exact`, whose digest `tables/exact.json` has."""
    proved = json.loads((ROOT / "tables" / "exact.json").read_text())["yacht-51"]
    rules = load_rules("yacht-51")
    assert proved["fingerprint"] == rules.fingerprint
    assert (
        Fraction(int(proved["value"]["numerator"]), int(proved["value"]["denominator"]))
        == PUBLISHED
    )
    assert open_strategy(rules).value() == pytest.approx(float(PUBLISHED), abs=1e-12)
    assert rules.published is not None
    assert abs(float(rules.published.value) - float(PUBLISHED)) < rules.published.tolerance


@pytest.mark.full
def test_the_chance_of_a_perfect_game_of_yacht_dice() -> None:
    """Chances of goals are computed in float32: six digits are right."""
    found = chance_of_a_perfect_game()
    assert f"{found:.12e}" == f"{PUBLISHED_CHANCE:.12e}"
    answer = QueryService().answer({"query": "expect", "rules": "yacht-51", "goal": 325})
    assert answer["chance"] == pytest.approx(found, rel=1.3e-5)
