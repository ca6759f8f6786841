"""Points tables: what every category pays for every roll, what a box can hold, and the highest final score."""

from __future__ import annotations

from functools import cache, lru_cache

import numpy as np

from .dice import Ints, lattice
from .rules import RuleSet
from .scoring import category_points, is_joker, open_categories, scoring_options


@lru_cache(maxsize=8)
def points_table(rules: RuleSet) -> Ints:
    """Points of every category for every roll, without joker rules.

    Returns
    -------
    (categories, n_rolls) int64
    """
    grid = lattice(rules.dice, rules.faces)
    rolls = grid.counts[grid.first_roll :].tolist()
    return np.array([[category_points(c, counts) for counts in rolls] for c in rules.categories], dtype=np.int64)


@lru_cache(maxsize=8)
def possible_points(rules: RuleSet) -> list[list[int]]:
    """For each category the points its box can hold, ascending; 0 is always possible (a box crossed out)."""
    joker_pays_in_full = rules.joker is not None and rules.joker.mode != "none"
    found = []
    for category, paid in zip(rules.categories, points_table(rules).tolist(), strict=True):
        values = {0, *paid}
        if joker_pays_in_full and not category.upper:
            values |= {p.points + p.plus for p in category.patterns if p.score == "fixed"}
        found.append(sorted(values))
    return found


def maximum_score(rules: RuleSet) -> int:
    """Highest possible final score.

    Without a joker rule the boxes do not depend on each other. With one, all sets of filled boxes are searched, each
    with its best roll. The upper sum is not part of the search: every box is filled with as many points as possible,
    because fewer points in one box never allow more in another.
    """
    best = [max(points) for points in possible_points(rules)]
    upper = sum(points for points, category in zip(best, rules.categories, strict=True) if category.upper)
    bonus = rules.bonus.points if rules.bonus and upper >= rules.bonus.threshold else 0
    if rules.joker is None:
        return sum(best) + bonus + sum(extra for c, extra in rules.first_roll_bonus if best[rules.index_of[c]])
    return bonus + _maximum_with_jokers(rules)


def _maximum_with_jokers(rules: RuleSet) -> int:
    """Highest possible final score without the upper bonus."""
    grid = lattice(rules.dice, rules.faces)
    rolls = grid.counts[grid.first_roll :].tolist()
    joker_rolls = [roll for roll in rolls if is_joker(rules, roll)]
    best_points = [max(category_points(c, roll) for roll in rolls) for c in rules.categories]
    first_roll_bonus = [dict(rules.first_roll_bonus).get(c.id, 0) for c in rules.categories]

    @cache
    def best_total(filled: int, joker_paid: bool) -> int:
        """Most points to come from a set of filled boxes; 0 from a full card."""
        best = 0
        for c in open_categories(rules, filled):
            paid_next = joker_paid or (c == rules.joker_index and best_points[c] > 0)
            extra = first_roll_bonus[c] if best_points[c] else 0
            best = max(best, best_points[c] + extra + best_total(filled | 1 << c, paid_next))
        if filled >> rules.joker_index & 1:
            for roll in joker_rolls:
                for c, (points, bonus_points) in scoring_options(rules, filled, joker_paid, roll).items():
                    extra = first_roll_bonus[c] if points else 0
                    best = max(best, points + bonus_points + extra + best_total(filled | 1 << c, joker_paid))
        return best

    return best_total(0, False)
