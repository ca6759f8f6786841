"""Histograms of scores, and HTML for notebooks: small tables, and histograms as inline SVG.

Colours are those of the page (``currentColor``), so everything is readable on light and on dark ground. All text is
escaped.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate

WIDTH, HEIGHT, BASE, LABEL = 420, 110, 18, 28  # pixels of a histogram; BASE and LABEL: size of a label
MOST_LABELS = 7  # of a histogram, so that they do not overlap
BIN_WIDTHS = (1, 2, 5, 10, 20, 25, 50, 100, 200, 500)
TAIL = 1e-4  # a histogram leaves out less than this much at each end


def html_table(head: Sequence[str], rows: Iterable[Sequence[object]], caption: str = "") -> str:
    """A table; numbers are aligned to the right, fractions have four decimals; `caption`: text above it."""
    from html import escape

    listed = [*rows]
    sides = ["left" if isinstance(value, str) else "right" for value in (listed[0] if listed else head)]

    def row(cells: Sequence[object], tag: str) -> str:
        texts = [f"{cell:.4f}" if isinstance(cell, float) else str(cell) for cell in cells]
        aligned = zip(texts, sides, strict=True)
        inner = "".join(f'<{tag} style="text-align:{side}">{escape(text)}</{tag}>' for text, side in aligned)
        return f"<tr>{inner}</tr>"

    title = f'<caption style="text-align:left">{escape(caption)}</caption>' if caption else ""
    names = row(head, "th") if head else ""
    return f"<table>{title}{names}{''.join(row(cells, 'td') for cells in listed)}</table>"


def histogram_svg(starts: Sequence[int], chances: Sequence[float], bin_width: int) -> str:
    """A histogram, from the first score and the chance of each bin, at least one."""
    step, top = WIDTH / len(starts), HEIGHT - BASE  # pixels of a bar with its gap, and of the highest one
    highest = max(chances)
    bars, labels = [], []
    every = (len(starts) + MOST_LABELS - 1) // MOST_LABELS  # bars for each label, rounded up
    for i, (start, chance) in enumerate(zip(starts, chances, strict=True)):
        height, x = top * chance / highest, i * step
        scores = f"{start}" if bin_width == 1 else f"{start} to {start + bin_width - 1}"
        bars.append(
            f'<rect x="{x + 0.5:.1f}" y="{top - height:.1f}" width="{step - 1:.1f}" height="{height:.1f}">'
            f"<title>{scores}: {100 * chance:.2f} %</title></rect>"
        )
        if i % every == 0 and x < WIDTH - LABEL:
            labels.append(f'<text x="{x + 1:.1f}" y="{HEIGHT - 4}">{start}</text>')
    return (
        f'<svg width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" fill="currentColor" '
        f'aria-label="Histogram of the final score"><g fill-opacity="0.65">{"".join(bars)}</g>'
        f'<g font-size="11" font-family="sans-serif">{"".join(labels)}</g></svg>'
    )


def histogram_bins(lowest: int, chances: Sequence[float], most: int) -> tuple[list[int], list[float], int]:
    """First scores, chances and width of at most `most` bins, without tails below one in ten thousand."""
    low = lowest + min(_tail(chances), len(chances) - 1)
    high = max(low, lowest + len(chances) - 1 - _tail(chances[::-1]))
    bin_width = next((w for w in BIN_WIDTHS if (high - low) // w < most), 1000)
    first = low // bin_width
    bins = [0.0] * (high // bin_width - first + 1)
    for score in range(low, high + 1):
        bins[score // bin_width - first] += chances[score - lowest]
    return [(first + i) * bin_width for i in range(len(bins))], bins, bin_width


def _tail(chances: Sequence[float]) -> int:
    """How many of the first chances are together below TAIL."""
    return sum(total < TAIL for total in accumulate(chances))
