"""Parts of a table as the kernels read and write them.

Kernels load whole vectors and so may touch a few entries behind the last one. A layer that is being solved has
room for that; a table on disk is read where it lies, except for its last few entries, which are copied.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from ..game.dice import Floats
from ..game.scorecard import State
from ..model.checked_values import Table, checked_part
from ..model.objectives import FRAME, Values
from ..model.state_space import StateSpace

PADDING = FRAME  # entries behind a window that a vector may touch


class TableSlice(NamedTuple):
    """Consecutive values of a table as the kernels take them.

    Attributes
    ----------
    values : (n + PADDING,) array
        What lies behind the n values is read by whole vectors and of no account.
    start : int
        Place of the first value in the whole table.
    """

    values: Values
    start: int


class Layered(Protocol):
    """A state space or an objective: what knows where the layers of a table lie."""

    def layer_slice(self, filled: int) -> slice:
        """The part of the table that holds the states with `filled` categories filled."""


def padded(values: Values) -> Values:
    """A copy with the padding behind it."""
    room = np.zeros(len(values) + PADDING, dtype=values.dtype)
    room[: len(values)] = values
    return room


def window(layers: Layered, table: Table, filled: int) -> TableSlice:
    """A finished table for turns from cards with `filled` categories filled: their layer and that of their children.

    Parameters
    ----------
    table
        The whole table, in memory or mapped; it is not copied, unless `filled` is among the last few entries. Of a
        large one these two layers are checked.
    """
    own, start = layers.layer_slice(filled), 0
    first = layers.layer_slice(filled + 1).start
    values = checked_part(table, first, own.stop)
    if own.stop + PADDING > len(values):
        start = first
        values = padded(values[start : own.stop])
    # One type for the compiled code, whatever the table comes from: a plain array that cannot be written.
    plain = np.asarray(values).view(np.ndarray)
    plain.flags.writeable = False
    return TableSlice(plain, start)


def restricted(whole: StateSpace, rest: StateSpace, values: Table) -> Floats:
    """The values of the rest of a game, in its own order, from the table of the whole."""
    layout, own = whole.layout, rest.layout
    found = np.empty(rest.size)
    for rows in rest.layers[rest.first_layer :]:
        for row in rows.tolist():
            paid = row >= rest.cards and rest.flags == 2
            there = whole.row(State(int(own.masks[row]), joker_paid=paid))
            lanes, chosen = int(own.lane_count[own.sets[row]]), layout.sets[there]
            uppers = own.lane_upper[own.sets[row], :lanes]
            for saved in range(int(rest.most_saved[rest.filled[row]]) + 1):
                at = layout.offsets[there] + saved * layout.lane_count[chosen] + layout.lane_of[chosen, uppers]
                begin = own.offsets[row] + saved * lanes
                found[begin : begin + lanes] = values[at]
    return found
