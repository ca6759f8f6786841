"""From a request's `goal` or `opponents` to a strategy for it, and what to say about it.

{"goal": 240}                                  reach 240 or more
{"opponents": "251; ones=3 sixes=24", "ties": "half"}   beat one who has finished and one who still plays
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .advice import Strategy
from .aims import ScoreStrategy, maximise, reach
from .dice import Floats, Ints
from .errors import StateError
from .notation import Scorecard
from .opponents import Winning, finished, opponent, parse_opponents
from .rules import RuleSet
from .store import Progress

FIELDS = {"goal", "opponents", "ties"}


@dataclass(frozen=True)
class Aim:
    """What is maximised instead of the mean.

    Attributes
    ----------
    strategy : ScoreStrategy
        Its values are chances.
    worth : callable
        Final scores (int64 array) -> their worth (float64).
    about : dict
        What every answer says of it.
    """

    strategy: ScoreStrategy
    worth: Callable[[Ints], Floats]
    about: dict[str, Any]


@dataclass(frozen=True)
class Wanted:
    """A checked request: a goal, or opponents."""

    goal: int | None
    opponents: tuple[int | Scorecard, ...]
    ties: str


def read_aim(rules: RuleSet, request: dict[str, Any]) -> Wanted | None:
    """The aim a request names, None for the mean.

    Raises
    ------
    StateError
        If it names two, or one that cannot be read.
    """
    goal, others = request.get("goal"), request.get("opponents")
    if goal is None and others is None:
        if "ties" in request:
            raise StateError("ties is of account against opponents only")
        return None
    if goal is not None and others is not None:
        raise StateError("goal and opponents are two aims; give one of them")
    if goal is not None:
        if isinstance(goal, bool) or not isinstance(goal, int) or not 0 <= goal <= 99_999:
            raise StateError(f"goal is {goal!r}; must be a score, a whole number from 0 to 99999")
        if "ties" in request:
            raise StateError("ties is of account against opponents only")
        return Wanted(goal, (), "")
    if isinstance(others, list):
        others = ";".join(str(other) for other in others)
    if not isinstance(others, str):
        raise StateError(f"opponents is {others!r}; must be text such as '251; ones=3 sixes=24', or a list")
    ties = request.get("ties", "loss")
    known = tuple(parse_opponents(rules, others))
    Winning([finished(0) for _ in known], ties)  # refuses wrong ties before anything is solved
    return Wanted(None, known, ties)


def make_aim(
    wanted: Wanted,
    strategy: Strategy,
    card: Scorecard,
    tables: Any = None,
    threads: int | None = None,
    progress: Progress | None = None,
    opened: dict[str, ScoreStrategy] | None = None,
) -> Aim:
    """The strategy for what is wanted, from a card on.

    Parameters
    ----------
    strategy
        Of the mean, which opponents who still play are assumed to follow.
    opened
        Tables of goals opened before, by fingerprint; a new one is added.
    """
    rules = strategy.rules

    def to_reach(goal: int) -> ScoreStrategy:
        kept = opened if opened is not None else {}
        if rules.fingerprint in kept:
            return replace(kept[rules.fingerprint], zero=goal)
        found = reach(rules, goal, card, tables, threads=threads, progress=progress)
        if found.info:
            kept[rules.fingerprint] = found
        return found

    if wanted.goal is not None:
        goal = wanted.goal
        return Aim(to_reach(goal), lambda scores: (scores >= goal).astype(np.float64), {"goal": goal})
    others = [opponent(strategy, known, threads) for known in wanted.opponents]
    winning = Winning(others, wanted.ties)
    about = {
        "opponents": [
            {"playing": other.playing, "mean": other.mean, "standard_deviation": other.deviation} for other in others
        ],
        "ties": wanted.ties,
    }
    if winning.goal is not None:
        return Aim(to_reach(winning.goal), winning, about)
    return Aim(maximise(rules, winning, card, threads=threads), winning, about)
