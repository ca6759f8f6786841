"""Every limit at its edge, and every field of a rule file with every type: the checker beside
its schema.
"""

import io
import json
import re
import tomllib
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from documents import DOCUMENTS, blocks
from perfect_yatzy import RulesError, load_rules
from perfect_yatzy.cli.commands.ask import answer_lines
from perfect_yatzy.game import limits, rule_fields, rule_schema
from perfect_yatzy.game import rule_fields as known
from perfect_yatzy.game.notation import find_category, parse_card, parse_dice, parse_faces
from perfect_yatzy.game.rule_fields import rule_file_schema
from perfect_yatzy.game.rule_loader import RuleFileError, rules_from_json
from perfect_yatzy.game.translations import toml_names, toml_text
from perfect_yatzy.play import record
from perfect_yatzy.play.record import check_names, record_lines
from perfect_yatzy.play.session import SaveFile
from perfect_yatzy.service import requests
from perfect_yatzy.service.queries import QueryService
from perfect_yatzy.service.requests import parse_request
from perfect_yatzy.strategy import score_distribution, score_strategy
from perfect_yatzy.strategy.score_distribution import parse_opponents
from perfect_yatzy.strategy.score_strategy import check_goal
from perfect_yatzy.strategy.simulation import check_seed
from support.command import Run, printed
from support.refusals import load_text
from support.rule_files import inline

YATZY = load_rules("yatzy")
BOX = '[[categories]]\nid = "{0}"\nname = "{0}"\npattern = "any"\n'
HEAD = 'id = "own"\nname = "Own"\ndice = 5\n'
ONE = BOX.format("box")
FIXED = f"{ONE}score = 'fixed'\npoints = "
JOKER = "joker = {{ category = 'box', bonus = {}, mode = 'none' }}"
STEP = "{{ threshold = {0}, points = {0} }}, "
PUBLISHED = "{ value = '1.5' }, "
MORE = r"at most|longer than|larger than|more than|deeper than|must be (a (whole number|score) )?(from|\d+ to)|must not be negative"


def each(n: int, text: str) -> str:
    return "".join(text.format(number) for number in range(1, n + 1))


class Files:
    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def rules(self, text: str, boxes: str = ONE, head: str = HEAD) -> None:
        load_text(self.folder, f"{text}\n{boxes}", head)

    def boxes(self, text: str) -> None:
        self.rules("", text)

    def chain(self, n: int) -> None:
        for i in range(n):
            base = f"f{i - 1}.toml" if i else "yatzy"
            (self.folder / f"f{i}.toml").write_text(f'id = "a"\nname = "A"\nextends = "{base}"\n')
        load_rules(self.folder / f"f{n - 1}.toml")

    def problems(self, n: int) -> None:
        with pytest.raises(RuleFileError) as caught:
            self.rules("".join(f"key{i} = 1\n" for i in range(n)))
        assert len(caught.value.problems) == 20
        if caught.value.omitted:
            raise ValueError(f"more than 20, {caught.value.omitted} in fact")

    def line_of_stream(self, n: int) -> None:
        line = b'{"dice": "33456", "saved": -1'.ljust(n - 2) + b"}\n"
        with pytest.MonkeyPatch.context() as patch:
            said: list[str] = []
            patch.setattr("click.echo", said.append)
            answer_lines(QueryService(), "hold", {}, io.BytesIO(line))
        (answer,) = map(json.loads, said)
        if answer["code"] == "invalid-request":
            raise ValueError(answer["error"])

    def line_of_record(self, n: int) -> None:
        path = self.folder / "games.jsonl"
        path.write_bytes(b"{}".ljust(n - 1) + b"\n")
        assert len([*record_lines(path)]) == 1

    def saved_game(self, n: int) -> None:
        path = self.folder / "game.json"
        path.write_bytes(b"{}".ljust(n))
        try:
            SaveFile(path).load()
        except ValueError as error:
            if "rules" not in str(error):  # the first field that is missing
                raise

    def record(self, n: int) -> None:
        """A file of lines of the largest size, which is not written."""
        line = b"x" * ((16 << 20) - 1) + b"\n"
        left = [line] * (n // len(line)) + [b"\n"] * (n % len(line))

        class Lines(io.BytesIO):
            def readline(self, most: int | None = -1) -> bytes:
                return left.pop() if left else b""

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(record, "open_file", lambda *args: Lines())
            assert len([*record_lines("games.jsonl")]) == 16


def turn(rolls: list[Any]) -> object:
    return record._read_turn(
        {"player": 0, "rolls": rolls, "holds": [], "category": "ones", "points": 0}
    )


def asked(**fields: Any) -> object:
    return parse_request({"query": "expect", **fields}, load_rules)


def is_read(found: object, n: int) -> None:
    if found is None:
        raise ValueError("more than 100")


Reader = Callable[[int, Files], object]
UPPER = '[[categories]]\nid = "u"\nname = "u"\nupper = true\npattern = "face"\nface = 6\n'
# limit, the largest size, what reads an input of a size
LIMITS: list[tuple[str, int, Reader]] = [
    ("MAX_DICE_TEXT", 100, lambda n, files: parse_dice(YATZY, "33456".ljust(n))),
    ("MAX_DICE_TEXT", 100, lambda n, files: is_read(parse_faces("33".ljust(n)), n)),
    ("MAX_DICE_LISTED", 64, lambda n, files: parse_dice(YATZY, [3] * n)),
    ("MAX_DICE_LISTED", 64, lambda n, files: turn([[3] * n])),
    ("MAX_ROLLS_LISTED", 1_200, lambda n, files: turn([[1]] * n)),
    ("MAX_NAME", 100, lambda n, files: find_category(YATZY, "chance".ljust(n))),
    ("MAX_NAME", 100, lambda n, files: check_names(["A" * n])),
    ("MAX_NAME", 100, lambda n, files: files.rules("", head=HEAD.replace("Own", "O" * n))),
    ("MAX_NAME", 100, lambda n, files: files.boxes(ONE + f"aliases = ['{'a' * n}']\n")),
    ("MAX_CARD_TEXT", 16_000, lambda n, files: parse_card(YATZY, "ones=3".ljust(n))),
    ("MAX_CARD_ENTRIES", 126, lambda n, files: parse_card(YATZY, {f"{i}": 0 for i in range(n)})),
    ("MAX_OPPONENTS_TEXT", 16_000, lambda n, files: parse_opponents(YATZY, "251".ljust(n))),
    ("MAX_OPPONENTS", 64, lambda n, files: parse_opponents(YATZY, [251] * n)),
    ("MAX_OPPONENTS", 64, lambda n, files: parse_opponents(YATZY, "1;" * n)),
    ("MAX_RULES_NAME", 4_200, lambda n, files: load_rules("yatzy".ljust(n, "+"))),
    ("MAX_LINE_BYTES", 1_048_576, lambda n, files: files.line_of_stream(n)),
    ("MAX_GAME_BYTES", 16_777_216, lambda n, files: files.line_of_record(n)),
    ("MAX_GAME_BYTES", 16_777_216, lambda n, files: files.saved_game(n)),
    ("MAX_RECORD_BYTES", 268_435_456, lambda n, files: files.record(n)),
    ("MAX_JSON_DEPTH", 64, lambda n, files: limits.parse_json("[" * n + "]" * n)),
    ("MAX_JSON_DEPTH", 64, lambda n, files: limits.parse_json('{"a":' * n + "1" + "}" * n)),
    ("MAX_JSON_DEPTH", 64, lambda n, files: limits.parse_json("[[], " + "[" * (n - 1) + "]" * n)),
    ("MAX_PLAYERS", 64, lambda n, files: check_names(["A"] * n)),
    (
        "MAX_RULES_BYTES",
        65_536,
        lambda n, files: files.rules("# ".ljust(n - len(f"{HEAD}\n{ONE}"), "x")),
    ),
    ("MAX_RULES_DEPTH", 16, lambda n, files: files.rules(f"x = {'[' * n}{']' * n}")),
    ("MAX_RULES_DEPTH", 16, lambda n, files: files.rules(f"x{'.a' * (n - 1)} = 1")),
    ("MAX_EXTENDS", 8, lambda n, files: files.chain(n)),
    ("MAX_CATEGORIES", 126, lambda n, files: files.boxes(each(n, BOX))),
    ("MAX_CATEGORIES", 126, lambda n, files: files.boxes(ONE + f"times = {n}\n")),
    (
        "MAX_CATEGORIES",
        126,
        lambda n, files: files.boxes(f"{BOX.format(1)}times = 31\n{ONE}times = {n - 31}\n"),
    ),
    (
        "MAX_COLUMNS",
        12,
        lambda n, files: files.rules(each(n, "[[columns]]\nid = 'c{0}'\nname = 'c{0}'\n")),
    ),
    ("MAX_STEPS", 10, lambda n, files: files.rules(f"bonus = [{each(n, STEP)}]", UPPER)),
    (
        "MAX_PATTERNS",
        240,
        lambda n, files: files.boxes(f"{BOX.format('a')}{ONE}patterns = [{'{}, ' * (n - 1)}]\n"),
    ),
    ("MAX_SWITCHES", 40, lambda n, files: files.rules(each(n, "[switches.s{0}]\nsummary = 's'\n"))),
    ("MAX_SWITCHES", 40, lambda n, files: rules_from_json({"dice": 5, "active": ["s"] * n})),
    ("MAX_ID", 60, lambda n, files: files.rules("", head=HEAD.replace("own", "o" * n))),
    ("MAX_ID", 60, lambda n, files: files.boxes(BOX.replace('"{0}"', f'"{"o" * n}"', 1))),
    (
        "MAX_ALIASES",
        20,
        lambda n, files: files.boxes(ONE + f"aliases = {[f'a{i}' for i in range(n)]}"),
    ),
    ("MAX_SUMMARY", 1_000, lambda n, files: files.rules(f"summary = '{'s' * n}'")),
    ("MAX_PUBLISHED", 100, lambda n, files: files.rules(f"published = [{PUBLISHED * n}]")),
    ("MAX_PROBLEMS", 20, lambda n, files: files.problems(n)),
    ("MAX_DICE", 12, lambda n, files: files.rules("", head=HEAD.replace("5", str(n)))),
    ("MAX_FACES", 6, lambda n, files: files.rules(f"faces = {n}")),
    ("MAX_ROLLS", 10, lambda n, files: files.rules(f"rolls = {n}")),
    (
        "MAX_THRESHOLD",
        2_000,
        lambda n, files: files.rules(f"bonus = {{ threshold = {n}, points = 1 }}", UPPER),
    ),
    ("MAX_POINTS", 10_000, lambda n, files: files.boxes(f"{FIXED}{n}\n")),
    ("MAX_POINTS", 10_000, lambda n, files: files.boxes(ONE + f"plus = {n}\n")),
    (
        "MAX_POINTS",
        10_000,
        lambda n, files: files.rules(f"bonus = {{ threshold = 1, points = {n} }}", UPPER),
    ),
    ("MAX_POINTS", 10_000, lambda n, files: files.rules(JOKER.format(n))),
    ("MAX_POINTS", 10_000, lambda n, files: files.rules(f"first_roll_bonus = {{ box = {n} }}")),
    ("MAX_FACTOR", 100, lambda n, files: files.boxes(ONE + f"factor = {n}\n")),
    (
        "MAX_BOX_POINTS",
        20_000,
        lambda n, files: files.boxes(f"{FIXED}{n // (2 + n % 2)}\nfactor = {2 + n % 2}\n"),
    ),
    ("MAX_GAMES", 10_000_000, lambda n, files: asked(games=n)),
    ("MAX_INTEGER", 9_223_372_036_854_775_807, lambda n, files: asked(seed=n)),
    ("MAX_INTEGER", 9_223_372_036_854_775_807, lambda n, files: check_seed(n)),
    ("MAX_GOAL", 99_999, lambda n, files: check_goal(n)),
    ("MAX_FINAL_SCORE", 99_999, lambda n, files: parse_opponents(YATZY, [n])),
    ("MAX_FINAL_SCORE", 99_999, lambda n, files: parse_opponents(YATZY, f"{n}")),
]
# What rules and functions amount to, and MAX_DIGITS, which is taken in place of a larger number.
NOT_OF_INPUT = {"MAX_UPPER_SUMS", "MAX_UTILITY", "MAX_DIGITS"}


def test_every_limit_is_listed() -> None:
    modules = (limits, rule_fields, rule_schema, requests, score_strategy, score_distribution)
    sources = "".join(Path(str(module.__file__)).read_text(encoding="utf-8") for module in modules)
    named = {*re.findall(r"^(MAX_\w+).*=", sources, re.MULTILINE)}
    assert named - NOT_OF_INPUT == {name for name, _, _ in LIMITS}


@pytest.mark.parametrize(
    ("most", "read"), [pytest.param(most, read, id=name) for name, most, read in LIMITS]
)
def test_so_much_is_taken_and_one_more_is_refused(most: int, read: Reader, tmp_path: Path) -> None:
    files = Files(tmp_path)
    refused, taken = (message(read, n, files) for n in (most + 1, most))
    assert refused
    assert not taken or (re.search(MORE, refused) and not re.search(MORE, taken))


def message(read: Reader, n: int, files: Files) -> str:
    """Why an input is refused; at its limit it may be, for another reason."""
    try:
        read(n, files)
    except ValueError as error:
        return str(error)
    return ""


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


def test_the_schema_that_the_command_prints_accepts_all_files_of_rules(run: Run) -> None:
    assert jsonschema_rs.meta.is_valid(SCHEMA)
    assert json.loads(printed(run, "rules", "schema")) == json.loads(json.dumps(SCHEMA))
    texts = [text for document in DOCUMENTS for text in blocks(document, "toml")]
    texts += [
        file.read_text() for file in (Path(__file__).parents[1] / "data").glob("*-sheet.toml")
    ]
    assert len(texts) > 5
    texts += [toml_text("rulesets", name) for name in toml_names("rulesets")]
    for text in texts:
        VALIDATOR.validate(tomllib.loads(text))


FIELDS_OF_WORDS = known.PLAIN_FIELDS | known.PATTERN_FIELDS | known.JOKER_FIELDS
WORDS = {
    name: field.schema["enum"] for name, field in FIELDS_OF_WORDS.items() if "enum" in field.schema
}
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
            box |= (
                {"face": 5}
                if word == "face"
                else {word: [2]}
                if word in ("groups", "contains")
                else {}
            )
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
    0,
    1,
    2,
    7,
    13,
    63,
    101,
    10_001,
    -1,
    True,
    False,
    "",
    "x",
    "a b",
    [],
    [1],
    ["x"],
    [7],
    [[1]],
    {},
    {"x": 1},
    [{}],
    [{"x": 1}],
    {"x": {}},
    1.5,
    date(1979, 5, 27),
]


@pytest.mark.parametrize("start", ["whole", "patch"])
def test_the_checker_accepts_nothing_that_the_schema_rejects(tmp_path: Path, start: str) -> None:
    """Each field at each level with values of every type: refused in words, or it loads and is
    valid.
    """
    head = {"id": "a", "name": "A"}
    box = {"id": "x", "name": "X", "pattern": "face", "face": 5, "upper": True}
    whole: dict[str, Any] = head | {
        "dice": 5,
        "categories": [box],
        "bonus": {"threshold": 5, "points": 3},
    }
    patch: dict[str, Any] = head | {"extends": "yahtzee"}
    base, files = whole if start == "whole" else patch, []
    full = {
        "bonus": {"threshold": 5, "points": 3},
        "joker": {"category": "x", "bonus": 0, "mode": "free"},
    }
    for value in VALUES:
        files += [base | {name: value} for name in sorted(known.FIELDS - {"extends"})]
        for name in sorted({*known.CATEGORY_FIELDS, *known.PLACE_FIELDS}):
            other = [box | {name: value}] if start == "whole" else {"ones": {name: value}}
            files.append(base | {"categories": other})
        for table, fields in (("bonus", known.BONUS_FIELDS), ("joker", known.JOKER_FIELDS)):
            values = full[table] if start == "whole" else {}
            files += [base | {table: values | {name: value}} for name in sorted(fields)]
        files += [
            base | {table: {"chance": value}}
            for table in ("first_roll_bonus", "switches", "categories")
        ]
        columns = known.COLUMN_FIELDS if start == "whole" else ()
        files += [
            base | {"columns": [{"id": "c", "name": "C"} | {name: value}]}
            for name in sorted(columns)
        ]
        files += [
            base | {"switches": {"s": {"summary": "s", name: value}}}
            for name in sorted(known.SWITCH_FIELDS)
        ]
        files += [
            base | {"published": [{"value": "1.5"} | {name: value}]}
            for name in known.PUBLISHED_FIELDS
        ]
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
