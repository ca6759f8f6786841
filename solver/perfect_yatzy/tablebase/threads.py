"""Threads for compiled code, as many as the system allows.

A limit of memory or of processes may allow fewer threads than there are processors. No result depends on the number
of threads, so fewer are used then, and at last only the thread of the caller.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Event
from typing import Any


def default_threads() -> int:
    """Number of processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def thread_pool(threads: int, name: str = "yatzy") -> Iterator[ThreadPoolExecutor | None]:
    """Started threads, None for the caller's alone; after an error in the block no more waiting calls begin."""
    while threads > 1:
        with ThreadPoolExecutor(threads, thread_name_prefix=name) as pool:
            if _started(pool, threads):
                try:
                    yield pool
                except BaseException:
                    pool.shutdown(cancel_futures=True)
                    raise
                return
        threads //= 2
    yield None


@contextmanager
def thread_map(threads: int, name: str = "yatzy") -> Iterator[Callable[..., Iterable[Any]]]:
    """A function like the builtin ``map`` that calls in several threads; see :func:`thread_pool`."""
    with thread_pool(threads, name) as pool:
        yield pool.map if pool else map


class ScratchPool:
    """Working memory, or arguments that hold some, for one call at a time; `new` makes more of it."""

    def __init__(self, new: Callable[[], Any]) -> None:
        self._new, self._idle = new, list[Any]()

    @contextmanager
    def borrow(self) -> Iterator[Any]:
        """Memory that no other call uses; it is lost after an error."""
        try:
            scratch = self._idle.pop()
        except IndexError:
            scratch = self._new()
        yield scratch
        self._idle.append(scratch)


def _started(pool: ThreadPoolExecutor, threads: int) -> bool:
    """Start all threads of a new pool; False if the system cannot."""
    begin = Event()  # every thread waits, so that each task needs one more
    try:
        for _ in range(threads):
            pool.submit(begin.wait)
    except (RuntimeError, MemoryError):  # RuntimeError: "can't start new thread"
        return False
    finally:
        begin.set()
    return True
