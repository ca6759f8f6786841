"""Play a policy from the start to the end: the distribution of the final score, and points lost.

A forward pass through the layers of states. Let P(s, x) be the chance that play reaches state s
with x points scored since the start. Then, for the children s' of the states s of a layer,

    P(s', x + p) = sum over s of P(s, x) * P(turn in s ends in s' with p points)

where the last factor is that of the policy. Only what play reaches is computed and kept: a policy
visits few of the states, and a state holds few of the x that its card could have
(:mod:`perfect_yatzy.objectives.propagation_kernel`). Nothing is left out, so the result is exact up
to float64 rounding.

A forward pass has the distribution from one card on, backward induction those from all cards in one
pass::

    P(y more points | card) = sum over the outcomes o of the turn of P(o | card) P(y - points(o) more | child)

It visits the states that play never reaches, too, and takes as long as a few forward passes. The
results of the two first layers are stored (:mod:`.distribution`): then no card after a first turn
needs a pass of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..core.checked_values import Table
from ..core.dice import Floats, Ints, lattice
from ..core.lanes import ceil_div
from ..core.objectives import final_bonus
from ..core.resources import ScratchPool, thread_count, thread_map
from ..core.simd import aligned
from ..core.state_space import LANES, StateSpace, state_space
from ..core.table_slices import FRAME, window
from ..core.turn_model import turn_model, turn_outcomes
from ..objectives.holds_kernel import hold_values
from ..objectives.policy_evaluation_kernel import ToCome, distribute_rows
from ..objectives.policy_kernel import policy_job
from ..objectives.policy_quantities import Policy
from ..objectives.propagation_kernel import (
    EndLists,
    EndModel,
    LayerScores,
    PropagationJob,
    TurnEnds,
    TurnEndsOfStates,
    pull_rows,
    support_rows,
)
from ..objectives.scores import Goals, ScoreObjective
from ..settings import Settings
from .losses_kernel import LossJob, NoLosses, list_rows
from .score_distribution import EARLY_LAYERS, CategoryResult, ScoreDistribution
from .tie_rules import clipped
from .turn_evaluator import state_places

ROWS = 16  # rows of states a thread takes at a time
LAWS = 256  # laws of points to come at a time
# ends of turns that a thread lists before they are collected, or more if a row has more
LISTED = 1 << 18


class RowTurns(NamedTuple):
    """The turns of some rows."""

    # lists of their ends and of the chances of these, in order
    ends: list[tuple[npt.NDArray[np.int32], Floats]]
    outcome_chance: Floats  # (outcomes,)
    losses: Floats  # (kinds,)


class LayerTurns(NamedTuple):
    """The turns of all states of a layer."""

    ends: TurnEnds
    outcome_chance: Floats  # (outcomes,): chance of each outcome
    losses: Floats  # (kinds,): points lost by each kind of decision


class GrowingArray:
    """An array that grows at its end."""

    def __init__(self, dtype: Any) -> None:
        self.array = np.empty(0, dtype)
        self.used = 0

    def append(self, part: Any) -> None:
        """Add the entries of `part`, ``(n,)``."""
        end = self.used + len(part)
        if end > len(self.array):
            self.array.resize(end + end // 8 + LISTED, refcheck=False)
        self.array[self.used : end] = part
        self.used = end

    def trimmed(self) -> Any:
        """Return the array without the room for more."""
        self.array.resize(self.used, refcheck=False)
        return self.array


class ForwardPass:
    """P(s, x) of one layer of states after the other, by any policy, as the module describes."""

    def __init__(self, settings: Settings, policy: Policy, perfect: Table | None = None) -> None:
        self.policy = policy
        self.rules = policy.rules
        self.perfect = perfect
        self.threads = thread_count(settings.threads)
        self.progress = settings.progress
        self.space = state_space(policy.rules, policy.start)
        self.table: StateSpace | ScoreObjective = self.space  # progress counts its entries
        self.dice = lattice(self.rules.dice, self.rules.faces)
        self.model = turn_model(self.rules, policy.start)
        self.outcomes = turn_outcomes(self.rules, policy.start)
        # Rows that states of this game can have: a bitmask may be impossible in a forced order or
        # after the start.
        self.occurs = np.zeros(len(self.space.layout.masks), dtype=np.int64)
        self.occurs[np.concatenate(self.space.layers)] = 1
        # the most rolls that are saved before a turn
        self.most_saved = int(self.space.most_saved[max(0, self.space.categories - 1)])
        self.kinds = self.rules.rolls_per_turn - 1 + len(self.rules.categories)
        self.end_model = self.new_end_model()
        self.jobs = ScratchPool(self.new_job)

    def run(self, points: int) -> tuple[ScoreDistribution, Floats]:
        """Return the distribution of the final score and the points lost.

        There are `points` on the card at the start. The points lost are ``(turns, kinds)``: against
        perfect play in each turn, by holds with 1, 2, ... rerolls left, then by the choice of each
        category. They are zeros without the values of perfect play.
        """
        layer = self.with_room(self.first_layer())
        layer.chances[layer.origin[layer.mass[:-LANES] > 0]] = 1.0  # the start, at x = 0
        # the chance of each outcome in the whole game
        outcome_chance = np.zeros(self.outcomes.size)
        losses = list[Floats]()
        for filled in range(self.space.first_layer, self.space.categories):
            ends, chances_of_turn, losses_of_turn = self.turn_ends(filled, layer)
            job = self.supported(filled, layer, ends)
            layer = self.with_room(job.target)
            job = job._replace(target=layer)
            # The chances of each layer sum to 1.
            self.in_parallel(partial(pull_rows, arguments=job), self.space.layers[filled + 1])
            outcome_chance += chances_of_turn
            losses.append(losses_of_turn)
        ranges = zip(layer.origin.tolist(), layer.low.tolist(), layer.high.tolist(), strict=True)
        reached = (
            (low, layer.chances[origin + low : origin + high + 1]) for origin, low, high in ranges
        )
        distribution = self.result(reached, points, outcome_chance)
        return distribution, np.array(losses).reshape(-1, self.kinds)

    def supported(self, filled: int, parents: LayerScores, ends: TurnEnds) -> PropagationJob:
        """Return the step to the next layer.

        The chances of its states and the scores that occur are known.
        """
        job = PropagationJob(
            self.model, self.occurs, self.end_model, ends, parents, self.unreached(filled + 1)
        )
        self.in_parallel(lambda part: support_rows(part, job), self.space.layers[filled + 1])
        return job

    def first_layer(self) -> LayerScores:
        """Return the layer of the start."""
        layer = self.unreached(self.space.first_layer)
        place = self.space.unchecked_index(self.space.start) - layer.first_state
        layer.low[place] = 0
        layer.high[place] = 0
        layer.mass[place] = 1.0
        return layer

    def unreached(self, filled: int) -> LayerScores:
        """Return the states with `filled` filled categories, none of them reached."""
        states = self.space.layer_slice(filled)
        most_saved = int(self.space.most_saved[filled])
        low = np.zeros(states.stop - states.start, np.int64)
        mass = np.zeros(len(low) + LANES)
        none = np.zeros(0, np.int64)
        return LayerScores(
            states.start, most_saved, low, low - 1, mass, origin=none, chances=np.zeros(0)
        )

    def with_room(self, layer: LayerScores) -> LayerScores:
        """Return a layer with zeros for all x that occur.

        The chance of x in a state is at ``origin + x``.
        """
        # A vector that begins within the x of a state may end behind them, so there is room for LANES
        # more. A state that is not reached has no room.
        size = np.where(layer.high >= layer.low, layer.high - layer.low + 1 + LANES, 0)
        ends = np.cumsum(size)
        return layer._replace(
            origin=ends - size - layer.low, chances=np.zeros(int(ends[-1]) + FRAME)
        )

    def new_end_model(self) -> EndModel:
        """Return the ends of turns by number.

        There is one for each outcome with each number of rolls that the turn saves (`stages`).
        """
        outcomes = self.outcomes
        stages = self.rules.rolls_per_turn + self.most_saved if self.rules.saved_rolls else 1
        # A group is a category with its step to the next row; in a forced order every category has
        # the same step.
        (categories, steps), group = np.unique(
            np.stack([outcomes.category, outcomes.step]), axis=1, return_inverse=True
        )
        return EndModel(
            # The first arrays are by end, whose number is outcome * stages + saved rolls, the others
            # by group.
            shift=np.repeat(outcomes.shift, stages),
            points=np.repeat(outcomes.total.astype(np.int64), stages),
            saved=np.tile(np.arange(stages), outcomes.size),
            stages=stages,
            step=np.ascontiguousarray(steps),
            category=np.ascontiguousarray(categories),
            groups=len(steps),
            outcome_start=np.concatenate([[0], np.cumsum(np.bincount(group))]).astype(np.int64),
            outcomes=np.argsort(group, kind="stable"),
        )

    def in_parallel(self, work: Callable[[Ints], Any], rows: Ints) -> list[Any]:
        """Return the results of `work` for slices of `rows`, computed in several threads."""
        with thread_map(self.threads) as in_threads:
            return list(in_threads(work, row_slices(rows)))

    def in_order(
        self, work: Callable[[Any], Any], parts: list[Any], filled: int
    ) -> Generator[Any, None, None]:
        """Yield the results of `work` for the parts of a layer, in order.

        Closing the generator stops the threads.
        """
        layer = self.table.layer_slice(filled)
        size = self.table.size
        # Full cards, which the table begins with, have no turn.
        total = size - self.table.layer_slice(self.space.categories).stop
        with thread_map(self.threads) as in_threads:
            for done, result in enumerate(in_threads(work, parts), 1):
                yield result
                # A forward pass goes from the end of the table to the full cards at its start.
                if self.progress:
                    done_in_layer = done / len(parts) * (layer.stop - layer.start)
                    self.progress(int(size - layer.stop + done_in_layer), total)

    def new_job(self) -> LossJob:
        """Return new working memory of the kernels."""
        policy = policy_job(self.dice, self.model, self.policy.ties, self.most_saved)
        return LossJob(
            policy,
            hold_values(self.dice, self.model, self.rules.rolls_per_turn),
            aligned(self.kinds),
            self.kinds,
        )

    def blocks_of(self, rows: Ints, most_saved: int) -> Ints:
        """Return the number of blocks of each row.

        A block is LANES upper sums with one number of saved rolls.
        """
        layout = self.space.layout
        return np.asarray(
            ceil_div(layout.lane_count[layout.lane_sets[rows]], LANES) * (most_saved + 1)
        )

    def turn_ends(self, filled: int, layer: LayerScores) -> LayerTurns:
        """Return how the turns of all states of a layer end, and what they lose."""
        layout = self.space.layout
        rows = self.space.layers[filled]
        groups = self.end_model.groups
        blocks = self.blocks_of(rows, layer.most_saved)
        block_start = np.zeros(len(layout.masks), np.int64)
        block_start[rows] = np.cumsum(blocks) - blocks
        # the number of ends of each group of each block, which the kernel writes
        group_size = np.zeros(int(blocks.sum()) * groups, np.int64)
        actions = self.policy.layer(filled)
        row_begins = layout.offsets[rows] - layer.first_state
        reached_in_row = np.add.reduceat((layer.mass[:-LANES] > 0).astype(np.int64), row_begins)
        # A thread has room for every end of any row.
        room = max(LISTED, int(reached_in_row.max()) * len(self.end_model.saved))
        memory = ScratchPool(lambda: (np.empty(room, np.int32), np.empty(room)))
        perfect = NoLosses() if self.perfect is None else window(self.space, self.perfect, filled)

        def ends_of_rows(part: Ints) -> RowTurns:
            lists = []
            outcome_sum = np.zeros(self.outcomes.size * LANES)
            losses = np.zeros(self.kinds)
            with self.jobs.borrow() as job, memory.borrow() as (end, chance):
                target = EndLists(
                    model=self.end_model,
                    first_state=layer.first_state,
                    most_saved=layer.most_saved,
                    mass=layer.mass,
                    block_start=block_start,
                    group_size=group_size,
                    end=end,
                    chance=chance,
                    outcome_sum=outcome_sum,
                )
                for rows_left, policy in actions(part):
                    while len(rows_left):  # as many at a time as have room in the lists
                        done, used = list_rows(
                            rows_left, job, policy, layer.most_saved, perfect, losses, target
                        )
                        # The next call writes `end` and `chance` from their start on again.
                        lists.append((end[:used].copy(), chance[:used].copy()))
                        rows_left = rows_left[done:]
            return RowTurns(lists, outcome_sum.reshape(-1, LANES).sum(axis=1), losses)

        all_ends = GrowingArray(np.int32)
        all_chances = GrowingArray(np.float64)
        outcome_chance = np.zeros(self.outcomes.size)
        losses = np.zeros(self.kinds)
        with closing(self.in_order(ends_of_rows, row_slices(rows), filled)) as turns:
            for of_rows in turns:
                for numbers, chances in of_rows.ends:
                    all_ends.append(numbers)
                    all_chances.append(chances)
                outcome_chance += of_rows.outcome_chance
                losses += of_rows.losses
        start = np.concatenate([[0], np.cumsum(group_size)])
        ends = TurnEnds(block_start, start, all_ends.trimmed(), all_chances.trimmed())
        return LayerTurns(ends, outcome_chance, losses)

    def result(
        self, reached: Iterable[tuple[int, Floats]], points: int, outcome_chance: Floats
    ) -> ScoreDistribution:
        """Return the distribution of the final score.

        `reached` has the first x and the chances of the x from it on for each state with a full
        card. These chances are empty if play does not reach the state.
        """
        bonuses = final_bonus(self.space).astype(int).tolist()
        parts = [  # upper bonus, lowest score, and chances of the scores from it on
            (bonus, x + bonus, chances)
            for bonus, (x, chances) in zip(bonuses, reached, strict=True)
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
            fills_box = self.outcomes.category == c
            is_crossed_out = fills_box & (self.outcomes.points == 0)
            mean = float(outcome_chance[fills_box] @ self.outcomes.points[fills_box])
            crossed_out = clipped(float(outcome_chance[is_crossed_out].sum()))
            results.append(CategoryResult(self.rules.categories[c].id, mean, crossed_out))
        scores = np.arange(first, last + 1) + lowest + points
        # Rounding may bring the chance of a certain score above 1.
        chances = np.minimum(total[first : last + 1], 1.0)
        bonus_chance = clipped(upper_bonus_chance)
        return ScoreDistribution(scores, chances, bonus_chance, tuple(results), self.rules)


class BackwardPass:
    """Distributions of the points to come, layer after layer, by a policy without saved rolls."""

    def __init__(self, settings: Settings, policy: Policy) -> None:
        self.policy = policy
        self.rules = policy.rules
        self.threads = thread_count(settings.threads)
        self.progress = settings.progress
        goals = Goals(self.rules)
        self.space = goals.space
        self.dice = lattice(self.rules.dice, self.rules.faces)
        self.most = goals.row_lengths()  # most points to come, by row, without the upper bonus
        self.bonuses = goals.lane_bonuses()  # highest upper bonus to come, by lane set and lane
        self.model = turn_model(self.rules)
        self.jobs = ScratchPool(lambda: policy_job(self.dice, self.model, policy.ties))

    def run(self) -> dict[int, ScoreDistribution]:
        """Return the distributions from the first cards on, without any points.

        They are found by the number of the state in the table.
        """
        distributions: dict[int, ScoreDistribution] = {}
        layer = self.full_cards()
        for filled in range(self.space.categories - 1, -1, -1):
            layer = self.advance(filled, layer)
            if filled < EARLY_LAYERS:
                states = self.space.layer_slice(filled)
                for state in range(states.start, states.stop):
                    distributions[state] = self.distribution(layer, state)
        return distributions

    def new_layer(self, filled: int) -> ToCome:
        """Return zeros for the states with `filled` filled categories."""
        states = self.space.layer_slice(filled)
        layout = self.space.layout
        rows_of_layer = self.space.layers[filled]
        lane_count = layout.lane_count[layout.lane_sets[rows_of_layer]]
        rows = np.repeat(rows_of_layer, lane_count)  # by state
        lanes, _saved = self.space.lanes_and_saved(rows, np.arange(states.start, states.stop))
        lengths = self.most[rows] + self.bonuses[layout.lane_sets[rows], lanes] + 1
        start = np.concatenate([[0], np.cumsum(lengths + LANES)]).astype(np.int64)
        # Each state has the mean and the chance of 0 points by category, then the chance of the upper
        # bonus.
        width = 2 * self.space.categories + 1
        return ToCome(
            states.start, start, np.zeros(int(start[-1])), np.zeros(width * len(rows)), width
        )

    def full_cards(self) -> ToCome:
        """Return the layer of full cards, which have their upper bonus to come."""
        layer = self.new_layer(self.space.categories)
        bonuses = final_bonus(self.space).astype(np.int64)
        layer.chances[layer.start[:-1] + bonuses] = 1.0
        layer.results[layer.width - 1 :: layer.width] = bonuses > 0  # the last result of each state
        return layer

    def advance(self, filled: int, below: ToCome) -> ToCome:
        """Return the layer before `below`, with `filled` filled categories."""
        layer = self.new_layer(filled)
        actions = self.policy.layer(filled)

        def work(rows: Ints) -> None:
            with self.jobs.borrow() as job:
                for part, policy in actions(rows):
                    distribute_rows(part, job, policy, below, layer)

        parts = row_slices(self.space.layers[filled])
        states = self.space.layer_slice(filled)
        with thread_map(self.threads) as in_threads:
            for done, _ in enumerate(in_threads(work, parts), 1):
                if self.progress:
                    self.progress(
                        states.start + (states.stop - states.start) * done // len(parts),
                        self.space.size,
                    )
        return layer

    def distribution(self, layer: ToCome, state: int) -> ScoreDistribution:
        """Return the distribution from a state of a layer on."""
        place = state - layer.first_state
        chances = layer.chances[layer.start[place] : layer.start[place + 1] - LANES]
        # The results are in the order of :meth:`new_layer`.
        results = layer.results[place * layer.width : (place + 1) * layer.width]
        means, crossed_out = results[:-1:2], results[1:-1:2]
        upper_bonus_chance = clipped(float(results[-1]))
        row = int(self.space.state_rows()[state])
        possible = np.flatnonzero(chances)
        low, high = int(possible[0]), int(possible[-1])
        categories = tuple(
            CategoryResult(category.id, float(means[c]), clipped(float(crossed_out[c])))
            for c, category in enumerate(self.rules.categories)
            if not self.space.layout.masks[row] >> c & 1
        )
        scores = np.arange(low, high + 1)
        possible_chances = chances[low : high + 1].copy()
        return ScoreDistribution(
            scores, possible_chances, upper_bonus_chance, categories, self.rules
        )


def row_slices(rows: Ints) -> list[Ints]:
    """Return rows in slices of ROWS, each of which a thread takes at a time."""
    return [rows[i : i + ROWS] for i in range(0, len(rows), ROWS)]


def ends_of_turns(settings: Settings, policy: Policy) -> list[TurnEndsOfStates]:
    """Return the ends of the turns of a policy by state, for each layer from its start on.

    A state that the policy never reaches has none.
    """
    games = ForwardPass(settings, policy)
    ends_of_layers = []
    layer = games.first_layer()
    for filled in range(games.space.first_layer, games.space.categories):
        ends = games.turn_ends(filled, layer).ends
        ends_of_layers.append(by_state(games, filled, ends, layer))
        layer = games.supported(filled, layer, ends).target
    return ends_of_layers


def laws_of_points(settings: Settings, policy: Policy) -> Iterator[Floats]:
    """Yield the laws of the points to come of a policy, an array `(states, points)` for each layer.

    A law is the chance of each number of points. The layer of full cards comes first.
    """
    games = ForwardPass(settings, policy)
    bonuses = final_bonus(games.space).astype(np.int64)
    laws = np.eye(int(bonuses.max()) + 1)[bonuses]
    yield laws
    for filled in range(games.space.categories - 1, games.space.first_layer - 1, -1):
        layer = games.unreached(filled)
        layer.mass[:-LANES] = 1  # as if play reached every state
        turn = by_state(games, filled, games.turn_ends(filled, layer).ends, layer)
        most = int(turn.points.max())
        padded = np.pad(laws, ((0, 0), (most, most)))
        # To add the points of a turn to the law of the child is to take a window that begins so many
        # zeros before the law.
        shifted = np.lib.stride_tricks.sliding_window_view(padded.ravel(), laws.shape[1] + most)
        # the first entry of the window, by end of a turn
        place = turn.child * padded.shape[1] + most - turn.points
        # the laws before the turn: sums over its ends
        before = np.empty((len(turn.start) - 1, shifted.shape[1]))
        for states in np.array_split(np.arange(len(before)), len(before) // LAWS + 1):
            first, end = turn.start[states[0]], turn.start[states[-1] + 1]
            parts = shifted[place[first:end]] * turn.chance[first:end, None]
            before[states] = np.add.reduceat(parts, turn.start[states] - first)
        last = np.flatnonzero(before.any(axis=0))[-1]  # the most points that are possible
        laws = before[:, : last + 1]
        yield laws


def by_state(
    games: ForwardPass, filled: int, ends: TurnEnds, layer: LayerScores
) -> TurnEndsOfStates:
    """Return the ends of turns that are listed by block and group, sorted by state instead."""
    space = games.space
    model = games.end_model
    layout = space.layout
    rows = space.layers[filled]
    states = space.layer_slice(filled)
    row_of_block = np.repeat(rows, games.blocks_of(rows, layer.most_saved))
    # From here on each array has an entry for each end of a turn, in the order of the list.
    list_number = np.repeat(np.arange(len(row_of_block) * model.groups), np.diff(ends.start))
    block, group = np.divmod(list_number, model.groups)
    row = row_of_block[block]
    vector, saved = np.divmod(block - ends.block_start[row], layer.most_saved + 1)
    end, lane_in_vector = np.divmod(ends.end, LANES)
    lane = vector * LANES + lane_in_vector
    # the place of the state in its layer, as for `child` below
    state = state_places(layout, row, saved, lane) - states.start
    child_row = row + model.step[group]
    child_upper = layout.lane_upper[layout.lane_sets[row], lane] + model.shift[end]
    child_lane = layout.lane_of[layout.lane_sets[child_row], child_upper]
    child = (
        state_places(layout, child_row, model.saved[end], child_lane)
        - space.layer_slice(filled + 1).start
    )
    order = np.argsort(state, kind="stable")
    start = np.searchsorted(state[order], np.arange(states.stop - states.start + 1))
    return TurnEndsOfStates(start, child[order], model.points[end][order], ends.chance[order])
