"""The fields of a rule file, declared once: what checks it, and its JSON Schema with limits, words and a sentence.

:mod:`.rule_schema` reads them, :func:`rule_file_schema` makes a JSON Schema of them for
editors that complete and check TOML. The checker reports more: ids that do not exist, groups that need too many dice,
names that are used twice.
README.md in this folder documents every field.
"""

from __future__ import annotations

from typing import get_args

from . import limits
from .limits import MAX_CATEGORIES, MAX_COLUMNS, MAX_STEPS, MAX_SWITCHES
from .patterns import KINDS, ScoreKind
from .rule_values import (
    Field,
    Fields,
    Schema,
    flag,
    identifier,
    list_of,
    names,
    number,
    object_of,
    removable,
    table_of,
    text,
    word,
)
from .rules import Crossing, JokerCondition, JokerMode, JokerPayment, Order

MAX_DICE = 12
MAX_FACES = 6
MAX_ROLLS = 10
MAX_THRESHOLD = 2_000
MAX_POINTS = 10_000
MAX_FACTOR = 100

ORDERS, CONDITIONS = get_args(Order), get_args(JokerCondition)
ONLY = {"even": (2, 4, 6), "odd": (1, 3, 5)}

KIND_FIELDS = {name: field for kind in KINDS.values() for name, field in kind.fields.items()}
_face, _most_sum = number(1, MAX_FACES).schema, MAX_DICE * MAX_FACES
_KIND_TYPES = {
    "face": _face,
    "dice": list_of(_face, MAX_DICE, 1),
    "sizes": list_of(number(1, MAX_DICE).schema, MAX_DICE, 1),
    "flag": flag("", True).schema,
}
PATTERN_FIELDS = {
    "pattern": word(tuple(KINDS), "What the dice must show."),
    **{
        name: Field(_KIND_TYPES[field.type] | {"description": field.description})
        for name, field in KIND_FIELDS.items()
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
    "aliases": names("More names that are understood.", limits.MAX_ALIASES, limits.MAX_NAME),
    "upper": flag("Whether the points count towards the upper bonus.", False),
    "times": number(1, limits.MAX_CATEGORIES, "How often the category can be used.", 1),
    "requires": text("Id of another category: this one pays only while that box holds points.", default=""),
}
CATEGORY_FIELDS = (
    ROW_FIELDS | {"patterns": Field(_several | {"description": "Patterns of which the best pays."})} | PATTERN_FIELDS
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
    "value": Field({"type": "string", "pattern": r"^[0-9]+(\.[0-9]+)?$", "description": "All published digits."}),
    "switches": names("", limits.MAX_SWITCHES, limits.MAX_ID),
    "source": text("Where it was published.", limits.MAX_SUMMARY, ""),
}
# The fields that a patch writes as a whole file does.
PLAIN_FIELDS = {
    "id": identifier("Name in commands, answers and tables."),
    "name": text("The name people see."),
    "summary": text("One line for `yatzy rules list`.", limits.MAX_SUMMARY, ""),
    "extends": Field(
        {"type": "string", "description": "Rules to start from: the id of a built-in rule set, or a .toml file."}
    ),
    "remove": Field(
        list_of(text().schema, None) | {"description": "Ids of categories to remove from the extended rules."}
    ),
    "dice": number(1, MAX_DICE, "Number of dice."),
    "faces": number(2, MAX_FACES, "Faces of each die.", 6),
    "rolls": number(1, MAX_ROLLS, "Rolls of a turn, the first included.", 3),
    "order": word(ORDERS, "In which order the categories are filled.", "free"),
    "crossing_out": word(get_args(Crossing), "When a category may take a roll that scores nothing in it.", "free"),
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
SWITCH_FIELDS = FIELDS - {"id", "extends", "switches", "published"}


def rule_file_schema() -> Schema:
    """The JSON Schema (draft 7) of a rule file."""
    top, changes = {name: field.schema for name, field in PLAIN_FIELDS.items()}, _changes()
    patched_top = {name: removable(schema) for name, schema in top.items()}
    switch = patched_top | changes | {"summary": top["summary"]}
    for name in ("id", "extends", "published"):
        del switch[name]
    switches = _by_id(removable(object_of(switch, "summary")), "Variants: FILE.toml+NAME.", MAX_SWITCHES)
    whole = {
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
        "properties": dict.fromkeys(whole, True) | patched_top | {"switches": removable(switches)},
        "required": ["id", "name"],
        "if": {"required": ["extends"]},
        "then": {"properties": changes},
        "else": {"properties": top | whole, "required": ["dice", "categories"], "not": {"required": ["remove"]}},
    }


def _changes() -> Schema:
    """The fields of a patch that differ from those of a whole file: parts of tables, and tables by name."""
    places = {name: field.schema for name, field in PLACE_FIELDS.items()}
    category, column = object_of(_patched(CATEGORY_FIELDS) | places), object_of(_patched(COLUMN_FIELDS))
    columns = [_by_id(column, "Columns by id."), list_of(column, MAX_COLUMNS)]
    return {
        "categories": _by_id(category, "Categories to change or to add, by id."),
        "columns": removable({"anyOf": columns}),
        "bonus": removable(_bonus()),
        "joker": removable(object_of(_patched(JOKER_FIELDS))),
    }


def _bonus(*required: str) -> Schema:
    """The upper bonus: a table, of which a patch may write a part, or all steps."""
    steps = list_of(table_of(BONUS_FIELDS, *BONUS_FIELDS), MAX_STEPS, 1)
    return {"anyOf": [table_of(BONUS_FIELDS, *required), steps], "description": "The upper bonus, or its steps."}


def _patched(fields: Fields) -> Schema:
    """The fields of a table in a patch: each may also be removed."""
    return {name: removable(field.schema) for name, field in fields.items()}


def _by_id(entry: Schema, description: str, most: int | None = None) -> Schema:
    """A table of tables by id."""
    found: Schema = {"type": "object", "additionalProperties": entry, "description": description}
    found["propertyNames"] = {name: identifier().schema[name] for name in ("pattern", "maxLength")}
    return found | ({} if most is None else {"maxProperties": most})
