"""The file of a fitted value function, with its certificate.

Two files with one name, as a table has (:mod:`perfect_yatzy.tablebase.table_file`)::

    NAME.npz    prices, coefficients, W, and what the relaxed game remembers of a card: a NumPy archive
    NAME.json   rules, certificate, SHA-256 of the archive, its own checksum; written last

The name has the objective ``approximate-mean``. Without a sidecar there is no finished file, and a file whose bytes
do not match their checksum is refused.
"""

from __future__ import annotations

import hashlib
import io
import os
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from .._files import replacing
from .._messages import _
from .._version import __version__
from ..errors import shown
from ..game.rules import RuleSet
from ..model.relaxed_layout import RelaxedLayout
from ..tablebase.locks import folder_lock
from ..tablebase.memory import check_space, writing_to
from ..tablebase.store import table_path
from ..tablebase.table_info import checked_fields, damaged, reading, with_checksum
from .certificate import Certificate
from .fitted_values import FittedValues

OBJECTIVE = "approximate-mean"
FORMAT = 2
Arrays = dict[str, npt.NDArray[Any]]


def fitted_path(rules: RuleSet, tables: str | os.PathLike[str] | None = None) -> Path:
    """The `.npz` file of a rule set, whether or not it exists."""
    return table_path(rules, tables, OBJECTIVE).with_suffix(".npz")


def has_fitted(rules: RuleSet, tables: str | os.PathLike[str] | None = None) -> bool:
    """Whether the store has a finished file; it may still turn out to be damaged when it is read."""
    path = fitted_path(rules, tables)
    return path.is_file() and path.with_suffix(".json").is_file()


def write_fitted(
    values: FittedValues, certificate: Certificate, tables: str | os.PathLike[str] | None = None
) -> Path:
    """Store a value function and its certificate; the path of the archive, or a TableError."""
    rules, path = values.rules, fitted_path(values.rules, tables)
    content, digest = packed(to_arrays(values))
    fields = {
        "format": FORMAT,
        "key": rules.key,
        "fingerprint": rules.fingerprint,
        "rules": rules.canonical(),
        "objective": OBJECTIVE,
        "sha256": digest,
        "certificate": certificate.as_json(),
        "versions": {"perfect_yatzy": __version__, "numpy": np.__version__},
    }
    check_space(path.parent, len(content))
    with writing_to(path.parent), folder_lock(path.parent):
        path.with_suffix(".json").unlink(missing_ok=True)  # never a sidecar of other bytes
        write_files((path, content), (path.with_suffix(".json"), with_checksum(fields)))
    return path


def read_fitted(rules: RuleSet, tables: str | os.PathLike[str] | None = None) -> tuple[FittedValues, Certificate]:
    """Read a value function and its certificate; MissingTable if there is none, TableError if it is damaged."""
    path = fitted_path(rules, tables)
    command = f"yatzy solve {rules.spec or rules.key} --approximate --force --tables {path.parent}"
    hint = _("make it again with: {command}").format(command=command)
    missing = _("there is no approximate strategy at {path}; {hint}").format(path=path, hint=hint)
    otherwise = _("the table {path} is damaged; {hint}").format(path=path, hint=hint)
    with reading(path, otherwise, missing):
        with folder_lock(path.parent, shared=True):
            fields, content = checked_fields(path.with_suffix(".json").read_bytes()), path.read_bytes()
        if fields["format"] != FORMAT:
            text = _("{path} has format {format}, not {known}; {hint}")
            raise damaged(text.format(path=path, format=shown(fields["format"]), known=FORMAT, hint=hint))
        if (fields["fingerprint"], fields["objective"]) != (rules.fingerprint, OBJECTIVE):
            text = _("{path} was made for other rules than {rules}; {hint}")
            raise damaged(text.format(path=path, rules=rules.key, hint=hint))
        if hashlib.sha256(content).hexdigest() != fields["sha256"]:
            text = _("the table {path} was altered (its checksum differs); {hint}")
            raise damaged(text.format(path=path, hint=hint))
        return from_arrays(rules, unpacked(content)), Certificate.from_json(fields["certificate"])


def packed(arrays: Arrays) -> tuple[bytes, str]:
    """Named arrays as an NPZ archive, and its SHA-256."""
    content = io.BytesIO()
    np.savez(content, allow_pickle=False, **arrays)
    return content.getvalue(), hashlib.sha256(content.getbuffer()).hexdigest()


def unpacked(content: bytes) -> Arrays:
    """The arrays of :func:`packed`."""
    with np.load(io.BytesIO(content), allow_pickle=False) as archive:
        return {name: archive[name] for name in archive.files}


def write_files(*files: tuple[Path, bytes]) -> None:
    """Replace files in this order."""
    for path, content in files:
        with replacing(path) as file:
            file.write(content)


def to_arrays(values: FittedValues) -> Arrays:
    """A value function as named arrays."""
    arrays: Arrays = {
        "prices": values.prices,
        "coefficients": values.coefficients,
        "relaxed_values": values.relaxed_values,
    }
    if isinstance(values.relaxed, RelaxedLayout):
        arrays |= _layout_arrays(values.relaxed, "layout")
    return arrays


def from_arrays(rules: RuleSet, arrays: Arrays) -> FittedValues:
    """The value function of :func:`to_arrays`; KeyError or ValueError if the arrays do not belong together."""
    relaxed = _layout(rules, arrays, "layout") if "layout.exact" in arrays else None
    if relaxed is not None and len(arrays["relaxed_values"]) != relaxed.size:
        raise ValueError("the values do not fit the relaxed game")
    return FittedValues(rules, arrays["prices"], arrays["coefficients"], relaxed, arrays["relaxed_values"])


def _layout_arrays(layout: RelaxedLayout, name: str) -> Arrays:
    arrays: Arrays = {f"{name}.exact": np.array(layout.exact, dtype=np.int64)}
    arrays[f"{name}.bonus_column"] = np.array(layout.bonus_column)
    if layout.levels is not None:
        arrays[f"{name}.level_counts"] = np.array([len(level) for level in layout.levels])
        arrays[f"{name}.levels"] = np.concatenate([np.asarray(level) for level in layout.levels])
    return arrays


def _layout(rules: RuleSet, arrays: Arrays, name: str) -> RelaxedLayout:
    levels = None
    if f"{name}.levels" in arrays:
        levels = np.split(arrays[f"{name}.levels"], np.cumsum(arrays[f"{name}.level_counts"])[:-1])
    return RelaxedLayout(rules, arrays[f"{name}.exact"].tolist(), int(arrays[f"{name}.bonus_column"]), levels)
