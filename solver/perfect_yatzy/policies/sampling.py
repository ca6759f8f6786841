"""How good a player is, estimated from sampled games, with the luck removed.

The final score of a game is what perfect play expects at the start, plus the luck of each roll, minus what each
decision loses (:mod:`perfect_yatzy.play.review`)::

    score = V(start) + luck - losses,        the mean of the luck is 0

So V(start) - (mean losses) is an unbiased estimate of the mean score, and a far narrower one than the mean of the
scores: most of the spread of the scores is luck.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass, replace
from random import Random
from typing import Protocol

import numpy as np

from ..errors import SolverError, StateError, whole_number
from ..game.action_numbers import ActionText
from ..game.dice import Dice, Floats, Ints
from ..game.legal_actions import TurnPosition, start_turn
from ..game.notation import CardText
from ..game.rules import RuleSet
from ..game.scorecard import Scorecard
from ..strategy.strategy import Strategy
from ..strategy.turn_evaluator import ScoreEvaluator
from ..tablebase.store import Progress

Player = Callable[[TurnPosition], ActionText]


class Actor(Protocol):
    """A player as an object."""

    def act(self, position: TurnPosition) -> ActionText:
        """The dice to hold, or the name of a category."""


@dataclass(frozen=True)
class _Decision:
    """One decision, as a row of a batch."""

    game: int
    filled: int
    upper: int
    dice: Dice
    rolls_left: int
    saved: int
    joker_paid: bool
    action: ActionText


@dataclass(frozen=True)
class SampledEvaluation:
    """An estimate of how good a player is. Returned by :func:`sample`."""

    rules: RuleSet
    perfect_mean: float  # mean final score under perfect play
    scores: Floats  # (games,) int64: Final score of each game
    losses: Floats  # (games,) float64: Points lost in each game against perfect play
    # (rerolls,) float64: Mean points lost in a game by decisions with 1, 2, ... rerolls left: holds, and turns that
    # end early
    hold_losses: Floats
    category_loss: float  # mean points lost in a game by the choice of categories after the last roll

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
        """Standard error of :attr:`mean`; NaN for one game."""
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
    begin = start_turn(strategy.rules, start)
    decisions: list[_Decision] = []
    scores = np.empty(number)
    for game in range(first, first + number):
        dice, position = Random(f"{seed}/{game}"), begin
        while not position.over:
            position = position.roll(dice)
            action, state = _asked(player, position, game), position.state
            try:
                after = position.apply(action)
            except SolverError as error:
                raise StateError(f"{_place(position, game)}: {error}") from error
            row = (game, state.filled, state.upper, position.dice, position.rolls_left)
            decisions.append(_Decision(*row, state.saved, state.joker_paid, action))
            position = after
        assert isinstance(position.card, Scorecard)
        scores[game - first] = position.card.score
        if progress:
            progress(game - first + 1, number)
    columns = _Decision(*map(list, zip(*map(astuple, decisions), strict=True)))  # type: ignore[arg-type]
    lost = strategy.regrets(
        columns.filled, columns.upper, columns.dice, columns.rolls_left, columns.action,
        columns.saved, columns.joker_paid, threads,
    )  # fmt: skip
    return SampledGames(scores, np.array(columns.game), np.array(columns.rolls_left), np.asarray(lost))


def _asked(player: Player, position: TurnPosition, game: int) -> ActionText:
    """The action of a player; one that holds all dice is asked again, for the category."""
    try:
        action = player(position)
        is_hold = isinstance(action, Sequence) and not isinstance(action, str)
        if is_hold and position.rolls_left and tuple(sorted(action)) == position.dice:
            action = player(replace(position, rolls_left=0))
        return action
    except Exception as error:
        if not isinstance(error, SolverError):
            error.add_note(_place(position, game))
        raise


def _place(position: TurnPosition, game: int) -> str:
    dice = "".join(map(str, position.dice))
    return f"game {game + 1}, card {str(position.card) or 'empty'}, dice {dice}, {position.rolls_left} rerolls left"


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
