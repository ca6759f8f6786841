"""The questions as tools for agents, by the Model Context Protocol over standard input and output
(`yatzy mcp`).

Requests and answers are those of the HTTP API: the same models, the same fields, the same service.
As in the command, rule files are read, and a missing table of a game is solved and stored.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import anyio
from anyio.to_thread import run_sync
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp_types import CallToolResult, ListToolsResult, TextContent, Tool
from pydantic import TypeAdapter

from .._version import ANSWER_SCHEMA, __version__
from ..errors import SolverError, StateError
from ..game.rule_loader import builtin_ids
from ..play.record import read_game
from ..service import answer_types
from ..service.answers import answer_to_odds, picked
from ..service.queries import QueryService
from ..service.reviews import check_player, explained_review
from ..words import _
from . import schemas
from .static_files import rule_set_json

INSTRUCTIONS = (
    "Exact answers about Yatzy and its relatives. A card is text such as 'ones=3 sixes=24', dice are "
    "text such as '33456', and rules are the id of a rule set (ask the tool rules). Values are expected "
    "final scores under perfect play."
)


class RulesRequest(schemas.RequestBody):
    """Which rule set. Without one, all of them are listed."""

    rules: Annotated[
        str | None, schemas.described("rules", max_length=schemas.limits.MAX_NAME_TEXT)
    ] = None


RulesAnswer = answer_types.record(
    "RulesAnswer",
    "The rule sets: of one all boxes, of all the id, the name and what is special.",
    {"schema": (int, "Version of the form of answers"), "rule_sets": (list[dict[str, Any]], "")},
)


def review_answer(service: QueryService, fields: dict[str, Any]) -> dict[str, Any]:
    """The review of a recorded game."""
    game = read_game(fields["game"])
    check_player(game, fields["player"])
    strategy = service.strategy(game.rules)
    return explained_review(strategy, game, fields["player"], fields["why"])


def rules_answer(service: QueryService, fields: dict[str, Any]) -> dict[str, Any]:
    """One rule set with its boxes, or the list of all."""
    if "rules" in fields:
        rule_sets = [rule_set_json(service.rules(fields["rules"]))]
    else:
        listed = map(service.rules, builtin_ids())
        rule_sets = [{"id": rules.key} | picked(rules, "name", "summary") for rules in listed]
    return {"schema": ANSWER_SCHEMA, "rule_sets": rule_sets}


Answer = Callable[[QueryService, dict[str, Any]], dict[str, Any]]


@dataclass(frozen=True)
class Question:
    """A tool: what it tells, the forms of its request and of its answer, and how it is answered."""

    text: str
    request: type[schemas.RequestBody]
    answer_type: Any
    answer: Answer


def position_answer(query: str) -> Answer:
    """A function that asks the service a question about a position."""
    return lambda service, fields: service.answer({"query": query, **fields})


QUESTIONS = {
    "hold": Question(
        "Which dice to hold after a roll: every hold, best first, and what it loses.",
        schemas.RollRequest,
        answer_types.HoldAnswer,
        position_answer("hold"),
    ),
    "score": Question(
        "Which category to take for a roll: every open category, best first, and what it loses.",
        schemas.RollRequest,
        answer_types.ScoreAnswer,
        position_answer("score"),
    ),
    "expect": Question(
        "The expected final score from a card on, its distribution, the chance of a goal or a win.",
        schemas.ExpectRequest,
        answer_types.ExpectAnswer,
        position_answer("expect"),
    ),
    "odds": Question(
        "The chance of each open category in one turn that is played for it alone.",
        schemas.OddsRequest,
        answer_types.OddsAnswer,
        lambda service, fields: answer_to_odds(fields, service.rules),
    ),
    "review": Question(
        "A recorded game with a grade for each decision, its luck and its errors.",
        schemas.ReviewRequest,
        answer_types.ReviewAnswer,
        review_answer,
    ),
    "rules": Question(
        "The rule sets; or one, with switches or from a file: its boxes and the points they can hold.",
        RulesRequest,
        RulesAnswer,
        rules_answer,
    ),
}


def answered(service: QueryService, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The answer to a call of a tool. Raises SolverError."""
    if name not in QUESTIONS:
        text = _("there is no tool {name}; the tools: {known}")
        raise StateError(text.format(name=schemas.abbreviated(name), known=", ".join(QUESTIONS)))
    question = QUESTIONS[name]
    body = schemas.checked(question.request, arguments, "arguments")
    return question.answer(service, body.model_dump(exclude_none=True))


def tools() -> list[Tool]:
    """The tools with the JSON Schema of their requests and answers."""
    return [
        Tool(
            name=name,
            description=question.text,
            input_schema=question.request.model_json_schema(),
            output_schema=TypeAdapter(question.answer_type).json_schema(),
        )
        for name, question in QUESTIONS.items()
    ]


def server(service: QueryService) -> Server[Any]:
    """The server of the tools. Calls are answered in threads, so that it can read further ones meanwhile."""
    listed = tools()

    async def list_tools(_context: object, _params: object) -> ListToolsResult:
        return ListToolsResult(tools=listed)

    async def call_tool(_context: object, params: Any) -> CallToolResult:
        try:
            answer = await run_sync(answered, service, params.name, params.arguments or {})
        except SolverError as error:
            return CallToolResult(
                content=[TextContent(type="text", text=str(error))], is_error=True
            )
        text = json.dumps(answer)
        # as JSON has it: lists for tuples
        return CallToolResult(
            content=[TextContent(type="text", text=text)], structured_content=json.loads(text)
        )

    return Server(
        "perfect-yatzy",
        version=__version__,
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def serve_tools(service: QueryService) -> None:
    """Answer calls on standard input until it ends."""

    async def serve() -> None:
        tool_server = server(service)
        options = tool_server.create_initialization_options()
        async with stdio_server() as (read, write):
            await tool_server.run(read, write, options)

    anyio.run(serve)
