"""The JSON API of the page, and the page: answers are those of :mod:`solver.queries`.

Every answer is computed in a worker thread, so the event loop never waits; strategies are opened once. Only built-in
rule sets are served, and only those whose table is there or made in seconds.
"""

from __future__ import annotations

import os
from importlib.resources import files
from math import factorial, prod
from threading import Lock
from typing import Any

import numpy as np
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response

from .. import __version__
from ..advice import Strategy
from ..errors import RulesError, SolverError, StateError
from ..facts import facts
from ..languages import localized
from ..notation import counts_of, dice_of
from ..queries import Desk, read_card
from ..record import read_game
from ..review import review
from ..rulefile import builtin_ids, load_rules
from ..rules import RuleSet
from ..states import possible_points, state_space
from ..store import has_table
from ..views.review import review_json
from .guard import Guard
from .models import Dice, Expect, Outcomes, Record

LOCAL = frozenset({"127.0.0.1", "localhost", "[::1]"})
MOST_SECONDS = 5.0  # a rule set without a table is solved on request if that takes no longer
PAGE = {"": "index.html", "app.js": "app.js", "style.css": "style.css"}
TYPES = {"html": "text/html", "js": "text/javascript", "css": "text/css"}


class Office:
    """The one desk behind all requests; a strategy is opened by one thread while the others wait."""

    def __init__(self, tables: str | os.PathLike[str] | None, threads: int | None) -> None:
        self.desk = Desk(tables, threads)
        self.lock = Lock()

    def rules(self, spec: str) -> RuleSet:
        """A built-in rule set."""
        if spec.split("+")[0] not in builtin_ids():
            raise RulesError(f"unknown rules {spec!r}; the page knows {', '.join(builtin_ids())}")
        return self.desk.rules(spec)

    def strategy(self, rules: RuleSet) -> Strategy:
        """Its strategy."""
        with self.lock:
            if not has_table(rules, self.desk.tables):
                seconds = facts(rules).seconds
                if seconds > MOST_SECONDS:
                    long = f"{rules.key} takes about {seconds:.0f} s to solve"
                    raise RulesError(f"{long}; first run: yatzy solve {rules.key}")
            return self.desk.strategy(rules)

    def answer(self, query: str, asked: dict[str, Any]) -> dict[str, Any]:
        """The answer to a request of :mod:`solver.queries`."""
        rules = self.rules(asked["rules"])
        state_space(rules).check(read_card(rules, asked).state)
        self.strategy(rules)
        if asked.get("goal") is not None or asked.get("opponents") is not None:
            with self.lock:  # solving for an aim uses all processors anyway
                return self.desk.answer({"query": query, **asked})
        return self.desk.answer({"query": query, **asked})


def create_app(
    tables: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    hosts: frozenset[str] = LOCAL,
) -> FastAPI:
    """The application.

    Parameters
    ----------
    tables, threads
        As for :func:`solver.advice.open_strategy`.
    hosts
        Host names it answers to.
    """
    app = FastAPI(
        title="perfect-yatzy",
        version=__version__,
        summary="Optimal play for Yatzy and its relatives, exactly",
        docs_url=None,  # those pages load scripts from elsewhere
        redoc_url=None,
        openapi_url="/api/openapi.json",
    )
    office = Office(tables, threads)

    @app.exception_handler(SolverError)
    async def refused(request: Request, error: SolverError) -> JSONResponse:
        status = 422 if isinstance(error, (StateError, RulesError)) else 500
        return JSONResponse({"error": str(error)}, status)

    @app.exception_handler(RequestValidationError)
    async def unreadable(request: Request, error: RequestValidationError) -> JSONResponse:
        # Without what was sent: that may be what no JSON can say, such as an infinity.
        faults = (f"{'.'.join(map(str, fault['loc'][1:]))}: {fault['msg']}" for fault in error.errors())
        return JSONResponse({"error": "; ".join(faults)}, 422)

    @app.get("/api/rules")
    def rule_sets(lang: str = "en") -> list[dict[str, Any]]:
        """The rule sets, with the boxes of each and the points they can hold."""
        return [describe(localized(load_rules(name), lang)) for name in builtin_ids() if name != "giant-forced"]

    @app.post("/api/hold")
    def hold(asked: Dice) -> dict[str, Any]:
        """Which dice to hold: every hold, best first, and what it loses."""
        return office.answer("hold", asked.model_dump(exclude_none=True))

    @app.post("/api/score")
    def score(asked: Dice) -> dict[str, Any]:
        """Which category to take."""
        return office.answer("score", asked.model_dump(exclude_none=True))

    @app.post("/api/expect")
    def expect(asked: Expect) -> dict[str, Any]:
        """The expected final score, its distribution, the chance of a goal or a win."""
        return office.answer("expect", asked.model_dump(exclude_none=True))

    @app.post("/api/outcomes")
    def outcomes(asked: Outcomes) -> dict[str, Any]:
        """Every roll that may follow a hold: its chance, and what the game is worth then under best play."""
        return next_rolls(office, asked)

    @app.post("/api/review")
    def graded(asked: Record) -> dict[str, Any]:
        """A recorded game, every decision graded."""
        game = read_game({**asked.game, "rules": office.rules(str(asked.game.get("rules"))).spec})
        if asked.player >= len(game.players):
            raise StateError(f"player is {asked.player}; there are {len(game.players)}")
        return review_json(game.rules, review(office.strategy(game.rules), game, asked.player))

    @app.get("/", include_in_schema=False)
    @app.get("/{name}", include_in_schema=False)
    def page(name: str = "") -> Response:
        if name not in PAGE:
            return JSONResponse({"error": "there is no such page"}, 404)
        content = files(__package__).joinpath("static", PAGE[name]).read_bytes()
        return Response(content, media_type=TYPES[PAGE[name].rpartition(".")[2]] + "; charset=utf-8")

    app.add_middleware(Guard, hosts=hosts)
    return app


def describe(rules: RuleSet) -> dict[str, Any]:
    """A rule set as the page needs it."""
    points = possible_points(rules)
    return {
        "id": rules.key,
        "name": rules.name,
        "summary": rules.summary,
        "dice": rules.dice,
        "faces": rules.faces,
        "rolls": rules.rolls,
        "forced": rules.order == "forced",
        "saved_rolls": rules.saved_rolls,
        "bonus": {"threshold": rules.bonus.threshold, "points": rules.bonus.points} if rules.bonus else None,
        "categories": [
            {"id": c.id, "name": c.name, "upper": c.upper, "points": held}
            for c, held in zip(rules.categories, points, strict=True)
        ],
    }


def next_rolls(office: Office, asked: Outcomes) -> dict[str, Any]:
    """The map of the next roll after a hold."""
    rules = office.rules(asked.rules)
    card = read_card(rules, asked.model_dump(include={"card", "saved", "extra"}))
    if len(asked.hold) > rules.dice or any(face > rules.faces for face in asked.hold):
        raise StateError(f"{asked.hold} cannot be held; {rules.key} has {rules.dice} dice")
    strategy = office.strategy(rules)
    state = strategy.state(card)
    left = asked.rolls_left - 1
    if state.filled == rules.full or asked.rolls_left > strategy.most_rerolls(state):
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
                "expected_final": card.total + float(worth[roll]),
            }
        )
    found.sort(key=lambda entry: -entry["expected_final"])
    mean = sum(entry["chance"] * entry["expected_final"] for entry in found)
    return {"schema": 1, "hold": asked.hold, "expected_final": mean, "outcomes": found}


def multinomial(counts: list[int]) -> int:
    """Orders in which such dice may fall."""
    return factorial(sum(counts)) // prod(map(factorial, counts))
