"""The table in a real browser: where the card stands, the two ways to play, computer players."""

from typing import Any

import pytest
from support.browser import Chromium, Visitor

pytestmark = pytest.mark.full

CARD_TOP = "document.getElementById('card').getBoundingClientRect().top + scrollY"
SIZES = [(320, 568), (390, 844), (768, 1024), (1280, 800)]


def sized(chromium: Chromium, address: str, width: int, height: int) -> Visitor:
    return chromium.visitor(f"{width}", {"viewport": {"width": width, "height": height}}, address)


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_the_card_stays_at_one_place_for_a_whole_game(
    chromium: Chromium, browser: Any, address: str, width: int, height: int
) -> None:
    """While dice are rolled and kept, while advice is missing, when a box is taken or crossed out."""
    visitor = sized(chromium, address, width, height).open()
    tops = set()
    for turn in range(15):
        for roll in range(3):
            tops.add(visitor.evaluate(CARD_TOP))
            visitor.click("#go")  # the first roll, or the best choice
            tops.add(visitor.evaluate(CARD_TOP))
            visitor.settle()
            tops.add(visitor.evaluate(CARD_TOP))
            if roll == turn % 3 and visitor.get_attribute("#go", "data-kind") == "roll":
                visitor.mark(turn % 5)
                tops.add(visitor.evaluate(CARD_TOP))
                visitor.click("#best-again")
            if visitor.get_attribute("#go", "data-kind") == "take":
                break
        visitor.click("#go")
        if turn < 14:
            tops.add(visitor.evaluate(CARD_TOP))
    assert len(tops) == 1, tops
    if width == 390:
        assert tops == {326}


def test_how_to_play_is_asked_once(chromium: Chromium, browser: Any, address: str) -> None:
    """Each way hides what belongs to the other; an icon changes it, and it is remembered."""
    visitor = sized(chromium, address, 390, 844).open()
    visitor.evaluate("localStorage.setItem('perfect-yatzy-dice', 'null')")
    visitor.reopen()
    assert visitor.locator("#start").is_visible()
    for place in ("#go", "#entry", "#mode", "#card-panel"):
        assert visitor.locator(place).is_hidden(), place
    visitor.click("#real-dice")
    assert visitor.locator("#entry").is_visible()
    assert visitor.locator("#go").is_hidden()
    visitor.reopen()
    assert visitor.locator("#start").is_hidden()
    assert visitor.locator("#entry").is_visible()
    visitor.click("#mode")
    assert visitor.locator("#entry").is_hidden()
    visitor.expects("#go", "Roll the dice")


def test_the_bar_stands_still_at_four_hundred_per_cent(
    chromium: Chromium, browser: Any, address: str
) -> None:
    visitor = sized(chromium, address, 320, 256).open("#rules=yatzy&dice=33456&left=2").settle()
    assert visitor.evaluate("getComputedStyle(document.getElementById('bar')).position") == "static"


def test_a_computer_plays_its_turns(blank: Visitor) -> None:
    """Its move is one line, undo goes back to the player, and the record has both."""
    blank.open().menu("open-players")
    blank.page.locator(".computer", has_text="Perfect").click()
    blank.click("#players-play")
    for turn in range(2):
        for _roll in range(3):
            blank.click("#go").settle()
            if blank.get_attribute("#go", "data-kind") == "take":
                break
        blank.click("#go")
        blank.wait_until(
            "(turns) => loaded('store/state').then(({ state }) => state.turns.length === turns)",
            2 * turn + 2,
        )
    last = blank.record()["turns"][-1]
    assert last["player"] == 1
    assert blank.state()["player"] == 0
    words = blank.inner_text("#last-move")
    assert words.startswith("Perfect ")
    assert ("crossed out" in words) == (last["points"] == 0)
    blank.click("#undo")
    assert blank.state()["player"] == 0
    assert len(blank.state()["turns"]) == 2
