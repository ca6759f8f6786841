"""A strategy sheet of Yatzy for tests: prices found by a coordinate search on common dice, outside this package."""

from __future__ import annotations

from perfect_yatzy.game.rules import RuleSet
from perfect_yatzy.policies.price_sheet import PriceSheet
from perfect_yatzy.policies.strategy_sheet import StrategySheet

PRICES = (6.9, 7.5, 10.7, 12.3, 15.4, 19.2, 17.4, 21.6, 18.2, 13.9, 9.0, 11.3, 17.8, 28.9, 10.6)
PRICES_MEAN = 244.71  # simulated with them


def yatzy_sheet(rules: RuleSet) -> StrategySheet:
    """The sheet, without hold rules; losses by turn are made up."""
    prices = PriceSheet(rules, PRICES, -14.2, 25.4, 2.33)
    losses = [0.1 * turn for turn in (1, 2, 3, 4, 5, 5, 4, 3, 3, 2, 2, 1, 1, 1, 0)]
    figures = {"perfect": 248.44, "prices_mean": PRICES_MEAN, "losses_by_turn": losses}
    return StrategySheet(rules, prices, (), figures)
