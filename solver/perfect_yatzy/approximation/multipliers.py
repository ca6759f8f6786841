"""Find the prices of the boxes with which the relaxed game without exact boxes is worth least.

With n boxes, every box in the class and no upper bonus, all turns of the relaxed game are alike::

    bound(lam) = sum of lam_c + n E[ best turn of max over c of p_c(roll) - lam_c ]

It is convex in the prices, and ``1 - expected uses of box c`` is a subgradient: at the minimum each
box is used once in the mean. Any prices give a valid bound. These are computed once, and exact
boxes keep them.

An upper bonus b whose sum the relaxed game does not remember is replaced by a line ``intercept_b(s_b)
+ s_b * sum``. Its slope s_b is one more variable::

    bound(lam, s) = sum of lam_c + sum of intercept_b(s_b)
                    + n E[ best turn of max over c of p_c(roll) (1 + s_b(c)) - lam_c ]

where b(c) is the bonus that box c counts to. By s_b it has the subgradient ``expected upper sum -
the sum at which the line touches a step``. A proximal bundle method minimises the bound: the
maximum of its *cuts*, the lines ``f(x_i) + g_i . (x - x_i)`` at the points visited. Each step
minimises the cuts found so far plus a quadratic term that keeps it near the best point::

    y = argmin over x of  max over i of cut_i(x) + |x - best|^2 / (2 t)

The dual of that is a quadratic program over the convex combinations of the cuts. If y lowers the
function by a tenth of what the cuts promise, it becomes the best point; else its cut makes the
model better (C. Lemarechal and C. Sagastizabal, "Variable metric bundle methods", Mathematical
Programming 76, 1997; the rules for t are those of K. C. Kiwiel, "Proximity control in bundle
methods", Mathematical Programming 46, 1990, simplified).

The bits are the same on every machine: products are added in a fixed order (:func:`dot`), as the
README explains.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import frexp
from typing import NamedTuple

import numpy as np

from ..core.dice import Floats, Ints, lattice
from ..core.rules import Bonus, RuleSet
from ..core.scoring import points_table
from ..core.state_space import is_wide
from ..strategy.turn_evaluator import passes
from .relaxed_game import intercept

EVALUATIONS = 300  # most evaluations of the bound
# The unit of the slopes of a wide sheet, which move its bound far more than prices do.
SLOPE_UNIT = 0.003
MAX_CUTS = 80  # most cuts
KEPT_CUTS = 60  # if there are more than MAX_CUTS, so many with the largest weights are kept
ROUNDS = 400  # projections of one step
SERIOUS = 0.1  # share of the promised descent that makes a point the best one
FIRST_STEP = 10.0  # first step of a descent
MANTISSA = 53  # bits of a float64
POINT_BITS = 20  # bits after the binary point, of the coordinates of all points
Progress = Callable[[float], None]  # takes the fraction that is done


def dot(a: Floats | Ints, b: Floats | Ints) -> Floats:
    """Return sums of products along the last axis, of a vector or of each row of a matrix."""
    return np.asarray((a * b).sum(axis=-1))


def rounded(numbers: Floats, bits: int) -> Floats:
    """Return the nearest multiples of ``2^-bits``."""
    return np.asarray(np.ldexp(np.rint(np.ldexp(numbers, bits)), -bits))


def exact_bits(numbers: Floats, spare: int) -> int:
    """Return the bits after the binary point with which any sums of such numbers are exact.

    Each number is multiplied with one of `spare` bits.
    """
    most = frexp(float(np.abs(numbers).sum()))[1] + 1
    return MANTISSA - spare - most


class Minimum(NamedTuple):
    """The best point that was found."""

    point: Floats
    value: float  # value of the function there
    evaluations: int  # how often the function was evaluated


class Cut(NamedTuple):
    """A line below a convex function."""

    point: Floats  # where it touches the function
    slope: Floats
    height: float  # value of the function there


def minimise(  # noqa: PLR0913 - a minimiser: function, start, and when to stop
    function: Callable[[Floats], tuple[float, Floats]],
    start: Floats,
    free: int,
    *,
    tolerance: float,
    evaluations: int,
    progress: Progress | None = None,
) -> Minimum:
    """Minimise a convex function. Coordinates from `free` on are at least 0."""
    best = rounded(np.array(start, dtype=np.float64), POINT_BITS)
    value, gradient = function(best)
    cuts = [Cut(best, gradient, value)]
    weights = np.ones(1)  # of the cuts, by which the model combines them
    count = 1  # evaluations so far
    step = FIRST_STEP
    while count < evaluations:
        slopes = np.array([cut.slope for cut in cuts])
        # how far each cut lies below the value at the best point
        errors = np.array([value - cut.height - dot(cut.slope, best - cut.point) for cut in cuts])
        errors = np.maximum(errors, 0.0)
        weights = convex_combination(step * dot(slopes[:, None], slopes), errors, weights)
        direction = dot(slopes.T, weights)
        # the descent that the cuts promise
        gap = float(step * dot(direction, direction) + dot(weights, errors))
        if gap <= tolerance:
            break
        trial = rounded(best - step * direction, POINT_BITS)
        trial[free:] = np.maximum(trial[free:], 0.0)
        trial_value, gradient = function(trial)
        count += 1
        cuts.append(Cut(trial, gradient, trial_value))
        weights = np.append(weights, 0.0)
        if trial_value <= value - SERIOUS * gap:
            if trial_value <= value - 0.5 * gap:
                step *= 2.0
            best = trial
            value = trial_value
        elif trial_value - value > gap:
            step *= 0.5
        if len(cuts) > MAX_CUTS:
            heaviest = np.sort(np.argsort(-weights[:-1], kind="stable")[:KEPT_CUTS])
            keep = np.append(heaviest, len(cuts) - 1)  # the newest has no weight yet
            cuts = [cuts[i] for i in keep]
            weights = weights[keep] / weights[keep].sum()
        if progress:
            progress(count / evaluations)
    return Minimum(best, value, count)


def convex_combination(matrix: Floats, errors: Floats, start: Floats) -> Floats:
    """Return the weights that minimise ``w' matrix w / 2 + errors . w`` and sum to 1.

    The method is accelerated projection.
    """
    lipschitz = float(np.abs(matrix).sum(axis=1).max()) or 1.0  # the gradient changes no faster
    here = start / start.sum()
    ahead = here  # where the momentum leads
    momentum = 1.0
    for _ in range(ROUNDS):
        gradient = dot(matrix, ahead) + errors
        after = onto_simplex(ahead - gradient / lipschitz)
        if float(dot(gradient, after - here)) > 0.0:
            momentum = 1.0  # restarts, because the momentum leads uphill
        next_momentum = (1.0 + np.sqrt(1.0 + 4.0 * momentum**2)) / 2.0
        ahead = after + (momentum - 1.0) / next_momentum * (after - here)
        if np.abs(after - here).max() < 1e-12:
            return np.asarray(after)
        here = after
        momentum = next_momentum
    return np.asarray(here)


def onto_simplex(point: Floats) -> Floats:
    """Return the nearest point with entries of at least 0 whose sum is 1."""
    # The same is subtracted from all entries, and what falls below 0 is cut off.
    ordered = np.sort(point)[::-1]
    # what is subtracted if the 1, 2, ... largest entries are left
    excess = (np.cumsum(ordered) - 1.0) / np.arange(1, len(point) + 1)
    last = np.flatnonzero(ordered > excess)[-1]  # the most that stay above 0
    return np.asarray(np.maximum(point - excess[last], 0.0))


class OneTurn:
    """One turn for points alone, in NumPy.

    It gives the mean of the best turn, and how often it ends with each roll.

    ``d mean / d gain(roll)`` is the chance that the best policy ends a turn with that roll: chances
    move forward from the first roll, dice that are held move down the lattice one die at a time,
    and rerolls move up again.
    """

    def __init__(self, dice: int, faces: int, rolls: int) -> None:
        self.grid = lattice(dice, faces)
        self.passes = passes(dice, faces)
        self.rolls = rolls

    def mean_and_uses(self, gains: Floats) -> tuple[float, Floats]:
        """Return the mean of the best turn, and the chance that it ends with each roll."""
        best = gains  # the value of each roll, at first without rerolls
        # with which rolls to stop, and what to hold otherwise, by rerolls left from 1 on
        stages = []
        for _rerolls in range(1, self.rolls):
            values, choice = self._best_within(self.passes.holds_from_rolls(best))
            if_rerolled = values[self.grid.first_roll :]
            stops = gains >= if_rerolled
            stages.append((stops, choice))
            best = np.where(stops, gains, if_rerolled)
        chances = self.grid.weights.copy()  # the chance to have each roll
        ends = np.zeros(len(gains))  # the chance to end with it
        for stops, choice in reversed(stages):
            ends += np.where(stops, chances, 0.0)
            chances = self._reroll(np.where(stops, 0.0, chances), choice)
        return float(dot(self.grid.weights, best)), ends + chances

    def _best_within(self, holds: Floats) -> tuple[Floats, Ints]:
        """Return the best hold within each multiset, and the multiset that has it.

        That has one die less, or is the multiset itself.
        """
        best = holds.copy()  # by multiset, as `choice`
        choice = np.arange(len(holds))
        for level in self.passes.levels[1:]:  # the levels with fewer dice come first
            multisets = np.arange(level.place.start, level.place.stop)
            # (multisets,): the best of those with one die less
            column = best[level.predecessors].argmax(axis=1, keepdims=True)
            predecessor = np.take_along_axis(level.predecessors, column, axis=1)[:, 0]
            better = best[predecessor] > best[multisets]
            choice[multisets] = np.where(better, predecessor, multisets)
            best[multisets] = np.where(better, best[predecessor], best[multisets])
        return best, choice

    def _reroll(self, chances: Floats, choice: Ints) -> Floats:
        """Return the chance of each roll after a reroll.

        `chances` are those that each roll is rerolled.
        """
        held = np.zeros(self.grid.n_holds)  # chance of each multiset
        held[self.grid.first_roll :] = chances
        # Dice are put aside one by one, until the best hold is left.
        for level in self.passes.levels[:0:-1]:
            multisets = np.arange(level.place.start, level.place.stop)
            moved = multisets[choice[multisets] != multisets]
            held += np.bincount(choice[moved], weights=held[moved], minlength=len(held))
            held[moved] = 0.0
        return self.passes.rolls_from_holds(held)


@dataclass(frozen=True)
class Prices:
    """Prices of boxes, and slopes of the lines above upper bonuses."""

    prices: Floats  # (categories,) float64
    slopes: Floats  # (bonuses,) float64, 0 where there is no line
    # The bound of the game without the bonuses that have no line. It guides the method and is not
    # certified.
    value: float


def split_variables(
    rules: RuleSet, lines: Sequence[int], variables: Floats, value: float, unit: float = 1.0
) -> Prices:
    """Return variables as prices and slopes.

    First comes one for each box, then one for each of the `lines`, times `unit`.
    """
    n_boxes = len(rules.categories)
    slopes = np.zeros(len(rules.bonuses))
    slopes[list(lines)] = unit * variables[n_boxes:]
    return Prices(variables[:n_boxes], slopes, value)


def optimal_prices(
    rules: RuleSet, lines: Sequence[int] = (), progress: Progress | None = None
) -> Prices:
    """Return the prices with which the relaxed game is worth least.

    `lines` are the bonuses that a line replaces.
    """
    points = points_table(rules).astype(np.float64)  # (boxes, rolls)
    n_boxes = len(rules.categories)
    rolls = np.arange(points.shape[1])
    turn = OneTurn(rules.dice, rules.faces, rules.rolls_per_turn)
    unit = SLOPE_UNIT if is_wide(rules) else 1.0
    # For each line there is an array (boxes,), 1 for those whose points count towards its bonus.
    counted = [
        np.array([box.upper and box.column == b for box in rules.categories], dtype=np.float64)
        for b in lines
    ]

    def bound(variables: Floats) -> tuple[float, Floats]:
        """Return the bound with these prices and slopes, and its gradient."""
        prices = variables[:n_boxes]
        slopes = unit * variables[n_boxes:]
        extra = np.zeros(n_boxes)  # what a point of each box is worth beyond itself
        for slope, counts in zip(slopes, counted, strict=True):
            extra = extra + slope * counts
        gains = points * (1.0 + extra)[:, None] - prices[:, None]
        best_box = gains.argmax(axis=0)  # for each roll
        mean, ends = turn.mean_and_uses(gains[best_box, rolls])
        uses = np.bincount(best_box, weights=ends, minlength=n_boxes)  # in one turn, as the points
        points_made = np.bincount(
            best_box, weights=ends * points[best_box, rolls], minlength=n_boxes
        )
        total = float(prices.sum() + n_boxes * mean)
        gradient = [*(1.0 - n_boxes * uses)]  # by the prices, then by the slopes
        for b, slope, counts in zip(lines, slopes.tolist(), counted, strict=True):
            bonus = rules.bonuses[b]
            total += intercept(bonus, slope)
            counted_points = float(n_boxes * dot(counts, points_made))
            gradient.append(unit * (counted_points - touching_sum(bonus, slope)))
        return total, np.array(gradient)

    # What a box pays in the mean if the turn is played for it alone would be far too high a price. The
    # mean of a random roll orders the boxes well enough.
    start = np.concatenate([dot(points, turn.grid.weights), np.zeros(len(lines))])
    tolerance = 1e-5 * float(np.abs(points).max()) * n_boxes
    minimum = minimise(
        bound, start, n_boxes, tolerance=tolerance, evaluations=EVALUATIONS, progress=progress
    )
    return split_variables(rules, lines, minimum.point, minimum.value, unit)


def touching_sum(bonus: Bonus, slope: float) -> float:
    """Return the upper sum at which a line above a bonus touches one of its steps.

    The line is the lowest of this slope.
    """
    steps = [(0, 0), *bonus.steps]  # upper sum and points of each
    touched = max(steps, key=lambda step: step[1] - slope * step[0])
    return float(touched[0])
