"""The end of a game on the page: who has won, and how the score compares with perfect play."""

from __future__ import annotations

import json
from typing import Any

import pytest
from perfect_yatzy.play.simulated_records import simulated_records
from perfect_yatzy.strategy.strategy import Strategy
from support.browser import expect, open_link, settle

FULL = (
    "ones=3+twos=6+threes=9+fours=12+fives=15+sixes=18+one-pair=10+two-pairs=18+three-of-a-kind=12"
    "+four-of-a-kind=0+small-straight=15+large-straight=0+full-house=0+chance=20"
)

pytestmark = pytest.mark.full


def test_the_score_is_compared_with_perfect_play(blank: Any, address: str) -> None:
    open_link(blank, address, f"#rules=yatzy&card={FULL}&dice=12345&left=0")
    settle(blank)
    blank.click("#take-yatzy")
    expect(blank, "#answer", "Final score: 188.")
    expect(blank, "#end", "60.4 points below the average of perfect play (248.4).")
    expect(blank, "#said", "60.4 points below the average")
    expect(blank, "#end", "of games by perfect play end lower.")
    found = blank.evaluate("loaded('ask').then(({ask}) => ask('expect', {rules: 'yatzy', card: {}}))")["distribution"]
    lower = sum(found["chances"][: 188 - found["lowest"]])
    expect(blank, "#end", f"{100 * lower:.0f}\u00a0% of games by perfect play end lower.")
    blank.click("#undo")
    assert blank.locator("#end").is_hidden()


def test_a_game_for_a_goal_is_not_graded_against_it_in_the_statistics(page: Any, yatzy: Strategy) -> None:
    """The review grades by the average; what the page advised for a goal is then called an error, and it says why."""
    turns = json.loads(next(iter(simulated_records(yatzy, 1, seed=1))))["turns"]
    card = {turn["category"]: turn["points"] for turn in turns}
    page.evaluate(
        "([turns, card]) => loaded('state').then(({change}) => change((s) => Object.assign(s, {objective: 'goal', goal: '350', turns,"
        " players: [{...s.players[0], card}]})))",
        [turns, card],
    )
    expect(page, "#graded-by", "by the average score, not by the aim “350 or more”")
    page.wait_for_selector("#end .figures")
    kept = "loaded('memory').then(({games}) => games().length)"
    assert page.evaluate(kept) == 0
    page.evaluate(
        "loaded('state').then(({change}) => change((s) => { s.objective = 'mean'; s.turns[0].player = 0; }))"
    )
    assert page.locator("#graded-by").count() == 0
