"""Damaged files: flipped bits and truncations of everything that answers are read from, while it is
open and before.

Whatever is read afterwards is right or refused. Each case damages one file, reads, and restores the
file.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from perfect_yatzy.approximation.fitted_file import (
    Certificate,
    FittedValues,
    feature_count,
    fitted_path,
    read_fitted,
    to_arrays,
    write_fitted,
)
from perfect_yatzy.core.objectives import Objective
from perfect_yatzy.core.state import EMPTY_STATE, State
from perfect_yatzy.core.state_space import state_space
from perfect_yatzy.core.table_info import shards_folder
from perfect_yatzy.errors import TableError
from perfect_yatzy.game.rule_loader import load_rules
from perfect_yatzy.service.queries import QueryService
from perfect_yatzy.settings import Settings
from perfect_yatzy.strategy.distribution import (
    distribution_path,
    first_turns_path,
    read_stored,
    write_stored,
)
from perfect_yatzy.strategy.score_distribution import CategoryResult, ScoreDistribution
from perfect_yatzy.tablebase.sharded_solve import solve_sharded
from perfect_yatzy.tablebase.store import solve_to_store, table_path
from perfect_yatzy.tablebase.table_reader import read_table
from support.engine import DRIVER, make_site, random_positions
from support.flips import flip
from support.need import need_program

from .tally import Tally

YATZY = load_rules("yatzy")
READS = 20  # places of a table, for each case
TRUNCATED = 0.2  # of the cases
REFUSED = {"table-damaged"}  # what the engine of a site may answer


@dataclass(frozen=True)
class Target:
    """Files, and how they are read.

    Attributes
    ----------
    name : str
    files : list of Path
    opened : callable
        Opens them and returns a function that reads and compares: whether the answer was right; or
        raises.
    """

    name: str
    files: list[Path]
    opened: Callable[[], Callable[[random.Random], bool]]


@contextmanager
def damaged(path: Path, chosen: random.Random) -> Iterator[str]:
    """A file with a flipped bit, or truncated; as it was after the block, also if it was
    removed.
    """
    content = path.read_bytes()
    if chosen.random() < TRUNCATED:
        size = chosen.choice([0, chosen.randrange(len(content)), len(content) - 1])
        os.truncate(path, size)
        what = f"truncated to {size}"
    else:
        bit = (
            chosen.randrange(len(content) * 8)
            if chosen.randrange(4)
            else chosen.randrange(min(4096, len(content) * 8))
        )
        flip(path, bit)
        what = f"bit {bit} flipped"
    try:
        yield what
    finally:
        if path.exists() and path.stat().st_size == len(content) and what.startswith("bit"):
            flip(path, bit)
        else:
            path.write_bytes(content)


def tables(folder: Path) -> Iterator[Target]:
    """Yatzy's table in one file, read whole and by blocks, and in shards."""
    objective = Objective(YATZY)
    one, shards = folder / "one", folder / "shards"
    solve_to_store(Settings(one), objective)
    solve_sharded(Settings(shards), objective, shard_bytes=200_000)
    whole = np.load(table_path(YATZY, one))

    def opened(path: Path, hashed: bool | None) -> Callable[[random.Random], bool]:
        _, values = read_table(path, objective, hashed=hashed)

        def read(chosen: random.Random) -> bool:
            places = np.array(chosen.sample(range(len(whole)), READS))
            part = bool(np.array_equal(values[places], whole[places]))
            return part and (chosen.random() < 0.5 or np.array_equal(np.asarray(values), whole))

        return read

    for place, hashed, name in (
        (one, None, "table, small"),
        (one, False, "table by blocks"),
        (shards, None, "shards"),
    ):
        path = table_path(YATZY, place)
        files = [
            path.with_suffix(".json"),
            *(sorted(shards_folder(path).iterdir()) if place == shards else [path]),
        ]
        yield Target(name, files, partial(opened, path, hashed))


def archives(folder: Path) -> Iterator[Target]:
    """A value function and its certificate."""
    numbers = np.random.default_rng(1)
    coefficients = numbers.random((len(YATZY.categories) + 1, feature_count(YATZY)))
    values = FittedValues(
        YATZY, numbers.random(len(YATZY.categories)), coefficients, None, numbers.random(9000)
    )
    certificate = Certificate(
        248.3, (248.2, 248.4), 248.0, 0.6, 10_000, 250.98, ("yatzy",), 1, 3, 248.4
    )
    path = write_fitted(values, certificate, folder)
    assert path == fitted_path(YATZY, folder)

    def opened() -> Callable[[random.Random], bool]:
        found, stated = read_fitted(YATZY, folder)
        same = all(
            np.array_equal(array, to_arrays(found)[name])
            for name, array in to_arrays(values).items()
        )
        return lambda chosen: same and stated.as_json() == certificate.as_json()

    yield Target(".npz", [path, path.with_suffix(".json")], opened)


def distributions(folder: Path) -> Iterator[Target]:
    """The distribution of the empty card and those after first turns; a damaged one counts as
    missing.
    """
    numbers, states = np.random.default_rng(2), [EMPTY_STATE, State(1), State(2, upper=0)]
    chances = {state: numbers.dirichlet(np.ones(300)) for state in states}
    results = tuple(CategoryResult(category.id, 12.5, 0.25) for category in YATZY.categories)
    found = {
        int(state_space(YATZY).unchecked_index(state)): ScoreDistribution(
            np.arange(300) + 5, chances[state], 0.5, results, YATZY, "mean"
        )
        for state in states
    }
    folder.mkdir()
    write_stored(YATZY, found, folder)

    def opened() -> Callable[[random.Random], bool]:
        def read(chosen: random.Random) -> bool:
            for state in states:
                stored = read_stored(YATZY, state, folder)
                if stored is not None and not (
                    np.array_equal(stored.chances, chances[state])
                    and stored.categories == results
                    and (int(stored.scores[0]), len(stored.scores), stored.upper_bonus_chance)
                    == (5, 300, 0.5)
                ):
                    return False
            return True

        return read

    yield Target(
        "distributions", [distribution_path(YATZY, folder), first_turns_path(YATZY, folder)], opened
    )


class Engine:
    """The engine of a site in a process of its own, which stays open."""

    def __init__(self, folder: Path) -> None:
        command = [need_program("node", "nodejs"), str(DRIVER), str(folder)]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def ask(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """The answer, or the error."""
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(json.dumps({"path": path, "body": body}) + "\n")
        self.process.stdin.flush()
        found: dict[str, Any] = json.loads(self.process.stdout.readline())
        return found

    def close(self) -> None:
        """End the process."""
        self.process.kill()
        self.process.communicate()


@contextmanager
def sites(folder: Path) -> Iterator[list[Target]]:
    """A small game fetched whole, and one in pages, of several parts."""
    service, engines, found = QueryService(folder / "tables", 1), list[Engine](), list[Target]()
    for rules, values in (("yatzy-forced", 4_000_000), ("crag", 1000)):
        place = folder / rules
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("perfect_yatzy.web.site.folder.WHOLE_VALUES", values)
            patch.setattr("perfect_yatzy.web.site.folder.PART_BYTES", 1 << 14)
            make_site(place, service, [rules], 2, values_only=rules == "crag")
        engine, positions = Engine(place), list(random_positions(service.rules(rules), 40, seed=5))
        questions = [*positions, ("rules", {}), ("puzzle", {"rules": rules})]
        expected = [engine.ask(*question)["answer"] for question in questions]
        engines.append(engine)
        files = [
            place / "site.json",
            *(
                path
                for path in sorted((place / "data").rglob("*.bin"))
                if "/rules-" not in str(path) or path.parent.name == rules
            ),
        ]
        found.append(
            Target(f"site of {rules}", files, partial(_visited, engine, questions, expected))
        )
    try:
        yield found
    finally:
        for engine in engines:
            engine.close()


def _visited(
    engine: Engine, questions: list[tuple[str, dict[str, Any]]], expected: list[dict[str, Any]]
) -> Callable[[random.Random], bool]:
    """Open a site anew and ask a question; a function that asks others."""
    engine.ask("visit", {})

    def read(chosen: random.Random) -> bool:
        for number in chosen.sample(range(len(questions)), 3):
            reply = engine.ask(*questions[number])
            if "answer" not in reply and reply["error"]["code"] in REFUSED:
                raise TableError("the engine refused")
            if reply.get("answer") != expected[number]:
                return False
        return True

    return read


def flip_files(tally: Tally, folder: Path, cases: int, chosen: random.Random) -> None:
    """So many cases: a third of them tables in each form, the others by turns."""
    with sites(folder / "sites") as of_sites:
        targets = [
            *tables(folder),
            *archives(folder / "archives"),
            *distributions(folder / "distributions"),
            *of_sites,
        ]
        for target in targets:
            tally.expect(target.name, target.opened()(chosen), "wrong without damage")
        refused = dict.fromkeys((target.name for target in targets), 0)
        for target in islice(cycle(targets), cases):
            path, is_open = chosen.choice(target.files), bool(chosen.randrange(2))
            try_case(tally, target, path, is_open, chosen, refused)
        for target in targets:
            tally.expect(target.name, target.opened()(chosen), "wrong when all is restored")
        for name, count in refused.items():
            least = 0 if name == "distributions" else cases // len(targets) // 20
            tally.expect(name, count >= least, f"only {count} cases were refused")


def try_case(
    tally: Tally,
    target: Target,
    path: Path,
    is_open: bool,
    chosen: random.Random,
    refused: dict[str, int],
) -> None:
    """Damage a file before it is opened, or after it has been read in part."""
    tally.cases += 1
    case = f"{target.name}, {path.name}, {'open' if is_open else 'closed'}"
    try:
        read = target.opened() if is_open else None
        if read:
            tally.expect(case, read(chosen), "wrong before the damage")
        with damaged(path, chosen) as what:
            case += f", {what}"
            read = read or target.opened()
            tally.expect(case, read(chosen), "a wrong answer")
    except TableError as error:
        refused[target.name] += 1
        tally.expect(case, "\n" not in str(error), "the message has several lines")
    except Exception as error:
        tally.fail(case, f"{type(error).__name__}: {error}")
