"""The prices of the boxes: those with which the relaxed game without exact boxes is worth least.

With n boxes, every box in the class and no upper bonus, all turns of the relaxed game are alike::

    bound(lam) = sum of lam_c + n E[ best turn of max over c of p_c(roll) - lam_c ]

It is convex in the prices, and ``1 - expected uses of box c`` is a subgradient: at the minimum each box is used once
in the mean. Any prices give a valid bound; these are computed once, and exact boxes keep them.

An upper bonus whose sum the relaxed game does not remember is replaced by a line ``intercept + slope * sum``; its
slope is one more variable.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ..game.dice import Floats, Ints, lattice
from ..game.rules import Bonus, RuleSet
from ..game.scoring import points_table
from ..model.card_masks import is_wide
from ..model.relaxed_game import intercept
from ..strategy.turn_evaluator import passes
from .bundle import dot, minimise

EVALUATIONS = 300
SLOPE_UNIT = 0.003  # of the slopes of a wide sheet, which move its bound far more than prices do


class OneTurn:
    """One turn for points alone, in NumPy: the mean of the best turn, and how often it ends with each roll.

    ``d mean / d gain(roll)`` is the chance that the best policy ends a turn with that roll: chances move forward from
    the first roll, dice that are held move down the lattice one die at a time, and rerolls move up again.
    """

    def __init__(self, dice: int, faces: int, rolls: int) -> None:
        self.grid, self.passes, self.rolls = lattice(dice, faces), passes(dice, faces), rolls

    def mean_and_uses(self, gains: Floats) -> tuple[float, Floats]:
        """The mean of the best turn, and the chance that it ends with each roll."""
        first = self.grid.first_roll
        best, stages = gains, []
        for _ in range(self.rolls - 1):
            holds = self.passes.holds_from_rolls(best)
            kept, choice = self._best_within(holds)
            stops = gains >= kept[first:]
            stages.append((stops, choice))
            best = np.where(stops, gains, kept[first:])
        chances, ends = self.grid.weights.copy(), np.zeros(len(gains))
        for stops, choice in reversed(stages):
            ends += np.where(stops, chances, 0.0)
            chances = self._reroll(np.where(stops, 0.0, chances), choice)
        return float(dot(self.grid.weights, best)), ends + chances

    def _best_within(self, holds: Floats) -> tuple[Floats, Ints]:
        """The best hold within each multiset, and the multiset with one die less that has it (or itself)."""
        best, choice = holds.copy(), np.arange(len(holds))
        for level in self.passes.levels[1:]:
            own = np.arange(level.place.start, level.place.stop)
            among = best[level.predecessors]
            column = among.argmax(axis=1)
            value = among[np.arange(len(own)), column]
            better = value > best[level.place]
            choice[level.place] = np.where(better, level.predecessors[np.arange(len(own)), column], own)
            best[level.place] = np.where(better, value, best[level.place])
        return best, choice

    def _reroll(self, chances: Floats, choice: Ints) -> Floats:
        """Chance of each roll after a reroll, from the chance that each roll is rerolled."""
        first, node = self.grid.first_roll, np.zeros(self.grid.n_holds)
        node[first:] = chances
        for level in self.passes.levels[:0:-1]:  # dice are put aside: to the best hold
            own = np.arange(level.place.start, level.place.stop)
            moves = choice[level.place] != own
            target = choice[level.place][moves]
            node += np.bincount(target, weights=node[level.place][moves], minlength=len(node))
            node[own[moves]] = 0.0
        return self.passes.rolls_from_holds(node)


@dataclass(frozen=True)
class Prices:
    """Prices of boxes, and slopes of the lines above upper bonuses."""

    prices: Floats  # (categories,) float64
    slopes: Floats  # (bonuses,) float64: 0 where there is no line
    value: float  # bound of the game without the bonuses that have no line; to guide the method, not certified


def split_variables(
    rules: RuleSet, lines: Sequence[int], variables: Floats, value: float, unit: float = 1.0
) -> Prices:
    """The prices and slopes that a method has varied: first those of the boxes, then those of the lines, in units."""
    count, slopes = len(rules.categories), np.zeros(len(rules.bonuses))
    slopes[list(lines)] = unit * variables[count:]
    return Prices(variables[:count], slopes, value)


def optimal_prices(
    rules: RuleSet, lines: Sequence[int] = (), progress: Callable[[float], None] | None = None
) -> Prices:
    """The prices with which the relaxed game is worth least."""
    points, n_boxes, bonuses = points_table(rules).astype(np.float64), len(rules.categories), rules.bonuses
    turn = OneTurn(rules.dice, rules.faces, rules.rolls_per_turn)
    counted = [np.array([box.upper and box.column == b for box in rules.categories], dtype=np.float64) for b in lines]
    rolls, unit = np.arange(points.shape[1]), SLOPE_UNIT if is_wide(rules) else 1.0

    def bound(variables: Floats) -> tuple[float, Floats]:
        lam, slopes = variables[:n_boxes], unit * variables[n_boxes:]
        raised = sum((slope * c for slope, c in zip(slopes, counted, strict=True)), np.zeros(n_boxes))
        gains = points * (1.0 + raised)[:, None] - lam[:, None]
        box = gains.argmax(axis=0)
        mean, ends = turn.mean_and_uses(gains[box, rolls])
        uses = np.bincount(box, weights=ends, minlength=n_boxes)
        sums = np.bincount(box, weights=ends * points[box, rolls], minlength=n_boxes)
        total, gradient = float(lam.sum() + n_boxes * mean), [*(1.0 - n_boxes * uses)]
        for b, slope, c in zip(lines, slopes.tolist(), counted, strict=True):
            total += intercept(bonuses[b], slope)
            gradient.append(unit * (float(n_boxes * dot(c, sums)) - touching_sum(bonuses[b], slope)))
        return total, np.array(gradient)

    # Prices of what a box pays in the mean if the turn is played for it alone would be far too high; the mean of a
    # random roll orders the boxes well enough.
    start = np.concatenate([dot(points, turn.grid.weights), np.zeros(len(lines))])
    lowest = np.concatenate([np.full(n_boxes, -np.inf), np.zeros(len(lines))])
    tolerance = 1e-5 * float(np.abs(points).max()) * n_boxes
    found, value, _evaluations = minimise(
        bound, start, tolerance=tolerance, evaluations=EVALUATIONS, lowest=lowest, progress=progress, step=10.0
    )
    return split_variables(rules, lines, found, value, unit)


def touching_sum(bonus: Bonus, slope: float) -> float:
    """The upper sum at which the line of this slope touches the bonus."""
    return float(max(((0, 0), *bonus.steps), key=lambda step: step[1] - slope * step[0])[0])
