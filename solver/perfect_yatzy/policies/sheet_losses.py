"""Where a strategy sheet loses points against perfect play, turn by turn; the guide draws it."""

from __future__ import annotations

import os
from dataclasses import replace

from ..strategy.distribution import has_distribution
from .evaluation import evaluate
from .hold_policy import HoldRulePolicy
from .policy import ValueFunction
from .strategy_sheet import StrategySheet


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
