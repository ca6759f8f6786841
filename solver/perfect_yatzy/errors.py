"""Errors raised on purpose, and the checks of plain values that raise them.

Every such error is a :class:`SolverError` *and* the builtin exception a caller expects, so ``except
ValueError`` works without importing this module. The command turns each into one line and an exit
code, the JSON answers into the fields ``error``, ``code`` and, where one field of the request is at
fault, ``field``. Any other exception is a bug and keeps its traceback.

A program should test ``code``, one of :data:`CODES`, and never the message.

Messages are in the current language (:mod:`perfect_yatzy.words`).
"""

from __future__ import annotations

import operator
import reprlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import wraps
from typing import Any, ClassVar, ParamSpec, TypeVar

from .words import _, enumerated

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")

CODES = frozenset(
    {  # they are stable
        "error",  # none of the codes below
        "invalid-request",  # the request is malformed: not JSON, a wrong combination of fields
        "unknown-field",  # the request has a field its query does not know
        "missing-field",  # the request lacks a field its query needs
        "invalid-value",  # a field or an argument has the wrong type, or lies outside its range
        "unknown-rules",  # no rule set, switch or rule file has that name
        # a rule set contradicts itself, or the question does not apply to its rules
        "invalid-rules",
        "too-large",  # the solve needs more time or memory than the budget or the machine allows
        "unknown-category",  # no category has that name
        "ambiguous-category",  # several categories fit that name
        "invalid-dice",  # the dice are not a roll under the rules
        "invalid-card",  # the scorecard cannot occur under the rules
        "invalid-state",  # no game can reach that state
        "game-over",  # every category is filled
        "table-error",  # a value table is missing, or cannot be read or written
        "table-damaged",  # a value table does not match its checksum, its format or its rules
        "missing-package",  # an optional package is not installed
        "cluster-failed",  # a cluster cannot be reached, or its workers cannot do the work
        "policy-failed",  # code of a user that plays raised an exception
        "process-failed",  # a program that plays cannot be started, ended, or gave no answer
        "busy",  # too many requests are waiting
        "client-disconnected",  # the client disconnected before its answer was computed
        # the answer takes long or writes to the disk; ``cost`` says how much
        "confirmation-required",
        "cancelled",  # whoever asked for the work has stopped it
        "internal-error",  # a bug; only in answers to a stream of requests
    }
)


class SolverError(Exception):
    """Base of all errors raised on purpose.

    Parameters
    ----------
    *args
        The message.
    code
        One of :data:`CODES`; default: that of the class.
    field
        Field of the request that is at fault.

    Attributes
    ----------
    exit_code : int
        What the command returns.
    """

    exit_code: ClassVar[int] = 1
    default_code: ClassVar[str] = "error"

    def __init__(self, *args: object, code: str | None = None, field: str | None = None) -> None:
        super().__init__(*args)
        self.code = code or self.default_code
        self.field = field

    def as_json(self) -> dict[str, str]:
        """Return the fields of a JSON answer: ``error``, ``code`` and, if known, ``field``."""
        answer = {"error": str(self), "code": self.code}
        if self.field:
            answer["field"] = self.field
        return answer


class RulesError(SolverError, ValueError):
    """A rule set is unknown, malformed or too large to be solved."""

    exit_code = 2
    default_code = "invalid-rules"


def install_command(extra: str) -> str:
    """Return the command that installs an extra of this package from where the package came.

    An installer writes the folder of a local installation to ``direct_url.json`` (PEP 610).
    """
    import json
    import os
    import shlex
    from importlib.metadata import PackageNotFoundError, distribution
    from urllib.parse import unquote, urlsplit

    source, option = "perfect-yatzy", ""
    with suppress(PackageNotFoundError, ValueError, AttributeError):
        origin = json.loads(distribution("perfect-yatzy").read_text("direct_url.json") or "{}")
        folder = unquote(urlsplit(origin.get("url", "")).path)
        if "dir_info" in origin and os.path.isfile(os.path.join(folder, "pyproject.toml")):
            source = folder
            option = "-e " if origin["dir_info"].get("editable") else ""
    return f"pip install {option}{shlex.quote(f'{source}[{extra}]')}"


class MissingPackage(SolverError, ImportError):
    """A feature needs a package that is not installed. The message says how to install it."""

    default_code = "missing-package"

    def __init__(self, what: str, *packages: str, extra: str = "") -> None:
        command = install_command(extra) if extra else f"pip install {' '.join(packages)}"
        message = _("{what} needs {packages}; install with: {command}")
        super().__init__(message.format(what=what, packages=enumerated(packages), command=command))


class StateError(SolverError, ValueError):
    """Dice, a category, a scorecard or another argument that cannot occur under the rules."""

    exit_code = 2
    default_code = "invalid-value"


def game_over(field: str | None = None) -> StateError:
    """Return the error for a question about a full card."""
    return StateError(
        _("every category is filled: the game is over"), code="game-over", field=field
    )


class TableError(SolverError, OSError):
    """A value table is missing, damaged or belongs to other rules."""

    default_code = "table-error"


class StorageError(TableError):
    """A value table cannot be written: its folder belongs to another user, or the disk is full."""


class Cancelled(SolverError):
    """A long computation was stopped.

    Raise it in a callback for progress. Finished layers of a table are kept.
    """

    default_code = "cancelled"


class ClusterError(SolverError, RuntimeError):
    """A cluster cannot be reached, or its workers cannot do the work."""

    default_code = "cluster-failed"


@contextmanager
def error_context(field: str, code: str | None = None) -> Iterator[None]:
    """Add the field of the request to errors raised inside.

    A code is added to those that have only that of their class.
    """
    try:
        yield
    except SolverError as error:
        error.field = error.field or field
        if code:
            _add_code(error, code)
        raise


def reason_of(error: BaseException, name: object = None) -> str:
    """Return what an error says, without the number of an OSError.

    Its file is left out if it is the `name` that the message has already.
    """
    if not isinstance(error, OSError) or error.strerror is None:
        return str(error)
    return (
        error.strerror
        if error.filename in (None, name)
        else f"{error.strerror}: {error.filename!r}"
    )


def error_code(
    code: str,
) -> Callable[[Callable[Parameters, Result]], Callable[Parameters, Result]]:
    """Decorate a function: its errors that have only the code of their class get this code.

    Where nothing is raised it costs less than a context.
    """

    def decorated(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
        @wraps(function)
        def called(*args: Parameters.args, **named: Parameters.kwargs) -> Result:
            try:
                return function(*args, **named)
            except SolverError as error:
                _add_code(error, code)
                raise

        return called

    return decorated


def _add_code(error: SolverError, code: str) -> None:
    if error.code == error.default_code:
        error.code = code


class _Shown(reprlib.Repr):
    """Shortened representations, with the constants of JSON and TOML: null, true, false."""

    def __init__(self) -> None:
        super().__init__()
        self.maxstring = self.maxother = self.maxlong = 60

    def repr_NoneType(self, value: None, level: int) -> str:
        return "null"

    def repr_bool(self, value: bool, level: int) -> str:
        return "true" if value else "false"

    def repr_int(self, value: int, level: int) -> str:
        if value.bit_length() > 200:  # Python refuses to write very large numbers
            # log10(2) for each bit
            return f"a number of about {round(value.bit_length() * 0.30103):,} digits"
        return repr(value)


_SHOWN = _Shown()


def shown(value: object) -> str:
    """Return the representation of a value for a message.

    It is one line, shortened, with the constants of JSON (null, true).
    """
    return " ".join(_SHOWN.repr(value).split())


def whole_number(value: Any, name: str) -> int:
    """Return the value as an int.

    NumPy integers are accepted. Raises StateError for fractions, text and truth values.
    """
    if not isinstance(value, bool):
        try:
            return operator.index(value)
        except TypeError:
            pass
    raise StateError(_("{name} is {value}; must be a whole number", name=name, value=shown(value)))


def positive_number(value: Any, name: str) -> int:
    """Return the value as an int.

    Raises StateError unless it is a whole number of at least 1.
    """
    number = whole_number(value, name)
    if number < 1:
        raise StateError(_("{name} is {value}; must be at least 1", name=name, value=number))
    return number
