"""Playing on without advice: rules that are not solved, a server that is away, advice that is hidden; what is heard."""

from __future__ import annotations

from typing import Any

import pytest
from support.browser import Visitor

pytestmark = pytest.mark.full


def test_a_server_that_is_away_does_not_stop_the_game(tab: Visitor) -> None:
    """The page counts the points; it asks again when a button says so, and by itself."""
    with tab.without_server():
        tab.goto(tab.address)
        tab.expects("#loading", "The server does not answer.")
    with tab.expect_response("**/api/scoring**"):
        tab.ready()
    with tab.without_server():
        tab.type("33456").expects("#answer", "The server does not answer.")
        assert "Working" not in tab.text_content("#table")
        assert tab.locator("#retry").is_visible()
    tab.click("#retry").expects("#answer", "Keep 3 3")
    with tab.without_server():
        tab.mark(0).click("#go").expects("#answer", "The server does not answer.")
        tab.press("Escape", "Escape").type("33346").expects("#take-chance .now", "19").expects(
            "#take-threes .now", "9"
        )
        tab.click("#take-chance").expects("#total", "19")
        tab.type("66611").expects("#answer", "The server does not answer.")
    tab.expects("#answer", "Keep 6 6 6")  # by itself


def test_a_goal_that_is_not_solved_leaves_the_points_of_the_boxes(tab: Visitor) -> None:
    cost = {"what": "goals", "seconds": 25.0, "disk_bytes": 930_000_000, "memory_bytes": 1}
    refused = {"schema": 2, "error": "this takes long", "code": "confirmation-required", "cost": cost}

    def refuse_goals(route: Any) -> None:
        if "goal" in route.request.post_data_json:
            route.fulfill(status=409, json=refused)
        else:
            route.continue_()

    for query in ("hold", "score", "expect"):
        tab.route(f"**/api/{query}", refuse_goals)
    tab.open("#rules=yatzy&dice=33456&left=1&goal=250").expects("#answer", "Keep ")  # the average is known
    tab.expects("#instead-of", "For the average: The chances of all goals have to be computed once")
    tab.expects("#long-work button", "25 seconds")
    assert tab.count(".solve:visible button") == 1
    tab.click("#take-chance").click("#loss-dialog button >> nth=1").expects("#total", "21")


def test_with_hidden_advice_all_dice_can_be_rolled_again(page: Visitor) -> None:
    page.hide_advice()
    page.click("#go").expects("#answer", "Your choice")
    page.locator("#roll-all").focus()
    page.press("Enter").wait_until("document.querySelector('#left').value === '1'")
    assert page.state()["holds"] == [[]]
    assert page.evaluate("document.activeElement !== document.body")


def test_a_screen_reader_hears_the_game(page: Visitor) -> None:
    def said() -> list[str]:
        return [text.replace("\u00a0", " ") for text in page.locator("#said p").all_text_contents()]

    page.type("33456").settle()
    assert said()[-2:] == ["Roll 1 of 3: 3 3 4 5 6.", "Keep 3 3: 245.75, average final score."]
    assert page.focused() == "dice-title"  # Tab goes on from there
    page.type("333").settle()
    assert said()[-2] == "Roll 2 of 3: 3 3 3 3 3."
    page.press("Enter").expects("#said", "Yatzy: 50 points.")
    assert said()[-3:] == ["Yatzy: 50 points.", "Total 50.", "Turn 2 of 15"]
    page.click("#undo").expects("#said p:last-child", "Take Yatzy for 50: ")
    assert page.count(":is(#table, #bar) [aria-live]:not(#said)") == 0
