"""Simulate games under a strategy: all games play a turn, then all play the next.

How the games are played is in :mod:`.rollout`. The dice are a function of the seed, the game
number, the turn and the roll (:mod:`perfect_yatzy.core.dice`). Therefore the result does not depend
on the number of threads, game 7 is the same game however many are played, and two strategies can be
compared on the same dice (common random numbers), which lowers the variance of the difference.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..core.dice import Floats, Ints
from ..core.resources import thread_count
from ..core.rules import RuleSet
from ..core.state_space import state_space
from ..errors import StateError, positive_number, whole_number
from ..objectives.policy_quantities import Policy
from ..words import _
from .metadata import metadata
from .score_distribution import PERCENTILES, PERCENTS, scores_html
from .strategy import CheckedPosition, Position, Strategy, check_position, check_strategy

if TYPE_CHECKING:
    from .rollout import PlayedGames

# half the width of the 99 % interval of a normal distribution, in standard deviations
Z99 = 2.5758293035489004
CHUNK = 1_000_000  # games played at the same time, which bounds the memory


@dataclass(frozen=True, repr=False)
class Simulation:
    """Simulated games. Returned by :func:`simulate`.

    Attributes
    ----------
    rules : RuleSet
        Rules of the games.
    policy : str
        What the strategy maximises: ``mean``, ``goal:280`` (the chance of 280 points or more) or
        ``utility``; for another policy the name of its class.
    seed : int
        Seed of the dice.
    points_before : int
        Points on the card at the start.
    final_scores : (games,) int64
        Final score of each game: `points_before`, category points, upper bonus and bonus points.
    category_points : (games, categories) int16
        Points of each category, -1 where it was filled before the start.
    upper_bonus : (games,) int64
        Points of the upper bonus, 0 where it was missed.
    """

    rules: RuleSet
    policy: str
    seed: int
    points_before: int
    final_scores: Ints
    category_points: npt.NDArray[np.int16]
    upper_bonus: Ints

    @property
    def categories(self) -> tuple[str, ...]:
        """Ids of the categories, in the order of the columns of `category_points`."""
        return tuple(category.id for category in self.rules.categories)

    @property
    def bonus_points(self) -> Ints:
        """``(games,)`` int64: points of joker and first-roll bonuses since the start."""
        points = np.maximum(self.category_points, 0).sum(axis=1, dtype=np.int64)
        return np.asarray(self.final_scores - self.points_before - self.upper_bonus - points)

    @property
    def upper_bonus_chance(self) -> float:
        """Share of the games with the upper bonus."""
        return float((self.upper_bonus > 0).mean())

    @property
    def mean(self) -> float:
        """Mean of the final scores."""
        return float(self.final_scores.mean())

    @property
    def standard_deviation(self) -> float:
        """Sample standard deviation of the final scores, 0.0 for one game.

        It has n - 1 in the denominator.
        """
        return float(self.final_scores.std(ddof=1)) if len(self.final_scores) > 1 else 0.0

    @property
    def standard_error(self) -> float:
        """Standard error of the mean.

        It is the standard deviation over the square root of the number of games.
        """
        return self.standard_deviation / float(np.sqrt(len(self.final_scores)))

    def percentiles(self, percents: Sequence[float]) -> Floats:
        """Return percentiles of the final scores, ``(n,)`` float64.

        There is one for each of `percents`, which are from 0 to 100.

        They are interpolated linearly between final scores, as :func:`numpy.percentile` does.
        """
        return np.asarray(np.percentile(self.final_scores, percents))

    def figures(self) -> list[tuple[str, str]]:
        """Return the names and values of a summary."""
        finals = self.final_scores
        error = f" ± {self.standard_error:.2f}" if len(finals) > 1 else ""
        figures = {
            "rules": self.rules.key,
            "policy": self.policy,
            "games": f"{len(finals):,}",
            "seed": f"{self.seed}",
            "mean": f"{self.mean:.2f}{error}",
        }
        if len(finals) > 1:
            figures["standard deviation"] = f"{self.standard_deviation:.2f}"
            figures["scores"] = f"{finals.min()} to {finals.max()}"
            marks = self.percentiles(PERCENTS)
            figures[PERCENTILES] = ", ".join(f"{mark:.0f}" for mark in marks)
        if self.rules.bonus:
            figures["upper bonus"] = f"{100 * self.upper_bonus_chance:.1f} %"
        return [*figures.items()]

    def __repr__(self) -> str:
        figures = dict(self.figures())
        noun = "game" if len(self.final_scores) == 1 else "games"
        games = f"{figures['games']} {noun}"
        return f"<Simulation {self.rules.key}, {self.policy}: {games}, seed {self.seed}, mean {figures['mean']}>"

    def _repr_html_(self) -> str:
        lowest = int(self.final_scores.min())
        return scores_html(
            self.figures(), lowest, np.bincount(self.final_scores - lowest) / len(self.final_scores)
        )

    def columns(self) -> dict[str, npt.NDArray[Any]]:
        """Return the games as named columns of equal length, one row per game.

        CSV, Parquet and data frames contain these columns.

        ``game_number`` (from 0), ``points_before``, the id of every category that was open at the
        start, ``upper_bonus``, ``bonus_points`` and ``final_score``, which is the sum of all
        columns between the first and itself. The id of a category has no underscore, so the names
        are unique.
        """
        games = len(self.final_scores)
        boxes = zip(self.categories, self.category_points.T, strict=True)
        return {
            "game_number": np.arange(games),
            "points_before": np.full(games, self.points_before),
            # Boxes that were filled before the start have -1 in every game.
            **{category: points for category, points in boxes if points[0] >= 0},
            "upper_bonus": self.upper_bonus,
            "bonus_points": self.bonus_points,
            "final_score": self.final_scores,
        }

    def meanings(self) -> dict[str, str]:
        """Return what each of the :meth:`columns` says."""
        meanings = {c.id: f"points in the box {c.name}" for c in self.rules.categories}
        meanings |= {
            "game_number": "number of the game, from 0",
            "points_before": "points on the card at the start",
            "upper_bonus": "points of the upper bonus, 0 where it was missed",
            "bonus_points": "joker and first-roll bonuses since the start",
            "final_score": "the sum of all columns but the first",
        }
        return {name: meanings[name] for name in self.columns()}

    def metadata(self) -> dict[str, str]:
        """Return what identifies the games, and their ``seed``.

        The entries are those of :func:`perfect_yatzy.strategy.metadata.metadata`.
        """
        return metadata(self.rules, self.policy, seed=self.seed)


def wilson_interval(reached: float, games: int) -> tuple[float, float]:
    """Return the 99 % interval of a chance from the games that reached it.

    It is Wilson's score interval, which is good for small chances.
    """
    share = reached / games
    square = Z99 * Z99 / games
    middle = share + square / 2
    half = Z99 * sqrt(share * (1 - share) / games + square / (4 * games))
    return max(0.0, (middle - half) / (1 + square)), min(1.0, (middle + half) / (1 + square))


def check_seed(seed: int) -> int:
    """Check the seed of a simulation and return it.

    Raises StateError unless it is a whole number from 0 to 2**63 - 1.
    """
    if not 0 <= whole_number(seed, "seed") < 1 << 63:
        raise StateError(_("seed is {seed}; must be from 0 to 2**63 - 1", seed=seed))
    return seed


def simulate(  # noqa: PLR0913 - the published parameters
    strategy: Strategy | Policy,
    games: int,
    seed: int = 1,
    start: Position | None = None,
    threads: int | None = None,
    *,
    points: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Simulation:
    """Play games under a policy, or under a strategy that has a table.

    All else is as for :func:`perfect_yatzy.simulate`.
    """
    games, checked = checked_games(strategy, games, seed, start, points)
    from .rollout import rollout_of

    rollout = rollout_of(strategy, checked, thread_count(threads))
    begins = range(0, games, CHUNK)  # the first game of each chunk
    parts: list[PlayedGames] = []

    def report(turn: int) -> None:
        """Report the progress after a turn of the chunk that follows those in `parts`."""
        if progress:
            progress(len(parts) * rollout.turns + turn, len(begins) * rollout.turns)

    for first in begins:
        parts.append(rollout.play(min(CHUNK, games - first), first, seed, report))
    return joined_games(strategy, seed, checked.points, parts)


def checked_games(
    strategy: Strategy | Policy, games: int, seed: int, start: Position | None, points: int | None
) -> tuple[int, CheckedPosition]:
    """Return the number of games and the checked position of :func:`simulate`.

    The points of the position are those before the start.
    """
    if not callable(getattr(strategy, "layer", None)):  # no policy
        check_strategy(strategy)
    games = positive_number(games, "games")
    check_seed(seed)
    if isinstance(strategy, Strategy):
        checked = strategy.check_start(start)
    else:
        space = state_space(strategy.rules, strategy.start)
        checked = check_position(strategy.rules, strategy.start if start is None else start, space)
    if points is not None:
        checked = checked._replace(points=whole_number(points, "points"))
    return games, checked


def joined_games(
    strategy: Strategy | Policy,
    seed: int,
    points_before: int,
    parts: Sequence[PlayedGames],
) -> Simulation:
    """Return the simulation of consecutive parts, each as :meth:`Rollout.play` returns it."""
    points_made = np.concatenate([part.points for part in parts])
    upper_bonus = np.concatenate([part.upper_bonus for part in parts])
    final_scores = points_before + points_made + upper_bonus
    policy = strategy.policy if isinstance(strategy, Strategy) else type(strategy).__name__
    return Simulation(
        rules=strategy.rules,
        policy=policy,
        seed=seed,
        points_before=points_before,
        final_scores=final_scores,
        category_points=np.concatenate([part.category_points for part in parts]),
        upper_bonus=upper_bonus,
    )
