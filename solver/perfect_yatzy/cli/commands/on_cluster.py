"""`yatzy solve --workers` and `--cluster`: the solve is shared by the workers of a Dask cluster."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from ..console import cluster_workers

if TYPE_CHECKING:
    from ...game.rules import RuleSet
    from ...model.objectives import Objective
    from ...tablebase.store import Progress
    from ...tablebase.table_info import TableInfo


def solve_on_cluster(
    rules: RuleSet,
    what: str,
    tables: str | None,
    begin: Callable[[Objective], Progress],
    force: bool,
    workers: int | None,
    address: str | None,
) -> TableInfo:
    """Solve a table, and first that of the means if it is needed and missing.

    Parameters
    ----------
    begin
        Asks before a large solve, announces it and returns the callback for its progress.
    """
    from ...cluster.solving import QUANTITIES
    from ...model.objectives import Goals, Objective
    from ...tablebase.store import has_table

    progress = {}
    if what in QUANTITIES:
        if not has_table(rules, tables):
            progress["mean"] = begin(Objective(rules))
        progress[what] = begin(QUANTITIES[what](rules, np.empty(0)))
    else:
        progress[what] = begin(Goals(rules) if what == "goals" else Objective(rules))
    with cluster_workers(workers, address) as cluster:
        assert cluster
        for name, report in progress.items():
            info = cluster.solve(rules, name, tables=tables, progress=report, force=force and name == what)
    return info
