"""Golden positions: questions about every built-in game with an exact table, and their answers to
1e-9.

``golden.py make`` writes them from tables whose SHA-256 is published in ``tables/checksums.json``,
and checks each with the oracle in fractions of the tests: the turn from the values of the cards
after it, or the whole rest of a game with one open box. With names of rule sets, only their
positions are written anew. ``golden.py check COMMAND...`` asks an
installed ``yatzy``; it needs nothing but Python.

Not in the file are games too large for a table, and `maxi`, whose table is stored in float32.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement
from math import factorial, prod
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
FILE = ROOT / "tests" / "data" / "golden.json"
TOLERANCE = 1e-9
# without their switches
PAGED = (
    "family-yatzy",
    "maxi-tactic",
    "maxi-unsaved",
    "yatzy-online-6",
    "yatzy-saved",
)
POSITIONS, OF_A_SWITCH = 548, 4
MOST_DICE = 6  # the oracle takes hours for two rerolls of twelve
OPTIONS = 4  # of each answer, the best ones

Position = dict[str, Any]


def positions() -> list[Position]:
    """The positions of the file."""
    return list(json.loads(FILE.read_text(encoding="utf-8"))["positions"])


def summary(answer: dict[str, Any]) -> tuple[float, dict[str, float]]:
    """Expected final score of an answer, and that of each option by its name."""
    options = {
        str(entry["category"]) if "points" in entry else "".join(map(str, entry["hold"])): entry[
            "expected_final_score"
        ]
        for entry in answer.get("holds", answer.get("categories", []))
    }
    return answer["expected_final_score"], options


def wrong(position: Position, value: float, options: dict[str, float]) -> str:
    """Where an answer differs from that of the file; empty if nowhere."""
    place = json.dumps(position["request"])
    if len(options) != position.get("number", 0):
        return f"{place}: {len(options)} options, not {position.get('number', 0)}"
    for name, expected in [("value", position["value"]), *position.get("options", [])]:
        found = value if name == "value" else options.get(name)
        if found is None or not abs(found - expected) <= TOLERANCE:
            return f"{place}: {name} is {found}, not {expected}"
    return (
        f"{place}: {max(options.values())} is more than the best"
        if max([value, *options.values()]) > value + TOLERANCE
        else ""
    )


def differences(asked: Iterable[Position], answers: Iterable[dict[str, Any]]) -> list[str]:
    """What is wrong in answers in the schema of the command; an error is a difference, too."""
    return [
        text
        for position, answer in zip(asked, answers, strict=True)
        if (text := answer.get("error") or wrong(position, *summary(answer)))
    ]


def ask_command(command: list[str], asked: list[Position]) -> list[dict[str, Any]]:
    """The answers of one process of the command."""
    lines = "".join(json.dumps(position["request"]) + "\n" for position in asked)
    done = subprocess.run(
        [*command, "hold", "--jsonl"], input=lines, stdout=subprocess.PIPE, text=True, check=True
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


# --- writing the file ---


def games() -> dict[str, int]:
    """How many positions each rule set has in the file."""
    from perfect_yatzy.core.objectives import FLOAT64_VALUES
    from perfect_yatzy.core.state_space import state_space
    from perfect_yatzy.errors import RulesError
    from perfect_yatzy.game.rule_loader import builtin_ids, load_rules

    plain = []
    for name in sorted(builtin_ids()):
        with suppress(RulesError):  # too large
            plain += [name] if state_space(load_rules(name)).size <= FLOAT64_VALUES else []
    switched = [
        f"{name}+{each.id}"
        for name in plain
        if name not in PAGED
        for each in load_rules(name).switches
    ]
    rest = POSITIONS - OF_A_SWITCH * len(switched)
    found = {
        name: rest // len(plain) + (place < rest % len(plain)) for place, name in enumerate(plain)
    }
    return found | dict.fromkeys(switched, OF_A_SWITCH)


def requests(name: str, number: int) -> Iterator[dict[str, Any]]:
    """Positions of games of random decisions: three of four ask for a decision, the others what
    to expect.
    """
    from perfect_yatzy.game.rule_loader import load_rules
    from support.engine import random_positions

    for place, (query, body) in enumerate(random_positions(load_rules(name), number, seed=28)):
        dice, left = body.pop("dice"), body.pop("rolls_left")
        card = " ".join(f"{box}={points}" for box, points in body.pop("card").items())
        asked = {"query": query, **body, "card": card}
        if len(dice) > MOST_DICE:
            yield asked | {"dice": dice, "rolls_left": min(1, left)}
        elif place % 4 == 3:
            yield asked | {"query": "expect", "spread": False}
        else:
            yield asked | {"dice": "".join(map(str, dice)), "rolls_left": left}


@cache
def oracle(name: str, whole: bool) -> Any:
    """The oracle of a game; unless `whole`, cards after the turn have the values of the table."""
    from perfect_yatzy import State, load_rules, open_strategy
    from support.naive import Naive

    strategy = open_strategy(name)

    class Rolls(Naive):
        def outcomes(self, number: int) -> list[tuple[tuple[int, ...], Fraction]]:
            """As the oracle has them, without 6^12 rolls one by one."""
            rolls = combinations_with_replacement(range(1, self.game["faces"] + 1), number)
            ways = ((roll, prod(map(factorial, Counter(roll).values()))) for roll in rolls)
            return [
                (roll, Fraction(factorial(number), same * self.game["faces"] ** number))
                for roll, same in ways
            ]

    class Turn(Rolls):
        def value(self, filled: int, upper: int, saved: int = 0, flag: bool = False) -> Any:
            if (filled, upper, saved, flag) == self.asked or filled == self.full_mask:
                return super().value(filled, upper, saved, flag)
            return strategy.value(State(filled, upper, saved, flag))

    return (Rolls if whole else Turn)(load_rules(name).canonical())


def check(position: Position) -> str:
    """Compare with the oracle; what it computed."""
    from perfect_yatzy import load_rules
    from perfect_yatzy.game.notation import parse_card

    asked, rules = position["request"], load_rules(position["request"]["rules"])
    card = parse_card(rules, asked["card"], asked.get("saved", 0), asked.get("bonus_points", 0))
    state, left_open = card.state, len(rules.categories) - len(card.points)
    whole = left_open == 1 and rules.dice <= MOST_DICE
    known = oracle(rules.key, whole)
    known.asked = filled, upper, saved, flag = (
        state.filled,
        state.upper,
        state.saved,
        state.joker_paid,
    )
    if asked["query"] == "expect":
        expected = {"value": known.value(filled, upper, saved, flag)}
    else:
        dice, left = tuple(sorted(map(int, asked["dice"]))), asked["rolls_left"]
        first = left == rules.rolls_per_turn - 1 + saved
        stops = {
            rules.categories[box].id: value
            for box, value in known.stops(filled, upper, flag, dice, left, first).items()
        }
        holds = (
            {
                "".join(map(str, held)): known.hold_value(filled, upper, flag, held, left)
                for held in known.holds_of(dice)
            }
            if asked["query"] == "hold"
            else {}
        )
        whole_roll = {"".join(map(str, dice)): max(stops.values())}
        expected = stops if asked["query"] == "score" else holds | whole_roll
        assert len(expected) == position["number"], position
        expected["value"] = max(expected.values())
    for name, found in [("value", position["value"]), *position.get("options", [])]:
        assert abs(found - float(expected[name]) - card.total) < 1e-9, (
            position,
            name,
            float(expected[name]),
        )
    known.value.cache_clear()
    return "whole game" if whole else "turn"


def make(names: list[str]) -> None:
    """Write the file, or the positions of some rule sets in it."""
    from perfect_yatzy.service.queries import QueryService

    service, made = QueryService(), []
    published = json.loads((ROOT / "tables" / "checksums.json").read_text(encoding="utf-8"))
    known = positions() if names else []
    for name, number in games().items():
        if names and name not in names:
            made += [position for position in known if position["request"]["rules"] == name]
            continue
        oracle.cache_clear()
        if name in published:
            assert service.strategy(service.rules(name)).info.sha256 == published[name]["sha256"]
        for request in requests(name, number):
            value, options = summary(service.answer(request))
            position: Position = {"request": request, "value": round(value, 11)}
            if options:
                best = sorted(options.items(), key=lambda option: -option[1])[:OPTIONS]
                position |= {
                    "options": [[option, round(each, 11)] for option, each in best],
                    "number": len(options),
                }
            made.append(position | {"checked": check(position)})
            print(f"{len(made)} {name}", end="\r", file=sys.stderr)
    lines = ",\n".join(json.dumps(position) for position in made)
    FILE.write_text(
        f'{{"schema": 1, "tolerance": {TOLERANCE}, "positions": [\n{lines}\n]}}\n', encoding="utf-8"
    )


def main(arguments: list[str]) -> str | None:
    """Write the file, or ask a command; what is wrong."""
    if arguments[:1] == ["make"]:
        make(arguments[1:])
        return None
    asked = positions()
    found = differences(asked, ask_command(arguments[1:], asked))
    print(f"{len(asked) - len(found)} of {len(asked)} golden positions answered alike")
    return "\n".join(found) or None


if __name__ == "__main__":
    sys.path[:0] = [str(ROOT), str(ROOT / "tests")]
    sys.exit(main(sys.argv[1:]))
