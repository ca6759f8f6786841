"""Operators on vectors and views against NumPy, to the bit; indices out of range are found; the
cache of compiled kernels.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numba
import numpy as np
import numpy.typing as npt
import pytest
from numba.core.errors import TypingError
from perfect_yatzy._sources import PACKAGE
from perfect_yatzy.core.jit import by_kind
from perfect_yatzy.core.legal import count_bits, nth_bit
from perfect_yatzy.core.simd import add_at, add_to, aligned, load, shifted, store, views
from support.command import Run, refusal

RANDOM = np.random.default_rng(7)


def formulas(a: Any, b: Any, number: float) -> tuple[Any, ...]:
    results = a + b - (b - a), a * b / a, -a, number - number * a + number / b, 2 * a + 1
    right = (a + number) * number - number
    a += b
    a *= number
    a -= b * b
    a /= number
    return (*results, right, a)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_operators_have_the_bits_of_numpy(dtype: type) -> None:
    """Each result of the formulas; in place last."""
    a, b = aligned(2, dtype), aligned(2, dtype)
    a[:], b[:] = RANDOM.normal(0, 5, len(a)), RANDOM.normal(0, 5, len(b))
    compiled, number, rows = numba.njit(formulas), dtype(0.3), aligned(14, dtype)  # type: ignore[operator]

    @numba.njit  # type: ignore[untyped-decorator]
    def run(a: Any, b: Any, number: float, rows: Any) -> None:
        for i in range(2):
            found = compiled(load(views(a), i), load(views(b), i), number)
            for row in range(7):
                store(views(rows), 2 * row + i, found[row])

    run(a, b, float(number), rows)
    expected = formulas(a.copy(), b, number)
    assert {row.dtype for row in expected} == {np.dtype(dtype)}
    assert [row.tobytes() for row in rows.reshape(7, -1)] == [row.tobytes() for row in expected]


def test_entries_are_read_changed_and_added_to() -> None:
    @numba.njit  # type: ignore[untyped-decorator]
    def change(values: Any, small: Any) -> None:
        entries, bytes_ = views(values), views(small)
        entries[1] += entries[2] * 2
        add_to(entries, 1, load(entries, 0))
        add_at(entries, 3, load(entries, 0))
        bytes_[np.uint8(2)] = entries[0] > 0

    values, small = np.arange(1.0, 17.0), np.zeros(4, dtype=np.int8)
    expected = values.copy()
    expected[1] += expected[2] * 2
    expected[8:] += expected[:8]
    expected[3:11] += expected[:8].copy()
    change(values, small)
    assert values.tolist() == expected.tolist()
    assert small.tolist() == [0, 0, 1, 0]


def test_vectors_of_two_kinds_do_not_mix() -> None:
    @numba.njit  # type: ignore[untyped-decorator]
    def mixed(a: Any, b: Any) -> None:
        store(views(a), 0, load(views(a), 0) + load(views(b), 0))

    with pytest.raises(TypingError, match=r"operator\.add|add"):
        mixed(aligned(1, np.float64), aligned(1, np.float32))


class Inner(NamedTuple):
    values: npt.NDArray[np.float64]
    start: int


class Outer(NamedTuple):
    inner: Inner
    table: npt.NDArray[np.int32]
    scale: float


@numba.njit  # type: ignore[untyped-decorator]
def nested(arguments: Outer, i: int) -> float:
    job = views(arguments)
    return (shifted(job.inner.values, job.inner.start)[i] + job.table[i]) * job.scale  # type: ignore[no-any-return]


@numba.njit  # type: ignore[untyped-decorator]
def single(array: npt.NDArray[np.float64], i: int) -> float:
    return views(array)[i]  # type: ignore[no-any-return]


def test_contiguous_arrays_and_named_tuples_of_them_become_views_and_nothing_else() -> None:
    outer = Outer(Inner(np.arange(6.0), 2), np.arange(40, dtype=np.int32).reshape(5, 8), 0.5)
    assert nested(outer, 4) == (2.0 + 4) * 0.5
    array = np.arange(5.0)
    assert single(array, 3) == 3.0
    array.flags.writeable = False
    assert single(array, 4) == 4.0
    gaps = np.arange(6.0)[::2]
    for function, argument in (
        (single, gaps),
        (nested, Outer(Inner(gaps, 0), np.arange(3, dtype=np.int32), 1.0)),
    ):
        with pytest.raises(TypingError, match="contiguous"):
            function(argument, 1)
    with pytest.raises(TypingError, match="an array or a named tuple"):
        single(1, 1)  # type: ignore[arg-type]


class Circle(NamedTuple):
    radius: float


class Square(NamedTuple):
    side: float


class Point(NamedTuple):
    place: int


def test_a_function_by_kind_takes_the_implementation_of_the_kind() -> None:
    @by_kind(1)
    def area(scale: Any, shape: Any) -> None:
        """Area of a shape."""

    @area.of(Circle)
    def _circle(scale: Any, shape: Any) -> Any:
        return scale * 3 * shape.radius

    @area.of(Square, Point)
    def _others(scale: Any, shape: Any) -> Any:
        return scale

    @numba.njit  # type: ignore[untyped-decorator]
    def measure(scale: float, shape: Any) -> Any:
        return area(scale, shape)

    assert [measure(2.0, shape) for shape in (Circle(5.0), Square(1.0), Point(3))] == [
        30.0,
        2.0,
        2.0,
    ]
    with pytest.raises(TypingError):
        measure(2.0, 1.0)

    @by_kind()
    def corners(shape: Any) -> None:
        """Corners of a shape."""

    @corners.of(Circle)
    def _none(shape: Any) -> Any:
        return 0

    @corners.of()  # for all others
    def _default(shape: Any) -> Any:
        return 4

    assert [
        numba.njit(lambda shape: corners(shape))(shape) for shape in (Circle(1.0), Square(1.0), 1.0)
    ] == [0, 4, 4]


@pytest.mark.parametrize("mask", [0b1, 0b1011_0100, (1 << 40) | 0b110])
def test_bits_are_counted_and_found(mask: int) -> None:
    places = [i for i in range(64) if mask >> i & 1]
    assert count_bits(mask) == len(places)
    assert [nth_bit(mask, number) for number in range(len(places))] == places


PRELUDE = """
import numpy as np
from perfect_yatzy.core.lattice import kernel_lattice, means
from perfect_yatzy.core.simd import *
from perfect_yatzy.core.simd import aligned
from perfect_yatzy.core.dice import lattice
import numba

def check(kernel, *arguments):
    try:
        print("returned", kernel(*arguments))
    except IndexError as error:
        print("IndexError:", error)
"""

# An array of 24 float64 is three vectors: the last valid index is 23 for numbers, 2 for vectors, 16
# for their starts.
KERNELS = {
    "def kernel(a, i): return views(a)[i]": 23,
    "def kernel(a, i): views(a)[i] = 1.0": 23,
    "def kernel(a, i): store(views(a), 0, load(views(a), i))": 2,
    "def kernel(a, i): store(views(a), i, splat(views(a), 1.0))": 2,
    "def kernel(a, i): store(views(a), 0, load_at(views(a), i))": 16,
    "def kernel(a, i): store(views(a), 0, load_as(views(a), i, views(a)))": 16,
    "def kernel(a, i): store_at(views(a), i, splat(views(a), 1.0))": 16,
    "def kernel(a, i): add_to(views(a), i, splat(views(a), 1.0))": 2,
}


def run(code: str, cache: Path, checked: bool = True) -> list[str]:
    """Lines that a program prints, with or without bounds checks."""
    environment = os.environ | {
        "NUMBA_BOUNDSCHECK": "1" if checked else "0",
        "NUMBA_CACHE_DIR": str(cache),
    }
    command = [sys.executable, "-c", PRELUDE + code]
    program = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert program.returncode == 0, program.stderr
    return program.stdout.splitlines()


@pytest.mark.full
def test_every_access_checks_both_ends(tmp_path: Path) -> None:
    """Valid indices pass, the neighbours on both sides fail; a shifted view has shifted bounds."""
    code, expected = "", []
    shifted = "def kernel(a, i): return shifted(views(a), 100)[i]"
    for source, low, high in (
        *((source, 0, high) for source, high in KERNELS.items()),
        (shifted, 100, 123),
    ):
        code += f"\n{source}\nkernel = numba.njit(kernel)\n"
        for i in (low, high, low - 1, high + 1, low - 100):
            code += f"check(kernel, np.zeros(24), {i})\n"
            expected.append(low <= i <= high)
    found = run(code, tmp_path)
    assert [line.startswith("returned") for line in found] == expected
    assert {line for line in found if not line.startswith("returned")} == {
        "IndexError: view index out of range"
    }


@pytest.mark.full
def test_unrolled_passes_check_the_size_of_the_buffer(tmp_path: Path) -> None:
    code = """
@numba.njit
def kernel(buffer, dice): means(views(buffer), dice)
dice = lattice(5, 6)
check(kernel, aligned(dice.n_holds), kernel_lattice(dice))
check(kernel, aligned(dice.n_holds - 1), kernel_lattice(dice))
"""
    assert run(code, tmp_path) == ["returned None", "IndexError: view index out of range"]


@pytest.mark.full
@pytest.mark.parametrize("field", ["step", "rolls"])
def test_a_wrong_index_in_the_turn_model_stops_the_solve(field: str, tmp_path: Path) -> None:
    """A successor or a roll beyond the arrays, planted in a model that is right otherwise."""
    code = f"""
from perfect_yatzy.game.rule_loader import load_rules
from perfect_yatzy.core.objectives import Objective
from perfect_yatzy.core.backward_induction import RowSolver
solver = RowSolver(Objective(load_rules("yatzy-forced")))
rows = solver.objective.space.layers[14], solver.full_cards(), solver.blank(solver.objective.layer_slice(14))
print(solver.solve(*rows))
outcomes = solver._model.outcomes
outcomes.{field}[-1] = 1_000_000_000
check(solver.solve, *rows)
"""
    assert run(code, tmp_path)[-1] == "IndexError: view index out of range"


@pytest.mark.full
def test_views_without_the_flag_are_bare_addresses_and_have_another_cache(tmp_path: Path) -> None:
    """The code of a kernel without the flag has no comparison, so no check."""
    code = """
import re
@numba.njit("float64(float64[::1], int64)")
def kernel(a, i): return shifted(views(a), 2)[i]
llvm = next(iter(kernel.inspect_llvm().values()))
body = re.search(r"^define [^\\n]*i32 @.*?^}", llvm, re.DOTALL | re.MULTILINE).group()
print("icmp" in body)
from perfect_yatzy._kernel_cache import cache_path
print(cache_path().name)
"""
    (plain, place), (checked, other) = run(code, tmp_path, checked=False), run(code, tmp_path)
    assert (plain, checked, place == other) == ("False", "True", False)


# One small kernel compiled through the decorator, so that a run takes a second.
PROGRAM = """
import numba
from perfect_yatzy.core.jit import jit

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
        # else one that is starting might read half of it
        if not file.exists() or file.read_text() != self.text:
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


@pytest.mark.full
@pytest.mark.parametrize(
    "damages", ["nbi truncated, nbc flipped", "nbi flipped, nbi empty, nbc empty"]
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


@pytest.mark.full
def test_processes_that_start_together_compile_a_kernel_once(program: Program) -> None:
    """The second waits for the first, which holds the lock until it has stored the result."""
    slow = "import time\nfrom numba.core import compiler\ncompile_ir = compiler.compile_extra\n"
    slow += "compiler.compile_extra = lambda *a, **k: (time.sleep(1), compile_ir(*a, **k))[1]\n"
    program.text = slow + PROGRAM
    started = [program.start() for _ in range(2)]
    assert sorted(process.communicate()[0] for process in started) == ["42 0\n", "42 1\n"]


@pytest.mark.full
def test_a_failed_compilation_frees_the_lock(program: Program) -> None:
    failing = "try:\n    double(None)\nexcept Exception:\n    pass\nprint("
    program.text = PROGRAM.replace("print(", failing) + "input()\n"
    first = program.start()
    assert first.stdout.readline() == "42 0\n"  # it still runs
    assert program.run()[0] == "42 1"
    first.communicate("\n")


@pytest.mark.full
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
    said = refusal(
        run_real, "solve", "yacht", "--tables", str(tmp_path), code=1, NUMBA_DISABLE_JIT="1"
    )
    assert "NUMBA_DISABLE_JIT is set, and the kernels only run compiled; unset it" in said
    assert "Traceback" not in said


SOLVE = """
from perfect_yatzy.core.backward_induction import solve_objective
from perfect_yatzy.core.objectives import Objective
from perfect_yatzy.core.turn import solve_rows
from perfect_yatzy.game.rule_loader import load_rules

solve_objective(Objective(load_rules("yatzy-forced")))
print(*(sum(counts.values()) for counts in (solve_rows.stats.cache_hits, solve_rows.stats.cache_misses)))
"""


@pytest.mark.full
def test_a_kernel_is_compiled_again_only_if_its_sources_changed(tmp_path: Path) -> None:
    """A second copy of the sources elsewhere, and one with a comment in a kernel of another
    feature, find everything; a comment in a module that the kernel imports does not.
    """
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}

    def hits_and_misses(folder: str, changed: str = "") -> str:
        copy = tmp_path / folder
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(PACKAGE, copy / "perfect_yatzy", ignore=ignored)
        if changed:
            module = copy / "perfect_yatzy" / changed
            module.write_text(
                module.read_text(encoding="utf-8") + "# a comment\n", encoding="utf-8"
            )
        command = [sys.executable, "-c", SOLVE]
        found = subprocess.run(
            command,
            capture_output=True,
            text=True,
            env=environment | {"PYTHONPATH": str(copy)},
            cwd=copy,
            check=False,
        )
        assert found.returncode == 0, found.stderr
        return found.stdout

    assert hits_and_misses("first") == "0 1\n"
    assert hits_and_misses("second") == "1 0\n"
    assert hits_and_misses("feature", "policies/hold_rules_kernel.py") == "1 0\n"
    assert hits_and_misses("core", "core/legal.py") == "0 1\n"
