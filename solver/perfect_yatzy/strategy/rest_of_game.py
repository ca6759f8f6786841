"""Take the values of the rest of a game from the table of the whole game."""

from __future__ import annotations

import numpy as np

from ..core.checked_values import Table
from ..core.dice import Floats, Ints
from ..core.state import State
from ..core.state_space import StateSpace


def places_in(whole: StateSpace, rest: StateSpace) -> Ints:
    """Return the place of every state of the rest of a game in the table of the whole game.

    The array is `(rest.size,)`.
    """
    layout, rest_layout = whole.layout, rest.layout
    places = np.empty(rest.size, dtype=np.int64)
    for rows in rest.layers[rest.first_layer :]:
        for row in rows.tolist():
            paid = row >= rest.cards and rest.has_tracked_rows
            whole_row = whole.row(State(int(rest_layout.masks[row]), joker_paid=paid))
            rest_set = rest_layout.lane_sets[row]
            whole_set = layout.lane_sets[whole_row]
            lanes = int(rest_layout.lane_count[rest_set])
            # The lanes of the whole game that have the same upper sums.
            whole_lanes = layout.lane_of[whole_set, rest_layout.lane_upper[rest_set, :lanes]]
            for saved in range(int(rest.most_saved[rest.filled[row]]) + 1):
                first = rest_layout.offsets[row] + saved * lanes
                whole_first = layout.offsets[whole_row] + saved * layout.lane_count[whole_set]
                places[first : first + lanes] = whole_first + whole_lanes
    return places


def restricted(whole: StateSpace, rest: StateSpace, values: Table) -> Floats:
    """Return the values of the rest of a game from the table of the whole game.

    They are `(rest.size,)` in the order of `rest`.
    """
    return np.asarray(values[places_in(whole, rest)], dtype=np.float64)
