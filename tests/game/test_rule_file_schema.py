"""The JSON Schema of a rule file: it accepts what the checker accepts, field by field and word by word."""

from __future__ import annotations

import json
import tomllib
from datetime import date
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from documents import DOCUMENTS, blocks
from perfect_yatzy import RulesError, load_rules
from perfect_yatzy.game import rule_fields as known
from perfect_yatzy.game.rule_fields import rule_file_schema
from perfect_yatzy.game.translations import toml_names, toml_text
from support.command import Run
from support.rule_files import inline

SCHEMA = rule_file_schema()
VALIDATOR = jsonschema_rs.Draft7Validator(SCHEMA)
WHOLE = """\
id = "a"
name = "A"
dice = 5
order = "free"
crossing_out = "free"
bonus = { threshold = 5, points = 3 }
joker = { category = "x", bonus = 1, mode = "free", requires = "filled", bonus_requires = "filled", bonus_while = "always" }
[[categories]]
id = "x"
name = "X"
upper = true
pattern = "face"
face = 5
score = "sum"
only = "odd"
"""


def test_the_schema_is_a_schema_that_the_command_prints(run: Run) -> None:
    assert jsonschema_rs.meta.is_valid(SCHEMA)
    printed = run("rules", "schema")
    assert printed.returncode == 0
    assert json.loads(printed.stdout) == json.loads(json.dumps(SCHEMA))


@pytest.mark.parametrize("name", toml_names("rulesets"))
def test_built_in_files_are_valid(name: str) -> None:
    VALIDATOR.validate(tomllib.loads(toml_text("rulesets", name)))


def test_files_of_the_readmes_and_the_tests_are_valid() -> None:
    texts = [text for document in DOCUMENTS for text in blocks(document, "toml")]
    texts += [file.read_text() for file in (Path(__file__).parents[1] / "data").glob("*-sheet.toml")]
    assert len(texts) > 5
    for text in texts:
        VALIDATOR.validate(tomllib.loads(text))


FIELDS_OF_WORDS = known.PLAIN_FIELDS | known.PATTERN_FIELDS | known.JOKER_FIELDS
WORDS = {name: field.schema["enum"] for name, field in FIELDS_OF_WORDS.items() if "enum" in field.schema}
WORDS["only"] = ["even", "odd"]


@pytest.mark.parametrize("field", WORDS)
def test_the_words_are_those_of_the_checker(tmp_path: Path, field: str) -> None:
    for word in (*WORDS[field], "other", "Free"):
        file = tomllib.loads(WHOLE)
        box = file["categories"][0]
        if field in known.JOKER_FIELDS:
            file["joker"][field] = word
        else:
            (box if field in known.PATTERN_FIELDS else file)[field] = word
        if field == "pattern":
            del box["face"]
            box |= {"face": 5} if word == "face" else {word: [2]} if word in ("groups", "contains") else {}
        if field == "score" and word == "fixed":
            box["points"] = 3
        assert VALIDATOR.is_valid(file) == is_valid(tmp_path, file) == (word in WORDS[field]), file


def is_valid(folder: Path, values: dict[str, Any]) -> bool:
    """Whether the checker accepts a file, with each of its switches."""
    file = folder / "own.toml"
    file.write_text("\n".join(f"{name} = {inline(value)}" for name, value in values.items()))
    try:
        for switch in load_rules(file).switches:
            load_rules(f"{file}+{switch.id}")
    except RulesError:
        return False
    return True


VALUES: list[Any] = [
    0, 1, 2, 7, 13, 63, 101, 10_001, -1, True, False, "", "x", "a b", [], [1], ["x"], [7], [[1]], {}, {"x": 1},
    [{}], [{"x": 1}], {"x": {}}, 1.5, date(1979, 5, 27),
]  # fmt: skip


@pytest.mark.parametrize("start", ["whole", "patch"])
def test_the_checker_accepts_nothing_that_the_schema_rejects(tmp_path: Path, start: str) -> None:
    """Each field at each level with values of every type: refused in words, or it loads and is valid."""
    head = {"id": "a", "name": "A"}
    box = {"id": "x", "name": "X", "pattern": "face", "face": 5, "upper": True}
    whole: dict[str, Any] = head | {"dice": 5, "categories": [box], "bonus": {"threshold": 5, "points": 3}}
    patch: dict[str, Any] = head | {"extends": "yahtzee"}
    base, files = whole if start == "whole" else patch, []
    full = {"bonus": {"threshold": 5, "points": 3}, "joker": {"category": "x", "bonus": 0, "mode": "free"}}
    for value in VALUES:
        files += [base | {name: value} for name in sorted(known.FIELDS - {"extends"})]
        for name in sorted({*known.CATEGORY_FIELDS, *known.PLACE_FIELDS}):
            other = [box | {name: value}] if start == "whole" else {"ones": {name: value}}
            files.append(base | {"categories": other})
        for table, fields in (("bonus", known.BONUS_FIELDS), ("joker", known.JOKER_FIELDS)):
            values = full[table] if start == "whole" else {}
            files += [base | {table: values | {name: value}} for name in sorted(fields)]
        files += [base | {table: {"chance": value}} for table in ("first_roll_bonus", "switches", "categories")]
        columns = known.COLUMN_FIELDS if start == "whole" else ()
        files += [base | {"columns": [{"id": "c", "name": "C"} | {name: value}]} for name in sorted(columns)]
        files += [
            base | {"switches": {"s": {"summary": "s"} | {name: value}}} for name in sorted(known.SWITCH_FIELDS)
        ]
        files += [base | {"published": [{"value": "1.5"} | {name: value}]} for name in known.PUBLISHED_FIELDS]
    accepted = 0
    for file in files:
        if is_valid(tmp_path, file):
            accepted += 1
            assert VALIDATOR.is_valid(file), [*VALIDATOR.iter_errors(file)]
    assert accepted > 40


@pytest.mark.parametrize(
    "text",
    [
        WHOLE + "dcie = 3\n",
        WHOLE + '[[categories]]\nid = "y"\n',
        "dice = 13\n" + WHOLE.replace("dice = 5\n", ""),
        'id = "a"\nname = "A"\nextends = "yatzy"\n[[categories]]\nid = "x"\n',
        'id = "a"\nname = "A"\nextends = "yatzy"\n[categories.x]\ntimes = 0\n',
        'id = "a"\nname = "A"\ndice = 2\n',
        'remove = ["x"]\n' + WHOLE,
        WHOLE + "[switches.s]\nrolls = 2\n",
        WHOLE + "[switches.s]\nsummary = 's'\nid = 's'\n",
    ],
)
def test_mistakes_that_an_editor_shows(tmp_path: Path, text: str) -> None:
    file = tomllib.loads(text)
    assert not VALIDATOR.is_valid(file)
    assert not is_valid(tmp_path, file)
