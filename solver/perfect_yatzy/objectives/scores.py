"""The objectives that look at the whole final score: goals, and any utility of the score.

A state has a *range of scores* x with one value each, and the lanes of a vector are neighbouring
x::

    utility   x = points made since the start      V(full card, x) = U(start + x + bonus)
    goals     x = -(points still needed)           V(full card, x) = 1 if x + bonus >= 0 else 0

In both, scoring p points moves x by p: the value of a child is a load p entries further on. One
table of goals serves every target. Outside the range of a state the chance is known: 1 if no points
are needed, 0 if more are needed than the card can still give. One vector of each surrounds the
range, so that every load is a plain one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..core.checked_values import sparse_array
from ..core.dice import Floats, Ints
from ..core.objectives import Misses, Objective, final_bonus
from ..core.rules import RuleSet
from ..core.scoring import first_roll_points, possible_points, upper_sums
from ..core.state import EMPTY_STATE, State
from ..core.table_slices import FRAME, Values
from ..errors import StateError
from .score_places import Ranges, ScoreOffsets, ScorePlaces, new_offsets

if TYPE_CHECKING:
    from ..core.turn import SolveJob

MOST_SPACING = 4  # of scores; more would not save much, because a range has to fill a vector
DENSE_LAYERS = 5  # at the start, whose values are answers; they cost little


class ScoreObjective(Objective):
    """Base of the objectives that look at the whole final score."""

    store = compute = np.dtype(np.float32)
    before, after = 0, FRAME  # entries around each range of scores
    # of interpolation between scores, as part of the change of the values; 0: there is none
    tolerance = 0.0
    rows_per_task = 4
    least_shard_rows = 8

    @property
    def error(self) -> float:  # type: ignore[override]
        """Relative error of the arithmetic.

        It is half a unit in the last place for each die of each roll.
        """
        # Measured for all goals, at most a fifth: Yatzy 1.6e-6 (1.3e-5 stated), giant-forced 3.2e-5
        # (2.0e-4).
        dice = len(self.rules.categories) * self.rules.rolls_per_turn * self.rules.dice
        return float(np.finfo(self.compute).eps) / 2 * dice

    def row_entries(self) -> Ints:
        """Return how many entries each row has at most for one number of saved rolls.

        The frames around the ranges are included. The shape is `(rows,)`, the type int64.
        """
        layout = self.space.layout
        # with the highest bonus in every lane
        low, high = self.score_range(self.row_lengths() + upper_sums(self.rules).most_bonus)
        entries_of_lane = high - low + 1 + self.before + self.after
        return np.asarray(layout.lane_count[layout.lane_sets] * entries_of_lane)

    def layer_sizes(self) -> list[tuple[int, int]]:
        """Return the states of each layer that is solved, and a bound of its entries.

        The start is first.
        """
        space = self.space
        layout = self.space.layout
        copies = space.most_saved[space.filled] + 1
        states = layout.lane_count[layout.lane_sets] * copies
        entries = self.row_entries() * copies
        return [
            (int(states[rows].sum()), int(entries[rows].sum()))
            for rows in space.layers[self.first_layer :]
        ]

    def row_lengths(self) -> Ints:
        """Return the length of the range of scores of each row, `(rows,)` int64.

        The upper bonus is not included.
        """
        raise NotImplementedError

    def lane_bonuses(self) -> Ints:
        """Return what each lane adds to the length of the range of scores.

        The shape is `(lane sets, lane_width)`, the type int64.
        """
        return np.zeros_like(self.space.layout.lane_upper)

    def score_range(self, length: Ints) -> tuple[Ints, Ints]:
        """Return the first and last x of ranges of scores of these lengths, `(n,)` int64 each."""
        raise NotImplementedError

    @cached_property
    def places(self) -> ScorePlaces:
        """Where the ranges of scores are."""
        frame = (self.before, self.after)
        ranges = Ranges(self.row_lengths(), self.lane_bonuses())
        return ScorePlaces(self.space, self.first_layer, ranges, self.score_range, frame)

    @property
    def score_offsets(self) -> ScoreOffsets:
        """Where the values of each state are."""
        return self.places.offsets

    def row_work(self, filled: int) -> Ints:
        """Return what each row of a layer costs, in values."""
        return np.diff(self.places.row_starts(filled))

    def solve_rows(
        self, job: SolveJob, rows: Ints, spacing: int = 1, offsets: ScoreOffsets | None = None
    ) -> Misses:
        """Write the values of rows of a layer.

        Returns how far twice the spacing of scores would miss them.
        """
        from .score_turn_kernel import solve_score_rows

        is_certain_beyond = self.before > 0
        places = offsets or self.score_offsets
        missed, changes = solve_score_rows(rows, job, places, is_certain_beyond, spacing)
        return missed, changes

    def next_spacing(self, spacing: int, filled: int, misses: Iterable[Misses]) -> int:
        """Return the spacing of the next layer.

        Fewer scores are solved if this layer, with one turn less to come, is smooth enough.
        """
        if filled <= self.first_layer + DENSE_LAYERS:
            return 1
        missed, changes = map(sum, zip(*misses, strict=True))  # of all rows of the layer
        turns_to_come = self.space.categories - filled
        # one turn makes it less smooth
        if turns_to_come > 1 and missed < changes * self.tolerance**2:
            return min(2 * spacing, MOST_SPACING)
        return spacing

    def offsets_of(self, parts: Iterable[tuple[int, int, int]]) -> ScoreOffsets:
        """Return where the values of the states of some rows are.

        The arrays take memory only for these states.
        """
        states = int(self.space.layer_slice(self.first_layer).stop)
        offsets = new_offsets(states, sparse_array)
        for filled, first, end in parts:
            self.places.fill(offsets, filled, first, end)
        return offsets

    def start_value(self, last_layer: Values) -> float | None:
        """Return None, because a table of scores has no single value."""
        return None

    def utility(self, total: Ints) -> Floats:
        """Return the values of finished games by their scores x, upper bonus included, `(n,)` each."""
        raise NotImplementedError

    def full_cards(self) -> Values:
        """Return the entries of the last layer."""
        bonuses = final_bonus(self.space)
        offsets = new_offsets(len(bonuses))
        filled = self.space.categories
        self.places.fill(offsets, filled, 0, len(self.space.layers[filled]))
        parts = []
        for low, high, bonus in zip(offsets.low, offsets.high, bonuses, strict=True):
            x = np.arange(low - self.before, high + 1 + self.after)
            parts.append(self.utility(x + int(bonus)))
        return np.concatenate(parts).astype(self.compute)

    @cached_property
    def pays_jokers(self) -> npt.NDArray[np.bool_]:
        """Whether the joker bonus can be paid on the card of each row, `(rows,)`.

        It has no meaning without a joker.
        """
        rules = self.rules
        masks = self.space.layout.masks
        # whether the joker's box is filled
        pays = masks >> max(rules.joker_index, 0) & 1 == 1
        if rules.joker and rules.joker.bonus_requires == "points":
            # The tracked box is then that of the joker. In the further rows it holds points.
            pays &= np.arange(len(masks)) >= self.space.cards
        return np.asarray(pays)

    def best_points(self) -> Ints:
        """Return the most points of each category in one turn, `(categories,)`.

        The first-roll bonus is included, the joker bonus is not.
        """
        best = np.array([*map(max, possible_points(self.rules))], dtype=np.int64)
        return best + np.array(first_roll_points(self.rules), dtype=np.int64)


class Goals(ScoreObjective):
    """The chance to make at least n more points, for every n."""

    name = "goals"
    before = FRAME

    def row_lengths(self) -> Ints:
        """Return the most points still possible for each row, `(rows,)` int64.

        The upper bonus is not included.
        """
        space = self.space
        joker = self.rules.joker
        closed = space.layout.masks
        best = self.best_points()
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
        """Return the highest upper bonus still possible for each lane.

        The shape is `(lane sets, lane_width)`, the type int64.
        """
        layout = self.space.layout
        sets = self.space.lanes
        uppers = upper_sums(self.rules)
        if not self.rules.bonus:
            return np.zeros_like(layout.lane_upper)
        return np.array(
            [uppers.bonuses(upper, sets.filled(i)) for i, upper in enumerate(layout.lane_upper)]
        )

    def score_range(self, length: Ints) -> tuple[Ints, Ints]:
        """Return ranges from minus the points still possible to -1."""
        return -length, np.full_like(length, -1)

    def utility(self, total: Ints) -> Floats:
        """Return 1 if no more points are needed, else 0."""
        return (total >= 0).astype(np.float64)


class Utility(ScoreObjective):
    """The expected utility: the mean of a function of the points since `start`.

    The points, `(n,)` int64, include the bonus.
    """

    name = "utility"

    def __init__(
        self, rules: RuleSet, utility: Callable[[Ints], Floats], start: State = EMPTY_STATE
    ) -> None:
        super().__init__(rules, start)
        self._utility = utility

    def row_lengths(self) -> Ints:
        """Return the most points possible since `start` for each row, `(rows,)` int64.

        The upper bonus is not included.
        """
        return self.points_of_cards(self.best_points())

    def points_of_cards(self, best: Ints) -> Ints:
        """Return what :meth:`row_lengths` does, with the points `best` in the boxes.

        `best` is `(categories,)`. Joker bonuses are included.
        """
        space = self.space
        joker = self.rules.joker
        filled_since = space.layout.masks & ~np.int64(self.start.filled)
        filled = filled_since[:, None] >> np.arange(space.categories) & 1  # (rows, categories)
        most: Ints = filled @ best
        if joker and joker.bonus:
            # all but that of the joker's box
            paying_turns = filled.sum(axis=1) - filled[:, self.rules.joker_index]
            most += self.pays_jokers * paying_turns * joker.bonus
        return most

    def score_range(self, length: Ints) -> tuple[Ints, Ints]:
        """Return ranges from 0 to the most points possible since `start`."""
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
        """Return the values of the given function."""
        return self._utility(total)

    def parameters(self) -> dict[str, Any]:
        """Return the utility of every final score from 0 on, on which the values depend."""
        scores = np.arange(self.most_points + self.after + 1)
        return super().parameters() | {"utilities": self.utility(scores).tolist()}


class PointsMade(NamedTuple):
    """What the points of a card since the start of an objective may be."""

    uncounted: Ints  # (rows,): most points in the boxes that count to no bonus
    fewest: Ints  # (lane sets, lane_width): in the boxes that count to one
    most: Ints  # (lane sets, lane_width)


class ReachableUtility(Utility):
    """The same values, with the scores that the upper sum of a card allows.

    They are two thirds of those of the card alone.
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
        """Raise StateError, because the scores are placed otherwise than those of a description."""
        raise StateError(f"a table of {self.name} from this state on cannot be solved in shards")

    @cached_property
    def _points_made(self) -> PointsMade:
        """What the points since `start` may be, by row and by lane."""
        # The upper sum says how many points the upper boxes hold; they have a range only where sums
        # share a lane.
        extra = np.array(first_roll_points(self.rules))
        fewest, most = self.space.lanes.points_made(extra, self.space.layout.lane_width)
        best = self.best_points()
        best[list(upper_sums(self.rules).counting)] = 0
        return PointsMade(self.points_of_cards(best), fewest, most)

    def row_entries(self) -> Ints:
        """Return how many entries each row has for one number of saved rolls, `(rows,)` int64."""
        layout = self.space.layout
        made = self._points_made
        shortest = made.uncounted + 1 + self.before + self.after
        of_bonuses = (made.most - made.fewest).sum(axis=1)
        lanes = layout.lane_count[layout.lane_sets]
        return np.asarray(lanes * shortest + of_bonuses[layout.lane_sets])

    @cached_property
    def places(self) -> ScorePlaces:
        """Where the ranges of scores are."""
        made = self._points_made
        ranges = Ranges(made.uncounted, made.most - made.fewest, made.fewest)
        frame = self.before, self.after
        return ScorePlaces(self.space, self.first_layer, ranges, self.score_range, frame)
