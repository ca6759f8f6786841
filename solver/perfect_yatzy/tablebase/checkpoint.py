"""A checkpoint: what a long computation has so far.

A solve in one file, a proof, a game of two players and an approximation store their newest values
and what was found up to them, so that a later call resumes there. One of another identity
(:mod:`.work_identity`) is not used.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np

from .._files import open_file, read_array, replacing
from .._sources import log_that_work_begins_anew
from ..core.resources import check_space, writing_to
from ..core.table_info import DAMAGED, checked_fields, with_checksum
from ..core.table_slices import Values
from .work_identity import WorkIdentity

CHECKPOINT_SECONDS = 30.0  # time between two stored layers


def checkpoint_path(path: Path) -> Path:
    """Return the checkpoint of an unfinished table."""
    return path.with_suffix(".part.layer")


def remove_checkpoint(path: Path) -> None:
    """Remove the checkpoint of a table, and what earlier versions stored beside it."""
    for ending in (".part.json", ".part.layer"):
        path.with_suffix(ending).unlink(missing_ok=True)


def _digest(values: Values) -> str:
    """Return the SHA-256 of an array with its dtype and shape, which the header may state wrongly."""
    digest = hashlib.sha256(f"{values.dtype.str} {values.shape}".encode())
    digest.update(values.data)
    return digest.hexdigest()


def store_layer(path: Path, identity: WorkIdentity, values: Values, **fields: object) -> None:
    """Write a layer, or other values, and what was found up to it in `fields`."""
    own_fields = identity.fields() | {"sha256": _digest(values)}
    check_space(path.parent, values.nbytes)
    with writing_to(path.parent), replacing(path) as file:
        np.save(file, values)
        file.write(with_checksum(own_fields | fields))


def stored_layer(path: Path, identity: WorkIdentity) -> tuple[Values, dict[str, Any]] | None:
    """Return the stored layer of some work and its fields.

    The result is None if there is none, if it is damaged, or if it is of other work, which is
    logged.
    """
    try:
        with open_file(path) as file:
            values = read_array(file)
            fields = checked_fields(file.read())
        if _digest(values) != fields["sha256"]:
            return None
    except (OSError, *DAMAGED):
        return None
    if not identity.fits(fields):
        log_that_work_begins_anew(path)
        return None
    return values, fields
