"""Powell's method: descend on a function of some numbers without derivatives.

Along each direction of a set in turn, a parabola through three points gives the next point. After each sweep the
direction of the whole step replaces the one that gained most, so that the directions become conjugate (M. J. D.
Powell, "An efficient method for finding the minimum of a function of several variables without calculating
derivatives", The Computer Journal 7, 1964).

The mean of a strategy as a function of its prices is a sum of many small steps. So the three points are a given width
apart, and no line is searched to the end.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..game.dice import Floats

LONGEST_STEP = 3.0  # in widths


def descend(
    function: Callable[[Floats], float], start: Floats, widths: Floats, sweeps: int, least_gain: float = 0.0
) -> tuple[Floats, float]:
    """A point with a lower value of a function."""
    directions, best = np.diag(widths), (function(start), start)
    for _ in range(sweeps):
        before, gains = best, []
        for direction in directions:
            value = best[0]
            best = _along(function, best, direction)
            gains.append(value - best[0])
        if before[0] - best[0] <= least_gain:
            break
        whole = best[1] - before[1]
        further = best[1] + whole
        best = min(best, (function(further), further), key=lambda found: found[0])
        replaced = int(np.argmax(gains))
        directions[replaced] = directions[-1]
        directions[-1] = whole
    return best[1], best[0]


def _along(
    function: Callable[[Floats], float], best: tuple[float, Floats], direction: Floats
) -> tuple[float, Floats]:
    """The lowest of a point, its neighbours in a direction and the vertex of the parabola through the three."""
    value, point = best
    up, down = function(point + direction), function(point - direction)
    found = [best, (up, point + direction), (down, point - direction)]
    curvature = up - 2 * value + down
    if curvature > 0:
        step = float(np.clip((down - up) / (2 * curvature), -LONGEST_STEP, LONGEST_STEP))
        found.append((function(point + step * direction), point + step * direction))
    return min(found, key=lambda entry: entry[0])
