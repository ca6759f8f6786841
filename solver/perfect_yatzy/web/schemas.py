"""What the API takes: the requests of :mod:`perfect_yatzy.service.queries`, checked and described for OpenAPI by
pydantic."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

# What each field must be, for the description and for whoever sent something else.
FIELDS = {
    "rules": "the id of a built-in rule set, with switches, such as 'yatzy' or 'yatzy+four-is-two-pairs'",
    "card": "the filled boxes: text such as 'ones=3 sixes=24', or an object such as {\"ones\": 3}",
    "saved": "the saved rolls this turn began with, a whole number from 0 to 100",
    "bonus_points": "the bonus points so far (jokers, first rolls), a whole number from 0 to 99999",
    "id": "text or a whole number, returned as it is",
    "goal": "a final score to reach, a whole number from 0 to 99999",
    "opponents": "whom to beat: final scores or cards, as text such as '251; ones=3 sixes=24', or as a list",
    "ties": "what a tie counts: 'loss' (the default), 'half' or 'win'",
    "dice": "the dice on the table: text such as '33456', or a list of faces",
    "rolls_left": "the rerolls left, a whole number from 0 to 100",
    "spread": "true or false: whether to add the exact distribution",
    "hold": "the dice held, a list of faces",
    "game": "one line of a record of `yatzy play`, as an object",
    "player": "whose decisions, counted from 0",
    "why": "for how many of the worst decisions to say what they lead to, from 0 to 50",
    "lang": "the code of a language",
}
BODY = "the body must be a JSON object, sent as application/json"

Whole = Annotated[int, Field(strict=True)]
Face = Annotated[Whole, Field(ge=1, le=12)]
Points = Annotated[Whole, Field(ge=0, le=99_999)]
Card = Annotated[dict[str, Points], Field(max_length=64)]
Others = Annotated[str, Field(max_length=2_000)] | Annotated[list[Whole | str], Field(max_length=64)]
Name = Annotated[str, Field(max_length=200)] | Whole


def about(name: str, **limits: Any) -> Any:
    """The field's description, and its limits."""
    return Field(description=FIELDS[name], **limits)


class Position(BaseModel):
    """A card in mid-game."""

    model_config = ConfigDict(extra="forbid")

    rules: Annotated[str, about("rules", max_length=200)] = "yatzy"
    card: Annotated[Card | str, about("card")] = {}
    saved: Annotated[Whole, about("saved", ge=0, le=100)] = 0
    bonus_points: Annotated[Points, about("bonus_points")] = 0
    id: Annotated[Name | None, about("id")] = None


class Aimed(Position):
    """A position, and what is played for instead of the mean."""

    goal: Annotated[Points | None, about("goal")] = None
    opponents: Annotated[Others | None, about("opponents")] = None
    ties: Annotated[Literal["loss", "half", "win"] | None, about("ties")] = None


class Dice(Aimed):
    """Dice on the table."""

    dice: Annotated[list[Face] | str, about("dice", max_length=100)]
    rolls_left: Annotated[Whole | None, about("rolls_left", ge=0, le=100)] = None


class Expect(Aimed):
    """What to expect from a card."""

    spread: Annotated[bool, about("spread", strict=True)] = True


class Outcomes(Position):
    """What the next roll may bring after holding some dice."""

    hold: Annotated[list[Face], about("hold", max_length=64)]
    rolls_left: Annotated[Whole, Field(ge=1, le=100, description="the rerolls left before this one, from 1")]


class Record(BaseModel):
    """A game as `yatzy play` records it."""

    model_config = ConfigDict(extra="forbid")

    game: Annotated[dict[str, Any], about("game")]
    player: Annotated[Whole, about("player", ge=0, le=63)] = 0
    why: Annotated[Whole, about("why", ge=0, le=50)] = 0


class Refusal(BaseModel):
    """What was wrong."""

    schema_: Annotated[int, Field(alias="schema", description="Version of the answers, 2")] = 2
    error: Annotated[str, Field(description="What was wrong, in one sentence")]


def fault_text(faults: Iterable[Mapping[str, Any]], body: object) -> str:
    """What is wrong with a request, in one sentence for each field.

    Parameters
    ----------
    faults
        As pydantic names them: several for one field that may be of several types.
    body
        What was sent.
    """
    found: dict[str, str] = {}
    for fault in faults:
        place, kind = fault["loc"], fault["type"]
        if kind == "json_invalid":
            found[""] = f"the body is no JSON (at character {place[-1]})"
        elif len(place) < 2:
            found[""] = BODY
        elif kind == "missing":
            found.setdefault(place[1], f"{place[1]} is missing; it is {FIELDS.get(place[1], 'needed')}")
        elif kind == "extra_forbidden":
            found.setdefault(place[1], f"{shown(place[1])} is not a field of this request")
        else:
            sent = body.get(place[1]) if isinstance(body, dict) else fault.get("input")
            must = FIELDS.get(place[1], "something else")
            found.setdefault(place[1], f"{place[1]} is {shown(sent)}; must be {must}")
    return "; ".join(found.values())


def shown(value: object) -> str:
    """A value of a request in a message: plain letters, not too many."""
    text = json.dumps(value)
    return text if len(text) <= 60 else text[:57] + "..."
