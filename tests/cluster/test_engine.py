"""Tasks on the workers of a cluster: in any order, once each; solves and games have the bits of
threads.
"""

import asyncio
import json
import os
import signal
import subprocess
import sys
from functools import partial
from http.client import HTTPException
from itertools import product
from operator import attrgetter
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

import numpy as np
import perfect_yatzy
import pytest
from perfect_yatzy import (
    ClusterError,
    RuleSet,
    Simulation,
    SolverError,
    StateError,
    Strategy,
    TableError,
    load_rules,
)
from perfect_yatzy.cluster import engine as engine_module
from perfect_yatzy.cluster import session
from perfect_yatzy.cluster.engine import SOURCES, Job, differences, prepare, problem, software
from perfect_yatzy.core.backward_induction import solve_objective
from perfect_yatzy.core.objectives import Objective
from perfect_yatzy.core.table_info import shards_folder, unfinished_shards
from perfect_yatzy.objectives.scores import Goals
from perfect_yatzy.policies.evaluation import evaluate, sample
from perfect_yatzy.policies.named import PolicyContext, named_policy
from perfect_yatzy.policies.user_code import ProcessPlayer
from perfect_yatzy.tablebase.machine import peak_memory
from perfect_yatzy.tablebase.store import open_table, table_path
from support import cluster_tasks as tasks
from support import games
from support.cluster_tasks import EngineHere, wait_until
from support.command import Run
from support.need import need
from support.refusals import refused
from support.shards import OBJECTIVES

need("distributed")
psutil = need("psutil")

from perfect_yatzy.cluster.engine import DaskEngine
from perfect_yatzy.cluster.session import Cluster, open_cluster, solve_objective_on
from perfect_yatzy.cluster.tasks import evaluate_on, sample_on
from perfect_yatzy.game.notation import read_card
from perfect_yatzy.game.random_dice import Games
from perfect_yatzy.settings import Settings

pytestmark = pytest.mark.full


@pytest.fixture
def engine(cluster: Cluster) -> DaskEngine:
    return cluster.engine


def workers(engine: DaskEngine) -> list[int]:
    """Ids of the processes that work now."""
    return list(engine.client.run(os.getpid).values())


def test_results_have_the_numbers_of_their_arguments_and_errors_reach_the_caller(
    engine: DaskEngine,
) -> None:
    assert dict(engine.map(tasks.square, range(40))) == {n: n * n for n in range(40)}
    assert list(engine.map(tasks.square, [])) == []
    assert {int(name.rpartition(":")[2]) for name in engine.peak_memory} <= set(workers(engine))
    assert all(20 << 20 < memory < 1 << 30 for memory in engine.peak_memory.values())
    error = refused(
        "the seventh task cannot be done",
        list,
        engine.map(tasks.fail, range(100)),
        error=TableError,
    )
    assert (error.code, error.field) == ("table-damaged", "tables")
    with pytest.raises(ZeroDivisionError):
        list(engine.map(tasks.divide, [2, 1, 0]))
    assert dict(engine.map(tasks.square, [5])) == {0: 25}


def test_workers_are_described(cluster: Cluster) -> None:
    facts = cluster.engine.workers
    assert [f.threads for f in facts] == [1, 1]
    assert {f.software for f in facts} == {software()}
    assert len({f.memory_limit for f in facts}) == 1
    assert "2 threads" in repr(cluster)
    assert cluster.dashboard == ""


def listening() -> set[int]:
    """The ports on which this process and its children listen, of scheduler, workers, and those
    that watch them.
    """
    own = psutil.Process()
    sockets = [
        each
        for process in (own, *own.children(recursive=True))
        for each in process.net_connections("inet")
    ]
    return {each.laddr.port for each in sockets if each.status == psutil.CONN_LISTEN}


@pytest.fixture(scope="module", autouse=True)  # before the cluster
def others() -> set[int]:
    """The ports of this process that are not the cluster's, such as that of a page server of
    another file.
    """
    return listening()


def test_only_the_driver_can_submit_tasks(engine: DaskEngine, others: set[int]) -> None:
    """Another process has no certificate, or one of its own: it reaches neither the scheduler
    nor a worker.
    """
    from distributed import Client, Security
    from distributed.core import rpc

    async def ask(address: str, security: Security) -> object:
        async with rpc(
            address, connection_args=security.get_connection_args("client"), timeout=2
        ) as found:
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
            Client(
                scheduler.replace("tls", protocol),
                security=security,
                timeout=2,
                set_as_default=False,
            )


def test_nothing_is_served_to_a_browser(engine: DaskEngine, others: set[int]) -> None:
    answered = 0
    for port, path in product(
        listening() - others, ("", "status", "info/main/workers.html", "metrics", "health")
    ):
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


def test_a_folder_that_a_worker_does_not_see(engine: DaskEngine, tmp_path: Path) -> None:
    with engine.seeing(tmp_path):
        assert len(list(tmp_path.iterdir())) == 1
        assert dict(engine.map(tasks.square, [3])) == {0: 9}
    assert list(tmp_path.iterdir()) == []
    # Seen by the driver only: the proof is not where the workers look.
    unseen = Job(software(), str(tmp_path / "elsewhere" / "proof"), "token")
    engine._job, before = unseen, engine._job
    try:
        refused(
            r"worker tls://.* does not see the folder .*elsewhere; choose",
            engine._describe,
            error=ClusterError,
        )
        results = engine.map(tasks.square, [3])
        refused(r"worker .*:\d+ does not see the folder", list, results, error=ClusterError)
    finally:
        engine._job = before
    (tmp_path / "file").touch()
    with (
        pytest.raises(TableError, match="cannot write a table to"),
        engine.seeing(tmp_path / "file"),
    ):
        pass


def test_other_software_on_a_worker_is_named(
    engine: DaskEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tuple({**dict(software()), "numpy": "1.2.3"}.items())
    monkeypatch.setattr(engine, "_job", Job(other))
    refused(
        r"numpy .* instead of 1\.2\.3; install the same versions",
        engine._describe,
        error=ClusterError,
    )
    refused(r"numpy .* instead of 1\.2\.3", list, engine.map(tasks.square, [1]), error=ClusterError)
    own = (("perfect-yatzy", "0.1.0"), ("numpy", "2.4.0"), (SOURCES, "abc"))
    assert differences(own, own) == ""
    assert differences(own, (*own[:2], (SOURCES, "def"))) == f"other {SOURCES}"
    assert differences(own, (("perfect-yatzy", "0.2.0"), ("numpy", "2.4.1"), (SOURCES, "def"))) == (
        "perfect-yatzy 0.1.0 instead of 0.2.0 and numpy 2.4.0 instead of 2.4.1"
    )


def test_a_process_checks_itself(tmp_path: Path) -> None:
    (tmp_path / "proof").write_text("token")
    fine = Job(software(), str(tmp_path / "proof"), "token")
    prepare(fine)
    assert problem(fine) == ""
    assert "does not see the folder" in problem(Job(software(), str(tmp_path / "proof"), "another"))
    assert peak_memory() > 20 << 20


def test_a_task_that_ends_every_worker(engine: DaskEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_module, "ATTEMPTS", 1)
    refused(
        "4 workers ended during the same task", list, engine.map(tasks.die, [1]), error=ClusterError
    )
    tasks.wait_until(lambda: engine._count_threads() >= 2)
    assert dict(engine.map(tasks.square, [5])) == {0: 25}


NO_SCHEDULER = "tcp://127.0.0.1:9"


@pytest.mark.parametrize(
    ("arguments", "kind", "message"),
    [
        ({"workers": 0}, StateError, "must be from 1 to 256"),
        ({"workers": 1, "memory": 1 << 20}, StateError, "a worker needs 256 MB"),
        ({"address": NO_SCHEDULER, "workers": 1}, StateError, "give the address"),
        (
            {"address": NO_SCHEDULER},
            ClusterError,
            r"no Dask scheduler answers at tcp://127\.0\.0\.1:9",
        ),
    ],
    ids=["no workers", "little memory", "both", "no scheduler"],
)
def test_arguments_that_do_not_fit(
    monkeypatch: pytest.MonkeyPatch, arguments: dict[str, Any], kind: type[Exception], message: str
) -> None:
    monkeypatch.setattr(session, "CONNECT_SECONDS", 0.5)
    with pytest.raises(kind, match=message), open_cluster(**arguments):
        pass


SMALL = games.joker_game("forced", saved_rolls=True)
TABLES = ("mean", "goals", "variance", "bonus")


def is_solved(objective: Objective, folder: Path) -> bool:
    """Whether a table, stored in shards, has the bits of a solve by threads here."""
    assert shards_folder(table_path(objective.rules, folder, objective.name)).is_dir()
    stored = np.asarray(open_table(Settings(folder), objective, solve=False)[1][0 : objective.size])
    return stored.tobytes() == solve_objective(objective).astype(objective.store).tobytes()


@pytest.mark.parametrize("what", TABLES)
@pytest.mark.parametrize("rules", [SMALL, load_rules("yatzy-forced")], ids=lambda rules: rules.key)
def test_tables_are_those_of_threads(
    cluster: Cluster, rules: RuleSet, what: str, tmp_path: Path
) -> None:
    info = cluster.solve(rules, what, tables=tmp_path)
    assert is_solved(OBJECTIVES[what](rules), tmp_path)
    assert cluster.solve(rules, what, tables=tmp_path) == info


def test_a_utility_and_an_unknown_table(cluster: Cluster, tmp_path: Path) -> None:
    objective = OBJECTIVES["utility"](SMALL)
    solve_objective_on(cluster.engine, objective, tmp_path)
    assert is_solved(objective, tmp_path)
    text = "'median' is not a table; must be one of mean, goals, variance, bonus"
    refused(text, cluster.solve, SMALL, "median", tables=tmp_path)


def test_a_disk_that_is_full_for_a_while(cluster: Cluster, tmp_path: Path) -> None:
    rules, client = load_rules("crag"), cluster.engine.client
    layer = len(rules.categories) // 2
    client.run(tasks.fill_disk, layer)
    try:
        refused("No space left on device", cluster.solve, rules, tables=tmp_path, error=TableError)
    finally:
        client.run(tasks.free_disk)
    part = unfinished_shards(table_path(rules, tmp_path))
    done = {path.name: path.stat().st_ino for path in part.glob("*.npy")}
    assert {int(name[:2]) for name in done} == set(range(layer + 1, len(rules.categories) + 1))
    cluster.solve(rules, tables=tmp_path)
    finished = shards_folder(table_path(rules, tmp_path))
    assert {
        path.name: path.stat().st_ino for path in finished.glob("*.npy") if path.name in done
    } == done
    assert is_solved(Objective(rules), tmp_path)


def test_a_game_of_many_shards_and_a_worker_that_is_killed(
    cluster: Cluster, tmp_path: Path
) -> None:
    rules, killed = load_rules("crag"), []

    def progress(done: int, total: int) -> None:
        if not killed and done > total // 3:
            killed.append(next(iter(cluster.engine.client.run(os.getpid).values())))
            os.kill(killed[0], signal.SIGKILL)

    cluster.solve(rules, tables=tmp_path, progress=progress)
    assert killed
    assert is_solved(Objective(rules), tmp_path)


def command(*words: str) -> subprocess.Popen[str]:
    """A command in a process group of its own, as a terminal starts it: also where the tests run in
    the background.

    A shell starts what runs in the background with SIGINT ignored, and children inherit that.
    """
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    environment = os.environ | {"NO_COLOR": "1"}
    started = [sys.executable, "-m", "perfect_yatzy", *words]
    before = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    return subprocess.Popen(started, process_group=0, env=environment, preexec_fn=before, **pipes)  # type: ignore[call-overload, no-any-return]


def shards(folder: Path) -> dict[str, int]:
    """The shards in all folders of a folder, with their inodes."""
    return {
        path.name: path.stat().st_ino
        for path in folder.glob("*/*-*-*.npy")
        if "unrounded" not in path.name
    }


def test_interrupted_and_killed_drivers(tmp_path: Path) -> None:
    """Ctrl-C ends everything in one line; after kill -9 no process stays; the next driver solves
    only the rest.
    """
    solve = (
        "solve",
        "crag",
        "--what",
        "goals",
        "--workers",
        "1",
        "--tables",
        str(tmp_path),
        "--yes",
    )
    before: dict[str, int] = {}
    for end in (signal.SIGINT, signal.SIGKILL):
        driver = command(*solve)
        wait_until(lambda: len(shards(tmp_path)) > len(before) or driver.poll() is not None)  # noqa: B023
        # on a busy machine the solve could end before the signal
        os.killpg(driver.pid, signal.SIGSTOP)
        children = psutil.Process(driver.pid).children(recursive=True)
        assert children
        if end == signal.SIGINT:
            os.killpg(driver.pid, end)
            os.killpg(driver.pid, signal.SIGCONT)
            error = driver.communicate(timeout=600)[1]
            assert driver.returncode == 130, error
            assert error.splitlines()[-1] == "yatzy: interrupted"
            assert "Traceback" not in error
        else:
            driver.kill()
            os.killpg(driver.pid, signal.SIGCONT)
            driver.communicate()
        assert psutil.wait_procs(children, timeout=600)[1] == []
        before |= shards(tmp_path)
    last = command(*solve)
    error = last.communicate()[1]
    assert last.returncode == 0, error
    assert "dashboard" not in error
    assert "a worker used at most" in error
    assert before.items() <= shards(tmp_path).items()  # none of them was written again
    assert is_solved(Goals(load_rules("crag")), tmp_path)


BIG = [
    *(("yatzy", what) for what in ("mean", "goals", "variance")),
    *((key, "mean") for key in ("yahtzee", "yatzy-saved", "maxi-unsaved")),
]


@pytest.mark.slow
@pytest.mark.parametrize(("key", "what"), BIG)
@pytest.mark.parametrize("workers", [1, 2, 3])
def test_big_tables_are_those_of_threads(key: str, what: str, workers: int, tmp_path: Path) -> None:
    with open_cluster(workers=workers) as cluster:
        cluster.solve(key, what, tables=tmp_path)
        if key == "maxi-unsaved":
            assert max(cluster.engine.peak_memory.values()) < 400e6
    assert is_solved(OBJECTIVES[what](load_rules(key)), tmp_path)


CARD = "ones=3 twos=6 threes=9 fours=12 fives=15 one-pair=10 two-pairs=18 chance=22 small-straight=15 yatzy=0"
BOT = """
import json, sys
for line in sys.stdin:
    hold, dice = (lambda request: (request["query"] == "hold", request["dice"]))(json.loads(line))
    print(json.dumps({"hold": [max(dice)]} if hold else {"category": sys.argv[1]}), flush=True)
"""
ARRAYS = attrgetter("scores", "game_losses", "losses.holds", "losses.categories")


def program(folder: Path, strategy: Strategy, games: int, card: str, box: str) -> tuple[str, Any]:
    """A command that keeps the highest die and takes one box, and its games in this process."""
    (folder / "bot.py").write_text(BOT)
    command = f"{sys.executable} {folder / 'bot.py'} {box}"
    with ProcessPlayer(command) as player:
        return command, sample(Settings(), player, strategy, Games(games, 5), card)


def same(first: Simulation, second: Simulation) -> bool:
    """Whether two simulations have the same games in the same types."""
    parts = ("final_scores", "category_points", "upper_bonus")
    pairs = [(getattr(first, name), getattr(second, name)) for name in parts]
    heads = [(s.rules.fingerprint, s.policy, s.seed, s.points_before) for s in (first, second)]
    return heads[0] == heads[1] and all(
        a.dtype == b.dtype and np.array_equal(a, b) for a, b in pairs
    )


def test_games_for_the_mean_and_for_a_goal(cluster: Cluster, yatzy: Strategy) -> None:
    reports: list[tuple[int, int]] = []
    played = cluster.simulate(yatzy, 5_003, seed=7, progress=lambda *report: reports.append(report))
    assert same(played, perfect_yatzy.simulate(yatzy, 5_003, seed=7))
    assert reports[-1] == (5_003, 5_003)
    from_card = cluster.simulate(yatzy, 10, 3, "ones=3 chance=22", points=99)
    assert same(from_card, perfect_yatzy.simulate(yatzy, 10, 3, "ones=3 chance=22", points=99))
    strategy = perfect_yatzy.reach("yatzy", 200, CARD)
    assert same(cluster.simulate(strategy, 1_000), perfect_yatzy.simulate(strategy, 1_000))
    utility = perfect_yatzy.maximise("yatzy", lambda total: total * 1.0, CARD)
    for strategy, number, seed, message in (
        (utility, 10, 0, "not in a table that workers can open"),
        (yatzy, 0, 0, "games is 0"),
        (yatzy, 1, -1, "seed is -1"),
    ):
        refused(message, cluster.simulate, strategy, number, seed=seed)


def test_policies(cluster: Cluster, yatzy: Strategy, tmp_path: Path) -> None:
    np.save(tmp_path / "guess.npy", np.zeros(len(yatzy.table)))
    names = ["most-points", "perfect", str(tmp_path / "guess.npy")]
    card = perfect_yatzy.parse_card(yatzy.rules, CARD)
    for name, there in zip(names, cluster.evaluate(names, "yatzy", CARD), strict=True):
        here = evaluate(
            named_policy(name, PolicyContext(Settings(), yatzy.rules, card)).policy,
            points=card.total,
        )
        assert (there.mean, there.standard_deviation) == (here.mean, here.standard_deviation)
        assert np.array_equal(there.distribution.chances, here.distribution.chances)
    context = PolicyContext(Settings(), yatzy.rules, card)
    titles = {number: title for number, title, _ in evaluate_on(cluster.engine, names, context)}
    assert titles[2] == names[2]
    refused("policy is 'worst'", cluster.evaluate, ["worst"], "yatzy", CARD, error=SolverError)


def test_a_program(cluster: Cluster, yatzy: Strategy, tmp_path: Path) -> None:
    card = CARD.replace("chance=22 ", "") + " sixes=24 full-house=0"
    card += " three-of-a-kind=12 four-of-a-kind=16 large-straight=0"
    command, here = program(tmp_path, yatzy, 30, card, "chance")
    context = PolicyContext(Settings(), yatzy.rules, read_card(yatzy.rules, card), 30, 5)
    there = sample_on(cluster.engine, command, yatzy, context)
    assert all(map(np.array_equal, ARRAYS(here), ARRAYS(there)))
    assert here.perfect_mean == there.perfect_mean


def test_the_command(run: Run, tmp_path: Path) -> None:
    """One run of each command on workers; everything it writes is what it writes without them."""
    words = ("simulate", "yatzy", "--games", "300", "--card", CARD, "--output")
    here = run(*words, str(tmp_path / "here.csv"))
    there = run(*words, str(tmp_path / "there.csv"), "--workers", "1")
    assert there.returncode == 0, there.stderr
    assert there.stdout == here.stdout
    assert (tmp_path / "there.csv").read_bytes() == (tmp_path / "here.csv").read_bytes()
    assert "one worker" in there.stderr
    words = ("evaluate", "most-points", "perfect", "--card", CARD, "--json")
    here, there = run(*words), run(*words, "--workers", "1")
    assert there.stdout == here.stdout
    titles = [json.loads(line)["title"] for line in there.stdout.splitlines()]
    assert titles == ["The most points in each turn", "Perfect play"]


@pytest.mark.parametrize("games", [1, 7, 8])
def test_the_games_of_a_program_are_as_many_as_asked_for(
    forced: Strategy, tmp_path: Path, games: int
) -> None:
    """Also where they cannot be divided evenly; each game once, with the dice of its number."""
    late = " ".join(f"{box.id}=0" for box in forced.rules.categories[:-1])
    command, here = program(tmp_path, forced, games, late, forced.rules.categories[-1].id)
    reports: list[tuple[int, int]] = []
    settings = Settings(progress=lambda *step: reports.append(step))
    context = PolicyContext(settings, forced.rules, read_card(forced.rules, late), games, 5)
    there = sample_on(EngineHere(), command, forced, context)  # type: ignore[arg-type]
    assert all(map(np.array_equal, ARRAYS(here), ARRAYS(there)))
    assert reports[-1] == (games, games)


def test_titles_name_the_files_as_given(
    forced: Strategy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Workers get the whole path; what they find belongs to the policy that was asked for."""
    np.save(tmp_path / "guess.npy", np.random.default_rng(1).uniform(0, 50, len(forced.table)))
    monkeypatch.chdir(tmp_path)
    names = ["guess.npy", "perfect", str(tmp_path / "guess.npy")]
    context = PolicyContext(Settings(), forced.rules, read_card(forced.rules, ""))
    found = {
        number: (title, each.mean)
        for number, title, each in evaluate_on(EngineHere(), names, context)
    }  # type: ignore[arg-type]
    assert [found[number][0] for number in range(3)] == ["guess.npy", "Perfect play", names[2]]
    assert found[0][1] == found[2][1] < found[1][1] == pytest.approx(forced.value())
