"""Every state beyond the table: axe, targets for a finger and contrast of controls, in light and dark, and in print."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from perfect_yatzy.play.record import write_games
from perfect_yatzy.strategy.strategy import Strategy
from support.browser import add_mistakes, expect, hide_advice, open_link, settle
from support.human import human
from support.looks import axe_faults, looks_right
from support.need import need

playwright = need("playwright.sync_api")
MISTAKE = {"rules": "yatzy", "card": {"ones": 3}, "dice": [6, 6, 6, 6, 6], "rolls_left": 1}
# Words that look like a link or like plain text have the contrast of text instead, which axe measures.
CONTROLS = ", ".join(
    f"{place}:not([aria-disabled='true'], .quiet, .decision, .option, .box, .die, .face, #left, [data-box], #menu button, #open-rules, #menu-button)"
    for place in ("main button", "main select", "main input", "dialog[open] button", "dialog[open] select", "dialog[open] input", "dialog[open] textarea")
) + ", .die .die-square"  # fmt: skip

pytestmark = pytest.mark.full


def check(page: Any, state: str) -> None:
    looks_right(page, state, CONTROLS)


def open_review(page: Any, yatzy: Strategy, folder: Path) -> None:
    write_games(folder / "games.jsonl", [human(yatzy, 2), human(yatzy, 4)])
    page.set_input_files("#record", str(folder / "games.jsonl"))
    page.wait_for_selector("#review-name")


def test_a_review_with_a_mistake_open_and_its_position(page: Any, yatzy: Strategy, tmp_path: Path) -> None:
    open_review(page, yatzy, tmp_path)
    page.keyboard.press("m")
    page.locator("#decision summary").click()
    check(page, "review")
    page.locator("#decision button", has_text="Show this position").click()
    settle(page)
    expect(page, "#visit", "Played")
    check(page, "position of a review")


def test_training(page: Any, address: str) -> None:
    hide_advice(page)
    open_link(page, address, "#rules=yatzy&card=ones%3D3&dice=66666&left=1")
    expect(page, "#answer", "Your choice")
    check(page, "hidden advice")
    page.locator("#dice .die").nth(0).click()
    page.click("#go")
    expect(page, "#last-choice", "blunder")
    check(page, "last choice")


def test_an_exercise_answered_wrongly(page: Any) -> None:
    add_mistakes(page, MISTAKE)
    page.click("#drill-start")
    page.wait_for_selector("#exercise .exercise-card button")
    page.locator(".exercise-dice .die").first.click()
    check(page, "exercise")
    page.locator("#exercise-roll").click()
    check(page, "wrong answer")
    page.locator("#exercise button", has_text="Show the best choice").click()
    page.locator("#exercise summary").click()
    check(page, "solution")


def test_dialogs(blank: Any, address: str) -> None:
    open_link(blank, address, "#rules=yatzy&card=ones%3D3&dice=66666&left=1")
    settle(blank)
    blank.click("#menu-button")
    blank.click("#open-players")
    blank.click("#add-player")
    check(blank, "players")
    blank.keyboard.press("Escape")
    blank.click("#menu-button")
    blank.click("#open-paste")
    blank.fill("#paste-text", "rubbish text")
    blank.locator("#paste-form .primary").click()
    expect(blank, "#paste-error", " ")
    check(blank, "paste")
    blank.keyboard.press("Escape")
    blank.locator("#dice .die").nth(0).click()
    blank.click("#go")
    expect(blank, "#loss-dialog", "blunder")
    check(blank, "loss")
    blank.keyboard.press("Escape")
    blank.click("#menu-button")
    blank.click("#menu-rules")
    for objective in ("goal", "win"):
        blank.select_option("#objective", objective)
        check(blank, f"rules, {objective}")


def test_what_to_expect_while_it_is_computed_and_the_end_of_a_game(page: Any) -> None:
    page.wait_for_selector("#chart rect")
    page.locator("#chances-details summary").click()
    check(page, "figures")
    page.route("**/api/expect", lambda route: None)  # no answer
    page.evaluate("loaded('state').then(({ change }) => change((s) => { s.players[0].card.chance = 20; }))")
    page.wait_for_selector("#spread.outdated")
    check(page, "figures fade")
    page.evaluate(
        """loaded('state').then(({ change, rules }) => change((s) => {
          for (const box of rules().categories) s.players[0].card[box.id] = 0;
        }))"""
    )
    expect(page, "#answer", "Final score: 0")
    check(page, "end of a game")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_print(page: Any, yatzy: Strategy, tmp_path: Path, scheme: str) -> None:
    """A position and a review on paper."""
    page.keyboard.type("33456")
    settle(page)
    open_review(page, yatzy, tmp_path)
    page.emulate_media(media="print", color_scheme=scheme)
    assert axe_faults(page) == []
