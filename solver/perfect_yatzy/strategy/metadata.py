"""Describe where a table of results comes from.

Every Arrow table, Parquet file and JSON Lines file has this metadata.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from .._files import open_file
from .._version import __version__
from ..core.dice import Ints
from ..core.rules import RuleSet
from ..errors import MissingPackage

PREVIEW = 10  # rows of a display
# Columns with None where an action has no hold or no category. They have one type, also if every
# entry is None.
TEXT = "category"
DICE = "hold"


def metadata(rules: RuleSet | None, policy: str, **more: object) -> dict[str, str]:
    """Return what identifies results, as text.

    These are the rules and their fingerprint, the policy, the version of this package, and more.
    """
    entries: dict[str, object] = {}
    if rules:
        entries |= {"rules": rules.key, "fingerprint": rules.fingerprint}
    if policy:
        entries["policy"] = policy
    entries |= more | {"perfect_yatzy": __version__}
    return {name: str(value) for name, value in entries.items()}


def value_name(policy: str) -> str:
    """Return the name of the column of values.

    It is ``expected_remaining``, ``chance`` or ``expected_utility``, for other policies ``value``.
    """
    if policy.startswith("goal:"):
        return "chance"
    if policy in ("mean", "approximate-mean"):
        return "expected_remaining"
    return "expected_utility" if policy == "utility" else "value"


@dataclass(frozen=True, repr=False)
class Ragged:
    """Rows of different lengths. Row i is ``values[offsets[i]:offsets[i + 1]]``."""

    offsets: Ints  # (n + 1,)
    values: npt.NDArray[Any]

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def tolist(self) -> list[list[Any]]:
        """Return the rows as lists."""
        values, offsets = self.values.tolist(), self.offsets.tolist()
        return [values[begin:end] for begin, end in pairwise(offsets)]

    def take(self, rows: Ints) -> Ragged:
        """Return some of the rows, in this order."""
        lengths = np.diff(self.offsets)[rows]
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        # the places of the entries in `values`
        entries = np.arange(offsets[-1]) + np.repeat(self.offsets[rows] - offsets[:-1], lengths)
        return Ragged(offsets, self.values[entries])


@dataclass(frozen=True, repr=False)
class Rows:
    """Results in rows. Fields that are arrays or :class:`Ragged` have an entry for each."""

    def __len__(self) -> int:
        raise NotImplementedError

    def columns(self) -> dict[str, Any]:
        """Return the rows as named columns."""
        raise NotImplementedError

    def take(self, rows: Ints) -> Self:
        """Return some of the rows, in this order."""
        taken: dict[str, Any] = {}
        for field in fields(self):
            column = getattr(self, field.name)
            if isinstance(column, Ragged):
                taken[field.name] = column.take(rows)
            elif isinstance(column, np.ndarray):
                taken[field.name] = column[rows]
        return replace(self, **taken)

    def _repr_html_(self) -> str:
        """Return the first rows as a table for notebooks, without the columns that are ragged."""
        from ..notebook import html_table

        def cell(value: Any) -> Any:
            if isinstance(value, list):  # of dice
                return " ".join(map(str, value)) or "none"
            return "" if value is None else value

        shown = {}  # the columns of the table
        for name, column in self.take(np.arange(min(len(self), PREVIEW))).columns().items():
            if not isinstance(column, Ragged):
                entries = column if isinstance(column, list) else column.tolist()
                shown[name] = [*map(cell, entries)]
        # One entry of the results may have several rows here, so these are cut, too.
        rows = [*zip(*shown.values(), strict=True)][:PREVIEW]
        caption = repr(self)[1:-1]  # without its angle brackets
        if len(self) > PREVIEW:
            caption = f"{caption}; the first rows"
        return html_table(list(shown), rows, caption)


class Dataset(NamedTuple):
    """What a file of results holds."""

    kind: str  # what its rows are
    rows: int
    metadata: Mapping[str, str]
    columns: Mapping[str, str]  # the meanings of the columns, empty for a file of games


def dataset_card(data: Path, dataset: Dataset, command: str) -> str:
    """Return a dataset card of a file of results.

    It is Markdown with the head that Hugging Face reads.
    """
    kind, rows, origin, columns = dataset
    lines = ["---", "license: cc0-1.0", "task_categories: [reinforcement-learning]", "configs:"]
    lines += ["  - config_name: default", f"    data_files: {json.dumps(data.name)}", "---", ""]
    lines += [f"# {rows:,} {kind} of {origin['rules']}", "", "| | |", "|---|---|"]
    with open_file(data) as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    summary = {"file": data.name, "SHA-256": digest, "rows": rows, "made by": f"`{command}`"}
    summary |= origin
    summary.pop("columns", None)  # their meanings have a table of their own below
    lines += [f"| {name} | {value} |" for name, value in summary.items()]
    lines += [
        "",
        "The same command gives the same rows on every machine, and the same bytes of CSV and JSON Lines.",
    ]
    if columns:
        lines += ["", "| column | meaning |", "|---|---|"]
        lines += [f"| `{name}` | {meaning} |" for name, meaning in columns.items()]
    else:
        lines += [
            "",
            "Each line is a game with every die and decision, as `yatzy rate` and `yatzy review` read it.",
        ]
    return "\n".join(
        [*lines, "", "What the program computes is in the public domain (CC0 1.0).", ""]
    )


def check_pyarrow(what: str) -> None:
    """Raise MissingPackage unless pyarrow is installed."""
    try:
        import pyarrow  # noqa: F401
    except ImportError as error:
        raise MissingPackage(what, "pyarrow", extra="data") from error


def arrow_table(columns: Mapping[str, Any], metadata: Mapping[str, str]) -> Any:
    """Return a ``pyarrow.Table`` with this metadata in its schema."""
    import pyarrow

    types = {TEXT: pyarrow.string(), DICE: pyarrow.list_(pyarrow.int64())}
    arrays = {}
    for name, column in columns.items():
        if isinstance(column, Ragged):
            arrays[name] = pyarrow.LargeListArray.from_arrays(column.offsets, column.values)
        else:
            arrays[name] = pyarrow.array(column, type=types.get(name))
    return pyarrow.table(arrays, metadata=dict(metadata))
