"""The campaigns: many random cases of one kind, counted, with a seed; each also in a small size for the quick tests.

``python -m support.campaigns --seed N`` (or `make campaign`) runs all in full size, prints the table of cases and
failures, and writes it to ``benchmarks/runs``.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from perfect_yatzy import __version__, open_strategy
from perfect_yatzy.game.rule_loader import load_rules
from perfect_yatzy.model.objectives import Goals, Objective
from perfect_yatzy.service.budget import SolveBudget, SolveLimit
from perfect_yatzy.service.queries import QueryService

from support import games
from support.command import ROOT
from support.flips import flip_blocks, flip_whole_files
from support.rule_files import mutate_rule_files
from support.sharing import open_by_processes, open_by_threads
from support.tally import Tally, markdown_table
from support.text_fuzz import PIECES, fuzz_lines, fuzz_records, fuzz_texts, long_lines


@dataclass(frozen=True)
class Run:
    """What a campaign gets.

    Attributes
    ----------
    folder : Path
        For its files.
    tables : Path
        A store in which Yatzy is solved, or will be.
    chosen : Random
        All random choices.
    small : bool
        Whether seconds matter.
    """

    folder: Path
    tables: Path
    chosen: random.Random
    small: bool

    def size(self, full: int, small: int) -> int:
        """The number of cases."""
        return small if self.small else full


def faults(tally: Tally, run: Run) -> None:
    """Every file-system step of a solve fails in turn; in the small size every 11th."""
    stride = run.size(1, 11)
    first = run.chosen.randint(1, stride)
    found = subprocess.run(
        [sys.executable, "-m", "support.faults", str(run.folder), str(stride), str(first)],
        cwd=Path(__file__).resolve().parent.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    tally.expect("the process", found.returncode == 0, found.stderr[-2000:])
    result = json.loads(found.stdout.splitlines()[-1])
    tally.cases += result["cases"]
    tally.failures += result["failures"]


def small_flips(tally: Tally, run: Run) -> None:
    """Single bits of tables that are hashed whole."""
    objectives = [Objective(games.saved_rolls_game("free", True)), Goals(games.joker_game("free"))]
    for objective in objectives:
        flip_whole_files(tally, run.folder, objective, run.size(3000, 100), run.chosen)


def block_flips(tally: Tally, run: Run) -> None:
    """Single bits of the table of Yatzy, hashed by blocks."""
    flip_blocks(tally, run.folder, Objective(load_rules("yatzy")), run.size(5000, 60), run.chosen)


def rule_files(tally: Tally, run: Run) -> None:
    """Mutated rule files."""
    mutate_rule_files(tally, run.folder, run.size(4000, 150), run.size(150, 6), run.chosen)


def texts(tally: Tally, run: Run) -> None:
    """Card, dice, names and opponents."""
    fuzz_texts(tally, open_strategy("yatzy", tables=run.tables), run.size(40_000, 600), run.chosen)


def lines(tally: Tally, run: Run) -> None:
    """Lines of --jsonl."""
    service = QueryService(run.tables, 1)
    for query in ({"query": "hold", "dice": "33456"}, {"query": "expect", "spread": False}):
        service.answer(query)
    fuzz_lines(tally, service, run.size(15_000, 200), run.chosen)


def longest_lines(tally: Tally, run: Run) -> None:
    """Lines of --jsonl of the largest size; no goal or win is solved, because that takes long for a short line too."""
    service = QueryService(run.tables, 1, budget=SolveBudget(objective=SolveLimit(seconds=0)))
    service.answer({"query": "hold", "dice": "33456"})
    long_lines(tally, service, run.chosen.sample(PIECES, run.size(len(PIECES), 2)))


def records(tally: Tally, run: Run) -> None:
    """Records and saved games."""
    strategy = open_strategy("yatzy", tables=run.tables)
    fuzz_records(tally, strategy, run.folder, run.size(4000, 60), run.chosen)


def api(tally: Tally, run: Run) -> None:
    """Requests from the OpenAPI document."""
    from support.api_fuzz import fuzz_api

    open_strategy("yatzy", tables=run.tables)
    fuzz_api(tally, run.tables, run.size(150, 6), run.chosen)


def large_bodies(tally: Tally, run: Run) -> None:
    """Bodies of the largest size in every field, to a running server; in the small size to one query."""
    from support.server import is_error, largest_bodies, running_server

    with running_server(run.tables) as server:
        for path, name, body in largest_bodies():
            if run.small and not path.endswith("review"):
                continue
            status, answer, _ = server.post(path, body)
            case = f"{path} {name}"
            tally.cases += 1
            tally.expect(case, status == 200 or (status in (422, 503) and is_error(answer)), str(status))


def first_use(tally: Tally, run: Run) -> None:
    """Many threads and many processes open the same missing table: no error, and one of them solves it."""
    for number in range(run.size(3, 1)):
        for opened, count in ((open_by_threads, 64), (open_by_processes, run.size(16, 4))):
            folder = run.folder / f"{opened.__name__}-{number}"
            folder.mkdir()
            result = tally.run(opened.__name__, lambda: opened(folder, count))  # noqa: B023
            tally.expect(opened.__name__, result is not None and (len(result[0]), result[1]) == (1, 1), str(result))


CAMPAIGNS: dict[str, Callable[[Tally, Run], None]] = {
    "SIGKILL, EIO, ENOSPC at the file-system steps of a solve": faults,
    "single flipped bits, small tables and sidecars": small_flips,
    "single flipped bits, table hashed by blocks": block_flips,
    "mutated rule files; accepted ones against the oracle": rule_files,
    "card, dice, names, opponents": texts,
    "lines of --jsonl": lines,
    "lines of --jsonl of the largest size in every field": longest_lines,
    "records and saved games": records,
    "requests from the OpenAPI document": api,
    "bodies of the largest size, running server": large_bodies,
    "first use by 64 threads and by 16 processes": first_use,
}


def run_campaign(name: str, folder: Path, tables: Path, seed: int, small: bool) -> Tally:
    """Run one campaign; the same seed gives the same cases."""
    tally = Tally(name)
    CAMPAIGNS[name](tally, Run(folder, tables, random.Random(f"{seed} {name}"), small))
    return tally


def main() -> None:
    """Run all in full size."""
    parser = argparse.ArgumentParser(description="Run all campaigns and record the figures.")
    parser.add_argument("--seed", type=int, default=int(time.time()), help="default: the time")
    parser.add_argument("--small", action="store_true", help="a few cases of each; nothing is recorded")
    given = parser.parse_args()
    tallies = []
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as tables:
        os.environ["YATZY_TABLES"] = tables
        for name in CAMPAIGNS:
            with tempfile.TemporaryDirectory() as folder:
                begun = time.perf_counter()
                tallies.append(run_campaign(name, Path(folder), Path(tables), given.seed, given.small))
            seconds = time.perf_counter() - begun
            print(
                f"{name}: {tallies[-1].cases} cases, {len(tallies[-1].failures)} failures, {seconds:.0f} s",
                file=sys.stderr,
            )
            for failure in tallies[-1].failures[:10]:
                print(f"  {failure}", file=sys.stderr)
    print(markdown_table(tallies))
    if not given.small:
        day = datetime.date.today().isoformat()
        text = f"# Campaign of {day}\n\nSeed {given.seed}, version {__version__}, {time.perf_counter() - started:.0f} s.\n\n"
        failures = "".join(f"- {tally.name}: {failure}\n" for tally in tallies for failure in tally.failures[:20])
        text += markdown_table(tallies) + "\n" + (f"\n## Failures\n\n{failures}" if failures else "")
        (ROOT / "benchmarks" / "runs" / f"{day}-campaign.md").write_text(text, encoding="utf-8")
    sys.exit(any(tally.failures for tally in tallies))


if __name__ == "__main__":
    main()
