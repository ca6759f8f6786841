"""Small changes of source files in Python and JavaScript; a seed chooses some of them.

A change never alters the number of lines, because tests compare line numbers with the catalogues.
"""

from __future__ import annotations

import ast
import difflib
import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import cycle
from pathlib import Path

from tree_sitter import Language, Parser

from .kinds import KINDS, nodes_to_change
from .nearest_tests import PACKAGE

PYTHON, JAVASCRIPT = "Python", "JavaScript"
SUFFIXES = {".py": PYTHON, ".js": JAVASCRIPT}


@dataclass(frozen=True, order=True)
class Change:
    """In a file, the bytes from `start` to `end` become `new`.

    Attributes
    ----------
    path : str
        The file, relative to the checkout.
    kind : str
        A key of :data:`benchmarks.mutants.kinds.KINDS`.
    source : bytes
        The text of the file without the change.
    """

    path: str
    start: int
    end: int
    new: bytes
    kind: str
    source: bytes = field(compare=False, repr=False)

    @property
    def language(self) -> str:
        """The language of the file."""
        return language_of(self.path)

    @property
    def changed(self) -> bytes:
        """The text of the file with the change, in as many lines as before."""
        lost_lines = self.source[self.start : self.end].count(b"\n") - self.new.count(b"\n")
        end = b"\n" * lost_lines + self.source[self.end :]
        return self.source[: self.start] + self.new + end

    @property
    def place(self) -> str:
        """File and line."""
        line = self.source[: self.start].count(b"\n") + 1
        return f"{self.path}:{line}"

    @property
    def difference(self) -> str:
        """The change as `git apply` takes it."""
        before = self.source.decode().splitlines(keepends=True)
        after = self.changed.decode().splitlines(keepends=True)
        return "".join(difflib.unified_diff(before, after, f"a/{self.path}", f"b/{self.path}"))


def language_of(path: str) -> str:
    """The language of a file; empty if it is neither."""
    return SUFFIXES.get(Path(path).suffix, "")


@cache
def parser(language: str) -> Parser:
    """The parser of a language."""
    import tree_sitter_javascript
    import tree_sitter_python

    grammar = {PYTHON: tree_sitter_python, JAVASCRIPT: tree_sitter_javascript}[language]
    return Parser(Language(grammar.language()))


def changes_of(path: str, source: bytes) -> list[Change]:
    """Every change of a file, in order."""
    root = parser(language_of(path)).parse(source).root_node
    return sorted(
        Change(path, start, end, new.encode(), kind, source)
        for node in nodes_to_change(root)
        for kind, edits in KINDS.items()
        for start, end, new in edits(node)
    )


def is_valid(change: Change) -> bool:
    """Whether the changed file can be parsed."""
    if change.language == PYTHON:
        try:
            ast.parse(change.changed)
        except SyntaxError:
            return False
    return not parser(change.language).parse(change.changed).root_node.has_error


def sources(root: Path, language: str) -> dict[str, bytes]:
    """The files of the package in one language, by path."""
    paths = sorted(root.joinpath(PACKAGE).rglob("*"))
    files = {path.relative_to(root).as_posix(): path for path in paths}
    return {
        name: path.read_bytes() for name, path in files.items() if language_of(name) == language
    }


def in_turn(changes: Iterable[Change], chosen: random.Random) -> Iterator[Change]:
    """All changes in random order, each kind in its turn."""
    by_kind: dict[str, list[Change]] = {}
    for change in changes:
        by_kind.setdefault(change.kind, []).append(change)
    for each in by_kind.values():
        chosen.shuffle(each)
    kinds = sorted(by_kind)
    chosen.shuffle(kinds)
    for kind in cycle(kinds):
        if by_kind[kind]:
            yield by_kind[kind].pop()
        elif not any(by_kind.values()):
            return


def choose(files: dict[str, bytes], count: int, seed: str) -> list[Change]:
    """That many changes at different places; the same ones for the same seed and files."""
    every = [change for path, source in files.items() for change in changes_of(path, source)]
    found: list[Change] = []
    places: set[tuple[str, int]] = set()
    for change in in_turn(every, random.Random(seed)):
        if len(found) == count:
            break
        place = (change.path, change.start)
        if place not in places and is_valid(change):
            places.add(place)
            found.append(change)
    return found
