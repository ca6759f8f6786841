"""Records, saved games and requests of a stream at and beyond the limits of their sizes."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from perfect_yatzy import RulesError, StateError, load_rules
from perfect_yatzy.game.limits import MAX_JSON_DEPTH, parse_json
from perfect_yatzy.play.record import read_game, read_games
from perfect_yatzy.play.session import SaveFile, Session
from perfect_yatzy.service.queries import QueryService
from support.reference import steps

ROLLS = [[1, 3, 3, 4, 6], [3, 3, 3, 5, 6]]
TURN = {"player": 0, "rolls": ROLLS, "holds": [[3, 3]], "category": "threes", "points": 9}
GAME: dict[str, Any] = {"schema": 2, "rules": "yatzy", "players": ["Ann"], "turns": [TURN]}
MANY = 300_000
LARGE_VALUES: list[Any] = [
    "1" * MANY, " " * MANY, "a=" * (MANY // 2), "[" * MANY, [1] * MANY, [*range(MANY)], ["1"] * MANY, [[]] * MANY,
    {str(i): 0 for i in range(MANY // 10)}, 10**4_000, -(10**4_000), {"a": "b" * MANY},
]  # fmt: skip


@pytest.mark.parametrize(
    "field", ["query", "rules", "card", "saved", "bonus_points", "dice", "rolls_left", "hold", "goal", "opponents", "ties", "spread", "games", "seed", "other"],
)  # fmt: skip
@pytest.mark.parametrize("query", ["hold", "score", "expect", "outcomes"])
def test_a_large_value_in_any_field_of_a_request_is_refused_in_few_steps(field: str, query: str) -> None:
    service = QueryService()
    for value in LARGE_VALUES:
        request = {"query": query, "dice": "33456", "hold": "33", field: value}
        request = {k: v for k, v in request.items() if k != {"outcomes": "dice"}.get(query, "hold") or k == field}
        with pytest.raises((StateError, RulesError)) as caught:
            service.parse(request)
        assert len(str(caught.value)) < 500
        assert steps(lambda: service.parse(request)) < 20_000  # noqa: B023


@pytest.mark.parametrize("field", [*GAME, *TURN])
def test_a_large_value_in_any_field_of_a_game_or_of_a_turn_is_refused(field: str) -> None:
    for value in LARGE_VALUES if field in GAME else [*LARGE_VALUES, [[*range(MANY)]], [[3] * MANY, [3] * MANY]]:
        with pytest.raises((StateError, RulesError) if field in GAME else StateError) as caught:
            read_game(GAME | ({field: value} if field in GAME else {"turns": [TURN | {field: value}]}))
        assert len(str(caught.value)) < 500


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
        ({"actions": [["throw", [1, 2, 3, 4, 5], ""]]}, "'throw' is not an action; must be one of roll, hold, score"),
        ({"actions": [["roll", [1] * MANY, ""]]}, "dice has more than 64 faces"),
        ({"actions": [["roll", [1, 2, 3, 4, 5], ""], ["hold", [*range(MANY)], ""]]}, "300,000 dice cannot be held; yatzy has 5"),
    ],
)  # fmt: skip
def test_wrong_saved_games_are_rejected_with_the_reason(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    path = tmp_path / "game.json"
    SaveFile(path).write(Session(load_rules("yatzy"), ("Ann",), None))
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(StateError, match=f"is not a saved game .*{message}") as caught:
        SaveFile(path).load()
    assert len(str(caught.value)) < 500


def test_json_of_streams_has_finite_numbers_and_limited_nesting() -> None:
    nested = "[" * MAX_JSON_DEPTH + "]" * MAX_JSON_DEPTH
    assert parse_json(nested) == json.loads(nested)
    assert parse_json('["[[[[", "\\"[[", ' + "[], " * 100 + "1.5]")[-1] == 1.5
    for text, message in (
        (f"[{nested}]", "nested deeper than 64 levels"),
        ("[" * MANY, "nested deeper than 64 levels"),
        ('{"a":' * 100_000, "nested deeper than 64 levels"),
        ("1e400", "1e400 is too large a number"),
        ("[-1e999]", "-1e999 is too large a number"),
        ("NaN", "NaN is not a number"),
        ("1" * 5_000, "digits"),
        ('"' + '\\"' * 1_000, "Unterminated"),
    ):
        with pytest.raises(ValueError, match=message):
            parse_json(text)


@given(st.text(max_size=40) | st.text(alphabet='[]{}",:1e9\\ntrue ', max_size=60))
def test_any_text_is_json_or_a_value_error(text: str) -> None:
    with contextlib.suppress(ValueError):
        parse_json(text)
