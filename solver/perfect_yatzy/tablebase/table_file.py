"""The file format of a value table, and its reader.

A table is two files with one name. `NAME.npy` holds the values and, after them, the SHA-256 of each block of 64 kB;
`NAME.json`, the sidecar, describes them and is written last. Without a sidecar there is no finished table::

    NAME.npy    header, 128 bytes | values | SHA-256 of each block
    NAME.json   rules, type and number of the values, SHA-256 of the values and of the block digests, its own checksum

A table is refused unless every byte that an answer depends on was checked: the header must be exactly the one
written, the sidecar must match its checksum, and the values their SHA-256. Tables of at most ALWAYS_HASHED bytes are
hashed whole when they are opened, larger ones block by block when they are first read
(:class:`perfect_yatzy.model.checked_values.CheckedValues`).
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import TableError, shown
from ..game.rules import RuleSet
from ..model.checked_values import DIGEST_BYTES, CheckedValues, Table, block_count
from ..model.objectives import Objective, Values
from .locks import folder_lock

FORMAT = 2
HEADER_BYTES = 128
CHUNK = 1 << 20  # values handled at a time where a whole table may be larger than memory
ALWAYS_HASHED = 64 << 20  # a table up to this many bytes is hashed whole whenever it is opened
MAX_SIDECAR = 16 << 20  # bytes; a larger file is not a sidecar
# Everything that reading a damaged JSON file can raise.
DAMAGED = (ValueError, TypeError, KeyError, ArithmeticError, RecursionError)


@dataclass(frozen=True)
class TableInfo:
    """The sidecar: what a table is, and the hashes that its bytes must have.

    Attributes
    ----------
    format : int
        Version of the file format; this package writes and reads FORMAT.
    key, fingerprint, rules
        The rule set: its name, the SHA-256 of its canonical form, that form.
    objective : str
        Name of the objective, such as ``mean`` or ``goals``.
    dtype, values : str, int
        Type and number of the values.
    start_value : float or None
        Value of the empty card, as computed; None if a table has no single value for it.
    rounding : float
        Error bound of a value. For means the largest difference between a stored value and the one computed, 0 for a
        float64 table (rounded values are never computed with); for goals the bound of the float32 arithmetic.
    sha256 : str
        Of the values' bytes.
    blocks_sha256 : str
        Of the block digests that follow the values.
    versions : dict
        Versions of the package, numpy and numba that solved it.
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
    blocks_sha256: str
    versions: dict[str, str]
    seconds: float


class MissingTable(TableError):
    """There is no finished table."""


def table_stem(rules: RuleSet, objective: str) -> str:
    """File name without ending: readable, and different for different rules."""
    return f"{rules.key}-{objective}-{rules.fingerprint[:12]}"


def sha256_of(values: Values) -> str:
    """SHA-256 of an array's bytes, hexadecimal."""
    digest = hashlib.sha256()
    for start in range(0, len(values), CHUNK):
        digest.update(np.ascontiguousarray(values[start : start + CHUNK]).data)
    return digest.hexdigest()


def npy_header(dtype: np.dtype[Any], size: int) -> bytes:
    """The header of a one-dimensional array in NumPy's format 1.0; its length does not depend on the size."""
    text = f"{{'descr': '{dtype.str}', 'fortran_order': False, 'shape': ({size},), }}"
    room = HEADER_BYTES - 10
    return b"\x93NUMPY\x01\x00" + room.to_bytes(2, "little") + text.ljust(room - 1).encode("ascii") + b"\n"


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


def rebuild_hint(objective: Objective, path: Path) -> str:
    """The command that solves a table again."""
    rules, options = objective.rules, objective.solve_options
    return f"rebuild it with: yatzy solve {rules.spec or rules.key}{options} --force --tables {path.parent}"


def read_info(path: Path, objective: Objective) -> TableInfo:
    """Read a sidecar, and check that it is undamaged and of these rules.

    Raises
    ------
    MissingTable
        If there is none.
    TableError
        If it is damaged, unreadable, or of other rules or another format.
    """
    rules, hint = objective.rules, rebuild_hint(objective, path)
    try:
        with open(path.with_suffix(".json"), "rb") as file:
            text = file.read(MAX_SIDECAR)
        fields = json.loads(text.decode("utf-8"))
        # Other formats have other fields; the checksum may be one of them.
        if isinstance(fields, dict) and isinstance(fields.get("format"), int) and fields["format"] != FORMAT:
            raise damaged(f"{path} has table format {shown(fields['format'])}, not {FORMAT}; {hint}")
        info = TableInfo(**checked_fields(text))
    except FileNotFoundError as error:
        raise MissingTable(f"there is no finished table at {path}; {hint}") from error
    except TableError:
        raise
    except OSError as error:
        raise unreadable(path.with_suffix(".json"), error) from error
    except DAMAGED as error:
        raise damaged(f"the description of the table {path} is damaged; {hint}") from error
    if (info.fingerprint, info.objective) != (rules.fingerprint, objective.name):
        raise damaged(f"{path} was made for other rules than {rules.key}; {hint}")
    return info


def damaged(message: str) -> TableError:
    """The error for a table that does not match its checksum, its format or its rules."""
    return TableError(message, code="table-damaged")


def unreadable(path: Path, error: OSError) -> TableError:
    """The error for a file that cannot be read."""
    return TableError(f"cannot read the table {path}: {error.strerror or error}")


def read_table(path: Path, objective: Objective, *, hashed: bool | None = None) -> tuple[TableInfo, Table]:
    """Open a table, memory-mapped and read-only.

    Parameters
    ----------
    path
        The `.npy` file.
    hashed
        Whether to hash the whole table now; by default only tables of at most 64 MB (some milliseconds). The blocks
        of others are hashed when they are first read.

    Returns
    -------
    info : TableInfo
    values : (size,) array or CheckedValues
        An array if the whole table was hashed.

    Raises
    ------
    MissingTable
        If there is no finished table.
    TableError
        If it is unreadable, damaged or of other rules.
    """
    try:
        return _read(path, objective, hashed)
    except TableError:
        # Another process may have been replacing or removing the table; the lock of the folder excludes that.
        with folder_lock(path.parent, shared=True):
            return _read(path, objective, hashed)


def _read(path: Path, objective: Objective, hashed: bool | None) -> tuple[TableInfo, Table]:
    info, hint = read_info(path, objective), rebuild_hint(objective, path)
    altered = f"the table {path} was altered (its checksum differs); {hint}"
    try:
        dtype = np.dtype(info.dtype)
        expected = npy_header(dtype, objective.size)
        size = objective.size * dtype.itemsize
        digests_size = block_count(size) * DIGEST_BYTES
        with open(path, "rb") as file:
            header = file.read(HEADER_BYTES)
            if file.seek(0, 2) != HEADER_BYTES + size + digests_size:
                raise damaged(f"the table {path} is truncated or damaged; {hint}")
            file.seek(HEADER_BYTES + size)
            digests = file.read(digests_size)
            values = np.memmap(file, dtype, "r", HEADER_BYTES, (objective.size,))
    except FileNotFoundError as error:
        raise MissingTable(f"there is no finished table at {path}; {hint}") from error
    except TableError:
        raise
    except OSError as error:
        raise unreadable(path, error) from error
    except DAMAGED as error:
        raise damaged(f"the table {path} is truncated or damaged; {hint}") from error
    if header != expected or info.values != objective.size:
        raise damaged(f"the header of the table {path} is damaged; {hint}")
    if hashlib.sha256(digests).hexdigest() != info.blocks_sha256:
        raise damaged(altered)
    # A plain view of the map: indexing a memmap costs several times as much.
    plain = np.asarray(values)
    if values.nbytes > ALWAYS_HASHED if hashed is None else not hashed:
        return info, CheckedValues(plain, digests, altered)
    if sha256_of(plain) != info.sha256:
        raise damaged(altered)
    return info, plain
