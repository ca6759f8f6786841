"""The page's server: the answers of the command, and a polite no to everything else."""

from __future__ import annotations

import json
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest
from support.command import Run
from support.need import need

need("fastapi")
need("httpx2")

from fastapi.testclient import TestClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from perfect_yatzy.cli.commands.serve import in_header, is_loopback
from perfect_yatzy.errors import RulesError
from perfect_yatzy.service.queries import QueryService
from perfect_yatzy.strategy.strategy import Strategy
from perfect_yatzy.web.app import create_app
from perfect_yatzy.web.middleware import BURST, MAX_BODY, RequestFilter, host_name
from perfect_yatzy.web.workers import (
    MAX_WRITTEN,
    BusyError,
    ClientDisconnected,
    ConcurrencyLimiter,
    RequestScheduler,
    WeightedLRUCache,
)
from support.human import human

JSON = {"content-type": "application/json"}

LATE = {"ones": 3, "twos": 6, "threes": 9, "fours": 12, "fives": 15, "sixes": 18, "one-pair": 10}


@pytest.fixture(scope="module")
def page(yatzy: Strategy) -> TestClient:
    return TestClient(create_app(), base_url="http://127.0.0.1")


@pytest.mark.parametrize(
    ("query", "asked"),
    [
        ("hold", {"dice": "33456"}),
        ("hold", {"dice": [3, 3, 4, 5, 6], "card": LATE, "rolls_left": 1, "goal": 240}),
        ("score", {"dice": "33456", "card": "ones=3"}),
        ("score", {"dice": "33456", "card": LATE, "opponents": "251", "ties": "half"}),
        ("expect", {"card": LATE}),
        ("expect", {"spread": False}),
    ],
)
def test_answers_are_those_of_the_command(page: TestClient, query: str, asked: dict[str, object]) -> None:
    found = page.post(f"/api/{query}", json=asked)
    assert found.status_code == 200, found.text
    assert found.json() == json.loads(json.dumps(QueryService().answer({"query": query, **asked})))


@pytest.mark.parametrize(
    ("path", "asked", "status", "message"),
    [
        ("hold", {"dice": "3345"}, 422, "'3345' is 4 dice; yatzy has 5"),
        ("hold", {"dice": "33456", "card": {"ones": 99}}, 422, "ones cannot hold 99"),
        ("hold", {"dice": "33456", "rules": "/etc/passwd.toml"}, 422, "unknown rules"),
        ("hold", {"dice": "33456", "rules": "yatzy+nothing"}, 422, "has no switch"),
        ("hold", {"dice": "33456", "rules": "maxi"}, 422, "maxi takes about"),
        ("hold", {"dice": "33456", "goal": 1, "opponents": "3"}, 422, "two aims"),
        ("hold", {"dice": "33456", "unknown": 1}, 422, 'unknown\\" is not a field of this request'),
        ("hold", {}, 422, "dice is missing; it is the dice on the table"),
        ("expect", {"card": "x" * 20}, 422, "is not of the form"),
        ("outcomes", {"hold": [3, 3, 3, 3, 3, 3], "rolls_left": 1}, 422, "cannot be held"),
        ("outcomes", {"hold": [3], "rolls_left": 3}, 422, "it is at most 2"),
        ("review", {"game": {"schema": 1}}, 422, "the game names no rules"),
        ("hold", {"dice": 33456}, 422, "dice is 33456; must be the dice on the table: text such as '33456'"),
        ("hold", {"dice": "33456", "saved": 101}, 422, "saved is 101; must be the saved rolls"),
        ("hold", {"dice": "33456", "rules": "yatzy+\0.toml"}, 422, "unknown rules"),
        ("hold", {"dice": "33456", "rules": "yatzy+pyproject.toml"}, 422, "unknown rules"),
        ("hold", {"dice": "33456", "opponents": ";".join("1" * 9)}, 422, "9 opponents; it is at most 8"),
        ("expect", {"rules": "yatzy-saved", "goal": 300}, 422, "goals and opponents of yatzy-saved take about"),
        ("expect", {"rules": "yatzy-saved", "opponents": "empty"}, 422, "goals and opponents of yatzy-saved take"),
    ],
)
def test_wrong_requests_are_refused(
    page: TestClient, path: str, asked: dict[str, object], status: int, message: str
) -> None:
    found = page.post(f"/api/{path}", json=asked)
    assert found.status_code == status
    assert message in found.text


def test_rules_are_described_in_the_players_language(page: TestClient) -> None:
    found = {entry["id"]: entry for entry in page.get("/api/rules", params={"lang": "sv"}).json()}
    boxes = {box["id"]: box["name"] for box in found["yatzy"]["categories"]}
    assert boxes["full-house"] == "Kåk"
    assert found["maxi"]["dice"] == 6
    assert page.get("/api/rules", params={"lang": "xx"}).status_code == 422


def test_the_map_of_the_next_roll_adds_up(page: TestClient, yatzy: Strategy) -> None:
    for left in (1, 2):
        for hold in yatzy.holds("ones=3", "33456", left)[:5]:
            if hold.category:
                continue
            asked = {"card": {"ones": 3}, "hold": list(hold.dice), "rolls_left": left}
            found = page.post("/api/outcomes", json=asked).json()
            assert found["expected_final_score"] == pytest.approx(3 + hold.value, abs=1e-9)
            assert sum(entry["chance"] for entry in found["outcomes"]) == pytest.approx(1)
            best = found["outcomes"][0]
            dice = (*hold.dice, *best["rolled"])
            value = (
                yatzy.holds("ones=3", dice, left - 1)[0].value
                if left > 1
                else yatzy.categories("ones=3", dice)[0].value
            )
            assert best["expected_final_score"] == pytest.approx(3 + value, abs=1e-9)


def test_a_game_is_reviewed(page: TestClient, yatzy: Strategy) -> None:
    record = human(yatzy, 4).to_json()
    found = page.post("/api/review", json={"game": record}).json()
    assert found["result"] == pytest.approx(found["start"] + found["luck"] - found["points_lost"], abs=1e-9)
    assert page.post("/api/review", json={"game": record, "player": 1}).status_code == 422


def test_foreign_hosts_and_large_bodies_are_refused(page: TestClient) -> None:
    assert page.get("/", headers={"host": "evil.example"}).status_code == 421
    assert page.get("/", headers={"host": "localhost:8765"}).status_code == 200
    large = page.post("/api/hold", content=b"x" * (MAX_BODY + 1), headers={"content-type": "application/json"})
    assert large.status_code == 413

    def parts() -> object:
        for _ in range(40):
            yield b"x" * 10_000

    assert page.post("/api/hold", content=parts()).status_code == 413
    for body in (b"", b"{", b"[]", b'"x"', b"null", b"\xff\xfe", b'{"dice": ' + b"[" * 5_000):
        found = page.post("/api/hold", content=body, headers={"content-type": "application/json"})
        assert found.status_code in (400, 422)
    assert host_name("[::1]:80") == "[::1]"


def test_too_many_requests_are_slowed_down() -> None:
    guard = RequestFilter(None, frozenset())
    assert all(guard.allowed("a") for _ in range(int(BURST)))
    assert not all(guard.allowed("a") for _ in range(int(BURST)))
    assert guard.allowed("b")


def test_the_page_keeps_to_itself(page: TestClient) -> None:
    for path in ("/", "/app.js", "/review.js", "/style.css"):
        found = page.get(path)
        assert found.status_code == 200
        assert "default-src 'self'" in found.headers["content-security-policy"]
        assert found.headers["x-content-type-options"] == "nosniff"
        assert "http://" not in found.text.replace("http://www.w3.org/2000/svg", "")
        assert "https://" not in found.text
    assert page.get("/../pyproject.toml").status_code == 404
    assert page.get("/secrets").status_code == 404


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
    st.none(), st.booleans(), st.integers(-5, 10**7), st.floats(), st.text(max_size=8),
    st.sampled_from(["yatzy", "yatzy-forced", "33456", "ones=3", "1;2", "half", "six=x"]),
)  # fmt: skip
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=6), st.dictionaries(st.text(max_size=6), inner, max_size=4)),
    max_leaves=8,
)


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.sampled_from(["hold", "score", "expect", "outcomes", "review"]),
    st.dictionaries(st.sampled_from(FIELDS), VALUES, max_size=6),
)
def test_no_request_makes_the_server_stumble(page: TestClient, path: str, body: dict[str, object]) -> None:
    """Each is answered, or refused with a reason; the client would raise what the server does not catch."""
    content = json.dumps({"spread": False} | body if path == "expect" else body)
    found = page.post(f"/api/{path}", content=content, headers={"content-type": "application/json"})
    assert found.status_code in (200, 400, 422)
    assert found.json()


def test_the_api_is_described(page: TestClient) -> None:
    described = page.get("/api/openapi.json").json()
    assert set(described["paths"]) == {
        f"/api/{n}" for n in ("rules", "languages", "hold", "score", "expect", "outcomes", "review")
    }
    for path in described["paths"].values():
        for operation in path.values():
            assert operation["description"]
            refusals = {"413", "421", "422", "429", "503"}
            assert refusals < operation["responses"].keys()
            for status in refusals:
                answer = operation["responses"][status]["content"]["application/json"]["schema"]
                assert answer == {"$ref": "#/components/schemas/Refusal"}
    for name, schema in described["components"]["schemas"].items():
        assert [f for f, what in schema["properties"].items() if "description" not in what] == [], name


def test_refusals_have_one_shape(page: TestClient) -> None:
    for found, status in (
        (page.get("/api/nothing"), 404),
        (page.get("/nothing"), 404),
        (page.get("/api/hold"), 405),
        (page.post("/api/hold", content=b"{"), 422),
        (page.post("/api/hold", content=b"{}"), 422),
        (page.post("/api/hold", json=[]), 422),
        (page.get("/", headers={"host": "evil.example"}), 421),
    ):
        assert found.status_code == status
        assert found.json().keys() == {"schema", "error"}
        assert found.json()["error"][0].isalpha() or found.json()["error"][0] == "/"
    assert page.head("/").status_code == 200


def test_requests_of_programs_are_understood(page: TestClient) -> None:
    """An `id` comes back; opponents may be a list."""
    asked = {"dice": "33456", "card": LATE, "ties": "win"}
    text = page.post("/api/hold", json={**asked, "opponents": "251; ones=3"}).json()
    listed = page.post("/api/hold", json={**asked, "opponents": [251, "ones=3"], "id": "a"})
    assert listed.status_code == 200
    assert listed.json() == {**text, "id": "a"}


def test_odd_names_are_no_stumbling_block(page: TestClient, yatzy: Strategy) -> None:
    record = human(yatzy, 4).to_json() | {"players": ["\ud800"]}
    found = page.post("/api/review", content=json.dumps({"game": record}), headers=JSON)
    assert found.status_code == 422
    assert found.json()["error"]


def test_the_worst_decisions_are_explained(page: TestClient, yatzy: Strategy) -> None:
    found = page.post("/api/review", json={"game": human(yatzy, 2).to_json(), "why": 3}).json()
    explained = [d for d in found["decisions"] if "prospect" in d["done"]]
    assert sorted(d["loss"] for d in explained) == sorted(d["loss"] for d in found["decisions"])[-3:]
    for decision in explained:
        best, done = decision["best"]["prospect"], decision["done"]["prospect"]
        lost = best["now"] + best["later"] - done["now"] - done["later"]
        assert lost == pytest.approx(decision["loss"], abs=1e-6)


def test_rule_sets_are_described_with_their_switches(page: TestClient) -> None:
    (plain,) = page.get("/api/rules", params={"rules": "yatzy-forced"}).json()
    (switched,) = page.get("/api/rules", params={"rules": "yatzy-forced+threshold-63"}).json()
    assert switched["bonus"]["threshold"] == 63 != plain["bonus"]["threshold"]
    assert switched["active"] == ["threshold-63"]
    assert "threshold-63" in {switch["id"] for switch in plain["switches"]}
    bonus_points = {entry["id"]: entry["bonus_points"] for entry in page.get("/api/rules").json()}
    assert bonus_points["yahtzee"]
    assert bonus_points["generala"]
    assert not bonus_points["yatzy"]


def test_a_long_question_holds_up_no_short_one(yatzy: Strategy) -> None:
    """While a goal is being solved for, a plain hold is answered; who finds too many waiting is told so."""
    office, going, done = RequestScheduler(None, 1), Event(), Event()
    real = office.desk.answer

    def slow(request: dict[str, object]) -> dict[str, object]:
        if "goal" in request:
            going.set()
            assert done.wait(20)
            return {}
        return real(request)

    office.desk.answer = slow  # type: ignore[method-assign]
    with ThreadPoolExecutor(12) as pool:
        goal = {"rules": "yatzy", "dice": "33456", "goal": 280}
        long = [pool.submit(office.answer, "hold", goal | {"goal": 280 + n}, lambda: False) for n in range(9)]
        assert going.wait(20)
        while office.long.room:
            time.sleep(0.01)
        found = office.answer("hold", {"rules": "yatzy", "dice": "33456"}, lambda: False)
        assert found["best"]["hold"] == [3, 3]
        with pytest.raises(BusyError, match="too many long questions"):
            office.answer("hold", goal | {"goal": 1}, lambda: False)
        done.set()
        assert [each.result(20) for each in long] == [{}] * 9
    assert office.answer("hold", goal, lambda: False) == {}  # kept
    assert office.long.room == 9


def test_who_hangs_up_leaves_the_line() -> None:
    gate = ConcurrencyLimiter(1, 1)
    with gate.passed(lambda: False):
        with pytest.raises(ClientDisconnected), gate.passed(lambda: True):
            pass
        assert gate.room == 1
    assert gate.room == 2


def test_what_is_kept_has_a_limit() -> None:
    kept: WeightedLRUCache[str] = WeightedLRUCache(10)
    for name, weight in (("a", 4), ("b", 4), ("c", 4), ("d", 11)):
        kept.put(name, name, weight)
    assert [kept.get(name) for name in "abcd"] == [None, "b", "c", None]


def test_goals_are_written_up_to_a_limit(tmp_path: Path, yatzy: Strategy) -> None:
    office = RequestScheduler(None, 1)
    office.written = MAX_WRITTEN
    with pytest.raises(RulesError, match="writes no more"):
        office.answer("expect", {"rules": "yatzy", "goal": 280, "spread": False}, lambda: False)


def test_an_aim_is_solved_for_once(yatzy: Strategy, monkeypatch: pytest.MonkeyPatch) -> None:
    solved = []
    real = QueryService.aim
    monkeypatch.setattr(QueryService, "aim", lambda *args: solved.append(1) or real(*args))
    office = RequestScheduler(None, 1)
    asked = {"rules": "yatzy", "card": LATE, "opponents": "ones=3 twos=6 threes=9 fours=12 fives=15 sixes=18"}
    office.answer("expect", {**asked, "spread": False}, lambda: False)
    for dice in ("33456", "11234"):
        office.answer("hold", {**asked, "dice": dice}, lambda: False)
    assert solved == [1]


def test_points_beside_the_boxes_need_rules_that_pay_them(page: TestClient, yatzy: Strategy) -> None:
    found = page.post("/api/expect", json={"bonus_points": 50})
    assert found.status_code == 422
    assert "50 bonus points are impossible" in found.json()["error"]


def test_serving_says_first_whether_it_can(run: Run) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        found = run("serve", "--port", str(taken.getsockname()[1]))
    assert found.returncode == 1
    assert "another program listens there" in found.stderr
    assert "Serving" not in found.stderr
    assert len(found.stderr.splitlines()) == 1


def test_hosts_of_a_server_open_to_the_network() -> None:
    guard = RequestFilter(None, frozenset({"[::1]", "box.lan"}), addresses=True)
    for host, known in {"192.168.1.5:80": 1, "[fe80::1]:80": 1, "BOX.lan": 1, "evil.example": 0}.items():
        assert guard.known(host_name(host)) == bool(known), host
    assert not RequestFilter(None, frozenset({"localhost"})).known("192.168.1.5")
    assert host_name("[FE80::1]:80") == "[fe80::1]"
    assert (in_header("::1"), in_header("Box.LAN")) == ("[::1]", "box.lan")
    assert is_loopback("127.0.0.1")
    assert is_loopback("::1")
    assert not is_loopback("0.0.0.0")
