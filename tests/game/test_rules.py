"""Rule files: loading, extending others, messages about mistakes, the fingerprint, scoring, rows
of several boxes.
"""

import contextlib
import json
from dataclasses import replace
from itertools import combinations, combinations_with_replacement
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, reject
from hypothesis import strategies as st
from perfect_yatzy.cli.views.rules_text import rules_lines
from perfect_yatzy.core.rules import Bonus, Joker, RuleSet
from perfect_yatzy.core.scoring import possible_points, roll_points
from perfect_yatzy.core.state_space import MAX_FREE_CATEGORIES, MAX_FREE_UPPER
from perfect_yatzy.errors import RulesError
from perfect_yatzy.game import rule_fields
from perfect_yatzy.game.limits import MAX_CATEGORIES, MAX_COLUMNS, MAX_EXTENDS, MAX_RULES_DEPTH
from perfect_yatzy.game.notation import find_category, parse_card, parse_category
from perfect_yatzy.game.rule_fields import (
    MAX_DICE,
    MAX_FACES,
    MAX_FACTOR,
    MAX_POINTS,
    MAX_ROLLS,
    locate,
)
from perfect_yatzy.game.rule_loader import (
    RuleFileError,
    _values,
    builtin_ids,
    load_rules,
    rules_from_json,
    rules_to_json,
)
from perfect_yatzy.game.rule_patches import SWITCH_WORDS, apply_patch
from perfect_yatzy.game.rule_remarks import remarks
from perfect_yatzy.game.rule_schema import MAX_BOX_POINTS, RuleChecker
from perfect_yatzy.game.rule_sentences import joker_sentences, rule_sentences
from perfect_yatzy.game.translations import localized, row_of, toml_text
from perfect_yatzy.tablebase.estimates import rule_set_stats
from support import games
from support.refusals import load_text, mistakes, refused

GOOD = """\
id = "two-dice"
name = "Two Dice"
dice = 2
rolls = 2

[[categories]]
id = "pair"
name = "Pair"
pattern = "groups"
groups = [2]

[[categories]]
id = "chance"
name = "Chance"
pattern = "any"
"""


def test_the_reference_names_every_field_and_limit() -> None:
    text = Path(rule_fields.__file__).with_name("README.md").read_text(encoding="utf-8")
    tables = [table for name, table in vars(rule_fields).items() if name.endswith("FIELDS")]
    fields = {field for table in tables for field in table}
    assert len(fields) > 40
    assert [field for field in sorted(fields) if f"| `{field}` |" not in text] == []
    for field, low, high in (
        ("dice", 1, MAX_DICE),
        ("faces", 2, MAX_FACES),
        ("rolls", 1, MAX_ROLLS),
        ("points", 1, MAX_POINTS),
        ("bonus", 0, MAX_POINTS),
        ("plus", 0, MAX_POINTS),
        ("factor", 1, MAX_FACTOR),
    ):
        assert f"| `{field}` | {low} to {high:,} |" in text
    assert f"A box pays at most {MAX_BOX_POINTS:,} points." in text
    assert f"1 to {MAX_CATEGORIES} categories" in text
    assert f"at most {MAX_COLUMNS}; see [Columns]" in text
    assert f"up to {MAX_EXTENDS} files" in text
    assert f"at most {MAX_FREE_CATEGORIES} categories\nand {MAX_FREE_UPPER} upper boxes" in text


def test_every_built_in_rule_set_loads_with_each_switch_and_without_a_remark() -> None:
    for name in builtin_ids():
        rules = load_rules(name)
        assert (rules.id, remarks(rules)) == (name, [])
        for switch in rules.switches:
            variant = load_rules(f"{name}+{switch.id}")
            assert variant.fingerprint != rules.fingerprint
            assert variant.key == f"{name}+{switch.id}"


@pytest.mark.parametrize("name", builtin_ids())
def test_the_rule_files_of_the_package_are_valid(name: str, tmp_path: Path) -> None:
    """They are not checked when they are loaded, but as files of a user they are: with each switch
    and each pair, without a problem and as the same rules.
    """
    copy = tmp_path / f"{name}.toml"
    copy.write_text(toml_text("rulesets", name), encoding="utf-8")
    switches = load_rules(name).switches
    pairs = [
        f"+{first.id}+{second.id}"
        for first, second in combinations(switches, 2)
        if second.id not in first.excludes
    ]
    for active in ["", *(f"+{switch.id}" for switch in switches), *pairs]:
        checked, built_in = load_rules(f"{copy}{active}"), load_rules(f"{name}{active}")
        assert (checked, checked.published) == (built_in, built_in.published)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("dice = 2", "dice = 13", "3: dice: is 13; must be a whole number from 1 to 12"),
        ("dice = 2", "dcie = 2", "3: dcie: is not a field here; did you mean dice?"),
        ("rolls = 2", "rolls = true", "4: rolls: is true; must be a whole number from 1 to 10"),
        (
            "rolls = 2",
            'order = "fixed"',
            "4: order: is 'fixed'; must be one of free, forced, reversed, upper-first",
        ),
        (
            "groups = [2]",
            "groups = [2, 1]",
            "10: categories.pair.groups: needs 3 dice; the rules have 2",
        ),
        (
            "groups = [2]",
            "groups = []",
            "10: categories.pair.groups: is []; must be a list of 1 to 2 whole numbers from 1 to 2",
        ),
        (
            "groups = [2]",
            "",
            "6: categories.pair.groups: is missing; must be a list of 1 to 2 whole numbers from 1 to 2",
        ),
        (
            "groups = [2]",
            "groups = [2]\nface = 1",
            "11: categories.pair.face: does not belong to the pattern 'groups'",
        ),
        (
            'id = "chance"',
            'id = "pair"',
            "13: categories[2].id: the name 'pair' is used by two categories",
        ),
        (
            'id = "chance"',
            'id = "A B"',
            "13: categories.A B.id: is 'A B'; must be lower-case letters, digits and single hyphens",
        ),
        (
            'pattern = "any"',
            'pattern = "all"',
            "15: categories.chance.pattern: is 'all'; must be one of any, face, groups, contains",
        ),
        (
            'pattern = "any"',
            'pattern = "any"\npoints = 0',
            "16: categories.chance.points: is 0; must be a whole number from 1 to 10000",
        ),
        (
            'pattern = "any"',
            'pattern = "any"\nsum = 7\nat_most = 9',
            "17: categories.chance.at_most: does not go with `sum`; leave one of the two out",
        ),
        (
            'pattern = "any"',
            'pattern = "any"\nat_least = 8\nat_most = 7',
            "16: categories.chance.at_least: is 8, more than at_most 7",
        ),
        (
            'pattern = "any"',
            'pattern = "any"\nonly = "evn"',
            '16: categories.chance.only: is \'evn\'; must be "even", "odd" or a list of faces',
        ),
        (
            'pattern = "any"',
            'pattern = "any"\nonly = [1, 7]',
            "16: categories.chance.only: is [1, 7]; must be a list of 1 to 6 whole numbers from 1 to 6",
        ),
        (
            'pattern = "any"',
            'pattern = "any"\npoints = 9000\nfactor = 3',
            "17: categories.chance.factor: pays up to 27,000 points; at most 20,000 are allowed",
        ),
        (
            "rolls = 2",
            "bonus = { threshold = 5, points = 3 }",
            "4: bonus: needs at least one category with `upper = true`",
        ),
        (
            "rolls = 2",
            'joker = { category = "trio", bonus = 1, mode = "free" }',
            "4: joker.category: is 'trio'; must be the id of a category",
        ),
        (
            "groups = [2]",
            'groups = [2]\n[joker]\ncategory = "pair"\nbonus = 1\nmode = "free"\n'
            + 2
            * '[[categories]]\nid = "a"\nname = "A"\nupper = true\npattern = "face"\nface = 1\n',
            "11: joker: needs at most one upper box for each face: a joker asks for the matching one",
        ),
        (
            "rolls = 2",
            "first_roll_bonus = { trio = 1 }",
            "4: first_roll_bonus.trio: is not the id of a category",
        ),
        (
            "rolls = 2",
            'extends = "nothing"',
            "4: extends: is 'nothing'; must be the id of a built-in rule set, see `yatzy rules list`, or a .toml file",
        ),
    ],
)
def test_mistakes_are_reported_with_line_and_field(
    tmp_path: Path, old: str, new: str, expected: str
) -> None:
    assert expected in mistakes(tmp_path, GOOD.replace(old, new, 1))


START = 'id = "a"\nname = "A"\nextends = "yatzy"\n'
SHEET = 'would replace the whole score sheet; write [categories.ID] to change or add a category, and remove = ["ID"] to remove one'
REMOVAL = 'must be a table; to remove the category write remove = ["chance"]'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            f"{START}[categories.ones]\nface = 9\n",
            ["5: categories.ones.face: is 9; must be a whole number from 1 to 6"],
        ),
        (
            f"{START}[categories.full-hose]\ndistinct = false\n",
            ["4: categories.full-hose: unknown category; did you mean full-house?"],
        ),
        (
            f"{START}[categories.qqqq]\ndistinct = false\n",
            ["4: categories.qqqq: unknown category; a new one needs a name and a pattern"],
        ),
        (
            f"{START}[categories.ones]\nname = 1\n[categories.twos]\nname = 2\n",
            [
                "5: categories.ones.name: is 1; must be text in quotes",
                "7: categories.twos.name: is 2; must be text in quotes",
            ],
        ),
        (
            f'{START}[categories.ones]\nscore = "fixd"\npoints = 3\n',
            ["5: categories.ones.score: is 'fixd'; must be one of matched, sum, fixed"],
        ),
        (
            f"{START.replace('yatzy', 'yatsy')}dcie = 3\n",
            [
                "3: extends: is 'yatsy'; did you mean yatzy?",
                "4: dcie: is not a field here; did you mean dice?",
            ],
        ),
        (
            f"{START.replace('yatzy', '???')}rolls = 0\n[categories.box]\nplus = 1\n",
            [
                "3: extends: is '???'; must be the id of a built-in rule set, see `yatzy rules list`, or a .toml file",
                "4: rolls: is 0; must be a whole number from 1 to 10",
            ],
        ),
        (
            'id = "a"\nname = "A"\ndice = 2\nbonus = { threshold = 3, points = 1 }\njoker = { category = "b", bonus = 1, mode = "free" }\n',
            ["0: categories: must be [[categories]] tables, at least one"],
        ),
        (
            f"{START}saved_rolls = maybe\n",
            [
                "4: : Invalid value; a value is a number, true, false, text in quotes, a list [...] or a table {...}"
            ],
        ),
        (
            f'{START}[categories.x]\nname = "a"\n[[categories]]\nname = "b"\n',
            [
                "6: : Cannot overwrite a value; it is given twice, or [categories.NAME] and [[categories]] are mixed"
            ],
        ),
        (
            f'{START}[[categories]]\nid = "x"\nname = "X"\npattern = "any"\n',
            [f"4: categories: {SHEET}"],
        ),
        (f"{START}[categories]\nchance = false\n", [f"5: categories.chance: {REMOVAL}"]),
        (
            f"{START}[categories]\nchance = 3\n",
            ["5: categories.chance: must be a table; write [categories.ID]"],
        ),
        (
            f'{START}[switches.s]\nsummary = "s"\ncategories = [{{ id = "x", name = "X", pattern = "any" }}]\n',
            [f"6: switches.s.categories: {SHEET}"],
        ),
        (
            f'{START}[switches.s]\nsummary = "s"\n[switches.s.categories]\nchance = false\n',
            [f"7: switches.s.categories.chance: {REMOVAL}"],
        ),
    ],
)
def test_mistakes_are_reported_without_their_consequences(
    tmp_path: Path, text: str, expected: list[str]
) -> None:
    assert mistakes(tmp_path, text) == expected


DEEP = f"is nested deeper than {MAX_RULES_DEPTH} levels"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"{GOOD}x = {'[' * 600}{']' * 600}\n", f"16: : {DEEP}"),
        (f"{GOOD}x = {'{a = ' * 600}1{'}' * 600}\n", f"16: : {DEEP}"),
        (f"a{'.a' * 600} = 1\n{GOOD}", f"1: : {DEEP}"),
        (f"{GOOD}[a{'.a' * 600}]\n", f"16: : {DEEP}"),
        (f"x = {'9' * 5_000}\n{GOOD}", "0: : contains a number with too many digits"),
        (f"x = 0x{'f' * 9_000}\n{GOOD}", "1: x: is not a field here; allowed: "),
        (
            f"dice = 0x{'f' * 9_000}\n",
            "1: dice: is a number of about 10,837 digits; must be a whole number from 1 to 12",
        ),
    ],
)
def test_rule_files_beyond_the_limits_are_rejected(
    tmp_path: Path, text: str, expected: str
) -> None:
    assert any(problem.startswith(expected) for problem in mistakes(tmp_path, text))


def test_brackets_in_strings_and_comments_are_not_nesting(tmp_path: Path) -> None:
    many = "[{.=" * 30
    for text in (
        f'"{many}\\""',
        f"'{many}'",
        f'"""{many}\n""{many}"""',
        f"'''{many}\n'''",
        f"'' # {many}",
    ):
        assert load_text(tmp_path, f"summary = {text}\n{GOOD}", "").id == "two-dice"


@given(st.data())
def test_a_mutated_file_loads_or_is_rejected(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    patch = f"{START}[categories.chance]\nplus = 3\n[switches.a]\nsummary = 's'\nrolls = 2\n"
    text = data.draw(st.sampled_from([GOOD, patch]))
    pieces = [
        "[",
        "]",
        "[[",
        "]]",
        "{",
        "}",
        "=",
        ".",
        "'",
        '"',
        '"""',
        "#",
        "\n",
        "false",
        "categories",
        "1" * 30,
        "-",
        "\\",
        "\0",
        "é",
    ]
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(text)))
        added = data.draw(st.sampled_from(pieces)) * data.draw(st.sampled_from([0, 1, 2, 40]))
        text = text[:place] + added + text[place + data.draw(st.integers(0, 12)) :]
    with contextlib.suppress(RulesError):
        assert isinstance(load_text(tmp_path_factory.getbasetemp(), text, ""), RuleSet)


def test_switches_may_come_in_any_order_and_case(tmp_path: Path) -> None:
    one = load_rules("yatzy+four-is-two-pairs+five-is-full-house")
    other = load_rules("YATZY+Five-is-full-house+four-is-two-pairs")
    assert one == other
    assert (
        one.key
        == other.key
        == one.spec
        == other.spec
        == "yatzy+five-is-full-house+four-is-two-pairs"
    )
    assert one.origin == "yatzy"
    file = tmp_path / "own.toml"
    assert load_text(
        tmp_path, f'{START}[switches.more]\nsummary = "s"\nrolls = 0\n', ""
    ).origin == str(file)
    refused(r"own\.toml:6: rolls: is 0", load_rules, f"{file}+more", error=RuleFileError)
    file.write_text(f"{START}switches = {{ foo = 3 }}\n")
    refused(
        r"own\.toml:4: switches\.foo: must be a table",
        load_rules,
        f"{file}+foo",
        error=RuleFileError,
    )


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        *(
            (spec, ".")
            for spec in (
                "\0",
                "\0.toml",
                "\ud800",
                "\ud800.toml",
                "yatzy+\0",
                "x" * 5000 + ".toml",
                "",
                "+",
                ".toml",
            )
        ),
        ("yatsy", "did you mean yatzy"),
        ("yatzy+five-is-full-house+five-is-full-house", "twice"),
        ("yatzy+nothing", "has no switch 'nothing'; its switches: five-is-full-house"),
        ("nowhere.toml", r"cannot read the rule file nowhere\.toml: No such file"),
    ],
    ids=lambda text: ascii(text)[:20],
)
def test_names_of_no_rules_are_refused_in_a_line(spec: str, message: str) -> None:
    refused(message, load_rules, spec, error=RulesError)


def test_printed_names_lead_to_the_id_of_the_rules() -> None:
    """With spaces or hyphens, in another order of the words, and in another language."""
    for name in builtin_ids():
        words = load_rules(name).name.lower().split()
        for spec in {
            " ".join(words),
            "-".join(words),
            " ".join(words[::-1]),
            "-".join(words[::-1]),
        }:
            if spec not in builtin_ids():
                refused(f"did you mean {name}?", load_rules, spec, error=RulesError)
            else:
                assert load_rules(spec).id == name
    for spec, name in (("Maxi Yatzi", "maxi"), ("Tvångsyatzy", "yatzy-forced")):
        refused(f"did you mean {name}?", load_rules, spec, error=RulesError)
    refused("see `yatzy rules list`", load_rules, "olls-left", error=RulesError)


COLUMNS = "".join(f"[[columns]]\nid = 'c{i}'\nname = 'C{i}'\nfactor = {i}\n" for i in (1, 2))
OUT_OF_REACH = "the bonus is out of reach: the upper boxes give "


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            START.replace('"a"', '"yatzy"') + "bonus = { threshold = 500, points = 1 }\n",
            [
                f"{OUT_OF_REACH}105, not 500",
                "the id 'yatzy' is that of a built-in rule set with other rules: choose another",
            ],
        ),
        (
            f"{START}[categories.yatzy]\nplus = 50\n",
            [
                "yatzy pays its fixed 50 points and 50 more (plus); for the sum of the dice and 50, add `points = false`"
            ],
        ),
        (
            f"{START}[categories.yatzy]\nonly = 'even'\nsum = 15\n",
            [
                "yatzy never scores: no roll is '5 equal, only even faces, sum of all dice 15: 50 points'"
            ],
        ),
        (
            f"{START}bonus = {{ threshold = 106, points = 1 }}\n{COLUMNS}",
            [f"{OUT_OF_REACH}105, not 106", f"{OUT_OF_REACH}210, not 212"],
        ),
    ],
)
def test_valid_rules_that_are_probably_a_mistake_get_a_remark(
    tmp_path: Path, text: str, expected: list[str]
) -> None:
    assert remarks(load_text(tmp_path, text, "")) == expected


@pytest.mark.parametrize(("order", "boxes"), [("free", 13), ("forced", 18), ("forced", 62)])
def test_many_upper_boxes_are_checked_quickly(tmp_path: Path, order: str, boxes: int) -> None:
    box = '[[categories]]\nid = "u{0}"\nname = "U{0}"\nupper = true\npattern = "face"\nface = 1\n'
    head = f'dice = 2\norder = "{order}"\nbonus = {{ threshold = 30, points = 5 }}\n'
    rules = load_text(tmp_path, head + "".join(map(box.format, range(boxes))))
    if order == "free":
        refused("13 upper boxes in free order", rule_set_stats, rules, error=RulesError)
    else:
        assert rule_set_stats(rules).maximum == 2 * boxes + 5


def test_all_mistakes_are_reported_together_and_those_of_toml_with_their_line(
    tmp_path: Path,
) -> None:
    assert (
        len(
            mistakes(
                tmp_path, GOOD.replace("dice = 2", "dice = 0").replace("rolls = 2", "rolls = 0")
            )
        )
        >= 2
    )
    assert mistakes(tmp_path, "id = 'x'\nname = \n")[0].startswith("2: : ")
    text = "".join(f"key{i} = 1\n" for i in range(115)) + GOOD
    with pytest.raises(RuleFileError, match=r"\n\.\.\. and 95 more$"):
        load_text(tmp_path, text, "")


@given(games.rule_sets())
def test_random_rules_as_json_and_back_and_their_fingerprint(rules: RuleSet) -> None:
    """It covers rules, but not names."""
    assert replace(rules, rolls_per_turn=rules.rolls_per_turn + 1).fingerprint != rules.fingerprint
    assert replace(rules, name="Jatsi", summary="").fingerprint == rules.fingerprint
    assert (
        RuleSet(**{f: getattr(rules, f) for f in rules.__dataclass_fields__}).fingerprint
        == rules.fingerprint
    )
    try:
        read = rules_from_json(json.loads(json.dumps(rules_to_json(rules))))
    except RulesError:
        reject()  # two boxes that are tracked, or two upper boxes that match a joker
    assert read.fingerprint == rules.fingerprint
    first, second = (
        [(c.name, c.code, c.aliases) for c in each.categories] for each in (read, rules)
    )
    assert first == second


def points(rules: RuleSet, category: str, dice: str) -> int:
    return roll_points(rules, [dice.count(face) for face in "123456"])[rules.index_of[category]]


@pytest.mark.parametrize(
    ("fields", "dice", "paid", "text"),
    [
        ("sum = 13\npoints = 26", "166", 26, "any dice, sum of all dice 13: 26 points"),
        ("sum = 13\npoints = 26", "266", 0, "any dice, sum of all dice 13: 26 points"),
        (
            'pattern = "groups"\ngroups = [2]\nsum = 13\npoints = 50',
            "355",
            50,
            "2 equal, sum of all dice 13: 50 points",
        ),
        (
            'pattern = "groups"\ngroups = [2]\nsum = 13\npoints = 50',
            "346",
            0,
            "2 equal, sum of all dice 13: 50 points",
        ),
        (
            "at_least = 5\nat_most = 7",
            "115",
            7,
            "any dice, sum at least 5 and at most 7: their sum",
        ),
        (
            "at_least = 5\nat_most = 7",
            "116",
            0,
            "any dice, sum at least 5 and at most 7: their sum",
        ),
        ('only = "even"\nplus = 4', "246", 16, "any dice, only even faces: their sum + 4"),
        ('only = "odd"\nplus = 4', "246", 0, "any dice, only odd faces: their sum + 4"),
        (
            "only = [6, 1]\nfactor = 3\nplus = 1",
            "116",
            25,
            "any dice, only 1s and 6s: 3 times their sum + 1",
        ),
        ("points = 10\nfactor = 3\nplus = 5", "111", 35, "any dice: 35 points"),
        ("best = 2", "146", 10, "any dice, by the best 2 of the dice: their sum"),
        (
            'pattern = "face"\nface = 4\nbest = 2',
            "444",
            8,
            "all 4s, by the best 2 of the dice: their sum",
        ),
        (
            "sum = 5\npoints = 9\nbest = 2",
            "146",
            9,
            "any dice, sum of all dice 5, by the best 2 of the dice: 9 points",
        ),
        ("best = 3", "146", 11, "any dice: their sum"),
        (
            'factor = 2\npattern = "face"\nface = 6\nscore = "sum"',
            "146",
            22,
            "all 6s: 2 times the sum of all dice",
        ),
    ],
)
def test_conditions_and_factors(
    tmp_path: Path, fields: str, dice: str, paid: int, text: str
) -> None:
    pattern = "" if "pattern" in fields else 'pattern = "any"\n'
    rules = load_text(
        tmp_path, f'dice = 3\n[[categories]]\nid = "x"\nname = "X"\n{pattern}{fields}\n'
    )
    assert (points(rules, "x", dice), rules.categories[0].text) == (paid, text)


def test_possible_points_and_lines_of_a_file() -> None:
    rules = load_rules("yatzy")
    found = dict(zip(rules.index_of, possible_points(rules), strict=True))
    expected = {"sixes": (0, 6, 12, 18, 24, 30), "small-straight": (0, 15), "yatzy": (0, 50)}
    assert {name: found[name] for name in expected} == expected
    assert locate(GOOD, ("categories", 1, "pattern")) == 15
    assert locate(GOOD, ("categories", 1, "points")) == 12
    assert locate(GOOD, ("rolls",)) == 4


YATZY = [c.id for c in load_rules("yatzy").categories]
LUCK = 'name = "Luck"\npattern = "any"\nplus = 1\n'


def ids(rules: RuleSet) -> list[str]:
    return [category.id for category in rules.categories]


def problems(folder: Path, text: str, switches: str = "") -> list[str]:
    with pytest.raises(RuleFileError) as caught:
        load_text(folder, text, "", switches)
    return [f"{Path(p.file).name}:{p.line}: {p.field}: {p.message}" for p in caught.value.problems]


def test_categories_are_removed_with_what_was_said_about_them_or_replaced(tmp_path: Path) -> None:
    rules = load_text(tmp_path, f'{START}remove = ["chance", "two-pairs"]\n', "")
    assert ids(rules) == [name for name in YATZY if name not in ("chance", "two-pairs")]
    assert rules_from_json(rules_to_json(rules)).fingerprint == rules.fingerprint
    about = {"five-is-full-house", "four-is-two-pairs"}
    assert about & {switch.id for switch in rules.switches} == {"five-is-full-house"}
    assert (
        load_rules(f"{tmp_path / 'own.toml'}+five-is-full-house").fingerprint != rules.fingerprint
    )
    rules = load_text(tmp_path, f'{START.replace("yatzy", "generala")}remove = ["straight"]\n', "")
    bonus = dict(load_rules("generala").first_roll_bonus)
    assert dict(rules.first_roll_bonus) == {c: p for c, p in bonus.items() if c != "straight"}
    rules = load_text(
        tmp_path, f'{START}remove = ["two-pairs"]\n[categories.two-pairs]\n{LUCK}', ""
    )
    assert ids(rules) == YATZY
    assert (rules.categories[7].text, rules.categories[7].aliases) == (
        "any dice: their sum + 1",
        (),
    )
    text = f'{START}[switches.short]\nsummary = "s"\nremove = ["chance", "ones"]\n[switches.short.categories.ones]\n{LUCK}'
    assert ids(load_text(tmp_path, text, "")) == YATZY
    rules = load_text(tmp_path, text, "", "+short")
    assert ids(rules) == [name for name in YATZY if name != "chance"]
    assert not rules.categories[0].upper


@pytest.mark.parametrize(
    ("tables", "expected"),
    [
        (f"[categories.luck]\n{LUCK}", [*YATZY, "luck"]),
        (f'[categories.luck]\n{LUCK}before = "ones"\n', ["luck", *YATZY]),
        (f'[categories.luck]\n{LUCK}after = "yatzy"\n', [*YATZY, "luck"]),
        (f'[categories.luck]\n{LUCK}after = "sixes"\n', [*YATZY[:6], "luck", *YATZY[6:]]),
        ('[categories.yatzy]\nbefore = "ones"\n', ["yatzy", *YATZY[:-1]]),
        ('[categories.ones]\nafter = "twos"\n', ["twos", "ones", *YATZY[2:]]),
        ('[categories.ones]\nafter = "twos"\n[categories.twos]\nafter = "ones"\n', YATZY),
        (
            f'[categories.luck]\n{LUCK}after = "ones"\n[categories.luck-2]\n{LUCK.replace("Luck", "L2")}after = "luck"\n',
            ["ones", "luck", "luck-2", *YATZY[1:]],
        ),
        ('[categories.ones]\nid = "aces"\nafter = "twos"\n', ["twos", "aces", *YATZY[2:]]),
    ],
)
def test_categories_are_placed(tmp_path: Path, tables: str, expected: list[str]) -> None:
    assert ids(load_text(tmp_path, START + tables, "")) == expected
    switch = tables.replace("[categories.", "[switches.s.categories.")
    assert (
        ids(load_text(tmp_path, f'{START}[switches.s]\nsummary = "s"\n{switch}', "", "+s"))
        == expected
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            f"{START}remove = 'chance'\n",
            ["own.toml:4: remove: must be a list of category ids in quotes"],
        ),
        (
            f"{START}remove = [1]\n",
            ["own.toml:4: remove: must be a list of category ids in quotes"],
        ),
        (
            f"{START}remove = ['chanse']\n",
            ["own.toml:4: remove: 'chanse' is not in the rules before; did you mean chance?"],
        ),
        (
            f"{START}remove = ['%']\n",
            ["own.toml:4: remove: '%' is not in the rules before; must be the id of a category"],
        ),
        (
            f"{START}remove = ['ones', 'twos', 'threes', 'fours', 'fives', 'sixes']\n",
            ["own.toml:0: bonus: needs at least one category with `upper = true`"],
        ),
        (
            f"{START}[categories.ones]\nafter = 'ones'\n",
            ["own.toml:5: categories.ones.after: is 'ones'; must be the id of another category"],
        ),
        (
            f"{START}[categories.ones]\nid = false\nafter = 'twos'\n",
            ["own.toml:0: categories[2].id: is missing; must be text in quotes"],
        ),
        (
            f"{START}[categories.luck]\n{LUCK}id = false\nafter = 'twos'\n",
            ["own.toml:0: categories[3].id: is false; must be text in quotes"],
        ),
        (
            f"{START}[categories.ones]\nbefore = 'towns'\n",
            ["own.toml:5: categories.ones.before: is 'towns'; did you mean twos?"],
        ),
        (
            f"{START}[categories.ones]\nbefore = 3\n",
            ["own.toml:5: categories.ones.before: is 3; must be the id of another category"],
        ),
        (
            f"{START}[categories.ones]\nbefore = 'sixes'\nafter = 'twos'\n",
            [
                "own.toml:5: categories.ones.before: does not go with `after`; leave one of the two out"
            ],
        ),
        (
            'id = "a"\nname = "A"\ndice = 2\nremove = ["x"]\n[[categories]]\nid = "x"\nname = "X"\npattern = "any"\n',
            ["own.toml:4: remove: belongs to a file that extends rules, or to a switch"],
        ),
        (
            'id = "a"\nname = "A"\ndice = 2\n[[categories]]\nid = "x"\nname = "X"\npattern = "any"\nafter = "x"\n',
            [
                "own.toml:8: categories.x.after: belongs to a file that extends rules, or to a switch"
            ],
        ),
        (
            f'{START.replace("yatzy", "yahtzee")}remove = ["yahtzee"]\n',
            ["own.toml:0: joker.category: is 'yahtzee'; must be the id of a category"],
        ),
        (
            f"{START}remove = ['ones']\n[switches.s]\nsummary = 's'\nremove = ['ones']\n",
            [
                "own.toml:7: switches.s.remove: 'ones' is not in the rules before; must be the id of a category"
            ],
        ),
        (
            f"{START}[switches.s]\nsummary = 's'\n[switches.s.categories.ones]\nafter = 'x'\n",
            [
                "own.toml:7: switches.s.categories.ones.after: is 'x'; must be the id of another category"
            ],
        ),
    ],
)
def test_mistakes_in_patches_and_switches(tmp_path: Path, text: str, expected: list[str]) -> None:
    assert problems(tmp_path, text, "+s" if "[switches.s]" in text else "") == expected


def test_a_file_extends_a_file(tmp_path: Path) -> None:
    (tmp_path / "club").mkdir()
    (tmp_path / "club" / "base.toml").write_bytes(
        b"\xef\xbb\xbf"
        + f'{START}remove = ["chance"]\n[switches.short]\nsummary = "s"\nrolls = 2\n'.encode()
    )
    text = 'id = "b"\nname = "B"\nextends = "club/base.toml"\nfaces = 6\n[categories.ones]\nname = "Aces"\n'
    rules = load_text(tmp_path, text, "")
    assert (rules.id, rules.name, rules.categories[0].name) == ("b", "B", "Aces")
    assert "chance" not in ids(rules)
    assert load_text(tmp_path, text, "", "+short+five-is-full-house").rolls_per_turn == 2
    (tmp_path / "club" / "c.toml").write_text(
        'id = "c"\nname = "C"\nextends = "../own.toml"\nrolls = 1\n'
    )
    assert load_rules(tmp_path / "club" / "c.toml").categories[0].name == "Aces"


def test_mistakes_in_an_extended_file_are_reported_there(tmp_path: Path) -> None:
    text = 'id = "b"\nname = "B"\nextends = "base.toml"\n'
    assert problems(tmp_path, text) == [
        f"own.toml:3: extends: is 'base.toml': cannot read the rule file {tmp_path / 'base.toml'}: No such file or directory"
    ]
    base = tmp_path / "base.toml"
    base.write_text(f"{START}[categories.ones]\nface = 9\n")
    assert problems(tmp_path, text) == [
        "base.toml:5: categories.ones.face: is 9; must be a whole number from 1 to 6"
    ]
    base.write_text("id = \n")
    assert problems(tmp_path, text)[0].startswith("base.toml:1: : ")
    base.write_text("# " + 70_000 * "x")
    assert problems(tmp_path, text)[0].startswith(
        "own.toml:3: extends: is 'base.toml': the rule file "
    )
    base.write_bytes(b"\xff")
    assert problems(tmp_path, text)[0].endswith("base.toml is not UTF-8 text")


def test_files_that_extend_each_other_and_rules_as_json_that_extend_nothing(tmp_path: Path) -> None:
    text = 'id = "b"\nname = "B"\nextends = "{}"\nrolls = 0\n[categories.ones]\nface = 9\n'
    assert problems(tmp_path, text.format("own.toml")) == [
        "own.toml:3: extends: extends itself",
        "own.toml:4: rolls: is 0; must be a whole number from 1 to 10",
    ]
    (tmp_path / "base.toml").write_text(text.format("./own.toml"))
    assert (
        problems(tmp_path, text.format("base.toml"))[0]
        == "base.toml:3: extends: is a file that extends this one"
    )
    written = rules_to_json(load_text(tmp_path, f"{START}remove = ['ones']\n", ""))
    for field, value in (
        ("extends", "yatzy"),
        ("extends", str(tmp_path / "own.toml")),
        ("remove", ["twos"]),
    ):
        refused(f"{field}: ", rules_from_json, written | {field: value}, error=RulesError)


HEAD = "dice = 3\n"
FOURS = '[[categories]]\nid = "fours"\nname = "Fours"\ncode = "4"\nupper = true\npattern = "face"\nface = 4\n'
TRIO = '[[categories]]\nid = "trio"\nname = "Trio"\naliases = ["three alike"]\npattern = "groups"\ngroups = [3]\npoints = 9\n'
CHANCE = '[[categories]]\nid = "chance"\nname = "Chance"\ncode = "C"\npattern = "any"\nplus = 2\n'
TWO_COLUMNS = '[[columns]]\nid = "down"\nname = "Down"\norder = "forced"\n[[columns]]\nid = "up"\nname = "Going Up"\norder = "reversed"\nfactor = 3\n'


@pytest.fixture
def balut(tmp_path: Path) -> RuleSet:
    return load_text(tmp_path, f"{HEAD}{FOURS}times = 3\n{CHANCE}times = 2\n{TRIO}")


@pytest.fixture
def columns(tmp_path: Path) -> RuleSet:
    text = f"bonus = {{ threshold = 8, points = 5 }}\nfirst_roll_bonus = {{ trio = 4 }}\n{FOURS}{CHANCE}times = 2\n{TRIO}"
    return load_text(tmp_path, f"{HEAD}{text}{TWO_COLUMNS}")


def test_a_row_used_several_times(balut: RuleSet) -> None:
    assert [c.id for c in balut.categories] == [
        "fours-1",
        "fours-2",
        "fours-3",
        "chance-1",
        "chance-2",
        "trio",
    ]
    names = ["Fours (1)", "Fours (2)", "Fours (3)", "Chance (1)", "Chance (2)", "Trio"]
    assert [c.name for c in balut.categories] == names
    assert [c.code for c in balut.categories] == ["4-1", "4-2", "4-3", "C-1", "C-2", ""]
    boxes = [("fours", 0, 2), ("chance", 0, 0), ("chance", 0, 1), ("", 0, 0)]
    assert [(c.row, c.column, c.copy) for c in balut.categories[2:]] == boxes


def test_columns(columns: RuleSet) -> None:
    names = ["fours", "chance-1", "chance-2", "trio"]
    assert [c.id for c in columns.categories] == [
        f"{name}.{column}" for column in ("down", "up") for name in names
    ]
    assert columns.categories[5].name == "Chance (1) (Going Up)"
    assert columns.categories[3].aliases == ("three alike.down",)
    assert columns.order == "free"
    assert [(c.order, c.factor) for c in columns.columns] == [("forced", 1), ("reversed", 3)]
    assert columns.bonuses == (Bonus(8, 5), Bonus(24, 15))
    assert columns.first_roll_bonus == (("trio.down", 4), ("trio.up", 12))
    assert roll_points(columns, [0, 0, 0, 3, 0, 0]) == (12, 14, 14, 9, 36, 42, 42, 27)


@pytest.mark.parametrize("fixture", ["balut", "columns"])
def test_the_row_of_a_box_and_the_boxes_as_json(
    fixture: str, request: pytest.FixtureRequest
) -> None:
    rules: RuleSet = request.getfixturevalue(fixture)
    rows = {row_of(rules, c) for c in rules.categories}
    assert {(c.id, c.name, c.code, c.aliases, c.row) for c in rows} == {
        ("fours", "Fours", "4", (), ""),
        ("chance", "Chance", "C", (), ""),
        ("trio", "Trio", "", ("three alike",), ""),
    }
    assert len(rows) == 3
    read = rules_from_json(rules_to_json(rules))
    assert (read.fingerprint, read.categories, read.columns) == (
        rules.fingerprint,
        rules.categories,
        rules.columns,
    )
    assert rule_sentences(read) == rule_sentences(rules)
    swedish = localized(rules, "sv")
    assert rules_from_json(rules_to_json(swedish)).categories == swedish.categories


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda boxes: boxes[1].update(copy=0), "must number the boxes of a row"),
        (
            lambda boxes: boxes[1].update(upper=False),
            "must number the boxes of a row, which are alike",
        ),
        (
            lambda boxes: boxes[1].update(id="fours-3.down"),
            "the name 'fours-3.down' is used by two categories|is not made",
        ),
        (
            lambda boxes: boxes[1].update(id="fours.down.up"),
            "must be an id, in a sheet with columns ROW.COLUMN",
        ),
        (lambda boxes: boxes[1].update(column=2), "is not one of the columns"),
        (lambda boxes: boxes[1].update(row="x"), "is not made of the row"),
        (lambda boxes: boxes[1].pop("row"), "is not one of the columns"),
        (
            lambda boxes: boxes[3].update(requires="fours-1.up"),
            "another single box in the same column",
        ),
        (lambda boxes: boxes[1].update(times=2), "is not a field here"),
    ],
)
def test_json_of_boxes_that_no_rows_make_is_rejected(
    tmp_path: Path, change: object, message: str
) -> None:
    written = rules_to_json(load_text(tmp_path, f"{HEAD}{FOURS}times = 3\n{CHANCE}{TWO_COLUMNS}"))
    boxes = [dict(box) for box in written["categories"]]
    change(boxes)  # type: ignore[operator]
    refused(message, rules_from_json, written | {"categories": boxes}, error=RulesError)


BOXES = {
    "balut": [
        ("fours", "fours-1"),
        ("FOURS-2", "fours-2"),
        ("fours 2", "fours-2"),
        ("Fours (3)", "fours-3"),
        ("4", "fours-1"),
        ("4-2", "fours-2"),
        ("fyror", "fours-1"),
        ("Fyror (2)", "fours-2"),
        ("chan", "chance-1"),
        ("three alike", "trio"),
    ],
    "columns": [
        ("fours.up", "fours.up"),
        ("fours up", "fours.up"),
        ("Fours (Going Up)", "fours.up"),
        ("4.down", "fours.down"),
        ("chance.up", "chance-1.up"),
        ("chance-2.up", "chance-2.up"),
        ("Chance (2) (Down)", "chance-2.down"),
        ("three alike.up", "trio.up"),
        ("Chans (2) (Going Up)", "chance-2.up"),
    ],
}


@pytest.mark.parametrize(
    ("fixture", "text", "box"), [(name, *row) for name, rows in BOXES.items() for row in rows]
)
def test_names_of_boxes(fixture: str, text: str, box: str, request: pytest.FixtureRequest) -> None:
    rules: RuleSet = request.getfixturevalue(fixture)
    assert rules.categories[find_category(rules, text)].id == box
    if fixture == "columns":  # a row in several columns is not clear
        refused(
            r"category 'chance' is not clear: chance-1\.down, chance-1\.up",
            find_category,
            rules,
            "chance",
        )
        refused(
            r"unknown category 'foors'; did you mean fours\.down or fours\.up\?",
            find_category,
            rules,
            "foors",
        )


CARDS = ["fours=12,8", "fours=12 8", "fours-1=12 fours-2=8", "fours=12 fours=8", "4: 12; 4: 8"]


@pytest.mark.parametrize("text", [*CARDS, "Fours (1) 12, Fours (2) 8"])
def test_cards_with_repeated_boxes(balut: RuleSet, text: str) -> None:
    card = parse_card(balut, text)
    assert str(card) == "fours-1=12 fours-2=8"
    assert str(parse_card(balut, f"{text}, trio=9")) == "fours-1=12 fours-2=8 trio=9"
    assert (
        str(parse_card(balut, f"chance=x x {text}")) == "fours-1=12 fours-2=8 chance-1=0 chance-2=0"
    )
    assert parse_card(balut, str(card)).points == card.points
    refused("all 3 boxes of fours are filled in the card", parse_card, balut, "fours=4,4,4,4")
    refused("trio is filled twice in the card", parse_card, balut, "trio=9,9")
    # the next box of the row
    assert parse_category(balut, "fours 8", {"fours-2": 8, "trio": 0}) == "fours-2"
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
    assert rule_sentences(columns)[1:] == [
        "Column Down (.down): in the listed order, upper bonus of 5 at 8",
        "Column Going Up (.up): from the last to the first, all points times 3, upper bonus of 15 at 24",
        "A box may be crossed out at any time",
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
    for other in (
        patterns[:3],
        patterns[1:] + patterns[:1],
        (*patterns[:4], replace(patterns[4], points=1)),
    ):
        assert replace(rules.categories[0], patterns=other).text == " or ".join(
            p.text for p in other
        )


def test_the_other_rules_in_words(tmp_path: Path) -> None:
    rules = load_text(
        tmp_path,
        'bonus = [ { threshold = 4, points = 5 }, { threshold = 8, points = 9 } ]\norder = "upper-first"\n'
        'crossing_out = "only-if-nothing-scores"\n'
        f'joker = {{ category = "trio", bonus = 50, mode = "maximum", requires = "points" }}\n{HEAD}{FOURS}{TRIO}'
        f'{CHANCE}requires = "trio"\n',
    )
    assert rule_sentences(rules) == [
        "Three dice with 6 faces, three rolls a turn, 3 categories the upper ones (*) before the others",
        "Upper bonus for the sum of the upper categories (*): 5 at 4, 9 at 8",
        "A box may be crossed out only if the roll scores in no box that may take it",
        "A further Trio pays 50 bonus points",
        "A further Trio lets any open box pay the most it can if its box holds points",
    ]
    assert rules.categories[2].text == "any dice: their sum + 2; only while trio holds points"
    assert joker_sentences(
        Joker("x", 5, "none", "filled", "filled", "matching-box-open"), "Trio"
    ) == [
        "A further Trio pays 5 bonus points while the matching upper box is open, even if its box holds 0"
    ]
    assert rules.tracked_index == 1
    assert rules_from_json(rules_to_json(rules)).fingerprint == rules.fingerprint


OWN = 'id = "own"\nname = "Own"\n'
JOKER = 'joker = { category = "trio", bonus = 0, mode = "free" }\n'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            f"{HEAD}{FOURS}times = 0\n",
            "11: categories.fours.times: is 0; must be a whole number from 1 to 126",
        ),
        (
            f"{HEAD}{FOURS}times = 100\n{CHANCE}times = 27\n",
            "4: categories: are 127 boxes with all columns and `times`; at most 126 are allowed",
        ),
        (
            f"{HEAD}{FOURS}{CHANCE}times = 63\n{TWO_COLUMNS}",
            "4: categories: are 128 boxes with all columns and `times`; at most 126 are allowed",
        ),
        (
            f"{HEAD}{FOURS}times = 2\n{CHANCE.replace('chance', 'fours-2')}",
            "13: categories.fours-2.id: the name 'fours-2' is used by two categories",
        ),
        (
            f'{HEAD}{FOURS}requires = "trios"\n{TRIO}',
            "11: categories.fours.requires: is 'trios'; must be the id of another category",
        ),
        (
            f'{HEAD}{FOURS}requires = "trio"\n{TRIO}times = 2\n',
            "11: categories.fours.requires: is 'trio', which is used several times; must be a single box",
        ),
        (
            f'{HEAD}{FOURS}requires = "trio"\n{TRIO}{TWO_COLUMNS}',
            "11: categories.fours.requires: cannot be combined with several columns",
        ),
        (
            f'{HEAD}{FOURS}requires = "trio"\n{TRIO}requires = "chance"\n{CHANCE}',
            "4: categories: only of one box it can matter whether it holds points (`requires`, jokers), not of chance and trio",
        ),
        (
            f'{HEAD}{JOKER.replace("0", "5")}{FOURS}requires = "chance"\n{TRIO}{CHANCE}',
            "5: categories: only of one box it can matter whether it holds points (`requires`, jokers), not of chance and trio",
        ),
        (
            f"{HEAD}{JOKER}{FOURS}{TRIO}times = 2\n",
            "4: joker.category: is 'trio', which is used several times; must be a single box",
        ),
        (f"{HEAD}{JOKER}{FOURS}{TRIO}{TWO_COLUMNS}", "4: joker: cannot be combined with columns"),
        (
            f"{HEAD}{JOKER}{FOURS}times = 2\n{TRIO}",
            "4: joker: needs at most one upper box for each face: a joker asks for the matching one",
        ),
        (
            f"{HEAD}{JOKER.replace('free', 'most')}{TRIO}",
            "4: joker.mode: is 'most'; must be one of none, free, forced, maximum",
        ),
        (f"{HEAD}bonus = []\n{FOURS}", "4: bonus: must be a table, or a list of at most 10 tables"),
        (
            f"{HEAD}bonus = [{{ threshold = 5, points = 2 }}, {{ threshold = 5, points = 3 }}]\n{FOURS}",
            "4: bonus[2].threshold: is 5; must be more than the 5 of the step before",
        ),
        (
            f"{HEAD}bonus = [{{ threshold = 5, points = 2 }}, {{ threshold = 6, points = 1 }}]\n{FOURS}",
            "4: bonus[2].points: is 1; must be more than the 2 of the step before",
        ),
        (
            f"{HEAD}bonus = [{{ points = 2 }}, {{ threshold = 6, points = 3 }}]\n{FOURS}",
            "4: bonus[1].threshold: is missing; must be a whole number from 1 to 2000",
        ),
        (
            f"{HEAD}{TRIO}{TWO_COLUMNS}[[columns]]\nid = 'up'\nname = 'X'\n",
            "21: columns[3].id: has the id or the name of the column 'up'",
        ),
        (
            f"{HEAD}{TRIO}{TWO_COLUMNS}oder = 3\n",
            "20: columns[2].oder: is not a field here; did you mean order?",
        ),
        (
            f"{HEAD}{TRIO.replace('= 9', '= 9000')}{TWO_COLUMNS}",
            "19: columns[2].factor: is too high: trio.up has the factor 3 and pays up to 27,000 points",
        ),
        (
            f"{HEAD}first_roll_bonus = {{ trio = 5000 }}\n{TRIO}{TWO_COLUMNS}",
            "4: first_roll_bonus.trio: is 5000; must be a whole number from 1 to 3333",
        ),
        (f"{HEAD}columns = 3\n{TRIO}", "4: columns: must be [[columns]] tables"),
        (
            f"{HEAD}{TRIO}"
            + "".join(f"[[columns]]\nid = 'c{i}'\nname = 'c{i}'\n" for i in range(13)),
            "11: columns: has 13 entries; at most 12",
        ),
        (
            f"{HEAD}bonus = {{ threshold = 2000, points = 1 }}\n{FOURS}"
            + "".join(f"[[columns]]\nid = 'c{i}'\nname = 'c{i}'\n" for i in range(6)),
            "12: columns: have too many upper sums; leave out columns, or lower the thresholds",
        ),
        (
            f"{HEAD}{TRIO}row = 'trio'\ncopy = 0\n",
            "11: categories.trio.row: is not a field here; allowed: ",
        ),
    ],
)
def test_mistakes_in_sheets(tmp_path: Path, text: str, expected: str) -> None:
    found = mistakes(tmp_path, OWN + text)
    assert any(mistake.startswith(expected) for mistake in found), found
    assert len(found) <= 2


def test_a_club_sheet_of_forty_boxes() -> None:
    """A file of one's own with most mechanics, far too large for an exact solve: other tests
    play it.
    """
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


BUILT_IN_SWITCHES = [
    (name, first.id, second.id)
    for name in builtin_ids()
    for first, second in combinations(load_rules(name).switches, 2)
]


@pytest.mark.parametrize(("name", "first", "second"), BUILT_IN_SWITCHES)
def test_every_pair_of_switches_is_allowed_and_said_or_refused(
    name: str, first: str, second: str
) -> None:
    """Whether a pair is allowed follows from the games: the order in which the patches are applied
    makes no difference, and each patch is still in force.
    """
    by_id = {switch.id: switch for switch in load_rules(name).switches}
    excluded = second in by_id[first].excludes
    assert excluded == (first in by_id[second].excludes)
    spec = f"{name}+{second}+{first}"
    if excluded:
        with pytest.raises(RulesError, match=r"the switches .* exclude each other") as refused:
            load_rules(spec)
        assert "\n" not in str(refused.value)
        assert {first, second} <= set(str(refused.value).split())
        assert f"(not with {', '.join(by_id[first].excludes)})" in "\n".join(
            rules_lines(load_rules(name), {"maximum": 0, "too_large": "", "approximate_seconds": 1})
        )
        return
    both = load_rules(spec)
    assert set(both.active_switches) == {first, second}
    raw, _check = _values(name, ())
    patches = [
        {
            field: value
            for field, value in raw["switches"][switch].items()
            if field not in SWITCH_WORDS
        }
        for switch in (first, second)
    ]
    check = RuleChecker(name, "")
    one_way = apply_patch(apply_patch(raw, patches[0], check), patches[1], check)
    other_way = apply_patch(apply_patch(raw, patches[1], check), patches[0], check)
    assert one_way == other_way
    assert both.fingerprint != load_rules(f"{name}+{first}").fingerprint
    assert both.fingerprint != load_rules(f"{name}+{second}").fingerprint


def test_switches_of_a_file_exclude_each_other_by_field_and_by_group(tmp_path: Path) -> None:
    text = (
        f"{START}[switches.low]\nsummary = 's'\nbonus.threshold = 42\n"
        "[switches.high]\nsummary = 's'\nbonus.threshold = 75\n"
        "[switches.none]\nsummary = 's'\nbonus = false\n"
        "[switches.rich]\nsummary = 's'\nbonus.points = 100\n"
        "[switches.short]\nsummary = 's'\nremove = ['chance']\ngroup = 'sheet'\n"
        "[switches.long]\nsummary = 's'\nrolls = 4\ngroup = 'sheet'\n"
        "[switches.four]\nsummary = 's'\nrolls = 4\n"
        "[switches.double]\nsummary = 's'\n[switches.double.categories.chance]\nplus = 3\n"
    )
    excludes = {
        switch.id: set(switch.excludes)
        for switch in load_text(tmp_path, text, "").switches
        if switch.id in ("low", "high", "none", "rich", "short", "long", "four", "double")
    }
    assert excludes["rich"] == {"none", "bonus-35"}
    assert excludes["none"] >= {"low", "high", "rich"}
    assert {"high", "none"} <= excludes["low"]
    assert excludes["short"] == {"long", "double"}
    assert excludes["long"] == {"short"}
    assert excludes["four"] == set()  # sets the same field to the same value
    load_text(tmp_path, text, "", "+four+long")
    with pytest.raises(RulesError, match=r"the switches low and rich|high and low"):
        load_text(tmp_path, text, "", "+low+high")
    assert problems(tmp_path, f"{START}[switches.s]\nsummary = 's'\ngroup = 3\n") == [
        "own.toml:6: switches.s.group: is 3; must be text in quotes"
    ]


def test_an_emptied_table_names_the_way_to_remove_it(tmp_path: Path) -> None:
    for name, base in (("first_roll_bonus", "generala"), ("bonus", "yatzy"), ("joker", "yahtzee")):
        start = f'extends = "{base}"\nid = "own"\nname = "Own"\n'
        said = f"is empty, which changes nothing; write {name} = false to remove it"
        assert problems(tmp_path, f"{start}{name} = {{}}\n") == [f"own.toml:4: {name}: {said}"]
        removed = load_text(tmp_path, f"{start}{name} = false\n", "")
        assert not getattr(removed, name)
        switch = f"{start}[switches.s]\nsummary = 's'\n{name} = {{}}\n"
        assert problems(tmp_path, switch, "+s") == [f"own.toml:6: switches.s.{name}: {said}"]


BEST_FIVE = """
id = "best-five"
name = "Best five of six"
dice = 6
faces = 6
rolls = 3

[[categories]]
id = "fives"
name = "Fives"
pattern = "face"
face = 5
best = 5

[[categories]]
id = "max"
name = "Max"
pattern = "any"
best = 5

[[categories]]
id = "min"
name = "Min"
patterns = [
  MIN
]

[[categories]]
id = "full"
name = "Full"
pattern = "groups"
groups = [3, 2]
plus = 30
best = 5

[[categories]]
id = "straight"
name = "Straight"
pattern = "contains"
contains = [2, 3, 4, 5, 6]
points = 40
best = 5

[[categories]]
id = "yamb"
name = "Yamb"
pattern = "groups"
groups = [5]
plus = 50
best = 5
""".replace(
    "MIN",
    ", ".join(
        f'{{ pattern = "any", sum = {total}, points = {31 - total}, best = 5 }}'
        for total in range(5, 31)
    ),
)


def test_the_best_five_of_six_dice_as_the_balkan_game_counts_them(tmp_path: Path) -> None:
    """All rolls of six dice, counted without the program; Min pays 31 minus the sum, so that it
    is never nothing.
    """
    (tmp_path / "own.toml").write_text(BEST_FIVE)
    rules = load_rules(str(tmp_path / "own.toml"))

    def paid(five: tuple[int, ...]) -> list[int]:
        pair_and_three = sorted(map(five.count, set(five))) == [2, 3]
        return [
            5 * five.count(5),
            sum(five),
            31 - sum(five),
            sum(five) + 30 if pair_and_three else 0,
            40 if set(five) == {2, 3, 4, 5, 6} else 0,
            sum(five) + 50 if len(set(five)) == 1 else 0,
        ]

    for dice in combinations_with_replacement(range(1, 7), 6):
        counts = np.array([[dice.count(face) for face in range(1, 7)]])
        found = [
            max(int(pattern.paid(counts)[0]) for pattern in box.patterns)
            for box in rules.categories
        ]
        choices = [paid(five) for five in combinations(dice, 5)]
        assert found == [max(column) for column in zip(*choices, strict=True)], dice
    same = rules_from_json(json.loads(json.dumps(rules_to_json(rules))))
    assert same.fingerprint == rules.fingerprint
