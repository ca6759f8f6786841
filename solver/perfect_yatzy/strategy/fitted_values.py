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

Features are multiples of 2^-FEATURE_BITS, prices and coefficients of 2^-COEFFICIENT_BITS. So all sums of their
products are exact in float64, in any order: fit and play have the same bits on every machine.

A full card is worth its upper bonuses, exactly. NumPy only: a question loads no compiled code.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ..game.dice import Floats, Ints
from ..game.rules import RuleSet
from ..game.scoring import upper_sums
from ..model import turn_slots as slots_of
from ..model.card_masks import card_masks
from ..model.relaxed_layout import RelaxedLayout
from ..model.turn_slots import feature_count, feature_lines, feature_pairs, open_boxes

NOT_ALLOWED = -1e30  # the child value of a slot that a state cannot reach: below every value, and finite
FEATURE_BITS = 12  # after the binary point
COEFFICIENT_BITS = 20


@dataclass(frozen=True)
class FittedValues:
    """Expected points to come of any card of a game."""

    rules: RuleSet
    prices: Floats  # (categories,): what an open box is worth in the relaxed game
    # (categories + 1, features): by number of open boxes: theta, b, the upper triangle of Q by rows, e, L by rows.
    # Row 0 is not used.
    coefficients: Floats
    relaxed: RelaxedLayout | None  # tells where a state lies in `relaxed_values`; None: W is zero
    relaxed_values: Floats  # (size,): W, in points; empty without a relaxed game

    def __post_init__(self) -> None:
        n = len(self.rules.categories)
        assert self.prices.shape == (n,)
        assert self.coefficients.shape == (n + 1, feature_count(self.rules))

    def values(
        self, filled: npt.ArrayLike, upper: npt.ArrayLike, saved: npt.ArrayLike, tracked: npt.ArrayLike
    ) -> Floats:
        """Expected points to come in n states, ``(n,)``, the upper bonuses included; scalars are repeated."""
        cards = card_masks(self.rules, filled)
        others = [np.atleast_1d(np.asarray(field, dtype=np.int64)) for field in (upper, saved, tracked)]
        (n,) = np.broadcast_shapes(cards.shape[:1], *(field.shape for field in others))
        states = [np.broadcast_to(field, (n, *field.shape[1:])) for field in (cards, *others)]
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
        (rows, columns), (extra, box) = feature_pairs(self.rules), feature_lines(self.rules)
        parts = [np.ones((len(z), 1)), z, z[:, rows] * z[:, columns], x, x[:, extra] * z[:, box]]
        return z @ self.prices + relaxed, np.concatenate(parts, axis=1)

    def feature_sums(self, weights: Floats, filled: Ints, upper: Ints, saved: Ints, tracked: Ints) -> Floats:
        """Weighted sum of the features of n states, ``(features,)``, without computing the features."""
        z = open_boxes(self.rules, filled).astype(np.float64)
        x = self._relaxed_and_extras(filled, upper, saved, tracked)[1]
        weighted = z * weights[:, None]
        pairs, lines = (weighted.T @ z)[feature_pairs(self.rules)], (x.T @ weighted)[feature_lines(self.rules)]
        return np.concatenate([[weights.sum()], weighted.sum(axis=0), pairs, weights @ x, lines])

    def child_values(self, filled: Ints, upper: Ints, tracked: Ints, saved: tuple[int, ...] = (0,)) -> Floats:
        """Values of all children of n states with equally many open boxes, by slot (:mod:`.turn_slots`).

        ``(stages, n, slots)`` for the numbers of rolls saved by the turn, a stage each, without the points made;
        NOT_ALLOWED where the box may not be filled or does not pay.
        """
        slots, n = slots_of.turn_slots(self.rules), len(filled)
        boxes = slots.slot_category
        reached = slots_of.allowed_boxes(self.rules, filled)[:, boxes]
        if self._paying_only_if_tracked.any():
            reached &= (tracked[:, None] == 1) | ~self._paying_only_if_tracked
        state, slot = np.nonzero(reached)
        box = boxes[slot]
        next_filled = filled[state] | slots_of.box_masks(self.rules)[box]
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

        Prices and the terms theta, b and Q after each box is filled; the weight of each extra feature with all boxes
        still open, ``(n, extras)``; and what it loses when a box is filled.
        """
        c = self.coefficients[t]
        n, k = len(self.rules.categories), slots_of.extra_count(self.rules)
        pairs = len(feature_pairs(self.rules)[0])
        theta, b, e = c[0], c[1 : n + 1] + self.prices, c[n + 1 + pairs : n + 1 + pairs + k]
        between, lines = np.zeros((n, n)), np.zeros((k, n))
        between[feature_pairs(self.rules)] = c[n + 1 : n + 1 + pairs]
        between += between.T
        lines[feature_lines(self.rules)] = c[n + 1 + pairs + k :]
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
        extras = np.stack(columns, axis=1) if columns else np.empty((len(filled), 0))
        return relaxed, np.rint(extras * 2.0**FEATURE_BITS) / 2.0**FEATURE_BITS

    @cached_property
    def _paying_only_if_tracked(self) -> npt.NDArray[np.bool_]:
        """``(slots,)``: slots of boxes that pay only while the tracked box holds points."""
        slots = slots_of.turn_slots(self.rules)
        needs = np.array([bool(box.requires) for box in self.rules.categories])
        return np.asarray(needs[slots.slot_category] & (slots.slot_pays == 1))


def first_guess(
    rules: RuleSet, prices: Floats, relaxed: RelaxedLayout | None = None, relaxed_values: Floats | None = None
) -> FittedValues:
    """The values of a relaxed game without any correction, or of prices alone."""
    coefficients = np.zeros((len(rules.categories) + 1, feature_count(rules)))
    table = np.empty(0) if relaxed_values is None else relaxed_values
    return FittedValues(rules, np.asarray(prices, dtype=np.float64), coefficients, relaxed, table)
