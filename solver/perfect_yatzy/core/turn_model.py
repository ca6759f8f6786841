"""A rule set as the flat arrays of one turn: points of each category for each roll, successor
states, holds.

A category pays few different numbers of points. The unit of the Bellman backup is therefore the
*outcome*, a category with a number of points, together with the rolls that earn it::

    full-house  0: every roll      7: 11122     8: 11222     ...    28: 55666
                |                  |
                row of the child   row of the child, upper sum raised by `shift`

The outcome of 0 points comes first in each category. More points never lower the value of a
monotone objective, so this outcome may be offered to every roll, and its value is computed once per
card instead of once per roll.

A roll may also be scored as any hold within it. Ones pay 2 for every roll with exactly two ones. As
three ones pay more, 2 may be offered to every roll that contains 1 1, and that one hold stands for
all its rolls::

    outcome          rolls that earn it     smallest holds sure of it
    ones 2           56 rolls               1 1
    one pair 12      126 rolls              6 6
    full house 22    22266 44222 55444 ...  the same rolls
    chance 17        every roll of sum 17   the same rolls

A pass of maxima over the lattice of holds (:mod:`perfect_yatzy.core.lattice`) carries what a hold
is sure of to all rolls that contain it: 353 pairs of a hold and an outcome in Yatzy, instead of
1,544 of a roll and a category.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .dice import Floats, Ints, Lattice, lattice, sub_multisets
from .rules import RuleSet, prerequisites
from .scoring import (
    first_roll_points,
    full_points,
    is_joker,
    matching_upper_boxes,
    points_table,
    upper_sums,
)
from .state import State
from .state_space import (
    StateLayout,
    StateSpace,
    by_start,
    card_masks,
    packed,
    single_mask,
    state_space,
)

# Ways a category can score a roll, as a sum: as a joker, with the joker bonus, on the first roll,
# and while the box that other boxes require holds no points.
IN_FULL, WITH_BONUS, ON_FIRST_ROLL, UNMET = 1, 2, 4, 8
SCORING_WAYS = 16


class CategoryOutcomes(NamedTuple):
    """What the categories pay, and to which row of cards each outcome leads."""

    # category c has the outcomes ``start[c]`` to ``start[c + 1] - 1``, of which any roll may have
    # the first: it pays nothing, or the least in the class of a relaxed game
    start: Ints
    points: Floats  # (outcomes,): points for the box; less its price in a relaxed game
    # (outcomes,): increase of the upper sum (0 for lower boxes, or without an upper bonus)
    shift: Ints
    step: Ints  # (outcomes,): row of the child card minus row of the card
    # (outcomes + 1,): outcome i is earned by ``rolls[roll_start[i]:roll_start[i + 1]]``
    roll_start: Ints
    rolls: Ints  # (pairs,): lattice indices of rolls
    # The smallest holds, none for the lowest outcomes: outcome i is earned by every roll that
    # contains one of ``holds[hold_start[i]:hold_start[i + 1]]``, unless the roll earns more.
    hold_start: Ints
    holds: Ints
    # (categories,): extra points for scoring the category on the first roll
    first_roll_bonus: Floats


class TurnOutcomes(NamedTuple):
    """Every different outcome of a turn: category, points, bonus points."""

    category: Ints  # (size,): the category filled
    points: Ints  # the points of its box
    total: Floats  # (size,): points made: for the box and as bonus points
    step: Ints  # as in :class:`CategoryOutcomes`
    shift: Ints
    size: int  # how many outcomes there are


class JokerModel(NamedTuple):
    """Rolls that are jokers once the joker's box is filled. Flags are 0 or 1."""

    rolls: Ints  # (size,): their lattice indices
    number: Ints  # (rolls,): number of the joker each roll is, -1 if it is not a joker
    box: Ints  # (size,): bitmask of the matching upper boxes, 0 without one
    size: int  # how many rolls are jokers
    # bit of the joker's box in a bitmask of categories, 0 if the rules have no joker
    bit: int | Ints
    must_match: int  # 1 if an open matching upper box must be taken
    requires_points: int  # 1 if a roll is a joker only when the joker's box holds points
    bonus_requires_points: int  # 1 if the bonus is paid only then
    bonus_requires_open: int  # 1 if the bonus is paid only while a matching upper box is open
    # 1 if jokers pay in full whatever box is open, else only if no matching upper box is
    always_in_full: int


class LegalCategories(NamedTuple):
    """Which categories may take a roll, apart from jokers, as masks of :mod:`.state_space`."""

    prerequisites: Ints  # (categories,): bitmask of the categories that must be filled before each
    requiring: int | Ints  # bitmask of the categories that pay only while another box holds points
    # that of this box, or of a joker's box if it matters whether it holds points
    tracked: int | Ints
    strict: int  # 1 if a box may be crossed out only by a roll that scores in no box it may go to
    # (SCORING_WAYS * rolls,): bitmask of the categories in which a roll scores; empty if not strict
    scoring: Ints


class DiceModel(NamedTuple):
    """Rolls, the holds within them, and the lattice of holds as index arrays."""

    weights: Floats  # (rolls,): probability of each roll when all dice are rolled
    # (rolls + 1,): roll i contains the holds ``holds[hold_start[i]:hold_start[i + 1]]``
    hold_start: Ints
    # Lattice indices, most dice first (so the roll itself), then higher faces first.
    holds: npt.NDArray[np.int32]
    predecessor_start: Ints  # as in :class:`perfect_yatzy.core.dice.Lattice`
    predecessors: Ints  # (pairs,): lattice indices of each multiset after taking one die away
    # (first_roll * faces,): lattice index after adding a die, for every smaller multiset
    successors: Ints
    faces: int
    roll_count: int  # number of different rolls
    first_roll: int  # lattice index of the first roll, which is the number of smaller multisets


class TurnModel(NamedTuple):
    """One turn of a rule set as the kernels take it. Flags are 0 or 1."""

    layout: StateLayout  # where the states of a card lie in the table
    outcomes: CategoryOutcomes
    turn_outcomes: TurnOutcomes
    # (SCORING_WAYS * categories * rolls,): outcome of a category for a roll in each way to score it
    number: Ints
    jokers: JokerModel
    legal: LegalCategories
    dice: DiceModel
    category_count: int
    upper_bits: int  # bitmask of the upper categories
    card_count: int  # rows from this one on are cards whose tracked box holds points
    rolls_per_turn: int  # rolls of a turn without saved rolls
    saves_rolls: int  # whether unused rolls are saved for later turns
    has_first_roll_bonus: int
    # 0 if more points may lower the value, so that a roll that pays must not be scored as one that
    # does not: as the objective says, or because points in the joker's box restrict where later
    # jokers may go.
    monotone: int
    # 1 if a roll may be scored as any hold within it: an outcome with more points is never worth
    # less
    nested: int


def earning_holds(dice: Lattice, start: Ints, roll_start: Ints, rolls: Ints) -> tuple[Ints, Ints]:
    """Return `hold_start` and `holds` of :class:`CategoryOutcomes`, from its other arrays."""
    # The best outcome of the holds listed within a roll is the outcome of that roll. In a category
    # an outcome of more points has a higher number, and the lowest pays nothing.
    count = int(start[-1])
    lowest = start[:-1]
    # by the roll of the same place in `rolls`
    earned = np.repeat(np.arange(count), np.diff(roll_start))
    category = np.searchsorted(start, earned, side="right") - 1
    # By hold and category: the lowest outcome of the rolls that contain the hold.
    sure = np.zeros((dice.n_holds, len(lowest)), dtype=np.int64)
    sure[rolls, category] = earned
    for hold in range(dice.first_roll - 1, -1, -1):  # from the largest holds to the smallest
        sure[hold] = sure[dice.successors[hold]].min(axis=0)
    # By hold and category: the highest outcome of which a smaller hold within this one is sure.
    within = np.tile(lowest, (dice.n_holds, 1))
    for hold in range(1, dice.n_holds):
        smaller = dice.predecessors[dice.predecessor_start[hold] : dice.predecessor_start[hold + 1]]
        within[hold] = np.maximum(sure[smaller], within[smaller]).max(axis=0)
    listed = sure > within  # the smallest holds that are sure of their outcome
    # In a category with as many of them as rolls that pay, as for the sum of all dice, the rolls
    # are listed instead: they lie closer together.
    rolls_pay = sure[dice.first_roll :] > lowest
    by_roll = listed.sum(axis=0) >= rolls_pay.sum(axis=0)  # by category
    listed[: dice.first_roll, by_roll] = False
    listed[dice.first_roll :, by_roll] = rolls_pay[:, by_roll]
    holds = np.nonzero(listed)[0]
    outcomes = sure[listed]
    order = np.lexsort((holds, outcomes))  # by outcome, then by hold
    return np.searchsorted(outcomes[order], np.arange(count + 1)).astype(np.int64), holds[order]


def row_steps(rules: RuleSet, space: StateSpace, category: Ints, points: Ints) -> tuple[Ints, Ints]:
    """Return the changes of row and of upper sum when categories are filled with points."""
    tracked_pays = (category == rules.tracked_index) & (points > 0)
    steps = space.step_of[category] + np.where(tracked_pays, space.cards, 0)
    return steps, upper_sums(rules).category_weights[category] * points


def _category_outcomes(rules: RuleSet, space: StateSpace) -> CategoryOutcomes:
    dice = lattice(rules.dice, rules.faces)
    table = points_table(rules)
    outcomes = [
        (c, points) for c, paid in enumerate(table.tolist()) for points in sorted({0, *paid})
    ]  # category and points
    category, points = np.ascontiguousarray(np.array(outcomes, dtype=np.int64).T)
    start = np.searchsorted(category, np.arange(len(table) + 1))
    rolls_of = [np.flatnonzero(table[c] == paid) + dice.first_roll for c, paid in outcomes]
    roll_start = np.cumsum([0, *map(len, rolls_of)], dtype=np.int64)
    rolls = np.concatenate(rolls_of)
    step, shift = row_steps(rules, space, category, points)
    hold_start, holds = earning_holds(dice, start, roll_start, rolls)
    return CategoryOutcomes(
        start=start,
        points=points.astype(np.float64),
        shift=shift,
        step=step,
        roll_start=roll_start,
        rolls=rolls,
        hold_start=hold_start,
        holds=holds,
        first_roll_bonus=np.array(first_roll_points(rules), dtype=np.float64),
    )


@lru_cache(maxsize=8)
def joker_model(rules: RuleSet) -> JokerModel:
    """Return the jokers of a rule set; those of the last rule sets are kept."""
    dice = lattice(rules.dice, rules.faces)
    joker = rules.joker
    counts = dice.counts[dice.first_roll :].tolist()
    rolls = [i for i, roll in enumerate(counts) if is_joker(rules, roll)]
    number = np.full(len(counts), -1, dtype=np.int64)
    number[rolls] = np.arange(len(rolls))
    return JokerModel(
        rolls=np.array(rolls, dtype=np.int64) + dice.first_roll,
        number=number,
        size=len(rolls),
        box=card_masks(rules, [matching_upper_boxes(rules, counts[i]) for i in rolls]),
        bit=single_mask(rules, 1 << rules.joker_index if joker else 0),
        must_match=int(joker is not None and joker.mode == "forced"),
        requires_points=int(joker is not None and joker.requires == "points"),
        bonus_requires_points=int(joker is not None and joker.bonus_requires == "points"),
        bonus_requires_open=int(joker is not None and joker.bonus_while == "matching-box-open"),
        always_in_full=int(joker is not None and joker.mode == "maximum"),
    )


@lru_cache(maxsize=8)
def legal_categories(rules: RuleSet) -> LegalCategories:
    """Return which categories of a rule set may take a roll, built once per process."""
    strict = rules.crossing_out == "only-if-nothing-scores"
    scoring = card_masks(rules, [])
    if strict:
        outcomes = numbered_outcomes(rules)
        number = outcomes.number.reshape(SCORING_WAYS, len(rules.categories), -1)
        pays = outcomes.points[number] > 0  # (ways, categories, rolls)
        scoring = packed(rules, np.moveaxis(pays, 1, 2).reshape(-1, len(rules.categories)))
    requiring = sum(1 << c for c, box in enumerate(rules.categories) if box.requires)
    tracked = 1 << rules.tracked_index if rules.tracked_index >= 0 else 0
    return LegalCategories(
        prerequisites=card_masks(rules, prerequisites(rules)),
        requiring=single_mask(rules, requiring),
        tracked=single_mask(rules, tracked),
        strict=int(strict),
        scoring=scoring,
    )


@lru_cache(maxsize=8)
def dice_model(number: int, faces: int) -> DiceModel:
    """Return the rolls and holds of so many dice, built once per process."""
    dice = lattice(number, faces)
    # Lattice order is by size, then low faces first: backwards it is most dice, then high faces.
    holds = [
        np.sort(dice.rank(sub_multisets(counts)))[::-1] for counts in dice.counts[dice.first_roll :]
    ]
    return DiceModel(
        weights=dice.weights,
        faces=faces,
        roll_count=dice.n_rolls,
        first_roll=dice.first_roll,
        hold_start=np.cumsum([0, *map(len, holds)], dtype=np.int64),
        holds=np.concatenate(holds).astype(np.int32),
        predecessor_start=dice.predecessor_start,
        predecessors=dice.predecessors,
        successors=np.ascontiguousarray(dice.successors.ravel()),
    )


def turn_fields(rules: RuleSet) -> dict[str, Any]:
    """Return the fields of a TurnModel that :class:`.turn_slots.TurnSlots` has, too."""
    return {
        "number": numbered_outcomes(rules).number,
        "jokers": joker_model(rules),
        "legal": legal_categories(rules),
        "dice": dice_model(rules.dice, rules.faces),
        "category_count": len(rules.categories),
        "upper_bits": single_mask(
            rules, sum(1 << c for c, box in enumerate(rules.categories) if box.upper)
        ),
        "rolls_per_turn": rules.rolls_per_turn,
        "saves_rolls": int(rules.saved_rolls),
        "has_first_roll_bonus": int(bool(rules.first_roll_bonus)),
    }


@by_start
def turn_model(rules: RuleSet, start: State) -> TurnModel:
    """Return the turn of a rule set, or of the rest of a game from `start`."""
    space = state_space(rules, start)
    joker = rules.joker
    monotone = not (joker and joker.mode == "forced" and joker.requires == "points")
    return TurnModel(
        layout=space.layout,
        card_count=space.cards,
        outcomes=_category_outcomes(rules, space),
        turn_outcomes=turn_outcomes(rules, start),
        monotone=int(monotone),
        nested=int(monotone and not legal_categories(rules).strict),
        **turn_fields(rules),
    )


class NumberedOutcomes(NamedTuple):
    """The outcomes of a turn of a rule set, for any start."""

    category: Ints  # (outcomes,) each, as in :class:`TurnOutcomes`
    points: Ints
    total: Ints
    number: Ints  # as in :class:`TurnModel`


@lru_cache(maxsize=8)
def numbered_outcomes(rules: RuleSet) -> NumberedOutcomes:
    """Return all outcomes of a turn, and which of them each roll has in each category."""
    plain = points_table(rules)
    full = full_points(rules)
    joker_bonus = rules.joker.bonus if rules.joker else 0
    extra = first_roll_points(rules)
    outcomes: dict[tuple[int, int, int], int] = {}  # (category, points, total) -> number, from 0 on
    number = np.zeros((SCORING_WAYS, *plain.shape), dtype=np.int64)
    for c, box in enumerate(rules.categories):
        matters = 0  # the parts of a way that make a difference to this category
        matters += IN_FULL if (full[c] != plain[c]).any() else 0
        matters += WITH_BONUS if joker_bonus > 0 else 0
        matters += ON_FIRST_ROLL if extra[c] > 0 else 0
        matters += UNMET if box.requires else 0
        for way in range(SCORING_WAYS):
            if way & ~matters:
                number[way, c] = number[way & matters, c]  # a smaller way, which has its numbers
                continue
            paid = full if way & IN_FULL else plain
            for roll, points_of_roll in enumerate(paid[c].tolist()):
                points = 0 if way & UNMET else points_of_roll
                total = points + (joker_bonus if way & WITH_BONUS else 0)
                total += extra[c] if way & ON_FIRST_ROLL and points else 0
                # a new one is the next
                number[way, c, roll] = outcomes.setdefault((c, points, total), len(outcomes))
    category, box_points, totals = np.ascontiguousarray(np.array([*outcomes], dtype=np.int64).T)
    return NumberedOutcomes(category, box_points, totals, number.ravel())


@by_start
def turn_outcomes(rules: RuleSet, start: State) -> TurnOutcomes:
    """Return the outcomes of a turn of a rule set, or of the rest of a game from `start`."""
    category, points, total, _number = numbered_outcomes(rules)
    step, shift = row_steps(rules, state_space(rules, start), category, points)
    return TurnOutcomes(category, points, total.astype(np.float64), step, shift, len(category))
