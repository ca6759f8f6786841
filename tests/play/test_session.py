"""At the table: whole games through the command, undo, resume, bad input at each prompt; puzzles."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from perfect_yatzy.cli.views.play import card_lines, card_rows, dice_question, stage_line, winner_line
from perfect_yatzy.cli.views.puzzle import find_answer
from perfect_yatzy.errors import SolverError, StateError
from perfect_yatzy.game.notation import parse_category, parse_faces
from perfect_yatzy.game.rule_loader import load_rules
from perfect_yatzy.game.rules import RuleSet
from perfect_yatzy.game.scorecard import Scorecard
from perfect_yatzy.play.puzzle import DIFFICULTIES, Puzzle, find_puzzle
from perfect_yatzy.play.record import read_game, read_games
from perfect_yatzy.play.save_file import SaveFile, load_session, save_session
from perfect_yatzy.play.session import Session
from perfect_yatzy.strategy.actions import Choice
from perfect_yatzy.strategy.opponents import final_score
from perfect_yatzy.strategy.strategy import Strategy
from support import games
from support.command import Run

FORCED = [c.id for c in load_rules("yatzy-forced").categories]


def new(rules: str = "yatzy", players: int = 1, seed: int | None = 5) -> Session:
    return Session(load_rules(rules), tuple(f"P{i}" for i in range(players)), seed)


def test_a_session_rejects_impossible_actions() -> None:
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
    assert session.card().points == {13: sum(session.turns[0].dice_history[-1])}
    session.roll()
    with pytest.raises(StateError, match="chance is filled already"):
        session.score("chance")


def test_typed_dice_must_contain_the_held_dice() -> None:
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


def test_undo_reverts_every_action_and_keeps_the_dice() -> None:
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


SMALL_GAMES = [games.joker_game("forced", first_roll_bonus=(("run", 3),)), games.saved_rolls_game("free", True)]


@given(
    st.sampled_from([*SMALL_GAMES, load_rules("yatzy-forced")]),
    st.integers(1, 2),
    st.sampled_from([5, None]),
    st.lists(st.tuples(st.sampled_from(["roll", "hold", "score", "undo"]), st.integers(0, 10**6)), max_size=80),
)
def test_a_session_equals_a_replay_of_its_actions(
    rules: RuleSet, players: int, seed: int | None, operations: list[tuple[str, int]]
) -> None:
    session = Session(rules, ("Ann", "Bo")[:players], seed)
    for kind, number in operations:
        before = session.actions
        with contextlib.suppress(StateError):
            if kind == "undo":
                session.undo()
            elif kind == "roll" and seed is not None:
                session.roll()
            elif kind == "roll":
                session.roll([number // rules.faces**i % rules.faces + 1 for i in range(session.to_roll)])
            elif kind == "hold":
                session.hold([face for i, face in enumerate(session.dice) if number >> i & 1])
            elif session.dice:
                session.score([*session.choices()][number % len(session.choices())] if not session.over else "")
        if kind == "undo" and before:
            assert session.actions == before[: len(session.actions)]
    fresh = Session(rules, session.players, seed)
    for action in session.actions:
        fresh.apply(action)
    assert fresh == session
    assert (fresh.position, fresh.actions) == (session.position, session.actions)
    # The record checks every turn and adds the cards up on its own.
    record = read_game(json.loads(json.dumps(session.game.to_json())))
    assert record.turns == session.turns
    assert all(record.card(i) == session.card(i) for i in range(players))


def test_a_session_is_saved_and_loaded(tmp_path: Path) -> None:
    session, path = new("yatzy-saved", 2), tmp_path / "deep" / "game.json"
    for category in ("ones", "ones", "chance"):
        session.roll()
        session.score(category)
    session.roll()
    session.hold(session.dice[:3])
    save_session(path, session)
    again = load_session(path)
    assert again == session
    assert again.game == session.game
    assert again.card(0).saved == session.card(0).saved == 4
    text = path.read_text()
    assert '"seed": 5' in text
    broken = [text.replace('"seed": 5', f'"seed": {seed}') for seed in ('"x"', "1.5", "[]", "true")]
    broken += [text.replace('["P0", "P1"]', players) for players in ("[]", '"Ann"', "[1]", '["\\ud800", "B"]')]
    broken += [text.replace('[["roll", [', '[["roll", ["x", ')]
    assert text not in broken
    for wrong in ("{", "[]", text.replace('"hold"', '"score"'), '{"schema": 1}', "[" * 10**5, *broken):
        path.write_text(wrong)
        with pytest.raises(StateError, match="is not a saved game"):
            load_session(path)
    save_session(path, session)
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
    assert "This loses" in out
    assert "Undone." in out
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
    assert "'3x' is not a roll" in found.stdout
    assert "'3 3' is 2 dice; yatzy has 5" in found.stdout
    assert "Saved in" in found.stdout
    session = load_session(save)
    assert session.turns[0].dice_history == ((3, 3, 4, 5, 6), (3, 3, 4, 5, 6))
    assert session.turns[0].category == "fives"


def test_the_plain_mode_speaks_in_sentences(run: Run, tmp_path: Path) -> None:
    found = run("play", "--plain", "--seed", "1", "--save", str(tmp_path / "g"), stdin="quit\n")
    assert "You: total 0. Filled: nothing. Open: Ones, Twos" in found.stdout
    assert "Yatzy. Upper bonus 50 at 63: 0 so far." in found.stdout


ONE = 'id = "one"\nname = "One Box"\ndice = 2\nfaces = 6\nrolls = 1\n'
ONE += '[[categories]]\nid = "chance"\nname = "Chance"\npattern = "any"\n'


@pytest.fixture
def one(tmp_path: Path, run: Run) -> Path:
    """A game of one roll and one box, solved."""
    path = tmp_path / "one.toml"
    path.write_text(ONE)
    assert run("solve", str(path)).returncode == 0
    return path


def test_a_game_that_cannot_be_recorded_is_not_lost(run: Run, tmp_path: Path, one: Path) -> None:
    save, record = tmp_path / "my game.json", tmp_path / "games.jsonl"
    options = (str(one), "--save", str(save), "--players", "Ann, Bo")
    refused = run("play", *options, "--record", str(tmp_path / "none" / "games.jsonl"))
    assert (refused.returncode, refused.stdout) == (1, "")  # nothing is played in vain
    assert "choose another file with --record" in refused.stderr
    full = run("play", *options, "--record", "/dev/full", stdin="chance\nchance\n")
    assert full.returncode == 1
    assert "cannot write /dev/full: No space left on device" in full.stderr
    assert f"yatzy play --save '{save}' --record FILE" in full.stderr
    finished = load_session(save).game
    one.unlink()  # the game knows its rules
    again = run("play", "--save", str(save), "--record", str(record))
    assert again.returncode == 0, again.stderr
    assert again.stdout.index("Recorded in") < again.stdout.index("Result")
    assert read_games(record) == [finished]
    assert not save.exists()
    both = run("play", "--save", str(record), "--record", str(record))
    assert "is the file of the unfinished game" in both.stderr


def test_advice_in_a_game_by_rules_of_ones_own(run: Run, tmp_path: Path, one: Path) -> None:
    save = ("--save", str(tmp_path / "game.json"), "--record", str(tmp_path / "games.jsonl"))
    assert run("play", str(one), *save).returncode == 0
    one.unlink()
    found = run("play", *save, "--lang", "sv", stdin="?\nquit\n")
    assert found.returncode == 0, found.stderr
    assert "Take Chans for " in found.stdout


def test_files_that_cannot_be_written_are_one_line(run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for place in ("/proc/x.json", str(tmp_path / "file" / "x.json"), "/dev/null"):
        found = run("play", "--save", place, "--new", "--record", str(tmp_path / "r.jsonl"))
        assert found.returncode == 1
        assert found.stderr.count("\n") == 1, found.stderr
    assert not (tmp_path / "r.jsonl").exists()
    assert not Path("/dev/null").is_file()


def test_two_processes_do_not_overwrite_each_other(tmp_path: Path) -> None:
    path = tmp_path / "game.json"
    (tmp_path / "link.json").symlink_to(path)
    first = SaveFile(path)
    mine = new()
    mine.roll()
    first.write(mine)
    second = SaveFile(tmp_path / "link.json")
    theirs = second.load()
    theirs.score("chance")
    second.write(theirs)
    with pytest.raises(SolverError, match="another process has changed the game"):
        first.write(mine)
    with pytest.raises(SolverError, match="another process has changed the game"):
        first.remove()
    assert load_session(path) == theirs
    assert (tmp_path / "link.json").is_symlink()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["game.json", "link.json"]
    second.remove()
    with pytest.raises(SolverError, match="another process"):
        second.write(theirs)


def test_what_differs_from_the_saved_game_is_not_ignored(run: Run, tmp_path: Path) -> None:
    save, record = tmp_path / "game.json", ("--record", str(tmp_path / "games.jsonl"))
    save_session(save, new())  # Yatzy, one player P0, seed 5
    before = save.read_bytes()
    for arguments, differing in (
        (("yahtzee",), "other rules;"),
        (("yatzy+four-is-two-pairs",), "other rules;"),
        (("--players", "Ann, Bo"), "other players;"),
        (("--dice", "typed"), "other dice;"),
        (("--seed", "6"), "other seed;"),
        (
            ("yahtzee", "--players", "P0", "--seed", "5", "--dice", "typed"),
            "--seed can only be used when the program rolls",
        ),
    ):
        found = run("play", *arguments, "--save", str(save), *record, stdin="none\n")
        assert (found.returncode, found.stdout) == (2, ""), arguments
        assert differing in found.stderr
        assert save.read_bytes() == before
    same = run("play", "yatzy", "--players", "P0", "--seed", "5", "--save", str(save), *record, "--lang", "sv")
    assert same.returncode == 0, same.stderr
    assert "Resuming the saved game" in same.stdout
    other = run("play", "yahtzee", "--players", "Ann", "--save", str(save), *record, "--new")
    assert other.returncode == 0
    assert load_session(save).rules == load_rules("yahtzee")


def test_players_have_names_of_their_own(run: Run, tmp_path: Path) -> None:
    for players, message in (("Ann, ann", "two players are called ann"), ("A\x1b[1m", "is not a valid player name")):
        found = run("play", "--players", players, "--save", str(tmp_path / "g"))
        assert (found.returncode, found.stdout) == (2, "")
        assert message in found.stderr


def test_the_message_at_the_end_names_the_whole_command(run: Run, tmp_path: Path) -> None:
    save, record = tmp_path / "my game.json", tmp_path / "games.jsonl"
    found = run("play", "--save", str(save), "--record", str(record), "--plain", "--warn", "1.5", "--seed", "2")
    last = found.stdout.splitlines()[-1]
    assert last.endswith(f"Resume with: yatzy play --warn 1.5 --plain --save '{save}' --record {record}")
    assert last.startswith("Saved in")  # a line of its own, at the end of input too


# --- the card ----------------------------------------------------------------------------------------------------


def scripted(rules: str, *turns: tuple[tuple[int, ...], str], players: tuple[str, ...] = ("Ann",)) -> Session:
    session = Session(load_rules(rules), players, None)
    for dice, category in turns:
        session.roll(dice)
        session.score(category)
    return session


FIVES, FOURS, RUN = (5,) * 5, (4,) * 5, (2, 3, 4, 5, 6)


@pytest.mark.parametrize(
    ("session", "expected"),
    [
        (scripted("yahtzee", (FIVES, "yahtzee"), (FOURS, "fours")), {"Bonus points": "100", "Total": "170"}),
        (scripted("generala", (RUN, "straight")), {"Bonus points": "5"}),
        (scripted("generala", (FIVES, "straight")), {"Bonus points": "0", "Total": "0"}),
        (scripted("yatzy-saved", (FIVES, "yatzy"), (FOURS, "fours")), {"Saved rolls": "4", "Total": "70"}),
        (scripted("yatzy", (FIVES, "yatzy")), {"Upper bonus 50 at 63": "(0)"}),
        (
            scripted("yatzy-forced+threshold-63", *(((1, 1, 2, 3, 4), c) for c in FORCED[:6])),
            {"Upper bonus 50 at 63": "0", "Sixes": "0", "Total": "11"},
        ),
        (
            scripted("yatzy-forced+threshold-63", *(((face,) * 5, FORCED[face - 1]) for face in range(1, 6))),
            {"Upper bonus 50 at 63": "+50", "Sixes": "·", "Total": "125"},
        ),
    ],
)  # fmt: skip
def test_the_rows_of_a_card_add_up(session: Session, expected: dict[str, str]) -> None:
    rows = dict(card_rows(session.rules, session.card(0)))
    assert {name: rows[name] for name in expected} == expected
    saved = int(rows.pop("Saved rolls", 0))
    assert saved == session.card(0).saved
    total = int(rows.pop("Total"))
    assert total == final_score(session.card(0))
    assert sum(int(value) for value in rows.values() if value[0] not in "·(") == total


def test_saved_rolls_are_named() -> None:
    session = scripted("yatzy-saved", (FIVES, "yatzy"), (FOURS, "fours"))
    session.roll((1, 2, 3, 4, 6))
    assert "roll 1, six rerolls left (four saved): 1 2 3 4 6" in stage_line(session)
    for left in range(5, 2, -1):
        session.hold(())
        session.roll((1, 2, 3, 4, 6))
        assert session.rolls_left == left
    assert "three rerolls left (three saved)" in stage_line(session)
    assert "saved" not in stage_line(new_rolled())


def new_rolled() -> Session:
    session = new()
    session.roll()
    return session


def test_many_players_and_long_names_fit(yatzy: Strategy) -> None:
    names = tuple(f"{'Wilhelmina' * (i % 4)}{i}" for i in range(16))
    session = Session(yatzy.rules, names, 3)
    session.roll()
    lines = card_lines(session.rules, session)
    assert max(map(len, lines)) <= 80
    assert max(map(len, stage_line(session).splitlines())) <= 80
    assert sum(line.startswith("  Total") for line in lines) == lines.count("") + 1 > 1
    assert sum(line.split().count("0") for line in lines if line.startswith("  Total")) == 16
    head = " ".join(line for line in lines if not line.strip().startswith(("Ones", "Total")))
    assert all(name in head for name in names if len(name) <= 20)


def test_the_winner_is_named() -> None:
    turns = (FIVES, "yatzy"), (RUN, "chance"), (FIVES, "yatzy")
    assert winner_line(scripted("yatzy", *turns[:2], players=("Ann", "Bo"))) == "Ann wins with 50 points, 30 ahead."
    tie = scripted("yatzy", *turns, players=("Ann", "Bo", "Cy"))
    assert winner_line(tie) == "A tie at 50 points: Ann and Cy."


def test_the_prompt_says_whose_dice_are_to_be_typed() -> None:
    session = scripted("yatzy", (RUN, "chance"), players=("Ann", "Bo"))
    assert dice_question(session) == "Bo: dice you rolled (5; help):"
    session.undo()
    session.undo()
    assert dice_question(session).startswith("Ann:")
    session.roll(RUN)
    session.hold((2, 3))
    assert dice_question(session) == "Ann: dice you rolled (3, without the held 2 3; help):"
    assert dice_question(Session(session.rules, ("You",), None)) == "Dice you rolled (5; help):"


# --- words -------------------------------------------------------------------------------------------------------


def test_forbidden_categories_are_rejected_with_the_reason() -> None:
    joker = scripted("yahtzee", (FIVES, "yahtzee"))
    joker.roll(FOURS)
    with pytest.raises(StateError, match=r"full-house may not be taken now: an extra yahtzee must go to fours$"):
        joker.score("full-house")
    forced = new("yatzy-forced")
    forced.roll()
    with pytest.raises(
        StateError, match="yatzy may not be taken now: the boxes are filled in order, and ones is next"
    ):
        forced.score("yatzy")


def test_points_after_a_category_are_understood() -> None:
    rules, paid = load_rules("yatzy"), {"yatzy": 0, "chance": 21, "full-house": 0}
    for text, category in (
        ("Yatzy 0", "yatzy"), ("chance 21", "chance"), ("Chance for 21", "chance"), ("chance=21", "chance"),
        ("full house 0", "full-house"), ("full house x", "full-house"), ("kåk 0", "full-house"), ("ch", "chance"),
    ):  # fmt: skip
        assert parse_category(rules, text, paid) == category
    with pytest.raises(StateError, match="chance pays 21 for these dice, not 20"):
        parse_category(rules, "chance 20", paid)
    with pytest.raises(StateError, match="unknown category 'nonsense'"):
        parse_category(rules, "nonsense 20", paid)
    assert parse_category(rules, "ones 3", paid) == "ones"  # filled: the session says so
    assert parse_faces("-") is parse_faces(", ") is parse_faces("") is parse_faces("3x") is None
    assert parse_faces("⚂ 3,1") == (1, 3, 3)


def test_help_where_dice_are_typed(run: Run, tmp_path: Path) -> None:
    for asking in ("?", "help", ""):
        lines = [asking, "33456", "33", asking, "quit"]
        options = ("--dice", "typed", "--no-warn", "--save", str(tmp_path / f"{asking or 'none'}.json"))
        found = run("play", *options, stdin="\n".join(lines) + "\n")
        assert found.returncode == 0
        for faces in ("12345", "123"):
            assert f"  {faces:<12}  the dice you rolled" in found.stdout
        assert "(3, without the held 3 3; help):" in found.stdout


def test_instead_of_confirming_one_may_say_something_else(yatzy: Strategy, tmp_path: Path) -> None:
    """In a pseudo-terminal: a better hold, a question, no; and the end of input on a line of its own."""
    save = tmp_path / "game.json"
    process, main = in_terminal("--seed", "3", "--save", str(save))
    read_until(main, "(help)")
    seen = ""
    for text in ("none", "?", "none", "n", "none", "yatzy 0", "hold 3 3"):
        os.write(main, text.encode() + b"\n")
        seen = read_until(main, "[y/N]" if text in ("none", "yatzy 0") else "(help)", "")
    assert "roll 2" in seen
    assert [a.dice for a in load_session(save).actions if a.kind == "hold"] == [(3, 3)]
    os.write(main, b"\x04")
    assert read_until(main, "Resume with").startswith("\r\nSaved in")
    assert process.wait() == 0
    os.close(main)


def in_terminal(*arguments: str) -> tuple[subprocess.Popen[bytes], int]:
    """The command in a pseudo-terminal, and the end of it that a person sits at."""
    main, side = pty.openpty()
    command = [sys.executable, "-m", "perfect_yatzy", "play", *arguments]
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
    read_until(main, "To see your mistakes")
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
    assert "Resuming the saved game" in again
    line = next(line for line in second.splitlines() if "roll 2" in line)
    assert line.split("roll 2")[1].strip() in again
    os.write(main, b"quit\n")
    read_until(main, "Resume with")
    assert process.wait() == 0
    os.close(main)


# --- puzzles -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_a_puzzle_has_its_difficulty_and_depends_on_the_seed_only(yatzy: Strategy, difficulty: str) -> None:
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
    from perfect_yatzy.play.record import write_games
    from support.human import human

    path = tmp_path / "games.jsonl"
    write_games(path, [human(yatzy, 2)])
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
        with pytest.raises(StateError, match=message):
            find_answer(yatzy.rules, position, yatzy, text)
