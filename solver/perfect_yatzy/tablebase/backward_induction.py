"""The backward pass: layer by layer from the full card to the empty one, yielding each as it is done.

Within a layer rows are independent. Threads take them in small batches; numba's compiled code runs outside
the interpreter lock and each row's values are computed by one thread in one order, so the table is the same
to the bit for any number of threads.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path
from threading import local
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..game.dice import Floats, Ints, lattice
from ..game.rule_loader import load_rules
from ..game.rules import RuleSet
from ..kernels.table_slices import PADDING, TableSlice, padded, window
from ..model.objectives import Objective, PolicyQuantity, ScoreObjective, Values
from ..model.turn_model import TurnModel, turn_model, turn_outcomes

if TYPE_CHECKING:
    from ..kernels.turn import Scratch

BATCH = 128  # rows a thread takes at a time: short enough to share a layer's end, long enough to call rarely


@dataclass(frozen=True)
class Layer:
    """A finished layer: the values of all states with `filled` categories filled.

    Attributes
    ----------
    filled : int
    values : (n,) array
        In the order of the table; the caller may keep it, the solver no longer writes to it.
    done, total : int
        Values of the table solved so far, and in all.
    """

    filled: int
    values: Values
    done: int
    total: int


def default_threads() -> int:
    """Processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def solve_layers(
    objective: Objective,
    *,
    threads: int | None = None,
    resume: tuple[int, Values] | None = None,
    unrolled: bool = True,
) -> Iterator[Layer]:
    """Solve a game layer by layer, from the full card to the start.

    Only two layers are in memory at a time, in the type of the arithmetic: what a caller stores in fewer bits costs
    that much accuracy once and is never computed with.

    Parameters
    ----------
    objective
        What is maximised, in which game, from which card on.
    threads
        How many; default: all processors of this process.
    resume
        A finished layer, as its number of filled categories and its values: go on after it.
    unrolled
        False forces the index-driven passes over the lattice (tests compare the two).

    Yields
    ------
    Layer
    """
    from ..kernels.lattice import kernel_lattice
    from ..kernels.turn import make_scratch

    rules, space = objective.rules, objective.space
    arrays = turn_model(rules, objective.start)._replace(exactly=int(not objective.monotone))
    workers = max(1, threads or default_threads())
    dice = lattice(rules.dice, rules.faces)
    kernel = rows_kernel(objective, arrays, kernel_lattice(dice, unrolled))
    idle: list[Scratch] = []

    def finished(filled: int, window: TableSlice) -> Layer:
        values = window.values[:-PADDING]
        return Layer(filled, values, window.start + len(values), objective.size)

    def run(rows: Ints, below: TableSlice, layer: TableSlice, most_saved: int) -> None:
        try:
            scratch = idle.pop()
        except IndexError:
            scratch = make_scratch(dice, arrays, objective.compute)
        kernel(rows, below, layer, most_saved, scratch)
        idle.append(scratch)

    if resume is None:
        below = TableSlice(padded(objective.full_cards()), 0)
        last = space.categories
        yield finished(last, below)
    else:
        last = resume[0]
        below = TableSlice(padded(resume[1]), objective.layer_slice(last).start)
    with ThreadPoolExecutor(workers, thread_name_prefix="yatzy-solve") as pool:
        for filled in range(last - 1, space.first_layer - 1, -1):
            place = objective.layer_slice(filled)
            layer = TableSlice(np.zeros(place.stop - place.start + PADDING, objective.compute), place.start)
            rows = space.layers[filled]
            size = BATCH if type(objective) is Objective else max(1, BATCH // 32)
            batches = [rows[i : i + size] for i in range(0, len(rows), size)]
            most_saved = int(space.most_saved[filled])
            for _ in pool.map(run, batches, repeat(below), repeat(layer), repeat(most_saved)):
                pass
            below = layer
            yield finished(filled, layer)


def rows_kernel(objective: Objective, arrays: TurnModel, steps: NamedTuple) -> Callable[..., None]:
    """The kernel of an objective: called with rows, both windows, the most saved rolls and the scratch."""
    if isinstance(objective, ScoreObjective):
        from ..kernels.score_turn import solve_score_rows

        slabs, framed = objective.slabs, objective.before > 0

        def run_scores(rows: Ints, below: TableSlice, layer: TableSlice, most_saved: int, scratch: Scratch) -> None:
            solve_score_rows(rows, below, layer, slabs, framed, arrays, steps, most_saved, scratch)

        return run_scores
    if isinstance(objective, PolicyQuantity):
        return policy_quantity_kernel(objective, arrays, steps)
    from ..kernels.turn import solve_rows

    def run_means(rows: Ints, below: TableSlice, layer: TableSlice, most_saved: int, scratch: Scratch) -> None:
        solve_rows(rows, below, layer, arrays, steps, most_saved, scratch)

    return run_means


def policy_quantity_kernel(objective: PolicyQuantity, arrays: TurnModel, steps: NamedTuple) -> Callable[..., None]:
    """As :func:`rows_kernel`; it has a scratch of its own."""
    from ..kernels.policy import policy_scratch
    from ..kernels.policy_evaluation import evaluate_policy_rows
    from ..kernels.turn import TIE

    rules, space = objective.rules, objective.space
    pay = turn_outcomes(rules, objective.start)
    dice, most = lattice(rules.dice, rules.faces), int(space.most_saved.max())
    here = local()

    def run(rows: Ints, below: TableSlice, layer: TableSlice, most_saved: int, _: Scratch) -> None:
        if not hasattr(here, "scratch"):
            here.scratch = policy_scratch(dice, arrays, pay, most, np.float64)
        table = window(space, objective.values, int(space.filled[rows[0]]))
        evaluate_policy_rows(
            rows, below, layer, table, arrays, pay, steps, most_saved, objective.squares, (TIE, 0.0), here.scratch
        )

    return run


def solve_objective(objective: Objective, *, threads: int | None = None, unrolled: bool = True) -> Values:
    """A whole table in memory."""
    values = np.empty(objective.size, dtype=objective.compute)
    for layer in solve_layers(objective, threads=threads, unrolled=unrolled):
        values[layer.done - len(layer.values) : layer.done] = layer.values
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
        If the rules are unknown or malformed.
    """
    return solve_objective(Objective(load_rules(rules)), threads=threads, unrolled=unrolled)
