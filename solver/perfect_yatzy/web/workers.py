"""Answers requests of many threads: short ones at once, long ones from a queue, too long ones never.

One thread opens a table while the others go on. Goals, wins and distributions are computed a few at a time
(:class:`perfect_yatzy.web.limits.ConcurrencyLimiter`); a full queue refuses further requests, a queued request
whose client disconnects is dropped, and recent answers are cached.
"""

from __future__ import annotations

import json
import os
import re
from threading import Lock
from typing import Any

import numpy as np

from ..errors import RulesError, StateError
from ..game.dice import Floats, Ints
from ..game.rule_loader import builtin_ids
from ..game.rules import RuleSet
from ..game.scorecard import EMPTY_STATE, Scorecard
from ..model.estimates import SolveCost, rule_set_stats
from ..model.objectives import Goals, Utility
from ..model.state_space import state_space
from ..service.aims import ObjectiveRequest, ResolvedObjective, read_aim
from ..service.queries import QueryService, read_card
from ..strategy.distribution import distribution_path, has_distribution
from ..strategy.score_strategy import INSTANT_SOLVE_SECONDS
from ..strategy.strategy import Strategy
from ..tablebase.store import has_table, table_path
from .limits import (
    CACHED_ANSWERS,
    CACHED_STRATEGY_BYTES,
    LONG_QUEUED,
    LONG_RUNNING,
    MAX_GOAL_BYTES_WRITTEN,
    MAX_OBJECTIVE_BYTES,
    MAX_OBJECTIVE_SECONDS,
    MAX_OPPONENTS,
    MAX_TABLE_SECONDS,
    SHORT_QUEUED,
    SHORT_RUNNING,
    ConcurrencyLimiter,
    IsDisconnected,
    WeightedLRUCache,
)

FORWARD_COST_RATIO = 0.12  # time to propagate a distribution forwards / time to solve the same states backwards
RULES_PATTERN = re.compile(r"[a-z0-9-]+(\+[a-z0-9-]+)*")


class ConcurrentQueryService(QueryService):
    """A query service for many threads: one thread opens a table, and no thread solves a large one.

    It caches strategies for goals and wins, so that a hold and an expectation of one scorecard share one solve.
    """

    def __init__(self, tables: str | os.PathLike[str] | None, threads: int | None) -> None:
        super().__init__(tables, threads)
        self._lock = Lock()
        self._opening: dict[str, Lock] = {}
        self._objectives: WeightedLRUCache[ResolvedObjective] = WeightedLRUCache(CACHED_STRATEGY_BYTES)

    def strategy(self, rules: RuleSet) -> Strategy:
        """The strategy of a rule set; if several threads need it, one of them opens it.

        Raises
        ------
        RulesError
            If its table is missing and takes long to solve.
        """
        with self._lock:
            opening = self._opening.setdefault(rules.fingerprint, Lock())
        with opening:
            if not has_table(rules, self.tables):
                seconds = rule_set_stats(rules).seconds
                if seconds > MAX_TABLE_SECONDS:
                    long = f"{rules.key} takes about {seconds:.0f} s to solve"
                    raise RulesError(f"{long}; first run: yatzy solve {rules.key}")
            return super().strategy(rules)

    def aim(self, wanted: ObjectiveRequest, strategy: Strategy, card: Scorecard) -> ResolvedObjective:
        """The strategy for a goal or against opponents, from a scorecard on."""
        others = tuple(
            (other.state, other.total) if isinstance(other, Scorecard) else other for other in wanted.opponents
        )
        key = (strategy.rules.fingerprint, wanted.goal, others, wanted.ties, card.state, card.total)
        resolved = self._objectives.get(key)
        if resolved is None:
            resolved = super().aim(wanted, strategy, card)
            # The table of all goals is memory-mapped, and the resolver caches it already.
            self._objectives.put(key, resolved, 1 if resolved.strategy.info else int(resolved.strategy.table.nbytes))
        return resolved


class RequestScheduler:
    """Decides for each request whether it runs at once, is queued or is refused.

    Parameters
    ----------
    tables, threads
        As for :func:`perfect_yatzy.strategy.strategy.open_strategy`.
    """

    def __init__(self, tables: str | os.PathLike[str] | None, threads: int | None) -> None:
        self.service = ConcurrentQueryService(tables, threads)
        self.short = ConcurrencyLimiter(SHORT_RUNNING, SHORT_QUEUED)
        self.long = ConcurrencyLimiter(LONG_RUNNING, LONG_QUEUED)
        self.answers: WeightedLRUCache[dict[str, Any]] = WeightedLRUCache(CACHED_ANSWERS)
        self.goals: set[str] = set()  # fingerprints of the rule sets whose table of all goals is open
        self.bytes_written = 0

    def rules(self, spec: str) -> RuleSet:
        """A built-in rule set, with switches; never a file.

        Raises
        ------
        RulesError
            If there is no built-in rule set of that name.
        """
        if not RULES_PATTERN.fullmatch(spec) or spec.split("+")[0] not in builtin_ids():
            raise RulesError(f"unknown rules {spec[:80]!r}; must be one of {', '.join(builtin_ids())}")
        return self.service.rules(spec)

    def answer(self, query: str, request: dict[str, Any], is_disconnected: IsDisconnected) -> dict[str, Any]:
        """The answer of :class:`perfect_yatzy.service.queries.QueryService` to a request.

        Parameters
        ----------
        query
            ``hold``, ``score`` or ``expect``.
        request
            The other fields of the request; an `id` is returned as it is.
        is_disconnected
            Asked while the request is queued.

        Raises
        ------
        StateError, RulesError
            If the request is wrong or takes too long.
        QueueFullError, ClientDisconnected
            As :meth:`perfect_yatzy.web.limits.ConcurrencyLimiter.slot`.
        """
        identity = {"id": request.pop("id")} if "id" in request else {}
        rules = self.rules(request["rules"])
        card = read_card(rules, request)
        state_space(rules).check(card.state)
        wanted = read_aim(rules, request)
        if wanted and len(wanted.opponents) > MAX_OPPONENTS:
            raise StateError(f"{len(wanted.opponents)} opponents; there can be at most {MAX_OPPONENTS}")
        self.service.strategy(rules)
        request = {"query": query, **request}
        if query != "expect" and not wanted:
            return self.service.answer(request) | identity  # always short
        key = json.dumps(request, sort_keys=True)
        if (cached := self.answers.get(key)) is not None:
            return cached | identity
        spread = query == "expect" and (wanted or request.get("spread", True)) and has_distribution(rules)
        seconds = self.aim_seconds(rules, card, wanted) if wanted else 0.0
        seconds += self.spread_seconds(rules, card) if spread else 0.0
        if not seconds:
            return self.service.answer(request) | identity
        with (self.short if seconds < INSTANT_SOLVE_SECONDS else self.long).slot(is_disconnected):
            answer = self.answers.get(key)  # the same request may have been answered while this one was queued
            if answer is None:
                answer = self.computed(rules, request)
                self.answers.put(key, answer)
        return answer | identity

    def aim_seconds(self, rules: RuleSet, card: Scorecard, wanted: ObjectiveRequest) -> float:
        """Estimated time to solve for an objective, 0 if its table is open.

        Raises
        ------
        RulesError
            If that is too long, or its table too large.
        """
        seconds = 0.0
        for known in wanted.opponents:
            if isinstance(known, Scorecard):
                seconds += FORWARD_COST_RATIO * allowed(rules, Utility(rules, any_utility, known.state).needs())
        if wanted.ties == "half" or seconds:
            return seconds + allowed(rules, Utility(rules, any_utility, card.state).needs())
        if rules.fingerprint in self.goals:
            return 0.0
        if has_table(rules, self.service.tables, Goals.name):
            return INSTANT_SOLVE_SECONDS  # to verify its checksum
        return self.goal_seconds(rules, card)

    def goal_seconds(self, rules: RuleSet, card: Scorecard) -> float:
        """The same for a goal without a table: for the rest of the game, or for the table of all goals."""
        rest = Goals(rules, card.state).needs()
        if rest.seconds < INSTANT_SOLVE_SECONDS:
            return rest.seconds
        whole = Goals(rules).needs()
        seconds = allowed(rules, whole)
        if self.bytes_written + whole.bytes > MAX_GOAL_BYTES_WRITTEN:
            raise RulesError(
                f"this server has written {self.bytes_written / 2**30:.1f} GB of goals and writes no more; "
                f"first run: yatzy solve {rules.key} --what goals"
            )
        return seconds

    def computed(self, rules: RuleSet, request: dict[str, Any]) -> dict[str, Any]:
        """The answer of the service; a table of goals it writes is counted."""
        path = table_path(rules, self.service.tables, Goals.name)
        before = path.is_file()
        try:
            return self.service.answer(request)
        finally:
            if not before and path.is_file():
                self.bytes_written += path.stat().st_size
            if path.is_file() and "goal" in request:
                self.goals.add(rules.fingerprint)

    def spread_seconds(self, rules: RuleSet, card: Scorecard) -> float:
        """Estimated time to compute a distribution; that of the empty scorecard is stored with the tables."""
        if card.state == EMPTY_STATE and distribution_path(rules, self.service.tables).is_file():
            return 0.0
        return FORWARD_COST_RATIO * Utility(rules, any_utility, card.state).needs().seconds


def any_utility(total: Ints) -> Floats:
    """A placeholder utility, for estimates of the cost."""
    return total.astype(np.float64)


def allowed(rules: RuleSet, needs: SolveCost) -> float:
    """The estimated seconds.

    Raises
    ------
    RulesError
        If they are more than the server allows, or the table is too large.
    """
    if needs.seconds > MAX_OBJECTIVE_SECONDS or needs.bytes > MAX_OBJECTIVE_BYTES:
        raise RulesError(
            f"goals and opponents of {rules.key} take about {needs.seconds:.0f} s and {needs.bytes / 2**30:.1f} GB "
            "from this card on; the server allows "
            f"{MAX_OBJECTIVE_SECONDS:.0f} s and {MAX_OBJECTIVE_BYTES >> 30} GB: ask later in the game"
        )
    return needs.seconds
