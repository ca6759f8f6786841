"""When a request is answered: at once, from a queue of those that take long, or never; long work as events.

Server-sent events: `progress`, then `done` or `error`. The work stops when the client has left.

event: progress
data: {"done": 0.25, "seconds_left": 12.1}
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import time
import traceback
from collections.abc import AsyncIterator, Callable
from contextvars import copy_context
from threading import Event, Thread
from typing import Any

from ..errors import Cancelled, RulesError, SolverError, StateError, _
from ..game.legal_actions import start_turn
from ..game.rule_loader import builtin_ids
from ..game.rules import RuleSet
from ..service.answers import answer_head, picked, with_echo
from ..service.queries import QueryService
from ..service.requests import OBJECTIVE_FIELDS, parse_request
from ..service.work import Report, WorkProgress, cost_json
from . import limits
from .answers import error_answer
from .limits import EVENT_SECONDS, KEEP_ALIVE_SECONDS, IsDisconnected

RULES_PATTERN = re.compile(r"[a-z0-9-]+(\+[a-z0-9-]+)*")
Solve = Callable[[Report, IsDisconnected], None]
COMMENT = b": working\n\n"  # keeps the connection alive where nothing is reported, such as during compilation


class RequestScheduler:
    """Decides for each request whether it runs at once, is queued or is refused."""

    def __init__(self, tables: str | os.PathLike[str] | None, threads: int | None) -> None:
        self.service = QueryService(tables, threads, budget=limits.SERVER_BUDGET)
        self.short = limits.ConcurrencyLimiter(limits.SHORT_RUNNING, limits.SHORT_QUEUED)
        self.long = limits.ConcurrencyLimiter(limits.LONG_RUNNING, limits.LONG_QUEUED)

    def rules(self, spec: str) -> RuleSet:
        """A built-in rule set, with switches; never a file."""
        if not RULES_PATTERN.fullmatch(spec) or spec.split("+")[0] not in builtin_ids():
            known = ", ".join(builtin_ids())
            text = _("unknown rules {spec!r}; must be one of {known}", spec=spec[:80], known=known)
            raise RulesError(text, code="unknown-rules")
        return self.service.rules(spec)

    def answer(self, query: str, fields: dict[str, Any], is_disconnected: IsDisconnected) -> dict[str, Any]:
        """The answer of :class:`perfect_yatzy.service.queries.QueryService` to a request."""
        request = parse_request({"query": query, **fields}, self.rules)
        decision = self.service.decide(request)
        self.service.check_unasked(decision.works)
        if not decision.seconds:
            return decision.run(None)
        with (self.short if decision.seconds < limits.SERVER_BUDGET.instant_seconds else self.long).slot(
            is_disconnected
        ):
            return decision.run(None)

    def points(self, fields: dict[str, Any]) -> dict[str, Any]:
        """What each box pays for a roll, in the order of the card: needs no table and solves nothing."""
        asked = {name: value for name, value in fields.items() if name not in OBJECTIVE_FIELDS}
        request = parse_request({"query": "score", **asked}, self.rules)
        position = start_turn(request.rules, request.card, request.dice, request.rolls_left)
        boxes = [
            {"category": category, "points": points, "bonus_points": bonus}
            for category, (points, bonus) in position.categories().items()
        ]
        head = answer_head(request) | {"query": "points"} | picked(request, "dice", "rolls_left")
        return with_echo(head | {"categories": boxes}, request.echo)

    def confirmed(self, fields: dict[str, Any]) -> Callable[[Report, IsDisconnected], None]:
        """A function that does the work for a question; the question is checked at once."""
        if fields["query"] == "review":  # needs the table and nothing else
            fields = {"query": "expect", "rules": self.rules_of(fields.get("game")).spec, "spread": False}
        request = parse_request(fields, self.rules)
        self.service.decide(request).works  # noqa: B018 (what is beyond the limits is refused at once)

        def work(report: Report, is_disconnected: IsDisconnected) -> None:
            with self.long.slot(is_disconnected):
                decision = self.service.decide(request)  # another client may have done the work
                decision.run(WorkProgress(decision.works, report))

        return work

    def rules_of(self, game: Any) -> RuleSet:
        """The rule set of a recorded game, which must be a built-in one."""
        spec = game.get("rules") if isinstance(game, dict) else None
        if not isinstance(spec, str):
            raise StateError(_("the game has no rules; `rules` is the id of a built-in rule set"), field="game")
        return self.rules(spec)

    def cost_text(self, rules: RuleSet) -> str:
        """The cost of a table as JSON text: empty if plain questions need no confirmation, null beyond the limits."""
        try:
            works = self.service.mean_works(rules)
        except RulesError:
            return "null"
        return json.dumps(cost_json(works)) if self.service.budget.needs_confirmation(works) else ""


def event_schema(name: str, data: dict[str, Any]) -> dict[str, Any]:
    """JSON Schema of a server-sent event whose data is JSON."""
    text = {"type": "string", "contentMediaType": "application/json", "contentSchema": data}
    return {"type": "object", "properties": {"event": {"const": name}, "data": text}, "required": ["event", "data"]}


PROGRESS = {
    "done": {"type": "number", "minimum": 0, "maximum": 1},
    "seconds_left": {"type": "number", "minimum": 0},
}
# Before OpenAPI 3.2 the schema of a stream of events describes each of them.
EVENT_SCHEMAS = [
    event_schema("progress", {"type": "object", "properties": PROGRESS, "required": [*PROGRESS]}),
    event_schema("done", {"type": "object"}),
    event_schema("error", {"$ref": "#/components/schemas/ErrorResponse"}),
]
EVENTS: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "Server-sent events: `progress` with `done` (0 to 1) and `seconds_left`, then `done`, or "
        "`error` with `error` and `code`",
        "content": {"text/event-stream": {"schema": {"oneOf": EVENT_SCHEMAS}}},
    }
}


def _event_text(event: str, data: dict[str, Any]) -> bytes:
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
            put(_event_text("progress", {"done": round(done, 4), "seconds_left": round(seconds_left, 1)}))

    def work() -> None:
        try:
            solve(report, stopped.is_set)
            put(_event_text("done", {}))
        except SolverError as error:
            put(_event_text("error", error_answer(error)))
        except Exception as error:
            traceback.print_exc()
            message = f"this is a bug: {type(error).__name__}: {error}"
            put(_event_text("error", error_answer(SolverError(message, code="internal-error"))))
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
