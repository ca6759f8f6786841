"""The readable truth about points: dice counts in, points out, one short function a pattern.

`counts[f - 1]` is the number of dice that show face f. Everything fast is built from these functions once
per rule set, so they are written to be checked by eye against the rules, not to be quick.
"""

from __future__ import annotations

from collections.abc import Sequence

from .rules import Category, Pattern, RuleSet

Counts = Sequence[int]


def dice_sum(counts: Counts) -> int:
    """Sum of all dice."""
    return sum(face * count for face, count in enumerate(counts, start=1))


def face_points(face: int, counts: Counts) -> int | None:
    """Points of all dice that show `face`, None if there are none."""
    return face * counts[face - 1] or None


def group_points(groups: Sequence[int], distinct: bool, counts: Counts) -> int | None:
    """Give each group of equal dice a face (another one each if `distinct`); best total, None if impossible."""
    if not groups:
        return 0
    best: int | None = None
    for face in range(1, len(counts) + 1):
        if counts[face - 1] < groups[0]:
            continue
        left = list(counts)
        left[face - 1] = 0 if distinct else left[face - 1] - groups[0]
        rest = group_points(groups[1:], distinct, left)
        if rest is not None:
            best = max(best or 0, groups[0] * face + rest)
    return best


def contained_points(dice: Sequence[int], counts: Counts) -> int | None:
    """Sum of the named dice if all of them are there."""
    return sum(dice) if all(counts[face - 1] >= dice.count(face) for face in set(dice)) else None


def pattern_points(pattern: Pattern, counts: Counts, in_full: bool = False) -> int:
    """Points of one pattern, 0 if it does not match. `in_full`: a joker, fixed points need no match."""
    matched: int | None
    if pattern.kind == "face":
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
        return pattern.points + pattern.plus
    return (dice_sum(counts) if pattern.score == "sum" else matched or 0) + pattern.plus


def category_points(category: Category, counts: Counts, in_full: bool = False) -> int:
    """Points of a category: the best of its patterns."""
    return max(pattern_points(pattern, counts, in_full) for pattern in category.patterns)


def is_joker(rules: RuleSet, counts: Counts) -> bool:
    """Whether this roll would score in the joker's category: an extra one, once that box is filled."""
    return rules.joker is not None and category_points(rules.categories[rules.joker_index], counts) > 0


def matching_box(rules: RuleSet, counts: Counts) -> int:
    """Position of the upper box of the face all dice show, -1 if there is none."""
    for position, category in enumerate(rules.categories):
        if category.face and counts[category.face - 1] == sum(counts):
            return position
    return -1


def open_categories(rules: RuleSet, filled: int) -> list[int]:
    """Positions of the categories the next turn may fill: all open ones, or the next in a forced order."""
    still_open = [c for c in range(len(rules.categories)) if not filled >> c & 1]
    return still_open[:1] if rules.order == "forced" else still_open


def options(
    rules: RuleSet, filled: int, joker_paid: bool, counts: Counts, first: bool = False
) -> dict[int, tuple[int, int]]:
    """Which categories may take this roll, and what each pays.

    Parameters
    ----------
    filled
        Bitmask of filled categories.
    joker_paid
        Whether the joker's box holds points (only then an extra one earns the joker bonus).
    counts
        Dice showing each face.
    first
        Whether this is the first roll of its turn (first-roll bonuses pay where the box gets points).

    Returns
    -------
    dict
        Category position -> (points for the box, bonus points beside it).
    """
    found = _without_first(rules, filled, joker_paid, counts)
    extra = dict(rules.first_roll_bonus) if first else {}
    if not extra:
        return found
    ids = [category.id for category in rules.categories]
    return {
        c: (points, bonus_points + (extra.get(ids[c], 0) if points else 0))
        for c, (points, bonus_points) in found.items()
    }


def _without_first(rules: RuleSet, filled: int, joker_paid: bool, counts: Counts) -> dict[int, tuple[int, int]]:
    allowed = open_categories(rules, filled)
    joker = rules.joker
    if joker is None or not filled >> rules.joker_index & 1 or not is_joker(rules, counts):
        return {c: (category_points(rules.categories[c], counts), 0) for c in allowed}
    extra = joker.bonus if joker_paid else 0
    box = matching_box(rules, counts)
    box_open = box >= 0 and not filled >> box & 1
    legal = allowed
    if joker.mode == "forced":
        lower = [c for c in allowed if not rules.categories[c].upper]
        legal = [box] if box_open and box in allowed else ([] if box_open else lower) or allowed
    in_full = joker.mode != "none" and not box_open
    return {
        c: (category_points(rules.categories[c], counts, in_full and not rules.categories[c].upper), extra)
        for c in legal
    }
