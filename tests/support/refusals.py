"""Calls that must be refused, and rule files that are read from a text."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from perfect_yatzy import RuleSet, SolverError, StateError, load_rules
from perfect_yatzy.game.rule_loader import RuleFileError

Errors = type[SolverError] | tuple[type[SolverError], ...]


def refused(
    message: str, call: Callable[..., object], *args: Any, error: Errors = StateError, **options: Any
) -> SolverError:
    """The error that a call must raise; its text matches a regular expression, in one line."""
    with pytest.raises(error, match=message) as caught:
        call(*args, **options)
    assert "\n" not in str(caught.value)
    return caught.value


def load_text(folder: Path, text: str, start: str = 'id = "own"\nname = "Own"\n', switches: str = "") -> RuleSet:
    """The rules of a file with this text behind its id and name."""
    file = folder / "own.toml"
    file.write_text(start + text, encoding="utf-8")
    return load_rules(f"{file}{switches}" if switches else file)


def mistakes(folder: Path, text: str, start: str = "") -> list[str]:
    """What is wrong with a rule file: line, field and message of each mistake."""
    with pytest.raises(RuleFileError) as caught:
        load_text(folder, text, start)
    return [f"{p.line}: {p.field}: {p.message}" for p in caught.value.problems]
