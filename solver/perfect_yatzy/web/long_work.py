"""Long work as server-sent events: `progress`, then `done` or `error`. It stops when the client has left.

event: progress
data: {"done": 0.25, "seconds_left": 12.1}
"""

from __future__ import annotations

import asyncio
import json
import time
import traceback
from collections.abc import AsyncIterator, Callable
from contextvars import copy_context
from threading import Event, Thread
from typing import Any

from .._messages import _
from ..errors import Cancelled, SolverError
from ..service.work import Report
from .answers import error_answer
from .limits import EVENT_SECONDS, KEEP_ALIVE_SECONDS, IsDisconnected

Solve = Callable[[Report, IsDisconnected], None]
COMMENT = b": working\n\n"  # keeps the connection alive where nothing is reported, such as during compilation


def event_schema(name: str, data: dict[str, Any]) -> dict[str, Any]:
    """JSON Schema of a server-sent event whose data is JSON."""
    text = {"type": "string", "contentMediaType": "application/json", "contentSchema": data}
    return {"type": "object", "properties": {"event": {"const": name}, "data": text}, "required": ["event", "data"]}


PROGRESS = {
    "type": "object",
    "properties": {
        "done": {"type": "number", "minimum": 0, "maximum": 1},
        "seconds_left": {"type": "number", "minimum": 0},
    },
    "required": ["done", "seconds_left"],
}
# Before OpenAPI 3.2 the schema of a stream of events describes each of them.
EVENTS: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "Server-sent events: `progress` with `done` (0 to 1) and `seconds_left`, then `done`, or "
        "`error` with `error` and `code`",
        "content": {
            "text/event-stream": {
                "schema": {
                    "oneOf": [
                        event_schema("progress", PROGRESS),
                        event_schema("done", {"type": "object"}),
                        event_schema("error", {"$ref": "#/components/schemas/ErrorResponse"}),
                    ]
                }
            }
        },
    }
}


def event_text(event: str, data: dict[str, Any]) -> bytes:
    """One server-sent event."""
    return f"event: {event}\ndata: {json.dumps(data)}\n\n".encode()


async def work_events(solve: Solve) -> AsyncIterator[bytes]:
    """Run `solve` in a thread and yield its events. If the iteration is given up, the work stops."""
    loop, stopped = asyncio.get_running_loop(), Event()
    queue: asyncio.Queue[bytes | None] = asyncio.Queue()
    last = 0.0

    def put(message: bytes | None) -> None:
        if not stopped.is_set():  # the loop may be gone otherwise
            loop.call_soon_threadsafe(queue.put_nowait, message)

    def report(done: float, seconds_left: float) -> None:
        nonlocal last
        if stopped.is_set():
            raise Cancelled(_("the client has left"))
        if time.monotonic() - last >= EVENT_SECONDS:
            last = time.monotonic()
            put(event_text("progress", {"done": round(done, 4), "seconds_left": round(seconds_left, 1)}))

    def work() -> None:
        try:
            solve(report, stopped.is_set)
            put(event_text("done", {}))
        except SolverError as error:
            put(event_text("error", error_answer(error)))
        except Exception as error:
            traceback.print_exc()
            message = f"this is a bug: {type(error).__name__}: {error}"
            put(event_text("error", error_answer(SolverError(message, code="internal-error"))))
        finally:
            put(None)

    # In a copy of the context: messages are in the language of the request.
    Thread(target=copy_context().run, args=(work,), daemon=True, name="yatzy-long-work").start()
    try:
        while True:
            try:
                message = await asyncio.wait_for(queue.get(), KEEP_ALIVE_SECONDS)
            except TimeoutError:
                message = COMMENT
            if message is None:
                return
            yield message
    finally:
        stopped.set()
