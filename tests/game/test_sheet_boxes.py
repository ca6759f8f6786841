"""Rows of a sheet that are several boxes: in rule files, as JSON, on cards, and in other languages."""

from dataclasses import replace
from pathlib import Path

import pytest
from perfect_yatzy.cli.views.rules import rules_lines
from perfect_yatzy.errors import RulesError
from perfect_yatzy.game.notation import find_category, parse_card, parse_category
from perfect_yatzy.game.rule_loader import load_rules, rules_from_json, rules_to_json
from perfect_yatzy.game.rules import Bonus, Joker, RuleSet
from perfect_yatzy.game.scoring import roll_points
from perfect_yatzy.game.translations import localized, row_of
from support.refusals import load_text, mistakes, refused

HEAD = "dice = 3\n"
FOURS = '[[categories]]\nid = "fours"\nname = "Fours"\ncode = "4"\nupper = true\npattern = "face"\nface = 4\n'
TRIO = '[[categories]]\nid = "trio"\nname = "Trio"\naliases = ["three alike"]\npattern = "groups"\ngroups = [3]\npoints = 9\n'
CHANCE = '[[categories]]\nid = "chance"\nname = "Chance"\ncode = "C"\npattern = "any"\nplus = 2\n'
COLUMNS = '[[columns]]\nid = "down"\nname = "Down"\norder = "forced"\n[[columns]]\nid = "up"\nname = "Going Up"\norder = "reversed"\nfactor = 3\n'


@pytest.fixture
def balut(tmp_path: Path) -> RuleSet:
    return load_text(tmp_path, f"{HEAD}{FOURS}times = 3\n{CHANCE}times = 2\n{TRIO}")


@pytest.fixture
def columns(tmp_path: Path) -> RuleSet:
    text = f"bonus = {{ threshold = 8, points = 5 }}\nfirst_roll_bonus = {{ trio = 4 }}\n{FOURS}{CHANCE}times = 2\n{TRIO}"
    return load_text(tmp_path, f"{HEAD}{text}{COLUMNS}")


def test_a_row_used_several_times(balut: RuleSet) -> None:
    assert [c.id for c in balut.categories] == ["fours-1", "fours-2", "fours-3", "chance-1", "chance-2", "trio"]
    names = ["Fours (1)", "Fours (2)", "Fours (3)", "Chance (1)", "Chance (2)", "Trio"]
    assert [c.name for c in balut.categories] == names
    assert [c.code for c in balut.categories] == ["4-1", "4-2", "4-3", "C-1", "C-2", ""]
    boxes = [("fours", 0, 2), ("chance", 0, 0), ("chance", 0, 1), ("", 0, 0)]
    assert [(c.row, c.column, c.copy) for c in balut.categories[2:]] == boxes


def test_columns(columns: RuleSet) -> None:
    names = ["fours", "chance-1", "chance-2", "trio"]
    assert [c.id for c in columns.categories] == [f"{name}.{column}" for column in ("down", "up") for name in names]
    assert columns.categories[5].name == "Chance (1) (Going Up)"
    assert columns.categories[3].aliases == ("three alike.down",)
    assert columns.order == "free"
    assert [(c.order, c.factor) for c in columns.columns] == [("forced", 1), ("reversed", 3)]
    assert columns.bonuses == (Bonus(8, 5), Bonus(24, 15))
    assert columns.first_roll_bonus == (("trio.down", 4), ("trio.up", 12))
    counts = [0, 0, 0, 3, 0, 0]
    assert roll_points(columns, counts) == [12, 14, 14, 9, 36, 42, 42, 27]


@pytest.mark.parametrize("fixture", ["balut", "columns"])
def test_the_row_of_a_box_and_the_boxes_as_json(fixture: str, request: pytest.FixtureRequest) -> None:
    rules: RuleSet = request.getfixturevalue(fixture)
    rows = {row_of(rules, c) for c in rules.categories}
    assert {(c.id, c.name, c.code, c.aliases, c.row) for c in rows} == {
        ("fours", "Fours", "4", (), ""), ("chance", "Chance", "C", (), ""), ("trio", "Trio", "", ("three alike",), ""),
    }  # fmt: skip
    assert len(rows) == 3
    read = rules_from_json(rules_to_json(rules))
    assert (read.fingerprint, read.categories, read.columns) == (rules.fingerprint, rules.categories, rules.columns)
    assert read.sentences() == rules.sentences()
    swedish = localized(rules, "sv")
    assert rules_from_json(rules_to_json(swedish)).categories == swedish.categories


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda boxes: boxes[1].update(copy=0), "must number the boxes of a row"),
        (lambda boxes: boxes[1].update(upper=False), "must number the boxes of a row, which are alike"),
        (lambda boxes: boxes[1].update(id="fours-3.down"), "the name 'fours-3.down' is used by two categories|is not made"),
        (lambda boxes: boxes[1].update(id="fours.down.up"), "must be an id, in a sheet with columns ROW.COLUMN"),
        (lambda boxes: boxes[1].update(column=2), "is not one of the columns"),
        (lambda boxes: boxes[1].update(row="x"), "is not made of the row"),
        (lambda boxes: boxes[1].pop("row"), "is not one of the columns"),
        (lambda boxes: boxes[3].update(requires="fours-1.up"), "another single box in the same column"),
        (lambda boxes: boxes[1].update(times=2), "is not a field here"),
    ],
)  # fmt: skip
def test_json_of_boxes_that_no_rows_make_is_rejected(tmp_path: Path, change: object, message: str) -> None:
    rules = load_text(tmp_path, f"{HEAD}{FOURS}times = 3\n{CHANCE}{COLUMNS}")
    written = rules_to_json(rules)
    assert isinstance(written, dict)
    boxes = [dict(box) for box in written["categories"]]
    change(boxes)  # type: ignore[operator]
    refused(message, rules_from_json, written | {"categories": boxes}, error=RulesError)


BOXES = {
    "balut": [
        ("fours", "fours-1"), ("FOURS-2", "fours-2"), ("fours 2", "fours-2"), ("Fours (3)", "fours-3"), ("4", "fours-1"),
        ("4-2", "fours-2"), ("fyror", "fours-1"), ("Fyror (2)", "fours-2"), ("chan", "chance-1"), ("three alike", "trio"),
    ],
    "columns": [
        ("fours.up", "fours.up"), ("fours up", "fours.up"), ("Fours (Going Up)", "fours.up"), ("4.down", "fours.down"),
        ("chance.up", "chance-1.up"), ("chance-2.up", "chance-2.up"), ("Chance (2) (Down)", "chance-2.down"),
        ("three alike.up", "trio.up"), ("Chans (2) (Going Up)", "chance-2.up"),
    ],
}  # fmt: skip


@pytest.mark.parametrize(("fixture", "text", "box"), [(name, *row) for name, rows in BOXES.items() for row in rows])
def test_names_of_boxes(fixture: str, text: str, box: str, request: pytest.FixtureRequest) -> None:
    rules: RuleSet = request.getfixturevalue(fixture)
    assert rules.categories[find_category(rules, text)].id == box
    if fixture == "columns":  # a row in several columns is not clear
        refused(r"category 'chance' is not clear: chance-1\.down, chance-1\.up", find_category, rules, "chance")
        refused(r"unknown category 'foors'; did you mean fours\.down or fours\.up\?", find_category, rules, "foors")


CARDS = ["fours=12,8", "fours=12 8", "fours-1=12 fours-2=8", "fours=12 fours=8", "4: 12; 4: 8"]


@pytest.mark.parametrize("text", [*CARDS, "Fours (1) 12, Fours (2) 8"])
def test_cards_with_repeated_boxes(balut: RuleSet, text: str) -> None:
    card = parse_card(balut, text)
    assert str(card) == "fours-1=12 fours-2=8"
    assert str(parse_card(balut, f"{text}, trio=9")) == "fours-1=12 fours-2=8 trio=9"
    assert str(parse_card(balut, f"chance=x x {text}")) == "fours-1=12 fours-2=8 chance-1=0 chance-2=0"
    assert parse_card(balut, str(card)).points == card.points
    refused("all 3 boxes of fours are filled in the card", parse_card, balut, "fours=4,4,4,4")
    refused("trio is filled twice in the card", parse_card, balut, "trio=9,9")
    assert parse_category(balut, "fours 8", {"fours-2": 8, "trio": 0}) == "fours-2"  # the next box of the row
    assert parse_category(balut, "fours-1", {"fours-2": 8}) == "fours-1"


def test_the_rules_are_shown_by_rows(columns: RuleSet, balut: RuleSet) -> None:
    facts = {"maximum": 1, "states": 1, "values": 1}
    text = "\n".join(rules_lines(columns, facts))
    assert "Three dice with 6 faces, three rolls a turn, 8 boxes in two columns" in text
    assert text.split("\n\n")[2].splitlines() == [
        "             Down                 Going Up",
        "ending       .down                .up",
        "order        in the listed order  from the last to the first",
        "points       x 1                  x 3",
        "upper bonus  5 at 8               15 at 24",
    ]
    assert text.count("all 4s: their sum") == 1
    assert "Each box has an id of its own, such as trio.up for Trio (Going Up)." in text
    assert columns.sentences()[1:] == [
        "Column Down (.down): in the listed order, upper bonus of 5 at 8",
        "Column Going Up (.up): from the last to the first, all points times 3, upper bonus of 15 at 24",
        "Trio on the first roll pays 4 or 12 bonus points",
    ]
    many = replace(columns, columns=columns.columns * 3)
    assert "Column Down (.down): in the listed order" in "\n".join(rules_lines(many, facts))
    assert "Fours (three times)" in "\n".join(rules_lines(balut, facts))


def test_fixed_points_for_each_sum_are_one_text(tmp_path: Path) -> None:
    listed = ", ".join(f"{{ sum = {total}, points = {20 - total} }}" for total in range(3, 19))
    box = '[[categories]]\nid = "min"\nname = "Min"\npattern = "any"\n'
    rules = load_text(tmp_path, f"{HEAD}{box}patterns = [ {listed} ]\n")
    assert rules.categories[0].text == "any dice, sum of all dice 3 to 18: 17 to 2 points"
    patterns = rules.categories[0].patterns
    for other in (patterns[:3], patterns[1:] + patterns[:1], (*patterns[:4], replace(patterns[4], points=1))):
        assert replace(rules.categories[0], patterns=other).text == " or ".join(p.text for p in other)


def test_the_other_rules_in_words(tmp_path: Path) -> None:
    rules = load_text(
        tmp_path,
        'bonus = [ { threshold = 4, points = 5 }, { threshold = 8, points = 9 } ]\norder = "upper-first"\n'
        'crossing_out = "only-if-nothing-scores"\n'
        f'joker = {{ category = "trio", bonus = 50, mode = "maximum", requires = "points" }}\n{HEAD}{FOURS}{TRIO}'
        f'{CHANCE}requires = "trio"\n',
    )
    assert rules.sentences() == [
        "Three dice with 6 faces, three rolls a turn, 3 categories the upper ones (*) before the others",
        "Upper bonus for the sum of the upper categories (*): 5 at 4, 9 at 8",
        "A box may be crossed out only if the roll scores in no box that may take it",
        "A further Trio pays 50 bonus points",
        "A further Trio lets any open box pay the most it can if its box holds points",
    ]
    assert rules.categories[2].text == "any dice: their sum + 2; only while trio holds points"
    assert Joker("x", 5, "none", "filled", "filled", "matching-box-open").sentences("Trio") == [
        "A further Trio pays 5 bonus points while the matching upper box is open, even if its box holds 0"
    ]
    assert rules.tracked_index == 1
    assert rules_from_json(rules_to_json(rules)).fingerprint == rules.fingerprint


OWN = 'id = "own"\nname = "Own"\n'
JOKER = 'joker = { category = "trio", bonus = 0, mode = "free" }\n'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"{HEAD}{FOURS}times = 0\n", "11: categories.fours.times: is 0; must be a whole number from 1 to 126"),
        (f"{HEAD}{FOURS}times = 100\n{CHANCE}times = 27\n", "4: categories: are 127 boxes with all columns and `times`; at most 126 are allowed"),
        (f"{HEAD}{FOURS}{CHANCE}times = 63\n{COLUMNS}", "4: categories: are 128 boxes with all columns and `times`; at most 126 are allowed"),
        (f"{HEAD}{FOURS}times = 2\n{CHANCE.replace('chance', 'fours-2')}", "13: categories.fours-2.id: the name 'fours-2' is used by two categories"),
        (f'{HEAD}{FOURS}requires = "trios"\n{TRIO}', "11: categories.fours.requires: is 'trios'; must be the id of another category"),
        (f'{HEAD}{FOURS}requires = "trio"\n{TRIO}times = 2\n', "11: categories.fours.requires: is 'trio', which is used several times; must be a single box"),
        (f'{HEAD}{FOURS}requires = "trio"\n{TRIO}{COLUMNS}', "11: categories.fours.requires: cannot be combined with several columns"),
        (f'{HEAD}{FOURS}requires = "trio"\n{TRIO}requires = "chance"\n{CHANCE}', "4: categories: only of one box it can matter whether it holds points (`requires`, jokers), not of chance and trio"),
        (f'{HEAD}{JOKER.replace("0", "5")}{FOURS}requires = "chance"\n{TRIO}{CHANCE}', "5: categories: only of one box it can matter whether it holds points (`requires`, jokers), not of chance and trio"),
        (f"{HEAD}{JOKER}{FOURS}{TRIO}times = 2\n", "4: joker.category: is 'trio', which is used several times; must be a single box"),
        (f"{HEAD}{JOKER}{FOURS}{TRIO}{COLUMNS}", "4: joker: cannot be combined with columns"),
        (f"{HEAD}{JOKER}{FOURS}times = 2\n{TRIO}", "4: joker: needs at most one upper box for each face: a joker asks for the matching one"),
        (f"{HEAD}{JOKER.replace('free', 'most')}{TRIO}", "4: joker.mode: is 'most'; must be one of none, free, forced, maximum"),
        (f"{HEAD}bonus = []\n{FOURS}", "4: bonus: must be a table, or a list of at most 10 tables"),
        (f"{HEAD}bonus = [{{ threshold = 5, points = 2 }}, {{ threshold = 5, points = 3 }}]\n{FOURS}", "4: bonus[2].threshold: is 5; must be more than the 5 of the step before"),
        (f"{HEAD}bonus = [{{ threshold = 5, points = 2 }}, {{ threshold = 6, points = 1 }}]\n{FOURS}", "4: bonus[2].points: is 1; must be more than the 2 of the step before"),
        (f"{HEAD}bonus = [{{ points = 2 }}, {{ threshold = 6, points = 3 }}]\n{FOURS}", "4: bonus[1].threshold: is missing; must be a whole number from 1 to 2000"),
        (f"{HEAD}{TRIO}{COLUMNS}[[columns]]\nid = 'up'\nname = 'X'\n", "21: columns[3].id: has the id or the name of the column 'up'"),
        (f"{HEAD}{TRIO}{COLUMNS}oder = 3\n", "20: columns[2].oder: is not a field here; did you mean order?"),
        (f"{HEAD}{TRIO.replace('= 9', '= 9000')}{COLUMNS}", "19: columns[2].factor: is too high: trio.up has the factor 3 and pays up to 27,000 points"),
        (f"{HEAD}first_roll_bonus = {{ trio = 5000 }}\n{TRIO}{COLUMNS}", "4: first_roll_bonus.trio: is 5000; must be a whole number from 1 to 3333"),
        (f"{HEAD}columns = 3\n{TRIO}", "4: columns: must be [[columns]] tables"),
        (f"{HEAD}{TRIO}" + "".join(f"[[columns]]\nid = 'c{i}'\nname = 'c{i}'\n" for i in range(13)), "11: columns: has 13 entries; at most 12"),
        (f"{HEAD}bonus = {{ threshold = 2000, points = 1 }}\n{FOURS}" + "".join(f"[[columns]]\nid = 'c{i}'\nname = 'c{i}'\n" for i in range(6)), "12: columns: have too many upper sums; leave out columns, or lower the thresholds"),
        (f"{HEAD}{TRIO}row = 'trio'\ncopy = 0\n", "11: categories.trio.row: is not a field here; allowed: "),
    ],
)  # fmt: skip
def test_mistakes_in_sheets(tmp_path: Path, text: str, expected: str) -> None:
    found = mistakes(tmp_path, OWN + text)
    assert any(mistake.startswith(expected) for mistake in found), found
    assert len(found) <= 2


def test_a_club_sheet_of_forty_boxes() -> None:
    """A file of one's own with most mechanics, far too large for an exact solve: other tests play it."""
    file = Path(__file__).parents[1] / "data" / "club-sheet.toml"
    rules = load_rules(file)
    assert (len(rules.categories), rules.dice) == (40, 6)
    assert rules.categories[rules.tracked_index].id == "yatzy"
    assert {switch.id for switch in rules.switches} == {"full-straight-30", "strict"}
    assert load_rules(f"{file}+strict").crossing_out == "only-if-nothing-scores"
    assert rules_from_json(rules_to_json(rules)).fingerprint == rules.fingerprint
    assert str(parse_card(rules, "chance=20,22 run-of-four=25 double-pairs=44")) == (
        "double-pairs=44 run-of-four-1=25 chance-1=20 chance-2=22"
    )
