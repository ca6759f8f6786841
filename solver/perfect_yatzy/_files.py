"""Atomic replacement of files, and locks between processes and threads.

The locks are advisory (flock) and end with the process. On systems without them (Windows, some
network disks) nothing is locked, and each process writes files of its own. Windows neither renames
nor removes a file that is open.

There is a lock for the folder of the tables, and one for each unfinished table. A process holds the
latter while it solves the table; others wait and do not remove it. That of the folder is held while
a table is renamed into its place or removed.
"""

from __future__ import annotations

import contextlib
import errno
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

try:
    import fcntl
except ImportError:
    fcntl = None  # type: ignore[assignment]

HAS_LOCKS = fcntl is not None
TRIES = 1 if HAS_LOCKS else 20  # to replace a file; where others may be reading it, a second in all
NO_LINKS = getattr(os, "O_NOFOLLOW", 0)


def try_lock(descriptor: int) -> bool | None:
    """Lock an open file exclusively: True if done, False if another descriptor holds the lock,
    None without locks.
    """
    if not fcntl:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


def lock(path: Path, *, create: bool = False, shared: bool = False) -> int | None:
    """Wait for the lock of a file or folder; the descriptor that holds it until closed, None
    without locks.
    """
    if not fcntl:
        return None
    descriptor = None
    try:
        descriptor = os.open(path, (os.O_RDWR | os.O_CREAT) if create else os.O_RDONLY, 0o666)
        fcntl.flock(descriptor, fcntl.LOCK_SH if shared else fcntl.LOCK_EX)
    except OSError:
        if descriptor is not None:
            os.close(descriptor)
        return None
    return descriptor


def open_hidden(path: Path) -> tuple[int, Path]:
    """Create a hidden file beside `path` for what will replace it; its descriptor and its path."""
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    while True:
        hidden = path.with_name(f".{path.name}.{os.urandom(4).hex()}")
        with contextlib.suppress(FileExistsError):
            return os.open(
                hidden, flags, 0o666
            ), hidden  # as any new file: the umask of the process takes bits away


def replace(source: Path, target: Path) -> None:
    """Put a file in the place of another; waits a moment for readers where they prevent it."""
    for _ in range(TRIES - 1):
        with contextlib.suppress(PermissionError):
            return os.replace(source, target)
        time.sleep(0.05)
    return os.replace(source, target)


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """Open a hidden file for writing; complete, when the block ends without an exception, it
    replaces `path`.
    """
    descriptor, hidden = open_hidden(path)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        replace(hidden, path)
    except BaseException:
        hidden.unlink(missing_ok=True)
        raise


@contextlib.contextmanager
def folder_lock(folder: Path, *, shared: bool = False) -> Iterator[None]:
    """Hold the lock of a folder; does nothing where locks are not available."""
    descriptor = lock(folder, shared=shared)
    try:
        yield
    finally:
        if descriptor is not None:
            os.close(descriptor)


@contextlib.contextmanager
def exclusive(path: Path) -> Iterator[None]:
    """Hold the lock of a file that exists only meanwhile; another process waits."""
    descriptor = lock(path, create=True)
    while descriptor is not None and not is_same_file(descriptor, path):
        # meanwhile the process before has removed the file: its lock is of no use
        os.close(descriptor)
        descriptor = lock(path, create=True)
    try:
        yield
    finally:
        if descriptor is not None:
            path.unlink(missing_ok=True)
            os.close(descriptor)


def is_same_file(descriptor: int, path: Path) -> bool:
    """Whether an open file is still the one at this path."""
    try:
        return os.path.samestat(os.fstat(descriptor), os.lstat(path))
    except OSError:
        return False


def _open_and_lock(part: Path, flags: int) -> tuple[int, bool | None]:
    """Open an unfinished table, if it is no symbolic link, and lock it as :func:`try_lock` does;
    else an OSError.
    """
    while True:
        descriptor = os.open(part, flags | NO_LINKS, 0o666)
        with contextlib.ExitStack() as opened:
            opened.callback(os.close, descriptor)
            locked = try_lock(descriptor)
            # else it was renamed to the finished table meanwhile
            if not locked or is_same_file(descriptor, part):
                opened.pop_all()  # the caller closes it
                return descriptor, locked


def claim(part: Path) -> tuple[int, bool | None]:
    """Open or create an unfinished table for writing, and lock it as :func:`try_lock` does."""
    while True:
        try:
            return _open_and_lock(part, os.O_RDWR | os.O_CREAT | os.O_APPEND)
        except OSError as error:
            if error.errno != errno.ELOOP or not part.is_symlink():
                raise
            part.unlink(missing_ok=True)  # a symbolic link is removed, not followed


@contextlib.contextmanager
def locked_if_free(part: Path) -> Iterator[bool]:
    """Whether no process solves an unfinished table; if so, hold its lock, where there are
    locks, in the block.
    """
    if not HAS_LOCKS:  # nothing is opened: Windows does not remove an open file
        yield True
        return
    descriptor = None
    try:
        descriptor, locked = _open_and_lock(part, os.O_RDONLY)
        free = locked is not False  # None: the disk has no locks
    except PermissionError:
        free = False  # another user's
    except OSError:
        free = True  # there is no such table
    try:
        yield free
    finally:
        if descriptor is not None:
            os.close(descriptor)


def being_written(part: Path) -> bool:
    """Whether a process holds the lock of an unfinished table."""
    with locked_if_free(part) as free:
        return not free
