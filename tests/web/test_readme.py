"""The README of the server: its requests give the answers it shows, its figures are the limits of the code."""

from __future__ import annotations

import json
import re

import pytest
from support.command import ROOT
from support.need import need

need("fastapi")
need("httpx2")

from fastapi.testclient import TestClient
from perfect_yatzy.errors import CODES
from perfect_yatzy.strategy.score_strategy import INSTANT_SOLVE_SECONDS
from perfect_yatzy.strategy.strategy import Strategy
from perfect_yatzy.web import limits
from perfect_yatzy.web.answers import HTTP_CODES
from perfect_yatzy.web.app import create_app

README = (ROOT / "solver" / "perfect_yatzy" / "web" / "README.md").read_text(encoding="utf-8")
REQUEST = re.compile(
    r"-d '([^'\n]*)' http://127\.0\.0\.1:8765(/api/\w+)\n```\n(?:(?!```).)*```json\n(.*?)```", re.DOTALL
)


@pytest.fixture(scope="module")
def client(yatzy: Strategy) -> TestClient:
    return TestClient(create_app(), base_url="http://127.0.0.1")


@pytest.mark.full
@pytest.mark.parametrize(("body", "path", "shown"), REQUEST.findall(README))
def test_requests_have_the_answers_shown(client: TestClient, body: str, path: str, shown: str) -> None:
    answer = client.post(path, content=body, headers={"content-type": "application/json"}).json()
    for name, value in json.loads(shown).items():
        assert answer[name] == (pytest.approx(value, abs=1e-9) if isinstance(value, float) else value), name


def test_every_endpoint_is_listed(client: TestClient) -> None:
    paths = client.get("/api/openapi.json").json()["paths"]
    described = {(method.upper(), path) for path, methods in paths.items() for method in methods}
    listed = set(re.findall(r"^\| `(GET|POST) (/api/[a-z.]+)`", README, re.MULTILINE))
    assert listed == described | {("GET", "/api/openapi.json")}


def test_limits_are_those_of_the_code() -> None:
    text = " ".join(README.split())
    for figure in (
        f"larger than {limits.MAX_BODY_BYTES >> 10} KiB",
        f"more than {limits.REQUESTS_PER_SECOND:.0f} requests a second",
        f"burst of {limits.BURST_REQUESTS:.0f}",
        f"below {INSTANT_SOLVE_SECONDS:.1f} s",
        f"and {limits.SHORT_QUEUED} wait",
        f"and {limits.LONG_QUEUED} wait",
        f"more than {limits.MAX_UNCONFIRMED_SECONDS:.0f} s or writes",
        f"A table may take {limits.MAX_TABLE_SECONDS:.0f} s and {limits.MAX_TABLE_BYTES >> 30} GiB",
        f"a goal or a win {limits.MAX_OBJECTIVE_SECONDS:.0f} s and {limits.MAX_OBJECTIVE_BYTES / 1e9:.0f} GB",
        f"must arrive within {limits.MAX_HEADER_SECONDS:.0f} s",
        f"name {limits.MAX_OPPONENTS} opponents",
        f"at most {limits.MAX_CLIENT_CONNECTIONS} connections",
        f"at most {limits.MAX_CONNECTIONS:,} connections",
        f"after {limits.MAX_UNREAD_SECONDS:.0f} s in which nobody reads",
        f"at most {limits.MAX_BYTES_WRITTEN >> 30} GiB",
    ):
        assert figure in text


def test_codes_of_the_server_are_its_own_or_those_of_the_package() -> None:
    listed = set(re.findall(r"^\| \d{3} \| `([a-z-]+)` \|", README, re.MULTILINE))
    assert listed - CODES == HTTP_CODES
