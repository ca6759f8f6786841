"""Values of a large table on disk, whose blocks are read and checked when they are first needed.
Each block is compared with its SHA-256.

A block is read into memory of this process, checked there, and used from there: a file that is
truncated or changed later, or a disk that fails, is an error of the request that needs the block,
and never a wrong answer. The kernels read tables too, therefore this module is not part of
:mod:`perfect_yatzy.tablebase`.
"""

from __future__ import annotations

import hashlib
import mmap
import os
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from ..errors import TableError

Array = npt.NDArray[Any]
BLOCK_BYTES = 1 << 16
DIGEST_BYTES = 32
READ_BLOCKS = 64  # read at a time where many are needed
THREADED_BLOCKS = 256  # from so many on, threads share them
# A flag of mmap that Python names from 3.13 on: a system that counts promised memory does not count
# this.
NO_RESERVE = getattr(mmap, "MAP_NORESERVE", 0x40 if sys.platform == "darwin" else 0x4000)


def _kept_bytes() -> int:
    """Return how many bytes of a table stay in memory, a quarter of all, at least 1 GB."""
    try:
        return max(1 << 30, os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 4)
    except (AttributeError, OSError, ValueError):  # not on this system
        return 1 << 30


KEPT_BYTES = _kept_bytes()


class BlockHasher:
    """SHA-256 of a stream of bytes, and of each block of a longer stream. In the longer one, this
    stream begins at `offset`.
    """

    def __init__(self, offset: int = 0) -> None:
        self._whole = hashlib.sha256()
        self._block = hashlib.sha256()
        self._filled = offset % BLOCK_BYTES  # bytes of the current block
        self._digests: list[bytes] = []

    def update(self, data: memoryview) -> None:
        """Add bytes, in which blocks may begin and end anywhere."""
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
                self._block = hashlib.sha256()
                self._filled = 0

    def hexdigest(self) -> str:
        """Return the SHA-256 of all bytes so far."""
        return self._whole.hexdigest()

    def block_digests(self) -> bytes:
        """Return the digests of all blocks, the last of which may be shorter, in their order."""
        last = [self._block.digest()] if self._filled else []
        return b"".join(self._digests + last)


def block_count(size: int) -> int:
    """Return the number of blocks of `size` bytes."""
    return -(-size // BLOCK_BYTES)


def sparse_array(count: int, dtype: np.dtype[Any]) -> Array:
    """Return a zeroed array that takes memory only where it has been written to."""
    if not hasattr(mmap, "MAP_PRIVATE"):  # Windows
        return np.zeros(count, dtype=dtype)
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | NO_RESERVE
    try:
        memory = mmap.mmap(-1, max(1, count * dtype.itemsize), flags=flags)
    except OSError as error:
        raise MemoryError(
            f"cannot reserve {count * dtype.itemsize >> 20} MB of addresses"
        ) from error
    return np.frombuffer(memory, dtype=dtype, count=count)


class _Held:
    """The blocks of a table that are in memory."""

    def __init__(self, count: int, dtype: np.dtype[Any]) -> None:
        try:
            memory = sparse_array(count, dtype)
        except MemoryError as error:
            raise TableError(str(error)) from error
        self.target = memory.data.cast("B")
        self.values = memory.view()
        self.values.flags.writeable = False
        # Twice as long as need be: blocks counted from the end are never marked, and so take the
        # way with the modulo.
        self.checked = np.zeros(2 * block_count(memory.nbytes), dtype=np.bool_)
        self.blocks = 0
        self.lock = threading.Lock()
        self._mapped = getattr(memory.base, "obj", None)
        self.large_pages(0, len(self.target), wanted=False)

    def large_pages(self, low: int, high: int, *, wanted: bool) -> None:
        """Advise the system whether to use large pages. They are faster only for many blocks."""
        advice = getattr(mmap, "MADV_HUGEPAGE" if wanted else "MADV_NOHUGEPAGE", None)
        if advice is not None and isinstance(self._mapped, mmap.mmap):
            with suppress(OSError):  # the system has none
                self._mapped.madvise(advice, low, high - low)


class CheckedValues:
    """An array whose blocks are read and checked when they are first needed.

    Threads may read side by side. Where the blocks would take more than KEPT_BYTES, those of
    earlier reads are given up, as soon as no array refers to them. `read` fills a buffer of whole
    blocks with the bytes of the table from a place on, or raises TableError if they cannot be read
    or differ from their digests.
    """

    def __init__(
        self, count: int, dtype: np.dtype[Any], read: Callable[[int, memoryview], None]
    ) -> None:
        self._read = read
        self._per_block = BLOCK_BYTES // dtype.itemsize
        self._shift = self._per_block.bit_length() - 1
        self.dtype = dtype
        self.shape = (count,)
        self.nbytes = count * dtype.itemsize
        self._held = _Held(count, dtype)

    def __len__(self) -> int:
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        return iter(np.asarray(self))

    @overload
    def __getitem__(self, places: slice | npt.NDArray[np.integer[Any]]) -> Array: ...
    @overload
    def __getitem__(self, places: int | np.integer[Any]) -> Any: ...
    def __getitem__(self, places: Any) -> Any:
        """Return the values at these places. Raises TableError if their blocks are damaged."""
        if isinstance(places, np.ndarray) and places.dtype.kind == "i":
            held = self._held
            checked = held.checked[places >> self._shift].ravel()
            # argmin is faster than all(), and a query comes here for each category
            if places.size and not checked[checked.argmin()]:
                # np.unique would import numpy.ma, which costs more than a query.
                held = self._load(sorted(set((places.ravel() % len(self) >> self._shift).tolist())))
            return held.values[places]
        if isinstance(places, slice):
            low, high, step = places.indices(len(self))
            # backwards: the whole array
            values = self.checked(low, high) if step > 0 else self.checked(0, len(self))
            return values[places]
        if isinstance(places, (int, np.integer)):
            place = int(places) % len(self)  # the array itself refuses what is out of range
            return self.checked(place, place + 1)[places]
        return self.checked(0, len(self))[places]

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> Array:
        """Return the whole array, all blocks checked."""
        whole = self.checked(0, len(self))
        if copy or (dtype is not None and dtype != whole.dtype):
            return np.array(whole, dtype=dtype)
        return whole

    def checked(self, start: int, stop: int) -> Array:
        """Return an array as long as the table, with the values from `start` to `stop` checked. The
        value at `stop` is not included. Raises TableError if a block of them is damaged or cannot
        be read.
        """
        held = self._held
        if start < stop:
            first, last = start >> self._shift, (stop - 1) >> self._shift
            if not held.checked[first : last + 1].all():
                held = self._load(range(first, last + 1))
        return held.values

    def sha256(self) -> str:
        """Return the SHA-256 of all values. The whole table is read, checked, and not kept."""
        digest = hashlib.sha256()
        buffer = memoryview(bytearray(READ_BLOCKS * BLOCK_BYTES))
        for low in range(0, self.nbytes, len(buffer)):
            part = buffer[: self.nbytes - low]
            self._read(low, part)
            digest.update(part)
        return digest.hexdigest()

    def _load(self, blocks: Iterable[int]) -> _Held:
        """Read the blocks among these that are not in memory. The numbers ascend."""
        held = self._held
        missing = [block for block in blocks if not held.checked[block]]
        if held.blocks and (held.blocks + len(missing)) * BLOCK_BYTES > KEPT_BYTES:
            # Arrays in use refer to the old memory, which is freed with the last of them.
            held = _Held(len(self), self.dtype)
            self._held = held
            missing = list(blocks)
        with held.lock:
            # What another thread has checked meanwhile is in use, and must not be written again.
            runs = list(_runs(block for block in missing if not held.checked[block]))
            try:
                if len(missing) < THREADED_BLOCKS:
                    for run in runs:
                        self._fill(held, run)
                else:
                    from concurrent.futures import ThreadPoolExecutor

                    from .resources import default_threads

                    with ThreadPoolExecutor(default_threads()) as pool:
                        list(pool.map(partial(self._fill, held), runs))
            finally:  # without the runs after an error
                held.blocks += sum(end - first for first, end in runs if held.checked[first])
        return held

    def _fill(self, held: _Held, run: tuple[int, int]) -> None:
        """Read a run of blocks into memory."""
        first, end = run
        low = first * BLOCK_BYTES
        high = min(end * BLOCK_BYTES, self.nbytes)
        if end - first >= READ_BLOCKS // 2:
            held.large_pages(low, high, wanted=True)
        self._read(low, held.target[low:high])
        held.checked[first:end] = True


def _runs(blocks: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Yield first and last + 1 of each run of at most READ_BLOCKS numbers, which ascend."""
    first = end = -1  # of the run so far, which is empty before the first block
    for block in blocks:
        if block != end or end - first == READ_BLOCKS:
            if end > first:
                yield first, end
            first = block
        end = block + 1
    if end > first:
        yield first, end


# what can be read by place: in memory, or read and checked when it is needed
Table = Array | CheckedValues


def checked_part(table: Table, start: int, stop: int) -> Array:
    """Return the whole table as an array whose values from `start` to before `stop` may be read."""
    return table.checked(start, stop) if isinstance(table, CheckedValues) else table
