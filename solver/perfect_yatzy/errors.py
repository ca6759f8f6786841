"""Errors raised on purpose, and the checks of plain values that raise them.

Every such error is a :class:`SolverError` *and* the builtin exception a caller expects, so ``except
ValueError`` works without importing this module. The command turns each into one line and an exit
code, the JSON answers into the fields ``error``, ``code`` and, where one field of the request is at
fault, ``field``. Any other exception is a bug and keeps its traceback.

A program should test ``code``, one of :data:`CODES`, and never the message.

Messages are in the current language: an English sentence is the key of its translation in
``locale/CODE/LC_MESSAGES/perfect_yatzy.po``, and stays English without one. As a library the
package speaks English. The command chooses a language once for its process (:func:`set_language`),
the server one for each request (:func:`language_scope`). How to change a text or to add a language:
``locale/README.md``.
"""

from __future__ import annotations

import operator
import os
import reprlib
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from gettext import NullTranslations
ENGLISH = "en"
LANGUAGES = (
    ENGLISH,
    *sorted(path.parent.name for path in Path(__file__).parent.glob("locale/*/LC_MESSAGES")),
)
DOMAIN = "perfect_yatzy"
RELATED = {
    "no": "nb",
    "nn": "nb",
}  # languages without a catalogue of their own, whose readers know another
NO_BREAK_SPACE = "\u00a0"
THOUSANDS = {"en": ",", "da": ".", "de": "."}  # elsewhere a space that does not break the line

_default = ENGLISH
_names_options = False  # whether messages name options of the command
NOT_STORED = "not stored"  # the kind of lines that say that a table cannot be stored
_said: set[str] = set()  # the kinds of lines that were said, each once in a process
_of_context: ContextVar[str | None] = ContextVar("language", default=None)

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
        """The fields of a JSON answer: ``error``, ``code`` and, if known, ``field``."""
        return {"error": str(self), "code": self.code} | (
            {"field": self.field} if self.field else {}
        )


class RulesError(SolverError, ValueError):
    """A rule set is unknown, malformed or too large to be solved."""

    exit_code = 2
    default_code = "invalid-rules"


class MissingPackage(SolverError, ImportError):
    """A feature needs a package that is not installed; the message says how to install it."""

    default_code = "missing-package"

    def __init__(self, what: str, *packages: str, extra: str = "") -> None:
        command = "pip install " + (f"'perfect-yatzy[{extra}]'" if extra else " ".join(packages))
        message = _("{what} needs {packages}; install with: {command}")
        super().__init__(message.format(what=what, packages=enumerated(packages), command=command))


class StateError(SolverError, ValueError):
    """Dice, a category, a scorecard or another argument that cannot occur under the rules."""

    exit_code = 2
    default_code = "invalid-value"


def game_over(field: str | None = None) -> StateError:
    """The error for a question about a full card."""
    return StateError(
        _("every category is filled: the game is over"), code="game-over", field=field
    )


class TableError(SolverError, OSError):
    """A value table is missing, damaged or belongs to other rules."""

    default_code = "table-error"


class StorageError(TableError):
    """A value table cannot be written: its folder belongs to another user, or the disk is full."""


class Cancelled(SolverError):
    """A long computation was stopped. Raise it in a callback for progress; finished layers of a
    table are kept.
    """

    default_code = "cancelled"


class ClusterError(SolverError, RuntimeError):
    """A cluster cannot be reached, or its workers cannot do the work."""

    default_code = "cluster-failed"


@contextmanager
def error_context(field: str, code: str | None = None) -> Iterator[None]:
    """Add the field of the request to errors raised inside, and a code to those that have only
    their class's.
    """
    try:
        yield
    except SolverError as error:
        error.field = error.field or field
        if code and error.code == error.default_code:
            error.code = code
        raise


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
    """The representation of a value for a message: one line, shortened, with the constants of
    JSON (null, true).
    """
    return " ".join(_SHOWN.repr(value).split())


def alternatives(names: Iterable[str]) -> str:
    """Alternatives in words: ``.csv, .parquet or .jsonl``."""
    *others, last = names
    return _("{first} or {last}", first=", ".join(others), last=last) if others else last


def enumerated(names: Iterable[str]) -> str:
    """Several names in words: ``a, b and c``."""
    *others, last = names
    return _("{first} and {last}", first=", ".join(others), last=last) if others else last


def whole_number(value: Any, name: str) -> int:
    """The value as an int. NumPy integers are accepted; fractions, text and truth values are
    not.
    """
    if not isinstance(value, bool):
        try:
            return operator.index(value)
        except TypeError:
            pass
    raise StateError(_("{name} is {value}; must be a whole number", name=name, value=shown(value)))


def positive_number(value: Any, name: str) -> int:
    """The value as an int, at least 1; else as :func:`whole_number`."""
    number = whole_number(value, name)
    if number < 1:
        raise StateError(_("{name} is {value}; must be at least 1", name=name, value=number))
    return number


def span(low: int, high: int) -> str:
    """A range of whole numbers in words: ``3``, ``3 or 4``, ``3 to 5``."""
    if high <= low:
        return f"{low}"
    return (_("{low} or {high}") if high == low + 1 else _("{low} to {high}")).format(
        low=low, high=high
    )


def current_language() -> str:
    """The code of the language that texts are written in now."""
    return _of_context.get() or _default


def set_language(code: str) -> None:
    """Choose the language of this process, for all threads that have not chosen another one."""
    global _default
    if code not in LANGUAGES:
        raise ValueError(f"{code!r} is not one of {', '.join(LANGUAGES)}")
    _default = code


@contextmanager
def language_scope(code: str) -> Iterator[None]:
    """Choose the language of a block, such as one request of many. One of :data:`LANGUAGES`."""
    token = _of_context.set(code)
    try:
        yield
    finally:
        _of_context.reset(token)


@contextmanager
def command_options() -> Iterator[None]:
    """Let messages name the options of the command in this block; else they name parameters."""
    global _names_options
    before, _names_options = _names_options, True
    try:
        yield
    finally:
        _names_options = before


def option_name(parameter: str) -> str:
    """A parameter as its user knows it: the option ``--tables`` of the command, or that of a
    function.
    """
    return f"--{parameter}" if _names_options else _("the parameter {name}", name=parameter)


def say(message: str, once: str = "") -> None:
    """Print a line on standard error; of a kind that is named only the first one in this process."""
    if sys.stderr is None or once in _said:
        return
    if once:
        _said.add(once)
    with suppress(OSError, ValueError):  # a closed stream
        print(f"yatzy: {message}", file=sys.stderr)


def was_said(kind: str) -> bool:
    """Whether a line of a kind was printed in this process."""
    return kind in _said


def language_from(text: str | None) -> str | None:
    """The language of a code, a tag or a locale: ``sv-FI``, ``sv_SE.UTF-8``, ``C``; None if it
    has no catalogue.
    """
    code = (text or "").strip().replace("-", "_").split(".")[0].split("@")[0].split("_")[0].lower()
    if code in ("c", "posix"):
        return ENGLISH
    code = RELATED.get(code, code)
    return code if code in LANGUAGES else None


def language_of_environment(environment: Mapping[str, str] | None = None) -> str:
    """The language that the environment asks for, as GNU gettext reads it; English if it names
    none that is known.
    """
    environment = os.environ if environment is None else environment
    locale = next(
        (environment[name] for name in ("LC_ALL", "LC_MESSAGES", "LANG") if environment.get(name)),
        "",
    )
    if not locale or locale.split(".")[0] in ("C", "POSIX"):
        return ENGLISH
    wanted = [*environment.get("LANGUAGE", "").split(":"), locale]
    return next((code for text in wanted if (code := language_from(text))), ENGLISH)


def language_accepted(header: str) -> str | None:
    """The known language of the highest weight in ``Accept-Language``, the first of equals:
    ``sv-SE,sv;q=0.9``.
    """
    found: list[tuple[str, float]] = []  # languages and their weights
    for entry in header.split(",")[:20]:
        tag, _separator, parameters = entry.partition(";")
        try:
            weight = float(parameters.strip().removeprefix("q=") or 1)
        except ValueError:
            continue
        if (code := language_from(tag)) and weight > 0:
            found.append((code, weight))
    # `max` takes the first of equals
    return max(found, key=lambda entry: entry[1])[0] if found else None


def _(message: str, /, language: str | None = None, **fields: object) -> str:
    """A sentence in the current language with its fields filled in; without any its braces stay."""
    code = language or current_language()
    text = message if code == ENGLISH else _catalogue(code).gettext(message)
    return text.format(**fields) if fields else text


def ngettext(singular: str, plural: str, number: int, /, **fields: object) -> str:
    """A sentence in the form that a number needs: ``ngettext("{count} die", "{count} dice", n,
    count=n)``.
    """
    code = current_language()
    if code == ENGLISH:
        text = singular if number == 1 else plural
    else:
        text = _catalogue(code).ngettext(singular, plural, number)
    return text.format(**fields) if fields else text


def pgettext(context: str, message: str, language: str | None = None) -> str:
    """The translation of a message that means different things in different places, by its place
    (``msgctxt``).
    """
    code = language or current_language()
    return message if code == ENGLISH else _catalogue(code).pgettext(context, message)


def N_(message: str) -> str:
    """Mark a sentence for the catalogues where it is written; ``_`` translates it where it is
    shown.
    """
    return message


def number_text(
    value: float, decimals: int = 0, *, signed: bool = False, grouped: bool = False
) -> str:
    """A number as the current language writes it, never minus zero; `grouped`: with a sign
    between thousands.
    """
    code = current_language()
    number = round(value, decimals) + 0.0  # -0.0 + 0.0 is 0.0
    sign, thousands = "+" if signed else "", "," if grouped else ""
    text = f"{number:{sign}{thousands}.{decimals}f}"
    if code == ENGLISH:
        return text
    return text.translate({ord(","): THOUSANDS.get(code, NO_BREAK_SPACE), ord("."): ","})


def significant_text(value: float, digits: int) -> str:
    """A number with only the decimals it needs, at most `digits` significant ones: ``0.1``,
    ``95``.
    """
    from decimal import Decimal

    # of the last digit: -1 for tenths
    exponent = Decimal(f"{value:.{digits}g}").as_tuple().exponent
    return number_text(value, max(0, -int(exponent)))


@cache
def _catalogue(code: str) -> NullTranslations:
    from gettext import translation

    # Installed without data files: English.
    return translation(DOMAIN, Path(__file__).with_name("locale"), [code], fallback=True)
