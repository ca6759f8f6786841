"""The file of one shard: written whole or not at all, and checked block by block when it is read.

::

    header    NumPy's format 2.0, with so many spaces that the values lie as below
    values    at an offset that equals their place in the table, in bytes, modulo PAGE_BYTES
    digests   SHA-256 of each block of 64 kB of the *table*; the first and the last block may be parts of one
    footer    JSON: rules, objective, rows, place, checksums, and a checksum of its own
    length    of the footer, 8 bytes

Because of the offset the pages of a file are pages of the table, so that a program can map every file to its place in
one range of addresses. ``numpy.load(file, max_header_size=1 << 17)`` reads the values.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .._files import replacing
from ..model.checked_values import BLOCK_BYTES, DIGEST_BYTES, BlockHasher
from ..model.objectives import Values
from .table_info import DAMAGED, checked_fields, damaged, unreadable, with_checksum

PAGE_BYTES = 1 << 16  # a multiple of the page size of every system, and of the blocks
LENGTH_BYTES = 8
PART_BYTES = 8 << 20  # read at a time where a shard may be large
MAX_FOOTER = 1 << 20
assert PAGE_BYTES % BLOCK_BYTES == 0


def shard_header(dtype: np.dtype[Any], start: int, count: int) -> bytes:
    """The header of the shard whose first value is value `start` of the table."""
    text = f"{{'descr': '{dtype.str}', 'fortran_order': False, 'shape': ({count},), }}"
    least = 12 + len(text) + 1
    size = start * dtype.itemsize % PAGE_BYTES
    size += PAGE_BYTES * -(-max(0, least - size) // PAGE_BYTES)
    room = size - 12
    return b"\x93NUMPY\x02\x00" + room.to_bytes(4, "little") + text.ljust(room - 1).encode("ascii") + b"\n"


def table_blocks(start: int, stop: int) -> int:
    """Number of blocks of the table that the bytes `start` to before `stop` are part of."""
    return -(-stop // BLOCK_BYTES) - start // BLOCK_BYTES


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

    @property
    def failure(self) -> str:
        """The message for a damaged block."""
        return f"the shard {self.path} was altered (its checksum differs)"

    def check(self, block: int, data: memoryview) -> None:
        """Compare the part of a block of the table that is in this file with its digest."""
        number = block - self.start * self.dtype.itemsize // BLOCK_BYTES
        if hashlib.sha256(data).digest() != self.digests[number * DIGEST_BYTES : (number + 1) * DIGEST_BYTES]:
            raise damaged(self.failure)

    def part(self, low: int, high: int) -> tuple[int, int]:
        """The bytes `low` to before `high` of the table as far as they are in this file."""
        size = self.dtype.itemsize
        return max(low, self.start * size), min(high, self.stop * size)

    def read_into(self, target: memoryview, low: int) -> None:
        """Fill `target` with the bytes of the table from `low` on, which must all be in this file; no check."""
        with open(self.path, "rb", buffering=0) as file:
            file.seek(self.offset + low - self.start * self.dtype.itemsize)
            done = 0
            while done < len(target):
                count = file.readinto(target[done:])
                if not count:
                    raise damaged(f"the shard {self.path} is truncated")
                done += count

    def parts(self) -> Iterator[bytes]:
        """All its bytes in pieces, unchecked."""
        with open(self.path, "rb") as file:
            file.seek(self.offset)
            left = (self.stop - self.start) * self.dtype.itemsize
            while left:
                part = file.read(min(left, PART_BYTES))
                if not part:
                    raise damaged(f"the shard {self.path} is truncated")
                left -= len(part)
                yield part


def open_shard(path: Path) -> ShardFile:
    """Open a shard: check its size, header, footer and digests."""
    try:
        with open(path, "rb") as file:
            end = file.seek(0, os.SEEK_END)
            file.seek(max(0, end - LENGTH_BYTES))
            length = int.from_bytes(file.read(LENGTH_BYTES), "little")
            if not 0 < length <= min(MAX_FOOTER, end):
                raise ValueError("no footer")
            file.seek(end - LENGTH_BYTES - length)
            footer = checked_fields(file.read(length))
            dtype, start, count = np.dtype(footer["dtype"]), int(footer["start"]), int(footer["values"])
            header = shard_header(dtype, start, count)
            low, high = start * dtype.itemsize, (start + count) * dtype.itemsize
            size = table_blocks(low, high) * DIGEST_BYTES
            if end != len(header) + high - low + size + length + LENGTH_BYTES:
                raise ValueError("wrong size")
            file.seek(0)
            if file.read(len(header)) != header:
                raise ValueError("wrong header")
            file.seek(high - low, os.SEEK_CUR)
            digests = file.read(size)
            if hashlib.sha256(digests).hexdigest() != footer["blocks_sha256"]:
                raise ValueError("wrong digests")
    except FileNotFoundError:
        raise
    except OSError as error:
        raise unreadable(path, error) from error
    except DAMAGED as error:
        raise damaged(f"the shard {path} is truncated or damaged") from error
    return ShardFile(path, footer, digests, len(header), dtype, start, start + count)


def existing_shard(path: Path, fields: dict[str, Any]) -> ShardFile | None:
    """The shard at a path if it is there, undamaged as far as its footer tells, and has these fields; else None."""
    with suppress(OSError):  # TableError is one
        shard = open_shard(path)
        if all(shard.footer.get(name) == value for name, value in fields.items()):
            return shard
    return None
