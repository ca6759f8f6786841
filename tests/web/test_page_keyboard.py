"""The page by keyboard alone: a whole game, the number of tabs, digits everywhere, a focus that is never lost."""

from __future__ import annotations

import random

import pytest
from perfect_yatzy.play.record import read_game
from support.browser import Visitor

pytestmark = pytest.mark.full

MAX_TABS_TO_BEST_HOLD = 8


def test_a_whole_game_by_keyboard(blank: Visitor) -> None:
    """Digits enter the dice, Enter does what the primary button says."""
    blank.open("#rules=crag").wait_for_selector("#game-name:has-text('Crag')")
    dice = random.Random(3)
    for turn in range(13):
        blank.expects("#turn-line", f"Turn {turn + 1} of 13")
        blank.type("".join(str(dice.randint(1, 6)) for _ in range(3))).settle()
        if not blank.text_content("#go").startswith("Take"):
            blank.press("Enter")
            missing = 3 - blank.count("#dice button")
            blank.type("".join(str(dice.randint(1, 6)) for _ in range(missing))).settle()
        while blank.focused() != "go":
            blank.press("Tab")
        blank.press("Enter")
    blank.expects("#turn-line", "Game over")
    game = read_game(blank.record())
    assert len(game.turns) == 13
    blank.expects("#answer", f"Final score: {game.card(0).total}")


def test_tab_leads_to_the_dice_and_soon_to_the_best_hold(page: Visitor) -> None:
    assert page.press("Tab").focused() == "skip"
    assert page.press("Enter").focused() == "dice-title"
    assert "#dice-title" not in page.url
    page.type("33456").settle()
    tabs = 0
    while page.focused() != "go":
        page.press("Tab")
        tabs += 1
        assert tabs <= MAX_TABS_TO_BEST_HOLD


def test_the_focus_is_never_lost(page: Visitor) -> None:
    page.locator("#faces button").first.focus()
    assert page.press(*["Enter"] * 5).focused() == "Add a 1"
    assert page.dice() == [1] * 5
    page.settle().die(0).focus()
    page.press("ArrowRight", "ArrowRight", "Space")  # within the dice
    assert page.die(2).get_attribute("aria-pressed") == "true"
    assert "Die 5" in page.press("End").focused()
    assert page.count("#dice [tabindex='0']") == 1
    page.locator("#ranking button").nth(3).focus()
    page.press("Enter")
    assert page.evaluate("document.activeElement.classList.contains('option')")
    page.locator("#best-again").focus()
    assert page.press("Enter").focused() != ""
    assert page.evaluate("document.activeElement !== document.body")
    page.click("#menu-button")
    assert page.press("Escape").focused() == "menu-button"
    assert page.dice() == [1] * 5  # Escape closed the menu only
    page.locator("#dice button").last.focus()
    page.press("Backspace")
    assert page.evaluate("document.activeElement.closest('#dice') !== null")


def test_enter_does_one_thing_and_escape_takes_back_one_thing(page: Visitor) -> None:
    """Typed dice leave the focus on the page; the key that holds must not press the button that gets the focus next."""
    page.type("33456").settle().press("Enter")
    assert page.state()["holds"] == [[3, 3]]  # rolled once, not twice
    page.press("Control+z", "Escape").type("66666").settle().mark(0)
    page.locator("body").evaluate("() => document.activeElement.blur()")
    page.press("Enter")
    assert page.count("dialog[open]") == 1  # the warning stays
    page.press("Escape", "Escape")  # first the warning, then the choice, then the dice
    assert page.locator("#best-again").is_hidden()
    assert page.dice() == [6] * 5
    page.die(0).focus()
    assert page.press("Escape").dice() == []
    page.press("Enter").settle()  # plays what the green button says, it enters no dice
    assert (len(page.dice()), page.state()["typed"]) == (5, False)


def test_digits_work_while_a_control_has_the_focus(page: Visitor) -> None:
    for place in ("#open-rules", "#menu-button", "#example", "#edit-card"):
        page.locator(place).focus()
        page.type("3")
    assert page.type("4").dice() == [3, 3, 3, 3, 4]
    page.settle().press("Backspace").locator("#left").focus()
    assert page.type("5").dice() == [3, 3, 3, 3, 5]
    page.click("#open-rules").select_option("#objective", "goal")
    page.locator("#goal").focus()
    page.type("6")
    assert (page.input_value("#goal"), page.dice()) == ("6", [3, 3, 3, 3, 5])
    page.select_option("#objective", "mean")
    page.press("Escape")
