"""Multisets of dice as integers, and the lattice of holds between them.

A multiset of at most `dice` dice has an index: all of size 0 first, then size 1 ... and the full rolls last;
within a size lexicographic by its sorted dice (1-1-1 before 1-1-2)::

    {} | 1 2 3 4 5 6 | 11 12 13 ... 66 | ... | 11111 ... 66666
    0    1         6   7                      210        461       (five dice: 462 holds, 252 rolls)

The lattice joins each multiset to the ones with one die more. Rerolling walks up along it one die at a time
(mean over the faces), choosing what to hold walks down (maximum over the dice to let go).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations_with_replacement
from math import comb, factorial, prod

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

Dice = tuple[int, ...]  # a roll or a hold, as faces in ascending order


@dataclass(frozen=True)
class Lattice:
    """All multisets of up to `dice` dice with `faces` faces.

    Attributes
    ----------
    counts : (holds, faces) int64
        Dice showing each face.
    first : (dice + 2,) int64
        Multisets of size s have the indices ``first[s]`` to ``first[s + 1] - 1``.
    successors : (first[dice], faces) int64
        Index after adding one die of each face, for every multiset that is not a full roll.
    predecessor_start, predecessors : (holds + 1,) and (pairs,) int64
        Indices after taking one die away, one for each different face, multiset by multiset.
    weights : (rolls,) float64
        Probability of each full roll when all dice are rolled.
    """

    dice: int
    faces: int
    counts: Ints
    first: Ints
    successors: Ints
    predecessor_start: Ints
    predecessors: Ints
    weights: Floats
    ranks: Ints

    @property
    def holds(self) -> int:
        """Number of multisets of every size."""
        return len(self.counts)

    @property
    def first_roll(self) -> int:
        """Index of the first full roll."""
        return int(self.first[self.dice])

    @property
    def rolls(self) -> int:
        """Number of full rolls."""
        return self.holds - self.first_roll

    def rank(self, counts: npt.ArrayLike) -> Ints:
        """Index of each multiset of a `(..., faces)` array of counts (the inverse is ``self.counts[i]``)."""
        given = np.asarray(counts, dtype=np.int64)
        # after[f]: dice left for the faces above f. All multisets with more dice of face f come earlier.
        after = given.sum(-1, keepdims=True) - given.cumsum(-1)
        earlier = self.ranks[np.arange(self.faces), after].sum(-1)
        return np.asarray(self.first[given.sum(-1)] + earlier)


@lru_cache(maxsize=8)
def lattice(dice: int, faces: int) -> Lattice:
    """The lattice of `dice` dice with `faces` faces, built once a process."""
    chosen = [combinations_with_replacement(range(faces), size) for size in range(dice + 1)]
    multisets = [tuple(map(dice_.count, range(faces))) for group in chosen for dice_ in group]
    index = {counts: i for i, counts in enumerate(multisets)}
    first = np.array([0, *(comb(size + faces, faces) for size in range(dice + 1))], dtype=np.int64)

    def moved(counts: tuple[int, ...], face: int, by: int) -> int:
        return index[(*counts[:face], counts[face] + by, *counts[face + 1 :])]

    successors = [[moved(counts, face, 1) for face in range(faces)] for counts in multisets[: first[dice]]]
    lower = [[moved(counts, face, -1) for face in range(faces) if counts[face]] for counts in multisets]
    outcomes = [factorial(dice) // prod(map(factorial, counts)) for counts in multisets[first[dice] :]]
    # comb(n, -1) does not exist in Python: the last face never decides an order, its column is zero.
    ranks = [[comb(left - 1 + k, k) if left and k else 0 for left in range(dice + 1)] for k in range(faces)][::-1]
    return Lattice(
        dice=dice,
        faces=faces,
        counts=np.array(multisets, dtype=np.int64),
        first=first,
        successors=np.array(successors, dtype=np.int64).reshape(-1, faces),
        predecessor_start=np.cumsum([0, *map(len, lower)], dtype=np.int64),
        predecessors=np.array([i for row in lower for i in row], dtype=np.int64),
        weights=np.array(outcomes, dtype=np.float64) / float(faces) ** dice,
        ranks=np.array(ranks, dtype=np.int64),
    )


def sub_multisets(counts: npt.NDArray[np.int64]) -> Ints:
    """All different holds of a roll: `(n, faces)` counts, from nothing to all dice."""
    grids = np.meshgrid(*(np.arange(count + 1) for count in counts), indexing="ij")
    return np.stack([grid.ravel() for grid in grids], axis=1).astype(np.int64)
