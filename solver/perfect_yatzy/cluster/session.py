"""A cluster as a Python program uses it: ``with perfect_yatzy.open_cluster(workers=2) as cluster``.

It is started on this machine, or connected to, and closed whatever happens. Workers of this machine
are processes with one thread each, and the scheduler is in this process. Dask restarts a worker
that was killed or exceeded its memory, and ends all of them if this process dies.

Whoever can talk to a scheduler or a worker can run any code as its user, and every user of a
machine reaches its loopback addresses. So the processes of this machine talk by TLS, with a
certificate that is made for this cluster and exists in their memory alone.
"""

from __future__ import annotations

import logging
import multiprocessing
import os
import warnings
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..core.objectives import Objective
from ..core.resources import default_threads
from ..core.rules import RuleSet
from ..errors import ClusterError, MissingPackage, StateError, shown, whole_number
from ..game.rule_loader import load_rules
from ..settings import Progress, Settings
from ..tablebase.machine import available_memory
from ..tablebase.quantities import QUANTITIES
from ..tablebase.sharded_solve import solve_sharded
from ..tablebase.store import open_table, tables_folder
from ..words import _
from .engine import DaskEngine

if TYPE_CHECKING:
    from ..core.checked_values import Table
    from ..core.table_info import TableInfo
    from ..game.notation import CardText
    from ..game.scorecard import Scorecard
    from ..policies.evaluation import Evaluation, SampledEvaluation
    from ..strategy.simulation import Simulation
    from ..strategy.strategy import Position, Strategy
    from ..two_players.versus import TwoPlayerChances

CONNECT_SECONDS = 15.0  # until a scheduler must answer
WORKERS_SECONDS = 60.0  # until a cluster must have a worker
CLOSE_SECONDS = 5.0  # for a task to end before its worker is killed
MEMORY_SHARE = 0.9  # of the free memory, that all workers of this machine may use together
LEAST_MEMORY = 256 << 20  # bytes that a worker needs
MOST_WORKERS = 256

# Modules that all workers of this machine need.
PRELOADED = [
    "distributed",
    "perfect_yatzy.cluster.preload",
]

CONFIG = {  # features of Dask that are not needed here, such as sampling profiles, are switched off
    "distributed.worker.profile.enabled": False,
    # with these two the driver takes 6 instead of 10 % of a processor
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.system-monitor.interval": "5s",
    "distributed.worker.preload": ["perfect_yatzy.cluster.preload"],
    "distributed.scheduler.active-memory-manager.start": False,
    # for other users of this machine, and pages of other sites, to read
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
    # for a killed worker to come back, on a busy machine, too
    "distributed.deploy.lost-worker-timeout": "60s",
    "logging": {"distributed": "critical", "distributed.client": "critical"},
}


@contextmanager
def local_cluster(workers: int | None = None, memory: int | None = None) -> Iterator[Cluster]:
    """Yield a new cluster on this machine, which is closed at the end.

    `memory` is the limit of each worker in bytes. There is no dashboard, which would serve any
    client.
    """
    workers = default_threads() if workers is None else whole_number(workers, "workers")
    if not 1 <= workers <= MOST_WORKERS:
        text = _("workers is {value}; must be from 1 to {most}")
        raise StateError(text.format(value=workers, most=MOST_WORKERS), field="workers")
    limit = memory_limit(workers) if memory is None else whole_number(memory, "memory")
    if limit < LEAST_MEMORY:
        message = _("{count} workers with {limit} MB of memory each; a worker needs {needed} MB")
        raise StateError(
            message.format(count=workers, limit=limit >> 20, needed=LEAST_MEMORY >> 20),
            field="memory",
        )
    method = start_method()
    dask, distributed = _packages()
    if not find_spec("cryptography"):
        raise MissingPackage("a cluster on this machine", "cryptography", extra="cluster")
    with (
        dask.config.set({**CONFIG, "distributed.worker.multiprocessing-method": method}),
        quiet_logs(),
    ):
        try:
            started = distributed.LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                memory_limit=limit,
                host="127.0.0.1",
                security=distributed.Security.temporary(),
                silence_logs=logging.CRITICAL,
                dashboard_address="127.0.0.1:0",
                scheduler_kwargs={"dashboard": False},
            )
        except (OSError, RuntimeError, TimeoutError) as error:
            raise ClusterError(
                _("cannot start {workers} workers: {error}", workers=workers, error=error)
            ) from error
        with ExitStack() as stack:
            stack.callback(started.close, 3 * CLOSE_SECONDS)
            client = distributed.Client(started, timeout=CONNECT_SECONDS, set_as_default=False)
            stack.callback(client.close, CLOSE_SECONDS)
            # Dask gives up a worker that dies while it starts; this starts another one in its
            # place.
            yield Cluster(DaskEngine(client, "the cluster", lambda: started.scale(workers)), "")


@contextmanager
def remote_cluster(address: str) -> Iterator[Cluster]:
    """Yield a running cluster, which stays when the block ends."""
    dask, distributed = _packages()
    with dask.config.set(CONFIG), quiet_logs():
        try:
            with warnings.catch_warnings(action="ignore"):  # versions are checked by worker.problem
                client = distributed.Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
        except (OSError, TimeoutError, ValueError) as error:
            text = _("no Dask scheduler answers at {address}; start one with: dask scheduler")
            raise ClusterError(text.format(address=address), field="cluster") from error
        with ExitStack() as stack:
            stack.callback(client.close, CLOSE_SECONDS)
            with suppress(TimeoutError):
                client.wait_for_workers(1, timeout=WORKERS_SECONDS)
            if not client.nthreads():
                text = _(
                    "{address} has no workers; start some with: dask worker {address}",
                    address=address,
                )
                raise ClusterError(text)
            yield Cluster(DaskEngine(client, address), client.dashboard_link)


def start_method() -> str:
    """Return how worker processes start.

    Where that is possible, they are forked from a process that has imported what they need.
    """
    # The imports take two seconds of a processor, here once for all workers and those that replace
    # killed ones. The process begins its imports immediately, beside those of the caller, and ends
    # with it.
    if "forkserver" not in multiprocessing.get_all_start_methods() or not find_spec("distributed"):
        return "spawn"
    from multiprocessing import forkserver

    forkserver.set_forkserver_preload(PRELOADED)
    forkserver.ensure_running()
    return "forkserver"


def memory_limit(workers: int) -> int:
    """Return the bytes for each of some workers on this machine.

    They are equal shares of 90 % of the free memory.
    """
    free = available_memory()
    if free is None:
        from distributed.system import MEMORY_LIMIT

        free = MEMORY_LIMIT  # of the whole machine
    return int(MEMORY_SHARE * free / workers)


def _packages() -> tuple[Any, Any]:
    """Return the modules ``dask`` and ``distributed``. Raises MissingPackage without them."""
    try:
        import dask
        import distributed
    except ImportError as error:
        raise MissingPackage("a cluster", "dask", "distributed", extra="cluster") from error
    return dask, distributed


@contextmanager
def quiet_logs() -> Iterator[None]:
    """Keep Dask's notes about workers that come and go off the terminal."""
    packages = {"distributed", "tornado", "bokeh", "asyncio"}
    names = [name for name in logging.root.manager.loggerDict if name.partition(".")[0] in packages]
    loggers = [*map(logging.getLogger, packages.union(names))]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


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
    with engine.seeing(folder, f"solve-{objective.name}-{objective.rules.fingerprint[:12]}"):
        return solve_sharded(
            Settings(folder, progress=progress), objective, engine=engine, missing_only=not force
        )


class Cluster:
    """Workers that solve, simulate and evaluate. Opened by :func:`open_cluster`.

    All of them must see the folder of the tables under the same path; on one machine they do.

    Attributes
    ----------
    engine : DaskEngine
    dashboard : str
        Address of Dask's page about the workers and their tasks; empty for a cluster on this
        machine.
    """

    def __init__(self, engine: DaskEngine, dashboard: str) -> None:
        self.engine = engine
        self.dashboard = dashboard

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

        The values have the same bits as those of a solve by threads. An unfinished solve is
        resumed, whatever ended it.

        Parameters
        ----------
        rules
            A built-in id with switches (``"yatzy+four-is-two-pairs"``), a TOML file, or a rule set.
        what
            As for ``yatzy solve --what``: ``"mean"``, ``"goals"``... The mean is solved first where
            it is needed.
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
            If a shard cannot be written, or is damaged. What is solved remains, and the same call
            resumes.
        """
        rule_set = load_rules(rules)
        if what not in QUANTITIES:
            text = _("{name} is not a table; must be one of {names}")
            raise StateError(
                text.format(name=shown(what), names=", ".join(QUANTITIES)), field="what"
            )

        def means(rules: RuleSet) -> Table:
            solve_objective_on(self.engine, Objective(rules), tables, progress)
            return open_table(Settings(tables), Objective(rules), solve=False)[1]

        objective = QUANTITIES[what].objective(rule_set, means)
        return solve_objective_on(self.engine, objective, tables, progress, force=force)

    def simulate(  # noqa: PLR0913 - the published parameters
        self,
        strategy: Strategy,
        games: int,
        seed: int = 1,
        start: Position | None = None,
        *,
        points: int | None = None,
        tables: str | os.PathLike[str] | None = None,
        progress: Progress | None = None,
    ) -> Simulation:
        """Play games on the workers: the same games as those of :func:`perfect_yatzy.simulate`.

        Parameters
        ----------
        strategy
            For the mean, exact or approximate, or for a goal. That of a utility is in no table that
            workers can open.
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
        from ..game.random_dice import Games
        from ..strategy.simulation import checked_games
        from .tasks import simulate_on

        games, position = checked_games(strategy, games, seed, start, points)
        settings = Settings(tables, progress=progress)
        return simulate_on(settings, self.engine, strategy, Games(games, seed), position)

    def evaluate(
        self,
        policies: Sequence[str],
        rules: str | Path | RuleSet = "yatzy",
        card: CardText | Scorecard = "",
        *,
        tables: str | os.PathLike[str] | None = None,
    ) -> list[Evaluation | SampledEvaluation]:
        """Evaluate policies, each on one worker: the same numbers as
        :func:`perfect_yatzy.evaluate`.

        Parameters
        ----------
        policies
            Names as `yatzy evaluate` takes them: ``"perfect"``, ``"most-points"``, ``"level:3"``,
            ``"bot.py:play"``.
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
        from ..game.notation import read_card
        from ..policies.named import PolicyContext
        from .tasks import evaluate_on

        rule_set = load_rules(rules)
        context = PolicyContext(Settings(tables), rule_set, read_card(rule_set, card))
        results = evaluate_on(self.engine, policies, context)
        evaluations = {number: evaluation for number, _title, evaluation in results}
        return [evaluations[number] for number in range(len(policies))]

    def versus(
        self,
        rules: str | Path | RuleSet,
        *,
        ties: str = "half",
        tables: str | os.PathLike[str] | None = None,
        store: bool = False,
        progress: Progress | None = None,
    ) -> TwoPlayerChances:
        """Solve a whole game of two players who play to win: the same bits as
        :func:`perfect_yatzy.versus`.

        Each turn is stored; an unfinished solve is resumed, whatever ended it.

        Parameters
        ----------
        rules, ties, tables, store, progress
            As for :func:`perfect_yatzy.versus`.

        Raises
        ------
        RulesError
            If this machine has too little memory for two layers.
        SolverError
            StateError if `ties` is unknown; ClusterError and TableError as :meth:`solve`.
        """
        from .versus import versus_on

        return versus_on(
            Settings(tables, progress=progress), self.engine, load_rules(rules), ties, store
        )


@contextmanager
def open_cluster(
    address: str | None = None, *, workers: int | None = None, memory: int | None = None
) -> Iterator[Cluster]:
    """Connect to a Dask cluster, or start one on this machine that ends with the block.

    A script that starts one must do so below ``if __name__ == "__main__":``, because its processes
    import the script.

    Parameters
    ----------
    address
        That of a running scheduler, such as ``tcp://10.0.0.1:8786``. Default: start a cluster.
    workers
        Processes to start; default: one for each processor. Each has one thread.
    memory
        Bytes that each of them may use; default: its share of 90 % of the free memory. Dask ends a
        worker that takes more and starts another one.

    Yields
    ------
    Cluster

    Raises
    ------
    MissingPackage
        Without Dask, which the extra ``cluster`` installs.
    ClusterError
        If there is no scheduler, or no workers, or they have other software.
    StateError
        If the arguments do not fit.
    """
    if address is not None and (workers is not None or memory is not None):
        raise StateError(_("give the address of a cluster, or the workers of a new one"))
    with local_cluster(workers, memory) if address is None else remote_cluster(address) as cluster:
        yield cluster
