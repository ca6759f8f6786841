"""One turn in fractions: the NumPy of :mod:`.turn_evaluator`, whose arrays then hold fractions, from exact values."""

from __future__ import annotations

from contextlib import closing
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
        self.after, self.saved = after, solve.saved_rolls(after)

    def child_value(self, state: State, category: int, points: Ints, bonus_points: Ints | int, saved: int) -> Any:
        """Value of filling `category` with each of `points`."""
        first = self.space.layer_slice(self.after).start
        places, each = np.unique(self.child_index(state, category, points, saved) - first, return_inverse=True)
        found = [self.solve.value(self.after, self.values[i], int(self.saved[i])) for i in places.tolist()]
        later = np.array(found, dtype=object)[each.ravel()].reshape(points.shape)
        return np.asarray(points + bonus_points + later, dtype=object)
