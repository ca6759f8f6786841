"""Fit a value function to a game that is too large to solve: approximate value iteration on the states of play.

With t open boxes, and V_t the fitted values of the cards that have t of them (V_0: the upper bonuses, exact)::

    repeat some rounds:
        play games by the values so far; half of them explore; keep the states S before every turn, of all rounds
        for t = 1, 2, ...:   y(S) = value of one exact turn from S on the values V_{t-1}      for all kept S with t
                             V_t = ridge regression of y on the features of S, towards V_{t-1}

(:class:`perfect_yatzy.strategy.fitted_file.FittedValues` has the features.) Approximate value iteration with a
linear architecture: Bertsekas and Tsitsiklis, "Neuro-Dynamic Programming", Athena Scientific 1996, chapter 6. The
states are those that good play visits, because only their values matter, and regression on the last round alone
oscillates: a policy avoids the states whose values were too low. Values are fitted in excess of the relaxed game.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ..game.dice import Floats, Ints
from ..game.rules import RuleSet
from ..game.scorecard import EMPTY_STATE
from ..kernels.linear import solve_positive
from ..model.estimates import FIT_GAMES, ROUNDS, played_games
from ..model.state_space import is_wide
from ..strategy.fitted_file import COEFFICIENT_BITS, FEATURE_BITS, FittedValues
from .lane_turns import LaneTurns, States, same_cards
from .multipliers import dot, exact_bits, rounded

EXPLORATION = 0.05  # chance that a turn of an exploring game fills a box drawn at random
RIDGE = 0.1  # penalty on squared changes of a coefficient, against squares of points summed over the states
WIDE_RIDGE = 30.0  # the same for a wide sheet: points are many, and states few for so many boxes
ROWS = 4096  # states whose features are in memory at the same time


def fit_values(
    start: FittedValues, *, games: int = FIT_GAMES, rounds: int = ROUNDS, ridge: float | None = None, seed: int = 0,
    threads: int | None = None, progress: Callable[[int, int], None] | None = None,
) -> tuple[FittedValues, dict[str, Any]]:  # fmt: skip
    """Fit the coefficients of a value function; the record, with the root mean square of y - V by open boxes."""
    started, wide = time.perf_counter(), is_wide(start.rules)
    ridge = ridge if ridge is not None else WIDE_RIDGE if wide else RIDGE
    values, turns = start, len(start.rules.categories)
    seen = [SeenStates(start.rules) for _ in range(turns + 1)]  # by number of open boxes
    errors, total, first = np.zeros(turns + 1), 2 * rounds * turns, 0
    for number, played in enumerate(played_games(games, rounds)):

        def report(done: int, number: int = number) -> None:
            if progress:
                progress(2 * number * turns + done, total)

        for t, states in enumerate(visited_states(values, played, first, seed, threads, report)):
            if t > 0:
                seen[t].add(values, states)
        first += played
        coefficients = np.zeros_like(values.coefficients)
        values = replace(values, coefficients=coefficients)
        for t in range(1, turns + 1):
            targets = LaneTurns(values, threads).backups(seen[t].states)
            coefficients[t], errors[t] = seen[t].regression(values, targets, coefficients[t - 1], ridge)
            report(turns + t)
    record = {"rounds": rounds, "games": games, "ridge": ridge, "errors": errors.tolist()}
    return values, {"seconds": time.perf_counter() - started} | record


class SeenStates:
    """States with equally many open boxes, and the sums of their features that the regressions of all rounds need."""

    def __init__(self, rules: RuleSet) -> None:
        self.states, self.weights = same_cards(rules, EMPTY_STATE, 0), np.empty(0, dtype=np.int64)
        self._relaxed = np.empty(0)
        self._gram: Floats | None = None

    def add(self, values: FittedValues, states: States) -> None:
        """Add the states of a round."""
        states, weights = distinct(states)
        relaxed = np.empty(len(states))
        gram = np.zeros((values.coefficients.shape[1],) * 2) if self._gram is None else self._gram
        for rows in _parts(len(states)):
            relaxed[rows], features = values.features(*states.take(rows))
            gram += features.T @ (features * weights[rows, None])
        self.states = States(*map(np.concatenate, zip(self.states, states, strict=True)))
        self.weights = np.concatenate([self.weights, weights])
        self._relaxed, self._gram = np.concatenate([self._relaxed, relaxed]), gram

    def regression(self, values: FittedValues, targets: Floats, prior: Floats, ridge: float) -> tuple[Floats, float]:
        """Coefficients of the features with which the values of the states are near the targets."""
        # They minimise the weighted sum of squares, plus `ridge` times the squared differences of all but the first
        # one to those of the cards with one open box less: the functions of neighbouring turns are alike.
        assert self._gram is not None
        gram, excess = self._gram, targets - self._relaxed
        excess = rounded(excess, exact_bits(self.weights * excess, FEATURE_BITS + 8))
        right = np.zeros(len(gram))
        for rows in _parts(len(self.states)):
            right += values.feature_sums(self.weights[rows] * excess[rows], *self.states.take(rows))
        total, change = gram[0, 0], right - dot(gram, prior)
        # Without the constant: everything relative to its mean.
        means, mean = gram[0] / total, change[0] / total
        centred = gram - total * np.outer(means, means)
        centred[np.diag_indices(len(gram))] += ridge
        slopes = (change - total * means * mean)[1:]
        solve_positive(np.ascontiguousarray(centred[1:, 1:]), slopes, ridge)
        change = np.concatenate([[mean - dot(means[1:], slopes)], slopes])
        coefficients = rounded(prior + change, COEFFICIENT_BITS)
        squares = dot(self.weights, excess**2) - 2 * dot(coefficients, right)
        squares = squares + dot(coefficients, dot(gram, coefficients))
        return coefficients, float(np.sqrt(max(0.0, squares) / total))


def _parts(size: int) -> list[Ints]:
    """Rows whose features are in memory at the same time."""
    return [np.arange(i, min(i + ROWS, size)) for i in range(0, size, ROWS)]


def visited_states(
    values: FittedValues, games: int, first: int, seed: int, threads: int | None, report: Callable[[int], None]
) -> list[States]:
    """The states before every turn of games played greedily, by number of open boxes; every second game explores."""
    play, states = LaneTurns(values, threads), same_cards(values.rules, EMPTY_STATE, games)
    numbers = np.arange(first, first + games)
    exploration = np.where(numbers % 2, EXPLORATION, 0.0)
    found = []
    for turn in range(len(values.rules.categories)):
        found.append(states)
        states = play.play(states, numbers, seed, turn, exploration).states
        report(turn + 1)
    return [states, *reversed(found)]


def distinct(states: States) -> tuple[States, Ints]:
    """The different states, and how often each occurs."""
    fields = *np.atleast_2d(states.filled.T), states.upper, states.saved, states.tracked
    order = np.lexsort(fields)
    changes = [field[order][1:] != field[order][:-1] for field in fields]
    starts = np.flatnonzero(np.concatenate([[True], np.any(changes, axis=0)]))
    return states.take(order[starts]), np.diff(np.concatenate([starts, [len(order)]]))
