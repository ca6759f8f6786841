"""Solve any rows of a layer from the values of the layer below: the unit of work of threads and of worker processes.

A table is solved in layers, from the full cards to the start. Every row of a layer depends only on the layer below.
So any thread, process or machine can solve any part of a layer, with the same bits::

    solver = RowSolver(Goals(rules))                      # rules and objective
    below = TableSlice(padded(values), start)             # values of the layer below, the first one at `start`
    part = solver.solve_shard(filled, first, end, below)  # rows layers[filled][first:end]
    table[solver.rows_slice(filled, first, end)] = part
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..game.dice import Ints, lattice
from ..kernels.table_slices import PADDING, TableSlice, padded, window
from ..model.objectives import (
    ExponentialUtility,
    Objective,
    PolicyMean,
    PolicyQuantity,
    ScoreObjective,
    Values,
)
from ..model.score_places import ScoreOffsets
from ..model.turn_model import turn_model, turn_outcomes

if TYPE_CHECKING:
    from ..kernels.policy_evaluation import EvaluationJob
    from ..kernels.turn import SolveJob


class RowSolver:
    """Solves rows of an objective's table.

    Threads may share one solver.

    Parameters
    ----------
    objective : Objective
        The mean, goals, a utility, or a quantity under the policy of a table of means.
    unrolled : bool
        False forces the index arrays of the lattice (tests compare the two).

    Attributes
    ----------
    objective : Objective
    layers : list of int64 arrays
        ``layers[k]``: the rows with k filled categories, in the order of the table.
    """

    def __init__(self, objective: Objective, *, unrolled: bool = True) -> None:
        from ..kernels.lattice import kernel_lattice

        self.objective, self.layers = objective, objective.space.layers
        self._dice = lattice(objective.rules.dice, objective.rules.faces)
        model = turn_model(objective.rules, objective.start)
        self._model = model._replace(monotone=int(objective.monotone and model.monotone))
        self._lattice = kernel_lattice(self._dice, unrolled)
        self._idle: list[Any] = []  # scratch memory that no call uses at the moment

    def rows_slice(self, filled: int, first: int, end: int) -> slice:
        """Part of the table that holds the values of the rows ``layers[filled][first:end]``."""
        return self.objective.rows_slice(filled, first, end)

    def full_cards(self) -> TableSlice:
        """The values of the full cards, with which the backward induction begins."""
        start = self.objective.layer_slice(self.objective.space.categories).start
        return TableSlice(padded(self.objective.full_cards()), start)

    def blank(self, place: slice) -> TableSlice:
        """A zeroed slice of the table, to be solved into."""
        return TableSlice(np.zeros(place.stop - place.start + PADDING, self.objective.compute), place.start)

    def solve(self, rows: Ints, below: TableSlice, out: TableSlice, offsets: ScoreOffsets | None = None) -> None:
        """Write the values of `rows`.

        Parameters
        ----------
        rows : (n,) int64
            Rows of one layer.
        below : TableSlice
            At least the values of the children of `rows`, of type ``objective.compute``.
        out : TableSlice
            Written where the values of `rows` are; it must contain their :meth:`rows_slice`.
        offsets : ScoreOffsets, optional
            Of an objective of scores, with at least the places of the states of `rows` and of their children.
            Default: those of all states, which take 24 bytes each.
        """
        if not len(rows):
            return
        filled = int(self.objective.space.filled[rows[0]])
        try:
            scratch = self._idle.pop()
        except IndexError:
            scratch = self._new_scratch()
        self._run(rows, below, out, filled, scratch, offsets)
        self._idle.append(scratch)

    def solve_shard(self, filled: int, first: int, end: int, below: TableSlice) -> Values:
        """The values of the rows ``layers[filled][first:end]``, in the order of the table.

        Parameters
        ----------
        below : TableSlice
            As for :meth:`solve`; the layer with ``filled + 1`` filled categories always suffices.
        """
        out = self.blank(self.rows_slice(filled, first, end))
        self.solve(self.layers[filled][first:end], below, out)
        return out.values[:-PADDING]

    def _new_scratch(self) -> Any:
        from ..kernels.policy import policy_scratch
        from ..kernels.turn import make_scratch

        objective = self.objective
        if isinstance(objective, PolicyQuantity):
            outcomes, most = turn_outcomes(objective.rules, objective.start), int(objective.space.most_saved.max())
            return policy_scratch(self._dice, self._model, outcomes, most, objective.compute)
        return make_scratch(self._dice, self._model, objective.compute)

    def _run(
        self,
        rows: Ints,
        below: TableSlice,
        out: TableSlice,
        filled: int,
        scratch: Any,
        offsets: ScoreOffsets | None,
    ) -> None:
        """Call the kernel that solves this kind of objective."""
        objective = self.objective
        if isinstance(objective, PolicyQuantity):
            from ..kernels.policy_evaluation import evaluate_actions_rows, evaluate_policy_rows

            evaluation = self._evaluation_job(objective, below, out, filled, scratch)
            if objective.policy is None:
                evaluate_policy_rows(rows, evaluation)
            else:
                for part, actions in objective.policy.layer(filled)(rows):
                    evaluate_actions_rows(part, evaluation, actions)
            return
        job = self._solve_job(below, out, filled, scratch)
        if isinstance(objective, ScoreObjective):
            from ..kernels.score_turn import solve_score_rows

            solve_score_rows(rows, job, offsets or objective.score_offsets, objective.before > 0)
        elif isinstance(objective, ExponentialUtility):
            from ..kernels.exponential_turn import solve_exponential_rows

            solve_exponential_rows(rows, job, objective.rate)
        else:
            from ..kernels.turn import solve_rows

            solve_rows(rows, job)

    def _most_saved(self, filled: int) -> int:
        return int(self.objective.space.most_saved[filled])

    def _solve_job(self, below: TableSlice, out: TableSlice, filled: int, scratch: Any) -> SolveJob:
        from ..kernels.turn import SolveJob

        return SolveJob(self._model, self._lattice, below, out, self._most_saved(filled), scratch)

    def _evaluation_job(
        self, objective: PolicyQuantity, below: TableSlice, out: TableSlice, filled: int, scratch: Any
    ) -> EvaluationJob:
        from ..kernels.policy import PolicyJob
        from ..kernels.policy_evaluation import EvaluationJob
        from ..kernels.turn import TIE

        outcomes = turn_outcomes(objective.rules, objective.start)
        ties = objective.policy.ties if objective.policy else (TIE, 0.0)
        policy = PolicyJob(self._model, outcomes, self._lattice, ties, scratch)
        means = below if isinstance(objective, PolicyMean) else window(objective.space, objective.values, filled)
        weights = objective.points_weight, objective.square_weight
        return EvaluationJob(policy, means, below, out, self._most_saved(filled), *weights)
