"""Simulated games by a fitted value function, with a control variate that removes nearly all luck of the dice.

A turn from the state S is worth E(S), its exact expectation on the fitted values V of the cards after it. Play is
greedy on the same values, so what a turn reaches, points + V(S'), is E(S) on average, whatever the values are::

    D = sum over the turns of (points + V(S') - E(S))         has mean zero
    X - D = E(start) + sum over the turns but the first of (E(S) - V(S))

for the final score X, because V is exact for a full card. X - D has the mean of X and a far smaller variance: it
depends on the dice only through the errors of the values at the states that the game visits. (Veness, Lanctot and
Bowling, "Variance reduction in Monte-Carlo tree search", NIPS 2011; the luck-adjusted results of backgammon programs
are the same idea.)
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import N_, StateError, _, game_over, number_text, whole_number
from ..game.dice import Floats
from ..game.maximum import maximum_score
from ..game.rules import RuleSet
from ..game.scorecard import EMPTY_STATE, State
from ..game.scoring import upper_sums
from ..strategy.approximate_strategy import ApproximateStrategy, needs_table
from ..strategy.fitted_file import fitted_path
from ..strategy.fitted_values import FittedValues
from ..strategy.opening import open_approximate, open_strategy
from ..strategy.position import Position
from ..strategy.simulation import Z99, Simulation, check_seed
from ..strategy.verify import Check
from ..tablebase.store import Folder, has_table
from .lane_turns import LaneTurns, same_cards

BATCH = 4096  # games played at the same time
SIMULATION_SEED = 1 << 20  # added to the seed of a fit: the games that judge a strategy are not those it learned from
MAX_GAMES = 1 << 24


@dataclass(frozen=True, repr=False)
class ApproximateSimulation(Simulation):
    """Simulated games by a fitted value function, with the fitted values as control variate."""

    # (games,) float64: D of each game (see the module): what the dice gave beyond the expectation, in points; its
    # mean is 0
    luck: Floats
    seconds: float

    @property
    def plain_mean(self) -> float:
        """Mean of the final scores, without the control variate."""
        return super().mean

    @property
    def mean(self) -> float:
        """Mean of the final scores, luck removed."""
        return float((self.final_scores - self.luck).mean())

    @property
    def standard_error(self) -> float:
        """Standard error of the mean with the luck removed."""
        without = self.final_scores - self.luck
        return float(without.std(ddof=1) / math.sqrt(len(without))) if len(without) > 1 else math.inf

    @property
    def interval99(self) -> tuple[float, float]:
        """99 % interval of the mean."""
        half = Z99 * self.standard_error
        return self.mean - half, self.mean + half

    @property
    def plain_interval99(self) -> tuple[float, float]:
        """99 % interval of the mean, without the control variate."""
        half = Z99 * self.standard_deviation / math.sqrt(len(self.final_scores))
        return self.plain_mean - half, self.plain_mean + half


def simulate_values(
    values: FittedValues, *, games: int | None = None, half_width: float | None = None, seed: int = 0,
    threads: int | None = None, progress: Callable[[int, float, float], None] | None = None,
    start: State = EMPTY_STATE, points_before: int = 0, first: int = 0,
) -> ApproximateSimulation:  # fmt: skip
    """Play games greedily on fitted values."""
    if games is None and half_width is None:
        raise StateError("give a number of games, or the width of the interval")
    most = MAX_GAMES if games is None else whole_number(games, "games")
    if most < 1 or (half_width is not None and not half_width > 0):
        raise StateError("the number of games and the width of the interval must be positive")
    started, rules, play = time.perf_counter(), values.rules, LaneTurns(values, threads)
    parts = list[tuple[npt.NDArray[Any], ...]]()  # scores, luck, points of the boxes, bonuses
    done, found, squares = 0, 0.0, 0.0
    width, filled = math.inf, start.filled.bit_count()
    turns = len(rules.categories) - filled
    while done < most and (half_width is None or done < 2 or width > half_width):
        number = min(BATCH, most - done)
        numbers, states = first + np.arange(done, done + number), same_cards(rules, start, number)
        total, gained = np.zeros(number, dtype=np.int64), np.zeros(number)
        points = np.full((number, len(rules.categories)), -1, dtype=np.int16)
        for turn in range(turns):
            played = play.play(states, numbers, seed, filled + turn)
            states = played.states
            total += played.points + played.bonus_points
            gained += played.reached - played.expected
            points[np.arange(number), played.category] = played.points
            if progress:
                progress(done + number * (turn + 1) // turns, found / max(1, done), width)
        bonus = upper_sums(rules).bonuses(states.upper)
        parts.append((points_before + total + bonus, gained, points, bonus))
        without = parts[-1][0] - gained
        done, found, squares = done + number, found + without.sum(), squares + (without * without).sum()
        if done > 1:
            width = Z99 * math.sqrt(max(0.0, squares - found * found / done) / (done - 1) / done)
    scores, luck, boxes, bonuses = (np.concatenate(part) for part in zip(*parts, strict=True))
    seconds = time.perf_counter() - started
    return ApproximateSimulation(
        rules, "approximate-mean", seed, points_before, scores.astype(np.int64), boxes, bonuses, luck, seconds
    )


def simulate(
    strategy: ApproximateStrategy, games: int, seed: int = 1, start: Position | None = None,
    threads: int | None = None, *, points: int | None = None, progress: Callable[[int, int], None] | None = None,
) -> ApproximateSimulation:  # fmt: skip
    """Play games under an approximate strategy; as :func:`perfect_yatzy.simulate`."""
    games, seed = whole_number(games, "games"), check_seed(seed)
    checked = strategy.check_start(start)
    if checked.state.filled == strategy.rules.full_mask:
        raise game_over()
    function = strategy.evaluator.function
    if not isinstance(function, FittedValues):
        raise needs_table(strategy.rules, "a simulation by a function that is not fitted")
    return simulate_values(
        function,
        games=games,
        seed=seed,
        threads=threads,
        progress=(lambda done, mean, width: progress(done, games)) if progress else None,
        start=checked.state,
        points_before=checked.points if points is None else whole_number(points, "points"),
    )


def verify_approximate(
    rules: RuleSet, tables: Folder = None, *, games: int = 0, seed: int = 1, threads: int | None = None
) -> Iterator[Check]:
    """Check the approximate strategy of a rule set, yielding each result when it is known."""
    strategy = open_approximate(rules, tables)
    known = strategy.certificate
    low, high = known.interval99
    yield Check(N_("file"), True, _("{file}, SHA-256 as recorded").format(file=fitted_path(rules, tables).name))
    ordered = low <= known.mean <= high and low <= known.upper_bound and known.mean <= maximum_score(rules)
    figures = {"mean": known.mean, "low": low, "high": high, "bound": known.upper_bound}
    shown = {name: number_text(figure, 4) for name, figure in figures.items()}
    yield Check(N_("bound"), ordered, _("mean {mean} ({low} to {high}), bound {bound}").format(**shown))
    if has_table(rules, tables):
        exact = open_strategy(rules, tables).value()
        between = low <= exact <= known.upper_bound
        text = _("exact value {value}, not below the mean and not above the bound")
        yield Check(N_("exact"), between, text.format(value=number_text(exact, 10)))
    if games > 1:
        played = simulate(strategy, games, seed, threads=threads)
        # Twice the 99 % interval of the difference: a false alarm in one of a few million runs.
        allowed = 2 * math.hypot(Z99 * played.standard_error, known.half_width)
        figures = {"mean": played.mean, "expected": known.mean, "allowed": allowed}
        shown = {name: number_text(figure, 4) for name, figure in figures.items()}
        text = _("{games} games, mean {mean} against {expected}, {allowed} allowed")
        detail = text.format(games=number_text(games, grouped=True), **shown)
        yield Check(N_("simulation"), abs(played.mean - known.mean) <= allowed, detail)
