"""Play of a policy from the start to the end: the distribution of the final score, and where points are lost.

A forward pass through the layers of states. Let P(s, x) be the chance that play reaches state s with x points scored
since the start. Then, for the children s' of the states s of a layer,

    P(s', x + p) = sum over s of P(s, x) * P(turn in s ends in s' with p points)

where the last factor is that of the policy. Only what play reaches is computed and kept: a policy visits few of the
states, and a state holds few of the x that its card could have (:mod:`perfect_yatzy.kernels.propagation`). Nothing is
left out, so the result is exact up to float64 rounding.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from ..game.dice import Floats, Ints, lattice
from ..kernels.losses import LossJob, NoLosses, list_rows
from ..kernels.policy import policy_job
from ..kernels.propagation import EndLists, EndModel, LayerScores, PropagationJob, TurnEnds, pull_rows, support_rows
from ..kernels.score_policy import hold_values
from ..kernels.simd import aligned
from ..kernels.table_slices import window
from ..model.checked_values import Table
from ..model.objectives import FRAME, final_bonus
from ..model.policies import Policy
from ..model.state_space import LANES, state_space
from ..model.turn_model import turn_model, turn_outcomes
from ..tablebase.store import Progress
from ..tablebase.threads import ScratchPool, thread_map
from .score_distribution import CategoryResult, ScoreDistribution

ROWS = 16  # rows of states a thread takes at a time
LISTED = 1 << 18  # ends of turns that a thread lists before they are collected, or more if a row has more

# The turns of some rows: their ends with the chances, in order; chances of the outcomes; losses.
RowTurns = tuple[list[tuple[npt.NDArray[np.int32], Floats]], Floats, Floats]


class Gathered:
    """An array that grows at its end."""

    def __init__(self, dtype: Any) -> None:
        self.array, self.used = np.empty(0, dtype), 0

    def append(self, part: Any) -> None:
        """Add the entries of `part`, ``(n,)``."""
        end = self.used + len(part)
        if end > len(self.array):
            self.array.resize(end + end // 8 + LISTED, refcheck=False)
        self.array[self.used : end] = part
        self.used = end

    def trimmed(self) -> Any:
        """The array without the room for more."""
        self.array.resize(self.used, refcheck=False)
        return self.array


class ForwardPass:
    """P(s, x) of one layer of states after the other, by any policy; see the module.

    If the rules save rolls, the policy is greedy for a table, and not compared with the values of perfect play.
    """

    def __init__(
        self, policy: Policy, threads: int, perfect: Table | None = None, progress: Progress | None = None
    ) -> None:
        self.policy, self.rules, self.threads, self.perfect = policy, policy.rules, threads, perfect
        self.progress = progress
        self.space = state_space(policy.rules, policy.start)
        self.dice = lattice(self.rules.dice, self.rules.faces)
        self.model = turn_model(self.rules, policy.start)
        self.outcomes = turn_outcomes(self.rules, policy.start)
        # Rows that states of this game can have: a bitmask may be impossible in a forced order or after the start.
        self.occurs = np.zeros(len(self.space.layout.masks), dtype=np.int64)
        for rows in self.space.layers[self.space.first_layer :]:
            self.occurs[rows] = 1
        self.most_saved = int(self.space.most_saved[max(0, self.space.categories - 1)])  # before a turn
        self.kinds = self.rules.rolls_per_turn - 1 + len(self.rules.categories)
        self.end_model = self.new_end_model()
        self.jobs = ScratchPool(self.new_job)

    def run(self, points: int) -> tuple[ScoreDistribution, Floats]:
        """The distribution of the final score, with `points` on the card at the start; the points lost.

        ``(turns, kinds)``: lost against perfect play in each turn by holds with 1, 2, ... rerolls left, then by the
        choice of each category; zeros without the values of perfect play.
        """
        layer = self.with_room(self.first_layer())
        layer.chances[layer.origin[layer.mass[:-LANES] > 0]] = 1.0
        outcome_chance, losses = np.zeros(self.outcomes.size), list[Floats]()  # of each outcome in the whole game
        for filled in range(self.space.first_layer, self.space.categories):
            ends, chances_of_turn, losses_of_turn = self.turn_ends(filled, layer)
            job = self.supported(filled, layer, ends)
            layer = self.with_room(job.target)
            job = job._replace(target=layer)  # each layer sums to 1
            self.in_parallel(partial(pull_rows, arguments=job), self.space.layers[filled + 1])
            outcome_chance += chances_of_turn
            losses.append(losses_of_turn)
        ranges = zip(layer.origin.tolist(), layer.low.tolist(), layer.high.tolist(), strict=True)
        reached = ((low, layer.chances[origin + low : origin + high + 1]) for origin, low, high in ranges)
        return self.summarize(reached, points, outcome_chance), np.array(losses).reshape(-1, self.kinds)

    def supported(self, filled: int, parents: LayerScores, ends: TurnEnds) -> PropagationJob:
        """The step to the next layer, of whose states the chances and the scores that occur are known."""
        job = PropagationJob(self.model, self.occurs, self.end_model, ends, parents, self.unreached(filled + 1))
        self.in_parallel(lambda part: support_rows(part, job), self.space.layers[filled + 1])
        return job

    def first_layer(self) -> LayerScores:
        """The layer of the start."""
        layer = self.unreached(self.space.first_layer)
        place = self.space.unchecked_index(self.space.start) - layer.first_state
        layer.low[place], layer.high[place], layer.mass[place] = 0, 0, 1.0
        return layer

    def reached(self) -> Iterator[tuple[int, TurnEnds, LayerScores]]:
        """For each layer: the number of filled categories, the ends of its turns, the states that play reaches."""
        layer = self.first_layer()
        for filled in range(self.space.first_layer, self.space.categories):
            ends = self.turn_ends(filled, layer)[0]
            yield filled, ends, layer
            layer = self.supported(filled, layer, ends).target

    def unreached(self, filled: int) -> LayerScores:
        """The states with `filled` filled categories, none of them reached."""
        states, most_saved = self.space.layer_slice(filled), int(self.space.most_saved[filled])
        low = np.zeros(states.stop - states.start, np.int64)
        mass, none = np.zeros(len(low) + LANES), np.zeros(0, np.int64)
        return LayerScores(states.start, most_saved, low, low - 1, mass, origin=none, chances=np.zeros(0))

    def with_room(self, layer: LayerScores) -> LayerScores:
        """A layer with zeros for all x that occur."""
        size = np.where(layer.high >= layer.low, layer.high - layer.low + 1 + LANES, 0)
        ends = np.cumsum(size)
        return layer._replace(origin=ends - size - layer.low, chances=np.zeros(int(ends[-1]) + FRAME))

    def new_end_model(self) -> EndModel:
        """Ends of turns by number."""
        found = self.outcomes
        stages = self.rules.rolls_per_turn + self.most_saved if self.rules.saved_rolls else 1
        shift, points = (np.repeat(of_outcome, stages) for of_outcome in (found.shift, found.total.astype(np.int64)))
        # In a forced order every category has the same step.
        kinds = np.stack([found.category, found.step])
        (categories, steps), group = np.unique(kinds, axis=1, return_inverse=True)
        return EndModel(
            shift=shift,
            points=points,
            saved=np.tile(np.arange(stages), found.size),
            stages=stages,
            step=np.ascontiguousarray(steps),
            category=np.ascontiguousarray(categories),
            outcome_start=np.concatenate([[0], np.cumsum(np.bincount(group))]).astype(np.int64),
            outcomes=np.argsort(group, kind="stable"),
            groups=len(steps),
        )

    def in_parallel(self, work: Callable[[Ints], Any], rows: Ints) -> list[Any]:
        """The results of `work` for slices of `rows`, in several threads."""
        with thread_map(self.threads) as in_threads:
            return list(in_threads(work, [rows[i : i + ROWS] for i in range(0, len(rows), ROWS)]))

    def new_job(self) -> LossJob:
        """New working memory of the kernels."""
        policy = policy_job(self.dice, self.model, self.outcomes, self.policy.ties, self.most_saved)
        memory = hold_values(self.dice, self.model, self.rules.rolls_per_turn)
        return LossJob(policy, memory, aligned(self.kinds))

    def turn_ends(self, filled: int, layer: LayerScores) -> tuple[TurnEnds, Floats, Floats]:
        """Ends of the turns of all states of a layer, chances of the outcomes, and the losses of the turn."""
        layout, rows, groups = self.space.layout, self.space.layers[filled], self.end_model.groups
        blocks = -(-layout.lane_count[layout.lane_sets[rows]] // LANES) * (layer.most_saved + 1)
        block_start = np.zeros(len(layout.masks), np.int64)
        block_start[rows] = np.cumsum(blocks) - blocks
        count = np.zeros(int(blocks.sum()) * groups, np.int64)  # of the ends of each group of each block
        first, actions = layer.first_state, self.policy.layer(filled)
        in_row = np.add.reduceat((layer.mass[:-LANES] > 0).astype(np.int64), layout.offsets[rows] - first)
        room = max(LISTED, int(in_row.max()) * len(self.end_model.saved))
        memory = ScratchPool(lambda: (np.empty(room, np.int32), np.empty(room)))
        perfect = NoLosses() if self.perfect is None else window(self.space, self.perfect, filled)

        def list_ends(rows: Ints) -> RowTurns:
            lists, sums, losses = [], np.zeros(self.outcomes.size * LANES), np.zeros(self.kinds)
            with self.jobs.borrow() as job, memory.borrow() as (end, chance):
                place = self.end_model, first, layer.most_saved, layer.mass, block_start, count
                target = EndLists(*place, end, chance, sums)
                for left, policy in actions(rows):
                    while len(left):
                        done, used = list_rows(left, job, policy, layer.most_saved, perfect, losses, target)
                        lists.append((end[:used].copy(), chance[:used].copy()))
                        left = left[done:]
            return lists, sums.reshape(-1, LANES).sum(axis=1), losses

        all_ends, all_chances = Gathered(np.int32), Gathered(np.float64)
        outcome_chance, losses = np.zeros(self.outcomes.size), np.zeros(self.kinds)
        parts = [rows[i : i + ROWS] for i in range(0, len(rows), ROWS)]
        with thread_map(self.threads) as in_threads:
            # Added in the order of the rows, so that the sums do not depend on the threads.
            for i, (lists, outcomes_of_rows, losses_of_rows) in enumerate(in_threads(list_ends, parts), 1):
                for ends_of_rows, chances in lists:
                    all_ends.append(ends_of_rows)
                    all_chances.append(chances)
                outcome_chance += outcomes_of_rows
                losses += losses_of_rows
                if self.progress:
                    whole, left_of_layer = self.space.size, (1 - i / len(parts)) * len(layer.low)
                    self.progress(int(whole - first - left_of_layer), whole)
        start = np.concatenate([[0], np.cumsum(count)])
        return TurnEnds(block_start, start, all_ends.trimmed(), all_chances.trimmed()), outcome_chance, losses

    def summarize(
        self, reached: Iterable[tuple[int, Floats]], points: int, outcome_chance: Floats
    ) -> ScoreDistribution:
        """Add the upper bonus to P of the full cards and sum over them; results of each category.

        `reached`: first x and chances of the x from it on, for each state with a full card.
        """
        bonuses = final_bonus(self.space).astype(int).tolist()
        parts = [(bonus, low + bonus, p) for bonus, (low, p) in zip(bonuses, reached, strict=True) if len(p)]
        lowest = min(low for _, low, _ in parts)
        total = np.zeros(max(low + len(chances) for _, low, chances in parts) - lowest)
        upper_bonus_chance = 0.0
        for bonus, low, chances in parts:
            total[low - lowest : low - lowest + len(chances)] += chances
            upper_bonus_chance += float(chances.sum()) if bonus else 0.0
        possible = np.flatnonzero(total)
        first, last = int(possible[0]), int(possible[-1])
        results = []
        for c in self.space.open:
            here = self.outcomes.category == c
            mean = float(outcome_chance[here] @ self.outcomes.points[here])
            crossed_out = float(outcome_chance[here & (self.outcomes.points == 0)].sum())
            results.append(CategoryResult(self.rules.categories[c].id, mean, crossed_out))
        scores, chances = np.arange(first, last + 1) + lowest + points, total[first : last + 1]
        return ScoreDistribution(scores, chances, upper_bonus_chance, tuple(results), self.rules)
