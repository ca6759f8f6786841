"""The table in a real browser: dice, advice, the card, the link, the objective, errors of the server."""

from __future__ import annotations

import json
from typing import Any

from perfect_yatzy.game.rule_loader import load_rules
from perfect_yatzy.service.requests import parse_request
from support.browser import PATIENCE_MS, dice_shown, expect, fill_card, focused, open_link, ready, settle, state_of
from support.need import need

playwright = need("playwright.sync_api")
LATE_CARD = "ones=3+twos=6+threes=9+fours=12+fives=15+sixes=18+one-pair=10"


def test_typed_dice_get_advice_with_its_value_gap_and_reason(page: Any) -> None:
    page.keyboard.type("33456")
    expect(page, "#answer", "Keep 3 3")
    assert "245.75" in page.text_content("#answer")
    expect(page, "#gap", "0.08 points better than 5 6.")
    expect(page, "#why", "of turns")
    kept = page.locator("#dice .advised small").all_text_contents()
    assert kept == ["keep", "keep"]
    page.keyboard.press("Backspace")
    expect(page, "#answer", "1 more die.")
    page.keyboard.press("Control+z")
    expect(page, "#answer", "Keep 3 3")
    page.keyboard.press("Escape")
    assert page.locator("#dice button").count() == 0
    assert page.locator("#start").is_visible()


def test_the_primary_button_holds_the_best_dice_and_rolls_the_others(page: Any, address: str) -> None:
    open_link(page, address, "#rules=yatzy&dice=33456&left=2")
    expect(page, "#go", "Hold 3 3 and roll three dice")
    page.click("#go")
    settle(page)
    state = state_of(page)
    assert state["rolls"] == [[3, 3, 4, 5, 6]]
    assert state["holds"] == [[3, 3]]
    assert state["left"] == 1
    assert dice_shown(page)[:2] == [3, 3]
    open_link(page, address, "#rules=yatzy&dice=33345&left=0")
    expect(page, "#go", "Take Threes for 9")
    expect(page, "#go-short", "Take")
    page.click("#go")
    expect(page, "#total", "9")
    expect(page, "#turn-line", "Turn 2 of 15")
    assert page.title() == "Yatzy · Turn 2 of 15"


def test_by_mouse_a_position_its_advice_and_its_link(page: Any, browser: Any) -> None:
    fill_card(page, {"ones": 3, "sixes": 24, "chance": 22})
    for face in (3, 3, 4, 5, 6):
        page.click(f"button[aria-label='Add a {face}']")
    page.select_option("#left", "1")
    expect(page, "#answer", "243.15")
    page.click("#map summary")
    page.wait_for_selector("#map tbody tr")
    page.click("#ranking li:first-child button")
    assert page.locator("#dice button[aria-pressed='true']").count() == 2
    expect(page, "#expect", "248.8")
    other = browser.new_page()
    other.goto(page.url)
    expect(other, "#answer", "243.15")
    expect(other, "#take-sixes .points", "24")
    other.close()


def test_the_points_of_this_roll_stand_in_each_open_box_and_a_tap_takes_them(page: Any, address: str) -> None:
    open_link(page, address, "#rules=yatzy&card=ones=3+sixes=24+chance=22&dice=33456&left=0")
    settle(page)
    expect(page, "#take-threes .now", "6")
    expect(page, "#take-yatzy .zero", "0")
    assert page.locator("#take-ones .now").count() == 0
    assert page.get_attribute("#take-ones", "aria-disabled") == "true"
    best = page.locator("#card .best")
    assert best.count() == 1
    assert best.locator(".name").text_content() in page.text_content("#answer")
    expect(page, "#bonus-0", "Upper 27 of 63")
    expect(page, "#bonus-0 .par", "6 ahead")
    best.click()
    expect(page, "#turn-line", "Turn 5 of 15")
    page.click("#undo")
    expect(page, "#turn-line", "Turn 4 of 15")


def test_the_reason_names_no_box_that_takes_a_zero(page: Any, address: str) -> None:
    """Keeping the 6 ends in Small Straight in 15 % of turns: as a zero, since a 6 is no part of it."""
    open_link(page, address, "#rules=yatzy&dice=62321&left=1")
    expect(page, "#answer", "Keep 6")
    settle(page)
    assert page.text_content("#why")
    assert "Straight" not in page.text_content("#why")


def test_a_category_is_taken_with_the_rerolls_left(page: Any, address: str) -> None:
    """Saved rolls and bonuses for a first roll are those of taking the category now."""
    open_link(page, address, "#rules=generala&dice=12345&left=2")
    expect(page, "#answer", "Take Straight")
    expect(page, "#answer", "158.86")
    expect(page, "#go", "Take Straight for 20 + 5")
    page.click("#instead")
    expect(page, "#ranking li:first-child", "Straight for 20 + 5")
    page.click("#instead")
    page.click("#go")
    expect(page, "#total", "25")
    expect(page, "#expect", "158.9")
    assert focused(page) == "go"


def test_comparing_the_boxes_changes_the_list_only(page: Any, address: str) -> None:
    """A box with rerolls left is no advice: headline and button stay, losses are those against the best hold."""
    open_link(page, address, "#rules=yatzy&dice=23466&left=2")
    expect(page, "#answer", "Keep 6 6")
    headline = page.text_content("#answer")
    page.click("#instead")
    expect(page, "#ranking li:nth-child(2)", " for ")
    assert page.text_content("#answer") == headline
    expect(page, "#go", "Hold 6 6 and roll three dice")
    best = page.locator("#ranking li:has(.grade.best)")  # the hold that the boxes are compared with
    assert best.count() == 1
    assert str(best.locator("button").get_attribute("aria-label")).startswith("Keep 6 6: ")
    assert page.locator("#ranking li:first-child .grade").text_content() == "best"
    asked = (
        "(query) => import('./ask.js').then(({ask}) =>"
        " ask(query, {rules: 'yatzy', card: {}, dice: [2, 3, 4, 6, 6], rolls_left: 2}, {}))"
    )
    hold, box = page.evaluate(asked, "hold")["holds"][0], page.evaluate(asked, "score")["categories"][0]
    loss = hold["expected_final_score"] - box["expected_final_score"]
    assert loss > 2
    expect(page, "#ranking li:nth-child(2) .option-loss", f"−{loss:.2f}")
    page.click("#ranking li:nth-child(2) button")
    page.wait_for_selector("#loss-dialog")
    page.click("#loss-dialog .primary")
    assert state_of(page)["turns"] == []
    page.click("#instead")
    assert page.locator("#ranking .grade", has_text="best").count() == 1


def test_bonus_points_are_in_the_total_and_the_link(page: Any, address: str) -> None:
    open_link(page, address, "#rules=yahtzee&card=yahtzee%3D50&dice=66666&left=0")
    expect(page, "#go", "Take Sixes for 30 + 100")
    page.click("#go")
    expect(page, "#total", "180")
    assert "bonus_points=100" in page.url
    page.click("#edit-card")
    assert page.input_value("#bonus_points") == "100"
    page.fill("#bonus_points", "0")
    page.locator("#bonus_points").blur()
    expect(page, "#total", "80")


def test_dice_send_one_request_for_each_roll(page: Any) -> None:
    asked: list[str] = []
    expected: list[dict[str, Any]] = []

    def note(request: Any) -> None:
        asked.append(request.url.rpartition("/")[2])
        if asked[-1] == "expect":
            expected.append(json.loads(request.post_data))

    page.on("request", note)
    page.keyboard.type("33456")
    expect(page, "#answer", "Keep 3 3")
    page.locator("#dice button").nth(0).click()
    expect(page, "#held", "You hold 3:")
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
    expect(page, "#held", "You hold nothing:")
    expect(page, "#go", "Hold nothing, then enter all dice")
    expect(page, "#map-title", "after holding nothing")
    page.click("#best-again")
    expect(page, "#go", "Hold 3 3, then enter three dice")


def test_all_holds_can_be_shown_and_the_current_one_is_valued(page: Any) -> None:
    page.keyboard.type("33456")
    settle(page)
    assert page.locator("#ranking li").count() == 6
    page.click("#more")
    assert page.locator("#ranking li").count() == 24
    for die in (0, 2, 3):
        page.locator("#dice button").nth(die).click()
    expect(page, "#held", "You hold 3 4 5:")
    expect(page, "#held", "less than the best")
    assert page.locator("#ranking [aria-current='true']").count() == 1
    page.click("#map summary")
    page.wait_for_selector("#map tbody tr")
    assert page.locator("#map tbody tr").count() == 21
    worst = page.locator("#ranking li").last
    assert worst.locator(".grade").text_content() == "blunder"
    widths = page.locator("#ranking .loss-bar span").evaluate_all("(all) => all.map((bar) => bar.offsetWidth)")
    assert widths == sorted(widths)


def test_a_request_that_is_superseded_never_shows_its_answer(page: Any) -> None:
    held: list[Any] = []
    page.route("**/api/hold", lambda route: held.append(route))
    page.keyboard.type("11111")
    expect(page, "#answer", "Working")
    while not held:
        page.wait_for_timeout(20)
    page.unroute("**/api/hold")
    page.keyboard.press("Escape")
    page.keyboard.type("33456")
    expect(page, "#answer", "Keep 3 3")
    page.wait_for_timeout(200)
    expect(page, "#answer", "Keep 3 3")


def test_a_server_that_does_not_answer_is_reported_and_asked_again(browser: Any, address: str) -> None:
    page = browser.new_page()
    page.goto(address)
    ready(page)
    page.route("**/api/**", lambda route: route.abort())
    page.keyboard.type("33456")
    expect(page, "#answer", "The server does not answer.")
    assert page.locator("#retry").is_visible()
    page.unroute("**/api/**")
    page.click("#retry")
    expect(page, "#answer", "Keep 3 3")
    page.route("**/api/**", lambda route: route.abort())
    page.keyboard.press("Escape")
    page.keyboard.type("66611")
    expect(page, "#answer", "The server does not answer.")
    page.unroute("**/api/**")
    expect(page, "#answer", "Keep 6 6 6")  # by itself
    page.close()


def test_a_page_that_cannot_load_tries_again(browser: Any, address: str) -> None:
    page = browser.new_page()
    page.route("**/api/**", lambda route: route.abort())
    page.goto(address)
    expect(page, "#loading", "The server does not answer.")
    page.unroute("**/api/**")
    ready(page)
    assert page.locator("#table").is_visible()
    page.close()


def test_a_goal_and_a_win_are_maximised(page: Any, address: str) -> None:
    open_link(page, address, f"#rules=yatzy&card={LATE_CARD}&dice=33456&left=2&goal=240")
    expect(page, "#answer", "40.73\u00a0%")
    expect(page, "#answer", "chance of 240 or more")
    expect(page, "#aim", "240 or more")
    for goal, words in {600: "600 or more is out of reach", 60: "60 or more is certain"}.items():
        open_link(page, address, f"#rules=yatzy&card={LATE_CARD}&dice=33456&left=2&goal={goal}")
        expect(page, "#answer", words)
        expect(page, "#answer", "ranked by the average")
    open_link(page, address, f"#rules=yatzy&card={LATE_CARD}&dice=33456&left=2&opponents={LATE_CARD}; 200&ties=loss")
    expect(page, "#answer", "chance of a win")


def test_an_unusual_aim_stands_above_the_dice_and_leads_to_its_setting(page: Any, address: str) -> None:
    assert page.locator("#aim").is_hidden()  # the best average is the usual aim
    open_link(page, address, f"#rules=yatzy&card={LATE_CARD}&goal=240")
    page.click("#aim")
    assert focused(page) == "objective"
    assert page.input_value("#goal") == "240"


def test_an_aim_without_its_points_is_not_dropped_in_silence(page: Any, address: str) -> None:
    open_link(page, address, f"#rules=yatzy&card={LATE_CARD}")
    page.click("#open-rules")
    page.select_option("#objective", "goal")
    page.click("#rules-done")
    expect(page, "#objective-error", "Enter the points to reach")
    assert focused(page) == "goal"
    page.keyboard.type("240")
    page.keyboard.press("Enter")
    assert page.locator("#rules-dialog").is_hidden()
    assert state_of(page)["goal"] == "240"
    page.click("#open-rules")
    page.select_option("#objective", "win")
    page.click("#rules-done")
    expect(page, "#opponents-error", "add them as players")
    page.keyboard.press("Escape")
    expect(page, "#notice", "The aim was not complete")
    assert state_of(page)["objective"] == "mean"
    page.click("#open-rules")
    page.select_option("#objective", "win")
    page.click("#opponents-players")
    assert page.locator("#players-dialog").is_visible()
    page.keyboard.press("Escape")


def test_an_invalid_goal_is_reported_not_changed(page: Any) -> None:
    page.click("#open-rules")
    page.select_option("#objective", "goal")
    for text in ("-5", "1e3", "240.5", "abc"):
        page.fill("#goal", text)
        page.locator("#goal").blur()
        expect(page, "#objective-error", f"not “{text}”")
        assert page.get_attribute("#goal", "aria-invalid") == "true"
        assert page.input_value("#goal") == text
        assert "goal" not in page.url
    page.select_option("#objective", "mean")
    assert page.text_content("#objective-error") == ""


def test_an_invalid_box_stays_until_it_is_corrected(page: Any) -> None:
    page.click("#edit-card")
    page.fill("#box-ones", "9")
    page.locator("#box-ones").blur()
    expect(page, "#card-error", "Ones cannot hold 9. It can hold 0, 1, 2, 3, 4, 5.")
    assert page.get_attribute("#box-ones", "aria-describedby") == "card-error"
    page.fill("#box-twos", "7")
    page.locator("#box-twos").blur()
    assert page.locator("#card-error p").count() == 2
    page.keyboard.type("33456")
    expect(page, "#answer", "Keep 3 3")
    expect(page, "#ignored", "2 boxes of the card are wrong and not counted.")
    assert page.input_value("#box-ones") == "9"
    assert page.get_attribute("#box-ones", "aria-invalid") == "true"
    page.fill("#box-ones", "3")
    page.locator("#box-ones").blur()
    page.fill("#box-twos", "")
    page.locator("#box-twos").blur()
    assert page.get_attribute("#box-ones", "aria-invalid") is None
    assert page.text_content("#card-error") == ""
    assert page.locator("#ignored").is_hidden()


def test_the_end_of_a_game(page: Any, address: str) -> None:
    boxes = "ones=3 twos=6 threes=9 fours=12 fives=15 sixes=18 one-pair=10 two-pairs=18 three-of-a-kind=12"
    boxes += " four-of-a-kind=0 small-straight=15 large-straight=0 full-house=0 chance=20 yatzy=0"
    open_link(page, address, "#rules=yatzy&card=" + boxes.replace(" ", "+"))
    expect(page, "#answer", "The card is full. Final score 188.")
    expect(page, "#bonus", "bonus 50")
    expect(page, "#upper", "63 of 63")
    expect(page, "#turn-line", "Game over")
    page.keyboard.type("3")
    assert page.locator("#dice button").count() == 0
    page.click("#go")
    expect(page, "#turn-line", "Turn 1 of 15")
    expect(page, "#notice", "Undo brings the old one back")
    page.click("#undo")
    expect(page, "#answer", "Final score 188.")


def test_stepped_bonuses_and_forced_order(page: Any, address: str) -> None:
    open_link(page, address, "#rules=kismet&card=" + "+".join(f"{box}={points}" for box, points in KISMET.items()))
    expect(page, "#bonus-0", "35 so far, 55 at 71")
    open_link(page, address, "#rules=yatzy-forced&card=ones=3&dice=22345&left=0")
    expect(page, "#go", "Take Twos for 4")
    assert page.locator("#card .now").count() == 1


KISMET = {"aces": 3, "deuces": 6, "treys": 9, "fours": 12, "fives": 15, "sixes": 18}


def test_names_and_numbers_in_another_language(page: Any) -> None:
    page.click("#menu-button")
    page.click("#open-language")
    page.select_option("#language", "sv")
    expect(page, "#card", "Kåk")
    assert page.get_attribute("html", "lang") == "sv"
    page.keyboard.press("Escape")
    page.keyboard.type("33456")
    expect(page, "#answer", "245,75")
    expect(page, "#ranking .grade >> nth=1", "småfel")
    expect(page, "#take-chance", "poäng för det här kastet")
    page.reload()
    expect(page, "#card", "Kåk")
    page.evaluate("localStorage.removeItem('perfect-yatzy-language')")


def test_variants_and_rules_are_behind_one_button(page: Any, address: str) -> None:
    open_link(page, address, "#rules=yatzy+four-is-two-pairs&dice=33456&left=2")
    page.click("#open-rules")
    assert page.is_checked("#switches input[value='four-is-two-pairs']")
    expect(page, "#answer", "245.9")
    page.uncheck("#switches input[value='four-is-two-pairs']")
    expect(page, "#answer", "245.75")
    page.locator("#rules").focus()
    page.select_option("#rules", "kniffel")
    expect(page, "#notice", "The card was cleared for the other rules; Undo restores it.")
    assert focused(page) == "rules"
    page.keyboard.press("Escape")
    assert page.locator("#rules-dialog").is_hidden()
    playwright.expect(page.locator("#game-name")).to_have_text("Kniffel", timeout=PATIENCE_MS)


def test_a_roll_is_not_given_away_by_one_click(page: Any, address: str) -> None:
    open_link(page, address, "#rules=yatzy&dice=66666&left=2")
    expect(page, "#go", "Take Yatzy for 50")
    page.locator("#dice button").first.click()
    page.locator("#dice button").first.click()
    expect(page, "#go", "Hold nothing and roll all dice")
    page.click("#go")
    expect(page, "#loss-dialog", "loses")
    page.click("#loss-dialog .primary")
    assert dice_shown(page) == [6] * 5
    page.click("#go")
    page.click("#loss-dialog button >> nth=1")
    settle(page)
    assert state_of(page)["holds"] == [[]]


def test_rules_without_a_table_are_solved_by_a_complete_question(browser: Any, address: str) -> None:
    """The work that the button starts is that of a question the server understands without dice."""
    asked: list[dict[str, Any]] = []

    def answer(route: Any) -> None:
        asked.append(json.loads(route.request.post_data))
        route.fulfill(body="event: done\ndata: {}\n\n", content_type="text/event-stream")

    page = browser.new_page()
    page.set_default_timeout(PATIENCE_MS)
    page.route("**/api/solve", answer)
    page.goto(address + "#rules=maxi")
    page.click("#long-work button")
    page.wait_for_function("() => !document.querySelector('#long-work progress')")
    request = parse_request(asked[0], load_rules)
    assert (request.rules.key, request.query) == ("maxi", "expect")
    page.close()


def test_an_error_of_the_goal_goes_when_it_is_typed_over(page: Any, address: str) -> None:
    """Else the first click on Done only removes the error, and the button moves."""
    open_link(page, address, f"#rules=yatzy&card={LATE_CARD}")  # early in a game the server asks before it solves
    page.click("#open-rules")
    page.select_option("#objective", "goal")
    page.click("#rules-done")
    expect(page, "#objective-error", "points to reach")
    page.locator("#goal").press_sequentially("250")
    assert page.text_content("#objective-error") == ""
    page.click("#rules-done")
    page.wait_for_selector("#rules-dialog", state="hidden")
    assert state_of(page)["goal"] == "250"
