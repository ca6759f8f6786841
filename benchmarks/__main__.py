"""Time a whole solve, the command as a process, queries and batches: `make bench`, two minutes.

The solve is compared with another program: both run alternately, several times, in one run. On a
noisy machine only medians and ratios of one run are meaningful. Answers are checked before times
are taken. The record is written to ``benchmarks/runs/DATE.md``.
"""

from __future__ import annotations

import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import date
from pathlib import Path

import numpy as np
import perfect_yatzy
from perfect_yatzy.core.resources import default_threads
from perfect_yatzy.strategy.verify import random_states
from perfect_yatzy.tablebase.in_memory import solve_values

RUNS = Path(__file__).resolve().parent / "runs"
VALUE = "248.4399893779"


def median_and_range(times: list[float]) -> str:
    return f"{statistics.median(times):.3f} s ({min(times):.3f} to {max(times):.3f}, {len(times)} times)"


def timed(action: Callable[[], object]) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def check_solve() -> None:
    value = f"{solve_values(perfect_yatzy.load_rules('yatzy'))[-1]:.10f}"
    assert value == VALUE, value


def warm_solves(times: int) -> list[float]:
    check_solve()
    rules = perfect_yatzy.load_rules("yatzy")
    return [timed(lambda: solve_values(rules)) for _ in range(times)]


def peer_builds(times: int) -> list[float]:
    """Seconds in which the PyPI package yatzy-solver builds the same table."""
    import yatzy_solver

    variant = yatzy_solver.Variant("yatzy-scandinavian")
    solvers = []
    seconds = [
        timed(lambda: solvers.append(yatzy_solver.Solver.build(variant))) for _ in range(times)
    ]
    assert f"{solvers[0].state_value('upper 0 | filled -'):.10f}" == VALUE
    return seconds


SOLVE_IN_NEW_PROCESS = """
import resource, time
import perfect_yatzy, perfect_yatzy.core.turn
start = time.perf_counter()
values = perfect_yatzy.solve(perfect_yatzy.load_rules("yatzy"))
seconds = time.perf_counter() - start
assert f"{values[-1]:.10f}" == "VALUE"
print(seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
""".replace("VALUE", VALUE)


def new_process_solve(cache: str) -> tuple[float, float]:
    """Seconds of the solve and peak memory in MB of a process that only solves."""
    env = os.environ | {"NUMBA_CACHE_DIR": cache}
    out = subprocess.run(
        [sys.executable, "-c", SOLVE_IN_NEW_PROCESS],
        capture_output=True,
        text=True,
        env=env,
        check=True,
    )
    seconds, kilobytes = out.stdout.split()
    return float(seconds), float(kilobytes) / 1024


def process_time(*args: str, expect: str) -> float:
    start = time.perf_counter()
    out = subprocess.run(
        [sys.executable, "-m", "perfect_yatzy", *args], capture_output=True, text=True, check=True
    )
    seconds = time.perf_counter() - start
    assert expect in out.stdout, out.stdout
    return seconds


def single_queries(strategy: perfect_yatzy.Strategy) -> list[float]:
    """Seconds of each of 200 hold queries in random states."""
    states = random_states(strategy.space, 200, seed=5)
    return [timed(lambda state=state: strategy.holds(state, "33456", 2)) for state in states]


def batch_rates(strategy: perfect_yatzy.Strategy, positions: int) -> list[float]:
    """Positions per second: random states of the whole table, random dice, random rolls left."""
    random = np.random.default_rng(1)
    states = list(random_states(strategy.space, positions, seed=1))
    filled, upper = np.array([s.filled for s in states]), np.array([s.upper for s in states])
    dice, rolls_left = random.integers(1, 7, (positions, 5)), random.integers(0, 3, positions)
    answer = strategy.best(filled, upper, dice, rolls_left)
    for i in range(25):
        best = (
            strategy.holds(states[i], dice[i], int(rolls_left[i]))[0]
            if rolls_left[i]
            else strategy.categories(states[i], dice[i])[0]
        )
        assert abs(answer.value[i] - best.value) < 1e-9
    return [
        positions / timed(lambda: strategy.best(filled, upper, dice, rolls_left)) for _ in range(5)
    ]


def main() -> None:
    """Run all benchmarks, print each result and write the record."""
    lines: list[str] = []

    def say(text: str = "") -> None:
        print(text, flush=True)
        lines.append(text)

    with tempfile.TemporaryDirectory() as folder:
        os.environ["YATZY_TABLES"] = folder
        say(f"# {date.today().isoformat()}, perfect-yatzy {perfect_yatzy.__version__}")
        say()
        say(
            f"{platform.processor() or platform.machine()}, {cpu_name()}, {default_threads()} threads, "
            f"Python {platform.python_version()}, numpy {np.__version__}"
        )
        say("Each answer was checked before its time was taken.")
        say()
        say("| measurement | result |")
        say("|---|---|")
        with tempfile.TemporaryDirectory() as cache:
            seconds, _ = new_process_solve(cache)
            say(f"| whole Yatzy table, first solve ever, compilation included | {seconds:.2f} s |")
            cached = [new_process_solve(cache) for _ in range(5)]
            say(
                f"| whole table, new process with the disk cache | {median_and_range([s for s, _ in cached])} |"
            )
            say(
                f"| peak memory of that process, imports included | {max(m for _, m in cached):.0f} MB |"
            )
        own: list[float] = []
        peer: list[float] = []
        for _ in range(3):  # alternately, so that other load on the machine affects both
            own += warm_solves(7)
            peer += peer_builds(1)
        ratio = statistics.median(peer) / statistics.median(own)
        say(f"| whole table, warm | {median_and_range(own)} |")
        say(
            f"| yatzy-solver (PyPI, Rust, float64), same table, same run | {median_and_range(peer)} |"
        )
        say(f"| ratio | {ratio:.0f} times faster |")
        rules = perfect_yatzy.load_rules("yatzy")
        one_thread = [timed(lambda: solve_values(rules, threads=1)) for _ in range(5)]
        say(f"| whole table, warm, one thread | {median_and_range(one_thread)} |")
        not_unrolled = [timed(lambda: solve_values(rules, unrolled=False)) for _ in range(6)][1:]
        say(f"| whole table, warm, passes not unrolled | {median_and_range(not_unrolled)} |")

        strategy = perfect_yatzy.open_strategy("yatzy")
        holds = [process_time("hold", "33456", expect="Hold 3 3 (⚂⚂)") for _ in range(9)]
        say(f"| `yatzy hold 33456` as a process, table present | {median_and_range(holds)} |")
        helps = [process_time("--help", expect="Optimal play") for _ in range(9)]
        say(f"| `yatzy --help` as a process | {median_and_range(helps)} |")
        single = single_queries(strategy)
        say(
            f"| one query in process, two rerolls left | {1000 * statistics.median(single):.2f} ms median, "
            f"{1000 * sorted(single)[-2]:.2f} ms second largest of {len(single)} |"
        )
        rates = batch_rates(strategy, 200_000)
        say(
            f"| batch query, random positions | {statistics.median(rates):,.0f} positions per second |"
        )
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        say(f"| peak memory of this whole run | {peak:.0f} MB |")
    RUNS.mkdir(exist_ok=True)
    record = RUNS / f"{date.today().isoformat()}.md"
    record.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(json.dumps({"record": str(record)}), file=sys.stderr)


def cpu_name() -> str:
    """Model of the processor, if Linux names it."""
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return "unknown processor"


if __name__ == "__main__":
    main()
