"""What people see: sizes of targets, contrasts, narrow and dark screens, print, and what axe finds."""

from __future__ import annotations

import io
import re
from collections import Counter
from typing import Any

import pytest
from support.browser import expect, open_link, settle
from support.looks import CONTRAST, SMALL, axe_faults
from support.need import need

pytestmark = pytest.mark.full


@pytest.mark.parametrize("width", [390, 320])
def test_targets_are_large_enough_on_a_phone(page: Any, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 844})
    assert page.evaluate(SMALL) == []
    page.keyboard.type("33456")
    settle(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate(SMALL) == []
    tops = page.evaluate(
        "[...document.querySelectorAll('#dice button')].map((die) => die.getBoundingClientRect().top)"
    )
    assert len(set(tops)) == 1
    page.click("#edit-card")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.click("#menu-button")
    page.click("#open-players")
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_controls_stand_out_from_the_background(page: Any, scheme: str) -> None:
    """WCAG 1.4.11: 3 to 1 for the border or the surface of what can be pressed or filled in."""
    page.emulate_media(color_scheme=scheme)
    page.keyboard.type("33456")
    settle(page)
    page.click("#edit-card")
    found = page.evaluate(CONTRAST, "#card input, #bar .bar-buttons > button, #remove-die, #go")
    found += page.evaluate(CONTRAST, "#faces svg rect")  # the keys are pictures of dice
    page.click("#open-rules")
    found += page.evaluate(CONTRAST, "#rules-dialog select, #rules-dialog button")
    assert len(found) > 20
    assert [each for each in found if each[1] < 3] == []


def test_axe_finds_nothing_in_any_state(page: Any, address: str) -> None:
    def check(state: str) -> None:
        page.emulate_media(color_scheme="light")
        assert (state, axe_faults(page)) == (state, [])
        page.emulate_media(color_scheme="dark")
        assert (state, axe_faults(page, rules=["color-contrast"])) == (state, [])

    check("empty")
    page.keyboard.type("33456")
    settle(page)
    check("advice")
    page.locator("#dice button").first.click()
    page.click("#map summary")
    page.wait_for_selector("#map tbody tr")
    check("held")
    page.keyboard.type("3")
    check("next roll")
    page.click("#edit-card")
    page.fill("#box-ones", "9")
    page.locator("#box-ones").blur()
    check("editing")
    page.fill("#box-ones", "3")
    page.click("#edit-card")
    page.click("#menu-button")
    check("menu")
    page.click("#open-players")
    page.click("#add-player")
    check("players")
    page.click("#players-form button[type='submit']")
    page.click("#open-rules")
    page.select_option("#objective", "goal")
    check("rules")
    page.keyboard.press("Escape")
    open_link(page, address, "#rules=yatzy&dice=33345&left=0")
    settle(page)
    check("last roll")


def test_the_colours_can_be_chosen_and_stay(page: Any) -> None:
    shown = (
        "[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.documentElement).colorScheme]"
    )
    light, dark = ["rgb(241, 244, 246)", "light"], ["rgb(16, 23, 29)", "dark"]
    page.emulate_media(color_scheme="light")
    page.click("#menu-button")
    page.click("#open-language")
    page.select_option("#theme", "dark")
    assert page.evaluate(shown) == dark
    page.reload()
    page.wait_for_selector("html[data-ready]", state="attached")
    assert page.evaluate(shown) == dark
    page.emulate_media(media="print", color_scheme="light")
    assert page.evaluate(shown)[0] == "rgb(255, 255, 255)"
    page.emulate_media(media="screen", color_scheme="dark")
    page.click("#menu-button")
    page.click("#open-language")
    page.select_option("#theme", "light")
    assert page.evaluate(shown) == light
    page.select_option("#theme", "device")
    assert page.evaluate(shown)[0] == dark[0]
    page.emulate_media(color_scheme="light")
    assert page.evaluate(shown)[0] == light[0]


def test_forced_colours_keep_the_marks(page: Any) -> None:
    page.emulate_media(forced_colors="active")
    page.keyboard.type("33456")
    settle(page)
    assert page.locator("#dice .advised small").all_text_contents() == ["keep", "keep"]
    assert page.evaluate("getComputedStyle(document.querySelector('.advised .die-face')).outlineStyle") == "solid"


def test_a_position_prints_on_one_page_in_dark_ink(page: Any, address: str) -> None:
    pypdf = need("pypdf")
    page.emulate_media(color_scheme="dark")
    open_link(page, address, "#rules=yatzy&card=ones=3+sixes=24&dice=33456&left=2")
    settle(page)
    expect(page, "#expect", "24")
    printed = pypdf.PdfReader(io.BytesIO(page.pdf(format="A4")))
    assert len(printed.pages) == 1
    text = printed.pages[0].extract_text()
    assert "Yatzy · Turn 3 of 15 · dice 3 3 4 5 6 · roll 1 of 3 · total 27" in text.replace("\n", " ")
    assert "Ones 3\n" in text
    assert "Threes (6)\n" in text  # what this roll would score is in brackets
    values = page.locator("#ranking .option-value").all_text_contents()
    assert all(value in text for value in values)
    page.emulate_media(media="print", color_scheme="dark")
    ink, paper = page.evaluate(
        "[getComputedStyle(document.body).color, getComputedStyle(document.body).backgroundColor]"
    )
    assert ink == "rgb(0, 0, 0)"
    assert paper == "rgb(255, 255, 255)"
    for hidden in ("go", "undo", "open-rules", "faces"):
        assert page.locator(f"#{hidden}").is_hidden()


def test_without_scripts_the_page_says_what_to_do(browser: Any, address: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address)
    page.locator("noscript p[lang=en]").wait_for()
    assert page.locator("#loading").is_hidden()
    context.close()


def test_the_dice_of_the_example_are_there_before_any_script(browser: Any, address: str) -> None:
    """The menu, which could do nothing yet, is not."""
    context = browser.new_context()
    page, waiting = context.new_page(), []
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
    context.close()
