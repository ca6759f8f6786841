"""Where tables live, which exist, and what happens when one is missing: it is solved and kept.

    --tables DIR  >  $YATZY_TABLES  >  tables/ of a checkout  >  the user's data directory

The first of these that applies is where a table is looked for and written.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ..errors import TableError
from ..game.rules import RuleSet
from ..model.objectives import Objective, Values
from .table_file import TableInfo, TableWriter, being_written, check_memory, read_table, table_stem

Progress = Callable[[int, int], None]  # values done, values in all
STEM = r"(?P<key>[a-z0-9+-]+)-(?P<objective>[a-z]+)-[0-9a-f]{12}"  # see table_stem
STALE = 3600.0  # seconds after which a private file that nobody wrote to is one that a killed process left
PART_SECONDS = 60.0  # a solve that takes longer keeps its finished layers about this often


def tables_folder(tables: str | os.PathLike[str] | None = None) -> Path:
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


def table_path(rules: RuleSet, tables: str | os.PathLike[str] | None = None, objective: str = "mean") -> Path:
    """The `.npy` file of a rule set's table, whether or not it exists."""
    return tables_folder(tables) / f"{table_stem(rules, objective)}.npy"


def has_table(rules: RuleSet, tables: str | os.PathLike[str] | None = None, objective: str = "mean") -> bool:
    """Whether a finished table stands in the store (it may still prove damaged)."""
    path = table_path(rules, tables, objective)
    return path.with_suffix(".json").is_file() and path.is_file()


def solve_to_store(
    objective: Objective,
    tables: str | os.PathLike[str] | None = None,
    *,
    threads: int | None = None,
    progress: Progress | None = None,
) -> TableInfo:
    """Solve a game and write its table; a kept part of an earlier, killed solve is taken up again.

    Parameters
    ----------
    progress
        Called after each layer with the values done and the values in all.
    """
    from .backward_induction import solve_layers

    check_memory(objective.rules, objective.needs())
    started = kept = time.perf_counter()
    writer = TableWriter(tables_folder(tables), objective)
    try:
        for layer in solve_layers(objective, threads=threads, resume=writer.resume()):
            writer.add(layer.values)
            if progress:
                progress(layer.done, layer.total)
            if layer.filled and time.perf_counter() - kept > PART_SECONDS:
                writer.checkpoint(layer.filled, layer.values)
                kept = time.perf_counter()
        return writer.finish(time.perf_counter() - started)
    finally:
        writer.close()


def open_table(
    objective: Objective,
    tables: str | os.PathLike[str] | None = None,
    *,
    threads: int | None = None,
    progress: Progress | None = None,
    solve: bool = True,
) -> tuple[TableInfo, Values]:
    """Open a game's table; solve it first if there is none.

    Raises
    ------
    TableError
        If the table is damaged, or missing and `solve` is False.
    """
    rules = objective.rules
    if not has_table(rules, tables, objective.name):
        if not solve:
            raise TableError(
                f"there is no table for {rules.key}; make it with: yatzy solve {rules.spec or rules.key}"
            )
        solve_to_store(objective, tables, threads=threads, progress=progress)
    return read_table(table_path(rules, tables, objective.name), objective)


@dataclass(frozen=True)
class TableEntry:
    """A table in the store: its name, what it is of, its files, their bytes, when they were last written to."""

    name: str
    key: str
    objective: str
    finished: bool
    files: tuple[Path, ...]
    bytes: int
    written: float


def stored(tables: str | os.PathLike[str] | None = None) -> list[TableEntry]:
    """Everything in the store, by name; parts of unfinished solves too."""
    files: dict[str, list[Path]] = {}
    folder = tables_folder(tables)
    for path in sorted(folder.iterdir()) if folder.is_dir() else []:
        if named := re.fullmatch(rf"({STEM})\.(npy|json|part|part\.json|part\.layer)", path.name):
            files.setdefault(named[1], []).append(path)
    found = []
    for name, paths in files.items():
        named = re.fullmatch(STEM, name)
        assert named
        about = [path.stat() for path in paths]
        found.append(
            TableEntry(
                name,
                named["key"],
                named["objective"],
                folder / f"{name}.json" in paths,
                tuple(paths),
                sum(stat.st_size for stat in about),
                max(stat.st_mtime for stat in about),
            )
        )
    return found


def remove(table: TableEntry) -> None:
    """Delete a table's files, its sidecar first: without it there is no table.

    Raises
    ------
    TableError
        If a solve is at it, or the files cannot be deleted.
    """
    for path in sorted(table.files, key=lambda path: path.suffix != ".json"):
        if path.suffix == ".part" and being_written(path):
            raise TableError(f"{table.name} is being solved by another process")
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            raise TableError(f"cannot remove {path}: {error.strerror}") from error


def leftovers(tables: str | os.PathLike[str] | None = None) -> list[Path]:
    """Private files of killed processes; what may still be written to is left out."""
    folder, now = tables_folder(tables), time.time()
    return [
        path
        for path in (sorted(folder.iterdir()) if folder.is_dir() else [])
        if re.fullmatch(rf"\.{STEM}(\.[a-z]+)+\.[a-z0-9_]{{8}}", path.name) and now - path.stat().st_mtime > STALE
    ]
