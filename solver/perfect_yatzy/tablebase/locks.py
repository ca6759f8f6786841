"""Locks between processes and threads: one for the folder, one for each unfinished table.

A process holds the lock of an unfinished table while it solves it; others wait and do not remove the table. The
lock of the folder is held while a table is renamed into its place or removed. Without locks (see
:mod:`perfect_yatzy._files`) each process solves in a private file.
"""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterator
from pathlib import Path

from .._files import HAS_LOCKS, lock, try_lock

NO_LINKS = getattr(os, "O_NOFOLLOW", 0)


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
    while (descriptor := lock(path, create=True)) is not None and not is_same_file(descriptor, path):
        os.close(descriptor)
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


def claim(part: Path) -> tuple[int, bool | None]:
    """Open or create an unfinished table for writing, and lock it as :func:`perfect_yatzy._files.try_lock` does."""
    while True:
        try:
            descriptor = os.open(part, os.O_RDWR | os.O_CREAT | os.O_APPEND | NO_LINKS, 0o666)
        except OSError as error:
            if error.errno != errno.ELOOP or not part.is_symlink():
                raise
            part.unlink(missing_ok=True)  # a symbolic link is removed, not followed
            continue
        locked = try_lock(descriptor)
        # Between opening and locking the process that had it may have renamed this very file to the finished table.
        if not locked or is_same_file(descriptor, part):
            return descriptor, locked
        os.close(descriptor)


@contextlib.contextmanager
def locked_if_free(part: Path) -> Iterator[bool]:
    """Hold the lock of an unfinished table, if no process solves it."""
    if not HAS_LOCKS:  # nothing is opened: Windows does not remove an open file
        yield True
        return
    descriptor = None
    try:
        while True:
            descriptor = os.open(part, os.O_RDONLY | NO_LINKS)
            locked = try_lock(descriptor)
            # The process that had it may have renamed this very file to the finished table since.
            if not locked or is_same_file(descriptor, part):
                break
            os.close(descriptor)
            descriptor = None
    except PermissionError:
        locked = False  # another user's
    except OSError:
        locked = None
    try:
        yield locked is not False
    finally:
        if descriptor is not None:
            os.close(descriptor)


def being_written(part: Path) -> bool:
    """Whether a process holds the lock of an unfinished table."""
    with locked_if_free(part) as free:
        return not free
