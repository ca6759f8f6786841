"""Sessions: what may happen, undo, saved games, with and without computers; records and requests
beyond their limits.
"""

import contextlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from perfect_yatzy import RulesError, RuleSet, SolverError, StateError, load_rules
from perfect_yatzy.game.limits import parse_json
from perfect_yatzy.game.random_dice import fixed_dice
from perfect_yatzy.play.record import read_game, read_games
from perfect_yatzy.play.session import Action, SaveFile, Session
from perfect_yatzy.service.queries import QueryService
from support import games
from support.human import FIVES, FORCED, FOURS, RUN, new_session, scripted_session
from support.reference import steps
from support.refusals import refused


def test_a_session_rejects_impossible_actions() -> None:
    """Also dice that do not contain the held ones, and categories that may not be taken, with
    the reason.
    """
    session = new_session()
    assert (session.to_roll, session.over, session.player) == (5, False, 0)
    refused("no dice to score yet", session.score, "ones")
    session.roll()
    assert (session.to_roll, session.rolls_left) == (0, 2)
    refused("no dice are to be rolled", session.roll)
    refused("nothing to reroll", session.hold, session.dice)
    session.hold(session.dice[:2])
    assert session.to_roll == 3
    session.roll()
    session.hold(())
    session.roll()
    assert session.rolls_left == 0
    refused("no reroll is left", session.hold, ())
    session.score("chance")
    assert session.card().points == {13: sum(session.turns[0].dice_history[-1])}
    session.roll()
    refused("chance is filled already", session.score, "chance")
    session = new_session(seed=None)
    session.roll((3, 3, 4, 5, 6))
    session.hold((3, 3))
    refused("you held 3 3, which is not within 1 2 3 4 5", session.roll, (1, 2, 3, 4, 5))
    for dice in ((1, 2, 6), (6, 3, 3, 1, 2)):  # only the rerolled ones, or all of them
        session.roll(dice)
        assert session.dice == (1, 2, 3, 3, 6)
        if session.rolls_left:
            session.hold((3, 3))
    joker = scripted_session("yahtzee", (FIVES, "yahtzee"))
    joker.roll(FOURS)
    refused(
        "full-house may not be taken now: an extra yahtzee must go to fours$",
        joker.score,
        "full-house",
    )
    forced = new_session("yatzy-forced")
    forced.roll()
    text = "yatzy may not be taken now: the boxes are filled in order, and ones is next"
    refused(text, forced.score, "yatzy")


def test_undo_reverts_every_action_and_keeps_the_dice() -> None:
    session = new_session(players=2)
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
    for _ in range(2):
        assert (session.player, session.dice) == (0, seen[0][1])
        assert session.undo() is None


def test_all_players_of_a_table_have_the_same_dice(tmp_path: Path) -> None:
    """Players who keep as many dice roll the same others; a saved game goes on with them."""
    yatzy = load_rules("yatzy")
    session = Session(yatzy, ("Ann", "Bo"), 1, (), "k7wm2pxa")
    other = Session(yatzy, ("Cy",), 99, (), "k7wm2pxa")
    for turn, category in enumerate(FORCED, start=1):
        rolled = []
        for table, held in ((session, 1), (session, 1), (other, 2)):
            first = table.roll()
            table.hold(table.dice[:held])
            rolled.append((first, sorted(table.roll()), table.holds[-1]))
            table.score(category)
        assert len({first for first, *_ in rolled}) == 1
        assert rolled[0] == rolled[1]
        faces = fixed_dice(f"perfect-yatzy challenge k7wm2pxa turn {turn}", 2, 5, 6)
        for _, dice, held in rolled:
            assert dice == sorted((*held, *faces[len(held) :]))
        if turn == 2:
            file = SaveFile(tmp_path / "game.json")
            file.write(session)
            session = SaveFile(tmp_path / "game.json").load()
            assert session.same_dice == "k7wm2pxa"
    assert session.game.extra["same_dice"] == "k7wm2pxa"


SMALL_GAMES = [games.JOKER, games.saved_rolls_game("free", True)]


@given(
    st.sampled_from([*SMALL_GAMES, load_rules("yatzy-forced")]),
    st.integers(1, 2),
    st.sampled_from([5, None]),
    st.lists(
        st.tuples(st.sampled_from(["roll", "hold", "score", "undo"]), st.integers(0, 10**6)),
        max_size=80,
    ),
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
                session.roll(
                    [number // rules.faces**i % rules.faces + 1 for i in range(session.to_roll)]
                )
            elif kind == "hold":
                session.hold([face for i, face in enumerate(session.dice) if number >> i & 1])
            elif session.dice:
                session.score(
                    [*session.choices()][number % len(session.choices())]
                    if not session.over
                    else ""
                )
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
    session, path = new_session("yatzy-saved", 2), tmp_path / "deep" / "game.json"
    for category in ("ones", "ones", "chance"):
        session.roll()
        session.score(category)
    session.roll()
    session.hold(session.dice[:3])
    with pytest.raises(SolverError, match="cannot save the game in"):
        SaveFile(path).write(session)  # a folder that may be a typing error is not made
    path.parent.mkdir()
    SaveFile(path).write(session)
    again = SaveFile(path).load()
    assert (again, again.game) == (session, session.game)
    assert again.card(0).saved == session.card(0).saved == 4
    text = path.read_text()
    assert '"seed": 5' in text
    broken = [text.replace('"seed": 5', f'"seed": {seed}') for seed in ('"x"', "1.5", "[]", "true")]
    broken += [
        text.replace('["P0", "P1"]', players)
        for players in ("[]", '"Ann"', "[1]", '["\\ud800", "B"]')
    ]
    broken += [text.replace('[["roll", [', '[["roll", ["x", ')]
    assert text not in broken
    for wrong in (
        "{",
        "[]",
        text.replace('"hold"', '"score"'),
        '{"schema": 1}',
        "[" * 10**5,
        *broken,
    ):
        path.write_text(wrong)
        refused("is not a saved game", SaveFile(path).load)
    path.write_text(text.replace(session.rules.fingerprint, "0" * 64))
    refused("saved under other rules", SaveFile(path).load)


def test_two_processes_do_not_overwrite_each_other(tmp_path: Path) -> None:
    path = tmp_path / "game.json"
    (tmp_path / "link.json").symlink_to(path)
    first = SaveFile(path)
    mine = new_session()
    mine.roll()
    first.write(mine)
    second = SaveFile(tmp_path / "link.json")
    theirs = second.load()
    theirs.score("chance")
    second.write(theirs)
    refused("another process has changed the game", first.write, mine, error=SolverError)
    refused("another process has changed the game", first.remove, error=SolverError)
    assert SaveFile(path).load() == theirs
    assert (tmp_path / "link.json").is_symlink()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["game.json", "link.json"]
    second.remove()
    refused("another process", second.write, theirs, error=SolverError)


def one_round(seed: int | None = 5) -> Session:
    """A person and two computers after a turn each, and the first roll of the second turn."""
    session = Session(
        load_rules("yatzy"),
        ("Ann", "Computer (level 5)", "Computer (bold)"),
        seed,
        ("", "5", "bold"),
    )
    for category in ("chance", "ones", "twos"):
        session.roll(FIVES if seed is None else None)
        if category == "ones":
            session.hold(session.dice[:1])
            session.roll(FIVES if seed is None else None)
        session.score(category)
    session.roll(RUN if seed is None else None)
    return session


def test_undo_goes_back_to_a_decision_of_a_person_if_there_is_one() -> None:
    """Where dice are typed, the decisions of computers are skipped."""
    session = one_round()
    first = session.turns[0].dice_history[0]
    assert (session.computer(), session.computer(2)) == ("", "bold")
    assert one_round(None).choice_seed() is None
    before = session.choice_seed()
    session.score("ones")
    session.undo()
    assert session.choice_seed() == before == (5, 3, 1)  # choices are a function of the game
    assert session.undo() == Action("score", category="chance")
    assert (session.player, session.dice, len(session.turns)) == (0, first, 0)
    assert (session.undo(), session.dice) == (None, first)
    session = Session(load_rules("yatzy"), ("Computer (level 5)", "Ann"), 5, ("5", ""))
    session.roll()
    session.score("chance")
    session.roll()
    assert (session.undo(), len(session.actions)) == (None, 3)
    session = one_round(None)
    for player in (2, 1):
        assert [session.undo().kind for _ in range(2)] == ["roll", "roll"]  # type: ignore[union-attr]
        assert session.player == player
        assert session.to_roll == 5 or player == 1
    assert session.undo() == Action("score", category="chance")


def test_computers_are_saved_and_recorded(tmp_path: Path) -> None:
    session, path = one_round(), tmp_path / "game.json"
    SaveFile(path).write(session)
    loaded = SaveFile(path).load()
    assert (loaded.computers, loaded.players, loaded.actions) == (
        session.computers,
        session.players,
        session.actions,
    )
    extra = {
        "source": "play",
        "seed": 5,
        "computers": {"Computer (level 5)": "5", "Computer (bold)": "bold"},
    }
    assert session.game.extra == extra
    assert read_game(json.loads(json.dumps(session.game.to_json()))) == session.game
    content = json.loads(path.read_text())
    for wrong in (["", "5"], ["", "5", "nine"], {"Ann": ""}, ["", 5, ""]):
        path.write_text(json.dumps(content | {"computers": wrong}))
        refused("is not a saved game", SaveFile(path).load)
    session = new_session()
    SaveFile(path).write(session)
    content = json.loads(path.read_text()) | {"schema": 1}
    del content["computers"]  # as saved before there were computers
    path.write_text(json.dumps(content))
    assert SaveFile(path).load() == session
    assert "computers" not in SaveFile(path).load().game.extra


ROLLS = [[1, 3, 3, 4, 6], [3, 3, 3, 5, 6]]
TURN = {"player": 0, "rolls": ROLLS, "holds": [[3, 3]], "category": "threes", "points": 9}
GAME: dict[str, Any] = {"schema": 2, "rules": "yatzy", "players": ["Ann"], "turns": [TURN]}
MANY = 300_000
LARGE_VALUES: list[Any] = [
    "1" * MANY,
    " " * MANY,
    "a=" * (MANY // 2),
    "[" * MANY,
    [1] * MANY,
    [*range(MANY)],
    ["1"] * MANY,
    [[]] * MANY,
    {str(i): 0 for i in range(MANY // 10)},
    10**4_000,
    -(10**4_000),
    {"a": "b" * MANY},
]


@pytest.mark.parametrize(
    "field",
    [
        "query",
        "rules",
        "card",
        "saved",
        "bonus_points",
        "dice",
        "rolls_left",
        "hold",
        "goal",
        "opponents",
        "ties",
        "spread",
        "games",
        "seed",
        "other",
    ],
)
@pytest.mark.parametrize("query", ["hold", "score", "expect", "outcomes"])
def test_a_large_value_in_any_field_of_a_request_is_refused_in_few_steps(
    field: str, query: str
) -> None:
    service = QueryService()
    for value in LARGE_VALUES:
        request = {"query": query, "dice": "33456", "hold": "33", field: value}
        request = {
            k: v
            for k, v in request.items()
            if k != {"outcomes": "dice"}.get(query, "hold") or k == field
        }
        assert len(str(refused(".", service.parse, request, error=(StateError, RulesError)))) < 500
        assert steps(lambda: service.parse(request)) < 20_000  # noqa: B023


@pytest.mark.parametrize("field", [*GAME, *TURN])
def test_a_large_value_in_any_field_of_a_game_or_of_a_turn_is_refused(field: str) -> None:
    for value in (
        LARGE_VALUES
        if field in GAME
        else [*LARGE_VALUES, [[*range(MANY)]], [[3] * MANY, [3] * MANY]]
    ):
        game = GAME | ({field: value} if field in GAME else {"turns": [TURN | {field: value}]})
        error = (StateError, RulesError) if field in GAME else StateError
        assert len(str(refused(".", read_game, game, error=error))) < 500


def test_a_byte_order_mark_is_ignored(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(GAME).encode() + b"\n")
    assert len(read_games(path)) == 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"players": ["A"] * 65}, "players has 65 names"),
        ({"seed": 1 << 63}, "must be a whole number from 0 to 2\\^63 - 1, or null"),
        ({"seed": -1}, "must be a whole number from 0 to"),
        (
            {"actions": [["throw", [1, 2, 3, 4, 5], ""]]},
            "'throw' is not an action; must be one of roll, hold, score",
        ),
        ({"actions": [["roll", [1] * MANY, ""]]}, "dice has more than 64 faces"),
        (
            {"actions": [["roll", [1, 2, 3, 4, 5], ""], ["hold", [*range(MANY)], ""]]},
            "300,000 dice cannot be held; yatzy has 5",
        ),
    ],
)
def test_wrong_saved_games_are_rejected_with_the_reason(
    tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    path = tmp_path / "game.json"
    SaveFile(path).write(Session(load_rules("yatzy"), ("Ann",), None))
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    assert len(str(refused(f"is not a saved game .*{message}", SaveFile(path).load))) < 500


@given(st.text(max_size=40) | st.text(alphabet='[]{}",:1e9\\ntrue ', max_size=60))
def test_any_text_is_json_or_a_value_error(text: str) -> None:
    with contextlib.suppress(ValueError):
        parse_json(text)


def test_a_record_takes_every_name_that_a_command_takes() -> None:
    turn = {"player": 0, "rolls": [[1, 1, 1, 2, 3]], "holds": [], "points": 3}
    record = {"schema": 1, "rules": "yahtzee", "players": ["Ann"]}
    for name, category in (("Aces", "aces"), ("1s", "aces"), ("Einser", "aces"), ("aces", "aces")):
        game = read_game(record | {"turns": [turn | {"category": name}]})
        assert [each.category for each in game.turns] == [category]
    three = turn | {"category": "3er Pasch", "points": 8}
    assert read_game(record | {"turns": [three]}).turns[0].category == "three-of-a-kind"
    with pytest.raises(StateError, match="turn 1: unknown category 'nonsense'"):
        read_game(record | {"turns": [turn | {"category": "nonsense"}]})
