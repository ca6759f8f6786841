"""Writes a site: the page, its data, and what makes it work without a network.

Files are replaced one by one, each as a whole: data first, under names with a hash of their content, then the page,
last the description and the service worker. A visitor meanwhile has the old site or the new one. What was there and
is no part of the site stays, such as ``CNAME``.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..._files import replacing
from ..._version import __version__
from ...errors import RulesError, StateError
from ...game.rule_loader import builtin_ids, load_rules
from ...game.rules import RuleSet
from ...game.translations import languages, localized
from ...model.state_space import state_space
from ...service.queries import QueryService
from ...tablebase.store import has_table
from ..rule_sets import rule_set_json
from ..static_files import STATIC, static_files
from .content import DataFiles, SiteOptions, rule_set_entry
from .icons import SIZES, icon
from .tables import is_whole

SCHEMA = 2  # of site.json; static/engine/files.js reads the same one
GENERATOR = "perfect-yatzy"
DESCRIPTION, SERVICE_WORKER = "site.json", "sw.js"
WORKER_SOURCE = "engine/service-worker.js"
NAME, COLOUR = "Perfect Yatzy", "#146c43"
HEAD = """<link rel="manifest" href="manifest.webmanifest">
<link rel="apple-touch-icon" href="icon-192.png">
<script src="engine/offline.js" type="module"></script>
"""


class ForeignFolder(StateError):
    """A folder has files that are no site."""


def default_rules(service: QueryService) -> list[RuleSet]:
    """Yatzy, and every other built-in rule set whose table is stored and small."""
    found = [service.rules("yatzy")]
    for name in builtin_ids():
        rules = load_rules(name)
        if name == "yatzy" or not has_table(rules, service.tables):
            continue
        with suppress(RulesError):  # too many states to be enumerated
            if is_whole(state_space(rules)):
                found.append(service.rules(name))
    return found


def check_folder(folder: Path, force: bool) -> None:
    """Raise ForeignFolder if a folder has files and is no site of this program.

    Files whose names begin with a dot do not count.
    """
    if folder.exists() and not folder.is_dir():
        raise ForeignFolder(f"{folder} is a file; name a folder")
    if force or not folder.is_dir() or all(entry.name.startswith(".") for entry in folder.iterdir()):
        return
    with suppress(OSError):
        if f'"generator": "{GENERATOR}"'.encode() in (folder / DESCRIPTION).read_bytes():  # it may be damaged
            return
    raise ForeignFolder(f"{folder} has files that are not a site of {GENERATOR}; use --force to write among them")


def write_site(
    folder: Path, rule_sets: Iterable[RuleSet], service: QueryService, options: SiteOptions
) -> dict[str, int]:
    """Write or update a site."""

    def write(name: str, data: bytes) -> None:
        path = folder / name
        if path.is_file() and path.read_bytes() == data:
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as file:
            file.write(data)

    chosen = list(rule_sets)
    data = DataFiles(write)
    entries = [rule_set_entry(service, rules, data, options) for rules in chosen]
    described = {code: data.add_json(f"rules-{code}", _descriptions(chosen, code)) for code in languages()}
    page = dict(page_files())
    for name, content in page.items():
        write(name, content)
    description = {
        "schema": SCHEMA,
        "generator": GENERATOR,
        "version": __version__,
        "rules": entries,
        "languages": languages(),
        "descriptions": described,
        "files": sorted(data.sizes),
    }
    last = {
        DESCRIPTION: with_own_hash(description),
        SERVICE_WORKER: service_worker(page),
        ".nojekyll": b"",  # GitHub Pages serves the files as they are
    }
    for name, content in last.items():
        write(name, content)
    _remove_old(folder / "data", data.sizes)
    return {name: len(content) for name, content in (page | last).items()} | data.sizes


def with_own_hash(fields: dict[str, Any]) -> bytes:
    """JSON fields after a first line with the SHA-256 of the lines that follow it."""
    rest = json.dumps(fields, indent=1).removeprefix("{\n").encode()
    return f'{{"sha256": "{hashlib.sha256(rest).hexdigest()}",\n'.encode() + rest


def _descriptions(rule_sets: list[RuleSet], language: str) -> list[dict[str, Any]]:
    """The rule sets as `/api/rules` describes them, with the switches that the site has."""
    known = {frozenset(rules.key.split("+")) for rules in rule_sets}
    found = []
    for rules in rule_sets:
        fields = rule_set_json(localized(rules, language)) | {"solved": True}
        active = {rules.id, *rules.active_switches}
        fields["switches"] = [switch for switch in fields["switches"] if active ^ {switch["id"]} in known]
        found.append(fields)
    return found


def page_files() -> Iterator[tuple[str, bytes]]:
    """The files of the page, with the engine in the browser instead of the server."""
    for name, source in sorted(static_files(), key=lambda entry: entry[0]):
        if name == WORKER_SOURCE:
            continue
        content = source.read_bytes()
        yield name, _index(content.decode()).encode() if name == "index.html" else content
    for size in SIZES:
        yield f"icon-{size}.png", icon(size)
    yield "icon-maskable-512.png", icon(512, maskable=True)
    yield "manifest.webmanifest", json.dumps(_manifest(), indent=1).encode()


def _index(html: str) -> str:
    """The page with the engine chosen, a manifest and icons."""
    engine = '<meta name="perfect-yatzy-engine" content="browser">\n'
    html = re.sub(r'<meta name="perfect-yatzy-engine"[^>]*>\n?', "", html)
    return html.replace("</head>", f"{engine}{HEAD}</head>", 1)


def _manifest() -> dict[str, Any]:
    icons = [{"src": f"icon-{size}.png", "sizes": f"{size}x{size}", "type": "image/png"} for size in SIZES]
    maskable = {"src": "icon-maskable-512.png", "sizes": "512x512", "type": "image/png", "purpose": "maskable"}
    return {
        "name": NAME,
        "short_name": "Yatzy",
        "start_url": "./",
        "scope": "./",
        "display": "standalone",
        "background_color": "#ffffff",
        "theme_color": COLOUR,
        "icons": [*icons, maskable, {"src": "icon.svg", "sizes": "any", "type": "image/svg+xml"}],
    }


def service_worker(page: Mapping[str, bytes]) -> bytes:
    """The service worker for these files: it keeps exactly them, so a new version replaces all at once."""
    hashes = {name: hashlib.sha256(content).hexdigest() for name, content in sorted(page.items())}
    source = STATIC.joinpath(WORKER_SOURCE).read_text(encoding="utf-8")
    version = hashlib.sha256((json.dumps(hashes) + source).encode()).hexdigest()[:12]
    head = f"const VERSION = {json.dumps(version)};\nconst FILES = {json.dumps(hashes, indent=1)};\n"
    return (head + source).encode()


def _remove_old(folder: Path, kept: Iterable[str]) -> None:
    """Remove data files of an earlier version of the site."""
    names = {Path(name).relative_to("data") for name in kept}
    for path in list(folder.rglob("*.bin")):  # a folder that has become empty is removed below
        if path.relative_to(folder) not in names and re.search(r"-[0-9a-f]{12}\.bin$", path.name):
            path.unlink()
            with suppress(OSError):  # other files are left in it
                path.parent.rmdir()
