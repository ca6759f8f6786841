"""How often play under a value function meets each state: the weights of what a sheet should get right.

Games are simulated; the states at the start of their turns are counted.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..game.dice import Ints
from ..game.rules import RuleSet
from ..kernels.rollout import LANE, ROW, SAVED, Games
from ..model.checked_values import Table
from ..model.policies import Policy
from ..model.state_space import StateSpace, state_space
from ..strategy.greedy_policy import GreedyPolicy
from ..strategy.rollout import Rollout
from ..tablebase.backward_induction import default_threads

if TYPE_CHECKING:
    from ..strategy.rollout import TurnArguments


@dataclass(frozen=True)
class Visits:
    """The states at which turns of simulated games began, all but full cards."""

    space: StateSpace
    games: int  # number of games
    # (n,) int64: Row and place in the table of each state that was met, and how many games met it; ascending places
    rows: Ints
    places: Ints  # (n,) int64
    counts: Ints  # (n,) int64

    def states(self) -> tuple[Ints, Ints, Ints]:
        """Bitmask of the filled categories, upper sum and saved rolls of each state, ``(n,)`` int64 each."""
        layout = self.space.layout
        lanes, saved = self.space.lanes_and_saved(self.rows, self.places)
        return layout.masks[self.rows], layout.lane_upper[layout.lane_sets[self.rows], lanes], saved


class _Recorder(Rollout):
    """Games that note the state of every game at the start of every turn."""

    def __init__(self, policy: Policy, threads: int) -> None:
        super().__init__(policy, policy.start, threads)
        self.met: list[tuple[Ints, Ints, Ints]] = []

    def turn(self, filled: int, games: Games, order: Ints, rest: TurnArguments) -> Callable[[int, int], None]:
        """As for :class:`Rollout`."""
        layout, fields = self.space.layout, games.fields.reshape(len(order), -1)
        rows = fields[:, ROW]
        places = layout.offsets[rows] + fields[:, SAVED] * layout.lane_count[layout.lane_sets[rows]] + fields[:, LANE]
        places, first, counts = np.unique(places, return_index=True, return_counts=True)
        self.met.append((rows[first], places, counts))
        return super().turn(filled, games, order, rest)


def visited_states(rules: RuleSet, values: Table, games: int, seed: int, threads: int | None = None) -> Visits:
    """Simulate games that are greedy for a value function."""
    recorder = _Recorder(GreedyPolicy(rules, values), threads or default_threads())
    recorder.play(games, 0, seed, lambda turn: None)
    rows, places, counts = (np.concatenate(part) for part in zip(*reversed(recorder.met), strict=True))
    return Visits(state_space(rules), games, rows, places, counts)
