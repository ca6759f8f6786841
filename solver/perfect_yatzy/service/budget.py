"""Limits of long work: what is solved unasked, announced first or refused.

The command and the server use the same class. Every decision rests on one estimate,
:class:`perfect_yatzy.tablebase.estimates.SolveCost`:

    instant     below `instant_seconds`: solved whenever it is needed, without a message
    announced   within the limit of its kind: solved after a line that says what and how long
    refused     beyond it: an error that says what to run instead

A server asks where the command announces. Without asking it solves what takes less than
`unasked_seconds`, in memory. The rest it refuses with ``confirmation-required`` and the cost. If it
is confirmed, it is solved with progress, and stored.

Work is stopped by raising :class:`perfect_yatzy.errors.Cancelled` in the callback for its progress.
Finished layers of a table remain and are not solved again.
"""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Any

from ..core.resources import thread_count
from ..core.rules import RuleSet
from ..core.state import EMPTY_STATE, State
from ..errors import RulesError, SolverError
from ..tablebase.estimates import (
    INSTANT_SOLVE_SECONDS,
    MAX_UNASKED_BYTES,
    MAX_UNASKED_SECONDS,
    THREADS,
    SolveCost,
    solve_cost,
)
from ..tablebase.machine import available_memory
from ..words import _, number_text

# Distributions after every first turn are not made if they take longer, or if their file is larger.
FIRST_TURNS_LIMIT_SECONDS = 30.0
FIRST_TURNS_LIMIT_BYTES = 4_000_000
Report = Callable[[float, float], None]  # the share that is done, and the seconds left
StageProgress = Callable[[int, int], None]  # what is done and the whole, in any unit
LATELY = 60.0  # seconds of the past by which the pace is measured
# Share that must be done before the time so far says how long the rest takes.
NO_ESTIMATE_BELOW = 0.02


@dataclass(frozen=True)
class SolveLimit:
    """The largest solve of one kind."""

    seconds: float = inf
    bytes: float = inf

    def allows(self, cost: SolveCost) -> bool:
        """Return whether a solve is within the limit."""
        return cost.seconds <= self.seconds and cost.bytes <= self.bytes


# A longer solve needs `yatzy solve`, which asks.
COMMAND_LIMIT = SolveLimit(seconds=MAX_UNASKED_SECONDS, bytes=MAX_UNASKED_BYTES)


@dataclass(frozen=True)
class SolveBudget:
    """The limits of all solves a request may cause."""

    # A solve that is estimated below this is neither announced nor queued.
    instant_seconds: float = INSTANT_SOLVE_SECONDS
    mean: SolveLimit = SolveLimit()  # of a table of means, which every question needs
    # of a goal or a utility, and of an opponent's distribution
    objective: SolveLimit = SolveLimit()
    stored_bytes: float = inf  # bytes of all tables that requests may add to the store
    opponents: float = inf  # opponents in one request
    # Longer work, and work that is stored, waits for a confirmation. If it is inf, none does.
    unasked_seconds: float = inf
    threads: int | None = None  # with which messages state times; all limits are for two

    @classmethod
    def command(cls) -> SolveBudget:
        """Return the limits of the command, whose user sees the announcement and can interrupt."""
        return cls(mean=COMMAND_LIMIT, objective=COMMAND_LIMIT)

    @property
    def confirms(self) -> bool:
        """Whether work waits for a confirmation. Then nothing is stored without one."""
        return self.unasked_seconds < inf

    def is_confirmed(self, progress: WorkProgress | None) -> bool:
        """Return whether work is confirmed or needs no confirmation.

        `progress` is given only with confirmed work.
        """
        return progress is not None or not self.confirms

    def needs_confirmation(self, works: Sequence[Work]) -> bool:
        """Return whether some works together are more than is done unasked."""
        return sum(work.unasked_seconds for work in works) > self.unasked_seconds

    def unasked_limit(self) -> SolveLimit:
        """Return the limit of a solve for an objective that is done without a confirmation."""
        seconds = min(self.objective.seconds, self.unasked_seconds)
        return replace(self.objective, seconds=seconds)

    def announces(self, cost: SolveCost) -> bool:
        """Return whether a solve takes long enough to be announced."""
        return cost.seconds >= self.instant_seconds

    def check_mean(self, rules: RuleSet, cost: SolveCost) -> None:
        """Raise RulesError if the table of means costs too much."""
        if not self.mean.allows(cost):
            command = f"yatzy solve {rules.spec or rules.key}"
            if not COMMAND_LIMIT.allows(cost):
                command += " --yes"
            text = _("{rules} is not solved yet, and its table takes {cost}; first run: {command}")
            raise RulesError(
                text.format(rules=rules.key, cost=cost.words(self.threads), command=command),
                code="too-large",
            )

    def check_objective(self, rules: RuleSet, cost: SolveCost, *, whole_game: bool = False) -> None:
        """Raise RulesError if a goal, a utility or an opponent costs too much."""
        if self.objective.allows(cost):
            return
        size = number_text(self.objective.bytes / 1e9, 1)
        seconds = number_text(THREADS * self.objective.seconds / thread_count(self.threads))
        limit = _("{size} GB and {seconds} s", size=size, seconds=seconds)
        facts = {"rules": rules.key, "cost": cost.words(self.threads), "limit": limit}
        text = _(
            "{rules} from this card on takes {cost}, and the limit is {limit}; ask from a later card",
            **facts,
        )
        if whole_game:
            text = _(
                "all goals of {rules} take {cost}, and the limit is {limit}; ask from a later card, "
                "or first run: {command}",
                **facts,
                command=f"yatzy solve {rules.spec or rules.key} --what goals --yes",
            )
        raise RulesError(text, code="too-large")

    def makes_first_turns(self, rules: RuleSet) -> bool:
        """Return whether the distributions after every first turn are stored, too.

        That is when the distribution from the empty card is asked for.
        """
        from ..strategy.distribution import first_turns_cost, has_distribution

        if not has_distribution(rules):
            return False
        cost = first_turns_cost(rules)
        free = available_memory()
        limit = SolveLimit(FIRST_TURNS_LIMIT_SECONDS, FIRST_TURNS_LIMIT_BYTES)
        return (
            limit.allows(cost)
            and self.objective.allows(cost)
            and (free is None or cost.memory <= free)
        )

    def check_stored(self, rules: RuleSet, stored: int, cost: SolveCost, options: str = "") -> None:
        """Raise RulesError if one more table is too much for the store."""
        if stored + cost.bytes > self.stored_bytes:
            text = _(
                "the server has stored {stored} GB of tables and stores no more; first run: yatzy solve {rules}"
            )
            facts = {
                "stored": number_text(stored / 1e9, 1),
                "rules": (rules.spec or rules.key) + options,
            }
            raise RulesError(text.format(**facts), code="too-large")


def utility_cost(rules: RuleSet, start: State) -> SolveCost:
    """Return the cost of solving any utility from a checked state on."""
    from ..objectives.scores import ReachableUtility

    return solve_cost(ReachableUtility(rules, lambda total: total.astype(float), start))


def mean_work(cost: SolveCost) -> Work:
    """Return the work of the table of means, which is stored only if it is confirmed."""
    return Work("table", cost.seconds, cost.memory, disk=cost.bytes, unasked_seconds=cost.seconds)


def distribution_works(
    rules: RuleSet,
    start: State,
    tables: str | os.PathLike[str] | None,
    *,
    first_turns: bool = False,
) -> list[Work]:
    """Return the work of the distribution of the final score, unless it is stored.

    With `first_turns`, confirmed work includes the distributions after each first turn.
    """
    from ..strategy import distribution

    if distribution.has_stored_distribution(rules, start, tables):
        return []
    cost = distribution.distribution_cost(rules, start)
    unasked_seconds = cost.seconds
    disk = 0
    if first_turns and start == EMPTY_STATE and not distribution.has_first_turns(rules, tables):
        cost = distribution.first_turns_cost(rules)
        disk = cost.bytes
    return [Work("distribution", cost.seconds, cost.memory, disk, unasked_seconds)]


class Pace:
    """How long work still takes at the speed it had lately.

    That speed depends on the processor time that the work was given.
    """

    def __init__(self) -> None:
        self.first = 0.0  # the share that was done at the first mark, by an earlier run
        # each mark has the time in seconds, and the share that was done then
        self.marks: deque[tuple[float, float]] = deque()

    def left(self, done: float) -> float | None:
        """Return the seconds left now that the share `done` is done.

        Return None while it is too early to tell.
        """
        now = time.perf_counter()
        self._mark(now, done)
        if done >= 1:
            return 0.0
        then, done_then = self.marks[0]
        is_early = done - self.first < NO_ESTIMATE_BELOW * (1 - self.first)
        if is_early or done <= done_then:
            return None
        return (now - then) * (1 - done) / (done - done_then)

    def _mark(self, now: float, done: float) -> None:
        """Keep a mark for each second of the time that counts as lately."""
        is_new_work = not self.marks or done < self.marks[-1][1]
        if is_new_work:
            self.first = done
            self.marks = deque([(now, done)])
        if now - self.marks[-1][0] >= 1:
            self.marks.append((now, done))
        while len(self.marks) > 1 and self.marks[1][0] <= now - LATELY:
            self.marks.popleft()


@dataclass(frozen=True)
class Work:
    """One thing that a request needs and that has to be computed."""

    # ``table`` (of means), ``goals`` (the table of all goals), ``objective`` (from a card on),
    # ``opponents`` or ``distribution``
    what: str
    seconds: float  # estimate, if it is confirmed
    memory: int  # bytes at its peak
    disk: int  # bytes that are stored
    # estimate of what is done without a confirmation, in memory, or infinite if nothing is
    unasked_seconds: float


class ConfirmationRequired(SolverError):
    """The work for an answer waits for a confirmation."""

    default_code = "confirmation-required"

    def __init__(self, works: Sequence[Work]) -> None:
        self.cost = cost_json(works)
        if self.cost["disk_bytes"]:
            text = _(
                "this takes about {seconds} s and writes {size} GB; it has to be confirmed first"
            )
        else:
            text = _("this takes about {seconds} s; it has to be confirmed first")
        seconds = number_text(max(1.0, self.cost["seconds"]))
        size = number_text(self.cost["disk_bytes"] / 1e9, 2)
        super().__init__(text.format(seconds=seconds, size=size))

    def as_json(self) -> dict[str, Any]:
        """Return the fields of other errors, and ``cost``."""
        return {**super().as_json(), "cost": self.cost}


def cost_json(works: Sequence[Work]) -> dict[str, Any]:
    """Return the cost of works as plain JSON values. ``what`` is the work that takes longest."""
    longest = max(works, key=lambda work: work.seconds)
    seconds = round(sum(work.seconds for work in works), 1)
    disk = sum(work.disk for work in works)
    memory = max(work.memory for work in works)
    return {"what": longest.what, "seconds": seconds, "disk_bytes": disk, "memory_bytes": memory}


class WorkProgress:
    """The progress of several works, one after the other, as one share and the seconds left."""

    def __init__(self, works: Sequence[Work], report: Report) -> None:
        self.works = works
        self.report = report
        self.pace = Pace()
        self.all_seconds = sum(work.seconds for work in works) or 1.0
        self.resumed = 0.0  # estimated seconds that earlier, interrupted solves have saved

    def of(self, what: str) -> StageProgress:
        """Return the callback for one of the works.

        For a work that was not planned it only reports that it goes on.
        """
        seconds_before = 0.0  # of the works that come before this one
        own_seconds = 0.0
        for work in self.works:
            if work.what == what:
                own_seconds = work.seconds
                break
            seconds_before += work.seconds
        begun = False
        self._report(seconds_before)

        def progress(done: int, total: int) -> None:
            nonlocal begun
            finished = own_seconds * done / max(1, total)
            if not begun:
                # An earlier run has done what is done at the first report.
                self.resumed += finished
                begun = True
            self._report(seconds_before + finished)

        return progress

    def _report(self, seconds: float) -> None:
        """Report that as much is done as was estimated to take `seconds`."""
        done = min(1.0, seconds / self.all_seconds)
        of_this_run = self.all_seconds - self.resumed
        left: float | None = 0.0
        if of_this_run > 0:
            # The pace of this run says how long the rest takes.
            left = self.pace.left(min(1.0, (seconds - self.resumed) / of_this_run))
        if left is None:  # it is too early for that, so the estimate says it
            left = (1 - done) * self.all_seconds
        self.report(done, left)
