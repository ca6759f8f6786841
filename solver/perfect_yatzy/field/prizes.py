"""The utility of a final score in a field of opponents whose cards one cannot see.

Each of N opponents has an independent final score with the same distribution. With M = N + 1
players, T the chance that an opponent has more than s points, p the chance of exactly s, and
b(i, t) = C(M, i) t^i (1 - t)^(M - i), a player with s points wins on average::

    U(s) = sum over i of (b(i, T) - b(i, T + p)) V(i) / (M p)      V(i) = prizes from place i + 1 on

Players with equal scores share the prizes of their places. That is the same as to draw their order
by lot: the player is then ahead of an opponent who ties in a share u of the cases, u uniform, so
that U is the mean over u of the sum of prize(j + 1) P(j of N are ahead), each with the chance
T + u p. This integral is the sum above. For one prize it is the chance to win, the sum over k of
C(N, k) p^k F^(N - k) / (k + 1) with F the chance of less than s points.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import log

import numpy as np

from ..core.dice import Floats, Ints
from ..errors import StateError, shown
from ..strategy.score_distribution import DiscreteDistribution
from ..words import _, span

MAX_FIELD = 1_000_000_000  # opponents
MAX_PLACES = 1_000  # with prizes
NEVER = -1e30  # in place of the logarithm of 0, which must not be multiplied by 0


def check_field(opponents: int, places: int) -> None:
    """Raise StateError unless there can be so many opponents, and so many of the players win."""
    if not 1 <= opponents <= MAX_FIELD:
        text = _("{count} opponents; it must be {span}", count=opponents, span=span(1, MAX_FIELD))
        raise StateError(text, field="field")
    most = min(opponents, MAX_PLACES)
    if not 1 <= places <= most:
        text = _("places is {value}; it must be {span}", value=shown(places), span=span(1, most))
        raise StateError(text, field="places")


class FieldUtility:
    """What a final score wins on average against a field.

    The scores of `opponents` players have the distribution `law`. `prizes` are those of the first
    places. For the chance to win there is one prize, of 1.
    """

    # The tolerance of interpolation, as part of a change. Errors of answers are then a few
    # millionths at most.
    tolerance = 2.5e-4
    goal = None  # there is no score to reach

    def __init__(
        self, law: DiscreteDistribution, opponents: int, prizes: Sequence[float] = (1.0,)
    ) -> None:
        check_field(opponents, len(prizes))
        self.law = law
        self.opponents = opponents
        # (prizes,): entry i is the V(i) of the module, the sum of the prizes from entry i on
        self.from_place = np.cumsum(np.asarray(prizes, dtype=np.float64)[::-1])[::-1]

    def __call__(self, scores: Ints) -> Floats:
        """Return the utility of each final score (int64), in the shape of `scores`."""
        different, place = np.unique(scores, return_inverse=True)
        return np.asarray(self._utility(different)[place].reshape(np.shape(scores)))

    def _utility(self, scores: Ints) -> Floats:
        """Return the utility of different scores, ``(n,)``."""
        chances = self.law.chances
        # Both sums begin with the smallest chances, so that they are exact where they are small.
        of_lowest = np.concatenate([[0.0], np.cumsum(chances)])  # of the k lowest scores
        of_others = np.concatenate([np.cumsum(chances[::-1])[::-1], [0.0]])  # of all but those
        # How many scores of the law are less, and how many are at most as high.
        fewer = np.searchsorted(self.law.scores, scores, "left")
        at_most = np.searchsorted(self.law.scores, scores, "right")
        more = np.minimum(of_others[at_most], 1.0)  # chance of more than the score
        no_more = of_lowest[at_most]  # chance of at most the score
        with np.errstate(divide="ignore"):
            log_no_more = np.where(more < 0.5, np.log1p(-np.minimum(more, 0.5)), np.log(no_more))
            log_more = np.log(more)
        # The limit NEVER keeps a chance of 0 at 0, and finite if it is raised to the power 0.
        log_no_more = np.maximum(log_no_more, NEVER)
        log_more = np.maximum(log_more, NEVER)
        is_in_law = at_most > fewer
        tied = np.append(chances, 0.0)[fewer] * is_in_law  # chance of exactly the score
        utilities = np.zeros(len(scores))
        can_tie = tied > 0
        utilities[can_tie] = self._shared(
            log_more[can_tie],
            log_no_more[can_tie],
            more[can_tie],
            no_more[can_tie],
            tied[can_tie],
        )
        utilities[~can_tie] = self._alone(log_more[~can_tie], log_no_more[~can_tie])
        return np.clip(utilities, 0.0, self.from_place[0])  # against rounding

    def _shared(
        self, log_more: Floats, log_no_more: Floats, more: Floats, no_more: Floats, tied: Floats
    ) -> Floats:
        """Return U of scores that opponents can have, by the formula of the module.

        There `more` is T, `no_more` is 1 - T, and `tied` is p.
        """
        players = self.opponents + 1
        is_best = more == 0  # no opponent can have more
        total = np.zeros(len(tied))
        # `rise` and `fall` are changes of the logarithms of t and 1 - t, from t = T to T + p.
        rise = np.where(is_best, 0.0, np.log1p(tied / np.where(is_best, 1.0, more)))
        with np.errstate(divide="ignore"):
            fall = np.maximum(np.log1p(-np.minimum(tied / no_more, 1.0)), NEVER)
        for i, log_choices in enumerate(_log_choices(players, len(self.from_place))):
            # `before` and `after` are the logarithms of b(i, T) and b(i, T + p).
            before = log_choices + i * log_more + (players - i) * log_no_more
            change = i * rise + (players - i) * fall
            after = before + change
            if i > 0:  # for T = 0 the logarithm of t begins at minus infinity
                after = np.where(is_best, log_choices + i * np.log(tied) + change, after)
            # The difference of nearly equal chances is computed without cancellation.
            near = (change < 1) & ~(is_best & (i > 0))
            gap = np.exp(before) - np.exp(after)
            gap[near] = -np.exp(before[near]) * np.expm1(change[near])
            total += self.from_place[i] * gap
        return total / (players * tied)

    def _alone(self, log_more: Floats, log_no_more: Floats) -> Floats:
        """Return U of scores that no opponent can have, by the chances of the places."""
        prizes = -np.diff(self.from_place, append=0.0)
        total = np.zeros(len(log_more))
        for i, log_choices in enumerate(_log_choices(self.opponents, len(prizes))):
            total += prizes[i] * np.exp(
                log_choices + i * log_more + (self.opponents - i) * log_no_more
            )
        return total


def _log_choices(number: int, count: int) -> Iterator[float]:
    """Yield the logarithms of C(number, i), for i from 0 to `count` - 1."""
    log_choices = 0.0
    for i in range(count):
        if i > 0:
            log_choices += log((number - i + 1) / i)
        yield log_choices
