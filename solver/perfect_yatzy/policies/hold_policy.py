"""Hold rules with prices as a policy: rules choose the dice to keep, prices the category.

A person can play it without computing a turn: the first rule that fits says what to keep, and at the end of the turn
the box with the most *points minus price* is filled.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ..game.dice import Floats, Ints, lattice
from ..game.rules import RuleSet
from ..game.scorecard import EMPTY_STATE, State
from ..kernels.table_slices import window
from ..model.policies import RowActions
from ..model.state_space import state_space
from .hold_language import HoldRule
from .hold_tables import hold_rule_arrays
from .player import Acting
from .price_sheet import PriceSheet


class HoldRulePolicy(Acting):
    """A list of hold rules and a price sheet as a policy; `values`: ``prices.values(start)``, if it is at hand."""

    ties = (1e-10, 0.0)  # of the categories, in points

    def __init__(
        self,
        hold_rules: Sequence[HoldRule],
        prices: PriceSheet,
        start: State = EMPTY_STATE,
        values: Floats | None = None,
    ) -> None:
        self.hold_rules, self.prices, self.start = tuple(hold_rules), prices, start
        self.space = state_space(prices.rules, start)
        self.values = prices.values(start) if values is None else values
        self.arrays = hold_rule_arrays(prices.rules, self.hold_rules, self.space)

    @property
    def rules(self) -> RuleSet:
        """The game."""
        return self.prices.rules

    def layer(self, filled: int) -> RowActions:
        """Actions at the cards with `filled` categories filled."""
        from ..kernels.hold_rules import HoldRuleActions

        table = window(self.space, self.values, filled)
        n_rolls = lattice(self.rules.dice, self.rules.faces).n_rolls

        def actions(rows: Ints) -> Iterable[tuple[Ints, Any]]:
            return [(rows, HoldRuleActions(self.arrays, table, np.zeros(2 * n_rolls, dtype=np.int32)))]

        return actions
