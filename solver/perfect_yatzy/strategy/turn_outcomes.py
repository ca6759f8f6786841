"""What becomes of a turn if one holds these dice and then plays for the mean: every end it may have, with its chance.

NumPy only. The policy of the rest of the turn is read off the values, forward from the hold; ties as everywhere:
most dice held, then higher faces, the first category of the sheet.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..game.dice import Floats
from ..game.notation import counts_of
from ..game.scorecard import State
from ..game.scoring import scoring_options
from ..model.turn_model import turn_model
from .turn_evaluator import TurnEvaluator


@dataclass(frozen=True)
class TurnOutcome:
    """One way a turn may end.

    Attributes
    ----------
    category : int
        Position of the category filled.
    points, beside : int
        Points for the box and beside it.
    saved : int
        Rolls saved for later.
    chance : float
    """

    category: int
    points: int
    bonus_points: int
    saved: int
    chance: float

    def after(self, evaluator: TurnEvaluator, state: State) -> State:
        """The state of the card after it."""
        rules = evaluator.rules
        upper = state.upper + (self.points if rules.categories[self.category].upper else 0)
        paid = state.joker_paid or bool(
            rules.joker and rules.joker.bonus and self.category == rules.joker_index and self.points
        )
        return State(state.filled | 1 << self.category, min(upper, rules.threshold), self.saved, paid)


def outcomes_of_hold(evaluator: TurnEvaluator, state: State, held: Sequence[int], rerolls: int) -> list[TurnOutcome]:
    """Ends of the turn after holding `held` and rerolling the rest with `rerolls` (at least 1) rerolls left."""
    rules, grid, lowest = evaluator.rules, evaluator.dice, evaluator.lowest_equal
    saving = rules.saved_rolls
    stops = [evaluator.category_values(state, left if saving else 0) for left in range(rerolls if saving else 1)]
    holds = [evaluator.hold_values(state, left) for left in range(1, rerolls)]
    arrays = turn_model(rules)
    total: dict[tuple[int, int, int, int], float] = {}
    mass = _rerolled(evaluator, int(grid.rank(np.array(counts_of(rules, held)))), 1.0)
    for left in range(rerolls - 1, -1, -1):
        stop, again = stops[left if saving else 0], np.zeros(grid.n_holds)
        for roll in np.flatnonzero(mass).tolist():
            best_stop = stop[:, roll].max()
            within = arrays.within[arrays.within_start[roll] + 1 : arrays.within_start[roll + 1]]
            values = holds[left - 1][within] if left else np.empty(0)
            best = max(best_stop, values.max(initial=-np.inf))
            if best_stop >= lowest(best):
                category = int(np.argmax(stop[:, roll] >= lowest(best_stop)))
                allowed = scoring_options(rules, state.filled, state.joker_paid, evaluator.roll_counts[roll])
                end = (category, *allowed[category], left if saving else 0)
                total[end] = total.get(end, 0.0) + float(mass[roll])
            else:
                again[within[int(np.argmax(values >= lowest(best)))]] += mass[roll]
        if left:
            mass = _rerolled_all(evaluator, again)
    return [TurnOutcome(*end, chance) for end, chance in total.items()]


def _rerolled(evaluator: TurnEvaluator, hold: int, mass: float) -> Floats:
    start = np.zeros(evaluator.dice.n_holds)
    start[hold] = mass
    return _rerolled_all(evaluator, start)


def _rerolled_all(evaluator: TurnEvaluator, mass: Floats) -> Floats:
    """Chances of the full rolls, `(rolls,)`, after rerolling from the chances of the holds."""
    mass = mass.copy()
    for level in evaluator.passes.levels[:-1]:
        np.add.at(mass, level.successors, (mass[level.place] / evaluator.dice.faces)[:, None])
    return mass[evaluator.dice.first_roll :]
