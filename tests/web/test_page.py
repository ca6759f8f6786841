"""The page in a real browser, its core: turns, undo and redo, reloads, advice, the card, reviews, training, axe once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from perfect_yatzy.play.record import read_games, write_games
from perfect_yatzy.play.review import review
from perfect_yatzy.strategy.strategy import Strategy
from support.browser import (
    add_mistakes,
    dice_shown,
    enter,
    expect,
    focused,
    hide_advice,
    open_link,
    ready,
    seat,
    set_left,
    settle,
    state_of,
    tap_dice,
)
from support.human import human
from support.looks import SMALL, axe_faults
from support.need import need

playwright = need("playwright.sync_api")
FULL = (
    "ones=3+twos=6+threes=9+fours=12+fives=15+sixes=18+one-pair=10+two-pairs=18+three-of-a-kind=12"
    "+four-of-a-kind=0+small-straight=15+large-straight=0+full-house=0+chance=20"
)
MISTAKE = {"rules": "yatzy", "card": {"ones": 3}, "dice": [6, 6, 6, 6, 6], "rolls_left": 1}
MENU = ("undo", "menu-undo", "redo", "review-own", "save-own")


def enabled(page: Any) -> list[str]:
    """The entries of the menu and of the bar that have an effect."""
    return [each for each in MENU if page.get_attribute(f"#{each}", "aria-disabled") != "true"]


@pytest.fixture(autouse=True)
def no_early_distributions(tab: Any) -> Iterator[None]:
    """Those of an early card take seconds; the page has them in test_page_expect.py."""

    def answer(route: Any) -> None:
        if route.request.post_data_json.get("spread") is False:
            route.continue_()

    tab.route("**/api/expect", answer)
    yield
    tab.unroute("**/api/expect")


def test_a_turn_undo_redo_and_a_reload(page: Any) -> None:
    """With the dice of the page; what has no effect is disabled, and a change ends what can be done again."""
    assert enabled(page) == []
    page.click("#go")
    settle(page)
    assert enabled(page) == ["undo", "menu-undo"]
    while not page.text_content("#go").startswith("Take"):
        page.click("#go")
        settle(page)
    last = state_of(page)["dice"]
    box = page.locator("#card .best .name").text_content()
    page.click("#go")
    expect(page, "#turn-line", "Turn 2 of 15")
    total = page.text_content("#total")
    expect(page, "#said", f"{box}: ")
    assert enabled(page) == ["undo", "menu-undo", "review-own", "save-own"]
    page.click("#undo")
    expect(page, "#turn-line", "Turn 1 of 15")
    assert state_of(page)["dice"] == last
    assert enabled(page) == ["undo", "menu-undo", "redo"]
    page.keyboard.press("Control+y")
    expect(page, "#turn-line", "Turn 2 of 15")
    assert page.text_content("#total") == total
    page.keyboard.press("Control+z")
    page.click("#menu-button")
    page.click("#redo")
    expect(page, "#turn-line", "Turn 2 of 15")
    page.click("#undo")
    page.reload()
    ready(page)
    assert enabled(page) == ["undo", "menu-undo", "redo"]
    settle(page)
    page.keyboard.press("Backspace")
    assert enabled(page) == ["undo", "menu-undo"]  # nothing can be done again
    page.keyboard.press("Control+y")
    assert len(state_of(page)["dice"]) == 4
    page.click("#undo")
    settle(page)
    assert axe_faults(page) == []


def test_reviews_of_games_from_a_file_and_of_the_own_game(page: Any, yatzy: Strategy, tmp_path: Path) -> None:
    """The last game of a file is shown first; its figures, decisions and mistakes are those of the review."""
    path, games = tmp_path / "games.jsonl", [human(yatzy, 4), human(yatzy, 3), human(yatzy, 2)]
    write_games(path, games)
    page.set_input_files("#record", str(path))
    expect(page, "#review-name", f"Ann: {games[2].card(0).total} points")
    assert page.text_content("#review-source") == "From the file games.jsonl"
    page.select_option("#which", "0")
    first = review(yatzy, games[0])
    expect(page, "#review-name", f"Ann: {first.result:.0f} points")
    page.select_option("#which", "2")
    found = review(yatzy, games[2])
    expect(page, "#review-name", "Ann: 195 points")

    def place() -> int:
        return int(page.text_content("#step-place").split("(")[1].split()[0])

    shown = page.locator("#review .figures dd").all_text_contents()
    signs = [f"{'−' if value < 0 else '+'}{abs(value):.1f}" for value in (found.luck, -found.points_lost)]
    assert shown == [f"{found.start:.1f}", *signs, "195"]
    rows, count = page.locator(".decision"), len(found.decisions)
    assert rows.count() == count
    for at in (0, 1, count - 1):
        text, decision = rows.nth(at).text_content(), found.decisions[at]
        assert f"Turn {decision.turn}, roll {decision.roll}" in text
        assert decision.grade in text or decision.grade == "tied"
    assert (focused(page), place()) == ("review-name", 1)
    mistakes = [i + 1 for i, each in enumerate(found.decisions) if each.grade in ("mistake", "blunder")]
    steps = {"ArrowLeft": 1, "ArrowRight": 2, "End": count, "Home": 1, "m": next(i for i in mistakes if i > 1)}
    for key, wanted in steps.items():
        page.keyboard.press(key)
        assert place() == wanted
    rows.nth(mistakes[-1] - 1).click()
    assert page.locator("#decision .note").count() == 0
    page.click("#step-mistake")
    assert place() == mistakes[0]
    expect(page, "#decision-status", "Back to the first error.")
    page.check("#only-mistakes")
    assert page.locator(".decision:visible").count() == len(mistakes)
    page.locator("#decision button", has_text="Show this position").click()
    decision = found.decisions[mistakes[0] - 1]
    expect(page, "#notice", f"Turn {decision.turn}, roll {decision.roll}")
    expect(page, "#visit", f"{decision.grade}, −{decision.loss:.2f}")
    assert dice_shown(page) == list(decision.dice)
    page.click("#visit-back")
    assert place() == mistakes[0]
    path.write_text("{}\nhello\n")
    page.set_input_files("#record", str(path))
    expect(page, "#review-status", "games.jsonl: Line 2 of the file is not JSON.")
    assert page.text_content("#review-name") == "Ann: 195 points"  # the review that is open stays
    page.evaluate(
        """async () => {
          const { change } = await loaded("state"), { takeCategory } = await loaded("game");
          change((s) => { s.dice = [6, 6, 6, 6, 6]; s.held = s.dice.map(() => false); s.left = 0; s.rolls = [[1, 1, 6, 6, 6], [1, 6, 6, 6, 6]];
            s.holds = [[6, 6, 6], [6, 6, 6, 6]]; });
          takeCategory({ category: "ones", points: 0, bonus_points: 0 });
        }"""
    )
    expect(page, "#played", "1 turn played on this page.")
    page.click("#review-own")
    expect(page, "#review-name", "after 1 turn")
    expect(page, "#review .grades", "1 blunder")
    expect(page, "#drill-counts", "1 of 1 error is due.")  # the own game is kept for practice at once
    with page.expect_download() as saved:
        page.click("#save-own")
    saved.value.save_as(path)
    assert [turn.category for game in read_games(path) for turn in game.turns] == ["ones"]


@pytest.mark.full
def test_a_phone_shows_the_advice_before_the_card_and_has_large_keys(phone: Any) -> None:
    phone.keyboard.type("33456")
    settle(phone)
    tops = phone.evaluate(
        "['dice', 'answer', 'card-panel', 'go'].map((id) => document.getElementById(id).getBoundingClientRect().top)"
    )
    assert tops == sorted(tops)
    assert tops[3] > 650  # one large action where the thumb is
    top, bottom = phone.evaluate(
        "(({top, bottom}) => [top, bottom])(document.querySelector('.bar-buttons').getBoundingClientRect())"
    )
    assert bottom == 844  # of the screen
    # The whole card is in sight while one decides, also on a shorter phone.
    assert phone.evaluate("document.querySelector('#card').getBoundingClientRect().bottom") < top - 104
    assert bottom - top < 200
    assert phone.evaluate(SMALL) == []
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390
    assert phone.locator("#ranking").is_hidden()
    phone.locator("#more").tap()
    assert phone.locator("#ranking li").count() == 6
    tap_dice(phone, [1, 1, 2])  # over the marked dice
    settle(phone)
    assert state_of(phone)["rolls"] == [[3, 3, 4, 5, 6]]
    assert state_of(phone)["holds"] == [[3, 3]]


def counted(page: Any) -> int:
    return int(page.evaluate("loaded('training-settings').then((module) => module.sessionCounts().count)"))


def test_typed_dice_get_advice_with_its_value_gap_reason_and_all_holds(page: Any) -> None:
    page.keyboard.type("33456")
    expect(page, "#answer", "Keep 3 3")
    assert "245.75" in page.text_content("#answer")
    expect(page, "#gap", "Nearly as good: 5 6 (−0.08).")
    expect(page, "#why", "of turns")
    kept = page.locator("#dice .advised small").all_text_contents()
    assert kept == ["keep", "keep"]
    page.keyboard.press("Backspace")
    expect(page, "#answer", "1 more die.")
    page.keyboard.press("Control+z")
    expect(page, "#answer", "Keep 3 3")
    settle(page)
    assert page.locator("#ranking li").count() == 6
    page.click("#more")
    assert page.locator("#ranking li").count() == 24
    for die in (0, 2, 3):
        page.locator("#dice button").nth(die).click()
    expect(page, "#held", "You keep 3 4 5:")
    expect(page, "#held", "less than the best")
    assert page.locator("#ranking [aria-current='true']").count() == 1
    page.click("#map summary")
    page.wait_for_selector("#map tbody tr")
    assert page.locator("#map tbody tr").count() == 21
    worst = page.locator("#ranking li").last
    assert worst.locator(".grade").text_content() == "blunder"
    assert page.locator("#ranking li:nth-child(2) .grade").count() == 0  # a small loss is no report of errors
    widths = page.locator("#ranking .loss-bar span").evaluate_all("(all) => all.map((bar) => bar.offsetWidth)")
    assert widths == sorted(widths)
    page.keyboard.press("Escape")
    expect(page, "#answer", "Keep 3 3")  # the choice first
    page.keyboard.press("Escape")
    assert page.locator("#dice button").count() == 0
    assert page.locator("#start").is_visible()


def test_the_points_of_this_roll_stand_in_each_open_box_and_a_tap_takes_them(blank: Any, address: str) -> None:
    open_link(blank, address, "#rules=yatzy&card=ones=3+sixes=24+chance=22&dice=33456&left=0")
    settle(blank)
    expect(blank, "#take-threes .now", "6")
    expect(blank, "#take-yatzy .zero", "·")
    assert blank.locator("#take-ones .now").count() == 0
    assert blank.get_attribute("#take-ones", "aria-disabled") == "true"
    best = blank.locator("#card .best")
    assert best.count() == 1
    assert best.locator(".name").text_content() in blank.text_content("#answer")
    expect(blank, "#bonus-0", "Upper 27 of 63")
    expect(blank, "#bonus-0 .par", "6 ahead")
    best.click()
    expect(blank, "#turn-line", "Turn 5 of 15")
    blank.click("#undo")
    expect(blank, "#turn-line", "Turn 4 of 15")


@pytest.mark.full
def test_comparing_the_boxes_changes_the_list_only(blank: Any, address: str) -> None:
    """A box with rerolls left is no advice: headline and button stay, losses are those against the best hold."""
    open_link(blank, address, "#rules=yatzy&dice=23466&left=2")
    expect(blank, "#answer", "Keep 6 6")
    headline = blank.text_content("#answer")
    blank.click("#instead")
    expect(blank, "#ranking li:nth-child(2)", " for ")
    assert blank.text_content("#answer") == headline
    expect(blank, "#go", "Roll three dice")
    best = blank.locator("#ranking button[aria-label$=', best']")  # the hold that the boxes are compared with
    assert best.count() == 1
    assert str(best.get_attribute("aria-label")).startswith("Keep 6 6: ")
    assert best.evaluate("(row) => row === document.querySelector('#ranking button')")
    asked = (
        "(query) => loaded('ask').then(({ask}) =>"
        " ask(query, {rules: 'yatzy', card: {}, dice: [2, 3, 4, 6, 6], rolls_left: 2}, {}))"
    )
    hold, box = blank.evaluate(asked, "hold")["holds"][0], blank.evaluate(asked, "score")["categories"][0]
    loss = hold["expected_final_score"] - box["expected_final_score"]
    assert loss > 2
    expect(blank, "#ranking li:nth-child(2) .option-loss", f"−{loss:.2f}")
    blank.click("#ranking li:nth-child(2) button")
    blank.wait_for_selector("#loss-dialog")
    blank.click("#loss-dialog .primary")
    assert state_of(blank)["turns"] == []
    blank.click("#instead")
    assert best.count() == 1


@pytest.mark.full
def test_a_roll_is_not_given_away_by_one_click(blank: Any, address: str) -> None:
    open_link(blank, address, "#rules=yatzy&dice=66666&left=2")
    expect(blank, "#go", "Take Yatzy for 50")
    blank.locator("#dice button").first.click()
    blank.locator("#dice button").first.click()
    expect(blank, "#go", "Roll all dice again")
    blank.click("#go")
    expect(blank, "#loss-dialog", "loses")
    blank.click("#loss-dialog .primary")
    assert dice_shown(blank) == [6] * 5
    blank.click("#go")
    blank.click("#loss-dialog button >> nth=1")
    settle(blank)
    assert state_of(blank)["holds"] == [[]]


@pytest.mark.full
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


@pytest.mark.full
def test_a_server_that_does_not_answer_is_reported_and_asked_again(tab: Any, address: str) -> None:
    tab.goto(address)
    ready(tab)
    tab.route("**/api/**", lambda route: route.abort())
    tab.keyboard.type("33456")
    expect(tab, "#answer", "The server does not answer.")
    assert tab.locator("#retry").is_visible()
    tab.unroute("**/api/**")
    tab.click("#retry")
    expect(tab, "#answer", "Keep 3 3")
    tab.route("**/api/**", lambda route: route.abort())
    tab.keyboard.press("Escape")
    tab.keyboard.type("66611")
    expect(tab, "#answer", "The server does not answer.")
    tab.unroute("**/api/**")
    expect(tab, "#answer", "Keep 6 6 6")  # by itself


def test_rules_without_a_table_can_be_played(tab: Any, address: str) -> None:
    tab.goto(address + "#rules=maxi")
    ready(tab)
    expect(tab, "#answer", "has to be computed once")
    assert tab.locator(".solve:visible button").count() == 1
    tab.click("#go")
    expect(tab, "#gap", "Without advice: tap the dice to keep, or a box of the card.")
    assert "Working" not in tab.text_content("#table")
    tab.click("#dice button >> nth=0")
    expect(tab, "#go", "Roll five dice")
    tab.click("#go")
    tab.click("#roll-all")
    assert [len(hold) for hold in state_of(tab)["holds"]] == [1, 0]
    points = sum(dice_shown(tab))
    expect(tab, "#take-chance .points", str(points))
    tab.click("#take-chance")
    expect(tab, "#total", str(points))
    expect(tab, "#turn-line", "Turn 2 of 20")


@pytest.mark.full
def test_two_players_play_in_turns(page: Any) -> None:
    seat(page, "Ann", "Bo")
    expect(page, "#turn-line", "Ann, turn 1 of 15")
    page.keyboard.type("33345")
    set_left(page, 0)
    expect(page, "#go", "Take Threes for 9")
    page.click("#go")
    expect(page, "#turn-line", "Bo, turn 1 of 15")
    expect(page, "#who .turn", "Bo")
    assert page.text_content("#total") == "0"
    page.keyboard.type("44455")
    set_left(page, 0)
    settle(page)
    page.click("#take-full-house")
    if page.locator("dialog[open]").count():
        page.locator("dialog[open] button").last.click()
    expect(page, "#turn-line", "Ann, turn 2 of 15")
    page.click("#who button >> nth=1")
    expect(page, "#take-full-house .own", "22")
    assert page.text_content("#total") == "22"
    page.click("#who button >> nth=0")
    expect(page, "#take-threes .own", "9")


def test_the_best_of_several_players_wins(blank: Any, address: str) -> None:
    open_link(blank, address, f"#rules=yatzy&card={FULL}+yatzy=50")
    blank.evaluate(
        "loaded('state').then(({change, newPlayer}) => change((s) => {"
        " s.players[0].name = 'Ann'; s.players.push({...newPlayer('Bo'), card: {...s.players[0].card, chance: 25}}); }))"
    )
    expect(blank, "#answer", "Bo wins with 243 points.")
    lines = blank.locator("#end p")
    expect(blank, "#end", "Ann, 238 points: 10.4 points below the average of perfect play")
    assert "Bo, 243 points: 5.4 points below" in str(lines.first.text_content())
    blank.evaluate("loaded('state').then(({change}) => change((s) => { s.players[0].card.chance = 25; }))")
    expect(blank, "#answer", "A tie with 243 points: Ann and Bo.")
    blank.evaluate("loaded('state').then(({change}) => change((s) => { delete s.players[1].card.chance; }))")
    expect(blank, "#answer", "Final score: 243.")  # the other one still plays
    assert len(state_of(blank)["players"]) == 2


def test_hidden_advice_is_graded_after_the_choice(page: Any, address: str, yatzy: Strategy) -> None:
    """Nothing tells the best hold before the choice; then its grade, the loss, the best hold and the reason."""
    hide_advice(page)
    open_link(page, address, "#rules=yatzy&dice=33456&left=2")
    expect(page, "#answer", "Your choice")
    for place in ("#ranking button", ".die.advised", "#map:visible", "#why:visible"):
        assert page.locator(place).count() == 0, place
    assert "245" not in page.inner_text("#advice")
    page.locator("#dice .die").nth(4).click()
    page.click("#go")
    values = {each.dice: each.value for each in yatzy.holds("", "33456", 2)}
    expect(page, "#last-choice", f"Keep 6 loses {values[(3, 3)] - values[(6,)]:.2f} points.")
    expect(page, "#last-choice", "Best: keep 3 3.")
    assert counted(page) == 1
    expect(page, "#session", "choices")
    enter(page, "puzzle")
    page.uncheck("#hide-advice")
    enter(page, "play")
    assert page.text_content("#last-choice") == ""
    page.click("#undo")
    expect(page, "#answer", "Keep 6")  # still marked
    expect(page, "#held", "less than the best, 3 3.")
    assert counted(page) == 1  # with the advice in sight nothing is counted


@pytest.mark.full
def test_a_wrong_answer_says_what_it_loses_and_what_is_best(page: Any, yatzy: Strategy) -> None:
    add_mistakes(page, MISTAKE)
    expect(page, "#drill-counts", "1 of 1 error is due.")
    page.click("#drill-start")
    page.wait_for_selector("#exercise .exercise-card button")
    assert focused(page) == "An error that lost 5.0 points"
    above = page.evaluate("[...document.querySelectorAll('#training :is(h3, h4)')].map((each) => each.textContent)")
    assert above[above.index("An error that lost 5.0 points") - 1] == "Your errors"
    for die in (0, 1):
        page.locator(".exercise-dice .die").nth(die).click()
    expect(page, "#exercise-roll", "Keep 6 6, roll 3 dice")
    page.locator("#exercise-roll").click()
    values = {each.dice: each.value for each in yatzy.holds("ones=3", "66666", 1)}
    best = max(each.value for each in yatzy.categories("ones=3", "66666", 1))
    expect(page, "#exercise .verdict", f"Keep 6 6 loses {best - values[(6, 6)]:.2f} points.")
    expect(page, "#exercise .verdict", "blunder")
    assert (
        page.evaluate("getComputedStyle(document.querySelector('.answer')).backgroundColor") == "rgb(253, 228, 226)"
    )
    assert focused(page) == "Try again"
    assert "Yatzy for 50" not in page.inner_text("#exercise .answer")  # a second try first
    page.keyboard.press("Enter")
    assert focused(page) == "Die 1 shows 6"
    assert page.locator("#exercise .verdict").count() == 0
    page.keyboard.type("66")  # digits hold dice of the exercise, not of the game
    expect(page, "#exercise-roll", "Keep 6 6, roll 3 dice")
    assert page.locator("#dice button").count() == 0
    page.locator("#exercise-roll").click()
    page.locator("#exercise button", has_text="Show the best choice").click()
    expect(page, "#exercise .best-choice", "Best: Yatzy for 50.")
    assert page.locator(".exercise-card .best").text_content() == "Yatzy 50"
    page.locator("#exercise summary").click()
    expect(page, "#exercise table", "Keep 6 6")
    assert counted(page) == 1
    expect(page, "#session", "1 blunder")
    page.locator(".exercise-card button").first.click(force=True)  # only the first answer counts
    assert counted(page) == 1
