"""Training in a real browser: hidden advice, the warning before a loss, old mistakes asked again, puzzles."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from perfect_yatzy.play.puzzle import daily_seed, find_puzzle
from perfect_yatzy.strategy.actions import Hold
from perfect_yatzy.strategy.strategy import Strategy
from support.browser import add_mistakes, enter, expect, focused, hide_advice, open_link, settle, wait_until
from support.need import need

pytestmark = pytest.mark.full

playwright = need("playwright.sync_api")
MISTAKE = {"rules": "yatzy", "card": {"ones": 3}, "dice": [6, 6, 6, 6, 6], "rolls_left": 1}


def open_puzzle(page: Any, button: str = "#puzzle-today") -> None:
    enter(page, "puzzle")
    page.click(button)
    page.wait_for_selector("#exercise .exercise-card button")


def show_best(page: Any) -> None:
    """After an answer: the best choice, which a wrong answer does not reveal."""
    page.wait_for_selector("#exercise .verdict")
    button = page.locator("#exercise button", has_text="Show the best choice")
    if button.count():
        button.click()


def take(page: Any, name: str) -> None:
    page.locator(".exercise-card button", has_text=name).first.click()
    page.wait_for_selector("#exercise .verdict")


def counted(page: Any) -> int:
    return int(page.evaluate("loaded('training-settings').then((module) => module.sessionCounts().count)"))


@pytest.mark.parametrize("difficulty", ["hard"])
def test_the_puzzle_of_the_day_is_that_of_the_command(page: Any, yatzy: Strategy, difficulty: str) -> None:
    today = date.fromordinal(page.evaluate("loaded('puzzle').then((module) => module.today())"))
    puzzle = find_puzzle(yatzy, daily_seed(today), difficulty)
    enter(page, "puzzle")
    page.select_option("#difficulty", difficulty)
    open_puzzle(page)
    labels = [die.get_attribute("aria-label") for die in page.locator(".exercise-dice .die").all()]
    assert sorted(int(label[-1]) for label in labels) == list(puzzle.dice)
    assert page.locator(".exercise-card .filled").count() == len(puzzle.card.points)
    best = puzzle.options(yatzy)[0]
    if isinstance(best, Hold):
        rest = list(best.dice)
        for die, label in zip(page.locator(".exercise-dice .die").all(), labels, strict=True):
            if int(label[-1]) in rest:
                rest.remove(int(label[-1]))
                die.click()
        page.locator("#exercise-roll").click()
    else:
        names = {category.id: category.name for category in yatzy.rules.categories}
        take(page, names[best.category])
    page.wait_for_selector("#exercise .verdict")
    expect(page, "#exercise .verdict", "the best choice")
    expect(page, "#puzzle-today", "Puzzle of the day: best")
    page.reload()
    page.wait_for_selector("html[data-ready]")
    enter(page, "puzzle")
    page.select_option("#difficulty", difficulty)
    expect(page, "#puzzle-today", "Puzzle of the day: best")


def test_further_puzzles_differ_and_one_opens_on_the_table(page: Any) -> None:
    seen = set()
    for _ in range(3):
        open_puzzle(page, "#puzzle-more")
        seen.add(page.locator("#exercise").inner_text())
    assert len(seen) == 3
    dice = [die.get_attribute("aria-label")[-1] for die in page.locator(".exercise-dice .die").all()]
    title = page.text_content("#exercise h4")
    page.locator(".exercise-card button").first.click()
    show_best(page)
    page.locator("#exercise button", has_text="Show this position").click()
    expect(page, "#notice", "Undo goes back")
    expect(page, "#visit", title)
    assert page.evaluate("new URLSearchParams(location.hash.slice(1)).get('dice')") == "".join(sorted(dice))
    page.click("#visit-back")
    assert focused(page) == title
    assert not page.evaluate("new URLSearchParams(location.hash.slice(1)).get('dice')")  # the own game is back


def test_solved_mistakes_survive_a_reload_and_can_be_forgotten(page: Any) -> None:
    add_mistakes(page, MISTAKE, {**MISTAKE, "rolls_left": 2})
    add_mistakes(page, MISTAKE)  # known already
    expect(page, "#drill-counts", "2 of 2 errors are due.")
    page.click("#drill-start")
    page.wait_for_selector("#exercise .exercise-card button")
    take(page, "Yatzy")
    expect(page, "#drill-counts", "1 of 2 errors are due.")
    assert page.locator("#exercise .note").count() == 0
    page.locator("#exercise button", has_text="Next error").click()
    page.wait_for_selector("#exercise .exercise-card button:not([aria-disabled])")
    assert page.locator("#exercise .note").count() == 0
    page.evaluate("document.getElementById('drill-start').click()")
    expect(page, "#exercise .note", "You have had this one before.")  # still not answered
    page.wait_for_selector("#exercise .answer:empty", state="attached")
    page.reload()
    page.wait_for_selector("html[data-ready]")
    expect(page, "#drill-counts", "1 of 2 errors are due.")
    enter(page, "puzzle")
    page.click("#drill-forget")
    expect(page, "#drill-counts", "are collected here")
    assert page.locator("#drill-start").is_hidden()
    assert focused(page) == "training-title"


def test_mistakes_with_hidden_advice_are_kept(page: Any, address: str) -> None:
    hide_advice(page)
    open_link(page, address, "#rules=yatzy&card=ones%3D3&dice=66666&left=1")
    expect(page, "#answer", "Your choice")
    page.locator("#dice .die").nth(0).click()
    page.click("#go")
    expect(page, "#last-choice", "blunder")
    enter(page, "puzzle")
    expect(page, "#drill-counts", "1 of 1 error is due.")
    page.click("#drill-start")
    page.wait_for_selector("#exercise .exercise-card button")
    assert page.locator(".exercise-card .filled").count() == 1
    take(page, "Yatzy")
    expect(page, "#exercise .verdict", "the best choice")


def test_the_best_dice_are_ringed_and_an_open_box_looks_open(page: Any) -> None:
    add_mistakes(page, {"rules": "yatzy", "card": {"ones": 3}, "dice": [3, 3, 4, 5, 6], "rolls_left": 2})
    page.click("#drill-start")
    page.wait_for_selector("#exercise .exercise-card button")
    look = "(name) => { const e = document.querySelector(name), s = getComputedStyle(e); return [s.fontWeight, s.backgroundColor, s.color]; }"
    filled, nothing = (
        page.evaluate(look, name) for name in (".exercise-card .filled .points", ".exercise-card .zero")
    )
    assert filled != nothing
    page.locator(".exercise-dice .die").nth(4).click()
    page.locator("#exercise-roll").click()
    assert page.locator(".exercise-dice .advised").count() == 0
    show_best(page)
    assert page.locator(".exercise-dice .advised small").all_text_contents() == ["best", "best"]
    ring = page.evaluate("getComputedStyle(document.querySelector('.exercise-dice .advised .die-face')).outline")
    assert "solid" in ring


def test_an_exercise_has_the_screen_and_the_focus(page: Any) -> None:
    """It begins at the top of the screen, and nothing of the game on the table is beside it."""
    page.set_viewport_size({"width": 390, "height": 844})
    for button in ("#puzzle-today", "#puzzle-more", "#exercise .bar .primary"):
        open_puzzle(page, button)
        assert focused(page).startswith("Puzzle")
        assert page.evaluate("document.activeElement.tagName") == "H4"
        said = page.locator("#exercise [role='status']").first.text_content()
        assert said.startswith("Yatzy, ")
        assert "Dice " in said
        wait_until(page, "Math.abs(document.querySelector('#exercise').getBoundingClientRect().top) < 30")
        assert page.locator("#faces").is_hidden()
        assert page.locator("#go").is_hidden()
        page.keyboard.press("Enter")  # plays nothing on the table
        assert page.locator("#dice button").count() == 0
        page.locator(".exercise-card button").first.click()
        show_best(page)
    enter(page, "play")
    assert page.locator("#faces").is_visible()


@pytest.mark.parametrize("language", ["de", "fi"])
def test_controls_wrap_as_a_whole(page: Any, address: str, language: str) -> None:
    """A name stays beside its control, or above it where both do not fit in a line; no box is apart from its words."""
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{address}?lang={language}")
    page.wait_for_selector("html[data-ready]", state="attached")
    enter(page, "puzzle")
    # All at one time: the figures above may arrive meanwhile and move everything.
    name, control, box, words = page.evaluate(
        """["label[for='difficulty']", "#difficulty", "#hide-advice", ".check span"].map((each) => {
          const { x, y, width, height } = document.querySelector(each).getBoundingClientRect();
          return { x, y, width, height };
        })"""
    )
    assert abs(name["y"] + name["height"] / 2 - control["y"] - control["height"] / 2) < 4
    assert words["x"] >= box["x"] + box["width"]
    lefts = page.evaluate(
        "[...document.querySelectorAll('#puzzle-today, #puzzle-bar label, #threshold, #hide-advice')].map((e) => Math.round(e.getBoundingClientRect().left))"
    )
    assert max(lefts) - min(lefts) <= 4
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_a_loss_above_the_threshold_is_asked_about(blank: Any, address: str) -> None:
    """One tap cannot roll a Yatzy away; the safe answer has the focus and Escape is safe, too."""
    open_link(blank, address, "#rules=yatzy&card=ones%3D3&dice=66666&left=1")
    settle(blank)
    blank.locator("#dice .die").nth(0).click()
    blank.click("#go")
    expect(blank, "#loss-dialog", "loses")
    expect(blank, "#loss-dialog", "blunder")
    assert focused(blank) == "Choose again"
    blank.keyboard.press("Escape")
    blank.wait_for_selector("#loss-dialog", state="detached")
    assert "dice=66666" in blank.url
    blank.click("#go")
    blank.locator("#loss-dialog button", has_text="Do it anyway").click()
    wait_until(blank, "!location.hash.includes('dice=66666')")
    blank.click("#undo")
    enter(blank, "puzzle")
    blank.select_option("#threshold", "0")
    enter(blank, "play")
    settle(blank)
    blank.locator("#dice .die").nth(0).click()
    blank.click("#go")
    wait_until(blank, "!location.hash.includes('dice=66666')")
    assert blank.locator("#loss-dialog").count() == 0


def test_errors_are_reported_and_tried_again(tab: Any, address: str) -> None:
    tab.goto(address)
    tab.wait_for_selector("html[data-ready]")
    tab.route("**/api/puzzle", lambda route: route.abort())
    enter(tab, "puzzle")
    tab.click("#puzzle-today")
    tab.wait_for_selector("#exercise .error")
    tab.unroute("**/api/puzzle")
    tab.locator("#exercise button", has_text="Try again").click()
    tab.wait_for_selector("#exercise .exercise-card button")


def test_by_keyboard_alone(page: Any) -> None:
    """A puzzle from the button to the next one: the focus always stands where the player goes on."""
    enter(page, "puzzle")
    page.locator("#puzzle-today").focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("#exercise .exercise-card button")
    assert "Puzzle of the day" in focused(page)
    for _ in range(30):
        page.keyboard.press("Tab")
        if page.evaluate("Boolean(document.activeElement.closest('.exercise-card'))"):
            break
    page.keyboard.press("Enter")
    page.wait_for_selector("#exercise .verdict")
    if focused(page) == "Try again":
        page.keyboard.press("Tab")
        assert focused(page) == "Show the best choice"
        page.keyboard.press("Enter")
    assert focused(page) == "Another puzzle"
