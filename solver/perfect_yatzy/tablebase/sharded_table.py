"""A table in shards, read as one array.

::

    NAME.json             the manifest: a sidecar that lists the shards
    NAME.shards/          one file a shard (:mod:`.shard_file`)

The values are read as those of a large table in one file, block by block when they are needed
(:class:`perfect_yatzy.model.checked_values.CheckedValues`); a block that two shards share is in part in each. Every
query, batch and simulation reads such a table as any other, and opening it reads the manifest alone.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import replace
from pathlib import Path

import numpy as np

from ..errors import TableError
from ..model.checked_values import BLOCK_BYTES, CheckedValues
from ..model.objectives import Objective
from .objective_text import objective_digest
from .shard_file import ShardFile, open_shard
from .shard_plan import Shard
from .table_info import DAMAGED, MissingTable, ShardedTableInfo, damaged, rebuild_hint, shards_folder, unreadable


class ShardReader:
    """Reads blocks of a table from its shards."""

    def __init__(self, folder: Path, info: ShardedTableInfo, hint: str) -> None:
        self._folder, self._hint = folder, hint
        self._shards = listed_shards(info)
        self._sums = [str(shard[-1]) for shard in info.shards]
        size = np.dtype(info.dtype).itemsize
        self._starts = [shard.start * size for shard in self._shards]
        self.open: dict[int, ShardFile] = {}

    def read(self, low: int, target: memoryview) -> None:
        """Blocks of the table, checked, as :class:`CheckedValues` takes them."""
        high = low + len(target)
        number = bisect_right(self._starts, low) - 1
        while number < len(self._starts) and self._starts[number] < high:
            path = self._folder / self._shards[number].file
            try:
                shard = self.open.get(number) or self._opened(number, path)
                first, last = shard.part(low, high)
                shard.read_into(target[first - low : last - low], first)
                for start in range(low, high, BLOCK_BYTES):
                    begin, end = max(start, first), min(start + BLOCK_BYTES, last)
                    if begin < end:
                        shard.check(start // BLOCK_BYTES, target[begin - low : end - low])
            except FileNotFoundError as error:
                raise damaged(f"the shard {path} is missing; {self._hint}") from error
            except TableError as error:
                raise damaged(f"{error}; {self._hint}") from error
            except OSError as error:
                raise unreadable(path, error) from error
            number += 1

    def _opened(self, number: int, path: Path) -> ShardFile:
        shard = open_shard(path)
        if (shard.footer["blocks_sha256"], shard.start) != (self._sums[number], self._shards[number].start):
            raise damaged(f"the shard {path} is of another table")
        self.open[number] = shard
        return shard


def listed_shards(info: ShardedTableInfo) -> list[Shard]:
    """The shards of a manifest, in the order of the table."""
    starts = [0, *(int(shard[3]) for shard in info.shards[:-1])]
    return [
        Shard(int(filled), int(first), int(end), start, int(stop))
        for start, (filled, first, end, stop, _) in zip(starts, info.shards, strict=True)
    ]


def open_sharded(
    path: Path, info: ShardedTableInfo, objective: Objective, *, hashed: bool = False
) -> tuple[ShardedTableInfo, CheckedValues]:
    """Open a table in shards."""
    hint, folder = rebuild_hint(objective, path, shards=True), shards_folder(path)
    if not folder.is_dir():
        if path.is_file():
            raise damaged(f"the description of the table {path} is that of a table in shards; {hint}")
        raise MissingTable(f"there is no finished table at {folder}; {hint}")
    try:
        stops = [int(shard[3]) for shard in info.shards]
        ordered = all(a < b for a, b in zip([0, *stops], stops, strict=False))
        if not ordered or stops[-1] != info.values or info.values != objective.size:
            raise ValueError("wrong places")
        if info.objective_sha256 != objective_digest(objective):
            raise damaged(f"{folder} was made for another {objective.name}; {hint}")
        if (np.dtype(info.dtype)) != objective.store:
            raise ValueError("wrong type")
        values = CheckedValues(info.values, objective.store, ShardReader(folder, info, hint).read)
    except TableError:
        raise
    except (*DAMAGED, IndexError) as error:
        raise damaged(f"the description of the table {path} is damaged; {hint}") from error
    if hashed:
        found = values.sha256()
        if info.sha256 not in ("", found):
            raise damaged(f"the table {folder} was altered (its checksum differs); {hint}")
        info = replace(info, sha256=found)
    return info, values
