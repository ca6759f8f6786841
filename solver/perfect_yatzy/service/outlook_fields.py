"""Why an option is good: what it brings in this turn and later, for the field ``outlook`` of answers and reviews."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..play.review import ActionOutlook, turn_outlook
from ..strategy.actions import Choice, Hold
from ..strategy.turn_evaluator import TurnEvaluator
from .bonus import ChanceOfState
from .requests import Request

EXPLAINED_OPTIONS = 2  # the best and the next, to compare


def outlook_json(outlook: ActionOutlook) -> dict[str, Any]:
    """An outlook as plain JSON values: each category with its chance, and the mean of its points in that case."""
    return {
        "turn_points": outlook.turn_points,
        "later_points": outlook.later_points,
        "bonus_chance": outlook.upper_bonus_chance,
        "categories": [list(entry) for entry in outlook.categories],
    }


def add_outlooks(
    answer: dict[str, Any],
    request: Request,
    evaluator: TurnEvaluator,
    options: Sequence[Hold | Choice],
    categories: Sequence[Choice],
    bonus_chances: ChanceOfState | None,
) -> None:
    """Add the field ``outlook`` to the first options of an answer to "hold" or "score"."""
    entries = answer["holds" if request.query == "hold" else "categories"]
    for entry, option in zip(entries[:EXPLAINED_OPTIONS], options, strict=False):
        action = categories[0] if isinstance(option, Hold) and option.category else option
        outlook = turn_outlook(evaluator, request.card, action, request.rolls_left, bonus_chances)
        entry["outlook"] = outlook_json(outlook)
