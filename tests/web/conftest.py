"""Fixtures of the tests of the page: a server, a browser, a page that reports its problems."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from perfect_yatzy.strategy.strategy import Strategy
from support.browser import DESK, PHONE, Chromium, ready, without_problems
from support.server import running_server


@pytest.fixture(scope="session")
def address(yatzy: Strategy, store: Path) -> Iterator[str]:
    """The page of `yatzy serve`, with the table of Yatzy solved."""
    with running_server(store) as server:
        yield f"{server.address}/"


@pytest.fixture(scope="session")
def chromium() -> Iterator[Chromium]:
    found = Chromium()
    yield found
    found.close()


@pytest.fixture
def browser(chromium: Chromium) -> Iterator[Any]:
    """For contexts of a test's own, which end with it."""
    with chromium.running() as found:
        yield found


@pytest.fixture
def tab(chromium: Chromium, browser: Any, address: str) -> Any:
    """A page on which requests may fail, before it has loaded."""
    return chromium.page("desk", DESK, address)


@pytest.fixture
def blank(tab: Any, address: str) -> Iterator[Any]:
    """A page that may log no error and send no request to another address, before it has loaded."""
    with without_problems(tab, address):
        yield tab
        tab.unroute_all(behavior="ignoreErrors")
    tab.goto("about:blank")  # the page draws on, and the browser lives as long as the tests


@pytest.fixture
def page(blank: Any, address: str) -> Any:
    """The page, loaded; else as `blank`."""
    blank.goto(address)
    ready(blank)
    return blank


@pytest.fixture
def phone(chromium: Chromium, browser: Any, address: str) -> Iterator[Any]:
    """The page on a phone of 390 pixels, by touch."""
    found = chromium.page("phone", PHONE, address)
    with without_problems(found, address):
        found.goto(address)
        ready(found)
        yield found
