"""What the tests of the page share: the browser, and ways to wait for what the page shows."""

from __future__ import annotations

from collections.abc import Iterator
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
    """Wait until the advice for the position is shown."""
    page.wait_for_selector("#ranking[aria-busy='false']")


def focused(page: Any) -> str:
    """The element with the focus: its id, else its label or text."""
    return str(
        page.evaluate(
            "(() => { const e = document.activeElement; return e.id || e.getAttribute('aria-label') || e.textContent; })()"
        )
    )


def open_link(page: Any, address: str, link: str) -> None:
    """Open a position as a visitor who follows a link."""
    page.goto("about:blank")
    page.goto(address + link)
    page.wait_for_selector("html[data-ready]")
