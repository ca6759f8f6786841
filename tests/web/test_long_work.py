"""Long work waits for a confirmation, says how far it is, and stops when nobody waits for it any more."""

import asyncio
import json
import os
from collections.abc import Callable
from pathlib import Path
from threading import Event
from types import SimpleNamespace
from typing import Any

import pytest
from support.need import need
from support.refusals import refused

need("fastapi")
need("httpx2")

from fastapi.testclient import TestClient
from perfect_yatzy import Cancelled, StateError, Strategy, reach
from perfect_yatzy.model.objectives import Goals
from perfect_yatzy.service.budget import ConfirmationRequired, Report, SolveBudget, Work, WorkProgress
from perfect_yatzy.service.queries import QueryService
from perfect_yatzy.tablebase.backward_induction import solve_objective
from perfect_yatzy.tablebase.store import has_table
from perfect_yatzy.web import app as long_work
from perfect_yatzy.web.app import Solve, create_app, work_events
from perfect_yatzy.web.limits import IsDisconnected

SMALL = "yatzy-forced"  # a game that is solved in a moment
NOTHING_UNASKED = SolveBudget(unasked_seconds=0.0)


def events_of(text: str) -> list[tuple[str, Any]]:
    found = []
    for message in text.split("\n\n"):
        if message and not message.startswith(":"):
            event, data = message.split("\n")
            found.append((event.removeprefix("event: "), json.loads(data.removeprefix("data: "))))
    return found


def streamed(solve: Solve, note: Callable[[], None] = lambda: None) -> str:
    """The events of some work as text; `note` is called after each."""

    async def main() -> str:
        found = []
        async for message in work_events(solve):
            found.append(message.decode())
            note()
        return "".join(found)

    return asyncio.run(main())


@pytest.fixture
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> TestClient:
    """A server whose folder has no tables, without the files of the page, which take most of its start."""
    monkeypatch.setattr("perfect_yatzy.web.app.add_page", lambda app: None)
    return TestClient(create_app(tmp_path), base_url="http://127.0.0.1")


def test_a_link_writes_nothing(empty: TestClient, tmp_path: Path) -> None:
    for query, asked in (
        ("hold", {"rules": "kniffel", "dice": "33456", "goal": 250}),
        ("score", {"rules": "kniffel", "dice": "33456", "goal": 250}),
        ("expect", {"rules": "kniffel", "goal": 250}),
        ("expect", {"rules": "kniffel", "opponents": "250; empty"}),
        ("hold", {"rules": "maxi-unsaved", "dice": "334566"}),
        ("puzzle", {"rules": "maxi-unsaved"}),
        ("outcomes", {"rules": "maxi-unsaved", "hold": [3], "rolls_left": 1}),
    ):
        found = empty.post(f"/api/{query}", json=asked)
        answer = found.json()
        assert (found.status_code, answer["code"]) == (409, "confirmation-required")
        assert answer["cost"].keys() == {"what", "seconds", "disk_bytes", "memory_bytes"}
        assert answer["cost"]["seconds"] > 2
    assert not os.listdir(tmp_path)


def test_small_games_are_answered_at_once_and_not_stored(empty: TestClient, tmp_path: Path, forced: Strategy) -> None:
    found = empty.post("/api/expect", json={"rules": SMALL, "opponents": "200; empty"}).json()
    assert found["expected_final_score"] == pytest.approx(forced.value(), abs=1e-9)
    assert found["distribution"]
    assert not os.listdir(tmp_path)


def test_confirmed_work_is_done_and_stored(empty: TestClient, tmp_path: Path, forced: Strategy) -> None:
    asked = {"rules": SMALL, "query": "expect"}
    answer = empty.post("/api/solve", json=asked)
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/event-stream")
    events = events_of(answer.text)
    assert events[-1] == ("done", {})
    assert {name for name, _ in events[:-1]} == {"progress"}
    for _, data in events[:-1]:
        assert 0 <= data["done"] <= 1
        assert data["seconds_left"] >= 0
    assert has_table(forced.rules, tmp_path)
    assert any("distribution" in name for name in os.listdir(tmp_path))
    assert empty.post("/api/expect", json={"rules": SMALL}).json()["distribution"]


def test_wrong_or_too_large_work_is_an_error_before_the_first_event(empty: TestClient, tmp_path: Path) -> None:
    for asked, code in (
        ({"query": "hold", "dice": "3345"}, "invalid-dice"),
        ({"query": "hold"}, "missing-field"),
        ({"query": "simulate"}, "invalid-value"),
        ({"query": "expect", "hold": [3]}, "unknown-field"),
        ({"query": "expect", "rules": "maxi", "goal": 300}, "too-large"),
        ({"query": "review"}, "invalid-value"),
    ):
        found = empty.post("/api/solve", json=asked)
        assert (found.status_code, found.json()["code"]) == (422, code)
    assert not os.listdir(tmp_path)


def test_every_question_is_answered_after_its_work(forced: Strategy) -> None:
    """With a budget that does nothing unasked, a confirmed question is in the cache or its table in the store."""
    service = QueryService(budget=NOTHING_UNASKED)
    asked = {"query": "expect", "rules": SMALL, "opponents": "empty", "spread": False}
    wanted = refused(".", service.answer, asked, error=ConfirmationRequired)
    assert wanted.cost["what"] in ("objective", "opponents", "distribution")  # type: ignore[attr-defined]
    request = service.parse(asked)
    reports: list[tuple[float, float]] = []
    progress = WorkProgress(service.decide(request).works, lambda done, left: reports.append((done, left)))
    answer = service.answer(request, progress)
    assert reports
    assert service.answer(asked) == answer
    hold = {"query": "hold", "rules": SMALL, "opponents": "empty", "dice": "33456"}
    assert service.answer(hold)["best"]


LATE = "ones=3 twos=6 threes=9 fours=12 fives=15 sixes=18 one-pair=10 yatzy=0"


@pytest.mark.parametrize(
    ("aim", "wanted"),
    [
        ({}, []),
        ({"goal": 240}, ["objective"]),
        ({"opponents": "250"}, ["objective"]),
        ({"opponents": "250; 240", "ties": "half"}, ["objective"]),
        ({"opponents": f"250; {LATE}"}, ["opponents", "objective"]),
    ],
)
def test_works_of_a_question_take_the_time_planned(yatzy: Strategy, aim: dict[str, str], wanted: list[str]) -> None:
    service = QueryService()
    decision = service.decide(service.parse({"query": "hold", "dice": "33456", "card": LATE} | aim))
    assert [work.what for work in decision.works] == wanted
    assert sum(work.seconds for work in decision.works) == pytest.approx(decision.seconds)


def test_progress_adds_up_over_several_works() -> None:
    works = [Work("table", 1.0, 10, 20, 1.0), Work("goals", 3.0, 30, 40, 3.0)]
    reports: list[tuple[float, float]] = []
    progress = WorkProgress(works, lambda done, left: reports.append((done, left)))
    first, second = progress.of("table"), progress.of("goals")
    first(1, 2)
    second(1, 2)
    second(2, 2)
    assert [done for done, _ in reports] == pytest.approx([0.0, 0.25, 0.125, 0.625, 1.0])
    assert reports[0][1] == pytest.approx(4.0)  # the estimate, before anything has been measured
    assert reports[-1][1] == 0.0
    cost = {"what": "goals", "seconds": 4.0, "disk_bytes": 60, "memory_bytes": 30}
    assert ConfirmationRequired(works).as_json()["cost"] == cost


def test_what_an_interrupted_solve_has_done_does_not_shorten_the_time_left(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr("perfect_yatzy.service.budget.time.perf_counter", lambda: now)
    reports: list[tuple[float, float]] = []
    progress = WorkProgress([Work("table", 50.0, 0, 0, 0.0)], lambda done, left: reports.append((done, left)))
    table = progress.of("table")
    table(600, 1000)
    now = 130.0
    table(800, 1000)
    assert reports[-1] == pytest.approx((0.8, 30.0))


def stopping(after: float) -> Callable[[int, int], None]:
    """Progress that stops the work when this share is done."""

    def report(done: int, total: int) -> None:
        if done >= after * total:
            raise Cancelled("stopped")

    return report


def test_work_in_memory_stops_too(forced: Strategy) -> None:
    refused("stopped", solve_objective, Goals(forced.rules), progress=stopping(0.1), error=Cancelled)
    refused("stopped", reach, forced.rules, 200, "ones=3", progress=stopping(0.0), error=Cancelled)


def test_work_stops_when_the_client_has_left() -> None:
    stopped = Event()

    def solve(report: Report, is_disconnected: IsDisconnected) -> None:
        try:
            while True:
                report(0.5, 10.0)
        except Cancelled:
            assert is_disconnected()
            stopped.set()
            raise

    async def main() -> None:
        events = work_events(solve)
        assert (await anext(events)).startswith(b"event: progress")
        await events.aclose()

    asyncio.run(main())
    assert stopped.wait(60)


def test_errors_and_life_signs_are_events(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(long_work, "KEEP_ALIVE_SECONDS", 0.01)

    def events(error: Exception) -> str:
        is_alive = Event()

        def solve(report: Report, is_disconnected: IsDisconnected) -> None:
            is_alive.wait()
            raise error

        return streamed(solve, is_alive.set)

    text = events(StateError("no", field="dice"))
    assert text.startswith(": working\n\n")
    assert events_of(text) == [("error", {"schema": 2, "error": "no", "code": "invalid-value", "field": "dice"})]
    assert events_of(events(ZeroDivisionError("x")))[0][1]["code"] == "internal-error"
    assert "ZeroDivisionError" in capsys.readouterr().err


def test_reports_come_at_most_five_times_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(long_work, "time", SimpleNamespace(monotonic=lambda: now[0]))

    def solve(report: Report, is_disconnected: IsDisconnected) -> None:
        for step in range(17):
            now[0] = 100 + step / 16
            report(step / 16, 1.0)

    *reports, end = events_of(streamed(solve))
    assert [fields["done"] for _, fields in reports] == [0.0, 0.25, 0.5, 0.75, 1.0]
    assert end == ("done", {})
