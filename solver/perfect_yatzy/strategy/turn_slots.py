"""List what follows a turn without a table of states, for games that are too large to enumerate.

The value after a turn depends on the box that was filled and on what else it changes: the upper
sum, and whether the tracked box (:attr:`.RuleSet.tracked_index`) holds points. Each combination is
a *slot*::

    lower box                  one slot: the points do not matter later
    upper box                  one slot for each number of points, which raise the upper sum
    tracked box, `requires`    a slot for no points and one for points

so a state has a child value for each slot (Giant Yatzy: 119) instead of one for each outcome of the
turn (about 700).
:class:`TurnSlots` is the turn of a rule set with its outcomes by slot; it takes the place of a
:class:`..core.turn_model.TurnModel` in kernels that work on single states
(:mod:`.state_lanes_kernel`).
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ..core import turn_model
from ..core.dice import Floats, Ints
from ..core.rules import RuleSet, prerequisites
from ..core.scoring import upper_sums
from ..core.state_space import Bools, card_masks, is_wide, single_mask, unpacked
from ..core.turn_model import DiceModel, JokerModel, LegalCategories

# Pairs of boxes of a wide sheet. A regression for each of its turns is in memory.
WIDE_PAIRS = 1000


class TurnSlots(NamedTuple):
    """One turn of a rule set by slots.

    The last fields but one are those of :class:`.turn_model.TurnModel`.
    """

    slot_category: Ints  # (slots,): the category that is filled
    slot_shift: Ints  # (slots,): increase of the upper sum (:mod:`perfect_yatzy.core.scoring`)
    slot_pays: Ints  # (slots,): 1 if the box holds points and that matters
    zero_outcome: Ints  # (categories,): outcome of a box that is crossed out
    # (categories,): 1 if crossing out may be offered to every roll, because it is never better
    zero_everywhere: Ints
    # (outcomes,): the category of each outcome, numbered as in :class:`.turn_model.TurnOutcomes`
    category: Ints
    points: Ints  # (outcomes,): points of its box
    total: Floats  # (outcomes,): points made, bonus points included
    slot: Ints  # (outcomes,)
    # Roll r, if it is no joker, has the outcomes ``roll_outcomes[roll_start[r]:roll_start[r +
    # 1]]``: those that pay, and crossing out where that is not offered to every roll.
    roll_start: Ints
    roll_outcomes: Ints
    first_start: Ints  # the same for the first roll of a turn, with its bonus points
    first_outcomes: Ints
    outcome_count: int
    slot_count: int
    number: Ints
    jokers: JokerModel
    dice: DiceModel
    category_count: int
    upper_bits: int | Ints
    rolls_per_turn: int
    legal: LegalCategories
    saves_rolls: int
    has_first_roll_bonus: int
    # Bitmask of the boxes whose outcomes depend on the tracked box in a way that the rolls' lists
    # do not show: they count to an upper bonus and pay only while that box holds points.
    unpaid: int | Ints


@lru_cache(maxsize=8)
def turn_slots(rules: RuleSet) -> TurnSlots:
    """Return the turn of a rule set by slots, which is built once per process."""
    category, points, total, number = turn_model.numbered_outcomes(rules)
    sums = upper_sums(rules)
    n = len(rules.categories)
    # A box that pays for every roll has no outcome of no points yet, but can have one if it
    # requires another box. So each category without one gets it, as a further outcome.
    missing = np.setdiff1d(np.arange(n), category[(points == 0) & (total == 0)])
    category = np.concatenate([category, missing])
    points = np.concatenate([points, np.zeros_like(missing)])
    total = np.concatenate([total, np.zeros_like(missing)])
    zeros = np.flatnonzero((points == 0) & (total == 0))
    _categories, first_places = np.unique(category[zeros], return_index=True)
    zero_outcome = zeros[first_places]  # the first of each category
    tracked = np.arange(n) == rules.tracked_index
    requires = np.array([bool(box.requires) for box in rules.categories])
    slots: dict[tuple[int, int, int], int] = {}  # (category, shift, pays) -> number
    slot = []  # the slot of each outcome
    for c, made in zip(category.tolist(), points.tolist(), strict=True):
        pays = 1 if made > 0 and (tracked[c] or requires[c]) else 0
        # A new slot has the next number.
        slot.append(slots.setdefault((c, sums.shift(c, made), pays), len(slots)))
    # Where an upper sum rises, a fitted value may fall by more than the points. So such a box is
    # crossed out only by a roll that does not score in it. In the others a score leads to the same
    # card.
    counts_to_bonus = np.array([box.upper and rules.bonus is not None for box in rules.categories])
    zero_everywhere = ~counts_to_bonus & ~tracked
    strict = rules.crossing_out == "only-if-nothing-scores"

    def by_roll(way: int) -> tuple[Ints, Ints]:
        """Return ``roll_start`` and ``roll_outcomes`` for a way to score rolls."""
        outcomes = number.reshape(turn_model.SCORING_WAYS, n, -1)[way].T  # (rolls, categories)
        listed = points[outcomes] > 0
        if not strict:
            listed |= ~zero_everywhere
        return np.concatenate([[0], np.cumsum(listed.sum(axis=1))]), outcomes[listed]

    slot_category, slot_shift, slot_pays = np.ascontiguousarray(
        np.array([*slots], dtype=np.int64).T
    )
    unpaid = sum(1 << c for c in np.flatnonzero(requires & counts_to_bonus).tolist())
    roll_start, roll_outcomes = by_roll(0)  # in none of the special ways
    first_start, first_outcomes = by_roll(turn_model.ON_FIRST_ROLL)
    return TurnSlots(
        slot_category=slot_category,
        slot_shift=slot_shift,
        slot_pays=slot_pays,
        slot_count=len(slots),
        zero_outcome=zero_outcome,
        zero_everywhere=zero_everywhere.astype(np.int64),
        category=category,
        points=points,
        total=total.astype(np.float64),
        slot=np.array(slot, dtype=np.int64),
        roll_start=roll_start,
        roll_outcomes=roll_outcomes,
        first_start=first_start,
        first_outcomes=first_outcomes,
        outcome_count=len(category),
        **turn_model.turn_fields(rules),
        unpaid=single_mask(rules, unpaid),
    )


@lru_cache(maxsize=8)
def box_masks(rules: RuleSet) -> Ints:
    """Return the mask of each box alone."""
    return card_masks(rules, [1 << c for c in range(len(rules.categories))])


def open_boxes(rules: RuleSet, filled: Ints) -> Bools:
    """Return which boxes are open, ``(n, categories)``.

    `filled` has bitmasks of filled categories ``(n,)``.
    """
    return ~unpacked(rules, filled)


def allowed_boxes(rules: RuleSet, filled: Ints) -> Bools:
    """Return which boxes the next turn may fill, ``(n, categories)``.

    A joker may be restricted further.
    """
    missing = (card_masks(rules, prerequisites(rules)) & ~filled[:, None]) != 0
    waits = missing if missing.ndim == 2 else missing[..., 0] | missing[..., 1]  # of two words
    return np.asarray(open_boxes(rules, filled) & ~waits)


def extra_count(rules: RuleSet) -> int:
    """Return the number of features of a fitted value function besides open boxes and their pairs."""
    of_upper_sums = 2 * len(rules.bonuses)
    of_saved_rolls = 2 if rules.saved_rolls else 0
    of_tracked_box = 1 if rules.tracked_index >= 0 else 0
    return of_upper_sums + of_saved_rolls + of_tracked_box


def feature_count(rules: RuleSet) -> int:
    """Return the number of fitted coefficients of a value function for each number of open boxes."""
    pairs = len(feature_pairs(rules)[0])
    lines = len(feature_lines(rules)[0])
    return 1 + len(rules.categories) + pairs + extra_count(rules) + lines


@lru_cache(maxsize=8)
def feature_pairs(rules: RuleSet) -> tuple[Ints, Ints]:
    """Return the pairs of boxes that are features of a fitted value function.

    These are all pairs or, on a wide sheet, the nearest ones in a line.
    """
    n = len(rules.categories)
    first, second = np.triu_indices(n, 1)
    if is_wide(rules):
        # The boxes are listed by columns.
        column, row = np.divmod(np.arange(n), n // max(1, len(rules.columns)))
        rows_apart = np.abs(row[first] - row[second])
        columns_apart = np.abs(column[first] - column[second])
        in_line = (rows_apart == 0) | (columns_apart == 0)
        distance = np.where(in_line, rows_apart + columns_apart, n)  # other pairs are the last
        nearest_first = np.argsort(distance, kind="stable")
        kept = np.sort(nearest_first[: min(WIDE_PAIRS, np.count_nonzero(in_line))])
        first, second = first[kept], second[kept]
    return first.astype(np.int64), second.astype(np.int64)


@lru_cache(maxsize=8)
def feature_lines(rules: RuleSet) -> tuple[Ints, Ints]:
    """Return the further features and the boxes whose products are features.

    On a wide sheet a sum has products only with the boxes of its column.
    """
    related = np.ones((extra_count(rules), len(rules.categories)), dtype=bool)
    if is_wide(rules):
        for column in range(len(rules.bonuses)):
            is_in_column = [box.column == column for box in rules.categories]
            related[2 * column : 2 * column + 2] = is_in_column  # the two features of its upper sum
    extra, box = np.nonzero(related)
    return extra.astype(np.int64), box.astype(np.int64)
