"""The JSON API of the page, and the page: answers are those of :mod:`perfect_yatzy.service.queries`.

Every answer is computed in a worker thread, so the event loop never waits. Only built-in rule sets are served, and
only those whose table is there or made in seconds.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from importlib.resources import files
from math import factorial, prod
from typing import Annotated, Any

import numpy as np
from anyio import from_thread
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException

from .._version import __version__
from ..errors import RulesError, SolverError, StateError
from ..game.notation import counts_of, dice_of
from ..game.points import possible_points
from ..game.rule_loader import builtin_ids, load_rules
from ..game.rules import RuleSet
from ..game.translations import ENGLISH, languages, localized
from ..play.record import Game, read_game
from ..play.review import action_outlook, review
from ..service.answers import review_json
from ..service.queries import SCHEMA, read_card
from .middleware import MAX_BODY, RequestFilter
from .schemas import Dice, Expect, Outcomes, Record, Refusal, about, fault_text
from .workers import BusyError, ClientDisconnected, Gone, RequestScheduler

LOCAL = frozenset({"127.0.0.1", "localhost", "[::1]"})
SCRIPTS = ("app", "ask", "parts", "state", "card", "dice", "advice", "expect", "review")
PAGE = {"index.html", "style.css", *(f"{name}.js" for name in SCRIPTS)}
TYPES = {"html": "text/html", "js": "text/javascript", "css": "text/css"}
TOO_LARGE = {"giant-forced"}  # for the page: twenty dice on the table, and no advice in the blink of an eye
MIN_EXPLAINED_LOSS = 0.05  # points; smaller errors are not explained
REFUSALS = {
    413: f"The request is larger than {MAX_BODY} bytes",
    421: "The request names a host that this server is not",
    422: "The request cannot be read, or speaks of an impossible position or unknown rules",
    429: "Too many requests in a short time",
    503: "Too many long questions are waiting",
}


class Plain(JSONResponse):
    """JSON in ASCII: half a surrogate pair in a name is no reason to stumble.

    Handlers return it ready-made: FastAPI would first walk through each answer to find what is no JSON.
    """

    def render(self, content: Any) -> bytes:
        """The bytes of the answer."""
        return json.dumps(content, allow_nan=False, separators=(",", ":")).encode()


def create_app(
    tables: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    hosts: frozenset[str] = LOCAL,
    addresses: bool = False,
) -> FastAPI:
    """The application.

    Parameters
    ----------
    tables, threads
        As for :func:`perfect_yatzy.strategy.strategy.open_strategy`.
    hosts
        Host names it answers to.
    addresses
        Whether it answers to any IP address as well, as a server that is open to the network has to.
    """
    app = FastAPI(
        title="perfect-yatzy",
        version=__version__,
        summary="Optimal play for Yatzy and its relatives, exactly",
        docs_url=None,  # those pages load scripts from elsewhere
        redoc_url=None,
        openapi_url="/api/openapi.json",
        default_response_class=Plain,
        responses={status: {"model": Refusal, "description": why} for status, why in REFUSALS.items()},
    )
    office = RequestScheduler(tables, threads)

    def refusal(status: int, why: str) -> Plain:
        return Plain({"schema": SCHEMA, "error": why}, status)

    @app.exception_handler(SolverError)
    async def refused(request: Request, error: SolverError) -> JSONResponse:
        if isinstance(error, BusyError | ClientDisconnected):
            return refusal(503, str(error))
        return refusal(422 if isinstance(error, StateError | RulesError) else 500, str(error))

    @app.exception_handler(RequestValidationError)
    async def unreadable(request: Request, error: RequestValidationError) -> JSONResponse:
        return refusal(422, fault_text(error.errors(), error.body))

    @app.exception_handler(HTTPException)
    async def absent(request: Request, error: HTTPException) -> JSONResponse:
        why = {404: f"there is no {request.url.path}", 405: f"{request.url.path} does not take {request.method}"}
        return refusal(error.status_code, why.get(error.status_code, str(error.detail)))

    def waiting(request: Request) -> Gone:
        return lambda: from_thread.run(request.is_disconnected)

    @app.get("/api/rules")
    def rule_sets(
        lang: Annotated[str, about("lang")] = ENGLISH, rules: Annotated[str | None, about("rules")] = None
    ) -> list[dict[str, Any]]:
        """The rule sets, with the boxes of each and the points they can hold; or one, with switches."""
        if rules is not None:
            return [describe(localized(office.rules(rules), lang))]
        return [describe(localized(load_rules(name), lang)) for name in builtin_ids() if name not in TOO_LARGE]

    @app.get("/api/languages")
    def known_languages() -> dict[str, str]:
        """Code and own name of the languages of `/api/rules`."""
        return languages()

    @app.post("/api/hold", response_model=dict[str, Any])
    def hold(asked: Dice, request: Request) -> Plain:
        """Which dice to hold: every hold, best first, and what it loses."""
        return Plain(office.answer("hold", asked.model_dump(exclude_none=True), waiting(request)))

    @app.post("/api/score", response_model=dict[str, Any])
    def score(asked: Dice, request: Request) -> Plain:
        """Which category to take; `rolls_left` are those given up by taking one now."""
        return Plain(office.answer("score", asked.model_dump(exclude_none=True), waiting(request)))

    @app.post("/api/expect", response_model=dict[str, Any])
    def expect(asked: Expect, request: Request) -> Plain:
        """The expected final score, its distribution, the chance of a goal or a win."""
        return Plain(office.answer("expect", asked.model_dump(exclude_none=True), waiting(request)))

    @app.post("/api/outcomes", response_model=dict[str, Any])
    def outcomes(asked: Outcomes) -> Plain:
        """Every roll that may follow a hold: its chance, and what the game is worth then under best play."""
        return Plain(next_rolls(office, asked))

    @app.post("/api/review", response_model=dict[str, Any])
    def graded(asked: Record, request: Request) -> Plain:
        """A recorded game, every decision graded; on request what the worst of them lead to, and the best instead."""
        spec = asked.game.get("rules")
        if not isinstance(spec, str):
            raise StateError("the game names no rules; `rules` is the id of a built-in rule set")
        game = read_game({**asked.game, "rules": office.rules(spec).spec})
        if asked.player >= len(game.players):
            raise StateError(f"player is {asked.player}; there are {len(game.players)}")
        return Plain(reviewed(office, game, asked, waiting(request)))

    @app.api_route("/", methods=["GET", "HEAD"], include_in_schema=False)
    @app.api_route("/{name}", methods=["GET", "HEAD"], include_in_schema=False)
    def page(name: str = "index.html") -> Response:
        if name not in PAGE:
            raise HTTPException(404)
        content = files(__package__).joinpath("static", name).read_bytes()
        return Response(content, media_type=TYPES[name.rpartition(".")[2]] + "; charset=utf-8")

    app.add_middleware(RequestFilter, hosts=hosts, addresses=addresses)
    return app


def reviewed(office: RequestScheduler, game: Game, asked: Record, gone: Gone) -> dict[str, Any]:
    """The review of a game, with the prospects of its worst decisions."""
    strategy = office.desk.strategy(game.rules)
    with office.short.passed(gone):  # some tenths of a second
        found = review(strategy, game, asked.player)
        answer = review_json(game.rules, found)
        worst = sorted((d for d in found.decisions if d.loss >= MIN_EXPLAINED_LOSS), key=lambda d: -d.loss)[
            : asked.why
        ]
        for decision in worst:
            entry = answer["decisions"][found.decisions.index(decision)]
            for which, action in (("done", decision.done), ("best", decision.best)):
                entry[which]["prospect"] = asdict(action_outlook(strategy, decision, action))
        return answer


def describe(rules: RuleSet) -> dict[str, Any]:
    """A rule set as the page needs it."""
    points = possible_points(rules)
    return {
        "id": rules.key,
        "base": rules.id,
        "name": rules.name,
        "summary": rules.summary,
        "dice": rules.dice,
        "faces": rules.faces,
        "switches": [{"id": switch.id, "summary": switch.summary} for switch in rules.switches],
        "active": list(rules.active_switches),
        "bonus_points": bool(rules.joker and rules.joker.bonus) or bool(rules.first_roll_bonus),
        "rolls": rules.rolls_per_turn,
        "forced": rules.order == "forced",
        "saved_rolls": rules.saved_rolls,
        "bonus": {"threshold": rules.bonus.threshold, "points": rules.bonus.points} if rules.bonus else None,
        "categories": [
            {"id": c.id, "name": c.name, "upper": c.upper, "points": held}
            for c, held in zip(rules.categories, points, strict=True)
        ],
    }


def next_rolls(office: RequestScheduler, asked: Outcomes) -> dict[str, Any]:
    """The map of the next roll after a hold."""
    rules = office.rules(asked.rules)
    card = read_card(rules, asked.model_dump(include={"card", "saved", "bonus_points"}))
    if len(asked.hold) > rules.dice or any(face > rules.faces for face in asked.hold):
        raise StateError(f"{asked.hold} cannot be held; {rules.key} has {rules.dice} dice")
    strategy = office.desk.strategy(rules)
    state = strategy.state(card)
    left = asked.rolls_left - 1
    if state.filled == rules.full_mask or asked.rolls_left > strategy.most_rerolls(state):
        raise StateError(f"{asked.rolls_left} rolls left; it is at most {strategy.most_rerolls(state)}")
    evaluator, grid = strategy.evaluator, strategy.evaluator.dice
    worth = evaluator.category_values(state, left if rules.saved_rolls else 0).max(axis=0)
    if left:
        worth = np.maximum(worth, evaluator.passes.best_within(evaluator.hold_values(state, left)))
    held = np.array(counts_of(rules, asked.hold))
    rest = rules.dice - len(asked.hold)
    found: list[dict[str, Any]] = []
    for i in range(int(grid.first[rest]), int(grid.first[rest + 1])):
        roll = int(grid.rank(held + grid.counts[i])) - grid.first_roll
        ways = multinomial(grid.counts[i].tolist())
        found.append(
            {
                "rolled": list(dice_of(grid.counts[i].tolist())),
                "chance": ways / rules.faces**rest,
                "expected_final_score": card.total + float(worth[roll]),
            }
        )
    found.sort(key=lambda entry: -entry["expected_final_score"])
    mean = sum(entry["chance"] * entry["expected_final_score"] for entry in found)
    return {"schema": SCHEMA, "hold": asked.hold, "expected_final_score": mean, "outcomes": found}


def multinomial(counts: list[int]) -> int:
    """Orders in which such dice may fall."""
    return factorial(sum(counts)) // prod(map(factorial, counts))
