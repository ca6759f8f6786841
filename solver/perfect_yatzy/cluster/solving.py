"""The driver of a solve on workers: which tables, in which order, with which engine.

The layers and their shards are those of :mod:`perfect_yatzy.tablebase.sharded_solve`, which also says what a task is.
"""

from __future__ import annotations

import os

from .._messages import _
from ..errors import StateError, shown
from ..game.rules import RuleSet
from ..model.checked_values import Table
from ..model.objectives import Objective
from ..model.quantities import QUANTITIES
from ..tablebase.sharded_solve import solve_sharded
from ..tablebase.store import Progress, open_table, tables_folder
from ..tablebase.table_info import TableInfo
from .engine import DaskEngine


def solve_on(
    engine: DaskEngine,
    rules: RuleSet,
    what: str = "mean",
    *,
    tables: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
    force: bool = False,
) -> TableInfo:
    """Solve a game on the workers; see :meth:`perfect_yatzy.cluster.session.Cluster.solve`."""
    if what not in QUANTITIES:
        text = _("{name} is not a table; must be one of {names}")
        raise StateError(text.format(name=shown(what), names=", ".join(QUANTITIES)), field="what")

    def means(rules: RuleSet) -> Table:
        solve_objective_on(engine, Objective(rules), tables, progress, False)
        return open_table(Objective(rules), tables, solve=False)[1]

    return solve_objective_on(engine, QUANTITIES[what].objective(rules, means), tables, progress, force)


def solve_objective_on(
    engine: DaskEngine,
    objective: Objective,
    tables: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
    force: bool = False,
) -> TableInfo:
    """Solve any objective of a whole game on the workers, and store its table in shards."""
    folder = tables_folder(tables).absolute()
    kernels = f"solve-{objective.name}-{objective.rules.fingerprint[:12]}"
    with engine.seeing(folder), engine.compiling(kernels):
        return solve_sharded(objective, folder, engine=engine, progress=progress, missing_only=not force)
