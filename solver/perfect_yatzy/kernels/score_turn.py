"""Solve tables of scores: goals and utilities of the final score.

The Bellman backup of :mod:`.turn` with a score x as part of the state: making p points moves x by p, so that ::

    stop(r, n, x) = max over open categories c of  V(child card, saved rolls n, x + points(c, r))

The lanes of a vector are consecutive x of one state, and the value of a child is a load p entries further on in the
child's range of scores. Beyond its ends the values are known: one vector of them on either side makes every load a
plain one (:mod:`perfect_yatzy.model.objectives`).
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from .jit import jit
from .legal import choices_of
from .simd import peek, shifted, splat, store_at, views, width
from .turn import solve_block
from .value_tables import Block, ScoreTable, score_block, state_number


@jit
def write_known_values(table, state):
    """Write the known values around a range of scores: 0 (impossible) below it and 1 (certain) above it."""
    origin, values = peek(table.origin, state), table.values
    store_at(values, origin + peek(table.low, state) - width(values), splat(values, 0.0))
    store_at(values, origin + peek(table.high, state) + 1, splat(values, 1.0))


@jit
def solve_score_rows(rows, arguments, score_offsets, known_ends):
    """Values of all states and scores of the given rows, from those of their children.

    Parameters
    ----------
    rows : (n,) int64
        Rows of one layer.
    arguments : SolveJob
        With tables of float32.
    score_offsets : ScoreOffsets
    known_ends : bool
        Whether known values surround each range of scores (goals); the ranges of a utility hold every score that
        can occur.
    """
    job, offsets = views(arguments), views(score_offsets)
    model, layout = job.model, job.model.layout
    children = ScoreTable(shifted(job.below.values, job.below.start), offsets.origin, offsets.low, offsets.high)
    target = ScoreTable(shifted(job.target.values, job.target.start), offsets.origin, offsets.low, offsets.high)
    for row in rows:
        choices = choices_of(model, row)
        for lane in range(peek(layout.lane_count, peek(layout.lane_sets, row))):
            state = peek(layout.offsets, row) + lane
            if known_ends:
                for saved in range(job.most_saved + 1):
                    write_known_values(target, state_number(layout, row, row, lane, saved, 0))
            for x in range(peek(offsets.low, state), peek(offsets.high, state) + 1, width(job.scratch.buffer)):
                solve_block(children, target, job, Block(row, score_block(lane, x), choices))
