"""Fixtures of the tests of the page: a server, a browser, a page that reports its problems."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

import pytest
from perfect_yatzy.strategy.strategy import Strategy
from support.browser import PATIENCE_MS, launch, ready


@pytest.fixture(scope="session")
def address(yatzy: Strategy) -> Iterator[str]:
    """The page of `yatzy serve`, with the table of Yatzy solved."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen(
        [sys.executable, "-m", "perfect_yatzy", "serve", "--port", str(port)], stderr=subprocess.DEVNULL
    )
    for _ in range(1200):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                break
        time.sleep(0.1)
    yield f"http://127.0.0.1:{port}/"
    server.terminate()
    server.wait()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Closed at the end of a file: while it runs, this thread has an event loop, and other tests start their own."""
    yield from launch()


@pytest.fixture
def page(browser: Any, address: str) -> Iterator[Any]:
    """A page that may log no error and send no request to another address."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.set_default_timeout(PATIENCE_MS)
    found = context.new_page()
    problems: list[str] = []
    found.on("pageerror", lambda error: problems.append(str(error)))
    found.on(
        "console", lambda message: message.type == "error" and problems.append(f"{message.text} {message.location}")
    )
    found.on("request", lambda asked: asked.url.startswith((address, "data:")) or problems.append(asked.url))
    found.goto(address)
    ready(found)
    yield found
    context.close()
    assert problems == []
