"""Decides when a request is answered: at once, from a queue, or never.

:class:`perfect_yatzy.service.queries.QueryService` answers requests and estimates how long an answer takes. Those
that solve a game or compute a distribution run a few at a time
(:class:`perfect_yatzy.web.limits.ConcurrencyLimiter`); a full queue refuses further requests, and a queued request
whose client disconnects is dropped.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from typing import Any

from .._messages import _
from ..errors import RulesError, StateError
from ..game.legal_actions import start_turn
from ..game.rule_loader import builtin_ids
from ..game.rules import RuleSet
from ..service.answers import answer_head, with_echo
from ..service.queries import QueryService
from ..service.requests import OBJECTIVE_FIELDS, parse_request
from ..service.work import Report, WorkProgress, cost_json
from . import limits

RULES_PATTERN = re.compile(r"[a-z0-9-]+(\+[a-z0-9-]+)*")


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
            raise RulesError(
                _("unknown rules {spec!r}; must be one of {known}", spec=spec[:80], known=known), code="unknown-rules"
            )
        return self.service.rules(spec)

    def answer(self, query: str, fields: dict[str, Any], is_disconnected: limits.IsDisconnected) -> dict[str, Any]:
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
        head = answer_head(request) | {"query": "points", "dice": list(request.dice)}
        return with_echo(head | {"rolls_left": request.rolls_left, "categories": boxes}, request.echo)

    def confirmed(self, fields: dict[str, Any]) -> Callable[[Report, limits.IsDisconnected], None]:
        """A function that does the work for a question; the question is checked at once."""
        if fields["query"] == "review":  # needs the table and nothing else
            fields = {"query": "expect", "rules": self.rules_of(fields.get("game")).spec, "spread": False}
        request = parse_request(fields, self.rules)
        self.service.decide(request).works  # noqa: B018 (what is beyond the limits is refused at once)

        def work(report: Report, is_disconnected: limits.IsDisconnected) -> None:
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
        """The cost of the table of a rule set as JSON text: empty if plain questions need no confirmation.

        ``null`` if it is beyond the limits.
        """
        try:
            works = self.service.mean_works(rules)
        except RulesError:
            return "null"
        return json.dumps(cost_json(works)) if self.service.budget.needs_confirmation(works) else ""
