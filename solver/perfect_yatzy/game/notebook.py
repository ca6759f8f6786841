"""Histograms of scores, and for notebooks as inline SVG.

Colours are those of the page (``currentColor``), so everything is readable on light and on dark
ground. All text is escaped.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

# pixels of a histogram; BASE and LABEL: size of a label
WIDTH = 420
HEIGHT = 110
BASE = 18
LABEL = 28
MOST_LABELS = 7  # of a histogram, so that they do not overlap
BIN_WIDTHS = (1, 2, 5, 10, 20, 25, 50, 100, 200, 500)
TAIL = 1e-4  # a histogram leaves out less than this much at each end


class Bins(NamedTuple):
    """The bins of a histogram, all of one width."""

    starts: list[int]  # first score of each bin
    chances: list[float]  # chance of the scores in each bin
    width: int  # number of scores in a bin


def histogram_svg(starts: Sequence[int], chances: Sequence[float], bin_width: int) -> str:
    """Return a histogram as SVG, from the first score and the chance of each of its bins.

    There is at least one bin.
    """
    step = WIDTH / len(starts)  # pixels of a bar with its gap
    top = HEIGHT - BASE  # pixels of the highest bar
    highest = max(chances)
    bars = []
    labels = []
    bars_per_label = (len(starts) + MOST_LABELS - 1) // MOST_LABELS  # rounded up
    for i, (start, chance) in enumerate(zip(starts, chances, strict=True)):
        x = i * step
        height = top * chance / highest
        scores = f"{start}" if bin_width == 1 else f"{start} to {start + bin_width - 1}"
        bars.append(
            f'<rect x="{x + 0.5:.1f}" y="{top - height:.1f}" width="{step - 1:.1f}" height="{height:.1f}">'
            f"<title>{scores}: {100 * chance:.2f} %</title></rect>"
        )
        if i % bars_per_label == 0 and x < WIDTH - LABEL:
            labels.append(f'<text x="{x + 1:.1f}" y="{HEIGHT - 4}">{start}</text>')
    return (
        f'<svg width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" fill="currentColor" '
        f'aria-label="Histogram of the final score"><g fill-opacity="0.65">{"".join(bars)}</g>'
        f'<g font-size="11" font-family="sans-serif">{"".join(labels)}</g></svg>'
    )


def histogram_bins(lowest: int, chances: Sequence[float], most: int) -> Bins:
    """Return at most `most` bins of the scores from `lowest` on, without tails below TAIL."""
    low = lowest + min(_tail(chances), len(chances) - 1)  # the scores that are shown, at least one
    high = max(low, lowest + len(chances) - 1 - _tail(chances[::-1]))
    bin_width = next((width for width in BIN_WIDTHS if (high - low) // width < most), 1000)
    # bin number n begins at the score n * bin_width
    numbers = range(low // bin_width, high // bin_width + 1)
    bins = [0.0] * len(numbers)
    for score in range(low, high + 1):
        bins[score // bin_width - numbers.start] += chances[score - lowest]
    return Bins([number * bin_width for number in numbers], bins, bin_width)


def _tail(chances: Sequence[float]) -> int:
    """Return how many of the first chances are together below TAIL."""
    return bisect_left([*accumulate(chances)], TAIL)  # the sums ascend
