"""Simulated games on the workers: each takes a range of the games, whose dice depend on their numbers alone.

A worker opens the strategy itself, from the tables that all see: the driver sends what it is, and no values. The
games come back as small integers, 38 bytes each for Yatzy.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..approximation.rollout import BATCH, ApproximateSimulation, simulate_values
from ..errors import StateError, _, game_over
from ..game.rules import RuleSet
from ..game.scorecard import Scorecard
from ..strategy.approximate_strategy import ApproximateStrategy, needs_table
from ..strategy.fitted_values import FittedValues
from ..strategy.opening import open_approximate, open_strategy
from ..strategy.position import CheckedPosition
from ..strategy.score_strategy import ScoreStrategy, reach
from ..strategy.simulation import Simulation, checked_games, joined_games
from ..strategy.strategy import Strategy
from ..tablebase.store import Progress, tables_folder
from .engine import DaskEngine

if TYPE_CHECKING:
    from ..strategy.position import Position
    from ..strategy.rollout import Rollout

MOST_GAMES = 100_000  # of a task: many share the evaluation of a turn, and their points are some megabytes
TASKS_PER_THREAD = 4  # so that workers of different speed end together
Games = tuple[npt.NDArray[Any], ...]


@dataclass(frozen=True)
class StrategyName:
    """What a worker opens."""

    rules: RuleSet
    tables: str  # folder
    kind: str  # "mean", "goal" or "approximate"
    goal: int = 0  # final score to reach, for a goal
    # those of the earliest card that is asked about, for a goal; `points` as pairs of a category and its points
    points: tuple[tuple[int, int], ...] = ()
    saved: int = 0
    bonus_points: int = 0


@dataclass(frozen=True)
class GamesTask:
    """The games `first` to ``first + number - 1`` of a simulation from a position."""

    strategy: StrategyName
    position: CheckedPosition
    seed: int
    first: int
    number: int


def strategy_name(strategy: Strategy, tables: str | os.PathLike[str] | None) -> StrategyName:
    """What tells a worker to open this strategy."""
    folder = str(tables_folder(tables).absolute())
    if isinstance(strategy, ApproximateStrategy):
        if not isinstance(strategy.evaluator.function, FittedValues):
            raise needs_table(strategy.rules, "a simulation by a function that is not fitted")
        return StrategyName(strategy.rules, folder, "approximate")
    if isinstance(strategy, ScoreStrategy):
        kind, _unused, goal = strategy.policy.partition(":")
        if kind != "goal":
            raise StateError(_("the strategy of a utility is not in a table that workers can open; simulate it here"))
        card = strategy.start
        assert isinstance(card, Scorecard)
        points = tuple(sorted(card.points.items()))
        return StrategyName(strategy.rules, folder, "goal", int(goal), points, card.saved, card.bonus_points)
    return StrategyName(strategy.rules, folder, "mean")


@lru_cache(maxsize=2)
def _opened(name: StrategyName) -> Strategy:
    if name.kind == "approximate":
        return open_approximate(name.rules, name.tables)
    if name.kind == "mean":
        return open_strategy(name.rules, name.tables, threads=1)
    card = Scorecard(name.rules, dict(name.points), name.saved, name.bonus_points)
    return reach(name.rules, name.goal, card, name.tables, threads=1)


@lru_cache(maxsize=2)
def _rollout(name: StrategyName, position: CheckedPosition) -> Rollout:
    from ..strategy.rollout import rollout_of

    return rollout_of(_opened(name), position, threads=1)


def play_task(task: GamesTask) -> Games:
    """Play the games of a task."""
    position = task.position
    if task.strategy.kind != "approximate":
        made, boxes, bonus = _rollout(task.strategy, position).play(task.number, task.first, task.seed)
        return made.astype(np.int32), boxes, bonus.astype(np.int32)
    strategy = _opened(task.strategy)
    assert isinstance(strategy, ApproximateStrategy)
    values, games, start = strategy.evaluator.function, task.number, position.state
    assert isinstance(values, FittedValues)
    played = simulate_values(values, games=games, seed=task.seed, threads=1, start=start, first=task.first)
    made = played.final_scores - played.upper_bonus
    return made.astype(np.int32), played.category_points, played.upper_bonus.astype(np.int32), played.luck


def simulate_on(
    engine: DaskEngine, strategy: Strategy, games: int, seed: int, start: Position | None, points: int | None,
    tables: str | os.PathLike[str] | None, progress: Progress | None,
) -> Simulation:  # fmt: skip
    """Play games on the workers; see :meth:`perfect_yatzy.cluster.session.Cluster.simulate`."""
    began, name = time.perf_counter(), strategy_name(strategy, tables)
    games, position = checked_games(strategy, games, seed, start, points)
    if position.state.filled == strategy.rules.full_mask:
        raise game_over()
    tasks = [GamesTask(name, position, seed, *part) for part in ranges(games, engine.threads, name.kind)]
    with engine.seeing(name.tables, f"games-{name.kind}-{strategy.rules.fingerprint[:12]}"):
        parts = engine.play(play_task, tasks, progress)
    widened = [(made.astype(np.int64), boxes, bonus.astype(np.int64)) for made, boxes, bonus, *_luck in parts]
    played = joined_games(strategy, seed, position.points, widened)
    if name.kind != "approximate":
        return played
    luck = np.concatenate([part[3] for part in parts])
    seconds = time.perf_counter() - began
    return ApproximateSimulation(**vars(replace(played, policy="approximate-mean")), luck=luck, seconds=seconds)


def ranges(games: int, threads: int, kind: str) -> list[tuple[int, int]]:
    """First game and number of games of each task."""
    size = min(MOST_GAMES, -(-games // (threads * TASKS_PER_THREAD)))
    if kind == "approximate":  # whole batches, as they are played here
        size = -(-size // BATCH) * BATCH
    return [(first, min(size, games - first)) for first in range(0, games, size)]
