"""One line a run: `make bench-series` appends the processor time of solving Yatzy, and of one
question to a process that asks many, relative to a fixed C program.

The program, ``reference.c``, is compiled on the spot and runs in turn with the solves, so that
lines of different machines and hours compare. A line also has the hash of the values: what is timed
is the same work with the same bits.
"""

from __future__ import annotations

import hashlib
import resource
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from datetime import date

import perfect_yatzy
from perfect_yatzy.tablebase.in_memory import solve_values

from benchmarks.__main__ import RUNS, cpu_name
from benchmarks.queries import microseconds, positions

SERIES = RUNS / "series.tsv"
COLUMNS = ("date", "commit", "processor", "sha256", "solve", "reference", "ratio")
# The last column, of later lines only: microseconds of `best_action`, per second of the reference.
COLUMNS += ("question_ratio",)
CHECKSUM = "2658930.243634"  # what the reference prints on every machine
TIMES = 9


def processor_seconds(action: Callable[[], object], who: int) -> float:
    """User time of an action, of this process or of its children."""
    before = resource.getrusage(who).ru_utime
    action()
    return resource.getrusage(who).ru_utime - before


def measured() -> tuple[str, float, float, float]:
    """The hash of Yatzy's values; the median seconds of its solve on one thread and of the
    reference; the median microseconds of a question.
    """
    rules = perfect_yatzy.load_rules("yatzy")
    digest = hashlib.sha256(solve_values(rules, threads=1).data).hexdigest()  # compiles the kernels
    with tempfile.TemporaryDirectory() as folder:
        program = f"{folder}/reference"
        subprocess.run(["cc", "-O2", str(RUNS.parent / "reference.c"), "-o", program], check=True)

        def refer() -> None:
            printed = subprocess.run([program], capture_output=True, text=True, check=True).stdout
            assert printed.strip() == CHECKSUM, printed

        solves, references, questions = [], [], []
        strategy, asked = perfect_yatzy.open_strategy(rules), positions(500, seed=1)
        strategy.prepare()
        for _ in range(TIMES):
            solves.append(
                processor_seconds(lambda: solve_values(rules, threads=1), resource.RUSAGE_SELF)
            )
            references.append(processor_seconds(refer, resource.RUSAGE_CHILDREN))
            questions.append(microseconds(strategy.best_action, asked))
            time.sleep(0.1)
    medians = (statistics.median(times) for times in (solves, references, questions))
    return digest, *medians


def git(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["git", *words], capture_output=True, text=True, check=False, cwd=RUNS)


def main() -> None:
    """Append a line to the series and print it."""
    commit = git("rev-parse", "--short=12", "HEAD").stdout.strip() or "unknown"
    changed = git("diff", "--quiet", "HEAD", "--", "../../solver").returncode == 1
    digest, solve, reference, question = measured()
    figures = (f"{solve:.4f}", f"{reference:.4f}", f"{solve / reference:.3f}")
    figures += (f"{question / reference:.1f}",)
    line = "\t".join(
        (date.today().isoformat(), commit + "+" * changed, cpu_name(), digest[:12], *figures)
    )
    with open(SERIES, "a", encoding="utf-8") as file:
        if not file.tell():
            file.write("\t".join(COLUMNS) + "\n")
        file.write(line + "\n")
    print(line)


if __name__ == "__main__":
    main()
