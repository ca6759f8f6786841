"""Playing on without advice: rules that are not solved, a server that is away, advice that is hidden; what is heard."""

from __future__ import annotations

from typing import Any

from support.browser import PATIENCE_MS, dice_shown, expect, focused, open_link, ready, settle, state_of


def said(page: Any) -> list[str]:
    """What a screen reader has heard of the game."""
    return list(page.locator("#said p").all_text_contents())


def test_rules_without_a_table_can_be_played(browser: Any, address: str) -> None:
    page = browser.new_page()
    page.set_default_timeout(PATIENCE_MS)
    page.goto(address + "#rules=maxi")
    ready(page)
    expect(page, "#answer", "has to be computed once")
    assert page.locator(".solve:visible button").count() == 1
    page.click("#go")
    expect(page, "#gap", "Without advice: tap the dice to hold, or a box of the card.")
    assert "Working" not in page.text_content("#table")
    page.click("#dice button >> nth=0")
    expect(page, "#go", "and roll five dice")
    page.click("#go")
    page.click("#roll-all")
    assert [len(hold) for hold in state_of(page)["holds"]] == [1, 0]
    points = sum(dice_shown(page))
    expect(page, "#take-chance .points", str(points))
    page.click("#take-chance")
    expect(page, "#total", str(points))
    expect(page, "#turn-line", "Turn 2 of 20")
    page.close()


def test_a_server_that_is_away_does_not_stop_the_game(browser: Any, address: str) -> None:
    page = browser.new_page()
    page.set_default_timeout(PATIENCE_MS)
    page.goto(address)
    ready(page)
    page.route("**/api/**", lambda route: route.abort())
    page.click("#go")
    expect(page, "#answer", "The server does not answer.")
    assert "Working" not in page.text_content("#table")
    page.click("#dice button >> nth=0")
    page.click("#go")
    expect(page, "#answer", "The server does not answer.")
    page.click("#take-chance")
    page.keyboard.press("Escape")
    assert focused(page) == "take-chance"
    page.click("#take-chance")
    page.select_option("#points-of-box", "17")
    page.click("#points-dialog .primary")
    expect(page, "#total", "17")
    page.unroute("**/api/**")
    page.click("#go")
    expect(page, "#answer", "average final score")
    page.close()


def test_a_goal_that_is_not_solved_leaves_the_points_of_the_boxes(browser: Any, address: str) -> None:
    page = browser.new_page()
    page.set_default_timeout(PATIENCE_MS)
    cost = {"what": "goals", "seconds": 25.0, "disk_bytes": 930_000_000, "memory_bytes": 1}
    refused = {"schema": 2, "error": "this takes long", "code": "confirmation-required", "cost": cost}

    def refuse_goals(route: Any) -> None:
        if "goal" in route.request.post_data_json:
            route.fulfill(status=409, json=refused)
        else:
            route.continue_()

    page.route("**/api/hold", refuse_goals)
    page.route("**/api/score", refuse_goals)
    page.route("**/api/expect", refuse_goals)
    page.goto(address + "#rules=yatzy&dice=33456&left=1&goal=250")
    expect(page, "#answer", "The chances of all goals have to be computed once")
    assert "error" not in page.get_attribute("#answer", "class")
    expect(page, "#long-work button", "25 seconds")
    assert page.locator(".solve:visible button").count() == 1
    page.click("#take-chance")
    expect(page, "#total", "21")
    page.close()


def test_with_hidden_advice_all_dice_can_be_rolled_again(page: Any) -> None:
    page.check("#hide-advice")
    page.click("#go")
    expect(page, "#answer", "Your choice")
    page.locator("#roll-all").focus()
    page.keyboard.press("Enter")
    page.wait_for_function(
        "() => document.querySelector('#loss-dialog') || document.querySelector('#left').value === '1'"
    )
    if page.locator("#loss-dialog").count():
        page.click("#loss-dialog button >> nth=1")
    page.wait_for_function("() => document.querySelector('#left').value === '1'")
    assert state_of(page)["holds"] == [[]]
    assert page.evaluate("document.activeElement !== document.body")


def test_a_screen_reader_hears_the_game(page: Any) -> None:
    page.keyboard.type("33456")
    settle(page)
    assert said(page)[-2:] == ["Roll 1 of 3: 3 3 4 5 6.", "Keep 3 3: 245.75, average final score."]
    assert focused(page) == "dice-title"  # Tab goes on from there
    page.keyboard.press("Enter")
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


def test_closed_boxes_say_why(page: Any, address: str) -> None:
    open_link(page, address, "#rules=yatzy-forced&card=ones=3")
    expect(page, "#card-closed", "The boxes are filled in order: Twos is next.")
    expect(page, "#take-fives", "open, roll first")
    page.keyboard.type("22345")
    settle(page)
    expect(page, "#take-fives", "open, cannot take this roll")


def test_one_enter_too_many_at_the_end_does_nothing(page: Any, address: str) -> None:
    boxes = "ones=3 twos=6 threes=9 fours=12 fives=15 sixes=18 one-pair=10 two-pairs=18 three-of-a-kind=12"
    boxes += " four-of-a-kind=0 small-straight=15 large-straight=0 full-house=0 yatzy=0"
    open_link(page, address, "#rules=yatzy&left=0&dice=66666&card=" + boxes.replace(" ", "+"))
    settle(page)
    for _ in range(3):
        page.keyboard.press("Enter")
        page.wait_for_timeout(100)
    expect(page, "#answer", "Final score 198.")
    assert dice_shown(page) == []
