"""Every mechanic, alone and combined, and large games made small, against the oracle in fractions: all states."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from perfect_yatzy import RuleSet, load_rules
from perfect_yatzy.game.maximum import maximum_score
from support.games import CHANCE, joker_game
from support.mechanics import MECHANICS, random_rules
from support.naive import Naive
from support.oracle import check_against_oracle
from support.seeds import in_rings, seeds


def check(rules: RuleSet) -> None:
    check_against_oracle(rules)
    assert maximum_score(rules) >= Naive(rules.canonical()).max_score()


@pytest.mark.parametrize("mechanic", MECHANICS)
def test_each_mechanic_alone(mechanic: str) -> None:
    for seed in range(in_rings(3, 6)):
        check(random_rules(seed, (mechanic,)))


REST = joker_game("free").categories
JOKERS = {
    "forced": joker_game("forced"),
    "free": joker_game("free"),
    "none": joker_game("none"),
    "without a bonus": joker_game("forced", bonus=0),
    "saved rolls": joker_game("forced", saved_rolls=True, first_roll_bonus=(("run", 3),)),
    "order": joker_game("free", order="forced", saved_rolls=True, first_roll_bonus=(("face-3", 3),)),
    # A joker may cross out the box that another one requires.
    "required box": replace(joker_game("free", bonus=0), categories=(*REST, replace(CHANCE, requires="face-1"))),
}


@pytest.mark.parametrize("rules", JOKERS.values(), ids=JOKERS)
def test_jokers(rules: RuleSet) -> None:
    check(rules)


@pytest.mark.parametrize("seed", seeds(8, 52))
def test_mechanics_combined(seed: int) -> None:
    check(random_rules(seed))


@pytest.mark.slow
def test_a_thousand_combinations() -> None:
    for seed in range(60, 1_000):
        check(random_rules(seed))


HEAD = 'id = "twin"\nname = "Twin"\n'
BOXES_OF_YAHTZEE = "threes fours fives sixes four-of-a-kind full-house small-straight large-straight yahtzee"
TWINS = {
    "triple-yahtzee": f"""{HEAD}extends = "triple-yahtzee"
dice = 2
faces = 3
rolls = 2
bonus = {{ threshold = 5, points = 4 }}
remove = {[*BOXES_OF_YAHTZEE.split(), "three-of-a-kind", "aces"]}
""",
    "yamb": f"""{HEAD}extends = "yamb"
dice = 2
faces = 3
rolls = 2
bonus = [ {{ threshold = 2, points = 3 }}, {{ threshold = 4, points = 4 }} ]
first_roll_bonus = {{ twos = 1 }}
remove = ["ones", "threes", "fours", "fives", "sixes", "max", "straight", "full-house", "poker", "yamb"]
[categories.min]
patterns = [ {{ sum = 2, points = 4 }}, {{ sum = 3, points = 3 }}, {{ sum = 4, points = 2 }}, {{ sum = 5, points = 1 }} ]
""",
    "balut": f"""{HEAD}extends = "balut"
dice = 2
rolls = 2
remove = ["fours", "straight", "full-house", "choice"]
[categories.balut]
groups = [2]
""",
    "kismet": f"""{HEAD}extends = "kismet"
dice = 3
faces = 3
rolls = 2
bonus = [ {{ threshold = 5, points = 3 }}, {{ threshold = 8, points = 5 }}, {{ threshold = 11, points = 7 }} ]
remove = ["aces", "fours", "fives", "sixes", "two-pair-same-color", "straight", "flush", "full-house",
    "full-house-same-color", "four-of-a-kind", "yarborough"]
[categories.kismet]
groups = [3]
""",
}
KNIFFEL = f"""{HEAD}extends = "kniffel"
dice = 3
faces = 3
rolls = 2
bonus = {{ threshold = 7, points = 6 }}
remove = ["aces", "fours", "fives", "sixes", "four-of-a-kind", "small-straight", "large-straight", "three-of-a-kind"]
[categories.full-house]
groups = [2, 1]
[categories.yahtzee]
groups = [3]
"""
GENERALA = f"""{HEAD}extends = "generala"
dice = 2
rolls = 2
first_roll_bonus = false
remove = ["ones", "twos", "threes", "fours", "straight", "full-house", "poker"]
[categories.generala]
groups = [2]
[categories.double-generala]
name = "Double Generala"
pattern = "groups"
groups = [2]
points = 100
requires = "generala"
"""
SWITCHES = ["", "+free-striking", "+championship", "+travel-edition", "+travel-edition-any-entry"]


def loaded(text: str, folder: Path, switch: str = "") -> RuleSet:
    file = folder / "twin.toml"
    file.write_text(text)
    return load_rules(f"{file}{switch}")


@pytest.mark.parametrize("name", TWINS)
def test_small_twins_against_the_oracle(name: str, tmp_path: Path) -> None:
    rules = loaded(TWINS[name], tmp_path)
    assert len(rules.columns) == len(load_rules(name).columns)
    check_against_oracle(rules)


@pytest.mark.parametrize(
    ("text", "switch"),
    [*(pytest.param(KNIFFEL, switch, id=f"kniffel{switch}") for switch in SWITCHES), (GENERALA, "")],
)
def test_kniffel_and_generala_against_the_oracle(text: str, switch: str, tmp_path: Path) -> None:
    check_against_oracle(loaded(text, tmp_path, switch))
