"""Evaluations and simulated games on the workers, each a list of tasks.

A worker opens the strategy itself, from the tables that all see: the driver sends what it is, and
no values. An evaluation is that of one policy, or some games of a program. Simulated games are a
range of the games, whose dice depend on their numbers alone; they come back as small integers, 38
bytes each for Yatzy.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import ceil
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..approximation.approximate_strategy import ApproximateStrategy, needs_table
from ..approximation.fitted_file import FittedValues
from ..approximation.opening import open_approximate, open_strategy
from ..approximation.solve import BATCH, ApproximateSimulation, simulate_values
from ..core.rules import RuleSet
from ..errors import StateError, game_over, positive_number
from ..game.random_dice import Games
from ..game.scorecard import Scorecard
from ..policies.evaluation import Evaluation, SampledEvaluation, SampledGames, sample_games, summary
from ..policies.named import PolicyContext, evaluate_named, policy_file
from ..policies.user_code import ProcessPlayer
from ..settings import Settings
from ..strategy.rollout import PlayedGames, Rollout, rollout_of
from ..strategy.score_strategy import ScoreStrategy, reach
from ..strategy.simulation import Simulation, joined_games
from ..strategy.strategy import CheckedPosition, Strategy
from ..tablebase.store import tables_folder
from ..words import _
from .engine import DaskEngine

TASKS_PER_THREAD = 4  # so that workers of different speed end together
# of a task: many share the evaluation of a turn, and their points are some megabytes
MOST_GAMES = 100_000


@dataclass(frozen=True)
class StrategyName:
    """What a worker opens."""

    rules: RuleSet
    tables: str  # folder
    kind: str = "mean"  # or "goal" or "approximate"
    goal: int = 0  # final score to reach, for a goal
    # those of the earliest card that is asked about, for a goal; `points` as pairs of a category
    # and its points
    points: tuple[tuple[int, int], ...] = ()
    saved: int = 0
    bonus_points: int = 0


@dataclass(frozen=True)
class GamesTask:
    """The games `first` to ``first + number - 1`` of a strategy.

    They may also be those of a program that the strategy measures.
    """

    strategy: StrategyName
    start: Any  # a checked position, or for a program the card
    seed: int
    first: int
    number: int
    command: str = ""  # of the program


def evaluate_task(task: tuple[str, PolicyContext]) -> tuple[str, Evaluation | SampledEvaluation]:
    """Return title and evaluation of the policy of a name (:mod:`perfect_yatzy.policies.named`)."""
    return evaluate_named(*task)


def sample_task(task: GamesTask) -> SampledGames:
    """Play the games of a task with a program that is started for them."""
    strategy = _opened(task.strategy)
    with ProcessPlayer(task.command) as player:
        games = Games(task.number, task.seed, task.first)
        return sample_games(Settings(threads=1), player, strategy, games, task.start)


def evaluate_on(
    engine: DaskEngine, policies: Sequence[str], context: PolicyContext
) -> Iterator[tuple[int, str, Evaluation | SampledEvaluation]]:
    """Evaluate policies, each on one worker, as :func:`perfect_yatzy.evaluate` does.

    Yields the number of the policy, the title and the evaluation of each.
    """
    rules = context.rules
    folder = str(tables_folder(context.settings.tables).absolute())
    context = replace(context, settings=Settings(folder, 1))
    open_strategy(rules, folder)  # solved once, here, and not by each worker
    # Workers have other working folders, so they get the absolute path of a file; titles have the
    # path that is given. Both are empty for a policy without a file.
    files = [policy_file(policy) for policy in policies]
    paths = [str(Path(file).absolute()) if file else "" for file in files]
    tasks = []
    for policy, file, path in zip(policies, files, paths, strict=True):
        tasks.append((policy.replace(file, path, 1), context))
    with engine.seeing(folder, f"evaluation-{rules.fingerprint[:12]}"):
        for number, (title, evaluation) in engine.map(evaluate_task, tasks):
            yield number, title.replace(paths[number], files[number]), evaluation


def sample_on(
    engine: DaskEngine, command: str, strategy: Strategy, context: PolicyContext
) -> SampledEvaluation:
    """Let a program play games on the workers, which start it.

    The answer is that of :func:`.policies.evaluation.sample`.
    """
    games = positive_number(context.games, "games")
    settings = context.settings
    card = context.card
    name = strategy_name(strategy, settings.tables)
    tasks = [
        GamesTask(name, card, context.seed, first, number, command)
        for first, number in ranges(games, engine.threads, name.kind)
    ]
    with engine.seeing(name.tables, f"regrets-{strategy.rules.fingerprint[:12]}"):
        return summary(strategy, card, games, engine.play(sample_task, tasks, settings.progress))


def strategy_name(strategy: Strategy, tables: str | os.PathLike[str] | None) -> StrategyName:
    """Return what tells a worker to open this strategy."""
    folder = str(tables_folder(tables).absolute())
    if isinstance(strategy, ApproximateStrategy):
        if not isinstance(strategy.evaluator.function, FittedValues):
            raise needs_table(strategy.rules, "a simulation by a function that is not fitted")
        return StrategyName(strategy.rules, folder, "approximate")
    if isinstance(strategy, ScoreStrategy):
        kind, _unused, goal = strategy.policy.partition(":")
        if kind != "goal":
            raise StateError(
                _(
                    "the strategy of a utility is not in a table that workers can open; simulate it here"
                )
            )
        card = strategy.start
        assert isinstance(card, Scorecard)
        points = tuple(sorted(card.points.items()))
        return StrategyName(
            strategy.rules, folder, "goal", int(goal), points, card.saved, card.bonus_points
        )
    return StrategyName(strategy.rules, folder)


@lru_cache(maxsize=2)
def _opened(name: StrategyName) -> Strategy:
    """Return the strategy of a name, which a process opens once."""
    if name.kind == "approximate":
        return open_approximate(name.rules, name.tables)
    if name.kind == "mean":
        return open_strategy(name.rules, name.tables, threads=1)
    card = Scorecard(name.rules, dict(name.points), name.saved, name.bonus_points)
    return reach(name.rules, name.goal, card, name.tables, threads=1)


@lru_cache(maxsize=2)
def _rollout(name: StrategyName, position: CheckedPosition) -> Rollout:
    return rollout_of(_opened(name), position, threads=1)


class GamesPlayed(NamedTuple):
    """The games of a task, ``(games,)`` each, in as few bytes as they need."""

    points_made: npt.NDArray[np.int32]  # without the upper bonus
    category_points: npt.NDArray[Any]  # (games, categories)
    upper_bonus: npt.NDArray[np.int32]
    luck: npt.NDArray[Any] | None = None  # of an approximate strategy


def play_task(task: GamesTask) -> GamesPlayed:
    """Play the games of a task."""
    if task.strategy.kind == "approximate":
        return _play_approximate(task)
    points_made, category_points, upper_bonus = _rollout(task.strategy, task.start).play(
        task.number, task.first, task.seed
    )
    return GamesPlayed(points_made.astype(np.int32), category_points, upper_bonus.astype(np.int32))


def _play_approximate(task: GamesTask) -> GamesPlayed:
    """Play the games of a task by a fitted value function."""
    strategy = _opened(task.strategy)
    assert isinstance(strategy, ApproximateStrategy)
    values = strategy.evaluator.function
    assert isinstance(values, FittedValues)
    played = simulate_values(
        values,
        games=task.number,
        seed=task.seed,
        threads=1,
        start=task.start.state,
        first=task.first,
    )
    points_made = played.final_scores - played.upper_bonus
    return GamesPlayed(
        points_made.astype(np.int32),
        played.category_points,
        played.upper_bonus.astype(np.int32),
        played.luck,
    )


def simulate_on(
    settings: Settings,
    engine: DaskEngine,
    strategy: Strategy,
    games: Games,
    position: CheckedPosition,
) -> Simulation:
    """Play games on the workers, as :meth:`.session.Cluster.simulate` describes."""
    began = time.perf_counter()
    name = strategy_name(strategy, settings.tables)
    if position.state.filled == strategy.rules.full_mask:
        raise game_over()
    tasks = [
        GamesTask(name, position, games.seed, first, number)
        for first, number in ranges(games.number, engine.threads, name.kind)
    ]
    with engine.seeing(name.tables, f"games-{name.kind}-{strategy.rules.fingerprint[:12]}"):
        parts: list[GamesPlayed] = engine.play(play_task, tasks, settings.progress)
    widened = [
        PlayedGames(
            points=part.points_made.astype(np.int64),
            category_points=part.category_points,
            upper_bonus=part.upper_bonus.astype(np.int64),
        )
        for part in parts
    ]
    played = joined_games(strategy, games.seed, position.points, widened)
    if name.kind != "approximate":
        return played
    luck = np.concatenate([part.luck for part in parts if part.luck is not None])
    seconds = time.perf_counter() - began
    return ApproximateSimulation(
        **vars(replace(played, policy="approximate-mean")), luck=luck, seconds=seconds
    )


def ranges(games: int, threads: int, kind: str) -> list[tuple[int, int]]:
    """Return the first game and number of games of each task."""
    size = min(MOST_GAMES, ceil(games / (threads * TASKS_PER_THREAD)))
    if kind == "approximate":  # whole batches, as they are played here
        size = ceil(size / BATCH) * BATCH
    return [(first, min(size, games - first)) for first in range(0, games, size)]
