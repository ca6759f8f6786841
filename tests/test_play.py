"""At the table: whole games through the command, undo, resume, bad input at each prompt; puzzles."""

from __future__ import annotations

import json
import os
import pty
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import Run

from solver.advice import Strategy
from solver.errors import StateError
from solver.puzzle import DIFFICULTIES, find_puzzle
from solver.record import read_games
from solver.rulefile import load_rules
from solver.session import Session, load_session

FORCED = [c.id for c in load_rules("yatzy-forced").categories]


def new(rules: str = "yatzy", players: int = 1, seed: int | None = 5) -> Session:
    return Session(load_rules(rules), tuple(f"P{i}" for i in range(players)), seed)


def test_a_session_says_what_may_happen() -> None:
    session = new()
    assert (session.to_roll, session.over, session.player) == (5, False, 0)
    with pytest.raises(StateError, match="no dice to score yet"):
        session.score("ones")
    session.roll()
    assert session.to_roll == 0
    assert session.rolls_left == 2
    with pytest.raises(StateError, match="no dice are to be rolled"):
        session.roll()
    with pytest.raises(StateError, match="nothing to reroll"):
        session.hold(session.dice)
    session.hold(session.dice[:2])
    assert session.to_roll == 3
    session.roll()
    session.hold(())
    session.roll()
    assert session.rolls_left == 0
    with pytest.raises(StateError, match="no reroll is left"):
        session.hold(())
    session.score("chance")
    assert session.card().points == {13: sum(session.turns[0].rolls[-1])}
    session.roll()
    with pytest.raises(StateError, match="chance is filled already"):
        session.score("chance")


def test_typed_dice_are_checked_against_what_was_held() -> None:
    session = new(seed=None)
    session.roll((3, 3, 4, 5, 6))
    session.hold((3, 3))
    with pytest.raises(StateError, match="you held 3 3, which is not within 1 2 3 4 5"):
        session.roll((1, 2, 3, 4, 5))
    session.roll((1, 2, 6))  # only the rerolled ones
    assert session.dice == (1, 2, 3, 3, 6)
    session.hold((3, 3))
    session.roll((6, 3, 3, 1, 2))  # or all of them
    assert session.dice == (1, 2, 3, 3, 6)


def test_undo_takes_everything_back_and_does_not_change_the_luck() -> None:
    session = new(players=2)
    seen = []
    session.roll()
    for turn in range(4):
        seen.append((session.player, session.dice))
        session.hold(session.dice[:1])
        session.roll()
        session.score(FORCED[turn])
        session.roll()
    assert [player for player, _ in seen] == [0, 1, 0, 1]
    for _ in range(8):
        assert session.undo() is not None
        assert session.dice or session.to_roll
        if not session.dice:
            session.roll()
    assert (session.player, session.dice) == (0, seen[0][1])
    assert session.undo() is None
    assert (session.player, session.dice) == (0, seen[0][1])


def test_a_session_is_saved_and_taken_up(tmp_path: Path) -> None:
    session, path = new("yatzy-saved", 2), tmp_path / "deep" / "game.json"
    for category in ("ones", "ones", "chance"):
        session.roll()
        session.score(category)
    session.roll()
    session.hold(session.dice[:3])
    session.save(path)
    again = load_session(path)
    assert again == session
    assert again.game == session.game
    assert again.card(0).saved == session.card(0).saved == 4
    for text in ("{", "[]", path.read_text().replace('"hold"', '"score"'), '{"schema": 1}'):
        path.write_text(text)
        with pytest.raises(StateError, match="is no saved game"):
            load_session(path)
    session.save(path)
    path.write_text(path.read_text().replace(session.rules.fingerprint, "0" * 64))
    with pytest.raises(StateError, match="saved under other rules"):
        load_session(path)


def test_a_whole_game_by_the_command(run: Run, tmp_path: Path) -> None:
    """Two players in forced order, with advice, a warning, an undo, and a record that adds up."""
    lines = ["?", "none", "y", "undo", "help", "card", "no such box", "9", "ones", "y"]
    lines += [entry for category in [FORCED[0], *(c for c in FORCED[1:] for _ in "ab")] for entry in (category, "y")]
    record, save = tmp_path / "games.jsonl", tmp_path / "game.json"
    options = ("--players", "Ann, Bo", "--seed", "3", "--record", str(record), "--save", str(save), "--new")
    found = run("play", "yatzy-forced", *options, stdin="\n".join(lines) + "\n")
    assert found.returncode == 0, found.stderr
    out = found.stdout
    assert "expected final score" in out
    assert "gives away" in out
    assert "Taken back." in out
    assert "unknown category 'no such box'" in out
    assert "9 is not within" in out
    (game,) = read_games(record)
    assert game.players == ("Ann", "Bo")
    assert len(game.turns) == 30
    assert "Ann: " in out
    assert "= start 150.22" in out
    assert not save.exists()


def test_real_dice_are_typed_in(run: Run, tmp_path: Path) -> None:
    lines = ["3x", "33", "33456", "33", "33", "456", "undo", "undo", "33", "456", "fives"]
    save = tmp_path / "game.json"
    found = run("play", "--dice", "typed", "--no-warn", "--save", str(save), stdin="\n".join(lines) + "\n")
    assert found.returncode == 0, found.stderr
    assert "'3x' is no dice" in found.stdout
    assert "'3 3' is 2 dice; yatzy has 5" in found.stdout
    assert "Saved in" in found.stdout
    session = load_session(save)
    assert session.turns[0].rolls == ((3, 3, 4, 5, 6), (3, 3, 4, 5, 6))
    assert session.turns[0].category == "fives"


def test_the_plain_mode_speaks_in_sentences(run: Run, tmp_path: Path) -> None:
    found = run("play", "--plain", "--seed", "1", "--save", str(tmp_path / "g"), stdin="quit\n")
    assert "You: total 0. Filled: nothing. Open: Ones, Twos" in found.stdout


def in_terminal(*arguments: str) -> tuple[subprocess.Popen[bytes], int]:
    """The command in a pseudo-terminal, and the end of it that a person sits at."""
    main, side = pty.openpty()
    command = [sys.executable, "-m", "solver", "play", *arguments]
    process = subprocess.Popen(command, stdin=side, stdout=side, stderr=side, close_fds=True)
    os.close(side)
    return process, main


def read_until(main: int, text: str, seen: str = "") -> str:
    """What the terminal shows up to a text, behind what was seen of it before."""
    while text not in seen:
        ready, _, _ = select.select([main], [], [], 60)
        assert ready, f"waited for {text!r} and saw {seen[-500:]!r}"
        seen += os.read(main, 4096).decode(errors="replace")
    return seen


def test_a_whole_game_in_a_terminal(tmp_path: Path) -> None:
    save, record = tmp_path / "game.json", tmp_path / "games.jsonl"
    arguments = ("yatzy-forced", "--seed", "2", "--no-warn", "--save", str(save), "--record", str(record))
    process, main = in_terminal(*arguments)

    def enter(text: str) -> None:
        read_until(main, "(help)")
        os.write(main, text.encode() + b"\n")

    for number, category in enumerate(FORCED):
        if number == 0:
            enter("nonsense")
        if number == 5:
            enter("undo")
            enter(FORCED[4])
        enter(category)
    read_until(main, "Recorded in")
    assert process.wait() == 0
    os.close(main)
    assert len(read_games(record)[0].turns) == 15


def test_a_killed_game_goes_on_in_a_terminal(tmp_path: Path, yatzy: Strategy) -> None:
    """Through a real pseudo-terminal: play, kill, resume with the same dice on the table."""
    save = tmp_path / "game.json"
    arguments = ("--seed", "9", "--no-warn", "--save", str(save))
    process, main = in_terminal(*arguments)
    read_until(main, "take which category? (help)")
    os.write(main, b"none\n")
    _, _, second = read_until(main, "roll 2").rpartition("roll 2")
    second = "roll 2" + read_until(main, "(help)", second)
    process.send_signal(signal.SIGKILL)
    process.wait()
    os.close(main)
    process, main = in_terminal(*arguments)
    again = read_until(main, "take which category? (help)")
    assert "Going on with the saved game" in again
    line = next(line for line in second.splitlines() if "roll 2" in line)
    assert line.split("roll 2")[1].strip() in again
    os.write(main, b"quit\n")
    read_until(main, "goes on")
    assert process.wait() == 0
    os.close(main)


# --- puzzles -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_a_puzzle_is_as_hard_as_wanted_and_the_same_for_all(yatzy: Strategy, difficulty: str) -> None:
    low, high = DIFFICULTIES[difficulty]
    for seed in range(5):
        found = find_puzzle(yatzy, seed, difficulty)
        assert low <= found.gap(yatzy) < high
        assert found == find_puzzle(yatzy, seed, difficulty)


def test_the_puzzle_command(run: Run, yatzy: Strategy) -> None:
    day = ("puzzle", "--date", "2026-11-20", "-d", "hard")
    answer = json.loads(run(*day, "--json").stdout)
    assert answer["options"][0]["loss"] == 0
    shown = run(*day, "--solution").stdout
    assert shown.splitlines()[-5].endswith("0.00")
    asked = run(*day, stdin="7\nnonsense\nnone\n")
    assert "'nonsense' is no hold" in asked.stdout
    assert "Hold nothing: inaccuracy, loses 0.38" in asked.stdout
    assert run(*day, stdin="quit\n").returncode == 0
    assert run(*day, stdin="").returncode == 0
    assert max(map(len, shown.splitlines())) <= 80


def test_ones_own_mistakes_as_a_drill(run: Run, yatzy: Strategy, tmp_path: Path) -> None:
    from test_review import human

    from solver.record import write_games

    path = tmp_path / "games.jsonl"
    write_games(path, [human(yatzy, 2)])
    found = run("review", str(path), "--drill", "--from", "3", stdin="quit\n")
    assert found.returncode == 0
    assert "decisions to try again" in found.stdout
    assert "Your choice (quit)" in found.stdout
