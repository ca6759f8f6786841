"""Damaged files, also while they are open, are refused or harmless: no answer from bytes that
were not checked.
"""

import errno
import json
import os
import random
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import product
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest
from perfect_yatzy import State, TableError, load_rules
from perfect_yatzy._files import read_array
from perfect_yatzy.core import checked_values, table_file
from perfect_yatzy.core.checked_values import BLOCK_BYTES, CheckedValues, Table
from perfect_yatzy.core.objectives import Objective
from perfect_yatzy.core.table_file import npy_header
from perfect_yatzy.core.table_info import shards_folder, with_checksum
from perfect_yatzy.core.table_slices import window
from perfect_yatzy.objectives.scores import Goals
from perfect_yatzy.settings import Settings
from perfect_yatzy.strategy.turn_evaluator import ScoreEvaluator, TurnEvaluator
from perfect_yatzy.tablebase.checkpoint import store_layer, stored_layer
from perfect_yatzy.tablebase.in_memory import solve_values
from perfect_yatzy.tablebase.sharded_solve import solve_sharded
from perfect_yatzy.tablebase.store import open_table, solve_to_store, table_path
from perfect_yatzy.tablebase.table_reader import read_table
from perfect_yatzy.tablebase.work_identity import WorkIdentity
from support import games
from support.flips import flip
from support.refusals import refused
from support.seeds import ring_2
from support.shards import MEAN, SMALL, stored_table

JOKER = games.joker_game("free")


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of 64 bytes, so that a small table has many."""
    for module in (checked_values, table_file):
        monkeypatch.setattr(module, "BLOCK_BYTES", 64)


@pytest.mark.parametrize("hashed", [True, False], ids=["hashed whole", "hashed by block"])
@pytest.mark.parametrize("kind", [Objective, Goals])
def test_no_flipped_bit_does_harm(
    tmp_path: Path, small_blocks: None, kind: type[Objective], hashed: bool
) -> None:
    objective = kind(SMALL)
    path = stored_table(tmp_path, objective)
    whole = np.asarray(read_table(path, objective)[1])
    chosen, messages = random.Random(1), list[str]()
    for file in (path, path.with_suffix(".json")):
        header = range(128 * 8) if file == path else ()
        for bit in [*header, *chosen.sample(range(file.stat().st_size * 8), 300)]:
            flip(file, bit)
            try:
                info, values = read_table(path, objective, hashed=hashed)
                assert np.array_equal(np.asarray(values), whole)
                assert info.start_value == objective.start_value(whole)
            except TableError as error:
                messages.append(str(error))
            flip(file, bit)
    assert len(messages) > 1500
    assert all(
        "\n" not in text and "rebuild it with: yatzy solve small" in text for text in messages
    )
    assert np.array_equal(np.asarray(read_table(path, objective, hashed=hashed)[1]), whole)


@pytest.mark.filterwarnings("ignore:Reading `.npy`")  # of NumPy, for what may be of Python 2
@pytest.mark.parametrize("mapped", [False, True])
def test_a_damaged_header_of_an_array_is_one_kind_of_error(tmp_path: Path, mapped: bool) -> None:
    """Each flipped bit of the header and each cut: an array or a ValueError."""
    whole, path = np.arange(225, dtype=np.float64).reshape(75, 3), tmp_path / "array.npy"
    np.save(path, whole)
    content = path.read_bytes()
    damaged = [content[:end] for end in range(200)]
    for place, bit in product(range(128), range(8)):
        changed = bytearray(content)
        changed[place] ^= 1 << bit
        damaged.append(bytes(changed))
    refused = 0
    for each in damaged:
        path.write_bytes(each)
        try:
            read_array(path, mapped=mapped)
        except ValueError:
            refused += 1
    assert refused > len(damaged) // 2
    path.write_bytes(content)
    assert np.array_equal(read_array(path, mapped=mapped), whole)


@pytest.mark.filterwarnings("ignore:Reading `.npy`")
def test_a_checkpoint_with_any_flipped_bit_of_its_header_is_computed_again(tmp_path: Path) -> None:
    path = tmp_path / "array.part.layer"
    identity = WorkIdentity("fingerprint", "mean", "parameters", "sources")
    values = np.arange(225, dtype=np.float64).reshape(75, 3)
    store_layer(path, identity, values, layer=3)
    for bit in range(8 * 128):
        flip(path, bit)
        found = stored_layer(path, identity)
        assert found is None or np.array_equal(found[0], values)
        flip(path, bit)
    assert stored_layer(path, identity) is not None


def test_the_header_is_that_of_numpy(tmp_path: Path) -> None:
    path = stored_table(tmp_path)
    np.save(tmp_path / "by-numpy.npy", np.load(path))
    assert path.read_bytes()[:128] == (tmp_path / "by-numpy.npy").read_bytes()[:128]
    assert len(npy_header(np.dtype(np.float64), 10**18)) == 128


def checked_table(values: np.ndarray, damaged: int | None = None) -> CheckedValues:
    content = values.copy()
    if damaged is not None:
        content[damaged] += 1

    def read(low: int, target: memoryview) -> None:
        places = slice(low // values.itemsize, (low + len(target)) // values.itemsize)
        if not np.array_equal(content[places], values[places]):
            raise TableError("damaged")
        target[:] = content[places].data.cast("B")

    return CheckedValues(len(values), values.dtype, read)


READS: dict[str, Callable[[CheckedValues, int], object]] = {
    "number": lambda table, place: table[place],
    "from the end": lambda table, place: table[place - len(table)],
    "array": lambda table, place: table[np.array([3, place])],
    "array from the end": lambda table, place: table[np.array([3, place - len(table)])],
    "rows": lambda table, place: table[np.array([[3], [place]])],
    "slice": lambda table, place: table[place - 1 : place + 1],
    "slice backwards": lambda table, place: table[place + 1 : place - 1 : -1],
    "slice from the end": lambda table, place: table[place - len(table) :],
    "mask": lambda table, place: table[np.arange(len(table)) == place],
    "unsigned": lambda table, place: table[np.array([place], np.uint64)],
    "list": lambda table, place: table[[place]],  # type: ignore[call-overload]
    "whole": lambda table, place: np.asarray(table),
    "converted": lambda table, place: np.asarray(table, np.float64),
    "sum": lambda table, place: sum(table),
}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", READS)
def test_every_read_is_checked(name: str, dtype: type) -> None:
    """The result is that of an array, and a damaged value never gets out, wherever it stands in
    its block.
    """
    values, read = np.arange(40_000, dtype=dtype), READS[name]
    per_block = BLOCK_BYTES // values.itemsize
    for place in (per_block, 2 * per_block - 1, 2 * per_block + 1, 39_998):
        expected = read(values, place)  # type: ignore[arg-type]
        assert np.array_equal(read(checked_table(values), place), expected)
        table = checked_table(values, damaged=place)
        table[: per_block // 2]
        for _ in range(2):  # also the second time
            refused(r"^damaged$", read, table, place, error=TableError)


def test_only_what_is_read_is_hashed() -> None:
    values = np.arange(40_000.0)
    table = checked_table(values, damaged=39_999)
    assert table[0] == 0
    assert np.array_equal(table[8_000:30_000], values[8_000:30_000])
    assert np.array_equal(table[np.array([], np.int64)], values[:0])
    assert np.array_equal(table[20:10], values[:0])
    with pytest.raises(IndexError):
        table[40_000]
    refused("damaged", table.__getitem__, -1, error=TableError)


@pytest.mark.parametrize("rules", [ring_2(SMALL), JOKER], ids=["saved rolls", "joker"])
def test_turns_and_goals_read_only_checked_blocks(
    tmp_path: Path, small_blocks: None, rules: games.RuleSet
) -> None:
    """Each block in turn is damaged: an answer that needs it is refused, another is as before."""
    goals = Goals(rules)
    of_goals = partial(ScoreEvaluator, goals, means=TurnEvaluator(rules, solve_values(rules)))
    for objective, evaluator_of in (
        (Objective(rules), partial(TurnEvaluator, rules)),
        (goals, of_goals),
    ):
        path = stored_table(tmp_path, objective)
        whole = np.asarray(open_table(Settings(tmp_path), objective)[1])
        expected = evaluator_of(values=whole).turn_value(State(1))
        layer, below, refused = objective.layer_slice(1), objective.layer_slice(2), 0
        for place in range(0, len(whole), 8):
            flip(path, 8 * (128 + place * whole.itemsize) + 3)
            table = read_table(path, objective, hashed=False)[1]
            try:
                assert evaluator_of(values=table).turn_value(State(1)) == expected
            except TableError:
                refused += 1
            if below.start <= place < layer.stop:
                with pytest.raises(TableError):
                    window(objective, table, 1)
            flip(path, 8 * (128 + place * whole.itemsize) + 3)
        assert 0 < refused < len(range(0, len(whole), 8))


SIDECARS = {
    "unfinished": b"{",
    "nested": b"[" * 100_000,
    "nested object": b'{"a":' * 100_000,
    "infinite": b'{"format": 2, "rounding": 1e999}',
    "list": b"[1]",
    "number": b"7",
    "null": b"null",
    "no utf-8": b"\xff\xfe",
    "long integer": b'{"format": ' + b"9" * 5000 + b"}",
    "empty": b"",
}


@pytest.mark.parametrize("name", SIDECARS)
def test_whatever_a_sidecar_contains_is_one_sentence(tmp_path: Path, name: str) -> None:
    path = stored_table(tmp_path)
    path.with_suffix(".json").write_bytes(SIDECARS[name])
    way_out = rf"the description of the table .* is damaged; rebuild it with: yatzy solve small --force --tables {tmp_path}$"
    assert refused(way_out, read_table, path, MEAN, error=TableError).code == "table-damaged"


def test_a_field_changed_by_hand_is_refused(tmp_path: Path) -> None:
    path = stored_table(tmp_path)
    sidecar = path.with_suffix(".json")
    about = json.loads(sidecar.read_text())
    for field, value in {
        "rounding": None,
        "start_value": 1.0,
        "dtype": "float32",
        "values": 3,
    }.items():
        sidecar.write_text(json.dumps(about | {field: value}))
        refused("is damaged", read_table, path, MEAN, error=TableError)
    del about["checksum"]
    for field, value in {"dtype": "float32", "values": 3}.items():  # with a new checksum, too
        sidecar.write_bytes(with_checksum(about | {field: value}))
        refused(
            r"is truncated or damaged|header .* is damaged",
            read_table,
            path,
            MEAN,
            error=TableError,
        )


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything"
)
@pytest.mark.parametrize("ending", [".npy", ".json"])
def test_an_unreadable_table_is_not_called_damaged(tmp_path: Path, ending: str) -> None:
    path = stored_table(tmp_path)
    path.with_suffix(ending).chmod(0)
    refused(
        r"cannot read the table .*: Permission denied", read_table, path, MEAN, error=TableError
    )


def test_a_folder_in_place_of_a_file_is_unreadable(tmp_path: Path) -> None:
    path = stored_table(tmp_path)
    path.unlink()
    path.mkdir()
    refused(
        r"cannot read the table .*: it is not a regular file",
        read_table,
        path,
        MEAN,
        error=TableError,
    )


YATZY = Objective(load_rules("yatzy"))
PLACES = np.arange(0, YATZY.size, 6007)


@pytest.fixture(scope="module")
def solved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two folders with the table of Yatzy."""
    folder = tmp_path_factory.mktemp("solved")
    solve_to_store(Settings(folder / "one file"), YATZY)
    solve_sharded(Settings(folder / "shards"), YATZY, shard_bytes=200_000)
    return folder


def opened(solved: Path, folder: Path, form: str) -> Table:
    """A copy of the table, opened: small ones are read whole, large ones by blocks."""
    shutil.copytree(
        solved / ("shards" if form == "shards" else "one file"), folder, dirs_exist_ok=True
    )
    return read_table(
        table_path(YATZY.rules, folder), YATZY, hashed=None if form == "small" else False
    )[1]


DAMAGE: dict[str, Callable[[Path], object]] = {
    "truncated": lambda path: os.truncate(path, path.stat().st_size // 3),
    "emptied": lambda path: os.truncate(path, 0),
    "overwritten": lambda path: path.write_bytes(b"\x11" * path.stat().st_size),
    "removed": Path.unlink,
}


@pytest.fixture(scope="module")
def whole(solved: Path) -> np.ndarray:
    return np.load(table_path(YATZY.rules, solved / "one file"))


@pytest.mark.parametrize("first_read", [False, True], ids=["unread", "in part read"])
@pytest.mark.parametrize(
    ("form", "damage"), [*product(("by blocks", "shards"), DAMAGE), ("small", "truncated")]
)
def test_a_file_that_changes_while_it_is_open(
    solved: Path, tmp_path: Path, whole: np.ndarray, form: str, damage: str, first_read: bool
) -> None:
    table = opened(solved, tmp_path, form)
    if first_read:
        assert table[0] == whole[0]
    for path in [
        *tmp_path.glob("*.npy"),
        *shards_folder(table_path(YATZY.rules, tmp_path)).glob("*"),
    ]:
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
    real_open, failing = os.open, Mock(side_effect=OSError(errno.EIO, os.strerror(errno.EIO)))
    with monkeypatch.context() as broken:
        broken.setattr(os, "preadv", failing)
        broken.setattr(
            os,
            "open",
            lambda path, *rest, **more: (
                failing() if ".npy" in str(path) else real_open(path, *rest, **more)
            ),
        )
        for _ in range(2):
            refused(r"cannot read .*Input/output error", table.__getitem__, 5, error=TableError)
    assert np.array_equal(np.asarray(table), whole)  # it works again


def test_old_blocks_are_given_up_and_what_refers_to_them_stays(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
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
        drawn = np.random.default_rng(seed).integers(-len(values), len(values), (500, 3))
        return all(np.array_equal(table[places], values[places]) for places in drawn)

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(walk, range(4)))
