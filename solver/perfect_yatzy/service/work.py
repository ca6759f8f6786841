"""Long work: what a request has to solve first, whether that waits for a confirmation, and its progress.

    hold, score, expect ...   answered at once, or refused with ``confirmation-required`` and the cost
    the same, confirmed       solved with progress; what can be stored is stored

Work is stopped by raising :class:`perfect_yatzy.errors.Cancelled` in the callback for its progress. Finished layers
of a table remain and are not solved again.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import SolverError, _, number_text

Report = Callable[[float, float], None]  # share that is done, seconds left
StageProgress = Callable[[int, int], None]  # done and all, in any unit
LATELY = 60.0  # seconds
NO_ESTIMATE_BELOW = 0.03  # share that must be done before the time so far says how long the rest takes


class Pace:
    """How long work still takes at the speed it had lately, which follows the processor time it was given."""

    def __init__(self) -> None:
        self.first: float | None = None
        self.marks: deque[tuple[float, float]] = deque()  # seconds, and the share that was done then

    def left(self, done: float) -> float | None:
        """Seconds left when a share is done; None while too little is done to tell.

        The first call says what an interrupted solve had done before, which took no time now.
        """
        now = time.perf_counter()
        if self.first is None or done < self.marks[-1][1]:  # the next of several works
            self.first, self.marks = done, deque([(now, done)])
        if now - self.marks[-1][0] >= 1:
            self.marks.append((now, done))
        while len(self.marks) > 1 and self.marks[1][0] <= now - LATELY:
            self.marks.popleft()
        if done >= 1:
            return 0.0
        then, before = self.marks[0]
        if done - self.first < NO_ESTIMATE_BELOW * (1 - self.first) or done <= before:
            return None
        return (now - then) * (1 - done) / (done - before)


@dataclass(frozen=True)
class Work:
    """One thing that a request needs and that has to be computed."""

    # ``table`` (the table of means), ``goals`` (the table of all goals), ``objective`` (a goal or a win, from a
    # card on), ``opponents`` or ``distribution``
    what: str
    seconds: float  # estimate, if it is confirmed
    memory: int  # bytes at its peak
    disk: int  # bytes that are stored
    unasked_seconds: float  # estimate of what is done without a confirmation, in memory; infinite if nothing is


class ConfirmationRequired(SolverError):
    """The work for an answer waits for a confirmation."""

    default_code = "confirmation-required"

    def __init__(self, works: Sequence[Work]) -> None:
        self.cost = cost_json(works)
        if self.cost["disk_bytes"]:
            text = _("this takes about {seconds} s and writes {size} GB; it has to be confirmed first")
        else:
            text = _("this takes about {seconds} s; it has to be confirmed first")
        seconds, size = number_text(max(1.0, self.cost["seconds"])), number_text(self.cost["disk_bytes"] / 1e9, 2)
        super().__init__(text.format(seconds=seconds, size=size))

    def as_json(self) -> dict[str, Any]:
        """The fields of other errors, and ``cost``."""
        return {**super().as_json(), "cost": self.cost}


def cost_json(works: Sequence[Work]) -> dict[str, Any]:
    """The cost of works as plain JSON values; ``what`` is the one that takes longest."""
    return {
        "what": max(works, key=lambda work: work.seconds).what,
        "seconds": round(sum(work.seconds for work in works), 1),
        "disk_bytes": sum(work.disk for work in works),
        "memory_bytes": max(work.memory for work in works),
    }


class WorkProgress:
    """The progress of several works, one after the other, as one share and the seconds left."""

    def __init__(self, works: Sequence[Work], report: Report) -> None:
        self.works, self.report, self.pace = works, report, Pace()
        self.all_seconds = sum(work.seconds for work in works) or 1.0
        self.resumed = 0.0  # seconds of the estimates that earlier, interrupted solves have saved

    def of(self, what: str) -> StageProgress:
        """The callback for one of the works; one that was not planned only reports that it goes on."""
        names, seconds = [work.what for work in self.works], [work.seconds for work in self.works]
        place = names.index(what) if what in names else len(names)
        before, share, begun = sum(seconds[:place]), sum(seconds[place : place + 1]), False
        self._report(before)

        def progress(done: int, total: int) -> None:
            nonlocal begun
            finished = share * done / max(1, total)
            if not begun:
                begun, self.resumed = True, self.resumed + finished
            self._report(before + finished)

        return progress

    def _report(self, seconds: float) -> None:
        """Report that as much is done as was estimated to take `seconds`."""
        done, rest = min(1.0, seconds / self.all_seconds), self.all_seconds - self.resumed
        left = self.pace.left(min(1.0, (seconds - self.resumed) / rest)) if rest > 0 else 0.0
        self.report(done, (1 - done) * self.all_seconds if left is None else left)
