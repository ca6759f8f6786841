"""A game relaxed by prices: each use of a box costs its price, and most boxes may be used any number of times.

Let ``lam_c`` be a price for each box c. For a card with the open boxes S::

    V(S, u) <= sum over c in S of lam_c + W(g(S), u)

where ``g(S)`` is what :class:`.relaxed_layout.RelaxedLayout` remembers of the card and W the value of the relaxed
game, in which a turn may fill any exact box that is open, or any box of the class while the class has turns left::

    W(g, u) = E[ best turn of max over boxes c that g allows of  p_c(roll) - lam_c + W(g after c, u + p_c) ]

Every choice of the game is a choice of the relaxed game, which proves the inequality for any prices, by induction
over the turns (Lagrangian relaxation of "each box exactly once"; Adelman and Mersereau, "Relaxations of weakly
coupled stochastic dynamic programs", Operations Research 56, 2008). All boxes of the class lead to the same state, so
the class is one category, which pays the best of ``p_c(roll) - lam_c``.

The relaxed game allows more than the rules wherever they would need a longer memory. A joker may go to any box, and
pays fixed points in full and the bonus whether or not its upper box is open; a box may be crossed out at any time;
a box of the class may come before the boxes of the class it has to wait for. An upper bonus whose sum is not
remembered is replaced by a line above it: ``paid(x) <= intercept + slope * x``.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..game.dice import Floats, Ints, lattice
from ..game.rules import Bonus, RuleSet
from ..game.scoring import full_points, points_table, upper_sums
from .relaxed_layout import Levels, RelaxedLayout
from .turn_model import CategoryOutcomes, JokerModel, LegalCategories, TurnModel, TurnOutcomes, dice_model
from .turn_slots import open_boxes


class RelaxedGame(RelaxedLayout):
    """The relaxed game as the flat arrays of the kernels, with a price for each box, in points."""

    # `slopes`: of the line above each bonus whose sum is not remembered, at least 0 (default).
    models: list[TurnModel]  # the turn, by what is known of the tracked box (:meth:`status`)

    def __init__(
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
        self.slopes = np.zeros(len(rules.bonuses)) if slopes is None else np.array(slopes, dtype=np.float64)
        if self.prices.shape != (len(rules.categories),) or not np.isfinite(self.prices).all():
            raise ValueError("a relaxed game needs a finite price for each category")
        if self.slopes.shape != (len(rules.bonuses),) or not (np.isfinite(self.slopes) & (self.slopes >= 0)).all():
            raise ValueError("a relaxed game needs a slope of at least 0 for each bonus")
        if self.bonus is not None:
            self.slopes[bonus_column] = 0.0
        self._turns = [self._turn(*status) for status in self.statuses]
        self.models = [turn[0] for turn in self._turns]

    @property
    def statuses(self) -> list[tuple[bool, bool]]:
        """Whether the joker's box is filled, and whether the tracked box holds points; in the order of `models`."""
        jokers = (False, True) if self.rules.joker else (False,)
        return [(filled, paid) for paid in (False, True)[: 1 + self.has_flag] for filled in jokers]

    def status(self, rows: Ints) -> Ints:
        """Index into `models` of each row, ``(n,)`` int64."""
        joker = self.rules.joker_index
        if joker < 0:
            return np.asarray(rows // self.cards)
        chain = next(j for j, boxes in enumerate(self.chains) if joker in boxes)
        digit = rows % self.cards // self.weights[chain] % self.bases[chain]
        return np.asarray((digit > self.chains[chain].index(joker)) + 2 * (rows // self.cards))

    def boxes(self, status: int) -> Ints:
        """The box of the sheet that each outcome of a turn fills, ``(outcomes,)`` int64."""
        return self._turns[status][1]

    def offset(self, filled: Ints, upper: Ints) -> Floats:
        """What is added to W for an upper bound: prices of open boxes, and the lines above bonuses not remembered."""
        total = np.zeros(len(filled))
        for price, is_open in zip(self.prices.tolist(), open_boxes(self.rules, filled).T, strict=True):
            total += np.where(is_open, price, 0.0)
        sums = upper_sums(self.rules)
        for b, bonus in enumerate(self.rules.bonuses):
            if self.bonus is None or b != self.bonus_column:
                own_sum = upper // sums.weights[b] % sums.widths[b]
                total += intercept(bonus, self.slopes[b]) + self.slopes[b] * np.minimum(own_sum, bonus.threshold)
        return total

    def full_cards(self, row: int) -> Floats:
        """W of a full card: the bonus that each lane has reached, ``(lanes * (saved rolls + 1),)``."""
        lane_set = self.layout.lane_sets[row]
        uppers = self.layout.lane_upper[lane_set, : self.layout.lane_count[lane_set]].tolist()
        paid = [float(self.bonus.paid(upper)) if self.bonus else 0.0 for upper in uppers]
        return np.tile(paid, int(self.most_saved[self.turns]) + 1)

    def status_points(self, joker_filled: bool, paid: bool) -> tuple[Ints, Ints]:
        """Most points of each box for each roll, and the bonus points of the roll in any box."""
        rules, joker = self.rules, self.rules.joker
        points = points_table(rules).copy()
        for c, category in enumerate(rules.categories):
            if category.requires and not paid:
                points[c] = 0
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
        """Points less the price, and what they are worth on the lines above the bonuses, ``(categories, rolls)``."""
        slopes = [self.slopes[box.column] if box.upper and self.rules.bonus else 0.0 for box in self.rules.categories]
        return np.asarray(points * (1.0 + np.array(slopes))[:, None] - self.prices[:, None])

    def _turn(self, joker_filled: bool, paid: bool) -> tuple[TurnModel, Ints]:
        """The turn as the kernels take it, and the box of each outcome."""
        rules, grid = self.rules, lattice(self.rules.dice, self.rules.faces)
        points, bonus = self.status_points(joker_filled, paid)
        gains, first_roll_bonus = self.gains(points) + bonus, dict(rules.first_roll_bonus)
        extra = [float(first_roll_bonus.get(box.id, 0)) for box in rules.categories]
        found = _Outcomes(grid.first_roll)
        for c in self.exact:
            chain = next(j for j, boxes in enumerate(self.chains) if c in boxes)
            step = np.full(grid.n_rolls, self.weights[chain])
            if self.has_flag and c == rules.tracked_index:
                step += np.where(points[c] > 0, self.cards, 0)
            shift = points[c] if c in self.upper else np.zeros_like(points[c])
            crossed_out = -self.prices[c]
            found.add(np.full(grid.n_rolls, c), gains[c], shift, step, extra[c], (crossed_out, self.weights[chain]))
        if self.members:
            among = np.array(self.members)
            best = among[gains[among].argmax(axis=0)]
            values = gains[best, np.arange(grid.n_rolls)]
            most = max(extra[c] for c in self.members)
            # The outcome every roll may have: the lowest, or below it if a first roll adds points to all of them.
            lowest = (float(values.min()) - (1.0 if most else 0.0), self.weights[-1])
            steps = np.full(grid.n_rolls, self.weights[-1])
            found.add(best, values, np.zeros(grid.n_rolls, dtype=np.int64), steps, most, lowest)
        (outcomes, boxes), none = found.arrays(), np.zeros(0, dtype=np.int64)
        model = TurnModel(
            layout=self.layout,
            outcomes=outcomes,
            turn_outcomes=TurnOutcomes(none, none, np.zeros(0), none, none, 0),
            number=none,
            # It has no jokers of its own, which `status_points` pays, and every open category may be filled.
            jokers=JokerModel(none, np.full(grid.n_rolls, -1), none, 0, 0, 0, 0, 0, 0, 0),
            legal=LegalCategories(np.zeros(len(found.start) - 1, dtype=np.int64), 0, 0, 0, none),
            dice=dice_model(rules.dice, rules.faces),
            category_count=len(found.start) - 1,
            upper_bits=0,
            card_count=self.n_rows,
            rolls_per_turn=rules.rolls_per_turn,
            saves_rolls=int(rules.saved_rolls),
            has_first_roll_bonus=int(bool(rules.first_roll_bonus)),
            monotone=1,
            nested=0,
        )
        return model, boxes


class _Outcomes:
    """Collects the outcomes of one category after the other."""

    def __init__(self, first_roll: int) -> None:
        self.first_roll, self.start, self.first_roll_bonus = first_roll, [0], list[float]()
        self.found: list[tuple[float, int, int, int, Ints]] = []  # points, box, shift, step, rolls

    def add(
        self, boxes: Ints, values: Floats, shift: Ints, step: Ints, bonus: float, lowest: tuple[float, int]
    ) -> None:
        """Add a category: box, value, rise of the upper sum and of the row for each roll, and the lowest outcome."""
        keys = list(zip(values.tolist(), boxes.tolist(), shift.tolist(), step.tolist(), strict=True))
        first = (lowest[0], boxes[int(values.argmin())].item(), 0, lowest[1])
        numbers = {first: 0}
        for key in sorted(set(keys)):
            numbers.setdefault(key, len(numbers))
        of_roll = np.array([numbers[key] for key in keys])
        for key, number in numbers.items():
            self.found.append((*key, np.flatnonzero(of_roll == number) + self.first_roll))
        self.start.append(len(self.found))
        self.first_roll_bonus.append(bonus)

    def arrays(self) -> tuple[CategoryOutcomes, Ints]:
        """The outcomes of all categories, and the box that each fills."""
        points, boxes, shift, step, rolls = zip(*self.found, strict=True)
        found = CategoryOutcomes(
            start=np.array(self.start, dtype=np.int64),
            points=np.array(points, dtype=np.float64),
            shift=np.array(shift, dtype=np.int64),
            step=np.array(step, dtype=np.int64),
            roll_start=np.cumsum([0, *map(len, rolls)], dtype=np.int64),
            rolls=np.concatenate(rolls).astype(np.int64),
            hold_start=np.zeros(0, dtype=np.int64),
            holds=np.zeros(0, dtype=np.int64),
            first_roll_bonus=np.array(self.first_roll_bonus, dtype=np.float64),
        )
        return found, np.array(boxes, dtype=np.int64)


def intercept(bonus: Bonus, slope: float) -> float:
    """The lowest line of this slope above a bonus, at an upper sum of 0; it is lowest where a step begins."""
    return float(max(points - slope * threshold for threshold, points in ((0, 0), *bonus.steps)))
