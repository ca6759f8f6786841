"""The processes that a process has started, on Linux from /proc, elsewhere by psutil if it is
installed.
"""

import os
from collections.abc import Iterator
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

LISTED = Path(f"/proc/self/task/{os.getpid()}/children").exists()


def children(process: int) -> set[int]:
    """The processes that a process has started and not waited for, also those that have ended."""
    if not LISTED:
        return _children_by_psutil(process)
    found = set()
    with suppress(OSError):  # it has ended
        for task in os.listdir(f"/proc/{process}/task"):
            with suppress(OSError):
                found.update(
                    map(int, Path(f"/proc/{process}/task/{task}/children").read_bytes().split())
                )
    return found


def _children_by_psutil(process: int) -> set[int]:
    if not find_spec("psutil"):
        return set()
    import psutil

    try:
        return {child.pid for child in psutil.Process(process).children()}
    except psutil.NoSuchProcess:
        return set()


def has_children() -> bool:
    """Whether this process has any; much faster than the list."""
    if not hasattr(os, "waitid"):
        return True
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True


def descendants(process: int) -> Iterator[int]:
    """The processes that a process has started, those that they have started, and so on; parents
    first.
    """
    for child in children(process):
        yield child
        yield from descendants(child)


def name_of(process: int) -> str:
    """The number of a process, and its command line if it still runs."""
    try:
        words = Path(f"/proc/{process}/cmdline").read_bytes().split(b"\0")
    except OSError:
        words = []
    command = b" ".join(words).decode(errors="replace").strip()
    return f"process {process}" + (f" ({command[:120]})" if command else "")
