"""The entry points of a solve: all states of some rows of a layer, from the values of the layer below.

For an exponential utility sign(rate) exp(rate score) the points made so far are a common factor of all options, so
the table is as small as that of the mean, and points multiply its values. For goals and other utilities a score x is
part of the state: p points move x by p. The lanes of a vector are consecutive x, and the value of a child is a load p
entries further on in its range of scores. Beyond its ends the values are known: one vector of them on either side
makes every load a plain one (:mod:`perfect_yatzy.model.objectives`).

A value is a mean over the scores of the turns to come. With a few of them it is a smooth function of the score: then
only every second or fourth one is solved, and six values at equal distances 2s give the one in a gap between them by
Lagrange's polynomial. In the middle gap::

    v(x) = (150 (v(x-s) + v(x+s)) - 25 (v(x-3s) + v(x+3s)) + 3 (v(x-5s) + v(x+5s))) / 256
"""

from __future__ import annotations

import numpy as np

from ..model.state_space import LANES
from .jit import jit
from .legal import choices_of
from .simd import splat, store_at, views, width
from .turn import solve_block
from .value_tables import (
    Block,
    ExponentialTable,
    lanes_of,
    mean_table,
    placed_scores,
    score_block,
    state_place,
    values_of,
)

POINTS = 6  # of an interpolation
_HALF = [[63, 315, -210, 126, -45, 7], [-7, 105, 210, -70, 21, -3], [3, -25, 150, 150, -25, 3]]
WEIGHTS = np.array(_HALF + [row[::-1] for row in _HALF[1::-1]]).ravel() / 256  # by gap


@jit
def solve_lanes(rows, children, target, job):
    """Values of all states of some rows; a vector has lanes of upper sums."""
    for row in rows:
        choices = choices_of(job.model, row)
        for lane in range(0, lanes_of(job.model.layout, row), LANES):
            solve_block(children, target, job, Block(row, lane, choices))


@jit
def solve_rows(rows, arguments):
    """Values of all states of the given rows, by a SolveJob with tables of float64."""
    job = views(arguments)
    solve_lanes(rows, mean_table(job.below), mean_table(job.target), job)


@jit
def solve_exponential_rows(rows, arguments, rate):
    """The same for an exponential utility with a rate per point."""
    job = views(arguments)
    solve_lanes(rows, ExponentialTable(values_of(job.below), rate), mean_table(job.target), job)


@jit
def write_known_values(table, state):
    """Write the known values around a range of scores: 0 (impossible) below it and 1 (certain) above it."""
    origin, values = table.origin[state], table.values
    store_at(values, origin + table.low[state] - width(values), splat(values, 0.0))
    store_at(values, origin + table.high[state] + 1, splat(values, 1.0))


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


@jit
def solve_score_rows(rows, arguments, score_offsets, known_ends, spacing):
    """Values of all states and every `spacing`-th score, by a SolveJob with tables of float32 and ScoreOffsets."""
    # Returns how far twice the spacing would miss the values, and how much they change over it, as sums of squares.
    # Known values surround each range of goals; the ranges of a utility hold every score that can occur.
    job, offsets = views(arguments), views(score_offsets)
    layout, target, misses = job.model.layout, values_of(job.target), 0.0
    lanes, changes = width(job.scratch.buffer), 0.0
    for row in rows:
        choices = choices_of(job.model, row)
        for lane in range(lanes_of(layout, row)):
            state, apart = state_place(layout, row, 0, lane), spacing
            x, high = offsets.low[state], offsets.high[state]
            while apart > 1 and high - x < (lanes - 1) * apart:
                apart >>= 1
            run = (lanes - 1) * apart
            children = placed_scores(job.below, offsets, apart)
            scores = placed_scores(job.target, offsets, apart)
            if known_ends:
                for saved in range(job.most_saved + 1):
                    write_known_values(scores, state_place(layout, row, saved, lane))
            while x <= high:
                solve_block(children, scores, job, Block(row, score_block(lane, x), choices))
                for saved in range(job.most_saved + 1 if x + run <= high and not known_ends else 0):
                    first = offsets.origin[state_place(layout, row, saved, lane)] + x
                    if apart == spacing:
                        miss, change = misses_of(target, first, apart)
                        misses, changes = misses + miss, changes + change
                    fill_between(target, first, apart)
                # Blocks of spaced scores share their ends, and the last one ends with the range.
                x = x + lanes if apart == 1 else (min(x + run, high - run) if x + run < high else high + 1)
    return misses, changes
