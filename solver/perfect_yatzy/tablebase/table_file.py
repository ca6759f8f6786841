"""The file format of a value table in one file, the sidecars of all tables, and the reader of all tables::

    NAME.npy    header, 128 bytes | values | SHA-256 of each block of 64 kB
    NAME.json   the sidecar: rules, type and number of the values, SHA-256 of the values and of the block digests, its
                own checksum; written last, and without it there is no finished table

A table is refused unless every byte that an answer depends on was checked, in the copy in memory that is used. Tables
of at most ALWAYS_HASHED bytes are read whole when they are opened, larger ones block by block
(:class:`perfect_yatzy.model.checked_values.CheckedValues`).
A sidecar of format SHARDED_FORMAT is the manifest of a table in shards (:mod:`.shard_file`).

A *checkpoint* is what a long computation has so far: a solve in one file, a proof, a game of two players and an
approximation store their newest values and what was found up to them, so that a later call resumes there. One of
other rules or another version of the package is not used.
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from .._files import replacing
from .._version import __version__
from ..errors import TableError, _, shown
from ..game.rules import RuleSet
from ..model.checked_values import BLOCK_BYTES, DIGEST_BYTES, CheckedValues, Table, block_count
from ..model.objectives import Objective, Values
from .locks import folder_lock
from .memory import check_space, writing_to

FORMAT = 2
SHARDED_FORMAT = 3
UNROUNDED_ENDING = ".unrounded.npy"  # of a shard's values as computed, where the table stores fewer bits
CHECKPOINT_SECONDS = 30.0  # time between two stored layers
MAX_SIDECAR = 16 << 20  # bytes; a larger file is not a sidecar
# Everything that reading a damaged file can raise.
DAMAGED = (ValueError, TypeError, LookupError, ArithmeticError, AssertionError, RecursionError)


@dataclass(frozen=True)
class TableInfo:
    """The sidecar: what a table is, and the hashes that its bytes must have."""

    format: int  # version of the file format
    key: str  # the rule set: its name, the SHA-256 of its canonical form, that form
    fingerprint: str
    rules: dict[str, Any]
    objective: str  # name of the objective, such as mean or goals
    dtype: str  # type and number of the values
    values: int
    start_value: float | None  # value of the empty card, as computed; None if a table has no single value for it
    # Error bound of a value. For means the largest difference between a stored value and the one computed, 0 for
    # float64 (rounded values are never computed with); for goals the bound of the float32 arithmetic.
    rounding: float
    sha256: str  # of the values' bytes
    blocks_sha256: str  # of the block digests that follow the values
    versions: dict[str, str]  # of the package, numpy and numba that solved it
    seconds: float  # wall time of the solve


@dataclass(frozen=True)
class ShardedTableInfo(TableInfo):
    """The manifest of a table in shards; `blocks_sha256` is that of their own, one after the other."""

    # `sha256` is empty where hashing all values in their order would take long.
    objective_sha256: str  # of the parameters of the objective
    # for each shard, in the order of the table: number of filled categories, its first row in the layer, the row
    # after its last, the value of the table after its last, and the SHA-256 of its block digests
    shards: list[list[Any]]


class MissingTable(TableError):
    """There is no finished table."""


def table_stem(rules: RuleSet, objective: str) -> str:
    """File name without ending: readable, and different for different rules."""
    return f"{rules.key}-{objective}-{rules.fingerprint[:12]}"


def part_path(path: Path) -> Path:
    """The unfinished file of a table."""
    return path.with_suffix(".part")


def shards_folder(path: Path) -> Path:
    """The folder with the shards of a table, from the path of its `.npy` file."""
    return path.with_suffix(".shards")


def unfinished_shards(path: Path) -> Path:
    """The folder with the shards of a table that is being solved."""
    return path.with_suffix(".part.shards")


def versions() -> dict[str, str]:
    """Versions of the packages that determine the bits of a table."""
    from importlib.metadata import version

    return {"perfect-yatzy": __version__, "numpy": version("numpy"), "numba": version("numba")}


def table_fields(rules: RuleSet, objective: str, store: np.dtype[Any], size: int) -> dict[str, Any]:
    """What a sidecar says about a table of `size` values, whatever they are; `objective`: its name."""
    return {
        "key": rules.key, "fingerprint": rules.fingerprint, "rules": rules.canonical(), "objective": objective,
        "dtype": store.name, "values": size, "versions": versions(),
    }  # fmt: skip


def fraction_fields(value: Fraction, digits: int) -> dict[str, str]:
    """A fraction that is not negative; text, for readers with short integers, and as a decimal rounded down."""
    whole, rest = divmod(value.numerator, value.denominator)
    places = f".{rest * 10**digits // value.denominator:0{digits}}" if digits else ""
    return {"numerator": str(value.numerator), "denominator": str(value.denominator), "decimal": f"{whole}{places}"}


def with_checksum(fields: dict[str, Any]) -> bytes:
    """A JSON object as text, with the SHA-256 of its other fields in `checksum`."""
    return (json.dumps(fields | {"checksum": _checksum(fields)}, indent=1) + "\n").encode()


def checked_fields(text: bytes) -> dict[str, Any]:
    """The fields that :func:`with_checksum` wrote, or one of the errors DAMAGED."""
    fields = json.loads(text.decode("utf-8"))
    if not isinstance(fields, dict) or fields.pop("checksum") != _checksum(fields):
        raise ValueError("the checksum differs")
    return fields


def _checksum(fields: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(fields, sort_keys=True).encode()).hexdigest()


def rebuild_hint(objective: Objective, path: Path, *, shards: bool = False) -> str:
    """The command that solves a table again."""
    rules, options = objective.rules, objective.solve_options + (" --shards" if shards else "")
    return f"rebuild it with: yatzy solve {rules.spec or rules.key}{options} --force --tables {path.parent}"


def read_info(path: Path, objective: Objective) -> TableInfo:
    """Read a sidecar, and check that it is undamaged and of these rules."""
    rules, hint = objective.rules, rebuild_hint(objective, path)
    sidecar = path.with_suffix(".json")
    missing = f"there is no finished table at {path}; {hint}"
    with reading(sidecar, f"the description of the table {path} is damaged; {hint}", missing):
        with open(sidecar, "rb") as file:
            text = file.read(MAX_SIDECAR)
        fields = json.loads(text.decode("utf-8"))
        # Other formats have other fields; the checksum may be one of them.
        found = fields.get("format") if isinstance(fields, dict) else None
        if isinstance(found, int) and found not in (FORMAT, SHARDED_FORMAT):
            raise damaged(f"{path} has table format {shown(found)}, not {FORMAT} or {SHARDED_FORMAT}; {hint}")
        kind = ShardedTableInfo if found == SHARDED_FORMAT else TableInfo
        info = kind(**checked_fields(text))
    if (info.fingerprint, info.objective) != (rules.fingerprint, objective.name):
        raise damaged(f"{path} was made for other rules than {rules.key}; {hint}")
    return info


@contextmanager
def reading(path: Path, otherwise: str, missing: str = "") -> Iterator[None]:
    """Say what fails while a file is read: it is missing, unreadable, or damaged; errors that say so already pass."""
    try:
        yield
    except FileNotFoundError as error:
        if not missing:
            raise
        raise MissingTable(missing) from error
    except TableError:
        raise
    except OSError as error:
        raise unreadable(path, error) from error
    except DAMAGED as error:
        raise damaged(otherwise) from error


def damaged(message: str) -> TableError:
    """The error for a table that does not match its checksum, its format or its rules."""
    return TableError(message, code="table-damaged")


def unreadable(path: Path, error: OSError) -> TableError:
    """The error for a file that cannot be read."""
    return TableError(_("cannot read the table {path}: {reason}").format(path=path, reason=error.strerror or error))


def checkpoint_path(path: Path) -> Path:
    """The checkpoint of an unfinished table."""
    return path.with_suffix(".part.layer")


def remove_checkpoint(path: Path) -> None:
    """Remove the checkpoint of a table, and what earlier versions stored beside it."""
    for ending in (".part.json", ".part.layer"):
        path.with_suffix(ending).unlink(missing_ok=True)


def store_layer(path: Path, rules: RuleSet, values: Values, **fields: object) -> None:
    """Write a layer, or other values, and what was found up to it."""
    known = {
        "fingerprint": rules.fingerprint,
        "version": __version__,
        "sha256": hashlib.sha256(values.data).hexdigest(),
    }
    check_space(path.parent, values.nbytes)
    with writing_to(path.parent), replacing(path) as file:
        np.save(file, values)
        file.write(with_checksum(known | fields))


def stored_layer(path: Path, rules: RuleSet) -> tuple[Values, dict[str, Any]] | None:
    """The stored layer of this version and its fields; None if there is none, or it is damaged."""
    try:
        with path.open("rb") as file:
            values, fields = np.load(file), checked_fields(file.read())
        found = fields["fingerprint"], fields["version"], fields["sha256"]
    except (OSError, EOFError, MemoryError, *DAMAGED):
        return None
    same = found == (rules.fingerprint, __version__, hashlib.sha256(values.data).hexdigest())
    return (values, fields) if same else None


HEADER_BYTES = 128
ALWAYS_HASHED = 64 << 20  # a table up to this many bytes is read and hashed whole whenever it is opened


def npy_header(dtype: np.dtype[Any], size: int) -> bytes:
    """The header of a one-dimensional array in NumPy's format 1.0; its length does not depend on the size."""
    text = f"{{'descr': '{dtype.str}', 'fortran_order': False, 'shape': ({size},), }}"
    room = HEADER_BYTES - 10
    return b"\x93NUMPY\x01\x00" + room.to_bytes(2, "little") + text.ljust(room - 1).encode("ascii") + b"\n"


class BlockFile:
    """An open file with the values of a table, read by blocks that are compared with their digests."""

    def __init__(self, path: Path, hint: str) -> None:
        self.path, self.hint = path, hint
        self.digests = b""
        self._descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
        self._lock = threading.Lock()
        weakref.finalize(self, os.close, self._descriptor)

    @property
    def size(self) -> int:
        """Its size now."""
        return os.fstat(self._descriptor).st_size

    def read_at(self, offset: int, target: memoryview) -> bool:
        """Fill `target` with the bytes of the file from `offset` on; whether it has as many."""
        done = 0
        while done < len(target):
            if hasattr(os, "preadv"):  # the place in a file is shared by forked processes
                count = os.preadv(self._descriptor, [target[done:]], offset + done)
            else:
                with self._lock:
                    os.lseek(self._descriptor, offset + done, os.SEEK_SET)
                    part = os.read(self._descriptor, len(target) - done)
                target[done : done + len(part)] = part
                count = len(part)
            if not count:
                return False
            done += count
        return True

    def read(self, low: int, target: memoryview) -> None:
        """Blocks of the values, checked, as :class:`CheckedValues` takes them."""
        try:
            whole = self.read_at(HEADER_BYTES + low, target)
        except OSError as error:
            raise unreadable(self.path, error) from error
        if not whole:
            raise damaged(f"the table {self.path} is truncated or damaged; {self.hint}")
        for start in range(0, len(target), BLOCK_BYTES):
            place = (low + start) // BLOCK_BYTES * DIGEST_BYTES
            digest = hashlib.sha256(target[start : start + BLOCK_BYTES]).digest()
            if digest != self.digests[place : place + DIGEST_BYTES]:
                raise damaged(altered(self.path, self.hint))


def altered(path: Path, hint: str) -> str:
    """The message for values that do not match their digest."""
    return f"the table {path} was altered (its checksum differs); {hint}"


def read_table(path: Path, objective: Objective, *, hashed: bool | None = None) -> tuple[TableInfo, Table]:
    """Open a table, read-only."""
    try:
        return _read(path, objective, hashed)
    except TableError:
        # Another process may have been replacing or removing the table; the lock of the folder excludes that.
        with folder_lock(path.parent, shared=True):
            return _read(path, objective, hashed)


def _read(path: Path, objective: Objective, hashed: bool | None) -> tuple[TableInfo, Table]:
    info, hint = read_info(path, objective), rebuild_hint(objective, path)
    if isinstance(info, ShardedTableInfo):
        from .shard_file import open_sharded

        return open_sharded(path, info, objective, hashed=bool(hashed))
    missing = f"there is no finished table at {path}; {hint}"
    with reading(path, f"the table {path} is truncated or damaged; {hint}", missing):
        if shards_folder(path).is_dir() and not path.exists():
            raise damaged(f"{shards_folder(path)} has no manifest; {hint}")
        dtype, file = np.dtype(info.dtype), BlockFile(path, hint)
        size = objective.size * dtype.itemsize
        digests, header = bytearray(block_count(size) * DIGEST_BYTES), bytearray(HEADER_BYTES)
        parts = ((0, header), (HEADER_BYTES + size, digests))
        whole = all(file.read_at(place, memoryview(part)) for place, part in parts)
        if not whole or file.size != HEADER_BYTES + size + len(digests):
            raise ValueError("wrong size")
    if header != npy_header(dtype, objective.size) or info.values != objective.size:
        raise damaged(f"the header of the table {path} is damaged; {hint}")
    if hashlib.sha256(digests).hexdigest() != info.blocks_sha256:
        raise damaged(altered(path, hint))
    file.digests = bytes(digests)
    table = CheckedValues(objective.size, dtype, file.read)
    if hashed and table.sha256() != info.sha256:
        raise damaged(altered(path, hint))
    if size > ALWAYS_HASHED or hashed is False:
        return info, table
    return info, np.asarray(table)  # indexing a plain array costs a fraction
