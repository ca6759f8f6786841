"""Single lines of the command: the upper bonus of a card, hold rules as sentences, the time left."""

from __future__ import annotations

import pytest
from perfect_yatzy import load_rules
from perfect_yatzy.cli import progress as shown
from perfect_yatzy.cli.views.wording import upper_bonus_labels, upper_bonus_lines
from perfect_yatzy.service.work import Pace

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


def test_the_time_left_follows_the_speed_of_late(monkeypatch: pytest.MonkeyPatch) -> None:
    """What an earlier solve has done took no time now; tiny first layers give no estimate; a machine may get busy."""
    now = 0.0
    monkeypatch.setattr("perfect_yatzy.service.work.time.perf_counter", lambda: now)
    for steps, expected in (
        ([(0, 0.0), (60, 0.5)], 60),
        ([(0, 0.0), (500, 0.1)], 4500),
        ([(0, 0.6), (30, 0.8)], 30),
        ([(0, 0.0), (4, 0.0)], None),
        ([(0, 0.0), (4, 0.001)], None),
        ([(0, 0.6), (5, 0.605)], None),
        ([(0, 0.0), (60, 1.0)], 0),
        # 1 % a second for 30 seconds, then a tenth of it: after a minute or two only the new speed counts.
        ([*((t, t / 100) for t in range(31)), *((30 + t, 0.3 + t / 1000) for t in range(1, 201))], 500),
        # Another work begins.
        ([(0, 0.0), (60, 0.5), (70, 0.0), (80, 0.5)], 10),
    ):
        pace = Pace()
        for now, done in steps:  # noqa: B007
            left = pace.left(done)
        assert left == (expected if expected is None else pytest.approx(expected))


def test_times_left_as_text() -> None:
    texts = [shown.clock_text(seconds) for seconds in (None, 0.0, 60.0, 125.4, 4500.0)]
    assert texts == ["", "0:00", "1:00", "2:05", "1:15:00"]
