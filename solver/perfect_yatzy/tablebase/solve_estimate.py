"""What a solve costs, before it is begun: size, memory, processor time, traffic, and how many workers can share it.

Sizes follow from the states, shards from the plan, both exactly; times are estimates::

    solve     = sum of its layers, because a layer needs the whole layer below
    layer     = its shards, each taken by the next free worker, until the last one is finished
    shard     = turns of its rows + bytes read and checked + bytes written and hashed + a task

So the shards of a layer limit the number of workers that are of use: the others wait for the last shard.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heapreplace
from itertools import pairwise

import numpy as np

from ..game.dice import Floats, Ints
from ..model.estimates import SolveCost, rule_set_stats
from ..model.objectives import Objective
from .backward_induction import ROWS_PER_TASK, SCORE_ROWS_PER_TASK
from .halo import row_parts
from .shard_plan import Shard, plan_shards, row_work
from .shard_task import TASK_MEMORY
from .sharded_solve import sharded_cost

# Measured; see benchmarks/runs, files named cost-model.
READ_SECONDS = 1.2e-9  # processor time of each byte of a halo, with its check
WRITE_SECONDS = 2.5e-9  # of each byte of a shard, with its hash
TASK_SECONDS = 0.007  # of a task on a worker
DRIVER_SECONDS = 0.0055  # of a task in the driver and the scheduler, which hand out one after the other
MEASURED_SHARDS = 32  # of a layer; the halos of further ones are interpolated
BUSY = 0.8  # share of their time that the workers of a well-shared solve are at work


@dataclass(frozen=True)
class LayerEstimate:
    """One layer of a solve.

    Attributes
    ----------
    filled : int
        Number of filled categories.
    cards : int
        Its rows: sets of filled categories.
    values, bytes : int
        Entries, and their size in the table.
    processor_seconds, seconds : float
        Processor time, and wall time until its last row is finished.
    shards : int
        0 for a table in one file, as the following.
    read, written : int
        Bytes of the halos, and of the files with the values as computed if the table is rounded.
    longest_seconds : float
        Processor time of its longest shard.
    """

    filled: int
    cards: int
    values: int
    bytes: int
    processor_seconds: float
    seconds: float
    shards: int = 0
    read: int = 0
    written: int = 0
    longest_seconds: float = 0.0


@dataclass(frozen=True)
class SharedEstimate:
    """A solve in shards.

    Attributes
    ----------
    shards : int
    largest_shard, task_memory : int
        Bytes of values as computed: of a shard, and of what a task holds, a shard and the halo of some of its rows.
    read, written : int
        Bytes that all tasks read and write.
    useful_workers : int
        With more, less than BUSY of the time of the workers is work.
    limiting_layer : int
        Number of filled categories of the layer at whose end twice as many workers wait longest in all.
    shortest_seconds : float
        Wall time with a worker for every shard of a layer.
    scaling : tuple of (int, float)
        Wall time by the number of workers.
    """

    shards: int
    largest_shard: int
    task_memory: int
    read: int
    written: int
    useful_workers: int
    limiting_layer: int
    shortest_seconds: float
    scaling: tuple[tuple[int, float], ...]


@dataclass(frozen=True)
class SolveEstimate:
    """What a solve costs.

    Attributes
    ----------
    objective : str
    states : int
        States that a game can reach.
    values, bytes : int
        Entries of the table, and its size.
    dtype : str
        Type of its entries.
    disk : int
        Most bytes on disk during the solve.
    memory : int
        Bytes of a process: of the solve, or of each worker.
    processor_seconds, seconds : float
        Processor time of all threads or workers, and wall time.
    threads, workers : int
        Those of the wall time; `workers` is 0 if threads of one process share the solve.
    layers : tuple of LayerEstimate
        In the order in which they are solved; empty if the computation is no backward induction.
    shared : SharedEstimate or None
        None for a table in one file.
    """

    objective: str
    states: int
    values: int
    bytes: int
    dtype: str
    disk: int
    memory: int
    processor_seconds: float
    seconds: float
    threads: int
    workers: int
    layers: tuple[LayerEstimate, ...]
    shared: SharedEstimate | None = None


def estimate_solve(
    objective: Objective, *, threads: int = 1, workers: int = 0, shards: bool = False
) -> SolveEstimate:
    """Estimate the cost of a solve. The values of a policy quantity's table are not read.

    Parameters
    ----------
    objective
        Of a whole game.
    threads
        Threads of one process; of each worker.
    workers
        Processes of a cluster that share the solve; 0 for the threads of this process.
    shards
        Whether the table is stored in shards; always, with `workers`.

    Raises
    ------
    RulesError
        If the game has too many states to be enumerated.
    """
    if workers or shards:
        return _in_shards(objective, threads, workers)
    space, cost, size = objective.space, objective.solve_cost(), objective.store.itemsize
    batch = ROWS_PER_TASK if type(objective) is Objective else SCORE_ROWS_PER_TASK
    layers = []
    for filled, time in _processor_seconds(objective):
        cards, place = len(space.layers[filled]), objective.layer_slice(filled)
        values, busy = place.stop - place.start, min(threads, -(-cards // batch))
        layers.append(LayerEstimate(filled, cards, values, values * size, time, time / busy))
    table = objective.size * size
    return _whole(objective, tuple(layers), cost, threads, 0, disk=table, shared=None)


def estimate_of_cost(
    objective: str, cost: SolveCost, states: int, threads: int, dtype: str = "float64"
) -> SolveEstimate:
    """The estimate of a computation whose layers are not counted."""
    return SolveEstimate(
        objective=objective,
        states=states,
        values=cost.values,
        bytes=cost.bytes,
        dtype=dtype,
        disk=cost.bytes,
        memory=cost.memory,
        processor_seconds=cost.processor_seconds,
        seconds=cost.processor_seconds / threads,
        threads=threads,
        workers=0,
        layers=(),
    )


def _whole(
    objective: Objective,
    layers: tuple[LayerEstimate, ...],
    cost: SolveCost,
    threads: int,
    workers: int,
    *,
    disk: int,
    shared: SharedEstimate | None,
) -> SolveEstimate:
    return SolveEstimate(
        objective=objective.name,
        states=rule_set_stats(objective.rules).states,
        values=objective.size,
        bytes=objective.size * objective.store.itemsize,
        dtype=objective.store.name,
        disk=disk,
        memory=cost.memory,
        processor_seconds=sum(layer.processor_seconds for layer in layers),
        seconds=sum(layer.seconds for layer in layers),
        threads=threads,
        workers=workers,
        layers=layers,
        shared=shared,
    )


def _processor_seconds(objective: Objective) -> list[tuple[int, float]]:
    """Number of filled categories and processor time of the turns of each layer, in the order they are solved."""
    seconds = objective.layer_seconds()
    times = [SolveCost(0, 0, 0, s).processor_seconds for s in seconds]
    return [*enumerate(times, objective.first_layer)][::-1]


def _in_shards(objective: Objective, threads: int, workers: int) -> SolveEstimate:
    plan, tasks = plan_shards(objective), workers * threads or threads
    rounded = objective.store != objective.compute or not objective.rounds
    layers, every, held = [], [], 0
    for filled, time in _processor_seconds(objective):
        shards = plan.layers[filled]
        read, most = _halos(objective, shards)
        held = max(held, most)
        place = objective.layer_slice(filled)
        values = place.stop - place.start
        table, computed = values * objective.store.itemsize, values * objective.compute.itemsize
        written = table + (computed if rounded and filled > objective.first_layer else 0)
        work = _shard_work(objective, shards)
        seconds = time * work / work.sum() + READ_SECONDS * read + TASK_SECONDS
        seconds += WRITE_SECONDS * written * work / work.sum()
        every.append(seconds.tolist())
        layers.append(
            LayerEstimate(
                filled,
                len(objective.space.layers[filled]),
                values,
                table,
                float(seconds.sum()),
                layer_end(every[-1], tasks, bool(workers)),
                len(shards),
                round(float(read.sum())),
                written,
                float(seconds.max()),
            )
        )
    scaling = _scaling(every)
    total = sum(layer.processor_seconds for layer in layers)
    useful = max(n for n, wall in scaling if n == 1 or total >= BUSY * n * wall)
    waiting = [2 * useful * layer_end(seconds, 2 * useful, driven=True) - sum(seconds) for seconds in every]
    shared = SharedEstimate(
        shards=len(plan.shards),
        largest_shard=max(shard.stop - shard.start for shard in plan.shards) * objective.compute.itemsize,
        task_memory=held,
        read=sum(layer.read for layer in layers),
        written=sum(layer.written for layer in layers),
        useful_workers=useful,
        limiting_layer=layers[int(np.argmax(waiting))].filled,
        shortest_seconds=scaling[-1][1],
        scaling=scaling,
    )
    disk = objective.size * objective.store.itemsize
    if rounded:
        disk += max(a.values + b.values for a, b in pairwise(layers)) * objective.compute.itemsize
    cost = sharded_cost(objective, threads)
    return _whole(objective, tuple(layers), cost, threads, workers, disk=disk, shared=shared)


def _shard_work(objective: Objective, shards: Sequence[Shard]) -> Floats:
    """Work of each shard of a layer, in any unit."""
    work = row_work(objective, shards[0].filled)
    return np.add.reduceat(work, [shard.first for shard in shards]).astype(np.float64)


def _halos(objective: Objective, shards: Sequence[Shard]) -> tuple[Floats, int]:
    """Bytes that each shard of a layer reads, and the most that a task holds.

    Halos of neighbouring shards are alike: of a layer of many shards some are computed.
    """
    size = objective.compute.itemsize
    if shards[0].filled == objective.space.categories:
        return np.zeros(len(shards)), max(shard.stop - shard.start for shard in shards) * size
    some: Ints = np.unique(
        np.linspace(0, len(shards) - 1, min(len(shards), MEASURED_SHARDS)).round().astype(np.int64)
    )
    read, held = [], 0
    for number in some.tolist():
        shard = shards[number]
        own = (shard.stop - shard.start) * size
        rows = shard.filled, shard.first, shard.end
        parts = [halo.bytes for _, _, halo in row_parts(objective, *rows, TASK_MEMORY - own)]
        read.append(sum(parts))
        held = max(held, own + max(parts))
    return np.interp(np.arange(len(shards)), some, np.array(read, dtype=np.float64)), held


def layer_end(seconds: Sequence[float], workers: int, driven: bool) -> float:
    """Wall time of the tasks of a layer, if each of some workers takes the next one as soon as it is free.

    Parameters
    ----------
    seconds
        Processor time of each task.
    driven
        Whether a driver hands them out one after the other.
    """
    last = max(seconds)
    if workers < len(seconds):
        free = [0.0] * workers
        for time in seconds:
            heapreplace(free, free[0] + time)
        last = max(free)
    return max(last, DRIVER_SECONDS * len(seconds)) if driven else last


def _scaling(layers: Sequence[Sequence[float]]) -> tuple[tuple[int, float], ...]:
    """Wall time of a solve with 1, 2, 3, 4, 6, 8, 12 ... workers, up to one for each shard of the longest layer."""
    most, numbers, step = max(map(len, layers)), [1], 2
    while numbers[-1] < most:
        numbers += [step, step + step // 2] if step > 1 else [step]
        step *= 2
    numbers = [n for n in numbers if n < most] + [most]
    return tuple((n, sum(layer_end(seconds, n, driven=n > 1) for seconds in layers)) for n in numbers)
