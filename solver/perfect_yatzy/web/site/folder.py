"""Writes a site: the page, its data, and what makes it work without a network.

Files are replaced one by one, each as a whole: data first, under names with a hash of their content, then the page,
last the description and the service worker. A visitor meanwhile has the old site or the new one. What was there and
is no part of the site stays, such as ``CNAME``.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np

from ..._files import replacing
from ..._version import __version__
from ...errors import RulesError, StateError
from ...game.rule_loader import builtin_ids, languages, load_rules, localized
from ...game.rules import RuleSet
from ...model.objectives import BonusChance, PolicyQuantity, Variance
from ...model.state_space import state_space
from ...play.puzzle import DIFFICULTIES, daily_seed, find_puzzle
from ...service.answers import distribution_fields
from ...service.queries import QueryService
from ...service.reviews import puzzle_fields
from ...strategy.distribution import has_distribution, stored_distribution
from ...strategy.strategy import Strategy
from ...tablebase.store import has_table, open_table
from ..rule_sets import rule_set_json
from ..static_files import STATIC, static_files
from .rule_data import rule_data
from .tables import CHANCE_BITS, DEVIATION_BITS, VALUE_BITS, DataFiles, is_whole

SCHEMA = 2  # of site.json; static/engine/files.js reads the same one
GENERATOR = "perfect-yatzy"
DESCRIPTION, SERVICE_WORKER = "site.json", "sw.js"
WORKER_SOURCE = "engine/service-worker.js"
HEAD = """<link rel="manifest" href="manifest.webmanifest">
<link rel="apple-touch-icon" href="icon-192.png">
<script src="engine/offline.js" type="module"></script>
"""
# The icons of the installed page, a die that shows five; the ground of the maskable one fills the square.
ICONS = Path(__file__).with_name("icons")
ICON_SIZES = (192, 512)


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
        "schema": SCHEMA, "generator": GENERATOR, "version": __version__, "rules": entries, "languages": languages(),
        "descriptions": described, "files": sorted(data.sizes),
    }  # fmt: skip
    rest = json.dumps(description, indent=1).removeprefix("{\n").encode()
    last = {
        DESCRIPTION: f'{{"sha256": "{hashlib.sha256(rest).hexdigest()}",\n'.encode() + rest,  # of the lines below
        SERVICE_WORKER: service_worker(page),
        ".nojekyll": b"",  # GitHub Pages serves the files as they are
    }
    for name, content in last.items():
        write(name, content)
    names = {Path(name).relative_to("data") for name in data.sizes}
    for path in list((folder / "data").rglob("*.bin")):  # those of an earlier version of the site
        if path.relative_to(folder / "data") not in names and re.search(r"-[0-9a-f]{12}\.bin$", path.name):
            path.unlink()
            with suppress(OSError):  # other files are left in it; a folder that has become empty goes, too
                path.parent.rmdir()
    return {name: len(content) for name, content in (page | last).items()} | data.sizes


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
        if name == "index.html":
            engine = '<meta name="perfect-yatzy-engine" content="browser">\n'
            html = re.sub(r'<meta name="perfect-yatzy-engine"[^>]*>\n?', "", content.decode())
            content = html.replace("</head>", f"{engine}{HEAD}</head>", 1).encode()
        yield name, content
    for image in sorted(ICONS.iterdir()):
        yield image.name, image.read_bytes()
    icons = [{"src": f"icon-{size}.png", "sizes": f"{size}x{size}", "type": "image/png"} for size in ICON_SIZES]
    maskable = {"src": "icon-maskable-512.png", "sizes": "512x512", "type": "image/png", "purpose": "maskable"}
    manifest = {
        "name": "Perfect Yatzy", "short_name": "Yatzy", "start_url": "./", "scope": "./", "display": "standalone",
        "background_color": "#ffffff", "theme_color": "#146c43",
        "icons": [*icons, maskable, {"src": "icon.svg", "sizes": "any", "type": "image/svg+xml"}],
    }  # fmt: skip
    yield "manifest.webmanifest", json.dumps(manifest, indent=1).encode()


def service_worker(page: Mapping[str, bytes]) -> bytes:
    """The service worker for these files: it keeps exactly them, so a new version replaces all at once."""
    hashes = {name: hashlib.sha256(content).hexdigest() for name, content in sorted(page.items())}
    source = STATIC.joinpath(WORKER_SOURCE).read_text(encoding="utf-8")
    version = hashlib.sha256((json.dumps(hashes) + source).encode()).hexdigest()[:12]
    head = f"const VERSION = {json.dumps(version)};\nconst FILES = {json.dumps(hashes, indent=1)};\n"
    return (head + source).encode()


@dataclass(frozen=True)
class SiteOptions:
    """What a site contains."""

    puzzles: int  # puzzles of each difficulty
    first_day: date  # day of the first one
    report: Callable[[str], None] = field(default=lambda line: None)


def data_folder(rules: RuleSet) -> str:
    """Folder of a rule set below ``data``; some hosts read a plus sign as a space."""
    return rules.key.replace("+", ".")


def rule_set_entry(service: QueryService, rules: RuleSet, files: DataFiles, options: SiteOptions) -> dict[str, Any]:
    """Write the files of a rule set; its entry in ``site.json``."""
    data = rule_data(rules)
    strategy = service.strategy(rules)
    key, place = rules.key, data_folder(rules)
    entry: dict[str, Any] = {"id": rules.key, "name": rules.name, "fingerprint": rules.fingerprint}
    entry["data"] = files.add_json(f"{place}/rules", data)
    whole = is_whole(state_space(rules))
    options.report(f"{key}: table" if whole else f"{key}: table in pages")
    values = np.asarray(strategy.values) if whole else strategy.table
    entry["values"] = files.add_table(f"{place}/values", rules, values, VALUE_BITS)
    entry |= dict(_other_tables(service, strategy, files, options))
    if has_distribution(rules):
        options.report(f"{key}: distribution of the final score")
        found = stored_distribution(strategy, "", 0, service.tables, service.threads)
        fields = {"policy": "mean"} | distribution_fields(found)
        entry["distribution"] = files.add_json(f"{place}/distribution", fields)
    if options.puzzles:  # those of consecutive days, of each difficulty
        days = [options.first_day + timedelta(days=n) for n in range(options.puzzles)]
        puzzles: dict[str, Any] = {"first_day": options.first_day.toordinal()}
        for difficulty in DIFFICULTIES:
            options.report(f"{key}: {options.puzzles} puzzles, {difficulty}")
            puzzles[difficulty] = [puzzle_fields(find_puzzle(strategy, daily_seed(day), difficulty)) for day in days]
        entry["puzzles"] = files.add_json(f"{place}/puzzles", puzzles)
    return entry


def _other_tables(
    service: QueryService, strategy: Strategy, files: DataFiles, options: SiteOptions
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Standard deviations, and chances of the upper bonus: of a large game only if they are stored already."""
    rules, kinds = strategy.rules, list[tuple[str, type[PolicyQuantity], int]]()
    kinds.append(("deviations", Variance, DEVIATION_BITS))
    if rules.bonus:
        kinds.append(("bonus", BonusChance, CHANCE_BITS))
    for name, kind, bits in kinds:
        whole = is_whole(state_space(rules))
        if not whole and not has_table(rules, service.tables, kind.name):
            continue
        options.report(f"{rules.key}: {name}")
        table = open_table(kind(rules, strategy.table), service.tables, threads=service.threads)[1]
        values = np.maximum(0.0, np.asarray(table))
        values = np.sqrt(values) if kind is Variance else values
        values = values if whole else values.astype(np.float32)
        yield name, files.add_table(f"{data_folder(rules)}/{name}", rules, values, bits)
