"""Reviews in a real browser: the curve, reasons, files, the way to the table and back, screen readers."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from perfect_yatzy.play.record import Game, Turn, write_games
from perfect_yatzy.play.review import Review, review
from perfect_yatzy.strategy.strategy import Strategy
from support.browser import RULES, Visitor, axe_faults
from support.human import human

pytestmark = pytest.mark.full
PARAMETER = "(name) => new URLSearchParams(location.hash.slice(1)).get(name) ?? ''"


@pytest.fixture(scope="module")
def game(yatzy: Strategy) -> Game:
    return human(yatzy, 2)


@pytest.fixture(scope="module")
def reviewed(yatzy: Strategy, game: Game) -> Review:
    return review(yatzy, game)


@pytest.fixture
def opened(page: Visitor, game: Game, tmp_path: Path) -> Visitor:
    """The page with the review of a game from a file."""
    return open_games(page, tmp_path, game)


def open_games(page: Visitor, folder: Path, *games: Game) -> Visitor:
    path = folder / "games.jsonl"
    write_games(path, list(games))
    page.set_input_files("#record", str(path))
    page.wait_for_selector("#review-name")
    return page


def place(page: Visitor) -> int:
    """The number of the decision shown."""
    found = re.search(r"\((\d+) of", page.text_content("#step-place"))
    assert found is not None
    return int(found[1])


def test_a_click_on_the_curve_goes_to_the_decision(opened: Visitor, reviewed: Review) -> None:
    chart = opened.locator("svg.course")
    box = chart.bounding_box()
    for share in (0.98, 0.5, 0.12):
        chart.click(position={"x": share * box["width"], "y": box["height"] / 2})
        wanted = share * len(reviewed.decisions)
        assert abs(place(opened) - wanted) <= 0.1 * len(reviewed.decisions)
    mark = opened.locator(".course .here")
    before = float(mark.get_attribute("x1"))
    opened.press("End")
    assert float(mark.get_attribute("x1")) > before


def test_why_and_the_position_of_the_worst_decision(opened: Visitor, reviewed: Review) -> None:
    """What a screen reader hears of it, too."""
    worst = max(range(len(reviewed.decisions)), key=lambda i: reviewed.decisions[i].loss)
    decision = reviewed.decisions[worst]
    opened.locator(".decision").nth(worst).click()
    opened.expects("#decision", f"−{decision.loss:.2f}")
    said = opened.text_content("#decision-status")
    assert said.startswith(f"Turn {decision.turn}, roll {decision.roll}, {' '.join(map(str, decision.dice))}: ")
    assert f"{decision.grade}, lost {decision.loss:.2f}. Best: " in said
    opened.locator("#decision summary").click()
    opened.expects("#decision table", "Points later")
    assert opened.count("#decision th:empty") == 0
    assert axe_faults(opened, "#review", RULES) == []  # by its experimental rules, too
    opened.locator("#decision button", has_text="Show this position").click()
    opened.expects("#notice", f"Turn {decision.turn}, roll {decision.roll}", "Undo goes back")
    opened.expects("#visit", f"blunder, −{decision.loss:.2f}")  # what was played there
    dice, left, card = (opened.evaluate(PARAMETER, name) for name in ("dice", "left", "card"))
    assert (dice, left) == ("".join(map(str, decision.dice)), str(decision.rolls_left))
    assert len(card.split()) == decision.turn - 1
    opened.press("Control+z")
    opened.wait_until(f"({PARAMETER})('dice') === ''")


def test_a_position_shown_leads_back_to_the_review_and_to_the_own_game(opened: Visitor) -> None:
    opened.enter("play")
    opened.press("Escape")
    opened.locator("body").evaluate("() => document.activeElement.blur()")
    opened.type("12345").settle()
    own = opened.url
    for at in (4, 9):  # from the review: a second position from the review, and some play on the table
        opened.enter("review")
        opened.locator(".decision").nth(at).click()
        opened.locator("#decision button", has_text="Show this position").click()
        opened.expects("#visit", "Played: ").settle()
    assert opened.focused() == "advice-title"
    assert opened.evaluate("document.getElementById('visit').getBoundingClientRect().top") >= 0
    opened.click("#go")
    opened.wait_until("!document.getElementById('visit').textContent.includes('Played')")
    opened.click("#visit-back")
    assert opened.focused() == "review-name"
    assert opened.locator("#visit").is_hidden()
    opened.press("ArrowRight")  # changes nothing on the table
    assert (place(opened), opened.url) == (11, own)


def test_an_error_of_nothing_is_no_error(page: Visitor, yatzy: Strategy, tmp_path: Path) -> None:
    """Without errors the sum has neither a sign nor the colour of a loss."""
    perfect = Game(yatzy.rules, ("Ann",), (Turn(0, ((6,) * 5,), (), "yatzy", 50),))
    assert review(yatzy, perfect).points_lost == 0
    errors = open_games(page, tmp_path, perfect).locator("#review .figures > div", has_text="errors")
    assert errors.locator("dd").text_content() == "0.0"
    assert errors.get_attribute("class") is None


def test_the_result_is_what_one_sees_first(page: Visitor, game: Game, tmp_path: Path) -> None:
    """Opening a review scrolls to it; on a phone the course, the decision and the list share one screen."""
    for width, height in ((390, 844), (1280, 800)):
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate("window.scrollTo(0, 0)")
        open_games(page, tmp_path, game)
        page.wait_until("Math.abs(document.getElementById('review-body').getBoundingClientRect().top) < 30")
        page.press("m")
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


def test_several_players(page: Visitor, yatzy: Strategy, tmp_path: Path) -> None:
    """Two players in turns: each has a review of their own, chosen by a button."""
    ann, bo = human(yatzy, 2), human(yatzy, 4)
    both = [turn for pair in zip(ann.turns, [replace(t, player=1) for t in bo.turns], strict=True) for turn in pair]
    open_games(page, tmp_path, Game(yatzy.rules, ("Ann", "Bo"), tuple(both)))
    assert page.text_content("#review-name") == "Ann: 195 points"
    page.locator(".players button", has_text="Bo").click()
    assert page.text_content("#review-name") == f"Bo: {bo.card(0).total} points"
    assert page.focused() == "Bo"
    assert page.locator(".players button[aria-pressed='true']").text_content() == "Bo"


def test_the_outline_that_a_screen_reader_has(opened: Visitor, reviewed: Review) -> None:
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
        f"Turn 1, roll 1: {' '.join(map(str, reviewed.decisions[0].dice))} Keep",
    ):
        assert line in outline, line
