"""Threads for compiled code, as many as the system allows.

A limit of memory or of processes may allow fewer threads than there are processors. No result depends on the number
of threads, so fewer are used then, and at last only the thread of the caller.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Event
from typing import Any


@contextmanager
def thread_pool(threads: int, name: str = "yatzy") -> Iterator[ThreadPoolExecutor | None]:
    """Started threads; None if there is only the thread of the caller.

    After an error inside the block no more of the waiting calls begin.

    Parameters
    ----------
    threads
        Number of threads. If the system cannot start so many, half of them are tried, and so on.
    name
        Prefix of the names of the threads.
    """
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
