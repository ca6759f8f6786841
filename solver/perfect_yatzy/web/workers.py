"""Decides when a request is answered: at once, from a queue, or never.

:class:`perfect_yatzy.service.queries.QueryService` answers requests and estimates how long an answer takes. Those
that solve a game or compute a distribution run a few at a time
(:class:`perfect_yatzy.web.limits.ConcurrencyLimiter`); a full queue refuses further requests, and a queued request
whose client disconnects is dropped.
"""

from __future__ import annotations

import os
import re
from typing import Any

from .._messages import _
from ..errors import RulesError
from ..game.rule_loader import builtin_ids
from ..game.rules import RuleSet
from ..service.queries import QueryService
from ..service.requests import parse_request
from .limits import (
    LONG_QUEUED,
    LONG_RUNNING,
    SERVER_BUDGET,
    SHORT_QUEUED,
    SHORT_RUNNING,
    ConcurrencyLimiter,
    IsDisconnected,
)

RULES_PATTERN = re.compile(r"[a-z0-9-]+(\+[a-z0-9-]+)*")


class RequestScheduler:
    """Decides for each request whether it runs at once, is queued or is refused.

    Parameters
    ----------
    tables, threads
        As for :func:`perfect_yatzy.strategy.opening.open_strategy`.
    """

    def __init__(self, tables: str | os.PathLike[str] | None, threads: int | None) -> None:
        self.service = QueryService(tables, threads, budget=SERVER_BUDGET)
        self.short = ConcurrencyLimiter(SHORT_RUNNING, SHORT_QUEUED)
        self.long = ConcurrencyLimiter(LONG_RUNNING, LONG_QUEUED)

    def rules(self, spec: str) -> RuleSet:
        """A built-in rule set, with switches; never a file.

        Raises
        ------
        RulesError
            If the name is not that of a built-in rule set.
        """
        if not RULES_PATTERN.fullmatch(spec) or spec.split("+")[0] not in builtin_ids():
            known = ", ".join(builtin_ids())
            raise RulesError(
                _("unknown rules {spec!r}; must be one of {known}").format(spec=spec[:80], known=known),
                code="unknown-rules",
            )
        return self.service.rules(spec)

    def answer(self, query: str, fields: dict[str, Any], is_disconnected: IsDisconnected) -> dict[str, Any]:
        """The answer of :class:`perfect_yatzy.service.queries.QueryService` to a request.

        Parameters
        ----------
        query
            ``hold``, ``score``, ``expect`` or ``outcomes``.
        fields
            The other fields of the request; an `id` is returned as it is.
        is_disconnected
            Called while the request is queued.

        Raises
        ------
        StateError, RulesError
            If the request is wrong or takes too long.
        QueueFullError, ClientDisconnected
            As :meth:`perfect_yatzy.web.limits.ConcurrencyLimiter.slot`.
        """
        request = parse_request({"query": query, **fields}, self.rules)
        self.service.strategy(request.rules)
        if (cached := self.service.cached_answer(request)) is not None:
            return cached
        seconds = self.service.seconds(request)
        if not seconds:
            return self.service.answer(request)
        with (self.short if seconds < SERVER_BUDGET.instant_seconds else self.long).slot(is_disconnected):
            return self.service.answer(request)
