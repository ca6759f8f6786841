"""What a long computation has so far, in a file, so that a later call resumes there; checked when it is read.

A solve in one file, a proof, a game of two players and an approximation store their newest values and what was found
up to them. A checkpoint of other rules or another version of the package is not used.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np

from .._files import replacing
from .._version import __version__
from ..game.rules import RuleSet
from ..model.objectives import Values
from .memory import check_space, writing_to
from .table_info import DAMAGED, checked_fields, with_checksum

CHECKPOINT_SECONDS = 30.0  # time between two stored layers


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
