"""Mutated rule files: refused with a RulesError, or accepted and solved as the oracle in
fractions solves them.
"""

from __future__ import annotations

import json
import random
import re
from pathlib import Path

from perfect_yatzy.core.rules import RuleSet
from perfect_yatzy.errors import RulesError
from perfect_yatzy.game.rule_loader import load_rules, rules_from_json, rules_to_json
from perfect_yatzy.game.rule_sentences import rule_sentences
from support import games
from support.players import check_against_oracle
from support.rule_files import as_toml

from .tally import Tally, cpu_limit

CHECK_SECONDS = 2.0  # of processor time, for one file
GAMES = [
    games.saved_rolls_game("free", True),
    games.saved_rolls_game("forced", False),
    *(
        games.joker_game(mode, saved_rolls=saved)
        for mode in ("none", "free", "forced")
        for saved in (False, True)
    ),
    games.joker_game("free", order="forced", first_roll_bonus=(("face-3", 3),)),
]
HEAD = 'id = "random"\nname = "Random"\ndice = 2\nfaces = 3\nrolls = 2\n'
TWOS = '[[categories]]\nid = "twos"\nname = "Twos"\nupper = true\npattern = "face"\nface = 2\n'
PAIR = '[[categories]]\nid = "pair"\nname = "Pair"\npattern = "groups"\ngroups = [2]\npoints = 9\n'
LOW = '[[categories]]\nid = "low"\nname = "Low"\npattern = "any"\nat_least = 3\nat_most = 4\nfactor = 2\n'
ODD = '[[categories]]\nid = "odd"\nname = "Odd"\npattern = "any"\nonly = "odd"\nplus = 3\n'
COLUMNS = '[[columns]]\nid = "a"\nname = "A"\norder = "forced"\n[[columns]]\nid = "b"\nname = "B"\nfactor = 2\n'
STEPS = "bonus = [{ threshold = 3, points = 4 }, { threshold = 4, points = 7 }]\n"
JOKER = 'joker = {{ category = "pair", bonus = 3, mode = "{}", requires = "{}", bonus_requires = "{}", {} }}\n'
TEXTS = [
    f'{HEAD}order = "upper-first"\n{STEPS}{TWOS}times = 2\n{LOW}{ODD}',
    f'{HEAD}order = "reversed"\ncrossing_out = "only-if-nothing-scores"\n{TWOS}{LOW}times = 2\n{PAIR}',
    f'{HEAD}crossing_out = "only-if-nothing-scores"\nfirst_roll_bonus = {{ low = 2 }}\n'
    f'{PAIR}{LOW}times = 2\n{ODD}requires = "pair"\n',
    f"{HEAD}bonus = {{ threshold = 3, points = 4 }}\n{TWOS}{ODD}{COLUMNS}",
    f"{HEAD}first_roll_bonus = {{ pair = 2 }}\n{LOW}{PAIR}{COLUMNS}",
    *(
        HEAD
        + JOKER.format(mode, requires, requires_too, 'bonus_while = "matching-box-open"')
        + TWOS
        + PAIR
        + LOW
        for mode in ("maximum", "free", "none")
        for requires, requires_too in (("points", "filled"), ("filled", "points"))
    ),
]
# What is mutated in these is mostly the merging: they are too large for the oracle.
PATCHES = [
    'id = "random"\nname = "Random"\nextends = "yahtzee"\nremove = ["chance", "small-straight"]\n'
    '[categories.chance]\nname = "Luck"\npattern = "any"\nplus = 1\nafter = "sixes"\n'
    '[categories.odd]\nname = "Odd"\npattern = "any"\nonly = "odd"\ntimes = 2\nbefore = "aces"\n'
    '[switches.s]\nsummary = "s"\nremove = ["odd"]\nbonus = false\n'
    '[switches.s.categories.yahtzee]\npoints = 60\nbefore = "chance"\n',
    'id = "random"\nname = "Random"\nextends = "base.toml"\nremove = ["odd"]\n[columns.a]\norder = "reversed"\n'
    '[switches.s]\nsummary = "s"\nremove = ["twos"]\n[switches.s.categories.odd]\nname = "Odd"\npattern = "any"\n',
]
VALUES = [
    "0",
    "1",
    "2",
    "3",
    "-1",
    "4",
    "7",
    "12",
    "13",
    "1000000",
    "1.5",
    "1e999",
    "nan",
    "true",
    '""',
    '"face"',
    "[]",
    "[1]",
    "[1, 2]",
    "[3, 1]",
    "{}",
    '"x"',
    '"groups"',
    '"any"',
    '"contains"',
    '"sum"',
    '"fixed"',
    '"matched"',
    '"even"',
    '"odd"',
    "[1, 6]",
    '"pair"',
    '"points"',
    '"filled"',
    '"maximum"',
    '"upper-first"',
    '"reversed"',
    '["low"]',
    '"base.toml"',
    '"mutated.toml"',
    "[{ threshold = 2, points = 3 }]",
    '"forced"',
    '"free"',
    "9" * 5000,
    "[" * 200,
]
CHARACTERS = "[]{}=\"',.#\n\\ \0\u2028é-+_0a"


def mutated(text: str, chosen: random.Random) -> str:
    """A rule file with one to four changes."""
    for _ in range(chosen.randint(1, 4)):
        lines, kind = text.split("\n"), chosen.randrange(9)
        place = chosen.randrange(len(lines))
        if kind < 4 and (numbers := [*re.finditer(r"\b\d+\b", text)]):
            number = chosen.choice(numbers)  # mostly still a game
            text = (
                text[: number.start()]
                + str(chosen.choice((0, 1, 2, 3, 4, 5, 6, 9, 20)))
                + text[number.end() :]
            )
            continue
        if kind == 4:
            lines[place] = lines[place].partition("=")[0] + "= " + chosen.choice(VALUES)
        elif kind == 5:
            del lines[place]
        elif kind == 6:
            lines.insert(chosen.randrange(len(lines)), lines[place])
        elif kind == 7:
            at = chosen.randrange(len(text))
            text = text[:at] + chosen.choice(CHARACTERS) + text[at + chosen.randrange(2) :]
            continue
        else:
            other = chosen.randrange(len(lines))
            lines[place], lines[other] = lines[other], lines[place]
        text = "\n".join(lines)
    return text


def is_small(rules: RuleSet) -> bool:
    """Whether the oracle solves a game in about a second."""
    return (
        (rules.faces**rules.dice <= 36)
        and rules.dice <= 3
        and len(rules.categories) <= 4
        and rules.rolls_per_turn <= 3
        and (not rules.bonus or rules.bonus.threshold <= 100)
    )


def mutate_rule_files(
    tally: Tally, folder: Path, files: int, solved: int, chosen: random.Random
) -> None:
    """Load mutated files; solve up to `solved` different games among those that are accepted."""
    path, seen = folder / "mutated.toml", set[str]()
    (folder / "base.toml").write_text(HEAD + TWOS + ODD + COLUMNS)
    bases = [*map(as_toml, GAMES), *TEXTS, *PATCHES]
    for _ in range(files):
        text = mutated(chosen.choice(bases), chosen)
        spec = f"{path}+s" if "[switches.s]" in text and chosen.randrange(2) else path
        path.write_text(text, encoding="utf-8", newline="")

        def load(spec: str | Path = spec) -> RuleSet:
            with cpu_limit(CHECK_SECONDS):
                rules = load_rules(spec)
                again = rules_from_json(json.loads(json.dumps(rules_to_json(rules))))
            assert again.fingerprint == rules.fingerprint
            assert rule_sentences(again) == rule_sentences(rules)
            return rules

        rules = tally.run(text, load, RulesError)
        if rules and is_small(rules) and rules.fingerprint not in seen and len(seen) < solved:
            seen.add(rules.fingerprint)
            tally.run(text, lambda rules=rules: check_against_oracle(rules), RulesError)
    tally.expect(
        "all files",
        len(seen) > min(solved, files // 50) // 2,
        f"only {len(seen)} games were solved",
    )
