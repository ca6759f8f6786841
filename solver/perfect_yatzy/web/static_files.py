"""The files of the page, read and compressed once when the server starts, and answered with a tag of their content.

A browser asks for the page each time (`Cache-Control: no-cache`; the answer is 304 without a body if it is the same).
Scripts and styles are named in a folder whose name is a hash of all files: a browser caches those permanently.
"""

from __future__ import annotations

import gzip
import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # `yatzy site` needs no web framework
    from starlette.datastructures import Headers
    from starlette.responses import Response

MEDIA_TYPES = {
    "css": "text/css; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "ico": "image/vnd.microsoft.icon",
    "js": "text/javascript; charset=utf-8",
    "json": "application/json",
    "png": "image/png",
    "svg": "image/svg+xml",
    "txt": "text/plain; charset=utf-8",
    "webmanifest": "application/manifest+json",
    "woff2": "font/woff2",
}
COMPRESSED = {"css", "html", "js", "json", "svg", "txt", "webmanifest"}  # the others are compressed already
IMMUTABLE = "public, max-age=31536000, immutable"
STATIC = files(__package__).joinpath("static")
MIN_COMPRESSED_BYTES = 1000  # of less, gzip saves nothing worth its time


@dataclass(frozen=True)
class Content:
    """A body that can be sent many times."""

    body: bytes
    compressed: bytes | None  # the same by gzip; None if that is not worth it
    tag: str  # entity tag: a hash of the body
    media_type: str
    caching: str = "no-cache"

    @classmethod
    def of(cls, body: bytes, suffix: str) -> Content:
        """The content of a file with this suffix."""
        compresses = suffix in COMPRESSED and len(body) >= MIN_COMPRESSED_BYTES
        compressed = gzip.compress(body, mtime=0) if compresses else None
        return cls(body, compressed, hashlib.sha256(body).hexdigest()[:24], MEDIA_TYPES[suffix])

    def response(self, request: Headers) -> Response:
        """The answer to a request with these headers: the body, compressed if the client takes that, or 304."""
        from starlette.responses import Response

        # The tag is weak: the same content in two encodings.
        headers = {"cache-control": self.caching, "etag": f'W/"{self.tag}"', "vary": "accept-encoding"}
        known = {tag.strip().removeprefix("W/").strip('"') for tag in request.get("if-none-match", "").split(",")}
        if known & {self.tag, "*"}:
            return Response(status_code=304, headers=headers)
        body = self.body
        if self.compressed is not None and takes_gzip(request.get("accept-encoding", "")):
            headers["content-encoding"], body = "gzip", self.compressed
        return Response(body, headers=headers, media_type=self.media_type)


def takes_gzip(accepted: str) -> bool:
    """Whether an Accept-Encoding header names gzip, with a quality above 0."""
    for part in accepted.lower().split(","):
        name, _, quality = part.strip().partition(";")
        if name.strip() in ("gzip", "*"):
            return quality.replace(" ", "") not in ("q=0", "q=0.0", "q=0.00", "q=0.000")
    return False


def page_files() -> dict[str, Content]:
    """The files of the page by path: `index.html` also by none, scripts and styles also in the folder."""
    sources = ((name, name.rpartition(".")[2], source) for name, source in static_files())
    found = {name: Content.of(source.read_bytes(), kind) for name, kind, source in sources if kind in MEDIA_TYPES}
    folder = f"v-{hashlib.sha256(''.join(each.tag for _, each in sorted(found.items())).encode()).hexdigest()[:12]}/"
    html = re.sub(r'((?:src|href)=")([\w-]+\.(?:js|css)")', rf"\1{folder}\2", found["index.html"].body.decode())
    index = Content.of(html.encode(), "html")
    in_folder = {folder + name: each for name, each in found.items() if name.endswith((".js", ".css"))}
    immutable = {name: replace(each, caching=IMMUTABLE) for name, each in in_folder.items()}
    return found | immutable | {"index.html": index, "": index}


def static_files(folder: Traversable = STATIC, prefix: str = "") -> Iterator[tuple[str, Traversable]]:
    """All files of the page with their paths, but for those whose names begin with a dot."""
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from static_files(entry, f"{prefix}{entry.name}/")
        elif not entry.name.startswith("."):
            yield prefix + entry.name, entry
