"""Evaluations on the workers: one policy each, or each some games of a program."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from ..errors import StateError, _, whole_number
from ..game.notation import CardText, read_card
from ..game.rules import RuleSet
from ..game.scorecard import Scorecard
from ..policies.evaluation import Evaluation, SampledEvaluation, SampledGames, sample_games, summary
from ..policies.named import Setting, evaluate_named, policy_file
from ..policies.user_code import ProcessPlayer
from ..strategy.opening import open_strategy
from ..strategy.strategy import Strategy
from ..tablebase.store import Progress, tables_folder
from .engine import DaskEngine

TASKS_PER_THREAD = 4


@dataclass(frozen=True)
class SampleTask:
    """Let a program play the games `first` to ``first + number - 1``."""

    command: str
    rules: RuleSet
    card: Scorecard
    tables: str
    seed: int
    first: int
    number: int


def evaluate_task(task: tuple[str, Setting]) -> tuple[str, Evaluation | SampledEvaluation]:
    """Title and evaluation of the policy of a name (:mod:`perfect_yatzy.policies.named`)."""
    return evaluate_named(*task)


@lru_cache(maxsize=2)
def _perfect(rules: RuleSet, tables: str) -> Strategy:
    return open_strategy(rules, tables, threads=1)


def sample_task(task: SampleTask) -> SampledGames:
    """Play the games of a task with a program that is started for them."""
    strategy = _perfect(task.rules, task.tables)
    with ProcessPlayer(task.command) as player:
        return sample_games(player, strategy, task.first, task.number, task.seed, task.card, threads=1)


def evaluate_on(
    engine: DaskEngine, policies: Sequence[str], rules: RuleSet, card: CardText | Scorecard = "",
    tables: str | os.PathLike[str] | None = None, games: int = 200, seed: int = 1,
) -> Iterator[tuple[int, str, Evaluation | SampledEvaluation]]:  # fmt: skip
    """Evaluate policies, each on one worker; as :func:`perfect_yatzy.evaluate`."""
    folder = str(tables_folder(tables).absolute())
    setting = Setting(rules, read_card(rules, card), folder, threads=1, games=games, seed=seed)
    open_strategy(rules, folder)  # solved once, here, and not by each worker
    files = [policy_file(policy) for policy in policies]
    paths = [str(Path(file).absolute()) if file else "" for file in files]
    tasks = [
        (policy.replace(file, path, 1) if file else policy, setting)
        for policy, file, path in zip(policies, files, paths, strict=True)
    ]
    with engine.seeing(folder, f"evaluation-{rules.fingerprint[:12]}"):
        for number, (title, found) in engine.map(evaluate_task, tasks):
            file, path = files[number], paths[number]
            yield number, title.replace(path, file) if file else title, found


def sample_on(
    engine: DaskEngine, command: str, strategy: Strategy, games: int = 200, seed: int = 1,
    start: CardText | Scorecard = "", *, tables: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> SampledEvaluation:  # fmt: skip
    """Let a program play games on the workers, which start it; as :func:`.policies.evaluation.sample`."""
    games = whole_number(games, "games")
    if games < 1:
        raise StateError(_("games is {games}; must be at least 1").format(games=games))
    folder, card = str(tables_folder(tables).absolute()), read_card(strategy.rules, start)
    size = -(-games // (engine.threads * TASKS_PER_THREAD))
    tasks = [
        SampleTask(command, strategy.rules, card, folder, seed, first, min(size, games - first))
        for first in range(0, games, size)
    ]
    with engine.seeing(folder, f"regrets-{strategy.rules.fingerprint[:12]}"):
        return summary(strategy, card, games, engine.play(sample_task, tasks, progress))
