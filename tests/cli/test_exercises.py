"""Exercises as files: cards of own mistakes for Anki, and printed puzzles with their solutions."""

import csv
import json
import re
import subprocess
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

import pytest
from perfect_yatzy import Strategy, rate
from perfect_yatzy.core.dice import Dice
from perfect_yatzy.play.puzzle import find_puzzle, find_puzzles
from perfect_yatzy.play.record import simulated_records
from perfect_yatzy.play.review import review
from perfect_yatzy.policies.levels import LEVELS, SoftPolicy, calibrated_level, level_played
from perfect_yatzy.strategy.actions import Hold
from support.command import Run, printed, refusal
from support.human import human
from support.need import need_program


def kept(held: Sequence[int], roll: Dice) -> str:
    """Dice in the words of a kind of roll, from the text of the issue: single dice are x."""
    if len(set(roll)) == len(roll):
        return " ".join(map(str, held))
    counts = Counter(roll)
    return " ".join(sorted(str(face) if counts[face] > 1 else "x" for face in held)) or "nothing"


def test_repeated_mistakes_are_those_of_the_reviews(yatzy: Strategy) -> None:
    """Every decision is graded by single queries and counted by the text of its kind."""
    games = [human(yatzy, seed) for seed in range(12)]
    times: Counter[tuple[str, str]] = Counter()
    wrong: defaultdict[tuple[str, str, str], list[float]] = defaultdict(list)
    losses = []
    for game in games:
        for decision in review(yatzy, game).decisions:
            roll = kept(decision.dice, decision.dice)
            best, done = (
                kept(action.dice, decision.dice)
                if isinstance(action, Hold) and action.category is None
                else action.category
                for action in (decision.best, decision.done)
            )
            times[roll, str(best)] += 1
            losses.append(decision.loss)
            if decision.loss > 1e-6 and best != done:
                wrong[roll, str(best), str(done)].append(decision.loss)
    expected = {
        kind: (times[kind[:2]], len(lost), sum(lost))
        for kind, lost in wrong.items()
        if len(lost) > 1
    }
    (found,) = rate(games).ratings
    assert len(found.spots) == min(10, len(expected)) > 3
    words = lambda kind: kind if isinstance(kind, str) else " ".join(map(str, kind))  # noqa: E731
    for spot in found.spots:
        kind = tuple(
            words(each).replace("0", "x") or "nothing" for each in (spot.roll, spot.best, spot.done)
        )
        n_times, n_done, points = expected.pop(kind)
        assert (spot.times, spot.times_done) == (n_times, n_done)
        assert spot.points_lost == pytest.approx(points, abs=1e-9)
    least = found.spots[-1].points_lost
    assert all(points <= least + 1e-9 for _times, _done, points in expected.values())

    worst = found.worst_decisions(yatzy)
    assert [decision.loss for decision in worst] == pytest.approx(
        sorted((loss for loss in losses if loss >= 0.4), reverse=True)[:200]
    )


def test_a_level_plays_like_itself(yatzy: Strategy) -> None:
    for level in LEVELS:
        lost = calibrated_level(yatzy, level).points_lost
        assert level_played(yatzy.rules, yatzy.value(), lost) == level
    assert level_played(yatzy.rules, yatzy.value(), 200.0) == LEVELS[0]


def test_cards_have_the_form_that_anki_reads(run: Run, yatzy: Strategy, tmp_path: Path) -> None:
    """Its manual, "Text files": lines that begin with # say what the others are; one line a card."""
    record, cards = tmp_path / "games.jsonl", tmp_path / "cards.txt"
    soft = SoftPolicy(yatzy, 3.0)
    record.write_text("".join(f"{line}\n" for line in simulated_records(soft, 4, 2)))
    answer = json.loads(printed(run, "rate", str(record), "--cards", str(cards), "--json"))
    assert answer["ratings"][0]["level"]["name"] in {level.name for level in LEVELS}
    text = cards.read_text(encoding="utf-8")
    head, rows = text.splitlines()[:3], text.splitlines()[3:]
    assert head == ["#separator:tab", "#html:true", "#tags column:3"]
    found = [*csv.reader(rows, delimiter="\t")]
    assert {len(row) for row in found} == {3}
    assert {row[2] for row in found} == {"yatzy"}
    assert len({row[0] for row in found}) == len(found) > 10
    (rating,) = rate(record).ratings
    for (front, back, _tag), decision in zip(found, rating.worst_decisions(yatzy), strict=False):
        assert " ".join(map(str, decision.dice)) in front
        assert f"lost {decision.loss:.2f})" in back
    assert "exists; use --force" in refusal(run, "rate", str(record), "--cards", str(cards), code=2)


def test_a_sheet_has_different_puzzles_and_their_best_answers(
    run: Run, yatzy: Strategy, tmp_path: Path
) -> None:
    page = printed(run, "puzzle", "--sheet", "8", "--seed", "7")
    asked, solved = page.split("<h1>")[1:]
    puzzles = find_puzzles(yatzy, 7, "medium", 8)
    assert puzzles[0] == find_puzzle(yatzy, 7000, "medium")
    assert len(set(puzzles)) == 8
    dice = [" ".join(map(str, puzzle.dice)) for puzzle in puzzles]
    assert re.findall(r'aria-label="([^"]+)"', asked) == dice
    assert re.findall(r'aria-label="([^"]+)"', solved) == dice
    answers = re.findall("<li>.*?<b>(.*?)</b>", solved)
    for puzzle, answer in zip(puzzles, answers, strict=True):
        best = yatzy.ranking(puzzle.card, puzzle.dice, puzzle.rolls_left)[0].action
        if isinstance(best, tuple):
            assert answer == f"Hold {' '.join(map(str, best)) or 'nothing'}"
        else:
            names = {category.id: category.name for category in yatzy.rules.categories}
            assert answer.startswith(f"{names[best]} for ")
    assert printed(run, "puzzle", "--sheet", "8", "--seed", "7") == page
    for words in ("--seed 7", "--sheet 3 --json", "--sheet 3 -o sheet.txt"):
        refusal(run, "puzzle", *words.split(), code=2)


@pytest.mark.full
def test_a_browser_prints_twelve_puzzles_on_one_page(run: Run, tmp_path: Path) -> None:
    browser = need_program("chromium", "chromium-browser", "google-chrome")
    page, target = tmp_path / "sheet.html", tmp_path / "sheet.pdf"
    printed(run, "puzzle", "--sheet", "12", "--seed", "7", "-o", str(page))
    command = [browser, "--headless", "--no-sandbox", "--disable-gpu"]
    command += [f"--user-data-dir={tmp_path / 'profile'}", f"--print-to-pdf={target}"]
    subprocess.run([*command, page.as_uri()], check=True, capture_output=True)
    assert len(re.findall(rb"/Type\s*/Page\b", target.read_bytes())) == 2


def test_games_of_perfect_play_have_no_cards(run: Run, yatzy: Strategy, tmp_path: Path) -> None:
    record, cards = tmp_path / "games.jsonl", tmp_path / "cards.txt"
    record.write_text("".join(f"{line}\n" for line in simulated_records(yatzy, 2, 2)))
    assert "Plays like level 8: perfect." in printed(
        run, "rate", str(record), "--cards", str(cards)
    )
    assert len(cards.read_text(encoding="utf-8").splitlines()) == 3
