"""Puzzles as plain JSON values."""

from __future__ import annotations

from typing import Any

from ..play.puzzle import Puzzle, find_puzzle
from ..strategy.strategy import Strategy
from .requests import Request


def puzzle_fields(puzzle: Puzzle) -> dict[str, Any]:
    """The position of a puzzle."""
    card = puzzle.card
    return {
        "card": {card.rules.categories[c].id: points for c, points in sorted(card.points.items())},
        "saved": card.saved,
        "bonus_points": card.bonus_points,
        "dice": list(puzzle.dice),
        "rolls_left": puzzle.rolls_left,
    }


def puzzle_answer(strategy: Strategy, request: Request) -> dict[str, Any]:
    """The answer to "puzzle": the position without its solution."""
    found = find_puzzle(strategy, request.seed, request.difficulty)
    return {"seed": request.seed, "difficulty": request.difficulty} | puzzle_fields(found)
