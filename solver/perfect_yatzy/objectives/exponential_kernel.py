"""The turn for an exponential utility ``sign(rate) exp(rate * points to come)``.

The points made so far are a common factor of all options, so a table is as small as that of the
mean: its blocks are those of a :class:`.MeanTable`, but points multiply its values.
"""

from __future__ import annotations

from math import exp
from typing import NamedTuple

from ..core.dice import Floats
from ..core.jit import jit
from ..core.simd import views
from ..core.turn import solve_lanes
from ..core.value_tables import mean_table, states_after, states_after_means, value_after, values_of


class ExponentialTable(NamedTuple):
    """Expected exponentials ``E[exp(rate * points to come)]`` with the sign of the rate.

    They are placed as the values of a MeanTable.
    """

    values: Floats
    rate: float


states_after.of(ExponentialTable)(states_after_means)
value_after.of(ExponentialTable)(
    lambda table, layout, block, states, points, temp: states * exp(table.rate * points)
)


@jit
def solve_exponential_rows(rows, arguments, rate):
    """Solve all states of the given rows, by a SolveJob with tables of float64.

    `rate` is that of a point.
    """
    job = views(arguments)
    solve_lanes(rows, ExponentialTable(values_of(job.below), rate), mean_table(job.target), job)
