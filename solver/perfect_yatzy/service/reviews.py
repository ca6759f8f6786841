"""Reviews of recorded games as plain JSON values."""

from __future__ import annotations

from typing import Any

from ..game.rules import RuleSet
from ..play.review import Review
from ..strategy.actions import Choice, Hold


def review_json(rules: RuleSet, found: Review) -> dict[str, Any]:
    """A review as plain JSON values."""

    def action(entry: Hold | Choice) -> dict[str, Any]:
        if isinstance(entry, Hold):
            return {"hold": list(entry.dice), "category": None, "expected_remaining": entry.value}
        return {
            "category": entry.category,
            "points": entry.points,
            "bonus_points": entry.bonus_points,
            "expected_remaining": entry.value,
        }

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
                "done": action(d.done),
                "best": action(d.best),
                "loss": d.loss,
                "grade": d.grade,
            }
            for d in found.decisions
        ],
        "rolls": [
            {"turn": r.turn, "roll": r.roll, "dice": list(r.dice), "roll_luck": r.luck} for r in found.roll_luck
        ],
    }
