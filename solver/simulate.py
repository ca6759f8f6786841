"""Games played by the strategy with real dice, and a scorebook of its own.

The decisions come from the table, everything else does not: dice are rolled one by one, boxes are scored by
:mod:`solver.scoring`, the bonus is added from the boxes at the end. So the mean checks the value. Games go
forward together, one decision of all of them at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from .dice import Floats, Ints
from .scoring import options
from .states import State

if TYPE_CHECKING:
    from .advice import Strategy
    from .batch import BatchAnswer

Flags = npt.NDArray[np.bool_]
CHUNK = 50_000  # games in flight: bounds the memory, and fixes which dice belong to which game


@dataclass(frozen=True)
class Simulation:
    """Results of simulated games.

    Attributes
    ----------
    totals : (games,) int64
        Points made from the starting position on, upper bonus included.
    boxes : (games, categories) int64
        Points of each category, -1 where it was filled before the start.
    bonus : (games,) bool
        Whether the upper bonus was reached.
    """

    totals: Ints
    boxes: Ints
    bonus: Flags

    @property
    def mean(self) -> float:
        """Mean of the totals."""
        return float(self.totals.mean())

    @property
    def deviation(self) -> float:
        """Standard deviation of the totals."""
        return float(self.totals.std(ddof=1)) if len(self.totals) > 1 else 0.0

    @property
    def error(self) -> float:
        """Standard error of the mean."""
        return self.deviation / float(np.sqrt(len(self.totals)))

    def percentiles(self, at: Sequence[float]) -> Floats:
        """Totals at the given percentiles."""
        return np.asarray(np.percentile(self.totals, at))


def simulate(
    strategy: Strategy, games: int, seed: int = 1, start: State | None = None, threads: int | None = None
) -> Simulation:
    """Play games by the strategy.

    Parameters
    ----------
    games
        How many, at least 1.
    seed
        Of the dice; the same seed gives the same games, whatever the number of threads.
    start
        Where each game starts; default: the empty card.

    Returns
    -------
    Simulation
    """
    if games < 1:
        raise ValueError(f"games is {games}; must be at least 1")
    parts = [
        _play(strategy, min(CHUNK, games - done), np.random.default_rng([seed, done]), start or State(), threads)
        for done in range(0, games, CHUNK)
    ]
    boxes, beside, upper = (np.concatenate(part) for part in zip(*parts, strict=True))
    bonus = np.full(games, strategy.rules.bonus is not None) & (upper >= strategy.rules.threshold)
    paid = strategy.rules.bonus.points if strategy.rules.bonus else 0
    return Simulation(np.where(boxes > 0, boxes, 0).sum(axis=1) + beside + paid * bonus, boxes, bonus)


def _play(
    strategy: Strategy, games: int, random: np.random.Generator, start: State, threads: int | None
) -> tuple[Ints, Ints, Ints]:
    rules = strategy.rules
    upper_boxes = np.array([category.upper for category in rules.categories])
    filled = np.full(games, start.filled, dtype=np.int64)
    boxes = np.full((games, len(rules.categories)), -1, dtype=np.int64)
    beside = np.zeros(games, dtype=np.int64)
    saved = np.full(games, start.saved, dtype=np.int64)
    paid = np.full(games, start.joker_paid)
    everyone = np.arange(games)
    extra = np.array([dict(rules.first_roll_bonus).get(c.id, 0) for c in rules.categories])
    for _ in range(len(rules.categories) - start.filled.bit_count()):
        upper = start.upper + np.where((boxes > 0) & upper_boxes, boxes, 0).sum(axis=1)
        dice = random.integers(1, rules.faces + 1, (games, rules.dice))
        left = rules.rolls - 1 + (saved if rules.saved_rolls else np.zeros(games, dtype=np.int64))
        most, chosen = left.copy(), np.full(games, -1, dtype=np.int64)
        while (chosen < 0).any():
            going = np.flatnonzero(chosen < 0)
            advice = strategy.best(
                filled[going], upper[going], dice[going], left[going], saved[going], paid[going], threads
            )
            chosen[going] = advice.category
            again = advice.category < 0
            dice[going[again]] = _reroll(dice[going[again]], advice, again, random, rules.faces)
            left[going[again]] -= 1
        points, bonus = _scores(strategy, filled, paid, dice, chosen)
        beside += bonus + np.where((points > 0) & (left == most), extra[chosen], 0)
        boxes[everyone, chosen] = points
        if rules.joker is not None:
            paid |= (chosen == rules.joker_index) & (points > 0)
        filled |= 1 << chosen
        saved = left if rules.saved_rolls else saved
    final_upper = start.upper + np.where((boxes > 0) & upper_boxes, boxes, 0).sum(axis=1)
    return boxes, beside, final_upper


def _reroll(dice: Ints, advice: BatchAnswer, again: Flags, random: np.random.Generator, faces: int) -> Ints:
    """New dice for those not held. Dice are sorted, so the held ones are the first so many of each face."""
    dice = np.sort(dice, axis=1)
    position = np.arange(dice.shape[1])
    first = (dice[:, None, :] < dice[:, :, None]).sum(axis=2)
    rank_within_face = position - first
    held = np.take_along_axis(advice.held[again], dice - 1, axis=1)
    return np.where(rank_within_face < held, dice, random.integers(1, faces + 1, dice.shape))


def _scores(strategy: Strategy, filled: Ints, paid: Ints, dice: Ints, chosen: Ints) -> tuple[Ints, Ints]:
    """Points for the box and beside it, from the readable scoring, each different question asked once."""
    rules = strategy.rules
    counts = np.stack([(dice == face).sum(axis=1) for face in range(1, rules.faces + 1)], axis=1)
    flags = paid.astype(np.int64)
    if rules.joker is None:
        filled, flags = ~(1 << chosen) & rules.full, flags * 0  # only the chosen box matters
        if rules.order == "forced":
            filled = (1 << chosen) - 1
    asked, which = np.unique(np.column_stack([chosen, filled, flags, counts]), axis=0, return_inverse=True)
    found = [options(rules, int(q[1]), bool(q[2]), q[3:].tolist())[int(q[0])] for q in asked]
    points, bonus = np.array(found, dtype=np.int64).T
    return points[which.ravel()], bonus[which.ravel()]
