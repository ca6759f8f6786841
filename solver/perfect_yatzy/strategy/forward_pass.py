"""Play of a policy from the start to the end: the distribution of the final score, and where points are lost.

A forward pass through the layers of states. Let P(s, x) be the chance that play reaches state s with x points scored
since the start. Then, for the children s' of the states s of a layer,

    P(s', x + p) = sum over s of P(s, x) * P(turn in s ends in s' with p points)

where the last factor is that of the policy. The actions are computed one card at a time, so no decisions are stored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..game.dice import Floats, Ints, lattice
from ..game.rules import RuleSet
from ..game.scorecard import State
from ..kernels.table_slices import TableSlice, window
from ..model.checked_values import Table
from ..model.objectives import FRAME, ScoreObjective, Utility, final_bonus
from ..model.policies import Policy
from ..model.turn_model import turn_model, turn_outcomes
from ..tablebase.store import Progress
from ..tablebase.threads import thread_map
from .score_distribution import CategoryResult, ScoreDistribution

if TYPE_CHECKING:
    from ..kernels.losses import LossJob
    from ..kernels.propagation import Support

ROWS = 16  # rows of states a thread takes at a time


@dataclass(frozen=True)
class PlayedGames:
    """All games of a policy from a start.

    Attributes
    ----------
    distribution : ScoreDistribution
    losses : (turns, kinds) float64 or None
        Expected points lost against perfect play in each turn: by holds with 1, 2, ... rerolls left, then by the
        choice of each category. None if the values of perfect play are not given.
    """

    distribution: ScoreDistribution
    losses: Floats | None


def score_places(rules: RuleSet, start: State) -> ScoreObjective:
    """Where P(s, x) lies: the places of a utility of the final score, whose values are not used."""
    return Utility(rules, lambda total: total.astype(np.float64), start)


class ForwardPass:
    """P(s, x) of one layer of states after the other; see the module.

    Parameters
    ----------
    policy
        What to play; the rules must not save rolls.
    threads
        Number of threads; the results do not depend on it.
    perfect : (size,) float64 or None
        Values of perfect play for the states from the policy's start on, to compare with.
    progress
        Called after each layer with the layers done and the layers in all.
    """

    def __init__(
        self, policy: Policy, threads: int, perfect: Table | None = None, progress: Progress | None = None
    ) -> None:
        from ..kernels.lattice import indexed_lattice, kernel_lattice

        self.policy, self.rules, self.threads, self.perfect = policy, policy.rules, threads, perfect
        self.progress = progress
        self.objective = score_places(policy.rules, policy.start)
        self.space = self.objective.space
        self.dice = lattice(self.rules.dice, self.rules.faces)
        self.model = turn_model(self.rules, policy.start)
        self.outcomes = turn_outcomes(self.rules, policy.start)
        self.lattice, self.lattice_index = kernel_lattice(self.dice), indexed_lattice(self.dice)
        # Rows that states of this game can have: a bitmask may be impossible in a forced order or after the start.
        self.occurs = np.zeros(len(self.space.layout.masks), dtype=np.int64)
        for rows in self.space.layers[self.space.first_layer :]:
            self.occurs[rows] = 1
        self.kinds = self.rules.rolls_per_turn - 1 + len(self.rules.categories)
        self.idle: list[LossJob] = []  # jobs that no call uses at the moment

    def run(self, points: int) -> PlayedGames:
        """Compute P layer by layer; each layer sums to 1.

        Parameters
        ----------
        points
            Points on the card at the start.
        """
        from ..kernels.propagation import Support

        space, offsets = self.space, self.objective.score_offsets
        first = space.first_layer
        known = Support(np.zeros(space.size, np.int64), np.full(space.size, -1, np.int64), np.zeros(space.size))
        layer = self.new_layer(first)
        begin = space.unchecked_index(space.start)
        layer.values[offsets.origin[begin] - layer.start] = 1.0
        known.high[begin], known.mass[begin] = 0, 1.0
        outcome_chance = np.zeros(self.outcomes.size)  # probability of each outcome over the whole game
        losses = []
        for filled in range(first, space.categories):
            layer, turn_outcomes, turn_losses = self.advance(filled, layer, known)
            outcome_chance += turn_outcomes
            losses.append(turn_losses)
        distribution = self.summarize(layer, points, outcome_chance)
        return PlayedGames(distribution, None if self.perfect is None else np.array(losses).reshape(-1, self.kinds))

    def advance(self, filled: int, parents: TableSlice, known: Support) -> tuple[TableSlice, Floats, Floats]:
        """Compute P of the next layer, and its support.

        Parameters
        ----------
        filled
            Number of filled categories before the turn.
        parents
            P of that layer.
        known
            Written for the states of the next layer.

        Returns
        -------
        layer : TableSlice
        outcome_chance : (outcomes,) float64
            Chance that the turn ends with each outcome.
        losses : (kinds,) float64
        """
        from ..kernels.propagation import PropagationJob, pull_rows

        states = self.space.layer_slice(filled)
        chance, losses = self.turn_chances(filled, states, known.mass)
        layer = self.new_layer(filled + 1)
        job = PropagationJob(
            model=self.model,
            outcomes=self.outcomes,
            offsets=self.objective.score_offsets,
            occurs=self.occurs,
            first_parent=states.start,
            parent_count=states.stop - states.start,
            outcome_chance=chance.ravel(),
            parents=parents,
            target=layer,
            support=known,
        )
        self.in_parallel(lambda rows: pull_rows(rows, job), self.space.layers[filled + 1])
        if self.progress:
            self.progress(filled + 1, self.space.categories)
        return layer, chance @ known.mass[states], losses

    def new_layer(self, filled: int) -> TableSlice:
        """P of the states with `filled` filled categories, all zeros."""
        place = self.objective.layer_slice(filled)
        return TableSlice(np.zeros(place.stop - place.start + FRAME), place.start)

    def in_parallel(self, work: Callable[[Ints], Any], rows: Ints) -> list[Any]:
        """The results of `work` for slices of `rows`, in several threads."""
        with thread_map(self.threads) as in_threads:
            return list(in_threads(work, [rows[i : i + ROWS] for i in range(0, len(rows), ROWS)]))

    @contextmanager
    def job(self) -> Iterator[LossJob]:
        """The arguments of the kernels, with working memory that one call at a time uses."""
        try:
            job = self.idle.pop()
        except IndexError:
            job = self.new_job()
        yield job
        self.idle.append(job)

    def new_job(self) -> LossJob:
        """The arguments of the kernels, with new working memory."""
        from ..kernels.losses import LossJob
        from ..kernels.policy import PolicyJob, policy_scratch
        from ..kernels.score_policy import HoldValues
        from ..kernels.simd import aligned
        from ..kernels.turn import make_scratch

        scratch = policy_scratch(self.dice, self.model, self.outcomes, 0, np.float64)
        policy = PolicyJob(self.model, self.outcomes, self.lattice, self.policy.ties, scratch)
        holds = HoldValues(
            aligned(self.rules.rolls_per_turn * self.dice.n_holds), make_scratch(self.dice, self.model)
        )
        return LossJob(policy, self.lattice_index, holds, aligned(self.kinds))

    def turn_chances(self, filled: int, states: slice, mass: Floats) -> tuple[Floats, Floats]:
        """Chance of every outcome in every state of a layer, and the losses of the turn.

        Returns
        -------
        chance : (outcomes, states) float64
        losses : (kinds,) float64
            Zeros without the values of perfect play.
        """
        from ..kernels.actions import LayerChances, chance_rows
        from ..kernels.losses import loss_rows

        count = states.stop - states.start
        chance = np.zeros((self.outcomes.size, count))
        target, actions = LayerChances(chance.ravel(), states.start, count), self.policy.layer(filled)
        perfect = None if self.perfect is None else window(self.space, self.perfect, filled)

        def work(rows: Ints) -> Floats:
            losses = np.zeros(self.kinds)
            with self.job() as job:
                for part, policy in actions(rows):
                    if perfect is None:
                        chance_rows(part, job.policy, policy, self.lattice_index, target)
                    else:
                        loss_rows(part, job, policy, perfect, mass, losses, target)
            return losses

        # Added in the order of the rows, so that the sum does not depend on the threads.
        return chance, np.sum(self.in_parallel(work, self.space.layers[filled]), axis=0)

    def summarize(self, layer: TableSlice, points: int, outcome_chance: Floats) -> ScoreDistribution:
        """Add the upper bonus to P of the full cards and sum over them; results of each category."""
        offsets, space = self.objective.score_offsets, self.space
        bonuses = final_bonus(space).astype(np.int64)
        total = np.zeros(int(offsets.high.max() + bonuses.max(initial=0)) + 1)
        upper_bonus_chance = 0.0
        for state, bonus in enumerate(bonuses.tolist()):
            begin = offsets.origin[state] - layer.start
            chances = layer.values[begin : begin + offsets.high[state] + 1]
            total[bonus : bonus + len(chances)] += chances
            upper_bonus_chance += float(chances.sum()) if bonus else 0.0
        possible = np.flatnonzero(total)
        low, high = int(possible[0]), int(possible[-1])
        results = []
        for c in space.open:
            in_category = self.outcomes.category == c
            results.append(
                CategoryResult(
                    self.rules.categories[c].id,
                    float(outcome_chance[in_category] @ self.outcomes.points[in_category]),
                    float(outcome_chance[in_category & (self.outcomes.points == 0)].sum()),
                )
            )
        scores, chances = np.arange(low, high + 1) + points, total[low : high + 1]
        return ScoreDistribution(scores, chances, upper_bonus_chance, tuple(results), self.rules)
