"""The disk cache of compiled kernels: damage and missing room are said in one line and never stop a solve."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.seeds import FULL

# One small kernel compiled through the decorator, so that a run takes a second.
PROGRAM = """
import numba
from perfect_yatzy.kernels.jit import jit

@jit
def double(x):
    return x + x

print(double(21), sum(double.stats.cache_hits.values()))
"""


@pytest.fixture
def run_kernel(tmp_path: Path) -> object:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)

    def run(**env: str) -> tuple[str, str]:
        found = subprocess.run(
            [sys.executable, str(program)],
            capture_output=True,
            text=True,
            env=os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "cache")} | env,
            check=False,
        )
        return found.stdout.strip(), found.stderr

    return run


def damage(path: Path, how: str) -> None:
    data = bytearray(path.read_bytes())
    if how == "flipped":
        data[len(data) // 2] ^= 4
    path.write_bytes({"empty": b"", "truncated": bytes(data[: len(data) // 2])}.get(how, bytes(data)))


@pytest.mark.parametrize(
    ("ending", "how"),
    [
        ("nbi", "truncated"),
        ("nbc", "flipped"),
        *(pytest.param(*case, marks=FULL) for case in (("nbi", "flipped"), ("nbi", "empty"), ("nbc", "empty"))),
    ],
)
def test_a_damaged_cache_is_made_again(run_kernel: object, tmp_path: Path, ending: str, how: str) -> None:
    assert run_kernel() == ("42 0", "")  # type: ignore[operator]
    (file,) = (tmp_path / "cache").rglob(f"*.{ending}")
    damage(file, how)
    answer, said = run_kernel()  # type: ignore[operator]
    assert answer == "42 0"
    assert said.startswith("yatzy: the cache of compiled kernels in ")
    assert said.endswith("was damaged; they are compiled again\n")
    assert said.count("\n") == 1
    assert run_kernel() == ("42 1", "")  # type: ignore[operator]


def test_processes_that_start_together_compile_a_kernel_once(tmp_path: Path) -> None:
    """The second waits for the first, which holds the lock until it has stored the result."""
    program = tmp_path / "program.py"
    slow = "import time\nfrom numba.core import compiler\ncompile_ir = compiler.compile_extra\n"
    slow += "compiler.compile_extra = lambda *a, **k: (time.sleep(1), compile_ir(*a, **k))[1]\n"
    program.write_text(slow + PROGRAM)
    started = [
        subprocess.Popen(
            [sys.executable, str(program)],
            stdout=subprocess.PIPE,
            env=os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "cache")},
        )
        for _ in range(3)
    ]
    assert sorted(process.communicate()[0] for process in started) == [b"42 0\n", b"42 1\n", b"42 1\n"]


def test_a_failed_compilation_frees_the_lock(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        PROGRAM.replace("print(", "try:\n    double(None)\nexcept Exception:\n    pass\nprint(") + "input()\n"
    )
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    with subprocess.Popen(
        [sys.executable, str(program)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
    ) as first:
        assert first.stdout is not None
        assert first.stdout.readline() == b"42 0\n"  # it still runs
        second = subprocess.run(
            [sys.executable, str(program)], input=b"\n", stdout=subprocess.PIPE, env=environment, check=True
        )
        assert second.stdout == b"42 1\n"
        first.communicate(b"\n")


def test_a_cache_that_cannot_be_written(run_kernel: object, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    answer, said = run_kernel(NUMBA_CACHE_DIR=str(tmp_path / "file" / "cache"))  # type: ignore[operator]
    assert answer == "42 0"
    assert said.startswith("yatzy: cannot write compiled kernels to ")
    assert said.endswith("; they are compiled in every process\n")
    assert said.count("\n") == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk(run_kernel: object, tmp_path: Path) -> None:
    program = (tmp_path / "program.py").read_text()
    full = "import builtins\nopen_file = builtins.open\n"
    full += "from numba.core import caching\n"
    full += "caching.open = lambda path, mode='r': open_file('/dev/full' if 'w' in mode else path, mode)\n"
    (tmp_path / "program.py").write_text(full + program)
    answer, said = run_kernel()  # type: ignore[operator]
    assert answer == "42 0"
    assert "(No space left on device); they are compiled in every process" in said
    assert said.count("\n") == 1


def test_numba_without_compilation_is_refused_in_a_line(tmp_path: Path) -> None:
    found = subprocess.run(
        [sys.executable, "-m", "perfect_yatzy", "solve", "yacht", "--tables", str(tmp_path)],
        capture_output=True,
        text=True,
        env=os.environ | {"NUMBA_DISABLE_JIT": "1", "NO_COLOR": "1"},
        check=False,
    )
    assert found.returncode == 1
    assert "NUMBA_DISABLE_JIT is set, and the kernels only run compiled; unset it" in found.stderr
    assert "Traceback" not in found.stderr
