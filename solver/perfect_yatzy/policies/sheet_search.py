"""A whole strategy sheet: prices are fitted, rules for the holds found, and the prices rounded for use by hand."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace

from ..strategy.distribution import has_distribution
from ..strategy.strategy import Strategy
from .evaluation import evaluate, policy_mean
from .hold_policy import HoldRulePolicy
from .hold_rules import HoldRule
from .policy import ValueFunction
from .price_fit import Progress, fit_prices, stated
from .price_sheet import PriceSheet, terms_of
from .rule_search import learn_holds
from .strategy_sheet import StrategySheet, price_figures

PRICE_STEP, PAR_STEP, TERM_STEP = 0.5, 0.5, 1.0
SWEEPS = 3
LEAST_GAIN = 1e-4  # points a game
FIRST_RULES = 5  # rules that the prices are rounded with
SHORTER = (5, 10)  # lengths of the shorter lists of a sheet


def hand_prices(
    prices: PriceSheet,
    holds: Sequence[HoldRule],
    *,
    threads: int | None = None,
    progress: Callable[[str], None] | None = None,
) -> PriceSheet:
    """The best sheet of round numbers in the neighbourhood of a sheet.

    Rounding alone costs a few tenths of a point; each number is then improved while the exact mean rises.
    """
    rules, names, count = prices.rules, terms_of(prices.rules), len(prices.prices)
    steps = [PRICE_STEP] * count + [PAR_STEP if name in ("par_point", "joker_turn") else TERM_STEP for name in names]
    start = [*prices.prices, *(prices.terms[name] for name in names)]
    numbers = tuple(round(number / step) * step + 0.0 for number, step in zip(start, steps, strict=True))
    known: dict[tuple[float, ...], float] = {}

    def sheet(tried: tuple[float, ...]) -> PriceSheet:
        return PriceSheet(rules, tried[:count], dict(zip(names, tried[count:], strict=True)))

    def mean(tried: tuple[float, ...]) -> float:
        if tried not in known:
            known[tried] = policy_mean(HoldRulePolicy(holds, sheet(tried)), threads=threads)
        return known[tried]

    for sweep in range(SWEEPS):
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


def learn_sheet(
    strategy: Strategy,
    hold_rules: int = 0,
    *,
    seed: int = 1,
    threads: int | None = None,
    progress: Progress | None = None,
    report: Callable[[str], None] | None = None,
) -> StrategySheet:
    """Find a strategy that a person can play."""
    rules = strategy.rules
    fit = fit_prices(rules, strategy.table, seed=seed, threads=threads, progress=progress)
    if not hold_rules:
        return StrategySheet(rules, fit.sheet, (), price_figures(strategy.value(), fit.mean, fit.interval))
    first = learn_holds(
        fit.sheet, min(FIRST_RULES, hold_rules), seed=seed, sizes=(), threads=threads, progress=report
    )
    prices = hand_prices(fit.sheet, first.holds, threads=threads, progress=report)
    found = learn_holds(
        prices, hold_rules, perfect=strategy.table, seed=seed, sizes=SHORTER, threads=threads, progress=report
    )
    fit, shorter = stated(prices, seed, threads), {size: (of.holds, of.figures) for size, of in found.shorter.items()}
    figures = price_figures(strategy.value(), fit.mean, fit.interval) | found.figures
    return StrategySheet(rules, fit.sheet, found.holds, figures, shorter)


def turn_losses(
    sheet: StrategySheet, tables: str | os.PathLike[str] | None = None, threads: int | None = None
) -> tuple[float, ...]:
    """Expected points that a sheet gives away in each turn, exactly."""
    if stored := sheet.figures.get("losses_by_turn"):
        return tuple(stored)
    if not has_distribution(sheet.rules):
        return ()
    policy: HoldRulePolicy | ValueFunction
    if sheet.holds:
        policy = HoldRulePolicy(sheet.holds, sheet.prices)
    else:
        policy = ValueFunction(sheet.rules, sheet.prices.values())
    losses = evaluate(policy, tables=tables, threads=threads).losses
    return tuple(losses.by_turn.tolist()) if losses else ()


def with_turn_losses(
    sheet: StrategySheet, tables: str | os.PathLike[str] | None = None, threads: int | None = None
) -> StrategySheet:
    """The sheet with the figure ``losses_by_turn``, if the rules have an exact distribution."""
    losses = turn_losses(sheet, tables, threads)
    if not losses:
        return sheet
    rounded = [round(loss, 4) + 0.0 for loss in losses]  # + 0.0: no negative zero
    return replace(sheet, figures={**sheet.figures, "losses_by_turn": rounded})
