"""What the tests of the page share: the browser, a visitor who plays, reads and waits, and what is
measured.

Measured are the contrast of controls, sizes of targets, and what axe finds.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from .need import need, need_program

PATIENCE_MS = 120_000
DONE = {"content_type": "text/event-stream", "body": "event: done\ndata: {}\n\n"}  # of long work
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
DESK = {"viewport": {"width": 1280, "height": 900}}
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}

FORGET = """new Promise((done) => {
  localStorage.clear();
  sessionStorage.clear();
  const request = indexedDB.deleteDatabase("perfect-yatzy");
  request.onsuccess = request.onerror = done;
}).then(() => {})"""

SAME_DICE = """(() => {
  let last = 129;  // the same dice in each test: 2 6 1 3 3, of which 3 3 are held
  crypto.getRandomValues = (values) => values.map(() => (last = (1664525 * last + 1013904223) % 2 ** 32));
})();"""


class Visitor:
    """A page of playwright, with what a player does on it. What is entered or opened is not
    waited for: `settle` does.
    """

    def __init__(self, page: Any, address: str) -> None:
        self.page, self.address = page, address
        page.set_default_timeout(PATIENCE_MS)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.page, name)

    # --- coming and going ---
    def open(self, link: str = "") -> Visitor:
        """Open the page, or a position as a visitor who follows a link."""
        self.page.goto("about:blank")
        self.page.goto(self.address + link)
        return self.ready()

    def reopen(self) -> Visitor:
        self.page.reload()
        return self.ready()

    def ready(self) -> Visitor:
        """Wait until the page has loaded what it needs."""
        self.page.wait_for_selector("html[data-ready]", state="attached")
        return self

    @contextmanager
    def without_server(self) -> Iterator[None]:
        self.page.route("**/api/**", lambda route: route.abort())
        yield
        self.page.unroute("**/api/**")

    def asks(self, query: str, reply: Callable[[Any], dict[str, Any] | None]) -> list[Any]:
        """The questions from now on; each gets a reply, none where that is empty, that of the
        server where it is None.
        """
        asked: list[Any] = []

        def handle(route: Any) -> None:
            asked.append(route.request.post_data_json)
            answer = reply(asked[-1])
            if answer is None:
                route.continue_()
            elif answer:
                route.fulfill(**answer)

        self.page.route(f"**/api/{query}", handle)
        return asked

    @contextmanager
    def without_problems(self) -> Iterator[None]:
        """The page logs no error and sends no request to another address."""
        problems: list[str] = []

        def hear(said: Any) -> None:
            # The browser asks for this file where a picture is opened as a page, as before each
            # test.
            if said.type == "error" and not said.location["url"].endswith("/favicon.ico"):
                problems.append(f"{said.text} {said.location}")

        listeners: dict[str, Callable[[Any], object]] = {
            "pageerror": lambda error: problems.append(str(error)),
            "console": hear,
            "request": lambda asked: (
                asked.url.startswith((self.address, "data:")) or problems.append(asked.url)
            ),
        }
        for event, listener in listeners.items():
            self.page.on(event, listener)
        try:
            yield
        finally:
            for event, listener in listeners.items():
                self.page.remove_listener(event, listener)
        assert not problems, problems

    # --- playing ---
    def type(self, text: str) -> Visitor:
        self.page.keyboard.type(text)
        return self

    def click(self, place: str) -> Visitor:
        self.page.click(place)
        return self

    def press(self, *keys: str) -> Visitor:
        for key in keys:
            self.page.keyboard.press(key)
        return self

    def die(self, at: int) -> Any:
        return self.page.locator("#dice button").nth(at)

    def mark(self, *places: int) -> Visitor:
        """Change what is held by clicks on dice."""
        for at in places:
            self.die(at).click()
        return self

    def tap_dice(self, dice: Iterable[int]) -> Visitor:
        """Enter dice by touch."""
        for face in dice:
            self.page.locator(f"#faces button >> nth={face - 1}").tap()
        return self

    def write(self, place: str, text: str) -> None:
        """Fill a field and leave it."""
        self.page.fill(place, text)
        self.page.locator(place).blur()

    def set_left(self, left: int) -> Visitor:
        """Say by hand how many rerolls are left."""
        self.page.click("#edit-card")
        self.page.select_option("#left", str(left))
        self.page.click("#edit-card")
        return self

    def enter(self, room: str) -> None:
        """Go to one of the rooms: play, puzzle, review, statistics."""
        self.page.click(f"#rooms [data-room='{room}']")

    def menu(self, entry: str) -> Visitor:
        return self.click("#menu-button").click(f"#{entry}")

    def hide_advice(self) -> None:
        """Play with hidden advice and without warnings."""
        self.enter("puzzle")
        self.page.check("#hide-advice")
        self.page.select_option("#threshold", "0")
        self.enter("play")

    def seat(self, *names: str) -> None:
        """Enter the names of the players."""
        self.menu("open-players")
        for _ in names[1:]:
            self.page.click("#add-player")
        for i, name in enumerate(names):
            self.page.locator("#names input").nth(i).fill(name)
        self.page.click("#players-form button[type='submit']")

    def change(self, script: str) -> None:
        """Change the state `s` by a script that may use `newPlayer` and `rules`."""
        self.page.evaluate(
            f"loaded('store/state').then(({{ change, newPlayer, rules }}) => change((s) => {{ {script} }}))"
        )

    def start_exercise(self, button: str, *mistakes: dict[str, Any]) -> None:
        """Begin an exercise, after putting positions among the mistakes to practise."""
        if mistakes:
            self.add_mistakes(*mistakes)
        self.page.click(button)
        self.page.wait_for_selector("#exercise .exercise-card button:not([aria-disabled])")

    def add_mistakes(self, *positions: dict[str, Any]) -> None:
        """Put positions among the mistakes to practise, and go there."""
        self.page.evaluate(
            """async (positions) => {
              const { addMistakes } = await loaded("store/drill"), { redraw } = await loaded("store/state");
              addMistakes(positions.map((position) => ({ position, loss: 5 })));
              redraw();
            }""",
            list(positions),
        )
        self.enter("puzzle")

    # --- waiting ---
    def expects(self, place: str, *texts: str) -> Visitor:
        """Wait until an element contains texts."""
        for text in texts:
            need("playwright.sync_api").expect(self.page.locator(place)).to_contain_text(
                text, timeout=PATIENCE_MS
            )
        return self

    def settle(self) -> Visitor:
        """Wait until the advice for the dice on the table is shown."""
        # closed on a phone
        self.page.wait_for_selector("#ranking[aria-busy='false'] li", state="attached")
        return self

    def wait_until(self, expression: str, arg: Any = None) -> None:
        """Wait until a script is true. The page forbids the `eval` by which `wait_for_function`
        asks again.
        """
        self.wait_for(lambda: self.page.evaluate(expression, arg))

    def wait_for(self, found: Callable[[], object]) -> None:
        """Wait until something is true of what routes and listeners have collected."""
        for _ in range(PATIENCE_MS // 20):
            if found():
                return
            self.page.wait_for_timeout(20)
        raise AssertionError("this never came true")

    def draw(self) -> None:
        """Wait until what is due is drawn."""
        self.page.evaluate(
            "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
        )

    # --- reading ---
    def count(self, place: str) -> int:
        return int(self.page.locator(place).count())

    def focused(self) -> str:
        """The element with the focus: its id, else its label or text."""
        script = "(({ id, ariaLabel, textContent }) => id || ariaLabel || textContent)(document.activeElement)"
        return str(self.page.evaluate(script))

    def decision(self) -> int:
        """The number of the decision that a review shows."""
        return int(self.page.text_content("#step-place").split("(")[1].split()[0])

    def state(self) -> dict[str, Any]:
        return dict(self.page.evaluate("loaded('store/state').then((module) => module.state)"))

    def record(self) -> dict[str, Any]:
        """The record of the game on the page, all players in it."""
        return dict(
            self.page.evaluate("loaded('store/game').then((module) => module.gameRecord())")
        )

    def choices_counted(self) -> int:
        return int(
            self.page.evaluate(
                "loaded('store/training-settings').then((module) => module.sessionCounts().count)"
            )
        )

    def dice(self) -> list[int]:
        """Faces of the dice on the table."""
        labels = self.page.locator("#dice button").evaluate_all(
            "(all) => all.map((die) => die.ariaLabel)"
        )
        return [int(label.split("shows ")[1][0]) for label in labels]


class Chromium:
    """A browser without a window for all tests of a process, and the pages that they use one after
    the other.

    A new page has a new process, which compiles all scripts again: twice the work of emptying the
    page of the test before.
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
            context.add_init_script(path=Path(__file__).with_suffix(".js"))
            return context

        self.browser.new_context = with_modules
        self.pages: dict[str, Any] = {}
        asyncio._set_running_loop(None)

    @contextmanager
    def running(self) -> Iterator[Any]:
        """The browser, for one test: the event loop of playwright runs in this thread, and other
        tests start their own.
        """
        asyncio._set_running_loop(self.loop)
        try:
            yield self.browser
        finally:
            kept = [page.context for page in self.pages.values()]
            for context in self.browser.contexts:
                if context not in kept:
                    context.close()
            asyncio._set_running_loop(None)

    def visitor(self, kind: str, options: dict[str, Any], address: str) -> Visitor:
        """The page of a desk or of a phone, as a new visitor has it before the first visit."""
        if kind not in self.pages:
            self.pages[kind] = self.browser.new_context(**options).new_page()
            self.pages[kind].add_init_script(SAME_DICE)
        page = self.pages[kind]
        page.unroute_all(behavior="ignoreErrors")
        page.set_viewport_size(options["viewport"])
        page.emulate_media(media="null", color_scheme="light", forced_colors="none")
        page.goto(address + "icon.svg")
        page.evaluate(FORGET)
        return Visitor(page, address)

    def close(self) -> None:
        asyncio._set_running_loop(self.loop)
        self.browser.close()
        self.driver.stop()


# Words that look like a link or like plain text have the contrast of text instead, which axe
# measures.
CONTROLS = (
    ", ".join(
        f"{place}:not([aria-disabled='true'], .quiet, .decision, .option, .box, .die, .face, #left, [data-box], #menu button, #open-rules, #menu-button)"
        for place in (
            "main button",
            "main select",
            "main input",
            "dialog[open] button",
            "dialog[open] select",
            "dialog[open] input",
            "dialog[open] textarea",
        )
    )
    + ", .die .die-square, #card input, #bar .bar-buttons > button, #remove-die, #faces svg rect"
)

RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice", "experimental"]


def axe_faults(page: Any, context: str | None = None, rules: list[str] | None = None) -> list[Any]:
    """What axe finds in the page or in a part of it: the rule and the elements."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(need("axe_playwright_python.sync_playwright").Axe().axe_script)
    found: list[Any] = page.evaluate("probes.axe", [context, {"runOnly": rules} if rules else {}])
    return found


def looks_right(page: Any, state: str) -> None:
    """On a desk and on phones, in light and dark: what axe finds, targets for a finger, contrast of
    controls.

    In the dark only colours differ.
    """
    for width in (1280, 320, 390):
        page.set_viewport_size({"width": width, "height": 844})
        page.emulate_media(color_scheme="light")
        # Controls move to their place.
        page.wait_until("(width) => document.documentElement.scrollWidth <= width", width)
        assert (state, width, width < 1280 and page.evaluate("probes.small")) == (
            state,
            width,
            width < 1280 and [],
        )
        assert (state, width, width != 320 and axe_faults(page)) == (
            state,
            width,
            width != 320 and [],
        )
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        weak = [
            each for each in page.evaluate("probes.contrast", CONTROLS) if each[1] < 3
        ]  # WCAG 1.4.11
        assert (state, scheme, weak) == (state, scheme, [])
    assert (state, axe_faults(page, rules=["color-contrast"])) == (state, [])
    page.set_viewport_size({"width": 1280, "height": 844})
