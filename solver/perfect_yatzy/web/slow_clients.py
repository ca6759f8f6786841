"""Drops connections that do not send the header of a request in time. The body has a limit of its own.

uvicorn limits the idle time after an answer, but neither the time to the first request nor that of a header that
arrives byte by byte.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

from .limits import MAX_HEADER_SECONDS


class HeaderTimeoutProtocol(H11Protocol):
    """HTTP/1.1 with a time limit for headers: pass it to uvicorn as `http`."""

    _waiting: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Wait for the first request."""
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Wait for the rest of a header, unless it is complete."""
        if self._waiting is None and not self._answering():
            self._wait()
        super().data_received(data)
        if self._answering():
            self._stop_waiting()

    def connection_lost(self, exc: Exception | None) -> None:
        """The client has closed the connection."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _answering(self) -> bool:
        """Whether the header of a request is complete, and its answer is not."""
        return self.cycle is not None and not self.cycle.response_complete

    def _wait(self) -> None:
        self._waiting = self.loop.call_later(MAX_HEADER_SECONDS, self._drop)

    def _stop_waiting(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

    def _drop(self) -> None:
        self._waiting = None
        if not self._answering() and not self.transport.is_closing():
            self.transport.close()
