"""A fitted value function: the expected points to come of any card, without a table of all cards.

With S the open boxes, z their indicators, t their number, u the upper sum and x a few more features of the state::

    V(S, u) = sum of the prices of S + W(g(S), u) + min(0, theta_t + b_t.z + z'Q_t z / 2 + x.(e_t + L_t z))

W is the table of a relaxed game (:mod:`perfect_yatzy.model.relaxed_game`) that remembers of S only g(S); prices and W
alone are an upper bound, which no value exceeds: cards that play never visited cannot be overestimated without limit.
The other terms are fitted to one-turn backups at states that play visits
(:mod:`perfect_yatzy.approximation.fit`). The features x are:

- for each upper bonus what the upper sum is worth in W, ``W(g, u) - W(g, 0)``, relative to the whole bonus, and its
  square; if W does not remember the sum, the sum itself relative to the threshold, and its square;
- the rolls saved, and their square, if the rules have saved rolls;
- whether the tracked box (:attr:`.RuleSet.tracked_index`) holds points.

A full card is worth its upper bonuses, exactly. NumPy only: a question loads no compiled code.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
import numpy.typing as npt

from ..errors import RulesError
from ..game.dice import Floats, Ints
from ..game.rules import RuleSet
from ..game.upper_sums import upper_sums
from ..model.turn_slots import allowed_boxes, open_boxes, turn_slots

NOT_ALLOWED = -1e30  # the child value of a slot that a state cannot reach: below every value, and finite
MAX_BOXES = 62  # cards are int64 bitmasks


class Relaxation(Protocol):
    """The relaxed game whose values are W (:class:`perfect_yatzy.model.relaxed_game.RelaxedGame`)."""

    bonus_column: int  # the column whose upper sum W remembers, or -1

    def index(self, filled: Ints, upper: Ints, saved: Ints, tracked: Ints) -> Ints:
        """Places of states in W, ``(n,)`` int64."""
        ...


@dataclass(frozen=True)
class FittedValues:
    """Expected points to come of any card of a game.

    Attributes
    ----------
    rules : RuleSet
    prices : (categories,) float64
        What an open box is worth in the relaxed game.
    coefficients : (categories + 1, features) float64
        By number of open boxes: theta, b, the upper triangle of Q by rows, e, L by rows. Row 0 is not used.
    relaxed : RelaxedGame or None
        Tells where a state lies in `relaxed_values`; None: W is zero.
    relaxed_values : (size,) float64
        W, in points; empty without a relaxed game.
    """

    rules: RuleSet
    prices: Floats
    coefficients: Floats
    relaxed: Relaxation | None
    relaxed_values: Floats

    def __post_init__(self) -> None:
        n = len(self.rules.categories)
        if n > MAX_BOXES:
            raise RulesError(f"{self.rules.key} has {n} boxes; at most {MAX_BOXES} can be fitted", code="too-large")
        assert self.prices.shape == (n,)
        assert self.coefficients.shape == (n + 1, feature_count(self.rules))

    def values(
        self, filled: npt.ArrayLike, upper: npt.ArrayLike, saved: npt.ArrayLike, tracked: npt.ArrayLike
    ) -> Floats:
        """Values of n states; scalars are repeated.

        Parameters
        ----------
        filled : (n,) int
            Bitmasks of filled categories.
        upper : (n,) int
            Upper sums as in :class:`perfect_yatzy.State`, capped.
        saved : (n,) int
            Rolls saved.
        tracked : (n,) int or bool
            Whether the tracked box holds points.

        Returns
        -------
        (n,) float64
            Expected points to come, upper bonuses included; of a full card its upper bonuses.
        """
        given = [np.atleast_1d(np.asarray(field, dtype=np.int64)) for field in (filled, upper, saved, tracked)]
        states = [np.ascontiguousarray(field) for field in np.broadcast_arrays(*given)]
        turns = open_boxes(self.rules, states[0]).sum(axis=1)
        found = np.empty(len(turns))
        for t in np.unique(turns).tolist():
            rows = np.flatnonzero(turns == t)
            part = [field[rows] for field in states]
            if t == 0:
                found[rows] = upper_sums(self.rules).bonuses(part[1])
            else:
                bound, features = self.features(*part)
                found[rows] = self._bounded(bound + features @ self.coefficients[t], bound)
        return found

    def features(self, filled: Ints, upper: Ints, saved: Ints, tracked: Ints) -> tuple[Floats, Floats]:
        """What the relaxed game says of n states, ``(n,)``, and the features ``(n, features)`` that correct it."""
        z = open_boxes(self.rules, filled).astype(np.float64)
        relaxed, x = self._relaxed_and_extras(filled, upper, saved, tracked)
        rows, columns = self._pairs
        parts = [
            np.ones((len(z), 1)),
            z,
            z[:, rows] * z[:, columns],
            x,
            (x[:, :, None] * z[:, None, :]).reshape(len(z), -1),
        ]
        return z @ self.prices + relaxed, np.concatenate(parts, axis=1)

    def feature_sums(self, filled: Ints, upper: Ints, saved: Ints, tracked: Ints, weights: Floats) -> Floats:
        """Weighted sum of the features of n states, ``(features,)``, without computing the features."""
        z = open_boxes(self.rules, filled).astype(np.float64)
        x = self._relaxed_and_extras(filled, upper, saved, tracked)[1]
        weighted = z * weights[:, None]
        pairs = (weighted.T @ z)[self._pairs]
        return np.concatenate([[weights.sum()], weighted.sum(axis=0), pairs, weights @ x, (x.T @ weighted).ravel()])

    def child_values(self, filled: Ints, upper: Ints, tracked: Ints, saved: tuple[int, ...] = (0,)) -> Floats:
        """Values of all children of n states with equally many open boxes, by slot (:mod:`.turn_slots`).

        Parameters
        ----------
        filled, upper, tracked : (n,) int64
            The states, as for :meth:`values`.
        saved : (stages,) of int
            Rolls saved by the turn, one entry for each stage of the result.

        Returns
        -------
        (stages, n, slots) float64
            Value of the card after the turn, without the points made; NOT_ALLOWED where the box may not be filled
            or does not pay.
        """
        slots, n = turn_slots(self.rules), len(filled)
        boxes = slots.slot_category
        reached = allowed_boxes(self.rules, filled)[:, boxes]
        if self._paying_only_if_tracked.any():
            reached &= (tracked[:, None] == 1) | ~self._paying_only_if_tracked
        state, slot = np.nonzero(reached)
        box = boxes[slot]
        next_filled = filled[state] | np.int64(1) << box
        next_upper = upper_sums(self.rules).cap(upper[state] + slots.slot_shift[slot])
        next_tracked = tracked[state] | (slots.slot_pays[slot] & (box == self.rules.tracked_index))
        t = int(open_boxes(self.rules, filled[:1]).sum()) - 1
        found = np.full((len(saved), n, slots.slot_count), NOT_ALLOWED)
        if t == 0:
            found[:, state, slot] = upper_sums(self.rules).bonuses(next_upper)
            return found
        z = open_boxes(self.rules, filled).astype(np.float64)
        by_box, extra, extra_by_box = self._child_terms(z, t)
        prices = (z @ self.prices)[state] - self.prices[box]
        for stage, rolls in enumerate(saved):
            relaxed, x = self._relaxed_and_extras(next_filled, next_upper, np.full_like(box, rolls), next_tracked)
            to_come = by_box[state, box] + relaxed
            for k in range(x.shape[1]):
                to_come += x[:, k] * (extra[state, k] - extra_by_box[k, box])
            found[stage, state, slot] = self._bounded(to_come, prices + relaxed)
        return found

    def _bounded(self, values: Floats, bound: Floats) -> Floats:
        """Values of cards, but at most what the relaxed game proves to be an upper bound."""
        return values if self.relaxed is None else np.minimum(values, bound)

    def _child_terms(self, z: Floats, t: int) -> tuple[Floats, Floats, Floats]:
        """Of states with open boxes `z`, ``(n, categories)``, whose children have t: what is left of each term.

        Returns
        -------
        by_box : (n, categories)
            Prices and the terms theta, b and Q after each box is filled.
        extra : (n, extras)
            Weight of each extra feature with all boxes still open ...
        extra_by_box : (extras, categories)
            ... and what it loses when a box is filled.
        """
        c = self.coefficients[t]
        n, k = len(self.rules.categories), extra_count(self.rules)
        pairs = n * (n - 1) // 2
        theta, b, e = c[0], c[1 : n + 1] + self.prices, c[n + 1 + pairs : n + 1 + pairs + k]
        between = np.zeros((n, n))
        between[self._pairs] = c[n + 1 : n + 1 + pairs]
        between += between.T
        lines = c[n + 1 + pairs + k :].reshape(k, n)
        with_box = z @ between
        whole = theta + z @ b + 0.5 * (z * with_box).sum(axis=1)
        return whole[:, None] - b - with_box, e + z @ lines.T, lines

    def _relaxed_and_extras(self, filled: Ints, upper: Ints, saved: Ints, tracked: Ints) -> tuple[Floats, Floats]:
        """W of n states, ``(n,)``, and their extra features, ``(n, extras)``."""
        rules, columns = self.rules, list[Floats]()
        relaxed = np.zeros(len(filled))
        if self.relaxed is not None:
            relaxed = self.relaxed_values[self.relaxed.index(filled, upper, saved, tracked)]
        sums, remembered = upper_sums(rules), self.relaxed.bonus_column if self.relaxed else -1
        for column, bonus in enumerate(rules.bonuses):
            if column == remembered and self.relaxed is not None:
                without = self.relaxed_values[self.relaxed.index(filled, np.zeros_like(upper), saved, tracked)]
                share = (relaxed - without) / max(1, bonus.points)
            else:
                own_sum = upper // sums.weights[column] % sums.widths[column]
                share = np.minimum(own_sum, bonus.threshold) / max(1, bonus.threshold)
            columns += [share, share * share]
        if rules.saved_rolls:
            rolls = saved / rules.rolls_per_turn
            columns += [rolls, rolls * rolls]
        if rules.tracked_index >= 0:
            columns.append(tracked.astype(np.float64))
        return relaxed, np.stack(columns, axis=1) if columns else np.empty((len(filled), 0))

    @cached_property
    def _pairs(self) -> tuple[Ints, Ints]:
        rows, columns = np.triu_indices(len(self.rules.categories), 1)
        return rows.astype(np.int64), columns.astype(np.int64)

    @cached_property
    def _paying_only_if_tracked(self) -> npt.NDArray[np.bool_]:
        """``(slots,)``: slots of boxes that pay only while the tracked box holds points."""
        slots = turn_slots(self.rules)
        needs = np.array([bool(box.requires) for box in self.rules.categories])
        return np.asarray(needs[slots.slot_category] & (slots.slot_pays == 1))


def extra_count(rules: RuleSet) -> int:
    """Number of features in addition to the open boxes and their pairs."""
    return 2 * len(rules.bonuses) + 2 * bool(rules.saved_rolls) + (rules.tracked_index >= 0)


def feature_count(rules: RuleSet) -> int:
    """Number of fitted coefficients for each number of open boxes."""
    n, extras = len(rules.categories), extra_count(rules)
    return 1 + n + n * (n - 1) // 2 + extras * (1 + n)


def first_guess(
    rules: RuleSet, prices: Floats, relaxed: Relaxation | None = None, relaxed_values: Floats | None = None
) -> FittedValues:
    """The values of a relaxed game without any correction, or of prices alone."""
    coefficients = np.zeros((len(rules.categories) + 1, feature_count(rules)))
    table = np.empty(0) if relaxed_values is None else relaxed_values
    return FittedValues(rules, np.asarray(prices, dtype=np.float64), coefficients, relaxed, table)
