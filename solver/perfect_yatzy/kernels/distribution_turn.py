"""Distributions of the points still to come under a policy, for all states of a card, from those of its children.

For the state s, the points y still to come, and an outcome o of a turn with p(o) points that leads to the child s'::

    P(y | s) = sum over o of P(o | s) P(y - p(o) | s')

This is the forward pass of :mod:`.propagation` backwards: one pass has the distributions from every card on, where
the forward pass has that of one.
"""

from __future__ import annotations

from typing import NamedTuple

from ..game.dice import Floats, Ints
from ..model.state_space import LANES
from .actions import turn_chances
from .jit import jit
from .simd import add_at, load_at, views
from .turn import mean_block
from .value_tables import lanes_of, state_number, state_place


class ToCome(NamedTuple):
    """Distributions of the points to come from every state of a layer on."""

    first_state: int  # number of the first state of the layer
    start: Ints  # (states + 1,): where the chances of 0, 1, 2 ... points begin; LANES zeros follow the last one.
    chances: Floats  # (n,)
    # (states * width,): expected points of each category and the chance that it is crossed out, in turn; chance of an
    # upper bonus
    results: Floats
    width: int


@jit
def add_outcome(job, outcome, chance, state, child, below, target):
    """Add an outcome of the turn from a state, with the chance it has, to the distribution of the state."""
    here, there = state - target.first_state, child - below.first_state
    source = below.start[there]
    place = target.start[here] + int(job.outcomes.total[outcome]) - source
    for y in range(source, below.start[there + 1] - LANES, LANES):
        add_at(target.chances, place + y, chance * load_at(below.chances, y))
    first, child_first = here * target.width, there * target.width
    for i in range(target.width):
        target.results[first + i] += chance * below.results[child_first + i]
    category, points = job.outcomes.category[outcome], job.outcomes.points[outcome]
    target.results[first + 2 * category] += chance * points
    if points == 0:
        target.results[first + 2 * category + 1] += chance


@jit
def distribute_rows(rows, arguments, policy, children, layer):
    """Distributions of the points to come from all states of the given rows on; `layer` has zeros before."""
    job, followed = views(arguments), views(policy)
    below, target, layout = views(children), views(layer), job.model.layout
    for row in rows:
        lane_count = lanes_of(layout, row)
        for first_lane in range(0, lane_count, LANES):
            turn_chances(followed, job, mean_block(job.model, row, first_lane))
            for i in range(job.outcomes.size):
                for lane in range(min(LANES, lane_count - first_lane)):
                    chance = job.scratch.outcome_chance[i * LANES + lane]
                    if chance > 0.0:
                        state = state_place(layout, row, 0, first_lane + lane)
                        step, shift = job.outcomes.step[i], job.outcomes.shift[i]
                        child = state_number(layout, row, row + step, first_lane + lane, 0, shift)
                        add_outcome(job, i, chance, state, child, below, target)
