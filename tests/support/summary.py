"""The last lines of a run: why tests were skipped, how to repeat a failure, and what was left out."""

import os
import shlex
from collections import Counter
from collections.abc import Iterator

import pytest

from support.seeds import SEED_VARIABLE

LATER = {
    1: "rings 2 and 3: `make test-all` also runs what needs further packages, a browser or more time; "
    "`make test-slow` runs all, an hour and several gigabytes",
    2: "ring 3: `make test-slow`, an hour and several gigabytes",
}


def skip_reasons(reporter: pytest.TerminalReporter) -> list[str]:
    """A line for each reason: how many tests it skipped."""
    reasons = Counter(
        str(report.longrepr[2]).removeprefix("Skipped: ")
        for report in reporter.stats.get("skipped", ())
        if isinstance(report.longrepr, tuple)
    )
    return [f"skipped {count}: {reason}" for reason, count in sorted(reasons.items())]


def repeat_commands(reporter: pytest.TerminalReporter, ring: int, most: int = 10) -> list[str]:
    """The commands that run the tests that failed."""
    failed = [*reporter.stats.get("failed", ()), *reporter.stats.get("error", ())]
    seed = os.environ.get(SEED_VARIABLE)
    options = f" --ring {ring}" if ring > 1 else ""
    options += f" --seed {seed}" if seed else ""
    tests = [*dict.fromkeys(report.nodeid for report in failed)]
    lines = [
        f"to repeat: .venv/bin/python -m pytest{options} {shlex.quote(test)}"
        for test in tests[:most]
    ]
    if len(tests) > most:
        lines.append(f"... and {len(tests) - most} more; see tests/README.md")
    return lines


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> Iterator[None]:
    """Print them below everything else."""
    yield
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None or hasattr(session.config, "workerinput"):
        return
    ring = session.config.getoption("ring")
    for line in [*skip_reasons(reporter), *repeat_commands(reporter, ring)]:
        reporter.write_line(line)
    if ring in LATER:
        reporter.write_line(f"left out: {LATER[ring]}")
