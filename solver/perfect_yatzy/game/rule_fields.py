"""The fields of a rule file, declared once: kinds of fields, what checks each field, and its JSON
Schema.

Reading does not stop at the first mistake: it continues with a valid placeholder, so that all
mistakes of a file can be corrected together, each with its line and field. :mod:`.rule_schema`
reads the fields, :func:`rule_file_schema` makes a JSON Schema of them for editors that complete and
check TOML. The checker reports more: ids that do not exist, groups that need too many dice, names
that are used twice. README.md in this folder documents every field.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, get_args

from ..core.patterns import KINDS, ScoreKind
from ..core.rules import Crossing, JokerCondition, JokerMode, JokerPayment, Order
from ..errors import shown
from ..words import _, number_text
from . import limits
from .limits import (
    MAX_CATEGORIES,
    MAX_COLUMNS,
    MAX_ID,
    MAX_NAME,
    MAX_PROBLEMS,
    MAX_STEPS,
    MAX_SWITCHES,
    suggestion,
)

MAX_DICE = 12
MAX_FACES = 6
MAX_ROLLS = 10
MAX_THRESHOLD = 2_000
MAX_POINTS = 10_000
MAX_FACTOR = 100

ORDERS, CONDITIONS = get_args(Order), get_args(JokerCondition)
ONLY = {"even": (2, 4, 6), "odd": (1, 3, 5)}

IDENTIFIER = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*\Z")
# replaces text that is missing or wrong; problems that follow from it are not reported
PLACEHOLDER = "\0"
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
        return (
            f"{place}: {self.field}: {self.message}" if self.field else f"{place}: {self.message}"
        )


def locate(text: str, path: FieldPath) -> int:
    """Return the line of the longest part of a path that a TOML text contains.

    A path has keys or indices from the outside in.
    """
    line = longest = 0
    for line_number, part in _paths(text):
        if len(part) > longest and path[: len(part)] == part:
            line, longest = line_number, len(part)
    return line


@lru_cache(maxsize=4)
def _paths(text: str) -> list[tuple[int, FieldPath]]:
    """Return the line and path of every table and field of a TOML text."""
    table: list[str | int] = []
    last_index: dict[str, int] = {}
    paths: list[tuple[int, FieldPath]] = []
    for number, line in enumerate(text.splitlines(), start=1):
        header = re.match(r"\s*(\[\[?)([^\]]+)\]", line)
        entry = re.match(r"\s*([A-Za-z0-9_-]+)\s*=", line)
        if header:
            name = header[2].strip()
            table = [part.strip(" \"'") for part in name.split(".")]
            if header[1] == "[[":  # an entry of a list
                if name not in last_index:  # where the list itself begins
                    paths.append((number, tuple(table)))
                last_index[name] = last_index.get(name, -1) + 1
                table.append(last_index[name])
            paths.append((number, tuple(table)))
        elif entry:
            paths.append((number, (*table, entry[1])))
    return paths


class ValueReader:
    """Reads values of TOML tables and collects the problems.

    Every reading method takes the table, the field and what is allowed. The field is its name in
    the whole file, or its path from the outside in. The method returns a valid value; if the file
    does not have one, it adds a problem and returns a placeholder.
    """

    dice = faces = 0  # of the file, as soon as they are read

    def __init__(self, source: str, text: str) -> None:
        self.source = source
        self.text = text
        self.ids: list[Any] = []  # category ids by position, as they are in the file
        self.active_switches: tuple[str, ...] = ()  # their patches are part of the values
        self.problems: list[Problem] = []  # the first MAX_PROBLEMS
        self.omitted = 0  # number of further ones

    def check(self, raw: Mapping[str, Any], active: tuple[str, ...], listed: bool = False) -> None:
        """Add a problem for each mistake in the values of a whole file. This class finds none.

        The values are those after extension and the patches of the `active` switches. The
        categories may be the boxes if `listed`.
        """

    def add_problem(self, path: FieldPath, message: str) -> None:
        """Add a problem, with the line of the longest part of `path` that the file contains."""
        if len(self.problems) == MAX_PROBLEMS:
            self.omitted += 1
            return
        named = self._with_id(path)
        # Extended rules are patched by the id of a category, and some fields only by a switch.
        patched = [("switches", switch, *named) for switch in self.active_switches]
        lines = (locate(self.text, place) for place in dict.fromkeys((path, named, *patched)))
        line = next(filter(None, lines), 0)
        # People count entries from 1.
        parts = [
            f"[{part + 1}]" if isinstance(part, int) else f".{part[:MAX_NAME]}" for part in named
        ]
        problem = Problem(self.source, line, "".join(parts).lstrip("."), message)
        if problem not in self.problems:
            self.problems.append(problem)

    def _with_id(self, path: FieldPath) -> FieldPath:
        """Return a path with the id of a category in place of its position, if no other has it."""
        if path[0] == "categories" and len(path) > 1 and isinstance(path[1], int):
            category = self.ids[path[1]]
            if isinstance(category, str) and self.ids.count(category) == 1:
                return ("categories", category, *path[2:])
        return path

    def refuse(self, path: FieldPath, value: Any, must: str) -> None:
        """Add a problem about a value that is wrong, or missing if it is None.

        `must` says what the value must be.
        """
        if value is None:
            self.add_problem(path, _("is missing; {must}", must=must))
        else:
            self.add_problem(path, _("is {value}; {must}", value=shown(value), must=must))

    def table(self, raw: Mapping[str, Any], name: str) -> Mapping[str, Any] | None:
        """Return a table of the file, or None if the field is missing or wrong."""
        value = raw.get(name)
        if value is not None and not isinstance(value, dict):
            self.add_problem((name,), _("must be a table"))
            return None
        return value

    def tables(
        self, raw: Mapping[str, Any], name: str, most: int, least: int = 0
    ) -> list[dict[str, Any]]:
        """Return a list of at most so many tables, which is empty if the field is missing or wrong."""
        entries: list[dict[str, Any]] = raw.get(name, [])  # if the file is right
        are_tables = isinstance(entries, list) and all(isinstance(e, dict) for e in entries)
        if not are_tables or len(entries) < least:
            must = _("must be {header} tables")
            if least:
                must = _("must be {header} tables, at least one")
            self.add_problem((name,), must.format(header=f"[[{name}]]"))
            return []
        if len(entries) > most:
            message = _("has {count} entries; at most {most} are allowed")
            self.add_problem(
                (name,), message.format(count=number_text(len(entries), grouped=True), most=most)
            )
        return entries[:most]

    def values(self, raw: Mapping[str, Any], path: FieldPath, fields: Fields) -> dict[str, Any]:
        """Return the values of some fields of a table."""
        return {name: field.read(self, raw, (*path, name)) for name, field in fields.items()}

    def check_values(
        self, raw: Mapping[str, Any], path: FieldPath, fields: Fields, *read: str
    ) -> None:
        """Add a problem for each wrong value of a table, apart from those that were `read` before."""
        self.values(raw, path, {name: fields[name] for name in fields if name not in read})

    def check_fields(
        self, raw: Mapping[str, Any], path: FieldPath, fields: Collection[str]
    ) -> None:
        """Add a problem for every key of a table that is not one of `fields`."""
        allowed = sorted(fields)
        for name in raw:
            if name not in fields:
                # To find a similar name takes long, and further problems are only counted.
                compared = allowed if len(self.problems) < MAX_PROBLEMS else []
                otherwise = _("allowed: {names}", names=", ".join(allowed))
                hint = suggestion(name, compared, otherwise)
                self.add_problem((*path, name), _("is not a field here; {hint}", hint=hint))

    def numbers(self, value: Any, path: FieldPath, high: int, most: int) -> tuple[int, ...]:
        """Return a list of 1 to `most` whole numbers from 1 to `high`, ascending."""
        are_whole = isinstance(value, list) and all(
            isinstance(v, int) and not isinstance(v, bool) for v in value
        )
        if not are_whole or not 1 <= len(value) <= most or not all(1 <= v <= high for v in value):
            must = _("must be a list of 1 to {most} whole numbers from {low} to {high}")
            self.refuse(path, value, must.format(most=most, low=1, high=high))
            return ()
        return tuple(sorted(value))


@dataclass(frozen=True)
class Field:
    """A field of a rule file: its JSON Schema, and what checks it."""

    schema: Schema
    # reader, value, path -> the value, or a placeholder; by default what checks it depends on other
    # fields
    check: Callable[[ValueReader, Any, FieldPath], Any] = lambda reader, value, path: value
    default: Any = None  # None: required

    def read(self, reader: ValueReader, raw: Mapping[str, Any], path: FieldPath) -> Any:
        """Return the checked value of this field in a table."""
        return self.check(reader, raw.get(str(path[-1]), self.default), path)


Fields = Mapping[str, Field]


def number(low: int, high: int, description: str = "", default: int | None = None) -> Field:
    """Return the field of a whole number."""

    def check(reader: ValueReader, value: Any, path: FieldPath) -> Any:
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            reader.refuse(
                path, value, _("must be a whole number from {low} to {high}", low=low, high=high)
            )
            return high if default is None else default
        return value

    return Field(
        _schema("integer", description, default, minimum=low, maximum=high), check, default
    )


def text(description: str = "", most: int = MAX_NAME, default: str | None = None) -> Field:
    """Return the field of a text of at most so many characters."""

    def check(reader: ValueReader, value: Any, path: FieldPath) -> Any:
        if not isinstance(value, str):
            reader.refuse(path, value, _("must be text in quotes"))
            return PLACEHOLDER
        if len(value) > most:
            count, limit = (number_text(n, grouped=True) for n in (len(value), most))
            reader.add_problem(
                path,
                _("has {count} characters; at most {most} are allowed", count=count, most=limit),
            )
            return PLACEHOLDER
        return value

    return Field(_schema("string", description, maxLength=most), check, default)


def identifier(description: str = "") -> Field:
    """Return the field of a text that can be part of file names and cards."""
    plain = text(description, MAX_ID)

    def check(reader: ValueReader, value: Any, path: FieldPath) -> Any:
        value = plain.check(reader, value, path)
        if value != PLACEHOLDER and not IDENTIFIER.match(value):
            reader.refuse(path, value, _("must be lower-case letters, digits and single hyphens"))
        return value

    return Field(plain.schema | {"pattern": f"^{IDENTIFIER.pattern[:-2]}$"}, check)


def flag(description: str, default: bool) -> Field:
    """Return the field of a value that is true or false."""

    def check(reader: ValueReader, value: Any, path: FieldPath) -> Any:
        if isinstance(value, bool):
            return value
        reader.refuse(path, value, _("must be true or false"))
        return default

    return Field(_schema("boolean", description, default), check, default)


def word(words: tuple[str, ...], description: str = "", default: str | None = None) -> Field:
    """Return the field of one of some words."""

    def check(reader: ValueReader, value: Any, path: FieldPath) -> Any:
        if value in words:
            return value
        reader.refuse(path, value, _("must be one of {names}", names=", ".join(words)))
        return words[0]

    return Field(_schema("string", description, default, enum=[*words]), check, default)


def names(description: str, most: int, length: int) -> Field:
    """Return the field of a list of at most so many names, of at most so many characters each."""

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
    """Return the schema of a list."""
    schema = {"type": "array", "items": entry, "minItems": least}
    if most is not None:
        schema["maxItems"] = most
    return schema


def object_of(properties: Schema, *required: str) -> Schema:
    """Return the schema of a table."""
    schema = {"type": "object", "properties": properties, "required": [*required]}
    return schema | {"additionalProperties": False}


def table_of(fields: Fields, *required: str) -> Schema:
    """Return the schema of a table with these fields."""
    return object_of({name: field.schema for name, field in fields.items()}, *required)


def removable(schema: Schema) -> Schema:
    """Return the schema of a field in a patch, which may also be removed."""
    return {
        "anyOf": [
            schema,
            {"const": False, "description": "Removes the field of the extended rules."},
        ]
    }


def _schema(kind: str, description: str, default: object = None, **bounds: Any) -> Schema:
    """Return the schema of a plain value within some bounds."""
    schema: Schema = {"type": kind} | bounds
    if default is not None:
        schema["default"] = default
    if description:
        schema["description"] = description
    return schema


KIND_FIELDS = {name: field for kind in KINDS.values() for name, field in kind.fields.items()}
_face = number(1, MAX_FACES).schema
_most_sum = MAX_DICE * MAX_FACES
_faces = list_of(_face, MAX_DICE, 1)
_sizes = list_of(number(1, MAX_DICE).schema, MAX_DICE, 1)
_KIND_TYPES = {
    "face": Field(
        _face, lambda reader, value, path: number(1, reader.faces).check(reader, value, path)
    ),
    "dice": Field(
        _faces, lambda reader, value, path: reader.numbers(value, path, reader.faces, reader.dice)
    ),
    "sizes": Field(
        _sizes,
        lambda reader, value, path: reader.numbers(value, path, reader.dice, reader.dice)[::-1],
    ),
    "flag": flag("", True),
}
PATTERN_FIELDS = {
    "pattern": word(tuple(KINDS), "What the dice must show."),
    **{
        name: replace(kind, schema=kind.schema | {"description": field.description})
        for name, field in KIND_FIELDS.items()
        for kind in [_KIND_TYPES[field.type]]
    },
    "sum": number(1, _most_sum, "The sum of all dice must be this number."),
    "at_least": number(1, _most_sum, "The sum of all dice must be at least this number."),
    "at_most": number(1, _most_sum, "The sum of all dice must be at most this number."),
    "only": Field(
        {
            "anyOf": [word(tuple(ONLY)).schema, list_of(_face, MAX_FACES, 1)],
            "description": "The faces that all dice must show.",
        }
    ),
    "best": number(1, MAX_DICE, "Only so many of the dice count: those that pay the most."),
    "score": word(get_args(ScoreKind), "Sum of the matched dice, sum of all dice, or `points`."),
    "points": number(1, MAX_POINTS, "A fixed number of points."),
    "factor": number(1, MAX_FACTOR, "The score is multiplied by it.", 1),
    "plus": number(0, MAX_POINTS, "Points added if the pattern matches.", 0),
}
_several = list_of(table_of(PATTERN_FIELDS), limits.MAX_PATTERNS, 1)
ROW_FIELDS = {
    "id": identifier("Written on cards and in answers."),
    "name": text("The name people see."),
    "code": text("A short name.", default=""),
    "aliases": names("More names that are understood.", limits.MAX_ALIASES, MAX_NAME),
    "upper": flag("Whether the points count towards the upper bonus.", False),
    "times": number(1, MAX_CATEGORIES, "How often the category can be used.", 1),
    "requires": text(
        "Id of another category: this one pays only while that box holds points.", default=""
    ),
}
CATEGORY_FIELDS = (
    ROW_FIELDS
    | {"patterns": Field(_several | {"description": "Patterns of which the best pays."})}
    | PATTERN_FIELDS
)
PLACE_FIELDS = {  # of [categories.ID] in a patch
    "before": text("Id of the category before which this one stands."),
    "after": text("Id of the category after which this one stands."),
}
COLUMN_FIELDS = {
    "id": identifier("Written after the category: ones.down."),
    "name": text("The name people see."),
    "order": word(ORDERS, "In which order the column is filled; default: that of the rules."),
    "factor": number(1, MAX_FACTOR, "All points of the column are multiplied by it.", 1),
}
JOKER_FIELDS = {
    "category": text("Id of the category whose further rolls are jokers."),
    "bonus": number(0, MAX_POINTS, "Points for each joker."),
    "mode": word(get_args(JokerMode), "Where a joker may go, and what it pays there."),
    "requires": word(CONDITIONS, "What the box must be for a joker.", "filled"),
    "bonus_requires": word(CONDITIONS, "What the box must be for the bonus.", "points"),
    "bonus_while": word(get_args(JokerPayment), "When the bonus is paid.", "always"),
}
BONUS_FIELDS = {
    "threshold": number(1, MAX_THRESHOLD, "Sum of the upper boxes."),
    "points": number(1, MAX_POINTS, "Paid once."),
}
PUBLISHED_FIELDS = {
    "value": Field(
        {
            "type": "string",
            "pattern": r"^[0-9]+(\.[0-9]+)?$",
            "description": "All published digits.",
        }
    ),
    "switches": names("", MAX_SWITCHES, MAX_ID),
    "source": text("Where it was published.", limits.MAX_SUMMARY, ""),
}
PLAIN_FIELDS = {  # that a patch writes as a whole file does
    "id": identifier("Name in commands, answers and tables."),
    "name": text("The name people see."),
    "summary": text("One line for `yatzy rules list`.", limits.MAX_SUMMARY, ""),
    "extends": Field(
        {
            "type": "string",
            "description": "Rules to start from: the id of a built-in rule set, or a .toml file.",
        }
    ),
    "remove": Field(
        list_of(text().schema, None)
        | {"description": "Ids of categories to remove from the extended rules."}
    ),
    "dice": number(1, MAX_DICE, "Number of dice."),
    "faces": number(2, MAX_FACES, "Faces of each die.", 6),
    "rolls": number(1, MAX_ROLLS, "Rolls of a turn, the first included.", 3),
    "order": word(ORDERS, "In which order the categories are filled.", "free"),
    "crossing_out": word(
        get_args(Crossing), "When a category may take a roll that scores nothing in it.", "free"
    ),
    "saved_rolls": flag("Whether unused rolls are saved for later turns.", False),
    "first_roll_bonus": Field(
        {
            "type": "object",
            "additionalProperties": removable(number(1, MAX_POINTS).schema),
            "description": "Category id = points, paid if it scores on the first roll of a turn.",
        }
    ),
    "published": Field(list_of(table_of(PUBLISHED_FIELDS, "value"), limits.MAX_PUBLISHED)),
}
FIELDS = {*PLAIN_FIELDS, "bonus", "joker", "columns", "categories", "switches"}
SWITCH_FIELDS = FIELDS - {"id", "extends", "switches", "published"} | {"group"}
GROUP = identifier("Switches of one group exclude each other.")


def rule_file_schema() -> Schema:
    """Return the JSON Schema (draft 7) of a rule file."""
    top = {name: field.schema for name, field in PLAIN_FIELDS.items()}
    changes = _changes()
    patched_top = {name: removable(schema) for name, schema in top.items()}
    switch = patched_top | changes | {"summary": top["summary"], "group": GROUP.schema}
    for name in ("id", "extends", "published"):
        del switch[name]
    switches = _by_id(
        removable(object_of(switch, "summary")), "Variants: FILE.toml+NAME.", MAX_SWITCHES
    )
    only_whole = {  # what a patch writes in another form
        "categories": list_of(table_of(CATEGORY_FIELDS, "id", "name"), MAX_CATEGORIES, 1),
        "columns": list_of(table_of(COLUMN_FIELDS, "id", "name"), MAX_COLUMNS),
        "bonus": _bonus("threshold", "points"),
        "joker": table_of(JOKER_FIELDS, "category", "bonus", "mode"),
        "switches": {"type": "object"},
    }
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "Rule file of perfect-yatzy",
        "description": "The rules of a dice game. README.md of perfect_yatzy.game explains every field.",
        "type": "object",
        "additionalProperties": False,
        # True: the form is that of `then` or `else`
        "properties": dict.fromkeys(only_whole, True)
        | patched_top
        | {"switches": removable(switches)},
        "required": ["id", "name"],
        "if": {"required": ["extends"]},
        "then": {"properties": changes},
        "else": {
            "properties": top | only_whole,
            "required": ["dice", "categories"],
            "not": {"required": ["remove"]},
        },
    }


def _changes() -> Schema:
    """Return the fields of a patch that differ from those of a whole file.

    They are parts of tables, and tables by name.
    """
    places = {name: field.schema for name, field in PLACE_FIELDS.items()}
    category = object_of(_patched(CATEGORY_FIELDS) | places)
    column = object_of(_patched(COLUMN_FIELDS))
    columns = [_by_id(column, "Columns by id."), list_of(column, MAX_COLUMNS)]
    return {
        "categories": _by_id(category, "Categories to change or to add, by id."),
        "columns": removable({"anyOf": columns}),
        "bonus": removable(_bonus()),
        "joker": removable(object_of(_patched(JOKER_FIELDS))),
    }


def _bonus(*required: str) -> Schema:
    """Return the schema of the upper bonus.

    It is a table, of which a patch may write a part, or a list of all steps.
    """
    steps = list_of(table_of(BONUS_FIELDS, *BONUS_FIELDS), MAX_STEPS, 1)
    return {
        "anyOf": [table_of(BONUS_FIELDS, *required), steps],
        "description": "The upper bonus, or its steps.",
    }


def _patched(fields: Fields) -> Schema:
    """Return the schema of the fields of a table in a patch. Each may also be removed."""
    return {name: removable(field.schema) for name, field in fields.items()}


def _by_id(entry: Schema, description: str, most: int | None = None) -> Schema:
    """Return the schema of a table of tables by id."""
    ids = {name: identifier().schema[name] for name in ("pattern", "maxLength")}
    schema: Schema = {"type": "object", "additionalProperties": entry, "description": description}
    schema["propertyNames"] = ids
    if most is not None:
        schema["maxProperties"] = most
    return schema
