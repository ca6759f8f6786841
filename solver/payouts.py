"""What a turn can end with, as arrays: a category, the points its box receives, and what comes beside them.

The mean needs only the best worth of every roll. Who follows a policy (its spread, its distribution, its games)
must know *which* way a turn ends, so every different ending of a rule set has a number, its *payout*, and a table
says which one a category pays for a roll: plain, as a joker in full, with the joker bonus, on the first roll.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from .dice import Floats, Ints, lattice
from .rules import RuleSet
from .scoring import category_points
from .states import EMPTY, State, points_table, state_space

IN_FULL, WITH_BONUS, ON_FIRST_ROLL = 1, 2, 4  # which of the eight tables


class Payouts(NamedTuple):
    """Every different ending of a turn (int64 unless said otherwise).

    Attributes
    ----------
    category, points : (payouts,)
        What is filled, and what the box receives.
    total : (payouts,) float64
        Points made: for the box and beside it.
    step, shift : (payouts,)
        What to add to the row of the card, and to its upper sum.
    of : (8 * categories * rolls,)
        Payout of a category for a roll in each of the eight ways.
    sizes : (holds,)
        Number of dice of each hold.
    ends : int
        How many payouts there are.
    """

    category: Ints
    points: Ints
    total: Floats
    step: Ints
    shift: Ints
    of: Ints
    sizes: Ints
    ends: int


def payouts(rules: RuleSet, start: State = EMPTY) -> Payouts:
    """The payouts of a rule set, or of the rest of a game from `start`; built once a process."""
    return _payouts(rules, start)


class _Kinds(NamedTuple):
    """What does not depend on the card a game goes on from."""

    category: Ints
    points: Ints
    total: Ints
    of: Ints


@lru_cache(maxsize=8)
def _kinds(rules: RuleSet) -> _Kinds:
    dice, plain = lattice(rules.dice, rules.faces), points_table(rules)
    bonus = rules.joker.bonus if rules.joker else 0
    full = plain
    if rules.joker and rules.joker.mode != "none":
        rolls = dice.counts[dice.first_roll :].tolist()
        full = np.array([[category_points(c, roll, not c.upper) for roll in rolls] for c in rules.categories])
    extra = dict(rules.first_roll_bonus)
    found: dict[tuple[int, int, int], int] = {}  # (category, points, total) -> number
    of = np.zeros((8, len(rules.categories), dice.rolls), dtype=np.int64)
    for c, box in enumerate(rules.categories):
        for way in range(8):
            for i, paid in enumerate((full if way & IN_FULL else plain)[c].tolist()):
                beside = (bonus if way & WITH_BONUS else 0) + (
                    extra.get(box.id, 0) if way & ON_FIRST_ROLL and paid else 0
                )
                of[way, c, i] = found.setdefault((c, paid, paid + beside), len(found))
    category, points, total = np.ascontiguousarray(np.array([*found], dtype=np.int64).T)
    return _Kinds(category, points, total, of.ravel())


@lru_cache(maxsize=8)
def _payouts(rules: RuleSet, start: State) -> Payouts:
    dice, space, kinds = lattice(rules.dice, rules.faces), state_space(rules, start), _kinds(rules)
    category, points = kinds.category, kinds.points
    card = np.array([1 if space.forced else 1 << space.bit_of.get(c, 0) for c in category.tolist()])
    to_paid = (space.flags == 2) & (category == rules.joker_index) & (points > 0)
    return Payouts(
        category=category,
        points=points,
        total=kinds.total.astype(np.float64),
        step=(card + to_paid * space.cards).astype(np.int64),
        shift=np.where(np.isin(category, space.upper), points, 0).astype(np.int64),
        of=kinds.of,
        sizes=dice.counts.sum(axis=1),
        ends=len(category),
    )
