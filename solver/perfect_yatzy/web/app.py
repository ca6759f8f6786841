"""The ASGI application: the page, and the JSON API with the answers of :mod:`perfect_yatzy.service.queries`.

Answers are computed in worker threads, so the event loop never waits. Only built-in rule sets are served. What takes
long or writes to the disk waits for a request that confirms it, `/api/solve`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Coroutine
from typing import Annotated, Any

from anyio import from_thread
from anyio.to_thread import run_sync
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response, StreamingResponse
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException

from .._version import __version__
from ..errors import RulesError, SolverError, StateError, _, shown
from ..game.rule_loader import ENGLISH, languages
from ..play.record import read_game
from ..service.reviews import explained_review
from ..service.work import ConfirmationRequired
from . import answers, schemas
from .limits import MAX_BODY_BYTES, MAX_BODY_SECONDS, ClientDisconnected, IsDisconnected, QueueFullError
from .middleware import RequestFilter
from .rule_sets import described, listed_rules
from .static_files import Content, page_files
from .workers import EVENTS, RequestScheduler, work_events

LOCAL_HOSTS = frozenset({"127.0.0.1", "localhost", "[::1]"})
ERRORS = {
    403: "The request comes from a page of another site",
    408: f"The request was not complete after {MAX_BODY_SECONDS:g} seconds",
    409: "The answer takes long or writes to the disk: confirm it with /api/solve",
    413: f"The request is larger than {MAX_BODY_BYTES} bytes",
    421: "The request names a host that this server does not answer to",
    422: "The request is malformed, or describes an impossible position or unknown rules",
    429: "Too many requests in a short time",
    503: "Too many requests are queued",
}
STATUSES: dict[type[SolverError], int] = {
    QueueFullError: 503, ClientDisconnected: 503, ConfirmationRequired: 409, StateError: 422, RulesError: 422,
}  # fmt: skip


def unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON text; no key twice, where the last one would win in silence."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise HTTPException(422, _("{name} is there twice in one object of the body", name=shown(twice)))
    return found


class JSONRequest(Request):
    """A request whose body is checked when it is read."""

    async def json(self) -> Any:
        """The value of the body."""
        if not hasattr(self, "_json"):
            self._json = json.loads(await self.body(), object_pairs_hook=unique_keys)
        return self._json


class JSONRoute(APIRoute):
    """A route whose handler gets a :class:`JSONRequest`."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler of FastAPI, called with the checked request."""
        handler = super().get_route_handler()

        async def handle(request: Request) -> Response:
            return await handler(JSONRequest(request.scope, request.receive))

        return handle


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
    """The application."""
    app = FastAPI(
        title="perfect-yatzy",
        version=__version__,
        summary="Optimal play for Yatzy and its relatives, exactly",
        docs_url=None,  # its pages load scripts from other sites
        redoc_url=None,
        openapi_url="/api/openapi.json",
        default_response_class=AsciiJSONResponse,
        responses={status: {"model": answers.ErrorResponse, "description": text} for status, text in ERRORS.items()},
        generate_unique_id_function=lambda route: route.name,
        redirect_slashes=False,
        separate_input_output_schemas=False,
    )
    app.router.route_class = JSONRoute
    scheduler = RequestScheduler(tables, threads)
    add_error_handlers(app)
    add_questions(app, scheduler)
    add_rule_sets(app, scheduler)
    add_page(app)
    app.add_middleware(RequestFilter, hosts=hosts, addresses=addresses)
    return app


def add_error_handlers(app: FastAPI) -> None:
    """All errors in one format."""

    def error_response(status: int, error: SolverError) -> AsciiJSONResponse:
        return AsciiJSONResponse(answers.error_answer(error), status)

    @app.exception_handler(SolverError)
    async def solver_error(request: Request, error: SolverError) -> JSONResponse:
        return error_response(
            next((status for kind, status in STATUSES.items() if isinstance(error, kind)), 500), error
        )

    @app.exception_handler(RequestValidationError)
    async def invalid_request(request: Request, error: RequestValidationError) -> JSONResponse:
        return error_response(422, schemas.request_error(error.errors(), error.body))

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


def add_questions(app: FastAPI, scheduler: RequestScheduler) -> None:
    """The questions about a position or a game."""

    def disconnected(request: Request) -> IsDisconnected:
        return lambda: from_thread.run(request.is_disconnected)

    def answered(query: str, body: schemas.RequestBody, request: Request) -> AsciiJSONResponse:
        fields = body.model_dump(exclude_none=True)
        return AsciiJSONResponse(scheduler.answer(query, fields, disconnected(request)))

    @app.post("/api/hold", response_model=answers.HoldAnswer)
    def hold(body: schemas.RollRequest, request: Request) -> AsciiJSONResponse:
        """Which dice to hold: every hold, best first, and what it loses."""
        return answered("hold", body, request)

    @app.post("/api/score", response_model=answers.ScoreAnswer)
    def score(body: schemas.RollRequest, request: Request) -> AsciiJSONResponse:
        """Which category to take: every category, best first; `rolls_left` are the rerolls given up."""
        return answered("score", body, request)

    @app.post("/api/points", response_model=answers.PointsAnswer)
    def points(body: schemas.RollRequest) -> AsciiJSONResponse:
        """What each category that may be taken pays, without advice: needs no table, also for games without one."""
        return AsciiJSONResponse(scheduler.points(body.model_dump(exclude_none=True)))

    @app.post("/api/expect", response_model=answers.ExpectAnswer)
    def expect(body: schemas.ExpectRequest, request: Request) -> AsciiJSONResponse:
        """The expected final score, its distribution, the chance of a goal or a win."""
        return answered("expect", body, request)

    @app.post("/api/outcomes", response_model=answers.OutcomesAnswer)
    def outcomes(body: schemas.OutcomesRequest, request: Request) -> AsciiJSONResponse:
        """Every roll that may follow a hold: its chance, and the expected final score after it."""
        return answered("outcomes", body, request)

    @app.post("/api/puzzle", response_model=answers.PuzzleAnswer)
    def puzzle(body: schemas.PuzzleRequest, request: Request) -> AsciiJSONResponse:
        """A position to solve, the same for the same number; ask `hold` or `score` for its solution."""
        return answered("puzzle", body, request)

    @app.post("/api/review", response_model=answers.ReviewAnswer)
    def review(body: schemas.ReviewRequest, request: Request) -> AsciiJSONResponse:
        """A recorded game with a grade for each decision; `why` explains the worst of them."""
        game = read_game({**body.game, "rules": scheduler.rules_of(body.game).spec})
        if body.player >= len(game.players):
            text, last = _("player is {player}; must be 0 to {players}"), len(game.players) - 1
            raise StateError(text.format(player=body.player, players=last), field="player")
        strategy = scheduler.service.strategy(game.rules)
        with scheduler.short.slot(disconnected(request)):
            return AsciiJSONResponse(explained_review(strategy, game, body.player, body.why))

    @app.post("/api/solve", response_class=StreamingResponse, responses=EVENTS)
    async def solve(body: schemas.SolveRequest) -> StreamingResponse:
        """Do the work that a question needs, confirmed by this request; then ask the question again."""
        # What is wrong or too large is an error before the first event.
        work = await run_sync(scheduler.confirmed, body.model_dump(exclude_none=True))
        return StreamingResponse(work_events(work), media_type="text/event-stream")


def add_rule_sets(app: FastAPI, scheduler: RequestScheduler) -> None:
    """What can be asked about."""

    @app.get("/api/rules", response_model=list[answers.RuleSetInfo])
    def rule_sets(
        request: Request,
        lang: Annotated[str, schemas.field("lang")] = ENGLISH,
        rules: Annotated[str | None, schemas.field("rules")] = None,
    ) -> Response:
        """The rule sets, with the boxes of each and the points they can hold; or one, with switches."""
        names = listed_rules() if rules is None else [rules]
        found = [scheduler.rules(name) for name in names]  # built-in rule sets, not files
        costs = map(scheduler.cost_text, found)
        return described(tuple(names), lang, tuple(costs)).response(request.headers)

    @app.get("/api/scoring")
    def scoring(rules: Annotated[str, schemas.field("rules")]) -> dict[str, Any]:
        """What a browser needs to count points by itself: the rules as arrays, as in the file of a site."""
        from .site.rule_data import rule_data

        return rule_data(scheduler.rules(rules))

    @app.get("/api/languages")
    def known_languages() -> dict[str, str]:
        """Code and own name of the languages of `/api/rules`."""
        return languages()


def add_page(app: FastAPI) -> None:
    """The files of the page, as they are when the server starts."""
    files: dict[str, Content] = page_files()

    async def page(request: Request) -> Response:
        return files[request.url.path.removeprefix("/")].response(request.headers)

    for name in files:
        app.add_route(f"/{name}", page, methods=["GET", "HEAD"])
