"""Reads the values of a rule file, and collects its mistakes with their lines and fields.

Reading does not stop at the first mistake: it continues with a valid placeholder, so that all mistakes of a file can
be corrected together.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from .._messages import _, number_text
from ..errors import shown
from .limits import MAX_ID, MAX_NAME, MAX_PROBLEMS, suggestion

IDENTIFIER = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*\Z")
PLACEHOLDER = "\0"  # replaces text that is missing or wrong; problems that follow from it are not reported
FieldPath = tuple[str | int, ...]
Schema = dict[str, Any]


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
    lines = ((len(found), -number) for number, found in _paths(text) if path[: len(found)] == found)
    return -max(lines, default=(0, 0))[1]  # of several the first


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


class ValueReader:
    """Reads values of TOML tables and collects the problems.

    Every reading method takes the table, the path of the field from the outside in, and what is allowed. It returns a
    valid value; if the file does not have one, it adds a problem and returns a placeholder.
    """

    def __init__(self, source: str, text: str) -> None:
        self.source, self.text = source, text
        self.ids: list[Any] = []  # category ids by position, as they are in the file
        self.active_switches: tuple[str, ...] = ()  # their patches are part of the values
        self.problems: list[Problem] = []  # the first MAX_PROBLEMS
        self.omitted = 0  # number of further ones

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
        parts = [f"[{part + 1}]" if isinstance(part, int) else f".{part[:MAX_NAME]}" for part in named]
        if (problem := Problem(self.source, line, "".join(parts).lstrip("."), message)) not in self.problems:
            self.problems.append(problem)

    def refuse(self, path: FieldPath, value: Any, must: str) -> None:
        """Add a problem about a value that is missing (None) or wrong; `must` says what it must be."""
        if value is None:
            self.add_problem(path, _("is missing; {must}").format(must=must))
        else:
            self.add_problem(path, _("is {value}; {must}").format(value=shown(value), must=must))

    def table(self, raw: Mapping[str, Any], path: FieldPath) -> Mapping[str, Any] | None:
        """A table; None if the field is missing."""
        value = raw.get(str(path[-1]))
        if value is not None and not isinstance(value, dict):
            self.add_problem(path, _("must be a table"))
            return None
        return value

    def tables(self, raw: Mapping[str, Any], name: str, most: int, least: int = 0) -> list[dict[str, Any]]:
        """A list of at most so many tables; empty if it is missing or wrong."""
        entries = raw.get(name, [])
        if not isinstance(entries, list) or len(entries) < least or not all(isinstance(e, dict) for e in entries):
            must = _("must be {header} tables, at least one") if least else _("must be {header} tables")
            self.add_problem((name,), must.format(header=f"[[{name}]]"))
            return []
        if len(entries) > most:
            message = _("has {count} entries; at most {most} are allowed")
            self.add_problem((name,), message.format(count=number_text(len(entries), grouped=True), most=most))
        return entries[:most]

    def values(self, raw: Mapping[str, Any], path: FieldPath, fields: Fields, *names: str) -> dict[str, Any]:
        """The values of some fields of a table; default: of all."""
        return {name: fields[name].read(self, raw, (*path, name)) for name in names or fields}

    def check_fields(self, raw: Mapping[str, Any], path: FieldPath, fields: Collection[str]) -> None:
        """Add a problem for every key of a table that is not one of `fields`."""
        for name in raw:
            if name not in fields:
                known = sorted(fields) if len(self.problems) < MAX_PROBLEMS else []
                hint = suggestion(name, known, _("allowed: {names}", names=", ".join(sorted(fields))))
                self.add_problem((*path, name), _("is not a field here; {hint}").format(hint=hint))

    def number_list(self, raw: Mapping[str, Any], path: FieldPath, low: int, high: int, most: int) -> tuple[int, ...]:
        """A list of 1 to `most` whole numbers from `low` to `high`."""
        value = raw.get(str(path[-1]))
        whole = isinstance(value, list) and all(isinstance(v, int) and not isinstance(v, bool) for v in value)
        if not whole or not value or len(value) > most or not all(low <= v <= high for v in value):
            must = _("must be a list of 1 to {most} whole numbers from {low} to {high}")
            self.refuse(path, value, must.format(most=most, low=low, high=high))
            return ()
        return tuple(value)


@dataclass(frozen=True)
class Field:
    """A field of a rule file: its JSON Schema, and what checks it."""

    schema: Schema
    # reader, value, path -> the value, or a placeholder; by default what checks it depends on other fields
    check: Callable[[ValueReader, Any, FieldPath], Any] = lambda reader, value, path: value
    default: Any = None  # None: required

    def read(self, reader: ValueReader, raw: Mapping[str, Any], path: FieldPath) -> Any:
        """Its checked value in a table."""
        return self.check(reader, raw.get(str(path[-1]), self.default), path)


Fields = Mapping[str, Field]


def number(low: int, high: int, description: str = "", default: int | None = None) -> Field:
    """A whole number."""

    def check(reader: ValueReader, value: Any, path: FieldPath) -> Any:
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            reader.refuse(path, value, _("must be a whole number from {low} to {high}", low=low, high=high))
            return high if default is None else default
        return value

    return Field(_schema("integer", description, default, minimum=low, maximum=high), check, default)


def text(description: str = "", most: int = MAX_NAME, default: str | None = None) -> Field:
    """Text of at most so many characters."""

    def check(reader: ValueReader, value: Any, path: FieldPath) -> Any:
        if not isinstance(value, str):
            reader.refuse(path, value, _("must be text in quotes"))
            return PLACEHOLDER
        if len(value) > most:
            count, limit = (number_text(n, grouped=True) for n in (len(value), most))
            reader.add_problem(path, _("has {count} characters; at most {most} are allowed", count=count, most=limit))
            return PLACEHOLDER
        return value

    return Field(_schema("string", description, maxLength=most), check, default)


def identifier(description: str = "") -> Field:
    """Text that can be part of file names and cards."""
    plain = text(description, MAX_ID)

    def check(reader: ValueReader, value: Any, path: FieldPath) -> Any:
        value = plain.check(reader, value, path)
        if value != PLACEHOLDER and not IDENTIFIER.match(value):
            reader.refuse(path, value, _("must be lower-case letters, digits and single hyphens"))
        return value

    return Field(plain.schema | {"pattern": f"^{IDENTIFIER.pattern[:-2]}$"}, check)


def flag(description: str, default: bool) -> Field:
    """True or false."""

    def check(reader: ValueReader, value: Any, path: FieldPath) -> Any:
        if isinstance(value, bool):
            return value
        reader.add_problem(path, _("is {value}; {must}", value=shown(value), must=_("must be true or false")))
        return default

    return Field(_schema("boolean", description, default), check, default)


def word(words: tuple[str, ...], description: str = "", default: str | None = None) -> Field:
    """One of some words."""

    def check(reader: ValueReader, value: Any, path: FieldPath) -> Any:
        if value in words:
            return value
        reader.refuse(path, value, _("must be one of {names}", names=", ".join(words)))
        return words[0]

    return Field(_schema("string", description, default, enum=[*words]), check, default)


def names(description: str, most: int, length: int) -> Field:
    """A list of at most so many names, of at most so many characters each."""

    def check(reader: ValueReader, value: Any, path: FieldPath) -> tuple[str, ...]:
        if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
            reader.add_problem(path, _("must be a list of names in quotes"))
        elif len(value) > most or any(len(name) > length for name in value):
            message = _("must be at most {count} names of at most {length} characters")
            reader.add_problem(path, message.format(count=most, length=length))
        else:
            return tuple(value)
        return ()

    listed = list_of(text("", length).schema, most)
    return Field(listed | {"description": description} if description else listed, check, [])


def list_of(entry: Schema, most: int | None, least: int = 0) -> Schema:
    """The schema of a list."""
    return {"type": "array", "items": entry, "minItems": least} | ({} if most is None else {"maxItems": most})


def object_of(properties: Schema, *required: str) -> Schema:
    """The schema of a table."""
    found = {"type": "object", "properties": properties, "required": [*required]}
    return found | {"additionalProperties": False}


def table_of(fields: Fields, *required: str) -> Schema:
    """The schema of a table with these fields."""
    return object_of({name: field.schema for name, field in fields.items()}, *required)


def removable(schema: Schema) -> Schema:
    """The schema of a field in a patch, which may also be removed."""
    return {"anyOf": [schema, {"const": False, "description": "Removes the field of the extended rules."}]}


def _schema(kind: str, description: str, default: object = None, **limits: Any) -> Schema:
    found = {"type": kind} | limits | ({} if default is None else {"default": default})
    return found | ({"description": description} if description else {})
