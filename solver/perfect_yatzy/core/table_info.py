"""What a stored table is: its sidecar, the JSON file that is written last and without which there
is no table.

A sidecar of format FORMAT describes a table in one file (:mod:`.table_file`), one of format
SHARDED_FORMAT a table in shards (:mod:`.shard_file`); it is then the manifest of the shards.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .._files import read_file
from .._version import __version__
from ..errors import TableError, shown
from ..words import _
from .objectives import Objective
from .rules import RuleSet

FORMAT = 2
SHARDED_FORMAT = 3
# of a shard's values as computed, where the table stores fewer bits
UNROUNDED_ENDING = ".unrounded.npy"
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
    # value of the empty card, as computed; None if a table has no single value for it
    start_value: float | None
    # Error bound of a value. For means the largest difference between a stored value and the one
    # computed, 0 for float64 (rounded values are never computed with); for goals the bound of the
    # float32 arithmetic.
    rounding: float
    sha256: str  # of the values' bytes
    blocks_sha256: str  # of the block digests that follow the values
    # of the package, numpy and numba that solved it, and the SHA-256 of its sources, for information
    versions: dict[str, str]
    seconds: float  # wall time of the solve


@dataclass(frozen=True)
class ShardedTableInfo(TableInfo):
    """The manifest of a table in shards. `blocks_sha256` is the digest of the digests of the
    shards, one after the other.
    """

    # `sha256` is empty where hashing all values in their order would take long.
    objective_sha256: str  # of the parameters of the objective
    # for each shard, in the order of the table: number of filled categories, its first row in the
    # layer, the row after its last, the value of the table after its last, and the SHA-256 of its
    # block digests
    shards: list[list[Any]]


class MissingTable(TableError):
    """There is no finished table."""


def table_stem(rules: RuleSet, objective: str) -> str:
    """Return a file name without ending, readable and different for different rules."""
    return f"{rules.key}-{objective}-{rules.fingerprint[:12]}"


def part_path(path: Path) -> Path:
    """Return the unfinished file of a table."""
    return path.with_suffix(".part")


def shards_folder(path: Path) -> Path:
    """Return the folder with the shards of a table, from the path of its `.npy` file."""
    return path.with_suffix(".shards")


def unfinished_shards(path: Path) -> Path:
    """Return the folder with the shards of a table that is being solved."""
    return path.with_suffix(".part.shards")


def versions() -> dict[str, str]:
    """Return the versions of the packages that determine the bits of a table."""
    from importlib.metadata import version

    return {"perfect-yatzy": __version__, "numpy": version("numpy"), "numba": version("numba")}


def table_fields(
    rules: RuleSet, objective: str, store: np.dtype[Any], size: int, sources: str
) -> dict[str, Any]:
    """Return what a sidecar says about a table of `size` values, whatever they are. `objective` is
    the name of what was solved, `sources` the SHA-256 of the modules that solved it.
    """
    return {
        "key": rules.key,
        "fingerprint": rules.fingerprint,
        "rules": rules.canonical(),
        "objective": objective,
        "dtype": store.name,
        "values": size,
        "versions": versions() | {"sources": sources},
    }


def with_checksum(fields: dict[str, Any]) -> bytes:
    """Return a JSON object as text, with the SHA-256 of its other fields in `checksum`."""
    return (json.dumps(fields | {"checksum": _checksum(fields)}, indent=1) + "\n").encode()


def checked_fields(text: bytes) -> dict[str, Any]:
    """Return the fields that :func:`with_checksum` wrote. Raises one of the errors DAMAGED."""
    fields = json.loads(text.decode("utf-8"))
    if not isinstance(fields, dict) or fields.pop("checksum") != _checksum(fields):
        raise ValueError("the checksum differs")
    return fields


def _checksum(fields: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(fields, sort_keys=True).encode()).hexdigest()


def rebuild_hint(objective: Objective, path: Path, *, shards: bool = False) -> str:
    """Return the command that solves a table again."""
    rules = objective.rules
    options = objective.solve_options + (" --shards" if shards else "")
    return f"rebuild it with: yatzy solve {rules.spec or rules.key}{options} --force --tables {path.parent}"


def read_info(path: Path, objective: Objective) -> TableInfo:
    """Read a sidecar, and check that it is undamaged and of these rules."""
    rules = objective.rules
    hint = rebuild_hint(objective, path)
    sidecar = path.with_suffix(".json")
    missing = f"there is no finished table at {path}; {hint}"
    with reading(sidecar, f"the description of the table {path} is damaged; {hint}", missing):
        text = read_file(sidecar, MAX_SIDECAR)
        fields = json.loads(text.decode("utf-8"))
        # Before the checksum is compared: other formats have other fields, perhaps no checksum.
        number = fields.get("format") if isinstance(fields, dict) else None
        if isinstance(number, int) and number not in (FORMAT, SHARDED_FORMAT):
            raise damaged(
                f"{path} has table format {shown(number)}, not {FORMAT} or {SHARDED_FORMAT}; {hint}"
            )
        info_type = ShardedTableInfo if number == SHARDED_FORMAT else TableInfo
        info = info_type(**checked_fields(text))
    if (info.fingerprint, info.objective) != (rules.fingerprint, objective.name):
        raise damaged(f"{path} was made for other rules than {rules.key}; {hint}")
    return info


@contextmanager
def reading(path: Path, otherwise: str, missing: str = "") -> Iterator[None]:
    """Turn any error while a file is read into a TableError with a sentence. The file is missing,
    unreadable, or damaged. Errors that say so already pass.
    """
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
    """Return the error for a table that does not match its checksum, its format or its rules."""
    return TableError(message, code="table-damaged")


def unreadable(path: Path, error: OSError) -> TableError:
    """Return the error for a file that cannot be read."""
    return TableError(
        _("cannot read the table {path}: {reason}").format(
            path=path, reason=error.strerror or error
        )
    )
