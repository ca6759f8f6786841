"""The certified upper bound: the value of a relaxed game, and the most that rounding can have taken from it.

The kernels compute with float64. With the unit roundoff ``u = 2^-53`` every operation has a relative error of at most
u. A turn takes convex combinations and maxima of numbers of at most M, so an error neither grows nor cancels from one
turn to the next, and with n operations one after another in a turn

    |computed W - exact W| <= turns * n * u / (1 - n u) * M

(N. J. Higham, *Accuracy and Stability of Numerical Algorithms*, 2nd ed., SIAM 2002, section 3.1). The bound adds this
number and the rounding of the sum of the prices, and is rounded up once more. For Yatzy it is 1e-10 points.
"""

from __future__ import annotations

import numpy as np

from ..game.dice import Floats, lattice
from ..game.scorecard import EMPTY_STATE, State
from ..model.card_masks import card_masks
from ..model.relaxed_game import RelaxedGame, intercept

UNIT_ROUNDOFF = 2.0**-53


def operations_in_turn(dice: int, faces: int, rolls: int) -> int:
    """Most rounded operations one after another between the values of the children and the value of a card."""
    # Scoring adds points less a price, rounded themselves (6, with the line above a bonus); each die of each reroll
    # is a sum over the faces and a product (faces + 1, for 1 / faces too); the mean of the first roll is a sum of
    # products in four parts with rounded weights (rolls / 4 + 8).
    grid = lattice(dice, faces)
    return 6 + (rolls - 1) * dice * (faces + 1) + -(-grid.n_rolls // 4) + 8


def rounding_error(game: RelaxedGame, values: Floats) -> float:
    """Upper bound of the rounding error of `game.offset` + W, in points."""
    rules = game.rules
    rolls = rules.rolls_per_turn + int(game.most_saved.max())
    count = operations_in_turn(rules.dice, rules.faces, rolls) + len(rules.categories)
    relative = count * UNIT_ROUNDOFF / (1 - count * UNIT_ROUNDOFF)
    points = max(float(np.abs(model.outcomes.points).max()) for model in game.models)
    bonus = sum(
        abs(intercept(b, s)) + s * b.threshold for b, s in zip(rules.bonuses, game.slopes.tolist(), strict=True)
    )
    extra = float(game.models[0].outcomes.first_roll_bonus.max(initial=0.0))
    largest = float(np.abs(values).max()) + 2 * points + extra + bonus + float(np.abs(game.prices).sum())
    return float((game.turns + 1) * relative * 1.01 * largest)


def upper_bound(game: RelaxedGame, values: Floats, state: State = EMPTY_STATE) -> float:
    """No strategy makes more points from a state on, in the mean."""
    filled = card_masks(game.rules, [state.filled])
    upper, saved, paid = (np.array([number]) for number in (state.upper, state.saved, int(state.joker_paid)))
    total = float((game.offset(filled, upper) + values[game.index(filled, upper, saved, paid)])[0])
    return float(np.nextafter(total + rounding_error(game, values), np.inf))
