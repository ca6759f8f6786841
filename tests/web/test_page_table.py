"""The table in a real browser: dice, advice, the card, the link, the objective, errors of the server."""

from __future__ import annotations

import json
from typing import Any

import pytest
from perfect_yatzy.game.rule_loader import load_rules
from perfect_yatzy.service.requests import parse_request
from support.browser import (
    FRAMES,
    PATIENCE_MS,
    dice_shown,
    expect,
    fill_card,
    focused,
    listening,
    open_link,
    ready,
    set_left,
    settle,
    state_of,
    wait_for,
    wait_until,
)
from support.need import need

pytestmark = pytest.mark.full

playwright = need("playwright.sync_api")
LATE_CARD = "ones=3+twos=6+threes=9+fours=12+fives=15+sixes=18+one-pair=10"


def test_the_primary_button_holds_the_best_dice_and_rolls_the_others(blank: Any, address: str) -> None:
    open_link(blank, address, "#rules=yatzy&dice=33456&left=2")
    expect(blank, "#go", "Roll three dice")
    blank.click("#go")
    settle(blank)
    state = state_of(blank)
    assert state["rolls"] == [[3, 3, 4, 5, 6]]
    assert state["holds"] == [[3, 3]]
    assert state["left"] == 1
    assert dice_shown(blank)[:2] == [3, 3]
    open_link(blank, address, "#rules=yatzy&dice=33345&left=0")
    expect(blank, "#go", "Take Threes for 9")
    blank.click("#go")
    expect(blank, "#total", "9")
    expect(blank, "#turn-line", "Turn 2 of 15")
    assert blank.title() == "Yatzy · Turn 2 of 15"


def test_by_mouse_a_position_its_advice_and_its_link(page: Any, browser: Any) -> None:
    fill_card(page, {"ones": 3, "sixes": 24, "chance": 22})
    for face in (3, 3, 4, 5, 6):
        page.click(f"button[aria-label='Add a {face}']")
    set_left(page, 1)
    expect(page, "#answer", "243.15")
    page.click("#map summary")
    page.wait_for_selector("#map tbody tr")
    page.click("#ranking li:first-child button")
    assert page.locator("#dice button[aria-pressed='true']").count() == 2
    expect(page, "#expect", "248.8")
    other = browser.new_context().new_page()
    other.goto(page.url)
    expect(other, "#answer", "243.15")
    expect(other, "#take-sixes .points", "24")
    other.close()


def test_the_reason_names_no_box_that_takes_a_zero(blank: Any, address: str) -> None:
    """Keeping the 6 ends in Small Straight in 15 % of turns: as a zero, since a 6 is no part of it."""
    open_link(blank, address, "#rules=yatzy&dice=62321&left=1")
    expect(blank, "#answer", "Keep 6")
    settle(blank)
    assert blank.text_content("#why")
    assert "Straight" not in blank.text_content("#why")


def test_a_category_is_taken_with_the_rerolls_left(blank: Any, address: str) -> None:
    """Saved rolls and bonuses for a first roll are those of taking the category now."""
    open_link(blank, address, "#rules=generala&dice=12345&left=2")
    expect(blank, "#answer", "Take Straight")
    expect(blank, "#answer", "158.86")
    expect(blank, "#go", "Take Straight for 20 + 5")
    blank.click("#instead")
    expect(blank, "#ranking li:first-child", "Straight for 20 + 5")
    blank.click("#instead")
    blank.click("#go")
    expect(blank, "#total", "25")
    expect(blank, "#expect", "158.9")
    assert focused(blank) == "go"


def test_bonus_points_are_in_the_total_and_the_link(blank: Any, address: str) -> None:
    open_link(blank, address, "#rules=yahtzee&card=yahtzee%3D50&dice=66666&left=0")
    expect(blank, "#go", "Take Sixes for 30 + 100")
    blank.click("#go")
    expect(blank, "#total", "180")
    assert "bonus_points=100" in blank.url
    blank.click("#edit-card")
    assert blank.input_value("#bonus_points") == "100"
    blank.fill("#bonus_points", "0")
    blank.locator("#bonus_points").blur()
    expect(blank, "#total", "80")


def test_dice_send_one_request_for_each_roll(page: Any) -> None:
    asked: list[str] = []
    expected: list[dict[str, Any]] = []

    def note(request: Any) -> None:
        asked.append(request.url.rpartition("/")[2])
        if asked[-1] == "expect":
            expected.append(json.loads(request.post_data))

    with listening(page, request=note):
        page.keyboard.type("33456")
        expect(page, "#answer", "Keep 3 3")
        page.locator("#dice button").nth(0).click()
        expect(page, "#held", "You keep 3:")
        page.keyboard.press("Backspace")
        page.keyboard.type("6")
        settle(page)
    # On a busy machine the average alone is asked beside the distribution.
    assert len([body for body in expected if body.pop("spread", True)]) <= 1
    assert all(body == expected[0] for body in expected)
    assert asked.count("hold") == 1  # the second answer was cached
    assert asked.count("outcomes") == 0  # the next rolls are asked for when they are opened


def test_hold_nothing_can_be_inspected(page: Any) -> None:
    page.keyboard.type("33456")
    settle(page)
    page.locator("#dice button").nth(0).click()
    page.locator("#dice button").nth(1).click()
    expect(page, "#held", "You keep nothing:")
    expect(page, "#go", "Roll all dice for me")
    expect(page, "#map-title", "after holding nothing")
    page.click("#best-again")
    expect(page, "#go", "Roll three dice for me")


def test_a_request_that_is_superseded_never_shows_its_answer(page: Any) -> None:
    held: list[Any] = []
    page.route("**/api/hold", lambda route: held.append(route))
    page.keyboard.type("11111")
    expect(page, "#answer", "Working")
    wait_for(page, lambda: held)
    page.unroute("**/api/hold")
    page.keyboard.press("Escape")
    page.keyboard.type("33456")
    expect(page, "#answer", "Keep 3 3")
    page.evaluate(FRAMES)
    expect(page, "#answer", "Keep 3 3")


def test_a_page_that_cannot_load_tries_again(tab: Any, address: str) -> None:
    tab.route("**/api/**", lambda route: route.abort())
    tab.goto(address)
    expect(tab, "#loading", "The server does not answer.")
    tab.unroute("**/api/**")
    ready(tab)
    assert tab.locator("#table").is_visible()


def test_a_goal_and_a_win_are_maximised(blank: Any, address: str) -> None:
    open_link(blank, address, f"#rules=yatzy&card={LATE_CARD}&dice=33456&left=2&goal=240")
    expect(blank, "#answer", "40.73\u00a0%")
    expect(blank, "#answer", "chance of 240 or more")
    expect(blank, "#aim", "240 or more")
    for goal, words in {600: "600 or more is out of reach", 60: "60 or more is certain"}.items():
        open_link(blank, address, f"#rules=yatzy&card={LATE_CARD}&dice=33456&left=2&goal={goal}")
        expect(blank, "#answer", words)
        expect(blank, "#answer", "ranked by the average")
    open_link(blank, address, f"#rules=yatzy&card={LATE_CARD}&dice=33456&left=2&opponents={LATE_CARD}; 200&ties=loss")
    expect(blank, "#answer", "chance of a win")


def test_an_unusual_aim_stands_above_the_dice_and_leads_to_its_setting(page: Any, address: str) -> None:
    assert page.locator("#aim").is_hidden()  # the best average is the usual aim
    open_link(page, address, f"#rules=yatzy&card={LATE_CARD}&goal=240")
    page.click("#aim")
    assert focused(page) == "objective"
    assert page.input_value("#goal") == "240"


def test_an_aim_without_its_points_is_not_dropped_in_silence(blank: Any, address: str) -> None:
    open_link(blank, address, f"#rules=yatzy&card={LATE_CARD}")
    blank.click("#open-rules")
    blank.select_option("#objective", "goal")
    blank.click("#rules-done")
    expect(blank, "#goal-error", "Enter the points to reach")
    assert focused(blank) == "goal"
    blank.keyboard.type("240")
    blank.keyboard.press("Enter")
    assert blank.locator("#rules-dialog").is_hidden()
    assert state_of(blank)["goal"] == "240"
    blank.click("#open-rules")
    blank.select_option("#objective", "win")
    blank.click("#rules-done")
    expect(blank, "#opponents-error", "add them as players")
    blank.keyboard.press("Escape")
    expect(blank, "#notice", "The aim was not complete")
    assert state_of(blank)["objective"] == "mean"
    blank.click("#open-rules")
    blank.select_option("#objective", "win")
    blank.click("#opponents-players")
    assert blank.locator("#players-dialog").is_visible()
    blank.keyboard.press("Escape")


def test_an_invalid_goal_is_reported_not_changed(page: Any) -> None:
    page.click("#open-rules")
    page.select_option("#objective", "goal")
    for text in ("-5", "1e3", "240.5", "abc"):
        page.fill("#goal", text)
        page.locator("#goal").blur()
        expect(page, "#goal-error", f"not “{text}”")
        assert page.get_attribute("#goal", "aria-invalid") == "true"
        assert page.input_value("#goal") == text
        assert "goal" not in page.url
    page.select_option("#objective", "mean")
    assert page.text_content("#goal-error") == ""


def test_the_end_of_a_game(blank: Any, address: str) -> None:
    boxes = "ones=3 twos=6 threes=9 fours=12 fives=15 sixes=18 one-pair=10 two-pairs=18 three-of-a-kind=12"
    boxes += " four-of-a-kind=0 small-straight=15 large-straight=0 full-house=0 chance=20 yatzy=0"
    open_link(blank, address, "#rules=yatzy&card=" + boxes.replace(" ", "+"))
    expect(blank, "#answer", "Final score: 188.")
    expect(blank, "#bonus", "bonus 50")
    expect(blank, "#upper", "63 of 63")
    expect(blank, "#turn-line", "Game over")
    blank.keyboard.type("3")
    assert blank.locator("#dice button").count() == 0
    blank.click("#go")
    expect(blank, "#turn-line", "Turn 1 of 15")
    expect(blank, "#notice", "Undo brings the old one back")
    blank.click("#undo")
    expect(blank, "#answer", "Final score: 188.")


def test_stepped_bonuses_and_forced_order(blank: Any, address: str) -> None:
    open_link(blank, address, "#rules=kismet&card=" + "+".join(f"{box}={points}" for box, points in KISMET.items()))
    expect(blank, "#bonus-0", "35 so far, 55 at 71")
    open_link(blank, address, "#rules=yatzy-forced&card=ones=3&dice=22345&left=0")
    expect(blank, "#go", "Take Twos for 4")
    assert blank.locator("#card .now").count() == 1


KISMET = {"aces": 3, "deuces": 6, "treys": 9, "fours": 12, "fives": 15, "sixes": 18}


def test_rules_without_a_table_are_solved_by_a_complete_question(tab: Any, address: str) -> None:
    """The work that the button starts is that of a question the server understands without dice."""
    asked: list[dict[str, Any]] = []

    def answer(route: Any) -> None:
        asked.append(json.loads(route.request.post_data))
        route.fulfill(body="event: done\ndata: {}\n\n", content_type="text/event-stream")

    tab.route("**/api/solve", answer)
    tab.goto(address + "#rules=maxi")
    tab.click("#long-work button")
    wait_until(tab, "!document.querySelector('#long-work progress')")
    request = parse_request(asked[0], load_rules)
    assert (request.rules.key, request.query) == ("maxi", "expect")


def test_an_error_of_the_goal_goes_when_it_is_typed_over(blank: Any, address: str) -> None:
    """Else the first click on Done only removes the error, and the button moves."""
    open_link(blank, address, f"#rules=yatzy&card={LATE_CARD}")  # early in a game the server asks before it solves
    blank.click("#open-rules")
    blank.select_option("#objective", "goal")
    blank.click("#rules-done")
    expect(blank, "#goal-error", "points to reach")
    blank.locator("#goal").press_sequentially("250")
    assert blank.text_content("#goal-error") == ""
    blank.click("#rules-done")
    blank.wait_for_selector("#rules-dialog", state="hidden")
    assert state_of(blank)["goal"] == "250"


def test_variants_and_rules_are_behind_one_button(blank: Any, address: str) -> None:
    open_link(blank, address, "#rules=yatzy+four-is-two-pairs&dice=33456&left=2")
    blank.click("#open-rules")
    assert blank.is_checked("#switches input[value='four-is-two-pairs']")
    expect(blank, "#answer", "245.9")
    blank.uncheck("#switches input[value='four-is-two-pairs']")
    expect(blank, "#answer", "245.75")
    blank.locator("#rules").focus()
    blank.select_option("#rules", "kniffel")
    expect(blank, "#notice", "The card was cleared for the other rules; Undo restores it.")
    assert focused(blank) == "rules"
    blank.keyboard.press("Escape")
    assert blank.locator("#rules-dialog").is_hidden()
    playwright.expect(blank.locator("#game-name")).to_have_text("Kniffel", timeout=PATIENCE_MS)
