"""Best actions in many positions at once: arrays of states, dice and rolls left in, arrays of actions out.

Positions are sorted by the number of filled categories, by row and by block of lanes
(:mod:`perfect_yatzy.model.state_space`). Positions of the same block share one evaluation of the turn, and threads
take slices of the sorted positions. Values are read in place; a memory-mapped table is not loaded as a whole.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ..errors import StateError, shown
from ..game.dice import Floats, Ints, lattice
from ..kernels.table_slices import TableSlice, window
from ..model.state_space import LANES
from ..model.turn_model import turn_model
from ..tablebase.backward_induction import default_threads
from ..tablebase.threads import thread_map
from .turn_evaluator import TurnEvaluator

if TYPE_CHECKING:
    from ..kernels.batch import ActionBatch, PositionBatch

SLICE = 4096  # positions a thread takes at a time


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
        Expected points still to come under optimal play, upper bonus included.
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
) -> BatchAnswer:
    """Best action in each of n positions.

    All arrays hold whole numbers; floats with integral values are accepted. A scalar applies to every position.

    Parameters
    ----------
    evaluator
        Rules and values; the values are those of the mean.
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

    Returns
    -------
    BatchAnswer
        Of equal holds the one with the most dice, then the higher faces; of equal categories the first on the sheet.

    Raises
    ------
    StateError
        If a position cannot occur or an entry is not a whole number; the message names the first such position.
    """
    from ..kernels.batch import ActionBatch, PositionBatch

    rules, space = evaluator.rules, evaluator.space
    grid = lattice(rules.dice, rules.faces)
    faces = _whole("dice", dice, 2)
    if faces.ndim != 2:
        raise StateError(f"dice has {faces.ndim} dimensions; must be (n, {rules.dice})")
    if faces.shape[1] != rules.dice:
        raise StateError(f"dice has {faces.shape[1]} columns; {rules.key} has {rules.dice} dice")
    size = len(faces)
    columns = {"filled": filled, "upper": upper, "rolls_left": rolls_left, "saved": saved, "joker_paid": joker_paid}
    masks, uppers, rerolls, saved_rolls, paid = (_column(name, array, size) for name, array in columns.items())
    _require(((faces >= 1) & (faces <= rules.faces)).all(axis=1), f"has a face outside 1 to {rules.faces}")
    _require((masks >= 0) & (masks < rules.full_mask), "has no open category, or a bit outside the categories")
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
    rows = (n_filled if space.forced else masks) + (paid * space.cards if space.has_joker_rows else 0)
    sets = space.layout.lane_sets[rows]
    lanes = space.layout.lane_of[sets, np.clip(uppers, 0, rules.threshold)]
    _require((lanes >= 0) & (uppers >= 0), "has an upper sum its boxes cannot give")

    counts = np.stack([(faces == face).sum(axis=1) for face in range(1, rules.faces + 1)], axis=1)
    rolls = grid.rank(counts) - grid.first_roll
    order = np.lexsort((lanes // LANES, rows, n_filled))
    first = (rerolls == max_rerolls).astype(np.int64)
    positions = PositionBatch(*(np.ascontiguousarray(a[order]) for a in (rows, lanes, rolls, rerolls, first)))
    actions = ActionBatch(np.empty(size, np.int64), np.empty(size, np.int64), np.empty(size))
    layer_starts = np.searchsorted(n_filled[order], np.arange(space.categories + 1))
    _run(evaluator, positions, actions, layer_starts, threads)
    inverse = np.empty(size, dtype=np.int64)
    inverse[order] = np.arange(size)
    hold, category, value = actions.hold[inverse], actions.category[inverse], actions.value[inverse]
    held = np.where(hold[:, None] >= 0, grid.counts[np.maximum(hold, 0)], counts)
    return BatchAnswer(held, category, value, tuple(c.id for c in rules.categories))


def _whole(name: str, given: npt.ArrayLike, dimensions: int = 1) -> Ints:
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
    array = _whole(name, given)
    if array.shape not in ((1,), (size,)):
        raise StateError(f"{name} has shape {array.shape}; there are {size} rolls of dice, so it must be ({size},)")
    return np.broadcast_to(array, (size,))


def _run(
    evaluator: TurnEvaluator, positions: PositionBatch, actions: ActionBatch, layer_starts: Ints, threads: int | None
) -> None:
    """Fill `actions`; `layer_starts` says where the positions of each number of filled categories begin."""
    # Imported here so that numba is loaded only where a kernel runs.
    from ..kernels.batch import BatchJob, find_best_actions
    from ..kernels.lattice import kernel_lattice
    from ..kernels.turn import make_scratch

    rules = evaluator.rules
    grid, model = lattice(rules.dice, rules.faces), turn_model(rules)
    passes = kernel_lattice(grid)

    def run(part: tuple[TableSlice, int, int]) -> None:
        table, start, stop = part
        find_best_actions(start, stop, BatchJob(model, passes, table, positions, actions, make_scratch(grid, model)))

    parts = []
    for filled, (begin, end) in enumerate(pairwise(layer_starts.tolist())):
        if begin < end:
            table = window(evaluator.space, evaluator.values, filled)
            parts += [(table, start, min(start + SLICE, end)) for start in range(begin, end, SLICE)]
    with thread_map(min(len(parts), threads or default_threads())) as in_threads:
        for _ in in_threads(run, parts):
            pass


def _require(good: npt.ArrayLike, fault: str) -> None:
    if not np.all(good):
        raise StateError(f"position {int(np.argmin(np.asarray(good)))} {fault}")
