"""The reader of all stored tables: in one file, or in shards, whose manifest is the sidecar."""

from __future__ import annotations

from pathlib import Path

from .._files import folder_lock
from ..core.checked_values import Table
from ..core.objectives import Objective
from ..core.table_file import open_table_file
from ..core.table_info import ShardedTableInfo, TableInfo, read_info
from ..errors import TableError


def read_table(
    path: Path, objective: Objective, *, hashed: bool | None = None
) -> tuple[TableInfo, Table]:
    """Open a table, read-only, and return its sidecar and its values.

    `hashed` is that of :func:`perfect_yatzy.core.table_file.open_table_file`. A table in shards is
    always read by blocks, and with `hashed` also compared as a whole.
    """
    try:
        return _read(path, objective, hashed)
    except TableError:
        # Another process may have been replacing or removing the table; the lock of the folder
        # excludes that.
        with folder_lock(path.parent, shared=True):
            return _read(path, objective, hashed)


def _read(path: Path, objective: Objective, hashed: bool | None) -> tuple[TableInfo, Table]:
    info = read_info(path, objective)
    if isinstance(info, ShardedTableInfo):
        from .shard_file import open_sharded

        return open_sharded(path, info, objective, hashed=bool(hashed))
    return info, open_table_file(path, info, objective, hashed=hashed)
