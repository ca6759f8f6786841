"""Writes a site: the page, its data, and what makes it work without a network.

Files are replaced one by one, each as a whole: data first, under names with a hash of their
content, then the page, last the description and the service worker. So a visitor has the old site
or the new one. Files that are no part of the site stay, such as ``CNAME``.

Rules are the arrays of the turn model as JSON: what a roll scores, which boxes may take it and
which card follows is computed here, so the engine in the browser has no scoring of its own
(``static/engine/game.js``).

Values are read by ``static/engine/table.js``. A small table is one file. Its values are rounded to
fixed point, which makes each differ by at most 2^-31 = 4.7e-10 points: by float32, equal options
would no longer be known as equal. Neighbouring states have similar values: stored are differences
from an expectation (:func:`encoded`), as bytes in gzip, first the highest of all, then the second
highest ...: 3.3 MB for Yatzy instead of 7.7.

A large table is stored as it is, in parts that static hosts accept. The engine fetches pages of 16
kB by HTTP Range, and compares each with its digest: the first 16 bytes of its SHA-256, one after
the other in a file of their own.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date, timedelta
from math import ceil
from pathlib import Path
from typing import Any

import numpy as np

from ..._files import read_file, replacing
from ..._version import __version__
from ...core.checked_values import Table
from ...core.dice import Ints, lattice
from ...core.rules import RuleSet, chains, column_order, prerequisites
from ...core.scoring import first_roll_points, points_table, possible_points, upper_sums
from ...core.state_space import StateSpace, state_space
from ...core.turn_model import (
    SCORING_WAYS,
    joker_model,
    legal_categories,
    numbered_outcomes,
    turn_outcomes,
)
from ...errors import RulesError, StateError
from ...game.maximum_score import maximum_score
from ...game.rule_loader import builtin_ids, load_rules
from ...game.translations import languages, localized
from ...objectives.policy_quantities import BonusChance, PolicyQuantity, Variance
from ...play.puzzle import DIFFICULTIES, daily_seed, find_puzzle
from ...service.answers import distribution_fields, picked
from ...service.queries import QueryService
from ...service.reviews import puzzle_fields
from ...strategy.distribution import has_distribution, stored_distribution
from ...strategy.strategy import Strategy
from ...tablebase.store import has_table, open_table
from ...words import _
from ..bundle import bundle
from ..static_files import (
    ENTRY,
    ENTRY_TAG,
    STATIC,
    messages,
    module_text,
    rule_set_json,
)

WHOLE_VALUES = 4_000_000  # a table with more values is fetched in pages
VALUE_BITS = 30  # after the point, of values
DEVIATION_BITS = 8  # of standard deviations: 0.002 points
CHANCE_BITS = 12  # of the chance of the upper bonus: 0.01 %
PART_BYTES = 64 << 20  # static hosts refuse files of more than 100 MB; a multiple of PAGE_BYTES
PAGE_BYTES = 16 << 10  # fetched and checked as a whole
PAGE_DIGEST_BYTES = 16
HASH_DIGITS = 12  # of a file name
SCHEMA = 2  # of site.json; static/engine/files.js reads the same one
GENERATOR = "perfect-yatzy"
MAX_DESCRIPTION = 16 << 20  # bytes of site.json
DESCRIPTION, SERVICE_WORKER = "site.json", "sw.js"
WORKER_SOURCE = "engine/service-worker.js"
HEAD = """<link rel="manifest" href="manifest.webmanifest">
<link rel="apple-touch-icon" href="icon-192.png">
<script>
var startedEngine = new Worker("engine/worker.js", { type: "module" }); // loaded beside the page
startedEngine.onerror = () => { startedEngine = null; };
</script>
"""
ICON = "icon.svg"
ENGINE, OFFLINE = "engine/worker.js", "engine/offline.js"  # modules of the page
# The icons of the installed page, a die that shows five; the ground of the maskable one fills the
# square.
ICONS = Path(__file__).with_name("icons")
ICON_SIZES = (192, 512)
MAX_CATEGORIES = 30  # bitmasks in JavaScript are 32-bit integers
JOKER_FLAGS = (
    "must_match",
    "requires_points",
    "bonus_requires_points",
    "bonus_requires_open",
    "always_in_full",
)


def is_whole(space: StateSpace) -> bool:
    """Whether the table of a game is one file that is fetched whole."""
    return space.size <= WHOLE_VALUES


def encoded(rules: RuleSet, values: Table, fraction_bits: int) -> tuple[dict[str, Any], bytes]:
    """Return the fields and the bytes of a table as one file.

    A *plane* has one byte of every value.
    """
    fixed = np.rint(np.asarray(values, dtype=np.float64) * 2.0**fraction_bits).astype(np.int64)
    differences = np.empty_like(fixed)
    for place, expected in _expected(rules, state_space(rules), fixed):
        # of each lane and the one before
        differences[place] = np.diff(fixed[place] - expected, prepend=0)
    # the sign in the last bit
    codes = np.where(differences < 0, -2 * differences - 1, 2 * differences)
    # as many bytes as the largest code has
    planes = max(1, ceil(int(codes.max(initial=0)).bit_length() / 8))
    # the highest byte of all values first
    shifts = (8 * plane for plane in reversed(range(planes)))
    data = b"".join((codes >> shift & 0xFF).astype(np.uint8).tobytes() for shift in shifts)
    fields = {
        "coding": "planes",
        "count": len(fixed),
        "planes": planes,
        "fraction_bits": fraction_bits,
    }
    return fields, gzip.compress(data, 9, mtime=0)


def _expected(rules: RuleSet, space: StateSpace, fixed: Ints) -> Iterator[tuple[slice, Ints | int]]:
    """For each row its place in the table, and what is expected: V(card + a) + V(card + b) -
    V(card + a + b), where a and b are the first two boxes that may be filled and keep the lanes.
    """
    layout = space.layout
    needed = prerequisites(rules)  # bitmask of the boxes that must be filled before each box
    weights = enumerate(space.lanes.weight_of.tolist())
    keeps_lanes = [box for box, weight in weights if not weight and box != rules.tracked_index]

    def after(row: int, length: int, *boxes: int) -> Ints:
        """The values of a row of this length with these boxes filled, too."""
        start = int(layout.offsets[row + sum(int(space.step_of[box]) for box in boxes)])
        return fixed[start : start + length]

    for filled in range(space.categories, -1, -1):
        for row in space.layers[filled].tolist():
            mask = int(layout.masks[row])
            begin = int(layout.offsets[row])
            lanes = int(layout.lane_count[layout.lane_sets[row]])
            length = lanes * (int(space.most_saved[filled]) + 1)
            fillable = [
                box
                for box in keeps_lanes
                if not mask >> box & 1 and mask & needed[box] == needed[box]
            ]
            boxes = fillable[:2]  # a and b; a late card has one or none
            terms = [after(row, length, box) for box in boxes]
            if len(boxes) == 2:
                terms.append(-after(row, length, *boxes))
            yield slice(begin, begin + length), sum(terms)


class DataFiles:
    """Writes data files whose names contain a hash of their content, and remembers their sizes."""

    def __init__(self, write: Callable[[str, bytes], None]) -> None:
        self.write = write  # takes the name of a file and its content
        self.sizes: dict[str, int] = {}

    def add(self, name: str, data: bytes) -> dict[str, Any]:
        """Write a file, and return what the reader must know about it."""
        digest = hashlib.sha256(data).hexdigest()
        file = f"data/{name}-{digest[:HASH_DIGITS]}.bin"
        self.write(file, data)
        self.sizes[file] = len(data)
        return {"file": file, "sha256": digest, "size": len(data)}

    def add_json(self, name: str, value: Any) -> dict[str, Any]:
        """Write a JSON value, compressed."""
        text = json.dumps(value, separators=(",", ":"), allow_nan=False)
        return self.add(name, gzip.compress(text.encode(), 9, mtime=0))

    def add_table(
        self, name: str, rules: RuleSet, values: Table, fraction_bits: int
    ) -> dict[str, Any]:
        """Write a table: a small one with so many bits after the point, a large one in parts and
        their digests.
        """
        if is_whole(state_space(rules)):
            fields, content = encoded(rules, values, fraction_bits)
            return self.add(name, content) | fields
        part_values = PART_BYTES // values.dtype.itemsize
        files = list[str]()  # names of the parts
        digests = bytearray()  # of the pages of all parts
        for begin in range(0, len(values), part_values):
            some_values = np.asarray(values[begin : begin + part_values])
            little_endian = some_values.dtype.newbyteorder("<")
            part = some_values.astype(little_endian, copy=False).tobytes()
            files.append(self.add(f"{name}-{len(files) + 1}", part)["file"])
            for start in range(0, len(part), PAGE_BYTES):
                page = part[start : start + PAGE_BYTES]
                digests += hashlib.sha256(page).digest()[:PAGE_DIGEST_BYTES]
        return {
            "coding": "pages",
            "count": len(values),
            "bytes": values.dtype.itemsize,
            "part_bytes": PART_BYTES,
            "page_bytes": PAGE_BYTES,
            "digest_bytes": PAGE_DIGEST_BYTES,
            "parts": files,
            "digests": self.add(f"{name}-digests", gzip.compress(digests, 1, mtime=0)),
        }


def rule_data(rules: RuleSet) -> dict[str, Any]:
    """Everything about a rule set but its table."""
    if len(rules.categories) > MAX_CATEGORIES:
        facts: dict[str, Any] = {
            "rules": rules.key,
            "count": len(rules.categories),
            "most": MAX_CATEGORIES,
        }
        text = _("{rules} has {count} categories; a site can have games of up to {most}", **facts)
        raise RulesError(text, code="too-large")
    legal = legal_categories(rules)
    uppers = upper_sums(rules)
    paid = [points.tolist() for points in uppers.paid]
    least = points_table(rules).min(axis=1).tolist()  # of each category over the rolls
    categories = []
    points_of = zip(
        rules.categories, possible_points(rules), least, first_roll_points(rules), strict=True
    )
    for box, possible, lowest, bonus in points_of:
        points = {"points": [*map(int, possible)], "least": lowest, "first_roll_bonus": bonus}
        categories.append(picked(box, "id", "upper", "column") | points)
    return {
        **picked(rules, "key", "fingerprint", "dice", "faces"),
        "rolls": rules.rolls_per_turn,
        "saved_rolls": rules.saved_rolls,
        "highest_score": maximum_score(rules),
        "first_roll_bonus": bool(rules.first_roll_bonus),
        "columns": len(rules.columns),
        "categories": categories,
        "prerequisites": list(prerequisites(rules)),
        "requiring": legal.requiring,
        "strict": bool(legal.strict),
        "upper_bits": sum(1 << i for i, box in enumerate(rules.categories) if box.upper),
        "joker": _joker(rules),
        "uppers": picked(uppers, "thresholds", "widths", "weights") | {"paid": paid},
        "layout": _layout(rules),
        **_outcomes(rules),
    }


def _joker(rules: RuleSet) -> dict[str, Any]:
    """Return the flags of :class:`perfect_yatzy.core.turn_model.JokerModel`, by roll."""
    model = joker_model(rules)
    rolls = model.rolls - lattice(rules.dice, rules.faces).first_roll
    return {
        "index": rules.joker_index,
        "rolls": rolls.tolist(),
        "box": model.box.tolist(),
        "bit": model.bit,
        "bonus": rules.joker.bonus if rules.joker else 0,
        **{name: bool(getattr(model, name)) for name in JOKER_FLAGS},
    }


def _layout(rules: RuleSet) -> dict[str, Any]:
    """How the engine finds the place of a state
    (:class:`perfect_yatzy.core.state_space.StateSpace`).
    """
    space = state_space(rules)
    layout = space.layout
    orders = {column_order(rules, column) for column in range(max(1, len(rules.columns)))}
    return {
        "chains": [list(chain) for chain in chains(rules)],
        "step_of": space.step_of.tolist(),
        "weight_of": space.lanes.weight_of.tolist(),
        "lane_count": layout.lane_count.tolist(),
        "lane_of": layout.lane_of.ravel().tolist(),
        "upper_width": layout.upper_width,
        "most_saved": space.most_saved.tolist(),
        "tracked_index": rules.tracked_index,
        "upper_first": "upper-first" in orders,
        "size": space.size,
    }


def _outcomes(rules: RuleSet) -> dict[str, Any]:
    """The outcomes of a turn, and which of them each category pays for each roll in each way to
    score.
    """
    outcomes = turn_outcomes(rules)
    # (ways * categories, rolls): the outcome for each roll
    number: Ints = numbered_outcomes(rules).number.reshape(SCORING_WAYS * len(rules.categories), -1)
    rows, row_of = np.unique(number, axis=0, return_inverse=True)  # equal rows are written once
    return {
        "outcomes": {
            name: [*map(int, getattr(outcomes, name))]
            for name in ("category", "points", "total", "step", "shift")
        },
        "rows": rows.tolist(),
        "ways": row_of.reshape(SCORING_WAYS, -1).tolist(),
    }


class ForeignFolder(StateError):
    """A folder has files that are no site."""


def default_rules(service: QueryService) -> list[RuleSet]:
    """Yatzy, and every other built-in rule set whose table is stored and small."""
    chosen = [service.rules("yatzy")]
    for name in builtin_ids():
        rules = load_rules(name)
        if name == "yatzy" or not has_table(rules, service.settings.tables):
            continue
        with suppress(RulesError):  # too many states to be enumerated
            if is_whole(state_space(rules)):
                chosen.append(service.rules(name))
    return chosen


def check_folder(folder: Path, force: bool) -> None:
    """Raise ForeignFolder if a folder has files, hidden ones excepted, and is no site of this
    program.
    """
    is_folder = os.path.isdir(folder)
    if os.path.exists(folder) and not is_folder:
        raise ForeignFolder(f"{folder} is a file; name a folder")
    if force or not is_folder or all(entry.name.startswith(".") for entry in folder.iterdir()):
        return
    with suppress(OSError):
        description = read_file(folder / DESCRIPTION, MAX_DESCRIPTION)
        if f'"generator": "{GENERATOR}"'.encode() in description:  # it may be damaged
            return
    raise ForeignFolder(
        f"{folder} has files that are not a site of {GENERATOR}; use --force to write among them"
    )


def write_site(
    folder: Path, rule_sets: Iterable[RuleSet], service: QueryService, options: SiteOptions
) -> dict[str, int]:
    """Write or update a site."""

    def write(name: str, data: bytes) -> None:
        """Write a file, unless it is there with the same content."""
        path = folder / name
        with suppress(OSError):  # it is not there, longer, or not readable
            if read_file(path, len(data)) == data:
                return
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as file:
            file.write(data)

    chosen = list(rule_sets)
    data = DataFiles(write)
    entries = [rule_set_entry(service, rules, data, options) for rules in chosen]
    described = {
        code: data.add_json(f"rules-{code}", _descriptions(chosen, code)) for code in languages()
    }
    page = dict(site_files())
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
    # The first line has the hash of the lines below.
    lines_below = json.dumps(description, indent=1).removeprefix("{\n").encode()
    first_line = f'{{"sha256": "{hashlib.sha256(lines_below).hexdigest()}",\n'.encode()
    last = {
        DESCRIPTION: first_line + lines_below,
        SERVICE_WORKER: service_worker(page),
        ".nojekyll": b"",  # GitHub Pages serves the files as they are
    }
    for name, content in last.items():
        write(name, content)
    _remove_old_data(folder, data.sizes)
    return {name: len(content) for name, content in (page | last).items()} | data.sizes


def _remove_old_data(folder: Path, names: Iterable[str]) -> None:
    """Remove the data files of an earlier version of a site. `names` are those of this version."""
    current = {folder / name for name in names}
    for path in list((folder / "data").rglob("*.bin")):
        if path not in current and re.search(r"-[0-9a-f]{12}\.bin$", path.name):
            path.unlink()
            # A folder that has become empty goes, too; one with other files is left.
            with suppress(OSError):
                path.parent.rmdir()


def _descriptions(rule_sets: list[RuleSet], language: str) -> list[dict[str, Any]]:
    """The rule sets as `/api/rules` describes them, with the switches that the site has."""
    # The id and the switches of each, in any order.
    on_site = {frozenset(rules.key.split("+")) for rules in rule_sets}
    descriptions = []
    for rules in rule_sets:
        fields = rule_set_json(localized(rules, language)) | {"solved": True}
        # A switch is offered only if the rules with it changed (^) are on the site, too.
        names = {rules.id, *rules.active_switches}
        fields["switches"] = [
            switch for switch in fields["switches"] if names ^ {switch["id"]} in on_site
        ]
        descriptions.append(fields)
    return descriptions


def site_files() -> Iterator[tuple[str, bytes]]:
    """The files of the page, with the engine in the browser instead of the server.

    The scripts, the styles and the icon are part of the page itself: on a slow line each request
    takes longer than what it brings.
    """
    yield from messages()
    yield ICON, STATIC.joinpath(ICON).read_bytes()
    yield "index.html", _page().encode()
    worker = bundle([ENGINE], module_text, base="../", is_compact=True)
    yield ENGINE, worker.encode()
    for image in sorted(ICONS.iterdir()):
        yield image.name, image.read_bytes()
    icons = [
        {"src": f"icon-{size}.png", "sizes": f"{size}x{size}", "type": "image/png"}
        for size in ICON_SIZES
    ]
    maskable = {
        "src": "icon-maskable-512.png",
        "sizes": "512x512",
        "type": "image/png",
        "purpose": "maskable",
    }
    manifest = {
        "name": "Perfect Yatzy",
        "short_name": "Yatzy",
        "start_url": "./",
        "scope": "./",
        "display": "standalone",
        "background_color": "#ffffff",
        "theme_color": "#146c43",
        "icons": [*icons, maskable, {"src": "icon.svg", "sizes": "any", "type": "image/svg+xml"}],
    }
    yield "manifest.webmanifest", json.dumps(manifest, indent=1).encode()


def _page() -> str:
    """The page with what it needs to be shown."""

    def style(link: re.Match[str]) -> str:
        """The styles of the file that a link names, without indentation and comments."""
        path, attributes = link.groups()
        text = re.sub(r"^ +|/\*.*?\*/", "", module_text(path), flags=re.MULTILINE | re.DOTALL)
        return f"<style{attributes}>\n{text}</style>"

    icon = base64.b64encode(STATIC.joinpath(ICON).read_bytes()).decode()
    script = bundle([ENTRY, OFFLINE], module_text, is_compact=True).replace("</", r"<\/")
    html = STATIC.joinpath("index.html").read_text(encoding="utf-8")
    html = html.replace('content="server"', 'content="browser"', 1)
    html = html.replace(f'href="{ICON}"', f'href="data:image/svg+xml;base64,{icon}"')
    html = re.sub(r'<link rel="stylesheet" href="([\w/-]+\.css)"([^>]*)>', style, html)
    html = html.replace(f'<script {ENTRY_TAG} type="module"></script>\n', "")
    html = html.replace("</head>", f"{HEAD}</head>", 1)
    return html.replace("</body>", f'<script type="module">\n{script}</script>\n</body>', 1)


def service_worker(page: Mapping[str, bytes]) -> bytes:
    """The service worker for these files: it keeps exactly them, so a new version replaces all
    at once.
    """
    hashes = {name: hashlib.sha256(content).hexdigest() for name, content in sorted(page.items())}
    source = STATIC.joinpath(WORKER_SOURCE).read_text(encoding="utf-8")
    version = hashlib.sha256((json.dumps(hashes) + source).encode()).hexdigest()[:12]
    head = (
        f"const VERSION = {json.dumps(version)};\nconst FILES = {json.dumps(hashes, indent=1)};\n"
    )
    return (head + source).encode()


@dataclass(frozen=True)
class SiteOptions:
    """What a site contains."""

    puzzles: int  # puzzles of each difficulty
    first_day: date  # day of the first one
    report: Callable[[str], None] = field(default=lambda line: None)


def data_folder(rules: RuleSet) -> str:
    """Return the folder of a rule set below ``data``. It has no plus sign, which some hosts read as a
    space.
    """
    return rules.key.replace("+", ".")


def rule_set_entry(
    service: QueryService, rules: RuleSet, files: DataFiles, options: SiteOptions
) -> dict[str, Any]:
    """Write the files of a rule set, and return its entry in ``site.json``."""
    data = rule_data(rules)
    strategy = service.strategy(rules)
    key = rules.key
    folder = data_folder(rules)
    entry: dict[str, Any] = {"id": key, "name": rules.name, "fingerprint": rules.fingerprint}
    entry["data"] = files.add_json(f"{folder}/rules", data)
    values = strategy.table
    if is_whole(state_space(rules)):
        options.report(f"{key}: table")
        values = np.asarray(strategy.values)
    else:
        options.report(f"{key}: table in pages")
    entry["values"] = files.add_table(f"{folder}/values", rules, values, VALUE_BITS)
    entry |= dict(_other_tables(service, strategy, files, options))
    if has_distribution(rules):
        options.report(f"{key}: distribution of the final score")
        distribution = stored_distribution(service.settings, strategy, "", 0)
        fields = {"policy": "mean"} | distribution_fields(distribution)
        entry["distribution"] = files.add_json(f"{folder}/distribution", fields)
    if options.puzzles:  # those of consecutive days, of each difficulty
        days = [options.first_day + timedelta(days=n) for n in range(options.puzzles)]
        puzzles: dict[str, Any] = {"first_day": options.first_day.toordinal()}
        for difficulty in DIFFICULTIES:
            options.report(f"{key}: {options.puzzles} puzzles, {difficulty}")
            puzzles[difficulty] = [
                puzzle_fields(find_puzzle(strategy, daily_seed(day), difficulty)) for day in days
            ]
        entry["puzzles"] = files.add_json(f"{folder}/puzzles", puzzles)
    return entry


def _other_tables(
    service: QueryService, strategy: Strategy, files: DataFiles, options: SiteOptions
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Standard deviations, and chances of the upper bonus: of a large game only if they are
    stored already.
    """
    rules = strategy.rules
    settings = service.settings
    is_small = is_whole(state_space(rules))
    kinds: list[tuple[str, type[PolicyQuantity], int]] = [("deviations", Variance, DEVIATION_BITS)]
    if rules.bonus:
        kinds.append(("bonus", BonusChance, CHANCE_BITS))
    for name, kind, bits in kinds:
        if not is_small and not has_table(rules, settings.tables, kind.name):
            continue
        options.report(f"{rules.key}: {name}")
        table = open_table(settings, kind(rules, strategy.table))[1]
        values = np.maximum(0.0, np.asarray(table))
        if kind is Variance:
            values = np.sqrt(values)
        if not is_small:
            values = values.astype(np.float32)
        yield name, files.add_table(f"{data_folder(rules)}/{name}", rules, values, bits)
