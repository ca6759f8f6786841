"""Where tables live, which exist, and what happens when one is missing: it is solved and kept.

    --tables DIR  >  $YATZY_TABLES  >  tables/ of a checkout  >  the user's data directory

The first of these that applies is where a table is looked for and written.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

from .errors import TableError
from .objectives import Objective, Values
from .rules import RuleSet
from .tables import TableInfo, TableWriter, check_memory, read_table, table_stem

Progress = Callable[[int, int], None]  # values done, values in all
PART_SECONDS = 60.0  # a solve that takes longer keeps its finished layers about this often


def tables_folder(tables: str | os.PathLike[str] | None = None) -> Path:
    """The folder tables are looked for in and written to."""
    if tables is not None:
        return Path(tables)
    if configured := os.environ.get("YATZY_TABLES"):
        return Path(configured)
    checkout = Path(__file__).resolve().parent.parent
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
    from .backward import solve_layers

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
