"""`yatzy solve RULES --what distribution`: the distribution of the final score under perfect play, stored."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING

import click

from ..._messages import _, number_text
from ...game.scorecard import EMPTY_STATE
from ...model.estimates import duration
from ...model.state_space import state_space
from ...service.budget import SolveBudget
from ...strategy.distribution import check_distribution_memory, distribution_cost, early_distributions
from ...strategy.distribution_files import distribution_path, has_outlook, has_stored_distribution, write_stored
from ...strategy.opening import open_strategy
from ...strategy.outlook import outlook_cost
from ...strategy.score_distribution import PERCENTS
from ...tablebase.backward_induction import default_threads
from ...tablebase.memory import check_space, writing_to
from ...tablebase.store import has_table
from ..console import confirm
from ..progress import solve_progress
from ..views.distribution import percentile_line

if TYPE_CHECKING:
    from .table_solver import TableSolver


def solve_distribution(solver: TableSolver, force: bool) -> None:
    """Compute and store the distribution from the empty card on, of a small game also those after each first turn."""
    rules, tables, threads = solver.rules, solver.tables, solver.threads
    path, budget = distribution_path(rules, tables), SolveBudget.command()
    outlook = budget.makes_outlook(rules)
    stored = has_stored_distribution(rules, EMPTY_STATE, tables) and (has_outlook(rules, tables) or not outlook)
    if stored and not force:
        text = _("the distribution of {rules} is already stored: {path} (use --force to compute it again)")
        click.echo(text.format(rules=rules.key, path=path))
        return
    if not has_table(rules, tables):
        solver.solve_means()
    cost = outlook_cost(rules) if outlook else distribution_cost(rules)
    check_distribution_memory(rules, cost)
    check_space(path.parent, cost.bytes)
    facts = {"rules": rules.key, "time": duration(cost.processor_seconds / (threads or default_threads()))}
    if not solver.yes and not budget.objective.allows(cost):
        confirm(
            _("The distribution of {rules} takes {time}.", **facts),
            _("the distribution of {rules} takes {time}; use --yes to compute it", **facts),
        )
    line = _("computing the distribution of {rules}, {time}", **facts) if budget.announces(cost) else None
    begin, strategy = perf_counter(), open_strategy(rules, tables, threads=threads)
    early = early_distributions(strategy, threads, solve_progress(rules, line), outlook=outlook)
    with writing_to(path.parent):
        write_stored(rules, early, tables)
    found = early[state_space(rules).unchecked_index(EMPTY_STATE)]
    text = _("Standard deviation of {rules} under perfect play: {deviation}")
    click.echo(text.format(rules=rules.key, deviation=number_text(found.standard_deviation, 10)))
    click.echo(percentile_line({str(percent): found.percentile(percent) for percent in PERCENTS}))
    count, seconds = number_text(len(found.scores), grouped=True), number_text(perf_counter() - begin, 2)
    click.echo(_("{count} scores in {seconds} s: {path}", count=count, seconds=seconds, path=path))
