"""What hold rules do, in plain Python from their definition: the oracle of the compiled ones.

For one roll, one card and one rule at a time, with sets of dice tried by brute force.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement
from typing import Any

from perfect_yatzy import RuleSet, State
from perfect_yatzy.policies.hold_rules import Condition, DicePattern, HoldRule

from support.naive import Dice, Naive


@cache
def oracle_of(rules: RuleSet) -> Naive:
    return Naive(rules.canonical())


def named_dice(
    rules: RuleSet, pattern: DicePattern, dice: Dice, boxes: list[str], usable: list[str]
) -> Dice | None:
    """The dice of a roll that a pattern names; None if it does not fit."""
    faces = set(range(pattern.low, pattern.high + 1))
    if pattern.open:
        faces &= {c.face for c in rules.categories if c.id in boxes}
    counting = [d for d in dice if d in faces]
    if pattern.kind == "any":
        return ()
    if pattern.kind == "pays":
        points = {c: oracle_of(rules).points(rules.index_of[c], dice) for c in pattern.categories}
        return (
            dice
            if any(c in usable and paid >= pattern.least for c, paid in points.items())
            else None
        )
    if pattern.kind == "dice":
        return tuple(counting) or None
    if pattern.kind == "different":
        shown = tuple(sorted(set(counting)))
        return shown if len(shown) >= pattern.sizes[0] else None
    if pattern.kind == "row":
        rows = [
            tuple(range(first, last + 1))
            for first in range(pattern.low, pattern.high + 1)
            for last in range(first, pattern.high + 1)
            if set(range(first, last + 1)) <= set(counting) and last - first + 1 >= pattern.sizes[0]
        ]
        return max(rows, key=lambda row: (len(row), row), default=None)
    kept: list[int] = []
    for size in pattern.sizes:
        groups = [f for f in sorted(set(counting)) if counting.count(f) >= size and f not in kept]
        if not groups:
            return None
        sign = -1 if pattern.lowest else 1
        best = max(groups, key=lambda face: (counting.count(face), sign * face))
        kept += [best] * counting.count(best)
    return tuple(sorted(kept))


def members(rules: RuleSet, condition: Condition) -> set[str]:
    """Ids of the categories of a condition."""
    found: set[str] = set()
    for name in condition.categories:
        section = {c.id for c in rules.categories if c.upper == (name == "upper")}
        found |= {name} if name in {c.id for c in rules.categories} else section
    return found


def holds(rules: RuleSet, condition: Condition, state: State, boxes: list[str], left: int) -> bool:
    ids = members(rules, condition)
    if condition.kind in ("above par", "below par"):
        above = points_above_par(rules, state)
        is_above = bool(above) and min(above) >= 0
        return is_above == (condition.kind == "above par")
    if condition.kind == "bonus needs":
        return condition.low <= dice_for_bonus(rules, state) <= condition.high
    if condition.kind == "scored":
        return state.joker_paid
    if condition.kind == "rolls left":
        return left == condition.low
    if condition.kind == "turns left":
        return condition.low <= len(rules.categories) - state.filled.bit_count() <= condition.high
    if condition.kind == "only":
        return set(boxes) <= ids
    return bool(ids & set(boxes)) == (condition.kind == "open")


def points_above_par(rules: RuleSet, state: State) -> list[Fraction]:
    """Of each column whose bonus has a step ahead and within reach."""
    oracle, found = oracle_of(rules), []
    for column, (total, steps) in enumerate(
        zip(oracle.sums(state.upper), oracle.steps, strict=True)
    ):
        boxes = [i for i, c in enumerate(rules.categories) if c.upper and c.column == column]
        filled = sum(oracle.most_points(i) for i in boxes if state.filled >> i & 1)
        most = sum(map(oracle.most_points, boxes))
        if any(total < least <= total + most - filled for least, _ in steps):
            found.append(total - Fraction(steps[-1][0] * filled, most))
    return found


def dice_for_bonus(rules: RuleSet, state: State) -> int:
    """The fewest dice in each empty upper box with which the sum of a column reaches its next
    step; 0: no number.
    """
    oracle = oracle_of(rules)
    for needed in range(1, rules.dice + 1):
        for column, (total, steps) in enumerate(
            zip(oracle.sums(state.upper), oracle.steps, strict=True)
        ):
            made = Fraction(0)
            for i, box in enumerate(rules.categories):
                if box.upper and box.column == column and not state.filled >> i & 1:
                    made += Fraction(oracle.most_points(i) * needed, rules.dice)
            if any(total < least <= total + made for least, _ in steps):
                return needed
    return 0


@cache
def is_of_use(rules: RuleSet, box: str, kept: Dice, jokers: bool) -> bool:
    """Whether dice may count in a box: as its face, or in some roll with them, also as a joker
    if there are `jokers`.
    """
    place, oracle = rules.index_of[box], oracle_of(rules)
    if face := rules.categories[place].face:
        return face in kept
    others = combinations_with_replacement(range(1, rules.faces + 1), rules.dice - len(kept))
    return any(pays(oracle, place, tuple(sorted((*kept, *other))), jokers) for other in others)


def has_jokers(rules: RuleSet, filled: bool, scored: bool) -> bool:
    """Whether rolls of the joker's kind may be jokers, by whether its box is filled and whether
    it holds points.
    """
    joker = rules.canonical()["joker"]
    return bool(joker) and filled and (scored or joker.get("requires", "filled") == "filled")


def pays(oracle: Naive, place: int, dice: Dice, jokers: bool) -> bool:
    """Whether a box pays for a roll, as it is or as a joker."""
    joker = jokers and oracle.game["joker"]
    as_joker = joker and oracle.points(oracle.joker_box, dice) > 0
    if as_joker and joker["mode"] == "maximum":
        return oracle.most_points(place) > 0
    in_full = as_joker and joker["mode"] != "none" and not oracle.boxes[place]["upper"]
    return oracle.points(place, dice, in_full) > 0


def offered(rules: RuleSet, state: State) -> tuple[list[str], list[str], bool]:
    """The boxes that the turn may fill, those that dice may be good for, and whether jokers
    score.
    """
    boxes = [rules.categories[i].id for i in oracle_of(rules).next_boxes(state.filled)]
    tracked = rules.categories[rules.tracked_index].id
    pays_again = (
        rules.joker and rules.joker.bonus and rules.joker.category == tracked and state.joker_paid
    )
    jokers = has_jokers(
        rules, bool(rules.joker and state.filled >> rules.joker_index & 1), state.joker_paid
    )
    return boxes, [*boxes, tracked] if pays_again else boxes, jokers


def held_dice(
    rules: RuleSet, hold_rules: list[HoldRule], state: State, dice: Dice, left: int
) -> Dice | None:
    """The dice to keep, or None to stop."""
    boxes, usable, jokers = offered(rules, state)
    for rule in hold_rules:
        named = named_dice(rules, rule.pattern, dice, boxes, usable)
        if named is not None and all(holds(rules, c, state, boxes, left) for c in rule.conditions):
            kept = dice if rule.action == "stop" else named
            if rule.action != "roll all" and not any(
                is_of_use(rules, box, kept, jokers) for box in usable
            ):
                continue
            if rule.action == "stop" or (rule.action == "keep" and len(named) == rules.dice):
                return None
            return named if rule.action == "keep" else ()
    return ()


def chooser(
    rules: RuleSet, hold_rules: list[HoldRule], best_box: Callable[..., Any]
) -> Callable[..., int | Dice]:
    """The policy for :class:`support.naive_policies.NaivePolicy`; `best_box` chooses the
    category.
    """

    def choose(
        filled: int, upper: int, saved: int, flag: bool, dice: Dice, left: int, first: bool
    ) -> int | Dice:
        held = (
            held_dice(rules, hold_rules, State(filled, upper, saved, flag), dice, left)
            if left
            else None
        )
        return int(best_box(filled, upper, flag, dice, left, first)) if held is None else held

    return choose
