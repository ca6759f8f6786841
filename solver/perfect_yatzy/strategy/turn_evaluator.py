"""Evaluate one turn in NumPy: every hold and category of one card, from the values of its children.

    stop(roll)      = max over categories of points + bonus points + V(child)      the turn ends
    hold_n(h)       = mean over the faces of one more die of hold_n(h + face)      n rerolls left; full roll: best_n-1
    best_n(roll)    = max of stop(roll) and of hold_n(h) over all h within the roll
    V(card)         = sum over first rolls of P(roll) best(roll)                   the Bellman equation

This is the mathematics of :mod:`perfect_yatzy.core.turn` for a single state and without numba. So a
query starts quickly, and the tests compare the two.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import closing
from copy import copy
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.checked_values import Table
from ..core.dice import Floats, Ints, Lattice, lattice, sub_multisets
from ..core.rules import RuleSet
from ..core.scoring import points_table, scoring_options, upper_sums
from ..core.state import EMPTY_STATE, State
from ..core.state_space import StateLayout, StateSpace, state_space
from ..core.table_slices import window
from ..errors import StateError
from ..game.notation import check_dice, counts_of, dice_of
from ..game.roll_options import roll_options
from ..settings import Settings
from ..words import _, span
from .tie_rules import clipped

if TYPE_CHECKING:
    from ..objectives.policy_quantities import RowActions
    from ..objectives.score_places import ScoreOffsets
    from ..objectives.score_table_kernel import StoredScores
    from ..objectives.scores import ScoreObjective
    from ..tablebase.exact_solve import ExactSolve

MOST_MARKED = 1 << 20  # numbers that are marked in an array instead of sorted


@dataclass(frozen=True)
class Level:
    """The multisets of one size: their place in the lattice, and those with one die more or less."""

    place: slice
    successors: Ints  # (n, faces): those with one die more, empty for full rolls
    by_face: Ints  # (faces, n): the same by face
    predecessors: Ints  # (n, most): those with one die less, padded with the last of them


class Passes:
    """The two passes over the lattice of `dice` in NumPy, a level of equal sizes at a time."""

    def __init__(self, dice: Lattice) -> None:
        self.dice = dice
        self.levels = [self._level(size) for size in range(dice.dice + 1)]

    def _level(self, size: int) -> Level:
        dice = self.dice
        place = slice(int(self.dice.first[size]), int(self.dice.first[size + 1]))
        starts = dice.predecessor_start[place.start : place.stop + 1]
        counts = np.diff(starts)[:, None]  # the number of predecessors of each multiset
        # These are 0, 1, 2 ..., and the last one is repeated.
        column = np.minimum(np.arange(counts.max()), counts - 1)
        successors = dice.successors[place]
        by_face = np.ascontiguousarray(successors.T)
        return Level(place, successors, by_face, dice.predecessors[starts[:-1, None] + column])

    def holds_from_rolls(self, rolls: Floats) -> Floats:
        """Return the value of every hold, `(holds,)`.

        `rolls` has the value of every full roll `(rolls,)` after the reroll.
        """
        buffer: Floats = np.empty(self.dice.n_holds, dtype=np.result_type(rolls, np.float64))
        buffer[self.dice.first_roll :] = rolls
        share: Any = Fraction(1, self.dice.faces)
        if buffer.dtype != object:
            share = float(share)
        for level in self.levels[-2::-1]:  # one die less than a roll, two less, ... none
            buffer[level.place] = self._sum_of_faces(buffer[level.by_face]) * share
        return buffer

    def _sum_of_faces(self, values: Floats) -> Floats:
        """Return the sum over the faces, ``(faces, n)`` to ``(n,)``.

        The order is that of :mod:`perfect_yatzy.core.lattice`, pairs of faces one after another, so
        that both agree to the bit.
        """
        faces = self.dice.faces
        pairs = [values[face] + values[face + 1] for face in range(0, faces - 1, 2)]
        if faces % 2:
            pairs.append(values[-1])
        total: Floats = pairs[0]
        for pair in pairs[1:]:
            total = total + pair
        return total

    def rolls_from_holds(self, chances: Floats) -> Floats:
        """Return the chance of every full roll, `(rolls,)`.

        `chances` has that of every hold `(holds,)` before the reroll.
        """
        buffer = chances.copy()
        for level in self.levels[:-1]:
            # for each face of one more die
            share = np.repeat(buffer[level.place] / self.dice.faces, self.dice.faces)
            buffer += np.bincount(level.successors.ravel(), weights=share, minlength=len(buffer))
        return buffer[self.dice.first_roll :]

    def best_within(self, holds: Floats) -> Floats:
        """Return the best hold within every full roll, `(rolls,)`, from the value of every hold."""
        buffer = holds.copy()
        for level in self.levels[1:]:
            buffer[level.place] = np.maximum(
                buffer[level.place], buffer[level.predecessors].max(axis=1)
            )
        return buffer[self.dice.first_roll :]


@lru_cache(maxsize=8)
def passes(dice: int, faces: int) -> Passes:
    """Return the passes over a lattice, which are made once a process."""
    return Passes(lattice(dice, faces))


def distinct_numbers(numbers: Ints, end: int) -> tuple[Ints, Ints]:
    """Return the different ones of some numbers from 0 to ``end - 1``, ascending.

    The second array has the place of each number among them.
    """
    if end > MOST_MARKED:
        return np.unique(numbers, return_inverse=True)
    # This is faster than sorting them.
    occurs = np.zeros(end, dtype=bool)
    occurs[numbers] = True
    distinct = np.flatnonzero(occurs)
    place = np.empty(end, dtype=np.int64)
    place[distinct] = np.arange(len(distinct))
    return distinct, place[numbers]


def state_places(layout: StateLayout, rows: Ints, saved: Ints | int, lanes: Ints) -> Ints:
    """Return places in the table of states, from their rows, saved rolls and lanes."""
    return np.asarray(
        layout.offsets[rows] + saved * layout.lane_count[layout.lane_sets[rows]] + lanes
    )


def state_at(space: StateSpace, row: int, place: int) -> State:
    """Return the state at a place in the table, from its row."""
    layout = space.layout
    lane_set = layout.lane_sets[row]
    saved, lane = divmod(place - int(layout.offsets[row]), int(layout.lane_count[lane_set]))
    upper = int(layout.lane_upper[lane_set, lane])
    return State(int(layout.masks[row]), upper, saved, joker_paid=row >= space.cards)


@dataclass
class SingleQuestions:
    """The questions about single positions that an evaluator was asked, for :mod:`.changeover`."""

    asked: int = 0  # those that NumPy has answered
    next_try: int = 3_000  # number of the question at which compiled code is tried
    tried_memory: bool = False  # whether it was looked for in memory
    compiled: Any = None  # what answers them in compiled code


class TurnEvaluator:
    """Evaluator of turns of a rule set from a solved table of the states of a space.

    By default they are those of the whole game.
    """

    # The absolute and the relative tolerance. Values that differ by no more are equal. They are
    # points, as in the kernels, and the arithmetic is good to about 1e-12.
    ties = (1e-10, 0.0)
    number: type = np.float64  # the type of a value
    has_kernel = True  # whether compiled code can answer questions about single positions
    _means: TurnEvaluator | None = None
    # The values of holds of the last turn asked about, by rerolls left from 1 on. A game asks several
    # times about a turn.
    _last_turn: tuple[State | None, tuple[Floats, ...]] = (None, ())

    def __init__(self, rules: RuleSet, values: Table, space: StateSpace | None = None) -> None:
        self.rules = rules
        self.values = values
        self.space = space or state_space(rules)
        # whether it knows every state that the rules allow
        self.is_whole_game = not self.space.start.filled
        self._prepare()

    def _prepare(self) -> None:
        """Make the parts that depend on the rules alone."""
        rules = self.rules
        self.dice = lattice(rules.dice, rules.faces)
        self.points = points_table(rules)
        self.passes = passes(rules.dice, rules.faces)
        self.questions = SingleQuestions()

    @property
    def means(self) -> TurnEvaluator:
        """The evaluator of expected points, whose values break ties.

        It is this one, unless it maximises something else.
        """
        return self._means or self

    def lowest_equal(self, best: float) -> float:
        """Return the lowest value that counts as equal to `best`."""
        return best - self.ties[0] - self.ties[1] * abs(best)

    def in_groups(self, places: Iterable[int], values: Sequence[float]) -> list[list[int]]:
        """Return the places of equal values in groups, that of the best values first.

        The places in a group ascend.
        """
        groups: list[list[int]] = []
        lowest = np.inf
        for place in sorted(places, key=values.__getitem__, reverse=True):
            value = values[place]
            if value >= lowest:
                groups[-1].append(place)
            else:
                groups.append([place])
                lowest = self.lowest_equal(value)
        for group in groups:
            group.sort()
        return groups

    def child_index(self, state: State, categories: Ints, points: Ints, saved: int) -> Ints:
        """Return the places in the table of the children after filling categories with points.

        All are ``(n,)``.
        """
        space = self.space
        layout = space.layout
        uppers = upper_sums(self.rules)
        capped = uppers.capped(state.upper)
        # A sum may pass the cap by one turn. `lane_of` has such sums, too.
        upper = capped + points * uppers.category_weights[categories]
        rows = space.row(state) + space.step_of[categories]
        if space.has_tracked_rows and not state.joker_paid:
            tracked = (categories == self.rules.tracked_index) & (points > 0)
            rows = np.where(tracked, rows + space.cards, rows)
        return state_places(layout, rows, saved, layout.lane_of[layout.lane_sets[rows], upper])

    def child_values(
        self, state: State, categories: Ints, points: Ints, bonus_points: Ints, saved: int
    ) -> Floats:
        """Return the values of filling categories with points and bonus points, ``(n,)`` each.

        A value is the sum of all these points and the value of the child.
        """
        to_come = self.values[self.child_index(state, categories, points, saved)]
        return np.asarray(points + bonus_points + to_come, dtype=np.float64)

    def value(self, state: State) -> float:
        """Return the value of a checked state at the start of a turn, from the table."""
        return float(self.values[self.space.unchecked_index(state)])

    def category_values(self, state: State, saved: int = 0, first: bool = False) -> Floats:
        """Return the value of every category and roll, -inf where it is not allowed.

        `first` says whether the roll is the first of its turn.
        """
        options = roll_options(self.rules, state.filled, state.joker_paid, first)
        result: Floats = np.full(options.points.shape, -np.inf, dtype=self.number)
        possible = np.flatnonzero(options.allowed.any(axis=1))
        points = options.points[possible]
        bonus_points = options.bonus_points[possible]
        # Most rolls pay a category the same few points. Each outcome is a number, and is evaluated
        # once.
        n_points = int(points.max()) + 1
        n_bonuses = int(bonus_points.max()) + 1
        numbers = (possible[:, None] * n_points + points) * n_bonuses + bonus_points
        outcomes, place = distinct_numbers(numbers, len(result) * n_points * n_bonuses)
        rest, bonuses = np.divmod(outcomes, n_bonuses)
        values = self.child_values(state, *np.divmod(rest, n_points), bonuses, saved)
        result[possible] = values[place.reshape(numbers.shape)]
        result[~options.allowed] = -np.inf
        return result

    def hold_values(self, state: State, rerolls: int) -> Floats:
        """Return the value of each hold with so many rerolls left, `(holds,)`.

        The value of a full roll is that with one reroll less.
        """
        known, stages = self._last_turn
        if known != state:
            stages = ()
        while len(stages) < rerolls:
            stages += (self.passes.holds_from_rolls(self._roll_values(state, stages)),)
        self._last_turn = (state, stages)
        return stages[rerolls - 1]

    def _roll_values(self, state: State, stages: tuple[Floats, ...]) -> Floats:
        """Return the value of each full roll with as many rerolls left as there are `stages`.

        These are the values of holds with 1, 2 ... of them left.
        """
        left = len(stages)
        if left == 0:
            return np.asarray(self.category_values(state, 0).max(axis=0))
        holds = stages[-1]
        if self.rules.saved_rolls:  # stopping now, which saves rolls, may be better than later
            holds = holds.copy()
            stop = self.category_values(state, left).max(axis=0)
            holds[self.dice.first_roll :] = np.maximum(holds[self.dice.first_roll :], stop)
        return self.passes.best_within(holds)

    def turn_value(self, state: State) -> float:
        """Return the value of a card at the start of a turn, from its children.

        This is the right-hand side of the Bellman equation.
        """
        rerolls = self.rules.rolls_per_turn - 1 + state.saved
        saved = rerolls if self.rules.saved_rolls else 0
        stop = self.category_values(state, saved, first=True).max(axis=0)
        best = stop
        if rerolls:
            best = np.maximum(stop, self.passes.best_within(self.hold_values(state, rerolls)))
        return float(self.dice.weights @ best)


class ScoreEvaluator(TurnEvaluator):
    """Evaluator of turns where the final score counts, for a chance or an expected utility.

    The mean breaks ties.
    """

    has_kernel = False  # NumPy computes in float64, the kernels of goals in float32
    # float32 has a relative error: small chances are as good to seven digits as large ones
    ties = (0.0, 4e-6)

    def __init__(self, objective: ScoreObjective, values: Table, means: TurnEvaluator) -> None:
        super().__init__(objective.rules, values, objective.space)
        self.objective = objective
        self._means = means
        # where the card lies in the score ranges: minus the points needed, or the points made
        self.x = 0
        self._moved: ScoreEvaluator | None = None  # what :meth:`at` returned last

    @cached_property
    def score_offsets(self) -> ScoreOffsets:
        """Where the values of each state are."""
        return self.objective.score_offsets

    def ranges(self, states: Ints) -> tuple[Ints, Ints]:
        """Return the first and the last x of the range of scores of states, shaped as `states`.

        States are places in the table of means.
        """
        return self.score_offsets.low[states], self.score_offsets.high[states]

    def kernel_scores(self, filled: int) -> StoredScores:
        """Return the values of the children of a layer as the kernels take them."""
        from ..objectives.score_table_kernel import StoredScores

        return StoredScores(window(self.objective.places, self.values, filled), self.score_offsets)

    def score_policy(self, filled: int) -> Any:
        """Return what the kernels that play and answer take for a layer.

        It has these values, and the means that break ties.
        """
        from .rollout_kernel import ScorePolicy

        return ScorePolicy(self.kernel_scores(filled), window(self.space, self.mean_values, filled))

    @cached_property
    def mean_values(self) -> Table:
        """The values of :attr:`means` in the order of the states of the objective."""
        means = self.means
        space = self.space
        if means.space is space:
            return means.values
        from .rest_of_game import restricted

        return restricted(means.space, space, means.values)

    def at(self, x: int) -> ScoreEvaluator:
        """Return the same evaluator at another x."""
        moved = self._moved
        if moved is None or moved.x != x:
            moved = copy(self)
            moved.x = x
            moved._last_turn = (None, ())
            self._moved = moved
        return moved

    def check_reached(self, state: State) -> None:
        """Raise StateError if the table has no value for x in a checked state.

        Goals have one for each x.
        """
        if self.objective.before:
            return
        low, high = self.ranges(np.array(self.space.unchecked_index(state)))
        if not low <= self.x <= high:
            text = f"{self.x} points cannot have been made on this card since the start of this strategy"
            raise StateError(
                f"{text}; give a card that continues the one it was made for", code="invalid-card"
            )

    def look_up(self, state: Ints, x: Ints) -> Floats:
        """Return the values of states (places in the table of means) at x.

        Outside the range of scores the nearest entry is taken.
        """
        low, high = self.ranges(state)
        inside = np.clip(x, low - 1, high + 1)
        return np.asarray(self.values[self.score_offsets.origin[state] + inside], dtype=np.float64)

    def child_values(
        self, state: State, categories: Ints, points: Ints, bonus_points: Ints, saved: int
    ) -> Floats:
        """Return the values of filling categories with points.

        They are those of the children, with x moved by all points made.
        """
        return self.look_up(
            self.child_index(state, categories, points, saved), self.x + points + bonus_points
        )

    def value(self, state: State) -> float:
        """Return the value of a checked state at the start of a turn."""
        return float(self.look_up(np.array(self.space.unchecked_index(state)), np.array(self.x)))


class GreedyPolicy:
    """Play of each turn as if a guess of the value of each state of a space were right.

    By default the space is that of the whole game.
    """

    ties = TurnEvaluator.ties

    def __init__(
        self,
        rules: RuleSet,
        values: Table,
        start: State = EMPTY_STATE,
        space: StateSpace | None = None,
    ) -> None:
        self.rules = rules
        self.start = start
        self.space = state_space(rules, start)
        whole = space or state_space(rules)
        self.values = values
        if whole.start != start:
            from .rest_of_game import restricted

            self.values = restricted(whole, self.space, values)

    def layer(self, filled: int) -> RowActions:
        """Return the actions at the cards with `filled` categories filled.

        :class:`perfect_yatzy.objectives.policy_quantities.Policy` describes them.
        """
        table = window(self.space, self.values, filled)
        return lambda rows: [(rows, table)]


@dataclass(frozen=True)
class CategoryOdds:
    """What one category can yield within a turn."""

    category: str  # id of the category
    # probability (a Fraction if exact) of scoring in it if the turn maximises that probability
    chance: float
    # dice to hold to maximise the probability; None before the first roll
    hold: tuple[int, ...] | None
    # expected points in it if the turn maximises these, which in general is a different way to play
    expected_points: float
    expected_points_hold: tuple[int, ...] | None = None  # dice to hold to maximise these


def category_odds(
    rules: RuleSet,
    dice: Sequence[int] | None = None,
    rolls_left: int | None = None,
    *,
    exact: bool = False,
) -> list[CategoryOdds]:
    """Return the chance and the expected points of every category, in the order of the sheet.

    They are fractions if `exact`.
    """
    rerolls = rules.rolls_per_turn - 1 if rolls_left is None else rolls_left
    # With saved rolls the rerolls of all turns may be left in the last one.
    turns = len(rules.categories) if rules.saved_rolls else 1
    max_rerolls = (rules.rolls_per_turn - 1) * turns
    if not 0 <= rerolls <= max_rerolls:
        text = _("{count} rolls left; under {rules} there can be {possible}")
        raise StateError(text.format(count=rerolls, rules=rules.key, possible=span(0, max_rerolls)))
    roll = None if dice is None else check_dice(rules, dice)
    dice_passes = passes(rules.dice, rules.faces)
    odds = []
    # The passes over fractions are exact.
    converted: Any = np.frompyfunc(Fraction, 1, 1) if exact else np.float64
    for category, points in zip(rules.categories, converted(points_table(rules)), strict=True):
        pays = converted(np.array(points > 0, dtype=np.int64))  # 1 for the rolls that score
        chance, hold = _best(rules, dice_passes, pays, roll, rerolls)
        expected_points, points_hold = _best(rules, dice_passes, points, roll, rerolls)
        if not exact:
            chance = clipped(chance)
        odds.append(CategoryOdds(category.id, chance, hold, expected_points, points_hold))
    return odds


def _best(
    rules: RuleSet,
    dice_passes: Passes,
    final_values: Any,
    roll: tuple[int, ...] | None,
    rerolls: int,
) -> tuple[Any, tuple[int, ...] | None]:
    """Return the largest expected value of the final roll, and the hold that begins it.

    `final_values` has the value of each roll, as floats or as fractions. The hold is None before the
    first roll.
    """
    grid = dice_passes.dice
    roll_values = final_values
    hold_values = None  # without rerolls nothing is held
    for _reroll in range(rerolls):
        hold_values = dice_passes.holds_from_rolls(roll_values)
        roll_values = dice_passes.best_within(hold_values)
    if roll is None:
        return _mean_of_first_roll(rules, grid, roll_values), None
    counts = counts_of(rules, roll)
    value = np.asarray(roll_values[grid.rank(counts) - grid.first_roll]).item()
    if hold_values is None:  # no reroll is left: all dice are held
        return value, roll
    holds = sub_multisets(np.array(counts, dtype=np.int64))  # of the same size, highest faces first
    values = hold_values[grid.rank(holds)]
    # Of equal holds the one with the most dice, so that no die is rerolled without need; then with
    # the highest faces.
    rounding = 0 if _are_fractions(values) else 1e-12
    best = holds[values >= values.max() - rounding]
    return value, dice_of(best[np.argmax(best.sum(axis=1))].tolist())


def _are_fractions(values: Any) -> bool:
    """Return whether an array has fractions instead of floats."""
    return bool(values.dtype == object)


def _mean_of_first_roll(rules: RuleSet, grid: Lattice, roll_values: Any) -> Any:
    """Return the mean of the values of the first roll, as a float or as a fraction."""
    if not _are_fractions(roll_values):
        return float(grid.weights @ roll_values)
    ways = rules.faces**rules.dice  # each weight is a multiple of 1 / ways
    ways_of_roll = np.round(grid.weights * ways).astype(np.int64)
    return Fraction((ways_of_roll * roll_values).sum(), ways)


@dataclass(frozen=True)
class TurnOutcome:
    """One way a turn can end."""

    category: int  # index of the category that is filled
    points: int  # points of its box
    bonus_points: int  # points of a joker or first-roll bonus
    saved: int  # rolls saved for later turns
    chance: float  # probability of this outcome

    def next_state(self, evaluator: TurnEvaluator, state: State) -> State:
        """Return the state of the card after this outcome of a turn that began in `state`."""
        return state.filled_with(evaluator.rules, self.category, self.points, self.saved)


def outcomes_of_hold(
    evaluator: TurnEvaluator, state: State, held: Sequence[int], rerolls: int
) -> list[TurnOutcome]:
    """Return the different outcomes of the turn after a hold, a reroll and play for the mean.

    Fewer than all dice are held.
    """
    from ..core.turn_model import dice_model

    rules = evaluator.rules
    grid = evaluator.dice
    lowest_equal = evaluator.lowest_equal
    # Rerolls that are left at the end of the turn are saved for later turns, or lost.
    saved_counts = range(rerolls if rules.saved_rolls else 1)
    # by saved rolls, then category and roll
    stop_values = [evaluator.category_values(state, saved) for saved in saved_counts]
    # Index 0 has the values with one reroll left.
    hold_values = [evaluator.hold_values(state, left) for left in range(1, rerolls)]
    dice = dice_model(rules.dice, rules.faces)
    # the chances by category, points, bonus points and rolls saved: the fields of a TurnOutcome
    chances: dict[tuple[int, int, int, int], float] = {}
    hold_chance = np.zeros(grid.n_holds)
    hold_chance[int(grid.rank(np.array(counts_of(rules, held))))] = 1.0
    for left in range(rerolls - 1, -1, -1):  # after the next roll
        roll_chance = evaluator.passes.rolls_from_holds(hold_chance)
        hold_chance = np.zeros(grid.n_holds)
        saved = left if rules.saved_rolls else 0
        for roll in np.flatnonzero(roll_chance).tolist():
            stops = stop_values[saved][:, roll]  # by category
            best_stop = stops.max()
            # The first hold keeps all dice; it is left out.
            holds = dice.holds[dice.hold_start[roll] + 1 : dice.hold_start[roll + 1]]
            values = hold_values[left - 1][holds] if left else np.empty(0)
            best = max(best_stop, values.max(initial=-np.inf))
            # Of equal options a category is taken, the first on the sheet.
            if best_stop >= lowest_equal(best):
                category = int(np.argmax(stops >= lowest_equal(best_stop)))
                counts = grid.counts[grid.first_roll + roll].tolist()
                allowed = scoring_options(rules, state.filled, state.joker_paid, counts)
                outcome = (category, *allowed[category], saved)
                chances[outcome] = chances.get(outcome, 0.0) + float(roll_chance[roll])
            else:  # the first of the best: with the most dice, then the higher faces
                hold = holds[int(np.argmax(values >= lowest_equal(best)))]
                hold_chance[hold] += roll_chance[roll]
    return [TurnOutcome(*outcome, clipped(chance)) for outcome, chance in chances.items()]


class ExactEvaluator(TurnEvaluator):
    """Evaluator of the turn at the start of an exact solve in arrays of fractions.

    Only equal values are ties.
    """

    ties = (0, 0)
    number = object
    has_kernel = False

    def __init__(self, solve: ExactSolve, threads: int | None = None) -> None:
        # In place of a table it has the limbs of one layer.
        super().__init__(solve.rules, np.empty(0), solve.space)
        self.solve = solve
        self.after = solve.space.start.filled.bit_count() + 1  # filled categories after the turn
        # The layers come from full cards on; this stops before that of the start.
        with closing(solve.layers(Settings(threads=threads))) as layers:
            self.limbs = next(limbs for filled, limbs in layers if filled == self.after)
        self.saved = solve.saved_rolls(self.after)

    def child_values(
        self, state: State, categories: Ints, points: Ints, bonus_points: Ints, saved: int
    ) -> Any:
        """Return the values of filling categories with points."""
        first = self.space.layer_slice(self.after).start
        # Each child is computed once. `which` says for each of `points` which one of these it is.
        places, which = np.unique(
            self.child_index(state, categories, points, saved) - first, return_inverse=True
        )
        values = [
            self.solve.value(self.after, self.limbs[i], int(self.saved[i])) for i in places.tolist()
        ]
        later = np.array(values, dtype=object)[which.ravel()].reshape(points.shape)
        return np.asarray(points + bonus_points + later, dtype=object)

    def value(self, state: State) -> float:
        """Return the value of a card after the turn."""
        place = self.space.unchecked_index(state) - self.space.layer_slice(self.after).start
        return float(self.solve.value(self.after, self.limbs[place], state.saved))
