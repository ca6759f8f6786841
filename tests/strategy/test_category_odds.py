"""One turn by itself: known chances, and the oracle."""

import json
from dataclasses import replace
from functools import cache
from itertools import product

import pytest
from perfect_yatzy import load_rules
from perfect_yatzy.strategy.turn_evaluator import CategoryOdds, category_odds
from support import games
from support.command import Run
from support.naive import Naive
from support.refusals import refused


def test_known_chances_and_holds() -> None:
    found = {entry.category: entry for entry in category_odds(load_rules("yatzy"))}
    assert found["yatzy"].chance == pytest.approx(0.04602864252569899, abs=1e-12)
    for category, chance, points in (("chance", 1.0, 70 / 3), ("sixes", 1 - (5 / 6) ** 15, 30 * (1 - (5 / 6) ** 3))):
        assert found[category].chance == pytest.approx(chance, abs=1e-12)
        assert found[category].expected_points == pytest.approx(points, abs=1e-12)
    found = {entry.category: entry for entry in category_odds(load_rules("yatzy"), (3, 3, 4, 5, 6), 1)}
    holds = {"one-pair": (3, 3, 4, 5, 6), "yatzy": (3, 3), "large-straight": (3, 4, 5, 6)}
    assert {category: found[category].hold for category in holds} == holds  # no die is rerolled without need
    assert found["large-straight"].chance == pytest.approx(1 / 6)


@pytest.mark.parametrize("dice", [(1, 1, 2), (1, 2, 3), (3, 3, 3), (2, 3, 3)])
@pytest.mark.parametrize("left", [0, 1, 2])
def test_against_the_oracle(dice: tuple[int, ...], left: int) -> None:
    """A chance is the value of a game of one box that pays a point."""
    rules = games.joker_game("none")
    exact = category_odds(rules, dice, left, exact=True)
    for box, known, entry in zip(rules.categories, exact, category_odds(rules, dice, left), strict=True):
        one = replace(box, patterns=tuple(replace(p, score="fixed", points=1) for p in box.patterns))
        assert known.chance == Naive(games.small(one, dice=3, faces=3).canonical()).best(
            0, 0, False, dice, left, False
        )
        assert entry.chance == pytest.approx(float(known.chance), abs=1e-12)
        assert entry.expected_points == pytest.approx(float(known.expected_points), abs=1e-12)


def test_each_value_is_the_mean_over_the_rerolls_of_its_hold() -> None:
    """Bellman's equation: the value of the hold is the mean of the values of the rolls that follow it."""
    rules, dice = load_rules("yatzy"), (3, 3, 4, 5, 6)
    found = category_odds(rules, dice, 2)
    fours = next(entry for entry in found if entry.category == "fours")
    assert (fours.hold, fours.expected_points_hold) == (dice, (4,))

    @cache
    def after(hold: tuple[int, ...]) -> list[list[CategoryOdds]]:
        return [category_odds(rules, hold + roll, 1) for roll in product(range(1, 7), repeat=5 - len(hold))]

    for c, entry in enumerate(found):
        for name, hold in (("chance", entry.hold), ("expected_points", entry.expected_points_hold)):
            if hold is not None and len(hold) >= 3:
                mean = sum(getattr(rows[c], name) for rows in after(hold)) / len(after(hold))
                assert getattr(entry, name) == pytest.approx(mean)


def test_impossible_turns_are_rejected() -> None:
    for key, dice, left, message in (
        ("yatzy", None, 3, "3 rolls left; under yatzy there can be 0 to 2"),
        ("maxi", None, 41, "41 rolls left; under maxi there can be 0 to 40"),
        ("yatzy", (1, 2, 3, 4), None, "4 dice"),
    ):
        refused(message, category_odds, load_rules(key), dice, left)
    assert category_odds(load_rules("maxi"), None, 40)[0].chance > 0.999  # all rolls of nineteen turns saved


def test_odds_command(run: Run) -> None:
    out = run("odds", "33456", "-l", "1")
    assert out.stdout.splitlines()[0].startswith("3 3 4 5 6 (⚂⚂⚃⚄⚅), one reroll left")
    assert "16.67 %" in out.stdout
    assert "  Fours             100.00 %  3 3 4 5 6     6.67  4\n" in out.stdout
    assert max(map(len, out.stdout.splitlines())) <= 60
    answer = json.loads(run("odds", "--rules", "yahtzee", "--json").stdout)
    chances = {entry["category"]: entry["chance"] for entry in answer["categories"]}
    assert chances["yahtzee"] == pytest.approx(0.04602864252569899)
    exact = run("odds", "--rules", "yahtzee", "--exact").stdout
    assert "347897/7558272 " in exact  # as published
    assert "439667406451/470184984576 " in exact  # 1 - (5/6)^15
    assert run("odds", "334").returncode == 2
