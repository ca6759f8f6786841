"""Playing on without advice: rules that are not solved, a server that is away, advice that is hidden; what is heard."""

from __future__ import annotations

from typing import Any

import pytest
from support.browser import dice_shown, expect, focused, hide_advice, open_link, ready, settle, state_of, wait_until

pytestmark = pytest.mark.full


def said(page: Any) -> list[str]:
    """What a screen reader has heard of the game."""
    return list(page.locator("#said p").all_text_contents())


def test_a_server_that_is_away_does_not_stop_the_game(tab: Any, address: str) -> None:
    with tab.expect_response("**/api/scoring**"):
        tab.goto(address)
        ready(tab)
    tab.route("**/api/**", lambda route: route.abort())
    tab.click("#go")
    expect(tab, "#answer", "The server does not answer.")
    assert "Working" not in tab.text_content("#table")
    tab.click("#dice button >> nth=0")
    tab.click("#go")
    expect(tab, "#answer", "The server does not answer.")
    points = sum(dice_shown(tab))
    tab.click("#take-chance")
    expect(tab, "#total", str(points))
    tab.unroute("**/api/**")
    tab.click("#go")
    expect(tab, "#answer", "average final score")


def test_a_goal_that_is_not_solved_leaves_the_points_of_the_boxes(tab: Any, address: str) -> None:
    cost = {"what": "goals", "seconds": 25.0, "disk_bytes": 930_000_000, "memory_bytes": 1}
    refused = {"schema": 2, "error": "this takes long", "code": "confirmation-required", "cost": cost}

    def refuse_goals(route: Any) -> None:
        if "goal" in route.request.post_data_json:
            route.fulfill(status=409, json=refused)
        else:
            route.continue_()

    tab.route("**/api/hold", refuse_goals)
    tab.route("**/api/score", refuse_goals)
    tab.route("**/api/expect", refuse_goals)
    tab.goto(address + "#rules=yatzy&dice=33456&left=1&goal=250")
    expect(tab, "#answer", "Keep ")  # the average is known
    expect(tab, "#instead-of", "For the average: The chances of all goals have to be computed once")
    expect(tab, "#long-work button", "25 seconds")
    assert tab.locator(".solve:visible button").count() == 1
    tab.click("#take-chance")
    tab.click("#loss-dialog button >> nth=1")
    expect(tab, "#total", "21")


def test_with_hidden_advice_all_dice_can_be_rolled_again(page: Any) -> None:
    hide_advice(page)
    page.click("#go")
    expect(page, "#answer", "Your choice")
    page.locator("#roll-all").focus()
    page.keyboard.press("Enter")
    wait_until(
        page, "Boolean(document.querySelector('#loss-dialog')) || document.querySelector('#left').value === '1'"
    )
    if page.locator("#loss-dialog").count():
        page.click("#loss-dialog button >> nth=1")
    wait_until(page, "document.querySelector('#left').value === '1'")
    assert state_of(page)["holds"] == [[]]
    assert page.evaluate("document.activeElement !== document.body")


def test_a_screen_reader_hears_the_game(page: Any) -> None:
    page.keyboard.type("33456")
    settle(page)
    assert said(page)[-2:] == ["Roll 1 of 3: 3 3 4 5 6.", "Keep 3 3: 245.75, average final score."]
    assert focused(page) == "dice-title"  # Tab goes on from there
    page.keyboard.type("333")
    settle(page)
    assert said(page)[-2:][0] == "Roll 2 of 3: 3 3 3 3 3."
    page.keyboard.press("Enter")
    expect(page, "#said", "Yatzy: 50 points.")
    assert said(page)[-3:] == ["Yatzy: 50 points.", "Total 50.", "Turn 2 of 15"]
    page.click("#undo")
    expect(page, "#said p:last-child", "Take Yatzy: ")
    assert (
        page.locator("[aria-live]:not(#said)").evaluate_all(
            "(all) => all.filter((e) => e.closest('#table, #bar')).map((e) => e.id)"
        )
        == []
    )


def test_closed_boxes_say_why(blank: Any, address: str) -> None:
    open_link(blank, address, "#rules=yatzy-forced&card=ones=3")
    expect(blank, "#card-closed", "The boxes are filled in order: Twos is next.")
    expect(blank, "#take-fives", "open, roll first")
    blank.keyboard.type("22345")
    settle(blank)
    expect(blank, "#take-fives", "open, cannot take this roll")


def test_one_enter_too_many_at_the_end_does_nothing(blank: Any, address: str) -> None:
    boxes = "ones=3 twos=6 threes=9 fours=12 fives=15 sixes=18 one-pair=10 two-pairs=18 three-of-a-kind=12"
    boxes += " four-of-a-kind=0 small-straight=15 large-straight=0 full-house=0 yatzy=0"
    open_link(blank, address, "#rules=yatzy&left=0&dice=66666&card=" + boxes.replace(" ", "+"))
    settle(blank)
    for _ in range(3):
        blank.keyboard.press("Enter")
        expect(blank, "#answer", "Final score: 198.")
    assert dice_shown(blank) == []
