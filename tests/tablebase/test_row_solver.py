"""Layers solved in arbitrary contiguous shards: the same bits as in one pass, for every objective."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
from perfect_yatzy.game.rule_loader import load_rules
from perfect_yatzy.game.rules import RuleSet
from perfect_yatzy.game.scorecard import State
from perfect_yatzy.kernels.table_slices import TableSlice, padded
from perfect_yatzy.model.objectives import Goals, Objective, Values
from perfect_yatzy.tablebase.backward_induction import solve_objective
from perfect_yatzy.tablebase.row_solver import RowSolver
from support import games
from support.seeds import FULL
from support.shards import OBJECTIVES, SMALL


def solve_in_shards(objective: Objective, seed: int) -> Values:
    """The table from shards of random lengths, in random order, each from a copy of the layer below."""
    random, solver = np.random.default_rng(seed), RowSolver(objective)
    table = np.full(objective.size, np.nan, dtype=objective.compute)
    space = objective.space
    full = objective.layer_slice(space.categories)
    table[full] = objective.full_cards()
    for filled in range(space.categories - 1, space.first_layer - 1, -1):
        rows, layer = space.layers[filled], objective.layer_slice(filled)
        lower = objective.layer_slice(filled + 1)
        cuts = np.unique([0, *random.integers(0, len(rows) + 1, 3), len(rows)]).tolist()
        shards = list(pairwise(cuts))
        places = [objective.rows_slice(filled, *shard) for shard in shards]
        assert [p.start for p in places] + [layer.stop] == [layer.start] + [p.stop for p in places]
        for i in random.permutation(len(shards)):
            below = TableSlice(padded(table[lower]), lower.start)
            table[places[i]] = solver.solve_shard(filled, *shards[i], below)
    return table


def rest_of_a_game() -> Objective:
    rules = load_rules("yahtzee")
    return Goals(rules, State(filled=rules.full_mask & ~0b1000100101, upper=20))


@pytest.mark.parametrize(
    "make",
    [
        *(pytest.param(OBJECTIVES[kind], id=kind) for kind in OBJECTIVES),
        pytest.param(lambda rules: Objective(load_rules("yatzy")), id="Yatzy"),
        pytest.param(lambda rules: OBJECTIVES["variance"](load_rules("yatzy")), id="variance of Yatzy", marks=FULL),
        pytest.param(lambda rules: rest_of_a_game(), id="rest of a game"),
    ],
)
def test_shards_give_the_bits_of_the_whole(make: Callable[[RuleSet], Objective]) -> None:
    objective = make(SMALL)
    whole = solve_objective(objective)
    assert not np.isnan(whole).any()
    for seed in (1, 2):
        assert np.array_equal(solve_in_shards(objective, seed), whole)


def test_no_rows_are_an_empty_slice() -> None:
    solver = RowSolver(Objective(games.saved_rolls_game("free", False)))
    place = solver.objective.rows_slice(2, 1, 1)
    assert place.start == place.stop
    assert len(solver.solve_shard(2, 1, 1, solver.blank(solver.objective.layer_slice(3)))) == 0


def test_a_process_of_its_own_solves_a_shard() -> None:
    """Given the rules, the objective, the rows and the values below, as bytes on its standard input."""
    objective = Goals(load_rules("yatzy-forced"))
    whole = solve_objective(objective)
    code = """
import sys, numpy as np
from perfect_yatzy.game.rule_loader import load_rules
from perfect_yatzy.kernels.table_slices import TableSlice, padded
from perfect_yatzy.model.objectives import Goals
from perfect_yatzy.tablebase.row_solver import RowSolver
solver = RowSolver(Goals(load_rules("yatzy-forced")))
values = np.frombuffer(sys.stdin.buffer.read(), dtype=solver.objective.compute)
below = TableSlice(padded(values), solver.objective.layer_slice(9).start)
sys.stdout.buffer.write(solver.solve_shard(8, 0, 1, below).tobytes())
"""
    below = whole[objective.layer_slice(9)].tobytes()
    found = subprocess.run([sys.executable, "-c", code], input=below, capture_output=True, check=True).stdout
    assert found == whole[objective.rows_slice(8, 0, 1)].tobytes()
