"""The JSON Schema of a rule file, for editors that complete and check TOML.

It is made from the fields that the checker reads (:mod:`.rule_fields`). The checker reports more: ids that do not
exist, groups that need too many dice, names that are used twice.
"""

from __future__ import annotations

from .limits import MAX_CATEGORIES, MAX_COLUMNS, MAX_STEPS, MAX_SWITCHES
from .rule_fields import BONUS_FIELDS, CATEGORY_FIELDS, COLUMN_FIELDS, JOKER_FIELDS, PLACE_FIELDS, PLAIN_FIELDS
from .rule_values import Fields, Schema, identifier, list_of, object_of, removable, table_of


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
