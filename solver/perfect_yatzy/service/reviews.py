"""Reviews of recorded games as plain JSON values."""

from __future__ import annotations

from typing import Any

from ..play.record import Game
from ..play.review import Review, action_outlook, review
from ..strategy.actions import Choice, Hold
from ..strategy.strategy import Strategy
from .answers import approximate_fields
from .outlook_fields import outlook_json

MIN_EXPLAINED_LOSS = 0.05  # points; smaller errors are not explained


def action_json(action: Hold | Choice) -> dict[str, Any]:
    """An action as plain JSON values, without its value."""
    if isinstance(action, Hold):
        return {"hold": list(action.dice), "category": None}
    return {"category": action.category, "points": action.points, "bonus_points": action.bonus_points}


def review_json(found: Review) -> dict[str, Any]:
    """A review as plain JSON values."""

    def with_value(action: Hold | Choice) -> dict[str, Any]:
        return action_json(action) | {"expected_remaining": action.value}

    return {
        "player": found.player,
        "result": found.result,
        "finished": found.finished,
        "start": found.start,
        "luck": found.luck,
        "points_lost": found.points_lost,
        "grades": found.counts(),
        "decisions": [
            {
                "turn": d.turn,
                "roll": d.roll,
                "dice": list(d.dice),
                "rolls_left": d.rolls_left,
                "done": with_value(d.done),
                "best": with_value(d.best),
                "loss": d.loss,
                "grade": d.grade,
            }
            for d in found.decisions
        ],
        "rolls": [
            {"turn": r.turn, "roll": r.roll, "dice": list(r.dice), "roll_luck": r.luck} for r in found.roll_luck
        ],
    }


def explained_review(strategy: Strategy, game: Game, player: int, max_explained: int) -> dict[str, Any]:
    """The review of a game, with the field ``outlook`` in the best and the actual action of its worst decisions."""
    found = review(strategy, game, player)
    answer = review_json(found) | approximate_fields(strategy)
    errors = [
        pair for pair in zip(found.decisions, answer["decisions"], strict=True) if pair[0].loss >= MIN_EXPLAINED_LOSS
    ]
    for decision, entry in sorted(errors, key=lambda pair: -pair[0].loss)[:max_explained]:
        for name, action in (("done", decision.done), ("best", decision.best)):
            entry[name]["outlook"] = outlook_json(action_outlook(strategy, decision, action))
    return answer
