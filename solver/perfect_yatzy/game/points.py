"""Points tables: what every category pays for every roll, and what a box can hold.

:mod:`perfect_yatzy.game.scoring` is the reference for one roll. Here each pattern is evaluated for all rolls at once.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from .dice import Ints, lattice
from .patterns import Pattern
from .rules import RuleSet
from .scoring import group_choices

NO_MATCH = -1  # in place of the sum of the matched dice
IMPOSSIBLE = -1_000  # a gain that no sum of dice outweighs; six of them are within int16


@lru_cache(maxsize=8)
def points_table(rules: RuleSet) -> Ints:
    """Points of every category for every roll, without joker rules.

    Returns
    -------
    (categories, n_rolls) int64
    """
    grid = lattice(rules.dice, rules.faces)
    counts = grid.counts[grid.first_roll :]
    paid = {
        pattern: _pattern_points(pattern, counts) for category in rules.categories for pattern in category.patterns
    }
    return np.array([np.max([paid[p] for p in c.patterns], axis=0) for c in rules.categories], dtype=np.int64)


def _pattern_points(pattern: Pattern, counts: Ints) -> Ints:
    """Points of a pattern for every roll, as :func:`perfect_yatzy.game.scoring.pattern_points`.

    Parameters
    ----------
    counts : (n_rolls, faces) int64
        Number of dice that show each face.
    """
    faces = np.arange(1, counts.shape[1] + 1)
    if pattern.kind == "face":
        matched = np.where(counts[:, pattern.face - 1] > 0, counts[:, pattern.face - 1] * pattern.face, NO_MATCH)
    elif pattern.kind == "groups" and pattern.distinct:
        matched = _distinct_groups(pattern.groups, counts)
    elif pattern.kind == "groups":
        matched = _shared_groups(pattern.groups, counts)
    elif pattern.kind == "contains":
        needed = np.bincount(pattern.contains, minlength=len(faces) + 1)[1:]
        matched = np.where((counts >= needed).all(axis=1), sum(pattern.contains), NO_MATCH)
    else:
        matched = counts @ faces
    total = counts @ faces
    allowed = matched != NO_MATCH
    if pattern.low is not None:
        allowed &= total >= pattern.low
    if pattern.high is not None:
        allowed &= total <= pattern.high
    if pattern.only:
        allowed &= ~counts[:, [face - 1 for face in pattern.excluded(len(faces))]].any(axis=1)
    if pattern.score == "fixed":
        return np.where(allowed, pattern.fixed_points, 0)
    return np.where(allowed, pattern.factor * (matched if pattern.score == "matched" else total) + pattern.plus, 0)


def _distinct_groups(groups: tuple[int, ...], counts: Ints) -> Ints:
    """Best sum of groups of different faces for every roll: the largest first, each on the highest face left."""
    faces, rolls = counts.shape[1], np.arange(len(counts))
    free = np.ones(counts.shape, dtype=bool)
    total, found = np.zeros(len(counts), dtype=np.int64), np.ones(len(counts), dtype=bool)
    for size in groups:
        suitable = free & (counts >= size)
        highest = faces - 1 - suitable[:, ::-1].argmax(axis=1)
        found &= suitable.any(axis=1)
        free[rolls, highest] = False
        total += size * (highest + 1)
    return np.where(found, total, NO_MATCH)


def _shared_groups(groups: tuple[int, ...], counts: Ints) -> Ints:
    """Best sum of groups that may share a face, for every roll: face by face, by the groups still without a face."""
    best: dict[tuple[int, ...], npt.NDArray[np.int16]] = {groups: np.zeros(len(counts), dtype=np.int16)}
    for face in range(1, counts.shape[1] + 1):
        count = counts[:, face - 1]
        gains = [np.where(count >= n, n * face, IMPOSSIBLE).astype(np.int16) for n in range(sum(groups) + 1)]
        reached: dict[tuple[int, ...], npt.NDArray[np.int16]] = {}
        for left, total in best.items():
            for rest, size in group_choices(left, sum(groups)).items():
                now = total + gains[size]
                reached[rest] = np.maximum(reached[rest], now) if rest in reached else now
        best = reached
    return np.where(best[()] < 0, NO_MATCH, best[()]).astype(np.int64)


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
