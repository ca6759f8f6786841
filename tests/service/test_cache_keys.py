"""Every field of a request is in the key of its answer, and an answer from the cache is that of a new service."""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from perfect_yatzy import RuleSet, Scorecard
from perfect_yatzy.errors import language_scope
from perfect_yatzy.service.queries import Decision, QueryService
from perfect_yatzy.service.requests import COMMON_FIELDS, QUERY_FIELDS, ObjectiveRequest, Request, parse_request
from perfect_yatzy.service.resolver import _goal_keys, _opponent_key, _utility_key
from perfect_yatzy.strategy.strategy import CheckedPosition
from support.games import joker_game

RULES = joker_game("free", saved_rolls=True)
OTHER_RULES = replace(RULES, bonus=None)  # with the same key
CARD = {"triple": 9, "face-1": 1}


def find_rules(name: str) -> RuleSet:
    return {"small": RULES, "other": OTHER_RULES}[name]


def parsed(**given: Any) -> Request:
    return parse_request({"rules": "small", **given}, find_rules)


# Another value of each field of the classes; `None`: it follows from the others, or only repeats what was asked.
OTHERS: dict[type, dict[str, Any]] = {
    Request: {
        "query": "score", "rules": OTHER_RULES, "position": None, "dice": (1, 1, 1), "rolls_left": 2, "games": 100,
        "seed": 2, "difficulty": "hard", "explain": True, "include_distribution": True,
        "exact": True, "digits": 3, "echo": None,
    },
    Scorecard: {"rules": None, "points": {0: 2, 3: 9}, "saved": 1, "bonus_points": 4},
    ObjectiveRequest: {"goal": 12, "opponents": (10, 12), "ties": "win", "two_sided": True},
}  # fmt: skip


def changed(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """A value with one field changed, for every field of its class and of the classes in it."""
    for field in fields(value):
        old = getattr(value, field.name)
        inner = type(old) in OTHERS
        assert inner != (field.name in OTHERS[type(value)]), f"give another value of {path}{field.name}"
        own = path + field.name
        for name, other in changed(old, f"{own}.") if inner else [(own, OTHERS[type(value)][field.name])]:
            if other is not None:
                assert other != old
                yield name, replace(value, **{field.name: other})


@pytest.mark.parametrize("objective", [{"goal": 11}, {"opponents": [10], "ties": "half"}], ids=["goal", "opponents"])
def test_every_field_of_a_request_distinguishes_it(objective: dict[str, Any]) -> None:
    """Fields of cards and objectives, too. A new field needs another value above."""
    request = parsed(query="hold", dice="123", rolls_left=1, card=CARD, **objective)
    keys, variants = {request: "the request"}, dict(changed(request))
    assert {"card.saved", "objective.ties", "explain", "seed"} <= variants.keys()
    for name, other in variants.items():
        assert keys.setdefault(other, name) == name
    assert {replace(request, echo={"id": 1})} == {request}
    assert request.position == CheckedPosition(RULES, request.card.state, request.card.total)


def test_the_keys_of_strategies_have_all_that_their_values_depend_on() -> None:
    request = parsed(query="hold", dice="123", rolls_left=1, card=CARD, opponents=[10, "face-3=6"], ties="half")

    def keys_of(asked: Request) -> dict[str, Any]:
        asked = replace(asked, position=CheckedPosition(asked.rules, asked.card.state, asked.card.total))
        whole, rest = _goal_keys(asked)
        assert asked.objective
        keys = {"utility": _utility_key(asked), "opponent": _opponent_key(asked.rules, asked.card)}
        return keys | {"all goals": whole, "goals": rest}

    card = {"card.points", "card.saved", "card.bonus_points"}
    expected = {
        "utility": {"rules", *card, "objective.goal", "objective.opponents", "objective.ties", "objective.two_sided"},
        "opponent": {"rules", *card},
        "all goals": {"rules"},
        "goals": {"rules", "card.points", "card.saved"},  # the points so far only move the goal
    }
    found: dict[str, set[str]] = {name: set() for name in expected}
    for name, other in changed(request):
        for kind, key in keys_of(other).items():
            if key != keys_of(request)[kind]:
                found[kind].add(name)
    assert found == expected


# Two values of each field of the requests that people send.
VALUES: dict[str, tuple[Any, Any]] = {
    "rules": ("small", "other"), "id": ("a", "b"), "card": (CARD, {"triple": 9, "face-1": 2}), "saved": (0, 1),
    "bonus_points": (0, 4), "dice": ("123", "133"), "rolls_left": (1, 2), "explain": (False, True), "goal": (11, 12),
    "opponents": ([10], ["face-3=6"]), "ties": ("loss", "half"),
    "versus": ("triple=9 face-3=3", "triple=0 face-3=6"), "games": (0, 100), "seed": (1, 2),
    "spread": (False, True), "exact": (False, True), "digits": (3, 4), "hold": ("1", "3"),
    "date": ("2026-11-20", "2026-11-21"), "difficulty": ("easy", "hard"),
}  # fmt: skip


@pytest.fixture
def services(tmp_path: Path) -> tuple[QueryService, QueryService]:
    both = QueryService(tmp_path), QueryService(tmp_path)
    for service in both:
        service._rules.put("small", RULES)
        service._rules.put("other", OTHER_RULES)
    return both


@pytest.mark.parametrize("query", ["hold", "score", "expect", "outcomes"])
def test_cached_answers_are_those_of_a_new_service(query: str, services: tuple[QueryService, QueryService]) -> None:
    cached, new = services
    known = COMMON_FIELDS | QUERY_FIELDS[query]
    for field in sorted(known - {"query"}):
        aim = "opponents" if field == "ties" else field if field in ("opponents", "versus") else "goal"
        left_out = {"goal", "opponents", "versus", "ties"} - {aim, "goal" if aim == "goal" else "ties"}
        if field in ("exact", "digits"):
            left_out |= {"goal"}  # options are ranked by exact means
        base = {name: VALUES[name][0] for name in sorted(known - {"query", *left_out})} | {"query": query}
        for value in VALUES[field]:
            request = cached.parse(base | {field: value})
            assert (
                cached.answer(request)
                == cached.answer(request)
                == Decision(new, request, None, new.plan(request)).compute() | request.echo
            )
        first, second = (cached.parse(base | {field: value}) for value in VALUES[field])
        assert (first == second) == (field == "id")


def test_keys_of_puzzles_have_every_field() -> None:
    assert set(VALUES) == frozenset.union(COMMON_FIELDS, *QUERY_FIELDS.values()) - {"query"}
    base: dict[str, Any] = {"query": "puzzle", "rules": "small", "date": "2026-11-20"}
    for field in QUERY_FIELDS["puzzle"] | {"rules"}:
        rest = {name: value for name, value in base.items() if (field, name) != ("seed", "date")}
        asked = [rest | {field: value} for value in VALUES[field]]
        keys = {parse_request(fields, find_rules) for fields in asked}
        assert len(keys) == 2, field


def test_an_answer_is_cached_for_its_language(services: tuple[QueryService, QueryService]) -> None:
    """Certificates and estimates are described in words."""
    service = services[0]
    request = service.parse({"query": "expect", "rules": "small", "id": 1})
    answer = service.answer(request)
    assert service.cached_answer(request) == answer
    with language_scope("sv"):
        assert service.cached_answer(request) is None
        service.answer(request)
        assert service.cached_answer(request) is not None


def test_every_class_in_a_request_is_examined() -> None:
    request = parsed(query="hold", dice="123", goal=11)
    inner = {type(getattr(request, field.name)) for field in fields(request)}
    assert {kind for kind in inner if is_dataclass(kind)} - {RuleSet, CheckedPosition} == {*OTHERS} - {Request}
