"""The backward pass: layer by layer from the full card to the empty one, yielding each as it is done.

Within a layer rows are independent. Threads take them in small batches; numba's compiled code runs outside
the interpreter lock and each row's values are computed by one thread in one order, so the table is the same
to the bit for any number of threads.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import repeat
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .dice import Floats, Ints, lattice
from .errors import RulesError
from .rules import RuleSet
from .states import LANES, StateSpace, state_space
from .turn import plan

if TYPE_CHECKING:
    from .kernels import Scratch

BATCH = 128  # rows a thread takes at a time: short enough to share a layer's end, long enough to call rarely


@dataclass(frozen=True)
class Layer:
    """A finished layer: all states with `filled` categories filled are now in the table."""

    filled: int
    values_done: int
    values_total: int


class Table(NamedTuple):
    """A table as the kernels take it."""

    values: Floats


def default_threads() -> int:
    """Processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def new_values(space: StateSpace) -> Floats:
    """An empty table: the values and, behind them, one vector of padding the kernels may read."""
    return np.zeros(space.size + LANES)


def fill_full_cards(rules: RuleSet, space: StateSpace, values: Floats) -> None:
    """The last layer needs no turn: a full card is worth the bonus if its upper sum has reached it."""
    layout = space.layout
    for row in space.layers[space.categories]:
        lanes = int(layout.lane_count[layout.sets[row]])
        uppers = layout.lane_upper[layout.sets[row], :lanes]
        paid = np.where(uppers >= rules.bonus.threshold, rules.bonus.points, 0) if rules.bonus else np.zeros(lanes)
        start = int(layout.offsets[row])
        copies = int(space.most_saved[space.categories]) + 1
        values[start : start + copies * lanes] = np.tile(paid, copies)


def solve_layers(
    rules: RuleSet,
    values: Floats,
    *,
    threads: int | None = None,
    layers_done: int = 0,
    unrolled: bool = True,
) -> Iterator[Layer]:
    """Fill a table layer by layer.

    Parameters
    ----------
    rules
        The game.
    values : (size + LANES,) float64
        From :func:`new_values`; written in place.
    threads
        How many; default: all processors of this process.
    layers_done
        Layers (from the full card down) that `values` already holds: a resumed solve.
    unrolled
        False forces the index-driven passes over the lattice (tests compare the two).

    Yields
    ------
    Layer
        After each finished layer.
    """
    from .kernels import kernel_lattice, make_scratch, solve_rows

    space = state_space(rules)
    workers = max(1, threads or default_threads())
    dice = lattice(rules.dice, rules.faces)
    steps = kernel_lattice(dice, unrolled)
    idle: list[Scratch] = []

    def run(rows: Ints, most_saved: int) -> None:
        try:
            scratch = idle.pop()
        except IndexError:
            scratch = make_scratch(dice, plan(rules))
        solve_rows(rows, Table(values), plan(rules), steps, most_saved, scratch)
        idle.append(scratch)

    with ThreadPoolExecutor(workers, thread_name_prefix="yatzy-solve") as pool:
        for filled in range(space.categories - layers_done, -1, -1):
            if filled == space.categories:
                fill_full_cards(rules, space, values)
            else:
                rows = space.layers[filled]
                batches = [rows[i : i + BATCH] for i in range(0, len(rows), BATCH)]
                for _ in pool.map(run, batches, repeat(int(space.most_saved[filled]))):
                    pass
            yield Layer(filled, space.layer_slice(filled).stop, space.size)


def solve_values(rules: RuleSet, *, threads: int | None = None, unrolled: bool = True) -> Floats:
    """All values of a rule set, `(size,)` float64, as :class:`solver.states.StateSpace` places them."""
    space = state_space(rules)
    values = new_values(space)
    for _ in solve_layers(rules, values, threads=threads, unrolled=unrolled):
        pass
    if not np.isfinite(values).all():
        raise RulesError(f"the values of {rules.key} are not finite")
    return values[: space.size]
