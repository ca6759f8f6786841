"""Atomic replacement of files, and locks between processes and threads.

The locks are advisory (flock) and end with the process. On systems without them (Windows, some network disks) nothing
is locked.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import IO

try:
    import fcntl
except ImportError:
    fcntl = None  # type: ignore[assignment]

HAS_LOCKS = fcntl is not None


def try_lock(descriptor: int) -> bool | None:
    """Lock an open file exclusively: True if done, False if another descriptor holds the lock, None without locks."""
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
    """Wait for the lock of a file or folder; the descriptor that holds it until closed, None without locks."""
    if not fcntl:
        return None
    descriptor = None
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT if create else os.O_RDONLY, 0o666)
        fcntl.flock(descriptor, fcntl.LOCK_SH if shared else fcntl.LOCK_EX)
    except OSError:
        if descriptor is not None:
            os.close(descriptor)
        return None
    return descriptor


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """Open a temporary file for writing that replaces `path` when the block ends.

    Other processes see the old file or the complete new one, never a part. After an exception the old file stays.
    """
    import tempfile  # 5 ms that a query does not need

    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, 0o644)
        os.replace(name, path)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name)
        raise
