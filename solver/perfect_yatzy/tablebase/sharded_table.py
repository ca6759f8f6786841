"""A table in shards, read as one array.

::

    NAME.json             the manifest: a sidecar that lists the shards
    NAME.shards/          one file a shard (:mod:`.shard_file`)

The whole table is one range of addresses, reserved without any memory; it may be terabytes. When a value is read for
the first time, the file of its shard is mapped to its place in the range, and its block is compared with its
SHA-256, as in a table of one file (:class:`perfect_yatzy.model.checked_values.CheckedValues`)::

    addresses   |  page  |  page  |  page  |  page  |  page  |  page  | ...
    shards      |<------- shard 0 ------->|<------ shard 1 ------>|<---
    mapped      |        |        | copied |        | copied |        |

A page that two shards share is a copy of both parts. Every query, batch and simulation reads such a table as any
other, and opening it reads the manifest alone. Linux and macOS.
"""

from __future__ import annotations

import ctypes
import hashlib
import mmap
import os
import threading
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np

from ..errors import TableError
from ..model.checked_values import BLOCK_BYTES, CheckedValues
from ..model.objectives import Objective
from .objective_text import objective_digest
from .shard_file import NO_RESERVE, PAGE_BYTES, ShardFile, open_shard
from .shard_plan import Shard
from .table_info import DAMAGED, MissingTable, ShardedTableInfo, damaged, rebuild_hint, shards_folder, unreadable

MAP_FIXED = 0x10  # on Linux and macOS
MAP_FAILED = ctypes.c_void_p(-1).value


class AddressRange:
    """A range of addresses to which files can be mapped.

    Parameters
    ----------
    size
        In bytes.

    Attributes
    ----------
    bytes : memoryview
        The range, read-only. It exists as long as anything refers to this view.

    Raises
    ------
    TableError
        If the system has no such ranges.
    """

    def __init__(self, size: int) -> None:
        if not hasattr(mmap, "MAP_PRIVATE") or ctypes.sizeof(ctypes.c_void_p) < 8:
            raise TableError("tables in shards can only be read on 64-bit Linux and macOS")
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | NO_RESERVE
        try:
            self.bytes = memoryview(mmap.mmap(-1, size, flags=flags, prot=mmap.PROT_READ))
        except OSError as error:
            raise TableError(f"cannot reserve {size >> 20} MB of addresses: {error.strerror or error}") from error
        self._start = np.frombuffer(self.bytes, dtype=np.uint8).ctypes.data
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._libc.mmap.restype = ctypes.c_void_p
        self._libc.mmap.argtypes = (
            ctypes.c_void_p,
            ctypes.c_size_t,
            ctypes.c_int,
            ctypes.c_int,
            ctypes.c_int,
            ctypes.c_int64,
        )
        self._libc.mprotect.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)

    def map_file(self, descriptor: int, offset: int, place: int, size: int) -> None:
        """Show part of a file at a place of the range; place and offset are multiples of the system's pages.

        Raises
        ------
        OSError
            If the system refuses.
        """
        flags = mmap.MAP_SHARED | MAP_FIXED
        found = self._libc.mmap(self._start + place, size, mmap.PROT_READ, flags, descriptor, offset)
        if found == MAP_FAILED:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))

    def write(self, place: int, data: bytes) -> None:
        """Copy bytes to a place within one page of PAGE_BYTES, which no file is mapped to.

        Raises
        ------
        OSError
            If the system refuses.
        """
        page = place // PAGE_BYTES * PAGE_BYTES
        size = min(PAGE_BYTES, len(self.bytes) - page)
        if self._libc.mprotect(self._start + page, size, mmap.PROT_READ | mmap.PROT_WRITE):
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
        ctypes.memmove(self._start + place, data, len(data))
        self._libc.mprotect(self._start + page, size, mmap.PROT_READ)


class ShardedValues(CheckedValues):
    """The values of a table in shards as one array; see the module.

    Parameters
    ----------
    folder
        The folder of the shards.
    info
        The manifest.
    hint
        What to do about a damaged shard, for the message.

    Raises
    ------
    TableError
        If the system cannot map shards.
    """

    def __init__(self, folder: Path, info: ShardedTableInfo, hint: str) -> None:
        dtype = np.dtype(info.dtype)
        self._range = AddressRange(info.values * dtype.itemsize)
        super().__init__(np.frombuffer(self._range.bytes, dtype=dtype), b"", f"{folder} was altered; {hint}")
        self._folder, self._hint = folder, hint
        self._shards = listed_shards(info)
        self._sums = [str(shard[-1]) for shard in info.shards]
        self._starts = [shard.start * dtype.itemsize for shard in self._shards]
        self._open: dict[int, ShardFile] = {}
        self._lock = threading.Lock()

    def _check(self, blocks: Iterable[int]) -> None:
        size = len(self._range.bytes)
        for block in blocks:
            if self._checked[block]:
                continue
            low, high = block * BLOCK_BYTES, min((block + 1) * BLOCK_BYTES, size)
            number = bisect_right(self._starts, low) - 1
            while number < len(self._starts) and self._starts[number] < high:
                shard = self._open.get(number) or self._map(number)
                first, last = shard.part(low, high)
                try:
                    shard.check(block, self._range.bytes[first:last])
                except TableError as error:
                    raise damaged(f"{error}; {self._hint}") from error
                number += 1
            self._checked[block] = True

    def _map(self, number: int) -> ShardFile:
        """Put a shard in its place."""
        with self._lock:
            if found := self._open.get(number):
                return found
            expected = self._shards[number]
            path = self._folder / expected.file
            try:
                shard = open_shard(path)
                if (shard.footer["blocks_sha256"], shard.start) != (self._sums[number], expected.start):
                    raise damaged(f"the shard {path} is of another table")
                self._place(shard)
            except FileNotFoundError as error:
                raise damaged(f"the shard {path} is missing; {self._hint}") from error
            except TableError as error:
                raise damaged(f"{error}; {self._hint}") from error
            except OSError as error:
                raise unreadable(path, error) from error
            self._open[number] = shard
            return shard

    def _place(self, shard: ShardFile) -> None:
        low, high = shard.part(0, len(self._range.bytes))
        first, last = -(-low // PAGE_BYTES) * PAGE_BYTES, high // PAGE_BYTES * PAGE_BYTES
        copied = [(low, min(first, high)), (last, high)] if first <= last else [(low, high)]
        for start, end in copied:
            if start < end:
                part = bytearray(end - start)
                shard.read_into(memoryview(part), start)
                self._range.write(start, bytes(part))
        if first < last:
            descriptor = os.open(shard.path, os.O_RDONLY)
            try:
                self._range.map_file(descriptor, shard.offset + first - low, first, last - first)
            finally:
                os.close(descriptor)

    def sha256(self) -> str:
        """SHA-256 of all values in their order, as of a table in one file; reads and checks the whole table."""
        digest = hashlib.sha256()
        step = self._per_block * 64
        for start in range(0, len(self), step):
            digest.update(self[start : start + step].data)
        return digest.hexdigest()


def listed_shards(info: ShardedTableInfo) -> list[Shard]:
    """The shards of a manifest, in the order of the table."""
    starts = [0, *(int(shard[3]) for shard in info.shards[:-1])]
    return [
        Shard(int(filled), int(first), int(end), start, int(stop))
        for start, (filled, first, end, stop, _) in zip(starts, info.shards, strict=True)
    ]


def open_sharded(
    path: Path, info: ShardedTableInfo, objective: Objective, *, hashed: bool = False
) -> tuple[ShardedTableInfo, ShardedValues]:
    """Open a table in shards.

    Parameters
    ----------
    path
        The `.npy` file that the table would be in.
    hashed
        Whether to read and check all shards now. `info` then has the SHA-256 of all values.

    Raises
    ------
    MissingTable
        If there is no folder of shards.
    TableError
        If the manifest does not fit the objective, or a shard that was read is missing or damaged.
    """
    hint, folder = rebuild_hint(objective, path, shards=True), shards_folder(path)
    if not folder.is_dir():
        if path.is_file():
            raise damaged(f"the description of the table {path} is that of a table in shards; {hint}")
        raise MissingTable(f"there is no finished table at {folder}; {hint}")
    try:
        stops = [int(shard[3]) for shard in info.shards]
        ordered = all(a < b for a, b in zip([0, *stops], stops, strict=False))
        if not ordered or stops[-1] != info.values or info.values != objective.size:
            raise ValueError("wrong places")
        if info.objective_sha256 != objective_digest(objective):
            raise damaged(f"{folder} was made for another {objective.name}; {hint}")
        if (np.dtype(info.dtype)) != objective.store:
            raise ValueError("wrong type")
        values = ShardedValues(folder, info, hint)
    except TableError:
        raise
    except (*DAMAGED, IndexError) as error:
        raise damaged(f"the description of the table {path} is damaged; {hint}") from error
    if hashed:
        found = values.sha256()
        if info.sha256 not in ("", found):
            raise damaged(f"the table {folder} was altered (its checksum differs); {hint}")
        info = replace(info, sha256=found)
    return info, values
