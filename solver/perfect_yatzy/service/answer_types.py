"""The answers as types, for descriptions only.

Answers are not converted to them, which would take time. The OpenAPI document of the server is made
from them, and so are, by `.ci/answer_types.py`, the types of the npm package and the JSON Schema
beside them. Only the server and that script import this module, so that the command needs no
pydantic.

A test compares them with the answers for all rule sets. Each type is a table of fields with their
types and what they mean. A field whose name ends with a question mark is absent where it does not
apply. Fields with several forms (`expected_final_score`, or `chance` with a goal) are all optional.
"""

from __future__ import annotations

from typing import Annotated, Any, NotRequired

from pydantic import Field

# Before Python 3.12 pydantic needs this one in place of typing.TypedDict.
from typing_extensions import TypedDict

from .._version import ANSWER_SCHEMA
from ..errors import CODES, SolverError

# Codes of errors that only the server has. The others are those of perfect_yatzy.errors.
HTTP_CODES = frozenset(
    {
        "body-too-large",
        "cross-site",
        "method-not-allowed",
        "not-found",
        "not-this-machine",
        "request-timeout",
        "unknown-host",
    }
)

Faces = list[int]
many: Any = list  # a list of records, which a type checker takes for values
OutlookCategory = Annotated[
    list[str | float],
    Field(min_length=3, max_length=3, description="Id, chance, and mean points in that case"),
]


def record(name: str, text: str, fields: dict[str, tuple[Any, str]], *bases: Any) -> Any:
    """Return an object type with the fields of `bases` and those of its own."""
    types = dict[str, Any]()  # by name of the field
    for base in bases:
        types |= base.__annotations__
    for key, (value_type, meaning) in fields.items():
        described: Any = Annotated[value_type, Field(description=meaning)]
        types[key.rstrip("?")] = NotRequired[described] if key.endswith("?") else described
    object_type: Any = TypedDict(name, types)  # type: ignore[misc]
    object_type.__doc__ = text
    return object_type


def error_answer(error: SolverError) -> dict[str, Any]:
    """Return the answer to a request that failed, an :data:`ErrorResponse`."""
    return {"schema": ANSWER_SCHEMA} | error.as_json()


GameState = record(
    "GameState",
    "A card as the solver sees it.",
    {
        "filled": (int, "Bitmask of the filled categories"),
        "upper": (int, "Upper sum, up to the threshold of the bonus"),
        "saved?": (int, "Saved rolls"),
        "joker_paid?": (bool, "Whether the box of the joker holds points"),
    },
)
Approximate = record(
    "Approximate",
    "Why an answer is not exact.",
    {
        "text": (str, "One sentence, for people"),
        "mean?": (float, "Mean of simulated games"),
        "interval99?": (list[float], "Its 99 % interval"),
        "games?": (int, "Number of these games"),
        "upper_bound?": (float, "No strategy scores more on average"),
        "gap?": (float, "Relative difference between mean and bound"),
    },
)
OpponentFigures = record(
    "OpponentFigures",
    "What is known about an opponent's final score.",
    {
        "playing": (bool, "Whether the opponent is still playing"),
        "mean": (float, "Expected final score"),
        "standard_deviation": (float, "Of the final score"),
    },
)
Aim = record(
    "Aim",
    "What is maximised instead of the expected score: a goal, or the chance to win.",
    {
        "goal?": (int, "Final score to reach"),
        "opponents?": (many[OpponentFigures], "The opponents"),
        "versus?": (str, "The card of an opponent who plays to win, too"),
        "ties?": (str, "What a tie counts: loss, half or win"),
        "field?": (int, "Number of opponents whose cards are not seen; players who tie share"),
        "policy?": (str, "What each of them follows"),
        "places?": (int, "Of how many best places one is to be taken"),
        "mean?": (float, "Of the final score of each of them"),
        "standard_deviation?": (float, "Of it"),
        "lower_bound?": (
            bool,
            "Whether the chances are at least so large: an opponent still plays",
        ),
    },
)
Outlook = record(
    "Outlook",
    "What an option leads to.",
    {
        "turn_points": (float, "Expected points of this turn"),
        "later_points": (
            float | None,
            "Expected points of the later turns; null with a goal or opponents",
        ),
        "bonus_chance": (float | None, "Chance of the upper bonus; null if it is not known"),
        "categories": (list[OutlookCategory], "Where the turn ends, most likely first"),
    },
)
Option = record(
    "Option",
    "The values of an option.",
    {
        "chance?": (float, "Of the goal or the win"),
        "expected_final_score": (float, "With the points on the card"),
        "expected_remaining": (float, "Without the points on the card"),
        "loss": (float, "Against the best option, in points or in chance"),
        "outlook?": (Outlook, "With `explain`, for the first two options"),
    },
)
HoldOption = record(
    "HoldOption",
    "One way to hold some of the dice.",
    {
        "hold": (Faces, "Dice held"),
        "reroll": (int, "Number of dice to reroll"),
        "category": (str | None, "The category to take, if all dice are held"),
    },
    Option,
)
BoxPoints = record(
    "BoxPoints",
    "What one box pays for a roll.",
    {
        "category": (str, "Id of the category"),
        "points": (int, "Points of its box"),
        "bonus_points": (int, "Points beside the box (joker, first roll)"),
    },
)
CategoryOption = record("CategoryOption", "One category to take.", {}, Option, BoxPoints)
Answer = record(
    "Answer",
    "What every answer has.",
    {
        "schema": (int, "Version of the answers"),
        "query": (str, "The question"),
        "rules": (str, "The rule set with its switches"),
        "id?": (str | int, "That of the request"),
        "approximate?": (Approximate, "Only if the answer is not exact"),
    },
)
CardAnswer = record(
    "CardAnswer",
    "What answers about a card have.",
    {
        "card": (dict[str, int], "Points by category"),
        "card_total": (int, "Points on the card, without the upper bonus to come"),
        "state": (GameState, "The card as the solver sees it"),
        "aim?": (Aim, "What is maximised, if not the mean"),
        "expected_final_score?": (float, "Under best play for the mean"),
        "chance?": (float, "Of the goal or the win under best play"),
        "certain?": (bool, "Whether the goal or the win is certain"),
        "out_of_reach?": (bool, "Whether it is impossible"),
    },
    Answer,
)
Roll = record(
    "Roll",
    "The dice on the table.",
    {
        "dice": (Faces, "The dice, ascending"),
        "rolls_left": (int, "Rerolls left, which a category gives up"),
    },
)
HoldAnswer = record(
    "HoldAnswer",
    "Which dice to hold.",
    {
        "rolls": (int, "Rolls this turn can have"),
        "best": (HoldOption, "The best hold"),
        "holds": (many[HoldOption], "All holds, best first"),
    },
    CardAnswer,
    Roll,
)
ScoreAnswer = record(
    "ScoreAnswer",
    "Which category to take.",
    {
        "best": (CategoryOption, "The best category"),
        "categories": (many[CategoryOption], "All categories, best first"),
    },
    CardAnswer,
    Roll,
)
PointsAnswer = record(
    "PointsAnswer",
    "What the boxes pay for a roll.",
    {
        "categories": (many[BoxPoints], "The categories that may be taken, as on the card"),
    },
    CardAnswer,
    Roll,
)
OddsOfCategory = record(
    "OddsOfCategory",
    "What a category can yield within a turn that is played for it alone.",
    {
        "category": (str, "Id of the category"),
        "chance": (float, "The best chance to score in it"),
        "hold": (Faces | None, "The dice to hold for that chance; null before the first roll"),
        "expected_points": (float, "The most expected points"),
        "expected_points_hold": (Faces | None, "The dice to hold for these"),
    },
)
OddsAnswer = record(
    "OddsAnswer",
    "The odds of the open categories in one turn.",
    {
        "schema": (int, "Version of the answers"),
        "query": (str, "The question"),
        "rules": (str, "The rules, with switches"),
        "dice": (Faces | None, "The dice on the table, ascending; null before the first roll"),
        "rolls_left": (int, "Rerolls left"),
        "categories": (many[OddsOfCategory], "The open categories, as on the card"),
        "id?": (str | int, "The id of the request"),
    },
)
CategoryDistribution = record(
    "CategoryDistribution",
    "One category at the end of the game.",
    {
        "category": (str, "Id of the category"),
        "mean": (float, "Expected points of its box"),
        "crossed_out": (float, "Chance of no points"),
    },
)
Distribution = record(
    "Distribution",
    "The exact distribution of the final score.",
    {
        "policy": (str, "What is played: the mean"),
        "standard_deviation": (float, "Of the final score"),
        "upper_bonus_chance": (float, "Chance of the upper bonus"),
        "percentiles": (dict[str, float], "Scores by percentage"),
        "lowest": (int, "The score of the first of `chances`"),
        "chances": (list[float], "Chance of each score"),
        "categories": (many[CategoryDistribution], "The open categories"),
    },
)
ExpectAnswer = record(
    "ExpectAnswer",
    "What to expect from a card on.",
    {
        "expected_remaining": (float, "Expected points to come"),
        "turns_left": (int, "Number of open categories"),
        "open": (list[str], "Ids of the open categories"),
        "upper": (int, "The upper sum"),
        "upper_by_column?": (list[int], "The same for each column"),
        "chance_by_mean_play?": (float, "Chance of the goal by play for the mean"),
        "chance_note?": (str, "Why `chance` is missing: the solve for the goal is too large"),
        "distribution?": (Distribution | None, "Null if these rules have none"),
        "standard_deviation?": (float, "Where only that is stored"),
    },
    CardAnswer,
)
RollOutcome = record(
    "RollOutcome",
    "One roll that may follow a hold.",
    {
        "rolled": (Faces, "Faces of the dice rolled"),
        "chance": (float, "Its probability"),
        "expected_final_score": (float, "With it, under best play"),
    },
)
OutcomesAnswer = record(
    "OutcomesAnswer",
    "Every roll that may follow a hold.",
    {
        "hold": (Faces, "The dice held"),
        "rolls_left": (int, "Rerolls left before this one"),
        "outcomes": (many[RollOutcome], "Highest first"),
    },
    CardAnswer,
)
PuzzleAnswer = record(
    "PuzzleAnswer",
    "A position to solve.",
    {
        "seed": (int, "Number of the puzzle"),
        "difficulty": (str, "easy, medium or hard"),
        "card": (dict[str, int], "Points by category"),
        "saved": (int, "Saved rolls"),
        "bonus_points": (int, "Bonus points so far"),
    },
    Answer,
    Roll,
)
ReviewedAction = record(
    "ReviewedAction",
    "An action of a recorded game, or the best one: a hold, or a category.",
    {
        "hold?": (Faces, "Dice held; absent for a category"),
        "category": (str | None, "The category taken; null for a hold"),
        "points?": (int, "Points of its box"),
        "bonus_points?": (int, "Points beside the box"),
        "expected_remaining": (float, "Expected points to come"),
        "outlook?": (Outlook, "With `why`, for the worst decisions"),
    },
)
RecordedRoll = record(
    "RecordedRoll",
    "A roll of a recorded game.",
    {
        "turn": (int, "Number of the turn, from 1"),
        "roll": (int, "Number of the roll, from 1"),
        "dice": (Faces, "The dice, ascending"),
    },
)
ReviewedDecision = record(
    "ReviewedDecision",
    "A decision with its grade.",
    {
        "rolls_left": (int, "Rerolls left"),
        "done": (ReviewedAction, "What was played"),
        "best": (ReviewedAction, "What is best"),
        "loss": (float, "Expected points lost"),
        "grade": (str, "best, tied, inaccuracy, mistake or blunder"),
    },
    RecordedRoll,
)
RollLuck = record(
    "RollLuck",
    "The luck of a roll.",
    {"roll_luck": (float, "Expected points gained")},
    RecordedRoll,
)
ReviewAnswer = record(
    "ReviewAnswer",
    "A game with a grade for each decision.",
    {
        "player": (str, "Name of the player"),
        "result": (float, "Final score; what is expected if the game is not finished"),
        "finished": (bool, "Whether the card is full"),
        "start": (float, "Expected final score at the start"),
        "luck": (float, "Sum over the rolls"),
        "points_lost": (float, "Sum over the decisions"),
        "grades": (dict[str, int], "Number of decisions by grade"),
        "decisions": (many[ReviewedDecision], "As they were played"),
        "rolls": (many[RollLuck], "As they were rolled"),
        "approximate?": (Approximate, "Only if the strategy is not exact"),
    },
)
Cost = record(
    "Cost",
    "What work that waits for a confirmation takes.",
    {
        "what": (str, "table, goals, objective, opponents or distribution"),
        "seconds": (float, "Estimate"),
        "disk_bytes": (int, "Written to the disk, once"),
        "memory_bytes": (int, "Needed meanwhile"),
    },
)
SwitchInfo = record(
    "SwitchInfo",
    "A variant of a rule set.",
    {
        "id": (str, "Written after a plus sign"),
        "summary": (str, "What it changes"),
        "excludes": (list[str], "Ids of the variants that cannot be combined with it"),
    },
)
LevelInfo = record(
    "LevelInfo",
    "A level of computer players under a rule set.",
    {
        "level": (int, "1 to 8, the last one perfect"),
        "temperature": (float, "Of the chances of its choices, in points"),
        "average": (float, "Its expected final score"),
    },
)
ColumnInfo = record(
    "ColumnInfo",
    "A column of the sheet.",
    {
        "id": (str, "After a dot in ids of categories"),
        "name": (str, "For people"),
        "order": (str, "free, forced, reversed or upper-first"),
        "factor": (int, "All its points are multiplied by it"),
    },
)
BonusInfo = record(
    "BonusInfo",
    "The upper bonus.",
    {
        "threshold": (int, "Upper sum of the first step"),
        "points": (int, "Points of the first step"),
        "steps": (list[list[list[int]]], "By column: upper sum and points of each step"),
    },
)
CategoryInfo = record(
    "CategoryInfo",
    "A box.",
    {
        "id": (str, "Id of the category"),
        "name": (str, "For people"),
        "upper": (bool, "Whether it counts for the upper bonus"),
        "column": (int, "Index of its column"),
        "points": (list[int], "What it can hold, ascending"),
    },
)
RuleSetInfo = record(
    "RuleSetInfo",
    "A rule set.",
    {
        "id": (str, "With the switches"),
        "base": (str, "Without"),
        "name": (str, "For people"),
        "summary": (str, "One sentence"),
        "dice": (int, "Number of dice"),
        "faces": (int, "Faces of a die"),
        "switches": (many[SwitchInfo], "All variants"),
        "active": (list[str], "Ids of those that are on"),
        "bonus_points": (bool, "Whether points beside the boxes are possible"),
        "rolls": (int, "Rolls of a turn"),
        "forced": (bool, "Whether the order of the boxes is fixed"),
        "saved_rolls": (bool, "Whether unused rolls are saved"),
        "levels": (many[LevelInfo], "Levels of computer players; empty if not calibrated"),
        "columns": (many[ColumnInfo], "Empty if the sheet has one"),
        "bonus": (BonusInfo | None, "The upper bonus"),
        "categories": (many[CategoryInfo], "The boxes"),
        "solved": (bool, "Whether questions are answered without a confirmation"),
        "approximate?": (bool, "If the strategy is not exact"),
        "cost?": (Cost | None, "If not solved; null if it cannot be solved here"),
        "reason?": (str, "Why not, and the command that makes a strategy"),
    },
)
RemovedRules = record(
    "RemovedRules",
    "A rule file that was removed.",
    {
        "schema": (int, "Version of the answers"),
        "text": (str, "Its text"),
    },
)
RecordedRules = record(
    "RecordedRules",
    "The rules of a recorded game.",
    {
        "schema": (int, "Version of the answers"),
        "rules": (str | dict[str, Any], "The name of built-in rules, or all fields of a rule set"),
    },
)
ErrorCode = Annotated[str, Field(json_schema_extra={"enum": sorted(CODES | HTTP_CODES)})]
ErrorResponse = record(
    "ErrorResponse",
    "The answer to a request that failed.",
    {
        "schema": (int, "Version of the answers"),
        "error": (str, "What is wrong, for people; the wording may change"),
        "code": (ErrorCode, "What is wrong, for programs"),
        "field?": (str, "The field of the request that is wrong, if it is one"),
        "cost?": (Cost, "With the code confirmation-required"),
    },
)
