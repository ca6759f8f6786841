"""Relax a game by prices.

Each use of a box costs its price, and most boxes may be used any number of times.

Let ``lam_c`` be a price for each box c. For a card with the open boxes S::

    V(S, u) <= sum over c in S of lam_c + W(g(S), u)

where ``g(S)`` is what :class:`RelaxedLayout` remembers of the card and W the value of the relaxed
game, in which a turn may fill any exact box that is open, or any box of the class while the class
has turns left::

    W(g, u) = E[ best turn of max over boxes c that g allows of  p_c(roll) - lam_c + W(g after c, u + p_c) ]

Every choice of the game is a choice of the relaxed game, which proves the inequality for any
prices, by induction over the turns (Lagrangian relaxation of "each box exactly once"; Adelman and
Mersereau, "Relaxations of weakly coupled stochastic dynamic programs", Operations Research 56,
2008). All boxes of the class lead to the same state, so the class is one category, which pays the
best of ``p_c(roll) - lam_c``.

The relaxed game allows more than the rules wherever they would need a longer memory. A joker may go
to any box, and pays fixed points in full and the bonus whether or not its upper box is open. A box
may be crossed out at any time. A box of the class may come before the boxes of the class it has to
wait for. An upper bonus whose sum is not remembered is replaced by a line above it: ``paid(x) <=
intercept + slope * x``.

A game of many boxes in free order has too many cards, so ``g`` is only

- how many boxes of each *exact* chain are filled (a box in free order is a chain of one box),
- how many turns went to the other boxes, the *class*, but not which of them are filled,
- the upper sum of one bonus, if all upper boxes that count to it are exact,
- saved rolls, and whether the tracked box holds points.

A *row* is a mixed-radix number of the first two, plus the tracked flag::

    row = sum over exact chains of weight * filled boxes of the chain + weight * filled boxes of the class (+ cards)

The values of a row lie together, as in :mod:`.state_space`. A lane stands for all sums above the
lane before it up to its own, and has the value of its own, the largest: rounding up never lowers a
value, because more points are never worth less.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from ..core.dice import Floats, Ints, lattice
from ..core.lanes import LaneArrays, LaneSets, ceil_div
from ..core.rules import Bonus, RuleSet, chains, prerequisites
from ..core.scoring import first_roll_points, full_points, points_table, possible_points, upper_sums
from ..core.state_space import LANES, ONE_WORD, Rows, StateLayout, card_masks, in_layers
from ..core.turn_model import (
    CategoryOutcomes,
    JokerModel,
    LegalCategories,
    TurnModel,
    TurnOutcomes,
    dice_model,
)
from ..errors import RulesError
from ..strategy.turn_slots import open_boxes
from ..words import _

Levels = Sequence[Ints]  # the sums that end a level, ascending, for each lane set

EMPTY_ROW = 0  # the row of the empty card
MAX_ROWS = 1 << 25  # their arrays take 24 bytes a row


class RelaxedLayout:
    """Rows and lanes of a relaxed game.

    Of a chain (:func:`perfect_yatzy.core.rules.chains`) all boxes or none are exact, and so are the
    upper boxes of `bonus_column`, whose sum is remembered (-1: none). `levels` are the sums that end
    a level. By default every sum that makes a difference ends one. Raises ValueError if the exact
    boxes are not as described, and RulesError if there are more than MAX_ROWS rows or ONE_WORD exact
    boxes.
    """

    def __init__(
        self,
        rules: RuleSet,
        exact: Sequence[int],
        bonus_column: int = -1,
        levels: Levels | None = None,
    ) -> None:
        self.rules = rules
        self.exact = tuple(sorted(exact))  # category i of the relaxed game is box exact[i]
        self.bonus_column = bonus_column
        # the boxes of the class
        self.members = tuple(c for c in range(len(rules.categories)) if c not in self.exact)
        self.turns = len(rules.categories)
        self.chains = [chain for chain in chains(rules) if set(chain) <= set(self.exact)]
        # the boxes whose sum is remembered
        self.upper = [
            c for c in upper_sums(rules).counting if rules.categories[c].column == bonus_column
        ]
        # Rows from `cards` on are cards whose tracked box holds points.
        self.has_flag = rules.tracked_index >= 0
        self._check_exact()
        # the base and the weight of each digit of a row, the last of which is that of the class
        self.bases = [len(chain) + 1 for chain in self.chains] + [len(self.members) + 1]
        *self.weights, self.cards = accumulate((1, *self.bases), lambda a, b: a * b)
        self.n_rows = self.cards * (2 if self.has_flag else 1)
        if self.n_rows > MAX_ROWS:
            raise RulesError(
                f"the relaxed game has {self.n_rows} cards; at most {MAX_ROWS} fit",
                code="too-large",
            )
        self.levels = levels
        self._sets = LaneSets(rules, counting=self.upper)
        self.size: int  # number of values
        self.layout: StateLayout  # its `masks` hold the categories that a turn must not fill
        self._build_rows()

    def _check_exact(self) -> None:
        """Raise an error if the exact boxes are not as described, or too many."""
        if sum(map(len, self.chains)) != len(self.exact):
            raise ValueError("of a chain of boxes all or none must be exact")
        if self.has_flag and self.rules.tracked_index not in self.exact:
            raise ValueError("the box of which it matters whether it holds points must be exact")
        if len(self.exact) > ONE_WORD:
            text = f"the relaxed game has {len(self.exact)} exact boxes; at most {ONE_WORD} fit"
            raise RulesError(text, code="too-large")
        if not set(self.upper) <= set(self.exact):
            raise ValueError("the upper boxes whose sum is remembered must be exact")

    @property
    def bonus(self) -> Bonus | None:
        """The bonus whose upper sum is remembered."""
        if self.bonus_column < 0 or not self.rules.bonus:
            return None
        return self.rules.bonuses[self.bonus_column]

    @property
    def threshold(self) -> int:
        """The upper sum from which on the whole bonus is paid, 0 if no sum is remembered."""
        return self.bonus.threshold if self.bonus else 0

    def _lanes(self) -> LaneArrays:
        """Return the lanes of the layout."""
        # By lane set: the largest sum of each lane, ascending. All are 0 if no sum is remembered.
        tops = [
            self._sets.uppers.split(upper)[self.bonus_column] for upper in self._sets.lane_upper
        ]
        if self.levels:
            with_levels = zip(tops, self.levels, strict=True)
            tops = [np.intersect1d(sums, [*ends, sums[-1]]) for sums, ends in with_levels]
        width = ceil_div(max(map(len, tops)), LANES) * LANES
        lane_upper = np.array([np.pad(sums, (0, width - len(sums)), "edge") for sums in tops])
        points = possible_points(self.rules)
        # the most points of one box, by which a sum may pass the cap
        most = max((max(points[c]) for c in self.upper), default=0)
        capped = np.minimum(np.arange(self.threshold + most + 1), self.threshold)
        # A sum has the first lane whose largest sum reaches it, or the last lane.
        lane_of = [np.minimum(np.searchsorted(sums, capped), len(sums) - 1) for sums in tops]
        lane_count = np.array([*map(len, tops)], dtype=np.int64)
        return LaneArrays(lane_count, lane_upper, np.array(lane_of, dtype=np.int64))

    def _digit(self, cards: Ints, number: int) -> Ints:
        """Return how many boxes of a chain, or of the class (number -1), are filled on each card."""
        return np.asarray(cards // self.weights[number] % self.bases[number])

    def _build_rows(self) -> None:
        """Place all rows.

        First come those of the cards, then with a flag those of the cards whose tracked box holds
        points.
        """
        rules = self.rules
        cards = np.arange(self.cards, dtype=np.int64)
        # the bit of each box in masks of the categories of the relaxed game
        bit = {c: 1 << i for i, c in enumerate(self.exact)}
        class_bit = 1 << len(self.exact)
        # by box of the sheet: the mask of the exact boxes that must be filled before it
        needed = [sum(bit[c] for c in self.exact if mask >> c & 1) for mask in prerequisites(rules)]
        # The arrays below are by card, ``(cards,)``.
        lane_sets = np.zeros(self.cards, dtype=np.int64)
        filled = np.zeros(self.cards, dtype=np.int64)  # mask of the exact boxes that are filled
        closed = np.zeros(self.cards, dtype=np.int64)  # mask of what its turn must not fill
        class_filled = self._digit(cards, -1)
        turns = class_filled.copy()
        for number, chain in enumerate(self.chains):
            chain_filled = self._digit(cards, number)
            turns += chain_filled
            # the weight of the first 0, 1, 2, ... boxes of the chain
            lane_set_weights = np.cumsum([0, *self._sets.weight_of[list(chain)]])
            lane_sets += lane_set_weights[chain_filled]
            for i, c in enumerate(chain):
                filled |= np.where(chain_filled > i, bit[c], 0)
                # Only the next box of a chain is open.
                closed |= np.where(chain_filled != i, bit[c], 0)
        for c in self.exact:
            closed |= np.where(needed[c] & ~filled, bit[c], 0)
        # whether each box of the class waits for an exact one
        class_waits = np.ones(self.cards, dtype=bool)
        for c in self.members:
            class_waits &= needed[c] & ~filled != 0
        closed |= np.where((class_filled == len(self.members)) | class_waits, class_bit, 0)
        self.occurs = np.ones(self.cards, dtype=bool)
        if self.has_flag:
            self.occurs = np.concatenate([self.occurs, filled & bit[rules.tracked_index] != 0])
            turns = np.tile(turns, 2)
            lane_sets = np.tile(lane_sets, 2)
            closed = np.tile(closed, 2)
        self.turns_played = turns.astype(np.uint8)
        self.most_saved = np.arange(self.turns + 1) * (
            rules.rolls_per_turn - 1 if rules.saved_rolls else 0
        )
        lanes = self._lanes()
        states = lanes.lane_count[lane_sets] * (self.most_saved[turns] + 1)
        sizes = np.where(self.occurs, states, 0)
        self.size = int(sizes.sum())
        rows = Rows(closed, turns, lane_sets, sizes, self.occurs)
        self.layout, self.rows_in_layer = in_layers(rows, self.turns, lanes)

    def row_of(self, filled: Ints, tracked: Ints) -> Ints:
        """Return the row of each card, ``(n,)`` int64."""
        rows = self.weights[-1] * self._filled_of(filled, self.members)
        for weight, chain in zip(self.weights, self.chains, strict=False):
            rows += weight * self._filled_of(filled, chain)
        return np.asarray(rows + tracked * self.cards if self.has_flag else rows)

    def _filled_of(self, filled: Ints, boxes: Sequence[int]) -> Ints:
        """Return how many of the boxes are filled, ``(n,)`` int64."""
        count = np.bitwise_count(filled & card_masks(self.rules, [sum(1 << c for c in boxes)]))
        return np.asarray(count if count.ndim == 1 else count[:, 0] + count[:, 1], dtype=np.int64)

    def index(self, filled: Ints, upper: Ints, saved: Ints, tracked: Ints) -> Ints:
        """Return the place of the value of each state, ``(n,)`` int64."""
        rows = self.row_of(filled, tracked)
        layout = self.layout
        sets = layout.lane_sets[rows]
        sums = upper_sums(self.rules).split(upper)[self.bonus_column]
        # The threshold is 0 if no sum is remembered.
        lanes = layout.lane_of[sets, np.minimum(sums, self.threshold)]
        return np.asarray(layout.offsets[rows] + saved * layout.lane_count[sets] + lanes)


def required_exact(rules: RuleSet) -> tuple[tuple[int, ...], int]:
    """Return the boxes that are exact in every relaxation, and a column.

    The column is the one whose upper sum is remembered, -1 for none.
    """
    # These are the boxes that decide about jokers and required boxes, and the upper boxes of the column
    # with the largest bonus, unless that is too many. Each comes with the other boxes of its chain.
    bonuses = rules.bonuses
    column = max(range(len(bonuses)), key=lambda b: bonuses[b].points) if bonuses else -1
    upper = {
        c
        for c, box in enumerate(rules.categories)
        if box.upper and bonuses and box.column == column
    }
    exact = _whole_chains(rules, upper | set(tracked_exact(rules)))
    return (exact, column) if len(exact) <= ONE_WORD else (tracked_exact(rules), -1)


def tracked_exact(rules: RuleSet) -> tuple[int, ...]:
    """Return the boxes that decide about jokers and required boxes, with their chains.

    Raises RulesError if they are too many.
    """
    exact = _whole_chains(rules, {c for c in (rules.joker_index, rules.tracked_index) if c >= 0})
    if len(exact) > ONE_WORD:
        text = _(
            "{rules} has {count} boxes in one order, one of which jokers or other boxes need; "
            "at most {most} are possible"
        )
        raise RulesError(
            text.format(rules=rules.key, count=len(exact), most=ONE_WORD), code="too-large"
        )
    return exact


def _whole_chains(rules: RuleSet, boxes: set[int]) -> tuple[int, ...]:
    """Return all boxes of the chains that have some of these, ascending."""
    return tuple(sorted(c for chain in chains(rules) if boxes & set(chain) for c in chain))


class RelaxedGame(RelaxedLayout):
    """The relaxed game as the flat arrays of the kernels, with a price for each box, in points."""

    # `slopes` are those of the line above each bonus whose sum is not remembered, at least 0, which is
    # the default.
    models: list[TurnModel]  # the turn, by what is known of the tracked box (:meth:`status`)

    def __init__(  # noqa: PLR0913 - what a relaxed game is
        self,
        rules: RuleSet,
        exact: Sequence[int],
        prices: Floats,
        bonus_column: int = -1,
        slopes: Floats | None = None,
        levels: Levels | None = None,
    ) -> None:
        super().__init__(rules, exact, bonus_column, levels)
        if rules.joker and rules.joker_index not in self.exact:
            raise ValueError("the joker's box must be exact")
        self.prices = np.array(prices, dtype=np.float64)
        given_slopes = np.zeros(len(rules.bonuses)) if slopes is None else slopes
        self.slopes = np.array(given_slopes, dtype=np.float64)
        if self.prices.shape != (len(rules.categories),) or not np.isfinite(self.prices).all():
            raise ValueError("a relaxed game needs a finite price for each category")
        has_slopes = self.slopes.shape == (len(rules.bonuses),)
        if not has_slopes or not (np.isfinite(self.slopes) & (self.slopes >= 0)).all():
            raise ValueError("a relaxed game needs a slope of at least 0 for each bonus")
        if self.bonus is not None:
            self.slopes[bonus_column] = 0.0
        self.models = []
        self._boxes: list[Ints] = []  # the box of each outcome, in the order of `models`
        for joker_filled, paid in self.statuses:
            model, boxes = self._turn(joker_filled, paid)
            self.models.append(model)
            self._boxes.append(boxes)

    @property
    def statuses(self) -> list[tuple[bool, bool]]:
        """Whether the joker's box is filled, and whether the tracked box holds points.

        The order is that of `models`.
        """
        filled_or_not = (False, True) if self.rules.joker else (False,)
        paid_or_not = (False, True) if self.has_flag else (False,)
        return [(filled, paid) for paid in paid_or_not for filled in filled_or_not]

    def status(self, rows: Ints) -> Ints:
        """Return the index into `models` of each row, ``(n,)`` int64."""
        joker = self.rules.joker_index
        is_paid = rows // self.cards  # 1 if the tracked box holds points
        if joker < 0:
            return np.asarray(is_paid)
        number = self._chain_of(joker)
        joker_filled = self._digit(rows % self.cards, number) > self.chains[number].index(joker)
        return np.asarray(2 * is_paid + joker_filled)

    def _chain_of(self, box: int) -> int:
        """Return the number of the chain of an exact box."""
        return next(number for number, chain in enumerate(self.chains) if box in chain)

    def boxes(self, status: int) -> Ints:
        """Return the box of the sheet that each outcome of a turn fills, ``(outcomes,)`` int64."""
        return self._boxes[status]

    def offset(self, filled: Ints, upper: Ints) -> Floats:
        """Return what is added to W for an upper bound.

        These are the prices of open boxes, and the lines above bonuses that are not remembered.
        """
        total = np.zeros(len(filled))
        for price, is_open in zip(
            self.prices.tolist(), open_boxes(self.rules, filled).T, strict=True
        ):
            total += np.where(is_open, price, 0.0)
        columns = zip(
            self.rules.bonuses, self.slopes, upper_sums(self.rules).split(upper), strict=False
        )
        for b, (bonus, slope, own_sum) in enumerate(columns):
            if self.bonus is None or b != self.bonus_column:
                total += intercept(bonus, slope) + slope * np.minimum(own_sum, bonus.threshold)
        return total

    def full_card_values(self, row: int) -> Floats:
        """Return W of the states of a full card, ``(lanes * (saved rolls + 1),)``.

        It is the bonus that each lane has reached.
        """
        lane_set = self.layout.lane_sets[row]
        uppers = self.layout.lane_upper[lane_set, : self.layout.lane_count[lane_set]].tolist()
        paid = np.zeros(len(uppers))
        if self.bonus:
            paid[:] = [self.bonus.paid(upper) for upper in uppers]
        return np.tile(paid, int(self.most_saved[self.turns]) + 1)

    def status_points(self, joker_filled: bool, paid: bool) -> tuple[Ints, Ints]:
        """Return the most points of each box for each roll, and the bonus points of a roll.

        The points are ``(categories, rolls)``, and the bonus points hold in any box.
        """
        rules = self.rules
        joker = rules.joker
        points = points_table(rules).copy()
        if not paid:
            points[[bool(category.requires) for category in rules.categories]] = 0
        bonus = np.zeros(points.shape[1], dtype=np.int64)
        if joker is None or not joker_filled:
            return points, bonus
        is_joker = points_table(rules)[rules.joker_index] > 0
        if joker.requires == "filled" or paid:
            points[:, is_joker] = np.maximum(points, full_points(rules))[:, is_joker]
        if joker.bonus_requires == "filled" or paid:
            bonus[is_joker] = joker.bonus
        return points, bonus

    def gains(self, points: Ints) -> Floats:
        """Return the points less the price, and what they are worth on the lines above the bonuses.

        The array is ``(categories, rolls)``.
        """
        slopes = [
            self.slopes[box.column] if box.upper and self.rules.bonus else 0.0
            for box in self.rules.categories
        ]
        return np.asarray(points * (1.0 + np.array(slopes))[:, None] - self.prices[:, None])

    def _turn(self, joker_filled: bool, paid: bool) -> tuple[TurnModel, Ints]:
        """Return the turn as the kernels take it, and the box of each outcome."""
        rules = self.rules
        grid = lattice(rules.dice, rules.faces)
        points, bonus = self.status_points(joker_filled, paid)
        gains = self.gains(points) + bonus  # (categories, rolls)
        extra = first_roll_points(rules)  # by box
        collected = _Outcomes(grid.first_roll)
        no_shift = np.zeros(grid.n_rolls, dtype=np.int64)
        for c in self.exact:
            weight = self.weights[self._chain_of(c)]
            step = np.full(grid.n_rolls, weight)
            if self.has_flag and c == rules.tracked_index:
                step += np.where(points[c] > 0, self.cards, 0)
            shift = points[c] if c in self.upper else no_shift
            of_rolls = _OutcomeOfRolls(gains[c], np.full(grid.n_rolls, c), shift, step)
            crossed_out = (-self.prices[c], weight)
            collected.add(of_rolls, extra[c], crossed_out)
        if self.members:  # a roll fills the one with the largest gain
            members = np.array(self.members)
            weight = self.weights[-1]
            best = members[gains[members].argmax(axis=0)]  # the box that each roll fills
            values = gains[best, np.arange(grid.n_rolls)]
            most_extra = max(extra[c] for c in self.members)
            # This is the outcome that every roll may have. It is the lowest, or below it if a first
            # roll adds points to all of them.
            lowest = (float(values.min()) - (1.0 if most_extra else 0.0), weight)
            step = np.full(grid.n_rolls, weight)
            collected.add(_OutcomeOfRolls(values, best, no_shift, step), most_extra, lowest)
        outcomes, boxes = collected.arrays()
        category_count = len(collected.start) - 1
        none = np.zeros(0, dtype=np.int64)
        model = TurnModel(
            layout=self.layout,
            outcomes=outcomes,
            number=none,
            turn_outcomes=TurnOutcomes(none, none, np.zeros(0), none, none, 0),
            # The model has no jokers of its own, which `status_points` pays, and every open category
            # may be filled.
            jokers=JokerModel(none, np.full(grid.n_rolls, -1), none, 0, 0, 0, 0, 0, 0, 0),
            legal=LegalCategories(np.zeros(category_count, dtype=np.int64), 0, 0, 0, none),
            dice=dice_model(rules.dice, rules.faces),
            category_count=category_count,
            upper_bits=0,
            card_count=self.n_rows,
            rolls_per_turn=rules.rolls_per_turn,
            saves_rolls=int(rules.saved_rolls),
            has_first_roll_bonus=int(bool(rules.first_roll_bonus)),
            monotone=1,
            nested=0,
        )
        return model, boxes


class _Outcome(NamedTuple):
    """What filling a box brings: its value, the box, the rise of the upper sum and of the row."""

    value: float
    box: int
    shift: int
    step: int


class _OutcomeOfRolls(NamedTuple):
    """The outcome of each roll in one category, ``(rolls,)`` each.

    The fields are those of `_Outcome`.
    """

    value: Floats
    box: Ints
    shift: Ints
    step: Ints


class _Outcomes:
    """The outcomes of one category after the other, as they are collected."""

    def __init__(self, first_roll: int) -> None:
        self.first_roll = first_roll  # its index in the lattice
        # The first two are fields of CategoryOutcomes, by category.
        self.start = [0]  # the first outcome of each, and the end
        self.first_roll_bonus: list[float] = []
        self.outcomes: list[_Outcome] = []
        self.rolls: list[list[int]] = []  # the rolls that each outcome is for

    def add(self, of_rolls: _OutcomeOfRolls, bonus: float, lowest: tuple[float, int]) -> None:
        """Add a category.

        It has the outcome of each roll, the points of a first roll, and the value and step of the
        lowest outcome, which is offered to every roll.
        """
        value, step = lowest
        box = of_rolls.box[int(of_rolls.value.argmin())].item()
        first = _Outcome(value, box, 0, step)
        rolls: dict[_Outcome, list[int]] = {first: []}
        by_roll = zip(*(column.tolist() for column in of_rolls), strict=True)
        for roll, fields in enumerate(by_roll, self.first_roll):
            rolls.setdefault(_Outcome(*fields), []).append(roll)
        outcomes = [first, *sorted(rolls.keys() - {first})]
        self.outcomes += outcomes
        self.rolls += [rolls[outcome] for outcome in outcomes]
        self.start.append(len(self.outcomes))
        self.first_roll_bonus.append(bonus)

    def arrays(self) -> tuple[CategoryOutcomes, Ints]:
        """Return the outcomes of all categories, and the box that each fills."""
        points, boxes, shift, step = zip(*self.outcomes, strict=True)
        outcomes = CategoryOutcomes(
            start=np.array(self.start, dtype=np.int64),
            points=np.array(points, dtype=np.float64),
            shift=np.array(shift, dtype=np.int64),
            step=np.array(step, dtype=np.int64),
            roll_start=np.cumsum([0, *map(len, self.rolls)], dtype=np.int64),
            rolls=np.concatenate(self.rolls).astype(np.int64),
            hold_start=np.zeros(0, dtype=np.int64),
            holds=np.zeros(0, dtype=np.int64),
            first_roll_bonus=np.array(self.first_roll_bonus, dtype=np.float64),
        )
        return outcomes, np.array(boxes, dtype=np.int64)


def intercept(bonus: Bonus, slope: float) -> float:
    """Return the lowest line of this slope above a bonus, at an upper sum of 0.

    It is lowest where a step begins.
    """
    return float(max(points - slope * threshold for threshold, points in ((0, 0), *bonus.steps)))
