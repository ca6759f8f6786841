"""Measure everything the README claims, side by side where there is something to compare with.

Two programs are timed in turn, several times, in one run; medians and ratios are what counts on a noisy machine.
The record goes to ``benchmarks/runs/DATE.md``.
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
from perfect_yatzy.strategy.verify import random_states
from perfect_yatzy.tablebase.backward_induction import default_threads, solve_values

RUNS = Path(__file__).resolve().parent / "runs"
VALUE = "248.4399893779"


def median_and_range(times: list[float]) -> str:
    return f"{statistics.median(times):.3f} s ({min(times):.3f} to {max(times):.3f}, {len(times)} times)"


def timed(action: Callable[[], object]) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def check_solve() -> None:
    found = f"{solve_values(perfect_yatzy.load_rules('yatzy'))[-1]:.10f}"
    assert found == VALUE, found


def warm_solves(times: int) -> list[float]:
    check_solve()
    rules = perfect_yatzy.load_rules("yatzy")
    return [timed(lambda: solve_values(rules)) for _ in range(times)]


def peer_builds(times: int) -> list[float]:
    """The PyPI package yatzy-solver builds the same table."""
    import yatzy_solver

    variant = yatzy_solver.Variant("yatzy-scandinavian")
    built = []

    def build() -> None:
        built[:] = [yatzy_solver.Solver.build(variant)]

    found = [timed(build) for _ in range(times)]
    assert f"{built[0].state_value('upper 0 | filled -'):.10f}" == VALUE
    return found


SOLVE_IN_NEW_PROCESS = """
import resource, time
import perfect_yatzy, perfect_yatzy.kernels.turn
start = time.perf_counter()
values = perfect_yatzy.solve(perfect_yatzy.load_rules("yatzy"))
seconds = time.perf_counter() - start
assert f"{values[-1]:.10f}" == "VALUE"
print(seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
""".replace("VALUE", VALUE)


def new_process_solve(cache: str) -> tuple[float, float]:
    """Seconds of solving and peak memory in MB of a process that does nothing else."""
    env = os.environ | {"NUMBA_CACHE_DIR": cache}
    out = subprocess.run(
        [sys.executable, "-c", SOLVE_IN_NEW_PROCESS], capture_output=True, text=True, env=env, check=True
    )
    seconds, kilobytes = out.stdout.split()
    return float(seconds), float(kilobytes) / 1024


def process_time(*args: str, expect: str) -> float:
    start = time.perf_counter()
    out = subprocess.run([sys.executable, "-m", "perfect_yatzy", *args], capture_output=True, text=True, check=True)
    seconds = time.perf_counter() - start
    assert expect in out.stdout, out.stdout
    return seconds


def single_queries(strategy: perfect_yatzy.Strategy) -> list[float]:
    found = []
    for state in random_states(strategy.space, 200, seed=5):
        found.append(timed(lambda state=state: strategy.holds(state, "33456", 2)))
    return found


def batched(strategy: perfect_yatzy.Strategy, positions: int) -> list[float]:
    """Positions a second: random states of the whole table, random dice, random rolls left."""
    random = np.random.default_rng(1)
    states = list(random_states(strategy.space, positions, seed=1))
    filled, upper = np.array([s.filled for s in states]), np.array([s.upper for s in states])
    dice, left = random.integers(1, 7, (positions, 5)), random.integers(0, 3, positions)
    answer = strategy.best(filled, upper, dice, left)
    for i in range(25):
        best = (
            strategy.holds(states[i], dice[i], int(left[i]))[0]
            if left[i]
            else strategy.categories(states[i], dice[i])[0]
        )
        assert abs(answer.value[i] - best.value) < 1e-9
    return [positions / timed(lambda: strategy.best(filled, upper, dice, left)) for _ in range(5)]


def main() -> None:
    """Run all, print as it goes, keep the record."""
    lines: list[str] = []

    def say(text: str = "") -> None:
        print(text, flush=True)
        lines.append(text)

    with tempfile.TemporaryDirectory() as folder:
        os.environ["YATZY_TABLES"] = folder
        say(f"# {date.today().isoformat()}, perfect-yatzy {perfect_yatzy.__version__}")
        say()
        say(f"{platform.processor() or platform.machine()}, {cpu_name()}, {default_threads()} threads, "
            f"Python {platform.python_version()}, numpy {np.__version__}")  # fmt: skip
        say("Each answer was asserted before its time was taken.")
        say()
        say("| what | result |")
        say("|---|---|")
        with tempfile.TemporaryDirectory() as cache:
            seconds, _ = new_process_solve(cache)
            say(f"| whole Yatzy table, first ever solve, compilation included | {seconds:.2f} s |")
            cached = [new_process_solve(cache) for _ in range(5)]
            say(f"| whole table, new process with the disk cache | {median_and_range([s for s, _ in cached])} |")
            say(f"| peak memory of that process, imports included | {max(m for _, m in cached):.0f} MB |")
        ours: list[float] = []
        theirs: list[float] = []
        for _ in range(3):  # in turn, so that both meet the same neighbours
            ours += warm_solves(7)
            theirs += peer_builds(1)
        ratio = statistics.median(theirs) / statistics.median(ours)
        say(f"| whole table, warm | {median_and_range(ours)} |")
        say(f"| yatzy-solver (PyPI, Rust, float64), same table, same run | {median_and_range(theirs)} |")
        say(f"| ratio | {ratio:.0f} times faster |")
        one = [timed(lambda: solve_values(perfect_yatzy.load_rules("yatzy"), threads=1)) for _ in range(5)]
        say(f"| whole table, warm, one thread | {median_and_range(one)} |")
        plain = [timed(lambda: solve_values(perfect_yatzy.load_rules("yatzy"), unrolled=False)) for _ in range(6)][1:]
        say(f"| whole table, warm, lattice driven by index arrays | {median_and_range(plain)} |")

        strategy = perfect_yatzy.open_strategy("yatzy")
        asked = [process_time("hold", "33456", expect="Hold 3 3 (⚂⚂)") for _ in range(9)]
        say(f"| `yatzy hold 33456` as a process, table present | {median_and_range(asked)} |")
        helped = [process_time("--help", expect="Optimal play") for _ in range(9)]
        say(f"| `yatzy --help` as a process | {median_and_range(helped)} |")
        single = single_queries(strategy)
        say(f"| one query in process, two rerolls left | {1000 * statistics.median(single):.2f} ms median, "
            f"{1000 * sorted(single)[-2]:.2f} ms worst but one of {len(single)} |")  # fmt: skip
        rates = batched(strategy, 200_000)
        say(f"| batched query, random positions | {statistics.median(rates):,.0f} positions a second |")
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        say(f"| peak memory of this whole run | {peak:.0f} MB |")
    RUNS.mkdir(exist_ok=True)
    record = RUNS / f"{date.today().isoformat()}.md"
    record.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(json.dumps({"record": str(record)}), file=sys.stderr)


def cpu_name() -> str:
    """Model of the processor, where Linux tells it."""
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return "unknown processor"


if __name__ == "__main__":
    main()
