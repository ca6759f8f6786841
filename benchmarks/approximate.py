"""Games too large to solve: strategy, bound, time and memory of each: `make bench-approximate`,
half an hour.

Answers are asserted: on solved games strategy <= exact value <= bound, on Giant Yatzy at least 1734
and at most 1761. `python -m benchmarks.approximate giant` measures some rule sets only. The record
is written to ``benchmarks/runs/DATE-approximate.md``.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from datetime import date
from pathlib import Path
from typing import NamedTuple

import perfect_yatzy
from perfect_yatzy.approximation.approximate_cost import BOUND_WORK
from perfect_yatzy.approximation.solve import verify_approximate
from perfect_yatzy.settings import Settings

RUNS = Path(__file__).resolve().parent / "runs"


class Wanted(NamedTuple):
    """What a result must be: least mean, highest bound, largest half width of the interval,
    exact value if known.
    """

    mean: float
    bound: float
    half_width: float
    exact: float | None = None


WANTED = {
    "yatzy": Wanted(0.9985 * 248.4399893779, 1.011 * 248.4399893779, 0.1, 248.4399893779),
    "yahtzee-plain": Wanted(0.9985 * 245.8707745141, 1.011 * 245.8707745141, 0.1, 245.8707745141),
    "maxi-unsaved": Wanted(0.9985 * 394.5575068204, 1.051 * 394.5575068204, 0.15, 394.5575068204),
    "giant": Wanted(1734.0, 1761.0, 0.5),
    "giant+six-rolls": Wanted(2518.0, 2557.0, 0.5),
}
MAX_SECONDS, MAX_BYTES = 900.0, 2e9
ROUNDING = 1e-9  # the exact values have ten decimals

RUN = """
import sys, perfect_yatzy
perfect_yatzy.approximate(sys.argv[1], sys.argv[2], work=float(sys.argv[3]))
"""


def measured(name: str, work: float, folder: str) -> tuple[str, list[str]]:
    """Solve one rule set in a process of its own: a line of the record, and what is not as
    wanted.
    """
    wanted, rules = WANTED[name], perfect_yatzy.load_rules(name)
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", RUN, name, folder, str(work)], check=True)
    wall = time.perf_counter() - began
    from perfect_yatzy.approximation.opening import open_approximate

    found = open_approximate(rules, folder).certificate
    low = found.interval99[0]
    assert low <= found.upper_bound
    if wanted.exact is not None:
        assert low - ROUNDING <= wanted.exact <= found.upper_bound + ROUNDING
    failed = [
        check.name
        for check in verify_approximate(Settings(folder), rules, games=500, seed=7)
        if not check.passed
    ]
    for what, holds in (
        (f"mean below {wanted.mean:.1f}", found.mean >= wanted.mean),
        (f"bound above {wanted.bound:.1f}", found.upper_bound <= wanted.bound),
        (f"interval wider than {wanted.half_width}", found.half_width <= wanted.half_width),
        (f"longer than {MAX_SECONDS:.0f} s", wall <= MAX_SECONDS),
        ("more than 2 GB", found.memory <= MAX_BYTES),
    ):
        failed += [] if holds else [what]
    exact = f"{wanted.exact:.4f}" if wanted.exact is not None else ""
    plain = f"{found.plain_mean:.2f} ± {found.plain_error:.2f}"
    line = (
        f"| {name} | {exact} | {found.mean:.3f} ± {found.half_width:.3f} | {plain} | {found.upper_bound:.3f} | "
        f"{100 * found.gap:.2f} % | {wall:.0f} s | {found.memory / 1e9:.2f} GB | {len(found.exact_boxes)} |"
    )
    return line, [f"{name}: {reason}" for reason in failed]


def query_seconds(folder: str) -> float:
    """Seconds of `yatzy hold` for Giant Yatzy as a process; the best of five."""
    command = [
        sys.executable,
        "-m",
        "perfect_yatzy",
        "hold",
        "112233455666",
        "--rules",
        "giant",
        "--tables",
        folder,
    ]
    seconds = []
    for _ in range(5):
        start = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def main() -> None:
    """Measure the rule sets of the command line, or all, and write the record."""
    names = sys.argv[1:] or [*WANTED]
    lines = [
        f"# Games too large to solve, {date.today().isoformat()}",
        "",
        "Means with the luck of the dice removed, and plain; half of 99 % intervals. Two shared cores.",
        "",
        "| rules | exact | strategy | plain mean | bound | gap | time | memory | exact boxes |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    missed = []
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            work = BOUND_WORK / 1e12 if WANTED[name].exact is None else 12.0
            line, failed = measured(name, work, folder)
            print(line, *failed, sep="\n", flush=True)
            lines.append(line)
            missed += failed
        if "giant" in names:
            lines += [
                "",
                f"`yatzy hold` for Giant Yatzy, the whole process: {query_seconds(folder):.2f} s.",
            ]
    lines += ["", *(f"- Not as wanted: {reason}" for reason in missed)]
    RUNS.mkdir(exist_ok=True)
    (RUNS / f"{date.today().isoformat()}-approximate.md").write_text(
        "\n".join(lines).rstrip() + "\n"
    )


if __name__ == "__main__":
    main()
