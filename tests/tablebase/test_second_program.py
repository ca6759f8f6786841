"""Switches of Yatzy that no published value covers, beside a second program."""

from typing import Any

import pytest
from perfect_yatzy import open_strategy
from support.second_yatzy import value_of_yatzy
from support.seeds import ring_3

FIRST = {"large-straight": 25, "full-house": 50, "yatzy": 100}


@pytest.mark.full
@pytest.mark.parametrize(
    ("rules", "options"),
    [
        ("yatzy+upper-first", {"upper_first": True}),
        # three minutes each
        ring_3("yatzy", {}),
        ring_3("yatzy+strike-only-if-nothing-fits", {"strict": True}),
        ring_3("yatzy+four-rolls", {"rolls": 4}),
        ring_3(
            "yatzy-online-5+first-roll-points",
            {"yatzy": lambda total: total + 50, "first": FIRST},
        ),
    ],
)
def test_rules_as_printed_beside_a_second_program(rules: str, options: dict[str, Any]) -> None:
    assert open_strategy(rules).value() == pytest.approx(value_of_yatzy(**options), abs=1e-9)
