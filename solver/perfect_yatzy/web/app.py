"""The ASGI application: the page, and the JSON API with the answers of :mod:`perfect_yatzy.service.queries`.

Answers are computed in worker threads, so the event loop never waits. Only built-in rule sets are served, and only
those that are solved already or can be solved in seconds.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from functools import lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Annotated, Any

from anyio import from_thread
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException

from .._messages import _
from .._version import ANSWER_SCHEMA, __version__
from ..errors import RulesError, SolverError, StateError
from ..game.rule_loader import builtin_ids, load_rules
from ..game.translations import ENGLISH, languages, localized
from ..play.record import read_game
from ..service.reviews import explained_review
from .limits import (
    MAX_BODY_BYTES,
    MAX_BODY_SECONDS,
    MAX_RULE_SETS_CACHED,
    ClientDisconnected,
    IsDisconnected,
    QueueFullError,
)
from .middleware import RequestFilter
from .schemas import (
    ErrorResponse,
    ExpectRequest,
    OutcomesRequest,
    PuzzleRequest,
    RequestBody,
    ReviewRequest,
    RollRequest,
    field,
    request_error,
    rule_set_json,
)
from .workers import RequestScheduler

LOCAL_HOSTS = frozenset({"127.0.0.1", "localhost", "[::1]"})
MEDIA_TYPES = {
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "json": "application/json",
    "webmanifest": "application/manifest+json",
    "svg": "image/svg+xml",
    "png": "image/png",
}
# Too many dice to enter, or too large for an exact table: no advice without a long wait.
NOT_ON_PAGE = {"giant", "giant-forced", "triple-yahtzee", "yamb"}
ERRORS = {
    408: f"The request was not complete after {MAX_BODY_SECONDS:g} seconds",
    413: f"The request is larger than {MAX_BODY_BYTES} bytes",
    421: "The request names a host that this server does not answer to",
    422: "The request is malformed, or describes an impossible position or unknown rules",
    429: "Too many requests in a short time",
    503: "Too many requests are queued",
}


class AsciiJSONResponse(JSONResponse):
    """JSON in ASCII, so that a lone surrogate in a name can be encoded.

    Handlers return it instead of a dictionary: FastAPI would first convert every value of a dictionary.
    """

    def render(self, content: Any) -> bytes:
        """The body of the response."""
        return json.dumps(content, allow_nan=False, separators=(",", ":")).encode()


def create_app(
    tables: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    hosts: frozenset[str] = LOCAL_HOSTS,
    addresses: bool = False,
) -> FastAPI:
    """The application.

    Parameters
    ----------
    tables, threads
        As for :func:`perfect_yatzy.strategy.opening.open_strategy`.
    hosts
        Host names it answers to, in lower case.
    addresses
        Whether it also answers to any IP address. A server that is open to the network must.
    """
    app = FastAPI(
        title="perfect-yatzy",
        version=__version__,
        summary="Optimal play for Yatzy and its relatives, exactly",
        docs_url=None,  # its pages load scripts from other sites
        redoc_url=None,
        openapi_url="/api/openapi.json",
        default_response_class=AsciiJSONResponse,
        responses={status: {"model": ErrorResponse, "description": text} for status, text in ERRORS.items()},
    )
    scheduler = RequestScheduler(tables, threads)

    def error_response(status: int, error: SolverError) -> AsciiJSONResponse:
        return AsciiJSONResponse({"schema": ANSWER_SCHEMA} | error.as_json(), status)

    @app.exception_handler(SolverError)
    async def solver_error(request: Request, error: SolverError) -> JSONResponse:
        if isinstance(error, QueueFullError | ClientDisconnected):
            return error_response(503, error)
        return error_response(422 if isinstance(error, StateError | RulesError) else 500, error)

    @app.exception_handler(RequestValidationError)
    async def invalid_request(request: Request, error: RequestValidationError) -> JSONResponse:
        return error_response(422, request_error(error.errors(), error.body))

    @app.exception_handler(HTTPException)
    async def http_error(request: Request, error: HTTPException) -> JSONResponse:
        if error.status_code == 400:  # FastAPI cannot decode the body
            message = "the body is not JSON text in UTF-8, or is nested too deeply"
            return error_response(422, StateError(message, code="invalid-request"))
        message, code = {
            404: (f"{request.url.path} does not exist", "not-found"),
            405: (f"{request.url.path} does not accept {request.method}", "method-not-allowed"),
        }.get(error.status_code, (str(error.detail), "invalid-request"))
        return error_response(error.status_code, SolverError(message, code=code))

    def disconnected(request: Request) -> IsDisconnected:
        return lambda: from_thread.run(request.is_disconnected)

    @app.get("/api/rules", response_model=list[dict[str, Any]])
    def rule_sets(
        lang: Annotated[str, field("lang")] = ENGLISH, rules: Annotated[str | None, field("rules")] = None
    ) -> Response:
        """The rule sets, with the boxes of each and the points they can hold; or one, with switches."""
        if rules is not None:
            scheduler.rules(rules)  # a built-in rule set, not a file
        return Response(described(rules, lang), media_type="application/json")

    @app.get("/api/languages")
    def known_languages() -> dict[str, str]:
        """Code and own name of the languages of `/api/rules`."""
        return languages()

    def answered(query: str, body: RequestBody, request: Request) -> AsciiJSONResponse:
        fields = body.model_dump(exclude_none=True)
        return AsciiJSONResponse(scheduler.answer(query, fields, disconnected(request)))

    @app.post("/api/hold", response_model=dict[str, Any])
    def hold(body: RollRequest, request: Request) -> AsciiJSONResponse:
        """Which dice to hold: every hold, best first, and what it loses."""
        return answered("hold", body, request)

    @app.post("/api/score", response_model=dict[str, Any])
    def score(body: RollRequest, request: Request) -> AsciiJSONResponse:
        """Which category to take: every category, best first; `rolls_left` are the rerolls given up."""
        return answered("score", body, request)

    @app.post("/api/expect", response_model=dict[str, Any])
    def expect(body: ExpectRequest, request: Request) -> AsciiJSONResponse:
        """The expected final score, its distribution, the chance of a goal or a win."""
        return answered("expect", body, request)

    @app.post("/api/outcomes", response_model=dict[str, Any])
    def outcomes(body: OutcomesRequest, request: Request) -> AsciiJSONResponse:
        """Every roll that may follow a hold: its chance, and the expected final score after it."""
        return answered("outcomes", body, request)

    @app.post("/api/puzzle", response_model=dict[str, Any])
    def puzzle(body: PuzzleRequest, request: Request) -> AsciiJSONResponse:
        """A position to solve, the same for the same number; ask `hold` or `score` for its solution."""
        return answered("puzzle", body, request)

    @app.post("/api/review", response_model=dict[str, Any])
    def reviewed(body: ReviewRequest, request: Request) -> AsciiJSONResponse:
        """A recorded game with a grade for each decision; `why` explains the worst of them."""
        spec = body.game.get("rules")
        if not isinstance(spec, str):
            raise StateError(_("the game has no rules; `rules` is the id of a built-in rule set"), field="game")
        game = read_game({**body.game, "rules": scheduler.rules(spec).spec})
        if body.player >= len(game.players):
            raise StateError(
                _("player is {player}; must be 0 to {players}").format(
                    player=body.player, players=len(game.players) - 1
                ),
                field="player",
            )
        strategy = scheduler.service.strategy(game.rules)
        with scheduler.short.slot(disconnected(request)):
            return AsciiJSONResponse(explained_review(strategy, game, body.player, body.why))

    def page(request: Request) -> Response:
        name = request.url.path.removeprefix("/") or "index.html"
        return Response(page_files()[name].read_bytes(), media_type=MEDIA_TYPES[name.rpartition(".")[2]])

    for name in ("", *page_files()):
        app.add_api_route(f"/{name}", page, methods=["GET", "HEAD"], include_in_schema=False)

    app.add_middleware(RequestFilter, hosts=hosts, addresses=addresses)
    return app


@lru_cache(1)
def page_files() -> dict[str, Traversable]:
    """The files of the page by their path below `static`; only types of :data:`MEDIA_TYPES` are served."""

    def below(folder: Traversable, prefix: str) -> Iterator[tuple[str, Traversable]]:
        for entry in folder.iterdir():
            if entry.is_dir():
                yield from below(entry, f"{prefix}{entry.name}/")
            elif entry.name.rpartition(".")[2] in MEDIA_TYPES:
                yield prefix + entry.name, entry

    return dict(below(files(__package__).joinpath("static"), ""))


@lru_cache(MAX_RULE_SETS_CACHED)
def described(rules: str | None, lang: str) -> bytes:
    """The answer of `/api/rules` for one rule set or all, as JSON. To compute all takes some tenths of a second."""
    shown = [rules] if rules else [name for name in builtin_ids() if name not in NOT_ON_PAGE]
    return bytes(AsciiJSONResponse([rule_set_json(localized(load_rules(name), lang)) for name in shown]).body)
