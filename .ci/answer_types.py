"""Writes the types of answers for TypeScript, and their JSON Schema, into the npm package.

Both are made from `perfect_yatzy.service.answer_types`, as the OpenAPI document of the server is.
Usage: `python .ci/answer_types.py`.
"""

from __future__ import annotations

import json
import textwrap
from pathlib import Path
from typing import Any

from perfect_yatzy.service import answer_types
from pydantic import TypeAdapter

NPM = Path(__file__).resolve().parent.parent / "solver" / "npm"
# The answers of the engine of the npm package; types that they consist of are added.
ANSWERS = ("HoldAnswer", "ScoreAnswer", "ExpectAnswer", "OutcomesAnswer", "ReviewAnswer")
SCALARS = {
    "integer": "number",
    "number": "number",
    "string": "string",
    "boolean": "boolean",
    "null": "null",
}
Schema = dict[str, Any]


def json_schema() -> Schema:
    """The JSON Schema of all answers: one type each, in `$defs`."""
    kinds = [(name, TypeAdapter(getattr(answer_types, name))) for name in ANSWERS]
    inputs = [(name, "serialization", kind) for name, kind in kinds]
    _references, schema = TypeAdapter.json_schemas(inputs, title="Answers of perfect-yatzy")
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


def type_text(schema: Schema) -> str:
    """The TypeScript type of a JSON Schema."""
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "anyOf" in schema:
        return " | ".join(map(type_text, schema["anyOf"]))
    if "enum" in schema:
        return " | ".join(map(json.dumps, schema["enum"]))
    if schema.get("type") == "array":
        entry = type_text(schema["items"])
        return f"({entry})[]" if "|" in entry else f"{entry}[]"
    if schema.get("type") == "object":
        return f"Record<string, {type_text(schema['additionalProperties'])}>"
    return SCALARS[schema["type"]]


def comment(text: str, indent: str) -> str:
    """A documentation comment on one line, or on several if it is long."""
    lines = textwrap.wrap(text, 92)
    if len(lines) == 1:
        return f"{indent}/** {lines[0]} */\n"
    inner = "".join(f"{indent} * {line}\n" for line in lines)
    return f"{indent}/**\n{inner}{indent} */\n"


def interface(name: str, schema: Schema) -> str:
    """The TypeScript interface of an object."""
    text = comment(schema["description"], "") + f"export interface {name} {{\n"
    for field, form in schema["properties"].items():
        optional = "" if field in schema.get("required", ()) else "?"
        text += comment(form["description"], "  ") if "description" in form else ""
        text += f"  {field}{optional}: {type_text(form)};\n"
    return text + "}\n"


def files() -> dict[Path, str]:
    """The contents of both files."""
    schema = json_schema()
    head = "// Made by .ci/answer_types.py from perfect_yatzy/service/answer_types.py.\n"
    interfaces = [interface(name, form) for name, form in sorted(schema["$defs"].items())]
    return {
        NPM / "answers.d.ts": "\n".join([head, *interfaces]),
        NPM / "answers.schema.json": json.dumps(schema, indent=2) + "\n",
    }


if __name__ == "__main__":
    for path, text in files().items():
        path.write_text(text, encoding="utf-8")
