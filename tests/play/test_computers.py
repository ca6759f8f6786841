"""Sessions with computer players: undo, the file of an unfinished game, the record."""

from __future__ import annotations

import json
from pathlib import Path

from perfect_yatzy.game.rule_loader import load_rules
from perfect_yatzy.play.record import read_game
from perfect_yatzy.play.save_file import load_session, save_session
from perfect_yatzy.play.session import Action, Session
from support.refusals import refused
from support.sessions import FIVES, RUN


def one_round(seed: int | None = 5) -> Session:
    """A person and two computers after a turn each, and the first roll of the second turn."""
    session = Session(load_rules("yatzy"), ("Ann", "Computer (level 5)", "Computer (bold)"), seed, ("", "5", "bold"))
    for category in ("chance", "ones", "twos"):
        session.roll(FIVES if seed is None else None)
        if category == "ones":
            session.hold(session.dice[:1])
            session.roll(FIVES if seed is None else None)
        session.score(category)
    session.roll(RUN if seed is None else None)
    return session


def test_undo_goes_back_to_a_decision_of_a_person_if_there_is_one() -> None:
    session = one_round()
    first = session.turns[0].dice_history[0]
    assert (session.computer(), session.computer(2)) == ("", "bold")
    assert session.undo() == Action("score", category="chance")
    assert (session.player, session.dice, len(session.turns)) == (0, first, 0)
    assert (session.undo(), session.dice) == (None, first)
    session = Session(load_rules("yatzy"), ("Computer (level 5)", "Ann"), 5, ("5", ""))
    session.roll()
    session.score("chance")
    session.roll()
    assert (session.undo(), len(session.actions)) == (None, 3)


def test_undo_of_typed_dice_skips_the_decisions_of_computers() -> None:
    session = one_round(None)
    for player in (2, 1):
        assert [session.undo().kind for _ in range(2)] == ["roll", "roll"]  # type: ignore[union-attr]
        assert session.player == player
        assert session.to_roll == 5 or player == 1
    assert session.undo() == Action("score", category="chance")


def test_choices_of_computers_are_a_function_of_the_game() -> None:
    session = one_round()
    before = session.choice_seed()
    assert before == (5, 3, 1)
    session.score("ones")
    session.undo()
    assert session.choice_seed() == before
    assert one_round(None).choice_seed() is None


def test_computers_are_saved_and_recorded(tmp_path: Path) -> None:
    session, path = one_round(), tmp_path / "game.json"
    save_session(path, session)
    loaded = load_session(path)
    assert (loaded.computers, loaded.players, loaded.actions) == (session.computers, session.players, session.actions)
    extra = {"source": "play", "seed": 5, "computers": {"Computer (level 5)": "5", "Computer (bold)": "bold"}}
    assert session.game.extra == extra
    assert read_game(json.loads(json.dumps(session.game.to_json()))) == session.game
    content = json.loads(path.read_text())
    for wrong in (["", "5"], ["", "5", "nine"], {"Ann": ""}, ["", 5, ""]):
        path.write_text(json.dumps(content | {"computers": wrong}))
        refused("is not a saved game", load_session, path)


def test_games_saved_before_there_were_computers_are_read(tmp_path: Path) -> None:
    path = tmp_path / "game.json"
    session = Session(load_rules("yatzy"), ("Ann",), 5)
    save_session(path, session)
    content = json.loads(path.read_text())
    del content["computers"]
    path.write_text(json.dumps(content | {"schema": 1}))
    assert load_session(path) == session
    assert "computers" not in load_session(path).game.extra
