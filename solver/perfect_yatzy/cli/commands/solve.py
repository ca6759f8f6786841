"""`yatzy solve` builds a table, `yatzy verify` checks one."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from ..._messages import N_, _, number_text
from ..._version import ANSWER_SCHEMA
from ..console import confirm, solve_progress
from ..options import MOST_WORKERS, SEED, cluster_options, json_option, rules_argument, seed_option, table_options
from .estimate import MOST_ESTIMATED

if TYPE_CHECKING:
    from pathlib import Path

    from ...game.rules import RuleSet
    from ...model.estimates import SolveCost
    from ...model.objectives import Objective
    from ...tablebase.store import Progress
    from ...tablebase.table_info import TableInfo


@click.command()
@rules_argument
@click.option(
    "--what", type=click.Choice(["mean", "goals", "variance", "bonus", "distribution"]), default="mean",
    show_default=True,
    help="Table to build: expected scores, chances of every goal, variances of the final score, chances of the "
    "upper bonus, or the distribution of the final score.",
)  # fmt: skip
@click.option(
    "--approximate", "approximately", is_flag=True,
    help="For games too large for an exact table: a strategy, its simulated mean, and a proven bound of all "
    "strategies. With --what goals: estimates of the chances, and approximate play.",
)  # fmt: skip
@click.option("--seed", type=SEED, metavar="N", default=1, show_default=True, help="With --approximate: random seed.")
@click.option(
    "--games", type=click.IntRange(2, 10_000_000), metavar="N", default=20_000, show_default=True,
    help="With --approximate: simulated games, for the mean or for each of three goals.",
)  # fmt: skip
@click.option(
    "--minutes", type=click.FloatRange(0.01, 100_000), metavar="M", default=10.0, show_default=True,
    help="With --approximate: time for the bound.",
)  # fmt: skip
@click.option(
    "--shards", is_flag=True,
    help="Store the table in many files, solved one by one: for tables that do not fit the memory. Resumes anywhere.",
)  # fmt: skip
@click.option(
    "--estimate", is_flag=True,
    help="Print what the solve costs, without solving: size, memory, time; with --shards or --workers also traffic, "
    "and how many workers are of use.",
)  # fmt: skip
@click.option("--verbose", "-v", is_flag=True, help="With --estimate: list the layers, too.")
@click.option("--json", "as_json", is_flag=True, help="With --estimate: print one JSON object.")
@click.option("--force", is_flag=True, help="Solve again even if the table exists.")
@click.option("--yes", "-y", is_flag=True, help="Do not ask before a solve of more than 2 GB or three minutes.")
@partial(cluster_options, most=MOST_ESTIMATED)
@table_options
def solve(
    rules: str,
    what: str,
    approximately: bool,
    seed: int,
    games: int,
    minutes: float,
    shards: bool,
    estimate: bool,
    verbose: bool,
    as_json: bool,
    force: bool,
    yes: bool,
    workers: int | None,
    cluster: str | None,
    tables: str | None,
    threads: int | None,
) -> None:
    """Solve a rule set and store the table.

    An interrupted solve resumes where it stopped. Other commands solve what they need on first use, unless that takes
    more than 2 GB or three minutes. With --workers or --cluster processes share the solve; the table is in shards.

    \b
      yatzy solve maxi
      yatzy solve yatzy --what goals
      yatzy solve maxi-unsaved --what distribution
      yatzy solve maxi-tactic --what goals --shards
      yatzy solve maxi-unsaved --workers 2
      yatzy solve maxi --what goals --workers 64 --estimate
      yatzy solve giant --approximate
      yatzy solve maxi --what goals --approximate
    """
    from ...game.rule_loader import load_rules
    from ...tablebase.store import has_table, table_path
    from ...tablebase.table_info import shards_folder

    check_options(click.get_current_context())
    rule_set, on_cluster = load_rules(rules), bool(workers or cluster)
    if on_cluster:
        shards, threads = True, workers or 1  # tasks at a time on this machine
    if approximately and what == "mean":
        from .approximate import solve_approximately

        solve_approximately(rule_set, tables, threads, seed, games, minutes, force)
        return
    if estimate:
        from .estimate import print_estimate

        print_estimate(
            rule_set, what, tables, threads=threads, workers=workers, shards=shards, verbose=verbose, as_json=as_json
        )
        return
    path = table_path(rule_set, tables, what)
    if what != "distribution" and has_table(rule_set, tables, what) and not force and not approximately:
        place = path if path.is_file() else shards_folder(path)
        click.echo(
            _("{rules} is already solved: {path} (use --force to solve it again)").format(
                rules=rule_set.key, path=place
            )
        )
        return
    solver = TableSolver(rule_set, tables, threads, shards, yes)
    if approximately:
        from .approximate import solve_goals_approximately

        solve_goals_approximately(rule_set, tables, threads, solver.begin, seed, games, force)
    elif what == "distribution":
        from .distribution import solve_distribution

        solve_distribution(rule_set, tables, threads, solver.solve_means, force, yes)
    else:
        if on_cluster:
            from .on_cluster import solve_on_cluster

            info = solve_on_cluster(rule_set, what, tables, solver.begin, force, workers, cluster)
        else:
            info = solver.solve(solver.objective(what), missing_only=not force)
        click.echo(solved_lines(rule_set, what, info, shards_folder(path) if shards else path))


def check_options(context: click.Context) -> None:
    """Refuse options of `yatzy solve` that do not fit together.

    Raises
    ------
    UsageError
        If there are such options.
    """
    given = [
        name
        for name in ("seed", "games", "minutes")
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE
    ]
    options = context.params
    what, approximately, estimate = options["what"], options["approximately"], options["estimate"]
    shards, workers, cluster = options["shards"], options["workers"], options["cluster"]
    if approximately and what not in ("mean", "goals"):
        raise click.UsageError(_("--what {what} cannot be used with --approximate").format(what=what), context)
    in_one_pass = "--approximate" if approximately else "--what distribution" if what == "distribution" else None
    for option, is_given in {"--shards": shards, "--workers": workers, "--cluster": cluster}.items():
        if in_one_pass and is_given:
            text = _("{option} cannot be used with {other}").format(option=option, other=in_one_pass)
            raise click.UsageError(text, context)
    refused = {"--approximate": approximately, "--cluster": cluster, "--what distribution": what == "distribution"}
    for option, is_given in refused.items():
        if estimate and is_given:
            raise click.UsageError(_("--estimate cannot be used with {option}").format(option=option), context)
    for option, is_given in {"--verbose": options["verbose"], "--json": options["as_json"]}.items():
        if is_given and not estimate:
            raise click.UsageError(_("{option} can only be used with --estimate").format(option=option), context)
    if workers and workers > MOST_WORKERS and not estimate:
        message = _("--workers starts at most {most}; for more use --cluster").format(most=MOST_WORKERS)
        raise click.UsageError(message, context)
    if (workers or cluster) and options["threads"]:
        raise click.UsageError(_("--threads cannot be used with --workers or --cluster"), context)
    if approximately and what == "goals" and "minutes" in given:
        raise click.UsageError(_("--minutes cannot be used with --what goals"), context)
    if given and not approximately:
        raise click.UsageError(_("--{name} can only be used with --approximate").format(name=given[0]), context)


@dataclass(frozen=True)
class TableSolver:
    """Solves tables of a rule set on this machine: asks before a large solve, announces it, shows its progress.

    Attributes
    ----------
    rules : RuleSet
    tables : str or None
        Folder of the tables.
    threads : int or None
    shards : bool
        Whether tables are stored in shards.
    yes : bool
        Whether large solves need no confirmation.
    """

    rules: RuleSet
    tables: str | None
    threads: int | None
    shards: bool
    yes: bool

    def begin(self, objective: Objective) -> Progress:
        """Check the cost of a solve, ask if it is high, announce it, and return the callback for its progress."""
        from ...service.budget import SolveBudget

        budget, rules = SolveBudget.command(), self.rules.key
        name = {"mean": "means"}.get(objective.name, objective.name)
        cost = checked_cost(objective, self.shards, self.threads)
        if not self.yes and not budget.objective.allows(cost):
            facts = {"name": name, "rules": rules, "cost": cost.words}
            confirm(
                _("The table of {name} of {rules} takes {cost}.").format(**facts),
                _("the table of {name} of {rules} takes {cost}; use --yes to solve it").format(**facts),
            )
        line = _("solving {rules} ({name}), {cost}").format(rules=rules, name=name, cost=cost.words)
        return solve_progress(self.rules, line if budget.announces(cost) else None)

    def solve(self, objective: Objective, *, missing_only: bool) -> TableInfo:
        """Solve and store the table of an objective, if it is missing or `missing_only` is False."""
        from ...tablebase.sharded_solve import ThreadEngine, solve_sharded
        from ...tablebase.store import solve_to_store

        progress, tables = self.begin(objective), self.tables
        if not self.shards:
            return solve_to_store(
                objective, tables, threads=self.threads, progress=progress, missing_only=missing_only
            )
        engine = ThreadEngine(self.threads)
        return solve_sharded(objective, tables, engine=engine, progress=progress, missing_only=missing_only)

    def solve_means(self) -> None:
        """Solve the table of means, which the others are computed from."""
        from ...model.objectives import Objective

        self.solve(Objective(self.rules), missing_only=True)

    def objective(self, what: str) -> Objective:
        """The objective of a table; the means are solved first where it depends on them."""
        from ...model.objectives import BonusChance, Goals, Objective, PolicyQuantity, Variance
        from ...strategy.opening import open_strategy
        from ...tablebase.store import has_table

        if what not in ("variance", "bonus"):
            return Goals(self.rules) if what == "goals" else Objective(self.rules)
        if not has_table(self.rules, self.tables):
            self.solve_means()
        means = open_strategy(self.rules, self.tables, threads=self.threads)
        quantities: dict[str, type[PolicyQuantity]] = {"variance": Variance, "bonus": BonusChance}
        return quantities[what](self.rules, means.table)


def solved_lines(rules: RuleSet, what: str, info: TableInfo, place: Path) -> str:
    """What `yatzy solve` prints about a new table: its value at the start, if it has one, and where it is."""
    last = _("{count} values in {seconds} s: {path}").format(
        count=number_text(info.values, grouped=True), seconds=number_text(info.seconds, 2), path=place
    )
    if info.start_value is None:
        return last
    value = info.start_value**0.5 if what == "variance" else info.start_value
    texts = {
        "mean": N_("Expected score of {rules} under perfect play: {value}"),
        "bonus": N_("Chance of the upper bonus of {rules} under perfect play: {value}"),
        "variance": N_("Standard deviation of {rules} under perfect play: {value}"),
    }
    first = _(texts[what]).format(rules=rules.key, value=number_text(value, 10))  # marked elsewhere
    return f"{first}\n{last}"


def checked_cost(objective: Objective, shards: bool, threads: int | None) -> SolveCost:
    """The cost of a solve.

    Raises
    ------
    RulesError
        If the machine has too little memory for it; the message says if shards need less.
    """
    from ...errors import RulesError
    from ...model.estimates import gigabytes
    from ...tablebase.backward_induction import default_threads
    from ...tablebase.memory import check_memory
    from ...tablebase.sharded_solve import sharded_cost

    def in_shards() -> SolveCost:
        return sharded_cost(objective, threads or default_threads())

    cost = in_shards() if shards else objective.solve_cost()
    try:
        check_memory(objective.rules, cost)
    except RulesError as error:
        if shards or (less := in_shards().memory) >= cost.memory:
            raise
        raise RulesError(
            _("{error}; with --shards it needs {less}").format(error=error, less=gigabytes(less)), code=error.code
        ) from error
    return cost


@click.command()
@rules_argument
@click.option(
    "--states",
    type=click.IntRange(1, 1_000_000),
    metavar="N",
    default=500,
    show_default=True,
    help="Number of random states.",
)
@click.option(
    "--games", type=click.IntRange(0, 10_000_000), metavar="N", default=0, help="Number of games to simulate [none]."
)
@seed_option
@json_option
@table_options
def verify(
    rules: str, states: int, games: int, seed: int, as_json: bool, tables: str | None, threads: int | None
) -> None:
    """Check a stored table.

    Compares its checksum, the Bellman equation at random states, the published value if there is one, and with
    --games the mean of simulated games. Of an approximate strategy: its checksum and certificate, and with --games
    its mean.
    """
    from dataclasses import asdict

    from ...game.rule_loader import load_rules
    from ...strategy.fitted_file import has_fitted
    from ...strategy.verify import verify as run_checks
    from ...tablebase.store import has_table

    rule_set = load_rules(rules)
    checks, rebuild = [], f"yatzy solve {rules} --force"
    if not has_table(rule_set, tables) and has_fitted(rule_set, tables):
        from ...approximation.verify import verify_approximate

        found = verify_approximate(rule_set, tables, games=games, seed=seed, threads=threads)
        rebuild = f"yatzy solve {rules} --approximate --force"
    else:
        found = run_checks(rule_set, tables, states=states, games=games, seed=seed, threads=threads)
    for check in found:
        checks.append(check)
        if not as_json:
            right, wrong = _("ok"), _("WRONG")
            verdict, width = right if check.passed else wrong, max(len(right), len(wrong))
            click.echo(f"{verdict:<{width}}  {_(check.name):<10}  {check.detail}")  # marked elsewhere
    passed = all(check.passed for check in checks)
    if as_json:
        head = {"schema": ANSWER_SCHEMA, "rules": rule_set.key, "passed": passed}
        click.echo(json.dumps(head | {"checks": [asdict(check) for check in checks]}))
    if not passed:
        raise click.ClickException(
            _("the table of {rules} is wrong; rebuild it with: {command}").format(rules=rule_set.key, command=rebuild)
        )
