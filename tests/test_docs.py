"""What the READMEs say is what happens: commands with their output, Python, rule files, links, solved games."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from dataclasses import fields
from pathlib import Path

import pytest
from documents import DOCUMENTS, Command, blocks, commands, links, name, run_shell
from perfect_yatzy.errors import CODES
from perfect_yatzy.game.rule_loader import load_rules
from perfect_yatzy.play.simulated import simulated_records
from perfect_yatzy.strategy.opening import open_strategy
from perfect_yatzy.strategy.strategy import Strategy
from perfect_yatzy.tablebase.table_info import FORMAT, ShardedTableInfo
from support.command import ROOT, Run

from tables import build

COMMANDS = [command for document in DOCUMENTS for command in commands(document)]


def snippets(language: str) -> list[object]:
    """Every block of a language in every README, as parameters of a test."""
    return [
        pytest.param(block, id=f"{name(document)}-{number}")
        for document in DOCUMENTS
        for number, block in enumerate(blocks(document, language), 1)
    ]


@pytest.mark.parametrize("command", COMMANDS, ids=[f"{name(entry.document)}: {entry.text}" for entry in COMMANDS])
def test_commands_print_what_the_readme_shows(command: Command, yatzy: Strategy, tmp_path: Path) -> None:
    ran = run_shell(command.text, tmp_path)
    assert ran.stdout.rstrip("\n") == command.output, "make readmes"
    assert ran.stderr == ""


@pytest.mark.parametrize("code", snippets("python"))
def test_python_runs(code: str, yatzy: Strategy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("games.jsonl").write_text("".join(f"{line}\n" for line in simulated_records(yatzy, 3)))
    exec(compile(code, "<example>", "exec"), {})


@pytest.mark.parametrize("example", snippets("toml"))
def test_rule_files_are_valid(example: str, run: Run, tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(example, encoding="utf-8")
    checked = run("rules", "check", str(file))
    assert checked.returncode == 0, checked.stderr
    for switch in re.findall(r"^\[switches\.([a-z0-9-]+)\]", example, re.MULTILINE):
        assert load_rules(f"{file}+{switch}").categories


@pytest.mark.parametrize("example", snippets("json"))
def test_json_is_json(example: str) -> None:
    json.loads(example)


@pytest.mark.parametrize("document", DOCUMENTS, ids=name)
def test_links_lead_to_files(document: Path) -> None:
    for link in links(document):
        assert (document.parent / link).exists(), link


def test_the_first_readme_links_to_no_file() -> None:
    """Package indexes show it alone, so it names the other documents as paths from the root of the checkout."""
    readme = ROOT / "README.md"
    assert links(readme) == []
    named = set(re.findall(r"`([\w./-]+/README\.md)`", readme.read_text(encoding="utf-8")))
    assert named
    for path in named:
        assert (ROOT / path).is_file(), path


def test_solved_games_are_those_of_the_checksums() -> None:
    sums = json.loads((ROOT / "tables" / "checksums.json").read_text())
    text = (ROOT / "tables" / "README.md").read_text(encoding="utf-8")
    row = r"^\| `([a-z0-9+-]+)` \| ([\d.]+) \| ([\d,]+) \|.*\| `([0-9a-f]{12})` \|$"
    rows = re.findall(row, text, re.MULTILINE)
    assert {key: (value, int(states.replace(",", "")), digest) for key, value, states, digest in rows} == {
        key: (entry["value"], entry["states"], entry["sha256"][:12]) for key, entry in sums.items()
    }
    short = re.findall(r"^\| `([a-z0-9+-]+)` \|.*\| ([\d.]+) \| ([\d,]+) \|$", (ROOT / "README.md").read_text(), re.M)
    assert [key for key, _, _ in short] == build.HEADLINES
    for key, value, states in short:
        assert (value, int(states.replace(",", ""))) == (sums[key]["value"], sums[key]["states"])


def test_every_error_code_is_documented() -> None:
    text = (ROOT / "solver" / "perfect_yatzy" / "service" / "README.md").read_text(encoding="utf-8")
    section = text.split("## Error codes")[1].split("##")[0]
    assert set(re.findall(r"^\| `([a-z-]+)` \|", section, re.MULTILINE)) == CODES


def test_every_field_of_a_table_is_documented() -> None:
    text = (ROOT / "tables" / "README.md").read_text(encoding="utf-8").split("## The format of a table")[1]
    rows = "".join(re.findall(r"^\| (`.*?) \|", text, re.MULTILINE))
    assert set(re.findall(r"`(\w+)`", rows)) == {field.name for field in fields(ShardedTableInfo)} | {"checksum"}
    assert f"(version {FORMAT})" in text


def test_make_targets_exist() -> None:
    makefile = (ROOT / "Makefile").read_text()
    for document in DOCUMENTS:
        for target in set(re.findall(r"^make ([a-z-]+)|`make ([a-z-]+)`", document.read_text(), re.MULTILINE)):
            assert re.search(rf"^{''.join(target)}:", makefile, re.MULTILINE), target


def test_readable_tables_are_up_to_date(yatzy: Strategy) -> None:
    """`make tables` would change nothing."""
    for file, text in build.sheets({"yatzy": yatzy}).items():
        assert (build.HERE / file).read_text(encoding="utf-8") == text, f"{file} is stale: make tables"


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
