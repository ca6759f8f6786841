"""Named columns as a file: CSV, JSON Lines or Parquet, by its suffix.

CSV      a row of names, then the rows; lists as numbers with spaces between, or `none`; nothing for null
JSONL    a line {"metadata": {...}}, then an object a line
Parquet  the metadata are those of the schema
"""

from __future__ import annotations

import contextlib
import csv
import io
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import IO, Any

from ..._messages import _
from ...errors import StateError
from ...strategy.arrow import arrow_table, check_pyarrow
from .wording import alternatives

SUFFIXES = (".csv", ".parquet", ".jsonl")


def check_suffix(path: str) -> None:
    """Raise StateError or MissingPackage unless a file with this suffix can be written."""
    if Path(path).suffix not in SUFFIXES:
        raise StateError(_("{path} must end in {suffixes}").format(path=path, suffixes=alternatives(SUFFIXES)))
    if path.endswith(".parquet"):
        check_pyarrow("Parquet")


def write_table(file: IO[bytes], path: str, parts: Iterable[Mapping[str, Any]], metadata: Mapping[str, str]) -> None:
    """Write columns of equal length; the suffix of `path` selects the format.

    Parameters
    ----------
    parts
        The columns of the first rows, of the next rows and so on: a large table is not converted as a whole.
    """
    if path.endswith(".parquet"):
        _write_parquet(file, parts, metadata)
        return
    text = io.TextIOWrapper(file, encoding="utf-8", newline="")
    writer = csv.writer(text, lineterminator="\n")
    for i, columns in enumerate(parts):
        rows = zip(*(c if isinstance(c, list) else c.tolist() for c in columns.values()), strict=True)
        if path.endswith(".csv"):
            if i == 0:
                writer.writerow(columns)
            writer.writerows([_csv_cell(cell) for cell in row] for row in rows)
        else:
            if i == 0:
                text.write(json.dumps({"metadata": _json_metadata(metadata)}) + "\n")
            text.writelines(json.dumps(dict(zip(columns, row, strict=True))) + "\n" for row in rows)
    text.flush()
    text.detach()  # the caller closes the file


def _write_parquet(file: IO[bytes], parts: Iterable[Mapping[str, Any]], metadata: Mapping[str, str]) -> None:
    import pyarrow.parquet

    with contextlib.ExitStack() as stack:
        writer = None
        for columns in parts:
            table = arrow_table(columns, metadata)
            if writer is None:
                writer = stack.enter_context(pyarrow.parquet.ParquetWriter(file, table.schema))
            writer.write_table(table)


def _csv_cell(cell: Any) -> Any:
    return (" ".join(map(str, cell)) or "none") if isinstance(cell, list) else cell


def _json_metadata(metadata: Mapping[str, str]) -> dict[str, Any]:
    """The metadata with the meanings of the columns as an object, not as text."""
    return {name: json.loads(value) if name == "columns" else value for name, value in metadata.items()}
