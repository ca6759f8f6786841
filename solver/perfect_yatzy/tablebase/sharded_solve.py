"""Solve a table in shards: the driver, which orders the tasks, and the engine, which runs them.

A child of a row has a higher number than the row. So a shard needs, of the layer below, only the
shards that reach beyond its own first row, and each layer is solved from its last shard to its
first: the last shards of a layer begin while the first ones of the layer below are still being
solved, and no worker waits for the end of a layer::

    rows            low . . . . high
    layer k + 1     |#1#|#2#|   |   |     # done; 1 and 2 are being solved, as the last of the layer
    layer k         |   |   |   |#3#|     3 may begin: its rows and their children are beyond 1 and 2
"""

from __future__ import annotations

import hashlib
import os
import shutil
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import contextmanager, suppress
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from .._files import HAS_LOCKS, claim, folder_lock, is_same_file, locked_if_free, replacing
from ..core import table_info
from ..core.objectives import Objective
from ..core.resources import check_space, thread_count, thread_map, thread_pool, writing_to
from ..core.table_info import (
    SHARDED_FORMAT,
    ShardedTableInfo,
    TableInfo,
    damaged,
    part_path,
    shards_folder,
    unfinished_shards,
)
from ..errors import TableError
from ..settings import Settings
from ..tablebase.work_identity import WorkIdentity, objective_digest
from .checkpoint import remove_checkpoint
from .estimates import BASE_MEMORY, CARD_MEMORY, SolveCost, solve_cost
from .shard_file import open_shard, shard_fields, stored_shard
from .shard_plan import Shard, ShardPlan, first_needed, plan_shards
from .shard_task import (
    PLAN_FILE,
    TASK_MEMORY,
    ShardTask,
    SharedSolve,
    read_plan,
    solve_shard_task,
    write_plan,
)
from .store import finished_by_other, has_table, table_path

TASK_OVERHEAD = 1.25  # memory of a task to that of its values: the places of ranges of scores
# bytes; the values of larger tables are hashed in their order by `yatzy tables --verify` alone
HASHED_WHOLE = 8 << 30


class Engine(Protocol):
    """Runs tasks."""

    def run(
        self, tasks: Sequence[ShardTask], is_ready: Callable[[ShardTask], bool]
    ) -> Iterator[dict[str, Any]]:
        """Solve the tasks with :func:`perfect_yatzy.tablebase.shard_task.solve_shard_task`."""


class ThreadEngine:
    """Runs tasks in threads of this process."""

    def __init__(self, threads: int | None = None) -> None:
        self.threads = thread_count(threads)

    def run(
        self, tasks: Sequence[ShardTask], is_ready: Callable[[ShardTask], bool]
    ) -> Iterator[dict[str, Any]]:
        """Solve the tasks."""
        waiting = deque(tasks)
        under_way = set[Future[dict[str, Any]]]()
        with thread_pool(min(self.threads, len(tasks)), "yatzy-shard") as pool:
            if not pool:
                yield from map(solve_shard_task, tasks)
                return
            while waiting or under_way:
                # Two for each thread, so that none has to wait for its next one. If none is under
                # way, one is ready.
                while waiting and len(under_way) < 2 * self.threads and is_ready(waiting[0]):
                    under_way.add(pool.submit(solve_shard_task, waiting.popleft()))
                done, under_way = wait(under_way, return_when=FIRST_COMPLETED)
                for future in done:
                    yield future.result()


def sharded_cost(objective: Objective, tasks: int, memory: int = TASK_MEMORY) -> SolveCost:
    """Return the cost of a sharded solve: that of a solve in one piece, but for the memory."""
    cost = solve_cost(objective)
    needed = (
        BASE_MEMORY
        + CARD_MEMORY * len(objective.space.layout.masks)
        + int(TASK_OVERHEAD * tasks * memory)
    )
    if objective.needs_means:
        needed += 8 * cost.values  # the means
    return replace(cost, memory=min(cost.memory, needed))


def solve_sharded(  # noqa: PLR0913 - how a solve is cut
    settings: Settings,
    objective: Objective,
    *,
    engine: Engine | None = None,
    shard_bytes: int | None = None,
    memory: int = TASK_MEMORY,
    missing_only: bool = False,
) -> TableInfo:
    """Solve a game and store its table in shards.

    An unfinished solve of an earlier driver is resumed. With `missing_only` a table that is there,
    or that another driver finishes meanwhile, is returned instead.
    """
    path = table_path(objective.rules, settings.tables, objective.name)
    while True:
        if missing_only:
            finished = finished_by_other(settings, objective)
            if finished:
                return finished
        with driver_lock(part_path(path)) as is_free:
            # Another driver may have finished it since we looked.
            is_wanted = not (
                missing_only and has_table(objective.rules, settings.tables, objective.name)
            )
            if is_free and is_wanted:
                undo_publishing(path)
                driver = ShardedSolve(
                    settings, objective, engine or ThreadEngine(), shard_bytes, memory
                )
                return driver.run()
        if not missing_only:
            raise TableError(f"{path.stem} is being solved by another process")
        # Only a missing table is to be solved, and another driver has begun or finished it: wait,
        # and take that one.


class ShardedSolve:
    """The driver of one sharded solve, which resumes the plan of an earlier one."""

    def __init__(
        self,
        settings: Settings,
        objective: Objective,
        engine: Engine,
        shard_bytes: int | None,
        memory: int,
    ) -> None:
        path = table_path(objective.rules, settings.tables, objective.name)
        self.objective = objective
        self.path = path
        self.engine = engine
        self.memory = memory
        self.folder = unfinished_shards(path)
        self._progress = settings.progress
        self._digest, self.plan = resumed_plan(self.folder, objective, shard_bytes)
        self.solve = SharedSolve(self.folder, objective, self.plan)
        self._footers: dict[Shard, dict[str, Any]] = {}  # of the shards that are solved
        self._done = 0  # values in them

    def _remove_damaged_shards(self) -> None:
        """Remove the shards whose values differ from their digests.

        What is taken over is then right.
        """
        with writing_to(self.folder), thread_map(thread_count(None), "yatzy-check") as in_threads:
            for _checked in in_threads(self.solve.remove_if_damaged, self.plan.shards):
                pass

    def run(self) -> TableInfo:
        """Solve what is left of the table and finish it."""
        self._remove_damaged_shards()
        started = time.perf_counter()
        layers = [*self.plan.layers.values()]
        begin = self._resume(layers)  # position of the first layer to solve
        size_left = (self.objective.size - self._done) * self.objective.store.itemsize
        if self.solve.is_rounded:  # up to three layers are there as computed, too
            values = [shards[-1].stop - shards[0].start for shards in layers]
            most_of_three = max(sum(values[i : i + 3]) for i in range(len(values)))
            size_left += most_of_three * self.objective.compute.itemsize
        check_space(self.folder, size_left)
        for shards in layers[: max(0, begin - 1)]:  # but for the layer below the one to begin with
            self._delete(shard.unrounded_file for shard in shards)
        self._solve_layers(layers[begin:])
        return self._finish(time.perf_counter() - started)

    def _resume(self, layers: Sequence[Sequence[Shard]]) -> int:
        """Take over the layers that are complete.

        Returns the position of the layer to begin with, which follows them.
        """
        begin = 0
        while begin < len(layers) and all(map(self._take_over, layers[begin])):
            begin += 1
        # The layer to begin with needs the values of the one before it as computed; else that one
        # is solved again.
        as_computed = partial(self.solve.stored, unrounded=True)
        while 0 < begin < len(layers) and not all(map(as_computed, layers[begin - 1])):
            begin -= 1
        for shards in layers[begin:]:  # their tasks report the shards that are stored already
            for shard in shards:
                self._footers.pop(shard, None)
        self._done = sum(shard.stop - shard.start for shard in self._footers)
        return begin

    def _take_over(self, shard: Shard) -> bool:
        """Note the footer of a shard if it is stored, and return whether it is."""
        file = self.solve.stored(shard)
        if file is None:
            return False
        self._footers[shard] = file.footer
        return True

    def _solve_layers(self, layers: Sequence[Sequence[Shard]]) -> None:
        """Solve these layers, the last ones of the plan."""
        tasks = [
            ShardTask(str(self.folder), self._digest, shard.filled, shard.first, self.memory)
            for shards in layers
            for shard in reversed(shards)  # the last ones need the fewest shards of the layer below
        ]
        n_unsolved = {shards[0].filled: len(shards) for shards in layers}  # shards of each layer
        # By shard, the position of the first shard of the layer below that it needs.
        first_below: dict[Shard, int] = {}
        for shards in layers:
            positions = first_needed(self.objective, self.plan, shards[0].filled)
            first_below.update(zip(shards, positions, strict=True))

        def is_ready(task: ShardTask) -> bool:
            below = self.plan.layers.get(task.filled + 1, ())
            first = first_below[self.plan.shard(task.filled, task.first)]
            return all(shard in self._footers for shard in below[first:])

        for footer in self.engine.run(tasks, is_ready):
            shard = self.plan.shard(footer["filled"], footer["rows"][0])
            if shard in self._footers:
                continue  # a task may run twice
            self._footers[shard] = footer
            self._done += shard.stop - shard.start
            if self._progress:
                self._progress(self._done, self.objective.size)
            n_unsolved[shard.filled] -= 1
            if self.solve.is_rounded and not n_unsolved[shard.filled]:
                # No shard needs the layer below as computed any more.
                layer_below = self.plan.layers.get(shard.filled + 1, ())
                self._delete(below.unrounded_file for below in layer_below)

    def _sha256(self) -> str:
        """Return the SHA-256 of all values in their order.

        It is empty if the table is so large that this takes long.
        """
        size = self.objective.store.itemsize
        if self.objective.size * size > HASHED_WHOLE:
            return ""
        digest = hashlib.sha256()
        for shard in self.plan.shards:
            values = memoryview(bytearray((shard.stop - shard.start) * size))
            open_shard(self.folder / shard.file).read_into(values, shard.start * size)
            digest.update(values)
        return digest.hexdigest()

    def _delete(self, names: Iterable[str]) -> None:
        """Delete files of the folder, as far as the system allows."""
        for name in names:
            with suppress(OSError):
                (self.folder / name).unlink(missing_ok=True)

    def _finish(self, seconds: float) -> TableInfo:
        """Write the manifest and put the folder in its place."""
        objective = self.objective
        footers = [self._footers[shard] for shard in self.plan.shards]
        identity = self.solve.identity
        digests = digests_of(self.folder, identity, self.plan.shards, objective.store)
        fields = table_info.table_fields(
            objective.rules,
            objective.name,
            objective.store,
            objective.size,
            identity.sources,
        )
        return publish_shards(
            self.path,
            digests,
            fields,
            start_value=footers[-1]["start_value"],
            rounding=max(float(footer["rounding"]) for footer in footers),
            sha256=self._sha256(),
            seconds=round(seconds, 3),
            objective_sha256=objective_digest(objective),
        )


def resumed_plan(
    folder: Path, objective: Objective, shard_bytes: int | None
) -> tuple[str, ShardPlan]:
    """Return the digest and the plan of an unfinished solve, or of a new one that is written."""
    unfinished = read_plan(folder, objective)
    if unfinished:
        return unfinished
    shutil.rmtree(folder, ignore_errors=True)  # it may be of another identity
    plan = plan_shards(objective, shard_bytes)
    return write_plan(folder, objective, plan), plan


def digests_of(
    folder: Path, identity: WorkIdentity, shards: Iterable[Shard], dtype: np.dtype[Any]
) -> dict[Shard, str]:
    """Return the digest of the blocks of each shard of a solve that is finished.

    Raises TableError if a shard is missing, damaged, or of another solve.
    """
    digests = {}
    for shard in shards:
        path = folder / shard.file
        file = stored_shard(path, shard_fields(identity, shard, dtype))
        if file is None:
            raise damaged(  # the next solve repairs it
                f"the shard {path} was altered or removed meanwhile; run the same command again"
            )
        digests[shard] = str(file.footer["blocks_sha256"])
    return digests


def publish_shards(
    path: Path, digests: dict[Shard, str], fields: dict[str, Any], **more: Any
) -> ShardedTableInfo:
    """Put a folder of finished shards in its place, without other files.

    The table that was there is replaced. `digests` are those of the blocks of each shard, `fields`
    and `more` the other fields of the manifest.
    """
    kept_files = {PLAN_FILE, *(shard.file for shard in digests)}
    with writing_to(path.parent):
        for entry in unfinished_shards(path).iterdir():
            if entry.name not in kept_files:
                with suppress(OSError):
                    entry.unlink()
        info = ShardedTableInfo(
            **fields,
            **more,
            format=SHARDED_FORMAT,
            blocks_sha256=hashlib.sha256(bytes.fromhex("".join(digests.values()))).hexdigest(),
            shards=[
                [shard.filled, shard.first, shard.end, shard.stop, digest]
                for shard, digest in digests.items()
            ],
        )
        sidecar = path.with_suffix(".json")
        old = path.with_suffix(".old.shards")
        with folder_lock(path.parent), replacing(sidecar) as file:
            file.write(table_info.with_checksum(asdict(info)))
            # The sidecar of other files must not remain next to these if the process is killed
            # before the new one is in its place.
            sidecar.unlink(missing_ok=True)
            path.unlink(missing_ok=True)
            if os.path.exists(shards_folder(path)):
                shutil.rmtree(old, ignore_errors=True)
                shards_folder(path).rename(old)
            unfinished_shards(path).rename(shards_folder(path))
        part_path(path).unlink(missing_ok=True)
        remove_checkpoint(path)
        shutil.rmtree(old, ignore_errors=True)
    return info


def undo_publishing(path: Path) -> None:
    """Undo what a driver did that was killed in :func:`publish_shards`.

    It left the shards in their place without a manifest.
    """
    if os.path.isdir(shards_folder(path)) and not os.path.exists(path.with_suffix(".json")):
        # This fails if there are unfinished shards, too: those in the place are then the table
        # before.
        with suppress(OSError):
            shards_folder(path).rename(unfinished_shards(path))


@contextmanager
def driver_lock(part: Path) -> Iterator[bool]:
    """Hold the lock of an unfinished table, because two drivers would only solve everything twice.

    A folder for shards without any is removed at the end. Yields whether the lock was free.
    """
    if not HAS_LOCKS:
        with writing_to(part.parent):  # the folder must be there
            pass
        with locked_if_free(part) as is_free:
            try:
                yield is_free
            finally:
                if is_free:
                    _remove_without_shards(unfinished_shards(part))
        return
    with writing_to(part.parent):
        descriptor, locked = claim(part)
    is_free = locked is not False  # None: this file cannot be locked
    try:
        yield is_free
    finally:
        if is_free:
            _remove_without_shards(unfinished_shards(part))
            # The part is empty unless a solve in one file left its layers there.
            if is_same_file(descriptor, part) and not os.fstat(descriptor).st_size:
                part.unlink(missing_ok=True)
        os.close(descriptor)


def _remove_without_shards(folder: Path) -> None:
    """Remove the folder of a solve that could not store a shard, as on a full disk."""
    with suppress(OSError):
        if set(os.listdir(folder)) <= {PLAN_FILE}:
            shutil.rmtree(folder)
