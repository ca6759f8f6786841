"""The plugins of the tests, tried on small files of tests in a process of their own."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
CONFIGURED = """
pytest_plugins = ["support.isolation", "support.summary"]

def pytest_addoption(parser):
    parser.addoption("--ring", type=int, default=1)
"""
LEAVES = """
import os, signal, socket, subprocess, sys, threading, time
import pytest

def test_thread():
    threading.Thread(target=time.sleep, args=(60,), daemon=True, name="left-thread").start()

def test_process():
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])

def test_file(tmp_path):
    os.open(tmp_path / "left-file", os.O_CREAT | os.O_WRONLY)

def test_socket():
    socket.socket().detach()

def test_nothing():
    with open(os.devnull) as file:
        file.read()
"""
CHANGES = """
import gc, os, signal, sys
import pytest

BEFORE = dict(os.environ), os.getcwd(), signal.getsignal(signal.SIGTERM), sys.excepthook, [*sys.path]

def test_changes(tmp_path):
    from perfect_yatzy.words import set_language
    os.environ["LEFT"] = "1"
    os.environ.pop("HOME", None)
    os.chdir(tmp_path)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sys.excepthook = print
    sys.path.append("left")
    sys.settrace(lambda *_args: None)
    gc.disable()
    set_language("sv")

def test_that_follows():
    from perfect_yatzy.words import current_language
    now = dict(os.environ)
    now.pop("PYTEST_CURRENT_TEST")
    before = {k: v for k, v in BEFORE[0].items() if k != "PYTEST_CURRENT_TEST"}
    assert now == before
    assert os.getcwd() == BEFORE[1]
    assert signal.getsignal(signal.SIGTERM) == BEFORE[2]
    assert sys.excepthook is BEFORE[3]
    assert sys.path == BEFORE[4]
    assert sys.gettrace() is None
    assert gc.isenabled()
    assert current_language() == "en"
"""
REPORTED = """
import pytest

def test_wrong():
    assert 1 == 2

def test_without_tool():
    pytest.skip("needs a tool that is missing")

def test_right():
    pass
"""


def outcome(folder: Path, text: str, *options: str) -> tuple[str, int]:
    """What a run of a file of tests prints, and its exit code; waits for leaks are short."""
    (folder / "conftest.py").write_text(CONFIGURED)
    (folder / "test_small.py").write_text(text)
    short = "import support.isolation as i, sys, pytest; i.MOMENT = 0.3; sys.exit(pytest.main(sys.argv[1:]))"
    # Options of the run around it, such as coverage by PYTEST_ADDOPTS, are not for this process: the tracer
    # is one of the things looked at.
    own = {k: v for k, v in os.environ.items() if not k.startswith(("COV", "PYTEST_"))}
    given = ("-p", "no:cacheprovider", "-p", "no:schemathesis", "--import-mode=importlib")
    found = subprocess.run(
        [sys.executable, "-c", short, *given, "--rootdir", str(folder), *options, str(folder)],
        capture_output=True,
        text=True,
        env=own | {"PYTHONPATH": f"{ROOT / 'tests'}{os.pathsep}{ROOT / 'solver'}"},
        cwd=folder,
    )
    return found.stdout + found.stderr, found.returncode


def test_a_test_that_leaves_something_fails_and_says_what(tmp_path: Path) -> None:
    said, code = outcome(tmp_path, LEAVES)
    assert code == 1, said
    assert re.search(r"leaves behind: thread left-thread", said)
    assert re.search(r"leaves behind: .*left-file", said)
    assert re.search(r"leaves behind: socket", said)
    failed = set(re.findall(r"ERROR \S*::(test_\w+)", said))
    assert failed == {"test_thread", "test_process", "test_file", "test_socket"}


def test_what_a_test_changes_is_as_before_in_the_next_one(tmp_path: Path) -> None:
    said, code = outcome(tmp_path, CHANGES)
    assert code == 0, said


@pytest.mark.full
@pytest.mark.parametrize("ring", [1, 2, 3])
def test_the_last_lines_say_why_how_to_repeat_and_what_was_left_out(
    tmp_path: Path, ring: int
) -> None:
    said, code = outcome(tmp_path, REPORTED, "--ring", str(ring))
    assert code == 1
    *_, skipped, repeated = [line for line in said.splitlines() if "left out" not in line]
    assert skipped == "skipped 1: needs a tool that is missing"
    option = f" --ring {ring}" if ring > 1 else ""
    assert repeated.startswith(f"to repeat: .venv/bin/python -m pytest{option} ")
    assert repeated.endswith("::test_wrong")
    last = said.splitlines()[-1]
    assert ("make test-all" in last) == (ring == 1)
    assert ("make test-slow" in last) == (ring < 3)
