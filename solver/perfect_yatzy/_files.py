"""The one way to open files of ours, their atomic replacement, and locks between processes and
threads.

A file of ours is a regular file of a limited size. Anything else in its place is refused with an
OSError that says so: a pipe or a device, which may have no end, is never read or waited for. Ask
whether a file is there by ``os.path.isfile`` and ``isdir``: for a folder that may not be searched,
and a name that is too long, they are false, where the methods of ``Path`` raise an error.

The locks are advisory (flock) and end with the process. Where there is no flock (Windows), each
process writes files of its own, and the package ``filelock`` locks a hidden file beside the file or
in the folder that is meant; on a disk without locks nothing is locked. Windows neither renames nor
removes a file that is open. Whoever waits for a lock says so after a second.

There is a lock for the folder of the tables, and one for each unfinished table. A process holds the
latter while it solves the table; others wait and do not remove it. That of the folder is held while
a table is renamed into its place or removed.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from io import BufferedReader
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from .errors import TableError
from .words import _, number_text, say

if TYPE_CHECKING:
    import numpy.typing as npt

try:
    import fcntl
except ImportError:
    fcntl = None  # type: ignore[assignment]

HAS_LOCKS = fcntl is not None
TRIES = 1 if HAS_LOCKS else 20  # to replace a file; where others may be reading it, a second in all
NO_LINKS = getattr(os, "O_NOFOLLOW", 0)
# Nothing is waited for when a file is opened, no terminal becomes that of this process, and Windows
# changes no line breaks.
AT_ONCE = sum(getattr(os, name, 0) for name in ("O_NONBLOCK", "O_NOCTTY", "O_BINARY"))
READER_SECONDS = 5.0  # so long may it take until somebody reads a pipe that is written to
SAID_AFTER = 1.0  # seconds of waiting for a lock
FOLDER_SECONDS = 30.0  # the lock of a folder is held for a moment; who holds it longer has stopped

Name = str | os.PathLike[str]


def open_regular(path: Name, flags: int = os.O_RDONLY) -> int:
    """Return the descriptor of a regular file. Anything else is an OSError, at once."""
    try:
        descriptor = os.open(path, flags | AT_ONCE, 0o666)
    except OSError as error:
        # a pipe without a reader, a socket
        if error.errno == errno.ENXIO:
            raise _not_regular(path) from error
        raise
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise _not_regular(path)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _not_regular(path: Name) -> OSError:
    return OSError(errno.EINVAL, _("it is not a regular file"), os.fspath(path))


def open_file(path: Name) -> BufferedReader:
    """Open a regular file for reading."""
    return os.fdopen(open_regular(path), "rb")


def read_file(path: Name, most: int) -> bytes:
    """Return the content of a regular file of at most `most` bytes.

    Of a larger file nothing is read, and it is an OSError.
    """
    with open_file(path) as file:
        size = os.fstat(file.fileno()).st_size
        # one byte more, if it grows meanwhile or its size is unknown, as that of files in /proc
        content = file.read(most + 1) if size <= most else b""
    if max(size, len(content)) > most:
        text = _("it is larger than {most} bytes", most=number_text(most, grouped=True))
        raise OSError(errno.EFBIG, text, os.fspath(path))
    return content


def read_array(file: Name | IO[bytes], *, mapped: bool = False) -> npt.NDArray[Any]:
    """Return the array of an NPY file, or of the place of an open one.

    If it is `mapped`, it is read where it is used. Raises ValueError if there is none, or its
    header is damaged.
    """
    from tokenize import TokenError

    import numpy as np

    try:
        return np.asarray(np.load(file, "r" if mapped else None, allow_pickle=False))
    # NumPy reads the header as Python, and a damaged one is not.
    except (ArithmeticError, EOFError, MemoryError, SyntaxError, TokenError) as error:
        raise ValueError(str(error)) from error


def open_output(path: Name, *, append: bool = False) -> IO[bytes]:
    """Open what a user names to write to it as it is.

    It is a file, a device, or a pipe that somebody reads.
    """
    flags = os.O_WRONLY | os.O_CREAT | (os.O_APPEND if append else os.O_TRUNC)
    begin = time.monotonic()
    while True:
        try:
            descriptor = os.open(path, flags | AT_ONCE, 0o666)
            break
        except OSError as error:
            if error.errno != errno.ENXIO:
                raise
            if time.monotonic() - begin > READER_SECONDS:
                raise OSError(errno.ENXIO, _("nobody reads it"), os.fspath(path)) from error
        time.sleep(0.05)
    if hasattr(os, "set_blocking"):
        os.set_blocking(descriptor, True)
    return os.fdopen(descriptor, "ab" if append else "wb")


def try_lock(descriptor: int) -> bool | None:
    """Lock an open file exclusively, if it is free.

    Returns True if done, False if another descriptor holds the lock, None without locks.
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


def wait_for_lock(
    descriptor: int,
    path: Path,
    *,
    shared: bool = False,
    said_after: float = SAID_AFTER,
    patience: float | None = None,
) -> bool:
    """Wait for the lock of an open file or folder, and return whether it is locked.

    It is not locked on a disk without locks. Another process that holds the lock is named after
    `said_after` seconds. After `patience` seconds, if they are limited, TableError is raised.
    """
    if not fcntl:
        return False
    wait = Waiting(path, said_after, patience)
    while True:
        try:
            fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        except BlockingIOError:
            wait.sleep()
        except OSError:
            return False
        else:
            return True


class Waiting:
    """Waits for what another process has locked, and says so once."""

    def __init__(
        self, path: Path, said_after: float = SAID_AFTER, patience: float | None = None
    ) -> None:
        self.path = path
        self.said_after = said_after
        self.patience = patience
        self.begin = time.monotonic()
        self.said = False

    def sleep(self) -> None:
        """Wait a moment, and say once what for after `said_after` seconds.

        Raises TableError if all moments together have been too long.
        """
        waited = time.monotonic() - self.begin
        if self.patience is not None and waited > self.patience:
            raise TableError(
                _("{path} is locked by {process}", path=self.path, process=self._process())
            )
        if waited > self.said_after and not self.said:
            self.said = True
            # A lock of another thread of this process is not worth a line.
            if lock_holder(self.path) != os.getpid():
                text = _("waiting for {process}, which has locked {path}")
                say(text.format(process=self._process(), path=self.path))
        time.sleep(min(0.05, max(0.001, waited / 10)))

    def _process(self) -> str:
        holder = lock_holder(self.path)
        return _("process {number}", number=holder) if holder else _("another process")


def lock_holder(path: Path) -> int | None:
    """Return the process that holds the lock of a file or folder, where the system tells it."""
    try:
        status = path.lstat()
        with open("/proc/locks", encoding="ascii") as file:
            locks = [line.split() for line in file if "FLOCK" in line and "->" not in line]
    except (OSError, ValueError):
        return None
    # The place has the numbers of the device, of which some disks tell another one here, and of the
    # file. The process is not positive where the system does not tell it.
    for *_kind, process, place, _begin, _end in locks:
        _device, _colon, file_number = place.rpartition(":")
        if int(file_number) == status.st_ino and int(process) > 0:
            return int(process)
    return None


def lock(
    path: Path,
    *,
    create: bool = False,
    shared: bool = False,
    said_after: float = SAID_AFTER,
    patience: float | None = None,
) -> Callable[[], object] | None:
    """Wait for the lock of a file or folder as :func:`wait_for_lock` does.

    Returns the function that releases it, or None where there are no locks. Raises OSError if a
    file cannot be created.
    """
    if not fcntl:
        return _lock_beside(path, Waiting(path, said_after, patience))
    descriptor = _flock(path, create, shared, said_after, patience)
    return None if descriptor is None else partial(os.close, descriptor)


@contextlib.contextmanager
def _holding(release: Callable[[], object] | None) -> Iterator[None]:
    """Release a lock at the end of the block, by the function that :func:`lock` has returned."""
    try:
        yield
    finally:
        if release:
            release()


def _lock_beside(path: Path, wait: Waiting) -> Callable[[], object] | None:
    """Wait for a lock as :func:`lock` does, where there is no flock."""
    while True:
        release, locked = _try_lock_beside(path)
        if locked is not False:
            return release
        wait.sleep()


def _try_lock_beside(path: Path) -> tuple[Callable[[], object] | None, bool | None]:
    """Lock a file or folder where there is no flock.

    Returns the function that releases it, and what :func:`try_lock` tells.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that only the lock that is not used below is there
            import filelock
    except ImportError:
        return None, None
    if filelock.FileLock is filelock.SoftFileLock:  # a file, which a killed process leaves behind
        return None, None
    place = path / ".lock" if os.path.isdir(path) else path.with_name(f".{path.name}.lock")
    file_lock: Any = filelock.FileLock(place, thread_local=False)
    try:
        file_lock.acquire(timeout=0)
    except TimeoutError:
        return None, False
    except OSError:  # nothing can be written there
        return None, None
    return file_lock.release, True


def _flock(
    path: Path,
    create: bool,
    shared: bool = False,
    said_after: float = SAID_AFTER,
    patience: float | None = None,
) -> int | None:
    """Return the descriptor that holds the lock until it is closed, or None as :func:`lock` does."""
    if create:
        descriptor = open_regular(path, os.O_RDWR | os.O_CREAT | NO_LINKS)
    else:
        try:
            descriptor = os.open(path, os.O_RDONLY | AT_ONCE)
        except OSError:  # a folder that is not there or may not be read
            return None
    with contextlib.ExitStack() as opened:
        opened.callback(os.close, descriptor)
        if not wait_for_lock(
            descriptor, path, shared=shared, said_after=said_after, patience=patience
        ):
            return None
        opened.pop_all()  # the caller closes it
    return descriptor


def open_hidden(path: Path) -> tuple[int, Path]:
    """Create a hidden file beside `path` for what will replace it.

    Returns its descriptor and its path.
    """
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    while True:
        hidden = path.with_name(f".{path.name}.{os.urandom(4).hex()}")
        with contextlib.suppress(FileExistsError):
            # Open to all, as any new file: the umask of the process takes bits away.
            return os.open(hidden, flags, 0o666), hidden


def replace(source: Path, target: Path) -> None:
    """Put a file in the place of another.

    It waits a moment for readers where they prevent it.
    """
    for _attempt in range(TRIES - 1):
        with contextlib.suppress(PermissionError):
            return os.replace(source, target)
        time.sleep(0.05)
    return os.replace(source, target)


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """Open a hidden file for writing, which replaces `path` at the end.

    It does not if the block ends with an exception.
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


def discard(path: Path) -> None:
    """Remove a file that is of no more use. One that cannot be there or be removed does no harm."""
    with contextlib.suppress(OSError):
        path.unlink(missing_ok=True)


@contextlib.contextmanager
def folder_lock(
    folder: Path,
    *,
    shared: bool = False,
    said_after: float = SAID_AFTER,
    patience: float | None = FOLDER_SECONDS,
) -> Iterator[None]:
    """Hold the lock of a folder. Where locks are not available, nothing is held."""
    with _holding(lock(folder, shared=shared, said_after=said_after, patience=patience)):
        yield


@contextlib.contextmanager
def exclusive(path: Path) -> Iterator[None]:
    """Hold the lock of a file that exists only meanwhile, for which other processes wait.

    Raises OSError if the file cannot be created.
    """
    if not fcntl:
        with _holding(lock(path)):
            yield
        return
    descriptor = _flock(path, create=True)
    while descriptor is not None and not is_same_file(descriptor, path):
        # meanwhile the process before has removed the file: its lock is of no use
        os.close(descriptor)
        descriptor = _flock(path, create=True)
    try:
        yield
    finally:
        if descriptor is not None:
            path.unlink(missing_ok=True)
            os.close(descriptor)


def is_same_file(descriptor: int, path: Path) -> bool:
    """Return whether an open file is still the one at this path."""
    try:
        return os.path.samestat(os.fstat(descriptor), os.lstat(path))
    except OSError:
        return False


def _open_and_lock(part: Path, flags: int) -> tuple[int, bool | None]:
    """Open an unfinished table, and lock it as :func:`try_lock` does.

    A symbolic link in its place is an OSError.
    """
    while True:
        descriptor = open_regular(part, flags | NO_LINKS)
        with contextlib.ExitStack() as opened:
            opened.callback(os.close, descriptor)
            locked = try_lock(descriptor)
            # else it was renamed to the finished table meanwhile
            if not locked or is_same_file(descriptor, part):
                opened.pop_all()  # the caller closes it
                return descriptor, locked


def claim(part: Path) -> tuple[int, bool | None]:
    """Open or create an unfinished table for writing, and return its descriptor.

    The second value says whether it is locked, as that of :func:`try_lock`: False if another process
    has the lock, None if there are no locks. A symbolic link in its place is removed.
    """
    while True:
        try:
            return _open_and_lock(part, os.O_RDWR | os.O_CREAT | os.O_APPEND)
        except OSError as error:
            if error.errno != errno.ELOOP or not part.is_symlink():
                raise
            part.unlink(missing_ok=True)  # a symbolic link is removed, not followed


@contextlib.contextmanager
def locked_if_free(part: Path) -> Iterator[bool]:
    """Yield whether no process solves an unfinished table.

    If none does, its lock is held in the block, where there are locks. Raises OSError if that
    cannot be told.
    """
    if not HAS_LOCKS:  # the part is not opened: Windows does not remove an open file
        release, locked = _try_lock_beside(part)
        with _holding(release):
            yield locked is not False  # None: there are no locks
        return
    descriptor = None
    try:
        descriptor, locked = _open_and_lock(part, os.O_RDONLY)
        free = locked is not False  # None: the disk has no locks
    except (FileNotFoundError, NotADirectoryError):
        free = True  # there is no such table
    except OSError as error:
        if error.errno != errno.ELOOP:
            raise
        free = True  # a symbolic link, which nobody writes to
    try:
        yield free
    finally:
        if descriptor is not None:
            os.close(descriptor)


def being_written(part: Path) -> bool:
    """Return whether a process holds the lock of an unfinished table.

    Raises OSError if that cannot be told.
    """
    with locked_if_free(part) as free:
        return not free
