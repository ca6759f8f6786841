"""Solve any rows of a layer from the values of the layer below: the unit of work of threads and of worker processes.

Every row of a layer depends only on the layer below. So any thread, process or machine can solve any part of a layer,
with the same bits::

    solver = RowSolver(objective)                                  # such as Goals(rules)
    below = TableSlice(padded(values), start)                      # values of the layer below, from `start` on
    part = solver.blank(objective.rows_slice(filled, first, end))  # for the values of the rows
    solver.solve(objective.space.layers[filled][first:end], below, part)
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..game.dice import Ints, lattice
from ..kernels.table_slices import PADDING, TableSlice, padded, read_only, window
from ..model.objectives import Objective, PolicyMean, PolicyQuantity, ScoreObjective
from ..model.score_places import ScoreOffsets
from ..model.turn_model import turn_model, turn_outcomes
from .threads import ScratchPool

MOST_SPACING = 4  # of scores; more would not save much, because a range has to fill a vector
DENSE_LAYERS = 5  # at the start, whose values are answers; they cost little
Misses = tuple[float, float]  # of interpolation, and changes of the values: sums of squares
UNKNOWN: Misses = (0.0, 0.0)

if TYPE_CHECKING:
    from ..kernels.turn import SolveJob


class RowSolver:
    """Solves rows of an objective's table, in any number of threads."""

    def __init__(self, objective: Objective, *, unrolled: bool = True) -> None:
        from ..kernels.lattice import kernel_lattice

        self.objective = objective
        self._dice = lattice(objective.rules.dice, objective.rules.faces)
        model = turn_model(objective.rules, objective.start)
        self._model = model._replace(monotone=int(objective.monotone and model.monotone))
        self._lattice = kernel_lattice(self._dice, unrolled)
        self._scratch = ScratchPool(self.new_scratch)
        self._spacing = 1  # of the scores that are solved; those between are interpolated

    def full_cards(self) -> TableSlice:
        """The values of the full cards, with which the backward induction begins."""
        start = self.objective.layer_slice(self.objective.space.categories).start
        return TableSlice(padded(self.objective.full_cards()), start)

    def blank(self, place: slice) -> TableSlice:
        """A zeroed slice of the table, to be solved into."""
        return TableSlice(np.zeros(place.stop - place.start + PADDING, self.objective.compute), place.start)

    def solve(self, rows: Ints, below: TableSlice, out: TableSlice, offsets: ScoreOffsets | None = None) -> Misses:
        """Write the values of some rows of a layer; how far twice the spacing of scores would miss them."""
        objective, filled = self.objective, int(self.objective.space.filled[rows[0]])
        with self._scratch.borrow() as scratch:
            if isinstance(objective, PolicyQuantity):
                self._evaluate(objective, rows, below, out, filled, scratch)
                return UNKNOWN
            from ..kernels import solve

            job = self.job(below, out, filled, scratch)
            if isinstance(objective, ScoreObjective):
                places = offsets or objective.score_offsets
                missed, changes = solve.solve_score_rows(rows, job, places, objective.before > 0, self._spacing)
                return missed, changes
            getattr(solve, objective.kernel)(rows, job, *objective.kernel_arguments)
            return UNKNOWN

    def after_layer(self, filled: int, misses: Iterable[Misses]) -> None:
        """Solve fewer scores of the next layer if this one, which has had fewer turns, is smooth enough."""
        missed, changes = map(sum, zip(*misses, strict=True))
        choices = self.objective.space.categories - filled  # the first ones make a value less smooth, not more
        if filled <= self.objective.first_layer + DENSE_LAYERS:
            self._spacing = 1
        elif choices > 1 and missed < changes * self.objective.tolerance**2:
            self._spacing = min(2 * self._spacing, MOST_SPACING)

    def new_scratch(self) -> Any:
        """New working memory of the kernels."""
        from ..kernels.policy import policy_scratch
        from ..kernels.turn import make_scratch

        objective = self.objective
        if isinstance(objective, PolicyQuantity):
            outcomes, most = turn_outcomes(objective.rules, objective.start), int(objective.space.most_saved.max())
            return policy_scratch(self._dice, self._model, outcomes, most, objective.compute)
        return make_scratch(self._dice, self._model, objective.compute)

    def job(self, below: TableSlice, out: TableSlice, filled: int, scratch: Any) -> SolveJob:
        """The arguments of the kernels of a solve."""
        from ..kernels.turn import SolveJob

        return SolveJob(self._model, self._lattice, below, out, int(self.objective.space.most_saved[filled]), scratch)

    def _evaluate(
        self, objective: PolicyQuantity, rows: Ints, below: TableSlice, out: TableSlice, filled: int, scratch: Any
    ) -> None:
        """Write the values of a quantity under a policy, or under perfect play."""
        from ..kernels.policy import PolicyJob
        from ..kernels.policy_evaluation import EvaluationJob, PerfectPlay, evaluate_rows
        from ..kernels.turn import TIE

        outcomes = turn_outcomes(objective.rules, objective.start)
        ties = objective.policy.ties if objective.policy else (TIE, 0.0)
        policy = PolicyJob(self._model, outcomes, self._lattice, ties, scratch)
        means = TableSlice(read_only(below.values), below.start)  # of the type of a window: one kernel
        if not isinstance(objective, PolicyMean):
            means = window(objective.space, objective.values, filled)
        weights = objective.points_weight, objective.square_weight
        evaluation = EvaluationJob(policy, means, below, out, int(objective.space.most_saved[filled]), *weights)
        parts = objective.policy.layer(filled)(rows) if objective.policy else [(rows, PerfectPlay())]
        for part, actions in parts:
            evaluate_rows(part, evaluation, actions)
