"""What a solve costs, before it is begun: size, memory, processor time, traffic, and how many
workers can share it.

Sizes follow from the states, shards from the plan, both exactly; times are estimates::

    solve     = sum of its layers, because a layer needs the whole layer below
    layer     = its work / workers, and half its longest shard, for which the others wait at the end;
                at least the longest shard, and the tasks that one driver hands out
    shard     = turns of its rows + bytes read and checked + bytes written and hashed + a task

So the longest shard of a layer limits the number of workers that are of use.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from ..core.backward_induction import ROWS_PER_TASK, SCORE_ROWS_PER_TASK
from ..core.dice import Floats, Ints
from ..core.lanes import ceil_div
from ..core.objectives import Objective
from .estimates import THREADS, SolveCost, rule_set_stats
from .shard_plan import Shard, ShardPlan, is_rounded, plan_shards, row_parts, row_work
from .shard_task import TASK_MEMORY
from .sharded_solve import sharded_cost

# Measured; see benchmarks/runs, files named cost-model.
READ_SECONDS = 1.2e-9  # processor time of each byte of a halo, with its check
WRITE_SECONDS = 2.5e-9  # of each byte of a shard, with its hash
TASK_SECONDS = 0.007  # of a task on a worker
DRIVER_SECONDS = (
    0.0055  # of a task in the driver and the scheduler, which hand out one after the other
)
MEASURED_SHARDS = 32  # of a layer; the halos of further ones are interpolated
BUSY = 0.8  # share of their time that the workers of a well-shared solve are at work


@dataclass(frozen=True)
class LayerEstimate:
    """One layer of a solve."""

    filled: int  # number of filled categories
    cards: int  # Its rows: sets of filled categories
    values: int  # entries, and their size in the table
    bytes: int
    processor_seconds: float  # processor time, and wall time until its last row is finished
    seconds: float
    shards: int = 0  # 0 for a table in one file, as the following
    # bytes of the halos, and of the files with the values as computed if the table is rounded
    read: int = 0
    written: int = 0
    longest_seconds: float = 0.0  # processor time of its longest shard

    def wall(self, workers: int, *, driven: bool) -> float:
        """Wall time with so many workers; `driven` says whether a driver hands out the shards
        one by one.
        """
        handed_out = DRIVER_SECONDS * self.shards if driven else 0.0
        if workers >= self.shards:
            return max(self.longest_seconds, handed_out)
        waiting = self.longest_seconds / 2 * (workers - 1) / workers
        return max(self.processor_seconds / workers + waiting, self.longest_seconds, handed_out)


@dataclass(frozen=True)
class SharedEstimate:
    """A solve in shards."""

    shards: int
    # bytes of values as computed: of a shard, and of what a task holds, a shard and the halo of
    # some of its rows
    largest_shard: int
    task_memory: int
    read: int  # bytes that all tasks read and write
    written: int
    useful_workers: int  # with more, less than BUSY of the time of the workers is work
    useful_seconds: float  # wall time with so many
    # number of filled categories of the layer at whose end twice as many workers wait longest in
    # all
    limiting_layer: int
    most_workers: int  # one for every shard of the largest layer, and the wall time with them
    shortest_seconds: float


@dataclass(frozen=True)
class SolveEstimate:
    """What a solve costs."""

    objective: str
    states: int  # states that a game can reach
    values: int  # entries of the table, and its size
    bytes: int
    dtype: str  # type of its entries
    disk: int  # most bytes on disk during the solve
    memory: int  # bytes of a process: of the solve, or of each worker
    processor_seconds: float  # processor time of all threads or workers, and wall time
    seconds: float
    threads: int  # those of the wall time; `workers` is 0 if threads of one process share the solve
    workers: int
    # In the order in which they are solved; empty if the computation is no backward induction
    layers: tuple[LayerEstimate, ...]
    shared: SharedEstimate | None = None  # none for a table in one file


def estimate_solve(
    objective: Objective, *, threads: int = 1, workers: int = 0, shards: bool = False
) -> SolveEstimate:
    """Estimate the cost of a solve. The values of a policy quantity's table are not read."""
    space, size = objective.space, objective.store.itemsize
    batch = ROWS_PER_TASK if type(objective) is Objective else SCORE_ROWS_PER_TASK
    plan = plan_shards(objective) if workers or shards else None
    layers, most_held = list[LayerEstimate](), 0
    by_layer = [*enumerate(objective.layer_seconds(), objective.first_layer)]
    for filled, seconds in reversed(by_layer):
        cards, place = len(space.layers[filled]), objective.layer_slice(filled)
        values = place.stop - place.start
        busy = min(threads, ceil_div(cards, batch))  # threads with a task
        processor_seconds = THREADS * seconds
        layer = LayerEstimate(
            filled, cards, values, values * size, processor_seconds, processor_seconds / busy
        )
        if plan:
            layer, held = _in_shards(objective, layer, plan.layers[filled])
            all_threads = workers * threads if workers else threads
            layer = replace(layer, seconds=layer.wall(all_threads, driven=workers > 0))
            most_held = max(most_held, held)
        layers.append(layer)
    disk = objective.size * size
    if plan and is_rounded(objective):  # two layers are there as computed, too
        disk += (
            max(above.values + below.values for above, below in pairwise(layers))
            * objective.compute.itemsize
        )
    cost = sharded_cost(objective, threads) if plan else objective.solve_cost()
    states = rule_set_stats(objective.rules).states
    return replace(
        estimate_of_cost(objective.name, cost, states, threads, objective.store.name),
        values=objective.size,
        bytes=objective.size * size,
        disk=disk,
        processor_seconds=sum(layer.processor_seconds for layer in layers),
        seconds=sum(layer.seconds for layer in layers),
        workers=workers,
        layers=tuple(layers),
        shared=_shared(objective, plan, layers, most_held) if plan else None,
    )


def estimate_of_cost(
    name: str, cost: SolveCost, states: int, threads: int, dtype: str = "float64"
) -> SolveEstimate:
    """The estimate of a computation whose layers are not counted; `name`: of its objective."""
    return SolveEstimate(
        name,
        states,
        cost.values,
        cost.bytes,
        dtype,
        cost.bytes,
        cost.memory,
        cost.processor_seconds,
        cost.processor_seconds / threads,
        threads,
        workers=0,
        layers=(),
    )


def _in_shards(
    objective: Objective, layer: LayerEstimate, shards: Sequence[Shard]
) -> tuple[LayerEstimate, int]:
    """A layer that is solved in shards, and the most bytes that a task holds."""
    read, held = _halos(objective, shards)
    unrounded = is_rounded(objective) and layer.filled > objective.first_layer
    written = layer.bytes + (layer.values * objective.compute.itemsize if unrounded else 0)
    work = np.add.reduceat(
        row_work(objective, layer.filled), [shard.first for shard in shards]
    ).astype(np.float64)
    turns_and_files = (layer.processor_seconds + WRITE_SECONDS * written) * work / work.sum()
    seconds = turns_and_files + READ_SECONDS * read + TASK_SECONDS
    counts = {"shards": len(shards), "read": round(float(read.sum())), "written": written}
    total, longest = float(seconds.sum()), float(seconds.max())
    return replace(layer, processor_seconds=total, longest_seconds=longest, **counts), held


def _shared(
    objective: Objective, plan: ShardPlan, layers: Sequence[LayerEstimate], held: int
) -> SharedEstimate:
    """How many workers can share a solve; `held`: the most bytes of a task."""
    most = max(layer.shards for layer in layers)
    total = sum(layer.processor_seconds for layer in layers)

    def wall(workers: int) -> float:
        return sum(layer.wall(workers, driven=workers > 1) for layer in layers)

    # Of 1, 2, 3, 4, 6, 8, 12 ... workers, up to one for each shard of the largest layer.
    numbers = {1, most} | {
        n for k in range(most.bit_length()) for n in (2 << k, 3 << k) if n < most
    }
    useful = max(n for n in numbers if n == 1 or total >= BUSY * n * wall(n))
    twice = 2 * useful
    # Time that so many workers spend on each layer without work.
    waiting = [twice * layer.wall(twice, driven=True) - layer.processor_seconds for layer in layers]
    return SharedEstimate(
        shards=len(plan.shards),
        largest_shard=max(shard.stop - shard.start for shard in plan.shards)
        * objective.compute.itemsize,
        task_memory=held,
        read=sum(layer.read for layer in layers),
        written=sum(layer.written for layer in layers),
        useful_workers=useful,
        useful_seconds=wall(useful),
        limiting_layer=layers[int(np.argmax(waiting))].filled,
        most_workers=most,
        shortest_seconds=wall(most),
    )


def _halos(objective: Objective, shards: Sequence[Shard]) -> tuple[Floats, int]:
    """Bytes that each shard of a layer reads (neighbours are alike: some are computed); the most
    a task holds.
    """
    size = objective.compute.itemsize
    if shards[0].filled == objective.space.categories:
        return np.zeros(len(shards)), max(shard.stop - shard.start for shard in shards) * size
    evenly = np.linspace(0, len(shards) - 1, min(len(shards), MEASURED_SHARDS))
    measured: Ints = np.unique(evenly.round().astype(np.int64))  # their positions
    read, held = [], 0
    for shard in [shards[position] for position in measured.tolist()]:
        own = (shard.stop - shard.start) * size
        parts = row_parts(objective, shard.filled, shard.first, shard.end, TASK_MEMORY - own)
        halos = [halo.bytes for _first, _end, halo in parts]
        read.append(sum(halos))
        held = max(held, own + max(halos))
    return np.interp(np.arange(len(shards)), measured, np.array(read, dtype=np.float64)), held
