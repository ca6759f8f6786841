"""Write hold rules as arrays: the dice each rule names for every roll, and the cards it applies to.

:func:`decisions` is the reference for what a list does, in NumPy only. :mod:`.hold_rules_kernel` is
the compiled form.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from ..core.dice import Floats, Ints, lattice
from ..core.rules import RuleSet, prerequisites
from ..core.scoring import full_points, points_table, upper_sums
from ..core.state import EMPTY_STATE, State
from ..core.state_space import StateSpace, state_space
from ..core.table_slices import window
from ..objectives.policy_quantities import RowActions
from .hold_rule_arrays import NO_FIT, ROLL_ALL, STOP, HoldRuleArrays
from .hold_rules import ON_UPPER_SUM, Condition, DicePattern, HoldRule, all_categories
from .policy import Acting
from .strategy_sheet import PriceSheet, has_step_ahead

Holds = npt.NDArray[np.int32]
CARD_LIMITS = ("all_open", "none_open", "scored", "rerolls", "least_turns", "most_turns")


def collected_faces(rules: RuleSet) -> list[int]:
    """Return the faces that upper categories collect, ascending.

    Bit i of a bitmask of open faces stands for the i-th.
    """
    return sorted({c.face for c in rules.categories if c.face})


def face_bits(rules: RuleSet) -> list[int]:
    """Return the bit of the face that each category collects, 0 if it collects none."""
    collected = collected_faces(rules)
    return [1 << collected.index(c.face) if c.face else 0 for c in rules.categories]


@lru_cache(maxsize=512)
def pattern_holds(rules: RuleSet, pattern: DicePattern) -> Holds:
    """Return the lattice index of the dice a pattern names in each roll, or NO_FIT.

    The array is ``(1 or 2^faces, rolls)``, a line for each bitmask of open faces if they matter.
    """
    dice = lattice(rules.dice, rules.faces)
    # (masks, rolls, faces)
    shown = dice.counts[None, dice.first_roll :] * _counted_faces(rules, pattern)[:, None]
    if pattern.kind == "any":
        fits = np.ones(shown.shape[:2], dtype=bool)
        kept = np.zeros_like(shown)
    elif pattern.kind == "pays":
        fits = (paying(rules, pattern) != 0)[None, :]
        kept = shown
    elif pattern.kind == "dice":
        fits = shown.sum(-1) > 0
        kept = shown
    elif pattern.kind == "different":
        kept = np.minimum(shown, 1)
        fits = kept.sum(-1) >= pattern.sizes[0]
    elif pattern.kind == "row":
        fits, kept = _longest_row(shown > 0, pattern.sizes[0])
    else:
        fits, kept = _groups(shown, pattern)
    return np.where(fits, dice.rank(kept), NO_FIT).astype(np.int32)


def _counted_faces(rules: RuleSet, pattern: DicePattern) -> npt.NDArray[np.bool_]:
    """Return the faces that count, ``(1 or 2^faces, faces)``.

    There is a line for each bitmask of open faces if they matter.
    """
    in_range = np.zeros((1, rules.faces), dtype=bool)
    in_range[0, pattern.low - 1 : pattern.high] = True
    if not pattern.open:
        return in_range
    collected = collected_faces(rules)
    masks = np.arange(1 << len(collected))
    is_open = np.zeros((len(masks), rules.faces), dtype=bool)
    for i, face in enumerate(collected):
        is_open[:, face - 1] = masks >> i & 1 == 1
    return np.asarray(in_range & is_open)


def _longest_row(shows: npt.NDArray[np.bool_], least: int) -> tuple[npt.NDArray[np.bool_], Ints]:
    """Return whether a row of at least so many faces is there, and its dice.

    Of several rows the longest is taken, then the highest.
    """
    faces = shows.shape[-1]
    best = np.zeros(shows.shape[:-1], dtype=np.int64)
    kept = np.zeros(shows.shape, dtype=np.int64)
    for length in range(least, faces + 1):
        for first in range(faces - length + 1):  # later rows are longer, or as long and higher
            row = shows[..., first : first + length].all(-1)
            best[row] = length
            kept[row] = 0
            kept[row, first : first + length] = 1
    return best >= least, kept


def _groups(shown: Ints, pattern: DicePattern) -> tuple[npt.NDArray[np.bool_], Ints]:
    """Return whether groups of the sizes of a pattern are there, and all dice of their faces.

    Each group has another face.
    """
    faces = shown.shape[-1]
    left = shown.copy()  # dice that no group has taken
    kept = np.zeros_like(shown)
    fits = np.ones(shown.shape[:2], dtype=bool)
    # This decides which of the faces with equally many dice is taken.
    preference = np.arange(faces)[::-1] if pattern.lowest else np.arange(faces)
    # The largest group goes to the largest size, so that two groups fit whenever any assignment of
    # them does.
    for size in pattern.sizes:
        ranking = np.where(left >= size, left * faces + preference, -1)
        face = ranking.argmax(-1)[..., None]
        dice_of_face = np.take_along_axis(left, face, -1)
        # If no face has enough dice, `face` is any of them, and has too few.
        fits &= dice_of_face[..., 0] >= size
        np.put_along_axis(kept, face, dice_of_face, -1)
        np.put_along_axis(left, face, 0, -1)
    return fits, kept


def paying(rules: RuleSet, pattern: DicePattern) -> Ints:
    """Return the bitmask of the categories of a pattern ``pays`` that pay enough for each roll."""
    positions = np.array([rules.index_of[c] for c in pattern.categories])
    pays = points_table(rules)[positions] >= pattern.least  # (categories of the pattern, rolls)
    return np.asarray((1 << positions) @ pays)


@lru_cache(maxsize=16)
def boxes_of_use(rules: RuleSet, jokers: bool) -> Ints:
    """Return the bitmask of the categories in which the dice of each hold may count, ``(holds,)``.

    With `jokers` they may also count as jokers.
    """
    dice = lattice(rules.dice, rules.faces)
    paid = points_table(rules) > 0  # (categories, rolls)
    if jokers:  # rolls of the joker's kind count in every box that pays full points for them
        paid |= (full_points(rules) > 0) & paid[rules.joker_index]
    is_of_use = np.zeros((dice.n_holds, len(paid)), dtype=bool)
    is_of_use[dice.first_roll :] = paid.T
    # A hold is of use if it is with one die more. Larger holds have higher numbers, so they come
    # first.
    for hold in range(dice.first_roll - 1, -1, -1):
        is_of_use[hold] = is_of_use[dice.successors[hold]].any(axis=0)
    for c, box in enumerate(rules.categories):
        if box.face:  # an upper box counts dice of its face alone
            is_of_use[:, c] = dice.counts[:, box.face - 1] > 0
    return np.asarray(is_of_use @ (1 << np.arange(len(paid))))


def rule_lines(rules: RuleSet, rule: HoldRule) -> tuple[Holds, Ints]:
    """Return what a rule does with every roll if its conditions hold, and the boxes it counts for.

    The actions are as in :func:`pattern_holds`.

    The boxes are bitmasks, 0 where the rule does not fit, ``(2, lines, rolls)``: first those of
    cards on which rolls of the joker's kind are no jokers, then those of cards on which they are.
    """
    named = pattern_holds(rules, rule.pattern)
    first_roll = lattice(rules.dice, rules.faces).first_roll
    fits = named != NO_FIT
    if rule.action == "keep":
        actions = np.where(named >= first_roll, STOP, named)  # to keep all dice is to stop
    else:
        actions = np.where(fits, STOP if rule.action == "stop" else ROLL_ALL, NO_FIT)
    uses = [_uses(rules, rule, actions, jokers) for jokers in (False, joker_box(rules) > 0)]
    return actions.astype(np.int32), np.stack([np.where(fits, boxes, 0) for boxes in uses])


def _uses(rules: RuleSet, rule: HoldRule, actions: Ints, jokers: bool) -> Ints | int:
    """Return the bitmask of the boxes of :func:`rule_lines`, as if the rule fitted every roll.

    It is -1, which has all bits, for any box.
    """
    if rule.pattern.kind == "pays":
        return paying(rules, rule.pattern)
    if rule.action == "roll all":
        return -1
    by_hold = boxes_of_use(rules, jokers)
    first_roll = lattice(rules.dice, rules.faces).first_roll
    # To stop is to keep all dice.
    return np.where(actions == STOP, by_hold[first_roll:], by_hold[np.maximum(actions, 0)])


def joker_box(rules: RuleSet) -> int:
    """Return the bit of the joker's box if its rolls may score as jokers once it is filled, else 0."""
    return 1 << rules.joker_index if rules.joker and rules.joker.mode != "none" else 0


def joker_scored(rules: RuleSet) -> bool:
    """Return whether rolls of the joker's kind score as jokers only once its box holds points."""
    return rules.joker is not None and rules.joker.requires == "points"


def bonus_box(rules: RuleSet) -> int:
    """Return the bit of the joker's box if another roll of its kind can pay a bonus, else 0.

    It can do so once the box holds points.
    """
    has_bonus = rules.joker is not None and rules.joker.bonus > 0
    pays = has_bonus and rules.tracked_index == rules.joker_index
    return 1 << rules.joker_index if pays else 0


def rules_on_upper(rules: RuleSet, hold_rules: Sequence[HoldRule], space: StateSpace) -> Ints:
    """Return the bitmask of the rules whose conditions on the upper sum hold in each lane.

    The array is ``(lane sets, lane_width)``.
    """
    # Upper sums share a lane only if they differ in columns that have lost their bonus, or reached
    # its last step. No condition looks at those, so it holds for all sums of a lane or for none.
    layout = space.layout
    filled = np.array(
        [space.lanes.filled(lane_set) for lane_set in range(len(layout.lane_upper))], dtype=np.int64
    )
    applying = np.full(layout.lane_upper.shape, (1 << len(hold_rules)) - 1, dtype=np.int64)
    for condition in {c for rule in hold_rules for c in rule.conditions if c.kind in ON_UPPER_SUM}:
        is_met = holds_on_upper(rules, condition, filled[:, None], layout.lane_upper)
        with_it = sum(1 << i for i, rule in enumerate(hold_rules) if condition in rule.conditions)
        applying &= np.where(is_met, -1, ~with_it)  # -1 keeps all bits
    return np.ascontiguousarray(applying)


def holds_on_upper(
    rules: RuleSet, condition: Condition, filled: Ints, upper: Ints
) -> npt.NDArray[np.bool_]:
    """Return whether a condition on the upper sum holds, by the filled boxes and the sum."""
    if condition.kind == "bonus needs":
        needed = _dice_needed(rules, filled, upper)
        return np.asarray((condition.low <= needed) & (needed <= condition.high))
    return np.asarray(_is_above_par(rules, filled, upper) == (condition.kind == "above par"))


def _is_above_par(rules: RuleSet, filled: Ints, upper: Ints) -> npt.NDArray[np.bool_]:
    """Return whether an upper bonus is in reach and at least on par.

    A column can still reach a step of its bonus, and all that can have at least par.
    """
    sums = upper_sums(rules)
    has_step = []  # by column
    is_below = []  # by column
    columns = zip(
        rules.bonuses, sums.split(upper), sums.to_come(filled), sums.to_come(0), strict=True
    )
    for bonus, made, to_come, most in columns:
        is_ahead = has_step_ahead(bonus, made, to_come)
        has_step.append(is_ahead)
        # Par is the threshold times the share of the filled boxes in the most that all can pay.
        is_below.append(is_ahead & (made * most < bonus.threshold * (most - to_come)))
    return np.asarray(np.any(has_step, axis=0) & ~np.any(is_below, axis=0))


def _dice_needed(rules: RuleSet, filled: Ints, upper: Ints) -> Ints:
    """Return the fewest dice in each empty upper box that reach the next step of a bonus.

    It is a large number if all dice do not.
    """
    sums = upper_sums(rules)
    needed = np.full(np.broadcast_shapes(filled.shape, upper.shape), np.iinfo(np.int64).max)
    for bonus, made, to_come in zip(
        rules.bonuses, sums.split(upper), sums.to_come(filled), strict=True
    ):
        for least, _ in bonus.steps:
            missing = least - made
            is_ahead = (missing > 0) & (missing <= to_come)
            dice = (missing * rules.dice + to_come - 1) // np.maximum(to_come, 1)  # rounded up
            needed = np.where(is_ahead, np.minimum(needed, dice), needed)
    return needed


def hold_rule_arrays(
    rules: RuleSet, hold_rules: Sequence[HoldRule], space: StateSpace
) -> HoldRuleArrays:
    """Return a list of rules as the kernel takes it, for the states of `space`."""
    n_rolls = lattice(rules.dice, rules.faces).n_rolls
    lines = [rule_lines(rules, rule) for rule in hold_rules]  # actions and boxes of each rule
    holds = [actions.ravel() for actions, _ in lines]
    without_jokers = [uses[0].ravel() for _, uses in lines]
    with_jokers = [uses[1].ravel() for _, uses in lines]
    limits = [_card_limits(rules, rule) for rule in hold_rules]
    any_open = [limit["any_open"] for limit in limits]  # the masks of each rule
    return HoldRuleArrays(
        size=len(hold_rules),
        holds=np.concatenate([*holds, np.zeros(1, np.int32)]),
        of_use=np.concatenate([*without_jokers, *with_jokers, _ints([])]),
        start=np.cumsum([0, *map(len, holds)]),
        per_mask=_ints([n_rolls if len(actions) > 1 else 0 for actions, _ in lines]),
        any_start=np.cumsum([0, *map(len, any_open)]),
        any_open=_ints([mask for masks in any_open for mask in masks]),
        **{name: _ints([limit[name] for limit in limits]) for name in CARD_LIMITS},
        joker_box=joker_box(rules),
        joker_scored=int(joker_scored(rules)),
        bonus_box=bonus_box(rules),
        face_bit=_ints(face_bits(rules)),
        on_upper=rules_on_upper(rules, hold_rules, space).ravel(),
    )


def _card_limits(rules: RuleSet, rule: HoldRule) -> dict[str, Any]:
    """Return the conditions of a rule as numbers, by the fields of :class:`HoldRuleArrays`."""
    limits: dict[str, Any] = dict.fromkeys(("all_open", "none_open", "scored", "least_turns"), 0)
    limits |= {"rerolls": -1, "most_turns": len(rules.categories), "any_open": ()}
    for condition in rule.conditions:
        mask = category_mask(rules, condition)
        if condition.kind == "open" and mask.bit_count() == 1:
            limits["all_open"] |= mask
        elif condition.kind == "open":
            limits["any_open"] += (mask,)
        elif condition.kind == "closed":
            limits["none_open"] |= mask
        elif condition.kind == "only":
            limits["none_open"] |= rules.full_mask & ~mask
        elif condition.kind == "scored":
            limits["scored"] = 1
        elif condition.kind == "rolls left":
            limits["rerolls"] &= 1 << condition.low
        elif condition.kind == "turns left":
            limits["least_turns"] = max(limits["least_turns"], condition.low)
            limits["most_turns"] = min(limits["most_turns"], condition.high)
    return limits


def category_mask(rules: RuleSet, condition: Condition) -> int:
    """Return the bitmask of the categories of a condition."""
    return sum(1 << rules.index_of[c] for c in all_categories(rules, condition))


def _ints(values: Sequence[int]) -> Ints:
    """Return an int64 array with one more entry, so that it is never empty."""
    return np.array([*values, 0], dtype=np.int64)


@dataclass(frozen=True)
class Cards:
    """Cards as far as conditions depend on them."""

    choices: Ints  # (n,) int64: bitmask of the categories that the turn may fill
    usable: Ints  # (n,) int64: bitmask of the categories in which dice may be of use
    faces: Ints  # (n,) int64: bitmask of the open faces
    turns: Ints  # (n,) int64: turns left, this one included
    filled: Ints  # (n,) int64: bitmask of the filled categories
    upper: Ints  # (n,) int64: upper sums
    scored: npt.NDArray[np.bool_]  # (n,) bool: whether the tracked box holds points
    jokers: npt.NDArray[np.bool_]  # (n,) bool: whether rolls of the joker's kind are jokers

    @classmethod
    def of(cls, rules: RuleSet, filled: Ints, upper: Ints, scored: npt.NDArray[np.bool_]) -> Cards:
        """Return cards by their filled boxes and upper sums.

        `scored` says whether the tracked box holds points.
        """
        still_open = ~filled & rules.full_mask
        choices = still_open.copy()
        for c, needed in enumerate(prerequisites(rules)):
            is_locked = still_open & needed != 0  # a box that must be filled before is open
            choices &= ~np.where(is_locked, np.int64(1 << c), 0)
        faces = np.zeros_like(choices)
        for c, bit in enumerate(face_bits(rules)):
            faces |= (choices >> c & 1) * bit
        jokers = filled & joker_box(rules) != 0
        if joker_scored(rules):
            jokers &= scored
        return cls(
            choices=choices,
            usable=choices | np.where(scored, bonus_box(rules), 0),
            faces=faces,
            turns=np.bitwise_count(still_open).astype(np.int64),
            filled=filled,
            upper=upper,
            scored=scored,
            jokers=jokers,
        )

    @classmethod
    def of_rows(cls, rules: RuleSet, space: StateSpace, rows: Ints, lanes: Ints) -> Cards:
        """Return the cards of states, by their rows and lanes."""
        layout = space.layout
        upper = layout.lane_upper[layout.lane_sets[rows], lanes]
        return cls.of(rules, layout.masks[rows], upper, rows >= space.cards)

    @classmethod
    def of_state(cls, rules: RuleSet, state: State) -> Cards:
        """Return the card of one state."""
        return cls.of(rules, *map(np.atleast_1d, (state.filled, state.upper, state.joker_paid)))


def decisions(
    rules: RuleSet,
    hold_rules: Sequence[HoldRule],
    cards: Cards,
    rolls: Ints,
    rolls_left: Ints | int,
) -> tuple[Holds, Ints]:
    """Return what a list does on each card with its roll, and the place of the rule that decides.

    If none decides, the place is the length of the list.
    """
    actions = np.full(len(rolls), ROLL_ALL, dtype=np.int32)
    deciding = np.full(len(rolls), len(hold_rules))
    for place in reversed(range(len(hold_rules))):  # an earlier rule overwrites what later ones do
        actions_of_rule = decision_of(rules, hold_rules[place], cards, rolls, rolls_left)
        fits = actions_of_rule != NO_FIT
        actions[fits] = actions_of_rule[fits]
        deciding[fits] = place
    return actions, deciding


def decision_of(
    rules: RuleSet, rule: HoldRule, cards: Cards, rolls: Ints, rolls_left: Ints | int
) -> Holds:
    """Return what a rule does on each card with its roll, NO_FIT where it does not apply or count."""
    actions, uses = rule_lines(rules, rule)
    line = cards.faces if len(actions) > 1 else np.zeros_like(cards.faces)
    fits = uses[cards.jokers.astype(np.int64), line, rolls] & cards.usable != 0
    for condition in rule.conditions:
        fits &= applies(rules, condition, cards, rolls_left)
    return np.where(fits, actions[line, rolls], NO_FIT)


def applies(
    rules: RuleSet, condition: Condition, cards: Cards, rolls_left: Ints | int
) -> npt.NDArray[np.bool_]:
    """Return whether a condition holds on each card with its rolls left, ``(n,)`` bool."""
    if condition.kind in ON_UPPER_SUM:
        return holds_on_upper(rules, condition, cards.filled, cards.upper)
    if condition.kind == "scored":
        return cards.scored
    if condition.kind == "rolls left":
        return np.broadcast_to(condition.low == rolls_left, cards.choices.shape)
    if condition.kind == "turns left":
        return (condition.low <= cards.turns) & (cards.turns <= condition.high)
    mask = category_mask(rules, condition)
    if condition.kind == "only":
        return np.asarray(cards.choices & ~mask == 0)
    return np.asarray((cards.choices & mask != 0) == (condition.kind == "open"))


class HoldRulePolicy(Acting):
    """A list of hold rules and a price sheet as a policy.

    `values` are those of ``prices.values(start)``, if they are at hand.
    """

    ties = (1e-10, 0.0)  # ties of the categories, in points

    def __init__(
        self,
        hold_rules: Sequence[HoldRule],
        prices: PriceSheet,
        start: State = EMPTY_STATE,
        values: Floats | None = None,
    ) -> None:
        self.rules = prices.rules
        self.start = start
        self.hold_rules = tuple(hold_rules)
        self.prices = prices
        self.space = state_space(prices.rules, start)
        self.values = prices.values(start) if values is None else values
        self.arrays = hold_rule_arrays(prices.rules, self.hold_rules, self.space)

    def layer(self, filled: int) -> RowActions:
        """Return the actions at the cards with `filled` categories filled."""
        from .hold_rules_kernel import HoldRuleActions

        table = window(self.space, self.values, filled)
        n_rolls = lattice(self.rules.dice, self.rules.faces).n_rolls
        return lambda rows: [
            (rows, HoldRuleActions(self.arrays, table, np.zeros(n_rolls, dtype=np.int32)))
        ]
