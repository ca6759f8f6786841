"""Answer many positions at once: best actions, values of all options, losses of actions taken.

Arrays of states, dice and rolls left in, arrays of the same length out. Positions are sorted by the
number of filled categories, by row and by block of lanes (:mod:`perfect_yatzy.core.state_space`),
for goals and utilities also by block of scores: those of the same block share one evaluation of the
turn. Threads take slices of them, and the result is the same to the bit for any number of threads.
Of a large table only the layers of the positions are read.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..core.dice import Floats, Ints, lattice
from ..core.resources import thread_count, thread_map
from ..core.rules import RuleSet, prerequisites
from ..core.state_space import LANES
from ..core.table_slices import window
from ..core.turn_model import turn_model
from ..errors import SolverError, StateError, shown
from ..game.legal_actions import (
    ActionText,
    action_count,
    action_number,
    hold_count,
    numbered_action,
)
from ..game.notation import dice_of, spaced
from ..tablebase.machine import available_memory
from ..words import gigabytes
from .metadata import Rows, metadata, value_name
from .turn_evaluator import ScoreEvaluator, TurnEvaluator, state_places

if TYPE_CHECKING:
    from .batch_kernel import ActionBatch, OptionValues, PositionBatch

SLICE = 4096  # positions a thread takes at a time
Kernel = Callable[[int, int, "OptionValues"], None]
Blocks = tuple[Ints, Ints]  # the start of the block of each position, and the lane within it
# Takes the first of some sorted positions, and the values of their options.
Note = Callable[[int, Floats], None]


@dataclass(frozen=True, repr=False)
class BatchAnswer(Rows):
    """Best actions in n positions.

    Attributes
    ----------
    held : (n, faces) int64
        Number of dice to hold of each face. All dice are held where `category` is to be scored.
    category : (n,) int64
        Index of the category to score now, -1 where dice are rerolled.
    value : (n,) float64
        Expected points still to come under optimal play, upper bonus included. For goals: chances;
        for utilities: expected utilities.
    rules : RuleSet
        Rules of the positions.
    policy : str
        What the strategy maximises: ``mean``, ``goal:280`` or ``utility``.
    """

    held: Ints
    category: Ints
    value: Floats
    rules: RuleSet
    policy: str

    @property
    def categories(self) -> tuple[str, ...]:
        """Ids of all categories, in the order that `category` counts."""
        return tuple(category.id for category in self.rules.categories)

    @cached_property
    def action(self) -> Ints:
        """``(n,)`` int64: number of each action (:mod:`perfect_yatzy.game.legal_actions`)."""
        rank = lattice(self.rules.dice, self.rules.faces).rank(self.held)
        return np.where(self.category >= 0, hold_count(self.rules) + self.category, rank)

    def columns(self) -> dict[str, Any]:
        """Return the answers as named columns, a row for each position.

        The names are those of the JSON answers.

        ``action`` (its number), ``hold`` (dice to hold, ascending; all of them where a category is
        scored), ``category`` (id, or None) and the value, named ``expected_remaining``, ``chance``
        or ``expected_utility``.
        """
        return {
            "action": self.action,
            "hold": [list(dice_of(held)) for held in self.held.tolist()],
            "category": [self.categories[c] if c >= 0 else None for c in self.category.tolist()],
            value_name(self.policy): self.value,
        }

    def metadata(self) -> dict[str, str]:
        """Return what identifies the answers (:func:`perfect_yatzy.strategy.metadata.metadata`)."""
        return metadata(self.rules, self.policy)

    def __len__(self) -> int:
        return len(self.value)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.rules.key}, {self.policy}: {len(self):,} positions>"


@dataclass(frozen=True, repr=False)
class BatchOptions(BatchAnswer):
    """Values of all options in n positions, and the best actions.

    Attributes
    ----------
    values : (n, actions) float64
        Value of each action by its number (:mod:`perfect_yatzy.game.legal_actions`): the holds of
        fewer dice than the game has, then the categories; -inf where an action is not legal. 8
        bytes each: 1.8 kB a position for Yatzy (225 actions), 3.9 kB for Maxi Yatzy (482).
    """

    values: Floats

    @property
    def hold_values(self) -> Floats:
        """``(n, holds)``: the columns of the actions that hold dice."""
        return self.values[:, : hold_count(self.rules)]

    @property
    def category_values(self) -> Floats:
        """``(n, categories)``: the columns of the actions that score a category."""
        return self.values[:, hold_count(self.rules) :]

    def columns(self) -> dict[str, Any]:
        """Return the legal actions as named columns, a row for each action of each position.

        ``position`` (from 0), ``action``, ``hold`` or ``category`` (the other one is None), the
        value as for :class:`BatchAnswer`, and ``loss``.
        """
        positions, numbers = np.nonzero(self.legal)
        meanings = [numbered_action(self.rules, i) for i in range(action_count(self.rules))]
        actions = [meanings[i] for i in numbers.tolist()]
        values = self.values[positions, numbers]
        best = self.values.max(axis=1, initial=-np.inf)
        return {
            "position": positions,
            "action": numbers,
            "hold": [None if isinstance(action, str) else list(action) for action in actions],
            "category": [action if isinstance(action, str) else None for action in actions],
            value_name(self.policy): values,
            "loss": best[positions] - values,
        }

    @property
    def legal(self) -> npt.NDArray[np.bool_]:
        """``(n, actions)``: which actions are legal."""
        return self.values > -np.inf


def all_options(
    evaluator: TurnEvaluator, policy: str, positions: BatchPositions, threads: int | None = None
) -> BatchOptions:
    """Return the values of all options in many checked positions, and the best actions.

    Raises StateError if there is too little memory.
    """
    columns = action_count(evaluator.rules)
    size = 8 * columns * len(positions)
    free = available_memory()
    if free is not None and size > free:
        needs = f"the values of {columns} options in {len(positions):,} positions take {gigabytes(size)}"
        text = f"{needs} and {gigabytes(free)} are free; ask for fewer positions at a time"
        raise StateError(text, code="too-large")
    values = np.empty((len(positions), columns))

    def note(start: int, values_of_slice: Floats) -> None:
        values[positions.order[start : start + len(values_of_slice)]] = values_of_slice

    return BatchOptions(
        *best_actions(evaluator, positions, note, threads), evaluator.rules, policy, values
    )


def action_regrets(
    evaluator: TurnEvaluator,
    positions: BatchPositions,
    actions: BatchAnswer | npt.ArrayLike | Sequence[ActionText],
    threads: int | None = None,
) -> Floats:
    """Return what each action loses against the best one, ``(n,)``.

    Raises StateError that names the first action that is not legal.
    """
    rules = evaluator.rules
    taken = _action_numbers(rules, actions, len(positions))
    losses = np.empty(len(positions))

    def note(start: int, values: Floats) -> None:
        numbers = positions.order[start : start + len(values)]  # of these positions
        best = values.max(axis=1)
        value_of_taken = values[np.arange(len(values)), taken[numbers]]
        # This is lowest_equal for arrays.
        lowest = best - evaluator.ties[0] - evaluator.ties[1] * np.abs(best)
        losses[numbers] = np.where(value_of_taken >= lowest, 0.0, best - value_of_taken)

    best_actions(evaluator, positions, note, threads)
    is_legal = np.isfinite(losses)
    if not is_legal.all():
        i = first_false(is_legal)
        action = numbered_action(rules, int(taken[i]))
        text = (
            f"score {action}" if isinstance(action, str) else f"hold {spaced(action) or 'no dice'}"
        )
        raise StateError(f"position {i}: action {taken[i]} ({text}) is not legal")
    return losses


def _action_numbers(
    rules: RuleSet, actions: BatchAnswer | npt.ArrayLike | Sequence[ActionText], size: int
) -> Ints:
    """Return actions as numbers, ``(size,)`` int64."""
    if isinstance(actions, BatchAnswer):
        numbers = actions.action
    elif isinstance(actions, Sequence) and actions and isinstance(actions[0], str | Sequence):
        read = []
        for i, action in enumerate(actions):
            try:
                read.append(action_number(rules, action))
            except SolverError as error:
                raise StateError(f"position {i}: {error}", code=error.code) from error
        numbers = np.array(read, dtype=np.int64)
    else:
        numbers = whole_numbers("actions", actions)
    if numbers.shape != (size,):
        raise StateError(
            f"actions has shape {numbers.shape}; there are {size} positions, so it must be ({size},)"
        )
    is_action = (numbers >= 0) & (numbers < action_count(rules))
    if not is_action.all():
        i = first_false(is_action)
        raise StateError(
            f"position {i}: action is {numbers[i]}; must be 0 to {action_count(rules) - 1}"
        )
    return numbers


class BestActions(NamedTuple):
    """Best actions in n positions, with the fields of a :class:`BatchAnswer`."""

    held: Ints  # (n, faces): number of dice to hold of each face
    category: Ints  # (n,): index of the category to score now, -1 where dice are rerolled
    value: Floats  # (n,)


def best_actions(
    evaluator: TurnEvaluator, positions: BatchPositions, note: Note | None, threads: int | None
) -> BestActions:
    """Return the best action of each position.

    `note` is called with the values of slices of the sorted positions. If it is None, the values of
    all options but the best are not computed.
    """
    # Imported here so that numba is loaded only where a kernel runs.
    from .batch_kernel import ActionBatch, OptionValues, no_options

    size = len(positions)
    columns = action_count(evaluator.rules)
    actions = ActionBatch(np.empty(size, np.int64), np.empty(size, np.int64), np.empty(size))

    def answer(kernel: Kernel, start: int, stop: int) -> None:
        if note:
            values = np.empty((stop - start, columns))
            kernel(start, stop, OptionValues(values.ravel(), columns, start))
            note(start, values)
        else:
            kernel(start, stop, no_options())

    slices = []  # the arguments of `answer`
    for filled, (begin, end) in enumerate(pairwise(positions.layer_starts.tolist())):
        if begin < end:
            kernel = _kernel(evaluator, filled, positions, actions)
            for start in range(begin, end, SLICE):
                slices.append((kernel, start, min(start + SLICE, end)))
    with thread_map(min(len(slices), thread_count(threads))) as in_threads:
        for _ in in_threads(lambda part: answer(*part), slices):
            pass
    place = np.empty(size, dtype=np.int64)  # the place of each position among the sorted ones
    place[positions.order] = np.arange(size)
    hold = actions.hold[place]
    # The hold is -1 where a category is scored. To score is to hold all dice.
    held = positions.counts.copy()
    held[hold >= 0] = evaluator.dice.counts[hold[hold >= 0]]
    return BestActions(held, actions.category[place], actions.value[place])


def _kernel(
    evaluator: TurnEvaluator, filled: int, positions: BatchPositions, actions: ActionBatch
) -> Kernel:
    """Return the function that answers the positions of a layer.

    It answers those from a start to a stop, and writes the actions and the given options.
    """
    from numba import types

    from ..core.lattice import kernel_lattice
    from ..objectives.policy_kernel import score_policy
    from ..objectives.stored_job import StoredJob
    from .batch_kernel import BatchJob, MeanPolicy, find_best_actions, no_turn, ranked_options

    space = evaluator.space
    ties = (evaluator.ties, evaluator.means.ties)
    model = turn_model(evaluator.rules, space.start)
    passes = kernel_lattice(evaluator.dice)
    most_saved = int(space.most_saved.max())
    if isinstance(evaluator, ScoreEvaluator):
        # If more points may be worth less, a roll that pays must not be scored as one that does
        # not.
        model = model._replace(monotone=int(evaluator.objective.monotone and model.monotone))
        followed = evaluator.score_policy(filled)
    else:
        followed = MeanPolicy(window(space, evaluator.values, filled))

    def run(start: int, stop: int, options: OptionValues) -> None:
        # Made in each call, because its working memory is for one thread; it serves tables of
        # means, too.
        job = score_policy(evaluator.dice, model, passes, ties, most_saved)
        ranked = ranked_options(0)
        arguments = BatchJob(
            job, followed, positions.sorted, actions, options, ranked, known=no_turn()
        )
        stored = StoredJob(arguments)
        answer = find_best_actions.compile((types.int64, types.int64, stored.kind))
        answer(start, stop, stored.address)

    return run


@dataclass(frozen=True)
class BatchPositions:
    """Checked positions, n of them."""

    counts: Ints  # (n, faces): dice on the table that show each face
    order: Ints  # (n,): entry i of `sorted` is position ``order[i]``
    sorted: PositionBatch  # the positions as the kernels take them
    # where the positions of each number of filled categories begin in that order
    layer_starts: Ints

    def __len__(self) -> int:
        return len(self.order)


class PositionArrays(NamedTuple):
    """n positions as :meth:`perfect_yatzy.Strategy.best` takes them."""

    filled: npt.ArrayLike
    upper: npt.ArrayLike
    dice: npt.ArrayLike
    rolls_left: npt.ArrayLike
    saved: npt.ArrayLike = 0
    joker_paid: npt.ArrayLike = False


def check_positions(
    evaluator: TurnEvaluator, x: npt.ArrayLike, given: PositionArrays
) -> BatchPositions:
    """Check and sort n positions, with their x in a :class:`.ScoreEvaluator`.

    Raises StateError that names the first fault.
    """
    rules = evaluator.rules
    space = evaluator.space
    columns = given._asdict()
    faces = whole_numbers("dice", columns.pop("dice"), 2)
    if faces.ndim != 2:
        raise StateError(f"dice has {faces.ndim} dimensions; must be (n, {rules.dice})")
    if faces.shape[1] != rules.dice:
        raise StateError(f"dice has {faces.shape[1]} columns; {rules.key} has {rules.dice} dice")
    size = len(faces)
    masks, uppers, rerolls, saved_rolls, paid = (
        column(name, array, size) for name, array in columns.items()
    )
    # Each check relies on those before it: an index below must be within its array.
    require(
        ((faces >= 1) & (faces <= rules.faces)).all(axis=1),
        f"has a face outside 1 to {rules.faces}",
    )
    require(
        (masks >= 0) & (masks < rules.full_mask),
        "has no open category, or a bit outside the categories",
    )
    start = space.start
    require(
        masks & start.filled == start.filled,
        "is not a later card of the game this strategy was made for",
    )
    n_filled = np.bitwise_count(masks).astype(np.int64)
    for c, needed in enumerate(prerequisites(rules)):
        if needed:
            require(
                (masks >> c & 1 == 0) | (masks & needed == needed), "fills categories out of order"
            )
    possible = (saved_rolls >= 0) & (saved_rolls <= space.most_saved[n_filled])
    require(possible, "has an impossible number of saved rolls")
    max_rerolls = rules.rolls_per_turn - 1 + saved_rolls
    require((rerolls >= 0) & (rerolls <= max_rerolls), "has an impossible number of rolls left")
    _check_paid(evaluator, masks, paid)
    rows = space.rows_of(masks, paid)
    lanes = space.lanes_of(rows, np.maximum(uppers, 0))
    require((lanes >= 0) & (uppers >= 0), "has an upper sum its boxes cannot give")
    by_die = np.ascontiguousarray(faces.T)  # sums along the first axis are several times faster
    counts = np.stack([(by_die == face).sum(axis=0) for face in range(1, rules.faces + 1)], axis=1)
    rolls = evaluator.dice.rank(counts) - evaluator.dice.first_roll
    blocks = None
    if isinstance(evaluator, ScoreEvaluator):
        states = state_places(space.layout, rows, saved_rolls, lanes)
        blocks = _checked_blocks(evaluator, states, lanes, column("points", x, size))
    turns = TurnPlaces(rows, lanes, rolls, rerolls, rerolls == max_rerolls)
    return sorted_positions(evaluator, counts, turns, blocks)


def _check_paid(evaluator: TurnEvaluator, masks: Ints, paid: Ints) -> None:
    """Raise StateError unless `paid`, whether the tracked box holds points, fits the filled boxes."""
    rules = evaluator.rules
    space = evaluator.space
    start = space.start
    tracked = rules.tracked_index if space.has_tracked_rows else rules.joker_index
    box = "the joker's box"
    is_filled = np.zeros_like(masks)
    if tracked >= 0:  # not -1, for rules without such a box
        box = f"{rules.categories[tracked].id}'s box"
        is_filled = masks >> tracked & 1
    require((paid == 0) | (is_filled == 1), f"has points in {box}, which is open")
    if space.has_tracked_rows and start.filled >> tracked & 1:
        fault = f"has other points in {box} than the card of this strategy"
        require(paid == start.joker_paid, fault)


def _checked_blocks(evaluator: ScoreEvaluator, states: Ints, lanes: Ints, made: Ints) -> Blocks:
    """Return the blocks of scores of positions in these states.

    Raises StateError unless the points `made` can have been made there.
    """
    from ..objectives.policy_kernel import score_blocks

    low, high = evaluator.ranges(states)
    if not evaluator.objective.before:  # the table of a goal has a value for any points
        fault = "has points that cannot have been made since the start of this strategy"
        require((low <= made) & (made <= high), fault)
    return score_blocks((low, high), lanes, made)


class TurnPlaces(NamedTuple):
    """Where checked positions are in the tables and in their turns, ``(n,)`` each."""

    rows: Ints
    lanes: Ints
    rolls: Ints
    rerolls: Ints
    is_first_roll: npt.NDArray[np.bool_]


def sorted_positions(
    evaluator: TurnEvaluator, counts: Ints, turns: TurnPlaces, blocks: Blocks | None = None
) -> BatchPositions:
    """Return checked positions in the order of the kernels.

    `counts` are those of BatchPositions, and `blocks` those of scores, None for the mean.
    """
    from .batch_kernel import PositionBatch

    rows, lanes, rolls, rerolls, is_first_roll = turns
    space = evaluator.space
    groups = lanes // LANES
    # For the mean a block is a group of lanes.
    block_starts, within = blocks or (groups * LANES, lanes % LANES)
    # One key sorts by layer, then by row, then by group of lanes. The blocks of scores of a group
    # follow each other.
    key = (space.filled[rows] * len(space.filled) + rows) * (
        space.layout.lane_width // LANES
    ) + groups
    # lexsort sorts by its last array first.
    order = np.lexsort((block_starts, key)) if blocks else np.argsort(key)
    given = PositionBatch(
        rows, lanes, rolls, rerolls, is_first_roll.astype(np.int64), block_starts, within
    )
    positions = PositionBatch(*(np.ascontiguousarray(array[order]) for array in given))
    layer_starts = np.searchsorted(space.filled[rows][order], np.arange(space.categories + 1))
    return BatchPositions(counts, order, positions, layer_starts)


def whole_numbers(name: str, given: npt.ArrayLike, dimensions: int = 1) -> Ints:
    """Return `given` as an int64 array with at least `dimensions` dimensions.

    Raises StateError for fractions and for numbers that do not fit, instead of truncating them.
    """
    try:
        array = np.array(given, ndmin=dimensions)
    except ValueError as error:  # rows of different lengths
        raise _not_whole_numbers(name, given) from error
    if array.dtype.kind not in "biuf":
        raise _not_whole_numbers(name, given)
    if array.dtype.kind == "f":
        array = array.astype(np.float64)
    wrong = _inexact(array)
    if wrong.any():
        place = np.argwhere(wrong)[0, 0]
        raise StateError(f"position {place}: {name} is {array[wrong][0]}; must be a whole number")
    return array.astype(np.int64)


def _not_whole_numbers(name: str, given: npt.ArrayLike) -> StateError:
    return StateError(f"{name} is {shown(given)}; must be an array of whole numbers")


def _inexact(array: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Return which numbers of an array are not whole numbers of int64, or not known exactly."""
    if array.dtype.kind == "u":
        return np.asarray(array > np.uint64(np.iinfo(np.int64).max))
    if array.dtype.kind == "f":
        # From 2**53 on a float may be the rounded value of another whole number. Both conditions
        # are false for NaN.
        exact = (np.abs(array) < 2.0**53) & (array == np.rint(array))
        return np.asarray(~exact)
    return np.zeros(array.shape, dtype=np.bool_)


def column(name: str, given: npt.ArrayLike, size: int) -> Ints:
    """Return one whole number per position, broadcast from a scalar if need be."""
    array = whole_numbers(name, given)
    if array.shape not in ((1,), (size,)):
        raise StateError(
            f"{name} has shape {array.shape}; there are {size} rolls of dice, so it must be ({size},)"
        )
    return np.broadcast_to(array, (size,))


def require(good: npt.ArrayLike, fault: str) -> None:
    """Raise StateError with the first position whose entry of `good` is false, and its fault."""
    if not np.all(good):
        raise StateError(f"position {first_false(good)} {fault}")


def first_false(good: npt.ArrayLike) -> int:
    """Return the place of the first entry that is false."""
    return int(np.argmin(np.asarray(good)))
