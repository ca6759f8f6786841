"""Run all campaigns in full size, print the table of cases and failures, write it to
``benchmarks/runs``.
"""

from __future__ import annotations

import argparse
import datetime
import os
import sys
import tempfile
import time
from pathlib import Path

from perfect_yatzy import __version__
from support.command import ROOT

from .campaigns import CAMPAIGNS, run_campaign


def main() -> None:
    """Run all."""
    parser = argparse.ArgumentParser(description="Run all campaigns and record the figures.")
    parser.add_argument("--seed", type=int, default=int(time.time()), help="default: the time")
    parser.add_argument(
        "--small", action="store_true", help="a few cases of each; nothing is recorded"
    )
    given = parser.parse_args()

    lines, failures = ["| campaign | cases | failures |", "|---|---:|---:|"], list[str]()
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as tables:
        os.environ["YATZY_TABLES"] = tables
        for name in CAMPAIGNS:
            with tempfile.TemporaryDirectory() as folder:
                tally = run_campaign(name, Path(folder), Path(tables), given.seed, given.small)
            lines.append(f"| {name} | {tally.cases:,} | {len(tally.failures)} |")
            failures += [f"- {name}: {failure}" for failure in tally.failures[:20]]
            print(*lines[-1:], *failures[-10:], sep="\n", file=sys.stderr)
    table = "\n".join(lines)
    print(table)
    if not given.small:
        day, seconds = datetime.date.today().isoformat(), time.perf_counter() - started
        text = f"# Campaign of {day}\n\nSeed {given.seed}, version {__version__}, {seconds:.0f} s.\n\n{table}\n"
        text += "\n".join(["\n## Failures\n", *failures, ""]) if failures else ""
        (ROOT / "benchmarks" / "runs" / f"{day}-campaign.md").write_text(text, encoding="utf-8")
    sys.exit(bool(failures))


if __name__ == "__main__":  # the process of the faults imports this module
    main()
