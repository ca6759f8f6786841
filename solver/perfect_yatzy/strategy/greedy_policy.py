"""The policy of a value function: every turn is played as if the function gave the points still to come.

Any guess of the points still to come is a policy in this way; the guess that is right is perfect play::

    action(state, roll) = argmax of  points + guess(child)    over all holds and categories of one exact turn
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..game.dice import Ints
from ..game.rules import RuleSet
from ..game.scorecard import EMPTY_STATE, State
from ..kernels.table_slices import restricted, window
from ..model.checked_values import Table
from ..model.policies import RowActions
from ..model.state_space import StateSpace, state_space
from .turn_evaluator import TurnEvaluator


class GreedyPolicy:
    """Greedy play for a guess of the value of each state of a space (default: the whole game), in points."""

    ties = TurnEvaluator.ties

    def __init__(
        self, rules: RuleSet, values: Table, start: State = EMPTY_STATE, space: StateSpace | None = None
    ) -> None:
        self.rules, self.start, self.space = rules, start, state_space(rules, start)
        whole = space or state_space(rules)
        self.values = values if whole.start == start else restricted(whole, self.space, values)

    def layer(self, filled: int) -> RowActions:
        """Actions at the cards with `filled` categories filled; see :class:`perfect_yatzy.model.policies.Policy`."""
        table = window(self.space, self.values, filled)

        def actions(rows: Ints) -> Iterable[tuple[Ints, Any]]:
            return [(rows, table)]

        return actions
