"""The advice in words: the headline while other dice are held, the reason why, what long work costs."""

from __future__ import annotations

from typing import Any

from support.browser import expect, open_link, settle

LATE_CARD = "ones=3+twos=6+threes=9+fours=12+fives=15+sixes=18+one-pair=10"


def test_the_headline_is_what_the_player_is_doing(page: Any, address: str) -> None:
    """With other dice marked it is no longer the best hold that is played."""
    open_link(page, address, "#rules=yatzy&dice=33456&left=2")
    expect(page, "#answer", "Keep 3 3")
    expect(page, "#answer", "245.75")
    for die in (0, 1, 3, 4):
        page.locator("#dice button").nth(die).click()
    expect(page, "#answer", "Keep 5 6")
    expect(page, "#answer", "245.67")
    expect(page, "#held", "You hold 5 6: 0.08 points less than the best, 3 3.")
    expect(page, "#go", "Hold 5 6 and roll three dice")
    assert page.text_content("#gap") == ""  # that of the best hold
    assert page.text_content("#why") == ""
    above = "document.querySelector('#held').getBoundingClientRect().bottom <= document.querySelector('#go').getBoundingClientRect().top"
    assert page.evaluate(above)
    page.click("#best-again")
    expect(page, "#answer", "Keep 3 3")
    expect(page, "#gap", "0.08 points better than 5 6.")
    assert page.text_content("#held") == ""


def test_a_reason_does_not_call_the_rest_of_the_game_never(page: Any, address: str) -> None:
    """The other option may end in that box in a later turn."""
    open_link(page, address, "#rules=yatzy&dice=33344&left=1")
    settle(page)
    sentence = page.evaluate(
        """async () => {
          const { whySentence } = await import("./why.js"), spec = "yatzy";
          const ends = (...categories) => ({ categories, turn_points: 0, later_points: 0, bonus_chance: null });
          const best = { hold: [3, 3, 3], outlook: ends(["full-house", 0.06, 20], ["threes", 0.94, 12]) };
          return whySentence(best, { hold: [3, 3, 3, 4], outlook: ends(["threes", 0.9, 12], ["chance", 0.1, 18]) }, spec);
        }"""
    )
    assert sentence == "Ends in Full House in 6\u00a0% of turns, with 3 3 3 4 in other boxes."


def test_there_is_a_reason_at_a_goal(page: Any, address: str) -> None:
    open_link(page, address, f"#rules=yatzy&card={LATE_CARD}&dice=33456&left=0&goal=240")
    settle(page)
    expect(page, "#why", "Playing for the average, it would be ")
    asked = (
        "import('./ask.js').then(({ask}) => import('./state.js').then(({position, state}) =>"
        " ask('score', {...position(), goal: 240, dice: state.dice, rolls_left: 0}, {})))"
    )
    best, other = page.evaluate(asked)["categories"][:2]
    more = best["expected_final_score"] - other["expected_final_score"]
    expect(page, "#why", f"{abs(more):.1f} points {'better' if more > 0 else 'worse'} than ")


def test_long_work_says_whose_disk_it_takes(page: Any) -> None:
    """On a phone the disk of the server is not that of the phone."""
    texts = page.evaluate(
        """import("./solve.js").then(({ costText }) =>
          ["127.0.0.1", "192.168.1.5"].map((host) => costText({ seconds: 25, disk_bytes: 930_000_000 }, host)))"""
    )
    assert texts == [
        "Solve now (about 25 seconds, 0.9 GB on the disk of this computer, once)",
        "Solve now on the server (about 25 seconds, 0.9 GB on its disk, nothing on this device, once)",
    ]
