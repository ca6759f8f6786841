"""`yatzy play`: whole games, undo, resume, wrong input at each prompt, the printed card."""

from __future__ import annotations

import os
import pty
import select
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import click
import pytest
from click.exceptions import Exit
from perfect_yatzy.cli.console import confirm
from perfect_yatzy.cli.views.play import card_lines, card_rows, dice_question, stage_line, winner_line
from perfect_yatzy.game.rule_loader import load_rules
from perfect_yatzy.play.record import read_games
from perfect_yatzy.play.save_file import load_session, save_session
from perfect_yatzy.play.session import Session
from perfect_yatzy.strategy.opponents import final_score
from perfect_yatzy.strategy.strategy import Strategy
from support.command import Run
from support.sessions import FIVES, FORCED, FOURS, RUN, new_session, scripted_session


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
    assert "Enter help for all commands." in out
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


def test_the_plain_mode_prints_sentences(run: Run, tmp_path: Path) -> None:
    found = run("play", "--plain", "--seed", "1", "--save", str(tmp_path / "g"), stdin="quit\n")
    assert "You: total 0. Filled: nothing. Open: Ones, Twos" in found.stdout
    assert "Yatzy. Upper bonus 50: 0 of 63 so far." in found.stdout


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
    (recorded,) = read_games(record)
    assert recorded == replace(finished, extra=finished.extra | {"date": recorded.extra["date"]})
    assert not save.exists()
    both = run("play", "--save", str(record), "--record", str(record))
    assert "is the file of the unfinished game" in both.stderr


def test_review_and_rate_read_the_record_of_finished_games(run: Run, tmp_path: Path) -> None:
    for command in ("review", "rate"):
        missing = run(command, XDG_DATA_HOME=str(tmp_path))
        assert missing.returncode == 2
        assert "`yatzy play` has not recorded a finished game in" in missing.stderr
    lines = [entry for category in FORCED for entry in (category, "y")]
    played = run("play", "yatzy-forced", "--save", str(tmp_path / "game.json"), stdin="\n".join(lines) + "\n", XDG_DATA_HOME=str(tmp_path))  # fmt: skip
    assert played.returncode == 0, played.stderr
    assert run("review", XDG_DATA_HOME=str(tmp_path)).stdout.startswith("You: ")
    assert run("rate", XDG_DATA_HOME=str(tmp_path)).returncode == 0


def test_a_declined_question_changes_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with click.Context(click.Command("solve")):
        with pytest.raises(click.UsageError, match="add --yes"):
            confirm("This discards the game.", "add --yes")
        monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
        for answer in (True, False):
            monkeypatch.setattr(click, "confirm", lambda *args, answer=answer, **options: answer)
            if answer:
                confirm("This discards the game.", "add --yes")
            else:
                with pytest.raises(Exit) as ended:
                    confirm("This discards the game.", "add --yes")
    assert ended.value.exit_code == 1
    assert capsys.readouterr().err == "Nothing was changed.\n"


def test_advice_in_a_game_by_custom_rules(run: Run, tmp_path: Path, one: Path) -> None:
    save = ("--save", str(tmp_path / "game.json"), "--record", str(tmp_path / "games.jsonl"))
    assert run("play", str(one), *save).returncode == 0
    one.unlink()
    found = run("play", *save, "--lang", "sv", stdin="?\nquit\n")
    assert found.returncode == 0, found.stderr
    assert "Ta Chans för " in found.stdout


def test_files_that_cannot_be_written_are_reported_in_one_line(run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for place in ("/proc/x.json", str(tmp_path / "file" / "x.json"), "/dev/null"):
        found = run("play", "--save", place, "--new", "--record", str(tmp_path / "r.jsonl"))
        assert found.returncode == 1
        assert found.stderr.count("\n") == 1, found.stderr
    assert not (tmp_path / "r.jsonl").exists()
    assert not Path("/dev/null").is_file()


def test_options_that_contradict_the_saved_game_are_rejected(run: Run, tmp_path: Path) -> None:
    save, record = tmp_path / "game.json", ("--record", str(tmp_path / "games.jsonl"))
    save_session(save, new_session())  # Yatzy, one player P0, seed 5
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
    assert "Fortsätter det sparade spelet" in same.stdout
    other = run("play", "yahtzee", "--players", "Ann", "--save", str(save), *record, "--new", "--yes")
    assert other.returncode == 0
    assert load_session(save).rules == load_rules("yahtzee")


def test_an_unfinished_game_is_discarded_on_purpose_only(run: Run, tmp_path: Path) -> None:
    save = tmp_path / "game.json"
    save_session(save, new_session())
    before = save.read_bytes()
    options = ("--save", str(save), "--record", str(tmp_path / "games.jsonl"), "--new")
    refused = run("play", *options, stdin="y\n")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert (
        f"--new discards the unfinished game in {save} (yatzy, P0, the program's dice); add --yes" in refused.stderr
    )
    assert save.read_bytes() == before
    process, main = in_terminal(*options)
    read_until(main, "[y/N]")
    os.write(main, b"n\n")
    assert process.wait() == 1
    os.close(main)
    assert save.read_bytes() == before
    save.write_text("no game")
    assert "which is not a saved game; add --yes" in run("play", *options).stderr
    assert run("play", *options, "--yes").returncode == 0
    assert load_session(save).players == ("You",)


def test_finished_games_go_to_the_data_folder(run: Run, tmp_path: Path, one: Path) -> None:
    home, elsewhere = tmp_path / "data", tmp_path / "elsewhere"
    elsewhere.mkdir()
    played = run(
        "play", str(one), "--save", str(tmp_path / "g"), stdin="chance\n", XDG_DATA_HOME=str(home), PWD=str(elsewhere)
    )
    assert played.returncode == 0, played.stderr
    record = home / "perfect-yatzy" / "games.jsonl"
    assert f"Recorded in {record}." in played.stdout
    assert len(read_games(record)) == 1


def test_undo_cancels_a_decision_that_was_warned_of(run: Run, tmp_path: Path) -> None:
    """It does not undo the decision before it."""
    save = tmp_path / "game.json"
    lines = "none\ny\nnone\nundo\nquit\n"
    options = ("--seed", "3", "--save", str(save), "--record", str(tmp_path / "games.jsonl"))
    found = run("play", *options, stdin=lines)
    assert found.stdout.count("Continue anyway?") == 2, found.stdout
    assert [action.kind for action in load_session(save).actions] == ["roll", "hold", "roll"]


def test_player_names_must_be_unique_and_printable(run: Run, tmp_path: Path) -> None:
    for players, message in (
        ("Ann, ann", "two players are called ann"),
        (",", "--players ',' has no names"),
        ("A\x1b[1m", "is not a valid player name"),
    ):
        found = run("play", "--players", players, "--save", str(tmp_path / "g"))
        assert (found.returncode, found.stdout) == (2, "")
        assert message in found.stderr


def test_the_last_message_has_the_whole_command_to_resume(run: Run, tmp_path: Path) -> None:
    save, record = tmp_path / "my game.json", tmp_path / "games.jsonl"
    found = run("play", "--save", str(save), "--record", str(record), "--plain", "--warn", "1.5", "--seed", "2")
    last = found.stdout.splitlines()[-1]
    assert last.endswith(f"Resume with: yatzy play --warn 1.5 --plain --save '{save}' --record {record}")
    assert last.startswith("Saved in")  # a line of its own, at the end of input too


@pytest.mark.parametrize(
    ("session", "expected"),
    [
        (scripted_session("yahtzee", (FIVES, "yahtzee"), (FOURS, "fours")), {"Bonus points": "100", "Total": "170"}),
        (scripted_session("generala", (RUN, "straight")), {"Bonus points": "5"}),
        (scripted_session("generala", (FIVES, "straight")), {"Bonus points": "0", "Total": "0"}),
        (scripted_session("yatzy-saved", (FIVES, "yatzy"), (FOURS, "fours")), {"Saved rolls": "4", "Total": "70"}),
        (scripted_session("yatzy", (FIVES, "yatzy")), {"Upper bonus 50": "0 of 63"}),
        (
            scripted_session("yatzy-forced+threshold-63", *(((1, 1, 2, 3, 4), c) for c in FORCED[:6])),
            {"Upper bonus 50": "0", "Sixes": "0", "Total": "11"},
        ),
        (
            scripted_session("yatzy-forced+threshold-63", *(((face,) * 5, FORCED[face - 1]) for face in range(1, 6))),
            {"Upper bonus 50": "+50", "Sixes": "·", "Total": "125"},
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
    assert sum(int(value) for value in rows.values() if value != "·" and " of " not in value) == total


def test_the_stage_names_saved_rolls() -> None:
    session = scripted_session("yatzy-saved", (FIVES, "yatzy"), (FOURS, "fours"))
    session.roll((1, 2, 3, 4, 6))
    assert "roll 1, six rerolls left (four saved): 1 2 3 4 6" in stage_line(session)
    for left in range(5, 2, -1):
        session.hold(())
        session.roll((1, 2, 3, 4, 6))
        assert session.rolls_left == left
    assert "three rerolls left (three saved)" in stage_line(session)
    assert "saved" not in stage_line(new_rolled())


def new_rolled() -> Session:
    session = new_session()
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
    assert (
        winner_line(scripted_session("yatzy", *turns[:2], players=("Ann", "Bo")))
        == "Ann wins with 50 points, 30 ahead."
    )
    tie = scripted_session("yatzy", *turns, players=("Ann", "Bo", "Cy"))
    assert winner_line(tie) == "A tie at 50 points: Ann and Cy."


def test_the_prompt_names_the_player_and_the_number_of_dice() -> None:
    session = scripted_session("yatzy", (RUN, "chance"), players=("Ann", "Bo"))
    assert dice_question(session) == "Bo: dice you rolled (5; help):"
    session.undo()
    session.undo()
    assert dice_question(session).startswith("Ann:")
    session.roll(RUN)
    session.hold((2, 3))
    assert dice_question(session) == "Ann: dice you rolled (3, without the held 2 3; help):"
    assert dice_question(Session(session.rules, ("You",), None)) == "Dice you rolled (5; help):"


def test_help_where_dice_are_typed(run: Run, tmp_path: Path) -> None:
    for asking in ("?", "help", ""):
        lines = [asking, "33456", "33", asking, "quit"]
        options = ("--dice", "typed", "--no-warn", "--save", str(tmp_path / f"{asking or 'none'}.json"))
        found = run("play", *options, stdin="\n".join(lines) + "\n")
        assert found.returncode == 0
        for faces in ("12345", "123"):
            assert f"  {faces:<12}  the dice you rolled" in found.stdout
        assert "(3, without the held 3 3; help):" in found.stdout


def test_a_confirmation_accepts_other_commands(yatzy: Strategy, tmp_path: Path) -> None:
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
        ready, _, _ = select.select([main], [], [], 600)
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


def test_a_killed_game_resumes_in_a_terminal(tmp_path: Path, yatzy: Strategy) -> None:
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
