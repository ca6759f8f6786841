"""What a relaxed game costs, from its rows alone: the same on every machine, so that a bound can be repeated.

The model is that of :mod:`perfect_yatzy.model.estimates`, for turns whose lattice is driven by index arrays.
"""

from __future__ import annotations

import numpy as np

from ..game.dice import Ints, lattice
from ..game.rules import RuleSet
from ..model.estimates import LANE_OPERATIONS_PER_SECOND
from ..model.relaxed_game import RelaxedGame
from ..model.relaxed_layout import RelaxedLayout
from ..model.state_space import LANES

INDEXED = 1.5  # times as long as straight-line code
VISITS = 3.0  # times as long as the backup of the same block: the turn and its transpose
VISIT_SECONDS = 6e-5  # for each row in addition, mostly of interpreted code
ROW_BYTES = 40  # of the arrays of a layout, while it is built


def row_blocks(game: RelaxedLayout) -> Ints:
    """Vectors of lanes of each row, ``(rows,)`` int64, also of rows that do not occur."""
    per_set = -(-game.layout.lane_count // LANES)
    return np.asarray(per_set[game.layout.lane_sets])


def turn_seconds(rules: RuleSet) -> float:
    """Time of the backup of one block without saved rolls, with two threads."""
    grid = lattice(rules.dice, rules.faces)
    operations = LANES * rules.rolls_per_turn * (2 * len(grid.predecessors) + 4 * grid.n_rolls)
    return INDEXED * operations / LANE_OPERATIONS_PER_SECOND


def solve_seconds(game: RelaxedGame) -> float:
    """Time of a solve, with two threads."""
    rolls = 1.0 + game.most_saved[game.turns_played] / game.rules.rolls_per_turn
    return float((row_blocks(game) * rolls)[game.occurs].sum() * turn_seconds(game.rules))


def visits_seconds(game: RelaxedGame) -> float:
    """Time to follow the best policy from the empty card, with two threads."""
    return VISITS * solve_seconds(game) + VISIT_SECONDS * int(game.occurs.sum())
