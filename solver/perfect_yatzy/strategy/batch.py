"""Best actions in many positions at once: arrays of states, dice and rolls left in, arrays of actions out.

Positions are sorted by the number of filled categories, by row and by block of lanes
(:mod:`perfect_yatzy.model.state_space`), for goals and utilities also by block of scores. Positions of the same block
share one evaluation of the turn, and threads take slices of the sorted positions. Values are read in place; a
memory-mapped table is not loaded as a whole.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ..errors import StateError, shown
from ..game.dice import Floats, Ints, lattice
from ..kernels.table_slices import window
from ..model.state_space import LANES
from ..model.turn_model import turn_model, turn_outcomes
from ..tablebase.backward_induction import default_threads
from ..tablebase.threads import thread_map
from .turn_evaluator import ScoreEvaluator, TurnEvaluator

if TYPE_CHECKING:
    from ..kernels.batch import ActionBatch, PositionBatch

SLICE = 4096  # positions a thread takes at a time
Blocks = tuple[Ints, Ints]  # start of the block of scores and lane within, by position


@dataclass(frozen=True)
class BatchAnswer:
    """Best actions in n positions.

    Attributes
    ----------
    held : (n, faces) int64
        Number of dice to hold of each face; all dice where `category` is to be scored.
    category : (n,) int64
        Index of the category to score now, -1 where dice are rerolled.
    value : (n,) float64
        Expected points still to come under optimal play, upper bonus included. For goals: chances; for utilities:
        expected utilities.
    categories : tuple of str
        Ids of all categories, in the order that `category` counts.
    """

    held: Ints
    category: Ints
    value: Floats
    categories: tuple[str, ...]


def best_actions(
    evaluator: TurnEvaluator,
    filled: npt.ArrayLike,
    upper: npt.ArrayLike,
    dice: npt.ArrayLike,
    rolls_left: npt.ArrayLike,
    saved: npt.ArrayLike = 0,
    joker_paid: npt.ArrayLike = False,
    threads: int | None = None,
    x: npt.ArrayLike = 0,
) -> BatchAnswer:
    """Best action in each of n positions.

    All arrays hold whole numbers; floats with integral values are accepted. A scalar applies to every position.

    Parameters
    ----------
    evaluator
        Rules and values.
    filled : (n,) int
        Bitmask of the filled categories, bit i for the i-th category of the sheet.
    upper : (n,) int
        Sum of the upper boxes. Sums above the bonus threshold are the same as the threshold.
    dice : (n, dice) int
        Faces on the table, in any order.
    rolls_left : (n,) int
        Rerolls left; 0 asks for a category.
    saved : (n,) int
        Saved rolls at the start of the turn, where the rules save rolls.
    joker_paid : (n,) bool
        Whether the joker's box holds points, where the rules pay a joker bonus.
    threads
        Number of threads; default: one per processor.
    x : (n,) int
        For a :class:`perfect_yatzy.strategy.turn_evaluator.ScoreEvaluator`: where each card lies in its table.

    Returns
    -------
    BatchAnswer
        For goals and utilities, of actions with equal values the one with the highest mean. Of equal holds the one
        with the most dice, then the higher faces; of equal categories the first on the sheet.

    Raises
    ------
    StateError
        If a position cannot occur or an entry is not a whole number; the message names the first such position.
    """
    from ..kernels.batch import ActionBatch, PositionBatch

    rules, space = evaluator.rules, evaluator.space
    grid = lattice(rules.dice, rules.faces)
    faces = whole_numbers("dice", dice, 2)
    if faces.ndim != 2:
        raise StateError(f"dice has {faces.ndim} dimensions; must be (n, {rules.dice})")
    if faces.shape[1] != rules.dice:
        raise StateError(f"dice has {faces.shape[1]} columns; {rules.key} has {rules.dice} dice")
    size = len(faces)
    columns = {"filled": filled, "upper": upper, "rolls_left": rolls_left, "saved": saved, "joker_paid": joker_paid}
    masks, uppers, rerolls, saved_rolls, paid = (_column(name, array, size) for name, array in columns.items())
    _require(((faces >= 1) & (faces <= rules.faces)).all(axis=1), f"has a face outside 1 to {rules.faces}")
    _require((masks >= 0) & (masks < rules.full_mask), "has no open category, or a bit outside the categories")
    start = space.start
    _require(masks & start.filled == start.filled, "is not a later card of the game this strategy was made for")
    n_filled = np.zeros(size, dtype=np.int64)
    for c in range(space.categories):
        n_filled += masks >> c & 1
    if space.forced:
        _require(masks & (masks + 1) == 0, "fills categories out of order")
    _require(
        (saved_rolls >= 0) & (saved_rolls <= space.most_saved[n_filled]), "has an impossible number of saved rolls"
    )
    max_rerolls = rules.rolls_per_turn - 1 + saved_rolls
    _require((rerolls >= 0) & (rerolls <= max_rerolls), "has an impossible number of rolls left")
    joker_filled = masks >> max(rules.joker_index, 0) & 1 if rules.joker else np.zeros_like(masks)
    _require((paid == 0) | (joker_filled == 1), "has points in the joker's box, which is open")
    if space.has_joker_rows and start.filled >> rules.joker_index & 1:
        _require(paid == start.joker_paid, "has other points in the joker's box than the card of this strategy")
    cards = n_filled - space.first_layer if space.forced else masks
    if start.filled and not space.forced:
        cards = sum(((masks >> c & 1) << bit for c, bit in space.bit_of.items()), np.zeros_like(masks))
    rows = cards + (paid * space.cards if space.has_joker_rows else 0)
    sets = space.layout.lane_sets[rows]
    lanes = space.layout.lane_of[sets, np.clip(uppers, 0, rules.threshold)]
    _require((lanes >= 0) & (uppers >= 0), "has an upper sum its boxes cannot give")

    counts = np.stack([(faces == face).sum(axis=1) for face in range(1, rules.faces + 1)], axis=1)
    rolls = grid.rank(counts) - grid.first_roll
    keys: tuple[Ints, ...] = lanes // LANES, rows, n_filled
    blocks = None
    if isinstance(evaluator, ScoreEvaluator):
        states = space.layout.offsets[rows] + saved_rolls * space.layout.lane_count[sets] + lanes
        blocks = _score_blocks(evaluator, states, lanes, _column("points", x, size))
        keys = blocks[0], *keys
    order = np.lexsort(keys)
    first = (rerolls == max_rerolls).astype(np.int64)
    positions = PositionBatch(*(np.ascontiguousarray(a[order]) for a in (rows, lanes, rolls, rerolls, first)))
    actions = ActionBatch(np.empty(size, np.int64), np.empty(size, np.int64), np.empty(size))
    layer_starts = np.searchsorted(n_filled[order], np.arange(space.categories + 1))
    if blocks is not None:
        blocks = blocks[0][order], blocks[1][order]
    _run(evaluator, positions, blocks, actions, layer_starts, threads)
    inverse = np.empty(size, dtype=np.int64)
    inverse[order] = np.arange(size)
    hold, category, value = actions.hold[inverse], actions.category[inverse], actions.value[inverse]
    held = np.where(hold[:, None] >= 0, grid.counts[np.maximum(hold, 0)], counts)
    return BatchAnswer(held, category, value, tuple(c.id for c in rules.categories))


def whole_numbers(name: str, given: npt.ArrayLike, dimensions: int = 1) -> Ints:
    """`given` as an int64 array with at least `dimensions` dimensions; fractions are rejected, not truncated."""
    try:
        array = np.array(given, ndmin=dimensions)
    except ValueError:  # rows of different lengths
        array = np.array(None)
    if array.dtype.kind not in "biuf":
        raise StateError(f"{name} is {shown(given)}; must be an array of whole numbers")
    if array.dtype.kind == "f":
        array = array.astype(np.float64)
        wrong = ~(np.abs(array) < 2.0**53) | (array != np.rint(array))
        if wrong.any():
            raise StateError(
                f"position {np.argwhere(wrong)[0, 0]}: {name} is {array[wrong][0]}; must be a whole number"
            )
    return array.astype(np.int64)


def _column(name: str, given: npt.ArrayLike, size: int) -> Ints:
    """One whole number per position, broadcast from a scalar if need be."""
    array = whole_numbers(name, given)
    if array.shape not in ((1,), (size,)):
        raise StateError(f"{name} has shape {array.shape}; there are {size} rolls of dice, so it must be ({size},)")
    return np.broadcast_to(array, (size,))


def _score_blocks(evaluator: ScoreEvaluator, states: Ints, lanes: Ints, x: Ints) -> Blocks:
    """Start of the block of scores of each position, and the lane of its score within."""
    from ..kernels.score_policy import score_blocks

    offsets = evaluator.score_offsets
    if not evaluator.objective.before:
        known = (offsets.low[states] <= x) & (x <= offsets.high[states])
        _require(known, "has points that cannot have been made since the start of this strategy")
    return score_blocks(offsets, states, lanes, x)


def _run(
    evaluator: TurnEvaluator,
    positions: PositionBatch,
    blocks: Blocks | None,
    actions: ActionBatch,
    layer_starts: Ints,
    threads: int | None,
) -> None:
    """Fill `actions`; `layer_starts` says where the positions of each number of filled categories begin."""
    kernel = _score_kernel if isinstance(evaluator, ScoreEvaluator) else _mean_kernel
    parts = []
    for filled, (begin, end) in enumerate(pairwise(layer_starts.tolist())):
        if begin < end:
            run = kernel(evaluator, filled, positions, blocks, actions)
            parts += [(run, start, min(start + SLICE, end)) for start in range(begin, end, SLICE)]
    with thread_map(min(len(parts), threads or default_threads())) as in_threads:
        for _ in in_threads(lambda part: part[0](*part[1:]), parts):
            pass


def _mean_kernel(
    evaluator: TurnEvaluator, filled: int, positions: PositionBatch, blocks: Blocks | None, actions: ActionBatch
) -> Callable[[int, int], None]:
    """A function that answers the positions `start` to ``stop - 1`` of a layer, for the mean."""
    # Imported here so that numba is loaded only where a kernel runs.
    from ..kernels.batch import BatchJob, find_best_actions
    from ..kernels.lattice import kernel_lattice
    from ..kernels.turn import make_scratch

    grid, model = evaluator.dice, turn_model(evaluator.rules, evaluator.space.start)
    passes, table = kernel_lattice(grid), window(evaluator.space, evaluator.values, filled)

    def run(start: int, stop: int) -> None:
        job = BatchJob(model, passes, table, positions, actions, make_scratch(grid, model))
        find_best_actions(start, stop, job)

    return run


def _score_kernel(
    evaluator: TurnEvaluator, filled: int, positions: PositionBatch, blocks: Blocks | None, actions: ActionBatch
) -> Callable[[int, int], None]:
    """The same for goals and utilities."""
    from ..kernels.batch import ScoreBatchJob, find_best_score_actions
    from ..kernels.lattice import kernel_lattice
    from ..kernels.score_policy import score_policy

    assert isinstance(evaluator, ScoreEvaluator)
    assert blocks is not None
    rules, space, objective = evaluator.rules, evaluator.space, evaluator.objective
    model = turn_model(rules, space.start)._replace(monotone=int(objective.monotone))
    outcomes, passes = turn_outcomes(rules, space.start), kernel_lattice(evaluator.dice)
    scores, means = window(objective, evaluator.values, filled), window(space, evaluator.mean_values, filled)
    ties, most_saved = (evaluator.ties, evaluator.means.ties), int(space.most_saved.max())

    def run(start: int, stop: int) -> None:
        policy = score_policy(evaluator.dice, model, outcomes, passes, ties, most_saved)
        job = ScoreBatchJob(policy, scores, evaluator.score_offsets, means, positions, *blocks, actions)
        find_best_score_actions(start, stop, job)

    return run


def _require(good: npt.ArrayLike, fault: str) -> None:
    if not np.all(good):
        raise StateError(f"position {int(np.argmin(np.asarray(good)))} {fault}")
