"""The end of a game on the page: who has won, and how the score compares with perfect play."""

from __future__ import annotations

from typing import Any

from support.browser import expect, open_link, settle, state_of

FULL = (
    "ones=3+twos=6+threes=9+fours=12+fives=15+sixes=18+one-pair=10+two-pairs=18+three-of-a-kind=12"
    "+four-of-a-kind=0+small-straight=15+large-straight=0+full-house=0+chance=20"
)


def test_the_score_is_compared_with_perfect_play(page: Any, address: str) -> None:
    open_link(page, address, f"#rules=yatzy&card={FULL}&dice=12345&left=0")
    settle(page)
    page.click("#take-yatzy")
    expect(page, "#answer", "Final score 188.")
    expect(page, "#end", "60.4 points below the average of perfect play (248.4).")
    expect(page, "#said", "60.4 points below the average")
    expect(page, "#end", "of games by perfect play end lower.")
    found = page.evaluate("import('./ask.js').then(({ask}) => ask('expect', {rules: 'yatzy', card: {}}))")[
        "distribution"
    ]
    lower = sum(found["chances"][: 188 - found["lowest"]])
    expect(page, "#end", f"{100 * lower:.0f}\u00a0% of games by perfect play end lower.")
    page.click("#undo")
    assert page.locator("#end").is_hidden()


def test_the_best_of_several_players_wins(page: Any, address: str) -> None:
    open_link(page, address, f"#rules=yatzy&card={FULL}+yatzy=50")
    page.evaluate(
        "import('./state.js').then(({change, newPlayer}) => change((s) => {"
        " s.players[0].name = 'Ann'; s.players.push({...newPlayer('Bo'), card: {...s.players[0].card, chance: 25}}); }))"
    )
    expect(page, "#answer", "Bo wins with 243 points.")
    lines = page.locator("#end p")
    expect(page, "#end", "Ann, 238 points: 10.4 points below the average of perfect play")
    assert "Bo, 243 points: 5.4 points below" in str(lines.first.text_content())
    page.evaluate("import('./state.js').then(({change}) => change((s) => { s.players[0].card.chance = 25; }))")
    expect(page, "#answer", "A tie with 243 points: Ann and Bo.")
    page.evaluate("import('./state.js').then(({change}) => change((s) => { delete s.players[1].card.chance; }))")
    expect(page, "#answer", "Final score 243.")  # the other one still plays
    assert len(state_of(page)["players"]) == 2
