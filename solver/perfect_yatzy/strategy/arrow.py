"""Named columns as an Arrow table with metadata, for data frames and Parquet files (needs pyarrow)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import MissingPackage
from .position_sample import Ragged

# Columns with None where an action has no hold or no category: one type, also if every entry is None.
TEXT, DICE = "category", "hold"


def check_pyarrow(what: str) -> None:
    """Raise MissingPackage unless pyarrow is installed."""
    try:
        import pyarrow  # noqa: F401
    except ImportError as error:
        raise MissingPackage(what, "pyarrow", extra="data") from error


def arrow_table(columns: Mapping[str, Any], metadata: Mapping[str, str]) -> Any:
    """A ``pyarrow.Table`` with this metadata in its schema."""
    import pyarrow

    types = {TEXT: pyarrow.string(), DICE: pyarrow.list_(pyarrow.int64())}

    def array(name: str, column: Any) -> Any:
        if isinstance(column, Ragged):
            return pyarrow.LargeListArray.from_arrays(column.offsets, column.values)
        return pyarrow.array(column, type=types.get(name))

    arrays = {name: array(name, column) for name, column in columns.items()}
    return pyarrow.table(arrays, metadata=dict(metadata))
