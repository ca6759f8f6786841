"""Tables on disk and fetched: whole or refused, never half; a killed solve leaves a store that
works.
"""

import hashlib
import json
import os
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import perfect_yatzy
import pytest
from perfect_yatzy import Cancelled, RulesError, Strategy, TableError, load_rules
from perfect_yatzy.core import objectives, resources
from perfect_yatzy.core.backward_induction import solve_layers
from perfect_yatzy.core.checked_values import BlockHasher
from perfect_yatzy.core.objectives import Objective
from perfect_yatzy.core.patterns import Pattern
from perfect_yatzy.core.rules import Category
from perfect_yatzy.core.state_space import state_space
from perfect_yatzy.core.table_file import HEADER_BYTES
from perfect_yatzy.core.table_info import checked_fields, table_stem, with_checksum
from perfect_yatzy.objectives.exponential import ExponentialUtility
from perfect_yatzy.objectives.scores import Goals
from perfect_yatzy.settings import Settings
from perfect_yatzy.strategy.turn_evaluator import TurnEvaluator
from perfect_yatzy.strategy.verify import sampling_error_bound, verify
from perfect_yatzy.tablebase import machine, store
from perfect_yatzy.tablebase.estimates import rule_set_stats
from perfect_yatzy.tablebase.in_memory import solve_values
from perfect_yatzy.tablebase.store import (
    has_table,
    open_table,
    solve_to_store,
    table_path,
    tables_folder,
)
from perfect_yatzy.tablebase.table_reader import read_table
from perfect_yatzy.tablebase.table_writer import TableWriter
from support import games
from support.command import Run, printed, refusal
from support.flips import flip
from support.refusals import refused
from support.server import static_host
from support.shards import MEAN, SMALL, abandoned, stored_table


def test_a_table_reads_back(tmp_path: Path) -> None:
    written = solve_to_store(Settings(tmp_path), MEAN)
    info, read = read_table(table_path(SMALL, tmp_path), MEAN)
    assert info == written
    assert np.array_equal(read, solve_values(SMALL))
    assert info.sha256 == hashlib.sha256(solve_values(SMALL).tobytes()).hexdigest()
    assert not read.flags.writeable
    assert (info.start_value, info.rounding, info.rules) == (read[-1], 0.0, SMALL.canonical())
    assert sorted(path.suffix for path in tmp_path.iterdir()) == [".json", ".npy"]


def test_a_large_table_in_float32_is_computed_in_float64(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The small twin of Maxi Yatzy with saved rolls: each value is rounded once, on its way to
    the disk.
    """
    exact = solve_values(SMALL)
    monkeypatch.setattr(objectives, "FLOAT64_VALUES", 10)
    info = solve_to_store(Settings(tmp_path), Objective(SMALL))
    _, read = open_table(Settings(tmp_path), Objective(SMALL))
    assert read.dtype == np.float32
    assert np.array_equal(read, exact.astype(np.float32))
    assert info.rounding == np.abs(read - exact).max() > 0
    assert info.start_value == exact[-1]
    assert all(check.passed for check in verify(Settings(tmp_path), SMALL, states=50))
    rounded, whole = (
        perfect_yatzy.open_strategy(SMALL, tmp_path),
        Strategy(SMALL, info, TurnEvaluator(SMALL, exact)),
    )
    values = {hold.dice: hold.value for hold in whole.holds("", "56")}
    for hold in rounded.holds("", "56"):
        assert hold.value == pytest.approx(values[hold.dice], abs=2 * info.rounding)


def changed(**fields: object) -> Callable[[Path], object]:
    """Changes fields of the description, with a checksum that is right."""

    def change(path: Path) -> None:
        about = json.loads(path.with_suffix(".json").read_text())
        del about["checksum"]
        path.with_suffix(".json").write_bytes(with_checksum(about | fields))

    return change


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        pytest.param(
            lambda path: path.write_bytes(path.read_bytes()[:-8]),
            "is truncated or damaged",
            id="truncated",
        ),
        pytest.param(
            lambda path: path.write_bytes(path.read_bytes() + b"0"),
            "is truncated or damaged",
            id="longer",
        ),
        pytest.param(lambda path: path.write_bytes(b""), "is truncated or damaged", id="empty"),
        pytest.param(lambda path: flip(path, -8), "was altered", id="altered"),
        pytest.param(
            lambda path: path.with_suffix(".json").unlink(),
            "there is no finished table",
            id="no sidecar",
        ),
        pytest.param(changed(format=99), "has table format 99", id="other format"),
        pytest.param(changed(fingerprint="0" * 64), "was made for other rules", id="other rules"),
    ],
)
def test_damage_is_refused_with_the_way_out(
    tmp_path: Path, damage: Callable[[Path], object], message: str
) -> None:
    path = stored_table(tmp_path)
    damage(path)
    error = refused(message, read_table, path, MEAN, error=TableError)
    assert f"rebuild it with: yatzy solve small --force --tables {tmp_path}" in str(error)
    solve_to_store(Settings(tmp_path), MEAN)
    assert len(open_table(Settings(tmp_path), MEAN)[1]) == state_space(SMALL).size


def test_a_missing_table_is_solved_unless_forbidden(tmp_path: Path) -> None:
    said = "there is no table for small; make it with: yatzy solve small"
    refused(said, open_table, Settings(tmp_path), MEAN, solve=False, error=TableError)
    steps: list[tuple[int, int]] = []
    open_table(Settings(tmp_path, progress=lambda *step: steps.append(step)), MEAN)
    assert [total for _, total in steps] == [state_space(SMALL).size] * 5
    assert steps == sorted(steps)
    assert steps[-1][0] == steps[-1][1]
    assert has_table(SMALL, tmp_path)


def taken_up(tmp_path: Path, objective: Objective) -> int | None:
    """The number of filled boxes from which the next solve goes on."""
    writer = TableWriter(tmp_path, objective)
    found = writer.resume()
    writer.close()
    return None if found is None else found[0]


@pytest.mark.parametrize("layers", [1, 2, 3])
@pytest.mark.parametrize("stop", [KeyboardInterrupt, Cancelled])
@pytest.mark.parametrize(
    ("kind", "limit"),
    [(Objective, 10), (Objective, 10**8), (Goals, 0)],
    ids=["float32", "float64", "goals"],
)
def test_a_stopped_solve_keeps_its_finished_layers(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    kind: type[Objective],
    limit: int,
    stop: Any,
    layers: int,
) -> None:
    """Without a checkpoint in between: those come once a minute."""
    monkeypatch.setattr(objectives, "FLOAT64_VALUES", limit)
    objective, steps = kind(SMALL), list[int]()

    def progress(done: int, total: int) -> None:
        steps.append(done)
        if len(steps) == layers:
            raise stop("stopped")

    with pytest.raises(stop):
        solve_to_store(Settings(tmp_path, progress=progress), objective)
    assert not has_table(SMALL, tmp_path, kind.name)
    ends = [objective.layer_slice(k).stop for k in range(4, -1, -1)]
    finished = sum(end <= steps[-1] for end in ends)
    assert finished == layers or kind is Goals  # a layer of which is told of in parts
    assert taken_up(tmp_path, objective) == 5 - finished
    info = solve_to_store(Settings(tmp_path, progress=progress), objective)
    assert [done for done in steps if done in ends] == ends  # each layer once
    assert info.sha256 == solve_to_store(Settings(tmp_path / "whole"), kind(SMALL)).sha256
    assert sorted(path.suffix for path in tmp_path.glob("*.*")) == [".json", ".npy"]


CHECKPOINTS = ["other sources", "1e999", "[" * 100_000, '{"filled": 1e30}', "{}", "null", " "]


@pytest.mark.parametrize(
    ("ending", "text"),
    [
        (".part", ""),
        (".part.layer", ""),
        (".part.layer", "flipped"),
        *((".part.layer", x) for x in CHECKPOINTS),
    ],
    ids=lambda text: text[:20],
)
def test_a_damaged_part_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str, text: str
) -> None:
    monkeypatch.setattr(objectives, "FLOAT64_VALUES", 10)
    objective = Objective(SMALL)
    writer = abandoned(tmp_path, objective, 3)
    writer.add(np.zeros(3))  # written after the checkpoint, and lost
    writer.close()
    checkpoint = writer.checkpoint_file
    with checkpoint.open("rb") as file:
        np.load(file)
        layer, fields = checkpoint.read_bytes()[: file.tell()], file.read()
    if text == "flipped":
        flip(checkpoint, 8 * (len(layer) + 40))
    elif not text and ending:
        flip(next(path for path in tmp_path.iterdir() if path.name.endswith(ending)), 8 * 200)
    elif text == "other sources":
        known = json.loads(fields)
        del known["checksum"]
        checkpoint.write_bytes(layer + with_checksum(known | {"sources": "0" * 64}))
    else:
        checkpoint.write_bytes(layer + text.encode())
    assert taken_up(tmp_path, objective) is None
    assert (
        solve_to_store(Settings(tmp_path), objective).sha256
        == solve_to_store(Settings(tmp_path / "other"), objective).sha256
    )
    assert all(check.passed for check in verify(Settings(tmp_path), SMALL, states=50))


def test_a_part_of_another_rate_of_risk_is_not_used(tmp_path: Path) -> None:
    """Rules and name of the objective are the same."""
    abandoned(tmp_path, ExponentialUtility(SMALL, -0.02), 3).close()
    assert taken_up(tmp_path, ExponentialUtility(SMALL, -0.02)) == 2
    assert taken_up(tmp_path, ExponentialUtility(SMALL, 0.01)) is None


def test_two_solves_of_the_same_table_do_not_disturb_each_other(tmp_path: Path) -> None:
    first = TableWriter(tmp_path, MEAN)
    layers = list(solve_layers(MEAN))
    first.add(layers[0].values)
    info = solve_to_store(Settings(tmp_path), MEAN)  # the second, while the first is at it
    for layer in layers[1:]:
        first.add(layer.values)
    assert first.finish(0.1).sha256 == info.sha256
    first.close()
    assert all(check.passed for check in verify(Settings(tmp_path), SMALL, states=50))
    assert sorted(path.suffix for path in tmp_path.iterdir()) == [".json", ".npy"]


def test_order_of_the_store_and_layers_that_a_solve_keeps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "PART_SECONDS", 0.0)
    kept: list[int] = []
    monkeypatch.setattr(TableWriter, "checkpoint", lambda self, filled, layer: kept.append(filled))
    solve_to_store(Settings(tmp_path), MEAN)
    assert kept == [4, 3, 2, 1]
    monkeypatch.setenv("YATZY_TABLES", "/from/the/environment")
    assert tables_folder(tmp_path) == tmp_path
    assert tables_folder() == Path("/from/the/environment")
    monkeypatch.delenv("YATZY_TABLES")
    assert tables_folder() == Path(store.__file__).resolve().parents[3] / "tables"


def test_what_is_missing_is_noticed_before_the_solve(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder that can be written to, room on the disk, memory."""
    blocked, empty = tmp_path / "file", tmp_path / "empty"
    blocked.write_text("")
    empty.mkdir()
    way_out = r"cannot write a table to .*; choose a folder with the parameter tables"
    refused(way_out, solve_to_store, Settings(blocked), MEAN, error=TableError)
    said = r"MB free; the table needs \d+ MB, and 16 MB must stay free; choose a folder with the"
    refused(said, resources.check_space, tmp_path, 1 << 60, error=TableError)
    monkeypatch.setattr(machine, "available_memory", lambda: 10 << 20)
    needs = r"solving small needs 0\.\d\d GB of memory and 0\.01 GB are free; its table has"
    refused(needs, solve_to_store, Settings(empty), MEAN, error=RulesError)
    assert list(empty.iterdir()) == []


def test_the_estimate_of_memory_covers_maxi() -> None:
    """Measured: 2.20 GB at the peak (benchmarks/runs), with two layers of 134 and 132 million
    values.
    """
    needs = rule_set_stats(load_rules("maxi"))
    assert 2.20 < needs.memory / 2**30 < 2.5
    assert needs.bytes == 713_572_352 * 4


def test_leftovers_are_old_private_files(tmp_path: Path) -> None:
    stem = table_path(SMALL, tmp_path).stem
    old = [f".{stem}.npy.abcd_123", f".{stem}.part.layer.abcd_123"]
    for name in (*old, f".{stem}.npy.abcd_124", ".notes", f"{stem}.npy", f"{stem}.json"):
        (tmp_path / name).touch()
        if not name.endswith("4"):
            os.utime(tmp_path / name, (0, 0))
    assert [path.name for path in store.leftovers(tmp_path)] == old
    assert store.leftovers(tmp_path / "nowhere") == []


@pytest.mark.full
def test_a_simulation_that_cannot_vary_and_one_that_misses_what_is_rare_accuse_no_table(
    tmp_path: Path,
) -> None:
    sure = Category("one", "One", (Pattern("any", score="fixed", points=3),))
    rare = Category("all", "All", (Pattern("groups", groups=(5,), score="fixed", points=1000),))
    for rules in (games.small(sure), games.small(rare, dice=5, rolls=1)):
        solve_to_store(Settings(tmp_path), Objective(rules))
        assert all(check.passed for check in verify(Settings(tmp_path), rules, states=1, games=100))
    # a table off by a quarter of a point is found out
    assert sampling_error_bound(10**6, 40.0, 374.0) < 0.25


RULES = load_rules("yatzy-forced")
NAME = table_stem(RULES, "mean")


@pytest.fixture
def source(forced: Strategy, tmp_path: Path) -> Path:
    folder = tmp_path / "source"
    folder.mkdir()
    for ending in (".npy", ".json"):
        shutil.copy(table_path(RULES).with_suffix(ending), folder)
    return folder


def rewrite(ending: str, change: Callable[[bytes], bytes]) -> Callable[[Path], object]:
    def damage(folder: Path) -> None:
        path = folder / f"{NAME}{ending}"
        path.write_bytes(change(path.read_bytes()))

    return damage


def cut(data: bytes) -> bytes:
    return data[:-9]


def forge(source: Path, *, place: int) -> None:
    """Another value, with all hashes made anew."""
    path = source / f"{NAME}.npy"
    info = checked_fields((source / f"{NAME}.json").read_bytes())
    values = np.frombuffer(
        path.read_bytes()[HEADER_BYTES:], dtype=info["dtype"], count=info["values"]
    ).copy()
    values[place] += 1
    hasher = BlockHasher()
    hasher.update(values.data)
    digests = hasher.block_digests()
    path.write_bytes(path.read_bytes()[:HEADER_BYTES] + values.tobytes() + digests)
    hashes = {"sha256": hasher.hexdigest(), "blocks_sha256": hashlib.sha256(digests).hexdigest()}
    (source / f"{NAME}.json").write_bytes(with_checksum(info | hashes))


WRONG: dict[str, tuple[Callable[[Path], object], str]] = {
    "altered": (
        rewrite(".npy", lambda data: data[:200] + bytes([data[200] ^ 1]) + data[201:]),
        "was altered",
    ),
    "cut off": (rewrite(".npy", cut), "truncated"),
    "too long": (rewrite(".npy", lambda data: data + bytes(5000)), "truncated or damaged"),
    "sidecar": (rewrite(".json", cut), "description"),
    "of other rules": (
        rewrite(
            ".json", lambda data: with_checksum(checked_fields(data) | {"fingerprint": "0" * 64})
        ),
        "was made for other rules than yatzy-forced",
    ),
    "forged": (partial(forge, place=70), "largest residual"),
    "missing": (lambda at: (at / f"{NAME}.npy").unlink(), "No such file"),
}


@pytest.mark.parametrize("how", WRONG)
def test_what_is_not_the_table_is_refused_in_a_sentence(
    how: str, source: Path, run: Run, tmp_path: Path
) -> None:
    damage, said = WRONG[how]
    damage(source)
    store = tmp_path / "store"
    found = refusal(
        run,
        "tables",
        "--fetch",
        "yatzy-forced",
        "--from",
        str(source),
        "--tables",
        str(store),
        code=1,
    )
    assert said in found
    assert "rebuild" not in found
    assert [*store.iterdir()] == []


def test_from_a_folder_and_from_a_host_the_table_has_the_same_bytes(
    source: Path, run: Run, tmp_path: Path
) -> None:
    with static_host(source) as host:
        for number, origin in enumerate((str(source), host.address)):
            store = tmp_path / str(number)
            words = ("tables", "--fetch", "yatzy-forced", "--from", origin, "--tables", str(store))
            printed(run, *words)
            one, other = (
                {path.name: path.read_bytes() for path in folder.iterdir()}
                for folder in (store, source)
            )
            assert one == other
            assert "already solved" in run(*words).stderr
        origin = host.address.removesuffix("/")
        gone = refusal(
            run,
            "tables",
            "--fetch",
            "crag",
            "--from",
            origin,
            "--tables",
            str(tmp_path / "2"),
            code=1,
        )
        assert "404" in gone


def test_wrong_usage(run: Run, tmp_path: Path) -> None:
    asked = ("tables", "--fetch", "crag", "--tables", str(tmp_path))
    refusal(run, *asked)
    assert "http" in run(*asked, "--from", "ftp://example.org").stderr
    assert [*tmp_path.iterdir()] == []
