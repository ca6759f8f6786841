"""Minimise a convex function from its values and subgradients: a proximal bundle method.

The function is the maximum of its *cuts*, the lines ``f(x_i) + g_i . (x - x_i)`` at the points visited. Each step
minimises the cuts found so far plus a quadratic term that keeps it near the best point::

    y = argmin over x of  max over i of cut_i(x) + |x - best|^2 / (2 t)

The dual of that is a quadratic program over the convex combinations of the cuts. If y lowers the function by a
tenth of what the cuts promise, it becomes the best point; else its cut makes the model better (C. Lemarechal and
C. Sagastizabal, "Variable metric bundle methods", Mathematical Programming 76, 1997; the rules for t are those of
K. C. Kiwiel, "Proximity control in bundle methods", Mathematical Programming 46, 1990, simplified).

The bits are the same on every machine, with any number of threads. NumPy's matrix products add in an order that
depends on the processor and on the threads of its library (BLAS). They are used only where every partial sum is
exact, because all numbers are multiples of one power of two and small (:mod:`perfect_yatzy.strategy.fitted_values`).
Elsewhere products are added in NumPy's fixed order (:func:`dot`).
"""

from __future__ import annotations

from collections.abc import Callable
from math import frexp

import numpy as np

from ..game.dice import Floats, Ints

MAX_CUTS = 80
ROUNDS = 400  # of the projections of one step
SERIOUS = 0.1  # of the descent that the cuts promise
MANTISSA = 53  # bits of a float64
POINT_BITS = 20  # after the binary point, of the coordinates of all points


def dot(a: Floats | Ints, b: Floats | Ints) -> Floats:
    """Sums of products along the last axis, of a vector or of each row of a matrix."""
    return np.asarray((a * b).sum(axis=-1))


def rounded(numbers: Floats, bits: int) -> Floats:
    """The nearest multiples of ``2^-bits``."""
    return np.asarray(np.ldexp(np.rint(np.ldexp(numbers, bits)), -bits))


def exact_bits(numbers: Floats, spare: int) -> int:
    """Bits after the binary point with which any sums of such numbers, each times `spare` bits, are exact."""
    most = frexp(float(np.abs(numbers).sum()))[1] + 1
    return MANTISSA - spare - most


def minimise(
    function: Callable[[Floats], tuple[float, Floats]], start: Floats, *, tolerance: float, evaluations: int = 300,
    step: float = 1.0, lowest: Floats | None = None, progress: Callable[[float], None] | None = None,
) -> tuple[Floats, float, int]:  # fmt: skip
    """The best point found of a convex function, its value, and the evaluations; `progress` takes the share done."""
    best = rounded(np.array(start, dtype=np.float64), POINT_BITS)
    value, gradient = function(best)
    points, slopes, heights = [best], [gradient], [value]
    weights = np.ones(1)
    gap, count = np.inf, 1
    while count < evaluations:
        matrix = np.array(slopes)
        # Each cut at the best point, as how far it lies below the value there.
        errors = np.array([value - h - dot(g, best - x) for h, g, x in zip(heights, slopes, points, strict=True)])
        errors = np.maximum(errors, 0.0)
        weights = convex_combination(step * dot(matrix[:, None], matrix), errors, weights)
        direction = dot(matrix.T, weights)
        gap = float(step * dot(direction, direction) + dot(weights, errors))
        if gap <= tolerance:
            break
        trial = rounded(best - step * direction, POINT_BITS)
        if lowest is not None:
            trial = np.maximum(trial, lowest)
        found, gradient = function(trial)
        count += 1
        points.append(trial)
        slopes.append(gradient)
        heights.append(found)
        weights = np.append(weights, 0.0)
        if found <= value - SERIOUS * gap:
            if found <= value - 0.5 * gap:
                step *= 2.0
            best, value = trial, found
        elif found - value > gap:
            step *= 0.5
        if len(points) > MAX_CUTS:
            keep = np.sort(np.argsort(-weights[:-1], kind="stable")[: MAX_CUTS - 20])
            keep = np.append(keep, len(points) - 1)
            points, slopes = [points[i] for i in keep], [slopes[i] for i in keep]
            heights = [heights[i] for i in keep]
            weights = weights[keep] / weights[keep].sum()
        if progress:
            progress(count / evaluations)
    return best, value, count


def convex_combination(matrix: Floats, errors: Floats, start: Floats) -> Floats:
    """The weights that minimise ``w' matrix w / 2 + errors . w`` and sum to 1, by accelerated projection."""
    lipschitz = float(np.abs(matrix).sum(axis=1).max()) or 1.0
    here = ahead = start / start.sum()
    momentum = 1.0
    for _ in range(ROUNDS):
        gradient = dot(matrix, ahead) + errors
        after = onto_simplex(ahead - gradient / lipschitz)
        if float(dot(gradient, after - here)) > 0.0:
            momentum = 1.0  # restart: the momentum leads uphill
        grown = (1.0 + np.sqrt(1.0 + 4.0 * momentum**2)) / 2.0
        ahead = after + (momentum - 1.0) / grown * (after - here)
        if np.abs(after - here).max() < 1e-12:
            return np.asarray(after)
        here, momentum = after, grown
    return np.asarray(here)


def onto_simplex(point: Floats) -> Floats:
    """The nearest point with entries of at least 0 whose sum is 1."""
    ordered = np.sort(point)[::-1]
    excess = (np.cumsum(ordered) - 1.0) / np.arange(1, len(point) + 1)
    last = np.flatnonzero(ordered > excess)[-1]
    return np.asarray(np.maximum(point - excess[last], 0.0))
