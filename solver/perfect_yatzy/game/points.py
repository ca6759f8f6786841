"""Points tables: what every category pays for every roll, and what a box can hold.

:data:`perfect_yatzy.game.patterns.KINDS` says what a pattern pays; what a card allows is in
:mod:`perfect_yatzy.game.scoring`.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from .dice import Ints, lattice
from .rules import RuleSet


@lru_cache(maxsize=8)
def points_table(rules: RuleSet) -> Ints:
    """Points of every category for every roll, without joker rules, ``(categories, n_rolls) int64``."""
    grid = lattice(rules.dice, rules.faces)
    counts = grid.counts[grid.first_roll :]
    paid = {pattern: pattern.paid(counts) for category in rules.categories for pattern in category.patterns}
    return np.array([np.max([paid[p] for p in c.patterns], axis=0) for c in rules.categories], dtype=np.int64)


@lru_cache(maxsize=8)
def full_points(rules: RuleSet) -> Ints:
    """Points of every category for every roll as a joker, ``(categories, n_rolls)`` int64."""
    plain, joker = points_table(rules), rules.joker
    if joker is None or joker.mode == "none":
        return plain
    if joker.mode == "maximum":
        return np.broadcast_to(plain.max(axis=1, keepdims=True), plain.shape)
    lower = [() if c.upper else c.patterns for c in rules.categories]
    fixed = [max((p.fixed_points for p in patterns if p.score == "fixed"), default=0) for patterns in lower]
    return np.maximum(plain, np.array(fixed, dtype=np.int64)[:, None])


@lru_cache(maxsize=8)
def possible_points(rules: RuleSet) -> list[list[int]]:
    """For each category the points its box can hold, ascending; 0 is always possible (a box crossed out)."""
    joker_pays_in_full = rules.joker is not None and rules.joker.mode != "none"
    found = []
    for category, paid in zip(rules.categories, points_table(rules).tolist(), strict=True):
        values = {0, *paid}
        if joker_pays_in_full and not category.upper:
            values |= {p.fixed_points for p in category.patterns if p.score == "fixed"}
        found.append(sorted(values))
    return found
