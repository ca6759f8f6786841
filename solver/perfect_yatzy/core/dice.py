"""Multisets of dice as integers, and the lattice of holds between them.

A multiset of at most `dice` dice has an index, ordered by size and then lexicographically by its
sorted dice (1-1-1 before 1-1-2). The full rolls come last::

    {} | 1 2 3 4 5 6 | 11 12 13 ... 66 | ... | 11111 ... 66666
    0    1         6   7                      210        461       (five dice: 462 holds, 252 rolls)

There are C(size + faces - 1, size) multisets of a size, and C(dice + faces, faces) in all. The
lattice connects each multiset with those that have one die more. With it, the two operations of a
turn are recursions of one die a step::

    reroll   mean(hold) = 1/faces * sum over faces f of mean(hold + f)      from full rolls to smaller holds
    choose   best(dice) = max(mean(dice), max over faces f of best(dice - f))   from small holds to full rolls
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain, combinations_with_replacement
from math import comb, factorial, prod

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Dice = tuple[int, ...]  # a roll or a hold, as faces in ascending order


@dataclass(frozen=True)
class Lattice:
    """All multisets of up to `dice` dice with `faces` faces."""

    dice: int
    faces: int
    counts: Ints  # (n_holds, faces): number of dice that show each face, for every multiset
    # (dice + 2,): multisets of size s have the indices ``first[s]`` to ``first[s + 1] - 1``
    first: Ints
    # (first[dice], faces): index after adding a die, for every multiset that is not a full roll
    successors: Ints
    # (n_holds + 1,): where the entries of each multiset start in `predecessors`
    predecessor_start: Ints
    # indices after removing one die, an entry for each different face, in the order of the faces
    predecessors: Ints
    # (n_rolls,): probability of each full roll when all dice are rolled; their sum is 1
    weights: Floats
    # (faces, dice + 1): how many multisets of the same size agree with a given one on the faces
    # below f and have more dice of face f, when `left` dice show faces above f; their sum over f is
    # the position within the size
    ranks: Ints

    @property
    def n_holds(self) -> int:
        """Number of multisets of all sizes."""
        return len(self.counts)

    @property
    def first_roll(self) -> int:
        """Index of the first full roll."""
        return int(self.first[self.dice])

    @property
    def n_rolls(self) -> int:
        """Number of full rolls."""
        return self.n_holds - self.first_roll

    @cached_property
    def multisets(self) -> list[Dice]:
        """The dice of every multiset."""
        faces = range(1, self.faces + 1)
        by_size = (combinations_with_replacement(faces, size) for size in range(self.dice + 1))
        return [*chain.from_iterable(by_size)]

    def rank(self, counts: npt.ArrayLike) -> Ints:
        """Return the index of each multiset, ``(...)`` int64. A multiset is given by the number of
        dice of each face, ``(..., faces)``.
        """
        given = np.asarray(counts, dtype=np.int64)
        # dice that show faces above each face
        left = given.sum(-1, keepdims=True) - given.cumsum(-1)
        earlier = self.ranks[np.arange(self.faces), left].sum(-1)
        return np.asarray(self.first[given.sum(-1)] + earlier)


@lru_cache(maxsize=8)
def lattice(dice: int, faces: int) -> Lattice:
    """Return the lattice of `dice` dice with `faces` faces, built once per process."""
    by_size = [combinations_with_replacement(range(faces), size) for size in range(dice + 1)]
    # Each as the number of dice that show each face.
    multisets = [tuple(map(chosen.count, range(faces))) for chosen in chain.from_iterable(by_size)]
    index = {counts: i for i, counts in enumerate(multisets)}
    up_to_size = [comb(size + faces, faces) for size in range(dice + 1)]  # number of multisets
    first = np.array([0, *up_to_size], dtype=np.int64)

    def neighbour(counts: tuple[int, ...], face: int, change: int) -> int:
        return index[(*counts[:face], counts[face] + change, *counts[face + 1 :])]

    successors = [
        [neighbour(counts, face, 1) for face in range(faces)] for counts in multisets[: first[dice]]
    ]
    lower = [
        [neighbour(counts, face, -1) for face in range(faces) if counts[face]]
        for counts in multisets
    ]
    orderings = [
        factorial(dice) // prod(map(factorial, counts)) for counts in multisets[first[dice] :]
    ]
    ranks = np.zeros((faces, dice + 1), dtype=np.int64)
    for face in range(faces - 1):  # the last one never decides the order
        above = faces - 1 - face  # number of faces above this one
        # With one die more of this face, or several, up to left - 1 dice show faces above it.
        ranks[face, 1:] = [comb(left - 1 + above, above) for left in range(1, dice + 1)]
    return Lattice(
        dice=dice,
        faces=faces,
        counts=np.array(multisets, dtype=np.int64),
        first=first,
        ranks=ranks,
        successors=np.array(successors, dtype=np.int64).reshape(-1, faces),
        predecessor_start=np.cumsum([0, *map(len, lower)], dtype=np.int64),
        predecessors=np.array([*chain.from_iterable(lower)], dtype=np.int64),
        weights=np.array(orderings, dtype=np.float64) / float(faces) ** dice,
    )


def sub_multisets(counts: npt.NDArray[np.int64]) -> Ints:
    """Return all different holds of a roll, from no dice to all dice. Roll and holds are given by
    the number of dice of each face.
    """
    grids = np.meshgrid(*(np.arange(count + 1) for count in counts), indexing="ij")
    return np.stack([grid.ravel() for grid in grids], axis=1).astype(np.int64)
