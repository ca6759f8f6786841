"""The halo of a shard: the parts of the layer below that hold the children of its rows.

The children of neighbouring rows are neighbours as well, one run of rows for each chain of open boxes, and many of
these runs touch: a shard of a layer cut into 32 needs about an eighth of the layer below, in two to five runs::

    layer k        [ first ... end )
                    /      |       \\
    layer k + 1   [run]   [  run  ]    [run]

A halo is read into an array as long as from its first to its last value, of which only the runs are ever touched: the
system gives memory to these pages alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..errors import TableError
from ..game.dice import Ints
from ..kernels.table_slices import PADDING, TableSlice
from ..model.checked_values import BLOCK_BYTES, DIGEST_BYTES, sparse_array
from ..model.objectives import Objective, ScoreObjective
from ..model.score_places import ScoreOffsets
from ..model.state_space import StateSpace
from .shard_file import ShardFile
from .shard_plan import ShardPlan
from .table_info import damaged

CheckedBlocks = dict[str, npt.NDArray[np.bool_]]  # by shard, which of its blocks this process has compared


def children(space: StateSpace, filled: int, first: int, end: int) -> Ints:
    """Where the children of the rows ``layers[filled][first:end]`` are in ``layers[filled + 1]``, ascending."""
    rows, below = space.layers[filled][first:end], space.layers[filled + 1]
    is_child = np.zeros(len(below), dtype=np.bool_)
    for category in space.open:
        parents = rows[space.layout.masks[rows] >> category & 1 == 0]
        copies = [0]
        if space.has_tracked_rows and category == space.rules.tracked_index:
            copies.append(space.cards)
        for copy in copies:
            found = parents + int(space.step_of[category]) + copy
            places = np.minimum(np.searchsorted(below, found), len(below) - 1)
            is_child[places[below[places] == found]] = True
    return np.flatnonzero(is_child)


@dataclass(frozen=True)
class Halo:
    """Where the values of the children of some rows are."""

    filled: int  # number of filled categories of the children
    # first and last + 1 position of each run of children in ``layers[filled]``, ascending
    rows: list[tuple[int, int]]
    # their values in the table, ascending; each is a part of the layer, and begins and ends at blocks of the table,
    # so that blocks can be checked. Runs less than a block apart are one
    runs: list[slice]
    bytes: int  # memory of the values


def halo_of(objective: Objective, filled: int, first: int, end: int) -> Halo:
    """The halo of the rows ``layers[filled][first:end]``."""
    places = children(objective.space, filled, first, end)
    gaps = np.flatnonzero(np.diff(places) > 1)
    firsts = places[np.concatenate([[0], gaps + 1])]
    ends = places[np.concatenate([gaps, [len(places) - 1]])] + 1
    starts, size = objective.row_starts(filled + 1), objective.compute.itemsize
    layer, block = objective.layer_slice(filled + 1), BLOCK_BYTES // size
    runs: list[slice] = []
    for start, stop in zip(starts[firsts].tolist(), starts[ends].tolist(), strict=True):
        low, high = max(start // block * block, layer.start), min(-(-stop // block) * block, layer.stop)
        if runs and low - runs[-1].stop <= block:
            low = runs.pop().start
        runs.append(slice(low, high))
    memory = sum(run.stop - run.start for run in runs) * size
    return Halo(filled + 1, list(zip(firsts.tolist(), ends.tolist(), strict=True)), runs, memory)


def first_needed(objective: Objective, plan: ShardPlan, filled: int) -> list[int]:
    """For each shard of a layer, from which position on it may need the shards of the layer below."""
    # Those from the first row on that comes after the first row of the shard. Its halo is a part of them, but takes
    # longer to find.
    shards, below = plan.layers[filled], plan.layers.get(filled + 1, ())
    if not below:
        return [0] * len(shards)
    rows, block = objective.space.layers, BLOCK_BYTES // objective.compute.itemsize
    firsts = np.searchsorted(rows[filled + 1], rows[filled][[shard.first for shard in shards]], side="right")
    starts = objective.row_starts(filled + 1)[firsts] // block * block
    found: list[int] = np.searchsorted([shard.stop for shard in below], starts, side="right").tolist()
    return found


def row_parts(
    objective: Objective, filled: int, first: int, end: int, memory: int
) -> Iterator[tuple[int, int, Halo]]:
    """The rows of a shard that are solved at a time, with their halo: in halves where that exceeds `memory` bytes."""
    halo = halo_of(objective, filled, first, end)
    if end - first > 1 and halo.bytes > memory:
        middle = (first + end) // 2
        yield from row_parts(objective, filled, first, middle, memory)
        yield from row_parts(objective, filled, middle, end, memory)
    else:
        yield first, end, halo


def read_halo(
    objective: Objective, halo: Halo, shards: Callable[[slice], Iterable[ShardFile]], checked: CheckedBlocks
) -> TableSlice:
    """Read a halo, as the kernels take the layer below; each block is compared with its digest once."""
    size, base = objective.compute.itemsize, halo.runs[0].start
    values = sparse_array(halo.runs[-1].stop - base + PADDING, objective.compute)
    target = values.data.cast("B")
    for run in halo.runs:
        for shard in shards(run):
            low, high = shard.part(run.start * size, run.stop * size)
            piece = target[low - base * size : high - base * size]
            try:
                shard.read_into(piece, low)
                blocks = len(shard.digests) // DIGEST_BYTES
                shard.check(low, piece, checked.setdefault(shard.path.name, np.zeros(blocks, dtype=np.bool_)))
            except TableError as error:
                shard.path.unlink(missing_ok=True)  # it is solved again
                raise damaged(f"{error} and was removed; run the same command again") from error
    return TableSlice(values, base)


def offsets_of(objective: ScoreObjective, halo: Halo, first: int, end: int) -> ScoreOffsets:
    """Where the values of the states of rows and of their halo are, in arrays that take memory only there."""
    states = int(objective.space.layer_slice(objective.first_layer).stop)
    offsets = ScoreOffsets(*(sparse_array(states, np.dtype(np.int64)) for _ in ScoreOffsets._fields))
    objective.places.fill(offsets, halo.filled - 1, first, end)
    for run in halo.rows:
        objective.places.fill(offsets, halo.filled, *run)
    return offsets
