"""The turn for goals and other utilities of the final score: blocks of neighbouring scores of one
state (:mod:`.score_table_kernel`).

A value is a mean over the scores of the turns to come. With a few of them it is a smooth function
of the score: then only every second or fourth one is solved, and six values at equal distances 2s
give the one in a gap between them by Lagrange's polynomial. In the middle gap::

    v(x) = (150 (v(x-s) + v(x+s)) - 25 (v(x-3s) + v(x+3s)) + 3 (v(x-5s) + v(x+5s))) / 256
"""

from __future__ import annotations

import numpy as np

from ..core.jit import jit
from ..core.legal import choices_of
from ..core.simd import splat, store_at, views, width
from ..core.turn import solve_block
from ..core.value_tables import Block, lanes_of, state_place, values_of
from .score_table_kernel import SCORE_LANES, placed_scores, score_block

POINTS = 6  # of an interpolation
MIDDLE_GAP = POINTS // 2 - 1
_HALF = [[63, 315, -210, 126, -45, 7], [-7, 105, 210, -70, 21, -3], [3, -25, 150, 150, -25, 3]]


# of the points, by gap
WEIGHTS = np.array(_HALF + [row[::-1] for row in _HALF[1::-1]]).ravel() / 256


@jit
def write_known_values(table, state):
    """Write a vector of known values on either side of a range of scores: 0 (impossible) below,
    1 (certain) above.
    """
    origin, values = table.origin[state], table.values
    store_at(values, origin + table.low[state] - width(values), splat(values, 0.0))
    store_at(values, origin + table.high[state] + 1, splat(values, 1.0))


@jit
def interpolated(values, first, step, gap):
    """The value in the middle of gap number `gap`, from 0, of six entries that are `step` apart."""
    total = 0.0
    for i in range(POINTS):
        total += WEIGHTS[gap * POINTS + i] * values[first + i * step]
    return total


@jit
def fill_between(values, first, spacing):
    """Write all entries between those of a block from `first` on, level by level."""
    last, step = first + (SCORE_LANES - 1) * spacing, spacing
    while step > 1:
        half = step >> 1
        for place in range(first + half, last, step):
            # From six entries with the place in their middle gap; near the ends of the block its
            # first or last six.
            centred = place - half - MIDDLE_GAP * step
            start = min(max(centred, first), last - (POINTS - 1) * step)
            values[place] = interpolated(values, start, step, (place - start) // step)
        step = half


@jit
def misses_of(values, first, spacing):
    """Sums of squares of a block: errors if every second entry were interpolated, and changes
    across those.
    """
    last = first + (SCORE_LANES - 1) * spacing
    reach = (POINTS - 1) * spacing  # from a place to the outer ones of the six entries around it
    misses, changes = 0.0, 0.0
    for place in range(first + reach, last - reach + spacing, spacing):
        miss = values[place] - interpolated(values, place - reach, 2 * spacing, MIDDLE_GAP)
        change = values[place + spacing] - values[place - spacing]
        misses += miss * miss
        changes += change * change
    return misses, changes


@jit
def solve_score_rows(rows, arguments, score_offsets, known_ends, spacing):
    """Values of all states and every `spacing`-th score, by a SolveJob with tables of float32
    and ScoreOffsets.
    """
    # Returns how far twice the spacing would miss the values, and how much they change over it, as
    # sums of squares. Known values surround each range of goals; the ranges of a utility hold every
    # score that can occur.
    job, offsets = views(arguments), views(score_offsets)
    layout, target, lanes = job.model.layout, values_of(job.target), width(job.scratch.buffer)
    misses, changes = 0.0, 0.0
    for row in rows:
        choices = choices_of(job.model, row)
        for lane in range(lanes_of(layout, row)):
            state = state_place(layout, row, 0, lane)
            x, high = offsets.low[state], offsets.high[state]
            apart = spacing
            while apart > 1 and high - x < (lanes - 1) * apart:
                apart >>= 1  # until a block fits into the range
            run = (lanes - 1) * apart  # from the first score of a block to its last
            children = placed_scores(job.below, offsets, apart)
            scores = placed_scores(job.target, offsets, apart)
            if known_ends:
                for saved in range(job.most_saved + 1):
                    write_known_values(scores, state_place(layout, row, saved, lane))
            while x <= high:
                solve_block(children, scores, job, Block(row, score_block(lane, x), choices))
                last = x + run
                # goals count no misses: every score of them is solved
                if last <= high and not known_ends:
                    for saved in range(job.most_saved + 1):
                        first = offsets.origin[state_place(layout, row, saved, lane)] + x
                        if apart == spacing:
                            miss, change = misses_of(target, first, apart)
                            misses += miss
                            changes += change
                        fill_between(target, first, apart)
                # Blocks of spaced scores share their ends, and the last one ends with the range.
                x = min(last, high - run) if apart > 1 and last < high else last + 1
    return misses, changes
