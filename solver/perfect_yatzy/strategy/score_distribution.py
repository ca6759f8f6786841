"""Distributions of whole scores: chances, moments, percentiles."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..game.dice import Floats, Ints


@dataclass(frozen=True)
class CategoryResult:
    """Result of one category over all games.

    Attributes
    ----------
    category : str
        Id of the category.
    mean : float
        Expected points of its box.
    crossed_out : float
        Chance that the box is filled with 0.
    """

    category: str
    mean: float
    crossed_out: float


@dataclass(frozen=True)
class DiscreteDistribution:
    """A distribution over whole scores.

    Attributes
    ----------
    scores : (n,) int64
        Scores in ascending order.
    chances : (n,) float64
        Probability of each score; they sum to 1.
    """

    scores: Ints
    chances: Floats

    @property
    def mean(self) -> float:
        """Mean score, in points."""
        return float(self.scores @ self.chances)

    @property
    def standard_deviation(self) -> float:
        """Standard deviation of the score, in points."""
        return float(np.sqrt(np.maximum(0.0, (self.scores - self.mean) ** 2 @ self.chances)))


@dataclass(frozen=True)
class ScoreDistribution(DiscreteDistribution):
    """Distribution of the final score. Returned by :func:`distribution`.

    Attributes
    ----------
    scores : (n,) int64
        Consecutive final scores, ascending; points on the starting card are included.
    chances : (n,) float64
        Probability of each final score; they sum to 1 (to about 1e-12).
    upper_bonus_chance : float
        Probability of the upper bonus, 0 if the rules have none.
    categories : tuple of CategoryResult
        Results of the categories that are open at the start, in the order of the sheet.
    """

    upper_bonus_chance: float
    categories: tuple[CategoryResult, ...]

    def at_least(self, score: int) -> float:
        """Probability of `score` or more, P(final score >= score)."""
        if score <= self.scores[0]:
            return 1.0
        return min(1.0, float(self.chances[self.scores >= score].sum()))

    def percentile(self, percent: float) -> int:
        """Smallest score s with P(final score <= s) >= percent / 100.

        Parameters
        ----------
        percent
            From 0 to 100; 50 gives the median.
        """
        cumulative = np.cumsum(self.chances)
        place = int(np.searchsorted(cumulative, percent / 100 - 1e-12))
        return int(self.scores[min(place, len(cumulative) - 1)])
