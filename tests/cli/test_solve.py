"""`yatzy solve`: estimates before a solve as text and as JSON, options that do not fit; what is
told before and during long work.
"""

import json
import logging
import re
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock

import perfect_yatzy
import pytest
from perfect_yatzy import RulesError, Strategy, load_rules, open_strategy
from perfect_yatzy.approximation import solve as approximation
from perfect_yatzy.approximation.approximate_cost import approximate_seconds, relaxation_work
from perfect_yatzy.cli import progress as shown
from perfect_yatzy.cli.commands.table_solver import estimate_solve
from perfect_yatzy.core.objectives import Objective
from perfect_yatzy.core.state import EMPTY_STATE
from perfect_yatzy.objectives.scores import Goals, ReachableUtility
from perfect_yatzy.policies import evaluation
from perfect_yatzy.service.budget import Pace, mean_work
from perfect_yatzy.settings import Settings
from perfect_yatzy.strategy.distribution import distribution_cost
from perfect_yatzy.tablebase import estimates
from perfect_yatzy.tablebase.estimates import SolveCost, rule_set_stats, solve_cost
from perfect_yatzy.tablebase.store import solve_to_store
from perfect_yatzy.words import duration
from support.command import Run, printed, refusal
from support.refusals import load_text
from support.rule_files import TINY


def rows(text: str) -> dict[str, str]:
    """The lines with a name, by their name."""
    return {line[:16].strip(): line[16:] for line in text.splitlines() if line[15:16] == " "}


def test_estimates_of_one_file_of_terabytes_and_of_too_many_cards(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "tables"
    words = (
        "solve",
        "yatzy",
        "--what",
        "goals",
        "--estimate",
        "--threads",
        "2",
        "--tables",
        str(folder),
    )
    found = rows(printed(run, *words))
    assert found["Table"] == "923.9 MB, 230,973,184 values of float32"
    assert found["States"] == "1,430,528"
    assert found["Time"].endswith("with 2 threads")
    assert "Disk" not in found
    assert not folder.exists()
    shards = ("--shards", "--estimate", "--threads", "256")
    found = rows(printed(run, "solve", "maxi", "--what", "goals", *shards))
    assert found["Table"].startswith("1,114.1 GB")
    assert found["Disk"] == "1,114.1 GB"
    assert found["Time"].endswith("with 256 threads")
    assert found["This machine"].endswith("too little memory and disk")
    counted = printed(run, "solve", "giant", "--estimate")
    assert rows(counted)["Table"] == "28,719 TB, 7,179,810,929,377,280 values of float32"
    assert "`yatzy solve giant --approximate`" in counted
    assert json.loads(printed(run, "solve", "giant", "--estimate", "--json"))[
        "too_large"
    ].startswith("giant has 47")
    refused = refusal(run, "solve", "giant", "--what", "goals", "--estimate")
    assert all(words in refused for words in ("47 categories", "`yatzy solve giant --approximate`"))


def test_a_game_of_the_users_own(run: Run, tmp_path: Path) -> None:
    rules = load_text(tmp_path, 'extends = "yatzy"\ndice = 6\n')
    options = ("--what", "goals", "--shards", "--threads", "2", "--estimate", "--json")
    answer = json.loads(printed(run, "solve", rules.origin, *options))
    expected = asdict(estimate_solve(Goals(rules), threads=2, shards=True))
    assert answer["estimate"] == json.loads(json.dumps(expected))
    assert (answer["rules"], answer["what"], answer["solved"]) == ("own", "goals", False)
    assert answer["means_first"] is None
    assert answer["free"]["disk"] > 0


def test_quantities_say_that_the_means_come_first(run: Run, tmp_path: Path) -> None:
    command = ("solve", "yatzy-forced", "--estimate", "--tables", str(tmp_path), "--what")
    titles = {"variance": "Variances", "bonus": "Chances of the upper bonus"}
    for what, title in titles.items():
        before = run(*command, what).stdout
        assert before.startswith(title)
        assert rows(before)["Before"].startswith("the table of means, ")
    solve_to_store(Settings(tmp_path), Objective(load_rules("yatzy-forced")))
    for what in titles:
        assert not {"Before", "Stored"} & set(rows(run(*command, what).stdout))
    assert rows(run(*command, "mean").stdout)["Stored"] == "the table is solved already"


CLUB = str(Path(__file__).parent.parent / "data" / "club-sheet.toml")
ABOUT = re.compile(r"about [\d,]+ (?:s|minutes|hours)\b")


def test_every_command_says_the_same_time(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The announcement of the solve itself, the check of the file, the refusals of a question
    and of a solve.
    """
    monkeypatch.setattr(approximation, "approximate", Mock(side_effect=RulesError("not now")))
    store = ("--tables", str(tmp_path))
    said = [
        run("rules", "check", CLUB).stdout,
        run("rules", "show", CLUB).stdout,
        run("hold", "334566", "--rules", CLUB, *store).stderr,
        run("solve", CLUB, *store).stderr,
        run("solve", CLUB, "--shards", *store).stderr,
        run("solve", CLUB, "--estimate", *store).stdout.splitlines()[-1],
        run("solve", CLUB, "--approximate", "--threads", "2", *store).stderr,
    ]
    times = [ABOUT.findall(" ".join(text.split())) for text in said]
    assert times == [[duration(approximate_seconds(load_rules(CLUB)))]] * len(said), said
    assert all("--approximate" in text for text in said[:-1])


@pytest.mark.parametrize(
    "key", ["yatzy", "kniffel", "maxi-unsaved", "maxi", "yatzy-saved", "balut"]
)
def test_exact_solves_have_one_estimate(key: str) -> None:
    """`rules check` and `solve`, `solve --estimate`, and the server's question; with other
    threads, their share.
    """
    rules = load_rules(key)
    cost = rule_set_stats(rules)
    assert mean_work(cost).seconds == cost.seconds == solve_cost(Objective(rules)).seconds
    for threads in (1, 2, 8):
        seconds = cost.processor_seconds / threads
        time = duration(seconds)
        assert cost.words(threads) == f"{estimates.gigabytes(cost.bytes)} and {time}"
        for shards in (False, True):
            estimate = estimate_solve(Objective(rules), threads=threads, shards=shards)
            assert estimate.seconds == seconds


def test_more_work_takes_longer() -> None:
    rules = load_rules(CLUB)
    times = [approximate_seconds(rules, work=work) for work in (0.0, 1e12, 30e12)]
    assert times == sorted(set(times))
    assert approximate_seconds(rules, minutes=1) == approximate_seconds(rules, work=1.5e12)
    assert relaxation_work(load_rules("giant"), 30e12, 1 << 30) < 1.1 * 30e12


def test_lines_are_rare(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Ten minutes of reports, ten a second: a line every 30 s, and one for each stage."""
    now = 1000.0
    clock = SimpleNamespace(monotonic=lambda: now, perf_counter=lambda: now)
    monkeypatch.setattr(shown, "time", clock)
    monkeypatch.setattr("perfect_yatzy.service.budget.time", clock)
    monkeypatch.setattr(shown, "_told", 0.0)
    report = shown.StageProgress("giant")
    report("relaxation", 1.0, {"bound": 1786.443})
    for step in range(6000):
        now = 1000.0 + step / 10
        report("fit", min(0.999, step / 9000), {"bound": 1786.443})
    first, *rest = capsys.readouterr().err.splitlines()
    assert first.split(maxsplit=3) == [
        "relaxation",
        "0.0",
        "s",
        "no strategy scores more than 1786.45",
    ]
    assert len(rest) == 19
    assert (
        rest[0]
        == "yatzy: giant, fit: 3 % done, about 14 minutes left; no strategy scores more than 1786.45"
    )
    report("fit", 1.0, {"bound": 1786.443, "mean": 1734.3, "half_width": 0.5})
    assert "the strategy scores 1734.30 ± 0.50" in capsys.readouterr().err


def test_the_time_left_follows_the_speed_of_late(monkeypatch: pytest.MonkeyPatch) -> None:
    """What an earlier solve has done took no time now; tiny first layers give no estimate; a
    machine may get busy.
    """
    now = 0.0
    monkeypatch.setattr(
        "perfect_yatzy.service.budget.time", SimpleNamespace(perf_counter=lambda: now)
    )
    for steps, expected in (
        ([(0, 0.0), (60, 0.5)], 60),
        ([(0, 0.0), (500, 0.1)], 4500),
        ([(0, 0.6), (30, 0.8)], 30),
        ([(0, 0.0), (4, 0.0)], None),
        ([(0, 0.0), (4, 0.001)], None),
        ([(0, 0.6), (5, 0.605)], None),
        ([(0, 0.0), (60, 1.0)], 0),
        # 1 % a second for 30 seconds, then a tenth of it: after a minute or two only the new speed
        # counts.
        (
            [
                *((t, t / 100) for t in range(31)),
                *((30 + t, 0.3 + t / 1000) for t in range(1, 201)),
            ],
            500,
        ),
        # Another work begins.
        ([(0, 0.0), (60, 0.5), (70, 0.0), (80, 0.5)], 10),
    ):
        pace = Pace()
        for now, done in steps:  # noqa: B007
            left = pace.left(done)
        assert left == (expected if expected is None else pytest.approx(expected))
    texts = [shown.clock_text(seconds) for seconds in (None, 0.0, 60.0, 125.4, 4500.0)]
    assert texts == ["", "0:00", "1:00", "2:05", "1:15:00"]


def test_a_solution_tells_what_it_has_so_far(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shown, "SILENCE", 0.0)
    options = ("--approximate", "--work", "1e-5", "--games", "100", "--tables", str(tmp_path))
    found = run("solve", load_text(tmp_path, TINY, "").origin, *options)
    assert found.returncode == 0, found.stderr
    stages = [line.split()[0] for line in found.stderr.splitlines() if line.startswith("  ")]
    assert stages == list(approximation.STAGES)
    assert re.search(
        r"yatzy: tiny, fit: \d+ % done.*; no strategy scores more than \d+\.\d\d", found.stderr
    )
    assert re.search(
        r"  bound .* s  the strategy scores .* ± .*  no strategy scores more than ", found.stderr
    )


def test_long_work_is_reported(
    run: Run, forced: Strategy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shown, "SILENCE", 0.0)
    for words, label in (
        (("solve", "yatzy-forced", "--tables", str(tmp_path)), "Solving yatzy-forced"),
        (
            ("expect", "--rules", "yatzy-forced", "--goal", "200", "--tables", str(tmp_path / "g")),
            "Solving",
        ),
        (("evaluate", "perfect", "--rules", "yatzy-forced"), "Evaluating 1 policy"),
        (("simulate", "yatzy-forced", "--games", "3000"), "Playing 3,000 games"),
    ):
        found = run(*words)
        assert found.returncode == 0, found.stderr
        assert re.search(rf"yatzy: {label}.*: \d+ % done", found.stderr), (words, found.stderr)


def test_the_silence_begins_with_the_work(
    run: Run, forced: Strategy, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Not with the process, and a line of other work begins it anew; by a clock of the test."""
    now = [1000.0]
    monkeypatch.setattr(shown, "time", SimpleNamespace(monotonic=lambda: now[0]))
    monkeypatch.setattr(shown, "SILENCE", 30.0)
    monkeypatch.setattr(shown, "_told", 0.0)
    assert run("simulate", "yatzy-forced", "--games", "3000").stderr == ""
    report = shown.progress("Working")
    for later, is_told in ((29.9, False), (30.0, True), (59.9, False), (60.0, True)):
        now[0] = 1000.0 + later
        report(1, 2)
        assert bool(capsys.readouterr().err) == is_told, later


def test_commands_write_nothing_to_the_log(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A command tells what takes long in the reader's language; the log, in English, is for
    Python.
    """
    monkeypatch.setattr(estimates, "LOGGED_SECONDS", 0.0)
    monkeypatch.setattr(evaluation, "LOGGED_SECONDS", -1.0)
    sheet, guide = str(tmp_path / "sheet.json"), str(tmp_path / "guide.html")
    for line in (
        "solve yatzy-forced --force",
        f"learn yatzy-forced -o {sheet}",
        f"guide yatzy-forced --sheet {sheet} -o {guide}",
        "evaluate prices --rules yatzy-forced",
        "evaluate prices --rules yatzy-forced --opponent most-points",
        "simulate yatzy-forced --games 100",
        "expect --rules yatzy-forced",
        "solve yatzy-forced --exact",
        "solve yatzy-forced --two-players",
    ):
        printed(run, *line.split())
        assert not [record.getMessage() for record in caplog.records], line


def test_python_logs_before_a_long_solve(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    open_strategy("yatzy-forced", tmp_path / "short")
    assert not caplog.records
    monkeypatch.setattr(estimates, "LOGGED_SECONDS", 0.0)
    open_strategy("yatzy-forced", tmp_path / "told", progress=lambda done, total: None)
    assert not caplog.records
    perfect_yatzy.reach("yatzy-forced", 200, tables=tmp_path / "silent")
    perfect_yatzy.distribution(open_strategy("yatzy-forced", tmp_path / "silent"))
    assert {(record.name, record.levelno) for record in caplog.records} == {
        ("perfect_yatzy", logging.WARNING)
    }
    said = [record.getMessage() for record in caplog.records]
    assert any(
        re.fullmatch(r"solving yatzy-forced \(mean, 0\.00 GB\): about 1 s", line) for line in said
    )
    assert said[-1] == "the distribution of yatzy-forced: about 1 s"


def seconds_of(work: Callable[[], object]) -> float:
    """Processor time."""
    began = time.process_time()
    work()
    return time.process_time() - began


@pytest.mark.slow
def test_estimates_are_near_the_truth(tmp_path: Path) -> None:
    """Processor time within a factor of two. The first calls are for kernels that are not
    compiled yet.
    """
    perfect_yatzy.distribution(open_strategy("yatzy-forced", tmp_path))
    perfect_yatzy.reach("yatzy-forced", 200, tables=tmp_path)
    perfect_yatzy.approximate("yatzy-forced", tmp_path, work=1e-6, games=64, fit_games=64)
    rules, found = load_rules("yatzy"), dict[str, tuple[float, float]]()

    def measure(name: str, cost: SolveCost, work: Callable[[], object]) -> None:
        found[name] = cost.processor_seconds, seconds_of(work)

    for key in ("yatzy", "maxi-unsaved"):
        means = Objective(load_rules(key))
        measure(
            key, solve_cost(means), lambda means=means: solve_to_store(Settings(tmp_path), means)
        )
    strategy = open_strategy("yatzy", tmp_path)
    measure("distribution", distribution_cost(rules), lambda: perfect_yatzy.distribution(strategy))
    goal = ReachableUtility(rules, lambda total: total.astype(float), EMPTY_STATE)
    wanted = perfect_yatzy.maximise
    measure(
        "utility",
        solve_cost(goal),
        lambda: wanted("yatzy", lambda s: (s >= 240) * 1.0, tables=tmp_path),
    )
    measure(
        "goals", solve_cost(Goals(rules)), lambda: solve_to_store(Settings(tmp_path), Goals(rules))
    )
    expected = estimates.THREADS * approximate_seconds(rules)
    found["approximate"] = (
        expected,
        seconds_of(lambda: perfect_yatzy.approximate("yatzy", tmp_path)),
    )
    assert all(0.5 < taken / estimate < 2 for estimate, taken in found.values()), found
