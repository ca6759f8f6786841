"""What is solved: the mean of the final score, which is also the base of all other objectives.

An objective is an object that brings where its values are (`places`), the values of the full cards,
and the kernel of its turn (`solve_rows`). The solver (:mod:`.backward_induction`), table files and
shards know nothing else of it. :mod:`perfect_yatzy.objectives` has the others.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import StateError
from .dice import Floats, Ints, Lattice
from .lanes import ceil_div
from .rules import RuleSet
from .scoring import upper_sums
from .state import EMPTY_STATE, State
from .state_space import LANES, RowPlaces, StateSpace, state_space
from .table_slices import Values

if TYPE_CHECKING:
    from .turn import SolveJob
    from .turn_model import TurnModel

FLOAT64_VALUES = 100_000_000  # larger tables are stored in float32
# Of values that are interpolated: how far twice the spacing would miss them, and how much they
# change over it, as sums of squares.
Misses = tuple[float, float]
DENSE: Misses = (0.0, 0.0)  # of objectives that do not interpolate


class Objective:
    """The mean of the final score, from a state on, and the base of the other objectives. All but
    policy quantities are maximised.

    To minimise, store minus the quantity: `full_cards` returns minus it, `start_value` turns the
    sign for people.
    """

    name = "mean"  # part of the file name of its tables
    # whether more points never lower the value; a wrong True gives wrong values and no error
    monotone = True
    compute: np.dtype[Any] = np.dtype(np.float64)  # type of the arithmetic
    error = 0.0  # bound of the rounding error; 0 where it is negligible
    # few enough that threads finish a layer together, enough that the cost of a call is negligible
    rows_per_task = 128
    least_shard_rows = 64  # of a table that is stored in shards
    turn_cost = 1.0  # time of a turn, as a multiple of that for the means
    needs_means = False  # whether the table of means is in memory meanwhile

    def __init__(self, rules: RuleSet, start: State = EMPTY_STATE) -> None:
        self.rules = rules
        self.start = start

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
    def places(self) -> RowPlaces:
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
        """Return the states of each layer that is solved, and a bound of their entries. The start
        is first. The result is None if a state has one value.
        """
        return None

    def layer_slice(self, filled: int) -> slice:
        """Return the part of the table with the values of the states with `filled` categories
        filled.
        """
        return self.places.layer_slice(filled)

    def full_cards(self) -> Values:
        """Return the entries of the last layer, which needs no turn. They are the upper bonus of
        each full card that has reached it.
        """
        return final_bonus(self.space)

    def new_scratch(self, dice: Lattice, model: TurnModel) -> Any:
        """Return new working memory of the kernels, for one thread."""
        from .turn import make_scratch

        return make_scratch(dice, model, self.compute)

    def solve_rows(
        self, job: SolveJob, rows: Ints, spacing: int = 1, offsets: Any = None
    ) -> Misses:
        """Write the values of rows. If a state has values by score, only every `spacing`-th is solved.
        `offsets` are those of :meth:`offsets_of`, given for a shard.
        """
        from .turn import solve_rows

        solve_rows(rows, job)
        return DENSE

    def next_spacing(self, spacing: int, filled: int, misses: Iterable[Misses]) -> int:
        """Return the spacing of the next layer, by what solving the rows of this one returned."""
        return 1

    def row_work(self, filled: int) -> Ints:
        """Return what each row of a layer costs in any unit, here in vectors of lanes."""
        layout = self.space.layout
        return np.asarray(
            ceil_div(layout.lane_count[layout.lane_sets[self.space.layers[filled]]], LANES)
        )

    def offsets_of(self, parts: Iterable[tuple[int, int, int]]) -> Any:
        """Return what `solve_rows` needs to place the values of parts of layers. A part is given by
        the filled categories, its first row, and the row after its last.
        """
        return None

    def start_value(self, last_layer: Values) -> float | None:
        """Return the value of the start, or None if a table has no single value for it."""
        return float(last_layer[-1])

    def parameters(self) -> dict[str, Any]:
        """Return what the values depend on besides the rules, as JSON. Two tables of one name may
        differ in it. Raises StateError if it cannot be written as text.
        """
        if self.start != EMPTY_STATE:
            raise StateError(
                f"a table of {self.name} from this state on cannot be solved in shards"
            )
        return {}


def final_bonus(space: StateSpace) -> Floats:
    """Return the upper bonus each full card receives, in the order of the table."""
    layout = space.layout
    sums = upper_sums(space.rules)
    numbers_of_saved_rolls = int(space.most_saved[space.categories]) + 1
    parts = []
    for lane_set in layout.lane_sets[space.layers[space.categories]]:
        by_lane = sums.bonuses(layout.lane_upper[lane_set, : layout.lane_count[lane_set]])
        parts.append(np.tile(by_lane, numbers_of_saved_rolls))
    return np.concatenate(parts).astype(np.float64)
