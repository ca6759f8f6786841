"""The list of `yatzy tables` as text: which tables are stored, their size and age."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from ...tablebase.inventory import TableEntry, short_names


def stored_tables_lines(entries: list[TableEntry], folder: Path) -> list[str]:
    """Lines for `yatzy tables`: for each table the name that --remove takes; then their number and size."""
    now = time.time()
    names = short_names(entries)
    width = max(map(len, names.values()), default=0)
    lines = [
        f"{names[entry.name]:<{width}}  {size_text(entry.bytes):>8}  {age_text(now - entry.written)}"
        + ("" if entry.finished else ", unfinished")
        for entry in entries
    ]
    count = "1 table" if len(entries) == 1 else f"{len(entries)} tables"
    return [*lines, f"{count}, {size_text(total_bytes(entries))}, in {folder}"]


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
            return f"{size:.3g} {unit}"
        size /= 1000
    return f"{size:.3g} GB"


def age_text(seconds: float) -> str:
    """An age in its largest unit: ``3 days ago``."""
    for unit, length in (("day", 86_400), ("hour", 3600), ("minute", 60)):
        if seconds >= length:
            count = int(seconds // length)
            return f"{count} {unit}{'s' if count > 1 else ''} ago"
    return "just now"
