"""Requests generated from the OpenAPI document: no status 500, and every answer as the document
describes it.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from hypothesis import HealthCheck, Phase, given, seed, settings
from perfect_yatzy.service.budget import SolveLimit
from perfect_yatzy.web import app, limits

from .tally import Tally

SMALL_BUDGET = replace(
    limits.SERVER_BUDGET,
    mean=SolveLimit(seconds=2.0),
    objective=SolveLimit(seconds=0.5, bytes=64 << 20),
)


@contextmanager
def cheap_app(tables: Path) -> Iterator[FastAPI]:
    """The application with a small budget, so that no request takes long."""
    before = limits.SERVER_BUDGET
    limits.SERVER_BUDGET = SMALL_BUDGET
    try:
        yield app.create_app(tables, 1, app.LOCAL_HOSTS | {"testserver"})
    finally:
        limits.SERVER_BUDGET = before


def fuzz_requests(tally: Tally, tables: Path, requests: int, chosen: random.Random) -> None:
    """Send requests to every operation, half of them against the schema."""
    import schemathesis
    from schemathesis import GenerationMode
    from schemathesis.checks import not_a_server_error
    from schemathesis.specs.openapi.checks import (
        response_schema_conformance,
        status_code_conformance,
    )

    checks = [not_a_server_error, status_code_conformance, response_schema_conformance]
    with cheap_app(tables) as application:
        schema = schemathesis.openapi.from_asgi("/api/openapi.json", application)
        for found in schema.get_all_operations():
            operation: Any = found.ok()
            for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):

                @seed(chosen.randrange(1 << 32))
                @settings(
                    max_examples=requests,
                    deadline=None,
                    database=None,
                    suppress_health_check=list(HealthCheck),
                    phases=[Phase.generate],
                )
                @given(operation.as_strategy(generation_mode=mode))
                def send(case: Any) -> None:
                    if case.path.endswith("/expect") and isinstance(case.body, dict):
                        case.body["spread"] = False  # distributions take seconds
                    what = f"{case.method} {case.path} {case.body!r:.200} {case.query}"
                    tally.run(what, lambda: case.call_and_validate(checks=checks))

                try:
                    send()
                except Exception as error:
                    # no request can contradict this schema
                    if "Unsatisfiable" not in type(error).__name__:
                        raise
