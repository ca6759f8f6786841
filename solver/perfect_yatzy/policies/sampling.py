"""How good a player is, estimated from sampled games, with the luck removed.

The final score of a game is what perfect play expects at the start, plus the luck of each roll, minus what each
decision loses (:mod:`perfect_yatzy.play.review`)::

    score = V(start) + luck - losses,        the mean of the luck is 0

So V(start) - (mean losses) is an unbiased estimate of the mean score, and a far narrower one than the mean of the
scores: most of the spread of the scores is luck.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass

import numpy as np

from ..errors import StateError, whole_number
from ..game.action_numbers import hold_count
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
class Losses:
    """Expected points a policy gives away against perfect play.

    Attributes
    ----------
    holds : (turns, rerolls) float64
        By turn, and by holds with 1, 2, ... rerolls left. To end a turn too early counts as a hold.
    categories : (turns, categories) float64
        By turn, and by the category that was filled instead of the best one.
    """

    holds: Floats
    categories: Floats

    def __repr__(self) -> str:
        holds, boxes = self.holds.sum(), self.categories.sum()
        return f"<Losses: {self.total:.2f} points a game, {holds:.2f} by holds, {boxes:.2f} by categories>"

    @property
    def total(self) -> float:
        """All points given away in a game."""
        return float(self.holds.sum() + self.categories.sum())

    @property
    def by_turn(self) -> Floats:
        """``(turns,)`` float64: points given away in each turn."""
        return np.asarray(self.holds.sum(axis=1) + self.categories.sum(axis=1))


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
    game_losses : (games,) float64
        Points lost in each game against perfect play.
    losses : Losses
        Where they are lost, in the mean of the games.
    """

    rules: RuleSet
    perfect_mean: float
    scores: Floats
    game_losses: Floats
    losses: Losses

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
        return self.perfect_mean - float(self.game_losses.mean())

    @property
    def loss(self) -> float:
        """Points a game the player gives away against perfect play."""
        return self.perfect_mean - self.mean

    @property
    def standard_error(self) -> float:
        """Standard error of :attr:`mean` and of :attr:`loss`; NaN for one game."""
        return _standard_error(self.game_losses)

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
    game: Ints  # (decisions,) int64: Number of the game, from 0 in all games
    turn: Ints  # (decisions,) int64: Number of the turn, from 0 for an empty card
    rolls_left: Ints  # (decisions,) int64: Rerolls left
    action: Ints  # (decisions,) int64: Number of the action
    lost: Floats  # (decisions,) float64: What the decision loses against perfect play, in points
    by_category: Floats  # (decisions,) float64: The part of it that the category loses against the best category


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
    game, action, _points = columns.pop("game"), columns.pop("action"), columns.pop("points")
    lost = strategy.regrets(actions=action, threads=threads, **columns)
    turn = np.array([each.position.state.filled.bit_count() for each in played.decisions])
    left, holds = columns["rolls_left"], hold_count(strategy.rules)
    by_category = np.where(left > 0, 0.0, lost)
    if len(early := np.flatnonzero((left > 0) & (action >= holds))):
        stops = strategy.options(**{name: column[early] for name, column in columns.items()}, threads=threads)
        values = stops.values[:, holds:]
        by_category[early] = values.max(axis=1) - values[np.arange(len(early)), action[early] - holds]
    return SampledGames(played.scores, game, turn, left, action, np.asarray(lost), by_category)


def summary(
    strategy: Strategy, start: CardText | Scorecard, games: int, parts: Sequence[SampledGames]
) -> SampledEvaluation:
    """The evaluation of all games from consecutive parts of them."""
    scores, game, turn, left, action, lost, by_category = (
        np.concatenate(each) for each in zip(*map(astuple, parts), strict=True)
    )
    position, rules = start_turn(strategy.rules, start), strategy.rules
    card, begun = position.card, position.state.filled.bit_count()
    assert isinstance(card, Scorecard)
    first, most, boxes = hold_count(rules), max(int(left.max()), rules.rolls_per_turn - 1), len(rules.categories)
    holds, categories = np.zeros((boxes - begun, most)), np.zeros((boxes - begun, boxes))
    for table, rows, column, points in (
        (holds, left > 0, left - 1, lost - by_category), (categories, action >= first, action - first, by_category)
    ):  # fmt: skip
        np.add.at(table, (turn[rows] - begun, column[rows]), points[rows] / games)
    losses = np.bincount(game, lost, games).astype(np.float64)
    return SampledEvaluation(rules, card.total + strategy.value(start), scores, losses, Losses(holds, categories))
