"""One turn for points alone, in NumPy: its mean, and how often it ends in each box.

    value(a) = E[ best turn of max over boxes c of a_c(roll) ]          d value / d a_c(roll) = P(the turn ends in c)

The derivative is the chance that the best policy ends a turn with that roll in that box: chances move forward from
the first roll, dice that are held move down the lattice one die at a time, and rerolls move up again.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from ..game.dice import Floats, Ints, lattice
from ..strategy.turn_evaluator import passes
from .sums import dot


class OneTurn:
    """A turn of any dice and number of rolls."""

    def __init__(self, dice: int, faces: int, rolls: int) -> None:
        self.grid, self.passes, self.rolls = lattice(dice, faces), passes(dice, faces), rolls

    def mean_and_uses(self, gains: Floats) -> tuple[float, Floats]:
        """The mean of the best turn, and the chance that it ends with each roll."""
        first = self.grid.first_roll
        best, stages = gains, []
        for _ in range(self.rolls - 1):
            holds = self.passes.holds_from_rolls(best)
            kept, choice = self._best_within(holds)
            stops = gains >= kept[first:]
            stages.append((stops, choice))
            best = np.where(stops, gains, kept[first:])
        chances, ends = self.grid.weights.copy(), np.zeros(len(gains))
        for stops, choice in reversed(stages):
            ends += np.where(stops, chances, 0.0)
            chances = self._reroll(np.where(stops, 0.0, chances), choice)
        return float(dot(self.grid.weights, best)), ends + chances

    def _best_within(self, holds: Floats) -> tuple[Floats, Ints]:
        """The best hold within each multiset, and the multiset with one die less that has it (or itself)."""
        best, choice = holds.copy(), np.arange(len(holds))
        for level in self.passes.levels[1:]:
            own = np.arange(level.place.start, level.place.stop)
            among = best[level.predecessors]
            column = among.argmax(axis=1)
            value = among[np.arange(len(own)), column]
            better = value > best[level.place]
            choice[level.place] = np.where(better, level.predecessors[np.arange(len(own)), column], own)
            best[level.place] = np.where(better, value, best[level.place])
        return best, choice

    def _reroll(self, chances: Floats, choice: Ints) -> Floats:
        """Chance of each roll after a reroll, from the chance that each roll is rerolled."""
        first, node = self.grid.first_roll, np.zeros(self.grid.n_holds)
        node[first:] = chances
        for level in self.passes.levels[:0:-1]:  # dice are put aside: to the best hold
            own = np.arange(level.place.start, level.place.stop)
            moves = choice[level.place] != own
            target = choice[level.place][moves]
            node += np.bincount(target, weights=node[level.place][moves], minlength=len(node))
            node[own[moves]] = 0.0
        return self.passes.rolls_from_holds(node)


@lru_cache(maxsize=4)
def one_turn(dice: int, faces: int, rolls: int) -> OneTurn:
    """The turn, built once a process."""
    return OneTurn(dice, faces, rolls)
