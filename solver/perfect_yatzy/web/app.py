"""The ASGI application: the page, and the JSON API with the answers of
:mod:`perfect_yatzy.service.queries`.

Answers are computed in worker threads, so the event loop never waits. A request names built-in
rules, or those of a file that was added, and never a path. What takes long or writes to the disk
waits for a request that confirms it, `/api/solve`.

Long work is answered as server-sent events: `progress`, then `done` or `error`. It stops when the
client has left.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import time
import traceback
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager, suppress
from contextvars import copy_context
from dataclasses import replace
from ipaddress import ip_address
from threading import Event, Thread
from typing import Annotated, Any

from anyio import from_thread
from anyio.to_thread import current_default_thread_limiter, run_sync
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response, StreamingResponse
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException

from .._version import ANSWER_SCHEMA, __version__
from ..approximation.opening import opens_approximate
from ..core.rules import RuleSet
from ..errors import Cancelled, RulesError, SolverError, StateError, error_context, shown
from ..game.legal_actions import start_turn
from ..game.rule_loader import builtin_ids, rules_to_json
from ..game.translations import languages
from ..play.record import read_game
from ..service import answer_types
from ..service.answers import answer_head, answer_to_odds, picked, with_echo
from ..service.budget import ConfirmationRequired, Report, WorkProgress, cost_json
from ..service.queries import CACHED_BYTES, PUZZLE_SECONDS, Decision, QueryService
from ..service.requests import OBJECTIVE_FIELDS, parse_request
from ..service.reviews import check_player, explained_review
from ..tablebase.store import tables_folder
from ..words import ENGLISH, _, language_scope
from . import limits, schemas
from .limits import EVENT_SECONDS, KEEP_ALIVE_SECONDS, IsDisconnected
from .middleware import RequestFilter, host_name
from .own_rules import FOLDER, OwnRules, own_name
from .static_files import Content, NamedRules, listed_rules, page_files, rule_sets_content

LOCAL_HOSTS = frozenset({"127.0.0.1", "localhost", "[::1]"})
RULES_PATTERN = re.compile(r"[a-z0-9-]+(\+[a-z0-9-]+)*")
Solve = Callable[[Report, IsDisconnected], None]
# keeps the connection alive where nothing is reported, such as during compilation
COMMENT = b": working\n\n"
ERRORS = {
    403: "The request comes from a page of another site, or from a machine that may not ask for this",
    408: f"The request was not complete after {limits.MAX_BODY_SECONDS:g} seconds",
    409: "The answer takes long or writes to the disk: confirm it with /api/solve",
    413: f"The request is larger than {limits.MAX_BODY_BYTES} bytes",
    421: "The request names a host that this server does not answer to",
    422: "The request is malformed, or describes an impossible position or unknown rules",
    503: "Too many requests are queued",
}
# The questions that are addresses, too: the model of the request, and the answer.
ADDRESSES: dict[str, tuple[type[schemas.RequestBody], Any]] = {
    "hold": (schemas.RollRequest, answer_types.HoldAnswer),
    "score": (schemas.RollRequest, answer_types.ScoreAnswer),
    "expect": (schemas.ExpectRequest, answer_types.ExpectAnswer),
    "odds": (schemas.OddsRequest, answer_types.OddsAnswer),
}
ADDRESS_CACHING = "public, max-age=3600"  # an answer changes only with the program or its tables


class NotThisMachine(SolverError):
    """Another machine asks for what only that of the server may do."""

    default_code = "not-this-machine"


STATUSES: dict[type[SolverError], int] = {
    NotThisMachine: 403,
    limits.QueueFullError: 503,
    limits.ClientDisconnected: 503,
    ConfirmationRequired: 409,
    StateError: 422,
    RulesError: 422,
}


def unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Build an object of JSON text. Refuse a key that is there twice: the last one would count."""
    fields = dict(pairs)
    if len(fields) < len(pairs):
        names = [name for name, _value in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise HTTPException(
            422, _("{name} is there twice in one object of the body", name=shown(twice))
        )
    return fields


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
    """JSON in ASCII, because of lone surrogates.

    It is returned in place of a dictionary, whose values FastAPI would convert.
    """

    def render(self, content: Any) -> bytes:
        """The body of the response."""
        return json.dumps(content, allow_nan=False, separators=(",", ":")).encode()


@asynccontextmanager
async def with_request_threads(app: FastAPI) -> AsyncIterator[None]:
    """Serve with so many threads that requests in a queue take none from those that never wait.

    Nothing goes on after the last request, and no table stays open: FastAPI remembers the functions
    of the routes, and with them everything of the application, beyond its end.
    """
    current_default_thread_limiter().total_tokens = limits.REQUEST_THREADS
    yield
    await run_sync(app.state.service.close)


def create_app(
    tables: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    hosts: frozenset[str] = LOCAL_HOSTS,
    addresses: bool = False,
    cached_bytes: int = CACHED_BYTES,
) -> FastAPI:
    """Make the application. Tables of `cached_bytes` stay in memory between requests."""
    app = FastAPI(
        title="perfect-yatzy",
        version=__version__,
        summary="Optimal play for Yatzy and its relatives, exactly",
        docs_url=None,
        redoc_url=None,  # their pages load scripts from other sites
        openapi_url="/api/openapi.json",
        default_response_class=AsciiJSONResponse,
        redirect_slashes=False,
        responses={
            status: {"model": answer_types.ErrorResponse, "description": text}
            for status, text in ERRORS.items()
        },
        generate_unique_id_function=lambda route: route.name,
        separate_input_output_schemas=False,
        lifespan=with_request_threads,
    )
    app.router.route_class = JSONRoute
    scheduler = RequestScheduler(tables, threads, cached_bytes)
    app.state.service = scheduler.service
    add_error_handlers(app)
    add_questions(app, scheduler)
    add_rule_sets(app, scheduler)
    add_page(app)
    app.add_middleware(RequestFilter, hosts=hosts, addresses=addresses)
    return app


def prefers_quiet_refusals(request: Request) -> bool:
    """Whether a question that needs a confirmation is refused with status 200: the page asks so,
    since a browser reports every other status in its console.
    """
    return "confirmation-required=200" in request.headers.getlist("prefer")


def add_error_handlers(app: FastAPI) -> None:
    """All errors in one format."""

    def error_response(status: int, error: SolverError) -> AsciiJSONResponse:
        return AsciiJSONResponse(answer_types.error_answer(error), status)

    @app.exception_handler(SolverError)
    async def solver_error(request: Request, error: SolverError) -> JSONResponse:
        status = next((status for kind, status in STATUSES.items() if isinstance(error, kind)), 500)
        if isinstance(error, ConfirmationRequired) and prefers_quiet_refusals(request):
            status = 200
        return error_response(status, error)

    @app.exception_handler(RequestValidationError)
    async def invalid_request(request: Request, error: RequestValidationError) -> JSONResponse:
        return error_response(422, schemas.request_error(error.errors(), error.body))

    @app.exception_handler(HTTPException)
    async def http_error(request: Request, error: HTTPException) -> JSONResponse:
        if error.status_code == 400:  # FastAPI cannot decode the body
            message = "the body is not JSON text in UTF-8, or is nested too deeply"
            return error_response(422, StateError(message, code="invalid-request"))
        message = str(error.detail)
        code = "invalid-request"
        if error.status_code == 404:
            message = f"{request.url.path} does not exist"
            code = "not-found"
        elif error.status_code == 405:
            message = f"{request.url.path} does not accept {request.method}"
            code = "method-not-allowed"
        response = error_response(error.status_code, SolverError(message, code=code))
        if error.headers and "Allow" in error.headers:
            methods = methods_of(app, request.url.path)
            response.headers["Allow"] = ", ".join(methods) or error.headers["Allow"]
        return response


def methods_of(app: FastAPI, path: str) -> list[str]:
    """The methods that a path of the application accepts, or none for a path with parameters."""
    methods = set[str]()
    for route in app.routes:
        if getattr(route, "path", None) == path:
            methods |= set(getattr(route, "methods", None) or ())
    if "GET" in methods:
        methods.add("HEAD")
    return sorted(methods)


def never_disconnected() -> bool:
    """For what is answered at once."""
    return False


def cacheable(answer: Response, request: Request, *, explains: bool) -> Response:
    """The answer to a question that was asked as an address, which caches may keep."""
    content = Content.of(bytes(answer.body), "json")
    # The chance of the bonus may be added to an explanation later.
    caching = content.caching if explains else ADDRESS_CACHING
    response = replace(content, caching=caching).response(request.headers)
    response.headers["vary"] = "accept-encoding, accept-language"
    return response


def disconnected(request: Request) -> IsDisconnected:
    """Return a function that says, in the thread of an answer, whether its client has left."""
    return lambda: from_thread.run(request.is_disconnected)


def comes_from_this_machine(request: Request) -> bool:
    """Whether a request comes from the machine of the server, and not by way of a proxy."""
    sent_on = {"forwarded", "x-forwarded-for", "via"} & {*request.headers.keys()}
    if sent_on or request.client is None:
        return False
    if host_name(request.headers.get("host", "")) not in LOCAL_HOSTS:
        return False
    try:
        address = ip_address(request.client.host)
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return (mapped or address).is_loopback


def check_this_machine(request: Request) -> None:
    """Raise NotThisMachine if another machine wants to change which rule files there are."""
    if not comes_from_this_machine(request):
        text = _("rule files are added and removed only on the machine of the server")
        raise NotThisMachine(text)


def add_questions(app: FastAPI, scheduler: RequestScheduler) -> None:  # noqa: C901 (one function for each route)
    """The questions about a position or a game."""

    async def answered(
        query: str, body: schemas.RequestBody, request: Request
    ) -> AsciiJSONResponse:
        """The answer to a question, computed in a thread unless that would take longer."""
        fields = body.model_dump(exclude_none=True)
        if query == "odds":  # needs no table, and never waits
            return AsciiJSONResponse(await run_sync(scheduler.odds, fields))
        if scheduler.answers_at_once(query, fields):  # handing it to a thread would cost more
            return AsciiJSONResponse(scheduler.answer(query, fields, never_disconnected))
        leaves = disconnected(request)
        return AsciiJSONResponse(await run_sync(scheduler.answer, query, fields, leaves))

    @app.post("/api/hold", response_model=answer_types.HoldAnswer)
    async def hold(body: schemas.RollRequest, request: Request) -> AsciiJSONResponse:
        """Which dice to hold: every hold, best first, and what it loses."""
        return await answered("hold", body, request)

    @app.post("/api/score", response_model=answer_types.ScoreAnswer)
    async def score(body: schemas.RollRequest, request: Request) -> AsciiJSONResponse:
        """Which category to take: every category, best first. `rolls_left` are the rerolls given
        up.
        """
        return await answered("score", body, request)

    @app.post("/api/points", response_model=answer_types.PointsAnswer)
    def points(body: schemas.RollRequest) -> AsciiJSONResponse:
        """What each category that may be taken pays, without advice: needs no table, also for
        games without one.
        """
        return AsciiJSONResponse(scheduler.points(body.model_dump(exclude_none=True)))

    @app.post("/api/expect", response_model=answer_types.ExpectAnswer)
    async def expect(body: schemas.ExpectRequest, request: Request) -> AsciiJSONResponse:
        """The expected final score, its distribution, the chance of a goal or a win."""
        return await answered("expect", body, request)

    @app.post("/api/odds", response_model=answer_types.OddsAnswer)
    async def odds(body: schemas.OddsRequest, request: Request) -> AsciiJSONResponse:
        """The chance of each open category in one turn that is played for it alone."""
        return await answered("odds", body, request)

    @app.post("/api/outcomes", response_model=answer_types.OutcomesAnswer)
    async def outcomes(body: schemas.OutcomesRequest, request: Request) -> AsciiJSONResponse:
        """Every roll that may follow a hold: its chance, and the expected final score after it."""
        return await answered("outcomes", body, request)

    @app.post("/api/puzzle", response_model=answer_types.PuzzleAnswer)
    async def puzzle(body: schemas.PuzzleRequest, request: Request) -> AsciiJSONResponse:
        """A position to solve, the same for the same number. Ask `hold` or `score` for its
        solution.
        """
        return await answered("puzzle", body, request)

    @app.post("/api/review", response_model=answer_types.ReviewAnswer)
    def review(body: schemas.ReviewRequest, request: Request) -> AsciiJSONResponse:
        """A recorded game with a grade for each decision. `why` explains the worst of them."""
        game = read_game(body.game, scheduler.rules(name_of_rules(body.game)))
        check_player(game, body.player)
        strategy = scheduler.service.strategy(game.rules)
        is_long = len(game.turns) > limits.CHEAP_TURNS
        queue = scheduler.short if is_long else scheduler.cheap
        with queue.slot(disconnected(request)):
            return AsciiJSONResponse(explained_review(strategy, game, body.player, body.why))

    def by_address(
        query: str, model: type[schemas.RequestBody]
    ) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        async def ask(request: Request) -> Response:
            body = schemas.from_address(model, request.query_params.multi_items())
            answer = await answered(query, body, request)
            return cacheable(answer, request, explains=getattr(body, "explain", False))

        return ask

    for query, (model, answer) in ADDRESSES.items():
        app.get(
            f"/api/{query}",
            name=f"{query}_by_address",
            description=f"The same question as an address: the fields of `POST /api/{query}`, "
            "each as text. The answer is the same, and may be cached.",
            response_model=answer,
            openapi_extra={"parameters": schemas.address_parameters(model)},
        )(by_address(query, model))

    @app.post("/api/solve", response_class=StreamingResponse, responses=EVENTS)
    async def solve(body: schemas.SolveRequest) -> StreamingResponse:
        """Do the work that a question needs, confirmed by this request. Then ask the question
        again.
        """
        # refuses before any event
        work = await run_sync(scheduler.confirmed, body.model_dump(exclude_none=True))
        return StreamingResponse(work_events(work), media_type="text/event-stream")


def add_rule_sets(app: FastAPI, scheduler: RequestScheduler) -> None:
    """What can be asked about."""

    def answer_about(names: Sequence[str], lang: str) -> Content:
        """The rule sets of these names as `/api/rules` describes them."""
        rule_sets = [scheduler.rules(name) for name in names]
        named = [
            NamedRules(own_name(name) or rules.id, rules)
            for name, rules in zip(names, rule_sets, strict=True)
        ]
        with language_scope(lang):
            states = tuple(map(scheduler.state_text, rule_sets))
        return rule_sets_content(tuple(named), lang, states)

    @app.get("/api/rules", response_model=list[answer_types.RuleSetInfo])
    def rule_sets(
        request: Request,
        lang: Annotated[str, schemas.described("lang")] = ENGLISH,
        rules: Annotated[str | None, schemas.described("rules")] = None,
    ) -> Response:
        """The rule sets, with the boxes of each and the points they can hold, those of added files
        last. With `rules` it is one, with its switches.
        """
        names = scheduler.listed_rules() if rules is None else [rules]
        return answer_about(names, lang).response(request.headers)

    @app.post("/api/rules", response_model=list[answer_types.RuleSetInfo])
    def add_rules(
        body: schemas.RuleFileRequest,
        request: Request,
        lang: Annotated[str, schemas.described("lang")] = ENGLISH,
    ) -> Response:
        """Check a rule file and keep it. The answer is that of `GET /api/rules` about it: `id` is
        the name under which it is asked about. Only this machine may add files.
        """
        check_this_machine(request)
        with scheduler.cheap.slot(disconnected(request)):
            with error_context("text"):
                name = scheduler.own_rules.add(body.text, body.name, keep=body.keep)
            return answer_about([name], lang).response(request.headers)

    @app.delete("/api/rules/{rules}", response_model=answer_types.RemovedRules)
    def remove_rules(
        rules: Annotated[str, schemas.described("rules")], request: Request
    ) -> dict[str, Any]:
        """Remove a rule file that was added, and return its text. Only this machine may do that."""
        check_this_machine(request)
        if own_name(rules) != rules:
            raise unknown_rules(rules)
        return {"schema": ANSWER_SCHEMA, "text": scheduler.own_rules.remove(rules)}

    @app.get("/api/recorded", response_model=answer_types.RecordedRules)
    def recorded_rules(rules: Annotated[str, schemas.described("rules")]) -> dict[str, Any]:
        """The rules as the record of a game has them, such that a reader needs no other file."""
        return {"schema": ANSWER_SCHEMA, "rules": rules_to_json(scheduler.rules(rules))}

    @app.get("/api/scoring")
    def scoring(rules: Annotated[str, schemas.described("rules")]) -> dict[str, Any]:
        """What a browser needs to count points by itself: the rules as arrays, as in the file of
        a site.
        """
        from .site.folder import rule_data

        return rule_data(scheduler.rules(rules))

    @app.get("/api/languages")
    def known_languages() -> dict[str, str]:
        """Code and own name of the languages of `/api/rules`."""
        return languages()


def add_page(app: FastAPI) -> None:
    """The files of the page, as they are when the server starts."""
    files = page_files()

    async def page(request: Request) -> Response:
        return files[request.url.path.removeprefix("/")].response(request.headers)

    for name in files:
        app.add_route(f"/{name}", page, methods=["GET", "HEAD"])


class RequestScheduler:
    """Decides for each request whether it runs at once, is queued or is refused."""

    def __init__(
        self,
        tables: str | os.PathLike[str] | None,
        threads: int | None,
        cached_bytes: int = CACHED_BYTES,
    ) -> None:
        budget = limits.SERVER_BUDGET
        self.service = QueryService(tables, threads, budget=budget, cached_bytes=cached_bytes)
        self.own_rules = OwnRules(tables_folder(tables) / FOLDER)
        self.cheap = limits.ConcurrencyLimiter(limits.CHEAP_RUNNING, limits.CHEAP_QUEUED)
        self.short = limits.ConcurrencyLimiter(limits.SHORT_RUNNING, limits.SHORT_QUEUED)
        self.long = limits.ConcurrencyLimiter(limits.LONG_RUNNING, limits.LONG_QUEUED)

    def rules(self, spec: str) -> RuleSet:
        """Find a built-in rule set or that of an added file, with switches. No other file is read."""
        if RULES_PATTERN.fullmatch(spec):
            if own_name(spec):
                return self.own_rules.rules(spec)
            if spec.split("+")[0] in builtin_ids():
                return self.service.rules(spec)
        raise unknown_rules(spec)

    def listed_rules(self) -> list[str]:
        """Return the names of all rule sets, in the order of the page.

        A file that cannot be read any more is left out.
        """
        own = []
        for name in self.own_rules.names():
            with suppress(RulesError):
                self.own_rules.rules(name)
                own.append(name)
        return [*listed_rules(), *own]

    def answer(
        self, query: str, fields: dict[str, Any], is_disconnected: IsDisconnected
    ) -> dict[str, Any]:
        """The answer of :class:`perfect_yatzy.service.queries.QueryService` to a request."""
        decision = self.service.decide(parse_request({"query": query, **fields}, self.rules))
        self.service.check_unasked(decision.works)
        if not decision.seconds:
            return decision.run(None)
        with self.queue_of(decision).slot(is_disconnected):
            return decision.run(None)

    def answers_at_once(self, query: str, fields: dict[str, Any]) -> bool:
        """Whether a question takes less time than handing it to a thread."""
        plain = query in ("hold", "score") and not fields["explain"]
        if not plain or OBJECTIVE_FIELDS & {*fields}:
            return False
        spec = fields["rules"]
        rules = self.service.known_rules(spec) or self.own_rules.known_rules(spec)
        return rules is not None and self.service.is_prepared(rules)

    def queue_of(self, decision: Decision) -> limits.ConcurrencyLimiter:
        """The queue of what a decision costs: nothing waits behind what costs more."""
        works = sum(work.seconds for work in decision.works)
        if decision.seconds <= PUZZLE_SECONDS and works <= limits.CHEAP_WORK_SECONDS:
            return self.cheap
        return self.short if decision.seconds < limits.SERVER_BUDGET.instant_seconds else self.long

    def points(self, fields: dict[str, Any]) -> dict[str, Any]:
        """What each box pays for a roll, in the order of the card: needs no table and solves
        nothing.
        """
        of_score = {name: value for name, value in fields.items() if name not in OBJECTIVE_FIELDS}
        request = parse_request({"query": "score", **of_score}, self.rules)
        position = start_turn(request.rules, request.card, request.dice, request.rolls_left)
        boxes = [
            {"category": box, "points": points, "bonus_points": bonus}
            for box, (points, bonus) in position.categories().items()
        ]
        head = answer_head(request) | {"query": "points"} | picked(request, "dice", "rolls_left")
        return with_echo(head | {"categories": boxes}, request.echo)

    def odds(self, fields: dict[str, Any]) -> dict[str, Any]:
        """The odds of the open categories in one turn: needs no table."""
        return answer_to_odds(fields, self.rules)

    def confirmed(self, fields: dict[str, Any]) -> Solve:
        """Check a question, and return a function that does the work for it."""
        if fields["query"] == "review":  # needs the table and nothing else
            rules = name_of_rules(fields.get("game"))
            fields = {"query": "expect", "rules": rules, "spread": False}
        request = parse_request(fields, self.rules)
        self.service.decide(request).works  # noqa: B018 (what is beyond the limits is refused at once)

        def work(report: Report, is_disconnected: IsDisconnected) -> None:
            with self.long.slot(is_disconnected):
                decision = self.service.decide(request)  # another client may have done the work
                decision.run(WorkProgress(decision.works, report))

        return work

    def state_text(self, rules: RuleSet) -> str:
        """What depends on the tables, as a JSON object: whether plain questions need no
        confirmation, by which strategy, the cost if they do, and the reason if it is beyond the
        limits.
        """
        try:
            works = self.service.mean_works(rules)
        except RulesError as error:
            state: dict[str, Any] = {"solved": False, "cost": None, "reason": str(error)}
        else:
            state = {"solved": not self.service.budget.needs_confirmation(works)}
            if not state["solved"]:
                state["cost"] = cost_json(works)
            elif opens_approximate(rules, self.service.settings.tables):
                state["approximate"] = True
        return json.dumps(state, separators=(",", ":"))


def unknown_rules(spec: str) -> RulesError:
    """Return the error for rules that are neither built in nor those of an added file."""
    text = _(
        "unknown rules {spec!r}; must be one of {known}",
        spec=spec[:80],
        known=", ".join(builtin_ids()),
    )
    return RulesError(text, code="unknown-rules")


def name_of_rules(game: Any) -> str:
    """Return the name of the rules of a recorded game."""
    spec = game.get("rules") if isinstance(game, dict) else None
    if not isinstance(spec, str):
        raise StateError(
            _("the game has no rules that are known here; add its rule file first"),
            field="game",
        )
    return spec


def event_schema(name: str, data: dict[str, Any]) -> dict[str, Any]:
    """JSON Schema of a server-sent event whose data is JSON."""
    text = {"type": "string", "contentMediaType": "application/json", "contentSchema": data}
    return {
        "type": "object",
        "properties": {"event": {"const": name}, "data": text},
        "required": ["event", "data"],
    }


def _event_text(event: str, data: dict[str, Any]) -> bytes:
    return f"event: {event}\ndata: {json.dumps(data)}\n\n".encode()


async def work_events(solve: Solve) -> AsyncIterator[bytes]:  # noqa: C901 (callbacks of one thread)
    """Run `solve` in a thread and yield its events. If the iteration is given up, the work
    stops.
    """
    loop = asyncio.get_running_loop()
    stopped = Event()  # the client has left
    queue: asyncio.Queue[bytes | None] = asyncio.Queue()  # events, and None after the last one
    last_report = 0.0  # when progress was reported last

    def put(message: bytes | None) -> None:
        if not stopped.is_set():  # the loop may be gone otherwise
            loop.call_soon_threadsafe(queue.put_nowait, message)

    def report(done: float, seconds_left: float) -> None:
        nonlocal last_report
        if stopped.is_set():
            raise Cancelled(_("the client has left"))
        if time.monotonic() - last_report >= EVENT_SECONDS:
            last_report = time.monotonic()
            data = {"done": round(done, 4), "seconds_left": round(seconds_left, 1)}
            put(_event_text("progress", data))

    def work() -> None:
        try:
            solve(report, stopped.is_set)
            put(_event_text("done", {}))
        except SolverError as error:
            put(_event_text("error", answer_types.error_answer(error)))
        except Exception as error:
            traceback.print_exc()
            message = f"this is a bug: {type(error).__name__}: {error}"
            bug = SolverError(message, code="internal-error")
            put(_event_text("error", answer_types.error_answer(bug)))
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
