"""The file format of a value table in one file, and the reader of all tables.

A table in one file is two files with one name. `NAME.npy` holds the values and, after them, the SHA-256 of each block
of 64 kB; `NAME.json`, the sidecar, describes them and is written last. Without a sidecar there is no finished
table::

    NAME.npy    header, 128 bytes | values | SHA-256 of each block
    NAME.json   rules, type and number of the values, SHA-256 of the values and of the block digests, its own checksum

A table is refused unless every byte that an answer depends on was checked: the header must be exactly the one
written, the sidecar must match its checksum, and the values their SHA-256. Tables of at most ALWAYS_HASHED bytes are
hashed whole when they are opened, larger ones block by block when they are first read
(:class:`perfect_yatzy.model.checked_values.CheckedValues`). A sidecar may also be the manifest of a table in shards
(:mod:`.sharded_table`).
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import TableError
from ..model.checked_values import DIGEST_BYTES, CheckedValues, Table, block_count
from ..model.objectives import Objective, Values
from .locks import folder_lock
from .table_info import (
    DAMAGED,
    MissingTable,
    ShardedTableInfo,
    TableInfo,
    damaged,
    read_info,
    rebuild_hint,
    shards_folder,
    unreadable,
)

HEADER_BYTES = 128
CHUNK = 1 << 20  # values handled at a time where a whole table may be larger than memory
ALWAYS_HASHED = 64 << 20  # a table up to this many bytes is hashed whole whenever it is opened


def sha256_of(values: Values) -> str:
    """SHA-256 of an array's bytes, hexadecimal."""
    digest = hashlib.sha256()
    for start in range(0, len(values), CHUNK):
        digest.update(np.ascontiguousarray(values[start : start + CHUNK]).data)
    return digest.hexdigest()


def npy_header(dtype: np.dtype[Any], size: int) -> bytes:
    """The header of a one-dimensional array in NumPy's format 1.0; its length does not depend on the size."""
    text = f"{{'descr': '{dtype.str}', 'fortran_order': False, 'shape': ({size},), }}"
    room = HEADER_BYTES - 10
    return b"\x93NUMPY\x01\x00" + room.to_bytes(2, "little") + text.ljust(room - 1).encode("ascii") + b"\n"


def read_table(path: Path, objective: Objective, *, hashed: bool | None = None) -> tuple[TableInfo, Table]:
    """Open a table, memory-mapped and read-only.

    Parameters
    ----------
    path
        The `.npy` file.
    hashed
        Whether to hash the whole table now; by default only tables of at most 64 MB (some milliseconds). The blocks
        of others, and of all tables in shards, are hashed when they are first read.

    Returns
    -------
    info : TableInfo
    values : (size,) array or CheckedValues
        An array if the whole table was hashed and is not in shards.

    Raises
    ------
    MissingTable
        If there is no finished table.
    TableError
        If it is unreadable, damaged or of other rules.
    """
    try:
        return _read(path, objective, hashed)
    except TableError:
        # Another process may have been replacing or removing the table; the lock of the folder excludes that.
        with folder_lock(path.parent, shared=True):
            return _read(path, objective, hashed)


def _read(path: Path, objective: Objective, hashed: bool | None) -> tuple[TableInfo, Table]:
    info, hint = read_info(path, objective), rebuild_hint(objective, path)
    if isinstance(info, ShardedTableInfo):
        from .sharded_table import open_sharded

        return open_sharded(path, info, objective, hashed=bool(hashed))
    altered = f"the table {path} was altered (its checksum differs); {hint}"
    try:
        dtype = np.dtype(info.dtype)
        expected = npy_header(dtype, objective.size)
        size = objective.size * dtype.itemsize
        digests_size = block_count(size) * DIGEST_BYTES
        with open(path, "rb") as file:
            header = file.read(HEADER_BYTES)
            if file.seek(0, 2) != HEADER_BYTES + size + digests_size:
                raise damaged(f"the table {path} is truncated or damaged; {hint}")
            file.seek(HEADER_BYTES + size)
            digests = file.read(digests_size)
            values = np.memmap(file, dtype, "r", HEADER_BYTES, (objective.size,))
    except FileNotFoundError as error:
        if shards_folder(path).is_dir():
            raise damaged(f"{shards_folder(path)} has no manifest; {hint}") from error
        raise MissingTable(f"there is no finished table at {path}; {hint}") from error
    except TableError:
        raise
    except OSError as error:
        raise unreadable(path, error) from error
    except DAMAGED as error:
        raise damaged(f"the table {path} is truncated or damaged; {hint}") from error
    if header != expected or info.values != objective.size:
        raise damaged(f"the header of the table {path} is damaged; {hint}")
    if hashlib.sha256(digests).hexdigest() != info.blocks_sha256:
        raise damaged(altered)
    # A plain view of the map: indexing a memmap costs several times as much.
    plain = np.asarray(values)
    if values.nbytes > ALWAYS_HASHED if hashed is None else not hashed:
        return info, CheckedValues(plain, digests, altered)
    if sha256_of(plain) != info.sha256:
        raise damaged(altered)
    return info, plain
