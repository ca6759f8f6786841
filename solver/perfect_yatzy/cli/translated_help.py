"""The help of the command in the current language.

Help is written in English where a command is defined. It is translated when a command is looked up, so that its
module can be imported before the language is known, and English help costs nothing.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import click

from .._messages import DOMAIN, ENGLISH, _, current_language, language_from, language_of_environment, set_language

VERBATIM = "\b"  # click prints a paragraph that begins with it as it is: examples


def paragraphs(text: str | None) -> list[str]:
    """The paragraphs of a help text that are sentences, each in one line: the messages of the catalogues."""
    parts = inspect.cleandoc(text or "").split("\n\n")
    return [" ".join(part.split()) for part in parts if part.strip() and not part.startswith(VERBATIM)]


def translated(text: str | None) -> str | None:
    """A help text with its sentences in the current language; examples stay as they are."""
    if not text:
        return text
    parts = inspect.cleandoc(text).split("\n\n")
    return "\n\n".join(
        part if part.startswith(VERBATIM) else _(" ".join(part.split()))  # marked elsewhere
        for part in parts
    )


def translate_help(command: click.Command) -> None:
    """Give a command, its parameters and its subcommands the help of the current language."""
    _translate(command, "help", "short_help", "epilog")
    for param in command.params:
        if isinstance(param, click.Option):
            _translate(param, "help")
    if isinstance(command, click.Group):
        for inner in command.commands.values():
            translate_help(inner)


def _translate(shown: click.Command | click.Option, *names: str) -> None:
    """Translate texts of a command or an option; their English form is kept for another language."""
    english = vars(shown).get("english_help")
    if english is None:
        if current_language() == ENGLISH:
            return
        english = vars(shown)["english_help"] = {name: getattr(shown, name) for name in names}
    for name in names:
        setattr(shown, name, translated(english[name]))


def language_option(words: Sequence[str]) -> str | None:
    """The value of ``--lang`` on a command line, None without it. The last one counts."""
    value = None
    for word, following in zip(words, [*words[1:], None], strict=False):  # the last one has none
        if word == "--":
            break
        if word == "--lang":
            value = following
        elif word.startswith("--lang="):
            value = word.partition("=")[2]
    return value


@contextmanager
def chosen_language(words: Sequence[str]) -> Iterator[None]:
    """Speak ``--lang``, ``YATZY_LANG``, else the language of the environment; an unknown one is refused later."""
    wanted, before = language_option(words) or os.environ.get("YATZY_LANG"), current_language()
    code = (language_from(wanted) or ENGLISH) if wanted else language_of_environment()
    set_language(code)
    try:
        with _translated_click(code):
            yield
    finally:
        set_language(before)


@contextmanager
def _translated_click(code: str) -> Iterator[None]:
    """Let the words of click itself (``Usage:``, ``Missing argument``) come from our catalogues."""
    if code == ENGLISH:
        yield
        return
    import gettext

    domain, languages = gettext.textdomain(), os.environ.get("LANGUAGE")
    gettext.bindtextdomain(DOMAIN, str(Path(__file__).parent.parent / "locale"))
    gettext.textdomain(DOMAIN)
    os.environ["LANGUAGE"] = code
    try:
        yield
    finally:
        gettext.textdomain(domain)
        if languages is None:
            del os.environ["LANGUAGE"]
        else:
            os.environ["LANGUAGE"] = languages
