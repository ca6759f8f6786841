"""Many positions at once: arrays of states, dice and rolls left in, best action and value out.

Positions are sorted by layer and card, so that those which share a card (and neighbouring upper sums) share one
evaluation of the turn; threads take slices of the sorted list, and the table is read where it lies.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from ..errors import StateError, shown
from ..game.dice import Floats, Ints, lattice
from ..kernels.table_slices import TableSlice, window
from ..model.state_space import LANES
from ..model.turn_model import turn_model
from ..tablebase.backward_induction import default_threads

if TYPE_CHECKING:
    from .strategy import Strategy

SLICE = 4096  # questions a thread takes at a time


class Questions(NamedTuple):
    """Positions as the kernel takes them (int64): row, lane, roll (0 is the first), rerolls left, first roll?"""

    rows: Ints
    lanes: Ints
    rolls: Ints
    rerolls: Ints
    first: Ints


class Answers(NamedTuple):
    """What the kernel writes: lattice index of the hold or -1, category or -1, value to come."""

    hold: Ints
    category: Ints
    value: Floats


@dataclass(frozen=True)
class BatchAnswer:
    """Best actions, one entry a position.

    Attributes
    ----------
    held : (n, faces) int64
        Dice to hold of each face; all dice where the turn ends.
    category : (n,) int64
        Category to score now, -1 where dice are rerolled.
    value : (n,) float64
        Expected points still to come, upper bonus included.
    categories : tuple of str
        Ids of all categories, which `category` numbers.
    """

    held: Ints
    category: Ints
    value: Floats
    categories: tuple[str, ...]


def answer(
    strategy: Strategy,
    filled: npt.ArrayLike,
    upper: npt.ArrayLike,
    dice: npt.ArrayLike,
    rolls_left: npt.ArrayLike,
    saved: npt.ArrayLike = 0,
    joker_paid: npt.ArrayLike = False,
    threads: int | None = None,
) -> BatchAnswer:
    """Best action in each of n positions.

    Arrays hold whole numbers, of an integer type or not; what is no array is the same for all positions.

    Parameters
    ----------
    filled : (n,) int
        Bitmask of filled categories.
    upper : (n,) int
        Sum of the upper boxes.
    dice : (n, dice) int
        Faces on the table, in any order.
    rolls_left : (n,) int
        Rerolls left; 0 asks for a category.
    saved, joker_paid : (n,) int and bool
        As in :class:`perfect_yatzy.game.scorecard.State`; the saved rolls the turn began with.

    Returns
    -------
    BatchAnswer
        Of equal holds the one with most dice, then higher faces; of equal categories the first on the sheet.

    Raises
    ------
    StateError
        If a position cannot occur, or an entry is no whole number; it names the first such entry.
    """
    rules, space = strategy.rules, strategy.space
    grid = lattice(rules.dice, rules.faces)
    faces = _whole("dice", dice, 2)
    if faces.ndim != 2:
        raise StateError(f"dice has {faces.ndim} dimensions; must be (n, {rules.dice})")
    if faces.shape[1] != rules.dice:
        raise StateError(f"dice has {faces.shape[1]} columns; {rules.key} has {rules.dice} dice")
    size = len(faces)
    given = {"filled": filled, "upper": upper, "rolls_left": rolls_left, "saved": saved, "joker_paid": joker_paid}
    masks, uppers, left, kept, paid = (_column(name, array, size) for name, array in given.items())
    _require(((faces >= 1) & (faces <= rules.faces)).all(axis=1), f"has a face outside 1 to {rules.faces}")
    _require((masks >= 0) & (masks < rules.full_mask), "has no open category, or a bit outside the categories")
    done = np.zeros(size, dtype=np.int64)
    for c in range(space.categories):
        done += masks >> c & 1
    if space.forced:
        _require(masks & (masks + 1) == 0, "fills categories out of order")
    _require((kept >= 0) & (kept <= space.most_saved[done]), "has an impossible number of saved rolls")
    most = rules.rolls_per_turn - 1 + kept
    _require((left >= 0) & (left <= most), "has an impossible number of rolls left")
    joker_filled = masks >> max(rules.joker_index, 0) & 1 if rules.joker else np.zeros_like(masks)
    _require((paid == 0) | (joker_filled == 1), "has points in the joker's box, which is open")
    rows = (done if space.forced else masks) + (paid * space.cards if space.flags == 2 else 0)
    sets = space.layout.sets[rows]
    lanes = space.layout.lane_of[sets, np.clip(uppers, 0, rules.threshold)]
    _require((lanes >= 0) & (uppers >= 0), "has an upper sum its boxes cannot give")

    counts = np.stack([(faces == face).sum(axis=1) for face in range(1, rules.faces + 1)], axis=1)
    rolls = grid.rank(counts) - grid.first_roll
    order = np.lexsort((lanes // LANES, rows, done))
    first = (left == most).astype(np.int64)
    asked = Questions(*(np.ascontiguousarray(a[order]) for a in (rows, lanes, rolls, left, first)))
    found = Answers(np.empty(size, np.int64), np.empty(size, np.int64), np.empty(size))
    _run(strategy, asked, found, np.searchsorted(done[order], np.arange(space.categories + 1)), threads)
    back = np.empty(size, dtype=np.int64)
    back[order] = np.arange(size)
    hold, category, value = found.hold[back], found.category[back], found.value[back]
    held = np.where(hold[:, None] >= 0, grid.counts[np.maximum(hold, 0)], counts)
    return BatchAnswer(held, category, value, tuple(c.id for c in rules.categories))


def _whole(name: str, given: npt.ArrayLike, dimensions: int = 1) -> Ints:
    """An array of int64 with so many dimensions at least; fractions are refused rather than cut off."""
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
    array = _whole(name, given)
    if array.shape not in ((1,), (size,)):
        raise StateError(f"{name} has shape {array.shape}; there are {size} rolls of dice, so it must be ({size},)")
    return np.broadcast_to(array, (size,))


def _run(strategy: Strategy, asked: Questions, given: Answers, layers: Ints, threads: int | None) -> None:
    from ..kernels.batch import answer_questions
    from ..kernels.lattice import kernel_lattice
    from ..kernels.turn import make_scratch

    rules = strategy.rules
    grid, arrays = lattice(rules.dice, rules.faces), turn_model(rules)
    steps = kernel_lattice(grid)

    def run(part: tuple[TableSlice, int, int]) -> None:
        table, start, stop = part
        answer_questions(start, stop, table, arrays, steps, asked, given, make_scratch(grid, arrays))

    parts = []
    for filled, (begin, end) in enumerate(pairwise(layers.tolist())):
        if begin < end:
            table = window(strategy.space, strategy.values, filled)
            parts += [(table, start, min(start + SLICE, end)) for start in range(begin, end, SLICE)]
    with ThreadPoolExecutor(threads or default_threads()) as pool:
        for _ in pool.map(run, parts):
            pass


def _require(good: npt.ArrayLike, fault: str) -> None:
    if not np.all(good):
        raise StateError(f"position {int(np.argmin(np.asarray(good)))} {fault}")
