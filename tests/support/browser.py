"""What the tests of the page share: the browser, and ways to play, to read and to wait for what the page shows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from .need import need, need_program

PATIENCE_MS = 120_000  # a busy machine is slow; what passes does not wait


def launch() -> Iterator[Any]:
    """A Chromium without a window."""
    playwright = need("playwright.sync_api")
    program = need_program("chromium", "chromium-browser", "google-chrome")
    with playwright.sync_playwright() as started:
        found = started.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield found
        found.close()


def expect(page: Any, place: str, text: str) -> None:
    """Wait until an element contains a text."""
    need("playwright.sync_api").expect(page.locator(place)).to_contain_text(text, timeout=PATIENCE_MS)


def settle(page: Any) -> None:
    """Wait until the advice for the dice on the table is shown."""
    page.wait_for_selector("#ranking[aria-busy='false'] li", state="attached")  # closed on a phone


def wait_until(page: Any, expression: str, arg: Any = None) -> None:
    """Wait until a script is true. The page forbids the `eval` by which `wait_for_function` asks again."""
    for _ in range(PATIENCE_MS // 50):
        if page.evaluate(expression, arg):
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"never true: {expression}")


def focused(page: Any) -> str:
    """The element with the focus: its id, else its label or text."""
    return str(
        page.evaluate(
            "(() => { const e = document.activeElement; return e.id || e.getAttribute('aria-label') || e.textContent; })()"
        )
    )


def ready(page: Any) -> None:
    """Wait until the page has loaded what it needs."""
    page.wait_for_selector("html[data-ready]", state="attached")


def open_link(page: Any, address: str, link: str) -> None:
    """Open a position as a visitor who follows a link."""
    page.goto("about:blank")
    page.goto(address + link)
    ready(page)


def fill_card(page: Any, boxes: dict[str, int]) -> None:
    """Enter the boxes of a card by hand."""
    page.click("#edit-card")
    for box, points in boxes.items():
        page.fill(f"#box-{box}", str(points))
        page.locator(f"#box-{box}").blur()
    page.click("#edit-card")


def tap_dice(page: Any, dice: Iterable[int]) -> None:
    """Enter dice by touch."""
    for face in dice:
        page.locator(f"#faces button >> nth={face - 1}").tap()


def state_of(page: Any) -> dict[str, Any]:
    """The state of the page."""
    return dict(page.evaluate("import('./state.js').then((module) => module.state)"))


def record_of(page: Any) -> dict[str, Any]:
    """The record of the game on the page, all players in it."""
    return dict(page.evaluate("import('./game.js').then((module) => module.gameRecord())"))


def dice_shown(page: Any) -> list[int]:
    """Faces of the dice on the table."""
    labels = page.locator("#dice button").evaluate_all("(all) => all.map((die) => die.getAttribute('aria-label'))")
    return [int(label.split("shows ")[1][0]) for label in labels]
