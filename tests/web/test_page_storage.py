"""The page remembers games, links and the language; it plays on without advice or a server."""

from __future__ import annotations

from typing import Any

import pytest
from support.browser import Visitor

pytestmark = pytest.mark.full


def test_a_link_goes_before_the_stored_game_and_undo_brings_that_back(page: Visitor) -> None:
    page.type("33345").settle().evaluate("location.hash = '#rules=crag&dice=555&left=1'")
    page.expects("#game-name", "Crag").click("#undo").expects("#game-name", "Yatzy")
    assert page.dice() == [3, 3, 3, 4, 5]


def test_invalid_parts_of_a_link_are_reported(blank: Visitor) -> None:
    """What is said of each part: test_page_modules.py."""
    blank.open("#rules=yatzy&card=ones=99+twos=+sixes=24&what=1").expects("#notice", "Ones cannot hold “99”")
    blank.expects("#notice", "“what” is not a field of a link").expects("#take-sixes .points", "24")
    assert blank.count("#take-twos .scored") == 0
    blank.open("#rules=giant-forced&card=ones=3")
    blank.expects("#notice", "The rules “giant-forced” are not available on this page, which shows Yatzy instead.")


def test_editing_the_card_of_a_game_says_that_it_loses_its_record(page: Visitor) -> None:
    for _ in range(3):
        page.type("33345").settle()
    page.click("#go").expects("#total", "9").click("#edit-card")
    page.write("#box-ones", "0")
    lost = "The card was changed by hand: the game played here can no longer be reviewed; Undo restores it."
    page.expects("#notice", lost).click("#undo")
    assert page.state()["edited"] is False


def test_tabs_have_a_game_each_which_survives_closing_and_undo_goes_back_to_the_start(
    browser: Any, address: str
) -> None:
    context = browser.new_context()
    tabs = [Visitor(context.new_page(), address).open() for _ in range(2)]
    tabs[0].type("33345").settle()
    tabs[1].seat("Ann")
    for _ in range(3):
        tabs[1].type("33345").settle()
    tabs[1].expects("#go", "Take Threes for 9").click("#go").expects("#total", "9").type("66")
    tabs[0].bring_to_front()  # one in the background draws once a second, and each click waits for that
    tabs[0].mark(*[0] * 70)  # more than was kept before
    assert [tab.reopen().dice() for tab in tabs] == [[3, 3, 3, 4, 5], [6, 6]]
    steps = 0
    while tabs[0].get_attribute("#undo", "aria-disabled") is None:
        tabs[0].click("#undo")
        steps += 1
    assert (steps, tabs[0].dice()) == (75, [])  # five dice and 70 taps
    tabs[1].close()
    third = Visitor(context.new_page(), address).open().expects("#total", "9")
    assert third.dice() == [6, 6]  # the latest game that no other tab plays
    assert len(third.record()["turns"]) == 1
    assert third.record()["players"] == ["Ann"]
    for _ in range(3):  # two dice and the box
        third.click("#undo")
    third.expects("#total", "0")


def test_a_position_is_copied_as_the_command_and_pasted(blank: Visitor) -> None:
    def paste(text: str) -> None:
        blank.menu("open-paste").fill("#paste-text", text)
        blank.click("#paste-form button[type='submit']")

    blank.open("#rules=yatzy&card=ones=3+sixes=24&dice=33456&left=1")
    command = blank.evaluate("loaded('transfer').then((module) => module.commandText())")
    assert command == 'yatzy hold 33456 --rolls-left 1 --card "ones=3 sixes=24"'
    blank.menu("new-game")
    link = blank.url.partition("#")[0] + "#rules=yatzy&dice=1,1,2,2,3"
    for text, dice in ((command, [3, 3, 4, 5, 6]), (link, [1, 1, 2, 2, 3])):
        paste(text)
        blank.expects("#notice", "The position is pasted; Undo goes back.")
        assert blank.dice() == dice
    paste('yatzy hold 3345 --card "nonsense=3"')
    blank.expects("#paste-error", "There is no box “nonsense”")
    assert blank.locator("#paste-dialog").is_visible()


# --- the language: its words, numbers and plurals are in test_page_modules.py ---


def assert_words(page: Visitor, language: str, undo: str) -> None:
    assert page.evaluate("document.documentElement.lang") == language
    assert page.text_content("#undo").strip() == undo
    assert page.count("[data-message]") > 20


def test_the_language_of_the_browser_is_taken(browser: Any, address: str) -> None:
    assert_words(Visitor(browser.new_context(locale="no").new_page(), address).open(), "nb", "Angre")


def test_a_language_that_is_chosen_in_the_menu_stays(page: Visitor) -> None:
    assert_words(page, "en", "Undo")
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.menu("open-language").focused() == "language"
    assert page.text_content("dialog[open] h2") == "Language and colours"
    assert page.locator("dialog[open] select").first.get_attribute("id") == "language"  # not one control of many
    page.select_option("#language", "sv")
    page.expects("#undo", "Ångra")
    assert page.click("#language-dialog .close").focused() == "menu-button"
    assert page.count("dialog[open]") == 0
    assert_words(page.reopen(), "sv", "Ångra")
    assert_words(page.open("?lang=no"), "nb", "Angre")  # the address comes first


def test_of_two_languages_chosen_quickly_the_last_one_stays(page: Visitor) -> None:
    """The names of the first one arrive late."""
    late: list[Any] = []
    page.route("**/api/rules?*lang=fi*", lambda route: late.append(route))
    choose = "(code) => { const list = document.getElementById('language'); list.value = code; list.dispatchEvent(new Event('change')); }"
    page.evaluate(choose, "fi")
    page.wait_for(lambda: late)
    page.evaluate(choose, "sv")
    late[0].continue_()
    page.expects("#card", "Ettor").draw()
    assert "Ykköset" not in page.text_content("#card")


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
