"""A table in shards: the file of one shard, written whole or not at all, and all of them read as
one array.

::

    header    NumPy's format 2.0, with so many spaces that the values lie as below
    values    at an offset that equals their place in the table, in bytes, modulo PAGE_BYTES
    digests   SHA-256 of each block of 64 kB of the *table*; the first and the last block may be parts of one
    footer    JSON: identity of the work, rows, place, checksums, and a checksum of its own
    length    of the footer, 8 bytes

Because of the offset the pages of a file are pages of the table, so that a program can map every
file to its place in one range of addresses. ``numpy.load(file, max_header_size=1 << 17)`` reads the
values.

The manifest lists the files of a finished table. The values are read block by block when they are
needed (:class:`perfect_yatzy.core.checked_values.CheckedValues`); a block that two shards share is
in part in each.
"""

from __future__ import annotations

import hashlib
import io
import os
from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from .._files import open_file, open_regular, replacing
from ..core import table_info
from ..core.checked_values import BLOCK_BYTES, DIGEST_BYTES, BlockHasher, CheckedValues, block_count
from ..core.objectives import Objective
from ..core.table_info import (
    MissingTable,
    ShardedTableInfo,
    checked_fields,
    damaged,
    reading,
    unreadable,
    with_checksum,
)
from ..core.table_slices import Values
from ..errors import TableError
from ..tablebase.work_identity import WorkIdentity, objective_digest
from .shard_plan import Shard

SHARD_FORMAT = 4  # of the file of one shard; the manifest has its own
PAGE_BYTES = 1 << 16  # a multiple of the page size of every system, and of the blocks
CHECKED_BYTES = 1 << 22  # read at a time to compare all values of a shard; a multiple of the blocks
LENGTH_BYTES = 8
MAX_FOOTER = 1 << 20
assert PAGE_BYTES % BLOCK_BYTES == CHECKED_BYTES % BLOCK_BYTES == 0


def shard_header(dtype: np.dtype[Any], start: int, count: int) -> bytes:
    """Return the header of the shard whose first value is value `start` of the table."""
    text = f"{{'descr': '{dtype.str}', 'fortran_order': False, 'shape': ({count},), }}"
    magic = b"\x93NUMPY\x02\x00"
    before_text = len(magic) + 4  # with the length of the text
    # of the header, so that the values lie as in the table
    size = start * dtype.itemsize % PAGE_BYTES
    while size < before_text + len(text) + 1:
        size += PAGE_BYTES
    room = size - before_text
    return magic + room.to_bytes(4, "little") + text.ljust(room - 1).encode("ascii") + b"\n"


def write_shard(path: Path, values: Values, start: int, fields: dict[str, Any]) -> dict[str, Any]:
    """Write a shard to a part, and rename it."""
    values = np.ascontiguousarray(values)
    hasher = BlockHasher(start * values.itemsize)
    hasher.update(values.data)
    digests = hasher.block_digests()
    footer = fields | {
        "dtype": values.dtype.name,
        "start": start,
        "values": len(values),
        "sha256": hasher.hexdigest(),
        "blocks_sha256": hashlib.sha256(digests).hexdigest(),
    }
    text = with_checksum(footer)
    with replacing(path) as file:
        file.write(shard_header(values.dtype, start, len(values)))
        file.write(values.data)
        file.write(digests)
        file.write(text)
        file.write(len(text).to_bytes(LENGTH_BYTES, "little"))
    return footer


@dataclass(frozen=True)
class ShardFile:
    """A shard on disk whose footer and digests have been checked, but not yet its values."""

    path: Path
    footer: dict[str, Any]
    digests: bytes  # one for each of its blocks
    offset: int  # where the values begin in the file
    dtype: np.dtype[Any]
    start: int  # Its values are ``table[start:stop]``
    stop: int

    def check(
        self, low: int, data: memoryview, checked: npt.NDArray[np.bool_] | None = None
    ) -> None:
        """Compare the blocks in `data` with their digests.

        `data` is the table from byte `low` on. It begins and ends with a block of the table, or
        with this shard. Blocks `checked` before are left out, and those compared are marked there.
        Raises TableError if one differs.
        """
        first_block = self.start * self.dtype.itemsize // BLOCK_BYTES  # that of the first digest
        for block in range(low // BLOCK_BYTES, block_count(low + len(data))):
            number = block - first_block  # of its digest in this file
            if checked is not None and checked[number]:
                continue
            # bytes of the table
            begin = max(block * BLOCK_BYTES, low)
            end = (block + 1) * BLOCK_BYTES
            digest = self.digests[number * DIGEST_BYTES : (number + 1) * DIGEST_BYTES]
            if hashlib.sha256(data[begin - low : end - low]).digest() != digest:
                raise damaged(f"the shard {self.path} was altered (its checksum differs)")
            if checked is not None:
                checked[number] = True

    def check_values(self) -> None:
        """Compare all values with the digests."""
        low = self.start * self.dtype.itemsize
        end = self.stop * self.dtype.itemsize
        while low < end:
            high = min((low // CHECKED_BYTES + 1) * CHECKED_BYTES, end)
            piece = memoryview(bytearray(high - low))
            self.read_into(piece, low)
            self.check(low, piece)
            low = high

    def part(self, low: int, high: int) -> tuple[int, int]:
        """Return the bytes `low` to before `high` of the table as far as they are in this file."""
        size = self.dtype.itemsize
        return max(low, self.start * size), min(high, self.stop * size)

    def read_into(self, target: memoryview, low: int) -> None:
        """Fill `target` with the bytes of the table from `low` on, without checks.

        They must all be in this file.
        """
        truncated = f"the shard {self.path} is truncated"
        with reading(self.path, truncated), io.FileIO(open_regular(self.path)) as file:
            file.seek(self.offset + low - self.start * self.dtype.itemsize)
            done = 0
            while done < len(target):
                count = file.readinto(target[done:])
                if not count:
                    raise damaged(truncated)
                done += count


def open_shard(path: Path) -> ShardFile:
    """Open a shard: check its size, header, footer and digests."""
    with reading(path, f"the shard {path} is truncated or damaged"), open_file(path) as file:
        end = file.seek(0, os.SEEK_END)
        file.seek(max(0, end - LENGTH_BYTES))
        length = int.from_bytes(file.read(LENGTH_BYTES), "little")
        if not 0 < length <= min(MAX_FOOTER, end):
            raise ValueError("no footer")
        file.seek(end - LENGTH_BYTES - length)
        footer = checked_fields(file.read(length))
        dtype = np.dtype(footer["dtype"])
        start = int(footer["start"])
        count = int(footer["values"])
        header = shard_header(dtype, start, count)
        low, high = start * dtype.itemsize, (start + count) * dtype.itemsize  # bytes of the table
        digest_bytes = (block_count(high) - low // BLOCK_BYTES) * DIGEST_BYTES
        if end != len(header) + (high - low) + digest_bytes + length + LENGTH_BYTES:
            raise ValueError("wrong size")
        file.seek(0)
        if file.read(len(header)) != header:
            raise ValueError("wrong header")
        file.seek(len(header) + (high - low))
        digests = file.read(digest_bytes)
        if hashlib.sha256(digests).hexdigest() != footer["blocks_sha256"]:
            raise ValueError("wrong digests")
    return ShardFile(path, footer, digests, len(header), dtype, start, start + count)


def shard_fields(identity: WorkIdentity, shard: Shard, dtype: np.dtype[Any]) -> dict[str, Any]:
    """Return the fields of the footer of a shard that are known before its values.

    They say whose the shard is, its rows and its place. :func:`write_shard` adds the checksums.
    """
    place = {
        "filled": shard.filled,
        "rows": [shard.first, shard.end],
        "start": shard.start,
        "values": shard.stop - shard.start,
        "dtype": dtype.name,
    }
    return {"format": SHARD_FORMAT} | identity.fields() | place


def stored_shard(
    path: Path, fields: Mapping[str, Any], *, values_too: bool = False
) -> ShardFile | None:
    """Return a shard if it exists, is undamaged as far as its footer tells, and has these fields.

    With `values_too` all its values are compared with their digests.
    """
    with suppress(OSError):  # TableError is one
        shard = open_shard(path)
        if all(shard.footer.get(name) == value for name, value in fields.items()):
            if values_too:
                shard.check_values()
            return shard
    return None


class ShardReader:
    """Reads blocks of a table from its shards."""

    def __init__(self, folder: Path, info: ShardedTableInfo, hint: str) -> None:
        self._folder = folder
        self._hint = hint
        self._shards = listed_shards(info)
        self._digests = [str(digest) for *_place, digest in info.shards]
        size = np.dtype(info.dtype).itemsize
        self._starts = [shard.start * size for shard in self._shards]  # in bytes
        self.open: dict[int, ShardFile] = {}  # by the number of the shard in the manifest

    def read(self, low: int, target: memoryview) -> None:
        """Fill `target` with blocks of the table, checked, as :class:`CheckedValues` asks for them."""
        high = low + len(target)
        first_number = bisect_right(self._starts, low) - 1  # of the shard with byte `low`
        for number in range(first_number, bisect_left(self._starts, high)):
            path = self._folder / self._shards[number].file
            try:
                shard = self._opened(number, path)
                first, last = shard.part(low, high)
                piece = target[first - low : last - low]
                shard.read_into(piece, first)
                shard.check(first, piece)
            except FileNotFoundError as error:
                raise damaged(f"the shard {path} is missing; {self._hint}") from error
            except TableError as error:
                raise damaged(f"{error}; {self._hint}") from error
            except OSError as error:
                raise unreadable(path, error) from error

    def _opened(self, number: int, path: Path) -> ShardFile:
        """Return a shard, which is opened when it is first needed.

        Raises TableError unless it is that of the manifest.
        """
        if number not in self.open:
            shard = open_shard(path)
            listed = self._digests[number], self._shards[number].start
            if (shard.footer["blocks_sha256"], shard.start) != listed:
                raise damaged(f"the shard {path} is of another table")
            self.open[number] = shard
        return self.open[number]


def listed_shards(info: ShardedTableInfo) -> list[Shard]:
    """Return the shards of a manifest, in the order of the table."""
    shards = list[Shard]()
    start = 0
    for *place, _digest in info.shards:
        filled, first, end, stop = map(int, place)
        shards.append(Shard(filled, first, end, start, stop))
        start = stop  # each begins where the one before ends
    return shards


def open_sharded(
    path: Path, info: ShardedTableInfo, objective: Objective, *, hashed: bool = False
) -> tuple[ShardedTableInfo, CheckedValues]:
    """Open a table in shards, and return its manifest and its values.

    With `hashed` all values are hashed, and the manifest has their SHA-256, also where it was empty.
    """
    hint = table_info.rebuild_hint(objective, path, shards=True)
    folder = table_info.shards_folder(path)
    if not os.path.isdir(folder):
        if os.path.isfile(path):
            raise damaged(
                f"the description of the table {path} is that of a table in shards; {hint}"
            )
        raise MissingTable(f"there is no finished table at {folder}; {hint}")
    with reading(path, f"the description of the table {path} is damaged; {hint}"):
        shards = listed_shards(info)
        if any(shard.start >= shard.stop for shard in shards):
            raise ValueError("wrong order")
        if not shards[-1].stop == info.values == objective.size:
            raise ValueError("wrong size")
        if info.objective_sha256 != objective_digest(objective):
            raise damaged(f"{folder} was made for another {objective.name}; {hint}")
        if np.dtype(info.dtype) != objective.store:
            raise ValueError("wrong type")
        values = CheckedValues(info.values, objective.store, ShardReader(folder, info, hint).read)
    if hashed:
        sha256 = values.sha256()
        if info.sha256 and info.sha256 != sha256:
            raise damaged(f"the table {folder} was altered (its checksum differs); {hint}")
        info = replace(info, sha256=sha256)
    return info, values
