"""How a turn can end after a hold: every outcome and its probability, if the rest of the turn maximises the mean.

A forward pass through the turn, the counterpart of the backward pass in :mod:`perfect_yatzy.strategy.turn_evaluator`:
the probability of each hold is distributed over the rolls that can follow, and the policy, read off the values, takes
each roll to a hold or to a category. NumPy only. Ties are broken as in
:mod:`perfect_yatzy.strategy.distribution`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..game.notation import counts_of
from ..game.scorecard import State
from ..game.scoring import scoring_options
from ..model.turn_model import dice_model
from .turn_evaluator import TurnEvaluator


@dataclass(frozen=True)
class TurnOutcome:
    """One way a turn can end."""

    category: int  # index of the category that is filled
    points: int  # points of its box
    bonus_points: int  # points of a joker or first-roll bonus
    saved: int  # rolls saved for later turns
    chance: float  # probability of this outcome

    def next_state(self, evaluator: TurnEvaluator, state: State) -> State:
        """State of the card after this outcome of a turn that began in `state`."""
        return state.filled_with(evaluator.rules, self.category, self.points, self.saved)


def outcomes_of_hold(evaluator: TurnEvaluator, state: State, held: Sequence[int], rerolls: int) -> list[TurnOutcome]:
    """Different outcomes of the turn after holding fewer than all dice, rerolling, and playing for the mean."""
    rules, grid, lowest_equal = evaluator.rules, evaluator.dice, evaluator.lowest_equal
    saving = rules.saved_rolls
    stop_values = [evaluator.category_values(state, saved) for saved in range(rerolls if saving else 1)]
    hold_values = [evaluator.hold_values(state, left) for left in range(1, rerolls)]
    dice = dice_model(rules.dice, rules.faces)
    chances: dict[tuple[int, int, int, int], float] = {}
    start = np.zeros(grid.n_holds)
    start[int(grid.rank(np.array(counts_of(rules, held))))] = 1.0
    roll_chance = evaluator.passes.rolls_from_holds(start)
    for left in range(rerolls - 1, -1, -1):
        stops, hold_chance = stop_values[left if saving else 0], np.zeros(grid.n_holds)
        for roll in np.flatnonzero(roll_chance).tolist():
            best_stop = stops[:, roll].max()
            holds = dice.holds[dice.hold_start[roll] + 1 : dice.hold_start[roll + 1]]  # without all dice
            values = hold_values[left - 1][holds] if left else np.empty(0)
            best = max(best_stop, values.max(initial=-np.inf))
            if best_stop >= lowest_equal(best):
                category = int(np.argmax(stops[:, roll] >= lowest_equal(best_stop)))
                allowed = scoring_options(rules, state.filled, state.joker_paid, evaluator.roll_counts[roll])
                outcome = (category, *allowed[category], left if saving else 0)
                chances[outcome] = chances.get(outcome, 0.0) + float(roll_chance[roll])
            else:
                hold_chance[holds[int(np.argmax(values >= lowest_equal(best)))]] += roll_chance[roll]
        if left:
            roll_chance = evaluator.passes.rolls_from_holds(hold_chance)
    return [TurnOutcome(*outcome, chance) for outcome, chance in chances.items()]
