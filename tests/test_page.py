"""The page in a real browser: by mouse, by keyboard, its link, its print, its manners."""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from test_review import human

from solver.advice import Strategy
from solver.record import read_games, write_games

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = pytest.mark.skipif(not CHROMIUM, reason="there is no chromium (Debian package chromium)")


@pytest.fixture(scope="module")
def address(yatzy: Strategy) -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen(
        [sys.executable, "-m", "solver", "serve", "--port", str(port)], stderr=subprocess.DEVNULL
    )
    for _ in range(200):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                break
        time.sleep(0.1)
    yield f"http://127.0.0.1:{port}/"
    server.terminate()
    server.wait()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as started:
        found = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield found
        found.close()


@pytest.fixture
def page(browser: Any, address: str) -> Iterator[Any]:
    """A page whose every request and complaint is watched."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    found = context.new_page()
    complaints: list[str] = []
    found.on("pageerror", lambda error: complaints.append(str(error)))
    found.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    found.on("request", lambda asked: asked.url.startswith((address, "data:")) or complaints.append(asked.url))
    found.goto(address)
    found.wait_for_selector("#card input")
    yield found
    context.close()
    assert complaints == []


def expect(page: Any, place: str, text: str) -> None:
    playwright.expect(page.locator(place)).to_contain_text(text, timeout=20_000)


def settle(page: Any) -> None:
    page.wait_for_selector("#ranking[aria-busy='false']")


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
    expect(page, "#expect", "248.76")
    other = browser.new_page()
    other.goto(page.url)
    expect(other, "#answer", "243.15")
    assert other.input_value("#box-sixes") == "24"
    other.close()
    page.fill("#box-ones", "9")
    page.locator("#box-ones").blur()
    expect(page, "#card-error", "Ones cannot hold 9")


def test_a_goal_and_the_distribution(page: Any, address: str) -> None:
    card = "ones=3 twos=6 threes=9 fours=12 fives=15 sixes=18 one-pair=10".replace(" ", "+")
    page.goto(f"{address}#rules=yatzy&card={card}&dice=33456&left=2&goal=240")
    page.reload()
    expect(page, "#answer", "40.73 % chance")
    expect(page, "#expect", "42.68 % chance")
    assert page.locator("#chart rect").count() > 50


def test_a_game_to_its_review(page: Any, yatzy: Strategy, tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    write_games(path, [human(yatzy, 2)])
    page.set_input_files("#record", str(path))
    page.wait_for_selector("#review h3")
    assert "Ann: final score 195" in page.text_content("#review")
    assert page.locator("#review polyline").count() == 2


def test_a_whole_game_on_the_page_to_its_review_and_record(page: Any, tmp_path: Path) -> None:
    """Every turn: roll, hold what the page advises, reroll, take the best category; then review and save."""
    for turn in range(15):
        page.click("#roll")
        for left in (2, 1):
            settle(page)
            first = page.locator("#ranking tbody tr").first
            if "take" in first.text_content():
                break  # all dice are held
            if turn == 0 and left == 2:
                page.locator("#dice button").first.click()  # not always what is best
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


def test_it_fits_a_phone_in_the_dark_and_a_sheet_of_paper(page: Any, tmp_path: Path) -> None:
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
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed")
    page.keyboard.type("33456")
    page.wait_for_selector("#ranking table")
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        found = axe.Axe().run(page).response["violations"]
        serious = [
            (v["id"], [n["target"] for n in v["nodes"]]) for v in found if v["impact"] in ("serious", "critical")
        ]
        assert serious == []
