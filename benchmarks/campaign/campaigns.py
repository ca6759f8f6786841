"""The campaigns: many random cases of one kind, counted; each in full size and in a small one
for ring 2.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

from perfect_yatzy import open_strategy
from perfect_yatzy.service.budget import SolveBudget, SolveLimit
from perfect_yatzy.service.queries import QueryService

from .faults import fail_at_steps
from .rule_files import mutate_rule_files
from .strangers import try_machines
from .tally import Tally
from .texts import PIECES, fuzz_lines, fuzz_records, fuzz_texts, long_lines


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
    """Every file-system step of a solve fails in turn; in the small size every 31st."""
    stride = run.size(1, 31)
    with ProcessPoolExecutor(
        1, mp_context=get_context("spawn")
    ) as pool:  # it forks, so it must have one thread
        found = pool.submit(
            fail_at_steps, run.folder, stride, run.chosen.randint(1, stride)
        ).result()
    tally.cases += found.cases
    tally.failures += found.failures


def resume(tally: Tally, run: Run) -> None:
    """Interrupted solves whose files are swapped, deleted, cut or flipped, and that go on."""
    from .resume import resume_changed_work

    resume_changed_work(tally, run.folder, run.size(600, 30), run.chosen)


def flips(tally: Tally, run: Run) -> None:
    """Damaged files, open and closed."""
    from .flips import flip_files

    flip_files(tally, run.folder, run.size(20_000, 280), run.chosen)


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
    """Lines of --jsonl of the largest size; no goal or win is solved: that takes long for a
    short line too.
    """
    service = QueryService(run.tables, 1, budget=SolveBudget(objective=SolveLimit(seconds=0)))
    service.answer({"query": "hold", "dice": "33456"})
    long_lines(tally, service, run.chosen.sample(PIECES, run.size(len(PIECES), 2)))


def records(tally: Tally, run: Run) -> None:
    """Records and saved games."""
    strategy = open_strategy("yatzy", tables=run.tables)
    fuzz_records(tally, strategy, run.folder, run.size(4000, 60), run.chosen)


def requests(tally: Tally, run: Run) -> None:
    """Requests from the OpenAPI document."""
    from .requests import fuzz_requests

    open_strategy("yatzy", tables=run.tables)
    fuzz_requests(tally, run.tables, run.size(150, 6), run.chosen)


def certificates(tally: Tally, run: Run) -> None:
    """Bounds and approximate solutions of random rule sets."""
    from .certificates import certify

    certify(tally, run.folder, run.size(1000, 3), run.chosen)


def large_bodies(tally: Tally, run: Run) -> None:
    """Bodies of the largest size in every field, to a running server; in the small size to one
    query.
    """
    from support.server import is_error, largest_bodies, running_server

    queries = ("review",) if run.small else ("hold", "score", "expect", "outcomes", "review")
    with running_server(run.tables) as server:
        for query, name, body in [
            (each, *case) for each in queries for case in largest_bodies(each)
        ]:
            status, answer, _ = server.post(f"/api/{query}", body)
            tally.cases += 1
            tally.expect(
                f"{query} {name}",
                status == 200 or (status in (422, 503) and is_error(answer)),
                str(status),
            )


def strangers(tally: Tally, run: Run) -> None:
    """Homes, folders and files of other users, full disks, pipes in the place of files."""
    try_machines(tally, run.folder, run.size(300, 12), run.chosen)


def walks(tally: Tally, run: Run) -> None:
    """Random taps in four tabs, with reloads, closed tabs, a server out of reach, full storage."""
    from support.browser import Chromium
    from support.server import running_server
    from support.walk import Walk

    open_strategy("yatzy", tables=run.tables)
    taps, chromium = run.size(10_000, 30), Chromium()
    with running_server(run.tables) as server, chromium.running() as browser:
        for number in range(run.size(20, 1)):
            walk = Walk(browser.new_context(), f"{server.address}/", run.chosen)
            tally.run(f"walk {number}", lambda walk=walk: walk.run(taps // run.size(20, 1)))
            walk.context.close()
            tally.cases += walk.taps - 1
    chromium.close()


CAMPAIGNS: dict[str, Callable[[Tally, Run], None]] = {
    "SIGKILL, EIO, ENOSPC at the file-system steps of a solve": faults,
    "resumed solves whose files were swapped, deleted, cut or flipped": resume,
    "damaged tables, shards, archives, distributions and sites": flips,
    "strangers: homes, folders, disks and files of all kinds": strangers,
    "mutated rule files; accepted ones against the oracle": rule_files,
    "card, dice, names, opponents": texts,
    "lines of --jsonl": lines,
    "lines of --jsonl of the largest size in every field": longest_lines,
    "records and saved games": records,
    "certificates of random rule sets: bounds, and the same bits again": certificates,
    "requests from the OpenAPI document": requests,
    "bodies of the largest size, running server": large_bodies,
    "taps in four tabs of the page": walks,
}


def run_campaign(name: str, folder: Path, tables: Path, seed: int, small: bool) -> Tally:
    """Run one campaign; the same seed gives the same cases."""
    tally = Tally(name)
    CAMPAIGNS[name](tally, Run(folder, tables, random.Random(f"{seed} {name}"), small))
    return tally
