"""The page remembers: closing and reopening, reloads, links, positions copied and pasted, undo."""

from __future__ import annotations

from typing import Any

import pytest
from support.browser import PATIENCE_MS, dice_shown, expect, open_link, ready, record_of, settle, state_of

pytestmark = pytest.mark.full


def test_a_link_goes_before_the_stored_game_and_undo_brings_that_back(page: Any, address: str) -> None:
    page.keyboard.type("33345")
    settle(page)
    page.evaluate("location.hash = '#rules=crag&dice=555&left=1'")
    expect(page, "#game-name", "Crag")
    page.click("#undo")
    expect(page, "#game-name", "Yatzy")
    assert dice_shown(page) == [3, 3, 3, 4, 5]


def test_invalid_parts_of_a_link_are_reported(blank: Any, address: str) -> None:
    open_link(
        blank, address, "#rules=yatzy&card=ones=99+twos=+nonsense=3+sixes=24&dice=3378&left=7&bonus_points=5&what=1"
    )
    for part in ("Ones cannot hold “99”", "Twos cannot hold “”", "no box “nonsense”", "The dice", "The rerolls left"):
        expect(blank, "#notice", part)
    for part in ("The bonus points cannot be “5”", "“what” is not a field of a link"):
        expect(blank, "#notice", part)
    expect(blank, "#take-sixes .points", "24")
    assert blank.locator("#take-twos .scored").count() == 0
    open_link(blank, address, "#rules=giant-forced&card=ones=3")
    expect(blank, "#notice", "The rules “giant-forced” are not available on this page, which shows Yatzy instead.")


def test_editing_the_card_of_a_game_says_that_it_loses_its_record(page: Any) -> None:
    page.keyboard.type("33345")
    for _ in range(2):
        settle(page)
        page.keyboard.type("33345")
    settle(page)
    page.click("#go")
    expect(page, "#total", "9")
    page.click("#edit-card")
    page.fill("#box-ones", "0")
    page.locator("#box-ones").blur()
    expect(
        page,
        "#notice",
        "The card was changed by hand: the game played here can no longer be reviewed; Undo restores it.",
    )
    page.click("#undo")
    assert state_of(page)["edited"] is False


def test_a_game_survives_closing_the_tab(browser: Any, address: str) -> None:
    context = browser.new_context()
    context.set_default_timeout(PATIENCE_MS)
    first = context.new_page()
    first.goto(address)
    ready(first)
    first.keyboard.type("33345")
    first.click("#menu-button")
    first.click("#open-players")
    first.locator("#names input").first.fill("Ann")
    first.click("#players-form button[type='submit']")
    for _ in range(2):
        settle(first)
        first.keyboard.type("33345")
    expect(first, "#go", "Take Threes for 9")
    first.click("#go")
    expect(first, "#total", "9")
    first.keyboard.type("66")
    first.close()
    second = context.new_page()
    second.goto(address)
    ready(second)
    expect(second, "#total", "9")
    assert dice_shown(second) == [6, 6]
    assert len(record_of(second)["turns"]) == 1
    assert record_of(second)["players"] == ["Ann"]
    for _ in range(3):  # two dice and the box
        second.click("#undo")
    expect(second, "#total", "0")
    second.reload()
    ready(second)
    expect(second, "#total", "0")


def test_a_position_is_copied_as_the_command_and_pasted(blank: Any, address: str) -> None:
    open_link(blank, address, "#rules=yatzy&card=ones=3+sixes=24&dice=33456&left=1")
    command = blank.evaluate("loaded('transfer').then((module) => module.commandText())")
    assert command == 'yatzy hold 33456 --rolls-left 1 --card "ones=3 sixes=24"'
    blank.click("#menu-button")
    blank.click("#new-game")
    for text, dice in (
        (command, [3, 3, 4, 5, 6]),
        (blank.url.partition("#")[0] + "#rules=yatzy&dice=1,1,2,2,3", [1, 1, 2, 2, 3]),
    ):
        blank.click("#menu-button")
        blank.click("#open-paste")
        blank.fill("#paste-text", text)
        blank.click("#paste-form button[type='submit']")
        expect(blank, "#notice", "The position is pasted; Undo goes back.")
        assert dice_shown(blank) == dice
    blank.click("#menu-button")
    blank.click("#open-paste")
    blank.fill("#paste-text", 'yatzy hold 3345 --card "nonsense=3"')
    blank.click("#paste-form button[type='submit']")
    expect(blank, "#paste-error", "There is no box “nonsense”")
    assert blank.locator("#paste-dialog").is_visible()
