"""The interface of policies for the kernels: what a policy does with each roll, for whole layers of cards.

The kernels of policy evaluation, propagation and rollouts take any policy. Python gives them, for the rows of a
layer, the argument from which they choose the actions (:mod:`perfect_yatzy.kernels.actions`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Protocol

from ..game.dice import Ints
from ..game.rules import RuleSet
from ..game.scorecard import State

RowActions = Callable[[Ints], Iterable[tuple[Ints, Any]]]


class Policy(Protocol):
    """A way to play: in every state and for every roll an action, or chances of actions."""

    @property
    def rules(self) -> RuleSet:
        """The game."""

    @property
    def start(self) -> State:
        """Where the games begin."""

    @property
    def ties(self) -> tuple[float, float]:
        """Absolute and relative difference of equal values, for a greedy policy."""

    def layer(self, filled: int) -> RowActions:
        """For rows of a layer, in any thread, parts of them, each with the policy argument of the kernels."""
