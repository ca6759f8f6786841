"""Distributions of the final score from every card after a first turn, and from the empty card.

A forward pass (:mod:`.forward_pass`) has the distribution from one card on. Backward induction has those from all
cards in one pass::

    P(y more points | card) = sum over the outcomes o of the turn of P(o | card) P(y - points(o) more | child)

It visits the states that play never reaches, too, and takes as long as a few forward passes. The results of the two
first layers are stored (:mod:`.distribution_files`): then no card after a first turn needs a pass of its own.
"""

from __future__ import annotations

import numpy as np

from ..game.dice import Ints, lattice
from ..kernels.policy import policy_job
from ..kernels.policy_evaluation import ToCome, distribute_rows
from ..model.objectives import Goals, final_bonus
from ..model.policies import Policy
from ..model.state_space import LANES
from ..model.turn_model import turn_model, turn_outcomes
from ..tablebase.store import Progress
from ..tablebase.threads import ScratchPool, thread_map
from .distribution_files import EARLY_LAYERS
from .score_distribution import CategoryResult, ScoreDistribution

ROWS = 16  # rows of states a thread takes at a time


class BackwardPass:
    """Distributions of the points to come, a layer after the other, by a policy without saved rolls."""

    def __init__(self, policy: Policy, threads: int) -> None:
        self.policy, self.rules, self.threads = policy, policy.rules, threads
        goals = Goals(self.rules)
        self.space, self.dice = goals.space, lattice(self.rules.dice, self.rules.faces)
        self.most, self.bonuses = goals.row_lengths(), goals.lane_bonuses()
        self.model, self.outcomes = turn_model(self.rules), turn_outcomes(self.rules)
        self.jobs = ScratchPool(lambda: policy_job(self.dice, self.model, self.outcomes, policy.ties))

    def run(self, progress: Progress | None = None) -> dict[int, ScoreDistribution]:
        """The distributions from the first cards on, by the number of the state in the table, without any points."""
        found: dict[int, ScoreDistribution] = {}
        layer = self.full_cards()
        for filled in range(self.space.categories - 1, -1, -1):
            layer = self.advance(filled, layer, progress)
            if filled < EARLY_LAYERS:
                states = self.space.layer_slice(filled)
                found |= {state: self.distribution(layer, state) for state in range(states.start, states.stop)}
        return found

    def new_layer(self, filled: int) -> ToCome:
        """Zeros for the states with `filled` filled categories."""
        states, layout = self.space.layer_slice(filled), self.space.layout
        rows = np.repeat(self.space.layers[filled], layout.lane_count[layout.lane_sets[self.space.layers[filled]]])
        lanes = self.space.lanes_and_saved(rows, np.arange(states.start, states.stop))[0]
        lengths = self.most[rows] + self.bonuses[layout.lane_sets[rows], lanes] + 1
        start = np.concatenate([[0], np.cumsum(lengths + LANES)]).astype(np.int64)
        width = 2 * self.space.categories + 1
        return ToCome(states.start, start, np.zeros(int(start[-1])), np.zeros(width * len(rows)), width)

    def full_cards(self) -> ToCome:
        """A full card has its upper bonus to come."""
        layer = self.new_layer(self.space.categories)
        bonuses = final_bonus(self.space).astype(np.int64)
        layer.chances[layer.start[:-1] + bonuses] = 1.0
        layer.results[layer.width - 1 :: layer.width] = bonuses > 0
        return layer

    def advance(self, filled: int, below: ToCome, progress: Progress | None = None) -> ToCome:
        """The layer before `below`, with `filled` filled categories."""
        layer, actions = self.new_layer(filled), self.policy.layer(filled)

        def work(rows: Ints) -> None:
            with self.jobs.borrow() as job:
                for part, policy in actions(rows):
                    distribute_rows(part, job, policy, below, layer)

        rows = self.space.layers[filled]
        with thread_map(self.threads) as in_threads:
            parts = [rows[i : i + ROWS] for i in range(0, len(rows), ROWS)]
            states = self.space.layer_slice(filled)
            for i, _ in enumerate(in_threads(work, parts), 1):
                if progress:
                    progress(states.start + (states.stop - states.start) * i // len(parts), self.space.size)
        return layer

    def distribution(self, layer: ToCome, state: int) -> ScoreDistribution:
        """The distribution from a state of a layer on."""
        place = state - layer.first_state
        chances = layer.chances[layer.start[place] : layer.start[place + 1] - LANES]
        results = layer.results[place * layer.width : (place + 1) * layer.width]
        row = int(self.space.state_rows()[state])
        possible = np.flatnonzero(chances)
        low, high = int(possible[0]), int(possible[-1])
        categories = tuple(
            CategoryResult(category.id, float(results[2 * c]), float(results[2 * c + 1]))
            for c, category in enumerate(self.rules.categories)
            if not self.space.layout.masks[row] >> c & 1
        )
        return ScoreDistribution(
            np.arange(low, high + 1), chances[low : high + 1].copy(), float(results[-1]), categories, self.rules
        )
