"""Out-of-range indices in kernels: NUMBA_BOUNDSCHECK=1 finds them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

PRELUDE = """
import numpy as np
from perfect_yatzy.kernels.lattice import kernel_lattice, means
from perfect_yatzy.kernels.simd import *
from perfect_yatzy.kernels.simd import aligned
from perfect_yatzy.game.dice import lattice
import numba

def check(kernel, *arguments):
    try:
        print("returned", kernel(*arguments))
    except IndexError as error:
        print("IndexError:", error)
"""

# An array of 24 float64 is three vectors: the last valid index is 23 for numbers, 2 for vectors, 16 for their starts.
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
# An array of 24 float64 is three vectors; the last index is the first one that is out of range.


def run(code: str, cache: Path, checked: bool = True) -> list[str]:
    """Lines that a program prints, with or without bounds checks."""
    environment = os.environ | {"NUMBA_BOUNDSCHECK": "1" if checked else "0", "NUMBA_CACHE_DIR": str(cache)}
    program = subprocess.run(
        [sys.executable, "-c", PRELUDE + code], capture_output=True, text=True, env=environment, check=False
    )
    assert program.returncode == 0, program.stderr
    return program.stdout.splitlines()


def test_every_access_checks_both_ends(tmp_path: Path) -> None:
    """Valid indices pass, the neighbours on both sides fail; a shifted view has shifted bounds."""
    code, expected = "", []
    shifted = "def kernel(a, i): return shifted(views(a), 100)[i]"
    for source, low, high in (*((source, 0, high) for source, high in KERNELS.items()), (shifted, 100, 123)):
        code += f"\n{source}\nkernel = numba.njit(kernel)\n"
        for i in (low, high, low - 1, high + 1, low - 100):
            code += f"check(kernel, np.zeros(24), {i})\n"
            expected.append(low <= i <= high)
    found = run(code, tmp_path)
    assert [line.startswith("returned") for line in found] == expected
    assert {line for line in found if not line.startswith("returned")} == {"IndexError: view index out of range"}


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
from perfect_yatzy.model.objectives import Objective
from perfect_yatzy.tablebase.backward_induction import RowSolver
solver = RowSolver(Objective(load_rules("yatzy-forced")))
rows = solver.objective.space.layers[14], solver.full_cards(), solver.blank(solver.objective.layer_slice(14))
print(solver.solve(*rows))
outcomes = solver._model.outcomes
outcomes.{field}[-1] = 1_000_000_000
check(solver.solve, *rows)
"""
    assert run(code, tmp_path)[-1] == "IndexError: view index out of range"


def test_the_flag_is_part_of_the_key_of_the_cache(tmp_path: Path) -> None:
    code = "from perfect_yatzy.kernels.jit import cache_path\nprint(cache_path().name)"
    assert run(code, tmp_path) != run(code, tmp_path, checked=False)


def test_views_without_the_flag_are_bare_addresses(tmp_path: Path) -> None:
    """The code of a kernel without the flag has no comparison, so no check."""
    code = """
import re
@numba.njit("float64(float64[::1], int64)")
def kernel(a, i): return shifted(views(a), 2)[i]
llvm = next(iter(kernel.inspect_llvm().values()))
body = re.search(r"^define [^\\n]*i32 @.*?^}", llvm, re.DOTALL | re.MULTILINE).group()
print("icmp" in body)
"""
    assert run(code, tmp_path, checked=False) == ["False"]
    assert run(code, tmp_path) == ["True"]
