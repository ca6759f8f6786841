"""The server as a process, requests to it, bodies of the largest allowed size in every field; a
plain static host.
"""

import http.client
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import NamedTemporaryFile
from threading import Thread
from typing import Any

from perfect_yatzy.core import lattice

from .need import need
from .waiting import PATIENCE, wait_until

HOLD = b'{"dice": "33456"}'
FIELDS = (
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
    "spread",
    "unknown",
)
TEXTS = (" ", "=", ":", ",", "x", "ones=3 ", "1;", "3 ", "+a", "9", "\\u00e5")
LISTS = ("1,", "{},", "[],", '"",', '"a",', "[1,1,1,1,1],")
GAME, TURN = (
    '{"game": {"schema": 2, "rules": "yatzy", "turns": [',
    '"rolls": [[1,1,1,1,1]], "holds": [], "points": 5',
)
PLAYED = GAME + '{"player": 0, "category": "ones", "holds": [], "points": 5, "rolls": ['
REVIEWS = {  # name: start, unit and end of the body
    "players": (
        '{"game": {"schema": 2, "rules": "yatzy", "turns": [], "players": [',
        '"a",',
        '"a"]}}',
    ),
    "name": ('{"game": {"schema": 2, "rules": "yatzy", "turns": [], "players": ["', "a ", '"]}}'),
    "rules": ('{"game": {"schema": 2, "rules": "yatzy', "+a", '"}}'),
    "turns": (GAME, f'{{"player": 0, "category": "ones", {TURN}}},', '{}], "players": ["a"]}}'),
    "empty turns": (GAME, "{},", '{}], "players": ["a"]}}'),
    "category": (f'{GAME}{{"player": 0, {TURN}, "category": "', "a ", '"}], "players": ["a"]}}'),
    "rolls": (PLAYED, "[1,1,1,1,1],", '[]]}], "players": ["a"]}}'),
    "one roll": (PLAYED + "[", "1,", '1]]}], "players": ["a"]}}'),
    "nested lists": ('{"game": ', "[", ""),
    "nested objects": ('{"game": ', '{"a":', ""),
    "digits": ('{"game": ', "9", ""),
    "blanks": ('{"game": ', " ", ""),
}


@dataclass(frozen=True)
class Server:
    port: int
    log: Path | None = None  # what it says on standard error

    @property
    def address(self) -> str:
        """The address, without a slash at the end."""
        return f"http://127.0.0.1:{self.port}"

    def post(self, path: str, body: bytes, timeout: float = PATIENCE) -> tuple[int, bytes, float]:
        """Status, body and seconds of an answer, with a connection of its own."""
        started = time.perf_counter()
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            connection.request("POST", path, body, {"content-type": "application/json"})
            answer = connection.getresponse()
            return answer.status, answer.read(), time.perf_counter() - started
        finally:
            connection.close()


# The server ends with the tests, however they end: then their end of the pipe is closed.
PROGRAM = """
import os, sys, threading

def end_with_the_tests():
    sys.stdin.buffer.read()
    os._exit(1)

threading.Thread(target=end_with_the_tests, daemon=True).start()
from perfect_yatzy.web import limits
from perfect_yatzy.__main__ import run
{change}
run()
"""


@contextmanager
def running_server(
    tables: str | os.PathLike[str], limits: Mapping[str, float] | None = None
) -> Iterator[Server]:
    """`yatzy serve` on a free port, with other limits than those of perfect_yatzy.web.limits; it
    has answered a hold.
    """
    change = "".join(f"limits.{name} = {value}\n" for name, value in (limits or {}).items())
    if not lattice.UNROLLED:  # in ring 1: the kernels that are compiled already
        change += "from perfect_yatzy.core import lattice\nlattice.UNROLLED = {}\n"
    command = [
        sys.executable,
        "-c",
        PROGRAM.format(change=change),
        "serve",
        "--port",
        "0",
        "--tables",
        str(tables),
    ]
    with (
        NamedTemporaryFile() as said,
        subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=said
        ) as process,
    ):

        def address() -> re.Match[bytes] | None:
            text = Path(said.name).read_bytes()
            assert process.poll() is None, text
            return re.search(rb"http://[\w.]+:(\d+)/", text)

        try:
            server = Server(
                int(wait_until(address, "the server has an address")[1]), Path(said.name)
            )
            status, body, _ = server.post("/api/hold", HOLD)
            assert status == 200, body
            yield server
        finally:
            process.terminate()
            with suppress(subprocess.TimeoutExpired):
                process.wait(PATIENCE)
            process.kill()


def filled(start: str, unit: str, end: str) -> bytes:
    """A body of the largest allowed size, of one unit again and again between a start and an
    end.
    """
    from perfect_yatzy.web.limits import MAX_BODY_BYTES

    count = (MAX_BODY_BYTES - len(start) - len(end) - 1) // len(unit)
    return (start + unit * count + end).encode()


VALID = {  # the fields that a query needs
    "hold": '"dice": "33456"',
    "score": '"dice": "33456"',
    "expect": '"spread": false',
    "outcomes": '"hold": [3], "rolls_left": 1',
}


def largest_bodies(query: str) -> Iterator[tuple[str, bytes]]:
    """A name, and a body with one field of a query as long as allowed, for every field and
    several contents.
    """
    if query == "review":
        yield from ((review, filled(*parts)) for review, parts in REVIEWS.items())
        return
    from perfect_yatzy.web.limits import MAX_BODY_BYTES

    members = ",".join(f'"a{n:05d}": 1' for n in range((MAX_BODY_BYTES - 200) // 13))
    for name in FIELDS:
        others = "".join(f"{part}," for part in VALID[query].split(", ") if name not in part)
        start = f'{{{others}"{name}": '
        yield from ((f"{name} of {unit!r}", filled(start + '"', unit, '"}')) for unit in TEXTS)
        yield from (
            (f"{name}, a list of {unit!r}", filled(start + "[", unit, "1]}")) for unit in LISTS
        )
        yield f"{name}, an object", (start + "{" + members + "}}").encode()
    yield "many fields", ("{" + VALID[query] + "," + members + "}").encode()


def is_error(body: bytes) -> bool:
    """Whether an answer is an error in the format of the API."""
    found = json.loads(body)
    return isinstance(found, dict) and {"schema", "error", "code"} <= found.keys()


def app_client(**options: Any) -> Any:
    """The application in this process, as a client of FastAPI has it."""
    need("httpx2")
    testclient, app = need("fastapi.testclient"), need("perfect_yatzy.web.app")
    return testclient.TestClient(app.create_app(), base_url="http://127.0.0.1", **options)


BASE = "/games/yatzy/"  # as on GitHub Pages, not at the root


@dataclass
class StaticHost:
    address: str
    sent: list[tuple[str, int]] = field(default_factory=list)  # path and bytes of each answer
    is_down: bool = False  # it still has its port, and answers nothing
    has_ranges: bool = True  # whether it knows Range requests
    paused: dict[str, int] = field(default_factory=dict)  # of a file only so many bytes, so long

    @property
    def bytes_sent(self) -> int:
        return sum(size for _, size in self.sent)


@contextmanager
def static_host(folder: Path) -> Iterator[StaticHost]:
    """Serve a folder until the block ends."""

    class Handler(SimpleHTTPRequestHandler):
        def do_GET(self) -> None:
            if host.is_down:
                self.close_connection = True
                return
            path = folder / self.path.split("?")[0].removeprefix(BASE)
            if not self.path.startswith(BASE) or (not path.is_file() and path != folder / ""):
                self.send_error(404)
                return
            path = path / "index.html" if path.is_dir() else path
            size, wanted = (
                path.stat().st_size,
                re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", "")),
            )
            begin, end = (
                (int(wanted[1]), min(size, int(wanted[2]) + 1))
                if wanted and host.has_ranges
                else (0, size)
            )
            with path.open("rb") as file:
                file.seek(begin)
                content = file.read(end - begin)
            self.send_response(206 if wanted and host.has_ranges else 200)
            if wanted and host.has_ranges:
                self.send_header("Content-Range", f"bytes {begin}-{end - 1}/{size}")
            self.send_header("Content-Type", self.guess_type(str(path)))
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            host.sent.append((self.path, len(content)))
            first = host.paused.get(path.name, 0)
            self.wfile.write(content[:first])
            if first:
                wait_until(lambda: path.name not in host.paused, "the file is sent on")
            self.wfile.write(content[first:])

        def log_message(self, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    host = StaticHost(f"http://localhost:{server.server_address[1]}{BASE}")
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield host
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
