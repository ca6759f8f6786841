"""Tasks on the workers of a cluster: in any order, once each, whatever happens to a worker."""

import asyncio
import os
import signal
from http.client import HTTPException
from itertools import product
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest
from perfect_yatzy import ClusterError, StateError, TableError
from perfect_yatzy.cluster import engine as engine_module
from perfect_yatzy.cluster import session
from perfect_yatzy.cluster.engine import SOURCES, Job, check, differences, problem, software
from perfect_yatzy.tablebase.memory import peak_memory
from support import cluster_tasks as tasks
from support.need import need
from support.refusals import refused

need("distributed")

from perfect_yatzy import Cluster, open_cluster
from perfect_yatzy.cluster.engine import DaskEngine

pytestmark = pytest.mark.full


@pytest.fixture
def engine(cluster: Cluster) -> DaskEngine:
    return cluster.engine


def process(name: str) -> int:
    return int(name.rpartition(":")[2])


def workers(engine: DaskEngine) -> list[int]:
    """Ids of the processes that work now."""
    return list(engine.client.run(os.getpid).values())


def test_results_come_with_the_numbers_of_their_arguments(engine: DaskEngine) -> None:
    assert dict(engine.map(tasks.square, range(40))) == {n: n * n for n in range(40)}
    assert list(engine.map(tasks.square, [])) == []
    assert {process(name) for name in engine.peak_memory} <= set(workers(engine))
    assert all(20 << 20 < memory < 1 << 30 for memory in engine.peak_memory.values())


def test_workers_are_described(cluster: Cluster) -> None:
    facts = cluster.engine.workers
    assert [f.threads for f in facts] == [1, 1]
    assert {f.software for f in facts} == {software()}
    assert len({f.memory_limit for f in facts}) == 1
    assert "2 threads" in repr(cluster)
    assert cluster.dashboard == ""


def listening() -> set[int]:
    """The ports on which this process and its children listen, of scheduler, workers, and those that watch them."""
    import psutil

    own = psutil.Process()
    sockets = [each for process in (own, *own.children(recursive=True)) for each in process.net_connections("inet")]
    return {each.laddr.port for each in sockets if each.status == psutil.CONN_LISTEN}


@pytest.fixture(scope="module", autouse=True)  # before the cluster
def others() -> set[int]:
    """The ports of this process that are not the cluster's, such as that of a page server of another file."""
    return listening()


def test_only_the_driver_can_submit_tasks(engine: DaskEngine, others: set[int]) -> None:
    """Another process has no certificate, or one of its own: it reaches neither the scheduler nor a worker."""
    from distributed import Client, Security
    from distributed.core import rpc

    async def ask(address: str, security: Security) -> object:
        async with rpc(address, connection_args=security.get_connection_args("client"), timeout=2) as found:
            return await found.identity()

    own, ports = engine.client.security, listening() - others
    strangers = {"tcp": Security(), "tls": Security.temporary()}
    scheduler = engine.client.scheduler.address
    assert scheduler.startswith("tls://127.0.0.1:")
    assert asyncio.run(ask(scheduler, own))["type"] == "Scheduler"
    assert len(ports) >= 3
    for port, (protocol, security) in product(ports, strangers.items()):
        with pytest.raises((OSError, TimeoutError)):
            asyncio.run(asyncio.wait_for(ask(f"{protocol}://127.0.0.1:{port}", security), 3))
    for protocol, security in strangers.items():
        with pytest.raises((OSError, TimeoutError)):
            Client(scheduler.replace("tls", protocol), security=security, timeout=2, set_as_default=False)


def test_nothing_is_served_to_a_browser(engine: DaskEngine, others: set[int]) -> None:
    answered = 0
    for port, path in product(listening() - others, ("", "status", "info/main/workers.html", "metrics", "health")):
        try:
            urlopen(f"http://127.0.0.1:{port}/{path}", timeout=5).close()
            pytest.fail(f"{port} answers {path}")
        except HTTPError as error:
            answered += error.code == 404
            error.close()
        except (OSError, HTTPException):
            pass  # TLS
    assert answered


def test_tasks_of_a_killed_worker_are_done_by_another(engine: DaskEngine, tmp_path: Path) -> None:
    victim, found = workers(engine)[0], {}
    for number, (same, _) in engine.map(tasks.nap, [(n, str(tmp_path)) for n in range(60)]):
        assert number == same
        found[number] = same
        if len(found) == 10:
            os.kill(victim, signal.SIGKILL)
    assert sorted(found) == list(range(60))
    begun = [path.name.split("-")[:2] for path in tmp_path.iterdir()]
    # The task that the victim was at, and those whose results it had not sent yet.
    assert len(begun) - len({number for number, _ in begun}) <= engine_module.AHEAD
    tasks.wait_until(lambda: engine._count_threads() >= 2)
    assert victim not in workers(engine)


def test_an_error_of_a_task_is_that_of_the_caller(engine: DaskEngine) -> None:
    with pytest.raises(TableError, match="the seventh task cannot be done") as caught:
        list(engine.map(tasks.fail, range(100)))
    assert (caught.value.code, caught.value.field) == ("table-damaged", "tables")
    with pytest.raises(ZeroDivisionError):
        list(engine.map(tasks.divide, [2, 1, 0]))
    assert dict(engine.map(tasks.square, [5])) == {0: 25}


def test_a_folder_that_a_worker_does_not_see(engine: DaskEngine, tmp_path: Path) -> None:
    with engine.seeing(tmp_path):
        assert len(list(tmp_path.iterdir())) == 1
        assert dict(engine.map(tasks.square, [3])) == {0: 9}
    assert list(tmp_path.iterdir()) == []
    # Seen by the driver only: the proof is not where the workers look.
    unseen = Job(software(), str(tmp_path / "elsewhere" / "proof"), "token")
    engine._job, before = unseen, engine._job
    try:
        refused(r"worker tls://.* does not see the folder .*elsewhere; choose", engine._describe, error=ClusterError)
        with pytest.raises(ClusterError, match=r"worker .*:\d+ does not see the folder"):
            list(engine.map(tasks.square, [3]))
    finally:
        engine._job = before
    (tmp_path / "file").touch()
    with pytest.raises(TableError, match="cannot write a table to"), engine.seeing(tmp_path / "file"):
        pass


def test_other_software_on_a_worker_is_named(engine: DaskEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    other = tuple({**dict(software()), "numpy": "1.2.3"}.items())
    monkeypatch.setattr(engine, "_job", Job(other))
    refused(r"numpy .* instead of 1\.2\.3; install the same versions", engine._describe, error=ClusterError)
    with pytest.raises(ClusterError, match=r"numpy .* instead of 1\.2\.3"):
        list(engine.map(tasks.square, [1]))


def test_differences_of_software() -> None:
    own = (("perfect-yatzy", "0.1.0"), ("numpy", "2.4.0"), (SOURCES, "abc"))
    assert differences(own, own) == ""
    assert differences(own, (*own[:2], (SOURCES, "def"))) == f"other {SOURCES}"
    assert differences(own, (("perfect-yatzy", "0.2.0"), ("numpy", "2.4.1"), (SOURCES, "def"))) == (
        "perfect-yatzy 0.1.0 instead of 0.2.0 and numpy 2.4.0 instead of 2.4.1"
    )


def test_a_process_checks_itself(tmp_path: Path) -> None:
    (tmp_path / "proof").write_text("token")
    fine = Job(software(), str(tmp_path / "proof"), "token")
    check(fine)
    assert problem(fine) == ""
    assert "does not see the folder" in problem(Job(software(), str(tmp_path / "proof"), "another"))
    assert peak_memory() > 20 << 20


def test_a_task_that_ends_every_worker(engine: DaskEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_module, "ATTEMPTS", 1)
    with pytest.raises(ClusterError, match="4 workers ended during the same task"):
        list(engine.map(tasks.die, [1]))
    tasks.wait_until(lambda: engine._count_threads() >= 2)
    assert dict(engine.map(tasks.square, [5])) == {0: 25}


NO_SCHEDULER = "tcp://127.0.0.1:9"


@pytest.mark.parametrize(
    ("arguments", "kind", "message"),
    [
        ({"workers": 0}, StateError, "must be from 1 to 256"),
        ({"workers": 1, "memory": 1 << 20}, StateError, "a worker needs 256 MB"),
        ({"address": NO_SCHEDULER, "workers": 1}, StateError, "give the address"),
        ({"address": NO_SCHEDULER}, ClusterError, r"no Dask scheduler answers at tcp://127\.0\.0\.1:9"),
    ],
    ids=["no workers", "little memory", "both", "no scheduler"],
)
def test_arguments_that_do_not_fit(
    monkeypatch: pytest.MonkeyPatch, arguments: dict[str, Any], kind: type[Exception], message: str
) -> None:
    monkeypatch.setattr(session, "CONNECT_SECONDS", 0.5)
    with pytest.raises(kind, match=message), open_cluster(**arguments):
        pass
