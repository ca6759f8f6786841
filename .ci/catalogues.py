"""The catalogues of the languages, compiled: the texts of all once, and the translations of each.

The build backend does it before each build and each installation, ``make messages`` after it has
updated the words. The compiled files are not in git. Tests of scripts read the messages of the
page from ``static/messages``; a package has no such files, as the server makes them of the others.
"""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from babel.messages.catalog import Catalog, Message
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

PACKAGE = Path(__file__).resolve().parents[1] / "solver" / "perfect_yatzy"
LOCALE = PACKAGE / "locale"
STATIC = PACKAGE / "web" / "static"
CLICK = "click"  # the source of its words
PAGE = ("web/static/", "game/rulesets/")  # the sources of the messages that the page gets
CONTEXT_END = "\x04"  # as in perfect_yatzy/words.py
# differs from day to day
HEADER_NOISE = (
    '"POT-Creation',
    '"PO-Revision',
    '"Generated-By',
    '"Report-Msgid',
)


def po_path(language: str) -> Path:
    return LOCALE / language / "LC_MESSAGES" / "perfect_yatzy.po"


def json_path(language: str) -> Path:
    return STATIC / "messages" / f"{language}.json"


def read_catalog(language: str) -> Catalog:
    """The catalogue of a language; a new one if it has none yet."""
    path = po_path(language)
    if not path.is_file():
        return Catalog(locale=language, charset="utf-8", fuzzy=False)
    with path.open("rb") as file:
        return read_po(file, locale=language)


def po_bytes(catalog: Catalog) -> bytes:
    """The text of a catalogue. The dates of the header do not change, so that equal messages are
    an equal file.
    """
    buffer = io.BytesIO()
    write_po(buffer, catalog, width=120, include_lineno=False, sort_by_file=True)
    lines = buffer.getvalue().decode().splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith(HEADER_NOISE)).encode()


class WordsOfClick(Catalog):
    """A catalogue whose header has what gettext reads, and no dates or names."""

    @property
    def mime_headers(self) -> list[tuple[str, str]]:
        """The lines of the header."""
        return [
            line for line in super().mime_headers if line[0] in ("Content-Type", "Plural-Forms")
        ]


def mo_bytes(catalog: Catalog) -> bytes:
    """The words of click, which it asks gettext for."""
    words = WordsOfClick(locale=catalog.locale, charset="utf-8", fuzzy=False)
    for entry in catalog:
        if entry.id and CLICK in (name for name, _ in entry.locations):
            words.add(entry.id, entry.string)
    buffer = io.BytesIO()
    write_mo(buffer, words)
    return buffer.getvalue()


def key_of(entry: Message) -> str:
    """The key of a message: its text, or that for one, after its context."""
    text = entry.id if isinstance(entry.id, str) else entry.id[0]
    return f"{entry.context}{CONTEXT_END}{text}" if entry.context else text


def translation_of(entry: Message) -> str | list[str]:
    """The translation of a message, or its forms; empty if one is missing."""
    forms = [entry.string] if isinstance(entry.string, str) else list(entry.string)
    if not all(forms):
        return ""
    return forms[0] if isinstance(entry.string, str) else forms


def compiled(catalogs: Mapping[str, Catalog]) -> tuple[dict[str, Any], dict[str, list[Any]]]:
    """The texts of all catalogues, those of the page first, and for each language its translations
    in that order.
    """
    on_page = dict[str, bool]()
    for catalog in catalogs.values():
        for entry in catalog:
            if entry.id:
                names = [name for name, _ in entry.locations]
                shown = not entry.context and any(name.startswith(PAGE) for name in names)
                on_page[key_of(entry)] = on_page.get(key_of(entry), False) or shown
    texts = sorted(on_page, key=lambda text: (not on_page[text], text))
    found = {}
    for language, catalog in catalogs.items():
        own = {key_of(entry): translation_of(entry) for entry in catalog if entry.id}
        found[language] = [own.get(text, "") for text in texts]
    return {"page": sum(on_page.values()), "texts": texts}, found


def page_text(language: str, texts: dict[str, Any], translations: list[Any]) -> str:
    """The messages of the page as the server sends them: text -> translation, or -> [singular,
    plural].
    """
    pairs = zip(texts["texts"][: texts["page"]], translations, strict=False)
    return compact({"language": language, "messages": {text: own for text, own in pairs if own}})


def compact(value: Any) -> str:
    """A value as JSON without spaces."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def compile_catalogues() -> None:
    """Write the compiled files of every language that has a catalogue."""
    (STATIC / "messages").mkdir(exist_ok=True)
    folders = sorted(path.parent.parent for path in LOCALE.glob("*/LC_MESSAGES/*.po"))
    catalogs = {path.name: read_catalog(path.name) for path in folders}
    texts, translations = compiled(catalogs)
    (LOCALE / "texts.json").write_text(compact(texts), encoding="utf-8")
    for language, own in translations.items():
        po_path(language).with_suffix(".mo").write_bytes(mo_bytes(catalogs[language]))
        po_path(language).with_suffix(".json").write_text(compact(own), encoding="utf-8")
        json_path(language).write_text(page_text(language, texts, own), encoding="utf-8")
