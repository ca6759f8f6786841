"""The tables that `yatzy solve` makes: what they need first, what they cost, and their solve here or on a cluster."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..._messages import _, number_text
from ...errors import RulesError
from ...game.rules import RuleSet
from ...model.checked_values import Table
from ...model.estimates import SolveCost, gigabytes
from ...model.objectives import Objective
from ...model.quantities import QUANTITIES
from ...tablebase.backward_induction import default_threads
from ...tablebase.memory import check_memory
from ...tablebase.sharded_solve import ThreadEngine, sharded_cost, solve_sharded
from ...tablebase.store import Progress, has_table, solve_to_store
from ...tablebase.table_info import TableInfo
from ..console import confirm
from ..options import cluster_workers
from ..progress import solve_progress


def without_means(rules: RuleSet) -> Table:
    """Stands for the table of means where only the cost of a solve is asked for."""
    return np.empty(0)


@dataclass(frozen=True)
class TableSolver:
    """Solves tables of a rule set: asks before a large solve, announces it, shows its progress."""

    rules: RuleSet
    tables: str | None
    threads: int | None
    shards: bool  # whether tables are stored in shards
    yes: bool  # whether large solves need no confirmation

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
        from ...service.budget import SolveBudget

        budget, cost = SolveBudget.command(), self.checked_cost(objective)
        name = {"mean": "means"}.get(objective.name, objective.name)
        facts = {"name": name, "rules": self.rules.key, "cost": cost.words_with(self.threads or default_threads())}
        if not self.yes and not budget.objective.allows(cost):
            confirm(
                _("The table of {name} of {rules} takes {cost}.", **facts),
                _("the table of {name} of {rules} takes {cost}; use --yes to solve it", **facts),
            )
        line = _("solving {rules} ({name}), {cost}", **facts)
        return solve_progress(self.rules, line if budget.announces(cost) else None)

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
        progress[what] = self.begin(quantity.objective(self.rules, without_means))
        with cluster_workers(workers, address) as cluster:
            assert cluster
            for name, report in progress.items():
                again = force and name == what
                info = cluster.solve(self.rules, name, tables=self.tables, progress=report, force=again)
        return info

    def solve_means(self) -> None:
        """Solve the table of means, which the others are computed from."""
        self.solve(Objective(self.rules), missing_only=True)

    def objective(self, what: str) -> Objective:
        """The objective of a table; the means are solved first where it depends on them."""
        return QUANTITIES[what].objective(self.rules, self.means)

    def means(self, rules: RuleSet) -> Table:
        """The table of means, solved if it is missing."""
        from ...strategy.opening import open_strategy

        if not has_table(rules, self.tables):
            self.solve_means()
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
