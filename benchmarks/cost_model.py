"""What a shard costs: `make bench-cost`, some minutes.

Small games of each kind are solved in shards by one thread. Of every task: processor time of the
turns of its rows, of reading and checking its halo, of hashing and writing its values, and of the
rest. The sums are compared with those of ``yatzy solve --estimate``; its sizes must be exact. The
record is ``benchmarks/runs/DATE-cost-model.md``.
"""

from __future__ import annotations

import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import perfect_yatzy
from perfect_yatzy.core.backward_induction import RowSolver
from perfect_yatzy.core.objectives import Goals, Objective, Variance
from perfect_yatzy.core.rules import RuleSet
from perfect_yatzy.tablebase import shard_task
from perfect_yatzy.tablebase.estimates import LANE_OPERATIONS_PER_SECOND, THREADS
from perfect_yatzy.tablebase.shard_task import ShardTask, solve_shard_task
from perfect_yatzy.tablebase.sharded_solve import solve_sharded
from perfect_yatzy.tablebase.solve_estimate import estimate_solve
from perfect_yatzy.tablebase.store import open_table, solve_to_store

from .__main__ import cpu_name

RUNS = Path(__file__).resolve().parent / "runs"
OBJECTIVES = {"mean": Objective, "goals": Goals, "variance": Variance}
# A game, how many of its boxes are kept (the first ones of the lower section are removed), and the
# objective.
CASES = [
    ("yatzy", 15, "mean"),
    ("yatzy-saved", 15, "mean"),
    ("maxi-unsaved", 20, "mean"),
    ("maxi", 16, "mean"),
    ("yatzy", 15, "goals"),
    ("yatzy-saved", 12, "goals"),
    ("maxi-unsaved", 12, "goals"),
    ("maxi", 10, "goals"),
    ("yatzy", 15, "variance"),
    ("maxi-unsaved", 16, "variance"),
]


class TimedEngine:
    """Runs the tasks one after the other."""

    def __init__(self) -> None:
        self.tasks, self.seconds = 0, 0.0

    def run(self, tasks: Sequence[ShardTask]) -> Iterator[dict[str, Any]]:
        """The results of the tasks, in their order."""
        for task in tasks:
            begin = time.thread_time()
            footer = solve_shard_task(task)
            self.seconds += time.thread_time() - begin
            self.tasks += 1
            yield footer


def timed(
    spent: Counter[str], name: str, function: Callable[..., Any], size: Callable[..., int]
) -> Callable[..., Any]:
    """A function whose processor time, and bytes, are counted."""

    def run(*args: Any, **options: Any) -> Any:
        begin = time.thread_time()
        result = function(*args, **options)
        spent[name] += time.thread_time() - begin  # type: ignore[assignment]
        spent[f"{name} bytes"] += size(*args)
        return result

    return run


def game(key: str, boxes: int, folder: Path) -> RuleSet:
    """A game without the first boxes of its lower section, so that it has so many."""
    rules = perfect_yatzy.load_rules(key)
    removed = [c.id for c in rules.categories if not c.upper][: len(rules.categories) - boxes]
    if not removed:
        return rules
    path = folder / f"{key}-{boxes}.toml"
    path.write_text(
        f'id = "{path.stem}"\nname = "{key} with {boxes} boxes"\nextends = "{key}"\nremove = {removed}\n'.replace(
            "'", '"'
        )
    )
    return perfect_yatzy.load_rules(path)


def measure(key: str, boxes: int, what: str) -> dict[str, float]:
    """Solve a game in shards and compare it with its estimate."""
    spent: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rules = game(key, boxes, folder)
        objective: Objective = (
            OBJECTIVES[what](rules) if what != "variance" else Variance(rules, np.empty(0))
        )
        if what == "variance":
            solve_to_store(Objective(rules), folder)
            objective = Variance(rules, open_table(Objective(rules), folder, solve=False)[1])
        estimate = estimate_solve(objective, threads=1, shards=True)
        engine = TimedEngine()
        before = shard_task.read_halo, shard_task.write_shard, RowSolver.solve
        shard_task.read_halo = timed(spent, "read", before[0], lambda _, halo, *rest: halo.bytes)
        shard_task.write_shard = timed(
            spent, "write", before[1], lambda path, values, *rest: values.nbytes
        )
        RowSolver.solve = timed(spent, "turns", before[2], lambda *args: 0)  # type: ignore[method-assign]
        try:
            info = solve_sharded(objective, folder, engine=engine)
        finally:
            shard_task.read_halo, shard_task.write_shard = before[0], before[1]
            RowSolver.solve = before[2]  # type: ignore[method-assign]
    assert estimate.shared
    assert info.values == estimate.values
    assert (engine.tasks, spent["write bytes"]) == (estimate.shared.shards, estimate.shared.written)
    assert abs(spent["read bytes"] / estimate.shared.read - 1) < 0.02, (
        spent["read bytes"],
        estimate.shared.read,
    )
    turns = THREADS * sum(objective.layer_seconds())
    return {
        "values": info.values,
        "tasks": engine.tasks,
        "seconds": engine.seconds,
        "estimate": estimate.processor_seconds,
        "turns": spent["turns"],
        "operation": spent["turns"] / (turns * LANE_OPERATIONS_PER_SECOND / THREADS),
        "read bytes": spent["read bytes"],
        "read": spent["read"] / spent["read bytes"],
        "written": spent["write bytes"],
        "write": spent["write"] / spent["write bytes"],
        "task": (engine.seconds - spent["turns"] - spent["read"] - spent["write"]) / engine.tasks,
    }


def line(key: str, boxes: int, what: str) -> str:
    """A line of the table."""
    measure(key, 7, what)  # compiles the kernels of these dice and this objective
    found, whole = measure(key, boxes, what), len(perfect_yatzy.load_rules(key).categories)
    return (
        f"| `{key}`{'' if boxes == whole else f', {boxes} boxes'}, {what} | {found['values']:,} | "
        f"{found['tasks']:,.0f} | {found['seconds']:.1f} s | {found['estimate']:.1f} s | "
        f"{1e12 * found['operation']:.0f} ps | {found['read bytes'] / 1e6:,.0f} MB | {1e9 * found['read']:.2f} ns | "
        f"{found['written'] / 1e6:,.0f} MB | {1e9 * found['write']:.2f} ns | {1e3 * found['task']:.1f} ms |"
    )


def main() -> None:
    """Measure all cases and write the record."""
    lines = [
        f"# {date.today().isoformat()}, what a shard costs, perfect-yatzy {perfect_yatzy.__version__}",
        "",
        f"{cpu_name()}, one thread, processor times. `python -m benchmarks.cost_model`",
        "",
        "| game | values | shards | processor time | estimate | an operation of a lane "
        "| read | a byte read and checked | written | a byte hashed and written | the rest of a task |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for case in CASES:
        lines.append(line(*case))
        print(lines[-1], flush=True)
    record = RUNS / f"{date.today().isoformat()}-cost-model.md"
    record.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
