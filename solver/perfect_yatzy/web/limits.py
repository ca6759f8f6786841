"""The limits of the server, and two mechanisms that enforce them. To change a limit, edit the
constants below.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from ipaddress import IPv6Address
from threading import Lock, Semaphore

from ..errors import SolverError, _
from ..service.budget import SolveBudget, SolveLimit

# Connections; a client is an address, or a network of one subscriber (IPv6)
MAX_CONNECTIONS = 4096  # in all; less where the system allows fewer descriptors
MAX_CLIENT_CONNECTIONS = 100  # of one client; a browser has six
MAX_PENDING_CONNECTIONS = 1024  # that wait to be accepted
ACCEPTED_AT_ONCE = 64  # before they are counted
MAX_UNREAD_SECONDS = 30.0  # until a client that does not read is dropped

# Requests
MAX_ACTIVE_REQUESTS = 4  # of one client that are worked on; its others wait
MAX_BODY_BYTES = (
    64 << 10
)  # a game of 16 players fits; a larger body would delay other requests while it is parsed
MAX_BODY_SECONDS = 10.0  # until the whole body must have arrived
MAX_HEADER_SECONDS = (
    10.0  # until the header of a request must have arrived, the first one from the connection on
)
EVENT_SECONDS = 0.2  # at least, between two reports of progress
KEEP_ALIVE_SECONDS = 5.0  # without a report until a sign of life is sent
MAX_VALUES = 10_000  # commas and opening brackets in the body; about the values that JSON text has
MAX_FIELDS = 32  # of the body; no request has half as many
MAX_ENTRIES = 126  # of a list or an object in the body, the game of a review excepted
MAX_REPORTED_FIELDS = 5  # in the message about wrong fields
MAX_OPPONENTS_TEXT = 2_000  # characters
MAX_DICE = 100  # characters of a text, or faces of a list
MAX_SEED = 2**53 - 1  # of a puzzle: the largest whole number that JavaScript writes exactly
MAX_NAME_TEXT = 200  # characters of a rule set with its switches, and of an id
REQUESTS_PER_SECOND = 1000.0  # per client, on average
BURST_REQUESTS = 2000.0  # per client, at once
MAX_TRACKED_CLIENTS = 10_000  # the rate limiter forgets all clients when there are more
MAX_RULE_SETS_CACHED = 64  # answers of /api/rules

# Concurrent computations: those that take less than INSTANT_SOLVE_SECONDS, and longer ones
SHORT_RUNNING, SHORT_QUEUED = 2, 24
LONG_RUNNING, LONG_QUEUED = 1, 8
DISCONNECT_POLL_SECONDS = (
    0.2  # how often a queued request checks that its client is still connected
)

# Solving on request
SERVER_BUDGET = SolveBudget(
    mean=SolveLimit(seconds=300.0, bytes=3 << 30),  # a rule set without a table
    # A goal, or a win against opponents, from a scorecard on; fewer bytes than the cache, to be
    # found again.
    objective=SolveLimit(seconds=120.0, bytes=2_000_000_000),
    stored_bytes=6 << 30,  # tables on disk, per run of the server
    opponents=8,
    unasked_seconds=2.0,  # without a confirmation; nothing is stored then
)

IsDisconnected = Callable[[], bool]  # whether the client of a request has disconnected


class QueueFullError(SolverError):
    """Too many requests are queued."""

    default_code = "busy"


class ClientDisconnected(SolverError):
    """The client disconnected before its request was started."""

    default_code = "client-disconnected"


def client_name(address: str) -> str:
    """The client of an address: the address itself, or of IPv6 its first 64 bits, which one
    subscriber has.
    """
    if ":" in address:
        with suppress(ValueError):
            found = IPv6Address(address.partition("%")[0])
            return str(found.ipv4_mapped or IPv6Address(int(found) >> 64 << 64))
    return address


class RateLimiter:
    """A bucket for each client, of up to `burst` tokens, that gains `rate` a second; each
    request takes one.
    """

    def __init__(self, rate: float = REQUESTS_PER_SECOND, burst: float = BURST_REQUESTS) -> None:
        self.rate, self.burst = rate, burst
        self._buckets: dict[
            str, tuple[float, float]
        ] = {}  # client -> tokens, time of the last request

    def allow(self, client: str) -> bool:
        """Count a request of a client; False if it exceeds the rate."""
        now = time.monotonic()
        tokens, last = self._buckets.get(client, (self.burst, now))
        tokens = min(self.burst, tokens + (now - last) * self.rate)
        if len(self._buckets) > MAX_TRACKED_CLIENTS:
            self._buckets.clear()
        is_allowed = tokens >= 1  # a request that is refused takes nothing
        self._buckets[client] = (tokens - 1 if is_allowed else tokens, now)
        return is_allowed


class ConcurrencyLimiter:
    """Runs a few computations at a time, queues a few more, and refuses the rest. Thread-safe."""

    def __init__(self, running: int, queued: int) -> None:
        self.free = running + queued
        self._running, self._lock = Semaphore(running), Lock()

    @contextmanager
    def slot(self, is_disconnected: IsDisconnected) -> Iterator[None]:
        """Wait in the queue, then hold one of the running slots for the body of the `with`
        statement.
        """
        with self._lock:
            if not self.free:
                raise QueueFullError(_("too many requests are queued; try again later"))
            self.free -= 1
        try:
            while not self._running.acquire(timeout=DISCONNECT_POLL_SECONDS):
                if is_disconnected():
                    raise ClientDisconnected(_("the client disconnected"))
            try:
                yield
            finally:
                self._running.release()
        finally:
            with self._lock:
                self.free += 1
