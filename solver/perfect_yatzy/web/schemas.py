"""The requests and errors of the API as pydantic models, for validation and for
`/api/openapi.json`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from functools import cache
from itertools import islice
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from ..errors import StateError
from ..game.limits import MAX_CARD_TEXT
from ..strategy.tie_rules import TIE_RULES
from ..words import _
from . import limits

# What each field must be: for the description of the API and for error messages.
FIELDS = {
    "query": "the question: 'hold', 'score', 'expect', 'outcomes', 'puzzle' or 'review'",
    "rules": "the name of a rule set, built-in or added, with switches, such as 'yatzy' or 'yatzy+four-is-two-pairs'",
    "card": "the filled boxes: text such as 'ones=3 sixes=24', or an object such as {\"ones\": 3}",
    "saved": "the saved rolls at the start of this turn, a whole number from 0 to 100",
    "bonus_points": "the bonus points so far (jokers, first rolls), a whole number from 0 to 99999",
    "id": "text or a whole number, returned as it is",
    "goal": "a final score to reach, a whole number from 0 to 99999",
    "opponents": "final scores or cards of the opponents, as text such as '251; ones=3 sixes=24', or as a list",
    "versus": "the card of an opponent who sees yours and plays to win, too, as text such as 'ones=3 sixes=24'",
    "ties": f"what a tie counts: {', '.join(map(repr, TIE_RULES))}; by default the first",
    "field": "a number of opponents whose cards are not seen, perhaps with their policy, such as '100:level:3'",
    "places": "with a field: of how many best places one is to be taken, a whole number from 1 to 1000",
    "dice": "the dice on the table: text such as '33456', or a list of faces",
    "rolls_left": "the rerolls left, a whole number from 0 to 100",
    "explain": "true or false: whether to say what the two best options lead to",
    "seed": "the number of a puzzle, a whole number from 0",
    "date": "the day of a puzzle, such as '2026-11-20'; by default today",
    "difficulty": "'easy', 'medium' (the default) or 'hard'",
    "spread": "true or false: whether to add the exact distribution",
    "hold": "the dice held: text or a list of faces",
    "game": "one line of a record of `yatzy play`, as an object",
    "player": "the index of the player to review, from 0",
    "why": "how many of the worst decisions to explain, from 0 to 50",
    "lang": "the code of a language",
    "text": "the text of a rule file, as the option --rules of the command takes it",
    "name": "what messages call the rule file",
    "keep": "true (the default) or false: whether the rule file is stored and listed",
}
BODY = "the body must be a JSON object, sent as application/json"
MAX_SHOWN = 60  # characters of a wrong value in a message

Integer = Annotated[int, Field(strict=True)]
Face = Annotated[Integer, Field(ge=1, le=12)]
Points = Annotated[Integer, Field(ge=0, le=99_999)]
Card = Annotated[dict[str, Points], Field(max_length=limits.MAX_ENTRIES)]
CardText = Annotated[str, Field(max_length=MAX_CARD_TEXT)]
OpponentsText = Annotated[str, Field(max_length=limits.MAX_OPPONENT_TEXT)]
Opponents = (
    OpponentsText | Annotated[list[Integer | OpponentsText], Field(max_length=limits.MAX_ENTRIES)]
)
FieldText = Annotated[str, Field(max_length=limits.MAX_NAME_TEXT)]
RequestId = Annotated[str, Field(max_length=limits.MAX_NAME_TEXT)] | Integer


def described(name: str, **bounds: Any) -> Any:
    """The description of a field, with its limits."""
    return Field(description=FIELDS[name], **bounds)


class RequestBody(BaseModel):
    """An object with known fields."""

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def check_size(cls, body: Any) -> Any:
        """Refuse very many fields or entries before pydantic makes an error for each of them."""
        if not isinstance(body, dict):
            return body
        if len(body) > limits.MAX_FIELDS:
            raise ValueError(
                f"the body has {len(body)} fields; at most {limits.MAX_FIELDS} are allowed"
            )
        # The game of a review may be longer, but not its list of players.
        limited = [(name, value) for name, value in body.items() if name != "game"]
        game = body.get("game")
        if isinstance(game, dict):
            limited.append(("players", game.get("players")))
        for name, value in limited:
            if isinstance(value, list | dict) and len(value) > limits.MAX_ENTRIES:
                message = f"{abbreviated(name)} has {len(value)} entries"
                raise ValueError(f"{message}; at most {limits.MAX_ENTRIES} are allowed")
        return body


class CardRequest(RequestBody):
    """A scorecard during a game."""

    rules: Annotated[str, described("rules", max_length=limits.MAX_NAME_TEXT)] = "yatzy"
    card: Annotated[Card | CardText, described("card", default_factory=dict)]
    saved: Annotated[Integer, described("saved", ge=0, le=100)] = 0
    bonus_points: Annotated[Points, described("bonus_points")] = 0
    id: Annotated[RequestId | None, described("id")] = None


class ObjectiveFields(CardRequest):
    """A scorecard, and what is maximised instead of the expected score."""

    goal: Annotated[Points | None, described("goal")] = None
    opponents: Annotated[Opponents | None, described("opponents")] = None
    versus: Annotated[str | None, described("versus", max_length=limits.MAX_OPPONENT_TEXT)] = None
    ties: Annotated[Literal[*TIE_RULES] | None, described("ties")] = None  # type: ignore[valid-type]
    places: Annotated[Integer | None, described("places", ge=1, le=1000)] = None
    field: Annotated[Integer | FieldText | None, described("field")] = None


class RollRequest(ObjectiveFields):
    """A scorecard, and the dice on the table."""

    dice: Annotated[list[Face] | str, described("dice", max_length=limits.MAX_DICE)]
    rolls_left: Annotated[Integer | None, described("rolls_left", ge=0, le=100)] = None
    explain: Annotated[bool, described("explain", strict=True)] = False


class ExpectRequest(ObjectiveFields):
    """A scorecard at the start of a turn."""

    spread: Annotated[bool, described("spread", strict=True)] = True


class OddsRequest(CardRequest):
    """A scorecard, and the dice on the table. Without dice it is before the first roll."""

    dice: Annotated[list[Face] | str | None, described("dice", max_length=limits.MAX_DICE)] = None
    rolls_left: Annotated[Integer | None, described("rolls_left", ge=0, le=100)] = None


class OutcomesRequest(CardRequest):
    """A scorecard, and the dice held before a reroll."""

    hold: Annotated[list[Face] | str, described("hold", max_length=limits.MAX_DICE)]
    rolls_left: Annotated[
        Integer | None,
        Field(ge=1, le=100, description="the rerolls left before this one, from 1; default: all"),
    ] = None


class PuzzleRequest(RequestBody):
    """Which puzzle: by its number, or by a day."""

    rules: Annotated[str, described("rules", max_length=limits.MAX_NAME_TEXT)] = "yatzy"
    seed: Annotated[Integer | None, described("seed", ge=0, le=limits.MAX_SEED)] = None
    date: Annotated[str | None, described("date", max_length=limits.MAX_NAME_TEXT)] = None
    difficulty: Annotated[Literal["easy", "medium", "hard"], described("difficulty")] = "medium"
    id: Annotated[RequestId | None, described("id")] = None


class ReviewRequest(RequestBody):
    """A game as `yatzy play` records it."""

    game: Annotated[dict[str, Any], described("game")]
    player: Annotated[Integer, described("player", ge=0, le=63)] = 0
    why: Annotated[Integer, described("why", ge=0, le=50)] = 0


class RuleFileRequest(RequestBody):
    """A rule file, to be checked and kept."""

    text: Annotated[str, described("text")]
    name: Annotated[str, described("name", max_length=limits.MAX_NAME_TEXT)] = "rules.toml"
    keep: Annotated[bool, described("keep", strict=True)] = True


class SolveRequest(ObjectiveFields):
    """A question that waits for a confirmation, with all its fields: confirmed by this request."""

    query: Annotated[
        Literal["hold", "score", "expect", "outcomes", "puzzle", "review"], described("query")
    ]
    dice: Annotated[list[Face] | str | None, described("dice", max_length=limits.MAX_DICE)] = None
    rolls_left: Annotated[Integer | None, described("rolls_left", ge=0, le=100)] = None
    explain: Annotated[bool | None, described("explain", strict=True)] = None
    spread: Annotated[bool | None, described("spread", strict=True)] = None
    hold: Annotated[list[Face] | str | None, described("hold", max_length=limits.MAX_DICE)] = None
    seed: Annotated[Integer | None, described("seed", ge=0, le=limits.MAX_SEED)] = None
    date: Annotated[str | None, described("date", max_length=limits.MAX_NAME_TEXT)] = None
    difficulty: Annotated[Literal["easy", "medium", "hard"] | None, described("difficulty")] = None
    game: Annotated[dict[str, Any] | None, described("game")] = None
    player: Annotated[Integer | None, described("player", ge=0, le=63)] = None
    why: Annotated[Integer | None, described("why", ge=0, le=50)] = None


Body = TypeVar("Body", bound=RequestBody)


@cache
def kinds_in_address(model: type[RequestBody]) -> dict[str, str]:
    """What the fields of a request are in an address: whole numbers, true or false, or text."""
    kind_of = {}
    for name, schema in model.model_json_schema()["properties"].items():
        alternatives = [schema, *schema.get("anyOf", [])]
        kinds = {alternative.get("type") for alternative in alternatives} - {None, "null"}
        # A field that may be of several kinds is read as text.
        kind_of[name] = kinds.pop() if len(kinds) == 1 else "string"
    return kind_of


def address_parameters(model: type[RequestBody]) -> list[dict[str, Any]]:
    """The fields of a request as parameters of an address, for `/api/openapi.json`."""
    required = model.model_json_schema().get("required", [])
    return [
        {
            "name": name,
            "in": "query",
            "required": name in required,
            "description": FIELDS[name],
            "schema": {"type": kind},
        }
        for name, kind in kinds_in_address(model).items()
    ]


def from_address(model: type[Body], parameters: Iterable[tuple[str, str]]) -> Body:
    """The request that an address asks: the same fields as in a body, all written as text."""
    kinds = kinds_in_address(model)
    fields = dict[str, Any]()
    for name, text in parameters:
        if name in fields:
            raise StateError(
                _("{name} is there twice in the address", name=abbreviated(name)),
                code="invalid-request",
            )
        fields[name] = text
        if name == "rules":  # a plus sign that is not escaped reads as a space
            fields[name] = text.strip().replace(" ", "+")
        elif kinds.get(name) == "integer" and re.fullmatch(r"-?[0-9]{1,18}", text):
            fields[name] = int(text)
        elif kinds.get(name) == "boolean":  # a spreadsheet writes TRUE
            fields[name] = {"true": True, "false": False}.get(text.lower(), text)
    return checked(model, fields, "address")


def checked(model: type[Body], fields: Mapping[str, Any], place: str) -> Body:
    """Return the request that has these fields, which stand in `place`, such as an address.

    Raises StateError if they do not match the model.
    """
    try:
        return model.model_validate(fields)
    except ValidationError as error:
        errors = [{**problem, "loc": (place, *problem["loc"])} for problem in error.errors()]
        raise request_error(errors, fields) from error


def request_error(errors: Iterable[Mapping[str, Any]], body: object) -> StateError:
    """Return the error for a request that does not match its model.

    It has a sentence for each field and the code of the first one. `body` are the fields of the
    request.
    """
    # by field, "" for the whole body: the message and the code of its first error
    problems: dict[str, tuple[str, str]] = {}
    for error in errors:
        if len(problems) == limits.MAX_REPORTED_FIELDS:
            break
        location = error["loc"]  # such as ("body", "dice", 0)
        if error["type"] == "json_invalid":
            message = f"the body is not JSON (at character {location[-1]})"
            problems[""] = message, "invalid-request"
        elif error["type"] == "value_error":
            problems[""] = str(error["ctx"]["error"]), "invalid-request"
        elif len(location) < 2:
            problems[""] = BODY, "invalid-request"
        elif location[1] not in problems:
            problems[location[1]] = _field_error(location[1], error, body)
    first_field, (_message, code) = next(iter(problems.items()))
    text = "; ".join(message for message, _code in problems.values())
    return StateError(text, code=code, field=first_field or None)


def _field_error(name: str, error: Mapping[str, Any], body: object) -> tuple[str, str]:
    """The message and the code of an error in one field."""
    if error["type"] == "missing":
        return f"{name} is missing; must be {FIELDS[name]}", "missing-field"
    if error["type"] == "extra_forbidden":
        return f"{abbreviated(name)} is not a field of this request", "unknown-field"
    value = body.get(name) if isinstance(body, dict) else error.get("input")
    return f"{name} is {abbreviated(value)}; must be {FIELDS[name]}", "invalid-value"


def abbreviated(value: object) -> str:
    """A value as JSON in ASCII, at most MAX_SHOWN characters."""
    # not the whole of a large value
    text = "".join(islice(json.JSONEncoder().iterencode(value), MAX_SHOWN))
    return text if len(text) <= MAX_SHOWN else text[: MAX_SHOWN - 3] + "..."
