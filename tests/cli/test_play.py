"""`yatzy play`: whole games, undo, resume, wrong input at each prompt, the printed card,
computer players.
"""

import os
import re
import select
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Literal

import click
import pytest
from click.exceptions import Exit
from perfect_yatzy import Strategy, load_rules
from perfect_yatzy.cli.commands import play as play_command
from perfect_yatzy.cli.console import confirm
from perfect_yatzy.cli.terminal_game import TerminalGame
from perfect_yatzy.cli.views import game_text as views
from perfect_yatzy.cli.views.game_text import (
    card_rows,
    computer_line,
    dice_question,
    points_line,
    stage_line,
    winner_line,
)
from perfect_yatzy.cli.views.wording import (
    COMMANDS,
    command_of,
    upper_bonus_labels,
    upper_bonus_lines,
    words_for,
)
from perfect_yatzy.game.rule_loader import builtin_ids
from perfect_yatzy.game.translations import localized
from perfect_yatzy.play.record import read_games
from perfect_yatzy.play.session import SaveFile, Session
from perfect_yatzy.service.queries import QueryService
from perfect_yatzy.words import LANGUAGES, language_scope
from perfect_yatzy.words import _ as translated
from support.command import Run, printed, refusal
from support.human import FIVES, FORCED, FOURS, RUN, new_session, scripted_session
from support.need import need
from support.refusals import load_text, refused

# Of Kismet's six upper boxes: 35 points at 63, 55 at 71, 75 at 78; the sixes can pay 30.
ALL_BUT_SIXES = 0b011111


@pytest.fixture
def save(tmp_path: Path) -> Path:
    return tmp_path / "my game.json"


@pytest.fixture
def record(tmp_path: Path) -> Path:
    return tmp_path / "games.jsonl"


@pytest.fixture
def play(run: Run, save: Path, record: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs `yatzy play` with files of the test, and enters lines."""

    def call(
        *arguments: str, lines: Sequence[str] = (), **rest: str
    ) -> subprocess.CompletedProcess[str]:
        files = () if "--record" in arguments else ("--record", str(record))
        return run(
            "play",
            *arguments,
            *files,
            "--save",
            str(save),
            stdin="".join(f"{x}\n" for x in lines),
            **rest,
        )

    return call


def test_a_whole_game_by_the_command(play: Run, save: Path, record: Path) -> None:
    """Two players in forced order, with advice, a warning, an undo, and a record that adds up."""
    lines = [
        "?",
        "none",
        "none",
        "undo",
        "help",
        "card",
        "no such box",
        "9",
        "hold",
        "undo",
        "none",
        "ones",
        "undo",
    ]
    lines += [
        category for category in FORCED for _ in "abcd"
    ]  # two players, each with a warning or not
    found = printed(
        play, "yatzy-forced", "--players", "Ann, Bo", "--seed", "3", "--new", lines=lines
    )
    for words in (
        "expected final score",
        "for 0 loses",
        "Undone: hold nothing.",
        "9 is not within",
        "Ann: ",
        "= start 150.22",
        "'no such box' is neither dice nor a category. Enter help for all commands.",
        "name the dice to hold, such as 33, or the category to take",
    ):
        assert words in found
    (game,) = read_games(record)
    assert (game.players, len(game.turns)) == (("Ann", "Bo"), 30)
    assert not save.exists()


def test_real_dice_are_typed_in(play: Run, save: Path) -> None:
    lines = ["3x", "33", "33456", "33", "33", "456", "undo", "undo", "33", "456", "fives"]
    found = printed(play, "--dice", "typed", "--no-warn", lines=lines)
    wrong = ("'3x' is not a roll", "enter the dice you rerolled (3), or all 5; '33' is 2")
    for words in (*wrong, "Undone: the roll 3 3 4 5 6."):
        assert words in found
    turn = SaveFile(save).load().turns[0]
    assert (turn.dice_history, turn.category) == (((3, 3, 4, 5, 6), (3, 3, 4, 5, 6)), "fives")


def test_the_plain_mode_prints_sentences(play: Run) -> None:
    found = play("--plain", "--seed", "1", lines=["quit"])
    assert "You: total 0. Filled: nothing. Open: Ones, Twos" in found.stdout
    assert "Yatzy. Upper bonus 50: 0 of 63 so far." in found.stdout


ONE = 'dice = 2\nrolls = 1\n[[categories]]\nid = "chance"\nname = "Chance"\npattern = "any"\n'


@pytest.fixture
def one(tmp_path: Path, run: Run) -> Path:
    """A game of one roll and one box, solved."""
    path = Path(load_text(tmp_path, ONE).origin)
    printed(run, "solve", str(path))
    return path


def test_a_game_without_a_record_is_not_lost(
    play: Run, tmp_path: Path, one: Path, save: Path, record: Path
) -> None:
    options = (str(one), "--players", "Ann, Bo", "--record")
    # nothing is played in vain
    refused = refusal(play, *options, str(tmp_path / "none" / "games.jsonl"), code=1)
    assert "choose another file with --record" in refused
    full = play(*options, "/dev/full", lines=["chance", "chance"])
    assert full.returncode == 1
    assert "cannot write /dev/full: No space left on device" in full.stderr
    assert f"yatzy play --save '{save}' --record FILE" in full.stderr
    finished = SaveFile(save).load().game
    one.unlink()  # the game knows its rules
    again = printed(play)
    assert again.index("Recorded in") < again.index("Result")
    (recorded,) = read_games(record)
    assert recorded == replace(finished, extra=finished.extra | {"date": recorded.extra["date"]})
    assert not save.exists()
    assert "is the file of the unfinished game" in play("--record", str(save)).stderr


def test_finished_games_go_to_the_data_folder_where_review_and_rate_read_them(
    run: Run, tmp_path: Path
) -> None:
    home = {"XDG_DATA_HOME": str(tmp_path / "data"), "PWD": str(tmp_path)}
    for command in ("review", "rate"):
        assert "`yatzy play` has not recorded a finished game in" in refusal(run, command, **home)
    lines = "".join(f"{category}\n" * 2 for category in FORCED)
    played = printed(
        run, "play", "yatzy-forced", "--save", str(tmp_path / "game.json"), stdin=lines, **home
    )
    record = tmp_path / "data" / "perfect-yatzy" / "games.jsonl"
    assert f"Recorded in {record}." in played
    assert played.endswith("To see your errors: yatzy review\n")
    assert len(read_games(record)) == 1
    assert run("review", **home).stdout.startswith("You: ")
    printed(run, "rate", **home)


def test_declining_changes_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    question = ("This discards the game.", "add --yes")
    with click.Context(click.Command("solve")):
        with pytest.raises(click.UsageError, match="add --yes"):
            confirm(*question)
        monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
        monkeypatch.setattr(click, "confirm", lambda *args, **options: True)
        confirm(*question)
        monkeypatch.setattr(click, "confirm", lambda *args, **options: False)
        with pytest.raises(Exit) as ended:
            confirm(*question)
    assert ended.value.exit_code == 1
    assert capsys.readouterr().err == "Nothing was changed.\n"


def test_advice_in_a_game_by_custom_rules(play: Run, one: Path) -> None:
    printed(play, str(one))
    one.unlink()
    assert "Ta Chans för " in printed(play, "--lang", "sv", lines=["?", "quit"])


def test_files_that_cannot_be_written_are_reported_in_one_line(
    run: Run, tmp_path: Path, record: Path
) -> None:
    (tmp_path / "file").write_text("")
    for place in ("/proc/x.json", str(tmp_path / "file" / "x.json"), "/dev/null"):
        refusal(run, "play", "--save", place, "--new", "--record", str(record), code=1)
    assert not record.exists()
    assert not Path("/dev/null").is_file()


def test_only_the_default_folder_of_the_saved_game_is_made(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "nowhere"
    save = ("--save", str(folder / "game.json"))
    message = refusal(run, "play", *save, "--record", str(tmp_path / "games.jsonl"), code=1)
    assert message.strip().endswith(
        f"cannot save the game in {folder / 'game.json'}: No such file or directory"
    )
    assert not folder.exists()
    monkeypatch.setattr("platformdirs.user_state_dir", lambda _name: str(folder / "state"))
    assert play_command.default_save() == folder / "state" / "game.json"
    assert (folder / "state").is_dir()


def test_options_that_contradict_the_saved_game_are_rejected(play: Run, save: Path) -> None:
    SaveFile(save).write(new_session())  # Yatzy, one player P0, seed 5
    before = save.read_bytes()
    unused_seed = "--seed can only be used when the program rolls"
    for arguments, differing in (
        (("yahtzee",), "differs in rules;"),
        (("--rules", "yahtzee"), "differs in rules;"),
        (("yatzy+four-is-two-pairs",), "differs in rules;"),
        (("--players", "Ann, Bo"), "differs in players;"),
        (("--dice", "typed"), "differs in dice;"),
        (("--seed", "6"), "differs in seed;"),
        (("yahtzee", "--players", "P0", "--seed", "5", "--dice", "typed"), unused_seed),
    ):
        assert differing in refusal(play, *arguments, lines=["none"])
        assert save.read_bytes() == before
    # the environment asks for nothing
    assert play("--seed", "5", YATZY_RULES="yahtzee").returncode == 0
    same = printed(play, "yatzy", "--players", "P0", "--seed", "5", "--lang", "sv")
    assert "Fortsätter det sparade spelet" in same
    printed(play, "yahtzee", "--players", "Ann", "--new", "--yes")
    assert SaveFile(save).load().rules == load_rules("yahtzee")


def test_an_unfinished_game_is_discarded_on_purpose_only(
    play: Run, save: Path, record: Path
) -> None:
    SaveFile(save).write(new_session())
    before = save.read_bytes()
    discards = (
        f"--new discards the unfinished game in {save} (yatzy, P0, the program's dice); add --yes"
    )
    assert discards in refusal(play, "--new", lines=["y"])
    assert save.read_bytes() == before
    with in_terminal("--new", "--save", str(save), "--record", str(record), code=1) as (_, main):
        read_until(main, "[y/N]")
        os.write(main, b"n\n")
    assert save.read_bytes() == before
    save.write_text("no game")
    assert "which is not a saved game; add --yes" in play("--new").stderr
    printed(play, "--new", "--yes")
    assert SaveFile(save).load().players == ("You",)


def test_a_decision_that_was_warned_of_is_made_the_second_time(play: Run, save: Path) -> None:
    """The warning says the loss and not the answer; the same again is meant, anything else is
    tried instead.
    """
    found = play("--seed", "3", lines=["none", "?", "none", "none", "hold 3", "quit"])
    warnings = [line for line in found.stdout.splitlines() if "points on average." in line]
    assert len(warnings) == 2, found.stdout
    assert not any("best" in line for line in warnings)
    assert [action.kind for action in SaveFile(save).load().actions] == ["roll", "hold", "roll"]
    for yes in ("y", "yes", "ja"):  # only at once: later the letter begins the name of a category
        lines = ["none", yes, "chance", yes, "card", "yatzy", yes, "quit"]
        found = play("--lang", "sv", "--seed", "3", "--new", "--yes", lines=lines)
        kinds = [action.kind for action in SaveFile(save).load().actions]
        assert kinds[:4] == ["roll", "hold", "roll", "score"], found.stdout


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_decision_that_was_warned_of_is_named_and_can_be_withdrawn(
    play: Run, save: Path, language: str
) -> None:
    """In every language; what is entered in between ends what yes would have confirmed."""
    large_straight = {c.id: c.name for c in localized(load_rules("yatzy"), language).categories}[
        "large-straight"
    ]
    with language_scope(language):
        yes = translated(COMMANDS["yes"]).split(", ")[0]
        assert not words_for("yes") & words_for("no")
        withdrawing = sorted(words_for("no"))
    for word in withdrawing:
        lines = ["11236", "large-straight", word, "quit"]
        found = play("--dice", "typed", "--lang", language, "--new", "--yes", lines=lines).stdout
        warning = next(line for line in found.splitlines() if line.startswith(large_straight))
        assert "10.67" in warning.replace(",", "."), found
        assert f": {large_straight}" in found.partition(warning)[2]
        assert [action.kind for action in SaveFile(save).load().actions] == ["roll"]
    lines = ["11236", "large-straight", "no such box", yes, "quit"]
    play("--dice", "typed", "--lang", language, "--new", "--yes", lines=lines)
    assert [action.kind for action in SaveFile(save).load().actions] == ["roll"]


def test_a_hold_that_was_warned_of_is_named(play: Run) -> None:
    lines = ["11236", "236", "no", "none", "?", "none", "quit"]
    found = printed(play, "--dice", "typed", lines=lines)
    for words in ("Holding 2 3 6 loses", "Withdrawn: hold 2 3 6.", "Rerolling all dice loses"):
        assert found.count(words) == 1, words
    assert "without the held" not in found


def test_the_last_message_has_the_whole_command_to_resume(
    play: Run, save: Path, record: Path
) -> None:
    last = play("--plain", "--warn", "1.5", "--seed", "2").stdout.splitlines()[-1]
    assert last.endswith(
        f"Resume with: yatzy play --warn 1.5 --plain --save '{save}' --record {record}"
    )
    assert last.startswith("Saved in")  # a line of its own, at the end of input too


DEUCES_TO_FIVES = "deuces", "treys", "fours", "fives"


@pytest.mark.parametrize(
    ("session", "expected"),
    [
        (
            scripted_session("yahtzee", (FIVES, "yahtzee"), (FOURS, "fours")),
            {"Bonus points": "100", "Total": "170"},
        ),
        (scripted_session("generala", (RUN, "straight")), {"Bonus points": "5"}),
        (scripted_session("generala", (FIVES, "straight")), {"Bonus points": "0", "Total": "0"}),
        (
            scripted_session("yatzy-saved", (FIVES, "yatzy"), (FOURS, "fours")),
            {"Saved rolls": "4", "Total": "70"},
        ),
        (scripted_session("yatzy", (FIVES, "yatzy")), {"Upper bonus 50": "0 of 63"}),
        (
            scripted_session(
                "yatzy-forced+threshold-63", *(((1, 1, 2, 3, 4), c) for c in FORCED[:6])
            ),
            {"Upper bonus 50": "0", "Sixes": "0", "Total": "11"},
        ),
        (
            scripted_session(
                "yatzy-forced+threshold-63",
                *(((face,) * 5, FORCED[face - 1]) for face in range(1, 6)),
            ),
            {"Upper bonus 50": "+50", "Sixes": "·", "Total": "125"},
        ),
        (
            scripted_session(
                "kismet",
                *(((face,) * 5, name) for face, name in enumerate(DEUCES_TO_FIVES, start=2)),
            ),
            {"Upper bonus": "+35, 70 of 71", "Total": "105"},
        ),
        (
            scripted_session("kismet", *(((6,) * 5, name) for name in ("sixes", "kismet"))),
            {"Upper bonus": "30 of 63"},
        ),
    ],
)
def test_the_rows_of_a_card_add_up(session: Session, expected: dict[str, str]) -> None:
    rows = dict(card_rows(session.rules, session.card(0)))
    assert {name: rows[name] for name in expected} == expected
    saved = int(rows.pop("Saved rolls", 0))
    assert saved == session.card(0).saved
    total = int(rows.pop("Total"))
    assert total == session.card(0).score
    points = [value.partition(",")[0] for value in rows.values()]
    assert sum(int(value) for value in points if value != "·" and " of " not in value) == total


@pytest.mark.parametrize(
    ("key", "filled", "upper", "line"),
    [
        ("yatzy", 0b1, 3, "Upper bonus of 50: 3 of 63, 60 more needed"),
        ("yatzy", 0b111111, 70, "Upper bonus of 50: secured (70 of 63)"),
        ("kismet", ALL_BUT_SIXES, 30, "Upper bonus: out of reach (30 of 63 for 35 points)"),
        ("kismet", ALL_BUT_SIXES, 45, "Upper bonus: 45 of 63 for 35 points, 18 more needed"),
        (
            "kismet",
            ALL_BUT_SIXES,
            63,
            "Upper bonus: 63 of 71 for 55 points, 8 more needed, 35 points secured",
        ),
        (
            "kismet",
            ALL_BUT_SIXES,
            75,
            "Upper bonus: 75 of 78 for 75 points, 3 more needed, 55 points secured",
        ),
        ("kismet", ALL_BUT_SIXES, 78, "Upper bonus: secured (78 of 78 for 75 points)"),
    ],
)
def test_the_next_step_of_the_bonus_and_its_points(
    key: str, filled: int, upper: int, line: str
) -> None:
    assert upper_bonus_lines(load_rules(key), filled, [upper]) == [line]
    assert upper_bonus_labels(load_rules(key)) == [line.partition(":")[0]]


def test_the_stage_names_saved_rolls_and_open_boxes_of_which_none_pays() -> None:
    """1 1 2 3 5 pays nothing in the nine boxes that are open."""
    session = scripted_session("yatzy-saved", (FIVES, "yatzy"), (FOURS, "fours"))
    session.roll((1, 2, 3, 4, 6))
    assert "roll 1, six rerolls left (four saved): 1 2 3 4 6" in stage_line(session)
    for left in range(5, 2, -1):
        session.hold(())
        session.roll((1, 2, 3, 4, 6))
        assert session.rolls_left == left
    assert "three rerolls left (three saved)" in stage_line(session)
    session = new_session()
    session.roll()
    assert "saved" not in stage_line(session)
    paying = ("ones", "twos", "threes", "fives", "one-pair", "chance")
    session = scripted_session("yatzy", *((RUN, category) for category in paying[:-1]))
    session.roll((1, 1, 2, 3, 5))
    assert points_line(session.rules, session) == "Points now: Chance 12, nine others 0"
    session.score("chance")
    session.roll((1, 1, 2, 3, 5))
    line = " ".join(points_line(session.rules, session).split())
    assert line.startswith("Points now: Fours 0, Sixes 0, ")
    assert line.count(" 0") == 9


def test_many_players_and_long_names_fit(yatzy: Strategy) -> None:
    names = tuple(f"{'Wilhelmina' * (i % 4)}{i}" for i in range(16))
    session = Session(yatzy.rules, names, 3)
    session.roll()
    lines = views.card_lines(session.rules, session, range(16))
    assert max(map(len, lines)) <= 80
    assert max(map(len, stage_line(session).splitlines())) <= 80
    assert sum(line.startswith("  Total") for line in lines) == lines.count("") + 1 > 1
    assert sum(line.split().count("0") for line in lines if line.startswith("  Total")) == 16
    head = " ".join(line for line in lines if not line.strip().startswith(("Ones", "Total")))
    assert all(name in head for name in names if len(name) <= 20)


def test_the_winner_the_player_and_the_number_of_dice_are_named() -> None:
    turns = (FIVES, "yatzy"), (RUN, "chance"), (FIVES, "yatzy")
    two = scripted_session("yatzy", *turns[:2], players=("Ann", "Bo"))
    assert winner_line(two) == "Ann wins with 50 points, 30 ahead."
    unnamed = scripted_session("yatzy", *turns[:2], players=("You", "Bo"))
    assert winner_line(unnamed) == "You win with 50 points, 30 ahead."
    with language_scope("de"):
        unnamed = scripted_session("yatzy", *turns[:2], players=(translated("You"), "Bo"))
        assert winner_line(unnamed) == "Du gewinnst mit 50 Punkten, 30 Vorsprung."
    three = scripted_session("yatzy", *turns, players=("Ann", "Bo", "Cy"))
    assert winner_line(three) == "A tie at 50 points: Ann and Cy."
    session = scripted_session("yatzy", (RUN, "chance"), players=("Ann", "Bo"))
    assert dice_question(session) == "Bo: dice you rolled (5; help):"
    session.undo()
    session.undo()
    assert dice_question(session).startswith("Ann:")
    session.roll(RUN)
    session.hold((2, 3))
    assert dice_question(session) == "Ann: dice you rolled (3, without the held 2 3; help):"
    assert dice_question(Session(session.rules, ("You",), None)) == "Dice you rolled (5; help):"


@pytest.mark.parametrize("asking", ["?", "help", ""])
def test_help_where_dice_are_typed(play: Run, asking: str) -> None:
    found = printed(
        play, "--dice", "typed", "--no-warn", lines=[asking, "33456", "33", asking, "quit"]
    )
    for words in (
        "  12345         the dice",
        "  123           the dice",
        "(3, without the held 3 3; help):",
    ):
        assert words in found


def test_the_end_of_input_in_a_terminal(yatzy: Strategy, save: Path) -> None:
    """After a warning and a better hold; the message is on a line of its own."""
    with in_terminal("--seed", "3", "--save", str(save)) as (_, main):
        read_until(main, "(help)")
        for text in ("none", "?", "yatzy 0", "hold 3 3"):
            os.write(main, text.encode() + b"\n")
            seen = read_until(main, "(help)")
        assert "roll 2" in seen
        assert [a.dice for a in SaveFile(save).load().actions if a.kind == "hold"] == [(3, 3)]
        os.write(main, b"\x04")
        assert "\r\nSaved in" in read_until(main, "Resume")


@pytest.mark.full
@pytest.mark.parametrize("columns", [60, 50])
@pytest.mark.parametrize("language", ["en", "sv"])
def test_a_game_fits_a_narrow_terminal(
    save: Path, record: Path, columns: int, language: str
) -> None:
    """No line is longer than the terminal, but for a path."""
    asked = {"en": "(help)", "sv": "(hjälp)"}[language]
    files = ("--save", str(save), "--record", str(record), "--lang", language)
    command = ("yatzy-forced", "--seed", "2", "--opponent", "5", "--no-warn", *files)
    with in_terminal(*command, columns=columns) as (_, main):
        seen = ""
        for text in ("?", "nonsense", asked[1:-1], *FORCED):
            seen += read_until(main, asked)
            os.write(main, text.encode() + b"\n")
        seen += read_until(main, "yatzy review")
    lines = re.sub(r"\x1b\[[?0-9;]*[A-Za-z]", "", seen).splitlines()
    assert [
        line
        for line in lines
        if len(line) > columns and not re.search(rf"/|%|{re.escape(asked)}", line)
    ] == []


@pytest.mark.full
def test_arrow_keys_repeat_and_edit_a_line(save: Path) -> None:
    with in_terminal("--seed", "3", "--no-warn", "--save", str(save)) as (_, main):
        read_until(main, "(help)")
        os.write(main, b"hold 63\x1b[D\x7f3\n")  # left, delete the 6, and 3
        assert "roll 2" in read_until(main, "(help)")
        os.write(main, b"undo\n")
        assert "Undone: hold 3 3." in read_until(main, "(help)")
        os.write(main, b"\x1b[A\x1b[A\n")  # the line before the last
        assert "roll 2" in read_until(main, "(help)")
        os.write(main, b"\x04")
        read_until(main, "Resume")


def test_commands_are_understood_in_the_language_and_in_english(play: Run, save: Path) -> None:
    lines = ["hjälp", "inga", "ångra", "BEHÅLL 33", "sluta"]
    found = printed(play, "--lang", "sv", "--no-warn", "--seed", "3", lines=lines)
    assert "(hjälp)" in found
    assert "(help)" not in found
    assert [(a.kind, a.dice) for a in SaveFile(save).load().actions][1] == ("hold", (3, 3))
    assert play("--lang", "sv", lines=["help", "none", "undo", "quit"]).stdout.count("Ångrat:") == 1


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_command_is_the_name_of_a_category(language: str) -> None:
    with language_scope(language):
        words = set().union(*map(words_for, COMMANDS))
        assert "undo" in words
        for rules in map(load_rules, builtin_ids()):
            names = {c.name.lower() for c in localized(rules, language).categories}
            assert not names & words, rules.key
            assert not {name for name in names if command_of(f"hold {name}") in COMMANDS}


@contextmanager
def in_terminal(
    *arguments: str, code: int = 0, columns: int = 80
) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """The command in a pseudo-terminal, and the end of it that a person sits at; it must end
    with a code.
    """
    main, side = need("pty").openpty()
    need("termios").tcsetwinsize(side, (24, columns))
    command = [sys.executable, "-m", "perfect_yatzy", "play", *arguments]
    env = os.environ | {"COLUMNS": str(columns)}
    with subprocess.Popen(
        command, stdin=side, stdout=side, stderr=side, close_fds=True, env=env
    ) as process:
        os.close(side)
        try:
            yield process, main
            with suppress(OSError):  # readline waits at its end until all is read
                while os.read(main, 4096):
                    pass
            assert process.wait() == code
        finally:
            process.kill()
            os.close(main)


def read_until(main: int, text: str, seen: str = "") -> str:
    """What the terminal shows up to a text, behind what was seen of it before."""
    found = seen.encode()
    while text.encode() not in found:  # a read may end within a character
        ready, _, _ = select.select([main], [], [], 600)
        assert ready, f"waited for {text!r} and saw {found[-500:]!r}"
        found += os.read(main, 4096)
    return found.decode(errors="replace")


def test_a_killed_game_resumes_in_a_terminal(save: Path, yatzy: Strategy) -> None:
    """Through a real pseudo-terminal: play, kill, resume with the same dice on the table."""
    arguments = ("--seed", "9", "--no-warn", "--save", str(save))
    with in_terminal(*arguments, code=-signal.SIGKILL) as (process, main):
        read_until(main, "take which category? (help)")
        os.write(main, b"none\n")
        _, _, second = read_until(main, "roll 2").rpartition("roll 2")
        second = read_until(main, "(help)", second)
        process.kill()
    with in_terminal(*arguments) as (_, main):
        again = read_until(main, "take which category? (help)")
        assert "Resuming the saved game" in again
        assert second.splitlines()[0].strip() in again
        os.write(main, b"quit\n")
        read_until(main, "Resume")


def widest(text: str) -> int:
    """Length of the longest line, except those with the path of a file."""
    return max(len(line) for line in text.splitlines() if "/" not in line)


def test_a_whole_game_against_computers(play: Run, save: Path, record: Path) -> None:
    """The turns of the computers are shown, every line fits, the record is complete and has a
    review.
    """
    kinds = [word for kind in ("2", "safe", "bold", "win", "win") for word in ("--opponent", kind)]
    command = ("yatzy-forced", *kinds, "--seed", "3", "--players", "Ann")
    lines = [category for category in FORCED for _ in "ab"]
    found = printed(play, *command, lines=lines)
    (game,) = read_games(record)
    names = [f"Computer ({kind})" for kind in ("level 2", "safe", "bold", "win")]
    assert game.players == ("Ann", *names, "Computer 2 (win)")
    assert len(game.turns) == 6 * 15
    assert widest(found) <= 80
    assert found.count("Computer (win): turn ") == 15
    assert found.count("holds ") > 40
    assert found.count("takes Yatzy for ") == 5
    own_card = [line.split()[-1:] for line in found.splitlines()].count(["Ann"])
    assert own_card == 15  # after each own turn
    assert found.count("= start 150.22") == 6  # each has a review
    assert "wins with" in found
    printed(play, *command, lines=lines[:6])
    assert SaveFile(save).load().turns == game.turns[: 3 * 6]  # a function of the seed


def test_a_game_against_computers_is_resumed_with_the_same(play: Run, save: Path) -> None:
    begun = play(
        "yatzy-forced", "--opponent", "2", "--seed", "4", lines=["ones", "ones", "undo", "quit"]
    )
    assert "Undone: Ones." in begun.stdout
    assert SaveFile(save).load().computers == ("", "2")
    again = ("--opponent", "novice", "--players", "You")
    resumed = printed(play, "yatzy-forced", *again, lines=["ones", "ones", "quit"])
    assert "Resuming the saved game" in resumed
    turn = begun.stdout[begun.stdout.index("Computer (level 2): turn 1") :].split("\n\n")[0]
    assert turn in resumed  # the same dice and choices after undo and resume
    assert "differs in opponents;" in refusal(play, "--opponent", "3")


def test_advice_for_winning(play: Run) -> None:
    """In forced order the whole game is solved at once."""
    lines = ["?", "advice win", "?", "ones", "ones", "advice", "advice mean", "?", "quit"]
    out = printed(play, "yatzy-forced", *("--opponent", "5") * 4, "--seed", "3", lines=lines)
    assert "Advice and warnings are for the chance to win; a tie counts as half a win." in out
    assert "chance to win (a tie is half)" in " ".join(out.split())
    assert re.search(r"\w for \d+ lowers the chance to win: ", " ".join(out.split()))
    assert out.count("Advice and warnings are for the chance to win") == 2
    assert "Advice and warnings are for the expected score." in out
    assert out.count("expected final score") == 2
    assert widest(out) <= 80
    shown = play("--advice", "win", lines=["?", "quit"]).stdout
    assert "chance to win (a tie is half)" in " ".join(shown.split())


def test_advice_for_winning_where_there_is_none(play: Run) -> None:
    """Alone, and too early in a large game; with saved rolls there is some."""
    alone = play("yatzy-forced", "--advice", "win", lines=["?", "advice win", "quit"])
    assert (
        "There is nobody to beat in a game of one player; this is the advice for the"
        in alone.stdout
    )
    assert "nobody to beat in a game of one player\n" in alone.stdout
    options = ("--opponent", "5", "--advice", "win", "--new", "--yes")
    early = play(*options, lines=["?", "quit"])
    assert "too large to solve for a win at once; this is" in early.stdout
    assert "expected final score" in early.stdout
    saving = play("maxi-forced", *options, lines=["?", "quit"])
    assert "There is no advice for winning" not in saving.stdout
    assert "chance to win" in saving.stdout


def test_advice_against_players_who_cannot_be_seen(play: Run) -> None:
    """A player who is alone at the table can ask for it."""
    out = printed(play, "yatzy-forced", "--field", "10:most-points", lines=["?", "ones", "quit"])
    assert "chance to win (a tie is shared)" in " ".join(out.split())


@pytest.mark.parametrize("advice", ["mean", "win"])
def test_warnings_are_for_what_the_advice_maximises(
    forced: Strategy,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    advice: Literal["mean", "win"],
) -> None:
    """A mistake that costs points but no chance: a certain win is not warned of."""
    session = Session(forced.rules, ("Ann", "Computer (level 1)"), None, ("", "1"))
    for category in FORCED[:14]:
        for dice in ((6,) * 5, (1, 1, 2, 3, 5)):
            session.roll(dice)
            session.score(category)
    session.roll((6, 6, 6, 6, 1))
    save = SaveFile(tmp_path / "g.json")
    game = TerminalGame(session, forced.rules, QueryService(), save, 0.2, False, advice)
    assert game.warn("yatzy") == (advice == "mean")
    assert ("Yatzy for 0 loses" in capsys.readouterr().out) == (advice == "mean")
    assert not game.warn("yatzy")  # the second time it is meant


def test_names_of_computers_differ_from_all_others() -> None:
    """Whatever the case, and however many there are of a kind."""
    names = ("COMPUTER (level 2)", "computer 3 (Level 2)")
    session = play_command.new_session(load_rules("yatzy"), names, ("2", "2", "3"), 1)
    assert session.players[2:] == (
        "Computer 2 (level 2)",
        "Computer 4 (level 2)",
        "Computer (level 3)",
    )


@pytest.mark.parametrize(
    ("typed", "taken"),
    [
        ("fours", True),
        ("fours 120", True),
        ("fours=120", True),
        ("fours 20", False),
        ("fours x", False),
    ],
)
def test_points_typed_with_a_category_count_the_bonus(
    tmp_path: Path, typed: str, taken: bool
) -> None:
    session = scripted_session("yahtzee", ((5,) * 5, "yahtzee"))
    session.roll((4,) * 5)
    game = TerminalGame(
        session, session.rules, QueryService(), SaveFile(tmp_path / "g.json"), None, True
    )
    if taken:
        game.carry_out(typed)
        assert (session.turns[-1].points, session.turns[-1].bonus_points) == (20, 100)
    else:
        refused("fours pays 120 for these dice, not", game.carry_out, typed)


def test_the_lines_of_a_computer_fit(yatzy: Strategy) -> None:
    session = scripted_session("yahtzee", ((5,) * 5, "yahtzee"))
    session.roll((4,) * 5)
    assert computer_line(session.rules, session, "fours").endswith(
        "takes Fours for 20 and 100 bonus points"
    )
    session.hold(())
    session.roll((1, 2, 3, 4, 6))
    assert computer_line(session.rules, session, ()).endswith("rerolls all dice")
    assert computer_line(session.rules, session, (1, 2)).endswith("holds 1 2")


def test_players_of_the_same_dice_are_compared_by_points_lost(play: Run, record: Path) -> None:
    """The first roll of each turn is the same for all; saved games of other dice are refused."""
    options = ("yatzy-forced", "--opponent", "8", "--same-dice", "k7wm2pxa", "--no-warn")
    printed(play, *options, lines=["ones", "quit"])
    assert "differs in same_dice;" in refusal(play, "--same-dice", "other")
    out = printed(play, "--no-warn", lines=FORCED[1:])
    (game,) = read_games(record)
    assert game.extra["same_dice"] == "k7wm2pxa"
    firsts = [
        [turn.dice_history[0] for turn in game.turns if turn.player == player]
        for player in range(2)
    ]
    assert firsts[0] == firsts[1]
    words = " ".join(out.split())
    assert (
        "The same dice for all; points lost by errors: Computer (perfect) 0.0; You 104.9." in words
    )
    assert widest(out) <= 80
    typed = refusal(play, "--new", "--dice", "typed", "--same-dice", "x")
    assert "--same-dice can only be used when the program rolls" in typed
    assert "--same-dice" in refusal(play, "--new", "--same-dice", "x" * 101)
