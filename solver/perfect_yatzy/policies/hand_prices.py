"""Prices that a person can add up: halves, and whole numbers for the bonus.

Rounding alone costs a price sheet a few tenths of a point. So the rounded numbers are improved one by one, as long as
the exact mean with the hold rules rises: then the sheet is as good as the one with more decimals.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .evaluation import policy_mean
from .hold_language import HoldRule
from .hold_policy import HoldRulePolicy
from .price_sheet import PriceSheet, make_sheet, terms_of

PRICE_STEP, PAR_STEP, TERM_STEP = 0.5, 0.5, 1.0
SWEEPS = 3
LEAST_GAIN = 1e-4  # points a game


def hand_prices(
    prices: PriceSheet,
    holds: Sequence[HoldRule],
    *,
    sweeps: int = SWEEPS,
    threads: int | None = None,
    progress: Callable[[str], None] | None = None,
) -> PriceSheet:
    """The best sheet of round numbers in the neighbourhood of a sheet."""
    rules, names, count = prices.rules, terms_of(prices.rules), len(prices.prices)
    steps = [PRICE_STEP] * count + [PAR_STEP if name in ("par_point", "joker_turn") else TERM_STEP for name in names]
    start = [*prices.prices, *(prices.terms[name] for name in names)]
    numbers = tuple(round(number / step) * step + 0.0 for number, step in zip(start, steps, strict=True))
    known: dict[tuple[float, ...], float] = {}

    def sheet(tried: tuple[float, ...]) -> PriceSheet:
        return make_sheet(rules, [*tried[:count]], dict(zip(names, tried[count:], strict=True)))

    def mean(tried: tuple[float, ...]) -> float:
        if tried not in known:
            known[tried] = policy_mean(HoldRulePolicy(holds, sheet(tried)), threads=threads)
        return known[tried]

    for sweep in range(sweeps):
        before = numbers
        for i in reversed(range(len(numbers))):
            for step in (steps[i], -steps[i]):
                tried = (*numbers[:i], numbers[i] + step, *numbers[i + 1 :])
                while mean(tried) > mean(numbers) + LEAST_GAIN:
                    numbers, tried = tried, (*tried[:i], tried[i] + step, *tried[i + 1 :])
        if progress:
            progress(f"round prices, sweep {sweep + 1}: mean {mean(numbers):.3f}")
        if numbers == before:
            break
    return sheet(numbers)
