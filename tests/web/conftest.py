"""Fixtures of the tests of the page: a server, a browser, a page that reports its problems."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from perfect_yatzy import Strategy
from perfect_yatzy.service.queries import QueryService
from support.browser import DESK, PHONE, Chromium, Visitor
from support.server import Server, app_client, running_server

if TYPE_CHECKING:
    from fastapi.testclient import TestClient


@pytest.fixture(scope="session")
def server(yatzy: Strategy, store: Path) -> Iterator[Server]:
    """`yatzy serve`, with the table of Yatzy solved."""
    with running_server(store) as running:
        yield running


@pytest.fixture(scope="session")
def address(server: Server) -> str:
    return f"{server.address}/"


@pytest.fixture(scope="module")
def service(store: Path) -> QueryService:
    return QueryService()


@pytest.fixture(scope="session")
def client(yatzy: Strategy) -> TestClient:
    """The application in this process, with the table of Yatzy solved, and the chances of its bonus
    computed, so that no test leaves a thread that computes them.
    """
    found: TestClient = app_client()
    assert found.get("/api/hold?dice=33456&explain=true").status_code == 200
    found.app.state.service.bonus_chances.wait()
    return found


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
def tab(chromium: Chromium, browser: Any, address: str) -> Visitor:
    """A page on which requests may fail, before it has loaded."""
    return chromium.visitor("desk", DESK, address)


@pytest.fixture
def blank(tab: Visitor) -> Iterator[Visitor]:
    """A page that may log no error and send no request to another address, before it has loaded."""
    with tab.without_problems():
        yield tab
        tab.unroute_all(behavior="ignoreErrors")
    tab.goto("about:blank")  # the page draws on, and the browser lives as long as the tests


@pytest.fixture
def page(blank: Visitor) -> Visitor:
    """The page, loaded; else as `blank`."""
    return blank.open()


@pytest.fixture
def phone(chromium: Chromium, browser: Any, address: str) -> Iterator[Visitor]:
    """The page on a phone of 390 pixels, by touch."""
    found = chromium.visitor("phone", PHONE, address)
    with found.without_problems():
        yield found.open()
