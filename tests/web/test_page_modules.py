"""Modules of the page under node, tested in JavaScript: the state, a game, links, words,
questions, training, the views.
"""

import hashlib
import json
import posixpath
import random
import re
from datetime import date
from pathlib import Path
from typing import Any

import click
import numpy as np
import perfect_yatzy
import pytest
from perfect_yatzy import Strategy, load_rules
from perfect_yatzy.cli import main
from perfect_yatzy.cli.views import why
from perfect_yatzy.core import turn_model
from perfect_yatzy.game.random_dice import fixed_dice
from perfect_yatzy.play import puzzle
from perfect_yatzy.play import review as reviews
from perfect_yatzy.policies import levels
from perfect_yatzy.policies.levels import SoftPolicy, level_figures
from perfect_yatzy.service import answers as service_answers
from perfect_yatzy.service import reviews as service_reviews
from perfect_yatzy.service.queries import QueryService
from perfect_yatzy.strategy import score_strategy
from perfect_yatzy.web.site import folder as site_folder
from perfect_yatzy.web.static_files import rule_set_json
from support.engine import random_positions, run_node
from support.seeds import ring_2, seeds

STATIC = Path(perfect_yatzy.__file__).parent / "web" / "static"
TESTS = {  # name -> its file, whether it is in ring 2, and the rule sets of the page
    name: (path, bool(ring), re.findall(r'"([\w+-]+)"', rules))
    for path in sorted(Path(__file__).parent.glob("page_*.mjs"))
    for ring, name, rules in re.findall(
        r'^test(InRing2)?\("(.+?)", \[(.*?)\]', path.read_text(), re.MULTILINE
    )
}
SAME_SENTENCES = "the command says why in the sentences of the page"
SAME_POLICY = "a computer at a level errs as the policy of Python does"
FIXED_DICE = "the dice of a text are those of its SHA-256"
PASTED_OPTIONS = "every option of a pasted command is understood"
ANY_ORDER = "dice and corrections in any order leave a turn that can be reviewed"


def check(name: str, *options: str) -> None:
    path, _ring, rules = TESTS[name]
    known = json.dumps([rule_set_json(load_rules(spec)) for spec in rules])
    assert run_node(path, STATIC, known, name, *options) == "done"


@pytest.mark.parametrize(
    "name",
    [
        ring_2(name) if ring else name
        for name, (_, ring, _) in TESTS.items()
        if name not in (ANY_ORDER, SAME_SENTENCES, SAME_POLICY, FIXED_DICE, PASTED_OPTIONS)
    ],
)
def test_in_javascript(name: str) -> None:
    check(name)


def test_dice_that_are_the_same_for_everybody(tmp_path: Path) -> None:
    """The page, Python and hashlib: anybody can compute the dice of a day or of a challenge, and
    none can be changed.
    """
    days = ("perfect-yatzy puzzle 332", "perfect-yatzy puzzle 1", "ä")
    turns = tuple(f"perfect-yatzy challenge k7wm2pxa turn {turn}" for turn in range(1, 16))
    cases = [
        (text, roll, faces, list(fixed_dice(text, roll, dice, faces)))
        for text in (*days, *turns, "x" * 200)
        for roll, dice, faces in ((1, 5, 6), (2, 5, 6), (3, 6, 6), (1, 9, 10), (700, 1, 20))
    ]
    assert len(cases) == 95  # 494 dice
    for text, roll, faces, dice in cases:
        assert dice == [fixed_face(text, roll, die, faces) for die in range(1, len(dice) + 1)]
    path = tmp_path / "cases.json"
    path.write_text(json.dumps(cases))
    check(FIXED_DICE, str(path))


def fixed_face(text: str, roll: int, die: int, faces: int) -> int:
    digest = hashlib.sha256(f"{text} roll {roll} die {die}".encode()).digest()
    return 1 + int.from_bytes(digest[:4], "big") % faces


POSITION = {  # options that say something of a position: a value, and the field of a link
    "--rules": ("crag", "rules"),
    "--card": ("ones=3 sixes=24", "card"),
    "--rolls-left": ("1", "left"),
    "--saved": ("2", "saved"),
    "--bonus-points": ("100", "bonus_points"),
    "--goal": ("240", "goal"),
    "--opponent": ("251; ones=3", "opponents"),
    "--best-opponent": ("ones=3 sixes=24", "opponents"),
    "--ties": ("win", "ties"),
}


def test_options_of_a_pasted_command(tmp_path: Path) -> None:
    """Those of every question, in each of their spellings; the others change nothing."""
    cases, used = [], set()
    for question in ("hold", "score", "expect", "odds"):
        command = main.get_command(click.Context(main), question)
        assert command is not None
        dice = ("33456", {"dice": "33456"}) if question != "expect" else ("", {})
        for option in command.params:
            if not isinstance(option, click.Option):
                continue
            value, field = POSITION.get(option.opts[0], ("7", None))
            used.add(option.opts[0])
            for name in option.opts:
                spellings = (f'{name} "{value}"', f"{name}='{value}'", f'"{name}={value}"')
                for text in (
                    (name,) if option.is_flag else spellings[: 3 if name.startswith("--") else 1]
                ):
                    fields = dice[1] | ({field: value} if field else {})
                    cases.append((f"yatzy {question} {text} {dice[0]}", fields))
    assert used > POSITION.keys()
    path = tmp_path / "cases.json"
    path.write_text(json.dumps(cases))
    check(PASTED_OPTIONS, str(path))


@pytest.mark.parametrize("seed", seeds(1, 12))
def test_dice_and_corrections_in_any_order(seed: int) -> None:
    check(ANY_ORDER, str(seed))


def random_option(draw: random.Random, has_chance: bool) -> dict[str, Any]:
    """An option of Yatzy with figures that round in every way."""
    chance = lambda: draw.choice([draw.randint(0, 40) / 40, draw.random(), 1e-4, 0.9999])  # noqa: E731
    kind = draw.choice(
        [
            {"hold": draw.choice([[], [6, 6], [1, 2, 3]]), "category": None},
            {"hold": [6, 6, 6, 6, 6], "category": "sixes"},
            {"category": draw.choice(["ones", "full-house"]), "points": draw.randint(0, 8)},
        ]
    )
    ends = [["ones", chance(), 3.0], ["sixes", chance(), 18.0], ["full-house", chance(), 1.0]]
    outlook = {
        "turn_points": draw.randint(0, 80) / 4,
        "later_points": draw.choice([None, 100 + draw.randint(0, 80) / 4]),
        "bonus_chance": draw.choice([None, chance()]),
        "categories": draw.sample(ends, draw.randint(1, 3)),
    }
    value = {"expected_final_score": 200 + draw.randint(0, 40) / 4}
    return kind | value | {"outlook": outlook} | ({"chance": chance()} if has_chance else {})


def test_the_command_says_why_in_the_sentences_of_the_page(yatzy: Strategy, tmp_path: Path) -> None:
    """Of answers to random positions, and of options with random figures."""
    service, pairs = QueryService(), []
    for spec in ("yatzy", "generala"):
        for query, body in random_positions(load_rules(spec), 60, seed=3):
            if query in ("hold", "score"):
                answer = service.answer({"query": query, **body, "explain": True})
                pairs.append((spec, answer["holds" if query == "hold" else "categories"][:2]))
    draw = random.Random(5)
    for number in range(400):
        pairs.append(("yatzy", [random_option(draw, number % 2 > 0) for _ in range(2)]))
    cases = [
        {"spec": spec, "best": options[0], "other": options[1], "sentence": (found or [""])[0]}
        for spec, options in pairs
        if len(options) == 2
        for found in [why.why_sentences(load_rules(spec), *options)]
    ]
    begin = {" ".join(case["sentence"].split()[:2]) for case in cases if case["sentence"]}
    assert {"Ends in", "A sure", "The upper", "It is", "Playing for", "The difference"} < begin
    (tmp_path / "cases.json").write_text(json.dumps(cases))
    check(SAME_SENTENCES, str(tmp_path / "cases.json"))


def test_computer_players_err_as_the_policy_of_python_does(yatzy: Strategy, tmp_path: Path) -> None:
    cases = []
    for level in level_figures(yatzy.rules):
        losses = sorted([0.0, *random.Random(level["level"]).choices([0.0, 0.3, 2.5, 20.0], k=5)])
        chances = SoftPolicy(yatzy, level["temperature"]).chances(np.array(losses))
        temperature = level["temperature"]
        case = {"temperature": temperature, "losses": losses, "chances": chances.tolist()}
        cases.append(case)
    assert len(cases) == 8
    assert round(level_figures(yatzy.rules)[-1]["average"], 2) == 248.44
    (tmp_path / "cases.json").write_text(json.dumps(cases))
    check(SAME_POLICY, str(tmp_path / "cases.json"))


def test_every_test_in_javascript_is_found() -> None:
    for path in {path for path, *_ in TESTS.values()}:
        assert len(re.findall(r"(?<!\.)\btest\w*\(", path.read_text())) == sum(
            path == each for each, *_ in TESTS.values()
        )


def constant(module: str, name: str) -> str:
    """The text of a constant of a module of the page."""
    text = (STATIC / f"{module}.js").read_text()
    found = re.search(rf"\b{name} = (.+?)(?:;|,\s+[A-Z_]+ =)", text, re.DOTALL)
    assert found is not None, f"{module}.js has no {name}"
    return re.sub(r",\s*]", "]", found[1])  # JSON has no comma after the last entry


CONSTANTS = {  # on the page: in Python, where service/test_constants.py has the numbers
    "words/grades LIMITS": reviews.GRADES,
    "engine/review GRADES": reviews.GRADES,
    "store/game CLEAR_LOSS": reviews.GRADES[0][0],
    "store/game BLUNDER": reviews.GRADES[1][0],
    "table/why NOTABLE_CHANCE": why.NOTABLE_CHANCE,
    "table/why NOTABLE_BONUS": why.NOTABLE_BONUS,
    "table/why NOTABLE_POINTS": why.NOTABLE_POINTS,
    "words/grades TIE": reviews.TIE_TOLERANCE,
    "engine/review TIE_TOLERANCE": reviews.TIE_TOLERANCE,
    "engine/review MIN_EXPLAINED_LOSS": service_reviews.MIN_EXPLAINED_LOSS,
    "engine/answers EXPLAINED": service_reviews.EXPLAINED_OPTIONS,
    "store/link MAX_POINTS": score_strategy.MAX_GOAL,
    "engine/outlook PERCENTILES": service_answers.PERCENTILES,
    "engine/files SCHEMA": site_folder.SCHEMA,
    "puzzle/puzzle PUZZLES_A_DAY": puzzle.PUZZLES_A_DAY,
    "engine/worker PUZZLES_A_DAY": puzzle.PUZZLES_A_DAY,
    "puzzle/puzzle DIFFICULTIES": [*puzzle.DIFFICULTIES],
    "engine/worker DIFFICULTIES": [*puzzle.DIFFICULTIES],
    "puzzle/puzzle DAY_1970": date(1970, 1, 1).toordinal(),
    "words/levels SHARES": [*levels.SHARES],
    "puzzle/day DAY_BEFORE_FIRST": date(2025, 12, 31).toordinal(),
    "engine/worker UNIX_EPOCH": date(1970, 1, 1).toordinal(),
    "engine/game IN_FULL": turn_model.IN_FULL,
    "engine/game WITH_BONUS": turn_model.WITH_BONUS,
    "engine/game ON_FIRST_ROLL": turn_model.ON_FIRST_ROLL,
    "engine/game UNMET": turn_model.UNMET,
}


def test_python_and_the_page_have_the_same_constants() -> None:
    found = {place: json.loads(constant(*place.split()).replace("_", "")) for place in CONSTANTS}
    assert found == json.loads(json.dumps(CONSTANTS))
    assert reviews.GRADES == ((0.4, "inaccuracy"), (1.7, "mistake"))
    ways = (turn_model.IN_FULL, turn_model.WITH_BONUS, turn_model.ON_FIRST_ROLL, turn_model.UNMET)
    assert (*ways, site_folder.MAX_CATEGORIES, date(1970, 1, 1).toordinal()) == (
        1,
        2,
        4,
        8,
        30,
        719_163,
    )


ROOMS = ("words", "store", "engine", "table", "puzzle", "review", "statistics", "shell")


def imported(module: str) -> list[str]:
    """The modules that a module imports at once, each as ROOM/NAME."""
    text = (STATIC / f"{module}.js").read_text()
    paths = re.findall(r'^import (?:[^"]* from )?"(\.[\w./-]+)\.js";$', text, re.MULTILINE)
    return [posixpath.normpath(f"{posixpath.dirname(module)}/{path}") for path in paths]


def test_rooms_import_one_another_in_one_direction() -> None:
    """A room imports only from itself and from those before it; what answers questions, and the
    parts that are loaded last, are chosen when the page runs.
    """
    modules = [path.relative_to(STATIC).with_suffix("") for path in STATIC.glob("*/*.js")]
    assert {module.parts[0] for module in modules} == set(ROOMS)
    upwards = [
        (module.as_posix(), other)
        for module in modules
        for other in imported(module.as_posix())
        if ROOMS.index(other.split("/")[0]) > ROOMS.index(module.parts[0])
    ]
    assert upwards == []
