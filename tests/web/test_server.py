"""The server: the same answers as the command, limits, errors in one format; long work waits,
tells, and stops.
"""

import asyncio
import json
import os
import re
import socket
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext, suppress
from pathlib import Path
from threading import Event, Thread
from types import SimpleNamespace
from typing import Any

import pytest
from support.command import Run, refusal
from support.need import need
from support.refusals import refused
from support.seeds import examples, ring_2

need("fastapi")
need("httpx2")

from fastapi.testclient import TestClient
from hypothesis import given
from hypothesis import strategies as st
from perfect_yatzy import Cancelled, StateError, Strategy, distribution, reach
from perfect_yatzy.cli.commands.serve import in_header, is_loopback
from perfect_yatzy.core import backward_induction
from perfect_yatzy.core.backward_induction import solve_objective
from perfect_yatzy.core.objectives import Objective
from perfect_yatzy.errors import CODES
from perfect_yatzy.objectives.scores import Goals
from perfect_yatzy.service.budget import (
    ConfirmationRequired,
    Report,
    SolveBudget,
    Work,
    WorkProgress,
)
from perfect_yatzy.service.queries import Decision, QueryService
from perfect_yatzy.service.requests import parse_request
from perfect_yatzy.service.reviews import explained_review
from perfect_yatzy.strategy.changeover import prepare
from perfect_yatzy.tablebase.store import has_table
from perfect_yatzy.web import app as long_work
from perfect_yatzy.web import limits
from perfect_yatzy.web.app import RequestScheduler, Solve, create_app, work_events
from perfect_yatzy.web.limits import ClientDisconnected, ConcurrencyLimiter, IsDisconnected
from perfect_yatzy.web.middleware import RequestFilter, host_name
from perfect_yatzy.web.schemas import RollRequest, kinds_in_address
from support.human import human
from support.refusals import WRONG_QUESTIONS
from support.waiting import wait_until

JSON_TYPE = {"content-type": "application/json"}

Fields = dict[str, Any]
HOLD: Fields = {"dice": "33456"}
LATE_CARD = {
    "ones": 3,
    "twos": 6,
    "threes": 9,
    "fours": 12,
    "fives": 15,
    "sixes": 18,
    "one-pair": 10,
}


def without_bonus(part: dict[str, Any]) -> dict[str, Any]:
    """Without chances of the bonus, which are computed in the background: tested below."""
    return {name: value for name, value in part.items() if name != "bonus_chance"}


@pytest.mark.parametrize(
    ("query", "asked"),
    [
        ("hold", {"dice": "33456"}),
        ("hold", {"dice": [3, 3, 4, 5, 6], "card": LATE_CARD, "rolls_left": 1, "goal": 240}),
        ("score", {"dice": "33456", "card": "ones=3"}),
        ("score", {"dice": "33456", "card": LATE_CARD, "opponents": "251", "ties": "half"}),
        ("expect", {"card": LATE_CARD}),
        ("expect", {"spread": False}),
        *(
            ("hold", {"dice": "33455", "card": LATE_CARD, "rolls_left": left, "explain": True})
            for left in (1, 2)
        ),
        ring_2(
            "hold", {"dice": "33455", "card": "ones=3", "rolls_left": 1, "explain": True}
        ),  # seconds
        ("score", {"dice": "33455", "card": LATE_CARD, "goal": 240, "explain": True}),
        *(
            ("outcomes", {"card": {"ones": 3}, "hold": [3, 3], "rolls_left": left})
            for left in (1, 2)
        ),
        ("outcomes", {"card": {"ones": 3}, "hold": "33"}),
        ("review", {"why": 3}),  # of a game of a person
    ],
)
def test_answers_are_those_of_the_command(
    client: TestClient, yatzy: Strategy, query: str, asked: Fields
) -> None:
    """That those of the service are right: play/test_review.py, and test_engine.py, where
    another engine gives them.
    """
    if query == "review":
        game = human(yatzy, 2)
        asked, own = asked | {"game": game.to_json()}, explained_review(yatzy, game, 0, 3)
    else:
        own = QueryService().answer({"query": query, **asked})
    found = client.post(f"/api/{query}", json=asked)
    assert found.status_code == 200, found.text
    expected, answer = (
        json.loads(json.dumps(each), object_hook=without_bonus) for each in (own, found.json())
    )
    assert answer == expected


@pytest.mark.parametrize(
    ("path", "asked", "status", "message"),
    [
        ("hold", {"dice": "33456", "rules": "/etc/passwd.toml"}, 422, "unknown rules"),
        ("hold", {"dice": "33456", "rules": "yatzy+nothing"}, 422, "has no switch"),
        (
            "hold",
            {"dice": "334566", "rules": "maxi"},
            409,
            "this takes about 255 s and writes 2.85 GB",
        ),
        ("review", {"game": {"schema": 1}}, 422, "the game has no rules"),
        (
            "review",
            {"game": {"schema": 2, "rules": "yatzy", "players": ["A"], "turns": []}, "player": 1},
            422,
            "player",
        ),
        ("hold", HOLD | {"explain": 1}, 422, "explain is 1; must be true or false"),
        ("hold", {"dice": "33456", "rules": "yatzy+\0.toml"}, 422, "unknown rules"),
        ("expect", {"rules": "yatzy-saved", "goal": 300}, 422, "all goals of yatzy-saved take"),
        (
            "expect",
            {"rules": "yatzy-saved", "opponents": "empty"},
            422,
            "yatzy-saved from this card on takes",
        ),
    ],
)
def test_invalid_requests_are_refused(
    client: TestClient, path: str, asked: Fields, status: int, message: str
) -> None:
    found = client.post(f"/api/{path}", json=asked)
    assert found.status_code == status
    assert message in found.json()["error"]
    assert found.json()["code"] in CODES


@pytest.mark.parametrize(("query", "fields", "code", "field"), WRONG_QUESTIONS[1:])
def test_errors_have_code_and_field(
    client: TestClient, query: str, fields: Fields, code: str, field: str | None
) -> None:
    found = client.post(f"/api/{query}", json=fields)
    assert (found.status_code, found.json()["code"], found.json().get("field")) == (
        422,
        code,
        field,
    )


def test_points_of_the_boxes_need_no_table(client: TestClient, yatzy: Strategy) -> None:
    def points(query: str, **asked: object) -> tuple[dict[str, Any], dict[str, int]]:
        found = client.post(f"/api/{query}", json=asked).json()
        return found, {each["category"]: each["points"] for each in found["categories"]}

    asked = {"card": {"ones": 3}, "dice": "33345", "rolls_left": 0}
    assert points("points", **asked, goal=250)[1] == points("score", **asked)[1]
    found, paid = points("points", rules="maxi", dice="333456", rolls_left=2, id=7)
    assert (found["id"], found["query"], paid["threes"], paid["chance"]) == (7, "points", 9, 24)
    assert client.post("/api/points", json={"dice": "3334"}).json()["code"] == "invalid-dice"


FEW = "abcdefghijklmnopqrstuvwxyzABCDEF"  # 32 fields that are not known


def body_of(size: int) -> bytes:
    return b'{"id": "a", "dice": "33456"' + b" " * (size - 28) + b"}"


# Query, field, and pairs of what is just allowed and what is not.
EDGES: list[tuple[Any, ...]] = [
    ("hold", "rules", ("x" * 200, "x" * 201)),
    ("hold", "id", ("x" * 200, "x" * 201)),
    (
        "hold",
        "dice",
        ("33456".ljust(100), "33456".ljust(101)),
        ([1] * 126, [1] * 127),
        ([12], [13]),
        ([1], [0]),
    ),
    (
        "hold",
        "card",
        ("ones=3".ljust(16_000), "ones=3".ljust(16_001)),
        ({"ones": 99_999}, {"ones": 100_000}),
    ),
    (
        "hold",
        "card",
        (dict.fromkeys(map(str, range(126)), 1), dict.fromkeys(map(str, range(127)), 1)),
        ({"ones": 0}, {"ones": -1}),
    ),
    ("hold", "saved", (100, 101), (0, -1)),
    ("hold", "bonus_points", (99_999, 100_000), (0, -1)),
    ("hold", "rolls_left", (100, 101), (0, -1)),
    ("hold", "goal", (99_999, 100_000), (0, -1)),
    ("hold", "opponents", ("1".ljust(2_000), "1".ljust(2_001)), ([1] * 126, [1] * 127)),
    ("hold", "versus", ("ones=3".ljust(2_000), "ones=3".ljust(2_001))),
    ("outcomes", "hold", ([1] * 100, [1] * 101), ("1" * 100, "1" * 101), ([12], [13]), ([1], [0])),
    ("outcomes", "rolls_left", (100, 101), (1, 0)),
    ("puzzle", "seed", (2**53 - 1, 2**53), (0, -1)),
    ("puzzle", "date", ("x" * 200, "x" * 201)),
    ("review", "player", (63, 64), (0, -1)),
    ("review", "why", (50, 51), (0, -1)),
]
BASE: dict[str, dict[str, Any]] = {
    "hold": HOLD,
    "outcomes": {"hold": [3], "rolls_left": 1},
    "puzzle": {},
    "review": {"game": {"schema": 2, "rules": "yatzy", "players": ["Ann"], "turns": []}},
}


@pytest.mark.parametrize("edge", EDGES, ids=lambda edge: f"{edge[1]} of {edge[0]}")
def test_fields_are_limited_at_the_edge(
    client: TestClient, yatzy: Strategy, edge: tuple[Any, ...]
) -> None:
    """What is allowed may be wrong in another way, but not by its size."""
    query, field, *pairs = edge
    for pair in pairs:
        most, more = (
            client.post(f"/api/{query}", json=BASE[query] | {field: value}) for value in pair
        )
        error = more.json()["error"]
        code = "invalid-request" if "entries" in error else "invalid-value"
        assert (more.status_code, more.json()["code"]) == (422, code)
        assert re.match(rf'"?{field}"? (is|has) .*; (must be|at most) ', error)
        assert error.partition("; ")[2] not in most.json().get("error", "")


def test_bodies_are_limited_at_the_edge(client: TestClient) -> None:
    """64 KiB, 10,000 values, 32 fields; eight opponents; few errors are told at once."""
    for code, said, most, more in (
        (
            "body-too-large",
            "the request is larger than 65536 bytes",
            body_of(65_536),
            body_of(65_537),
        ),
        (
            "invalid-request",
            "the body has more than 10000 values",
            {"card": "," * 9_998},
            {"card": "," * 10_000},
        ),
        (
            "invalid-request",
            "the body has 33 fields; at most 32",
            dict.fromkeys(FEW, 1),
            dict.fromkeys(FEW + "G", 1),
        ),
        (
            "invalid-value",
            "9 opponents; there can be at most 8",
            HOLD | {"opponents": [1] * 8},
            HOLD | {"opponents": [1] * 9},
        ),
    ):
        bodies = (
            body if isinstance(body, bytes) else json.dumps(body).encode() for body in (most, more)
        )
        allowed, refused = (
            client.post("/api/hold", content=body, headers=JSON_TYPE) for body in bodies
        )
        assert (refused.json()["code"], refused.status_code) == (
            code,
            413 if code == "body-too-large" else 422,
        )
        assert refused.json()["error"].startswith(said)
        assert said not in allowed.json().get("error", "")
        assert allowed.json().get("error", "").count(";") < 6
    # in parts
    assert client.post("/api/hold", content=iter([b"x" * 10_000] * 40)).status_code == 413


FIELDS = [
    "rules",
    "card",
    "dice",
    "rolls_left",
    "saved",
    "bonus_points",
    "goal",
    "opponents",
    "ties",
    "spread",
    "hold",
    "game",
    "player",
]
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-5, 10**7),
    st.floats(),
    st.text(max_size=8),
    st.sampled_from(["yatzy", "yatzy-forced", "33456", "ones=3", "1;2", "half", "six=x"]),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=6), st.dictionaries(st.text(max_size=6), inner, max_size=4)
    ),
    max_leaves=8,
)


@examples(25, 300)
@given(
    st.sampled_from(["hold", "score", "expect", "outcomes", "review"]),
    st.dictionaries(st.sampled_from(FIELDS), VALUES, max_size=6),
)
def test_any_request_is_answered_or_refused(
    client: TestClient, path: str, body: dict[str, object]
) -> None:
    """The test client raises what the server does not catch."""
    content = json.dumps({"spread": False} | body if path == "expect" else body)
    found = client.post(f"/api/{path}", content=content, headers=JSON_TYPE)
    assert found.status_code in (200, 409, 422)
    assert found.status_code == 200 or found.json()["code"] in CODES


def test_a_lone_surrogate_in_a_name_can_be_answered(client: TestClient, yatzy: Strategy) -> None:
    record = human(yatzy, 4).to_json() | {"players": ["\ud800"]}
    found = client.post("/api/review", content=json.dumps({"game": record}), headers=JSON_TYPE)
    assert found.status_code == 422
    assert found.json()["error"]


def test_the_chance_of_the_bonus_is_that_of_the_distribution(
    forced: Strategy, tmp_path: Path
) -> None:
    """Computed in the background: the first answer does not wait for it, and it is not stored."""
    scheduler = RequestScheduler(tmp_path, 1)

    def ask(query: str, **fields: object) -> dict[str, Any]:
        return scheduler.answer(query, {"rules": "yatzy-forced", **fields}, never_disconnects)

    assert (
        ask("hold", dice="11445", rolls_left=1, explain=True)["best"]["outlook"]["bonus_chance"]
        is None
    )
    scheduler.service.bonus_chances.wait()
    best = ask("hold", dice="11445", rolls_left=1, explain=True)["best"]
    expected = 0.0
    for rolled in ask("outcomes", hold=best["hold"], rolls_left=1)["outcomes"]:
        taken = ask("score", dice=sorted(best["hold"] + rolled["rolled"]), explain=True)["best"]
        expected += rolled["chance"] * taken["outlook"]["bonus_chance"]
    assert best["outlook"]["bonus_chance"] == pytest.approx(expected, abs=1e-9)
    assert not has_table(forced.rules, tmp_path, "bonus")
    whole = distribution(forced).upper_bonus_chance
    rolls = [
        ask("score", dice=roll, explain=True)["best"]["outlook"]["bonus_chance"]
        for roll in ("11111", "23456")
    ]
    assert rolls[0] > whole > rolls[1]


def test_an_application_that_has_ended_computes_nothing_and_holds_no_table(
    forced: Strategy, tmp_path: Path
) -> None:
    """Its chances of the bonus are computed in the background, here by a solve that never ends."""
    scheduler = RequestScheduler(tmp_path, 1)
    service, begun = scheduler.service, Event()

    def endless(objective: Objective, *, progress: Callable[..., None], **options: object) -> None:
        begun.set()
        wait_until(lambda: progress(1, 2))

    asked = {"rules": "yatzy-forced", "dice": "11445", "explain": True}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(backward_induction, "solve_objective", endless)
        scheduler.answer("hold", asked, never_disconnects)
        wait_until(begun.is_set)
        service.close()
    assert not service.bonus_chances._threads
    assert not service.strategies.entries
    scheduler.answer("hold", asked, never_disconnects)
    assert not service.bonus_chances._threads


def test_a_puzzle_is_that_of_the_command(client: TestClient, run: Run, yatzy: Strategy) -> None:
    found = client.post("/api/puzzle", json={"date": "2026-11-20", "difficulty": "hard"}).json()
    shown = json.loads(run("puzzle", "--date", "2026-11-20", "-d", "hard", "--json").stdout)
    for name in ("rules", "card", "saved", "bonus_points", "dice", "rolls_left"):
        assert found[name] == shown[name]
    numbered = client.post(
        "/api/puzzle", json={"seed": found["seed"], "difficulty": "hard", "id": 7}
    ).json()
    assert numbered == found | {"id": 7}
    assert client.post("/api/puzzle", json={}).json()["difficulty"] == "medium"
    for wrong in (
        {"date": "tomorrow"},
        {"difficulty": "x"},
        {"seed": 1, "date": "2026-11-20"},
        {"card": {}},
    ):
        assert client.post("/api/puzzle", json=wrong).status_code == 422


def test_rule_sets_are_described_with_their_switches_and_in_another_language(
    client: TestClient,
) -> None:
    (plain,) = client.get("/api/rules", params={"rules": "yatzy-forced"}).json()
    (switched,) = client.get("/api/rules", params={"rules": "yatzy-forced+threshold-63"}).json()
    assert switched["bonus"]["threshold"] == 63 != plain["bonus"]["threshold"]
    assert switched["active"] == ["threshold-63"]
    assert "threshold-63" in {switch["id"] for switch in plain["switches"]}
    found = {entry["id"]: entry for entry in client.get("/api/rules", params={"lang": "sv"}).json()}
    bonus_points = {name: found[name]["bonus_points"] for name in ("yahtzee", "generala", "yatzy")}
    assert bonus_points == {"yahtzee": True, "generala": True, "yatzy": False}
    assert {box["id"]: box["name"] for box in found["yatzy"]["categories"]}["full-house"] == "Kåk"
    assert found["maxi"]["dice"] == 6
    assert client.get("/api/rules", params={"lang": "xx"}).status_code == 422


def never_disconnects() -> bool:
    return False


def test_a_long_computation_delays_no_short_one(
    yatzy: Strategy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While a goal is solved, a plain hold is answered; the request after a full queue is
    refused.
    """
    scheduler, started, finish = RequestScheduler(None, 1), Event(), Event()
    assert scheduler.short.free == 7  # one runs and six wait
    compute = Decision.compute

    def slow(decision: Decision, progress: WorkProgress | None = None) -> dict[str, object]:
        if decision.request.objective:
            started.set()
            assert finish.wait(20)
            return {}
        return compute(decision, progress)

    def solve(goal: int) -> None:
        work = scheduler.confirmed(
            {"query": "hold", "rules": "yatzy", "dice": "33456", "goal": goal}
        )
        work(lambda done, left: None, never_disconnects)

    monkeypatch.setattr(Decision, "compute", slow)
    accepted = 9  # one that runs and eight in the queue
    with ThreadPoolExecutor(accepted + 3) as pool:
        long = [pool.submit(solve, 280 + n) for n in range(accepted)]
        assert started.wait(20)
        while scheduler.long.free:
            time.sleep(0.01)
        found = scheduler.answer("hold", {"rules": "yatzy", "dice": "33456"}, never_disconnects)
        assert found["best"]["hold"] == [3, 3]
        with pytest.raises(
            limits.QueueFullError, match="too many requests are queued; try again later"
        ):
            solve(1)
        finish.set()
        assert [each.result(20) for each in long] == [None] * accepted
    goal = {"rules": "yatzy", "dice": "33456", "goal": 280}
    assert scheduler.answer("hold", goal, never_disconnects) == {}  # cached
    assert scheduler.long.free == accepted


def test_a_solve_late_in_a_game_is_cheap_and_an_earlier_one_is_not(yatzy: Strategy) -> None:
    """A question with a solve of milliseconds waits behind no longer one."""
    scheduler = RequestScheduler(None, 1)
    boxes = [f"{box.id}=0" for box in yatzy.rules.categories]
    for filled, queue in ((13, scheduler.cheap), (9, scheduler.cheap), (4, scheduler.short)):
        fields = {"query": "hold", "dice": "33456", "card": " ".join(boxes[:filled]), "goal": 20}
        decision = scheduler.service.decide(parse_request(fields, scheduler.rules))
        assert decision.works
        assert scheduler.queue_of(decision) is queue, filled


@pytest.mark.parametrize(
    "error", [None, StateError("wrong"), ClientDisconnected("gone"), KeyboardInterrupt()]
)
def test_a_slot_is_free_again_however_its_work_ends(error: BaseException | None) -> None:
    limiter = ConcurrencyLimiter(1, 1)
    with suppress(BaseException), limiter.slot(never_disconnects):
        if error:
            raise error
    assert limiter.free == 2
    with limiter.slot(lambda: True):  # at once: who waits would be gone
        with pytest.raises(ClientDisconnected), limiter.slot(lambda: True):
            pass
        assert limiter.free == 1


@pytest.mark.parametrize(
    ("seconds", "queue"),
    [
        (0.0, []),
        (0.5, ["cheap"]),
        (0.51, ["short"]),
        (2.99, ["short"]),
        (3.0, ["long"]),
        (100.0, ["long"]),
    ],
)
def test_an_answer_waits_in_the_queue_of_its_length(
    yatzy: Strategy, monkeypatch: pytest.MonkeyPatch, seconds: float, queue: list[str]
) -> None:
    scheduler, used = RequestScheduler(None, 1), list[str]()
    monkeypatch.setattr(Decision, "seconds", seconds)
    for name in ("cheap", "short", "long"):
        slots = SimpleNamespace(
            slot=lambda is_disconnected, name=name: nullcontext(used.append(name))
        )
        setattr(scheduler, name, slots)
    assert scheduler.answer("hold", {"rules": "yatzy", "dice": "33456"}, never_disconnects)["best"]
    assert used == queue


def test_a_queue_serves_who_came_first_and_forgets_who_has_left() -> None:
    """Each request is queued before the next one comes, and gets its slot in that order."""
    limiter, served, gone = ConcurrencyLimiter(1, 8), list[int](), Event()

    def wait(number: int) -> None:
        with suppress(ClientDisconnected), limiter.slot(lambda: number == 3 and gone.is_set()):
            served.append(number)

    with limiter.slot(never_disconnects):
        threads = [Thread(target=wait, args=(number,)) for number in range(8)]
        for number, thread in enumerate(threads):
            thread.start()
            wait_until(lambda queued=number + 1: limiter.free == 8 - queued)
        with pytest.raises(limits.QueueFullError), limiter.slot(never_disconnects):
            pass
        gone.set()
        threads[3].join()
        assert limiter.free == 1
    for thread in threads:
        thread.join()
    assert served == [0, 1, 2, 4, 5, 6, 7]
    assert limiter.free == 9


def test_allowed_methods_are_named_and_head_is_answered(client: Any) -> None:
    for path, wrong, allowed in (
        ("/api/hold", "PUT", "GET, HEAD, POST"),
        ("/api/outcomes", "GET", "POST"),
        ("/api/outcomes", "HEAD", "POST"),
        ("/api/rules", "DELETE", "GET, HEAD, POST"),
    ):
        found = client.request(wrong, path)
        assert (found.status_code, found.headers["allow"]) == (405, allowed)
    got, head = (client.request(method, "/api/rules?rules=yatzy") for method in ("GET", "HEAD"))
    assert head.status_code == 200
    assert head.headers["content-type"] == got.headers["content-type"]


ADDRESS_OF_HOLD = "/api/hold?rules=yatzy&card=ones=3+sixes=24&dice=33456&rolls_left=1"


def test_an_address_is_cached_and_not_sent_again(client: TestClient) -> None:
    found = client.get(ADDRESS_OF_HOLD)
    assert found.headers["cache-control"] == "public, max-age=3600"
    tag = {"if-none-match": found.headers["etag"]}
    assert client.get(ADDRESS_OF_HOLD, headers=tag).status_code == 304
    assert (
        client.get(ADDRESS_OF_HOLD.replace("33456", "33455"), headers=tag).headers["etag"]
        != tag["if-none-match"]
    )
    explained = client.get(f"{ADDRESS_OF_HOLD}&explain=true")
    assert explained.headers["cache-control"] == "no-cache"
    assert client.get("/api/hold?dice=3345").headers["cache-control"] == "no-store"
    assert client.head(ADDRESS_OF_HOLD).headers["etag"] == found.headers["etag"]


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("hold?dice=33456&dice=33456", '"dice" is there twice in the address'),
        ("hold?dice=33456&rolls_left=two", 'rolls_left is "two"; must be the rerolls left'),
        ("hold?dice=33456&explain=maybe", 'explain is "maybe"; must be true or false'),
        ("hold?dice=33456&hold=33", '"hold" is not a field of this request'),
        ("score", "dice is missing"),
        ("expect?spread=", "spread is"),
        ("odds?dice=7", "the faces are 1 to 6"),
        ("odds?rolls_left=3", "3 rolls left; under yatzy there can be 0 to 2"),
        ("hold?dice=33456&rules=/etc/passwd.toml", "unknown rules"),
        (f"hold?dice=33456&saved={'9' * 30}", "saved is"),
    ],
)
def test_wrong_addresses(client: TestClient, address: str, message: str) -> None:
    found = client.get(f"/api/{address}")
    assert (found.status_code, found.json()["schema"]) == (422, 2)
    assert message in found.json()["error"]


def test_the_address_of_the_page_has_the_fields_of_an_address_of_the_api() -> None:
    link = (Path(long_work.__file__).parent / "static" / "store" / "link.js").read_text(
        encoding="utf-8"
    )
    listed = re.search(r"const POSITION_FIELDS = \[(.*?)\]", link, re.DOTALL)
    assert listed
    fields = re.findall(r'"(\w+)"', listed[1])
    assert set(fields) < set(kinds_in_address(RollRequest))


def test_odds_are_those_of_the_command(client: TestClient, run: Run) -> None:
    shown = json.loads(run("odds", "33456", "-l", "1", "--card", "ones=3 yatzy=0", "--json").stdout)
    asked = {"dice": [3, 3, 4, 5, 6], "rolls_left": 1, "card": {"ones": 3, "yatzy": 0}}
    assert client.post("/api/odds", json=asked).json() == shown
    before = client.get("/api/odds?id=7").json()
    assert (before["id"], before["dice"], before["rolls_left"]) == ("7", None, 2)
    assert len(before["categories"]) == 15


def test_serve_reports_a_port_in_use_first(run: Run) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        said = refusal(run, "serve", "--port", str(taken.getsockname()[1]), code=1)
    assert "another program uses this port" in said


def test_hosts_of_a_server_open_to_the_network() -> None:
    network = RequestFilter(None, frozenset({"[::1]", "box.lan"}), addresses=True)
    for host, known in {
        "192.168.1.5:80": 1,
        "[fe80::1]:80": 1,
        "BOX.lan": 1,
        "evil.example": 0,
    }.items():
        assert network.is_known_host(host_name(host)) == bool(known), host
    assert not RequestFilter(None, frozenset({"localhost"})).is_known_host("192.168.1.5")
    assert host_name("[FE80::1]:80") == "[fe80::1]"
    assert (in_header("::1"), in_header("Box.LAN")) == ("[::1]", "box.lan")
    assert is_loopback("127.0.0.1")
    assert is_loopback("::1")
    assert not is_loopback("0.0.0.0")


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
    """A server whose folder has no tables, without the files of the page, which take most of its
    start.
    """
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
        prefer = {"prefer": "confirmation-required=200"}
        quiet = empty.post(f"/api/{query}", json=asked, headers=prefer)
        assert (quiet.status_code, quiet.json()) == (200, answer)
        assert answer["cost"].keys() == {"what", "seconds", "disk_bytes", "memory_bytes"}
        assert answer["cost"]["seconds"] > 2
    assert not os.listdir(tmp_path)


def test_small_games_are_answered_at_once_and_not_stored(
    empty: TestClient, tmp_path: Path, forced: Strategy
) -> None:
    found = empty.post("/api/expect", json={"rules": SMALL, "opponents": "200; empty"}).json()
    assert found["expected_final_score"] == pytest.approx(forced.value(), abs=1e-9)
    assert found["distribution"]
    assert not os.listdir(tmp_path)


def test_confirmed_work_is_done_and_stored(
    empty: TestClient, tmp_path: Path, forced: Strategy
) -> None:
    answer = empty.post("/api/solve", json={"rules": SMALL, "query": "expect"})
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


def test_wrong_or_too_large_work_is_an_error_before_the_first_event(
    empty: TestClient, tmp_path: Path
) -> None:
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
    """With a budget that does nothing unasked, a confirmed question is in the cache or its table
    in the store.
    """
    service = QueryService(budget=NOTHING_UNASKED)
    asked = {"query": "expect", "rules": SMALL, "opponents": "empty", "spread": False}
    wanted = refused(".", service.answer, asked, error=ConfirmationRequired)
    assert wanted.cost["what"] in ("objective", "opponents", "distribution")  # type: ignore[attr-defined]
    request = service.parse(asked)
    reports: list[tuple[float, float]] = []
    progress = WorkProgress(
        service.decide(request).works, lambda done, left: reports.append((done, left))
    )
    answer = service.answer(request, progress)
    assert reports
    assert service.answer(asked) == answer
    assert service.answer({"query": "hold", "rules": SMALL, "opponents": "empty", "dice": "33456"})[
        "best"
    ]


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
def test_works_of_a_question_take_the_time_planned(
    yatzy: Strategy, aim: dict[str, str], wanted: list[str]
) -> None:
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


def test_what_an_interrupted_solve_has_done_does_not_shorten_the_time_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = 100.0
    monkeypatch.setattr(
        "perfect_yatzy.service.budget.time", SimpleNamespace(perf_counter=lambda: now)
    )
    reports: list[tuple[float, float]] = []
    progress = WorkProgress(
        [Work("table", 50.0, 0, 0, 0.0)], lambda done, left: reports.append((done, left))
    )
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
    refused(
        "stopped", solve_objective, Goals(forced.rules), progress=stopping(0.1), error=Cancelled
    )
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


def test_errors_and_life_signs_are_sent(
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
    assert events_of(text) == [
        ("error", {"schema": 2, "error": "no", "code": "invalid-value", "field": "dice"})
    ]
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


def test_what_is_answered_at_once_is_what_a_thread_answers(
    yatzy: Strategy, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Plain questions of prepared rules do not go to a thread; the answers are the same."""
    asked = [
        (query, {"rules": "yatzy", "card": card, "dice": dice, "rolls_left": left})
        for card in ("", "ones=3 sixes=24 chance=22")
        for dice in ("11111", "33456", "12256")
        for query, left in (("hold", 2), ("hold", 1), ("score", 0))
    ]
    app = create_app(store)
    client = TestClient(app, base_url="http://127.0.0.1")
    with monkeypatch.context() as threads_only:
        threads_only.setattr(RequestScheduler, "answers_at_once", lambda *_args: False)
        handed_to_threads = [client.post(f"/api/{query}", json=body) for query, body in asked]
    service = app.state.service
    prepare(service.strategy(service.rules("yatzy")).evaluator)
    assert app.state.service.is_prepared(yatzy.rules)
    at_once = [client.post(f"/api/{query}", json=body) for query, body in asked]
    assert {answer.status_code for answer in handed_to_threads} == {200}
    assert [answer.content for answer in at_once] == [
        answer.content for answer in handed_to_threads
    ]
