"""Make the tables of the estimated chances of goals (:mod:`perfect_yatzy.model.goal_estimates`).

The rate a of the exponential utilities is RATE over the standard deviation of the final score of play for the mean,
which a simulation of RATE_GAMES games with a fixed seed estimates: the tables are the same on every machine.

RATE was chosen by measurement. With exact goals of the last 4 layers, Yatzy reached 250, 280, 300 and 330 in 55.1,
27.3, 13.3 and 0.85 % of 100,000 games with RATE = 1, and in 55.1, 27.3, 13.4 and 0.94 % with 1.5 (best play: 56.4,
28.0, 13.9 and 1.2 %; play for the mean: 49.5, 22.4, 10.1 and 0.4 %).
"""

from __future__ import annotations

import os
from collections.abc import Callable

from ..game.rules import RuleSet
from ..model.estimates import SolveCost
from ..model.goal_estimates import Downside, LateGoals, Upside
from ..model.objectives import Objective
from ..strategy.simulation import simulate
from ..strategy.strategy import Strategy
from ..strategy.turn_evaluator import TurnEvaluator
from ..tablebase.store import Progress, open_table, solve_to_store
from ..tablebase.table_file import TableInfo

RATE = 1.5
RATE_GAMES = 10_000
Begin = Callable[[Objective], Progress | None]


def goal_estimates_cost(rules: RuleSet) -> SolveCost:
    """Cost of all tables of the estimates, without that of the means."""
    costs = [objective.solve_cost() for objective in (Upside(rules), Downside(rules), LateGoals(rules))]
    return SolveCost(
        values=sum(cost.values for cost in costs),
        bytes=sum(cost.bytes for cost in costs),
        memory=max(cost.memory for cost in costs),
        seconds=sum(cost.seconds for cost in costs),
    )


def solve_goal_estimates(
    rules: RuleSet,
    tables: str | os.PathLike[str] | None = None,
    *,
    threads: int | None = None,
    begin: Begin = lambda objective: None,
    force: bool = False,
) -> list[TableInfo]:
    """Solve the spreads and the goals of the last layers, and store them; the means first if they are missing.

    Parameters
    ----------
    rules
        The game.
    tables, threads
        As for :func:`perfect_yatzy.open_strategy`.
    begin
        Called before each solve; returns the callback for its progress.
    force
        Whether tables that exist are solved again; an interrupted solve is resumed in any case.

    Returns
    -------
    list of TableInfo
        The tables, in the order of :data:`perfect_yatzy.strategy.goal_estimates.ESTIMATES`.

    Raises
    ------
    RulesError
        If the machine has too little memory.
    TableError
        If a table is damaged or cannot be written.
    """
    means = Objective(rules)
    solve_to_store(means, tables, threads=threads, progress=begin(means), missing_only=True)
    strategy = Strategy(rules, *_opened(means, tables))
    rate = risk_rate(strategy, threads)
    found = []
    for objective in (Upside(rules, strategy.table, rate), Downside(rules, strategy.table, rate), LateGoals(rules)):
        progress = begin(objective)
        found.append(solve_to_store(objective, tables, threads=threads, progress=progress, missing_only=not force))
    return found


def _opened(means: Objective, tables: str | os.PathLike[str] | None) -> tuple[TableInfo, TurnEvaluator]:
    info, values = open_table(means, tables)
    return info, TurnEvaluator(means.rules, values)


def risk_rate(strategy: Strategy, threads: int | None = None) -> float:
    """Rate of the exponential utilities of a game, per point, to two digits."""
    deviation = simulate(strategy, RATE_GAMES, seed=1, threads=threads).standard_deviation
    return float(f"{RATE / max(deviation, 1.0):.2g}")
