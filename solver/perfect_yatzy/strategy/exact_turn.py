"""One turn in fractions: the NumPy of :mod:`.turn_evaluator`, whose arrays then hold fractions, from exact values."""

from __future__ import annotations

from contextlib import closing
from fractions import Fraction
from typing import Any

import numpy as np

from ..game.dice import Ints
from ..game.scorecard import State
from ..tablebase.backward_induction import default_threads
from ..tablebase.exact_solve import ExactSolve
from .turn_evaluator import TurnEvaluator


class ExactEvaluator(TurnEvaluator):
    """Evaluates the turn at the start of an exact solve; values are fractions, and only equal ones are ties."""

    ties = (0, 0)
    number = object

    def __init__(self, solve: ExactSolve, threads: int | None = None) -> None:
        self.solve, after = solve, solve.space.start.filled.bit_count() + 1
        with closing(solve.layers(threads or default_threads())) as layers:
            limbs = next(values for filled, values in layers if filled == after)
        super().__init__(solve.rules, limbs, solve.space)
        self.after, self.saved, self.found = after, solve.saved_rolls(after), dict[int, Fraction]()

    def exact(self, index: int) -> Fraction:
        """The value of a state after the turn."""
        if index not in self.found:
            place = index - self.space.layer_slice(self.after).start
            self.found[index] = self.solve.value(self.after, self.values[place], int(self.saved[place]))
        return self.found[index]

    def child_value(self, state: State, category: int, points: Ints, bonus_points: Ints | int, saved: int) -> Any:
        """Value of filling `category` with each of `points`."""
        places = self.child_index(state, category, points, saved)
        later = np.array([self.exact(i) for i in places.ravel().tolist()], dtype=object).reshape(points.shape)
        return np.asarray(points + bonus_points + later, dtype=object)
