"""A client that sends bodies of the largest allowed size, or sends slowly, does not keep the server from others."""

import asyncio
import json
import os
import socket
import statistics
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from threading import Event
from unittest.mock import AsyncMock

import pytest
from support.need import need

need("fastapi")
need("httpx2")

from fastapi.testclient import TestClient
from perfect_yatzy import RulesError, Strategy
from perfect_yatzy.model.objectives import Objective
from perfect_yatzy.tablebase.sharded_solve import solve_sharded
from perfect_yatzy.tablebase.store import table_path
from perfect_yatzy.tablebase.table_info import shards_folder
from perfect_yatzy.web import static_files
from perfect_yatzy.web.limits import MAX_BODY_BYTES
from perfect_yatzy.web.middleware import RequestFilter
from support.server import HOLD, Server, is_error, largest_bodies, running_server

MOST_SECONDS = 1.0  # for a body of the largest size
MOST_DELAY = 5.0  # of a plain query meanwhile, in waits without that load
LEAST_WAIT = 0.05  # seconds that count as no delay
AT_ONCE = 2  # large bodies
TRIES = 10  # the machine may be busy with something else
JSON_TYPE = {"content-type": "application/json"}


def is_answered(status: int, answer: bytes) -> bool:
    return status == 200 or (status in (422, 503) and is_error(answer))


def waits(server: Server, is_over: Callable[[], bool]) -> list[float]:
    """How long plain queries take, asked one after the other until it is over."""
    found = list[float]()
    while not found or not is_over():
        status, _, seconds = server.post("/api/hold", HOLD)
        assert status == 200
        found.append(seconds)
    return found


@pytest.mark.full
@pytest.mark.parametrize(("query", "number"), [("hold", 235), ("review", 12)])
def test_large_bodies_are_answered_or_refused_and_delay_nobody(server: Server, query: str, number: int) -> None:
    """A plain query waits about as long as without them."""
    bodies, stop = list(largest_bodies(query)), Event()
    assert (len(bodies), max(len(body) for _, body in bodies) <= MAX_BODY_BYTES) == (number, True)
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(waits, server, stop.is_set)
        for _ in range(50):
            server.post("/api/hold", HOLD)
        stop.set()
    allowed = max(LEAST_WAIT, MOST_DELAY * max(waiting.result()))
    for name, body in bodies:
        for _ in range(TRIES):
            stop = Event()
            with ThreadPoolExecutor(AT_ONCE + 1) as pool:
                waiting = pool.submit(waits, server, stop.is_set)
                answers = list(pool.map(lambda _, body=body: server.post(f"/api/{query}", body), range(AT_ONCE)))
                stop.set()
            assert all(is_answered(status, answer) for status, answer, _ in answers), name
            slowest = max(seconds for _, _, seconds in answers)
            if slowest < MOST_SECONDS and max(waiting.result()) < allowed:
                break
        else:
            said = f"{name}: {slowest:.3f} s, and {max(waiting.result()):.3f} s for a plain query, in {TRIES} tries"
            pytest.fail(said)


def after(seconds: float) -> Callable[[], bool]:
    end = time.monotonic() + seconds
    return lambda: time.monotonic() > end


def connections(server: Server, address: str, count: int) -> list[socket.socket]:
    """Connections from an address of this machine."""
    found = []
    for _ in range(count):
        with suppress(OSError):
            found.append(socket.create_connection(("127.0.0.1", server.port), 5, (address, 0)))
            found[-1].setblocking(False)
    return found


@pytest.mark.full
@pytest.mark.skipif(sys.platform != "linux", reason="addresses of its own for each client")
def test_other_clients_do_not_notice_clients_with_many_connections(yatzy: Strategy, store: Path) -> None:
    """2,000 idle, 200 pipelining and 200 slow connections, 1,024 descriptors; the log stays short."""
    request = b"POST /api/hold HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    request += b"Content-Length: %d\r\n\r\n" % len(HOLD) + HOLD
    resource = need("resource")
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (before[1], before[1]))
    try:
        with (
            running_server(store, None, "--host", "0.0.0.0", descriptors=1024) as server,
            ThreadPoolExecutor(1) as pool,
        ):
            for _ in range(TRIES):
                alone = statistics.median(waits(server, after(2)))
                waiting = pool.submit(waits, server, after(6))
                idle, pipelining, slow = (
                    connections(server, f"127.0.0.{n}", count) for n, count in ((2, 2000), (3, 200), (4, 200))
                )
                for n in range(len(request) - 1):
                    for each in pipelining:
                        with suppress(OSError):
                            each.send(request * 100)
                    for each in slow:
                        with suppress(OSError):
                            each.send(request[n : n + 1])
                    if waiting.done():
                        break
                    time.sleep(0.1)
                found = statistics.median(waiting.result())
                for each in (*idle, *pipelining, *slow):
                    each.close()
                print(f"alone {alone * 1e3:.1f} ms, beside them {found * 1e3:.1f} ms")
                if found < 2 * alone:
                    break
            else:
                pytest.fail(f"alone {alone:.4f} s, beside them {found:.4f} s, in {TRIES} tries")
            assert server.process
            assert server.process.stderr
            server.process.terminate()
            assert len(server.process.stderr.read()) < 1000
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


@pytest.mark.full
def test_a_table_that_is_truncated_under_load_is_an_error_of_its_requests(yatzy: Strategy, tmp_path: Path) -> None:
    """The server goes on, and answers what needs other tables or blocks that it has read."""
    solve_sharded(Objective(yatzy.rules), tmp_path, shard_bytes=200_000)
    forced, late = b'{"dice": "33456", "rules": "yatzy-forced"}', b'{"dice": "33456", "card": "ones=3 sixes=24"}'
    with running_server(tmp_path) as server, ThreadPoolExecutor(4) as pool:
        first = server.post("/api/hold", HOLD)[1]
        stop = Event()

        def ask_on(body: bytes) -> set[int]:
            found = set()
            while not stop.is_set():
                found.add(server.post("/api/hold", body)[0])
            return found

        others = [pool.submit(ask_on, body) for body in (HOLD, forced)]
        for path in shards_folder(table_path(yatzy.rules, tmp_path)).iterdir():
            os.truncate(path, 1000)
        refused = [server.post("/api/hold", late) for _ in range(20)]
        stop.set()
        assert [each.result() for each in others] == [{200}, {200}]
        assert {json.loads(answer)["code"] for _, answer, _ in refused} == {"table-damaged"}
        assert server.post("/api/hold", HOLD)[1] == first


def test_a_client_that_disconnects_within_a_body_gets_no_answer() -> None:
    """One that sends nothing more is told that its time is up: cli/test_errors.py."""
    receive, send = AsyncMock(return_value={"type": "http.disconnect"}), AsyncMock()
    scope = {"type": "http", "path": "/api/hold", "headers": [(b"host", b"localhost")]}
    asyncio.run(RequestFilter(None, frozenset({"localhost"}))(scope, receive, send))
    send.assert_not_called()


def test_rule_sets_are_described_once_for_each_language(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    static_files.rule_set_text.cache_clear()
    first = client.get("/api/rules", params={"lang": "de"})
    monkeypatch.setattr(static_files, "rule_set_json", lambda rules: pytest.fail("described again"))
    assert client.get("/api/rules", params={"lang": "de"}).content == first.content
    for params in ({"lang": "xx"}, {"rules": "nothing"}, {"rules": "pyproject.toml"}):
        codes = ("unknown-rules", "invalid-value", "invalid-rules")
        assert client.get("/api/rules", params=params).json()["code"] in codes
    with pytest.raises(RulesError):
        static_files.described(("nothing",), "en", ("",))
