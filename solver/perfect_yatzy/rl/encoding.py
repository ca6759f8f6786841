"""Observations as a learner wants them: the arrays by name, scaled numbers, or one entry for each value.

=============  =====================================================================================================
``"dict"``     the int64 arrays by name (:meth:`perfect_yatzy.TurnPosition.observation`)
``"float"``    one float32 vector, every number divided by the largest it can be: 0 to 1
``"one-hot"``  one int8 vector: a 0 or 1 for each filled box, and for each value of every other number
=============  =====================================================================================================
"""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np
from gymnasium import spaces

from ..errors import StateError, shown
from ..game.rules import RuleSet
from .solo_game import Observation, observation_bounds

Form = Literal["dict", "float", "one-hot"]
Reward = Literal["points", "regret"]  # the points made, or minus what the action loses against the best one
RENDER_MODES = ("ansi", "human")


def check_choice(name: str, value: object, choices: tuple[Any, ...]) -> None:
    """Raise StateError unless an argument is one of its choices."""
    if value not in choices:
        raise StateError(f"{name} is {shown(value)}; must be one of {', '.join(map(repr, choices))}")


class Encoding:
    """The observations of a rule set in one form."""

    def __init__(self, rules: RuleSet, form: Form) -> None:
        check_choice("observation", form, get_args(Form))
        self.form, self.bounds = form, observation_bounds(rules)

    @property
    def space(self) -> spaces.Space[Any]:
        """The space of one observation."""
        if self.form == "dict":
            return spaces.Dict({name: spaces.Box(0, high, (n,), np.int64) for name, (n, high) in self.bounds.items()})
        if self.form == "float":
            return spaces.Box(0, 1, (sum(n for n, _ in self.bounds.values()),), np.float32)
        entries = (n if high == 1 else n * (high + 1) for n, high in self.bounds.values())
        return spaces.Box(0, 1, (sum(entries),), np.int8)

    def __call__(self, observation: Observation) -> Any:
        """One observation, or a batch of them: arrays ``(..., n)`` by name as one vector ``(..., entries)``."""
        if self.form == "dict":
            return observation
        parts = []
        for name, (_, high) in self.bounds.items():
            array = observation[name]
            if self.form == "float":
                parts.append((array / high).astype(np.float32))
            elif high == 1:
                parts.append(array.astype(np.int8))
            else:
                hot = array[..., None] == np.arange(high + 1)
                parts.append(hot.reshape(*array.shape[:-1], -1).astype(np.int8))
        return np.concatenate(parts, axis=-1)
