"""From a request's `goal` or `opponents` to a strategy for it, and what to say about it.

{"goal": 240}                                  reach 240 or more
{"opponents": "251; ones=3 sixes=24", "ties": "half"}   beat one who has finished and one who still plays
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..errors import RulesError, StateError
from ..game.dice import Floats, Ints
from ..game.rules import RuleSet
from ..game.scorecard import EMPTY_STATE, Scorecard, State
from ..model.objectives import Goals, Utility
from ..strategy.opponents import Opponent, WinUtility, finished, opponent, parse_opponents
from ..strategy.score_strategy import (
    INSTANT_SOLVE_SECONDS,
    ScoreStrategy,
    check_goal,
    maximise,
    reach,
    solve_in_memory,
)
from ..strategy.strategy import Strategy
from ..tablebase.memory import check_memory
from ..tablebase.store import Progress, has_table

FIELDS = {"goal", "opponents", "ties"}
MAX_KEPT = 256  # distributions of opponents
Announce = Callable[[RuleSet, str | None], Progress]


@dataclass(frozen=True)
class ResolvedObjective:
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

    def certain(self, lowest: int) -> bool:
        """Whether a final score of `lowest`, the least there can be, is enough already."""
        return float(self.worth(np.array([lowest]))[0]) == 1.0


@dataclass(frozen=True)
class ObjectiveRequest:
    """A checked request: a goal, or opponents."""

    goal: int | None
    opponents: tuple[int | Scorecard, ...]
    ties: str

    @property
    def score(self) -> int | None:
        """The one score to reach if that is all there is to it; None if there is more."""
        finals = [other for other in self.opponents if isinstance(other, int)]
        if self.goal is not None or len(finals) < len(self.opponents):
            return self.goal
        return WinUtility([*map(finished, finals)], self.ties).goal


def read_aim(rules: RuleSet, request: dict[str, Any]) -> ObjectiveRequest | None:
    """The aim a request names, None for the mean.

    Raises
    ------
    StateError
        If it names two, or one that cannot be read.
    """
    goal, others = request.get("goal"), request.get("opponents")
    if goal is not None and others is not None:
        raise StateError("goal and opponents are two aims; give one of them")
    if others is None and "ties" in request:
        raise StateError("ties is of account against opponents only")
    if goal is not None:
        return ObjectiveRequest(check_goal(goal), (), "")
    if others is None:
        return None
    if isinstance(others, list):
        others = ";".join(str(other) for other in others)
    if not isinstance(others, str):
        raise StateError(f"opponents is {others!r}; must be text such as '251; ones=3 sixes=24', or a list")
    ties = request.get("ties", "loss")
    known = tuple(parse_opponents(rules, others))
    WinUtility([finished(0) for _ in known], ties)  # refuses wrong ties before anything is solve_in_memory
    return ObjectiveRequest(None, known, ties)


@dataclass
class ObjectiveResolver:
    """Makes strategies for aims, and keeps what several requests share.

    A question never brings about a solve beyond :attr:`perfect_yatzy.model.estimates.SolveCost.large`; what takes
    more
    than a moment is
    announced before it begins.

    Parameters
    ----------
    tables, threads
        As for :func:`perfect_yatzy.strategy.strategy.open_strategy`.
    announce
        Called with the rule set and one line before a solve; returns the callback for its progress.
    """

    tables: str | os.PathLike[str] | None = None
    threads: int | None = None
    announce: Announce | None = None
    _goals: dict[str, ScoreStrategy] = field(default_factory=dict)
    _rest: dict[tuple[str, State], ScoreStrategy] = field(default_factory=dict)
    _others: dict[tuple[str, State, int], Opponent] = field(default_factory=dict)

    def to_solve(self, wanted: ObjectiveRequest, rules: RuleSet, card: Scorecard) -> Goals | Utility | None:
        """What has to be solved for an aim, None for nothing; nothing is solved yet.

        Of one table for every goal, and the rest of this game alone, that which is cheaper in the long run.

        Raises
        ------
        RulesError
            If that is too much for a question, with its size and what to do instead.
        """
        if wanted.score is None:
            rest: Goals | Utility = Utility(rules, lambda made: made.astype(np.float64), card.state)
        elif (
            rules.fingerprint in self._goals
            or (rules.fingerprint, card.state) in self._rest
            or has_table(rules, self.tables, Goals.name)
        ):
            return None
        else:
            rest = Goals(rules, card.state)
        needs = rest.needs()
        if needs.seconds >= INSTANT_SOLVE_SECONDS and wanted.score is not None:
            whole = Goals(rules)
            all_needs = whole.needs()
            if not all_needs.large or needs.large:
                check_memory(rules, all_needs)
                if all_needs.large:
                    command = f"yatzy solve {rules.spec or rules.key} --what goals --yes"
                    raise RulesError(
                        f"all goals of {rules.key} take {all_needs.words}; "
                        f"ask from a later card, or first run: {command}"
                    )
                return whole
        check_memory(rules, needs.with_table())
        if needs.large:
            raise RulesError(f"{rules.key} from this card on takes {needs.words} each time; ask from a later card")
        return rest

    def make(self, wanted: ObjectiveRequest, strategy: Strategy, card: Scorecard) -> ResolvedObjective:
        """The strategy for what is wanted, from a card on.

        Parameters
        ----------
        strategy
            Of the mean, which opponents who still play are assumed to follow.

        Raises
        ------
        RulesError
            As :meth:`to_solve`, or if an opponent's distribution cannot be computed.
        """
        rules = strategy.rules
        solve = self.to_solve(wanted, rules, card)
        if wanted.goal is not None:
            goal = wanted.goal
            worth: Callable[[Ints], Floats] = lambda scores: (scores >= goal).astype(np.float64)  # noqa: E731
            return ResolvedObjective(self._reach(rules, goal, card, solve), worth, {"goal": goal})
        others = [self._opponent(strategy, known) for known in wanted.opponents]
        winning = WinUtility(others, wanted.ties)
        told = [{"playing": o.playing, "mean": o.mean, "standard_deviation": o.standard_deviation} for o in others]
        about = {"opponents": told, "ties": wanted.ties}
        if wanted.score is not None:
            return ResolvedObjective(self._reach(rules, wanted.score, card, solve), winning, about)
        self._announced(solve)
        return ResolvedObjective(maximise(rules, winning, card, threads=self.threads), winning, about)

    def _reach(self, rules: RuleSet, goal: int, card: Scorecard, solve: Goals | Utility | None) -> ScoreStrategy:
        place = (rules.fingerprint, card.state)
        found = self._goals.get(rules.fingerprint) or self._rest.get(place)
        if found:
            return replace(found, zero=goal, start=card)
        report = self._announced(solve)
        if solve and solve.start != EMPTY_STATE:
            found = ScoreStrategy(rules, None, solve_in_memory(solve, self.threads), start=card, zero=goal)
        else:
            found = reach(rules, goal, card, self.tables, threads=self.threads, progress=report)
        if found.info:
            self._goals[rules.fingerprint] = found
        else:
            self._rest = {place: found}  # for further questions from this card
        return found

    def _announced(self, solve: Goals | Utility | None) -> Progress | None:
        """Say what will be solve_in_memory, if it takes a while; the callback for its progress."""
        needs = solve.needs() if solve and self.announce else None
        if not (solve and needs and needs.long and self.announce):
            return None
        if solve.name == Goals.name and solve.start == EMPTY_STATE:
            line = f"solving all goals of {solve.rules.key}, {needs.words}; the table is kept for later"
        else:
            line = f"solving {solve.rules.key} from this card on, {needs.words}, in memory"
        return self.announce(solve.rules, line)

    def _opponent(self, strategy: Strategy, known: int | Scorecard) -> Opponent:
        if isinstance(known, int):
            return finished(known)
        place = (strategy.rules.fingerprint, known.state, known.total)
        if place not in self._others:
            if len(self._others) >= MAX_KEPT:
                self._others.clear()
            self._others[place] = opponent(strategy, known, self.threads, self.tables)
        return self._others[place]
