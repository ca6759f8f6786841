"""Plant bugs, run the nearest tests, print what survives and a table: `make mutants`, hours."""

from __future__ import annotations

import argparse
import resource
import signal
import sys
import tempfile
import time
from pathlib import Path

from .campaign import CAUGHT, SURVIVED, Campaign, Plan, Result, planned_changes, summary

ROOT = Path(__file__).resolve().parents[2]
MAX_MEMORY = 8 * 2**30  # bytes of data of each process: a planted bug can ask for any number


def parsed() -> argparse.Namespace:
    """The options of the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.mutants", description=__doc__)
    parser.add_argument(
        "--seed", type=int, default=int(time.time()), help="chooses the changes; default: the time"
    )
    parser.add_argument("--count", type=int, default=100, help="number of changes")
    parser.add_argument(
        "--javascript", type=int, help="how many of them in JavaScript; default: 3 of 10"
    )
    parser.add_argument(
        "--ring", type=int, choices=(1, 2), default=1, help="the highest ring of tests"
    )
    parser.add_argument(
        "--workers", type=int, choices=(1, 2), default=2, help="changes tried side by side"
    )
    parser.add_argument(
        "--nearest", action="store_true", help="run only the tests that tests/README.md names"
    )
    parser.add_argument(
        "--patience", type=float, default=900, help="seconds without a finished test that end a run"
    )
    parser.add_argument(
        "--begin", type=int, default=1, help="the number of the first change to try; default: 1"
    )
    parser.add_argument("--list", action="store_true", help="print the changes and run nothing")
    return parser.parse_args()


def described(result: Result, number: int, count: int) -> str:
    """A line about a result."""
    change = result.change
    outcome = f"{result.outcome} in ring {result.ring} after {result.seconds:.0f} s"
    test = ""
    if result.outcome == CAUGHT:
        test = f", by {result.test or 'the end of the process'}"
    return f"{number}/{count} {outcome}: {change.place}, {change.kind}{test}"


def run(root: Path, plan: Plan) -> None:
    """Run a campaign and print survivors as they are found, then the table."""
    results: list[Result] = []
    with tempfile.TemporaryDirectory(prefix="mutants-", ignore_cleanup_errors=True) as folder:
        campaign = Campaign(root, Path(folder).resolve(), plan)
        for result in campaign.results():
            results.append(result)
            number = campaign.changes.index(result.change) + plan.begin
            print(described(result, number, plan.count), file=sys.stderr, flush=True)
            if result.outcome == SURVIVED:
                change = result.change
                print(
                    f"Survived: {number}. {change.place}, {change.kind}\n{change.difference}",
                    flush=True,
                )

    print(summary(results, plan.ring))
    elsewhere = [result for result in results if not result.is_nearest]
    if elsewhere:
        print("\nCaught by tests that tests/README.md does not name for the folder:")
        for result in elsewhere:
            print(f"- {result.change.path}: {result.test or result.outcome}")
    if campaign.failing:
        print("\nLeft out, because they fail without a planted bug:")
        for ring, test in sorted(campaign.failing):
            print(f"- ring {ring}: {test}")


def end(number: int, frame: object) -> None:
    """End with the tests that are running, and remove the copies."""
    sys.exit(128 + number)


def main() -> None:
    """Do what the command line says."""
    given = parsed()
    javascript = given.count * 3 // 10 if given.javascript is None else given.javascript
    plan = Plan(
        seed=given.seed,
        count=given.count,
        javascript=javascript,
        begin=given.begin,
        ring=given.ring,
        workers=given.workers,
        is_nearest_only=given.nearest,
        patience=given.patience,
    )
    print(f"Seed {plan.seed}, {plan.count} changes, {javascript} of them in JavaScript\n")
    if given.list:
        for number, change in enumerate(planned_changes(ROOT, plan), 1):
            print(f"{number}. {change.place}, {change.kind}\n{change.difference}")
        return
    signal.signal(signal.SIGTERM, end)
    _, most = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (MAX_MEMORY, most))
    run(ROOT, plan)


if __name__ == "__main__":
    main()
