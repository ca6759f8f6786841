"""Locks between processes: what each kind excludes, and which of them are held while files of the
store are used.

Nothing waits here: another process is an open file of its own, which asks whether it would get the
lock.
"""

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from perfect_yatzy._files import (
    being_written,
    claim,
    exclusive,
    folder_lock,
    locked_if_free,
    try_lock,
)
from perfect_yatzy.approximation import fitted_file
from perfect_yatzy.approximation.fitted_file import (
    Certificate,
    FittedValues,
    feature_count,
    read_fitted,
    write_fitted,
)
from perfect_yatzy.errors import TableError
from perfect_yatzy.settings import Settings
from perfect_yatzy.strategy.verify import fetch
from perfect_yatzy.tablebase import store, table_reader
from perfect_yatzy.tablebase.sharded_solve import driver_lock, solve_sharded
from perfect_yatzy.tablebase.store import STEM, remove_leftovers, solve_to_store, stored, table_path
from support.command import ROOT
from support.need import need
from support.shards import MEAN, SMALL, abandoned, stored_table

fcntl = need("fcntl")


def lock_of(path: Path) -> str:
    """Whether the lock of a file or folder is free, shared or exclusive."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        for kind, held in ((fcntl.LOCK_EX, "free"), (fcntl.LOCK_SH, "shared")):
            with suppress(BlockingIOError):
                fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
                return held
        return "exclusive"
    finally:
        os.close(descriptor)


@contextmanager
def claimed(path: Path) -> Iterator[None]:
    descriptor, locked = claim(path)
    assert locked is True
    try:
        assert claim_again(path) is False
        yield
    finally:
        os.close(descriptor)


def claim_again(path: Path) -> bool | None:
    """What another process finds that claims an unfinished table."""
    descriptor, locked = claim(path)
    os.close(descriptor)
    return locked


@contextmanager
def tried(path: Path) -> Iterator[None]:
    with path.open("rb") as first, path.open("rb") as second:
        assert try_lock(first.fileno()) is True
        assert try_lock(second.fileno()) is False
        yield


LOCKS: dict[str, tuple[Callable[[Path], AbstractContextManager[Any]], str]] = {
    "folder": (lambda path: folder_lock(path.parent), "exclusive"),
    "shared folder": (lambda path: folder_lock(path.parent, shared=True), "shared"),
    "exclusive": (exclusive, "exclusive"),
    "claim": (claimed, "exclusive"),
    "try": (tried, "exclusive"),
    "locked if free": (locked_if_free, "exclusive"),
    "driver": (driver_lock, "exclusive"),
    "none": (lambda path: nullcontext(), "free"),
}


@pytest.mark.parametrize("name", LOCKS)
def test_each_lock_excludes_what_it_should_until_its_block_ends(name: str, tmp_path: Path) -> None:
    """Also if the block ends with an error."""
    make, held = LOCKS[name]
    path = tmp_path / "table.part"
    locked = tmp_path if "folder" in name else path
    for error in (None, ZeroDivisionError):
        path.write_bytes(b"begun")
        with pytest.raises(error) if error else nullcontext(), make(path):
            assert lock_of(locked) == held
            in_use = locked == path and held == "exclusive"
            assert being_written(path) == in_use
            with locked_if_free(path) as free:
                assert free != in_use
            if error:
                raise error
        if path.exists():
            assert lock_of(path) == "free"
            assert not being_written(path)
        assert lock_of(tmp_path) == "free"


FINAL = re.compile(rf"{STEM}\.(npy|npz|json|shards)")  # names of what is finished


@contextmanager
def watched_changes() -> Iterator[dict[str, set[str]]]:
    """The locks under which files of finished tables are put in place or removed, by the endings
    of their names.
    """
    found: dict[str, set[str]] = {}

    def watched(change: Callable[..., None]) -> Callable[..., None]:
        def call(*paths: Any, **rest: Any) -> None:
            changed = Path(os.fsdecode(paths[-1]))
            if final := FINAL.fullmatch(changed.name):
                found.setdefault(final[4], set()).add(lock_of(changed.parent))
            change(*paths, **rest)

        return call

    with pytest.MonkeyPatch.context() as patch:
        for name in ("replace", "rename", "unlink"):  # all that `pathlib` and `shutil` call
            patch.setattr(os, name, watched(getattr(os, name)))
        yield found


def fitted(folder: Path) -> None:
    """A value function of zeros."""
    n = len(SMALL.categories)
    values = FittedValues(
        SMALL, np.zeros(n), np.zeros((n + 1, feature_count(SMALL))), None, np.zeros(0)
    )
    certificate = Certificate(
        mean=1.0,
        interval99=(0.0, 2.0),
        plain_mean=1.0,
        plain_error=0.5,
        games=100,
        upper_bound=40.0,
        exact_boxes=(),
        seed=1,
        iterations=1,
        start_value=1.0,
    )
    write_fitted(values, certificate, folder)


def in_shards(folder: Path) -> None:
    """In the place of a table in one file, and again."""
    for _ in range(2):
        solve_sharded(Settings(folder), MEAN, shard_bytes=300)


def without_sidecar(folder: Path) -> None:
    stored_table(folder).with_suffix(".json").unlink()


def fetched(folder: Path) -> None:
    (folder / "here").mkdir()
    fetch(SMALL, str(folder), folder / "here")


def solve(folder: Path) -> None:
    solve_to_store(Settings(folder), MEAN)


def solve_beside_another(folder: Path) -> None:
    """While another process has begun to."""
    writer = abandoned(folder)
    try:
        solve(folder)
    finally:
        writer.close()


Step = Callable[[Path], object]
STEPS: dict[
    str, tuple[Step, Step, str]
] = {  # what is there before, what is done, the endings of the files it changes
    "solve": (lambda folder: None, solve, "json npy"),
    "solve again": (stored_table, solve, "json npy"),
    "solve beside another": (stored_table, solve_beside_another, "json npy"),
    "shards": (stored_table, in_shards, "json npy shards"),
    "fit": (fitted, fitted, "json npz"),
    "fetch": (stored_table, fetched, "json npy"),
    "remove": (stored_table, lambda folder: store.remove(*stored(folder)), "json npy"),
    "clean": (without_sidecar, remove_leftovers, "npy"),
}


@pytest.mark.parametrize("name", STEPS)
def test_finished_files_change_under_the_lock_of_their_folder(name: str, tmp_path: Path) -> None:
    """No reader can hold it meanwhile, so nobody sees one new and one old file."""
    prepare, step, endings = STEPS[name]
    prepare(tmp_path)
    with watched_changes() as changes:
        step(tmp_path)
    assert changes == {ending: {"exclusive"} for ending in endings.split()}
    with watched_changes() as changes:
        table_path(SMALL, tmp_path).unlink(missing_ok=True)
    assert changes == {"npy": {"free"}}  # changes without the lock are seen


def test_two_files_are_read_under_the_shared_lock_of_their_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A table only after a first attempt that failed, as a file may have been replaced
    meanwhile.
    """
    seen: list[str] = []

    def watch(owner: Any, name: str, fails: bool = False) -> None:
        """Note the lock under which a function is called; its first call may fail."""
        real = getattr(owner, name)

        def watched(*given: Any, **rest: Any) -> Any:
            seen.append(lock_of(tmp_path))
            if fails and len(seen) == 1:
                raise TableError("one file is old")
            return real(*given, **rest)

        monkeypatch.setattr(owner, name, watched)

    path = stored_table(tmp_path)
    watch(table_reader, "_read", fails=True)
    table_reader.read_table(path, MEAN)
    assert seen == ["free", "shared"]
    seen.clear()

    fitted(tmp_path)
    watch(fitted_file, "checked_fields")
    read_fitted(SMALL, tmp_path)
    assert seen == ["shared"]
    seen.clear()

    watch(store, "has_table")
    solve_to_store(Settings(tmp_path), MEAN, missing_only=True)
    assert seen[-1] == "free"
    path.unlink()
    path.with_suffix(".json").unlink()
    seen.clear()
    solve_to_store(Settings(tmp_path), MEAN, missing_only=True)
    assert seen == ["free", "shared"]


WITHOUT_FLOCK = """
import sys
import filelock

assert filelock.FileLock is not filelock.SoftFileLock
sys.modules["fcntl"] = None
import threading
from pathlib import Path
from perfect_yatzy import TableError, _files
from perfect_yatzy.core.table_info import part_path
from perfect_yatzy.settings import Settings
from perfect_yatzy.tablebase.table_writer import TableWriter
from perfect_yatzy.tablebase.sharded_solve import solve_sharded
from perfect_yatzy.tablebase.store import open_table, remove, solve_to_store, stored, table_path
from support.shards import MEAN, SMALL

folder = Path(sys.argv[1])
assert not _files.HAS_LOCKS
part = part_path(table_path(SMALL, folder))
first = TableWriter(folder, MEAN)
second = TableWriter(folder, MEAN)
assert (first.contended, second.contended) == (False, True)
assert _files.being_written(part)
try:
    solve_sharded(Settings(folder), MEAN)
except TableError as error:
    assert "solved by another process" in str(error)
else:
    raise AssertionError
found = []
waiting = threading.Thread(target=lambda: found.append(open_table(Settings(folder), MEAN)))
waiting.start()
waiting.join(1.5)
assert waiting.is_alive()
second.close()
first.close()
waiting.join()
assert found[0][0].start_value is not None
assert not _files.being_written(part)
with _files.folder_lock(folder):
    try:
        with _files.folder_lock(folder, patience=0.0):
            raise AssertionError
    except TableError as error:
        assert "is locked by" in str(error)
with _files.exclusive(folder / "a.lock"):
    assert _files.being_written(folder / "a.lock")
solve_to_store(Settings(folder), MEAN)
solve_sharded(Settings(folder), MEAN)
remove(*stored(folder))
print(sorted(path.name for path in folder.iterdir() if not path.name.endswith(".lock")))
"""


@pytest.mark.full
def test_another_package_locks_where_there_is_no_flock(tmp_path: Path) -> None:
    """As on Windows: one solves a table, others wait for it."""
    need("filelock")
    command = [sys.executable, "-c", WITHOUT_FLOCK, str(tmp_path)]
    path = os.pathsep.join([str(ROOT / "tests"), os.environ.get("PYTHONPATH", "")])
    out = subprocess.run(
        command, env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True, check=False
    )
    assert (out.returncode, out.stdout) == (0, "[]\n"), out.stderr
    assert f"waiting for another process, which has locked {tmp_path}" in out.stderr
