"""Limits of connections, so that one client cannot keep the server from others.

uvicorn limits the idle time after an answer, but not the time to the first request, nor that of a
header that arrives byte by byte, nor the number of connections; and it answers pipelined requests
whether or not anybody reads.
"""

from __future__ import annotations

import asyncio
import errno
import socket
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, ClassVar

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from . import limits

SPARE_DESCRIPTORS = (
    2 * limits.ACCEPTED_AT_ONCE
)  # for tables, other files, and what is accepted but not yet counted
LACKS = {errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM}
MESSAGE_SECONDS = 60.0  # between two messages about one problem of the system


class LimitedProtocol(H11Protocol):
    """HTTP/1.1 with limits: pass it to uvicorn as `http`.

    A client with too many connections, or with the most where there are too many in all, loses its
    oldest one that waits for a request, else its oldest: a new connection is always served. A
    connection ends with the answer before which another request was sent (no browser does that), or
    if nobody reads the answers.
    """

    most: ClassVar[int] = limits.MAX_CONNECTIONS  # in all
    _open: ClassVar[
        dict[str, dict[LimitedProtocol, None]]
    ] = {}  # by client, as an ordered set, the oldest first
    _waiting: asyncio.TimerHandle | None = None  # for a header
    _stalled: asyncio.TimerHandle | None = None  # for the client to read

    def connection_made(self, transport: Any) -> None:
        """Wait for the first request."""
        super().connection_made(transport)
        self._name = limits.client_name(self.client[0] if self.client else "")
        own = self._open.setdefault(self._name, {})
        own[self] = None
        if len(own) > limits.MAX_CLIENT_CONNECTIONS:
            self._drop_one(own)
        elif len(self.connections) > self.most:
            self._drop_one(max(self._open.values(), key=len))
        self._wait()

    @staticmethod
    def _drop_one(connections: dict[LimitedProtocol, None]) -> None:
        waiting = [each for each in connections if not each._answering()]
        dropped = waiting[0] if waiting else next(iter(connections))  # the oldest
        dropped.transport.abort()
        dropped._forget()

    def _forget(self) -> None:
        own = self._open.get(self._name, {})
        own.pop(self, None)
        if not own:
            self._open.pop(self._name, None)

    def data_received(self, data: bytes) -> None:
        """Wait for the rest of a header, unless it is complete."""
        if self._waiting is None and not self._answering():
            self._wait()
        super().data_received(data)
        if self._answering():
            self._stop_waiting()

    def connection_lost(self, exc: Exception | None) -> None:
        """The client has closed the connection, or it was dropped."""
        self._stop_waiting()
        self._forget()
        super().connection_lost(exc)
        if self._stalled is not None:
            self._stalled.cancel()

    def on_response_complete(self) -> None:
        """The answer is complete; wait for the next request."""
        if self.conn.trailing_data[0]:  # another request came before the answer
            self.transport.close()
        super().on_response_complete()

    def pause_writing(self) -> None:
        """The client does not read as fast as it is answered."""
        super().pause_writing()
        self._stalled = self.loop.call_later(limits.MAX_UNREAD_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        """The client reads again."""
        super().resume_writing()
        if self._stalled is not None:
            self._stalled.cancel()

    def _answering(self) -> bool:
        """Whether the header of a request is complete, and its answer is not."""
        return self.cycle is not None and not self.cycle.response_complete

    def _wait(self) -> None:
        self._waiting = self.loop.call_later(limits.MAX_HEADER_SECONDS, self._drop)

    def _stop_waiting(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

    def _drop(self) -> None:
        self._waiting = None
        if not self._answering() and not self.transport.is_closing():
            self.transport.close()


class LimitedServer(uvicorn.Server):
    """uvicorn with :class:`LimitedProtocol`, for as many connections as the system allows."""

    def __init__(self, app: Any) -> None:
        LimitedProtocol.most = min(limits.MAX_CONNECTIONS, most_descriptors() - SPARE_DESCRIPTORS)
        config = uvicorn.Config(
            app,
            http=LimitedProtocol,
            log_level="error",
            server_header=False,
            timeout_graceful_shutdown=1,
            backlog=limits.ACCEPTED_AT_ONCE,
        )
        super().__init__(config)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to serve."""
        asyncio.get_running_loop().set_exception_handler(quiet_exception_handler())
        await super().startup(sockets)
        for each in (
            sockets or ()
        ):  # uvicorn has one number for these and for those accepted at a time
            each.listen(limits.MAX_PENDING_CONNECTIONS)


def most_descriptors() -> int:
    """How many files and connections this process may have open, after raising that as far as it
    may.
    """
    try:
        import resource
    except ImportError:  # Windows
        return limits.MAX_CONNECTIONS + SPARE_DESCRIPTORS
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(OSError, ValueError):  # macOS refuses more than another limit
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        soft = hard
    unlimited = soft in (resource.RLIM_INFINITY, -1)
    return (
        limits.MAX_CONNECTIONS + SPARE_DESCRIPTORS
        if unlimited
        else max(soft, 2 * SPARE_DESCRIPTORS)
    )


def quiet_exception_handler() -> Callable[[asyncio.AbstractEventLoop, dict[str, Any]], None]:
    """A handler that reports a lack of descriptors or memory in one line, and not for each
    connection.
    """
    last: dict[int, float] = {}

    def handle(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        if not isinstance(error, OSError) or error.errno not in LACKS:
            loop.default_exception_handler(context)
        elif time.monotonic() - last.get(error.errno, -MESSAGE_SECONDS) >= MESSAGE_SECONDS:
            last[error.errno] = time.monotonic()
            print(f"yatzy: cannot accept a connection: {error.strerror}", file=sys.stderr)

    return handle
