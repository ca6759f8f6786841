"""Mutated rule files: refused with a RulesError, or accepted and solved as the oracle in fractions solves them."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Any

from perfect_yatzy.errors import RulesError
from perfect_yatzy.game.rule_loader import load_rules
from perfect_yatzy.game.rules import RuleSet

from support import games
from support.oracle import check_against_oracle
from support.tally import Tally, cpu_limit

CHECK_SECONDS = 2.0  # of processor time, for one file
BASES = [
    games.saved_rolls_game("free", True),
    games.saved_rolls_game("forced", False),
    *(games.joker_game(mode, saved_rolls=saved) for mode in ("none", "free", "forced") for saved in (False, True)),
    games.joker_game("free", order="forced", first_roll_bonus=(("face-3", 3),)),
]
VALUES = ("0", "1", "2", "3", "-1", "4", "7", "12", "13", "1000000", "1.5", "1e999", "nan", "true", '""', '"face"', "[]",
          "[1]", "[1, 2]", "[3, 1]", "{}", '"x"', '"groups"', '"any"', '"contains"', '"sum"', '"fixed"', '"matched"',
          '"even"', '"odd"', '[1, 6]',
          '"forced"', '"free"', "9" * 5000, "[" * 200)  # fmt: skip
CHARACTERS = "[]{}=\"',.#\n\\ \0\u2028é-+_0a"


def as_toml(rules: RuleSet) -> str:
    """A rule file for a rule set."""
    top = {k: v for k, v in rules.canonical().items() if v not in (None, {}, []) and k != "categories"}
    lines = ['id = "random"', 'name = "Random"', *(f"{name} = {inline(value)}" for name, value in top.items())]
    for category in rules.canonical()["categories"]:
        lines += ["[[categories]]", f'name = "{category["id"]}"']
        lines += [f"{name} = {inline(value)}" for name, value in category.items() if value is not None]
    return "\n".join(lines) + "\n"


def inline(value: Any) -> str:
    """A value in TOML, on one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(k)} = {inline(v)}" for k, v in value.items() if v is not None) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(inline, value)) + "]"
    return json.dumps(value)


def mutated(text: str, chosen: random.Random) -> str:
    """A rule file with one to four changes."""
    for _ in range(chosen.randint(1, 4)):
        lines, kind = text.split("\n"), chosen.randrange(9)
        place = chosen.randrange(len(lines))
        if kind < 4 and (numbers := [*re.finditer(r"\b\d+\b", text)]):
            number = chosen.choice(numbers)  # mostly still a game
            text = text[: number.start()] + str(chosen.choice((0, 1, 2, 3, 4, 5, 6, 9, 20))) + text[number.end() :]
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


def mutate_rule_files(tally: Tally, folder: Path, files: int, solved: int, chosen: random.Random) -> None:
    """Load mutated files; solve up to `solved` different games among those that are accepted."""
    path, seen = folder / "mutated.toml", set[str]()
    for _ in range(files):
        text = mutated(as_toml(chosen.choice(BASES)), chosen)
        path.write_text(text, encoding="utf-8", newline="")

        def load() -> RuleSet:
            with cpu_limit(CHECK_SECONDS):
                return load_rules(path)

        rules = tally.run(text, load, RulesError)
        if rules and is_small(rules) and rules.fingerprint not in seen and len(seen) < solved:
            seen.add(rules.fingerprint)
            tally.run(text, lambda rules=rules: check_against_oracle(rules), RulesError)
    tally.expect("all files", len(seen) > min(solved, files // 50) // 2, f"only {len(seen)} games were solved")
