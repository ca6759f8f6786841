"""A value table on disk: `NAME.npy` with the values and `NAME.json`, written last, that vouches for them.

The sidecar is the mark of a finished table: without it there is none. Both are written to a temporary file in
the same folder, flushed and renamed, so a killed solve leaves either nothing or a part that can be resumed::

    yatzy-6c1f....npy   float64, memory-mapped when read     yatzy-6c1f....part        layers done so far
    yatzy-6c1f....json  rules, fingerprint, SHA-256 ...      yatzy-6c1f....part.json   how many, and their hash
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np

from .dice import Floats
from .errors import TableError
from .rules import RuleSet
from .states import StateSpace

FORMAT = 1
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
    start_value : float
        Value of the empty card.
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
    start_value: float
    sha256: str
    versions: dict[str, str]
    seconds: float


def table_stem(rules: RuleSet, objective: str = "mean") -> str:
    """File name without ending: readable, and different for different rules."""
    return f"{rules.key}-{objective}-{rules.fingerprint[:12]}"


def sha256_of(values: Floats) -> str:
    """SHA-256 of an array's bytes, in pieces (a table may be larger than memory)."""
    digest = hashlib.sha256()
    step = (16 << 20) // values.itemsize
    for start in range(0, len(values), step):
        digest.update(np.ascontiguousarray(values[start : start + step]).data)
    return digest.hexdigest()


def rebuild_hint(rules: RuleSet) -> str:
    """The command that makes a table anew."""
    return f"rebuild it with: yatzy solve {rules.key} --force"


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """Write a file so that others see the old one or the whole new one, never a part."""
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


def write_table(
    folder: Path, rules: RuleSet, values: Floats, seconds: float, objective: str = "mean"
) -> TableInfo:
    """Write a finished table.

    Raises
    ------
    TableError
        If the folder cannot be written to or is full.
    """
    from . import __version__

    info = TableInfo(
        format=FORMAT,
        key=rules.key,
        fingerprint=rules.fingerprint,
        rules=rules.canonical(),
        objective=objective,
        dtype=values.dtype.name,
        values=len(values),
        start_value=float(values[-1]),
        sha256=sha256_of(values),
        versions={"perfect-yatzy": __version__, "numpy": np.__version__, "numba": _numba_version()},
        seconds=round(seconds, 3),
    )
    path = folder / f"{table_stem(rules, objective)}.npy"
    with writing_to(folder):
        # The old sidecar must not vouch for the new values, not even for a moment.
        path.with_suffix(".json").unlink(missing_ok=True)
        with replacing(path) as file:
            np.save(file, values)
        with replacing(path.with_suffix(".json")) as file:
            file.write((json.dumps(asdict(info), indent=1) + "\n").encode())
        drop_part(folder, rules, objective)
    return info


def _numba_version() -> str:
    from importlib.metadata import version

    return version("numba")


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


def read_info(path: Path, rules: RuleSet) -> TableInfo:
    """Read a sidecar and check that it speaks of these rules in this format."""
    try:
        raw = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
        info = TableInfo(**raw)
    except FileNotFoundError as error:
        raise TableError(f"there is no finished table at {path}; {rebuild_hint(rules)}") from error
    except (OSError, ValueError, TypeError) as error:
        raise TableError(f"the description of the table {path} is damaged; {rebuild_hint(rules)}") from error
    if info.format != FORMAT:
        raise TableError(f"{path} has table format {info.format}, not {FORMAT}; {rebuild_hint(rules)}")
    if info.fingerprint != rules.fingerprint:
        raise TableError(f"{path} was made for other rules than {rules.key}; {rebuild_hint(rules)}")
    return info


def read_table(
    path: Path, rules: RuleSet, space: StateSpace, *, hashed: bool | None = None
) -> tuple[TableInfo, Floats]:
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
    info = read_info(path, rules)
    try:
        values = np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise TableError(f"the table {path} is truncated or damaged; {rebuild_hint(rules)}") from error
    if values.shape != (space.size,) or info.values != space.size or values.dtype.name != info.dtype:
        raise TableError(f"the table {path} has the wrong size; {rebuild_hint(rules)}")
    due = values.nbytes <= ALWAYS_HASHED if hashed is None else hashed
    if due and sha256_of(values) != info.sha256:
        raise TableError(f"the table {path} was altered (its checksum differs); {rebuild_hint(rules)}")
    # A plain view of the map: indexing a memmap costs several times as much.
    return info, np.asarray(values)


def _part(folder: Path, rules: RuleSet, objective: str) -> tuple[Path, Path]:
    stem = table_stem(rules, objective)
    return folder / f"{stem}.part", folder / f"{stem}.part.json"


def drop_part(folder: Path, rules: RuleSet, objective: str = "mean") -> None:
    """Forget an unfinished solve."""
    for path in _part(folder, rules, objective):
        path.unlink(missing_ok=True)


def write_part(folder: Path, rules: RuleSet, values: Floats, layers_done: int, objective: str = "mean") -> None:
    """Keep the layers done so far (`values` holds just them) for a later :func:`read_part`."""
    data, sidecar = _part(folder, rules, objective)
    with writing_to(folder):
        with replacing(data) as file:
            file.write(values.tobytes())
        about = {
            "format": FORMAT,
            "fingerprint": rules.fingerprint,
            "layers_done": layers_done,
            "values": len(values),
            "sha256": sha256_of(values),
        }
        with replacing(sidecar) as file:
            file.write(json.dumps(about).encode())


def read_part(folder: Path, rules: RuleSet, values: Floats, objective: str = "mean") -> int:
    """Copy a kept part into `values`; how many layers it holds, 0 if there is none that can be trusted."""
    data, sidecar = _part(folder, rules, objective)
    try:
        about = json.loads(sidecar.read_text(encoding="utf-8"))
        done = np.fromfile(data, dtype=values.dtype)
        trusted = (
            about["format"] == FORMAT
            and about["fingerprint"] == rules.fingerprint
            and about["values"] == len(done) <= len(values)
            and about["sha256"] == sha256_of(done)
        )
    except (OSError, ValueError, KeyError, TypeError):
        return 0
    if not trusted:
        return 0
    values[: len(done)] = done
    return int(about["layers_done"])
