"""Reviews of recorded games, puzzles, and what an option leads to, as plain JSON values.

An outlook says what an option brings in this turn and later. The outcomes of a hold are the rolls
that may follow.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import factorial, prod
from typing import Any

import numpy as np

from ..errors import StateError
from ..game.notation import counts_of, dice_of
from ..play.puzzle import Puzzle
from ..play.record import Game
from ..play.review import ActionOutlook, ChanceOfState, Review, action_outlook, review, turn_outlook
from ..strategy.actions import Choice, Hold
from ..strategy.strategy import Strategy
from ..strategy.turn_evaluator import TurnEvaluator
from ..words import _
from .answers import approximate_fields, boxes, picked
from .requests import Request

EXPLAINED_OPTIONS = 2  # options that are explained: the best and the next, to compare
MIN_EXPLAINED_LOSS = 0.05  # points of the smallest error that is explained


def action_json(action: Hold | Choice) -> dict[str, Any]:
    """Return an action as plain JSON values, without its value."""
    if isinstance(action, Hold):
        return {"hold": list(action.dice), "category": None}
    return picked(action, "category", "points", "bonus_points")


def review_json(reviewed: Review) -> dict[str, Any]:
    """Return a review as plain JSON values."""

    def with_value(action: Hold | Choice) -> dict[str, Any]:
        return action_json(action) | {"expected_remaining": action.value}

    decisions = [
        picked(decision, "turn", "roll", "dice", "rolls_left")
        | {"done": with_value(decision.done), "best": with_value(decision.best)}
        | picked(decision, "loss", "grade")
        for decision in reviewed.decisions
    ]
    rolls = [
        picked(roll, "turn", "roll", "dice") | {"roll_luck": roll.luck}
        for roll in reviewed.roll_luck
    ]
    figures = picked(reviewed, "player", "result", "finished", "start", "luck", "points_lost")
    return figures | {"grades": reviewed.counts(), "decisions": decisions, "rolls": rolls}


def check_player(game: Game, player: int) -> None:
    """Raise StateError unless a game has a player of that index."""
    last = len(game.players) - 1
    if player > last:
        text = _("player is {player}; must be 0 to {players}")
        raise StateError(text.format(player=player, players=last), field="player")


def explained_review(
    strategy: Strategy, game: Game, player: int, max_explained: int
) -> dict[str, Any]:
    """Return the review of a game.

    The best and the actual action of its worst decisions have the field ``outlook``.
    """
    reviewed = review(strategy, game, player)
    answer = review_json(reviewed) | approximate_fields(strategy)
    pairs = zip(reviewed.decisions, answer["decisions"], strict=True)
    errors = [(decision, entry) for decision, entry in pairs if decision.loss >= MIN_EXPLAINED_LOSS]
    errors.sort(key=lambda error: -error[0].loss)  # the worst first
    for decision, entry in errors[:max_explained]:
        for name, action in (("done", decision.done), ("best", decision.best)):
            entry[name]["outlook"] = outlook_json(action_outlook(strategy, decision, action))
    return answer


def outlook_json(outlook: ActionOutlook) -> dict[str, Any]:
    """Return an outlook as plain JSON values.

    Each category has its chance, and the mean of its points in that case.
    """
    chances = {
        "bonus_chance": outlook.upper_bonus_chance,
        "categories": [*map(list, outlook.categories)],
    }
    return picked(outlook, "turn_points", "later_points") | chances


def outlooks(
    request: Request,
    evaluator: TurnEvaluator,
    actions: Sequence[Hold | Choice],
    bonus_chances: ChanceOfState | None,
) -> list[dict[str, Any]]:
    """Return the field ``outlook`` of the first of these actions, the options of a request."""
    return [
        outlook_json(
            turn_outlook(evaluator, request.card, action, request.rolls_left, bonus_chances)
        )
        for action in actions[:EXPLAINED_OPTIONS]
    ]


def puzzle_fields(puzzle: Puzzle) -> dict[str, Any]:
    """Return the position of a puzzle as plain JSON values."""
    card = puzzle.card
    return (
        {"card": boxes(card)}
        | picked(card, "saved", "bonus_points")
        | picked(puzzle, "dice", "rolls_left")
    )


def outcome_fields(strategy: Strategy, request: Request) -> dict[str, Any]:
    """Return the answer to "outcomes", from a strategy of the mean."""
    rules = request.rules
    state = request.state
    rerolls = request.rolls_left - 1  # after the roll that follows
    evaluator = strategy.evaluator_at(request.position)
    # (rolls,): the value of each roll of all dice, in the order of the lattice. It is that of the
    # best category or, with rerolls, of the best hold.
    values = evaluator.category_values(state, rerolls if rules.saved_rolls else 0).max(axis=0)
    if rerolls:
        values = np.maximum(
            values, evaluator.passes.best_within(evaluator.hold_values(state, rerolls))
        )
    lattice = evaluator.dice
    held = np.array(counts_of(rules, request.dice))
    n_rolled = rules.dice - len(request.dice)
    # (rolls of the other dice, faces): how many show each face
    rolls = lattice.counts[lattice.first[n_rolled] : lattice.first[n_rolled + 1]]
    outcomes: list[dict[str, Any]] = []
    for rolled in rolls:
        # the number of sequences of these faces
        sequences = factorial(n_rolled) // prod(map(factorial, rolled.tolist()))
        place = int(lattice.rank(held + rolled)) - lattice.first_roll  # in `values`
        value = request.card.total + float(values[place])
        chances = {"chance": sequences / rules.faces**n_rolled, "expected_final_score": value}
        outcomes.append({"rolled": list(dice_of(rolled.tolist()))} | chances)
    outcomes.sort(key=lambda entry: -entry["expected_final_score"])
    mean = sum(entry["chance"] * entry["expected_final_score"] for entry in outcomes)
    head = {
        "hold": list(request.dice),
        "rolls_left": request.rolls_left,
        "expected_final_score": mean,
    }
    return head | {"outcomes": outcomes}
