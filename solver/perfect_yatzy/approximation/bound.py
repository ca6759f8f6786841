"""The certified upper bound: the value of a relaxed game, and the most that rounding can have taken from it.

The kernels compute with float64. With the unit roundoff ``u = 2^-53`` every operation has a relative error of at most
u. A turn takes convex combinations and maxima of numbers of at most M, so an error neither grows nor cancels from one
turn to the next, and with n operations one after another in a turn

    |computed W - exact W| <= turns * n * u / (1 - n u) * M

(N. J. Higham, *Accuracy and Stability of Numerical Algorithms*, 2nd ed., SIAM 2002, section 3.1). The bound adds this
number and the rounding of the sum of the prices, and is rounded up once more. For Yatzy it is 1e-10 points.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import repeat

import numpy as np

from ..game.dice import Floats, Ints, lattice
from ..kernels.lattice import kernel_lattice
from ..kernels.solve import solve_rows
from ..kernels.table_slices import PADDING, TableSlice
from ..kernels.turn import SolveJob, make_scratch
from ..model.card_masks import card_masks
from ..model.relaxed_game import RelaxedGame, intercept
from ..tablebase.backward_induction import default_threads
from ..tablebase.threads import ScratchPool, thread_map

ROWS_PER_TASK = 16

Progress = Callable[[float], None]  # takes the fraction that is done
UNIT_ROUNDOFF = 2.0**-53


def solve_relaxed(game: RelaxedGame, *, threads: int | None = None, progress: Progress | None = None) -> Floats:
    """W of every state of a relaxed game."""
    dice = lattice(game.rules.dice, game.rules.faces)
    passes = kernel_lattice(dice)
    values = np.zeros(game.size + PADDING)
    table, pool = TableSlice(values, 0), ScratchPool(lambda: make_scratch(dice, game.models[0]))
    total, done = sum(map(len, game.rows_in_layer)), 0

    def solve(rows: Ints, status: int, most_saved: int) -> None:
        with pool.borrow() as scratch:
            solve_rows(rows, SolveJob(game.models[status], passes, table, table, most_saved, scratch))

    for row in game.rows_in_layer[game.turns].tolist():
        full = game.full_cards(row)
        first = int(game.layout.offsets[row])
        values[first : first + len(full)] = full
    with thread_map(threads or default_threads(), "yatzy-relaxed") as in_threads:
        for turn in range(game.turns - 1, -1, -1):
            rows = game.rows_in_layer[turn]
            statuses = game.status(rows)
            for status in range(len(game.models)):
                same = rows[statuses == status]
                tasks = [same[i : i + ROWS_PER_TASK] for i in range(0, len(same), ROWS_PER_TASK)]
                for _ in in_threads(solve, tasks, repeat(status), repeat(int(game.most_saved[turn]))):
                    pass
            done += len(rows)
            if progress:
                progress(done / total)
    return values[: game.size]


def rounding_error(game: RelaxedGame, values: Floats) -> float:
    """Upper bound of the rounding error of `game.offset` + W, in points."""
    rules = game.rules
    rolls = rules.rolls_per_turn + int(game.most_saved.max())
    # The most rounded operations one after another from the values of the children to that of a card: scoring adds
    # points less a price, rounded themselves (6, with the line above a bonus); each die of each reroll is a sum over
    # the faces and a product (faces + 1, for 1 / faces too); the mean of the first roll is a sum of products in four
    # parts with rounded weights (rolls / 4 + 8).
    grid = lattice(rules.dice, rules.faces)
    in_turn = 6 + (rolls - 1) * rules.dice * (rules.faces + 1) + -(-grid.n_rolls // 4) + 8
    count = in_turn + len(rules.categories)
    relative = count * UNIT_ROUNDOFF / (1 - count * UNIT_ROUNDOFF)
    points = max(float(np.abs(model.outcomes.points).max()) for model in game.models)
    lines = zip(rules.bonuses, game.slopes.tolist(), strict=True)
    bonus = sum(abs(intercept(bonus, slope)) + slope * bonus.threshold for bonus, slope in lines)
    extra = float(game.models[0].outcomes.first_roll_bonus.max(initial=0.0))
    largest = float(np.abs(values).max()) + 2 * points + extra + bonus + float(np.abs(game.prices).sum())
    return float((game.turns + 1) * relative * 1.01 * largest)


def upper_bound(game: RelaxedGame, values: Floats) -> float:
    """No strategy makes more points, in the mean."""
    filled, none = card_masks(game.rules, [0]), np.zeros(1, dtype=np.int64)
    total = float((game.offset(filled, none) + values[game.index(filled, none, none, none)])[0])
    return float(np.nextafter(total + rounding_error(game, values), np.inf))
