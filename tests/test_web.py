"""The page's server: the answers of the command, and a polite no to everything else."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("fastapi", reason="the extra web is not installed")
pytest.importorskip("httpx2", reason="httpx2 is not installed")

from fastapi.testclient import TestClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_review import human

from solver.advice import Strategy
from solver.queries import Desk
from solver.web.app import create_app
from solver.web.guard import BURST, MAX_BODY, Guard, host_name

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
    assert found.json() == json.loads(json.dumps(Desk().answer({"query": query, **asked})))


@pytest.mark.parametrize(
    ("path", "asked", "status", "message"),
    [
        ("hold", {"dice": "3345"}, 422, "'3345' is 4 dice; yatzy has 5"),
        ("hold", {"dice": "33456", "card": {"ones": 99}}, 422, "ones cannot hold 99"),
        ("hold", {"dice": "33456", "rules": "/etc/passwd.toml"}, 422, "unknown rules"),
        ("hold", {"dice": "33456", "rules": "yatzy+nothing"}, 422, "has no switch"),
        ("hold", {"dice": "33456", "rules": "maxi"}, 422, "maxi takes about"),
        ("hold", {"dice": "33456", "goal": 1, "opponents": "3"}, 422, "two aims"),
        ("hold", {"dice": "33456", "unknown": 1}, 422, "Extra inputs are not permitted"),
        ("hold", {}, 422, "Field required"),
        ("expect", {"card": "x" * 20}, 422, "is not of the form"),
        ("outcomes", {"hold": [3, 3, 3, 3, 3, 3], "rolls_left": 1}, 422, "cannot be held"),
        ("outcomes", {"hold": [3], "rolls_left": 3}, 422, "it is at most 2"),
        ("review", {"game": {"schema": 1}}, 422, "unknown rules"),
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
            assert found["expected_final"] == pytest.approx(3 + hold.value, abs=1e-9)
            assert sum(entry["chance"] for entry in found["outcomes"]) == pytest.approx(1)
            best = found["outcomes"][0]
            dice = (*hold.dice, *best["rolled"])
            value = (
                yatzy.holds("ones=3", dice, left - 1)[0].value
                if left > 1
                else yatzy.categories("ones=3", dice)[0].value
            )
            assert best["expected_final"] == pytest.approx(3 + value, abs=1e-9)


def test_a_game_is_reviewed(page: TestClient, yatzy: Strategy) -> None:
    record = human(yatzy, 4).to_json()
    found = page.post("/api/review", json={"game": record}).json()
    assert found["result"] == pytest.approx(found["start"] + found["luck"] - found["lost"], abs=1e-9)
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
    guard = Guard(None, frozenset())
    assert all(guard.allowed("a") for _ in range(int(BURST)))
    assert not all(guard.allowed("a") for _ in range(int(BURST)))
    assert guard.allowed("b")


def test_the_page_keeps_to_itself(page: TestClient) -> None:
    for path in ("/", "/app.js", "/style.css"):
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
    "extra",
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
        f"/api/{n}" for n in ("rules", "hold", "score", "expect", "outcomes", "review")
    }
    for path in described["paths"].values():
        for operation in path.values():
            assert operation["description"]
