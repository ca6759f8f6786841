"""What the API takes: the requests of :mod:`solver.queries`, checked and described for OpenAPI by pydantic."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Face = Annotated[int, Field(ge=1, le=12)]
Points = Annotated[int, Field(ge=0, le=99_999)]
Card = Annotated[dict[str, Points], Field(max_length=64)]


class Position(BaseModel):
    """A card in mid-game."""

    model_config = ConfigDict(extra="forbid")

    rules: Annotated[str, Field(max_length=200, description="A built-in rule set, with switches")] = "yatzy"
    card: Annotated[Card | str, Field(description="Filled categories and their points")] = {}
    saved: Annotated[int, Field(ge=0, le=100, description="Saved rolls this turn began with")] = 0
    extra: Annotated[Points, Field(description="Points outside the boxes so far")] = 0


class Aimed(Position):
    """A position, and what is played for instead of the mean."""

    goal: Annotated[int | None, Field(ge=0, le=99_999)] = None
    opponents: Annotated[str | None, Field(max_length=2_000)] = None
    ties: Literal["loss", "half", "win"] | None = None


class Dice(Aimed):
    """Dice on the table."""

    dice: Annotated[list[Face] | str, Field(max_length=100, description="33456, or a list of faces")]
    rolls_left: Annotated[int | None, Field(ge=0, le=100)] = None


class Expect(Aimed):
    """What to expect from a card."""

    spread: Annotated[bool, Field(description="Whether to add the exact distribution")] = True


class Outcomes(Position):
    """What the next roll may bring after holding some dice."""

    hold: Annotated[list[Face], Field(max_length=12)]
    rolls_left: Annotated[int, Field(ge=1, le=100, description="Rerolls left before this one")]


class Record(BaseModel):
    """A game as `yatzy play` records it."""

    model_config = ConfigDict(extra="forbid")

    game: Annotated[dict[str, Any], Field(description="One line of a record, as an object")]
    player: Annotated[int, Field(ge=0, le=63)] = 0
