"""Play for a goal or a utility from the start to the end: the distribution of the final score.

This is the forward pass of :mod:`.forward_pass` for a policy whose actions depend on the points x made so
far::

    P(s', x + p) = sum over s of P(s, x) * P(turn in s at x ends in s' with p points)

Every x has its own decisions, so the actions are computed for blocks of neighbouring x that occur.
Where the goal is certain or out of reach the policy plays for the mean, and all x share the
actions. A task is one card. It writes to a buffer, and the buffers are added in the order of the
cards: the result does not depend on the number of threads.
"""

from __future__ import annotations

from contextlib import closing
from typing import NamedTuple

import numpy as np

from ..core.dice import Floats, Ints
from ..core.resources import ScratchPool
from ..core.simd import aligned
from ..core.state import State
from ..core.state_space import LANES
from ..core.table_slices import FRAME, TableSlice, window
from ..objectives.holds_kernel import hold_values
from ..objectives.policy_kernel import PolicyJob, policy_job
from ..objectives.score_places import ScoreOffsets
from ..settings import Settings
from .forward_pass import ForwardPass
from .rest_of_game import places_in
from .score_distribution import ScoreDistribution, score_places
from .score_propagation_kernel import (
    ScorePassJob,
    ScorePassScratch,
    Support,
    push_lanes,
    write_support,
)
from .turn_evaluator import GreedyPolicy, ScoreEvaluator

FEW_ROWS = 16  # a layer of fewer rows is divided within its rows, too

# What a part adds to the next layer, as entries of the table with chances, and what it adds to the
# chances of the outcomes.
Pushed = tuple[list[tuple[slice, Floats]], Floats]


class PassMemory(NamedTuple):
    """Working memory of a thread."""

    policy: PolicyJob  # that of the goal or utility
    mean_policy: PolicyJob  # that for the mean
    rest: ScorePassScratch


class Part(NamedTuple):
    """Neighbouring upper sums of a card: a task of a layer."""

    row: int
    first_lane: int
    end_lane: int  # the lane behind the last


class BufferPlaces(NamedTuple):
    """Where the buffer of a row holds its children."""

    # (outcomes,): the place of an entry of the child in the buffer minus its place in the table
    relocation: Ints
    # the place in the buffer and the entries of the table of each child
    children: list[tuple[int, slice]]
    size: int  # size of the buffer


class ScoreForwardPass(ForwardPass):
    """P(s, x) under the policy of a goal or a utility.

    It begins at a checked state, without saved rolls.
    """

    def __init__(self, settings: Settings, evaluator: ScoreEvaluator, start: State) -> None:
        means = GreedyPolicy(evaluator.rules, evaluator.means.values, start, evaluator.means.space)
        super().__init__(settings, means)
        self.objective = score_places(evaluator.rules, start)
        self.table = self.objective
        self.evaluator = evaluator
        self.mean_values = means.values
        # the places of the values of this space's states in the evaluator's table
        self.places = evaluator.score_offsets
        if evaluator.space is not self.space:
            places = places_in(evaluator.space, self.space)
            self.places = ScoreOffsets(*(part[places] for part in self.places))
        self.scratch = ScratchPool(self.new_scratch)

    def distribution(self, points: int) -> ScoreDistribution:
        """Compute P layer by layer, where each layer sums to 1.

        `points` are those on the card at the start.
        """
        space = self.space
        offsets = self.objective.score_offsets
        # All states but the start have no scores (high < low) and no mass.
        known = Support(
            np.zeros(space.size, np.int64), np.full(space.size, -1, np.int64), np.zeros(space.size)
        )
        layer = self.new_layer(space.first_layer)
        start = space.unchecked_index(space.start)
        layer.values[offsets.origin[start] - layer.start] = 1.0  # at x = 0
        known.high[start] = 0
        known.mass[start] = 1.0
        outcome_chance = np.zeros(self.outcomes.size)
        for filled in range(space.first_layer, space.categories):
            layer, of_turn = self.push_layer(filled, layer, known)
            outcome_chance += of_turn
        full = space.layer_slice(space.categories)
        ranges = zip(offsets.origin[full] - layer.start, offsets.high[full], strict=True)
        # The chances are those from x = 0 on.
        reached = ((0, layer.values[origin : origin + high + 1]) for origin, high in ranges)
        return self.result(reached, points, outcome_chance)

    def new_layer(self, filled: int) -> TableSlice:
        """Return P of the states with `filled` filled categories, all zeros."""
        place = self.objective.layer_slice(filled)
        return TableSlice(np.zeros(place.stop - place.start + FRAME), place.start)

    def push_layer(
        self, filled: int, parents: TableSlice, known: Support
    ) -> tuple[TableSlice, Floats]:
        """Return P of the next layer, and the chance of each outcome of the turn.

        Writes the support of the layer to `known`.
        """
        offsets = self.objective.score_offsets
        layout = self.space.layout
        scores = window(self.evaluator.objective.places, self.evaluator.values, filled)
        means = window(self.space, self.mean_values, filled)
        most_saved = int(self.space.most_saved[filled])
        # Beyond the scores of a state it is certain whether a goal is reached.
        known_ends = self.evaluator.objective.before > 0

        def push(part: Part) -> Pushed:
            relocation, children, size = self.buffer_places(part.row)
            buffer = np.zeros(size + FRAME)
            with self.scratch.borrow() as (policy, mean_policy, own):
                own.outcome_sum[:] = 0  # the memory was used before
                job = ScorePassJob(
                    policy=policy,
                    mean_policy=mean_policy,
                    scratch=own,
                    offsets=offsets,
                    parents=parents,
                    support=known,
                    scores=scores,
                    places=self.places,
                    x_start=self.evaluator.x,
                    known_ends=known_ends,
                    means=means,
                    most_saved=most_saved,
                )
                push_lanes(*part, job, relocation, buffer)
                outcome_chance = own.outcome_sum.reshape(-1, LANES).sum(axis=1)
            chances = [
                (place, buffer[begin : begin + place.stop - place.start])
                for begin, place in children
            ]
            return chances, outcome_chance

        layer = self.new_layer(filled + 1)
        outcome_chance = np.zeros(self.outcomes.size)
        with closing(self.in_order(push, self.parts(filled), filled)) as parts:
            for pushed, of_part in parts:
                for place, chances in pushed:
                    layer.values[place.start - layer.start : place.stop - layer.start] += chances
                outcome_chance += of_part
        most = int(self.space.most_saved[filled + 1])
        rows = self.space.layers[filled + 1]
        self.in_parallel(
            lambda part: write_support(part, layout, offsets, layer, most, known), rows
        )
        return layer, outcome_chance

    def parts(self, filled: int) -> list[Part]:
        """Return the tasks of a layer, in a fixed order."""
        layout = self.space.layout
        rows = self.space.layers[filled]
        lane_counts = layout.lane_count[layout.lane_sets[rows]]
        # Few rows are divided, so that all threads have work.
        lanes_per_part = LANES if len(rows) < FEW_ROWS else layout.lane_width
        return [
            Part(row, first, min(first + lanes_per_part, lane_count))
            for row, lane_count in zip(rows.tolist(), lane_counts.tolist(), strict=True)
            for first in range(0, lane_count, lanes_per_part)
        ]

    def buffer_places(self, row: int) -> BufferPlaces:
        """Return where the buffer of a row holds its children."""
        layout = self.space.layout
        offsets = self.objective.score_offsets
        # whether the category of each outcome is open
        is_open = (~int(layout.masks[row]) >> self.outcomes.category & 1).astype(bool)
        relocation = np.zeros(self.outcomes.size, dtype=np.int64)
        places = list[tuple[int, slice]]()
        size = 0
        for step in np.unique(self.outcomes.step[is_open]).tolist():
            child = row + step
            # If no state of this game has this row, there is nothing to hold.
            if child >= len(self.occurs) or not self.occurs[child]:
                continue
            # The entries of a row are neighbours, from its first state to its last one, with all
            # numbers of saved rolls.
            first = int(layout.offsets[child])
            copies = int(self.space.most_saved[self.space.filled[child]]) + 1
            last = first + copies * int(layout.lane_count[layout.lane_sets[child]]) - 1
            begin = int(offsets.origin[first] + offsets.low[first])
            end = int(offsets.origin[last] + offsets.high[last]) + 1
            # Each child comes after those before it.
            relocation[self.outcomes.step == step] = size - begin
            places.append((size, slice(begin, end)))
            size += end - begin
        return BufferPlaces(relocation, places, size)

    def new_scratch(self) -> PassMemory:
        """Return working memory for one thread."""
        dice = self.dice
        model = self.model
        size = self.outcomes.size
        most = self.most_saved
        policy = policy_job(dice, model, self.evaluator.ties, most)
        mean_policy = policy_job(dice, model, self.evaluator.means.ties, most)
        ends = size * self.end_model.stages  # number of ends of turns
        own = ScorePassScratch(
            means=hold_values(dice, model, self.rules.rolls_per_turn - 1 + most),
            end_mean=aligned(ends),
            best_stop=aligned(dice.n_rolls),
            stop_mean=aligned(dice.n_rolls),
            outcome_sum=aligned(size),
            mass=np.zeros(int(self.objective.score_offsets.high.max()) + 1 + 2 * LANES),
            entries=np.zeros(ends, dtype=np.int64),
        )
        return PassMemory(policy, mean_policy, own)
