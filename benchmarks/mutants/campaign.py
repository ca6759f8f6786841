"""Plants one change after the other and runs tests, the nearest first, until one fails."""

from __future__ import annotations

import queue
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event

from .changes import JAVASCRIPT, PYTHON, Change, choose, sources
from .checkout import Checkout
from .nearest_tests import nearest_tests

CAUGHT, OUT_OF_TIME, SURVIVED = "caught", "out of time", "survived"


@dataclass(frozen=True)
class Plan:
    """What a campaign does.

    Attributes
    ----------
    begin : int
        The number of the first change that is tried, from 1.
    ring : int
        The highest ring; what survives one ring is tried in the next one.
    is_nearest_only : bool
        Whether to leave out the tests that are not named for a folder.
    patience : float
        Seconds without a finished test after which a run counts as caught.
    """

    seed: int
    count: int
    javascript: int
    begin: int = 1
    ring: int = 1
    workers: int = 2
    is_nearest_only: bool = False
    patience: float = 900.0


@dataclass(frozen=True)
class Result:
    """What became of a planted change.

    Attributes
    ----------
    ring : int
        In which ring it was caught; the highest one tried if it survived.
    test : str
        The test that caught it; empty if none failed.
    is_nearest : bool
        Whether the test is one of those named for the folder.
    """

    change: Change
    outcome: str
    ring: int
    test: str = ""
    is_nearest: bool = True
    seconds: float = 0.0


def planned_changes(root: Path, plan: Plan) -> list[Change]:
    """The changes of a seed, those of Python first."""
    counts = {PYTHON: plan.count - plan.javascript, JAVASCRIPT: plan.javascript}
    return [
        change
        for language, count in counts.items()
        for change in choose(sources(root, language), count, f"{plan.seed} {language}")
    ]


@dataclass(frozen=True)
class Step:
    """Tests that run in one process.

    Attributes
    ----------
    tests : tuple of str
        Folders and files, or patterns of their names.
    options : tuple of str
        Options of pytest.
    is_nearest : bool
        Whether the tests are named for the folder of the change.
    """

    ring: int
    tests: tuple[str, ...]
    options: tuple[str, ...]
    is_nearest: bool


def steps(path: str, plan: Plan) -> Iterator[Step]:
    """What runs after a change of a file, the nearest tests first, without a test twice."""
    nearest = nearest_tests(path)
    for ring in range(1, plan.ring + 1):
        options = ("--ring", str(ring), "--seed", str(plan.seed), "--as-given")
        yield Step(ring, nearest, options, is_nearest=True)
        if not plan.is_nearest_only:
            yield Step(ring, ("tests",), options, is_nearest=False)


class Campaign:
    """A run over the changes of a seed.

    Parameters
    ----------
    root : Path
        The checkout.
    folder : Path
        A folder for the copies.
    """

    def __init__(self, root: Path, folder: Path, plan: Plan) -> None:
        self.plan, self.stop = plan, Event()
        # The ring and the name of tests that pass or fail without a change.
        self.passing: set[tuple[int, str]] = set()
        self.failing: set[tuple[int, str]] = set()
        self.checkouts: queue.SimpleQueue[Checkout] = queue.SimpleQueue()
        for number in range(plan.workers):
            (folder / str(number)).mkdir()
            copy = Checkout(root, folder / str(number), plan.patience, self.stop)
            copy.copy_kernels()
            self.checkouts.put(copy)
        self.changes = planned_changes(copy.path, plan)[plan.begin - 1 :]

    def results(self) -> Iterator[Result]:
        """Each result as soon as it is known."""
        checkout = self.checkouts.get()
        checkout.check("--ring", str(self.plan.ring))
        self.checkouts.put(checkout)
        with ThreadPoolExecutor(self.plan.workers) as pool:
            try:
                waiting = [pool.submit(self.result_of, change) for change in self.changes]
                for done in as_completed(waiting):
                    yield done.result()
            finally:
                self.stop.set()
                pool.shutdown(cancel_futures=True)

    def result_of(self, change: Change) -> Result:
        """Run the tests of a change until one fails."""
        checkout, started = self.checkouts.get(), time.monotonic()
        result = Result(change, SURVIVED, self.plan.ring)
        try:
            for step in steps(change.path, self.plan):
                outcome, test = self.outcome(checkout, change, step)
                if outcome != SURVIVED:
                    result = Result(change, outcome, step.ring, test, step.is_nearest)
                    break
        finally:
            self.checkouts.put(checkout)
        return replace(result, seconds=time.monotonic() - started)

    def outcome(self, checkout: Checkout, change: Change, step: Step) -> tuple[str, str]:
        """The outcome of a step, and the test that fails with the change only."""
        while True:
            left_out = [test for ring, test in sorted(self.failing) if ring == step.ring]
            deselected = [f"--deselect={test}" for test in left_out]
            files = self.files(checkout, change, step)
            with checkout.with_change(change):
                run = checkout.run_tests(*files, *step.options, *deselected)
            if run.is_out_of_time:
                return OUT_OF_TIME, ""
            if run.has_passed:
                return SURVIVED, ""
            if not run.failed:  # the process ended
                return CAUGHT, ""
            if all(self.passes_without_change(checkout, test, step) for test in run.failed):
                return CAUGHT, run.failed[0]
            if set(run.failed) & set(left_out):
                raise RuntimeError(f"fails without a change and cannot be left out: {run.failed}")

    def files(self, checkout: Checkout, change: Change, step: Step) -> list[str]:
        """The files of tests of a step, in their order, without those that have run already."""
        near = checkout.test_files(nearest_tests(change.path), change.path, step.ring)
        if step.is_nearest:
            return near
        every = checkout.test_files(step.tests, change.path, step.ring)
        return [file for file in every if file not in near]

    def passes_without_change(self, checkout: Checkout, test: str, step: Step) -> bool:
        """Whether a test passes without any change, or a file of tests can be loaded."""
        key = (step.ring, test)
        if key not in self.passing | self.failing:
            loading = () if "::" in test else ("--collect-only",)
            run = checkout.run_tests(test, *loading, *step.options)
            (self.passing if run.has_passed else self.failing).add(key)
        return key in self.passing


def summary(results: list[Result], rings: int) -> str:
    """A table of how many changes were tried and caught and survived, by language and ring."""
    lines = [
        "| language | ring | tried | caught | of these out of time | survived |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for language in (PYTHON, JAVASCRIPT):
        own = [result for result in results if result.change.language == language]
        for ring in range(1, rings + 1):
            left = [each for each in own if each.ring > ring or each.outcome == SURVIVED]
            caught = len(own) - len(left)
            late = sum(each.ring == ring and each.outcome == OUT_OF_TIME for each in own)
            lines.append(f"| {language} | {ring} | {len(own)} | {caught} | {late} | {len(left)} |")
            own = left
    return "\n".join(lines)
