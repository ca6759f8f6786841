"""Backward induction over the layers of a game, from the full cards to the start.

With k filled categories in layer k, and n categories on the sheet::

    V(full card) given;   for k = n - 1, ..., 0:   V(layer k) from V(layer k + 1)

Rows of a layer are independent (:mod:`.row_solver`). Threads take them in small tasks; compiled code runs without the
interpreter lock, and one thread computes each row's values in one order, so that the table is the same to the bit
for any number of threads.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path

import numpy as np

from ..game.dice import Floats
from ..game.rules import RuleSet
from ..kernels.table_slices import PADDING, TableSlice, padded
from ..model.estimates import log_long
from ..model.objectives import Objective, Values
from .memory import check_memory
from .row_solver import RowSolver
from .threads import thread_map

ROWS_PER_TASK = 128  # few enough that threads finish a layer together, enough that the cost of a call is negligible
SCORE_ROWS_PER_TASK = 4  # the same for objectives whose rows take longer


@dataclass(frozen=True)
class Layer:
    """A finished layer: the values of all states with `filled` categories filled."""

    filled: int
    values: Values  # (n,) array: In the order of the table. The solver no longer writes to it
    done: int  # values of the table solved so far, and in all
    total: int


def default_threads() -> int:
    """Number of processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def solve_layers(
    objective: Objective, *, threads: int | None = None, resume: tuple[int, Values] | None = None,
    unrolled: bool = True, progress: Callable[[int, int], None] | None = None,
) -> Iterator[Layer]:  # fmt: skip
    """Solve a game layer by layer, from the full card to the start; two layers are in memory, unrounded."""
    solver, space = RowSolver(objective, unrolled=unrolled), objective.space
    if resume is None:
        last, below = space.categories, solver.full_cards()
        yield Layer(last, below.values[:-PADDING], objective.layer_slice(last).stop, objective.size)
    else:
        last = resume[0]
        below = TableSlice(padded(resume[1]), objective.layer_slice(last).start)
    size = ROWS_PER_TASK if type(objective) is Objective else SCORE_ROWS_PER_TASK
    with thread_map(threads or default_threads(), "yatzy-solve") as in_threads:
        for filled in range(last - 1, objective.first_layer - 1, -1):
            rows, place = space.layers[filled], objective.layer_slice(filled)
            layer, tasks = solver.blank(place), [rows[i : i + size] for i in range(0, len(rows), size)]
            misses = []
            for i, missed in enumerate(in_threads(solver.solve, tasks, repeat(below), repeat(layer)), 1):
                misses.append(missed)
                if progress and i < len(tasks):
                    progress(place.start + (place.stop - place.start) * i // len(tasks), objective.size)
            solver.after_layer(filled, misses)
            below = layer
            yield Layer(filled, layer.values[:-PADDING], place.stop, objective.size)


def solve_objective(
    objective: Objective,
    *,
    threads: int | None = None,
    unrolled: bool = True,
    progress: Callable[[int, int], None] | None = None,
) -> Values:
    """A whole table in memory: ``(objective.size,)`` values of type ``objective.compute``."""
    values = np.empty(objective.size, dtype=objective.compute)
    for layer in solve_layers(objective, threads=threads, unrolled=unrolled, progress=progress):
        values[layer.done - len(layer.values) : layer.done] = layer.values
        if progress:
            progress(layer.done, layer.total)
    return values


def solve_values(rules: str | Path | RuleSet, *, threads: int | None = None, unrolled: bool = True) -> Floats:
    """Solve a rule set in memory: the expected points still to come in every state. Nothing is stored on disk.

    Parameters
    ----------
    rules
        A built-in id with switches (``"yatzy+four-is-two-pairs"``), a TOML file, or a rule set.
    threads
        Number of threads; default: one per processor. The values do not depend on it.
    unrolled
        Whether the passes over the lattice of holds are compiled as straight-line code (faster) or driven by index
        arrays. The values do not depend on it.

    Returns
    -------
    (size,) float64
        Value of each state at the start of a turn, in points, upper bonus included. The order is that of
        :class:`perfect_yatzy.model.state_space.StateSpace`: ``StateSpace(rules).index(state)`` is the index of a
        state, and the last value is that of the empty card.

    Raises
    ------
    RulesError
        If the rules are unknown or malformed, or the machine has too little memory.
    """
    from ..game.rule_loader import load_rules

    objective = Objective(load_rules(rules))
    cost = objective.solve_cost()
    check_memory(objective.rules, cost.with_table())
    log_long(f"solving {objective.rules.key} in memory", cost.seconds)
    return solve_objective(objective, threads=threads, unrolled=unrolled)
