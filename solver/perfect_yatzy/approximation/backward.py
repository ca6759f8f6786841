"""Values of a relaxed game, by backward induction with the kernels of an exact solve.

The whole table is one array: the kernels write only to the rows they are given, and read only rows with one more
turn.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import repeat

import numpy as np

from ..game.dice import Floats, Ints, lattice
from ..kernels.table_slices import PADDING, TableSlice
from ..model.relaxed_game import RelaxedGame
from ..tablebase.backward_induction import default_threads
from ..tablebase.threads import ScratchPool, thread_map

ROWS_PER_TASK = 16

Progress = Callable[[float], None]  # takes the fraction that is done


def solve_relaxed(game: RelaxedGame, *, threads: int | None = None, progress: Progress | None = None) -> Floats:
    """W of every state of a relaxed game."""
    from ..kernels.lattice import kernel_lattice
    from ..kernels.turn import SolveJob, make_scratch, solve_rows

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
