"""The disk cache of compiled kernels: one policy for every jitted function.

numba's disk cache compares the file of the function alone, by path and time. It would miss an edit
elsewhere, and a copy of the same sources in another folder would compile everything again. So a
compiled function is stored under a hash of the sources that it can depend on: its module with all
that this imports, and the modules of the named tuples in its signature. That is all, because
``@function.of(Kind)`` stands in the module of the function or in that of the kind (a test checks
it). Each file of the cache begins with the SHA-256 of its content, because numba would run damaged
machine code: one that does not match is discarded. If the cache cannot be written, functions are
compiled in every process. While a process compiles a function, others that need it wait for its
lock and then read the result.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numba
import platformdirs
from numba import config, types
from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile

from ._files import lock, read_file
from ._sources import PACKAGE, WITHOUT_KERNELS, digest_of
from .words import NOT_STORED, say, was_said

DIGEST_BYTES = 32
MAX_KERNEL_BYTES = 256 << 20  # of a file of the cache
# To compile a function takes seconds: only later somebody is told who compiles it, and does it, too.
SAID_AFTER = 15.0
PATIENCE = 120.0
NOT_CACHED = "not cached"  # the kind of lines that say that the cache cannot be written
DIGEST_LETTERS = 16  # of the digest of the sources, in the name of a file


def modules_of(argument_types: Iterable[Any]) -> Iterator[Path]:
    """Yield the modules of the named tuples in a signature, also of those within others."""
    for argument in argument_types:
        if isinstance(argument, types.BaseNamedTuple):
            module = sys.modules[argument.instance_class.__module__]
            path = Path(getattr(module, "__file__", "")).resolve()
            if PACKAGE in path.parents:
                yield path
        if isinstance(argument, types.BaseTuple):
            yield from modules_of(argument)
        elif hasattr(argument, "job"):  # of a StoredType (core/simd.py)
            yield from modules_of([argument.job])


def cache_path() -> Path:
    """Return the folder of the kernels compiled by this numba with these flags.

    It need not exist.
    """
    flags = f"{numba.__version__} bounds checks {bool(config.BOUNDSCHECK)}"
    parent = os.environ.get("NUMBA_CACHE_DIR") or platformdirs.user_cache_dir("perfect-yatzy")
    return Path(parent) / f"kernels-{hashlib.sha256(flags.encode()).hexdigest()[:16]}"


def cache_folder(folder: Path) -> Path | None:
    """Return the folder, created if it does not exist, or None if it cannot be written to."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return None
    return folder if os.access(folder, os.W_OK) else None


_PATH = cache_path()
_FOLDER = cache_folder(_PATH)


def say_not_cached(reason: str = "") -> None:
    """Say that the cache cannot be written, unless it was said that nothing can be stored."""
    if not was_said(NOT_STORED):
        text = (
            f"cannot write compiled kernels to {_PATH}{reason}; they are compiled in every process"
        )
        say(text, once=NOT_CACHED)


def old_caches() -> list[Path]:
    """Return the folders and files of kernels that are not used any more.

    They were compiled by other versions of numba, with other flags, or from other sources.
    """
    if _FOLDER is None:
        return []
    folders = [path for path in _FOLDER.parent.glob("kernels-*") if path != _FOLDER]
    modules = [path for path in PACKAGE.rglob("*.py") if path not in WITHOUT_KERNELS]
    current = {digest_of(module)[:DIGEST_LETTERS] for module in modules}
    try:
        stored = [*_FOLDER.iterdir()]
    except OSError:  # it may not be read
        return []
    files = [path for path in stored if path.name.split(".")[0] not in current]
    return sorted(folders + files)


class DamagedCache(Exception):
    """A file of the cache does not match its checksum."""


class CheckedCacheFile(IndexDataCacheFile):
    """numba's index and data files, each with its SHA-256 in front."""

    def _read(self, path: str) -> Any:
        stored = read_file(path, MAX_KERNEL_BYTES)
        digest = stored[:DIGEST_BYTES]
        content = stored[DIGEST_BYTES:]
        if hashlib.sha256(content).digest() != digest:
            raise DamagedCache(path)
        return pickle.loads(content)

    def _write(self, path: str, data: Any) -> None:
        content = self._dump(data)
        with self._open_for_write(path) as file:
            file.write(hashlib.sha256(content).digest() + content)

    def _load_index(self) -> dict[Any, str]:
        try:
            version, stamp, overloads = self._read(self._index_path)
        except FileNotFoundError:
            return {}
        return overloads if (version, stamp) == (self._version, self._source_stamp) else {}

    def _save_index(self, overloads: dict[Any, str]) -> None:
        self._write(self._index_path, (self._version, self._source_stamp, overloads))

    def _load_data(self, name: str) -> Any:
        return self._read(self._data_path(name))

    def _save_data(self, name: str, data: Any) -> None:
        self._write(self._data_path(name), data)

    def discard(self) -> None:
        """Delete the index: its functions are compiled again, and their files overwritten."""
        Path(self._index_path).unlink(missing_ok=True)


class Locator:
    """Where numba finds the compiled forms of a function: in our folder, by its sources."""

    def __init__(self, function: Any) -> None:
        self.digest = digest_of(Path(function.__code__.co_filename).resolve())

    def get_cache_path(self) -> str:
        """Return the folder, as text."""
        return str(_PATH)

    def get_source_stamp(self) -> str:
        """Return the digest of the sources, which numba compares with that of the index."""
        return self.digest

    def ensure_cache_path(self) -> None:
        """Make the folder if somebody removed it meanwhile."""
        _PATH.mkdir(parents=True, exist_ok=True)


class KernelCacheImpl(CompileResultCacheImpl):
    """The name of the files of a function."""

    def __init__(self, function: Any) -> None:
        # Not that of numba, which would look for a locator and make another name.
        self._lineno = function.__code__.co_firstlineno
        self._locator = Locator(function)
        module = Path(function.__code__.co_filename).stem
        python = f"py{sys.version_info.major}{sys.version_info.minor}{sys.abiflags}"
        self._filename_base = (
            f"{self._locator.digest[:DIGEST_LETTERS]}.{module}.{function.__qualname__}.{python}"
        )


class RepairingCache(FunctionCache):
    """A disk cache of one function that repairs itself: no error of the cache makes a call fail."""

    _impl_class = KernelCacheImpl
    _cache_file: CheckedCacheFile
    _lock: Callable[[], object] | None = None  # releases the lock; from load_overload() on

    def __init__(self, function: Any) -> None:
        super().__init__(function)
        stamp = self._cache_file._source_stamp
        self._cache_file = CheckedCacheFile(self._cache_path, self._impl.filename_base, stamp)

    def _index_key(self, sig: Any, codegen: Any) -> Any:
        digests = tuple(sorted({digest_of(module) for module in modules_of(sig)}))
        return super()._index_key(sig, codegen), digests

    def stores(self, signature: tuple[Any, ...], codegen: Any) -> bool:
        """Return whether the disk has the function compiled for arguments of these types."""
        try:
            return self._index_key(signature, codegen) in self._cache_file._load_index()
        except (OSError, DamagedCache):
            return False

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the compiled function from the disk, or None if it is missing or damaged.

        The caller then compiles it and calls release().
        """
        try:
            compiled = super().load_overload(sig, target_context)
            if compiled is None and self._lock is None:
                # held until release()
                path = _PATH / f"{self._impl.filename_base}.lock"
                with suppress(OSError):  # without the lock, several processes may compile it
                    self._lock = lock(path, create=True, said_after=SAID_AFTER, patience=PATIENCE)
                # it may have been compiled during the wait
                compiled = super().load_overload(sig, target_context)
            return compiled
        except Exception as error:  # of a file, or of the lock: then discard() fails, too
            try:
                self._cache_file.discard()
                text = (
                    f"the cache of compiled kernels in {_PATH} was damaged; they are compiled again"
                )
                say(text, once=text)
            except OSError:
                self.disable_for(error)
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Write the compiled function to the disk, if that is possible."""
        try:
            super().save_overload(sig, data)
        except Exception as error:
            self.disable_for(error)

    def release(self) -> None:
        """Give back the lock that load_overload() took, if it did: other processes go on."""
        if self._lock is not None:
            self._lock()
            self._lock = None

    def disable_for(self, error: Exception) -> None:
        """Disable the cache after an error."""
        self.disable()
        reason = (
            error.strerror
            if isinstance(error, OSError) and error.strerror
            else type(error).__name__
        )
        say_not_cached(f" ({reason})")


def disk_cache(function: Any) -> RepairingCache | None:
    """Return the cache of a function.

    It is None, and that is said, if nothing can be written.
    """
    if _FOLDER is None:
        say_not_cached()
        return None
    return RepairingCache(function)
