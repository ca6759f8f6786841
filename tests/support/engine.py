"""The engine of a static site under node, and random positions to ask it about."""

import json
import random
import subprocess
from collections.abc import Iterable, Iterator
from datetime import date
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from perfect_yatzy import RuleSet, Scorecard
from perfect_yatzy.core.dice import lattice
from perfect_yatzy.core.scoring import is_joker, scoring_options
from perfect_yatzy.game.notation import dice_of
from perfect_yatzy.service.queries import QueryService
from perfect_yatzy.web.site.folder import SiteOptions, write_site

from .need import need_program

DRIVER = Path(__file__).resolve().parents[1] / "web" / "engine_driver.mjs"
NODE_SECONDS = 900
TOLERANCE = 1e-6
# Stored with few bits: the deviation where there is no distribution, the chance of the bonus.
ROUNDED = {"answer.standard_deviation": 0.003, "bonus_chance": 2e-4}
FIRST_DAY = date(2026, 11, 22)

Question = tuple[str, dict[str, Any]]


def make_site(
    folder: Path,
    service: QueryService,
    rules: Iterable[str | RuleSet],
    puzzles: int = 0,
    *,
    values_only: bool = False,
    in_pages: bool = False,
) -> dict[str, int]:
    """Write a site with these rule sets; the sizes of its files.

    `values_only`: without standard deviations, chances of the bonus and distributions, which take
    time to compute. `in_pages`: tables are read in pages, as those of large games.
    """
    options = SiteOptions(puzzles, FIRST_DAY)
    chosen = [service.rules(each) if isinstance(each, str) else each for each in rules]
    for each in chosen:
        service.register(each)
    with pytest.MonkeyPatch.context() as patch:
        if values_only:
            patch.setattr("perfect_yatzy.web.site.folder._other_tables", lambda *_: iter(()))
            patch.setattr("perfect_yatzy.web.site.folder.has_distribution", lambda _: False)
        if in_pages:
            patch.setattr("perfect_yatzy.web.site.folder.WHOLE_VALUES", 1000)
        return write_site(folder, chosen, service, options)


def ask_engine(
    folder: Path, questions: Iterable[Question], *, crypto: bool = True
) -> list[dict[str, Any]]:
    """The answers of the engine of a site: each with ``answer`` or ``error``, and the milliseconds
    it took.

    `crypto` is whether the engine has that of a browser, as on pages of https.
    """
    lines = "\n".join(json.dumps({"path": path, "body": body}) for path, body in questions)
    options = [] if crypto else ["http"]
    return [json.loads(line) for line in run_node(DRIVER, folder, lines, *options).splitlines()]


def run_node(driver: Path, folder: Path, text: str, *options: str) -> str:
    """What a driver prints about a folder for a text on its standard input."""
    command = [need_program("node", "nodejs"), str(driver), str(folder), *options]
    # Only an endless loop takes so long.
    done = subprocess.run(
        command, input=text, capture_output=True, text=True, timeout=NODE_SECONDS, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def random_positions(rules: RuleSet, number: int, seed: int) -> Iterator[Question]:
    """Questions about positions of games of random decisions, with many jokers: ``hold`` with
    rerolls left, else ``score``.
    """
    generator, grid = random.Random(seed), lattice(rules.dice, rules.faces)
    rolls = grid.counts[grid.first_roll :].tolist()
    jokers = [counts for counts in rolls if is_joker(rules, counts)]
    made = 0
    while True:
        card = Scorecard(rules)
        for _ in range(len(rules.categories)):
            most = rules.rolls_per_turn - 1 + card.saved
            left, counts = generator.randint(0, most), generator.choice(rolls)
            if jokers and generator.random() < 0.3:
                counts = generator.choice(jokers)
            body: dict[str, Any] = {
                "rules": rules.key,
                "card": {rules.categories[c].id: points for c, points in card.points.items()},
                "dice": list(dice_of(counts)),
                "rolls_left": left,
            }
            if card.bonus_points:
                body["bonus_points"] = card.bonus_points
            if rules.saved_rolls:
                body["saved"] = card.saved
            yield "hold" if left and generator.random() < 0.8 else "score", body
            made += 1
            if made == number:
                return
            state = card.state
            allowed = scoring_options(rules, state.filled, state.joker_paid, counts, left == most)
            c = generator.choice(sorted(allowed))
            card = card.filled_with(c, *allowed[c], left if rules.saved_rolls else 0)


def difference(found: Any, expected: Any, place: str = "answer") -> str:
    """Where two answers differ: in a field, in an order, or in a number by more than TOLERANCE;
    empty if nowhere.
    """
    if isinstance(expected, dict) and isinstance(found, dict):
        if set(found) != set(expected):
            return f"{place}: fields {sorted(set(found) ^ set(expected))}"
        pairs = [(f"{place}.{name}", found[name], expected[name]) for name in expected]
    elif isinstance(expected, list) and isinstance(found, list):
        if len(found) != len(expected):
            return f"{place}: {len(found)} entries, not {len(expected)}"
        # the likely first; the order of equal chances is that of rounding
        if place.endswith("outlook.categories"):
            if any(before[1] < after[1] - TOLERANCE for before, after in pairwise(found)):
                return f"{place}: not by their chances"
            found, expected = sorted(found), sorted(expected)
        if place == "answer.outcomes":
            found, expected = (
                sorted(each, key=lambda entry: entry["rolled"]) for each in (found, expected)
            )
        pairs = [(f"{place}[{i}]", found[i], expected[i]) for i in range(len(expected))]
    elif (
        isinstance(expected, float)
        and isinstance(found, int | float)
        and not isinstance(found, bool)
    ):
        # A loss is 0 exactly for options that are equal.
        tie = place.endswith(".loss") and (found == 0) != (expected == 0)
        tolerance = ROUNDED.get(place, ROUNDED.get(place.rpartition(".")[2], TOLERANCE))
        return (
            f"{place}: {found!r}, not {expected!r}"
            if tie or abs(found - expected) > tolerance
            else ""
        )
    else:
        return "" if found == expected else f"{place}: {found!r}, not {expected!r}"
    return next((text for pair in pairs if (text := difference(pair[1], pair[2], pair[0]))), "")


def differences(folder: Path, service: QueryService, questions: list[Question]) -> list[str]:
    """Where the engine answers differently from Python."""
    found = []
    for (path, body), reply in zip(questions, ask_engine(folder, questions), strict=True):
        expected = service.answer({"query": path} | body)
        if text := difference(reply.get("answer", reply.get("error")), expected):
            found.append(f"{path} {json.dumps(body)}: {text}")
    return found
