"""The same seed, the same bits: whatever the clock, the threads, the processor and its
libraries.
"""

import json
import math
import os
import random
import subprocess
import sys
import time
from itertools import count
from pathlib import Path

import numpy as np
import perfect_yatzy
import pytest
from perfect_yatzy import load_rules
from perfect_yatzy.approximation import relaxation
from perfect_yatzy.approximation.multipliers import dot, exact_bits, rounded
from perfect_yatzy.approximation.relaxation import Budget, relax
from perfect_yatzy.approximation.state_lanes_kernel import solve_positive
from support.players import solution_bits, solved_anew
from support.refusals import load_text
from support.rule_files import two_dice_sheet

SETTINGS = {"seed": 5, "games": 100, "fit_games": 40, "rounds": 2, "work": 2e-5, "memory": 1 << 22}
SCRIPT = """
import json, sys
sys.path.insert(0, sys.argv[3])
from support.players import solution_bits, solved_anew
print(solution_bits(solved_anew(sys.argv[1], sys.argv[2], None, **json.loads(sys.argv[4]))))
"""
# Other orders of addition in the matrix products, as on other processors; without vector
# instructions of NumPy.
MACHINES: list[dict[str, str]] = [
    {"OPENBLAS_CORETYPE": "Nehalem", "OPENBLAS_NUM_THREADS": "1"},
    {"OPENBLAS_CORETYPE": "Haswell", "OPENBLAS_NUM_THREADS": "2"},
    {
        "NPY_DISABLE_CPU_FEATURES": "AVX2 FMA3 AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL AVX512_SPR"
    },
]


def bits(rules: str, folder: Path, threads: int | None = None) -> str:
    """All bits of a solution that is approximate indeed."""
    found = solved_anew(rules, folder, threads, **SETTINGS)
    assert found.certificate.gap > 0.01
    return solution_bits(found)


@pytest.fixture(scope="module")
def sheet(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Eighteen boxes for two dice, of which the relaxed games remember some."""
    text = two_dice_sheet("repeated", upper=3, sums=9, least=6, bonus=(9, 7))
    return load_text(tmp_path_factory.mktemp("repeat"), text, "").origin


@pytest.fixture(scope="module")
def first(sheet: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    return bits(sheet, tmp_path_factory.mktemp("first"), threads=1)


@pytest.mark.full
@pytest.mark.parametrize("threads", [1, 2])
def test_a_clock_of_random_speed_changes_no_bit(
    first: str, sheet: str, threads: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    draw, now = random.Random(threads), 0.0

    def clock() -> float:
        nonlocal now
        now += draw.choice([1e-9, 1e-3, 1.0, 1e4])
        return now

    for name in ("perf_counter", "monotonic", "process_time"):
        monkeypatch.setattr(time, name, clock)
    monkeypatch.setattr(relaxation, "perf_counter", clock)
    assert bits(sheet, tmp_path, threads) == first
    assert now > 1e4


@pytest.mark.full
@pytest.mark.parametrize(
    "machine", MACHINES, ids=lambda machine: next(iter(machine.values())).split()[0]
)
def test_another_machine_changes_no_bit(
    first: str, sheet: str, machine: dict[str, str], tmp_path: Path
) -> None:
    tests = str(Path(__file__).parent.parent)
    command = [sys.executable, "-c", SCRIPT, sheet, str(tmp_path), tests, json.dumps(SETTINGS)]
    paths = os.pathsep.join(
        [str(Path(perfect_yatzy.__file__).parent.parent), os.environ.get("PYTHONPATH", "")]
    )
    environment = {**os.environ, **machine, "PYTHONPATH": paths}
    answer = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == first


SOLVE_SECONDS = 1e-3  # of every solve of a relaxed game, by the clock of the test below


@pytest.mark.full
def test_minutes_are_as_much_work_as_the_machine_does_in_them(
    sheet: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a machine whose clock goes on by the same time in every solve."""
    clock = count()
    monkeypatch.setattr(relaxation, "perf_counter", lambda: SOLVE_SECONDS * next(clock))
    settings = {name: value for name, value in SETTINGS.items() if name != "work"}
    found = perfect_yatzy.approximate(sheet, tmp_path, minutes=1e-4, **settings).certificate  # type: ignore[arg-type]
    record = found.stages["bound"]
    assert record["work"] <= record["most_work"]
    assert record["most_work"] * 1e12 == pytest.approx(
        1e-4 * 60 * found.stages["relaxation"]["speed"]
    )
    again = relax(load_rules(sheet), Budget(record["most_work"] * 1e12, SETTINGS["memory"]))
    assert again.bound == found.upper_bound


@pytest.mark.parametrize("size", [1, 7, 8, 9, 30])
def test_linear_equations(size: int) -> None:
    draw = np.random.default_rng(size)
    half = draw.integers(-9, 9, (size, size)).astype(float)
    matrix, solution = half.T @ half + 0.5 * np.eye(size), draw.normal(size=size)
    right = matrix @ solution
    solve_positive(matrix.copy(), right, 0.5)
    assert right == pytest.approx(solution, abs=1e-7)


def test_rounded_numbers_have_one_sum_in_any_order() -> None:
    draw = np.random.default_rng(1)
    drawn = draw.normal(scale=300, size=5000)
    numbers = rounded(drawn, exact_bits(drawn, 12))
    assert np.abs(numbers - drawn).max() < 1e-5
    factors = np.rint(draw.uniform(-1, 1, 5000) * 4096) / 4096
    order = draw.permutation(5000)
    one, other = dot(numbers, factors), dot(numbers[order], factors[order])
    assert one == other == numbers @ factors == math.fsum((numbers * factors).tolist())
