"""Play for a goal where the table of all goals is too large: one exact turn on estimated chances.

A turn is evaluated exactly from the chances of its children. In the last layers of the game they are exact, before
that they are estimates (:mod:`perfect_yatzy.model.goal_estimates`). So the play is approximate, and the chances shown
are estimates: they do not bound the chance of the best play. A simulation measures what the play achieves.
:mod:`perfect_yatzy.approximation.goals` makes the tables.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np

from ..game.dice import Floats, Ints
from ..game.rules import RuleSet
from ..game.scorecard import State
from ..kernels.table_slices import whole_table, window
from ..model.checked_values import Table
from ..model.goal_estimates import Downside, EstimatedGoals, LateGoals, Upside, estimated_chances
from ..tablebase.store import has_table, open_table
from .turn_evaluator import ScoreEvaluator, TurnEvaluator

if TYPE_CHECKING:
    from ..tablebase.table_info import TableInfo
    from .turn_evaluator import KernelScores

ESTIMATES = (Upside.name, Downside.name, LateGoals.name)  # names of the tables


class EstimatedGoalEvaluator(ScoreEvaluator):
    """Evaluates turns for a goal by estimates from means and spreads, in the last layers by exact chances."""

    def __init__(self, late: LateGoals, values: Table, spreads: tuple[Table, Table], means: TurnEvaluator) -> None:
        super().__init__(EstimatedGoals(late.rules), values, means)
        self.late, self.spreads = late, spreads

    def is_exact(self, state: State) -> bool:
        """Whether the chances of all actions are exact at the start of a turn from a state."""
        return state.filled.bit_count() + 1 >= self.late.first_layer

    def ranges(self, states: Ints) -> tuple[Ints, Ints]:
        """First and last x of the range of scores of states (places in the table of means), shaped as `states`."""
        assert isinstance(self.objective, EstimatedGoals)
        low = self.objective.lowest(states)
        return low, np.full_like(low, -1)

    def look_up(self, state: Ints, x: Ints) -> Floats:
        """Chances of states (places in the table of means, all of one layer) at x."""
        state, x = np.broadcast_arrays(state, x)
        if state.size and int(state.flat[0]) < self.late.states:
            offsets = self.late.score_offsets
            inside = np.clip(x, offsets.low[state] - 1, offsets.high[state] + 1)
            return np.asarray(self.values[offsets.origin[state] + inside], dtype=np.float64)
        low, _ = self.ranges(state)
        upside, downside = (spread[state] for spread in self.spreads)
        found = estimated_chances(-x.astype(np.float64), self.mean_values[state], upside, downside)
        known = np.where(x >= 0, 1.0, np.where(x < low, 0.0, found))
        return known.astype(np.float32).astype(np.float64)  # the kernels compute with float32

    def kernel_scores(self, filled: int) -> KernelScores:
        """The chances of the children of a layer as the kernels take them."""
        from ..kernels.value_tables import EstimatedScores, StoredScores

        if filled + 1 >= self.late.first_layer:
            layer = self.late.layer_slice(filled + 1)
            return StoredScores(whole_table(self.values, layer.start, layer.stop), self.late.score_offsets)
        assert isinstance(self.objective, EstimatedGoals)
        means, upside, downside = (window(self.space, table, filled) for table in (self.mean_values, *self.spreads))
        return EstimatedScores(means, upside, downside, self.objective.most, self.objective.bonus.ravel())


def has_goal_estimates(rules: RuleSet, tables: str | os.PathLike[str] | None = None) -> bool:
    """Whether the store has all tables of the estimates."""
    return all(has_table(rules, tables, name) for name in ESTIMATES)


def open_goal_estimates(
    rules: RuleSet, means: TurnEvaluator, tables: str | os.PathLike[str] | None = None
) -> tuple[TableInfo, EstimatedGoalEvaluator]:
    """Open the estimates; `means` of the whole game break ties. TableError if a table is missing or damaged."""
    late = LateGoals(rules)
    info, values = open_table(late, tables, solve=False)
    upside, downside = (open_table(kind(rules), tables, solve=False)[1] for kind in (Upside, Downside))
    return info, EstimatedGoalEvaluator(late, values, (upside, downside), means)
