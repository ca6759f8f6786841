"""Solves on a cluster have the bits of a solve by threads, whatever happens on the way."""

import os
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from perfect_yatzy import Cluster, RuleSet, StateError, TableError, load_rules, open_cluster
from perfect_yatzy.model.objectives import Goals, Objective, Values
from perfect_yatzy.tablebase.backward_induction import solve_objective
from perfect_yatzy.tablebase.store import open_table, table_path
from perfect_yatzy.tablebase.table_info import shards_folder, unfinished_shards
from support import cluster_tasks, games
from support.cluster_tasks import wait_until
from support.need import need
from support.shards import OBJECTIVES

need("distributed")
psutil = need("psutil")

from perfect_yatzy.cluster.session import solve_objective_on

pytestmark = pytest.mark.full

SMALL = games.joker_game("forced", saved_rolls=True)
TABLES = ("mean", "goals", "variance", "bonus")


def table(objective: Objective, folder: Path) -> Values:
    """A stored table; it is in shards."""
    assert shards_folder(table_path(objective.rules, folder, objective.name)).is_dir()
    values = open_table(objective, folder, solve=False)[1]
    return np.asarray(values[0 : objective.size])


def is_solved(objective: Objective, folder: Path) -> bool:
    """Whether a stored table has the bits of a solve by threads here."""
    stored, solved = table(objective, folder), solve_objective(objective)
    return stored.tobytes() == objective.as_stored(solved, 0).tobytes()


@pytest.mark.parametrize("what", TABLES)
@pytest.mark.parametrize("rules", [SMALL, load_rules("yatzy-forced")], ids=lambda rules: rules.key)
def test_tables_are_those_of_threads(cluster: Cluster, rules: RuleSet, what: str, tmp_path: Path) -> None:
    info = cluster.solve(rules, what, tables=tmp_path)
    assert is_solved(OBJECTIVES[what](rules), tmp_path)
    assert cluster.solve(rules, what, tables=tmp_path) == info


def test_a_utility(cluster: Cluster, tmp_path: Path) -> None:
    objective = OBJECTIVES["utility"](SMALL)
    solve_objective_on(cluster.engine, objective, tmp_path)
    assert is_solved(objective, tmp_path)


def test_a_disk_that_is_full_for_a_while(cluster: Cluster, tmp_path: Path) -> None:
    rules, client = load_rules("crag"), cluster.engine.client
    layer = len(rules.categories) // 2
    client.run(cluster_tasks.fill_disk, layer)
    try:
        with pytest.raises(TableError, match="No space left on device"):
            cluster.solve(rules, tables=tmp_path)
    finally:
        client.run(cluster_tasks.free_disk)
    part = unfinished_shards(table_path(rules, tmp_path))
    done = {path.name: path.stat().st_ino for path in part.glob("*.npy")}
    assert {int(name[:2]) for name in done} == set(range(layer + 1, len(rules.categories) + 1))
    cluster.solve(rules, tables=tmp_path)
    finished = shards_folder(table_path(rules, tmp_path))
    assert {path.name: path.stat().st_ino for path in finished.glob("*.npy") if path.name in done} == done
    assert is_solved(Objective(rules), tmp_path)


def test_a_game_of_many_shards_and_a_worker_that_is_killed(cluster: Cluster, tmp_path: Path) -> None:
    rules, killed = load_rules("crag"), []

    def progress(done: int, total: int) -> None:
        if not killed and done > total // 3:
            killed.append(next(iter(cluster.engine.client.run(os.getpid).values())))
            os.kill(killed[0], signal.SIGKILL)

    cluster.solve(rules, tables=tmp_path, progress=progress)
    assert killed
    assert is_solved(Objective(rules), tmp_path)


def test_an_unknown_table(cluster: Cluster, tmp_path: Path) -> None:
    with pytest.raises(StateError, match="'median' is not a table; must be one of mean, goals, variance, bonus"):
        cluster.solve(SMALL, "median", tables=tmp_path)


def command(*words: str) -> subprocess.Popen[str]:
    """A command in a process group of its own, as a terminal starts it: also where the tests run in the background.

    A shell starts what runs in the background with SIGINT ignored, and children inherit that.
    """
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    environment = os.environ | {"NO_COLOR": "1"}
    started = [sys.executable, "-m", "perfect_yatzy", *words]
    before = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    return subprocess.Popen(started, process_group=0, env=environment, preexec_fn=before, **pipes)  # type: ignore[call-overload, no-any-return]


def shards(folder: Path) -> dict[str, int]:
    """The shards in all folders of a folder, with their inodes."""
    return {path.name: path.stat().st_ino for path in folder.glob("*/*-*-*.npy") if "unrounded" not in path.name}


def test_interrupted_and_killed_drivers(tmp_path: Path) -> None:
    """Ctrl-C ends everything in one line; after kill -9 no process stays; the next driver solves only the rest."""
    solve = ("solve", "crag", "--what", "goals", "--workers", "1", "--tables", str(tmp_path), "--yes")
    before: dict[str, int] = {}
    for end in (signal.SIGINT, signal.SIGKILL):
        driver = command(*solve)
        wait_until(lambda: len(shards(tmp_path)) > len(before) or driver.poll() is not None)  # noqa: B023
        os.killpg(driver.pid, signal.SIGSTOP)  # on a busy machine the solve could end before the signal
        children = psutil.Process(driver.pid).children(recursive=True)
        assert children
        if end == signal.SIGINT:
            os.killpg(driver.pid, end)
            os.killpg(driver.pid, signal.SIGCONT)
            error = driver.communicate(timeout=600)[1]
            assert driver.returncode == 130, error
            assert error.splitlines()[-1] == "yatzy: interrupted"
            assert "Traceback" not in error
        else:
            driver.kill()
            os.killpg(driver.pid, signal.SIGCONT)
            driver.communicate()
        assert psutil.wait_procs(children, timeout=600)[1] == []
        before |= shards(tmp_path)
    last = command(*solve)
    error = last.communicate()[1]
    assert last.returncode == 0, error
    assert "dashboard" not in error
    assert "a worker used at most" in error
    assert before.items() <= shards(tmp_path).items()  # none of them was written again
    assert is_solved(Goals(load_rules("crag")), tmp_path)


BIG = [
    *(("yatzy", what) for what in ("mean", "goals", "variance")),
    *((key, "mean") for key in ("yahtzee", "yatzy-saved", "maxi-unsaved")),
]


@pytest.mark.slow
@pytest.mark.parametrize(("key", "what"), BIG)
@pytest.mark.parametrize("workers", [1, 2, 3])
def test_big_tables_are_those_of_threads(key: str, what: str, workers: int, tmp_path: Path) -> None:
    with open_cluster(workers=workers) as cluster:
        cluster.solve(key, what, tables=tmp_path)
        if key == "maxi-unsaved":
            assert max(cluster.engine.peak_memory.values()) < 400e6
    assert is_solved(OBJECTIVES[what](load_rules(key)), tmp_path)
