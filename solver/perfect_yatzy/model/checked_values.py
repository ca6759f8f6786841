"""Values of a large table on disk, each block compared with its SHA-256 before the first read.

Hashing a large table whole takes seconds; a query reads a few hundred values. So the table has one digest per block
of 64 kB, and a block is hashed when one of its values is read for the first time. All reads go through
:class:`CheckedValues`: by index, by a slice, or as a whole. The kernels read tables too, therefore this module is not
part of :mod:`perfect_yatzy.tablebase`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from ..errors import TableError

Array = npt.NDArray[Any]
BLOCK_BYTES = 1 << 16
DIGEST_BYTES = 32


class BlockHasher:
    """SHA-256 of a stream of bytes, and of each of its blocks.

    Parameters
    ----------
    offset
        Where the stream begins in a longer one whose blocks are meant; the first block is shorter then.
    """

    def __init__(self, offset: int = 0) -> None:
        self._whole = hashlib.sha256()
        self._block = hashlib.sha256()
        self._filled = offset % BLOCK_BYTES  # bytes of the current block
        self._digests: list[bytes] = []

    def update(self, data: memoryview) -> None:
        """Add bytes; blocks may begin and end anywhere in them."""
        data = data.cast("B")
        self._whole.update(data)
        start = 0
        while start < len(data):
            piece = data[start : start + BLOCK_BYTES - self._filled]
            self._block.update(piece)
            self._filled += len(piece)
            start += len(piece)
            if self._filled == BLOCK_BYTES:
                self._digests.append(self._block.digest())
                self._block, self._filled = hashlib.sha256(), 0

    def hexdigest(self) -> str:
        """SHA-256 of all bytes so far."""
        return self._whole.hexdigest()

    def block_digests(self) -> bytes:
        """The digests of all blocks, the last of which may be shorter, one after the other."""
        last = [self._block.digest()] if self._filled else []
        return b"".join(self._digests + last)


def block_count(size: int) -> int:
    """Number of blocks of `size` bytes."""
    return -(-size // BLOCK_BYTES)


class CheckedValues:
    """An array that checks its blocks when they are first read.

    It is read as an array: `table[places]` with whole numbers or a slice, and `np.asarray(table)`, which checks all.
    Threads may read side by side.

    Parameters
    ----------
    values : (n,) array
        Values, memory-mapped. The item size divides BLOCK_BYTES.
    digests
        SHA-256 of each block of BLOCK_BYTES, one after the other.
    failure
        Message of the TableError that a damaged block raises.
    """

    def __init__(self, values: Array, digests: bytes, failure: str) -> None:
        self._values, self._digests, self._failure = values, digests, failure
        self._per_block = BLOCK_BYTES // values.itemsize
        self._shift = self._per_block.bit_length() - 1
        # Twice as long as need be: blocks counted from the end are never marked, and so take the way with the modulo.
        self._checked = np.zeros(2 * block_count(values.nbytes), dtype=np.bool_)
        self.dtype, self.shape, self.nbytes = values.dtype, values.shape, values.nbytes

    def __len__(self) -> int:
        return len(self._values)

    def __iter__(self) -> Iterator[Any]:
        return iter(np.asarray(self))

    @overload
    def __getitem__(self, places: slice | npt.NDArray[np.integer[Any]]) -> Array: ...
    @overload
    def __getitem__(self, places: int | np.integer[Any]) -> Any: ...
    def __getitem__(self, places: Any) -> Any:
        """Values at these places.

        Raises
        ------
        TableError
            If a block that they stand in is damaged.
        """
        if isinstance(places, np.ndarray) and places.dtype.kind == "i":
            checked = self._checked[places >> self._shift].ravel()
            if (
                places.size and not checked[checked.argmin()]
            ):  # faster than all(), and a query comes here for each category
                # np.unique would import numpy.ma, which costs more than a query.
                self._check(sorted(set((places.ravel() % len(self) >> self._shift).tolist())))
        elif isinstance(places, slice):
            low, high, step = places.indices(len(self))
            if step < 0:
                low, high = 0, len(self)
            self.checked(low, high)
        elif isinstance(places, (int, np.integer)):
            place = int(places) % len(self)  # the array itself refuses what is out of range
            self.checked(place, place + 1)
        else:
            self.checked(0, len(self))
        return self._values[places]

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> Array:
        """The whole array, all blocks checked."""
        whole = self.checked(0, len(self))
        if copy or (dtype is not None and dtype != whole.dtype):
            return np.array(whole, dtype=dtype)
        return whole

    def checked(self, start: int, stop: int) -> Array:
        """The whole array, of which the values from `start` to before `stop` have been checked.

        Raises
        ------
        TableError
            If one of their blocks is damaged.
        """
        if start < stop:
            first, last = start >> self._shift, (stop - 1) >> self._shift
            if not self._checked[first : last + 1].all():
                self._check(range(first, last + 1))
        return self._values

    def _check(self, blocks: Iterable[int]) -> None:
        for block in blocks:
            if self._checked[block]:
                continue
            data = self._values[block * self._per_block : (block + 1) * self._per_block].data
            digest = self._digests[block * DIGEST_BYTES : (block + 1) * DIGEST_BYTES]
            if hashlib.sha256(data).digest() != digest:
                raise TableError(self._failure, code="table-damaged")
            self._checked[block] = True


Table = Array | CheckedValues  # what can be read by place: in memory or mapped, or checked while it is read


def checked_part(table: Table, start: int, stop: int) -> Array:
    """The whole table as an array whose values from `start` to before `stop` may be read."""
    return table.checked(start, stop) if isinstance(table, CheckedValues) else table
