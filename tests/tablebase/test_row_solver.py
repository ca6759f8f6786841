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
from perfect_yatzy.model.objectives import BonusChance, Goals, Objective, Utility, Values, Variance
from perfect_yatzy.tablebase.backward_induction import solve_objective, solve_values
from perfect_yatzy.tablebase.row_solver import RowSolver
from support import games
from support.seeds import FULL

OBJECTIVES: dict[str, Callable[[RuleSet], Objective]] = {
    "mean": Objective,
    "goals": Goals,
    "utility": lambda rules: Utility(rules, lambda total: np.sqrt(total.astype(np.float64))),
    "dented utility": lambda rules: Utility(rules, lambda total: (total % 7).astype(np.float64)),
    "variance": lambda rules: Variance(rules, solve_values(rules)),
    "bonus": lambda rules: BonusChance(rules, solve_values(rules)),
}

GAMES = {
    "free": games.saved_rolls_game("free", False),
    "saved rolls": games.saved_rolls_game("free", True),
    "saved rolls in forced order": games.saved_rolls_game("forced", True),
    "joker": games.joker_game("forced"),
    "joker, saved rolls, first-roll bonus": games.joker_game(
        "free", saved_rolls=True, first_roll_bonus=(("run", 3),)
    ),
}


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
        places = [solver.rows_slice(filled, *shard) for shard in shards]
        assert [p.start for p in places] + [layer.stop] == [layer.start] + [p.stop for p in places]
        for i in random.permutation(len(shards)):
            below = TableSlice(padded(table[lower]), lower.start)
            table[places[i]] = solver.solve_shard(filled, *shards[i], below)
    return table


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("kind", OBJECTIVES)
def test_shards_give_the_bits_of_the_whole(kind: str, game: str) -> None:
    objective = OBJECTIVES[kind](GAMES[game])
    whole = solve_objective(objective)
    assert not np.isnan(whole).any()
    for seed in (1, 2):
        assert np.array_equal(solve_in_shards(objective, seed), whole)


@pytest.mark.parametrize("kind", ["mean", pytest.param("variance", marks=FULL)])
def test_shards_of_yatzy(kind: str) -> None:
    objective = OBJECTIVES[kind](load_rules("yatzy"))
    assert np.array_equal(solve_in_shards(objective, 3), solve_objective(objective))


def test_shards_of_goals_of_the_rest_of_a_game() -> None:
    rules = load_rules("yahtzee")
    start = State(filled=rules.full_mask & ~0b1000100101, upper=20)
    objective = Goals(rules, start)
    assert np.array_equal(solve_in_shards(objective, 4), solve_objective(objective))


def test_no_rows_are_an_empty_slice() -> None:
    solver = RowSolver(Objective(GAMES["free"]))
    place = solver.rows_slice(2, 1, 1)
    assert place.start == place.stop
    below = solver.blank(solver.objective.layer_slice(3))
    assert len(solver.solve_shard(2, 1, 1, below)) == 0


def test_a_process_of_its_own_solves_a_shard() -> None:
    """Given the rules, the objective, the rows and the values below, as bytes on its standard input."""
    objective = Goals(load_rules("yatzy-forced"))
    whole, solver = solve_objective(objective), RowSolver(objective)
    lower, place = objective.layer_slice(9), solver.rows_slice(8, 0, 1)
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
    worker = subprocess.run(
        [sys.executable, "-c", code], input=whole[lower].tobytes(), capture_output=True, check=True
    )
    assert worker.stdout == whole[place].tobytes()
