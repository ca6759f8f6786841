"""Points tables: what every category pays for every roll, and the highest score of a game."""

from __future__ import annotations

from functools import cache, lru_cache

import numpy as np

from .dice import Ints, lattice
from .rules import RuleSet
from .scoring import category_points, is_joker, open_categories, scoring_options


@lru_cache(maxsize=8)
def points_table(rules: RuleSet) -> Ints:
    """Points of every category for every roll, `(categories, rolls)`, jokers apart."""
    dice = lattice(rules.dice, rules.faces)
    rolls = dice.counts[dice.first_roll :].tolist()
    return np.array([[category_points(c, counts) for counts in rolls] for c in rules.categories], dtype=np.int64)


@lru_cache(maxsize=8)
def possible_points(rules: RuleSet) -> list[list[int]]:
    """For each category the points it can hold, ascending; 0 is always possible (a box crossed out)."""
    joker = rules.joker is not None and rules.joker.mode != "none"
    return [
        sorted(
            {0}
            | set(paid)
            | (
                {p.points + p.plus for p in category.patterns if p.score == "fixed"}
                if joker and not category.upper
                else set()
            )
        )
        for category, paid in zip(rules.categories, points_table(rules).tolist(), strict=True)
    ]


def maximum_score(rules: RuleSet) -> int:
    """Highest possible final score.

    Without jokers every box is independent of the others. With them the cards are searched, each with the
    luckiest roll; all that the upper boxes have to be told apart by is whether they can still reach the bonus, so
    they are taken at their best (a box never holds more for having held less before).
    """
    best = [max(points) for points in possible_points(rules)]
    upper = sum(points for points, category in zip(best, rules.categories, strict=True) if category.upper)
    bonus = rules.bonus.points if rules.bonus and upper >= rules.bonus.threshold else 0
    extras = dict(rules.first_roll_bonus)
    if rules.joker is None:
        return sum(best) + bonus + sum(extra for c, extra in extras.items() if best[rules.index_of[c]])
    return bonus + _joker_maximum(rules, extras)


def _joker_maximum(rules: RuleSet, extras: dict[str, int]) -> int:
    grid, size = lattice(rules.dice, rules.faces), len(rules.categories)
    rolls = grid.counts[grid.first_roll :].tolist()
    lucky = [roll for roll in rolls if is_joker(rules, roll)]
    plain = [max(category_points(c, roll) for roll in rolls) for c in rules.categories]
    first = [extras.get(c.id, 0) for c in rules.categories]

    @cache
    def most(filled: int, paid: bool) -> int:
        found = 0
        for c in open_categories(rules, filled):
            after = most(filled | 1 << c, paid or (c == rules.joker_index and plain[c] > 0))
            found = max(found, plain[c] + (first[c] if plain[c] else 0) + after)
        if filled >> rules.joker_index & 1:
            for roll in lucky:
                for c, (points, bonus_points) in scoring_options(rules, filled, paid, roll).items():
                    extra = first[c] if points else 0
                    found = max(found, points + bonus_points + extra + most(filled | 1 << c, paid))
        return found

    return most(0, False) if size else 0
