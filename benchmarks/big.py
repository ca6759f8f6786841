"""Time the games that take seconds to minutes: `make bench-big`. Each value is checked, each table
verified.

Needs 3 GB of disk and 2.5 GB of memory. The record is written to ``benchmarks/runs/DATE-big.md``.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import date
from pathlib import Path

import perfect_yatzy
from perfect_yatzy.core.resources import default_threads
from perfect_yatzy.tablebase.store import table_path

RUNS = Path(__file__).resolve().parent / "runs"
TODAY = date.today().isoformat()
# Expected final scores. That of maxi-tactic is published; the others were first computed by this
# package.
VALUES = {
    "yahtzee": "254.5877287345",
    "yatzy-saved": "280.4109275551",
    "maxi-tactic": "383.3054026849",
    "maxi-unsaved": "394.5575068204",
    "maxi": "496.6332603702",
}


def solve(key: str, folder: str) -> tuple[float, float]:
    """Wall seconds of the whole process, and its peak memory in GB."""
    start = time.perf_counter()
    command = [sys.executable, "-m", "perfect_yatzy", "solve", key, "--tables", folder]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    return time.perf_counter() - start, usage.ru_maxrss / 2**20


def hold_times(key: str, folder: str) -> tuple[float, float]:
    """Median seconds of a hold query as a process and in process."""
    dice = "112356" if key.startswith("maxi") else "12356"
    command = [
        sys.executable,
        "-m",
        "perfect_yatzy",
        "hold",
        dice,
        "--rules",
        key,
        "--tables",
        folder,
    ]
    processes = []
    for _ in range(7):
        start = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        processes.append(time.perf_counter() - start)
    strategy = perfect_yatzy.open_strategy(key, folder)
    calls = []
    for _ in range(15):
        start = time.perf_counter()
        strategy.holds("", dice)
        calls.append(time.perf_counter() - start)
    return statistics.median(processes), statistics.median(calls)


def main() -> None:
    """Solve all games, print each result and write the record."""
    lines = [
        f"# {TODAY}, the big games, perfect-yatzy {perfect_yatzy.__version__}, {default_threads()} threads",
        "",
        "Whole process: imports and writing included. Compiled kernels on disk. Error: bound of any stored value.",
        "",
        "| rules | value | values | solving | whole process | peak memory | error | hold, process | in process |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    print("\n".join(lines), flush=True)
    with tempfile.TemporaryDirectory() as folder:
        solve("maxi-forced", folder)  # compiles the kernels of six dice
        for key, value in VALUES.items():
            wall, memory = solve(key, folder)
            path = table_path(perfect_yatzy.load_rules(key), folder)
            info = json.loads(path.with_suffix(".json").read_text())
            assert f"{info['start_value']:.10f}" == value, info["start_value"]
            verify = [
                sys.executable,
                "-m",
                "perfect_yatzy",
                "tables",
                "--verify",
                key,
                "--tables",
                folder,
            ]
            subprocess.run(verify, check=True, stdout=subprocess.DEVNULL)
            process, call = hold_times(key, folder)
            lines.append(
                f"| `{key}` | {value} | {info['values']:,} | {info['seconds']:.2f} s | {wall:.2f} s "
                f"| {memory:.2f} GB | {info['rounding']:.1e} | {process:.2f} s | {1000 * call:.1f} ms |"
            )
            print(lines[-1], flush=True)
            path.unlink()
    RUNS.mkdir(exist_ok=True)
    (RUNS / f"{TODAY}-big.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
