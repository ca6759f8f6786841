"""The limits of the server, and the queue of its computations. To change a limit, edit the
constants below.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Lock

from ..errors import SolverError
from ..service.budget import SolveBudget, SolveLimit
from ..words import _

# Requests
# a game of 16 players fits; a larger body would delay other requests while it is parsed
MAX_BODY_BYTES = 64 << 10
MAX_BODY_SECONDS = 10.0  # until the whole body must have arrived
EVENT_SECONDS = 0.2  # at least, between two reports of progress
KEEP_ALIVE_SECONDS = 5.0  # without a report until a sign of life is sent
MAX_VALUES = 10_000  # commas and opening brackets in the body; about the values that JSON text has
MAX_FIELDS = 32  # of the body; no request has half as many
MAX_ENTRIES = 126  # of a list or an object in the body, the game of a review excepted
MAX_REPORTED_FIELDS = 5  # in the message about wrong fields
# characters of `versus` and of each text of `opponents`; the command takes more, as game.limits says
MAX_OPPONENT_TEXT = 2_000
MAX_DICE = 100  # characters of a text, or faces of a list
MAX_SEED = 2**53 - 1  # of a puzzle: the largest whole number that JavaScript writes exactly
MAX_NAME_TEXT = 200  # characters of a rule set with its switches, and of an id
MAX_RULE_SETS_CACHED = 64  # answers of /api/rules
MAX_OWN_RULES = 40  # rule files that were added; then the one added longest ago is forgotten
MAX_OWN_RULES_READ = 160  # rule sets of these files, with switches, that stay in memory

# Concurrent computations by class of cost: puzzles and what takes no longer, what is estimated below
# INSTANT_SOLVE_SECONDS, and what takes longer. A question that takes no more than a turn never waits.
# Queues are short: who comes when one is full is told at once, and asks again later.
CHEAP_RUNNING, CHEAP_QUEUED = 2, 4
CHEAP_TURNS = 100  # of a game whose review is cheap
CHEAP_WORK_SECONDS = (
    0.04  # estimate of what is solved for a cheap answer; it may take five times as long
)
SHORT_RUNNING, SHORT_QUEUED = 1, 6
LONG_RUNNING, LONG_QUEUED = 1, 8
# Threads of requests: one for each that runs or is queued, and some for those that never wait.
REQUEST_THREADS = (
    (CHEAP_RUNNING + CHEAP_QUEUED)
    + (SHORT_RUNNING + SHORT_QUEUED)
    + (LONG_RUNNING + LONG_QUEUED)
    + 16
)
DISCONNECT_POLL_SECONDS = (
    0.2  # how often a queued request checks that its client is still connected
)

# Solving on request
SERVER_BUDGET = SolveBudget(
    mean=SolveLimit(seconds=600.0, bytes=3 << 30),  # a rule set without a table
    # A goal, or a win against opponents, from a scorecard on; fewer bytes than the cache, to be
    # found again.
    objective=SolveLimit(seconds=240.0, bytes=2_000_000_000),
    stored_bytes=6 << 30,  # tables on disk, per run of the server
    opponents=8,
    unasked_seconds=4.0,  # without a confirmation; nothing is stored then
)

IsDisconnected = Callable[[], bool]  # whether the client of a request has disconnected


class QueueFullError(SolverError):
    """Too many requests are queued."""

    default_code = "busy"


class ClientDisconnected(SolverError):
    """The client disconnected before its request was started."""

    default_code = "client-disconnected"


class ConcurrencyLimiter:
    """Runs a few computations at a time, queues a few more, first come, first served, and refuses
    the rest. Thread-safe.
    """

    def __init__(self, running: int, queued: int) -> None:
        self.free = running + queued
        self._idle = running  # slots that nobody holds
        self._waiting: deque[Event] = deque()  # set when the slot is theirs, the oldest first
        self._lock = Lock()

    @contextmanager
    def slot(self, is_disconnected: IsDisconnected) -> Iterator[None]:
        """Wait in the queue, then hold one of the running slots for the body of the `with`
        statement.
        """
        mine = Event()
        with self._lock:
            if not self.free:
                raise QueueFullError(_("too many requests are queued; try again later"))
            self.free -= 1
            self._waiting.append(mine)
            self._give_slots()
        try:
            while not mine.wait(DISCONNECT_POLL_SECONDS):
                if is_disconnected():
                    raise ClientDisconnected(_("the client disconnected"))
            yield
        finally:
            with self._lock:
                if mine.is_set():
                    self._idle += 1
                else:
                    self._waiting.remove(mine)
                self.free += 1
                self._give_slots()

    def _give_slots(self) -> None:
        """Give the idle slots to those who have waited longest."""
        while self._idle and self._waiting:
            self._idle -= 1
            self._waiting.popleft().set()
