"""Soft policies: the better an option, the more often it is taken. Evaluated exactly, or by simulated games.

A :class:`SoftPolicy` has one number, its temperature in points. Of the options of a decision, option i with the loss
d_i against the best one is taken with a chance proportional to ::

    w(d) = max(0, 1 - d / (8 temperature))^8          about exp(-d / temperature)

Values are those of perfect play after the decision. What the policy gives away in a game is the sum of the expected
losses of its decisions (:mod:`perfect_yatzy.kernels.soft_policy`), so it is known for each game that is simulated,
too, with a much smaller standard deviation than that of the scores.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from math import sqrt
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from ..errors import StateError, shown
from ..game.action_numbers import Action
from ..game.dice import Floats, Ints, lattice
from ..game.legal_actions import TurnPosition
from ..game.scorecard import EMPTY_STATE
from ..kernels.table_slices import restricted, window
from ..model.checked_values import Table
from ..model.policies import RowActions
from ..model.state_space import state_space
from ..model.turn_model import turn_model
from ..strategy.actions import Choice, Hold
from ..strategy.position import Position
from ..strategy.strategy import Strategy
from ..strategy.turn_evaluator import GreedyPolicy
from ..tablebase.backward_induction import default_threads
from ..tablebase.threads import ScratchPool
from .evaluation import policy_mean

if TYPE_CHECKING:
    from ..kernels.soft_policy import SoftScratch

Option = TypeVar("Option", Hold, Choice)
LIMIT = 8.0  # an option that loses more than this many temperatures is never taken; the power of the weights


class SoftPolicy:
    """A policy that takes worse options less often."""

    ties = GreedyPolicy.ties
    lost = np.empty(0)  # simulated games add what they give away, ``(games,)`` or empty

    def __init__(self, strategy: Strategy, temperature: float, start: Position = EMPTY_STATE) -> None:
        if not isinstance(temperature, (int, float)) or not temperature >= 0:
            raise StateError(f"temperature is {shown(temperature)}; must be a number of points, at least 0")
        self.strategy, self.temperature = strategy, float(temperature)
        self.rules, self.start = strategy.rules, strategy.check(start).state
        self.space = state_space(self.rules, self.start)
        self._scratch, self._random = ScratchPool(self._new_scratch), np.random.default_rng(1)

    @property
    def sharpness(self) -> float:
        """1 / the smallest loss, in points, of the options that are never taken."""
        return 1 / (LIMIT * self.temperature) if self.temperature > 1e-9 else 1e9

    def chances(self, losses: Floats) -> Floats:
        """Chance of each option of a decision, ``(n,)``, from their losses against the best one, ``(n,)`` points."""
        weights = np.maximum(0.0, 1 - self.sharpness * losses) ** LIMIT
        return np.asarray(weights / weights.sum())

    def drawn(self, options: Sequence[Option], random: np.random.Generator) -> Option:
        """One of the ranked options of a decision, by its chance."""
        chances = self.chances(np.array([option.loss for option in options]))
        return options[int(random.choice(len(options), p=chances))]

    def act(self, position: TurnPosition) -> Action:
        """The dice to hold or the id of the category to take, drawn anew each time."""
        if position.rolls_left:
            hold = self.drawn(self.strategy.holds(position), self._random)
            if isinstance(hold, Hold) and hold.category is None:
                return hold.dice
        return self.drawn(self.strategy.categories(position), self._random).action

    @cached_property
    def values(self) -> Table:
        """The values of perfect play for the states from the start on."""
        if self.start == self.strategy.space.start:
            return self.strategy.table
        return restricted(self.strategy.space, self.space, self.strategy.table)

    def layer(self, filled: int) -> RowActions:
        """Actions at the cards with `filled` categories filled; see :class:`perfect_yatzy.model.policies.Policy`."""
        from ..kernels.soft_policy import SoftTurns

        table = window(self.space, self.values, filled)

        def actions(rows: Ints) -> Iterator[tuple[Ints, Any]]:
            with self._scratch.borrow() as scratch:
                yield rows, SoftTurns(table, self.sharpness, scratch, self.lost, int(len(self.lost) > 0))

        return actions

    def _new_scratch(self) -> SoftScratch:
        """Working memory that one call of a kernel uses at a time."""
        from ..kernels.soft_policy import soft_scratch

        most_saved = int(self.space.most_saved[: self.space.categories].max(initial=0))
        dice = lattice(self.rules.dice, self.rules.faces)
        return soft_scratch(dice, turn_model(self.rules, self.start), most_saved)


@dataclass(frozen=True)
class SoftLoss:
    """Points a game that a soft policy gives away against perfect play."""

    points_lost: float
    error: float = 0.0  # standard error; 0 where the loss is exact


def soft_loss(policy: SoftPolicy, *, threads: int | None = None) -> SoftLoss:
    """What a soft policy gives away, exactly, by a backward pass: about 5 s for Yatzy."""
    return SoftLoss(max(0.0, float(policy.values[-1]) - policy_mean(policy, threads=threads)))


def simulated_loss(policy: SoftPolicy, games: int, seed: int = 1, *, threads: int | None = None) -> SoftLoss:
    """The same from simulated games, at least 2; the error is about 0.2 % of the loss for 4,000."""
    from ..strategy.rollout import Rollout

    counting = copy(policy)
    counting.lost = np.zeros(games)
    Rollout(counting, policy.start, threads or default_threads()).play(games, 0, seed)
    return SoftLoss(float(counting.lost.mean()), float(counting.lost.std(ddof=1)) / sqrt(games))
