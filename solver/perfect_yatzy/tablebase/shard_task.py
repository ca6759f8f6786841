"""The unit of work of a sharded solve: solve one shard and store it, in any thread, process or
machine.

A task is some text and numbers. Everything else is in the folder that all workers see: the plan,
and the shards of the layer below::

    NAME.part.shards/plan.json                           rules, objective and cuts: what is solved
                     14-00000000-00000003.npy            a shard, which exists only complete
                     14-00000000-00000003.unrounded.npy  its values as computed, where the table stores fewer bits

:func:`solve_shard_task` returns at once if the shard is there, so that a task may be tried again anywhere.
"""

from __future__ import annotations

import errno
import hashlib
import os
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from .._files import read_file, replacing
from .._sources import log_that_work_begins_anew
from ..core.backward_induction import RowSolver
from ..core.checked_values import DIGEST_BYTES, sparse_array
from ..core.objectives import Objective
from ..core.resources import writing_to
from ..core.table_info import (
    DAMAGED,
    MAX_SIDECAR,
    checked_fields,
    damaged,
    reading,
    unreadable,
    with_checksum,
)
from ..core.table_slices import PADDING, TableSlice, Values
from ..errors import TableError
from ..settings import Settings
from ..tablebase.work_identity import WorkIdentity
from . import shard_plan
from .shard_file import (
    SHARD_FORMAT,
    ShardFile,
    open_shard,
    shard_fields,
    stored_shard,
    write_shard,
)
from .shard_plan import Halo, Shard, ShardPlan, is_rounded, parts_with_halo
from .store import open_table

PLAN_FILE = "plan.json"
# bytes of values that a task may hold: its shard, and the halo of the rows solved at a time
TASK_MEMORY = 512 << 20
MOST_SOLVES = 2  # solves whose objectives a process keeps
_preparing = threading.Lock()  # a solve is prepared once in a process
# For each shard, which of its blocks this process has compared.
CheckedBlocks = dict[str, npt.NDArray[np.bool_]]


@dataclass(frozen=True)
class ShardTask:
    """Solve one shard."""

    folder: str  # of the plan and of the shards
    plan: str  # SHA-256 of the plan's file, hexadecimal
    filled: int  # the layer, and the first row of the shard in it
    first: int
    memory: int = TASK_MEMORY  # bytes of values that the task may hold; a single row may need more


class SharedSolve:
    """What all tasks of one sharded solve share: the objective, the plan, the folder."""

    def __init__(self, folder: Path, objective: Objective, plan: ShardPlan) -> None:
        self.folder = folder
        self.objective = objective
        self.plan = plan
        self.identity = WorkIdentity.of_table(objective)
        self.is_rounded = is_rounded(objective)
        self._checked = CheckedBlocks()

    @cached_property
    def solver(self) -> RowSolver:
        """The solver of the rows.

        It is made when it is needed, because a driver of other processes needs no kernels.
        """
        return RowSolver(self.objective)

    def fields(self, shard: Shard, *, unrounded: bool = False) -> dict[str, Any]:
        """Return what the footer of a shard says apart from its bytes."""
        dtype = self.objective.compute if unrounded else self.objective.store
        return shard_fields(self.identity, shard, dtype)

    def path(self, shard: Shard, *, unrounded: bool = False) -> Path:
        """Return the file of a shard, or of its values as computed.

        They are one file if the table stores the values as computed.
        """
        name = shard.unrounded_file if unrounded and self.is_rounded else shard.file
        return self.folder / name

    def stored(self, shard: Shard, *, unrounded: bool = False) -> ShardFile | None:
        """Return the file of :meth:`path` if it exists, is of this solve, and is undamaged.

        Only its footer is read for that.
        """
        path = self.path(shard, unrounded=unrounded)
        fields = self.fields(shard, unrounded=unrounded)
        return stored_shard(path, fields)

    def remove_if_damaged(self, shard: Shard) -> None:
        """Remove the files of a shard that are damaged or not of this solve.

        The shard is then solved again.
        """
        kinds = (False, True) if self.is_rounded else (False,)  # as stored, and as computed
        for unrounded in kinds:
            path = self.path(shard, unrounded=unrounded)
            fields = self.fields(shard, unrounded=unrounded)
            if os.path.exists(path) and not stored_shard(path, fields, values_too=True):
                path.unlink(missing_ok=True)

    def solve(self, shard: Shard, memory: int) -> dict[str, Any]:
        """Solve a shard and store it, unless it is stored already.

        Returns its footer, whose field `solved` says whether it was solved now.
        """
        # Another layer is solved from the values of this one as computed.
        needs_unrounded = shard.filled > self.objective.first_layer
        stored_before = self.stored(shard)
        if stored_before and (not needs_unrounded or self.stored(shard, unrounded=True)):
            return stored_before.footer | {"solved": False}
        values = self._values(shard, memory)
        stored = values.astype(self.objective.store, copy=False)
        rounding = self.objective.error
        if stored.dtype != values.dtype:
            rounding = max(rounding, float(np.abs(stored - values).max()))
        is_last = shard.stop == self.objective.size
        start_value = self.objective.start_value(values) if is_last else None
        facts = {"rounding": rounding, "start_value": start_value}
        with writing_shard(self.folder):
            if needs_unrounded and self.is_rounded:
                # First, so that a stored shard of the newest layers always has it.
                fields = self.fields(shard, unrounded=True) | facts
                write_shard(self.path(shard, unrounded=True), values, shard.start, fields)
            footer = write_shard(self.path(shard), stored, shard.start, self.fields(shard) | facts)
        return footer | {"solved": True}

    def _values(self, shard: Shard, memory: int) -> Values:
        """Return the values of a shard as computed, with at most `memory` bytes of values at a time."""
        objective = self.objective
        if shard.filled == objective.space.categories:
            return objective.full_cards()[shard.start : shard.stop]  # they begin the table
        out = self.solver.blank(slice(shard.start, shard.stop))
        halo_memory = memory - out.values.nbytes
        layer = objective.space.layers[shard.filled]
        parts = parts_with_halo(objective, shard.filled, shard.first, shard.end, halo_memory)
        for first, end, halo in parts:
            below = read_halo(objective, halo, partial(self._shards_of, halo.filled), self._checked)
            below_rows = [(halo.filled, *run) for run in halo.rows]
            offsets = objective.offsets_of([(shard.filled, first, end), *below_rows])
            self.solver.solve(layer[first:end], below, out, offsets)
        return out.values[: shard.stop - shard.start]  # without the padding

    def _shards_of(self, filled: int, run: slice) -> Iterator[ShardFile]:
        """Yield the files of a layer that hold values of a run."""
        for shard in self.plan.layers[filled]:
            if shard.start < run.stop and shard.stop > run.start:
                path = self.path(shard, unrounded=True)
                try:
                    yield open_shard(path)
                except FileNotFoundError as error:
                    raise TableError(
                        f"the shard {path} is missing; run the same command again"
                    ) from error


def read_halo(
    objective: Objective,
    halo: Halo,
    shards: Callable[[slice], Iterable[ShardFile]],
    checked: CheckedBlocks,
) -> TableSlice:
    """Read a halo, as the kernels take the layer below.

    `shards` returns the files that hold values of a run. Blocks that `checked` has not marked are
    compared with their digests, and marked.

    The array is as long as from its first to its last value, but only the runs are ever touched:
    the system gives memory to these pages alone.
    """
    size = objective.compute.itemsize
    base = halo.runs[0].start  # place in the table of the first value
    values = sparse_array(halo.runs[-1].stop - base + PADDING, objective.compute)
    target = values.data.cast("B")
    for run in halo.runs:
        for shard in shards(run):
            low, high = shard.part(run.start * size, run.stop * size)  # bytes of the table
            piece = target[low - base * size : high - base * size]
            try:
                shard.read_into(piece, low)
                blocks = len(shard.digests) // DIGEST_BYTES
                none_checked = np.zeros(blocks, dtype=np.bool_)
                checked_before = checked.setdefault(shard.path.name, none_checked)
                shard.check(low, piece, checked_before)
            except TableError as error:
                shard.path.unlink(missing_ok=True)  # it is solved again
                raise damaged(f"{error} and was removed; run the same command again") from error
    return TableSlice(values, base)


@contextmanager
def writing_shard(folder: Path) -> Iterator[None]:
    """Report a failure to write a shard in one sentence."""
    try:
        yield
    except OSError as error:
        if isinstance(error, TableError):
            raise
        full = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
        raise TableError(
            f"cannot write to {folder}: {error.strerror or error}; what is solved is kept: "
            f"{'free some space and ' if full else ''}run the same command again"
        ) from error


def write_plan(folder: Path, objective: Objective, plan: ShardPlan) -> str:
    """Write the plan of a solve to its folder, and return the SHA-256 of the file."""
    text = with_checksum(_plan_identity(objective) | {"cuts": plan.cuts()})
    with writing_to(folder), replacing(folder / PLAN_FILE) as file:
        file.write(text)
    return hashlib.sha256(text).hexdigest()


def read_plan(folder: Path, objective: Objective) -> tuple[str, ShardPlan] | None:
    """Return the plan of an unfinished solve of an objective, and its SHA-256.

    The result is None if there is none that can be resumed.
    """
    try:
        digest, fields = _plan_fields(read_file(folder / PLAN_FILE, MAX_SIDECAR))
        if any(fields[name] != value for name, value in _plan_identity(objective).items()):
            log_that_work_begins_anew(folder)
            return None
        return digest, shard_plan.plan_from_cuts(objective, fields["cuts"])
    except (OSError, *DAMAGED):
        return None


def _plan_identity(objective: Objective) -> dict[str, Any]:
    """Return what a plan says about the solve that it belongs to."""
    work = {"format": SHARD_FORMAT, "text": shard_plan.objective_text(objective)}
    return work | WorkIdentity.of_table(objective).fields()


def _plan_fields(text: bytes) -> tuple[str, dict[str, Any]]:
    """Return the SHA-256 and fields of the file of a plan."""
    return hashlib.sha256(text).hexdigest(), checked_fields(text)


@lru_cache(maxsize=MOST_SOLVES)
def shared_solve(folder: str, plan: str) -> SharedSolve:
    """Return the solve of the plan in a folder. `plan` is the SHA-256 of its file."""
    path = Path(folder) / PLAN_FILE
    try:
        text = read_file(path, MAX_SIDECAR)
    except OSError as error:
        raise unreadable(path, error) from error
    with reading(path, f"the plan {path} is damaged; run the same command again"):
        digest, fields = _plan_fields(text)
        if digest != plan:
            raise damaged(f"the plan {path} belongs to another solve")
        tables = path.parent.parent
        objective = shard_plan.objective_from_text(
            fields["text"],
            means=lambda rules: open_table(Settings(tables), Objective(rules), solve=False)[1],
        )
        return SharedSolve(
            path.parent, objective, shard_plan.plan_from_cuts(objective, fields["cuts"])
        )


def solve_shard_task(task: ShardTask) -> dict[str, Any]:
    """Solve a shard and store it, in any process, unless it is stored.

    A shard that is solved twice has the same bytes.
    """
    with _preparing:
        solve = shared_solve(task.folder, task.plan)
    return solve.solve(solve.plan.shard(task.filled, task.first), task.memory)
