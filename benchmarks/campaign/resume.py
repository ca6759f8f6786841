"""Unfinished work that does not fit: its files are swapped with those of other games, ties,
objectives, settings and states of the program, deleted, cut, or a bit of them is flipped.

Each case takes a solve that was interrupted, changes up to three of its files, and solves on. The
result has the bits of a solve that was never interrupted.
"""

from __future__ import annotations

import hashlib
import random
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from perfect_yatzy import RuleSet, _sources, approximate, prove, versus
from perfect_yatzy.approximation import solve as approximate_solve
from perfect_yatzy.core import objectives
from perfect_yatzy.core.objectives import Objective
from perfect_yatzy.core.rules import Bonus
from perfect_yatzy.core.state import EMPTY_STATE
from perfect_yatzy.objectives.exponential import ExponentialUtility
from perfect_yatzy.objectives.scores import Goals
from perfect_yatzy.settings import Settings
from perfect_yatzy.strategy import distribution
from perfect_yatzy.tablebase import exact_solve, shard_task, store, table_writer
from perfect_yatzy.tablebase.sharded_solve import solve_sharded
from perfect_yatzy.tablebase.store import STEM, leftovers, solve_to_store, table_path
from perfect_yatzy.tablebase.table_reader import read_table
from perfect_yatzy.two_players import two_player_table, two_players
from perfect_yatzy.two_players.two_player_table import NAMES, TwoPlayerTable
from support import games
from support.players import in_memory, solution_bits
from support.shards import CountingEngine

from .tally import Tally, cpu_limit

RESUME_SECONDS = 60.0  # of processor time, for one resume
INTERRUPTED = 3  # times that each work is interrupted, at random places
GAME = games.saved_rolls_game("free", True)
# The same number of states and scores, so that the files have the same names and sizes.
OTHER_GAME = replace(GAME, bonus=Bonus(16, 6))
LEAST = {"games": 64, "fit_games": 32, "rounds": 2, "memory": 1 << 22, "work": 1e-8}
Progress = Callable[..., None]
Files = dict[str, bytes]  # by name, with the name of the table replaced


@dataclass(frozen=True)
class Work:
    """Something that is solved.

    Attributes
    ----------
    name : str
    solve : callable
        Solves it in a folder or goes on there, and returns what determines all bits of the result;
        calls the progress, which may interrupt it.
    changed : str
        What the names of the files contain that are changed.
    """

    name: str
    solve: Callable[[RuleSet, Path, Progress | None], bytes]
    changed: str = ".part"


def one_file(make: Callable[[RuleSet], Objective]) -> Any:
    """The solve of a table in one file."""

    def solve(rules: RuleSet, folder: Path, progress: Progress | None) -> bytes:
        solve_to_store(Settings(folder, 1, progress), make(rules))
        return table_bytes(make(rules), folder)

    return solve


def shards(make: Callable[[RuleSet], Objective]) -> Any:
    """The solve of a table in shards."""

    def solve(rules: RuleSet, folder: Path, progress: Progress | None) -> bytes:
        engine = CountingEngine()
        solve_sharded(
            Settings(folder, progress=progress), make(rules), engine=engine, shard_bytes=1500
        )
        return table_bytes(make(rules), folder)

    return solve


def table_bytes(objective: Objective, folder: Path) -> bytes:
    """All values of a table as a program reads them."""
    values = read_table(table_path(objective.rules, folder, objective.name), objective)[1]
    return np.asarray(values).tobytes()


def rounded(solve: Any) -> Any:
    """The same solve of a table that is stored in fewer bits than it is computed in."""

    def solve_rounded(*arguments: Any) -> bytes:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(objectives, "FLOAT64_VALUES", 10)
            return bytes(solve(*arguments))

    return solve_rounded


def stored_games(rules: RuleSet, folder: Path, progress: Progress | None) -> bytes:
    """The games of two players with all tie rules, stored."""
    chances = versus(rules, tables=folder, store=True, threads=1, progress=progress)
    tables = [TwoPlayerTable(rules, tie, folder) for tie in NAMES]
    values = b"".join(np.asarray(table.values).tobytes() for table in tables)
    return values + repr([chances.first, *(table.first for table in tables)]).encode()


def two_player_game(ties: str) -> Any:
    """A game of two players that is not stored, with a tie rule."""

    def solve(rules: RuleSet, folder: Path, progress: Progress | None) -> bytes:
        found = versus(rules, ties=ties, tables=folder, threads=1, progress=progress)
        return repr(found.first).encode()

    return solve


def proof(spread: bool) -> Any:
    """A proof in integers."""

    def solve(rules: RuleSet, folder: Path, progress: Progress | None) -> bytes:
        options: dict[str, Any] = {"spread": spread, "threads": 1, "progress": progress}
        found = prove(rules, tables=folder, **options)
        return repr(replace(found, seconds=0.0).fields()).encode()

    return solve


def approximation(seed: int) -> Any:
    """An approximate solution."""

    def solve(rules: RuleSet, folder: Path, progress: Progress | None) -> bytes:
        options: dict[str, Any] = {"report": progress, "seed": seed, "threads": 1}
        return solution_bits(approximate(rules, folder, **LEAST, **options)).encode()

    return solve


def distributions(rules: RuleSet, folder: Path, progress: Progress | None) -> bytes:
    """The stored distributions of perfect play: no unfinished work, but they are made again."""
    found = distribution.stored_distribution(Settings(folder, 1), in_memory(rules), EMPTY_STATE)
    return found.chances.tobytes() + repr(found.categories).encode()


WORKS = (
    *(
        Work(f"{name} {form}", solve(make))
        for name, make in (
            ("mean", Objective),
            ("goals", Goals),
            ("risk", lambda rules: ExponentialUtility(rules, -0.02)),
            ("other risk", lambda rules: ExponentialUtility(rules, 0.01)),
        )
        for form, solve in (("in one file", one_file), ("in shards", shards))
    ),
    Work("rounded mean in one file", rounded(one_file(Objective))),
    Work("rounded mean in shards", rounded(shards(Objective))),
    Work("stored games of two players", stored_games),
    *(
        Work(f"two players, a tie a {ties}", two_player_game(ties))
        for ties in ("loss", "half", "win")
    ),
    Work("proof", proof(spread=False)),
    Work("proof with spread", proof(spread=True)),
    Work("approximation", approximation(1)),
    Work("approximation of another seed", approximation(2)),
    Work("distributions", distributions, changed=".json"),
)


@contextmanager
def another_program() -> Iterator[None]:
    """The program with other sources, which stores other values, with checksums that match."""

    def altered(values: Any) -> Any:
        if values.dtype == np.uint8:
            return values
        with np.errstate(invalid="ignore"):  # entries that nothing has written may be any number
            return values + values.dtype.type(1)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_sources, "digest_of", lambda *modules, **options: "0" * 64)
        patch.setattr(distribution, "__version__", "0.0.0")
        for module in (table_writer, two_players, exact_solve, approximate_solve):
            store_layer = module.store_layer
            patch.setattr(
                module,
                "store_layer",
                lambda path, identity, values, store_layer=store_layer, **fields: store_layer(
                    path, identity, altered(values), **fields
                ),
            )
        for module in (shard_task, two_player_table):
            write_shard = module.write_shard
            patch.setattr(
                module,
                "write_shard",
                lambda path, values, *rest, write_shard=write_shard: write_shard(
                    path, altered(values), *rest
                ),
            )
        yield


def name_in(path: Path, folder: Path) -> str:
    """The name of a file without that of its table: the same for all games and objectives."""
    return re.sub(rf"^{STEM}", "NAME", path.relative_to(folder).as_posix())


def changed_files(work: Work, folder: Path) -> list[Path]:
    """The files of some work that a case may change."""
    found = [path for path in folder.rglob("*") if path.is_file()]
    return sorted(path for path in found if work.changed in path.relative_to(folder).as_posix())


def interrupt(work: Work, rules: RuleSet, folder: Path, chosen: random.Random) -> None:
    """Solve in a folder, and interrupt that at a random place."""
    calls = 0

    def count(*_progress: object) -> None:
        nonlocal calls
        calls += 1

    folder.mkdir()  # not all works leave files
    whole = folder.with_name("whole")
    work.solve(rules, whole, count)
    shutil.rmtree(whole, ignore_errors=True)
    left = chosen.randint(1, calls) if calls else 0

    def stop(*_progress: object) -> None:
        nonlocal left
        left -= 1
        if not left:
            raise KeyboardInterrupt

    with suppress(KeyboardInterrupt):
        work.solve(rules, folder, stop)


def change(path: Path, folder: Path, pool: dict[str, list[bytes]], chosen: random.Random) -> str:
    """Delete, cut, flip or swap a file of unfinished work; what was done."""
    name = name_in(path, folder)
    what = chosen.choice(["swapped", "swapped", "swapped", "replaced", "deleted", "cut", "flipped"])
    content = bytearray(path.read_bytes())
    if what == "swapped":
        content[:] = chosen.choice(pool[name])
    elif what == "replaced":  # by any other file
        content[:] = chosen.choice(pool[chosen.choice([*pool])])
    elif what == "cut":
        del content[chosen.randrange(len(content)) if content else 0 :]
    elif what == "flipped" and content:
        content[chosen.randrange(len(content))] ^= 1 << chosen.randrange(8)
    if what == "deleted":
        path.unlink()
    else:
        path.write_bytes(content)
    return f"{what} {name}"


def resume_changed_work(tally: Tally, folder: Path, cases: int, chosen: random.Random) -> None:
    """So many cases, of all kinds of work by turns."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (two_players, exact_solve):
            patch.setattr(module, "CHECKPOINT_SECONDS", 0.0)
        patch.setattr(store, "PART_SECONDS", 0.0)
        _resume(tally, folder, cases, chosen)


def _resume(tally: Tally, folder: Path, cases: int, chosen: random.Random) -> None:
    expected = dict[Work, bytes]()
    unfinished = dict[Work, list[Path]]()
    pool = dict[str, list[bytes]]()  # contents of files, by name
    number = 0
    for work in WORKS:
        expected[work] = work.solve(GAME, folder / f"expected {work.name}", None)
        unfinished[work] = []
        for rules, programs in ((GAME, (True, False)), (OTHER_GAME, (True,))):
            for is_same in programs:
                for _time in range(INTERRUPTED):
                    number += 1
                    place = folder / str(number)
                    if is_same:
                        interrupt(work, rules, place, chosen)
                    else:
                        with another_program():
                            interrupt(work, rules, place, chosen)
                    if rules is GAME and is_same:
                        unfinished[work].append(place)
                    for path in changed_files(work, place):
                        pool.setdefault(name_in(path, place), []).append(path.read_bytes())
    used = 0
    for number, work in enumerate(islice(cycle(WORKS), cases)):
        # Each case has a name of its own, because this process keeps the plans that it has read.
        place = folder / f"case {number}"
        shutil.copytree(chosen.choice(unfinished[work]), place)
        files = changed_files(work, place)
        done = [
            change(path, place, pool, chosen)
            for path in chosen.sample(files, min(len(files), chosen.randint(1, 3)))
        ]
        used += bool(done)
        case = f"case {number}, {work.name}: {', '.join(done)}"

        def solve(work: Work = work, place: Path = place) -> bytes:
            with cpu_limit(RESUME_SECONDS):
                return work.solve(GAME, place, None)

        found = tally.run(case, solve)
        same = hashlib.sha256(found or b"").digest() == hashlib.sha256(expected[work]).digest()
        tally.expect(case, found is None or same, "other values")
        tally.expect(case, found is None or not leftovers(place), "files are left over")
        shutil.rmtree(place)
    tally.expect("all cases", used > cases // 2, f"only {used} cases had files to change")
