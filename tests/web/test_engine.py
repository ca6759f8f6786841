"""The engine in the browser, run by node: every answer as Python gives it."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from perfect_yatzy.errors import SolverError
from perfect_yatzy.play.record import Game
from perfect_yatzy.service.queries import QueryService
from perfect_yatzy.service.reviews import explained_review
from perfect_yatzy.strategy.strategy import Strategy
from support.engine import FIRST_DAY, ask_engine, difference, differences, make_site, random_positions
from support.human import human

# Jokers of every kind, orders, first rolls, strict crossing out, boxes that require others, small and quick to solve.
SMALL = ("yahtzee", "yahtzee-free-joker", "yahtzee-no-joker", "kniffel", "yatzy-forced", "crag", "generala", "balut")
LARGE = ("yatzy-saved", "maxi-unsaved")  # in pages
CARD = "ones=3 twos=6 threes=9 fours=12 fives=15 sixes=18 one-pair=10 two-pairs=22 full-house=28 chance=22"


@pytest.fixture(scope="module")
def service(store: Path) -> QueryService:
    return QueryService()


@pytest.fixture(scope="module")
def folder(yatzy: Strategy, service: QueryService, tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("site")
    make_site(found, service, ["yatzy"], puzzles=2)
    return found


def answer(folder: Path, path: str, body: dict[str, Any]) -> Any:
    (reply,) = ask_engine(folder, [(path, body)])
    return reply["answer"]


def error(folder: Path, path: str, body: dict[str, Any]) -> dict[str, Any]:
    (reply,) = ask_engine(folder, [(path, body)])
    found: dict[str, Any] = reply["error"]
    return found


def test_holds_and_categories_of_yatzy(folder: Path, service: QueryService) -> None:
    questions = list(random_positions(service.rules("yatzy"), 200, seed=1))
    assert differences(folder, service, questions) == []


@pytest.fixture(scope="module")
def small(service: QueryService, tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("small")
    make_site(found, service, SMALL, values_only=True)
    return found


@pytest.mark.parametrize("rules", SMALL)
def test_holds_and_categories_of_other_rules(rules: str, small: Path, service: QueryService) -> None:
    assert differences(small, service, list(random_positions(service.rules(rules), 200, seed=2))) == []


@pytest.mark.slow
@pytest.mark.parametrize("rules", ["yatzy", "yahtzee-plain", *SMALL[:5], *LARGE])
def test_ten_thousand_positions(rules: str, service: QueryService, tmp_path: Path) -> None:
    make_site(tmp_path, service, [rules], values_only=True)
    assert differences(tmp_path, service, list(random_positions(service.rules(rules), 10_000, seed=3))) == []


def test_a_table_in_pages_gives_the_same_answers(
    service: QueryService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The table of a small game as that of a large one: read in pages, from two parts, a few kilobytes a question."""
    monkeypatch.setattr("perfect_yatzy.web.site.tables.WHOLE_VALUES", 1000)
    monkeypatch.setattr("perfect_yatzy.web.site.tables.PART_BYTES", 1 << 20)
    sizes = make_site(tmp_path, service, ["yahtzee"], values_only=True)
    assert sum("/values-" in name for name in sizes) == 3
    questions = list(random_positions(service.rules("yahtzee"), 200, seed=4))
    assert differences(tmp_path, service, questions) == []
    first, *others = ask_engine(tmp_path, [q for hold in questions[:20] for q in (hold, ("traffic", {}))])[1::2]
    moved = [first["answer"]["bytes"], *(reply["answer"]["bytes"] for reply in others)]
    assert max(after - before for before, after in pairwise(moved)) < 150_000


@pytest.mark.slow
def test_a_question_about_the_table_of_268_megabytes_moves_less_than_300_kilobytes(
    service: QueryService, tmp_path: Path
) -> None:
    make_site(tmp_path, service, ["maxi-unsaved"], values_only=True)
    for question in random_positions(service.rules("maxi-unsaved"), 40, seed=5):
        *_, end = ask_engine(tmp_path, [("site.json", {}), question, ("traffic", {})])
        assert end["answer"]["bytes"] < 300_000


def test_a_hold_is_fast(folder: Path, service: QueryService) -> None:
    questions = list(random_positions(service.rules("yatzy"), 60, seed=6))
    times = sorted(reply["ms"] for reply in ask_engine(folder, questions)[20:])
    assert times[len(times) // 2] < 20


def test_what_to_expect(folder: Path, service: QueryService) -> None:
    """The distribution: stored for the empty card, computed late in a game; between them the standard deviation."""
    late = {"card": CARD}
    for body in ({}, late, late | {"spread": False}):
        found = answer(folder, "expect", body)
        assert difference(found, service.answer({"query": "expect"} | body)) == ""
    early = answer(folder, "expect", {"card": "ones=3"})
    assert early["distribution"] is None
    expected = service.answer({"query": "expect", "card": "ones=3"})
    assert early["standard_deviation"] == pytest.approx(expected["distribution"]["standard_deviation"], abs=0.003)
    full = {box.id: 0 for box in service.rules("yatzy").categories}
    assert answer(folder, "expect", {"card": full})["expected_final_score"] == 0


def test_outcomes(folder: Path, service: QueryService) -> None:
    body = {"card": "ones=3 sixes=24", "hold": [3, 3], "rolls_left": 2}
    found, expected = answer(folder, "outcomes", body), service.answer({"query": "outcomes"} | body)
    for result in (found, expected):  # the order of equal ones is that of rounding
        result["outcomes"].sort(key=lambda entry: entry["rolled"])
    assert difference(found, expected) == ""


def test_explanations(folder: Path, service: QueryService) -> None:
    for card, path, left in ((CARD, "hold", 2), ("ones=3 sixes=24", "hold", 1), (CARD, "score", 1)):
        body = {"card": card, "dice": "33456", "rolls_left": left, "explain": True}
        found, expected = answer(folder, path, body), service.answer({"query": path} | body)
        entries = "holds" if path == "hold" else "categories"
        for result in (found, expected):
            del result["best"]  # the first entry
        for mine, theirs in zip(found[entries][:2], expected[entries][:2], strict=True):
            chance, exact = mine["outlook"].pop("bonus_chance"), theirs["outlook"].pop("bonus_chance")
            assert chance == pytest.approx(exact, abs=2e-4)
            for entry in (mine, theirs):  # the order of equal chances is that of rounding
                entry["outlook"]["categories"].sort()
        assert difference(found, expected) == ""


@pytest.mark.parametrize(
    "aim",
    [
        {"goal": 260},
        {"goal": 180},
        {"opponents": "250; 240"},
        {"opponents": [255], "ties": "half"},
        {"opponents": f"{CARD}; 250", "ties": "win"},
    ],
)
def test_goals_and_wins_late_in_a_game(aim: dict[str, Any], folder: Path, service: QueryService) -> None:
    """Python stores chances as float32, so they differ by some 1e-7."""
    for path, more in (("hold", {"dice": "33456"}), ("score", {"dice": "33456"}), ("expect", {})):
        body = {"card": CARD} | aim | more
        assert difference(answer(folder, path, body), service.answer({"query": path} | body)) == ""


def test_what_takes_too_long_is_refused(folder: Path) -> None:
    assert error(folder, "hold", {"dice": "33456", "goal": 250})["code"] == "too-large"
    assert error(folder, "hold", {"dice": "33456", "opponents": "ones=3"})["code"] == "too-large"
    assert error(folder, "solve", {})["code"] == "not-available"


def test_a_review(folder: Path, yatzy: Strategy) -> None:
    game = human(yatzy, 3)
    for turns in (15, 6):
        record = game.to_json() | {"rules": "yatzy"}
        record["turns"] = record["turns"][:turns]
        expected = explained_review(yatzy, Game(game.rules, game.players, game.turns[:turns]), 0, 4)
        found = answer(folder, "review", {"game": record, "player": 0, "why": 4})
        for decision in found["decisions"]:
            for side in ("done", "best"):
                decision[side].get("outlook", {})["bonus_chance"] = None
        assert difference(found, expected) == ""
    record["turns"][0]["points"] += 1
    assert error(folder, "review", {"game": record})["code"] == "error"


def test_puzzles(folder: Path, service: QueryService) -> None:
    for difficulty in ("easy", "medium", "hard"):
        body = {"date": FIRST_DAY.isoformat(), "difficulty": difficulty}
        assert answer(folder, "puzzle", body) == service.answer({"query": "puzzle"} | body)
    assert answer(folder, "puzzle", {})["dice"]


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("hold", {"dice": "3345"}),
        ("hold", {"dice": "33457"}),
        ("hold", {}),
        ("hold", {"dice": "33456", "rolls_left": 3}),
        ("hold", {"dice": "33456", "rolls_left": 0}),
        ("hold", {"dice": "33456", "card": {"ones": 6}}),
        ("hold", {"dice": "33456", "card": {"all": 3}}),
        ("hold", {"dice": "33456", "saved": 1}),
        ("hold", {"dice": "33456", "bonus_points": 1}),
        ("hold", {"dice": "33456", "goal": 1, "opponents": "1"}),
        ("score", {"dice": "33456", "goal": -1}),
        ("score", {"dice": "33456", "opponents": "nobody"}),
        ("outcomes", {"hold": [3, 7]}),
        ("hold", {"dice": "33456", "rules": "maxi"}),
    ],
)
def test_wrong_questions(path: str, body: dict[str, Any], folder: Path, service: QueryService) -> None:
    """They have the field at fault, and the same code as from Python but for unknown rules and categories."""
    found = error(folder, path, body)
    assert found["template"].endswith(".")
    if body.get("rules"):
        assert found["code"] == "unknown-rules"
        return
    with pytest.raises(SolverError) as raised:
        service.answer({"query": path} | body)
    expected = raised.value.as_json()
    assert (found["code"], found.get("field")) == (expected["code"], expected.get("field"))


def test_rule_sets_and_languages(folder: Path) -> None:
    assert [entry["id"] for entry in answer(folder, "rules", {})] == ["yatzy"]
    (swedish,) = answer(folder, "rules", {"rules": "yatzy", "lang": "sv"})
    assert swedish["categories"][0]["name"] == "Ettor"
    assert swedish["switches"] == []  # none of the variants is part of this site
    assert answer(folder, "languages", {})["sv"] == "Svenska"
    description = json.loads((folder / "site.json").read_text())
    assert [entry["id"] for entry in description["rules"]] == ["yatzy"]
