"""Faults at every file-system step of a solve: killed, input/output error, disk full.

Small games are solved again and again, each time in a forked process in which one step fails; then
the rest is solved without a fault. A step is a call of ``os`` that changes a file, or a write to a
file. A write fails in the middle: half of the data is on disk.
"""

from __future__ import annotations

import errno
import os
import shutil
import signal
import traceback
from collections.abc import Callable
from functools import partial
from itertools import count, product
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from perfect_yatzy.core.objectives import Objective
from perfect_yatzy.core.table_info import TableInfo
from perfect_yatzy.errors import TableError
from perfect_yatzy.objectives.scores import Goals
from perfect_yatzy.settings import Settings
from perfect_yatzy.tablebase import store
from perfect_yatzy.tablebase.sharded_solve import solve_sharded
from perfect_yatzy.tablebase.store import (
    has_table,
    leftovers,
    open_table,
    remove_leftovers,
    solve_to_store,
    table_path,
)
from perfect_yatzy.tablebase.table_reader import read_table
from support import games
from support.shards import CountingEngine

from .tally import Tally

CALLS = ("open", "replace", "rename", "unlink", "fsync", "chmod")
FAULTS = ("SIGKILL", "EIO", "ENOSPC")
# The same solve in one file and in shards.
FORMS: dict[str, Callable[[Objective, Path], TableInfo]] = {
    "one file": lambda objective, folder: solve_to_store(Settings(folder, 1), objective),
    "shards": lambda objective, folder: solve_sharded(
        Settings(folder), objective, engine=CountingEngine(), shard_bytes=2000
    ),
}
SOLVED, REFUSED, BUG, NO_FAULT = 0, 3, 4, 5


class Faults:
    """Counts the steps of this process; step `at` fails."""

    def __init__(self, fault: str, at: int) -> None:
        self.fault, self.at, self.steps = fault, at, 0

    def is_due(self) -> bool:
        """Count a step; whether it must fail. A disk that is full stays full."""
        self.steps += 1
        return self.steps == self.at or (self.fault == "ENOSPC" and self.steps > self.at)

    def strike(self) -> None:
        """The fault."""
        if self.fault == "SIGKILL":
            os.kill(os.getpid(), signal.SIGKILL)
        raise OSError(getattr(errno, self.fault), os.strerror(getattr(errno, self.fault)))

    def call(self, name: str) -> Callable[..., Any]:
        """A function of `os` that may fail."""
        original = getattr(os, name)

        def failing(*args: Any, **rest: Any) -> Any:
            # Whoever deletes or renames a file or reads one does not need room on the disk.
            needs_room = name in ("open", "fsync") and not (
                name == "open" and args[1] == os.O_RDONLY
            )
            if self.is_due() and (self.fault != "ENOSPC" or needs_room):
                self.strike()
            return original(*args, **rest)

        return failing

    def install(self) -> None:
        """Replace the functions of `os` in this process."""
        fdopen = os.fdopen
        for name in CALLS:
            setattr(os, name, self.call(name))
        os.fdopen = lambda *args, **rest: FailingFile(fdopen(*args, **rest), self)  # type: ignore[assignment]


class FailingFile:
    """An open file whose writes may fail."""

    def __init__(self, file: BinaryIO, faults: Faults) -> None:
        self.file, self.faults = file, faults

    def write(self, data: Any) -> int:
        """Write all, or half and fail."""
        if self.faults.is_due():
            self.file.write(memoryview(data).cast("B")[: memoryview(data).nbytes // 2])
            self.file.flush()
            self.faults.strike()
        return self.file.write(data)

    def truncate(self, size: int) -> int:
        """Truncate the file, or fail."""
        if self.faults.is_due() and self.faults.fault != "ENOSPC":
            self.faults.strike()
        return self.file.truncate(size)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.file, name)

    def __enter__(self) -> FailingFile:
        return self

    def __exit__(self, *_: object) -> None:
        self.file.close()


def solve_with_fault(objective: Objective, folder: Path, form: str, fault: str, at: int) -> int:
    """Solve in a forked process in which a step fails; its exit code, negative for a signal."""
    if child := os.fork():
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    code = BUG
    try:
        faults = Faults(fault, at)
        faults.install()
        FORMS[form](objective, folder)
        code = NO_FAULT if faults.steps < at else SOLVED
    except TableError as error:
        code = REFUSED if "\n" not in str(error) else BUG
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


def fail_at_steps(folder: Path, stride: int, first: int) -> Tally:
    """Every `stride`-th step from `first` on: two kinds of tables in two forms, missing and
    finished, each fault.
    """
    tally = Tally("faults at the file-system steps of a solve")
    store.PART_SECONDS = 0.0  # a checkpoint after each layer
    rules = games.saved_rolls_game("free", True)
    for kind, form in product((Objective, Goals), FORMS):
        objective, complete, place = (
            kind(rules),
            folder / f"complete-{kind.name}-{form}",
            folder / "case",
        )
        info = FORMS[form](objective, complete)
        expected = np.asarray(read_table(table_path(rules, complete, objective.name), objective)[1])
        for state, fault in product(("missing", "finished"), FAULTS):
            for at in count(first, stride):
                case = f"{objective.name} in {form}, {state} table, {fault} at step {at}"
                shutil.rmtree(place, ignore_errors=True)
                if state == "finished":
                    shutil.copytree(complete, place)
                else:
                    place.mkdir()
                code = solve_with_fault(objective, place, form, fault, at)
                if code == NO_FAULT:
                    break
                allowed = (-signal.SIGKILL,) if fault == "SIGKILL" else (SOLVED, REFUSED)
                tally.expect(case, code in allowed, f"exit code {code}")
                tally.run(
                    case, partial(check, tally, case, place, objective, form, info.sha256, expected)
                )
    return tally


def check(
    tally: Tally,
    case: str,
    folder: Path,
    objective: Objective,
    form: str,
    sha256: str,
    expected: Any,
) -> None:
    """After a fault a finished table is right, an unfinished one can be finished, and nothing
    stays behind.
    """
    path = table_path(objective.rules, folder, objective.name)
    if has_table(objective.rules, folder, objective.name):
        tally.expect(
            case,
            np.array_equal(np.asarray(read_table(path, objective)[1]), expected),
            "another table",
        )
    else:
        FORMS[form](objective, folder)
    info, values = open_table(Settings(folder, 1), objective)
    tally.expect(
        case, info.sha256 == sha256 and np.array_equal(np.asarray(values), expected), "other values"
    )
    remove_leftovers(folder)
    tally.expect(case, not leftovers(folder), f"left: {leftovers(folder)}")
    read_table(path, objective)
