"""Real dice on the page: typed or tapped roll after roll, by touch on a phone."""

from __future__ import annotations

import random
from typing import Any

import pytest
from perfect_yatzy.play.record import read_game
from perfect_yatzy.play.review import review
from perfect_yatzy.strategy.strategy import Strategy
from support.browser import dice_shown, expect, record_of, set_left, settle, state_of, tap_dice, wait_for

pytestmark = pytest.mark.full


def test_turns_by_touch_with_real_dice(phone: Any, yatzy: Strategy) -> None:
    """The player does what the primary button says; the record of the game has no errors."""
    dice = random.Random(14)
    for turn in range(4):
        expect(phone, "#turn-line", f"Turn {turn + 1} of 15")
        tap_dice(phone, [dice.randint(1, 6) for _ in range(5)])
        for _ in range(2):
            settle(phone)
            if phone.text_content("#go").startswith("Take"):
                break
            phone.locator("#go").tap()
            tap_dice(phone, [dice.randint(1, 6) for _ in range(5 - phone.locator("#dice button").count())])
        settle(phone)
        phone.locator("#go").tap()
    expect(phone, "#turn-line", "Turn 5 of 15")
    game = read_game(record_of(phone))
    assert len(game.turns) == 4
    assert review(yatzy, game, 0).points_lost == pytest.approx(0.0, abs=1e-9)


def test_a_roll_typed_over_full_dice_begins_the_next_roll(phone: Any) -> None:
    phone.keyboard.type("33456")
    settle(phone)
    phone.keyboard.type("33122")
    settle(phone)
    state = state_of(phone)
    assert state["rolls"] == [[3, 3, 4, 5, 6]]
    assert state["holds"] == [[3, 3]]  # the best hold that fits both rolls
    assert state["left"] == 1
    expect(phone, "#guess", "Kept before this roll:")
    phone.locator("#guess button").nth(1).tap()
    assert state_of(phone)["holds"] != [[3, 3]]
    phone.locator("#undo").tap()
    assert state_of(phone)["holds"] == [[3, 3]]


def test_a_tap_changes_the_marks_by_one_die(phone: Any) -> None:
    phone.keyboard.type("33456")
    settle(phone)
    phone.locator("#dice button").nth(4).tap()
    assert phone.locator("#dice button[aria-pressed='true']").count() == 3
    assert phone.locator("#dice small").all_text_contents() == ["keep", "keep", "", "", "keep"]
    phone.locator("#dice button").nth(0).tap()
    assert phone.locator("#dice small").all_text_contents() == ["best", "keep", "", "", "keep"]


def test_the_keys_stay_at_one_place(phone: Any) -> None:
    """Seven in one row; a second tap at the same spot is always the same die."""
    places = "[...document.querySelectorAll('#faces button')].map((key) => key.getBoundingClientRect()).map((box) => [box.x, box.y])"
    before = phone.evaluate(places)
    assert len({top for _, top in before}) == 1
    phone.keyboard.type("3")
    assert phone.evaluate(places) == before
    phone.keyboard.type("3456")
    settle(phone)
    for dice in ("1", "22"):
        assert phone.evaluate(places) == before
        phone.keyboard.type(dice)
    settle(phone)
    assert phone.evaluate(places) == before


def test_the_other_choices_are_opened_and_closed(phone: Any) -> None:
    phone.keyboard.type("33456")
    settle(phone)
    expect(phone, "#more", "Other choices")
    phone.locator("#more").tap()
    assert phone.locator("#ranking li").count() == 6
    phone.locator("#more").tap()
    assert phone.locator("#ranking li").count() > 6
    phone.locator("#hide-list").tap()
    expect(phone, "#more", "Other choices")
    assert phone.locator("#ranking").is_hidden() or phone.locator("#ranking li:visible").count() == 0
    assert phone.locator("#hide-list").is_hidden()


def test_the_card_stays_in_its_place_while_a_roll_is_asked_for(phone: Any) -> None:
    phone.locator("#go").tap()
    settle(phone)
    top = "document.getElementById('card-panel').getBoundingClientRect().top"
    before = phone.evaluate(top)
    asked: list[Any] = []
    phone.route("**/api/hold", lambda route: asked.append(route))
    phone.locator("#go").tap()
    wait_for(phone, lambda: asked)
    assert phone.evaluate(top) >= before - 30
    for route in asked:
        route.continue_()
    settle(phone)
    phone.unroute("**/api/hold")


def test_a_die_of_the_last_roll_is_changed_by_a_tap(phone: Any) -> None:
    phone.keyboard.type("33456")
    set_left(phone, 0)
    settle(phone)
    phone.locator("#dice button").nth(2).tap()
    tap_dice(phone, [3])
    assert dice_shown(phone) == [3, 3, 3, 5, 6]
    phone.locator("#undo").tap()
    assert dice_shown(phone) == [3, 3, 4, 5, 6]


def test_a_die_is_changed_by_a_tap_while_others_are_entered(phone: Any) -> None:
    """Those held before the roll stay; what is chosen is left alone once the die is gone."""
    tap_dice(phone, [3, 3, 4])
    phone.locator("#dice button").nth(1).tap()
    expect(phone, "#faces-hint", "what this die shows")
    tap_dice(phone, [5])
    assert dice_shown(phone) == [3, 5, 4]
    phone.locator("#dice button").nth(2).tap()
    phone.locator("#remove-die").tap()
    tap_dice(phone, [3, 5, 6])
    assert dice_shown(phone) == [3, 5, 3, 5, 6]
    settle(phone)
    phone.locator("#dice button").nth(0).tap()  # now a tap holds
    tap_dice(phone, [1])
    assert dice_shown(phone) == [3, 5, 5, 1]  # beside the two that were advised
    closed = phone.locator("#dice button").evaluate_all("(all) => all.map((die) => die.ariaDisabled === 'true')")
    assert closed == [True, True, True, False]


def test_an_unlikely_hold_is_asked_for(phone: Any) -> None:
    """From 6 6 6 6 1 nobody keeps the 1, but the dice say so."""
    phone.keyboard.type("16666")
    settle(phone)
    phone.keyboard.type("12345")
    settle(phone)
    expect(phone, "#guess", "Which dice did you keep before this roll?")
    assert phone.locator("#guess.unclear").count() == 1


def test_the_dice_of_a_roll_are_corrected(phone: Any) -> None:
    phone.keyboard.type("33456")
    settle(phone)
    tap_dice(phone, [1])
    assert dice_shown(phone) == [3, 3, 1]
    phone.keyboard.press("Escape")
    assert dice_shown(phone) == [3, 3]  # the dice that lie on the table stay
    phone.keyboard.press("Backspace")
    assert dice_shown(phone) == [3, 3, 4, 5, 6]  # back before the hold
    assert state_of(phone)["left"] == 2
    settle(phone)
    tap_dice(phone, [1, 1, 2])
    settle(phone)
    assert state_of(phone)["rolls"] == [[3, 3, 4, 5, 6]]


def test_a_die_typed_over_a_finished_hand_says_how_to_take_it_back(page: Any) -> None:
    """Enter plays again after a change of rooms by keyboard, and Escape ends the change of one die only."""
    page.keyboard.type("23456")
    settle(page)
    expect(page, "#go", "Take Large Straight for 20")
    page.keyboard.press("1")
    expect(page, "#notice", "A new roll. Undo brings 2 3 4 5 6 back.")
    page.keyboard.press("Control+z")
    assert dice_shown(page) == [2, 3, 4, 5, 6]
    page.focus("#rooms [data-room=play]")
    page.keyboard.press("Enter")
    page.keyboard.press("1")
    page.keyboard.press("Control+z")
    settle(page)
    page.keyboard.press("Enter")
    expect(page, "#turn-line", "Turn 2 of 15")
    page.keyboard.type("12346")
    set_left(page, 0)
    page.locator("#dice button").nth(1).click()
    page.keyboard.press("Escape")
    assert dice_shown(page) == [1, 2, 3, 4, 6]
    page.keyboard.press("Escape")
    assert dice_shown(page) == []
