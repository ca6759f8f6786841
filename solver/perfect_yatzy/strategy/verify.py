"""Is a stored table correct? Four checks that do not rely on the code that computed it.

1. File: are size, rules and SHA-256 those that the sidecar records?
2. Bellman equation: is every value that of one turn on the values of its children? (Random states, NumPy only.)
3. Published value: does the value of the game agree with the literature?
4. Simulation (on request): is the mean of simulated games within its sampling error of the value of the game?
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..errors import N_, _, number_text
from ..game.rules import RuleSet
from ..game.scorecard import State
from ..game.scoring import maximum_score
from ..model.objectives import Objective
from ..model.state_space import StateSpace
from ..tablebase.store import Folder, table_path
from ..tablebase.table_file import read_table
from .strategy import Strategy
from .turn_evaluator import TurnEvaluator

MAX_RESIDUAL = 1e-9  # points
FALSE_ALARM_RATE = 1 / 16_000  # chance that the simulation of a correct table fails


@dataclass(frozen=True)
class Check:
    """Result of one check."""

    name: str  # ``file``, ``equation``, ``published`` or ``simulation``
    passed: bool
    detail: str  # what was compared, in one line


def random_states(space: StateSpace, count: int, seed: int) -> Iterator[State]:
    """`count` random states of the table with an open category, every place in the table equally likely."""
    random = np.random.default_rng(seed)
    layout, rows = space.layout, np.concatenate(space.layers)
    rows = rows[np.argsort(layout.offsets[rows], kind="stable")]
    starts = layout.offsets[rows]
    full = space.layer_slice(space.categories).stop
    for place in random.integers(full, space.size, count) if space.size > full else []:
        row = int(rows[np.searchsorted(starts, place, side="right") - 1])
        chosen = layout.lane_sets[row]
        saved, lane = divmod(int(place - layout.offsets[row]), int(layout.lane_count[chosen]))
        yield State(int(layout.masks[row]), int(layout.lane_upper[chosen, lane]), saved, row >= space.cards)


def bellman_residual(evaluator: TurnEvaluator, count: int, seed: int) -> float:
    """Most points by which the value of a random state differs from that of one turn on its children."""
    largest = 0.0
    for state in random_states(evaluator.space, count, seed):
        stored = float(evaluator.values[evaluator.space.index(state)])
        largest = max(largest, abs(stored - evaluator.turn_value(state)))
    return largest


def verify(
    rules: RuleSet, tables: Folder = None, *, states: int = 500, games: int = 0, seed: int = 1,
    threads: int | None = None,
) -> Iterator[Check]:  # fmt: skip
    """Check a stored table of means by random states and simulated games, yielding each result when known."""
    info, values = read_table(table_path(rules, tables), Objective(rules), hashed=True)
    text = _("{count} values, SHA-256 {digest}... as recorded")
    count = number_text(len(values), grouped=True)
    yield Check(N_("file"), True, text.format(count=count, digest=info.sha256[:16]))

    evaluator = TurnEvaluator(rules, values)
    largest = bellman_residual(evaluator, states, seed)
    text = _("{count} random states, largest residual {largest}")
    detail = text.format(count=number_text(states, grouped=True), largest=f"{largest:.1e}")
    yield Check(N_("equation"), largest <= MAX_RESIDUAL + 2 * info.rounding, detail)

    start = info.start_value if info.start_value is not None else float(values[-1])
    if rules.published:
        off = abs(start - float(rules.published.value))
        text = _("start value {start}, published {published}")
        detail = text.format(start=number_text(start, 10), published=rules.published.value)
        yield Check(N_("published"), off <= rules.published.tolerance, detail)
    if games:
        from .simulation import simulate

        played = simulate(Strategy(rules, info, evaluator), games, seed, threads=threads)
        off = abs(played.mean - start)
        allowed = sampling_error_bound(games, played.standard_deviation, maximum_score(rules))
        figures = {"mean": played.mean, "error": played.standard_error, "expected": start, "allowed": allowed}
        shown = {name: number_text(figure, 3) for name, figure in figures.items()}
        text = _("{games} games, mean {mean} ± {error} against {expected}, {allowed} allowed")
        detail = text.format(games=number_text(games, grouped=True), **shown)
        yield Check(N_("simulation"), off <= allowed + MAX_RESIDUAL + info.rounding, detail)


def sampling_error_bound(games: int, standard_deviation: float, score_range: float) -> float:
    """How far the mean of simulated games may be from the true mean, in points.

    The empirical Bernstein bound (Audibert, Munos and Szepesvari 2009, "Exploration-exploitation tradeoff using
    variance estimates in multi-armed bandits", Theorem 1): with probability at least 1 - d, d = FALSE_ALARM_RATE,

        |mean - true mean| <= s * sqrt(2 * log(3 / d) / n) + 3 * R * log(3 / d) / n

    for n games with sample standard deviation s and scores from an interval of length R. It holds for any
    distribution; a multiple of the standard error would fail a correct table whose games missed a rare event that
    scores many points, or whose games all end alike.
    """
    log_term = math.log(3 / FALSE_ALARM_RATE)
    return standard_deviation * math.sqrt(2 * log_term / games) + 3 * score_range * log_term / games
