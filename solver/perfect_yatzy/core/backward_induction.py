"""Backward induction over the layers of a game, from the full cards to the start.

With k filled categories in layer k, and n categories on the sheet::

    V(full card) given;   for k = n - 1, ..., 0:   V(layer k) from V(layer k + 1)

Every row of a layer depends only on the layer below. So any thread, process or machine can solve
any part of a layer (:class:`RowSolver`). Threads take rows in small tasks; compiled code runs
without the interpreter lock, and one thread computes each row's values in one order, so that the
table is the same to the bit for any number of threads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import repeat
from typing import TYPE_CHECKING, Any

import numpy as np

from .dice import Ints, lattice
from .objectives import Misses, Objective
from .resources import ScratchPool, thread_count, thread_map
from .table_slices import PADDING, TableSlice, Values, padded
from .turn_model import turn_model

if TYPE_CHECKING:
    from .turn import SolveJob


class RowSolver:
    """Solves any rows of an objective's table from the values of the layer below.

    Any number of threads may call it::

        below = TableSlice(padded(values), start)  # values of the layer below, from `start` on
        part = solver.blank(objective.places.rows_slice(filled, first, end))  # for the values of the rows
        solver.solve(objective.space.layers[filled][first:end], below, part)
    """

    def __init__(self, objective: Objective, *, unrolled: bool = True) -> None:
        from .lattice import kernel_lattice

        self.objective = objective
        self._dice = lattice(objective.rules.dice, objective.rules.faces)
        model = turn_model(objective.rules, objective.start)
        self._model = model._replace(monotone=int(objective.monotone and model.monotone))
        self._lattice = kernel_lattice(self._dice, unrolled)
        self._scratch = ScratchPool(self.new_scratch)
        self._spacing = 1  # of the scores that are solved; those between are interpolated

    def full_cards(self) -> TableSlice:
        """Return the values of the full cards, with which the backward induction begins."""
        start = self.objective.layer_slice(self.objective.space.categories).start
        return TableSlice(padded(self.objective.full_cards()), start)

    def blank(self, place: slice) -> TableSlice:
        """Return a zeroed slice of the table, to be solved into."""
        return TableSlice(
            np.zeros(place.stop - place.start + PADDING, self.objective.compute), place.start
        )

    def solve(self, rows: Ints, below: TableSlice, out: TableSlice, offsets: Any = None) -> Misses:
        """Write the values of some rows of a layer.

        Returns the misses that :meth:`after_layer` takes. `offsets` are given for a shard, whose
        values are a part of the layer.
        """
        filled = int(self.objective.space.filled[rows[0]])
        with self._scratch.borrow() as scratch:
            job = self.job(below, out, filled, scratch)
            return self.objective.solve_rows(job, rows, self._spacing, offsets)

    def after_layer(self, filled: int, misses: Iterable[Misses]) -> None:
        """Choose how many scores of the next layer are solved, by what this one returned."""
        self._spacing = self.objective.next_spacing(self._spacing, filled, misses)

    def new_scratch(self) -> Any:
        """Return new working memory of the kernels."""
        return self.objective.new_scratch(self._dice, self._model)

    def job(self, below: TableSlice, out: TableSlice, filled: int, scratch: Any) -> SolveJob:
        """Return the arguments of the kernels of a solve."""
        from .turn import SolveJob

        return SolveJob(
            self._model,
            self._lattice,
            below,
            out,
            int(self.objective.space.most_saved[filled]),
            scratch,
        )


@dataclass(frozen=True)
class Layer:
    """A finished layer: the values of all states with `filled` categories filled."""

    filled: int
    values: Values  # (n,) array: In the order of the table. The solver no longer writes to it
    done: int  # values of the table solved so far, and in all
    total: int


def solve_layers(
    objective: Objective,
    *,
    threads: int | None = None,
    resume: tuple[int, Values] | None = None,
    unrolled: bool = True,
    progress: Callable[[int, int], None] | None = None,
) -> Iterator[Layer]:
    """Solve a game layer by layer, from the full card to the start, with two layers in memory."""
    solver = RowSolver(objective, unrolled=unrolled)
    space = objective.space
    if resume is None:
        last = space.categories
        below = solver.full_cards()
        yield Layer(last, below.values[:-PADDING], objective.layer_slice(last).stop, objective.size)
    else:
        last, values = resume
        below = TableSlice(padded(values), objective.layer_slice(last).start)
    size = objective.rows_per_task
    with thread_map(thread_count(threads), "yatzy-solve") as in_threads:
        for filled in range(last - 1, objective.first_layer - 1, -1):
            rows = space.layers[filled]
            place = objective.layer_slice(filled)
            tasks = [rows[i : i + size] for i in range(0, len(rows), size)]
            layer = solver.blank(place)
            misses = []
            for missed in in_threads(solver.solve, tasks, repeat(below), repeat(layer)):
                misses.append(missed)
                # the end of a layer is for the caller to report
                if progress and len(misses) < len(tasks):
                    progress(
                        place.start + (place.stop - place.start) * len(misses) // len(tasks),
                        objective.size,
                    )
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
    """Return a whole table in memory, ``(objective.size,)`` values of ``objective.compute``."""
    values = np.empty(objective.size, dtype=objective.compute)
    for layer in solve_layers(objective, threads=threads, unrolled=unrolled, progress=progress):
        values[layer.done - len(layer.values) : layer.done] = layer.values
        if progress:
            progress(layer.done, layer.total)
    return values
