"""Any policy as a player of one position: an object whose ``act(position)`` says what to do with the dice.

An object with ``act`` and a function of a position are players themselves. A policy of the kernels
(:class:`Acting`) looks its action up as the kernels do, so both play alike.
"""

from __future__ import annotations

import threading
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from ..errors import StateError, game_over, shown
from ..game.action_numbers import Action
from ..game.dice import lattice
from ..game.legal_actions import TurnPosition
from ..game.notation import counts_of, dice_of
from ..game.scorecard import State
from ..model.policies import Policy
from ..model.state_space import StateSpace, state_space
from ..model.turn_model import turn_model, turn_outcomes
from ..strategy.played_games import Player
from ..strategy.strategy import Strategy

if TYPE_CHECKING:
    from ..kernels.policy import PolicyJob


class Acting:
    """A policy of the kernels that also acts in single positions."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {cast(Policy, self).rules.key}>"

    @cached_property
    def _lookup(self) -> _ActionLookup:
        return _ActionLookup(cast(Policy, self))

    def act(self, position: TurnPosition) -> Action:
        """The dice to hold, or the id of the category to take; StateError if there is nothing to decide."""
        return self._lookup.action(position)


class _ActionLookup:
    """The actions of a policy, computed a block of states at a time by one thread at a time."""

    def __init__(self, policy: Policy) -> None:
        self.policy, self.space = policy, state_space(policy.rules, policy.start)
        self.dice = lattice(policy.rules.dice, policy.rules.faces)
        self.outcomes = turn_outcomes(policy.rules, policy.start)
        self._lock = threading.Lock()
        self._known: tuple[int, Any] = (-1, None)  # the row asked for last, and its actions

    @cached_property
    def job(self) -> PolicyJob:
        """Working memory of the kernels."""
        from ..kernels.policy import policy_job

        policy, most_saved = self.policy, int(self.space.most_saved.max())
        return policy_job(self.dice, turn_model(policy.rules, policy.start), self.outcomes, policy.ties, most_saved)

    def action(self, position: TurnPosition) -> Action:
        """As :meth:`Acting.act`."""
        from ..kernels.actions import action_in

        if position.over:
            raise game_over()
        if position.to_roll:
            raise StateError("the dice are still to be rolled; use position.roll(dice)")
        rules, state = self.policy.rules, position.state
        row, lane = row_and_lane(self.space, state)
        roll = int(self.dice.rank(np.array(counts_of(rules, position.dice)))) - self.dice.first_roll
        is_first = position.is_first_roll and bool(rules.first_roll_bonus)
        with self._lock:
            if self._known[0] != row:
                ((_, actions),) = self.policy.layer(state.filled.bit_count())(np.array([row]))
                self._known = row, actions
            outcome, hold = action_in(self.job, self._known[1], row, lane, roll, position.rolls_left, is_first)
        if hold >= 0:
            return dice_of(self.dice.counts[hold].tolist())
        return rules.categories[int(self.outcomes.category[outcome])].id


def row_and_lane(space: StateSpace, state: State) -> tuple[int, int]:
    """The row of a state, and the place of its upper sum there; StateError if no game can reach it."""
    space.check(state)
    row, layout = space.row(state), space.layout
    return row, int(space.unchecked_index(state) - layout.offsets[row]) % int(
        layout.lane_count[layout.lane_sets[row]]
    )


def exact_policy(policy: object) -> Policy | Strategy | None:
    """The policy whose actions can be listed; None if it acts in single positions only."""
    found: Any = getattr(policy, "exact_policy", None) or policy  # of a computer player
    return found if isinstance(found, Strategy) or callable(getattr(found, "layer", None)) else None


def player_of(policy: object) -> Player:
    """The function of a position that a policy is, or that its ``act`` is."""
    found = getattr(policy, "act", policy)
    if not callable(found) or isinstance(policy, type):
        raise StateError(
            f"policy is {shown(policy)}; must be a policy: an object with act(position), a function of a position, "
            "or one of perfect_yatzy, such as ValueFunction; open_policy makes one from a name"
        )
    return cast(Player, found)
