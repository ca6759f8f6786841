"""`yatzy solve`: estimates before a solve as text and as JSON, approximate goals, options that do not fit."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import pytest
from perfect_yatzy.game.rule_loader import load_rules
from perfect_yatzy.model.objectives import Goals, Objective
from perfect_yatzy.tablebase.solve_estimate import estimate_solve
from perfect_yatzy.tablebase.store import solve_to_store
from support.command import Run, refusal

HOUSE = """
id = "house-17"
name = "House game of 17 boxes"
extends = "yatzy"

[categories.four-sixes]
name = "Four Sixes"
code = "46"
pattern = "contains"
contains = [6, 6, 6, 6]
points = 40

[categories.low]
name = "Low"
code = "LO"
pattern = "contains"
contains = [1, 1, 2, 2]
points = 20
"""


def rows(text: str) -> dict[str, str]:
    """The lines with a name, by their name."""
    return {line[:16].strip(): line[16:] for line in text.splitlines() if line[15:16] == " "}


def test_a_table_in_one_file(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "tables"
    done = run("solve", "yatzy", "--what", "goals", "--estimate", "--threads", "2", "--tables", str(folder))
    assert done.returncode == 0, done.stderr
    found = rows(done.stdout)
    assert found["Table"] == "923.9 MB, 230,973,184 values of float32"
    assert found["States"] == "1,430,528"
    assert found["Time"].endswith("with 2 threads")
    assert not {"Shards", "Useful workers"} & set(found)
    assert not folder.exists()


def test_a_game_of_terabytes_on_many_workers(run: Run) -> None:
    done = run("solve", "maxi", "--what", "goals", "--workers", "1000", "--estimate", "--verbose")
    assert done.returncode == 0, done.stderr
    found = rows(done.stdout)
    assert found["Table"].startswith("1,114.1 GB")
    assert found["This machine"].endswith("too little memory and disk")
    assert "more wait for the last shard of each layer" in found["Useful workers"]
    lines = done.stdout.splitlines()
    layers = lines.index(next(line for line in lines if line.startswith("filled")))
    assert [line.split()[0] for line in lines[layers + 1 : layers + 22]] == [str(k) for k in range(20, -1, -1)]
    assert layers + 22 == len(lines)


def test_a_game_of_the_users_own(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "house.toml"
    path.write_text(HOUSE)
    done = run("solve", str(path), "--what", "goals", "--shards", "--threads", "2", "--estimate", "--json")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    expected = asdict(estimate_solve(Goals(load_rules(path)), threads=2, shards=True))
    assert answer["estimate"] == json.loads(json.dumps(expected))
    assert (answer["rules"], answer["what"], answer["solved"]) == ("house-17", "goals", False)
    assert answer["means_first"] is None
    assert answer["free"]["disk"] > 0


def test_quantities_say_that_the_means_come_first(run: Run, tmp_path: Path) -> None:
    command = ("solve", "yatzy-forced", "--estimate", "--tables", str(tmp_path), "--what")
    titles = {"variance": "Variances", "bonus": "Chances of the upper bonus"}
    for what, title in titles.items():
        before = run(*command, what).stdout
        assert before.startswith(title)
        assert rows(before)["Before"].startswith("the table of means, ")
    solve_to_store(Objective(load_rules("yatzy-forced")), tmp_path)
    for what in titles:
        assert not {"Before", "Stored"} & set(rows(run(*command, what).stdout))
    assert rows(run(*command, "mean").stdout)["Stored"] == "the table is solved already"


def test_a_game_of_too_many_cards(run: Run) -> None:
    counted = run("solve", "giant", "--estimate")
    assert counted.returncode == 0
    assert rows(counted.stdout)["Table"] == "28,719 TB, 7,179,810,929,377,280 values of float32"
    assert "`yatzy solve giant --approximate`" in counted.stdout
    assert json.loads(run("solve", "giant", "--estimate", "--json").stdout)["too_large"].startswith("giant has 47")
    refused = refusal(run, "solve", "giant", "--what", "goals", "--estimate")
    assert "47 categories" in refused
    assert "`yatzy solve giant --approximate`" in refused


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--verbose", "--verbose can only be used with --estimate"),
        ("--json", "--json can only be used with --estimate"),
        ("--estimate --approximate", "--estimate cannot be used with --approximate"),
        ("--estimate --cluster tcp://nowhere:1", "--estimate cannot be used with --cluster"),
        ("--estimate --workers 2 --threads 2", "--threads cannot be used with --workers"),
        ("--workers 300", "--workers starts at most 256"),
        ("--what variance --approximate", "--what variance cannot be used with --approximate"),
        ("--what goals --games 500", "--games can only be used with --approximate"),
    ],
)
def test_options_that_do_not_fit_are_refused(run: Run, options: str, message: str) -> None:
    assert message in refusal(run, "solve", "yatzy", *options.split())


@pytest.mark.full
def test_estimates_are_made_measured_listed_and_removed(run: Run, tmp_path: Path) -> None:
    tables = ("--tables", str(tmp_path))
    command = ("solve", "crag", "--what", "goals", "--approximate", "--games", "500", *tables)
    made = run(*command)
    assert made.returncode == 0, made.stderr
    assert "Estimates of all goals of crag" in made.stdout
    assert len(made.stdout.splitlines()) == 5
    assert run(*command).stdout == made.stdout
    listed = run("tables", *tables).stdout
    assert all(name in listed for name in ("crag-mean", "crag-upside", "crag-downside", "crag-lategoals"))
    assert run("tables", "--remove", "crag-upside", "--yes", *tables).returncode == 0
    assert "crag-upside" not in run("tables", *tables).stdout
