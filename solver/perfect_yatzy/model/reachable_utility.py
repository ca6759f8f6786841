"""Utilities with the scores that the upper sum of a card allows: two thirds of those that the card alone does.

The upper sum says how many points the upper boxes hold. So the score x of a state is known up to the lower boxes::

    x = points of the upper boxes + points of the others,      0 <= points of the others <= their most

Only where several upper sums share a lane, because the bonus is certain or out of reach, the points of the upper
boxes have a range of their own (:meth:`perfect_yatzy.model.lanes.LaneSets.points_made`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np

from ..game.dice import Floats, Ints
from ..game.rules import RuleSet
from ..game.scorecard import EMPTY_STATE, State
from ..game.upper_sums import upper_sums
from .objectives import Utility
from .score_places import ScorePlaces


class ReachableUtility(Utility):
    """A utility whose ranges of scores hold what a game can reach; its values are those of :class:`Utility`."""

    def __init__(
        self, rules: RuleSet, utility: Callable[[Ints], Floats], start: State = EMPTY_STATE, tolerance: float = 0.0
    ) -> None:
        super().__init__(rules, utility, start)
        self.tolerance = tolerance

    @cached_property
    def _points_made(self) -> tuple[Ints, Ints, Ints]:
        """Points since `start`: the most in boxes that count to no bonus, by row; fewest and most in the others, by
        lane set and lane."""
        extra = dict(self.rules.first_roll_bonus)
        extras = np.array([extra.get(c.id, 0) for c in self.rules.categories])
        lanes = self.space.lanes.points_made(extras, self.space.layout.lane_width)
        best = self.best_points()
        best[list(upper_sums(self.rules).counting)] = 0
        return self.points_of_cards(best), *lanes

    def layer_sizes(self) -> list[tuple[int, int]]:
        """States and entries of each layer that is solved, the start first."""
        space, layout = self.space, self.space.layout
        others, least, most = self._points_made
        lanes, copies = layout.lane_count[layout.lane_sets], space.most_saved[space.filled] + 1
        frames = self.before + self.after
        entries = lanes * (others + 1 + frames) + (most - least).sum(axis=1)[layout.lane_sets]
        return [
            (int((lanes * copies)[rows].sum()), int((entries * copies)[rows].sum()))
            for rows in space.layers[self.first_layer :]
        ]

    @cached_property
    def places(self) -> ScorePlaces:
        """Where the ranges of scores are."""
        others, least, most = self._points_made
        return ShiftedPlaces(self, others, most - least, least)


class ShiftedPlaces(ScorePlaces):
    """Places of ranges of scores that begin at the fewest points of their lane, `least` (lane sets, lanes)."""

    def __init__(self, objective: Utility, lengths: Ints, more: Ints, least: Ints) -> None:
        space, first = objective.space, objective.first_layer
        super().__init__(space, first, lengths, more, objective.score_range, objective.before, objective.after)
        self._least = least

    def _bounds(self, rows: Ints, lanes: Ints) -> tuple[Ints, Ints]:
        low, high = super()._bounds(rows, lanes)
        least = self._least[self._space.layout.lane_sets[rows], lanes]
        return low + least, high + least
