"""The same solve by threads and by the workers of a cluster: `make bench-cluster`.

``python -m benchmarks.cluster --soak 30`` kills workers at random moments for 30 minutes instead,
while `maxi-unsaved` is solved again and again. Every solve must end with the known checksum. Both
append to ``benchmarks/runs/DATE-cluster.md``.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from datetime import date
from pathlib import Path
from threading import Event, Thread

import perfect_yatzy
from perfect_yatzy.tablebase.store import table_path

ROOT = Path(__file__).resolve().parent.parent
RUNS = ROOT / "benchmarks" / "runs"
TODAY = date.today().isoformat()
KEY = "maxi-unsaved"
REPEATS = 3
WAYS = {
    "two threads, one file": ("--threads", "2"),
    "two threads, shards": ("--threads", "2", "--shards"),
    "one worker": ("--workers", "1"),
    "two workers": ("--workers", "2"),
}


PR_SET_CHILD_SUBREAPER = 36  # of Linux: the orphans of a command become children of this process


def known_checksum() -> str:
    """SHA-256 of the values, as recorded."""
    sums = json.loads((ROOT / "tables" / "checksums.json").read_text(encoding="utf-8"))
    return str(sums[KEY]["sha256"])


def is_right(folder: str) -> bool:
    """Whether the solved table has the recorded checksum."""
    path = table_path(perfect_yatzy.load_rules(KEY), folder).with_suffix(".json")
    return json.loads(path.read_text(encoding="utf-8"))["sha256"] == known_checksum()


def solve(*options: str) -> tuple[float, float, float, str]:
    """Wall and CPU seconds of a whole solve with all its processes, seconds of the solve alone,
    what it said.
    """
    with tempfile.TemporaryDirectory() as folder:
        begin, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
        command = [
            sys.executable,
            "-m",
            "perfect_yatzy",
            "solve",
            KEY,
            "--tables",
            folder,
            "--yes",
            *options,
        ]
        process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        )
        assert process.stderr
        said = process.stderr.read()
        assert process.wait() == 0, said
        wall = time.perf_counter() - begin
        with suppress(
            ChildProcessError
        ):  # the process that workers are forked from ends after the command
            while True:
                os.wait()
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        assert is_right(folder)
        info = (
            table_path(perfect_yatzy.load_rules(KEY), folder)
            .with_suffix(".json")
            .read_text(encoding="utf-8")
        )
        cpu = usage.ru_utime + usage.ru_stime - before.ru_utime - before.ru_stime
        return wall, cpu, json.loads(info)["seconds"], said


def compare() -> list[str]:
    """Lines of the comparison: the least of some runs in turn."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    solve("--workers", "1")  # compiles the kernels
    found: dict[str, list[tuple[float, float, float, str]]] = {name: [] for name in WAYS}
    for _ in range(REPEATS):
        for name, options in WAYS.items():
            found[name].append(solve(*options))
            print(name, found[name][-1][:3], flush=True)
    lines = [
        f"## `{KEY}` by threads and by workers",
        "",
        f"The whole command, with imports and the start of the cluster; the least of {REPEATS} runs in turn, and",
        "all CPU seconds. Every table has the recorded checksum.",
        "",
        "| way | wall | solve alone | CPU, all processes | memory of a worker | all CPU seconds |",
        "|---|---:|---:|---:|---:|---|",
    ]
    for name, runs in found.items():
        memory = next(
            (line.split("most ")[1] for line in runs[-1][3].splitlines() if "at most" in line), ""
        ).split(" of")[0]
        wall, cpu, alone = (min(run[i] for run in runs) for i in range(3))
        every = ", ".join(f"{run[1]:.1f}" for run in runs)
        lines.append(
            f"| {name} | {wall:.1f} s | {alone:.1f} s | {cpu:.1f} s | {memory} | {every} |"
        )
    return lines


def soak(minutes: float) -> list[str]:
    """Solve again and again while workers are killed."""
    from perfect_yatzy.cluster.session import open_cluster

    stop, killed, seed = Event(), 0, int(time.time())
    solves: list[float] = []
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder, open_cluster(workers=2) as cluster:

        def kill() -> None:
            nonlocal killed
            while not stop.wait(chance.uniform(2, 30)):
                with suppress(Exception):
                    pids = list(cluster.engine.client.run(os.getpid, on_error="ignore").values())
                    os.kill(chance.choice(pids), signal.SIGKILL)
                    killed += 1

        Thread(target=kill, daemon=True).start()
        begin = time.monotonic()
        while time.monotonic() - begin < 60 * minutes:
            before = time.monotonic()
            cluster.solve(KEY, tables=folder, force=True)
            assert is_right(folder), "wrong checksum"
            solves.append(time.monotonic() - before)
            print(f"{len(solves)} solves, {killed} kills", flush=True)
        stop.set()
        most = max(cluster.engine.peak_memory.values())
    return [
        f"## Soak: {(time.monotonic() - begin) / 60:.0f} minutes of random kills",
        "",
        f"Two workers; one of them is killed with -9 every 2 to 30 seconds (seed {seed}).",
        f"{killed} kills, {len(solves)} solves of `{KEY}`, each with the recorded checksum.",
        f"A solve took {min(solves):.0f} to {max(solves):.0f} s. Most memory of a worker: {most / 1e6:.0f} MB.",
    ]


def main() -> None:
    """Run one of the two, and append the record."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--soak", type=float, metavar="MINUTES")
    minutes = parser.parse_args().soak
    lines = compare() if minutes is None else soak(minutes)
    record = RUNS / f"{TODAY}-cluster.md"
    head = (
        ""
        if record.exists()
        else f"# {TODAY}, solves on a cluster, perfect-yatzy {perfect_yatzy.__version__}\n"
    )
    with open(record, "a", encoding="utf-8") as file:
        file.write("\n".join([head, *lines]) + "\n")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
