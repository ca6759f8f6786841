"""How good a player is, estimated from sampled games, with the luck removed.

The final score of a game is what perfect play expects at the start, plus the luck of each roll, minus what each
decision loses (:mod:`perfect_yatzy.play.review`)::

    score = V(start) + luck - losses,        the mean of the luck is 0

So V(start) - (mean losses) is an unbiased estimate of the mean score, and a far narrower one than the mean of the
scores: most of the spread of the scores is luck.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..errors import StateError, whole_number
from ..game.dice import Floats, Ints
from ..game.legal_actions import start_turn
from ..game.notation import CardText
from ..game.rules import RuleSet
from ..game.scorecard import Scorecard
from ..strategy.played_games import Player, play_games
from ..strategy.strategy import Strategy
from ..strategy.turn_evaluator import ScoreEvaluator
from ..tablebase.store import Progress


@dataclass(frozen=True, repr=False)
class SampledEvaluation:
    """An estimate of how good a player is. Returned by :func:`perfect_yatzy.evaluate`.

    Attributes
    ----------
    rules : RuleSet
    perfect_mean : float
        Mean final score under perfect play.
    scores : (games,) int64
        Final score of each game.
    losses : (games,) float64
        Points lost in each game against perfect play.
    hold_losses : (rerolls,) float64
        Mean points lost in a game by decisions with 1, 2, ... rerolls left: holds, and turns that end early.
    category_loss : float
        Mean points lost in a game by the choice of categories after the last roll.
    """

    rules: RuleSet
    perfect_mean: float
    scores: Floats
    losses: Floats
    hold_losses: Floats
    category_loss: float

    def __repr__(self) -> str:
        mean = f"mean {self.mean:.2f} ± {self.standard_error:.2f} (standard error), luck removed"
        return f"<SampledEvaluation {self.rules.key}: {self.games:,} games, {mean}>"

    @property
    def games(self) -> int:
        """Number of games."""
        return len(self.scores)

    @property
    def mean(self) -> float:
        """Mean final score with the luck removed, in points."""
        return self.perfect_mean - float(self.losses.mean())

    @property
    def loss(self) -> float:
        """Points a game the player gives away against perfect play."""
        return self.perfect_mean - self.mean

    @property
    def standard_error(self) -> float:
        """Standard error of :attr:`mean` and of :attr:`loss`; NaN for one game."""
        return _standard_error(self.losses)

    @property
    def plain_mean(self) -> float:
        """Mean of the final scores."""
        return float(self.scores.mean())

    @property
    def plain_standard_error(self) -> float:
        """Standard error of :attr:`plain_mean`; NaN for one game."""
        return _standard_error(self.scores)


def _standard_error(values: Floats) -> float:
    return float(values.std(ddof=1) / len(values) ** 0.5) if len(values) > 1 else float("nan")


def sample(
    player: Player,
    strategy: Strategy,
    games: int = 200,
    seed: int = 1,
    start: CardText | Scorecard = "",
    *,
    threads: int | None = None,
    progress: Progress | None = None,
) -> SampledEvaluation:
    """Let a player play games, and compare its decisions with perfect play."""
    number = whole_number(games, "games")
    if number < 1:
        raise StateError(f"games is {number}; must be at least 1")
    return summary(
        strategy, start, number, [sample_games(player, strategy, 0, number, seed, start, threads, progress)]
    )


@dataclass(frozen=True)
class SampledGames:
    """Consecutive games of a player. Made by :func:`sample_games`."""

    scores: Floats  # (games,) float64: Final scores
    game: Ints  # (decisions,) int64: Number of the game, from 0 in all games, and rerolls left at each decision
    rolls_left: Ints  # (decisions,) int64
    lost: Floats  # (decisions,) float64: What the decision loses against perfect play, in points


def sample_games(
    player: Player,
    strategy: Strategy,
    first: int,
    number: int,
    seed: int,
    start: CardText | Scorecard = "",
    threads: int | None = None,
    progress: Progress | None = None,
) -> SampledGames:
    """Play the games `first` to ``first + number - 1`` of :func:`sample`, which has the other parameters."""
    if isinstance(strategy.evaluator, ScoreEvaluator):
        raise StateError("the comparison needs the strategy of the mean")
    played = play_games(player, start_turn(strategy.rules, start), first, number, seed, progress=progress)
    columns = played.columns()
    game, _points = columns.pop("game"), columns.pop("points")
    lost = strategy.regrets(actions=columns.pop("action"), threads=threads, **columns)
    return SampledGames(played.scores, game, columns["rolls_left"], np.asarray(lost))


def summary(
    strategy: Strategy, start: CardText | Scorecard, games: int, parts: Sequence[SampledGames]
) -> SampledEvaluation:
    """The evaluation of all games from consecutive parts of them."""
    scores, game, left, lost = (
        np.concatenate([getattr(part, name) for part in parts]) for name in ("scores", "game", "rolls_left", "lost")
    )
    most = max(int(left.max()), strategy.rules.rolls_per_turn - 1)
    by_left: Floats = np.bincount(left, lost, most + 1) / games
    losses = np.bincount(game, lost, games).astype(np.float64)
    card = start_turn(strategy.rules, start).card
    assert isinstance(card, Scorecard)
    return SampledEvaluation(
        strategy.rules, card.total + strategy.value(start), scores, losses, by_left[1:], float(by_left[0])
    )
