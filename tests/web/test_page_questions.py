"""How the page asks: `ask.js` and `server.js` in a real browser, with a server that fails, hangs or works long."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from support.need import need

need("playwright.sync_api")

# What a question throws, as plain values.
ASKED = """async ([path, body]) => {
  const { ask, AskError } = await import("/ask.js");
  try {
    return { answer: await ask(path, body) };
  } catch (error) {
    if (!(error instanceof AskError)) throw error;
    return { code: error.code, message: error.message, field: error.field, retryable: error.retryable, cost: error.cost };
  }
}"""
# Begins long work, gives it up at the first sign of progress, and says how many reports there were.
GIVEN_UP = """async (body) => {
  const { ask } = await import("/ask.js"), controller = new AbortController(), reports = [];
  const onProgress = (report) => { reports.push(report); if (report.done > 0) controller.abort(); };
  try {
    await ask("solve", body, { signal: controller.signal, onProgress });
    return { reports, name: "" };
  } catch (error) {
    return { reports, name: error.name };
  }
}"""
WORKED = """async (body) => {
  const { ask } = await import("/ask.js"), reports = [];
  await ask("solve", body, { onProgress: (report) => reports.push(report) });
  return reports;
}"""
HOLD = {"dice": "33456", "card": {"ones": 3}}


@pytest.fixture
def tab(browser: Any, address: str) -> Iterator[Any]:
    """A page on which requests may fail."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(address)
    page.wait_for_selector("html[data-ready]")
    yield page
    context.close()


def test_a_question_is_asked_again_after_a_failure_of_the_network(tab: Any) -> None:
    failures = [1]

    def fail_once(route: Any) -> None:
        route.abort() if failures and failures.pop() else route.continue_()

    tab.route("**/api/hold", fail_once)
    assert tab.evaluate(ASKED, ["hold", HOLD])["answer"]["best"]["hold"] == [3, 3]
    tab.unroute("**/api/hold")
    tab.route("**/api/hold", lambda route: route.abort())
    found = tab.evaluate(ASKED, ["hold", {**HOLD, "rolls_left": 1}])
    assert (found["code"], found["retryable"]) == ("network", True)
    assert found["message"] == "The server does not answer. Is “yatzy serve” still running?"


def test_a_server_that_hangs_is_reported(tab: Any) -> None:
    tab.clock.install()
    tab.route("**/api/**", lambda route: None)
    tab.evaluate(f"(asked) => {{ window.found = ({ASKED})(asked); }}", ["hold", HOLD])
    tab.wait_for_timeout(500)
    tab.clock.fast_forward(61_000)
    found = tab.evaluate("() => window.found")
    assert (found["code"], found["retryable"]) == ("timeout", True)
    assert found["message"] == "The server has not answered for 60 seconds."


def test_a_server_that_works_is_waited_for(tab: Any) -> None:
    """It answers small questions meanwhile; no error says that it does not answer."""
    held: list[Any] = []
    tab.clock.install()
    tab.route("**/api/hold", lambda route: held.append(route))
    tab.evaluate(f"(asked) => {{ window.found = ({ASKED})(asked); }}", ["hold", HOLD])
    tab.wait_for_timeout(500)
    for _ in range(2):
        with tab.expect_response("**/api/languages"):
            tab.clock.fast_forward(61_000)
        tab.wait_for_timeout(200)
    assert len(held) == 1
    held[0].continue_()
    assert tab.evaluate("() => window.found")["answer"]["best"]["hold"] == [3, 3]


def test_errors_have_a_code_a_field_and_a_cost(tab: Any) -> None:
    found = tab.evaluate(ASKED, ["hold", {"dice": "3345"}])
    assert (found["code"], found["field"], found["retryable"]) == ("invalid-dice", "dice", False)
    assert found["message"] == "'3345' is 4 dice; yatzy has 5."
    found = tab.evaluate(ASKED, ["hold", {"dice": "334566", "rules": "family-yatzy"}])
    assert (found["code"], found["retryable"], found["cost"]["what"]) == ("confirmation-required", False, "table")
    tab.route("**/api/hold", lambda route: route.fulfill(status=502, body="<html>"))
    found = tab.evaluate(ASKED, ["hold", HOLD])
    assert (found["code"], found["retryable"]) == ("unreadable", True)
    tab.route("**/api/hold", lambda route: route.fulfill(status=503, json={"error": "too many", "code": "busy"}))
    found = tab.evaluate(ASKED, ["hold", HOLD])
    assert (found["code"], found["message"], found["retryable"]) == ("busy", "Too many.", True)


def test_long_work_is_reported_and_can_be_given_up(tab: Any) -> None:
    """After Cancel the server is free at once: of long works it does one at a time."""
    found = tab.evaluate(GIVEN_UP, {"query": "expect", "rules": "family-yatzy", "spread": False})
    assert found["name"] == "AbortError"
    assert found["reports"][-1]["seconds_left"] > 0
    reports = tab.evaluate(WORKED, {"query": "expect", "rules": "yatzy-forced"})
    assert all(0 <= report["done"] <= 1 for report in reports)
    assert not tab.evaluate("async () => (await (await fetch('/api/rules?rules=family-yatzy')).json())[0].solved")
