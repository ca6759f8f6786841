"""`/api/openapi.json` describes the answers that are given, in words that generators of clients understand."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from support.need import need

need("fastapi")
need("httpx2")
need("jsonschema_rs")

import jsonschema_rs
from fastapi.testclient import TestClient
from perfect_yatzy import Strategy, TableError, load_rules, open_strategy
from perfect_yatzy.errors import CODES
from perfect_yatzy.service.work import Report
from perfect_yatzy.web.answers import HTTP_CODES
from perfect_yatzy.web.limits import IsDisconnected
from perfect_yatzy.web.rule_sets import listed_rules
from perfect_yatzy.web.workers import RequestScheduler
from support.human import human
from support.server import Server

# Tables of these are solved at once; those of QUICK take seconds; those of the others take longer, and their answers have no other form.
FEW_STATES = ("yatzy-forced", "generala")
QUICK = ("yatzy", "maxi-forced", "yahtzee-plain", "crag", "yacht")
DIFFERENT = ("yahtzee", "yatzy-saved", "balut", "kismet", "cheerio", "yams")


@pytest.fixture(scope="module")
def described(client: TestClient) -> dict[str, Any]:
    found: dict[str, Any] = client.get("/api/openapi.json").json()
    return found


def strict(schema: Any) -> Any:
    """A schema that allows no fields but those it names."""
    if isinstance(schema, list):
        return [strict(entry) for entry in schema]
    if not isinstance(schema, dict):
        return schema
    inner = {name: strict(value) for name, value in schema.items()}
    if inner.get("type") == "object" and isinstance(inner.get("properties"), dict):
        inner["additionalProperties"] = False
    return inner


def check(described: dict[str, Any], path: str, answer: Any, status: int = 200, method: str = "post") -> None:
    schema = described["paths"][path][method]["responses"][str(status)]["content"]["application/json"]["schema"]
    whole = strict(schema | {"components": described["components"]})
    problem = next(jsonschema_rs.Draft202012Validator(whole).iter_errors(answer), None)
    assert problem is None, f"{path}: {problem.message if problem else ''}"


def check_answers(client: TestClient, described: dict[str, Any], spec: str) -> None:
    """Every question about the empty card, and about one that is nearly full."""
    rules, strategy = load_rules(spec), open_strategy(spec)
    record = human(strategy, 1).to_json()
    dice = "1" * (rules.dice - 1) + "2"
    late = {turn["category"]: turn["points"] for turn in record["turns"][:-1] if turn["player"] == 0}
    extra = sum(turn.get("bonus_points", 0) for turn in record["turns"][:-1] if turn["player"] == 0)
    for card in ({}, {"card": late, "bonus_points": extra}):
        for path, asked in (
            ("hold", {"dice": dice, "explain": True}),
            ("score", {"dice": dice, "explain": True, "id": 1}),
            ("points", {"dice": dice, "id": 1}),
            ("expect", {"id": "a"}),
            ("outcomes", {"hold": [1], "rolls_left": 1}),
        ):
            found = client.post(f"/api/{path}", json={"rules": spec, **card, **asked})
            if found.status_code != 422 or found.json()["code"] != "invalid-card":  # saved rolls belong to the card
                check(described, f"/api/{path}", found.json(), found.status_code)
        for aim in ({"goal": 100}, {"opponents": "100; empty", "ties": "half"}):
            for path, asked in (("hold", {"dice": dice}), ("score", {"dice": dice}), ("expect", {})):
                found = client.post(f"/api/{path}", json={"rules": spec, **card, **asked, **aim})
                check(described, f"/api/{path}", found.json(), found.status_code)
    check(described, "/api/review", client.post("/api/review", json={"game": record, "why": 3}).json())
    check(described, "/api/puzzle", client.post("/api/puzzle", json={"rules": spec, "difficulty": "easy"}).json())


@pytest.mark.parametrize("spec", [*FEW_STATES, *(pytest.param(spec, marks=pytest.mark.full) for spec in QUICK)])
def test_answers_are_as_described(client: TestClient, described: dict[str, Any], spec: str) -> None:
    check_answers(client, described, spec)


@pytest.mark.slow
@pytest.mark.parametrize("spec", DIFFERENT)
def test_answers_for_other_rule_sets_are_as_described(
    client: TestClient, described: dict[str, Any], spec: str
) -> None:
    check_answers(client, described, spec)


@pytest.mark.parametrize("problem", [None, "a bug", "a full disk"])
def test_events_of_long_work_are_as_described(
    client: TestClient, described: dict[str, Any], monkeypatch: pytest.MonkeyPatch, problem: str | None
) -> None:
    """Progress, the end, and errors of both kinds, whether or not there is something to solve."""

    def solve(report: Report, is_disconnected: IsDisconnected) -> None:
        report(0.25, 12.0)
        if problem == "a bug":
            raise ZeroDivisionError
        if problem:
            raise TableError(problem)

    monkeypatch.setattr(RequestScheduler, "confirmed", lambda self, fields: solve)
    found = client.post("/api/solve", json={"query": "expect"})
    answer = described["paths"]["/api/solve"]["post"]["responses"]["200"]["content"]["text/event-stream"]
    schema = strict(answer["schema"] | {"components": described["components"]})
    events = [dict(line.split(": ", 1) for line in event.split("\n")) for event in found.text.split("\n\n") if event]
    assert [event["event"] for event in events] == ["progress", "error" if problem else "done"]
    for event in events:
        assert jsonschema_rs.Draft202012Validator(schema).is_valid(event)
        of_this_name = next(
            e["properties"] for e in schema["oneOf"] if e["properties"]["event"]["const"] == event["event"]
        )
        data = of_this_name["data"]["contentSchema"] | {"components": schema["components"]}
        assert jsonschema_rs.Draft202012Validator(data).is_valid(json.loads(event["data"]))


def test_rule_sets_are_as_described(client: TestClient, described: dict[str, Any]) -> None:
    found = client.get("/api/rules").json()
    check(described, "/api/rules", found, method="get")
    assert [each["id"] for each in found] == listed_rules()
    assert [each["id"] for each in found][:2] == ["yatzy", "maxi"]
    maxi = found[1]
    assert not maxi["solved"]
    assert maxi["cost"]["what"] == "table"
    assert found[0]["solved"]
    assert "cost" not in found[0]


def test_errors_are_as_described(client: TestClient, described: dict[str, Any]) -> None:
    for asked, status in (
        ({}, 422),
        ({"dice": "33456", "unknown": 1}, 422),
        ({"dice": "334566", "rules": "maxi"}, 409),
    ):
        found = client.post("/api/hold", json=asked)
        assert found.status_code == status
        check(described, "/api/hold", found.json(), status)
    error = described["components"]["schemas"]["ErrorResponse"]["properties"]["code"]
    assert set(error["enum"]) == CODES | HTTP_CODES


def test_every_operation_and_field_is_described(described: dict[str, Any]) -> None:
    """No field of several types has a default."""
    names = set()
    for path in described["paths"].values():
        for operation in path.values():
            names.add(operation["operationId"])
            assert operation["description"]
            errors = {"403", "408", "409", "413", "421", "422", "429", "503"}
            assert errors < operation["responses"].keys()
            for status in errors:
                answer = operation["responses"][status]["content"]["application/json"]["schema"]
                assert answer == {"$ref": "#/components/schemas/ErrorResponse"}
    assert names == {
        "hold", "score", "points", "expect", "outcomes", "puzzle", "review", "solve", "rule_sets", "scoring", "known_languages",
    }  # fmt: skip
    for name, schema in described["components"]["schemas"].items():
        for field, about in schema["properties"].items():
            assert "description" in about, f"{name}.{field}"
            assert "anyOf" not in about or about.get("default") is None, f"{name}.{field}"


@pytest.mark.full
def test_a_generated_client_asks_a_question(
    tmp_path: Path, described: dict[str, Any], yatzy: Strategy, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With openapi-python-client, as a program would."""
    need("openapi_python_client")
    need("httpx")
    (tmp_path / "openapi.json").write_text(json.dumps(described))
    (tmp_path / "config.yml").write_text("post_hooks: []\n")
    made = subprocess.run(
        [
            sys.executable, "-m", "openapi_python_client", "generate", "--path", "openapi.json", "--meta", "none",
            "--config", "config.yml", "--output-path", "yatzy_client", "--fail-on-warning",
        ],
        cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert made.returncode == 0, made.stdout + made.stderr
    monkeypatch.syspath_prepend(tmp_path)
    client_module = importlib.import_module("yatzy_client")
    hold = importlib.import_module("yatzy_client.api.default.hold")
    models = importlib.import_module("yatzy_client.models")
    with client_module.Client(base_url=server.address) as client:
        found = hold.sync(client=client, body=models.RollRequest(dice="33456"))
        assert found.best.hold == [3, 3]
        assert found.best.expected_final_score == yatzy.holds("", "33456")[0].value
        refused = hold.sync(client=client, body=models.RollRequest(dice="3345"))
        assert refused.code == "invalid-dice"
