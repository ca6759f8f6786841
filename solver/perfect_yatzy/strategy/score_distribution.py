"""Distributions of whole scores: chances, moments, percentiles."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..game.dice import Floats, Ints
from ..game.notebook import histogram_bins, histogram_svg, html_table
from ..game.rules import RuleSet
from ..game.scorecard import State
from ..model.objectives import ScoreObjective, Utility
from .metadata import metadata

BARS = 28  # most bins of a histogram in a notebook
EARLY_LAYERS = 2  # whose distributions may be stored: the empty card, and the cards after the first turn
PERCENTS = (5, 25, 50, 75, 95)


def scores_html(figures: list[tuple[str, str]], lowest: int, chances: Floats) -> str:
    """A summary and a histogram for notebooks; `chances`: of the scores from `lowest` on."""
    return html_table((), figures) + histogram_svg(*histogram_bins(lowest, chances.tolist(), BARS))


def score_places(rules: RuleSet, start: State) -> ScoreObjective:
    """Where P(s, x), the chance of x points in a state, lies: as a utility, whose values are not used."""
    return Utility(rules, lambda total: total.astype(np.float64), start)


@dataclass(frozen=True)
class CategoryResult:
    """Result of one category over all games."""

    category: str  # its id
    mean: float  # expected points of its box
    crossed_out: float  # chance that the box is filled with 0


@dataclass(frozen=True, repr=False)
class DiscreteDistribution:
    """A distribution over whole scores: ``(n,)`` ascending scores, and their chances, which sum to 1."""

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

    def chance_against(self, other: DiscreteDistribution, tie: float = 0.5) -> float:
        """Chance that this score is higher than an independent one; `tie`: what equal scores count, from 0 to 1."""
        reached = np.concatenate([[0.0], np.cumsum(other.chances)])
        fewer, no_more = (reached[np.searchsorted(other.scores, self.scores, side)] for side in ("left", "right"))
        return float(self.chances @ ((1 - tie) * fewer + tie * no_more))

    def columns(self) -> dict[str, Any]:
        """The distribution as named columns, a row for each score: ``score`` and ``chance``."""
        return {"score": self.scores, "chance": self.chances}

    def metadata(self) -> dict[str, str]:
        """What identifies the distribution (:func:`perfect_yatzy.strategy.metadata.metadata`), as far as known."""
        return metadata(None, "")

    def figures(self) -> list[tuple[str, str]]:
        """Names and values of a summary."""
        return [
            ("mean", f"{self.mean:.2f}"),
            ("standard deviation", f"{self.standard_deviation:.2f}"),
            ("scores", f"{self.scores[0]} to {self.scores[-1]}"),
        ]

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {', '.join(' '.join(figure) for figure in self.figures())}>"

    def _repr_html_(self) -> str:
        chances = np.zeros(int(self.scores[-1] - self.scores[0]) + 1)
        chances[self.scores - self.scores[0]] = self.chances
        return scores_html(self.figures(), int(self.scores[0]), chances)


@dataclass(frozen=True, repr=False)
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
    rules : RuleSet or None
        Rules of the games, for displays and metadata.
    policy : str
        What play maximises: ``mean``; empty if it is another policy.
    """

    upper_bonus_chance: float
    categories: tuple[CategoryResult, ...]
    rules: RuleSet | None = field(default=None, compare=False)
    policy: str = field(default="", compare=False)

    def metadata(self) -> dict[str, str]:
        """What identifies the distribution (:func:`perfect_yatzy.strategy.metadata.metadata`), as far as known."""
        return metadata(self.rules, self.policy)

    def figures(self) -> list[tuple[str, str]]:
        """Names and values of a summary."""
        marks = ", ".join(f"{self.percentile(percent)}" for percent in PERCENTS)
        bonus = [("upper bonus", f"{100 * self.upper_bonus_chance:.1f} %")] if self.upper_bonus_chance else []
        named = [("rules", self.rules.key)] if self.rules else []
        percents = ", ".join(map(str, PERCENTS))
        return [*named, *super().figures(), (f"percentiles {percents}", marks), *bonus]

    def __repr__(self) -> str:
        head = f"{self.rules.key}: " if self.rules else ""
        return f"<ScoreDistribution {head}mean {self.mean:.2f}, standard deviation {self.standard_deviation:.2f}>"

    def at_least(self, score: int) -> float:
        """Probability of `score` or more, P(final score >= score)."""
        if score <= self.scores[0]:
            return 1.0
        return min(1.0, float(self.chances[self.scores >= score].sum()))

    def percentile(self, percent: float) -> int:
        """Smallest score s with P(final score <= s) >= percent / 100; `percent` is from 0 to 100, 50 the median."""
        cumulative = np.cumsum(self.chances)
        place = int(np.searchsorted(cumulative, percent / 100 - 1e-12))
        return int(self.scores[min(place, len(cumulative) - 1)])
