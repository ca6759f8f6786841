"""Mistakes in rule files, and the lines where they are."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

FieldPath = tuple[str | int, ...]


@dataclass(frozen=True)
class Problem:
    """One mistake in a rule file."""

    file: str  # the file, as messages call it
    line: int  # line of the mistake, from 1; 0 if unknown
    field: str  # the field, such as ``categories.ones.face``; may be empty
    message: str

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else self.file
        return f"{place}: {self.field}: {self.message}" if self.field else f"{place}: {self.message}"


def locate(text: str, path: FieldPath) -> int:
    """Line of the longest part of a path, keys or indices from the outside in, that a TOML text contains."""
    best_line, best_depth = 0, 0
    for line, found in _paths(text):
        depth = len(found)
        if depth > best_depth and path[:depth] == found:
            best_line, best_depth = line, depth
    return best_line


@lru_cache(maxsize=4)
def _paths(text: str) -> list[tuple[int, FieldPath]]:
    """Line and path of every table and field of a TOML text."""
    table: list[str | int] = []
    last_index: dict[str, int] = {}
    paths: list[tuple[int, FieldPath]] = []
    for number, line in enumerate(text.splitlines(), start=1):
        if header := re.match(r"\s*(\[\[?)([^\]]+)\]", line):
            name = header[2].strip()
            table = [part.strip(" \"'") for part in name.split(".")]
            if header[1] == "[[":
                if name not in last_index:
                    paths.append((number, tuple(table)))
                last_index[name] = last_index.get(name, -1) + 1
                table.append(last_index[name])
            paths.append((number, tuple(table)))
        elif entry := re.match(r"\s*([A-Za-z0-9_-]+)\s*=", line):
            paths.append((number, (*table, entry[1])))
    return paths
