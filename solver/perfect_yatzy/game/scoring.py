"""Reference implementation of scoring: the points of a roll, with one short function per pattern.

`counts[f - 1]` is the number of dice that show face f. The tables of the fast code are built from these functions,
once per rule set. They are written to be compared with the rules by eye, not for speed.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from .box_order import prerequisites
from .dice import lattice
from .patterns import Pattern
from .rules import Category, RuleSet

Counts = Sequence[int]


def dice_sum(counts: Counts) -> int:
    """Sum of all dice."""
    return sum(face * count for face, count in enumerate(counts, start=1))


def face_points(face: int, counts: Counts) -> int | None:
    """Sum of the dice that show `face`; None if there are none."""
    return face * counts[face - 1] or None


def group_points(groups: Sequence[int], distinct: bool, counts: Counts) -> int | None:
    """Best sum of groups of equal dice; None if the dice do not show them.

    Parameters
    ----------
    groups
        Sizes of the groups, descending.
    distinct
        Whether the groups must show different faces.
    """
    return _distinct_group_points(groups, counts) if distinct else _shared_group_points(tuple(groups), tuple(counts))


def _distinct_group_points(groups: Sequence[int], counts: Counts) -> int | None:
    # Largest group first, each on the highest face that is left. No other choice is better: where two groups could
    # change places, the larger one pays more on the higher face, and dice for the larger group suffice for the other.
    total, free = 0, [*range(len(counts), 0, -1)]
    for size in groups:
        face = next((face for face in free if counts[face - 1] >= size), None)
        if face is None:
            return None
        free.remove(face)
        total += size * face
    return total


@lru_cache(maxsize=1 << 14)
def _shared_group_points(groups: tuple[int, ...], counts: tuple[int, ...]) -> int | None:
    # Face by face: `best` is the most that the faces so far pay, by the groups still without a face. Groups of one
    # size are alike, so there are few sets of them: at most 36 for the 12 dice a game can have.
    best: dict[tuple[int, ...], int] = {groups: 0}
    for face, count in enumerate(counts, start=1):
        reached: dict[tuple[int, ...], int] = {}
        for left, total in best.items():
            for rest, size in group_choices(left, count).items():
                reached[rest] = max(reached.get(rest, 0), total + size * face)
        best = reached
    return best.get(())


@lru_cache(maxsize=1 << 12)
def group_choices(groups: tuple[int, ...], count: int) -> dict[tuple[int, ...], int]:
    """The groups that are left and the dice used, for each choice of groups that `count` equal dice can show."""
    if not groups:
        return {(): 0}
    alike = groups.count(groups[0])
    found = {}
    for chosen in range(alike + 1):
        used = chosen * groups[0]
        if used <= count:
            for rest, more in group_choices(groups[alike:], count - used).items():
                found[groups[: alike - chosen] + rest] = used + more
    return found


def contained_points(dice: Sequence[int], counts: Counts) -> int | None:
    """Sum of the given dice if all of them are there, else None."""
    return sum(dice) if all(counts[face - 1] >= dice.count(face) for face in set(dice)) else None


def pattern_points(pattern: Pattern, counts: Counts, in_full: bool = False) -> int:
    """Points of one pattern; 0 if it does not match.

    Parameters
    ----------
    in_full
        Whether fixed points are paid without a match (a joker).
    """
    if not allows(pattern, counts):
        matched = None
    elif pattern.kind == "face":
        matched = face_points(pattern.face, counts)
    elif pattern.kind == "groups":
        matched = group_points(pattern.groups, pattern.distinct, counts)
    elif pattern.kind == "contains":
        matched = contained_points(pattern.contains, counts)
    else:
        matched = dice_sum(counts)
    if matched is None and not (in_full and pattern.score == "fixed"):
        return 0
    if pattern.score == "fixed":
        return pattern.fixed_points
    return pattern.factor * (dice_sum(counts) if pattern.score == "sum" else matched or 0) + pattern.plus


def allows(pattern: Pattern, counts: Counts) -> bool:
    """Whether the dice meet the conditions of a pattern on their sum and their faces."""
    low = pattern.low is None or dice_sum(counts) >= pattern.low
    high = pattern.high is None or dice_sum(counts) <= pattern.high
    return low and high and not (pattern.only and any(counts[face - 1] for face in pattern.excluded(len(counts))))


def category_points(category: Category, counts: Counts, in_full: bool = False) -> int:
    """Points of a category, the best of its patterns; `in_full` as in :func:`pattern_points`."""
    return max(pattern_points(pattern, counts, in_full) for pattern in category.patterns)


@lru_cache(maxsize=256)
def most_points(rules: RuleSet, category: int) -> int:
    """The most points of a category with any roll."""
    grid = lattice(rules.dice, rules.faces)
    return max(
        category_points(rules.categories[category], counts) for counts in grid.counts[grid.first_roll :].tolist()
    )


def is_joker(rules: RuleSet, counts: Counts) -> bool:
    """Whether this roll scores in the joker's category, and so is a joker once that box is filled."""
    return rules.joker is not None and category_points(rules.categories[rules.joker_index], counts) > 0


def matching_upper_boxes(rules: RuleSet, counts: Counts) -> int:
    """Bitmask of the upper boxes of the face that all dice show: several if the row has several boxes."""
    return sum(
        1 << position
        for position, category in enumerate(rules.categories)
        if category.face and counts[category.face - 1] == sum(counts)
    )


def open_categories(rules: RuleSet, filled: int) -> list[int]:
    """Positions of the categories the next turn may fill: the open ones whose turn it is in their column's order."""
    needed = prerequisites(rules)
    return [c for c in range(len(rules.categories)) if not filled >> c & 1 and not needed[c] & ~filled]


def scoring_options(
    rules: RuleSet, filled: int, joker_paid: bool, counts: Counts, first_roll: bool = False
) -> dict[int, tuple[int, int]]:
    """The categories that can take a roll, and what each pays.

    Parameters
    ----------
    filled
        Bitmask of filled categories.
    joker_paid
        Whether the tracked box (of the joker, or one that other boxes require) holds points.
    counts
        Number of dice that show each face.
    first_roll
        Whether this is the first roll of its turn (first-roll bonuses are paid only if the box gets points).

    Returns
    -------
    dict
        Category position -> (points in the box, joker and first-roll bonus points).
    """
    points, bonus_points = _points_and_joker_bonus(rules, filled, joker_paid, counts)
    if rules.crossing_out == "only-if-nothing-scores":
        points = {c: paid for c, paid in points.items() if paid} or points
    extra = dict(rules.first_roll_bonus) if first_roll else {}
    ids = [category.id for category in rules.categories]
    return {c: (paid, bonus_points + (extra.get(ids[c], 0) if paid else 0)) for c, paid in points.items()}


def _points_and_joker_bonus(
    rules: RuleSet, filled: int, joker_paid: bool, counts: Counts
) -> tuple[dict[int, int], int]:
    """Points of every category that the order and the joker rule allow, and the joker bonus of the roll."""
    allowed, categories, joker = open_categories(rules, filled), rules.categories, rules.joker
    in_full = most = False
    bonus_points = 0
    if joker and filled >> rules.joker_index & 1 and is_joker(rules, counts):
        matching = matching_upper_boxes(rules, counts) & ~filled
        if (joker.bonus_requires == "filled" or joker_paid) and (joker.bonus_while == "always" or matching):
            bonus_points = joker.bonus
        if joker.requires == "filled" or joker_paid:
            if joker.mode == "forced":
                forced = [c for c in allowed if (matching >> c & 1 if matching else not categories[c].upper)]
                allowed = forced or allowed
            in_full = joker.mode in ("free", "forced") and not matching
            most = joker.mode == "maximum"
    points = {}
    for c in allowed:
        if categories[c].requires and not joker_paid:
            points[c] = 0
        elif most:
            points[c] = most_points(rules, c)
        else:
            points[c] = category_points(categories[c], counts, in_full and not categories[c].upper)
    return points, bonus_points
