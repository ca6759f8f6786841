"""The list of `yatzy tables` as text: which tables are stored, their size and age."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from ..._messages import _, ngettext
from ...tablebase.inventory import TableEntry, short_names
from .wording import columns, size_text


def stored_tables_lines(entries: list[TableEntry], folder: Path) -> list[str]:
    """Lines for `yatzy tables`: for each table the name that --remove takes; then their number and size."""
    now, names, rows = time.time(), short_names(entries), []
    for entry in entries:
        age = age_text(now - entry.written)
        state = age if entry.finished else _("{age}, unfinished", age=age)
        rows.append((names[entry.name], size_text(entry.bytes), state))
    lines = columns(rows, "<", ">8", "<", indent="") if rows else []
    total = ngettext("{count} table, {size}, in {folder}", "{count} tables, {size}, in {folder}", len(entries))
    return [*lines, total.format(count=len(entries), size=size_text(total_bytes(entries)), folder=folder)]


def stored_tables_json(entries: list[TableEntry], folder: Path) -> dict[str, Any]:
    """The same as plain JSON values; sizes in bytes, ``written`` in seconds since 1970."""
    tables = [
        {
            "name": entry.name, "rules": entry.key, "what": entry.objective, "finished": entry.finished,
            "bytes": entry.bytes, "written": round(entry.written),
        }
        for entry in entries
    ]  # fmt: skip
    return {"folder": str(folder), "bytes": total_bytes(entries), "tables": tables}


def total_bytes(entries: list[TableEntry]) -> int:
    """Size of all tables."""
    return sum(entry.bytes for entry in entries)


def age_text(seconds: float) -> str:
    """An age in its largest unit: ``3 days ago``."""
    days, hours, minutes = (int(seconds // unit) for unit in (86_400, 3600, 60))
    if days:
        return ngettext("{count} day ago", "{count} days ago", days, count=days)
    if hours:
        return ngettext("{count} hour ago", "{count} hours ago", hours, count=hours)
    if minutes:
        return ngettext("{count} minute ago", "{count} minutes ago", minutes, count=minutes)
    return _("just now")
