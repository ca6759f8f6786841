"""What `yatzy solve` makes: tables, distributions, approximate strategies; what they need first and cost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter
from typing import ClassVar

import click
import numpy as np

from ..._messages import _, number_text
from ...errors import RulesError
from ...game.rules import RuleSet
from ...model.approximate_cost import approximate_seconds
from ...model.checked_values import Table
from ...model.estimates import SolveCost, duration, gigabytes, rule_set_stats
from ...model.objectives import Objective
from ...model.quantities import QUANTITIES
from ...service.budget import SolveBudget
from ...strategy.opening import open_approximate, open_strategy
from ...tablebase.backward_induction import default_threads
from ...tablebase.memory import available_memory, check_memory, check_space, free_space, writing_to
from ...tablebase.sharded_solve import ThreadEngine, sharded_cost, solve_sharded
from ...tablebase.solve_estimate import SolveEstimate, estimate_of_cost, estimate_solve
from ...tablebase.store import Progress, has_table, solve_to_store, tables_folder
from ...tablebase.table_info import TableInfo
from ..console import confirm, echo_json, echo_lines
from ..options import cluster_workers
from ..progress import solve_progress
from ..views.rules import approximate_advice
from ..views.tables import estimate_lines
from ..views.wording import chance_text, wrapped

WITHOUT_MEANS: Callable[[RuleSet], Table] = lambda rules: np.empty(0)  # noqa: E731 (only the cost is asked for)


@dataclass(frozen=True)
class TableSolver:
    """Solves tables of a rule set: asks before a large solve, announces it, shows its progress."""

    rules: RuleSet
    tables: str | None
    threads: int | None
    shards: bool  # whether tables are stored in shards
    yes: bool  # whether large solves need no confirmation
    budget: ClassVar[SolveBudget] = SolveBudget.command()

    def checked_cost(self, objective: Objective) -> SolveCost:
        """The cost of a solve; RulesError with what --shards needs if the machine has too little memory for it."""

        def in_shards() -> SolveCost:
            return sharded_cost(objective, self.threads or default_threads())

        cost = in_shards() if self.shards else objective.solve_cost()
        try:
            check_memory(objective.rules, cost)
        except RulesError as error:
            if self.shards or (less := in_shards().memory) >= cost.memory:
                raise
            text = _("{error}; with --shards it needs {less}", error=error, less=gigabytes(less))
            raise RulesError(text, code=error.code) from error
        return cost

    def begin(self, objective: Objective) -> Progress:
        """Check the cost of a solve, ask if it is high, announce it, and return the callback for its progress."""
        cost = self.checked_cost(objective)
        name = "means" if objective.name == "mean" else objective.name
        facts = {"name": name, "rules": self.rules.key, "cost": cost.words_with(self.threads or default_threads())}
        return self.asked(
            cost,
            _("The table of {name} of {rules} takes {cost}.", **facts),
            _("the table of {name} of {rules} takes {cost}; use --yes to solve it", **facts),
            _("solving {rules} ({name}), {cost}", **facts),
        )

    def asked(self, cost: SolveCost, question: str, refusal: str, announcement: str) -> Progress:
        """The callback for the progress of a computation, after a confirmation if its cost is high."""
        if not self.yes and not self.budget.objective.allows(cost):
            confirm(question, refusal)
        return solve_progress(self.rules, announcement if self.budget.announces(cost) else None)

    def solve(self, objective: Objective, *, missing_only: bool) -> TableInfo:
        """Solve and store the table of an objective, if it is missing or `missing_only` is False."""
        progress, tables, threads = self.begin(objective), self.tables, self.threads
        if self.shards:
            engine = ThreadEngine(threads)
            return solve_sharded(objective, tables, engine=engine, progress=progress, missing_only=missing_only)
        return solve_to_store(objective, tables, threads=threads, progress=progress, missing_only=missing_only)

    def solve_on_cluster(self, what: str, force: bool, workers: int | None, address: str | None) -> TableInfo:
        """Solve a table on the workers of a Dask cluster, and first that of the means if it is needed and missing."""
        quantity, progress = QUANTITIES[what], {}
        if quantity.needs_means and not has_table(self.rules, self.tables):
            progress["mean"] = self.begin(Objective(self.rules))
        progress[what] = self.begin(quantity.objective(self.rules, WITHOUT_MEANS))
        with cluster_workers(workers, address) as cluster:
            assert cluster
            for name, report in progress.items():
                again = force and name == what
                info = cluster.solve(self.rules, name, tables=self.tables, progress=report, force=again)
        return info

    def objective(self, what: str) -> Objective:
        """The objective of a table; the means are solved first where it depends on them."""
        return QUANTITIES[what].objective(self.rules, self.means)

    def means(self, rules: RuleSet) -> Table:
        """The table of means, solved if it is missing."""
        if not has_table(rules, self.tables):
            self.solve(Objective(rules), missing_only=True)
        return open_strategy(rules, self.tables, threads=self.threads).table


def solved_lines(rules: RuleSet, what: str, info: TableInfo, place: Path) -> str:
    """What `yatzy solve` prints about a new table: its value at the start, if it has one, and where it is."""
    count, seconds = number_text(info.values, grouped=True), number_text(info.seconds, 2)
    last = _("{count} values in {seconds} s: {path}", count=count, seconds=seconds, path=place)
    if info.start_value is None:
        return last
    quantity = QUANTITIES[what]
    value = info.start_value**0.5 if quantity.is_square else info.start_value
    first = _(quantity.result, rules=rules.key, value=number_text(value, 10))  # marked elsewhere
    return f"{first}\n{last}"


def solve_distribution(solver: TableSolver, force: bool) -> None:
    """Compute and store the distribution from the empty card on, of a small game also those after each first turn."""
    from ...game.scorecard import EMPTY_STATE
    from ...model.state_space import state_space
    from ...strategy import distribution as scores
    from ...strategy import distribution_files
    from ...strategy.score_distribution import PERCENTS
    from ..views.results import percentile_line

    rules, tables, threads = solver.rules, solver.tables, solver.threads
    path, first_turns = distribution_files.distribution_path(rules, tables), solver.budget.makes_first_turns(rules)
    stored = distribution_files.has_stored_distribution(rules, EMPTY_STATE, tables)
    if stored and not force and (distribution_files.has_first_turns(rules, tables) or not first_turns):
        text = _("the distribution of {rules} is already stored: {path} (use --force to compute it again)")
        click.echo(text.format(rules=rules.key, path=path))
        return
    if not has_table(rules, tables):
        solver.solve(Objective(rules), missing_only=True)
    cost = scores.first_turns_cost(rules) if first_turns else scores.distribution_cost(rules)
    scores.check_distribution_memory(rules, cost)
    check_space(path.parent, cost.bytes)
    facts = {"rules": rules.key, "time": duration(cost.processor_seconds / (threads or default_threads()))}
    progress = solver.asked(
        cost,
        _("The distribution of {rules} takes {time}.", **facts),
        _("the distribution of {rules} takes {time}; use --yes to compute it", **facts),
        _("computing the distribution of {rules}, {time}", **facts),
    )
    begin, strategy = perf_counter(), open_strategy(rules, tables, threads=threads)
    early = scores.early_distributions(strategy, threads, progress, first_turns=first_turns)
    with writing_to(path.parent):
        distribution_files.write_stored(rules, early, tables)
    found = early[state_space(rules).unchecked_index(EMPTY_STATE)]
    text = _("Standard deviation of {rules} under perfect play: {deviation}")
    click.echo(text.format(rules=rules.key, deviation=number_text(found.standard_deviation, 10)))
    click.echo(percentile_line({str(percent): found.percentile(percent) for percent in PERCENTS}))
    count, seconds = number_text(len(found.scores), grouped=True), number_text(perf_counter() - begin, 2)
    click.echo(_("{count} scores in {seconds} s: {path}", count=count, seconds=seconds, path=path))


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
        found = estimate(quantity.objective(rules, WITHOUT_MEANS))
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


def solve_approximately(
    rules: RuleSet, tables: str | None, threads: int | None, seed: int, games: int, work: float,
    minutes: float | None, force: bool,
) -> None:  # fmt: skip
    """Make a strategy with a certificate and store it, with a line for each stage; print the certificate."""
    from ...approximation.solve import UNIT, approximate
    from ...strategy.fitted_file import fitted_path, has_fitted
    from ..progress import StageProgress

    path = fitted_path(rules, tables)
    known = has_fitted(rules, tables) and not force
    if known:
        text = _("{rules} has an approximate strategy: {path} (use --force to make it again)")
        click.echo(text.format(rules=rules.key, path=path))
        strategy = open_approximate(rules, tables)
    else:
        seconds = approximate_seconds(
            rules, work=UNIT * work, games=games, minutes=minutes, threads=threads or default_threads()
        )
        text = _("making an approximate strategy of {rules}, {time}")
        click.echo(text.format(rules=rules.key, time=duration(sum(seconds.values()))), err=True)
        strategy = approximate(
            rules, tables, seed=seed, games=games, work=work, minutes=minutes, threads=threads,
            report=StageProgress(rules.key, seconds), force=force,
        )  # fmt: skip
    found = strategy.certificate
    click.echo(wrapped(f"{rules.name}: {found.sentence}"))
    if has_table(rules, tables):
        value = number_text(open_strategy(rules, tables).value(), 10)
        click.echo(_("Exact expected score under perfect play: {value}", value=value))
    if not known:
        text = _("{games} simulated games, {seconds} s: {path}")
        if found.memory:
            text = _("{games} simulated games, {seconds} s, {memory} of memory: {path}")
        count, took = number_text(found.games, grouped=True), number_text(found.seconds, 0)
        click.echo(text.format(games=count, seconds=took, memory=gigabytes(found.memory), path=path))


def solve_goals_approximately(solver: TableSolver, seed: int, games: int, force: bool) -> None:
    """Make estimates of all goals and store them; measure the play for three goals by simulation."""
    from ...approximation.goals import goal_estimates_cost, measured_goals, solve_goal_estimates

    rules, tables, threads = solver.rules, solver.tables, solver.threads
    size = gigabytes(goal_estimates_cost(rules).bytes)
    count = len(solve_goal_estimates(rules, tables, threads=threads, begin=solver.begin, force=force))
    click.echo(
        _("Estimates of all goals of {rules}: {size} in {count} tables", rules=rules.key, size=size, count=count)
    )
    text = _("goal  estimate  simulated ({games} games, 99 % interval)  play for the expected score")
    click.echo(text.format(games=number_text(games, grouped=True)))
    for goal in measured_goals(rules, tables, games=games, seed=seed, threads=threads):
        chance, low, high = map(chance_text, (goal.chance, *goal.interval99))
        figures = _("{chance} ({low} to {high})", chance=chance, low=low, high=high)
        click.echo(f"{goal.goal:>4}  {chance_text(goal.estimate):>8}  {figures:<40}  {chance_text(goal.by_mean)}")
