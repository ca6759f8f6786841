"""The folder of the tables; opening a table, which solves and stores a missing one.

    --tables DIR  >  $YATZY_TABLES  >  tables/ of a checkout  >  the user's data directory

Tables are read from and written to the first of these that applies. :mod:`perfect_yatzy.tablebase.inventory`
lists and removes tables.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from .._files import HAS_LOCKS
from ..errors import Cancelled, TableError, _
from ..game.rules import RuleSet
from ..model.checked_values import Table
from ..model.estimates import gigabytes, log_long
from ..model.objectives import Objective
from . import table_info
from .locks import being_written, folder_lock
from .memory import check_memory
from .table_file import read_table
from .table_info import MissingTable, TableInfo, part_path, read_info, shards_folder, table_stem

if TYPE_CHECKING:
    from .table_writer import TableWriter

Folder = str | os.PathLike[str] | None  # of the tables; None: see :func:`tables_folder`
Progress = Callable[[int, int], None]  # values done, values in all; it may raise to stop the work
PART_SECONDS = 60.0  # time between two checkpoints of a solve
POLL_SECONDS = 0.05  # time between two checks whether another process has finished a table


def tables_folder(tables: Folder = None) -> Path:
    """The folder tables are looked for in and written to."""
    if tables is not None:
        return Path(tables)
    if configured := os.environ.get("YATZY_TABLES"):
        return Path(configured)
    checkout = Path(__file__).resolve().parents[3]
    if (checkout / "tables").is_dir() and (checkout / "pyproject.toml").is_file():
        return checkout / "tables"
    import platformdirs

    return Path(platformdirs.user_data_dir("perfect-yatzy")) / "tables"


def table_path(rules: RuleSet, tables: Folder = None, objective: str = "mean") -> Path:
    """The `.npy` file of a rule set's table, whether or not it exists."""
    return tables_folder(tables) / f"{table_stem(rules, objective)}.npy"


def has_table(rules: RuleSet, tables: Folder = None, objective: str = "mean") -> bool:
    """Whether the store has a finished table; it may still turn out to be damaged when it is read."""
    path = table_path(rules, tables, objective)
    has_values = os.path.isfile(path) or os.path.isdir(shards_folder(path))
    return has_values and os.path.isfile(path.with_suffix(".json"))


def solve_to_store(
    objective: Objective, tables: Folder = None, *, threads: int | None = None, progress: Progress | None = None,
    missing_only: bool = False,
) -> TableInfo:  # fmt: skip
    """Solve a game and write its table; an unfinished one of an earlier, killed solve is resumed."""
    from .backward_induction import default_threads
    from .table_writer import TableWriter

    folder = tables_folder(tables)
    while True:
        if missing_only and (found := finished_by_other(objective, tables, progress)):
            return found
        cost = objective.solve_cost()
        check_memory(objective.rules, cost)
        writer = TableWriter(folder, objective)
        try:
            # Another process may have begun or even finished since we looked.
            with folder_lock(folder, shared=True):  # not between the renames of its two files
                finished = has_table(objective.rules, tables, objective.name)
            if missing_only and (writer.contended or finished):
                continue
            what = f"solving {objective.rules.key} ({objective.name}, {gigabytes(cost.bytes)})"
            log_long(what, cost.processor_seconds / (threads or default_threads()), progress)
            return write_table(writer, threads, progress)
        except TableError:
            # Without locks another process may have finished, and opened, the same table meanwhile.
            if HAS_LOCKS or not missing_only or not has_table(objective.rules, tables, objective.name):
                raise
        finally:
            writer.close()


def finished_by_other(
    objective: Objective, tables: Folder = None, progress: Progress | None = None
) -> TableInfo | None:
    """A finished table, if there is one when no other process or thread writes it; its progress meanwhile."""
    path = table_path(objective.rules, tables, objective.name)
    while being_written(part_path(path)):
        if progress:
            with suppress(OSError):
                done = written_bytes(path) // objective.store.itemsize
                progress(min(done, objective.size), objective.size)
        time.sleep(POLL_SECONDS)
    with suppress(MissingTable):
        if has_table(objective.rules, tables, objective.name):
            return read_info(path, objective)
    return None


def written_bytes(path: Path) -> int:
    """Size of an unfinished table, in one file or in shards."""
    size = part_path(path).stat().st_size
    if os.path.isdir(folder := table_info.unfinished_shards(path)):
        with os.scandir(folder) as entries:
            stored = (entry for entry in entries if not entry.name.endswith(table_info.UNROUNDED_ENDING))
            size += sum(entry.stat().st_size for entry in stored)
    return size


def write_table(writer: TableWriter, threads: int | None = None, progress: Progress | None = None) -> TableInfo:
    """Solve what is left of a table and finish it. After an interruption the finished layers can be resumed."""
    from .backward_induction import Layer, solve_layers

    started = last_checkpoint = time.perf_counter()
    newest: Layer | None = None  # not in a checkpoint yet
    try:
        for layer in solve_layers(writer.objective, threads=threads, resume=writer.resume(), progress=progress):
            writer.add(layer.values)
            newest = layer
            if progress:
                progress(layer.done, layer.total)
            if layer.filled and time.perf_counter() - last_checkpoint > PART_SECONDS:
                writer.checkpoint(layer.filled, layer.values)
                newest, last_checkpoint = None, time.perf_counter()
    except (Cancelled, KeyboardInterrupt):
        if newest and newest.filled:
            with suppress(TableError):
                writer.checkpoint(newest.filled, newest.values)
        raise
    return writer.finish(time.perf_counter() - started)


def open_table(
    objective: Objective, tables: Folder = None, *, threads: int | None = None, progress: Progress | None = None,
    solve: bool = True,
) -> tuple[TableInfo, Table]:  # fmt: skip
    """Open a game's table; solve it first if there is none, in one of all processes and threads that open it."""
    rules, path = objective.rules, table_path(objective.rules, tables, objective.name)
    while True:
        if solve and not has_table(rules, tables, objective.name):
            solve_to_store(objective, tables, threads=threads, progress=progress, missing_only=True)
        try:
            return read_table(path, objective)
        except MissingTable as error:
            if not solve:
                spec = rules.spec or rules.key
                text = _("there is no table for {rules}; make it with: yatzy solve {spec}")
                raise TableError(text.format(rules=rules.key, spec=spec)) from error
            # Removed since we looked: solve it.
