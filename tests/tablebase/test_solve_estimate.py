"""The estimate of a solve: its sizes are those of the solve, its schedule is that of a plain simulation."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from perfect_yatzy import RulesError, load_rules
from perfect_yatzy.model import objectives
from perfect_yatzy.model.estimates import rule_set_stats
from perfect_yatzy.model.objectives import Goals, Objective
from perfect_yatzy.tablebase import shard_task
from perfect_yatzy.tablebase.shard_plan import plan_shards
from perfect_yatzy.tablebase.sharded_solve import solve_sharded
from perfect_yatzy.tablebase.solve_estimate import BUSY, DRIVER_SECONDS, LayerEstimate, estimate_solve
from perfect_yatzy.tablebase.store import solve_to_store
from perfect_yatzy.tablebase.table_info import ShardedTableInfo
from support.seeds import ring_2
from support.shards import OBJECTIVES, SMALL


def solved_and_counted(
    objective: Objective, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[ShardedTableInfo, tuple[int, int]]:
    """Solve in shards; the manifest, and the bytes of values that all tasks have read and written."""
    read, written = [], []
    read_halo, write_shard = shard_task.read_halo, shard_task.write_shard

    def counting_read(objective: Objective, halo: Any, shards: Any, checked: Any) -> Any:
        size = objective.compute.itemsize
        for run in halo.runs:
            for low, high in (shard.part(run.start * size, run.stop * size) for shard in shards(run)):
                read.append(high - low)
        return read_halo(objective, halo, shards, checked)

    def counting_write(path: Path, values: Any, *rest: Any) -> Any:
        written.append(values.nbytes)
        return write_shard(path, values, *rest)

    with monkeypatch.context() as patch:
        patch.setattr(shard_task, "read_halo", counting_read)
        patch.setattr(shard_task, "write_shard", counting_write)
        info = solve_sharded(objective, folder)
    return info, (sum(read), sum(written))


@pytest.mark.parametrize("kind", ["mean", "goals", "variance", "bonus"])
def test_sizes_are_those_of_the_solve(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    solve_to_store(Objective(SMALL), tmp_path)  # where the tasks of a variance look for the means
    objective = OBJECTIVES[kind](SMALL)
    estimate, one_file = (estimate_solve(objective, threads=2, shards=shards) for shards in (True, False))
    info, moved = solved_and_counted(objective, tmp_path, monkeypatch)
    assert estimate.values == one_file.values == info.values
    assert estimate.dtype == info.dtype
    assert estimate.bytes == one_file.bytes == info.values * np.dtype(info.dtype).itemsize
    assert estimate.shared.shards == len(info.shards)
    assert (estimate.shared.read, estimate.shared.written) == moved
    assert estimate.disk >= estimate.bytes
    filled = [shard[0] for shard in info.shards]
    assert all(layer.shards == filled.count(layer.filled) for layer in estimate.layers)
    assert sum(layer.bytes for layer in estimate.layers) == estimate.bytes


def test_a_rounded_table_has_further_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(objectives, "FLOAT64_VALUES", 10)
    estimate = estimate_solve(Objective(SMALL), shards=True)
    _, moved = solved_and_counted(Objective(SMALL), tmp_path, monkeypatch)
    assert (estimate.dtype, estimate.bytes) == ("float32", 4 * estimate.values)
    assert (estimate.shared.read, estimate.shared.written) == moved
    assert estimate.shared.written == 4 * estimate.values + 8 * (estimate.values - estimate.layers[-1].values)
    assert estimate.disk > estimate.bytes


@given(st.lists(st.floats(0.001, 100), min_size=1, max_size=40), st.integers(1, 50))
def test_the_time_of_a_layer_is_near_that_of_a_simulation(seconds: list[float], workers: int) -> None:
    """Beside workers of whom each takes the next shard as soon as it is free: they wait at most for one shard, on average for half."""
    free = [0.0] * workers
    for time in seconds:
        first = free.index(min(free))
        free[first] += time
    layer = LayerEstimate(0, 1, 1, 8, sum(seconds), 0.0, len(seconds), longest_seconds=max(seconds))
    found = layer.wall(workers, driven=False)
    assert found / 1.5 - 1e-9 <= max(free) <= 2 * found + 1e-9
    if workers == 1 or workers >= len(seconds):
        assert found == pytest.approx(max(free))
    assert layer.wall(workers, driven=True) == max(found, DRIVER_SECONDS * len(seconds))


@pytest.mark.parametrize(("key", "kind"), [("maxi-tactic", Goals), ring_2("maxi-unsaved", Objective)])
def test_workers_and_the_barrier(key: str, kind: type[Objective]) -> None:
    objective = kind(load_rules(key))
    alone = estimate_solve(objective, shards=True)
    assert alone.seconds == pytest.approx(alone.processor_seconds)
    assert alone.shared.shards == len(plan_shards(objective).shards)
    useful, most = alone.shared.useful_workers, max(layer.shards for layer in alone.layers)
    assert alone.shared.most_workers == most
    known = {useful: alone.shared.useful_seconds, most: alone.shared.shortest_seconds}
    for number in (2, useful, min(2 * useful, most), most, 10 * most):
        shared = estimate_solve(objective, workers=number)
        assert shared.seconds == pytest.approx(known.get(min(number, most), shared.seconds))
        longest = [layer.longest_seconds for layer in shared.layers]
        assert max(shared.processor_seconds / number, sum(longest)) <= shared.seconds
        busy = shared.processor_seconds / (number * shared.seconds)
        assert busy >= BUSY if number <= useful else busy < BUSY


def test_terabytes_are_estimated_here() -> None:
    """All goals of Maxi Yatzy with saved rolls: counted from the cards, without a solve."""
    found = estimate_solve(Goals(load_rules("maxi")), workers=64)
    assert 1.1e12 < found.bytes < Goals(load_rules("maxi")).solve_cost().bytes
    assert found.states == 1_269_661_696
    assert found.shared.largest_shard < found.shared.task_memory <= shard_task.TASK_MEMORY
    assert found.memory < 1e9


def test_saved_rolls_are_one_turn() -> None:
    """All numbers of saved rolls share the passes of one turn, for goals as for means."""
    saved, unsaved = (Goals(load_rules(key)) for key in ("yatzy-saved", "yatzy"))
    times = [np.array(goals.layer_seconds()) for goals in (saved, unsaved)]
    rolls = np.array([3 + 2 * k for k in range(16)])
    measured = np.where(rolls > 3, 1.6, 1.0)  # benchmarks/runs/2026-11-22-cost-model.md
    assert times[0] / times[1] == pytest.approx(measured * rolls / 3, rel=1e-9)
    assert sum(times[0]) == pytest.approx(saved.solve_cost().seconds)


def test_cards_that_are_too_many_are_still_counted() -> None:
    giant = load_rules("giant")
    with pytest.raises(RulesError, match="47 categories"):
        estimate_solve(Objective(giant))
    found = rule_set_stats(giant, any_number=True)
    # Each set of filled upper boxes, with its sums up to the bonus, and any of the 41 other boxes.
    sums: list[set[int]] = [{0}]
    for face in range(1, 7):
        sums += [{min(189, total + face * dice) for total in some for dice in range(13)} for some in sums]
    assert found.states == sum(map(len, sums)) << 41
