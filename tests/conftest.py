"""Fixtures that most tests share: a table store for the run, two open strategies, the command."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import perfect_yatzy
import pytest
from perfect_yatzy.strategy.strategy import Strategy
from support.command import Run


@pytest.fixture(scope="session", autouse=True)
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Folder for the tables of this run, so that tests never use those of the user."""
    folder = tmp_path_factory.mktemp("tables")
    before = os.environ.get("YATZY_TABLES")
    os.environ["YATZY_TABLES"] = str(folder)
    os.environ.pop("YATZY_RULES", None)
    for name in ("LANGUAGE", "LC_ALL", "YATZY_LANG"):  # English words, whatever the language of this machine is
        os.environ.pop(name, None)
    os.environ["LC_MESSAGES"] = "C"
    os.environ["XDG_DATA_HOME"] = str(tmp_path_factory.mktemp("data"))  # finished games of `yatzy play`
    yield folder
    if before is None:
        del os.environ["YATZY_TABLES"]
    else:
        os.environ["YATZY_TABLES"] = before


@pytest.fixture(scope="session")
def yatzy(store: Path) -> Strategy:
    return perfect_yatzy.open_strategy("yatzy")


@pytest.fixture(scope="session")
def forced(store: Path) -> Strategy:
    return perfect_yatzy.open_strategy("yatzy-forced")


@pytest.fixture
def run(store: Path) -> Run:
    """Run the command as a user would; returns its output and exit code."""

    def command(*args: str, stdin: str = "", **env: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "perfect_yatzy", *args],
            input=stdin,
            capture_output=True,
            text=True,
            env=os.environ | {"NO_COLOR": "1"} | env,
            timeout=120,
            check=False,
        )

    return command
