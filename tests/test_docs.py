"""What the documents say is what happens: commands with their output, the Python, the rule file, the tables."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from perfect_yatzy.game.rule_loader import load_rules
from perfect_yatzy.play.record import write_games
from perfect_yatzy.play.replay import replay
from perfect_yatzy.strategy.strategy import Strategy, open_strategy
from support.command import ROOT, Run

from tables import build

README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


def console() -> list[tuple[str, str]]:
    found = []
    for block in blocks("console"):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            found.append((command, output.rstrip("\n")))
    return found


@pytest.mark.parametrize(("command", "output"), console(), ids=[command for command, _ in console()])
def test_commands_of_the_readme_print_what_it_shows(
    command: str, output: str, yatzy: Strategy, tmp_path: Path
) -> None:
    script = f'yatzy() {{ "{sys.executable}" -m perfect_yatzy "$@"; }}\n{command}'
    env = os.environ | {"NO_COLOR": "1", "LC_ALL": "C.UTF-8"}
    ran = subprocess.run(["bash", "-c", script], capture_output=True, text=True, env=env, cwd=tmp_path, check=False)
    assert ran.stdout.rstrip("\n") == output
    assert ran.stderr == ""


def test_python_of_the_readme_runs(yatzy: Strategy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_games("games.jsonl", [replay(yatzy, seed=1, game=0)])
    for code in blocks("python"):
        exec(compile(code, "README.md", "exec"), {})


def test_rule_files_of_the_readme_are_in_order(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    for example in blocks("toml"):
        file.write_text(example)
        checked = run("rules", "check", str(file))
        assert checked.returncode == 0, checked.stderr
    rules = load_rules(f"{file}+no-joker")
    assert (rules.id, rules.joker, len(rules.categories)) == ("garden-dice", None, 5)


def test_solved_games_of_the_readme_are_those_of_the_checksums() -> None:
    sums = json.loads((ROOT / "tables" / "checksums.json").read_text())
    row = r"^\| `([a-z0-9+-]+)` \| ([\d.]+) \| ([\d,]+) \|.*\| `([0-9a-f]{12})` \|$"
    rows = re.findall(row, README, re.MULTILINE)
    assert {key: (value, int(states.replace(",", "")), digest) for key, value, states, digest in rows} == {
        key: (entry["value"], entry["states"], entry["sha256"][:12]) for key, entry in sums.items()
    }


def test_make_targets_of_the_readme_exist() -> None:
    makefile = (ROOT / "Makefile").read_text()
    for target in set(re.findall(r"^make ([a-z-]+)", README, re.MULTILINE)):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


def test_files_the_readme_links_to_exist() -> None:
    for link in re.findall(r"\]\((?!http)([^)#]+)\)", README):
        assert (ROOT / link).exists(), link


def test_readable_tables_are_up_to_date(yatzy: Strategy) -> None:
    """`make tables` would change nothing."""
    for name, text in build.sheets({"yatzy": yatzy}).items():
        assert (build.HERE / name).read_text(encoding="utf-8") == text, f"{name} is stale: make tables"


@pytest.mark.parametrize("key", [*build.QUICK, *(pytest.param(key, marks=pytest.mark.slow) for key in build.BIG)])
def test_solved_tables_have_the_recorded_checksums(key: str, tmp_path: Path) -> None:
    """Other machines make the same bits."""
    sums = json.loads((build.HERE / "checksums.json").read_text())
    folder = tmp_path if key in build.BIG else None
    assert build.checksum(open_strategy(key, folder)) == sums[key]


def test_nothing_that_is_made_is_tracked() -> None:
    """A table asked for in a checkout leaves no change behind."""
    if not (ROOT / ".git").exists() or not shutil.which("git"):
        pytest.skip("no checkout")
    command = ["git", "ls-files", "--cached", "--ignored", "--exclude-standard"]
    found = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    if found.returncode:
        pytest.skip(found.stderr)  # the checkout of somebody else
    assert found.stdout == ""


def test_the_trademark_is_used_for_rules_only() -> None:
    names = [path.name.lower() for path in (ROOT / "solver").rglob("*.py")]
    assert not [name for name in names if "yahtzee" in name]
    assert "yahtzee" not in (ROOT / "pyproject.toml").read_text().lower()
