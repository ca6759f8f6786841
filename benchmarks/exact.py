"""Proofs in exact integers beside a plain C++ program of the same recursion: `make bench-exact`,
four minutes.

`exact.cpp` is compiled with g++. Both solve the whole of Yatzy on two threads, in turn, each in a
process of its own. The numerators must be equal before a time is taken. The record is
``benchmarks/runs/DATE-exact.md``.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from datetime import date
from fractions import Fraction
from pathlib import Path

from .__main__ import cpu_name, median_and_range

RUNS = Path(__file__).resolve().parent / "runs"
REPEATS = 4
COMPILE = ("g++", "-O3", "-march=native", "-std=c++17", "-pthread")
GAMES = (
    "yahtzee",
    "kniffel",
    "kismet",
    "balut",
    "yams",
    "crag",
    "yacht",
    "generala",
    "cheerio",
    "yatzy-forced",
)


def measured(*command: str) -> tuple[str, float, float, float]:
    """The output of a process, its wall and processor seconds, and its most memory in GB."""
    begin = time.perf_counter()
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    assert process.stdout
    output = process.stdout.read()
    _pid, status, usage = os.wait4(process.pid, 0)
    assert status == 0, command
    return (
        output,
        time.perf_counter() - begin,
        usage.ru_utime + usage.ru_stime,
        usage.ru_maxrss / 1e6,
    )


def prove(game: str, folder: str) -> tuple[Fraction, float, float, float]:
    """The value that `yatzy solve --exact` finds, with its times and memory; the whole command."""
    command = (
        "-m",
        "perfect_yatzy",
        "solve",
        game,
        "--exact",
        "--threads",
        "2",
        "--tables",
        folder,
        "--json",
    )
    output, *figures = measured(sys.executable, *command)
    value = json.loads(output)["value"]
    wall, processor, memory = figures
    return Fraction(int(value["numerator"]), int(value["denominator"])), wall, processor, memory


def main() -> None:
    """Compare, and write the record."""
    with tempfile.TemporaryDirectory() as folder:
        program = f"{folder}/exact"
        subprocess.run([*COMPILE, str(RUNS.parent / "exact.cpp"), "-o", program], check=True)
        prove("generala", folder)  # compiles the kernels
        ours: list[tuple[float, float, float]] = []
        theirs: list[tuple[float, float, float]] = []
        for _ in range(REPEATS):
            output, *figures = measured(program, "2")
            value, *own = prove("yatzy", folder)
            assert Fraction(int(output.split()[0], 16), 6**225) == value
            theirs.append((figures[0], figures[1], figures[2]))
            ours.append((own[0], own[1], own[2]))
        rows = ["| program | wall time | processor time | memory |", "|---|---|---|---:|"]
        for name, runs in (
            ("`yatzy solve yatzy --exact`, the whole command", ours),
            ("C++", theirs),
        ):
            wall, processor, memory = zip(*runs, strict=True)
            times = f"{median_and_range([*wall])} | {median_and_range([*processor])}"
            rows.append(f"| {name} | {times} | {max(memory):.2f} GB |")
        rows += ["", "| other games | wall time | processor time |", "|---|---:|---:|"]
        for game in GAMES:
            _value, wall_time, cpu_time, _memory = prove(game, folder)
            rows.append(f"| `{game}` | {wall_time:.1f} s | {cpu_time:.1f} s |")
    version = subprocess.run(
        ["g++", "--version"], capture_output=True, text=True, check=True
    ).stdout.splitlines()[0]
    text = [
        f"# {date.today()}, proofs in exact integers",
        "",
        f"{cpu_name()}, two threads, {version}, `{' '.join(COMPILE)}`. In turn, {REPEATS} times;",
        f"load at the end {os.getloadavg()[0]:.1f}.",
        "",
        "Both find the same numerator. The command also compares every value with float64, and counts ties and gaps.",
        "",
        *rows,
        "",
    ]
    path = RUNS / f"{date.today()}-exact.md"
    path.write_text("\n".join(text), encoding="utf-8")
    print("\n".join(text))


if __name__ == "__main__":
    main()
