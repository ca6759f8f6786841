"""What a solve takes of the machine: memory, disk space, which is checked before it begins, and
threads, as many as the system allows.

A limit of memory or of processes may allow fewer threads than there are processors. No result
depends on the number of threads, so fewer are used then, and at last only the thread of the caller.
"""

from __future__ import annotations

import contextlib
import math
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any

from ..errors import StateError, StorageError, TableError, shown, whole_number
from ..words import _, number_text, option_name

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

MAX_THREADS = 256
SPARE_DISK = 16 << 20  # bytes that stay free after a new table is written


@contextlib.contextmanager
def writing_to(folder: Path) -> Iterator[None]:
    """Create the folder, and report a failure to write there in one sentence."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        yield
    except OSError as error:
        if isinstance(error, TableError):
            raise
        reason = error.strerror or str(error)
        # what stands in the way, if it is not the folder
        name = Path(os.fsdecode(error.filename or "")).name
        if name and name != folder.name:
            reason = f"{name}: {reason}"
        text = _("cannot write a table to {folder}: {reason}; choose a folder with {option}")
        raise StorageError(
            text.format(folder=folder, reason=reason, option=option_name("tables"))
        ) from error


def check_space(folder: Path, size: int) -> None:
    """Raise StorageError unless `folder`'s disk has room for `size` bytes, and SPARE_DISK more."""
    import shutil

    with writing_to(folder):
        free = shutil.disk_usage(folder).free
    if free < size + SPARE_DISK:
        text = _(
            "{folder} has {free} MB free; the table needs {size} MB, and {spare} MB must stay free; "
            "choose a folder with {option}"
        )
        sizes = {
            "free": _megabytes(free, math.floor),
            "size": _megabytes(size, math.ceil),
            "spare": SPARE_DISK >> 20,
        }
        raise StorageError(text.format(folder=folder, option=option_name("tables"), **sizes))


def _megabytes(size: int, rounded: Callable[[float], int]) -> str:
    """Return a number of bytes in MB as text, with a decimal if it is below 10 MB."""
    megabytes = size / (1 << 20)
    if megabytes >= 10:
        return number_text(rounded(megabytes))
    return number_text(rounded(10 * megabytes) / 10, 1)


def default_threads() -> int:
    """Return the number of processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def thread_count(threads: int | None) -> int:
    """Return a number of threads, checked, or that of the processors if it is None. Raises
    StateError unless it is a whole number from 1 to MAX_THREADS.
    """
    if threads is None:
        return default_threads()
    count = whole_number(threads, "threads")
    if not 1 <= count <= MAX_THREADS:
        text = _("{name} is {value}; must be 1 to {most}")
        raise StateError(text.format(name="threads", value=shown(count), most=MAX_THREADS))
    return count


@contextmanager
def thread_pool(threads: int, name: str = "yatzy") -> Iterator[ThreadPoolExecutor | None]:
    """Yield a pool of started threads, or None if only the thread of the caller is used. After an
    error in the block no more waiting calls begin.
    """
    from concurrent.futures import ThreadPoolExecutor

    while threads > 1:
        with ThreadPoolExecutor(threads, thread_name_prefix=name) as pool:
            if _started(pool, threads):
                try:
                    yield pool
                except BaseException:
                    pool.shutdown(cancel_futures=True)
                    raise
                return
        threads //= 2  # the system did not start so many
    yield None


@contextmanager
def thread_map(threads: int, name: str = "yatzy") -> Iterator[Callable[..., Iterable[Any]]]:
    """Yield a function like the builtin ``map`` that calls in the threads of a pool."""
    with thread_pool(threads, name) as pool:
        yield pool.map if pool else map


class ScratchPool:
    """Working memory, or arguments that hold some, which one call uses at a time. `new` is a
    function that makes one more of them.
    """

    def __init__(self, new: Callable[[], Any]) -> None:
        self._new = new
        self._idle: list[Any] = []

    @contextmanager
    def borrow(self) -> Iterator[Any]:
        """Yield memory that no other call uses. After an error it is not used again."""
        try:
            scratch = self._idle.pop()
        except IndexError:
            scratch = self._new()
        yield scratch
        self._idle.append(scratch)


def _started(pool: ThreadPoolExecutor, threads: int) -> bool:
    """Start all threads of a new pool, and return whether the system could."""
    begin = Event()  # every thread waits, so that each task needs one more
    try:
        for _ in range(threads):
            pool.submit(begin.wait)
    except (RuntimeError, MemoryError):  # RuntimeError: "can't start new thread"
        return False
    finally:
        begin.set()
    return True
