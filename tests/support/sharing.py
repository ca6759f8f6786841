"""Processes and threads that open or solve the same table at once."""

from __future__ import annotations

import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from perfect_yatzy.model.objectives import Objective
from perfect_yatzy.tablebase import store
from perfect_yatzy.tablebase.table_info import TableInfo

from support import games

OPEN = """
import sys, json
from perfect_yatzy.model.objectives import Objective
from perfect_yatzy.tablebase import store
from support import games
solved = []
write = store.write_table
store.write_table = lambda *given: solved.append(1) or write(*given)
print("ready", flush=True)
sys.stdin.readline()
for _ in range(int(sys.argv[2])):
    if sys.argv[3] == "solve":
        store.solve_to_store(Objective(games.saved_rolls_game("free", True)), sys.argv[1])
    else:
        info, values = store.open_table(Objective(games.saved_rolls_game("free", True)), sys.argv[1])
print(info.sha256 if sys.argv[3] == "open" else "", len(solved))
"""


def processes(folder: Path, count: int, times: int, what: str) -> list[subprocess.Popen[str]]:
    return [
        subprocess.Popen(
            [sys.executable, "-c", OPEN, str(folder), str(times), what],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).resolve().parent.parent,
        )
        for _ in range(count)
    ]


def run_together(started: list[subprocess.Popen[str]]) -> list[list[str]]:
    """Let all begin at once; the last line of each."""
    for process in started:
        assert process.stdout
        assert process.stdout.readline() == "ready\n"
    for process in started:
        assert process.stdin
        process.stdin.write("\n")
        process.stdin.flush()
    found = []
    for process in started:
        out, errors = process.communicate(timeout=120)
        assert process.returncode == 0, errors
        found.append(out.split())
    return found


def open_by_threads(folder: Path, count: int) -> tuple[set[str], int]:
    """Let threads of this process open a missing table at once; the hashes they see, and how many of them solved it."""
    solved: list[int] = []
    write, start = store.write_table, threading.Barrier(count)

    def counted(*given: Any) -> TableInfo:
        solved.append(1)
        return write(*given)

    def open_one(_: int) -> str:
        start.wait()
        return store.open_table(Objective(games.saved_rolls_game("free", True)), folder)[0].sha256

    store.write_table = counted
    try:
        with ThreadPoolExecutor(count) as pool:
            return set(pool.map(open_one, range(count))), len(solved)
    finally:
        store.write_table = write


def open_by_processes(folder: Path, count: int) -> tuple[set[str], int]:
    """The same by processes."""
    found = run_together(processes(folder, count, 1, "open"))
    return {sha256 for sha256, _ in found}, sum(int(solved) for _, solved in found)
