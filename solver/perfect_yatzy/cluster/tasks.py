"""Evaluations, simulated games and games of two players on the workers, each a list of tasks.

A worker opens the strategy itself, from the tables that all see: the driver sends what it is, and
no values. An evaluation is that of one policy, or some games of a program. Simulated games are a
range of the games, whose dice depend on their numbers alone; they come back as small integers, 38
bytes each for Yatzy.

A whole game of two players is solved turn by turn. A part of a turn needs the values after the turn
for its own states of the player who waits. They are one range of the layer that the driver has
stored, from which a killed solve resumes, too. The values of a part come back in a file.
"""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from math import ceil
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import numpy.typing as npt

from ..approximation.approximate_strategy import ApproximateStrategy, needs_table
from ..approximation.fitted_file import FittedValues
from ..approximation.opening import open_approximate, open_strategy
from ..approximation.solve import BATCH, ApproximateSimulation, simulate_values
from ..core.dice import Ints
from ..core.rules import RuleSet
from ..core.scorecard import Scorecard
from ..core.table_info import damaged
from ..core.table_slices import FRAME
from ..errors import StateError, game_over, positive_number
from ..game.notation import CardText, read_card
from ..policies.evaluation import Evaluation, SampledEvaluation, SampledGames, sample_games, summary
from ..policies.named import PolicyContext, evaluate_named, policy_file
from ..policies.user_code import ProcessPlayer
from ..settings import Settings
from ..strategy.rollout import Rollout, rollout_of
from ..strategy.score_strategy import ScoreStrategy, reach
from ..strategy.simulation import Simulation, checked_games, joined_games
from ..strategy.strategy import CheckedPosition, Position, Strategy
from ..strategy.tie_rules import tie_rule
from ..tablebase.checkpoint import store_layer, stored_layer
from ..tablebase.estimates import check_memory
from ..tablebase.store import tables_folder
from ..two_players.leads_kernel import LeadValues
from ..two_players.two_player_table import OnLayer, store_games, stored_game
from ..two_players.two_players import TASKS, TwoPlayerGame, TwoPlayerTurn
from ..two_players.versus import TwoPlayerChances, versus_checkpoint
from ..words import _
from .engine import DaskEngine

TASKS_PER_THREAD = 4  # so that workers of different speed end together
MOST_GAMES = (
    100_000  # of a task: many share the evaluation of a turn, and their points are some megabytes
)


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
    """The games `first` to ``first + number - 1`` of a strategy, or of a program that it
    measures.
    """

    strategy: StrategyName
    start: Any  # a checked position, or for a program the card
    seed: int
    first: int
    number: int
    command: str = ""  # of the program


def evaluate_task(task: tuple[str, PolicyContext]) -> tuple[str, Evaluation | SampledEvaluation]:
    """Title and evaluation of the policy of a name (:mod:`perfect_yatzy.policies.named`)."""
    return evaluate_named(*task)


def sample_task(task: GamesTask) -> SampledGames:
    """Play the games of a task with a program that is started for them."""
    strategy = _opened(task.strategy)
    with ProcessPlayer(task.command) as player:
        return sample_games(
            Settings(threads=1), player, strategy, task.first, task.number, task.seed, task.start
        )


def evaluate_on(
    settings: Settings,
    engine: DaskEngine,
    policies: Sequence[str],
    rules: RuleSet,
    card: CardText | Scorecard = "",
    games: int = 200,
    seed: int = 1,
) -> Iterator[tuple[int, str, Evaluation | SampledEvaluation]]:
    """Evaluate policies, each on one worker; as :func:`perfect_yatzy.evaluate`."""
    folder = str(tables_folder(settings.tables).absolute())
    context = PolicyContext(Settings(folder, 1), rules, read_card(rules, card), games, seed)
    open_strategy(rules, folder)  # solved once, here, and not by each worker
    # Workers have other working folders, so they get the absolute path of a file; titles have the
    # path that is given.
    files = [policy_file(policy) for policy in policies]  # empty if the policy is none
    paths = [str(Path(file).absolute()) if file else "" for file in files]
    named = zip(policies, files, paths, strict=True)
    tasks = [(policy.replace(file, path, 1), context) for policy, file, path in named]
    with engine.seeing(folder, f"evaluation-{rules.fingerprint[:12]}"):
        for number, (title, found) in engine.map(evaluate_task, tasks):
            yield number, title.replace(paths[number], files[number]), found


def sample_on(
    settings: Settings,
    engine: DaskEngine,
    command: str,
    strategy: Strategy,
    games: int = 200,
    seed: int = 1,
    start: CardText | Scorecard = "",
) -> SampledEvaluation:
    """Let a program play games on the workers, which start it; as
    :func:`.policies.evaluation.sample`.
    """
    games = positive_number(games, "games")
    name, card = strategy_name(strategy, settings.tables), read_card(strategy.rules, start)
    tasks = [
        GamesTask(name, card, seed, *part, command)
        for part in ranges(games, engine.threads, name.kind)
    ]
    with engine.seeing(name.tables, f"regrets-{strategy.rules.fingerprint[:12]}"):
        return summary(strategy, card, games, engine.play(sample_task, tasks, settings.progress))


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
    if name.kind == "approximate":
        return open_approximate(name.rules, name.tables)
    if name.kind == "mean":
        return open_strategy(name.rules, name.tables, threads=1)
    card = Scorecard(name.rules, dict(name.points), name.saved, name.bonus_points)
    return reach(name.rules, name.goal, card, name.tables, threads=1)


@lru_cache(maxsize=2)
def _rollout(name: StrategyName, position: CheckedPosition) -> Rollout:
    return rollout_of(_opened(name), position, threads=1)


def play_task(task: GamesTask) -> tuple[npt.NDArray[Any], ...]:
    """Play the games of a task."""
    if task.strategy.kind != "approximate":
        made, boxes, bonus = _rollout(task.strategy, task.start).play(
            task.number, task.first, task.seed
        )
        return made.astype(np.int32), boxes, bonus.astype(np.int32)
    strategy = _opened(task.strategy)
    assert isinstance(strategy, ApproximateStrategy)
    values, games = strategy.evaluator.function, task.number
    assert isinstance(values, FittedValues)
    played = simulate_values(
        values,
        games=games,
        seed=task.seed,
        threads=1,
        start=task.start.state,
        first=task.first,
    )
    made = played.final_scores - played.upper_bonus
    return (
        made.astype(np.int32),
        played.category_points,
        played.upper_bonus.astype(np.int32),
        played.luck,
    )


def simulate_on(
    settings: Settings,
    engine: DaskEngine,
    strategy: Strategy,
    games: int,
    seed: int,
    start: Position | None,
    points: int | None,
) -> Simulation:
    """Play games on the workers; see :meth:`perfect_yatzy.cluster.session.Cluster.simulate`."""
    began = time.perf_counter()
    name = strategy_name(strategy, settings.tables)
    games, position = checked_games(strategy, games, seed, start, points)
    if position.state.filled == strategy.rules.full_mask:
        raise game_over()
    tasks = [
        GamesTask(name, position, seed, *part) for part in ranges(games, engine.threads, name.kind)
    ]
    with engine.seeing(name.tables, f"games-{name.kind}-{strategy.rules.fingerprint[:12]}"):
        parts = engine.play(play_task, tasks, settings.progress)
    widened = [
        (made.astype(np.int64), boxes, bonus.astype(np.int64))
        for made, boxes, bonus, *_luck in parts
    ]
    played = joined_games(strategy, seed, position.points, widened)
    if name.kind != "approximate":
        return played
    luck = np.concatenate([luck for *_figures, luck in parts])
    seconds = time.perf_counter() - began
    return ApproximateSimulation(
        **vars(replace(played, policy="approximate-mean")), luck=luck, seconds=seconds
    )


def ranges(games: int, threads: int, kind: str) -> list[tuple[int, int]]:
    """First game and number of games of each task."""
    size = min(MOST_GAMES, ceil(games / (threads * TASKS_PER_THREAD)))
    if kind == "approximate":  # whole batches, as they are played here
        size = ceil(size / BATCH) * BATCH
    return [(first, min(size, games - first)) for first in range(0, games, size)]


@dataclass(frozen=True)
class TurnPart:
    """The turns against the states `begin` to ``end - 1`` of the player who waits."""

    rules: RuleSet
    tie: float
    turn: TwoPlayerTurn
    begin: int
    end: int
    layer: Path  # the values after the turn: those from `first` to ``last - 1`` are needed
    first: int
    last: int
    checksum: int  # of these
    path: Path  # where the values of the part go


@lru_cache(maxsize=1)
def _game(rules: RuleSet, tie: float) -> TwoPlayerGame:
    return TwoPlayerGame(rules, tie=tie)


def solve_part(part: TurnPart) -> None:
    """Solve a part of a turn and store its values."""
    below = np.array(np.load(part.layer, mmap_mode="r")[part.first : part.last])
    if crc32(below.data) != part.checksum:
        raise damaged(f"the layer {part.layer} was altered")
    values = _game(part.rules, part.tie).part_of_turn(part.turn, part.begin, part.end, below)
    store_layer(part.path, _game(part.rules, part.tie).identity, values)


def _bounds(found: LeadValues) -> Ints:
    """Where each pair of cards begins in the values, and where the last one ends."""
    return np.append(found.place, len(found.values) - FRAME)


def _parts_of(
    game: TwoPlayerGame,
    layer: Path,
    turn: TwoPlayerTurn,
    waiting: int,
    threads: int,
    below: LeadValues,
) -> Iterator[TurnPart]:
    """The parts of a turn against `waiting` states of the other player; `below` are the values
    after it.
    """
    size, bounds = max(1, waiting // (TASKS * threads)), _bounds(below)
    pairs_of_each = len(below.place) // waiting  # of a state of the other player, who moves next
    for begin in range(0, waiting, size):
        end = min(begin + size, waiting)
        first, last = int(bounds[begin * pairs_of_each]), int(bounds[end * pairs_of_each]) + FRAME
        checksum = crc32(below.values[first:last].data)
        path = layer.with_suffix(f".{secrets.token_hex(8)}.part")
        yield TurnPart(game.rules, game.tie, turn, begin, end, layer, first, last, checksum, path)


def _solve_turn(
    engine: DaskEngine, game: TwoPlayerGame, layer: Path, turn: TwoPlayerTurn, below: LeadValues
) -> LeadValues:
    """The values before a turn, solved on the workers in parts, from those after it, which
    `layer` stores.
    """
    before, other = game.pairs(turn)
    target = game.blank(before, other, game.lead_of(turn.mover))
    bounds = _bounds(target)
    parts = [*_parts_of(game, layer, turn, other.size, engine.threads, below)]
    try:
        for number, _none in engine.map(solve_part, parts):
            part = parts[number]
            if (stored := stored_layer(part.path, game.identity)) is None:
                raise damaged(f"the values {part.path} were altered or removed")
            values, _fields = stored
            part.path.unlink()
            # The states of the other player are the inner index of the pairs: for each state of the
            # mover, a part has a run of values.
            run_begins, run_ends = (
                bounds[part.begin : -1 : other.size],
                bounds[part.end :: other.size],
            )
            copied = 0
            for begin, end in zip(run_begins, run_ends, strict=True):
                target.values[begin:end] = values[copied : copied + end - begin]
                copied += end - begin
    finally:
        for part in parts:
            part.path.unlink(missing_ok=True)
    return target


def versus_on(
    settings: Settings,
    engine: DaskEngine,
    rules: RuleSet,
    ties: str = "half",
    store: bool = False,
) -> TwoPlayerChances:
    """Solve a whole game of two players on the workers; as :func:`perfect_yatzy.versus`."""

    def solve(
        settings: Settings, game: TwoPlayerGame, layer: Path, on_layer: OnLayer | None
    ) -> float:
        check_memory(rules, game.cost())
        with engine.seeing(layer.parent, f"versus-{rules.fingerprint[:12]}"):
            solve_turn = partial(_solve_turn, engine, game, layer)
            return game.chance(settings, layer, solve_turn, on_layer)

    game, folder = TwoPlayerGame(rules, tie=tie_rule(ties).share), tables_folder(settings.tables)
    settings = Settings(folder.absolute(), 1, settings.progress)
    if store:
        store_games(settings, rules, solve)
    if known := stored_game(game, settings.tables):
        chance = known.first
    else:
        chance = solve(settings, game, versus_checkpoint(rules, settings.tables), None)
    return TwoPlayerChances(rules, chance, 1 - chance)
