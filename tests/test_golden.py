"""The golden positions (.ci/golden.py): command, Python, server and engine give the answers of
the file.
"""

import json
import random
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from itertools import groupby
from pathlib import Path
from typing import Any

import perfect_yatzy
import pytest
from golden import (
    FILE,
    PAGED,
    POSITIONS,
    TOLERANCE,
    Position,
    ask_command,
    differences,
    games,
    positions,
    wrong,
)
from perfect_yatzy.service.queries import QueryService
from support.command import run_here
from support.engine import ask_engine, make_site
from support.seeds import ring_3, seeds
from support.server import app_client

SAMPLE = ("crag", "generala", "yatzy-forced")
Answers = list[dict[str, Any]]


def rules_of(position: Position) -> str:
    return str(position["request"]["rules"])


def asked_of(position: Position) -> tuple[str, dict[str, Any]]:
    """The name of the query and its other fields."""
    fields = dict(position["request"])
    return fields.pop("query"), fields


def by_python(asked: list[Position]) -> list[str]:
    """What is wrong in the answers of the Python API."""
    found = []
    for position in asked:
        _, fields = asked_of(position)
        strategy = perfect_yatzy.open_strategy(fields["rules"])
        beside = fields.get("saved", 0), fields.get("bonus_points", 0)
        card = perfect_yatzy.parse_card(strategy.rules, fields["card"], *beside)
        options: dict[str, float] = {}
        if position["request"]["query"] == "hold":
            holds = strategy.holds(card, fields["dice"], fields["rolls_left"])
            options = {"".join(map(str, each.dice)): card.total + each.value for each in holds}
        elif "dice" in fields:
            choices = strategy.categories(card, fields["dice"], fields["rolls_left"])
            options = {each.category: card.total + each.value for each in choices}
        value = max(options.values()) if options else card.total + strategy.value(card)
        found += [text] if (text := wrong(position, value, options)) else []
    return found


@contextmanager
def server(asked: list[Position]) -> Iterator[Any]:
    """A client of a server that has the tables, which it would not solve unasked."""
    for name in {*map(rules_of, asked)}:
        perfect_yatzy.open_strategy(name)
    with app_client() as client:
        yield client


def by_server(asked: list[Position]) -> Answers:
    with server(asked) as client:
        return [
            client.post(f"/api/{query}", json=body).json() for query, body in map(asked_of, asked)
        ]


def by_address(asked: list[Position]) -> list[str]:
    """Where the answer to an address is not that to a body."""
    found = []
    with server(asked) as client:
        for query, body in map(asked_of, asked):
            fields = {
                name: value if isinstance(value, str) else json.dumps(value)
                for name, value in body.items()
            }
            answer = client.get(f"/api/{query}", params=fields).json()
            if "error" in answer or answer != client.post(f"/api/{query}", json=body).json():
                found.append(f"{query} {fields}: GET and POST differ")
    return found


def by_engine(asked: list[Position], folder: Path) -> Answers:
    make_site(folder, QueryService(), dict.fromkeys(map(rules_of, asked)), values_only=True)
    replies = ask_engine(folder, map(asked_of, asked))
    shutil.rmtree(folder)  # of large games half a gigabyte
    return [reply.get("answer") or {"error": json.dumps(reply["error"])} for reply in replies]


def by_command(asked: list[Position]) -> Answers:
    """Those of a process; a few questions are asked in this one."""
    if len(asked) > 100:
        return ask_command([sys.executable, "-m", "perfect_yatzy"], asked)
    lines = "".join(json.dumps(position["request"]) + "\n" for position in asked)
    return [
        json.loads(line) for line in run_here("hold", "--jsonl", stdin=lines).stdout.splitlines()
    ]


WAYS: dict[str, Callable[[list[Position], Path], list[str]]] = {
    "command": lambda asked, _: differences(asked, by_command(asked)),
    "python": lambda asked, _: by_python(asked),
    "server": lambda asked, _: differences(asked, by_server(asked)),
    "address": lambda asked, _: by_address(asked),
    "engine": lambda asked, folder: differences(asked, by_engine(asked, folder)),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_sample_is_answered_alike(way: str, store: Path, tmp_path: Path) -> None:
    asked = [position for position in positions() if rules_of(position) in SAMPLE]
    assert len(asked) > 40
    assert WAYS[way](asked, tmp_path) == []


@pytest.mark.parametrize("seed", [*seeds(0, 1), ring_3(None, id="all")])
@pytest.mark.parametrize("way", WAYS)
def test_all_are_answered_alike(way: str, seed: int | None, store: Path, tmp_path: Path) -> None:
    """Those of 25 games and variants drawn in ring 2, all in ring 3."""
    asked = positions()
    assert len(asked) == POSITIONS
    if seed is not None:
        chosen = random.Random(seed).sample(sorted({*map(rules_of, asked)}), 25)
        asked = [position for position in asked if rules_of(position) in chosen]
    small = [position for position in asked if rules_of(position) not in PAGED]
    if way == "engine":  # its whole numbers have bits for 30 boxes
        small = [position for position in small if not rules_of(position).startswith("giant")]
        assert seed is not None or len(small) > 390
    found = WAYS[way](small, tmp_path / "small") if small else []
    for name, group in groupby(
        (position for position in asked if rules_of(position) in PAGED), rules_of
    ):
        found += WAYS[way]([*group], tmp_path / name)
    assert found == []


@pytest.mark.full
def test_the_file_has_every_game_with_an_exact_table() -> None:
    assert {name: len([*group]) for name, group in groupby(positions(), rules_of)} == games()
    assert {position["checked"] for position in positions()} == {"turn", "whole game"}
    assert FILE.stat().st_size < 400_000


def test_a_planted_difference_fails(store: Path) -> None:
    """In the value, in an option, in what options there are; an error; more than the best."""
    score = next(
        each
        for each in positions()
        if each["request"]["query"] == "score" and rules_of(each) == "generala"
    )
    answer = QueryService().answer(score["request"])
    assert differences([score], [answer]) == []
    best, second = answer["categories"][:2]
    for change in (
        {"expected_final_score": answer["expected_final_score"] + 2 * TOLERANCE},
        {"expected_final_score": float("nan")},
        {
            "categories": [
                best | {"expected_final_score": best["expected_final_score"] - 2 * TOLERANCE},
                *answer["categories"][1:],
            ]
        },
        {"categories": [best, second | {"category": best["category"]}, *answer["categories"][2:]]},
        {
            "categories": [
                *answer["categories"][:-1],
                answer["categories"][-1] | {"expected_final_score": 999.0},
            ]
        },
        {"categories": answer["categories"][:-1]},
        {"error": "the table is damaged"},
    ):
        assert len(differences([score], [deepcopy(answer) | change])) == 1, change
