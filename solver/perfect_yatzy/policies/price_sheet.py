"""A price for each box and a few numbers for the bonus: a value function that a person can use.

::

    V(state) = sum of the prices of the open boxes
             + bonus:  secured                        the upper boxes have reached the threshold
                       lost                           they cannot reach it any more
                       par_point * (upper sum - par)  else
             + saved_roll * saved rolls               if unused rolls are saved
             + joker_turn * open boxes                if another roll of the joker's kind would pay a bonus

*Par* is what the filled upper boxes should have made: the threshold, shared out in proportion to what each box can
pay at most. For Yatzy that is three of each face. A full card has its true value, the upper bonus.

Whoever plays each turn as if V were true chooses the box with the most *points minus price*, plus what the choice
changes about the bonus. Adding one number to every price changes no choice, because a turn fills one box. In a forced
order prices change none at all; there they only say what a box is expected to make.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from numbers import Real

import numpy as np
import numpy.typing as npt

from ..errors import StateError, shown
from ..game.dice import Floats, Ints
from ..game.points import possible_points
from ..game.rules import RuleSet
from ..game.scorecard import EMPTY_STATE, State
from ..model.objectives import final_bonus
from ..model.state_space import StateSpace, state_space

MAX_PRICE = 1e6  # the largest number of a sheet; keeps sums of them finite
BONUS_TERMS = ("lost", "secured", "par_point", "saved_roll", "joker_turn")
BLOCK_VALUES = 1 << 20  # values written at once; bounds the memory beside the table


@dataclass(frozen=True)
class PriceSheet:
    """Prices of the boxes and of the bonus, as a value function.

    Parameters
    ----------
    rules
        The game.
    prices
        One for each category, in the order of the score sheet.
    bonus_lost, bonus_secured
        Value of the bonus, in points, once it is out of reach or reached.
    par_point
        Value of each upper point above par while the bonus is open.
    saved_roll
        Value of a saved roll.
    joker_turn
        Value of each turn to come once the joker's box holds points.

    Raises
    ------
    StateError
        If there is not one price for each category, a number is not finite, or the rules have nothing that a number
        other than 0 could belong to.
    """

    rules: RuleSet
    prices: tuple[float, ...]
    bonus_lost: float = 0.0
    bonus_secured: float = 0.0
    par_point: float = 0.0
    saved_roll: float = 0.0
    joker_turn: float = 0.0

    def __post_init__(self) -> None:
        if len(self.prices) != len(self.rules.categories):
            raise StateError(
                f"{len(self.prices)} prices; {self.rules.key} has {len(self.rules.categories)} categories"
            )
        named = dict(zip((c.id for c in self.rules.categories), self.prices, strict=True)) | self.terms
        for name, number in named.items():
            if isinstance(number, bool) or not isinstance(number, Real) or not abs(number) <= MAX_PRICE:
                raise StateError(f"{name} is {shown(number)}; must be a number up to {MAX_PRICE:.0f}")
        used = terms_of(self.rules)
        for name, number in self.terms.items():
            if number and name not in used:
                raise StateError(f"{self.rules.key} has no use for {name}; it is {number}, must be 0")

    @property
    def terms(self) -> dict[str, float]:
        """The numbers beside the prices, by name."""
        numbers = (self.bonus_lost, self.bonus_secured, self.par_point, self.saved_roll, self.joker_turn)
        return dict(zip(BONUS_TERMS, numbers, strict=True))

    @property
    def n_numbers(self) -> int:
        """How many numbers choices depend on: in a forced order the prices are not counted."""
        prices = 0 if self.rules.order == "forced" else len(self.prices)
        return prices + len(terms_of(self.rules))

    @cached_property
    def pars(self) -> tuple[float, ...]:
        """Par of each category in points; 0 for those that do not count towards the bonus."""
        return pars(self.rules)

    def par(self, filled: int) -> float:
        """What the filled upper boxes should have made.

        Parameters
        ----------
        filled
            Bitmask of filled categories.
        """
        return math.fsum(par for c, par in enumerate(self.pars) if filled >> c & 1)

    def bonus_value(self, filled: int, upper: int) -> float:
        """Value of the bonus at the start of a turn, in points.

        Parameters
        ----------
        filled
            Bitmask of filled categories.
        upper
            Sum of the upper boxes.
        """
        rules = self.rules
        if rules.bonus is None:
            return 0.0
        if filled == rules.full_mask:
            return float(rules.bonus.points) if upper >= rules.threshold else 0.0
        if upper >= rules.threshold:
            return self.bonus_secured
        best = sum(most for c, most in enumerate(upper_best(rules)) if not filled >> c & 1)
        return self.par_point * (upper - self.par(filled)) if upper + best >= rules.threshold else self.bonus_lost

    def value(self, state: State = EMPTY_STATE) -> float:
        """Value of a state, in points still to come."""
        prices = [price for c, price in enumerate(self.prices) if not state.filled >> c & 1]
        value = math.fsum(prices) + self.bonus_value(state.filled, state.upper)
        if prices:  # a full card has no turn left
            value += self.saved_roll * state.saved + (self.joker_turn * len(prices) if state.joker_paid else 0.0)
        return value

    def values(self, start: State = EMPTY_STATE) -> Floats:
        """The value function as a table.

        Parameters
        ----------
        start
            The state from which on it is needed; default: the empty card.

        Returns
        -------
        (size,) float64
            In the order of :func:`perfect_yatzy.model.state_space.state_space`. Upper sums that share an entry have
            the same value.
        """
        space = state_space(self.rules, start)
        values = np.empty(space.size)
        prices = np.array(self.prices)
        for places, masks, joker_paid, upper, lost in state_blocks(space):
            is_open = masks[:, None] >> np.arange(space.categories) & 1 == 0
            base = is_open @ prices + self.joker_turn * joker_paid * is_open.sum(axis=1)
            above_par = upper - self.par(int(masks[0]))
            bonus = np.where(lost, self.bonus_lost, self.par_point * above_par)
            bonus[upper >= self.rules.threshold] = self.bonus_secured if self.rules.bonus else 0.0
            saved = self.saved_roll * np.arange(places.shape[1] // len(upper))
            values[places] = base[:, None] + (saved[:, None] + bonus).ravel()
        values[space.layer_slice(space.categories)] = final_bonus(space)
        return values

    def rounded(self, step: float = 0.1) -> PriceSheet:
        """The sheet with every number a multiple of a step, as it is printed."""
        places = max(0, -math.floor(math.log10(step)))

        def nearest(number: float) -> float:
            return round(round(number / step) * step, places) + 0.0  # + 0.0: no negative zero

        terms = {name: nearest(number) for name, number in self.terms.items()}
        return make_sheet(self.rules, [nearest(price) for price in self.prices], terms)


def make_sheet(rules: RuleSet, prices: list[float], terms: dict[str, float]) -> PriceSheet:
    """A sheet from its prices and its other numbers by name (:data:`BONUS_TERMS`); those left out are 0."""
    numbers = {f"bonus_{name}" if name in ("lost", "secured") else name: number for name, number in terms.items()}
    return PriceSheet(rules, tuple(prices), **numbers)


def terms_of(rules: RuleSet) -> tuple[str, ...]:
    """The numbers beside the prices that a rule set has a use for."""
    bonus = BONUS_TERMS[:3] if rules.bonus and any(c.upper for c in rules.categories) else ()
    saved = ("saved_roll",) if rules.saved_rolls else ()
    joker = ("joker_turn",) if rules.joker and rules.joker.bonus else ()
    return (*bonus, *saved, *joker)


def upper_best(rules: RuleSet) -> list[int]:
    """The most that each category can add to the upper sum."""
    possible = possible_points(rules)
    return [max(possible[c]) if box.upper and rules.bonus else 0 for c, box in enumerate(rules.categories)]


def pars(rules: RuleSet) -> tuple[float, ...]:
    """The threshold of the bonus, shared out over the upper boxes in proportion to the most that each can pay."""
    best = upper_best(rules)
    return tuple(rules.threshold * most / (sum(best) or 1) for most in best)


def state_blocks(space: StateSpace) -> Iterator[tuple[Ints, Ints, bool, Ints, npt.NDArray[np.bool_]]]:
    """All states but those of the last layer, in blocks of cards with the same upper boxes filled.

    Yields
    ------
    places : (cards, saved * lanes) int64
        Their places in the table.
    masks : (cards,) int64
        Bitmasks of the filled categories.
    joker_paid : bool
    upper : (lanes,) int64
        Upper sum of each lane; a lane for sums that cannot reach the bonus has one of them.
    lost : (lanes,) bool
        Whether the bonus is out of reach.
    """
    layout, best = space.layout, upper_best(space.rules)
    for filled in range(space.first_layer, space.categories):
        rows = space.layers[filled]
        group = layout.lane_sets[rows] * 2 + (rows >= space.cards)
        rows = rows[np.argsort(group, kind="stable")]
        starts = np.flatnonzero(np.diff(np.sort(group), prepend=-1))
        for alike in np.split(rows, starts[1:]):
            lane_set, mask = layout.lane_sets[alike[0]], int(layout.masks[alike[0]])
            upper = layout.lane_upper[lane_set, : layout.lane_count[lane_set]]
            to_come = sum(most for c, most in enumerate(best) if not mask >> c & 1)
            width = len(upper) * (int(space.most_saved[filled]) + 1)
            at_once = max(1, BLOCK_VALUES // width)
            for first in range(0, len(alike), at_once):
                cards = alike[first : first + at_once]
                places = layout.offsets[cards][:, None] + np.arange(width)
                lost = upper + to_come < space.rules.threshold
                yield places, layout.masks[cards], bool(alike[0] >= space.cards), upper, lost
