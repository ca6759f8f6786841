"""One check and one evaluation for each request; caches, their keys and locks; what a request
may solve.
"""

import json
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import fields, is_dataclass, replace
from itertools import combinations, product
from pathlib import Path
from typing import Any
from unittest.mock import Mock, create_autospec

import perfect_yatzy
import pytest
from perfect_yatzy import (
    RulesError,
    RuleSet,
    Scorecard,
    State,
    Strategy,
    distribution,
    errors,
    load_rules,
    parse_card,
    reach,
)
from perfect_yatzy.cli.views.answer_text import expect_lines
from perfect_yatzy.core.state_space import StateSpace
from perfect_yatzy.errors import CODES, SolverError
from perfect_yatzy.field.description import Field
from perfect_yatzy.game import card_checks, notation
from perfect_yatzy.objectives.scores import Goals
from perfect_yatzy.service import queries
from perfect_yatzy.service.answer_types import HTTP_CODES
from perfect_yatzy.service.budget import SolveBudget, SolveLimit
from perfect_yatzy.service.cache import WeightedLRUCache
from perfect_yatzy.service.queries import Decision, QueryService
from perfect_yatzy.service.requests import (
    COMMON_FIELDS,
    OBJECTIVE_FIELDS,
    OBJECTIVES,
    QUERY_FIELDS,
    ObjectiveRequest,
    Request,
    parse_request,
)
from perfect_yatzy.service.resolver import _goal_keys, _opponent_key, _utility_key
from perfect_yatzy.settings import Progress, Settings
from perfect_yatzy.strategy import actions, score_strategy
from perfect_yatzy.strategy import strategy as strategies
from perfect_yatzy.strategy.score_strategy import goals_to_solve
from perfect_yatzy.strategy.strategy import CheckedPosition
from perfect_yatzy.strategy.turn_evaluator import ScoreEvaluator, TurnEvaluator
from perfect_yatzy.tablebase.estimates import solve_cost
from perfect_yatzy.tablebase.store import has_table, solve_to_store
from perfect_yatzy.web.app import RequestScheduler
from perfect_yatzy.words import language_scope
from support.command import Run
from support.games import joker_game, saved_rolls_game
from support.players import in_memory
from support.refusals import load_text, refused

LATE = "ones=3 twos=6 threes=9 fours=12 fives=15 sixes=18 one-pair=10"
TWO = f"{LATE} chance=20; 231"  # opponents
TURNS = {"turns of the mean": 1, "turns of the objective": 1}
HOLD = {"turns of the mean": 1, "rankings of the mean": 2}  # of the holds, and of the categories
RANKINGS = {"rankings of the objective": 1}  # the mean orders equal options within it


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often cards and states are checked, turns evaluated and categories ranked, by the kind
    of evaluator.
    """
    counted: Counter[str] = Counter()

    def count(owner: Any, name: str, label: Callable[[Any], str]) -> None:
        real = getattr(owner, name)

        def counting(*args: Any) -> Any:
            counted[label(args[0])] += 1
            return real(*args)

        monkeypatch.setattr(owner, name, counting)

    def kind(evaluator: TurnEvaluator) -> str:
        return "objective" if isinstance(evaluator, ScoreEvaluator) else "mean"

    for module in (card_checks, notation):
        count(module, "check_card", lambda card: "card")
    count(StateSpace, "check", lambda space: "state")
    count(strategies, "check_state", lambda rules: "state")
    count(TurnEvaluator, "hold_values", lambda evaluator: f"turns of the {kind(evaluator)}")
    # What is counted is what NumPy does, whether or not other tests have loaded the kernels.
    monkeypatch.setattr(actions, "compiled_turn", lambda _evaluator: None)
    count(queries, "ranked_entries", lambda turn: f"rankings of the {kind(turn.evaluator)}")
    return counted


@pytest.mark.parametrize(
    ("fields", "evaluations"),
    [
        ({"query": "hold", "dice": "33456"}, HOLD),
        ({"query": "hold", "dice": "33456", "goal": 240}, TURNS | {"rankings of the objective": 2}),
        (
            {"query": "hold", "dice": "33456", "opponents": [231, 240], "ties": "half"},
            TURNS | {"rankings of the objective": 2},
        ),
        ({"query": "score", "dice": "33456"}, {"rankings of the mean": 1}),
        ({"query": "score", "dice": "33456", "goal": 240}, RANKINGS),
        ({"query": "expect", "games": 100}, {}),
        ({"query": "expect", "goal": 240}, {}),
        ({"query": "outcomes", "hold": [3, 3], "rolls_left": 2}, {"turns of the mean": 1}),
        (
            {"query": "score", "dice": "33456", "opponents": TWO},
            {"card": 2, "state": 2, **RANKINGS},
        ),
    ],
)
def test_a_request_checks_its_card_and_evaluates_its_turn_once(
    yatzy: Strategy, calls: Counter[str], fields: dict[str, Any], evaluations: dict[str, int]
) -> None:
    """In the service and in the server."""
    service, scheduler, asked = (
        QueryService(),
        RequestScheduler(None, None),
        {"card": LATE, **fields},
    )
    own = {name: value for name, value in asked.items() if name != "query"}
    for known, ask in (
        (service, lambda: service.answer(asked)),
        (scheduler.service, lambda: scheduler.answer(fields["query"], own, lambda: False)),
    ):
        known.strategy(yatzy.rules)
        calls.clear()
        ask()
        assert calls == {"card": 1, "state": 1} | evaluations


@pytest.mark.parametrize("aim", [{}, {"goal": 240}])
def test_a_request_is_decided_once(
    yatzy: Strategy, monkeypatch: pytest.MonkeyPatch, aim: dict[str, int]
) -> None:
    """The scheduler of the server and the service share one decision."""
    names = ("plan", "decide", "mean_works", "strategy", "compute")
    spies = {}
    for name in names:
        owner = Decision if name == "compute" else QueryService
        real = getattr(owner, name)
        spies[name] = create_autospec(real, side_effect=real)
        monkeypatch.setattr(owner, name, spies[name])
    RequestScheduler(None, None).answer(
        "hold", {"card": LATE, "dice": "33456", **aim}, lambda: False
    )
    assert {name: spy.call_count for name, spy in spies.items()} == dict.fromkeys(names, 1)


def test_public_methods_check_once(yatzy: Strategy, calls: Counter[str]) -> None:
    card = parse_card(yatzy.rules, LATE)
    goal = reach("yatzy", 240, card)
    asks = (
        lambda: yatzy.holds(card, "33456"),
        lambda: yatzy.categories(card, "33456"),
        lambda: yatzy.value(card),
    )
    for ask in (*asks, lambda: goal.value(card)):
        calls.clear()
        ask()
        assert (calls["card"], calls["state"]) == (1, 1)


def test_a_checked_position_is_checked_again_only_for_another_game(
    yatzy: Strategy, calls: Counter[str]
) -> None:
    position = yatzy.check(LATE)
    calls.clear()
    assert yatzy.value(position) == yatzy.value(position.state)
    assert calls == {"state": 1}
    refused(
        "belongs to yatzy, not to generala", perfect_yatzy.open_strategy("generala").value, position
    )
    refused("begins at a card", reach("yatzy", 240, f"{LATE} chance=20").value, position)


def parsed(**fields: Any) -> Request:
    return parse_request({"query": "hold", "dice": "33456", **fields}, load_rules)


def test_requests_that_mean_the_same_are_alike() -> None:
    assert parsed(card="ones=3", id=1) == parsed(card={"ones": 3}, id=2, rolls_left=2)
    text = parsed(opponents="251; ones=3 sixes=24; empty")
    for given in ([251, "ones=3 sixes=24", "empty"], ["251; ones=3 sixes=24", "empty"]):
        assert parsed(opponents=given).objective == text.objective
    names = ("bonus_points", "extra")
    one, other = (
        parsed(rules="yahtzee", opponents=f"yahtzee=50 aces=3 {name}=100") for name in names
    )
    assert one.objective == other.objective


def test_every_code_of_the_package_is_documented() -> None:
    sources = "".join(path.read_text() for path in Path(errors.__file__).parent.rglob("*.py"))
    used = set(
        re.findall(
            r'(?:\bcode|default_code|"code")(?:: ClassVar\[str\])?\s*[=:]\s*"([a-z-]+)"', sources
        )
    )
    assert used <= CODES | HTTP_CODES
    assert (
        set(re.findall(r'^ {8}"([a-z-]+)",', Path(errors.__file__).read_text(), re.MULTILINE))
        == CODES
    )


def test_goals_of_the_whole_game_or_of_its_rest() -> None:
    """The one place that decides it, over all cases."""
    rules = load_rules("yatzy-forced")
    state = parse_card(rules, "ones=3 twos=6").state
    small, large = (solve_cost(Goals(rules, start)) for start in (state, State()))
    assert small.bytes < large.bytes

    def decision(instant: float, most: float, exists: bool = False) -> tuple[State, bool]:
        solve = goals_to_solve(rules, state, exists, instant, lambda cost: cost.bytes <= most)
        assert (solve.cost is None) == exists
        return solve.objective.start, solve.stored

    assert decision(0.0, 0.0, exists=True) == (State(), True)
    assert decision(1e9, 0.0) == (state, False)  # instant: no matter how large
    assert decision(0.0, large.bytes) == (State(), True)
    assert decision(0.0, small.bytes) == (state, False)
    # neither: the one that can be solved beforehand is named
    assert decision(0.0, 0.0) == (
        State(),
        True,
    )


def test_what_a_question_may_solve(tmp_path: Path) -> None:
    """Announced before it begins; the rest of a game where all goals are too much; neither,
    refused.
    """
    rules = load_rules("yatzy-forced")
    perfect_yatzy.open_strategy(rules, tmp_path)
    card = parse_card(rules, "ones=3 twos=6")
    exact = reach(rules, 150, card, tmp_path).value(card)
    sizes = [solve_cost(Goals(rules, state)).bytes for state in (card.state, State())]
    asked = {"query": "expect", "rules": "yatzy-forced", "card": "ones=3 twos=6", "spread": False}
    lines: list[
        tuple[str | None, bool]
    ] = []  # what was announced, and whether the table of all goals was there

    def announce(rules: RuleSet, line: str | None) -> Progress:
        lines.append((line, has_table(rules, tmp_path, Goals.name)))
        return lambda done, total: None

    def service(most: int) -> QueryService:
        budget = SolveBudget(instant_seconds=0.0, objective=SolveLimit(bytes=most))
        return QueryService(tmp_path, None, announce, budget=budget)

    text, goal = (
        "all goals of yatzy-forced take .* or first run: yatzy solve",
        asked | {"goal": 150},
    )
    hold = {
        "query": "hold",
        "rules": "yatzy-forced",
        "card": "ones=3 twos=6",
        "dice": "33456",
        "goal": 150,
    }
    assert refused(text, service(sizes[0] - 1).answer, hold, error=RulesError).code == "too-large"
    text = "yatzy-forced from this card on takes .* ask from a later card"
    refused(text, service(0).answer, asked | {"opponents": "150", "ties": "half"}, error=RulesError)
    assert lines == []
    rest = service(sizes[0])
    for _ in range(2):  # solved once
        assert rest.answer(goal)["chance"] == pytest.approx(exact, rel=1e-6)
        rest.answer(asked | {"goal": 151})
    assert [(line or "")[:39] for line, _ in lines] == ["solving yatzy-forced from this card on,"]
    assert service(sizes[1]).answer(goal)["chance"] == pytest.approx(exact, rel=1e-6)
    assert lines[1] == (
        "solving all goals of yatzy-forced, 0.00 GB and about 1 s; the table will be stored",
        False,
    )
    assert has_table(rules, tmp_path, Goals.name)


def test_a_solve_that_cannot_be_stored_is_announced_as_one_in_memory(tmp_path: Path) -> None:
    lines: list[str | None] = []

    def announce(_rules: RuleSet, line: str | None) -> None:
        lines.append(line)

    (tmp_path / "file").touch()
    service = QueryService(
        tmp_path / "file" / "x", announce=announce, budget=SolveBudget(instant_seconds=0.0)
    )
    service.answer({"query": "expect", "rules": "yatzy-forced", "goal": 150, "spread": False})
    assert [re.sub(", [0-9].* s, ", ", ", line or "") for line in lines] == [
        "solving yatzy-forced, in memory",
        "solving all goals of yatzy-forced, in memory",
    ]


def test_tables_of_goals_are_stored_up_to_a_limit(tmp_path: Path) -> None:
    rules = load_rules("yatzy-forced")
    perfect_yatzy.open_strategy(rules, tmp_path)
    size = solve_cost(Goals(rules)).bytes
    service = QueryService(tmp_path, budget=SolveBudget(instant_seconds=0.0, stored_bytes=size))
    asked = {"query": "expect", "rules": "yatzy-forced", "goal": 150, "spread": False}
    service.resolver.stored_bytes = 1
    hold = {"query": "hold", "rules": "yatzy-forced", "dice": "33456", "goal": 150}
    refused("stores no more", service.answer, hold, error=RulesError)
    assert "stores no more" in service.answer(asked)["chance_note"]
    service.resolver.stored_bytes = 0
    service.answer(asked)
    assert has_table(rules, tmp_path, Goals.name)
    assert 0 < service.resolver.stored_bytes <= size


NO_GOALS = SolveBudget(instant_seconds=0.0, objective=SolveLimit(bytes=0))


def test_a_goal_that_is_too_large_has_the_chance_under_play_for_the_mean(tmp_path: Path) -> None:
    """From the exact distribution, and named as that; once the table of all goals is there, both
    chances are told.
    """
    rules, service = load_rules("yatzy-forced"), QueryService(tmp_path, budget=NO_GOALS)
    scores = distribution(perfect_yatzy.open_strategy(rules, tmp_path))
    asked: dict[str, Any] = {"query": "expect", "rules": "yatzy-forced"}
    answer = service.answer(asked | {"goal": 180, "games": 200})
    assert answer["aim"] == {"goal": 180}
    assert answer["chance_by_mean_play"] == pytest.approx(scores.at_least(180), abs=1e-12)
    assert answer["chance_note"].endswith(
        "or first run: yatzy solve yatzy-forced --what goals --yes"
    )
    assert not {"chance", "certain", "out_of_reach"} & answer.keys()
    assert "chance_by_mean_play" not in answer["simulation"]
    lines = expect_lines(rules, answer, 5)
    assert (
        lines[0]
        == f"{100 * scores.at_least(180):.2f} % chance of 180 or more if you maximise the expected score"
    )
    assert "The chance under best play is not known: all goals of yatzy-forced take" in " ".join(
        lines
    )
    win = service.answer(asked | {"opponents": "150", "ties": "win"})
    assert win["chance_by_mean_play"] == pytest.approx(scores.at_least(150), abs=1e-12)
    assert (
        " % chance to win or tie if you maximise the expected score"
        in expect_lines(rules, win, 5)[0]
    )
    assert "chance" not in win
    best = reach(rules, 180, "", tmp_path).value()
    solve_to_store(Settings(tmp_path), Goals(rules))
    answer = service.answer(asked | {"goal": 180})
    assert answer["chance"] == pytest.approx(best, abs=1e-7)
    assert answer["chance_by_mean_play"] == pytest.approx(scores.at_least(180), abs=1e-12)
    assert "chance_note" not in answer


def test_without_a_distribution_simulated_games_tell_the_chance_under_play_for_the_mean(
    tmp_path: Path,
) -> None:
    """If they are asked for; every other question is refused, and says what to ask instead."""
    rules, service = saved_rolls_game("free", True), QueryService(tmp_path, budget=NO_GOALS)
    service.register(rules)
    chance = distribution(in_memory(rules)).at_least(25)
    asked: dict[str, Any] = {"query": "expect", "rules": "small", "goal": 25}
    answer = service.answer(asked | {"games": 20_000})
    found = answer["simulation"]
    low, high = found["interval99"]
    assert low < chance < high
    assert low < found["chance_by_mean_play"] < high < low + 0.02
    assert answer["chance_note"]
    assert not {"chance", "chance_by_mean_play"} & answer.keys()
    lines = expect_lines(rules, answer, 5)
    share = f"{100 * found['chance_by_mean_play']:.2f} % chance of 25 or more"
    assert lines[0] == f"{share} in simulated games that maximise the expected score"
    assert f"{share}, 99 % interval {100 * low:.2f} % to {100 * high:.2f} %" in lines
    for question in (
        asked,
        asked | {"query": "hold", "dice": "56"},
        asked | {"query": "score", "dice": "56"},
    ):
        text = "all goals of small take .*`yatzy expect --games 100000` shows the chance under play for the expected score"
        assert refused(text, service.answer, question, error=RulesError).code == "too-large"


def test_the_table_of_means_has_a_limit_of_its_own(tmp_path: Path) -> None:
    service = QueryService(tmp_path, budget=SolveBudget(mean=SolveLimit(seconds=0.0)))
    for more in ({}, {"card": LATE, "goal": 240}):  # before a goal is solved for
        asked = {"query": "hold", "dice": "33456"} | more
        refused(
            "its table takes .* s; first run: yatzy solve yatzy$",
            service.answer,
            asked,
            error=RulesError,
        )


def test_a_cache_keeps_up_to_its_weight() -> None:
    cache: WeightedLRUCache[str] = WeightedLRUCache(10)
    for name, weight in (("a", 4), ("b", 4), ("c", 4), ("d", 11)):
        cache.put(name, name, weight)
    assert [cache.get(name) for name in "abcd"] == [None, "b", "c", None]
    assert cache.get_or_create("d", lambda: "new", lambda value: 11) == "new"
    assert (cache.get("d"), len(cache.in_progress)) == (None, 0)


def test_a_value_is_created_by_one_of_many_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    cache: WeightedLRUCache[int] = WeightedLRUCache(10)
    made: list[int] = []
    asked: list[str] = []
    lock_of = cache.in_progress.setdefault
    monkeypatch.setattr(
        cache.in_progress, "setdefault", lambda key, lock: asked.append(key) or lock_of(key, lock)
    )

    def create() -> int:
        while len(made) == 0 and len(asked) < 8:
            time.sleep(0)  # until all threads ask for the value
        made.append(1)
        return 7

    with ThreadPoolExecutor(8) as pool:
        assert [*pool.map(lambda _: cache.get_or_create("x", create), range(8))] == [7] * 8
    assert made == [1]
    with pytest.raises(ZeroDivisionError):
        cache.get_or_create("y", lambda: 1 // 0)
    assert cache.get_or_create("y", lambda: 3) == 3
    assert not cache.in_progress


def test_many_threads_get_the_answers_of_one(
    yatzy: Strategy, monkeypatch: pytest.MonkeyPatch
) -> None:
    objectives: list[dict[str, Any]] = [
        {},
        {"goal": 240},
        {"goal": 250},
        {"opponents": "251", "ties": "half"},
    ]
    cases = product(("hold", "score"), ("33456", "11236", "55555"), objectives)
    requests = [
        {"query": query, "dice": dice, "card": LATE, **objective}
        for query, dice, objective in cases
    ]
    alone = [*map(QueryService().answer, requests)]
    solve = Mock(wraps=score_strategy.utility_strategy)
    monkeypatch.setattr(score_strategy, "utility_strategy", solve)
    service = QueryService()
    with ThreadPoolExecutor(6) as pool:
        assert [*pool.map(service.answer, requests)] == alone
    assert len(solve.call_args_list) == 1


RULES = joker_game("free", saved_rolls=True)
OTHER_RULES = replace(RULES, bonus=None)  # with the same key
CARD = {"triple": 9, "face-1": 1}


def find_rules(name: str) -> RuleSet:
    return {"small": RULES, "other": OTHER_RULES}[name]


def small_request(**given: Any) -> Request:
    return parse_request({"rules": "small", **given}, find_rules)


# Another value of each field of the classes; `None`: it follows from the others, or only repeats
# what was asked.
OTHERS: dict[type, dict[str, Any]] = {
    Request: {
        "query": "score",
        "rules": OTHER_RULES,
        "position": None,
        "dice": (1, 1, 1),
        "rolls_left": 2,
        "games": 100,
        "seed": 2,
        "difficulty": "hard",
        "explain": True,
        "include_distribution": True,
        "exact": True,
        "digits": 3,
        "echo": None,
    },
    Scorecard: {"rules": None, "points": {0: 2, 3: 9}, "saved": 1, "bonus_points": 4},
    ObjectiveRequest: {
        "goal": 12,
        "opponents": (10, 12),
        "ties": "win",
        "two_sided": True,
        "blind": Field(3, "perfect", None, 1),
    },
    Field: {"opponents": 4, "policy": "most-points", "law": (0, (1.0,)), "places": 1},
}


def changed(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """A value with one field changed, for every field of its class and of the classes in it."""
    for field in fields(value):
        old = getattr(value, field.name)
        inner = type(old) in OTHERS
        listed = field.name in OTHERS[type(value)]
        assert inner or listed, f"give another value of {path}{field.name}"
        own = path + field.name
        for name, other in (
            changed(old, f"{own}.") if inner else [(own, OTHERS[type(value)][field.name])]
        ):
            if other is not None:
                assert other != old
                yield name, replace(value, **{field.name: other})


@pytest.mark.parametrize(
    "objective",
    [{"goal": 11}, {"opponents": [10], "ties": "half"}, {"field": 3, "places": 2}],
    ids=["goal", "opponents", "field"],
)
def test_every_field_of_a_request_distinguishes_it(objective: dict[str, Any]) -> None:
    """Fields of cards and objectives, too. A new field needs another value above."""
    request = small_request(query="hold", dice="123", rolls_left=1, card=CARD, **objective)
    keys, variants = {request: "the request"}, dict(changed(request))
    assert {"card.saved", "objective.ties", "explain", "seed"} <= variants.keys()
    for name, other in variants.items():
        assert keys.setdefault(other, name) == name
    assert {replace(request, echo={"id": 1})} == {request}
    assert request.position == CheckedPosition(RULES, request.card.state, request.card.total)


def test_the_keys_of_strategies_have_all_that_their_values_depend_on() -> None:
    aim = {"opponents": [10, "face-3=6"], "ties": "half"}
    request = small_request(query="hold", dice="123", rolls_left=1, card=CARD, **aim)

    def keys_of(asked: Request) -> dict[str, Any]:
        asked = replace(
            asked, position=CheckedPosition(asked.rules, asked.card.state, asked.card.total)
        )
        whole, rest = _goal_keys(asked)
        keys = {"utility": _utility_key(asked), "opponent": _opponent_key(asked.rules, asked.card)}
        return keys | {"all goals": whole, "goals": rest}

    card = {"card.points", "card.saved", "card.bonus_points"}
    expected = {
        "utility": {
            "rules",
            *card,
            "objective.goal",
            "objective.opponents",
            "objective.ties",
            "objective.two_sided",
            "objective.blind",
        },
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
    "rules": ("small", "other"),
    "id": ("a", "b"),
    "card": (CARD, {"triple": 9, "face-1": 2}),
    "saved": (0, 1),
    "bonus_points": (0, 4),
    "dice": ("123", "133"),
    "rolls_left": (1, 2),
    "explain": (False, True),
    "goal": (11, 12),
    "opponents": ([10], ["face-3=6"]),
    "ties": ("loss", "half"),
    "versus": ("triple=9 face-3=3", "triple=0 face-3=6"),
    "field": (
        {"opponents": 2, "lowest": 10, "chances": [0.5, 0.5]},
        {"opponents": 3, "lowest": 10, "chances": [0.5, 0.5]},
    ),
    "places": (1, 2),
    "games": (0, 100),
    "seed": (1, 2),
    "spread": (False, True),
    "exact": (False, True),
    "digits": (3, 4),
    "hold": ("1", "3"),
    "date": ("2026-11-20", "2026-11-21"),
    "difficulty": ("easy", "hard"),
}


@pytest.fixture
def services(tmp_path: Path) -> tuple[QueryService, QueryService]:
    both = QueryService(tmp_path), QueryService(tmp_path)
    for service in both:
        service._rules.put("small", RULES)
        service._rules.put("other", OTHER_RULES)
    return both


@pytest.mark.parametrize("query", ["hold", "score", "expect", "outcomes"])
def test_cached_answers_are_those_of_a_new_service(
    query: str, services: tuple[QueryService, QueryService]
) -> None:
    cached, new = services
    known = COMMON_FIELDS | QUERY_FIELDS[query]
    for field in sorted(known - {"query"}):
        aim = {"ties": "opponents", "places": "field"}.get(field, field)
        aim = aim if aim in OBJECTIVES else "goal"
        details = {"goal": "goal", "field": "places"}.get(aim, "ties")
        left_out = OBJECTIVE_FIELDS - {aim, details}
        if field in ("exact", "digits"):
            left_out |= {"goal"}  # options are ranked by exact means
        base = {name: VALUES[name][0] for name in sorted(known - {"query", *left_out})} | {
            "query": query
        }
        for value in VALUES[field]:
            request = cached.parse(base | {field: value})
            expected = Decision(new, request, None, new.plan(request)).compute() | request.echo
            assert cached.answer(request) == cached.answer(request) == expected
        first, second = (cached.parse(base | {field: value}) for value in VALUES[field])
        assert (first == second) == (field == "id")


@pytest.mark.parametrize("query", ["hold", "score", "expect", "outcomes"])
def test_every_pair_of_fields_is_answered_or_refused(
    query: str, services: tuple[QueryService, QueryService]
) -> None:
    """No two options of a request meet in an error of the program."""
    needed = {"dice"} if query != "expect" else set()
    needed |= {"hold", "rolls_left"} if query == "outcomes" else set()
    known = (COMMON_FIELDS | QUERY_FIELDS[query]) - {"query"}
    answered = set()
    for pair in combinations(sorted(known), 2):
        fields = {name: VALUES[name][1] for name in {*needed & known, *pair}} | {"query": query}
        with suppress(SolverError):
            services[0].answer(fields | {"rules": "small"})
            answered.add(pair)
    if query in ("hold", "score"):
        assert {("exact", "explain"), ("card", "exact"), ("explain", "goal")} <= answered
    asked = {"query": "score", "rules": "small", "dice": "133", "explain": True}
    plain, exact = (
        services[0].answer(asked | {"exact": exact})["categories"][0] for exact in (False, True)
    )
    assert plain["category"] == exact["category"]
    assert plain["outlook"]["later_points"] == pytest.approx(
        exact["outlook"]["later_points"], abs=1e-9
    )


def test_keys_of_puzzles_have_every_field_and_every_class_is_examined() -> None:
    assert set(VALUES) == frozenset.union(COMMON_FIELDS, *QUERY_FIELDS.values()) - {"query"}
    base: dict[str, Any] = {"query": "puzzle", "rules": "small", "date": "2026-11-20"}
    for field in QUERY_FIELDS["puzzle"] | {"rules"}:
        rest = {name: value for name, value in base.items() if (field, name) != ("seed", "date")}
        asked = [rest | {field: value} for value in VALUES[field]]
        assert len({parse_request(each, find_rules) for each in asked}) == 2, field
    request = small_request(query="hold", dice="123", field=3)
    assert request.objective
    parts = [request, request.objective]
    inner = {type(getattr(part, field.name)) for part in parts for field in fields(part)}
    assert {kind for kind in inner if is_dataclass(kind)} - {RuleSet, CheckedPosition} == {
        *OTHERS
    } - {Request}


def test_an_answer_is_cached_for_its_language(services: tuple[QueryService, QueryService]) -> None:
    """Certificates and estimates are described in words."""
    service = services[0]
    request = service.parse({"query": "expect", "rules": "small", "id": 1})
    answer = service.answer(request)
    assert service.decide(request).known == answer
    with language_scope("sv"):
        assert service.decide(request).known is None
        service.answer(request)
        assert service.decide(request).known is not None


# A die and eight rolls a turn: of two boxes, up to 14 rolls are saved for the third.
PATIENT = """
id = "patient"
name = "Patient"
dice = 1
faces = 6
rolls = 8
saved_rolls = true
categories = [
  { id = "fives", name = "Fives", pattern = "face", face = 5 },
  { id = "sixes", name = "Sixes", pattern = "face", face = 6 },
  { id = "chance", name = "Chance", pattern = "any" },
]
"""


def best_of_one_die(rerolls: int) -> float:
    """The mean of the last of so many rerolls, and a first roll, of one die."""
    mean = 3.5
    for _ in range(rerolls):
        mean = sum(max(face, mean) for face in range(1, 7)) / 6
    return mean


@pytest.mark.parametrize("saved", [9, 10, 14])
def test_saved_rolls_of_two_digits_reach_every_question(
    saved: int, run: Run, tmp_path: Path
) -> None:
    """By the command, the service and Python: with all rerolls, and with as many as have two
    digits.
    """
    origin = load_text(tmp_path, PATIENT, "").origin
    strategy, service = perfect_yatzy.open_strategy(origin), QueryService(tmp_path)
    card = {"fives": 5, "sixes": 6}
    state = State(0b011, 0, saved)
    most = 7 + saved
    assert strategy.value(state) == pytest.approx(best_of_one_die(most), abs=1e-9)
    for left in (10, most):
        aside = {"hold": 11 + best_of_one_die(left - 1), "score": 11 + 3}
        batch = strategy.best([0b011], [0], [[3]], [left], [saved])
        assert batch.value[0] == pytest.approx(aside["hold"] - 11, abs=1e-9)
        assert strategy.holds(state, "3", left)[0].value == pytest.approx(
            aside["hold"] - 11, abs=1e-9
        )
        for query, expected in (*aside.items(), ("expect", 11 + best_of_one_die(most))):
            turn = {} if query == "expect" else {"dice": "3", "rolls_left": left}
            fields = {"rules": origin, "card": card, "saved": saved, **turn}
            words = [] if query == "expect" else ["3", "--rolls-left", str(left)]
            asked = (*words, "-r", origin, "--card", "fives=5 sixes=6", "--saved", str(saved))
            for answer in (
                service.answer({"query": query, **fields}),
                json.loads(run(query, *asked, "--json").stdout),
            ):
                found = answer if query == "expect" else answer["best"]
                assert found["expected_final_score"] == pytest.approx(expected, abs=1e-9)
