"""Tables in shards as one array: every read has the values of the table, or is refused; the store knows them."""

from __future__ import annotations

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import perfect_yatzy
import pytest
from hypothesis import given
from hypothesis import strategies as st
from perfect_yatzy import TableError, load_rules
from perfect_yatzy.kernels.table_slices import window
from perfect_yatzy.model.checked_values import BLOCK_BYTES, CheckedValues
from perfect_yatzy.model.objectives import Goals, Objective, Utility
from perfect_yatzy.strategy.verify import verify
from perfect_yatzy.tablebase import shard_file
from perfect_yatzy.tablebase.inventory import leftovers, remove, remove_leftovers, stored
from perfect_yatzy.tablebase.shard_file import PAGE_BYTES, listed_shards, open_shard, shard_header, write_shard
from perfect_yatzy.tablebase.sharded_solve import solve_sharded
from perfect_yatzy.tablebase.store import has_table, open_table, solve_to_store, table_path
from perfect_yatzy.tablebase.table_file import read_table
from perfect_yatzy.tablebase.table_info import ShardedTableInfo, TableInfo, shards_folder, with_checksum
from support.command import Run
from support.flips import flip
from support.refusals import refused
from support.seeds import examples
from support.shards import MEAN, SMALL, values_of

YATZY = Objective(load_rules("yatzy"))


@pytest.fixture(scope="module")
def solved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the table of Yatzy in shards of 200 kB, and of all goals of forced Yatzy."""
    folder = tmp_path_factory.mktemp("sharded")
    solve_sharded(YATZY, folder, shard_bytes=200_000)
    solve_sharded(Goals(load_rules("yatzy-forced")), folder, shard_bytes=30_000)
    return folder


@pytest.fixture(scope="module")
def whole(store: Path) -> np.ndarray:
    return np.asarray(open_table(YATZY, store)[1])


def opened(folder: Path, objective: Objective = YATZY) -> tuple[ShardedTableInfo, CheckedValues]:
    info, values = read_table(table_path(objective.rules, folder, objective.name), objective)
    assert isinstance(info, ShardedTableInfo)
    assert isinstance(values, CheckedValues)
    return info, values


def test_reads_have_the_values_of_the_table(solved: Path, whole: np.ndarray) -> None:
    random = np.random.default_rng(1)
    info, table = opened(solved)
    assert len(info.shards) > 40
    assert (len(table), table.dtype, table.shape) == (len(whole), whole.dtype, whole.shape)
    for place in random.integers(-len(whole), len(whole), 30).tolist():
        assert table[place] == whole[place]
    for _ in range(30):
        low, high = np.sort(random.integers(0, len(whole), 2)).tolist()
        high = min(high, low + 50_000)
        assert np.array_equal(table[low:high], whole[low:high])
        places = random.integers(0, len(whole), 5)
        assert np.array_equal(table[places], whole[places])
    assert np.array_equal(np.asarray(table), whole)
    assert not np.asarray(table).flags.writeable


def test_opening_reads_the_manifest_alone_and_a_layer_its_shards(
    solved: Path, whole: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> None:
    files: list[Path] = []
    monkeypatch.setattr(shard_file, "open_shard", lambda path: files.append(path) or open_shard(path))
    info, table = opened(solved)
    assert files == []
    _ = table[len(table) // 2]
    assert 1 <= len(files) <= 2  # two shards may share the block
    start, stop = YATZY.layer_slice(5).start, YATZY.layer_slice(4).stop
    part = window(YATZY, opened(solved)[1], 4)
    assert np.array_equal(part.values[start - part.start : stop - part.start], whole[start:stop])
    assert 0 < len(set(files)) < len(info.shards) / 2


def test_threads_read_side_by_side(solved: Path, whole: np.ndarray) -> None:
    _, table = opened(solved)
    start = threading.Barrier(4)

    def read(seed: int) -> bool:
        random = np.random.default_rng(seed)
        start.wait()
        places = random.permutation(len(whole))[:3000].reshape(-1, 30)
        return all(np.array_equal(table[part], whole[part]) for part in places)

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(read, range(4)))


def test_answers_are_those_of_the_table_in_one_file(solved: Path, store: Path) -> None:
    shards, one = (perfect_yatzy.open_strategy("yatzy", folder) for folder in (solved, store))
    card = "ones=3 sixes=24 chance=22"
    assert shards.value(card) == one.value(card)
    assert shards.holds(card, "33456", rolls_left=1) == one.holds(card, "33456", rolls_left=1)
    dice = [[3, 3, 4, 5, 6], [1, 1, 2, 2, 3]]
    batches = [strategy.best([0b1, 0b100001], [3, 27], dice, [2, 1]) for strategy in (shards, one)]
    assert np.array_equal(batches[0].value, batches[1].value)
    first, second = (perfect_yatzy.simulate(strategy, 300, seed=4) for strategy in (shards, one))
    assert np.array_equal(first.final_scores, second.final_scores)
    goals = [perfect_yatzy.reach("yatzy-forced", 170, tables=folder) for folder in (solved, store)]
    assert isinstance(goals[0].table, CheckedValues)
    assert goals[0].value("") == pytest.approx(goals[1].value(""), rel=1e-6)
    checks = list(verify(YATZY.rules, solved, states=20))  # reads all shards
    assert all(check.passed for check in checks)
    assert open_table(YATZY, store)[0].sha256[:16] in checks[0].detail


# -- damage


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A folder with a small table in shards."""
    solve_sharded(MEAN, tmp_path, shard_bytes=400)
    return shards_folder(table_path(SMALL, tmp_path))


@examples(12, 60)
@given(data=st.data())
def test_no_flipped_bit_gives_another_value(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    folder = tmp_path_factory.mktemp("flip")
    solve_sharded(MEAN, folder, shard_bytes=400)
    expected = np.asarray(open_table(MEAN, folder / "whole")[1])
    files = sorted(shards_folder(table_path(SMALL, folder)).glob("*.npy"))
    file = data.draw(st.integers(0, len(files)))
    path = [*files, table_path(SMALL, folder).with_suffix(".json")][file]
    flip(path, data.draw(st.integers(0, 1 << 20) | st.integers(-7200, -1)))
    message = ""
    try:
        found = np.asarray(open_table(MEAN, folder, solve=False)[1])
    except TableError as error:
        message = str(error)
    assert "rebuild it with: yatzy solve small" in message if message else np.array_equal(found, expected)
    assert "\n" not in message


@pytest.mark.parametrize("damage", ["missing", "truncated", "empty", "of another table", "garbage"])
def test_a_damaged_shard_is_refused(small: Path, damage: str) -> None:
    path, other = sorted(small.glob("*.npy"))[:2]
    changed = {"truncated": path.read_bytes()[:-9], "empty": b"", "of another table": other.read_bytes()}
    path.write_bytes(changed.get(damage, b"x" * 999))
    if damage == "missing":
        path.unlink()
    _, table = read_table(table_path(SMALL, small.parent), MEAN)
    found = "is missing" if damage == "missing" else "truncated or damaged|of another table"
    way_out = "rebuild it with: yatzy solve small --shards --force"
    refused(rf"{path.name} .*({found}).*{way_out}", np.asarray, table, error=TableError)


def test_a_manifest_that_does_not_fit_is_refused(small: Path) -> None:
    path = table_path(SMALL, small.parent)
    fields = json.loads(path.with_suffix(".json").read_text())
    shards = fields["shards"]
    del fields["checksum"]
    path.with_suffix(".json").write_bytes(with_checksum(fields | {"shards": shards[1:]}))
    refused("is of another table", np.asarray, read_table(path, MEAN)[1], error=TableError)
    path.with_suffix(".json").write_bytes(with_checksum(fields | {"shards": shards[:-1]}))
    refused(r"the description of the table .* is damaged", read_table, path, MEAN, error=TableError)


def test_tables_of_different_utilities_are_not_confused(tmp_path: Path) -> None:
    one, other = (Utility(SMALL, lambda total, k=k: total**k * 1.0) for k in (1, 2))
    solve_sharded(one, tmp_path)
    path = table_path(SMALL, tmp_path, "utility")
    read_table(path, one)
    refused("was made for another utility", read_table, path, other, error=TableError)


@pytest.mark.parametrize("form", ["one file", "shards"])
def test_the_description_of_the_other_form_is_refused(tmp_path: Path, form: str) -> None:
    """As left by someone who copied or removed files; opening must not solve the game again and again."""
    path = table_path(SMALL, tmp_path)
    if form == "one file":
        solve_to_store(MEAN, tmp_path)
        path.unlink()
        shards_folder(path).mkdir()
    else:
        solve_sharded(MEAN, tmp_path)
        shards_folder(path).rename(tmp_path / "elsewhere")
        path.write_bytes(b"")
    refused(r"has no manifest|is that of a table in shards", open_table, MEAN, tmp_path, error=TableError)


# -- files


@examples(8, 40)
@given(start=st.integers(0, 40_000), count=st.integers(1, 30_000), dtype=st.sampled_from([np.float32, np.float64]))
def test_a_shard_reads_back(tmp_path_factory: pytest.TempPathFactory, start: int, count: int, dtype: type) -> None:
    values = np.random.default_rng(count).random(count).astype(dtype)
    path = tmp_path_factory.mktemp("file") / "shard.npy"
    footer = write_shard(path, values, start, {"rows": [1, 2]})
    assert np.array_equal(values_of(path), values)
    shard = open_shard(path)
    assert shard.footer == footer
    assert shard.offset % PAGE_BYTES == start * values.itemsize % PAGE_BYTES
    assert shard.offset == len(shard_header(values.dtype, start, count))
    low, high = shard.part(0, 1 << 60)
    for block in range(low // BLOCK_BYTES, -(-high // BLOCK_BYTES)):
        first, last = shard.part(block * BLOCK_BYTES, (block + 1) * BLOCK_BYTES)
        data = bytearray(last - first)
        shard.read_into(memoryview(data), first)
        shard.check(first, memoryview(data))
        data[-1] ^= 1
        refused("was altered", shard.check, first, memoryview(data), error=TableError)


# -- the store


def test_the_store_lists_and_removes_tables_in_shards(small: Path) -> None:
    (entry,) = stored(small.parent)
    files = [*small.iterdir(), table_path(SMALL, small.parent).with_suffix(".json")]
    assert entry.bytes == sum(path.stat().st_size for path in files)
    assert (entry.finished, len(entry.files)) == (True, 2)
    assert leftovers(small.parent) == []
    remove(entry)
    assert list(small.parent.iterdir()) == []
    small.with_suffix(".part.shards").mkdir()
    assert [path.name.partition(".")[2] for path in remove_leftovers(small.parent)] == ["part.shards"]
    assert list(small.parent.iterdir()) == []


def test_a_table_has_one_form_at_a_time(tmp_path: Path) -> None:
    for _ in range(2):
        solve_to_store(MEAN, tmp_path)
        assert sorted(entry.suffix for entry in tmp_path.iterdir()) == [".json", ".npy"]
        assert type(read_table(table_path(SMALL, tmp_path), MEAN)[0]) is TableInfo
        solve_sharded(MEAN, tmp_path)
        assert sorted(entry.suffix for entry in tmp_path.iterdir()) == [".json", ".shards"]
        assert len(listed_shards(opened(tmp_path, MEAN)[0])) == 5
    solve_sharded(MEAN, tmp_path, shard_bytes=300)  # replaces shards
    assert len(opened(tmp_path, MEAN)[0].shards) > 5
    assert has_table(SMALL, tmp_path)
    assert solve_sharded(MEAN, tmp_path, missing_only=True) == opened(tmp_path, MEAN)[0]


def test_the_command(run: Run, tmp_path: Path) -> None:
    where = ("--tables", str(tmp_path))
    done = run("solve", "crag", "--what", "variance", "--shards", *where)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1].endswith(".shards")
    again = run("solve", "crag", "--shards", *where)
    assert "is already solved" in again.stdout
    assert again.stdout.split("solved: ")[1].split()[0].endswith(".shards")
    listed = json.loads(run("tables", "--json", *where).stdout)
    assert [(table["what"], table["finished"]) for table in listed["tables"]] == [("mean", True), ("variance", True)]
    assert run("verify", "crag", "--games", "200", *where).returncode == 0
    replaced = run("solve", "crag", "--force", *where)
    assert replaced.stdout.splitlines()[-1].endswith(".npy")
    assert run("solve", "crag", "--approximate", "--shards").returncode == 2
