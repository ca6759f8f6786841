"""Every limit at its edge: exactly so much is taken, one more is refused with a message that says how much."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from perfect_yatzy.cli.jsonl import answer_lines
from perfect_yatzy.game import category_schema, limits, rule_fields, rule_schema
from perfect_yatzy.game.notation import find_category, parse_card, parse_dice, parse_faces
from perfect_yatzy.game.rule_loader import RuleFileError, load_rules, rules_from_json
from perfect_yatzy.play import record
from perfect_yatzy.play.record import check_names, record_lines
from perfect_yatzy.play.session import SaveFile
from perfect_yatzy.service import requests
from perfect_yatzy.service.queries import QueryService
from perfect_yatzy.service.requests import parse_request
from perfect_yatzy.strategy import opponents, score_strategy
from perfect_yatzy.strategy.opponents import parse_opponents
from perfect_yatzy.strategy.score_strategy import check_goal
from perfect_yatzy.strategy.simulation import check_seed

YATZY = load_rules("yatzy")
BOX = '[[categories]]\nid = "{0}"\nname = "{0}"\npattern = "any"\n'
HEAD = 'id = "own"\nname = "Own"\ndice = 5\n'
ONE = BOX.format("box")
FIXED = f"{ONE}score = 'fixed'\npoints = "
JOKER = "joker = {{ category = 'box', bonus = {}, mode = 'none' }}"
STEP = "{{ threshold = {0}, points = {0} }}, "
PUBLISHED = "{ value = '1.5' }, "
MORE = r"at most|longer than|larger than|more than|deeper than|must be (a whole number )?(from|\d+ to)|must not be negative"


def each(n: int, text: str) -> str:
    return "".join(text.format(number) for number in range(1, n + 1))


class Files:
    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def rules(self, text: str, boxes: str = ONE, head: str = HEAD) -> None:
        file = self.folder / "own.toml"
        file.write_text(f"{head}{text}\n{boxes}")
        load_rules(file)

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
            patch.setattr(record, "open", lambda *args: Lines(), raising=False)
            assert len([*record_lines("games.jsonl")]) == 16


def turn(rolls: list[Any]) -> object:
    return record._read_turn({"player": 0, "rolls": rolls, "holds": [], "category": "ones", "points": 0})


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
    ("MAX_RULES_BYTES", 65_536, lambda n, files: files.rules("# ".ljust(n - len(f"{HEAD}\n{ONE}"), "x"))),
    ("MAX_RULES_DEPTH", 16, lambda n, files: files.rules(f"x = {'[' * n}{']' * n}")),
    ("MAX_RULES_DEPTH", 16, lambda n, files: files.rules(f"x{'.a' * (n - 1)} = 1")),
    ("MAX_EXTENDS", 8, lambda n, files: files.chain(n)),
    ("MAX_CATEGORIES", 126, lambda n, files: files.boxes(each(n, BOX))),
    ("MAX_CATEGORIES", 126, lambda n, files: files.boxes(ONE + f"times = {n}\n")),
    ("MAX_CATEGORIES", 126, lambda n, files: files.boxes(f"{BOX.format(1)}times = 31\n{ONE}times = {n - 31}\n")),
    ("MAX_COLUMNS", 12, lambda n, files: files.rules(each(n, "[[columns]]\nid = 'c{0}'\nname = 'c{0}'\n"))),
    ("MAX_STEPS", 10, lambda n, files: files.rules(f"bonus = [{each(n, STEP)}]", UPPER)),
    ("MAX_PATTERNS", 240, lambda n, files: files.boxes(f"{BOX.format('a')}{ONE}patterns = [{'{}, ' * (n - 1)}]\n")),
    ("MAX_SWITCHES", 40, lambda n, files: files.rules(each(n, "[switches.s{0}]\nsummary = 's'\n"))),
    ("MAX_SWITCHES", 40, lambda n, files: rules_from_json({"dice": 5, "active": ["s"] * n})),
    ("MAX_ID", 60, lambda n, files: files.rules("", head=HEAD.replace("own", "o" * n))),
    ("MAX_ID", 60, lambda n, files: files.boxes(BOX.replace('"{0}"', f'"{"o" * n}"', 1))),
    ("MAX_ALIASES", 20, lambda n, files: files.boxes(ONE + f"aliases = {[f'a{i}' for i in range(n)]}")),
    ("MAX_SUMMARY", 1_000, lambda n, files: files.rules(f"summary = '{'s' * n}'")),
    ("MAX_PUBLISHED", 100, lambda n, files: files.rules(f"published = [{PUBLISHED * n}]")),
    ("MAX_PROBLEMS", 20, lambda n, files: files.problems(n)),
    ("MAX_DICE", 12, lambda n, files: files.rules("", head=HEAD.replace("5", str(n)))),
    ("MAX_FACES", 6, lambda n, files: files.rules(f"faces = {n}")),
    ("MAX_ROLLS", 10, lambda n, files: files.rules(f"rolls = {n}")),
    ("MAX_THRESHOLD", 2_000, lambda n, files: files.rules(f"bonus = {{ threshold = {n}, points = 1 }}", UPPER)),
    ("MAX_POINTS", 10_000, lambda n, files: files.boxes(f"{FIXED}{n}\n")),
    ("MAX_POINTS", 10_000, lambda n, files: files.boxes(ONE + f"plus = {n}\n")),
    ("MAX_POINTS", 10_000, lambda n, files: files.rules(f"bonus = {{ threshold = 1, points = {n} }}", UPPER)),
    ("MAX_POINTS", 10_000, lambda n, files: files.rules(JOKER.format(n))),
    ("MAX_POINTS", 10_000, lambda n, files: files.rules(f"first_roll_bonus = {{ box = {n} }}")),
    ("MAX_FACTOR", 100, lambda n, files: files.boxes(ONE + f"factor = {n}\n")),
    ("MAX_BOX_POINTS", 20_000, lambda n, files: files.boxes(f"{FIXED}{n // (2 + n % 2)}\nfactor = {2 + n % 2}\n")),
    ("MAX_GAMES", 10_000_000, lambda n, files: asked(games=n)),
    ("MAX_INTEGER", 9_223_372_036_854_775_807, lambda n, files: asked(seed=n)),
    ("MAX_INTEGER", 9_223_372_036_854_775_807, lambda n, files: check_seed(n)),
    ("MAX_GOAL", 99_999, lambda n, files: asked(goal=n)),
    ("MAX_GOAL", 99_999, lambda n, files: check_goal(n)),
    ("MAX_FINAL_SCORE", 99_999, lambda n, files: parse_opponents(YATZY, [n])),
    ("MAX_FINAL_SCORE", 99_999, lambda n, files: parse_opponents(YATZY, f"{n}")),
]
NOT_OF_INPUT = {"MAX_UPPER_SUMS", "MAX_UTILITY"}  # of what rules and functions amount to


def test_every_limit_is_listed() -> None:
    modules = (limits, rule_fields, rule_schema, category_schema, requests, score_strategy, opponents)
    sources = "".join(Path(str(module.__file__)).read_text(encoding="utf-8") for module in modules)
    named = {*re.findall(r"^(?:MIN_GAMES, )?(MAX_\w+).*=", sources, re.MULTILINE)}
    assert named - NOT_OF_INPUT == {name for name, _, _ in LIMITS}


@pytest.mark.parametrize(("most", "read"), [pytest.param(most, read, id=name) for name, most, read in LIMITS])
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
