"""The bins of a histogram of scores, for text and for pictures."""

from __future__ import annotations

from collections.abc import Sequence

BIN_WIDTHS = (1, 2, 5, 10, 20, 25, 50, 100, 200, 500)
TAIL = 1e-4  # a histogram leaves out less than this much at each end


def histogram_bins(lowest: int, chances: Sequence[float], most: int) -> tuple[list[int], list[float], int]:
    """First scores, chances and width of at most `most` bins, without tails below one in ten thousand."""
    low, high = lowest, lowest + len(chances) - 1
    tail = 0.0
    while low < high and tail + chances[low - lowest] < TAIL:
        tail += chances[low - lowest]
        low += 1
    tail = 0.0
    while high > low and tail + chances[high - lowest] < TAIL:
        tail += chances[high - lowest]
        high -= 1
    bin_width = next((w for w in BIN_WIDTHS if (high - low) // w < most), 1000)
    first = low // bin_width
    bins = [0.0] * (high // bin_width - first + 1)
    for score in range(low, high + 1):
        bins[score // bin_width - first] += chances[score - lowest]
    return [(first + i) * bin_width for i in range(len(bins))], bins, bin_width
