"""How a table is cut into shards: contiguous runs of rows of one layer, of about equal work.

A shard is solved by one task and stored in one file. The cuts depend on the objective and the target size alone.
There are enough shards in a layer for several workers to finish it together, and not so many that files and tasks
cost more than the work in them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..game.dice import Ints
from ..model.objectives import Objective, ScoreObjective
from ..model.state_space import LANES
from .table_info import UNROUNDED_ENDING

SHARD_BYTES = 32 << 20  # of stored values; larger layers are cut into shards of about this size
SHARDS_PER_LAYER = 16  # smaller layers are cut into so many
LEAST_SHARD_BYTES = 1 << 20  # unless the shards became smaller than this: a task takes 10 ms beside its work
LEAST_ROWS = 64
LEAST_SCORE_ROWS = 8  # the same for objectives whose rows take longer
MOST_SHARDS = 16_000  # of a table: each is a file


@dataclass(frozen=True)
class Shard:
    """A contiguous run of rows of one layer, and its part of the table."""

    filled: int  # number of filled categories of the layer
    first: int  # the rows ``layers[filled][first:end]``
    end: int
    start: int  # their values are ``table[start:stop]``
    stop: int

    @property
    def file(self) -> str:
        """Name of the file, without its folder."""
        return f"{self.filled:02d}-{self.first:08d}-{self.end:08d}.npy"

    @property
    def unrounded_file(self) -> str:
        """Name of the file with the values as computed, where the table stores fewer bits."""
        return self.file.removesuffix(".npy") + UNROUNDED_ENDING


@dataclass(frozen=True)
class ShardPlan:
    """The shards of a table."""

    shards: tuple[Shard, ...]  # In the order of the table: the layer of the full cards first

    @cached_property
    def layers(self) -> dict[int, tuple[Shard, ...]]:
        """The shards by number of filled categories, in the order in which the layers are solved."""
        found: dict[int, list[Shard]] = {}
        for shard in self.shards:
            found.setdefault(shard.filled, []).append(shard)
        return {filled: tuple(shards) for filled, shards in found.items()}

    @cached_property
    def _by_rows(self) -> dict[tuple[int, int], Shard]:
        return {(shard.filled, shard.first): shard for shard in self.shards}

    def shard(self, filled: int, first: int) -> Shard:
        """The shard of a layer that begins with a row."""
        return self._by_rows[filled, first]

    def cuts(self) -> list[list[int]]:
        """The plan as numbers, for JSON: for each layer its filled categories, then where its shards end."""
        return [[filled, *(shard.end for shard in shards)] for filled, shards in self.layers.items()]


def plan_from_cuts(objective: Objective, cuts: list[list[int]]) -> ShardPlan:
    """The plan of :meth:`ShardPlan.cuts`."""
    space, shards = objective.space, []
    if [layer[0] for layer in cuts] != [*range(space.categories, objective.first_layer - 1, -1)]:
        raise ValueError("the layers differ")
    for filled, *ends in cuts:
        starts = objective.row_starts(filled)
        firsts = [0, *ends[:-1]]
        if ends[-1] != len(starts) - 1 or any(a >= b for a, b in zip(firsts, ends, strict=True)):
            raise ValueError("the rows differ")
        shards += [
            Shard(filled, first, end, int(starts[first]), int(starts[end]))
            for first, end in zip(firsts, ends, strict=True)
        ]
    return ShardPlan(tuple(shards))


def plan_shards(objective: Objective, shard_bytes: int | None = None) -> ShardPlan:
    """Cut a table into shards."""
    size = objective.store.itemsize
    largest = shard_bytes or max(SHARD_BYTES, objective.size * size // (MOST_SHARDS // 2))
    cuts = []
    for filled in range(objective.space.categories, objective.first_layer - 1, -1):
        work = np.cumsum(row_work(objective, filled))
        layer = objective.layer_slice(filled)
        stored = (layer.stop - layer.start) * size
        count = -(-stored // largest)
        if shard_bytes is None:
            least_rows = LEAST_SCORE_ROWS if isinstance(objective, ScoreObjective) else LEAST_ROWS
            balanced = min(SHARDS_PER_LAYER, stored // LEAST_SHARD_BYTES, len(work) // least_rows)
            count = max(count, balanced, 1)
        targets = work[-1] * np.arange(1, count) / count
        ends = np.searchsorted(work, targets, side="left") + 1
        cuts.append([filled, *np.unique([*ends[ends < len(work)].tolist(), len(work)]).tolist()])
    return plan_from_cuts(objective, cuts)


def row_work(objective: Objective, filled: int) -> Ints:
    """What each row of a layer costs, in any unit: values of scores, or vectors of lanes."""
    if isinstance(objective, ScoreObjective):
        return np.diff(objective.row_starts(filled))
    space = objective.space
    lanes = space.layout.lane_count[space.layout.lane_sets[space.layers[filled]]]
    return np.asarray(-(-lanes // LANES))
