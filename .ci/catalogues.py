"""The catalogues of the languages, compiled: ``.mo`` for the command, JSON for the page.

The build backend does it before each build and each installation, ``make messages`` after it has
updated the words. The compiled files are not in git.
"""

from __future__ import annotations

import io
import json
from datetime import UTC, datetime
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

PACKAGE = Path(__file__).resolve().parents[1] / "solver" / "perfect_yatzy"
LOCALE = PACKAGE / "locale"
STATIC = PACKAGE / "web" / "static"
PAGE = ("web/static/", "game/rulesets/")  # the sources of the messages that the page gets
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


def mo_bytes(catalog: Catalog) -> bytes:
    """The compiled catalogue, with a fixed date in its header."""
    plain = read_po(io.BytesIO(po_bytes(catalog)), locale=catalog.locale)
    plain.creation_date = plain.revision_date = datetime(2026, 1, 1, tzinfo=UTC)
    buffer = io.BytesIO()
    write_mo(buffer, plain)
    return buffer.getvalue()


def page_text(catalog: Catalog) -> str:
    """The messages of the page as JSON: text -> translation, or -> [singular, plural]."""
    found = {}
    for entry in catalog:
        if (
            not entry.id
            or entry.context
            or not any(name.startswith(PAGE) for name, _ in entry.locations)
        ):
            continue
        key, value = (
            (entry.id, entry.string)
            if isinstance(entry.id, str)
            else (entry.id[0], list(entry.string))
        )
        if all([value] if isinstance(value, str) else value):
            found[key] = value
    data = {"language": str(catalog.locale), "messages": dict(sorted(found.items()))}
    return json.dumps(data, ensure_ascii=False, indent=0, sort_keys=True) + "\n"


def compile_catalogues() -> None:
    """Write the compiled files of every language that has a catalogue."""
    (STATIC / "messages").mkdir(exist_ok=True)
    for folder in sorted(path.parent.parent for path in LOCALE.glob("*/LC_MESSAGES/*.po")):
        catalog = read_catalog(folder.name)
        po_path(folder.name).with_suffix(".mo").write_bytes(mo_bytes(catalog))
        json_path(folder.name).write_text(page_text(catalog), encoding="utf-8")
