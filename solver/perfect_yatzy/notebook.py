"""HTML for notebooks: small tables, readable on light and on dark ground. All text is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def html_table(head: Sequence[str], rows: Iterable[Sequence[object]], caption: str = "") -> str:
    """Return a table as HTML, with `caption` as text above it.

    Numbers are aligned to the right, and fractions have four decimals.
    """
    from html import escape

    listed = [*rows]
    first = listed[0] if listed else head
    sides = ["left" if isinstance(value, str) else "right" for value in first]  # of the columns

    def row(cells: Sequence[object], tag: str) -> str:
        """Return a row of cells with this tag, ``th`` or ``td``."""
        texts = [f"{cell:.4f}" if isinstance(cell, float) else str(cell) for cell in cells]
        aligned = zip(texts, sides, strict=True)
        inner = "".join(
            f'<{tag} style="text-align:{side}">{escape(text)}</{tag}>' for text, side in aligned
        )
        return f"<tr>{inner}</tr>"

    title = f'<caption style="text-align:left">{escape(caption)}</caption>' if caption else ""
    names = row(head, "th") if head else ""
    return f"<table>{title}{names}{''.join(row(cells, 'td') for cells in listed)}</table>"
