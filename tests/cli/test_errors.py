"""What each exception becomes: the status of the server, the exit code of the command, the code
in JSON.
"""

import ast
import asyncio
import importlib.metadata
import json
import os
import signal
import subprocess
import sys
import tomllib
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import AsyncMock, Mock

import click
import perfect_yatzy
import pytest
from perfect_yatzy import RulesError, SolverError, Strategy, load_rules
from perfect_yatzy import __main__ as entry
from perfect_yatzy._files import replacing
from perfect_yatzy.errors import CODES, install_command
from perfect_yatzy.service.queries import QueryService
from support.command import ROOT, Run
from support.server import app_client

# class -> HTTP status, exit code, code in JSON
TABLE = {
    "SolverError": (500, 1, "error"),
    "RulesError": (422, 2, "invalid-rules"),
    "RuleFileError": (422, 2, "invalid-rules"),
    "StateError": (422, 2, "invalid-value"),
    "ForeignFolder": (422, 2, "invalid-value"),
    "TableError": (500, 1, "table-error"),
    "StorageError": (500, 1, "table-error"),
    "MissingTable": (500, 1, "table-error"),
    "MissingPackage": (500, 1, "missing-package"),
    "ClusterError": (500, 1, "cluster-failed"),
    "ProcessError": (500, 1, "process-failed"),
    "Cancelled": (500, 1, "cancelled"),
    "ConfirmationRequired": (409, 1, "confirmation-required"),
    "NotThisMachine": (403, 1, "not-this-machine"),
    "QueueFullError": (503, 1, "busy"),
    "ClientDisconnected": (503, 1, "client-disconnected"),
}
CAUGHT_WHERE_RAISED = {"BodyTooLarge", "DamagedCache", "ExitRefused", "Quit"}
# other exceptions of the command -> exit code, standard error
OTHERS: list[tuple[BaseException, int, str]] = [
    (click.UsageError("wrong."), 2, "yatzy: wrong (see yatzy hold --help)\n"),
    (click.BadParameter("wrong"), 2, "yatzy: Invalid value: wrong (see yatzy hold --help)\n"),
    (click.ClickException("failed"), 1, "yatzy: failed\n"),
    (click.Abort(), 130, "yatzy: interrupted\n"),
    (KeyboardInterrupt(), 130, "\nyatzy: interrupted\n"),
    (EOFError(), 130, "\nyatzy: interrupted\n"),
    (BrokenPipeError(), 1, ""),
    (BrokenPipeError(32, "Broken pipe"), 1, ""),
    (
        OSError(28, "No space left on device"),
        1,
        "yatzy: cannot write the answer: No space left on device\n",
    ),
    (MemoryError(), 1, "yatzy: out of memory: this rule set needs more than this machine has\n"),
]
BROKEN = (b"", b"{", b"[]", b'"x"', b"null", b"\xff\xfe", b'{"dice": ' + b"[" * 5_000)  # bodies
ARGUMENTS: dict[str, Callable[[], tuple[Any, ...]]] = {
    "MissingPackage": lambda: ("a feature", "package"),
    "RuleFileError": lambda: ([],),
    "ConfirmationRequired": lambda: (
        [import_module("perfect_yatzy.service.budget").Work("table", 9.0, 1, 1, 9.0)],
    ),
}


@cache
def classes() -> dict[str, tuple[str, set[str]]]:
    """Module and bases of every class of the package, from its source."""
    package = Path(perfect_yatzy.__file__).parent
    found = {}
    for path in package.rglob("*.py"):
        module = ".".join(("perfect_yatzy", *path.relative_to(package).with_suffix("").parts))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                found[node.name] = (
                    module,
                    {base.id for base in node.bases if isinstance(base, ast.Name)},
                )
    return found


def raised(name: str) -> SolverError:
    error: SolverError = getattr(import_module(classes()[name][0]), name)(
        *ARGUMENTS.get(name, lambda: ("wrong",))()
    )
    return error


def test_every_exception_of_the_package_is_in_the_table() -> None:
    known, before = {"Exception"}, set[str]()
    while known != before:
        before = set(known)
        known |= {name for name, (_, bases) in classes().items() if bases & known}
    assert known - {"Exception"} == {*TABLE} | CAUGHT_WHERE_RAISED


@pytest.mark.parametrize("name", TABLE)
def test_the_command_ends_with_a_line_and_the_exit_code(
    name: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, exit_code, code = TABLE[name]
    monkeypatch.setattr(QueryService, "parse", Mock(side_effect=raised(name)))
    found = run("hold", "33456")
    assert (found.returncode, found.stdout, found.stderr) == (
        exit_code,
        "",
        f"yatzy: {raised(name)}\n",
    )
    stream = run("hold", "--jsonl", stdin='{"dice": "33456", "id": 7}\n')
    answer = json.loads(stream.stdout)
    assert (stream.returncode, stream.stderr) == (0, "")
    assert (answer["error"], answer["code"], answer["id"]) == (str(raised(name)), code, 7)


@pytest.mark.parametrize(
    ("error", "exit_code", "said"), OTHERS, ids=lambda value: type(value).__name__
)
def test_other_exceptions_of_the_command(
    error: BaseException, exit_code: int, said: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(QueryService, "parse", Mock(side_effect=error))
    discarded: list[bool] = []
    monkeypatch.setattr("perfect_yatzy.cli.console.discard_stdout", lambda: discarded.append(True))
    found = run("hold", "33456")
    assert (found.returncode, found.stdout, found.stderr) == (exit_code, "", said)
    # click itself handles number 32
    assert bool(discarded) == (isinstance(error, OSError) and error.errno != 32)


def test_success_and_wrong_usage(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    for words, exit_code in (
        (["--version"], 0),
        (["--version", "--verbose"], 0),
        (["--verbose", "hold", "33456"], 2),
        (["--help"], 0),
        ([], 0),
        (["rules"], 0),
        (["rules", "show", "nonsense"], 2),
        (["rules", "check", "nowhere.toml"], 2),
        (["review", "nowhere.jsonl"], 2),
    ):
        assert run(*words).returncode == exit_code, words
    with monkeypatch.context() as patch:
        patch.setattr("perfect_yatzy.cli.main", Mock(side_effect=KeyboardInterrupt))
        assert run("hold").returncode == 130
    parse = QueryService.parse
    monkeypatch.setattr(
        QueryService, "parse", lambda *args: parse(*args) if args[1].get("id") == 2 else 1 // 0
    )
    bug = run("hold", "33456")
    assert (bug.returncode, "ZeroDivisionError" in bug.stderr) == (1, True)
    stream = run("hold", "--jsonl", stdin='{"id": 1}\n{"id": 2}\n')
    assert (stream.returncode, "Traceback" in stream.stderr) == (0, True)
    first, second = map(json.loads, stream.stdout.splitlines())
    said = "this is a bug: ZeroDivisionError: integer division or modulo by zero"
    assert first == {"schema": 2, "error": said, "code": "internal-error", "id": 1}
    assert (second["id"], second["code"]) == (2, "missing-field")


@pytest.fixture(scope="module")
def client() -> Any:
    return app_client(raise_server_exceptions=False)


@pytest.mark.parametrize("name", TABLE)
def test_the_server_answers_with_the_status(
    name: str, client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    status, _, code = TABLE[name]
    fail = Mock(side_effect=raised(name))
    monkeypatch.setattr("perfect_yatzy.web.app.parse_request", fail)
    for path in ("/api/hold", "/api/solve"):
        found = client.post(
            path, json={"dice": "33456"} | ({"query": "hold"} if "solve" in path else {})
        )
        assert found.status_code == status
        assert (
            found.json().items() >= {"code": code, "error": str(raised(name)), "schema": 2}.items()
        )
    monkeypatch.setattr("perfect_yatzy.web.app.RequestScheduler.confirmed", lambda *args: fail)
    stream = client.post("/api/solve", json={"query": "hold", "dice": "33456"})
    event, data = stream.text.strip().split("\n")
    assert (stream.status_code, event) == (200, "event: error")
    assert json.loads(data.removeprefix("data: "))["code"] == code


def test_other_answers_of_the_server(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from perfect_yatzy.web.app import ERRORS

    assert {*ERRORS} == {403, 408, 409, 413, 421, 422, 503}
    hold, json_type = {"json": {"dice": "33456"}}, {"headers": {"content-type": "application/json"}}
    for method, path, given, status, code, field in (
        ("GET", "/nothing", {}, 404, "not-found", ""),
        ("GET", "/api/nothing", {}, 404, "not-found", ""),
        ("GET", "/api/review", {}, 405, "method-not-allowed", ""),
        ("GET", "/api/hold", {}, 422, "missing-field", "dice"),
        ("POST", "/api/hold", {"json": {}}, 422, "missing-field", "dice"),
        *(
            ("POST", "/api/hold", {"content": each} | json_type, 422, "invalid-request", "")
            for each in BROKEN
        ),
        ("POST", "/api/hold", {"content": b"[" * 10_001}, 422, "invalid-request", ""),
        ("POST", "/api/hold", {"content": b" " * 65_537}, 413, "body-too-large", ""),
        (
            "POST",
            "/api/hold",
            hold | {"headers": {"host": "evil.example"}},
            421,
            "unknown-host",
            "",
        ),
        ("GET", "/", {"headers": {"host": "evil.example"}}, 421, "unknown-host", ""),
        (
            "POST",
            "/api/hold",
            hold | {"headers": {"sec-fetch-site": "cross-site"}},
            403,
            "cross-site",
            "",
        ),
    ):
        found = client.request(method, path, **given)
        error = found.json()
        assert (found.status_code, error["code"], error.get("field", "")) == (
            status,
            code,
            field,
        ), path
        assert error.keys() == {"schema", "error", "code", *(["field"] if field else [])}
        assert error["error"][0].isalpha() or error["error"][0] in "/'\""
    assert client.head("/", headers={"host": "localhost:8765"}).status_code == 200
    monkeypatch.setattr("perfect_yatzy.web.app.parse_request", lambda *args: 1 // 0)
    assert client.post("/api/hold", **hold).status_code == 500
    monkeypatch.setattr("perfect_yatzy.web.middleware.MAX_BODY_SECONDS", 0.0)
    scope = {
        "type": "http",
        "method": "POST",
        "path": "/api/hold",
        "headers": [(b"host", b"localhost")],
    }
    send = AsyncMock()
    asyncio.run(client.app(scope, asyncio.Event().wait, send))
    head, body = (call.args[0] for call in send.call_args_list)
    assert head["status"] == 408
    assert (b"connection", b"close") in head["headers"]
    assert json.loads(body["body"])["code"] == "request-timeout"


def test_a_terminated_command_leaves_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def terminated(**options: object) -> None:
        with replacing(tmp_path / "table.json") as file:
            file.write(b"{")
            assert [path.name[:12] for path in tmp_path.iterdir()] == [".table.json."]
            signal.raise_signal(signal.SIGTERM)

    monkeypatch.setattr("perfect_yatzy.cli.main", terminated)
    with pytest.raises(SystemExit) as ended:
        entry.run()
    assert ended.value.code == 143
    assert [*tmp_path.iterdir()] == []


def test_a_pipe_in_the_place_of_a_file_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "rules.toml")
    with pytest.raises(RulesError, match="it is not a regular file"):
        load_rules(tmp_path / "rules.toml")


@pytest.mark.parametrize(
    ("card", "dice", "code"),
    [
        ("", 33456, "invalid-dice"),
        ("", [3, 3, 4, 5, "6"], "invalid-dice"),
        ("", "33459", "invalid-dice"),
        ("", "3345x", "invalid-dice"),
        ({"ones": 3.0}, "33456", "invalid-card"),
        ({"ones": "many"}, "33456", "invalid-card"),
        ({"ones": 7}, "33456", "invalid-card"),
        (7, "33456", "invalid-card"),
    ],
)
def test_wrong_dice_and_cards_have_one_code_in_every_entrance(
    yatzy: Strategy, run: Run, card: Any, dice: Any, code: str
) -> None:
    asked = {"card": card, "dice": dice}
    (line,) = run("hold", "--jsonl", stdin=f"{json.dumps(asked)}\n").stdout.splitlines()
    assert json.loads(line)["code"] == code
    with pytest.raises(SolverError) as refused:
        yatzy.holds(card, dice)
    assert refused.value.code == code
    assert refused.value.code in CODES


@pytest.mark.parametrize(
    ("written", "command"),
    [
        (None, "pip install 'perfect-yatzy[web]'"),
        ("{", "pip install 'perfect-yatzy[web]'"),
        ("[]", "pip install 'perfect-yatzy[web]'"),
        ('{"url": "https://host/yatzy", "vcs_info": {}}', "pip install 'perfect-yatzy[web]'"),
        ('{"url": "FOLDER", "dir_info": {}}', "pip install 'PATH[web]'"),
        ('{"url": "FOLDER", "dir_info": {"editable": true}}', "pip install -e 'PATH[web]'"),
        ('{"url": "FOLDER/gone", "dir_info": {}}', "pip install 'perfect-yatzy[web]'"),
    ],
)
def test_an_extra_is_installed_from_where_the_package_came(
    written: str | None, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The name in an index is right only for what was installed from there."""
    checkout = tmp_path / "my yatzy"
    checkout.mkdir()
    (checkout / "pyproject.toml").touch()
    text = written and written.replace("FOLDER", checkout.as_uri())
    installed = SimpleNamespace(read_text=lambda name: text)
    monkeypatch.setattr(importlib.metadata, "distribution", lambda name: installed)
    assert install_command("web") == command.replace("PATH", str(checkout))


def test_an_older_python_is_refused_in_one_line() -> None:
    """The source can be run by one; `pip` refuses it by itself."""
    program = (
        "import sys; sys.version_info = (3, 10, 13); from perfect_yatzy.__main__ import run; run()"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert (ran.returncode, ran.stdout) == (1, "")
    assert ran.stderr == "yatzy: Python 3.11 or newer is needed; this is Python 3.10\n"
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["requires-python"] == ">=3.11"
