"""The JSON Schema of a rule file, for editors that complete and check TOML.

It is made from the fields, words and limits that :class:`~perfect_yatzy.game.rule_schema.RuleChecker` enforces. The
checker reports more: ids that do not exist, groups that need too many dice, names that are used twice.
"""

from __future__ import annotations

from typing import Any

from .category_schema import KIND_FIELDS, MAX_FACTOR, MAX_POINTS, ONLY, ORDERS, SCORES
from .limits import (
    MAX_ALIASES,
    MAX_CATEGORIES,
    MAX_COLUMNS,
    MAX_ID,
    MAX_NAME,
    MAX_PATTERNS,
    MAX_PUBLISHED,
    MAX_STEPS,
    MAX_SUMMARY,
    MAX_SWITCHES,
)
from .patterns import KINDS
from .rule_schema import (
    CROSSINGS,
    JOKER_CONDITIONS,
    JOKER_MODES,
    JOKER_PAYMENTS,
    MAX_DICE,
    MAX_FACES,
    MAX_ROLLS,
    MAX_THRESHOLD,
)
from .rule_values import IDENTIFIER

Schema = dict[str, Any]

IDENTIFIER_PATTERN = f"^{IDENTIFIER.pattern[:-2]}$"
REMOVED: Schema = {"const": False, "description": "Removes the field of the extended rules."}


def rule_file_schema() -> Schema:
    """The JSON Schema (draft 7) of a rule file."""
    top, changes = _top_fields(), _changes()
    switch = _patched(top, changes) | {"summary": top["summary"]}
    for name in ("id", "extends", "published"):
        del switch[name]
    switches = _named(_or_removed(_table(switch, ["summary"])), MAX_SWITCHES, "Variants: FILE.toml+NAME.")
    whole = {
        "categories": _list(_table(_category_fields(), ["id", "name"]), MAX_CATEGORIES, 1),
        "columns": _list(_table(_column_fields(), ["id", "name"]), MAX_COLUMNS),
        "bonus": _bonus(["threshold", "points"]),
        "joker": _table(_joker_fields(), ["category", "bonus", "mode"]),
        "switches": {"type": "object"},
    }
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "Rule file of perfect-yatzy",
        "description": "The rules of a dice game. README.md of perfect_yatzy.game explains every field.",
        "type": "object",
        "additionalProperties": False,
        "properties": dict.fromkeys(whole, True) | _patched(top, {"switches": _or_removed(switches)}),
        "required": ["id", "name"],
        "if": {"required": ["extends"]},
        "then": {"properties": changes},
        "else": {"properties": top | whole, "required": ["dice", "categories"], "not": {"required": ["remove"]}},
    }


def _changes() -> Schema:
    """The fields of a patch that differ from those of a whole file: parts of tables, and tables by name."""
    category = _patched(_category_fields(), {}) | {
        "before": _text("Id of the category before which this one stands."),
        "after": _text("Id of the category after which this one stands."),
    }
    column = _table(_patched(_column_fields(), {}), [])
    return {
        "categories": _named(_table(category, []), None, "Categories to change or to add, by id."),
        "columns": _or_removed({"anyOf": [_named(column, None, "Columns by id."), _list(column, MAX_COLUMNS)]}),
        "bonus": _or_removed(_bonus([])),
        "joker": _or_removed(_table(_patched(_joker_fields(), {}), [])),
    }


def _patched(fields: Schema, changes: Schema) -> Schema:
    """The fields of a table in a patch: each may also be removed."""
    return {name: _or_removed(schema) for name, schema in fields.items()} | changes


def _top_fields() -> Schema:
    """Fields of a rule file but those that a patch writes differently."""
    published = {
        "value": {"type": "string", "pattern": r"^[0-9]+(\.[0-9]+)?$", "description": "All published digits."},
        "switches": _list(_text("", MAX_ID), MAX_SWITCHES),
        "source": _text("Where it was published.", MAX_SUMMARY),
    }
    return {
        "id": _identifier("Name in commands, answers and tables."),
        "name": _text("The name people see."),
        "summary": _text("One line for `yatzy rules list`.", MAX_SUMMARY),
        "extends": _text("Rules to start from: the id of a built-in rule set, or a .toml file.", None),
        "remove": _list(_text(""), None) | {"description": "Ids of categories to remove from the extended rules."},
        "dice": _number(1, MAX_DICE, "Number of dice."),
        "faces": _number(2, MAX_FACES, "Faces of each die.", 6),
        "rolls": _number(1, MAX_ROLLS, "Rolls of a turn, the first included.", 3),
        "order": _word(ORDERS, "In which order the categories are filled.", "free"),
        "crossing_out": _word(CROSSINGS, "When a category may take a roll that scores nothing in it.", "free"),
        "saved_rolls": _flag("Whether unused rolls are saved for later turns.", False),
        "first_roll_bonus": {
            "type": "object",
            "additionalProperties": _or_removed(_number(1, MAX_POINTS, "")),
            "description": "Category id = points, paid if it scores on the first roll of a turn.",
        },
        "published": _list(_table(published, ["value"]), MAX_PUBLISHED),
    }


def _category_fields() -> Schema:
    pattern = _pattern_fields()
    return {
        "id": _identifier("Written on cards and in answers."),
        "name": _text("The name people see."),
        "code": _text("A short name."),
        "aliases": _list(_text("", MAX_NAME), MAX_ALIASES) | {"description": "More names that are understood."},
        "upper": _flag("Whether the points count towards the upper bonus.", False),
        "times": _number(1, MAX_CATEGORIES, "How often the category can be used.", 1),
        "requires": _text("Id of another category: this one pays only while that box holds points."),
        "patterns": _list(_table(pattern, []), MAX_PATTERNS, 1) | {"description": "Patterns of which the best pays."},
        **pattern,
    }


def _pattern_fields() -> Schema:
    face = _number(1, MAX_FACES, "")
    only = [_word(tuple(ONLY), ""), _list(face, MAX_FACES, 1)]
    types = {
        "face": face,
        "dice": _list(face, MAX_DICE, 1),
        "sizes": _list(_number(1, MAX_DICE, ""), MAX_DICE, 1),
        "flag": _flag("", True),
    }
    return {
        "pattern": _word(tuple(KINDS), "What the dice must show."),
        **{name: types[field.type] | {"description": field.description} for name, field in KIND_FIELDS.items()},
        "sum": _number(1, MAX_DICE * MAX_FACES, "The sum of all dice must be this number."),
        "at_least": _number(1, MAX_DICE * MAX_FACES, "The sum of all dice must be at least this number."),
        "at_most": _number(1, MAX_DICE * MAX_FACES, "The sum of all dice must be at most this number."),
        "only": {"anyOf": only, "description": "The faces that all dice must show."},
        "score": _word(SCORES, "Sum of the matched dice, sum of all dice, or `points`."),
        "points": _number(1, MAX_POINTS, "A fixed number of points."),
        "factor": _number(1, MAX_FACTOR, "The score is multiplied by it.", 1),
        "plus": _number(0, MAX_POINTS, "Points added if the pattern matches.", 0),
    }


def _column_fields() -> Schema:
    return {
        "id": _identifier("Written after the category: ones.down."),
        "name": _text("The name people see."),
        "order": _word(ORDERS, "In which order the column is filled; default: that of the rules."),
        "factor": _number(1, MAX_FACTOR, "All points of the column are multiplied by it.", 1),
    }


def _joker_fields() -> Schema:
    return {
        "category": _text("Id of the category whose further rolls are jokers."),
        "bonus": _number(0, MAX_POINTS, "Points for each joker."),
        "mode": _word(JOKER_MODES, "Where a joker may go, and what it pays there."),
        "requires": _word(JOKER_CONDITIONS, "What the box must be for a joker.", "filled"),
        "bonus_requires": _word(JOKER_CONDITIONS, "What the box must be for the bonus.", "points"),
        "bonus_while": _word(JOKER_PAYMENTS, "When the bonus is paid.", "always"),
    }


def _bonus(required: list[str]) -> Schema:
    """The upper bonus: a table, of which a patch may write a part, or all steps."""
    fields = {
        "threshold": _number(1, MAX_THRESHOLD, "Sum of the upper boxes."),
        "points": _number(1, MAX_POINTS, "Paid once."),
    }
    steps = _list(_table(fields, [*fields]), MAX_STEPS, 1)
    return {"anyOf": [_table(fields, required), steps], "description": "The upper bonus, or its steps."}


def _or_removed(schema: Schema) -> Schema:
    return {"anyOf": [schema, REMOVED]}


def _table(fields: Schema, required: list[str]) -> Schema:
    return {"type": "object", "properties": fields, "required": required, "additionalProperties": False}


def _named(entry: Schema, most: int | None, description: str) -> Schema:
    """A table of tables by id."""
    limit = {} if most is None else {"maxProperties": most}
    found = {"type": "object", "additionalProperties": entry, "description": description}
    return found | {"propertyNames": {"pattern": IDENTIFIER_PATTERN, "maxLength": MAX_ID}} | limit


def _list(entry: Schema, most: int | None, least: int = 0) -> Schema:
    limit = {} if most is None else {"maxItems": most}
    return {"type": "array", "items": entry, "minItems": least} | limit


def _identifier(description: str) -> Schema:
    return _text(description, MAX_ID) | {"pattern": IDENTIFIER_PATTERN}


def _text(description: str, most: int | None = MAX_NAME) -> Schema:
    limit = {} if most is None else {"maxLength": most}
    return _described({"type": "string"} | limit, description)


def _number(low: int, high: int, description: str, default: int | None = None) -> Schema:
    found = {"type": "integer", "minimum": low, "maximum": high}
    return _described(found if default is None else found | {"default": default}, description)


def _flag(description: str, default: bool) -> Schema:
    return _described({"type": "boolean", "default": default}, description)


def _word(words: tuple[str, ...], description: str, default: str | None = None) -> Schema:
    found: Schema = {"type": "string", "enum": [*words]}
    return _described(found if default is None else found | {"default": default}, description)


def _described(schema: Schema, description: str) -> Schema:
    return schema | {"description": description} if description else schema
