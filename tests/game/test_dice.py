"""The lattice against brute force."""

from __future__ import annotations

from collections import Counter
from itertools import product
from math import comb

import numpy as np
import pytest
from perfect_yatzy.game.dice import lattice, sub_multisets


@pytest.mark.parametrize(("dice", "faces"), [(1, 2), (2, 6), (3, 4), (5, 6), (6, 6), (4, 3)])
def test_lattice_against_brute_force(dice: int, faces: int) -> None:
    grid = lattice(dice, faces)
    assert grid.n_holds == comb(dice + faces, faces)
    assert grid.n_rolls == comb(dice + faces - 1, dice)
    assert np.array_equal(grid.rank(grid.counts), np.arange(grid.n_holds))
    for hold in range(grid.first_roll):
        for face in range(faces):
            more = grid.counts[hold].copy()
            more[face] += 1
            assert np.array_equal(grid.counts[grid.successors[hold, face]], more)
    for hold in range(grid.n_holds):
        below = grid.predecessors[grid.predecessor_start[hold] : grid.predecessor_start[hold + 1]]
        assert len(below) == np.count_nonzero(grid.counts[hold])
        assert (grid.counts[below].sum(axis=1) == grid.counts[hold].sum() - 1).all()
        assert (grid.counts[below] <= grid.counts[hold]).all()
    rolled = Counter(tuple(sorted(roll)) for roll in product(range(1, faces + 1), repeat=dice))
    for counts, weight in zip(grid.counts[grid.first_roll :], grid.weights, strict=True):
        roll = tuple(np.repeat(np.arange(1, faces + 1), counts).tolist())
        assert weight == pytest.approx(rolled[roll] / faces**dice, rel=1e-15)


def test_sizes_of_the_catalogue() -> None:
    assert [(lattice(n, 6).n_rolls, lattice(n, 6).n_holds) for n in (5, 6)] == [(252, 462), (462, 924)]


def test_sub_multisets_are_complete_and_distinct() -> None:
    counts = np.array([0, 2, 0, 1, 2, 0])
    found = sub_multisets(counts)
    assert len(found) == len({tuple(row) for row in found.tolist()}) == 3 * 2 * 3
    assert (found <= counts).all()
    assert np.array_equal(found[-1], counts)
