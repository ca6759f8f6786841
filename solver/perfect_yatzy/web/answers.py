"""The answers of the API as types, for `/api/openapi.json` only: answers are not converted, which would take time.

A test compares them with the answers for all rule sets. A field that is `NotRequired` is absent where it does not
apply. Fields with several forms (`expected_final_score`, or `chance` with a goal) are all optional.
"""

from __future__ import annotations

from typing import (
    Annotated,
    Any,
    NotRequired,  # pydantic needs it before Python 3.12
)

from pydantic import Field
from typing_extensions import TypedDict

from .._version import ANSWER_SCHEMA
from ..errors import CODES, SolverError

# Codes of errors that only the server has; the others are those of perfect_yatzy.errors.
HTTP_CODES = frozenset({
    "body-too-large", "cross-site", "method-not-allowed", "not-found", "rate-limited", "request-timeout",
    "unknown-host",
})  # fmt: skip

Faces = list[int]
OutlookCategory = Annotated[
    list[str | float], Field(min_length=3, max_length=3, description="Id, chance, and mean points in that case")
]


class GameState(TypedDict):
    """A card as the solver sees it."""

    filled: Annotated[int, Field(description="Bitmask of the filled categories")]
    upper: Annotated[int, Field(description="Upper sum, up to the threshold of the bonus")]
    saved: NotRequired[Annotated[int, Field(description="Saved rolls")]]
    joker_paid: NotRequired[Annotated[bool, Field(description="Whether the box of the joker holds points")]]


class Approximate(TypedDict):
    """Why an answer is not exact."""

    text: Annotated[str, Field(description="One sentence, for people")]
    mean: NotRequired[Annotated[float, Field(description="Mean of simulated games")]]
    interval99: NotRequired[Annotated[list[float], Field(description="Its 99 % interval")]]
    games: NotRequired[Annotated[int, Field(description="Number of these games")]]
    upper_bound: NotRequired[Annotated[float, Field(description="No strategy scores more on average")]]
    gap: NotRequired[Annotated[float, Field(description="Relative difference between mean and bound")]]


class OpponentFigures(TypedDict):
    """What is known about an opponent's final score."""

    playing: Annotated[bool, Field(description="Whether the opponent is still playing")]
    mean: Annotated[float, Field(description="Expected final score")]
    standard_deviation: Annotated[float, Field(description="Of the final score")]


class Aim(TypedDict):
    """What is maximised instead of the expected score: a goal, or the chance to win."""

    goal: NotRequired[Annotated[int, Field(description="Final score to reach")]]
    opponents: NotRequired[Annotated[list[OpponentFigures], Field(description="The opponents")]]
    versus: NotRequired[Annotated[str, Field(description="The card of an opponent who plays to win, too")]]
    ties: NotRequired[Annotated[str, Field(description="What a tie counts: loss, half or win")]]
    lower_bound: NotRequired[
        Annotated[bool, Field(description="Whether the chances are at least so large: an opponent still plays")]
    ]


class Outlook(TypedDict):
    """What an option leads to."""

    turn_points: Annotated[float, Field(description="Expected points of this turn")]
    later_points: Annotated[
        float | None, Field(description="Expected points of the later turns; null with a goal or opponents")
    ]
    bonus_chance: Annotated[float | None, Field(description="Chance of the upper bonus; null if it is not known")]
    categories: Annotated[list[OutlookCategory], Field(description="Where the turn ends, most likely first")]


class Option(TypedDict):
    """The values of an option."""

    chance: NotRequired[Annotated[float, Field(description="Of the goal or the win")]]
    expected_final_score: Annotated[float, Field(description="With the points on the card")]
    expected_remaining: Annotated[float, Field(description="Without the points on the card")]
    loss: Annotated[float, Field(description="Against the best option, in points or in chance")]
    outlook: NotRequired[Annotated[Outlook, Field(description="With `explain`, for the first two options")]]


class HoldOption(Option):
    """One way to hold some of the dice."""

    hold: Annotated[Faces, Field(description="Dice held")]
    reroll: Annotated[int, Field(description="Number of dice to reroll")]
    category: Annotated[str | None, Field(description="The category to take, if all dice are held")]


class BoxPoints(TypedDict):
    """What one box pays for a roll."""

    category: Annotated[str, Field(description="Id of the category")]
    points: Annotated[int, Field(description="Points of its box")]
    bonus_points: Annotated[int, Field(description="Points beside the box (joker, first roll)")]


class CategoryOption(Option, BoxPoints):
    """One category to take."""


class Answer(TypedDict):
    """What every answer has."""

    schema: Annotated[int, Field(description="Version of the answers")]
    query: Annotated[str, Field(description="The question")]
    rules: Annotated[str, Field(description="The rule set with its switches")]
    id: NotRequired[Annotated[str | int, Field(description="That of the request")]]
    approximate: NotRequired[Annotated[Approximate, Field(description="Only if the answer is not exact")]]


class CardAnswer(Answer):
    """What answers about a card have."""

    card: Annotated[dict[str, int], Field(description="Points by category")]
    card_total: Annotated[int, Field(description="Points on the card, without the upper bonus to come")]
    state: Annotated[GameState, Field(description="The card as the solver sees it")]
    aim: NotRequired[Annotated[Aim, Field(description="What is maximised, if not the mean")]]
    expected_final_score: NotRequired[Annotated[float, Field(description="Under best play for the mean")]]
    chance: NotRequired[Annotated[float, Field(description="Of the goal or the win under best play")]]
    certain: NotRequired[Annotated[bool, Field(description="Whether the goal or the win is certain")]]
    out_of_reach: NotRequired[Annotated[bool, Field(description="Whether it is impossible")]]


class Roll(TypedDict):
    """The dice on the table."""

    dice: Annotated[Faces, Field(description="The dice, ascending")]
    rolls_left: Annotated[int, Field(description="Rerolls left, which a category gives up")]


class HoldAnswer(CardAnswer, Roll):
    """Which dice to hold."""

    rolls: Annotated[int, Field(description="Rolls this turn can have")]
    best: Annotated[HoldOption, Field(description="The best hold")]
    holds: Annotated[list[HoldOption], Field(description="All holds, best first")]


class ScoreAnswer(CardAnswer, Roll):
    """Which category to take."""

    best: Annotated[CategoryOption, Field(description="The best category")]
    categories: Annotated[list[CategoryOption], Field(description="All categories, best first")]


class PointsAnswer(CardAnswer, Roll):
    """What the boxes pay for a roll."""

    categories: Annotated[list[BoxPoints], Field(description="The categories that may be taken, as on the card")]


class CategoryDistribution(TypedDict):
    """One category at the end of the game."""

    category: Annotated[str, Field(description="Id of the category")]
    mean: Annotated[float, Field(description="Expected points of its box")]
    crossed_out: Annotated[float, Field(description="Chance of no points")]


class Distribution(TypedDict):
    """The exact distribution of the final score."""

    policy: Annotated[str, Field(description="What is played: the mean")]
    standard_deviation: Annotated[float, Field(description="Of the final score")]
    upper_bonus_chance: Annotated[float, Field(description="Chance of the upper bonus")]
    percentiles: Annotated[dict[str, float], Field(description="Scores by percentage")]
    lowest: Annotated[int, Field(description="The score of the first of `chances`")]
    chances: Annotated[list[float], Field(description="Chance of each score")]
    categories: Annotated[list[CategoryDistribution], Field(description="The open categories")]


class ExpectAnswer(CardAnswer):
    """What to expect from a card on."""

    expected_remaining: Annotated[float, Field(description="Expected points to come")]
    turns_left: Annotated[int, Field(description="Number of open categories")]
    open: Annotated[list[str], Field(description="Ids of the open categories")]
    upper: Annotated[int, Field(description="The upper sum")]
    upper_by_column: NotRequired[Annotated[list[int], Field(description="The same for each column")]]
    chance_by_mean_play: NotRequired[Annotated[float, Field(description="Chance of the goal by play for the mean")]]
    distribution: NotRequired[Annotated[Distribution | None, Field(description="Null if these rules have none")]]
    standard_deviation: NotRequired[Annotated[float, Field(description="Where only that is stored")]]


class RollOutcome(TypedDict):
    """One roll that may follow a hold."""

    rolled: Annotated[Faces, Field(description="Faces of the dice rolled")]
    chance: Annotated[float, Field(description="Its probability")]
    expected_final_score: Annotated[float, Field(description="With it, under best play")]


class OutcomesAnswer(CardAnswer):
    """Every roll that may follow a hold."""

    hold: Annotated[Faces, Field(description="The dice held")]
    rolls_left: Annotated[int, Field(description="Rerolls left before this one")]
    outcomes: Annotated[list[RollOutcome], Field(description="Highest first")]


class PuzzleAnswer(Answer, Roll):
    """A position to solve."""

    seed: Annotated[int, Field(description="Number of the puzzle")]
    difficulty: Annotated[str, Field(description="easy, medium or hard")]
    card: Annotated[dict[str, int], Field(description="Points by category")]
    saved: Annotated[int, Field(description="Saved rolls")]
    bonus_points: Annotated[int, Field(description="Bonus points so far")]


class ReviewedAction(TypedDict):
    """An action of a recorded game, or the best one: a hold, or a category."""

    hold: NotRequired[Annotated[Faces, Field(description="Dice held; absent for a category")]]
    category: Annotated[str | None, Field(description="The category taken; null for a hold")]
    points: NotRequired[Annotated[int, Field(description="Points of its box")]]
    bonus_points: NotRequired[Annotated[int, Field(description="Points beside the box")]]
    expected_remaining: Annotated[float, Field(description="Expected points to come")]
    outlook: NotRequired[Annotated[Outlook, Field(description="With `why`, for the worst decisions")]]


class RecordedRoll(TypedDict):
    """A roll of a recorded game."""

    turn: Annotated[int, Field(description="Number of the turn, from 1")]
    roll: Annotated[int, Field(description="Number of the roll, from 1")]
    dice: Annotated[Faces, Field(description="The dice, ascending")]


class ReviewedDecision(RecordedRoll):
    """A decision with its grade."""

    rolls_left: Annotated[int, Field(description="Rerolls left")]
    done: Annotated[ReviewedAction, Field(description="What was played")]
    best: Annotated[ReviewedAction, Field(description="What is best")]
    loss: Annotated[float, Field(description="Expected points lost")]
    grade: Annotated[str, Field(description="best, tied, inaccuracy, mistake or blunder")]


class RollLuck(RecordedRoll):
    """The luck of a roll."""

    roll_luck: Annotated[float, Field(description="Expected points gained")]


class ReviewAnswer(TypedDict):
    """A game with a grade for each decision."""

    player: Annotated[str, Field(description="Name of the player")]
    result: Annotated[float, Field(description="Final score; what is expected if the game is not finished")]
    finished: Annotated[bool, Field(description="Whether the card is full")]
    start: Annotated[float, Field(description="Expected final score at the start")]
    luck: Annotated[float, Field(description="Sum over the rolls")]
    points_lost: Annotated[float, Field(description="Sum over the decisions")]
    grades: Annotated[dict[str, int], Field(description="Number of decisions by grade")]
    decisions: Annotated[list[ReviewedDecision], Field(description="As they were played")]
    rolls: Annotated[list[RollLuck], Field(description="As they were rolled")]
    approximate: NotRequired[Annotated[Approximate, Field(description="Only if the strategy is not exact")]]


class Cost(TypedDict):
    """What work that waits for a confirmation takes."""

    what: Annotated[str, Field(description="table, goals, objective, opponents or distribution")]
    seconds: Annotated[float, Field(description="Estimate")]
    disk_bytes: Annotated[int, Field(description="Written to the disk, once")]
    memory_bytes: Annotated[int, Field(description="Needed meanwhile")]


class SwitchInfo(TypedDict):
    """A variant of a rule set."""

    id: Annotated[str, Field(description="Written after a plus sign")]
    summary: Annotated[str, Field(description="What it changes")]


class ColumnInfo(TypedDict):
    """A column of the sheet."""

    id: Annotated[str, Field(description="After a dot in ids of categories")]
    name: Annotated[str, Field(description="For people")]
    order: Annotated[str, Field(description="free, forced, reversed or upper-first")]
    factor: Annotated[int, Field(description="All its points are multiplied by it")]


class BonusInfo(TypedDict):
    """The upper bonus."""

    threshold: Annotated[int, Field(description="Upper sum of the first step")]
    points: Annotated[int, Field(description="Points of the first step")]
    steps: Annotated[list[list[list[int]]], Field(description="By column: upper sum and points of each step")]


class CategoryInfo(TypedDict):
    """A box."""

    id: Annotated[str, Field(description="Id of the category")]
    name: Annotated[str, Field(description="For people")]
    upper: Annotated[bool, Field(description="Whether it counts for the upper bonus")]
    column: Annotated[int, Field(description="Index of its column")]
    points: Annotated[list[int], Field(description="What it can hold, ascending")]


class RuleSetInfo(TypedDict):
    """A rule set."""

    id: Annotated[str, Field(description="With the switches")]
    base: Annotated[str, Field(description="Without")]
    name: Annotated[str, Field(description="For people")]
    summary: Annotated[str, Field(description="One sentence")]
    dice: Annotated[int, Field(description="Number of dice")]
    faces: Annotated[int, Field(description="Faces of a die")]
    switches: Annotated[list[SwitchInfo], Field(description="All variants")]
    active: Annotated[list[str], Field(description="Ids of those that are on")]
    bonus_points: Annotated[bool, Field(description="Whether points beside the boxes are possible")]
    rolls: Annotated[int, Field(description="Rolls of a turn")]
    forced: Annotated[bool, Field(description="Whether the order of the boxes is fixed")]
    saved_rolls: Annotated[bool, Field(description="Whether unused rolls are saved")]
    columns: Annotated[list[ColumnInfo], Field(description="Empty if the sheet has one")]
    bonus: Annotated[BonusInfo | None, Field(description="The upper bonus")]
    categories: Annotated[list[CategoryInfo], Field(description="The boxes")]
    solved: Annotated[bool, Field(description="Whether questions are answered without a confirmation")]
    cost: NotRequired[Annotated[Cost | None, Field(description="If not; null if it cannot be solved here")]]


def error_answer(error: SolverError) -> dict[str, Any]:
    """The answer to a request that failed, an :class:`ErrorResponse`."""
    return {"schema": ANSWER_SCHEMA} | error.as_json()


class ErrorResponse(TypedDict):
    """The answer to a request that failed."""

    schema: Annotated[int, Field(description="Version of the answers")]
    error: Annotated[str, Field(description="What is wrong, for people; the wording may change")]
    code: Annotated[
        str, Field(description="What is wrong, for programs", json_schema_extra={"enum": sorted(CODES | HTTP_CODES)})
    ]
    field: NotRequired[Annotated[str, Field(description="The field of the request that is wrong, if it is one")]]
    cost: NotRequired[Annotated[Cost, Field(description="With the code confirmation-required")]]
