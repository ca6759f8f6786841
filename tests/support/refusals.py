"""Calls that must be refused, and rule files that are read from a text."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from perfect_yatzy import RuleSet, SolverError, StateError, load_rules
from perfect_yatzy.game.rule_loader import RuleFileError

Errors = type[SolverError] | tuple[type[SolverError], ...]


def refused(
    message: str,
    call: Callable[..., object],
    *args: Any,
    error: Errors = StateError,
    **options: Any,
) -> SolverError:
    """The error that a call must raise; its text matches a regular expression, in one line."""
    with pytest.raises(error, match=message) as caught:
        call(*args, **options)
    assert "\n" not in str(caught.value)
    return caught.value


def killed(call: Callable[..., object], *args: Any, **options: Any) -> None:
    """Call something that is interrupted when more than half of its work is done."""

    def stop(done: int, total: int) -> None:
        if done > total / 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        call(*args, progress=stop, **options)


def load_text(
    folder: Path, text: str, start: str = 'id = "own"\nname = "Own"\n', switches: str = ""
) -> RuleSet:
    """The rules of a file with this text behind its id and name."""
    file = folder / "own.toml"
    file.write_text(start + text, encoding="utf-8")
    return load_rules(f"{file}{switches}" if switches else file)


def mistakes(folder: Path, text: str) -> list[str]:
    """What is wrong with a rule file: line, field and message of each mistake."""
    with pytest.raises(RuleFileError) as caught:
        load_text(folder, text, "")
    return [f"{p.line}: {p.field}: {p.message}" for p in caught.value.problems]


DICE, FULL = {"dice": "33456"}, " ".join(f"{box.id}=0" for box in load_rules("yatzy").categories)
# query, other fields, code of the error, its field
WRONG_QUESTIONS: list[tuple[str, dict[str, Any], str, str | None]] = [
    ("best", DICE, "invalid-value", "query"),
    ("hold", DICE | {"dices": 1}, "unknown-field", "dices"),
    ("hold", DICE | {"card": "t=6"}, "ambiguous-category", "card"),
    ("hold", DICE | {"rules": 3}, "invalid-value", "rules"),
    ("hold", DICE | {"ties": "half"}, "invalid-request", "ties"),
    # Up to here the engine of a page is more lenient.
    ("hold", {}, "missing-field", "dice"),
    ("hold", {"dice": "3345"}, "invalid-dice", "dice"),
    ("hold", {"dice": "33457"}, "invalid-dice", "dice"),
    ("outcomes", {"hold": [3, 7], "rolls_left": 1}, "invalid-dice", "hold"),
    ("hold", DICE | {"card": "ones=9"}, "invalid-card", "card"),
    ("hold", DICE | {"card": {"ones": 6}}, "invalid-card", "card"),
    ("hold", DICE | {"card": {"all": 3}}, "unknown-category", "card"),
    ("hold", DICE | {"card": FULL}, "game-over", "card"),
    ("hold", DICE | {"rules": "nothing"}, "unknown-rules", "rules"),
    *(("hold", DICE | {"rolls_left": left}, "invalid-value", "rolls_left") for left in (3, 0, 1.5)),
    ("hold", DICE | {"saved": 1}, "invalid-state", "card"),
    ("hold", DICE | {"bonus_points": 1}, "invalid-card", "card"),
    *(("score", DICE | {"goal": goal}, "invalid-value", "goal") for goal in (-1, 375, 100_000)),
    ("hold", DICE | {"goal": 1, "opponents": "3"}, "invalid-request", None),
    ("hold", DICE | {"opponents": "3", "ties": "x"}, "invalid-value", "ties"),
    *(
        ("score", DICE | {"opponents": wrong}, "invalid-value", "opponents")
        for wrong in ("nobody", "", [3, True])
    ),
    ("score", DICE | {"opponents": "ones=9"}, "invalid-card", "opponents"),
]
