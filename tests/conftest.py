"""A store of its own for the whole run, and the strategies most tests ask."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import solver
from solver.advice import Strategy
from solver.errors import StateError

ROOT = Path(__file__).resolve().parent.parent
Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="session", autouse=True)
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Tables of the tests: never those of the person who runs them."""
    folder = tmp_path_factory.mktemp("tables")
    before = os.environ.get("YATZY_TABLES")
    os.environ["YATZY_TABLES"] = str(folder)
    os.environ.pop("YATZY_RULES", None)
    yield folder
    if before is None:
        del os.environ["YATZY_TABLES"]
    else:
        os.environ["YATZY_TABLES"] = before


def refused_in_a_line(call: Callable[[Strategy], object], strategy: Strategy, message: str) -> None:
    """What is asked is refused as an error of ours, in one line that says so."""
    with pytest.raises(StateError) as caught:
        call(strategy)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.fixture(scope="session")
def yatzy(store: Path) -> Strategy:
    return solver.open_strategy("yatzy")


@pytest.fixture(scope="session")
def forced(store: Path) -> Strategy:
    return solver.open_strategy("yatzy-forced")


@pytest.fixture
def run(store: Path) -> Run:
    """Run the command as a user would; what it printed and its exit code."""

    def command(*args: str, stdin: str = "", **env: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "solver", *args],
            input=stdin,
            capture_output=True,
            text=True,
            env=os.environ | {"NO_COLOR": "1"} | env,
            timeout=120,
            check=False,
        )

    return command
