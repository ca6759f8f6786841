"""Strategy tables: the numbers are the strategy's, and each format reads back."""

import csv
import io
import json
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from perfect_yatzy import State, StateError, Strategy
from perfect_yatzy.cli.views import strategy_tables as views
from perfect_yatzy.cli.views.strategy_tables import (
    STRATEGY_TABLES,
    StrategyTable,
    comma_separated,
    html,
    markdown,
    opening,
    parquet,
)
from perfect_yatzy.errors import install_command
from perfect_yatzy.game.translations import localized
from support.command import Run
from support.need import need


@pytest.fixture(scope="module")
def sheet(yatzy: Strategy) -> StrategyTable:
    """What to hold of each first roll."""
    return opening(yatzy)


def test_opening_has_every_roll_and_scoring_the_best_category(
    yatzy: Strategy, sheet: StrategyTable
) -> None:
    assert len(sheet.rows) == 252
    by_roll = {row[0]: row for row in sheet.rows}
    hold, other = yatzy.holds("", "33456", 2)[:2]
    assert by_roll["3 3 4 5 6"][1:4] == ("3 3", hold.value, other.loss)
    assert by_roll["6 6 6 6 6"][4] == "take Yatzy"
    weights = yatzy.evaluator.dice.weights
    assert sum(w * float(r[2]) for w, r in zip(weights, sheet.rows, strict=True)) == pytest.approx(
        yatzy.value()
    )
    row = next(row for row in STRATEGY_TABLES["scoring"](yatzy).rows if row[0] == "2 2 5 5 5")
    best, second = yatzy.categories("", "22555")[:2]
    assert row == ("2 2 5 5 5", "Full House", best.points, best.value, "Fives", second.loss)


def test_categories_alone_are_known_turn_means_and_a_forced_order_has_none(
    yatzy: Strategy, forced: Strategy
) -> None:
    rows = {row[0]: row for row in STRATEGY_TABLES["categories"](yatzy).rows}
    # Three rolls for one face: each die shows it with chance 1 - (5/6)^3, whatever is rolled.
    for number, name in enumerate(("Ones", "Twos", "Threes", "Fours", "Fives", "Sixes"), start=1):
        assert rows[name][1] == pytest.approx(5 * number * (1 - (5 / 6) ** 3), abs=1e-12)
    # Each of three chances to roll a die is taken below its mean: 14/3 a die.
    assert rows["Chance"][1] == pytest.approx(5 * 14 / 3, abs=1e-12)
    assert rows["Yatzy"][1] == pytest.approx(50 * 0.04602864252569899, abs=1e-10)
    assert rows["Ones"][2] == yatzy.value(State(1, 0))
    assert len(STRATEGY_TABLES["opening"](forced).rows) == 252
    with pytest.raises(StateError, match="fixed order"):
        STRATEGY_TABLES["categories"](forced)


def test_formats_read_back(yatzy: Strategy, sheet: StrategyTable) -> None:
    """Pages say which words are of another language."""
    read = list(csv.reader(io.StringIO(comma_separated(sheet))))
    per_count = ["hold_{0}_left", "expected_{0}_left", "second_best_loses_{0}_left"]
    assert read[0] == ["dice", *(name.format(left) for left in (2, 1) for name in per_count)]
    assert float(read[1][2]) == pytest.approx(float(sheet.rows[0][2]), abs=1e-9)
    assert len(read) == 253
    first = json.loads(str(views.FORMATS["json"](sheet)))["rows"][0]
    assert (list(first), first["dice"]) == (read[0], "1 1 1 1 1")
    assert len({len(line) for line in markdown(sheet).splitlines()[4:]}) == 1
    page = html(sheet)
    assert "@media print" in page
    assert page.count("<tr>") == 253
    ET.fromstring(page[page.index("<table>") : page.index("</table>") + 8])
    swedish = Strategy(localized(yatzy.rules, "sv"), yatzy.info, yatzy.evaluator)
    assert '<td lang="sv">Liten stege</td>' in html(STRATEGY_TABLES["scoring"](swedish))
    assert 'lang="sv"' not in html(STRATEGY_TABLES["scoring"](yatzy))


@pytest.mark.full
def test_parquet_reads_back(sheet: StrategyTable) -> None:
    stored = need("pyarrow.parquet").read_table(io.BytesIO(parquet(sheet)))
    (names, *_) = csv.reader(io.StringIO(comma_separated(sheet)))
    assert (stored.num_rows, stored.column_names) == (252, names)


def test_files_are_written_by_their_ending(run: Run, yatzy: Strategy, tmp_path: Path) -> None:
    assert run("table", "--what", "categories").stdout.startswith("# Yatzy: value of each category")
    for options, name in (
        ("--what categories", "x.csv"),
        ("--what categories --format md", "x.txt"),
        ("--format html", "opening.html"),
    ):
        path = tmp_path / name
        found = run("table", *options.split(), "-o", str(path))
        assert (found.returncode, found.stdout, found.stderr) == (0, f"Wrote {path}\n", "")
    assert (tmp_path / "x.csv").read_text().startswith("category,alone")
    assert (tmp_path / "opening.html").read_text().startswith("<!doctype html>")
    assert {path.name for path in tmp_path.iterdir()} == {"opening.html", "x.csv", "x.txt"}


WITHOUT = """
import sys
for name in ("gymnasium", "pettingzoo", "pandas", "polars", "pyarrow", "matplotlib", "fastapi", "uvicorn", "distributed"):
    sys.modules[name] = None  # an import fails as if the package were not installed
import perfect_yatzy
from perfect_yatzy import frames
from perfect_yatzy.cli import main, progress
from perfect_yatzy.errors import MissingPackage
progress.SILENCE = float("inf")  # no lines of progress on a slow machine
ranking = perfect_yatzy.open_strategy("yatzy").holds("", "33456")
def environment():
    import perfect_yatzy.rl
def environment_of_players():
    del sys.modules["gymnasium"]
    import perfect_yatzy.rl.yatzy_v0
def cluster():
    perfect_yatzy.open_cluster(workers=1).__enter__()
for call in (environment, environment_of_players, cluster, *(lambda f=f: f(ranking) for f in (frames.to_arrow, frames.to_pandas, frames.to_polars))):
    try:
        call()
    except MissingPackage as error:
        print(error)
for arguments in COMMANDS:
    try:
        main(list(arguments), prog_name="yatzy")
    except SystemExit as stop:
        print(stop.code, file=sys.stderr)
"""


def test_every_missing_package_is_reported_in_one_way(yatzy: Strategy, tmp_path: Path) -> None:
    """Each feature of an extra, in a process without the packages: MissingPackage, which names
    the extra.
    """
    commands = {
        ("serve",): "web",
        ("expect", "--plot", str(tmp_path / "x.png")): "plot",
        ("simulate", "-o", str(tmp_path / "x.parquet")): "data",
        ("solve", "crag", "--workers", "1", "--tables", str(tmp_path)): "cluster",
        ("table", "--format", "parquet", "-o", str(tmp_path / "x.parquet")): "data",
    }
    program = [sys.executable, "-c", f"COMMANDS = {[*commands]!r}\n{WITHOUT}"]
    out = subprocess.run(program, capture_output=True, text=True, check=True)
    assert out.stdout.splitlines() == [
        f"perfect_yatzy.rl needs gymnasium; install with: {install_command('rl')}",
        f"perfect_yatzy.rl.yatzy_v0 needs pettingzoo; install with: {install_command('rl')}",
        f"a cluster needs dask and distributed; install with: {install_command('cluster')}",
        f"to_arrow needs pyarrow; install with: {install_command('data')}",
        "to_pandas needs pandas; install with: pip install pandas",
        "to_polars needs polars; install with: pip install polars",
    ]
    lines = out.stderr.splitlines()
    assert lines[0].startswith("yatzy: serve needs fastapi and uvicorn; ")
    assert lines[1::2] == ["1"] * len(commands)
    for line, extra in zip(lines[::2], commands.values(), strict=True):
        assert line.endswith(f"install with: {install_command(extra)}"), line
    assert [*tmp_path.iterdir()] == []
