"""What can go wrong, by who has to act: the rules, the position, the table.

Every error the package raises on purpose is a :class:`SolverError` *and* the builtin a caller would expect,
so ``except ValueError`` works without importing this module. The command turns each into one line and an
exit code; anything else that escapes is a bug and keeps its traceback.
"""

from __future__ import annotations

import operator
import reprlib
from typing import Any


class SolverError(Exception):
    """Base of all errors raised on purpose; ``exit_code`` is what the command returns."""

    exit_code = 1


class RulesError(SolverError, ValueError):
    """A rule set is unknown, malformed or beyond what can be solved."""

    exit_code = 2


class MissingPackage(SolverError, ImportError):
    """Something wants a package that is not installed; the way to get it is part of the message."""

    exit_code = 1

    def __init__(self, what: str, *packages: str) -> None:
        super().__init__(f"{what} needs {' and '.join(packages)}; get it with: pip install {' '.join(packages)}")


class StateError(SolverError, ValueError):
    """Dice, a category or a scorecard that cannot occur under the rules."""

    exit_code = 2


class TableError(SolverError, OSError):
    """A value table is missing, damaged or belongs to other rules."""

    exit_code = 1


def shown(value: object) -> str:
    """What was given, on a line and no longer than one reads."""
    return " ".join(reprlib.repr(value).split())


def whole_number(value: Any, name: str) -> int:
    """The value as an int. Integers of numpy are whole numbers; fractions, texts and truth values are not.

    Raises
    ------
    StateError
        If it is none.
    """
    if not isinstance(value, bool):
        try:
            return operator.index(value)
        except TypeError:
            pass
    raise StateError(f"{name} is {shown(value)}; must be a whole number")


def span(low: int, high: int) -> str:
    """Whole numbers from one to another, in words."""
    return f"{low}" if high <= low else f"{low} or {high}" if high == low + 1 else f"{low} to {high}"
