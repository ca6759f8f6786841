"""Reviews in a real browser: the figures against the review itself, stepping, the curve, files, print, screen readers."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from perfect_yatzy.play.record import Game, Turn, write_games
from perfect_yatzy.play.review import Review, review
from perfect_yatzy.strategy.strategy import Strategy
from support.browser import enter, expect, focused, settle, wait_until
from support.human import human
from support.looks import RULES, axe_faults
from support.need import need

pytestmark = pytest.mark.full

playwright = need("playwright.sync_api")


@pytest.fixture(scope="module")
def game(yatzy: Strategy) -> Game:
    return human(yatzy, 2)


@pytest.fixture(scope="module")
def reviewed(yatzy: Strategy, game: Game) -> Review:
    return review(yatzy, game)


@pytest.fixture
def opened(page: Any, game: Game, tmp_path: Path) -> Any:
    """The page with the review of a game from a file."""
    return open_games(page, tmp_path, game)


def open_games(page: Any, folder: Path, *games: Game) -> Any:
    path = folder / "games.jsonl"
    write_games(path, list(games))
    page.set_input_files("#record", str(path))
    page.wait_for_selector("#review-name")
    return page


def signed(value: float) -> str:
    return f"{'−' if value < 0 else '+'}{abs(value):.1f}"


def place(page: Any) -> int:
    """The number of the decision shown."""
    found = re.search(r"\((\d+) of", page.text_content("#step-place"))
    assert found is not None
    return int(found[1])


def test_every_decision_is_listed_with_its_grade_and_loss(opened: Any, reviewed: Review) -> None:
    rows = opened.locator(".decision")
    assert rows.count() == len(reviewed.decisions)
    assert opened.locator(".turns > li").count() == 15
    words = {"best": "best", "tied": "equally good"}
    for row, decision in zip(rows.all(), reviewed.decisions, strict=True):
        text = row.text_content()
        assert f"Turn {decision.turn}, roll {decision.roll}" in text
        assert row.locator(".dice-row").get_attribute("aria-label") == " ".join(map(str, decision.dice))
        if decision.grade in words:
            assert words[decision.grade] in text
        else:
            assert decision.grade in text
            assert f"−{decision.loss:.2f}" in text or decision.loss < 0.005


def test_it_is_stepped_with_the_arrow_keys(opened: Any, reviewed: Review) -> None:
    count = len(reviewed.decisions)
    assert focused(opened) == "review-name"
    assert place(opened) == 1
    for key, wanted in (("ArrowRight", 2), ("ArrowRight", 3), ("ArrowLeft", 2), ("End", count), ("Home", 1)):
        opened.keyboard.press(key)
        assert place(opened) == wanted
    opened.keyboard.press("ArrowLeft")  # nothing before the first
    assert place(opened) == 1
    mistakes = [i + 1 for i, each in enumerate(reviewed.decisions) if each.grade in ("mistake", "blunder")]
    for wanted in [each for each in mistakes if each > 1][:3]:
        opened.keyboard.press("m")
        assert place(opened) == wanted
        assert reviewed.decisions[wanted - 1].grade in opened.text_content("#decision")
    opened.locator(".decision").nth(6).click()
    assert place(opened) == 7
    assert opened.locator(".decision[aria-current]").count() == 1
    opened.locator("#step-on").click()
    assert place(opened) == 8
    assert opened.locator("#dice button[aria-pressed]").count() == 0  # the table is as it was


def test_a_click_on_the_curve_goes_to_the_decision(opened: Any, reviewed: Review) -> None:
    chart = opened.locator("svg.course")
    box = chart.bounding_box()
    for share in (0.98, 0.5, 0.12):
        chart.click(position={"x": share * box["width"], "y": box["height"] / 2})
        wanted = share * len(reviewed.decisions)
        assert abs(place(opened) - wanted) <= 0.1 * len(reviewed.decisions)
    mark = opened.locator(".course .here")
    before = float(mark.get_attribute("x1"))
    opened.keyboard.press("End")
    assert float(mark.get_attribute("x1")) > before


def test_why_and_the_position_of_the_worst_decision(opened: Any, reviewed: Review) -> None:
    worst = max(range(len(reviewed.decisions)), key=lambda i: reviewed.decisions[i].loss)
    decision = reviewed.decisions[worst]
    opened.locator(".decision").nth(worst).click()
    expect(opened, "#decision", f"−{decision.loss:.2f}")
    opened.locator("#decision summary").click()
    expect(opened, "#decision table", "Points later")
    assert opened.locator("#decision th:empty").count() == 0
    opened.locator("#decision button", has_text="Show this position").click()
    expect(opened, "#notice", f"Turn {decision.turn}, roll {decision.roll}")
    expect(opened, "#notice", "Undo goes back")
    expect(opened, "#visit", f"blunder, −{decision.loss:.2f}")  # what was played there
    link = opened.evaluate("new URLSearchParams(location.hash.slice(1)).get('dice')")
    assert link == "".join(map(str, decision.dice))
    assert opened.evaluate("new URLSearchParams(location.hash.slice(1)).get('left')") == str(decision.rolls_left)
    card = opened.evaluate("new URLSearchParams(location.hash.slice(1)).get('card')") or ""
    assert len(card.split()) == decision.turn - 1
    opened.keyboard.press("Control+z")
    wait_until(opened, "!new URLSearchParams(location.hash.slice(1)).get('dice')")


def test_a_position_shown_leads_back_to_the_review_and_to_the_own_game(opened: Any) -> None:
    enter(opened, "play")
    opened.keyboard.press("Escape")
    opened.locator("body").evaluate("() => document.activeElement.blur()")
    opened.keyboard.type("12345")
    settle(opened)
    own = opened.url
    for at in (4, 9):  # from the review: a second position from the review, and some play on the table
        enter(opened, "review")
        opened.locator(".decision").nth(at).click()
        opened.locator("#decision button", has_text="Show this position").click()
        expect(opened, "#visit", "Played: ")
        settle(opened)
    assert focused(opened) == "advice-title"
    assert opened.evaluate("document.getElementById('visit').getBoundingClientRect().top") >= 0
    opened.click("#go")
    wait_until(opened, "!document.getElementById('visit').textContent.includes('Played')")
    opened.click("#visit-back")
    assert focused(opened) == "review-name"
    assert opened.locator("#visit").is_hidden()
    assert place(opened) == 10
    assert opened.url == own


def test_an_error_of_nothing_is_no_error(page: Any, yatzy: Strategy, tmp_path: Path) -> None:
    """Without errors the sum has neither a sign nor the colour of a loss."""
    perfect = Game(yatzy.rules, ("Ann",), (Turn(0, ((6,) * 5,), (), "yatzy", 50),))
    assert review(yatzy, perfect).points_lost == 0
    found = open_games(page, tmp_path, perfect)
    errors = found.locator("#review .figures > div", has_text="errors")
    assert errors.locator("dd").text_content() == "0.0"
    assert errors.get_attribute("class") is None


def test_the_result_is_what_one_sees_first(page: Any, game: Game, tmp_path: Path) -> None:
    """Opening a review scrolls to it; on a phone the course, the decision and the list share one screen."""
    for width, height in ((390, 844), (1280, 800)):
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate("window.scrollTo(0, 0)")
        open_games(page, tmp_path, game)
        wait_until(page, "Math.abs(document.getElementById('review-body').getBoundingClientRect().top) < 30")
        page.keyboard.press("m")
        assert page.locator("#faces").is_hidden()  # they belong to the table
        for part in ("svg.course", "#step-on", "#decision .choice >> nth=0", "#decision .choice >> nth=1"):
            box = page.locator(part).bounding_box()
            assert box["y"] >= 0, part
            assert box["y"] + box["height"] <= height, part
        row = page.locator(".decision[aria-current]").bounding_box()
        assert row["y"] + row["height"] <= height
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        scrolls = page.evaluate("getComputedStyle(document.querySelector('.turns')).overflowY")
        assert scrolls == ("visible" if width < 896 else "auto")  # on a phone the page scrolls, not the list


def test_several_players(page: Any, yatzy: Strategy, tmp_path: Path) -> None:
    """Two players in turns: each has a review of their own, chosen by a button."""
    ann, bo = human(yatzy, 2), human(yatzy, 4)
    both = [turn for pair in zip(ann.turns, [replace(t, player=1) for t in bo.turns], strict=True) for turn in pair]
    open_games(page, tmp_path, Game(yatzy.rules, ("Ann", "Bo"), tuple(both)))
    assert page.text_content("#review-name") == "Ann: 195 points"
    page.locator(".players button", has_text="Bo").click()
    assert page.text_content("#review-name") == f"Bo: {bo.card(0).total} points"
    assert focused(page) == "Bo"
    assert page.locator(".players button[aria-pressed='true']").text_content() == "Bo"


def test_axe_finds_nothing_with_a_review_open(opened: Any) -> None:
    """By its experimental rules, too."""
    opened.keyboard.press("m")
    opened.locator("#decision summary").click()
    assert axe_faults(opened, "#review", RULES) == []


def test_what_a_screen_reader_says(opened: Any, reviewed: Review) -> None:
    """The outline of the panel by roles and names, and the sentence that a step announces."""
    outline = opened.locator("#review").aria_snapshot()
    for line in (
        'heading "Review" [level=2]',
        'heading "Ann: 195 points" [level=3]',
        'img "Course of the game: the average final score went from',
        'group "Step through the decisions"',
        'button "Next decision"',
        "An inaccuracy loses less than 0.4 points, a mistake less than 1.7, a blunder more.",
        'list "All decisions"',
        'heading "All decisions" [level=4]',
    ):
        assert line in outline, line
    first = reviewed.decisions[0]
    dice = " ".join(map(str, first.dice))
    assert f"Turn 1, roll 1: {dice} Keep" in outline
    worst = max(reviewed.decisions, key=lambda each: each.loss)
    opened.locator(".decision").nth(reviewed.decisions.index(worst)).click()
    said = opened.locator("#decision-status").text_content()
    assert said.startswith(f"Turn {worst.turn}, roll {worst.roll}, {' '.join(map(str, worst.dice))}: ")
    assert f"{worst.grade}, lost {worst.loss:.2f}. Best: " in said


def test_it_is_printed_on_pages_of_its_own(opened: Any, tmp_path: Path) -> None:
    opened.emulate_media(media="print")
    assert opened.locator("#review-name").is_visible()
    for hidden in (".stepper", "#decision", "#review-own", "#practise", "#open-file"):
        assert opened.locator(hidden).is_hidden(), hidden
    assert opened.evaluate("getComputedStyle(document.getElementById('review')).breakBefore") == "page"
    assert opened.evaluate("getComputedStyle(document.querySelector('.turns')).maxHeight") == "none"
    assert opened.pdf(path=str(tmp_path / "review.pdf")).startswith(b"%PDF")


def test_settled_advice_stays_while_a_review_is_stepped(opened: Any) -> None:
    """The arrow keys of a review change nothing on the table."""
    enter(opened, "play")
    opened.keyboard.type("33456")
    settle(opened)
    before = opened.url
    enter(opened, "review")
    opened.locator("#review-name").focus()
    for _ in range(5):
        opened.keyboard.press("ArrowRight")
    assert place(opened) == 6
    assert opened.url == before
