"""What a hold leads to: every roll that may follow, with its chance and the expected final score after it."""

from __future__ import annotations

from math import factorial, prod
from typing import Any

import numpy as np

from ..game.notation import counts_of, dice_of
from ..strategy.strategy import Strategy
from .requests import Request


def outcome_fields(strategy: Strategy, request: Request) -> dict[str, Any]:
    """The answer to "outcomes", from a strategy of the mean.

    P(roll of n dice) = n! / (product over faces of count!) / faces^n
    """
    rules, state = request.rules, request.state
    rerolls = request.rolls_left - 1  # after the roll that follows
    evaluator = strategy.evaluator_at(request.position)
    lattice = evaluator.dice
    values = evaluator.category_values(state, rerolls if rules.saved_rolls else 0).max(axis=0)
    if rerolls:
        values = np.maximum(values, evaluator.passes.best_within(evaluator.hold_values(state, rerolls)))
    held = np.array(counts_of(rules, request.dice))
    n_dice = rules.dice - len(request.dice)
    outcomes: list[dict[str, Any]] = []
    for counts in lattice.counts[int(lattice.first[n_dice]) : int(lattice.first[n_dice + 1])]:
        sequences = factorial(n_dice) // prod(map(factorial, counts.tolist()))
        value = request.card.total + float(values[int(lattice.rank(held + counts)) - lattice.first_roll])
        chances = {"chance": sequences / rules.faces**n_dice, "expected_final_score": value}
        outcomes.append({"rolled": list(dice_of(counts.tolist()))} | chances)
    outcomes.sort(key=lambda entry: -entry["expected_final_score"])
    mean = sum(entry["chance"] * entry["expected_final_score"] for entry in outcomes)
    head = {"hold": list(request.dice), "rolls_left": request.rolls_left, "expected_final_score": mean}
    return head | {"outcomes": outcomes}
