"""The file format of a value table in one file, and its reader.

::

    NAME.npy    header, 128 bytes | values | SHA-256 of each block of 64 kB
    NAME.json   the sidecar: rules, type and number of the values, SHA-256 of the values and of the block digests, its
                own checksum; written last, and without it there is no finished table

A table is refused unless every byte that an answer depends on was checked, in the copy in memory
that is used. Tables of at most ALWAYS_HASHED bytes are read whole when they are opened, larger ones
block by block (:class:`perfect_yatzy.core.checked_values.CheckedValues`).
"""

from __future__ import annotations

import hashlib
import os
import threading
import weakref
from pathlib import Path
from typing import Any

import numpy as np

from .._files import open_regular
from . import table_info
from .checked_values import BLOCK_BYTES, DIGEST_BYTES, CheckedValues, Table, block_count
from .objectives import Objective
from .table_info import (
    TableInfo,
    damaged,
    reading,
    shards_folder,
    unreadable,
)

HEADER_BYTES = 128
# a table up to this many bytes is read and hashed whole whenever it is opened
ALWAYS_HASHED = 64 << 20


def npy_header(dtype: np.dtype[Any], size: int) -> bytes:
    """Return the header of an array in NumPy's format 1.0, the same length for all sizes."""
    text = f"{{'descr': '{dtype.str}', 'fortran_order': False, 'shape': ({size},), }}"
    room = HEADER_BYTES - 10
    return (
        b"\x93NUMPY\x01\x00"
        + room.to_bytes(2, "little")
        + text.ljust(room - 1).encode("ascii")
        + b"\n"
    )


class BlockFile:
    """An open file with the values of a table, read by blocks that are compared with digests."""

    def __init__(self, path: Path, hint: str) -> None:
        self.path = path
        self.hint = hint
        self.digests = b""
        self._descriptor = open_regular(path)
        self._lock = threading.Lock()
        weakref.finalize(self, os.close, self._descriptor)

    @property
    def size(self) -> int:
        """Its size now."""
        return os.fstat(self._descriptor).st_size

    def read_at(self, offset: int, target: memoryview) -> bool:
        """Fill `target` with the bytes of the file from `offset` on. Returns whether it has as
        many.
        """
        done = 0
        while done < len(target):
            count = self._read_some(offset + done, target[done:])
            if not count:
                return False
            done += count
        return True

    def _read_some(self, offset: int, target: memoryview) -> int:
        """Read the bytes that come at once into `target`. Returns their number, 0 at the end."""
        if hasattr(os, "preadv"):  # the place in a file is shared by forked processes
            return os.preadv(self._descriptor, [target], offset)
        with self._lock:
            os.lseek(self._descriptor, offset, os.SEEK_SET)
            part = os.read(self._descriptor, len(target))
        target[: len(part)] = part
        return len(part)

    def read(self, low: int, target: memoryview) -> None:
        """Fill `target` with blocks of the values for :class:`CheckedValues`, and check them."""
        try:
            is_filled = self.read_at(HEADER_BYTES + low, target)
        except OSError as error:
            raise unreadable(self.path, error) from error
        if not is_filled:
            raise damaged(f"the table {self.path} is truncated or damaged; {self.hint}")
        for start in range(0, len(target), BLOCK_BYTES):
            place = (low + start) // BLOCK_BYTES * DIGEST_BYTES
            digest = hashlib.sha256(target[start : start + BLOCK_BYTES]).digest()
            if digest != self.digests[place : place + DIGEST_BYTES]:
                raise damaged(altered(self.path, self.hint))


def altered(path: Path, hint: str) -> str:
    """Return the message for values that do not match their digest."""
    return f"the table {path} was altered (its checksum differs); {hint}"


def open_table_file(
    path: Path, info: TableInfo, objective: Objective, *, hashed: bool | None
) -> Table:
    """Return the values of a table in one file, read-only.

    With `hashed` all values are compared with the SHA-256 of the sidecar. Without it a table of at
    most ALWAYS_HASHED bytes is read whole, unless `hashed` is False: then any table is read by
    blocks, as a large one is.
    """
    hint = table_info.rebuild_hint(objective, path)
    missing = f"there is no finished table at {path}; {hint}"
    with reading(path, f"the table {path} is truncated or damaged; {hint}", missing):
        if os.path.isdir(shards_folder(path)) and not os.path.exists(path):
            raise damaged(f"{shards_folder(path)} has no manifest; {hint}")
        dtype = np.dtype(info.dtype)
        values_bytes = objective.size * dtype.itemsize
        digests_start = HEADER_BYTES + values_bytes
        file = BlockFile(path, hint)
        header = bytearray(HEADER_BYTES)
        digests = bytearray(block_count(values_bytes) * DIGEST_BYTES)
        has_header = file.read_at(0, memoryview(header))
        has_digests = file.read_at(digests_start, memoryview(digests))
        is_right_size = file.size == digests_start + len(digests)
        if not (has_header and has_digests and is_right_size):
            raise ValueError("wrong size")
    if header != npy_header(dtype, objective.size) or info.values != objective.size:
        raise damaged(f"the header of the table {path} is damaged; {hint}")
    if hashlib.sha256(digests).hexdigest() != info.blocks_sha256:
        raise damaged(altered(path, hint))
    file.digests = bytes(digests)
    table = CheckedValues(objective.size, dtype, file.read)
    if hashed and table.sha256() != info.sha256:
        raise damaged(altered(path, hint))
    if values_bytes > ALWAYS_HASHED or hashed is False:
        return table
    # This reads and checks all blocks. Indexing a plain array costs a fraction.
    return np.asarray(table)
