"""The numbers that people meet, as literals: grades, limits, versions, defaults and ranges of the command."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import click
import pytest
from perfect_yatzy.cli import main
from perfect_yatzy.play.review import grade
from perfect_yatzy.service.budget import SolveBudget, SolveLimit
from perfect_yatzy.web.limits import SERVER_BUDGET
from support.need import need

GB = 1_073_741_824
CONSTANTS: dict[str, dict[str, Any]] = {
    "_version": {"ANSWER_SCHEMA": 2},
    "tablebase.table_info": {"FORMAT": 2, "SHARDED_FORMAT": 3, "MAX_SIDECAR": 16_777_216},
    "tablebase.memory": {"SPARE_DISK": 16_777_216},
    "tablebase.store": {"PART_SECONDS": 60.0, "POLL_SECONDS": 0.05},
    "strategy.fitted_file": {"FORMAT": 2},
    "strategy.distribution_files": {"FORMAT": 3},
    "strategy.certificate": {"CONFIDENCE": 0.99},
    "strategy.verify": {"MAX_RESIDUAL": 1e-9, "FALSE_ALARM_RATE": 0.0000625},
    "model.estimates": {
        "LANE_OPERATIONS_PER_SECOND": 5e10, "SAVED_SCORES_COST": 1.6, "THREADS": 2, "BASE_MEMORY": 157_286_400,
        "CARD_MEMORY": 100, "FLOAT64_VALUES": 100_000_000, "LOGGED_SECONDS": 10.0, "INSTANT_SOLVE_SECONDS": 1.5,
        "MAX_UNASKED_SECONDS": 180.0, "MAX_UNASKED_BYTES": 2_000_000_000, "ONE": ((1,), (1,)),
    },
    "strategy.score_strategy": {"MAX_GOAL": 99_999, "MAX_UTILITY": 1e20},
    "policies.strategy_sheet": {"FORMAT": 1, "MAX_HOLD_RULES": 200},
    "policies.risk": {"TOLERANCE": 0.1, "STYLES": {"safe": -1.0, "bold": 1.0}},
    "policies.computer_players": {"WIN_SECONDS": 0.5, "MAX_SOLVED": 64},
    "web.site.folder": {
        "SCHEMA": 2, "GREEN": (20, 108, 67), "WHITE": (255, 255, 255), "ICON_SIZES": (192, 512),
        "OVERSAMPLING": 4, "PIPS": ((-1, -1), (1, -1), (0, 0), (-1, 1), (1, 1)),
    },
    "web.site.tables": {
        "WHOLE_VALUES": 4_000_000, "VALUE_BITS": 30, "DEVIATION_BITS": 8, "CHANCE_BITS": 12, "PART_BYTES": 67_108_864,
        "PAGE_BYTES": 16_384, "PAGE_DIGEST_BYTES": 16, "HASH_DIGITS": 12,
    },
    "play.columns": {"MAX_POINTS": 1_000_000},
    "play.estimates": {"CONFIDENCE": 0.95, "NODES": 128},
    "play.puzzle": {
        "DIFFICULTIES": {"easy": (1.7, 1e9), "medium": (0.4, 1.7), "hard": (0.05, 0.4)},
        "MAX_GAMES": 1000, "PUZZLES_A_DAY": 1000,
    },
    "play.rating": {"BLOCKS": 10, "SMALLEST_BLOCK": 5},
    "play.rating_input": {"CHUNK": 4096},
    "play.record": {"SCHEMA": 2, "READABLE_SCHEMAS": (1, 2)},
    "play.review": {"TIE_TOLERANCE": 0.000001},
    "play.save_file": {"SCHEMA": 2, "READABLE_SCHEMAS": (1, 2)},
    "play.simulated_records": {"CHUNK": 10_000},
    "service.answers": {"PERCENTILES": (5, 25, 50, 75, 95), "MAX_UNCERTAIN_CHANCE": 0.999999940395355224609375},
    "service.bonus": {"MAX_BYTES": 268_435_456, "MAX_WAITING": 4},
    "service.budget": {"FIRST_TURNS_LIMIT_SECONDS": 15.0, "FIRST_TURNS_LIMIT_BYTES": 4_000_000},
    "service.queries": {"MAX_COSTS": 256, "PUZZLE_SECONDS": 0.5},
    "service.resolver": {"MAX_OPPONENT_DISTRIBUTIONS": 256},
    "service.reviews": {"EXPLAINED_OPTIONS": 2, "MIN_EXPLAINED_LOSS": 0.05},
    "service.work": {"LATELY": 60.0, "NO_ESTIMATE_BELOW": 0.03},
    "cli.commands.ask": {"TOP": 5},
    "cli.progress": {"SILENCE": 30.0, "LONG_RECORD": 20_971_520, "LONG_SIMULATION": 300_000},
    "cli.terminal_game": {"TOP": 5, "WIN_CHANCE_PER_POINT": 0.01},
    "web.connections": {"SPARE_DESCRIPTORS": 128, "MESSAGE_SECONDS": 60.0},
    "web.limits": {
        "MAX_CONNECTIONS": 4096, "MAX_CLIENT_CONNECTIONS": 100, "MAX_PENDING_CONNECTIONS": 1024,
        "ACCEPTED_AT_ONCE": 64, "MAX_UNREAD_SECONDS": 30.0, "MAX_ACTIVE_REQUESTS": 4,
        "MAX_BODY_BYTES": 65_536, "MAX_BODY_SECONDS": 10.0, "MAX_HEADER_SECONDS": 10.0, "EVENT_SECONDS": 0.2,
        "KEEP_ALIVE_SECONDS": 5.0, "MAX_VALUES": 10_000, "MAX_FIELDS": 32, "MAX_ENTRIES": 126,
        "MAX_REPORTED_FIELDS": 5, "MAX_OPPONENTS_TEXT": 2_000, "MAX_DICE": 100, "MAX_SEED": 9_007_199_254_740_991,
        "MAX_NAME_TEXT": 200, "REQUESTS_PER_SECOND": 1000.0, "BURST_REQUESTS": 2000.0, "MAX_TRACKED_CLIENTS": 10_000,
        "MAX_OPPONENTS": 8, "MAX_RULE_SETS_CACHED": 64, "SHORT_RUNNING": 2, "SHORT_QUEUED": 24, "LONG_RUNNING": 1,
        "LONG_QUEUED": 8, "DISCONNECT_POLL_SECONDS": 0.2, "MAX_UNCONFIRMED_SECONDS": 2.0, "MAX_TABLE_SECONDS": 300.0,
        "MAX_TABLE_BYTES": 3 * GB, "MAX_OBJECTIVE_SECONDS": 120.0, "MAX_OBJECTIVE_BYTES": 2_000_000_000,
        "MAX_BYTES_WRITTEN": 6 * GB, "CACHED_ANSWERS": 256, "CACHED_STRATEGY_BYTES": 2 * GB,
    },
}  # fmt: skip


def is_number(value: object) -> bool:
    """Whether it is a number, or some of them by position or name."""
    values = value.values() if isinstance(value, dict) else value if isinstance(value, tuple) else ()
    return isinstance(value, int | float) or (bool(values) and all(map(is_number, values)))


@pytest.mark.parametrize("name", CONSTANTS)
def test_constants_are_what_they_should_be(name: str) -> None:
    """All numbers that a module names: a new one must be listed."""
    module = import_module(f"perfect_yatzy.{name}")
    source = Path(str(module.__file__)).read_text(encoding="utf-8")
    names = re.findall(r"^([A-Z][A-Z_0-9]*(?:, [A-Z][A-Z_0-9]*)*)(?:: [^=]+)? = ", source, re.MULTILINE)
    named = {part: getattr(module, part) for listed in names for part in listed.split(", ")}
    found = {part: value for part, value in named.items() if is_number(value)}
    found.pop("LIMITS", None)  # of play.rating: the grades
    assert found == CONSTANTS[name]


def test_every_module_of_play_and_service_is_listed() -> None:
    package = Path(str(import_module("perfect_yatzy").__file__)).parent
    for folder in ("play", "service"):
        for path in (package / folder).glob("*.py"):
            name = f"{folder}.{path.stem}"
            if re.search(r"^[A-Z_, ]+ = -?[\d(.]", path.read_text(encoding="utf-8"), re.MULTILINE):
                assert name in CONSTANTS or name == "service.requests", name  # test_limits.py has those of requests


def test_grades() -> None:
    for loss, name in (
        (0.0, "best"), (0.0000009, "best"), (0.000001, "inaccuracy"), (0.3999, "inaccuracy"), (0.4, "mistake"),
        (1.6999, "mistake"), (1.7, "blunder"), (50.0, "blunder"),
    ):  # fmt: skip
        assert grade(loss) == name
        assert grade(loss, first=False) == name.replace("best", "tied")
    rating = import_module("perfect_yatzy.play.rating")
    assert (rating.LIMITS, rating.GRADE_NAMES) == ((0.000001, 0.4, 1.7), ("inaccuracy", "mistake", "blunder"))


def test_budgets() -> None:
    infinite = float("inf")
    most = SolveLimit(180.0, 2_000_000_000)
    assert vars(SolveBudget.command()) == {
        "instant_seconds": 1.5, "mean": most, "objective": most, "stored_bytes": infinite, "cached_bytes": 2 * GB,
        "cached_answers": 256, "opponents": infinite, "unasked_seconds": infinite,
    }  # fmt: skip
    assert vars(SERVER_BUDGET) == {
        "instant_seconds": 1.5, "mean": SolveLimit(300.0, 3 * GB), "objective": SolveLimit(120.0, 2_000_000_000),
        "stored_bytes": 6 * GB, "cached_bytes": 2 * GB, "cached_answers": 256, "opponents": 8, "unasked_seconds": 2.0,
    }  # fmt: skip
    assert SolveBudget().mean == SolveBudget().objective == SolveLimit(infinite, infinite)


# option, of all commands or of one -> default, lowest and highest number
RANGES: dict[str, tuple[Any, float | None, float | None]] = {
    "--threads": (None, 1, 256),
    "--workers": (None, 1, 256),
    "solve --workers": (None, 1, 100_000),
    "--seed": (1, 0, 2**63 - 1),
    "play --seed": (None, 0, 2**63 - 1),
    "--goal": (None, 0, 99_999),
    "--saved": (0, 0, None),
    "--bonus-points": (0, 0, None),
    "--rolls-left": (None, 0, None),
    "evaluate --games": (200, 1, 1_000_000),
    "expect --games": (None, 100, 10_000_000),
    "--digits": (30, 0, 1000),
    "simulate --games": (100_000, 1, 100_000_000),
    "solve --games": (20_000, 2, 10_000_000),
    "verify --games": (0, 0, 10_000_000),
    "verify --states": (500, 1, 1_000_000),
    "positions --positions": (100_000, 1, 10_000_000),
    "positions --exploration": (0.0, 0, 1),
    "solve --minutes": (None, 0.01, 100_000),
    "solve --work": (30.0, 0, 1_000_000),
    "learn --hold-rules": (0, 0, 62),
    "guide --hold-rules": (None, 1, None),
    "play --warn": (0.2, 0, None),
    "rate --block": (None, 1, None),
    "rate --confidence": (95.0, 50, 100),
    "review --game": (None, 1, None),
    "review --from": (0.05, 0, None),
    "serve --port": (8765, 1, 65_535),
    "site --puzzles": (100, 0, 10_000),
}
# other options with a default
DEFAULTS = {
    "--rules": "yatzy", "--card": "", "--policy": "mean", "play --players": "", "play --dice": "program",
    "play --advice": "mean", "puzzle --difficulty": "medium", "serve --host": "127.0.0.1",
    "solve --what": "mean", "versus --ties": "half", "table --what": "opening", "table --output": "-", "guide --output": "-",
}  # fmt: skip
OPEN = {"rate --confidence"}  # where the highest number is not allowed


def options(command: click.Command = main, path: str = "") -> Iterator[tuple[str, str, click.Parameter]]:
    for param in command.params:
        name = max(param.opts, key=len) if len(param.opts) < 2 or param.opts[0][:2] != "--" else param.opts[0]
        yield path, name, param
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner is not None
            yield from options(inner, f"{path} {name}".strip())


def test_ranges_and_defaults_of_all_options() -> None:
    used = set()
    for command, name, param in options():
        own = f"{command} {name}"
        key = own if own in RANGES or own in DEFAULTS else name
        default = param.default if isinstance(param.default, int | float | str) else None
        ranged = isinstance(param.type, click.IntRange | click.FloatRange)
        if ranged:
            kind: Any = param.type
            assert (default, kind.min, kind.max) == RANGES[key], own
            assert (kind.min_open, kind.max_open) == (False, own in OPEN)
            check_ends(kind, 1 if isinstance(kind, click.IntRange) else 0.001)
            used.add(key)
        elif default is not None and not isinstance(default, bool) and param.param_type_name == "option":
            assert default == DEFAULTS[key], own
            used.add(key)
    assert used == RANGES.keys() | DEFAULTS.keys()


def check_ends(kind: Any, step: float) -> None:
    """The ends of a range are taken, unless it is open, and the numbers beside them are not."""
    for end, beyond in ((kind.min, -step), (kind.max, step)):
        if end is not None:
            is_open = beyond > 0 and kind.max_open
            inside, outside = (end - beyond, end) if is_open else (end, end + beyond)
            assert kind.convert(str(inside), None, None) == inside
            with pytest.raises(click.BadParameter):
                kind.convert(str(outside), None, None)


FIELDS: dict[str, set[tuple[str, int]]] = {  # limits in the description of each field of a body
    "rules": {("maxLength", 200)},
    "id": {("maxLength", 200)},
    "card": {("maxProperties", 126), ("maxLength", 16_000), ("minimum", 0), ("maximum", 99_999)},
    "saved": {("minimum", 0), ("maximum", 100)},
    "bonus_points": {("minimum", 0), ("maximum", 99_999)},
    "goal": {("minimum", 0), ("maximum", 99_999)},
    "opponents": {("maxLength", 2_000), ("maxItems", 126)},
    "versus": {("maxLength", 2_000)},
    "dice": {("maxLength", 100), ("minimum", 1), ("maximum", 12)},
    "hold": {("maxItems", 126), ("minimum", 1), ("maximum", 12)},
    "rolls_left": {("minimum", 0), ("maximum", 100)},
    "seed": {("minimum", 0), ("maximum", 9_007_199_254_740_991)},
    "date": {("maxLength", 200)},
    "player": {("minimum", 0), ("maximum", 63)},
    "why": {("minimum", 0), ("maximum", 50)},
}


def limits_of(schema: Any) -> Iterator[tuple[str, int]]:
    if isinstance(schema, dict):
        yield from ((name, value) for name, value in schema.items() if name.startswith(("max", "min")))
        for inner in schema.values():
            yield from limits_of(inner)
    elif isinstance(schema, list):
        for inner in schema:
            yield from limits_of(inner)


def test_fields_of_the_server_have_their_limits() -> None:
    need("fastapi")
    from perfect_yatzy.web import schemas

    kinds = [kind for kind in vars(schemas).values() if isinstance(kind, type)]
    models = [kind for kind in kinds if issubclass(kind, schemas.RequestBody)]
    assert len(models) == 9
    for model in models:
        for name, schema in model.model_json_schema().get("properties", {}).items():
            expected = FIELDS.get(name, set())
            if (model.__name__, name) == ("OutcomesRequest", "rolls_left"):
                expected = {("minimum", 1), ("maximum", 100)}
            assert {*limits_of(schema)} == expected, (model, name)
