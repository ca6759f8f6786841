"""A cluster as a Python program uses it: ``with perfect_yatzy.open_cluster(workers=2) as cluster``."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from .._messages import _
from ..errors import StateError, shown
from ..game.rule_loader import load_rules
from ..game.rules import RuleSet
from ..model.objectives import Objective
from ..model.quantities import QUANTITIES
from ..tablebase.sharded_solve import solve_sharded
from ..tablebase.store import Progress, open_table, tables_folder
from .connection import local_client, remote_client
from .engine import DaskEngine

if TYPE_CHECKING:
    from ..game.notation import CardText
    from ..game.scorecard import Scorecard
    from ..model.checked_values import Table
    from ..policies.evaluation import Evaluation
    from ..policies.sampling import SampledEvaluation
    from ..strategy.position import Position
    from ..strategy.simulation import Simulation
    from ..strategy.strategy import Strategy
    from ..tablebase.table_info import TableInfo


def solve_objective_on(
    engine: DaskEngine,
    objective: Objective,
    tables: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
    *,
    force: bool = False,
) -> TableInfo:
    """Solve any objective of a whole game on the workers, and store its table in shards."""
    folder = tables_folder(tables).absolute()
    kernels = f"solve-{objective.name}-{objective.rules.fingerprint[:12]}"
    with engine.seeing(folder), engine.compiling(kernels):
        return solve_sharded(objective, folder, engine=engine, progress=progress, missing_only=not force)


class Cluster:
    """Workers that solve, simulate and evaluate. Opened by :func:`open_cluster`.

    All of them must see the folder of the tables under the same path; on one machine they do.

    Attributes
    ----------
    engine : DaskEngine
    dashboard : str
        Address of Dask's page about the workers and their tasks; empty for a cluster on this machine.
    """

    def __init__(self, engine: DaskEngine, dashboard: str) -> None:
        self.engine, self.dashboard = engine, dashboard

    def __repr__(self) -> str:
        return f"<Cluster {self.engine.name}: {self.engine.threads} threads, dashboard {self.dashboard or 'none'}>"

    def solve(
        self,
        rules: str | Path | RuleSet,
        what: str = "mean",
        *,
        tables: str | os.PathLike[str] | None = None,
        progress: Progress | None = None,
        force: bool = False,
    ) -> TableInfo:
        """Solve a game on the workers and store its table in shards.

        The values have the same bits as those of a solve by threads. An unfinished solve is resumed, whatever ended
        it.

        Parameters
        ----------
        rules
            A built-in id with switches (``"yatzy+four-is-two-pairs"``), a TOML file, or a rule set.
        what
            ``"mean"``, ``"goals"``, ``"variance"`` or ``"bonus"``. The last two solve the mean first.
        tables
            Folder of the tables; default: see :func:`perfect_yatzy.tablebase.store.tables_folder`.
        progress
            Called with the values done and the values in all.
        force
            Solve again even if the table exists.

        Returns
        -------
        TableInfo
            Description of the table, with its checksum.

        Raises
        ------
        ClusterError
            If workers lack the software or do not see the folder, or the cluster is lost.
        TableError
            If a shard cannot be written, or is damaged. What is solved remains, and the same call resumes.
        """
        rule_set = load_rules(rules)
        if what not in QUANTITIES:
            text = _("{name} is not a table; must be one of {names}")
            raise StateError(text.format(name=shown(what), names=", ".join(QUANTITIES)), field="what")

        def means(rules: RuleSet) -> Table:
            solve_objective_on(self.engine, Objective(rules), tables, progress)
            return open_table(Objective(rules), tables, solve=False)[1]

        objective = QUANTITIES[what].objective(rule_set, means)
        return solve_objective_on(self.engine, objective, tables, progress, force=force)

    def simulate(
        self,
        strategy: Strategy,
        games: int,
        seed: int = 1,
        start: Position | None = None,
        *,
        points: int | None = None,
        tables: str | os.PathLike[str] | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> Simulation:
        """Play games on the workers: the same games as those of :func:`perfect_yatzy.simulate`.

        Parameters
        ----------
        strategy
            For the mean, exact or approximate, or for a goal. That of a utility is in no table that workers can open.
        games, seed, start, points
            As for :func:`perfect_yatzy.simulate`.
        tables
            Folder that has the tables of the strategy.
        progress
            Called with the games played and the games in all.

        Raises
        ------
        StateError
            As :func:`perfect_yatzy.simulate`.
        ClusterError
            As :meth:`solve`.
        """
        from .simulating import simulate_on

        return simulate_on(self.engine, strategy, games, seed, start, points=points, tables=tables, progress=progress)

    def evaluate(
        self,
        policies: Sequence[str],
        rules: str | Path | RuleSet = "yatzy",
        card: CardText | Scorecard = "",
        *,
        tables: str | os.PathLike[str] | None = None,
    ) -> list[Evaluation | SampledEvaluation]:
        """Evaluate policies, each on one worker: the same numbers as :func:`perfect_yatzy.evaluate`.

        Parameters
        ----------
        policies
            Names as `yatzy evaluate` takes them: ``"perfect"``, ``"most-points"``, ``"level:3"``, ``"bot.py:play"``.
        rules, card
            The game, and the card it starts from.
        tables
            Folder with the table of perfect play, which is solved if it is missing.

        Returns
        -------
        list of Evaluation or SampledEvaluation
            In the order of the policies.

        Raises
        ------
        SolverError
            If a policy is unknown or cannot be evaluated; ClusterError as :meth:`solve`.
        """
        from .evaluating import evaluate_on

        found = {n: result for n, _, result in evaluate_on(self.engine, policies, load_rules(rules), card, tables)}
        return [found[number] for number in range(len(policies))]


@contextmanager
def open_cluster(
    address: str | None = None, *, workers: int | None = None, memory: int | None = None
) -> Iterator[Cluster]:
    """Connect to a Dask cluster, or start one on this machine that ends with the block.

    A script that starts one must do so below ``if __name__ == "__main__":``, because its processes import the script.

    Parameters
    ----------
    address
        That of a running scheduler, such as ``tcp://10.0.0.1:8786``. Default: start a cluster.
    workers
        Processes to start; default: one for each processor. Each has one thread.
    memory
        Bytes that each of them may use; default: its share of 90 % of the free memory. Dask ends a worker that
        takes more and starts another one.

    Yields
    ------
    Cluster

    Raises
    ------
    MissingPackage
        Without Dask: ``pip install 'perfect-yatzy[cluster]'``.
    ClusterError
        If there is no scheduler, or no workers, or they have other software.
    StateError
        If the arguments do not fit.
    """
    if address is not None and (workers is not None or memory is not None):
        raise StateError(_("give the address of a cluster, or the workers of a new one"))
    connection = local_client(workers, memory) if address is None else remote_client(address)
    with connection as found:
        yield Cluster(DaskEngine(found.client, address or "the cluster", found.restart), found.dashboard)
