"""The list of `yatzy tables` as text: which tables are stored, their size and age."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from ..._messages import _, ngettext
from ...tablebase.inventory import TableEntry, short_names
from .wording import decimal_text


def stored_tables_lines(entries: list[TableEntry], folder: Path) -> list[str]:
    """Lines for `yatzy tables`: for each table the name that --remove takes; then their number and size."""
    now = time.time()
    names = short_names(entries)
    width = max(map(len, names.values()), default=0)
    lines = []
    for entry in entries:
        age = age_text(now - entry.written)
        state = age if entry.finished else _("{age}, unfinished").format(age=age)
        lines.append(f"{names[entry.name]:<{width}}  {size_text(entry.bytes):>8}  {state}")
    total = ngettext("{count} table, {size}, in {folder}", "{count} tables, {size}, in {folder}", len(entries))
    return [*lines, total.format(count=len(entries), size=size_text(total_bytes(entries)), folder=folder)]


def stored_tables_json(entries: list[TableEntry], folder: Path) -> dict[str, Any]:
    """The same as plain JSON values; sizes in bytes, ``written`` in seconds since 1970."""
    tables = [
        {
            "name": entry.name,
            "rules": entry.key,
            "what": entry.objective,
            "finished": entry.finished,
            "bytes": entry.bytes,
            "written": round(entry.written),
        }
        for entry in entries
    ]
    return {"folder": str(folder), "bytes": total_bytes(entries), "tables": tables}


def total_bytes(entries: list[TableEntry]) -> int:
    """Size of all tables."""
    return sum(entry.bytes for entry in entries)


def size_text(size: float) -> str:
    """A number of bytes with three digits and a unit."""
    for unit in ("B", "kB", "MB"):
        if size < 1000:
            return f"{decimal_text(size, 3)} {unit}"
        size /= 1000
    return f"{decimal_text(size, 3)} GB"


def age_text(seconds: float) -> str:
    """An age in its largest unit: ``3 days ago``."""
    if seconds >= 86_400:
        days = int(seconds // 86_400)
        return ngettext("{count} day ago", "{count} days ago", days).format(count=days)
    if seconds >= 3600:
        hours = int(seconds // 3600)
        return ngettext("{count} hour ago", "{count} hours ago", hours).format(count=hours)
    if seconds >= 60:
        minutes = int(seconds // 60)
        return ngettext("{count} minute ago", "{count} minutes ago", minutes).format(count=minutes)
    return _("just now")
