"""`yatzy solve --what goals --approximate`, and the answers from its estimates."""

from __future__ import annotations

from pathlib import Path

from support.command import Run


def test_estimates_are_made_measured_listed_and_removed(run: Run, tmp_path: Path) -> None:
    tables = ("--tables", str(tmp_path))
    made = run("solve", "crag", "--what", "goals", "--approximate", "--games", "500", *tables)
    assert made.returncode == 0, made.stderr
    assert "Estimates of all goals of crag" in made.stdout
    assert len(made.stdout.splitlines()) == 5
    again = run("solve", "crag", "--what", "goals", "--approximate", "--games", "500", *tables)
    assert again.stdout == made.stdout
    listed = run("tables", *tables).stdout
    assert all(name in listed for name in ("crag-mean", "crag-upside", "crag-downside", "crag-lategoals"))
    assert run("tables", "--remove", "crag-upside", "--yes", *tables).returncode == 0
    assert "crag-upside" not in run("tables", *tables).stdout


def test_options_that_do_not_fit_are_refused(run: Run) -> None:
    refused = run("solve", "crag", "--what", "variance", "--approximate")
    assert refused.returncode == 2
    assert "--what variance cannot be used with --approximate" in refused.stderr
    refused = run("solve", "crag", "--what", "goals", "--games", "500")
    assert "--games can only be used with --approximate" in refused.stderr
