"""What runs on a worker: its checks, the turn of each worker to compile, and one task.

Every task brings a :class:`Job`, which says what the worker must have: the same software as the driver, because the
bits of a table depend on it, and the folder of the tables, proven by a small file that the driver has written. Both
are checked once in each process, so that a worker that joins late is checked, too.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any

from ..errors import ClusterError
from ..tablebase.memory import peak_memory
from ..tablebase.table_info import versions

SOURCES = "sources of perfect-yatzy"


@dataclass(frozen=True)
class Job:
    """What all tasks of a run share."""

    software: tuple[tuple[str, str], ...]  # :func:`software` of the driver
    proof: str = ""  # path of a file in the folder that all workers must see; empty if there is none
    token: str = ""  # content of that file
    kernels: str = ""  # name of the compiled kernels that the tasks need; empty if it does not matter who compiles


@dataclass(frozen=True)
class TaskReport:
    """The result of a task, and of the worker so far."""

    result: Any
    process: str  # host and process id
    peak_memory: int  # most bytes that the process has used at a time


@dataclass(frozen=True)
class WorkerFacts:
    """A worker as it describes itself."""

    software: tuple[tuple[str, str], ...]
    process: str  # host and process id
    threads: int
    memory_limit: int | None  # bytes; None without a limit
    problem: str  # what :func:`problem` found


@cache
def software() -> tuple[tuple[str, str], ...]:
    """Name and version of all that determines the bits of a result, a hash of this package's sources among it."""
    package, digest = Path(__file__).resolve().parent.parent, hashlib.sha256()
    for path in sorted(package.rglob("*.py")):
        digest.update(path.relative_to(package).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return (*versions().items(), (SOURCES, digest.hexdigest()[:12]))


def differences(own: tuple[tuple[str, str], ...], wanted: tuple[tuple[str, str], ...]) -> str:
    """What a worker has otherwise than the driver, in words; empty if nothing."""
    mine = dict(own)
    different = [(name, mine.get(name, "none"), need) for name, need in wanted if mine.get(name) != need]
    versions = [f"{name} {has} instead of {need}" for name, has, need in different if name != SOURCES]
    return " and ".join(versions) or (f"other {SOURCES}" if different else "")


def problem(job: Job) -> str:
    """Why this process cannot do the tasks of a job, as the end of a sentence; empty if it can."""
    if found := differences(software(), job.software):
        return f"has {found}; install the same versions on all machines"
    if job.proof:
        try:
            seen = Path(job.proof).read_text(encoding="ascii") == job.token
        except (OSError, ValueError):
            seen = False
        if not seen:
            folder = Path(job.proof).parent
            return f"does not see the folder {folder}; choose one that all workers share with --tables"
    return ""


_checked: set[Job] = set()  # jobs that this process has been checked for


def check(job: Job) -> None:
    """Raise ClusterError unless this process can do the tasks of a job."""
    if job in _checked:
        return
    if found := problem(job):
        raise ClusterError(f"worker {_process_name()} {found}")
    from ..model import checked_values

    with suppress(ImportError, ValueError):  # no worker
        from distributed import get_worker

        if limit := get_worker().memory_manager.memory_limit:  # a large table takes a quarter of it at most
            checked_values.KEPT_BYTES = min(checked_values.KEPT_BYTES, limit // 4)
    _checked.add(job)


def describe(job: Job, dask_worker: Any = None) -> WorkerFacts:
    """This worker, for a driver that connects; Dask gives its worker as `dask_worker`."""
    limit = dask_worker.memory_manager.memory_limit if dask_worker else None
    threads = dask_worker.state.nthreads if dask_worker else 1
    return WorkerFacts(software(), _process_name(), threads, limit, problem(job))


def _process_name() -> str:
    return f"{os.uname().nodename if hasattr(os, 'uname') else 'localhost'}:{os.getpid()}"


def run_task(argument: Any, function: Callable[[Any], Any], job: Job) -> TaskReport:
    """Do one task."""
    check(job)
    with compiling(job.kernels):
        result = function(argument)
    return TaskReport(result, _process_name(), peak_memory())


_compiled: set[str] = set()  # kernels that are compiled or loaded in this process
_compiling = Lock()


@contextmanager
def compiling(kernels: str) -> Iterator[None]:
    """Let one process of a machine compile while the others wait, and then load what it has stored."""
    # A mark in the cache, which is written after that task, says that they are there: later runs do not wait at all.
    if not kernels or kernels in _compiled:
        yield
        return
    from ..kernels.jit import cache_folder, cache_path
    from ..tablebase.locks import folder_lock

    folder = cache_folder(cache_path())
    if folder is None or (mark := folder / f"{kernels}.compiled").exists():
        yield
    else:
        with _compiling, folder_lock(folder):
            yield
            with suppress(OSError):  # a full disk
                mark.touch()
    _compiled.add(kernels)
