"""Solve tables of an exponential utility: the Bellman backup of :mod:`.turn`, in which points multiply the values.

For the utility u(s) = sign(rate) exp(rate s) of the final score s, the points made so far are a common factor of all
options. So the value of a state does not depend on them, and the table is as small as that of the mean::

    stop(r) = max over open categories c of  exp(rate points(c, r)) V(child card)
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from ..model.state_space import LANES
from .jit import jit
from .simd import peek, shifted, views
from .turn import mean_block, solve_block
from .value_tables import ExponentialTable, MeanTable


@jit
def solve_exponential_rows(rows, arguments, rate):
    """Values of all states of the given rows, from the values of their children.

    Parameters
    ----------
    rows : (n,) int64
        Rows of one layer.
    arguments : SolveJob
        With tables of float64.
    rate : float
        Of the utility, per point.
    """
    job = views(arguments)
    children = ExponentialTable(shifted(job.below.values, job.below.start), rate)
    target = MeanTable(shifted(job.target.values, job.target.start))
    for row in rows:
        for lane in range(0, peek(job.model.layout.lane_count, peek(job.model.layout.lane_sets, row)), LANES):
            solve_block(children, target, job, mean_block(job.model, row, lane))
