"""Memory, disk, budget and the numbers of a request at their edge: exactly so much is allowed, one more is refused."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from perfect_yatzy import RulesError, SolverError, StateError, TableError, load_rules, parse_card
from perfect_yatzy.model.estimates import SolveCost
from perfect_yatzy.service import budget
from perfect_yatzy.service.budget import SolveBudget, SolveLimit
from perfect_yatzy.service.queries import QueryService
from perfect_yatzy.service.requests import parse_request
from perfect_yatzy.service.work import Work
from perfect_yatzy.strategy import distribution
from perfect_yatzy.tablebase import memory
from support.refusals import refused

YATZY = load_rules("yatzy")
COST = SolveCost(values=1, bytes=1_000, memory=5_000, seconds=10.0)


def taken_up_to(
    most: Any, step: Any, call: Callable[[Any], object], error: type[SolverError], text: str | None = None
) -> None:
    """A call succeeds with a number, and is refused with the next."""
    call(most)
    with pytest.raises(error, match=text):
        call(most + step)


def test_sixteen_megabytes_of_the_disk_stay_free(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: SimpleNamespace(free=16_777_216 + 1_000))
    taken_up_to(1_000, 1, lambda size: memory.check_space(tmp_path, size), TableError, "has 16 MB free and the table")
    assert memory.free_space(tmp_path / "not" / "there") == 16_778_216

    monkeypatch.setattr(shutil, "disk_usage", lambda folder: os.stat(tmp_path / "nothing"))  # an OSError
    assert memory.free_space(tmp_path) is None


def test_a_solve_may_take_all_of_the_free_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "MemTotal:  99 kB\nMemFree:  3 kB\nMemAvailable:       7 kB\n"
    monkeypatch.setattr(Path, "read_text", lambda path, **rest: text if str(path) == "/proc/meminfo" else "")
    assert memory.available_memory() == 7 * 1024
    said, check = "needs 0.00 GB of memory", memory.check_memory
    taken_up_to(7_168, 1, lambda size: check(YATZY, replace(COST, memory=size)), RulesError, said)
    text = "MemTotal:  99 kB\n"
    assert memory.available_memory() is None
    memory.check_memory(YATZY, replace(COST, memory=1 << 60))


def test_the_limits_of_solves_belong_to_what_is_allowed() -> None:
    kinds: tuple[tuple[str, Callable[[SolveBudget, SolveCost], None]], ...] = (
        ("mean", lambda allowed, cost: allowed.check_mean(YATZY, cost)),
        ("objective", lambda allowed, cost: allowed.check_objective(YATZY, cost)),
    )
    for limit, check in kinds:
        allowed = SolveBudget(**{limit: SolveLimit(10.0, 1_000)})  # type: ignore[arg-type]
        taken_up_to(10.0, 0.001, lambda most: check(allowed, replace(COST, seconds=most)), RulesError)  # noqa: B023
        taken_up_to(1_000, 1, lambda most: check(allowed, replace(COST, bytes=most)), RulesError)  # noqa: B023
    command = SolveBudget.command()
    text = r"the limit is 2\.0 GB and 180 s; ask from a later card$"
    for beyond in (replace(COST, bytes=2_000_000_001), replace(COST, seconds=180.1)):
        refused(text, command.check_objective, YATZY, beyond, error=RulesError)
    stored = SolveBudget(stored_bytes=3_000)
    taken_up_to(2_000, 1, lambda before: stored.check_stored(YATZY, before, COST), RulesError, "stores no more")


def test_what_is_announced_and_what_is_confirmed_at_the_edge() -> None:
    allowed = SolveBudget(instant_seconds=10.0, unasked_seconds=2.0)
    assert allowed.announces(COST)
    assert not allowed.announces(replace(COST, seconds=9.999))
    two = [Work("table", 9.0, 0, 0, 1.0), Work("distribution", 9.0, 0, 0, 1.0)]
    assert not allowed.needs_confirmation(two)
    assert allowed.needs_confirmation([*two, Work("opponents", 0.0, 0, 0, 0.001)])
    assert allowed.confirms
    assert not SolveBudget.command().confirms


@pytest.mark.parametrize("change", [{}, {"seconds": 15.001}, {"bytes": 4_000_001}, {"memory": 5_001}], ids=str)
def test_distributions_after_first_turns_are_made_up_to_their_limits(
    change: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    cost = replace(SolveCost(1, 4_000_000, 5_000, 15.0), **change)
    monkeypatch.setattr(distribution, "first_turns_cost", lambda rules: cost)
    monkeypatch.setattr(budget, "available_memory", lambda: 5_000)
    assert SolveBudget().makes_first_turns(YATZY) == (not change)
    assert not SolveBudget(objective=SolveLimit(seconds=14.999)).makes_first_turns(YATZY)
    assert not SolveBudget().makes_first_turns(load_rules("giant"))


def test_opponents_up_to_the_number_of_the_budget() -> None:
    service = QueryService(budget=SolveBudget(opponents=8))

    def plan(count: int) -> object:
        return service.plan(service.parse({"query": "expect", "opponents": [250] * count}))

    taken_up_to(8, 1, plan, StateError, "9 opponents; there can be at most 8")


SAVED = "ones=3 twos=6"  # two turns, of which four rolls can be saved
NUMBERS: list[tuple[dict[str, Any], str, int, int]] = [  # request, field, lowest and highest value
    ({"query": "hold"}, "rolls_left", 1, 2),
    ({"query": "score"}, "rolls_left", 0, 2),
    ({"query": "outcomes", "hold": "33"}, "rolls_left", 1, 2),
    ({"query": "hold", "rules": "yatzy-saved", "card": SAVED, "saved": 3}, "rolls_left", 1, 5),
    ({"query": "score", "rules": "yatzy-saved", "card": SAVED, "saved": 3}, "rolls_left", 0, 5),
    ({"query": "expect", "rules": "yatzy-saved"}, "saved", 0, 0),
    ({"query": "expect", "rules": "yatzy-saved", "card": "ones=3"}, "saved", 0, 2),
    ({"query": "expect", "rules": "yatzy-saved", "card": SAVED}, "saved", 0, 4),
    ({"query": "expect", "rules": "yatzy"}, "saved", 0, 0),
    ({"query": "expect"}, "games", 100, 10_000_000),
    ({"query": "expect"}, "goal", 0, 99_999),
    ({"query": "expect"}, "seed", 0, 2**63 - 1),
    ({"query": "puzzle"}, "seed", 0, 2**63 - 1),
    ({"query": "expect", "rules": "yahtzee", "card": "yahtzee=50 aces=3"}, "bonus_points", 0, 100),
    ({"query": "expect", "card": ""}, "bonus_points", 0, 0),
]


@pytest.mark.parametrize(
    ("request_", "field", "low", "high"),
    [pytest.param(*row, id=f"{row[1]} of {row[0]['query']} {number}") for number, row in enumerate(NUMBERS)],
)
def test_numbers_of_a_request_from_the_lowest_to_the_highest(
    request_: dict[str, Any], field: str, low: int, high: int
) -> None:
    dice = {"dice": "33456"} if request_["query"] in ("hold", "score") else {}

    def parse(number: int) -> object:
        return parse_request(request_ | dice | {field: number}, load_rules)

    taken_up_to(high, 1, parse, StateError)
    taken_up_to(low, -1 if low < 100 else -99, parse, StateError)


def test_dice_points_and_games_from_the_lowest_to_the_highest() -> None:
    for query, field in (("hold", "dice"), ("outcomes", "hold")):
        for faces, taken in (([1] * 5, True), ([6] * 5, True), ([1] * 4 + [0], False), ([6] * 4 + [7], False)):
            asked = {"query": query, field: faces}
            if taken:
                assert parse_request(asked, load_rules).dice == tuple(faces)
            else:
                with pytest.raises(StateError) as caught:
                    parse_request(asked, load_rules)
                assert (caught.value.code, caught.value.field) == ("invalid-dice", field)
    assert parse_request({"query": "outcomes", "hold": ""}, load_rules).dice == ()
    refused("cannot be held", parse_request, {"query": "outcomes", "hold": [1] * 6}, load_rules)
    assert parse_card(YATZY, "chance=30 yatzy=50").total == 80
    for wrong in ("chance=31", "chance=4", "yatzy=49", "ones=6", "sixes=31"):
        refused("cannot hold", parse_card, YATZY, wrong)
    assert parse_request({"query": "expect", "games": 0}, load_rules).games == 0
    refused("games is 99; must be from 100 to 10000000", parse_request, {"query": "expect", "games": 99}, load_rules)
