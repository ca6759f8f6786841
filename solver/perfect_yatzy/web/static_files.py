"""What the server sends many times: the files of the page, and the rule sets as JSON, with a tag of
their content.

A browser asks for the page each time (`Cache-Control: no-cache`; the answer is 304 without a body
if it is the same). The modules are sent as one script. It and the styles are named in a folder
whose name is a hash of all files: a browser caches those permanently.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import TYPE_CHECKING, Any, NamedTuple

from ..core.rules import RuleSet, leaves_choice
from ..core.scoring import possible_points
from ..game.rule_loader import builtin_ids
from ..game.translations import localized
from ..policies.levels import level_figures
from ..service.answers import picked
from ..words import ENGLISH, LANGUAGES, page_messages
from .bundle import bundle
from .limits import MAX_RULE_SETS_CACHED

if TYPE_CHECKING:  # `yatzy site` needs no web framework
    from starlette.datastructures import Headers
    from starlette.responses import Response

MEDIA_TYPES = {  # by suffix
    "css": "text/css; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "txt": "text/plain; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "json": "application/json",
    "webmanifest": "application/manifest+json",
    "ico": "image/vnd.microsoft.icon",
    "png": "image/png",
    "svg": "image/svg+xml",
    "woff2": "font/woff2",
}
COMPRESSED = {
    "css",
    "html",
    "js",
    "json",
    "svg",
    "txt",
    "webmanifest",
}  # the others are compressed already
IMMUTABLE = "public, max-age=31536000, immutable"
STATIC = files(__package__).joinpath("static")
ENTRY = "shell/app.js"  # the module with which the page begins
ENTRY_TAG = f'src="{ENTRY}"'  # as index.html names it
MESSAGES = "messages"  # the folder of the words
SCRIPT = "page.js"  # all modules, as the server sends them
DEVELOPMENT = "development.html"  # the page whose modules are not bundled
MIN_COMPRESSED_BYTES = 1000  # of less, gzip saves nothing worth its time
FIRST = ("yatzy", "maxi")  # what most people play


@dataclass(frozen=True)
class Content:
    """A body that can be sent many times."""

    body: bytes
    compressed: bytes | None  # the same by gzip; None if that is not worth its time
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
        """The answer to a request with these headers: the body, compressed if the client takes
        that, or 304.
        """
        from starlette.responses import Response

        # The tag is weak: the same content in two encodings.
        headers = {
            "cache-control": self.caching,
            "etag": f'W/"{self.tag}"',
            "vary": "accept-encoding",
        }
        tags_of_client = {
            tag.strip().removeprefix("W/").strip('"')
            for tag in request.get("if-none-match", "").split(",")
        }
        if tags_of_client & {self.tag, "*"}:
            return Response(status_code=304, headers=headers)
        body = self.body
        if self.compressed is not None and takes_gzip(request.get("accept-encoding", "")):
            headers["content-encoding"] = "gzip"
            body = self.compressed
        return Response(body, headers=headers, media_type=self.media_type)


def takes_gzip(accepted: str) -> bool:
    """Whether an Accept-Encoding header names gzip, with a quality above 0."""
    for coding in accepted.lower().split(","):
        name, _semicolon, quality = coding.strip().partition(";")
        if name.strip() in ("gzip", "*"):
            # the forms of 0 in RFC 9110
            return quality.replace(" ", "") not in (
                "q=0",
                "q=0.0",
                "q=0.00",
                "q=0.000",
            )
    return False


def page_files() -> dict[str, Content]:
    """Return the files of the page by path.

    `index.html` is also there without a path. The script and the styles that it names are in a
    folder of their own. `development.html` is the page with its modules as they are written.
    """
    contents = {}
    for name, source in static_files():
        suffix = name.rpartition(".")[2]
        if suffix in MEDIA_TYPES:
            contents[name] = Content.of(source.read_bytes(), suffix)
    contents |= {name: Content.of(text, "json") for name, text in messages()}
    # The folder has a new name whenever a file changes, so that browsers may keep its files for ever.
    tags = "".join(contents[name].tag for name in sorted(contents))
    folder = f"v-{hashlib.sha256(tags.encode()).hexdigest()[:12]}/"
    in_folder = {SCRIPT: Content.of(bundle([ENTRY], module_text).encode(), "js")}
    in_folder |= {name: contents[name] for name in contents if name.endswith(".css")}
    for name, content in in_folder.items():
        contents[folder + name] = replace(content, caching=IMMUTABLE)
    development = contents["index.html"]
    index = Content.of(_bundled_page(development.body.decode(), folder).encode(), "html")
    return contents | {"index.html": index, "": index, DEVELOPMENT: development}


def _bundled_page(html: str, folder: str) -> str:
    """Return the page with the bundled script, and with its script and styles from a folder."""
    html = html.replace(ENTRY_TAG, f'src="{SCRIPT}"')
    return re.sub(r'((?:src|href)=")([\w/-]+\.(?:js|css)")', rf"\1{folder}\2", html)


def messages() -> Iterator[tuple[str, bytes]]:
    """The words of the page in each language that is not English: path and JSON."""
    for code in LANGUAGES:
        if code != ENGLISH:
            fields = {"language": code, "messages": page_messages(code)}
            text = json.dumps(fields, ensure_ascii=False, separators=(",", ":"))
            yield f"{MESSAGES}/{code}.json", text.encode()


def module_text(name: str) -> str:
    """The text of a module of the page."""
    return STATIC.joinpath(*name.split("/")).read_text(encoding="utf-8")


def static_files(
    folder: Traversable = STATIC, prefix: str = ""
) -> Iterator[tuple[str, Traversable]]:
    """All files of the page with their paths, but for those whose names begin with a dot, and for
    the messages of tests.
    """
    for entry in folder.iterdir():
        if prefix + entry.name == MESSAGES:
            continue
        if entry.is_dir():
            yield from static_files(entry, f"{prefix}{entry.name}/")
        elif not entry.name.startswith("."):
            yield prefix + entry.name, entry


def listed_rules() -> list[str]:
    """The ids of the rule sets of the page, in its order."""
    return [*FIRST, *(name for name in builtin_ids() if name not in FIRST)]


def rule_set_json(rules: RuleSet, name: str | None = None) -> dict[str, Any]:
    """Return a rule set as `/api/rules` describes it, but for what depends on the tables.

    `name`, without switches, is the one under which it is asked about. It is the id by default.
    """
    base = name or rules.id
    boxes = zip(rules.categories, possible_points(rules), strict=True)
    steps = {"steps": [bonus.steps for bonus in rules.bonuses]}  # of each column
    return {
        "id": "+".join((base, *rules.active_switches)),
        "base": base,
        **picked(rules, "name", "summary", "dice", "faces"),
        "switches": [picked(switch, "id", "summary", "excludes") for switch in rules.switches],
        "active": list(rules.active_switches),
        "bonus_points": bool(rules.joker and rules.joker.bonus) or bool(rules.first_roll_bonus),
        "rolls": rules.rolls_per_turn,
        "forced": not leaves_choice(rules),
        "saved_rolls": rules.saved_rolls,
        "levels": level_figures(rules),
        "columns": [picked(column, "id", "name", "order", "factor") for column in rules.columns],
        "bonus": (picked(rules.bonus, "threshold", "points") | steps) if rules.bonus else None,
        "categories": [
            picked(box, "id", "name", "upper", "column") | {"points": [*points]}
            for box, points in boxes
        ],
    }


class NamedRules(NamedTuple):
    """A rule set, and the name without switches under which it is asked about."""

    name: str
    rules: RuleSet


@lru_cache(MAX_RULE_SETS_CACHED * 8)
def rule_set_text(named: NamedRules, lang: str) -> str:
    """A rule set as JSON text without its last brace, so that further fields can follow. To
    describe all of them takes a tenth of a second.
    """
    fields = rule_set_json(localized(named.rules, lang), named.name)
    return json.dumps(fields, separators=(",", ":"))[:-1]


@lru_cache(MAX_RULE_SETS_CACHED)
def rule_sets_content(
    rule_sets: tuple[NamedRules, ...], lang: str, states: tuple[str, ...]
) -> Content:
    """Return the answer of `/api/rules`. `states` are JSON objects of what depends on the tables,
    whose fields are added to those of the rule sets.
    """
    entries = [
        f"{rule_set_text(named, lang)},{state[1:]}"
        for named, state in zip(rule_sets, states, strict=True)
    ]
    return Content.of(f"[{','.join(entries)}]".encode(), "json")
