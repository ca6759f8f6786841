"""A whole strategy sheet: prices are fitted, rules for the holds found, and the prices rounded for use by hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ..strategy.strategy import Strategy
from .hand_prices import hand_prices
from .hold_language import HoldRule
from .price_fit import PriceFit, Progress, fit_prices, stated
from .rule_search import Learned, learn_holds
from .strategy_sheet import StrategySheet, price_figures

FIRST_RULES = 5  # rules that the prices are rounded with
SHORTER = (5, 10)  # lengths of the shorter lists of a sheet


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
    return sheet_of(strategy, stated(prices, seed, threads), found)


def sheet_of(strategy: Strategy, fit: PriceFit, found: Learned) -> StrategySheet:
    """A sheet of prices and lists of hold rules with its figures."""
    shorter = {size: of_list(learned) for size, learned in found.shorter.items()}
    sheet = StrategySheet(
        strategy.rules, fit.sheet, found.holds, price_figures(strategy.value(), fit.mean, fit.interval), shorter
    )
    return replace(sheet, figures={**sheet.figures, **of_list(found)[1]})


def of_list(found: Learned) -> tuple[tuple[HoldRule, ...], dict[str, Any]]:
    """A list of hold rules with its figures: the mean to 1e-7, what each rule is worth, and the worst hold."""
    figures: dict[str, Any] = {"mean": round(found.mean, 7)}
    if found.worth:
        figures["worth"] = [round(worth, 3) + 0.0 for worth in found.worth]
    return found.holds, figures | ({} if found.worst is None else {"worst": round(found.worst, 4)})
