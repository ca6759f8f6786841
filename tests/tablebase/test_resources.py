"""Processors: as many threads as this process may use, whatever the machine has."""

import ast
import inspect
import json
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import perfect_yatzy
import pytest
from perfect_yatzy import Strategy, open_strategy
from perfect_yatzy.core.checked_values import BLOCK_BYTES, THREADED_BLOCKS, CheckedValues
from perfect_yatzy.core.resources import default_threads
from perfect_yatzy.play.record import Game, read_game, simulated_records
from perfect_yatzy.strategy import batch
from support import games
from support.seeds import ring_2

RULES = games.SAVED


@pytest.fixture
def allowed(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Allows so many processors of a machine with 64."""
    monkeypatch.setattr(os, "cpu_count", lambda: 64)

    def allow(number: int) -> None:
        monkeypatch.setattr(
            os, "sched_getaffinity", lambda process: {*range(7, 7 + number)}, raising=False
        )

    return allow


@pytest.fixture
def pools(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The sizes of the thread pools that are made."""
    sizes: list[int] = []
    make = ThreadPoolExecutor.__init__

    def counted(
        pool: ThreadPoolExecutor, most: int | None = None, *given: Any, **rest: Any
    ) -> None:
        assert most, "a pool whose size follows from the machine"
        sizes.append(most)
        make(pool, most, *given, **rest)

    monkeypatch.setattr(ThreadPoolExecutor, "__init__", counted)
    return sizes


def test_the_processors_of_this_process_count_where_the_system_tells_them(
    allowed: Callable[[int], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in (1, 2, 5, 64):
        allowed(number)
        assert default_threads() == number
    monkeypatch.delattr(os, "sched_getaffinity")
    assert default_threads() == 64
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert default_threads() == 1


def test_no_module_counts_the_processors_of_the_machine_alone() -> None:
    """Each function that does also asks for those of this process."""
    package, found = Path(perfect_yatzy.__file__).parent, []
    texts = {path: path.read_text(encoding="utf-8") for path in package.rglob("*.py")}
    for path, text in texts.items():
        tree = ast.parse(text if "cpu_count" in text else "")
        functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
        assert text.count("cpu_count") == sum(
            ast.unparse(node).count("cpu_count") for node in functions
        ), path
        for node in functions:
            if "cpu_count" in (
                names := {each.attr for each in ast.walk(node) if isinstance(each, ast.Attribute)}
            ):
                found.append(node.name)
                assert "sched_getaffinity" in names, path
    assert sorted(found) == ["default_threads"]


STATES = {
    "filled": [0, 1, 3, 7],
    "upper": [0] * 4,
    "dice": [[1, 2]] * 4,
    "rolls_left": [1] * 4,
}  # of four layers
# Each public function that takes `threads`, with work for several of them
CALLS: dict[str, Callable[[Strategy, Path, dict[str, int]], object]] = {
    "solve": lambda strategy, folder, threads: perfect_yatzy.solve(RULES, **threads),
    "open_strategy": lambda strategy, folder, threads: open_strategy(RULES, folder, **threads),
    "prove": lambda strategy, folder, threads: perfect_yatzy.prove(RULES, tables=folder, **threads),
    "reach": lambda strategy, folder, threads: perfect_yatzy.reach(
        RULES, 12, tables=folder, **threads
    ),
    "maximise": lambda strategy, folder, threads: perfect_yatzy.maximise(RULES, np.sqrt, **threads),
    "distribution": lambda strategy, folder, threads: perfect_yatzy.distribution(
        strategy, **threads
    ),
    "simulate": lambda strategy, folder, threads: perfect_yatzy.simulate(strategy, 3000, **threads),
    "evaluate": lambda strategy, folder, threads: perfect_yatzy.evaluate(strategy, **threads),
    "rate": lambda strategy, folder, threads: perfect_yatzy.rate(recorded(strategy), **threads),
    "sample_positions": lambda strategy, folder, threads: perfect_yatzy.sample_positions(
        strategy, 500, **threads
    ),
    "versus": lambda strategy, folder, threads: perfect_yatzy.versus(RULES, **threads),
    "approximate": lambda strategy, folder, threads: perfect_yatzy.approximate(
        RULES, folder, work=1e-6, games=64, fit_games=64, **threads
    ),
    "computer_player": lambda strategy, folder, threads: perfect_yatzy.computer_player(
        RULES, "bold", folder, **threads
    ),
    "Strategy.best": lambda strategy, folder, threads: strategy.best(**STATES, **threads),
    "Strategy.options": lambda strategy, folder, threads: strategy.options(**STATES, **threads),
    "Strategy.regrets": lambda strategy, folder, threads: strategy.regrets(
        **STATES, actions=strategy.best(**STATES, **threads), **threads
    ),
}


def recorded(strategy: Strategy) -> list[Game]:
    return [read_game(json.loads(line)) for line in simulated_records(strategy, 20, 1, threads=1)]


IN_RING_1 = {
    "solve",
    "open_strategy",
    "reach",
    "simulate",
    "Strategy.best",
    "Strategy.options",
    "Strategy.regrets",
}


def test_every_public_function_with_threads_is_listed() -> None:
    public = {name: getattr(perfect_yatzy, name) for name in perfect_yatzy.__all__}
    for name, value in [*public.items()]:
        if inspect.isclass(value):
            own = {
                f"{name}.{key}": each
                for key, each in vars(value).items()
                if not key.startswith("_")
            }
            public |= {key: each for key, each in own.items() if inspect.isfunction(each)}
    functions = {name: value for name, value in public.items() if inspect.isroutine(value)}
    assert {
        name
        for name, value in functions.items()
        if "threads" in inspect.signature(value).parameters
    } == {*CALLS}


@pytest.mark.parametrize("name", [name if name in IN_RING_1 else ring_2(name) for name in CALLS])
def test_as_many_threads_as_processors_or_as_asked_for(
    name: str,
    tmp_path: Path,
    allowed: Callable[[int], None],
    pools: list[int],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Also to solve the tables that are missing."""
    monkeypatch.setattr(batch, "SLICE", 16)  # positions that a thread takes at a time
    strategy = open_strategy(RULES)
    for processors, threads, used in (
        (3, {}, 3),
        (1, {}, 1),
        (3, {"threads": 2}, 2),
        (1, {"threads": 2}, 2),
    ):
        allowed(processors)
        pools.clear()
        folder = tmp_path / f"{processors} {used}"
        monkeypatch.setenv("YATZY_TABLES", str(folder))
        CALLS[name](strategy, folder, threads)
        assert max(pools, default=1) == used  # one thread is the caller's


def test_blocks_of_a_large_table_are_read_by_the_allowed_processors(
    allowed: Callable[[int], None], pools: list[int]
) -> None:
    def read(low: int, part: memoryview) -> None:
        part[:] = bytes(len(part))

    for number in (1, 3):
        allowed(number)
        pools.clear()
        table = CheckedValues(THREADED_BLOCKS * BLOCK_BYTES // 8, np.dtype(np.float64), read)
        assert not table.checked(0, len(table)).any()
        assert pools == [number]
