"""The page by keyboard alone: a whole game, the number of tabs, digits everywhere, a focus that is never lost."""

from __future__ import annotations

import random
from typing import Any

import pytest
from perfect_yatzy.play.record import read_game
from support.browser import dice_shown, expect, focused, open_link, record_of, settle, state_of

pytestmark = pytest.mark.full

MAX_TABS_TO_BEST_HOLD = 8


def test_a_whole_game_by_keyboard(blank: Any, address: str) -> None:
    """Digits enter the dice, Enter does what the primary button says."""
    open_link(blank, address, "#rules=crag")
    blank.wait_for_selector("#game-name:has-text('Crag')")
    dice = random.Random(3)
    for turn in range(13):
        expect(blank, "#turn-line", f"Turn {turn + 1} of 13")
        blank.keyboard.type("".join(str(dice.randint(1, 6)) for _ in range(3)))
        settle(blank)
        if not blank.text_content("#go").startswith("Take"):
            blank.keyboard.press("Enter")
            missing = 3 - blank.locator("#dice button").count()
            blank.keyboard.type("".join(str(dice.randint(1, 6)) for _ in range(missing)))
            settle(blank)
        while focused(blank) != "go":
            blank.keyboard.press("Tab")
        blank.keyboard.press("Enter")
    expect(blank, "#turn-line", "Game over")
    game = read_game(record_of(blank))
    assert len(game.turns) == 13
    expect(blank, "#answer", f"Final score: {game.card(0).total}")


def test_few_tabs_lead_to_the_best_hold(page: Any) -> None:
    page.keyboard.type("33456")
    settle(page)
    tabs = 0
    while focused(page) != "go":
        page.keyboard.press("Tab")
        tabs += 1
        assert tabs <= MAX_TABS_TO_BEST_HOLD


def test_the_skip_link_leads_to_the_dice(page: Any) -> None:
    page.keyboard.press("Tab")
    assert focused(page) == "skip"
    page.keyboard.press("Enter")
    assert focused(page) == "dice-title"
    assert "#dice-title" not in page.url


def test_arrow_keys_move_within_the_dice(page: Any) -> None:
    page.keyboard.type("33456")
    settle(page)
    page.locator("#dice button").first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Space")
    assert page.locator("#dice button").nth(2).get_attribute("aria-pressed") == "true"
    page.keyboard.press("End")
    assert "Die 5" in focused(page)
    assert page.locator("#dice [tabindex='0']").count() == 1


def test_the_focus_is_never_lost(page: Any) -> None:
    page.locator("#faces button").first.focus()
    for _ in range(5):
        page.keyboard.press("Enter")
    assert focused(page) == "Add a 1"
    assert dice_shown(page) == [1] * 5
    settle(page)
    page.locator("#ranking button").nth(3).focus()
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.classList.contains('option')")
    page.locator("#best-again").focus()
    page.keyboard.press("Enter")
    assert focused(page) != ""
    assert page.evaluate("document.activeElement !== document.body")
    page.click("#menu-button")
    page.keyboard.press("Escape")
    assert focused(page) == "menu-button"
    assert dice_shown(page) == [1] * 5  # Escape closed the menu only
    page.locator("#dice button").last.focus()
    page.keyboard.press("Backspace")
    assert page.evaluate("document.activeElement.closest('#dice') !== null")


def test_enter_does_one_thing(page: Any) -> None:
    """Typed dice leave the focus on the page; the key that holds must not press the button that gets the focus next."""
    page.keyboard.type("33456")
    settle(page)
    page.keyboard.press("Enter")
    assert state_of(page)["holds"] == [[3, 3]]  # rolled once, not twice
    page.keyboard.press("Control+z")
    page.keyboard.press("Escape")
    page.keyboard.type("66666")
    settle(page)
    page.click("#dice button:first-child")
    page.locator("body").evaluate("() => document.activeElement.blur()")
    page.keyboard.press("Enter")
    assert page.locator("dialog[open]").count() == 1  # the warning stays


def test_escape_takes_back_one_thing(page: Any) -> None:
    """First the choice, then the dice; and Enter still plays what the green button says, it enters no dice."""
    page.keyboard.type("11256")
    settle(page)
    page.click("#dice button:last-child")
    page.keyboard.press("Escape")
    assert page.locator("#best-again").is_hidden()
    assert dice_shown(page) == [1, 1, 2, 5, 6]
    page.locator("#dice button").first.focus()
    page.keyboard.press("Escape")
    assert dice_shown(page) == []
    page.keyboard.press("Enter")
    settle(page)
    assert (len(dice_shown(page)), state_of(page)["typed"]) == (5, False)


def test_digits_work_while_a_control_has_the_focus(page: Any) -> None:
    for place in ("#open-rules", "#menu-button", "#example", "#edit-card"):
        page.locator(place).focus()
        page.keyboard.type("3")
    page.keyboard.type("4")
    assert dice_shown(page) == [3, 3, 3, 3, 4]
    settle(page)
    page.keyboard.press("Backspace")
    page.locator("#left").focus()
    page.keyboard.type("5")
    assert dice_shown(page) == [3, 3, 3, 3, 5]
    page.click("#open-rules")
    page.select_option("#objective", "goal")
    page.locator("#goal").focus()
    page.keyboard.type("6")
    assert page.input_value("#goal") == "6"
    assert dice_shown(page) == [3, 3, 3, 3, 5]
    page.select_option("#objective", "mean")
    page.keyboard.press("Escape")
