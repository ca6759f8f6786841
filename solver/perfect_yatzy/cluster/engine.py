"""Gives tasks to the workers of a Dask cluster, and their results back in the order of completion.

Some tasks for each thread are under way at a time, so that an error stops the run at once. A task
whose worker is lost is done again by another one. Tasks and results are small: what is large goes
through files.

Every task brings a :class:`Job`, which says what the worker must have: the same software as the
driver, because the bits of a table depend on it, and the folder of the tables, proven by a small
file that the driver has written. Both are checked once in each process, so that a worker that joins
late is checked, too. Workers compile one after another.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

from .._files import folder_lock, read_file
from ..core import checked_values
from ..core.resources import writing_to
from ..core.table_info import versions
from ..errors import ClusterError
from ..settings import Progress
from ..tablebase.machine import peak_memory
from ..tablebase.shard_task import ShardTask, solve_shard_task

SOURCES = "sources of perfect-yatzy"
AHEAD = 8  # tasks under way for each thread at most; more are handed out when half of them are done
POLL_SECONDS = 5.0  # time between two looks at the workers
NO_WORKERS_SECONDS = 300.0  # time without any worker after which a run ends
# Dask gives a task up when four workers were lost with it; then it is submitted again, so often in
# all
ATTEMPTS = 5
_checked: set[Job] = set()  # jobs that this process has been checked for
_compiled: set[str] = set()  # kernels that are compiled or loaded in this process
_compiling = Lock()


@dataclass(frozen=True)
class Job:
    """What all tasks of a run share."""

    software: tuple[tuple[str, str], ...]  # :func:`software` of the driver
    # path of a file in the folder that all workers must see; empty if there is none
    proof: str = ""
    token: str = ""  # content of that file
    # name of the compiled kernels that the tasks need; empty if it does not matter who compiles
    kernels: str = ""


@dataclass(frozen=True)
class WorkerFacts:
    """A worker as it describes itself."""

    software: tuple[tuple[str, str], ...]
    threads: int
    memory_limit: int | None  # bytes; None without a limit
    problem: str  # what :func:`problem` found


@cache
def software() -> tuple[tuple[str, str], ...]:
    """Return name and version of all that determines the bits of a result.

    A hash of the sources of this package is among them.
    """
    package = Path(__file__).resolve().parent.parent
    digest = hashlib.sha256()
    for path in sorted(package.rglob("*.py")):
        digest.update(
            path.relative_to(package).as_posix().encode() + b"\0" + path.read_bytes() + b"\0"
        )
    return (*versions().items(), (SOURCES, digest.hexdigest()[:12]))


def differences(own: tuple[tuple[str, str], ...], wanted: tuple[tuple[str, str], ...]) -> str:
    """Return what a worker has otherwise than the driver, in words, or nothing if all is the same."""
    version_of = dict(own)
    different = {name: version for name, version in wanted if version_of.get(name) != version}
    if [*different] == [SOURCES]:  # only the sources, whose hash tells a reader nothing
        return f"other {SOURCES}"
    different.pop(SOURCES, None)
    return " and ".join(
        f"{name} {version_of.get(name, 'none')} instead of {version}"
        for name, version in different.items()
    )


def problem(job: Job) -> str:
    """Return why this process cannot do the tasks of a job, as the end of a sentence.

    The text is empty if it can.
    """
    different = differences(software(), job.software)
    if different:
        return f"has {different}; install the same versions on all machines"
    if job.proof:
        try:
            seen = read_file(job.proof, 1000) == job.token.encode()
        except (OSError, ValueError):
            seen = False
        if not seen:
            folder = Path(job.proof).parent
            return f"does not see the folder {folder}; choose one for the tables that all workers share"
    return ""


def prepare(job: Job) -> None:
    """Prepare this process for the tasks of a job.

    Raises ClusterError if it cannot do them.
    """
    if job in _checked:
        return
    reason = problem(job)
    if reason:
        raise ClusterError(f"worker {_process_name()} {reason}")
    limit_block_cache()
    _checked.add(job)


def limit_block_cache() -> None:
    """Let the cached blocks of a table take a quarter of the memory of a worker at most."""
    try:
        from distributed import get_worker

        worker = get_worker()
    except (ImportError, ValueError):  # ValueError: this process is no worker
        return
    limit = worker.memory_manager.memory_limit
    if limit:
        checked_values.KEPT_BYTES = min(checked_values.KEPT_BYTES, limit // 4)


def describe(job: Job, dask_worker: Any = None) -> WorkerFacts:
    """Return the facts of this worker, for a driver that connects.

    Dask gives its worker as `dask_worker`.
    """
    limit = dask_worker.memory_manager.memory_limit if dask_worker else None
    threads = dask_worker.state.nthreads if dask_worker else 1
    return WorkerFacts(software(), threads, limit, problem(job))


def _process_name() -> str:
    """Return the host and the id of this process."""
    host = os.uname().nodename if hasattr(os, "uname") else "localhost"
    return f"{host}:{os.getpid()}"


class TaskReport(NamedTuple):
    """What a worker sends when a task is done."""

    result: Any
    process: str  # host and id of the process
    peak_memory: int  # most bytes that the process has used at a time


def run_task(argument: Any, function: Callable[[Any], Any], job: Job) -> TaskReport:
    """Do one task, and return its result with facts of this process."""
    prepare(job)
    with compiling(job.kernels):
        return TaskReport(function(argument), _process_name(), peak_memory())


@contextmanager
def compiling(kernels: str) -> Iterator[None]:
    """Let one process of a machine compile the kernels in this block.

    Others wait, to load what it stores.
    """
    if not kernels or kernels in _compiled:
        yield
        return
    from .._kernel_cache import SAID_AFTER, cache_folder, cache_path

    path = cache_path()
    # The mark is there once a process has compiled these sources: later runs do not wait.
    mark = path / f"{dict(software())[SOURCES]}.{kernels}.compiled"
    folder = cache_folder(path)  # None if nothing can be stored
    if folder is None or os.path.exists(mark):
        yield
    else:
        # One thread of this process, one process of this machine.
        with _compiling, folder_lock(folder, said_after=SAID_AFTER, patience=None):
            yield  # a task that fails ends here, without a mark
            with suppress(OSError):  # a full disk
                mark.touch()
    _compiled.add(kernels)


@dataclass(frozen=True)
class _UnderWay:
    """A task that a worker has.

    It has its place among all tasks, its argument, and how often it was submitted.
    """

    number: int
    argument: Any
    attempts: int


def _next_tasks(
    waiting: deque[_UnderWay], most: int, is_ready: Callable[[Any], bool]
) -> list[_UnderWay]:
    """Take the first tasks that wait, in their order, up to the first one that is not ready."""
    batch: list[_UnderWay] = []
    while waiting and len(batch) < most and is_ready(waiting[0].argument):
        batch.append(waiting.popleft())
    return batch


class DaskEngine:
    """The workers of a cluster, whose client the caller closes.

    `restart` is called when there are fewer threads than before.
    """

    def __init__(self, client: Any, name: str, restart: Callable[[], None] = lambda: None) -> None:
        self.client = client
        self.name = name
        self._restart = restart
        self.peak_memory: dict[str, int] = {}  # most bytes that each worker process has used so far
        self._job = Job(software())
        self._looked = float("-inf")
        self._most_threads = 0
        self._threads = 1
        self.workers = self._describe()
        self._count_threads()

    @property
    def threads(self) -> int:
        """Threads of all workers together, at least 1."""
        return max(1, self._threads)

    @contextmanager
    def seeing(self, folder: str | os.PathLike[str], kernels: str = "") -> Iterator[None]:
        """Require in this block that all workers see a folder.

        On each machine one worker compiles the kernels for the others.
        """
        # A worker sees the same folder if it reads this token in a file of it.
        token = secrets.token_hex(16)
        before = self._job
        folder = Path(folder).absolute()
        proof = folder / f".workers-{secrets.token_hex(4)}.proof"
        with writing_to(folder):
            proof.write_text(token, encoding="ascii")
        self._job = replace(before, proof=str(proof), token=token, kernels=kernels)
        try:
            self._describe()
            yield
        finally:
            self._job = before
            with suppress(OSError):
                proof.unlink(missing_ok=True)

    def map(
        self,
        function: Callable[[Any], Any],
        arguments: Iterable[Any],
        is_ready: Callable[[Any], bool] = lambda argument: True,
    ) -> Iterator[tuple[int, Any]]:
        """Call a function of a module on the workers, and yield the number and result of each call.

        A call may be made twice if its worker is lost.

        The results come as they are complete. `is_ready` says whether the call of the first
        argument that waits may begin. Errors of a call are raised; ClusterError if the cluster is
        lost, or a call ended too many workers.
        """
        waiting = deque(_UnderWay(i, argument, 0) for i, argument in enumerate(arguments))
        under_way: dict[Any, _UnderWay] = {}  # by future
        alive = time.monotonic()  # when there last was a worker, or a task was done
        try:
            while waiting or under_way:
                if time.monotonic() - self._looked > POLL_SECONDS:
                    self._count_threads()
                most = AHEAD * self.threads
                if len(under_way) <= most // 2:
                    batch = _next_tasks(waiting, most - len(under_way), is_ready)
                    if batch:
                        under_way |= self._submit(function, batch)
                done = self._wait(list(under_way))
                if done or self._count_threads():
                    alive = time.monotonic()
                elif time.monotonic() - alive > NO_WORKERS_SECONDS:
                    raise ClusterError(
                        f"{self.name} has had no workers for {NO_WORKERS_SECONDS / 60:.0f} minutes"
                    )
                for future in done:
                    task = under_way.pop(future)
                    report = self._report(future, task)
                    if report is None:
                        waiting.appendleft(task)  # it is submitted again
                    else:
                        self.peak_memory[report.process] = report.peak_memory
                        yield task.number, report.result
        finally:
            if under_way:
                with suppress(Exception):  # the cluster may be gone
                    self.client.cancel(list(under_way), force=True)

    def play(
        self, function: Callable[[Any], Any], tasks: Sequence[Any], progress: Progress | None
    ) -> list[Any]:
        """Return the results of tasks, in their order.

        Each task has the `number` of games it plays, for the progress.
        """
        results: dict[int, Any] = {}  # by the place of their task
        games = [task.number for task in tasks]
        for place, result in self.map(function, tasks):
            results[place] = result
            if progress:
                progress(sum(games[done] for done in results), sum(games))
        return [results[place] for place in range(len(tasks))]

    def run(
        self, tasks: Sequence[ShardTask], is_ready: Callable[[ShardTask], bool]
    ) -> Iterator[dict[str, Any]]:
        """Solve shards (:class:`perfect_yatzy.tablebase.sharded_solve.Engine`)."""
        for _, footer in self.map(solve_shard_task, tasks, is_ready):
            yield footer

    def _submit(
        self, function: Callable[[Any], Any], tasks: Sequence[_UnderWay]
    ) -> dict[Any, _UnderWay]:
        """Hand out tasks in one message, which takes half the time of one message for each."""
        name = function.__name__.replace("_", "-")
        arguments = [task.argument for task in tasks]
        keys = [f"{name}-{secrets.token_hex(8)}" for _ in tasks]
        futures = self.client.map(
            run_task, arguments, function=function, job=self._job, key=keys, pure=False
        )
        submitted = [replace(task, attempts=task.attempts + 1) for task in tasks]
        return dict(zip(futures, submitted, strict=True))

    def _wait(self, futures: Sequence[Any]) -> list[Any]:
        """Return the futures that are done, after some seconds at most."""
        from distributed import CancelledError, wait

        wait_for: Any = wait  # it has no types
        try:
            with self.client.as_current():
                return list(
                    wait_for(futures, timeout=POLL_SECONDS, return_when="FIRST_COMPLETED").done
                )
        except TimeoutError:
            return []
        except CancelledError as error:
            raise self._lost() from error

    def _report(self, future: Any, task: _UnderWay) -> TaskReport | None:
        """Return the report of a task that is done, or None if its workers were lost."""
        from distributed import CancelledError, KilledWorker

        try:
            report: TaskReport = future.result()
        except KilledWorker as error:
            if task.attempts < ATTEMPTS:
                return None
            raise ClusterError(
                f"{task.attempts * (error.allowed_failures + 1)} workers ended during the same task; the log of "
                f"{error.last_worker.address} may say why (too little memory?)"
            ) from error
        except CancelledError as error:
            raise self._lost() from error
        except ModuleNotFoundError as error:
            text = f"a worker cannot import {error.name}; install perfect-yatzy on all machines"
            raise ClusterError(text) from error
        return report

    def _lost(self) -> ClusterError:
        """Return the error for a cluster that does not answer."""
        return ClusterError(
            f"the connection to {self.name} was lost; the same command continues what is unfinished"
        )

    def _count_threads(self) -> int:
        """Return the threads of all workers now. Calls `restart` if they are fewer than before."""
        try:
            self._threads = sum(self.client.nthreads().values())
        except Exception as error:  # whatever Dask's transports raise
            raise self._lost() from error
        self._looked = time.monotonic()
        if self._threads < self._most_threads:
            self._restart()
        self._most_threads = max(self._most_threads, self._threads)
        return self._threads

    def _describe(self) -> list[WorkerFacts]:
        """Return the present workers, checked. Raises ClusterError with the first problem."""
        try:
            answers = self.client.run(describe, self._job, on_error="return")
        except Exception as error:
            raise self._lost() from error
        for address, answer in answers.items():
            if isinstance(answer, ModuleNotFoundError):
                text = f"worker {address} cannot import {answer.name}; install perfect-yatzy on all machines"
                raise ClusterError(text) from answer
            if isinstance(answer, OSError):
                continue  # lost just now; the one that replaces it is checked at its first task
            if isinstance(answer, Exception):
                raise ClusterError(f"worker {address} cannot be checked: {answer}") from answer
            if answer.problem:
                raise ClusterError(f"worker {address} {answer.problem}")
        return [answer for answer in answers.values() if not isinstance(answer, OSError)]
