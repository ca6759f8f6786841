"""The upper bonus of a card as text."""

from __future__ import annotations

from perfect_yatzy import load_rules
from perfect_yatzy.cli.views.upper_bonus import upper_bonus_labels, upper_bonus_lines

# Of Kismet's six upper boxes: 35 points at 63, 55 at 71, 75 at 78; the sixes can pay 30.
ALL_BUT_SIXES = 0b011111


def test_one_step_is_named_by_its_points() -> None:
    rules = load_rules("yatzy")
    assert upper_bonus_lines(rules, 0b1, [3]) == ["Upper bonus of 50: 3 of 63, 60 more needed"]
    assert upper_bonus_lines(rules, 0b111111, [70]) == ["Upper bonus of 50: secured (70 of 63)"]


def test_several_steps_name_the_next_one_and_its_points() -> None:
    rules = load_rules("kismet")
    assert upper_bonus_labels(rules) == ["Upper bonus"]
    lines = {upper: upper_bonus_lines(rules, ALL_BUT_SIXES, [upper])[0] for upper in (30, 45, 63, 75, 78)}
    assert lines == {
        30: "Upper bonus: out of reach (30 of 63 for 35 points)",
        45: "Upper bonus: 45 of 63 for 35 points, 18 more needed",
        63: "Upper bonus: 63 of 71 for 55 points, 8 more needed, 35 points secured",
        75: "Upper bonus: 75 of 78 for 75 points, 3 more needed, 55 points secured",
        78: "Upper bonus: secured (78 of 78 for 75 points)",
    }
