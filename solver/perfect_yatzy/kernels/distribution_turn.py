"""Distributions of the points still to come under a policy, for all states of a card, from those of its children.

For the state s, the points y still to come, and an outcome o of a turn with p(o) points that leads to the child s'::

    P(y | s) = sum over o of P(o | s) P(y - p(o) | s')

This is the forward pass of :mod:`.propagation` backwards: one pass has the distributions from every card on, where
the forward pass has that of one.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from typing import NamedTuple

from ..game.dice import Floats, Ints
from ..model.state_space import LANES
from .actions import turn_chances
from .jit import jit
from .simd import add, load_at, multiply, peek, poke, splat, store_at, views
from .turn import mean_block
from .value_tables import state_number


class ToCome(NamedTuple):
    """Distributions of the points to come from every state of a layer on.

    Attributes
    ----------
    first_state : int
        Number of the first state of the layer.
    start : (states + 1,) int64
        Where the chances of 0, 1, 2 ... points begin; LANES zeros follow the last one.
    chances : (n,) float64
    results : (states * width,) float64
        For each state the expected points of each category and the chances that it is crossed out, in turn; and the
        chance of an upper bonus.
    width : int
    """

    first_state: int
    start: Ints
    chances: Floats
    results: Floats
    width: int


@jit
def add_outcome(job, outcome, chance, state, child, below, target):
    """Add an outcome of the turn from a state, with the chance it has, to the distribution of the state."""
    here, there = state - target.first_state, child - below.first_state
    source, share = peek(below.start, there), splat(below.chances, chance)
    place = peek(target.start, here) + int(peek(job.outcomes.total, outcome)) - source
    for y in range(source, peek(below.start, there + 1) - LANES, LANES):
        moved = multiply(share, load_at(below.chances, y))
        store_at(target.chances, place + y, add(load_at(target.chances, place + y), moved))
    first, child_first = here * target.width, there * target.width
    for i in range(target.width):
        before = peek(target.results, first + i)
        poke(target.results, first + i, before + chance * peek(below.results, child_first + i))
    category, points = peek(job.outcomes.category, outcome), peek(job.outcomes.points, outcome)
    poke(target.results, first + 2 * category, peek(target.results, first + 2 * category) + chance * points)
    if points == 0:
        crossed_out = first + 2 * category + 1
        poke(target.results, crossed_out, peek(target.results, crossed_out) + chance)


@jit
def distribute_rows(rows, arguments, policy, index_arrays, children, layer):
    """Distributions of the points to come from all states of the given rows on.

    Parameters
    ----------
    rows : (n,) int64
        Rows of one layer.
    arguments : PolicyJob
    policy
        See :mod:`.actions`.
    index_arrays : IndexedLattice
    children, layer : ToCome
        Of the layer below; written: zeros before, the distributions of the rows after the call.
    """
    job, lattice_index, followed = views(arguments), views(index_arrays), views(policy)
    below, target, layout = views(children), views(layer), job.model.layout
    for row in rows:
        lane_count = peek(layout.lane_count, peek(layout.lane_sets, row))
        for first_lane in range(0, lane_count, LANES):
            turn_chances(followed, job, lattice_index, mean_block(job.model, row, first_lane))
            for i in range(job.outcomes.size):
                for lane in range(min(LANES, lane_count - first_lane)):
                    chance = peek(job.scratch.outcome_chance, i * LANES + lane)
                    if chance > 0.0:
                        state = peek(layout.offsets, row) + first_lane + lane
                        step, shift = peek(job.outcomes.step, i), peek(job.outcomes.shift, i)
                        child = state_number(layout, row, row + step, first_lane + lane, 0, shift)
                        add_outcome(job, i, chance, state, child, below, target)
