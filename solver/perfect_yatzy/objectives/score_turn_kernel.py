"""The turn for goals and other utilities of the final score: blocks of neighbouring scores of one
state (:mod:`.score_table_kernel`).

A value is a mean over the scores of the turns to come. With a few of them it is a smooth function
of the score: then only every second or fourth one is solved, and six values at equal distances 2s
give the one in a gap between them by Lagrange's polynomial. In the middle gap::

    v(x) = (150 (v(x-s) + v(x+s)) - 25 (v(x-3s) + v(x+3s)) + 3 (v(x-5s) + v(x+5s))) / 256
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..core.jit import jit
from ..core.legal import choices_of
from ..core.simd import splat, store_at, views, width
from ..core.turn import solve_turn
from ..core.value_tables import Block, lanes_of, state_place, values_of
from .score_table_kernel import SCORE_LANES, placed_scores, score_block

POINTS = 6  # of an interpolation
MIDDLE_GAP = POINTS // 2 - 1
# of the points, for the gaps up to the middle one; those after it are mirrored
_HALF = [[63, 315, -210, 126, -45, 7], [-7, 105, 210, -70, 21, -3], [3, -25, 150, 150, -25, 3]]
WEIGHTS = np.array(_HALF + [row[::-1] for row in _HALF[1::-1]]).ravel() / 256  # by gap and point


class BlockStart(NamedTuple):
    """Where a block of scores begins."""

    row: int
    lane: int
    score: int


@jit
def write_known_values(table, state):
    """Write a vector of known values on either side of a range of scores.

    They are 0 (impossible) below, and 1 (certain) above.
    """
    origin = table.origin[state]
    values = table.values
    store_at(values, origin + table.low[state] - width(values), splat(values, 0.0))
    store_at(values, origin + table.high[state] + 1, splat(values, 1.0))


@jit
def interpolated(values, first, step, gap):
    """Return the value in the middle of gap number `gap`, from 0, of six entries `step` apart."""
    total = 0.0
    for i in range(POINTS):
        total += WEIGHTS[gap * POINTS + i] * values[first + i * step]
    return total


@jit
def fill_between(values, first, spacing):
    """Write all entries between those of a block from `first` on, level by level."""
    last = first + (SCORE_LANES - 1) * spacing
    step = spacing
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
    """Return two sums of squares of a block.

    They are of the errors if every second entry were interpolated, and of the differences of the two
    neighbours of each of these entries.
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
def fitting_spacing(spacing, low, high, lanes):
    """Return `spacing`, halved until a block of that many lanes fits into a range of scores."""
    while spacing > 1 and high - low < (lanes - 1) * spacing:
        spacing >>= 1
    return spacing


@jit
def finish_block(job, offsets, start, step, is_measured, sums):
    """Fill a solved block between its scores, which are `step` apart, for all saved rolls.

    Returns `sums`. If `is_measured`, those of :func:`misses_of` are added to them first.
    """
    target = values_of(job.target)
    misses, changes = sums
    for saved in range(job.most_saved + 1):
        state = state_place(job.model.layout, start.row, saved, start.lane)
        first = offsets.origin[state] + start.score
        if is_measured:
            miss, change = misses_of(target, first, step)
            misses += miss
            changes += change
        fill_between(target, first, step)
    return misses, changes


@jit
def next_start(first, high, run, step):
    """Return the first score of the block after the one from `first` to ``first + run``.

    It is more than `high` if that was the last block of the range.
    """
    last = first + run
    if step == 1 or last >= high:
        return last + 1
    # Blocks of spaced scores share their ends, and the last one ends with the range.
    return min(last, high - run)


@jit
def solve_score_rows(rows, arguments, score_offsets, known_ends, spacing):
    """Solve all states and every `spacing`-th score, by a SolveJob and ScoreOffsets.

    The tables are of float32. Returns how far twice the spacing would miss the values, and how much
    they change over it, as sums of squares. With `known_ends`, for goals, known values surround
    each range. The ranges of a utility hold every score that can occur.
    """
    job = views(arguments)
    offsets = views(score_offsets)
    layout = job.model.layout
    lanes = width(job.scratch.buffer)
    sums = (0.0, 0.0)
    for row in rows:
        choices = choices_of(job.model, row)
        for lane in range(lanes_of(layout, row)):
            state = state_place(layout, row, 0, lane)
            first, high = offsets.low[state], offsets.high[state]
            step = fitting_spacing(spacing, first, high, lanes)
            run = (lanes - 1) * step  # from the first score of a block to its last
            children = placed_scores(job.below, offsets, step)
            scores = placed_scores(job.target, offsets, step)
            if known_ends:
                for saved in range(job.most_saved + 1):
                    write_known_values(scores, state_place(layout, row, saved, lane))
            while first <= high:
                solve_turn(children, scores, job, Block(row, score_block(lane, first), choices))
                # Goals count no misses: every score of them is solved.
                if first + run <= high and not known_ends:
                    start = BlockStart(row, lane, first)
                    sums = finish_block(job, offsets, start, step, step == spacing, sums)
                first = next_start(first, high, run, step)
    return sums
