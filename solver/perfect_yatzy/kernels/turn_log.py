"""What a simulated turn did, written down while it is played: every roll, every hold, the outcome.

The type of the log is known at compile time: with :class:`NoLog` the functions here compile to nothing.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba.extending import overload

from .simd import poke


class NoLog(NamedTuple):
    """Nothing is written down."""

    unused: int = 0


class TurnLog(NamedTuple):
    """One turn of many games, int32.

    Attributes
    ----------
    rolls, holds : (games * most_rolls,)
        Dice after each roll, and the dice held of them, as numbers of the lattice; the last roll of a turn has the
        hold -1, entries after it have the roll -1.
    outcomes : (games,)
        Numbers of :class:`perfect_yatzy.model.turn_model.TurnOutcomes`.
    most_rolls : int
        Most rolls that the turn may have.
    """

    rolls: npt.NDArray[np.int32]
    holds: npt.NDArray[np.int32]
    outcomes: npt.NDArray[np.int32]
    most_rolls: int


def turn_log(games: int, most_rolls: int) -> TurnLog:
    """An empty log for a turn."""
    rolls, holds = (np.full(games * most_rolls, -1, dtype=np.int32) for _ in range(2))
    return TurnLog(rolls, holds, np.empty(games, dtype=np.int32), most_rolls)


def log_roll(log: object, game: int, number: int, roll: int) -> None:
    """Write down the dice after roll `number` of the turn, from 0."""
    raise NotImplementedError("only within a kernel")


def log_hold(log: object, game: int, number: int, hold: int) -> None:
    """Write down the dice held of them."""
    raise NotImplementedError("only within a kernel")


def log_outcome(log: object, game: int, outcome: int) -> None:
    """Write down the outcome of the turn."""
    raise NotImplementedError("only within a kernel")


@overload(log_roll)
def _log_roll(log, game, number, roll):
    if log.instance_class is NoLog:
        return lambda log, game, number, roll: None
    return lambda log, game, number, roll: poke(log.rolls, game * log.most_rolls + number, np.int32(roll))


@overload(log_hold)
def _log_hold(log, game, number, hold):
    if log.instance_class is NoLog:
        return lambda log, game, number, hold: None
    return lambda log, game, number, hold: poke(log.holds, game * log.most_rolls + number, np.int32(hold))


@overload(log_outcome)
def _log_outcome(log, game, outcome):
    if log.instance_class is NoLog:
        return lambda log, game, outcome: None
    return lambda log, game, outcome: poke(log.outcomes, game, np.int32(outcome))
