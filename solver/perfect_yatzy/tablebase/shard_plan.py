"""How a table is cut into shards, and what each of them needs.

A shard is a contiguous run of rows of one layer, and those of a layer have about equal work. It is
solved by one task and stored in one file. The cuts depend on the objective and the target size
alone. There are enough shards in a layer for several workers to finish it together, and not so many
that files and tasks cost more than the work in them.

The *halo* of a shard is the parts of the layer below that hold the children of its rows. The
children of neighbouring rows are neighbours as well, one run of rows for each chain of open boxes,
and many of these runs touch: a shard of a layer cut into 32 needs about an eighth of the layer
below, in two to five runs::

    layer k        [ first ... end )
                    /      |       \\
    layer k + 1   [run]   [  run  ]    [run]
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby, pairwise
from typing import NamedTuple

import numpy as np

from ..core.checked_values import BLOCK_BYTES, Table
from ..core.dice import Ints
from ..core.lanes import ceil_div
from ..core.objectives import Objective
from ..core.rules import RuleSet
from ..core.state_space import StateSpace
from ..core.table_info import UNROUNDED_ENDING, damaged
from ..errors import StateError, TableError
from ..game.rule_loader import rules_from_json, rules_to_json
from .quantities import QUANTITIES

SHARD_BYTES = 32 << 20  # of stored values; larger layers are cut into shards of about this size
SHARDS_PER_LAYER = 16  # smaller layers are cut into so many
# unless the shards became smaller than this: a task takes 10 ms beside its work
LEAST_SHARD_BYTES = 1 << 20
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
        return {
            filled: tuple(shards)
            for filled, shards in groupby(self.shards, lambda shard: shard.filled)
        }

    def shard(self, filled: int, first: int) -> Shard:
        """Return the shard of a layer that begins with a row."""
        return next(shard for shard in self.layers[filled] if shard.first == first)

    def cuts(self) -> list[list[int]]:
        """Return the plan as numbers, for JSON.

        Each layer has its filled categories, followed by where its shards end.
        """
        return [
            [filled, *(shard.end for shard in shards)] for filled, shards in self.layers.items()
        ]


def is_rounded(objective: Objective) -> bool:
    """Return whether a table stores other values than those computed with."""
    return objective.store != objective.compute


def unrounded_bytes(objective: Objective) -> int:
    """Return the most bytes on disk of values as computed, beside those of the table.

    They are the values of two layers.
    """
    if not is_rounded(objective):
        return 0
    layers = range(objective.first_layer, objective.space.categories + 1)
    places = [objective.layer_slice(filled) for filled in layers]
    values: list[int] = [place.stop - place.start for place in places]
    two_layers = max((above + below for above, below in pairwise(values)), default=0)
    return two_layers * objective.compute.itemsize


def plan_from_cuts(objective: Objective, cuts: list[list[int]]) -> ShardPlan:
    """Return the plan of :meth:`ShardPlan.cuts`.

    Raises ValueError if the cuts are not those of the objective.
    """
    space = objective.space
    shards: list[Shard] = []
    if [layer[0] for layer in cuts] != [*range(space.categories, objective.first_layer - 1, -1)]:
        raise ValueError("the layers differ")
    for filled, *ends in cuts:
        starts = objective.places.row_starts(filled)
        runs = [*pairwise([0, *ends])]
        if ends[-1] != len(starts) - 1 or any(first >= end for first, end in runs):
            raise ValueError("the rows differ")
        shards += [
            Shard(filled, first, end, int(starts[first]), int(starts[end])) for first, end in runs
        ]
    return ShardPlan(tuple(shards))


def plan_shards(objective: Objective, shard_bytes: int | None = None) -> ShardPlan:
    """Return the plan that cuts a table into shards of about `shard_bytes` bytes.

    By default they have SHARD_BYTES, or more where there would be too many, and smaller layers are
    cut, too, so that several workers share them.
    """
    size = objective.store.itemsize
    # Half of MOST_SHARDS, because the counts of the layers are rounded up.
    default_bytes = max(SHARD_BYTES, objective.size * size // (MOST_SHARDS // 2))
    target_bytes = shard_bytes or default_bytes
    cuts = []
    for filled in range(objective.space.categories, objective.first_layer - 1, -1):
        work = np.cumsum(objective.row_work(filled))  # up to the end of each row
        layer = objective.layer_slice(filled)
        stored = (layer.stop - layer.start) * size
        count = ceil_div(stored, target_bytes)
        if shard_bytes is None:
            most = len(work) // objective.least_shard_rows
            for_workers = min(SHARDS_PER_LAYER, stored // LEAST_SHARD_BYTES, most)
            count = max(count, for_workers, 1)
        targets = work[-1] * np.arange(1, count) / count  # equal shares of the work
        # after the row that completes a share
        ends = np.unique(np.searchsorted(work, targets, side="left") + 1)
        cuts.append([filled, *ends[ends < len(work)].tolist(), len(work)])
    return plan_from_cuts(objective, cuts)


def children(space: StateSpace, filled: int, first: int, end: int) -> Ints:
    """Return where the children of the rows ``layers[filled][first:end]`` are in the layer below.

    They are positions in ``layers[filled + 1]``, ascending.
    """
    rows = space.layers[filled][first:end]
    below = space.layers[filled + 1]
    is_child = np.zeros(len(below), dtype=np.bool_)
    for category in space.open:
        parents = rows[space.layout.masks[rows] >> category & 1 == 0]
        is_tracked = space.has_tracked_rows and category == space.rules.tracked_index
        # The tracked box may also hold points, which has rows of its own.
        for offset in (0, space.cards) if is_tracked else (0,):
            numbers = parents + int(space.step_of[category]) + offset
            # Where each is in the layer below; some are not rows of it.
            places = np.minimum(np.searchsorted(below, numbers), len(below) - 1)
            is_child[places[below[places] == numbers]] = True
    return np.flatnonzero(is_child)


@dataclass(frozen=True)
class Halo:
    """Where the values of the children of some rows are."""

    filled: int  # number of filled categories of the children
    # first and last + 1 position of each run of children in ``layers[filled]``, ascending
    rows: list[tuple[int, int]]
    # their values in the table, ascending; each is a part of the layer, and begins and ends at
    # blocks of the table, so that blocks can be checked. Runs less than a block apart are one
    runs: list[slice]
    bytes: int  # memory of the values


def halo_of(objective: Objective, filled: int, first: int, end: int) -> Halo:
    """Return the halo of the rows ``layers[filled][first:end]``."""
    positions = children(objective.space, filled, first, end)
    is_last = np.append(np.diff(positions) > 1, True)  # of a run of neighbouring rows
    is_first = np.append(True, is_last[:-1])
    firsts = positions[is_first]
    ends = positions[is_last] + 1
    starts = objective.places.row_starts(filled + 1)
    layer = objective.layer_slice(filled + 1)
    size = objective.compute.itemsize
    block = BLOCK_BYTES // size  # values of one
    runs: list[slice] = []
    for start, stop in zip(starts[firsts].tolist(), starts[ends].tolist(), strict=True):
        low = max(start // block * block, layer.start)
        high = min(ceil_div(stop, block) * block, layer.stop)
        if runs and low - runs[-1].stop <= block:  # one run with the one before
            low = runs.pop().start
        runs.append(slice(low, high))
    memory = sum(run.stop - run.start for run in runs) * size
    return Halo(filled + 1, list(zip(firsts.tolist(), ends.tolist(), strict=True)), runs, memory)


def first_needed(objective: Objective, plan: ShardPlan, filled: int) -> list[int]:
    """Return from which position on each shard of a layer may need the shards of the layer below."""
    # A child has a higher number than its parent: none comes before the first row of the layer
    # below with a higher number than the first row of the shard. The halo would tell more, but
    # takes longer to find.
    shards = plan.layers[filled]
    below = plan.layers.get(filled + 1, ())
    if not below:
        return [0] * len(shards)
    first_rows = objective.space.layers[filled][[shard.first for shard in shards]]
    next_rows = np.searchsorted(objective.space.layers[filled + 1], first_rows, side="right")
    block = BLOCK_BYTES // objective.compute.itemsize  # values of one, which is read as a whole
    starts = objective.places.row_starts(filled + 1)[next_rows] // block * block
    stops = [shard.stop for shard in below]
    positions: list[int] = np.searchsorted(stops, starts, side="right").tolist()
    return positions


class RowPart(NamedTuple):
    """Rows of a layer that are solved at a time."""

    first: int  # the rows ``layers[filled][first:end]``
    end: int
    halo: Halo


def parts_with_halo(
    objective: Objective, filled: int, first: int, end: int, most: int
) -> Iterator[RowPart]:
    """Yield the rows ``layers[filled][first:end]`` in parts that are solved at a time.

    They are halved until the halo of each part has at most `most` bytes, or the part one row.
    """
    halo = halo_of(objective, filled, first, end)
    if end - first > 1 and halo.bytes > most:
        middle = (first + end) // 2
        yield from parts_with_halo(objective, filled, first, middle, most)
        yield from parts_with_halo(objective, filled, middle, end, most)
    else:
        yield RowPart(first, end, halo)


def objective_text(objective: Objective) -> str:
    """Return an objective as JSON text, so that another process can solve a part of its table.

    The rules are in the form of :func:`perfect_yatzy.game.rule_loader.rules_to_json`::

        {"rules": "yatzy", "objective": "mean"}             or another name of QUANTITIES
        {"rules": {...}, "objective": "exponential", "rate": -0.01}
        {"rules": "yatzy", "objective": "utility", "utilities": [0.0, 1.0, ...]}      of every final score from 0 on
    """
    raw = rules_to_json(objective.rules)
    if rules_from_json(raw).fingerprint != objective.rules.fingerprint:
        raise StateError(f"the rules {objective.rules.key} cannot be written as text")
    fields = {"rules": raw, "objective": objective.name} | objective.parameters()
    return json.dumps(fields, sort_keys=True, separators=(",", ":"))


@contextmanager
def _reading_description() -> Iterator[None]:
    """Raise TableError if a part of the description of an objective is missing or malformed."""
    try:
        yield
    except (ValueError, TypeError, KeyError) as error:
        raise damaged("the description of the objective is damaged") from error


def objective_from_text(text: str, means: Callable[[RuleSet], Table]) -> Objective:
    """Return the objective of a text.

    `means` is a function that returns the table of means of its rules, if the objective needs it.
    """
    from ..objectives.exponential import ExponentialUtility
    from ..objectives.scores import Utility

    with _reading_description():
        fields = json.loads(text)
        raw = fields["rules"]
        name = fields["objective"]
    rules = rules_from_json(raw)
    if name in QUANTITIES:
        return QUANTITIES[name].objective(rules, means)
    if name == ExponentialUtility.name:
        with _reading_description():
            rate = fields["rate"]
        return ExponentialUtility(rules, rate)
    if name == Utility.name:
        with _reading_description():
            utilities = np.array(fields["utilities"], dtype=np.float64)  # of 0, 1, 2, ... points
        return Utility(rules, lambda total: np.asarray(utilities[total]))
    raise TableError(f"the objective {name!r} is unknown", code="table-damaged")
