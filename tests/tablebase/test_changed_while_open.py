"""A table whose file changes, shrinks or cannot be read while it is open: right or refused, and no signal."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from perfect_yatzy import TableError, load_rules
from perfect_yatzy.model import checked_values
from perfect_yatzy.model.checked_values import BLOCK_BYTES, CheckedValues, Table
from perfect_yatzy.model.objectives import Objective
from perfect_yatzy.tablebase.sharded_solve import solve_sharded
from perfect_yatzy.tablebase.store import solve_to_store, table_path
from perfect_yatzy.tablebase.table_file import read_table
from perfect_yatzy.tablebase.table_info import shards_folder

YATZY = Objective(load_rules("yatzy"))
PLACES = np.arange(0, YATZY.size, 6007)


@pytest.fixture(scope="module")
def solved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two folders with the table of Yatzy."""
    folder = tmp_path_factory.mktemp("solved")
    solve_to_store(YATZY, folder / "one file")
    solve_sharded(YATZY, folder / "shards", shard_bytes=200_000)
    return folder


def opened(solved: Path, folder: Path, form: str) -> Table:
    """A copy of the table, opened: small ones are read whole, large ones by blocks."""
    shutil.copytree(solved / ("shards" if form == "shards" else "one file"), folder, dirs_exist_ok=True)
    return read_table(table_path(YATZY.rules, folder), YATZY, hashed=None if form == "small" else False)[1]


def _truncate(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 3)


def _empty(path: Path) -> None:
    os.truncate(path, 0)


def _overwrite(path: Path) -> None:
    size = path.stat().st_size
    with open(path, "r+b") as file:
        file.write(b"\x11" * size)


DAMAGE: dict[str, Callable[[Path], None]] = {
    "truncated": _truncate,
    "emptied": _empty,
    "overwritten": _overwrite,
    "removed": Path.unlink,
}


@pytest.fixture(scope="module")
def whole(solved: Path) -> np.ndarray:
    return np.load(table_path(YATZY.rules, solved / "one file"))


@pytest.mark.parametrize("first_read", [False, True], ids=["unread", "in part read"])
@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.parametrize("form", ["small", "by blocks", "shards"])
def test_a_file_that_changes_while_it_is_open(
    solved: Path, tmp_path: Path, whole: np.ndarray, form: str, damage: str, first_read: bool
) -> None:
    table = opened(solved, tmp_path, form)
    if first_read:
        assert table[0] == whole[0]
    for path in [*tmp_path.glob("*.npy"), *shards_folder(table_path(YATZY.rules, tmp_path)).glob("*")]:
        DAMAGE[damage](path)
    assert isinstance(table, np.ndarray) == (form == "small")
    refused = 0
    for place in PLACES.tolist():
        try:
            assert table[place] == whole[place]
            assert table[np.array([place])] == whole[place]
        except TableError:
            refused += 1
    if form == "small" or (form, damage) == ("by blocks", "removed"):
        assert refused == 0
    else:
        assert refused > len(PLACES) // 3
        with pytest.raises(TableError):
            np.asarray(table)
    if first_read:
        assert table[0] == whole[0]


@pytest.mark.parametrize("form", ["by blocks", "shards"])
def test_a_disk_that_fails_is_an_error_of_the_request(
    solved: Path, tmp_path: Path, whole: np.ndarray, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = opened(solved, tmp_path, form)
    real_open = open

    def failing(*given: object, **options: object) -> object:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    with monkeypatch.context() as broken:
        broken.setattr(os, "preadv", failing)
        broken.setattr(
            "builtins.open",
            lambda path, *rest, **more: failing() if ".npy" in str(path) else real_open(path, *rest, **more),
        )
        for _ in range(2):
            with pytest.raises(TableError, match=r"cannot read .*Input/output error"):
                table[5]
    assert np.array_equal(np.asarray(table), whole)  # it works again


def test_old_blocks_are_given_up_and_what_refers_to_them_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.arange(400_000.0)
    blocks = values.nbytes // BLOCK_BYTES
    monkeypatch.setattr(checked_values, "KEPT_BYTES", 5 * BLOCK_BYTES)
    reads: list[tuple[int, int]] = []

    def read(low: int, target: memoryview) -> None:
        reads.append((low, len(target)))
        target[:] = values[low // 8 : (low + len(target)) // 8].data.cast("B")

    table = CheckedValues(len(values), values.dtype, read)
    per_block = BLOCK_BYTES // 8
    early = table[: 2 * per_block]
    for block in range(blocks):
        assert table[block * per_block] == block * per_block
        assert table._held.blocks <= 5
    assert np.array_equal(early, values[: 2 * per_block])
    assert np.array_equal(np.asarray(table), values)  # more than is kept, at once
    count = len(reads)
    np.asarray(table)
    assert len(reads) == count
    assert max(size for _, size in reads) <= checked_values.READ_BLOCKS * BLOCK_BYTES

    def walk(seed: int) -> bool:
        random = np.random.default_rng(seed)
        return all(
            np.array_equal(table[places], values[places])
            for places in (random.integers(-len(values), len(values), 3) for _ in range(2000))
        )

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(walk, range(4)))
