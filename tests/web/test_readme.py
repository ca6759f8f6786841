"""The README of the server: its requests, in curl, Python and JavaScript, its endpoints, and its figures."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys

from support.command import ROOT
from support.need import need, need_program

need("fastapi")
need("httpx2")

from fastapi.testclient import TestClient
from perfect_yatzy.errors import CODES
from perfect_yatzy.strategy.score_strategy import INSTANT_SOLVE_SECONDS
from perfect_yatzy.strategy.strategy import Strategy
from perfect_yatzy.web import limits
from perfect_yatzy.web.answers import HTTP_CODES

README = (ROOT / "solver" / "perfect_yatzy" / "web" / "README.md").read_text(encoding="utf-8")
ADDRESS = "http://127.0.0.1:8765/"


def examples(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


def run(command: list[str], text: str = "") -> str:
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True, timeout=120).stdout


def test_requests_with_curl_are_answered_as_the_readme_shows(address: str) -> None:
    """Each answer has the fields of the JSON below its request, also that of an error."""
    pairs = re.findall(r"```sh\ncurl (-H .*?)\n```\n\n(?:[^`]*\n\n)?```json\n(.*?)```", README, re.DOTALL)
    assert len(pairs) == 3
    for command, shown in pairs:
        found = json.loads(run([need_program("curl"), "-s", *shlex.split(command.replace(ADDRESS, address))]))
        assert json.loads(shown).items() <= found.items()


def test_the_examples_in_python_and_javascript_run(address: str, yatzy: Strategy) -> None:
    (python,) = examples("py")
    printed = run([sys.executable, "-c", python.replace(ADDRESS, address)])
    card = "ones=3 sixes=24 chance=22"
    hold, *others = yatzy.holds(card, "33456", rolls_left=1)
    assert printed.split("] ")[0] == str(list(hold.dice))[:-1]
    assert float(printed.split("] ")[1]) == others[0].loss
    (script,) = examples("js")
    printed = run([need_program("node"), "--input-type=module", "-"], script.replace(ADDRESS, address))
    best = yatzy.categories("ones=3 chance=22", "22555")[0]
    assert printed.split() == [best.category, str(best.points)]


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
