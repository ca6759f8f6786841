"""Fit a value function to a game that is too large to solve: approximate value iteration on the states of play.

With t open boxes, and V_t the fitted values of the cards that have t of them (V_0: the upper bonuses, exact)::

    repeat some rounds:
        play games by the values so far; half of them explore; keep the states S before every turn, of all rounds
        for t = 1, 2, ...:   y(S) = value of one exact turn from S on the values V_{t-1}      for all kept S with t
                             V_t = ridge regression of y on the features of S

(:class:`perfect_yatzy.strategy.fitted_values.FittedValues` has the features.) Approximate value iteration with a
linear architecture: Bertsekas and Tsitsiklis, "Neuro-Dynamic Programming", Athena Scientific 1996, chapter 6. The
states are those that good play visits, because only their values matter, and regression on the last round alone
oscillates: a policy avoids the states whose values were too low. Values are fitted in excess of the relaxed game.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from ..game.dice import Floats, Ints
from ..strategy.fitted_values import FittedValues
from .lane_turns import LaneTurns, States, empty_cards, joined

EXPLORATION = 0.05  # chance that a turn of an exploring game fills a box drawn at random
RIDGE = 0.3  # penalty on the squares of all coefficients but theta, against squares of points summed over the states
ROUNDS = 4
ROWS = 4096  # states whose features are in memory at the same time

Progress = Callable[[str, int, int], None]  # what is being done, turns done, turns in all


@dataclass(frozen=True)
class FitRecord:
    """How a value function was fitted.

    Attributes
    ----------
    seed : int
        Of the dice of all games.
    rounds, games : int
        Rounds, and games played in each.
    ridge : float
    seconds : float
    errors : (categories + 1,) float64
        By number of open boxes the root mean square of y - V over the states of the last round, in points.
    """

    seed: int
    rounds: int
    games: int
    ridge: float
    seconds: float
    errors: Floats


def fit_values(
    start: FittedValues,
    *,
    games: int = 2000,
    rounds: int = ROUNDS,
    ridge: float = RIDGE,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress | None = None,
) -> tuple[FittedValues, FitRecord]:
    """Fit the coefficients of a value function.

    Parameters
    ----------
    start
        The values by which the first games are played; its prices and relaxed game stay.
    games, rounds
        Games of each round; half of them explore.
    ridge
        See RIDGE.
    seed
        Of the dice. The result depends on it, not on the number of threads.
    threads
        Number of threads; default: one per processor.
    progress
        Called after every turn of a round: ``"play"`` or ``"fit"``, turns done, and turns of all rounds.

    Returns
    -------
    values : FittedValues
    record : FitRecord
    """
    started = time.perf_counter()
    values, turns = start, len(start.rules.categories)
    visited: list[list[States]] = [[] for _ in range(turns + 1)]  # by number of open boxes
    errors, total = np.zeros(turns + 1), 2 * rounds * turns
    for number in range(rounds):

        def report(what: str, done: int, number: int = number) -> None:
            if progress:
                progress(what, 2 * number * turns + done + (turns if what == "fit" else 0), total)

        for open_boxes, states in enumerate(
            visited_states(values, games, number * games, seed, threads, lambda done: report("play", done))
        ):
            visited[open_boxes].append(states)
        coefficients = np.zeros_like(values.coefficients)
        values = replace(values, coefficients=coefficients)
        for t in range(1, turns + 1):
            states, visits = distinct(joined(visited[t]))
            visited[t] = [states.take(np.repeat(np.arange(len(states)), visits))]
            targets = LaneTurns(values, threads).backups(states)
            coefficients[t], errors[t] = regression(values, states, visits, targets, ridge)
            report("fit", t)
    return values, FitRecord(seed, rounds, games, ridge, time.perf_counter() - started, errors)


def visited_states(
    values: FittedValues,
    games: int,
    first: int,
    seed: int,
    threads: int | None = None,
    report: Callable[[int], None] = lambda done: None,
) -> list[States]:
    """The states before every turn of games played greedily, by number of open boxes; every second game explores."""
    play, states = LaneTurns(values, threads), empty_cards(games)
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
    fields = np.stack([states.filled, states.upper, states.saved, states.tracked])
    order = np.lexsort(fields)
    fields = fields[:, order]
    starts = np.flatnonzero(np.concatenate([[True], (fields[:, 1:] != fields[:, :-1]).any(axis=0)]))
    return States(*np.ascontiguousarray(fields[:, starts])), np.diff(np.concatenate([starts, [len(order)]]))


def regression(
    values: FittedValues, states: States, weights: Ints, targets: Floats, ridge: float
) -> tuple[Floats, float]:
    """Coefficients of the features of states for values that are near the targets, and the error that remains.

    Minimises the weighted sum of squares plus `ridge` times the squares of all coefficients but the constant one.

    Returns
    -------
    coefficients : (features,) float64
    error : float
        Weighted root mean square.
    """
    size = values.coefficients.shape[1]
    gram, right, excess = np.zeros((size, size)), np.zeros(size), np.empty(len(states))
    parts = [np.arange(i, min(i + ROWS, len(states))) for i in range(0, len(states), ROWS)]
    for rows in parts:
        part = states.take(rows)
        relaxed, features = values.features(part.filled, part.upper, part.saved, part.tracked)
        excess[rows] = targets[rows] - relaxed
        weighted = features * weights[rows, None]
        gram += features.T @ weighted
        right += weighted.T @ excess[rows]
    total = gram[0, 0]
    # Without the constant: features and excess relative to their means.
    means, mean = gram[0] / total, right[0] / total
    centred = gram - total * np.outer(means, means)
    centred[np.diag_indices(size)] += ridge
    slopes = np.linalg.solve(centred[1:, 1:], (right - total * means * mean)[1:])
    coefficients = np.concatenate([[mean - means[1:] @ slopes], slopes])
    squares = 0.0
    for rows in parts:
        part = states.take(rows)
        features = values.features(part.filled, part.upper, part.saved, part.tracked)[1]
        squares += float(weights[rows] @ (excess[rows] - features @ coefficients) ** 2)
    return coefficients, float(np.sqrt(squares / total))
