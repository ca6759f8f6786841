"""`yatzy solve --estimate`: what a solve costs, without doing it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from ..._version import ANSWER_SCHEMA

if TYPE_CHECKING:
    from ...errors import RulesError
    from ...game.rules import RuleSet
    from ...model.objectives import Objective
    from ...tablebase.solve_estimate import SolveEstimate

MOST_ESTIMATED = 100_000  # workers


def print_estimate(
    rules: RuleSet,
    what: str,
    tables: str | None,
    *,
    threads: int | None,
    workers: int | None,
    shards: bool,
    verbose: bool,
    as_json: bool,
) -> None:
    """Print the cost of a solve, and of the table of means if it is needed first.

    Raises
    ------
    RulesError
        If the game has too many states to be enumerated.
    """
    from dataclasses import asdict

    from ...errors import RulesError
    from ...tablebase.backward_induction import default_threads
    from ...tablebase.memory import available_memory, free_space
    from ...tablebase.solve_estimate import estimate_solve
    from ...tablebase.store import has_table, tables_folder
    from ..views.estimate import estimate_lines

    each = 1 if workers else threads or default_threads()

    def estimate(objective: Objective) -> SolveEstimate:
        return estimate_solve(objective, threads=each, workers=workers or 0, shards=shards)

    too_large, first, solved = "", None, False
    objectives = _objectives(rules, what)
    try:
        found = estimate(objectives[-1])
    except RulesError as error:
        if error.code != "too-large":
            raise
        too_large = _too_large(rules, error)
        if what != "mean":
            raise RulesError(too_large, code=error.code) from error
        found = _counted(rules, each)
    else:
        solved = has_table(rules, tables, what)
        first = estimate(objectives[0]) if len(objectives) > 1 and not has_table(rules, tables) else None
    free = {"memory": available_memory(), "disk": free_space(tables_folder(tables))}
    if not as_json:
        lines = estimate_lines(rules, found, first, (free["memory"], free["disk"]), solved=solved, verbose=verbose)
        click.echo("\n".join([*lines, *(["", too_large] if too_large else [])]))
        return
    facts: dict[str, Any] = {"schema": ANSWER_SCHEMA, "rules": rules.key, "what": what, "solved": solved}
    facts |= {"too_large": too_large or None, "estimate": asdict(found)}
    facts |= {"means_first": asdict(first) if first else None, "free": free}
    click.echo(json.dumps(facts))


def _too_large(rules: RuleSet, error: RulesError) -> str:
    """Why a game cannot be solved, and what can be run instead."""
    from ...model.estimates import approximate_seconds
    from ..views.rules import approximate_advice

    return f"{error}; {approximate_advice(rules, {'approximate_seconds': approximate_seconds(rules)})}"


def _counted(rules: RuleSet, threads: int) -> SolveEstimate:
    """The cost of the means of a game whose cards are too many to be solved, but not to be counted."""
    from ...model.estimates import rule_set_stats
    from ...tablebase.solve_estimate import estimate_of_cost

    cost = rule_set_stats(rules, any_number=True)
    return estimate_of_cost("mean", cost, cost.states, threads, dtype="float32")


def _objectives(rules: RuleSet, what: str) -> list[Objective]:
    """The tables that are solved, the wanted one last."""
    import numpy as np

    from ...model.objectives import BonusChance, Goals, Objective, Variance

    means = Objective(rules)
    if what == "goals":
        return [Goals(rules)]
    if what == "variance":
        return [means, Variance(rules, np.empty(0))]
    if what == "bonus":
        return [means, BonusChance(rules, np.empty(0))]
    return [means]
