"""What the READMEs say is what happens: commands with their output, Python, rule files, links,
solved games.

Ring 1 runs the first README, which newcomers read, and parses the commands of the others; ring 2
runs all.
"""

import ast
import json
import re
import shlex
import shutil
import subprocess
import tomllib
from dataclasses import fields
from itertools import takewhile
from pathlib import Path

import click
import perfect_yatzy
import pytest
from documents import (
    DOCUMENTS,
    ROOT,
    Command,
    blocks,
    commands,
    links,
    name,
    run_shell,
    unexpected,
    write_files,
)
from perfect_yatzy import RulesError, Strategy, load_rules, open_strategy
from perfect_yatzy.cli import main
from perfect_yatzy.core.table_info import FORMAT, ShardedTableInfo
from perfect_yatzy.errors import CODES
from perfect_yatzy.game import limits
from perfect_yatzy.play.record import simulated_records
from perfect_yatzy.tablebase.quantities import QUANTITIES
from support.command import Run
from support.refusals import load_text
from support.seeds import ring_2, ring_3

from benchmarks.mutants.nearest_tests import NEAREST, PACKAGE
from tables import build

README, *OTHERS = DOCUMENTS
SOLVED_IN_RING_1 = ["yatzy", "yatzy-forced", "yahtzee", "crag", "generala", "yacht"]


def read(*path: str) -> str:
    return ROOT.joinpath(*path).read_text(encoding="utf-8")


def by_text(command: Command) -> str:
    return f"{name(command.document)}: {command.text}"


@pytest.mark.parametrize("command", commands(README), ids=by_text)
def test_commands_of_the_first_readme_print_what_it_shows(
    command: Command, run: Run, yatzy: Strategy
) -> None:
    asked, _, most = command.text.partition(" | head -")
    ran = run(*shlex.split(asked)[1:])
    assert ran.stdout.rstrip("\n").splitlines()[: int(most or 99)] == command.output.splitlines(), (
        "make readmes"
    )
    assert ran.stderr == ""


@pytest.mark.full
@pytest.mark.parametrize(
    "command", [each for document in OTHERS for each in commands(document)], ids=by_text
)
def test_commands_print_what_the_readme_shows(
    command: Command, yatzy: Strategy, tmp_path: Path
) -> None:
    ran = run_shell(command, tmp_path)
    assert ran.stdout.rstrip("\n") == command.output, "make readmes"
    # on a busy machine it may take long enough for a line of progress
    assert not unexpected(ran.stderr)


def commands_named(document: Path) -> list[list[str]]:
    """The words after `yatzy` of each command in the text, in a block or in a figure, without
    what follows a pipe.
    """
    text = document.read_text(encoding="utf-8")
    found = re.findall(
        r"`yatzy ([a-z][^`]*)`|^(?:\$ .*)?\byatzy ([a-z].*)$|&& yatzy ([a-z].*)$",
        text,
        re.MULTILINE,
    )
    lines = [shlex.split("".join(each), comments=False) for each in found]
    return [[*takewhile(lambda word: not re.match(r"[#|&>]|\d>", word), words)] for words in lines]


def unknown_word(words: list[str]) -> str:
    """Why the command cannot be parsed, or which rules do not exist, without running it; empty if
    neither is so. Names in capital letters and files stand for any rules.
    """
    command: click.Command = main
    context = click.Context(command, info_name="yatzy")
    try:
        while isinstance(command, click.Group) and words:
            _, found, words = command.resolve_command(context, words)
            command = found
            context = click.Context(command, parent=context)
        given, _, _ = command.make_parser(context).parse_args([*words])
    except click.UsageError as error:
        return error.format_message()
    spec = given.get("rules")
    try:
        if isinstance(spec, str) and re.fullmatch(r"[a-z0-9+-]+", spec):
            load_rules(spec)
    except RulesError as error:
        return str(error)
    return ""


def test_every_command_that_a_readme_names_exists_with_these_options() -> None:
    named = {name(document): commands_named(document) for document in DOCUMENTS}
    assert sum(map(len, named.values())) > 100
    wrong = [
        (file, words, why)
        for file in named
        for words in named[file]
        if (why := unknown_word(words))
    ]
    assert wrong == []
    assert "nothing" in unknown_word(["hold", "33456", "--nothing"])
    assert "nothing" in unknown_word(["rules", "nothing"])
    assert "free-joker" in unknown_word(["expect", "--rules", "yahtzee+free-joker"])
    assert "nothing" in unknown_word(["solve", "nothing"])


def test_every_name_of_the_package_in_a_python_block_exists() -> None:
    for document in DOCUMENTS:
        for block in blocks(document, "python"):
            for node in ast.walk(ast.parse(block)):
                if isinstance(node, ast.ImportFrom) and str(node.module).startswith(
                    "perfect_yatzy"
                ):
                    exec(ast.unparse(node), {})
                if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "perfect_yatzy":
                    assert hasattr(perfect_yatzy, node.attr), f"{name(document)}: {node.attr}"


@pytest.mark.parametrize(
    ("document", "code"),
    [
        (pytest.param if document == README else ring_2)(
            document, block, id=f"{name(document)}-{number}"
        )
        for document in DOCUMENTS
        for number, block in enumerate(blocks(document, "python"), 1)
    ],
)
def test_python_runs(
    document: Path, code: str, yatzy: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_files(document, tmp_path)
    if "games.jsonl" in code:
        Path("games.jsonl").write_text("".join(f"{line}\n" for line in simulated_records(yatzy, 3)))
    exec(compile(code, "<example>", "exec"), {})


def test_rule_files_are_valid_with_each_switch(tmp_path: Path) -> None:
    examples = [block for document in DOCUMENTS for block in blocks(document, "toml")]
    assert len(examples) > 3
    for example in examples:
        for switch in ("", *re.findall(r"^\[switches(\.[a-z0-9-]+)\]", example, re.MULTILINE)):
            assert load_text(tmp_path, example, "", switch.replace(".", "+")).categories, example


def test_json_is_json_and_links_lead_to_files_but_those_of_the_first_readme_to_none() -> None:
    for document in DOCUMENTS:
        for example in blocks(document, "json"):
            json.loads(example)
        assert [link for link in links(document) if not (document.parent / link).exists()] == [], (
            document
        )
    assert links(README) == []
    named = set(re.findall(r"`([\w./-]+/README\.md)`", read("README.md")))
    assert named
    assert [path for path in named if not (ROOT / path).is_file()] == []


def test_the_first_readme_is_short_and_shows_the_commands_at_the_table() -> None:
    text = read("README.md")
    assert text.count("\n") <= 130
    assert all(command in text for command in ("make demo", "make test"))
    section = text.split("## At the table")[1].split("## ")[0]
    named = re.findall(r"`yatzy (\w+)", section)
    assert {"play", "hold", "score", "expect", "review", "guide"} <= {*named}


def test_solved_games_and_the_series_of_figures_are_those_of_the_checksums() -> None:
    sums = json.loads(read("tables", "checksums.json"))
    row = r"^\| `([a-z0-9+-]+)` \| ([\d.]+) \| ([\d,]+) \|.*\| `([0-9a-f]{12})` \|$"
    rows = re.findall(row, read("tables", "README.md"), re.MULTILINE)
    found = {
        key: (value, int(states.replace(",", "")), digest) for key, value, states, digest in rows
    }
    assert found == {
        key: (each["value"], each["states"], each["sha256"][:12]) for key, each in sums.items()
    }
    names, *rows = (
        line.split("\t") for line in read("benchmarks", "runs", "series.tsv").splitlines()
    )
    runs = [dict(zip(names, row, strict=True)) for row in rows]
    assert {run["sha256"] for run in runs} == {
        json.loads(read("tables", "checksums.json"))["yatzy"]["sha256"][:12]
    }
    assert all(
        abs(float(run["solve"]) / float(run["reference"]) - float(run["ratio"])) < 0.001
        for run in runs
    )


def test_every_figure_of_the_results_stands_in_its_record() -> None:
    page = ROOT / "solver" / "docs" / "results.md"
    rows = re.findall(
        r"^\| .+ \| (.+) \| (.+) \| `(.+)` \| \[.+\]\((.+?)(?:#.*)?\) \|$",
        page.read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    assert len(rows) > 12
    for figures, how_sure, command, record in rows:
        text = (page.parent / record).read_text(encoding="utf-8")
        numbers = re.findall(r"[\d,]*\.?\d+", figures)
        assert numbers, command
        assert [number for number in numbers if number not in text] == [], command
        assert re.match("exact|proved|estimated", how_sure), command


def test_the_citation_names_the_page_of_results() -> None:
    text = read("CITATION.cff")
    assert "solver/docs/results.md" in text
    assert re.search(r"^version: (.+)$", text, re.MULTILINE)[1] == perfect_yatzy.__version__  # type: ignore[index]


def test_the_rules_as_printed_have_the_values_of_the_checksums() -> None:
    sums = json.loads(read("tables", "checksums.json"))
    text = read("solver", "perfect_yatzy", "game", "README.md").split("## The rules as printed")[1]
    rows = re.findall(r"^\| .+ \| `(\S+)` \| (\S+) \|$", text, re.MULTILINE)
    assert len(rows) > 20
    assert dict(rows) == {key: sums[key]["value"] for key, _ in rows}


def test_every_error_code_and_every_field_of_a_table_is_documented() -> None:
    section = (
        read("solver", "perfect_yatzy", "service", "README.md")
        .split("## Error codes")[1]
        .split("##")[0]
    )
    assert set(re.findall(r"^\| `([a-z-]+)` \|", section, re.MULTILINE)) == CODES
    text = read("tables", "README.md").split("## The format of a table")[1]
    rows = "".join(re.findall(r"^\| (`.*?) \|", text, re.MULTILINE))
    assert set(re.findall(r"`(\w+)`", rows)) == {
        field.name for field in fields(ShardedTableInfo)
    } | {"checksum"}
    assert f"(version {FORMAT})" in text
    listed = re.search(r"^\| `objective` \| (.*) \|$", text, re.MULTILINE)[1]  # type: ignore[index]
    assert set(re.findall(r"`(\w+)`", listed)) >= set(QUANTITIES)


def test_make_targets_exist_and_the_workflow_runs_every_folder_of_tests() -> None:
    for document in DOCUMENTS:
        for target in re.findall(
            r"(?:^|`)make ([a-z-]+)", document.read_text(encoding="utf-8"), re.MULTILINE
        ):
            assert re.search(rf"^{target}:", read("Makefile"), re.MULTILINE), (
                f"{name(document)}: {target}"
            )
    named = set(re.findall(r"tests/(\w+)", read(".github", "workflows", "ci.yml")))
    assert named >= {path.parent.name for path in (ROOT / "tests").glob("*/test_*.py")}


@pytest.mark.parametrize("folder", ["game", "objectives", "cluster", "two_players", "web"])
def test_every_module_of_a_folder_whose_document_lists_them_is_listed(folder: str) -> None:
    text = read("solver", "perfect_yatzy", folder, "README.md")
    modules = {path.name for path in (ROOT / PACKAGE / folder).glob("[!_]*.py")}
    assert modules
    assert sorted(module for module in modules if f"[`{module}`]({module})" not in text) == []


def test_every_module_of_the_core_is_listed() -> None:
    text = read("solver", "README.md").split("## The core")[1].split("## ")[0]
    modules = {path.name for path in (ROOT / PACKAGE / "core").glob("[!_]*.py")}
    assert sorted(module for module in modules if f"/core/{module})" not in text) == []


def test_the_document_of_the_page_lists_its_scripts_and_the_options_of_the_server() -> None:
    text = read("solver", "perfect_yatzy", "web", "README.md")
    scripts = text.split("The scripts, each with one subject")[1]
    static = ROOT / PACKAGE / "web" / "static"
    found = [path for path in static.glob("*/*.js") if path.parent.name != "engine"]
    assert len(found) > 40
    assert sorted(path.name for path in found if f"`{path.name}`" not in scripts) == []
    table = text.split("## The server")[1].split("A request must name")[0]
    options = [option for p in main.commands["serve"].params for option in p.opts]
    assert "--memory" in options
    wanted = {option for option in options if option.startswith("--")} - {"--help"}
    assert sorted(option for option in wanted if f"`{option}" not in table) == []


def test_the_benchmarks_list_every_target_that_measures() -> None:
    targets = re.findall(r"^(bench[a-z-]*):", read("Makefile"), re.MULTILINE)
    text = read("benchmarks", "README.md")
    assert len(targets) > 10
    assert [target for target in targets if f"| `make {target}` |" not in text] == []


def test_limits_and_versions_in_the_documents_are_those_of_the_code() -> None:
    assert f"perfect-yatzy-{perfect_yatzy.__version__}.tgz" in read("solver", "npm", "README.md")
    records = read("solver", "perfect_yatzy", "play", "README.md").split("Limits: ")[1]
    assert f"{limits.MAX_PLAYERS} players" in records
    assert f"{limits.MAX_DICE_LISTED} faces" in records
    assert f"{limits.MAX_ROLLS_LISTED:,} rolls" in records


def test_the_tests_after_a_change_are_those_of_the_planted_bugs() -> None:
    """Every folder of the package has a row, and every test of a row exists."""
    rows = re.findall(
        r"^\| `([\w/.]+)`.* \| `pytest --ring 2 (.*)` \|$", read("tests", "README.md"), re.MULTILINE
    )
    assert {folder: tuple(tests.split()) for folder, tests in rows} == NEAREST
    assert [
        tests for listed in NEAREST.values() for tests in listed if not any(ROOT.glob(tests))
    ] == []
    package = ROOT / PACKAGE
    assert {path.parent.name for path in package.glob("*/__init__.py")} <= set(NEAREST)
    assert [folder for folder in NEAREST if not (package / folder).is_dir()] == []


def test_readable_tables_are_up_to_date_and_games_that_are_not_solved_keep_their_line(
    yatzy: Strategy,
) -> None:
    for file, text in build.sheets({"yatzy": yatzy}).items():
        assert read("tables", file) == text, f"{file} is stale: make tables"
    text = read("tables", "README.md")
    assert f"{build.START}\n{build.games_table({}, text)}\n{build.END}" in text


@pytest.mark.parametrize(
    "key",
    [
        *SOLVED_IN_RING_1,
        *(ring_2(key) for key in build.QUICK if key not in SOLVED_IN_RING_1),
        *map(ring_3, build.BIG),
    ],
)
def test_solved_tables_have_the_recorded_checksums(key: str, tmp_path: Path) -> None:
    folder = tmp_path if key in build.BIG else None
    assert (
        build.checksum(open_strategy(key, folder))
        == json.loads(read("tables", "checksums.json"))[key]
    )


def test_nothing_that_is_made_is_tracked() -> None:
    if not (ROOT / ".git").exists() or not shutil.which("git"):
        pytest.skip("no checkout")
    command = ["git", "ls-files", "--cached", "--ignored", "--exclude-standard"]
    found = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    if found.returncode:
        pytest.skip(found.stderr)  # the checkout of somebody else
    assert found.stdout == ""


def test_the_trademark_is_used_for_rules_only() -> None:
    assert [
        path for path in (ROOT / "solver").rglob("*.py") if "yahtzee" in path.name.lower()
    ] == []
    assert "yahtzee" not in read("pyproject.toml").lower()


def test_ci_and_the_release_install_locked_versions_with_hashes() -> None:
    """Every package of the lock file has a version and hashes, and has all that pyproject names."""
    text = (ROOT / ".ci" / "requirements.txt").read_text()
    entries = re.split(r"\n(?=[A-Za-z0-9])", text)[1:]  # the first part is the comment
    assert all("==" in entry and "--hash=sha256:" in entry for entry in entries)
    locked = {re.sub(r"[._]", "-", entry.split("==")[0].lower()) for entry in entries}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    named = [*project["project"]["dependencies"]]
    for extra in project["project"]["optional-dependencies"].values():
        named += extra
    for group in project["dependency-groups"].values():
        named += [entry for entry in group if isinstance(entry, str)]
    wanted = {re.sub(r"[._]", "-", re.split(r"[ ;<>=\[]", name)[0].lower()) for name in named}
    assert wanted - locked == set()
    for workflow in (ROOT / ".github" / "workflows").glob("*.yml"):
        for line in workflow.read_text().splitlines():
            if "pip install" in line:
                assert "--require-hashes" in line or "dist/" in line or "--no-deps" in line, line
