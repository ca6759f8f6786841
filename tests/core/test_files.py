"""Files of every kind with something else in their place: each is refused in one line or counts as
absent, and nothing is waited for; and what happens where nothing can be written.
"""

import errno
import os
import signal
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from perfect_yatzy import SolverError, TableError, _files, load_rules, open_strategy, words
from perfect_yatzy._files import (
    Waiting,
    being_written,
    exclusive,
    folder_lock,
    lock_holder,
    open_output,
    read_file,
)
from perfect_yatzy.approximation.fitted_file import fitted_path, read_fitted
from perfect_yatzy.core.state import EMPTY_STATE
from perfect_yatzy.core.table_info import part_path, read_info, shards_folder
from perfect_yatzy.errors import StorageError
from perfect_yatzy.objectives.scores import Goals
from perfect_yatzy.play.record import check_writable, read_games, write_games
from perfect_yatzy.play.session import SaveFile
from perfect_yatzy.policies.named import open_policy
from perfect_yatzy.policies.strategy_sheet import StrategySheet, find_sheet
from perfect_yatzy.policies.user_code import file_attribute
from perfect_yatzy.settings import Settings
from perfect_yatzy.strategy.distribution import distribution_path, read_stored
from perfect_yatzy.strategy.verify import copy
from perfect_yatzy.tablebase import machine
from perfect_yatzy.tablebase.checkpoint import checkpoint_path, stored_layer
from perfect_yatzy.tablebase.shard_file import open_shard
from perfect_yatzy.tablebase.shard_task import PLAN_FILE, read_plan
from perfect_yatzy.tablebase.sharded_solve import solve_sharded
from perfect_yatzy.tablebase.store import (
    finished_by_other,
    has_table,
    leftovers,
    open_table,
    solve_to_store,
    table_path,
)
from perfect_yatzy.tablebase.table_reader import read_table
from perfect_yatzy.two_players.two_player_table import TwoPlayerTable, stored_game
from perfect_yatzy.two_players.two_players import TwoPlayerGame
from perfect_yatzy.two_players.versus import versus
from support.command import Run, refusal
from support.need import need
from support.refusals import refused
from support.shards import MEAN, SMALL, abandoned, stored_table
from support.waiting import PATIENCE

Read = Callable[[Path], object]


@pytest.fixture(autouse=True)
def in_time() -> Iterator[None]:
    """A call that waits for ever is a failure, not the end of the tests."""

    def stop(number: int, frame: object) -> None:
        raise AssertionError("it waits for ever")

    if not hasattr(signal, "SIGALRM"):
        yield
        return
    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(int(PATIENCE))
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture(autouse=True)
def nothing_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(words, "_said", set())


def with_sidecar(folder: Path) -> Path:
    return stored_table(folder).with_suffix(".json")


def in_shards(folder: Path) -> Path:
    solve_sharded(Settings(folder), MEAN, shard_bytes=300)
    return next(shards_folder(table_path(SMALL, folder)).glob("*.npy"))


def kernel(path: Path) -> object:
    from perfect_yatzy._kernel_cache import CheckedCacheFile

    return CheckedCacheFile(str(path.parent), "name", "stamp")._read(str(path))


def array(path: Path) -> object:
    return open_policy(str(path), "yatzy-forced")


def in_folder(read: Read) -> Read:
    """A reader of the file with this name in a store."""
    return lambda path: read(path.parent)


# kind: the file, from the folder; its reader; whether a file that cannot be read counts as absent
KINDS: dict[str, tuple[Callable[[Path], Path], Read, bool]] = {
    "table": (stored_table, lambda path: read_table(path, MEAN), False),
    "sidecar": (with_sidecar, lambda path: read_info(path.with_suffix(".npy"), MEAN), False),
    "shard": (in_shards, open_shard, False),
    "plan": (
        lambda folder: folder / PLAN_FILE,
        in_folder(lambda folder: read_plan(folder, MEAN)),
        True,
    ),
    "checkpoint": (
        lambda folder: checkpoint_path(table_path(SMALL, folder)),
        lambda path: stored_layer(path, SMALL),
        True,
    ),
    "distribution": (
        lambda folder: distribution_path(SMALL, folder),
        in_folder(lambda folder: read_stored(SMALL, EMPTY_STATE, folder)),
        True,
    ),
    "fitted function": (
        lambda folder: fitted_path(SMALL, folder),
        in_folder(lambda folder: read_fitted(SMALL, folder)),
        False,
    ),
    "stored game": (
        lambda folder: table_path(SMALL, folder, "versus").with_suffix(".json"),
        in_folder(lambda folder: TwoPlayerTable(SMALL, 0.5, folder)),
        False,
    ),
    "sheet": (lambda folder: folder / "a.json", StrategySheet.load, False),
    "record": (lambda folder: folder / "games.jsonl", read_games, False),
    "saved game": (lambda folder: folder / "game.json", SaveFile, False),
    "download": (
        lambda folder: folder / "table.npy",
        lambda path: copy(str(path), path.with_name("copy"), 1000),
        False,
    ),
    "kernel": (lambda folder: folder / "kernel.nbi", kernel, False),
    "rule file": (lambda folder: folder / "rules.toml", load_rules, False),
    "policy": (
        lambda folder: folder / "policy.py",
        lambda path: file_attribute(str(path), "play"),
        False,
    ),
    "values of a policy": (lambda folder: folder / "values.npy", array, False),
    "unfinished table": (
        lambda folder: part_path(table_path(SMALL, folder)),
        in_folder(lambda folder: finished_by_other(Settings(folder), MEAN)),
        False,
    ),
    "lock of a proof": (
        lambda folder: folder / "a.lock",
        lambda path: exclusive(path).__enter__(),
        False,
    ),
}


def huge(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(1 << 40)


def not_to_be_read(path: Path) -> None:
    path.write_bytes(b"x")
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("this user may read everything")


OBSTACLES: dict[str, Callable[[Path], object]] = {
    "pipe": lambda path: os.mkfifo(path),
    "folder": Path.mkdir,
    "device": lambda path: path.symlink_to("/dev/zero"),
    "huge": huge,
    "not to be read": not_to_be_read,
    "link to itself": lambda path: path.symlink_to(path),
}
# kinds that may be of any size: two are not read, of a download only the first bytes are
LOCKED = {"unfinished table", "lock of a proof", "download"}


@pytest.mark.parametrize("obstacle", OBSTACLES)
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_no_file_of_ours_is_refused_at_once(
    kind: str, obstacle: str, tmp_path: Path
) -> None:
    if os.name == "nt":
        pytest.skip("there are no such files")
    place, read, is_absent = KINDS[kind]
    path = place(tmp_path)
    path.unlink(missing_ok=True)
    OBSTACLES[obstacle](path)
    if kind == "fitted function":
        path.with_suffix(".json").write_bytes(b"{}")
    if kind == "unfinished table" and path.is_symlink():
        is_absent = True
    if kind in LOCKED and obstacle == "huge":
        read(path)
        return
    if is_absent:
        assert read(path) is None
        return
    with pytest.raises((OSError, SolverError)) as caught:
        read(path)
    assert "\n" not in str(caught.value)
    assert str(caught.value)


NAMED = ("shard", "rule file", "policy", "values of a policy", "sheet", "record", "saved game")


@pytest.mark.parametrize("kind", [*NAMED, "download", "kernel", "lock of a proof"])
def test_a_name_that_is_too_long_is_refused(kind: str, tmp_path: Path) -> None:
    place, read, _ = KINDS[kind]
    with pytest.raises((OSError, SolverError)) as caught:
        read(tmp_path / f"{'x' * 300}{place(tmp_path).suffix}")
    assert "\n" not in str(caught.value)


def unsearchable(folder: Path) -> Path:
    folder.mkdir(0)
    if os.access(folder, os.X_OK):
        pytest.skip("this user may search every folder")
    return folder


def below_a_file(folder: Path) -> Path:
    folder.write_bytes(b"")
    return folder / "tables"


NO_PLACES: dict[str, Callable[[Path], Path]] = {
    "not to be searched": unsearchable,
    "below a file": below_a_file,
    "too long a name": lambda folder: folder / ("x" * 300),
    "too long a path": lambda folder: folder / ("x/" * 3000),
    "a pipe": lambda folder: (os.mkfifo(folder), folder)[1],
    "below a link to itself": lambda folder: (folder.symlink_to(folder), folder / "x")[1],
    "a disk of the system": lambda folder: Path("/proc/tables"),
}


@pytest.mark.parametrize("name", NO_PLACES)
def test_a_folder_that_cannot_be_used_is_empty_and_answers_come_from_memory(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With one line on standard error, however often."""
    folder = NO_PLACES[name](tmp_path / "place")
    assert not has_table(SMALL, folder)
    assert find_sheet(SMALL, folder) is None
    assert stored_game(TwoPlayerGame(SMALL), folder) is None
    assert read_stored(SMALL, EMPTY_STATE, folder) is None
    expected = np.asarray(open_table(Settings(tmp_path / "stored"), MEAN)[1])
    assert capsys.readouterr().err == ""
    for objective, values in ((MEAN, expected), (MEAN, expected), (Goals(SMALL), None)):
        info, found = open_table(Settings(folder), objective)
        assert info is None
        assert values is None or np.array_equal(np.asarray(found), values)
    assert open_strategy(SMALL, folder).value() == open_strategy(SMALL, tmp_path / "stored").value()
    assert versus(SMALL, tables=folder).first == versus(SMALL, tables=tmp_path / "stored").first
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "choose a folder with the parameter tables; this answer is computed in memory" in said
    error = refused("cannot write", solve_to_store, Settings(folder), MEAN, error=StorageError)
    assert "--" not in str(error)
    refused("cannot write", solve_sharded, Settings(folder), MEAN, error=StorageError)


def test_the_command_answers_from_memory_and_what_only_writes_refuses(
    run: Run, tiny: str, tmp_path: Path
) -> None:
    """The command names its option."""
    (tmp_path / "file").write_bytes(b"")
    tables = ("--tables", str(tmp_path / "file" / "x"))
    advice = "Not a directory; choose a folder with --tables"
    for asked in (("hold", "34"), ("score", "34"), ("expect",), ("hold", "34", "--goal", "9")):
        words._said.clear()
        out = run(*asked, "--rules", tiny, *tables)
        assert (out.returncode, out.stderr.count("\n")) == (0, 1), out
        assert f"{advice}; this answer is computed in memory\n" in out.stderr
        assert out.stdout == run(*asked, "--rules", tiny).stdout
    for asked in (("solve", tiny), ("solve", tiny, "--shards"), ("solve", tiny, "--exact")):
        assert advice in refusal(run, *asked, *tables, code=1)
    assert words.option_name("tables") == "the parameter tables"


def test_the_reserve_of_a_disk_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda folder: SimpleNamespace(free=200_000))
    said = "has 0.1 MB free; the table needs 0.1 MB, and 16 MB must stay free; choose"
    refused(said, solve_to_store, Settings(tmp_path / "a"), MEAN, error=StorageError)
    refused(said, solve_sharded, Settings(tmp_path / "a"), MEAN, error=StorageError)
    assert [*(tmp_path / "a").iterdir()] == []


def test_a_full_disk_leaves_neither_a_part_nor_a_folder_of_shards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    class Full:
        def __init__(self, file: Any) -> None:
            self.file = file

        def write(self, data: object) -> int:
            raise full

        def __getattr__(self, name: str) -> Any:
            return getattr(self.file, name)

        def __enter__(self) -> Any:
            return self

        def __exit__(self, *_: object) -> None:
            self.file.close()

    real = os.fdopen
    for solve in (solve_to_store, solve_sharded):
        with monkeypatch.context() as patch:
            patch.setattr(os, "fdopen", lambda *args, **rest: Full(real(*args, **rest)))
            refused("No space left", solve, Settings(tmp_path), MEAN, error=StorageError)
        assert [*tmp_path.iterdir()] == []


HOLDER = """
import fcntl, os, sys
descriptor = os.open(sys.argv[1], os.O_RDONLY)
fcntl.flock(descriptor, fcntl.LOCK_EX)
print("locked", flush=True)
sys.stdin.read()
"""


def test_who_waits_for_another_process_says_for_which(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    need("fcntl")
    monkeypatch.setattr(_files, "SAID_AFTER", 0.0)
    abandoned(tmp_path).close()
    part = part_path(table_path(SMALL, tmp_path))
    holder = [sys.executable, "-c", HOLDER, str(part)]
    with subprocess.Popen(holder, stdin=-1, stdout=-1, text=True) as process:
        assert process.stdout
        assert process.stdin
        assert process.stdout.readline() == "locked\n"
        assert being_written(part)
        assert lock_holder(part) in (process.pid, None)  # some systems do not tell it
        wait = Waiting(part, said_after=0.0)
        for _ in range(3):
            wait.sleep()
        name = f"process {process.pid}" if lock_holder(part) else "another process"
        assert capsys.readouterr().err == f"yatzy: waiting for {name}, which has locked {part}\n"
        with (
            pytest.raises(TableError, match=f"{part} is locked by {name}"),
            folder_lock(part, patience=0.0),
        ):
            pass
        process.stdin.close()
        process.wait()
    assert finished_by_other(Settings(tmp_path), MEAN) is None
    assert not capsys.readouterr().err


def test_threads_of_this_process_wait_without_a_word(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(_files, "lock_holder", lambda path: os.getpid())
    Waiting(tmp_path, said_after=0.0).sleep()
    assert capsys.readouterr().err == ""


def test_a_part_that_another_user_has_is_an_error_of_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not a wait without an end; root is refused nothing, so the system is told to."""
    part = part_path(table_path(SMALL, tmp_path))
    part.write_bytes(b"x")
    real = os.open

    def refusing(path: Any, *rest: Any) -> int:
        if str(path) == str(part):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        return real(path, *rest)

    monkeypatch.setattr(os, "open", refusing)
    said = rf"cannot write a table to .*: {part.name}: Permission denied; choose a folder"
    for call in (finished_by_other, solve_to_store, solve_sharded):
        refused(said, call, Settings(tmp_path), MEAN, error=StorageError)
    assert open_table(Settings(tmp_path), MEAN)[0] is None
    assert leftovers(tmp_path) == []


def test_a_pipe_that_nobody_reads_and_a_device_as_outputs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_files, "READER_SECONDS", 0.0)
    os.mkfifo(tmp_path / "pipe")
    for call in (open_output, check_writable, lambda path: write_games(path, [])):
        with pytest.raises(OSError, match=r"nobody reads it|not a regular file"):
            call(tmp_path / "pipe")
    with open_output("/dev/null") as file:
        file.write(b"x")
    descriptor = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    with open_output(tmp_path / "pipe") as file:
        file.write(b"read")
    assert os.read(descriptor, 9) == b"read"
    os.close(descriptor)


def test_a_file_is_read_up_to_its_limit(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"12345")
    assert read_file(path, 5) == b"12345"
    with pytest.raises(OSError, match="it is larger than 4 bytes") as caught:
        read_file(path, 4)
    assert caught.value.errno == errno.EFBIG
    if Path("/proc/self/status").exists():  # of unknown size
        with pytest.raises(OSError, match="it is larger than 4 bytes"):
            read_file("/proc/self/status", 4)


def test_memory_where_there_is_no_proc(monkeypatch: pytest.MonkeyPatch) -> None:
    psutil = need("psutil")

    def missing(path: Path, **rest: Any) -> str:
        raise FileNotFoundError

    monkeypatch.setattr(Path, "read_text", missing)
    monkeypatch.setattr(psutil, "virtual_memory", lambda: SimpleNamespace(available=7))
    assert machine.available_memory() == 7
    monkeypatch.setitem(sys.modules, "psutil", None)
    assert machine.available_memory() is None


@pytest.mark.parametrize("end", ["os._exit(3)", "sys.exit(3)"])
@pytest.mark.parametrize("place", ["at once", "in a turn"])
def test_code_of_a_user_does_not_end_the_program(
    end: str, place: str, run: Run, tmp_path: Path
) -> None:
    path = tmp_path / "policy.py"
    now = end if place == "at once" else "pass"
    path.write_text(f"import os, sys\n{now}\ndef play(turn):\n    {end}\n")
    run("hold", "33456", "--rules", "yatzy-forced")  # solves it, with a line
    out = run("evaluate", f"{path}:play", "--rules", "yatzy-forced")
    assert (out.returncode, out.stdout, out.stderr.count("\n")) == (2, "", 1), out
    assert ("os._exit(3)" if "_" in end else "SystemExit: 3" if place == "in a turn" else "3") in (
        out.stderr
    )


@pytest.mark.full
def test_a_package_in_an_archive_says_so(tmp_path: Path) -> None:
    package, archive = Path(_files.__file__).parent, tmp_path / "package.zip"
    with zipfile.ZipFile(archive, "w") as file:
        for path in package.rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                file.write(path, path.relative_to(package.parent))
    code = "import perfect_yatzy; perfect_yatzy.load_rules('generala')"
    out = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"PYTHONPATH": str(archive)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert f"perfect-yatzy does not run from an archive; unpack {archive}\n" in out.stderr


@pytest.mark.parametrize("size", [0, 1, 10, 11, 12, 5000])
def test_of_a_file_that_is_too_long_one_byte_too_many_is_copied_and_no_more_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    """A host may keep a connection open: a read beyond what is wanted would wait for it."""

    class Source(BytesIO):
        wanted = 11

        def read(self, most: int | None = -1, /) -> bytes:
            assert most is not None
            assert 0 < most <= self.wanted
            part = super().read(most)
            self.wanted -= len(part)
            return part

    monkeypatch.setattr("perfect_yatzy.strategy.verify.open_file", lambda path: Source(b"x" * size))
    copy("there", tmp_path / "here", 10)
    assert (tmp_path / "here").stat().st_size == min(size, 11)
