"""A plain static host: files of a folder below a path, with Range requests, counting what it sends."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

BASE = "/games/yatzy/"  # as on GitHub Pages, not at the root


@dataclass
class StaticHost:
    """A running host."""

    address: str
    sent: list[tuple[str, int]] = field(default_factory=list)  # path and bytes of each answer

    @property
    def bytes_sent(self) -> int:
        return sum(size for _, size in self.sent)


@contextmanager
def static_host(folder: Path, port: int = 0, *, ranges: bool = True) -> Iterator[StaticHost]:
    """Serve a folder until the block ends; `ranges` is whether the host knows Range requests."""

    class Handler(SimpleHTTPRequestHandler):
        def do_GET(self) -> None:
            path = folder / self.path.split("?")[0].removeprefix(BASE)
            if not self.path.startswith(BASE) or (not path.is_file() and path != folder / ""):
                self.send_error(404)
                return
            path = path / "index.html" if path.is_dir() else path
            size, wanted = path.stat().st_size, re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
            begin, end = (int(wanted[1]), min(size, int(wanted[2]) + 1)) if wanted and ranges else (0, size)
            with path.open("rb") as file:
                file.seek(begin)
                content = file.read(end - begin)
            self.send_response(206 if wanted and ranges else 200)
            if wanted and ranges:
                self.send_header("Content-Range", f"bytes {begin}-{end - 1}/{size}")
            self.send_header("Content-Type", self.guess_type(str(path)))
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            host.sent.append((self.path, len(content)))
            self.wfile.write(content)

        def log_message(self, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    host = StaticHost(f"http://localhost:{server.server_address[1]}{BASE}")
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield host
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
