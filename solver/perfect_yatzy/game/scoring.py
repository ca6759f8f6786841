"""What a card may do with one roll: which categories can take it, and what each pays.

The points are looked up in the tables of :mod:`perfect_yatzy.game.points`. `counts[f - 1]` is the number of dice that
show face f.
"""

from __future__ import annotations

from collections.abc import Sequence

from .box_order import prerequisites
from .dice import lattice
from .points import full_points, points_table
from .rules import RuleSet

Counts = Sequence[int]


def roll_points(rules: RuleSet, counts: Counts, as_joker: bool = False) -> list[int]:
    """Points of every category for one roll, without joker rules or as a joker."""
    grid, table = lattice(rules.dice, rules.faces), full_points(rules) if as_joker else points_table(rules)
    found: list[int] = table[:, grid.rank(counts) - grid.first_roll].tolist()
    return found


def is_joker(rules: RuleSet, counts: Counts) -> bool:
    """Whether this roll scores in the joker's category, and so is a joker once that box is filled."""
    return rules.joker is not None and roll_points(rules, counts)[rules.joker_index] > 0


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
    """The categories that can take a roll: position -> (points in the box, joker and first-roll bonus points).

    `joker_paid`: whether the tracked box holds points; `counts`: number of dice that show each face; `first_roll`:
    whether it is the first of its turn, whose bonus is paid only if the box gets points.
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
    as_joker, bonus_points = False, 0
    if joker and filled >> rules.joker_index & 1 and is_joker(rules, counts):
        matching = matching_upper_boxes(rules, counts) & ~filled
        if (joker.bonus_requires == "filled" or joker_paid) and (joker.bonus_while == "always" or matching):
            bonus_points = joker.bonus
        if joker.requires == "filled" or joker_paid:
            if joker.mode == "forced":
                forced = [c for c in allowed if (matching >> c & 1 if matching else not categories[c].upper)]
                allowed = forced or allowed
            as_joker = joker.mode == "maximum" or not matching
    points = roll_points(rules, counts, as_joker)
    return {c: 0 if categories[c].requires and not joker_paid else points[c] for c in allowed}, bonus_points
