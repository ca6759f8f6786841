"""The folder of the tables, which are found, opened, listed and removed here.

A missing table is solved and stored when it is opened.

    --tables DIR  >  $YATZY_TABLES  >  tables/ of a checkout  >  the user's data directory

Tables are read from and written to the first of these that applies.
"""

from __future__ import annotations

import os
import re
import stat
import time
from collections.abc import Iterable
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from .._files import HAS_LOCKS, Waiting, being_written, folder_lock, locked_if_free
from ..core import table_info
from ..core.checked_values import Table
from ..core.objectives import Objective
from ..core.resources import check_space, thread_count, writing_to
from ..core.rules import RuleSet
from ..core.table_info import (
    MissingTable,
    TableInfo,
    part_path,
    read_info,
    shards_folder,
    table_stem,
)
from ..errors import Cancelled, StateError, StorageError, TableError, shown
from ..settings import Folder, Settings
from ..words import NOT_STORED, _, gigabytes, say
from .estimates import check_memory, log_long, solve_cost
from .table_reader import read_table

if TYPE_CHECKING:
    from ..tablebase.table_writer import TableWriter

PART_SECONDS = 60.0  # time between two checkpoints of a solve
# See table_stem. A key may have hyphens and so may this one objective: the key is as short as it
# can be.
STEM = r"(?P<key>[a-z0-9+-]+?)-(?P<objective>approximate-mean|[a-z]+)-(?P<fingerprint>[0-9a-f]{12})"
PART_ENDINGS = (".part.shards", ".old.shards", ".part.json", ".part.layer", ".part")
UNFINISHED = (  # patterns of endings, without the dot before
    *(re.escape(ending.removeprefix(".")) for ending in PART_ENDINGS),
    r"(?:proof|spread|versus(?:\.\w+)?)\.(?:part|lock)",
)
ENDINGS = ("npy", "npz", "json", "shards", *UNFINISHED)
# seconds after which a temporary file without a lock is a leftover of a killed process
STALE = 3600.0


def tables_folder(tables: Folder = None) -> Path:
    """Return the folder that tables are looked for in and written to."""
    if tables is not None:
        if not isinstance(tables, str | os.PathLike):
            text = _("{name} is {value}; must be the path of a folder")
            raise StateError(text.format(name="tables", value=shown(tables)))
        return Path(tables)
    configured = os.environ.get("YATZY_TABLES")
    if configured:
        return Path(configured)
    checkout = Path(__file__).resolve().parents[3]
    if os.path.isdir(checkout / "tables") and os.path.isfile(checkout / "pyproject.toml"):
        return checkout / "tables"
    import platformdirs

    return Path(platformdirs.user_data_dir("perfect-yatzy")) / "tables"


def table_path(rules: RuleSet, tables: Folder = None, objective: str = "mean") -> Path:
    """Return the `.npy` file of a rule set's table, whether or not it exists."""
    return tables_folder(tables) / f"{table_stem(rules, objective)}.npy"


def has_table(rules: RuleSet, tables: Folder = None, objective: str = "mean") -> bool:
    """Return whether the store has a finished table.

    It may still turn out to be damaged when it is read.
    """
    path = table_path(rules, tables, objective)
    has_values = os.path.isfile(path) or os.path.isdir(shards_folder(path))
    return has_values and os.path.isfile(path.with_suffix(".json"))


def solve_to_store(
    settings: Settings, objective: Objective, *, missing_only: bool = False
) -> TableInfo:
    """Solve a game and write its table.

    An unfinished table of an earlier, killed solve is resumed. With `missing_only` a table that is
    there, or that another process finishes meanwhile, is returned instead.
    """
    from ..tablebase.table_writer import TableWriter

    folder = tables_folder(settings.tables)
    while True:
        if missing_only:
            finished = finished_by_other(settings, objective)
            if finished:
                return finished
        cost = solve_cost(objective)
        check_memory(objective.rules, cost)
        writer = TableWriter(folder, objective)
        try:
            # Another process may have begun or even finished since we looked.
            with folder_lock(folder, shared=True):  # not between the renames of its two files
                is_finished = has_table(objective.rules, settings.tables, objective.name)
            if missing_only and (writer.contended or is_finished):
                continue  # wait for the other one
            what = f"solving {objective.rules.key} ({objective.name}, {gigabytes(cost.bytes)})"
            log_long(
                what, cost.processor_seconds / thread_count(settings.threads), settings.progress
            )
            return write_table(settings, writer)
        except TableError:
            # Without locks another process may have finished, and opened, the same table meanwhile.
            if (
                HAS_LOCKS
                or not missing_only
                or not has_table(objective.rules, settings.tables, objective.name)
            ):
                raise
        finally:
            writer.close()


def can_store(size: int, tables: Folder = None) -> bool:
    """Return whether a table of so many bytes could be written now.

    Nothing but the folder is made.
    """
    folder = tables_folder(tables)
    try:
        check_space(folder, size)
    except StorageError:
        return False
    return os.access(folder, os.W_OK | os.X_OK)


def finished_by_other(settings: Settings, objective: Objective) -> TableInfo | None:
    """Wait until no other process or thread writes a table, and return it if it is finished.

    Its progress is reported meanwhile. Raises StorageError if its unfinished file is not one that
    this process can write.
    """
    path = table_path(objective.rules, settings.tables, objective.name)
    wait = Waiting(part_path(path))
    while True:
        with writing_to(path.parent):
            if not being_written(part_path(path)):
                break
        if settings.progress:
            with suppress(OSError):
                done = written_bytes(path) // objective.store.itemsize
                settings.progress(min(done, objective.size), objective.size)
        wait.sleep()
    with suppress(MissingTable):
        if has_table(objective.rules, settings.tables, objective.name):
            return read_info(path, objective)
    return None


def written_bytes(path: Path) -> int:
    """Return the size of an unfinished table, in one file or in shards."""
    size = part_path(path).stat().st_size
    folder = table_info.unfinished_shards(path)
    if os.path.isdir(folder):
        with os.scandir(folder) as entries:
            for entry in entries:
                if not entry.name.endswith(table_info.UNROUNDED_ENDING):
                    size += entry.stat().st_size
    return size


def write_table(settings: Settings, writer: TableWriter) -> TableInfo:
    """Solve what is left of a table and finish it.

    After an interruption the finished layers can be resumed.
    """
    from ..core.backward_induction import Layer, solve_layers

    started = last_checkpoint = time.perf_counter()
    newest: Layer | None = None  # not in a checkpoint yet
    try:
        for layer in solve_layers(
            writer.objective,
            threads=settings.threads,
            resume=writer.resume(),
            progress=settings.progress,
        ):
            writer.add(layer.values)
            newest = layer
            if settings.progress:
                settings.progress(layer.done, layer.total)
            if layer.filled and time.perf_counter() - last_checkpoint > PART_SECONDS:
                writer.checkpoint(layer.filled, layer.values)
                newest = None
                last_checkpoint = time.perf_counter()
    except (Cancelled, KeyboardInterrupt):
        if newest and newest.filled:
            with suppress(TableError):
                writer.checkpoint(newest.filled, newest.values)
        raise
    return writer.finish(time.perf_counter() - started)


def open_table(
    settings: Settings, objective: Objective, *, solve: bool = True
) -> tuple[TableInfo | None, Table]:
    """Open a game's table, and return its sidecar and its values.

    If there is none, it is solved first, in one of all processes and threads that open it. A table
    that cannot be stored is solved in memory, and has no sidecar.
    """
    thread_count(settings.threads)  # refuses a wrong number, also if nothing has to be solved
    rules = objective.rules
    path = table_path(objective.rules, settings.tables, objective.name)
    while True:
        if solve and not has_table(rules, settings.tables, objective.name):
            try:
                solve_to_store(settings, objective, missing_only=True)
            except StorageError as error:
                return None, solve_unstored(settings, objective, error)
        try:
            return read_table(path, objective)
        except MissingTable as error:
            if not solve:
                spec = rules.spec or rules.key
                text = _("there is no table for {rules}; make it with: yatzy solve {spec}")
                raise TableError(text.format(rules=rules.key, spec=spec)) from error
            # Removed since we looked: solve it.


def solve_unstored(settings: Settings, objective: Objective, error: StorageError) -> Table:
    """Solve a game in memory, and say on standard error that it cannot be stored."""
    from ..core.backward_induction import solve_objective

    cost = solve_cost(objective)
    check_memory(objective.rules, cost.with_table())
    say(_("{error}; this answer is computed in memory", error=error), once=NOT_STORED)
    log_long(
        f"solving {objective.rules.key} ({objective.name}) in memory",
        cost.seconds,
        settings.progress,
    )
    return solve_objective(objective, threads=settings.threads, progress=settings.progress)


@dataclass(frozen=True)
class TableEntry:
    """A table in the store, finished or not."""

    name: str  # key, objective and fingerprint: different games never share it, even under one key
    key: str  # Its parts; the fingerprint is the first 12 digits of that of the rules
    objective: str
    fingerprint: str
    finished: bool
    # Those of the table, and of an unfinished solve of it; folders of shards among them.
    files: tuple[Path, ...]
    bytes: int  # size of the files, with those in folders
    written: float  # when they were last written to, in seconds since the epoch

    @property
    def short_name(self) -> str:
        """Its rule set and objective, as ``yatzy-mean``. Other tables may share it."""
        return f"{self.key}-{self.objective}"


def _files(tables: Folder) -> list[Path]:
    """Return the files of the store, by name. Raises TableError if its folder cannot be read."""
    try:
        return sorted(tables_folder(tables).iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        text = _("cannot read the folder {tables}: {reason}")
        raise TableError(
            text.format(tables=tables_folder(tables), reason=error.strerror)
        ) from error


def _status(path: Path) -> os.stat_result | None:
    """Return the status of a file or link, or None if it has been removed meanwhile."""
    with suppress(OSError):
        return path.lstat()
    return None


def stored(tables: Folder = None) -> list[TableEntry]:
    """Return all tables in the store, unfinished ones included, by name."""
    files: dict[str, list[tuple[Path, os.stat_result]]] = {}  # by name of the table
    for path in _files(tables):
        name_of_file = re.fullmatch(rf"({STEM})\.({'|'.join(ENDINGS)})", path.name)
        if not name_of_file:
            continue
        status = _status(path)
        if status:
            files.setdefault(name_of_file[1], []).append((path, status))
    entries = []
    for name, files_of_table in files.items():
        parts = re.fullmatch(STEM, name)
        assert parts
        paths, statuses = zip(*files_of_table, strict=True)
        finished = f"{name}.json" in [path.name for path in paths]
        written = max(status.st_mtime for status in statuses)
        size = sum(map(_size, paths, statuses))
        entry = TableEntry(
            name, **parts.groupdict(), finished=finished, files=paths, bytes=size, written=written
        )
        entries.append(entry)
    return entries


def _size(path: Path, status: os.stat_result) -> int:
    """Return the size of a file, or of all files of a folder."""
    if not stat.S_ISDIR(status.st_mode):
        return status.st_size
    with suppress(OSError), os.scandir(path) as entries:
        return sum(entry.stat(follow_symlinks=False).st_size for entry in entries)
    return 0


def matching(entries: Iterable[TableEntry], name: str) -> list[TableEntry]:
    """Return the tables that a name means.

    They are the table of that name, else those of a rule set, else those of a rule set and an
    objective, else those whose whole name begins with it, if it ends with a part of a fingerprint.
    """
    entries = list(entries)
    named = [entry for entry in entries if entry.name == name]
    of_rules = [entry for entry in entries if entry.key == name]
    of_objective = [entry for entry in entries if entry.short_name == name]
    meant = named or of_rules or of_objective
    if meant:
        return meant
    if not re.search(r"-[0-9a-f]+$", name):
        return []
    # It ends with a part of the fingerprint, which tells two games apart.
    return [entry for entry in entries if re.fullmatch(rf"{re.escape(name)}[0-9a-f]*", entry.name)]


def short_names(entries: Iterable[TableEntry]) -> dict[str, str]:
    """Return the shortest name by which :func:`matching` finds each table alone.

    It is as short as ``yatzy-mean``, or the whole name.
    """
    entries = list(entries)
    return {
        entry.name: (
            entry.short_name if matching(entries, entry.short_name) == [entry] else entry.name
        )
        for entry in entries
    }


def remove(*tables: TableEntry) -> None:
    """Delete the files of tables, all or none of them."""
    with ExitStack() as locks:
        for table in tables:
            part = part_path(table.files[0].parent / f"{table.name}.npy")
            try:
                free = locks.enter_context(locked_if_free(part))
            except OSError as error:
                raise _cannot_remove(part, error) from error
            if not free:
                text = _("{table} is being solved by another process; nothing was removed")
                raise TableError(text.format(table=table.name))
        for table in tables:
            # The sidecar first: without it there is no table.
            for path in sorted(table.files, key=lambda path: path.suffix != ".json"):
                with folder_lock(path.parent):
                    _remove_path(path)


def _remove_path(path: Path) -> None:
    """Remove a file, a link, or a folder with all files in it. Raises TableError if it cannot."""
    import shutil

    try:
        if os.path.isdir(path) and not os.path.islink(path):
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
    except OSError as error:
        raise _cannot_remove(path, error) from error


def _cannot_remove(path: Path, error: OSError) -> TableError:
    """Return the error for a file or folder that cannot be removed."""
    text = _("cannot remove {path}: {reason}")
    return TableError(text.format(path=path, reason=error.strerror or error))


def leftovers(tables: Folder = None) -> list[Path]:
    """Return the files of killed solves that are not in use.

    They are unfinished tables, values without a sidecar, and temporary files.
    """
    unused = []
    for path in _files(tables):
        with suppress(OSError):  # another user's, whose lock cannot be asked for
            if _is_leftover(path):
                unused.append(path)
    return unused


def _is_leftover(path: Path) -> bool:
    """Return whether a file or folder is a leftover, by the kind that its name tells."""
    unfinished = re.fullmatch(rf"({STEM})\.({'|'.join(UNFINISHED)})", path.name)
    if unfinished:
        return not any(
            being_written(path.parent / f"{unfinished[1]}{ending}")
            for ending in (".part", ".proof.lock")
        )
    are_values = re.fullmatch(rf"{STEM}\.(np[yz]|shards)", path.name)
    if are_values:
        with folder_lock(path.parent, shared=True):
            return not os.path.exists(path.with_suffix(".json"))
    is_temporary = re.fullmatch(rf"\.{STEM}(\.[a-z]+)+\.[a-z0-9_]{{8}}", path.name)
    if not is_temporary:
        return False
    status = _status(path)
    if status is None:
        return False
    is_old = stat.S_ISREG(status.st_mode) and time.time() - status.st_mtime > STALE
    return is_old and not being_written(path)


def remove_leftovers(tables: Folder = None) -> list[Path]:
    """Remove :func:`leftovers`, each only if it still is one when its files are locked."""
    removed = []
    for path in leftovers(tables):
        # the ending of an unfinished table; empty for other files
        part_ending = next((ending for ending in PART_ENDINGS if path.name.endswith(ending)), "")
        with ExitStack() as locks:
            if part_ending:
                part = path.with_name(path.name.removesuffix(part_ending) + ".part")
                try:
                    if not locks.enter_context(locked_if_free(part)):
                        continue
                except OSError:  # another user's
                    continue
            locks.enter_context(folder_lock(path.parent))
            are_values = path.suffix in (".npy", ".npz", ".shards") and not part_ending
            if are_values and os.path.exists(path.with_suffix(".json")):
                continue  # they have got a sidecar meanwhile
            _remove_path(path)
            removed.append(path)
    return removed
