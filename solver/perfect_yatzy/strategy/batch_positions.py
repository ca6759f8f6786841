"""Many positions as arrays: checked, located in the table, and sorted for the kernels.

Positions are sorted by the number of filled categories, by row and by block of lanes
(:mod:`perfect_yatzy.model.state_space`), for goals and utilities also by block of scores. Positions of the same block
share one evaluation of the turn.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ..errors import StateError, shown
from ..game.box_order import prerequisites
from ..game.dice import Ints, lattice
from ..model.state_space import LANES
from .turn_evaluator import ScoreEvaluator, TurnEvaluator, state_places

if TYPE_CHECKING:
    from ..kernels.batch import PositionBatch

Blocks = tuple[Ints, Ints]  # start of the block and lane within, by position


@dataclass(frozen=True)
class BatchPositions:
    """Checked positions, n of them."""

    counts: Ints  # (n, faces): dice on the table that show each face
    rows: Ints  # (n,): row of each card in the state space
    rolls: Ints  # (n,): number of the roll, 0 for the first of the lattice
    first: Ints  # (n,): 1 if no die has been rerolled in this turn
    order: Ints  # (n,): the order of `sorted`: entry i is position ``order[i]``
    sorted: PositionBatch  # the positions as the kernels take them
    layer_starts: Ints  # where the positions of each number of filled categories begin in that order

    def __len__(self) -> int:
        return len(self.order)


def check_positions(
    evaluator: TurnEvaluator, x: npt.ArrayLike, filled: npt.ArrayLike, upper: npt.ArrayLike, dice: npt.ArrayLike,
    rolls_left: npt.ArrayLike, saved: npt.ArrayLike = 0, joker_paid: npt.ArrayLike = False,
) -> BatchPositions:  # fmt: skip
    """Check and sort n positions, with their x in a :class:`.ScoreEvaluator`; StateError names the first fault."""
    rules, space = evaluator.rules, evaluator.space
    grid = lattice(rules.dice, rules.faces)
    faces = whole_numbers("dice", dice, 2)
    if faces.ndim != 2:
        raise StateError(f"dice has {faces.ndim} dimensions; must be (n, {rules.dice})")
    if faces.shape[1] != rules.dice:
        raise StateError(f"dice has {faces.shape[1]} columns; {rules.key} has {rules.dice} dice")
    size = len(faces)
    columns = {"filled": filled, "upper": upper, "rolls_left": rolls_left, "saved": saved, "joker_paid": joker_paid}
    masks, uppers, rerolls, saved_rolls, paid = (column(name, array, size) for name, array in columns.items())
    require(((faces >= 1) & (faces <= rules.faces)).all(axis=1), f"has a face outside 1 to {rules.faces}")
    require((masks >= 0) & (masks < rules.full_mask), "has no open category, or a bit outside the categories")
    start = space.start
    require(masks & start.filled == start.filled, "is not a later card of the game this strategy was made for")
    n_filled = np.bitwise_count(masks).astype(np.int64)
    for c, needed in enumerate(prerequisites(rules)):
        if needed:
            require((masks >> c & 1 == 0) | (masks & needed == needed), "fills categories out of order")
    possible = (saved_rolls >= 0) & (saved_rolls <= space.most_saved[n_filled])
    require(possible, "has an impossible number of saved rolls")
    max_rerolls = rules.rolls_per_turn - 1 + saved_rolls
    require((rerolls >= 0) & (rerolls <= max_rerolls), "has an impossible number of rolls left")
    tracked = rules.tracked_index if space.has_tracked_rows else rules.joker_index
    box = f"{rules.categories[tracked].id}'s box" if tracked >= 0 else "the joker's box"
    tracked_filled = masks >> tracked & 1 if tracked >= 0 else np.zeros_like(masks)
    require((paid == 0) | (tracked_filled == 1), f"has points in {box}, which is open")
    if space.has_tracked_rows and start.filled >> tracked & 1:
        require(paid == start.joker_paid, f"has other points in {box} than the card of this strategy")
    rows = space.rows_of(masks, paid)
    lanes = space.lanes_of(rows, np.maximum(uppers, 0))
    require((lanes >= 0) & (uppers >= 0), "has an upper sum its boxes cannot give")

    counts = np.stack([(faces == face).sum(axis=1) for face in range(1, rules.faces + 1)], axis=1)
    rolls = grid.rank(counts) - grid.first_roll
    blocks = None
    if isinstance(evaluator, ScoreEvaluator):
        from ..kernels.score_policy import score_blocks

        made = column("points", x, size)
        low, high = evaluator.ranges(state_places(space.layout, rows, saved_rolls, lanes))
        if not evaluator.objective.before:
            possible = (low <= made) & (made <= high)
            require(possible, "has points that cannot have been made since the start of this strategy")
        blocks = score_blocks((low, high), lanes, made)
    return sorted_positions(evaluator, counts, rows, lanes, rolls, rerolls, rerolls == max_rerolls, blocks)


def sorted_positions(
    evaluator: TurnEvaluator, counts: Ints, rows: Ints, lanes: Ints, rolls: Ints, rerolls: Ints,
    is_first_roll: npt.NDArray[np.bool_], blocks: Blocks | None = None,
) -> BatchPositions:  # fmt: skip
    """Checked positions in the order of the kernels; the arrays are those of BatchPositions and PositionBatch."""
    from ..kernels.batch import PositionBatch

    space, first = evaluator.space, is_first_roll.astype(np.int64)
    keys: tuple[Ints, ...] = lanes // LANES, rows, space.filled[rows]
    order = np.lexsort((blocks[0], *keys) if blocks else keys)
    columns = rows, lanes, rolls, rerolls, first, *(blocks or (lanes // LANES * LANES, lanes % LANES))
    positions = PositionBatch(*(np.ascontiguousarray(column[order]) for column in columns))
    layer_starts = np.searchsorted(keys[-1][order], np.arange(space.categories + 1))
    return BatchPositions(counts, rows, rolls, first, order, positions, layer_starts)


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
            place = np.argwhere(wrong)[0, 0]
            raise StateError(f"position {place}: {name} is {array[wrong][0]}; must be a whole number")
    return array.astype(np.int64)


def column(name: str, given: npt.ArrayLike, size: int) -> Ints:
    """One whole number per position, broadcast from a scalar if need be."""
    array = whole_numbers(name, given)
    if array.shape not in ((1,), (size,)):
        raise StateError(f"{name} has shape {array.shape}; there are {size} rolls of dice, so it must be ({size},)")
    return np.broadcast_to(array, (size,))


def require(good: npt.ArrayLike, fault: str) -> None:
    """Raise StateError with the first position whose entry of `good` is false, and its fault."""
    if not np.all(good):
        raise StateError(f"position {int(np.argmin(np.asarray(good)))} {fault}")
