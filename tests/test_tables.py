"""Tables on disk: whole or refused, never half; a killed solve leaves a store that works."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import games
import numpy as np
import pytest

from solver import store, tables
from solver.errors import TableError
from solver.rulefile import load_rules
from solver.rules import Bonus
from solver.solve import new_values, solve_layers, solve_values
from solver.states import state_space
from solver.store import has_table, open_table, solve_to_store, table_path, tables_folder
from solver.tables import read_part, read_table, sha256_of, write_part, write_table

SMALL = games.small(games.face(5), games.face(6), games.PAIR, games.CHANCE, bonus=Bonus(16, 7))


def test_a_table_reads_back(tmp_path: Path) -> None:
    values = solve_values(SMALL)
    written = write_table(tmp_path, SMALL, values, 0.5)
    info, read = read_table(table_path(SMALL, tmp_path), SMALL, state_space(SMALL))
    assert info == written
    assert np.array_equal(read, values)
    assert not read.flags.writeable
    assert info.start_value == values[-1]
    assert info.rules == SMALL.canonical()
    assert sorted(path.suffix for path in tmp_path.iterdir()) == [".json", ".npy"]


def damage(path: Path, how: str) -> None:
    sidecar = path.with_suffix(".json")
    if how == "truncated":
        path.write_bytes(path.read_bytes()[:-8])
    elif how == "empty":
        path.write_bytes(b"")
    elif how == "altered":
        data = bytearray(path.read_bytes())
        data[-3] ^= 1
        path.write_bytes(data)
    elif how == "no sidecar":
        sidecar.unlink()
    elif how == "bad sidecar":
        sidecar.write_text("{")
    else:
        about = json.loads(sidecar.read_text())
        about |= {"format": 99} if how == "other format" else {"fingerprint": "0" * 64}
        sidecar.write_text(json.dumps(about))


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ("truncated", "is truncated or damaged"),
        ("empty", "is truncated or damaged"),
        ("altered", "was altered"),
        ("no sidecar", "there is no finished table"),
        ("bad sidecar", "the description of the table .* is damaged"),
        ("other format", "has table format 99"),
        ("other rules", "was made for other rules"),
    ],
)
def test_damage_is_refused_with_the_way_out(tmp_path: Path, how: str, message: str) -> None:
    solve_to_store(SMALL, tmp_path)
    path = table_path(SMALL, tmp_path)
    damage(path, how)
    with pytest.raises(TableError, match=message) as caught:
        read_table(path, SMALL, state_space(SMALL))
    assert "rebuild it with: yatzy solve small --force" in str(caught.value)
    assert "\n" not in str(caught.value)
    solve_to_store(SMALL, tmp_path)
    assert len(open_table(SMALL, tmp_path)[1]) == state_space(SMALL).size


def test_a_missing_table_is_solved_unless_forbidden(tmp_path: Path) -> None:
    with pytest.raises(TableError, match="there is no table for small; make it with: yatzy solve small"):
        open_table(SMALL, tmp_path, solve=False)
    steps: list[tuple[int, int]] = []
    open_table(SMALL, tmp_path, progress=lambda done, total: steps.append((done, total)))
    assert [total for _, total in steps] == [state_space(SMALL).size] * 5
    assert [done for done, _ in steps] == sorted(done for done, _ in steps)
    assert steps[-1][0] == steps[-1][1]
    assert has_table(SMALL, tmp_path)


def test_a_kept_part_is_taken_up_and_a_damaged_one_is_not(tmp_path: Path) -> None:
    whole, space = solve_values(SMALL), state_space(SMALL)
    values = new_values(space)
    layers = solve_layers(SMALL, values)
    for _ in range(3):
        layer = next(layers)
    layers.close()
    write_part(tmp_path, SMALL, values[: layer.values_done], 3)
    again = new_values(space)
    assert read_part(tmp_path, SMALL, again) == 3
    for _ in solve_layers(SMALL, again, layers_done=3):
        pass
    assert np.array_equal(again[: space.size], whole)
    part = next(tmp_path.glob("*.part"))
    part.write_bytes(part.read_bytes()[:-1] + b"\x00")
    assert read_part(tmp_path, SMALL, again) == 0
    solve_to_store(SMALL, tmp_path)
    assert not list(tmp_path.glob("*.part*"))


def test_layers_are_kept_while_a_long_solve_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "PART_SECONDS", 0.0)
    kept: list[int] = []
    monkeypatch.setattr(store, "write_part", lambda *args: kept.append(args[3]))
    solve_to_store(SMALL, tmp_path)
    assert kept == [1, 2, 3, 4]


def test_order_of_the_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("YATZY_TABLES", "/from/the/environment")
    assert tables_folder(tmp_path) == tmp_path
    assert tables_folder() == Path("/from/the/environment")
    monkeypatch.delenv("YATZY_TABLES")
    assert tables_folder() == Path(store.__file__).resolve().parent.parent / "tables"


def test_a_folder_that_cannot_be_written_to(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    with pytest.raises(TableError, match=r"cannot write a table to .*; choose a folder with --tables"):
        solve_to_store(SMALL, blocked)


def test_a_full_disk_is_noticed_before_the_solve(tmp_path: Path) -> None:
    with pytest.raises(TableError, match=r"MB free and the table needs"):
        tables.check_space(tmp_path, 1 << 60)


def test_sha256_is_that_of_the_bytes() -> None:
    import hashlib

    values = np.arange(5_000_000, dtype=np.float64)
    assert sha256_of(values) == hashlib.sha256(values.tobytes()).hexdigest()


@pytest.mark.parametrize("after", [0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 1.1])
def test_a_solve_killed_at_any_moment_leaves_a_store_that_works(tmp_path: Path, after: float) -> None:
    rules = load_rules("yatzy")
    solve_values(rules)  # kernels compiled, so that the kill meets the solve and the writing
    process = subprocess.Popen(
        [sys.executable, "-m", "solver", "solve", "yatzy", "--tables", str(tmp_path)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=os.environ | {"NO_COLOR": "1"},
    )
    time.sleep(after)
    process.send_signal(signal.SIGKILL)
    process.wait()
    if has_table(rules, tmp_path):
        assert len(read_table(table_path(rules, tmp_path), rules, state_space(rules))[1]) == 958_976
    assert f"{open_table(rules, tmp_path)[0].start_value:.10f}" == "248.4399893779"
