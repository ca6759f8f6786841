"""Training in a real browser: hidden advice, the warning before a loss, old mistakes asked again, puzzles."""

from __future__ import annotations

from datetime import date

import pytest
from perfect_yatzy import Hold, Strategy
from perfect_yatzy.play.puzzle import daily_seed, find_puzzle
from support.browser import Visitor

pytestmark = pytest.mark.full

MISTAKE = {"rules": "yatzy", "card": {"ones": 3}, "dice": [6, 6, 6, 6, 6], "rolls_left": 1}
BUTTON = "#exercise button"


def show_best(page: Visitor) -> None:
    """After an answer: the best choice, which a wrong answer does not reveal."""
    page.wait_for_selector("#exercise .verdict")
    button = page.locator(BUTTON, has_text="Show the best choice")
    if button.count():
        button.click()


def take(page: Visitor, name: str) -> None:
    page.locator(".exercise-card button", has_text=name).first.click()
    page.wait_for_selector("#exercise .verdict")


def labels(page: Visitor) -> list[int]:
    """The faces of the dice of an exercise."""
    return [int(die.get_attribute("aria-label")[-1]) for die in page.locator(".exercise-dice .die").all()]


def test_the_puzzle_of_the_day_is_that_of_the_command(page: Visitor, yatzy: Strategy) -> None:
    today = date.fromordinal(page.evaluate("loaded('puzzle').then((module) => module.today())"))
    puzzle = find_puzzle(yatzy, daily_seed(today), "hard")
    page.enter("puzzle")
    page.select_option("#difficulty", "hard")
    page.start_exercise("#puzzle-today")
    assert sorted(labels(page)) == list(puzzle.dice)
    assert page.count(".exercise-card .filled") == len(puzzle.card.points)
    best = puzzle.options(yatzy)[0]
    if isinstance(best, Hold):
        rest = list(best.dice)
        for at, face in enumerate(labels(page)):
            if face in rest:
                rest.remove(face)
                page.locator(".exercise-dice .die").nth(at).click()
        page.click("#exercise-roll")
    else:
        take(page, {category.id: category.name for category in yatzy.rules.categories}[best.category])
    page.expects("#exercise .verdict", "the best choice").expects("#puzzle-today", "Puzzle of the day: best")
    page.reopen().enter("puzzle")
    page.select_option("#difficulty", "hard")
    page.expects("#puzzle-today", "Puzzle of the day: best")


def test_further_puzzles_differ_and_one_opens_on_the_table(page: Visitor) -> None:
    page.enter("puzzle")
    seen = set()
    for _ in range(3):
        page.start_exercise("#puzzle-more")
        seen.add(page.inner_text("#exercise"))
    assert len(seen) == 3
    dice, title = labels(page), page.text_content("#exercise h4")
    page.locator(".exercise-card button").first.click()
    show_best(page)
    page.locator(BUTTON, has_text="Show this position").click()
    page.expects("#notice", "Undo goes back").expects("#visit", title)
    asked = "new URLSearchParams(location.hash.slice(1)).get('dice')"
    assert page.evaluate(asked) == "".join(map(str, sorted(dice)))
    page.click("#visit-back")
    assert page.focused() == title
    assert not page.evaluate(asked)  # the own game is back


def test_solved_mistakes_survive_a_reload_and_can_be_forgotten(page: Visitor) -> None:
    """One of hidden advice, and two others of which one is known already."""
    page.hide_advice()
    page.open("#rules=yatzy&card=ones%3D3&dice=66666&left=1").expects("#answer", "Your choice")
    page.mark(0).click("#go").expects("#last-choice", "blunder")
    page.add_mistakes(MISTAKE, {**MISTAKE, "rolls_left": 2})
    page.expects("#drill-counts", "2 of 2 errors are due.")
    page.start_exercise("#drill-start")
    assert page.count(".exercise-card .filled") == 1
    take(page, "Yatzy")
    page.expects("#exercise .verdict", "the best choice").expects("#drill-counts", "1 of 2 errors are due.")
    assert page.count("#exercise .note") == 0
    page.locator(BUTTON, has_text="Next error").click()
    page.wait_for_selector("#exercise .exercise-card button:not([aria-disabled])")
    assert page.count("#exercise .note") == 0
    page.evaluate("document.getElementById('drill-start').click()")
    page.expects("#exercise .note", "You have had this one before.")  # still not answered
    page.wait_for_selector("#exercise .answer:empty", state="attached")
    page.reopen().expects("#drill-counts", "1 of 2 errors are due.").enter("puzzle")
    page.click("#drill-forget").expects("#drill-counts", "are collected here")
    assert page.locator("#drill-start").is_hidden()
    assert page.focused() == "training-title"


def test_a_wrong_answer_says_what_it_loses_and_what_is_best(page: Visitor, yatzy: Strategy) -> None:
    page.start_exercise("#drill-start", MISTAKE)
    assert page.focused() == "An error that lost 5.0 points"
    above = page.locator("#training :is(h3, h4)").all_text_contents()
    assert above[above.index("An error that lost 5.0 points") - 1] == "Your errors"
    for die in (0, 1):
        page.locator(".exercise-dice .die").nth(die).click()
    page.expects("#exercise-roll", "Keep 6 6, roll 3 dice").click("#exercise-roll")
    values = {each.dice: each.value for each in yatzy.holds("ones=3", "66666", 1)}
    best = max(each.value for each in yatzy.categories("ones=3", "66666", 1))
    page.expects("#exercise .verdict", f"Keep 6 6 loses {best - values[(6, 6)]:.2f} points.", "blunder")
    background = page.evaluate("getComputedStyle(document.querySelector('.answer')).backgroundColor")
    assert background == "rgb(253, 228, 226)"
    assert page.focused() == "Try again"
    assert "Yatzy for 50" not in page.inner_text("#exercise .answer")  # a second try first
    assert page.press("Enter").focused() == "Die 1 shows 6"
    assert page.count("#exercise .verdict") == 0
    page.type("66")  # digits hold dice of the exercise, not of the game
    page.expects("#exercise-roll", "Keep 6 6, roll 3 dice")
    assert page.dice() == []
    page.click("#exercise-roll")
    show_best(page)
    page.expects("#exercise .best-choice", "Best: Yatzy for 50.")
    assert page.text_content(".exercise-card .best") == "Yatzy 50"
    page.click("#exercise summary").expects("#exercise table", "Keep 6 6")
    assert page.choices_counted() == 1
    page.expects("#session", "1 blunder")
    page.locator(".exercise-card button").first.click(force=True)  # only the first answer counts
    assert page.choices_counted() == 1


def test_the_best_dice_are_ringed_and_an_open_box_looks_open(page: Visitor) -> None:
    page.start_exercise("#drill-start", MISTAKE | {"dice": [3, 3, 4, 5, 6], "rolls_left": 2})
    look = "(name) => { const e = document.querySelector(name), s = getComputedStyle(e); return [s.fontWeight, s.backgroundColor, s.color]; }"
    filled, nothing = (
        page.evaluate(look, name) for name in (".exercise-card .filled .points", ".exercise-card .zero")
    )
    assert filled != nothing
    page.locator(".exercise-dice .die").nth(4).click()
    page.click("#exercise-roll")
    assert page.count(".exercise-dice .advised") == 0
    show_best(page)
    assert page.locator(".exercise-dice .advised small").all_text_contents() == ["best", "best"]
    ring = page.evaluate("getComputedStyle(document.querySelector('.exercise-dice .advised .die-face')).outline")
    assert "solid" in ring


def test_an_exercise_has_the_screen_and_the_focus(page: Visitor) -> None:
    """It begins at the top of the screen, and nothing of the game on the table is beside it."""
    page.set_viewport_size({"width": 390, "height": 844})
    page.enter("puzzle")
    for button in ("#puzzle-today", "#puzzle-more", "#exercise .bar .primary"):
        page.start_exercise(button)
        assert page.focused().startswith("Puzzle")
        assert page.evaluate("document.activeElement.tagName") == "H4"
        said = page.locator("#exercise [role='status']").first.text_content()
        assert said.startswith("Yatzy, ")
        assert "Dice " in said
        page.wait_until("Math.abs(document.querySelector('#exercise').getBoundingClientRect().top) < 30")
        assert page.locator("#faces").is_hidden()
        assert page.locator("#go").is_hidden()
        assert page.press("Enter").dice() == []  # plays nothing on the table
        page.locator(".exercise-card button").first.click()
        show_best(page)
    page.enter("play")
    assert page.locator("#faces").is_visible()


@pytest.mark.parametrize("language", ["de", "fi"])
def test_controls_wrap_as_a_whole(blank: Visitor, language: str) -> None:
    """A name stays beside its control, or above it where both do not fit in a line; no box is apart from its words."""
    blank.set_viewport_size({"width": 390, "height": 844})
    blank.open(f"?lang={language}").enter("puzzle")
    # All at one time: the figures above may arrive meanwhile and move everything.
    name, control, box, words = blank.evaluate(
        """["label[for='difficulty']", "#difficulty", "#hide-advice", ".check span"].map((each) => {
          const { x, y, width, height } = document.querySelector(each).getBoundingClientRect();
          return { x, y, width, height };
        })"""
    )
    assert abs(name["y"] + name["height"] / 2 - control["y"] - control["height"] / 2) < 4
    assert words["x"] >= box["x"] + box["width"]
    lefts = blank.evaluate(
        "[...document.querySelectorAll('#puzzle-today, #puzzle-bar label, #threshold, #hide-advice')].map((e) => Math.round(e.getBoundingClientRect().left))"
    )
    assert max(lefts) - min(lefts) <= 4
    assert blank.evaluate("document.documentElement.scrollWidth") <= 390


def test_a_loss_above_the_threshold_is_asked_about(blank: Visitor) -> None:
    """One tap cannot roll a Yatzy away; the safe answer has the focus and Escape is safe, too."""
    blank.open("#rules=yatzy&card=ones%3D3&dice=66666&left=1").settle()
    blank.mark(0, 0).expects("#go", "Roll all dice again")
    blank.click("#go").expects("#loss-dialog", "loses", "blunder")
    assert blank.focused() == "Choose again"
    blank.press("Escape").wait_for_selector("#loss-dialog", state="detached")
    assert blank.dice() == [6] * 5
    blank.click("#go").locator("#loss-dialog button", has_text="Do it anyway").click()
    blank.wait_until("!location.hash.includes('dice=66666')")
    assert blank.state()["holds"] == [[]]
    blank.click("#undo").enter("puzzle")
    blank.select_option("#threshold", "0")
    blank.enter("play")
    blank.settle().mark(0).click("#go")
    blank.wait_until("!location.hash.includes('dice=66666')")
    assert blank.count("#loss-dialog") == 0


def test_by_keyboard_alone_also_when_the_server_was_away(tab: Visitor) -> None:
    """A puzzle from the button to the next one: the focus always stands where the player goes on."""
    tab.open().enter("puzzle")
    with tab.without_server():
        tab.locator("#puzzle-today").focus()
        tab.press("Enter").wait_for_selector("#exercise .error")
    tab.locator(BUTTON, has_text="Try again").click()
    tab.wait_for_selector("#exercise .exercise-card button")
    assert "Puzzle of the day" in tab.focused()
    for _ in range(30):
        tab.press("Tab")
        if tab.evaluate("Boolean(document.activeElement.closest('.exercise-card'))"):
            break
    tab.press("Enter").wait_for_selector("#exercise .verdict")
    if tab.focused() == "Try again":
        assert tab.press("Tab").focused() == "Show the best choice"
        tab.press("Enter")
    assert tab.focused() == "Another puzzle"
