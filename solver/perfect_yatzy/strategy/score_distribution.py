"""Describe distributions of whole scores: chances, moments, percentiles and chances to win.

    U(s) = product over opponents of P(theirs < s)          a tie is a loss
    U(s) = product over opponents of P(theirs <= s)         a tie is a win; "half" is the mean of both

A finished opponent is one score, and the chances are exact. An unfinished opponent is a
distribution: that of a player who is assumed to maximise the mean from that card on and to ignore
our score. Whoever maximises this utility again after each of their turns wins at least that often.
So the chances are lower bounds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeGuard

import numpy as np

from ..core.dice import Floats, Ints
from ..core.rules import RuleSet
from ..core.scoring import points_table
from ..core.state import State
from ..errors import StateError, shown
from ..game.limits import MAX_OPPONENTS, MAX_OPPONENTS_TEXT, check_length
from ..game.notation import parse_card
from ..game.notebook import histogram_bins, histogram_svg
from ..game.scorecard import Scorecard
from ..notebook import html_table
from ..objectives.scores import ScoreObjective, Utility
from ..words import _
from .metadata import metadata
from .strategy import check_position
from .tie_rules import clipped, tie_rule

BARS = 28  # most bins of a histogram in a notebook
# Layers whose distributions may be stored: the empty card, and the cards after the first turn.
EARLY_LAYERS = 2
PERCENTS = (5, 25, 50, 75, 95)
PERCENTILES = f"percentiles {', '.join(map(str, PERCENTS))}"  # the name of this figure


def scores_html(figures: list[tuple[str, str]], lowest: int, chances: Floats) -> str:
    """Return a summary and a histogram for notebooks.

    `chances` are those of the scores from `lowest` on.
    """
    return html_table((), figures) + histogram_svg(*histogram_bins(lowest, chances.tolist(), BARS))


def score_places(rules: RuleSet, start: State) -> ScoreObjective:
    """Return where P(s, x), the chance of x points in a state, lies.

    It lies as a utility would, whose values are not used.
    """
    return Utility(rules, lambda total: total.astype(np.float64), start)


@dataclass(frozen=True)
class CategoryResult:
    """Result of one category over all games."""

    category: str  # its id
    mean: float  # expected points of its box
    crossed_out: float  # chance that the box is filled with 0


@dataclass(frozen=True, repr=False)
class DiscreteDistribution:
    """A distribution over whole scores.

    The scores `(n,)` are ascending, and their chances sum to 1.
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

    def chance_against(self, other: DiscreteDistribution, tie: float = 0.5) -> float:
        """Return the chance that this score is higher than an independent one.

        `tie` is what equal scores count, from 0 to 1.
        """
        # chance of the k lowest scores, k from 0
        reached = np.concatenate([[0.0], np.cumsum(other.chances)])
        fewer, no_more = (
            reached[np.searchsorted(other.scores, self.scores, side)] for side in ("left", "right")
        )
        return clipped(float(self.chances @ ((1 - tie) * fewer + tie * no_more)))


def even_handicap(mine: DiscreteDistribution, theirs: DiscreteDistribution) -> tuple[int, float]:
    """Return the handicap that makes a game even, and the chance to win with it.

    The handicap is the whole number of points which, added to `mine`, brings the chance to win
    nearest to a half. It is negative if `theirs` need them. A tie counts as half a win.
    """

    def chance(points: int) -> float:
        return replace(mine, scores=mine.scores + points).chance_against(theirs)

    # The chance rises with the points, from 0 to 1.
    low = int(theirs.scores[0] - mine.scores[-1]) - 1
    high = int(theirs.scores[-1] - mine.scores[0]) + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if chance(middle) < 0.5 else (low, middle)
    # of equally near ones the smaller handicap
    points = min(high, low, key=lambda handicap: (abs(chance(handicap) - 0.5), abs(handicap)))
    return points, chance(points)


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
        What play maximises: ``mean``, or empty for another policy.
    """

    upper_bonus_chance: float
    categories: tuple[CategoryResult, ...]
    rules: RuleSet | None = field(default=None, compare=False)
    policy: str = field(default="", compare=False)

    def columns(self) -> dict[str, Any]:
        """Return the distribution as named columns, a row for each score: ``score`` and ``chance``."""
        return {"score": self.scores, "chance": self.chances}

    def metadata(self) -> dict[str, str]:
        """Return what identifies the distribution, as far as it is known.

        The entries are those of :func:`perfect_yatzy.strategy.metadata.metadata`.
        """
        return metadata(self.rules, self.policy)

    def figures(self) -> list[tuple[str, str]]:
        """Return the names and values of a summary."""
        figures = {"rules": self.rules.key} if self.rules else {}
        figures["mean"] = f"{self.mean:.2f}"
        figures["standard deviation"] = f"{self.standard_deviation:.2f}"
        figures["scores"] = f"{self.scores[0]} to {self.scores[-1]}"
        figures[PERCENTILES] = ", ".join(f"{self.percentile(percent)}" for percent in PERCENTS)
        if self.upper_bonus_chance:
            figures["upper bonus"] = f"{100 * self.upper_bonus_chance:.1f} %"
        return [*figures.items()]

    def __repr__(self) -> str:
        head = f"{self.rules.key}: " if self.rules else ""
        return f"<ScoreDistribution {head}mean {self.mean:.2f}, standard deviation {self.standard_deviation:.2f}>"

    def _repr_html_(self) -> str:
        return scores_html(self.figures(), int(self.scores[0]), self.chances)

    def at_least(self, score: int) -> float:
        """Return the probability of `score` or more, P(final score >= score)."""
        if score <= self.scores[0]:
            return 1.0
        return clipped(float(self.chances[self.scores >= score].sum()))

    def percentile(self, percent: float) -> int:
        """Return the smallest score s with P(final score <= s) >= percent / 100.

        `percent` is from 0 to 100; that of the median is 50.
        """
        cumulative = np.cumsum(self.chances)
        # The chances sum to 1 only to about 1e-12.
        place = int(np.searchsorted(cumulative, percent / 100 - 1e-12))
        return int(self.scores[min(place, len(cumulative) - 1)])


BONUS_POINTS = re.compile(r"(?<![\w-])(?:extra|bonus[-_]points)\s*[=:]\s*([0-9]{1,6})(?!\w)")
MAX_FINAL_SCORE = 99_999


@dataclass(frozen=True)
class Opponent(DiscreteDistribution):
    """The distribution of another player's final score."""

    playing: bool  # whether boxes are still open

    def cdf(self, scores: Ints) -> Floats:
        """Return the chance of at most each of `scores`, shaped as `scores`."""
        # chance of the k lowest scores, k from 0
        reached = np.concatenate([[0.0], np.cumsum(self.chances)])
        # By rounding the sum of all chances may miss 1. Only the highest score and those above it
        # are certain.
        reached = np.minimum(reached, np.nextafter(1.0, 0.0))
        reached[-1] = 1.0
        return np.asarray(reached[np.searchsorted(self.scores, scores, side="right")])


def finished(score: int) -> Opponent:
    """Return an opponent whose final score is known."""
    return Opponent(np.array([score]), np.ones(1), False)


def least_score(card: Scorecard) -> int:
    """Return the lowest final score a card can end with.

    Each open box has the lowest points that any roll gives.
    """
    least = points_table(card.rules).min(axis=1).tolist()  # by category
    points = dict(card.points)
    for c, box in enumerate(card.rules.categories):
        if c not in points:
            # A box that requires another may not pay at all.
            points[c] = 0 if box.requires else least[c]
    return replace(card, points=points).score


def parse_opponents(rules: RuleSet, given: str | Iterable[object]) -> list[int | Scorecard]:
    """Read opponents.

    They are final scores, also those of full cards, or checked cards of players who have not
    finished.

    They are given as text separated by semicolons (``251; ones=3 sixes=24; empty``), or as a list of
    such texts and of whole numbers. A card may contain bonus points: ``ones=3 yahtzee=50 extra=100``.
    Raises StateError for anything else, for none, and for too many.
    """
    entries = [given] if isinstance(given, str) else given
    opponents: list[int | Scorecard] = []
    too_many = StateError(_("there are more than {most} opponents", most=MAX_OPPONENTS))
    for number, entry in enumerate(entries):
        # Entries without any opponent count, too.
        if number == MAX_OPPONENTS:
            raise too_many
        if isinstance(entry, str):
            check_length(entry, MAX_OPPONENTS_TEXT, "opponents")
            parts = [*filter(None, map(str.strip, entry.split(";")))]
            opponents += [_parse_opponent(rules, part) for part in parts[: MAX_OPPONENTS + 1]]
        elif _is_final_score(entry):
            opponents.append(entry)
        else:
            raise _not_an_opponent(shown(entry))
        if len(opponents) > MAX_OPPONENTS:
            raise too_many
    if not opponents:
        raise StateError(_("no opponents given; give a final score such as 251, a card, or empty"))
    return opponents


def _is_final_score(entry: object) -> TypeGuard[int]:
    """Return whether an opponent is given as a possible final score."""
    if not isinstance(entry, int) or isinstance(entry, bool):
        return False
    return 0 <= entry <= MAX_FINAL_SCORE


def card_text(card: Scorecard) -> str:
    """Return a card as text that :func:`parse_opponents` reads."""
    bonus_points = f" extra={card.bonus_points}" if card.bonus_points else ""
    return f"{card}{bonus_points}" if card.points else "empty"


def _parse_opponent(rules: RuleSet, text: str) -> int | Scorecard:
    if re.fullmatch(r"[0-9]{1,5}", text):
        return int(text)
    if text == "empty":
        return Scorecard(rules)
    if "=" not in text and ":" not in text:
        raise _not_an_opponent(shown(text))
    bonus = BONUS_POINTS.search(text)
    bonus_points = int(bonus[1]) if bonus else 0
    card = parse_card(rules, BONUS_POINTS.sub(" ", text, count=1), bonus_points=bonus_points)
    check_position(rules, card.state)
    return card.score if card.state.filled == rules.full_mask else card


def _not_an_opponent(entry: str) -> StateError:
    text = _(
        "{entry} is not an opponent; give a final score such as 251, a card, or empty (several: 251; 260)"
    )
    return StateError(text.format(entry=entry))


class WinUtility:
    """The utility of a final score: the chance that it beats all opponents.

    `ties` says what a tie counts.
    """

    # The tolerance of interpolation, as part of a change. Answers are then a few millionths wrong at
    # most.
    tolerance = 2.5e-4

    def __init__(self, opponents: Sequence[Opponent], ties: str = "loss") -> None:
        if not opponents:
            raise StateError(_("opponents is empty; give at least one final score or card"))
        self.opponents = list(opponents)
        self.share = tie_rule(ties).share

    def __call__(self, scores: Ints) -> Floats:
        """Return the utility of each final score (int64), from 0 to 1, shaped as `scores`."""
        ahead = np.prod([other.cdf(scores - 1) for other in self.opponents], axis=0)
        not_behind = np.prod([other.cdf(scores) for other in self.opponents], axis=0)
        return np.asarray((1 - self.share) * ahead + self.share * not_behind)

    @property
    def goal(self) -> int | None:
        """The score to reach, if winning is the same as reaching one.

        That is so if all have finished and ties are not shared.
        """
        if 0 < self.share < 1 or any(other.playing for other in self.opponents):
            return None
        best = max(int(other.scores[-1]) for other in self.opponents)
        return best if self.share else best + 1  # a tie is enough, or one point more
