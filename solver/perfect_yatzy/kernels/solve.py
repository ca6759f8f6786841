"""The entry points of a solve: all states of some rows of a layer, from the values of the layer below.

===========================  ========================================================================================
:func:`solve_rows`           the mean
:func:`solve_exponential_rows`  the utility sign(rate) exp(rate score). The points made so far are a common factor of
                             all options, so the table is as small as that of the mean, and points multiply its values
:func:`solve_score_rows`     goals and other utilities, with a score x as part of the state: p points move x by p. The
                             lanes of a vector are consecutive x, and the value of a child is a load p entries further
                             on in the child's range of scores. Beyond its ends the values are known: one vector of
                             them on either side makes every load a plain one (:mod:`perfect_yatzy.model.objectives`)
===========================  ========================================================================================
"""

from __future__ import annotations

from ..model.state_space import LANES
from .jit import jit
from .legal import choices_of
from .simd import splat, store_at, views, width
from .spacing import fill_between, misses_of
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
def solve_score_rows(rows, arguments, score_offsets, known_ends, spacing):
    """Values of all states and scores of the given rows, by a SolveJob with tables of float32 and ScoreOffsets.

    Every `spacing`-th score is solved, where a range is long enough. Returns how far twice the spacing would miss
    the values, and how much they change over it, as sums of squares.
    """
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
