"""Objectives and the layout of their tables: the mean, goals, any utility of the final score,
policy quantities.

For the mean a state has one value, and the lanes of a vector are neighbouring upper sums. If the
objective depends on the final score, a state has a *range of scores* x with one value each, and the
lanes are neighbouring x::

    utility   x = points made since the start      V(full card, x) = U(start + x + bonus)
    goals     x = -(points still needed)           V(full card, x) = 1 if x + bonus >= 0 else 0

In both, scoring p points moves x by p: the value of a child is a load p entries further on. One
table of goals serves every target. Outside the range of a state the chance is known: 1 if no points
are needed, 0 if more are needed than the card can still give. One vector of each surrounds the
range, so that every load is a plain one.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import StateError
from .checked_values import Table
from .dice import Floats, Ints
from .rules import RuleSet
from .scorecard import EMPTY_STATE, State
from .scoring import first_roll_points, possible_points, upper_sums
from .state_space import LANES, Policy, ScoreOffsets, ScorePlaces, StateSpace, state_space

Values = npt.NDArray[Any]
FLOAT64_VALUES = 100_000_000  # larger tables are stored in float32
FRAME = 2 * LANES  # entries beside a range of scores that a float32 vector may touch


class Objective:
    """The mean of the final score, from a state on; base of the others. All but policy quantities
    are maximised.

    To minimise, store minus the quantity: `full_cards` returns minus it, `start_value` turns the
    sign for people.
    """

    name = "mean"  # part of the file name of its tables
    # whether more points never lower the value; a wrong True gives wrong values and no error
    monotone = True
    compute: np.dtype[Any] = np.dtype(np.float64)  # type of the arithmetic
    error = 0.0  # bound of the rounding error; 0 where it is negligible
    # of interpolation between scores, as part of the change of the values; 0: there is none
    tolerance = 0.0
    kernel = "solve_rows"  # entry point in core/turn.py, for values by state
    kernel_arguments: tuple[float, ...] = ()  # beside rows and job
    turn_cost = 1.0  # time of a turn, as a multiple of that for the means
    needs_means = False  # whether the table of means is in memory meanwhile

    def __init__(self, rules: RuleSet, start: State = EMPTY_STATE) -> None:
        self.rules, self.start = rules, start

    @cached_property
    def space(self) -> StateSpace:
        """The states of the game, or of the rest of it."""
        return state_space(self.rules, self.start)

    @property
    def first_layer(self) -> int:
        """Number of filled categories of the last layer that is solved."""
        return self.space.first_layer

    @property
    def solve_options(self) -> str:
        """Options of `yatzy solve` that make the table."""
        return "" if self.name == "mean" else f" --what {self.name}"

    @cached_property
    def places(self) -> StateSpace | ScorePlaces:
        """Where the entries of a table are."""
        return self.space

    @property
    def size(self) -> int:
        """Number of entries of a table."""
        return int(self.places.size)

    @property
    def store(self) -> np.dtype[Any]:
        """Type of the entries of a table."""
        return np.dtype(np.float64 if self.size <= FLOAT64_VALUES else np.float32)

    def layer_sizes(self) -> list[tuple[int, int]] | None:
        """States, and at most so many entries, of each layer that is solved, the start first; None
        if a state has one value.
        """
        return None

    def layer_slice(self, filled: int) -> slice:
        """Part of the table that holds the values of the states with `filled` categories filled."""
        return self.places.layer_slice(filled)

    def full_cards(self) -> Values:
        """Entries of the last layer, which needs no turn: the upper bonus of a full card if it
        has reached it.
        """
        return final_bonus(self.space)

    def start_value(self, last_layer: Values) -> float | None:
        """Value of the start, the last entry of a table; None if a table has no single value for
        it.
        """
        return float(last_layer[-1])

    def parameters(self) -> dict[str, Any]:
        """What the values depend on besides the rules, as JSON: two tables of one name may differ
        in it. StateError if it cannot be written as text.
        """
        if self.start != EMPTY_STATE:
            raise StateError(
                f"a table of {self.name} from this state on cannot be solved in shards"
            )
        return {}


class PolicyQuantity(Objective):
    """Base of quantities of the rest of a game under a policy with the means `values`; default:
    greedy for them.
    """

    points_weight = 0.0  # of the points of each turn
    square_weight = 0.0  # of the squared deviation that each turn adds
    turn_cost = 6.0
    needs_means = True

    def __init__(
        self,
        rules: RuleSet,
        values: Table,
        start: State = EMPTY_STATE,
        policy: Policy | None = None,
    ) -> None:
        super().__init__(rules, start)
        self.values, self.policy = values, policy

    def parameters(self) -> dict[str, Any]:
        """None: the policy is perfect play. StateError under another policy."""
        if self.policy is not None:
            raise StateError(f"{self.name} under a policy cannot be solved in shards")
        return super().parameters()


class PolicyMean(PolicyQuantity):
    """The mean of the points still to come under any policy."""

    name = "policy-mean"
    points_weight = 1.0

    def __init__(self, policy: Policy) -> None:
        super().__init__(policy.rules, np.empty(0), policy.start, policy)


class Variance(PolicyQuantity):
    """The variance of the points still to come."""

    name = "variance"
    square_weight = 1.0

    def full_cards(self) -> Values:
        """Zeros: the final score of a full card is certain."""
        return np.zeros(len(final_bonus(self.space)))


class BonusChance(PolicyQuantity):
    """The chance of the upper bonus."""

    name = "bonus"

    def full_cards(self) -> Values:
        """1 for a card that has reached the bonus, else 0."""
        return (final_bonus(self.space) > 0).astype(np.float64)


class ExponentialUtility(Objective):
    """The expectation of ``sign(rate) exp(rate * points to come)``: aversion to risk (rate < 0),
    or liking of it.
    """

    name = "exponential"
    store = Objective.compute  # float32 does not hold exponentials of large scores
    kernel = "solve_exponential_rows"

    def __init__(self, rules: RuleSet, rate: float, start: State = EMPTY_STATE) -> None:
        super().__init__(rules, start)
        self.rate = float(rate)
        self.kernel_arguments = (self.rate,)

    def parameters(self) -> dict[str, Any]:
        """The rate."""
        return super().parameters() | {"rate": self.rate}

    def full_cards(self) -> Values:
        """The utility of the upper bonus, which is all that a full card has to come."""
        return np.asarray(np.sign(self.rate) * np.exp(self.rate * final_bonus(self.space)))


def final_bonus(space: StateSpace) -> Floats:
    """The upper bonus each full card receives, in the order of the table."""
    layout, sums = space.layout, upper_sums(space.rules)
    numbers_of_saved_rolls = int(space.most_saved[space.categories]) + 1
    parts = []
    for lane_set in layout.lane_sets[space.layers[space.categories]]:
        by_lane = sums.bonuses(layout.lane_upper[lane_set, : layout.lane_count[lane_set]])
        parts.append(np.tile(by_lane, numbers_of_saved_rolls))
    return np.concatenate(parts).astype(np.float64)


class ScoreObjective(Objective):
    """Base of the objectives that look at the whole final score."""

    store = compute = np.dtype(np.float32)
    before, after = 0, FRAME  # entries around each range of scores

    @property
    def error(self) -> float:  # type: ignore[override]
        """Relative error of the arithmetic: half a unit in the last place for each die of each
        roll.
        """
        # Measured for all goals, at most a fifth: Yatzy 1.6e-6 (1.3e-5 stated), giant-forced 3.2e-5
        # (2.0e-4).
        dice = len(self.rules.categories) * self.rules.rolls_per_turn * self.rules.dice
        return float(np.finfo(self.compute).eps) / 2 * dice

    def row_entries(self) -> Ints:
        """At most so many entries for each number of saved rolls, with those around the ranges,
        `(rows,)` int64.
        """
        layout = self.space.layout
        # with the highest bonus in every lane
        longest = self.row_lengths() + upper_sums(self.rules).most_bonus
        return np.asarray(
            layout.lane_count[layout.lane_sets] * (longest + self.before + self.after)
        )

    def layer_sizes(self) -> list[tuple[int, int]]:
        """States, and at most so many entries, of each layer that is solved, the start first."""
        space, layout = self.space, self.space.layout
        copies = space.most_saved[space.filled] + 1
        states, entries = layout.lane_count[layout.lane_sets] * copies, self.row_entries() * copies
        return [
            (int(states[rows].sum()), int(entries[rows].sum()))
            for rows in space.layers[self.first_layer :]
        ]

    def row_lengths(self) -> Ints:
        """Length of the range of scores of each row without the upper bonus, `(rows,)` int64."""
        raise NotImplementedError

    def lane_bonuses(self) -> Ints:
        """What each lane adds to the length of the range of scores, `(lane sets, lane_width)`
        int64.
        """
        return np.zeros_like(self.space.layout.lane_upper)

    def score_range(self, length: Ints) -> tuple[Ints, Ints]:
        """First and last x of ranges of scores of these lengths, `(n,)` int64 each."""
        raise NotImplementedError

    @cached_property
    def places(self) -> ScorePlaces:
        """Where the ranges of scores are."""
        frame = self.before, self.after
        lengths, bonuses = self.row_lengths(), self.lane_bonuses()
        return ScorePlaces(self.space, self.first_layer, lengths, bonuses, self.score_range, frame)

    @property
    def score_offsets(self) -> ScoreOffsets:
        """Where the values of each state are."""
        return self.places.offsets

    def start_value(self, last_layer: Values) -> float | None:
        """None: a table of scores has no single value."""
        return None

    def utility(self, total: Ints) -> Floats:
        """Values `(n,)` of finished games by their scores x `(n,)`, upper bonus included."""
        raise NotImplementedError

    def full_cards(self) -> Values:
        """Entries of the last layer."""
        bonuses = final_bonus(self.space)
        offsets = ScoreOffsets(
            *(np.empty(len(bonuses), dtype=np.int64) for _ in ScoreOffsets._fields)
        )
        filled = self.space.categories
        self.places.fill(offsets, filled, 0, len(self.space.layers[filled]))
        parts = []
        for low, high, bonus in zip(offsets.low, offsets.high, bonuses, strict=True):
            x = np.arange(low - self.before, high + 1 + self.after)
            parts.append(self.utility(x + int(bonus)))
        return np.concatenate(parts).astype(self.compute)

    @cached_property
    def pays_jokers(self) -> npt.NDArray[np.bool_]:
        """Whether the joker bonus can be paid on the card of each row, `(rows,)`."""
        rules, masks = self.rules, self.space.layout.masks
        # whether the joker's box is filled; of no use without one
        pays = masks >> max(rules.joker_index, 0) & 1 == 1
        if rules.joker and rules.joker.bonus_requires == "points":
            pays &= np.arange(len(masks)) >= self.space.cards  # rows whose tracked box holds points
        return np.asarray(pays)

    def best_points(self) -> Ints:
        """Most points of each category in one turn, `(categories,)`: first-roll bonus included,
        joker bonus not.
        """
        best = np.array([*map(max, possible_points(self.rules))], dtype=np.int64)
        return best + np.array(first_roll_points(self.rules), dtype=np.int64)


class Goals(ScoreObjective):
    """The chance to make at least n more points, for every n."""

    name = "goals"
    before = FRAME

    def row_lengths(self) -> Ints:
        """Most points still possible for each row, without the upper bonus, `(rows,)` int64."""
        space, joker = self.space, self.rules.joker
        closed, best = space.layout.masks, self.best_points()
        most = np.full(len(closed), best.sum())
        for category in range(space.categories):  # one by one: 24 boxes have 16 million cards
            most -= (closed >> category & 1) * best[category]
        if joker and joker.bonus:
            # Each turn can pay the bonus, but for that which fills the joker's box.
            joker_open = ~closed >> self.rules.joker_index & 1
            paying_turns = space.categories - space.filled - joker_open
            most += np.where((joker_open == 1) | self.pays_jokers, paying_turns * joker.bonus, 0)
        return most

    def lane_bonuses(self) -> Ints:
        """Highest upper bonus still possible for each lane, `(lane sets, lane_width)` int64."""
        layout, sets, uppers = self.space.layout, self.space.lanes, upper_sums(self.rules)
        if not self.rules.bonus:
            return np.zeros_like(layout.lane_upper)
        return np.array(
            [uppers.bonuses(upper, sets.filled(i)) for i, upper in enumerate(layout.lane_upper)]
        )

    def score_range(self, length: Ints) -> tuple[Ints, Ints]:
        """From minus the points still possible to -1."""
        return -length, np.full_like(length, -1)

    def utility(self, total: Ints) -> Floats:
        """1 if no more points are needed, else 0."""
        return (total >= 0).astype(np.float64)


class Utility(ScoreObjective):
    """The expected utility: the mean of a function of the points since `start`, bonus included,
    `(n,)` int64.
    """

    name = "utility"

    def __init__(
        self, rules: RuleSet, utility: Callable[[Ints], Floats], start: State = EMPTY_STATE
    ) -> None:
        super().__init__(rules, start)
        self._utility = utility

    def row_lengths(self) -> Ints:
        """Most points possible since `start` for each row, without the upper bonus, `(rows,)`
        int64.
        """
        return self.points_of_cards(self.best_points())

    def points_of_cards(self, best: Ints) -> Ints:
        """The same with the points `best`, `(categories,)`, in the boxes; joker bonuses
        included.
        """
        space, joker = self.space, self.rules.joker
        filled_since = space.layout.masks & ~np.int64(self.start.filled)
        filled = filled_since[:, None] >> np.arange(space.categories) & 1  # (rows, categories)
        most: Ints = filled @ best
        if joker and joker.bonus:
            # all but that of the joker's box
            paying_turns = filled.sum(axis=1) - filled[:, self.rules.joker_index]
            most += self.pays_jokers * paying_turns * joker.bonus
        return most

    def score_range(self, length: Ints) -> tuple[Ints, Ints]:
        """From 0 to the most points possible since `start`."""
        return np.zeros_like(length), length

    @property
    def most_points(self) -> int:
        """Most points since `start` of which the utility may be asked, upper bonus included."""
        rows = np.concatenate(self.space.layers[self.first_layer :])
        return int(self.row_lengths()[rows].max()) + upper_sums(self.rules).most_bonus

    @cached_property
    def monotone(self) -> bool:  # type: ignore[override]
        """Whether more points never lower the utility."""
        utilities = self.utility(np.arange(self.most_points + 1))
        return bool((np.diff(utilities) >= 0).all())

    def utility(self, total: Ints) -> Floats:
        """The given function."""
        return self._utility(total)

    def parameters(self) -> dict[str, Any]:
        """The utility of every final score from 0 on."""
        scores = np.arange(self.most_points + self.after + 1)
        return super().parameters() | {"utilities": self.utility(scores).tolist()}


class ReachableUtility(Utility):
    """The same values, with the scores that the upper sum of a card allows: two thirds of those
    of the card alone.
    """

    def __init__(
        self,
        rules: RuleSet,
        utility: Callable[[Ints], Floats],
        start: State = EMPTY_STATE,
        tolerance: float = 0.0,
    ) -> None:
        super().__init__(rules, utility, start)
        self.tolerance = tolerance

    def parameters(self) -> dict[str, Any]:
        """StateError: its scores are placed in another way than those of a description."""
        raise StateError(f"a table of {self.name} from this state on cannot be solved in shards")

    @cached_property
    def _points_made(self) -> tuple[Ints, Ints, Ints]:
        """Most points since `start` in boxes that count to no bonus, by row; fewest and most in
        others, by lane.
        """
        # The upper sum says how many points the upper boxes hold; they have a range only where sums
        # share a lane.
        extra = np.array(first_roll_points(self.rules))
        fewest, most = self.space.lanes.points_made(extra, self.space.layout.lane_width)
        best = self.best_points()
        best[list(upper_sums(self.rules).counting)] = 0
        return self.points_of_cards(best), fewest, most

    def row_entries(self) -> Ints:
        """The entries for each number of saved rolls, `(rows,)` int64."""
        layout = self.space.layout
        others, least, most = self._points_made
        shortest = layout.lane_count[layout.lane_sets] * (others + 1 + self.before + self.after)
        return np.asarray(shortest + (most - least).sum(axis=1)[layout.lane_sets])

    @cached_property
    def places(self) -> ScorePlaces:
        """Where the ranges of scores are."""
        others, least, most = self._points_made
        frame = self.before, self.after
        return ScorePlaces(
            self.space, self.first_layer, others, most - least, self.score_range, frame, least
        )
