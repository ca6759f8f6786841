"""Start a cluster on this machine, or connect to one; close it whatever happens.

Workers of this machine are processes with one thread each, and the scheduler is in this process. Dask
restarts a worker that was killed or exceeded its memory, and ends all of them if this process dies.

Whoever can talk to a scheduler or a worker can run any code as its user, and every user of a machine reaches its
loopback addresses. So the processes of this machine talk by TLS, with a certificate that is made for this cluster and
exists in their memory alone.
"""

from __future__ import annotations

import logging
import multiprocessing
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

from .._messages import _
from ..errors import ClusterError, MissingPackage, StateError, whole_number
from ..tablebase.backward_induction import default_threads
from ..tablebase.memory import available_memory

CONNECT_SECONDS = 15.0  # until a scheduler must answer
WORKERS_SECONDS = 60.0  # until a cluster must have a worker
CLOSE_SECONDS = 5.0  # for a task to end before its worker is killed
MEMORY_SHARE = 0.9  # of the free memory, that all workers of this machine may use together
LEAST_MEMORY = 256 << 20  # bytes that a worker needs
MOST_WORKERS = 256

PRELOADED = ["distributed", "perfect_yatzy.cluster.preload"]  # modules that all workers of this machine need

# Features of Dask that are not needed here, such as sampling profiles, are switched off.
CONFIG = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "1s",  # with these two the driver takes 6 instead of 10 % of a processor
    "distributed.admin.system-monitor.interval": "5s",
    "distributed.worker.preload": ["perfect_yatzy.cluster.preload"],
    "distributed.scheduler.active-memory-manager.start": False,
    "distributed.scheduler.http.routes": [],  # for other users of this machine, and pages of other sites, to read
    "distributed.worker.http.routes": [],
    "distributed.deploy.lost-worker-timeout": "60s",  # for a killed worker to come back, on a busy machine, too
    "logging": {"distributed": "critical", "distributed.client": "critical"},
}


@dataclass(frozen=True)
class Connection:
    """A client and what belongs to it."""

    client: Any
    # address of the dashboard; empty for a cluster on this machine, which has none: it would answer everybody
    dashboard: str
    restart: Callable[[], None] = lambda: None  # starts workers of this machine that are missing


@contextmanager
def local_client(workers: int | None = None, memory: int | None = None) -> Iterator[Connection]:
    """A client of a new cluster on this machine, which is closed at the end."""
    workers = default_threads() if workers is None else whole_number(workers, "workers")
    if not 1 <= workers <= MOST_WORKERS:
        text = _("workers is {value}; must be from 1 to {most}")
        raise StateError(text.format(value=workers, most=MOST_WORKERS), field="workers")
    limit = memory_limit(workers) if memory is None else whole_number(memory, "memory")
    if limit < LEAST_MEMORY:
        message = _("{count} workers with {limit} MB of memory each; a worker needs {needed} MB")
        raise StateError(message.format(count=workers, limit=limit >> 20, needed=LEAST_MEMORY >> 20), field="memory")
    method = start_method()
    dask, distributed = _packages()
    if not find_spec("cryptography"):
        raise MissingPackage("a cluster on this machine", "cryptography", extra="cluster")
    with dask.config.set({**CONFIG, "distributed.worker.multiprocessing-method": method}), quiet_logs():
        try:
            cluster = distributed.LocalCluster(
                n_workers=workers, threads_per_worker=1, memory_limit=limit, host="127.0.0.1",
                security=distributed.Security.temporary(), silence_logs=logging.CRITICAL,
                dashboard_address="127.0.0.1:0", scheduler_kwargs={"dashboard": False},
            )  # fmt: skip
        except (OSError, RuntimeError, TimeoutError) as error:
            raise ClusterError(_("cannot start {workers} workers: {error}", workers=workers, error=error)) from error
        try:
            client = distributed.Client(cluster, timeout=CONNECT_SECONDS, set_as_default=False)
            try:
                # Dask gives up a worker that dies while it starts; this starts another one in its place.
                yield Connection(client, "", lambda: cluster.scale(workers))
            finally:
                client.close(CLOSE_SECONDS)
        finally:
            cluster.close(3 * CLOSE_SECONDS)


@contextmanager
def remote_client(address: str) -> Iterator[Connection]:
    """A client of a running cluster, as :func:`local_client`."""
    dask, distributed = _packages()
    with dask.config.set(CONFIG), quiet_logs():
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # versions are checked by worker.problem
                client = distributed.Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
        except (OSError, TimeoutError, ValueError) as error:
            text = _("no Dask scheduler answers at {address}; start one with: dask scheduler")
            raise ClusterError(text.format(address=address), field="cluster") from error
        try:
            with suppress(TimeoutError):
                client.wait_for_workers(1, timeout=WORKERS_SECONDS)
            if not client.nthreads():
                message = _("{address} has no workers; start some with: dask worker {address}")
                raise ClusterError(message.format(address=address))
            yield Connection(client, client.dashboard_link)
        finally:
            client.close(CLOSE_SECONDS)


def start_method() -> str:
    """How worker processes start: forked from a process that has imported what they need, where that is possible."""
    # The imports take two seconds of a processor, here once for all workers and those that replace killed ones. The
    # process begins its imports immediately, beside those of the caller, and ends with it.
    if "forkserver" not in multiprocessing.get_all_start_methods() or not find_spec("distributed"):
        return "spawn"
    from multiprocessing import forkserver

    forkserver.set_forkserver_preload(PRELOADED)
    forkserver.ensure_running()
    return "forkserver"


def memory_limit(workers: int) -> int:
    """Bytes for each of some workers on this machine: equal shares of 90 % of the free memory."""
    free = available_memory()
    if free is None:
        from distributed.system import MEMORY_LIMIT

        free = MEMORY_LIMIT  # of the whole machine
    return int(MEMORY_SHARE * free / workers)


def _packages() -> tuple[Any, Any]:
    try:
        import dask
        import distributed
    except ImportError as error:
        raise MissingPackage("a cluster", "dask", "distributed", extra="cluster") from error
    return dask, distributed


@contextmanager
def quiet_logs() -> Iterator[None]:
    """Keep Dask's notes about workers that come and go off the terminal."""
    known = ("distributed", "tornado", "bokeh", "asyncio")
    names = {*known, *(name for name in logging.root.manager.loggerDict if name.partition(".")[0] in known)}
    before = {name: logging.getLogger(name).level for name in names}
    for name in names:
        logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for name, level in before.items():
            logging.getLogger(name).setLevel(level)
