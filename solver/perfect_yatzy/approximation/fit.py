"""Fit a value function to a game that is too large to solve, by approximate value iteration.

It iterates on the states of play.

With t open boxes, and V_t the fitted values of the cards that have t of them (V_0: the upper
bonuses, exact)::

    repeat some rounds:
        play games by the values so far; half of them explore; keep the states S before every turn, of all rounds
        for t = 1, 2, ...:   y(S) = value of one exact turn from S on the values V_{t-1}      for all kept S with t
                             V_t = ridge regression of y on the features of S, towards V_{t-1}

(:class:`perfect_yatzy.approximation.fitted_file.FittedValues` has the features; the README names a
source.) Regression on the last round alone oscillates: a policy avoids the states whose values were
too low.

The backups are turns of many states without a table: NumPy computes the child values of a chunk of
states, a kernel the turns. Threads take whole chunks of a fixed size, so the results do not depend
on the number of threads.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from ..core.dice import Floats, Ints, lattice
from ..core.lanes import ceil_div
from ..core.lattice import kernel_lattice
from ..core.resources import ScratchPool, thread_count, thread_map
from ..core.rules import RuleSet
from ..core.scoring import upper_sums
from ..core.state import EMPTY_STATE, State
from ..core.state_space import LANES, card_masks, is_wide, packed
from ..game.random_dice import Games
from ..settings import Settings
from ..strategy.turn_slots import allowed_boxes, box_masks, feature_count, turn_slots
from . import state_lanes_kernel as kernels
from .approximate_cost import ROUNDS, played_games
from .fitted_file import COEFFICIENT_BITS, FEATURE_BITS, FittedValues
from .multipliers import dot, exact_bits, rounded

CHUNK = 512  # states a thread takes at a time
EXPLORATION = 0.05  # chance that a turn of an exploring game fills a box drawn at random
# The penalty on squared changes of a coefficient, against squares of points summed over the states.
RIDGE = 0.1
# The same for a wide sheet, where points are many, and states few for so many boxes.
WIDE_RIDGE = 30.0
ROWS = 4096  # states whose features are in memory at the same time


@dataclass(frozen=True)
class TurnStarts:
    """States at the start of a turn, ``(n,)`` each.

    They are int64, and masks of :mod:`perfect_yatzy.core.state_space`.
    """

    filled: Ints
    upper: Ints
    saved: Ints
    tracked: Ints

    def take(self, rows: Ints) -> TurnStarts:
        """Return some of the states, in this order."""
        return TurnStarts(*(array[rows] for array in self))

    def __iter__(self) -> Iterator[Ints]:
        return iter((self.filled, self.upper, self.saved, self.tracked))

    def __len__(self) -> int:
        return len(self.filled)


def same_cards(rules: RuleSet, state: State, number: int) -> TurnStarts:
    """Return so many games with the same card."""
    filled = np.repeat(card_masks(rules, [state.filled]), number, axis=0)
    return TurnStarts(
        filled,
        upper=np.full(number, state.upper, dtype=np.int64),
        saved=np.full(number, state.saved, dtype=np.int64),
        tracked=np.full(number, int(state.joker_paid), dtype=np.int64),
    )


@dataclass(frozen=True)
class PlayedTurn:
    """One turn of n games."""

    states: TurnStarts  # the states after the turn
    category: Ints  # (n,) int64: the box that was filled
    points: Ints  # (n,) int64: points in that box
    bonus_points: Ints  # (n,) int64: joker and first-roll bonuses of the turn
    # (n,) float64: value before the turn, which is its exact expectation if the child values are right
    expected: Floats
    # (n,) float64: sum of the points made and the value of the card after the turn
    reached: Floats


class LaneTurns:
    """Turns of a game from the values of a function."""

    def __init__(self, values: FittedValues, threads: int | None = None) -> None:
        self.rules: RuleSet = values.rules
        self.values = values
        self.threads = thread_count(threads)
        self._dice = lattice(self.rules.dice, self.rules.faces)
        self._model = turn_slots(self.rules)
        self._lattice = kernel_lattice(self._dice)
        # All turns but the last can save rolls.
        turns_that_save = len(self.rules.categories) - 1 if self.rules.saved_rolls else 0
        most_saved = turns_that_save * (self.rules.rolls_per_turn - 1)
        self._scratch = ScratchPool(
            lambda: kernels.lane_scratch(self._dice, self._model, most_saved)
        )

    def backups(self, states: TurnStarts) -> Floats:
        """Return the values of states with equally many open boxes after one exact turn, ``(n,)``."""
        expected = np.empty(len(states))

        def run(rows: Ints, blocks: int, job: kernels.LaneJob, table: kernels.LaneTable) -> None:
            kernels.backup_states(0, blocks, job, table)
            expected[rows] = job.turns.expected[: len(rows)]

        self._run(states, run)
        return expected

    def play(
        self, states: TurnStarts, games: Ints, seed: int, turn: int, exploration: Floats | float = 0
    ) -> PlayedTurn:
        """Play one turn of the games with these numbers, greedily.

        Their cards have equally many open boxes.
        """
        model = self._model
        rules = self.rules
        results = _new_results(len(states))
        # the chance of each game
        chance_to_explore = np.broadcast_to(exploration, len(states)).astype(np.float64)

        def run(rows: Ints, blocks: int, job: kernels.LaneJob, table: kernels.LaneTable) -> None:
            """Play the turn of a chunk of the games, and keep its results."""
            size = blocks * LANES  # the last block is filled up with earlier games
            numbers = np.resize(games[rows], size)
            chances = np.resize(chance_to_explore[rows], size)
            kernels.play_states(
                0, blocks, job, table, kernels.LaneGames(numbers, seed, turn, chances)
            )
            for result, result_of_chunk in zip(results, job.turns, strict=True):
                result[rows] = result_of_chunk[: len(rows)]

        self._run(states, run)
        outcome = results.outcome
        category = model.category[outcome]
        points = model.points[outcome]
        slot = model.slot[outcome]
        after = TurnStarts(
            states.filled | box_masks(rules)[category],
            upper_sums(rules).cap(states.upper + model.slot_shift[slot]),
            results.rerolls if rules.saved_rolls else np.zeros_like(results.rerolls),
            states.tracked | ((category == rules.tracked_index) & (points > 0)),
        )
        bonus_points = model.total[outcome].astype(np.int64) - points
        return PlayedTurn(after, category, points, bonus_points, results.expected, results.reached)

    def _run(
        self,
        states: TurnStarts,
        run: Callable[[Ints, int, kernels.LaneJob, kernels.LaneTable], None],
    ) -> None:
        """Call `run` with every chunk of the states.

        It gets the rows, the number of blocks, and the arguments of the kernels.
        """
        rules = self.rules
        slots = self._model.slot_count
        order = np.arange(len(states))
        if rules.saved_rolls:
            # States with equally many saved rolls need the same stages. Within them, neighbouring
            # cards have many open boxes in common, so vectors have few different values.
            order = np.lexsort((*np.atleast_2d(states.filled.T), states.saved))

        def run_chunk(begin: int) -> None:
            """Prepare the child values of a chunk of the states, and call `run` with them."""
            rows = order[begin : begin + CHUNK]
            blocks = ceil_div(len(rows), LANES)
            size = blocks * LANES
            # The last block is filled up with earlier states.
            part = states.take(np.resize(rows, size))
            most_saved = int(part.saved.max())
            # a stage for each number of rolls that the turn can leave saved
            stages = rules.rolls_per_turn + most_saved if rules.saved_rolls else 1
            children = self.values.child_values(
                part.filled, part.upper, part.tracked, tuple(range(stages))
            )
            # (stages, states, slots) -> (blocks, stages, slots, lanes)
            by_block = children.reshape(stages, blocks, LANES, slots).transpose(1, 0, 3, 2)
            table = kernels.LaneTable(np.ascontiguousarray(by_block).ravel(), slots, stages)
            choices = packed(rules, allowed_boxes(rules, part.filled))
            lanes = kernels.LaneStates(part.filled, choices, part.saved, part.tracked)
            with self._scratch.borrow() as scratch:
                job = kernels.LaneJob(
                    self._model, self._lattice, lanes, _new_results(size), most_saved, scratch
                )
                run(rows, blocks, job, table)

        chunks = range(0, len(states), CHUNK)
        with thread_map(min(self.threads, len(chunks))) as in_threads:
            list(in_threads(run_chunk, chunks))  # wait for all


def _new_results(size: int) -> kernels.TurnResults:
    """Return arrays for what so many turns lead to."""
    return kernels.TurnResults(
        expected=np.empty(size),
        reached=np.empty(size),
        outcome=np.empty(size, np.int64),
        rerolls=np.empty(size, np.int64),
    )


def fit_values(
    settings: Settings,
    start: FittedValues,
    games: Games,
    *,
    rounds: int = ROUNDS,
    ridge: float | None = None,
) -> tuple[FittedValues, dict[str, Any]]:
    """Fit the coefficients of a value function, and return it with the record of the fit.

    The record has the root mean square of y - V by open boxes.
    """
    started = time.perf_counter()
    turns = len(start.rules.categories)
    if ridge is None:
        ridge = WIDE_RIDGE if is_wide(start.rules) else RIDGE

    def report(number: int, done: int) -> None:
        """Report the progress of a round.

        First each turn is played, then each number of open boxes is fitted.
        """
        if settings.progress:
            settings.progress(2 * turns * number + done, 2 * turns * rounds)

    # Both are by number of open boxes t, and their first entries are not used.
    seen = [SeenStates(start.rules) for _ in range(turns + 1)]
    errors = np.zeros(turns + 1)
    values = start
    first_game = games.first
    for number, played in enumerate(played_games(games.number, rounds)):
        games_of_round = Games(played, games.seed, first_game)
        visited = visited_states(values, games_of_round, settings.threads, partial(report, number))
        for t in range(1, turns + 1):
            seen[t].add(values, visited[t])
        first_game += played
        # The values share this array: row t, written below, gives the targets of row t + 1.
        coefficients = np.zeros_like(values.coefficients)
        values = replace(values, coefficients=coefficients)
        for t in range(1, turns + 1):
            targets = LaneTurns(values, settings.threads).backups(seen[t].states)
            coefficients[t], errors[t] = seen[t].regression(
                values, targets, coefficients[t - 1], ridge
            )
            report(number, turns + t)
    record = {"rounds": rounds, "games": games.number, "ridge": ridge, "errors": errors.tolist()}
    return values, {"seconds": time.perf_counter() - started} | record


class SeenStates:
    """States with equally many open boxes, and the sums of their features.

    The regressions of all rounds need them.
    """

    def __init__(self, rules: RuleSet) -> None:
        size = feature_count(rules)
        self.states = same_cards(rules, EMPTY_STATE, 0)
        self.weights = np.empty(0, dtype=np.int64)  # (n,): how often each state was visited
        self._relaxed = np.empty(0)  # (n,): what the relaxed game says of it
        self._gram = np.zeros((size, size))  # sums of weight * feature * feature

    def add(self, values: FittedValues, states: TurnStarts) -> None:
        """Add the states of a round. The features do not depend on the coefficients of `values`."""
        added, weights = distinct(states)
        relaxed = np.empty(len(added))
        for rows in _parts(len(added)):
            relaxed[rows], features = values.features(*added.take(rows))
            self._gram += features.T @ (features * weights[rows, None])
        self.states = TurnStarts(*map(np.concatenate, zip(self.states, added, strict=True)))
        self.weights = np.concatenate([self.weights, weights])
        self._relaxed = np.concatenate([self._relaxed, relaxed])

    def regression(
        self, values: FittedValues, targets: Floats, prior: Floats, ridge: float
    ) -> tuple[Floats, float]:
        """Return the coefficients with which the values of the states are near the targets.

        The second result is the root mean square of what is left.
        """
        # They minimise the weighted sum of squares, plus `ridge` times the squared differences of
        # all but the first one to `prior`, those of the cards with one open box less: the functions
        # of neighbouring turns are alike.
        gram = self._gram
        unrounded = targets - self._relaxed
        # (n,): what the features have to explain, rounded so that its sums are exact. Features are
        # below 2^8.
        excess = rounded(unrounded, exact_bits(self.weights * unrounded, FEATURE_BITS + 8))
        right = np.zeros(len(gram))  # sums of weight * feature * excess
        for rows in _parts(len(self.states)):
            right += values.feature_sums(self.weights[rows] * excess[rows], *self.states.take(rows))
        total_weight = gram[0, 0]  # the first feature is 1
        # right side of the equations for the changes of the prior
        unexplained = right - dot(gram, prior)
        # The constant is left out, and everything is relative to its mean.
        feature_means = gram[0] / total_weight
        mean = unexplained[0] / total_weight
        centred = gram - total_weight * np.outer(feature_means, feature_means)
        centred[np.diag_indices(len(gram))] += ridge
        changes = (unexplained - total_weight * feature_means * mean)[1:]
        # The solution replaces the right side.
        kernels.solve_positive(np.ascontiguousarray(centred[1:, 1:]), changes, ridge)
        constant_change = mean - dot(feature_means[1:], changes)
        coefficients = rounded(
            prior + np.concatenate([[constant_change], changes]), COEFFICIENT_BITS
        )
        explained = dot(coefficients, dot(gram, coefficients))
        # the sum of squares of what is left
        squares = dot(self.weights, excess**2) - 2 * dot(coefficients, right) + explained
        return coefficients, float(np.sqrt(max(0.0, squares) / total_weight))


def _parts(size: int) -> list[Ints]:
    """Return the rows whose features are in memory at the same time."""
    return [np.arange(i, min(i + ROWS, size)) for i in range(0, size, ROWS)]


def visited_states(
    values: FittedValues, games: Games, threads: int | None, report: Callable[[int], None]
) -> list[TurnStarts]:
    """Return the states before every turn of games played greedily, by number of open boxes.

    Every second game explores.
    """
    turns = LaneTurns(values, threads)
    number, seed, first = games
    states = same_cards(values.rules, EMPTY_STATE, number)
    numbers = np.arange(first, first + number)
    exploration = np.where(numbers % 2, EXPLORATION, 0.0)
    by_turn = [states]
    for turn in range(len(values.rules.categories)):
        states = turns.play(states, numbers, seed, turn, exploration).states
        by_turn.append(states)
        report(turn + 1)
    return by_turn[::-1]  # the last ones have no open box


def distinct(states: TurnStarts) -> tuple[TurnStarts, Ints]:
    """Return the different states, and how often each occurs."""
    # The masks have one word or two.
    fields = (
        *np.atleast_2d(states.filled.T),
        states.upper,
        states.saved,
        states.tracked,
    )
    order = np.lexsort(fields)  # equal states follow one another
    changes = [field[order][1:] != field[order][:-1] for field in fields]
    starts = np.flatnonzero(np.concatenate([[True], np.any(changes, axis=0)]))
    return states.take(order[starts]), np.diff(starts, append=len(order))
