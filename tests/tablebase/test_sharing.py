"""Many threads and processes on one store: no error, no work done twice, nothing removed that is
in use.
"""

import contextlib
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest
from perfect_yatzy.core.backward_induction import solve_layers
from perfect_yatzy.core.objectives import Objective
from perfect_yatzy.errors import TableError
from perfect_yatzy.objectives.scores import Goals
from perfect_yatzy.settings import Settings
from perfect_yatzy.tablebase import store
from perfect_yatzy.tablebase.store import (
    has_table,
    leftovers,
    open_table,
    solve_to_store,
    stored,
    table_path,
)
from perfect_yatzy.tablebase.table_reader import read_table
from perfect_yatzy.tablebase.table_writer import TableWriter
from support import games
from support.refusals import refused
from support.seeds import ring_2
from support.shards import MEAN, SMALL, abandoned, stored_table

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs locks of files")

OPEN = """
import sys, json
from perfect_yatzy.core.objectives import Objective
from perfect_yatzy.settings import Settings
from perfect_yatzy.tablebase import store
from support import games
settings, objective = Settings(sys.argv[1]), Objective(games.saved_rolls_game("free", True))
solved = []
write = store.write_table
store.write_table = lambda *given: solved.append(1) or write(*given)
print("ready", flush=True)
sys.stdin.readline()
for _ in range(int(sys.argv[2])):
    if sys.argv[3] == "solve":
        store.solve_to_store(settings, objective)
    else:
        info, values = store.open_table(settings, objective)
print(info.sha256 if sys.argv[3] == "open" else "", len(solved))
"""


def run_together(folder: Path, count: int, times: int, what: str) -> list[list[str]]:
    """Let processes begin at once; the last line of each."""
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    tests = Path(__file__).resolve().parent.parent
    command = [sys.executable, "-c", OPEN, str(folder), str(times), what]
    started = [subprocess.Popen(command, text=True, cwd=tests, **pipes) for _ in range(count)]  # type: ignore[call-overload]
    for process in started:
        assert process.stdout.readline() == "ready\n"
    for process in started:
        process.stdin.write("\n")
        process.stdin.flush()
    found = []
    for process in started:
        out, errors = process.communicate(timeout=120)
        assert process.returncode == 0, errors
        found.append(out.split())
    return found


def open_by_threads(folder: Path, count: int) -> tuple[set[str], int]:
    """Let threads of this process open a missing table at once; the hashes they see, and how
    many of them solved it.
    """
    write, start = Mock(wraps=store.write_table), threading.Barrier(count)

    def open_one(_: int) -> str:
        start.wait()
        objective = Objective(games.saved_rolls_game("free", True))
        return store.open_table(Settings(folder), objective)[0].sha256

    with pytest.MonkeyPatch.context() as patch, ThreadPoolExecutor(count) as pool:
        patch.setattr(store, "write_table", write)
        return set(pool.map(open_one, range(count))), len(write.call_args_list)


def open_by_processes(folder: Path, count: int) -> tuple[set[str], int]:
    found = run_together(folder, count, 1, "open")
    return {sha256 for sha256, _ in found}, sum(int(solved) for _, solved in found)


@pytest.mark.parametrize(
    ("open_at_once", "count"), [(open_by_threads, 64), ring_2(open_by_processes, 16)]
)
def test_a_missing_table_is_solved_once(
    tmp_path: Path, open_at_once: Callable[[Path, int], tuple[set[str], int]], count: int
) -> None:
    sums, solved = open_at_once(tmp_path, count)
    assert (len(sums), solved) == (1, 1)
    assert sorted(path.suffix for path in tmp_path.iterdir()) == [".json", ".npy"]


@pytest.mark.full
def test_a_table_that_is_written_again_can_be_opened_all_the_time(tmp_path: Path) -> None:
    path = stored_table(tmp_path)
    opened = 0
    with ThreadPoolExecutor(1) as pool:
        writing = pool.submit(run_together, tmp_path, 2, 40, "solve")
        while not writing.done():
            read_table(path, MEAN)
            opened += 1
        writing.result()
    assert opened > 100


def test_a_table_that_is_removed_again_and_again_can_be_opened_all_the_time(tmp_path: Path) -> None:
    stop = threading.Event()

    def remove_often() -> None:
        while not stop.is_set():
            for entry in stored(tmp_path):
                with contextlib.suppress(TableError):  # it is just being solved
                    store.remove(entry)

    with ThreadPoolExecutor(1) as pool:
        removing = pool.submit(remove_often)
        sums = {open_table(Settings(tmp_path), Objective(SMALL))[0].sha256 for _ in range(40)}
        stop.set()
        removing.result()
    assert len(sums) == 1


@pytest.mark.parametrize("finishes", [True, False], ids=["finishes", "ends"])
def test_who_waits_is_told_how_far_the_other_is_and_takes_over_if_it_ended(
    tmp_path: Path, finishes: bool
) -> None:
    writer, layers = TableWriter(tmp_path, MEAN), list(solve_layers(MEAN))
    writer.add(layers[0].values)
    steps: list[tuple[int, int]] = []
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(
            open_table, Settings(tmp_path, progress=lambda *step: steps.append(step)), MEAN
        )
        while not steps:
            time.sleep(0.01)
        for layer in layers[1:] if finishes else ():
            writer.add(layer.values)
        known = writer.finish(0.1).sha256 if finishes else None
        writer.close()
        info, values = waiting.result()
    assert len(values) == MEAN.size
    assert known in (info.sha256, None)
    assert {total for _, total in steps} == {MEAN.size}


@pytest.mark.parametrize("finished", [False, True], ids=["never finished", "finished before"])
def test_what_a_killed_solve_left_is_found_and_removed(tmp_path: Path, finished: bool) -> None:
    if finished:
        solve_to_store(Settings(tmp_path), MEAN)
    writer = abandoned(tmp_path)
    assert leftovers(tmp_path) == store.remove_leftovers(tmp_path) == []  # in use
    writer.file.close()  # the process is killed
    assert len(leftovers(tmp_path)) == 2
    assert {path.name.partition(".")[2] for path in store.remove_leftovers(tmp_path)} == {
        "part",
        "part.layer",
    }
    assert bool(list(tmp_path.iterdir())) == finished
    assert leftovers(tmp_path) == []
    if finished:
        path = table_path(SMALL, tmp_path)
        read_table(path, MEAN)
        path.with_suffix(".json").unlink()
        assert store.remove_leftovers(tmp_path) == [path]  # values without a sidecar


def test_a_part_that_another_process_began_is_not_published(tmp_path: Path) -> None:
    """The part of a writer was removed, as one that looked empty, and somebody else has begun a
    new one.
    """
    writer = TableWriter(tmp_path, MEAN)
    layers = [layer.values for layer in solve_layers(MEAN)]
    for layer in layers:
        writer.add(layer)
    writer.part.unlink()
    writer.part.write_bytes(b"of another process")
    writer.finish(0.0)
    writer.close()
    assert np.array_equal(open_table(Settings(tmp_path), MEAN)[1], np.concatenate(layers))
    assert writer.part.read_bytes() == b"of another process"


@pytest.mark.parametrize("removed", [1, 2])
def test_interrupted_removal_leaves_no_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, removed: int
) -> None:
    """The description goes first, so that nothing looks like a table without its values."""
    stored_table(tmp_path)
    left, unlink = iter([True] * removed), store._remove_path
    monkeypatch.setattr(
        store, "_remove_path", lambda path: unlink(path) if next(left, False) else sys.exit(1)
    )
    with contextlib.suppress(SystemExit):
        store.remove(*stored(tmp_path))
    assert not [entry for entry in stored(tmp_path) if entry.finished]
    assert not has_table(SMALL, tmp_path)
    assert len(open_table(Settings(tmp_path), MEAN)[1]) == MEAN.size


def test_a_table_that_is_being_solved_again_is_not_removed_in_part(tmp_path: Path) -> None:
    for objective in (Objective(SMALL), Goals(SMALL)):
        solve_to_store(Settings(tmp_path), objective)
    (tmp_path / "README.md").write_text("not a table")
    writer = abandoned(tmp_path)
    before = sorted(tmp_path.iterdir())
    said = "is being solved by another process; nothing was removed"
    refused(said, store.remove, *stored(tmp_path), error=TableError)
    assert sorted(tmp_path.iterdir()) == before
    writer.close()
    store.remove(*stored(tmp_path))
    assert [path.name for path in tmp_path.iterdir()] == ["README.md"]


@pytest.mark.parametrize("target", ["nowhere", "itself"])
def test_a_link_in_place_of_an_unfinished_table(tmp_path: Path, target: str) -> None:
    part = table_path(SMALL, tmp_path).with_suffix(".part")
    part.symlink_to(tmp_path / "elsewhere" if target == "nowhere" else part)
    assert [entry.finished for entry in stored(tmp_path)] == [False]
    assert leftovers(tmp_path) == [part]
    open_table(Settings(tmp_path), Objective(SMALL))
    assert not (tmp_path / "elsewhere").exists()
    assert [entry.finished for entry in stored(tmp_path)] == [True]


def test_tables_are_found_by_the_names_of_the_list(tmp_path: Path) -> None:
    other = games.saved_rolls_game("free", False)  # another game under the same key
    for objective in (MEAN, Goals(SMALL), Objective(other)):
        solve_to_store(Settings(tmp_path), objective)
    entries = stored(tmp_path)
    assert len({entry.name for entry in entries}) == 3
    for entry in entries:
        assert (
            store.matching(entries, entry.name)
            == store.matching(entries, entry.name[:-6])
            == [entry]
        )
    assert store.matching(entries, "small") == entries
    means = {entry.fingerprint for entry in store.matching(entries, "small-mean")}
    assert means == {SMALL.fingerprint[:12], other.fingerprint[:12]}
    assert len(store.matching(entries, "small-goals")) == 1
    assert store.matching(entries, "smal") == store.matching(entries, "") == []


def test_a_folder_that_cannot_be_written_is_one_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As `tables --clean` and `--remove` meet it in another user's folder."""
    (tmp_path / f"yatzy-mean-{'0' * 12}.part").write_bytes(b"")
    monkeypatch.setattr(Path, "unlink", Mock(side_effect=PermissionError(13, "Permission denied")))
    for call in (lambda: store.remove_leftovers(tmp_path), lambda: store.remove(*stored(tmp_path))):
        refused(r"cannot remove .*\.part: Permission denied", call, error=TableError)
