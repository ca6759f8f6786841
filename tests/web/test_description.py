"""`/api/openapi.json` and the README describe the answers, requests and limits that there are."""

import importlib
import json
import re
import runpy
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import quote
from urllib.request import urlopen

from support.command import ROOT
from support.need import need, need_program

need("fastapi")
need("httpx2")
need("jsonschema_rs")

import jsonschema_rs
import pytest
from fastapi.testclient import TestClient
from perfect_yatzy import Strategy, TableError, load_rules, open_strategy
from perfect_yatzy.errors import CODES
from perfect_yatzy.service.answer_types import HTTP_CODES
from perfect_yatzy.service.budget import Report
from perfect_yatzy.strategy.score_strategy import INSTANT_SOLVE_SECONDS
from perfect_yatzy.web import limits
from perfect_yatzy.web.app import ADDRESSES, RequestScheduler
from perfect_yatzy.web.limits import IsDisconnected
from perfect_yatzy.web.schemas import FIELDS, kinds_in_address
from perfect_yatzy.web.static_files import listed_rules
from support.human import human
from support.seeds import ring_2, ring_3
from support.server import Server

QUICK = ("yatzy", "maxi-forced", "yahtzee-plain", "crag", "yacht")
# their answers have no other form
LONG = (
    "yahtzee",
    "yatzy-saved",
    "balut",
    "kismet",
    "cheerio",
    "yams",
)
GAMES = [
    "yatzy-forced",
    "generala",
    *(ring_2(spec) for spec in QUICK),
    *(ring_3(spec) for spec in LONG),
]


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


def check(
    described: dict[str, Any], path: str, answer: Any, status: int = 200, method: str = "post"
) -> None:
    schema = described["paths"][path][method]["responses"][str(status)]["content"][
        "application/json"
    ]["schema"]
    whole = strict(schema | {"components": described["components"]})
    problem = next(jsonschema_rs.Draft202012Validator(whole).iter_errors(answer), None)
    assert problem is None, f"{path}: {problem.message if problem else ''}"


def fields_of(schema: Any, described: dict[str, Any]) -> set[str]:
    """Names of all fields of a schema, but of those within `aim` and `approximate`."""
    if isinstance(schema, list):
        return set().union(*(fields_of(entry, described) for entry in schema))
    if not isinstance(schema, dict):
        return set()
    if "$ref" in schema:
        return fields_of(
            described["components"]["schemas"][schema["$ref"].split("/")[-1]], described
        )
    own = schema.get("properties", {})
    inner = [*(value for name, value in own.items() if name not in ("aim", "approximate"))]
    return set(own) | fields_of(
        inner + [value for name, value in schema.items() if name != "properties"], described
    )


def test_every_field_of_an_answer_is_in_the_readme_and_in_the_types_of_the_engine(
    described: dict[str, Any],
) -> None:
    readme = (ROOT / "solver" / "perfect_yatzy" / "service" / "README.md").read_text(
        encoding="utf-8"
    )
    types = (ROOT / "solver" / "npm" / "answers.d.ts").read_text(encoding="utf-8")
    for query in ("hold", "score", "expect", "outcomes"):
        answer = described["paths"][f"/api/{query}"]["post"]["responses"]["200"]["content"][
            "application/json"
        ]
        names = fields_of(answer["schema"], described)
        assert {"expected_final_score", "loss", "chance"} & names
        assert [name for name in sorted(names) if f"`{name}`" not in readme] == []
        assert [name for name in sorted(names) if not re.search(rf"\b{name}\??:", types)] == []


def test_the_types_and_the_schema_of_the_engine_are_current() -> None:
    """`python .ci/answer_types.py` makes both files from the types of the service."""
    found = runpy.run_path(str(ROOT / ".ci" / "answer_types.py"))["files"]()
    assert [path.name for path, text in found.items() if path.read_text() != text] == []


@pytest.mark.parametrize("spec", GAMES)
def test_answers_are_as_described(client: TestClient, described: dict[str, Any], spec: str) -> None:
    """Every question about the empty card, and about one that is nearly full."""
    rules, strategy = load_rules(spec), open_strategy(spec)
    record = human(strategy, 1).to_json()
    dice = "1" * (rules.dice - 1) + "2"
    late = {
        turn["category"]: turn["points"] for turn in record["turns"][:-1] if turn["player"] == 0
    }
    extra = sum(turn.get("bonus_points", 0) for turn in record["turns"][:-1] if turn["player"] == 0)
    for card in ({}, {"card": late, "bonus_points": extra}):
        for path, asked in (
            ("hold", {"dice": dice, "explain": True}),
            ("score", {"dice": dice, "explain": True, "id": 1}),
            ("points", {"dice": dice, "id": 1}),
            ("odds", {"dice": dice, "id": 1}),
            ("odds", {}),
            ("expect", {"id": "a"}),
            ("outcomes", {"hold": [1], "rolls_left": 1}),
        ):
            found = client.post(f"/api/{path}", json={"rules": spec, **card, **asked})
            # saved rolls belong to the card
            if found.status_code != 422 or found.json()["code"] != "invalid-card":
                check(described, f"/api/{path}", found.json(), found.status_code)
        for aim in ({"goal": 100}, {"opponents": "100; empty", "ties": "half"}):
            for path, asked in (
                ("hold", {"dice": dice}),
                ("score", {"dice": dice}),
                ("expect", {}),
            ):
                found = client.post(f"/api/{path}", json={"rules": spec, **card, **asked, **aim})
                check(described, f"/api/{path}", found.json(), found.status_code)
    check(
        described, "/api/review", client.post("/api/review", json={"game": record, "why": 3}).json()
    )
    check(
        described,
        "/api/puzzle",
        client.post("/api/puzzle", json={"rules": spec, "difficulty": "easy"}).json(),
    )


@pytest.mark.parametrize("problem", [None, "a bug", "a full disk"])
def test_events_of_long_work_are_as_described(
    client: TestClient,
    described: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
    problem: str | None,
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
    answer = described["paths"]["/api/solve"]["post"]["responses"]["200"]["content"][
        "text/event-stream"
    ]
    schema = strict(answer["schema"] | {"components": described["components"]})
    events = [
        dict(line.split(": ", 1) for line in event.split("\n"))
        for event in found.text.split("\n\n")
        if event
    ]
    assert [event["event"] for event in events] == ["progress", "error" if problem else "done"]
    for event in events:
        assert jsonschema_rs.Draft202012Validator(schema).is_valid(event)
        kinds = {
            kind["properties"]["event"]["const"]: kind["properties"] for kind in schema["oneOf"]
        }
        data = kinds[event["event"]]["data"]["contentSchema"] | {"components": schema["components"]}
        assert jsonschema_rs.Draft202012Validator(data).is_valid(json.loads(event["data"]))


def test_rule_sets_are_as_described(client: TestClient, described: dict[str, Any]) -> None:
    found = client.get("/api/rules").json()
    check(described, "/api/rules", found, method="get")
    assert [each["id"] for each in found] == listed_rules()
    yatzy, maxi, *_ = found
    assert (yatzy["id"], yatzy["solved"], "cost" in yatzy) == ("yatzy", True, False)
    assert (maxi["id"], maxi["solved"], maxi["cost"]["what"]) == ("maxi", False, "table")


def test_errors_are_as_described(client: TestClient, described: dict[str, Any]) -> None:
    large = {"dice": "334566", "rules": "maxi"}
    for asked, status in (({}, 422), ({"dice": "33456", "unknown": 1}, 422), (large, 409)):
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
            errors = {"403", "408", "409", "413", "421", "422", "503"}
            assert errors < operation["responses"].keys()
            for status in errors:
                answer = operation["responses"][status]["content"]["application/json"]["schema"]
                assert answer == {"$ref": "#/components/schemas/ErrorResponse"}
    assert names == {
        "hold",
        "score",
        "points",
        "expect",
        "outcomes",
        "puzzle",
        "review",
        "solve",
        *(f"{query}_by_address" for query in ADDRESSES),
        "odds",
        "rule_sets",
        "add_rules",
        "remove_rules",
        "recorded_rules",
        "scoring",
        "known_languages",
    }
    for name, schema in described["components"]["schemas"].items():
        for field, about in schema["properties"].items():
            assert "description" in about, f"{name}.{field}"
            assert "anyOf" not in about or about.get("default") is None, f"{name}.{field}"


@pytest.mark.full
def test_a_generated_client_asks_a_question(
    tmp_path: Path,
    described: dict[str, Any],
    yatzy: Strategy,
    server: Server,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With openapi-python-client, as a program would."""
    need("openapi_python_client")
    need("httpx")
    (tmp_path / "openapi.json").write_text(json.dumps(described))
    (tmp_path / "config.yml").write_text("post_hooks: []\n")
    options = "--path openapi.json --meta none --config config.yml --output-path yatzy_client --fail-on-warning"
    command = [sys.executable, "-m", "openapi_python_client", "generate", *options.split()]
    made = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False
    )
    assert made.returncode == 0, made.stdout + made.stderr
    monkeypatch.syspath_prepend(tmp_path)
    client_module = importlib.import_module("yatzy_client")
    hold = importlib.import_module("yatzy_client.api.default.hold")
    models = importlib.import_module("yatzy_client.models")
    with client_module.Client(base_url=server.address) as client:
        found = hold.sync(client=client, body=models.RollRequest(dice="33456"))
        assert found.best.hold == [3, 3]
        assert found.best.expected_final_score == yatzy.holds("", "33456")[0].value
        assert hold.sync(client=client, body=models.RollRequest(dice="3345")).code == "invalid-dice"


README = (ROOT / "solver" / "perfect_yatzy" / "web" / "README.md").read_text(encoding="utf-8")
ADDRESS = "http://127.0.0.1:8765/"


def examples(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


def run(command: list[str], text: str = "") -> str:
    return subprocess.run(
        command, input=text, capture_output=True, text=True, check=True, timeout=120
    ).stdout


def test_requests_with_curl_are_answered_as_the_readme_shows(address: str) -> None:
    """Each answer has the fields of the JSON below its request, also that of an error."""
    pairs = re.findall(
        r"```sh\ncurl (-H .*?)\n```\n\n(?:[^`]*\n\n)?```json\n(.*?)```", README, re.DOTALL
    )
    assert len(pairs) == 3
    for command, shown in pairs:
        found = json.loads(
            run([need_program("curl"), "-s", *shlex.split(command.replace(ADDRESS, address))])
        )
        assert json.loads(shown).items() <= found.items()


def test_the_examples_in_python_and_javascript_run(address: str, yatzy: Strategy) -> None:
    python, python_address = examples("py")
    printed = run([sys.executable, "-c", python.replace(ADDRESS, address)])
    card = "ones=3 sixes=24 chance=22"
    hold, *others = yatzy.holds(card, "33456", rolls_left=1)
    assert printed.split("] ")[0] == str(list(hold.dice))[:-1]
    assert float(printed.split("] ")[1]) == others[0].loss
    best = yatzy.categories("ones=3 chance=22", "22555")[0]
    printed = run([sys.executable, "-c", python_address.replace(ADDRESS, address)])
    assert printed.split() == [best.category, str(best.points)]
    for script in examples("js"):
        printed = run(
            [need_program("node"), "--input-type=module", "-"], script.replace(ADDRESS, address)
        )
        assert printed.split() == [best.category, str(best.points)]


def test_the_addresses_for_curl_and_a_spreadsheet_are_answered(
    address: str, yatzy: Strategy
) -> None:
    """The functions of the formula are those of Excel, played by Python."""
    (asked,) = re.findall(r"```sh\ncurl '(.*?)'\n```", README)
    answer = run([need_program("curl"), "-s", asked.replace(ADDRESS, address)])
    hold = yatzy.holds("ones=3 sixes=24 chance=22", "33456", rolls_left=1)[0]
    assert json.loads(answer)["best"]["hold"] == list(hold.dice)
    (formula,) = re.findall(
        r'=TEXTBEFORE\(TEXTAFTER\(WEBSERVICE\((.*)\), "(.*)"\), "(.*)"\)\n', README
    )
    parts, after, before = formula
    cells = {"A2": "33456", "ENCODEURL(B2)": quote("ones=3 sixes=24 chance=22", safe="")}
    url = "".join(cells.get(part) or part.strip('"') for part in parts.split(" & "))
    with urlopen(url.replace(ADDRESS, address)) as found:
        text = found.read().decode()
    assert len(text) < 32_767  # of a cell
    kept = text.partition(after.replace('""', '"'))[2].partition(before)[0]
    best = yatzy.holds("ones=3 sixes=24 chance=22", "33456")[0]
    assert kept == ",".join(map(str, best.dice))


def test_every_address_of_llms_txt_is_answered(client: TestClient) -> None:
    text = client.get("/llms.txt").text
    asked = re.findall(r"\]\((/[^)]*)\)", text)
    assert {path.partition("?")[0] for path in asked} == {
        *(f"/api/{query}" for query in ADDRESSES),
        "/api/rules",
        "/api/openapi.json",
    }
    for path in asked:
        assert client.get(path).status_code == 200, path
    for model, _ in ADDRESSES.values():
        assert set(kinds_in_address(model)) <= set(FIELDS)


def test_endpoints_codes_and_limits_are_those_of_the_code(described: dict[str, Any]) -> None:
    methods = {
        (method.upper(), path) for path, each in described["paths"].items() for method in each
    }
    listed = set(re.findall(r"^\| `(GET|POST|DELETE) (/api/[a-z./{}]+)`", README, re.MULTILINE))
    assert listed == methods | {("GET", "/api/openapi.json")}
    assert (
        set(re.findall(r"^\| \d{3} \| `([a-z-]+)` \|", README, re.MULTILINE)) - CODES == HTTP_CODES
    )
    text, budget = " ".join(README.split()), limits.SERVER_BUDGET
    for figure in (
        f"larger than {limits.MAX_BODY_BYTES >> 10} KiB",
        f"below {INSTANT_SOLVE_SECONDS:.0f} s",
        f"and {limits.CHEAP_QUEUED} wait",
        f"and {limits.SHORT_QUEUED} wait",
        f"and {limits.LONG_QUEUED} wait",
        f"more than {budget.unasked_seconds:.0f} s or writes",
        f"A table may take {budget.mean.seconds:.0f} s and {budget.mean.bytes / (1 << 30):.0f} GiB",
        f"a goal or a win {budget.objective.seconds:.0f} s and {budget.objective.bytes / 1e9:.0f} GB",
        f"must arrive within {limits.MAX_BODY_SECONDS:.0f} s",
        f"name {budget.opponents} opponents",
        f"at most {budget.stored_bytes / (1 << 30):.0f} GiB",
    ):
        assert figure in text
