"""Rule files that extend others, and switches: categories removed, replaced and placed; files of one's own."""

from __future__ import annotations

from pathlib import Path

import pytest
from perfect_yatzy import RulesError, RuleSet
from perfect_yatzy.game.rule_loader import RuleFileError, load_rules, rules_from_json, rules_to_json
from support.refusals import load_text, refused

START = 'id = "a"\nname = "A"\nextends = "yatzy"\n'
YATZY = [c.id for c in load_rules("yatzy").categories]
LUCK = 'name = "Luck"\npattern = "any"\nplus = 1\n'


def ids(rules: RuleSet) -> list[str]:
    return [category.id for category in rules.categories]


def load(folder: Path, text: str, switches: str = "") -> RuleSet:
    return load_text(folder, text, "", switches)


def problems(folder: Path, text: str, switches: str = "") -> list[str]:
    with pytest.raises(RuleFileError) as caught:
        load(folder, text, switches)
    return [f"{Path(p.file).name}:{p.line}: {p.field}: {p.message}" for p in caught.value.problems]


def test_categories_are_removed(tmp_path: Path) -> None:
    rules = load(tmp_path, f'{START}remove = ["chance", "two-pairs"]\n')
    assert ids(rules) == [name for name in YATZY if name not in ("chance", "two-pairs")]
    assert rules_from_json(rules_to_json(rules)).fingerprint == rules.fingerprint


def test_what_was_said_about_a_removed_category_goes(tmp_path: Path) -> None:
    base = load_rules("generala")
    rules = load(tmp_path, f'{START.replace("yatzy", "generala")}remove = ["straight"]\n')
    assert dict(rules.first_roll_bonus) == {c: p for c, p in base.first_roll_bonus if c != "straight"}
    rules = load(tmp_path, f'{START}remove = ["two-pairs"]\n')
    about = {"five-is-full-house", "four-is-two-pairs"}
    assert about & {switch.id for switch in rules.switches} == {"five-is-full-house"}
    assert load_rules(f"{tmp_path / 'own.toml'}+five-is-full-house").fingerprint != rules.fingerprint


def test_a_category_is_replaced_in_its_place(tmp_path: Path) -> None:
    rules = load(tmp_path, f'{START}remove = ["two-pairs"]\n[categories.two-pairs]\n{LUCK}')
    assert ids(rules) == YATZY
    assert (rules.categories[7].text, rules.categories[7].aliases) == ("any dice: their sum + 1", ())


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
        (f'[categories.luck]\n{LUCK}after = "ones"\n[categories.luck-2]\n{LUCK.replace("Luck", "L2")}after = "luck"\n',
         ["ones", "luck", "luck-2", *YATZY[1:]]),
        ('[categories.ones]\nid = "aces"\nafter = "twos"\n', ["twos", "aces", *YATZY[2:]]),
    ],
)  # fmt: skip
def test_categories_are_placed(tmp_path: Path, tables: str, expected: list[str]) -> None:
    assert ids(load(tmp_path, START + tables)) == expected
    switch = tables.replace("[categories.", "[switches.s.categories.")
    assert ids(load(tmp_path, f'{START}[switches.s]\nsummary = "s"\n{switch}', "+s")) == expected


def test_a_switch_removes_and_replaces(tmp_path: Path) -> None:
    text = f'{START}[switches.short]\nsummary = "s"\nremove = ["chance", "ones"]\n[switches.short.categories.ones]\n{LUCK}'
    assert ids(load(tmp_path, text)) == YATZY
    rules = load(tmp_path, text, "+short")
    assert ids(rules) == [name for name in YATZY if name != "chance"]
    assert not rules.categories[0].upper


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"{START}remove = 'chance'\n", ["own.toml:4: remove: must be a list of category ids in quotes"]),
        (f"{START}remove = [1]\n", ["own.toml:4: remove: must be a list of category ids in quotes"]),
        (f"{START}remove = ['chanse']\n", ["own.toml:4: remove: 'chanse' is not in the rules before; did you mean chance?"]),
        (f"{START}remove = ['%']\n", ["own.toml:4: remove: '%' is not in the rules before; must be the id of a category"]),
        (f"{START}remove = ['ones', 'twos', 'threes', 'fours', 'fives', 'sixes']\n", ["own.toml:0: bonus: needs at least one category with `upper = true`"]),
        (f"{START}[categories.ones]\nafter = 'ones'\n", ["own.toml:5: categories.ones.after: is 'ones'; must be the id of another category"]),
        (f"{START}[categories.ones]\nbefore = 'towns'\n", ["own.toml:5: categories.ones.before: is 'towns'; did you mean twos?"]),
        (f"{START}[categories.ones]\nbefore = 3\n", ["own.toml:5: categories.ones.before: is 3; must be the id of another category"]),
        (f"{START}[categories.ones]\nbefore = 'sixes'\nafter = 'twos'\n", ["own.toml:5: categories.ones.before: does not go with `after`; leave one of the two out"]),
        ('id = "a"\nname = "A"\ndice = 2\nremove = ["x"]\n[[categories]]\nid = "x"\nname = "X"\npattern = "any"\n', ["own.toml:4: remove: belongs to a file that extends rules, or to a switch"]),
        ('id = "a"\nname = "A"\ndice = 2\n[[categories]]\nid = "x"\nname = "X"\npattern = "any"\nafter = "x"\n', ["own.toml:8: categories.x.after: belongs to a file that extends rules, or to a switch"]),
        (f'{START.replace("yatzy", "yahtzee")}remove = ["yahtzee"]\n', ["own.toml:0: joker.category: is 'yahtzee'; must be the id of a category"]),
        (f"{START}remove = ['ones']\n[switches.s]\nsummary = 's'\nremove = ['ones']\n", ["own.toml:7: switches.s.remove: 'ones' is not in the rules before; must be the id of a category"]),
        (f"{START}[switches.s]\nsummary = 's'\n[switches.s.categories.ones]\nafter = 'x'\n", ["own.toml:7: switches.s.categories.ones.after: is 'x'; must be the id of another category"]),
    ],
)  # fmt: skip
def test_mistakes_in_patches_and_switches(tmp_path: Path, text: str, expected: list[str]) -> None:
    assert problems(tmp_path, text, "+s" if "[switches.s]" in text else "") == expected


def test_a_file_extends_a_file(tmp_path: Path) -> None:
    (tmp_path / "club").mkdir()
    (tmp_path / "club" / "base.toml").write_bytes(
        b"\xef\xbb\xbf" + f'{START}remove = ["chance"]\n[switches.short]\nsummary = "s"\nrolls = 2\n'.encode()
    )
    text = 'id = "b"\nname = "B"\nextends = "club/base.toml"\nfaces = 6\n[categories.ones]\nname = "Aces"\n'
    rules = load(tmp_path, text)
    assert (rules.id, rules.name, rules.categories[0].name) == ("b", "B", "Aces")
    assert "chance" not in ids(rules)
    assert load(tmp_path, text, "+short+five-is-full-house").rolls_per_turn == 2
    (tmp_path / "club" / "c.toml").write_text('id = "c"\nname = "C"\nextends = "../own.toml"\nrolls = 1\n')
    assert load_rules(tmp_path / "club" / "c.toml").categories[0].name == "Aces"


def test_mistakes_in_an_extended_file_are_reported_there(tmp_path: Path) -> None:
    text = 'id = "b"\nname = "B"\nextends = "base.toml"\n'
    assert problems(tmp_path, text) == [
        f"own.toml:3: extends: is 'base.toml': cannot read the rule file {tmp_path / 'base.toml'}: No such file or directory"
    ]
    base = tmp_path / "base.toml"
    base.write_text(f"{START}[categories.ones]\nface = 9\n")
    assert problems(tmp_path, text) == ["base.toml:5: categories.ones.face: is 9; must be a whole number from 1 to 6"]
    base.write_text("id = \n")
    assert problems(tmp_path, text)[0].startswith("base.toml:1: : ")
    base.write_text("# " + 70_000 * "x")
    assert problems(tmp_path, text)[0].startswith("own.toml:3: extends: is 'base.toml': the rule file ")
    base.write_bytes(b"\xff")
    assert problems(tmp_path, text)[0].endswith("base.toml is not UTF-8 text")


def test_files_that_extend_each_other(tmp_path: Path) -> None:
    text = 'id = "b"\nname = "B"\nextends = "{}"\nrolls = 0\n[categories.ones]\nface = 9\n'
    assert problems(tmp_path, text.format("own.toml")) == [
        "own.toml:3: extends: extends itself",
        "own.toml:4: rolls: is 0; must be a whole number from 1 to 10",
    ]
    (tmp_path / "base.toml").write_text(text.format("./own.toml"))
    assert problems(tmp_path, text.format("base.toml"))[0] == "base.toml:3: extends: is a file that extends this one"


def test_rules_as_json_extend_nothing(tmp_path: Path) -> None:
    written = rules_to_json(load(tmp_path, f"{START}remove = ['ones']\n"))
    assert isinstance(written, dict)
    for field, value in (("extends", "yatzy"), ("extends", str(tmp_path / "own.toml")), ("remove", ["twos"])):
        refused(f"{field}: ", rules_from_json, written | {field: value}, error=RulesError)
