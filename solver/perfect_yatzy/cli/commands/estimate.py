"""`yatzy solve --estimate`: what a solve costs, without doing it."""

from __future__ import annotations

from dataclasses import asdict

from ...errors import RulesError
from ...game.rules import RuleSet
from ...model.approximate_cost import approximate_seconds
from ...model.estimates import rule_set_stats
from ...model.objectives import Objective
from ...model.quantities import QUANTITIES
from ...tablebase.backward_induction import default_threads
from ...tablebase.memory import available_memory, free_space
from ...tablebase.solve_estimate import SolveEstimate, estimate_of_cost, estimate_solve
from ...tablebase.store import has_table, tables_folder
from ..console import echo_json, echo_lines
from ..views.estimate import estimate_lines
from ..views.rules import approximate_advice
from .table_solver import without_means


def print_estimate(
    rules: RuleSet, what: str, tables: str | None, *, threads: int | None, workers: int | None, shards: bool,
    verbose: bool, as_json: bool,
) -> None:  # fmt: skip
    """Print the cost of a solve, and of the table of means if it is needed first."""
    each = 1 if workers else threads or default_threads()

    def estimate(objective: Objective) -> SolveEstimate:
        return estimate_solve(objective, threads=each, workers=workers or 0, shards=shards)

    too_large, first, solved = "", None, False
    quantity = QUANTITIES[what]
    try:
        found = estimate(quantity.objective(rules, without_means))
    except RulesError as error:
        if error.code != "too-large":
            raise
        facts = {"approximate_seconds": sum(approximate_seconds(rules).values())}
        too_large = f"{error}; {approximate_advice(rules, facts)}"
        if what != "mean":
            raise RulesError(too_large, code=error.code) from error
        cost = rule_set_stats(rules, any_number=True)  # of a game whose cards can only be counted
        found = estimate_of_cost("mean", cost, cost.states, each, dtype="float32")
    else:
        solved = has_table(rules, tables, what)
        first = estimate(Objective(rules)) if quantity.needs_means and not has_table(rules, tables) else None
    memory, disk = available_memory(), free_space(tables_folder(tables))
    if as_json:
        echo_json(
            rules=rules.key, what=what, solved=solved, too_large=too_large or None, estimate=asdict(found),
            means_first=asdict(first) if first else None, free={"memory": memory, "disk": disk},
        )  # fmt: skip
    else:
        lines = estimate_lines(rules, found, first, (memory, disk), solved=solved, verbose=verbose)
        echo_lines(lines, ["", too_large] if too_large else [])
