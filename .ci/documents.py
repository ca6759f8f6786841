"""The READMEs and guides: their code blocks, their links, and their commands run as a reader would
run them.

``make readmes`` writes the output that the commands print today into the documents;
``.ci/documents.py README.md`` does so for the documents named.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from perfect_yatzy import open_strategy

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = [
    ROOT / "README.md",
    *sorted((ROOT / "solver").rglob("README.md")),
    *sorted((ROOT / "solver" / "docs").glob("*.md")),
    *(ROOT / folder / "README.md" for folder in ("tables", "benchmarks", "tests")),
]


@dataclass(frozen=True)
class Command:
    """A shell command of a console block and the output shown below it."""

    document: Path
    text: str
    output: str


def name(document: Path) -> str:
    return document.relative_to(ROOT).as_posix()


def blocks(document: Path, language: str) -> list[str]:
    """Contents of the fenced code blocks of a language."""
    text = document.read_text(encoding="utf-8")
    return re.findall(
        rf"^```{language}(?: title=[^\n]*)?\n(.*?)^```", text, re.DOTALL | re.MULTILINE
    )


def write_files(document: Path, folder: Path) -> None:
    """Write the files that a document shows under their names into a folder."""
    text = document.read_text(encoding="utf-8")
    for title, content in re.findall(
        r'^```\w+ title="([^"\n]*)"\n(.*?)^```', text, re.DOTALL | re.MULTILINE
    ):
        (folder / title).write_text(content, encoding="utf-8")


def commands(document: Path) -> list[Command]:
    """Every line of the console blocks that starts with a prompt, with the lines up to the next
    prompt.
    """
    found = []
    for block in blocks(document, "console"):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            text, _, output = part.partition("\n")
            found.append(Command(document, text, output.rstrip("\n")))
    return found


def run_shell(command: Command, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command of a console block in a folder that has the files of its document."""
    write_files(command.document, folder)
    script = f'yatzy() {{ "{sys.executable}" -m perfect_yatzy "$@"; }}\n{command.text}'
    env = os.environ | {"NO_COLOR": "1", "LC_ALL": "C.UTF-8"}
    return subprocess.run(
        ["bash", "-c", script], capture_output=True, text=True, env=env, cwd=folder, check=False
    )


def unexpected(stderr: str) -> list[str]:
    """Lines that are no progress: that a game is solved, and how far a long command is."""
    return [
        line
        for line in stderr.splitlines()
        if not line.endswith("will be stored") and " % done" not in line
    ]


def links(document: Path) -> list[str]:
    """Targets of the links to files of this repository; pictures are drawn when the site is
    built.
    """
    found = re.findall(r"\]\((?!https?:)([^)#]+)[^)]*\)", document.read_text(encoding="utf-8"))
    return [link for link in found if not link.endswith(".svg")]


def main() -> None:
    """Replace each output that differs, and name its command."""
    with tempfile.TemporaryDirectory() as tables:
        os.environ["YATZY_TABLES"] = tables
        open_strategy("yatzy")
        for document in map(Path.resolve, map(Path, sys.argv[1:])) if sys.argv[1:] else DOCUMENTS:
            for command in commands(document):
                with tempfile.TemporaryDirectory() as folder:
                    ran = run_shell(command, Path(folder))
                if unexpected(ran.stderr):
                    sys.exit(f"{name(document)}: {command.text}\n{ran.stderr}")
                output = ran.stdout.rstrip("\n")
                if output != command.output:
                    shown = f"$ {command.text}\n" + (
                        f"{command.output}\n" if command.output else ""
                    )
                    text = document.read_text(encoding="utf-8")
                    document.write_text(
                        text.replace(shown, f"$ {command.text}\n{output}\n"), encoding="utf-8"
                    )
                    print(f"{name(document)}: {command.text}")


if __name__ == "__main__":
    main()
