"""What the tests of the page share: the browser, and ways to play, to read and to wait for what the page shows."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from .need import need, need_program

PATIENCE_MS = 120_000


FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
FRAMES = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"  # what is due is drawn
DESK = {"viewport": {"width": 1280, "height": 900}}
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}

SAME_DICE = """(() => {
  let last = 129;  // the same dice in each test: 2 6 1 3 3, of which 3 3 are held
  crypto.getRandomValues = (values) => values.map(() => (last = (1664525 * last + 1013904223) % 2 ** 32));
})();"""


# A module of the page, from the folder that the page takes its own from; elsewhere it would be loaded a second time.
MODULES = "window.loaded = (name) => import(document.querySelector('script[src$=\"app.js\"]').src.slice(0, -6) + name + '.js')"


class Chromium:
    """A browser without a window for all tests of a process, and the pages that they use one after the other.

    A new page has a new process, which compiles all scripts again: twice the work of emptying the page of the test before.
    """

    def __init__(self) -> None:
        playwright = need("playwright.sync_api")
        program = need_program("chromium", "chromium-browser", "google-chrome")
        self.driver = playwright.sync_playwright().start()
        self.loop = asyncio.get_running_loop()
        self.browser = self.driver.chromium.launch(executable_path=program, args=FLAGS)
        new_context = self.browser.new_context

        def with_modules(**options: Any) -> Any:
            context = new_context(**options)
            context.add_init_script(MODULES)
            return context

        self.browser.new_context = with_modules
        self.pages: dict[str, Any] = {}
        asyncio._set_running_loop(None)

    @contextmanager
    def running(self) -> Iterator[Any]:
        """The browser, for one test: the event loop of playwright runs in this thread, and other tests start their own."""
        asyncio._set_running_loop(self.loop)
        try:
            yield self.browser
        finally:
            kept = [page.context for page in self.pages.values()]
            for context in self.browser.contexts:
                if context not in kept:
                    context.close()
            asyncio._set_running_loop(None)

    def page(self, kind: str, options: dict[str, Any], address: str) -> Any:
        """The page of a desk or of a phone, as a new visitor has it before the first visit."""
        if kind not in self.pages:
            self.pages[kind] = self.browser.new_context(**options).new_page()
            self.pages[kind].add_init_script(SAME_DICE)
            self.pages[kind].set_default_timeout(PATIENCE_MS)
        page = self.pages[kind]
        page.unroute_all(behavior="ignoreErrors")
        page.set_viewport_size(options["viewport"])
        page.emulate_media(media="null", color_scheme="light", forced_colors="none")
        page.goto(address + "icon.svg")
        page.evaluate("localStorage.clear(), sessionStorage.clear()")
        return page

    def close(self) -> None:
        asyncio._set_running_loop(self.loop)
        self.browser.close()
        self.driver.stop()


@contextmanager
def listening(page: Any, **listeners: Callable[[Any], object]) -> Iterator[None]:
    """Call functions at events of the page until the block ends."""
    for event, listener in listeners.items():
        page.on(event, listener)
    try:
        yield
    finally:
        for event, listener in listeners.items():
            page.remove_listener(event, listener)


@contextmanager
def without_problems(page: Any, address: str) -> Iterator[None]:
    """The page logs no error and sends no request to another address."""
    problems: list[str] = []

    def hear(said: Any) -> None:
        # The browser asks for this file where a picture is opened as a page, as before each test.
        if said.type == "error" and not said.location["url"].endswith("/favicon.ico"):
            problems.append(f"{said.text} {said.location}")

    with listening(
        page,
        pageerror=lambda error: problems.append(str(error)),
        console=hear,
        request=lambda asked: asked.url.startswith((address, "data:")) or problems.append(asked.url),
    ):
        yield
    assert not problems, problems


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


def wait_for(page: Any, found: Callable[[], object]) -> None:
    """Wait until something is true of what routes and listeners have collected."""
    for _ in range(PATIENCE_MS // 20):
        if found():
            return
        page.wait_for_timeout(20)
    raise AssertionError("nothing has come")


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


def enter(page: Any, room: str) -> None:
    """Go to one of the rooms: play, puzzle, review, statistics."""
    page.click(f"#rooms [data-room='{room}']")


def hide_advice(page: Any) -> None:
    """Play with hidden advice and without warnings."""
    enter(page, "puzzle")
    page.check("#hide-advice")
    page.select_option("#threshold", "0")
    enter(page, "play")


def set_left(page: Any, left: int) -> None:
    """Say by hand how many rerolls are left."""
    page.click("#edit-card")
    page.select_option("#left", str(left))
    page.click("#edit-card")


def tap_dice(page: Any, dice: Iterable[int]) -> None:
    """Enter dice by touch."""
    for face in dice:
        page.locator(f"#faces button >> nth={face - 1}").tap()


def state_of(page: Any) -> dict[str, Any]:
    """The state of the page."""
    return dict(page.evaluate("loaded('state').then((module) => module.state)"))


def record_of(page: Any) -> dict[str, Any]:
    """The record of the game on the page, all players in it."""
    return dict(page.evaluate("loaded('game').then((module) => module.gameRecord())"))


def dice_shown(page: Any) -> list[int]:
    """Faces of the dice on the table."""
    labels = page.locator("#dice button").evaluate_all("(all) => all.map((die) => die.getAttribute('aria-label'))")
    return [int(label.split("shows ")[1][0]) for label in labels]


def seat(page: Any, *names: str) -> None:
    """Enter the names of the players."""
    page.click("#menu-button")
    page.click("#open-players")
    for _ in names[1:]:
        page.click("#add-player")
    for i, name in enumerate(names):
        page.locator("#names input").nth(i).fill(name)
    page.click("#players-form button[type='submit']")


def add_mistakes(page: Any, *positions: dict[str, Any]) -> None:
    """Put positions among the mistakes to practise, and go there."""
    page.evaluate(
        """async (positions) => {
          const { addMistakes } = await loaded("drill"), { redraw } = await loaded("state");
          addMistakes(positions.map((position) => ({ position, loss: 5 })));
          redraw();
        }""",
        list(positions),
    )
    enter(page, "puzzle")
