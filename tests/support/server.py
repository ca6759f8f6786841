"""The server as a process, requests to it by HTTP, and bodies of the largest allowed size in every field."""

from __future__ import annotations

import http.client
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace

from perfect_yatzy.kernels import lattice
from perfect_yatzy.web.limits import MAX_BODY_BYTES

HOLD = b'{"dice": "33456"}'
VALID = {
    "hold": '"dice": "33456"',
    "score": '"dice": "33456"',
    "expect": '"spread": false',
    "outcomes": '"hold": [3], "rolls_left": 1',
}
TEXTS = (" ", "=", ":", ",", "x", "ones=3 ", "1;", "3 ", "+a", "9", "\\u00e5")
LISTS = ("1,", "{},", "[],", '"",', '"a",', "[1,1,1,1,1],")


@dataclass(frozen=True)
class Server:
    """A running server."""

    port: int
    process: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> str:
        """The address, without a slash at the end."""
        return f"http://127.0.0.1:{self.port}"

    def post(self, path: str, body: bytes, timeout: float = 30.0) -> tuple[int, bytes, float]:
        """Status, body and seconds of an answer, with a connection of its own."""
        started = time.perf_counter()
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            connection.request("POST", path, body, {"content-type": "application/json"})
            answer = connection.getresponse()
            return answer.status, answer.read(), time.perf_counter() - started
        finally:
            connection.close()


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@contextmanager
def running_server(
    tables: str | os.PathLike[str],
    limits: Mapping[str, float] | None = None,
    *options: str,
    descriptors: int = 0,
) -> Iterator[Server]:
    """`yatzy serve` on a free port, with other limits than those of perfect_yatzy.web.limits; it has answered a hold.

    `descriptors` is how many files and connections the system allows it.
    """
    server = Server(free_port())
    change = "".join(f"limits.{name} = {value}\n" for name, value in (limits or {}).items())
    if descriptors:
        change += f"import resource\nresource.setrlimit(resource.RLIMIT_NOFILE, ({descriptors}, {descriptors}))\n"
    if not lattice.UNROLLED:  # in ring 1: the kernels that are compiled already
        change += "from perfect_yatzy.kernels import lattice\nlattice.UNROLLED = {}\n"
    program = f"from perfect_yatzy.web import limits\n{change}from perfect_yatzy.__main__ import run\nrun()\n"
    command = [sys.executable, "-c", program, "serve", "--port", str(server.port), "--tables", str(tables), *options]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        try:
            for _ in range(600):
                assert process.poll() is None, process.stderr and process.stderr.read()
                try:
                    status, body, _ = server.post("/api/hold", HOLD)
                    assert status == 200, body
                    break
                except ConnectionError:
                    time.sleep(0.1)
            yield replace(server, process=process)
        finally:
            process.terminate()


def filled(start: str, unit: str, end: str) -> bytes:
    """A body of the largest allowed size, of one unit again and again between a start and an end."""
    count = (MAX_BODY_BYTES - len(start) - len(end) - 1) // len(unit)
    return (start + unit * count + end).encode()


def largest_bodies() -> Iterator[tuple[str, str, bytes]]:
    """Path, a name, and a body with one field as long as allowed, for every field and several contents."""
    fields = (
        "rules",
        "card",
        "saved",
        "bonus_points",
        "id",
        "goal",
        "opponents",
        "ties",
        "dice",
        "rolls_left",
        "hold",
    )
    members = ",".join(f'"a{n:05d}": 1' for n in range(MAX_BODY_BYTES // 13))
    for query, rest in VALID.items():
        path = f"/api/{query}"
        for field in (*fields, "spread", "unknown"):
            others = ",".join(part for part in rest.split(", ") if field not in part)
            start = "{" + (f"{others}," if others else "") + f'"{field}": '
            for unit in TEXTS:
                yield path, f"{field} of {unit!r}", filled(start + '"', unit, '"}')
            for unit in LISTS:
                yield path, f"{field}, a list of {unit!r}", filled(start + "[", unit, "1]}")
            yield (
                path,
                f"{field}, an object",
                (start + "{" + members[: MAX_BODY_BYTES - 200].rpartition(",")[0] + "}}").encode(),
            )
        yield (
            path,
            "many fields",
            ("{" + rest + "," + members[: MAX_BODY_BYTES - 200].rpartition(",")[0] + "}").encode(),
        )
    yield from largest_reviews()


def largest_reviews() -> Iterator[tuple[str, str, bytes]]:
    """The same for the game of a review."""
    path, head = "/api/review", '{"game": {"schema": 2, "rules": "yatzy", "players": ["a"], "turns": ['
    turn = '{"player": 0, "rolls": [[1,1,1,1,1]], "holds": [], "category": "ones", "points": 5}'
    yield (
        path,
        "players",
        filled('{"game": {"schema": 2, "rules": "yatzy", "players": [', '"a",', '"a"], "turns": []}}'),
    )
    yield path, "name", filled('{"game": {"schema": 2, "rules": "yatzy", "turns": [], "players": ["', "a ", '"]}}')
    yield path, "turns", filled(head, f"{turn},", f"{turn}]}}}}")
    yield path, "empty turns", filled(head, "{},", "{}]}}")
    yield (
        path,
        "category",
        filled(head + '{"player": 0, "rolls": [[1,1,1,1,1]], "holds": [], "points": 5, "category": "', "a ", '"}]}}'),
    )
    yield (
        path,
        "rolls",
        filled(
            head + '{"player": 0, "category": "ones", "holds": [], "points": 5, "rolls": [', "[1,1,1,1,1],", "[]]}]}}"
        ),
    )
    yield (
        path,
        "one roll",
        filled(head + '{"player": 0, "category": "ones", "holds": [], "points": 5, "rolls": [[', "1,", "1]]}]}}"),
    )
    yield path, "rules", filled('{"game": {"schema": 2, "rules": "yatzy', "+a", '"}}')
    for name, unit in (("nested lists", "["), ("nested objects", '{"a":'), ("digits", "9"), ("blanks", " ")):
        yield path, name, filled('{"game": ', unit, "")


def is_error(body: bytes) -> bool:
    """Whether an answer is an error in the format of the API."""
    found = json.loads(body)
    return isinstance(found, dict) and {"schema", "error", "code"} <= found.keys()
