"""Every option that names a file to write, from the parameters of all commands: exit codes, and
what happens to old files.

A new command or option with a file is tested without a change here, if its help names the suffixes
and the command runs with the shortest words that :func:`shortest` finds; else it fails until
`NEEDS` or `SUFFIXES` says what it takes.
"""

import re
from collections.abc import Iterator
from itertools import combinations, product
from pathlib import Path
from typing import Any, NamedTuple

import click
import pytest
from perfect_yatzy.cli import main
from perfect_yatzy.service.queries import QueryService
from support.command import Run, printed, refusal
from support.flips import files_of_at_most
from support.need import need
from support.seeds import ring_2

PACKAGES = {
    ".parquet": "pyarrow",
    ".pdf": "matplotlib",
    ".png": "matplotlib",
    ".svg": "matplotlib",
}  # for a suffix
# What other options a command or an option needs; {folder} is an empty folder, {record} a file of
# games.
NEEDS = {
    "--dataset-card": ("--output", "{folder}/data.csv"),
    "rate": ("{record}",),
    "puzzle": ("--sheet", "2", "--difficulty", "easy"),
}
# The suffixes of an option whose help does not name them, or not for this file
SUFFIXES = {
    "learn --output": [".json"],
    "rate --csv": [".csv"],
    "rate --cards": [".txt"],
    "puzzle --output": [".html"],
}
ANY_SUFFIX = {
    "rate --csv",
    "rate --cards",
    "simulate --dataset-card",
}  # their format is always the same
SLOW = {"learn --output"}  # seconds for the smallest game
AT_THE_TABLE = {"play --save", "play --record"}  # they are continued: the last tests of this file
MAKES_FOLDERS = {
    "learn --output"
}  # sheets are stored beside the tables, in a folder that need not be there


class Output(NamedTuple):
    """An option that names a file to write."""

    command: str
    option: str
    suffix: str  # of a file that is written
    words: tuple[str, ...]  # of the command, without this option

    @property
    def name(self) -> str:
        return f"{self.command} {self.option}"


def commands(command: click.Command = main, path: str = "") -> Iterator[tuple[str, click.Command]]:
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner
            yield from commands(inner, f"{path} {name}".strip())
    else:
        yield path, command


def file_options(command: click.Command) -> list[click.Option]:
    """The options for a file that need not exist."""
    found = [param for param in command.params if isinstance(param, click.Option)]
    return [
        param for param in found if isinstance(param.type, click.Path) and is_written(param.type)
    ]


def is_written(kind: click.Path) -> bool:
    return kind.file_okay and not kind.exists


def rows_options(command: click.Command) -> list[str]:
    """The options that each say what rows a command writes, and how many."""
    names = {name for param in command.params for name in param.opts}
    return sorted({"--games", "--positions"} & names)


def shortest(path: str, command: click.Command, rows: str) -> tuple[str, ...]:
    """The words that run a command for the smallest game, with so many `rows` that they are
    written in several pieces.
    """
    words = path.split()
    if any(isinstance(param, click.Argument) and param.name == "rules" for param in command.params):
        words.append("{tiny}")
    elif any("--rules" in param.opts for param in command.params):
        words += ["--rules", "{tiny}"]
    if rows:
        words += [rows, "1000"]
    return (*words, *NEEDS.get(path, ()))


def suffixes(name: str, command: click.Command, option: click.Option) -> list[str]:
    """The suffixes that the help of an option names, or those of the formats of its command."""
    found = re.findall(r"\.[a-z]+\b", f"{option.help} {option.metavar}")
    for param in command.params:
        if "--format" in param.opts and isinstance(param.type, click.Choice):
            found += [f".{choice}" for choice in param.type.choices]
    return SUFFIXES.get(name) or sorted({*found})


def outputs() -> list[Any]:
    """Every output option with every suffix; those that need an optional package in ring 2."""
    found: list[Any] = []
    for path, command in commands():
        for option in file_options(command):
            name = f"{path} {option.opts[0]}"
            if name in AT_THE_TABLE:
                continue
            known = suffixes(name, command, option)
            assert known, f"name the suffixes of {name} in its help, or in SUFFIXES of this file"
            for rows, suffix in product(rows_options(command) or [""], known):
                words = (*shortest(path, command, rows), *NEEDS.get(option.opts[0], ()))
                output = Output(path, option.opts[0], suffix, words)
                make = ring_2 if suffix in PACKAGES or name in SLOW else pytest.param
                found.append(make(output, id=" ".join(filter(None, (name, rows, suffix)))))
    return found


OUTPUTS = outputs()


@pytest.fixture
def words(run: Run, tiny: str, tmp_path: Path) -> dict[str, str]:
    """What stands for the names in braces."""
    record, folder = tmp_path / "record.jsonl", tmp_path / "outputs"
    printed(run, "simulate", tiny, "--games", "2", "--output", str(record))
    folder.mkdir()
    return {"tiny": tiny, "record": str(record), "folder": str(folder)}


def written(folder: Path) -> dict[str, bytes]:
    """All files of a folder."""
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def normalized(data: bytes, suffix: str) -> bytes:
    """Data without what a dataset card says of the command; of binary formats the first bytes,
    which name the format.
    """
    if suffix in PACKAGES:
        return data[:4]
    return re.sub(rb"\b(out|data)\.[a-z]+| --force", b"", data, flags=re.IGNORECASE)


@pytest.mark.parametrize("output", OUTPUTS)
def test_a_file_is_written_and_replaced_on_purpose_only(  # noqa: PLR0915 (one file after the other)
    run: Run, words: dict[str, str], output: Output
) -> None:
    """Exit codes, old files that stay or go, capitals in the suffix, wrong suffixes, and places
    that take no file.
    """
    if package := PACKAGES.get(output.suffix):
        need(package)
    folder = Path(words["folder"])
    command = [word.format(**words) for word in output.words]

    def asked(path: Path | str) -> list[str]:
        # what a dataset card describes is made anew each time
        (folder / "data.csv").unlink(missing_ok=True)
        return [*command, output.option, str(path)]

    path, capitals = folder / f"out{output.suffix}", folder / f"OUT{output.suffix.upper()}"
    printed(run, *asked(path))
    first = written(folder)
    assert first[path.name], "nothing is written"
    assert {*first} <= {path.name, "data.csv"}

    path.write_bytes(b"mine")
    assert f"yatzy: {path} exists; use --force to replace it" in refusal(run, *asked(path))
    assert written(folder) == {path.name: b"mine"}
    printed(run, *asked(path), "--force")
    assert normalized(written(folder)[path.name], output.suffix) == normalized(
        first[path.name], output.suffix
    )

    path.unlink()
    printed(run, *asked(capitals), "--force")
    assert {*written(folder)} == {capitals.name} | {*first} - {path.name}
    same = normalized(capitals.read_bytes(), output.suffix)
    assert same == normalized(first[path.name], output.suffix), (
        "capitals in the suffix are another format"
    )
    assert "exists; use --force" in refusal(run, *asked(capitals))
    capitals.unlink()

    other = folder / "out.xyz"
    if output.name in ANY_SUFFIX:
        printed(run, *asked(other), "--force")
        assert normalized(other.read_bytes(), "") == normalized(first[path.name], "")
        other.unlink()
    else:
        assert "must end in" in refusal(run, *asked(other), "--force")
        assert written(folder) == {}
    lost = folder / "none" / path.name
    if output.name in MAKES_FOLDERS:
        printed(run, *asked(lost))
        assert normalized(lost.read_bytes(), output.suffix) == normalized(
            first[path.name], output.suffix
        )
        lost.unlink()
        lost.parent.rmdir()
    else:
        with pytest.MonkeyPatch.context() as patch:  # it is refused before long work
            for work in ("strategy", "answer"):
                patch.setattr(QueryService, work, None)
            nowhere = run(*asked(lost), "--force")
        assert (nowhere.returncode, nowhere.stdout) == (1, "")
        assert (
            nowhere.stderr.splitlines()[-1]
            == f"yatzy: cannot write {lost}: No such file or directory"
        )
    (folder / f"none{output.suffix}").mkdir()
    assert "is a directory" in refusal(run, *asked(folder / f"none{output.suffix}"), "--force")
    (folder / f"none{output.suffix}").rmdir()
    assert written(folder) == {}

    path.write_bytes(b"mine")
    with files_of_at_most(2):
        full = run(*asked(path), "--force")
    assert full.returncode == 1
    assert re.match(r"yatzy: cannot write .*: File too large", full.stderr.splitlines()[-1]), (
        full.stderr
    )
    assert path.read_bytes() == b"mine"
    assert {*written(folder)} <= {path.name, "data.csv"}


DESCRIBED = [
    path
    for path, command in commands()
    if any("--dataset-card" in param.opts for param in command.params)
]


@pytest.mark.parametrize("rows", ["--games", "--positions"])
@pytest.mark.parametrize("name", DESCRIBED)
def test_capitals_in_the_suffix_change_no_dataset_card(
    run: Run, words: dict[str, str], name: str, rows: str
) -> None:
    """It tells the columns of a format, and the hash of the file."""
    command, folder, found = dict(commands())[name], Path(words["folder"]), {}
    (output,) = (option for option in file_options(command) if "--output" in option.opts)
    asked = [word.format(**words) for word in shortest(name, command, rows)]
    for suffix in suffixes(f"{name} --output", command, output):
        if suffix not in PACKAGES:
            for data in (folder / f"data{suffix}", folder / f"DATA{suffix.upper()}"):
                printed(
                    run,
                    *asked,
                    "--output",
                    str(data),
                    "--dataset-card",
                    str(folder / "out.md"),
                    "--force",
                )
                card = normalized((folder / "out.md").read_bytes(), ".md")
                assert found.setdefault(suffix, card) == card
    assert {*found} == {".csv", ".jsonl"}
    assert found[".csv"].count(b"\n| `") > 2  # the columns


def pairs() -> Iterator[Any]:
    """Each two file options of one command, with a suffix that both take."""
    for path, command in commands():
        for first, second in combinations(file_options(command), 2):
            names = [f"{path} {option.opts[0]}" for option in (first, second)]
            if not AT_THE_TABLE & {*names}:
                known = [
                    suffixes(name, command, option)
                    for name, option in zip(names, (first, second), strict=True)
                ]
                strict = [
                    each for name, each in zip(names, known, strict=True) if name not in ANY_SUFFIX
                ]
                suffix = (
                    set.intersection(*map(set, strict)).pop()
                    if len(strict) > 1
                    else (strict or known)[0][0]
                )
                make = ring_2 if suffix in PACKAGES else pytest.param
                options = first.opts[0], second.opts[0], suffix
                rows = next(iter(rows_options(command)), "")
                name = f"{path} {first.opts[0]} {second.opts[0]}"
                yield make(shortest(path, command, rows), *options, id=name)


@pytest.mark.parametrize(("command", "first", "second", "suffix"), [*pairs()])
def test_two_outputs_are_two_files(
    run: Run, words: dict[str, str], command: tuple[str, ...], first: str, second: str, suffix: str
) -> None:
    """Else one would replace the other; also if the paths are written in two ways. The null
    device takes both.
    """
    if package := PACKAGES.get(suffix):
        need(package)
    folder = Path(words["folder"])
    asked, path = [word.format(**words) for word in command], folder / f"both{suffix}"
    again = f"{folder}/../{folder.name}/{path.name}"
    said = refusal(run, *asked, first, str(path), second, again, "--force")
    assert f"{again} is given for two outputs; each needs a file of its own" in said
    assert written(folder) == {}


def test_the_files_of_a_game_at_the_table_are_continued(run: Run, words: dict[str, str]) -> None:
    """The record of finished games grows, and an unfinished game or another file is not replaced
    unasked.
    """
    assert {
        f"play {option.opts[0]}" for option in file_options(dict(commands())["play"])
    } == AT_THE_TABLE
    folder, boxes = Path(words["folder"]), "threes\nfours\nchance\n"
    save, record = folder / "GAME.JSON", folder / "GAMES.JSONL"
    asked = ("play", words["tiny"], "--no-warn", "--save", str(save), "--record", str(record))
    for games in (1, 2):
        before = record.read_bytes() if games > 1 else b""
        printed(run, *asked, stdin=boxes)
        assert record.read_bytes().startswith(before)
        assert record.read_bytes().count(b"\n") == games
        assert [*written(folder)] == [record.name]
    printed(run, *asked, stdin="threes\nquit\n")
    old = written(folder)
    assert {*old} == {save.name, record.name}
    assert "--new discards the unfinished game" in refusal(run, *asked, "--new")
    save.write_text("mine")
    assert "is not a saved game" in refusal(run, *asked)
    assert written(folder) == old | {save.name: b"mine"}
    refusal(run, *asked[:-1], str(folder), code=2)
    lost = folder / "none" / "games.jsonl"
    assert f"cannot write {lost}: No such file or directory" in refusal(
        run, *asked[:-1], str(lost), "--new", "--yes", code=1
    )
    assert written(folder) == old | {save.name: b"mine"}
