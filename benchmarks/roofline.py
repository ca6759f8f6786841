"""How close one turn is to what the processor can do: `make bench-roofline`, a minute.

A block is a vector of eight states. For each kernel of the turn: its vector operations and the
bytes it loads and stores, counted from the lattice and the sheet; the cycles it takes; and the
fewest cycles in which this processor can do as much, from peaks that are measured with the same
vectors::

    least cycles = max(operations / peak rate of operations, bytes loaded / peak load, bytes stored / peak store)

A cycle is a quarter of a dependent multiplication and addition of integers, which take four cycles
on all common processors. Times are CPU times of one thread, the shortest of many. The record is
``benchmarks/runs/DATE-roofline.md``.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

import time
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

import numba
import numpy as np
import perfect_yatzy
from perfect_yatzy.core.backward_induction import RowSolver, solve_layers
from perfect_yatzy.core.dice import Lattice, lattice
from perfect_yatzy.core.lattice import maxima, means
from perfect_yatzy.core.legal import choices_of
from perfect_yatzy.core.objectives import Objective
from perfect_yatzy.core.simd import aligned, load, maximum, shifted, splat, store, views
from perfect_yatzy.core.state_space import LANES
from perfect_yatzy.core.turn import (
    OVERWRITE,
    RAISE,
    SolveJob,
    backup_all_stop_values,
    make_scratch,
    mean_of_first_roll,
    solve_turn,
)
from perfect_yatzy.core.turn_model import turn_model
from perfect_yatzy.core.value_tables import Block, MeanTable, lanes_of
from perfect_yatzy.tablebase.in_memory import solve_values

from .__main__ import VALUE, cpu_name

RUNS = Path(__file__).resolve().parent / "runs"
VECTOR = 8 * LANES  # bytes
SOLVE, MEANS, MAXIMA, STOP, STOP_AND_SAVE, FIRST_ROLL = range(6)
STEPS = 100_000

compiled = numba.njit(nogil=True, error_model="numpy")


@compiled
def dependent_steps(steps, seed):
    """A chain of multiplications and additions of integers."""
    for _ in range(steps):
        seed = seed * seed + 3  # a multiplication by a constant would be combined with the next one
    return seed


@compiled
def independent_additions(array, steps):
    """Eight running sums in registers."""
    data = views(array)
    one = load(data, 0)
    a, b, c, d, e, f, g, h = one, one, one, one, one, one, one, one
    for _ in range(steps):
        a, b, c, d = a + one, b + one, c + one, d + one
        e, f, g, h = e + one, f + one, g + one, h + one
    store(data, 1, ((a + b) + (c + d)) + ((e + f) + (g + h)))


@compiled
def loads(array, vectors, rounds):
    """Loads, each with a maximum, four at a time."""
    data = views(array)
    a, b, c, d = splat(data, 0.0), splat(data, 0.0), splat(data, 0.0), splat(data, 0.0)
    for _ in range(rounds):
        for i in range(0, vectors, 4):
            a, b = maximum(a, load(data, i)), maximum(b, load(data, i + 1))
            c, d = maximum(c, load(data, i + 2)), maximum(d, load(data, i + 3))
    store(data, 0, maximum(maximum(a, b), maximum(c, d)))


@compiled
def stores(array, vectors, rounds):
    data = views(array)
    for number in range(rounds):
        value = splat(data, float(number))
        for i in range(0, vectors, 4):
            store(data, i, value)
            store(data, i + 1, value)
            store(data, i + 2, value)
            store(data, i + 3, value)


@compiled
def run_blocks(rows, arguments, kernel):
    """One kernel for every block of some rows; the number of blocks."""
    job = views(arguments)
    model, scratch, layout = job.model, job.scratch, job.model.layout
    children = MeanTable(shifted(job.below.values, job.below.start))
    target = MeanTable(shifted(job.target.values, job.target.start))
    blocks = 0
    for row in rows:
        choices = choices_of(model, row)
        for lane in range(0, lanes_of(layout, row), LANES):
            block = Block(row, lane, choices)
            blocks += 1
            if kernel == SOLVE:
                solve_turn(children, target, job, block)
            elif kernel == MEANS:
                means(scratch.buffer, job.lattice)
            elif kernel == MAXIMA:
                maxima(scratch.buffer, job.lattice)
            elif kernel == STOP:
                backup_all_stop_values(
                    children, model, block, 0, OVERWRITE, scratch.buffer, scratch
                )
            elif kernel == STOP_AND_SAVE:
                backup_all_stop_values(children, model, block, 0, RAISE, scratch.buffer, scratch)
            else:
                store(scratch.temp, 0, mean_of_first_roll(model.dice, scratch.buffer))
    return blocks


class Work(NamedTuple):
    """What a kernel does for one block: vector operations, vectors loaded, vectors stored."""

    operations: float
    loads: float
    stores: float

    def times(self, number: float) -> Work:
        return Work(*(number * part for part in self))


class Peaks(NamedTuple):
    """Of one thread: cycles a second; operations, and bytes loaded and stored in the first-level
    cache, a cycle.
    """

    hertz: float
    operations: float
    load: float
    store: float

    def least_cycles(self, work: Work) -> float:
        limits = (
            work.operations / self.operations,
            VECTOR * work.loads / self.load,
            VECTOR * work.stores / self.store,
        )
        return max(limits)


def shortest(action: Callable[[], object], times: int = 15) -> float:
    """CPU seconds of the fastest of several calls, after one to warm up."""
    action()
    seconds = []
    for _ in range(times):
        start = time.thread_time()
        action()
        seconds.append(time.thread_time() - start)
    return min(seconds)


def measured_peaks() -> tuple[Peaks, float]:
    """The peaks, and the bytes a cycle loaded from the second-level cache."""
    hertz = 4 * STEPS / shortest(lambda: dependent_steps(STEPS, 1))
    small, large = aligned(128), aligned(4096)  # 8 KB and 256 KB
    operations = 8 * STEPS / shortest(lambda: independent_additions(small, STEPS)) / hertz
    load = 128 * 1000 * VECTOR / shortest(lambda: loads(small, 128, 1000)) / hertz
    second_level = 4096 * 40 * VECTOR / shortest(lambda: loads(large, 4096, 40)) / hertz
    written = 128 * 1000 * VECTOR / shortest(lambda: stores(small, 128, 1000)) / hertz
    return Peaks(hertz, operations, load, written), second_level


def work_of_passes(dice: Lattice) -> dict[int, Work]:
    """Means, maxima and the mean over the first rolls.

    Operations are additions and maxima; multiplications run beside them. A pass loads each entry at
    least once.
    """
    pairs = len(dice.predecessors)
    return {
        MEANS: Work(dice.first_roll * (dice.faces - 1), dice.n_holds - 1, dice.first_roll),
        MAXIMA: Work(pairs, dice.n_holds, dice.n_holds - 1),
        FIRST_ROLL: Work(dice.n_rolls, dice.n_rolls, 0),
    }


def work_of_stops(objective: Objective, rows: Any) -> dict[int, Work]:
    """The stop values, by rolls and by holds: a mean over the blocks of the rows."""
    space, model = objective.space, turn_model(objective.rules)
    outcomes, layout = model.outcomes, model.layout
    blocks = -(-layout.lane_count[layout.lane_sets[rows]] // LANES)
    filled = layout.masks[rows, None] >> np.arange(space.categories) & 1
    open_boxes = ((1 - filled) * blocks[:, None]).sum(axis=0) / blocks.sum()
    paid = np.diff(outcomes.start) - 1
    found = {}
    places = {
        STOP: (outcomes.roll_start, model.dice.roll_count),
        STOP_AND_SAVE: (outcomes.hold_start, 1),
    }
    for kernel, (start, begun) in places.items():
        raised = float(open_boxes @ (start[outcomes.start[1:]] - start[outcomes.start[:-1] + 1]))
        values = float(open_boxes @ paid)
        # A value is a child's vector and the points; raising an entry loads, compares and stores
        # it.
        found[kernel] = Work(
            values + raised + 2 * open_boxes.sum(), values + raised, raised + begun
        )
    return found


def say_game(say: Callable[[str], None], key: str, filled: int, peaks: Peaks) -> None:
    """A table of the kernels for the rows of one layer."""
    rules = perfect_yatzy.load_rules(key)
    objective = Objective(rules)
    solver, space, dice, model = (
        RowSolver(objective),
        objective.space,
        lattice(rules.dice, rules.faces),
        turn_model(rules),
    )
    most_saved = int(space.most_saved[filled])
    rows = space.layers[filled][len(space.layers[filled]) // 3 :][: 60 if most_saved else 1000]
    below, target = (solver.blank(objective.layer_slice(layer)) for layer in (filled + 1, filled))
    below.values[:] = np.random.default_rng(1).uniform(0, 300, len(below.values))
    job = SolveJob(model, solver._lattice, below, target, most_saved, make_scratch(dice, model))
    work = work_of_passes(dice) | work_of_stops(objective, rows)
    rerolls = model.rolls_per_turn - 1 + most_saved
    parts = {
        MEANS: rerolls,
        MAXIMA: rerolls,
        STOP: 1,
        STOP_AND_SAVE: rerolls if most_saved else 0,
        FIRST_ROLL: most_saved + 1,
    }
    work[SOLVE] = Work(
        *np.sum([work[kernel].times(number) for kernel, number in parts.items()], axis=0)
    )
    names = {
        MEANS: "means",
        MAXIMA: "maxima",
        FIRST_ROLL: "mean over the first rolls",
        STOP: "stop values, no reroll left",
        STOP_AND_SAVE: "stop values, rerolls left to save",
        SOLVE: f"whole turn, {most_saved} saved rolls at most",
    }
    blocks = run_blocks(rows, job, STOP)
    lanes = model.layout.lane_count[model.layout.lane_sets[rows]].sum()
    say(f"## `{key}`, {space.categories - filled} boxes open")
    say("")
    say(f"{100 * lanes / (LANES * blocks):.0f} % of the lanes stand for a state.")
    say("")
    say(
        "| kernel | a turn | operations | bytes loaded | bytes stored | cycles | least cycles | share of peak |"
    )
    say("|---|---:|---:|---:|---:|---:|---:|---:|")
    for kernel, name in names.items():
        if kernel != SOLVE and not parts[kernel]:
            continue
        seconds = shortest(lambda kernel=kernel: run_blocks(rows, job, kernel)) / blocks
        done, cycles = work[kernel], seconds * peaks.hertz
        least = peaks.least_cycles(done)
        say(
            f"| {name} | {parts.get(kernel, 1)} | {done.operations:,.0f} | {VECTOR * done.loads:,.0f} "
            f"| {VECTOR * done.stores:,.0f} | {cycles:,.0f} | {least:,.0f} | {100 * least / cycles:.0f} % |"
        )
    say("")


def check_answers() -> None:
    """The solver's value, and that these kernels write what it writes."""
    assert f"{solve_values('yatzy')[-1]:.10f}" == VALUE
    objective = Objective(perfect_yatzy.load_rules("yatzy"))
    solver, model = RowSolver(objective), turn_model(objective.rules)
    layers = {
        layer.filled: layer.values for layer in solve_layers(objective) if layer.filled in (7, 8)
    }
    below, target = (solver.blank(objective.layer_slice(filled)) for filled in (8, 7))
    below.values[: len(layers[8])] = layers[8]
    scratch = make_scratch(lattice(5, 6), model)
    run_blocks(solver.layers[7], SolveJob(model, solver._lattice, below, target, 0, scratch), SOLVE)
    assert np.array_equal(target.values[: len(layers[7])], layers[7])


def main() -> None:
    """Check the answers, measure the peaks and the kernels, and write the record."""
    lines: list[str] = []

    def say(text: str) -> None:
        print(text, flush=True)
        lines.append(text)

    check_answers()
    peaks, second_level = measured_peaks()
    say(
        f"# {date.today().isoformat()}, roofline of the turn, perfect-yatzy {perfect_yatzy.__version__}"
    )
    say("")
    say(
        f"{cpu_name()}, one thread at {peaks.hertz / 1e9:.2f} GHz, {LANES} float64 a vector. Answers checked first."
    )
    say("")
    say("| peak | a cycle |")
    say("|---|---:|")
    say(f"| vector operations in registers | {peaks.operations:.2f} |")
    say(f"| bytes loaded, first-level cache | {peaks.load:.0f} |")
    say(f"| bytes stored, first-level cache | {peaks.store:.0f} |")
    say(f"| bytes loaded, second-level cache | {second_level:.0f} |")
    say("")
    say_game(say, "yatzy", 7, peaks)
    say_game(say, "maxi", 10, peaks)
    RUNS.mkdir(exist_ok=True)
    record = RUNS / f"{date.today().isoformat()}-roofline.md"
    record.write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
