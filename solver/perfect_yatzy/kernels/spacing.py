"""Values between scores: those of every second or fourth score determine the others where they are smooth.

A value is a mean over the scores of the turns to come. With a few of them it is a smooth function of the score, and
six values at equal distances 2s give the one in a gap between them by Lagrange's polynomial. In the middle gap::

    v(x) = (150 (v(x-s) + v(x+s)) - 25 (v(x-3s) + v(x+3s)) + 3 (v(x-5s) + v(x+5s))) / 256
"""

from __future__ import annotations

import numpy as np

from .jit import jit

POINTS = 6  # of an interpolation


_HALF = [[63, 315, -210, 126, -45, 7], [-7, 105, 210, -70, 21, -3], [3, -25, 150, 150, -25, 3]]
WEIGHTS = np.array(_HALF + [row[::-1] for row in _HALF[1::-1]]).ravel() / 256  # by gap


@jit
def interpolated(values, first, step, gap):
    """The value in gap number `gap` of six entries that are `step` apart."""
    total = 0.0
    for i in range(POINTS):
        total += WEIGHTS[gap * POINTS + i] * values[first + i * step]
    return total


@jit
def fill_between(values, first, spacing):
    """Write all entries between those of a block from `first` on, level by level."""
    end, step = first + 15 * spacing, spacing
    while step > 1:
        half = step >> 1
        for place in range(first + half, end, step):
            start = min(max(place - half - 2 * step, first), end - (POINTS - 1) * step)
            values[place] = interpolated(values, start, step, (place - start) // step)
        step = half


@jit
def misses_of(values, first, spacing):
    """Squared errors of interpolation from twice the spacing, and squared changes over it, added up for a block."""
    misses = changes = 0.0
    for place in range(first + 5 * spacing, first + 11 * spacing, spacing):
        miss = values[place] - interpolated(values, place - 5 * spacing, 2 * spacing, 2)
        change = values[place + spacing] - values[place - spacing]
        misses, changes = misses + miss * miss, changes + change * change
    return misses, changes
