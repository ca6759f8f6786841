"""What all tests share: the rings, the order of the files, a table store, two open strategies, the
command.

Ring 1 is the proof of the core, ring 2 (marker `full`) everything else that is not minutes or
gigabytes, ring 3 (marker `slow`) the rest. `--ring N` runs ring N and those before it. Ring 1 is
the same in every run. From ring 2 on, random cases are drawn with a seed that the first lines of
the output name; `--seed` repeats them.
"""

import gc
import json
import math
import os
import re
import secrets
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import perfect_yatzy
import pytest
from perfect_yatzy import Strategy
from support.command import Run, run_here, run_process
from support.refusals import load_text
from support.rule_files import TINY
from support.seeds import SEED_VARIABLE

pytest_plugins = ["support.isolation", "support.termination", "support.summary"]

FIXED_EXAMPLES = 25  # of Hypothesis in ring 1, where a test names no other number; then 100
RINGS = {"full": 2, "slow": 3}  # marker -> ring; a test without a marker is in ring 1
TIMES = Path(__file__).with_name("times.json")  # ring -> file -> seconds


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("rings")
    group.addoption(
        "--ring", type=int, choices=(1, 2, 3), default=1, help="run this ring and those before it"
    )
    group.addoption(
        "--seed", type=int, help="seed of the random cases from ring 2 on; without it, a new one"
    )
    group.addoption(
        "--as-given",
        action="store_true",
        help="the files in the order of the command line, not the longest ones first",
    )
    group.addoption(
        "--record-times",
        action="store_true",
        help=f"write the seconds of each file to {TIMES.name}",
    )


def pytest_configure(config: pytest.Config) -> None:
    ring, seed = config.getoption("ring"), config.getoption("seed")
    if not hasattr(config, "workerinput"):  # worker processes inherit the environment
        os.environ.pop(SEED_VARIABLE, None)
        if ring > 1:
            os.environ[SEED_VARIABLE] = str(secrets.randbelow(10**6) if seed is None else seed)
    hypothesis.settings.register_profile(
        "fixed", deadline=None, derandomize=True, max_examples=FIXED_EXAMPLES
    )
    hypothesis.settings.register_profile("random", deadline=None, print_blob=True)
    hypothesis.settings.load_profile("fixed" if ring == 1 else "random")
    if config.getoption("record_times"):
        config.pluginmanager.register(FileTimes(str(ring)))


def pytest_report_header(config: pytest.Config) -> str:
    seed = os.environ.get(SEED_VARIABLE)
    return f"ring {config.getoption('ring')}" + (f", random cases: --seed {seed}" if seed else "")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Do not even import the files of later rings."""
    if not collection_path.name.startswith("test_"):
        return None
    mark = re.search(
        r"^pytestmark = pytest\.mark\.(full|slow)$", collection_path.read_text(), re.MULTILINE
    )
    return True if mark and RINGS[mark[1]] > config.getoption("ring") else None


@pytest.hookimpl(tryfirst=True)  # before plugins that shuffle
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect the tests of later rings; the longest files first, so that no process ends long
    after the others.
    """
    ring = config.getoption("ring")

    def is_later(item: pytest.Item) -> bool:
        return any(
            number > ring and item.get_closest_marker(marker) for marker, number in RINGS.items()
        )

    later = [item for item in items if is_later(item)]
    config.hook.pytest_deselected(items=later)
    items[:] = [item for item in items if not is_later(item)]
    times = json.loads(TIMES.read_text()).get(str(ring), {})
    if not config.getoption("as_given"):
        items.sort(key=lambda item: -times.get(file_of(item.nodeid), 0.0))
    gc.freeze()  # modules and tests live to the end: no need to look through them again and again


def file_of(nodeid: str) -> str:
    return nodeid.partition("::")[0].removeprefix("tests/")


class FileTimes:
    """Sums the seconds of each file over a run."""

    def __init__(self, ring: str) -> None:
        self.ring = ring
        self.seconds: dict[str, float] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        file = file_of(report.nodeid)
        self.seconds[file] = self.seconds.get(file, 0.0) + report.duration

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if not hasattr(session.config, "workerinput"):
            found = {
                file: round(seconds, 1)
                for file, seconds in sorted(self.seconds.items())
                if seconds >= 0.5
            }
            TIMES.write_text(
                json.dumps(json.loads(TIMES.read_text()) | {self.ring: found}, indent=1) + "\n"
            )


@pytest.fixture(scope="session", autouse=True)
def one_lattice(request: pytest.FixtureRequest) -> Iterator[None]:
    """In ring 1 games of five and six dice use index arrays, too, so that each kernel is compiled
    once, not twice.

    The straight-line code for these dice gives the same bits (core/test_backward_induction.py);
    processes use it.
    """
    from perfect_yatzy.core import lattice

    with pytest.MonkeyPatch.context() as patch:
        if request.config.getoption("ring") == 1:
            patch.setattr(lattice, "UNROLLED", {})
        yield


@pytest.fixture(scope="session", autouse=True)
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Folder for the tables of this run, so that tests never use those of the user."""
    folder = tmp_path_factory.mktemp("tables")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("YATZY_TABLES", str(folder))
        for name in (
            "YATZY_RULES",
            "LANGUAGE",
            "LC_ALL",
            "YATZY_LANG",
        ):  # English words on any machine
            patch.delenv(name, raising=False)
        patch.setenv("LC_MESSAGES", "C")
        # finished games of `yatzy play`
        patch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("data")))
        yield folder


@pytest.fixture(scope="session")
def yatzy(store: Path) -> Strategy:
    return perfect_yatzy.open_strategy("yatzy")


@pytest.fixture(scope="session")
def forced(store: Path) -> Strategy:
    return perfect_yatzy.open_strategy("yatzy-forced")


@pytest.fixture
def tiny(tmp_path: Path) -> str:
    """The file of a game of three boxes with a bonus that takes no time, and compiles few
    kernels.
    """
    return load_text(tmp_path, TINY, "").origin


@pytest.fixture
def run(store: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run the command in this process; returns its output and exit code. A slow machine gets no
    lines of progress.
    """
    monkeypatch.setattr("perfect_yatzy.cli.progress.SILENCE", math.inf)
    return run_here


@pytest.fixture
def run_real(store: Path) -> Run:
    """Run the command as a process of its own."""
    return run_process
