"""The policy of a function of many observations at once: how a learned agent is measured exactly.

The agent is asked once for each card that play can reach, with every roll, upper sum and number of rerolls left. Its
actions are then those of a :class:`.policy.FunctionPolicy`, so its mean and its losses are exact.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import StateError, shown
from ..game.action_numbers import Action, numbered_action
from ..game.dice import Ints
from ..game.legal_actions import TurnPosition
from ..game.notation import CardText
from ..game.rules import RuleSet
from ..game.scorecard import Scorecard
from .player import row_and_lane
from .policy import STOP, CardTurn, FunctionPolicy, check_parameter, legal_holds

Agent = Callable[[dict[str, Any]], npt.ArrayLike]


class Observations(dict[str, Any]):
    """Observations by name; those of `made` are computed when they are first read."""

    def __init__(self, arrays: dict[str, Ints], made: dict[str, Callable[[], Any]]) -> None:
        super().__init__(arrays)
        self._made = made

    def __missing__(self, name: str) -> Any:
        self[name] = self._made[name]()
        return self[name]


class BatchPolicy(FunctionPolicy):
    """The policy of an agent that answers many observations at once.

    Parameters
    ----------
    rules
        A built-in id with switches, a TOML file, or a rule set. It must not save rolls.
    agent
        Takes a dict of int64 arrays with one row for each observation, as the vector environment of
        :mod:`perfect_yatzy.rl` returns them: ``filled`` (n, categories), ``upper`` (n, 1), ``counts`` (n, faces),
        ``rolls_left`` (n, 1), ``joker_paid`` (n, 1). Two more are computed when the agent reads them: ``action_mask``
        (n, actions) int8, 1 for each legal action; and ``points`` (n, categories), the points of the dice in each
        category that may take them, -1 in the others. Some arrays are read-only. Returns the number of an action
        (:func:`perfect_yatzy.action_number`) for each, ``(n,)`` integers. Upper sums that cannot lead to different
        results are given as one of them. The agent is called by one thread at a time, with the observations of one
        card, and must give the same answer for the same observation.
    start
        The card where the games begin; default: the empty card.

    Raises
    ------
    RulesError
        If the rules save rolls.
    StateError
        If no game can reach the start. Later, if the agent returns another shape or an action that is not legal.
    """

    def __init__(self, rules: str | RuleSet, agent: Agent, start: CardText | Scorecard = "") -> None:
        check_parameter(agent, "observations")
        super().__init__(rules, self._not_called, start)
        self.agent = agent

    @staticmethod
    def _not_called(turn: CardTurn) -> Any:
        raise NotImplementedError

    def ask(self, turn: CardTurn) -> tuple[Ints, Ints]:
        """The actions of the agent on a card; see :class:`FunctionPolicy`."""
        shape = turn.n_rerolls + 1, len(turn.allowed), len(turn.upper)
        rolls_left, counts = _by_lanes(turn.rules.dice, turn.rules.faces, shape)
        n, boxes = len(counts), turn.allowed.shape[1]
        action = self._asked(
            {
                "filled": np.broadcast_to(turn.filled >> np.arange(boxes) & 1, (n, boxes)),
                "upper": np.broadcast_to(turn.upper, shape).reshape(n, 1),
                "counts": counts,
                "rolls_left": rolls_left,
                "joker_paid": np.broadcast_to(np.int64(turn.joker_paid), (n, 1)),
            },
            {
                "action_mask": lambda: _masks(turn, shape),
                "points": lambda: np.broadcast_to(
                    np.where(turn.allowed, turn.points, -1)[:, None], (*shape, boxes)
                ).reshape(n, boxes),
            },
        ).reshape(shape)
        holds = turn.dice.first_roll
        if (action[0] < holds).any():
            roll, lane = np.argwhere(action[0] < holds)[0]
            raise StateError(self._refused(turn, "action", action[0, roll, lane], roll, lane))
        ends = action >= holds
        return np.where(ends, action - holds, action[0] - holds), np.where(ends, STOP, action)[1:]

    def _refused(self, turn: CardTurn, kind: str, number: int, roll: int, lane: int) -> str:
        """As the agent numbers its actions."""
        holds = turn.dice.first_roll
        return super()._refused(turn, "action", number + holds * (kind == "category"), roll, lane)

    def _asked(self, arrays: dict[str, Ints], made: dict[str, Callable[[], Any]]) -> Ints:
        """The numbers of the actions of the agent, ``(n,)``."""
        with self.lock:
            answer = np.asarray(self.agent(Observations(arrays, made)))
        n = len(arrays["counts"])
        if answer.shape != (n,) or answer.dtype.kind not in "iu":
            raise StateError(
                f"the agent returned an array of shape {answer.shape} of {answer.dtype}; must be ({n},) integers"
            )
        return answer

    def act(self, position: TurnPosition) -> Action:
        """The action of the agent in one position; as :meth:`.player.Acting.act`."""
        row, lane = row_and_lane(self.space, position.state)
        upper = self.space.layout.lane_upper[self.space.layout.lane_sets[row], lane]
        arrays = {name: array[None] for name, array in position.observation().items()}
        arrays["upper"] = np.array([[int(upper)]])  # of sums without a difference the one of :meth:`ask`
        pays = position.categories()
        made = {
            "action_mask": lambda: position.action_mask()[None],
            "points": lambda: np.array([[pays.get(each.id, (-1,))[0] for each in self.rules.categories]]),
        }
        number = int(self._asked(arrays, made)[0])
        action = numbered_action(self.rules, number)
        if action not in position.legal_actions():
            raise StateError(f"the agent returned action {number}, {shown(action)}, which is not legal")
        return action


@lru_cache(maxsize=64)
def _by_lanes(dice: int, faces: int, shape: tuple[int, int, int]) -> tuple[Ints, Ints]:
    """The observations ``rolls_left`` and ``counts`` of a card: they depend on its number of lanes alone."""
    from ..game.dice import lattice

    grid = lattice(dice, faces)
    counts = grid.counts[grid.first_roll :].astype(np.int64)
    left, roll, _ = np.indices(shape, dtype=np.int64, sparse=True)
    every = np.broadcast_to(roll, shape).ravel()
    found = np.broadcast_to(left, shape).reshape(-1, 1).copy(), counts[every]
    for array in found:
        array.flags.writeable = False
    return found


def _masks(turn: CardTurn, shape: tuple[int, int, int]) -> npt.NDArray[np.int8]:
    """``(n, actions)`` int8: the legal actions of all observations of a card."""
    holds = legal_holds(turn.rules.dice, turn.rules.faces)[:, : turn.dice.first_roll]
    mask = np.concatenate([holds, turn.allowed], axis=1).astype(np.int8)
    stages = np.repeat(mask[None], shape[0], axis=0)
    stages[0, :, : turn.dice.first_roll] = 0
    return np.repeat(stages[:, :, None], shape[2], axis=2).reshape(-1, mask.shape[1])
