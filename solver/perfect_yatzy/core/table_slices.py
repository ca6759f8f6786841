"""Slices of a table as the kernels read and write them.

Kernels load whole vectors and so may touch a few entries after the last one. The array of a layer
that is being solved has padding for that. A finished table is read in place; only if the layer is
among its last entries is it copied to an array with padding.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .checked_values import Table, checked_part
from .state_space import LANES, RowPlaces

Values = npt.NDArray[Any]
FRAME = 2 * LANES  # entries beside a range of scores that a float32 vector may touch
PADDING = FRAME  # entries after a slice that a vector may touch


class TableSlice(NamedTuple):
    """Consecutive values of a table as the kernels take them."""

    # (n + PADDING,): the n values, and entries that vectors may read and write, which do not matter
    values: Values
    start: int  # index of the first value in the whole table


def padded(values: Values) -> Values:
    """Return a copy of `values`, ``(n,)``, with PADDING zeros after it."""
    copy = np.zeros(len(values) + PADDING, dtype=values.dtype)
    copy[: len(values)] = values
    return copy


def window(places: RowPlaces, table: Table, filled: int) -> TableSlice:
    """Return a slice of a finished table, checked, for reading a layer and its children. It has at
    least the layer of `filled` categories and that of `filled` + 1.
    """
    first, end = places.layer_slice(filled + 1).start, places.layer_slice(filled).stop
    values = checked_part(table, first, end)  # of the whole table
    if end + PADDING > len(values):
        return TableSlice(read_only(padded(values[first:end])), first)
    return TableSlice(read_only(values), 0)


def read_only(values: Values) -> Values:
    """Return a plain array that cannot be written, whatever the source of a table. So the compiled
    code is made for one type.
    """
    plain = np.asarray(values).view(np.ndarray)
    plain.flags.writeable = False
    return plain
