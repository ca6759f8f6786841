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
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..game.dice import Floats, Ints, lattice
from ..kernels.table_slices import window
from ..model.checked_values import Table
from ..model.objectives import FRAME, final_bonus
from ..model.policies import Policy
from ..model.state_space import LANES, state_space
from ..model.turn_model import turn_model, turn_outcomes
from ..tablebase.store import Progress
from ..tablebase.threads import ScratchPool, thread_map
from .score_distribution import CategoryResult, ScoreDistribution

if TYPE_CHECKING:
    from ..kernels.losses import LossJob
    from ..kernels.propagation import EndModel, LayerScores, PropagationJob, TurnEnds

ROWS = 16  # rows of states a thread takes at a time
LISTED = 1 << 18  # ends of turns that a thread lists before they are collected, or more if a row has more


@dataclass(frozen=True)
class PlayedGames:
    """All games of a policy from a start."""

    distribution: ScoreDistribution
    # (turns, kinds): expected points lost against perfect play in each turn: by holds with 1, 2, ...
    # rerolls left, then by the choice of each category. None if the values of perfect play are not given.
    losses: Floats | None


@dataclass
class Worker:
    """Working memory of one thread; the fields after the job are those of :class:`.propagation.EndLists`."""

    job: LossJob
    end: npt.NDArray[np.int32]
    chance: Floats


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
        self.workers = ScratchPool(self.new_worker)

    def run(self, points: int) -> PlayedGames:
        """Compute P layer by layer; each layer sums to 1. `points`: those on the card at the start."""
        space = self.space
        first, layer = space.first_layer, self.with_room(self.first_layer())
        layer.chances[layer.origin[layer.mass[:-LANES] > 0]] = 1.0
        outcome_chance = np.zeros(self.outcomes.size)  # probability of each outcome over the whole game
        losses = []
        for filled in range(first, space.categories):
            layer, turn_outcomes, turn_losses = self.advance(filled, layer)
            outcome_chance += turn_outcomes
            losses.append(turn_losses)
        ranges = zip(layer.origin.tolist(), layer.low.tolist(), layer.high.tolist(), strict=True)
        reached = ((low, layer.chances[origin + low : origin + high + 1]) for origin, low, high in ranges)
        distribution = self.summarize(reached, points, outcome_chance)
        return PlayedGames(distribution, None if self.perfect is None else np.array(losses).reshape(-1, self.kinds))

    def advance(self, filled: int, parents: LayerScores) -> tuple[LayerScores, Floats, Floats]:
        """P of the next layer, the chance that the turn ends with each outcome, and its losses."""
        from ..kernels.propagation import pull_rows

        ends, outcome_chance, losses = self.turn_ends(filled, parents)
        job = self.supported(filled, parents, ends)
        layer = self.with_room(job.target)
        job = job._replace(target=layer)
        self.in_parallel(lambda part: pull_rows(part, job), self.space.layers[filled + 1])
        return layer, outcome_chance, losses

    def supported(self, filled: int, parents: LayerScores, ends: TurnEnds) -> PropagationJob:
        """The step to the next layer, of whose states the chances and the scores that occur are known."""
        from ..kernels.propagation import PropagationJob, support_rows

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
        from ..kernels.propagation import LayerScores

        states = self.space.layer_slice(filled)
        count = states.stop - states.start
        return LayerScores(
            first_state=states.start,
            most_saved=int(self.space.most_saved[filled]),
            low=np.zeros(count, np.int64),
            high=np.full(count, -1, np.int64),
            mass=np.zeros(count + LANES),
            origin=np.zeros(0, np.int64),
            chances=np.zeros(0),
        )

    def with_room(self, layer: LayerScores) -> LayerScores:
        """A layer with zeros for all x that occur."""
        size = np.where(layer.high >= layer.low, layer.high - layer.low + 1 + LANES, 0)
        ends = np.cumsum(size)
        return layer._replace(origin=ends - size - layer.low, chances=np.zeros(int(ends[-1]) + FRAME))

    def new_end_model(self) -> EndModel:
        """Ends of turns by number."""
        from ..kernels.propagation import EndModel

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

    def new_worker(self) -> Worker:
        """New working memory, as yet without room for ends of turns."""
        from ..kernels.losses import LossJob
        from ..kernels.policy import policy_job
        from ..kernels.score_policy import hold_values
        from ..kernels.simd import aligned

        policy = policy_job(self.dice, self.model, self.outcomes, self.policy.ties, self.most_saved)
        memory = hold_values(self.dice, self.model, self.rules.rolls_per_turn)
        job = LossJob(policy, memory, aligned(self.kinds))
        return Worker(job, np.empty(0, np.int32), np.empty(0))

    def turn_ends(self, filled: int, layer: LayerScores) -> tuple[TurnEnds, Floats, Floats]:
        """Ends of the turns of all states of a layer, chances of the outcomes, and the losses of the turn."""
        from ..kernels.propagation import TurnEnds

        layout, rows, groups = self.space.layout, self.space.layers[filled], self.end_model.groups
        blocks = -(-layout.lane_count[layout.lane_sets[rows]] // LANES) * (layer.most_saved + 1)
        block_start = np.zeros(len(layout.masks), np.int64)
        block_start[rows] = np.cumsum(blocks) - blocks
        count = np.zeros(int(blocks.sum()) * groups, np.int64)
        end, chance = Gathered(np.int32), Gathered(np.float64)
        outcome_chance, losses = np.zeros(self.outcomes.size), np.zeros(self.kinds)
        work = self.listing(filled, layer, block_start, count)
        parts = [rows[i : i + ROWS] for i in range(0, len(rows), ROWS)]
        with thread_map(self.threads) as in_threads:
            # Added in the order of the rows, so that the sums do not depend on the threads.
            for i, (lists, outcomes_of_rows, losses_of_rows) in enumerate(in_threads(work, parts)):
                for found, chances in lists:
                    end.append(found)
                    chance.append(chances)
                outcome_chance += outcomes_of_rows
                losses += losses_of_rows
                self.report(layer, (i + 1) / len(parts))
        start = np.zeros(len(count) + 1, np.int64)
        np.cumsum(count, out=start[1:])
        return TurnEnds(block_start, start, end.trimmed(), chance.trimmed()), outcome_chance, losses

    def listing(self, filled: int, layer: LayerScores, block_start: Ints, count: Ints) -> Callable[[Ints], RowTurns]:
        """A function that lists the ends of the turns of some rows, for any number of threads at the same time.

        `count` is written: how many ends each group of each block has.
        """
        from ..kernels.losses import NoLosses, list_rows
        from ..kernels.propagation import EndLists

        first, actions, rows = layer.first_state, self.policy.layer(filled), self.space.layers[filled]
        in_row = np.add.reduceat((layer.mass[:-LANES] > 0).astype(np.int64), self.space.layout.offsets[rows] - first)
        room = max(LISTED, int(in_row.max()) * len(self.end_model.saved))
        perfect = NoLosses() if self.perfect is None else window(self.space, self.perfect, filled)

        def work(rows: Ints) -> RowTurns:
            lists, sums, losses = [], np.zeros(self.outcomes.size * LANES), np.zeros(self.kinds)
            with self.workers.borrow() as worker:
                if len(worker.end) < room:
                    worker.end, worker.chance = np.empty(room, np.int32), np.empty(room)
                target = EndLists(
                    self.end_model,
                    first,
                    layer.most_saved,
                    layer.mass,
                    block_start,
                    count,
                    worker.end,
                    worker.chance,
                    sums,
                )
                for part, policy in actions(rows):
                    left = part
                    while len(left):
                        done, used = list_rows(left, worker.job, policy, layer.most_saved, perfect, losses, target)
                        lists.append((worker.end[:used].copy(), worker.chance[:used].copy()))
                        left = left[done:]
            return lists, sums.reshape(-1, LANES).sum(axis=1), losses

        return work

    def report(self, layer: LayerScores, share: float) -> None:
        """Report the progress after a share of a layer."""
        if self.progress:
            whole, after = self.space.size, layer.first_state
            self.progress(int(whole - after - (1 - share) * len(layer.low)), whole)

    def summarize(
        self, reached: Iterable[tuple[int, Floats]], points: int, outcome_chance: Floats
    ) -> ScoreDistribution:
        """Add the upper bonus to P of the full cards and sum over them; results of each category.

        `reached`: first x and chances of the x from it on, for each state with a full card.
        """
        parts = [
            (bonus, low + bonus, chances)
            for bonus, (low, chances) in zip(final_bonus(self.space).astype(int).tolist(), reached, strict=True)
            if len(chances)
        ]
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
            in_category = self.outcomes.category == c
            results.append(
                CategoryResult(
                    self.rules.categories[c].id,
                    float(outcome_chance[in_category] @ self.outcomes.points[in_category]),
                    float(outcome_chance[in_category & (self.outcomes.points == 0)].sum()),
                )
            )
        scores, chances = np.arange(first, last + 1) + lowest + points, total[first : last + 1]
        return ScoreDistribution(scores, chances, upper_bonus_chance, tuple(results), self.rules)
