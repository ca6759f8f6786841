"""The words that people see: extracted from the sources, merged into the catalogues, compiled.

``make messages`` runs this module. Sources are Python and JavaScript calls of ``_``, ``ngettext``,
``pgettext`` and ``N_``, marked words of ``index.html``, help of the command, summaries of rule
sets, and the words of the guide.
"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple

import click
from babel.messages.catalog import Catalog
from catalogues import PACKAGE, STATIC, compile_catalogues, po_bytes, po_path, read_catalog
from perfect_yatzy import __version__
from perfect_yatzy.cli import main
from perfect_yatzy.cli.console import localize, paragraphs
from perfect_yatzy.words import LANGUAGES
from pygments.lexers import JavascriptLexer
from pygments.token import Comment, Name, String, Whitespace

CALLS = {
    "_": 1,
    "N_": 1,
    "ngettext": 2,
    "pgettext": 2,
}  # number of leading arguments that are texts
# the comment on a call whose text is a variable: its literals carry N_() or data-message
MARKED = "marked elsewhere"
STATIC_WORDS = {
    "data-message-label": "aria-label",
    "data-message-title": "title",
    "data-message-placeholder": "placeholder",
}


# Words of click itself that users of the command can meet.
CLICK = [
    "Options",
    "Commands",
    "Usage:",
    "Aborted!",
    "Missing command.",
    "Missing argument",
    "Missing option",
    "Missing parameter",
    "Missing {param_type}",
    "default: {default}",
    "env var: {var}",
    "(dynamic)",
    "Show the version and exit.",
    "Show this message and exit.",
    "%(prog)s, version %(version)s",
    "Invalid value for {param_hint}: {message}",
    "Invalid value: {message}",
    "Choose from:\n\t{choices}",
    "No such option {name!r}.",
    "No such command {name!r}.",
    "Option {name!r} does not take a value.",
    "{value} is not in the range {range}.",
    "{value!r} is not a valid {number_type}.",
    "{name} {filename!r} does not exist.",
    "{name} {filename!r} is a directory.",
    "{name} {filename!r} is a file.",
    "{name} {filename!r} is not readable.",
    "{name} {filename!r} is not writable.",
    "file",
    "directory",
    "path",
    "unknown error",
    "Error: {message}",
    "Error: invalid input",
    "Could not open file {filename!r}: {message}",
    ("Did you mean {possibility}?", "(Did you mean one of: {possibilities}?)"),
    ("Got unexpected extra argument ({args})", "Got unexpected extra arguments ({args})"),
    ("{value!r} is not {choice}.", "{value!r} is not one of {choices}."),
    ("Option {name!r} requires an argument.", "Option {name!r} requires {nargs} arguments."),
    (
        "{value!r} does not match the format {format}.",
        "{value!r} does not match the formats {formats}.",
    ),
]


@dataclass(frozen=True)
class Message:
    """A text of the sources: its English form, or the forms for one and for several, and where
    it is.
    """

    text: str
    source: str
    plural: str = ""
    context: str = ""


def source_name(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


@dataclass
class Extracted:
    """Messages, and calls whose text is not a plain literal."""

    messages: list[Message] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    def add(
        self, path: Path, line: int, call: str, texts: list[str], end: int | None = None
    ) -> None:
        """Add the message of a call with its literal texts; a fault if some are missing and the
        lines up to the end of its statement have no mark.
        """
        source = source_name(path)
        if len(texts) == CALLS[call]:
            plural, context = (
                texts[-1] if call == "ngettext" else "",
                texts[0] if call == "pgettext" else "",
            )
            self.messages.append(Message(texts[1 if context else 0], source, plural, context))
            return
        lines = path.read_text(encoding="utf-8").splitlines()[line - 1 : end or line]
        if not any(MARKED in each for each in lines):
            self.faults.append(f"{source}:{line}: {call}() of something else than a literal")


def from_python(path: Path, found: Extracted) -> None:
    """Add the messages of a module."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    ends = {}  # line of the end of its statement, for each call
    for statement in ast.walk(tree):
        if isinstance(statement, ast.stmt) and not hasattr(statement, "body"):
            ends |= dict.fromkeys(ast.walk(statement), statement.end_lineno)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in CALLS:
            given = [getattr(arg, "value", None) for arg in node.args[: CALLS[node.func.id]]]
            texts = [text for text in given if isinstance(text, str)]
            found.add(path, node.lineno, node.func.id, texts, ends.get(node))


class Token(NamedTuple):
    """A token of a script."""

    type: str  # "name", "string", "template_string" or "other"
    value: str
    lineno: int


def script_tokens(path: Path) -> list[Token]:
    """The tokens of a script without blanks and comments; a template is one token."""
    text = path.read_text(encoding="utf-8")
    types = {String.Backtick: "template_string", String.Double: "string", String.Single: "string"}
    # the template so far, and how many ${ are open within
    found, template, depth = (
        list[Token](),
        "",
        0,
    )
    for place, kind, value in JavascriptLexer().get_tokens_unprocessed(text):
        if template or value == "`":
            template += value
            if kind in String.Interpol:
                depth += 1 if value == "${" else -1
            if value != "`" or template == "`" or depth:
                continue
            place, value, template = place + 1 - len(template), template, ""
        if not (kind in Comment or kind in Whitespace):
            name = "name" if kind in Name else types.get(kind, "other")
            found.append(Token(name, value, text.count("\n", 0, place) + 1))
    return found


def literal(tokens: list[Token], at: int) -> tuple[str | None, int]:
    """The text of literals joined with + from a token on, None for anything else; and the token
    after them.
    """
    text = ""
    while at < len(tokens) and tokens[at].type == "string":
        text += ast.literal_eval(tokens[at].value)
        at += 1
        if at >= len(tokens) or tokens[at].value != "+":
            return text, at
        at += 1
    return None, at


def from_script(path: Path, found: Extracted) -> None:
    """Add the messages of a script."""
    tokens = script_tokens(path)
    for at, token in enumerate(tokens[:-1]):
        if token.type == "template_string" and re.search(r"\b(?:_|N_|ngettext)\(", token.value):
            found.faults.append(
                f"{source_name(path)}:{token.lineno}: a text within a template is not extracted"
            )
        is_call = token.type == "name" and token.value in CALLS and tokens[at + 1].value == "("
        if not is_call or tokens[at - 1].value in ("function", "."):
            continue
        texts, after = list[str](), at + 1
        while len(texts) < CALLS[token.value] and tokens[after].value in ("(", ","):
            text, after = literal(tokens, after + 1)
            if text is None or tokens[after].value not in (",", ")"):
                break
            texts.append(text)
        found.add(path, token.lineno, token.value, texts)


class MarkedWords(HTMLParser):
    """Words of a document that carry ``data-message`` or ``data-message-…``, and all others."""

    SILENT = frozenset({"script", "style", "title", "code"})

    def __init__(self) -> None:
        super().__init__()
        self.marked: list[str] = []
        self.unmarked: list[str] = []
        self.open: list[tuple[str, bool]] = []  # tag, and whether its text is marked
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        for mark, attribute in STATIC_WORDS.items():
            value = given.get(attribute) or ""
            if value and mark in given:
                self.marked.append(value)
            elif re.search(r"[A-Za-z]{2}", value):
                self.unmarked.append(value)
        if tag not in ("meta", "link", "input", "br", "hr", "img"):
            self.open.append((tag, "data-message" in given))
            self.text = ""

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1][1]:
            self.text += data
        elif re.search(r"[A-Za-z]{2}", data) and not (
            self.open and self.open[-1][0] in self.SILENT
        ):
            self.unmarked.append(" ".join(data.split()))

    def handle_endtag(self, tag: str) -> None:
        while self.open:
            name, is_marked = self.open.pop()
            if is_marked and name == tag and (text := " ".join(self.text.split())):
                self.marked.append(text)
            if name == tag:
                break


def marked_words(path: Path) -> MarkedWords:
    """The words of an HTML file."""
    parser = MarkedWords()
    parser.feed(path.read_text(encoding="utf-8"))
    return parser


def summaries(value: object) -> Iterator[str]:
    """Every summary of a rule file, at any depth, and the sources of its published values."""
    for key, inner in (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    ):
        if key in ("summary", "source") and isinstance(inner, str):
            yield inner
        else:
            yield from summaries(inner)


def guide_words() -> Iterator[Message]:
    """The words of the guide, with their keys as contexts."""
    path = PACKAGE / "cli" / "words" / "en.toml"
    for section, entries in tomllib.loads(path.read_text()).items():
        for name, value in entries.items() if isinstance(entries, dict) else ():
            for i, text in enumerate(value if isinstance(value, list) else [value]):
                place = f"{section}.{name}" + (f".{i}" if isinstance(value, list) else "")
                yield Message(text, source_name(path), context=place)


def help_of(command: click.Command, path: str) -> Iterator[Message]:
    """The help of a command, of its parameters and of its subcommands."""
    texts = [
        *paragraphs(command.help),
        *paragraphs(command.epilog),
        *paragraphs(command.short_help),
    ]
    for param in command.params:
        texts += paragraphs(getattr(param, "help", None))
    yield from (Message(text, f"cli/{path}") for text in texts)
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            if inner := command.get_command(context, name):
                yield from help_of(inner, path)


def extract() -> Extracted:
    """All messages of the sources."""
    found = Extracted()
    for path in sorted(PACKAGE.rglob("*.py")):
        from_python(path, found)
    for path in sorted(STATIC.rglob("*.js")):
        from_script(path, found)
    for path in sorted(STATIC.rglob("*.html")):
        found.messages += [Message(text, source_name(path)) for text in marked_words(path).marked]
    for path in sorted((PACKAGE / "game" / "rulesets").glob("*.toml")):
        found.messages += [
            Message(text, source_name(path)) for text in summaries(tomllib.loads(path.read_text()))
        ]
    found.messages += guide_words()
    for words in CLICK:
        text, plural = (words, "") if isinstance(words, str) else words
        found.messages.append(Message(text, "click", plural=plural))
    localize(main)  # back to English, if it was shown in another language before
    found.messages += help_of(main, "commands")
    return found


def template(messages: list[Message]) -> Catalog:
    """The messages as an empty catalogue; the same text in several places is one message."""
    catalog = Catalog(project="perfect-yatzy", version=__version__, charset="utf-8", fuzzy=False)
    plurals = {message.text: message.plural for message in messages if message.plural}
    for message in messages:
        # gettext has one entry for a text and its plural, wherever each is used
        plural = plurals.get(message.text)
        text = (message.text, plural) if plural else message.text
        catalog.add(text, locations=[(message.source, 0)], context=message.context or None)
    for entry in catalog:
        entry.locations = sorted(set(entry.locations))
        entry.flags.discard("python-format")
    return catalog


def updated(catalog: Catalog, messages: list[Message]) -> Catalog:
    """A catalogue with the messages of the sources; translations of texts that no longer exist
    are dropped.
    """
    result = Catalog(
        locale=catalog.locale,
        project="perfect-yatzy",
        version=__version__,
        charset="utf-8",
        fuzzy=False,
        creation_date=catalog.creation_date,
        revision_date=catalog.revision_date,
        last_translator="The perfect-yatzy authors",
        language_team="none",
    )
    result.header_comment = f"# {catalog.locale.english_name} words of perfect-yatzy."
    for entry in filter(lambda entry: entry.id, template(messages)):
        old = catalog.get(entry.id, entry.context)
        kept = old.string if old and type(old.id) is type(entry.id) else ""
        nothing = "" if isinstance(entry.id, str) else ("",) * catalog.num_plurals
        result.add(entry.id, kept or nothing, entry.locations, context=entry.context).flags.discard(
            "python-format"
        )
    return result


def update() -> None:
    """Bring the catalogues up to date with the sources and compile them; print what is not
    translated.
    """
    found = extract()
    for fault in found.faults:
        print(fault, file=sys.stderr)
    for language in LANGUAGES[1:]:
        catalog = updated(read_catalog(language), found.messages)
        path = po_path(language)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(po_bytes(catalog))
        entries = [entry for entry in catalog if entry.id]
        empty = [
            entry
            for entry in entries
            if not all([entry.string] if isinstance(entry.string, str) else entry.string)
        ]
        print(f"{language}: {len(entries) - len(empty)} of {len(entries)} messages are translated")
        for entry in empty[:10]:
            print(f"  {path}: {entry.id}")
    compile_catalogues()


if __name__ == "__main__":
    update()
