"""Long work asked by the page of a real server: its progress, and giving it up."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.browser import ready
from support.server import running_server

pytestmark = pytest.mark.full

# Begins long work, gives it up at the first sign of progress, and says how many reports there were.
GIVEN_UP = """async (body) => {
  const { ask } = await loaded("ask"), controller = new AbortController(), reports = [];
  const onProgress = (report) => { reports.push(report); if (report.done > 0) controller.abort(); };
  try {
    await ask("solve", body, { signal: controller.signal, onProgress });
    return { reports, name: "" };
  } catch (error) {
    return { reports, name: error.name };
  }
}"""
WORKED = """async (body) => {
  const { ask } = await loaded("ask"), reports = [];
  await ask("solve", body, { onProgress: (report) => reports.push(report) });
  return reports;
}"""


def test_long_work_is_reported_and_can_be_given_up(tab: Any, tmp_path: Path) -> None:
    """After Cancel the server is free at once: of long works it does one at a time. Its folder has no tables yet."""
    with running_server(tmp_path) as server:
        give_up_and_work(tab, server.address)


def give_up_and_work(tab: Any, address: str) -> None:
    tab.goto(address)
    ready(tab)
    found = tab.evaluate(GIVEN_UP, {"query": "expect", "rules": "maxi-unsaved", "spread": False})
    assert found["name"] == "AbortError"
    assert found["reports"][-1]["seconds_left"] > 0
    reports = tab.evaluate(WORKED, {"query": "expect", "rules": "yatzy-forced"})
    assert all(0 <= report["done"] <= 1 for report in reports)
    assert not tab.evaluate("async () => (await (await fetch('/api/rules?rules=maxi-unsaved')).json())[0].solved")
