"""The tables, distributions and approximate strategies that `yatzy solve` makes.

It also has what they need first, and what they cost.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter
from typing import ClassVar, NamedTuple

import click
import numpy as np

from ...approximation.approximate_cost import approximate_seconds
from ...approximation.opening import open_approximate, open_strategy
from ...core import resources
from ...core.checked_values import Table
from ...core.objectives import Objective
from ...core.resources import thread_count
from ...core.rules import RuleSet
from ...core.state import EMPTY_STATE
from ...core.state_space import state_space
from ...core.table_info import TableInfo
from ...errors import RulesError
from ...service.budget import SolveBudget
from ...settings import Progress, Settings
from ...tablebase import machine
from ...tablebase.estimates import THREADS, SolveCost, check_memory, rule_set_stats, solve_cost
from ...tablebase.quantities import QUANTITIES
from ...tablebase.shard_plan import unrounded_bytes
from ...tablebase.sharded_solve import ThreadEngine, sharded_cost, solve_sharded
from ...tablebase.state_counts import count_states
from ...tablebase.store import has_table, solve_to_store, tables_folder
from ...words import _, duration, gigabytes, ngettext, number_text
from ..console import confirm, echo_answer
from ..options import cluster_workers
from ..progress import StageProgress, solve_progress
from ..text_width import columns_of, left
from ..views.rules_text import approximate_hint
from ..views.wording import grouped, wrapped

# It stands for the table of means where only the cost is asked for.
WITHOUT_MEANS: Callable[[RuleSet], Table] = lambda rules: np.empty(0)  # noqa: E731


@dataclass(frozen=True)
class TableSolver:
    """A solver of the tables of a rule set.

    It asks before a large solve, announces it and shows its progress.
    """

    rules: RuleSet
    tables: str | None
    threads: int | None
    shards: bool  # whether tables are stored in shards
    yes: bool  # whether large solves need no confirmation
    budget: ClassVar[SolveBudget] = SolveBudget.command()

    def checked_cost(self, objective: Objective) -> SolveCost:
        """Return the cost of a solve.

        Raises RulesError if the machine has too little memory for it, with what --shards needs.
        """
        threads = thread_count(self.threads)
        cost = sharded_cost(objective, threads) if self.shards else solve_cost(objective)
        try:
            check_memory(objective.rules, cost)
        except RulesError as error:
            less = cost.memory if self.shards else sharded_cost(objective, threads).memory
            if less >= cost.memory:
                raise
            text = _("{error}; with --shards it needs {less}", error=error, less=gigabytes(less))
            raise RulesError(text, code=error.code) from error
        return cost

    def begin(self, objective: Objective) -> Progress:
        """Check the cost of a solve, announce it, and return the callback for its progress.

        If the cost is high, ask first.
        """
        cost = self.checked_cost(objective)
        facts = {
            "name": "means" if objective.name == "mean" else objective.name,
            "rules": self.rules.key,
            "cost": cost.words(self.threads),
        }
        return self.confirmed_progress(
            cost,
            _("The table of {name} of {rules} takes {cost}.", **facts),
            _("the table of {name} of {rules} takes {cost}; use --yes to solve it", **facts),
            _("solving {rules} ({name}), {cost}", **facts),
        )

    def confirmed_progress(
        self, cost: SolveCost, question: str, refusal: str, announcement: str
    ) -> Progress:
        """Return the callback for the progress of a computation.

        If its cost is high, ask for a confirmation first.
        """
        if not self.yes and not self.budget.objective.allows(cost):
            confirm(question, refusal)
        return solve_progress(self.rules, announcement if self.budget.announces(cost) else None)

    def solve(self, objective: Objective, *, missing_only: bool) -> TableInfo:
        """Solve and store the table of an objective.

        A table that exists is solved again unless `missing_only`.
        """
        progress = self.begin(objective)
        if not self.shards:
            settings = Settings(self.tables, self.threads, progress)
            return solve_to_store(settings, objective, missing_only=missing_only)
        return solve_sharded(
            Settings(self.tables, progress=progress),
            objective,
            engine=ThreadEngine(self.threads),
            missing_only=missing_only,
        )

    def solve_on_cluster(
        self, what: str, force: bool, workers: int | None, address: str | None
    ) -> TableInfo:
        """Solve a table on the workers of a Dask cluster.

        If the table of the means is needed and missing, it is solved first.
        """
        quantity = QUANTITIES[what]
        needs_means = quantity.needs_means and not has_table(self.rules, self.tables)
        # These ask before workers are started.
        report_means = self.begin(Objective(self.rules)) if needs_means else None
        report = self.begin(quantity.objective(self.rules, WITHOUT_MEANS))
        with cluster_workers(workers, address) as cluster:
            assert cluster
            if report_means:
                cluster.solve(self.rules, "mean", tables=self.tables, progress=report_means)
            return cluster.solve(self.rules, what, tables=self.tables, progress=report, force=force)

    def means(self, rules: RuleSet) -> Table:
        """Return the table of means, which is solved if it is missing."""
        if not has_table(rules, self.tables):
            self.solve(Objective(rules), missing_only=True)
        return open_strategy(rules, self.tables, threads=self.threads).table


def solved_text(rules: RuleSet, what: str, info: TableInfo, path: Path) -> str:
    """Return what `yatzy solve` prints about a new table.

    That is its value at the start, if it has one, and where it is. A square is shown as its root.
    """
    count = number_text(info.values, grouped=True)
    seconds = number_text(info.seconds, 2)
    last = _("{count} values in {seconds} s: {path}", count=count, seconds=seconds, path=path)
    if info.start_value is None:
        return last
    quantity = QUANTITIES[what]
    value = info.start_value**0.5 if quantity.is_square else info.start_value
    first = _(quantity.result, rules=rules.key, value=number_text(value, 10))  # marked elsewhere
    return f"{first}\n{last}"


def solve_distribution(solver: TableSolver, force: bool) -> None:
    """Compute and store the distribution from the empty card on.

    Those after each first turn of a small game are stored, too.
    """
    from ...strategy import distribution
    from ...strategy.score_distribution import PERCENTS
    from ..views.results import percentile_line

    rules = solver.rules
    tables = solver.tables
    threads = solver.threads
    path = distribution.distribution_path(rules, tables)
    first_turns = solver.budget.makes_first_turns(rules)  # whether the game is small
    is_stored = distribution.has_stored_distribution(rules, EMPTY_STATE, tables)
    lacks_first_turns = first_turns and not distribution.has_first_turns(rules, tables)
    if is_stored and not lacks_first_turns and not force:
        text = _(
            "the distribution of {rules} is already stored: {path} (use --force to compute it again)",
            rules=rules.key,
            path=path,
        )
        click.echo(text)
        return
    if not has_table(rules, tables):
        solver.solve(Objective(rules), missing_only=True)
    cost = (
        distribution.first_turns_cost(rules)
        if first_turns
        else distribution.distribution_cost(rules)
    )
    distribution.check_distribution_memory(rules, cost)
    resources.check_space(path.parent, cost.bytes)
    facts = {
        "rules": rules.key,
        "time": duration(cost.processor_seconds / thread_count(threads)),
    }
    progress = solver.confirmed_progress(
        cost,
        _("The distribution of {rules} takes {time}.", **facts),
        _("the distribution of {rules} takes {time}; use --yes to compute it", **facts),
        _("computing the distribution of {rules}, {time}", **facts),
    )
    begin = perf_counter()
    strategy = open_strategy(rules, tables, threads=threads)
    by_state = distribution.early_distributions(
        Settings(threads=threads, progress=progress), strategy, first_turns=first_turns
    )
    with resources.writing_to(path.parent):
        distribution.write_stored(rules, by_state, tables)
    final = by_state[state_space(rules).unchecked_index(EMPTY_STATE)]  # of the whole game
    text = _("Standard deviation of {rules} under perfect play: {deviation}")
    click.echo(text.format(rules=rules.key, deviation=number_text(final.standard_deviation, 10)))
    click.echo(percentile_line({str(percent): final.percentile(percent) for percent in PERCENTS}))
    count = number_text(len(final.scores), grouped=True)
    seconds = number_text(perf_counter() - begin, 2)
    click.echo(_("{count} scores in {seconds} s: {path}", count=count, seconds=seconds, path=path))


@dataclass(frozen=True)
class SolveEstimate:
    """What a solve costs, before it begins."""

    objective: str
    states: int  # states that a game can reach
    values: int  # entries of the table
    bytes: int  # of the table
    dtype: str  # type of its entries
    disk: int  # most bytes on disk during the solve
    memory: int  # bytes of the process
    seconds: float  # about how long it takes with so many threads
    threads: int


def estimate_solve(objective: Objective, *, threads: int, shards: bool) -> SolveEstimate:
    """Estimate the cost of a solve. The values of a policy quantity's table are not read."""
    cost = sharded_cost(objective, threads) if shards else solve_cost(objective)
    table_bytes = objective.size * objective.store.itemsize
    return SolveEstimate(
        objective=objective.name,
        states=count_states(objective.rules).states,
        values=objective.size,
        bytes=table_bytes,
        dtype=objective.store.name,
        disk=table_bytes + (unrounded_bytes(objective) if shards else 0),
        memory=cost.memory,
        seconds=cost.processor_seconds / threads,
        threads=threads,
    )


def estimate_of_counts(rules: RuleSet, threads: int) -> SolveEstimate:
    """Estimate the solve of the means of a game whose cards can only be counted, not listed."""
    stats = rule_set_stats(rules, any_number=True)
    return SolveEstimate(
        objective="mean",
        states=stats.states,
        values=stats.values,
        bytes=stats.bytes,
        dtype="float32",
        disk=stats.bytes,
        memory=stats.memory,
        seconds=stats.processor_seconds / threads,
        threads=threads,
    )


def print_estimate(solver: TableSolver, what: str, *, as_json: bool) -> None:
    """Print the cost of a solve, and of the table of means if it is needed first."""
    rules = solver.rules
    tables = solver.tables
    shards = solver.shards
    threads = thread_count(solver.threads)
    quantity = QUANTITIES[what]
    solved = False
    means: SolveEstimate | None = None  # the estimate of the means, if they are needed first
    too_large = ""  # why the game is too large, and what to do
    try:
        cost = estimate_solve(
            quantity.objective(rules, WITHOUT_MEANS), threads=threads, shards=shards
        )
    except RulesError as error:
        if error.code != "too-large":
            raise
        too_large = f"{error}; {approximate_hint(rules, approximate_seconds(rules))}"
        if what != "mean":
            raise RulesError(too_large, code=error.code) from error
        cost = estimate_of_counts(rules, threads)
    else:
        solved = has_table(rules, tables, what)
        if quantity.needs_means and not has_table(rules, tables):
            means = estimate_solve(Objective(rules), threads=threads, shards=shards)
    free = Free(machine.available_memory(), machine.free_space(tables_folder(tables)))
    title = _(quantity.estimate, rules=rules.key)  # marked elsewhere
    lines = [title, "", *_fact_lines(cost, means, free, solved=solved, shards=shards)]
    if too_large:
        lines += ["", too_large]
    echo_answer(
        lines,
        as_json,
        rules=rules.key,
        what=what,
        solved=solved,
        too_large=too_large or None,
        estimate=asdict(cost),
        means_first=asdict(means) if means else None,
        free=free._asdict(),
    )


def bytes_text(count: float) -> str:
    """Return a number of bytes as ``2.7 kB``, ``7.7 MB``, ``52.1 GB`` or ``28,719 TB``."""
    if count >= 1e13:
        return f"{grouped(count / 1e12)} TB"
    if count >= 1e9:
        return gigabytes(count)
    if count >= 1e5:
        return f"{number_text(count / 1e6, 1)} MB"
    return f"{number_text(count / 1e3, 1)} kB"


class Free(NamedTuple):
    """The bytes that are free on the machine, or None if they are unknown."""

    memory: int | None
    disk: int | None


def _fact_lines(
    cost: SolveEstimate,
    means: SolveEstimate | None,
    free: Free,
    *,
    solved: bool,
    shards: bool,
) -> list[str]:
    """Return lines with the name of a fact and the fact: what a solve costs, and what there is."""
    time = ngettext("{time} with {count} thread", "{time} with {count} threads", cost.threads)
    table = _(
        "{size}, {count} values of {dtype}",
        size=bytes_text(cost.bytes),
        count=grouped(cost.values),
        dtype=cost.dtype,
    )
    facts = [
        (_("States"), grouped(cost.states)),
        (_("Table"), table),
        (_("Memory"), bytes_text(cost.memory)),
        (_("Time"), time.format(time=duration(cost.seconds), count=grouped(cost.threads))),
    ]
    if shards:
        facts.append((_("Disk"), bytes_text(cost.disk)))
    facts.append((_("This machine"), _machine(cost, free, shards=shards)))
    if means:
        before = _(
            "the table of means, {size} and {time}",
            size=bytes_text(means.bytes),
            time=duration(means.seconds),
        )
        facts.append((_("Before"), before))
    if solved:
        facts.append((_("Stored"), _("the table is solved already")))
    width = max(16, *(columns_of(name) + 2 for name, _fact in facts))
    return [f"{left(name, width)}{fact}" for name, fact in facts]


def _machine(cost: SolveEstimate, free: Free, *, shards: bool) -> str:
    """Return what this machine has, and whether that suffices."""
    memory, disk = free
    if memory is None or disk is None:
        return _("free memory and disk space are unknown")
    has = _(
        "{memory} of memory and {disk} of disk free",
        memory=bytes_text(memory),
        disk=bytes_text(disk),
    )
    lacks_memory = memory < cost.memory
    lacks_disk = disk < cost.disk
    if lacks_memory and lacks_disk:
        verdict = _("too little memory and disk")
    elif lacks_memory and shards:
        verdict = _("too little memory")
    elif lacks_memory:
        verdict = _("too little memory; --shards needs less")
    elif lacks_disk:
        verdict = _("too little disk")
    else:
        verdict = _("enough")
    return f"{has}: {verdict}"


def solve_approximately(
    solver: TableSolver, seed: int, games: int, work: float, minutes: float | None, force: bool
) -> None:
    """Make a strategy with a certificate and store it, and print the certificate.

    A line is printed for each stage.
    """
    from ...approximation.fitted_file import fitted_path, has_fitted
    from ...approximation.solve import UNIT, approximate

    rules = solver.rules
    tables = solver.tables
    path = fitted_path(rules, tables)
    is_stored = has_fitted(rules, tables) and not force
    if is_stored:
        text = _("{rules} has an approximate strategy: {path} (use --force to make it again)")
        click.echo(text.format(rules=rules.key, path=path))
        strategy = open_approximate(rules, tables)
    else:
        seconds = approximate_seconds(rules, work=UNIT * work, minutes=minutes)  # of two threads
        time = duration(THREADS * seconds / thread_count(solver.threads))
        text = _("making an approximate strategy of {rules}, {time}", rules=rules.key, time=time)
        click.echo(text, err=True)
        strategy = approximate(
            rules,
            tables,
            seed=seed,
            games=games,
            work=work,
            minutes=minutes,
            threads=solver.threads,
            report=StageProgress(rules.key),
            force=force,
        )
    certificate = strategy.certificate
    click.echo(wrapped(f"{rules.name}: {certificate.sentence}"))
    if has_table(rules, tables):
        value = number_text(open_strategy(rules, tables).value(), 10)
        click.echo(_("Exact expected score under perfect play: {value}", value=value))
    if not is_stored:
        text = _("{games} simulated games, {seconds} s: {path}")
        if certificate.memory:
            text = _("{games} simulated games, {seconds} s, {memory} of memory: {path}")
        count = number_text(certificate.games, grouped=True)
        took = number_text(certificate.seconds, 0)
        memory = gigabytes(certificate.memory)
        click.echo(text.format(games=count, seconds=took, memory=memory, path=path))
