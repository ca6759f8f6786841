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

from ..game.dice import Floats
from ..game.points import points_table
from ..game.rules import Bonus, RuleSet
from ..model.card_masks import is_wide
from ..model.relaxed_game import intercept
from .bundle import Minimum, minimise
from .one_turn import one_turn
from .sums import dot

EVALUATIONS = 300
SLOPE_UNIT = 0.003  # of the slopes of a wide sheet, which move its bound far more than prices do


@dataclass(frozen=True)
class Prices:
    """Prices of boxes, and slopes of the lines above upper bonuses."""

    prices: Floats  # (categories,) float64
    slopes: Floats  # (bonuses,) float64
    value: float  # bound of the game without the bonuses that have no line; to guide the method, not certified
    gap: float  # about how much lower the best prices can be
    evaluations: int  # turns evaluated


def optimal_prices(
    rules: RuleSet,
    lines: Sequence[int] = (),
    *,
    evaluations: int = EVALUATIONS,
    progress: Callable[[float], None] | None = None,
) -> Prices:
    """The prices with which the relaxed game is worth least."""
    points, n_boxes = points_table(rules).astype(np.float64), len(rules.categories)
    turn = one_turn(rules.dice, rules.faces, rules.rolls_per_turn)
    bonuses = rules.bonuses
    counted = [np.array([box.upper and box.column == b for box in rules.categories], dtype=np.float64) for b in lines]
    rolls, unit = np.arange(points.shape[1]), SLOPE_UNIT if is_wide(rules) else 1.0

    def bound(variables: Floats) -> tuple[float, Floats]:
        lam, slopes = variables[:n_boxes], unit * variables[n_boxes:]
        worth = (
            points * (1.0 + sum((s * c for s, c in zip(slopes, counted, strict=True)), np.zeros(n_boxes)))[:, None]
        )
        gains = worth - lam[:, None]
        box = gains.argmax(axis=0)
        mean, ends = turn.mean_and_uses(gains[box, rolls])
        uses = np.bincount(box, weights=ends, minlength=n_boxes)
        sums = np.bincount(box, weights=ends * points[box, rolls], minlength=n_boxes)
        total, gradient = float(lam.sum() + n_boxes * mean), [*(1.0 - n_boxes * uses)]
        for b, slope, c in zip(lines, slopes.tolist(), counted, strict=True):
            total += intercept(bonuses[b], slope)
            gradient.append(unit * (float(n_boxes * dot(c, sums)) - touching_sum(bonuses[b], slope)))
        return total, np.array(gradient)

    def report(found: Minimum) -> None:
        if progress:
            progress(found.evaluations / evaluations)

    # Prices of what a box pays in the mean if the turn is played for it alone would be far too high; the mean of a
    # random roll orders the boxes well enough.
    start = np.concatenate([dot(points, turn.grid.weights), np.zeros(len(lines))])
    lowest = np.concatenate([np.full(n_boxes, -np.inf), np.zeros(len(lines))])
    tolerance = 1e-5 * float(np.abs(points).max()) * n_boxes
    found = minimise(
        bound, start, tolerance=tolerance, evaluations=evaluations, lowest=lowest, progress=report, step=10.0
    )
    slopes = unit * found.point[n_boxes:]
    return Prices(found.point[:n_boxes], slopes, found.value, found.gap, found.evaluations)


def touching_sum(bonus: Bonus, slope: float) -> float:
    """The upper sum at which the line of this slope touches the bonus."""
    return float(max(((0, 0), *bonus.steps), key=lambda step: step[1] - slope * step[0])[0])
