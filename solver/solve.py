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
from .rules import RuleSet
from .states import LANES, StateSpace, state_space
from .turn import plan

if TYPE_CHECKING:
    from .kernels import Scratch

BATCH = 128  # rows a thread takes at a time: short enough to share a layer's end, long enough to call rarely


@dataclass(frozen=True)
class Layer:
    """A finished layer: the values of all states with `filled` categories filled.

    Attributes
    ----------
    filled : int
    values : (n,) float64
        In the order of the table; the caller may keep it, the solver no longer writes to it.
    done, total : int
        Values of the table solved so far, and in all.
    """

    filled: int
    values: Floats
    done: int
    total: int


class Window(NamedTuple):
    """Consecutive values of a table as the kernels take them.

    Attributes
    ----------
    values : (n + LANES,) float64
        The padding at the end is read by whole vectors and of no account.
    start : int
        Place of the first value in the whole table.
    """

    values: Floats
    start: int


def default_threads() -> int:
    """Processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def full_cards(rules: RuleSet, space: StateSpace) -> Floats:
    """The last layer needs no turn: a full card is worth the bonus if its upper sum has reached it."""
    layout, parts = space.layout, []
    copies = int(space.most_saved[space.categories]) + 1
    for row in space.layers[space.categories]:
        lanes = int(layout.lane_count[layout.sets[row]])
        uppers = layout.lane_upper[layout.sets[row], :lanes]
        paid = np.where(uppers >= rules.bonus.threshold, rules.bonus.points, 0) if rules.bonus else np.zeros(lanes)
        parts.append(np.tile(paid, copies))
    return np.concatenate(parts).astype(np.float64)


def padded(values: Floats) -> Floats:
    """A float64 copy with one vector of padding behind it."""
    room = np.zeros(len(values) + LANES)
    room[: len(values)] = values
    return room


def solve_layers(
    rules: RuleSet,
    *,
    threads: int | None = None,
    resume: tuple[int, Floats] | None = None,
    unrolled: bool = True,
) -> Iterator[Layer]:
    """Solve a rule set layer by layer, from the full card to the empty one.

    Only two layers are in memory at a time, in float64: what a caller stores in fewer bits costs that much
    accuracy once and is never computed with.

    Parameters
    ----------
    rules
        The game.
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
    from .kernels import kernel_lattice, make_scratch, solve_rows

    space, arrays = state_space(rules), plan(rules)
    workers = max(1, threads or default_threads())
    dice = lattice(rules.dice, rules.faces)
    steps = kernel_lattice(dice, unrolled)
    idle: list[Scratch] = []

    def finished(filled: int, window: Window) -> Layer:
        values = window.values[:-LANES]
        return Layer(filled, values, window.start + len(values), space.size)

    def run(rows: Ints, below: Window, layer: Window, most_saved: int) -> None:
        try:
            scratch = idle.pop()
        except IndexError:
            scratch = make_scratch(dice, arrays)
        solve_rows(rows, below, layer, arrays, steps, most_saved, scratch)
        idle.append(scratch)

    if resume is None:
        below = Window(padded(full_cards(rules, space)), 0)
        last = space.categories
        yield finished(last, below)
    else:
        last = resume[0]
        below = Window(padded(resume[1]), space.layer_slice(last).start)
    with ThreadPoolExecutor(workers, thread_name_prefix="yatzy-solve") as pool:
        for filled in range(last - 1, -1, -1):
            place = space.layer_slice(filled)
            layer = Window(np.zeros(place.stop - place.start + LANES), place.start)
            rows = space.layers[filled]
            batches = [rows[i : i + BATCH] for i in range(0, len(rows), BATCH)]
            most_saved = int(space.most_saved[filled])
            for _ in pool.map(run, batches, repeat(below), repeat(layer), repeat(most_saved)):
                pass
            below = layer
            yield finished(filled, layer)


def solve_values(rules: RuleSet, *, threads: int | None = None, unrolled: bool = True) -> Floats:
    """All values of a rule set, `(size,)` float64, as :class:`solver.states.StateSpace` places them."""
    values = np.empty(state_space(rules).size)
    for layer in solve_layers(rules, threads=threads, unrolled=unrolled):
        values[layer.done - len(layer.values) : layer.done] = layer.values
    return values
