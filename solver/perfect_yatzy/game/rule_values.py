"""Reads the values of a rule file, and collects its mistakes with their lines and fields.

Reading does not stop at the first mistake: it continues with a valid placeholder, so that all mistakes of a file can
be corrected together.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ..errors import shown
from .limits import MAX_ID, MAX_NAME, MAX_PROBLEMS, closest
from .rule_problems import FieldPath, Problem, locate

IDENTIFIER = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*\Z")
BOX_ID = re.compile(rf"{IDENTIFIER.pattern[:-2]}(\.{IDENTIFIER.pattern[:-2]})?\Z")
PLACEHOLDER = "\0"  # replaces text that is missing or wrong; problems that follow from it are not reported


class ValueReader:
    """Reads values of TOML tables and collects the problems.

    Every reading method takes the table, the path of the field from the outside in, and what is allowed. It returns a
    valid value; if the file does not have one, it adds a problem and returns a placeholder.

    Parameters
    ----------
    source
        The file, as messages call it.
    text
        Its content, to find the lines of problems; may be empty.

    Attributes
    ----------
    problems : list of Problem
        The first MAX_PROBLEMS.
    omitted : int
        Number of further problems.
    """

    def __init__(self, source: str, text: str) -> None:
        self.source, self.text = source, text
        self.ids: list[Any] = []  # category ids by position, as they are in the file
        self.active_switches: tuple[str, ...] = ()  # their patches are part of the values
        self.problems: list[Problem] = []
        self.omitted = 0

    def add_problem(self, path: FieldPath, message: str) -> None:
        """Add a problem, with the line of the longest part of `path` that the file contains."""
        if len(self.problems) == MAX_PROBLEMS:
            self.omitted += 1
            return
        named, line = path, locate(self.text, path)
        if path[0] == "categories" and len(path) > 1 and isinstance(path[1], int):
            category = self.ids[path[1]]
            if isinstance(category, str) and self.ids.count(category) == 1:
                named = ("categories", category, *path[2:])
                # A category of the extended rules is patched by its id.
                line = line or locate(self.text, named)
        for switch in self.active_switches if not line else ():
            line = line or locate(self.text, ("switches", switch, *named))
        field = "".join(f"[{part + 1}]" if isinstance(part, int) else f".{part[:MAX_NAME]}" for part in named).lstrip(
            "."
        )
        if (problem := Problem(self.source, line, field, message)) not in self.problems:
            self.problems.append(problem)

    def number(self, raw: Mapping[str, Any], path: FieldPath, low: int, high: int, default: int | None = None) -> int:
        """A whole number from `low` to `high`; required if `default` is None."""
        value = raw.get(str(path[-1]), default)
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            given = "is missing" if value is None else f"is {shown(value)}"
            self.add_problem(path, f"{given}; must be a whole number from {low} to {high}")
            return high if default is None else default
        return value

    def string(
        self, raw: Mapping[str, Any], path: FieldPath, default: str | None = None, most: int = MAX_NAME
    ) -> str:
        """Text of at most `most` characters; required if `default` is None."""
        value = raw.get(str(path[-1]), default)
        if not isinstance(value, str):
            given = "is missing" if value is None else f"is {shown(value)}"
            self.add_problem(path, f"{given}; must be text in quotes")
            return PLACEHOLDER
        if len(value) > most:
            self.add_problem(path, f"has {len(value):,} characters; at most {most:,} are allowed")
            return PLACEHOLDER
        return value

    def identifier(self, raw: Mapping[str, Any], path: FieldPath) -> str:
        """Text that can be part of file names and cards; required."""
        value = self.string(raw, path, most=MAX_ID)
        if value != PLACEHOLDER and not IDENTIFIER.match(value):
            self.add_problem(path, f"is {shown(value)}; must be lower-case letters, digits and single hyphens")
        return value

    def choice(self, raw: Mapping[str, Any], path: FieldPath, allowed: tuple[str, ...], default: str | None) -> Any:
        """One of the allowed words; required if `default` is None."""
        value = raw.get(str(path[-1]), default)
        if value not in allowed:
            given = "is missing" if value is None else f"is {shown(value)}"
            self.add_problem(path, f"{given}; must be one of {', '.join(allowed)}")
            return allowed[0]
        return value

    def flag(self, raw: Mapping[str, Any], path: FieldPath, default: bool) -> bool:
        """True or false."""
        value = raw.get(str(path[-1]), default)
        if not isinstance(value, bool):
            self.add_problem(path, f"is {shown(value)}; must be true or false")
            return default
        return value

    def table(self, raw: Mapping[str, Any], path: FieldPath) -> Mapping[str, Any] | None:
        """A table; None if the field is missing."""
        value = raw.get(str(path[-1]))
        if value is not None and not isinstance(value, dict):
            self.add_problem(path, "must be a table")
            return None
        return value

    def check_fields(self, raw: Mapping[str, Any], path: FieldPath, fields: set[str]) -> None:
        """Add a problem for every key of a table that is not one of `fields`."""
        for name in raw:
            if name not in fields:
                similar = closest(name, sorted(fields)) if len(self.problems) < MAX_PROBLEMS else None
                hint = f"did you mean {similar}?" if similar else f"allowed: {', '.join(sorted(fields))}"
                self.add_problem((*path, name), f"is not a field here; {hint}")

    def number_list(self, raw: Mapping[str, Any], path: FieldPath, low: int, high: int, most: int) -> tuple[int, ...]:
        """A list of 1 to `most` whole numbers from `low` to `high`."""
        value = raw.get(str(path[-1]))
        whole = isinstance(value, list) and all(isinstance(v, int) and not isinstance(v, bool) for v in value)
        if not whole or not value or len(value) > most or not all(low <= v <= high for v in value):
            given = "is missing" if value is None else f"is {shown(value)}"
            self.add_problem(path, f"{given}; must be a list of 1 to {most} whole numbers from {low} to {high}")
            return ()
        return tuple(value)

    def name_list(self, raw: Mapping[str, Any], path: FieldPath) -> set[str]:
        """A list of names, as a set; empty if it is missing."""
        value = raw.get(str(path[-1]), [])
        if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
            self.add_problem(path, "must be a list of names in quotes")
            return set()
        return set(value)
