"""Numbers that people meet, as literals, and limits at their edge: so much is allowed, one more
is refused.
"""

import inspect
import os
import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click
import perfect_yatzy
import pytest
from perfect_yatzy import RulesError, SolverError, StateError, TableError, load_rules
from perfect_yatzy.cli import COMMANDS, main
from perfect_yatzy.core import resources
from perfect_yatzy.play.review import grade
from perfect_yatzy.service import budget
from perfect_yatzy.service.budget import SolveBudget, SolveLimit, Work
from perfect_yatzy.service.queries import QueryService
from perfect_yatzy.service.requests import parse_request
from perfect_yatzy.strategy import distribution
from perfect_yatzy.tablebase import estimates, machine
from perfect_yatzy.tablebase.estimates import SolveCost
from perfect_yatzy.web.limits import SERVER_BUDGET
from support.refusals import refused

GB = 1_073_741_824
CONSTANTS: dict[str, dict[str, Any]] = {
    "_version": {"ANSWER_SCHEMA": 2},
    "core.table_info": {
        "FORMAT": 2,
        "SHARDED_FORMAT": 3,
        "MAX_SIDECAR": 16_777_216,
    },
    "core.resources": {"SPARE_DISK": 16_777_216, "MAX_THREADS": 256},
    "tablebase.checkpoint": {"CHECKPOINT_SECONDS": 30.0},
    "tablebase.store": {"PART_SECONDS": 60.0, "STALE": 3600.0},
    "approximation.fitted_file": {
        "FORMAT": 2,
        "MAX_ARCHIVE": 2_147_483_648,
        "COEFFICIENT_BITS": 20,
        "FEATURE_BITS": 12,
        "NOT_ALLOWED": -1e30,
    },
    "strategy.distribution": {
        "FORMAT": 3,
        "MAX_FILE": 67_108_864,
        "MAX_STATES": 3_000_000,
        "STORED_BYTES": 20_000,
        "REACHED_SHARE": 0.15,
        "SAVED_SHARE": 0.125,
        "END_BYTES": 2.4,
        "PASS_COST_RATIO": 0.07,
        "PASS_COST_RATIO_SAVED": 0.15,
        "FIRST_TURNS_COST_RATIO": 0.2,
        "CHANCE_BYTES": 30,
        "CARD_BYTES": 300,
        "RESULT_BYTES": 120,
    },
    "strategy.verify": {
        "MAX_RESIDUAL": 1e-9,
        "FALSE_ALARM_RATE": 0.0000625,
        "CHUNK": 1_048_576,
        "SECONDS": 30.0,
    },
    "tablebase.estimates": {
        "LANE_OPERATIONS_PER_SECOND": 2.5e10,
        "SAVED_SCORES_COST": 1.6,
        "THREADS": 2,
        "BASE_MEMORY": 157_286_400,
        "CARD_MEMORY": 100,
        "LOGGED_SECONDS": 10.0,
        "INSTANT_SOLVE_SECONDS": 3.0,
        "MAX_UNASKED_SECONDS": 180.0,
        "MAX_UNASKED_BYTES": 2_000_000_000,
        "STATE_MEMORY": 24,
    },
    "tablebase.state_counts": {"ONE": ((1,), (1,))},
    "strategy.score_strategy": {"MAX_GOAL": 99_999, "MAX_UTILITY": 1e20},
    "policies.strategy_sheet": {
        "FORMAT": 1,
        "MAX_HOLD_RULES": 200,
        "MAX_PRICE": 1e6,
        "BLOCK_VALUES": 1_048_576,
    },
    "policies.computer_players": {
        "TOLERANCE": 0.1,
        "STYLES": {"safe": -1.0, "bold": 1.0},
        "WIN_SECONDS": 0.5,
        "MAX_SOLVED": 64,
    },
    "web.site.folder": {
        "SCHEMA": 2,
        "MAX_DESCRIPTION": 16_777_216,
        "ICON_SIZES": (192, 512),
        "MAX_CATEGORIES": 30,
        "WHOLE_VALUES": 4_000_000,
        "VALUE_BITS": 30,
        "DEVIATION_BITS": 8,
        "CHANCE_BITS": 12,
        "PART_BYTES": 67_108_864,
        "PAGE_BYTES": 16_384,
        "PAGE_DIGEST_BYTES": 16,
        "HASH_DIGITS": 12,
    },
    "strategy.confidence": {"CONFIDENCE": 0.95, "NODES": 128},
    "play.puzzle": {
        "MAX_TRIES": 5,
        "DIFFICULTIES": {"easy": (1.7, 1e9), "medium": (0.4, 1.7), "hard": (0.05, 0.4)},
        "MAX_GAMES": 1000,
        "PUZZLES_A_DAY": 1000,
    },
    "play.rating": {"BLOCKS": 10, "SMALLEST_BLOCK": 5},
    "play.rating_input": {"CHUNK": 4096},
    "play.record": {"CHUNK": 10_000, "SCHEMA": 2, "READABLE_SCHEMAS": (1, 2)},
    "play.review": {"MAX_POINTS": 1_000_000, "TIE_TOLERANCE": 0.000001},
    "play.spots": {"MAX_SPOTS": 10, "MAX_MISTAKES": 200, "SMALLEST_MISTAKE": 0.4, "ANY": 0},
    "play.session": {"SCHEMA": 2, "READABLE_SCHEMAS": (1, 2)},
    "service.answers": {
        "PERCENTILES": (5, 25, 50, 75, 95),
        "MAX_UNCERTAIN_CHANCE": 0.999999940395355224609375,
        "MAX_UNCERTAIN_SUM": 0.99999999999,
    },
    "service.budget": {
        "FIRST_TURNS_LIMIT_SECONDS": 30.0,
        "FIRST_TURNS_LIMIT_BYTES": 4_000_000,
        "LATELY": 60.0,
        "NO_ESTIMATE_BELOW": 0.02,
    },
    "service.queries": {
        "CACHED_BYTES": 2 * GB,
        "CACHED_ANSWERS": 256,
        "MAX_COSTS": 256,
        "PUZZLE_SECONDS": 0.5,
    },
    "service.resolver": {
        "MAX_BYTES": 268_435_456,
        "MAX_WAITING": 4,
        "MAX_OPPONENT_DISTRIBUTIONS": 256,
    },
    "service.reviews": {"EXPLAINED_OPTIONS": 2, "MIN_EXPLAINED_LOSS": 0.05},
    "cli.commands.ask": {"TOP": 5},
    "cli.progress": {
        "SILENCE": 30.0,
        "LONG_RECORD": 20_971_520,
        "LONG_SIMULATION": 300_000,
        "STAGE_COLUMNS": 12,
        "STAGE_STEPS": 1000,
    },
    "cli.terminal_game": {"TOP": 5, "WIN_CHANCE_PER_POINT": 0.01},
    "web.limits": {
        "MAX_BODY_BYTES": 65_536,
        "MAX_BODY_SECONDS": 10.0,
        "EVENT_SECONDS": 0.2,
        "KEEP_ALIVE_SECONDS": 5.0,
        "MAX_VALUES": 10_000,
        "MAX_FIELDS": 32,
        "MAX_ENTRIES": 126,
        "MAX_REPORTED_FIELDS": 5,
        "MAX_OPPONENT_TEXT": 2_000,
        "MAX_DICE": 100,
        "MAX_SEED": 9_007_199_254_740_991,
        "MAX_NAME_TEXT": 200,
        "MAX_RULE_SETS_CACHED": 64,
        "MAX_OWN_RULES": 40,
        "MAX_OWN_RULES_READ": 160,
        "CHEAP_TURNS": 100,
        "CHEAP_WORK_SECONDS": 0.04,
        "SHORT_RUNNING": 1,
        "CHEAP_RUNNING": 2,
        "CHEAP_QUEUED": 4,
        "REQUEST_THREADS": 38,
        "SHORT_QUEUED": 6,
        "LONG_RUNNING": 1,
        "LONG_QUEUED": 8,
        "DISCONNECT_POLL_SECONDS": 0.2,
    },
}


def is_number(value: object) -> bool:
    """Whether it is a number, or some of them by position or name."""
    values = (
        value.values() if isinstance(value, dict) else value if isinstance(value, tuple) else ()
    )
    return isinstance(value, int | float) or (bool(values) and all(map(is_number, values)))


@pytest.mark.parametrize("name", CONSTANTS)
def test_constants_are_what_they_should_be(name: str) -> None:
    """All numbers that a module names: a new one must be listed."""
    module = import_module(f"perfect_yatzy.{name}")
    source = Path(str(module.__file__)).read_text(encoding="utf-8")
    names = re.findall(
        r"^([A-Z][A-Z_0-9]*(?:, [A-Z][A-Z_0-9]*)*)(?:: [^=]+)? = ", source, re.MULTILINE
    )
    named = {part: getattr(module, part) for listed in names for part in listed.split(", ")}
    found = {part: value for part, value in named.items() if is_number(value)}
    found.pop("LIMITS", None)  # of play.rating: the grades
    assert found == CONSTANTS[name], "list each number of the module in CONSTANTS of this file"


def test_every_module_of_play_and_service_is_listed() -> None:
    package = Path(str(import_module("perfect_yatzy").__file__)).parent
    for folder in ("play", "service"):
        for path in (package / folder).glob("*.py"):
            name = f"{folder}.{path.stem}"
            if re.search(r"^[A-Z_, ]+ = -?[\d(.]", path.read_text(encoding="utf-8"), re.MULTILINE):
                # test_limits.py has those of requests
                assert name in CONSTANTS or name == "service.requests", name


def test_grades() -> None:
    for loss, name in (
        (0.0, "best"),
        (0.0000009, "best"),
        (0.000001, "inaccuracy"),
        (0.3999, "inaccuracy"),
        (0.4, "mistake"),
        (1.6999, "mistake"),
        (1.7, "blunder"),
        (50.0, "blunder"),
    ):
        assert grade(loss) == name
        assert grade(loss, first=False) == name.replace("best", "tied")
    rating = import_module("perfect_yatzy.play.rating")
    assert (rating.LIMITS, rating.GRADE_NAMES) == (
        (0.000001, 0.4, 1.7),
        ("inaccuracy", "mistake", "blunder"),
    )


def test_budgets() -> None:
    infinite = float("inf")
    most = SolveLimit(180.0, 2_000_000_000)
    assert vars(SolveBudget.command()) == {
        "instant_seconds": 3.0,
        "mean": most,
        "objective": most,
        "stored_bytes": infinite,
        "threads": None,
        "opponents": infinite,
        "unasked_seconds": infinite,
    }
    assert vars(SERVER_BUDGET) == {
        "instant_seconds": 3.0,
        "mean": SolveLimit(600.0, 3 * GB),
        "objective": SolveLimit(240.0, 2_000_000_000),
        "stored_bytes": 6 * GB,
        "threads": None,
        "opponents": 8,
        "unasked_seconds": 4.0,
    }
    assert SolveBudget().mean == SolveBudget().objective == SolveLimit(infinite, infinite)


# option, of all commands or of one -> default, lowest and highest number
RANGES: dict[str, tuple[Any, float | None, float | None]] = {
    "--threads": (None, 1, 256),
    "--memory": (2048, 0, 1_048_576),
    "--workers": (None, 1, 256),
    "puzzle --sheet": (None, 1, 200),
    "puzzle --seed": (None, 0, 2**63 - 1),
    "--seed": (1, 0, 2**63 - 1),
    "play --seed": (None, 0, 2**63 - 1),
    "--goal": (None, 0, 99_999),
    "--places": (None, 1, 1000),
    "solve --field": (None, 1, 1_000_000_000),
    "--saved": (0, 0, None),
    "--bonus-points": (0, 0, None),
    "--rolls-left": (None, 0, None),
    "evaluate --games": (200, 1, 1_000_000),
    "expect --games": (None, 100, 10_000_000),
    "--digits": (30, 0, 1000),
    "--paths": (None, 30, 100_000),
    "--endgame": (0, 0, 20),
    "simulate --games": (100_000, 1, 100_000_000),
    "solve --games": (20_000, 2, 10_000_000),
    "tables --games": (0, 0, 10_000_000),
    "tables --states": (500, 1, 1_000_000),
    "simulate --positions": (None, 1, 10_000_000),
    "simulate --exploration": (0.0, 0, 1),
    "solve --minutes": (None, 0.01, 100_000),
    "solve --work": (30.0, 0, 1_000_000),
    "learn --hold-rules": (0, 0, 62),
    "guide --hold-rules": (None, 1, None),
    "play --warn": (0.2, 0, None),
    "rate --block": (None, 1, None),
    "rate --confidence": (95.0, 50, 100),
    "review --game": (None, 1, None),
    "review --from": (0.05, 0, None),
    "serve --port": (8765, 0, 65_535),
    "site --puzzles": (100, 0, 10_000),
}
# other options with a default
DEFAULTS = {
    "--rules": "yatzy",
    "--card": "",
    "--policy": "mean",
    "play --players": "",
    "play --same-dice": "",
    "play --dice": "program",
    "play --advice": "mean",
    "puzzle --difficulty": "medium",
    "serve --host": "127.0.0.1",
    "solve --what": "mean",
    "solve --ties": "half",
    "table --what": "opening",
    "table --output": "-",
    "guide --output": "-",
    "puzzle --output": "-",
}
OPEN = {"rate --confidence"}  # where the highest number is not allowed


def options(
    command: click.Command = main, path: str = ""
) -> Iterator[tuple[str, str, click.Parameter]]:
    for param in command.params:
        name = (
            max(param.opts, key=len)
            if len(param.opts) < 2 or param.opts[0][:2] != "--"
            else param.opts[0]
        )
        yield path, name, param
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner.help, (path, name)
            yield from options(inner, f"{path} {name}".strip())


def test_ranges_defaults_and_help_of_all_options() -> None:
    used, commands = set(), set()
    for command, name, param in options():
        own = f"{command} {name}"
        commands.add(command)
        assert not isinstance(param, click.Option) or param.help, own
        key = own if own in RANGES or own in DEFAULTS else name
        default = param.default if isinstance(param.default, int | float | str) else None
        ranged = isinstance(param.type, click.IntRange | click.FloatRange)
        if ranged:
            kind: Any = param.type
            assert (default, kind.min, kind.max) == RANGES[key], own
            assert (kind.min_open, kind.max_open) == (False, own in OPEN)
            check_ends(kind, 1 if isinstance(kind, click.IntRange) else 0.001)
            used.add(key)
        elif (
            default is not None
            and not isinstance(default, bool)
            and param.param_type_name == "option"
        ):
            assert default == DEFAULTS[key], own
            used.add(key)
    assert used == RANGES.keys() | DEFAULTS.keys()
    assert len(commands) > len(COMMANDS)


def check_ends(kind: Any, step: float) -> None:
    """The ends of a range are taken, unless it is open, and the numbers beside them are not."""
    for end, beyond in ((kind.min, -step), (kind.max, step)):
        if end is not None:
            is_open = beyond > 0 and kind.max_open
            inside, outside = (end - beyond, end) if is_open else (end, end + beyond)
            assert kind.convert(str(inside), None, None) == inside
            with pytest.raises(click.BadParameter):
                kind.convert(str(outside), None, None)


# What a call does without these arguments; those of value 0, False or "" ask for nothing more.
DEFAULTS_OF_CALLS: dict[str, dict[str, Any]] = {
    "Cluster.evaluate": {"rules": "yatzy"},
    "Cluster.simulate": {"seed": 1},
    "Cluster.solve": {"what": "mean"},
    "Cluster.versus": {"ties": "half"},
    "Proof.decimal": {"digits": 30},
    "Proof.fields": {"digits": 60},
    "Rating.__init__": {"confidence": 0.95},
    "RuleSet.__init__": {"order": "free", "crossing_out": "free", "language": "en"},
    "approximate": {
        "seed": 1,
        "games": 20_000,
        "rounds": 4,
        "fit_games": 6_000,
        "work": 30.0,
        "memory": GB,
    },
    "computer_player": {"kind": 5},
    "evaluate": {"games": 200, "seed": 1},
    "open_policy": {"rules": "yatzy"},
    "open_strategy": {"rules": "yatzy"},
    "rate": {"confidence": 0.95, "rules": "yatzy"},
    "sample_positions": {"seed": 1},
    "simulate": {"seed": 1},
    "solve": {"unrolled": True},
    "versus": {"ties": "half"},
}


def calls() -> Iterator[tuple[str, Callable[..., object]]]:
    """The functions of the Python API, and the methods of its classes."""
    for name in perfect_yatzy.__all__:
        found = getattr(perfect_yatzy, name)
        if inspect.isfunction(found):
            yield name, found
        for method, member in vars(found).items() if inspect.isclass(found) else ():
            function = getattr(member, "__func__", member)  # of a class method
            if inspect.isfunction(function) and (method == "__init__" or method[0] != "_"):
                yield f"{name}.{method}", function


def test_defaults_of_the_python_api() -> None:
    found: dict[str, dict[str, Any]] = {}
    for name, function in calls():
        for parameter in inspect.signature(function).parameters.values():
            default = parameter.default
            if isinstance(default, int | float | str) and default:
                found.setdefault(name, {})[parameter.name] = default
    assert found == DEFAULTS_OF_CALLS


YATZY = load_rules("yatzy")
COST = SolveCost(values=1, bytes=1_000, memory=5_000, seconds=10.0)


def taken_up_to(
    most: Any,
    step: Any,
    call: Callable[[Any], object],
    error: type[SolverError],
    text: str | None = None,
) -> None:
    """A call succeeds with a number, and is refused with the next."""
    call(most)
    with pytest.raises(error, match=text):
        call(most + step)


def test_sixteen_megabytes_of_the_disk_stay_free(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        shutil, "disk_usage", lambda folder: SimpleNamespace(free=16_777_216 + 1_000)
    )
    said = "has 16 MB free; the table needs 0.1 MB, and 16 MB must stay free"
    taken_up_to(1_000, 1, lambda size: resources.check_space(tmp_path, size), TableError, said)
    assert machine.free_space(tmp_path / "not" / "there") == 16_778_216

    # an OSError
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: os.stat(tmp_path / "nothing"))
    assert machine.free_space(tmp_path) is None


def test_a_solve_may_take_all_of_the_free_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "MemTotal:  99 kB\nMemFree:  3 kB\nMemAvailable:       7 kB\n"
    monkeypatch.setattr(
        Path, "read_text", lambda path, **rest: text if str(path) == "/proc/meminfo" else ""
    )
    assert machine.available_memory() == 7 * 1024
    said, check = "needs 0.00 GB of memory", estimates.check_memory
    taken_up_to(7_168, 1, lambda size: check(YATZY, replace(COST, memory=size)), RulesError, said)
    text = "MemTotal:  99 kB\n"
    assert machine.available_memory() is None
    estimates.check_memory(YATZY, replace(COST, memory=1 << 60))


def check_cost(
    check: Callable[[SolveBudget, SolveCost], None], allowed: SolveBudget, field: str, value: float
) -> None:
    """Check a cost with another value of one field."""
    check(allowed, replace(COST, **{field: value}))  # type: ignore[arg-type]


def test_the_limits_of_solves_belong_to_what_is_allowed() -> None:
    kinds: tuple[tuple[str, Callable[[SolveBudget, SolveCost], None]], ...] = (
        ("mean", lambda allowed, cost: allowed.check_mean(YATZY, cost)),
        ("objective", lambda allowed, cost: allowed.check_objective(YATZY, cost)),
    )
    for limit, check in kinds:
        allowed = SolveBudget(**{limit: SolveLimit(10.0, 1_000)})  # type: ignore[arg-type]
        for field, largest, step in (("seconds", 10.0, 0.001), ("bytes", 1_000, 1)):
            taken_up_to(largest, step, partial(check_cost, check, allowed, field), RulesError)
    command = replace(SolveBudget.command(), threads=2)
    text = r"the limit is 2\.0 GB and 180 s; ask from a later card$"
    for beyond in (replace(COST, bytes=2_000_000_001), replace(COST, seconds=180.1)):
        refused(text, command.check_objective, YATZY, beyond, error=RulesError)
    stored = SolveBudget(stored_bytes=3_000)
    taken_up_to(
        2_000,
        1,
        lambda before: stored.check_stored(YATZY, before, COST),
        RulesError,
        "stores no more",
    )


def test_what_is_announced_and_what_is_confirmed_at_the_edge() -> None:
    allowed = SolveBudget(instant_seconds=10.0, unasked_seconds=2.0)
    assert allowed.announces(COST)
    assert not allowed.announces(replace(COST, seconds=9.999))
    two = [Work("table", 9.0, 0, 0, 1.0), Work("distribution", 9.0, 0, 0, 1.0)]
    assert not allowed.needs_confirmation(two)
    assert allowed.needs_confirmation([*two, Work("opponents", 0.0, 0, 0, 0.001)])
    assert allowed.confirms
    assert not SolveBudget.command().confirms


@pytest.mark.parametrize(
    "change", [{}, {"seconds": 30.001}, {"bytes": 4_000_001}, {"memory": 5_001}], ids=str
)
def test_first_turns_are_made_up_to_their_limits(
    change: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    cost = replace(SolveCost(1, 4_000_000, 5_000, 30.0), **change)
    monkeypatch.setattr(distribution, "first_turns_cost", lambda rules: cost)
    monkeypatch.setattr(budget, "available_memory", lambda: 5_000)
    assert SolveBudget().makes_first_turns(YATZY) == (not change)
    assert not SolveBudget(objective=SolveLimit(seconds=29.999)).makes_first_turns(YATZY)
    assert not SolveBudget().makes_first_turns(load_rules("giant"))


def test_opponents_up_to_the_number_of_the_budget_holds_of_few_dice_games_of_none() -> None:
    """Faces and points at their edges: game/test_notation.py."""
    service = QueryService(budget=SolveBudget(opponents=8))

    def plan(count: int) -> object:
        return service.plan(service.parse({"query": "expect", "opponents": [250] * count}))

    taken_up_to(8, 1, plan, StateError, "9 opponents; there can be at most 8")
    assert parse_request({"query": "outcomes", "hold": ""}, load_rules).dice == ()
    refused("cannot be held", parse_request, {"query": "outcomes", "hold": [1] * 6}, load_rules)
    assert parse_request({"query": "expect", "games": 0}, load_rules).games == 0
    refused(
        "games is 99; must be from 100 to 10000000",
        parse_request,
        {"query": "expect", "games": 99},
        load_rules,
    )


SAVED = "ones=3 twos=6"  # two turns, of which four rolls can be saved
NUMBERS: list[tuple[dict[str, Any], str, int, int]] = [  # request, field, lowest and highest value
    ({"query": "hold"}, "rolls_left", 1, 2),
    ({"query": "score"}, "rolls_left", 0, 2),
    ({"query": "outcomes", "hold": "33"}, "rolls_left", 1, 2),
    ({"query": "hold", "rules": "yatzy-saved", "card": SAVED, "saved": 3}, "rolls_left", 1, 5),
    ({"query": "score", "rules": "yatzy-saved", "card": SAVED, "saved": 3}, "rolls_left", 0, 5),
    ({"query": "expect", "rules": "yatzy-saved"}, "saved", 0, 0),
    ({"query": "expect", "rules": "yatzy-saved", "card": "ones=3"}, "saved", 0, 2),
    ({"query": "expect", "rules": "yatzy-saved", "card": SAVED}, "saved", 0, 4),
    ({"query": "expect", "rules": "yatzy"}, "saved", 0, 0),
    ({"query": "expect"}, "games", 100, 10_000_000),
    ({"query": "expect"}, "goal", 0, 374),  # the highest score
    ({"query": "expect"}, "seed", 0, 2**63 - 1),
    ({"query": "puzzle"}, "seed", 0, 2**63 - 1),
    ({"query": "expect", "rules": "yahtzee", "card": "yahtzee=50 aces=3"}, "bonus_points", 0, 100),
    ({"query": "expect", "card": ""}, "bonus_points", 0, 0),
]


@pytest.mark.parametrize(
    ("request_", "field", "low", "high"),
    [
        pytest.param(*row, id=f"{row[1]} of {row[0]['query']} {number}")
        for number, row in enumerate(NUMBERS)
    ],
)
def test_numbers_of_a_request_at_their_edges(
    request_: dict[str, Any], field: str, low: int, high: int
) -> None:
    dice = {"dice": "33456"} if request_["query"] in ("hold", "score") else {}

    def parse(number: int) -> object:
        return parse_request(request_ | dice | {field: number}, load_rules)

    taken_up_to(high, 1, parse, StateError)
    taken_up_to(low, -1 if low < 100 else -99, parse, StateError)
