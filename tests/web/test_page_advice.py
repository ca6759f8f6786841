"""The advice in words: the headline while other dice are held, the reason why, what long work costs."""

from __future__ import annotations

from typing import Any

import pytest
from support.browser import expect, open_link, settle

pytestmark = pytest.mark.full

LATE_CARD = "ones=3+twos=6+threes=9+fours=12+fives=15+sixes=18+one-pair=10"


def test_the_headline_is_what_the_player_is_doing(blank: Any, address: str) -> None:
    """With other dice marked it is no longer the best hold that is played."""
    open_link(blank, address, "#rules=yatzy&dice=33456&left=2")
    expect(blank, "#answer", "Keep 3 3")
    expect(blank, "#answer", "245.75")
    for die in (0, 1, 3, 4):
        blank.locator("#dice button").nth(die).click()
    expect(blank, "#answer", "Keep 5 6")
    expect(blank, "#answer", "245.67")
    expect(blank, "#held", "You keep 5 6: 0.08 points less than the best, 3 3.")
    expect(blank, "#go", "Roll three dice")
    assert blank.text_content("#gap") == ""  # that of the best hold
    assert blank.text_content("#why") == ""
    above = "document.querySelector('#held').getBoundingClientRect().bottom <= document.querySelector('#go').getBoundingClientRect().top"
    assert blank.evaluate(above)
    blank.click("#best-again")
    expect(blank, "#answer", "Keep 3 3")
    expect(blank, "#gap", "Nearly as good: 5 6 (−0.08).")
    assert blank.text_content("#held") == ""


def test_there_is_a_reason_at_a_goal(blank: Any, address: str) -> None:
    open_link(blank, address, f"#rules=yatzy&card={LATE_CARD}&dice=33456&left=0&goal=240")
    settle(blank)
    expect(blank, "#why", "Playing for the average, it would be ")
    asked = (
        "loaded('ask').then(({ask}) => loaded('state').then(({position, state}) =>"
        " ask('score', {...position(), goal: 240, dice: state.dice, rolls_left: 0}, {})))"
    )
    best, other = blank.evaluate(asked)["categories"][:2]
    more = best["expected_final_score"] - other["expected_final_score"]
    expect(blank, "#why", f"{abs(more):.1f} points {'better' if more > 0 else 'worse'} than ")
