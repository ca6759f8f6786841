"""One rule set as arrays: what every category pays for every roll, where that leads, how holds join up.

A category pays few different points, so the unit is the *outcome*: a category with a number of points, and
the rolls that earn it. ::

    full-house  0: every roll      7: 11122     8: 11222     ...    28: 55666
                |                  |
                row of the child   row of the child, upper sum raised by `shift`

The zero outcome comes first in each category. As more points are never worth less, it may as well be open to any
roll, and is computed once per card and not once per roll.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ..game.dice import Floats, Ints, lattice, sub_multisets
from ..game.points import points_table
from ..game.rules import RuleSet
from ..game.scorecard import EMPTY_STATE, State
from ..game.scoring import category_points, is_joker, matching_upper_box
from .state_space import StateSpace, state_space


class TurnModel(NamedTuple):
    """A rule set as the kernels take it: flat int64 arrays unless said otherwise, and plain numbers.

    Attributes
    ----------
    masks, offsets, sets, lane_count, lane_upper, lane_of
        :class:`perfect_yatzy.model.state_space.StateLayout`, the last two flat with ``lane_width`` and
        ``upper_width`` a
        row.
    outcome_start : (categories + 1,)
        Category c has the outcomes ``outcome_start[c]`` up to ``outcome_start[c + 1]``; the first pays nothing.
    points : (outcomes,) float64
        Points for the box.
    shift : (outcomes,)
        What the upper sum gains (0 for lower boxes, or where there is no bonus).
    step : (outcomes,)
        What to add to the row of the card to arrive at its child.
    roll_start, outcome_rolls : (outcomes + 1,) and (pairs,)
        Rolls that earn the outcome, as lattice indices.
    moves : (categories,)
        1 where the category counts to the upper sum.
    first_bonus : (categories,) float64
        Extra points for scoring the category on the first roll.
    joker_rolls : (jokers,)
        Lattice indices of the rolls that are jokers once the joker's box is filled.
    joker_box : (jokers,)
        Bit of the matching upper box, 0 without one.
    joker_plain, joker_full : (categories * jokers,)
        Points by the dice, and with fixed points paid in full.
    roll_points : (categories * rolls,)
        Points by the dice of each category for each roll.
    joker_of : (rolls,)
        Number of the joker a roll is, -1 if it is none.
    within_start, within : (rolls + 1,) and (pairs,) int32
        All holds of each roll as lattice indices, most dice first, then higher faces first.
    weights : (rolls,) float64
        Probability of each first roll.
    exactly : int
        1 where more points may be worth less, so that a roll that pays must not be taken for one that does not.
    """

    masks: Ints
    offsets: Ints
    sets: Ints
    lane_count: Ints
    lane_upper: Ints
    lane_of: Ints
    outcome_start: Ints
    points: Floats
    shift: Ints
    step: Ints
    roll_start: Ints
    outcome_rolls: Ints
    moves: Ints
    first_bonus: Floats
    joker_rolls: Ints
    joker_box: Ints
    joker_plain: Ints
    joker_full: Ints
    roll_points: Ints
    joker_of: Ints
    within_start: Ints
    within: Ints
    weights: Floats
    lane_width: int
    upper_width: int
    categories: int
    rolls: int
    first_roll: int
    rolls_per_turn: int
    cards: int
    jokers: int
    joker_bit: int
    upper_bits: int
    must_match: int
    joker_bonus: float
    forced: int
    saved_rolls: int
    has_first_bonus: int
    exactly: int


def _outcomes(rules: RuleSet, space: StateSpace) -> dict[str, Ints | Floats]:
    dice, table = lattice(rules.dice, rules.faces), points_table(rules)
    start, points, shift, step, roll_start, rolls = [0], [], [], [], [0], []
    for c in range(len(rules.categories)):
        paid = table[c]
        for value in sorted({0, *paid.tolist()}):
            points.append(value)
            shift.append(value if c in space.upper else 0)
            child = 1 if space.forced else 1 << space.bit_of.get(c, 0)
            to_paid = space.flags == 2 and c == rules.joker_index and value > 0
            step.append(child + (space.cards if to_paid else 0))
            rolls += (np.flatnonzero(paid == value) + dice.first_roll).tolist()
            roll_start.append(len(rolls))
        start.append(len(points))
    extra = dict(rules.first_roll_bonus)
    return {
        "roll_points": table.ravel(),
        "outcome_start": np.array(start, dtype=np.int64),
        "points": np.array(points, dtype=np.float64),
        "shift": np.array(shift, dtype=np.int64),
        "step": np.array(step, dtype=np.int64),
        "roll_start": np.array(roll_start, dtype=np.int64),
        "outcome_rolls": np.array(rolls, dtype=np.int64),
        "moves": np.array([c in space.upper for c in range(len(rules.categories))], dtype=np.int64),
        "first_bonus": np.array([extra.get(c.id, 0) for c in rules.categories], dtype=np.float64),
    }


@lru_cache(maxsize=8)
def _jokers(rules: RuleSet) -> dict[str, Ints]:
    dice = lattice(rules.dice, rules.faces)
    counts = dice.counts[dice.first_roll :].tolist()
    extra = [i for i, roll in enumerate(counts) if is_joker(rules, roll)]
    boxes = [matching_upper_box(rules, counts[i]) for i in extra]

    def points(in_full: bool) -> Ints:
        table = [category_points(c, counts[i], in_full and not c.upper) for c in rules.categories for i in extra]
        return np.array(table, dtype=np.int64)

    joker_of = np.full(len(counts), -1, dtype=np.int64)
    joker_of[extra] = np.arange(len(extra))
    return {
        "joker_of": joker_of,
        "joker_rolls": np.array(extra, dtype=np.int64) + dice.first_roll,
        "joker_box": np.array([1 << box if box >= 0 else 0 for box in boxes], dtype=np.int64),
        "joker_plain": points(False),
        "joker_full": points(rules.joker is not None and rules.joker.mode != "none"),
    }


@lru_cache(maxsize=8)
def _holds_within(number: int, faces: int) -> dict[str, Ints]:
    dice = lattice(number, faces)
    start, within = [0], []
    for counts in dice.counts[dice.first_roll :]:
        # Lattice order is by size, then low faces first: backwards it is most dice, then high faces.
        within.append(np.sort(dice.rank(sub_multisets(counts)))[::-1])
        start.append(start[-1] + len(within[-1]))
    return {"within_start": np.array(start, dtype=np.int64), "within": np.concatenate(within).astype(np.int32)}


def turn_model(rules: RuleSet, start: State = EMPTY_STATE) -> TurnModel:
    """The arrays and numbers of a rule set, or of the rest of a game from `start`; built once a process."""
    return _turn_model(rules, start)


@lru_cache(maxsize=8)
def _turn_model(rules: RuleSet, start: State) -> TurnModel:
    dice, space = lattice(rules.dice, rules.faces), state_space(rules, start)
    layout, joker = space.layout, rules.joker
    extra: dict[str, Any] = {**_outcomes(rules, space), **_jokers(rules), **_holds_within(rules.dice, rules.faces)}
    return TurnModel(
        masks=layout.masks,
        offsets=layout.offsets,
        sets=layout.sets,
        lane_count=layout.lane_count,
        lane_upper=layout.lane_upper.ravel(),
        lane_of=layout.lane_of.ravel(),
        weights=dice.weights,
        lane_width=layout.lane_upper.shape[1],
        upper_width=layout.lane_of.shape[1],
        categories=len(rules.categories),
        rolls=dice.n_rolls,
        first_roll=dice.first_roll,
        rolls_per_turn=rules.rolls_per_turn,
        cards=space.cards,
        jokers=len(extra["joker_rolls"]),
        joker_bit=1 << rules.joker_index if joker else 0,
        upper_bits=sum(1 << c for c, category in enumerate(rules.categories) if category.upper),
        must_match=int(joker is not None and joker.mode == "forced"),
        joker_bonus=float(joker.bonus if joker else 0),
        forced=int(space.forced),
        saved_rolls=int(rules.saved_rolls),
        has_first_bonus=int(bool(rules.first_roll_bonus)),
        exactly=0,
        **extra,
    )


IN_FULL, WITH_BONUS, ON_FIRST_ROLL = 1, 2, 4  # which of the eight tables


class TurnOutcomes(NamedTuple):
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


def turn_outcomes(rules: RuleSet, start: State = EMPTY_STATE) -> TurnOutcomes:
    """The payouts of a rule set, or of the rest of a game from `start`; built once a process."""
    return _turn_outcomes(rules, start)


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
    of = np.zeros((8, len(rules.categories), dice.n_rolls), dtype=np.int64)
    for c, box in enumerate(rules.categories):
        for way in range(8):
            for i, paid in enumerate((full if way & IN_FULL else plain)[c].tolist()):
                bonus_points = (bonus if way & WITH_BONUS else 0) + (
                    extra.get(box.id, 0) if way & ON_FIRST_ROLL and paid else 0
                )
                of[way, c, i] = found.setdefault((c, paid, paid + bonus_points), len(found))
    category, points, total = np.ascontiguousarray(np.array([*found], dtype=np.int64).T)
    return _Kinds(category, points, total, of.ravel())


@lru_cache(maxsize=8)
def _turn_outcomes(rules: RuleSet, start: State) -> TurnOutcomes:
    dice, space, kinds = lattice(rules.dice, rules.faces), state_space(rules, start), _kinds(rules)
    category, points = kinds.category, kinds.points
    card = np.array([1 if space.forced else 1 << space.bit_of.get(c, 0) for c in category.tolist()])
    to_paid = (space.flags == 2) & (category == rules.joker_index) & (points > 0)
    return TurnOutcomes(
        category=category,
        points=points,
        total=kinds.total.astype(np.float64),
        step=(card + to_paid * space.cards).astype(np.int64),
        shift=np.where(np.isin(category, space.upper), points, 0).astype(np.int64),
        of=kinds.of,
        sizes=dice.counts.sum(axis=1),
        ends=len(category),
    )
