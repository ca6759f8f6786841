"""`yatzy play` against computer players: whole games, what the screen shows, advice for winning."""

from pathlib import Path
from typing import Literal

import pytest
from perfect_yatzy import Strategy, load_rules
from perfect_yatzy.cli.commands.play import new_session
from perfect_yatzy.cli.terminal_game import TerminalGame
from perfect_yatzy.cli.views.play import computer_line
from perfect_yatzy.play.record import read_games
from perfect_yatzy.play.session import SaveFile, Session
from perfect_yatzy.service.queries import QueryService
from support.command import Run, printed, refusal
from support.refusals import refused
from support.sessions import FORCED, scripted_session


@pytest.fixture
def play(run: Run, tmp_path: Path) -> Run:
    """Runs `yatzy play` with files of the test."""
    files = ("--save", str(tmp_path / "game.json"), "--record", str(tmp_path / "games.jsonl"))
    return lambda *args, lines="": run("play", *args, *files, stdin=lines)


def widest(text: str) -> int:
    """Length of the longest line, except those with the path of a file."""
    return max(len(line) for line in text.splitlines() if "/" not in line)


def test_a_whole_game_against_computers(play: Run, tmp_path: Path) -> None:
    """The turns of the computers are shown, every line fits, the record is complete and has a review."""
    kinds = [word for kind in ("2", "safe", "bold", "win", "win") for word in ("--opponent", kind)]
    command = ("yatzy-forced", *kinds, "--seed", "3", "--players", "Ann")
    lines = "\n".join(f"{category}\n{category}" for category in FORCED)
    found = printed(play, *command, lines=lines)
    (game,) = read_games(tmp_path / "games.jsonl")
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
    printed(play, *command, lines="\n".join(f"{category}\n{category}" for category in FORCED[:3]))
    assert SaveFile(tmp_path / "game.json").load().turns == game.turns[: 3 * 6]  # a function of the seed


def test_a_game_against_computers_is_resumed_with_the_same(play: Run, tmp_path: Path) -> None:
    begun = play("yatzy-forced", "--opponent", "2", "--seed", "4", lines="ones\nones\nundo\nquit\n")
    assert "Undone: Ones." in begun.stdout
    assert SaveFile(tmp_path / "game.json").load().computers == ("", "2")
    resumed = printed(play, "yatzy-forced", "--opponent", "novice", "--players", "You", lines="ones\nones\nquit\n")
    assert "Resuming the saved game" in resumed
    turn = begun.stdout[begun.stdout.index("Computer (level 2): turn 1") :].split("\n\n")[0]
    assert turn in resumed  # the same dice and choices after undo and resume
    assert "has other opponents;" in refusal(play, "--opponent", "3")


def test_advice_for_winning(play: Run) -> None:
    """In forced order the whole game is solved at once."""
    lines = "?\nadvice win\n?\nones\nones\nadvice\nadvice mean\n?\nquit\n"
    out = printed(play, "yatzy-forced", *("--opponent", "5") * 4, "--seed", "3", lines=lines)
    assert "Advice and warnings are for the chance to win; a tie counts as half a win." in out
    assert "chance to win (a tie is half)" in " ".join(out.split())
    assert "This lowers the chance to win: " in out
    assert out.count("Advice and warnings are for the chance to win") == 2
    assert "Advice and warnings are for the expected score." in out
    assert out.count("expected final score") == 2
    assert widest(out) <= 80
    shown = play("--advice", "win", lines="?\nquit\n").stdout
    assert "chance to win (a tie is half)" in " ".join(shown.split())


def test_advice_for_winning_where_there_is_none(play: Run) -> None:
    """Alone, and too early in a large game; with saved rolls there is some."""
    alone = play("yatzy-forced", "--advice", "win", lines="?\nadvice win\nquit\n")
    assert "There is nobody to beat in a game of one player; this is the advice for the" in alone.stdout
    assert "nobody to beat in a game of one player\n" in alone.stdout
    options = ("--opponent", "5", "--advice", "win", "--new", "--yes")
    early = play(*options, lines="?\nquit\n")
    assert "too large to solve for a win at once; this is" in early.stdout
    assert "expected final score" in early.stdout
    saving = play("maxi-forced", *options, lines="?\nquit\n")
    assert "There is no advice for winning" not in saving.stdout
    assert "chance to win" in saving.stdout


@pytest.mark.parametrize("advice", ["mean", "win"])
def test_warnings_are_for_what_the_advice_maximises(
    forced: Strategy, tmp_path: Path, capsys: pytest.CaptureFixture[str], advice: Literal["mean", "win"]
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
    assert isinstance(game.winning_request(), dict)
    assert game.warn("yatzy") == (advice == "mean")
    assert ("This loses" in capsys.readouterr().out) == (advice == "mean")
    assert not game.warn("yatzy")  # the second time it is meant


def test_names_of_computers_differ_from_all_others() -> None:
    """Whatever the case, and however many there are of a kind."""
    session = new_session(load_rules("yatzy"), ("COMPUTER (level 2)", "computer 3 (Level 2)"), ("2", "2", "3"), 1)
    assert session.players[2:] == ("Computer 2 (level 2)", "Computer 4 (level 2)", "Computer (level 3)")


@pytest.mark.parametrize(
    ("typed", "taken"),
    [("fours", True), ("fours 120", True), ("fours=120", True), ("fours 20", False), ("fours x", False)],
)
def test_points_typed_with_a_category_count_the_bonus(tmp_path: Path, typed: str, taken: bool) -> None:
    session = scripted_session("yahtzee", ((5,) * 5, "yahtzee"))
    session.roll((4,) * 5)
    game = TerminalGame(session, session.rules, QueryService(), SaveFile(tmp_path / "g.json"), None, True)
    if taken:
        game.carry_out(typed)
        assert (session.turns[-1].points, session.turns[-1].bonus_points) == (20, 100)
    else:
        refused("fours pays 120 for these dice, not", game.carry_out, typed)


def test_the_lines_of_a_computer_fit(yatzy: Strategy) -> None:
    session = scripted_session("yahtzee", ((5,) * 5, "yahtzee"))
    session.roll((4,) * 5)
    assert computer_line(session.rules, session, "fours").endswith("takes Fours for 20 and 100 bonus points")
    session.hold(())
    session.roll((1, 2, 3, 4, 6))
    assert computer_line(session.rules, session, ()).endswith("rerolls all dice")
    assert computer_line(session.rules, session, (1, 2)).endswith("holds 1 2")
