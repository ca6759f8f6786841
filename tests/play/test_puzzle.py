"""Puzzles: their difficulty, answers, and the mistakes of a record as a drill."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from perfect_yatzy import Choice, RulesError, Scorecard, Strategy
from perfect_yatzy.cli.views.review import find_answer
from perfect_yatzy.play.puzzle import DIFFICULTIES, Puzzle, find_puzzle
from perfect_yatzy.play.record import write_games
from support.command import Run
from support.human import human
from support.refusals import refused


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_a_puzzle_has_its_difficulty_and_depends_on_the_seed_only(yatzy: Strategy, difficulty: str) -> None:
    low, high = DIFFICULTIES[difficulty]
    for seed in range(5):
        found = find_puzzle(yatzy, seed, difficulty)
        assert low <= found.gap(yatzy) < high
        assert found == find_puzzle(yatzy, seed, difficulty)


def test_puzzles_that_cannot_be_found_are_refused(yatzy: Strategy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("perfect_yatzy.play.puzzle.MAX_GAMES", 0)
    refused("found no hard position for yatzy in 0 games", find_puzzle, yatzy, 1, "hard", error=RulesError)
    refused("difficulty is 'x'; must be one of easy, medium, hard", find_puzzle, yatzy, 1, "x")
    refused("seed is 'one'; must be a whole number", find_puzzle, yatzy, "one")


def test_the_puzzle_command(run: Run, yatzy: Strategy) -> None:
    day = ("puzzle", "--date", "2026-11-20", "-d", "hard")
    answer = json.loads(run(*day, "--json").stdout)
    assert answer["options"][0]["loss"] == 0
    shown = run(*day, "--solution").stdout
    assert shown.splitlines()[-5].endswith("0.00")
    asked = run(*day, stdin="7\nnonsense\nnone\n")
    assert "7 is not within 1 2 3 4 4" in asked.stdout
    assert "unknown category 'nonsense'" in asked.stdout
    assert max(map(len, asked.stdout.splitlines())) <= 80
    assert "Hold nothing: inaccuracy, loses 0.38" in asked.stdout
    for leaving in ("quit\n", ""):
        left = run(*day, stdin=leaving)
        assert left.returncode == 0
        assert left.stdout.startswith("Puzzle of 2026-11-20, hard\n")
        assert "loses" in left.stdout
        assert left.stdout.rstrip().endswith(shown.splitlines()[-1].strip())  # the solution
    for asking in ("?", "help", ""):
        assert "hold these dice and reroll" in run(*day, stdin=f"{asking}\nquit\n").stdout
    assert max(map(len, shown.splitlines())) <= 80


def test_a_drill_repeats_the_mistakes_of_a_record(run: Run, yatzy: Strategy, tmp_path: Path) -> None:
    write_games(path := tmp_path / "games.jsonl", [human(yatzy, 2)])
    found = run("review", str(path), "--drill", "--from", "3", stdin="quit\n")
    assert found.returncode == 0
    assert "decisions to repeat" in found.stdout
    assert "take which category? (help) quit" in found.stdout.lower()


def test_a_puzzle_accepts_holds_and_categories(yatzy: Strategy) -> None:
    """All that can be done is asked for: stopping early is graded by what it loses against the best hold."""
    position = Puzzle(Scorecard(yatzy.rules), (3, 3, 4, 5, 6), 2)
    holds = yatzy.holds("", (3, 3, 4, 5, 6))
    stops = {choice.category: choice.value for choice in yatzy.categories("", (3, 3, 4, 5, 6), 2)}
    for text, category in (("Chance", "chance"), ("take chance for 21", "chance"), ("yatzy 0", "yatzy")):
        answer = find_answer(yatzy.rules, position, yatzy, text)
        assert isinstance(answer, Choice)
        assert answer.category == category
        assert answer.loss == pytest.approx(holds[0].value - stops[category], abs=1e-9)
    for hold in holds:
        if hold.category is None:
            found = find_answer(yatzy.rules, position, yatzy, "".join(map(str, hold.dice)) or "none")
            assert found.loss == pytest.approx(hold.loss, abs=1e-9)
    for text, message in (("all", "nothing to reroll"), ("chance 20", "chance pays 21 for these dice, not 20")):
        refused(message, find_answer, yatzy.rules, position, yatzy, text)
