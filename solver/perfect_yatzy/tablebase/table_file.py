"""A value table on disk: `NAME.npy` with the values and `NAME.json`, written last, that vouches for them.

The sidecar is the mark of a finished table: without it there is none. Both are written to a temporary file in
the same folder, flushed and renamed, so a killed solve leaves either nothing or a part that can be resumed::

    yatzy-mean-6c1f....npy   memory-mapped when read          yatzy-mean-6c1f....part        layers done so far
    yatzy-mean-6c1f....json  rules, fingerprint, SHA-256 ...  yatzy-mean-6c1f....part.json   how far, their hash
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from .._files import replacing

try:
    import fcntl
except ImportError:  # Windows: every solve writes a file of its own, none is resumed
    fcntl = None  # type: ignore[assignment]

from ..errors import RulesError, TableError
from ..game.rules import RuleSet
from ..model.estimates import SolveCost
from ..model.objectives import Objective, Values

FORMAT = 1
CHUNK = 1 << 20  # values handled at a time where a whole table may be larger than memory
ALWAYS_HASHED = 64 << 20  # a table up to this many bytes is hashed whenever it is opened


@dataclass(frozen=True)
class TableInfo:
    """The sidecar: what a table is, and enough to notice if it is not.

    Attributes
    ----------
    format : int
        Version of the file format; this package writes and reads FORMAT.
    key, fingerprint, rules
        The rule set: its name, the SHA-256 of its canonical form, that form.
    objective : str
        What is maximised.
    dtype, values : str, int
        Type and number of the values.
    start_value : float or None
        Value of the empty card, as computed; None where a table answers many questions.
    rounding : float
        Error bound of a value. For means the largest difference between a stored value and the one computed, 0 for a
        float64 table (rounded values are never computed with); for goals the bound of the float32 arithmetic.
    sha256 : str
        Of the values' bytes.
    versions : dict
        Package, numpy and numba that made it.
    seconds : float
        Wall time of the solve.
    """

    format: int
    key: str
    fingerprint: str
    rules: dict[str, Any]
    objective: str
    dtype: str
    values: int
    start_value: float | None
    rounding: float
    sha256: str
    versions: dict[str, str]
    seconds: float


def table_stem(rules: RuleSet, objective: str) -> str:
    """File name without ending: readable, and different for different rules."""
    return f"{rules.key}-{objective}-{rules.fingerprint[:12]}"


def update_digest(digest: hashlib._Hash, values: Values) -> None:
    """Feed an array's bytes to a digest, in pieces (a table may be larger than memory)."""
    for start in range(0, len(values), CHUNK):
        digest.update(np.ascontiguousarray(values[start : start + CHUNK]).data)


def sha256_of(values: Values) -> str:
    """SHA-256 of an array's bytes, hexadecimal."""
    digest = hashlib.sha256()
    update_digest(digest, values)
    return digest.hexdigest()


def rebuild_hint(objective: Objective, path: Path) -> str:
    """The command that makes a table anew."""
    rules, what = objective.rules, "" if objective.name == "mean" else f" --what {objective.name}"
    return f"rebuild it with: yatzy solve {rules.spec or rules.key}{what} --force --tables {path.parent}"


@contextlib.contextmanager
def writing_to(folder: Path) -> Iterator[None]:
    """Turn a failure to write into one clear sentence."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        yield
    except OSError as error:
        if isinstance(error, TableError):
            raise
        reason = error.strerror or str(error)
        raise TableError(f"cannot write a table to {folder}: {reason}; choose a folder with --tables") from error


def check_space(folder: Path, size: int) -> None:
    """Raise TableError unless `folder`'s disk has room for `size` bytes."""
    with writing_to(folder):
        free = shutil.disk_usage(folder).free
    if free < size + (16 << 20):
        raise TableError(
            f"{folder} has {free >> 20} MB free and the table needs {size >> 20} MB; choose a folder with --tables"
        )


def available_memory() -> int | None:
    """Bytes that can be had without swapping, None where the system does not say."""
    try:
        text = Path("/proc/meminfo").read_text(encoding="ascii")
    except OSError:
        return None
    return next((int(line.split()[1]) << 10 for line in text.splitlines() if line.startswith("MemAvailable:")), None)


def check_memory(rules: RuleSet, needs: SolveCost) -> None:
    """Raise RulesError unless the machine has the memory a solve needs."""
    free = available_memory()
    if free is not None and needs.memory > free:
        needed, there = needs.memory / 2**30, free / 2**30
        raise RulesError(
            f"solving {rules.key} needs {needed:.1f} GB of memory and {there:.1f} GB are free; "
            f"it has {needs.values:,} values and would take about {max(1.0, needs.seconds / 60):.0f} minutes",
            code="too-large",
        )


def read_info(path: Path, objective: Objective) -> TableInfo:
    """Read a sidecar and check that it speaks of these rules in this format."""
    rules = objective.rules
    try:
        raw = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
        info = TableInfo(**raw)
    except FileNotFoundError as error:
        raise TableError(f"there is no finished table at {path}; {rebuild_hint(objective, path)}") from error
    except (OSError, ValueError, TypeError) as error:
        raise TableError(
            f"the description of the table {path} is damaged; {rebuild_hint(objective, path)}", code="table-damaged"
        ) from error
    if info.format != FORMAT:
        raise TableError(
            f"{path} has table format {info.format}, not {FORMAT}; {rebuild_hint(objective, path)}",
            code="table-damaged",
        )
    if (info.fingerprint, info.objective) != (rules.fingerprint, objective.name):
        raise TableError(
            f"{path} was made for other rules than {rules.key}; {rebuild_hint(objective, path)}", code="table-damaged"
        )
    return info


def read_table(path: Path, objective: Objective, *, hashed: bool | None = None) -> tuple[TableInfo, Values]:
    """Open a table, memory-mapped and read-only.

    Parameters
    ----------
    path
        The `.npy` file.
    hashed
        Whether to compare the SHA-256; by default only for tables of at most 64 MB (a few milliseconds).

    Raises
    ------
    TableError
        If it is missing, truncated, altered or of other rules.
    """
    info = read_info(path, objective)
    try:
        values = np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise TableError(
            f"the table {path} is truncated or damaged; {rebuild_hint(objective, path)}", code="table-damaged"
        ) from error
    if values.shape != (objective.size,) or info.values != objective.size or values.dtype.name != info.dtype:
        raise TableError(
            f"the table {path} has the wrong size; {rebuild_hint(objective, path)}", code="table-damaged"
        )
    due = values.nbytes <= ALWAYS_HASHED if hashed is None else hashed
    if due and sha256_of(values) != info.sha256:
        raise TableError(
            f"the table {path} was altered (its checksum differs); {rebuild_hint(objective, path)}",
            code="table-damaged",
        )
    # A plain view of the map: indexing a memmap costs several times as much.
    return info, np.asarray(values)


def being_written(part: Path) -> bool:
    """Whether a process holds the lock of an unfinished table."""
    if not fcntl:
        return False
    try:
        with open(part, "rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except FileNotFoundError:
        return False
    return False


class TableWriter:
    """Writes a table layer by layer, and vouches for it at the end.

    The values go to `NAME.part`, in the table's type and behind the `.npy` header; finishing renames it. From time
    to time :meth:`checkpoint` notes in `NAME.part.json` how far they can be trusted. Where the table stores
    fewer bits than are computed with, the newest layer is kept whole in `NAME.part.layer` to go on from.

    Raises
    ------
    TableError
        If the folder cannot be written to or is full (any method).
    """

    def __init__(self, folder: Path, objective: Objective) -> None:
        self.folder, self.rules, self.objective = folder, objective.rules, objective
        self.dtype = objective.store
        self.path = folder / f"{table_stem(objective.rules, objective.name)}.npy"
        self.part, self.note, self.whole_layer = (
            self.path.with_suffix(ending) for ending in (".part", ".part.json", ".part.layer")
        )
        self.digest = hashlib.sha256()
        self.written = 0
        self.rounding = objective.error
        self.start_value: float | None = None
        header = io.BytesIO()
        about = {"descr": self.dtype.str, "fortran_order": False, "shape": (objective.size,)}
        np.lib.format.write_array_header_1_0(header, about)
        self.header = header.getvalue()
        check_space(folder, objective.size * self.dtype.itemsize)
        self.private = False
        with writing_to(folder):
            self.file = self._claim()

    def _claim(self) -> BinaryIO:
        """Open the part for this process alone; if another one is at it, write a private file instead."""
        while fcntl:
            file = open(self.part, "a+b")  # noqa: SIM115 (closed by finish or close)
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                file.close()
                break
            # Between opening and locking the other process may have put this very file in its place as the table.
            if self.part.exists() and os.path.samestat(os.fstat(file.fileno()), os.stat(self.part)):
                return file
            file.close()
        self.private = True
        descriptor, name = tempfile.mkstemp(prefix=f".{self.path.name}.", dir=self.folder)
        self.part = Path(name)
        return os.fdopen(descriptor, "w+b")

    def resume(self) -> tuple[int, Values] | None:
        """The newest layer of an earlier, unfinished solve: its filled categories and values; None for none."""
        from .._version import __version__

        if self.private:
            return None
        try:
            about = json.loads(self.note.read_text(encoding="utf-8"))
            # Another version's arithmetic is not mixed in.
            ours = (FORMAT, self.rules.fingerprint, __version__)
            same = (about["format"], about["fingerprint"], about["version"]) == ours
            filled, written = int(about["filled"]), int(about["written"])
            stored = np.memmap(self.part, dtype=self.dtype, mode="r", offset=len(self.header), shape=(written,))
            size = written - self.objective.layer_slice(filled).start
            last = stored[-size:].astype(self.objective.compute)
            if self.dtype != self.objective.compute:
                last = np.fromfile(self.whole_layer, dtype=self.objective.compute)
            whole = len(last) == size and about["sha256"] == sha256_of(stored)
            if not (same and whole and about["layer_sha256"] == sha256_of(last)):
                return None
        except (OSError, ValueError, KeyError, TypeError, IndexError):
            return None
        update_digest(self.digest, stored)
        self.written, self.rounding = written, float(about["rounding"])
        with writing_to(self.folder):
            self.file.truncate(len(self.header) + written * self.dtype.itemsize)
            self.file.seek(0, os.SEEK_END)
        return filled, last

    def add(self, layer: Values) -> None:
        """Append the next layer."""
        stored = layer.astype(self.dtype, copy=False)
        if self.dtype != layer.dtype:
            for start in range(0, len(layer), CHUNK):
                off = np.abs(stored[start : start + CHUNK] - layer[start : start + CHUNK]).max()
                self.rounding = max(self.rounding, float(off))
        with writing_to(self.folder):
            if not self.written:
                if not self.private:
                    self.note.unlink(missing_ok=True)
                self.file.truncate(0)
                self.file.write(self.header)
            self.file.write(stored.data)
        update_digest(self.digest, stored)
        self.written += len(layer)
        self.start_value = self.objective.headline(layer)

    def checkpoint(self, filled: int, layer: Values) -> None:
        """Note that all up to this layer, the newest, can be trusted after a kill."""
        from .._version import __version__

        if self.private:
            return
        about = {
            "format": FORMAT,
            "fingerprint": self.rules.fingerprint,
            "version": __version__,
            "filled": filled,
            "written": self.written,
            "rounding": self.rounding,
            "sha256": self.digest.hexdigest(),
            "layer_sha256": sha256_of(layer),
        }
        with writing_to(self.folder):
            self.file.flush()
            os.fsync(self.file.fileno())
            if self.dtype != layer.dtype:
                with replacing(self.whole_layer) as file:
                    file.write(layer.data)
            with replacing(self.note) as file:
                file.write(json.dumps(about).encode())

    def finish(self, seconds: float) -> TableInfo:
        """Put the table in its place and write its sidecar."""
        from .._version import __version__

        info = TableInfo(
            format=FORMAT,
            key=self.rules.key,
            fingerprint=self.rules.fingerprint,
            rules=self.rules.canonical(),
            objective=self.objective.name,
            dtype=self.dtype.name,
            values=self.written,
            start_value=self.start_value,
            rounding=self.rounding,
            sha256=self.digest.hexdigest(),
            versions={"perfect-yatzy": __version__, "numpy": np.__version__, "numba": version("numba")},
            seconds=round(seconds, 3),
        )
        with writing_to(self.folder):
            self.file.flush()
            os.fsync(self.file.fileno())
            # The old sidecar must not vouch for the new values, not even for a moment.
            self.path.with_suffix(".json").unlink(missing_ok=True)
            if not self.private:
                self.note.unlink(missing_ok=True)
                self.whole_layer.unlink(missing_ok=True)
            os.chmod(self.part, 0o644)
            os.replace(self.part, self.path)
            with replacing(self.path.with_suffix(".json")) as file:
                file.write((json.dumps(asdict(info), indent=1) + "\n").encode())
        self.private = False
        return info

    def close(self) -> None:
        """Let go of the file; what a checkpoint noted stays for a later solve."""
        self.file.close()
        if self.private:
            self.part.unlink(missing_ok=True)
