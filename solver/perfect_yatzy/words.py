"""Words in the languages of people: translations, the language that is chosen, numbers and lists as
text.

An English sentence is the key of its translation in ``locale/CODE/LC_MESSAGES/perfect_yatzy.po``,
and stays English without one. As a library the package speaks English. The command chooses a
language once for its process (:func:`set_language`), the server one for each request
(:func:`language_scope`). How to change a text or to add a language: ``locale/README.md``.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import cache, reduce
from pathlib import Path

ENGLISH = "en"
LANGUAGES = (
    ENGLISH,
    *sorted(path.parent.name for path in Path(__file__).parent.glob("locale/*/LC_MESSAGES")),
)
DOMAIN = "perfect_yatzy"  # of the words of click, which it asks gettext for
LOCALE = Path(__file__).with_name("locale")
COMPILED = "LC_MESSAGES/perfect_yatzy.json"  # of a language; its texts are those of texts.json
CONTEXT_END = "\x04"  # between the context of a text and the text, as in GNU gettext
# Languages without a catalogue of their own, whose readers know another.
RELATED = {
    "no": "nb",
    "nn": "nb",
}
NO_LANGUAGE = ("C", "POSIX")  # locales without a language: programs speak English
NO_BREAK_SPACE = "\u00a0"
# The sign between thousands; elsewhere a space that does not break the line.
THOUSANDS = {"en": ",", "ja": ",", "ko": ",", "da": ".", "de": "."}
DECIMAL_POINT = ("en", "ja", "ko")  # languages that write it; the others have a comma
# Languages that count in ten thousands: the words of large numbers by their power of ten.
MYRIADS = {
    "ja": {4: "万", 8: "億", 12: "兆", 16: "京"},
    "ko": {4: "만", 8: "억", 12: "조", 16: "경"},
}

_default = ENGLISH
_names_options = False  # whether messages name options of the command
NOT_STORED = "not stored"  # the kind of lines that say that a table cannot be stored
_said: set[str] = set()  # the kinds of lines that were said, each once in a process
_of_context: ContextVar[str | None] = ContextVar("language", default=None)


def current_language() -> str:
    """Return the code of the language that texts are written in now."""
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
    """Let messages name the options of the command in this block, where they else name parameters."""
    global _names_options
    before = _names_options
    _names_options = True
    try:
        yield
    finally:
        _names_options = before


def option_name(parameter: str) -> str:
    """Return a parameter as its user knows it.

    It is the option ``--tables`` of the command, or the parameter of a function.
    """
    return f"--{parameter}" if _names_options else _("the parameter {name}", name=parameter)


def say(message: str, once: str = "") -> None:
    """Print a line on standard error.

    Of a kind that `once` names, only the first line is printed in this process.
    """
    if sys.stderr is None or once in _said:
        return
    if once:
        _said.add(once)
    with suppress(OSError, ValueError):  # a closed stream
        print(f"yatzy: {message}", file=sys.stderr)


def was_said(kind: str) -> bool:
    """Return whether a line of a kind was printed in this process."""
    return kind in _said


def language_from(text: str | None) -> str | None:
    """Return the language of a code, a tag or a locale: ``sv-FI``, ``sv_SE.UTF-8``, ``C``.

    It is None if the language has no catalogue.
    """
    code = (text or "").strip().replace("-", "_").split(".")[0].split("@")[0].split("_")[0].lower()
    if code in map(str.lower, NO_LANGUAGE):
        return ENGLISH
    code = RELATED.get(code, code)
    return code if code in LANGUAGES else None


def language_of_environment(environment: Mapping[str, str] | None = None) -> str:
    """Return the language that the environment asks for, as GNU gettext reads it.

    It is English if the environment names none that is known.
    """
    environment = os.environ if environment is None else environment
    # The first one that is set and not empty counts.
    locales = [environment.get(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG")]
    locale = next(filter(None, locales), "")
    if not locale or locale.split(".")[0] in NO_LANGUAGE:
        return ENGLISH
    wanted = [*environment.get("LANGUAGE", "").split(":"), locale]
    return next(filter(None, map(language_from, wanted)), ENGLISH)


def language_accepted(header: str) -> str | None:
    """Return the known language of the highest weight in ``Accept-Language``.

    The header is text such as ``sv-SE,sv;q=0.9``. Of equal weights the first one counts.
    """
    best = None
    best_weight = 0.0  # a language of this weight is not wanted
    for entry in header.split(",")[:20]:
        tag, _separator, parameters = entry.partition(";")
        try:
            weight = float(parameters.strip().removeprefix("q=") or 1)
        except ValueError:
            continue
        code = language_from(tag)
        if code and weight > best_weight:
            best, best_weight = code, weight
    return best


def _(message: str, /, language: str | None = None, **fields: object) -> str:
    """Return a sentence in the current language with its fields filled in.

    Without fields its braces stay.
    """
    code = language or current_language()
    text = message if code == ENGLISH else _form(_catalogue(code).get(message, message), 1)
    return text.format(**fields) if fields else text


def ngettext(singular: str, plural: str, number: int, /, **fields: object) -> str:
    """Return a sentence in the form that a number needs.

    An example is ``ngettext("{count} die", "{count} dice", n, count=n)``.
    """
    code = current_language()
    if code == ENGLISH:
        text = singular if number == 1 else plural
    else:
        text = _form(_catalogue(code).get(singular, [singular, plural]), number)
    return text.format(**fields) if fields else text


def pgettext(context: str, message: str, language: str | None = None) -> str:
    """Return the translation of a message that means different things in different places.

    `context` is the place of the message (``msgctxt``).
    """
    code = language or current_language()
    if code == ENGLISH:
        return message
    return _form(_catalogue(code).get(context + CONTEXT_END + message, message), 1)


def N_(message: str) -> str:
    """Mark a sentence for the catalogues where it is written.

    ``_`` translates it where it is shown.
    """
    return message


def number_text(
    value: float, decimals: int = 0, *, signed: bool = False, grouped: bool = False
) -> str:
    """Return a number as the current language writes it, never minus zero.

    If it is `grouped`, there is a sign between thousands.
    """
    code = current_language()
    number = round(value, decimals) + 0.0  # -0.0 + 0.0 is 0.0
    sign = "+" if signed else ""
    thousands = "," if grouped else ""
    text = f"{number:{sign}{thousands}.{decimals}f}"
    decimal = "." if code in DECIMAL_POINT else ","
    return text.translate({ord(","): THOUSANDS.get(code, NO_BREAK_SPACE), ord("."): decimal})


def significant_text(value: float, digits: int) -> str:
    """Return a number with only the decimals it needs: ``0.1``, ``95``.

    Decimals are rounded to `digits` significant digits; digits before the point all stay.
    """
    from decimal import Decimal

    # of the last digit: -1 for tenths
    exponent = Decimal(f"{value:.{digits}g}").as_tuple().exponent
    return number_text(value, max(0, -int(exponent)))


def page_messages(code: str) -> dict[str, str | list[str]]:
    """Return the messages of the page: text -> translation, or -> [singular, plural]."""
    count, texts = _texts()
    translations = _catalogue(code)
    return {text: translations[text] for text in texts[:count] if text in translations}


def _form(text: str | list[str], number: int) -> str:
    """Return the form of a text for a number.

    Languages have one form for 1 and one for other numbers, or one for all.
    """
    return text if isinstance(text, str) else text[0 if number == 1 else -1]


@cache
def _texts() -> tuple[int, list[str]]:
    """Return how many of the texts the page has, which come first, and the texts of all catalogues."""
    import json

    with suppress(OSError):  # installed without data files: English
        stored = json.loads((LOCALE / "texts.json").read_text(encoding="utf-8"))
        return stored["page"], stored["texts"]
    return 0, []


@cache
def _catalogue(code: str) -> dict[str, str | list[str]]:
    """Return the translations of a language by text, without the texts that it does not have."""
    import json

    _of_page, texts = _texts()
    with suppress(OSError):
        translations = json.loads((LOCALE / code / COMPILED).read_text(encoding="utf-8"))
        return {text: own for text, own in zip(texts, translations, strict=True) if own}
    return {}


NUMBER_WORDS = (
    "0",
    "1",
    N_("two"),
    N_("three"),
    N_("four"),
    N_("five"),
    N_("six"),
    N_("seven"),
    N_("eight"),
    N_("nine"),
    N_("ten"),
    N_("eleven"),
    N_("twelve"),
)


def number_word(number: int) -> str:
    """Return a number from two to twelve as a word, and others as digits.

    The words for none and one depend on what is counted ("ett kast", "en tärning"): they are
    part of the message, which is one of :func:`ngettext`.
    """
    if 2 <= number < len(NUMBER_WORDS):
        return _(NUMBER_WORDS[number])  # marked elsewhere
    return str(number)


def gigabytes(size: float) -> str:
    """Return a number of bytes in GB: ``0.93 GB``, ``14.6 GB``."""
    return f"{number_text(size / 1e9, 2 if size < 1e9 else 1, grouped=True)} GB"


def duration(seconds: float) -> str:
    """Return an estimated time: ``about 25 s``, ``about 8 minutes``."""
    if seconds < 100:
        return _("about {seconds} s", seconds=number_text(max(1.0, seconds)))
    minutes = seconds / 60
    if minutes < 100:
        return _("about {minutes} minutes", minutes=number_text(minutes))
    return _("about {hours} hours", hours=number_text(minutes / 60, grouped=True))


def alternatives(names: Iterable[str]) -> str:
    """Return alternatives in words: ``.csv, .parquet or .jsonl``."""
    *others, last = names
    return _("{first} or {last}", first=", ".join(others), last=last) if others else last


def enumerated(names: Iterable[str]) -> str:
    """Return several names in words: ``a, b and c``."""
    *others, last = names
    return _("{first} and {last}", first=", ".join(others), last=last) if others else last


def either(texts: Iterable[str]) -> str:
    """Return alternatives in words: ``a or b or c``."""
    return reduce(lambda first, last: _("{first} or {last}", first=first, last=last), texts)


def span(low: int, high: int) -> str:
    """Return a range of whole numbers in words: ``3``, ``3 or 4``, ``3 to 5``."""
    if high <= low:
        return f"{low}"
    text = _("{low} or {high}") if high == low + 1 else _("{low} to {high}")
    return text.format(low=low, high=high)
