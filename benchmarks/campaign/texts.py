"""Random and very long text for every parser: a value or an error of the package, in time."""

from __future__ import annotations

import contextlib
import io
import json
import random
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from perfect_yatzy.cli.commands.ask import answer_lines
from perfect_yatzy.errors import SolverError
from perfect_yatzy.game.limits import MAX_LINE_BYTES
from perfect_yatzy.game.notation import (
    find_category,
    parse_card,
    parse_category,
    parse_dice,
    parse_hold,
)
from perfect_yatzy.play.record import read_game, read_games
from perfect_yatzy.play.session import SaveFile
from perfect_yatzy.service.queries import QueryService
from perfect_yatzy.strategy.score_distribution import parse_opponents
from perfect_yatzy.strategy.strategy import Strategy
from support.human import human, scripted_session

from .tally import Tally, cpu_limit

CALL_SECONDS = 1.0  # of processor time, for one text of any length
LENGTHS = (100, 2_000, 8_000, 16_000, 1_000_000)
PIECES = [
    "ones=3",
    "sixes=24",
    "chance 22",
    "Full House 25",
    "1:or 3",
    "two pairs",
    "33456",
    "3 3 4 5 6",
    "⚂⚂⚃⚄⚅",
    "none",
    "251; ones=3",
    "large straight=40",
    " ",
    "\t",
    "\n",
    "\0",
    "\u2028",
    "\ud800",
    "🎲",
    "null",
    "1e999",
    "NaN",
    "9" * 30,
    *"=:,;-0x'\"\\[{]}éßİ１",
]
LINES = [
    {"query": "hold", "dice": "33456"},
    {"query": "hold", "dice": [3, 3, 4, 5, 6], "card": {"ones": 3}, "rolls_left": 1, "id": "a"},
    {"query": "score", "dice": "66666", "card": "ones=3 sixes=24"},
    {"query": "expect", "card": "ones=3", "spread": False},
    {"query": "outcomes", "hold": [3, 3], "rolls_left": 1},
]


def random_text(chosen: random.Random) -> str:
    """A few pieces, a valid text with changes, or one piece a great many times."""
    if not chosen.randrange(6):
        piece = chosen.choice(PIECES) + chosen.choice(["", *PIECES])
        return (piece * chosen.choice(LENGTHS))[: chosen.choice(LENGTHS)] + chosen.choice(
            ["", *PIECES]
        )
    text = "".join(
        chosen.choice(PIECES) + chosen.choice(["", " "]) for _ in range(chosen.randint(1, 6))
    )
    return altered(text, chosen) if chosen.randrange(2) else text


def altered(text: str, chosen: random.Random) -> str:
    """A text with one to three characters replaced, removed or inserted."""
    for _ in range(chosen.randint(1, 3)):
        at = chosen.randrange(len(text) + 1)
        text = text[:at] + chosen.choice(["", *PIECES]) + text[at + chosen.randrange(3) :]
    return text


def altered_value(value: Any, chosen: random.Random) -> Any:
    """A JSON value with one part replaced."""
    if isinstance(value, dict) and value and chosen.randrange(5):
        name = chosen.choice([*value])
        if not chosen.randrange(6):
            return {other: entry for other, entry in value.items() if other != name}
        return value | {name: altered_value(value[name], chosen)}
    if isinstance(value, list) and value and chosen.randrange(5):
        at = chosen.randrange(len(value))
        return [*value[:at], altered_value(value[at], chosen), *value[at + chosen.randrange(2) :]]
    nested: list[Any] = []
    for _ in range(50):
        nested = [nested]
    return chosen.choice(
        [None, True, -1, 0, 3, 7, 10**30, 1.5, "", "33456", "x" * 2000, [], {}, [[]], nested, value]
    )


def is_answer(line: str) -> bool:
    """Whether an output line is an answer or an error that is not a bug."""
    found = json.loads(line)
    return isinstance(found, dict) and found.get("code") != "internal-error"


def fuzz_texts(tally: Tally, strategy: Strategy, calls: int, chosen: random.Random) -> None:
    """Card, dice, names of categories and opponents."""
    rules = strategy.rules
    parsers: list[Callable[[str], object]] = [
        lambda text: parse_card(rules, text),
        lambda text: parse_dice(rules, text),
        lambda text: parse_hold(text, (3, 3, 4, 5, 6)),
        lambda text: find_category(rules, text),
        lambda text: parse_category(rules, text, {}),
        lambda text: list(parse_opponents(rules, text)),
    ]
    for _ in range(calls):
        text, number = random_text(chosen), chosen.randrange(len(parsers))

        def call(text: str = text, number: int = number) -> None:
            with cpu_limit(CALL_SECONDS):
                parsers[number](text)

        tally.run(f"parser {number}: {text[:200]!r}, {len(text)} characters", call, SolverError)


def long_lines(tally: Tally, service: QueryService, units: Sequence[str]) -> None:
    """Lines of the largest allowed size, in which one field is a text or a list of one unit
    again and again.
    """
    for request in LINES:
        for field in (*request, "card", "saved", "goal", "opponents", "ties", "unknown"):
            others = json.dumps({name: value for name, value in request.items() if name != field})[
                :-1
            ]
            start = f'{others}{", " if len(others) > 1 else ""}"{field}": '
            for unit in units:
                for begin, part, end in (
                    ('"', json.dumps(unit)[1:-1], '"}'),
                    ("[", json.dumps(unit) + ",", "1]}"),
                ):
                    count = (MAX_LINE_BYTES - len(start) - 10) // len(part)
                    line = start + begin + part * count + end
                    case = f"{start}{begin}{part}... ({len(line)} characters)"
                    tally.run(
                        case, partial(answer_line, tally, service, case, line.encode()), SolverError
                    )


def answer_line(tally: Tally, service: QueryService, case: str, data: bytes) -> None:
    """Answer a line as `--jsonl` does, in time; there must be one answer, and no bug."""
    out = io.StringIO()
    with (
        cpu_limit(CALL_SECONDS),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(io.StringIO()),
    ):
        answer_lines(service, "hold", {"spread": False}, io.BytesIO(data + b"\n"))
    answers = out.getvalue().splitlines()
    tally.expect(case, len(answers) == bool(data.strip()), f"{len(answers)} answers")
    tally.expect(case, all(map(is_answer, answers)), out.getvalue()[:300])


def fuzz_lines(tally: Tally, service: QueryService, lines: int, chosen: random.Random) -> None:
    """Lines of `--jsonl`: one answer for each, and none of them a bug."""
    for _ in range(lines):
        request = altered_value(chosen.choice(LINES), chosen)
        line = json.dumps(request)
        line = altered(line, chosen) if not chosen.randrange(3) else line
        line = random_text(chosen) if not chosen.randrange(10) else line
        line = line.replace('"spread": true', '"spread": false')  # a distribution takes seconds
        data = line.replace("\n", " ").encode("utf-8", "surrogatepass")
        tally.run(line, partial(answer_line, tally, service, line, data), SolverError)


def fuzz_records(
    tally: Tally, strategy: Strategy, folder: Path, files: int, chosen: random.Random
) -> None:
    """Records as values and as files, and saved games."""
    game, path = human(strategy, 4).to_json(), folder / "fuzzed"
    SaveFile(path).write(
        scripted_session("yatzy", ((3, 3, 4, 5, 6), "chance"), ((1, 1, 1, 2, 2), "ones"))
    )
    saved = path.read_text(encoding="utf-8")
    for _ in range(files):
        value, text = altered_value(game, chosen), altered(json.dumps(game), chosen)
        session = json.dumps(altered_value(json.loads(saved), chosen))
        session = altered(saved, chosen) if chosen.randrange(2) else session
        for kind, source, call in (
            ("record", json.dumps(value), lambda value=value: read_game(value)),
            ("file", text, lambda: read_games(path)),
            ("saved game", session, lambda: SaveFile(path).load()),
        ):
            path.write_text(source, encoding="utf-8", errors="surrogatepass")

            def limited(call: Callable[[], object] = call) -> None:
                with cpu_limit(CALL_SECONDS):
                    call()

            tally.run(f"{kind}: {source}", limited, SolverError)
