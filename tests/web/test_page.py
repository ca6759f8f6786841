"""The page in a real browser: mouse, keyboard, links, print, accessibility."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from perfect_yatzy.play.record import read_games
from support.browser import PATIENCE_MS, expect, focused, open_link, settle
from support.need import need

playwright = need("playwright.sync_api")


def test_by_keyboard(page: Any) -> None:
    page.keyboard.type("33456")
    expect(page, "#answer", "Hold 3 3")
    assert "expected final score 245.75" in page.text_content("#answer")
    page.keyboard.press("Backspace")
    expect(page, "#answer", "1 more die.")
    page.keyboard.press("Control+z")
    expect(page, "#answer", "Hold 3 3")
    page.keyboard.press("Escape")
    expect(page, "#answer", "Enter the dice.")


def test_by_mouse_a_position_its_advice_and_its_link(page: Any, browser: Any, address: str) -> None:
    for box, points in {"ones": 3, "sixes": 24, "chance": 22}.items():
        page.fill(f"#box-{box}", str(points))
    page.locator("#box-chance").blur()
    for face in (3, 3, 4, 5, 6):
        page.click(f"button[aria-label='Add a {face}']")
    page.check("#left input[value='1']")
    expect(page, "#answer", "243.15")
    page.wait_for_selector("#map tbody tr")
    page.click("#ranking button >> nth=0")
    held = page.locator("#dice button[aria-pressed='true']")
    assert held.count() == 2
    expect(page, "#expect-figures", "248.8")
    other = browser.new_page()
    other.goto(page.url)
    expect(other, "#answer", "243.15")
    assert other.input_value("#box-sixes") == "24"
    other.close()
    page.fill("#box-ones", "9")
    page.locator("#box-ones").blur()
    expect(page, "#card-error", "Ones cannot hold 9")


def test_a_goal(page: Any, address: str) -> None:
    card = "ones=3 twos=6 threes=9 fours=12 fives=15 sixes=18 one-pair=10".replace(" ", "+")
    page.goto(f"{address}#rules=yatzy&card={card}&dice=33456&left=2&goal=240")
    page.reload()
    expect(page, "#answer", "40.73 % chance")


def test_a_whole_game_on_the_page_to_its_review_and_record(page: Any, tmp_path: Path) -> None:
    """Each turn: roll, hold as the page advises, reroll, take the best category; then review and save."""
    for turn in range(15):
        page.click("#roll")
        for left in (2, 1):
            settle(page)
            first = page.locator("#ranking tbody tr").first
            if "take" in first.text_content():
                break  # all dice are held
            if turn == 0 and left == 2:
                page.locator("#dice button").first.click()  # not always the best
            else:
                first.locator("button").click()
            page.click("#roll")
        settle(page)
        page.locator("#ranking tbody tr button").first.click()
        expect(page, "#played", f"{turn + 1} turn")
    expect(page, "#answer", "The card is full.")
    page.click("#review-own")
    page.wait_for_selector("#review h3")
    assert "You: " in page.text_content("#review")
    with page.expect_download() as saved:
        page.click("#save-own")
    path = tmp_path / "games.jsonl"
    saved.value.save_as(path)
    (game,) = read_games(path)
    assert len(game.turns) == 15
    assert game.card(0).total <= 324
    page.click("#undo")
    expect(page, "#played", "14 turns")


def test_it_fits_a_phone_has_a_dark_mode_and_prints(page: Any, tmp_path: Path) -> None:
    page.set_viewport_size({"width": 380, "height": 800})
    page.emulate_media(color_scheme="dark")
    page.keyboard.type("33456")
    page.wait_for_selector("#ranking table")
    assert page.evaluate("document.documentElement.scrollWidth") <= 380
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.emulate_media(color_scheme="light")
    assert dark != page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert page.pdf(path=str(tmp_path / "page.pdf")).startswith(b"%PDF")


def test_axe_finds_nothing_serious(page: Any) -> None:
    axe = need("axe_playwright_python.sync_playwright")
    page.keyboard.type("33456")
    page.wait_for_selector("#ranking table")
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        found = axe.Axe().run(page).response["violations"]
        serious = [
            (v["id"], [n["target"] for n in v["nodes"]]) for v in found if v["impact"] in ("serious", "critical")
        ]
        assert serious == []


def test_a_category_is_taken_with_the_rerolls_left(page: Any, address: str) -> None:
    """Saved rolls and bonuses for a first roll are those of taking the category now."""
    open_link(page, address, "#rules=generala&dice=12345&left=2")
    expect(page, "#answer", "All dice, take Straight: expected final score 158.86")
    page.click("#instead")
    expect(page, "#answer", "Straight for 25: expected final score 158.86")
    page.click("#instead")
    expect(page, "#answer", "All dice")
    page.locator("#ranking tbody tr button").first.click()
    expect(page, "#total", "25")
    expect(page, "#expect-figures", "158.9")
    assert focused(page) == "roll"
    page.click("#review-own")
    expect(page, "#review .grades", "1 best")
    expect(page, "#review-name", "158.9 points on average, after 1 turn")


def test_bonus_points_are_in_the_total_and_the_link(page: Any, address: str) -> None:
    open_link(page, address, "#rules=yahtzee&card=yahtzee%3D50&dice=66666&left=0")
    settle(page)
    page.locator("#ranking tbody tr button").first.click()
    expect(page, "#total", "180")
    assert page.input_value("#bonus_points") == "100"
    assert "bonus_points=100" in page.url
    page.fill("#bonus_points", "0")
    page.locator("#bonus_points").blur()
    expect(page, "#total", "80")


def test_dice_send_no_request_for_what_to_expect(page: Any) -> None:
    asked: list[str] = []
    page.wait_for_selector("#chart rect")
    expect(page, "#expect-figures", "248.4")
    page.on("request", lambda request: asked.append(request.url.rpartition("/")[2]))
    page.keyboard.type("33456")
    expect(page, "#answer", "Hold 3 3")
    page.locator("#dice button").nth(0).click()
    expect(page, "#held", "Held now, 3:")
    page.keyboard.press("Backspace")
    page.keyboard.type("6")
    settle(page)
    assert asked.count("expect") == 0
    assert asked.count("hold") == 1  # the second answer was cached


def test_answers_to_another_position_are_hidden(page: Any) -> None:
    """A new request hides the last answer; the answer to a superseded request never appears."""
    expect(page, "#expect-figures", "248.4")
    held: list[Any] = []
    page.route("**/api/expect", lambda route: held.append(route))
    page.fill("#box-ones", "3")
    page.locator("#box-ones").blur()
    expect(page, "#expect", "Working")
    assert page.locator("#chart").is_hidden()
    page.wait_for_function("document.querySelector('#expect').getAttribute('aria-busy') === 'true'")
    while not held:
        page.wait_for_timeout(20)
    page.unroute("**/api/expect")
    page.fill("#box-ones", "4")
    page.locator("#box-ones").blur()
    playwright.expect(page.locator("#expect")).not_to_contain_text("Working", timeout=PATIENCE_MS)
    second = page.text_content("#expect")
    page.wait_for_timeout(100)
    assert page.text_content("#expect") == second
    assert page.locator("#chart").is_visible()


def test_a_server_that_does_not_answer_is_reported_until_it_does(browser: Any, address: str) -> None:
    page = browser.new_page()
    page.goto(address)
    page.wait_for_selector("#card input")
    page.keyboard.type("33456")
    expect(page, "#answer", "Hold 3 3")
    page.route("**/api/**", lambda route: route.abort())
    page.fill("#box-ones", "3")
    page.locator("#box-ones").blur()
    expect(page, "#answer", "The server does not answer.")
    expect(page, "#expect", "The server does not answer.")
    assert page.locator("#ranking button").count() == 0
    page.unroute("**/api/**")
    page.keyboard.press("Backspace")
    expect(page, "#answer", "1 more die.")
    page.keyboard.type("6")
    expect(page, "#answer", "Hold 3 3")
    page.close()


def test_a_long_wait_is_explained(page: Any, address: str) -> None:
    for query in ("hold", "expect"):
        page.route(f"**/api/{query}", lambda route: None)
    page.select_option("#objective", "goal")
    page.fill("#goal", "280")
    page.locator("#goal").blur()
    page.keyboard.type("33456")
    expect(page, "#answer", "a goal this early in the game takes about 20 seconds, once")
    expect(page, "#expect-status", "Still working")
    page.unroute_all()
    page.select_option("#objective", "mean")
    expect(page, "#answer", "245.75")


def test_all_holds_can_be_shown_and_the_current_one_is_valued(page: Any) -> None:
    page.keyboard.type("33456")
    settle(page)
    assert page.locator("#ranking tbody tr").count() == 8
    page.click("#more")
    assert page.locator("#ranking tbody tr").count() == 24
    assert focused(page) == page.locator("#ranking tbody button").nth(8).text_content()
    for die in (0, 2, 3):
        page.locator("#dice button").nth(die).click()
    expect(page, "#held", "Held now, 3 4 5: expected final score")
    assert "loses" in page.text_content("#held")
    expect(page, "#ranking tr.held", "hold 3 4 5 ← held now")
    expect(page, "#map-title", "After holding 3 4 5: 21 rolls")
    assert page.locator("#map [aria-live]").count() == 0


def test_a_reload_continues_the_game(page: Any) -> None:
    page.click("#roll")
    settle(page)
    page.click("#instead")
    expect(page, "#ranking thead", "Category")
    page.locator("#ranking tbody button").first.click()
    expect(page, "#played", "1 turn")
    page.keyboard.type("33456")
    page.locator("#dice button").nth(1).click()
    total = page.text_content("#total")
    page.locator("#card tbody input").evaluate_all("(all) => all.find((box) => !box.value).focus()")
    page.keyboard.type("0")
    page.keyboard.press("Tab")
    expect(
        page,
        "#notice",
        "The card was changed by hand: the game played here can no longer be reviewed; Undo restores it.",
    )
    page.click("#undo")
    page.reload()
    expect(page, "#played", "1 turn")
    assert page.text_content("#total") == total
    assert page.locator("#dice button[aria-pressed='true']").count() == 1
    for _ in range(8):
        page.click("#undo")
    assert page.text_content("#total") == "0"


def test_invalid_parts_of_a_link_are_reported(page: Any, address: str) -> None:
    open_link(
        page, address, "#rules=yatzy&card=ones=99+twos=+nonsense=3+sixes=24&dice=3378&left=7&bonus_points=5&what=1"
    )
    for part in ("Ones cannot hold “99”", "Twos cannot hold “”", "no box “nonsense”", "the dice", "the rerolls left"):
        expect(page, "#notice", part)
    for part in ("the bonus points cannot be “5”", "“what” is not a field of a link"):
        expect(page, "#notice", part)
    assert page.input_value("#box-sixes") == "24"
    assert page.input_value("#box-twos") == ""
    open_link(page, address, "#rules=giant-forced&card=ones=3")
    expect(page, "#notice", "the rules “giant-forced” are not available on this page")
    open_link(page, address, "#rules=yatzy+four-is-two-pairs&dice=33456&left=2")
    assert page.is_checked("#switches input[value='four-is-two-pairs']")
    assert page.text_content("#notice") == ""
    expect(page, "#answer", "245.9")
    page.uncheck("#switches input[value='four-is-two-pairs']")
    expect(page, "#answer", "245.75")


def test_the_focus_is_never_lost(page: Any) -> None:
    page.locator("#box-yatzy").focus()
    page.keyboard.type("50")
    page.keyboard.press("Tab")
    assert focused(page) == "Add a 1"
    for _ in range(7):
        page.keyboard.press("Enter")
    assert focused(page) == "Add a 1"
    assert page.locator("#dice button").count() == 5  # two more have no effect
    settle(page)
    page.locator("#ranking button").nth(3).focus()
    page.keyboard.press("Enter")
    assert "hold" in focused(page)
    page.locator("#by-hand").focus()
    page.keyboard.press("Enter")
    assert focused(page) == "Add a 1"
    page.keyboard.type("12345")
    settle(page)
    page.check("#left input[value='0']")
    settle(page)
    page.locator("#ranking button").first.focus()
    page.keyboard.press("Enter")
    assert focused(page) == "roll"
    page.locator("#rules").focus()
    page.select_option("#rules", "kniffel")
    expect(page, "#notice", "The card was cleared for the other rules; Undo restores it.")
    assert focused(page) == "rules"


def test_an_invalid_box_stays_until_it_is_corrected(page: Any) -> None:
    page.fill("#box-ones", "9")
    page.locator("#box-ones").blur()
    assert page.get_attribute("#box-ones", "aria-describedby") == "card-error"
    page.keyboard.type("33456")
    expect(page, "#answer", "Hold 3 3")
    assert page.input_value("#box-ones") == "9"
    assert page.get_attribute("#box-ones", "aria-invalid") == "true"
    page.fill("#box-ones", "3")
    page.locator("#box-ones").blur()
    assert page.get_attribute("#box-ones", "aria-invalid") is None
    assert page.text_content("#card-error") == ""


def test_an_invalid_goal_is_reported_not_changed(page: Any) -> None:
    page.route("**/api/expect", lambda route: None)  # a win from the empty card takes long
    page.select_option("#objective", "win")
    page.fill("#opponents", "251")
    page.locator("#opponents").blur()
    page.select_option("#objective", "goal")
    for text in ("-5", "1e3", "240.5", "abc"):
        page.fill("#goal", text)
        page.locator("#goal").blur()
        expect(page, "#objective-error", f"not “{text}”")
        assert page.input_value("#goal") == text
        assert "goal" not in page.url
    page.select_option("#objective", "win")
    assert page.input_value("#opponents") == "251"  # kept
    assert page.text_content("#objective-error") == ""
    page.unroute_all()


def test_a_goal_out_of_reach_or_certain_is_reported(page: Any, address: str) -> None:
    card = "ones=3 twos=6 threes=9 fours=12 fives=15 sixes=18 one-pair=10".replace(" ", "+")
    for goal, words in {600: "600 or more is out of reach", 60: "60 or more is certain"}.items():
        open_link(page, address, f"#rules=yatzy&card={card}&dice=33456&left=2&goal={goal}")
        expect(page, "#answer", words)
        expect(page, "#answer", "ranked by expected score")
        means = [float(cell) for cell in page.locator("#ranking tbody td:nth-child(3)").all_text_contents()]
        assert means == sorted(means, reverse=True)


def test_the_end_of_a_game(page: Any, address: str) -> None:
    boxes = "ones=3 twos=6 threes=9 fours=12 fives=15 sixes=18 one-pair=10 two-pairs=18 three-of-a-kind=12"
    boxes += " four-of-a-kind=0 small-straight=15 large-straight=0 full-house=0 chance=20 yatzy=0"
    open_link(page, address, "#rules=yatzy&card=" + boxes.replace(" ", "+"))
    expect(page, "#answer", "The card is full. Final score 188.")
    expect(page, "#bonus", "50")
    expect(page, "#upper", "63 of 63")
    assert page.get_attribute("#roll", "aria-disabled") == "true"
    page.keyboard.type("3")
    assert page.locator("#dice button").count() == 0


def test_names_of_the_boxes_in_another_language(page: Any) -> None:
    page.select_option("#language", "sv")
    expect(page, "#card", "Kåk")
    page.reload()
    expect(page, "#card", "Kåk")
    assert page.input_value("#language") == "sv"
    page.select_option("#language", "en")


def test_it_fits_the_narrowest_phone(page: Any) -> None:
    page.set_viewport_size({"width": 320, "height": 700})
    page.keyboard.type("33456")
    settle(page)
    page.locator("#dice button").nth(0).click()
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    tops = page.evaluate(
        "[...document.querySelectorAll('#dice button')].map((die) => die.getBoundingClientRect().top)"
    )
    assert len(set(tops)) == 1
    low = page.evaluate(
        "[...document.querySelectorAll('button, input, select')].filter((e) => e.offsetHeight && !/radio|checkbox/.test(e.type)"
        " && e.offsetHeight < 24).map((e) => e.id || e.textContent)"
    )
    assert low == []


def test_the_printed_page_shows_the_values_of_the_controls(page: Any) -> None:
    page.keyboard.type("33456")
    settle(page)
    page.emulate_media(media="print")
    expect(page, "#sheet-head", "Yatzy · dice 3 3 4 5 6 · held nothing · 2 rerolls left · total 0")
    assert page.locator("#sheet-head").is_visible()
    for button in ("roll", "more", "undo", "review-own"):
        assert page.locator(f"#{button}").is_hidden()
