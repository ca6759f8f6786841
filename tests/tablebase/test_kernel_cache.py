"""The disk cache of compiled kernels: damage and missing room are said in one line and never stop a solve."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest
from numba import config
from numba.core.caching import NullCache
from perfect_yatzy.kernels import jit as kernels_jit
from support.command import Run
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


@dataclass
class Program:
    """A program with a cache of its own."""

    folder: Path
    text: str = PROGRAM

    @property
    def cache(self) -> Path:
        return self.folder / "cache"

    def start(self, **env: str) -> subprocess.Popen[str]:
        pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        environment = os.environ | {"NUMBA_CACHE_DIR": str(self.cache)} | env
        file = self.folder / "program.py"
        if not file.exists() or file.read_text() != self.text:  # else one that is starting might read half of it
            file.write_text(self.text)
        command = [sys.executable, str(file)]
        return subprocess.Popen(command, text=True, env=environment, **pipes)  # type: ignore[call-overload, no-any-return]

    def run(self, **env: str) -> tuple[str, str]:
        said, wrong = self.start(**env).communicate("\n")
        return said.strip(), wrong


@pytest.fixture
def program(tmp_path: Path) -> Program:
    return Program(tmp_path)


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda data: b"",
    "truncated": lambda data: data[: len(data) // 2],
    "flipped": lambda data: bytes(byte ^ 4 * (i == len(data) // 2) for i, byte in enumerate(data)),
}


@pytest.mark.parametrize(
    "damages", ["nbi truncated, nbc flipped", pytest.param("nbi flipped, nbi empty, nbc empty", marks=FULL)]
)
def test_a_damaged_cache_is_made_again(program: Program, damages: str) -> None:
    assert program.run() == ("42 0", "")
    for damage in damages.split(", "):
        ending, how = damage.split()
        (file,) = program.cache.rglob(f"*.{ending}")
        file.write_bytes(DAMAGE[how](file.read_bytes()))
        answer, said = program.run()
        assert (answer, said.count("\n")) == ("42 0", 1)
        assert said.startswith("yatzy: the cache of compiled kernels in ")
        assert said.endswith("was damaged; they are compiled again\n")
    assert program.run() == ("42 1", "")


def test_processes_that_start_together_compile_a_kernel_once(program: Program) -> None:
    """The second waits for the first, which holds the lock until it has stored the result."""
    slow = "import time\nfrom numba.core import compiler\ncompile_ir = compiler.compile_extra\n"
    slow += "compiler.compile_extra = lambda *a, **k: (time.sleep(1), compile_ir(*a, **k))[1]\n"
    program.text = slow + PROGRAM
    started = [program.start() for _ in range(2)]
    assert sorted(process.communicate()[0] for process in started) == ["42 0\n", "42 1\n"]


def test_a_failed_compilation_frees_the_lock(program: Program) -> None:
    failing = "try:\n    double(None)\nexcept Exception:\n    pass\nprint("
    program.text = PROGRAM.replace("print(", failing) + "input()\n"
    first = program.start()
    assert first.stdout.readline() == "42 0\n"  # it still runs
    assert program.run()[0] == "42 1"
    first.communicate("\n")


def test_a_cache_that_cannot_be_written(program: Program) -> None:
    (program.folder / "file").write_text("")
    answer, said = program.run(NUMBA_CACHE_DIR=str(program.folder / "file" / "cache"))
    assert (answer, said.count("\n")) == ("42 0", 1)
    assert said.startswith("yatzy: cannot write compiled kernels to ")
    assert said.endswith("; they are compiled in every process\n")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.full
def test_a_full_disk(program: Program) -> None:
    program.text = f"""
import builtins
from numba.core import caching
open_file = builtins.open
caching.open = lambda path, mode='r': open_file('/dev/full' if 'w' in mode else path, mode)
{PROGRAM}"""
    answer, said = program.run()
    assert (answer, said.count("\n")) == ("42 0", 1)
    assert "(No space left on device); they are compiled in every process" in said


def test_numba_without_compilation_is_refused_in_a_line(run_real: Run, tmp_path: Path) -> None:
    found = run_real("solve", "yacht", "--tables", str(tmp_path), NUMBA_DISABLE_JIT="1")
    assert found.returncode == 1
    assert "NUMBA_DISABLE_JIT is set, and the kernels only run compiled; unset it" in found.stderr
    assert "Traceback" not in found.stderr


def test_threads_that_import_kernels_side_by_side_use_one_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    """numba takes the folder of the cache from a global, which is set for a moment."""
    before, folders = config.CACHE_DIR, []

    def cache(function: object) -> object:
        folders.append(config.CACHE_DIR)
        time.sleep(0.01)
        folders.append(config.CACHE_DIR)
        return NullCache()

    monkeypatch.setattr(kernels_jit, "RepairingCache", cache)
    with ThreadPoolExecutor(8) as pool:
        [*pool.map(lambda number: kernels_jit.jit(lambda x: x + number), range(8))]
    assert set(folders) == {str(kernels_jit.cache_path())}
    assert before == config.CACHE_DIR
