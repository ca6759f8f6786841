"""Long work: what is solved unasked, announced first or refused, by one class for the command and
the server.

Every decision rests on one estimate, :class:`perfect_yatzy.tablebase.estimates.SolveCost`:

    instant     below `instant_seconds`: solved whenever it is needed, without a word
    announced   within the limit of its kind: solved after a line that says what and how long
    refused     beyond it: an error that says what to run instead

A server asks where the command announces: unasked it solves what takes less than `unasked_seconds`,
in memory. The rest it refuses with ``confirmation-required`` and the cost; confirmed, it is solved
with progress, and stored.

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

from ..core.rules import RuleSet
from ..core.state import EMPTY_STATE, State
from ..errors import RulesError, SolverError
from ..tablebase.estimates import (
    INSTANT_SOLVE_SECONDS,
    MAX_UNASKED_BYTES,
    MAX_UNASKED_SECONDS,
    SolveCost,
    solve_cost,
)
from ..tablebase.machine import available_memory
from ..words import _, number_text

FIRST_TURNS_LIMIT_SECONDS = (
    30.0  # distributions after every first turn: if they take longer, they are not made
)
FIRST_TURNS_LIMIT_BYTES = 4_000_000  # nor if their file is larger
Report = Callable[[float, float], None]  # share that is done, seconds left
StageProgress = Callable[[int, int], None]  # done and all, in any unit
LATELY = 60.0  # seconds
# Share that must be done before the time so far says how long the rest takes.
NO_ESTIMATE_BELOW = 0.02


@dataclass(frozen=True)
class SolveLimit:
    """The largest solve of one kind."""

    seconds: float = inf
    bytes: float = inf

    def allows(self, cost: SolveCost) -> bool:
        """Whether a solve is within the limit."""
        return cost.seconds <= self.seconds and cost.bytes <= self.bytes


# A longer solve needs `yatzy solve`, which asks.
COMMAND_LIMIT = SolveLimit(seconds=MAX_UNASKED_SECONDS, bytes=MAX_UNASKED_BYTES)


@dataclass(frozen=True)
class SolveBudget:
    """The limits of all solves a request may cause."""

    instant_seconds: float = (
        INSTANT_SOLVE_SECONDS  # a solve estimated below this is neither announced nor queued
    )
    mean: SolveLimit = SolveLimit()  # of a table of means, which every question needs
    # of a goal or a utility, and of an opponent's distribution
    objective: SolveLimit = SolveLimit()
    stored_bytes: float = inf  # tables that requests may add to the store, in all
    opponents: float = inf  # opponents in one request
    unasked_seconds: float = (
        inf  # longer work, and work that is stored, waits for a confirmation; inf: none does
    )

    @classmethod
    def command(cls) -> SolveBudget:
        """The limits of the command: one person, who sees the announcement and can interrupt."""
        return cls(mean=COMMAND_LIMIT, objective=COMMAND_LIMIT)

    @property
    def confirms(self) -> bool:
        """Whether work waits for a confirmation. Then nothing is stored without one."""
        return self.unasked_seconds < inf

    def is_confirmed(self, progress: WorkProgress | None) -> bool:
        """Whether work is confirmed or needs no confirmation; `progress` is given with confirmed
        work only.
        """
        return progress is not None or not self.confirms

    def needs_confirmation(self, works: Sequence[Work]) -> bool:
        """Whether some works together are more than is done unasked."""
        return sum(work.unasked_seconds for work in works) > self.unasked_seconds

    def unasked_limit(self) -> SolveLimit:
        """The limit of a solve for an objective that is done without a confirmation."""
        seconds = min(self.objective.seconds, self.unasked_seconds)
        return replace(self.objective, seconds=seconds)

    def announces(self, cost: SolveCost) -> bool:
        """Whether a solve takes long enough to be announced."""
        return cost.seconds >= self.instant_seconds

    def check_mean(self, rules: RuleSet, cost: SolveCost) -> None:
        """Raise RulesError if the table of means costs too much."""
        if not self.mean.allows(cost):
            command = f"yatzy solve {rules.spec or rules.key}" + (
                "" if COMMAND_LIMIT.allows(cost) else " --yes"
            )
            text = _("{rules} is not solved yet, and its table takes {cost}; first run: {command}")
            raise RulesError(
                text.format(rules=rules.key, cost=cost.words, command=command), code="too-large"
            )

    def check_objective(self, rules: RuleSet, cost: SolveCost, *, whole_game: bool = False) -> None:
        """Raise RulesError if a goal, a utility or an opponent costs too much."""
        if self.objective.allows(cost):
            return
        size = number_text(self.objective.bytes / 1e9, 1)
        seconds = number_text(self.objective.seconds)
        limit = _("{size} GB and {seconds} s", size=size, seconds=seconds)
        facts = {"rules": rules.key, "cost": cost.words, "limit": limit}
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
        """Whether the distributions after every first turn are stored when that of the empty
        card is asked for.
        """
        from ..strategy.distribution import first_turns_cost, has_distribution

        if not has_distribution(rules):
            return False
        cost, free = first_turns_cost(rules), available_memory()
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
    """Cost of solving any utility from a checked state on."""
    from ..objectives.scores import ReachableUtility

    return solve_cost(ReachableUtility(rules, lambda total: total.astype(float), start))


def mean_work(cost: SolveCost) -> Work:
    """The table of means: stored if confirmed, in memory if not."""
    return Work("table", cost.seconds, cost.memory, disk=cost.bytes, unasked_seconds=cost.seconds)


def distribution_works(
    rules: RuleSet,
    start: State,
    tables: str | os.PathLike[str] | None,
    *,
    first_turns: bool = False,
) -> list[Work]:
    """The distribution of the final score, unless stored; with `first_turns`, if confirmed,
    those after each, too.
    """
    from ..strategy import distribution

    if distribution.has_stored_distribution(rules, start, tables):
        return []
    alone = distribution.distribution_cost(rules, start)
    if first_turns and start == EMPTY_STATE and not distribution.has_first_turns(rules, tables):
        cost = distribution.first_turns_cost(rules)
        return [
            Work(
                "distribution",
                cost.seconds,
                cost.memory,
                disk=cost.bytes,
                unasked_seconds=alone.seconds,
            )
        ]
    return [
        Work("distribution", alone.seconds, alone.memory, disk=0, unasked_seconds=alone.seconds)
    ]


class Pace:
    """How long work still takes at the speed it had lately, which follows the processor time it
    was given.
    """

    def __init__(self) -> None:
        self.first = 0.0  # the share that was done at the first mark, by an earlier run
        # seconds, and the share that was done then
        self.marks: deque[tuple[float, float]] = deque()

    def left(self, done: float) -> float | None:
        """Seconds left now that the share `done` is done; None while it is too early to tell."""
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
        """Keep a mark a second of the time that counts as lately."""
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

    # ``table`` (of means), ``goals`` (table of all), ``objective`` (from a card on), ``opponents``,
    # ``distribution``
    what: str
    seconds: float  # estimate, if it is confirmed
    memory: int  # bytes at its peak
    disk: int  # bytes that are stored
    unasked_seconds: (
        float  # estimate of what is done without a confirmation, in memory; infinite if nothing is
    )


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
        """The fields of other errors, and ``cost``."""
        return {**super().as_json(), "cost": self.cost}


def cost_json(works: Sequence[Work]) -> dict[str, Any]:
    """The cost of works as plain JSON values; ``what`` is the one that takes longest."""
    longest = max(works, key=lambda work: work.seconds)
    seconds = round(sum(work.seconds for work in works), 1)
    disk, memory = sum(work.disk for work in works), max(work.memory for work in works)
    return {"what": longest.what, "seconds": seconds, "disk_bytes": disk, "memory_bytes": memory}


class WorkProgress:
    """The progress of several works, one after the other, as one share and the seconds left."""

    def __init__(self, works: Sequence[Work], report: Report) -> None:
        self.works, self.report, self.pace = works, report, Pace()
        self.all_seconds = sum(work.seconds for work in works) or 1.0
        self.resumed = 0.0  # seconds of the estimates that earlier, interrupted solves have saved

    def of(self, what: str) -> StageProgress:
        """The callback for one of the works; one that was not planned only reports that it goes
        on.
        """
        names = [work.what for work in self.works]
        place = names.index(what) if what in names else len(names)
        seconds_before = sum(work.seconds for work in self.works[:place])
        own_seconds = self.works[place].seconds if what in names else 0
        begun = False
        self._report(seconds_before)

        def progress(done: int, total: int) -> None:
            nonlocal begun
            finished = own_seconds * done / max(1, total)
            if not begun:  # an earlier run has done what is done at the first report
                self.resumed += finished
                begun = True
            self._report(seconds_before + finished)

        return progress

    def _report(self, seconds: float) -> None:
        """Report that as much is done as was estimated to take `seconds`."""
        done = min(1.0, seconds / self.all_seconds)
        # by this run, whose pace says how long the rest takes
        to_do = self.all_seconds - self.resumed
        left = self.pace.left(min(1.0, (seconds - self.resumed) / to_do)) if to_do > 0 else 0.0
        # too early: as estimated
        self.report(done, left if left is not None else (1 - done) * self.all_seconds)
