"""What people see: axe, targets for a finger and contrasts in every state, colours, print, and before any script."""

import io
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from perfect_yatzy import Strategy
from perfect_yatzy.play.record import write_games
from support.browser import Visitor, axe_faults, looks_right
from support.human import human
from support.need import need

pytestmark = pytest.mark.full
MISTAKE = {"rules": "yatzy", "card": {"ones": 3}, "dice": [6, 6, 6, 6, 6], "rolls_left": 1}
GIVEN_AWAY = "#rules=yatzy&card=ones%3D3&dice=66666&left=1"


def open_review(page: Visitor, yatzy: Strategy, folder: Path) -> None:
    write_games(folder / "games.jsonl", [human(yatzy, 2), human(yatzy, 4)])
    page.set_input_files("#record", str(folder / "games.jsonl"))
    page.wait_for_selector("#review-name")


# --- every state ---


def test_the_table(page: Visitor) -> None:
    looks_right(page, "empty")
    page.type("33456").settle()
    looks_right(page, "advice")
    tops = page.evaluate("[...document.querySelectorAll('#dice button')].map((e) => e.getBoundingClientRect().top)")
    assert len(set(tops)) == 1
    page.mark(0).click("#map summary")
    page.wait_for_selector("#map tbody tr")
    looks_right(page, "held")
    page.type("3")
    looks_right(page, "next roll")
    page.click("#edit-card")
    page.write("#box-ones", "9")
    looks_right(page, "editing")
    page.open("#rules=yatzy&dice=33345&left=0").settle()
    looks_right(page, "last roll")


def test_dialogs(blank: Visitor) -> None:
    blank.open(GIVEN_AWAY).settle().click("#menu-button")
    looks_right(blank, "menu")
    blank.click("#open-players").click("#add-player")
    looks_right(blank, "players")
    blank.press("Escape").menu("open-paste")
    blank.fill("#paste-text", "rubbish text")
    blank.locator("#paste-form .primary").click()
    blank.expects("#paste-error", " ")
    looks_right(blank, "paste")
    blank.press("Escape").mark(0).click("#go").expects("#loss-dialog", "blunder")
    looks_right(blank, "loss")
    blank.press("Escape").click("#open-rules")
    for objective in ("goal", "win"):
        blank.select_option("#objective", objective)
        looks_right(blank, f"rules, {objective}")


def test_a_review_with_a_mistake_open_and_its_position(page: Visitor, yatzy: Strategy, tmp_path: Path) -> None:
    open_review(page, yatzy, tmp_path)
    page.press("m")
    page.locator("#decision summary").click()
    looks_right(page, "review")
    page.locator("#decision button", has_text="Show this position").click()
    page.settle().expects("#visit", "Played")
    looks_right(page, "position of a review")


def test_training(page: Visitor) -> None:
    page.hide_advice()
    page.open(GIVEN_AWAY).expects("#answer", "Your choice")
    looks_right(page, "hidden advice")
    page.mark(0).click("#go").expects("#last-choice", "blunder")
    looks_right(page, "last choice")
    page.start_exercise("#drill-start", MISTAKE)
    page.locator(".exercise-dice .die").first.click()
    looks_right(page, "exercise")
    page.locator("#exercise-roll").click()
    looks_right(page, "wrong answer")
    page.locator("#exercise button", has_text="Show the best choice").click()
    page.locator("#exercise summary").click()
    looks_right(page, "solution")


def test_what_to_expect_while_it_is_computed_and_the_end_of_a_game(page: Visitor) -> None:
    page.wait_for_selector("#chart rect")
    page.locator("#chances-details summary").click()
    looks_right(page, "figures")
    page.asks("expect", lambda body: {})
    page.change("s.players[0].card.chance = 20;")
    page.wait_for_selector("#spread.outdated")
    looks_right(page, "figures fade")
    page.change("for (const box of rules().categories) s.players[0].card[box.id] = 0;")
    page.expects("#answer", "Final score: 0")
    looks_right(page, "end of a game")


# --- colours and paper ---


def test_the_colours_can_be_chosen_and_stay(page: Visitor) -> None:
    shown = (
        "[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.documentElement).colorScheme]"
    )
    light, dark = ["rgb(241, 244, 246)", "light"], ["rgb(16, 23, 29)", "dark"]
    page.menu("open-language")
    page.select_option("#theme", "dark")
    assert page.evaluate(shown) == dark
    assert page.reopen().evaluate(shown) == dark
    page.emulate_media(media="print")
    assert page.evaluate(shown)[0] == "rgb(255, 255, 255)"
    page.emulate_media(media="screen", color_scheme="dark")
    page.menu("open-language")
    page.select_option("#theme", "light")
    assert page.evaluate(shown) == light
    page.select_option("#theme", "device")
    assert page.evaluate(shown)[0] == dark[0]
    page.emulate_media(color_scheme="light")
    assert page.evaluate(shown)[0] == light[0]


def test_forced_colours_keep_the_marks(page: Visitor) -> None:
    page.emulate_media(forced_colors="active")
    page.type("33456").settle()
    assert page.locator("#dice .advised small").all_text_contents() == ["keep", "keep"]
    assert page.evaluate("getComputedStyle(document.querySelector('.advised .die-face')).outlineStyle") == "solid"


def test_a_position_prints_on_one_page_in_dark_ink(blank: Visitor) -> None:
    blank.emulate_media(color_scheme="dark")
    blank.open("#rules=yatzy&card=ones=3+sixes=24&dice=33456&left=2").settle().expects("#expect", "24")
    printed = need("pypdf").PdfReader(io.BytesIO(blank.pdf(format="A4")))
    assert len(printed.pages) == 1
    text = printed.pages[0].extract_text()
    assert "Yatzy · Turn 3 of 15 · dice 3 3 4 5 6 · roll 1 of 3 · total 27" in " ".join(text.split())
    assert "Ones 3\n" in text
    assert "Threes (6)\n" in text  # what this roll would score is in brackets
    values = blank.locator("#ranking .option-value").all_text_contents()
    assert all(value in text for value in values)
    blank.emulate_media(media="print", color_scheme="dark")
    ink = "(({ color, backgroundColor }) => [color, backgroundColor])(getComputedStyle(document.body))"
    assert blank.evaluate(ink) == ["rgb(0, 0, 0)", "rgb(255, 255, 255)"]
    assert [each for each in ("go", "undo", "open-rules", "faces") if blank.locator(f"#{each}").is_visible()] == []


def test_a_review_is_printed_on_pages_of_its_own(page: Visitor, yatzy: Strategy, tmp_path: Path) -> None:
    page.type("33456").settle()
    open_review(page, yatzy, tmp_path)
    for scheme in ("light", "dark"):
        page.emulate_media(media="print", color_scheme=scheme)
        assert axe_faults(page) == []
    assert page.locator("#review-name").is_visible()
    hidden = (".stepper", "#decision", "#review-own", "#practise", "#open-file")
    assert [place for place in hidden if page.locator(place).is_visible()] == []
    assert page.evaluate("getComputedStyle(document.getElementById('review')).breakBefore") == "page"
    assert page.evaluate("getComputedStyle(document.querySelector('.turns')).maxHeight") == "none"
    assert page.pdf(path=str(tmp_path / "review.pdf")).startswith(b"%PDF")


# --- before any script ---


def test_without_scripts_the_page_says_what_to_do(browser: Any, address: str) -> None:
    page = browser.new_context(java_script_enabled=False).new_page()
    page.goto(address)
    page.locator("noscript p[lang=en]").wait_for()
    assert page.locator("#loading").is_hidden()


def test_the_dice_of_the_example_are_there_before_any_script(browser: Any, address: str) -> None:
    """The menu, which could do nothing yet, is not."""
    page, waiting = browser.new_context().new_page(), []
    page.route("**/*.js", lambda route: waiting.append(route))
    page.goto(address, wait_until="commit")
    page.locator("#loading svg").wait_for()
    pips = page.locator("#loading .pips").get_attribute("d")
    squares = page.locator("#loading .squares").get_attribute("d")
    lefts = [int(left) - 10 for left in re.findall(r"M(\d+) 20", squares)]
    found = Counter(sum(left <= int(x) for left in lefts) for x in re.findall(r"M(\d+) ", pips))
    assert [found[i + 1] for i in range(5)] == [2, 5, 5, 5, 1]
    assert page.locator("#menu-button").is_hidden()
    for route in waiting:
        route.continue_()
    page.unroute("**/*.js")
    page.locator("#example").wait_for()
    assert page.locator("#example .dice-row").get_attribute("aria-label") == "2 5 5 5 1"
    assert page.locator("#loading").is_hidden()
    assert page.locator("#menu-button").is_visible()
