"""The one desk behind all requests: what is quick is answered at once, what is long waits in line, or is refused.

A table is opened by one thread while others go on. Chances of a goal, a win or a score are worked out few at a time;
whoever finds too many waiting is told so, and who hung up leaves the line. What was worked out is kept for a while.
"""

from __future__ import annotations

import json
import os
import re
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from threading import Lock, Semaphore
from typing import Any, Generic, TypeVar

import numpy as np

from ..errors import RulesError, SolverError, StateError
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

MAX_SECONDS = 5.0  # a rule set without a table is solved on request if that takes no longer
MAX_AIM_SECONDS = 60.0  # the same for a goal or a win from a card on
MAX_AIM_BYTES = 1 << 30  # and its table
MAX_WRITTEN = 3 << 30  # tables of goals that one run of the server may write
MAX_OPPONENTS = 8
KEPT_BYTES = 2 << 30  # of strategies for aims in memory
FORWARD_COST_RATIO = 0.12  # seconds to follow a game forward, as a part of those to solve it backward
SPEC = re.compile(r"[a-z0-9-]+(\+[a-z0-9-]+)*")

Gone = Callable[[], bool]  # whether who asked has hung up
Found = TypeVar("Found")


class BusyError(SolverError):
    """Too many wait already."""


class ClientDisconnected(SolverError):
    """Who asked does not wait for the answer any more."""


class ConcurrencyLimiter:
    """Lets a few in at a time, lets some wait, and refuses the rest.

    Parameters
    ----------
    inside, waiting
        How many at most.
    """

    def __init__(self, inside: int, waiting: int) -> None:
        self.inside, self.lock = Semaphore(inside), Lock()
        self.room = inside + waiting

    @contextmanager
    def passed(self, gone: Gone) -> Iterator[None]:
        """Wait for one's turn.

        Raises
        ------
        BusyError
            If too many wait.
        HungUpError
            If nobody is there for the answer.
        """
        with self.lock:
            if not self.room:
                raise BusyError("too many long questions are waiting; ask again in a little while")
            self.room -= 1
        try:
            while not self.inside.acquire(timeout=0.2):
                if gone():
                    raise ClientDisconnected("nobody waits for the answer")
            try:
                yield
            finally:
                self.inside.release()
        finally:
            with self.lock:
                self.room += 1


class WeightedLRUCache(Generic[Found]):
    """The last things found, up to a total weight; safe to use from several threads."""

    def __init__(self, most: int) -> None:
        self.most, self.weight, self.lock = most, 0, Lock()
        self.entries: OrderedDict[Hashable, tuple[Found, int]] = OrderedDict()

    def get(self, key: Hashable) -> Found | None:
        """What was kept under a key."""
        with self.lock:
            if key not in self.entries:
                return None
            self.entries.move_to_end(key)
            return self.entries[key][0]

    def put(self, key: Hashable, found: Found, weight: int = 1) -> None:
        """Keep it; the oldest go. What is too heavy is not kept."""
        with self.lock:
            if key in self.entries or weight > self.most:
                return
            self.entries[key] = found, weight
            self.weight += weight
            while self.weight > self.most:
                self.weight -= self.entries.popitem(last=False)[1][1]


class ConcurrentQueryService(QueryService):
    """The desk of many threads: one of them opens a table, and none makes a large one.

    It keeps its latest aims: a hold and what to expect, of one card, are one solve.
    """

    def __init__(self, tables: str | os.PathLike[str] | None, threads: int | None) -> None:
        super().__init__(tables, threads)
        self.lock = Lock()
        self.opening: dict[str, Lock] = {}
        self.latest: WeightedLRUCache[ResolvedObjective] = WeightedLRUCache(KEPT_BYTES)

    def strategy(self, rules: RuleSet) -> Strategy:
        """The strategy of a rule set; of several threads that want it one opens it.

        Raises
        ------
        RulesError
            If its table is missing and takes long to make.
        """
        with self.lock:
            mine = self.opening.setdefault(rules.fingerprint, Lock())
        with mine:
            if not has_table(rules, self.tables):
                seconds = rule_set_stats(rules).seconds
                if seconds > MAX_SECONDS:
                    long = f"{rules.key} takes about {seconds:.0f} s to solve"
                    raise RulesError(f"{long}; first run: yatzy solve {rules.key}")
            return super().strategy(rules)

    def aim(self, wanted: ObjectiveRequest, strategy: Strategy, card: Scorecard) -> ResolvedObjective:
        """The strategy for a goal or against opponents, from a card on."""
        others = tuple(
            (other.state, other.total) if isinstance(other, Scorecard) else other for other in wanted.opponents
        )
        key = (strategy.rules.fingerprint, wanted.goal, others, wanted.ties, card.state, card.total)
        found = self.latest.get(key)
        if found is None:
            found = super().aim(wanted, strategy, card)
            # The table of all goals is mapped from its file, and kept by the desk already.
            self.latest.put(key, found, 1 if found.strategy.info else int(found.strategy.values.nbytes))
        return found


class RequestScheduler:
    """Answers requests of many threads at once."""

    def __init__(self, tables: str | os.PathLike[str] | None, threads: int | None) -> None:
        self.desk = ConcurrentQueryService(tables, threads)
        self.short, self.long = ConcurrencyLimiter(2, 24), ConcurrencyLimiter(1, 8)
        self.answers: WeightedLRUCache[dict[str, Any]] = WeightedLRUCache(256)
        self.goals: set[str] = set()  # rule sets whose table of goals is open
        self.written = 0

    def rules(self, spec: str) -> RuleSet:
        """A built-in rule set, with switches; never a file.

        Raises
        ------
        RulesError
            If there is none of that name.
        """
        if not SPEC.fullmatch(spec) or spec.split("+")[0] not in builtin_ids():
            raise RulesError(f"unknown rules {spec[:80]!r}; the page knows {', '.join(builtin_ids())}")
        return self.desk.rules(spec)

    def answer(self, query: str, asked: dict[str, Any], gone: Gone) -> dict[str, Any]:
        """The answer to a request of :mod:`perfect_yatzy.service.queries`."""
        named = {"id": asked.pop("id")} if "id" in asked else {}
        rules = self.rules(asked["rules"])
        card = read_card(rules, asked)
        state_space(rules).check(card.state)
        wanted = read_aim(rules, asked)
        if wanted and len(wanted.opponents) > MAX_OPPONENTS:
            raise StateError(f"{len(wanted.opponents)} opponents; it is at most {MAX_OPPONENTS}")
        self.desk.strategy(rules)
        request = {"query": query, **asked}
        if query != "expect" and not wanted:
            return self.desk.answer(request) | named  # nothing long is in it
        key = json.dumps(request, sort_keys=True)
        if (known := self.answers.get(key)) is not None:
            return known | named
        spread = query == "expect" and (wanted or asked.get("spread", True)) and has_distribution(rules)
        seconds = self.aim_seconds(rules, card, wanted) if wanted else 0.0
        seconds += self.spread_seconds(rules, card) if spread else 0.0
        if not seconds:
            return self.desk.answer(request) | named
        with (self.short if seconds < INSTANT_SOLVE_SECONDS else self.long).passed(gone):
            found = self.answers.get(key)  # of somebody who asked the same before
            if found is None:
                found = self.asked(rules, request)
                self.answers.put(key, found)
        return found | named

    def aim_seconds(self, rules: RuleSet, card: Scorecard, wanted: ObjectiveRequest) -> float:
        """About how long an aim takes, none at all if its table is open.

        Raises
        ------
        RulesError
            If that is too long, or its table too large.
        """
        seconds = 0.0
        for known in wanted.opponents:
            if isinstance(known, Scorecard):
                seconds += FORWARD_COST_RATIO * allowed(rules, Utility(rules, any_worth, known.state).needs())
        if wanted.ties == "half" or seconds:
            return seconds + allowed(rules, Utility(rules, any_worth, card.state).needs())
        if rules.fingerprint in self.goals:
            return 0.0
        if has_table(rules, self.desk.tables, Goals.name):
            return INSTANT_SOLVE_SECONDS  # its checksum is looked at
        return self.goal_seconds(rules, card)

    def goal_seconds(self, rules: RuleSet, card: Scorecard) -> float:
        """The same for a goal whose table is not there: the rest of the game, or the table of all goals."""
        rest = Goals(rules, card.state).needs()
        if rest.seconds < INSTANT_SOLVE_SECONDS:
            return rest.seconds
        whole = Goals(rules).needs()
        seconds = allowed(rules, whole)
        if self.written + whole.bytes > MAX_WRITTEN:
            raise RulesError(
                f"this server has written {self.written / 2**30:.1f} GB of goals and writes no more; "
                f"first run: yatzy solve {rules.key} --what goals"
            )
        return seconds

    def asked(self, rules: RuleSet, request: dict[str, Any]) -> dict[str, Any]:
        """The answer of the desk; what it writes is counted."""
        path = table_path(rules, self.desk.tables, Goals.name)
        before = path.is_file()
        try:
            return self.desk.answer(request)
        finally:
            if not before and path.is_file():
                self.written += path.stat().st_size
            if path.is_file() and "goal" in request:
                self.goals.add(rules.fingerprint)

    def spread_seconds(self, rules: RuleSet, card: Scorecard) -> float:
        """About how long a distribution takes; that of the empty card is kept with the tables."""
        if card.state == EMPTY_STATE and distribution_path(rules, self.desk.tables).is_file():
            return 0.0
        return FORWARD_COST_RATIO * Utility(rules, any_worth, card.state).needs().seconds


def any_worth(total: Ints) -> Floats:
    """Stands for a worth where only its cost is asked for."""
    return total.astype(np.float64)


def allowed(rules: RuleSet, needs: SolveCost) -> float:
    """The seconds it needs.

    Raises
    ------
    RulesError
        If they are more than a page can ask for, or the table is too large.
    """
    if needs.seconds > MAX_AIM_SECONDS or needs.bytes > MAX_AIM_BYTES:
        raise RulesError(
            f"goals and opponents of {rules.key} take about {needs.seconds:.0f} s and {needs.bytes / 2**30:.1f} GB "
            "from here on; the server allows "
            f"{MAX_AIM_SECONDS:.0f} s and {MAX_AIM_BYTES >> 30} GB: ask later in the game"
        )
    return needs.seconds
