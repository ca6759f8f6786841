"""Slices of a table as the kernels read and write them.

Kernels load whole vectors and so may touch a few entries after the last one. The array of a layer
that is being solved has padding for that. A finished table is read in place; only if the layer is
among its last entries is it copied to an array with padding.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .checked_values import Table, checked_part
from .dice import Floats, Ints
from .objectives import FRAME, Objective, Values
from .scorecard import State
from .state_space import StateSpace

PADDING = FRAME  # entries after a slice that a vector may touch


class TableSlice(NamedTuple):
    """Consecutive values of a table as the kernels take them."""

    # (n + PADDING,): the n values, and entries that vectors may read and write, which do not matter
    values: Values
    start: int  # index of the first value in the whole table


def padded(values: Values) -> Values:
    """A copy of `values`, ``(n,)``, with PADDING zeros after it."""
    copy = np.zeros(len(values) + PADDING, dtype=values.dtype)
    copy[: len(values)] = values
    return copy


def window(layers: StateSpace | Objective, table: Table, filled: int) -> TableSlice:
    """Slice of a finished table, checked, with at least the layer of `filled` categories and
    that of its children.
    """
    first, end = layers.layer_slice(filled + 1).start, layers.layer_slice(filled).stop
    whole = checked_part(table, first, end)
    if end + PADDING > len(whole):
        return TableSlice(read_only(padded(whole[first:end])), first)
    return TableSlice(read_only(whole), 0)


def read_only(values: Values) -> Values:
    """One type for the compiled code, whatever the source of a table: a plain array that cannot
    be written.
    """
    plain = np.asarray(values).view(np.ndarray)
    plain.flags.writeable = False
    return plain


def places_in(whole: StateSpace, rest: StateSpace) -> Ints:
    """Place of every state of the rest of a game in the table of the whole game, `(rest.size,)`."""
    layout, rest_layout = whole.layout, rest.layout
    places = np.empty(rest.size, dtype=np.int64)
    for rows in rest.layers[rest.first_layer :]:
        for row in rows.tolist():
            paid = row >= rest.cards and rest.has_tracked_rows
            whole_row = whole.row(State(int(rest_layout.masks[row]), joker_paid=paid))
            rest_set, whole_set = rest_layout.lane_sets[row], layout.lane_sets[whole_row]
            lanes = int(rest_layout.lane_count[rest_set])
            whole_lanes = layout.lane_of[
                whole_set, rest_layout.lane_upper[rest_set, :lanes]
            ]  # with their upper sums
            for saved in range(int(rest.most_saved[rest.filled[row]]) + 1):
                first = rest_layout.offsets[row] + saved * lanes
                whole_first = layout.offsets[whole_row] + saved * layout.lane_count[whole_set]
                places[first : first + lanes] = whole_first + whole_lanes
    return places


def restricted(whole: StateSpace, rest: StateSpace, values: Table) -> Floats:
    """Values of the rest of a game, `(rest.size,)` in the order of `rest`, from the table of the
    whole game.
    """
    return np.asarray(values[places_in(whole, rest)], dtype=np.float64)
