"""Files, and whom the server refuses; who sends slowly or bodies of the largest size does not
keep it from others.
"""

import asyncio
import gzip
import json
import os
import re
import socket
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from http.client import HTTPResponse
from pathlib import Path
from random import Random
from threading import Event
from unittest.mock import AsyncMock

import pytest
from support.need import need

need("fastapi")
need("httpx2")

from fastapi.testclient import TestClient
from perfect_yatzy import Strategy
from perfect_yatzy.core.objectives import Objective
from perfect_yatzy.core.table_info import shards_folder
from perfect_yatzy.settings import Settings
from perfect_yatzy.tablebase.sharded_solve import solve_sharded
from perfect_yatzy.tablebase.store import table_path
from perfect_yatzy.web import static_files
from perfect_yatzy.web.limits import MAX_BODY_BYTES
from perfect_yatzy.web.middleware import RequestFilter
from perfect_yatzy.web.static_files import MEDIA_TYPES, Content, takes_gzip
from perfect_yatzy.words import current_language
from support.server import HOLD, Server, is_error, largest_bodies, running_server

MOST_SECONDS = 1.0  # for a body of the largest size
MOST_DELAY = 5.0  # of a plain query meanwhile, in waits without that load
LEAST_WAIT = 0.05  # seconds that count as no delay
AT_ONCE = 2  # large bodies
TRIES = 10  # the machine may be busy with something else


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
def test_large_bodies_are_answered_or_refused_and_delay_nobody(
    server: Server, query: str, number: int
) -> None:
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
                answers = list(
                    pool.map(
                        lambda _, body=body: server.post(f"/api/{query}", body), range(AT_ONCE)
                    )
                )
                stop.set()
            assert all(
                code == 200 or (code in (422, 503) and is_error(answer))
                for code, answer, _ in answers
            ), name
            slowest = max(seconds for _, _, seconds in answers)
            if slowest < MOST_SECONDS and max(waiting.result()) < allowed:
                break
        else:
            said = f"{name}: {slowest:.3f} s, and {max(waiting.result()):.3f} s for a plain query, in {TRIES} tries"
            pytest.fail(said)


@pytest.mark.full
def test_a_table_that_is_truncated_under_load_is_an_error_of_its_requests(
    yatzy: Strategy, tmp_path: Path
) -> None:
    """The server goes on, and answers what needs other tables or blocks that it has read."""
    solve_sharded(Settings(tmp_path), Objective(yatzy.rules), shard_bytes=200_000)
    forced, late = (
        b'{"dice": "33456", "rules": "yatzy-forced"}',
        b'{"dice": "33456", "card": "ones=3 sixes=24"}',
    )
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


def test_rule_sets_are_described_once_for_each_language(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    static_files.rule_set_text.cache_clear()
    first = client.get("/api/rules", params={"lang": "de"})
    monkeypatch.setattr(
        static_files, "rule_set_json", lambda *_args: pytest.fail("described again")
    )
    assert client.get("/api/rules", params={"lang": "de"}).content == first.content
    for params in ({"lang": "xx"}, {"rules": "nothing"}, {"rules": "pyproject.toml"}):
        codes = ("unknown-rules", "invalid-value", "invalid-rules")
        assert client.get("/api/rules", params=params).json()["code"] in codes


STATIC = Path(static_files.__file__).with_name("static")


def test_every_file_of_the_page_is_served_with_its_type(client: TestClient) -> None:
    """Those in folders, too; what is not below the folder is not there."""
    for path in STATIC.rglob("*"):
        if path.is_file():
            name = path.relative_to(STATIC).as_posix()
            found = client.get(f"/{name}")
            page = client.get("/development.html") if name == "index.html" else found
            assert page.content == path.read_bytes(), name
            assert found.headers["content-type"] == MEDIA_TYPES[path.suffix[1:]], name
            assert found.headers["x-content-type-options"] == "nosniff"
            assert "default-src 'self'" in found.headers["content-security-policy"]
            assert not re.search(rb"https?://(?!www\.w3\.org/2000/svg)", found.content), name
    assert client.get("/").content == client.get("/index.html").content
    for name in (
        "static/shell/app.js",
        "..%2fapp.py",
        "%2e%2e/app.py",
        "messages",
        "messages/",
        "shell/app.js/",
        "secrets",
    ):
        assert client.get(f"/{name}", follow_redirects=False).status_code == 404, name
    found = {suffix: MEDIA_TYPES[suffix] for suffix in ("webmanifest", "png", "svg")}
    assert found == {
        "webmanifest": "application/manifest+json",
        "png": "image/png",
        "svg": "image/svg+xml",
    }


@pytest.mark.parametrize(
    "path", ["/", "/store/ask.js", "/api/rules", "/api/rules?rules=yatzy-forced&lang=sv"]
)
def test_what_the_client_has_is_not_sent_again(client: TestClient, path: str) -> None:
    first = client.get(path)
    assert first.headers["cache-control"] == "no-cache"
    assert "accept-encoding" in first.headers["vary"]
    tag = first.headers["etag"]
    for known in (tag, f'"other", {tag}', tag.removeprefix("W/"), "*"):
        again = client.get(path, headers={"if-none-match": known})
        assert (again.status_code, again.content) == (304, b"")
        assert again.headers["etag"] == tag
    assert client.get(path, headers={"if-none-match": 'W/"other"'}).status_code == 200
    plain = client.get(path, headers={"accept-encoding": "identity"})
    assert "content-encoding" not in plain.headers
    assert plain.content == first.content
    head = client.head(path) if not path.startswith("/api") else first
    assert head.headers["etag"] == tag


def test_texts_are_compressed_and_pictures_and_answers_are_not(client: TestClient) -> None:
    text = b"x = 1;\n" * 1000
    content = Content.of(text, "js")
    assert gzip.decompress(content.compressed) == text
    assert Content.of(text, "png").compressed is None
    assert Content.of(b"x", "js").compressed is None
    assert content.tag != Content.of(text + b" ", "js").tag
    assert all(takes_gzip(accepted) for accepted in ("gzip, br", "*", "br;q=1, GZIP ; q=0.5"))
    assert not any(takes_gzip(accepted) for accepted in ("br", "", "gzip;q=0"))
    found = client.post("/api/hold", content=HOLD, headers={"content-type": "application/json"})
    assert found.headers["cache-control"] == "no-store"
    assert "content-encoding" not in found.headers


def test_scripts_and_styles_are_kept_under_a_name_that_changes_with_them(
    client: TestClient,
) -> None:
    """A browser never has files of two versions, and asks for none of them twice."""
    page = client.get("/").text
    folders = set(re.findall(r'(?:src|href)="(v-[0-9a-f]{12}/)[\w/-]+\.(?:js|css)"', page))
    assert len(folders) == 1
    folder = folders.pop()
    names = re.findall(r'(?:src|href)="v-[0-9a-f]{12}/([^"]*)"', page)
    assert sum(name.endswith(".js") for name in names) == 1
    for name in names:
        kept = client.get(f"/{folder}{name}")
        assert kept.headers["cache-control"] == "public, max-age=31536000, immutable"
        if name.endswith(".css"):
            assert kept.content == client.get(f"/{name}").content == (STATIC / name).read_bytes()
    script = client.get(f"/{folder}page.js").text  # all modules, those that are loaded late, too
    assert all(f'async "{name}"' in script for name in ("shell/app.js", "review/end.js"))
    assert client.get(f"/{folder}index.html").status_code == 404
    assert client.get("/v-000000000000/shell/app.js").status_code == 404


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_pages_of_other_sites_are_refused(client: TestClient, site: str) -> None:
    """Only a link to the page is followed; a script on another port is another site, too."""
    link = {"sec-fetch-site": site, "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}
    assert client.get("/", headers=link).status_code == 200
    frame = {**link, "sec-fetch-dest": "iframe"}
    script = {"sec-fetch-site": site, "sec-fetch-mode": "no-cors", "sec-fetch-dest": "script"}
    for headers, method, path in (
        (link, "GET", "/api/rules"),
        (link, "POST", "/api/hold"),
        (link, "POST", "/"),
        (frame, "GET", "/"),
        (script, "GET", "/shell/app.js"),
        (script, "POST", "/api/solve"),
        (
            {"sec-fetch-site": site, "sec-fetch-mode": "cors", "sec-fetch-dest": "empty"},
            "GET",
            "/api/rules",
        ),
    ):
        found = client.request(
            method, path, headers=headers, content=b"{}" if method == "POST" else None
        )
        assert (found.status_code, found.json()["code"]) == (403, "cross-site"), (headers, path)
    for own in ({"sec-fetch-site": "same-origin"}, {"sec-fetch-site": "none"}, {}):
        assert client.get("/api/rules", headers=own).status_code == 200


def test_messages_are_in_the_language_that_the_client_accepts() -> None:
    """The default is English, whatever the language of the machine is; codes are the same in
    all.
    """
    seen: list[str] = []
    note = AsyncMock(side_effect=lambda *_: seen.append(current_language()))
    no_body = AsyncMock(return_value={"type": "http.request", "body": b"", "more_body": False})
    for accepted in (b"", b"sv-SE,sv;q=0.9", b"ja", b"sw"):
        headers = [(b"host", b"localhost"), (b"accept-language", accepted)]
        scope = {"type": "http", "method": "GET", "path": "/", "headers": headers}
        asyncio.run(RequestFilter(note, frozenset({"localhost"}))(scope, no_body, AsyncMock()))
    assert seen == ["en", "sv", "ja", "en"]


@pytest.mark.parametrize(
    ("body", "name"),
    [
        ('{"dice": "33456", "dice": "11111"}', "dice"),
        ('{"dice": "33456", "card": {"ones": 1, "twos": 2, "ones": 3}}', "ones"),
        ('{"dice": "33456", "card": "ones=3 ones=4"}', "ones"),
    ],
)
def test_a_key_that_is_there_twice_is_an_error(client: TestClient, body: str, name: str) -> None:
    found = client.post("/api/hold", content=body, headers={"content-type": "application/json"})
    assert found.status_code == 422
    assert name in found.json()["error"]
    assert "twice" in found.json()["error"]


@pytest.fixture(scope="module")
def port(yatzy: Strategy, store: Path) -> Iterator[int]:
    """A server whose limit for slow bodies is short."""
    with running_server(store, {"MAX_BODY_SECONDS": 1.0}) as running:
        yield running.port


@pytest.mark.full
def test_a_body_that_does_not_arrive_ends_the_connection(port: int) -> None:
    """Half a body, then nothing: an error, and the server closes the connection."""
    head = b"POST /api/hold HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n"
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        connection.sendall(head + b"{")
        response = HTTPResponse(connection)
        response.begin()
        assert (response.status, json.loads(response.read())["code"]) == (408, "request-timeout")
        assert connection.recv(1) == b""


REQUEST = b"GET /api/languages HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"


@pytest.mark.full
def test_a_patient_client_is_served(port: int) -> None:
    """Several requests on one connection, with pauses below the limits."""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        for _ in range(4):
            connection.sendall(REQUEST[:20])
            time.sleep(0.3)
            connection.sendall(REQUEST[20:])
            response = HTTPResponse(connection)
            response.begin()
            assert (response.status, len(response.read()) > 0) == (200, True)
            time.sleep(0.3)


VALID = (
    b"POST /api/hold HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n"
    b'f\r\n{"dice":"33456\r\n2\r\n"}\r\n0\r\n\r\n'
)
MALFORMED = (
    b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcdefgh",
    b"POST /api/hold HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcdefgh",
    b"GET / HTTP/1.1\r\n\r\n\r\n",
    b"GET /api/rules HTTP/9.9\r\nHost: 127.0.0.1\r\n\r\n",
)


def malformed(number: int) -> bytes:
    """A raw request with some bytes changed, removed or repeated, the same for the same number."""
    if number < len(MALFORMED):
        return MALFORMED[number]
    random = Random(number)
    data = bytearray(VALID)
    for _ in range(random.randint(1, 4)):
        place = random.randrange(len(data))
        change = random.choice(("byte", "cut", "repeat", "drop"))
        if change == "byte":
            data[place] = random.randrange(256)
        elif change == "cut" and place:
            del data[place:]
        elif change == "repeat":
            data[place:place] = data[place : place + random.randint(1, 9)]
        elif len(data) > 1:
            del data[place]
    return bytes(data)


def send_raw(port: int, data: bytes) -> None:
    """Send a request and read what comes, until the server ends the connection or has all."""
    with (
        socket.create_connection(("127.0.0.1", port), timeout=60) as connection,
        suppress(OSError),
    ):
        connection.sendall(data)
        connection.shutdown(socket.SHUT_WR)
        while connection.recv(65536):
            pass


@pytest.mark.full
def test_malformed_requests_leave_no_traceback_in_the_log(server: Server) -> None:
    """1,000 raw requests: the server still answers, and its log has no traceback."""
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: send_raw(server.port, malformed(number)), range(1000)))
    status, _body, _seconds = server.post("/api/hold", HOLD)
    assert status == 200
    assert server.log
    assert b"Traceback" not in server.log.read_bytes()
